// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 5, the program around the kernel of step 16: twice plus one.
// The bug is in ../steps/16_plus_two.cu; nothing is to be changed here.
#include "../steps/16_plus_two.cu"
#include "hunt.cuh"

#define N 4096

static float input(int i) {
    return (float)i;
}
static cudaError_t call(const float *d_x, float *d_y) {
    return plus_two(d_x, N, d_y);
}
static bool is_right(const float *x, const float *y, int i) {
    return y[i] == x[i] + 2.0f;
}

int main(void) {
    const hunt h = {N, input, call, is_right};
    return hunt_main(&h);
}
