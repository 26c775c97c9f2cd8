// SPDX-License-Identifier: MIT
// Lab 03, step 0 (given): the calculator's first part. An SM holds a limited number of warps and of
// blocks.
//
// What is missing: registers and shared memory, which limit most real kernels.
#include "occupancy.h"

extern "C" int occupancy_step0(const occupancy_config *configs, int64_t count, int32_t *blocks,
                               int32_t *warps) {
    for (int64_t i = 0; i < count; i++) {
        const occupancy_limits *limits = occupancy_limits_of(configs[i].compute);
        blocks[i] = warps[i] = 0;
        if (limits == nullptr || configs[i].threads > limits->threads_per_block) {
            continue; // such a block cannot run
        }
        int warps_a_block = (configs[i].threads + 31) / 32; // 33 threads are two warps
        int by_warps = limits->warps / warps_a_block;
        blocks[i] = by_warps < limits->blocks ? by_warps : limits->blocks;
        warps[i] = blocks[i] * warps_a_block;
    }
    return 0;
}
// ladder-skeleton 996c442363ab717f (as it was handed out; any change makes this file yours)
