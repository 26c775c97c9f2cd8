// Launches from kernels that fail, and what the runtime's other calls answer in device code. Codes
// are those of an H200 with CUDA 13.0. An argument chooses a case that ends badly.
// options: -rdc=true
// architectures: 90
#include <cstring>

#include "../check.h"

__device__ int failures;

__device__ static void expect(bool so, int line) {
    if (so) return;
    printf("line %d is not so\n", line);
    atomicAdd(&failures, 1);
}
#define SO(condition) expect(condition, __LINE__)

__global__ void empty() {}

__global__ void with_shared(int *p) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = 1;
    if (p) *p = shared[0];
}

__global__ void __launch_bounds__(64) bounded(int *p) {
    if (p) *p = 1;
}

// The last error is that of the launch, to look at and to take.
#define FAILS(error, ...)                                                                          \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        SO(cudaPeekAtLastError() == (error));                                                      \
        SO(cudaGetLastError() == (error));                                                         \
        SO(cudaGetLastError() == cudaSuccess);                                                     \
    } while (0)

__global__ void configurations(cudaStream_t of_host) {
    FAILS(cudaSuccess, (empty<<<1, 1>>>()));
    FAILS(cudaErrorInvalidConfiguration, (empty<<<1, 2048>>>()));
    FAILS(cudaErrorInvalidConfiguration, (empty<<<1, 0>>>()));
    FAILS(cudaErrorInvalidConfiguration, (empty<<<0, 1>>>()));
    FAILS(cudaErrorInvalidConfiguration, (empty<<<dim3(1, 70000), 1>>>()));
    FAILS(cudaErrorInvalidConfiguration, (empty<<<1, dim3(1, 1, 128)>>>()));
    FAILS(cudaSuccess, (with_shared<<<1, 32, 48 << 10>>>(nullptr)));
    FAILS(cudaErrorInvalidConfiguration, (with_shared<<<1, 32, 64 << 10>>>(nullptr)));
    FAILS(cudaErrorInvalidConfiguration, (bounded<<<1, 128>>>(nullptr)));
    FAILS(cudaErrorInvalidValue, (empty<<<1, 1, 0, of_host>>>()));
    FAILS(cudaErrorInvalidValue, (empty<<<1, 1, 0, (cudaStream_t)0x12345>>>()));
}

__global__ void streams() {
    cudaStream_t s = nullptr;
    SO(cudaStreamCreateWithFlags(&s, 2) == cudaErrorInvalidValue);
    SO(cudaGetLastError() == cudaErrorInvalidValue);
    SO(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess && s);
    FAILS(cudaSuccess, (empty<<<1, 1, 0, s>>>()));
    SO(cudaStreamDestroy(s) == cudaSuccess);
    FAILS(cudaSuccess, (empty<<<1, 1, 0, s>>>()));
    SO(cudaStreamDestroy(nullptr) == cudaErrorInvalidValue);
    SO(cudaStreamDestroy(cudaStreamTailLaunch) == cudaErrorInvalidValue);
    SO(cudaGetLastError() == cudaErrorInvalidValue);
}

__device__ static bool same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

__global__ void queries() {
    int value = -1;
    size_t limit = 0;
    SO(cudaGetDeviceCount(&value) == cudaSuccess && value == 1);
    SO(cudaGetDevice(&value) == cudaSuccess && value == 0);
    SO(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess &&
       value == 1024);
    SO(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
       value == 9);
    SO(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)500, 0) == cudaErrorInvalidValue);
    SO(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3) == cudaErrorInvalidDevice);
    SO(cudaGetLastError() == cudaErrorInvalidDevice);
    SO(cudaDeviceGetLimit(&limit, cudaLimitStackSize) == cudaSuccess && limit == 1024);
    SO(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess && limit == 8 << 20);
    SO(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount) == cudaSuccess);
    SO(limit == 2048);
    SO(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth) == cudaErrorUnsupportedLimit);
    SO(cudaGetLastError() == cudaErrorUnsupportedLimit);
    SO(same(cudaGetErrorString(cudaSuccess), "no error"));
    SO(same(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument"));
    SO(same(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    SO(same(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    int *memory = nullptr;
    SO(cudaMalloc((void **)&memory, 100) == cudaSuccess && memory);
    memory[24] = 5;
    SO(cudaFree(memory) == cudaSuccess);
}

__global__ void errors_of_threads() {
    if (threadIdx.x == 0) empty<<<1, 2048>>>();
    __syncthreads();
    SO(cudaPeekAtLastError() == (threadIdx.x == 0 ? cudaErrorInvalidConfiguration : cudaSuccess));
}

// Tail launches wait until the grid has ended, so that their number is limited.
__global__ void tails(int count, int limit) {
    for (int i = 0; i < count; i++) {
        empty<<<1, 1, 0, cudaStreamTailLaunch>>>();
        SO(cudaGetLastError() == (i < limit ? cudaSuccess : cudaErrorLaunchPendingCountExceeded));
    }
}

__global__ void silent() { empty<<<1, 2048>>>(); }

__global__ void again(int *count) {
    *count += 1;
    again<<<1, 1, 0, cudaStreamTailLaunch>>>(count);
}

__global__ void writes_far(int *p) { p[1 << 20] = 1; }

__global__ void launches_fault(int *p) {
    writes_far<<<1, 1>>>(p);
    empty<<<1, 1>>>();
}

__global__ void uses_event() {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
}

__global__ void uses_copy(int *p) { cudaMemcpyAsync(p, p + 1, 4, cudaMemcpyDeviceToDevice, 0); }

static int ends_badly(const char *name) {
    int *d;
    CUDA_CHECK(cudaMalloc(&d, 64));
    CUDA_CHECK(cudaMemset(d, 0, 64));
    if (strcmp(name, "silent") == 0) silent<<<2, 1>>>();
    if (strcmp(name, "again") == 0) again<<<1, 1>>>(d);
    if (strcmp(name, "fault") == 0) launches_fault<<<1, 1>>>(d);
    if (strcmp(name, "event") == 0) uses_event<<<1, 1>>>();
    if (strcmp(name, "copy") == 0) uses_copy<<<1, 1>>>(d);
    cudaError_t launched = cudaGetLastError();
    printf("launch: %s, end: %s\n", cudaGetErrorName(launched),
           cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) return ends_badly(argv[1]);
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    configurations<<<1, 1>>>(stream);
    streams<<<1, 1>>>();
    queries<<<1, 1>>>();
    errors_of_threads<<<2, 2>>>();
    tails<<<1, 1>>>(2060, 2048);
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    tails<<<1, 1>>>(2060, 4096);
    int got = -1;
    CUDA_CHECK(cudaMemcpyFromSymbol(&got, failures, sizeof got));
    EXPECT(got == 0);
    CUDA_CHECK(cudaStreamDestroy(stream));
    printf("ok\n");
    return 0;
}
