// Thrust: sorts, merges, sets and searches in sorted sequences.
// labels: full
#include <algorithm>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>

#include "algorithms.h"

typedef thrust::device_vector<int> Ints;

static std::vector<int> host(const Ints &from, size_t count) {
    std::vector<int> to(count);
    thrust::copy(from.begin(), from.begin() + count, to.begin());
    return to;
}
static std::vector<int> host(const Ints &from) { return host(from, from.size()); }

struct LastDigitLess { // no radix sort: a merge sort
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

static void sorts(Comparisons &compare, const std::vector<int> &x) {
    std::vector<int> up(x), digits(x), order = ascending(x.size());
    std::sort(up.begin(), up.end());
    std::stable_sort(digits.begin(), digits.end(), LastDigitLess());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[a] < x[b]; });
    Ints d(x), marks(ascending(x.size()));
    thrust::sort(d.begin(), d.end());
    compare.expect("sort", host(d), up);
    compare.expect("is_sorted", thrust::is_sorted(d.begin(), d.end()), true);
    thrust::sort(d.begin(), d.end(), thrust::greater<int>());
    compare.expect("sort downwards", host(d), std::vector<int>(up.rbegin(), up.rend()));
    d = x;
    thrust::stable_sort(d.begin(), d.end(), LastDigitLess());
    compare.expect("stable_sort", host(d), digits);
    d = x;
    thrust::sort_by_key(d.begin(), d.end(), marks.begin());
    compare.expect("sort_by_key's keys", host(d), up);
    compare.expect("sort_by_key", host(marks), order);
    d = x;
    marks = ascending(x.size());
    std::stable_sort(
        order.begin(), order.end(), [&](int a, int b) { return a < b; }); // as at the beginning
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return LastDigitLess()(x[a], x[b]); });
    thrust::stable_sort_by_key(d.begin(), d.end(), marks.begin(), LastDigitLess());
    compare.expect("stable_sort_by_key", host(marks), order);
    auto until = thrust::is_sorted_until(d.begin(), d.end());
    compare.expect("is_sorted_until", (int)(until - d.begin()),
                   (int)(std::is_sorted_until(digits.begin(), digits.end()) - digits.begin()));
}

static void merges(Comparisons &compare, const std::vector<int> &a, const std::vector<int> &b) {
    std::vector<int> want(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    Ints d_a(a), d_b(b), values_a(a), values_b(b), out(want.size()), values(want.size());
    thrust::merge(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin());
    compare.expect("merge", host(out), want);
    thrust::merge_by_key(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), values_a.begin(),
                         values_b.begin(), out.begin(), values.begin());
    compare.expect("merge_by_key", host(values), want);
}

// One operation on two sets; with keys the values are the keys again.
#define SET(name)                                                                                  \
    do {                                                                                           \
        std::vector<int> want;                                                                     \
        std::name(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));               \
        auto end = thrust::name(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin());      \
        compare.expect(#name "'s count", (size_t)(end - out.begin()), want.size());                \
        compare.expect(#name, host(out, want.size()), want);                                       \
    } while (0)

static void sets(Comparisons &compare, const std::vector<int> &a, const std::vector<int> &b) {
    Ints d_a(a), d_b(b), out(a.size() + b.size()), values(a.size() + b.size());
    SET(set_union);
    SET(set_intersection);
    SET(set_difference);
    SET(set_symmetric_difference);
    std::vector<int> want;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
    thrust::set_union_by_key(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), d_a.begin(),
                             d_b.begin(), out.begin(), values.begin());
    compare.expect("set_union_by_key", host(values, want.size()), want);
    want.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(want));
    thrust::set_intersection_by_key(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), d_a.begin(),
                                    out.begin(), values.begin());
    compare.expect("set_intersection_by_key", host(values, want.size()), want);
}

static void searches(Comparisons &compare, const std::vector<int> &a, const std::vector<int> &b) {
    Ints d_a(a), d_b(b), out(b.size());
    thrust::device_vector<bool> found(b.size());
    std::vector<int> lower, upper, is_there;
    for (int v : b) {
        lower.push_back((int)(std::lower_bound(a.begin(), a.end(), v) - a.begin()));
        upper.push_back((int)(std::upper_bound(a.begin(), a.end(), v) - a.begin()));
        is_there.push_back(std::binary_search(a.begin(), a.end(), v));
    }
    thrust::lower_bound(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin());
    compare.expect("lower_bound", host(out), lower);
    thrust::upper_bound(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), out.begin());
    compare.expect("upper_bound", host(out), upper);
    thrust::binary_search(d_a.begin(), d_a.end(), d_b.begin(), d_b.end(), found.begin());
    out.assign(found.begin(), found.end());
    compare.expect("binary_search", host(out), is_there);
    compare.expect("lower_bound of one",
                   (int)(thrust::lower_bound(d_a.begin(), d_a.end(), b[0]) - d_a.begin()),
                   lower[0]);
    auto range = thrust::equal_range(d_a.begin(), d_a.end(), b[0]);
    compare.expect("equal_range", (int)(range.second - range.first), upper[0] - lower[0]);
}

int main() {
    HostRandom random(27);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> a = randomInts(random, (size_t)n, 2 * n + 1);
        std::vector<int> b = randomInts(random, (size_t)n / 2 + 1, 2 * n + 1);
        sorts(compare, a);
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        merges(compare, a, b);
        searches(compare, a, b);
        a.erase(std::unique(a.begin(), a.end()), a.end());
        b.erase(std::unique(b.begin(), b.end()), b.end());
        sets(compare, a, b);
    }
    return compare.finish("thrust_sorts");
}
