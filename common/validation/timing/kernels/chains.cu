// Kernels that wait: pointer chases, long dependent loops, divergent ones, small grids.
#include "kernels.h"

static __device__ uint32_t follow(const uint32_t *next, uint32_t at, uint32_t mask, int steps) {
    for (int k = 0; k < steps; k++) at = next[at] & mask;
    return at;
}

// n: steps of each chain.
TIMING(chase_one_lane) {
    if (THREAD == 0) out[0] = follow(next, 0, (1 << 22) - 1, n);
}
TIMING(chase_one_lane_small) {
    if (THREAD == 0) out[0] = follow(next, 0, 4095, n);
}
TIMING(chase_one_lane_l2) {
    if (THREAD == 0) out[0] = follow(next, 0, (1 << 19) - 1, n);
}
TIMING(chase_one_warp) { out[THREAD] = follow(next, THREAD * 1031, (1 << 22) - 1, n); }
TIMING(chase_all_warps) {
    out[THREAD] = follow(next, mix(THREAD) & ((1 << 23) - 1), (1 << 23) - 1, n);
}
TIMING(chase_lane_per_warp) {
    if (LANE == 0) out[WARP] = follow(next, mix(WARP) & ((1 << 22) - 1), (1 << 22) - 1, n);
}
TIMING(chase_shared) {
    __shared__ uint32_t ring[2048];
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) ring[i] = next[i] & 2047;
    __syncthreads();
    uint32_t at = threadIdx.x;
    for (int k = 0; k < n; k++) at = ring[at];
    out[THREAD] = at;
}
TIMING(chase_local) {
    uint32_t ring[32], at = THREAD % 32;
    for (int i = 0; i < 32; i++) ring[i] = next[i + blockIdx.x % 2] & 31;
    for (int k = 0; k < n; k++) at = ring[at];
    out[THREAD] = at;
}

// Two paths, by lane.
TIMING(paths_two) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) {
        if (LANE % 2) {
            v = v * 1.01f + 0.5f;
            v = v * 0.99f + 0.25f;
        } else {
            v = v * 0.98f - 0.5f;
            v = sqrtf(fabsf(v));
        }
    }
    out[THREAD] = v;
}

// Sixteen paths, by data.
TIMING(paths_sixteen) {
    uint32_t w = words[THREAD], v = w;
    for (int k = 0; k < n; k++) {
        switch ((w + v) % 16) {
        case 0: v = v * 3 + 1; break;
        case 1: v ^= v >> 3; break;
        case 2: v += w; break;
        case 3: v = v * v; break;
        case 4: v = (v << 7) | (v >> 25); break;
        case 5: v = ~v + 5; break;
        case 6: v = __popc(v) * w; break;
        case 7: v = __clz(v) ^ w; break;
        case 8: v = v / 3; break;
        case 9: v = __brev(v); break;
        case 10: v = v * 5 + w; break;
        case 11: v = (v & w) + 11; break;
        case 12: v = (v | w) - 7; break;
        case 13: v = v * 7; break;
        case 14: v = v - (w >> 5); break;
        default: v = w - v; break;
        }
    }
    out[THREAD] = v;
}

// Loops whose length depends on the lane, the warp, or the data.
static __device__ float steps(float v, int count) {
    for (int k = 0; k < count; k++) v = v * 0.999f + 0.001f;
    return v;
}
TIMING(length_by_lane) { out[THREAD] = steps(x[THREAD], (LANE + 1) * n); }
TIMING(length_by_warp) { out[THREAD] = steps(x[THREAD], (WARP % 32 + 1) * n); }
TIMING(length_by_data) { out[THREAD] = steps(x[THREAD], words[THREAD] % (32 * n)); }
TIMING(length_by_block) { out[THREAD] = steps(x[THREAD], blockIdx.x % 64 == 0 ? 64 * n : n); }
TIMING(collatz) {
    uint32_t v = THREAD + 1, count = 0;
    while (v != 1 && count < n) v = v % 2 ? 3 * v + 1 : v / 2, count++;
    out[THREAD] = count;
}
TIMING(half_leave) {
    if (LANE >= 16) return;
    out[THREAD] = steps(x[THREAD], n);
}

// Launches that leave most of the card idle.
TIMING(one_block_sum) {
    float sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
    sum = warp_sum(sum);
    if (LANE == 0) atomicAdd(out, sum);
}
TIMING(one_warp_copy) {
    for (unsigned i = threadIdx.x; i < n; i += 32) out[i] = x[i];
}
TIMING(one_thread_sum) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    out[0] = sum;
}
TIMING(tail_block) { out[THREAD] = steps(x[THREAD], n); }
TIMING(tiny_blocks) { out[THREAD] = x[THREAD] + 1.0f; }
TIMING(few_warps_stream) {
    float sum = 0;
    for (unsigned i = THREAD; i < n; i += THREADS) sum += x[i] * y[i];
    out[THREAD] = sum;
}
