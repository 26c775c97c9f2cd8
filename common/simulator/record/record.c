// Telling all recorders of an event, and releasing what they keep: see record.h.
#include "record/record.h"

static const sim_recorder *const recorders[] = {
#define SIM_RECORDER(name) &sim_recorder_##name,
#include "record/recorders.def"
#undef SIM_RECORDER
};
enum { RECORDERS = sizeof recorders / sizeof recorders[0] };

// Unrolled, so that those who do not ask for the event cost next to nothing.
#define EACH_RECORDER    _Pragma("GCC unroll 16") for (int r = 0; r < RECORDERS; r++)
#define TELL(event, ...) EACH_RECORDER if (recorders[r]->event) recorders[r]->event(__VA_ARGS__)

bool sim_record_launch_begin(sim_launch_record *launch) {
    bool fits = true;
    for (int r = 0; r < RECORDERS; r++) {
        const sim_recorder *recorder = recorders[r];
        if (recorder->launch_begin) fits = fits && recorder->launch_begin(launch);
        for (uint32_t i = 0; recorder->worker_begin && i < launch->worker_count; i++)
            fits = fits && recorder->worker_begin(launch->workers[i]);
    }
    return fits;
}

void sim_record_block_begin(sim_block_record *block, uint64_t index) {
    block->index = index;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_warp_record *warp = block->warps[i];
        warp->executed = warp->waited = 0;
        warp->asked = warp->requests = 0;
    }
    TELL(block_begin, block);
}

uint64_t sim_record_mark(sim_warp_record *warp, uint64_t done) {
    uint64_t first = UINT64_MAX;
    EACH_RECORDER {
        uint64_t next = recorders[r]->mark ? recorders[r]->mark(warp, done) : UINT64_MAX;
        if (next < first) first = next;
    }
    warp->block->worker->marked = true;
    return first;
}

void sim_record_slice_end(sim_warp_record *warp, uint64_t done) {
    TELL(slice_end, warp, done);
    warp->block->worker->marked = false;
}

void sim_record_barrier(sim_block_record *block, const uint32_t *arrived,
                        const sim_warp_record *running, uint64_t done) {
    TELL(barrier, block, arrived, running, done);
}

void sim_record_block_end(sim_block_record *block) { TELL(block_end, block); }

void sim_record_fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    TELL(fold, launch, out_recorded);
}

// ---- Releasing what they keep ----

static void free_late_warp(sim_late_warp *late) {
    free(late->trace.runs);
    free(late->trace.accesses);
}

void sim_record_block_free(sim_block_record *block) {
    free(block->lines.entries);
    free(block->sample.runs);
}

void sim_record_worker_free(sim_worker_record *worker) {
    for (uint32_t f = 0; f < worker->counts_capacity; f++) {
        free(worker->counts[f].by_pc);
        free(worker->counts[f].ran);
    }
    free(worker->counts);
    sim_trace_free(&worker->trace);
    free(worker->longest.sample.runs);
    free(worker->longest.begun.runs);
    free_late_warp(&worker->late_warps.kept);
    free_late_warp(&worker->late_warps.begun);
    sim_contended_atomics_free(&worker->atomics);
}

void sim_record_launch_free(sim_launch_record *launch) {
    sim_footprint_free(&launch->footprint);
    sim_block_chain_free(&launch->chain);
    free(launch->stays);
}

void sim_recorded_free(sim_recorded *recorded) {
    free(recorded->counts);
    free(recorded->longest.counts);
    free_late_warp(&recorded->late_warp);
    free(recorded->residence.blocks);
    *recorded = (sim_recorded){0};
}
