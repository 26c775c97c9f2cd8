// Kinds of variables, numbers and parameters.
// engine: yes
#include "../check.h"

#include <cmath>
#include <cuda_fp16.h>

// __device__ variables: counted into by a kernel, read by name and by address, with initial values.
namespace device_symbols {

__device__ int hits;
__device__ double table[3] = {0.5, 1.5, 2.5};
__device__ int *where = &hits;

__global__ void count(int limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < limit) atomicAdd(where, 1);
    if (i == 0) table[1] = table[0] + table[2];
}

static void run_all() {
    count<<<10, 64>>>(500);
    CUDA_CHECK(cudaGetLastError());
    int n;
    CUDA_CHECK(cudaMemcpyFromSymbol(&n, hits, sizeof n));
    EXPECT(n == 500);

    void *address;
    size_t bytes;
    CUDA_CHECK(cudaGetSymbolAddress(&address, table));
    CUDA_CHECK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == 3 * sizeof(double));
    double values[3];
    CUDA_CHECK(cudaMemcpy(values, address, bytes, cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 0.5 && values[1] == 3.0 && values[2] == 2.5);

    int zero = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(hits, &zero, sizeof zero));
    count<<<1, 64>>>(7);
    CUDA_CHECK(cudaMemcpyFromSymbol(&n, hits, sizeof n));
    EXPECT(n == 7);
}

} // namespace device_symbols

// Arithmetic in the types of numbers that programs use: half, double, 64-bit integers, mathematics.
namespace number_types {

__global__ void halves(const __half *a, const __half *b, __half *c, int n) {
    int i = threadIdx.x;
    if (i < n) c[i] = __hfma(a[i], b[i], __float2half(1.0f));
}

__global__ void doubles(const double *x, double *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = sqrt(x[i]) + sin(x[i]) * exp(-x[i]) + fmod(x[i], 3.0);
}

__global__ void integers(const long long *x, long long *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] * x[i] / 7 + x[i] % 13 + __popcll(x[i]) - __clzll(x[i]);
}

static void run_all() {
    const int n = 64;
    __half a[n], b[n], c[n];
    double x[n], y[n];
    long long p[n], q[n];
    for (int i = 0; i < n; i++) {
        a[i] = __float2half(0.25f * i);
        b[i] = __float2half(2.0f);
        x[i] = 0.37 * i;
        p[i] = (1LL << 20) * i + 3;
    }
    void *in, *in2, *out;
    CUDA_CHECK(cudaMalloc(&in, sizeof x));
    CUDA_CHECK(cudaMalloc(&in2, sizeof x));
    CUDA_CHECK(cudaMalloc(&out, sizeof x));
    CUDA_CHECK(cudaMemcpy(in, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(in2, b, sizeof b, cudaMemcpyHostToDevice));
    halves<<<1, n>>>((__half *)in, (__half *)in2, (__half *)out, n);
    CUDA_CHECK(cudaMemcpy(c, out, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(__half2float(c[i]) == 0.5f * i + 1.0f);

    CUDA_CHECK(cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice));
    doubles<<<1, n>>>((double *)in, (double *)out, n);
    CUDA_CHECK(cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        double want = sqrt(x[i]) + sin(x[i]) * exp(-x[i]) + fmod(x[i], 3.0);
        EXPECT(fabs(y[i] - want) <= 1e-13 * (1 + fabs(want)));
    }

    CUDA_CHECK(cudaMemcpy(in, p, sizeof p, cudaMemcpyHostToDevice));
    integers<<<1, n>>>((long long *)in, (long long *)out, n);
    CUDA_CHECK(cudaMemcpy(q, out, sizeof q, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(q[i] ==
               p[i] * p[i] / 7 + p[i] % 13 + __builtin_popcountll(p[i]) - __builtin_clzll(p[i]));
}

} // namespace number_types

// Kernel parameters of all shapes: structures by value, small types with padding, many of them,
// templates; launches by <<<>>>, cudaLaunchKernel and cudaLaunchKernelEx.
namespace parameters {

struct settings {
    char tag;
    double scale;
    float offsets[5];
    short last;
};

__global__ void apply(settings s, unsigned char a, short b, long long c, bool d, double *out) {
    out[0] = s.tag;
    out[1] = s.scale;
    out[2] = s.offsets[4];
    out[3] = s.last;
    out[4] = a;
    out[5] = b;
    out[6] = (double)c;
    out[7] = d;
}

template <typename T, int N> __global__ void fill(T *out, T first) {
    for (int i = 0; i < N; i++) out[i] = first + (T)i;
}

struct block_of_words {
    int words[900];
};

__global__ void large(block_of_words values, int *out) {
    int sum = 0;
    for (int i = 0; i < 900; i++) sum += values.words[i];
    *out = sum;
}

static void check(const double *device) {
    double out[8];
    CUDA_CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    const double want[8] = {'q', 2.5, 5, -3, 200, -1000, 1LL << 40, 1};
    for (int i = 0; i < 8; i++) EXPECT(out[i] == want[i]);
    CUDA_CHECK(cudaMemset((void *)device, 0, sizeof out));
}

static void run_all() {
    double *device;
    CUDA_CHECK(cudaMalloc(&device, 8 * sizeof(double)));
    settings s = {'q', 2.5, {1, 2, 3, 4, 5}, -3};
    unsigned char a = 200;
    short b = -1000;
    long long c = 1LL << 40;
    bool d = true;
    apply<<<1, 1>>>(s, a, b, c, d, device);
    check(device);
    void *arguments[] = {&s, &a, &b, &c, &d, &device};
    CUDA_CHECK(cudaLaunchKernel((const void *)apply, dim3(1), dim3(1), arguments, 0, 0));
    check(device);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    CUDA_CHECK(cudaLaunchKernelEx(&config, apply, s, a, b, c, d, device));
    check(device);
    fill<float, 3><<<1, 1>>>((float *)device, 1.5f);
    float values[3];
    CUDA_CHECK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 1.5f && values[2] == 3.5f);
    block_of_words words;
    int want = 0, got;
    for (int i = 0; i < 900; i++) want += words.words[i] = i * i % 91;
    large<<<1, 1>>>(words, (int *)device);
    CUDA_CHECK(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == want);
}

} // namespace parameters

int main() {
    return run_parts({device_symbols::run_all, number_types::run_all, parameters::run_all});
}
