// Following warps that go on for long: see record.h.
#include "record/record.h"

enum {
    FIRST_MARK = 1 << 10,           // instructions of a time slice
    FOLLOWED_MOST = 1 << 12,        // instructions from a mark on
    FOLLOWED_LEAST = FIRST_MARK / 4 // that tell something
};

static bool worker_begin(sim_worker_record *worker) {
    worker->late_warps.kept.after = worker->late_warps.begun.after = 0;
    return true;
}

// Whether `a` is kept rather than `b`.
static bool is_later(const sim_late_warp *a, const sim_late_warp *b) {
    return a->after > b->after || (a->after == b->after && a->block < b->block);
}

static void follow(sim_warp_record *warp, sim_late_warps *late) {
    bool alone = !warp->trace || warp->trace->cut; // else all that it does is recorded
    sim_late_warp begun = {.after = late->next, .block = warp->block->index};
    if (!alone || !is_later(&begun, &late->kept)) return;
    begun.trace = late->begun.trace;
    begun.trace.count = begun.trace.access_count = 0;
    begun.trace.cut = false;
    begun.trace.of = warp->block->worker->launch->traces;
    late->begun = begun;
    late->own = warp->trace;
    sim_record_lines_to(warp, &late->begun.trace);
}

static void slice_end(sim_warp_record *warp, uint64_t done) {
    (void)done;
    sim_late_warps *late = &warp->block->worker->late_warps;
    if (!late->begun.after) return;
    if (sim_warp_trace_instructions(&late->begun.trace, UINT32_MAX) >= FOLLOWED_LEAST) {
        sim_late_warp kept = late->kept;
        late->kept = late->begun;
        late->begun = kept;
    }
    late->begun.after = 0;
    sim_record_lines_to(warp, late->own);
}

static uint64_t mark(sim_warp_record *warp, uint64_t done) {
    sim_worker_record *worker = warp->block->worker;
    sim_late_warps *late = &worker->late_warps;
    if (!worker->launch->traces) return UINT64_MAX;
    if (!worker->marked) late->next = FIRST_MARK;
    for (;;) {
        if (late->begun.after) {
            uint64_t end = late->begun.after + FOLLOWED_MOST;
            if (end > late->next) end = late->next;
            if (done < end) return end;
            slice_end(warp, done);
        }
        if (done < late->next) return late->next;
        follow(warp, late);
        late->next *= 2;
        if (!late->begun.after) return late->next;
    }
}

// The latest one of all workers now belongs to the result.
static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    sim_late_warp *latest = &launch->workers[0]->late_warps.kept;
    for (uint32_t i = 1; i < launch->worker_count; i++) {
        sim_late_warp *other = &launch->workers[i]->late_warps.kept;
        if (is_later(other, latest)) latest = other;
    }
    if (!latest->after) return;
    out_recorded->late_warp = *latest;
    *latest = (sim_late_warp){.after = 0};
}

const sim_recorder sim_recorder_late_warp = {
    .worker_begin = worker_begin, .mark = mark, .slice_end = slice_end, .fold = fold};
