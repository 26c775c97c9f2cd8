// Lab 07 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero.
#include "problem.h"
#include "small_case.h"

#include "gemm.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

enum { FAST_STEPS = 0xFF << 7, LAST_STEP = 1 << 11 };

#define FAMILY_LIST(F)                                                                             \
    F(SQUARE, "square", "m = n = k", 0)                                                            \
    F(RECTANGLE, "rectangle", "n x ((n + 1) / 2 + 3), depth n / 3 + 5: all three differ", 0)       \
    F(INTEGERS, "integers", "m = n = k, integers of up to 11 bits whose sums are exact: bound 0",  \
      0)                                                                                           \
    F(LARGE, "large", "m = n = k, for the steps that are fast enough", FAST_STEPS)                 \
    F(FLAT, "flat", "3 x n, depth n: fewer rows than any tile", 0)                                 \
    F(THIN, "thin", "n x 3, depth n: fewer columns than any tile", 0)                              \
    F(DOT, "dot", "1 x 1, depth n", 0)                                                             \
    F(OUTER, "outer", "n x n, depth 1", 0)                                                         \
    F(OFFSET, "offset", "m = n = k, but neither A nor B is 16-byte aligned", 0)                    \
    F(SCALED, "scaled", "as rectangle, alpha and beta neither 0 nor 1", LAST_STEP)                 \
    F(SLAB, "slab", "n x n, depth 40: many tiles, few steps in each", LAST_STEP)                   \
    F(NO_DEPTH, "no-depth", "n x n, depth 0: every element must be set to 0", 0)                   \
    F(NO_ROWS, "no-rows", "0 x n, depth n: nothing may be written", 0)                             \
    F(NO_COLUMNS, "no-columns", "n x 0, depth n: nothing may be written", 0)                       \
    F(ROW, "row", "1 x n, depth n: a vector times a matrix", LAST_STEP)                            \
    F(COLUMN, "column", "n x 1, depth n: a matrix times a vector", LAST_STEP)                      \
    F(UPDATE, "update", "n x n, depth 1, alpha and beta neither 0 nor 1: a rank-1 update",         \
      LAST_STEP)                                                                                   \
    F(SCALED_ROW, "scaled-row", "as row, depth n / 3 + 5, with alpha and beta", LAST_STEP)         \
    F(SCALED_COLUMN, "scaled-column", "as column, depth n / 3 + 5, with alpha and beta",           \
      LAST_STEP)                                                                                   \
    F(SCALED_EMPTY, "scaled-empty", "n x n, depth 0, with alpha and beta: beta D is left",         \
      LAST_STEP)                                                                                   \
    F(STRIP, "strip", "100 x n, depth n: fewer rows than a tile", LAST_STEP)                       \
    F(PILLAR, "pillar", "n x 50, depth n: fewer columns than a tile", LAST_STEP)                   \
    F(DEEP, "deep", "200 x 200, depth n: few tiles, many steps in each", LAST_STEP)                \
    F(RANK_1, "rank-1", "n x n, depth 1", LAST_STEP)                                               \
    F(RIM, "rim", "(24 n + 1) x (11 n + 1), depth n - 8: a row and a column beyond large tiles",   \
      LAST_STEP)                                                                                   \
    F(FEW_ROWS, "few-rows", "16 x n, depth n: B has to be read, and little else", LAST_STEP)       \
    F(FEW_COLUMNS, "few-columns", "n x 16, depth n: A has to be read, and little else", LAST_STEP) \
    F(PLANK, "plank", "300 x n, depth n / 5: rows that tiles of 64 suit", LAST_STEP)               \
    F(SLENDER, "slender", "28 x n, depth n: rows that tiles of 32 suit", LAST_STEP)                \
    F(SHAFT, "shaft", "130 x 60, depth n: tiles in many shares, which a kernel of its own adds",   \
      LAST_STEP)
KL_FAMILIES(FAMILY_LIST);

