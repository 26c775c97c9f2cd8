// SPDX-License-Identifier: MIT
// Races inside a block and between blocks: see check_case.h.
#include <cooperative_groups.h>

#include "check_case.h"

namespace cg = cooperative_groups;

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

// Two warps store different values of a type; nvcc makes two variables of `two`.
template <typename T> __global__ void store_both(T a, T b, float *y) {
    __shared__ T kept[BLOCK];
    kept[3] = threadIdx.x < 32 ? a : b;
    __syncthreads();
    if (kept[3] == a) y[threadIdx.x] = 1;
}
namespace {
__global__ void store_numbers(unsigned a, float *y) {
    __shared__ unsigned two[2];
    two[1] = a + threadIdx.x / 32;
    __syncthreads();
    y[threadIdx.x] = (float)two[1];
}
__global__ void store_pointers(float *y) {
    __shared__ float *end;
    end = y + threadIdx.x / 32;
    __syncthreads();
    end[threadIdx.x] = 1;
}
} // namespace

// A plain read whose value an atomic checks is no race: the classic loop around compare-and-swap.
__device__ void atomic_max(float *place, float value) {
    int old = *(int *)place, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) return;
        old = atomicCAS((int *)place, assumed, __float_as_int(value));
    } while (assumed != old);
}

__global__ void largest(const float *x, float *y) {
    atomic_max(y, x[blockIdx.x * BLOCK + threadIdx.x]);
}

// A plain read of what others still count is one.
__global__ void count_large(const float *x, int *y, bool barrier) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (x[threadIdx.x] > 50) atomicAdd(&count, 1);
    if (barrier) __syncthreads();
    y[threadIdx.x] = count;
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

// Threads put what they do not want into the element after the last one.
enum class rest { IGNORED, OVERWRITTEN, OVERWRITTEN_BY_ONE, READ, COPIED_OUT };
__global__ void compact(const float *x, float *y, rest use) {
    __shared__ float kept[BLOCK + 1];
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    float value = x[t] + t;
    int place = t % 3 == 0 ? atomicAdd(&count, 1) : BLOCK;
    kept[place] = value;
    if (use == rest::OVERWRITTEN) __syncthreads();
    if (use == rest::OVERWRITTEN && t == 40) kept[BLOCK] = 0;
    if (use == rest::OVERWRITTEN_BY_ONE && t == 64) kept[BLOCK] = 0;
    __syncthreads();
    if (t < count) y[t] = kept[t];
    bool reads = use == rest::OVERWRITTEN || use == rest::OVERWRITTEN_BY_ONE || use == rest::READ;
    if (reads && t == 1) y[BLOCK] = kept[BLOCK];
    if (use == rest::COPIED_OUT)
        for (int i = t; i <= BLOCK; i += BLOCK)
            if (i >= count) y[i] = i == BLOCK ? kept[i] : 0;
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

// Keeps the large elements, in place: a block writes where earlier blocks have read, and knows from
// what they have published, in one relaxed store each, how far they came.
__global__ void look_back(float *x, int *ends, bool looks) {
    __shared__ int before, own;
    int t = threadIdx.x;
    float value = x[blockIdx.x * BLOCK + t];
    if (t == 0) own = 0;
    __syncthreads();
    int place = value > 50 ? atomicAdd(&own, 1) : 0;
    __syncthreads();
    if (t == 0) {
        volatile int *end = ends + blockIdx.x;
        before = 0;
        for (int i = 1; looks && blockIdx.x > 0 && (before = end[-1]) == 0; i++) continue;
        before -= blockIdx.x > 0 && looks; // an end is published as its value plus one
        if (!looks) before = blockIdx.x * BLOCK / 4;
        *end = before + own + 1;
    }
    __syncthreads();
    if (value > 50) x[before + place] = value;
}

// ---- the cases ----

static void grid_sync(bool wait) {
    void *arguments[] = {&d_x, &d_y, &d_z, &wait};
    cudaLaunchCooperativeKernel((const void *)grid_phases, GRID, BLOCK, arguments, 0, 0);
}

static void plain_grid_sync(void) {
    grid_phases<<<GRID, BLOCK>>>(d_x, d_y, d_z, true);
}

static void maximum(void) {
    cudaMemset(d_y, 0, 4);
    largest<<<GRID, BLOCK>>>(d_x, d_y);
}

static void locks(bool fence) {
    cudaMemset(d_y, 0, 4);
    locked_count<<<8, 32>>>((int *)d_y, fence);
}

static const check_case cases[] = {
#include "check_races.def"
};

int main(int argc, char **argv) {
    return run_check_case(cases, sizeof cases / sizeof cases[0], argc > 1 ? argv[1] : "");
}
