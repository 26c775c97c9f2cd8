// Thrust: vectors, sort, transform_reduce, scan by key, unique, a saxpy functor, zip iterators, and
// an own device policy on a stream.
// labels: full
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "../helper.h"

struct Saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Square {
    __host__ __device__ long long operator()(int v) const { return (long long)v * v; }
};

int main() {
    const int n = 20000;
    HostRandom random(15);
    thrust::host_vector<int> h(n);
    for (int i = 0; i < n; i++) h[i] = random.below(5000) - 2500;
    thrust::device_vector<int> d = h;

    long long squares =
        thrust::transform_reduce(d.begin(), d.end(), Square(), 0ll, thrust::plus<long long>());
    long long want = 0;
    for (int v : h) want += (long long)v * v;
    bool passed = squares == want;
    printf("sum of squares %lld\n", squares);

    thrust::sort(d.begin(), d.end());
    std::sort(h.begin(), h.end());
    passed = passed && thrust::equal(h.begin(), h.end(), thrust::host_vector<int>(d).begin());
    printf("sorted %d..%d\n", (int)d.front(), (int)d.back());

    thrust::device_vector<int> different = d;
    different.erase(thrust::unique(different.begin(), different.end()), different.end());
    int count = (int)(std::unique(h.begin(), h.end()) - h.begin());
    printf("different %zu\n", different.size());
    passed = passed && (int)different.size() == count;

    cudaStream_t stream;
    checkCudaErrors(cudaStreamCreate(&stream));
    thrust::device_vector<float> x(n), y(n, 1.0f);
    thrust::copy(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), x.begin());
    thrust::transform(thrust::cuda::par.on(stream), x.begin(), x.end(), y.begin(), y.begin(),
                      Saxpy{2.0f});
    checkCudaErrors(cudaStreamSynchronize(stream));
    printf("saxpy %.0f\n", (float)y[n - 1]);
    passed = passed && y[n - 1] == 2.0f * (n - 1) + 1;

    thrust::device_vector<int> scan(n);
    thrust::inclusive_scan(d.begin(), d.end(), scan.begin(), thrust::maximum<int>());
    passed = passed && thrust::equal(d.begin(), d.end(), scan.begin()); // already ascending
    int total = thrust::reduce(d.begin(), d.end());
    thrust::exclusive_scan(d.begin(), d.end(), scan.begin());
    printf("total %d\n", total);
    passed = passed && scan[n - 1] + d[n - 1] == total;
    return finish("thrust_algorithms", passed);
}
