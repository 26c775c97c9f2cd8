// CUB: all device-wide reductions, of an array and of its segments, and reduction by key.
// labels: full
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <numeric>

#include "algorithms.h"

static void reductions(Comparisons &compare, const std::vector<int> &x) {
    DeviceArray<int> in(x), out(1), at(1);
    DeviceArray<int64_t> index(1);
    int n = (int)x.size(), sum = std::accumulate(x.begin(), x.end(), 0);
    auto lowest = std::min_element(x.begin(), x.end());
    auto highest = std::max_element(x.begin(), x.end());
    CUB(DeviceReduce::Reduce, in, out, n, Plus(), 7);
    compare.expect("Reduce", out.first(), sum + 7);
    CUB(DeviceReduce::Sum, in, out, n);
    compare.expect("Sum", out.first(), sum);
    CUB(DeviceReduce::Min, in, out, n);
    compare.expect("Min", out.first(), *lowest);
    CUB(DeviceReduce::Max, in, out, n);
    compare.expect("Max", out.first(), *highest);
    CUB(DeviceReduce::ArgMin, in, out, index, (int64_t)n);
    compare.expect("ArgMin", out.first(), *lowest);
    compare.expect("ArgMin's index", index.first(), (int64_t)(lowest - x.begin()));
    CUB(DeviceReduce::ArgMax, in, out, index, (int64_t)n);
    compare.expect("ArgMax", out.first(), *highest);
    compare.expect("ArgMax's index", index.first(), (int64_t)(highest - x.begin()));
    CUB(DeviceReduce::TransformReduce, in, out, n, Plus(), Triple(), 0);
    compare.expect("TransformReduce", out.first(), 3 * sum + n);
}

static void narrow(Comparisons &compare, const std::vector<int> &x) {
    std::vector<uint8_t> bytes(x.begin(), x.end());
    std::vector<double> numbers(x.begin(), x.end());
    DeviceArray<uint8_t> in(bytes), out(1);
    DeviceArray<double> in_double(numbers), out_double(1);
    CUB(DeviceReduce::Sum, in, out, (int)x.size());
    compare.expect("Sum of bytes", (int)out.first(),
                   std::accumulate(bytes.begin(), bytes.end(), 0) & 255);
    CUB(DeviceReduce::Sum, in_double, out_double, (int)x.size());
    compare.expect("Sum of doubles", out_double.first(),
                   std::accumulate(numbers.begin(), numbers.end(), 0.0)); // exact: small integers
}

// f of each segment, where it is not empty, else `otherwise`.
template <typename T, typename F>
static std::vector<T> ofSegments(const std::vector<int> &x, const std::vector<int> &offsets, F f) {
    std::vector<T> results;
    for (size_t s = 0; s + 1 < offsets.size(); s++)
        results.push_back(f(x.begin() + offsets[s], x.begin() + offsets[s + 1]));
    return results;
}

static void segments(Comparisons &compare, const std::vector<int> &x, HostRandom &random) {
    const int count = (int)x.size() / 100 + 1;
    std::vector<int> offsets = segmentOffsets(random, count, (int)x.size());
    DeviceArray<int> in(x), from(offsets), out(count);
    DeviceArray<cub::KeyValuePair<int, int>> pairs(count);
    auto sum = [](auto a, auto b) { return std::accumulate(a, b, 0); };
    auto least = [](auto a, auto b) { return a == b ? INT_MAX : *std::min_element(a, b); };
    auto most = [](auto a, auto b) { return a == b ? INT_MIN : *std::max_element(a, b); };
    CUB(DeviceSegmentedReduce::Reduce, in, out, count, from, from + 1, Plus(), 0);
    compare.expect("segmented Reduce", out.take(count), ofSegments<int>(x, offsets, sum));
    CUB(DeviceSegmentedReduce::Sum, in, out, count, from, from + 1);
    compare.expect("segmented Sum", out.take(count), ofSegments<int>(x, offsets, sum));
    CUB(DeviceSegmentedReduce::Min, in, out, count, from, from + 1);
    compare.expect("segmented Min", out.take(count), ofSegments<int>(x, offsets, least));
    CUB(DeviceSegmentedReduce::Max, in, out, count, from, from + 1);
    compare.expect("segmented Max", out.take(count), ofSegments<int>(x, offsets, most));
    auto values = [&] {
        std::vector<int> v;
        for (auto pair : pairs.take(count)) v.push_back(pair.value);
        return v;
    };
    CUB(DeviceSegmentedReduce::ArgMin, in, pairs, count, from, from + 1);
    compare.expect("segmented ArgMin", values(), ofSegments<int>(x, offsets, least));
    CUB(DeviceSegmentedReduce::ArgMax, in, pairs, count, from, from + 1);
    compare.expect("segmented ArgMax", values(), ofSegments<int>(x, offsets, most));
}

static void byKey(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<int> keys(n), want_keys, want_sums;
    for (int i = 0; i < n; i++) keys[i] = i == 0 ? 0 : keys[i - 1] + (x[i] % 5 == 0);
    for (int i = 0; i < n; i++) {
        if (want_keys.empty() || want_keys.back() != keys[i]) {
            want_keys.push_back(keys[i]);
            want_sums.push_back(0);
        }
        want_sums.back() += x[i];
    }
    DeviceArray<int> d_keys(keys), values(x), unique(n), sums(n), runs(1);
    CUB(DeviceReduce::ReduceByKey, d_keys, unique, values, sums, runs, Plus(), n);
    compare.expect("ReduceByKey's runs", runs.first(), (int)want_keys.size());
    compare.expect("ReduceByKey's keys", unique.take(want_keys.size()), want_keys);
    compare.expect("ReduceByKey", sums.take(want_sums.size()), want_sums);
}

int main() {
    HostRandom random(21);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> x = randomInts(random, (size_t)n, 1000);
        reductions(compare, x);
        narrow(compare, x);
        segments(compare, x, random);
        byKey(compare, x);
    }
    return compare.finish("cub_reduce");
}
