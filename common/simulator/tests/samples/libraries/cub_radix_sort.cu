// CUB: radix sorts of an array and of its segments; keys and pairs, both directions, a part of the
// bits, two buffers, other types.
// labels: full
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "algorithms.h"

// The order in which a stable sort puts the elements of each segment.
template <typename T, typename F>
static std::vector<int> sortedOrder(const std::vector<T> &keys, const std::vector<int> &offsets,
                                    F before) {
    std::vector<int> order = ascending(keys.size());
    for (size_t s = 0; s + 1 < offsets.size(); s++)
        std::stable_sort(order.begin() + offsets[s], order.begin() + offsets[s + 1],
                         [&](int a, int b) { return before(keys[a], keys[b]); });
    return order;
}
template <typename T>
static std::vector<T> inOrder(const std::vector<T> &keys, const std::vector<int> &order) {
    std::vector<T> to;
    for (int i : order) to.push_back(keys[i]);
    return to;
}
struct Greater {
    template <typename T> bool operator()(T a, T b) const { return b < a; }
};

template <typename T> static void sorts(Comparisons &compare, const std::vector<T> &keys) {
    int n = (int)keys.size();
    DeviceArray<T> in(keys), out(n);
    DeviceArray<int> values(ascending(n)), values_out(n);
    std::vector<int> up = sortedOrder(keys, {0, n}, Less());
    std::vector<int> down = sortedOrder(keys, {0, n}, Greater());
    CUB(DeviceRadixSort::SortKeys, in, out, n);
    compare.expect("SortKeys", out.take(n), inOrder(keys, up));
    CUB(DeviceRadixSort::SortKeysDescending, in, out, n);
    compare.expect("SortKeysDescending", out.take(n), inOrder(keys, down));
    CUB(DeviceRadixSort::SortPairs, in, out, values, values_out, n);
    compare.expect("SortPairs' keys", out.take(n), inOrder(keys, up));
    compare.expect("SortPairs", values_out.take(n), up);
    CUB(DeviceRadixSort::SortPairsDescending, in, out, values, values_out, n);
    compare.expect("SortPairsDescending", values_out.take(n), down);
}

static void bitsAndBuffers(Comparisons &compare, const std::vector<int> &keys) {
    int n = (int)keys.size();
    DeviceArray<int> in(keys), out(n), values(ascending(n)), values_out(n);
    auto middle = [](int a, int b) { return (a >> 3 & 31) < (b >> 3 & 31); };
    CUB(DeviceRadixSort::SortPairs, in, out, values, values_out, n, 3, 8);
    compare.expect("SortPairs by bits 3 to 7", values_out.take(n),
                   sortedOrder(keys, {0, n}, middle));
    cub::DoubleBuffer<int> both(in, out);
    withTemporary([&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, both, n);
    });
    std::vector<int> got(n), want(keys);
    checkCudaErrors(
        cudaMemcpy(got.data(), both.Current(), n * sizeof(int), cudaMemcpyDeviceToHost));
    std::sort(want.begin(), want.end());
    compare.expect("SortKeys in two buffers", got, want);
}

static void segments(Comparisons &compare, const std::vector<int> &keys, HostRandom &random) {
    int n = (int)keys.size(), count = n / 200 + 1;
    std::vector<int> offsets = segmentOffsets(random, count, n);
    DeviceArray<int> in(keys), out(n), values(ascending(n)), values_out(n), from(offsets);
    std::vector<int> up = sortedOrder(keys, offsets, Less());
    std::vector<int> down = sortedOrder(keys, offsets, Greater());
    const int *begin = from, *end = begin + 1;
    CUB(DeviceSegmentedRadixSort::SortKeys, in, out, n, count, begin, end);
    compare.expect("segmented SortKeys", out.take(n), inOrder(keys, up));
    CUB(DeviceSegmentedRadixSort::SortKeysDescending, in, out, n, count, begin, end);
    compare.expect("segmented SortKeysDescending", out.take(n), inOrder(keys, down));
    CUB(DeviceSegmentedRadixSort::SortPairs, in, out, values, values_out, n, count, begin, end);
    compare.expect("segmented SortPairs", values_out.take(n), up);
    CUB(DeviceSegmentedRadixSort::SortPairsDescending, in, out, values, values_out, n, count, begin,
        end);
    compare.expect("segmented SortPairsDescending", values_out.take(n), down);
}

int main() {
    HostRandom random(23);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> keys = randomInts(random, (size_t)n, 1 << 20);
        for (int &key : keys) key -= 1 << 19;
        sorts(compare, keys);
        bitsAndBuffers(compare, keys);
        segments(compare, keys, random);
        sorts(compare, std::vector<float>(keys.begin(), keys.end()));
        sorts(compare, std::vector<uint8_t>(keys.begin(), keys.end()));
    }
    return compare.finish("cub_radix_sort");
}
