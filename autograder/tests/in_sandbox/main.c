// ladder-in-sandbox TRY [ARGUMENT]: tries one thing and prints whether it got through.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tries.h"

const char *try_argument = "";

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        bool (*run)(void);
    } rows[] = {
#define TRY_ROW(name) {#name, try_##name},
#include "tries.def"
#undef TRY_ROW
    };
    if (argc > 2) try_argument = argv[2];
    for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, argv[1]) != 0) continue;
        errno = 0;
        bool through = rows[i].run();
        printf(through ? "got through\n" : "was held (%s)\n", strerror(errno));
        return 0;
    }
    return 2;
}
