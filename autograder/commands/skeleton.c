// ladder skeleton: makes the students' step files from the solutions, or checks that they agree. A
// file that a student has changed is never touched.
#include "commands/command.h"
#include "grade/submission/submission.h"
#include "json.h"
#include <dirent.h>

static const ladder_usage usage = {
    "ladder skeleton [LAB] [--check]",
    "Makes labs/*/steps and labs/*/bugs from the marked regions of the files in\n"
    "solutions/, and removes those whose solution is gone. A file that has been\n"
    "edited since it was handed out is left alone. A given step is one file, in\n"
    "labs: its last line alone, which tells edits, is made where there is none.\n"
    "--check writes nothing and fails when a file is missing or out of date.",
    "  ladder skeleton --check",
};

typedef struct tally {
    int made, removed, current, kept, wanting;
    kl_json *json; // NULL: the files are listed on standard output
} tally;

// Counts and shows what became of a file: `wanting` is the word for one that was absent or stale.
static void tell(tally *t, const ladder_lab *lab, const char *name, ladder_skeleton_state state,
                 const char *wanting, bool check) {
    bool current = state == LADDER_SKELETON_CURRENT, kept = state == LADDER_SKELETON_CHANGED;
    const char *word = current ? "up to date" : kept ? "edited, left alone" : wanting;
    t->current += current;
    t->kept += kept;
    t->wanting += check && !current && !kept;
    if (t->json) kl_json_put(t->json, "{lab %s file %s state %s}", lab->problem->name, name, word);
    else if (!current) printf("%s/%s: %s\n", lab->folder, name, word);
}

// The given step that labs/LAB/FOLDER/NAME is; NULL: it is none.
static const kl_step_info *given_step(const ladder_lab *lab, const char *folder, const char *name) {
    char file[KL_STEP_FILE];
    for (int i = 0; strcmp(folder, "steps") == 0 && i < lab->problem->step_count; i++) {
        const kl_step_info *step = &lab->problem->steps[i];
        if (step->given && strcmp(kl_step_file(step, file), name) == 0) return step;
    }
    return NULL;
}

// One file: solutions/LAB/FOLDER/NAME gives labs/LAB/FOLDER/NAME.
static kl_status update_file(const ladder_kit *kit, const ladder_lab *lab, const char *folder,
                             const char *name, bool check, tally *t, kl_error *err) {
    char solution[LADDER_PATH], skeleton[LADDER_PATH], above[LADDER_PATH];
    const char *top = given_step(lab, folder, name) ? "labs" : "solutions";
    TRY(ladder_path(solution, err, "%s/%s/%s/%s/%s", kit->source, top, lab->folder, folder, name));
    TRY(ladder_path(skeleton, err, "%s/labs/%s/%s/%s", kit->source, lab->folder, folder, name));
    if (!ladder_file_exists(solution))
        return kl_fail(err, KL_ERROR_INPUT, "there is no file %s", solution);
    TRY(ladder_path(above, err, "%s/labs/%s/%s", kit->source, lab->folder, folder));
    if (!check) TRY(ladder_folder_make(above, err));
    ladder_skeleton_state state = LADDER_SKELETON_ABSENT;
    TRY(ladder_skeleton_update(solution, skeleton, check, &state, err));
    bool wanting = state == LADDER_SKELETON_ABSENT || state == LADDER_SKELETON_STALE;
    t->made += wanting && !check;
    tell(t, lab, name, state,
         !check                            ? "made"
         : state == LADDER_SKELETON_ABSENT ? "missing"
                                           : "out of date",
         check);
    return KL_OK;
}

// One file of labs/LAB/FOLDER: goes when there is no solution of its name (any more).
static kl_status remove_file(const ladder_kit *kit, const ladder_lab *lab, const char *folder,
                             const char *name, bool check, tally *t, kl_error *err) {
    char solution[LADDER_PATH], skeleton[LADDER_PATH];
    TRY(ladder_path(solution, err, "%s/solutions/%s/%s/%s", kit->source, lab->folder, folder,
                    name));
    if (ladder_file_exists(solution) || given_step(lab, folder, name)) return KL_OK;
    TRY(ladder_path(skeleton, err, "%s/labs/%s/%s/%s", kit->source, lab->folder, folder, name));
    ladder_skeleton_state state = LADDER_SKELETON_ABSENT;
    TRY(ladder_skeleton_remove(skeleton, check, &state, err));
    t->removed += state == LADDER_SKELETON_STALE && !check;
    tell(t, lab, name, state, check ? "of no solution" : "removed", check);
    return KL_OK;
}

typedef kl_status for_a_file(const ladder_kit *kit, const ladder_lab *lab, const char *folder,
                             const char *name, bool check, tally *t, kl_error *err);

// Calls `call` for each CUDA source in TOP/LAB/FOLDER, in the order of their names.
static kl_status for_each_file(const ladder_kit *kit, const ladder_lab *lab, const char *top,
                               const char *folder, for_a_file *call, bool check, tally *t,
                               kl_error *err) {
    char path[LADDER_PATH];
    struct dirent **entries = NULL;
    kl_status status = KL_OK;
    TRY(ladder_path(path, err, "%s/%s/%s/%s", kit->source, top, lab->folder, folder));
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(entries[i]->d_name);
        bool is_source = length > 3 && strcmp(entries[i]->d_name + length - 3, ".cu") == 0;
        if (is_source && status == KL_OK)
            status = call(kit, lab, folder, entries[i]->d_name, check, t, err);
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
            char name[KL_STEP_FILE];
            kl_step_file(&lab->problem->steps[i], name);
            TRY(update_file(&kit, lab, "steps", name, check, t, err));
        }
        TRY(for_each_file(&kit, lab, "solutions", "bugs", update_file, check, t, err));
        TRY(for_each_file(&kit, lab, "labs", "steps", remove_file, check, t, err));
        TRY(for_each_file(&kit, lab, "labs", "bugs", remove_file, check, t, err));
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
    kl_json_put(&json, "{schema ladder.skeleton/1 files [");
    TRY(update(j->arguments, j->check, j->tally, err));
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

int ladder_cmd_skeleton(int argc, char **argv) {
    bool check = false;
    const char *json = NULL;
    const ladder_option options[] = {
        OPT_FLAG("--check", &check, "write nothing; fail when something is out of date"),
        OPT_TEXT("--json", &json, "FILE", "the files as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
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
        printf("%d made, %d removed, %d up to date, %d edited\n", t.made, t.removed, t.current,
               t.kept);
    }
    return t.wanting > 0 ? LADDER_EXIT_FAILED : LADDER_EXIT_OK;
}
