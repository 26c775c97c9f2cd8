// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 3, the program around the kernel of step 14: twice 1000 elements.
// The bug is in ../steps/14_twice.cu; nothing is to be changed here.
#include "../steps/14_twice.cu"
#include "hunt.cuh"

#define N 1000

static float input(int i) {
    return (float)i;
}
static cudaError_t call(const float *d_x, float *d_y) {
    return twice_all(d_x, N, d_y);
}
static bool is_right(const float *x, const float *y, int i) {
    return y[i] == 2.0f * x[i];
}

int main(void) {
    const hunt h = {N, input, call, is_right};
    return hunt_main(&h);
}
