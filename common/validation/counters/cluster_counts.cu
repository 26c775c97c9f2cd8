// Launches for counters of distributed shared memory: each thread makes REPEATS accesses in a known
// pattern, to the block that follows its own in the cluster or to its own. Run under Nsight Compute
// (see ../README.md); the order of launches is fixed. (Left out: atomics of floats on one address,
// whose number on a GPU depends on how often a compare-and-swap fails.)
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

const int WORDS = 4096, REPEATS = 64, BLOCKS = 16, THREADS = 128;

// The next block's copy of `own`, or its own by way of its rank.
static __device__ float *of_neighbour(float *own, int hop) {
    cg::cluster_group cluster = cg::this_cluster();
    return cluster.map_shared_rank(own, (cluster.block_rank() + hop) % cluster.num_blocks());
}

#define KERNEL(name, ...)                                                                          \
    __global__ void name(float *out, int stride, int hop) {                                        \
        __shared__ float own[WORDS];                                                               \
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x) own[i] = 0;                          \
        cg::this_cluster().sync();                                                                 \
        float *other = of_neighbour(own, hop), sum = 0;                                            \
        for (int i = 0; i < REPEATS; i++) {                                                        \
            int at = (threadIdx.x + i) * stride % WORDS;                                           \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        cg::this_cluster().sync();                                                                 \
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum + own[threadIdx.x];                       \
    }

KERNEL(read_remote, sum += other[at])
KERNEL(write_remote, other[at] = i)
KERNEL(add_remote, atomicAdd(other + at, 1.0f))
KERNEL(add_and_get, sum += atomicAdd(other + at, 1.0f))
KERNEL(read_vectors, float4 v = *(float4 *)(other + 4 * at % WORDS); sum += v.x + v.y + v.z + v.w)

__global__ void only_meet(float *out, int, int) {
    __shared__ float own[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) own[i] = 0;
    cg::this_cluster().sync();
    cg::this_cluster().sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}

typedef void (*kernel_fn)(float *, int, int);

static const struct {
    kernel_fn kernel;
    int cluster, stride, hop;
} launches[] = {
    {only_meet, 2, 1, 1},     {read_remote, 2, 1, 1},  {read_remote, 2, 2, 1},
    {read_remote, 2, 32, 1},  {read_remote, 2, 0, 1},  {read_remote, 2, 33, 1},
    {read_remote, 2, 1, 0},   {read_remote, 8, 1, 1},  {write_remote, 2, 1, 1},
    {write_remote, 2, 32, 1}, {add_remote, 2, 1, 1},   {add_and_get, 2, 1, 1},
    {read_vectors, 2, 1, 1},  {read_vectors, 2, 1, 0}, {read_remote, 1, 1, 0},
    {read_remote, 16, 1, 1},  {read_remote, 4, 1, 1},
};

static int check(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return 0;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    return 1;
}

int main() {
    float *out;
    if (check(cudaMalloc(&out, BLOCKS * THREADS * sizeof *out), "cudaMalloc")) return 1;
    for (const auto &it : launches) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute size;
        size.id = cudaLaunchAttributeClusterDimension;
        size.val.clusterDim.x = it.cluster;
        size.val.clusterDim.y = size.val.clusterDim.z = 1;
        config.gridDim = BLOCKS;
        config.blockDim = THREADS;
        config.attrs = &size;
        config.numAttrs = 1;
        if (check(
                cudaFuncSetAttribute(it.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
                "cudaFuncSetAttribute") ||
            check(cudaLaunchKernelEx(&config, it.kernel, out, it.stride, it.hop), "launch"))
            return 1;
    }
    return check(cudaDeviceSynchronize(), "the kernels") || check(cudaFree(out), "cudaFree");
}
