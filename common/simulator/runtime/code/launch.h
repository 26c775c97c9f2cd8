// SPDX-License-Identifier: MIT
// Launches of kernels: checked, their arguments gathered, run.
#ifndef SIM_RUNTIME_CODE_LAUNCH_H
#define SIM_RUNTIME_CODE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/base.h"
#include "runtime/code/module.h"

enum {
    // Most of a portable cluster (CUDA C++ Programming Guide, "Thread Block Clusters").
    RUNTIME_CLUSTER_BLOCKS = 8,
    RUNTIME_PARAM_BYTES = 32764 // PTX ISA, ".param": from sm_70 on
};

// A launch as a program asks for it. The device takes the low 32 bits of the dynamic shared memory,
// as an H100's driver does.
typedef struct runtime_launch {
    const void *function; // host function or handle
    dim3 grid, block;
    void **arguments;
    size_t shared_bytes; // dynamic
    cudaStream_t stream;
    bool cooperative;
    dim3 cluster; // blocks of a cluster as the launch asks for them; x 0: it does not
} runtime_launch;

// The configuration that a launch asks for, but for its queue. Clusters: as it asks, else as the
// kernel is compiled.
sim_launch_config runtime_launch_config(const runtime_launch *launch,
                                        const struct CUkern_st *kernel);
// Blocks that a cluster of the kernel may have, and whether it may have such a cluster.
uint32_t runtime_cluster_blocks(const struct CUkern_st *kernel);
bool runtime_cluster_fits(const struct CUkern_st *kernel, dim3 cluster);
// Finds the kernel, and what an H100 says about the configuration.
cudaError_t runtime_launch_check(const runtime_launch *launch, struct CUkern_st **out_kernel);
// block: info.param_bytes, the arguments as the kernel's parameters.
cudaError_t runtime_launch_gather(const struct CUkern_st *kernel, void *const *arguments,
                                  uint8_t *block);
// Runs what was checked and gathered. `alone`: not as a part of a graph.
cudaError_t runtime_launch_run(const runtime_launch *launch, struct CUkern_st *kernel,
                               const uint8_t *block, runtime_queue *queue, bool alone);

#endif
