// Lab 02 as data: kinds of cases, sizes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero.
#include "problem.h"
#include "small_case.h"

#include "compare.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

#define FAMILY_LIST(F)                                                                             \
    F(SUM_EXACT, "sum-exact", "signed integers; no order of additions rounds, so the error is 0",  \
      0)                                                                                           \
    F(SUM_POSITIVE, "sum-positive", "positive integers; whatever is missing or double shows", 0)   \
    F(SUM_OFFSET, "sum-offset", "as sum-exact, but x is not 16-byte aligned", 0)                   \
    F(SUM_REAL, "sum-real", "uniform in [-1, 1); error bound from the longest chain of additions", \
      0)                                                                                           \
    F(SUM_WIDE, "sum-wide", "magnitudes from 2^-20 to 2^20, both signs", 0)                        \
    F(MAX_FIRST, "max-first", "all negative, the maximum is the first element", 0)                 \
    F(MAX_LAST, "max-last", "all negative, the maximum is the last element", 0)                    \
    F(MAX_ODD, "max-odd", "all negative, the maximum is at an odd index", 0)                       \
    F(MAX_OFFSET, "max-offset", "as max-odd, but x is not 16-byte aligned", 0)                     \
    F(MAX_MIXED, "max-mixed", "both signs and zeros", 0)
KL_FAMILIES(FAMILY_LIST);

// Timed sizes: 2^20 fits the L2 cache, 2^24 (64 MiB) just exceeds an H100's, 2^28 is memory only.
// What is timed or counted is compared, too, so 2^20 needs no place in the check.
static const kl_suite_entry suite[] = {
    {SUM_EXACT, 0, KL_CHECK | KL_QUICK},
    {SUM_EXACT, 1, KL_CHECK | KL_QUICK},
    {SUM_EXACT, 2, KL_CHECK},
    {SUM_EXACT, 31, KL_CHECK | KL_QUICK},
    {SUM_EXACT, 32, KL_CHECK},
    {SUM_EXACT, 33, KL_CHECK},
    {SUM_EXACT, 255, KL_CHECK},
    {SUM_EXACT, 256, KL_CHECK | KL_QUICK},
    {SUM_EXACT, 257, KL_CHECK | KL_QUICK},
    {SUM_EXACT, 1000, KL_CHECK | KL_QUICK},
    {SUM_EXACT, 4099, KL_CHECK},
    {SUM_EXACT, 65537, KL_CHECK | KL_QUICK},
    {SUM_EXACT, 1000003, KL_CHECK},
    {SUM_EXACT, 1 << 16, KL_BENCH},
    {SUM_EXACT, 1 << 18, KL_BENCH},
    {SUM_EXACT, 1 << 20, KL_TIME_GPU | KL_TIME_SIM},
    {SUM_EXACT, 1 << 22, KL_BENCH},
    {SUM_EXACT, 1 << 24, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {SUM_EXACT, 1 << 26, KL_BENCH},
    {SUM_EXACT, 1 << 28, KL_TIME_GPU},
    {SUM_EXACT, 1 << 30, KL_BENCH},
    {SUM_POSITIVE, 33, KL_CHECK},
    {SUM_POSITIVE, 1000, KL_CHECK | KL_QUICK},
    {SUM_POSITIVE, 1000003, KL_CHECK},
    {SUM_OFFSET, 1, KL_CHECK},
    {SUM_OFFSET, 2, KL_CHECK},
    {SUM_OFFSET, 31, KL_CHECK | KL_QUICK},
    {SUM_OFFSET, 1000, KL_CHECK},
    {SUM_OFFSET, 65537, KL_CHECK},
    {SUM_REAL, 1000, KL_CHECK | KL_QUICK},
    {SUM_REAL, 65537, KL_CHECK},
    {SUM_REAL, 1000003, KL_CHECK},
    {SUM_WIDE, 4099, KL_CHECK | KL_QUICK},
    {MAX_FIRST, 0, KL_CHECK | KL_QUICK},
    {MAX_FIRST, 1, KL_CHECK},
    {MAX_FIRST, 1000, KL_CHECK | KL_QUICK},
    {MAX_LAST, 33, KL_CHECK | KL_QUICK},
    {MAX_LAST, 1000003, KL_CHECK},
    {MAX_ODD, 255, KL_CHECK},
    {MAX_ODD, 65537, KL_CHECK | KL_QUICK},
    {MAX_OFFSET, 4099, KL_CHECK},
    {MAX_MIXED, 31, KL_CHECK | KL_QUICK},
    {MAX_MIXED, 4099, KL_CHECK},
};

static const int64_t exact_limit = INT64_C(1) << 24; // integers up to here are floats

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    if (family < 0 || family >= FAMILIES || size < 0 || size > reduction_problem.max_size)
        return kl_no_such_case(&reduction_problem, family, size, NULL, err);
    bool is_max = family >= MAX_FIRST;
    bool is_offset = family == SUM_OFFSET || family == MAX_OFFSET;
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 1, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){
        .name = "x",
        .dtype = KL_F32,
        .elems = (uint64_t)size,
        .offset_bytes = is_offset ? kl_unaligned_bytes(size) : 0,
    };
    out_case->outputs[0] = (kl_buffer){.name = "result", .dtype = KL_F32, .elems = 1};
    out_case->ints[0] = size;
    out_case->ints[1] = is_max ? REDUCTION_MAX : REDUCTION_SUM;
    out_case->workspace_bytes = reduction_workspace_bytes(size);
    out_case->work_bytes = 4.0 * (double)size + 4.0; // each element once, and the result
    out_case->work_ops = size > 1 ? (double)(size - 1) : 0.0;
    return KL_OK;
}

