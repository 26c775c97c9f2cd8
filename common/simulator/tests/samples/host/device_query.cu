// SPDX-License-Identifier: MIT
// Prints the properties that programs look at, from cudaGetDeviceProperties and the attribute
// queries.
#include <memory>
#include <string>

#include "../helper.h"

int main() {
    int deviceCount = 0;
    cudaError_t error_id = cudaGetDeviceCount(&deviceCount);
    if (error_id != cudaSuccess) {
        printf("cudaGetDeviceCount returned %d\n-> %s\n", static_cast<int>(error_id),
               cudaGetErrorString(error_id));
        exit(EXIT_FAILURE);
    }
    if (deviceCount == 0) {
        printf("There are no available device(s) that support CUDA\n");
        return EXIT_FAILURE;
    }
    int driverVersion = 0, runtimeVersion = 0;
    checkCudaErrors(cudaDriverGetVersion(&driverVersion));
    checkCudaErrors(cudaRuntimeGetVersion(&runtimeVersion));
    printf("CUDA Runtime Version %d.%d\n", runtimeVersion / 1000, (runtimeVersion % 100) / 10);
    bool passed = driverVersion >= runtimeVersion;

    checkCudaErrors(cudaSetDevice(0));
    cudaDeviceProp p;
    checkCudaErrors(cudaGetDeviceProperties(&p, 0));
    fprintf(stderr, "Device 0: \"%s\", %zu bytes\n", p.name, p.totalGlobalMem);
    passed = passed && p.totalGlobalMem > 0 && std::string(p.name).size() > 0;
    printf("Capability:                       %d.%d\n", p.major, p.minor);
    printf("Multiprocessors:                  %d\n", p.multiProcessorCount);
    printf("Total constant memory:            %zu bytes\n", p.totalConstMem);
    printf("Shared memory per block:          %zu bytes\n", p.sharedMemPerBlock);
    printf("Shared memory per block (opt in): %zu bytes\n", p.sharedMemPerBlockOptin);
    printf("Shared memory per SM:             %zu bytes\n", p.sharedMemPerMultiprocessor);
    printf("Shared memory reserved:           %zu bytes\n", p.reservedSharedMemPerBlock);
    printf("Registers per block:              %d\n", p.regsPerBlock);
    printf("Registers per SM:                 %d\n", p.regsPerMultiprocessor);
    printf("Warp size:                        %d\n", p.warpSize);
    printf("Threads per SM:                   %d\n", p.maxThreadsPerMultiProcessor);
    printf("Blocks per SM:                    %d\n", p.maxBlocksPerMultiProcessor);
    printf("Threads per block:                %d\n", p.maxThreadsPerBlock);
    printf("Block dimensions:                 (%d, %d, %d)\n", p.maxThreadsDim[0],
           p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("Grid dimensions:                  (%d, %d, %d)\n", p.maxGridSize[0], p.maxGridSize[1],
           p.maxGridSize[2]);
    printf("Memory pitch:                     %zu bytes\n", p.memPitch);
    printf("Texture alignment:                %zu bytes\n", p.textureAlignment);
    printf("Texture 2D:                       (%d, %d)\n", p.maxTexture2D[0], p.maxTexture2D[1]);
    printf("Concurrent kernels:               %s\n", p.concurrentKernels ? "Yes" : "No");
    printf("Host page-locked mapping:         %s\n", p.canMapHostMemory ? "Yes" : "No");
    printf("Unified addressing:               %s\n", p.unifiedAddressing ? "Yes" : "No");
    printf("Managed memory:                   %s\n", p.managedMemory ? "Yes" : "No");
    printf("Cooperative launch:               %s\n", p.cooperativeLaunch ? "Yes" : "No");
    printf("ECC:                              %s\n", p.ECCEnabled ? "Enabled" : "Disabled");
    printf("L2 cache:                         %d bytes\n", p.l2CacheSize);
    printf("Memory bus:                       %d-bit\n", p.memoryBusWidth);

    // Every field above that also has an attribute must agree with it.
    struct {
        cudaDeviceAttr attribute;
        int expected;
    } attributes[] = {{cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
                      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
                      {cudaDevAttrWarpSize, p.warpSize},
                      {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p.sharedMemPerBlockOptin},
                      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
                      {cudaDevAttrComputeCapabilityMajor, p.major},
                      {cudaDevAttrComputeCapabilityMinor, p.minor},
                      {cudaDevAttrL2CacheSize, p.l2CacheSize},
                      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]}};
    for (auto &a : attributes) {
        int value = -1;
        checkCudaErrors(cudaDeviceGetAttribute(&value, a.attribute, 0));
        passed = passed && value == a.expected;
    }
    size_t freeMemory = 0, totalMemory = 0;
    checkCudaErrors(cudaMemGetInfo(&freeMemory, &totalMemory));
    passed = passed && freeMemory > 0 && freeMemory <= totalMemory;
    char pci[32];
    checkCudaErrors(cudaDeviceGetPCIBusId(pci, sizeof pci, 0));
    int back = -1;
    checkCudaErrors(cudaDeviceGetByPCIBusId(&back, pci));
    return finish("device_query", passed && back == 0);
}
