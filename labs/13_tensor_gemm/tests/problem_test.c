// Lab 13's problem and reference: 16-bit elements are what their types say, answers equal those of
// the definition, also where only samples are compared, single mistakes show and are explained.
#include "random.h"
#include "reference.h"
#include "problem_suite.h"

static const kl_problem *const problem = &tensor_gemm_problem;

static kl_prepared prepare(const char *family, int64_t size, uint64_t seed) {
    return kl_test_case(problem, family, size, seed);
}

static kl_verdict judge(const kl_prepared *p, const void *got) {
    return kl_test_verdict(problem, p, got);
}

// 8-bit floats times their scales: of A [m][k], then of B [n][k].
static void put_scaled(const kl_prepared *p, float *values) {
    int64_t m = p->shape.ints[0], n = p->shape.ints[1], k = p->shape.ints[2];
    int64_t pitch = ((k + 127) / 128 + 3) / 4 * 4;
    const uint8_t *a = p->inputs[0], *b = p->inputs[1];
    const float *of_a = p->inputs[2], *of_b = p->inputs[3];
    for (int64_t i = 0; i < m * k; i++)
        values[i] = tensor_gemm_value(TENSOR_GEMM_E4M3, a[i]) * of_a[i % k / 128 * m + i / k];
    for (int64_t i = 0; i < n * k; i++)
        values[m * k + i] =
            tensor_gemm_value(TENSOR_GEMM_E4M3, b[i]) * of_b[i / k / 128 * pitch + i % k / 128];
}

// D by the definition, in float. Caller frees.
static float *multiply(const kl_prepared *p) {
    int64_t m = p->shape.ints[0], n = p->shape.ints[1], k = p->shape.ints[2];
    tensor_gemm_type type = (tensor_gemm_type)p->shape.ints[3];
    bool a_by_columns = p->shape.ints[4], b_by_rows = p->shape.ints[5];
    const uint16_t *a = p->inputs[0], *b = p->inputs[1];
    float *values = malloc((size_t)((m + n) * k) * sizeof *values + 1);
    float *d = malloc((size_t)(m * n) * sizeof *d + 1);
    ck_assert(values && d);
    if (type == TENSOR_GEMM_E4M3) put_scaled(p, values);
    for (int64_t i = 0; type != TENSOR_GEMM_E4M3 && i < m * k; i++)
        values[i] = tensor_gemm_value(type, a[a_by_columns ? i % k * m + i / k : i]);
    for (int64_t i = 0; type != TENSOR_GEMM_E4M3 && i < n * k; i++)
        values[m * k + i] = tensor_gemm_value(type, b[b_by_rows ? i % k * n + i / k : i]);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t q = 0; q < k; q++) sum += values[i * k + q] * values[(m + j) * k + q];
            d[i * n + j] = sum;
        }
    free(values);
    return d;
}

// The same as the case wants D: float, or of 16 bits, each plus `more` of its bits. Caller frees.
static void *result_of(const kl_prepared *p, uint16_t more) {
    float *d = multiply(p);
    if (!p->shape.ints[6]) return d;
    int64_t count = p->shape.ints[0] * p->shape.ints[1];
    tensor_gemm_type type = (tensor_gemm_type)p->shape.ints[3];
    if (type == TENSOR_GEMM_E4M3) type = TENSOR_GEMM_BFLOAT16;
    uint16_t *narrow = malloc((size_t)count * sizeof *narrow + 1);
    ck_assert_ptr_nonnull(narrow);
    for (int64_t i = 0; i < count; i++) narrow[i] = (uint16_t)(tensor_gemm_bits(type, d[i]) + more);
    free(d);
    return narrow;
}

// A sign, an exponent, a fraction; `none`: the first bits of no finite number.
static const struct {
    int fraction, exponent, bias;
    uint32_t none;
    double most; // below it values have bits
} formats[] = {[TENSOR_GEMM_HALF] = {10, 5, 15, 0x7C00, 0x1p15},
               [TENSOR_GEMM_BFLOAT16] = {7, 8, 127, 0x7F80, 0x1p15},
               [TENSOR_GEMM_E4M3] = {3, 4, 7, 0x7F, 448}};

static double by_definition(tensor_gemm_type type, uint32_t bits) {
    int fraction = formats[type].fraction, most = (1 << formats[type].exponent) - 1;
    int place = (int)(bits >> fraction) & most;
    double value = (bits & ((1u << fraction) - 1)) + (place ? 1u << fraction : 0);
    return ldexp(value, (place ? place : 1) - formats[type].bias - fraction);
}

