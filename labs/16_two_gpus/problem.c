// Lab 16 as data: kinds of cases, sizes, input generators, work formulas. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero.
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "random.h"
#include "reference.h"
#include "small_case.h"
#include "two_gpus.h"

#include "steps.h" // made from lab.json: steps[]

#define BIT(step) (1u << (step))

enum family { GRID, SUM, FAMILIES };

static const kl_family families[FAMILIES] = {
    [GRID] = {"grid", "Jacobi's method on a square grid",
              BIT(0) | BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(5) | BIT(6) | KL_NOT_VENDOR},
    [SUM] = {"sum", "sums over all devices", BIT(7) | BIT(8) | BIT(9) | BIT(10) | BIT(11)},
};

// A grid of 8,192 has 256 MiB; 16,777,216 elements of a sum are 64 MiB.
static const kl_suite_entry suite[] = {
    {GRID, 4, KL_CHECK | KL_QUICK},
    {GRID, 5, KL_CHECK},
    {GRID, 7, KL_CHECK | KL_QUICK},
    {GRID, 33, KL_CHECK | KL_QUICK},
    {GRID, 64, KL_CHECK},
    {GRID, 257, KL_CHECK},
    {GRID, 256, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {GRID, 2048, KL_TIME_GPU},
    {GRID, 4097, KL_BENCH},
    {GRID, 8192, KL_TIME_GPU},
    {SUM, 1, KL_CHECK | KL_QUICK},
    {SUM, 2, KL_CHECK},
    {SUM, 3, KL_CHECK | KL_QUICK},
    {SUM, 7, KL_CHECK},
    {SUM, 256, KL_CHECK | KL_TIME_GPU},
    {SUM, 1001, KL_CHECK | KL_QUICK},
    {SUM, 8189, KL_CHECK},
    {SUM, 16384, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {SUM, 65536, KL_BENCH},
    {SUM, 262144, KL_BENCH},
    {SUM, 1048576, KL_TIME_GPU},
    {SUM, 4194304, KL_BENCH},
    {SUM, 16777216, KL_TIME_GPU},
};

static const char *unit_of(int family) {
    return family == GRID ? "rows" : "elements";
}

static int64_t largest(int family) {
    return family == GRID ? INT64_C(1) << 14 : INT64_C(1) << 24;
}

static int64_t smallest(int family) {
    return family == GRID ? TWO_GPUS_LEAST_GRID : 1;
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    if (family < 0 || family >= FAMILIES || size < smallest(family) || size > largest(family))
        return kl_no_such_case(&two_gpus_problem, family, size,
                               "grids of 4 to 2^14 rows, sums of 1 to 2^24 elements", err);
    kl_case *c = out_case;
    double n = (double)size;
    *c = (kl_case){.family = family,
                   .size = size,
                   .seed = seed,
                   .input_count = 1,
                   .output_count = 1,
                   .host = true,
                   .program = true,
                   .resident = true,
                   .ints = {size, family == GRID}};
    c->inputs[0] = (kl_buffer){.name = "x", .dtype = KL_F32, .elems = (uint64_t)size};
    c->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32, .line_elems = size};
    if (family == GRID) {
        c->inputs[0].elems = c->outputs[0].elems = (uint64_t)(size * size);
        c->inputs[0].line_elems = size;
        c->work_bytes = 8.0 * n * n * TWO_GPUS_ITERATIONS;
        c->work_ops = 4.0 * n * n * TWO_GPUS_ITERATIONS;
    } else { // the bytes of all messages, as NCCL's own measurements count them
        c->outputs[0].elems = 2 * (uint64_t)size;
        c->work_bytes = 4.0 * n * TWO_GPUS_ROUNDS;
        c->work_ops = n * TWO_GPUS_ROUNDS;
    }
    return KL_OK;
}

// Multiples of 2^-8: see reference.c.
static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    float *x = inputs[0];
    for (uint64_t i = 0; i < c->inputs[0].elems; i++)
        x[i] = ((float)kl_random_below(c->seed, i, 512) - 256.0f) / 256.0f;
    return KL_OK;
}

// Eighths: 1/8, 2/8, .. 1, again 1/8.
static bool readable(const kl_case *c, void *const *inputs) {
    float *x = inputs[0];
    kl_small_count_up(&c->inputs[0], 8, x);
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) x[i] /= 8;
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    return sizeof(double) * c->outputs[0].elems * (c->family == GRID ? 2 : 1);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    if (c->family == GRID)
        two_gpus_reference_grid(inputs[0], c->size, out_solution);
    else
        two_gpus_reference_sum(inputs[0], c->size, out_solution);
    return KL_OK;
}

// What a wrong element tells.
static void explain(const kl_case *c, kl_verdict *v) {
    int64_t n = c->size, at = (int64_t)v->first_wrong;
    if (c->family == GRID)
        snprintf(v->hint, sizeof v->hint, "row %lld, column %lld%s", (long long)(at / n),
                 (long long)(at % n),
                 v->got == v->got ? ""
                                  : ": NaN, with which the kit fills the work arrays: a row that "
                                    "no kernel and no copy from a neighbour wrote");
    else if (at >= n)
        snprintf(v->hint, sizeof v->hint,
                 "element %lld is right on one rank, and too large on another",
                 (long long)(at - n));
    else if (v->got == v->got)
        snprintf(v->hint, sizeof v->hint, "element %lld, on the rank where it is least",
                 (long long)at);
    else
        snprintf(v->hint, sizeof v->hint, "element %lld: NaN on some rank, which nothing overwrote",
                 (long long)at);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    (void)inputs;
    double bound = c->family == GRID ? two_gpus_grid_bound() : two_gpus_sum_bound();
    kl_comparison compared = kl_compare_f32(outputs[0], solution, NULL, bound, c->outputs[0].elems);
    *out_verdict = kl_verdict_of(&compared);
    if (!compared.ok) explain(c, out_verdict);
}

const kl_problem two_gpus_problem = {
    .name = "two_gpus",
    .folder = "16_two_gpus",
    .title = "Several GPUs",
    .size_unit = "rows",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_COPY,
    .default_seed = 16,
    .max_size = INT64_C(1) << 24,
    .timed_family = "grid",
    .devices = 2,
    KL_PROBLEM_PARTS,
};
