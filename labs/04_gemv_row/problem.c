// Lab 04 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. Matrices and vectors hold no zeros, so that
// a product that is lost or counted twice always shows.
#include "problem.h"
#include "small_case.h"

#include "compare.h"
#include "gemv_row.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

enum { HOST_STEP = 1 << 0, KERNEL_STEPS = 0xFE };

#define FAMILY_LIST(F)                                                                             \
    F(CPU, "cpu", "n x n, on the host: step 0", HOST_STEP)                                         \
    F(SQUARE, "square", "n x n small integers, whose sums are exact in any order", KERNEL_STEPS)   \
    F(REAL, "real", "n x n uniform in [-1, 1); bound from the number of additions", KERNEL_STEPS)  \
    F(ODD, "odd", "(n / 2 + 3) x n, so 4098 x 8191: what is made for squares shows", KERNEL_STEPS) \
    F(WIDE, "wide", "3 x n: few rows for many SMs", KERNEL_STEPS)                                  \
    F(ONE_ROW, "one-row", "1 x n, a dot product", KERNEL_STEPS)                                    \
    F(TALL, "tall", "n x 13: rows shorter than a warp is wide", KERNEL_STEPS)                      \
    F(ONE_COLUMN, "one-column", "n x 1", KERNEL_STEPS)                                             \
    F(OFFSET, "offset", "n x n, but A is not 16-byte aligned", KERNEL_STEPS)                       \
    F(OFFSET_X, "offset-x", "n x n, but x is not 16-byte aligned", KERNEL_STEPS)                   \
    F(INFINITE, "infinite", "n x n, an infinity in every third row, of either sign", KERNEL_STEPS)
KL_FAMILIES(FAMILY_LIST);

