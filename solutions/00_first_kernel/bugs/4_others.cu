// SPDX-License-Identifier: MIT
// Lab 00, bug hunt 4, the program around the kernel of step 15: sums of the others.
// The bug is in ../steps/15_others.cu; nothing is to be changed here.
#include "../steps/15_others.cu"
#include "hunt.cuh"

#define GROUPS 40
#define N      (GROUPS * EACH)

static float input(int i) {
    return (float)(i % 100);
}
static cudaError_t call(const float *d_x, float *d_y) {
    return sum_others(d_x, GROUPS, d_y);
}
static bool is_right(const float *x, const float *y, int i) {
    float sum = 0.0f;
    for (int k = i / EACH * EACH; k < (i / EACH + 1) * EACH; k++)
        sum += x[k]; // whole numbers: exact
    return y[i] == sum - x[i];
}

int main(void) {
    const hunt h = {N, input, call, is_right};
    return hunt_main(&h);
}
