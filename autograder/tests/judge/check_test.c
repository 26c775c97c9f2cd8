// The simulator's checker in a graded step: a finding in all three reports, with its case and the
// command that repeats it; a check that cannot run, which no report passes over; a file that was
// changed and still says that it is not implemented. Runs nvcc, a runner and engines.
// needs: ladder_programs reduction reduction_call
// labels: grade
#include "ladder_config.h"
#include "show/findings/findings.h"
#include "tests/support/defence_switch.h"
#include "tests/support/edit.h"
#include "grade/run/grade_submission.h"
#include "show/report/report.h"
#include "parallel.h"
#include "suite.h"

extern char **environ;

enum { SEED = 20251 };

static kl_error err;

static void must(kl_status status) { ck_assert_msg(status == KL_OK, "%s", err.text); }

static char *read_file(const char *relative) {
    char path[LADDER_PATH], *text = NULL;
    must(ladder_path(path, &err, "%s/%s", TEST_SOURCE_DIR, relative));
    must(ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &text, NULL, &err));
    return kl_own(text);
}

static void write_file(const char *folder, const char *name, const char *text) {
    const char *path = kl_own_text("%s/%s", folder, name);
    must(ladder_file_write(path, text, strlen(text), &err));
}

static void link_to(const char *folder, const char *name) {
    const char *target = kl_own_text("%s/%s", TEST_BUILD_DIR, name);
    const char *path = kl_own_text("%s/%s", folder, name);
    ck_assert_int_eq(symlink(target, path), 0);
}

static void copy_file(const char *from, const char *folder, const char *name) {
    char path[LADDER_PATH], *bytes = NULL;
    size_t count = 0;
    const size_t most = 256 << 20;
    must(ladder_file_read(AT_FDCWD, from, most, &bytes, &count, &err));
    must(ladder_path(path, &err, "%s/%s", folder, name));
    must(ladder_file_write(path, bytes, count, &err));
    ck_assert_int_eq(chmod(path, 0755), 0);
    free(bytes);
}

// The text of step 4 with one of the published mistakes.
static char *mistaken(const char *name) {
    char *step = read_file("solutions/02_reduction/steps/4_first_add.cu"), *wrong = NULL;
    edit_list edits;
    const edit *edit = NULL;
    must(edits_read(TEST_SOURCE_DIR "/autograder/tests/wrong/02_reduction.edits", &edits, &err));
    must(edits_find(&edits, name, &edit, &err));
    must(edit_apply(edit, step, &wrong, &err));
    edits_free(&edits);
    return kl_own(wrong);
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
    link_to(folder, "common/simulator/" LADDER_CUDART);
    snprintf(script, sizeof script,
             "#!/bin/sh\ncase \"$*\" in *check*) exit 3;; esac\n"
             "exec %s/common/simulator/ladder-engine \"$@\"\n",
             TEST_BUILD_DIR);
    write_file(folder, "common/simulator/ladder-engine", script);
    must(ladder_path(path, &err, "%s/common/simulator/ladder-engine", folder));
    ck_assert_int_eq(chmod(path, 0755), 0);
    must(ladder_path(kit->build, &err, "%s", folder));
    defence_switch(LADDER_DEFENCE_SANDBOX, false); // behind it there is no shell
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
    const ladder_grade_plan plan = {.kit = &kit,
                                    .lab = lab,
                                    .cases = &cases,
                                    .build_s = 120,
                                    .case_s = 60,
                                    .instructions = 100000000,
                                    .memory_bytes = UINT64_C(4) << 30,
                                    .threads = 1};
    ladder_submission submission = {.id = "ann", .title = "ann"};
    must(ladder_path(submission.path, &err, "%s", folder));
    ladder_result *result = calloc(1, sizeof *result);
    ck_assert_ptr_nonnull(result);
    ladder_submission_run run = {.plan = &plan, .submission = &submission, .result = result};
    ladder_grade_submission(&run);
    ladder_cases_free(&cases);
    ladder_folder_remove(folder);
    if (broken_engine) ladder_folder_remove(broken);
    return kl_own(result);
}

