// SPDX-License-Identifier: MIT
// CSV files of the timing model: see timing_rows.h.
#include "stored/timing_rows.h"

#include <errno.h>
#include <string.h>

// Letters of "kernel", "lab".
static int one(const char *set) {
    return (int)strlen(set) - 1;
}

FILE *timing_rows_open(const char *root, const char *set, const char *name, const char *card) {
    char path[4096];
    snprintf(path, sizeof path, "%s/common/validation/timing/%s/%s_%s.csv", root, set, name, card);
    FILE *file = fopen(path, "r");
    if (!file) fprintf(stderr, "%.*s times: %s: %s\n", one(set), set, path, strerror(errno));
    return file;
}

void timing_rows_take_device(const char *line, char device[TIMING_ROWS_DEVICE]) {
    if (line[0] == '#') sscanf(line, "# %127[^\n]", device);
}

bool timing_rows_are_there(const char *set, const char *card, int count, const char *device) {
    bool good = count > 0 && strncmp(device, "NVIDIA", 6) == 0;
    if (!good)
        fprintf(stderr, "%.*s times: %s_%s.csv has no times, or does not name its card\n", one(set),
                set, set, card);
    return good;
}
