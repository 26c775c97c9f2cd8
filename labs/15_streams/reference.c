// The readable answers to lab 15, in double precision, and the error bounds with their derivation.
// Must not be linked into anything that a submission can read. Let u = 2^-24 be the unit roundoff
// of float.
//
// Filter. A step computes y' = fl(fma(1/8, fl(x - y), y)) with |x| <= 1 and so |y| <= 1. The
// difference is at most 2 and is rounded by at most 2 u, of which an eighth counts; the result is
// rounded by at most u. Of the error so far 7/8 stay. So e' <= 7/8 e + u/4 + u, and e <= 10 u,
// whatever the number of frames. One u more leaves room for terms of higher order.
//
// Ring. A smoothing rounds left + right, at most 2, of which a quarter counts (u/2), and the sum
// (u); the weights add up to 1, so that errors before it do not grow. After s smoothings
// e <= 1.5 s u. A compiler may round once less.
//
// Survey. Whole numbers below 2^24: exact.
#include "reference.h"

#include <math.h>
#include <string.h>

#include "streams.h"

double streams_filter_bound(void) {
    return 11 * 0x1p-24;
}

double streams_ring_bound(int64_t rounds) {
    return 1.5 * 0x1p-24 * STREAMS_SMOOTHINGS * (double)rounds;
}

void streams_reference_filter(const float *x, int64_t n, double *value) {
    for (int64_t f = 0; f < n; f++) {
        const float *frame = x + f * STREAMS_CHANNELS;
        const double *before = value + (f - 1) * STREAMS_CHANNELS;
        double *now = value + f * STREAMS_CHANNELS;
        for (int c = 0; c < STREAMS_CHANNELS; c++) {
            double y = f > 0 ? before[c] : 0.0;
            now[c] = y + ((double)frame[c] - y) / 8;
        }
    }
}

static int walk(const float *x, int at, int entries) {
    for (int i = 0; i < entries; i++) at = (int)x[at];
    return at;
}

void streams_reference_survey(const float *x, int64_t n, double *value) {
    int at = 0;
    for (int64_t b = 0; b < n; b++) value[b] = walk(x, (int)(b % STREAMS_TABLE), STREAMS_WALK);
    for (int q = 0; q < STREAMS_QUESTIONS; q++) {
        at = walk(x, at, STREAMS_ASKED);
        value[n + q] = at;
    }
}

void streams_reference_ring(const float *x, int64_t n, double *value) {
    double from[STREAMS_FIELD] = {0};
    for (int64_t r = 0; r < n; r++) {
        from[0] = (double)x[r];
        for (int s = 0; s < STREAMS_SMOOTHINGS; s++) {
            for (int i = 0; i < STREAMS_FIELD; i++) {
                double left = from[(i + STREAMS_FIELD - 1) % STREAMS_FIELD];
                double right = from[(i + 1) % STREAMS_FIELD];
                value[i] = 0.25 * (left + right) + 0.5 * from[i];
            }
            memcpy(from, value, sizeof from);
        }
    }
}
