// The schedule of a launch's blocks on the SMs: see counters.h.
#include "counters/counters.h"

// Where blocks follow one another, the share of a block's time that its warps are there beside what
// record.h knows: they end one after the other, and the next block comes when the last has
// ended. Fitted to the kernels of labs 01 to 03 and 07 on an H200.
static const double followed_share = 0.93;

// A place for a block on an SM, and when it is free, in warp instructions.
typedef struct place {
    uint64_t free_at;
    uint32_t sm;
} place;

// The place that is free first is the root; of several the one of the lowest SM.
static bool comes_before(const place *a, const place *b) {
    return a->free_at != b->free_at ? a->free_at < b->free_at : a->sm < b->sm;
}

static void sink_root(place *heap, uint64_t count) {
    for (uint64_t at = 0;;) {
        uint64_t child = 2 * at + 1;
        if (child >= count) return;
        if (child + 1 < count && comes_before(&heap[child + 1], &heap[child])) child++;
        if (!comes_before(&heap[child], &heap[at])) return;
        place moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

static int by_time(const void *left, const void *right) {
    const place *a = left, *b = right;
    return comes_before(a, b) ? -1 : comes_before(b, a);
}

// Sum over the SMs of the time until their last block ends; *out_end: of all of them.
static uint64_t sum_of_ends(const place *places, uint64_t count, uint64_t *sm_ends, uint32_t sms,
                            uint64_t *out_end) {
    uint64_t sum = 0;
    *out_end = 0;
    for (uint64_t i = 0; i < count; i++)
        if (places[i].free_at > sm_ends[places[i].sm]) sm_ends[places[i].sm] = places[i].free_at;
    for (uint32_t i = 0; i < sms; i++) {
        sum += sm_ends[i];
        if (sm_ends[i] > *out_end) *out_end = sm_ends[i];
    }
    return sum;
}

void sim_active_cycles(const sim_device *device, const sim_residence *residence,
                       sim_launch_report *report) {
    double cycles = (report->time_us - device->kernel_us) * device->clock_mhz;
    uint64_t blocks = residence->block_count, end = 0;
    uint64_t count = (uint64_t)device->sm_count * report->occupancy.blocks_per_sm;
    if (count > blocks) count = blocks;
    report->totals.value[SIM_COUNTER_CYCLES_ELAPSED] =
        (uint64_t)(report->time_us * device->clock_mhz + 0.5);
    if (!residence->blocks || count == 0 || !(cycles > 0)) return;
    place *places = malloc(count * sizeof *places);
    uint64_t *sm_ends = calloc(device->sm_count, sizeof *sm_ends);
    for (uint64_t i = 0; places && i < count; i++)
        places[i] = (place){residence->blocks[i], (uint32_t)(i % device->sm_count)};
    if (places && count < blocks) qsort(places, count, sizeof *places, by_time); // a heap
    for (uint64_t i = count; places && i < blocks; i++) {
        places[0].free_at += residence->blocks[i];
        sink_root(places, count);
    }
    uint64_t active = 0;
    if (places && sm_ends) active = sum_of_ends(places, count, sm_ends, device->sm_count, &end);
    free(places);
    free(sm_ends);
    if (end == 0) return;
    double unit = cycles / (double)end, filled = count < blocks ? followed_share : 1;
    report->totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE] = (uint64_t)((double)active * unit + 0.5);
    report->totals.value[SIM_COUNTER_WARPS_ACTIVE] =
        (uint64_t)((double)residence->warps * unit * filled + 0.5);
}
