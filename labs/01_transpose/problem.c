// Lab 01 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero.
#include "problem.h"
#include "small_case.h"

#include "random.h"
#include "reference.h"
#include "transpose.h"

#include "steps.h" // made from lab.json: steps[]

enum { COPY_STEP = 1 << 0, OTHER_STEPS = 0x7E };

// The library multiplies by 1, which is enough to change a signalling NaN: it has no BITS.
#define FAMILY_LIST(F)                                                                             \
    F(COPY, "copy", "n x n, copied: step 0", COPY_STEP)                                            \
    F(COPY_ODD, "copy-odd", "as odd, copied: step 0", COPY_STEP)                                   \
    F(SQUARE, "square", "n x n", OTHER_STEPS)                                                      \
    F(ODD, "odd", "n x ((n + 1) / 2 + 3), so 8191 x 4099: what is made for squares shows",         \
      OTHER_STEPS)                                                                                 \
    F(ODD_TALL, "odd-tall", "((n + 1) / 2 + 3) x n", OTHER_STEPS)                                  \
    F(ROW, "row", "1 x n", OTHER_STEPS)                                                            \
    F(COLUMN, "column", "n x 1", OTHER_STEPS)                                                      \
    F(OFFSET, "offset", "n x n, but the input is not 16-byte aligned", OTHER_STEPS)                \
    F(BITS, "bits", "n x 2n of any bits: NaN, infinities, -0, denormals",                          \
      OTHER_STEPS | KL_NOT_VENDOR)                                                                 \
    F(NO_ROWS, "no-rows", "0 x n: nothing may be written", OTHER_STEPS)                            \
    F(NO_COLUMNS, "no-columns", "n x 0: nothing may be written", OTHER_STEPS)
KL_FAMILIES(FAMILY_LIST);

