// SPDX-License-Identifier: MIT
// Command line of a lab program and the choice of cases that follows from it.
// links: reduction_problem kl_lab
#include <string.h>

#include "instruction_ceiling.h"
#include "plan.h"
#include "reference.h"
#include "suite.h"

enum { MOST_WORDS = 16 };

static kl_options options;
static kl_error err;

// Parses a command line given as words separated by blanks.
static kl_status parse(const char *line) {
    static char words[256];
    char *argv[MOST_WORDS] = {"reduction"};
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && argc + 1 < MOST_WORDS; word = strtok(NULL, " "))
        argv[argc++] = word;
    return kl_options_parse(argc, argv, &reduction_problem, &options, &err);
}

START_TEST(options_are_understood) {
    ck_assert_int_eq(parse("--step 3 --solution --size 2^20 5 --device sim --json out.json"),
                     KL_OK);
    ck_assert_int_eq(options.step_count, 2);
    ck_assert_int_eq(options.steps[0], 3);
    ck_assert_int_eq(options.steps[1], 5);
    ck_assert(options.solution);
    ck_assert_int_eq(options.size, 1 << 20);
    ck_assert_int_eq(options.device.choice, KL_CHOOSE_SIM);
    ck_assert_ptr_null(options.device.model);
    ck_assert_str_eq(options.json_file, "out.json");
    ck_assert_int_eq(parse("--device h200"), KL_OK);
    ck_assert_int_eq(options.device.choice, KL_CHOOSE_SIM);
    ck_assert_str_eq(options.device.model, "h200");
    ck_assert_int_eq(parse("--device gpu"), KL_OK);
    ck_assert_int_eq(options.device.choice, KL_CHOOSE_GPU);
    ck_assert_ptr_null(options.device.model);
    ck_assert_int_eq(parse(""), KL_OK);
    ck_assert_int_eq(options.size, -1);
    ck_assert_int_eq(options.launch_once, -1);
    ck_assert_int_eq(options.trials, -1);
    ck_assert_int_eq(parse("--size 0 --case max-odd --quick --check-only --repeat 15 --trials 7"),
                     KL_OK);
    ck_assert_int_eq(options.size, 0);
    ck_assert_int_eq(options.repeat, 15);
    ck_assert_int_eq(options.trials, 7);
}
END_TEST

START_TEST(nonsense_is_refused_with_a_reason) {
    static const char *const lines[] = {
        "--step 99",    "--step x",      "--size -1",     "--size 2^62", "--size 12x",  "--size",
        "--case sum",   "--device cpu",  "--unknown",     "--repeat 0",  "seven",       "--json",
        "--size 2^2^2", "--launch-once", "--timeout 0.5", "--size 3^4",  "--trials -1",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        err.text[0] = '\0';
        ck_assert_msg(parse(lines[i]) == KL_ERROR_USAGE, "accepted: %s", lines[i]);
        ck_assert(err.text[0] != '\0');
    }
    ck_assert_int_eq(parse("--device cpu"), KL_ERROR_USAGE);
    ck_assert_str_eq(
        err.text,
        "--device is one of auto|sim|gpu|h100|h200|a100|rtx4060|k40|gtx8800|FILE, not 'cpu'");
    ck_assert_int_eq(parse("--case sum"), KL_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "--case sum: lab reduction has sum-exact, "));
}
END_TEST

static kl_plan plan;

