// Lab 05 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero.
#include "problem.h"
#include "small_case.h"

#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

enum {
    AX_STEPS = 1 << 0 | 1 << 1 | 1 << 5 | 1 << 6,
    ATX_STEPS = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6
};

// Families come in pairs: A x, and the same shape with A^T x.
#define PAIR(F, NAME, name, purpose)                                                               \
    F(AX_##NAME, "ax-" name, "A x, " purpose, AX_STEPS)                                            \
    F(ATX_##NAME, "atx-" name, "A^T x, " purpose, ATX_STEPS)

// What the library makes of infinities and NaN is not our concern.
#define FAMILY_LIST(F)                                                                             \
    PAIR(F, SQUARE, "square", "n x n; integers: no order of additions rounds, so the error is 0")  \
    PAIR(F, ODD, "odd", "n x ((n + 1) / 2 + 3): columns that are not aligned, edges everywhere")   \
    PAIR(F, TALL, "tall", "n x 16")                                                                \
    PAIR(F, WIDE, "wide", "16 x n")                                                                \
    PAIR(F, ROW, "row", "1 x n")                                                                   \
    PAIR(F, COLUMN, "column", "n x 1")                                                             \
    PAIR(F, OFFSET, "offset", "n x n, but neither A nor x is 16-byte aligned")                     \
    PAIR(F, REAL, "real",                                                                          \
         "n x (n + 2), uniform in [-1, 1); error bound for any order of additions")                \
    F(AX_SPECIAL, "ax-special", "A x, n x 2n; some rows hold infinities or NaN",                   \
      AX_STEPS | KL_NOT_VENDOR)                                                                    \
    F(ATX_SPECIAL, "atx-special", "A^T x, n x 2n; some columns hold infinities or NaN",            \
      ATX_STEPS | KL_NOT_VENDOR)
KL_FAMILIES(FAMILY_LIST);

// Cases of both products.
#define BOTH(NAME, size, flags)                                                                    \
    {AX_##NAME, size, flags}, {                                                                    \
        ATX_##NAME, size, flags                                                                    \
    }

// Timed shapes: 1024 (4 MiB) and 2048 (16 MiB) fit the L2 cache, 4096 (64 MiB) just does not.
static const kl_suite_entry suite[] = {
    BOTH(SQUARE, 1, KL_CHECK | KL_QUICK),
    BOTH(SQUARE, 2, KL_CHECK),
    BOTH(SQUARE, 31, KL_CHECK),
    BOTH(SQUARE, 64, KL_CHECK | KL_QUICK),
    BOTH(SQUARE, 65, KL_CHECK | KL_QUICK),
    BOTH(SQUARE, 256, KL_CHECK),
    BOTH(SQUARE, 512, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM),
    BOTH(SQUARE, 1024, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM),
    BOTH(SQUARE, 1000, KL_BENCH),
    BOTH(SQUARE, 1100, KL_CHECK),
    BOTH(SQUARE, 2048, KL_TIME_GPU | KL_TIME_SIM),
    BOTH(SQUARE, 4096, KL_TIME_GPU),
    BOTH(SQUARE, 5000, KL_BENCH),
    BOTH(SQUARE, 8192, KL_TIME_GPU),
    BOTH(SQUARE, 11111, KL_BENCH),
    BOTH(SQUARE, 16384, KL_BENCH),
    BOTH(ODD, 2, KL_CHECK),
    BOTH(ODD, 50, KL_CHECK | KL_QUICK),
    BOTH(ODD, 131, KL_CHECK),
    BOTH(ODD, 257, KL_CHECK | KL_QUICK),
    BOTH(ODD, 1003, KL_CHECK),
    BOTH(ODD, 3001, KL_BENCH),
    BOTH(ODD, 8191, KL_BENCH),
    BOTH(TALL, 100, KL_CHECK),
    BOTH(TALL, 2050, KL_CHECK | KL_QUICK),
    BOTH(TALL, 10007, KL_BENCH),
    BOTH(TALL, 16384, KL_TIME_GPU),
    BOTH(WIDE, 100, KL_CHECK),
    BOTH(WIDE, 2050, KL_CHECK | KL_QUICK),
    BOTH(WIDE, 9999, KL_BENCH),
    BOTH(WIDE, 16384, KL_TIME_GPU),
    BOTH(ROW, 33, KL_CHECK),
    BOTH(ROW, 4099, KL_CHECK | KL_QUICK),
    BOTH(COLUMN, 33, KL_CHECK),
    BOTH(COLUMN, 4099, KL_CHECK | KL_QUICK),
    BOTH(OFFSET, 63, KL_CHECK),
    BOTH(OFFSET, 132, KL_CHECK | KL_QUICK),
    BOTH(OFFSET, 300, KL_CHECK),
    BOTH(REAL, 100, KL_CHECK | KL_QUICK),
    BOTH(REAL, 333, KL_CHECK),
    BOTH(SPECIAL, 37, KL_CHECK),
    BOTH(SPECIAL, 96, KL_CHECK | KL_QUICK),
};

typedef struct shape {
    int64_t m, n;
} shape;

static shape shape_of(int family, int64_t n) {
    switch ((enum family)(family & ~1)) {
    case AX_SQUARE:
    case AX_OFFSET: return (shape){n, n};
    case AX_ODD: return (shape){n, (n + 1) / 2 + 3};
    case AX_TALL: return (shape){n, 16};
    case AX_WIDE: return (shape){16, n};
    case AX_ROW: return (shape){1, n};
    case AX_COLUMN: return (shape){n, 1};
    case AX_REAL: return (shape){n, n + 2};
    case AX_SPECIAL: return (shape){n, 2 * n};
    default: return (shape){0, 0};
    }
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    bool known = family >= 0 && family < FAMILIES && size >= 1 && size <= gemv_col_problem.max_size;
    shape s = known ? shape_of(family, size) : (shape){0, 0};
    bool is_offset = (family & ~1) == AX_OFFSET;
    gemv_col_task task = {.op = (family & 1) != 0 ? GEMV_COL_ATX : GEMV_COL_AX, .m = s.m, .n = s.n};
    task.workspace_bytes = SIZE_MAX;
    if (!known || !gemv_col_is_valid(&task)) {
        return kl_no_such_case(&gemv_col_problem, family, size,
                               "a matrix has 1 to 2^24 rows and columns and at most 2^31 elements",
                               err);
    }
    bool transposed = task.op == GEMV_COL_ATX;
    uint32_t offset = is_offset ? kl_unaligned_bytes(size) : 0;
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 2, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){
        .name = "a", .dtype = KL_F32, .elems = (uint64_t)(s.m * s.n), .offset_bytes = offset};
    out_case->inputs[0].line_elems = -s.m;
    out_case->inputs[1] = (kl_buffer){.name = "x",
                                      .dtype = KL_F32,
                                      .elems = (uint64_t)(transposed ? s.m : s.n),
                                      .offset_bytes = offset};
    out_case->outputs[0] =
        (kl_buffer){.name = "y", .dtype = KL_F32, .elems = (uint64_t)(transposed ? s.n : s.m)};
    out_case->ints[0] = task.op;
    out_case->ints[1] = s.m;
    out_case->ints[2] = s.n;
    out_case->workspace_bytes = gemv_col_workspace_bytes(s.m, s.n);
    double elems = (double)s.m * (double)s.n;
    out_case->work_bytes = 4.0 * (elems + (double)s.m + (double)s.n);
    out_case->work_ops = 2.0 * elems;
    return KL_OK;
}

static gemv_col_check check_of(const kl_case *c, const void *const *inputs) {
    int kind = c->family & ~1;
    return (gemv_col_check){.op = (gemv_col_op)c->ints[0],
                            .m = c->ints[1],
                            .n = c->ints[2],
                            .a = inputs[0],
                            .x = inputs[1],
                            .exact = kind != AX_REAL && kind != AX_SPECIAL};
}

// An integer from -7 to 7 without 0. Sums of up to 2^18 products stay below 2^24; for longer ones
// fill_integers takes only its sign.
static float small_integer(uint64_t seed, uint64_t i) {
    int32_t value = (int32_t)kl_random_below(seed, i, 14) - 7;
    return (float)(value >= 0 ? value + 1 : value);
}

static void fill_integers(float *values, uint64_t count, uint64_t length, uint64_t seed) {
    const uint64_t most_long = UINT64_C(1) << 18; // 2^18 * 49 < 2^24
    for (uint64_t i = 0; i < count; i++) {
        float value = small_integer(seed, i);
        values[i] = length <= most_long ? value : value > 0.0f ? 1.0f : -1.0f;
    }
}

// Row (of A^T x: column) 3 has a NaN, 5 an infinity, 7 one of each sign. The others must not
// notice.
static void add_special(const kl_case *c, float *a) {
    int64_t m = c->ints[1], n = c->ints[2];
    bool along_rows = c->ints[0] == GEMV_COL_AX;
    int64_t step = along_rows ? 1 : m, stride = along_rows ? m : 1;
    int64_t length = along_rows ? n : m, lines = along_rows ? m : n;
    for (int64_t line = 3; line < lines; line += 2) {
        if (line > 7) break;
        int64_t at = kl_random_below(c->seed, (uint64_t)line, (uint64_t)length - 1);
        float *first = a + line * step + at * stride;
        *first = line == 3 ? NAN : INFINITY;
        if (line == 7) first[stride] = -INFINITY;
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    float *a = inputs[0], *x = inputs[1];
    uint64_t elems = c->inputs[0].elems, length = c->inputs[1].elems;
    uint64_t x_seed = kl_random_fork(c->seed, 1);
    int kind = c->family & ~1;
    if (kind == AX_REAL || kind == AX_SPECIAL) {
        for (uint64_t i = 0; i < elems; i++) a[i] = kl_random_signed(c->seed, i);
        for (uint64_t i = 0; i < length; i++) x[i] = 0.5f + kl_random_unit(x_seed, i);
    } else {
        fill_integers(a, elems, length, c->seed);
        fill_integers(x, length, length, x_seed);
    }
    if (kind == AX_SPECIAL) add_special(c, a);
    return KL_OK;
}

// A matrix of 1 to 9 down its columns, a vector of 1 to 4.
static bool readable(const kl_case *c, void *const *inputs) {
    if ((c->family & ~1) == AX_SPECIAL) return false;
    kl_small_count_up(&c->inputs[0], 9, inputs[0]);
    kl_small_count_up(&c->inputs[1], 4, inputs[1]);
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    return 2 * c->outputs[0].elems * sizeof(double);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    gemv_col_check check = check_of(c, inputs);
    gemv_col_solve(&check, out_solution);
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    gemv_col_check check = check_of(c, inputs);
    gemv_col_compare(&check, solution, outputs[0], out_verdict);
}

const kl_problem gemv_col_problem = {
    .name = "gemv_col",
    .folder = "05_gemv_col",
    .title = "Matrix times vector, column-major",
    .size_unit = "a side",
    .ceiling = KL_CEILING_READ,
    .default_seed = 2012, // the year of the source
    .max_size = INT64_C(1) << 24,
    .timed_family = "ax-square",
    KL_PROBLEM_PARTS,
};
