// SPDX-License-Identifier: MIT
// A kernel for run.c in place of lab 07's: what is wrong with it is chosen by parameters of the
// lab's table.
#include "gemm.h"

#include <cuda_runtime.h>
#include <stdlib.h>
#include <unistd.h>

#define IS_SHORT    (TUNE_STAGES == 3) // leaves out the last product
#define IS_OUTSIDE  (TUNE_STAGES == 4) // writes far behind C
#define IS_ABORTING (TUNE_STAGES == 5)
#if TUNE_STAGES == 6
#error this configuration shall not compile
#endif
#define IS_CROWDED (TUNE_BAND == 4) // holds a kernel that spills
#define IS_STUCK   (TUNE_BAND == 8)

__global__ void product(const gemm_task g) {
    int64_t i = blockIdx.x, j = threadIdx.x;
    float sum = 0.0f;
    for (int64_t p = 0; p < g.k - IS_SHORT; p++)
        sum = fmaf(g.d_a[p * g.m + i], g.d_b[j * g.k + p], sum);
    g.d_c[j * g.m + i + (IS_OUTSIDE ? (int64_t)1 << 40 : 0)] = sum;
}

#if IS_CROWDED
// Never launched: more values live at once than the 32 registers that two such blocks leave a
// thread.
extern "C" __global__ void __launch_bounds__(1024, 2) crowded(float *x, int iterations) {
    float v[80];
#pragma unroll
    for (int i = 0; i < 80; i++) v[i] = x[i * 1024 + threadIdx.x];
    for (int t = 0; t < iterations; t++) {
#pragma unroll
        for (int i = 0; i < 80; i++) v[i] = fmaf(v[i], v[(i + 7) % 80], x[t]);
    }
#pragma unroll
    for (int i = 0; i < 80; i++) x[i * 1024 + threadIdx.x] = v[i];
}
#endif

extern "C" int gemm_tuned(const gemm_task *task) {
    if (IS_ABORTING) abort();
    while (IS_STUCK) sleep(1);
    product<<<(unsigned)task->m, (unsigned)task->n>>>(*task);
    return cudaGetLastError();
}
