// Families that belong to some steps only, how their many cases are shown, and cases whose step is
// a host function.
// links: kl_lab
#include "device_case.h"
#include "ladder.h"
#include "suite.h"

static const kl_step_info steps[] = {{.name = "host", .given = true},
                                     {.number = 1, .name = "a"},
                                     {.number = 2, .name = "b", .needs_sm = 90, .needs_cuda = 12}};
static const kl_family families[] = {{"host", "", 1u << 0}, {"some", "", 1u << 2}, {"all", "", 0}};
static const kl_family not_vendor = {"own", "", 1u << 2 | KL_NOT_VENDOR};
static const kl_suite_entry suite[] = {{0, 4, KL_CHECK},
                                       {1, 64, KL_CHECK | KL_TIME_SIM},
                                       {2, 8, KL_CHECK | KL_TIME_SIM},
                                       {2, 32, KL_CHECK | KL_TIME_SIM}};

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out, kl_error *err) {
    (void)err;
    memset(out, 0, sizeof *out);
    out->family = family;
    out->size = size;
    out->seed = seed;
    out->host = family == 0;
    out->input_count = out->output_count = 1;
    out->inputs[0] = (kl_buffer){.name = "x", .dtype = KL_F32, .elems = (uint64_t)size};
    out->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32, .elems = (uint64_t)size};
    return KL_OK;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    for (int64_t i = 0; i < c->size; i++) ((float *)inputs[0])[i] = (float)i;
    return KL_OK;
}

static uint64_t solution_bytes(const kl_case *c) {
    (void)c;
    return 1;
}

static kl_status solve(const kl_case *c, const void *const *in, void *out, kl_error *err) {
    (void)c, (void)in, (void)out, (void)err;
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out) {
    (void)solution;
    memset(out, 0, sizeof *out);
    out->compared = (uint64_t)c->size;
    out->ok = true;
    for (int64_t i = 0; i < c->size; i++) {
        float want = 2 * ((const float *)inputs[0])[i], got = ((const float *)outputs[0])[i];
        out->ok = out->ok && got == want; // false for the NaN of a poisoned output
    }
}

static const kl_problem problem = {.name = "fake",
                                   .folder = "00_fake",
                                   .title = "Fake",
                                   .size_unit = "items",
                                   .max_size = 1 << 20,
                                   .steps = steps,
                                   .step_count = 3,
                                   .families = families,
                                   .family_count = 3,
                                   .suite = suite,
                                   .suite_count = 4,
                                   .timed_family = "all",
                                   .describe = describe,
                                   .generate = generate,
                                   .solution_bytes = solution_bytes,
                                   .solve = solve,
                                   .verify = verify};

KL_TEST(a_family_serves_the_steps_of_its_mask) {
    ck_assert(kl_problem_serves(&problem, 0, 0) && !kl_problem_serves(&problem, 0, 2));
    ck_assert(kl_problem_serves(&problem, 2, 0) && kl_problem_serves(&problem, 2, 1));
    kl_problem own = problem;
    own.families = &not_vendor;
    ck_assert(kl_problem_serves(&own, 0, 2) && !kl_problem_serves(&own, 0, -1));
    ck_assert(kl_problem_serves(&problem, 1, -1) && !kl_problem_serves(&problem, 0, -1));
}

// The last step alone lacks the timed family: it is one beside the ladder, and the library is asked
// for its cases, too.
KL_TEST(a_step_beside_the_ladder_does_not_end_it) {
    static const kl_family beside[] = {
        {"first", "", 1u << 0}, {"timed", "", 3u << 0}, {"own", "", 1u << 2}};
    ck_assert_int_eq(kl_problem_last(&problem)->number, 2);
    kl_problem other = problem;
    other.families = beside;
    other.timed_family = "timed";
    ck_assert_int_eq(kl_problem_last(&other)->number, 1);
    ck_assert(kl_problem_serves(&other, 1, -1) && kl_problem_serves(&other, 2, -1));
    ck_assert(!kl_problem_serves(&other, 0, -1) && !kl_problem_serves(&other, 1, 2));
}

static const char *unit_of(int family) { return family == 1 ? "rows" : "a side"; }

