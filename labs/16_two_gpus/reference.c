// The readable answers to lab 16, in double precision, and the error bounds with their derivation.
// Must not be linked into anything that a submission can read. Let u = 2^-24 be the unit roundoff
// of float.
//
// Grid. |x| <= 1, and so are all averages. An iteration adds two pairs, each at most 2 and rounded
// by at most 2 u, and then both, at most 4 and rounded by at most 4 u: 8 u, of which a quarter
// counts; the weights add up to 1, so that errors before it do not grow. After s iterations
// e <= 2 s u.
//
// Sum. What the ranks hold of x are multiples of 2^-8 of at most 8 in magnitude: their sum is exact
// in any order, and is x. In each further round all addends are equal; a sum of r <= 8 of them is
// rounded r - 1 times, by at most u of its own size. With the kit's division at the end
// e <= ((r - 1) (rounds - 1) + 1) u |x|, twice that leaves room for terms of higher order.
#include "reference.h"

#include <string.h>

#include "two_gpus.h"

double two_gpus_grid_bound(void) {
    return 2 * TWO_GPUS_ITERATIONS * 0x1p-24;
}

double two_gpus_sum_bound(void) {
    return 2 * ((TWO_GPUS_MOST - 1) * (TWO_GPUS_ROUNDS - 1) + 1) * 0x1p-24;
}

// One iteration. before, value: [n][n]; the edge of value is there.
static void relax(const double *before, int64_t n, double *value) {
    for (int64_t row = 1; row < n - 1; row++) {
        for (int64_t column = 1; column < n - 1; column++) {
            const double *here = before + row * n + column;
            value[row * n + column] = 0.25 * (here[-n] + here[n] + here[-1] + here[1]);
        }
    }
}

// value has room for two grids, of which the second one is the work array.
void two_gpus_reference_grid(const float *x, int64_t n, double *value) {
    double *other = value + n * n;
    for (int64_t i = 0; i < n * n; i++) value[i] = other[i] = (double)x[i];
    for (int t = 0; t < TWO_GPUS_ITERATIONS; t += 2) {
        relax(value, n, other);
        relax(other, n, value);
    }
}

void two_gpus_reference_sum(const float *x, int64_t n, double *value) {
    for (int64_t i = 0; i < n; i++) value[i] = value[n + i] = (double)x[i];
}
