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
    sim_paths_lengthen(paths, most_runs, 0);
    paths->blocks = calloc((size_t)blocks + 1, sizeof *paths->blocks);
    if (paths->blocks && make_warps(paths, 0, blocks)) return paths;
    sim_paths_free(paths);
    return NULL;
}

static void raise(uint32_t *number, uint32_t least) {
    if (*number < least) *number = least;
}

void sim_paths_lengthen(sim_paths *paths, uint32_t most_runs, uint32_t most_accesses) {
    raise(&paths->most_runs, most_runs);
    raise(&paths->most_accesses, ACCESSES_A_RUN * paths->most_runs);
    raise(&paths->most_accesses, most_accesses);
}

static uint32_t played_count(const sim_paths *paths) {
    return paths->played.first + paths->played.spread;
}

static uint32_t places(const sim_paths *paths) {
    return paths->block_count + (paths->played.first ? played_count(paths) + 1 : 0);
}

bool sim_paths_play(sim_paths *paths, const sim_played_blocks *played) {
    uint32_t first = paths->block_count, count = played->first + played->spread + 1;
    sim_block_path *grown = realloc(paths->blocks, ((size_t)first + count) * sizeof *grown);
    if (!grown) return false;
    paths->blocks = grown;
    memset(grown + first, 0, count * sizeof *grown);
    paths->played = *played;
    return make_warps(paths, first, first + count);
}

uint64_t sim_paths_played_number(const sim_paths *paths, uint32_t i) {
    const sim_played_blocks *played = &paths->played;
    if (i < played->first) return i;
    uint64_t spread = i - played->first, over = played->all - played->first;
    return played->first + (2 * spread + 1) * over / (2 * (uint64_t)played->spread);
}

// The SM whose block is taken. The last blocks may not be of all SMs.
static uint64_t played_sm(const sim_paths *paths, uint32_t i) {
    enum { STEP = 79 };
    const sim_played_blocks *played = &paths->played;
    bool last = sim_paths_played_number(paths, i) + 1 >= played->all;
    if (last || (i < played->first && !played->mixed)) return 0;
    return ((uint64_t)i * STEP + STEP / 2) % paths->stride;
}

// Its place, which it may share with a first one.
static uint64_t played_place(const sim_paths *paths, uint32_t i) {
    uint64_t number = sim_paths_played_number(paths, i);
    bool first = number < paths->block_count && played_sm(paths, i) == 0;
    return first ? number : paths->block_count + i;
}

const sim_block_path *sim_paths_played(const sim_paths *paths, uint32_t i) {
    return &paths->blocks[played_place(paths, i)];
}

void sim_paths_free(sim_paths *paths) {
    if (!paths) return;
    for (uint32_t b = 0; paths->blocks && b < places(paths); b++) {
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

// The one of the played blocks that may be number `number` of an SM.
static uint32_t played_near(const sim_paths *paths, uint64_t number) {
    const sim_played_blocks *played = &paths->played;
    if (number < played->first || played->spread == 0) return (uint32_t)number;
    uint64_t share = (number - played->first) * played->spread / (played->all - played->first);
    return played->first + (uint32_t)share;
}

// NULL: not wanted.
static sim_block_path *place_of(const sim_paths *paths, uint64_t index) {
    uint64_t number = index / paths->stride, sm = index % paths->stride;
    if (sm == 0 && number < paths->block_count) return &paths->blocks[number];
    if (paths->played.first == 0 || number >= paths->played.all) return NULL;
    uint32_t near = played_near(paths, number);
    for (uint32_t i = near; i <= near + 1 && i < played_count(paths); i++)
        if (sim_paths_played_number(paths, i) == number && played_sm(paths, i) == sm)
            return &paths->blocks[played_place(paths, i)];
    bool last = index > 0 && index == paths->played.last;
    return last ? &paths->blocks[places(paths) - 1] : NULL;
}

const sim_block_path *sim_paths_last(const sim_paths *paths) {
    return paths->played.last ? place_of(paths, paths->played.last) : NULL;
}

sim_block_path *sim_paths_begin(sim_paths *paths, uint64_t index) {
    sim_block_path *block = place_of(paths, index);
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

uint64_t sim_path_instructions(const sim_warp_path *path, uint32_t most_runs) {
    uint64_t sum = 0;
    for (uint32_t r = 0; r < path->count && r < most_runs; r++) sum += path->runs[r].count;
    return sum;
}
