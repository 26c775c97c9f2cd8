// Thrust: removing, copying and partitioning by a condition, unique elements, scans and reductions
// by key.
// labels: full
#include <algorithm>
#include <numeric>
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include "algorithms.h"

typedef thrust::device_vector<int> Ints;

static std::vector<int> host(const Ints &from, size_t count) {
    std::vector<int> to(count);
    thrust::copy(from.begin(), from.begin() + count, to.begin());
    return to;
}
static std::vector<int> until(const Ints &from, Ints::iterator end) {
    return host(from, (size_t)(end - from.begin()));
}

static void conditions(Comparisons &compare, const std::vector<int> &x) {
    std::vector<int> odd, even, fives;
    for (int v : x) {
        (v & 1 ? odd : even).push_back(v);
        if (v != 5) fives.push_back(v);
    }
    Ints d(x), in(x), out(x.size());
    compare.expect("copy_if", until(out, thrust::copy_if(d.begin(), d.end(), out.begin(), IsOdd())),
                   odd);
    compare.expect("copy_if by a stencil",
                   until(out, thrust::copy_if(d.begin(), d.end(), d.begin(), out.begin(), IsOdd())),
                   odd);
    compare.expect("remove_copy_if",
                   until(out, thrust::remove_copy_if(d.begin(), d.end(), out.begin(), IsOdd())),
                   even);
    compare.expect("remove_if", until(d, thrust::remove_if(d.begin(), d.end(), IsOdd())), even);
    d = in;
    compare.expect("remove", until(d, thrust::remove(d.begin(), d.end(), 5)), fives);
    d = in;
    thrust::replace_if(d.begin(), d.end(), IsOdd(), -1);
    compare.expect("replace_if", host(d, x.size()),
                   mapped(x, [](int v) { return v & 1 ? -1 : v; }));
}

static void partitions(Comparisons &compare, const std::vector<int> &x) {
    std::vector<int> want(x);
    size_t first = std::stable_partition(want.begin(), want.end(), IsOdd()) - want.begin();
    std::vector<int> odd(want.begin(), want.begin() + first),
        even(want.begin() + first, want.end());
    Ints d(x), one(x.size()), two(x.size());
    auto middle = thrust::stable_partition(d.begin(), d.end(), IsOdd());
    compare.expect("stable_partition's middle", (size_t)(middle - d.begin()), first);
    compare.expect("stable_partition", host(d, x.size()), want);
    auto ends =
        thrust::stable_partition_copy(d.begin(), d.end(), one.begin(), two.begin(), IsOdd());
    compare.expect("stable_partition_copy, first", until(one, ends.first), odd);
    compare.expect("stable_partition_copy, second", until(two, ends.second), even);
    d = x;
    thrust::partition(d.begin(), d.end(), IsOdd());
    compare.expect("is_partitioned", thrust::is_partitioned(d.begin(), d.end(), IsOdd()), true);
    compare.expect("partition_point",
                   (size_t)(thrust::partition_point(d.begin(), d.end(), IsOdd()) - d.begin()),
                   first);
    std::vector<int> got = host(d, x.size());
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    compare.expect("partition", got, want);
}

static void uniques(Comparisons &compare, const std::vector<int> &x) {
    std::vector<int> want(x), starts;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    for (size_t i = 0; i < x.size(); i++)
        if (i == 0 || x[i] != x[i - 1]) starts.push_back((int)i);
    Ints d(x), values(ascending(x.size())), out(x.size()), out_values(x.size());
    compare.expect("unique_copy", until(out, thrust::unique_copy(d.begin(), d.end(), out.begin())),
                   want);
    compare.expect("unique_count", (size_t)thrust::unique_count(d.begin(), d.end()), want.size());
    auto ends = thrust::unique_by_key_copy(d.begin(), d.end(), values.begin(), out.begin(),
                                           out_values.begin());
    compare.expect("unique_by_key_copy", until(out_values, ends.second), starts);
    auto both = thrust::unique_by_key(d.begin(), d.end(), values.begin());
    compare.expect("unique_by_key's keys", until(d, both.first), want);
    compare.expect("unique_by_key", until(values, both.second), starts);
    d = x;
    compare.expect("unique", until(d, thrust::unique(d.begin(), d.end())), want);
}

// keys: the same for all, or ascending in runs.
static void byKey(Comparisons &compare, const std::vector<int> &x, bool one_key) {
    size_t n = x.size();
    std::vector<int> keys(n), inclusive(n), exclusive(n), sums, names;
    for (size_t i = 1; i < n; i++) keys[i] = keys[i - 1] + (!one_key && x[i] % 5 == 0);
    for (size_t i = 0; i < n; i++) {
        bool begins = i == 0 || keys[i] != keys[i - 1];
        exclusive[i] = begins ? 0 : inclusive[i - 1];
        inclusive[i] = exclusive[i] + x[i];
        if (begins) names.push_back(keys[i]);
        if (begins) sums.push_back(0);
        sums.back() += x[i];
    }
    Ints d(x), d_keys(keys), out(n), out_keys(n);
    thrust::inclusive_scan_by_key(d_keys.begin(), d_keys.end(), d.begin(), out.begin());
    compare.expect("inclusive_scan_by_key", host(out, n), inclusive);
    thrust::exclusive_scan_by_key(d_keys.begin(), d_keys.end(), d.begin(), out.begin());
    compare.expect("exclusive_scan_by_key", host(out, n), exclusive);
    auto ends = thrust::reduce_by_key(d_keys.begin(), d_keys.end(), d.begin(), out_keys.begin(),
                                      out.begin());
    compare.expect("reduce_by_key's keys", until(out_keys, ends.first), names);
    compare.expect("reduce_by_key", until(out, ends.second), sums);
    if (!one_key) return;
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    compare.expect("inclusive_scan", host(out, n), inclusive);
    thrust::transform_exclusive_scan(d.begin(), d.end(), out.begin(), Triple(), 0, Plus());
    for (size_t i = 0; i < n; i++) exclusive[i] = 3 * exclusive[i] + (int)i;
    compare.expect("transform_exclusive_scan", host(out, n), exclusive);
    thrust::adjacent_difference(out.begin(), out.end(), out_keys.begin());
    std::adjacent_difference(exclusive.begin(), exclusive.end(), exclusive.begin());
    compare.expect("adjacent_difference", host(out_keys, n), exclusive);
    thrust::inclusive_scan(d.begin(), d.end(), d.begin());
    compare.expect("inclusive_scan in place", host(d, n), inclusive);
}

int main() {
    HostRandom random(28);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> x = randomInts(random, (size_t)n, 100), few = randomInts(random, n, 3);
        conditions(compare, x);
        partitions(compare, x);
        uniques(compare, few);
        byKey(compare, x, false);
        byKey(compare, x, true);
    }
    return compare.finish("thrust_selections");
}
