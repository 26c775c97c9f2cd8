// Lab 11 as data: kinds of cases, sizes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero.
#include "problem.h"
#include "small_case.h"

#include "compare.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

// Steps 6 to 10, which use all SMs: one block takes too long for large arrays.
#define MANY_BLOCKS UINT32_C(0x7C0)

#define FAMILY_LIST(F)                                                                             \
    F(INT, "int", "inclusive sums of integers of any size, which wrap", 0)                         \
    F(INT_EXCLUSIVE, "int-exclusive", "exclusive sums of the same", 0)                             \
    F(FLOAT, "float", "uniform in [-1, 1); error bound from the longest chain of additions", 0)    \
    F(FLOAT_EXCLUSIVE, "float-exclusive", "exclusive sums of the same", 0)                         \
    F(EXACT, "exact", "floats that are integers; no order of additions rounds", 0)                 \
    F(SPECIAL, "special", "exclusive sums of floats with a NaN and infinities", 0)                 \
    F(OFFSET, "offset", "as int; x and y lie otherwise within 16 bytes", 0)                        \
    F(SHIFTED, "shifted", "as int-exclusive; x and y lie 4, 8 or 12 bytes off", 0)                 \
    F(IN_PLACE, "in-place", "as int-exclusive; y is x", 0)                                         \
    F(LARGE, "large", "as int, for steps of many blocks", MANY_BLOCKS)                             \
    F(LARGE_FLOAT, "large-float", "as exact, for steps of many blocks", MANY_BLOCKS)               \
    F(LARGE_OFFSET, "large-offset", "as offset, for steps of many blocks", MANY_BLOCKS)
KL_FAMILIES(FAMILY_LIST);

// Timed sizes: 2^20 fits the L2 cache, 2^24 (two times 64 MiB) exceeds it, 2^28 is memory only.
static const kl_suite_entry suite[] = {
    {INT, 0, KL_CHECK | KL_QUICK},
    {INT, 1, KL_CHECK | KL_QUICK},
    {INT, 2, KL_CHECK},
    {INT, 31, KL_CHECK | KL_QUICK},
    {INT, 32, KL_CHECK},
    {INT, 33, KL_CHECK},
    {INT, 1000, KL_CHECK | KL_QUICK},
    {INT, 1024, KL_CHECK},
    {INT, 1025, KL_CHECK | KL_QUICK},
    {INT, 4096, KL_CHECK},
    {INT, 4097, KL_CHECK | KL_QUICK},
    {INT, 65537, KL_CHECK},
    {INT, 1 << 20, KL_TIME_GPU | KL_TIME_SIM},
    {INT_EXCLUSIVE, 0, KL_CHECK},
    {INT_EXCLUSIVE, 1, KL_CHECK | KL_QUICK},
    {INT_EXCLUSIVE, 33, KL_CHECK},
    {INT_EXCLUSIVE, 4099, KL_CHECK | KL_QUICK},
    {INT_EXCLUSIVE, 200003, KL_CHECK},
    {FLOAT, 1000, KL_CHECK | KL_QUICK},
    {FLOAT, 65537, KL_CHECK},
    {FLOAT, 200003, KL_CHECK},
    {FLOAT_EXCLUSIVE, 4099, KL_CHECK | KL_QUICK},
    {EXACT, 1, KL_CHECK},
    {EXACT, 257, KL_CHECK | KL_QUICK},
    {EXACT, 65536, KL_CHECK},
    {EXACT, 200003, KL_CHECK},
    {SPECIAL, 1000, KL_CHECK | KL_QUICK},
    {SPECIAL, 65537, KL_CHECK},
    {OFFSET, 1, KL_CHECK},
    {OFFSET, 31, KL_CHECK | KL_QUICK},
    {OFFSET, 4099, KL_CHECK | KL_QUICK},
    {OFFSET, 65537, KL_CHECK},
    {SHIFTED, 3, KL_CHECK},
    {SHIFTED, 4097, KL_CHECK | KL_QUICK},
    {SHIFTED, 65536, KL_CHECK},
    {IN_PLACE, 1000, KL_CHECK | KL_QUICK},
    {IN_PLACE, 65537, KL_CHECK},
    {IN_PLACE, 200003, KL_CHECK},
    {LARGE, 1 << 16, KL_BENCH},
    {LARGE, 1 << 18, KL_BENCH},
    {LARGE, 1000003, KL_CHECK},
    {LARGE, 1 << 20, KL_BENCH},
    {LARGE, 1 << 22, KL_BENCH},
    {LARGE, 1 << 24, KL_TIME_GPU | KL_TIME_SIM},
    {LARGE, 1 << 26, KL_BENCH},
    {LARGE, 1 << 28, KL_TIME_GPU},
    {LARGE, 1 << 30, KL_BENCH},
    {LARGE_FLOAT, 1 << 16, KL_BENCH},
    {LARGE_FLOAT, 1 << 20, KL_BENCH},
    {LARGE_FLOAT, 1000003, KL_CHECK},
    {LARGE_FLOAT, 1 << 24, KL_BENCH},
    {LARGE_FLOAT, 1 << 28, KL_BENCH},
    {LARGE_OFFSET, 1000003, KL_CHECK},
    {LARGE_OFFSET, 1 << 24, KL_BENCH},
    {LARGE_OFFSET, 1 << 28, KL_BENCH},
};

typedef struct family_shape {
    scan_type type;
    scan_kind kind;
    bool exact;
} family_shape;

