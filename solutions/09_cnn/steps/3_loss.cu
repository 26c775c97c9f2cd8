// SPDX-License-Identifier: MIT
// Lab 09, step 3: softmax and cross-entropy, and where all deltas begin.
//
// p = softmax(z), loss = -log p[label]. Then d loss / d z[k] = p[k] - (k == label ? 1 : 0):
// prediction minus truth, without f'. The lecture's (Y - O) f'(Z) has the other sign, and its
// factor f' belongs to the squared error: with it, a network that is wrong and sure of it hardly
// learns.
#include "cnn.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 128
#define WARPS   (THREADS / 32)

// SOLUTION BEGIN
__device__ float warp_max(float value) {
    for (int step = 16; step > 0; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}

__device__ float warp_sum(float value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

// SOLUTION TODO: functions that give each lane the largest value, and the sum, of all 32 lanes (lab
// SOLUTION TODO: 06)
// A warp per image. x, delta: [images][classes]; labels, losses: [images].
__global__ void __launch_bounds__(THREADS)
    loss(int images, int classes, const float *x, const int32_t *labels, float *losses,
         float *delta) {
    // SOLUTION BEGIN
    int64_t n = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (n >= images) return; // the whole warp
    const float *row = x + n * classes;
    int label = labels[n];
    float most = -INFINITY, sum = 0.0f;
    for (int k = lane; k < classes; k += 32) most = fmaxf(most, row[k]);
    most = warp_max(most);
    for (int k = lane; k < classes; k += 32) sum += __expf(row[k] - most);
    sum = warp_sum(sum);
    for (int k = lane; k < classes; k += 32) {
        float p = __expf(row[k] - most) / sum;
        delta[n * classes + k] = (p - (k == label ? 1.0f : 0.0f)) / (float)images;
    }
    if (lane == 0) losses[n] = logf(sum) - (row[label] - most);
    // SOLUTION TODO: as in lab 06: largest logit, sum of exp(x - largest). The loss is log(sum) -
    // SOLUTION TODO: (x[label] - largest): no logarithm of a p that may have become 0. delta is the
    // SOLUTION TODO: derivative of the MEAN of the batch's losses.
}

extern "C" int cnn_step3(const cnn_task *task) {
    if (!IMPLEMENTED) return CNN_NOT_IMPLEMENTED;
    if (cnn_refuses(task) || task->op != CNN_LOSS) return cudaErrorInvalidValue;
    int images = (int)task->shape.images;
    if (images == 0) return cudaSuccess;
    loss<<<(images + WARPS - 1) / WARPS, THREADS>>>(images, (int)task->shape.channels, task->d_x,
                                                    task->d_labels, task->d_losses,
                                                    task->d_delta_out);
    return cudaGetLastError();
}
