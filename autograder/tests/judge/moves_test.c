// The time of what a graded call does beside its launches, from the program's call to the counts:
// lab 02's step 7 fills its result with one call, its step 6 does not. Runs runners and engines.
// needs: ladder_programs reduction
// labels: grade
#include "grade/points/counts.h"
#include "suite.h"

static kl_error err;

static ladder_counts count_step(int step) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    static ladder_step_result result; // large
    char folder[LADDER_PATH];
    ladder_kit kit;
    ladder_cases cases;
    ladder_case_end end;
    ladder_counts counts;
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    const char *object =
        kl_own_text("%s/labs/%s/solution/step_%d.so", TEST_BUILD_DIR, lab->folder, step);
    ck_assert_int_eq(ladder_cases_make(lab, 7, true, &cases, &err), KL_OK);
    const ladder_grade_plan plan = {.kit = &kit,
                                    .lab = lab,
                                    .cases = &cases,
                                    .case_s = 60,
                                    .instructions = 100000000,
                                    .memory_bytes = (uint64_t)1 << 31,
                                    .threads = 1};
    const ladder_case *item = NULL;
    for (int i = 0; i < cases.count && !item; i++)
        if (cases.items[i].data.shape.size >= 1 << 16) item = &cases.items[i];
    ck_assert_ptr_nonnull(item);
    const ladder_submission_run run = {.plan = &plan,
                                       .step = ladder_rubric_find(lab->rubric, step),
                                       .object = object,
                                       .step_folder = folder,
                                       .step_result = &result};
    ladder_measure_counts(&run, item, &end, &counts);
    ck_assert_msg(end.outcome == LADDER_CORRECT, "%s", end.text);
    ladder_cases_free(&cases);
    ladder_folder_remove(folder);
    return counts;
}

KL_TEST(a_fill_takes_its_time) {
    const sim_device *device = ladder_device_simulated();
    ladder_counts plain = count_step(6), filled = count_step(7);
    ck_assert_double_eq(plain.moves_us, 0);
    ck_assert_uint_eq(plain.launches, 2);
    ck_assert_uint_eq(filled.launches, 1);
    ck_assert_double_eq_tol(filled.moves_us, device->kernel_us + 4 / (device->copy_gbs * 1e3),
                            1e-9);
    ck_assert_double_eq_tol(ladder_call_us(&filled, device),
                            filled.time_us + filled.moves_us + device->event_us, 1e-9);
}

// What the runner's runtime says of the call, and of nothing before it.
KL_TEST(a_call_has_sums_of_its_own) {
    const ladder_counts counts = count_step(7);
    const double *value = counts.call.value;
    ck_assert_double_eq(value[SIM_SPAN_HOST_LAUNCHES], counts.launches);
    ck_assert_double_eq(value[SIM_SPAN_COPIES], 0); // inputs and outputs are the judge's
    ck_assert_double_eq_tol(value[SIM_SPAN_BUSY_US], counts.time_us + counts.moves_us, 1e-6);
    ck_assert_double_gt(value[SIM_SPAN_ELAPSED_US], value[SIM_SPAN_BUSY_US]);
}

KL_TEST_MAIN("moves")
