// Bounds, lifetime and contents of memory: see check_case.h.
#include <cuda/atomic>

#include "check_case.h"

// ---- memory ----

__global__ void copy_guarded(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = x[i];
}

__global__ void load_pairs(const float *x, float *y) {
    float2 v = *(const float2 *)(x + threadIdx.x);
    y[threadIdx.x] = v.x + v.y;
}

__global__ void load_vectors(const float4 *x, float *y) {
    float4 v = x[threadIdx.x];
    y[threadIdx.x] = v.x;
}

__global__ void count_up(int *count) {
    atomicAdd(count, 1);
}

// An atomic of the library on 1 or 2 bytes takes the word around them.
template <typename T> __device__ void change(T *place) {
    cuda::atomic_ref<T, cuda::thread_scope_device> last(*place);
    T expected = last.fetch_add(1);
    expected++;
    last.compare_exchange_strong(expected, (T)(expected + 1));
    last.store(last.exchange(last.load()) + 1);
}
template <typename T> __global__ void change_last(T *x, int n, bool plain) {
    if (plain) // an over-read of the same word
        x[0] = (T)(*(int *)((size_t)(x + n - 1) & ~(size_t)3) != 0);
    else
        change(x + n - 1);
}
__global__ void change_shared(float *y) {
    extern __shared__ signed char bytes[];
    if (threadIdx.x == 0) bytes[4] = 2;
    __syncthreads();
    if (threadIdx.x == 0) change(bytes + 4);
    __syncthreads();
    y[threadIdx.x] = bytes[4];
}

// The result of `change` on the last of n elements that hold 1; -1: an error.
template <typename T> static void change_bytes(int n, bool plain) {
    T *x, h[8];
    for (int i = 0; i < n; i++) h[i] = 1;
    cudaMalloc(&x, n * sizeof *x);
    cudaMemcpy(x, h, n * sizeof *x, cudaMemcpyHostToDevice);
    change_last<<<1, 1>>>(x, n, plain);
    if (cudaMemcpy(h, x, n * sizeof *x, cudaMemcpyDeviceToHost) == cudaSuccess)
        printf("last of %d: %d\n", n, h[n - 1]);
    cudaFree(x);
}

__global__ void unset_shared(float *y, bool set) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    if (set || t < 100) s[t] = 1.0f;
    __syncthreads();
    y[t] = s[t];
}

// A tile that ends within a row of 32: all lanes load all rows, and use what lies before the end.
enum { ROWS = 112 };
__global__ void tile_tail(float *y, unsigned n) {
    __shared__ float s[ROWS * 32];
    float values[ROWS];
    for (unsigned i = threadIdx.x; i < n; i += 32) s[i] = i;
    __syncthreads();
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++) values[row] = s[32 * row + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++)
        if (32 * row + threadIdx.x < n) y[threadIdx.x] = values[row];
}

// What becomes of the element after the last one, which nothing sets.
enum class past { SELECTED, COMPARED, COPIED, BRANCH, INDEX, LANES, COPY_READ, COPY_CLEARED };
__global__ void one_past(const float *x, float *y, past use) {
    __shared__ float s[BLOCK + 1], copy[BLOCK];
    int t = threadIdx.x;
    bool inside = t + 1 < BLOCK;
    s[t] = x[t];
    __syncthreads();
    float next = s[t + 1];
    copy[t] = next;
    __syncthreads();
    if (use == past::SELECTED) y[t] = inside ? next : 0;
    if (use == past::COMPARED) y[t] = inside && next > s[t] ? t : -t;
    if (use == past::COPIED && inside) y[t] = copy[t] + 1;
    if (use == past::BRANCH && next > 5) y[t] = 1;
    if (use == past::INDEX) y[(int)next & (BLOCK - 1)] = 1;
    if (use == past::LANES) y[t] = __shfl_up_sync(~0u, next, 1);
    if (use == past::COPY_CLEARED && !inside) copy[t] = 0;
    if (use == past::COPY_READ || use == past::COPY_CLEARED) y[t] = copy[t];
}

__global__ void unset_local(float *y, const int *at, int filled) {
    float values[16];
    for (int i = 0; i < filled; i++) values[at[i]] = (float)i;
    y[threadIdx.x] = values[at[threadIdx.x % 16]];
}

__global__ void shared_reverse(const float *x, float *y) {
    extern __shared__ float s[];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

__global__ void from_heap(float *y, int size, bool use_freed) {
    float *mine = (float *)malloc(size * sizeof *mine), last = 0;
    for (int i = 0; i < 16; i++) mine[i] = (float)i;
    if (!use_freed) last = mine[15];
    free(mine);
    if (use_freed) last = mine[15];
    y[threadIdx.x] = last;
}

// ---- the cases ----

static void freed(void) {
    float *d_w;
    cudaMalloc(&d_w, N * 4);
    cudaMemset(d_w, 0, N * 4);
    cudaFree(d_w);
    copy_guarded<<<GRID, BLOCK>>>(d_w, d_y, N);
}

static void freed_twice(void) {
    float *d_w;
    cudaMalloc(&d_w, N * 4);
    cudaFree(d_w);
    cudaFree(d_w);
}

static void leaked(void) {
    void *lost;
    cudaMalloc(&lost, 1000);
}

static void set_partly(int count) {
    cudaMemset(d_z, 0, count * sizeof *d_z);
    copy_guarded<<<GRID, BLOCK>>>(d_z, d_y, N);
}

static void copied_unset(bool set) {
    float *d_w;
    cudaMalloc(&d_w, N * 4);
    if (set) cudaMemset(d_w, 0, N * 4);
    cudaMemcpy(d_z, d_w, N * 4, cudaMemcpyDeviceToDevice);
    copy_guarded<<<GRID, BLOCK>>>(d_z, d_y, N);
    cudaFree(d_w);
}

static void padded_vectors(void) {
    float *d_w; // only the first of each four is ever written
    cudaMalloc(&d_w, 4 * BLOCK * 4);
    cudaMemset2D(d_w, 16, 0, 4, BLOCK);
    load_vectors<<<1, BLOCK>>>((const float4 *)d_w, d_y);
    cudaFree(d_w);
}

static void counter(bool set) {
    int *d_count;
    cudaMalloc(&d_count, 4);
    if (set) cudaMemset(d_count, 0, 4);
    count_up<<<4, 32>>>(d_count);
    cudaFree(d_count);
}

static void local_values(int filled) {
    int at[16];
    for (int i = 0; i < 16; i++) at[i] = i;
    cudaMemcpy(d_z, at, sizeof at, cudaMemcpyHostToDevice);
    unset_local<<<1, 32>>>(d_y, (const int *)d_z, filled);
}

static void copied_in_wrong_direction() {
    float h[4];
    cudaMemcpy(d_y, h, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(d_y, h, sizeof h, cudaMemcpyDeviceToHost);
}

static const check_case cases[] = {
#include "check_memory.def"
};

int main(int argc, char **argv) {
    return run_check_case(cases, sizeof cases / sizeof cases[0], argc > 1 ? argv[1] : "");
}
