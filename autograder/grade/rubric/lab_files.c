// A lab's sources and programs: see lab_files.h.
#include "grade/rubric/lab_files.h"

#include <dirent.h>

#include "sandbox/process/kit_build.h"
#include "table.h"

kl_status ladder_kit_lab_program(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                 kl_error *err) {
    ladder_devices_default(lab->problem->devices);
    return ladder_path(out, err, "%s/labs/%s/%s", kit->build, lab->folder, lab->problem->name);
}

kl_status ladder_kit_step_file(const ladder_kit *kit, const ladder_lab *lab,
                               const kl_step_info *step, bool solution, char *out, kl_error *err) {
    char file[KL_STEP_FILE];
    TRY(ladder_path(out, err, "%s/solutions/%s", kit->source, lab->folder));
    if (step->given && ladder_file_exists(out)) solution = false;
    return ladder_path(out, err, "%s/%s/%s/steps/%s", kit->source, solution ? "solutions" : "labs",
                       lab->folder, kl_step_file(step, file));
}

static kl_status fail_unsolved(const ladder_lab *lab, const char *what, kl_error *err) {
    return kl_fail(err, KL_ERROR_INPUT,
                   "solutions come after the deadline: this kit does not have %s of lab %s yet",
                   what, lab->folder);
}

static bool is_solved(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step) {
    char path[LADDER_PATH];
    return ladder_kit_step_file(kit, lab, step, true, path, NULL) == KL_OK &&
           ladder_file_exists(path);
}

int ladder_kit_solved_steps(const ladder_kit *kit, const ladder_lab *lab, int *out_steps) {
    int count = 0;
    for (int i = 0; i < lab->problem->step_count; i++) {
        const kl_step_info *step = &lab->problem->steps[i];
        if (is_solved(kit, lab, step)) out_steps[count++] = step->number;
    }
    return count;
}

kl_status ladder_kit_require_given(const ladder_kit *kit, const ladder_lab *lab, kl_error *err) {
    for (int i = 0; i < lab->problem->step_count; i++) {
        const kl_step_info *step = &lab->problem->steps[i];
        char path[LADDER_PATH];
        size_t bytes;
        if (!step->given) continue;
        TRY(ladder_kit_step_file(kit, lab, step, false, path, err));
        char *text = kl_step_file_text(path, &bytes);
        bool edited = text && kl_step_text_is_edited(text);
        free(text);
        if (edited)
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s: the lab gives this step, others are compared with it, and it has "
                           "been edited: put it back (git checkout -- %s), or take its last line "
                           "away and call ladder skeleton, if the lab is to give it like this",
                           path, path);
    }
    return KL_OK;
}

kl_status ladder_kit_require_solution(const ladder_kit *kit, const ladder_lab *lab,
                                      const int *steps, int count, kl_error *err) {
    bool any = false;
    TRY(ladder_kit_require_given(kit, lab, err));
    char what[32];
    for (int i = 0; i < lab->problem->step_count; i++) {
        const kl_step_info *step = &lab->problem->steps[i];
        bool solved = is_solved(kit, lab, step);
        any = any || solved;
        snprintf(what, sizeof what, "that of step %d", step->number);
        for (int k = 0; k < count; k++)
            if (steps[k] == step->number && !solved) {
                if (step->given) TRY(ladder_step_files_require(kit, lab, &steps[k], 1, err));
                return fail_unsolved(lab, what, err);
            }
    }
    if (count > 0 || any) return KL_OK;
    char path[LADDER_PATH];
    if (ladder_path(path, NULL, "%s/solutions/%s/steps", kit->source, lab->folder) == KL_OK &&
        ladder_file_exists(path)) // of a lab that is being written
        return kl_fail(err, KL_ERROR_INPUT,
                       "solutions/%s/steps has none of the files that lab.json names", lab->folder);
    return fail_unsolved(lab, "those", err);
}

kl_status ladder_kit_require_solution_file(const ladder_kit *kit, const ladder_lab *lab,
                                           const char *file, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/solutions/%s/%s", kit->source, lab->folder, file));
    return ladder_file_exists(path) ? KL_OK : fail_unsolved(lab, file, err);
}

// "1_election.cu" answers to itself, "1_election" and "election".
static bool answers_to(const char *file, const char *word) {
    size_t length = strlen(file);
    if (length < 4 || strcmp(file + length - 3, ".cu") != 0) return false;
    size_t stem = length - 3, wanted = strlen(word);
    const char *behind = strchr(file, '_');
    size_t number = behind ? (size_t)(behind + 1 - file) : 0;
    return strcmp(word, file) == 0 || (wanted == stem && strncmp(word, file, stem) == 0) ||
           (number > 0 && wanted == stem - number && strncmp(word, file + number, wanted) == 0);
}

