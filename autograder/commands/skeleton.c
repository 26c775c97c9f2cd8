// SPDX-License-Identifier: MIT
// ladder skeleton: makes the students' step files from the solutions, or checks that they agree. A
// file that a student has changed is never touched.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "json.h"
#include "grade/rubric/lab_files.h"
#include "grade/submission/skeleton.h"

static const ladder_usage usage = {
    "ladder skeleton [LAB] [--check]",
    "Makes labs/*/steps and labs/*/bugs from the marked regions of the files in\n"
    "solutions/. A file that has been edited since it was handed out is left alone.\n"
    "--check writes nothing and fails when a file is missing or out of date.",
    "  ladder skeleton --check",
};

typedef struct tally {
    int made, current, kept, wanting;
    kl_json *json; // NULL: the files are listed on standard output
} tally;

// One file: solutions/LAB/FOLDER/NAME gives labs/LAB/FOLDER/NAME.
static kl_status update_file(const ladder_kit *kit, const ladder_lab *lab, const char *folder,
                             const char *name, bool check, tally *t, kl_error *err) {
    char solution[LADDER_PATH], skeleton[LADDER_PATH], above[LADDER_PATH];
    TRY(ladder_path(solution, err, "%s/solutions/%s/%s/%s", kit->source, lab->folder, folder,
                    name));
    TRY(ladder_path(skeleton, err, "%s/labs/%s/%s/%s", kit->source, lab->folder, folder, name));
    if (!ladder_file_exists(solution))
        return kl_fail(err, KL_ERROR_INPUT, "there is no solution %s", solution);
    TRY(ladder_path(above, err, "%s/labs/%s/%s", kit->source, lab->folder, folder));
    if (!check) TRY(ladder_folder_make(above, err));
    ladder_skeleton_state state = LADDER_SKELETON_ABSENT;
    TRY(ladder_skeleton_update(solution, skeleton, check, &state, err));
    bool wanting = state == LADDER_SKELETON_ABSENT || state == LADDER_SKELETON_STALE;
    const char *word = state == LADDER_SKELETON_CURRENT   ? "up to date"
                       : state == LADDER_SKELETON_CHANGED ? "edited, left alone"
                       : !check                           ? "made"
                       : state == LADDER_SKELETON_ABSENT  ? "missing"
                                                          : "out of date";
    t->current += state == LADDER_SKELETON_CURRENT;
    t->kept += state == LADDER_SKELETON_CHANGED;
    t->made += wanting && !check;
    t->wanting += wanting && check;
    if (t->json) {
        kl_json_object(t->json, NULL);
        kl_json_string(t->json, "lab", lab->problem->name);
        kl_json_string(t->json, "file", name);
        kl_json_string(t->json, "state", word);
        kl_json_end(t->json);
    } else if (state != LADDER_SKELETON_CURRENT) {
        printf("%s/%s: %s\n", lab->folder, name, word);
    }
    return KL_OK;
}

// The lab's bug hunts, where it has any.
static kl_status update_bugs(const ladder_kit *kit, const ladder_lab *lab, bool check, tally *t,
                             kl_error *err) {
    char folder[LADDER_PATH];
    struct dirent **entries = NULL;
    kl_status status = KL_OK;
    TRY(ladder_path(folder, err, "%s/solutions/%s/bugs", kit->source, lab->folder));
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(entries[i]->d_name);
        bool is_source = length > 3 && strcmp(entries[i]->d_name + length - 3, ".cu") == 0;
        if (is_source && status == KL_OK)
            status = update_file(kit, lab, "bugs", entries[i]->d_name, check, t, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static kl_status update(const ladder_arguments *arguments, bool check, tally *t, kl_error *err) {
    const ladder_lab *only = NULL;
    ladder_kit kit;
    if (arguments->count == 1) TRY(ladder_lab_require(arguments->positional[0], &only, err));
    TRY(ladder_kit_find(&kit, err));
    for (int l = 0; l < ladder_lab_count; l++) {
        const ladder_lab *lab = &ladder_labs[l];
        if (only && only != lab) continue;
        for (int i = 0; i < lab->problem->step_count; i++) {
            char name[LADDER_PATH];
            const kl_step_info *step = &lab->problem->steps[i];
            TRY(ladder_path(name, err, "%d_%s.cu", step->number, step->name));
            TRY(update_file(&kit, lab, "steps", name, check, t, err));
        }
        TRY(update_bugs(&kit, lab, check, t, err));
    }
    return KL_OK;
}

typedef struct job {
    const ladder_arguments *arguments;
    bool check;
    tally *tally;
} job;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    job *j = context;
    kl_json json;
    j->tally->json = &json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.skeleton/1");
    kl_json_array(&json, "files");
    TRY(update(j->arguments, j->check, j->tally, err));
    kl_json_end(&json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}

int ladder_cmd_skeleton(int argc, char **argv) {
    bool check = false;
    const char *json = NULL;
    const ladder_option options[] = {
        {"--check", LADDER_FLAG, &check, NULL, "write nothing; fail when something is out of date",
         NULL},
        {"--json", LADDER_TEXT, &json, "FILE", "the files as JSON (- is standard output)", NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, sizeof options / sizeof options[0], argc, argv,
                              &arguments, &code))
        return code;
    if (arguments.count > 1) return ladder_command_misused(argv[0], "expected one lab or none");
    kl_error err = {KL_OK, ""};
    tally t = {.json = NULL};
    job j = {.arguments = &arguments, .check = check, .tally = &t};
    kl_status status =
        json ? kl_file_put(json, write_json, &j, &err) : update(&arguments, check, &t, &err);
    if (status != KL_OK) return ladder_command_fail(argv[0], &err);
    bool quiet = kl_file_is_stdout(json);
    if (!quiet && check && t.wanting > 0) {
        printf("%d missing or out of date, %d up to date, %d edited\n", t.wanting, t.current,
               t.kept);
    } else if (!quiet) {
        printf("%d made, %d up to date, %d edited\n", t.made, t.current, t.kept);
    }
    return t.wanting > 0 ? LADDER_EXIT_FAILED : LADDER_EXIT_OK;
}
