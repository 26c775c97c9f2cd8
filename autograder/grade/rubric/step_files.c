// A student's folder of steps: see lab_files.h.
#include "grade/rubric/lab_files.h"
#include "table.h"
#include <dirent.h>

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
    char line[KL_ERROR_TEXT + 8];
    kl_style style = kl_style_for(stderr);
    snprintf(line, sizeof line, "note: %s", text);
    kl_print_wrapped(stderr, &style, 6, line);
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
