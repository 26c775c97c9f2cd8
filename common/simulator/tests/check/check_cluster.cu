// Distributed shared memory of clusters of two blocks: see check_case.h.
// options: -g
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "check_case.h"

namespace cg = cooperative_groups;
#define TWO __cluster_dims__(2, 1, 1)

static __device__ unsigned other_rank() {
    return cg::this_cluster().block_rank() ^ 1;
}

// Each block reads what the other one wrote: both must have written first, and stay until the end.
__global__ void TWO exchange(float *y, bool meet_before, bool meet_after) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = (float)t;
    if (meet_before)
        cg::this_cluster().sync();
    else
        __syncthreads();
    y[blockIdx.x * BLOCK + t] = cg::this_cluster().map_shared_rank(s, other_rank())[BLOCK - 1 - t];
    if (meet_after) cg::this_cluster().sync();
}

// Only one block reads. In the usual order of the simulator block 0 ends before block 1 reads, and
// reads before block 1 ends.
__global__ void TWO take(float *y, unsigned reader, bool meet_after) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = (float)t;
    cg::this_cluster().sync();
    if (other_rank() != reader) y[t] = cg::this_cluster().map_shared_rank(s, other_rank())[t];
    if (meet_after) cg::this_cluster().sync();
}

__global__ void TWO unset_remote(float *y, unsigned written) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    if (t < written) s[t] = 1;
    cg::this_cluster().sync();
    y[t] = cg::this_cluster().map_shared_rank(s, other_rank())[t];
    cg::this_cluster().sync();
}

__global__ void TWO bounds_remote(float *y, unsigned count) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = (float)t;
    cg::this_cluster().sync();
    float *theirs = cg::this_cluster().map_shared_rank(s, other_rank());
    for (unsigned i = t; i < count; i += BLOCK) y[t] = theirs[i];
    cg::this_cluster().sync();
}

// Both blocks count in block 0.
__global__ void TWO remote_count(float *y, bool atomic) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    cg::this_cluster().sync();
    unsigned *shared = cg::this_cluster().map_shared_rank(&count, 0);
    if (threadIdx.x == 0) {
        if (atomic)
            atomicAdd(shared, 1u);
        else
            *shared = *shared + cg::this_cluster().block_rank() + 1;
    }
    cg::this_cluster().sync();
    if (threadIdx.x == 0) y[blockIdx.x] = (float)count;
}

// A block that comes once too often waits for ever.
__global__ void TWO alone(float *y, bool once_more) {
    cg::this_cluster().sync();
    y[blockIdx.x * BLOCK + threadIdx.x] = 1;
    if (once_more && other_rank() == 1) {
        cg::this_cluster().barrier_arrive();
        __shared__ volatile int never;
        never = 0;
        __syncthreads();
        while (never == 0) __nanosleep(20);
    }
}

// Each round the blocks write each other's tiles and read their own.
__global__ void TWO round_trip(float *y, bool meet_first) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    float sum = 0, *theirs = cg::this_cluster().map_shared_rank(s, other_rank());
    if (meet_first) cg::this_cluster().sync();
    for (int round = 0; round < 3; round++) {
        theirs[t] = (float)round;
        cg::this_cluster().sync();
        sum += s[BLOCK - 1 - t];
        cg::this_cluster().sync();
    }
    y[blockIdx.x * BLOCK + t] = sum;
}

// Asynchronous copies go to the block's own memory, whatever its rank.
__global__ void TWO copies(const float *x, float *y) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &x[blockIdx.x * BLOCK + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[blockIdx.x * BLOCK + t] = s[t];
}

// The cluster's barrier orders device memory as well.
__global__ void TWO by_memory(float *y, float *z) {
    unsigned mine = blockIdx.x * BLOCK + threadIdx.x,
             theirs = (blockIdx.x ^ 1) * BLOCK + threadIdx.x;
    z[mine] = (float)mine;
    cg::this_cluster().sync();
    y[mine] = z[theirs];
}

// ---- graphs ----