static const kl_suite_entry suite[] = {
    {SQUARE, 1, KL_CHECK | KL_QUICK},
    {SQUARE, 2, KL_CHECK},
    {SQUARE, 31, KL_CHECK},
    {SQUARE, 32, KL_CHECK | KL_QUICK},
    {SQUARE, 33, KL_CHECK | KL_QUICK},
    {SQUARE, 64, KL_CHECK},
    {SQUARE, 100, KL_CHECK},
    {SQUARE, 128, KL_CHECK | KL_QUICK},
    {SQUARE, 130, KL_CHECK},
    {SQUARE, 256, KL_CHECK | KL_TIME_SIM},
    {SQUARE, 1000, KL_BENCH},
    {SQUARE, 1024, KL_TIME_GPU | KL_TIME_SIM},
    {SQUARE, 2047, KL_BENCH},
    {SQUARE, 2048, KL_TIME_GPU},
    {SQUARE, 4095, KL_BENCH},
    {SQUARE, 4096, KL_TIME_GPU},
    {SQUARE, 4097, KL_BENCH},
    {LARGE, 8192, KL_TIME_GPU},
    {RECTANGLE, 7, KL_CHECK},
    {RECTANGLE, 50, KL_CHECK | KL_QUICK},
    {RECTANGLE, 129, KL_CHECK},
    {RECTANGLE, 200, KL_CHECK},
    {INTEGERS, 40, KL_CHECK | KL_QUICK},
    {INTEGERS, 96, KL_CHECK},
    {INTEGERS, 161, KL_CHECK},
    {FLAT, 5, KL_CHECK},
    {FLAT, 150, KL_CHECK | KL_QUICK},
    {THIN, 5, KL_CHECK},
    {THIN, 150, KL_CHECK | KL_QUICK},
    {THIN, 1028, KL_CHECK},
    {THIN, 1029, KL_CHECK},
    {DOT, 1, KL_CHECK},
    {DOT, 77, KL_CHECK | KL_QUICK},
    {OUTER, 65, KL_CHECK | KL_QUICK},
    {OFFSET, 31, KL_CHECK},
    {OFFSET, 64, KL_CHECK | KL_QUICK},
    {OFFSET, 132, KL_CHECK},
    {SCALED, 33, KL_CHECK},
    {SCALED, 64, KL_CHECK},
    {SCALED, 150, KL_CHECK | KL_QUICK},
    {SLAB, 2044, KL_CHECK},
    {SLAB, 2047, KL_CHECK},
    {SLAB, 2048, KL_CHECK | KL_QUICK},
    {NO_DEPTH, 1, KL_CHECK},
    {NO_DEPTH, 40, KL_CHECK | KL_QUICK},
    {NO_ROWS, 0, KL_CHECK},
    {NO_ROWS, 5, KL_CHECK | KL_QUICK},
    {NO_COLUMNS, 70, KL_CHECK | KL_QUICK},
    {ROW, 1, KL_CHECK},
    {ROW, 300, KL_CHECK | KL_QUICK},
    {ROW, 8192, KL_BENCH},
    {COLUMN, 2, KL_CHECK},
    {COLUMN, 300, KL_CHECK | KL_QUICK},
    {COLUMN, 8192, KL_BENCH},
    {UPDATE, 3, KL_CHECK},
    {UPDATE, 150, KL_CHECK | KL_QUICK},
    {SCALED_ROW, 1, KL_CHECK},
    {SCALED_ROW, 500, KL_CHECK | KL_QUICK},
    {SCALED_COLUMN, 1, KL_CHECK},
    {SCALED_COLUMN, 500, KL_CHECK | KL_QUICK},
    {SCALED_EMPTY, 1, KL_CHECK},
    {SCALED_EMPTY, 60, KL_CHECK | KL_QUICK},
    {STRIP, 150, KL_CHECK},
    {STRIP, 1030, KL_CHECK}, // of medium depth: the last piece of a tile adds the others
    {STRIP, 8192, KL_BENCH},
    {PILLAR, 150, KL_CHECK},
    {PILLAR, 1101, KL_CHECK}, // small and deep: in pieces, too
    {PILLAR, 1301, KL_CHECK}, // of medium depth, not aligned
    {PILLAR, 8192, KL_BENCH},
    {DEEP, 32768, KL_BENCH},
    {RIM, 128, KL_CHECK},
    {FEW_ROWS, 700, KL_CHECK},
    {FEW_ROWS, 1028, KL_CHECK},
    {FEW_ROWS, 8192, KL_BENCH},
    {FEW_COLUMNS, 300, KL_CHECK},
    {FEW_COLUMNS, 1029, KL_CHECK},
    {FEW_COLUMNS, 8192, KL_BENCH},
    {PLANK, 401, KL_CHECK},
    {PLANK, 5000, KL_BENCH},
    {SLENDER, 517, KL_CHECK},
    {SLENDER, 8192, KL_BENCH},
    {DOT, 5001, KL_CHECK},
    {RANK_1, 129, KL_CHECK},
    {RANK_1, 4096, KL_BENCH},
    {SHAFT, 5203, KL_CHECK},
};

