// Results to export: see sample.h.
#include "sample.h"

#include "suite.h"

// Ends of elements, of CDATA and of strings, controls, a formula, malformed and forbidden
// characters.
static const char hostile[] = "=1]]></failure><script>alert(1)</script>\033]0;x\a\"'&\\\xff\xc0\xaf"
                              "\xef\xbf\xbe\xef\xbf\xbf\xe2\x80\xae\x01 a:b \n\r\t\xf4\x90\x80\x80";

static void fill(char *text, size_t bytes) {
    size_t used = 0, length = sizeof hostile - 1;
    while (used + length < bytes) {
        memcpy(text + used, hostile, length);
        used += length;
    }
    text[used] = '\0';
}

static void spoil(ladder_result *r) {
    fill(r->title, sizeof r->title);
    r->note_count = LADDER_NOTES_MAX;
    for (int i = 0; i < LADDER_NOTES_MAX; i++) fill(r->notes[i], sizeof r->notes[i]);
    for (int s = 0; s < r->step_count; s++) {
        ladder_step_result *step = &r->steps[s];
        step->outcome = LADDER_WRONG_ANSWER;
        step->cases_total = step->failure_count = 1000;
        step->cases_run = 1;
        for (int c = 0; c < step->criteria_count; c++) step->criteria[c].points = 0;
        fill(step->message, sizeof step->message);
        fill(step->log, sizeof step->log);
        for (int i = 0; i < LADDER_FAILURES_MAX; i++) {
            fill(step->failures[i].title, sizeof step->failures[i].title);
            fill(step->failures[i].text, sizeof step->failures[i].text);
        }
    }
}

static ladder_criterion_result criterion(const ladder_criterion *c, double share) {
    ladder_criterion_result out = {.measured = true,
                                   .counted = true,
                                   .value = c->full,
                                   .modelled = (double)NAN,
                                   .points = c->points * share,
                                   .points_max = c->points};
    for (int i = 0; i < c->with_count; i++) out.with[i] = c->with[i].full;
    return out;
}

ladder_result *sample_result(sample_kind kind) {
    static const double shares[] = {1, 0, 1.0 / 3, 0.005, 2.0 / 3};
    const ladder_lab *lab = ladder_lab_find("reduction");
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    snprintf(r->id, sizeof r->id, "ann");
    snprintf(r->title, sizeof r->title, "Ann Lee");
    snprintf(r->hash, sizeof r->hash, "0123");
    r->wall_s = 12.3;
    r->step_count = lab->rubric->step_count;
    for (int s = 0; s < r->step_count; s++) {
        ladder_step_result *step = &r->steps[s];
        step->step = lab->rubric->steps[s].step;
        step->criteria_count = lab->rubric->steps[s].criteria_count;
        step->outcome = kind == SAMPLE_EMPTY                 ? LADDER_NOT_SUBMITTED
                        : kind == SAMPLE_MIXED && s % 3 == 1 ? LADDER_WRONG_ANSWER
                                                             : LADDER_CORRECT;
        for (int c = 0; c < step->criteria_count; c++) {
            double share = kind == SAMPLE_EMPTY || step->outcome != LADDER_CORRECT ? 0
                           : kind == SAMPLE_MIXED ? shares[(s + 2 * c) % 5]
                                                  : 1;
            step->criteria[c] = criterion(&lab->rubric->steps[s].criteria[c], share);
        }
    }
    if (kind == SAMPLE_MIXED) r->steps[r->step_count - 1].criteria[1].counted = false;
    if (kind == SAMPLE_UNGRADABLE) {
        r->steps[2].outcome = LADDER_UNGRADABLE;
        snprintf(r->steps[2].message, sizeof r->steps[2].message, "no memory on this machine");
    }
    if (kind == SAMPLE_HOSTILE) spoil(r);
    ladder_result_total(r);
    return kl_own(r);
}

ladder_report sample_report(const ladder_result *result) {
    return (ladder_report){.lab = ladder_lab_find("reduction"),
                           .result = result,
                           .device = "simulated NVIDIA H100",
                           .sandbox = "isolated",
                           .sandbox_text = ""};
}

char *sample_export(ladder_export_format format, const ladder_result *result) {
    kl_error err = {KL_OK, ""};
    char *text = NULL;
    size_t bytes = 0;
    ladder_report report = sample_report(result);
    FILE *out = open_memstream(&text, &bytes);
    ck_assert_ptr_nonnull(out);
    kl_status status = ladder_export_write(format, &report, out, &err);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return kl_own(text);
}
