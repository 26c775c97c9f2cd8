// SPDX-License-Identifier: MIT
// A problem of your own (labs/02_reduction/README.md): mean and variance of an array that is read
// once. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum sim__barriers.sum
#include "../../labs/own.cuh"

enum { COUNT = 1000003, BLOCKS = 264, THREADS = 256, WARPS = THREADS / 32 };

// Of some elements: how many, their mean, and the sum of squares of their distances from it.
typedef struct moments {
    float count, mean, squares;
} moments;

// Of two sets together (Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for
// Computing Sample Variances", 1979). Sums of x * x would lose the variance where it is small
// beside the mean: 10^8 has no digit left for a 1 in a float.
static __device__ moments merge(moments a, moments b) {
    float count = a.count + b.count, part = count > 0.0f ? b.count / count : 0.0f;
    float apart = b.mean - a.mean;
    return (moments){count, a.mean + apart * part,
                     a.squares + b.squares + apart * apart * a.count * part};
}

// Of all threads of the block, in thread 0.
static __device__ moments merge_block(moments mine) {
    __shared__ moments of_warp[WARPS];
    for (int distance = 16; distance >= 1; distance /= 2) {
        moments other = {__shfl_down_sync(0xffffffffu, mine.count, distance),
                         __shfl_down_sync(0xffffffffu, mine.mean, distance),
                         __shfl_down_sync(0xffffffffu, mine.squares, distance)};
        mine = merge(mine, other);
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < WARPS; w++) mine = merge(mine, of_warp[w]);
    return mine;
}

// Adds up the distances from `near`, which is an element: they are small where the elements are
// close to each other, however large they are.
static __device__ void add(float x, float near, float *sum, float *squares) {
    *sum += x - near;
    *squares += (x - near) * (x - near);
}

// x: [COUNT], at a multiple of 16 bytes; parts: [BLOCKS].
__global__ void moments_of_blocks(const float *x, moments *parts) {
    const float4 *x4 = (const float4 *)x;
    int first = blockIdx.x * THREADS + threadIdx.x, all = BLOCKS * THREADS, vectors = COUNT / 4;
    float count = 0.0f, sum = 0.0f, squares = 0.0f, near = 0.0f;
    for (int i = first; i < vectors; i += all) {
        float4 v = x4[i];
        if (count == 0.0f) near = v.x; // no load of its own
        add(v.x, near, &sum, &squares);
        add(v.y, near, &sum, &squares);
        add(v.z, near, &sum, &squares);
        add(v.w, near, &sum, &squares);
        count += 4.0f;
    }
    if (first < COUNT % 4) { // the elements after the last vector; these threads have vectors, too
        add(x[4 * vectors + first], near, &sum, &squares);
        count += 1.0f;
    }
    moments mine = {count, near, 0.0f};
    if (count > 0.0f) {
        mine.mean += sum / count;
        mine.squares = squares - sum * (sum / count);
    }
    mine = merge_block(mine);
    if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}

__global__ void moments_of_all(const moments *parts, moments *result) {
    moments mine = {0.0f, 0.0f, 0.0f};
    for (int i = threadIdx.x; i < BLOCKS; i += THREADS) mine = merge(mine, parts[i]);
    mine = merge_block(mine);
    if (threadIdx.x == 0) *result = mine;
}

// 10,000 and a sum of four random numbers in [-1, 1): mean 10,000, variance 4/3.
static void fill(float *x) {
    uint32_t random = 1;
    for (int i = 0; i < COUNT; i++) {
        float sum = 10000.0f;
        for (int k = 0; k < 4; k++) {
            random = random * 1664525u + 1013904223u;
            sum += (float)(random >> 8) / (1 << 23) - 1.0f;
        }
        x[i] = sum;
    }
}

// Whether the result is that of two passes in double precision.
static bool is_right(const float *x, moments got) {
    double mean = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) mean += x[i] / (double)COUNT;
    for (int i = 0; i < COUNT; i++) squares += (x[i] - mean) * (x[i] - mean);
    double variance = squares / COUNT, found = got.squares / got.count;
    printf("mean %.4f, expected %.4f; variance %.5f, expected %.5f\n", got.mean, mean, found,
           variance);
    return got.count == COUNT && fabs(got.mean - mean) <= 0.01 &&
           fabs(found - variance) <= 1e-3 * variance;
}

int main(void) {
    static float h_x[COUNT];
    float *d_x = NULL;
    moments *d_parts = NULL, *d_result = NULL, result;
    fill(h_x);
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_parts, BLOCKS * sizeof *d_parts), "allocating the parts");
    must(cudaMalloc(&d_result, sizeof *d_result), "allocating the result");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying x");
    moments_of_blocks<<<BLOCKS, THREADS>>>(d_x, d_parts);
    must(cudaGetLastError(), "launching");
    moments_of_all<<<1, THREADS>>>(d_parts, d_result);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(&result, d_result, sizeof result, cudaMemcpyDeviceToHost), "copying back");
    must(cudaFree(d_x), "freeing x");
    must(cudaFree(d_parts), "freeing the parts");
    must(cudaFree(d_result), "freeing the result");
    return is_right(h_x, result) ? 0 : 1;
}
