// What programs ask a device before they start; properties and attributes must agree.
#include "../check.h"

static int attribute(cudaDeviceAttr which) {
    int value = -1;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main() {
    int count = 0, device = -1, driver = 0, runtime = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1);
    CUDA_CHECK(cudaSetDevice(0));
    CUDA_CHECK(cudaGetDevice(&device));
    EXPECT(device == 0);
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    EXPECT(runtime / 1000 == CUDART_VERSION / 1000 && driver >= runtime);
    cudaDeviceProp p;
    CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
    size_t persisting;
    CUDA_CHECK(cudaDeviceGetLimit(&persisting, cudaLimitPersistingL2CacheSize));
    printf("%s, compute capability %d.%d, %d SMs, %.1f GB, %d MiB of L2 (%zu persisting)\n", p.name,
           p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem / 1e9, p.l2CacheSize >> 20,
           persisting);
    EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    EXPECT(p.major == attribute(cudaDevAttrComputeCapabilityMajor));
    EXPECT(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
    EXPECT((int)p.sharedMemPerBlock == attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    EXPECT((int)p.sharedMemPerBlockOptin == attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    EXPECT(p.regsPerMultiprocessor == attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
    EXPECT(p.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
    EXPECT(p.maxGridSize[0] == 2147483647 && p.maxThreadsDim[2] == 64);
    EXPECT(p.totalConstMem == 65536 && p.memoryBusWidth > 0);
    EXPECT(attribute(cudaDevAttrClockRate) > 0 && attribute(cudaDevAttrMemoryClockRate) > 0);
    size_t free_bytes, total_bytes, stack;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    EXPECT(p.pciBusID == attribute(cudaDevAttrPciBusId));
    EXPECT(free_bytes <= total_bytes && total_bytes > 0);
    CUDA_CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 2 * stack));
    EXPECT_ERROR(cudaGetDeviceProperties(&p, count), cudaErrorInvalidDevice);
    printf("ok\n");
    return 0;
}
