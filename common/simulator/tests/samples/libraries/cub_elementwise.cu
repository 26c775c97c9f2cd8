// CUB: differences of neighbours, histograms, loops, transforms, batches of copies.
// labels: full
#include <algorithm>
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_copy.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_transform.cuh>

#include "algorithms.h"

struct Minus {
    __host__ __device__ int operator()(int a, int b) const { return a - b; }
};
struct TripleInPlace {
    __device__ void operator()(int &v) const { v = 3 * v + 1; }
};
struct AddTo { // of a copy of the element: where its index is found there
    int *sums;
    __device__ void operator()(int v) const { atomicAdd(&sums[v % 10], 1); }
};
struct PutSquare {
    int *to;
    __device__ void operator()(int i) const { to[i] = i * i; }
};
struct PutSum {
    int *to;
    __device__ void operator()(int i, int row, int column) const { to[i] = 1000 * row + column; }
};

static void differences(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<int> left(x), right(x);
    for (int i = 1; i < n; i++) left[i] = x[i] - x[i - 1];
    for (int i = 0; i + 1 < n; i++) right[i] = x[i] - x[i + 1];
    DeviceArray<int> in(x), again(x), out(n);
    CUB(DeviceAdjacentDifference::SubtractLeftCopy, in, out, n, Minus());
    compare.expect("SubtractLeftCopy", out.take(n), left);
    CUB(DeviceAdjacentDifference::SubtractRightCopy, in, out, n, Minus());
    compare.expect("SubtractRightCopy", out.take(n), right);
    CUB(DeviceAdjacentDifference::SubtractLeft, in, n, Minus());
    compare.expect("SubtractLeft", in.take(n), left);
    CUB(DeviceAdjacentDifference::SubtractRight, again, n, Minus());
    compare.expect("SubtractRight", again.take(n), right);
}

static void histograms(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    const std::vector<int> levels{0, 10, 250, 251, 990};
    std::vector<int> even(20), range(levels.size() - 1);
    for (int v : x) even[v / 50]++;
    for (int v : x)
        for (size_t b = 0; b + 1 < levels.size(); b++)
            range[b] += levels[b] <= v && v < levels[b + 1];
    DeviceArray<int> in(x), d_levels(levels), bins(20);
    CUB(DeviceHistogram::HistogramEven, in, bins, 21, 0, 1000, n);
    compare.expect("HistogramEven", bins.take(20), even);
    CUB(DeviceHistogram::HistogramRange, in, bins, (int)levels.size(), d_levels, n);
    compare.expect("HistogramRange", bins.take(range.size()), range);
}

// Pixels of four bytes, of which three are counted.
static void pixels(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<uint8_t> samples;
    std::vector<int> want(3 * 16), range(3 * 2);
    for (int i = 0; i < 4 * n; i++) {
        uint8_t v = (uint8_t)(x[i / 4] * (i % 4 + 1));
        samples.push_back(v);
        if (i % 4 == 3) continue;
        want[i % 4 * 16 + v / 16]++;
        range[i % 4 * 2 + (v >= 100)]++;
    }
    DeviceArray<uint8_t> in(samples);
    DeviceArray<int> bins(3 * 16), levels(std::vector<int>{0, 100, 256});
    int *counts[3] = {bins, bins + 16, bins + 32};
    int number[3] = {17, 17, 17}, lower[3] = {0, 0, 0}, upper[3] = {256, 256, 256};
    withTemporary([&](void *temporary, size_t &bytes) {
        return cub::DeviceHistogram::MultiHistogramEven<4, 3>(temporary, bytes, raw(in), counts,
                                                              number, lower, upper, n);
    });
    compare.expect("MultiHistogramEven", bins.take(want.size()), want);
    int *pairs[3] = {bins, bins + 2, bins + 4};
    const int *bounds[3] = {levels, levels, levels};
    int three[3] = {3, 3, 3};
    withTemporary([&](void *temporary, size_t &bytes) {
        return cub::DeviceHistogram::MultiHistogramRange<4, 3>(temporary, bytes, raw(in), pairs,
                                                               three, bounds, n);
    });
    compare.expect("MultiHistogramRange", bins.take(range.size()), range);
}

