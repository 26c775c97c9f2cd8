// Lab 12 as data: kinds of cases, sizes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. A family is a size of value and a
// distribution of the bins; bits of a value below its bin are random.
#include "problem.h"
#include "small_case.h"

#include "compare.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

#define FAMILY_LIST(F)                                                                             \
    F(BYTES_UNIFORM, "bytes-uniform", "every bin is equally likely", 0)                            \
    F(BYTES_SKEWED, "bytes-skewed", "half of the values in one bin, a quarter in the next ..", 0)  \
    F(BYTES_CONSTANT, "bytes-constant", "all values in one bin", 0)                                \
    F(BYTES_RUNS, "bytes-runs", "up to 64 neighbours are equal, as in an image", 0)                \
    F(BYTES_OFFSET, "bytes-offset", "as bytes-uniform, but x is not 16-byte aligned", 0)           \
    F(SHORTS_UNIFORM, "shorts-uniform", "4,096 bins, every one is equally likely", 0)              \
    F(SHORTS_SKEWED, "shorts-skewed", "half of the values in one bin, a quarter in the next ..",   \
      0)                                                                                           \
    F(SHORTS_CONSTANT, "shorts-constant", "all values in one bin", 0)                              \
    F(SHORTS_ONE_BANK, "shorts-one-bank", "128 bins whose numbers differ by multiples of 32", 0)   \
    F(SHORTS_OFFSET, "shorts-offset", "as shorts-skewed, but x is not 16-byte aligned", 0)         \
    F(INTS_UNIFORM, "ints-uniform", "every bin is equally likely", 0)                              \
    F(INTS_SKEWED, "ints-skewed", "half of the values in one bin, a quarter in the next ..", 0)    \
    F(INTS_CONSTANT, "ints-constant", "all values in one bin", 0)                                  \
    F(INTS_OFFSET, "ints-offset", "as ints-uniform, but x is not 16-byte aligned", 0)
KL_FAMILIES(FAMILY_LIST);

// Timed sizes: 2^20 values fit the L2 cache, 2^28 bytes are memory only.
#define MANY_SIZES(family)                                                                         \
    {family, 1 << 16, KL_BENCH}, {family, 1 << 18, KL_BENCH},                                      \
        {family, 1 << 20, KL_TIME_GPU | KL_TIME_SIM}, {family, 1 << 22, KL_BENCH},                 \
        {family, 1 << 24, KL_TIME_GPU}, {family, 1 << 26, KL_BENCH},                               \
        {family, 1 << 28, KL_TIME_GPU}, {                                                          \
        family, 1 << 30, KL_BENCH                                                                  \
    }
#define FEW_SIZES(family)                                                                          \
    {family, 1 << 16, KL_BENCH}, {family, 1 << 20, KL_BENCH}, {family, 1 << 24, KL_BENCH}, {       \
        family, 1 << 28, KL_BENCH                                                                  \
    }
