// Indices that miss an array by little or by much: see check_case.h.
#include "check_case.h"

__global__ void difference(const float *x, float *y, int first) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= first) y[i] = x[i] - x[i - 1];
}

__global__ void scale(float *y, const float *factors, int shift) {
    int i = threadIdx.x;
    y[i] = 2 * factors[i + shift];
}

// Of an index that is narrower than the number of elements: `i` of type T, `n` of type B. `wide`
// elements, of which only the array's are written.
template <class T, class B> __global__ void strided(float *y, B n) {
    for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (i < N) y[i] = 1;
}

template <class T> __global__ void each_its_own(float *y, long long n) {
    T i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < N) y[i] = 1;
}

// Another way out than the number of elements.
__global__ void until_full(float *y, long long n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (i >= N) break;
        y[i] = 1;
    }
}

struct table {
    const float *values;
    long rows; // as long as the pointer: padding may hold any address
};

// A column index that should be a row index: a whole array too far.
__global__ void gather(table from, float *y, int stride) {
    y[threadIdx.x] = from.values[threadIdx.x * stride];
}

// ---- shared memory ----

__global__ void stencil(const float *x, float *y, int right) {
    __shared__ float halo[BLOCK + 2];
    __shared__ float middle[BLOCK];
    int t = threadIdx.x;
    middle[t] = 0;
    halo[t + 1] = x[t];
    if (t < 2) halo[t * (BLOCK + 1)] = 0;
    __syncthreads();
    middle[t] = halo[t] + halo[t + right];
    __syncthreads();
    y[t] = middle[BLOCK - 1 - t];
}

__global__ void histogram(const float *x, float *y, int bins) {
    __shared__ int before[16], count[16];
    int t = threadIdx.x;
    if (t < 16) before[t] = count[t] = 0;
    __syncthreads();
    atomicAdd(&count[(int)x[t] % bins - (bins > 16)], 1);
    __syncthreads();
    if (t < 16) y[t] = (float)(before[t] + count[t]);
}

// Pointers to several arrays, and dynamic memory divided by hand.
__device__ float neighbour(const float *from, int i) {
    return from[i];
}
__global__ void two_buffers(const float *x, float *y, int rounds) {
    __shared__ float a[BLOCK], b[BLOCK];
    extern __shared__ float parts[];
    float *in = a, *out = b, *last = parts + BLOCK;
    int t = threadIdx.x;
    a[t] = x[t];
    last[t] = parts[t] = 1;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        out[t] = neighbour(in, t ^ 1) + parts[t];
        float *swap = in;
        in = out;
        out = swap;
    }
    y[t] = in[t] + last[t];
}

static float on_host[N];

static const check_case cases[] = {
#include "check_bounds.def"
};
int main(int count, char **arguments) {
    return run_check_case(cases, sizeof cases / sizeof cases[0], count > 1 ? arguments[1] : "");
}
