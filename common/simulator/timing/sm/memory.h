// SPDX-License-Identifier: MIT
// The memory system as the SM sees it: its load/store unit and L1, with sectors on their
// way, and its share of the L2 and of device memory as queues. Times are cycles, fractions of them
// included.
#ifndef SIM_TIMING_SM_MEMORY_H
#define SIM_TIMING_SM_MEMORY_H

#include "counters/counters.h"
#include "timing/sm/launch_time.h"

enum { SM_L1_WAYS = 4 };

// What an instruction asks of the caches on average (counters/counters.h), kept by site.
typedef struct sm_site {
    // In each part of the launch's time, and behind them the mean of all parts: sectors of device
    // memory for each that a load wants, whether the L1 lacks it or not; and the share of those
    // that it lacks for which others have asked just before.
    double dram[SIM_CACHE_SLICES + 1], waits[SIM_CACHE_SLICES + 1];
    double owed;  // sectors of device memory that were not asked for yet
    double late;  // sectors that others have asked for and that were not waited for yet
    double words; // atomics: operations of lanes for each line
} sm_site;

// A line that the L1 has, or waits for.
typedef struct sm_l1_line {
    uint32_t line;
    uint8_t valid; // bit s: sector s is there or on its way
    bool local;
    float fetched;                    // sectors that device memory has sent
    sm_site *by;                      // whose request it lacked; NULL: of none that is known
    double arrives[SIM_LINE_SECTORS]; // cycle
} sm_l1_line;

// How much of a bandwidth was in use of late, which decides how long a request waits for others.
typedef struct sm_load {
    double work, at; // cycles of work, of which those of long ago count less; until when
} sm_load;

// Work that is done one piece after the other.
typedef struct sm_queue {
    double free; // cycle at which it is empty
    double work; // cycles of all that went through it and does so in every part of the launch
} sm_queue;

// The memory system of one run of the model.
typedef struct sm_memory {
    const sim_device *device;
    double clock_ghz;
    double sms;            // that share the L2 and device memory with this one, itself included
    sm_queue unit;         // load/store unit and data stage of L1 and shared memory
    sm_queue lines, port;  // to the L2: the SM's own, and its share of what all send
    sm_queue dram, stores; // shares of device memory, and of what the L2 takes
    sm_queue atomics, hot; // of all of the L2, of its unit that is asked most
    sm_queue constants, textures;
    sm_queue bulk, bulk_stores; // bulk copies into shared memory, out of it
    double bulk_share;          // of the L2's time for the bytes of a line that a copy takes
    double stored_sectors;      // of the launch: by stores and by bulk copies
    bool copies;                // the present request is one: past the L1, by whole rows
    sm_load l2_load, dram_load;
    double l2_cycles;       // of a sector, of all SMs together
    double bulk_cycles;     // likewise by bulk copies
    double dram_cycles;     // likewise
    double written;         // sectors that go on to device memory for each stored one
    double filled_parts;    // of those stored in parts, fills of the rest from there for each
    bool mixes;             // the launch writes, too, and not only a little
    double filled;          // sectors of the L2 that hold what launches have read or stored
    double each;            // sectors of the launch for each one that the model runs
    sim_contention hottest; // of the launch's atomics
    double l2_latency, dram_latency, l1_latency;
    sm_l1_line *l1;        // [sets][SM_L1_WAYS]
    uint32_t sets, random; // random: state of the generator that says which line is replaced
    double sectors;        // of global memory that were loaded and stored
    double asked;          // cycles of the port for the present request
    uint32_t slice;        // of the launch's time in which it is made
    sm_site *filled_site;  // of its last line that the L1 lacked; NULL: none yet
    uint32_t filled_line;  // that line
    bool fills;            // the L2 lacked it, too
    sm_site *sites;        // [site_count], as cache->sites
    sm_site all_textures;  // as if all were of one instruction
    const sim_cache_result *cache;
    double default_dram;
} sm_memory;

// Queues for a launch, and an L1 that is empty, or full of what the blocks before have left there;
// false: no memory. To be ended either way.
bool sm_memory_begin(sm_memory *memory, const sim_sm_input *input);
// Frees what sm_memory_begin made.
void sm_memory_end(sm_memory *memory);

enum { SM_ANY_TIME = UINT32_MAX };
// A request of these lines, all of one instruction, at `now`, by a block that the caches' replay
// began at `start`; SM_ANY_TIME: for all that it and others after it will ask for. Returns when
// its result is there; of a store, when the next instruction of the warp may start.
double sm_memory_request(sm_memory *memory, const sim_instr *instr, uint32_t start,
                         const sim_traced_line *entries, uint32_t count, double now);
// An access to shared memory of so many wavefronts.
double sm_memory_shared(sm_memory *memory, double wavefronts, double latency, double now);
// A load from constant memory of so many different addresses.
double sm_memory_constant(sm_memory *memory, double addresses, double latency, double now);
// A fetch from a texture, whose texels lie in these lines.
double sm_memory_texture(sm_memory *memory, const sim_instr *instr, const sim_traced_line *entries,
                         uint32_t count, double now);
// A bulk copy of these lines between the L2 and shared memory, of so many blocks of a cluster; into
// shared memory or out of it. Returns when it is done: of one into shared memory, when a warp that
// waits for it goes on.
double sm_memory_bulk(sm_memory *memory, uint32_t start, const sim_traced_line *lines,
                      uint32_t count, uint32_t blocks, bool in, double now);
// The first cycle at which the unit takes another instruction, not before `now`.
double sm_memory_ready(const sm_memory *memory, const sim_instr *instr, double now);
// When all that is on its way has arrived.
double sm_memory_quiet(const sm_memory *memory);
// Cycles that the SM's share of the launch's traffic takes its queues at least, if all of it is
// like what the model ran.
double sm_memory_least(const sm_memory *memory, const sim_sm_input *input);

#endif
