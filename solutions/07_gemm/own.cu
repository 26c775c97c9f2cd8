// SPDX-License-Identifier: MIT
// Lab 07, a problem of your own, one solution: the nearest reference point of every query point.
// The distances form a matrix that is computed as a matrix product is, tile by tile with 8 x 8
// elements per thread. It is never written: a block keeps the best of its tile only.
// counts: sim__shared_ld_requests.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
#include "../../labs/own.cuh"

enum { QUERIES = 1024, REFERENCES = 1024, FEATURES = 32 };
enum { TILE = 64, THREADS = 64, OWN = 8, QUADS = FEATURES / 4 };

// Feature p of a tile's point is at [p][column_of(p, point)]. Eight lanes store the quads of one
// point, four points per warp: with this exchange of quads their words are in 32 different banks,
// and the quads of points stay whole.
__device__ int column_of(int p, int point) {
    return point ^ 4 * (p / 4 % 8);
}

// points: [TILE][FEATURES]; tile: [FEATURES][TILE]
__device__ void load_tile(const float *points, float (*tile)[TILE]) {
    for (int e = threadIdx.x; e < TILE * QUADS; e += THREADS) {
        int point = e / QUADS, p = 4 * (e % QUADS);
        float4 v = ((const float4 *)points)[e];
        int column = column_of(p, point); // the same for all four: p / 4 is
        tile[p][column] = v.x;
        tile[p + 1][column] = v.y;
        tile[p + 2][column] = v.z;
        tile[p + 3][column] = v.w;
    }
}

// Eight points at feature p: the quads at `first` and half a tile further.
__device__ void take(const float (*tile)[TILE], int p, int first, float (&out)[OWN]) {
    for (int half = 0; half < 2; half++) {
        float4 v = *(const float4 *)&tile[p][column_of(p, first + half * TILE / 2)];
        out[4 * half] = v.x;
        out[4 * half + 1] = v.y;
        out[4 * half + 2] = v.z;
        out[4 * half + 3] = v.w;
    }
}

// Distance and index in one number, which is smaller for the nearer point, and for the smaller
// index of two that are equally near: floats that are not negative are in the order of their bits.
__device__ unsigned long long key_of(float distance, int reference) {
    return (unsigned long long)__float_as_uint(distance) << 32 | (unsigned)reference;
}

// queries: [QUERIES][FEATURES], references: [REFERENCES][FEATURES]; best: [QUERIES], all bits set
// before. Block (x, y) has 64 queries and 64 references.
__global__ void __launch_bounds__(THREADS)
    nearest(const float *queries, const float *references, unsigned long long *best) {
    __shared__ __align__(16) float q_tile[FEATURES][TILE], r_tile[FEATURES][TILE];
    int q_first = 4 * (threadIdx.x % 8), r_first = 4 * (threadIdx.x / 8);
    float sum[OWN][OWN] = {}; // [reference][query]
    load_tile(queries + (size_t)blockIdx.x * TILE * FEATURES, q_tile);
    load_tile(references + (size_t)blockIdx.y * TILE * FEATURES, r_tile);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < FEATURES; p++) {
        float q[OWN], r[OWN];
        take(q_tile, p, q_first, q);
        take(r_tile, p, r_first, r);
        for (int i = 0; i < OWN; i++) {
            for (int j = 0; j < OWN; j++) {
                float d = q[j] - r[i];
                sum[i][j] = fmaf(d, d, sum[i][j]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        unsigned long long mine = ~0ull;
        for (int i = 0; i < OWN; i++) {
            int reference = blockIdx.y * TILE + r_first + i / 4 * (TILE / 2) + i % 4;
            mine = min(mine, key_of(sum[i][j], reference));
        }
        mine = min(mine, __shfl_xor_sync(0xffffffff, mine, 8)); // lanes 8 apart: the same queries
        mine = min(mine, __shfl_xor_sync(0xffffffff, mine, 16));
        int query = blockIdx.x * TILE + q_first + j / 4 * (TILE / 2) + j % 4;
        if (threadIdx.x % 32 < 8) atomicMin(&best[query], mine);
    }
}

// How many queries did not get the answer of two plain loops. The features are small integers, so
// all sums are exact.
static int count_wrong(const float *queries, const float *references,
                       const unsigned long long *best) {
    int wrong = 0;
    for (int q = 0; q < QUERIES; q++) {
        float least = 1e30f;
        unsigned index = 0;
        for (int r = 0; r < REFERENCES; r++) {
            float sum = 0.0f;
            for (int p = 0; p < FEATURES; p++) {
                float d = queries[q * FEATURES + p] - references[r * FEATURES + p];
                sum += d * d;
            }
            if (sum < least) {
                least = sum;
                index = r;
            }
        }
        float got;
        uint32_t bits = (uint32_t)(best[q] >> 32);
        memcpy(&got, &bits, sizeof got);
        wrong += !(got == least && (unsigned)best[q] == index);
    }
    return wrong;
}

static float h_queries[QUERIES * FEATURES], h_references[REFERENCES * FEATURES];
static unsigned long long h_best[QUERIES];

int main(void) {
    srand(7);
    for (float &x : h_queries) x = (float)(rand() % 256);
    for (float &x : h_references) x = (float)(rand() % 256);
    float *d_queries = NULL, *d_references = NULL;
    unsigned long long *d_best = NULL;
    must(cudaMalloc(&d_queries, sizeof h_queries), "allocating the queries");
    must(cudaMalloc(&d_references, sizeof h_references), "allocating the references");
    must(cudaMalloc(&d_best, sizeof h_best), "allocating the results");
    must(cudaMemcpy(d_queries, h_queries, sizeof h_queries, cudaMemcpyHostToDevice), "copying");
    must(cudaMemcpy(d_references, h_references, sizeof h_references, cudaMemcpyHostToDevice),
         "copying");
    must(cudaMemset(d_best, 0xff, sizeof h_best), "setting the results to the largest number");
    nearest<<<dim3(QUERIES / TILE, REFERENCES / TILE), THREADS>>>(d_queries, d_references, d_best);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_best, d_best, sizeof h_best, cudaMemcpyDeviceToHost), "copying the results");
    int wrong = count_wrong(h_queries, h_references, h_best);
    printf("%d of %d queries wrong\n", wrong, QUERIES);
    must(cudaFree(d_queries), "freeing");
    must(cudaFree(d_references), "freeing");
    must(cudaFree(d_best), "freeing");
    return wrong != 0;
}
