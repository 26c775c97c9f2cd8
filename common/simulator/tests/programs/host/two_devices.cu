// Several devices: what each has for itself, what it may not use of another, peers, copies, events
// and graphs across two. Does nothing where there is one device.
// environment: LADDER_SIM_DEVICES=2
// engine: yes
#include "../check.h"

#include <cstring>
#include <thread>

__device__ int variable = 5;
__managed__ int managed = 30;

__global__ void set(int *p, int value) { *p = value; }
__global__ void add(int *p, int value) { atomicAdd_system(p, value); }
__global__ void get(const int *p, int *out) { *out = *p; }
__global__ void get_variable(int *out) { *out = variable; }
__global__ void count() { managed++; }
__global__ void large(int *out) {
    extern __shared__ int shared[];
    shared[0] = 1;
    *out = shared[0];
}

static void on(int device) { CUDA_CHECK(cudaSetDevice(device)); }

static int *make(int device, int value) {
    int *p, before;
    CUDA_CHECK(cudaGetDevice(&before));
    on(device);
    CUDA_CHECK(cudaMalloc(&p, 1 << 20));
    CUDA_CHECK(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
    on(before);
    return p;
}

static int value_of(const int *p) {
    int value = -1;
    CUDA_CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDefault));
    return value;
}

static int device_of(const void *p) {
    cudaPointerAttributes found;
    CUDA_CHECK(cudaPointerGetAttributes(&found, p));
    return found.device;
}

// Each thread begins on device 0; a device has its own limits, memory, attributes of kernels and
// variables.
static void what_is_own() {
    int there = -1, here = -1, *out[2] = {make(0, 0), make(1, 0)}, value = 8;
    EXPECT_ERROR(cudaSetDevice(2), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaSetDevice(-1), cudaErrorInvalidDevice);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidDevice);
    on(1);
    std::thread([&] { cudaGetDevice(&there); }).join();
    CUDA_CHECK(cudaGetDevice(&here));
    EXPECT(there == 0 && here == 1);
    EXPECT(device_of(out[0]) == 0 && device_of(out[1]) == 1);
    char bus[2][32];
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaDeviceGetPCIBusId(bus[i], sizeof bus[i], i));
        CUDA_CHECK(cudaDeviceGetByPCIBusId(&here, bus[i]));
        EXPECT(here == i);
    }
    EXPECT(strcmp(bus[0], bus[1]) != 0);
    size_t stack[2], free_before, free_after, total;
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    for (int i = 0; i < 2; i++) {
        on(i);
        CUDA_CHECK(cudaDeviceGetLimit(&stack[i], cudaLimitStackSize));
    }
    EXPECT(stack[0] == 1024 && stack[1] == 4096);
    on(1);
    CUDA_CHECK(cudaMemGetInfo(&free_before, &total));
    CUDA_CHECK(cudaFree(make(0, 1)));
    int *kept = make(0, 1);
    CUDA_CHECK(cudaMemGetInfo(&free_after, &total));
    EXPECT(free_before == free_after);
    CUDA_CHECK(cudaFree(kept)); // of the other device
    void *symbol[2];
    CUDA_CHECK(cudaMemcpyToSymbol(variable, &value, sizeof value));
    for (int i = 0; i < 2; i++) {
        on(i);
        CUDA_CHECK(cudaGetSymbolAddress(&symbol[i], variable));
        EXPECT(device_of(symbol[i]) == i);
        get_variable<<<1, 1>>>(out[i]);
        EXPECT(value_of(out[i]) == (i ? 8 : 5));
    }
    for (int i = 0; i < 2; i++) { // one variable for all
        on(i);
        count<<<1, 1>>>();
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    EXPECT(managed == 32);
    on(0);
    CUDA_CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    large<<<1, 1, 100000>>>(out[0]);
    CUDA_CHECK(cudaGetLastError());
    on(1);
    large<<<1, 1, 100000>>>(out[1]);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    for (int *p : out) CUDA_CHECK(cudaFree(p));
    on(0);
}

