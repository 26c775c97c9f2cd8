// SPDX-License-Identifier: MIT
// Blocks: barriers, shared memory, atomics, order of blocks, for the executor's tests.
// ptx: blocks -O3 -lineinfo
// ptx: blocks_debug -G
#include <cstdio>
#include <cassert>

extern "C" __global__ void block_sum(const float *x, float *y, int n) {
    extern __shared__ float partial[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? x[i] : 0.0f;
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) partial[t] += partial[t + stride];
    }
    if (t == 0) y[blockIdx.x] = partial[0];
}
extern "C" __global__ void barrier_after_exit(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x >= 40) return; // part of a warp and whole ones
    atomicAdd(&sum, 1);
    __syncthreads();
    out[threadIdx.x] = sum;
}
extern "C" __global__ void barrier_counts(int *out) {
    int t = threadIdx.x;
    out[t] = __syncthreads_count(t % 3 == 0);
    out[t + blockDim.x] = __syncthreads_and(t < 1000) * 2 + __syncthreads_or(t == 50);
    out[t + 2 * blockDim.x] = __syncthreads_and(t < 50) * 2 + __syncthreads_or(t == 5000);
}
// Two warps make, two use: bar.arrive and bar.sync with counts.
extern "C" __global__ void producers(int *out) {
    __shared__ int box[64];
    int t = threadIdx.x;
    for (int round = 0; round < 4; round++) {
        if (t < 64) {
            asm volatile("bar.sync 2, 128;");
            box[t] = round * 100 + t;
            asm volatile("bar.arrive 1, 128;");
        } else {
            asm volatile("bar.arrive 2, 128;");
            asm volatile("bar.sync 1, 128;");
            out[round * 64 + t - 64] = box[t - 64];
        }
    }
}
extern "C" __global__ void
divergent_barrier(int *out) { // legal since Volta: every thread arrives somewhere
    __shared__ int a[64];
    int t = threadIdx.x;
    a[t] = t;
    if (t % 2) __syncthreads();
    else __syncthreads();
    out[t] = a[63 - t];
}
extern "C" __global__ void missing_barrier(int *out) {
    if (threadIdx.x < 40) asm volatile("bar.sync 0, 96;");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void histogram(const int *x, int n, unsigned *bins) {
    __shared__ unsigned mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[x[i] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
// A float sum whose value depends on the order of the additions.
extern "C" __global__ void ordered_sum(const float *x, float *sum) {
    atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
}
extern "C" __global__ void block_order(int *next, int *order) {
    if (threadIdx.x == 0) order[atomicAdd(next, 1)] = blockIdx.x;
}
__device__ unsigned finished_blocks;
extern "C" __global__ void last_block_sum(const float *x, float *partial, float *y) {
    __shared__ bool last;
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(&finished_blocks, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) *y = sum;
}
extern "C" __global__ void all_atomics(int *i, unsigned *u, unsigned long long *l, float *f,
                                       double *d) {
    int t = threadIdx.x;
    atomicAdd(&i[0], t);
    atomicSub(&i[1], t);
    atomicMin(&i[2], t - 7);
    atomicMax(&i[3], t - 7);
    atomicAnd(&i[4], ~(1 << t % 8));
    atomicOr(&i[5], 1 << t % 8);
    atomicXor(&i[6], t);
    i[8 + t] = atomicExch(&i[7], t);
    u[32 + t] = atomicInc(&u[0], 9);
    atomicDec(&u[1], 9);
    atomicMin(&u[2], t + 3);
    atomicMax(&u[3], t + 3);
    atomicAdd(&l[0], 1ull << 33);
    atomicMax(&l[1], (unsigned long long)t << 40);
    atomicCAS(&l[2], (unsigned long long)t, t + 1ull);
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&d[0], 0.25);
    float old = f[1], seen; // maximum by compare and swap
    do {
        seen = old;
        if (seen >= t) break;
        old =
            __int_as_float(atomicCAS((int *)&f[1], __float_as_int(seen), __float_as_int((float)t)));
    } while (old != seen);
}
// A barrier of the whole grid: needs every block to make progress.
extern "C" __global__ void grid_barrier(unsigned *arrived, int *out, const int *in) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        out[b] = in[b] * 2;
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {}
        out[gridDim.x + b] = *(volatile int *)&out[(b + 1) % gridDim.x] + 1;
    }
}
extern "C" __global__ void speaks(int n, const char *name) {
    if (threadIdx.x < 2)
        printf("block %d thread %u: %5.2f %s %lld %c%% 0x%08x|%-4d|\n", blockIdx.x, threadIdx.x,
               1.5 * n, "text", 1ll << 40, 'x', 255u, 7);
}
extern "C" __global__ void asserts(int limit) { assert((int)threadIdx.x < limit); }
// One block writes nowhere, between two writes of everybody; blocks take unequal time.
extern "C" __global__ void faults_midway(unsigned *cells, unsigned *order, unsigned *nowhere,
                                         int faulty) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
    for (unsigned k = 0; k < blockIdx.x % 7 * 40; k++) sum = sum * 1664525u + 1013904223u;
    cells[i] = (sum & 0x7FFFFFFFu) | 1;
    __syncthreads();
    if (order && threadIdx.x == 0) order[1 + blockIdx.x] = atomicAdd(order, 1u) + 1;
    if (blockIdx.x % faulty == faulty - 1 && threadIdx.x == 33) *nowhere = 1;
    __syncthreads();
    cells[i] ^= 0x80000000u;
}
extern "C" __global__ void heap(int *out) {
    int *mine = (int *)malloc(40);
    for (int i = 0; i < 10; i++) mine[i] = i * threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 10; i++) sum += mine[i];
    free(mine);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void heap_overrun(int *out) {
    int *mine = (int *)malloc(40);
    out[0] = mine[out[1]];
}
extern "C" __global__ void where(unsigned *out) {
    unsigned smid, warpid, gridid;
    asm("mov.u32 %0, %%smid;" : "=r"(smid));
    asm("mov.u32 %0, %%warpid;" : "=r"(warpid));
    unsigned i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned *o = out + 4 * (i * blockDim.x * blockDim.y * blockDim.z + t);
    o[0] = i;
    o[1] = t;
    o[2] = smid;
    o[3] = warpid;
    (void)gridid;
}
