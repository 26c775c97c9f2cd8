// SPDX-License-Identifier: MIT
// The simulator's checker in a graded step: a finding in all three reports, with its case and the
// command that repeats it; a check that cannot run, which no report passes over; a file that was
// changed and still says that it is not implemented. Runs nvcc, a runner and engines.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "edit.h"
#include "judge/grade.h"
#include "report/report.h"
#include "suite.h"

enum { SEED = 20251 };

static kl_error err;

static void must(kl_status status) {
    ck_assert_msg(status == KL_OK, "%s", err.text);
}

static char *read_file(const char *relative) {
    char path[LADDER_PATH], *text = NULL;
    must(ladder_path(path, &err, "%s/%s", TEST_SOURCE_DIR, relative));
    must(ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &text, NULL, &err));
    return text;
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[LADDER_PATH];
    must(ladder_path(path, &err, "%s/%s", folder, name));
    must(ladder_file_write(path, text, strlen(text), &err));
}

static void link_to(const char *folder, const char *name) {
    char target[LADDER_PATH], path[LADDER_PATH];
    must(ladder_path(target, &err, "%s/%s", TEST_BUILD_DIR, name));
    must(ladder_path(path, &err, "%s/%s", folder, name));
    ck_assert_int_eq(symlink(target, path), 0);
}

// A kit whose engine ends at once when it is to check; folder: [LADDER_PATH].
static void make_broken_kit(ladder_kit *kit, char *folder) {
    char path[LADDER_PATH], script[LADDER_PATH + 128];
    must(ladder_folder_temporary(folder, &err));
    must(ladder_path(path, &err, "%s/common/simulator", folder));
    must(ladder_folder_make(path, &err));
    must(ladder_path(path, &err, "%s/autograder", folder));
    must(ladder_folder_make(path, &err));
    link_to(folder, "labs");
    link_to(folder, "autograder/ladder-runner");
    link_to(folder, "common/simulator/libcudart.so.13");
    snprintf(script, sizeof script,
             "#!/bin/sh\ncase \"$*\" in *check*) exit 3;; esac\n"
             "exec %s/common/simulator/ladder-engine \"$@\"\n",
             TEST_BUILD_DIR);
    write_file(folder, "common/simulator/ladder-engine", script);
    must(ladder_path(path, &err, "%s/common/simulator/ladder-engine", folder));
    ck_assert_int_eq(chmod(path, 0755), 0);
    must(ladder_path(kit->build, &err, "%s", folder));
}

// Grades one file of lab 02 on its quick cases.
static ladder_result *grade(const char *file, const char *text, bool broken_engine) {
    char folder[LADDER_PATH], broken[LADDER_PATH] = "";
    ladder_kit kit;
    const ladder_lab *lab = ladder_lab_find("reduction");
    must(ladder_path(kit.source, &err, "%s", TEST_SOURCE_DIR));
    must(ladder_path(kit.build, &err, "%s", TEST_BUILD_DIR));
    if (broken_engine) make_broken_kit(&kit, broken);
    must(ladder_folder_temporary(folder, &err));
    write_file(folder, file, text);
    ladder_cases cases;
    must(ladder_cases_make(lab, SEED, true, &cases, &err));
    const ladder_judge judge = {.kit = &kit,
                                .lab = lab,
                                .cases = &cases,
                                .build_s = 120,
                                .case_s = 60,
                                .instructions = 100000000,
                                .memory_bytes = UINT64_C(4) << 30,
                                .threads = 1};
    ladder_submission submission = {.id = "ann", .title = "ann"};
    must(ladder_path(submission.path, &err, "%s", folder));
    const ladder_grade_job job = {.judge = &judge, .submission = &submission};
    ladder_result *result = calloc(1, sizeof *result);
    ck_assert_ptr_nonnull(result);
    ladder_grade_submission(&job, result);
    ladder_cases_free(&cases);
    ladder_folder_remove(folder);
    if (broken_engine) ladder_folder_remove(broken);
    return result;
}

typedef enum report_form { TEXT, HTML, JSON, FORMS } report_form;