static void loops(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<int> tripled = mapped(x, Triple()), digits(10), squares;
    for (int v : x) digits[v % 10]++;
    for (int i = 0; i < n; i++) squares.push_back((int)((unsigned)i * (unsigned)i));
    DeviceArray<int> in(x), again(x), out(n), sums(std::vector<int>(10));
    CUB(DeviceFor::Bulk, n, PutSquare{out});
    compare.expect("For::Bulk", out.take(n), squares);
    CUB(DeviceFor::ForEachCopy, in, in + n, AddTo{sums});
    compare.expect("ForEachCopy", sums.take(10), digits);
    CUB(DeviceFor::ForEachCopyN, in, n, AddTo{sums});
    compare.expect("ForEachCopyN", sums.take(10), mapped(digits, [](int v) { return 2 * v; }));
    CUB(DeviceFor::ForEach, in, in + n, TripleInPlace());
    compare.expect("ForEach", in.take(n), tripled);
    CUB(DeviceFor::ForEachN, again, n, TripleInPlace());
    compare.expect("ForEachN", again.take(n), tripled);
    std::vector<int> grid;
    for (int i = 0; i < n / 10 * 10; i++) grid.push_back(1000 * (i / 10) + i % 10);
    if (grid.empty()) return;
    cuda::std::extents<int, cuda::std::dynamic_extent, 10> extents(n / 10);
    CUB(DeviceFor::ForEachInExtents, extents, PutSum{out});
    compare.expect("ForEachInExtents", out.take(grid.size()), grid);
}

static void transforms(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    DeviceArray<int> in(x), in_2(mapped(x, Triple())), out(n);
    checkCudaErrors(cub::DeviceTransform::Transform(raw(in), raw(out), n, Triple()));
    compare.expect("Transform", out.take(n), mapped(x, Triple()));
    checkCudaErrors(cub::DeviceTransform::Transform(cuda::std::make_tuple(raw(in), raw(in_2)),
                                                    raw(out), n, Plus()));
    compare.expect("Transform of two", out.take(n), mapped(x, [](int v) { return 4 * v + 1; }));
    checkCudaErrors(
        cub::DeviceTransform::TransformStableArgumentAddresses(raw(in), raw(out), n, Triple()));
    compare.expect("TransformStableArgumentAddresses", out.take(n), mapped(x, Triple()));
}

// Segments come out in the opposite order.
static void batches(Comparisons &compare, const std::vector<int> &x, HostRandom &random) {
    int n = (int)x.size(), count = n / 100 + 1;
    std::vector<int> offsets = segmentOffsets(random, count, n), want(n), sizes, bytes;
    DeviceArray<int> in(x), out(n), out_2(n);
    std::vector<int *> from, to, to_2;
    for (int s = 0; s < count; s++) {
        int size = offsets[s + 1] - offsets[s], at = n - offsets[s + 1];
        from.push_back(in + offsets[s]);
        to.push_back(out + at);
        to_2.push_back(out_2 + at);
        sizes.push_back(size);
        bytes.push_back(4 * size);
        std::copy(x.begin() + offsets[s], x.begin() + offsets[s + 1], want.begin() + at);
    }
    DeviceArray<int *> d_from(from), d_to(to), d_to_2(to_2);
    DeviceArray<int> d_sizes(sizes), d_bytes(bytes);
    CUB(DeviceCopy::Batched, d_from, d_to, d_sizes, count);
    compare.expect("Copy::Batched", out.take(n), want);
    CUB(DeviceMemcpy::Batched, d_from, d_to_2, d_bytes, count);
    compare.expect("Memcpy::Batched", out_2.take(n), want);
}

int main() {
    HostRandom random(26);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> x = randomInts(random, (size_t)n, 1000);
        differences(compare, x);
        histograms(compare, x);
        pixels(compare, x);
        loops(compare, x);
        transforms(compare, x);
        batches(compare, x, random);
    }
    return compare.finish("cub_elementwise");
}
