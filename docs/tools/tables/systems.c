// SPDX-License-Identifier: MIT
// The systems on which the kit was tried: see tables.h.
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"

bool tables_print_systems(FILE *out, const char *root, const char *unused) {
    char path[4096];
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/systems.txt", root);
    char *text = tables_read_file(path);
    if (!text) return false;
    fprintf(out, "\n| system | toolkit | what was run | result | date | MB down | MB on disk | "
                 "seconds | of processor time |\n|---|---|---|---|---|---|---|---|---|\n");
    int rows = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#') continue;
        fprintf(out, "| %s |\n", line);
        rows++;
    }
    fputc('\n', out);
    if (rows == 0) fprintf(stderr, "ladder-tables: %s: no rows\n", path);
    free(text);
    return rows > 0;
}
