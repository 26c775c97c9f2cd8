// SPDX-License-Identifier: MIT
// From the executor's raw counts of one instruction to named counters (see fold.c for the rules).
#ifndef SIM_COUNTERS_FOLD_H
#define SIM_COUNTERS_FOLD_H

#include "counters/cache_model.h"
#include "device/counters.h"
#include "program/ir.h"

// Adds one instruction's raw counts to `out`.
void sim_counters_fold(const sim_instr *instr, const sim_raw_counts *raw, sim_counters *out);

// Likewise from the cache model's counts of the instruction's sampled accesses; NULL: none were.
void sim_counters_fold_cache(const sim_instr *instr, const sim_raw_counts *raw,
                             const sim_cache_counts *cache, sim_counters *out);

#endif
