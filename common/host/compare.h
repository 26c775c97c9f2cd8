// Comparison of outputs with a reference. NaN never passes, and comparing nothing is a failure:
// an empty comparison is how a broken checker looks like a correct kernel.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a comparison of an output with the reference found.
typedef struct kl_comparison {
    bool ok;              // every element within its bound, and at least one element
    uint64_t compared;    // elements looked at
    uint64_t wrong;       // elements out of bounds
    uint64_t first_wrong; // index of the first of them (0 when none)
    double max_error; // largest |got - want|; infinity when an element is NaN or a wrong infinity
    double expected, got; // at first_wrong, or at the largest error when all are right
    double bound;         // the bound there
} kl_comparison;

// True when got equals want (this covers equal infinities) or |got - want| <= bound. NaN gives
// false.
bool kl_close(double got, double want, double bound);

// |got - want|; 0 for equal values (infinities included), infinity when either is NaN.
double kl_distance(double got, double want);

// got: [count] float; want: [count] double; bounds: [count] double, or NULL to use `bound` for all.
kl_comparison kl_compare_f32(const float *got, const double *want, const double *bounds,
                             double bound, uint64_t count);

// The same for got: [count] double.
kl_comparison kl_compare_f64(const double *got, const double *want, const double *bounds,
                             double bound, uint64_t count);

// Whether this is what the kit and the simulator fill fresh memory with, seen as a float.
bool kl_is_never_written(double value);
// `value`, or, where the integer's 32 bits are what fresh memory holds, a NaN that
// kl_is_never_written knows. For outputs that never hold these bits.
double kl_integer_seen(uint32_t bits, double value);

// A value for people: "never written" for what the kit and the simulator fill fresh memory with,
// seen as a float; "NaN" without the sign that printf shows. Returns `text`.
const char *kl_value_text(double value, char *text, size_t text_bytes);