// Timed orders: 512 and 1024 on the simulator, too; 2048 (16 MiB) fits the L2 cache of an H100,
// 8192 (256 MiB) is memory only; 8191 has rows of every alignment. 2^24 columns in one row and 2^22
// rows of 13 are the extreme shapes.
static const kl_suite_entry suite[] = {
    {CPU, 1, KL_CHECK | KL_QUICK},
    {CPU, 300, KL_CHECK | KL_QUICK},
    {SQUARE, 1, KL_CHECK | KL_QUICK},
    {SQUARE, 2, KL_CHECK},
    {SQUARE, 3, KL_CHECK | KL_QUICK},
    {SQUARE, 15, KL_CHECK},
    {SQUARE, 16, KL_CHECK | KL_QUICK},
    {SQUARE, 17, KL_CHECK | KL_QUICK},
    {SQUARE, 33, KL_CHECK},
    {SQUARE, 64, KL_CHECK},
    {SQUARE, 100, KL_CHECK},
    {SQUARE, 255, KL_CHECK | KL_QUICK},
    {SQUARE, 256, KL_CHECK},
    {SQUARE, 257, KL_CHECK},
    {SQUARE, 322, KL_CHECK | KL_QUICK},
    {SQUARE, 512, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {SQUARE, 1024, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {SQUARE, 2048, KL_TIME_GPU},
    {SQUARE, 2049, KL_BENCH},
    {SQUARE, 4096, KL_BENCH},
    {SQUARE, 8191, KL_TIME_GPU},
    {SQUARE, 8192, KL_TIME_GPU},
    {SQUARE, 12800, KL_BENCH},
    {REAL, 1, KL_CHECK},
    {REAL, 129, KL_CHECK | KL_QUICK},
    {REAL, 600, KL_CHECK},
    {ODD, 1, KL_CHECK},
    {ODD, 31, KL_CHECK | KL_QUICK},
    {ODD, 259, KL_CHECK | KL_QUICK},
    {ODD, 1027, KL_CHECK},
    {WIDE, 5, KL_CHECK},
    {WIDE, 1025, KL_CHECK | KL_QUICK},
    {WIDE, 70001, KL_CHECK},
    {WIDE, 1 << 20, KL_BENCH},
    {ONE_ROW, 1, KL_CHECK},
    {ONE_ROW, 4099, KL_CHECK | KL_QUICK},
    {ONE_ROW, 20000, KL_CHECK | KL_QUICK},
    {ONE_ROW, 600001, KL_CHECK},
    {ONE_ROW, 1 << 24, KL_TIME_GPU},
    {TALL, 1, KL_CHECK},
    {TALL, 500, KL_CHECK | KL_QUICK},
    {TALL, 9000, KL_CHECK},
    {TALL, 1 << 22, KL_TIME_GPU},
    {ONE_COLUMN, 33, KL_CHECK | KL_QUICK},
    {ONE_COLUMN, 65100, KL_CHECK},
    {ONE_COLUMN, 1 << 24, KL_BENCH},
    {OFFSET, 31, KL_CHECK},
    {OFFSET, 64, KL_CHECK | KL_QUICK},
    {OFFSET, 260, KL_CHECK},
    {OFFSET_X, 64, KL_CHECK | KL_QUICK},
    {OFFSET_X, 300, KL_CHECK},
    {INFINITE, 40, KL_CHECK | KL_QUICK},
    {INFINITE, 301, KL_CHECK},
};

typedef struct shape {
    int64_t rows, cols;
} shape;

static shape shape_of(int family, int64_t n) {
    switch ((enum family)family) {
    case CPU:
    case SQUARE:
    case REAL:
    case OFFSET:
    case OFFSET_X:
    case INFINITE: return (shape){n, n};
    case ODD: return (shape){n / 2 + 3, n};
    case WIDE: return (shape){3, n};
    case ONE_ROW: return (shape){1, n};
    case TALL: return (shape){n, 13};
    case ONE_COLUMN: return (shape){n, 1};
    case FAMILIES: break;
    }
    return (shape){0, 0};
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    bool known = family >= 0 && family < FAMILIES && size >= 1 && size <= gemv_row_problem.max_size;
    shape s = known ? shape_of(family, size) : (shape){0, 0};
    if (!known || !gemv_row_valid(s.rows, s.cols, GEMV_ROW_WORKSPACE_BYTES)) {
        return kl_no_such_case(&gemv_row_problem, family, size, "a matrix has 1 to 2^31 elements",
                               err);
    }
    uint64_t rows = (uint64_t)s.rows, cols = (uint64_t)s.cols;
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 2, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){
        .name = "A",
        .dtype = KL_F32,
        .elems = rows * cols,
        .offset_bytes = family == OFFSET ? kl_unaligned_bytes(size) : 0,
        .line_elems = s.cols,
    };
    out_case->inputs[1] = (kl_buffer){
        .name = "x",
        .dtype = KL_F32,
        .elems = cols,
        .offset_bytes = family == OFFSET_X ? kl_unaligned_bytes(size) : 0,
    };
    out_case->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32, .elems = rows};
    out_case->ints[0] = s.rows;
    out_case->ints[1] = s.cols;
    out_case->workspace_bytes = GEMV_ROW_WORKSPACE_BYTES;
    out_case->prepared_bytes = gemv_row_prepared_bytes(s.rows, s.cols);
    out_case->prepare_inputs = 1; // the matrix, not the vector
    double elems = (double)(rows * cols);
    out_case->work_bytes = 4.0 * (elems + (double)(rows + cols)); // A, x, y: once each
    out_case->work_ops = 2.0 * elems;
    out_case->host = family == CPU;
    return KL_OK;
}

// -most .. most without 0.
static float small_integer(uint64_t seed, uint64_t i, uint32_t most) {
    int32_t drawn = (int32_t)kl_random_below(seed, i, 2 * (uint64_t)most) - (int32_t)most;
    return (float)(drawn < 0 ? drawn : drawn + 1);
}

