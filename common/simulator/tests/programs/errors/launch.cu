// Launch configurations, attributes of kernels, occupancy questions, last-error rules.
#include "catalogue.h"

#include <cooperative_groups.h>
#include <cstring>

case_list launch_cases;

__global__ void nothing() {}

__global__ void store(int *out) {
    if (out) *out = 1;
}

__global__ void __launch_bounds__(128) bounded(int *out) {
    if (out) out[threadIdx.x] = 1;
}

__global__ void with_static_shared(int *out) {
    __shared__ int words[8192];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (out) *out = words[blockDim.x - 1 - threadIdx.x];
}

// 128 live values: more registers than 1024 threads can have.
__global__ void many_registers(float *data, int rounds) {
    float values[128];
#pragma unroll
    for (int i = 0; i < 128; i++) values[i] = data[i * 1024 + threadIdx.x];
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < 128; i++) values[i] = values[i] * values[(i + 37) % 128] + r;
    }
#pragma unroll
    for (int i = 0; i < 128; i++) data[i * 1024 + threadIdx.x] = values[i];
}

__global__ void sync_grid(int *out) {
    cooperative_groups::this_grid().sync();
    if (out) *out = 1;
}

static void ordinary() {}

CASE(launch_cases, configuration) {
    LAUNCH(nothing<<<0, 32>>>());
    LAUNCH(nothing<<<1, 0>>>());
    LAUNCH(nothing<<<1, 1025>>>());
    LAUNCH(nothing<<<1, dim3(32, 33, 1)>>>());
    LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
    LAUNCH(nothing<<<1, dim3(1, 1025, 1)>>>());
    LAUNCH(nothing<<<dim3(1, 65536, 1), 32>>>());
    LAUNCH(nothing<<<dim3(1, 1, 65536), 32>>>());
    LAUNCH(nothing<<<dim3(0x80000000u, 1, 1), 32>>>());
    LAUNCH(nothing<<<dim3(1, 0, 1), 32>>>());
    LAUNCH(nothing<<<dim3(1, 65535, 1), 1>>>());
}

CASE(launch_cases, shared_memory) {
    LAUNCH(nothing<<<1, 32, 48 << 10>>>());
    LAUNCH(nothing<<<1, 32, (48 << 10) + 1>>>());
    LAUNCH(nothing<<<1, 32, 1 << 20>>>());
    LAUNCH(nothing<<<1, 32, (size_t)1 << 33>>>());
    LAUNCH(with_static_shared<<<1, 32, 16 << 10>>>(nullptr));
    LAUNCH(with_static_shared<<<1, 32, (16 << 10) + 1>>>(nullptr));
}

CASE(launch_cases, shared_memory_limit) {
    const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    say(cudaFuncSetAttribute(nothing, most, 227 << 10));
    LAUNCH(nothing<<<1, 32, 227 << 10>>>());
    LAUNCH(nothing<<<1, 32, (227 << 10) + 1>>>());
    say(cudaFuncSetAttribute(nothing, most, (227 << 10) + 1));
    say(cudaFuncSetAttribute(nothing, most, -1));
    say(cudaFuncSetAttribute(with_static_shared, most, 227 << 10));
    say(cudaFuncSetAttribute(with_static_shared, most, 195 << 10));
    say(cudaFuncSetAttribute(nothing, most, 0));
    LAUNCH(nothing<<<1, 32, 1024>>>());
    say(cudaFuncSetAttribute(nothing, most, 48 << 10));
}

CASE(launch_cases, too_many_resources) {
    float *data = (float *)device_bytes(128 * 1024 * sizeof(float));
    LAUNCH(many_registers<<<1, 1024>>>(data, 1));
    LAUNCH(many_registers<<<1, 128>>>(data, 1));
    LAUNCH(bounded<<<1, 129>>>(nullptr));
    LAUNCH(bounded<<<1, 128>>>(nullptr));
    say(cudaDeviceSynchronize());
    say(cudaFree(data));
}

