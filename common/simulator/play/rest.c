// SPDX-License-Identifier: MIT
// See rest.h.
#include "play/rest.h"

#include <stdlib.h>

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

static double block_alone(const sim_play_launch *launch, const sim_block_path *path,
                          uint32_t runs) {
    sim_block_path block = *path;
    sim_paths paths = {.stride = launch->paths->stride,
                       .block_count = 1,
                       .warps_a_block = launch->paths->warps_a_block,
                       .most_runs = runs,
                       .blocks = &block,
                       .played = {.first = 1, .all = 1}};
    sim_play_launch followed = *launch;
    followed.paths = &paths;
    const play_extent extent = {
        .resident = 1, .recorded = 1, .runs = runs, .blocks = 1, .alone = true, .whenever = true};
    return play_alone(&followed, &extent);
}

// How often the warps of a block executed each instruction of one function.
typedef struct tally {
    const sim_function *function;
    uint64_t *times; // [function->code_count]
} tally;

static bool is_whole(const sim_block_path *block, uint32_t warps, uint32_t runs) {
    for (uint32_t w = 0; w < warps; w++)
        if (block->warps[w].cut || block->warps[w].count > runs) return false;
    return block->ran;
}

static void count_runs(const sim_block_path *block, uint32_t warps, const tally *own) {
    for (uint32_t w = 0; w < warps; w++) {
        const sim_warp_path *path = &block->warps[w];
        for (uint32_t r = 0; r < path->count; r++) {
            const sim_path_run *run = &path->runs[r];
            for (uint32_t i = 0; run->function == own->function && i < run->count; i++)
                own->times[run->pc + i]++;
        }
    }
}

// Whether the block did what no other one did, after an atomic of global memory that others did,
// too.
static bool does_rest(const tally *own, const sim_raw_counts *counts) {
    bool alone = false, asks = false;
    for (uint32_t pc = 0; pc < own->function->code_count; pc++) {
        const sim_instr *instr = &own->function->code[pc];
        bool shared = counts[pc].executed > own->times[pc];
        alone = alone || (own->times[pc] && !shared);
        asks = asks || (own->times[pc] && shared && instr->op == SIM_OP_ATOM &&
                        instr->space != PTX_SPACE_SHARED);
    }
    return alone && asks;
}

double play_rest(const sim_play_launch *launch, uint32_t recorded, uint32_t runs) {
    const sim_paths *paths = launch->paths;
    const sim_block_path *last = sim_paths_last(paths);
    const sim_block_path *usual = sim_paths_played(paths, recorded - 1);
    uint32_t warps = paths->warps_a_block;
    for (uint32_t i = 0; i < recorded; i++)
        if (sim_paths_played(paths, i) == last) return 0; // the play has its rest
    if (!last || !is_whole(last, warps, runs) || !is_whole(usual, warps, runs) ||
        last->warps[0].count == 0)
        return 0;
    const sim_function *function = last->warps[0].runs[0].function; // the kernel
    const sim_raw_counts *counts = launch->result->counts[function - launch->program->functions];
    tally own = {function, calloc(function->code_count + 1, sizeof *own.times)};
    double more = 0;
    if (own.times && counts) {
        count_runs(last, warps, &own);
        if (does_rest(&own, counts))
            more = block_alone(launch, last, runs) - block_alone(launch, usual, runs);
    }
    free(own.times);
    return more > 0 ? more : 0;
}
