// Counter kernels: divergence, calls, barriers and warp-level operations. Trip counts come from
// memory so that no compiler can unroll or predicate what is meant to branch; where ptxas still
// replaces a branch, a comment says so.
#include "counter_kernels.h"

// Work of `trips` dependent steps, different for each `kind`: a loop keeps it from being
// predicated.
static __device__ __forceinline__ uint32_t work(uint32_t value, uint32_t trips, uint32_t kind) {
#pragma unroll 1
    for (uint32_t i = 0; i < trips; i++) value = (value ^ (value >> 7)) * (kind * 2 + 3) + i;
    return value;
}

// 4 to 7, the same in all lanes and unknown to the compiler.
static __device__ uint32_t some_trips(const uint32_t *index) { return 4 + index[0] % 4; }

COUNTER_KERNEL_BODY(flow_uniform_branch) {
    uint32_t trips = some_trips(index), value = in[THREAD];
    if (threadIdx.x / 32 % 2) value = work(value, trips, 1);
    else value = work(value, 2 * trips, 2);
    out[THREAD] = value;
}

COUNTER_KERNEL_BODY(flow_if_else_loops) {
    uint32_t trips = some_trips(index), value = in[THREAD];
    if (LANE % 2) value = work(value, trips, 1);
    else value = work(value, 2 * trips, 2);
    out[THREAD] = value;
}

// ptxas turns both sides into predicated or selected instructions: no branch is left to diverge.
COUNTER_KERNEL_BODY(flow_if_else_short) {
    uint32_t value = in[THREAD];
    if (value % 2) value = value * 5 + 1;
    else value = value / 2 ^ 7;
    out[THREAD] = value;
}

COUNTER_KERNEL_BODY(flow_nested) {
    uint32_t trips = some_trips(index), value = in[THREAD];
    if (LANE < 12) {
        value = work(value, trips, 1);
        if (LANE % 3 == 0) value = work(value, trips, 2);
        else value = work(value, trips + 1, 3);
    } else {
        if (LANE % 5 == 0) value = work(value, trips, 4);
        value = work(value, trips + 2, 5);
    }
    out[THREAD] = value;
}

COUNTER_KERNEL_BODY(flow_loop_lane_trips) { out[THREAD] = work(in[THREAD], LANE + 1, 1); }

COUNTER_KERNEL_BODY(flow_loop_break) {
    uint32_t value = in[THREAD], trips = 0;
#pragma unroll 1
    while (trips < 64) {
        value = value * 1664525u + 1013904223u;
        trips++;
        if (value >> 28 == 0) break;
        if (value >> 29 == 1) continue;
        value ^= value >> 9;
    }
    out[THREAD] = value ^ trips;
}

COUNTER_KERNEL_BODY(flow_early_return) {
    uint32_t trips = some_trips(index);
    if (LANE % 2) return;
    out[THREAD] = work(in[THREAD], trips, 1);
}

COUNTER_KERNEL_BODY(flow_switch) {
    uint32_t trips = some_trips(index), value = in[THREAD];
    switch (LANE % 8) {
    case 0: value = work(value, trips, 1); break;
    case 1: value = work(value, trips + 1, 2); break;
    case 2: value = work(value + 7, trips, 3); break;
    case 3: value = work(value, trips, 4) ^ 5; break;
    case 4: value = work(value ^ 3, trips + 2, 5); break;
    case 5: value = work(value, trips, 6) + 9; break;
    case 6: value = work(value * 3, trips + 3, 7); break;
    default: break;
    }
    out[THREAD] = value;
}

static __device__ __noinline__ uint32_t called(uint32_t value, uint32_t trips) {
    return work(value, trips, 9) + 1;
}

COUNTER_KERNEL_BODY(flow_call) {
    uint32_t trips = some_trips(index), value = in[THREAD];
    if (LANE % 4 != 1) value = called(value, trips + LANE % 2);
    else value = called(value ^ 1, 2 * trips);
    out[THREAD] = value;
}

// The first textbook version. Every second, fourth .. lane works; ptxas predicates the body, so
// that hardware reports no divergent branch although 31 of 32 lanes idle at the end.
COUNTER_KERNEL_BODY(flow_reduce_divergent) {
    __shared__ uint32_t partial[256];
    uint32_t tid = threadIdx.x;
    partial[tid] = in[THREAD];
    __syncthreads();
    for (uint32_t s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = partial[0];
}

COUNTER_KERNEL_BODY(flow_reduce_sequential) {
    __shared__ uint32_t partial[256];
    uint32_t tid = threadIdx.x;
    partial[tid] = in[THREAD];
    __syncthreads();
    for (uint32_t s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = partial[0];
}

COUNTER_KERNEL_BODY(flow_reduce_shuffle) {
    __shared__ uint32_t partial[8];
    uint32_t value = in[THREAD];
    for (uint32_t s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, s);
    if (LANE == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = LANE < 8 ? partial[LANE] : 0;
        for (uint32_t s = 4; s > 0; s /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, s);
        if (LANE == 0) out[blockIdx.x] = value;
    }
}

COUNTER_KERNEL_BODY(flow_shuffles) {
    uint32_t value = in[THREAD];
    value += __shfl_sync(0xFFFFFFFFu, value, LANE * 7 % 32);
    value ^= __shfl_up_sync(0xFFFFFFFFu, value, 3);
    value += __shfl_down_sync(0xFFFFFFFFu, value, 5, 8);
    value ^= __shfl_xor_sync(0xFFFFFFFFu, value, 21);
    out[THREAD] = value;
}

COUNTER_KERNEL_BODY(flow_votes) {
    uint32_t value = in[THREAD], all = 0xFFFFFFFFu;
    uint32_t result = __ballot_sync(all, value % 3 == 0);
    result += __any_sync(all, value % 64 == 0) ? 77 : 1;
    result += __all_sync(all, value != 0) ? 1000 : 1;
    result ^= __match_any_sync(all, value % 4);
    result += __reduce_add_sync(all, value) ^ __reduce_max_sync(all, value % 1000);
    out[THREAD] = result ^ THREAD;
}

// Each half of the block meets at its own barrier; a whole one at the end.
COUNTER_KERNEL_BODY(flow_barrier_named) {
    __shared__ uint32_t tile[256];
    uint32_t half = threadIdx.x / 128;
    tile[threadIdx.x] = in[THREAD];
    asm volatile("bar.sync %0, 128;" ::"r"(1 + half) : "memory");
    uint32_t value = tile[half * 128 + (threadIdx.x + 33) % 128];
    __syncthreads();
    out[THREAD] = value ^ tile[255 - threadIdx.x];
}
