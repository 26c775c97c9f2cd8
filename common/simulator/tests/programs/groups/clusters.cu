// Thread block clusters and distributed shared memory: ranks and sizes in one and in three
// dimensions, reads, writes and atomics in other blocks' shared memory, the cluster's barrier whole
// and in two halves, sizes that are refused, clusters that a kernel is compiled for.
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each block shows its rank and coordinates; the cluster's blocks follow x first.
__global__ void ranks(unsigned *out) {
    cg::cluster_group cluster = cg::this_cluster();
    dim3 at = cluster.block_index(), size = cluster.dim_blocks();
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned wanted = (at.z * size.y + at.y) * size.x + at.x;
    bool good = cluster.block_rank() == wanted && at.x == blockIdx.x % size.x &&
                at.y == blockIdx.y % size.y && at.z == blockIdx.z % size.z &&
                cluster.num_blocks() == size.x * size.y * size.z &&
                cluster.num_threads() == cluster.num_blocks() * blockDim.x;
    if (threadIdx.x == 0) out[block] = good ? cluster.block_rank() : 999;
}

// y = sum of the cluster's blocks' parts, which each block reads from the others in turn.
__global__ void all_reduce(const float *in, float *out) {
    __shared__ float part;
    cg::cluster_group cluster = cg::this_cluster();
    float value = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 16; step; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    if (threadIdx.x == 0) part = value;
    cluster.sync();
    float sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); rank++)
        sum += *cluster.map_shared_rank(&part, rank);
    cluster.sync(); // nobody leaves while others read
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// A histogram spread over the blocks of a cluster: bin b lies in block b / 64.
__global__ void spread_histogram(const unsigned *values, int count, unsigned *bins) {
    __shared__ unsigned own[64];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 64) own[threadIdx.x] = 0;
    cluster.sync();
    int first = cluster.block_rank() * blockDim.x + threadIdx.x;
    for (int i = first; i < count; i += cluster.num_blocks() * blockDim.x) {
        unsigned bin = values[i] % (64 * cluster.num_blocks());
        atomicAdd(cluster.map_shared_rank(&own[bin % 64], bin / 64), 1u);
    }
    cluster.sync();
    if (threadIdx.x < 64) bins[cluster.block_rank() * 64 + threadIdx.x] = own[threadIdx.x];
}

// The barrier in two halves: what lies between concerns nobody else.
__global__ void __cluster_dims__(4, 1, 1) split_barrier(int *out) {
    __shared__ int given;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    cluster.sync(); // all have started
    if (threadIdx.x == 0) *cluster.map_shared_rank(&given, next) = 100 + (int)cluster.block_rank();
    cluster.barrier_arrive();
    int meanwhile = threadIdx.x * 2;
    cluster.barrier_wait();
    out[blockIdx.x * blockDim.x + threadIdx.x] = given + meanwhile;
}

template <typename... P, typename... A>
static cudaError_t launch(dim3 cluster, dim3 grid, int threads, void (*kernel)(P...),
                          A... arguments) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    config.gridDim = grid;
    config.blockDim = threads;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, P(arguments)...);
}

static void test_ranks(dim3 cluster, dim3 grid) {
    unsigned count = grid.x * grid.y * grid.z, size = cluster.x * cluster.y * cluster.z, *out;
    unsigned *times = (unsigned *)calloc(size, sizeof *times);
    CUDA_CHECK(cudaMallocManaged(&out, count * sizeof *out));
    CUDA_CHECK(launch(cluster, grid, 64, ranks, out));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < count; i++) {
        EXPECT(out[i] < size);
        times[out[i]]++;
    }
    for (unsigned rank = 0; rank < size; rank++) EXPECT(times[rank] == count / size);
    CUDA_CHECK(cudaFree(out));
    free(times);
}

static void test_all_reduce(int size, int blocks) {
    float *in, *out;
    CUDA_CHECK(cudaMallocManaged(&in, blocks * 32 * sizeof *in));
    CUDA_CHECK(cudaMallocManaged(&out, blocks * sizeof *out));
    for (int i = 0; i < blocks * 32; i++) in[i] = (float)(i % 17);
    CUDA_CHECK(launch(dim3(size), dim3(blocks), 32, all_reduce, in, out));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int block = 0; block < blocks; block++) {
        float sum = 0;
        for (int i = 0; i < size * 32; i++) sum += in[block / size * size * 32 + i];
        EXPECT(out[block] == sum);
    }
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

static void test_histogram() {
    const int count = 5000, size = 4;
    unsigned *values, *bins, wanted[64 * size] = {0};
    CUDA_CHECK(cudaMallocManaged(&values, count * sizeof *values));
    CUDA_CHECK(cudaMallocManaged(&bins, sizeof wanted));
    for (int i = 0; i < count; i++) values[i] = (unsigned)i * 2654435761u >> 7;
    for (int i = 0; i < count; i++) wanted[values[i] % (64 * size)]++;
    CUDA_CHECK(launch(dim3(size), dim3(size), 128, spread_histogram, values, count, bins));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64 * size; i++) EXPECT(bins[i] == wanted[i]);
    CUDA_CHECK(cudaFree(values));
    CUDA_CHECK(cudaFree(bins));
}

static void test_compiled_size() {
    int *out;
    CUDA_CHECK(cudaMallocManaged(&out, 8 * 32 * sizeof *out));
    split_barrier<<<8, 32>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 8 * 32; i++) EXPECT(out[i] == 100 + (i / 32 % 4 + 3) % 4 + i % 32 * 2);
    EXPECT_ERROR(launch(dim3(2), dim3(8), 32, split_barrier, out), cudaErrorInvalidClusterSize);
    split_barrier<<<6, 32>>>(out); // four does not divide it
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidClusterSize);
    CUDA_CHECK(cudaFree(out));
}

static void test_sizes() {
    float *in, *out;
    CUDA_CHECK(cudaMalloc(&in, 64 * 32 * sizeof *in));
    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof *out));
    CUDA_CHECK(cudaMemset(in, 0, 64 * 32 * sizeof *in));
    EXPECT_ERROR(launch(dim3(3), dim3(16), 32, all_reduce, in, out), cudaErrorInvalidClusterSize);
    EXPECT_ERROR(launch(dim3(16), dim3(32), 32, all_reduce, in, out), cudaErrorInvalidClusterSize);
    (void)cudaGetLastError();
    CUDA_CHECK(cudaFuncSetAttribute(all_reduce, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CUDA_CHECK(launch(dim3(16), dim3(32), 32, all_reduce, in, out));
    EXPECT_ERROR(launch(dim3(32), dim3(32), 32, all_reduce, in, out), cudaErrorInvalidClusterSize);
    (void)cudaGetLastError();
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

// With an argument also on a card that says it has no clusters: the first launch tells.
int main(int argc, char **) {
    int allowed = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&allowed, cudaDevAttrClusterLaunch, 0));
    EXPECT(allowed == (argc > 1 ? 0 : 1));
    test_ranks(dim3(2), dim3(8));
    test_ranks(dim3(1), dim3(3));
    test_ranks(dim3(2, 2, 2), dim3(4, 6, 2));
    test_ranks(dim3(1, 4, 1), dim3(3, 8, 1));
    test_all_reduce(2, 64);
    test_all_reduce(8, 24);
    test_histogram();
    test_compiled_size();
    test_sizes();
    puts("clusters: all right");
    return 0;
}