static const kl_suite_entry suite[] = {
    {BYTES_UNIFORM, 0, KL_CHECK | KL_QUICK},
    {BYTES_UNIFORM, 1, KL_CHECK | KL_QUICK},
    {BYTES_UNIFORM, 31, KL_CHECK},
    {BYTES_UNIFORM, 257, KL_CHECK | KL_QUICK},
    {BYTES_UNIFORM, 4099, KL_CHECK},
    {BYTES_UNIFORM, 65537, KL_CHECK | KL_QUICK},
    {BYTES_UNIFORM, 1000003, KL_CHECK},
    {BYTES_UNIFORM, 1 << 22, KL_TIME_GPU | KL_TIME_SIM},
    MANY_SIZES(BYTES_UNIFORM),
    {BYTES_SKEWED, 1000, KL_CHECK | KL_QUICK},
    MANY_SIZES(BYTES_SKEWED),
    {BYTES_CONSTANT, 4099, KL_CHECK | KL_QUICK},
    MANY_SIZES(BYTES_CONSTANT),
    {BYTES_RUNS, 65537, KL_CHECK},
    {BYTES_RUNS, 1 << 28, KL_BENCH},
    {BYTES_OFFSET, 1, KL_CHECK},
    {BYTES_OFFSET, 15, KL_CHECK | KL_QUICK},
    {BYTES_OFFSET, 1000, KL_CHECK},
    {BYTES_OFFSET, 1000003, KL_CHECK},
    {BYTES_OFFSET, 1 << 28, KL_BENCH},
    {SHORTS_UNIFORM, 0, KL_CHECK},
    {SHORTS_UNIFORM, 1000, KL_CHECK | KL_QUICK},
    {SHORTS_UNIFORM, 1 << 20, KL_TIME_SIM},
    FEW_SIZES(SHORTS_UNIFORM),
    {SHORTS_SKEWED, 65537, KL_CHECK},
    FEW_SIZES(SHORTS_SKEWED),
    {SHORTS_CONSTANT, 4099, KL_CHECK},
    {SHORTS_CONSTANT, 2000003, KL_CHECK},
    FEW_SIZES(SHORTS_CONSTANT),
    {SHORTS_ONE_BANK, 4099, KL_CHECK},
    {SHORTS_ONE_BANK, 1 << 28, KL_BENCH},
    {SHORTS_OFFSET, 7, KL_CHECK | KL_QUICK},
    {SHORTS_OFFSET, 65537, KL_CHECK},
    {SHORTS_OFFSET, 1 << 28, KL_BENCH},
    {INTS_UNIFORM, 0, KL_CHECK},
    {INTS_UNIFORM, 33, KL_CHECK | KL_QUICK},
    {INTS_UNIFORM, 65537, KL_CHECK},
    FEW_SIZES(INTS_UNIFORM),
    {INTS_SKEWED, 4099, KL_CHECK},
    FEW_SIZES(INTS_SKEWED),
    {INTS_CONSTANT, 1000, KL_CHECK},
    FEW_SIZES(INTS_CONSTANT),
    {INTS_OFFSET, 3, KL_CHECK},
    {INTS_OFFSET, 300007, KL_CHECK | KL_QUICK},
    {INTS_OFFSET, 1 << 28, KL_BENCH},
};

static histogram_kind kind_of(int family) {
    return family < SHORTS_UNIFORM ? HISTOGRAM_BYTES
           : family < INTS_UNIFORM ? HISTOGRAM_SHORTS
                                   : HISTOGRAM_INTS;
}

// Behind a multiple of 256 bytes: odd for bytes, 2 more than a multiple of 4 for shorts.
static uint32_t offset_of(int family, int64_t size) {
    switch (family) {
    case BYTES_OFFSET: return kl_unaligned_bytes(size) + (size % 2 == 0 ? 1 : 3);
    case SHORTS_OFFSET: return kl_unaligned_bytes(size) + 2;
    case INTS_OFFSET: return kl_unaligned_bytes(size);
    default: return 0;
    }
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    if (family < 0 || family >= FAMILIES || size < 0 || size > histogram_problem.max_size)
        return kl_no_such_case(&histogram_problem, family, size, NULL, err);
    histogram_kind kind = kind_of(family);
    uint64_t bytes = (uint64_t)size * (uint64_t)histogram_value_bytes(kind);
    uint64_t bins = (uint64_t)histogram_bins(kind);
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 1, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){
        .name = "x", .dtype = KL_U8, .elems = bytes, .offset_bytes = offset_of(family, size)};
    out_case->outputs[0] = (kl_buffer){.name = "counts", .dtype = KL_I32, .elems = bins};
    out_case->picture_name = "x";
    out_case->picture_rows = 1;
    out_case->picture_cols = size;
    out_case->ints[0] = size;
    out_case->ints[1] = kind;
    out_case->work_bytes = (double)bytes + 4.0 * (double)bins; // each value once, and the counts
    out_case->work_ops = (double)size;
    return KL_OK;
}

// A bin of `bins` (a power of two). What is skewed has bin 0 half of the time, 1 a quarter ..;
// which bins these are depends on the seed, and they lie far apart.
static uint32_t bin_at(int family, uint64_t seed, int64_t i, uint32_t bins) {
    uint64_t places = kl_random_fork(seed, 1);
    switch (family) {
    case BYTES_SKEWED:
    case SHORTS_SKEWED:
    case SHORTS_OFFSET:
    case INTS_SKEWED: {
        uint64_t bits = kl_random_u64(seed, (uint64_t)i);
        uint32_t rank = 0;
        for (; (bits & 1) == 0 && rank < 63; bits >>= 1) rank++;
        return (kl_random_below(places, 0, bins) + 89 * rank) % bins;
    }
    case BYTES_CONSTANT:
    case SHORTS_CONSTANT:
    case INTS_CONSTANT: return kl_random_below(places, 0, bins);
    case BYTES_RUNS: return kl_random_below(seed, (uint64_t)(i / 64), bins);
    case SHORTS_ONE_BANK: return kl_random_below(seed, (uint64_t)i, bins / 32) * 32;
    default: return kl_random_below(seed, (uint64_t)i, bins);
    }
}

