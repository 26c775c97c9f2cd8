// SPDX-License-Identifier: MIT
// Paths of source files: see path.h.
#include "base/path.h"

#include <stdbool.h>
#include <string.h>

void sim_path_shorten(char *path) {
    char *at = path;
    for (char *up; (up = strstr(at, "/../"));) {
        char *part = up;
        while (part > path && part[-1] != '/') part--;
        size_t bytes = (size_t)(up - part);
        bool stays = bytes == 0 || strncmp(part, "..", bytes) == 0; // "", "." or ".."
        if (!stays) memmove(part, up + 4, strlen(up + 4) + 1);
        at = stays ? up + 3 : part > path ? part - 1 : path;
    }
}
