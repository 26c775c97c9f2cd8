// SPDX-License-Identifier: MIT
// A timeline of one SM: what each of its warps does in each cycle, as the cycle-level model
// (timing/sm) had it issue and wait, from which the launch's modelled time comes, too. A launch
// that the model followed to its end takes device.kernel_us and the timeline's cycles, the last of
// them perhaps in part. Deterministic; a model, not a measurement.
#ifndef SIM_DEVICE_TIMELINE_H
#define SIM_DEVICE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

// What a warp does in a cycle: the rows of warp_phases.def.
typedef enum sim_warp_phase {
#define SIM_WARP_PHASE(id, name, symbol, text) SIM_PHASE_##id,
#include "device/warp_phases.def"
#undef SIM_WARP_PHASE
    SIM_PHASE_COUNT
} sim_warp_phase;

// The name in JSON and in the picture's key. A constant.
const char *sim_phase_name(sim_warp_phase phase);
// The letter that stands for the phase in a picture made of text.
char sim_phase_symbol(sim_warp_phase phase);
// What a warp does there, as one phrase. A constant.
const char *sim_phase_text(sim_warp_phase phase);

enum { SIM_TIMELINE_CYCLES = 16384 }; // shown at most

// Cycles that follow each other, in one phase.
typedef struct sim_timeline_span {
    uint32_t cycles, phase; // sim_warp_phase
} sim_timeline_span;

// A slot for a warp on the SM, from cycle 0 on. Its spans add up to the timeline's cycles, those
// that are not ABSENT to the lives of the warps in it.
typedef struct sim_timeline_row {
    sim_timeline_span *spans; // in the order of time, [count]
    uint32_t count, capacity; // of `spans`: used, and allocated
    uint32_t lived;           // cycles from the starts of its warps' blocks to the warps' ends
} sim_timeline_row;

// The timeline of an SM, from the first cycle on.
typedef struct sim_timeline {
    uint32_t cycles;        // that it covers, at most SIM_TIMELINE_CYCLES
    uint32_t schedulers;    // row r belongs to scheduler r mod schedulers
    uint32_t blocks;        // that began
    bool cut;               // the SM went on after the last cycle
    double in_flight;       // global memory requests under way, on average
    uint32_t row_count;     // slots for warps
    sim_timeline_row *rows; // [row_count]
} sim_timeline;

// Frees the timeline and its rows; accepts NULL.
void sim_timeline_free(sim_timeline *timeline);

// A copy; NULL without memory.
sim_timeline *sim_timeline_copy(const sim_timeline *timeline);

// Cycles that a row spends in each phase within [from, to).
void sim_timeline_count(const sim_timeline_row *row, uint32_t from, uint32_t to,
                        uint32_t cycles[SIM_PHASE_COUNT]);

#endif
