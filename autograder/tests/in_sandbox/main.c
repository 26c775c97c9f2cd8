// ladder-in-sandbox TRY [ARGUMENT]: tries one thing and prints whether it got through.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tries.h"

const char *try_argument = "";

int main(int argc, char **argv) {
    char name[64];
    if (argc > 2) try_argument = argv[2];
    snprintf(name, sizeof name, "try_%s", argc > 1 ? argv[1] : "");
    bool (*run)(void) = dlsym(NULL, name);
    if (!run) return 2;
    errno = 0;
    bool through = run();
    printf(through ? "got through\n" : "was held (%s)\n", strerror(errno));
    return 0;
}
