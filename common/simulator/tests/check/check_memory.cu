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

// The line that holds element `at`, which the values of that line do not outlive.
__global__ void discard_line(float *x, int at) {
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(x + at) : "memory");
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

// finds out-of-bounds: y.i. = x.i.*at index 512 of argument 1
CASE(bounds, copy_guarded<<<GRID + 1, BLOCK>>>(d_x, d_y, N + 1));
CASE(bounds_not, copy_guarded<<<GRID + 1, BLOCK>>>(d_x, d_y, N));
// finds misaligned: threadIdx.x
CASE(misaligned, load_pairs<<<1, 32>>>(d_x, d_y));
CASE(misaligned_not, load_pairs<<<1, 1>>>(d_x, d_y));
// finds use-after-free: y.i. = x.i.
CASE(freed, freed());
// finds bad-free
//   ~ bad-free:[ ]
CASE(freed_twice, freed_twice());
// finds leak
//   ~ leak: 1 allocation of the program, 1000 bytes, never freed: 4\n1 warning in 0 launches
CASE(leak, leaked());
CASE(copy_kind, copied_in_wrong_direction());
// finds uninitialised: y.i. = x.i.*argument 1 of the kernel
PAIR(unset, copied_unset(right));
CASE(unset_padding_not, padded_vectors());
// finds uninitialised, unset-copy
//   ~ y.i. = x.i.*argument 1 of the kernel, element 128
//   ~ written 256 of the 2048 bytes
CASE(discarded, discard_line<<<1, 1>>>(d_x, 130); discard_line<<<1, 1>>>(d_x, 191);
     copy_guarded<<<GRID, BLOCK>>>(d_x, d_y, N));
CASE(discarded_not, discard_line<<<1, 1>>>(d_x, 128); copy_guarded<<<GRID, BLOCK>>>(d_y, d_x, N);
     copy_guarded<<<GRID, BLOCK>>>(d_x, d_y, N));
// finds out-of-bounds: discard.global.*illegal write of 128 bytes
CASE(discarded_far, discard_line<<<1, 1>>>(d_x, 1 << 28));
// finds uninitialised: atomic at .*atomicAdd.count
PAIR(unset_counter, counter(right));
// finds uninitialised: 28 times.*y.t. = s.t..*shared memory: s.100.\n
//   advice GIVE_VALUES
PAIR(unset_shared, unset_shared<<<1, BLOCK>>>(d_y, right));
CASE(past_selected_not, one_past<<<1, BLOCK>>>(d_x, d_y, past::SELECTED));
CASE(past_compared_not, one_past<<<1, BLOCK>>>(d_x, d_y, past::COMPARED));
CASE(past_copied_not, one_past<<<1, BLOCK>>>(d_x, d_y, past::COPIED));
CASE(past_cleared_not, one_past<<<1, BLOCK>>>(d_x, d_y, past::COPY_CLEARED));
CASE(tail_within_row_not, tile_tail<<<1, 32>>>(d_y, 32 * ROWS - 5));
CASE(tail_of_rows_not, tile_tail<<<1, 32>>>(d_y, 100));
// finds uninitialised: float next = s.t . 1.;.*shared memory: s.128.\n
CASE(past_branch, one_past<<<1, BLOCK>>>(d_x, d_y, past::BRANCH));
// finds uninitialised: float next = s.t . 1.;.*shared memory: s.128.\n
CASE(past_index, one_past<<<1, BLOCK>>>(d_x, d_y, past::INDEX));
// finds uninitialised: float next = s.t . 1.;.*shared memory: s.128.\n
CASE(past_lanes, one_past<<<1, BLOCK>>>(d_x, d_y, past::LANES));
// finds uninitialised: float next = s.t . 1.;.*shared memory: s.128.\n
CASE(past_copy, one_past<<<1, BLOCK>>>(d_x, d_y, past::COPY_READ));
// finds uninitialised: 2 times.*local memory
CASE(unset_local, local_values(15));
CASE(unset_local_not, local_values(16));
// finds out-of-bounds: thread .127,0,0. of block .0,0,0.*s.threadIdx.x. =[ ]
//   ~ 508[ \n]+bytes of shared memory
CASE(bounds_shared, shared_reverse<<<1, BLOCK, (BLOCK - 1) * 4>>>(d_x, d_y));
CASE(bounds_shared_not, shared_reverse<<<1, BLOCK, BLOCK * 4>>>(d_x, d_y));
// finds out-of-bounds: mine.*heap
CASE(bounds_heap, from_heap<<<1, 32>>>(d_y, 15, false));
CASE(bounds_heap_not, from_heap<<<1, 32>>>(d_y, 16, false));
// finds use-after-free: last = mine.15.
CASE(freed_heap, from_heap<<<1, 32>>>(d_y, 16, true));
// finds out-of-bounds: null pointer
CASE(null, copy_guarded<<<GRID, BLOCK>>>(NULL, d_y, N));
// finds uninitialised: memory that nothing has written\n.*y.i. = x.i
//   ~ argument 1 of the kernel, element 511
CASE(unset_last, set_partly(N - 1));
CASE(unset_last_not, set_partly(N));
// finds word-atomic
//   ~ last of 1: 4\n.*last of 5: 4\n.*last of 7: 4\n.*word-atomic: .*last.fetch_add
//   ~ reaches[ \n]+3[ \n]+bytes past the end
CASE(byte_atomics, for (int n = 1; n < 8; n++) change_bytes<signed char>(n, false));
// finds word-atomic
//   ~ last of 1: 4\n.*last of 3: 4\n.*word-atomic: .*reaches[ \n]+2[ \n]+bytes past the end
CASE(short_atomics, for (int n = 1; n < 4; n++) change_bytes<short>(n, false));
CASE(byte_atomics_not, change_bytes<signed char>(8, false); change_bytes<short>(2, false));
// finds word-atomic: 4 bytes of shared memory: bytes.4.\n.*reaches[ \n]+3[ \n]+bytes past the end
CASE(byte_atomics_shared, change_shared<<<1, 32, 5>>>(d_y));
// finds out-of-bounds: illegal read of 4 bytes at byte 4
CASE(byte_over_read, change_bytes<signed char>(5, true));
