// SPDX-License-Identifier: MIT
// Given to the steps of lab 14: what a task says to a kernel, exponentials, the instructions of
// the tensor cores as functions, and launches.
#pragma once

#include "attention.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#define WARP 32
#define EACH 8 // halves in 16 bytes: what one lane loads or copies at once

// What a kernel needs to know of a task. Its pointers are those of the head that a block has.
struct rows_of_head {
    const __half *q, *k, *v;
    __half *o;
    int queries, keys;
    bool causal;
};

template <int width>
__device__ __forceinline__ rows_of_head select_head(const attention_task &task, int64_t head) {
    int64_t q = head * task.queries * width, k = head * task.keys * width;
    return {(const __half *)task.d_q + q,
            (const __half *)task.d_k + k,
            (const __half *)task.d_v + k,
            (__half *)task.d_o + q,
            (int)task.queries,
            (int)task.keys,
            task.causal != 0};
}

// The number of keys that a query sees: the first ones. Below 1: none.
__device__ __forceinline__ int keys_seen(const rows_of_head &h, int query) {
    return h.causal ? min(query + h.keys - h.queries + 1, h.keys) : h.keys;
}

// 1 / sqrt(width), by which scores are multiplied.
template <int width> __device__ __forceinline__ float score_scale() {
    return width == 64 ? 0.125f : 0.08838834764831845f;
}

// The largest value and the sum of those of all lanes, or of those of neighbours `lanes` (a power
// of 2) at a time. All lanes of the warp call it.
template <int lanes = WARP> __device__ __forceinline__ float largest_of_lanes(float x) {
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
    return x;
}

template <int lanes = WARP> __device__ __forceinline__ float sum_of_lanes(float x) {
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
    return x;
}

// EACH halves at a multiple of 16 bytes, as floats.
__device__ __forceinline__ void load_halves(const __half *from, float to[EACH]) {
    uint4 got = *(const uint4 *)from;
    const __half2 *pairs = (const __half2 *)&got;
#pragma unroll
    for (int e = 0; e < EACH / 2; e++) {
        float2 pair = __half22float2(pairs[e]);
        to[2 * e] = pair.x;
        to[2 * e + 1] = pair.y;
    }
}

// Two floats as halves; the first one in the lower 16 bits.
__device__ __forceinline__ unsigned pack_halves(float first, float second) {
    __half2 pair = __floats2half2_rn(first, second);
    return *(unsigned *)&pair;
}

// ldmatrix: four matrices of 8 x 8 halves from shared memory. Lane l names row l % 8 of matrix
// l / 8, 16 bytes at a multiple of 16. got[i] of lane l: elements 2 (l % 4) and 2 (l % 4) + 1 of
// row l / 4 of matrix i. All lanes of the warp call it.
__device__ __forceinline__ void load_matrices(unsigned got[4], const void *row) {
    unsigned address = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got[0]), "=r"(got[1]), "=r"(got[2]), "=r"(got[3])
                 : "r"(address)
                 : "memory");
}

// Likewise, each matrix transposed: got[i] of lane l: elements l / 4 of rows 2 (l % 4) and
// 2 (l % 4) + 1 of matrix i.
__device__ __forceinline__ void load_transposed(unsigned got[4], const void *row) {
    unsigned address = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got[0]), "=r"(got[1]), "=r"(got[2]), "=r"(got[3])
                 : "r"(address)
                 : "memory");
}

// mma.sync: sum (16 x 8) += a (16 x 16) b (16 x 8), by all lanes of the warp. With g = lane / 4 and
// t = 2 (lane % 4), element e of a pair:
//   a[0] (g, t + e)   a[1] (g + 8, t + e)   a[2] (g, t + 8 + e)   a[3] (g + 8, t + 8 + e)
//   b[0] (t + e, g)   b[1] (t + 8 + e, g)
//   sum[e] (g, t + e)   sum[2 + e] (g + 8, t + e)
__device__ __forceinline__ void multiply(float sum[4], const unsigned a[4], unsigned b0,
                                         unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Fragments of 16 queries, `query` on: 16 columns each; 0 where there is no query.
template <int width>
__device__ __forceinline__ void load_queries(unsigned q[width / 16][4], const rows_of_head &h,
                                             int query) {
    int lane = threadIdx.x % WARP, row = query + lane / 4;
#pragma unroll
    for (int p = 0; p < width / 16; p++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int mine = row + i % 2 * 8, column = p * 16 + i / 2 * 8 + lane % 4 * 2;
            q[p][i] =
                mine < h.queries ? *(const unsigned *)(h.q + (int64_t)mine * width + column) : 0;
        }
}

static inline unsigned divide_up(int64_t n, int unit) {
    return (unsigned)((n + unit - 1) / unit);
}

// Whether a task is one for kernels, with a query and a key at least; else *out_code is the step's:
// of a mistake, or of a task that is done now, for without keys O is 0.
static inline bool is_task(const attention_task *task, int *out_code) {
    bool valid = task->heads >= 0 && task->heads <= ATTENTION_MOST && task->queries >= 0 &&
                 task->queries <= ATTENTION_MOST && task->keys >= 0 &&
                 task->keys <= ATTENTION_MOST && (task->width == 64 || task->width == 128) &&
                 (task->causal == 0 || task->causal == 1);
    *out_code = valid ? cudaSuccess : cudaErrorInvalidValue;
    if (!valid || task->heads == 0 || task->queries == 0) return false;
    if (task->keys == 0)
        *out_code = cudaMemsetAsync(
            task->d_o, 0, (size_t)(task->heads * task->queries * task->width) * sizeof(__half), 0);
    return task->keys > 0;
}

// Block (x, y) of such a kernel has `warps` warps, with `rows` queries of head y each.
typedef void attention_kernel(const attention_task task);

// Launches the kernel of the task's width. bytes: of dynamic shared memory for each column.
static inline int launch_attention(attention_kernel *of_64, attention_kernel *of_128, int warps,
                                   int rows, int bytes, const attention_task *task) {
    int code;
    if (!is_task(task, &code)) return code;
    attention_kernel *kernel = task->width == 64 ? of_64 : of_128;
    dim3 blocks(divide_up(task->queries, warps * rows), (unsigned)task->heads);
    bytes *= (int)task->width;
    if (bytes > 0)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (code != cudaSuccess) return code;
    kernel<<<blocks, warps * WARP, bytes>>>(*task);
    return cudaGetLastError();
}
