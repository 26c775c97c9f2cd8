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

__global__ void far_index(float *y, int far) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x + far];
}

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

// finds out-of-bounds: at index -1 of argument 1[ \n]+.x. of the[ \n]+kernel, which[ \n]+has 512 el
//     ements of 4[ \n]+bytes
CASE(before_first, difference<<<GRID, BLOCK>>>(d_x, d_y, 0));
CASE(before_first_not, difference<<<GRID, BLOCK>>>(d_x, d_y, 1));
// finds out-of-bounds: argument 2[ \n]+.factors. of[ \n]+the kernel is a pointer to host memory
//   ~ cudaMalloc
CASE(host_pointer, scale<<<1, 32>>>(d_y, on_host, 5));
CASE(host_pointer_not, scale<<<1, 32>>>(d_y, d_x, 5));
// finds out-of-bounds: at index 515 of an array in argument 1[ \n]+.from. of the[ \n]+kernel
CASE(whole_array, gather<<<1, 32>>>(table{d_x, N}, d_y, N + 3));
CASE(whole_array_not, gather<<<1, 32>>>(table{d_x, N}, d_y, N / 32));
// finds out-of-bounds: read at.*halo.t . right
//   ~ : halo.130.\n *just past the end of halo, which has 520 bytes, in the memory of middle
CASE(shared_next, stencil<<<1, BLOCK>>>(d_x, d_y, 3));
CASE(shared_next_not, stencil<<<1, BLOCK>>>(d_x, d_y, 2));
// finds out-of-bounds: atomic at.*4 bytes before count, which has 64 bytes, in the memory of before
CASE(shared_before, histogram<<<1, BLOCK>>>(d_x, d_y, 17));
CASE(shared_before_not, histogram<<<1, BLOCK>>>(d_x, d_y, 16));
// finds out-of-bounds: .*at index 134217[0-9]+ of s, which has 128 elements
CASE(shared_far, far_index<<<1, BLOCK>>>(d_y, 1 << 27));
CASE(shared_far_not, far_index<<<1, BLOCK>>>(d_y, 0));
CASE(shared_swapped_not, two_buffers<<<1, BLOCK, 2 * BLOCK * 4>>>(d_x, d_y, 3));
// finds index-width: in kernel strided.*i < n; i [+]= gridDim.x.*int64_t
//   $ --elements 2147483648
CASE(narrow_index, strided<int, long long><<<4, BLOCK>>>(d_y, 70000));
// finds index-width: in kernel strided
//   $ --elements 2147483648
CASE(narrow_bound, strided<int, int><<<4, BLOCK>>>(d_y, 70000));
// finds nothing
//   $ --elements 2147483648
CASE(unsigned_index_not, strided<unsigned, long long><<<4, BLOCK>>>(d_y, 70000));
// finds nothing
//   $ --elements 2147483648
CASE(wide_index_not, strided<long long, long long><<<4, BLOCK>>>(d_y, 70000));
// finds nothing
//   $ --elements 2147483647
CASE(index_fits_not, strided<int, long long><<<4, BLOCK>>>(d_y, 70000));
// finds nothing
//   $ --elements 2147483648
CASE(few_blocks_not, strided<int, long long><<<4, BLOCK>>>(d_y, 7000));
// finds nothing
//   $ --elements 2147483648
CASE(own_element_not, each_its_own<int><<<547, BLOCK>>>(d_y, 70000));
// finds nothing
//   $ --elements 2147483648
CASE(other_exit_not, until_full<<<1, BLOCK>>>(d_y, 70000));
