// Rubrics, thresholds, points: that what cannot be measured costs nothing, and that noise cannot
// help or hurt beyond it.

#include "grade/points/counts.h"
#include "suite.h"

static kl_error err;

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

KL_TEST(shares_are_linear_between_thresholds) {
    ladder_criterion fewer = {.kind = LADDER_CRITERION_COUNT, .full = 4, .zero = 8};
    ck_assert(near(ladder_criterion_share(&fewer, 3.9), 1.0));
    ck_assert(near(ladder_criterion_share(&fewer, 4.0), 1.0));
    ck_assert(near(ladder_criterion_share(&fewer, 6.0), 0.5));
    ck_assert(near(ladder_criterion_share(&fewer, 8.0), 0.0));
    ck_assert(near(ladder_criterion_share(&fewer, 100.0), 0.0));
    ladder_criterion more = {.kind = LADDER_CRITERION_COUNT, .full = 1.0, .zero = 0.5};
    ck_assert(near(ladder_criterion_share(&more, 0.75), 0.5));
    ck_assert(near(ladder_criterion_share(&more, 2.0), 1.0));
    ck_assert(near(ladder_criterion_share(&more, NAN), 0.0));
    ladder_criterion speed = {.kind = LADDER_CRITERION_SPEED, .full = 4, .zero = 1};
    ck_assert(near(ladder_criterion_share(&speed, 2.0), 0.5)); // half way in factors
    ck_assert(near(ladder_criterion_share(&speed, 0.0), 0.0));
    ladder_criterion predicted = {.kind = LADDER_CRITERION_PREDICTED};
    ck_assert(near(ladder_criterion_share(&predicted, 1.0), 1.0));
    ck_assert(near(ladder_criterion_share(&predicted, 0.0), 0.0));
    ladder_criterion correct = {.kind = LADDER_CRITERION_CORRECT};
    ck_assert(near(ladder_criterion_share(&correct, 0.999), 0.0));
}

