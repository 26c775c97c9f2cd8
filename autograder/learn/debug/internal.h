// A recording in the making. page_record.c steps through the launch, page_values.c reads variables
// and shared memory, page.c writes the page. What changes is written when it does, as JSON that
// show/page/replay.js reads. Private to this module.
#pragma once

#include "learn/debug/debug.h"

enum { RECORD_FILES = 8, RECORD_VARIABLES = 96, RECORD_REGIONS = 32, RECORD_VALUE = 160 };

// A part of the page's data: rows of JSON with commas between.
typedef struct record_part {
    FILE *out;
    char *text;
    size_t bytes;
    uint64_t rows;
} record_part;

// A variable of a function, and what was written last of each warp.
typedef struct record_variable {
    char name[64], function[128];
    bool is_parameter;
    char *last[LADDER_DEBUG_PAGE_WARPS];
} record_variable;

// An array in shared memory, or one in global memory that a parameter points to.
typedef struct record_region {
    char name[64];
    uint64_t address, bytes; // bytes 0: not known
    uint32_t element;        // bytes
    char kind;               // 'f' float, 'i', 'u', 'x' what else
} record_region;

// What a warp executes until it comes to another line, or with other lanes.
typedef struct record_moment {
    uint64_t time;
    uint32_t warp; // of all that are recorded
    uint32_t file, line, function, depth, lanes, last_pc;
} record_moment;

typedef struct recorder {
    debug_terminal *t;
    const ladder_debug_recording *asked;
    uint32_t warps; // of each block
    uint64_t first_block;
    record_part moments, accesses, states, values, scopes, shared, events;
    record_moment now;
    uint32_t moment_count;
    uint64_t instructions, last_time;
    char *last_states[LADDER_DEBUG_PAGE_WARPS], *last_scopes[LADDER_DEBUG_PAGE_WARPS];
    uint32_t ended; // warps that have, and whose end is written

    char files[RECORD_FILES][SIM_DEBUG_NAME]; // own ones, by number on the page
    uint32_t file_ids[64];                    // of the engine's: 0 not asked, 1 not own, 2 + number
    uint32_t file_count;
    record_variable variables[RECORD_VARIABLES];
    uint32_t variable_count;
    record_region arrays[RECORD_REGIONS], tiles[RECORD_REGIONS]; // global; shared
    uint32_t array_count, tile_count;
    uint8_t *memory; // of the block's shared memory, as written last
    uint64_t memory_block;
    uint32_t shared_bytes, memory_bytes; // of a block; that are recorded
    bool has_memory;
    uint32_t findings;
    bool is_cut, left_variables;
    char cut[256]; // why
    char kernel[SIM_DEBUG_NAME];
    sim_dim3 grid, block;
} recorder;

// ---- page_values.c ----

// The warp's variables and the block's shared memory, as they are before moment number `moment`.
void record_values(recorder *r, const sim_debug_thread *thread, const sim_debug_lane *lanes,
                   uint32_t moment);
void record_shared(recorder *r, const sim_debug_thread *thread, uint32_t moment);
void record_free_values(recorder *r);

// ---- page_record.c ----

kl_status record_launch(recorder *r, kl_error *err);

// ---- rows of a recording ----

// Begins a row of a part; what is printed to the result belongs to it.
FILE *record_row(record_part *part);
void record_string(FILE *out, const char *text);
// Lane values as runs of JSON: [[first, step, count]], [["text", count]].
void record_runs(FILE *out, const char *const *texts, uint32_t count);
uint32_t record_warp_of(const recorder *r, const sim_debug_thread *thread);
