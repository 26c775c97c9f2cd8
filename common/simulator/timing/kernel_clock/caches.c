// Tags and ranges: see internal.h.
#include "timing/kernel_clock/internal.h"

enum { LINE_BYTES = 128 };

bool caches_begin(caches *of, const sim_device *device) {
    uint32_t l2_lines = (uint32_t)(device->l2_bytes / LINE_BYTES);
    *of = (caches){.device = device, .l1_sets = 1, .stamp = 1};
    of->l2_sets = l2_lines / CACHES_WAYS ? l2_lines / CACHES_WAYS : 1;
    uint32_t most = (uint32_t)(device->l1_and_shared_bytes / LINE_BYTES);
    while (of->l1_sets * CACHES_WAYS < most) of->l1_sets *= 2;
    of->l1 = calloc(device->sm_count, sizeof *of->l1);
    of->l2 = calloc((size_t)of->l2_sets * CACHES_WAYS, sizeof *of->l2);
    return of->l1 && of->l2;
}

void caches_end(caches *of) {
    for (uint32_t i = 0; of->l1 && i < of->device->sm_count; i++) free(of->l1[i]);
    free(of->l1);
    free(of->l2);
}

// The ranges that the L2 can still hold, the youngest first.
void caches_launch(caches *of, uint32_t l1_bytes) {
    uint64_t bytes = 0;
    of->launch++;
    of->stamp++; // what the launch finds is younger than all ranges
    of->l1_lines = l1_bytes / LINE_BYTES;
    for (uint32_t i = of->range_count; i-- > 0;) {
        bytes += of->ranges[i].end - of->ranges[i].first;
        if (bytes <= of->device->l2_bytes) continue;
        if (of->oldest < of->ranges[i].stamp) of->oldest = of->ranges[i].stamp;
        break;
    }
}

void caches_touched(caches *of, uint64_t address, uint64_t bytes) {
    uint32_t kept = 0;
    if (bytes == 0) return;
    for (uint32_t i = 0; i < of->range_count; i++) {
        const caches_range *range = &of->ranges[i];
        if (range->first >= address && range->end <= address + bytes) continue;
        of->ranges[kept++] = *range;
    }
    if (kept == CACHES_RANGES) {
        of->oldest = of->ranges[0].stamp;
        memmove(of->ranges, of->ranges + 1, --kept * sizeof *of->ranges);
    }
    of->ranges[kept++] =
        (caches_range){.first = address, .end = address + bytes, .stamp = ++of->stamp};
    of->range_count = kept;
}

// Of the youngest range that holds the line; 0: none.
static uint64_t range_stamp(const caches *of, uint64_t line) {
    uint64_t address = line * LINE_BYTES;
    for (uint32_t i = of->range_count; i-- > 0;) {
        const caches_range *range = &of->ranges[i];
        if (address + LINE_BYTES > range->first && address < range->end) return range->stamp;
    }
    return 0;
}

// Finds the line in its set and gives it the stamp; or else the oldest of the first `ways`, or one
// whose stamp is not above `valid`, becomes it. Returns the stamp that it had; 0: it was not there.
static uint64_t find_in(caches *of, caches_line *set, uint32_t ways, uint64_t line, uint64_t valid,
                        uint64_t stamp) {
    caches_line *oldest = set;
    for (uint32_t way = 0; way < ways; way++) {
        caches_line *at = &set[way];
        uint64_t before = at->stamp;
        if (before > valid && at->line == line) {
            at->used = ++of->accesses;
            at->stamp = stamp;
            return before;
        }
        if (before <= valid) at->used = 0;
        if (at->used < oldest->used) oldest = at;
    }
    *oldest = (caches_line){.line = line, .stamp = stamp, .used = ++of->accesses};
    return 0;
}

// A size that is not a multiple of the sets leaves some of them a line more than others: on an H200
// half of a ring of 256 KiB hits, none of 192 KiB misses, none of 384 KiB hits.
static bool find_in_l1(caches *of, uint32_t sm, uint64_t line) {
    if (!of->l1[sm]) of->l1[sm] = calloc((size_t)of->l1_sets * CACHES_WAYS, sizeof **of->l1);
    if (!of->l1[sm]) return false;
    uint32_t set = (uint32_t)(line % of->l1_sets);
    uint32_t ways = of->l1_lines / of->l1_sets + (set < of->l1_lines % of->l1_sets);
    if (ways > CACHES_WAYS) ways = CACHES_WAYS;
    return ways && find_in(of, of->l1[sm] + (size_t)set * CACHES_WAYS, ways, line, of->launch - 1,
                           of->launch);
}

caches_level caches_find(caches *of, uint32_t sm, uint64_t line, bool past_l1) {
    if (!past_l1 && of->device->l1_caches_global && find_in_l1(of, sm, line)) return CACHES_L1;
    if (of->device->l2_bytes == 0) return CACHES_DRAM;
    caches_line *set = of->l2 + (size_t)(line % of->l2_sets) * CACHES_WAYS;
    uint64_t seen = find_in(of, set, CACHES_WAYS, line, of->oldest, of->stamp);
    uint64_t written = seen < of->stamp ? range_stamp(of, line) : 0; // else in this launch
    if (seen && seen >= written) return CACHES_L2;
    return written > of->oldest ? CACHES_L2_FIRST : CACHES_DRAM;
}
