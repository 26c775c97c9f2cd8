// Attacks on the time of a step on a GPU. Where calls are made they are made on the simulator, and
// the clock is one of this file's own: what is attacked is what the judge makes of the times.
#include "attacks.h"
#include "grade/speed/speed.h"

static const ladder_criterion speed = {.kind = LADDER_CRITERION_SPEED,
                                       .points = 1,
                                       .text = "speed",
                                       .family = "sum-exact",
                                       .size = 4096,
                                       .full = 1e6,
                                       .zero = 1e5,
                                       .over = 0};

// The text of a step's file in labs or solutions; caller frees.
static char *step_text(const attack_setup *setup, const char *top, const char *file) {
    char path[LADDER_PATH], *text = NULL;
    kl_error err = {KL_OK, ""};
    ATTACK_MUST(ladder_path(path, &err, "%s/%s/02_reduction/steps/%s", setup->kit->source, top,
                            file) == KL_OK &&
                    ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &text, NULL, &err) == KL_OK,
                "%s", err.text);
    return text;
}

static void build(const attack_setup *setup, const ladder_grade_plan *plan, int step,
                  const char *text, char object[LADDER_PATH]) {
    kl_error err = {KL_OK, ""};
    ladder_step_result *result = calloc(1, sizeof *result);
    ladder_build_job job = {.kit = setup->kit,
                            .lab = plan->lab,
                            .step = ladder_rubric_find(plan->lab->rubric, step),
                            .folder = setup->work,
                            .source = text,
                            .source_bytes = strlen(text),
                            .limit_s = 60};
    ATTACK_MUST(result && ladder_build_step(&job, object, result, &err) == KL_OK &&
                    result->outcome == LADDER_CORRECT,
                "%s", err.text);
    free(result);
}

// Step 6, behind what `before` says, against step 0 by this clock, on a card of this memory rate.
static kl_status measure(const attack_setup *setup, const char *before, const char *call,
                         double (*clock)(void), double bytes_s, ladder_speed *out, kl_error *err) {
    static const ladder_rubric_step row = {0, "0_one_block.cu", true, &speed, 1};
    static const ladder_rubric rubric = {.steps = &row, .step_count = 1};
    const ladder_grade_plan *quick = attack_plan(setup->kit, "02_reduction", false, err);
    ATTACK_MUST(quick, "%s", err->text);
    ladder_lab timed = *quick->lab;
    timed.rubric = &rubric;
    ladder_cases cases = {.lab = &timed, .seed = 5};
    ATTACK_MUST(ladder_cases_make_speed(&cases, err) == KL_OK, "%s", err->text);
    ladder_grade_plan plan = *quick;
    plan.cases = &cases;
    plan.card.bytes_s = bytes_s;
    char baseline[LADDER_PATH], object[LADDER_PATH], run[LADDER_PATH], *whole = NULL;
    ATTACK_MUST(ladder_path(run, err, "%s/run", setup->work) == KL_OK &&
                    ladder_folder_make(run, err) == KL_OK,
                "%s", err->text);
    size_t bytes = 0;
    char *given = step_text(setup, "labs", "0_one_block.cu"),
         *own = step_text(setup, "solutions", "6_vectorized.cu");
    build(setup, &plan, 0, given, baseline);
    FILE *out_text = open_memstream(&whole, &bytes);
    ATTACK_MUST(out_text, "no memory");
    fprintf(out_text, "%s\n%s\n%s", before, own, call);
    fclose(out_text);
    build(setup, &plan, 6, whole, object);
    ladder_step_result *result = calloc(1, sizeof *result);
    ATTACK_MUST(result, "no memory");
    const ladder_submission_run timed_run = {.plan = &plan,
                                             .step = ladder_rubric_find(quick->lab->rubric, 6),
                                             .object = object,
                                             .step_folder = run,
                                             .step_result = result};
    const ladder_comparison comparison = {.run = &timed_run,
                                          .criterion = &speed,
                                          .threshold = {speed.full, speed.zero},
                                          .baseline_object = baseline,
                                          .tolerance = 1e9,
                                          .limit_s = 1e12, // the clocks below take large steps
                                          .now_s = clock};
    kl_status status = ladder_compare_speed(&comparison, out, err);
    free(result);
    free(whole);
    free(given);
    free(own);
    ladder_cases_free(&cases);
    return status;
}

