// Lab 14 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero:
// a card computes zeros with less power, and so with a faster clock.
#include "problem.h"
#include "small_case.h"

#include "attention.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

// GROUP_STEPS: products of warp groups; STAYING_STEPS: whose blocks take several tiles
enum { FAST_STEPS = 0x3f8, GROUP_STEPS = 0x3c0, STAYING_STEPS = 3 << 8 };

#define FAMILY_LIST(F)                                                                             \
    F(FULL, "full", "n queries, n keys of width 128; from n = 1,024 on 262,144 rows in all", 0)    \
    F(CAUSAL, "causal", "likewise; a query sees no later key", 0)                                  \
    F(NARROW, "narrow", "as full, of width 64; from n = 1,024 on 524,288 rows", 0)                 \
    F(NARROW_CAUSAL, "narrow-causal", "likewise; a query sees no later key", 0)                    \
    F(LONG, "long", "as full, for the steps that are fast enough", FAST_STEPS)                     \
    F(LONG_CAUSAL, "long-causal", "as causal, for the steps that are fast enough", FAST_STEPS)     \
    F(ODD, "odd", "n queries, 2 n / 3 + 1 keys: neither fills tiles", 0)                           \
    F(MORE_KEYS, "more-keys", "causal, 2 n + 3 keys: the last query sees the last key", 0)         \
    F(MORE_QUERIES, "more-queries", "causal, n / 2 keys: the first queries see none", 0)           \
    F(ONE_QUERY, "one-query", "1 query, n keys: a word is generated", 0)                           \
    F(GROUPED, "grouped", "8 queries, n keys: those of 8 heads that share their keys", 0)          \
    F(ONE_KEY, "one-key", "n queries, 1 key: O is a row of V, whatever the scores", 0)             \
    F(MANY_HEADS, "many-heads",                                                                    \
      "causal, 150 heads of n / 8 + 1 queries and n keys: more tiles than SMs", STAYING_STEPS)     \
    F(NO_KEYS, "no-keys", "n queries, no key: every element must be set to 0", 0)                  \
    F(NO_QUERIES, "no-queries", "no query, n keys: nothing may be written", 0)                     \
    F(FAR_BELOW, "far-below",                                                                      \
      "scores around -130: neither 0 nor a key that is not there may be "                          \
      "the maximum",                                                                               \
      0)                                                                                           \
    F(FAR_APART, "far-apart", "scores of hundreds, whose exponentials alone would overflow", 0)    \
    F(RISING, "rising", "later keys have larger scores: the maximum moves in every tile", 0)       \
    F(ONE_BLOCK, "one-block", "1 head of 128 queries, 4 n keys: a block with many tiles of keys",  \
      GROUP_STEPS)
KL_FAMILIES(FAMILY_LIST);

static const kl_suite_entry suite[] = {
    {FULL, 64, KL_CHECK | KL_QUICK},
    {FULL, 256, KL_CHECK | KL_TIME_SIM},
    {FULL, 512, KL_TIME_GPU | KL_TIME_SIM},
    {FULL, 1024, KL_TIME_GPU},
    {FULL, 4096, KL_TIME_GPU},
    {CAUSAL, 96, KL_CHECK | KL_QUICK},
    {CAUSAL, 256, KL_CHECK | KL_TIME_SIM},
    {CAUSAL, 512, KL_TIME_GPU | KL_TIME_SIM},
    {CAUSAL, 4096, KL_TIME_GPU},
    {NARROW, 256, KL_CHECK},
    {NARROW, 4096, KL_TIME_GPU},
    {NARROW_CAUSAL, 160, KL_CHECK | KL_QUICK},
    {NARROW_CAUSAL, 4096, KL_BENCH},
    {LONG, 16384, KL_BENCH},
    {LONG_CAUSAL, 16384, KL_BENCH},
    {ODD, 1, KL_CHECK | KL_QUICK},
    {ODD, 17, KL_CHECK},
    {ODD, 79, KL_CHECK | KL_QUICK},
    {ODD, 203, KL_CHECK},
    {MORE_KEYS, 5, KL_CHECK | KL_QUICK},
    {MORE_KEYS, 37, KL_CHECK | KL_QUICK},
    {MORE_KEYS, 130, KL_CHECK},
    {MORE_QUERIES, 83, KL_CHECK | KL_QUICK},
    {MORE_QUERIES, 300, KL_CHECK},
    {ONE_QUERY, 333, KL_CHECK | KL_QUICK},
    {ONE_QUERY, 1100, KL_CHECK}, // step 9 cuts keys into parts from 512 on
    {GROUPED, 79, KL_CHECK | KL_QUICK},
    {GROUPED, 1030, KL_CHECK},
    {ONE_KEY, 70, KL_CHECK | KL_QUICK},
    {MANY_HEADS, 24, KL_CHECK | KL_QUICK},
    {MANY_HEADS, 150, KL_CHECK},
    {NO_KEYS, 65, KL_CHECK | KL_QUICK},
    {NO_QUERIES, 65, KL_CHECK | KL_QUICK},
    {FAR_BELOW, 90, KL_CHECK | KL_QUICK},
    {FAR_APART, 144, KL_CHECK | KL_QUICK},
    {RISING, 200, KL_CHECK | KL_QUICK},
    {ONE_BLOCK, 150, KL_CHECK}, // likewise
    {ONE_BLOCK, 512, KL_TIME_SIM},
};