static __global__ void size_of_cluster(float *y) {
    y[blockIdx.x * BLOCK + threadIdx.x] = (float)cg::this_cluster().num_blocks();
}

static cudaGraph_t captured(cudaStream_t stream, unsigned blocks) {
    cudaGraph_t graph;
    cudaLaunchAttribute cluster = {cudaLaunchAttributeClusterDimension};
    cudaLaunchConfig_t config = {GRID, BLOCK, 0, stream, &cluster, 1};
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaLaunchKernelEx(&config, size_of_cluster, d_y);
    cudaStreamEndCapture(stream, &graph);
    return graph;
}

// A graph with clusters of 2 becomes one with clusters of so many blocks.
static void updated(unsigned blocks, bool again) {
    float result = 0;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    cudaStreamCreate(&stream);
    cudaGraph_t first = captured(stream, 2), second = captured(stream, blocks);
    cudaGraphInstantiateWithFlags(&exec, again ? second : first, 0);
    if (!again) cudaGraphExecUpdate(exec, second, &info);
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(&result, d_y, sizeof result, cudaMemcpyDeviceToHost);
    printf("%g blocks\n", result);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(first);
    cudaGraphDestroy(second);
    cudaStreamDestroy(stream);
}

// finds kept-cluster: at check_cluster.cu:[0-9]+\n.*cudaGraphExecUpdate
//   ~ cudaGraphExecUpdate.. succeeds.*2 x 1 x 1[ \n]+blocks[ \n]+instead[ \n]+of[ \n]+4 x 1 x 1
//   advice INSTANTIATE_AGAIN
PAIR(updated, updated(4, right));
CASE(updated_same_not, updated(2, false));
// finds block-race, cluster-lifetime
//   ~ block-race: .*read at check_cluster.cu:[0-9]+\n.*shared memory.*cluster.sync
//   advice CLUSTER_SYNC, CLUSTER_STARTED
CASE(before_met, exchange<<<GRID, BLOCK>>>(d_y, false, true));
CASE(before_met_not, exchange<<<GRID, BLOCK>>>(d_y, true, true));
// finds out-of-bounds: block 0 of the cluster[ \n]+has[ \n]+returned, and its shared memory is gone
CASE(left_early, exchange<<<GRID, BLOCK>>>(d_y, true, false));
// finds out-of-bounds: map_shared_rank
//   ~ block 0 of the cluster[ \n]+has[ \n]+returned, and its shared memory is gone
PAIR(left_late, take<<<GRID, BLOCK>>>(d_y, 1, right));
// finds cluster-lifetime: map_shared_rank.*cluster.sync.. before it returns
PAIR(left_lucky, take<<<GRID, BLOCK>>>(d_y, 0, right));
// finds uninitialised: map_shared_rank.*shared memory
CASE(unset_remote, unset_remote<<<GRID, BLOCK>>>(d_y, BLOCK / 2));
CASE(unset_remote_not, unset_remote<<<GRID, BLOCK>>>(d_y, BLOCK));
// finds out-of-bounds: byte 512 of block 1 of[ \n]+the cluster, which has 512 bytes
CASE(bounds_remote, bounds_remote<<<GRID, BLOCK>>>(d_y, BLOCK + 1));
CASE(bounds_remote_not, bounds_remote<<<GRID, BLOCK>>>(d_y, BLOCK));
// finds block-race: shared = .shared
PAIR(remote_lost, remote_count<<<GRID, BLOCK>>>(d_y, right));
// finds deadlock: while .never
PAIR(alone, alone<<<GRID, BLOCK>>>(d_y, !right));
// finds cluster-lifetime: theirs.t. = .*cluster.sync.. before the[ \n]+first access
PAIR(round_trip, round_trip<<<GRID, BLOCK>>>(d_y, right));
CASE(by_memory_not, by_memory<<<GRID, BLOCK>>>(d_y, d_z));
CASE(copies_not, copies<<<GRID, BLOCK>>>(d_x, d_y));