KL_TEST(elements_are_what_their_types_say) {
    for (int t = 0; t < 3; t++) {
        tensor_gemm_type type = (tensor_gemm_type)t;
        uint32_t sign = 1u << (formats[t].fraction + formats[t].exponent);
        int64_t wrong = 0;
        for (uint32_t bits = 0; bits < formats[t].none; bits++) {
            double value = by_definition(type, bits);
            wrong += (double)tensor_gemm_value(type, (uint16_t)bits) != value;
            wrong += (double)tensor_gemm_value(type, (uint16_t)(bits | sign)) != -value;
            if (value < 0x1p-60 || value >= formats[t].most) continue;
            wrong += tensor_gemm_bits(type, (float)value) != bits;
            wrong += tensor_gemm_bits(type, -(float)value) != (bits | sign);
            // half of the way to the next one: the even one
            float next = tensor_gemm_value(type, (uint16_t)(bits + 1));
            float middle = (float)((value + (double)next) / 2);
            wrong += tensor_gemm_bits(type, middle) != (bits % 2 ? bits + 1 : bits);
            wrong += tensor_gemm_bits(type, nextafterf(middle, next)) != bits + 1;
        }
        ck_assert_int_eq(wrong, 0);
    }
}

KL_TEST(the_definition_is_right) {
    for (int f = 0; f < problem->family_count; f++) {
        kl_prepared p = prepare(problem->families[f].name, 128, 7);
        if (p.shape.ints[0] == 0) { // nothing may be written
            kl_prepared_free(&p);
            continue;
        }
        void *d = result_of(&p, 0);
        kl_verdict v = judge(&p, d);
        ck_assert_msg(v.ok, "%s: %s", problem->families[f].name, v.hint);
        ck_assert_uint_eq(v.compared, (uint64_t)(p.shape.ints[0] * p.shape.ints[1]));
        free(d);
        kl_prepared_free(&p);
    }
}

KL_TEST(shapes_are_multiples) {
    for (int f = 0; f < problem->family_count; f++) {
        if ((problem->families[f].steps & 1) == 0) continue; // of steps 11 and 12: other shapes
        for (int64_t size = 0; size < 300; size += 7) {
            kl_case shape;
            kl_error err = {KL_OK, ""};
            ck_assert(problem->describe(f, size, 1, &shape, &err) == KL_OK);
            ck_assert_int_eq(shape.ints[0] % TENSOR_GEMM_SIDE, 0);
            ck_assert_int_eq(shape.ints[1] % TENSOR_GEMM_SIDE, 0);
            ck_assert_int_eq(shape.ints[2] % TENSOR_GEMM_DEPTH, 0);
        }
    }
}

// 640 a side: above what is compared element by element.
KL_TEST(mistakes_show_in_large_products) {
    kl_prepared p = prepare("square", 640, 3);
    int64_t n = p.shape.ints[1];
    float *d = multiply(&p);
    ck_assert(judge(&p, d).ok);
    int64_t at = 333 * n + 401; // in no sampled row or column, but in a combination
    float right = d[at];
    d[at] = 0.0f;
    kl_verdict v = judge(&p, d);
    ck_assert(fabsf(right) < 2 || (!v.ok && v.first_wrong == (uint64_t)at));
    d[at] = NAN;
    ck_assert(!judge(&p, d).ok);
    d[at] = right;
    for (int64_t i = 0; i < n; i++) { // two columns exchanged
        float kept = d[i * n + 5];
        d[i * n + 5] = d[i * n + 6];
        d[i * n + 6] = kept;
    }
    ck_assert(!judge(&p, d).ok);
    free(d);
    kl_prepared_free(&p);
}

KL_TEST(mistakes_are_explained) {
    kl_prepared p = prepare("square", 128, 1);
    float *d = multiply(&p);
    uint32_t poison = 0xFFFFFFFFu;
    float kept = d[77];
    memcpy(&d[77], &poison, sizeof poison);
    kl_verdict v = judge(&p, d);
    ck_assert(!v.ok && v.first_wrong == 77 && isnan(v.got));
    d[77] = d[70];
    v = judge(&p, d);
    KL_HAS(v.hint, "(0, 77) has the value of element");
    const uint16_t *a = p.inputs[0], *b = p.inputs[1];
    double sum = 0;
    float whole[4];
    for (int w = 0; w < 4; w++) { // of an element and its neighbours
        int row = w / 2, column = 76 + w % 2;
        sum = 0;
        for (int q = 0; q < 112; q++)
            sum += (double)tensor_gemm_value(TENSOR_GEMM_HALF, a[row * 128 + q]) *
                   (double)tensor_gemm_value(TENSOR_GEMM_HALF, b[column * 128 + q]);
        whole[w] = d[row * 128 + column];
        d[row * 128 + column] = (float)sum;
    }
    KL_HAS(judge(&p, d).hint, "the last 16 products are missing");
    for (int w = 0; w < 4; w++) d[w / 2 * 128 + 76 + w % 2] = whole[w];
    sum = 0; // B's fragment is transposed: element (p, 77) is (77 / 16 * 16 + p % 16, ..)
    for (int q = 0; q < 128; q++)
        sum +=
            (double)tensor_gemm_value(TENSOR_GEMM_HALF, a[q]) *
            (double)tensor_gemm_value(TENSOR_GEMM_HALF, b[(64 + q % 16) * 128 + q / 16 * 16 + 13]);
    d[77] = (float)sum;
    KL_HAS(judge(&p, d).hint, "as if fragments of B had been transposed");
    d[77] = kept + 17.0f;
    ck_assert_str_eq(judge(&p, d).hint, "this is row 0, column 77 of D");
    free(d);
    kl_prepared_free(&p);
    p = prepare("no-depth", 128, 1);
    d = calloc(1, p.output_bytes[0]);
    ck_assert(judge(&p, d).ok);
    d[5] = 1.0f;
    KL_HAS(judge(&p, d).hint, "0 must be written");
    free(d);
    kl_prepared_free(&p);
    p = prepare("no-rows", 128, 1);
    float word;
    memcpy(&word, &poison, sizeof word);
    ck_assert(judge(&p, &word).ok);
    word = 0.0f;
    KL_HAS(judge(&p, &word).hint, "nothing may be written");
    kl_prepared_free(&p);
}

