// SPDX-License-Identifier: MIT
// Recorded ways of warps: see path.h.
#include "warps/path.h"

#include <stdlib.h>
#include <string.h>

enum { ACCESSES_A_RUN = 4 }; // lines of memory that are kept for each run

static bool make_warps(sim_paths *paths, uint32_t first, uint32_t end) {
    for (uint32_t b = first; b < end; b++) {
        paths->blocks[b].warps = calloc(paths->warps_a_block, sizeof *paths->blocks[b].warps);
        if (!paths->blocks[b].warps) return false;
    }
    return true;
}

sim_paths *sim_paths_new(uint64_t stride, uint32_t blocks, uint32_t warps_a_block,
                         uint32_t most_runs) {
    sim_paths *paths = calloc(1, sizeof *paths);
    if (!paths) return NULL;
    *paths = (sim_paths){.stride = stride, .block_count = blocks, .warps_a_block = warps_a_block};
    sim_paths_lengthen(paths, most_runs);
    paths->blocks = calloc(blocks, sizeof *paths->blocks);
    if (paths->blocks && make_warps(paths, 0, blocks)) return paths;
    sim_paths_free(paths);
    return NULL;
}

void sim_paths_lengthen(sim_paths *paths, uint32_t most_runs) {
    if (paths->most_runs >= most_runs) return;
    paths->most_runs = most_runs;
    paths->most_accesses = ACCESSES_A_RUN * most_runs;
}

bool sim_paths_spread(sim_paths *paths, uint64_t from, uint32_t count, uint64_t over) {
    uint32_t first = paths->block_count;
    sim_block_path *grown = realloc(paths->blocks, ((size_t)first + count) * sizeof *grown);
    if (!grown) return false;
    paths->blocks = grown;
    memset(grown + first, 0, count * sizeof *grown);
    paths->spread_count = count;
    paths->spread_from = from;
    paths->spread_over = over;
    return make_warps(paths, first, first + count);
}

// The one in the middle of its share.
uint64_t sim_paths_spread_number(const sim_paths *paths, uint32_t i) {
    return paths->spread_from +
           (2 * (uint64_t)i + 1) * paths->spread_over / (2 * (uint64_t)paths->spread_count);
}

// The place of number `i` of them, which may be a first one.
static uint64_t spread_place(const sim_paths *paths, uint32_t i) {
    uint64_t number = sim_paths_spread_number(paths, i);
    return number < paths->block_count ? number : paths->block_count + i;
}

const sim_block_path *sim_paths_spread_block(const sim_paths *paths, uint32_t i) {
    return &paths->blocks[spread_place(paths, i)];
}

void sim_paths_free(sim_paths *paths) {
    if (!paths) return;
    for (uint32_t b = 0; paths->blocks && b < paths->block_count + paths->spread_count; b++) {
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

// NULL: not wanted.
static sim_block_path *place_of(const sim_paths *paths, uint64_t number) {
    if (number < paths->block_count) return &paths->blocks[number];
    if (paths->spread_count == 0 || number < paths->spread_from) return NULL;
    uint64_t near = (number - paths->spread_from) * paths->spread_count / paths->spread_over;
    for (uint32_t i = (uint32_t)near; i <= near + 1 && i < paths->spread_count; i++)
        if (sim_paths_spread_number(paths, i) == number)
            return &paths->blocks[paths->block_count + i];
    return NULL;
}

sim_block_path *sim_paths_begin(sim_paths *paths, uint64_t index) {
    sim_block_path *block = index % paths->stride ? NULL : place_of(paths, index / paths->stride);
    if (!block) return NULL;
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
