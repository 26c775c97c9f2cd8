// Kernels that go wrong: where the error surfaces, which calls return it from then on, and what
// follows cudaDeviceReset. Every case in a process of its own.
#undef NDEBUG // a release build would leave the assert out
#include "catalogue.h"

#include <cassert>
#include <unistd.h>

case_list fault_cases;

__device__ int sink;

__global__ void store_at(int *at) { *at = 1; }

__global__ void store_shared(int i) {
    __shared__ volatile int words[4];
    words[i] = 1;
    sink = words[0];
}

__global__ void store_shared_misaligned(int offset) {
    __shared__ volatile int words[4];
    *(volatile int *)((volatile char *)words + offset) = 1;
    sink = words[0];
}

__global__ void trap() { __trap(); }

__global__ void fail(int value) { assert(value == 7); }

__device__ __noinline__ int recurse(int depth) {
    volatile int frame[64];
    frame[depth & 63] = depth;
    return depth < 0 ? 0 : recurse(depth + 1) + frame[(depth * 7) & 63];
}

__global__ void recurse_forever(int *out) { *out = recurse(1); }

__global__ void atomic_on_local(int i) {
    int word[2] = {i, i};
    atomicAdd(&word[i & 1], 1);
    sink = word[0];
}

__global__ void fine() { sink = 1; }

// The launch, the wait, and what follows until the device is reset.
static void aftermath() {
    say(cudaGetLastError());
    say(cudaDeviceSynchronize());
    say(cudaGetLastError());
    say(cudaPeekAtLastError());
    say(cudaDeviceSynchronize());
    LAUNCH(fine<<<1, 1>>>());
    say("reset");
    say(cudaDeviceReset());
    say(cudaGetLastError());
    LAUNCH(fine<<<1, 1>>>());
    say(cudaDeviceSynchronize());
}

#define FAULT(name, ...)                                                                           \
    ALONE(fault_cases, name) {                                                                     \
        __VA_ARGS__;                                                                               \
        aftermath();                                                                               \
    }
FAULT(fault_null, store_at<<<1, 1>>>(nullptr))
FAULT(fault_wild, store_at<<<1, 1>>>((int *)0x123456789000))
FAULT(fault_misaligned, store_at<<<1, 1>>>((int *)(device_bytes(64) + 2)))
FAULT(fault_shared, store_shared<<<1, 1>>>(1 << 20))
FAULT(fault_shared_misaligned, store_shared_misaligned<<<1, 1>>>(2))
FAULT(fault_trap, trap<<<1, 1>>>())
FAULT(fault_assert, fail<<<1, 1>>>(3))
FAULT(fault_recursion, recurse_forever<<<1, 1>>>((int *)device_bytes(64)))
FAULT(fault_atomic_on_local, atomic_on_local<<<1, 1>>>(1))

// What each call says once a fault has surfaced.
ALONE(fault_cases, sticky) {
    int *memory = (int *)device_bytes(64), word = 0, value = 0;
    void *pinned = nullptr, *made = nullptr;
    cudaStream_t stream, other;
    cudaEvent_t event, second;
    cudaDeviceProp properties;
    cudaPointerAttributes about;
    cudaFuncAttributes attributes;
    size_t size = 0, total = 0;
    cudaMallocHost(&pinned, 64);
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    store_at<<<1, 1>>>(nullptr);
    say(cudaDeviceSynchronize());
#define ASK(expression) (printf("\n  %s:", #expression), say(expression))
    ASK(cudaGetDeviceCount(&value));
    ASK(cudaGetDevice(&value));
    ASK(cudaSetDevice(0));
    ASK(cudaRuntimeGetVersion(&value));
    ASK(cudaDriverGetVersion(&value));
    ASK(cudaGetDeviceProperties(&properties, 0));
    ASK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    ASK(cudaDeviceGetLimit(&size, cudaLimitStackSize));
    ASK(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    ASK(cudaDeviceGetStreamPriorityRange(&value, &value));
    ASK(cudaMemGetInfo(&size, &total));
    ASK(cudaMalloc(&made, 64));
    ASK(cudaMallocHost(&made, 64));
    ASK(cudaMallocManaged(&made, 64));
    ASK(cudaMallocAsync(&made, 64, 0));
    ASK(cudaMemcpy(&word, memory, 4, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy(&word, &value, 4, cudaMemcpyHostToHost));
    ASK(cudaMemcpyAsync(memory, &word, 4, cudaMemcpyHostToDevice, stream));
    ASK(cudaMemset(memory, 0, 4));
    ASK(cudaMemcpyToSymbol(sink, &word, 4));
    ASK(cudaFuncGetAttributes(&attributes, fine));
    ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, fine, 64, 0));
    ASK(cudaPointerGetAttributes(&about, memory));
    ASK(cudaStreamCreate(&other));
    ASK(cudaStreamQuery(stream));
    ASK(cudaStreamSynchronize(stream));
    ASK(cudaEventCreate(&second));
    ASK(cudaEventRecord(event, stream));
    ASK(cudaEventQuery(event));
    ASK(cudaEventSynchronize(event));
    ASK(cudaEventDestroy(event));
    ASK(cudaStreamDestroy(stream));
    ASK(cudaFree(memory));
    ASK(cudaFree(nullptr));
    ASK(cudaFreeHost(pinned));
    ASK(cudaGetLastError());
    ASK(cudaPeekAtLastError());
    ASK(cudaDeviceReset());
    ASK(cudaGetLastError());
    ASK(cudaMalloc(&made, 64));
}