// Up to 2^24 elements: pairs of opposite sign, magnitudes 1..A, A the largest with A * n/2 <= 2^24,
// so that neither the positive nor the negative elements add up to more than 2^24. Beyond: one
// element of each group is +1 or -1, at a random place, the others are 0.
static void fill_signed(float *x, int64_t n, uint64_t seed) {
    uint64_t places = kl_random_fork(seed, 1);
    if (n > exact_limit) {
        int64_t group = (n + exact_limit - 1) / exact_limit;
        memset(x, 0, (size_t)n * sizeof *x);
        for (int64_t g = 0, from = 0; from < n; g++, from += group) {
            int64_t length = n - from < group ? n - from : group;
            int64_t at = from + kl_random_below(places, (uint64_t)g, (uint64_t)length);
            x[at] = kl_random_u64(seed, (uint64_t)g) & 1 ? 1.0f : -1.0f;
        }
        return;
    }
    int64_t pairs = (n + 1) / 2;
    int64_t most = pairs > 0 ? exact_limit / pairs : 1;
    most = most < (1 << 20) ? most : 1 << 20; // small cases stay readable
    for (int64_t i = 0; i < n; i++) {
        bool negative = (kl_random_u64(places, (uint64_t)(i / 2)) & 1) != (uint64_t)(i & 1);
        float magnitude = 1.0f + (float)kl_random_below(seed, (uint64_t)i, (uint64_t)most);
        x[i] = negative ? -magnitude : magnitude;
    }
}

// Integers 1..A with A * n <= 2^24; above 2^24 elements one 1 in each group.
static void fill_positive(float *x, int64_t n, uint64_t seed) {
    if (n > exact_limit) {
        fill_signed(x, n, seed);
        for (int64_t i = 0; i < n; i++) x[i] = fabsf(x[i]);
        return;
    }
    int64_t most = n > 0 ? exact_limit / n : 1;
    most = most < (1 << 20) ? most : 1 << 20;
    for (int64_t i = 0; i < n; i++)
        x[i] = 1.0f + (float)kl_random_below(seed, (uint64_t)i, (uint64_t)most);
}