ALONE(launch_cases, function_attributes) {
    cudaFuncAttributes about;
    say(cudaFuncGetAttributes(&about, nothing));
    printf(" %d %d", about.maxThreadsPerBlock, about.maxDynamicSharedSizeBytes);
    say(cudaFuncGetAttributes(&about, bounded), about.maxThreadsPerBlock);
    say(cudaFuncGetAttributes(&about, with_static_shared));
    printf(" %zu %d", about.sharedSizeBytes, about.maxDynamicSharedSizeBytes);
    say(cudaFuncGetAttributes(&about, (const void *)ordinary));
    say(cudaFuncGetAttributes(&about, (const void *)nullptr));
    say(cudaFuncGetAttributes(nullptr, nothing));
    say(cudaFuncSetAttribute(nothing, (cudaFuncAttribute)77, 1));
    say(cudaFuncSetAttribute((const void *)ordinary, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             1));
    const cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    say(cudaFuncSetAttribute(nothing, carveout, 100));
    say(cudaFuncSetAttribute(nothing, carveout, 101));
    say(cudaFuncSetAttribute(nothing, carveout, -2));
    say(cudaFuncSetAttribute(nothing, carveout, -1));
    say(cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    say(cudaFuncSetAttribute(nothing, cudaFuncAttributeRequiredClusterWidth, 2));
    say(cudaFuncSetCacheConfig(nothing, (cudaFuncCache)44));
}

ALONE(launch_cases, launch_calls) {
    int *pointer = nullptr;
    void *arguments[] = {&pointer};
    say(cudaLaunchKernel((const void *)ordinary, dim3(1), dim3(1), nullptr, 0, 0));
    say(cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(1), nullptr, 0, 0));
    say(cudaLaunchKernel((const void *)store, dim3(1), dim3(1), arguments, 0, 0));
    say(cudaLaunchKernel((const void *)store, dim3(0), dim3(1), arguments, 0, 0));
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    say(cudaLaunchKernelExC(&config, (const void *)store, arguments));
    config.gridDim = config.blockDim = dim3(1);
    say(cudaLaunchKernelExC(&config, (const void *)store, arguments));
    say(cudaLaunchKernelExC(&config, (const void *)ordinary, arguments));
    cudaKernel_t kernel;
    say(cudaGetKernel(&kernel, (const void *)ordinary));
    cudaFunction_t function;
    say(cudaGetFuncBySymbol(&function, (const void *)ordinary));
}

ALONE(launch_cases, launch_attributes) {
    int *pointer = nullptr;
    void *arguments[] = {&pointer};
    cudaLaunchAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    const unsigned widths[] = {1, 0, 3, 64};
    for (unsigned width : widths) {
        attribute.val.clusterDim.x = width;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        say(cudaLaunchKernelExC(&config, (const void *)store, arguments));
    }
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    say(cudaLaunchKernelExC(&config, (const void *)store, arguments));
    attribute.id = cudaLaunchAttributePriority;
    attribute.val.priority = -1;
    say(cudaLaunchKernelExC(&config, (const void *)store, arguments));
    attribute.id = (cudaLaunchAttributeID)99;
    say(cudaLaunchKernelExC(&config, (const void *)store, arguments));
    say(cudaDeviceSynchronize());
}

CASE(launch_cases, cooperative) {
    int *pointer = nullptr;
    void *arguments[] = {&pointer};
    const void *kernel = (const void *)sync_grid;
    int blocks = 0;
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1024, 0), blocks);
    say(cudaLaunchCooperativeKernel(kernel, dim3(132 * blocks), dim3(1024), arguments, 0, 0));
    say(cudaLaunchCooperativeKernel(kernel, dim3(132 * blocks + 1), dim3(1024), arguments, 0, 0));
    say(cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(2048), arguments, 0, 0));
    say(cudaLaunchCooperativeKernel((const void *)ordinary, dim3(1), dim3(1), arguments, 0, 0));
    say(cudaDeviceSynchronize());
}

ALONE(launch_cases, occupancy) {
    int blocks = 0, size = 0;
    const void *kernel = (const void *)nothing;
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernel, 128, 0));
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)ordinary, 128, 0));
    const int sizes[] = {0, -1, 1, 1024, 1025, 2048};
    for (int threads : sizes)
        say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0), blocks);
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 100 << 10), blocks);
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 128, 0, 8));
    size_t bytes = 0;
    say(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 128), bytes);
    say(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 0, 128));
    say(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 100, 128));
    say(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, nothing));
    printf(" %d %d", blocks, size);
}

ALONE(launch_cases, cluster_occupancy) {
    int clusters = 0, size = 0;
    cudaLaunchAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3(128);
    config.blockDim = dim3(1024);
    config.attrs = &attribute;
    config.numAttrs = 1;
    say(cudaOccupancyMaxPotentialClusterSize(&size, nothing, &config), size);
    say(cudaOccupancyMaxActiveClusters(&clusters, nothing, &config), clusters);
    say(cudaOccupancyMaxActiveClusters((int *)nullptr, nothing, &config));
}

CASE(launch_cases, last_error) {
    nothing<<<1, 0>>>();
    say(cudaPeekAtLastError());
    say(cudaPeekAtLastError());
    nothing<<<1, 1>>>(); // a success does not forget it
    say(cudaPeekAtLastError());
    say(cudaDeviceSynchronize());
    say(cudaMalloc((void **)nullptr, 1)); // the latest counts
    say(cudaGetLastError());
    say(cudaGetLastError());
    say(cudaSetDevice(99));
    say(cudaFree(nullptr));
    say(cudaGetLastError());
    say(cudaGetLastError());
}