static char *render(report_form form, const ladder_result *result) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    const ladder_report report = {.lab = ladder_lab_find("reduction"),
                                  .result = result,
                                  .device = "simulated H100",
                                  .sandbox = "limits",
                                  .sandbox_text = ""};
    const kl_style style = {.width = 80};
    if (form == TEXT) ladder_report_text(&report, &style, out);
    if (form == HTML) ladder_report_html(&report, out);
    if (form == JSON) must(ladder_report_json(&report, out, &err));
    fclose(out);
    return text;
}

// A report with its white space made equal, as lines are wrapped.
static void expect_said(const ladder_result *result, report_form form, const char *part) {
    char *text = render(form, result), *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        char c = *from == '\n' ? ' ' : *from;
        if (c != ' ' || to == text || to[-1] != ' ') *to++ = c;
    }
    *to = '\0';
    ck_assert_msg(strstr(text, part) != NULL, "form %d does not say '%s':\n%s", form, part, text);
    free(text);
}

START_TEST(a_finding_stands_in_all_reports) {
    char *edit = read_file("autograder/tests/wrong/02_reduction/4_barrier_in_if.edit");
    char *step = read_file("solutions/02_reduction/steps/4_first_add.cu"), *wrong = NULL;
    must(edit_apply(edit, step, &wrong, &err));
    ladder_result *r = grade("4_first_add.cu", wrong, false);
    const ladder_step_result *s = &r->steps[4];
    ck_assert_msg(s->outcome == LADDER_FINDING, "%s: %s", ladder_outcome_word(s->outcome),
                  s->message);
    ck_assert(s->points == 0 && s->check.finding_count > 0 && s->check.failed[0] == '\0');
    for (report_form form = TEXT; form < FORMS; form++) {
        expect_said(r, form, "unsafe code");
        expect_said(r, form, "divergent-barrier: ");
        expect_said(r, form, "__syncthreads();"); // the line itself
        expect_said(r, form, s->failures[0].title);
        expect_said(r, form, "ladder check reduction 4 --case ");
    }
    expect_said(r, JSON, "\"class\": \"divergent-barrier\"");
    expect_said(r, JSON, "\"place\": \"4_first_add.cu:");
    free(r);
    free(wrong);
    free(step);
    free(edit);
}
END_TEST

START_TEST(a_check_that_fails_is_told) {
    char *step = read_file("solutions/02_reduction/steps/4_first_add.cu");
    ladder_result *r = grade("4_first_add.cu", step, true);
    const ladder_step_result *s = &r->steps[4];
    ck_assert_msg(s->outcome == LADDER_CORRECT, "%s: %s", ladder_outcome_word(s->outcome),
                  s->message);
    ck_assert(s->points > 0 && s->check.cases == 0 && s->check.wanted > 0);
    expect_said(r, TEXT, "NOT CHECKED for races and undefined reads: ");
    expect_said(r, HTML, "NOT CHECKED for races and undefined reads: ");
    expect_said(r, JSON, "\"cases\": 0");
    expect_said(r, JSON, "\"failed\": \"");
    free(r);
    r = grade("4_first_add.cu", step, false);
    ck_assert(r->steps[4].check.failed[0] == '\0' && r->steps[4].check.cases > 0);
    expect_said(r, JSON, "\"failed\": null");
    free(r);
    free(step);
}
END_TEST

START_TEST(a_forgotten_marker_is_told) {
    static const char on[] = "#define IMPLEMENTED 1";
    char *step = read_file("solutions/02_reduction/steps/4_first_add.cu");
    char *at = strstr(step, on);
    ck_assert_ptr_nonnull(at);
    at[strlen(on) - 1] = '0';
    ladder_result *r = grade("4_first_add.cu", step, false);
    ck_assert_int_eq(r->steps[4].outcome, LADDER_NOT_IMPLEMENTED);
    for (report_form form = TEXT; form < FORMS; form++)
        expect_said(r, form, "4_first_add.cu has been changed, but its line ");
    free(r);
    free(step);
    step = read_file("labs/02_reduction/steps/4_first_add.cu"); // as it is handed out
    r = grade("4_first_add.cu", step, false);
    ck_assert_int_eq(r->steps[4].outcome, LADDER_NOT_IMPLEMENTED);
    ck_assert(!r->steps[4].forgotten);
    free(r);
    free(step);
}
END_TEST

KL_TEST_MAIN("check", a_finding_stands_in_all_reports, a_check_that_fails_is_told,
             a_forgotten_marker_is_told)