typedef struct shape {
    int64_t m, n, k;
} shape;

static shape shape_of(int family, int64_t n) {
    switch ((enum family)family) {
    case SQUARE:
    case INTEGERS:
    case LARGE:
    case OFFSET: return (shape){n, n, n};
    case RECTANGLE:
    case SCALED: return (shape){n, (n + 1) / 2 + 3, n / 3 + 5};
    case FLAT: return (shape){3, n, n};
    case THIN: return (shape){n, 3, n};
    case DOT: return (shape){1, 1, n};
    case OUTER: return (shape){n, n, 1};
    case SLAB: return (shape){n, n, 40};
    case NO_DEPTH: return (shape){n, n, 0};
    case NO_ROWS: return (shape){0, n, n};
    case NO_COLUMNS: return (shape){n, 0, n};
    case ROW: return (shape){1, n, n};
    case COLUMN: return (shape){n, 1, n};
    case UPDATE: return (shape){n, n, 1};
    case SCALED_ROW: return (shape){1, n, n / 3 + 5};
    case SCALED_COLUMN: return (shape){n, 1, n / 3 + 5};
    case SCALED_EMPTY: return (shape){n, n, 0};
    case STRIP: return (shape){100, n, n};
    case PILLAR: return (shape){n, 50, n};
    case DEEP: return (shape){200, 200, n};
    case RIM: return (shape){24 * n + 1, 11 * n + 1, n > 8 ? n - 8 : 0};
    case RANK_1: return (shape){n, n, 1};
    case FEW_ROWS: return (shape){16, n, n};
    case FEW_COLUMNS: return (shape){n, 16, n};
    case PLANK: return (shape){300, n, n / 5};
    case SLENDER: return (shape){28, n, n};
    case SHAFT: return (shape){130, 60, n};
    case FAMILIES: break;
    }
    return (shape){0, 0, 0};
}

// Cases with alpha, beta and D.
static bool is_scaled(int family) {
    return family == SCALED || family == UPDATE || family == SCALED_ROW ||
           family == SCALED_COLUMN || family == SCALED_EMPTY;
}

