// Products of warp groups (wgmma): see check_case.h.
// since: 12.4
// architectures: 90a
#include <cuda_fp16.h>
#include <stdint.h>

#include "check_case.h"

enum { M = 64, COLUMNS = 8, K = 16, STEPS = 4 };

struct stage {
    alignas(128) __half a[M * K], b[COLUMNS * K];
};

// Tiles of 8 rows of 16 bytes: two of them side by side along k.
static __device__ int place(int row, int k) {
    return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8;
}

static __device__ void fill(stage *to, const float *x, int step, bool fence = true) {
    for (int i = threadIdx.x; i < M * K; i += BLOCK)
        to->a[place(i / K, i % K)] = __float2half(x[(i + step) % N]);
    for (int i = threadIdx.x; i < COLUMNS * K; i += BLOCK)
        to->b[place(i / K, i % K)] = __float2half(x[i % N]);
    if (fence) asm volatile("fence.proxy.async;" ::: "memory");
}

static __device__ uint64_t descriptor(const void *start) {
    return __cvta_generic_to_shared(start) >> 4 | uint64_t(128 >> 4) << 16 |
           uint64_t(256 >> 4) << 32;
}

static __device__ void issue(float *d, const stage *from) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, "
                 "1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(from->a)), "l"(descriptor(from->b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
static __device__ void multiply(float *d, const stage *from) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    issue(d, from);
}

template <int GROUPS> static __device__ void wait_for(float *d) {
    asm volatile("wgmma.wait_group.sync.aligned %4;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "n"(GROUPS)
                 : "memory");
}

__global__ void sum_read(const float *x, float *y, bool wait) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0);
    __syncthreads();
    multiply(d, &tile);
    if (wait) wait_for<0>(d);
    y[threadIdx.x] = d[1];
    wait_for<0>(d);
}

// 48 sums a thread, which nothing has written before and the product does not read.
__global__ void wide_sums(const float *x, float *y) {
    __shared__ struct { alignas(128) __half a[M * K], b[96 * K]; } tile;
    float first, last;
    for (int i = threadIdx.x; i < M * K; i += BLOCK) tile.a[i] = __float2half(x[i % N]);
    for (int i = threadIdx.x; i < 96 * K; i += BLOCK) tile.b[i] = __float2half(x[i % N]);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    asm volatile("{ .reg .f32 s<48>; .reg .pred p; setp.ne.b32 p, 0, 0;\n\t"
                 "wgmma.fence.sync.aligned;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n96k16.f32.f16.f16\n\t"
                 "{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11,\n\t"
                 " s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23,\n\t"
                 " s24, s25, s26, s27, s28, s29, s30, s31, s32, s33, s34, s35,\n\t"
                 " s36, s37, s38, s39, s40, s41, s42, s43, s44, s45, s46, s47},\n\t"
                 "%2, %3, p, 1, 1, 0, 0;\n\t"
                 "wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n\t"
                 "mov.f32 %0, s0;\n\tmov.f32 %1, s47; }"
                 : "=f"(first), "=f"(last)
                 : "l"(descriptor(tile.a)), "l"(descriptor(tile.b))
                 : "memory");
    y[threadIdx.x] = first + last;
}

__global__ void not_filled(const float *x, float *y, bool barrier) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0);
    if (barrier) __syncthreads();
    multiply(d, &tile);
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// The fence before the barrier, behind it, or nowhere.
__global__ void unfenced(const float *x, float *y, bool writer, bool reader) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0, writer);
    __syncthreads();
    if (reader) asm volatile("fence.proxy.async;" ::: "memory");
    multiply(d, &tile);
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// Some warps of the group have nothing to add.
__global__ void left_out(const float *x, float *y, unsigned threads) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0);
    __syncthreads();
    if (threadIdx.x < threads) {
        multiply(d, &tile);
        wait_for<0>(d);
    }
    y[threadIdx.x] = d[1];
}

// The same with A in registers, which are whatever x holds.
static __device__ void multiply_registers(float *d, const uint32_t *a, const stage *from) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, %8, p, 1, 1, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(from->b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

static __device__ void load_registers(uint32_t *a, const float *x, int step) {
    for (int i = 0; i < 4; i++) a[i] = __float_as_uint(x[(4 * step + i) % N]);
}

// One accumulator starts anew in each step, before the product's wait or behind it.
__global__ void sum_written(const float *x, float *y, bool wait) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0);
    __syncthreads();
#pragma unroll 1
    for (int step = 0; step < STEPS; step++) {
        multiply(d, &tile);
        if (wait) wait_for<0>(d);
        d[1] = x[step];
    }
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// The next step's registers of A are loaded before the product's wait or behind it.
__global__ void source_written(const float *x, float *y, bool wait) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    uint32_t a[4];
    fill(&tile, x, 0);
    __syncthreads();
#pragma unroll 1
    for (int step = 0; step < STEPS; step++) {
        load_registers(a, x, step);
        multiply_registers(d, a, &tile);
        if (wait) wait_for<0>(d);
    }
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// Two sets of registers: one is loaded while the product that reads the other one runs.
__global__ void two_sources(const float *x, float *y) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    uint32_t a[2][4];
    fill(&tile, x, 0);
    __syncthreads();
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        load_registers(a[step % 2], x, step);
        multiply_registers(d, a[step % 2], &tile);
        wait_for<1>(d);
    }
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// Threads change an accumulator between two products, with a fence or without.
template <bool FENCE> __global__ void sum_unfenced(const float *x, float *y) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0);
    __syncthreads();
    multiply(d, &tile);
    wait_for<0>(d);
    d[1] += x[0];
    if (FENCE) asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    issue(d, &tile);
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