KL_TEST(counts_are_divided_as_asked) {
    ladder_counts counts = {.launches = 2, .size = 1000};
    counts.totals.value[SIM_COUNTER_GLOBAL_LD_SECTORS] = 400;
    counts.totals.value[SIM_COUNTER_GLOBAL_LD_REQUESTS] = 100;
    ladder_criterion c = {.kind = LADDER_CRITERION_COUNT,
                          .counter = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"};
    c.per = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
    ck_assert(near(ladder_count_value(c.counter, c.per, &counts), 4.0));
    c.per = "element";
    ck_assert(near(ladder_count_value(c.counter, c.per, &counts), 0.4));
    c.per = "launch";
    ck_assert(near(ladder_count_value(c.counter, c.per, &counts), 200.0));
    c.per = "call";
    ck_assert(near(ladder_count_value(c.counter, c.per, &counts), 400.0));
    c.per = "sim__barriers.sum"; // counted nothing
    ck_assert(isnan(ladder_count_value(c.counter, c.per, &counts)));
    c.counter = "launches";
    c.per = "call";
    ck_assert(near(ladder_count_value(c.counter, c.per, &counts), 2.0));
    // Several counters: their sum.
    c.counter = "launches l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    ck_assert(ladder_counter_known(c.counter) && !ladder_counter_known("launches none"));
    ck_assert(near(ladder_count_value(c.counter, c.per, &counts), 402.0));
}

// Sectors beyond those that earn all points; of active threads those that are missing.
KL_TEST(the_line_that_costs_points_is_known) {
    sim_counters good = {.value[SIM_COUNTER_GLOBAL_LD_SECTORS] = 4000,
                         .value[SIM_COUNTER_GLOBAL_LD_REQUESTS] = 1000,
                         .value[SIM_COUNTER_THREAD_INST_ON] = 32000,
                         .value[SIM_COUNTER_INST] = 1000},
                 bad = {.value[SIM_COUNTER_GLOBAL_LD_SECTORS] = 3200,
                        .value[SIM_COUNTER_GLOBAL_LD_REQUESTS] = 100,
                        .value[SIM_COUNTER_THREAD_INST_ON] = 100,
                        .value[SIM_COUNTER_INST] = 100};
    ladder_criterion few = {.kind = LADDER_CRITERION_COUNT,
                            .counter = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                            .per = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                            .full = 4,
                            .zero = 16};
    ck_assert(near(ladder_count_amiss(&few, &good), 0));
    ck_assert(near(ladder_count_amiss(&few, &bad), 2800));
    few.per = "element"; // no line has its share of these
    ck_assert(near(ladder_count_amiss(&few, &good), 4000));
    ladder_criterion many = {.kind = LADDER_CRITERION_COUNT,
                             .counter = "smsp__thread_inst_executed_pred_on.sum",
                             .per = "smsp__inst_executed.sum",
                             .full = 30,
                             .zero = 20};
    ck_assert(ladder_count_amiss(&many, &good) < 0);
    ck_assert(near(ladder_count_amiss(&many, &bad), 2900));
    many.per = "call";
    ck_assert(near(ladder_count_amiss(&many, &bad), 0));
    few.counter = "launches"; // is of no line
    ck_assert(near(ladder_count_amiss(&few, &bad), 0));
}

static const ladder_counts *give_counts(void *context, const char *family, int64_t size) {
    const ladder_counts *counts = context;
    return strcmp(family, "other") == 0 ? &counts[1] : size == 8 ? &counts[0] : NULL;
}

// The least share decides; a bound may be of another case.
KL_TEST(further_bounds_count_as_well) {
    const ladder_counts counts[2] = {{.launches = 1, .sms_used = 51}, {.launches = 3}};
    const ladder_bound with[] = {
        {.counter = "sim__sms_used", .per = "call", .family = "", .full = 100, .zero = 2},
        {.counter = "launches", .per = "call", .family = "other", .size = 4, .full = 3, .zero = 4}};
    ladder_criterion c = {.kind = LADDER_CRITERION_COUNT,
                          .points = 4,
                          .counter = "launches",
                          .per = "call",
                          .family = "f",
                          .size = 8,
                          .full = 1,
                          .zero = 2,
                          .with = with,
                          .with_count = 2};
    ladder_criterion_result out = {.points = 0};
    ck_assert(ladder_score_counts(&c, NULL, give_counts, (void *)counts, &out));
    ck_assert(near(out.value, 1) && near(out.with[0], 51) && near(out.with[1], 3));
    ck_assert(near(out.points, 2));
    c.size = 9; // no counts of that
    ck_assert(!ladder_score_counts(&c, NULL, give_counts, (void *)counts, &out));
}

// A call's modelled time has fills, copies and events in it, and on devices without the
// cycle-level model also the time until the first kernel and between kernels.
KL_TEST(modelled_times_hold_the_launches) {
    const sim_device *device = ladder_device_simulated();
    const ladder_counts counts = {.launches = 3, .time_us = 50, .moves_us = 4},
                        short_ones = {.launches = 10};
    ck_assert(near(ladder_call_us(&counts, device), 50 + 4 + device->event_us));
    const sim_device *other = sim_device_find("a100"); // without that model
    double gap = other->launch_us - other->kernel_us;
    ck_assert(near(ladder_call_us(&counts, other), 50 + 4 + other->launch_us + 2 * gap));
    ck_assert(near(ladder_call_us(&short_ones, other), 10 * other->launch_us));
    const ladder_modelled modelled = {.size = 8, .over_us = 100, .full = 4, .zero = 1};
    const ladder_criterion c = {.kind = LADDER_CRITERION_SPEED, .points = 2, .family = "f"};
    ladder_criterion_result out = {.points = 0};
    ck_assert(ladder_score_counts(&c, &modelled, give_counts, (void *)&counts, &out));
    ck_assert(near(out.modelled, 100 / ladder_call_us(&counts, device)));
    ck_assert(near(out.modelled_points, 2 * log(out.modelled) / log(4)));
}

// Sums of the whole call's timeline are quantities like any other.
KL_TEST(counts_of_a_call_have_names) {
    ladder_counts counts = {.launches = 2};
    for (int i = 0; i < SIM_SPAN_COUNTERS; i++) counts.call.value[i] = 100 + i;
    for (int i = 0; i < SIM_SPAN_COUNTERS; i++) {
        const char *name = sim_span_counter_name((sim_span_counter)i);
        ck_assert_msg(ladder_counter_known(name), "%s", name);
        ck_assert(near(ladder_count_value(name, "call", &counts), 100 + i));
        ck_assert_int_eq(sim_counter_find(name), SIM_COUNTER_COUNT); // no counter of a launch
    }
    ck_assert(near(ladder_count_value("sim__copies.sum sim__host_syncs.sum", "launch", &counts),
                   (200 + SIM_SPAN_COPIES + SIM_SPAN_HOST_SYNCS) / 2.0));
    ck_assert(!ladder_counter_known("sim__copies"));
}

// Without the technique speed is worth nothing.
KL_TEST(a_count_that_earns_nothing_closes_speed) {
    const ladder_criterion criteria[] = {{.kind = LADDER_CRITERION_CORRECT, .points = 4},
                                         {.kind = LADDER_CRITERION_COUNT, .points = 3},
                                         {.kind = LADDER_CRITERION_SPEED, .points = 2}};
    const ladder_rubric_step step = {1, "1_a.cu", false, criteria, 3};
    for (int counted = 0; counted < 2; counted++) {
        ladder_criterion_result results[] = {
            {.points = 4}, {.points = counted}, {.points = 2, .modelled_points = 1}};
        ladder_score_close(&step, results, 3);
        ck_assert(near(results[0].points, 4) && near(results[1].points, counted));
        ck_assert(results[2].closed == (counted == 0));
        ck_assert(near(results[2].points, counted ? 2 : 0));
        ck_assert(near(results[2].modelled_points, counted ? 1 : 0));
    }
}

KL_TEST(what_is_known_before_a_launch_can_be_graded) {
    ladder_counts counts = {
        .launches = 2, .size = 100, .registers = 48, .local_bytes = 80, .occupancy_pct = 62.5};
    ladder_criterion c = {.kind = LADDER_CRITERION_COUNT, .per = "call"};
    c.counter = "launch__registers_per_thread";
    ck_assert(ladder_counter_known(c.counter) &&
              near(ladder_count_value(c.counter, c.per, &counts), 48));
    c.counter = "sim__local_bytes_per_thread";
    ck_assert(ladder_counter_known(c.counter) &&
              near(ladder_count_value(c.counter, c.per, &counts), 80));
    c.counter = "sm__maximum_warps_per_active_cycle_pct";
    ck_assert(ladder_counter_known(c.counter) &&
              near(ladder_count_value(c.counter, c.per, &counts), 62.5));
}

KL_TEST(every_lab_has_a_sound_rubric) {
    ck_assert_int_gt(ladder_lab_count, 0);
    for (int i = 0; i < ladder_lab_count; i++) {
        const ladder_lab *lab = &ladder_labs[i];
        kl_status status =
            ladder_rubric_check(lab->rubric, lab->problem, ladder_counter_known, &err);
        ck_assert_msg(status == KL_OK, "%s: %s", lab->folder, err.text);
        for (int s = 0; s < lab->rubric->step_count; s++) {
            ck_assert(ladder_rubric_points(&lab->rubric->steps[s], false, "") > 0);
            ck_assert_int_le(lab->rubric->steps[s].criteria_count, LADDER_CRITERIA_MAX);
        }
    }
}

// Whether a run shows a verdict on this case before large ones, and a wrong step is wrong there:
// outputs that depend on inputs, and where a lab computes, something to compute.
static bool tells_small(const kl_problem *problem, const kl_suite_entry *entry) {
    kl_case shape;
    if (!(entry->flags & KL_CHECK) ||
        problem->describe(entry->family, entry->size, problem->default_seed, &shape, &err) != KL_OK)
        return false;
    double work = kl_case_work(&shape);
    bool computes = shape.work_ops > 0 || !kl_ceiling_is_arithmetic(problem->ceiling);
    bool alone = entry->size == 1 && !(shape.program && shape.outputs[0].elems > 1);
    return !alone && (shape.host || (computes && work > 0)) && work <= kl_small_work(problem);
}

KL_TEST(small_cases_of_every_step_can_be_wrong) {
    for (int i = 0; i < ladder_lab_count; i++) {
        const kl_problem *problem = ladder_labs[i].problem;
        for (int s = 0; s < problem->step_count; s++) {
            bool tells = false;
            for (int k = 0; k < problem->suite_count; k++)
                tells |= kl_problem_serves(problem, problem->suite[k].family,
                                           problem->steps[s].number) &&
                         tells_small(problem, &problem->suite[k]);
            ck_assert_msg(tells, "%s, step %d", ladder_labs[i].folder, problem->steps[s].number);
        }
    }
}

KL_TEST(unsound_rubrics_are_refused) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    ck_assert_ptr_nonnull(lab);
    const ladder_rubric_step *good = &lab->rubric->steps[0];
    ladder_criterion c = {.kind = LADDER_CRITERION_COUNT,
                          .points = 1,
                          .counter = "launches",
                          .per = "call",
                          .family = "sum-exact",
                          .size = 1000,
                          .full = 1,
                          .zero = 2};
    ladder_rubric_step step = *good;
    ladder_rubric rubric = {.steps = &step, .step_count = 1};
    step.criteria = &c;
    step.criteria_count = 1;
    ck_assert_int_eq(ladder_rubric_check(&rubric, lab->problem, ladder_counter_known, &err), KL_OK);
    const ladder_criterion sound = c;
    c.counter = "no such counter";
    ck_assert_int_ne(ladder_rubric_check(&rubric, lab->problem, ladder_counter_known, &err), KL_OK);
    c = sound;
    c.family = "no such family";
    ck_assert_int_ne(ladder_rubric_check(&rubric, lab->problem, ladder_counter_known, &err), KL_OK);
    c = sound;
    c.zero = c.full;
    ck_assert_int_ne(ladder_rubric_check(&rubric, lab->problem, ladder_counter_known, &err), KL_OK);
    c = sound;
    c.points = 0;
    ck_assert_int_ne(ladder_rubric_check(&rubric, lab->problem, ladder_counter_known, &err), KL_OK);
    c = sound;
    step.file = "0_other.cu";
    ck_assert_int_ne(ladder_rubric_check(&rubric, lab->problem, ladder_counter_known, &err), KL_OK);
}

