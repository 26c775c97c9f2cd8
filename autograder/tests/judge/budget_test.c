// The time of a whole submission: the steps after the limit are not reached, the class goes on.
// needs: ladder_programs reduction_call

#include "course/class/class.h"
#include "suite.h"

enum { STUDENTS = 2 };

static kl_error err;
static char top[LADDER_PATH];
static char text[LADDER_MESSAGE];

static const char *path_of(const char *format, int number) {
    static char path[LADDER_PATH];
    OK_OR_SAY(ladder_path(path, &err, format, top, number), err);
    return path;
}

// Submissions whose steps 0 to 2 do not compile, which costs processor time.
static void make_submissions(const ladder_lab *lab, ladder_submission *list) {
    static const char no_code[] = "this is no C\n";
    for (int i = 0; i < STUDENTS; i++) {
        snprintf(list[i].id, sizeof list[i].id, "student%d", i);
        snprintf(list[i].title, sizeof list[i].title, "student %d", i);
        snprintf(list[i].path, sizeof list[i].path, "%s", path_of("%s/in%d", i));
        OK(ladder_folder_make(list[i].path, &err));
        for (int s = 0; s <= 2; s++) {
            char file[LADDER_PATH];
            OK(ladder_path(file, &err, "%s/%s", list[i].path, lab->rubric->steps[s].file));
            OK(ladder_file_write(file, no_code, strlen(no_code), &err));
        }
    }
}

static void grade(const ladder_lab *lab, const ladder_submission *list, int count, double limit_s,
                  int steps_at_a_time, ladder_row *rows) {
    static ladder_kit kit;
    ladder_cases cases;
    char output[LADDER_PATH], work[LADDER_PATH];
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    OK(ladder_cases_make(lab, 5, true, &cases, &err));
    snprintf(output, sizeof output, "%s", path_of("%s/out%d", count));
    snprintf(work, sizeof work, "%s", path_of("%s/work%d", count));
    OK(ladder_folder_make(output, &err));
    OK(ladder_folder_make(work, &err));
    ladder_grade_plan plan = {.kit = &kit,
                              .lab = lab,
                              .cases = &cases,
                              .build_s = 600,
                              .case_s = 30,
                              .submission_s = limit_s,
                              .steps_at_a_time = steps_at_a_time};
    ladder_class class = {.plan = &plan,
                          .submissions = list,
                          .count = (size_t)count,
                          .output = output,
                          .work = work,
                          .device = "simulated",
                          .jobs = 1};
    OK_OR_SAY(ladder_class_run(&class, rows, &err), err);
    ladder_cases_free(&cases);
}

KL_TEST(later_steps_are_not_reached_and_the_class_goes_on) {
    static ladder_row rows[STUDENTS];
    static ladder_submission list[STUDENTS];
    const ladder_lab *lab = ladder_lab_find("02_reduction");
    char *report = NULL;
    OK(ladder_folder_temporary(top, &err));
    make_submissions(lab, list);
    grade(lab, list, STUDENTS, 1e-3, 1, rows);
    for (int i = 0; i < STUDENTS; i++) {
        ck_assert(rows[i].done && rows[i].points.graded);
        ck_assert_int_eq(rows[i].steps[0].outcome, LADDER_COMPILE_ERROR);
        ck_assert_int_eq(rows[i].steps[1].outcome, LADDER_NOT_REACHED);
        ck_assert_int_eq(rows[i].steps[2].outcome, LADDER_NOT_REACHED);
        ck_assert_int_eq(rows[i].steps[3].outcome, LADDER_NOT_SUBMITTED);
    }
    OK(ladder_file_read(AT_FDCWD, path_of("%s/out2/submissions/student%d/report.txt", 1), 1 << 20,
                        &report, NULL, &err));
    ck_assert_msg(strstr(report, "not reached") && strstr(report, "0.001 s"), "%s", report);
    free(report);
    grade(lab, list, 1, 3600, 2, rows); // side by side, with time enough
    for (int s = 0; s <= 2; s++) ck_assert_int_eq(rows[0].steps[s].outcome, LADDER_COMPILE_ERROR);
    ladder_folder_remove(top);
}

