// Cooperative groups inside a block: tiles of 8 reduce and scan, the block synchronises; tiles of
// several warps meet at barriers that lie in shared memory which the device keeps for them.
// since: 12.4
#include "../check.h"

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

// Every warp reads what the next warp of its tile wrote before the tile's barrier.
template <int size> __global__ void pass_on(int *out) {
    __shared__ cg::block_tile_memory<512> memory;
    __shared__ int values[512];
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<size>(block);
    int base = block.thread_rank() / size * size;
    for (int iteration = 0; iteration < 3; iteration++) {
        values[block.thread_rank()] = block.thread_rank() * (iteration + 1);
        tile.sync();
        out[block.thread_rank()] = values[base + (tile.thread_rank() + 32) % size];
        tile.sync();
    }
}

template <int size> static void check_tiles(int *d_out) {
    int out[512];
    CUDA_CHECK(cudaMemset(d_out, 0, sizeof out));
    pass_on<size><<<1, 512>>>(d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 512; t++) EXPECT(out[t] == 3 * (t / size * size + (t % size + 32) % size));
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
    int *d_tiles;
    CUDA_CHECK(cudaMalloc(&d_tiles, 512 * sizeof(int)));
    check_tiles<64>(d_tiles);
    check_tiles<128>(d_tiles);
    check_tiles<256>(d_tiles);
    check_tiles<512>(d_tiles);
    CUDA_CHECK(cudaFree(d_tiles));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    printf("ok\n");
    return 0;
}