KL_TEST(hidden_cases_are_hidden_ones_of_their_step) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    static const struct {
        ladder_hidden_case cases[2];
        const char *said; // NULL: sound
    } tries[] = {{{{"sum-exact", 777}, {"max-odd", 777}}, NULL},
                 {{{"sum-exact", 777}, {"sum-exact", 777}}, "is there twice"},
                 {{{"sum-exact", 777}, {"sum-exact", 1000}}, "it cannot be hidden"},
                 {{{"sum-exact", 777}, {"none", 777}}, "no family 'none'"},
                 {{{"sum-exact", 777}, {"sum-exact", 0}}, "impossible size"}};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        const ladder_criterion c = {
            .kind = LADDER_CRITERION_CASES, .points = 2, .cases = tries[i].cases, .case_count = 2};
        ladder_rubric_step step = lab->rubric->steps[0];
        const ladder_rubric rubric = {.steps = &step, .step_count = 1};
        step.criteria = &c;
        step.criteria_count = 1;
        err.text[0] = '\0';
        kl_status status = ladder_rubric_check(&rubric, lab->problem, ladder_counter_known, &err);
        ck_assert_int_eq(status, tries[i].said ? KL_ERROR_INPUT : KL_OK);
        ck_assert_msg(!tries[i].said || strstr(err.text, tries[i].said), "%s", err.text);
        ck_assert(near(ladder_criterion_share(&c, 1), 0.5) &&
                  near(ladder_criterion_share(&c, 2), 1));
    }
}