// The factors' magnitudes of the exact family: sums stay below 2^24 up to EXACT_DEPTH products.
enum { EXACT_A = 2047, EXACT_B = 3, EXACT_DEPTH = (1 << 24) / (EXACT_A * EXACT_B) };

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    const int64_t most_side = 46340; // 46340^2 < 2^31
    const int64_t most_scaled = 512; // always compared element by element
    const int64_t most_rim = 1024;
    if (family < 0 || family >= FAMILIES || (family == RIM && size > most_rim) || size < 0 ||
        size > most_side || (family == INTEGERS && size > EXACT_DEPTH) ||
        (is_scaled(family) && size > most_scaled)) {
        char limits[128];
        snprintf(limits, sizeof limits,
                 "a side is at most %lld, of integers %d, of rim %lld, of scaled cases %lld",
                 (long long)most_side, EXACT_DEPTH, (long long)most_rim, (long long)most_scaled);
        return kl_no_such_case(&gemm_problem, family, size, limits, err);
    }
    const shape s = shape_of(family, size);
    const uint32_t offset = family == OFFSET ? kl_unaligned_bytes(size) : 0;
    const uint64_t c_elems = (uint64_t)(s.m * s.n);
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 2, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){
        .name = "A", .dtype = KL_F32, .elems = (uint64_t)(s.m * s.k), .offset_bytes = offset};
    out_case->inputs[1] = (kl_buffer){
        .name = "B", .dtype = KL_F32, .elems = (uint64_t)(s.k * s.n), .offset_bytes = offset};
    if (is_scaled(family)) {
        out_case->input_count = 3;
        out_case->inputs[2] = (kl_buffer){.name = "D", .dtype = KL_F32, .elems = c_elems};
    }
    out_case->reals[0] = is_scaled(family) ? 1.5 : 1.0;
    out_case->reals[1] = is_scaled(family) ? -0.75 : 0.0;
    // An empty C gets one word, which must stay as it is.
    out_case->outputs[0] =
        (kl_buffer){.name = "C", .dtype = KL_F32, .elems = c_elems > 0 ? c_elems : 1};
    out_case->inputs[0].line_elems = -s.m;
    out_case->inputs[1].line_elems = -s.k;
    out_case->inputs[2].line_elems = out_case->outputs[0].line_elems = -s.m;
    out_case->ints[0] = s.m;
    out_case->ints[1] = s.n;
    out_case->ints[2] = s.k;
    out_case->workspace_bytes = sizeof(float) * ((uint64_t)(s.k * s.n) + GEMM_WORKSPACE_EXTRA);
    out_case->padded_ops = gemm_padded_ops(s.m, s.n, s.k);
    out_case->work_ops = 2.0 * (double)s.m * (double)s.n * (double)s.k;
    out_case->work_bytes =
        s.m * s.n == 0
            ? 0.0
            : 4.0 * ((double)s.m * (double)s.k + (double)s.k * (double)s.n + (double)c_elems);
    return KL_OK;
}

// A whole number in -most .. most.
static float random_integer(uint64_t seed, uint64_t i, int most) {
    return (float)((int)kl_random_below(seed, i, 2 * (uint64_t)most + 1) - most);
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    for (int which = 0; which < c->input_count; which++) {
        float *values = inputs[which];
        uint64_t seed = kl_random_fork(c->seed, 10 + (uint64_t)which);
        for (uint64_t i = 0; i < c->inputs[which].elems; i++) {
            values[i] = c->family == INTEGERS
                            ? random_integer(seed, i, which == 0 ? EXACT_A : EXACT_B)
                            : kl_random_signed(seed, i);
        }
    }
    return KL_OK;
}

static gemm_check check_of(const kl_case *c, const void *const *inputs) {
    return (gemm_check){
        .m = c->ints[0],
        .n = c->ints[1],
        .k = c->ints[2],
        .a = inputs[0],
        .b = inputs[1],
        .alpha = (float)c->reals[0],
        .beta = (float)c->reals[1],
        .d = c->input_count > 2 ? inputs[2] : NULL,
        .exact = c->family == INTEGERS,
        .seed = c->seed,
    };
}

// Matrices of 1 to 9, 1 to 5 and 1 to 7 down their columns.
static bool readable(const kl_case *c, void *const *inputs) {
    static const int periods[] = {9, 5, 7};
    for (int i = 0; i < c->input_count; i++)
        kl_small_count_up(&c->inputs[i], periods[i], inputs[i]);
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    return sizeof(double) * gemm_answer_doubles(c->ints[0], c->ints[1], c->ints[2]);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    const gemm_check check = check_of(c, inputs);
    return gemm_solve(&check, out_solution, err);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    const gemm_check check = check_of(c, inputs);
    gemm_compare(&check, solution, outputs[0], out_verdict);
}

const kl_problem gemm_problem = {
    .name = "gemm",
    .folder = "07_gemm",
    .title = "Matrix multiplication",
    .size_unit = "a side",
    .ceiling = KL_CEILING_FMA,
    .default_seed = 4, // the lecture's number among the sources
    .max_size = 46340,
    .timed_family = "square",
    KL_PROBLEM_PARTS,
};