// With magnitudes of at most 4, the products of a row add up to at most 2^24 for n up to 2^20;
// above that with magnitudes of 1, up to 2^24.
static void fill(const kl_case *c, int64_t elems, uint64_t stream, float *values) {
    uint64_t seed = kl_random_fork(c->seed, stream);
    uint32_t most = c->ints[1] <= 1 << 20 ? 4 : 1;
    for (int64_t i = 0; i < elems; i++) {
        values[i] = c->family == REAL ? kl_random_signed(seed, (uint64_t)i)
                                      : small_integer(seed, (uint64_t)i, most);
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    int64_t rows = c->ints[0], cols = c->ints[1];
    float *a = inputs[0];
    fill(c, rows * cols, 1, a);
    fill(c, cols, 2, inputs[1]);
    for (int64_t i = 0; c->family == INFINITE && i < rows; i += 3) {
        int64_t j =
            (int64_t)(kl_random_u64(kl_random_fork(c->seed, 3), (uint64_t)i) % (uint64_t)cols);
        a[i * cols + j] = i % 2 == 0 ? INFINITY : -INFINITY;
    }
    return KL_OK;
}

// A matrix of 1 to 9, a vector of 1 to 4.
static bool readable(const kl_case *c, void *const *inputs) {
    if (c->family == INFINITE) return false;
    kl_small_count_up(&c->inputs[0], 9, inputs[0]);
    kl_small_count_up(&c->inputs[1], 4, inputs[1]);
    return true;
}

// y, then the bounds of its elements.
static uint64_t solution_bytes(const kl_case *c) {
    return 2 * sizeof(double) * (uint64_t)c->ints[0];
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    double *y = out_solution;
    gemv_row_reference(inputs[0], inputs[1], c->ints[0], c->ints[1], y, y + c->ints[0]);
    return KL_OK;
}

// The sum of row i's products of columns from .. to-1.
static double part_of(const float *a, const float *x, int64_t cols, int64_t i, int64_t from,
                      int64_t to) {
    double sum = 0.0;
    for (int64_t j = from; j < to; j++) sum += (double)a[i * cols + j] * (double)x[j];
    return sum;
}

// What kind of mistake gives `got` in row i; a row or a part of one that fits exactly.
static const char *explain(const kl_case *c, const float *a, const float *x, const double *y,
                           int64_t i, double got) {
    int64_t rows = c->ints[0], cols = c->ints[1];
    static const int64_t granules[] = {4, 16, 32, 64, 256, 1024};
    if (got == y[i / 16 * 16] && i % 16 != 0) return ": the answer of the first row of 16";
    for (size_t g = 0; g < sizeof granules / sizeof granules[0]; g++) {
        int64_t whole = cols / granules[g] * granules[g];
        if (whole > 0 && whole < cols && got == part_of(a, x, cols, i, 0, whole))
            return ": the columns after the last full group are missing";
    }
    for (int64_t other = 0; other < rows && other < 64; other++)
        if (other != i && got == y[other]) return ": the answer of another row";
    if (got == 2.0 * y[i]) return ": twice the sum";
    if (cols > 1 && got == part_of(a, x, cols, i, 1, cols)) return ": the first column is missing";
    return "";
}

// The same where the next row tells it, too: of a few small numbers, one sum fits by chance.
static const char *explain_rows(const kl_case *c, const float *a, const float *x, const double *y,
                                int64_t i, const float *got) {
    enum { FEW = 4 };
    const char *why = explain(c, a, x, y, i, (double)got[i]);
    bool last = i + 1 == c->ints[0];
    if (c->ints[1] < FEW || (!last && explain(c, a, x, y, i + 1, (double)got[i + 1]) != why))
        return "";
    return why;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    const double *y = solution;
    uint64_t rows = (uint64_t)c->ints[0];
    kl_comparison compared = kl_compare_f32(outputs[0], y, y + rows, 0.0, rows);
    *out_verdict = kl_verdict_of(&compared);
    if (!compared.ok) {
        int64_t row = (int64_t)compared.first_wrong;
        snprintf(out_verdict->hint, sizeof out_verdict->hint, "row %lld%s", (long long)row,
                 explain_rows(c, inputs[0], inputs[1], y, row, outputs[0]));
    }
}

static const char *unit_of(int family) {
    bool by_columns = family == WIDE || family == ONE_ROW || family == ODD;
    return by_columns ? "columns" : family == TALL || family == ONE_COLUMN ? "rows" : "a side";
}

const kl_problem gemv_row_problem = {
    .name = "gemv_row",
    .folder = "04_gemv_row",
    .title = "Matrix times vector, row-major",
    .size_unit = "a side",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_READ,
    .default_seed = 2008, // the year of the paper
    .max_size = INT64_C(1) << 30,
    .timed_family = "square",
    KL_PROBLEM_PARTS,
};
