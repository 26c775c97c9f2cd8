// Writes a timeline (device/counters.h) while the cycle-level model of an SM runs: what each warp
// does from its block's start to its end. The model says when a warp issues and what it waits for
// before; what is left is the time in which the warp could have issued and was not selected.
#pragma once

#include "device/counters.h"

typedef struct timeline_recorder timeline_recorder;

// slots: for warps. NULL: no memory.
timeline_recorder *timeline_new(uint32_t slots, uint32_t schedulers);

// A warp's life in a slot begins.
void timeline_begin(timeline_recorder *recorder, uint32_t slot, uint32_t cycle);
#define TIMELINE_OPEN UINT32_MAX // an end that is not known yet
// The warp waits in this phase from where its last wait ends, or its last instruction, to `until`;
// where the last wait is open, it ends then.
void timeline_wait(timeline_recorder *recorder, uint32_t slot, sim_warp_phase phase,
                   uint32_t until);
// Likewise from `from` on, if nothing that it waits for lasts longer; it did not issue at `now`.
void timeline_throttle(timeline_recorder *recorder, uint32_t slot, sim_warp_phase phase,
                       uint32_t now, uint32_t from, uint32_t until);
// It issues for so many cycles.
void timeline_issue(timeline_recorder *recorder, uint32_t slot, uint32_t now, uint32_t cycles);
// Its life ends.
void timeline_end(timeline_recorder *recorder, uint32_t slot, uint32_t cycle);

// A block begins.
void timeline_block(timeline_recorder *recorder, uint32_t cycle);
// A request to global memory is under way.
void timeline_request(timeline_recorder *recorder, double from, double until);
// What the SM does from this cycle on was not recorded: the timeline ends here.
void timeline_stop(timeline_recorder *recorder, uint32_t cycle);

// The timeline of the first `cycles` cycles, shorter where it was stopped or would be too long;
// complete: the SM does nothing after them. Frees the recorder. NULL: no memory, or no cycle.
sim_timeline *timeline_finish(timeline_recorder *recorder, double cycles, bool complete);
// Without a timeline. Accepts NULL.
void timeline_free(timeline_recorder *recorder);
