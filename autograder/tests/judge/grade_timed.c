// The timed half of ladder_grade_test: the judge's timing, by clocks of the test's own, and the
// sets of inputs that timed calls take in turn. grade_main.c says how it is called.
#include "tests/judge/grade_test.h"

#include "grade/speed/speed.h"

enum { ROTATION_STRIDE = 10 }; // of the sampled pairs of a family and a step

// Builds a step's text for the clock's test; object: [LADDER_PATH].
static void build(const ladder_grade_plan *plan, int step, const char *text, const char *folder,
                  char *object) {
    static ladder_step_result result; // large
    memset(&result, 0, sizeof result);
    ladder_build_job job = {.kit = plan->kit,
                            .lab = plan->lab,
                            .step = ladder_rubric_find(plan->lab->rubric, step),
                            .folder = folder,
                            .source = text,
                            .source_bytes = strlen(text),
                            .limit_s = 60};
    grade_must(ladder_build_step(&job, object, &result, &grade_err));
    EXPECT(result.outcome == LADDER_CORRECT, "%s", result.message);
}

static double standing_clock(void) { return 1.0; }

// Each look at this clock finds it further on by the same: all calls take the same, whatever else
// the machine does.
static double growing_clock(void) {
    static double looks;
    return ++looks;
}

// The same with pauses of the machine, which can fall into k calls or into 2k.
static double stuttering_clock(void) {
    static double looks;
    looks++;
    return looks + 1e6 * floor(looks / 97);
}

// The judge's timing, by clocks of the test's own: what is tested is that calls are timed and
// verified, not how fast they are.
void grade_clock_works(const ladder_lab *lab) {
    // Thresholds far off, so that no more rounds are asked for.
    static const ladder_criterion criterion = {.kind = LADDER_CRITERION_SPEED,
                                               .points = 1,
                                               .text = "speed",
                                               .family = "sum-exact",
                                               .size = 4096,
                                               .full = 1e6,
                                               .zero = 1e5,
                                               .over = 0};
    const ladder_rubric_step rows[] = {{0, lab->rubric->steps[0].file, true, &criterion, 1}};
    const ladder_rubric rubric = {.steps = rows, .step_count = 1};
    const ladder_lab timed = {lab->folder, lab->problem, &rubric, lab->questions, lab->tune};
    ladder_kit kit;
    ladder_cases cases = {.lab = &timed, .seed = 5};
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    grade_must(ladder_cases_make_speed(&cases, &grade_err));
    EXPECT(cases.speed_count == 1 && cases.speed[0].count >= 2, "%d sets", cases.speed[0].count);
    ladder_grade_plan plan = {
        .kit = &kit, .lab = lab, .cases = &cases, .case_s = 30, .memory_bytes = (uint64_t)1 << 31};
    char baseline[LADDER_PATH], object[LADDER_PATH], run[LADDER_PATH];
    grade_must(ladder_path(run, &grade_err, "%s/run",
                           grade_work)); // what runs sees nothing else of `work`
    grade_must(ladder_folder_make(run, &grade_err));
    char *text = grade_read_solution(&lab->rubric->steps[0]);
    build(&plan, 0, text, grade_work, baseline);
    free(text);
    text = grade_read_solution(&lab->rubric->steps[6]);
    build(&plan, 6, text, grade_work, object);
    free(text);
    static ladder_step_result result; // large
    ladder_submission_run timed_run = {.plan = &plan,
                                       .step = ladder_rubric_find(lab->rubric, 6),
                                       .object = object,
                                       .step_folder = run,
                                       .step_result = &result};
    ladder_comparison comparison = {.run = &timed_run,
                                    .criterion = &criterion,
                                    .threshold = {criterion.full, criterion.zero},
                                    .baseline_object = baseline,
                                    .tolerance = 1e9,
                                    .limit_s = 1e12, // these clocks take large steps
                                    .now_s = growing_clock};
    ladder_speed speed;
    const kl_interval *ratio = &speed.ratio;
    kl_status status = ladder_compare_speed(&comparison, &speed, &grade_err);
    EXPECT(status == KL_OK, "%s", grade_err.text);
    printf("step 6 over step 0: %.2f (%.2f to %.2f)\n", ratio->mid, ratio->low, ratio->high);
    EXPECT(ratio->low <= ratio->mid && ratio->mid <= ratio->high, "interval");

    // Pauses do not decide, also when few outputs are compared and most timings end without a
    // comparison.
    comparison.now_s = stuttering_clock;
    comparison.compare_bytes = 1024;
    status = ladder_compare_speed(&comparison, &speed, &grade_err);
    EXPECT(status == KL_OK && fabs(ratio->mid - 1) < 1e-6, "stuttering clock: %.9f, %s", ratio->mid,
           status == KL_OK ? "" : grade_err.text);
    comparison.now_s = growing_clock;
    comparison.compare_bytes = 0;

    // A step that is wrong from its second call on is found out although only its speed is asked
    // for.
    text = grade_make_kernel("wrong", "8_stale_ticket");
    build(&plan, 8, text, grade_work, object);
    free(text);
    timed_run.step = ladder_rubric_find(lab->rubric, 8);
    status = ladder_compare_speed(&comparison, &speed, &grade_err);
    EXPECT(status == KL_ERROR_INPUT, "a wrong step was timed: %d", status);
    EXPECT(strstr(grade_err.text, "timed call"), "%s", grade_err.text);
    // With a clock that stands still 2k calls take no longer than k: never a score.
    comparison.now_s = standing_clock;
    status = ladder_compare_speed(&comparison, &speed, &grade_err);
    EXPECT(status == KL_ERROR_SYSTEM && strstr(grade_err.text, "too noisy"),
           "standing clock: %d, %s", status, grade_err.text);
    comparison.now_s = growing_clock;
    comparison.compare_bytes = 1024; // four outputs: found out although not all are compared
    status = ladder_compare_speed(&comparison, &speed, &grade_err);
    EXPECT(status == KL_ERROR_INPUT, "a wrong step was timed: %d", status);
    EXPECT(strstr(grade_err.text, "timed call"), "%s", grade_err.text);
    ladder_cases_free(&cases);
}

