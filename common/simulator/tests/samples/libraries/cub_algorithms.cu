// CUB: block-wide load, sort, scan, reduction and store in an own kernel.
// labels: full
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

#include "algorithms.h"

template <int THREADS, int ITEMS> __global__ void blockKernel(const int *in, int *out, int *sums) {
    typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE> Store;
    typedef cub::BlockRadixSort<int, THREADS, ITEMS> Sort;
    typedef cub::BlockScan<int, THREADS> Scan;
    typedef cub::BlockReduce<int, THREADS> Reduce;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
    } temp;
    int items[ITEMS], offset = blockIdx.x * THREADS * ITEMS;
    Load(temp.load).Load(in + offset, items);
    __syncthreads();
    int total = Reduce(temp.reduce).Sum(items);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
    __syncthreads();
    Sort(temp.sort).Sort(items);
    __syncthreads();
    Scan(temp.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(temp.store).Store(out + offset, items);
}

int main() {
    constexpr int THREADS = 128, ITEMS = 4, n = THREADS * ITEMS * 20;
    int *in, *out, *sums;
    checkCudaErrors(cudaMallocManaged(&in, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&sums, 20 * sizeof(int)));
    HostRandom random(14);
    for (int i = 0; i < n; i++) in[i] = random.below(2001) - 1000;
    blockKernel<THREADS, ITEMS><<<20, THREADS>>>(in, out, sums);
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = true;
    for (int b = 0; b < 20; b++) {
        std::vector<int> tile(in + b * 512, in + b * 512 + 512);
        passed = passed && sums[b] == std::accumulate(tile.begin(), tile.end(), 0);
        std::sort(tile.begin(), tile.end());
        std::partial_sum(tile.begin(), tile.end(), tile.begin());
        passed = passed && std::equal(tile.begin(), tile.end(), out + b * 512);
    }
    printf("block: %d %s\n", out[100], passed ? "right" : "WRONG");
    return finish("cub_algorithms", passed);
}