bool ladder_bug_find(const ladder_kit *kit, const ladder_lab *lab, const char *word,
                     char *out_stem) {
    char folder[LADDER_PATH];
    if (ladder_path(folder, NULL, "%s/labs/%s/bugs", kit->source, lab->folder) != KL_OK)
        return false;
    DIR *files = opendir(folder);
    bool found = false;
    for (struct dirent *e = files ? readdir(files) : NULL; e && !found; e = readdir(files)) {
        found = answers_to(e->d_name, word);
        if (found) snprintf(out_stem, LADDER_PATH, "%.*s", (int)strlen(e->d_name) - 3, e->d_name);
    }
    if (files) closedir(files);
    return found;
}

int ladder_bugs_list(const ladder_kit *kit, const ladder_lab *lab, char names[][LADDER_BUG_NAME],
                     int most) {
    char folder[LADDER_PATH];
    struct dirent **entries = NULL;
    int used = 0;
    if (ladder_path(folder, NULL, "%s/labs/%s/bugs", kit->source, lab->folder) != KL_OK) return 0;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *file = entries[i]->d_name, *name = strchr(file, '_');
        if (used < most && name && answers_to(file, file))
            snprintf(names[used++], LADDER_BUG_NAME, "%.*s", (int)strlen(name + 1) - 3, name + 1);
        free(entries[i]);
    }
    free(entries);
    return used;
}

kl_status ladder_kit_last_results(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                  kl_error *err) {
    return ladder_path(out, err, "%s/labs/%s/" KL_LAST_RESULTS_FILE, kit->build, lab->folder);
}

bool ladder_kit_is_ours(const ladder_kit *kit) {
    char cache[LADDER_PATH];
    return access(kit->build, W_OK) == 0 &&
           ladder_path(cache, NULL, "%s/CMakeCache.txt", kit->build) == KL_OK &&
           access(cache, W_OK) == 0;
}

static kl_status fail_unbuilt(const char *path, const char *command, const ladder_lab *lab,
                              kl_error *err) {
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "%s is not built, and you may not write there. Who installed this kit runs "
                   "once, in its folder: ./ladder %s %s",
                   path, command, lab->problem->name);
}

static kl_status require_program(const ladder_kit *kit, const ladder_lab *lab, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_kit_lab_program(kit, lab, path, err));
    return ladder_file_exists(path) ? KL_OK : fail_unbuilt(path, "run", lab, err);
}

static kl_status require_adapter(const ladder_kit *kit, const ladder_lab *lab, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/labs/%s/call.so", kit->build, lab->folder));
    bool built = ladder_file_exists(path);
    if (built && lab->problem->of_query) {
        TRY(ladder_path(path, err, "%s/labs/%s/query", kit->build, lab->folder));
        built = ladder_file_exists(path);
    }
    if (built) return KL_OK;
    return fail_unbuilt(path, "grade", lab, err);
}

kl_status ladder_kit_build_adapter(const ladder_kit *kit, const ladder_lab *lab, bool *out_failed,
                                   kl_error *err) {
    char adapter[96], query[96];
    *out_failed = false;
    if (!ladder_kit_is_ours(kit)) return require_adapter(kit, lab, err);
    const char *const targets[] = {adapter, query};
    snprintf(adapter, sizeof adapter, "%s_call", lab->problem->name);
    snprintf(query, sizeof query, "%s_query", lab->problem->name);
    return ladder_kit_build(kit, targets, lab->problem->of_query ? 2 : 1, out_failed, err);
}

kl_status ladder_kit_build_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                                ladder_kit_building *building, kl_error *err) {
    char target[96];
    const char *const targets[] = {lab->problem->name, target};
    if (!ladder_kit_is_ours(kit))
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "%s cannot be written, and your changes are compiled there: copy the kit "
                       "into a folder of your own",
                       kit->build);
    TRY(ladder_step_files_require(kit, lab, &step, 1, err));
    snprintf(target, sizeof target, "%s_skeleton_step_%d", lab->problem->name, step);
    return ladder_kit_build_until(kit, targets, 2, building, err);
}

