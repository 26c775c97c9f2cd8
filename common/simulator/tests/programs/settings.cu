// One kernel a language feature, for every way of compiling them: all values are exact whatever the
// compiler fuses or unrolls, or compared with a bound. Prints a line a kernel; every compilation
// must print the same.
// build: none
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <mma.h>

#include "check.h"

namespace cg = cooperative_groups;
enum { BLOCKS = 3, THREADS = 96, COUNT = BLOCKS * THREADS };

__constant__ int weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ unsigned visits;

__global__ void integers(long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long wide = (long long)i * 1000003 - 77;
    unsigned word = (unsigned)i * 2654435761u;
    out[i] = wide / (i + 3) + wide % 13 + (word >> (i % 32)) + __popc(word) + __clz(i) +
             (int)__brev(word) % 7 + __funnelshift_l(word, ~word, i) +
             (short)i / (short)(i % 5 + 1);
}

__global__ void floats(long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i * 0.25f, y = x * x + 2.0f;
    double z = (double)i * 0.5 + 3.0;
    __half h = __hadd(__float2half(i * 0.125f), __float2half(1.5f));
    out[i] = (long long)(y * 16) + (long long)(z * z * 4) + (long long)(__half2float(h) * 8) +
             (x < y) + 2 * (z > y) + __float2int_rn(x) + (long long)fminf(x, 7.25f);
}

// Transcendental functions within a bound that --use_fast_math keeps too.
__global__ void functions(long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0.01f * (i + 1);
    bool good = fabsf(sinf(x) * sinf(x) + cosf(x) * cosf(x) - 1.0f) < 1e-4f;
    good = good && fabsf(logf(expf(x)) - x) < 1e-4f * (1 + x);
    good = good && fabsf(sqrtf(x) * sqrtf(x) - x) < 1e-5f * (1 + x) &&
           fabsf(x / 3.0f * 3.0f - x) < 1e-5f;
    good =
        good && fabs(sin((double)x) - sinf(x)) < 1e-4 && fabs(cbrt((double)x * x * x) - x) < 1e-12;
    good = good && fabsf(powf(x + 1, 1.5f) - (x + 1) * sqrtf(x + 1)) < 1e-3f * (1 + x) * (1 + x);
    out[i] = good;
}

__global__ void shared_memory(long long *out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[THREADS];
    int t = threadIdx.x;
    fixed[t] = t * t, dynamic[t] = weights[t % 8];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int taken = t >= step ? fixed[t - step] : 0;
        __syncthreads();
        fixed[t] += taken;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] =
        fixed[t] + dynamic[THREADS - 1 - t] + __syncthreads_count(t % 3);
}

__global__ void warps(long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, sum = i;
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    unsigned odd = __ballot_sync(~0u, i % 2), same = __match_any_sync(~0u, i / 4);
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int total = cg::reduce(tile, lane, cg::plus<int>());
    if (lane % 3 == 0) total += __popc(__activemask() & 1) + (int)cg::coalesced_threads().size();
    out[i] = sum + odd + same + total + __shfl_up_sync(~0u, lane, 3) + __any_sync(~0u, lane == 9);
}

__global__ void atomics(unsigned *cells, unsigned long long *wide, float *real) {
    atomicAdd(&cells[threadIdx.x % 4], 1u);
    atomicMax(&cells[4], blockIdx.x * 1000 + threadIdx.x);
    atomicXor(&cells[5], 1u << (threadIdx.x % 32));
    atomicAdd(wide, 1ull << 33);
    atomicAdd(real, 0.5f);
    unsigned seen = cells[6], found;
    while ((found = atomicCAS(&cells[6], seen, seen + threadIdx.x)) != seen) seen = found;
    atomicAdd(&visits, 1u);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
struct box : shape {
    int a, b;
    __device__ box(int x, int y) : a(x), b(y) {}
    __device__ int area() const override { return a * b; }
};
struct disc : shape {
    int r;
    __device__ disc(int x) : r(x) {}
    __device__ int area() const override { return 3 * r * r; }
};

__global__ void calls(long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int (*chosen)(int) = i % 2 ? twice : square;
    shape *one = i % 3 ? (shape *)new box(i, 2) : (shape *)new disc(i);
    out[i] = fibonacci(i % 9) + chosen(i) + one->area();
    delete one;
}

__global__ void control(long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = i, steps = 0, table[8];
    for (int k = 0; k < 8; k++) table[k] = k * i;
    while (n > 1 && steps < 200) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        if (steps % 5 == 4) continue;
        steps++;
        if (n % 97 == 96) break;
    }
    switch (i % 7) {
    case 0: steps += 10; break;
    case 1: steps += 21; break;
    case 2: steps += 32;
    case 3: steps += 43; break;
    case 5: steps += 54; break;
    default: steps = -steps;
    }
    out[i] = steps + table[i % 8];
}

__global__ void matrices(const __half *a, float *c) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

static void show(const char *name, const long long *values, int count) {
    uint64_t hash = 14695981039346656037ull;
    for (int i = 0; i < count; i++) hash = (hash ^ (uint64_t)values[i]) * 1099511628211ull;
    printf("%s %016llx\n", name, (unsigned long long)hash);
}

// `all_true`: every thread must have found its value within its bound.
static void run(const char *name, void (*kernel)(long long *), bool all_true = false) {
    long long *out;
    CUDA_CHECK(cudaMallocManaged(&out, COUNT * sizeof *out));
    for (int i = 0; i < COUNT; i++) out[i] = -1;
    kernel<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) EXPECT(!all_true || out[i] == 1);
    show(name, out, COUNT);
    CUDA_CHECK(cudaFree(out));
}

static void run_atomics() {
    struct cells {
        unsigned words[8];
        unsigned long long wide;
        float real;
    } * cells;
    CUDA_CHECK(cudaMallocManaged(&cells, sizeof *cells));
    *cells = {};
    atomics<<<BLOCKS, THREADS>>>(cells->words, &cells->wide, &cells->real);
    CUDA_CHECK(cudaDeviceSynchronize());
    unsigned seen;
    CUDA_CHECK(cudaMemcpyFromSymbol(&seen, visits, sizeof seen));
    long long values[11] = {(long long)cells->wide, (long long)(2 * cells->real), seen};
    for (int i = 0; i < 8; i++) values[3 + i] = cells->words[i];
    show("atomics", values, 11);
    CUDA_CHECK(cudaFree(cells));
}

static void run_matrices() {
    __half *a;
    float *c;
    long long values[256];
    CUDA_CHECK(cudaMallocManaged(&a, 256 * sizeof *a));
    CUDA_CHECK(cudaMallocManaged(&c, 256 * sizeof *c));
    for (int i = 0; i < 256; i++) a[i] = __float2half((float)(i % 11 - 5));
    matrices<<<1, 32>>>(a, c);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++) values[i] = (long long)c[i];
    show("matrices", values, 256);
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(c));
}

int main() {
    run("integers", integers);
    run("floats", floats);
    run("functions", functions, true);
    run("shared_memory", shared_memory);
    run("warps", warps);
    run_atomics();
    run("calls", calls);
    run("control", control);
    run_matrices();
    return 0;
}
