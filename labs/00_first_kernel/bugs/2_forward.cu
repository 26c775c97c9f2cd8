// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 2, the program around the kernel of step 13: forward differences.
// The bug is in ../steps/13_forward.cu; nothing is to be changed here.
#include "../steps/13_forward.cu"
#include "hunt.cuh"

#define N (100 * THREADS)

static float input(int i) {
    return (float)(i % 1000) * (float)(i % 7);
}
static cudaError_t call(const float *d_x, float *d_y) {
    return forward_difference(d_x, N, d_y);
}
static bool is_right(const float *x, const float *y, int i) {
    return y[i] == (i + 1 < N ? x[i + 1] : 0.0f) - x[i];
}

int main(void) {
    const hunt h = {N, input, call, is_right};
    return hunt_main(&h);
}
// ladder-skeleton d15fa94c11afe98c (as it was handed out; any change makes this file yours)
