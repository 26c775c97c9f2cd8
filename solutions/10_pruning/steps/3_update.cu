// SPDX-License-Identifier: MIT
// Lab 10, step 3: a step of descent that leaves what is pruned at 0. The gradient of a pruned
// weight is not 0: the plain update would bring the weight back, and so would its momentum later.
//
// The mask decides in the same kernel that descends. A thread takes four neighbouring weights:
// float4 and uchar4 make one load of 16 and of 4 bytes instead of four.
#include "pruning.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// SOLUTION BEGIN
__device__ __forceinline__ void descend(float w, float v, float g, uint8_t mask, float rate,
                                        float momentum, float *w_out, float *v_out) {
    float velocity = mask ? momentum * v + g : 0.0f;
    *v_out = velocity;
    *w_out = mask ? w - rate * velocity : 0.0f;
}
// SOLUTION TODO: a device function for one weight is handy: the fours and the rest at the end need
// SOLUTION TODO: the same.

// All arrays: [count], 256-byte aligned.
__global__ void __launch_bounds__(THREADS)
    update(int64_t count, const float *w, const float *v, const float *g, const uint8_t *mask,
           float rate, float momentum, float *w_out, float *v_out) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, fours = count / 4;
    if (i < fours) {
        float4 w4 = ((const float4 *)w)[i], v4 = ((const float4 *)v)[i],
               g4 = ((const float4 *)g)[i];
        uchar4 m4 = ((const uchar4 *)mask)[i];
        float4 a, b;
        descend(w4.x, v4.x, g4.x, m4.x, rate, momentum, &a.x, &b.x);
        descend(w4.y, v4.y, g4.y, m4.y, rate, momentum, &a.y, &b.y);
        descend(w4.z, v4.z, g4.z, m4.z, rate, momentum, &a.z, &b.z);
        descend(w4.w, v4.w, g4.w, m4.w, rate, momentum, &a.w, &b.w);
        ((float4 *)w_out)[i] = a;
        ((float4 *)v_out)[i] = b;
    }
    i = fours * 4 + i; // up to three are left
    if (i < count) descend(w[i], v[i], g[i], mask[i], rate, momentum, &w_out[i], &v_out[i]);
    // SOLUTION TODO: where the mask is 0, w_out and v_out are 0; else v_out = momentum * v + g and
    // SOLUTION TODO: w_out = w - rate * v_out. Thread i takes the four weights from 4 i on; the
    // SOLUTION TODO: last count % 4 weights go to the first threads, one each.
}

extern "C" int pruning_step3(const pruning_task *task) {
    if (!IMPLEMENTED) return PRUNING_NOT_IMPLEMENTED;
    if (pruning_refuses(task) || task->op != PRUNING_UPDATE) return cudaErrorInvalidValue;
    int64_t count = task->shape.rows * task->shape.cols, threads = count / 4 + 3;
    update<<<(unsigned)((threads + THREADS - 1) / THREADS), THREADS>>>(
        count, task->d_w, task->d_v, task->d_g, task->d_mask_in, task->learning_rate,
        task->momentum, task->d_w_out, task->d_v_out);
    return cudaGetLastError();
}
