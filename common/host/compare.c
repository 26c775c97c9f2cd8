// Comparison of outputs with a reference: see compare.h. Pure functions.
#include "compare.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Inside this file calls must not go through the table of a shared library.
static inline bool is_close(double got, double want, double bound) {
    // The second form is false for every NaN; `error > bound` would let NaN pass.
    return got == want || fabs(got - want) <= bound;
}
bool kl_close(double got, double want, double bound) { return is_close(got, want, bound); }

static inline double distance(double got, double want) {
    if (got == want) return 0.0;
    double distance = fabs(got - want);
    return isnan(distance) ? INFINITY : distance;
}
double kl_distance(double got, double want) { return distance(got, want); }

// One element more; `i` is its index.
static inline void compare_one(kl_comparison *result, uint64_t i, double got, double want,
                               double limit) {
    double error = distance(got, want);
    bool wrong = !is_close(got, want, limit);
    bool first = wrong && result->wrong == 0;
    bool largest = result->wrong == 0 && error > result->max_error;
    if (first || largest || i == 0) {
        result->expected = want;
        result->got = got;
        result->bound = limit;
    }
    if (first) result->first_wrong = i;
    if (error > result->max_error) result->max_error = error;
    result->wrong += wrong;
    result->compared = i + 1;
}

kl_comparison kl_compare_f32(const float *got, const double *want, const double *bounds,
                             double bound, uint64_t count) {
    kl_comparison result = {.bound = bound};
    for (uint64_t i = 0; i < count; i++)
        compare_one(&result, i, got[i], want[i], bounds ? bounds[i] : bound);
    result.ok = count > 0 && result.wrong == 0;
    return result;
}

kl_comparison kl_compare_f64(const double *got, const double *want, const double *bounds,
                             double bound, uint64_t count) {
    kl_comparison result = {.bound = bound};
    for (uint64_t i = 0; i < count; i++)
        compare_one(&result, i, got[i], want[i], bounds ? bounds[i] : bound);
    result.ok = count > 0 && result.wrong == 0;
    return result;
}

bool kl_is_never_written(double value) {
    // Float bits of KL_POISON bytes (call.h), a NaN with a payload that no arithmetic makes, and of
    // the simulator's fresh memory (SIM_POISON), widened to double.
    const uint64_t filled = UINT64_C(0xFFFFFFFFE0000000), fresh = UINT64_C(0x477BCF75A0000000);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == filled || bits == fresh;
}

double kl_integer_seen(uint32_t bits, double value) {
    float seen;
    memcpy(&seen, &bits, sizeof seen);
    return kl_is_never_written((double)seen) ? (double)seen : value;
}

const char *kl_value_text(double value, char *text, size_t text_bytes) {
    if (kl_is_never_written(value)) snprintf(text, text_bytes, "never written");
    else if (isnan(value)) snprintf(text, text_bytes, "NaN");
    else if (fabs(value) >= 1e9 && fabs(value) < 1e15 && value == floor(value))
        snprintf(text, text_bytes, "%.0f", value); // an integer: with all digits
    else snprintf(text, text_bytes, "%.9g", value);
    return text;
}
