// What a card answers where a good guess is wrong: attributes, limits, streams, kernels, clusters,
// memory, pools, comparisons of pairs. One line for each question, "name: answer ..";
// answers_h200.txt has an H200's (CUDA 13.0, driver 580). The last question costs the device.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>

__constant__ int constants[250];
__device__ void *of_heap;

__global__ void small(int *p) {
    if (p) *p = constants[0];
}
__global__ void with_shared(int *p) {
    __shared__ int tile[100];
    tile[threadIdx.x % 100] = p[0];
    __syncthreads();
    p[1] = tile[(threadIdx.x + 1) % 100];
}
__global__ void __launch_bounds__(96) bounded(int *p) {
    if (p) *p = 1;
}
__global__ void __cluster_dims__(2, 1, 1) in_pairs(int *p) {
    if (p) *p = 1;
}
__global__ void __launch_bounds__(128, 1, 4) in_fours(int *p) {
    if (p) *p = 1;
}
__global__ void store_at(int *p) { *p = 1; }
__global__ void use_heap(unsigned long long *out) {
    char *a = (char *)malloc(1), *b = (char *)malloc(1);
    out[0] = (size_t)a % 16 == 0;
    out[1] = malloc(0) == nullptr;
    out[2] = malloc(64 << 20) == nullptr;
    out[3] = b > a ? b - a : a - b;
    of_heap = a;
}

__global__ void compare_pairs(unsigned a, unsigned b, unsigned *out) {
    asm("set.ltu.u32.f16x2 %0, %1, %2;" : "=r"(*out) : "r"(a), "r"(b));
}

static void ask_pairs(unsigned *d_out) {
    unsigned out = 0;
    compare_pairs<<<1, 1>>>(0x40007E00, 0x3C003C00, d_out); // NaN and 2
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("unordered less of pairs: %08x\n", out);
}

// ---- the device ---------------------------------------------------------------------------------

static void ask_attributes() {
    for (int i = 1; i < 148; i++) {
        int value = 0;
        if (i == 33 || i == 34 || i == 50) continue; // where the card is on its bus
        cudaError_t error = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0);
        printf("attribute %d: %d %d\n", i, error, value);
    }
}

static void ask_limit(cudaLimit limit, size_t wanted) {
    size_t value = 7;
    cudaError_t error = cudaDeviceSetLimit(limit, wanted);
    cudaDeviceGetLimit(&value, limit);
    printf("limit %d %zu: %d %zu\n", limit, wanted, error, value);
}

static void ask_limits() {
    for (int i = 0; i < 7; i++) {
        size_t value = 7;
        cudaError_t error = cudaDeviceGetLimit(&value, (cudaLimit)i);
        printf("limit %d: %d %zu\n", i, error, value);
    }
    ask_limit(cudaLimitStackSize, 1000);
    ask_limit(cudaLimitPrintfFifoSize, 1000);
    ask_limit(cudaLimitMaxL2FetchGranularity, 100);
    ask_limit(cudaLimitPersistingL2CacheSize, 1 << 20);
    ask_limit(cudaLimitPersistingL2CacheSize, 1 << 30);
}

static void ask_streams() {
    for (cudaStream_t stream : {(cudaStream_t) nullptr, cudaStreamLegacy, cudaStreamPerThread}) {
        unsigned long long id = 777;
        cudaError_t error = cudaStreamGetId(stream, &id);
        printf("stream %zu: %d %llu\n", (size_t)stream, error, id);
    }
    cudaStream_t stream;
    cudaStreamAttrValue value;
    cudaStreamCreate(&stream);
    cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value);
    printf("synchronization policy of nobody: %d\n", (int)value.syncPolicy);
    memset((void *)&value, 0, sizeof value);
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitRatio = 2;
    printf("hit ratio 2: %d\n",
           cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    void *memory = aligned_alloc(4096, 4096);
    unsigned flags = 777;
    cudaHostRegister(memory, 4096, 0);
    cudaError_t error = cudaHostGetFlags(&flags, memory);
    printf("registered: %d %u\n", error, flags);
}

// ---- kernels and clusters -----------------------------------------------------------------------

template <typename Kernel> static void ask_kernel(const char *name, Kernel *kernel) {
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, kernel);
    printf("kernel %s: %zu %zu %d %d %d %d\n", name, a.sharedSizeBytes, a.constSizeBytes,
           a.maxThreadsPerBlock, a.clusterDimMustBeSet, a.requiredClusterWidth,
           a.requiredClusterHeight);
}

