// Sources of attacks, graded as `ladder grade` grades a class: see attacks.h.
#include <dirent.h>

#include "tests/support/edit.h"
#include "attacks.h"

// Many times what honest work takes: no machine is so slow.
static const double build_limit_s = 120, case_limit_s = 60;
enum { INSTRUCTIONS = 4000000, MEMORY = 512 << 20, LABS_MAX = 8, SEED = 20252 };

const char attack_secret[] = "k7-the-secret-of-the-judge-k7";

typedef struct set_up {
    const ladder_lab *of;
    bool whole;
    int drawn; // which defences drew the cases
    ladder_rubric rubric;
    ladder_lab lab;
    ladder_cases cases;
    ladder_grade_plan plan;
} set_up;

// The rubric with the first criterion of each step, correctness.
static kl_status take_rubric(set_up *s, kl_error *err) {
    s->rubric = *s->of->rubric;
    s->lab = *s->of;
    s->lab.rubric = &s->rubric;
    if (s->whole) return KL_OK;
    ladder_rubric_step *steps = calloc((size_t)s->rubric.step_count, sizeof *steps);
    if (!steps) return kl_fail(err, KL_ERROR_MEMORY, "no memory");
    for (int i = 0; i < s->rubric.step_count; i++) {
        steps[i] = s->rubric.steps[i];
        steps[i].criteria_count = 1;
        if (steps[i].criteria[0].kind != LADDER_CRITERION_CORRECT)
            return kl_fail(err, KL_ERROR_INPUT, "a rubric that does not begin with correctness");
    }
    s->rubric.steps = steps;
    return KL_OK;
}

const ladder_grade_plan *attack_plan(const ladder_kit *kit, const char *lab, bool whole,
                                     kl_error *err) {
    static set_up known[LABS_MAX];
    static int count;
    const ladder_lab *of = ladder_lab_find(lab);
    int drawn = ladder_defence_on(LADDER_DEFENCE_RANDOM_SIZES) +
                2 * ladder_defence_on(LADDER_DEFENCE_RANDOM_ORDER);
    for (int i = 0; i < count; i++)
        if (known[i].of == of && known[i].whole == whole && known[i].drawn == drawn)
            return &known[i].plan;
    if (!of || count == LABS_MAX) {
        kl_fail(err, KL_ERROR_INPUT, "no lab %s", lab);
        return NULL;
    }
    set_up *s = &known[count];
    *s = (set_up){.of = of, .whole = whole, .drawn = drawn};
    if (take_rubric(s, err) != KL_OK ||
        ladder_cases_make(&s->lab, SEED, true, &s->cases, err) != KL_OK)
        return NULL;
    s->plan = (ladder_grade_plan){.kit = kit,
                                  .lab = &s->lab,
                                  .cases = &s->cases,
                                  .first_failure = true,
                                  .build_s = build_limit_s,
                                  .case_s = case_limit_s,
                                  .instructions = INSTRUCTIONS,
                                  .memory_bytes = MEMORY,
                                  .threads = 1};
    count++;
    return &s->plan;
}

kl_status attack_grade(const attack_setup *setup, const ladder_grade_plan *plan, const char *file,
                       double limit_s, bool of_compiler, attack_end *out_end, kl_error *err) {
    char output[LADDER_PATH], private_folder[LADDER_PATH], compiled[LADDER_PATH];
    ladder_step_cache cache;
    ladder_grade_plan own = *plan;
    ladder_submission submission = {.is_file = true, .id = "attack", .title = "attack"};
    double start = kl_now_s();
    *out_end = (attack_end){.finished = false};
    if (limit_s > 0) *(of_compiler ? &own.build_s : &own.case_s) = limit_s;
    TRY(ladder_path(output, err, "%s/results", setup->work));
    TRY(ladder_path(private_folder, err, "%s/private", setup->work));
    TRY(ladder_path(compiled, err, "%s/../compiled", setup->work));
    TRY(ladder_path(submission.path, err, "%s", file));
    TRY(ladder_folder_make(output, err));
    TRY(ladder_folder_make(private_folder, err));
    TRY(ladder_step_cache_open(compiled, false, &cache, err));
    own.compiled = &cache;
    ladder_class class = {.plan = &own,
                          .submissions = &submission,
                          .count = 1,
                          .output = output,
                          .work = private_folder,
                          .device = "simulated",
                          .jobs = 1};
    kl_status status = ladder_class_run(&class, &out_end->row, err);
    ladder_folder_remove(private_folder); // as `ladder grade` does
    if (status != KL_OK) return status;
    out_end->finished = out_end->row.done;
    out_end->wall_s = kl_now_s() - start;
    return KL_OK;
}

