// SPDX-License-Identifier: MIT
// How often each of 16 values occurs: every thread counts for itself in shared memory. What is
// slow: where the counters of neighbouring threads lie.
#include "five.h"

enum { COUNT = 1 << 23, THREADS = 512, BLOCKS = 528, BINS = 16 };

__global__ void count_values(const unsigned char *values, int count, unsigned *totals) {
    int lane = threadIdx.x % 32, bin = threadIdx.x / 32;
#ifdef CHANGED
    __shared__ unsigned mine[BINS][THREADS];
#define AT(thread, bin) mine[bin][thread]
#else
    __shared__ unsigned mine[THREADS][BINS];
#define AT(thread, bin) mine[thread][bin]
#endif
    for (int b = 0; b < BINS; b++) AT(threadIdx.x, b) = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS)
        AT(threadIdx.x, values[i])++;
    __syncthreads(); // then each of the 16 warps adds up one of the counters of all threads
    unsigned sum = 0;
    for (int thread = lane; thread < THREADS; thread += 32) sum += AT(thread, bin);
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (lane == 0) atomicAdd(&totals[bin], sum);
}

int main(void) {
    static unsigned char values[COUNT];
    unsigned totals[BINS];
    double expected = 0, got = 0;
    for (int i = 0; i < COUNT; i++) {
        values[i] = (unsigned char)(i * 2654435761u >> 28);
        expected += values[i];
    }
    unsigned char *d_values = (unsigned char *)five_upload(values, sizeof values);
    unsigned *d_totals = (unsigned *)five_upload(NULL, sizeof totals);
    count_values<<<BLOCKS, THREADS>>>(d_values, COUNT, d_totals);
    FIVE_CHECK(cudaMemcpy(totals, d_totals, sizeof totals, cudaMemcpyDeviceToHost));
    for (int bin = 0; bin < BINS; bin++) got += (double)bin * totals[bin];
    five_free(d_values);
    five_free(d_totals);
    return five_end("counters", got, expected, 0);
}
