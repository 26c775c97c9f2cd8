// SPDX-License-Identifier: MIT
// Compares results with golden ones: bit by bit, or within the bound that a case carries. Knows the
// float formats only as far as distances between two results need it.
#include "operand_program.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct float_format {
    int fraction, exponent; // bits
} float_format;

static bool format_of(operand_domain domain, float_format *out_format, bool *out_packed) {
    *out_packed = domain == DOMAIN_f16x2 || domain == DOMAIN_bf16x2;
    switch (domain) {
    case DOMAIN_f16:
    case DOMAIN_f16x2: *out_format = (float_format){10, 5}; return true;
    case DOMAIN_bf16:
    case DOMAIN_bf16x2: *out_format = (float_format){7, 8}; return true;
    case DOMAIN_f32: *out_format = (float_format){23, 8}; return true;
    case DOMAIN_f64: *out_format = (float_format){52, 11}; return true;
    default: return false;
    }
}

static uint64_t magnitude_of(float_format format, uint64_t bits) {
    return bits & ((UINT64_C(1) << (format.fraction + format.exponent)) - 1);
}

static bool is_negative(float_format format, uint64_t bits) {
    return bits >> (format.fraction + format.exponent) & 1;
}

static bool is_nan(float_format format, uint64_t bits) {
    return magnitude_of(format, bits) > ((UINT64_C(1) << format.exponent) - 1) << format.fraction;
}

static double value_of(float_format format, uint64_t bits) {
    uint64_t magnitude = magnitude_of(format, bits), top = (UINT64_C(1) << format.exponent) - 1;
    uint64_t exponent = magnitude >> format.fraction;
    uint64_t fraction = magnitude & ((UINT64_C(1) << format.fraction) - 1);
    int scale = (int)(exponent ? exponent : 1) - (int)(top / 2) - format.fraction;
    double value =
        exponent == top
            ? INFINITY
            : ldexp((double)(exponent ? fraction | UINT64_C(1) << format.fraction : fraction),
                    scale);
    return is_negative(format, bits) ? -value : value;
}

// Numbers of the format between the two; both zeros count as one.
static double ulps_between(float_format format, uint64_t a, uint64_t b) {
    double x = (double)magnitude_of(format, a), y = (double)magnitude_of(format, b);
    if (is_negative(format, a) == is_negative(format, b)) {
        uint64_t m = magnitude_of(format, a), n = magnitude_of(format, b);
        return (double)(m > n ? m - n : n - m);
    }
    return x + y;
}

static bool within(float_format format, const operand_check *check, uint64_t got, uint64_t want,
                   double *worst) {
    if (got == want || (is_nan(format, got) && is_nan(format, want))) return true;
    if (is_nan(format, got) || is_nan(format, want)) return false;
    double ulps = ulps_between(format, got, want);
    if (fabs(value_of(format, got) - value_of(format, want)) <= check->absolute) return true;
    if (ulps > *worst) *worst = ulps;
    return ulps <= check->ulps;
}

static bool same(const operand_case *test, operand_domain domain, uint64_t got, uint64_t want,
                 double *worst) {
    float_format format;
    bool packed;
    if (test->check.kind != CHECK_WITHIN || !format_of(domain, &format, &packed))
        return got == want;
    if (!packed) return within(format, &test->check, got, want, worst);
    return within(format, &test->check, got & 0xFFFF, want & 0xFFFF, worst) &&
           within(format, &test->check, got >> 16, want >> 16, worst);
}

static void print_tuple(const operand_case *test, const operand_record *got,
                        const operand_record *want, const uint64_t *in, uint32_t at) {
    printf("    tuple %u:", at);
    for (int i = 0; i < test->inputs; i++) {
        printf(" %s %0*" PRIx64, operand_domain_name(test->input[i]),
               2 * operand_domain_bytes(test->input[i]), in[(uint32_t)i * got->tuples + at]);
    }
    printf(" ->");
    for (uint32_t i = 0; i < got->outputs; i++) {
        int digits = 2 * (int)got->bytes[i];
        printf(" %0*" PRIx64 " (want %0*" PRIx64 ")", digits, got->results[i][at], digits,
               want->results[i][at]);
    }
    printf("\n");
}

static void compare_stored(const operand_case *test, const operand_record *got,
                           const operand_record *want, const uint64_t *in, int show,
                           operand_verdict *verdict) {
    for (uint32_t at = 0; at < want->stored; at++) {
        bool good = true;
        for (uint32_t i = 0; i < want->outputs; i++) {
            bool agrees = same(test, test->output[i], got->results[i][at], want->results[i][at],
                               &verdict->worst_ulps);
            verdict->compared++;
            if (!agrees) verdict->differing++;
            good = good && agrees;
        }
        if (!good && show-- > 0) print_tuple(test, got, want, in, at);
    }
}

operand_verdict operand_compare(const operand_case *test, const operand_record *want,
                                const uint64_t *in, const uint64_t *results, int show) {
    operand_verdict verdict = {0};
    static operand_record got; // 9 KiB
    operand_record_fill(test, in, results, &got);
    verdict.stale = got.tuples != want->tuples || got.stored != want->stored ||
                    got.outputs != want->outputs || got.bytes[0] != want->bytes[0] ||
                    got.bytes[1] != want->bytes[1] || got.operands_hash != want->operands_hash;
    if (verdict.stale) return verdict;
    compare_stored(test, &got, want, in, show, &verdict);
    if (test->check.kind == CHECK_WITHIN) return verdict; // a hash says nothing about a bound
    uint32_t chunks = (want->tuples - want->stored) / OPERAND_CHUNK;
    for (uint32_t i = 0; i < chunks; i++)
        if (got.chunks[i] != want->chunks[i]) verdict.bad_chunks++;
    return verdict;
}