// True when the rubric or the suite times this family.
static bool is_timed(const ladder_lab *lab, int family) {
    for (int i = 0; i < lab->problem->suite_count; i++) {
        const kl_suite_entry *e = &lab->problem->suite[i];
        if (e->family == family && (e->flags & (KL_TIME_GPU | KL_TIME_SIM))) return true;
    }
    for (int s = 0; s < lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &lab->rubric->steps[s];
        for (int c = 0; c < step->criteria_count; c++) {
            const ladder_criterion *criterion = &step->criteria[c];
            bool speed = criterion->kind == LADDER_CRITERION_SPEED;
            if (speed && kl_problem_family(lab->problem, criterion->family) == family) return true;
        }
    }
    return false;
}

// Times one call of a step on the simulator, which verifies the outputs of a turn through all sets
// of inputs; once more with few of them compared, if `twice`.
static void rotate_step(const ladder_grade_plan *plan, const ladder_criterion *criterion, int step,
                        bool twice) {
    static ladder_step_result result; // large
    char object[LADDER_PATH];
    double seconds = 0;
    memset(&result, 0, sizeof result);
    grade_must(ladder_path(object, &grade_err, "%s/labs/%s/solution/step_%d.so", TEST_BUILD_DIR,
                           plan->lab->folder, step));
    const ladder_submission_run run = {.plan = plan,
                                       .step = ladder_rubric_find(plan->lab->rubric, step),
                                       .object = object,
                                       .step_folder = grade_work,
                                       .step_result = &result};
    ladder_comparison comparison = {
        .run = &run, .criterion = criterion, .limit_s = 1e12, .now_s = growing_clock};
    kl_status status = ladder_time_step(&comparison, &seconds, &grade_err);
    EXPECT(status == KL_OK, "%s, step %d: %s", criterion->family, step, grade_err.text);
    if (!twice) return;
    comparison.compare_bytes = 1 << 20; // few enough that they are chosen at random
    status = ladder_time_step(&comparison, &seconds, &grade_err);
    EXPECT(status == KL_OK, "%s, step %d, chosen: %s", criterion->family, step, grade_err.text);
}

