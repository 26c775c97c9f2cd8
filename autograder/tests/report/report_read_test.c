// SPDX-License-Identifier: MIT
// A result that is written and read again is the same; a file that is none, or of another rubric,
// is refused, and no edited one does harm.
#include "show/report/report.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "utilities/kit.h"
#include "utilities/files.h"
#include "ladder_config.h"
#include "suite.h"

static kl_error err;
static char folder[LADDER_PATH], path[LADDER_PATH];

static void fill_step(ladder_step_result *s, const ladder_rubric_step *rubric, int i) {
    s->step = rubric->step;
    s->outcome = (ladder_outcome)(i % LADDER_OUTCOMES);
    snprintf(s->message, sizeof s->message, "message \"%d\"\n<x>", i);
    snprintf(s->log, sizeof s->log, "log %d", i);
    s->forgotten = i == 1;
    s->cases_total = 17, s->cases_run = 12 + i % 2, s->cases_right = i;
    s->points = 1.25 * i, s->points_max = 12;
    s->build_s = 0.5, s->run_s = 1.5;
    s->cases_s = 5, s->check_s = 6, s->criteria_s = 7, s->alone_s = 3;
    s->failure_count = i == 3 ? LADDER_FAILURES_MAX + 5 : i % 3;
    for (int k = 0; k < s->failure_count && k < LADDER_FAILURES_MAX; k++) {
        ladder_failure *f = &s->failures[k];
        *f = (ladder_failure){.outcome = LADDER_WRONG_ANSWER, .compared = k % 2 == 0};
        snprintf(f->title, sizeof f->title, "sum-exact, %d elements", k);
        snprintf(f->text, sizeof f->text, "result[%d]: expected", k);
        if (!f->compared) continue;
        snprintf(f->output, sizeof f->output, "result");
        snprintf(f->seen, sizeof f->seen, "NaN");
        f->first_wrong = 4000000000u + (unsigned)k;
        f->expected = -12.5, f->got = k == 0 ? (double)NAN : 3, f->bound = 0.25;
    }
    s->check.cases = 2, s->check.wanted = 3;
    s->check.finding_count = i % 2;
    s->check.findings[0].kind = "race";
    snprintf(s->check.findings[0].place, sizeof s->check.findings[0].place, "x.cu:3 and :4");
    s->criteria_count = rubric->criteria_count;
    for (int c = 0; c < s->criteria_count; c++) {
        const ladder_criterion *criterion = &rubric->criteria[c];
        bool speed = criterion->kind == LADDER_CRITERION_SPEED;
        bool modelled = ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
        bool timed = i % 2 == 0;
        s->criteria[c] = (ladder_criterion_result){.measured = true,
                                                   .line = 31,
                                                   .counted = c != 2,
                                                   .closed = speed && i == 3,
                                                   .value = 1.5 + c,
                                                   .low = 1.25,
                                                   .high = 1.75,
                                                   .full = timed ? 2 : NAN,
                                                   .zero = timed ? 1 : NAN,
                                                   .calibrated = timed,
                                                   .doubt = timed,
                                                   .pairs = 11,
                                                   .call_us = 123.5,
                                                   .same_low = 0.99,
                                                   .same_high = 1.01,
                                                   .seconds = 20,
                                                   .before_s = 2,
                                                   .alone_s = 3,
                                                   .after_s = 4,
                                                   .with = {1, 2, 3},
                                                   .modelled = !modelled ? (double)NAN
                                                               : timed   ? 3
                                                                         : 1.5 + c,
                                                   .modelled_points = 1,
                                                   .points = c,
                                                   .points_max = 3};
    }
    s->call_count = 2;
    for (int k = 0; k < 2; k++)
        s->calls[k] = (ladder_call){.family = "sum-exact",
                                    .size = 1 << (20 + k),
                                    .launches = 2,
                                    .time_us = 20.5,
                                    .busy_us = 18,
                                    .bytes = 4e6,
                                    .fma = 1e5,
                                    .fma_pipe = 2e5,
                                    .instructions = 3e6};
    s->prediction_count = 1;
    s->predictions[0] = (ladder_prediction){.name = "blocks", .predicted = 8, .counted = 16};
}

