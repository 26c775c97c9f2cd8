// Lab 06 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all zero.
#include "problem.h"
#include "small_case.h"

#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

enum { LONG_STEPS = 0xF << 7, DISPATCHED = 1 << 10 };

#define FAMILY_LIST(F)                                                                             \
    F(ROWS_32, "rows-32", "32 x n, uniform in [-8, 8)", 0)                                         \
    F(ROWS_1024, "rows-1024", "1024 x n, uniform in [-8, 8)", 0)                                   \
    F(ROWS_2048, "rows-2048", "2048 x n, uniform in [-8, 8)", 0)                                   \
    F(LARGE, "large",                                                                              \
      "2^26 / n rows of n columns, 256 or more: 512 MiB are moved, whatever the shape", 0)         \
    F(LONG, "long", "1024 x n, for the steps that are fast enough", LONG_STEPS)                    \
    F(ODD, "odd", "13 x n: neither rows nor, mostly, columns fill groups or vectors", 0)           \
    F(FEW, "few", "3 x n: few rows, but long ones", LONG_STEPS)                                    \
    F(MANY, "many", "17 x n: more long rows than clusters of eight SMs", DISPATCHED)               \
    F(OFFSET, "offset", "7 x n, but x is not 16-byte aligned", 0)                                  \
    F(TALL, "tall", "n x 16: many short rows", 0)                                                  \
    F(ASCENDING, "ascending", "5 x n, every element larger than the one before", 0)                \
    F(EQUAL, "equal", "6 x n, all elements of a row equal: every result is 1 / n", 0)              \
    F(MAGNITUDES, "magnitudes", "9 x n, magnitudes up to 3e38, where exp alone overflows", 0)      \
    F(INFINITIES, "infinities",                                                                    \
      "12 x n: -infinity here and there, rows of it, all but one "                                 \
      "element, rows with +infinity",                                                              \
      0)                                                                                           \
    F(NANS, "nans", "11 x n: every third row has one NaN; the others must not notice", 0)
KL_FAMILIES(FAMILY_LIST);

