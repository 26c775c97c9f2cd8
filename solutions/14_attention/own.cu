// SPDX-License-Identifier: MIT
// A problem of your own (labs/14_attention/README.md): attention of one query to many keys, which
// blocks share and then merge. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum time_us
#include "../../labs/own.cuh"

#include <cuda_fp16.h>

enum { KEYS = 16384, WIDTH = 128, EACH = 8, BLOCKS = 128, WARPS = 4 };
enum { LANES = WIDTH / EACH, GROUPS = WARPS * 32 / LANES }; // a group of LANES lanes has a key
enum { SHARE = KEYS / BLOCKS, AT_ONCE = 4 };                // keys of a block; of a group, loaded

// What a block knows of its keys: both sums are relative to the largest score.
typedef struct part {
    float most, sum, out[WIDTH];
} part;

__device__ void load_halves(const __half *from, float to[EACH]) {
    uint4 got = *(const uint4 *)from;
    const __half2 *pairs = (const __half2 *)&got;
    for (int e = 0; e < EACH; e++)
        to[e] = e % 2 ? __high2float(pairs[e / 2]) : __low2float(pairs[e / 2]);
}

// q: [WIDTH]; k, v: [KEYS][WIDTH]; parts: [BLOCKS].
__global__ void attend(const __half *q, const __half *k, const __half *v, part *parts) {
    __shared__ part mine[GROUPS];
    int group = threadIdx.x / LANES, column = threadIdx.x % LANES * EACH;
    float query[EACH], most = -INFINITY, sum = 0, out[EACH] = {};
    load_halves(q + column, query);
    const int first = blockIdx.x * SHARE + group * AT_ONCE;
    for (int key = first; key < (blockIdx.x + 1) * SHARE; key += GROUPS * AT_ONCE) {
        float score[AT_ONCE], now = most, x[EACH];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            load_halves(k + (key + j) * WIDTH + column, x);
            score[j] = 0;
            for (int e = 0; e < EACH; e++) score[j] = fmaf(query[e], x[e], score[j]);
            for (int step = LANES / 2; step > 0; step /= 2)
                score[j] += __shfl_xor_sync(~0u, score[j], step);
            score[j] *= rsqrtf((float)WIDTH);
            now = fmaxf(now, score[j]);
        }
        float factor = __expf(most - now);
        sum *= factor;
        for (int e = 0; e < EACH; e++) out[e] *= factor;
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            load_halves(v + (key + j) * WIDTH + column, x);
            float p = __expf(score[j] - now);
            sum += p;
            for (int e = 0; e < EACH; e++) out[e] = fmaf(p, x[e], out[e]);
        }
        most = now;
    }
    mine[group].most = most;
    mine[group].sum = sum;
    for (int e = 0; e < EACH; e++) mine[group].out[column + e] = out[e];
    __syncthreads();
    part all = {-INFINITY, 0, {0}};
    for (int g = 0; g < GROUPS; g++) all.most = fmaxf(all.most, mine[g].most);
    float o = 0; // of column threadIdx.x
    for (int g = 0; g < GROUPS; g++) {
        float factor = __expf(mine[g].most - all.most);
        all.sum += mine[g].sum * factor;
        o += mine[g].out[threadIdx.x] * factor;
    }
    parts[blockIdx.x].out[threadIdx.x] = o;
    if (threadIdx.x > 0) return;
    parts[blockIdx.x].most = all.most;
    parts[blockIdx.x].sum = all.sum;
}

// One block; a thread computes a column.
__global__ void merge(const part *parts, float *out) {
    float most = -INFINITY, sum = 0, o = 0;
    for (int b = 0; b < BLOCKS; b++) {
        float now = fmaxf(most, parts[b].most);
        float before = __expf(most - now), factor = __expf(parts[b].most - now);
        sum = sum * before + parts[b].sum * factor;
        o = o * before + parts[b].out[threadIdx.x] * factor;
        most = now;
    }
    out[threadIdx.x] = o / sum;
}

// The definition, in double.
static void solve(const __half *q, const __half *k, const __half *v, double want[WIDTH]) {
    double sum = 0;
    for (int c = 0; c < WIDTH; c++) want[c] = 0;
    for (int j = 0; j < KEYS; j++) {
        double x = 0;
        for (int c = 0; c < WIDTH; c++)
            x += (double)__half2float(q[c]) * __half2float(k[j * WIDTH + c]);
        double p = exp(x / sqrt((double)WIDTH)); // small enough not to overflow
        sum += p;
        for (int c = 0; c < WIDTH; c++) want[c] += p * __half2float(v[j * WIDTH + c]);
    }
    for (int c = 0; c < WIDTH; c++) want[c] /= sum;
}

static void fill(__half *to, int count, unsigned random) {
    for (int i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        to[i] = __float2half((float)(random >> 16) / 16384.0f - 2.0f);
    }
}

int main(void) {
    static __half h_q[WIDTH], h_k[KEYS * WIDTH], h_v[KEYS * WIDTH];
    static float h_out[WIDTH];
    static double want[WIDTH];
    __half *d_q = NULL, *d_k = NULL, *d_v = NULL;
    part *d_parts = NULL;
    float *d_out = NULL;
    fill(h_q, WIDTH, 1);
    fill(h_k, KEYS * WIDTH, 2);
    fill(h_v, KEYS * WIDTH, 3);
    must(cudaMalloc(&d_q, sizeof h_q), "allocating q");
    must(cudaMalloc(&d_k, sizeof h_k), "allocating k");
    must(cudaMalloc(&d_v, sizeof h_v), "allocating v");
    must(cudaMalloc(&d_parts, BLOCKS * sizeof *d_parts), "allocating the parts");
    must(cudaMalloc(&d_out, sizeof h_out), "allocating the output");
    must(cudaMemcpy(d_q, h_q, sizeof h_q, cudaMemcpyHostToDevice), "copying q");
    must(cudaMemcpy(d_k, h_k, sizeof h_k, cudaMemcpyHostToDevice), "copying k");
    must(cudaMemcpy(d_v, h_v, sizeof h_v, cudaMemcpyHostToDevice), "copying v");
    attend<<<BLOCKS, WARPS * 32>>>(d_q, d_k, d_v, d_parts);
    must(cudaGetLastError(), "launching");
    merge<<<1, WIDTH>>>(d_parts, d_out);
    must(cudaGetLastError(), "launching the merge");
    must(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost), "copying back");
    must(cudaFree(d_q), "freeing q");
    must(cudaFree(d_k), "freeing k");
    must(cudaFree(d_v), "freeing v");
    must(cudaFree(d_parts), "freeing the parts");
    must(cudaFree(d_out), "freeing the output");
    solve(h_q, h_k, h_v, want);
    double worst = 0;
    for (int c = 0; c < WIDTH; c++) worst = fmax(worst, fabs(want[c] - h_out[c]));
    printf("%d keys, largest error %.1e\n", KEYS, worst);
    return worst < 1e-5 ? 0 : 1;
}
