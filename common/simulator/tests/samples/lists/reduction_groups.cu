// SPDX-License-Identifier: MIT
// Sums with cooperative groups: a recursive halving that takes any group, reduce() over tiles of
// several sizes, coalesced groups, labelled partitions, scans within a tile.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../helper.h"

namespace cg = cooperative_groups;

__device__ int sumReduction(cg::thread_group g, int *x, int val) {
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        x[lane] = val;
        g.sync();
        if (lane < i) val += x[lane + i];
        g.sync();
    }
    return g.thread_rank() == 0 ? val : -1;
}

__global__ void groupKernel(int *result) {
    cg::thread_block block = cg::this_thread_block();
    extern __shared__ int workspace[];
    int output = sumReduction(block, workspace, block.thread_rank());
    if (block.thread_rank() == 0) result[0] = output;
    block.sync();

    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int offset = block.thread_rank() - tile.thread_rank();
    output = sumReduction(tile, workspace + offset, tile.thread_rank());
    if (tile.thread_rank() == 0) result[1 + tile.meta_group_rank()] = output;
}

template <int TILE> __global__ void tileSums(const float *in, float *sums, int *maxima, int n) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<TILE>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0.0f;
    float total = cg::reduce(tile, value, cg::plus<float>());
    int most = cg::reduce(tile, (int)value, cg::greater<int>());
    int group = i / TILE;
    if (tile.thread_rank() == 0) {
        sums[group] = total;
        maxima[group] = most;
    }
}

__global__ void oddOnes(const int *in, int *count, int *counted_by_label, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int value = i < n ? in[i] : 0;
    if (value % 2) {
        cg::coalesced_group active = cg::coalesced_threads();
        int total = cg::reduce(active, 1, cg::plus<int>());
        if (active.thread_rank() == 0) atomicAdd(count, total);
    }
    warp.sync();
    cg::coalesced_group label = cg::labeled_partition(warp, value % 5);
    if (label.thread_rank() == 0) atomicAdd(&counted_by_label[value % 5], label.size());
}

__global__ void tileScan(const int *in, int *inclusive, int *exclusive) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = threadIdx.x;
    inclusive[i] = cg::inclusive_scan(warp, in[i]);
    exclusive[i] = cg::exclusive_scan(warp, in[i], cg::plus<int>());
}

template <int TILE> static bool checkTiles(const float *h_in, const float *d_in, int n) {
    int groups = n / TILE;
    float *sums;
    int *maxima;
    checkCudaErrors(cudaMallocManaged(&sums, groups * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&maxima, groups * sizeof(int)));
    tileSums<TILE><<<n / 128, 128>>>(d_in, sums, maxima, n);
    getLastCudaError("tileSums");
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = true;
    for (int g = 0; g < groups; g++) {
        float sum = 0, most = 0;
        for (int k = 0; k < TILE; k++) {
            sum += h_in[g * TILE + k];
            most = h_in[g * TILE + k] > most ? h_in[g * TILE + k] : most;
        }
        passed = passed && sum == sums[g] && (int)most == maxima[g];
    }
    printf("tiles of %d: first %.0f, %d\n", TILE, sums[0], maxima[0]);
    checkCudaErrors(cudaFree(sums));
    checkCudaErrors(cudaFree(maxima));
    return passed;
}

int main() {
    int *result;
    checkCudaErrors(cudaMallocManaged(&result, 16 * sizeof(int)));
    groupKernel<<<1, 64, 64 * sizeof(int)>>>(result);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("ranks of the block %d, of tiles", result[0]);
    bool passed = result[0] == 63 * 64 / 2;
    for (int t = 1; t <= 4; t++) {
        printf(" %d", result[t]);
        passed = passed && result[t] == 15 * 16 / 2;
    }
    printf("\n");

    const int n = 1 << 14;
    float *in;
    int *numbers, *counts;
    checkCudaErrors(cudaMallocManaged(&in, n * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&numbers, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&counts, 6 * sizeof(int)));
    HostRandom random(5);
    int odd = 0, labels[5] = {0};
    for (int i = 0; i < n; i++) {
        in[i] = (float)random.below(1000);
        numbers[i] = random.below(1000);
        odd += numbers[i] % 2;
        labels[numbers[i] % 5]++;
    }
    passed = checkTiles<32>(in, in, n) && passed;
    passed = checkTiles<16>(in, in, n) && passed;
    passed = checkTiles<8>(in, in, n) && passed;
    passed = checkTiles<4>(in, in, n) && passed;

    for (int i = 0; i < 6; i++) counts[i] = 0;
    oddOnes<<<n / 256, 256>>>(numbers, &counts[5], counts, n);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("odd: %d of %d\n", counts[5], n);
    passed = passed && counts[5] == odd;
    for (int i = 0; i < 5; i++) passed = passed && counts[i] == labels[i];

    int *scans;
    checkCudaErrors(cudaMallocManaged(&scans, 128 * sizeof(int)));
    tileScan<<<1, 64>>>(numbers, scans, scans + 64);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0, sum = 0; i < 64; i++) {
        if (i % 32 == 0) sum = 0;
        passed = passed && scans[64 + i] == sum;
        sum += numbers[i];
        passed = passed && scans[i] == sum;
    }
    printf("scan of a tile ends with %d\n", scans[63]);
    return finish("reduction_groups", passed);
}
