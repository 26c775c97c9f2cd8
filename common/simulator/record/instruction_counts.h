// SPDX-License-Identifier: MIT
// Raw counts of each instruction (device/counters.h), by function and pc. Runs of straight-line
// code are accounted as a whole, at their first instruction; the rest is added where it happens.
#ifndef SIM_RECORD_INSTRUCTION_COUNTS_H
#define SIM_RECORD_INSTRUCTION_COUNTS_H

#include "record/record.h"

// A finished or stopped run is accounted at its first instruction: `executed` and `active` of
// counts[pc] are the number and the lanes of runs that started there, `on` the lanes that
// predicates switched off. sim_expand_runs turns that into counts per instruction: all starts in a
// straight-line region flow down to its end. To take back the rest of a run that stopped before
// `pc` is therefore to subtract a run that starts at `pc`.
static inline void sim_count_run(sim_raw_counts *counts, uint32_t pc, uint32_t lanes) {
    counts[pc].executed += 1;
    counts[pc].active += (uint64_t)__builtin_popcount(lanes);
}
static inline void sim_uncount_run(sim_raw_counts *counts, uint32_t pc, uint32_t lanes) {
    counts[pc].executed -= 1;
    counts[pc].active -= (uint64_t)__builtin_popcount(lanes);
}
// Turns counts of runs, which stand at their first instruction, into counts of each instruction.
void sim_expand_runs(const sim_function *function, sim_raw_counts *counts);

// Counts of `function` on this worker, zeroed at its first use; NULL when memory is short.
sim_raw_counts *sim_counts_of(sim_worker_record *worker, const sim_function *function);
// The warp goes on in `function`.
static inline void sim_count_function(sim_warp_record *warp, const sim_function *function) {
    warp->function = function;
    warp->counts = sim_counts_of(warp->block->worker, function);
}

#endif