void attack_secret_path(const attack_setup *setup, char out[LADDER_PATH]) {
    ladder_path(out, NULL, "%s/../secret/answers.txt", setup->work);
}

void attack_drop_path(const attack_setup *setup, char out[LADDER_PATH]) {
    ladder_path(out, NULL, "%s/../drop/taken", setup->work);
}

// The text with every `mark` replaced. Frees `text`.
static char *put_in(char *text, const char *mark, const char *value) {
    char *made = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&made, &bytes);
    const char *at = text;
    for (const char *found; out && (found = strstr(at, mark)); at = found + strlen(mark))
        fprintf(out, "%.*s%s", (int)(found - at), at, value);
    if (!out) return text;
    fputs(at, out);
    fclose(out);
    free(text);
    return made;
}

static const ladder_rubric_step *step_of(const attack *a, const ladder_lab **out_lab,
                                         kl_error *err) {
    const ladder_lab *lab = ladder_lab_find(a->lab);
    const ladder_rubric_step *step = lab ? ladder_rubric_find(lab->rubric, a->step) : NULL;
    if (!step) kl_fail(err, KL_ERROR_INPUT, "there is no step %d in %s", a->step, a->lab);
    *out_lab = lab;
    return step;
}

const char *attack_step_file(const attack *a, kl_error *err) {
    const ladder_lab *lab = NULL;
    const ladder_rubric_step *step = step_of(a, &lab, err);
    return step ? step->file : NULL;
}

// Makes of a solution's step what the attack's edit says.
static kl_status edit_source(const attack *a, char **text, kl_error *err) {
    edit_list edits;
    const edit *edit = NULL;
    char *made = NULL;
    kl_status status = edits_read(a->path, &edits, err);
    if (status == KL_OK) status = edits_find(&edits, a->name, &edit, err);
    if (status == KL_OK) status = edit_apply(edit, *text, &made, err);
    edits_free(&edits);
    if (status != KL_OK) return status;
    free(*text);
    *text = made;
    return KL_OK;
}

char *attack_source(const attack *a, const attack_setup *setup, kl_error *err) {
    enum { SOURCE_MAX = 1 << 20 };
    char path[LADDER_PATH], *text = NULL;
    const ladder_lab *lab = NULL;
    const ladder_rubric_step *step = step_of(a, &lab, err);
    if (!step || ladder_path(path, err, "%s/%s/%s/steps/%s", setup->kit->source,
                             step->given ? "labs" : "solutions", lab->folder, step->file) != KL_OK)
        return NULL;
    if (ladder_file_read(AT_FDCWD, path, SOURCE_MAX, &text, NULL, err) != KL_OK ||
        edit_source(a, &text, err) != KL_OK) {
        free(text);
        return NULL;
    }
    attack_secret_path(setup, path);
    text = put_in(text, "@SECRET@", path);
    attack_drop_path(setup, path);
    text = put_in(text, "@DROP@", path);
    text = put_in(text, "@BUILD@", setup->kit->build);
    return put_in(text, "@KIT@", setup->kit->source);
}

bool attack_folder_holds(const char *folder, const char *text) {
    bool found = false;
    DIR *entries = opendir(folder);
    const struct dirent *item;
    while (entries && !found && (item = readdir(entries))) {
        char path[LADDER_PATH], *file = NULL;
        size_t bytes = 0;
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0 ||
            ladder_path(path, NULL, "%s/%s", folder, item->d_name) != KL_OK)
            continue;
        struct stat info;
        if (lstat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) found = attack_folder_holds(path, text);
        else if (S_ISREG(info.st_mode) &&
                 ladder_file_read(AT_FDCWD, path, 64 << 20, &file, &bytes, NULL) == KL_OK)
            found = memmem(file, bytes, text, strlen(text));
        free(file);
    }
    if (entries) closedir(entries);
    return found;
}

int attack_folder_entries(const char *folder) {
    int count = 0;
    DIR *entries = opendir(folder);
    const struct dirent *item;
    while (entries && (item = readdir(entries)))
        count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    if (entries) closedir(entries);
    return count;
}
