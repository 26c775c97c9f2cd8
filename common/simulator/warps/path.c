// SPDX-License-Identifier: MIT
// Recorded ways of warps: see path.h.
#include "warps/path.h"

#include <stdlib.h>

sim_paths *sim_paths_new(uint64_t stride, uint32_t blocks, uint32_t warps_a_block) {
    sim_paths *paths = calloc(1, sizeof *paths);
    if (!paths) return NULL;
    *paths = (sim_paths){.stride = stride, .block_count = blocks, .warps_a_block = warps_a_block};
    paths->blocks = calloc(blocks, sizeof *paths->blocks);
    bool complete = paths->blocks != NULL;
    for (uint32_t b = 0; complete && b < blocks; b++) {
        paths->blocks[b].warps = calloc(warps_a_block, sizeof *paths->blocks[b].warps);
        complete = paths->blocks[b].warps != NULL;
    }
    if (complete) return paths;
    sim_paths_free(paths);
    return NULL;
}

void sim_paths_free(sim_paths *paths) {
    if (!paths) return;
    for (uint32_t b = 0; paths->blocks && b < paths->block_count; b++) {
        sim_warp_path *warps = paths->blocks[b].warps;
        for (uint32_t w = 0; warps && w < paths->warps_a_block; w++) free(warps[w].runs);
        free(warps);
    }
    free(paths->blocks);
    free(paths);
}

sim_block_path *sim_paths_begin(sim_paths *paths, uint64_t index) {
    if (index % paths->stride || index / paths->stride >= paths->block_count) return NULL;
    sim_block_path *block = &paths->blocks[index / paths->stride];
    block->ran = true;
    return block;
}

void sim_path_add(sim_warp_path *path, const sim_function *function, uint32_t pc, uint32_t count) {
    if (path->cut || count == 0) return;
    if (path->count == path->capacity) {
        uint32_t capacity = path->capacity ? path->capacity * 2 : 64;
        sim_path_run *grown =
            path->count < SIM_PATH_RUNS_MAX ? realloc(path->runs, capacity * sizeof *grown) : NULL;
        if (!grown) {
            path->cut = true;
            return;
        }
        path->runs = grown;
        path->capacity = capacity;
    }
    path->runs[path->count++] = (sim_path_run){function, pc, count};
}

void sim_path_take_back(sim_warp_path *path, uint32_t rest) {
    if (path->cut || path->count == 0) return;
    sim_path_run *last = &path->runs[path->count - 1];
    if (rest < last->count)
        last->count -= rest;
    else
        path->count--;
}
