// SPDX-License-Identifier: MIT
// Lab 06, a problem of your own, one solution: the entropy of the softmax of each row, for few long
// rows, from one read of them. With m the largest element, s the sum of exp(x - m) and t the sum of
// exp(x - m) (x - m), a row's entropy is log s - t / s. Triples (m, s, t) combine as lab 06's pairs
// (m, s) do, so a row is divided among blocks.
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum time_us
#include "../../labs/own.cuh"

enum { ROWS = 16, COLUMNS = 50257 };
enum { PIECES = 9, THREADS = 256, WIDE = 4 }; // 16 x 9 blocks: all 132 SMs have one
enum { ELEMS = ROWS * COLUMNS };
static_assert(ELEMS % 8 == 0, "the last sector of the matrix is whole");

// s == 0: no elements yet
struct triple {
    float m, s, t;
};

// In terms of another largest element a sum s exp(x - m) gets the factor f = exp(m - larger), and
// each x - m in t the addend m - larger.
__device__ triple shifted(triple a, float larger) {
    float by = a.m - larger, f = __expf(by);
    return {larger, a.s * f, f * (a.t + by * a.s)};
}

__device__ triple combine(triple a, triple b) {
    if (a.s == 0.0f) return b;
    if (b.s == 0.0f) return a;
    float larger = fmaxf(a.m, b.m);
    triple p = shifted(a, larger), q = shifted(b, larger);
    return {larger, p.s + q.s, p.t + q.t};
}

__device__ triple combine_warp(triple a) {
    for (int distance = 16; distance >= 1; distance /= 2) {
        triple other = {__shfl_xor_sync(0xffffffff, a.m, distance),
                        __shfl_xor_sync(0xffffffff, a.s, distance),
                        __shfl_xor_sync(0xffffffff, a.t, distance)};
        a = combine(a, other);
    }
    return a;
}

// Four elements, of which those outside first .. end - 1 belong to another row or block.
__device__ triple triple_of(float4 v, int at, int first, int end) {
    float x[WIDE] = {v.x, v.y, v.z, v.w};
    triple sum = {-INFINITY, 0.0f, 0.0f};
    for (int e = 0; e < WIDE; e++)
        if (at + e >= first && at + e < end) sum.m = fmaxf(sum.m, x[e]);
    for (int e = 0; e < WIDE; e++) {
        if (at + e < first || at + e >= end) continue;
        float d = x[e] - sum.m, f = __expf(d);
        sum.s += f;
        sum.t += f * d;
    }
    return sum;
}

// x: [ROWS][COLUMNS]; partial: [ROWS][PIECES]. Rows begin anywhere, but pieces are cut where
// sectors begin, so that no sector is read by two blocks of a row.
__global__ void __launch_bounds__(THREADS) read_pieces(const float *x, triple *partial) {
    __shared__ triple of_warp[THREADS / 32];
    int first = blockIdx.y * COLUMNS, end = first + COLUMNS;
    int from = first / 8 * 8, sectors = (end - from + 7) / 8;
    int begin = from + sectors * blockIdx.x / PIECES * 8;
    int stop = from + sectors * (blockIdx.x + 1) / PIECES * 8;
    triple sum = {-INFINITY, 0.0f, 0.0f};
    for (int at = begin + WIDE * threadIdx.x; at < stop; at += WIDE * THREADS)
        sum = combine(sum, triple_of(*(const float4 *)&x[at], at, first, end));
    sum = combine_warp(sum);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = threadIdx.x < THREADS / 32 ? of_warp[threadIdx.x] : triple{-INFINITY, 0.0f, 0.0f};
    sum = combine_warp(sum);
    if (threadIdx.x == 0) partial[blockIdx.y * PIECES + blockIdx.x] = sum;
}

// One warp per row.
__global__ void __launch_bounds__(32) add_pieces(const triple *partial, float *entropy) {
    triple sum = {-INFINITY, 0.0f, 0.0f};
    if (threadIdx.x < PIECES) sum = partial[blockIdx.x * PIECES + threadIdx.x];
    sum = combine_warp(sum);
    if (threadIdx.x == 0) entropy[blockIdx.x] = logf(sum.s) - sum.t / sum.s;
}

static float h_x[ELEMS], h_entropy[ROWS];

static int count_wrong(void) {
    int wrong = 0;
    for (int r = 0; r < ROWS; r++) {
        const float *row = h_x + r * COLUMNS;
        double most = row[0], s = 0.0, t = 0.0;
        for (int j = 1; j < COLUMNS; j++) most = fmax(most, row[j]);
        for (int j = 0; j < COLUMNS; j++) {
            s += exp(row[j] - most);
            t += exp(row[j] - most) * (row[j] - most);
        }
        wrong += !(fabs(h_entropy[r] - (log(s) - t / s)) <= 1e-4);
    }
    return wrong;
}

int main(void) {
    srand(6);
    for (float &v : h_x) v = 200.0f + 12.0f * (float)rand() / (float)RAND_MAX;
    float *d_x = NULL, *d_entropy = NULL;
    triple *d_partial = NULL;
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_entropy, sizeof h_entropy), "allocating the results");
    must(cudaMalloc(&d_partial, ROWS * PIECES * sizeof(triple)), "allocating the pieces");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying x");
    read_pieces<<<dim3(PIECES, ROWS), THREADS>>>(d_x, d_partial);
    must(cudaGetLastError(), "launching the first stage");
    add_pieces<<<ROWS, 32>>>(d_partial, d_entropy);
    must(cudaGetLastError(), "launching the second stage");
    must(cudaMemcpy(h_entropy, d_entropy, sizeof h_entropy, cudaMemcpyDeviceToHost), "copying");
    int wrong = count_wrong();
    printf("%d of %d rows wrong\n", wrong, ROWS);
    must(cudaFree(d_x), "freeing");
    must(cudaFree(d_entropy), "freeing");
    must(cudaFree(d_partial), "freeing");
    return wrong != 0;
}
