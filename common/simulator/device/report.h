// SPDX-License-Identifier: MIT
// What a launch is asked for and what is known of it afterwards: plain data, which the modules
// above fill (the executor a fault, timing/ the times) and engine/engine.h hands out.
#ifndef SIM_DEVICE_REPORT_H
#define SIM_DEVICE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "device/bounds.h"
#include "device/code.h"
#include "device/counters.h"
#include "device/device.h"
#include "device/maps.h"
#include "device/timeline.h"

// How much an engine keeps of what it executes; each mode is slower than the one before.
typedef enum sim_mode {
    SIM_MODE_FUNCTIONAL, // results only
    SIM_MODE_COUNT,      // results, counters, modelled time
    SIM_MODE_CHECK       // results and the checks of `ladder check`
} sim_mode;

// Sizes or indices in three dimensions, x fastest.
typedef struct sim_dim3 {
    uint32_t x, y, z; // sizes are at least 1, indices count from 0
} sim_dim3;

// In which order blocks, and the warps of a block, are run. Results of a correct program do not
// depend on it.
typedef enum sim_schedule_kind {
    SIM_SCHEDULE_FORWARD,
    SIM_SCHEDULE_REVERSE,
    SIM_SCHEDULE_HURRIED,     // blocks that wait for each other: each goes on as far as it can
    SIM_SCHEDULE_ALTERNATING, // warps, and lanes that are apart, alternate at each synchronisation
    SIM_SCHEDULE_RANDOM       // a permutation that follows from the seed
} sim_schedule_kind;

// The order of one engine.
typedef struct sim_schedule {
    sim_schedule_kind kind; // the same for blocks and for warps
    uint64_t seed;          // of SIM_SCHEDULE_RANDOM
} sim_schedule;

// The words for orders, for messages.
#define SIM_SCHEDULE_WORDS "reverse, hurried, alternating or random:SEED"
// "forward" or one of these. False: it is not.
bool sim_schedule_parse(const char *text, sim_schedule *out_schedule);

// A launch as cudaLaunchKernelEx is asked for one.
typedef struct sim_launch_config {
    sim_dim3 grid, block;            // in blocks, and in threads
    uint32_t dynamic_shared_bytes;   // of each block, beside what the kernel declares
    uint32_t preferred_shared_bytes; // of an SM, for shared memory rather than L1; 0: no wish
    sim_dim3 cluster;                // blocks of a cluster; 0 x 0 x 0: launched without clusters
    bool cooperative; // all blocks must be resident at once, so that they can wait for each other
    bool streams;     // the program has streams beside the default ones
    uint64_t queue;   // sim_queue: the stream that it is put into, for the checks; 0: not told
} sim_launch_config;

// How far an engine has come, for somebody who waits for it: what another process may see through
// shared memory. Decides nothing.
typedef struct sim_progress {
    _Atomic uint64_t launches, warp_instructions; // so far
} sim_progress;

// What happened when a kernel went wrong; `kind` SIM_OK: nothing did.
typedef struct sim_fault {
    sim_status kind;          // SIM_ILLEGAL_ADDRESS and the like
    char kernel[256];         // mangled; "": unknown
    char file[256];           // of the source; "": unknown
    uint32_t line;            // from 1; 0: unknown
    sim_dim3 block, thread;   // indices of who did it
    uint64_t address;         // that was accessed; in shared and local memory an offset
    uint32_t access_bytes;    // of the access; 0: it was none
    char text[KL_ERROR_TEXT]; // whole explanation for people
} sim_fault;

// A term of the timing model: the time the launch would take if only this limited it.
typedef struct sim_time_bound {
    sim_bound_kind kind; // what limits
    double time_us;      // in microseconds
} sim_time_bound;

// What the instructions of one line of source counted.
typedef struct sim_line_counters {
    uint32_t file;         // index into report files
    uint32_t line;         // from 1
    sim_counters counters; // of all warps of the launch
} sim_line_counters;

// Everything known about one launch. Freed by sim_launch_report_free.
typedef struct sim_launch_report {
    char *kernel;             // mangled
    sim_launch_config config; // as it was asked for
    uint32_t from_launch; // number of the launch whose kernel made this one, from 1; 0: the host's
    uint32_t static_shared_bytes; // per block, that the kernel declares
    uint32_t registers;   // that the launch gave each thread: never fewer than the device's least
    uint32_t local_bytes; // a thread
    // Widths of the machine instructions that move registers to local memory and back, one of each
    // place in the code, as ptxas -v prints them. 0 also without machine code.
    uint32_t spill_store_bytes, spill_load_bytes;
    bool registers_estimated;
    uint32_t lacking; // bits of sim_feature: what the kernel used and the device does not have
    sim_occupancy occupancy; // device/device.h
    double time_us;    // modelled: by the cycle-level model (timing/sm) where it knows the card
    double bounded_us; // by the analytical model (timing/bounds/bounds.h)
    sim_time_bound bounds[SIM_TIME_BOUNDS]; // largest first
    char explanation[256];                  // one sentence: which bound wins and why
    double host_seconds;
    sim_mode mode;
    sim_counters totals;
    sim_line_counters *lines; // sorted by file, line; only lines that executed
    uint32_t line_count;
    char **files;
    uint32_t file_count;
    sim_fault fault;
    sim_timeline *timeline; // of SM 0; NULL: none was asked for
    sim_code *code;         // likewise
    sim_launch_maps *maps;  // NULL: none were asked for
} sim_launch_report;

// Shared memory of a block, static and dynamic.
static inline uint32_t sim_block_shared_bytes(const sim_launch_report *report) {
    return report->static_shared_bytes + report->config.dynamic_shared_bytes;
}

// Whether its time is the cycle-level model's, not that of its bounds together.
bool sim_report_has_sm_time(const sim_launch_report *report);

// Whether starting the kernel took longer than all that it did.
bool sim_report_launch_bound(const sim_launch_report *report, const sim_device *device);

// Frees the report and what it points to; accepts NULL.
void sim_launch_report_free(sim_launch_report *report);

#endif