__global__ void never_fenced(const float *x, float *y) {
    __shared__ stage tile;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0);
    __syncthreads();
    issue(d, &tile);
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// The next stage is filled while a product runs: beside it, or over it.
template <int STAGES> __global__ void pipeline(const float *x, float *y) {
    __shared__ stage tiles[STAGES];
    float d[4] = {0, 0, 0, 0};
    fill(&tiles[0], x, 0);
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        multiply(d, &tiles[step % STAGES]);
        if (step + 1 < STEPS) fill(&tiles[(step + 1) % STAGES], x, step + 1);
        wait_for<0>(d);
        __syncthreads();
    }
    y[threadIdx.x] = d[1];
}

// Two products under way, three stages: a stage is free when the product before the last has ended.
template <int STAGES> __global__ void deep_pipeline(const float *x, float *y) {
    __shared__ stage tiles[STAGES];
    float d[4] = {0, 0, 0, 0};
    fill(&tiles[0], x, 0);
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        multiply(d, &tiles[step % STAGES]);
        wait_for<1>(d);
        __syncthreads();
        if (step + 1 < STEPS) fill(&tiles[(step + 1) % STAGES], x, step + 1);
        __syncthreads();
    }
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// One lane of each warp passes on that the product has ended, or only that it has begun; then the
// first warp fills the tile anew.
__global__ void passed_on(const float *x, float *y, bool wait) {
    __shared__ stage tile;
    __shared__ uint64_t free;
    uint32_t barrier = (uint32_t)__cvta_generic_to_shared(&free), ended = 0;
    float d[4] = {0, 0, 0, 0};
    fill(&tile, x, 0);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(barrier) : "memory");
    __syncthreads();
    multiply(d, &tile);
    if (wait) wait_for<0>(d);
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
    while (threadIdx.x < 32 && !ended)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(barrier)
                     : "memory");
    for (int i = threadIdx.x; threadIdx.x < 32 && i < M * K; i += 32)
        tile.a[i] = __float2half(x[i % N]);
    wait_for<0>(d);
    y[threadIdx.x] = d[1];
}

// finds register-race
//   ~ register-race: a thread and its.*read at check_products.cu.*y.threadIdx.x. = d.1.;
//   ~ write at check_products.cu.*an accumulator is read while the product
//   advice WAIT_BEFORE_READ
PAIR(sum_read, sum_read<<<1, BLOCK>>>(d_x, d_y, right));
// finds register-race: write at check_products.cu.*d.1. = x.step.;
//   ~ write at check_products.cu:[0-9]+\n[^\n]*\n[^\n]*descriptor.from->
//   ~ an accumulator is written while
//   advice WAIT_BEFORE_SUM
PAIR(sum_written, sum_written<<<1, BLOCK>>>(d_x, d_y, right));
// finds register-race: write at check_products.cu.*a.i. =[ ]
//   ~ read at check_products.cu:[0-9]+\n[^\n]*\n[^\n]*descriptor.from->
//   ~ a register of A is written while
//   advice WAIT_FOR_SOURCE
PAIR(source_written, source_written<<<1, BLOCK>>>(d_x, d_y, right));
CASE(wide_sums_not, wide_sums<<<1, BLOCK>>>(d_x, d_y));
CASE(two_sources_not, two_sources<<<1, BLOCK>>>(d_x, d_y));
// finds register-race: write at check_products.cu.*d.1. .= x.0.;
//   ~ read at check_products.cu:[0-9]+\n[^\n]*\n[^\n]*descriptor.from->.*no wgmma.fence is between
PAIR(sum_unfenced, sum_unfenced<right><<<1, BLOCK>>>(d_x, d_y));
// finds register-race: at check_products.cu:[0-9]+\n[^\n]*\n[^\n]*descriptor.from->
//   ~ no wgmma.fence before it
CASE(never_fenced, never_fenced<<<1, BLOCK>>>(d_x, d_y));
// finds race: write at check_products.cu:[0-9]+\n.*read at check_products.cu:[0-9]+\n
//   ~ no barrier is between
PAIR(not_filled, not_filled<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: read at check_products.cu:[0-9]+\n.*descriptor.*write at check_products.cu:[0-9]+\n
CASE(stage_reused, pipeline<1><<<1, BLOCK>>>(d_x, d_y));
CASE(stage_reused_not, pipeline<2><<<1, BLOCK>>>(d_x, d_y));
// finds race: descriptor.*the tile is overwritten while the product
//   advice WAIT_BEFORE_TILE
CASE(deep_reused, deep_pipeline<1><<<1, BLOCK>>>(d_x, d_y));
CASE(deep_reused_not, deep_pipeline<2><<<1, BLOCK>>>(d_x, d_y));
// finds race: write at check_products.cu:[0-9]+\n.*descriptor.*need[ \n]+fence.proxy.async
CASE(unfenced, unfenced<<<1, BLOCK>>>(d_x, d_y, false, false));
CASE(unfenced_not, unfenced<<<1, BLOCK>>>(d_x, d_y, true, false));
CASE(unfenced_late_not, unfenced<<<1, BLOCK>>>(d_x, d_y, false, true));
// finds deadlock: another number of products
CASE(left_out, left_out<<<1, BLOCK>>>(d_x, d_y, 96));
CASE(left_out_not, left_out<<<1, BLOCK>>>(d_x, d_y, 128));
// finds race: write at check_products.cu:[0-9]+\n.*read at check_products.cu:[0-9]+\n.*descriptor
PAIR(passed_on, passed_on<<<1, BLOCK>>>(d_x, d_y, right));
