// SPDX-License-Identifier: MIT
// Lab 07, step 7: rectangular tiles. C's tile is 64 x 64, twice as wide both ways, and 32 deep. B
// is transposed first, so that its tile is read along columns like A's; it is stored turned back,
// with rows padded by 2 words, so that two neighbouring p of a column come in one load of 8 bytes.
//
// What it fixes: global loads, by half (64 uses of an element); bank conflicts of B's tile.
// What it costs: the transposition, 8 bytes per element of B.
// Why it is slow: a thread still has elements of one row only: each element of B that it loads
// serves once.
#include "gemm_step.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TSM             64           // tile of C: rows,
#define TSN             64           // columns,
#define TSK             32           // and depth
#define WPTN            8            // columns of C a thread
#define RTSN            (TSN / WPTN) // columns of threads: a block has TSM x RTSN
#define PAD             2            // words: keeps loads of 8 bytes aligned
#define TRANSPOSED      32           // tile of the transposition
#define TRANSPOSED_ROWS 8

// a: [k][m], bt: [k][n] (B transposed), c: [n][m].
__global__ void __launch_bounds__(TSM *RTSN)
    rectangular(int64_t m, int64_t n, int64_t k, const float *a, const float *bt, float *c) {
    __shared__ float a_tile[TSK][TSM];                    // [p][row]
    __shared__ __align__(8) float b_tile[TSN][TSK + PAD]; // [column][p]
    int row = threadIdx.x;
    int column = threadIdx.y;
    int64_t i = (int64_t)blockIdx.x * TSM + row;
    int64_t j0 = (int64_t)blockIdx.y * TSN;
    float sum[WPTN];
#pragma unroll
    for (int w = 0; w < WPTN; w++) {
        sum[w] = 0.0f;
    }
    // SOLUTION BEGIN
    for (int64_t p0 = 0; p0 < k; p0 += TSK) {
#pragma unroll
        for (int q = column; q < TSK; q += RTSN) { // both tiles: column q, element `row` of it
            int64_t p = p0 + q;
            a_tile[q][row] = i < m && p < k ? a[p * m + i] : 0.0f;
            b_tile[row][q] = j0 + row < n && p < k ? bt[p * n + j0 + row] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < TSK; p += 2) {
            float first = a_tile[p][row];
            float second = a_tile[p + 1][row];
            float2 factors[WPTN];
#pragma unroll
            for (int w = 0; w < WPTN; w++) {
                factors[w] = *(const float2 *)&b_tile[column + w * RTSN][p];
            }
#pragma unroll
            for (int w = 0; w < WPTN; w++) {
                sum[w] += first * factors[w].x;
                sum[w] += second * factors[w].y;
            }
        }
        __syncthreads();
    }
    // SOLUTION TODO: 1. Load TSK / RTSN elements of both tiles a thread. Both matrices are read
    // SOLUTION TODO:    along columns now; B's element goes to b_tile[row][..], turned back.
    // SOLUTION TODO: 2. For each pair of p: two elements of A's tile and a float2 for each of the
    // SOLUTION TODO:    WPTN columns.
#pragma unroll
    for (int w = 0; w < WPTN; w++) {
        int64_t j = j0 + column + w * RTSN;
        if (i < m && j < n) {
            c[j * m + i] = sum[w];
        }
    }
}

extern "C" int gemm_step7(const gemm_task *task) {
    int code;
    if (!IMPLEMENTED) return GEMM_NOT_IMPLEMENTED;
    if (!gemm_has_work(task, &code)) return code;
    gemm_transpose_b<TRANSPOSED, TRANSPOSED_ROWS>(task);
    dim3 blocks = gemm_blocks(task, TSM, TSN);
    rectangular<<<blocks, dim3(TSM, RTSN)>>>(task->m, task->n, task->k, task->d_a,
                                             task->d_workspace, task->d_c);
    return cudaGetLastError();
}