static void streams_and_events() {
    cudaStream_t stream[2];
    cudaEvent_t event[2];
    int *p[2] = {make(0, 10), make(1, 11)}, device = -1, host = 3;
    for (int i = 0; i < 2; i++) {
        on(i);
        CUDA_CHECK(cudaStreamCreate(&stream[i]));
        CUDA_CHECK(cudaEventCreate(&event[i]));
    }
    on(0);
    set<<<1, 1, 0, stream[1]>>>(p[1], 5); // on the stream's device, whichever is current
    CUDA_CHECK(cudaStreamSynchronize(stream[1]));
    EXPECT(value_of(p[1]) == 5);
    EXPECT_ERROR(cudaMemset(p[1], 0, sizeof host), cudaErrorInvalidValue); // no access
    EXPECT_ERROR(cudaMemsetAsync(p[1], 0, sizeof host, stream[0]), cudaErrorInvalidValue);
    CUDA_CHECK(cudaMemcpyAsync(p[1], &host, sizeof host, cudaMemcpyHostToDevice, stream[1]));
    CUDA_CHECK(cudaMemsetAsync(p[1] + 1, 0, sizeof host, stream[1]));
    EXPECT_ERROR(cudaEventRecord(event[0], stream[1]), cudaErrorInvalidResourceHandle);
    EXPECT_ERROR(cudaEventRecord(event[1], 0), cudaErrorInvalidResourceHandle);
    CUDA_CHECK(cudaEventRecord(event[0], stream[0]));
    CUDA_CHECK(cudaEventRecord(event[1], stream[1]));
    CUDA_CHECK(cudaStreamWaitEvent(stream[0], event[1]));
    CUDA_CHECK(cudaStreamWaitEvent(stream[1], event[0]));
    CUDA_CHECK(cudaEventSynchronize(event[1]));
    CUDA_CHECK(cudaStreamSynchronize(stream[1]));
    float ms;
    EXPECT_ERROR(cudaEventElapsedTime(&ms, event[0], event[1]), cudaErrorInvalidResourceHandle);
    CUDA_CHECK(cudaStreamGetDevice(stream[1], &device));
    EXPECT(device == 1 && value_of(p[1]) == 3);
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaStreamDestroy(stream[i]));
        CUDA_CHECK(cudaEventDestroy(event[i]));
        CUDA_CHECK(cudaFree(p[i]));
    }
}

