// SPDX-License-Identifier: MIT
// Lab 04, a problem of your own, one solution: a matrix of 8-bit integers times a vector of floats.
// A row has a quarter of the bytes of x, so a block that has several rows keeps x in shared memory.
// All loads of a thread's weights are issued before the first is used.
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum time_us
#include "../../labs/own.cuh"

enum { ROWS = 4096, COLUMNS = 1000 };       // a row begins at a multiple of 8 bytes, not of 16
enum { WIDE = 8, PIECES = COLUMNS / WIDE }; // bytes per load; loads per row
enum { THREADS = 512, WARP_ROWS = 2 };      // rows of a warp, whose loads are in flight together
enum { LOADS = (PIECES + 31) / 32 };        // of a lane and a row
enum { BLOCK_ROWS = THREADS / 32 * WARP_ROWS };

// The products of four weights, the bytes of `four`, and four elements of x.
__device__ float dot4(uint32_t four, float4 x) {
    return (float)(int8_t)four * x.x + (float)(int8_t)(four >> 8) * x.y +
           (float)(int8_t)(four >> 16) * x.z + (float)(int8_t)(four >> 24) * x.w;
}

// weights: [ROWS][COLUMNS], scale: [ROWS], x: [COLUMNS], y: [ROWS]
__global__ void __launch_bounds__(THREADS)
    multiply(const int8_t *weights, const float *scale, const float *x, float *y) {
    __shared__ float4 x4[2][PIECES]; // first and second quads of the pieces: no bank conflicts
    int lane = threadIdx.x % 32;
    int first = blockIdx.x * BLOCK_ROWS + threadIdx.x / 32 * WARP_ROWS;
    const uint2 *row = (const uint2 *)(weights + (size_t)first * COLUMNS);
    uint2 w[LOADS][WARP_ROWS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        int piece = lane + 32 * k;
        for (int r = 0; r < WARP_ROWS; r++)
            w[k][r] = piece < PIECES ? row[r * PIECES + piece] : uint2{0, 0};
    }
    for (int q = threadIdx.x; q < COLUMNS / 4; q += THREADS)
        x4[q % 2][q / 2] = ((const float4 *)x)[q];
    __syncthreads();
    float sum[WARP_ROWS] = {};
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        int piece = min(lane + 32 * k, PIECES - 1); // weights of 0 beyond the end
        float4 low = x4[0][piece], high = x4[1][piece];
        for (int r = 0; r < WARP_ROWS; r++) sum[r] += dot4(w[k][r].x, low) + dot4(w[k][r].y, high);
    }
    for (int r = 0; r < WARP_ROWS; r++) {
        for (int distance = 16; distance >= 1; distance /= 2)
            sum[r] += __shfl_xor_sync(0xffffffff, sum[r], distance);
        if (lane == r) y[first + r] = scale[first + r] * sum[r];
    }
}

static int8_t h_weights[ROWS * COLUMNS];
static float h_scale[ROWS], h_x[COLUMNS], h_y[ROWS];

// Rows that differ from a plain loop. x has integers and the scales are powers of two: all sums
// are exact.
static int count_wrong(void) {
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        float sum = 0.0f;
        for (int j = 0; j < COLUMNS; j++) sum += (float)h_weights[i * COLUMNS + j] * h_x[j];
        wrong += !(h_y[i] == h_scale[i] * sum);
    }
    return wrong;
}

int main(void) {
    srand(4);
    for (int8_t &w : h_weights) w = (int8_t)(rand() % 255 - 127);
    for (float &s : h_scale) s = 1.0f / (float)(1 << rand() % 8);
    for (float &v : h_x) v = (float)(rand() % 129 - 64);
    int8_t *d_weights = NULL;
    float *d_scale = NULL, *d_x = NULL, *d_y = NULL;
    must(cudaMalloc(&d_weights, sizeof h_weights), "allocating the weights");
    must(cudaMalloc(&d_scale, sizeof h_scale), "allocating the scales");
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_y, sizeof h_y), "allocating y");
    must(cudaMemcpy(d_weights, h_weights, sizeof h_weights, cudaMemcpyHostToDevice), "copying");
    must(cudaMemcpy(d_scale, h_scale, sizeof h_scale, cudaMemcpyHostToDevice), "copying");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying");
    multiply<<<ROWS / BLOCK_ROWS, THREADS>>>(d_weights, d_scale, d_x, d_y);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_y, d_y, sizeof h_y, cudaMemcpyDeviceToHost), "copying y");
    int wrong = count_wrong();
    printf("%d of %d rows wrong\n", wrong, ROWS);
    must(cudaFree(d_weights), "freeing");
    must(cudaFree(d_scale), "freeing");
    must(cudaFree(d_x), "freeing");
    must(cudaFree(d_y), "freeing");
    return wrong != 0;
}
