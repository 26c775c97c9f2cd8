// The problem of the lab, and its backward pass.
#include "reference.h"
#include "problem_suite.h"
#include "random.h"
#include "suite.h"

// ---- problem ----
// Lab 14's problem and reference: halves are what their type says, answers equal those of the
// definition in float, single mistakes show and are explained.

static const kl_problem *const problem = &attention_problem;

static kl_prepared prepare(const char *family, int64_t size) {
    return kl_test_case(problem, family, size, 7);
}

static kl_verdict judge(const kl_prepared *p, const uint16_t *got) {
    return kl_test_verdict(problem, p, got);
}

// How a case is computed with a mistake; {0}: without.
typedef struct mistake {
    int64_t moved;    // keys that each query sees beyond those that it should, where there are such
    int64_t padding;  // keys after the last one, whose scores and values are 0
    bool sees_all;    // no query is causal
    bool no_scale;    // scores are not divided
    bool no_division; // nor are the sums of values
    int64_t tile;     // the sums of values are not rescaled where such a tile moves the maximum
    bool no_factor;   // nor is the sum of exponentials
    bool copies;      // `padding` keys are as the last one instead
    float share;      // only such a part of the sum of exponentials counts
} mistake;

// A row of O by the definition, in float, with probabilities as halves.
static void attend(const kl_case *c, void *const *inputs, int64_t row, const mistake *m,
                   uint16_t *o) {
    int64_t queries = c->ints[1], keys = c->ints[2], width = c->ints[3];
    const uint16_t *q = (const uint16_t *)inputs[0] + row * width;
    const uint16_t *k = (const uint16_t *)inputs[1] + row / queries * keys * width;
    const uint16_t *v = (const uint16_t *)inputs[2] + row / queries * keys * width;
    int64_t seen =
        c->ints[4] && !m->sees_all ? row % queries + keys - queries + 1 + m->moved : keys;
    seen = seen < keys ? seen : keys;
    float *x = calloc((size_t)keys + 1, sizeof *x), most = -INFINITY, moving = -INFINITY, sum = 0;
    ck_assert_ptr_nonnull(x);
    for (int64_t j = 0; j < seen; j++) {
        for (int64_t i = 0; i < width; i++)
            x[j] += attention_value(q[i]) * attention_value(k[j * width + i]);
        x[j] *= m->no_scale ? 1.0f : 1.0f / sqrtf((float)width);
        most = x[j] > most ? x[j] : most;
    }
    for (int64_t j = 0; j < seen; j++) {
        for (int64_t i = j; m->tile > 0 && j % m->tile == 0 && i < seen && i < j + m->tile; i++)
            moving = fmaxf(moving, x[i]);
        float unscaled = expf(x[j] - (m->tile > 0 ? moving : most));
        sum += m->no_factor ? unscaled : expf(x[j] - most);
        x[j] = attention_value(attention_bits(unscaled));
    }
    if (m->padding > 0 && m->copies) {
        sum += (float)m->padding * x[seen - 1];
        x[seen - 1] *= (float)m->padding + 1;
    } else if (m->padding > 0)
        sum += (float)m->padding * expf(-most);
    if (m->share > 0) sum *= m->share;
    if (m->no_division || seen <= 0) sum = 1;
    for (int64_t i = 0; i < width; i++) {
        float value = 0;
        for (int64_t j = 0; j < seen; j++) value += x[j] * attention_value(v[j * width + i]);
        o[i] = attention_bits(value / sum);
    }
    free(x);
}

// O of all heads. Caller frees.
static uint16_t *attend_all(const kl_prepared *p, mistake m) {
    uint16_t *o = malloc(p->output_bytes[0]);
    ck_assert_ptr_nonnull(o);
    memset(o, 0xFF, p->output_bytes[0]);
    for (int64_t row = 0; row < p->shape.ints[0] * p->shape.ints[1]; row++)
        attend(&p->shape, p->inputs, row, &m, o + row * p->shape.ints[3]);
    return o;
}

KL_TEST(halves_are_what_their_type_says) {
    int64_t wrong = 0;
    for (uint32_t bits = 0; bits < 0x7C00; bits++) {
        int exponent = (int)(bits >> 10);
        double fraction = (bits & 1023) + (exponent ? 1024 : 0);
        double value = ldexp(fraction, (exponent ? exponent : 1) - 25);
        wrong += (double)attention_value((uint16_t)bits) != value;
        wrong += (double)attention_value((uint16_t)(bits | 0x8000)) != -value;
        if (value >= 0x1p15) continue;
        wrong += attention_bits((float)value) != bits;
        wrong += attention_bits(-(float)value) != (bits | 0x8000);
        float next = attention_value((uint16_t)(bits + 1));
        float middle = (float)((value + (double)next) / 2); // the even one of two
        wrong += attention_bits(middle) != (bits % 2 ? bits + 1 : bits);
    }
    wrong += !isnan(attention_value(0xFFFF)) + !isinf(attention_value(0x7C00));
    ck_assert_int_eq(wrong, 0);
}

