// CUB: merge sorts of keys and pairs, sorts of segments of very different lengths, merges of two
// sorted arrays.
// labels: full
#include <algorithm>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "algorithms.h"

struct Record { // no power of two bytes, and compared by one part
    int key, mark;
    short rest;
    __host__ __device__ bool operator<(const Record &other) const { return key < other.key; }
    bool operator==(const Record &other) const {
        return key == other.key && mark == other.mark && rest == other.rest;
    }
};

template <typename T>
static std::vector<int> sortedOrder(const std::vector<T> &keys, const std::vector<int> &offsets,
                                    bool down) {
    std::vector<int> order = ascending(keys.size());
    for (size_t s = 0; s + 1 < offsets.size(); s++)
        std::stable_sort(
            order.begin() + offsets[s], order.begin() + offsets[s + 1],
            [&](int a, int b) { return down ? keys[b] < keys[a] : keys[a] < keys[b]; });
    return order;
}
template <typename T>
static std::vector<T> inOrder(const std::vector<T> &keys, const std::vector<int> &order) {
    std::vector<T> to;
    for (int i : order) to.push_back(keys[i]);
    return to;
}

template <typename T> static void sorts(Comparisons &compare, const std::vector<T> &keys) {
    int n = (int)keys.size();
    std::vector<int> up = sortedOrder(keys, {0, n}, false);
    std::vector<T> want = inOrder(keys, up);
    DeviceArray<T> in(keys), out(n);
    DeviceArray<int> values(ascending(n)), values_out(n);
    CUB(DeviceMergeSort::SortKeysCopy, in, out, n, Less());
    compare.expect("SortKeysCopy", out.take(n), want);
    CUB(DeviceMergeSort::StableSortKeysCopy, in, out, n, Less());
    compare.expect("StableSortKeysCopy", out.take(n), want);
    CUB(DeviceMergeSort::SortPairsCopy, in, values, out, values_out, n, Less());
    compare.expect("SortPairsCopy's keys", out.take(n), want);
    compare.expect("SortPairsCopy", values_out.take(n), up);
    {
        DeviceArray<T> again(keys);
        CUB(DeviceMergeSort::SortKeys, again, n, Less());
        compare.expect("SortKeys", again.take(n), want);
    }
    {
        DeviceArray<T> again(keys);
        CUB(DeviceMergeSort::StableSortKeys, again, n, Less());
        compare.expect("StableSortKeys", again.take(n), want);
    }
    {
        DeviceArray<T> again(keys);
        CUB(DeviceMergeSort::SortPairs, again, values, n, Less());
        compare.expect("SortPairs", values.take(n), up);
    }
    CUB(DeviceMergeSort::StableSortPairs, in, values_out, n, Less());
    compare.expect("StableSortPairs' keys", in.take(n), want);
}

static void segments(Comparisons &compare, const std::vector<int> &keys, HostRandom &random) {
    int n = (int)keys.size(), count = n / 100 + 1;
    std::vector<int> offsets = segmentOffsets(random, count, n);
    std::vector<int> up = sortedOrder(keys, offsets, false),
                     down = sortedOrder(keys, offsets, true);
    DeviceArray<int> in(keys), out(n), values(ascending(n)), values_out(n), from(offsets);
    const int *k = in, *v = values, *begin = from, *end = begin + 1;
    int *to = out, *v_to = values_out;
    CUB(DeviceSegmentedSort::SortKeys, k, to, n, count, begin, end);
    compare.expect("segmented SortKeys", out.take(n), inOrder(keys, up));
    CUB(DeviceSegmentedSort::SortKeysDescending, k, to, n, count, begin, end);
    compare.expect("segmented SortKeysDescending", out.take(n), inOrder(keys, down));
    CUB(DeviceSegmentedSort::StableSortKeys, k, to, n, count, begin, end);
    compare.expect("segmented StableSortKeys", out.take(n), inOrder(keys, up));
    CUB(DeviceSegmentedSort::StableSortKeysDescending, k, to, n, count, begin, end);
    compare.expect("segmented StableSortKeysDescending", out.take(n), inOrder(keys, down));
    CUB(DeviceSegmentedSort::SortPairs, k, to, v, v_to, n, count, begin, end);
    compare.expect("segmented SortPairs", out.take(n), inOrder(keys, up));
    CUB(DeviceSegmentedSort::SortPairsDescending, k, to, v, v_to, n, count, begin, end);
    compare.expect("segmented SortPairsDescending", out.take(n), inOrder(keys, down));
    CUB(DeviceSegmentedSort::StableSortPairs, k, to, v, v_to, n, count, begin, end);
    compare.expect("segmented StableSortPairs", values_out.take(n), up);
    CUB(DeviceSegmentedSort::StableSortPairsDescending, k, to, v, v_to, n, count, begin, end);
    compare.expect("segmented StableSortPairsDescending", values_out.take(n), down);
}

static void merges(Comparisons &compare, std::vector<int> a, std::vector<int> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    int na = (int)a.size(), nb = (int)b.size();
    std::vector<int> both(a), want(na + nb);
    both.insert(both.end(), b.begin(), b.end());
    std::vector<int> order = sortedOrder(both, {0, na + nb}, false), marks = ascending(na + nb);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    DeviceArray<int> d_a(a), d_b(b), d_marks(marks), out(na + nb), out_marks(na + nb);
    CUB(DeviceMerge::MergeKeys, d_a, na, d_b, nb, out, Less());
    compare.expect("MergeKeys", out.take(want.size()), want);
    CUB(DeviceMerge::MergePairs, d_a, d_marks, na, d_b, d_marks + na, nb, out, out_marks, Less());
    compare.expect("MergePairs' keys", out.take(want.size()), want);
    compare.expect("MergePairs", out_marks.take(want.size()), order);
}

int main() {
    HostRandom random(24);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> keys = randomInts(random, (size_t)n, 100000);
        std::vector<Record> records;
        for (int i = 0; i < n; i++) records.push_back({keys[i] % 5000, i, (short)(i % 100)});
        sorts(compare, keys);
        sorts(compare, records);
        segments(compare, keys, random);
        merges(compare, keys, randomInts(random, (size_t)n / 3, 100000));
    }
    return compare.finish("cub_merge_sort");
}
