// SPDX-License-Identifier: MIT
// apply_edit EDIT STEP OUT: writes the wrong kernel that EDIT makes of STEP (wrong/README.md).
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "utilities/files.h"

int main(int argc, char **argv) {
    enum { MOST_BYTES = 1 << 20 };
    char *edit = NULL, *step = NULL, *made = NULL;
    kl_error err = {KL_OK, ""};
    if (argc != 4) {
        fputs("usage: apply_edit EDIT STEP OUT\n", stderr);
        return 2;
    }
    kl_status status = ladder_file_read(AT_FDCWD, argv[1], MOST_BYTES, &edit, NULL, &err);
    if (status == KL_OK)
        status = ladder_file_read(AT_FDCWD, argv[2], MOST_BYTES, &step, NULL, &err);
    if (status == KL_OK) status = edit_apply(edit, step, &made, &err);
    if (status == KL_OK) status = ladder_file_write(argv[3], made, strlen(made), &err);
    if (status != KL_OK) fprintf(stderr, "%s: %s\n", argv[1], err.text);
    free(edit);
    free(step);
    free(made);
    return status == KL_OK ? 0 : 1;
}