// The first call after a fault, once the device has had time to fail.
static void fail_and_wait() {
    store_at<<<1, 1>>>(nullptr);
    usleep(300000);
}

ALONE(fault_cases, surfaces_in_get_last_error) {
    fail_and_wait();
    say(cudaGetLastError());
    say(cudaPeekAtLastError());
    say(cudaDeviceSynchronize());
    say(cudaGetLastError());
}

ALONE(fault_cases, surfaces_in_malloc) {
    void *made = nullptr;
    fail_and_wait();
    say(cudaMalloc(&made, 64));
    say(cudaDeviceSynchronize());
}

ALONE(fault_cases, surfaces_in_large_malloc) {
    void *made = nullptr;
    fail_and_wait();
    say(cudaMalloc(&made, 64 << 20));
    say(cudaDeviceSynchronize());
}

ALONE(fault_cases, surfaces_in_launch) {
    fail_and_wait();
    LAUNCH(fine<<<1, 1>>>());
    say(cudaDeviceSynchronize());
}

ALONE(fault_cases, surfaces_in_copy) {
    int *memory = (int *)device_bytes(64), word = 0;
    fail_and_wait();
    say(cudaMemcpy(memory, &word, 4, cudaMemcpyHostToDevice));
}

ALONE(fault_cases, surfaces_in_async_copy) {
    int *memory = (int *)device_bytes(64), word = 0;
    fail_and_wait();
    say(cudaMemcpyAsync(memory, &word, 4, cudaMemcpyHostToDevice, 0));
    say(cudaStreamSynchronize(0));
}

ALONE(fault_cases, surfaces_in_memset) {
    int *memory = (int *)device_bytes(64);
    fail_and_wait();
    say(cudaMemset(memory, 0, 4));
    say(cudaStreamSynchronize(0));
}

ALONE(fault_cases, surfaces_in_event) {
    cudaEvent_t event;
    cudaEventCreate(&event);
    fail_and_wait();
    say(cudaEventRecord(event, 0));
    say(cudaEventSynchronize(event));
}

ALONE(fault_cases, surfaces_in_event_query) {
    cudaEvent_t event;
    cudaEventCreate(&event);
    store_at<<<1, 1>>>(nullptr);
    say(cudaEventRecord(event, 0));
    usleep(300000);
    say(cudaEventQuery(event));
}

ALONE(fault_cases, surfaces_in_stream_query) {
    fail_and_wait();
    say(cudaStreamQuery(0));
}

ALONE(fault_cases, surfaces_in_free) {
    int *memory = (int *)device_bytes(64);
    fail_and_wait();
    say(cudaFree(memory));
    say(cudaDeviceSynchronize());
}

ALONE(fault_cases, surfaces_in_reset) {
    fail_and_wait();
    say(cudaDeviceReset());
    say(cudaGetLastError());
    say(cudaDeviceSynchronize());
}

ALONE(fault_cases, surfaces_in_properties) {
    cudaFuncAttributes attributes;
    size_t size = 0, total = 0;
    fail_and_wait();
    say(cudaFuncGetAttributes(&attributes, fine));
    say(cudaMemGetInfo(&size, &total));
    say(cudaDeviceSynchronize());
}
