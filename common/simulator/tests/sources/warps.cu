// SPDX-License-Identifier: MIT
// Warp-level operations for the executor's tests.
// ptx: warps -O3 -lineinfo
// ptx: warps_debug -G
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(int *out) {
    int t = threadIdx.x, v = 100 + t;
    out[t] = __shfl_down_sync(~0u, v, 3);
    out[t + 32] = __shfl_up_sync(~0u, v, 5);
    out[t + 64] = __shfl_xor_sync(~0u, v, 9);
    out[t + 96] = __shfl_sync(~0u, v, t * 7);
    out[t + 128] = __shfl_down_sync(~0u, v, 3, 8);
    out[t + 160] = __shfl_up_sync(~0u, v, 3, 16);
    out[t + 192] = __shfl_xor_sync(~0u, v, 9, 8);
    out[t + 224] = __shfl_sync(~0u, v, 13, 8);
}
extern "C" __global__ void partial_masks(int *out) {
    int t = threadIdx.x;
    if (t < 12) out[t] = __shfl_down_sync(0xFFF, t, 1);
    else if (t >= 20) out[t] = __shfl_sync(0xFFF00000, t * 2, 25);
    else out[t] = __ballot_sync(0x000FF000, t & 1);
}
// Halves whose masks differ run one instruction together.
extern "C" __global__ void two_masks(int *out) {
    int t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000FFFFu : 0xFFFF0000u;
    out[t] = __shfl_xor_sync(mask, t, 5) + (int)__popc(__ballot_sync(mask, t % 3 == 0)) * 100;
}
// Both sides of a branch take part in one exchange.
extern "C" __global__ void across_branches(int *out) {
    int t = threadIdx.x, v;
    if (t % 2) v = __shfl_xor_sync(~0u, t * 10, 1);
    else v = __shfl_xor_sync(~0u, t * 10 + 1, 1) + 1000;
    __syncwarp();
    out[t] = v;
}
extern "C" __global__ void votes(unsigned *out) {
    int t = threadIdx.x;
    out[t] = __all_sync(~0u, t < 32);
    out[t + 32] = __any_sync(~0u, t == 17);
    out[t + 64] = __ballot_sync(~0u, t % 3 == 0);
    out[t + 96] = __match_any_sync(~0u, t / 5);
    int same;
    out[t + 128] = __match_all_sync(~0u, 7, &same) + same;
    out[t + 160] = __match_all_sync(~0u, t / 31, &same) + same;
    out[t + 192] = __reduce_add_sync(~0u, t);
    out[t + 224] = __reduce_max_sync(~0u, t ^ 21);
    if (t % 4 == 1) out[t + 256] = __activemask();
    else out[t + 256] = 0;
    out[t + 288] = __match_any_sync(~0u, (unsigned long long)(t % 3) << 40);
}
extern "C" __global__ void tiles(int *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int v = threadIdx.x;
    for (int step = 4; step > 0; step /= 2) v += tile.shfl_down(v, step);
    out[threadIdx.x] = tile.thread_rank() == 0 ? v : -1;
    tile.sync();
    cg::coalesced_group some = cg::coalesced_threads();
    if (threadIdx.x % 3 == 0) {
        cg::coalesced_group third = cg::coalesced_threads();
        out[threadIdx.x + blockDim.x] = third.size() * 1000 + third.thread_rank();
    } else {
        out[threadIdx.x + blockDim.x] = some.size();
    }
}
// Lanes that have left are not waited for.
extern "C" __global__ void after_exit(int *out) {
    int t = threadIdx.x;
    if (t >= 20) return;
    __syncwarp();
    out[t] = __shfl_down_sync(0xFFFFF, t, 1);
}
extern "C" __global__ void missing_lane(int *out) {
    int t = threadIdx.x;
    if (t != 5) out[t] = __shfl_down_sync(~0u, t, 1);
    else {
        __syncthreads();
        out[t] = 0;
    }
}
