// Bug hunts of a lab: see extras.h.
#include "learn/extras/extras.h"
#include "sandbox/process/kit_build.h"
#include <dirent.h>

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

kl_status ladder_bug_build(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                           bool solution, char *out_program, kl_error *err) {
    char target[LADDER_PATH];
    const char *targets[] = {target};
    bool failed = false;
    char file[LADDER_PATH];
    TRY(ladder_path(file, err, "bugs/%s.cu", stem));
    if (solution) TRY(ladder_kit_require_solution_file(kit, lab, file, err));
    TRY(ladder_path(target, err, "%s_%s_bug_%s", lab->problem->name,
                    solution ? "solution" : "skeleton", stem));
    TRY(ladder_path(out_program, err, "%s/labs/%s/bugs/%s%s", kit->build, lab->folder,
                    solution ? "solution/" : "", stem));
    TRY(ladder_kit_build(kit, targets, 1, &failed, err));
    if (!failed) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s.cu does not compile", stem);
}