static void put_value(const kl_case *c, void *values, int64_t i, uint32_t value) {
    switch ((histogram_kind)c->ints[1]) {
    case HISTOGRAM_BYTES: ((uint8_t *)values)[i] = (uint8_t)value; break;
    case HISTOGRAM_SHORTS: ((uint16_t *)values)[i] = (uint16_t)value; break;
    case HISTOGRAM_INTS: ((uint32_t *)values)[i] = value; break;
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    histogram_kind kind = (histogram_kind)c->ints[1];
    int shift = histogram_shift(kind);
    uint32_t bins = (uint32_t)histogram_bins(kind), below = (UINT32_C(1) << shift) - 1;
    uint64_t low = kl_random_fork(c->seed, 2);
    for (int64_t i = 0; i < c->size; i++) {
        uint32_t value = bin_at(c->family, c->seed, i, bins) << shift;
        if (shift > 0) value |= (uint32_t)kl_random_u64(low, (uint64_t)i) & below;
        put_value(c, inputs[0], i, value);
    }
    return KL_OK;
}

// Bins 0, 1, 2, 3, 0, ..; of constant inputs bin 3.
static bool readable(const kl_case *c, void *const *inputs) {
    bool constant =
        c->family == BYTES_CONSTANT || c->family == SHORTS_CONSTANT || c->family == INTS_CONSTANT;
    int64_t apart = c->family == SHORTS_ONE_BANK ? 32 : 1;
    for (int64_t i = 0; i < c->size; i++)
        put_value(c, inputs[0], i,
                  (uint32_t)(constant ? 3 : i % 4 * apart)
                      << histogram_shift((histogram_kind)c->ints[1]));
    return true;
}

// The bin of a value, where its bytes would say little.
static double picture(const kl_case *c, const void *const *inputs, int64_t row, int64_t col) {
    (void)row;
    int shift = histogram_shift((histogram_kind)c->ints[1]);
    switch ((histogram_kind)c->ints[1]) {
    case HISTOGRAM_BYTES: return ((const uint8_t *)inputs[0])[col] >> shift;
    case HISTOGRAM_SHORTS: return ((const uint16_t *)inputs[0])[col] >> shift;
    case HISTOGRAM_INTS: return ((const uint32_t *)inputs[0])[col] >> shift;
    }
    return NAN;
}

static uint64_t solution_bytes(const kl_case *c) {
    return sizeof(uint32_t) * (uint64_t)histogram_bins((histogram_kind)c->ints[1]);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    histogram_reference(inputs[0], c->size, (histogram_kind)c->ints[1], out_solution);
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    (void)inputs;
    const uint32_t *want = solution, *got = outputs[0];
    histogram_kind kind = (histogram_kind)c->ints[1];
    int bins = histogram_bins(kind);
    kl_verdict *v = out_verdict;
    *v = (kl_verdict){.ok = true, .compared = (uint64_t)bins};
    for (int b = 0; b < bins; b++) {
        double error = kl_distance(kl_integer_seen(got[b], got[b]), want[b]);
        v->max_error = error > v->max_error ? error : v->max_error;
        if (got[b] == want[b] || !v->ok) continue;
        v->ok = false;
        v->first_wrong = (uint64_t)b;
        v->expected = want[b];
        v->got = kl_integer_seen(got[b], got[b]);
    }
    if (!v->ok) histogram_explain(want, got, c->size, kind, v->hint, sizeof v->hint);
}

const kl_problem histogram_problem = {
    .name = "histogram",
    .folder = "12_histogram",
    .title = "Histograms",
    .size_unit = "values",
    .ceiling = KL_CEILING_READ,
    .default_seed = 256,
    .max_size = INT64_C(1) << 31,
    .timed_family = "bytes-uniform",
    .picture = picture,
    KL_PROBLEM_PARTS,
};
