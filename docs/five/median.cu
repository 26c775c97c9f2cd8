// SPDX-License-Identifier: MIT
// The median of 9 neighbours at each point of a line. What is slow: the index of an array.
#include "five.h"

enum { COUNT = 1 << 18, THREADS = 256, WINDOW = 9 };

__device__ static float median_of(const float *x) {
    float sorted[WINDOW];
#ifdef CHANGED
    for (int i = 0; i < WINDOW; i++) sorted[i] = x[i];
    for (int last = WINDOW - 1; last > 0; last--)
        for (int i = 0; i < last; i++) {
            float low = fminf(sorted[i], sorted[i + 1]);
            sorted[i + 1] = fmaxf(sorted[i], sorted[i + 1]);
            sorted[i] = low;
        }
#else
#pragma unroll 1
    for (int i = 0; i < WINDOW; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > x[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = x[i];
    }
#endif
    return sorted[WINDOW / 2];
}

// x: [count + WINDOW - 1]
__global__ void smooth(const float *x, int count, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = median_of(&x[i]);
}

static int compare(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

int main(void) {
    static float x[COUNT + WINDOW - 1], y[COUNT];
    double expected = 0, got = 0;
    for (int i = 0; i < COUNT + WINDOW - 1; i++) x[i] = (float)(i * 2654435761u >> 16 & 1023);
    for (int i = 0; i < COUNT; i++) {
        float sorted[WINDOW];
        for (int k = 0; k < WINDOW; k++) sorted[k] = x[i + k];
        qsort(sorted, WINDOW, sizeof sorted[0], compare);
        expected += sorted[WINDOW / 2];
    }
    float *d_x = (float *)five_upload(x, sizeof x), *d_y = (float *)five_upload(NULL, sizeof y);
    smooth<<<COUNT / THREADS, THREADS>>>(d_x, COUNT, d_y);
    FIVE_CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) got += y[i];
    five_free(d_x);
    five_free(d_y);
    return five_end("median", got, expected, 0);
}
