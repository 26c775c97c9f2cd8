// Extended lambdas as kernel arguments: a parallel-for, a parallel reduction over any monoid,
// captures by value of scalars and pointers, and launch bounds chosen with the occupancy API.
// options: --extended-lambda
#include "../helper.h"

template <typename F> __global__ void forEachKernel(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
template <typename F> void parallelFor(int n, F f) {
    int minimumGrid = 0, block = 0;
    checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&minimumGrid, &block, forEachKernel<F>));
    int grid = divUp(n, block) < minimumGrid ? divUp(n, block) : minimumGrid;
    forEachKernel<<<grid, block>>>(n, f);
    getLastCudaError("parallelFor");
}

template <typename T, typename Map, typename Combine>
__global__ void mapReduceKernel(int n, T identity, Map map, Combine combine, T *out) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *shared = reinterpret_cast<T *>(raw), mine = identity;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine = combine(mine, map(i));
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = shared[0];
}

int main() {
    const int n = 30000;
    int *a, *b;
    long long *sum;
    float2 *range;
    checkCudaErrors(cudaMallocManaged(&a, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&b, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&sum, sizeof *sum));
    checkCudaErrors(cudaMallocManaged(&range, sizeof *range));
    int factor = 7, offset = -3;
    parallelFor(
        n, [=] __device__(int i) { a[i] = factor * i + offset; });
    parallelFor(
        n, [=] __host__ __device__(int i) { b[i] = a[n - 1 - i] % 1000; });
    mapReduceKernel<<<1, 256, 256 * sizeof(long long)>>>(
        n, 0ll, [=] __device__(int i) { return (long long)a[i] * b[i]; },
        [] __device__(long long x, long long y) { return x + y; }, sum);
    mapReduceKernel<<<1, 128, 128 * sizeof(float2)>>>(
        n, make_float2(1e30f, -1e30f),
        [=] __device__(int i) { return make_float2((float)b[i], (float)b[i]); },
        [] __device__(float2 x, float2 y) { return make_float2(fminf(x.x, y.x), fmaxf(x.y, y.y)); },
        range);
    getLastCudaError("mapReduce");
    checkCudaErrors(cudaDeviceSynchronize());
    long long want = 0;
    bool passed = true;
    for (int i = 0; i < n; i++) {
        passed = passed && a[i] == 7 * i - 3 && b[i] == a[n - 1 - i] % 1000;
        want += (long long)a[i] * b[i];
    }
    printf("sum %lld, from %.0f to %.0f\n", *sum, range->x, range->y);
    return finish("extended_lambda", passed && *sum == want && range->x == -3 && range->y == 999);
}
