// apply_edit EDITS NAME STEP OUT: writes the wrong kernel that the edit NAME of the file EDITS
// makes of STEP (wrong/README.md). An OUT that is the same already stays as old as it is.
#include "edit.h"
#include "utilities/files.h"

enum { MOST_BYTES = 1 << 20 };

static kl_status apply(char **argv, edit_list *edits, char **out_step, char **out_made,
                       kl_error *err) {
    const edit *edit = NULL;
    char *old = NULL;
    TRY(edits_read(argv[1], edits, err));
    TRY(edits_find(edits, argv[2], &edit, err));
    TRY(ladder_file_read(AT_FDCWD, argv[3], MOST_BYTES, out_step, NULL, err));
    TRY(edit_apply(edit, *out_step, out_made, err));
    bool same = ladder_file_read(AT_FDCWD, argv[4], MOST_BYTES, &old, NULL, NULL) == KL_OK &&
                strcmp(old, *out_made) == 0;
    free(old);
    return same ? KL_OK : ladder_file_write(argv[4], *out_made, strlen(*out_made), err);
}

int main(int argc, char **argv) {
    edit_list edits = {.items = NULL};
    char *step = NULL, *made = NULL;
    kl_error err = {KL_OK, ""};
    if (argc != 5) {
        fputs("usage: apply_edit EDITS NAME STEP OUT\n", stderr);
        return 2;
    }
    kl_status status = apply(argv, &edits, &step, &made, &err);
    if (status != KL_OK) fprintf(stderr, "%s\n", err.text);
    edits_free(&edits);
    free(step);
    free(made);
    return status == KL_OK ? 0 : 1;
}