KL_TEST(the_definition_is_right) {
    for (int f = 0; f < problem->family_count; f++) {
        kl_prepared p = prepare(problem->families[f].name, 61);
        uint16_t *o = attend_all(&p, (mistake){0});
        kl_verdict v = judge(&p, o);
        ck_assert_msg(v.ok, "%s: %s", problem->families[f].name, v.hint);
        int64_t elems = p.shape.ints[0] * p.shape.ints[1] * p.shape.ints[3];
        ck_assert_uint_eq(v.compared, (uint64_t)(elems > 0 ? elems : 1));
        free(o);
        kl_prepared_free(&p);
    }
}

static void expect(const char *family, int64_t size, mistake m, const char *hint) {
    kl_prepared p = prepare(family, size);
    uint16_t *o = attend_all(&p, m);
    kl_verdict v = judge(&p, o);
    ck_assert_msg(!v.ok && strstr(v.hint, hint), "%s: %s", family, v.ok ? "right" : v.hint);
    free(o);
    kl_prepared_free(&p);
}

KL_TEST(mistakes_are_explained) {
    expect("causal", 40, (mistake){.sees_all = true}, "saw all keys");
    expect("more-keys", 40, (mistake){.moved = -43}, "the last query sees the last key");
    expect("more-keys", 40, (mistake){.moved = 1}, "saw one key more");
    expect("causal", 40, (mistake){.moved = -1}, "saw one key less");
    expect("odd", 70, (mistake){.moved = 0, .padding = 17},
           "as if 17 keys after the last one counted");
    expect("odd", 70, (mistake){.padding = 17, .copies = true},
           "counted, copies of it, up to the end of a tile of");
    expect("odd", 1, (mistake){.padding = 127}, "up to the end of a tile of 128");
    expect("far-below", 70, (mistake){.padding = 11}, "keys after the last one counted");
    expect("full", 40, (mistake){.no_scale = true}, "not divided by sqrt(width)");
    expect("full", 40, (mistake){.no_division = true}, "not divided by their sum");
    expect("full", 100, (mistake){.tile = 32}, "the output (sums of values) was not rescaled");
    expect("rising", 200, (mistake){.tile = 64}, "the output (sums of values) was not rescaled");
    expect("full", 200, (mistake){.tile = 128, .no_factor = true}, "sum and output were both");
    expect("full", 40, (mistake){.share = 0.25f}, "are 4 times what they should be");
}

// One column alone often has the value that another row should have there.
KL_TEST(chance_explains_nothing) {
    kl_prepared p = prepare("odd", 17);
    uint16_t *o = attend_all(&p, (mistake){0});
    for (int i = 0; i < 8; i++) o[i] = attention_bits(i % 2 ? 0.0625f : 0.25f);
    o[0] = o[8 * 128];
    kl_verdict v = judge(&p, o);
    ck_assert_msg(!v.ok && v.first_wrong == 0 && strstr(v.hint, "query 0, column 0"), "%s", v.hint);
    memcpy(o, o + 8 * 128, 16);
    KL_HAS(judge(&p, o).hint, "query 0 has the value of query 8");
    memset(o, 0, 16);
    KL_HAS(judge(&p, o).hint, "its output is 0");
    free(o); // nor does what is hardly another value than the right one
    kl_prepared_free(&p);
    p = prepare("one-query", 333);
    o = attend_all(&p, (mistake){0});
    o[25] = attention_bits(attention_value(o[25]) + 0.0005f);
    v = judge(&p, o);
    ck_assert_msg(!v.ok && v.first_wrong == 25 && strstr(v.hint, "query 0, column 25"), "%s",
                  v.hint);
    free(o);
    kl_prepared_free(&p);
}

KL_TEST(what_nobody_wrote_shows) {
    kl_prepared p = prepare("more-queries", 40);
    uint16_t *o = attend_all(&p, (mistake){0}), kept = o[40 * 128 - 1];
    ck_assert(judge(&p, o).ok);
    o[40 * 128 - 1] = 0xFFFF;
    kl_verdict v = judge(&p, o);
    ck_assert(!v.ok && v.first_wrong == 40 * 128 - 1 && strstr(v.hint, "query 39"));
    o[40 * 128 - 1] = kept;
    o[3] = 0x7FFF; // NaN, in a row that sees no key
    KL_HAS(judge(&p, o).hint, "it sees no key");
    o[3] = 0x3C00; // 1
    KL_HAS(judge(&p, o).hint, "0 must be written");
    free(o);
    kl_prepared_free(&p);
    p = prepare("no-queries", 40);
    uint16_t words[2] = {0xFFFF, 0xFFFF};
    ck_assert(judge(&p, words).ok);
    words[1] = 0;
    KL_HAS(judge(&p, words).hint, "nothing may be written");
    kl_prepared_free(&p);
}