typedef enum report_form { TEXT, HTML, JSON, FORMS } report_form;

static char *render(report_form form, const ladder_result *result) {
    const ladder_report report = {.lab = ladder_lab_find("reduction"),
                                  .result = result,
                                  .device = "simulated H100",
                                  .sandbox = "limits",
                                  .sandbox_text = ""};
    const kl_style style = {.width = 80};
    return KL_PRINTED(out, if (form == TEXT) ladder_report_text(&report, &style, out);
                      if (form == HTML) ladder_report_html(&report, out);
                      if (form == JSON) must(ladder_report_json(&report, out, &err)));
}

// A report with its white space made equal, as lines are wrapped.
static void expect_said(const ladder_result *result, report_form form, const char *part) {
    char *text = render(form, result), *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        char c = *from == '\n' ? ' ' : *from;
        if (c != ' ' || to == text || to[-1] != ' ') *to++ = c;
    }
    *to = '\0';
    ck_assert_msg(strstr(text, part), "form %d does not say '%s':\n%s", form, part, text);
}

// A wrong answer comes with the smallest case that is wrong; outcome and points are as without it.
KL_TEST(a_wrong_answer_has_its_smallest_case) {
    char *wrong = mistaken("4_tail_off_by_one");
    ladder_result *r = grade("4_first_add.cu", wrong, false);
    const ladder_step_result *s = &r->steps[4];
    ck_assert_int_eq(s->outcome, LADDER_WRONG_ANSWER);
    ck_assert(s->points == 0 && !s->over_memory && s->small_s > 0);
    ck_assert_int_eq(s->cases_run, s->cases_total);
    for (report_form form = TEXT; form < FORMS; form++) {
        expect_said(r, form, "the smallest case that is wrong: ");
        expect_said(r, form, "expected ");
        expect_said(r, form, "result[0] was last written by thread 0 of block 0.");
    }
    expect_said(r, HTML, "*</mark>");
}

KL_TEST(a_finding_stands_in_all_reports) {
    char *wrong = mistaken("4_barrier_in_if");
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
}

// A fault is told once, with what may have caused it.
KL_TEST(the_cause_of_a_fault_stands_in_all_reports) {
    char *wrong = mistaken("4_place_unset");
    ladder_result *r = grade("4_first_add.cu", wrong, false);
    const ladder_step_result *s = &r->steps[4];
    ck_assert_int_eq(s->outcome, LADDER_KERNEL_FAULT);
    ck_assert(s->points == 0 && s->check.finding_count == 1 && s->check.failed[0] == '\0');
    expect_said(r, TEXT, "the check found: uninitialised at 4_first_add.cu:");
    expect_said(r, JSON, "\"class\": \"uninitialised\"");
    expect_said(r, HTML, "uninitialised");
}

// Builds this text as step 4 in a folder of its own; object: its path. Both: [LADDER_PATH].
static void build_step_4(const ladder_kit *kit, const char *text, char *folder, char *object) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    must(ladder_folder_temporary(folder, &err));
    const ladder_build_job job = {.kit = kit,
                                  .lab = lab,
                                  .step = ladder_rubric_find(lab->rubric, 4),
                                  .folder = folder,
                                  .source = text,
                                  .source_bytes = strlen(text),
                                  .limit_s = 120};
    ladder_step_result *result = calloc(1, sizeof *result);
    must(ladder_build_step(&job, object, result, &err));
    free(result);
}

