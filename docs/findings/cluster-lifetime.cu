// Means: A block uses the shared memory of another block of its cluster, which need not have
// started yet, or may have returned already; then that memory is gone.
// Fix: Cluster.sync() before the first such access, and after the last one before a block returns.
// Sanitizer: racecheck reports a write that may be invalid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) swap(int *x) {
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    *cluster.map_shared_rank(&own, rank ^ 1) = rank; // the other block may not have started
    cluster.sync();
    x[blockIdx.x] = own;
}
int main() {
    int *x;
    cudaMalloc(&x, 8);
    swap<<<2, 1>>>(x);
    cudaDeviceSynchronize();
}