// Step 2 needs compute capability 9.0 and CUDA 12. What is older than all that toolkits compile for
// is simulated by the code of later devices.
KL_TEST(a_step_that_needs_more_is_left_out) {
    char text[128] = "";
    ck_assert(!kl_step_lacks(&steps[1], 11, 52, 1, text, sizeof text));
    ck_assert(!kl_step_lacks(&steps[2], 12, 90, 1, text, sizeof text));
    ck_assert(!kl_step_lacks(&steps[2], 13, 120, 1, text, sizeof text));
    ck_assert(!kl_step_lacks(&steps[2], 12, 35, 1, text, sizeof text));
    ck_assert(kl_step_lacks(&steps[2], 13, 89, 1, text, sizeof text));
    ck_assert_str_eq(text, "needs compute capability 9.0; this device has 8.9");
    ck_assert(kl_step_lacks(&steps[2], 11, 90, 1, text, sizeof text));
    ck_assert_str_eq(text, "needs CUDA 12; this kit is built with CUDA 11");
    const kl_step_info two = {.needs_devices = 2};
    ck_assert(!kl_step_lacks(&two, 12, 90, 0, text, sizeof text)); // not known
    ck_assert(!kl_step_lacks(&two, 12, 90, 2, text, sizeof text));
    ck_assert(kl_step_lacks(&two, 12, 90, 1, text, sizeof text));
    ck_assert_str_eq(text, "needs 2 GPUs; this machine has 1");
    const kl_step_info exact = {.needs_sm = 90, .needs_exact = true};
    ck_assert(!kl_step_lacks(&exact, 12, 90, 1, text, sizeof text));
    ck_assert(kl_step_lacks(&exact, 12, 120, 1, text, sizeof text));
    ck_assert_str_eq(text, "needs compute capability 9.0, no other; this device has 12.0");
}

// A checker that looked at other cases must not call clean what a case stopped.
KL_TEST(a_step_that_fails_is_not_clean) {
    kl_ladder *ladder = calloc(1, sizeof *ladder);
    char text[512] = "";
    const kl_style style = {.width = 80};
    static const ladder_outcome states[] = {LADDER_CORRECT, LADDER_WRONG_ANSWER, LADDER_CRASHED,
                                            LADDER_KERNEL_FAULT};
    ladder->count = ladder->checks.count = 4;
    for (int i = 0; i < 4; i++) {
        ladder->steps[i] = (kl_ladder_step){.number = i, .state = states[i]};
        ladder->checks.steps[i] = (kl_side_check){.step = i};
    }
    ladder->checks.steps[3].findings = 1;
    strcpy(ladder->checks.steps[3].text, "deadlock at 3_c.cu:7\nput a barrier there");
    kl_ladder_join_checks(ladder);
    FILE *out = fmemopen(text, sizeof text, "w");
    kl_side_check_print(&ladder->checks, "lab", false, &style, out);
    fclose(out);
    ck_assert(!kl_may_cause_fault("out-of-bounds at 3_c.cu:7"));
    ck_assert(kl_may_cause_fault("unset-variable at 3_c.cu:7"));
    ck_assert_str_eq(text, "\ncheck: step 1: no race and no read of unset memory in small cases\n"
                           "check: step 0 clean (small cases, on the simulator)\n"
                           "check: step 3 at 3_c.cu:7: this fault\n"
                           "       ./ladder check lab 3\n");
    ladder->checks.steps[2] = // of a step with a fault, but perhaps its cause
        (kl_side_check){.step = 3, .findings = 1, .text = "race\nput a barrier"};
    ladder->checks.steps[0] = (kl_side_check){.step = 1, .text = "leak\nfree it"};
    ladder->checks.count = 3;
    kl_ladder_join_checks(ladder);
    memset(text, 0, sizeof text);
    out = fmemopen(text, sizeof text, "w");
    kl_side_check_print(&ladder->checks, "lab", true, &style, out);
    fclose(out);
    KL_HAS(text, "check: step 1: a warning, leak: free it\n",
           "check: step 3: put a barrier\n"
           "       ./ladder check lab 3 --solution\n");
    free(ladder);
}

