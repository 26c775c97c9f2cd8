// Clusters: their barrier, alone and behind stores, and loads from another block's shared memory.
#include "micro.h"

#include <cooperative_groups.h>
#include <string.h>

enum { MOST_THREADS = 512 };

enum { NOTHING, STORE_TO_A_BLOCK, STORE_TO_MEMORY };

template <int BEFORE> static __global__ void meet(micro_run run) {
    __shared__ uint32_t word;
    auto cluster = cooperative_groups::this_cluster();
    uint32_t next = (cluster.block_rank() + 1) % cluster.num_blocks();
    volatile uint32_t *other = cluster.map_shared_rank(&word, next);
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    cluster.sync();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
        if (BEFORE == STORE_TO_A_BLOCK && threadIdx.x == 0) *other = i;
        if (BEFORE == STORE_TO_MEMORY) ((volatile uint32_t *)run.data)[thread] = i;
        cluster.sync();
    }
    long long end = clock64();
    MICRO_DONE(0);
}

static __global__ void chase(micro_run run) {
    __shared__ uint32_t words[MICRO_WARP];
    auto cluster = cooperative_groups::this_cluster();
    uint32_t next = (cluster.block_rank() + 1) % cluster.num_blocks(), at = run.zero;
    volatile uint32_t *other = cluster.map_shared_rank(words, next);
    words[threadIdx.x % MICRO_WARP] = 0;
    cluster.sync();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) at = other[at];
    long long end = clock64();
    cluster.sync(); // nobody's memory goes before all have read
    MICRO_DONE(at);
}

// Cycles of a round of the longest block, the least of a few launches.
static double rounds(micro_kernel *kernel, unsigned grid, unsigned threads, unsigned blocks) {
    cudaLaunchConfig_t config;
    cudaLaunchAttribute size;
    memset(&config, 0, sizeof config);
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = blocks;
    size.val.clusterDim.y = size.val.clusterDim.z = 1;
    config.gridDim = dim3(grid);
    config.blockDim = dim3(threads);
    config.attrs = &size;
    config.numAttrs = 1;
    micro_run run = micro_default;
    run.laps = 1;
    return micro_cycles_of(kernel, &config, run) / run.rounds;
}

static void barriers(const char *name, micro_kernel *kernel) {
    for (unsigned blocks = 1; blocks <= 8; blocks *= 2)
        for (unsigned threads = MICRO_WARP; threads <= MOST_THREADS; threads *= 4) {
            micro_row(rounds(kernel, blocks, threads, blocks), "cycles",
                      "one cluster of that many blocks and threads each",
                      "cluster_%s_%u_blocks_%u_threads", name, blocks, threads);
            micro_row(rounds(kernel, 2 * micro_sms / 8 * 8, threads, blocks), "cycles",
                      "the same, two blocks on each SM", "cluster_%s_%u_blocks_%u_threads_all",
                      name, blocks, threads);
        }
}

void micro_clusters(void) {
    barriers("barrier", meet<NOTHING>);
    barriers("barrier_behind_store_to_a_block", meet<STORE_TO_A_BLOCK>);
    barriers("barrier_behind_store_to_memory", meet<STORE_TO_MEMORY>);
    for (unsigned blocks = 1; blocks <= 8; blocks *= 2)
        micro_row(rounds(chase, blocks, MICRO_WARP, blocks), "cycles",
                  "one warp, dependent loads from the next block's shared memory",
                  "latency_cluster_load_%u_blocks", blocks);
}