// Timed shapes: 1024 (4 MiB) fits the L2 cache, 4096 (64 MiB) just exceeds an H100's. A column of
// 2200000 has more rows of tiles than a grid may be high.
static const kl_suite_entry suite[] = {
    {COPY, 1, KL_CHECK | KL_QUICK},
    {COPY, 100, KL_CHECK | KL_QUICK},
    {COPY, 1000, KL_BENCH},
    {COPY, 1024, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {COPY, 2048, KL_BENCH},
    {COPY, 4096, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {COPY, 8192, KL_TIME_GPU},
    {COPY, 16384, KL_BENCH},
    {COPY_ODD, 50, KL_CHECK},
    {COPY_ODD, 8191, KL_TIME_GPU},
    {SQUARE, 1, KL_CHECK | KL_QUICK},
    {SQUARE, 2, KL_CHECK},
    {SQUARE, 31, KL_CHECK},
    {SQUARE, 32, KL_CHECK | KL_QUICK},
    {SQUARE, 33, KL_CHECK | KL_QUICK},
    {SQUARE, 64, KL_CHECK | KL_QUICK},
    {SQUARE, 65, KL_CHECK},
    {SQUARE, 100, KL_CHECK | KL_QUICK},
    {SQUARE, 1000, KL_CHECK | KL_BENCH},
    {SQUARE, 1024, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {SQUARE, 2048, KL_BENCH},
    {SQUARE, 4096, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {SQUARE, 8192, KL_TIME_GPU},
    {SQUARE, 16384, KL_BENCH},
    {ODD, 2, KL_CHECK},
    {ODD, 7, KL_CHECK},
    {ODD, 50, KL_CHECK | KL_QUICK},
    {ODD, 64, KL_CHECK},
    {ODD, 127, KL_CHECK | KL_QUICK},
    {ODD, 1003, KL_CHECK},
    {ODD, 8191, KL_TIME_GPU},
    {ODD_TALL, 5, KL_CHECK},
    {ODD_TALL, 50, KL_CHECK | KL_QUICK},
    {ODD_TALL, 129, KL_CHECK},
    {ODD_TALL, 1001, KL_CHECK},
    {ODD_TALL, 8191, KL_BENCH},
    {ROW, 1, KL_CHECK},
    {ROW, 100, KL_CHECK | KL_QUICK},
    {ROW, 4099, KL_CHECK},
    {COLUMN, 33, KL_CHECK | KL_QUICK},
    {COLUMN, 1000, KL_CHECK},
    {COLUMN, 2200000, KL_CHECK},
    {OFFSET, 31, KL_CHECK},
    {OFFSET, 64, KL_CHECK | KL_QUICK},
    {OFFSET, 128, KL_CHECK},
    {BITS, 8, KL_CHECK},
    {BITS, 36, KL_CHECK | KL_QUICK},
    {BITS, 66, KL_CHECK},
    {NO_ROWS, 0, KL_CHECK},
    {NO_ROWS, 5, KL_CHECK | KL_QUICK},
    {NO_COLUMNS, 70, KL_CHECK | KL_QUICK},
};

typedef struct shape {
    int64_t rows, cols;
} shape;

static shape shape_of(int family, int64_t n) {
    int64_t half = (n + 1) / 2 + 3;
    switch ((enum family)family) {
    case COPY:
    case SQUARE:
    case OFFSET: return (shape){n, n};
    case COPY_ODD:
    case ODD: return (shape){n, half};
    case ODD_TALL: return (shape){half, n};
    case ROW: return (shape){1, n};
    case COLUMN: return (shape){n, 1};
    case BITS: return (shape){n, 2 * n};
    case NO_ROWS: return (shape){0, n};
    case NO_COLUMNS: return (shape){n, 0};
    case FAMILIES: break;
    }
    return (shape){0, 0};
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    const int64_t most_elems = INT64_C(1) << 31;
    bool known = family >= 0 && family < FAMILIES && size >= 0 && size <= most_elems;
    shape s = known ? shape_of(family, size) : (shape){0, 0};
    if (!known || (s.cols > 0 && s.rows > most_elems / s.cols)) {
        return kl_no_such_case(&transpose_problem, family, size,
                               "a matrix has at most 2^31 elements", err);
    }
    uint64_t elems = (uint64_t)(s.rows * s.cols);
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 1, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){
        .name = "in",
        .dtype = KL_F32,
        .elems = elems,
        .offset_bytes = family == OFFSET ? kl_unaligned_bytes(size) : 0,
    };
    // An empty matrix gets one word, which must stay as it is.
    out_case->outputs[0] =
        (kl_buffer){.name = "out", .dtype = KL_F32, .elems = elems > 0 ? elems : 1};
    out_case->inputs[0].line_elems = s.cols;
    out_case->outputs[0].line_elems = family == COPY || family == COPY_ODD ? s.cols : s.rows;
    out_case->ints[0] = s.rows;
    out_case->ints[1] = s.cols;
    out_case->work_bytes = 8.0 * (double)elems; // each element read and written once
    return KL_OK;
}

// Every fifth word is one that arithmetic or a conversion on the way would change.
static uint32_t any_bits(uint64_t seed, uint64_t i) {
    static const uint32_t special[] = {
        0x80000000u, // -0
        0x7F800000u, // infinity
        0xFF800000u, // -infinity
        0x7F800001u, // a signalling NaN
        0xFFC12345u, // a NaN with a payload
        0x00000001u, // the smallest denormal
        0x807FFFFFu, // a negative denormal
    };
    uint64_t random = kl_random_u64(seed, i);
    uint32_t bits = (uint32_t)(random >> 32);
    bits = i % 5 == 2 ? special[random % (sizeof special / sizeof special[0])] : bits;
    return bits == 0xFFFFFFFFu ? 0u : bits; // that is what outputs hold before
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    uint32_t *words = inputs[0];
    float *values = inputs[0];
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) {
        if (c->family == BITS) {
            words[i] = any_bits(c->seed, i);
        } else {
            values[i] = kl_random_signed(c->seed, i);
        }
    }
    return KL_OK;
}

// 1, 2, 3, .. along the rows.
static bool readable(const kl_case *c, void *const *inputs) {
    if (c->family == BITS) return false;
    kl_small_count_up(&c->inputs[0], 1000, inputs[0]);
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    (void)c;
    return 0; // the input is all that is needed
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)c;
    (void)inputs;
    (void)out_solution;
    (void)err;
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    (void)solution;
    transpose_check check = {.in = inputs[0],
                             .out = outputs[0],
                             .rows = c->ints[0],
                             .cols = c->ints[1],
                             .is_copy = c->family == COPY || c->family == COPY_ODD};
    transpose_compare(&check, out_verdict);
}

const kl_problem transpose_problem = {
    .name = "transpose",
    .folder = "01_transpose",
    .title = "Matrix transposition",
    .size_unit = "a side",
    .ceiling = KL_CEILING_COPY,
    .default_seed = 677, // the lecture's course number
    .max_size = INT64_C(1) << 31,
    .timed_family = "square",
    KL_PROBLEM_PARTS,
};