typedef struct shape {
    int64_t heads, queries, keys;
    int width, causal;
} shape;

// As many heads as have so many rows in all; smaller cases have less.
static int64_t heads_of(int64_t size, int64_t rows) {
    if (size < 1024) return size < 512 ? 2 : 32;
    return rows / size < 1 ? 1 : rows / size;
}

static shape shape_of(int family, int64_t n) {
    const int64_t rows = 1 << 18, narrow_rows = 1 << 19;
    switch ((enum family)family) {
    case FULL:
    case LONG: return (shape){heads_of(n, rows), n, n, 128, 0};
    case CAUSAL:
    case LONG_CAUSAL: return (shape){heads_of(n, rows), n, n, 128, 1};
    case NARROW: return (shape){heads_of(n, narrow_rows), n, n, 64, 0};
    case NARROW_CAUSAL: return (shape){heads_of(n, narrow_rows), n, n, 64, 1};
    case ODD: return (shape){3, n, 2 * n / 3 + 1, 128, 0};
    case MORE_KEYS: return (shape){1, n, 2 * n + 3, 64, 1};
    case MORE_QUERIES: return (shape){2, n, n / 2, 128, 1};
    case ONE_QUERY: return (shape){3, 1, n, 128, 1};
    case GROUPED: return (shape){2, 8, n, n % 2 ? 64 : 128, 0};
    case ONE_KEY: return (shape){2, n, 1, 64, 0};
    case MANY_HEADS: return (shape){150, n / 8 + 1, n, 64, 1};
    case NO_KEYS: return (shape){1, n, 0, 64, 0};
    case NO_QUERIES: return (shape){1, 0, n, 64, 0};
    case FAR_BELOW: return (shape){1, n, n - n / 4, 64, 0};
    case FAR_APART: return (shape){1, n, n, 128, 1};
    case RISING: return (shape){1, n, n, 64, 0};
    case ONE_BLOCK: return (shape){1, 128, 4 * n, 128, 0};
    case FAMILIES: break;
    }
    return (shape){0, 0, 0, 64, 0};
}

static kl_buffer matrix(const char *name, int64_t elems) {
    return (kl_buffer){.name = name, .dtype = KL_F16, .elems = (uint64_t)elems};
}

// Pairs of a query and a key that it sees.
static double pairs_of(const shape *s) {
    double queries = (double)s->queries, keys = (double)s->keys;
    if (!s->causal) return queries * keys;
    if (keys >= queries) return queries * (keys - queries) + queries * (queries + 1) / 2;
    return keys * (keys + 1) / 2;
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    const int64_t most_other = 4096;
    if (family < 0 || family >= FAMILIES || size < 0 || size > attention_problem.max_size ||
        (family > LONG_CAUSAL && size > most_other)) {
        char limits[128];
        snprintf(limits, sizeof limits, "at most %lld rows, of kinds that are not timed %lld",
                 (long long)attention_problem.max_size, (long long)most_other);
        return kl_no_such_case(&attention_problem, family, size, limits, err);
    }
    const shape s = shape_of(family, size);
    const int64_t q_elems = s.heads * s.queries * s.width, k_elems = s.heads * s.keys * s.width;
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 3, .output_count = 1};
    out_case->inputs[0] = matrix("Q", q_elems);
    out_case->inputs[1] = matrix("K", k_elems);
    out_case->inputs[2] = matrix("V", k_elems);
    // An empty O gets two elements, which must stay as they are.
    out_case->outputs[0] = matrix("O", q_elems > 0 ? q_elems : 2);
    out_case->workspace_bytes = (uint64_t)attention_workspace_bytes(s.heads, s.queries, s.keys);
    for (int i = 0; i < 3; i++) out_case->inputs[i].line_elems = s.width;
    out_case->outputs[0].line_elems = s.width;
    out_case->picture_name = "scores";
    out_case->picture_rows = s.queries;
    out_case->picture_cols = s.keys;
    out_case->ints[0] = s.heads;
    out_case->ints[1] = s.queries;
    out_case->ints[2] = s.keys;
    out_case->ints[3] = s.width;
    out_case->ints[4] = s.causal;
    // a multiplication and an addition for each element of a key and of its value
    out_case->work_ops = 4.0 * (double)s.heads * pairs_of(&s) * s.width;
    // without keys zeros are all that is to be written, by no kernel of the step's
    out_case->work_bytes = q_elems == 0 || k_elems == 0 ? 0.0 : 4.0 * (double)(q_elems + k_elems);
    return KL_OK;
}

