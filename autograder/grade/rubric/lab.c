// Names of labs and steps: see rubric.h.
#include "grade/rubric/lab_files.h"
#include "grade/rubric/rubric.h"
#include <strings.h>

enum { WORD_BYTES = 64 };

// Copies a word without trailing slashes.
static void clean(const char *word, char out[WORD_BYTES]) {
    snprintf(out, WORD_BYTES, "%s", word);
    size_t length = strlen(out);
    while (length > 0 && out[length - 1] == '/') out[--length] = '\0';
}

const ladder_lab *ladder_lab_find(const char *word) {
    char name[WORD_BYTES];
    uint64_t number = 0;
    clean(word, name);
    bool is_number = ladder_parse_uint(name, 99, &number);
    for (int i = 0; i < ladder_lab_count; i++) {
        const ladder_lab *lab = &ladder_labs[i];
        bool same_number = is_number && (uint64_t)atoi(lab->folder) == number;
        if (same_number || strcasecmp(name, lab->folder) == 0 ||
            strcasecmp(name, lab->problem->name) == 0)
            return lab;
    }
    return NULL;
}

// The lab and the step of a file that is named in place of them,
// "labs/01_transpose/steps/1_naive.cu" or "1_naive.cu", which one lab alone has: NULL if it is
// none.
static const ladder_lab *lab_of_file(const char *word, const kl_step_info **out_step) {
    const ladder_lab *found = NULL;
    int labs = 0;
    const char *name = basename(word);
    for (int i = 0; i < ladder_lab_count; i++) {
        const kl_problem *problem = ladder_labs[i].problem;
        for (int k = 0; k < problem->step_count; k++) {
            char file[WORD_BYTES];
            snprintf(file, sizeof file, "%d_%s.cu", problem->steps[k].number,
                     problem->steps[k].name);
            if (strcmp(name, file) != 0) continue;
            if (name != word && !strstr(word, ladder_labs[i].folder)) continue;
            labs++;
            found = &ladder_labs[i];
            *out_step = &problem->steps[k];
        }
    }
    return labs == 1 ? found : NULL;
}

kl_status ladder_lab_require(const char *word, const ladder_lab **out_lab, kl_error *err) {
    *out_lab = ladder_lab_find(word);
    if (*out_lab) return KL_OK;
    char plain[WORD_BYTES];
    ladder_plain(word, false, plain, sizeof plain);
    const kl_step_info *step = NULL;
    const ladder_lab *of_file = lab_of_file(word, &step);
    if (of_file)
        return kl_fail(err, KL_ERROR_USAGE, "'%s' is a file; a lab and a step are asked for: %s %d",
                       plain, of_file->problem->name, step->number);
    if (ladder_file_exists(word))
        return kl_fail(err, KL_ERROR_USAGE,
                       "'%s' is no lab; check, profile, trace and debug take a program behind --, "
                       "which nvcc -cudart shared -lineinfo has made: ladder check -- ./a.out",
                       plain);
    const char *names[64];
    char list[256] = "";
    size_t count = 0, used = 0;
    for (int i = 0; i < ladder_lab_count && count < 64; i++) {
        names[count++] = ladder_labs[i].problem->name;
        int wrote = snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                             ladder_labs[i].folder);
        if (wrote > 0 && (size_t)wrote < sizeof list - used) used += (size_t)wrote;
    }
    const char *meant = ladder_suggest(plain, names, count);
    if (meant)
        return kl_fail(err, KL_ERROR_USAGE, "there is no lab '%s'; did you mean %s?", plain, meant);
    if (plain[0] == '\0')
        return kl_fail(err, KL_ERROR_USAGE, "expected a lab, not an empty text; the labs are: %s",
                       list);
    return kl_fail(err, KL_ERROR_USAGE, "there is no lab '%s'; the labs are: %s", plain, list);
}

// "0_one_block, 1_interleaved, .., 8_last_block".
static void steps_text(const kl_problem *problem, char *out, size_t out_bytes) {
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < problem->step_count && used < out_bytes; i++) {
        const kl_step_info *step = &problem->steps[i];
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%d_%s", i == 0 ? "" : ", ",
                                 step->number, step->name);
    }
}

kl_status ladder_lab_ask_step(const ladder_lab *lab, const char *ask, kl_error *err) {
    char steps[KL_ERROR_TEXT / 2];
    steps_text(lab->problem, steps, sizeof steps);
    return kl_fail(err, KL_ERROR_USAGE, "%s of %s? %s", ask, lab->problem->name, steps);
}

void ladder_step_title(const ladder_lab *lab, const kl_step_info *step, bool solution, char *out,
                       size_t out_bytes) {
    snprintf(out, out_bytes, "lab %s, step %d: %s%s", lab->folder, step->number, step->name,
             solution ? " (solution)" : "");
}

kl_status ladder_lab_require_step(const ladder_lab *lab, const char *word,
                                  const kl_step_info **out_step, kl_error *err) {
    const kl_problem *problem = lab->problem;
    char plain[WORD_BYTES];
    ladder_plain(word, false, plain, sizeof plain);
    const char *names[64];
    size_t count = 0;
    for (int i = 0; i < problem->step_count && count < 64; i++) {
        const kl_step_info *step = &problem->steps[i];
        char number[16], file[KL_STEP_FILE];
        snprintf(number, sizeof number, "%d", step->number);
        bool is_file = strcmp(plain, kl_step_file(step, file)) == 0;
        file[strlen(file) - 3] = '\0'; // without ".cu"
        if (is_file || strcmp(plain, file) == 0 || strcmp(plain, number) == 0 ||
            strcmp(plain, step->name) == 0) {
            *out_step = step;
            return KL_OK;
        }
        names[count++] = step->name;
    }
    ladder_kit kit;
    char stem[LADDER_PATH];
    if (ladder_kit_find(&kit, NULL) == KL_OK && ladder_bug_find(&kit, lab, plain, stem))
        return kl_fail(err, KL_ERROR_USAGE,
                       "%s is a bug hunt of lab %s and no step: ./ladder check %s %s runs it and "
                       "says what it finds, ./ladder debug goes through it",
                       plain, problem->name, problem->name, plain);
    const char *meant = ladder_suggest(plain, names, count);
    char got[WORD_BYTES + 16];
    kl_quoted(plain, got, sizeof got);
    if (meant)
        return kl_fail(err, KL_ERROR_USAGE, "lab %s has no step %s; did you mean %s?",
                       problem->name, got, meant);
    char steps[KL_ERROR_TEXT / 2];
    steps_text(problem, steps, sizeof steps);
    return kl_fail(err, KL_ERROR_USAGE, "lab %s has no step %s; its steps: %s", problem->name, got,
                   steps);
}