KL_TEST(one_is_singular) {
    char text[64];
    kl_problem own = problem;
    ck_assert_str_eq(kl_size_text(&own, 0, 1, text, sizeof text), "1 item");
    ck_assert_str_eq(kl_size_text(&own, 0, 0, text, sizeof text), "0 items");
    ck_assert_str_eq(kl_size_text(&own, 0, 1 << 20, text, sizeof text), "2^20 items");
    own.unit_of = unit_of;
    ck_assert_str_eq(kl_size_text(&own, 1, 1, text, sizeof text), "1 row");
    ck_assert_str_eq(kl_size_text(&own, 2, 1, text, sizeof text), "1 a side");
    ck_assert_str_eq(kl_size_text(&own, -1, 21, text, sizeof text), "21 items");
    own.unit_of = NULL;
    own.size_unit = "batches";
    ck_assert_str_eq(kl_size_text(&own, 0, 1, text, sizeof text), "1 batch");
    ck_assert_str_eq(kl_size_text(&own, 0, 2, text, sizeof text), "2 batches");
}

KL_TEST(a_plan_has_what_its_steps_need) {
    kl_options options = {.size = -1, .launch_once = -1};
    kl_error err;
    kl_plan plan;
    OK(kl_plan_make(&problem, &options, true, &plan, &err));
    ck_assert_int_eq(plan.count, 4);
    ck_assert_int_eq(plan.cases[plan.main_case].data.shape.family,
                     2); // the timed family, not the largest
    ck_assert_int_eq(plan.cases[plan.main_case].data.shape.size, 32);
    ck_assert_int_eq(plan.main_of[1 + 2], plan.main_case);
    kl_plan_free(&plan);

    options.step[0] = true;
    options.step_count = 1;
    OK(kl_plan_make(&problem, &options, true, &plan, &err));
    ck_assert_int_eq(plan.count, 3); // without the family of step 2
    kl_plan_free(&plan);
}

static kl_status describe_long(int family, int64_t size, uint64_t seed, kl_case *out,
                               kl_error *err) {
    kl_status status = describe(family, size, seed, out, err);
    out->work_ops = (double)size * (1 << 23);
    return status;
}

// The simulator times what the table shows; further times are for --tables and --json, and a number
// to watch may be of a case that two steps alone run. Short cases are run all the same.
KL_TEST(what_is_not_shown_is_not_timed) {
    static const kl_suite_entry timed[] = {{1, 64, KL_TIME_SIM}, {1, 128, KL_TIME_SIM},
                                           {2, 4, KL_TIME_SIM},  {2, 8, KL_CHECK | KL_TIME_SIM},
                                           {2, 16, KL_TIME_SIM}, {2, 32, KL_TIME_SIM}};
    static const kl_watch watch = {.step = 2, .family = "some", .size = 64};
    kl_problem own = problem;
    kl_error err;
    kl_plan plan;
    own.describe = describe_long;
    own.suite = timed;
    own.suite_count = 6;
    own.watches = &watch;
    own.watch_count = 1;
    for (int whole = 0; whole < 3; whole++) {
        kl_options options = {.size = -1,
                              .launch_once = -1,
                              .trials = -1,
                              .tables = whole == 1,
                              .json_file = whole == 2 ? "-" : NULL};
        OK(kl_plan_make(&own, &options, true, &plan, &err));
        ck_assert_int_eq(plan.count, 6);
        int timed_cases = 0, cases = 0, main = plan.main_case;
        for (int i = 0; i < plan.count; i++) {
            timed_cases += plan.cases[i].timed;
            cases += (plan.cases[i].serves & KL_STEP_BIT(2)) != 0;
        }
        ck_assert_int_eq(timed_cases, whole ? 6 : 1);
        ck_assert_int_eq(cases, whole ? 6 : 4);
        ck_assert_int_eq(plan.cases[main].data.shape.size, 32);
        ck_assert(plan.cases[main].timed && (plan.cases[main].serves & KL_STEP_BIT(1)) != 0);
        int watched = kl_plan_watched(&plan, &watch);
        ck_assert_int_ge(watched, 0);
        ck_assert((plan.cases[watched].serves & KL_STEP_BIT(2)) != 0 &&
                  (plan.cases[watched].counts & KL_STEP_BIT(2)) != 0);
        kl_plan_free(&plan);
    }
}

