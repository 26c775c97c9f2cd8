// SPDX-License-Identifier: MIT
// Lab 13, step 1: the tensor cores, by the functions of mma.h. A warp computes 32 x 32 elements of
// D as 2 x 2 products of fragments, which it loads from global memory.
//
// What it fixes: one instruction of a warp does thousands of multiply-adds instead of 32.
// Why it is slow: each fragment is loaded from the cache, and used for two products only.
#include "tensor_gemm.cuh"

#include <mma.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

using namespace nvcuda;

#define PART    16         // rows, columns and depth of a fragment
#define SIDE    (2 * PART) // rows and columns of D that a warp computes
#define THREADS (4 * WARP) // 2 x 2 warps

// a: [m][k], b: [n][k], d: [m][n]. Warp (w / 2, w % 2) of block (x, y) has SIDE rows of D from
// 2 SIDE y + SIDE (w / 2) on, and SIDE columns from 2 SIDE x + SIDE (w % 2) on.
template <typename element>
__global__ void __launch_bounds__(THREADS)
    by_wmma(int64_t n, int64_t k, const element *a, const element *b, float *d) {
    unsigned warp = threadIdx.x / WARP;
    int64_t row = (blockIdx.y * 2 + warp / 2) * SIDE, column = (blockIdx.x * 2 + warp % 2) * SIDE;
    // TODO(student): wmma::fragment<wmma::accumulator, PART, PART, PART, float> holds the sums of
    // 16 x 16 elements of D; set it to 0 by wmma::fill_fragment. For each PART of k
    // load two fragments of A (wmma::matrix_a, wmma::row_major) and two of B
    // (wmma::matrix_b, wmma::col_major) by wmma::load_matrix_sync, and add their
    // four products by wmma::mma_sync. wmma::store_matrix_sync writes the sums.
}

extern "C" int tensor_gemm_step1(const tensor_gemm_task *g) {
    if (!IMPLEMENTED) return TENSOR_GEMM_NOT_IMPLEMENTED;
    return launch_product(by_wmma<__half>, by_wmma<__nv_bfloat16>, 2 * SIDE, 2 * SIDE, THREADS, 0,
                          g);
}
// ladder-skeleton ba3a49e49b6ec611 (as it was handed out; any change makes this file yours)
