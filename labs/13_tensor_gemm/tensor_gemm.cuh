// SPDX-License-Identifier: MIT
// Given to the steps of lab 13: the two types of elements, the instructions of the tensor cores as
// functions, and how a step is launched for either type.
#pragma once

#include "tensor_gemm.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define WARP 32
#define TILE 128 // rows and columns of D that a block computes, but for step 1
#define EACH 8   // elements in 16 bytes: what one lane loads or copies at once

__device__ __forceinline__ float to_float(__half x) {
    return __half2float(x);
}

__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
    return __bfloat162float(x);
}

// Two floats, rounded to nearest, as neighbours in memory: x comes first.
template <typename element> __device__ __forceinline__ unsigned pair_of(float x, float y);

template <> __device__ __forceinline__ unsigned pair_of<__half>(float x, float y) {
    __half2 pair = __floats2half2_rn(x, y);
    return *(unsigned *)&pair;
}

template <> __device__ __forceinline__ unsigned pair_of<__nv_bfloat16>(float x, float y) {
    __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    return *(unsigned *)&pair;
}

// ldmatrix: four matrices of 8 x 8 elements from shared memory. Lane l names row l % 8 of matrix
// l / 8, 16 bytes at a multiple of 16. got[i] of lane l: elements 2 (l % 4) and 2 (l % 4) + 1 of
// row l / 4 of matrix i. All lanes of the warp call it.
__device__ __forceinline__ void load_matrices(unsigned got[4], const void *row) {
    unsigned address = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got[0]), "=r"(got[1]), "=r"(got[2]), "=r"(got[3])
                 : "r"(address)
                 : "memory");
}

// Likewise; row: an address in shared memory, as __cvta_generic_to_shared gives it, and an offset
// of so many bytes, which costs no instruction.
template <int offset>
__device__ __forceinline__ void load_matrices_at(unsigned got[4], unsigned row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4 + %5];"
                 : "=r"(got[0]), "=r"(got[1]), "=r"(got[2]), "=r"(got[3])
                 : "r"(row), "n"(offset)
                 : "memory");
}

// mma.sync: sum (16 x 8) += a (16 x 16) b (16 x 8), by all lanes of the warp. With g = lane / 4 and
// t = 2 (lane % 4), element e of a pair:
//   a[0] (g, t + e)   a[1] (g + 8, t + e)   a[2] (g, t + 8 + e)   a[3] (g + 8, t + 8 + e)
//   b[0] (t + e, g)   b[1] (t + 8 + e, g)
//   sum[e] (g, t + e)   sum[2 + e] (g + 8, t + e)
template <typename element>
__device__ __forceinline__ void multiply(float sum[4], const unsigned a[4], const unsigned b[2]);

template <>
__device__ __forceinline__ void multiply<__half>(float sum[4], const unsigned a[4],
                                                 const unsigned b[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <>
__device__ __forceinline__ void multiply<__nv_bfloat16>(float sum[4], const unsigned a[4],
                                                        const unsigned b[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Stores what a warp has of 16 x 8 elements of D: a pair of row g and one of row g + 8. d: its
// first element, of rows of n.
__device__ __forceinline__ void store_sums(float *d, int64_t n, const float sum[4]) {
    unsigned lane = threadIdx.x % WARP;
    float *at = d + lane / 4 * n + 2 * (lane % 4);
    *(float2 *)at = make_float2(sum[0], sum[1]);
    *(float2 *)(at + 8 * n) = make_float2(sum[2], sum[3]);
}

// Whether a task is one; then *out_code is that of a step with nothing to do, or of a mistake.
static inline bool is_task(const tensor_gemm_task *g, int *out_code) {
    bool valid = g->m >= 0 && g->n >= 0 && g->k >= 0 && g->m % TENSOR_GEMM_SIDE == 0 &&
                 g->n % TENSOR_GEMM_SIDE == 0 && g->k % TENSOR_GEMM_DEPTH == 0 &&
                 (g->type == TENSOR_GEMM_HALF || g->type == TENSOR_GEMM_BFLOAT16) &&
                 !g->a_by_columns && !g->b_by_rows && !g->narrow;
    *out_code = valid ? cudaSuccess : cudaErrorInvalidValue;
    return valid && g->m > 0 && g->n > 0; // a launch of no blocks would be an error
}

// A kernel of steps 0 to 6. a: [m][k]; b: [n][k]; d: [m][n].
template <typename element>
using product_kernel = void(int64_t n, int64_t k, const element *a, const element *b, float *d);

template <typename element>
static int launch_elements(product_kernel<element> *kernel, dim3 blocks, int threads, int bytes,
                           const tensor_gemm_task *g) {
    int code = cudaSuccess;
    if (bytes > 0)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (code != cudaSuccess) return code;
    kernel<<<blocks, threads, bytes>>>(g->n, g->k, (const element *)g->d_a, (const element *)g->d_b,
                                       g->d_d);
    return cudaGetLastError();
}

// Launches the kernel for the type of the task: a block for rows x columns of D, with `bytes` of
// dynamic shared memory.
static inline int launch_product(product_kernel<__half> *of_half,
                                 product_kernel<__nv_bfloat16> *of_bfloat, int rows, int columns,
                                 int threads, int bytes, const tensor_gemm_task *g) {
    int code;
    if (!is_task(g, &code)) return code;
    dim3 blocks((unsigned)(g->n / columns), (unsigned)(g->m / rows));
    if (g->type == TENSOR_GEMM_HALF) return launch_elements(of_half, blocks, threads, bytes, g);
    return launch_elements(of_bfloat, blocks, threads, bytes, g);
}
