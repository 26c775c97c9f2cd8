// SPDX-License-Identifier: MIT
// What the file is.
#include <stdio.h>

// Belongs to both; "//" in a string is none.
int first(const char *text); // and this to the first alone
int second(void);

int third(void);

struct pair { // of two
    int a,    // one,
        b;    // and the other
};

// --- Belongs to nothing ---

int fourth(void);
