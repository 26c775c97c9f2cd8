// Launch configurations, attributes of kernels, occupancy questions, last-error rules.
#include "catalogue.h"

#include <cooperative_groups.h>
#include <cstring>

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

static void configuration() {
    nothing<<<0, 32>>>();
    say(cudaGetLastError());
    nothing<<<1, 0>>>();
    say(cudaGetLastError());
    nothing<<<1, 1025>>>();
    say(cudaGetLastError());
    nothing<<<1, dim3(32, 33, 1)>>>();
    say(cudaGetLastError());
    nothing<<<1, dim3(1, 1, 65)>>>();
    say(cudaGetLastError());
    nothing<<<1, dim3(1, 1025, 1)>>>();
    say(cudaGetLastError());
    nothing<<<dim3(1, 65536, 1), 32>>>();
    say(cudaGetLastError());
    nothing<<<dim3(1, 1, 65536), 32>>>();
    say(cudaGetLastError());
    nothing<<<dim3(0x80000000u, 1, 1), 32>>>();
    say(cudaGetLastError());
    nothing<<<dim3(1, 0, 1), 32>>>();
    say(cudaGetLastError());
    nothing<<<dim3(1, 65535, 1), 1>>>();
    say(cudaGetLastError());
}

static void shared_memory() {
    nothing<<<1, 32, 48 << 10>>>();
    say(cudaGetLastError());
    nothing<<<1, 32, (48 << 10) + 1>>>();
    say(cudaGetLastError());
    nothing<<<1, 32, 1 << 20>>>();
    say(cudaGetLastError());
    nothing<<<1, 32, (size_t)1 << 33>>>();
    say(cudaGetLastError());
    with_static_shared<<<1, 32, 16 << 10>>>(nullptr);
    say(cudaGetLastError());
    with_static_shared<<<1, 32, (16 << 10) + 1>>>(nullptr);
    say(cudaGetLastError());
}

static void shared_memory_limit() {
    const cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    say(cudaFuncSetAttribute(nothing, most, 227 << 10));
    nothing<<<1, 32, 227 << 10>>>();
    say(cudaGetLastError());
    nothing<<<1, 32, (227 << 10) + 1>>>();
    say(cudaGetLastError());
    say(cudaFuncSetAttribute(nothing, most, (227 << 10) + 1));
    say(cudaFuncSetAttribute(nothing, most, -1));
    say(cudaFuncSetAttribute(with_static_shared, most, 227 << 10));
    say(cudaFuncSetAttribute(with_static_shared, most, 195 << 10));
    say(cudaFuncSetAttribute(nothing, most, 0));
    nothing<<<1, 32, 1024>>>();
    say(cudaGetLastError());
    say(cudaFuncSetAttribute(nothing, most, 48 << 10));
}

static void too_many_resources() {
    float *data = (float *)device_bytes(128 * 1024 * sizeof(float));
    many_registers<<<1, 1024>>>(data, 1);
    say(cudaGetLastError());
    many_registers<<<1, 128>>>(data, 1);
    say(cudaGetLastError());
    bounded<<<1, 129>>>(nullptr);
    say(cudaGetLastError());
    bounded<<<1, 128>>>(nullptr);
    say(cudaGetLastError());
    say(cudaDeviceSynchronize());
    say(cudaFree(data));
}

static void function_attributes() {
    cudaFuncAttributes about;
    say(cudaFuncGetAttributes(&about, nothing));
    printf(" %d %d", about.maxThreadsPerBlock, about.maxDynamicSharedSizeBytes);
    say(cudaFuncGetAttributes(&about, bounded));
    printf(" %d", about.maxThreadsPerBlock);
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

static void launch_calls() {
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

static void launch_attributes() {
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

static void cooperative() {
    int *pointer = nullptr;
    void *arguments[] = {&pointer};
    const void *kernel = (const void *)sync_grid;
    int blocks = 0;
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1024, 0));
    printf(" %d", blocks);
    say(cudaLaunchCooperativeKernel(kernel, dim3(132 * blocks), dim3(1024), arguments, 0, 0));
    say(cudaLaunchCooperativeKernel(kernel, dim3(132 * blocks + 1), dim3(1024), arguments, 0, 0));
    say(cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(2048), arguments, 0, 0));
    say(cudaLaunchCooperativeKernel((const void *)ordinary, dim3(1), dim3(1), arguments, 0, 0));
    say(cudaDeviceSynchronize());
}

static void occupancy() {
    int blocks = 0, size = 0;
    const void *kernel = (const void *)nothing;
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernel, 128, 0));
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)ordinary, 128, 0));
    const int sizes[] = {0, -1, 1, 1024, 1025, 2048};
    for (int threads : sizes) {
        say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
        printf(" %d", blocks);
    }
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 100 << 10));
    printf(" %d", blocks);
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 128, 0, 8));
    size_t bytes = 0;
    say(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 128));
    printf(" %zu", bytes);
    say(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 0, 128));
    say(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 100, 128));
    say(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, nothing));
    printf(" %d %d", blocks, size);
}

static void cluster_occupancy() {
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
    say(cudaOccupancyMaxPotentialClusterSize(&size, nothing, &config));
    printf(" %d", size);
    say(cudaOccupancyMaxActiveClusters(&clusters, nothing, &config));
    printf(" %d", clusters);
    say(cudaOccupancyMaxActiveClusters((int *)nullptr, nothing, &config));
}

static void last_error() {
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

static const error_case cases[] = {
    {"configuration", configuration},
    {"shared_memory", shared_memory},
    {"shared_memory_limit", shared_memory_limit},
    {"too_many_resources", too_many_resources},
    {"function_attributes", function_attributes, true},
    {"launch_calls", launch_calls, true},
    {"launch_attributes", launch_attributes, true},
    {"cooperative", cooperative},
    {"occupancy", occupancy, true},
    {"cluster_occupancy", cluster_occupancy, true},
    {"last_error", last_error},
};

const case_list launch_cases = CASE_LIST(cases);