static const kl_suite_entry suite[] = {
    {ROWS_32, 32, KL_CHECK | KL_QUICK | KL_TIME_GPU},
    {ROWS_32, 1024, KL_TIME_GPU},
    {ROWS_32, 2048, KL_TIME_GPU},
    {ROWS_1024, 32, KL_TIME_GPU | KL_TIME_SIM},
    {ROWS_1024, 1024, KL_TIME_GPU | KL_TIME_SIM},
    {ROWS_1024, 2048, KL_TIME_GPU},
    {ROWS_2048, 32, KL_TIME_GPU},
    {ROWS_2048, 1024, KL_TIME_GPU},
    {ROWS_2048, 2048, KL_TIME_GPU},
    {LARGE, 256, KL_TIME_GPU},
    {LARGE, 1024, KL_TIME_GPU},
    {LARGE, 2047, KL_BENCH},
    {LARGE, 2048, KL_TIME_GPU},
    {LARGE, 8192, KL_TIME_GPU},
    {LONG, 32768, KL_TIME_GPU},
    {LONG, 65536, KL_TIME_GPU},
    {LONG, 131072, KL_TIME_GPU},
    {LONG, 262144, KL_TIME_GPU},
    {ODD, 1, KL_CHECK | KL_QUICK},
    {ODD, 2, KL_CHECK},
    {ODD, 3, KL_CHECK | KL_QUICK},
    {ODD, 4, KL_CHECK},
    {ODD, 5, KL_CHECK},
    {ODD, 7, KL_CHECK},
    {ODD, 31, KL_CHECK},
    {ODD, 33, KL_CHECK | KL_QUICK},
    {ODD, 63, KL_CHECK},
    {ODD, 64, KL_CHECK},
    {ODD, 65, KL_CHECK},
    {ODD, 127, KL_CHECK},
    {ODD, 129, KL_CHECK | KL_QUICK},
    {ODD, 257, KL_CHECK},
    {ODD, 511, KL_CHECK},
    {ODD, 1001, KL_CHECK | KL_QUICK},
    {ODD, 1030, KL_CHECK},
    {ODD, 2049, KL_CHECK},
    {ODD, 4099, KL_CHECK | KL_QUICK},
    {FEW, 8191, KL_CHECK},
    {FEW, 17001, KL_CHECK | KL_QUICK},
    {FEW, 40003, KL_CHECK},
    {FEW, 70002, KL_CHECK | KL_QUICK},
    {FEW, 140001, KL_CHECK},
    {FEW, 250001, KL_CHECK},
    {FEW, 300005, KL_CHECK},
    {FEW, 350003, KL_CHECK},
    {MANY, 40003, KL_CHECK},
    {MANY, 50257, KL_CHECK},
    {MANY, 60000, KL_CHECK},
    {MANY, 70002, KL_CHECK | KL_QUICK},
    {MANY, 110001, KL_CHECK},
    {MANY, 140000, KL_CHECK},
    {MANY, 180003, KL_CHECK},
    {OFFSET, 3, KL_CHECK},
    {OFFSET, 32, KL_CHECK | KL_QUICK},
    {OFFSET, 100, KL_CHECK},
    {OFFSET, 1024, KL_CHECK | KL_QUICK},
    {OFFSET, 9000, KL_CHECK},
    {OFFSET, 40000, KL_CHECK},
    {TALL, 1, KL_CHECK},
    {TALL, 1023, KL_CHECK | KL_QUICK},
    {TALL, 8192, KL_TIME_GPU | KL_TIME_SIM},
    {TALL, 65536, KL_TIME_GPU},
    {TALL, 1 << 20, KL_TIME_GPU},
    {ASCENDING, 300, KL_CHECK},
    {ASCENDING, 2050, KL_CHECK | KL_QUICK},
    {EQUAL, 77, KL_CHECK | KL_QUICK},
    {EQUAL, 2048, KL_CHECK},
    {MAGNITUDES, 100, KL_CHECK | KL_QUICK},
    {MAGNITUDES, 1500, KL_CHECK},
    {MAGNITUDES, 20001, KL_CHECK},
    {INFINITIES, 1, KL_CHECK},
    {INFINITIES, 50, KL_CHECK | KL_QUICK},
    {INFINITIES, 1027, KL_CHECK},
    {INFINITIES, 20000, KL_CHECK},
    {NANS, 3, KL_CHECK},
    {NANS, 90, KL_CHECK | KL_QUICK},
    {NANS, 1025, KL_CHECK},
    {NANS, 20003, KL_CHECK},
};

typedef struct shape {
    int64_t rows, columns;
} shape;

enum { LARGE_FROM = 256 }; // columns; below that as many rows, so that it is large only when asked

static shape shape_of(int family, int64_t n) {
    const int64_t large = INT64_C(1) << 26; // elements: each matrix is four times an L2 cache
    switch ((enum family)family) {
    case ROWS_32: return (shape){32, n};
    case ROWS_1024:
    case LONG: return (shape){1024, n};
    case ROWS_2048: return (shape){2048, n};
    case LARGE:
        if (n < LARGE_FROM) return (shape){LARGE_FROM, n};
        return (shape){n < large ? large / n : 1, n};
    case ODD: return (shape){13, n};
    case FEW: return (shape){3, n};
    case MANY: return (shape){17, n};
    case OFFSET: return (shape){7, n};
    case TALL: return (shape){n, 16};
    case ASCENDING: return (shape){5, n};
    case EQUAL: return (shape){6, n};
    case MAGNITUDES: return (shape){9, n};
    case INFINITIES: return (shape){12, n};
    case NANS: return (shape){11, n};
    case FAMILIES: break;
    }
    return (shape){0, 0};
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    const int64_t most_elems = INT64_C(1) << 29;
    const shape s = family < 0 || family >= FAMILIES || size < 1 || size > softmax_problem.max_size
                        ? (shape){0, 0}
                        : shape_of(family, size);
    if (s.rows < 1 || s.rows * s.columns > most_elems)
        return kl_no_such_case(&softmax_problem, family, size,
                               "a size is at least 1, and a matrix has at most 2^29 elements", err);
    const uint64_t elems = (uint64_t)(s.rows * s.columns);
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 1, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){
        .name = "x",
        .dtype = KL_F32,
        .elems = elems,
        .offset_bytes = family == OFFSET ? kl_unaligned_bytes(size) : 0,
    };
    out_case->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32, .elems = elems};
    out_case->inputs[0].line_elems = out_case->outputs[0].line_elems = s.columns;
    out_case->ints[0] = s.rows;
    out_case->ints[1] = s.columns;
    out_case->work_bytes = 8.0 * (double)elems; // each element read once and written once
    out_case->work_ops = 5.0 * (double)elems;   // compare, subtract, exp, add, scale
    return KL_OK;
}

