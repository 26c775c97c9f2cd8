// SPDX-License-Identifier: MIT
// Runs as they are kept (ladder.run/1): what was written comes back, and each result has a row.
#include <glob.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ladder.h"
#include "measured.h"
#include "suite.h"

static const kl_step_info steps[] = {{0, "zero", "", true, 0, 0, false},
                                     {1, "one", "", false, 0, 0, false}};
static const kl_family families[] = {{"even", "", 0}, {"odd", "", 0}};
static const kl_problem problem = {.name = "halves",
                                   .steps = steps,
                                   .step_count = 2,
                                   .families = families,
                                   .family_count = 2,
                                   .timed_family = "even"};

enum { CASES = 4 };
static const kl_case shapes[CASES] = {{.family = 0, .size = 2, .work_bytes = 8},
                                      {.family = 1, .size = 3, .work_bytes = 12},
                                      {.family = 0, .size = 4, .work_bytes = 16},
                                      {.family = 0, .size = 64, .work_bytes = 6400}};

static kl_plan plan;
static kl_ladder run;

static kl_case_result result_of(int index, kl_run_state state, double us) {
    return (kl_case_result){.plan_index = index,
                            .state = state,
                            .verdict = {.compared = 4, .max_error = 0.25, .bound = 0.5},
                            .time_us = {us * 0.5, us, us * 2},
                            .samples = 7,
                            .prepare_us = NAN};
}

// Step 0 is right in all cases and timed in the last one; step 1 is wrong in the second.
static void make_run(void) {
    plan.problem = run.problem = &problem; // no compound literals: they are too large for a stack
    plan.count = CASES;
    plan.main_case = CASES - 1;
    run.plan = &plan;
    run.count = 2;
    snprintf(run.device.name, sizeof run.device.name, "NVIDIA H200");
    for (int s = 0; s < run.count; s++)
        kl_ladder_step_begin(&run.steps[s], s, steps[s].name, "why");
    for (int i = 0; i < CASES; i++) {
        plan.cases[i].data.shape = shapes[i];
        plan.cases[i].timed = i == plan.main_case;
        kl_case_result right = result_of(i, KL_RUN_OK, plan.cases[i].timed ? 20 : NAN);
        kl_ladder_step_add(&run.steps[0], &right);
        kl_case_result other = result_of(i, i == 1 ? KL_RUN_WRONG : KL_RUN_OK, NAN);
        if (i < 2) kl_ladder_step_add(&run.steps[1], &other);
    }
    for (int s = 0; s < run.count; s++) kl_ladder_step_settle(&run.steps[s], &plan, KL_ALL, "");
}

static void write_run(char *path) {
    int fd = mkstemps(path, (int)strlen(".json"));
    ck_assert_int_ge(fd, 0);
    FILE *out = fdopen(fd, "w");
    ck_assert_ptr_nonnull(out);
    make_run();
    ck_assert_int_eq(kl_ladder_write_json(&run, NULL, NULL, out, NULL), KL_OK);
    fclose(out);
}

START_TEST(what_was_written_comes_back) {
    char path[] = "/tmp/kl_measured_XXXXXX.json";
    write_run(path);
    json_t *read = measured_load(path);
    ck_assert_ptr_nonnull(read);
    ck_assert(measured_is_gpu(read));
    ck_assert_str_eq(measured_device(read), "NVIDIA H200");
    const json_t *right = measured_step(read, 0), *wrong = measured_step(read, 1);
    ck_assert(measured_time_us(read, 0, "even", 64) == 20);
    const json_t *timed = measured_result(right, "even", 64);
    ck_assert(measured_number(timed, "max_error") == 0.25);
    ck_assert(measured_number(timed, "bound") == 0.5);
    ck_assert(measured_number(timed, "samples") == 7);
    ck_assert(json_number_value(json_array_get(json_object_get(timed, "ci_us"), 1)) == 40);
    ck_assert(measured_number(measured_case(read, "odd", 3), "work_bytes") == 12);
    ck_assert(measured_main_case(read) == measured_case(read, "even", 64));
    // Not timed, but of these families.
    ck_assert(!measured_result(right, "odd", 3) && measured_has_family(right, "odd"));
    ck_assert(measured_has_family(wrong, "odd") && measured_has_family(wrong, "even"));
    ck_assert(measured_has_families_of(wrong, right) && measured_has_families_of(right, wrong));
    json_object_del(json_object_get(right, "checked"), "odd");
    ck_assert(!measured_has_families_of(right, wrong));
    json_decref(read);
    unlink(path);
}
END_TEST

static char text[1 << 20];

static void read_text(const char *path) {
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
}

START_TEST(what_is_right_and_not_timed_has_no_row) {
    char path[] = "/tmp/kl_measured_XXXXXX.json";
    write_run(path);
    read_text(path);
    unlink(path);
    ck_assert_ptr_nonnull(strstr(text, "\n      \"checked\": {\"even\": [2, 4], \"odd\": [3]},\n"
                                       "      \"results\": [\n"
                                       "        {\"case\": \"even\", \"size\": 64, "));
    ck_assert_ptr_nonnull(strstr(text, "\n      \"checked\": {\"even\": [2]},\n"
                                       "      \"results\": [\n"
                                       "        {\"case\": \"odd\", \"size\": 3, "
                                       "\"state\": \"wrong\", "));
}
END_TEST

static size_t lines_with(const char *beginning) {
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, beginning)); at++) found++;
    return found;
}

// Of the runs in the tree, too.
START_TEST(a_result_is_a_row) {
    glob_t files;
    size_t i, runs = 0;
    json_t *step;
    ck_assert_int_eq(glob(KL_TEST_SOURCE_DIR "/labs/*/measured/*.json", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        json_t *kept = measured_load(files.gl_pathv[f]);
        const json_t *all = json_object_get(kept, "steps");
        size_t results = 0;
        json_array_foreach(all, i, step) {
            results += json_array_size(json_object_get(step, "results"));
        }
        if (kept) {
            runs++;
            read_text(files.gl_pathv[f]);
            ck_assert_uint_eq(lines_with("\n    {\"step\": "), json_array_size(all));
            ck_assert_uint_eq(lines_with("\n        {\"case\": "), results);
            ck_assert_uint_eq(lines_with("\n    {\"case\": "),
                              json_array_size(json_object_get(kept, "cases")));
        }
        json_decref(kept);
    }
    globfree(&files);
    ck_assert_uint_ge(runs, 40);
}
END_TEST

KL_TEST_MAIN("measured", what_was_written_comes_back, what_is_right_and_not_timed_has_no_row,
             a_result_is_a_row)