// Narrowed to a family that only step 2 has, or to a size: whatever runs on the device has a time,
// host functions none.
KL_TEST(every_step_of_a_narrowed_run_is_timed) {
    kl_problem separate = problem;
    const kl_family kinds[] = {
        {"host", "", 1u << 0}, {"first", "", 1u << 1}, {"second", "", 1u << 2}};
    kl_options options = {.size = 8, .launch_once = -1};
    kl_error err;
    kl_plan plan;
    separate.families = kinds;
    separate.timed_family = "first";
    for (int check_only = 0; check_only < 2; check_only++) {
        options.check_only = check_only;
        OK(kl_plan_make(&separate, &options, true, &plan, &err));
        ck_assert_int_eq(plan.count, 3);
        ck_assert_int_eq(plan.main_of[1 + 0], -1);
        ck_assert_int_eq(plan.main_of[1 + 1] >= 0, !check_only);
        ck_assert_int_eq(plan.main_of[1 + 2] >= 0, !check_only);
        kl_plan_free(&plan);
    }
    options = (kl_options){.size = -1, .launch_once = -1, .quick = true, .step_count = 1};
    options.step[2] = true;
    const kl_suite_entry quick[] = {{2, 4, KL_CHECK | KL_QUICK}, {2, 16, KL_CHECK | KL_QUICK}};
    separate.suite = quick;
    separate.suite_count = 2;
    OK(kl_plan_make(&separate, &options, true, &plan, &err));
    ck_assert_int_eq(plan.cases[plan.main_of[1 + 2]].data.shape.size, 16);
    kl_plan_free(&plan);
}

static kl_status describe_small(int family, int64_t size, uint64_t seed, kl_case *out_case,
                                kl_error *err) {
    if (size > (family == 1 ? 4 : 8))
        return kl_no_such_case(&problem, family, size, "small ones", err);
    return problem.describe(family, size, seed, out_case, err);
}

