// SPDX-License-Identifier: MIT
// See single_block.h.
#include "timing/sm/single_block.h"

double extent_cycles(const sim_sm_launch *launch, const sm_extent *extent) {
    sm_memory memory = {0};
    sm_progress progress = {0};
    sim_sm_result unused = {0};
    double cycles = 0;
    if (sm_memory_begin(&memory, launch, &unused) && sm_run(launch, &memory, extent, &progress))
        cycles = progress.end;
    sm_memory_end(&memory);
    return cycles;
}

double single_block_cycles(const sim_sm_launch *launch, const sim_traced_block *block,
                           uint32_t warps, uint32_t runs) {
    sim_traced_block only = *block;
    sim_warp_traces paths = {.stride = launch->paths->stride,
                             .warps_a_block = warps,
                             .most_runs = runs,
                             .blocks = &only,
                             .modelled = {.first = 1, .all = 1}};
    sim_sm_launch followed = *launch;
    followed.paths = &paths;
    const sm_extent extent = {
        .resident = 1, .recorded = 1, .runs = runs, .blocks = 1, .only_sm = true, .any_time = true};
    return extent_cycles(&followed, &extent);
}
