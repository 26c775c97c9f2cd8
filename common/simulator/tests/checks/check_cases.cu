// SPDX-License-Identifier: MIT
// Small kernels, each with one bug or its near miss, chosen by name: check_cases NAME.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define BLOCK 128
#define N     512

// ---- races in shared memory ----

__global__ void neighbour(const float *x, float *y, bool barrier) {
    __shared__ float tile[BLOCK];
    unsigned t = threadIdx.x;
    tile[t] = x[blockIdx.x * BLOCK + t];
    if (barrier) __syncthreads();
    y[blockIdx.x * BLOCK + t] = tile[(t + 1) % BLOCK];
}

// The sum is right in lock step, barrier or not: only the order is missing.
__global__ void sum_of_block(const float *x, float *y, bool barrier) {
    __shared__ float partial[BLOCK];
    unsigned t = threadIdx.x;
    partial[t] = x[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned stride = BLOCK / 2; stride >= 1; stride /= 2) {
        if (t < stride) partial[t] += partial[t + stride];
        if (barrier) __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = partial[0];
}

__global__ void lanes_exchange(const float *x, float *y, int how) {
    __shared__ float s[32];
    volatile float *v = s;
    unsigned t = threadIdx.x;
    if (how == 2) {
        v[t] = x[t];
        y[t] = v[t ^ 1];
        return;
    }
    s[t] = x[t];
    if (how == 1) __syncwarp();
    y[t] = s[t ^ 1];
}

__global__ void double_buffer(const float *x, float *y) {
    __shared__ float tile[2][BLOCK];
    unsigned t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[k % 2][t] = x[k * BLOCK + t];
        __syncthreads();
        sum += tile[k % 2][(t + 1) % BLOCK] + tile[k % 2][(t + 64) % BLOCK];
    }
    y[t] = sum;
}

__global__ void shared_histogram(const float *x, int *y, bool atomic) {
    __shared__ int bins[16];
    unsigned t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    if (atomic)
        atomicAdd(&bins[(int)x[t] & 15], 1);
    else
        bins[(int)x[t] & 15]++;
    __syncthreads();
    if (t < 16) y[t] = bins[t];
}

__global__ void named_barriers(const float *x, float *y) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = x[t];
    if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    y[t] = s[t < 64 ? 63 - t : 191 - t];
}

__global__ void tiles(const float *x, float *y) {
    __shared__ float s[BLOCK];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    s[t] = x[t];
    tile.sync();
    float value = s[t ^ 7];
    for (int d = 4; d >= 1; d /= 2) value += tile.shfl_down(value, d);
    y[t] = value;
}

// ---- between blocks ----

__global__ void shift_in_place(float *x) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    float right = i + 1 < N ? x[i + 1] : 0;
    __syncthreads();
    x[i] = right;
}

__device__ unsigned ticket;

__global__ void last_block(const float *x, float *partial, float *y, bool fence) {
    __shared__ bool is_last;
    unsigned t = threadIdx.x;
    partial[blockIdx.x * BLOCK + t] = x[blockIdx.x * BLOCK + t];
    if (fence) __threadfence();
    __syncthreads();
    if (t == 0) is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    float sum = 0;
    for (unsigned i = t; i < N; i += BLOCK) sum += partial[i];
    y[t] = sum;
}

__device__ int lock;

__global__ void locked_count(int *count, bool fence) {
    if (threadIdx.x) return;
    while (atomicCAS(&lock, 0, 1)) continue;
    __threadfence();
    *count += 1;
    if (fence) __threadfence();
    atomicExch(&lock, 0);
}

__global__ void flags(float *y, const float *x) {
    if (threadIdx.x == 0) *y = 7.0f; // one value from all blocks
    if (x[threadIdx.x] < -1) *y = 7.0f;
}

__global__ void grid_phases(const float *x, float *a, float *b, bool wait) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = 0; k < 3; k++) {
        a[i] = x[i] + k;
        if (wait) cg::this_grid().sync();
        b[i] = a[(i + BLOCK) % N];
        if (wait) cg::this_grid().sync();
    }
}

// ---- memory ----

__global__ void copy_guarded(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = x[i];
}

__global__ void load_pairs(const float *x, float *y) {
    float2 v = *(const float2 *)(x + threadIdx.x);
    y[threadIdx.x] = v.x + v.y;
}

__global__ void load_vectors(const float4 *x, float *y) {
    float4 v = x[threadIdx.x];
    y[threadIdx.x] = v.x;
}