// A matrix that is read in the other order, and a narrow result that is not rounded to nearest.
KL_TEST(layouts_and_narrow_results_are_judged) {
    static const struct {
        const char *family, *hint;
        int read[2];
    } others[] = {
        {"a-columns", "A is column-major here", {0, 0}},
        {"b-rows", "B is row-major here", {0, 0}},
        {"a-columns-b-rows", "B is row-major here", {1, 0}},
        {"narrow", "A is row-major here", {1, 0}},
        {"narrow-deep", "A is column-major here", {0, 1}},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        kl_prepared p = prepare(others[i].family, 33, 1), read = p;
        read.shape.ints[4] = others[i].read[0];
        read.shape.ints[5] = others[i].read[1];
        void *d = result_of(&read, 0);
        kl_verdict v = judge(&p, d);
        ck_assert_msg(!v.ok && strstr(v.hint, others[i].hint), "%s: %s", others[i].family, v.hint);
        free(d);
        if (p.shape.ints[6]) {
            d = result_of(&p, 1); // the number behind the nearest
            KL_HAS(judge(&p, d).hint, "not the nearest");
            memset(d, 0xFF, p.output_bytes[0]);
            ck_assert_str_eq(judge(&p, d).hint, "this is row 0, column 0 of D");
            free(d);
        }
        kl_prepared_free(&p);
    }
    kl_prepared p = prepare("narrow", 0, 1);
    uint16_t one = 0xFFFF;
    ck_assert(judge(&p, &one).ok);
    one = 0;
    ck_assert(!judge(&p, &one).ok);
    kl_prepared_free(&p);
}

// More multiply-adds than are done one by one: judged by samples and combinations.
KL_TEST(narrow_results_of_large_products_are_judged) {
    kl_prepared p = prepare("narrow", 520, 1);
    uint16_t *d = result_of(&p, 0);
    ck_assert(judge(&p, d).ok);
    for (int64_t j = 0; j < p.shape.ints[1]; j++) d[260 * p.shape.ints[1] + j] = 0; // a row
    ck_assert(!judge(&p, d).ok);
    free(d);
    kl_prepared_free(&p);
}

// The steps that a device of that compute capability (times 10) runs, bit i for step i.
static unsigned steps_on(int sm) {
    unsigned steps = 0;
    char text[128];
    for (int i = 0; i < problem->step_count; i++)
        if (!kl_step_lacks(&problem->steps[i], 12, sm, 1, text, sizeof text))
            steps |= 1u << problem->steps[i].number;
    return steps;
}

// Steps that a card cannot run are left out of the total: see kl_step_lacks.
KL_TEST(older_cards_run_the_steps_up_to_asynchronous_copies) {
    const unsigned floats = 1, fragments = 0x7f, boxes = 0xff, groups = 0x1fff;
    ck_assert_uint_eq(steps_on(75), floats);
    ck_assert_uint_eq(steps_on(80), fragments);
    ck_assert_uint_eq(steps_on(89), fragments);
    ck_assert_uint_eq(steps_on(90), groups);
    ck_assert_uint_eq(steps_on(120), boxes);
    char text[128] = "";
    ck_assert(kl_step_lacks(kl_problem_step(problem, 1), 12, 75, 1, text, sizeof text));
    ck_assert_str_eq(text, "needs compute capability 8.0; this device has 7.5");
    ck_assert(kl_step_lacks(kl_problem_step(problem, 8), 12, 86, 1, text, sizeof text));
    ck_assert_str_eq(text, "needs compute capability 9.0, no other; this device has 8.6");
}

KL_TEST_MAIN("tensor_gemm")