static family_shape shape_of(int family) {
    switch ((enum family)family) {
    case INT_EXCLUSIVE:
    case SHIFTED:
    case IN_PLACE: return (family_shape){SCAN_INT, SCAN_EXCLUSIVE, true};
    case FLOAT: return (family_shape){SCAN_FLOAT, SCAN_INCLUSIVE, false};
    case FLOAT_EXCLUSIVE: return (family_shape){SCAN_FLOAT, SCAN_EXCLUSIVE, false};
    case EXACT:
    case LARGE_FLOAT: return (family_shape){SCAN_FLOAT, SCAN_INCLUSIVE, true};
    case SPECIAL: return (family_shape){SCAN_FLOAT, SCAN_EXCLUSIVE, false};
    case INT:
    case OFFSET:
    case LARGE:
    case LARGE_OFFSET:
    case FAMILIES: break;
    }
    return (family_shape){SCAN_INT, SCAN_INCLUSIVE, true};
}

// Where x and y lie within 16 bytes.
static void offsets(int family, int64_t size, uint32_t *out_x, uint32_t *out_y) {
    bool apart = family == OFFSET || family == LARGE_OFFSET;
    *out_x = apart || family == SHIFTED ? kl_unaligned_bytes(size) : 0;
    *out_y = apart ? kl_unaligned_bytes(size + 1) : *out_x;
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    if (family < 0 || family >= FAMILIES || size < 0 || size > scan_problem.max_size)
        return kl_no_such_case(&scan_problem, family, size, NULL, err);
    family_shape shape = shape_of(family);
    kl_dtype dtype = shape.type == SCAN_INT ? KL_I32 : KL_F32;
    uint32_t x_offset = 0, y_offset = 0;
    offsets(family, size, &x_offset, &y_offset);
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 1, .output_count = 1};
    out_case->inputs[0] =
        (kl_buffer){.name = "x", .dtype = dtype, .elems = (uint64_t)size, .offset_bytes = x_offset};
    out_case->outputs[0] =
        (kl_buffer){.name = "y", .dtype = dtype, .elems = (uint64_t)size, .offset_bytes = y_offset};
    out_case->ints[0] = size;
    out_case->ints[1] = shape.type;
    out_case->ints[2] = shape.kind;
    out_case->ints[3] = family == IN_PLACE;
    out_case->workspace_bytes = scan_workspace_bytes(size);
    out_case->work_bytes = 8.0 * (double)size; // each element read once and written once
    out_case->work_ops = size > 1 ? (double)(size - 1) : 0.0;
    return KL_OK;
}

// Integers of 1..15 with signs that keep the sum of every beginning below 2^20, and so that of
// every piece below 2^21. The sums that look-back adds up lie far apart and grow like a random
// walk: also of the 2^18 tiles of 2^30 elements they stay below 2^24.
static void fill_exact(float *x, int64_t n, uint64_t seed) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = kl_random_u64(seed, (uint64_t)i);
        int64_t value = 1 + (int64_t)(bits >> 8 & 15) % 15;
        bool negative = bits & 1;
        if (sum > 1 << 19) negative = true;
        if (sum < -(1 << 19)) negative = false;
        value = negative ? -value : value;
        sum += value;
        x[i] = (float)value;
    }
}

// An infinity in the second quarter; in the last quarter one of the other sign or a NaN.
static void fill_special(float *x, int64_t n, uint64_t seed) {
    for (int64_t i = 0; i < n; i++) x[i] = kl_random_signed(seed, (uint64_t)i);
    int64_t quarter = n / 4;
    if (quarter == 0) return;
    uint64_t places = kl_random_fork(seed, 1), bits = kl_random_u64(places, 2);
    float infinity = bits & 1 ? INFINITY : -INFINITY;
    x[quarter + kl_random_below(places, 0, (uint64_t)quarter)] = infinity;
    x[3 * quarter + kl_random_below(places, 1, (uint64_t)quarter)] = bits & 2 ? -infinity : NAN;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    int64_t n = c->size;
    if (c->ints[1] == SCAN_INT) {
        uint32_t *x = inputs[0];
        for (int64_t i = 0; i < n; i++) x[i] = (uint32_t)kl_random_u64(c->seed, (uint64_t)i);
        return KL_OK;
    }
    float *x = inputs[0];
    if (shape_of(c->family).exact) {
        fill_exact(x, n, c->seed);
    } else if (c->family == SPECIAL) {
        fill_special(x, n, c->seed);
    } else {
        for (int64_t i = 0; i < n; i++) x[i] = kl_random_signed(c->seed, (uint64_t)i);
    }
    return KL_OK;
}

// 1, 2, 3, ..
static bool readable(const kl_case *c, void *const *inputs) {
    if (c->family == SPECIAL) return false;
    kl_small_count_up(&c->inputs[0], c->size <= 4096 ? 4096 : 9, inputs[0]); // sums stay exact
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    (void)c;
    return sizeof(scan_answer);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)inputs;
    (void)err;
    family_shape shape = shape_of(c->family);
    *(scan_answer *)out_solution = (scan_answer){c->size, shape.type, shape.kind, shape.exact};
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    if (c->size == 0) { // no element: that the step returned 0 is the whole answer
        *out_verdict = (kl_verdict){.ok = true, .compared = 1};
        return;
    }
    kl_comparison compared = scan_compare(solution, inputs[0], outputs[0]);
    *out_verdict = kl_verdict_of(&compared);
    if (!compared.ok) {
        scan_explain(solution, inputs[0], (int64_t)compared.first_wrong, compared.expected,
                     compared.got, out_verdict->hint, sizeof out_verdict->hint);
    }
}

const kl_problem scan_problem = {
    .name = "scan",
    .folder = "11_scan",
    .title = "Scan",
    .size_unit = "elements",
    .ceiling = KL_CEILING_COPY,
    .default_seed = 11,
    .max_size = INT64_C(1) << 30,
    .timed_family = "int",
    KL_PROBLEM_PARTS,
};
