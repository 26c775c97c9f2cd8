// SPDX-License-Identifier: MIT
// See matrix.h.
#include "matrix.h"

#include <math.h>
#include <stdbool.h>

#include "fpmath.h"
#include "small_float.h"

enum {
    STEP_TERMS = 16,  // products that are added at once, besides the accumulator
    ALIGNED_BITS = 26 // of a term, below the leading bit's place of the largest
};

// ---- Integers -----------------------------------------------------------------------------------

static int64_t integer(sim_element element, uint64_t bits) {
    if (element == SIM_ELEMENT_U8) return (uint8_t)bits;
    if (element == SIM_ELEMENT_S8) return (int8_t)bits;
    return (int32_t)bits;
}

static uint32_t integer_element(const sim_matrix *matrix, const sim_matrix_values *values,
                                uint32_t row, uint32_t column) {
    int64_t sum = integer(SIM_ELEMENT_S32, values->c[row * matrix->n + column]);
    for (uint32_t k = 0; k < matrix->k; k++)
        sum += integer((sim_element)matrix->a, values->a[row * matrix->k + k]) *
               integer((sim_element)matrix->b, values->b[k * matrix->n + column]);
    if (matrix->satfinite) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

// ---- Floats -------------------------------------------------------------------------------------

static double value_of(sim_element element, uint64_t bits) {
    switch (element) {
    case SIM_ELEMENT_F16: return sim_double_from_f16((uint32_t)bits & 0xFFFF);
    case SIM_ELEMENT_BF16: return (double)sim_float_from_bf16((uint32_t)bits & 0xFFFF);
    case SIM_ELEMENT_TF32: return (double)sim_float_from_bits((uint32_t)bits & 0xFFFFE000u);
    case SIM_ELEMENT_E4M3: return sim_double_from_e4m3((uint32_t)bits & 0xFF);
    case SIM_ELEMENT_E5M2: return sim_double_from_e5m2((uint32_t)bits & 0xFF);
    default: return (double)sim_float_from_bits((uint32_t)bits);
    }
}

// Adds terms as they lie after alignment to the largest exponent.
static double aligned_sum(const double *terms, uint32_t count) {
    int largest = INT32_MIN;
    double plain = 0;
    for (uint32_t i = 0; i < count; i++) {
        plain += terms[i];
        if (terms[i] == 0) continue;
        int exponent = ilogb(terms[i]);
        largest = exponent > largest ? exponent : largest;
    }
    if (!isfinite(plain)) return plain; // an infinity or a NaN among the terms decides
    if (largest == INT32_MIN) return plain;
    int shift = ALIGNED_BITS - 1 - largest;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += (int64_t)ldexp(terms[i], shift);
    return ldexp((double)sum, -shift);
}

static float cut_to_single(double value) {
    if (value != value) return sim_float_from_bits(SIM_NAN_F32);
    if (isinf(value)) return (float)value;
    return sim_float_from_bits((uint32_t)sim_pack_double(&sim_format_f32, value, SIM_ROUND_RZ));
}

static uint64_t float_element(const sim_matrix *matrix, const sim_matrix_values *values,
                              uint32_t row, uint32_t column) {
    double sum = value_of((sim_element)matrix->c, values->c[row * matrix->n + column]);
    for (uint32_t first = 0; first < matrix->k; first += STEP_TERMS) {
        double terms[STEP_TERMS + 1];
        uint32_t count = 0;
        for (uint32_t k = first; k < matrix->k && k < first + STEP_TERMS; k++)
            terms[count++] = value_of((sim_element)matrix->a, values->a[row * matrix->k + k]) *
                             value_of((sim_element)matrix->b, values->b[k * matrix->n + column]);
        terms[count++] = sum;
        sum = (double)cut_to_single(aligned_sum(terms, count));
    }
    if (matrix->d == SIM_ELEMENT_F16)
        return sum == sum ? sim_pack_double(&sim_format_f16, sum, SIM_ROUND_RN) : SIM_NAN_F16;
    return sum == sum ? sim_bits_from_float((float)sum) : SIM_NAN_F32;
}

static uint64_t double_element(const sim_matrix *matrix, const sim_matrix_values *values,
                               uint32_t row, uint32_t column) {
    double sum = sim_double_from_bits(values->c[row * matrix->n + column]);
    for (uint32_t k = 0; k < matrix->k; k++)
        sum = fma(sim_double_from_bits(values->a[row * matrix->k + k]),
                  sim_double_from_bits(values->b[k * matrix->n + column]), sum);
    return sim_bits_from_double(sum);
}

void sim_matrix_multiply(const sim_matrix *matrix, sim_matrix_values *values) {
    for (uint32_t row = 0; row < matrix->m; row++)
        for (uint32_t column = 0; column < matrix->n; column++) {
            uint64_t *d = &values->d[row * matrix->n + column];
            if (matrix->d == SIM_ELEMENT_S32)
                *d = integer_element(matrix, values, row, column);
            else if (matrix->d == SIM_ELEMENT_F64)
                *d = double_element(matrix, values, row, column);
            else
                *d = float_element(matrix, values, row, column);
        }
}
