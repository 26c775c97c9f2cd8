// SPDX-License-Identifier: MIT
// Lab 05, a problem of your own, one solution: the sums of all rows and of all columns of a
// column-major matrix, from one read of it. A block adds up a tile in both directions and leaves
// partial sums; a second launch adds these in a fixed order, so that the same input gives the same
// bits.
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum time_us
#include "../../labs/own.cuh"

enum { M = 2000, N = 3000 }; // rows, columns; columns begin at multiples of 32 bytes
enum { WARPS = 8, THREADS = 32 * WARPS };
enum { TILE_ROWS = 128, TILE_COLUMNS = 128 }; // a lane has four rows, a warp 16 columns
enum { DOWN = (M + TILE_ROWS - 1) / TILE_ROWS, ACROSS = (N + TILE_COLUMNS - 1) / TILE_COLUMNS };
enum { MINE = TILE_COLUMNS / WARPS };

// a: [N][M]; of_rows: [ACROSS][M], of_columns: [DOWN][N]
__global__ void __launch_bounds__(THREADS)
    add_tiles(const float *a, float *of_rows, float *of_columns) {
    __shared__ float4 lanes[WARPS][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int i = blockIdx.y * TILE_ROWS + 4 * lane, j0 = blockIdx.x * TILE_COLUMNS + warp * MINE;
    float4 v[MINE];
#pragma unroll
    for (int c = 0; c < MINE; c++) // all loads first: 256 bytes in flight per thread
        v[c] = i < M && j0 + c < N ? *(const float4 *)&a[(size_t)(j0 + c) * M + i] : float4{};
    float4 row = {};
#pragma unroll
    for (int c = 0; c < MINE; c++) {
        row.x += v[c].x;
        row.y += v[c].y;
        row.z += v[c].z;
        row.w += v[c].w;
        float sum = v[c].x + v[c].y + (v[c].z + v[c].w);
        for (int distance = 16; distance >= 1; distance /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, distance);
        if (lane == 0 && j0 + c < N) of_columns[(size_t)blockIdx.y * N + j0 + c] = sum;
    }
    lanes[warp][lane] = row;
    __syncthreads();
    if (threadIdx.x < TILE_ROWS && blockIdx.y * TILE_ROWS + threadIdx.x < M) {
        float sum = 0.0f;
        for (int w = 0; w < WARPS; w++) sum += ((const float *)lanes[w])[threadIdx.x];
        of_rows[(size_t)blockIdx.x * M + blockIdx.y * TILE_ROWS + threadIdx.x] = sum;
    }
}

// rows: [M], columns: [N]. Threads 0 .. M - 1 have a row each, the others a column.
__global__ void __launch_bounds__(THREADS)
    add_partial(const float *of_rows, const float *of_columns, float *rows, float *columns) {
    int t = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0.0f;
    if (t < M) {
        for (int k = 0; k < ACROSS; k++) sum += of_rows[(size_t)k * M + t];
        rows[t] = sum;
    } else if (t < M + N) {
        for (int k = 0; k < DOWN; k++) sum += of_columns[(size_t)k * N + t - M];
        columns[t - M] = sum;
    }
}

static float h_a[(size_t)N * M], h_sums[2][M + N]; // of two calls: rows, then columns
static double exact[M + N];

// Sums that are further from the exact one than rounding allows: with at most N additions of
// numbers below 1, each rounded by 2^-24 of a sum below N.
static int count_wrong(void) {
    int wrong = 0;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < M; i++) {
            exact[i] += h_a[(size_t)j * M + i];
            exact[M + j] += h_a[(size_t)j * M + i];
        }
    }
    for (int t = 0; t < M + N; t++)
        wrong += !(fabs(h_sums[0][t] - exact[t]) <= ldexp((double)N, -24) * exact[t]);
    return wrong;
}

int main(void) {
    srand(5);
    for (float &x : h_a) x = (float)rand() / (float)RAND_MAX;
    float *d_a = NULL, *d_partial = NULL, *d_sums = NULL;
    size_t partial_bytes = sizeof(float) * (ACROSS * M + DOWN * N);
    must(cudaMalloc(&d_a, sizeof h_a), "allocating the matrix");
    must(cudaMalloc(&d_partial, partial_bytes), "allocating the partial sums");
    must(cudaMalloc(&d_sums, sizeof h_sums[0]), "allocating the sums");
    must(cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice), "copying the matrix");
    float *d_of_columns = d_partial + ACROSS * M;
    for (int call = 0; call < 2; call++) {
        add_tiles<<<dim3(ACROSS, DOWN), THREADS>>>(d_a, d_partial, d_of_columns);
        must(cudaGetLastError(), "launching the first stage");
        add_partial<<<(M + N + THREADS - 1) / THREADS, THREADS>>>(d_partial, d_of_columns, d_sums,
                                                                  d_sums + M);
        must(cudaGetLastError(), "launching the second stage");
        must(cudaMemcpy(h_sums[call], d_sums, sizeof h_sums[call], cudaMemcpyDeviceToHost),
             "copying the sums");
    }
    int wrong = count_wrong();
    bool same = memcmp(h_sums[0], h_sums[1], sizeof h_sums[0]) == 0;
    printf("%d of %d sums wrong; two calls give %s bits\n", wrong, M + N,
           same ? "the same" : "different");
    must(cudaFree(d_a), "freeing");
    must(cudaFree(d_partial), "freeing");
    must(cudaFree(d_sums), "freeing");
    return wrong != 0 || !same;
}
