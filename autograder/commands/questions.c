// SPDX-License-Identifier: MIT
// ladder questions: writes the labs' questions into their pages, or checks that they stand there.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "predict/pages.h"

static const ladder_usage usage = {
    "ladder questions [LAB] [--check]",
    "Writes what labs/*/questions.json asks into the labs' pages: a box for each step's\n"
    "predictions, and the self-check questions, whose numbers are counted with the\n"
    "solutions on the simulator. `ladder tables` does this, too. --check writes nothing\n"
    "and fails when a page is out of date.",
    "  ladder questions reduction --check",
};

static kl_status update(const ladder_kit *kit, const ladder_lab *lab, bool check, bool *out_stale,
                        kl_error *err) {
    enum { PAGE_MAX = 4 << 20 };
    char path[LADDER_PATH], *page = NULL, *now = NULL;
    TRY(ladder_path(path, err, "%s/labs/%s/README.md", kit->source, lab->folder));
    TRY(ladder_file_read(AT_FDCWD, path, PAGE_MAX, &page, NULL, err));
    kl_status status = ladder_page_renew(kit, lab, page, &now, err);
    if (status != KL_OK) {
        char why[KL_ERROR_TEXT];
        snprintf(why, sizeof why, "%s", err->text);
        status = kl_fail(err, status, "labs/%s/README.md: %.700s", lab->folder, why);
    } else if (strcmp(page, now) != 0) {
        *out_stale = *out_stale || check;
        printf("labs/%s/README.md: %s\n", lab->folder,
               check ? "its questions are out of date; ./ladder tables writes them" : "written");
        if (!check) status = ladder_file_write(path, now, strlen(now), err);
    }
    free(page);
    free(now);
    return status;
}

static kl_status update_all(const ladder_arguments *arguments, bool check, bool *out_stale,
                            kl_error *err) {
    const ladder_lab *only = NULL;
    ladder_kit kit;
    if (arguments->count == 1) TRY(ladder_lab_require(arguments->positional[0], &only, err));
    TRY(ladder_kit_find(&kit, err));
    for (int i = 0; i < ladder_lab_count; i++)
        if (only == NULL || only == &ladder_labs[i])
            TRY(update(&kit, &ladder_labs[i], check, out_stale, err));
    return KL_OK;
}

int ladder_cmd_questions(int argc, char **argv) {
    bool check = false, stale = false;
    const ladder_option options[] = {
        {"--check", LADDER_FLAG, &check, NULL, "write nothing; fail when a page is out of date",
         NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, 1, argc, argv, &arguments, &code)) return code;
    if (arguments.count > 1) return ladder_command_misused(argv[0], "expected one lab or none");
    kl_error err = {KL_OK, ""};
    if (update_all(&arguments, check, &stale, &err) != KL_OK)
        return ladder_command_fail(argv[0], &err);
    return stale ? LADDER_EXIT_FAILED : LADDER_EXIT_OK;
}