// A kit in which the student's step 4 is this text; folder: [LADDER_PATH].
static void make_kit_with(const char *text, ladder_kit *kit, char *folder) {
    char object[LADDER_PATH], program[LADDER_PATH], path[LADDER_PATH];
    must(ladder_path(kit->source, &err, "%s", TEST_SOURCE_DIR));
    must(ladder_path(kit->build, &err, "%s", TEST_BUILD_DIR));
    must(ladder_kit_lab_program(kit, ladder_lab_find("reduction"), program, &err));
    build_step_4(kit, text, folder, object);
    must(ladder_path(path, &err, "%s/labs/02_reduction/skeleton", folder));
    must(ladder_folder_make(path, &err));
    must(ladder_path(path, &err, "%s/common", folder));
    must(ladder_folder_make(path, &err));
    link_to(folder, "common/simulator");
    copy_file(program, folder, "labs/02_reduction/reduction"); // it looks for steps beside itself
    copy_file(object, folder, "labs/02_reduction/skeleton/step_4.so");
    must(ladder_path(kit->build, &err, "%s", folder));
}

static void expect_beside_run(const char *text, const char *says) {
    char folder[LADDER_PATH], printed[2048] = "";
    ladder_kit kit;
    kl_side_checks checks;
    const kl_style style = {.width = 200};
    make_kit_with(text, &kit, folder);
    int fd = ladder_run_check_start(&kit, ladder_lab_find("reduction"), false);
    ck_assert_int_ge(fd, 0);
    kl_side_check_ask(fd, 4);
    kl_side_check_collect(fd, 3600, &checks);
    FILE *out = fmemopen(printed, sizeof printed, "w");
    kl_side_check_print(&checks, "reduction", false, &style, out);
    fclose(out);
    ck_assert_msg(strstr(printed, says), "'%s' is not in: %s", says, printed);
    ladder_folder_remove(folder);
}

KL_TEST(run_ends_with_what_the_check_found) {
    char *text = mistaken("4_barrier_in_if");
    expect_beside_run(text, "check: step 4 at 4_first_add.cu:");
    expect_beside_run(text, "Every thread of the block must come to the same");
    expect_beside_run(text, "\n       ./ladder check reduction 4\n");
    text = read_file("solutions/02_reduction/steps/4_first_add.cu");
    expect_beside_run(text, "check: step 4 clean (small cases, on the simulator)\n");
    char *at = strstr(text, "    if (!reduction_call"); // host code reads what lies on the device
    ck_assert_ptr_nonnull(at);
    char *reads = NULL;
    ck_assert_int_gt(
        asprintf(&reads, "%.*s    if (d_x[0] == 1.0f) n++;\n%s", (int)(at - text), text, at), 0);
    expect_beside_run(reads, "check: step 4: host code read 0x2");
    expect_beside_run(reads, "\n       ./ladder check reduction 4\n");
    free(reads);
}

KL_TEST(a_check_that_fails_is_told) {
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
    r = grade("4_first_add.cu", step, false);
    ck_assert(r->steps[4].check.failed[0] == '\0' && r->steps[4].check.cases > 0);
    expect_said(r, JSON, "\"failed\": null");
}

KL_TEST(a_forgotten_marker_is_told) {
    static const char on[] = "#define IMPLEMENTED 1";
    char *step = read_file("solutions/02_reduction/steps/4_first_add.cu");
    char *at = strstr(step, on);
    ck_assert_ptr_nonnull(at);
    at[strlen(on) - 1] = '0';
    ladder_result *r = grade("4_first_add.cu", step, false);
    ck_assert_int_eq(r->steps[4].outcome, LADDER_NOT_IMPLEMENTED);
    for (report_form form = TEXT; form < FORMS; form++)
        expect_said(r, form, "4_first_add.cu has been changed, but its line ");
    step = read_file("labs/02_reduction/steps/4_first_add.cu"); // as it is handed out
    r = grade("4_first_add.cu", step, false);
    ck_assert_int_eq(r->steps[4].outcome, LADDER_NOT_IMPLEMENTED);
    ck_assert(!r->steps[4].forgotten);
}

static void expect_all(const char *printed, const char *const *says) {
    for (; *says; says++)
        ck_assert_msg(strstr(printed, *says), "'%s' is not in: %s", *says, printed);
}

