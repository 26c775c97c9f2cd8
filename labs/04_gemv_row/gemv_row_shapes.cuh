// SPDX-License-Identifier: MIT
// Given to lab 04's last step: sizes, loads of x, sums over groups of threads, the kernel with a
// group per row, and the launches. The products of a lane, split rows and the choice of threads and
// pieces are the step's; those that are called here are declared.
#pragma once

#include "gemv_row.h"

#include <cuda_runtime.h>

#define WARP          32
#define ALL_LANES     0xffffffffu
#define BLOCK         128   // threads of a block that has several rows, or one of up to 128 lanes
#define MOST_LANES    1024  // threads of a block
#define SPLIT_LANES   512   // threads per piece of a split row
#define PIECE_LEAST   8192  // columns: below that, a piece is not worth its block
#define BLOCKS_PER_SM 2     // of SPLIT_LANES, with split rows
#define SLOTS_PER_SM  4     // blocks of 512 threads that an SM can hold
#define UNEVEN_PIECE  16384 // columns of a piece, where whole rows do not divide evenly
#define UNEVEN_PIECES 5

// Layout of the workspace: a ticket counter per row, then partial sums, one per piece.
#define TICKETS     4096
#define MOST_PIECES 8192 // of all rows

// The step's:
template <int lanes, bool aligned>
__device__ __forceinline__ float dot(const float *row, const float *x, unsigned n, unsigned lane);
template <bool aligned>
__global__ void split(const float *a, const float *x, float *y, unsigned n, unsigned piece,
                      unsigned *tickets, float *partial);
static int choose_lanes(int64_t m, int64_t n, bool aligned, int sms);

// Elements 4 k .. 4 k + 3 of x, which is aligned with A's rows, or not.
template <bool aligned> __device__ __forceinline__ float4 load_x(const float *x, unsigned k) {
    if (aligned) return __ldg((const float4 *)x + k);
    x += 4 * k;
    return make_float4(__ldg(x), __ldg(x + 1), __ldg(x + 2), __ldg(x + 3));
}

// The values of groups of `lanes` neighbouring threads added up, each group's in its first thread.
// All threads of the block must call it.
template <int lanes> __device__ __forceinline__ float reduce(float value) {
#pragma unroll
    for (int distance = (lanes < WARP ? lanes : WARP) / 2; distance >= 1; distance /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    }
    if (lanes > WARP) { // then the group is the block
        __shared__ float partial[lanes > WARP ? lanes / WARP : 1];
        if (threadIdx.x % WARP == 0) {
            partial[threadIdx.x / WARP] = value;
        }
        __syncthreads();
        value = 0.0f;
        for (int w = 0; w < lanes / WARP; w++) {
            value += partial[w];
        }
    }
    return value;
}

// a: [m][n] row-major; x: [n]; y: [m]. Each group of `lanes` threads has a row. blocks: for how
// many per SM the compiler must leave registers (0: it is free to choose). With fewer blocks each
// thread can have more registers; which number is best was measured.
template <int lanes, bool aligned, int blocks>
__global__ void __launch_bounds__(lanes > BLOCK ? lanes : BLOCK, blocks)
    by_rows(const float *a, const float *x, float *y, unsigned m, unsigned n) {
    const unsigned rows = lanes > BLOCK ? 1 : BLOCK / lanes; // per block
    unsigned row = blockIdx.x * rows + threadIdx.x / lanes;
    unsigned lane = threadIdx.x % lanes;
    float sum = 0.0f;
    if (row < m) {
        sum = dot<lanes, aligned>(a + (size_t)row * n, x, n, lane);
    }
    sum = reduce<lanes>(sum);
    if (row < m && lane == 0) {
        y[row] = sum;
    }
}

template <int lanes, int per_sm>
static void launch(const gemv_row_matrix *matrix, const float *d_x, float *d_y, bool aligned) {
    unsigned threads = lanes > BLOCK ? lanes : BLOCK;
    unsigned rows = threads / lanes;
    unsigned m = (unsigned)matrix->m, n = (unsigned)matrix->n;
    unsigned blocks = (m + rows - 1) / rows;
    if (aligned) {
        by_rows<lanes, true, per_sm><<<blocks, threads>>>(matrix->a, d_x, d_y, m, n);
    } else {
        by_rows<lanes, false, per_sm><<<blocks, threads>>>(matrix->a, d_x, d_y, m, n);
    }
}

static bool is_tall(int64_t m, int64_t n) {
    return m >= 2 * n;
}

static void launch_by_rows(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                           bool aligned, int sms) {
    bool tall = is_tall(matrix->m, matrix->n);
    switch (choose_lanes(matrix->m, matrix->n, aligned, sms)) {
    case 1: launch<1, 0>(matrix, d_x, d_y, aligned); break;
    case 4: launch<4, 0>(matrix, d_x, d_y, aligned); break;
    case 8: launch<8, 0>(matrix, d_x, d_y, aligned); break;
    case 16: launch<16, 0>(matrix, d_x, d_y, aligned); break;
    case 128:
        if (tall) {
            launch<128, 0>(matrix, d_x, d_y, aligned);
        } else {
            launch<128, 8>(matrix, d_x, d_y, aligned);
        }
        break;
    case 256:
        if (tall) {
            launch<256, 0>(matrix, d_x, d_y, aligned);
        } else {
            launch<256, 4>(matrix, d_x, d_y, aligned);
        }
        break;
    case 512: launch<512, 4>(matrix, d_x, d_y, aligned); break;
    case MOST_LANES: launch<MOST_LANES, 2>(matrix, d_x, d_y, aligned); break;
    default: launch<WARP, 0>(matrix, d_x, d_y, aligned); break;
    }
}

static void launch_split(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                         void *d_workspace, int64_t pieces, bool aligned) {
    unsigned n = (unsigned)matrix->n;
    unsigned piece = (unsigned)((n + pieces - 1) / pieces + 3) / 4 * 4;
    dim3 blocks((n + piece - 1) / piece, (unsigned)matrix->m);
    unsigned *d_tickets = (unsigned *)d_workspace;
    float *d_partial = (float *)(d_tickets + TICKETS);
    if (aligned) {
        split<true><<<blocks, SPLIT_LANES>>>(matrix->a, d_x, d_y, n, piece, d_tickets, d_partial);
    } else {
        split<false><<<blocks, SPLIT_LANES>>>(matrix->a, d_x, d_y, n, piece, d_tickets, d_partial);
    }
}