// Whether calls of a case are cheap to simulate.
static bool is_little_work(const ladder_lab *lab, int family, int64_t size) {
    const double small_bytes = 8 << 20, small_ops = 2e7;
    kl_case shape = {0};
    grade_must(lab->problem->describe(family, size, 7, &shape, &grade_err));
    return shape.work_bytes <= small_bytes && shape.work_ops <= small_ops;
}

// Small: what is tested is whose inputs a call gets. Where no listed case is as large as that, a
// unit of the size is much work (a batch of images).
static int64_t rotation_size(const ladder_lab *lab, int family) {
    int64_t size = 200, largest = 0;
    for (int i = 0; i < lab->problem->suite_count; i++) {
        const kl_suite_entry *e = &lab->problem->suite[i];
        if (e->family == family && e->size > largest) largest = e->size;
    }
    if (largest < size) return 1;
    while (size > 1 && !is_little_work(lab, family, size)) size /= 2;
    return size;
}

static bool is_small(const ladder_lab *lab, int family) {
    return is_little_work(lab, family, rotation_size(lab, family));
}

// Families that even so are much work, wide layers for example, are rotated in the full test only.
static bool is_rotated(const ladder_lab *lab, int family) {
    return is_timed(lab, family) && (grade_full || is_small(lab, family));
}

static int count_timed_pairs(const ladder_lab *lab) {
    int pairs = 0;
    for (int family = 0; family < lab->problem->family_count; family++)
        for (int s = 0; is_rotated(lab, family) && s < lab->rubric->step_count; s++)
            pairs += kl_problem_serves(lab->problem, family, lab->rubric->steps[s].step);
    return pairs;
}

// Times these steps, a bit each, on sets of inputs of a family.
static int rotate_family(const ladder_lab *lab, int family, uint32_t steps) {
    const ladder_criterion speed = {.kind = LADDER_CRITERION_SPEED,
                                    .family = lab->problem->families[family].name,
                                    .size = rotation_size(lab, family)};
    const ladder_rubric_step row = {0, "", true, &speed, 1};
    const ladder_rubric rubric = {.steps = &row, .step_count = 1};
    const ladder_lab timed = {lab->folder, lab->problem, &rubric, lab->questions, lab->tune};
    ladder_cases cases = {.lab = &timed, .seed = 7};
    ladder_kit kit;
    int rotated = 0;
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    grade_must(ladder_cases_make_speed(&cases, &grade_err));
    EXPECT(cases.speed[0].count >= 2, "%s: %d sets", speed.family, cases.speed[0].count);
    ladder_grade_plan plan = {
        .kit = &kit, .lab = lab, .cases = &cases, .case_s = 60, .memory_bytes = (uint64_t)1 << 31};
    for (int step = 0; step < 32; step++) {
        if (!(steps >> step & 1)) continue;
        rotate_step(&plan, &speed, step, is_small(lab, family));
        rotated++;
    }
    ladder_cases_free(&cases);
    return rotated;
}

// Timed calls take the sets of inputs in turn. With every timed family, each step must answer for
// the set that its call was given, its scalars included.
void grade_timed_inputs(const ladder_lab *lab) {
    // The last of each ROTATION_STRIDE pairs; the first one where a lab has fewer.
    const int phase = count_timed_pairs(lab) < ROTATION_STRIDE ? 0 : ROTATION_STRIDE - 1;
    int rotated = 0, pairs = 0;
    for (int family = 0; family < lab->problem->family_count; family++) {
        uint32_t steps = 0;
        for (int s = 0; is_rotated(lab, family) && s < lab->rubric->step_count; s++) {
            int step = lab->rubric->steps[s].step;
            if (!kl_problem_serves(lab->problem, family, step)) continue;
            if (grade_full || pairs++ % ROTATION_STRIDE == phase) steps |= UINT32_C(1) << step;
        }
        if (steps != 0) rotated += rotate_family(lab, family, steps);
    }
    EXPECT(rotated > 0, "no step was timed");
}