// Values in [-2, -1), and one in (-1, -0.5] at `place`: never 0, so an initial 0 shows.
static void fill_negative(float *x, int64_t n, int64_t place, uint64_t seed) {
    for (int64_t i = 0; i < n; i++) x[i] = -2.0f + kl_random_unit(seed, (uint64_t)i);
    if (place >= 0 && place < n)
        x[place] = -1.0f + 0.5f * kl_random_unit(seed, (uint64_t)n) + 0x1p-23f;
}

static int64_t odd_place(int64_t n, uint64_t seed) {
    if (n < 2) return 0;
    int64_t half = n / 2; // odd indices 1, 3, .. below n
    return 2 * (int64_t)(kl_random_u64(kl_random_fork(seed, 2), 0) % (uint64_t)half) + 1;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    float *x = inputs[0];
    int64_t n = c->size;
    switch ((enum family)c->family) {
    case SUM_EXACT:
    case SUM_OFFSET: fill_signed(x, n, c->seed); break;
    case SUM_POSITIVE: fill_positive(x, n, c->seed); break;
    case SUM_REAL:
        for (int64_t i = 0; i < n; i++) x[i] = kl_random_signed(c->seed, (uint64_t)i);
        break;
    case SUM_WIDE:
        for (int64_t i = 0; i < n; i++) {
            int exponent = (int)kl_random_below(kl_random_fork(c->seed, 3), (uint64_t)i, 41) - 20;
            x[i] = ldexpf(kl_random_signed(c->seed, (uint64_t)i), exponent);
        }
        break;
    case MAX_FIRST: fill_negative(x, n, 0, c->seed); break;
    case MAX_LAST: fill_negative(x, n, n - 1, c->seed); break;
    case MAX_ODD:
    case MAX_OFFSET: fill_negative(x, n, odd_place(n, c->seed), c->seed); break;
    case MAX_MIXED:
        for (int64_t i = 0; i < n; i++) {
            float value = 100.0f * kl_random_signed(c->seed, (uint64_t)i);
            x[i] = i % 7 == 3 ? 0.0f : value;
        }
        break;
    case FAMILIES: break;
    }
    return KL_OK;
}

// 1, 2, 3, ..; of maxima -2, -3, .. with -1 at the family's place.
static bool readable(const kl_case *c, void *const *inputs) {
    float *x = inputs[0];
    int64_t n = c->size, place = c->family == MAX_FIRST  ? 0
                                 : c->family == MAX_LAST ? n - 1
                                                         : odd_place(n, c->seed);
    kl_small_count_up(&c->inputs[0], n <= 4096 ? 4096 : 9, x); // sums stay exact
    for (int64_t i = 0; c->ints[1] == REDUCTION_MAX && i < n; i++)
        x[i] = i == place ? -1.0f : -1.0f - x[i];
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    (void)c;
    return sizeof(reduction_answer);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    bool exact = c->family == SUM_EXACT || c->family == SUM_POSITIVE || c->family == SUM_OFFSET;
    *(reduction_answer *)out_solution =
        reduction_reference(inputs[0], c->size, (reduction_op)c->ints[1], exact);
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    const reduction_answer *answer = solution;
    kl_comparison compared = kl_compare_f32(outputs[0], &answer->value, NULL, answer->bound, 1);
    *out_verdict = kl_verdict_of(&compared);
    if (!compared.ok) {
        reduction_explain(inputs[0], c->size, (reduction_op)c->ints[1], answer->value, compared.got,
                          out_verdict->hint, sizeof out_verdict->hint);
    }
}

const kl_problem reduction_problem = {
    .name = "reduction",
    .folder = "02_reduction",
    .title = "Parallel reduction",
    .size_unit = "elements",
    .ceiling = KL_CEILING_READ,
    .default_seed = 677, // the lecture's course number
    .max_size = INT64_C(1) << 31,
    .timed_family = "sum-exact",
    KL_PROBLEM_PARTS,
};
