// See ops.h.
#include "ops/ops.h"
#include "program/fpmath.h"

enum {
    ALIGNED_BITS = 26, // of a term, from the place of the largest exponent downwards
    STEP_TERMS = 16    // most products that are added at once, besides the accumulator
};

// ---- Integers -----------------------------------------------------------------------------------

static int64_t integer(sim_element element, uint64_t bits) {
    if (element == SIM_ELEMENT_U8) return (uint8_t)bits;
    if (element == SIM_ELEMENT_S8) return (int8_t)bits;
    if (element == SIM_ELEMENT_S4) return (int64_t)(bits & 7) - (int64_t)(bits & 8);
    if (element == SIM_ELEMENT_U4) return (int64_t)(bits & 15);
    return (int32_t)bits;
}

// 1 when the product of two bits counts.
static int64_t bit_product(const sim_matrix *matrix, uint64_t a, uint64_t b) {
    return (int64_t)((matrix->ands ? a & b : a ^ b) & 1);
}

static int64_t integer_product(const sim_matrix *matrix, uint64_t a, uint64_t b) {
    if (matrix->a == SIM_ELEMENT_B1) return bit_product(matrix, a, b);
    return integer((sim_element)matrix->a, a) * integer((sim_element)matrix->b, b);
}

static uint32_t integer_element(const sim_matrix *matrix, const sim_matrix_values *values,
                                uint32_t row, uint32_t column) {
    int64_t sum = integer(SIM_ELEMENT_S32, values->c[row * matrix->n + column]);
    for (uint32_t k = 0; k < matrix->k; k++)
        sum += integer_product(matrix, values->a[row * matrix->k + k],
                               values->b[k * matrix->n + column]);
    if (matrix->satfinite) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

// ---- Floats -------------------------------------------------------------------------------------

// A number and the place that the adder gives it: its exponent, of a subnormal number the smallest
// one, and of a product the sum of its factors' (1.5 * 1.5 = 2.25 has 0).
typedef struct term {
    double value;
    int exponent;
} term;

static double value_of(sim_element element, uint64_t bits) {
    switch (element) {
    case SIM_ELEMENT_F16: return sim_double_from_f16((uint32_t)bits & 0xFFFF);
    case SIM_ELEMENT_BF16: return (double)sim_float_from_bf16((uint32_t)bits & 0xFFFF);
    case SIM_ELEMENT_TF32: return (double)sim_float_from_bits((uint32_t)bits & 0xFFFFE000u);
    case SIM_ELEMENT_E4M3: return sim_double_from_small(SIM_SMALL_E4M3, (uint32_t)bits & 0xFF);
    case SIM_ELEMENT_E5M2: return sim_double_from_small(SIM_SMALL_E5M2, (uint32_t)bits & 0xFF);
    case SIM_ELEMENT_E2M3: return sim_double_from_small(SIM_SMALL_E2M3, (uint32_t)bits);
    case SIM_ELEMENT_E3M2: return sim_double_from_small(SIM_SMALL_E3M2, (uint32_t)bits);
    case SIM_ELEMENT_E2M1: return sim_double_from_small(SIM_SMALL_E2M1, (uint32_t)bits >> 2);
    case SIM_ELEMENT_E2M1_PAIR: return sim_double_from_small(SIM_SMALL_E2M1, (uint32_t)bits);
    default: return (double)sim_float_from_bits((uint32_t)bits);
    }
}

static bool is_eight_bit(const sim_matrix *matrix) {
    return matrix->a == SIM_ELEMENT_E4M3 || matrix->a == SIM_ELEMENT_E5M2;
}

static term term_of(sim_element element, uint64_t bits) {
    // 8-bit floats are multiplied as halves.
    bool half = element == SIM_ELEMENT_F16 || sim_element_bits(element) == 8;
    int smallest = half ? -14 : -126;
    double value = value_of(element, bits);
    int exponent = value == 0 || !isfinite(value) ? smallest : ilogb(value);
    return (term){value, exponent > smallest ? exponent : smallest};
}

// Adds terms as they lie after alignment to the largest exponent.
static double aligned_sum(const term *terms, uint32_t count) {
    int largest = INT32_MIN;
    double plain = 0;
    for (uint32_t i = 0; i < count; i++) {
        plain += terms[i].value;
        if (terms[i].value != 0 && terms[i].exponent > largest) largest = terms[i].exponent;
    }
    if (!isfinite(plain)) return plain; // an infinity or a NaN among the terms decides
    if (largest == INT32_MIN) return plain;
    int shift = ALIGNED_BITS - 1 - largest;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += (int64_t)ldexp(terms[i].value, shift);
    return ldexp((double)sum, -shift);
}

static float cut_to_single(double value) {
    if (value != value) return sim_float_from_bits(SIM_NAN_F32);
    if (fabs(value) >= 0x1p128) return value < 0 ? -INFINITY : INFINITY;
    return sim_float_from_bits((uint32_t)sim_pack_double(&sim_format_f32, value, SIM_ROUND_RZ));
}

// k of the i-th product in the order in which they are added: 8-bit floats are
// widened by halves of a register, so the first step takes two neighbours of each four.
static uint32_t place_along(const sim_matrix *matrix, uint32_t i) {
    if (!is_eight_bit(matrix)) return i;
    uint32_t half = matrix->k / 2, inside = i % half;
    return inside / 2 * 4 + i / half * 2 + inside % 2;
}

static term product(const sim_matrix *matrix, const sim_matrix_values *values, uint32_t row,
                    uint32_t column, uint32_t k) {
    term a = term_of((sim_element)matrix->a, values->a[row * matrix->k + k]);
    term b = term_of((sim_element)matrix->b, values->b[k * matrix->n + column]);
    return (term){a.value * b.value, a.exponent + b.exponent};
}

// Rounded to nearest for f16, cut for f32.
static uint32_t packed(sim_element element, double value) {
    if (element != SIM_ELEMENT_F16) return sim_bits_from_float(cut_to_single(value));
    if (value != value) return SIM_NAN_F16;
    return (uint32_t)sim_pack_double(&sim_format_f16, value, SIM_ROUND_RN);
}

// Products that are added at once. 8-bit floats take two steps, wmma of tf32 two of mma's k4.
static uint32_t step_of(const sim_matrix *matrix) {
    bool wmma = matrix->n == 16; // no mma has so many columns
    if (is_eight_bit(matrix)) return matrix->k / 2u;
    return matrix->a == SIM_ELEMENT_TF32 && wmma ? 4 : STEP_TERMS;
}

static uint64_t float_element(const sim_matrix *matrix, const sim_matrix_values *values,
                              uint32_t row, uint32_t column) {
    bool eight = is_eight_bit(matrix); // C is added at the end, by an instruction of its own
    uint32_t step = step_of(matrix);
    sim_element result = (sim_element)matrix->d;
    term addend = term_of((sim_element)matrix->c, values->c[row * matrix->n + column]);
    term sum = eight ? (term){0, 0} : addend;
    for (uint32_t first = 0; first < matrix->k; first += step) {
        term terms[STEP_TERMS + 1];
        uint32_t count = 0;
        for (uint32_t i = first; i < matrix->k && i < first + step; i++)
            terms[count++] = product(matrix, values, row, column, place_along(matrix, i));
        terms[count++] = sum;
        sum = term_of(result, packed(result, aligned_sum(terms, count)));
    }
    double last = eight ? sum.value + addend.value : sum.value;
    if (result == SIM_ELEMENT_F16) return packed(result, last);
    return sim_bits_from_float(sim_canonical((float)last));
}

// Each part of k, of which all are alike long, has its factors.
static uint64_t exact_element(const sim_matrix *matrix, const sim_matrix_values *values,
                              uint32_t row, uint32_t column) {
    uint32_t parts = matrix->factors ? matrix->factors : 1, length = matrix->k / parts;
    double sum = value_of((sim_element)matrix->c, values->c[row * matrix->n + column]);
    for (uint32_t i = 0; i < parts; i++) {
        double part = 0;
        for (uint32_t k = i * length; k < (i + 1) * length; k++)
            part += value_of((sim_element)matrix->a, values->a[row * matrix->k + k]) *
                    value_of((sim_element)matrix->b, values->b[k * matrix->n + column]);
        if (matrix->factors) part *= values->factors_a[row][i] * values->factors_b[column][i];
        sum += part;
    }
    if (matrix->d == SIM_ELEMENT_F16) return packed(SIM_ELEMENT_F16, sum);
    return sim_bits_from_float(sim_canonical((float)sum));
}

static double quiet(double nan) {
    return sim_double_from_bits(sim_bits_from_double(nan) | UINT64_C(1) << 51);
}
// A NaN is passed on: the element of B before the sum before that of A.
static double multiply_add(double a, double b, double sum) {
    if (b != b) return quiet(b);
    if (sum != sum) return quiet(sum);
    return a != a ? quiet(a) : fma(a, b, sum);
}

static uint64_t double_element(const sim_matrix *matrix, const sim_matrix_values *values,
                               uint32_t row, uint32_t column) {
    double sum = sim_double_from_bits(values->c[row * matrix->n + column]);
    for (uint32_t k = 0; k < matrix->k; k++)
        sum = multiply_add(sim_double_from_bits(values->a[row * matrix->k + k]),
                           sim_double_from_bits(values->b[k * matrix->n + column]), sum);
    return sim_bits_from_double(sum);
}

static void multiply_row(const sim_matrix *matrix, sim_matrix_values *values, uint32_t row) {
    for (uint32_t column = 0; column < matrix->n; column++) {
        uint64_t *d = &values->d[row * matrix->n + column];
        if (matrix->d == SIM_ELEMENT_S32) *d = integer_element(matrix, values, row, column);
        else if (matrix->exact) *d = exact_element(matrix, values, row, column);
        else if (matrix->d == SIM_ELEMENT_F64) *d = double_element(matrix, values, row, column);
        else *d = float_element(matrix, values, row, column);
    }
}

void sim_matrix_multiply(const sim_matrix *matrix, sim_matrix_values *values) {
    sim_matrix dense = *matrix;
    uint64_t b[SIM_MATRIX_MAX_ELEMENTS];
    if (matrix->sparse) {
        memcpy(b, values->b, sizeof b);
        dense.k /= 2;
        dense.sparse = false;
    }
    for (uint32_t row = 0; row < matrix->m; row++) {
        for (uint32_t k = 0; matrix->sparse && k < dense.k; k++)
            memcpy(&values->b[k * matrix->n], &b[values->chosen[row * dense.k + k] * matrix->n],
                   matrix->n * sizeof *b);
        multiply_row(&dense, values, row);
    }
}
