// SPDX-License-Identifier: MIT
// What a run says of each step in one sentence, kept for `ladder next` (last_results.h).
#include <stdlib.h>
#include <string.h>

#include "ladder.h"
#include "last_results.h"
#include "step_text.h"

// "case sum-exact, 1000 elements: d_result[0] is 12, expected 13. Hint".
static void describe_wrong(const kl_ladder *ladder, const kl_ladder_step *step,
                           kl_last_result *out) {
    char title[128], wrong[160];
    if (step->bad_case < 0) {
        snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof out->text - 1, step->text);
        return;
    }
    const kl_case_result *c = &step->cases[step->bad_case];
    const kl_case *shape = &ladder->plan->cases[step->bad_case].data.shape;
    const char *hint = c->verdict.hint;
    kl_case_title(ladder->problem, shape, title, sizeof title);
    if (c->state == LADDER_WRONG_ANSWER) {
        kl_ladder_wrong_text(ladder, step, wrong, sizeof wrong);
        snprintf(out->text, sizeof out->text, "case %s: %s%s%s", title, wrong,
                 hint[0] != '\0' ? ". " : "", hint);
    } else {
        snprintf(out->text, sizeof out->text, "case %s: %.350s", title, step->text);
    }
}

static kl_last_result result_of_check(const kl_side_check *check, uint64_t hash) {
    kl_last_result result = {.kind = KL_RESULT_OF_CHECK,
                             .step = check->step,
                             .hash = hash,
                             .good = check->findings == 0};
    snprintf(result.state, sizeof result.state, "%.*s", (int)strcspn(check->text, " "),
             result.good ? "clean" : check->text);
    snprintf(result.text, sizeof result.text, "%s", result.good ? "" : check->text);
    return result;
}

// Of all steps: their number.
static int take_results(const kl_ladder *ladder, bool whole, kl_last_result *out) {
    char source[KL_LADDER_PATH];
    int count = 0;
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        kl_last_result result = {.kind = KL_RESULT_OF_RUN,
                                 .step = step->number,
                                 .good = step->state == LADDER_CORRECT,
                                 .whole = whole};
        if (step->state == LADDER_NOT_RUN || step->state == LADDER_NOT_IMPLEMENTED ||
            step->state == LADDER_LEFT_OUT ||
            !kl_step_source(ladder->step_folder, step->number, source, sizeof source))
            continue;
        result.hash = kl_step_file_hash(source);
        snprintf(result.state, sizeof result.state, "%s", ladder_outcome_word(step->state));
        if (!result.good) describe_wrong(ladder, step, &result);
        out[count++] = result;
        const kl_side_check *check = kl_side_check_of(&ladder->checks, step->number);
        if (check && check->findings >= 0) out[count++] = result_of_check(check, result.hash);
    }
    return count;
}

kl_status kl_ladder_keep_last(const kl_ladder *ladder, bool whole, kl_error *err) {
    char file[KL_LADDER_PATH + sizeof KL_LAST_RESULTS_FILE];
    const char *slash = strrchr(ladder->past_file, '/');
    if (ladder->solution || !slash) return KL_OK;
    snprintf(file, sizeof file, "%.*s/%s", (int)(slash - ladder->past_file), ladder->past_file,
             KL_LAST_RESULTS_FILE);
    kl_last_result *results = calloc(2 * KL_MAX_STEPS, sizeof *results);
    if (!results) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the last results");
    int count = take_results(ladder, whole, results);
    kl_status status = count > 0 ? kl_last_results_keep(file, results, count, err) : KL_OK;
    free(results);
    return status;
}