#define LOADS   "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
#define SECTORS "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"

// What a submission lowers without doing better needs a bound that it cannot lower.
KL_TEST(counts_that_can_be_diluted_are_refused) {
    static const struct {
        const char *counter, *per;
        double full, zero;
        const char *with, *with_per; // a further bound; NULL: none
        double with_full, with_zero;
        const char *refused; // part of the message; NULL: sound
    } rows[] = {
        {SECTORS, LOADS, 4, 8, NULL, NULL, 0, 0, "a ratio"},
        {SECTORS, LOADS, 4, 8, SECTORS, "element", 1, 2, "a ratio"}, // atomics escape it
        {SECTORS, LOADS, 4, 8, "sim__read_sectors.sum", LOADS, 1, 2, "a ratio"},
        {SECTORS, LOADS, 4, 8, "sim__read_sectors.sum", "element", 2, 1, "a ratio"},
        {SECTORS, LOADS, 4, 8, "sim__read_sectors.sum", "element", 1, 2, NULL},
        {SECTORS, LOADS, 4, 8, "launches sim__read_sectors.sum", "call", 1, 2, NULL},
        {"sim__barriers.sum", "block", 4, 8, NULL, NULL, 0, 0, "upper bound on sim__barriers.sum"},
        {"sim__barriers.sum", "call", 4, 8, NULL, NULL, 0, 0, NULL},
        {LOADS, "element", 1, 2, NULL, NULL, 0, 0, "a count of one way"},
        {"launches " LOADS, "call", 1, 2, NULL, NULL, 0, 0, "sim__read_requests.sum"},
        {LOADS, "element", 1, 2, "sim__read_requests.sum", "element", 1, 2, NULL},
        {"sim__read_requests.sum", "element", 1, 2, NULL, NULL, 0, 0, NULL},
        {"smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed.sum", 30, 20, NULL, NULL, 0,
         0, "smsp__inst_executed.sum"},
        {"smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed.sum", 30, 20,
         "smsp__inst_executed.sum", "call", 1, 2, NULL},
        {"smsp__inst_executed_op_ldgsts.sum", "element", 2, 1, NULL, NULL, 0, 0, "a least amount"},
        {"smsp__inst_executed_op_ldgsts.sum", "element", 2, 1, "sim__shared_write_requests.sum",
         "call", 1, 2, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const ladder_bound with = {.text = "w",
                                   .counter = rows[i].with,
                                   .per = rows[i].with_per,
                                   .family = "",
                                   .full = rows[i].with_full,
                                   .zero = rows[i].with_zero};
        const ladder_criterion c = {.kind = LADDER_CRITERION_COUNT,
                                    .text = "t",
                                    .counter = rows[i].counter,
                                    .per = rows[i].per,
                                    .full = rows[i].full,
                                    .zero = rows[i].zero,
                                    .with = &with,
                                    .with_count = rows[i].with != NULL};
        kl_status status = ladder_rubric_check_dilution(&c, 7, &err);
        ck_assert_msg((status != KL_OK) == (rows[i].refused != NULL), "row %zu: %s", i, err.text);
        if (!rows[i].refused) continue;
        ck_assert_msg(strstr(err.text, "step 7, \"t\"") && strstr(err.text, rows[i].refused),
                      "row %zu: %s", i, err.text);
    }
}

// A bound of another case limits nothing in this one; and the names of the table are counters.
KL_TEST(bounds_of_other_cases_limit_nothing) {
    const ladder_bound with = {"w", "sim__read_sectors.sum", "call", "other", 4, 1, 2};
    const ladder_criterion c = {.kind = LADDER_CRITERION_COUNT,
                                .text = "t",
                                .counter = SECTORS,
                                .per = LOADS,
                                .full = 4,
                                .zero = 8,
                                .with = &with,
                                .with_count = 1};
    ck_assert_int_eq(ladder_rubric_check_dilution(&c, 7, &err), KL_ERROR_INPUT);
    static const char *const names[] = {
#define LADDER_WAY(counter, all)  counter, all,
#define LADDER_EVERY_WAY(counter) counter,
#include "grade/rubric/ways.def"
#undef LADDER_WAY
#undef LADDER_EVERY_WAY
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(sim_counter_find(names[i]) != SIM_COUNTER_COUNT, "%s", names[i]);
}

KL_TEST(labs_and_steps_answer_to_their_names) {
    static const char *const names[] = {
        "2", "02", "reduction", "02_reduction", "02_reduction/", "Reduction"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(ladder_lab_find(names[i]), "%s", names[i]);
    ck_assert_ptr_null(ladder_lab_find("77"));
    ck_assert_ptr_null(ladder_lab_find(""));
    const ladder_lab *lab = NULL;
    ck_assert_int_eq(ladder_lab_require("reducton", &lab, &err), KL_ERROR_USAGE);
    KL_HAS(err.text, "did you mean reduction");
    lab = ladder_lab_find("2");
    const kl_step_info *step = NULL;
    static const char *const steps[] = {"3", "sequential", "3_sequential", "3_sequential.cu"};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        ck_assert_int_eq(ladder_lab_require_step(lab, steps[i], &step, &err), KL_OK);
        ck_assert_int_eq(step->number, 3);
    }
    ck_assert_int_eq(ladder_lab_require_step(lab, "sequentail", &step, &err), KL_ERROR_USAGE);
    KL_HAS(err.text, "did you mean sequential");
}

static ladder_step_result step_with(double points, double points_max, bool counted) {
    ladder_step_result step = {.outcome = LADDER_CORRECT, .criteria_count = 2};
    step.criteria[0] = (ladder_criterion_result){
        .measured = true, .counted = true, .points = points, .points_max = points_max};
    step.criteria[1] = (ladder_criterion_result){.counted = counted, .points_max = 5};
    return step;
}

KL_TEST(what_is_not_measured_is_left_out_of_the_total) {
    static ladder_result result; // large
    memset(&result, 0, sizeof result);
    result.step_count = 2;
    result.steps[0] = step_with(4, 4, false);
    result.steps[1] = step_with(3, 6, false);
    ladder_result_total(&result);
    ck_assert(near(ladder_points_score(&result.points), 70.0));
    ck_assert(result.points.graded);
    result.steps[1] = step_with(3, 6, true);
    ladder_result_total(&result);
    ck_assert(near(ladder_points_score(&result.points), 100.0 * 7 / 15));
    result.steps[0].outcome = LADDER_UNGRADABLE;
    ladder_result_total(&result);
    ck_assert(!result.points.graded);
}

KL_TEST(having_predicted_can_earn_points) {
    const ladder_criterion criteria[] = {{.kind = LADDER_CRITERION_CORRECT, .points = 4},
                                         {.kind = LADDER_CRITERION_PREDICTED, .points = 0.5}};
    const ladder_rubric_step step = {1, "1_a.cu", false, criteria, 2};
    const ladder_grade_plan plan = {.gpu = false};
    static ladder_step_result result; // large
    const ladder_submission_run run = {.plan = &plan, .step = &step, .step_result = &result};
    for (int predicted = 0; predicted < 2; predicted++) {
        memset(&result, 0, sizeof result);
        result.outcome = LADDER_CORRECT;
        result.predicted = predicted == 1;
        // What was predicted is of no interest here.
        result.prediction_count = 1;
        result.predictions[0] = (ladder_prediction){"x", 1, 1000, predicted == 1};
        ladder_score_step(&run);
        ck_assert(result.criteria[1].counted && near(result.criteria[0].points, 4));
        ck_assert(near(result.criteria[1].points, predicted == 1 ? 0.5 : 0));
    }
    result.outcome = LADDER_WRONG_ANSWER; // correctness opens all other points
    ladder_score_step(&run);
    ck_assert(near(result.criteria[1].points, 0));
}

// labs/modelled.json names the speed criteria that it was made for.
KL_TEST(modelled_thresholds_are_those_of_the_rubric) {
    int with_file = 0;
    for (int l = 0; l < ladder_lab_count; l++) {
        const ladder_lab *lab = &ladder_labs[l];
        with_file += lab->rubric->modelled_of != NULL;
        kl_status status = ladder_rubric_check_modelled(lab->rubric, lab->folder, &err);
        ck_assert_msg(status == KL_OK, "%s", err.text);
    }
    ck_assert_int_gt(with_file, 0);
}

KL_TEST(another_version_of_the_speed_criteria_is_noticed) {
    char kept[LADDER_SPEED_HASH_TEXT], other[LADDER_SPEED_HASH_TEXT];
    const ladder_criterion was = {.kind = LADDER_CRITERION_SPEED,
                                  .points = 2,
                                  .family = "sum",
                                  .size = 4096,
                                  .full = 4,
                                  .zero = 2};
    ladder_criterion both[] = {was, {.kind = LADDER_CRITERION_CORRECT}};
    ladder_rubric_step step = {.step = 1, .criteria = both, .criteria_count = 1};
    ladder_rubric rubric = {.steps = &step, .step_count = 1, .modelled_of = kept};
    ladder_rubric_speed_hash(&rubric, kept);
    ck_assert_uint_eq(strlen(kept), 16);
    ck_assert(ladder_rubric_check_modelled(&rubric, "lab", &err) == KL_OK);
    both[0].points = 3; // another weight, and another criterion of the step: the same question
    step.criteria_count = 2;
    ck_assert(ladder_rubric_check_modelled(&rubric, "lab", &err) == KL_OK);
    both[1].kind = LADDER_CRITERION_COUNT; // which closes the other to earlier steps
    ck_assert(ladder_rubric_check_modelled(&rubric, "lab", &err) == KL_ERROR_INPUT);
    step.criteria_count = 1;
    for (int change = 0; change < 5; change++) {
        both[0] = was;
        step.step = change == 0 ? 2 : 1;
        if (change == 1) both[0].family = "sum-exact";
        if (change == 2) both[0].size = 8192;
        if (change == 3) both[0].full = 4.001;
        if (change == 4) both[0].over = 3;
        ladder_rubric_speed_hash(&rubric, other);
        ck_assert_msg(strcmp(kept, other) != 0, "change %d", change);
        ck_assert(ladder_rubric_check_modelled(&rubric, "07_gemm", &err) == KL_ERROR_INPUT);
        KL_HAS(err.text, "labs/modelled.json was made for other", "./ladder tables");
    }
    rubric.modelled_of = NULL; // a lab without that file
    ck_assert(ladder_rubric_check_modelled(&rubric, "lab", &err) == KL_OK);
}

KL_TEST_MAIN("rubric")
