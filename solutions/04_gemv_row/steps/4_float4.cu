// SPDX-License-Identifier: MIT
// Lab 04, step 4: the block of step 3 with float4: a thread loads 16 bytes of A per instruction,
// and four elements of x from shared memory. 256 columns are four loads.
//
// What it fixes: a quarter of the load instructions, four times the bytes in flight.
// Why it is slow: a float4 must lie on a multiple of 16 bytes. When n is not a multiple of 4, three
// rows of four do not begin on one, and every element is loaded alone.
#include "gemv_row.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TILE    16
#define COLUMNS (TILE * TILE) // of x that are staged at a time: one per thread
#define WIDTH   4             // floats per load

// The block's partial sums, one per thread, to y[first .. first+15] below m. All threads must call.
__device__ __forceinline__ void reduce_rows(float sum, float *y, int64_t first, int64_t m) {
    // SOLUTION BEGIN
    __shared__ float partial[TILE][TILE + 1];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    partial[ty][tx] = sum;
    for (int stride = TILE / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tx < stride) {
            partial[ty][tx] += partial[ty][tx + stride];
        }
    }
    __syncthreads();
    if (ty == 0 && first + tx < m) {
        y[first + tx] = partial[tx][0];
    }
    // SOLUTION TODO: as in step 3: each row of the block, then the 16 results
}

// Up to four elements from p on; those behind the first `left` are 0. aligned: p is a multiple of
// 16 bytes and left one of 4.
template <bool aligned> __device__ __forceinline__ float4 load4(const float *p, int64_t left) {
    // SOLUTION BEGIN
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (aligned) {
        if (left > 0) {
            v = *(const float4 *)p;
        }
    } else {
        v.x = left > 0 ? p[0] : 0.0f;
        v.y = left > 1 ? p[1] : 0.0f;
        v.z = left > 2 ? p[2] : 0.0f;
        v.w = left > 3 ? p[3] : 0.0f;
    }
    return v;
    // SOLUTION TODO: one float4 load, or four loads with a guard each. Zeros if left <= 0.
    // SOLUTION STUB: return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__device__ __forceinline__ float dot4(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}

// a: [m][n] row-major; x: [n]; y: [m]. Block b has rows 16 b .. 16 b + 15.
template <bool aligned>
__global__ void __launch_bounds__(COLUMNS)
    block16_float4(const float *a, const float *x, float *y, int64_t m, int64_t n) {
    __shared__ float4 xs[COLUMNS / WIDTH];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int64_t first = (int64_t)blockIdx.x * TILE;
    int64_t row = first + ty;
    float sum = 0.0f;

    for (int64_t c = 0; c < n; c += COLUMNS) {
        int mine = TILE * ty + tx;
        __syncthreads();
        ((float *)xs)[mine] = c + mine < n ? x[c + mine] : 0.0f;
        __syncthreads();
        // SOLUTION BEGIN
        if (row < m) {
            const float *from = a + row * n + c;
#pragma unroll
            for (int k = tx; k < COLUMNS / WIDTH; k += TILE) {
                sum += dot4(load4<aligned>(from + WIDTH * k, n - c - WIDTH * k), xs[k]);
            }
        }
        // SOLUTION TODO: thread (ty, tx) has the vectors tx, tx + 16, tx + 32 and tx + 48 of its
        // SOLUTION TODO: row's 64: load4 them, and add dot4 with the vector of xs to its sum.
    }
    reduce_rows(sum, y, first, m);
}

extern "C" int gemv_row_step4(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace;
    if (!IMPLEMENTED) return GEMV_ROW_NOT_IMPLEMENTED;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    unsigned blocks = (unsigned)((matrix->m + TILE - 1) / TILE);
    dim3 threads(TILE, TILE);
    bool aligned = matrix->n % WIDTH == 0 && (uintptr_t)matrix->a % sizeof(float4) == 0;
    if (aligned) {
        block16_float4<true><<<blocks, threads>>>(matrix->a, d_x, d_y, matrix->m, matrix->n);
    } else {
        block16_float4<false><<<blocks, threads>>>(matrix->a, d_x, d_y, matrix->m, matrix->n);
    }
    return cudaGetLastError();
}