static void peers() {
    int can = -1, value = -1, *p[2] = {make(0, 20), make(1, 21)}, *out = make(0, 0);
    CUDA_CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can == 1);
    CUDA_CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0);
    EXPECT_ERROR(cudaDeviceCanAccessPeer(&can, 0, 2), cudaErrorInvalidDevice);
    CUDA_CHECK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    EXPECT(value == 1);
    // copies need no access
    CUDA_CHECK(cudaMemcpyPeer(p[1], 1, p[0], 0, sizeof(int)));
    EXPECT(value_of(p[1]) == 20);
    EXPECT_ERROR(cudaMemcpyPeer(p[1], 2, p[0], 0, sizeof(int)), cudaErrorInvalidDevice);
    CUDA_CHECK(cudaMemcpy(p[0], p[1], sizeof(int), cudaMemcpyDefault));
    EXPECT_ERROR(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    EXPECT_ERROR(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    EXPECT_ERROR(cudaDeviceEnablePeerAccess(2, 0), cudaErrorInvalidDevice);
    CUDA_CHECK(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT_ERROR(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    get<<<1, 1>>>(p[1], out);
    EXPECT(value_of(out) == 20);
    set<<<1, 1>>>(p[1], 41);
    add<<<4, 64>>>(p[1], 1);
    EXPECT(value_of(p[1]) == 41 + 4 * 64);
    get<<<1, 1>>>(make(1, 50), out); // later than the access
    EXPECT(value_of(out) == 50);
    CUDA_CHECK(cudaDeviceDisablePeerAccess(1));
    cudaGetLastError();
}

static void pools() {
    cudaMemPool_t pool[2];
    cudaMemAccessFlags flags;
    int *p, *out = make(1, 0);
    for (int i = 0; i < 2; i++) CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool[i], i));
    EXPECT(pool[0] != pool[1]);
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
    CUDA_CHECK(cudaMallocAsync(&p, sizeof(int), 0)); // before
    CUDA_CHECK(cudaMemPoolGetAccess(&flags, pool[0], &access.location));
    EXPECT(flags == cudaMemAccessFlagsProtNone);
    CUDA_CHECK(cudaMemPoolSetAccess(pool[0], &access, 1));
    CUDA_CHECK(cudaMemPoolGetAccess(&flags, pool[0], &access.location));
    EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
    set<<<1, 1>>>(p, 60);
    CUDA_CHECK(cudaDeviceSynchronize());
    on(1);
    get<<<1, 1>>>(p, out);
    EXPECT(value_of(out) == 60);
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    on(0);
    CUDA_CHECK(cudaFreeAsync(p, 0));
    CUDA_CHECK(cudaMallocAsync(&p, sizeof(int), stream));
    EXPECT(device_of(p) == 1);
    CUDA_CHECK(cudaFreeAsync(p, stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(out));
}

// One capture goes through streams of both devices, and its graph runs on both.
static void graph() {
    cudaStream_t stream[2];
    cudaEvent_t event[2];
    cudaGraph_t captured;
    cudaGraphExec_t exec;
    int *p[2] = {make(0, 0), make(1, 0)};
    for (int i = 0; i < 2; i++) {
        on(i);
        CUDA_CHECK(cudaStreamCreate(&stream[i]));
        CUDA_CHECK(cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming));
    }
    on(0);
    CUDA_CHECK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
    set<<<1, 1, 0, stream[0]>>>(p[0], 31);
    CUDA_CHECK(cudaEventRecord(event[0], stream[0]));
    CUDA_CHECK(cudaStreamWaitEvent(stream[1], event[0]));
    on(1);
    add<<<1, 1, 0, stream[1]>>>(p[1], 32);
    CUDA_CHECK(cudaEventRecord(event[1], stream[1]));
    on(0);
    CUDA_CHECK(cudaStreamWaitEvent(stream[0], event[1]));
    CUDA_CHECK(cudaMemcpyAsync(p[0] + 1, p[1], sizeof(int), cudaMemcpyDefault, stream[0]));
    CUDA_CHECK(cudaStreamEndCapture(stream[0], &captured));
    CUDA_CHECK(cudaGraphInstantiate(&exec, captured, 0));
    for (int i = 0; i < 2; i++) CUDA_CHECK(cudaGraphLaunch(exec, stream[0]));
    CUDA_CHECK(cudaStreamSynchronize(stream[0]));
    EXPECT(value_of(p[0]) == 31 && value_of(p[0] + 1) == 64);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(captured));
    for (int i = 0; i < 2; i++) CUDA_CHECK(cudaStreamDestroy(stream[i]));
}

// A device that is reset loses what is its own.
static void reset() {
    int *p[2] = {make(0, 70), make(1, 71)};
    on(1);
    CUDA_CHECK(cudaDeviceReset());
    on(0);
    EXPECT(value_of(p[0]) == 70);
    cudaPointerAttributes found;
    CUDA_CHECK(cudaPointerGetAttributes(&found, p[1]));
    EXPECT(found.type == cudaMemoryTypeUnregistered);
    get_variable<<<1, 1>>>(p[0]);
    EXPECT(value_of(p[0]) == 5);
}

int main() {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("one device: nothing to do\n");
        return 0;
    }
    what_is_own();
    streams_and_events();
    peers();
    pools();
    graph();
    reset();
    printf("ok\n");
    return 0;
}