static void expect_run(char *const *argv, const char *const *says) {
    const ladder_process_spec spec = {.argv = (const char *const *)argv,
                                      .environment = (const char *const *)environ};
    ladder_process process;
    must(ladder_process_run(&spec, &process, &err));
    expect_all(process.output, says);
    ladder_process_free(&process);
}

static void expect_check(const ladder_kit *kit, char *const *argv, const char *const *says) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    const kl_style style = {.width = 200};
    const ladder_checks_options options = {.lab = lab,
                                           .step = 4,
                                           .order = "reverse",
                                           .max_instructions =
                                               ladder_checks_limit(lab, 4, NULL, -1)};
    ladder_checks checks;
    char *printed =
        KL_PRINTED(out, must(ladder_checks_run(kit, argv, &options, &checks, &err));
                   ladder_checks_print(&checks, &style, out); ladder_checks_free(&checks));
    expect_all(printed, says);
}

// What a student with this text as step 4 reads: in the lab's program as `ladder run` starts it,
// and in `ladder check --order reverse`. Lists end with NULL.
static void expect_told(const char *text, const char *const *run_says,
                        const char *const *check_says) {
    char folder[LADDER_PATH], object[LADDER_PATH], program[LADDER_PATH], sources[LADDER_PATH + 64];
    ladder_kit kit;
    must(ladder_path(kit.source, &err, "%s", TEST_SOURCE_DIR));
    must(ladder_path(kit.build, &err, "%s", TEST_BUILD_DIR));
    must(ladder_kit_lab_program(&kit, ladder_lab_find("reduction"), program, &err));
    build_step_4(&kit, text, folder, object);
    write_file(folder, "4_first_add.cu", text);
    snprintf(sources, sizeof sources, "4 %s/4_first_add.cu\n", folder);
    write_file(folder, "sources.txt", sources);
    copy_file(object, folder, "step_4.so"); // last: newer than its source
    char *argv[] = {program,   "--step",       "4",        "--steps-from", folder,
                    "--quick", "--check-only", "--device", "sim",          NULL};
    expect_run(argv, run_says);
    expect_check(&kit, argv, check_says);
    ladder_folder_remove(folder);
}

// The solution of step 4 with one statement before the one that begins so; to be freed.
static char *step_with(const char *before, const char *statement) {
    char *text = read_file("solutions/02_reduction/steps/4_first_add.cu"), *made = NULL;
    char *at = strstr(text, before);
    ck_assert_msg(at, "step 4 has no '%s'", before);
    ck_assert_int_gt(asprintf(&made, "%.*s%s\n%s", (int)(at - text), text, statement, at), 0);
    return kl_own(made);
}

// The case of a finding, and the student's line of a fault, not one of the kit's.
KL_TEST(run_and_check_tell_case_and_line) {
    char *text = step_with("    partial[t] = ", "    if (t == 7) value += *(const float *)64;");
    expect_told(text, (const char *const[]){"4_first_add.cu:", NULL},
                (const char *const[]){"out-of-bounds: ", "at 4_first_add.cu:", "\n    case sum-",
                                      "\n    again: ./ladder check reduction 4 --case sum-",
                                      " --order reverse\n", NULL});
}

KL_TEST(run_and_check_say_the_same_of_a_host_read) {
    static const char *const both[] = {"host code read 0x2",
                                       "A device pointer cannot be dereferenced on the host", NULL};
    char *text = step_with("    if (!reduction_call", "    if (d_x[0] == 1.0f) n++;");
    expect_told(text, both, both);
}

KL_TEST(run_and_check_tell_a_forgotten_marker) {
    static const char on[] = "#define IMPLEMENTED 1";
    char *step = read_file("solutions/02_reduction/steps/4_first_add.cu");
    strstr(step, on)[strlen(on) - 1] = '0';
    expect_told(step, (const char *const[]){"4_first_add.cu has been changed, but its line ", NULL},
                (const char *const[]){"not implemented", NULL});
}

KL_TEST_MAIN("check")
