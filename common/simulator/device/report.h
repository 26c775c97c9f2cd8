// SPDX-License-Identifier: MIT
// What a launch is asked for and what is known of it afterwards: plain data, which the rooms above
// fill (the executor a fault, model/ the times) and engine/engine.h hands out.
#ifndef SIM_DEVICE_REPORT_H
#define SIM_DEVICE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "device/bounds.h"
#include "device/code.h"
#include "device/counters.h"
#include "device/device.h"
#include "device/timeline.h"

typedef enum sim_mode {
    SIM_MODE_FUNCTIONAL, // results only
    SIM_MODE_COUNT,      // results, counters, modelled time
    SIM_MODE_CHECK       // results and the checks of `ladder check`
} sim_mode;

typedef struct sim_dim3 {
    uint32_t x, y, z;
} sim_dim3;

// In which order blocks, and the warps of a block, are run. Results of a correct program do not
// depend on it.
typedef enum sim_schedule_kind {
    SIM_SCHEDULE_FORWARD,
    SIM_SCHEDULE_REVERSE,
    SIM_SCHEDULE_RANDOM // a permutation that follows from the seed
} sim_schedule_kind;

typedef struct sim_schedule {
    sim_schedule_kind kind;
    uint64_t seed;
} sim_schedule;

typedef struct sim_launch_config {
    sim_dim3 grid, block;
    uint32_t dynamic_shared_bytes;
    uint32_t preferred_shared_bytes; // of an SM, for shared memory rather than L1; 0: no wish
    sim_dim3 cluster;                // blocks of a cluster; 0 x 0 x 0: launched without clusters
    bool cooperative;
} sim_launch_config;

// How far an engine has come, for somebody who waits for it: what another process may see through
// shared memory. Decides nothing.
typedef struct sim_progress {
    _Atomic uint64_t launches, warp_instructions;
} sim_progress;

// What happened when a kernel went wrong; `kind` SIM_OK: nothing did.
typedef struct sim_fault {
    sim_status kind;
    char kernel[256];
    char file[256];
    uint32_t line;
    sim_dim3 block, thread;
    uint64_t address;
    uint32_t access_bytes;
    char text[KL_ERROR_TEXT]; // whole explanation for people
} sim_fault;

// A term of the timing model: the time the launch would take if only this limited it.
typedef struct sim_time_bound {
    sim_bound_kind kind;
    double time_us;
} sim_time_bound;

typedef struct sim_line_counters {
    uint32_t file; // index into report files
    uint32_t line;
    sim_counters counters;
} sim_line_counters;

// Everything known about one launch. Freed by sim_launch_report_free.
typedef struct sim_launch_report {
    char *kernel; // mangled
    sim_launch_config config;
    uint32_t from_launch; // number of the launch whose kernel made this one, from 1; 0: the host's
    uint32_t static_shared_bytes;
    uint32_t registers;   // that the launch gave each thread: never fewer than the device's least
    uint32_t local_bytes; // a thread
    // Widths of the machine instructions that move registers to local memory and back, one of each
    // place in the code, as ptxas -v prints them. 0 also without machine code.
    uint32_t spill_store_bytes, spill_load_bytes;
    bool registers_estimated;
    sim_occupancy occupancy; // device/device.h
    double time_us;
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
} sim_launch_report;

void sim_launch_report_free(sim_launch_report *report);

#endif