kl_status ladder_kit_build_lab(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                               int count, bool solution, bool vendor, bool *out_failed,
                               kl_error *err) {
    enum { NAME_BYTES = 96 };
    char names[LADDER_TARGETS_MAX][NAME_BYTES];
    const char *targets[LADDER_TARGETS_MAX];
    const char *kind = solution ? "solution" : "skeleton";
    const char *lab_name = lab->problem->name;
    int used = 0;
    TRY(solution ? ladder_kit_require_solution(kit, lab, steps, count, err)
                 : ladder_step_files_require(kit, lab, steps, count, err));
    if (!ladder_kit_is_ours(kit)) { // what is built is used; it tells of steps that are not
        *out_failed = false;
        return require_program(kit, lab, err);
    }
    targets[used++] = lab_name;
    snprintf(names[used], NAME_BYTES, "%s_vendor", lab_name);
    char vendor_source[LADDER_PATH]; // labs without one have no such target
    TRY(ladder_path(vendor_source, err, "%s/labs/%s/vendor.cu", kit->source, lab->folder));
    if (vendor && ladder_file_exists(vendor_source)) {
        targets[used] = names[used];
        used++;
    }
    if (count == 0) {
        snprintf(names[used], NAME_BYTES, "%s_%s", lab_name, kind);
        targets[used] = names[used];
        used++;
    }
    for (int i = 0; i < count && used < LADDER_TARGETS_MAX; i++) {
        snprintf(names[used], NAME_BYTES, "%s_%s_step_%d", lab_name, kind, steps[i]);
        targets[used] = names[used];
        used++;
    }
    return ladder_kit_build(kit, targets, used, out_failed, err);
}

// A student's folder of steps.

// The step whose file has this name; NULL: none of the lab's.
static const kl_step_info *step_of(const kl_problem *problem, const char *name) {
    char own[KL_STEP_FILE];
    for (int i = 0; i < problem->step_count; i++) {
        const kl_step_info *step = &problem->steps[i];
        if (strcmp(kl_step_file(step, own), name) == 0) return step;
    }
    return NULL;
}

// A file of another name that looks like this step's: "2_grid (copy).cu", "2_grid.cu.txt",
// "grid.cu".
static bool resembles(const char *name, const kl_step_info *step) {
    char *end = NULL;
    if (!strstr(name, ".cu")) return false;
    long number = strtol(name, &end, 10);
    if (end != name) return number == step->number && !isalnum((unsigned char)*end);
    return strncmp(name, step->name, strlen(step->name)) == 0;
}

// The newest file in the folder that looks like the step's and is none of the lab's; "": none.
static void find_copy(const char *folder, const kl_problem *problem, const kl_step_info *step,
                      char *out_name, size_t name_bytes, time_t *out_saved) {
    char path[LADDER_PATH];
    struct stat info;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    out_name[0] = '\0';
    *out_saved = 0;
    while (dir && (entry = readdir(dir))) {
        const char *name = entry->d_name;
        if (!resembles(name, step) || step_of(problem, name)) continue;
        if (ladder_path(path, NULL, "%s/%s", folder, name) != KL_OK) continue;
        if (stat(path, &info) != 0 || info.st_mtime < *out_saved) continue;
        *out_saved = info.st_mtime;
        snprintf(out_name, name_bytes, "%s", name);
    }
    if (dir) closedir(dir);
}

static kl_status tell_missing(const ladder_kit *kit, const char *own, const char *copy,
                              kl_error *err) {
    char git[LADDER_PATH];
    bool tracked =
        ladder_path(git, NULL, "%s/.git", kit->source) == KL_OK && ladder_file_exists(git);
    if (copy[0] != '\0')
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is not there. \"%.100s\" beside it has another name than a step's file "
                       "must have: rename it",
                       own, copy);
    return kl_fail(err, KL_ERROR_INPUT, "%s is not there. %s%s", own,
                   tracked ? "As it was handed out: git checkout -- "
                           : "Copy it again from the kit "
                             "that you were given",
                   tracked ? own : "");
}

static void note(const char *text) {
    kl_style style = kl_style_for(stderr);
    kl_print_text(stderr, &style, 6, "note: %s", text);
}

static kl_status require(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                         kl_error *err) {
    char folder[LADDER_PATH], path[LADDER_PATH], own[192], copy[256], text[400];
    time_t saved = 0;
    struct stat info;
    snprintf(own, sizeof own, "labs/%.60s/steps/%d_%.80s.cu", lab->folder, step->number,
             step->name);
    TRY(ladder_path(folder, err, "%s/labs/%s/steps", kit->source, lab->folder));
    TRY(ladder_path(path, err, "%s/%s", kit->source, own));
    find_copy(folder, lab->problem, step, copy, sizeof copy, &saved);
    if (stat(path, &info) != 0) return tell_missing(kit, own, copy, err);
    if (copy[0] == '\0' || saved <= info.st_mtime) return KL_OK;
    snprintf(text, sizeof text, "\"%.100s\" was saved after %s, but only the latter is compiled",
             copy, own);
    note(text);
    return KL_OK;
}

kl_status ladder_step_files_require(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                                    int count, kl_error *err) {
    const kl_problem *problem = lab->problem;
    for (int i = 0; count == 0 && i < problem->step_count; i++) {
        kl_error missing = {KL_OK, ""};
        if (require(kit, lab, &problem->steps[i], &missing) != KL_OK) note(missing.text);
    }
    for (int i = 0; i < count; i++) {
        const kl_step_info *step = kl_problem_step(problem, steps[i]);
        if (step) TRY(require(kit, lab, step, err));
    }
    return KL_OK;
}
