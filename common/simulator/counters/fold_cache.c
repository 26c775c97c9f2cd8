// SPDX-License-Identifier: MIT
// The cache model's part of the counters: from the sampled accesses of an instruction to all of
// them.
#include <math.h>

#include "counters/fold.h"

enum { SECTOR_BYTES = 32 };

static bool is_local(const sim_instr *instr) {
    return instr->space == PTX_SPACE_LOCAL;
}

// `part` of the sampled sectors, carried over to all: 3 of 8 sampled ones hit, so 300 of 800.
static uint64_t of_all(uint64_t part, const sim_cache_counts *cache, uint64_t all) {
    double share = (double)part / (double)cache->l1_sectors;
    return (uint64_t)llround(share * (double)all);
}

void sim_counters_fold_cache(const sim_instr *instr, const sim_raw_counts *raw,
                             const sim_cache_counts *cache, sim_counters *out) {
    uint64_t *value = out->value;
    if (!raw->sectors) return;
    if (!sim_is_bulk(instr)) value[SIM_COUNTER_L1_SECTORS] += raw->sectors; // these ask no L1
    if (!cache || !cache->l1_sectors) return; // too few accesses to show in any sum
    bool is_atomic = instr->op == SIM_OP_ATOM || instr->op == SIM_OP_RED;
    uint64_t distinct = raw->sectors - (is_atomic ? raw->conflicts : 0);
    uint64_t hits = of_all(cache->l1_hits, cache, distinct);
    uint64_t atomics = of_all(cache->l2_atomics, cache, raw->sectors);
    bool global_load =
        instr->op == SIM_OP_LD || instr->op == SIM_OP_LDU || instr->op == SIM_OP_CP_ASYNC;
    value[SIM_COUNTER_L1_HITS] += hits;
    if (global_load && !is_local(instr)) value[SIM_COUNTER_L1_LD_HITS] += hits;
    value[SIM_COUNTER_L2_READS] += of_all(cache->l2_reads, cache, distinct);
    value[SIM_COUNTER_L2_READ_HITS] += of_all(cache->l2_read_hits, cache, distinct);
    value[SIM_COUNTER_L2_WRITES] += of_all(cache->l2_writes, cache, distinct);
    value[instr->op == SIM_OP_RED ? SIM_COUNTER_L2_REDS : SIM_COUNTER_L2_ATOMS] += atomics;
    value[SIM_COUNTER_L1_MISSES] += of_all(cache->l1_reads, cache, distinct);
    value[SIM_COUNTER_L1_WRITES] += of_all(cache->l1_writes, cache, distinct);
    value[SIM_COUNTER_L1_WRITE_LINES] += of_all(cache->l1_write_lines, cache, distinct);
    value[SIM_COUNTER_DRAM_READ] += SECTOR_BYTES * of_all(cache->dram_reads, cache, distinct);
}