KL_TEST(processor_time_of_all_steps_and_the_clock_count) {
    double before_s = kl_now_s();
    ladder_budget *budget = ladder_budget_open(10, 0);
    double after_s = kl_now_s();
    ck_assert_ptr_nonnull(budget);
    ck_assert_int_eq(ladder_budget_spent(NULL, text, sizeof text), LADDER_BUDGET_LEFT);
    ck_assert_ptr_null(ladder_budget_open(0, 0));
    pid_t pid = fork(); // the memory is shared: steps run in processes of their own
    if (pid == 0) {
        budget->used_s[1] = 6;
        budget->used_s[4] = 3;
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_int_eq(ladder_budget_spent(budget, text, sizeof text), LADDER_BUDGET_LEFT);
    budget->used_s[31] = 1.5;
    ck_assert_int_eq(ladder_budget_spent(budget, text, sizeof text), LADDER_BUDGET_USED);
    ck_assert_str_eq(text, "the other steps used 10.5 s of processor time; the limit of a whole "
                           "submission is 10 s");
    budget->used_s[31] = 0;
    ck_assert(budget->end_s >= before_s + 100 && budget->end_s <= after_s + 100);
    budget->end_s = kl_now_s() - 1;
    budget->slept_s[3] = 60;
    ck_assert_int_eq(ladder_budget_spent(budget, text, sizeof text), LADDER_BUDGET_USED);
    KL_HAS(text, "took longer than 100 s");
    budget->slept_s[3] = 40; // no more than what may be: the machine was busy
    ck_assert_int_eq(ladder_budget_spent(budget, text, sizeof text), LADDER_BUDGET_MACHINE);
    KL_HAS(text, "not graded: this machine was too slow: the grading");
    budget->used_s[31] = 1.5;
    budget->slowness = 8; // and so is processor time that was used up on a slow one
    ck_assert_int_eq(ladder_budget_spent(budget, text, sizeof text), LADDER_BUDGET_MACHINE);
    KL_HAS(text, "not graded: this machine was too slow: the other steps");
    ladder_budget_close(budget);
}

// The limit of memory follows the machine and how many share it.
KL_TEST(memory_is_a_part_of_the_machines) {
    const uint64_t gib = UINT64_C(1) << 30;
    static const struct {
        unsigned machine, at_a_time; // GiB; submissions
        unsigned quarters;           // of a GiB, that each may hold
        unsigned most;               // submissions at a time
    } rows[] = {{0, 1, 16, 0}, {64, 1, 16, 32}, {64, 8, 8, 32}, {16, 1, 16, 8},
                {8, 1, 8, 4},  {8, 2, 4, 4},    {8, 4, 4, 4},   {4, 1, 4, 2},
                {2, 1, 4, 1},  {1, 1, 4, 1},    {24, 2, 12, 12}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t machine = rows[i].machine * gib;
        ck_assert_uint_eq(ladder_submission_memory(machine, rows[i].at_a_time),
                          rows[i].quarters * (gib / 4));
        if (rows[i].most > 0) ck_assert_int_eq(ladder_submissions_at_a_time(machine), rows[i].most);
    }
}

// The clock of a submission ends what is being done, not only what begins.
KL_TEST(the_clock_that_is_left_is_told) {
    ck_assert(isinf(ladder_budget_left_s(NULL)));
    ladder_budget *budget = ladder_budget_open(10, 0);
    ck_assert_ptr_nonnull(budget);
    double left_s = ladder_budget_left_s(budget);
    ck_assert(left_s > 0 && left_s <= 60 + LADDER_BUDGET_CLOCK * 10);
    budget->end_s = kl_now_s() - 1;
    ck_assert(ladder_budget_left_s(budget) <= 0);
    ck_assert_int_eq(ladder_budget_spent(budget, text, sizeof text), LADDER_BUDGET_MACHINE);
    ladder_budget_close(budget);
}

// A step 1 of lab 02 with this body.
static void build_step(const ladder_grade_plan *plan, const char *body, double limit_s,
                       char *object, ladder_step_result *result) {
    static char source[1024];
    snprintf(source, sizeof source,
             "#include \"reduction.h\"\n"
             "extern \"C\" int reduction_step1(const float *, int64_t, reduction_op, float *,\n"
             "                               void *, size_t) { %s return 0; }\n",
             body);
    ladder_build_job job = {.kit = plan->kit,
                            .lab = plan->lab,
                            .step = ladder_rubric_find(plan->lab->rubric, 1),
                            .folder = top,
                            .source = source,
                            .source_bytes = strlen(source),
                            .limit_s = limit_s,
                            .slowness = plan->slowness};
    memset(result, 0, sizeof *result);
    OK_OR_SAY(ladder_build_step(&job, object, result, &err), err);
}

// What becomes of it on a machine of this slowness.
static void expect_step(const char *body, double slowness, ladder_outcome want, const char *says) {
    static ladder_step_result result;
    const ladder_lab *lab = ladder_lab_find("02_reduction");
    char object[LADDER_PATH];
    ladder_kit kit;
    ladder_cases cases;
    ladder_step_costs costs;
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    OK(ladder_folder_temporary(top, &err));
    OK(ladder_cases_make(lab, 5, true, &cases, &err));
    const ladder_grade_plan plan = {.kit = &kit,
                                    .lab = lab,
                                    .cases = &cases,
                                    .first_failure = true,
                                    .case_s = 2,
                                    .slowness = slowness,
                                    .instructions = 1000000,
                                    .threads = 1};
    ladder_submission_run run = {.plan = &plan};
    build_step(&plan, body, 600, object, &result);
    ck_assert_int_eq(result.outcome, LADDER_CORRECT);
    const char *folder = kl_own_text("%s/run", top);
    OK(ladder_folder_make(folder, &err));
    run.step = ladder_rubric_find(lab->rubric, 1);
    run.object = object;
    run.step_folder = folder;
    run.step_result = &result;
    ladder_judge_step(&run, &costs);
    ck_assert_msg(result.outcome == want && strstr(result.message, says), "%s: %s",
                  ladder_outcome_word(result.outcome), result.message);
    ladder_cases_free(&cases);
    ladder_folder_remove(top);
}

// A limit of time that a slow machine reaches says nothing of a step that computes; one that sleeps
// is late everywhere.
KL_TEST(what_is_late_on_a_slow_machine_is_not_graded) {
    const char *computes = "for (volatile int i = 0;; i = 1 - i) {}";
    const char *sleeps =
        "for (;;) { long r = 34; asm volatile(\"syscall\" : \"+a\"(r) : : \"rcx\", "
        "\"r11\", \"memory\"); }"; // pause(2)
    expect_step(computes, 0, LADDER_TIME_LIMIT, "the host code does not end");
    expect_step(computes, 8, LADDER_UNGRADABLE, "not graded: this machine was too slow: no answer");
#ifdef __x86_64__
    expect_step(sleeps, 8, LADDER_TIME_LIMIT, "the host code does not end");
#endif
}

KL_TEST(a_compiler_at_its_limit_on_a_slow_machine_is_not_graded) {
    static ladder_step_result result;
    const ladder_lab *lab = ladder_lab_find("02_reduction");
    char object[LADDER_PATH];
    ladder_kit kit;
    const char *body = "return 0; }\n"
                       "template <int d, unsigned long long p> struct F { static constexpr int v = "
                       "F<d - 1, 2 * p>::v + F<d - 1, 2 * p + 1>::v; };\n"
                       "template <unsigned long long p> struct F<0, p> { static constexpr int v = "
                       "1; };\nint more() { return F<40, 1>::v;";
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    OK(ladder_folder_temporary(top, &err));
    ladder_grade_plan plan = {.kit = &kit, .lab = lab, .slowness = 4};
    build_step(&plan, body, 1, object, &result);
    ck_assert_int_eq(result.outcome, LADDER_UNGRADABLE);
    // On a machine with more to do the compiler waits for a processor instead of using up its
    // limit.
    ck_assert_msg(strstr(result.message, "not graded: this machine was too slow: the compiler used "
                                         "up its limit") ||
                      strstr(result.message, "not graded: this machine was too busy: "),
                  "%s", result.message);
    ladder_folder_remove(top);
}

KL_TEST_MAIN("budget")