// Element i of matrix `which` (Q, K, V) of a case whose scores are not around 0: all elements of Q
// are positive. x: uniform in [-1, 1).
static float shifted(const kl_case *c, int which, int64_t i, float x) {
    const int64_t width = c->ints[3], key = i / width % (c->ints[2] > 0 ? c->ints[2] : 1);
    if (which == 0) return 1.0f + 0.5f * x;
    if (c->family == FAR_BELOW) return -16.0f + x; // scores: about -16 sqrt(width)
    // from -24 to 24 at width 64
    return 6.0f * (float)key / (float)c->ints[2] - 3.0f + 0.25f * x;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    for (int which = 0; which < c->input_count; which++) {
        uint16_t *values = inputs[which];
        uint64_t seed = kl_random_fork(c->seed, 10 + (uint64_t)which);
        for (uint64_t i = 0; i < c->inputs[which].elems; i++) {
            float x = kl_random_signed(seed, i);
            if (which < 2) {
                if (c->family == FAR_BELOW || c->family == RISING)
                    x = shifted(c, which, (int64_t)i, x);
                else
                    x *= c->family == FAR_APART ? 16.0f : 2.0f;
            }
            values[i] = attention_bits(x);
        }
    }
    return KL_OK;
}

static attention_check check_of(const kl_case *c, const void *const *inputs) {
    return (attention_check){.heads = c->ints[0],
                             .queries = c->ints[1],
                             .keys = c->ints[2],
                             .width = (int)c->ints[3],
                             .causal = (int)c->ints[4],
                             .q = inputs ? inputs[0] : NULL,
                             .k = inputs ? inputs[1] : NULL,
                             .v = inputs ? inputs[2] : NULL};
}

// Queries of 1, 0, 0, .., so that a score is the first element of a key: 0, 1, 2, 3, 0, ..; the
// value of key j is j + 1 in its first eight columns, j + 2 in the next ones, ...
static bool readable(const kl_case *c, void *const *inputs) {
    uint16_t *q = inputs[0], *k = inputs[1], *v = inputs[2];
    int64_t width = c->ints[3], keys = c->ints[2];
    if (c->family == FAR_BELOW || c->family == FAR_APART || c->family == RISING) return false;
    for (uint64_t i = 0; i < c->inputs[0].elems; i++)
        q[i] = attention_bits((int64_t)i % width == 0 ? 1.0f : 0.0f);
    for (uint64_t i = 0; i < c->inputs[1].elems; i++) {
        int64_t j = (int64_t)i / width % keys, column = (int64_t)i % width;
        k[i] = attention_bits(column == 0 ? (float)(j % 4) : 0.0f);
        v[i] = attention_bits((float)(j + 1 + column / 8));
    }
    return true;
}

// The score of a query of the first head and a key, before the softmax; none where it is masked.
static double picture(const kl_case *c, const void *const *inputs, int64_t query, int64_t key) {
    const uint16_t *q = inputs[0], *k = inputs[1];
    int64_t width = c->ints[3];
    if (c->ints[4] && key > query + c->ints[2] - c->ints[1]) return NAN;
    double sum = 0.0;
    for (int64_t i = 0; i < width; i++)
        sum += (double)attention_value(q[query * width + i]) *
               (double)attention_value(k[key * width + i]);
    return sum / sqrt((double)width);
}

static uint64_t solution_bytes(const kl_case *c) {
    attention_check check = check_of(c, NULL);
    return sizeof(double) * attention_answer_doubles(&check);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    attention_check check = check_of(c, inputs);
    return attention_solve(&check, out_solution, err);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    attention_check check = check_of(c, inputs);
    attention_compare(&check, solution, outputs[0], out_verdict);
}

const kl_problem attention_problem = {
    .name = "attention",
    .folder = "14_attention",
    .title = "Attention",
    .size_unit = "rows",
    .ceiling = KL_CEILING_TENSOR,
    .default_seed = 14,
    .max_size = 32768,
    .timed_family = "full",
    .picture = picture,
    KL_PROBLEM_PARTS,
};
