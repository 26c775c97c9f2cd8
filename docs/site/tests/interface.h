// SPDX-License-Identifier: MIT
// What the file is.
#include <stdio.h>

// Belongs to both; "//" in a string is none.
int first(const char *text); // and this to the first alone
int second(void);

// From 1 .. 3.
int third(void);

struct pair { // of two
    int a,    // one,
        b;    // and the other,
              // which goes on
    // Its own,
    // on two lines.
    int own;

    int c, d; // both,
              // on two lines
    // all three
    int e, *f[2], g;
};

// --- Belongs to nothing ---

int fourth(void);