// With --size a kind of input that ends earlier is left out and named; asked for by name, or alone,
// it is an error.
KL_TEST(kinds_without_the_wanted_size_are_left_out) {
    kl_problem small = problem;
    kl_options options = {.size = 8, .launch_once = -1};
    kl_error err;
    kl_plan plan;
    small.describe = describe_small;
    OK(kl_plan_make(&small, &options, true, &plan, &err));
    ck_assert_int_eq(plan.count, problem.family_count - 1);
    ck_assert_str_eq(plan.left_out, problem.families[1].name);
    kl_plan_free(&plan);
    options.size = 16;
    ck_assert_int_eq(kl_plan_make(&small, &options, true, &plan, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "has no size 16; small ones");
    kl_plan_free(&plan);
    options.size = 8;
    options.family = problem.families[1].name;
    ck_assert_int_eq(kl_plan_make(&small, &options, true, &plan, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, options.family);
    kl_plan_free(&plan);
}

static int mode; // of the step below

static int call(void *function, const kl_call *c) {
    (void)function;
    for (uint64_t i = 0; mode == 1 && i < c->output_bytes[0] / sizeof(float); i++)
        ((float *)c->d_outputs[0])[i] = 2 * ((const float *)c->d_inputs[0])[i];
    return mode == 2 ? KL_NOT_IMPLEMENTED : mode == 3 ? 7 : 0;
}

static void take_last(void *context, const kl_case_result *result) {
    memcpy(context, result, sizeof *result);
}

KL_TEST(a_host_case_is_called_and_judged) {
    static const ladder_outcome want[] = {LADDER_WRONG_ANSWER, LADDER_CORRECT,
                                          LADDER_NOT_IMPLEMENTED, LADDER_CUDA_ERROR};
    kl_adapter adapter = {.call = call};
    kl_plan *plan = calloc(1, sizeof *plan);
    kl_device device = {.simulated = true};
    kl_step_job job = {.plan = plan, .adapter = &adapter, .device = &device};
    kl_error err;
    plan->problem = &problem;
    plan->count = 1;
    plan->cases[0].serves = KL_STEP_BIT(0);
    OK(kl_prepare_case(&problem, 0, 4, 1, &plan->cases[0].data, &err));
    for (mode = 0; mode < 4; mode++) {
        kl_case_result result = {.plan_index = -1};
        kl_step_run(&job, take_last, &result);
        ck_assert_int_eq(result.plan_index, 0);
        ck_assert_int_eq(result.state, want[mode]);
    }
    kl_prepared_free(&plan->cases[0].data);
    free(plan);
}

// Ten kinds of case, two sizes each: far too many columns for a terminal.
enum { MANY = 10 };

static void make_many(kl_problem *wide, kl_family *kinds, char names[MANY][16], kl_plan *plan,
                      kl_ladder *ladder) {
    *wide = problem;
    wide->families = kinds;
    wide->family_count = MANY;
    plan->problem = wide;
    plan->main_case = 0;
    for (int f = 0; f < MANY; f++) {
        snprintf(names[f], 16, "kind-%c", 'a' + f);
        kinds[f] = (kl_family){names[f], "", f < MANY / 2 ? 1u << 1 : 1u << 2};
        for (int s = 0; s < 2; s++) {
            kl_planned *planned = &plan->cases[plan->count++];
            planned->timed = true;
            planned->data.shape.family = f;
            planned->data.shape.size = 1000 + s;
            planned->data.shape.work_bytes = 1e6;
        }
    }
    ladder->problem = wide; // its other members are zero; as a whole it is too large for the stack
    ladder->plan = plan;
    ladder->count = 2;
    for (int k = 0; k < 2; k++) {
        kl_ladder_step_begin(&ladder->steps[k], &steps[k + 1]);
        ladder->steps[k].state = LADDER_CORRECT;
        for (int i = 0; i < plan->count; i++) {
            if (!kl_problem_serves(wide, plan->cases[i].data.shape.family, k + 1)) continue;
            ladder->steps[k].cases[i].time_us = (kl_interval){100, 100, 100};
        }
    }
}

static int occurrences(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text++) count++;
    return count;
}

KL_TEST(many_cases_fit_the_terminal) {
    static kl_ladder ladder;
    static kl_plan plan;
    kl_problem wide;
    kl_family kinds[MANY];
    char names[MANY][16];
    make_many(&wide, kinds, names, &plan, &ladder);
    for (int width = 60; width <= 120; width += 20) {
        kl_style style = {.width = width};
        char *text = NULL, title[192];
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        kl_ladder_print_sizes(&ladder, &(kl_ladder_unit){.rate_at = "GB/s at"}, &style, out);
        fclose(out);
        for (int f = 0; f < MANY; f++) {
            snprintf(title, sizeof title, "%s 1001", names[f]);
            ck_assert_int_eq(occurrences(text, title), 1);
        }
        ck_assert_int_eq(occurrences(text, "10.0"),
                         2 * MANY); // every case of every step that has it
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            ck_assert_msg(kl_text_width(line) <= width, "%d: %s", width, line);
        free(text);
    }
    memset(&plan, 0, sizeof plan);
}

KL_TEST(a_missed_target_is_told) {
    ck_assert(kl_watch_missed(377, 376.9, 98)); // nothing has changed
    ck_assert(!kl_watch_missed(377, 99.2, 98)); // a size that is no power of two
    ck_assert(!kl_watch_missed(377, 90, 98));   // better than the solution
    ck_assert(kl_watch_missed(1, 60, 121));     // more is better
    ck_assert(!kl_watch_missed(1, 130, 121));
    ck_assert(!kl_watch_missed(98, 300, 98)); // neither side is the wrong one
    ck_assert(!kl_watch_missed((double)NAN, 300, 98));
    ck_assert(!kl_watch_missed(377, 300, (double)NAN));
}

KL_TEST(a_target_is_of_one_case) {
    const kl_family kinds[] = {{"full", "", 0}, {"causal", "", 0}, {"host", "", 1u << 2}};
    kl_problem three = problem;
    three.families = kinds;
    three.family_count = 3;
    three.timed_family = "full";
    kl_watch watch = {.step = 1, .target = 9, .size = 512, .family = ""};
    ck_assert(kl_watch_target(&three, &watch, 0, 512) == 9);
    ck_assert(isnan(kl_watch_target(&three, &watch, 0, 256)));
    ck_assert(isnan(kl_watch_target(&three, &watch, 1, 512)));
    watch.family = "causal";
    ck_assert(isnan(kl_watch_target(&three, &watch, 0, 512)));
    ck_assert(kl_watch_target(&three, &watch, 1, 512) == 9);
    watch = (kl_watch){.step = 1, .target = 9, .family = ""}; // at any size
    ck_assert(kl_watch_target(&three, &watch, 0, 77) == 9);
    ck_assert(isnan(kl_watch_target(&three, &watch, 1, 77)));
    three.timed_family = "host"; // which step 1 does not have: it is timed in another one
    ck_assert(kl_watch_target(&three, &watch, 1, 77) == 9);
}

KL_TEST(a_case_is_kept_once_and_empty_cases_run_last) {
    kl_case_list w = {.count = 0};
    kl_error err = {KL_OK, ""};
    OK(kl_case_list_add(&w, 1, 0, false, &err));
    OK(kl_case_list_add(&w, 1, 8, false, &err));
    OK(kl_case_list_add(&w, 0, 8, false, &err));
    OK(kl_case_list_add(&w, 1, 2, true, &err));
    OK(kl_case_list_add(&w, 1, 8, true, &err));
    OK(kl_case_list_add(&w, 1, 2, false, &err)); // takes no mark away
    kl_case_list_sort(&w);
    static const kl_listed_case want[] = {{1, 2, true}, {0, 8, false}, {1, 8, true}, {1, 0, false}};
    ck_assert_int_eq(w.count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(w.items[i].family, want[i].family);
        ck_assert_int_eq(w.items[i].size, want[i].size);
        ck_assert_int_eq(w.items[i].marked, want[i].marked);
    }
    while (w.count < KL_CASE_LIST_MAX) OK(kl_case_list_add(&w, 2, w.count, false, &err));
    ck_assert_int_eq(kl_case_list_add(&w, 2, KL_CASE_LIST_MAX, false, &err), KL_ERROR_LIMIT);
}

KL_TEST(poison_lies_around_the_data_of_a_buffer) {
    static const unsigned char data[3] = {1, 2, 3};
    const void *inputs[2] = {NULL, data};
    unsigned char got[4], back[3], want[4];
    void *outputs[2] = {NULL, got};
    const kl_case_layout layout = {.input_count = 2,
                                   .output_count = 2,
                                   .input_bytes = {0, 3},
                                   .output_bytes = {0, 4},
                                   .input_offset = {2, 2},
                                   .sets = 1,
                                   .slots = 1,
                                   .host = 1,
                                   .fenced = 1};
    const kl_case_scalars scalars = {.ints = {0}};
    kl_device_case c = {.layout = {.sets = 0}};
    kl_error err;
    memset(want, KL_POISON, sizeof want);
    OK(kl_case_begin(&c, &layout, &scalars, &err));
    OK(kl_case_upload(&c, 0, inputs, &err));
    ck_assert_ptr_null(c.sets[0].bases[0]); // nothing is made for no data
    const unsigned char *base = c.sets[0].bases[1];
    ck_assert_mem_eq(base, want, 2);
    ck_assert_mem_eq(base + 2, data, 3);
    for (int i = 0; i < KL_CASE_FENCE; i++) ck_assert_uint_eq(base[2 + 3 + i], KL_POISON);
    OK(kl_case_fetch_input(&c, 0, 1, back, &err));
    ck_assert_mem_eq(back, data, 3);
    OK(kl_case_make_outputs(&c, &err));
    OK(kl_case_poison(&c, 1, &err));
    ck_assert_ptr_null(c.d_outputs[0][0]);
    OK(kl_case_fetch(&c, 0, outputs, &err));
    ck_assert_mem_eq(got, want, 4);
    ((unsigned char *)c.d_outputs[0][1])[4] = 1;
    ck_assert_int_eq(kl_case_fetch(&c, 0, outputs, &err), KL_ERROR_LIMIT);
    ck_assert_str_eq(err.text, "the step wrote 1 bytes beyond the end of an output");
    ((unsigned char *)c.d_outputs[0][1])[4] = KL_POISON;
    ((unsigned char *)c.d_outputs[0][1])[-3] = 1;
    ck_assert_int_eq(kl_case_fetch(&c, 0, outputs, &err), KL_ERROR_LIMIT);
    ck_assert_str_eq(err.text, "the step wrote 3 bytes before an output");
    kl_case_close(&c);
    ck_assert_ptr_null(c.sets);
}

KL_TEST_MAIN("families")