static void make_plan(const char *line, bool simulated) {
    ck_assert_int_eq(parse(line), KL_OK);
    kl_status status = kl_plan_make(&reduction_problem, &options, simulated, &plan, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
}

START_TEST(one_size_means_every_family_at_that_size) {
    make_plan("--size 1000", true);
    ck_assert_int_eq(plan.count, reduction_problem.family_count);
    for (int i = 0; i < plan.count; i++) ck_assert_int_eq(plan.cases[i].data.shape.size, 1000);
    ck_assert_int_ge(plan.main_case, 0);
    kl_plan_free(&plan);
    make_plan("--size 1000 --case max-odd", false);
    ck_assert_int_eq(plan.count, 1);
    ck_assert_int_eq(plan.main_case, 0);
    kl_plan_free(&plan);
    make_plan("--size 1000 --check-only", false);
    ck_assert_int_eq(plan.main_case, -1);
    kl_plan_free(&plan);
}
END_TEST

START_TEST(the_quick_plan_is_small_and_timed_once) {
    make_plan("--quick", true);
    int timed = 0;
    for (int i = 0; i < plan.count; i++) {
        ck_assert_int_le(plan.cases[i].data.shape.size, 65537);
        timed += plan.cases[i].timed;
        int64_t size = plan.cases[i].data.shape.size;
        if (i > 0 && size > 0) { // ascending, the empty ones last
            ck_assert_int_ge(size, plan.cases[i - 1].data.shape.size);
            ck_assert_int_gt(plan.cases[i - 1].data.shape.size, 0);
        }
    }
    ck_assert_int_eq(timed, 1);
    kl_plan_free(&plan);
}
END_TEST

START_TEST(the_simulator_is_spared_the_largest_size) {
    make_plan("--case sum-exact", true);
    ck_assert_int_eq(plan.cases[plan.main_case].data.shape.size, 1 << 24);
    for (int i = 0; i < plan.count; i++)
        ck_assert_uint_ge(plan.workspace_bytes, plan.cases[i].data.shape.workspace_bytes);
    kl_plan_free(&plan);
}
END_TEST

static double executed(const kl_problem *problem, int step, const char *family) {
    for (int i = 0; i < problem->executed_count; i++) {
        const kl_executed *e = &problem->executed[i];
        if (e->step == step && strcmp(e->family, family) == 0) return e->per_work;
    }
    ck_abort_msg("step %d, %s: not counted", step, family);
}

// The solution executes what warp_instructions.csv says; a step may execute 50 times as much, and a
// million warp instructions more, and what the lab's slowest step executes five times.
START_TEST(ceilings_grow_with_the_work) {
    kl_case shape;
    char text[256];
    const kl_problem *p = &reduction_problem;
    ck_assert_int_eq(p->describe(0, 1 << 20, 1, &shape, NULL), KL_OK);
    double warps = kl_case_work(&shape) / 32, own = executed(p, 1, "sum-exact");
    ck_assert_double_gt(own, 1);
    ck_assert_double_eq_tol(kl_instruction_ceiling(p, 1, &shape, false), 50 * own * warps + 1e6, 1);
    ck_assert_double_eq_tol(kl_instruction_ceiling(p, 1, &shape, true), 10 * own * warps + 1e6, 1);
    double most = 0;
    for (int step = 0; step <= 8; step++)
        most = executed(p, step, "sum-exact") > most ? executed(p, step, "sum-exact") : most;
    for (int step = 0; step <= 8; step++)
        ck_assert_double_ge(kl_instruction_ceiling(p, step, &shape, false), 5 * most * warps);
    kl_instruction_ceiling_text(p, 1, &shape, 1024 * own * warps, text, sizeof text);
    ck_assert_msg(strstr(text, "stopped after 1,024 times the work expected"), "%s", text);
    ck_assert_int_eq(p->describe(0, 1, 1, &shape, NULL), KL_OK);
    kl_instruction_ceiling_text(p, 1, &shape, 1e6, text, sizeof text);
    ck_assert_str_eq(text, "endless: a loop does not end (does each iteration change what its "
                           "condition tests?)");
}
END_TEST

KL_TEST_MAIN("options", ceilings_grow_with_the_work, options_are_understood,
             nonsense_is_refused_with_a_reason, one_size_means_every_family_at_that_size,
             the_quick_plan_is_small_and_timed_once, the_simulator_is_spared_the_largest_size)