static ladder_result *make_result(const ladder_lab *lab) {
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    snprintf(r->id, sizeof r->id, "ann");
    snprintf(r->title, sizeof r->title, "Ann <Lee>");
    snprintf(r->user, sizeof r->user, "4711");
    snprintf(r->members, sizeof r->members, "Ann <Lee>\t4711\tann@x.edu\nBo Roe\n");
    snprintf(r->hash, sizeof r->hash, "0123abcd");
    r->seed = UINT64_MAX;
    r->wall_s = 12.5;
    r->points.graded = true, r->points.reached = 41.25, r->points.most = 100;
    r->points.change = (ladder_points_change){
        .late_days = 2, .late_share = 0.2, .overridden = lab != &ladder_labs[0], .override = 12.5};
    if (!r->points.change.overridden) r->points.change.override = 0;
    if (r->points.change.overridden) r->points.change.due_s = 1795219140;
    ladder_result_note(r, "not used: %s", "notes.txt");
    r->step_count = lab->rubric->step_count;
    for (int i = 0; i < r->step_count; i++) fill_step(&r->steps[i], &lab->rubric->steps[i], i);
    return r;
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    return ladder_report_json(context, out, err);
}

static char *write_report(const ladder_report *report) {
    char *text = NULL;
    ck_assert_int_eq(kl_file_put(path, write_json, (void *)report, &err), KL_OK);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 64 << 20, &text, NULL, &err), KL_OK);
    return text;
}

static void set_up(void) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(path, &err, "%s/result.json", folder), KL_OK);
}

static void tear_down(void) {
    ladder_folder_remove(folder);
}

static void check_same(const ladder_lab *lab) {
    ladder_result *result = make_result(lab);
    ladder_report report = {.lab = lab,
                            .result = result,
                            .device = "simulated H100",
                            .sandbox = "isolated",
                            .sandbox_text = "all of it"};
    ladder_graded graded;
    char *first = write_report(&report);
    ck_assert_msg(ladder_graded_read(path, &graded, &err) == KL_OK, "%s", err.text);
    ck_assert_ptr_eq(graded.lab, lab);
    ladder_report again = ladder_graded_report(&graded);
    char *second = write_report(&again);
    size_t at = 0;
    while (first[at] != '\0' && first[at] == second[at]) at++;
    ck_assert_msg(first[at] == second[at], "%s: '%.60s' became '%.60s'", lab->folder, first + at,
                  second + at);
    free(first);
    free(second);
    free(result);
    ladder_graded_free(&graded);
}

START_TEST(what_is_written_is_read) {
    if (!LADDER_HAVE_JANSSON) return;
    set_up();
    for (int l = 0; l < ladder_lab_count; l++) check_same(&ladder_labs[l]);
    tear_down();
}
END_TEST

static void expect_refused(const char *text, const char *says) {
    ladder_graded graded;
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
    err.text[0] = '\0';
    ck_assert_int_ne(ladder_graded_read(path, &graded, &err), KL_OK);
    ck_assert_ptr_null(graded.result);
    ck_assert_msg(strstr(err.text, LADDER_HAVE_JANSSON ? says : "libjansson-dev"), "%s", err.text);
}

START_TEST(other_files_are_refused) {
    set_up();
    expect_refused("", "result.json:");
    expect_refused("[]", "not a result of ladder grade");
    expect_refused("{\"schema\": \"ladder.grade/2\"}", "not a result of ladder grade");
    expect_refused("{\"schema\": \"ladder.grade/1\", \"lab\": \"none\"}", "of a lab");
    expect_refused("{\"schema\": \"ladder.grade/1\", \"lab\": \"reduction\", \"steps\": []}",
                   "another rubric");
    expect_refused("{\"schema\": \"ladder.grade/1\", \"lab\": \"reduction\", \"steps\": "
                   "[1,2,3,4,5,6,7,8,9]}",
                   "another rubric");
    tear_down();
}
END_TEST

KL_TEST_MAIN("report_read", what_is_written_is_read, other_files_are_refused)
