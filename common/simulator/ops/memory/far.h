// SPDX-License-Identifier: MIT
// Loads of words whose lanes lie whole lines of this machine's cache apart, as when every thread
// reads a row of a matrix. Sixteen in a row find the same 32 lines, which throw each other out of
// the cache where rows are a power of two long. The first load notes the lines, the second copies
// them, word by word of all lanes, and those behind it read one row of the copy. It holds until
// this warp writes or looks at what others may have written, and for one time slice.
#ifndef SIM_OPS_MEMORY_FAR_H
#define SIM_OPS_MEMORY_FAR_H

#include "ops/memory/count.h"

enum { FAR_LINE = 4 * SIM_FAR_WORDS };

ALWAYS_INLINE bool is_far(const sim_warp *warp, const lane_addresses *a) {
    uint64_t apart = a->base[1] - a->base[0];
    return a->pattern != PATTERN_ANY && a->stride != 0 && a->lanes == SIM_ALL_LANES &&
           (((uint64_t)a->stride | apart) % FAR_LINE | (a->set_bits & 3)) == 0 &&
           !(warp->observing | warp->watched) && !warp->legacy;
}

static inline void copy_far_lines(const sim_warp *warp, const lane_addresses *a,
                                  sim_far_lines *lines) {
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        const uint8_t *line = warp->origin + address_of(a, lane) / FAR_LINE * FAR_LINE;
        for (int word = 0; word < SIM_FAR_WORDS; word++)
            memcpy(&lines->words[word][lane], line + 4 * word, 4);
    }
    lines->is_copied = true;
}

// The count of a sector's first load is that of the others, unless the cache model wants its lines.
static inline void count_far(sim_warp *warp, const sim_instr *instr, const lane_addresses *a,
                             sim_far_lines *lines) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint8_t sector = (uint8_t)(1u << a->base[0] % FAR_LINE / SECTOR);
    uint32_t watched = warp->record.watched;
    if (lines->counted & sector && watched <= lines->watched) {
        warp->record.requests++;
        counts->requests++;
        counts->sectors += lines->sectors;
        return;
    }
    uint64_t before = counts->sectors, list[SIM_WARP_LANES];
    count_global(warp, instr, a, 4, COUNT_READ);
    lines->sectors = (uint32_t)(counts->sectors - before);
    list_addresses(a, list);
    if (watched != lines->watched) lines->counted = 0;
    lines->watched = watched;
    if (!sampled_lanes(watched, list)) lines->counted |= sector;
}

// The words of all lanes for an access that is_far, counted; NULL: they are not copied (yet), or
// not all there.
static __attribute__((noinline)) const uint32_t *
far_words(sim_warp *warp, const sim_instr *instr, const lane_addresses *a, const sim_site *site) {
    uint64_t line = a->base[0] / FAR_LINE, apart = a->base[1] - a->base[0];
    uint32_t set = (uint32_t)line % SIM_FAR_SETS;
    sim_far_lines *lines = &warp->block->worker->far[set];
    bool is_same = warp->far >> set & 1 && lines->line == line && lines->stride == a->stride &&
                   lines->apart == apart;
    if (!lies_inside(a, site->base, site->end, 4)) return NULL;
    if (!is_same) {
        warp->far |= 1u << set;
        lines->line = line;
        lines->stride = a->stride;
        lines->apart = apart;
        lines->is_copied = false;
        lines->counted = 0;
        return NULL;
    }
    if (!lines->is_copied) copy_far_lines(warp, a, lines);
    if (warp->counting) count_far(warp, instr, a, lines);
    return lines->words[a->base[0] % FAR_LINE / 4];
}

#endif
