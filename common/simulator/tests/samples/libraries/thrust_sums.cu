// Thrust: reductions, searches for an element, comparisons, and moving elements about.
// labels: full
#include <algorithm>
#include <numeric>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/reduce.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "algorithms.h"

typedef thrust::device_vector<int> Ints;

static std::vector<int> host(const Ints &from) {
    std::vector<int> to(from.size());
    thrust::copy(from.begin(), from.end(), to.begin());
    return to;
}

struct Add1 {
    __device__ void operator()(int &v) const { v++; }
};
struct Seven {
    __device__ int operator()() const { return 7; }
};
struct AddPair {
    template <typename T> __device__ void operator()(T pair) const {
        thrust::get<1>(pair) += thrust::get<0>(pair);
    }
};

static void reductions(Comparisons &compare, const std::vector<int> &x) {
    Ints d(x);
    long long squares = 0;
    for (int v : x) squares += (long long)v * v;
    compare.expect("reduce", thrust::reduce(d.begin(), d.end()),
                   std::accumulate(x.begin(), x.end(), 0));
    compare.expect("transform_reduce",
                   thrust::transform_reduce(d.begin(), d.end(), Triple(), -1, Larger()),
                   3 * *std::max_element(x.begin(), x.end()) + 1);
    compare.expect("inner_product", thrust::inner_product(d.begin(), d.end(), d.begin(), 0LL),
                   squares);
    compare.expect("count", (int)thrust::count(d.begin(), d.end(), 5),
                   (int)std::count(x.begin(), x.end(), 5));
    compare.expect("count_if", (int)thrust::count_if(d.begin(), d.end(), IsOdd()),
                   (int)std::count_if(x.begin(), x.end(), IsOdd()));
    compare.expect("min_element", thrust::min_element(d.begin(), d.end()) - d.begin(),
                   std::min_element(x.begin(), x.end()) - x.begin());
    compare.expect("max_element", thrust::max_element(d.begin(), d.end()) - d.begin(),
                   std::max_element(x.begin(), x.end()) - x.begin());
    auto ends = thrust::minmax_element(d.begin(), d.end());
    compare.expect("minmax_element", (int)*ends.second - (int)*ends.first,
                   *std::max_element(x.begin(), x.end()) - *std::min_element(x.begin(), x.end()));
}

static void searches(Comparisons &compare, const std::vector<int> &x) {
    Ints d(x), other(x);
    size_t last = x.size() - 1;
    compare.expect("find", thrust::find(d.begin(), d.end(), x[last]) - d.begin(),
                   std::find(x.begin(), x.end(), x[last]) - x.begin());
    compare.expect("find_if", thrust::find_if(d.begin(), d.end(), Below{2}) - d.begin(),
                   std::find_if(x.begin(), x.end(), Below{2}) - x.begin());
    compare.expect("equal", thrust::equal(d.begin(), d.end(), other.begin()), true);
    other[last] = -1;
    compare.expect("not equal", thrust::equal(d.begin(), d.end(), other.begin()), false);
    auto where = thrust::mismatch(d.begin(), d.end(), other.begin());
    compare.expect("mismatch", (size_t)(where.first - d.begin()), last);
    compare.expect("all_of", thrust::all_of(d.begin(), d.end(), Below{1000}), true);
    compare.expect("any_of", thrust::any_of(other.begin(), other.end(), Below{0}), true);
    compare.expect("none_of", thrust::none_of(d.begin(), d.end(), Below{0}), true);
}

static void moves(Comparisons &compare, const std::vector<int> &x, HostRandom &random) {
    int n = (int)x.size();
    std::vector<int> map = ascending(n), gathered(n), scattered(n), chosen(n, -1);
    for (int i = n - 1; i > 0; i--) std::swap(map[i], map[random.below(i + 1)]);
    for (int i = 0; i < n; i++) {
        gathered[i] = x[map[i]];
        scattered[map[i]] = x[i];
        if (x[i] & 1) chosen[map[i]] = x[i];
    }
    Ints d(x), d_map(map), out(n, -1);
    thrust::scatter_if(d.begin(), d.end(), d_map.begin(), d.begin(), out.begin(), IsOdd());
    compare.expect("scatter_if", host(out), chosen);
    thrust::gather(d_map.begin(), d_map.end(), d.begin(), out.begin());
    compare.expect("gather", host(out), gathered);
    thrust::scatter(d.begin(), d.end(), d_map.begin(), out.begin());
    compare.expect("scatter", host(out), scattered);
    compare.expect("permutation_iterator",
                   thrust::reduce(thrust::make_permutation_iterator(d.begin(), d_map.begin()),
                                  thrust::make_permutation_iterator(d.begin(), d_map.end())),
                   std::accumulate(x.begin(), x.end(), 0));
    thrust::reverse(d.begin(), d.end());
    compare.expect("reverse", host(d), std::vector<int>(x.rbegin(), x.rend()));
    thrust::swap_ranges(d.begin(), d.end(), d_map.begin());
    compare.expect("swap_ranges", host(d), map);
    thrust::reverse_copy(d.begin(), d.end(), out.begin());
    compare.expect("reverse_copy", host(out), std::vector<int>(map.rbegin(), map.rend()));
}

static void fills(Comparisons &compare, const std::vector<int> &x) {
    size_t n = x.size();
    Ints d(n), from(x);
    thrust::fill(d.begin(), d.end(), 3);
    compare.expect("fill", host(d), std::vector<int>(n, 3));
    thrust::generate(d.begin(), d.end(), Seven());
    compare.expect("generate", host(d), std::vector<int>(n, 7));
    thrust::sequence(d.begin(), d.end());
    compare.expect("sequence", host(d), ascending(n));
    thrust::tabulate(d.begin(), d.end(), Triple());
    compare.expect("tabulate", host(d), mapped(ascending(n), Triple()));
    thrust::for_each(from.begin(), from.end(), Add1());
    compare.expect("for_each", host(from), mapped(x, [](int v) { return v + 1; }));
    cudaStream_t stream;
    checkCudaErrors(cudaStreamCreate(&stream));
    thrust::transform(thrust::cuda::par.on(stream), from.begin(), from.end(),
                      thrust::make_constant_iterator(2), d.begin(), Plus());
    checkCudaErrors(cudaStreamSynchronize(stream));
    checkCudaErrors(cudaStreamDestroy(stream));
    compare.expect("transform", host(d), mapped(x, [](int v) { return v + 3; }));
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(from.begin(), d.begin()));
    thrust::for_each_n(pairs, n, AddPair());
    compare.expect("for_each_n", host(d), mapped(x, [](int v) { return 2 * v + 4; }));
    thrust::transform_if(d.begin(), d.end(), from.begin(), d.begin(), Triple(), IsOdd());
    compare.expect("transform_if", host(d),
                   mapped(x, [](int v) { return v & 1 ? 2 * v + 4 : 3 * (2 * v + 4) + 1; }));
}

int main() {
    HostRandom random(29);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> x = randomInts(random, (size_t)n, 1000);
        reductions(compare, x);
        searches(compare, x);
        moves(compare, x, random);
        fills(compare, x);
    }
    return compare.finish("thrust_sums");
}