// Each look finds it further on by the same, so that all calls take the same.
static double growing_clock(void) {
    static double looks;
    return ++looks;
}

// attack: A step computes its first calls and returns at once from all later ones.
// stopped by: TIMED_OUTPUTS
// expect: a timed call is a wrong answer
// gains: a time for calls that did nothing
// tier: full
ATTACK(later_calls_do_nothing) {
    kl_error err = {KL_OK, ""};
    ladder_speed ignored;
    kl_status status =
        measure(setup, "static int calls_left = 8;\n#define reduction_step6 honest_step6",
                "#undef reduction_step6\n"
                "extern \"C\" int reduction_step6(const float *d_x, int64_t n, "
                "reduction_op op, float *d_result, void *d_workspace, size_t bytes) {\n"
                "    if (calls_left-- <= 0) return 0;\n"
                "    return honest_step6(d_x, n, op, d_result, d_workspace, bytes);\n"
                "}\n",
                growing_clock, 0, &ignored, &err);
    ATTACK_MUST(status == KL_OK || strstr(err.text, "timed call"), "%s", err.text);
    return status == KL_OK;
}

// attack: A step's calls take a thousandth of the time in which the card's memory delivers the
// input, as one's would that replays answers it kept.
// stopped by: SPEED_ROOF
// expect: an impossible speed is a failure of the step
// gains: a gain that no kernel can have
// tier: full
ATTACK(faster_than_memory) {
    kl_error err = {KL_OK, ""};
    ladder_speed ignored;
    kl_status status = measure(setup, "", "", growing_clock, 1e3, &ignored, &err);
    ATTACK_MUST(status == KL_OK || strstr(err.text, "impossible speed"), "%s", err.text);
    return status == KL_OK;
}

// attack: A step brings clock functions of its own, which stand still.
// stopped by: design
// expect: the judge's own clock counts, in another process
// gains: the measured ratio changes
// tier: full
ATTACK(patched_clock) {
    kl_error err = {KL_OK, ""};
    ladder_speed with;
    kl_status status =
        measure(setup,
                "#include <sys/time.h>\n#include <time.h>\n"
                "extern \"C\" int clock_gettime(clockid_t, struct timespec *t) noexcept {\n"
                "    *t = {0, 0};\n    return 0;\n}\n"
                "extern \"C\" time_t time(time_t *t) noexcept {\n"
                "    if (t) *t = 0;\n    return 0;\n}\n",
                "", growing_clock, 0, &with, &err);
    ATTACK_MUST(status == KL_OK, "%s", err.text);
    return !(fabs(with.ratio.mid - 1) < 1e-3); // by the growing clock every call takes the same
}

// attack: A step is slow in the k calls before the 2k calls that end a timing, so that the
// difference of the two is small.
// stopped by: CALL_BOUND
// expect: the step is as fast as its 2k calls are
// gains: the step seems ten times as fast as it is
ATTACK(slow_before_the_end) {
    (void)setup;
    const double call_s = 1e-3;
    const int k = 8;
    double once_s = k * call_s * 1.9, twice_s = 2 * k * call_s;
    return ladder_call_time(once_s, twice_s, k) <= 0.1001 * call_s;
}

// attack: A step keeps the card busy while the baseline beside it is timed.
// stopped by: BASELINE_BOUND
// expect: the baseline counts with little more than its time alone
// gains: four times the gain
ATTACK(disturbs_the_baseline) {
    (void)setup;
    const double alone_s = 1e-3, times[] = {4 * alone_s, alone_s, alone_s, 4 * alone_s};
    return ladder_pair_ratio(times, 1.25 * alone_s) >= 3.9;
}

// attack: The other work on a card comes and goes, so that chance decides which of two steps is
// faster.
// stopped by: MACHINE_STEADY
// expect: the machine is unfit to time on, which costs nobody a point
// gains: a verdict by chance
ATTACK(unsteady_machine) {
    (void)setup;
    const double ratios[] = {1.4, 0.7, 1.5, 0.6, 1.3, 0.8, 1.6, 0.7, 1.4};
    kl_interval same;
    const int count = sizeof ratios / sizeof ratios[0];
    const ladder_threshold wide = {.full = 4, .zero = 2};
    return ladder_decide_same(LADDER_SPEED_TOLERANCE, &wide, ratios, count, true, &same) ==
           LADDER_DECIDED;
}
