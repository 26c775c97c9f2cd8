// SPDX-License-Identifier: MIT
// A problem of your own (labs/13_tensor_gemm/README.md): the sums of the rows of a matrix of
// halves, by products with a matrix of ones. A whole program: compile it with
//   nvcc -cudart shared -lineinfo -arch=sm_80 own.cu -o own
// counts: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum smsp__inst_executed.sum
#include "../../labs/own.cuh"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

enum { ROWS = 4096, COLUMNS = 512, PART = 16, WARPS = 4 };

// x: [ROWS][COLUMNS]; sums: [ROWS]. A warp adds up PART rows: each column of its product with ones
// holds their sums.
__global__ void sum_rows(const __half *x, float *sums) {
    __shared__ float tile[WARPS][PART * PART];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = (blockIdx.x * WARPS + warp) * PART;
    wmma::fragment<wmma::accumulator, PART, PART, PART, float> sum;
    wmma::fragment<wmma::matrix_b, PART, PART, PART, __half, wmma::col_major> ones;
    wmma::fill_fragment(sum, 0.0f);
    wmma::fill_fragment(ones, __float2half(1.0f));
    for (int p = 0; p < COLUMNS; p += PART) {
        wmma::fragment<wmma::matrix_a, PART, PART, PART, __half, wmma::row_major> part;
        wmma::load_matrix_sync(part, x + row * COLUMNS + p, COLUMNS);
        wmma::mma_sync(sum, part, ones, sum);
    }
    wmma::store_matrix_sync(tile[warp], sum, PART, wmma::mem_row_major);
    __syncwarp();
    if (lane < PART) sums[row + lane] = tile[warp][lane * PART];
}

int main(void) {
    static __half h_x[ROWS * COLUMNS];
    static float h_sums[ROWS];
    __half *d_x = NULL;
    float *d_sums = NULL;
    unsigned random = 1;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        random = random * 1664525u + 1013904223u;
        h_x[i] = __float2half((float)(random >> 16) / 65536.0f - 0.5f);
    }
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_sums, sizeof h_sums), "allocating the sums");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying x");
    sum_rows<<<ROWS / PART / WARPS, WARPS * 32>>>(d_x, d_sums);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost), "copying back");
    must(cudaFree(d_x), "freeing x");
    must(cudaFree(d_sums), "freeing the sums");
    double worst = 0;
    for (int i = 0; i < ROWS; i++) {
        double want = 0;
        for (int p = 0; p < COLUMNS; p++) want += __half2float(h_x[i * COLUMNS + p]);
        worst = fmax(worst, fabs(want - h_sums[i]));
    }
    printf("%d sums, largest error %.1e\n", ROWS, worst);
    return worst < 1e-3 ? 0 : 1;
}
