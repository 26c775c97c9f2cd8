// SPDX-License-Identifier: MIT
// Lab 10, step 6: the layer from CSR for a batch (sparse times dense). A warp takes one row and 128
// images: each lane has four neighbouring ones.
//
// What it fixes: an entry is loaded once for 128 images, and x[col] of these is one row piece of
// 512 bytes, loaded by float4.
// What bounds it: each x that is loaded serves a single multiply-add. The L1 cache gives 128 bytes
// per cycle and SM, 32 multiply-adds of 128 that the SM could do.
#include "pruning.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256
#define WARPS   (THREADS / 32)
#define FULL    0xffffffffu

// V neighbouring floats at `from`, which is aligned for a load of V.
template <int V> __device__ __forceinline__ void load(const float *from, float out[V]) {
    if (V == 4) {
        float4 four = *(const float4 *)from;
        out[0] = four.x, out[1 % V] = four.y, out[2 % V] = four.z, out[3 % V] = four.w;
    } else if (V == 2) {
        float2 two = *(const float2 *)from;
        out[0] = two.x, out[1 % V] = two.y;
    } else {
        out[0] = *from;
    }
}

// V: images per lane; `images` is a multiple of it. x: [cols][images], y: [rows][images].
template <int V>
__global__ void __launch_bounds__(THREADS)
    batch(int64_t images, int64_t rows, int relu, const int32_t *ptr, const int32_t *col,
          const float *val, const float *b, const float *x, float *y) {
    // SOLUTION BEGIN
    int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int64_t n = ((int64_t)blockIdx.y * 32 + lane) * V;
    if (row >= rows) return; // the whole warp
    const float *own = x + (n < images ? n : 0);
    float sum[V] = {};
    int end = ptr[row + 1];
    for (int first = ptr[row]; first < end; first += 32) {
        int k = first + lane, count = min(end - first, 32);
        int own_col = k < end ? col[k] : 0;
        float own_val = k < end ? val[k] : 0.0f;
#pragma unroll 4
        for (int e = 0; e < count; e++) {
            float weight = __shfl_sync(FULL, own_val, e), in[V];
            load<V>(own + __shfl_sync(FULL, own_col, e) * images, in);
#pragma unroll
            for (int i = 0; i < V; i++) sum[i] += weight * in[i];
        }
    }
    if (n >= images) return;
#pragma unroll
    for (int i = 0; i < V; i++) {
        float out = sum[i] + b[row];
        y[row * images + n + i] = relu ? fmaxf(out, 0.0f) : out;
    }
    // SOLUTION TODO: a warp per row and 32 V images, lane l has the images n .. n + V - 1. The warp
    // SOLUTION TODO: loads 32 entries at a time, one per lane; __shfl_sync hands each to all lanes,
    // SOLUTION TODO: which load<V> their images' elements x[col][n ..] and add. All lanes take part
    // SOLUTION TODO: in the shuffles; those after the last image do not write.
}

template <int V> static void launch(const pruning_task *t) {
    const pruning_shape *s = &t->shape;
    dim3 blocks((unsigned)((s->rows + WARPS - 1) / WARPS),
                (unsigned)((s->images + 32 * V - 1) / (32 * V)));
    batch<V><<<blocks, THREADS>>>(s->images, s->rows, t->relu, t->d_ptr, t->d_col, t->d_val, t->d_b,
                                  t->d_x, t->d_y);
}

extern "C" int pruning_step6(const pruning_task *task) {
    if (!IMPLEMENTED) return PRUNING_NOT_IMPLEMENTED;
    if (pruning_refuses(task) || task->op != PRUNING_LAYER) return cudaErrorInvalidValue;
    int64_t images = task->shape.images;
    if (images == 0) return cudaSuccess;
    if (images > 64 && images % 4 == 0)
        launch<4>(task);
    else if (images > 32 && images % 2 == 0)
        launch<2>(task);
    else
        launch<1>(task);
    return cudaGetLastError();
}
