// SPDX-License-Identifier: MIT
// Lab 10, step 3: a step of descent that leaves what is pruned at 0. The gradient of a pruned
// weight is not 0: the plain update would bring the weight back, and so would its momentum later.
//
// The mask decides in the same kernel that descends. A thread takes four neighbouring weights:
// float4 and uchar4 make one load of 16 and of 4 bytes instead of four.
#include "pruning.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256

// TODO(student): a device function for one weight is handy: the fours and the rest at the end need
// the same.

// All arrays: [count], 256-byte aligned.
__global__ void __launch_bounds__(THREADS)
    update(int64_t count, const float *w, const float *v, const float *g, const uint8_t *mask,
           float rate, float momentum, float *w_out, float *v_out) {
    // TODO(student): where the mask is 0, w_out and v_out are 0; else v_out = momentum * v + g and
    // w_out = w - rate * v_out. Thread i takes the four weights from 4 i on; the
    // last count % 4 weights go to the first threads, one each.
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
// ladder-skeleton 42c3c3c556d1e67a (as it was handed out; any change makes this file yours)
