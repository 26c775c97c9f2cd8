// SPDX-License-Identifier: MIT
// See alone.h.
#include "play/alone.h"

double play_alone(const sim_play_launch *launch, const play_extent *extent) {
    play_memory memory = {0};
    play_progress progress = {0};
    sim_play_result unused = {0};
    double cycles = 0;
    if (play_memory_begin(&memory, launch, &unused) && play_sm(launch, &memory, extent, &progress))
        cycles = progress.end;
    play_memory_end(&memory);
    return cycles;
}

double play_block_alone(const sim_play_launch *launch, const sim_block_path *block, uint32_t warps,
                        uint32_t runs) {
    sim_block_path only = *block;
    sim_paths paths = {.stride = launch->paths->stride,
                       .block_count = 1,
                       .warps_a_block = warps,
                       .most_runs = runs,
                       .blocks = &only,
                       .played = {.first = 1, .all = 1}};
    sim_play_launch followed = *launch;
    followed.paths = &paths;
    const play_extent extent = {
        .resident = 1, .recorded = 1, .runs = runs, .blocks = 1, .alone = true, .whenever = true};
    return play_alone(&followed, &extent);
}