// Row r, column j of n. `i` is the element's index, `u` random in [-1, 1).
static float element(int family, uint64_t seed, int64_t r, int64_t j, int64_t n, float u) {
    switch ((enum family)family) {
    case ASCENDING: return (float)r - 40.0f + 80.0f * (float)j / (float)n;
    case EQUAL: return 1000.0f * kl_random_signed(seed, (uint64_t)r);
    case MAGNITUDES: // rows of 1e0, 1e2, .. and the largest floats
        return r < 4 ? u * powf(100.0f, (float)r)
                     : u * (r % 2 ? 3.0e38f : 1.0e30f) + (float)(r % 3);
    case INFINITIES:
        if (r % 6 == 2) return -INFINITY;                      // alone
        if (r % 6 == 3) return j + 1 == n ? 8 * u : -INFINITY; // most threads have nothing else
        if (r % 6 == 4 && j == (int64_t)kl_random_below(seed, (uint64_t)r, (uint64_t)n))
            return INFINITY;
        return (kl_random_u64(seed, (uint64_t)(r * n + j)) & 3) == 0 && j > 0 ? -INFINITY : 8 * u;
    case NANS:
        if (r % 3 == 1 && j == (int64_t)kl_random_below(seed, (uint64_t)r, (uint64_t)n)) return NAN;
        return 8 * u;
    default: return 8 * u;
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    float *x = inputs[0];
    const int64_t rows = c->ints[0], columns = c->ints[1];
    const uint64_t places = kl_random_fork(c->seed, 1);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t j = 0; j < columns; j++) {
            int64_t i = r * columns + j;
            x[i] =
                element(c->family, places, r, j, columns, kl_random_signed(c->seed, (uint64_t)i));
        }
    }
    return KL_OK;
}

// Rows of 0, 1, 2, 3, 0, .., each beginning one further.
static bool readable(const kl_case *c, void *const *inputs) {
    float *x = inputs[0];
    int64_t columns = c->ints[1];
    bool special = c->family == MAGNITUDES || c->family == INFINITIES || c->family == NANS;
    for (uint64_t i = 0; !special && i < c->inputs[0].elems; i++) {
        int64_t r = (int64_t)i / columns, j = (int64_t)i % columns;
        x[i] = c->family == EQUAL       ? (float)(r + 1)
               : c->family == ASCENDING ? (float)j - (float)columns
                                        : (float)((r + j) % 4);
    }
    return !special;
}

static uint64_t solution_bytes(const kl_case *c) {
    return sizeof(softmax_row_answer) * (uint64_t)softmax_compared_rows(c->ints[0], c->ints[1]);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    softmax_reference(inputs[0], c->ints[0], c->ints[1], out_solution);
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    softmax_compare(inputs[0], c->ints[0], c->ints[1], solution, outputs[0], out_verdict);
}

static const char *unit_of(int family) {
    return family == TALL ? "rows" : "columns";
}

const kl_problem softmax_problem = {
    .name = "softmax",
    .folder = "06_softmax",
    .title = "Softmax of rows",
    .size_unit = "columns",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_COPY,
    .default_seed = 2, // the report's number among the sources
    .max_size = INT64_C(1) << 29,
    .timed_family = "rows-1024",
    KL_PROBLEM_PARTS,
};