static void ask_clusters(unsigned threads, size_t shared_bytes) {
    for (unsigned size : {1, 2, 3, 4, 8, 6, 16}) {
        if (!shared_bytes && size == 6) break;
        int count = -7;
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {size, 1, 1};
        config.gridDim = dim3(size * 200);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared_bytes;
        config.attrs = &attribute;
        config.numAttrs = 1;
        cudaError_t error = cudaOccupancyMaxActiveClusters(&count, small, &config);
        printf("clusters %u x %u threads %zu: %d %d\n", size, threads, shared_bytes, error, count);
        if (shared_bytes || size != 8) continue;
        config.gridDim = dim3(8);
        config.blockDim = dim3(128);
        printf("clusters of 8 of a kernel for 4: %d\n",
               cudaLaunchKernelEx(&config, in_fours, (int *)nullptr));
    }
}

// ---- memory -------------------------------------------------------------------------------------

static size_t free_bytes() {
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    return free;
}

static void ask_memory() {
    void *a, *b, *c;
    size_t at[5] = {free_bytes()};
    cudaMalloc(&a, 1);
    at[1] = free_bytes();
    cudaMalloc(&b, 1);
    at[2] = free_bytes();
    cudaMalloc(&c, 3 << 20);
    at[3] = free_bytes();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    at[4] = free_bytes();
    printf("free memory: %zu %zu %zu %zu\n", at[0] - at[1], at[1] - at[2], at[2] - at[3],
           at[0] - at[4]);
}

static void say_pool(const char *when, cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    unsigned long long value = 777;
    cudaMemPoolGetAttribute(pool, attribute, &value);
    printf("pool %s: %llu\n", when, value);
}

static void ask_pools() {
    cudaMemPool_t pool;
    void *a, *b;
    unsigned long long all = UINT64_MAX;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMallocAsync(&a, 1000, 0);
    say_pool("reserves", pool, cudaMemPoolAttrReservedMemCurrent);
    say_pool("uses", pool, cudaMemPoolAttrUsedMemCurrent);
    cudaFreeAsync(a, 0);
    cudaMallocAsync(&b, 1000, 0);
    printf("same address: %d\n", a == b);
    cudaFreeAsync(b, 0);
    cudaStreamSynchronize(0);
    say_pool("reserves, freed", pool, cudaMemPoolAttrReservedMemCurrent);
    say_pool("uses, freed", pool, cudaMemPoolAttrUsedMemCurrent);
    say_pool("reserved", pool, cudaMemPoolAttrReservedMemHigh);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    cudaMallocAsync(&a, 1000, 0);
    cudaFreeAsync(a, 0);
    cudaStreamSynchronize(0);
    say_pool("reserves, threshold", pool, cudaMemPoolAttrReservedMemCurrent);
    cudaMemPoolTrimTo(pool, 0);
    say_pool("reserves, trimmed", pool, cudaMemPoolAttrReservedMemCurrent);
    cudaMallocAsync(&a, 40 << 20, 0);
    say_pool("reserves 40 MiB", pool, cudaMemPoolAttrReservedMemCurrent);
    cudaFreeAsync(a, 0);
    cudaStreamSynchronize(0);
}

static void ask_heap() {
    unsigned long long *d_out, out[4];
    char *inside = nullptr, byte;
    cudaMalloc(&d_out, sizeof out);
    use_heap<<<1, 1>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&inside, of_heap, sizeof inside);
    printf("heap: %llu %llu %llu %llu\n", out[0], out[1], out[2], out[3]);
    printf("copy from heap: %d\n", cudaMemcpy(&byte, inside, 1, cudaMemcpyDeviceToHost));
    printf("free of heap: %d\n", cudaFree(inside));
    cudaGetLastError();
}

static void ask_after_fault() {
    void *memory;
    store_at<<<1, 1>>>((int *)16);
    printf("fault: %d\n", cudaDeviceSynchronize());
    cudaGetLastError();
    printf("reset: %d\n", cudaDeviceReset());
    printf("after it: %d\n", cudaMalloc(&memory, 4));
}

int main() {
    unsigned *d_out;
    ask_memory();
    ask_pools();
    cudaMalloc(&d_out, 64);
    ask_pairs(d_out);
    ask_attributes();
    ask_limits();
    ask_streams();
    ask_kernel("small", small);
    ask_kernel("with_shared", with_shared);
    ask_kernel("bounded", bounded);
    ask_kernel("in_pairs", in_pairs);
    cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    cudaFuncSetAttribute(small, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    ask_clusters(1024, 0);
    ask_clusters(256, 232448);
    ask_heap();
    ask_after_fault();
    return 0;
}
