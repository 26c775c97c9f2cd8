// Kernels that never end: the launch is given up after LADDER_SIM_MAX_INSTRUCTIONS with a
// diagnosis, or at once when nothing can change any more. `endless spin` counts, `endless flag`
// waits for a flag that nobody sets, `endless host` for the host, `endless lock` for a lock that
// its own warp holds; the others wait as libraries do, count what they do not need, or go round
// without a change. `endless patient` ends: it polls while others compute, and counts or looks at
// a clock to give up.
// test: none
// check: deadlock
#include "../check.h"

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include <cstring>

__device__ volatile int flag;
__device__ int lock;
__device__ unsigned total;

__global__ void spin(unsigned step) {
    unsigned sum = threadIdx.x;
    while (sum != 1 || step) sum = sum * 3 + step;
    total = sum;
}

__global__ void wait_for_flag() {
    while (!flag) {}
}

__global__ void wait_for_host(volatile int *mailbox) {
    while (!*mailbox) __nanosleep(100);
}

__global__ void take_twice() {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    while (atomicCAS(&lock, 0, 1) != 0) {}
}

// What a poll counts decides nothing, nor does how long it sleeps.
__global__ void count_polls() {
    unsigned polls = 0, ns = 8;
    while (!flag) {
        polls++;
        __nanosleep(ns);
        ns *= 2;
    }
    total = polls;
}

__global__ void time_polls() {
    long long begin = clock64(), longest = 0;
    while (!flag) longest = clock64() - begin;
    total = (unsigned)longest;
}

__device__ __noinline__ bool is_set(const volatile int *where) { return *where != 0; }
__global__ void call_polls() {
    unsigned polls = 0;
    while (!is_set(&flag)) polls++;
    total = polls;
}

// Polls so many times, for ever.
__global__ void poll_in_rounds() {
    for (;;) {
        for (int i = 0; i < 1000; i++)
            if (flag) return;
        __nanosleep(50);
    }
}

__global__ void wait_for_value() {
    cuda::atomic_ref<int, cuda::thread_scope_device> value(lock);
    value.wait(0);
}

__global__ void keep_permits() {
    __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 2> permits;
    if (threadIdx.x == 0) new (&permits) cuda::counting_semaphore<cuda::thread_scope_block, 2>(2);
    __syncthreads();
    if (threadIdx.x % 32 == 0) permits.acquire();
}

// Two stages are filled, and none is given back.
__global__ void keep_stages(const int *from, int *to, int rounds) {
    __shared__ alignas(16) int stage[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    bool fills = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(
        block, &state, fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < rounds; i++)
        if (fills) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[i % 2][threadIdx.x], from + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += stage[i % 2][threadIdx.x % 32];
        }
    if (!fills) to[threadIdx.x % 32] = sum;
}

__global__ void leave_grid() {
    if (blockIdx.x == 1) return;
    cooperative_groups::this_grid().sync();
}

__device__ int arrived;
__global__ void meet_blocks() {
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < (int)gridDim.x) continue;
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&total, 1);
}
__device__ volatile int told;
__global__ void wait_for_last() { // as a card runs it whose blocks are all there
    if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
        while (!told) continue;
    if (threadIdx.x == 0 && blockIdx.x + 1 == gridDim.x) told = 1;
}

__global__ void empty() {
    while (true) continue;
}
// ---- what ends ----

__global__ void poll_while_others_compute(int rounds) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    unsigned x = threadIdx.x;
    if (threadIdx.x < 32)
        while (!ready) continue;
    else
        for (int i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
    if (x == 12345) total = x;
    __threadfence_block();
    ready = 1;
}
__global__ void give_up(int polls) {
    int i = 0;
    while (i < polls && !flag) i++;
    total = (unsigned)i;
}
__global__ void give_up_by_clock(long long cycles) {
    long long begin = clock64();
    while (!flag && clock64() - begin < cycles) continue;
}

static void expect_ends() {
    unsigned polls;
    poll_while_others_compute<<<1, 64>>>(2000000);
    CUDA_CHECK(cudaDeviceSynchronize());
    give_up<<<1, 64>>>(200000);
    CUDA_CHECK(cudaMemcpyFromSymbol(&polls, total, sizeof polls));
    EXPECT(polls == 200000);
    give_up_by_clock<<<1, 64>>>(300000);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("goes on\n");
}

static void launch_cooperative(void (*kernel)(), int blocks) {
    void *none[] = {nullptr};
    CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(32), none, 0, 0));
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : "lock";
    int *d_after;
    CUDA_CHECK(cudaMalloc(&d_after, sizeof(int)));
    if (strcmp(which, "spin") == 0) spin<<<2, 64>>>(2);
    if (strcmp(which, "flag") == 0) wait_for_flag<<<1, 32>>>();
    if (strcmp(which, "lock") == 0) take_twice<<<1, 1>>>();
    if (strcmp(which, "polls") == 0) count_polls<<<2, 64>>>();
    if (strcmp(which, "clock") == 0) time_polls<<<1, 64>>>();
    if (strcmp(which, "call") == 0) call_polls<<<1, 64>>>();
    if (strcmp(which, "rounds") == 0) poll_in_rounds<<<1, 32>>>();
    if (strcmp(which, "value") == 0) wait_for_value<<<1, 64>>>();
    if (strcmp(which, "permits") == 0) keep_permits<<<1, 128>>>();
    if (strcmp(which, "stages") == 0) {
        int *values;
        CUDA_CHECK(cudaMalloc(&values, 256));
        CUDA_CHECK(cudaMemset(values, 0, 256));
        keep_stages<<<1, 64>>>(values, values + 32, 8);
    }
    if (strcmp(which, "left") == 0) launch_cooperative(leave_grid, 4);
    if (strcmp(which, "last") == 0) wait_for_last<<<100, 64>>>();
    if (strcmp(which, "empty") == 0) empty<<<1, 32>>>();
    if (strcmp(which, "patient") == 0 || strcmp(which, "resident") == 0) {
        if (which[0] == 'r') {
            meet_blocks<<<100, 64>>>();
            wait_for_last<<<100, 64>>>();
        }
        expect_ends();
        return 0;
    }
    if (strcmp(which, "host") == 0) {
        int *mailbox;
        CUDA_CHECK(cudaMallocHost(&mailbox, sizeof(int)));
        *mailbox = 0;
        wait_for_host<<<1, 1>>>(mailbox);
    }
    EXPECT(cudaGetLastError() == cudaSuccess);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s\n", which, cudaGetErrorName(error));
    EXPECT(error == cudaErrorLaunchTimeout);
    EXPECT_ERROR(cudaMalloc(&d_after, sizeof(int)), cudaErrorLaunchTimeout); // sticks
    CUDA_CHECK(cudaDeviceReset());
    CUDA_CHECK(cudaMalloc(&d_after, sizeof(int)));
    CUDA_CHECK(cudaMemset(d_after, 0, sizeof(int)));
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("goes on\n");
    return 0;
}
