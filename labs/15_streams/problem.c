// Lab 15 as data: kinds of cases, sizes, input generators, work formulas. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero.
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "random.h"
#include "reference.h"
#include "small_case.h"
#include "streams.h"

#include "steps.h" // made from lab.json: steps[]

#define BIT(step) (1u << (step))

enum family { FILTER, SURVEY, RING, FAMILIES };

static const kl_family families[FAMILIES] = {
    [FILTER] = {"filter", "a recording, in memory and out of it",
                BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(10)},
    [SURVEY] = {"survey", "a long kernel, and small questions beside it",
                BIT(5) | BIT(6) | KL_NOT_VENDOR},
    [RING] = {"ring", "rounds of many small kernels", BIT(7) | BIT(8) | BIT(9) | KL_NOT_VENDOR},
};

// 1,024 frames are 16 MiB, which a copy takes long enough for that the cost of a call is small
// beside it; 4,096 are 64 MiB, 65,536 are 1 GiB.
static const kl_suite_entry suite[] = {
    {FILTER, 1, KL_CHECK | KL_QUICK},
    {FILTER, 2, KL_CHECK},
    {FILTER, 63, KL_CHECK},
    {FILTER, 64, KL_CHECK | KL_QUICK},
    {FILTER, 65, KL_CHECK | KL_QUICK},
    {FILTER, 129, KL_CHECK},
    {FILTER, 257, KL_CHECK | KL_QUICK | KL_BESIDE}, // each slot is used again
    {FILTER, 512, KL_CHECK},
    {FILTER, 1024, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {FILTER, 4096, KL_TIME_GPU},
    {FILTER, 16384, KL_BENCH},
    {FILTER, 65536, KL_TIME_GPU},
    {SURVEY, 1, KL_CHECK | KL_QUICK},
    {SURVEY, 100, KL_CHECK | KL_QUICK},
    {SURVEY, 1001, KL_CHECK},
    {SURVEY, 4224, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {SURVEY, 16896, KL_BENCH},
    {RING, 1, KL_CHECK | KL_QUICK},
    {RING, 2, KL_CHECK | KL_QUICK},
    {RING, 3, KL_CHECK},
    {RING, 8, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {RING, 256, KL_TIME_GPU},
};

static const char *unit_of(int family) {
    switch ((enum family)family) {
    case SURVEY: return "blocks";
    case RING: return "rounds";
    default: return "frames";
    }
}

static int64_t largest(int family) {
    switch ((enum family)family) {
    case FILTER: return INT64_C(1) << 18;
    case SURVEY: return INT64_C(1) << 16;
    default: return INT64_C(1) << 12;
    }
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    if (family < 0 || family >= FAMILIES || size < 1 || size > largest(family))
        return kl_no_such_case(&streams_problem, family, size,
                               "1 to 2^18 frames, 2^16 blocks or 2^12 rounds", err);
    kl_case *c = out_case;
    double n = (double)size;
    *c = (kl_case){.family = family,
                   .size = size,
                   .seed = seed,
                   .input_count = 1,
                   .output_count = 1,
                   .host = true,
                   .program = true,
                   .ints = {size}};
    c->inputs[0] = (kl_buffer){.name = "x", .dtype = KL_F32};
    c->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32};
    switch ((enum family)family) {
    case FILTER:
        c->inputs[0].elems = c->outputs[0].elems = (uint64_t)size * STREAMS_CHANNELS;
        c->inputs[0].line_elems = c->outputs[0].line_elems = STREAMS_CHANNELS;
        c->work_bytes = 8.0 * n * STREAMS_CHANNELS; // to the device and back
        c->work_ops = 3.0 * n * STREAMS_CHANNELS;
        break;
    case SURVEY:
        c->inputs[0].elems = STREAMS_TABLE;
        c->outputs[0].elems = (uint64_t)size + STREAMS_QUESTIONS;
        c->work_bytes = 4.0 * (STREAMS_TABLE + n * STREAMS_WALK);
        c->work_ops = n * STREAMS_WALK;
        break;
    default:
        c->inputs[0].elems = (uint64_t)size;
        c->outputs[0].elems = STREAMS_FIELD;
        c->work_bytes = 8.0 * n * STREAMS_SMOOTHINGS * STREAMS_FIELD;
        c->work_ops = 4.0 * n * STREAMS_SMOOTHINGS * STREAMS_FIELD;
        break;
    }
    return KL_OK;
}

// A walk comes through all entries before it comes back (Sattolo's shuffle).
static void fill_table(float *x, uint64_t seed) {
    for (int i = 0; i < STREAMS_TABLE; i++) x[i] = (float)i;
    for (int i = STREAMS_TABLE - 1; i > 0; i--) {
        uint32_t other = kl_random_below(seed, (uint64_t)i, (uint32_t)i);
        float kept = x[i];
        x[i] = x[other];
        x[other] = kept;
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    float *x = inputs[0];
    if (c->family == SURVEY) fill_table(x, c->seed);
    for (uint64_t i = 0; c->family != SURVEY && i < c->inputs[0].elems; i++)
        x[i] = kl_random_signed(c->seed, i);
    return KL_OK;
}

// Eighths: 1/8, 2/8, .. 1, again 1/8; numbers of a table cannot be chosen.
static bool readable(const kl_case *c, void *const *inputs) {
    float *x = inputs[0];
    if (c->family == SURVEY) return false;
    kl_small_count_up(&c->inputs[0], 8, x);
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) x[i] /= 8;
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    return sizeof(double) * c->outputs[0].elems;
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    switch ((enum family)c->family) {
    case FILTER: streams_reference_filter(inputs[0], c->size, out_solution); break;
    case SURVEY: streams_reference_survey(inputs[0], c->size, out_solution); break;
    default: streams_reference_ring(inputs[0], c->size, out_solution); break;
    }
    return KL_OK;
}

static double bound_of(const kl_case *c) {
    switch ((enum family)c->family) {
    case FILTER: return streams_filter_bound();
    case SURVEY: return 0;
    default: return streams_ring_bound(c->size);
    }
}

// What a wrong element of the filter tells.
static void explain_filter(const kl_case *c, const float *x, const float *y, kl_verdict *v) {
    int64_t chunk = streams_given_chunk(c->size);
    uint64_t frame = v->first_wrong / STREAMS_CHANNELS;
    uint32_t bits = 0;
    float got = y[v->first_wrong];
    memcpy(&bits, &got, sizeof bits);
    if (bits == UINT32_MAX)
        snprintf(v->hint, sizeof v->hint, "nothing was copied there: frame %llu",
                 (unsigned long long)frame);
    else if (frame > 0 && fabsf(got - x[v->first_wrong] / 8) < 1e-6f)
        snprintf(v->hint, sizeof v->hint,
                 "frame %llu began with the state 0: the chunk before had not left it",
                 (unsigned long long)frame);
    else if (got == x[v->first_wrong])
        snprintf(v->hint, sizeof v->hint, "frame %llu came back without having been filtered",
                 (unsigned long long)frame);
    else if (frame > 0 && (int64_t)frame % chunk == 0)
        snprintf(v->hint, sizeof v->hint, "wrong from the beginning of a chunk on, frame %llu",
                 (unsigned long long)frame);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    kl_comparison compared =
        kl_compare_f32(outputs[0], solution, NULL, bound_of(c), c->outputs[0].elems);
    *out_verdict = kl_verdict_of(&compared);
    if (!compared.ok && c->family == FILTER) explain_filter(c, inputs[0], outputs[0], out_verdict);
}

const kl_problem streams_problem = {
    .name = "streams",
    .folder = "15_streams",
    .title = "Streams and graphs",
    .size_unit = "frames",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_LINK,
    .default_seed = 15,
    .max_size = INT64_C(1) << 18,
    .timed_family = "filter",
    .limit = "both ways at once beside the kernel, then a first chunk in and a last one out",
    KL_PROBLEM_PARTS,
};
