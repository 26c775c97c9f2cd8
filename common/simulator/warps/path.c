// SPDX-License-Identifier: MIT
// Recorded ways of warps: see path.h.
#include "warps/path.h"

#include <stdlib.h>

enum { ACCESSES_A_RUN = 4 }; // lines of memory that are kept for each run

sim_paths *sim_paths_new(uint64_t stride, uint32_t blocks, uint32_t warps_a_block,
                         uint32_t most_runs) {
    sim_paths *paths = calloc(1, sizeof *paths);
    if (!paths) return NULL;
    *paths = (sim_paths){.stride = stride,
                         .block_count = blocks,
                         .warps_a_block = warps_a_block,
                         .most_runs = most_runs,
                         .most_accesses = ACCESSES_A_RUN * most_runs};
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
        for (uint32_t w = 0; warps && w < paths->warps_a_block; w++) {
            free(warps[w].runs);
            free(warps[w].accesses);
        }
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

void sim_path_add(const sim_paths *paths, sim_warp_path *path, const sim_function *function,
                  uint32_t pc, uint32_t count) {
    if (path->cut || count == 0) return;
    if (path->count == path->capacity) {
        uint32_t capacity = path->capacity ? path->capacity * 2 : 64;
        sim_path_run *grown =
            path->count < paths->most_runs ? realloc(path->runs, capacity * sizeof *grown) : NULL;
        if (!grown) {
            path->cut = true;
            return;
        }
        path->runs = grown;
        path->capacity = capacity;
    }
    path->runs[path->count++] = (sim_path_run){function, pc, count};
}

void sim_path_access(const sim_paths *paths, sim_warp_path *path, const sim_path_line *line) {
    if (path->cut) return;
    if (path->access_count == path->access_capacity) {
        uint32_t capacity = path->access_capacity ? path->access_capacity * 2 : 64;
        sim_path_line *grown = path->access_count < paths->most_accesses
                                   ? realloc(path->accesses, capacity * sizeof *grown)
                                   : NULL;
        if (!grown) {
            path->cut = true;
            return;
        }
        path->accesses = grown;
        path->access_capacity = capacity;
    }
    path->accesses[path->access_count++] = *line;
}

void sim_path_take_back(sim_warp_path *path, uint32_t rest) {
    if (path->cut || path->count == 0) return;
    sim_path_run *last = &path->runs[path->count - 1];
    if (rest < last->count)
        last->count -= rest;
    else
        path->count--;
}
