// SPDX-License-Identifier: MIT
// Cooperative groups inside a block: tiles of 8 reduce and scan, the block synchronises.
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void tile_sums(const int *in, int *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    __shared__ int sums[32];
    int value = in[block.thread_rank()];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        value += tile.shfl_down(value, offset);
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;
    block.sync();
    if (block.thread_rank() < tile.meta_group_size())
        out[block.thread_rank()] = sums[block.thread_rank()];
}

int main() {
    const int n = 128;
    int in[n], out[n / 8], *d_in, *d_out;
    for (int i = 0; i < n; i++) in[i] = i * 7 % 31;
    CUDA_CHECK(cudaMalloc(&d_in, sizeof in));
    CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
    CUDA_CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    tile_sums<<<1, n>>>(d_in, d_out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < n / 8; t++) {
        int want = 0;
        for (int i = 0; i < 8; i++) want += in[8 * t + i];
        EXPECT(out[t] == want);
    }
    printf("ok\n");
    return 0;
}
