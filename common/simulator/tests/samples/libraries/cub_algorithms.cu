// CUB from the toolkit: block-wide load, sort, scan and reduce in an own kernel; device-wide
// reduction, scan, radix sort of pairs, selection and histogram.
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
    int *in, *out, *keys, *values, *sums;
    checkCudaErrors(cudaMallocManaged(&in, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&keys, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&values, 2 * n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&sums, 256 * sizeof(int)));
    HostRandom random(14);
    for (int i = 0; i < n; i++) {
        in[i] = random.below(2001) - 1000;
        values[i] = i;
    }
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

    withTemporary([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, in, sums, n); });
    withTemporary(
        [&](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, in, sums + 1, n); });
    bool reduced =
        sums[0] == std::accumulate(in, in + n, 0) && sums[1] == *std::max_element(in, in + n);
    printf("reduce: %d %d %s\n", sums[0], sums[1], reduced ? "right" : "WRONG");

    std::vector<int> want(n);
    withTemporary(
        [&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, in, out, n); });
    for (int i = 0, sum = 0; i < n; sum += in[i++]) want[i] = sum;
    bool scanned = std::equal(want.begin(), want.end(), out);
    printf("scan: %d %s\n", out[n - 1], scanned ? "right" : "WRONG");

    withTemporary([&](void *t, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(t, b, in, keys, values, values + n, n);
    });
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
    bool sorted =
        std::equal(order.begin(), order.end(), values + n) && std::is_sorted(keys, keys + n);
    printf("sort: %d..%d %s\n", keys[0], keys[n - 1], sorted ? "right" : "WRONG");

    withTemporary(
        [&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, in, out, sums, n, IsOdd()); });
    std::vector<int> odd;
    std::copy_if(in, in + n, std::back_inserter(odd), IsOdd());
    bool selected = sums[0] == (int)odd.size() && std::equal(odd.begin(), odd.end(), out);
    printf("select: %d %s\n", sums[0], selected ? "right" : "WRONG");

    withTemporary([&](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, in, sums, 21, -1000, 1000, n);
    });
    std::vector<int> bins(20);
    for (int i = 0; i < n; i++)
        if (in[i] < 1000) bins[(in[i] + 1000) / 100]++;
    bool counted = std::equal(bins.begin(), bins.end(), sums);
    printf("histogram: %d %s\n", sums[7], counted ? "right" : "WRONG");
    return finish("cub_algorithms", passed && reduced && scanned && sorted && selected && counted);
}
