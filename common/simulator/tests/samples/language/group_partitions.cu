// Cooperative groups that follow the data: binary and labelled partitions, coalesced groups, tiles
// of tiles, group reductions, scans and invocations by one.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <vector>
#include "../helper.h"
namespace cg = cooperative_groups;
__global__ void oddEven(const int *in, int n, int *odds, int *sums) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) {
        auto active = cg::coalesced_threads();
        auto same = cg::binary_partition(active, in[i] & 1);
        int sum = cg::reduce(same, in[i], cg::plus<int>());
        if (same.thread_rank() == 0) {
            if (in[i] & 1) atomicAdd(odds, same.size());
            atomicAdd(&sums[in[i] & 1], sum);
        }
    }
    warp.sync();
}
__global__ void byLabel(const int *in, int *out, int n) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto mates = cg::labeled_partition(cg::coalesced_threads(), in[i] % 5);
    int before = cg::exclusive_scan(mates, in[i]);
    int most = cg::reduce(mates, in[i], cg::greater<int>());
    out[i] = before * 100 + most % 100 + (tile.size() - 16);
}
__global__ void scans(const unsigned *in, unsigned *out, unsigned long long *bits) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto big = cg::tiled_partition<128>(block);
    unsigned mine = in[block.thread_rank()];
    unsigned total = cg::reduce(big, mine, cg::plus<unsigned>());
    auto warp = cg::tiled_partition<32>(block);
    unsigned inclusive = cg::inclusive_scan(warp, mine, cg::bit_xor<unsigned>());
    auto four = cg::tiled_partition<4>(warp);
    unsigned least = cg::reduce(four, mine, cg::less<unsigned>());
    out[block.thread_rank()] = total + inclusive * 3 + least * 7 + four.meta_group_rank();
    cg::invoke_one(
        warp, [&] { atomicAdd(bits, 1ull << warp.meta_group_rank()); });
    unsigned chosen =
        cg::invoke_one_broadcast(four, [&] { return four.meta_group_rank() + 1000u; });
    if (chosen != four.meta_group_rank() + 1000u) atomicAdd(bits, 1ull << 40);
    big.sync();
}
int main() {
    const int n = 3000;
    std::vector<int> in(n), out(n);
    HostRandom random(11);
    int odds = 0, sums[2] = {0, 0};
    for (int &x : in) {
        x = random.below(1000);
        odds += x & 1;
        sums[x & 1] += x;
    }
    int *d_in, *d_out, *d_small, small[3];
    checkCudaErrors(cudaMalloc(&d_in, n * 4));
    checkCudaErrors(cudaMalloc(&d_out, n * 4));
    checkCudaErrors(cudaMalloc(&d_small, 12));
    checkCudaErrors(cudaMemcpy(d_in, in.data(), n * 4, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(d_small, 0, 12));
    oddEven<<<5, 160>>>(d_in, n, d_small, d_small + 1);
    checkCudaErrors(cudaMemcpy(small, d_small, 12, cudaMemcpyDeviceToHost));
    bool passed = small[0] == odds && small[1] == sums[0] && small[2] == sums[1];
    printf("%d odd\n", small[0]);
    byLabel<<<divUp(n, 128), 128>>>(d_in, d_out, n);
    checkCudaErrors(cudaMemcpy(out.data(), d_out, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int before = 0, most = 0, warp = i / 32 * 32;
        for (int k = warp; k < warp + 32 && k < n; k++)
            if (in[k] % 5 == in[i] % 5) {
                if (k < i) before += in[k];
                most = std::max(most, in[k]);
            }
        passed &= out[i] == before * 100 + most % 100;
    }
    std::vector<unsigned> u(256), v(256);
    for (unsigned &x : u) x = random.below(5000);
    unsigned *d_u, *d_v;
    unsigned long long *d_bits, bits;
    checkCudaErrors(cudaMalloc(&d_u, 1024));
    checkCudaErrors(cudaMalloc(&d_v, 1024));
    checkCudaErrors(cudaMalloc(&d_bits, 8));
    checkCudaErrors(cudaMemset(d_bits, 0, 8));
    checkCudaErrors(cudaMemcpy(d_u, u.data(), 1024, cudaMemcpyHostToDevice));
    scans<<<1, 256>>>(d_u, d_v, d_bits);
    checkCudaErrors(cudaMemcpy(v.data(), d_v, 1024, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(&bits, d_bits, 8, cudaMemcpyDeviceToHost));
    passed &= bits == 255;
    for (int t = 0; t < 256; t++) {
        unsigned total = 0, x = 0, least = ~0u;
        for (int k = t / 128 * 128; k < t / 128 * 128 + 128; k++) total += u[k];
        for (int k = t / 32 * 32; k <= t; k++) x ^= u[k];
        for (int k = t / 4 * 4; k < t / 4 * 4 + 4; k++) least = std::min(least, u[k]);
        passed &= v[t] == total + 3 * x + 7 * least + t % 32 / 4;
    }
    return finish("group_partitions", passed);
}
