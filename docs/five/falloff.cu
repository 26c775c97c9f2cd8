// SPDX-License-Identifier: MIT
// The light of 16 lamps at points of a line. What is slow: a letter is missing at three constants.
#include "five.h"

enum { COUNT = 1 << 20, THREADS = 256, LAMPS = 16 };

__constant__ float lamps[LAMPS];

__global__ void light(float *brightness, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float sum = 0;
    for (int lamp = 0; lamp < LAMPS; lamp++) {
        float distance = i - lamps[lamp];
#ifdef CHANGED
        sum += 1.0f / (1.0f + 0.25f * distance * distance);
#else
        sum += 1.0 / (1.0 + 0.25 * distance * distance);
#endif
    }
    brightness[i] = sum;
}

int main(void) {
    static float brightness[COUNT], places[LAMPS];
    double expected = 0, got = 0;
    for (int lamp = 0; lamp < LAMPS; lamp++) places[lamp] = (float)(lamp * COUNT / LAMPS + 5);
    for (int i = 0; i < COUNT; i++)
        for (int lamp = 0; lamp < LAMPS; lamp++)
            expected += 1 / (1 + 0.25 * (i - places[lamp]) * (i - places[lamp]));
    FIVE_CHECK(cudaMemcpyToSymbol(lamps, places, sizeof places));
    float *d_brightness = (float *)five_upload(NULL, sizeof brightness);
    light<<<COUNT / THREADS, THREADS>>>(d_brightness, COUNT);
    FIVE_CHECK(cudaMemcpy(brightness, d_brightness, sizeof brightness, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) got += brightness[i];
    five_free(d_brightness);
    return five_end("falloff", got, expected, 1e-5);
}