__global__ void count_up(int *count) {
    atomicAdd(count, 1);
}

__global__ void unset_shared(float *y, bool set) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    if (set || t < 100) s[t] = 1.0f;
    __syncthreads();
    y[t] = s[t];
}

__global__ void unset_local(float *y, const int *at, int filled) {
    float values[16];
    for (int i = 0; i < filled; i++) values[at[i]] = (float)i;
    y[threadIdx.x] = values[at[threadIdx.x % 16]];
}

// ---- barriers and lanes ----

__global__ void barrier_in_branch(float *y, bool split) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = (float)t;
    if (split && t % 2) {
        s[t] += 1;
        __syncthreads();
    } else {
        s[t] += 2;
        __syncthreads();
    }
    y[t] = s[BLOCK - 1 - t];
}

__global__ void early_return(const float *x, float *y, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}

__global__ void half_barrier(float *y) {
    if (threadIdx.x < 64) __syncthreads();
    asm volatile("bar.sync 3, 128;" ::: "memory");
    y[threadIdx.x] = 1;
}

__global__ void endless(volatile float *y) {
    while (y[0] == 1.0f) y[1] = y[1] + 1.0f;
}

__global__ void lost_lanes(float *y, unsigned mask) {
    float value = (float)threadIdx.x;
    if (threadIdx.x < 16) value += __shfl_down_sync(mask, value, 8);
    y[threadIdx.x] = value;
}

// ---- the cases ----

static float *d_x, *d_y, *d_z;

typedef struct check_case {
    const char *name;
    void (*run)(void);
} check_case;

#define GRID (N / BLOCK)

static void grid_sync(bool wait) {
    void *arguments[] = {&d_x, &d_y, &d_z, &wait};
    cudaLaunchCooperativeKernel((const void *)grid_phases, GRID, BLOCK, arguments, 0, 0);
}

static void freed(void) {
    float *d_w;
    cudaMalloc(&d_w, N * 4);
    cudaMemset(d_w, 0, N * 4);
    cudaFree(d_w);
    copy_guarded<<<GRID, BLOCK>>>(d_w, d_y, N);
}

static void freed_twice(void) {
    float *d_w;
    cudaMalloc(&d_w, N * 4);
    cudaFree(d_w);
    cudaFree(d_w);
}

static void leaked(void) {
    void *lost;
    cudaMalloc(&lost, 1000);
}

static void copied_unset(bool set) {
    float *d_w;
    cudaMalloc(&d_w, N * 4);
    if (set) cudaMemset(d_w, 0, N * 4);
    cudaMemcpy(d_z, d_w, N * 4, cudaMemcpyDeviceToDevice);
    copy_guarded<<<GRID, BLOCK>>>(d_z, d_y, N);
    cudaFree(d_w);
}

static void padded_vectors(void) {
    float *d_w; // only the first of each four is ever written
    cudaMalloc(&d_w, 4 * BLOCK * 4);
    cudaMemset2D(d_w, 16, 0, 4, BLOCK);
    load_vectors<<<1, BLOCK>>>((const float4 *)d_w, d_y);
    cudaFree(d_w);
}

static void counter(bool set) {
    int *d_count;
    cudaMalloc(&d_count, 4);
    if (set) cudaMemset(d_count, 0, 4);
    count_up<<<4, 32>>>(d_count);
    cudaFree(d_count);
}

static void locks(bool fence) {
    cudaMemset(d_y, 0, 4);
    locked_count<<<8, 32>>>((int *)d_y, fence);
}

static void local_values(int filled) {
    int at[16];
    for (int i = 0; i < 16; i++) at[i] = i;
    cudaMemcpy(d_z, at, sizeof at, cudaMemcpyHostToDevice);
    unset_local<<<1, 32>>>(d_y, (const int *)d_z, filled);
}

static void too_large(bool ask) {
    copy_guarded<<<1, 2048>>>(d_x, d_y, N);
    if (ask) printf("asked: %s\n", cudaGetErrorString(cudaGetLastError()));
}

static const check_case cases[] = {
#define CASE(name, ...) {#name, [] { __VA_ARGS__; }},
#include "check_cases.def"
#undef CASE
};

int main(int argc, char **argv) {
    float x[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 100);
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_y, sizeof x);
    cudaMalloc(&d_z, sizeof x);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
    cudaDeviceSynchronize();
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_z);
    return 0;
}
