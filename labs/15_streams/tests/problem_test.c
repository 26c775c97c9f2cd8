// Lab 15's references against answers by hand, and its verdicts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "streams.h"
#include "suite.h"

KL_TEST(filter_by_hand) {
    enum { N = 3 };
    static float x[N * STREAMS_CHANNELS];
    static double value[N * STREAMS_CHANNELS];
    x[0] = 0.5f;                     // channel 0: a step in the first frame
    x[STREAMS_CHANNELS + 7] = -1.0f; // channel 7: a step in the second
    streams_reference_filter(x, N, value);
    ck_assert_double_eq(value[0], 0.0625);
    ck_assert_double_eq(value[STREAMS_CHANNELS], 0.0625 * 7 / 8);
    ck_assert_double_eq(value[2 * STREAMS_CHANNELS], 0.0625 * 49 / 64);
    ck_assert_double_eq(value[7], 0);
    ck_assert_double_eq(value[STREAMS_CHANNELS + 7], -0.125);
    ck_assert_double_eq(value[2 * STREAMS_CHANNELS + 7], -0.125 * 7 / 8);
}

// In a table that leads from each entry to the next one.
KL_TEST(survey_by_hand) {
    static float x[STREAMS_TABLE];
    double value[2 + STREAMS_QUESTIONS];
    for (int i = 0; i < STREAMS_TABLE; i++) x[i] = (float)((i + 1) % STREAMS_TABLE);
    streams_reference_survey(x, 2, value);
    ck_assert_double_eq(value[0], STREAMS_WALK);
    ck_assert_double_eq(value[1], STREAMS_WALK + 1);
    for (int q = 0; q < STREAMS_QUESTIONS; q++)
        ck_assert_double_eq(value[2 + q], STREAMS_ASKED * (q + 1));
}

// After s smoothings a 1 has become the binomial coefficients of 2 s, over 4^s.
KL_TEST(ring_by_hand) {
    static double value[STREAMS_FIELD];
    const float x[] = {1.0f};
    double coefficient = 1, sum = 0;
    for (int k = 1; k <= STREAMS_SMOOTHINGS; k++)
        coefficient *= (double)(STREAMS_SMOOTHINGS + k) / k / 4;
    streams_reference_ring(x, 1, value);
    ck_assert(fabs(value[0] - coefficient) < 1e-15);
    ck_assert_double_eq(value[1], value[STREAMS_FIELD - 1]);
    ck_assert_double_eq(value[STREAMS_SMOOTHINGS + 1], 0);
    for (int i = 0; i < STREAMS_FIELD; i++) sum += value[i];
    ck_assert(fabs(sum - 1) < 1e-14);
}

// The right answer of a case of this family passes, and a wrong one in the last place is found.
static void check_verdicts(const char *name, int64_t size) {
    const kl_problem *problem = &streams_problem;
    const float wrong[] = {NAN, 2.5e4f};
    kl_error err = {KL_OK, ""};
    kl_verdict v;
    kl_prepared p;
    OK(kl_prepare_case(problem, kl_problem_family(problem, name), size, 1, &p, &err));
    uint64_t elems = p.shape.outputs[0].elems;
    float *y = malloc(elems * sizeof *y);
    const void *outputs[KL_MAX_BUFFERS] = {y};
    const double *value = p.solution;
    ck_assert_ptr_nonnull(y);
    for (uint64_t i = 0; i < elems; i++) y[i] = (float)value[i];
    problem->verify(&p.shape, (const void *const *)p.inputs, p.solution, outputs, &v);
    ck_assert(v.ok && v.compared == elems);
    for (int w = 0; w < 2; w++) {
        y[elems - 1] = wrong[w];
        problem->verify(&p.shape, (const void *const *)p.inputs, p.solution, outputs, &v);
        ck_assert(!v.ok && v.first_wrong == elems - 1);
    }
    free(y);
    kl_prepared_free(&p);
}

KL_TEST(mistakes_show) {
    check_verdicts("filter", 65);
    check_verdicts("survey", 10);
    check_verdicts("ring", 3);
}

// What the verdict says of a chunk that began with the state 0.
KL_TEST(lost_state_is_named) {
    const kl_problem *problem = &streams_problem;
    kl_error err = {KL_OK, ""};
    kl_verdict v;
    kl_prepared p;
    OK(kl_prepare_case(problem, 0, 129, 1, &p, &err));
    uint64_t elems = p.shape.outputs[0].elems;
    float *y = malloc(elems * sizeof *y);
    const void *outputs[KL_MAX_BUFFERS] = {y};
    const double *value = p.solution;
    const float *x = p.inputs[0];
    for (uint64_t i = 0; i < elems; i++) y[i] = (float)value[i];
    for (int c = 0; c < STREAMS_CHANNELS; c++)
        y[64 * STREAMS_CHANNELS + c] = x[64 * STREAMS_CHANNELS + c] / 8;
    problem->verify(&p.shape, (const void *const *)p.inputs, p.solution, outputs, &v);
    ck_assert(!v.ok && strstr(v.hint, "frame 64 began with the state 0") != NULL);
    free(y);
    kl_prepared_free(&p);
}

KL_TEST(chunks_cover_all_frames) {
    const int64_t sizes[] = {1, 63, 64, 65, 1024, 1025, 65536};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t chunk = streams_given_chunk(sizes[i]);
        ck_assert(chunk >= STREAMS_CHUNK_LEAST);
        ck_assert(chunk * STREAMS_CHUNKS >= sizes[i]);
    }
}

KL_TEST_MAIN("streams")
