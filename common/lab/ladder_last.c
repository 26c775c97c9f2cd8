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
    char title[128], got[64], expected[64];
    if (step->bad_case < 0) {
        snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof out->text - 1, step->text);
        return;
    }
    const kl_case_result *c = &step->cases[step->bad_case];
    const kl_case *shape = &ladder->plan->cases[step->bad_case].data.shape;
    const kl_verdict *v = &c->verdict;
    kl_case_title(ladder->problem, shape, title, sizeof title);
    if (c->state == KL_RUN_WRONG)
        snprintf(out->text, sizeof out->text, "case %s: %s[%llu] is %s, expected %s%s%s", title,
                 shape->outputs[v->output].name, (unsigned long long)v->first_wrong,
                 kl_value_text(v->got, got, sizeof got),
                 kl_value_text(v->expected, expected, sizeof expected),
                 v->hint[0] != '\0' ? ". " : "", v->hint);
    else
        snprintf(out->text, sizeof out->text, "case %s: %.350s", title, step->text);
}

static kl_status keep_check(const char *file, const kl_side_check *check, uint64_t hash,
                            kl_error *err) {
    kl_last_result result = {.kind = KL_RESULT_OF_CHECK,
                             .step = check->step,
                             .hash = hash,
                             .good = check->findings == 0};
    if (check->findings < 0) return KL_OK; // nothing was checked
    snprintf(result.state, sizeof result.state, "%.*s", (int)strcspn(check->text, " "),
             result.good ? "clean" : check->text);
    snprintf(result.text, sizeof result.text, "%s", result.good ? "" : check->text);
    return kl_last_result_keep(file, &result, err);
}

kl_status kl_ladder_keep_last(const kl_ladder *ladder, bool whole, kl_error *err) {
    char file[KL_LADDER_PATH + sizeof KL_LAST_RESULTS_FILE], source[KL_LADDER_PATH];
    const char *slash = strrchr(ladder->past_file, '/');
    if (ladder->solution || !slash) return KL_OK;
    snprintf(file, sizeof file, "%.*s/%s", (int)(slash - ladder->past_file), ladder->past_file,
             KL_LAST_RESULTS_FILE);
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        kl_last_result result = {.kind = KL_RESULT_OF_RUN,
                                 .step = step->number,
                                 .good = step->state == KL_RUN_OK,
                                 .whole = whole};
        if (step->state == KL_RUN_NONE || step->state == KL_RUN_NOT_IMPLEMENTED ||
            !kl_step_source(ladder->step_folder, step->number, source, sizeof source))
            continue;
        result.hash = kl_step_file_hash(source);
        snprintf(result.state, sizeof result.state, "%s", kl_run_state_text(step->state));
        if (!result.good) describe_wrong(ladder, step, &result);
        TRY(kl_last_result_keep(file, &result, err));
        const kl_side_check *check = kl_side_check_of(&ladder->checks, step->number);
        if (check) TRY(keep_check(file, check, result.hash, err));
    }
    return KL_OK;
}
