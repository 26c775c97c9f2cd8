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
// `ran` gets a bit where a run starts for the first time.
static inline void sim_count_run(sim_raw_counts *counts, uint64_t *ran, uint32_t pc,
                                 uint32_t lanes) {
    if (__builtin_expect(counts[pc].executed == 0, 0)) ran[pc / 64] |= UINT64_C(1) << pc % 64;
    counts[pc].executed += 1;
    counts[pc].active += (uint64_t)__builtin_popcount(lanes);
}
static inline void sim_uncount_run(sim_raw_counts *counts, uint32_t pc, uint32_t lanes) {
    counts[pc].executed -= 1;
    counts[pc].active -= (uint64_t)__builtin_popcount(lanes);
}
// Turns counts of runs, which stand at their first instruction, into counts of each instruction,
// and the bits of runs' starts into those of all instructions that may have been executed.
void sim_expand_runs(const sim_function *function, sim_raw_counts *counts, uint64_t *ran);

// The first pc from `pc` on that may have been executed; `count` if there is none. What a launch
// costs follows so from the code that ran, not from all of the kernel's.
static inline uint32_t sim_next_ran(const uint64_t *ran, uint32_t pc, uint32_t count) {
    if (pc >= count) return count;
    uint64_t word = ran[pc / 64] >> pc % 64;
    if (word == 0) {
        for (pc = (pc / 64 + 1) * 64; pc < count && ran[pc / 64] == 0;) pc += 64;
        if (pc >= count) return count;
        word = ran[pc / 64];
    }
    pc += (uint32_t)__builtin_ctzll(word);
    return pc < count ? pc : count;
}

// The loop over these: SIM_EACH_RAN(pc, ran, count) statement
#define SIM_EACH_RAN(pc, ran, count)                                                               \
    for (uint32_t pc = sim_next_ran(ran, 0, count); pc < (count);                                  \
         pc = sim_next_ran(ran, pc + 1, count))

// Counts of `function` on this worker, zeroed at its first use; without memory by_pc is NULL.
const sim_function_counts *sim_counts_of(sim_worker_record *worker, const sim_function *function);
// The warp goes on in `function`.
static inline void sim_count_function(sim_warp_record *warp, const sim_function *function) {
    warp->function = function;
    const sim_function_counts *counts = sim_counts_of(warp->block->worker, function);
    warp->counts = counts->by_pc;
    warp->ran = counts->ran;
}

#endif
