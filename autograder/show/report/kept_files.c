// SPDX-License-Identifier: MIT
// Files beside a result: see kept_files.h.
#include "show/report/kept_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "utilities/files.h"

enum { FILE_MAX = 1 << 20 };

static char *read_one(const char *path) {
    char *text = NULL;
    return ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL) == KL_OK ? text : NULL;
}

void ladder_kept_files_read(const char *folder, const char *kit, const ladder_lab *lab,
                            ladder_kept_files *out_files) {
    char path[LADDER_PATH];
    memset(out_files, 0, sizeof *out_files);
    for (int i = 0; i < lab->rubric->step_count && i < LADDER_STEPS_MAX; i++)
        if (ladder_path(path, NULL, "%s/%s", folder, lab->rubric->steps[i].file) == KL_OK)
            out_files->sources[i] = read_one(path);
    if (ladder_path(path, NULL, "%s/labs/%s/README.md", kit, lab->folder) == KL_OK)
        out_files->lab_page = read_one(path);
}

void ladder_kept_files_free(ladder_kept_files *files) {
    for (int i = 0; i < LADDER_STEPS_MAX; i++) free(files->sources[i]);
    free(files->lab_page);
    memset(files, 0, sizeof *files);
}

ladder_beside ladder_kept_files_beside(const ladder_kept_files *files) {
    return (ladder_beside){.sources = (const char *const *)files->sources,
                           .lab_page = files->lab_page};
}