KL_TEST(the_workspace_has_limits) {
    ck_assert_int_eq(attention_heads_at_once(64, 4096, 4096), 16);
    ck_assert_int_eq(attention_heads_at_once(4, 65535, 65535), 1);
    ck_assert_int_eq(attention_heads_at_once(7, 0, 100), 7);
    ck_assert_int_eq(attention_workspace_bytes(64, 4096, 4096), INT64_C(1) << 30);
    ck_assert_int_eq(attention_workspace_bytes(3, 0, 100), 256);
}

// ---- backward ----
// The backward pass of attention in double is the derivative: differences of the forward pass give
// the same. And a bound is neither 0 nor so wide that it would let a mistake pass.

static void fill(double *x, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; i++) x[i] = (double)kl_random_signed(seed, (uint64_t)i);
}

static void make(backward_head *h, double *memory) {
    backward_head_lay(h, memory);
    fill(h->q, h->queries * h->width, 1);
    fill(h->k, h->keys * h->width, 2);
    fill(h->v, h->keys * h->width, 3);
    fill(h->d_o, h->queries * h->width, 4);
}

// Sum of dO O, whose derivatives are dQ, dK and dV.
static double value(backward_head *h) {
    kl_error err = {KL_OK, ""};
    double sum = 0;
    ck_assert_int_eq(backward_head_solve(h, &err), KL_OK);
    for (int64_t i = 0; i < h->queries * h->width; i++) sum += h->d_o[i] * h->o[i];
    return sum;
}

// Every seventh element of an input, against the derivative by it.
static void compare(backward_head *h, double *input, const double *derivative, int64_t count) {
    const double way = 1e-5;
    for (int64_t i = 0; i < count; i += 7) {
        const double kept = input[i];
        input[i] = kept + way;
        double above = value(h);
        input[i] = kept - way;
        double below = value(h);
        input[i] = kept;
        // Rounding: 2^-52 of a sum of about 10, over the way; curvature: way squared.
        ck_assert_double_eq_tol((above - below) / (2 * way), derivative[i], 1e-8);
    }
}

static const struct {
    int64_t queries, keys;
    int width, causal;
} shapes[] = {{3, 5, 64, 0}, {5, 3, 64, 1}, {4, 4, 64, 1}, {2, 6, 128, 1}, {1, 1, 128, 0}};

KL_TEST(derivatives_are_those_of_differences) {
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        backward_head h = {.queries = shapes[s].queries,
                           .keys = shapes[s].keys,
                           .width = shapes[s].width,
                           .causal = shapes[s].causal};
        const int64_t of_queries = h.queries * h.width, of_keys = h.keys * h.width;
        const int64_t doubles = backward_head_doubles(h.queries, h.keys, h.width);
        double *memory = malloc(sizeof(double) * (size_t)doubles);
        double *found = malloc(sizeof(double) * (size_t)(of_queries + 2 * of_keys));
        make(&h, memory);
        value(&h);
        for (int64_t i = 0; i < of_queries; i++) found[i] = h.dq[i];
        for (int64_t i = 0; i < of_keys; i++) {
            found[of_queries + i] = h.dk[i];
            found[of_queries + of_keys + i] = h.dv[i];
        }
        compare(&h, h.q, found, of_queries);
        compare(&h, h.k, found + of_queries, of_keys);
        compare(&h, h.v, found + of_queries + of_keys, of_keys);
        free(found);
        free(memory);
    }
}

KL_TEST(bounds_are_narrow) {
    backward_head h = {.queries = 40, .keys = 40, .width = 64, .causal = 1};
    const int64_t count = h.queries * h.width;
    double *memory =
        malloc(sizeof(double) * (size_t)backward_head_doubles(h.queries, h.keys, h.width));
    double far = 0, size = 0;
    make(&h, memory);
    value(&h);
    for (int64_t i = 0; i < count; i++) {
        ck_assert(h.far_q[i] > 0 && h.far_k[i] > 0 && h.far_v[i] > 0);
        far += h.far_q[i];
        size += fabs(h.dq[i]);
    }
    ck_assert_double_lt(far, 0.02 * size);
    free(memory);
}

KL_TEST(who_sees_nothing_has_no_derivative) {
    backward_head h = {.queries = 5, .keys = 2, .width = 64, .causal = 1}; // the first three
    double *memory =
        malloc(sizeof(double) * (size_t)backward_head_doubles(h.queries, h.keys, h.width));
    make(&h, memory);
    value(&h);
    for (int c = 0; c < 3 * h.width; c++) ck_assert(h.o[c] == 0 && h.dq[c] == 0);
    ck_assert(h.dq[4 * h.width] != 0);
    free(memory);
}

KL_TEST_MAIN("problem")
