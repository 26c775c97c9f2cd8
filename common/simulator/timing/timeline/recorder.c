// See recorder.h.
#include "timing/timeline/recorder.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>

enum { WAITS = 8 }; // that follow each other before one instruction

// What is known of a slot and not written yet: the waits up to which the warp cannot issue.
typedef struct slot {
    uint32_t at, born; // cycle up to which its row is written; at which its warp's life began
    bool lives;
    sim_timeline_span waits[WAITS]; // cycles: at which each ends, ascending
    uint32_t wait_count;
} slot;

struct timeline_recorder {
    sim_timeline *timeline;
    slot *slots;    // [timeline->row_count]
    uint32_t limit; // cycles from here on are not shown
    double waited;  // cycles of requests
    bool failed;
};

timeline_recorder *timeline_new(uint32_t slots, uint32_t schedulers) {
    timeline_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder) return NULL;
    recorder->limit = SIM_TIMELINE_CYCLES;
    recorder->slots = calloc((size_t)slots + 1, sizeof *recorder->slots);
    recorder->timeline = calloc(1, sizeof *recorder->timeline);
    recorder->failed = !recorder->slots || !recorder->timeline;
    if (recorder->failed) return recorder;
    recorder->timeline->rows = calloc((size_t)slots + 1, sizeof *recorder->timeline->rows);
    recorder->timeline->schedulers = schedulers;
    recorder->failed = !recorder->timeline->rows;
    if (!recorder->failed) recorder->timeline->row_count = slots;
    return recorder;
}

static uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void append(timeline_recorder *recorder, uint32_t index, uint32_t phase, uint32_t cycles) {
    sim_timeline_row *row = &recorder->timeline->rows[index];
    if (row->count && row->spans[row->count - 1].phase == phase) {
        row->spans[row->count - 1].cycles += cycles;
        return;
    }
    if (!sim_reserve(&row->spans, &row->capacity, row->count, sizeof *row->spans)) {
        recorder->failed = true;
        return;
    }
    row->spans[row->count++] = (sim_timeline_span){cycles, phase};
}

// The slot's row up to `until`, in one phase.
static void write_to(timeline_recorder *recorder, uint32_t index, uint32_t phase, uint32_t until) {
    slot *s = &recorder->slots[index];
    until = least_of(until, recorder->limit);
    if (until <= s->at) return;
    append(recorder, index, phase, until - s->at);
    s->at = until;
}

// Up to `until`, before which the warp has not issued.
static void write_waits(timeline_recorder *recorder, uint32_t index, uint32_t until) {
    slot *s = &recorder->slots[index];
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->wait_count; i++) {
        write_to(recorder, index, s->waits[i].phase, least_of(s->waits[i].cycles, until));
        if (s->waits[i].cycles > until) s->waits[left++] = s->waits[i];
    }
    s->wait_count = left;
    write_to(recorder, index, s->lives ? SIM_PHASE_READY : SIM_PHASE_ABSENT, until);
}

void timeline_begin(timeline_recorder *recorder, uint32_t index, uint32_t cycle) {
    if (recorder->failed) return;
    write_waits(recorder, index, cycle);
    recorder->slots[index].lives = true;
    recorder->slots[index].born = cycle;
}

void timeline_wait(timeline_recorder *recorder, uint32_t index, sim_warp_phase phase,
                   uint32_t until) {
    if (recorder->failed) return;
    slot *s = &recorder->slots[index];
    sim_timeline_span *last = s->wait_count ? &s->waits[s->wait_count - 1] : NULL;
    bool open = last && last->cycles == TIMELINE_OPEN;
    if (!open && until <= (last ? last->cycles : s->at)) return;
    if (open || (last && last->phase == phase)) last->cycles = until;
    else if (s->wait_count < WAITS) s->waits[s->wait_count++] = (sim_timeline_span){until, phase};
}

void timeline_throttle(timeline_recorder *recorder, uint32_t index, sim_warp_phase phase,
                       uint32_t now, uint32_t from, uint32_t until) {
    if (recorder->failed) return;
    write_waits(recorder, index, now + 1);
    timeline_wait(recorder, index, SIM_PHASE_READY, from);
    timeline_wait(recorder, index, phase, until);
}

void timeline_issue(timeline_recorder *recorder, uint32_t index, uint32_t now, uint32_t cycles) {
    if (recorder->failed) return;
    write_waits(recorder, index, now);
    recorder->slots[index].wait_count = 0;
    write_to(recorder, index, SIM_PHASE_ISSUE, now + cycles);
}

static void add_life(timeline_recorder *recorder, uint32_t index, uint32_t cycle) {
    const slot *s = &recorder->slots[index];
    uint32_t born = least_of(s->born, recorder->limit);
    cycle = least_of(cycle, recorder->limit);
    if (s->lives && cycle > born) recorder->timeline->rows[index].lived += cycle - born;
}

void timeline_end(timeline_recorder *recorder, uint32_t index, uint32_t cycle) {
    if (recorder->failed) return;
    write_waits(recorder, index, cycle);
    add_life(recorder, index, cycle);
    recorder->slots[index].lives = false;
    recorder->slots[index].wait_count = 0;
}

void timeline_block(timeline_recorder *recorder, uint32_t cycle) {
    if (!recorder->failed && cycle < recorder->limit) recorder->timeline->blocks++;
}

void timeline_request(timeline_recorder *recorder, double from, double until) {
    if (from < recorder->limit) recorder->waited += fmin(until, recorder->limit) - from;
}

void timeline_stop(timeline_recorder *recorder, uint32_t cycle) {
    recorder->limit = least_of(recorder->limit, cycle);
}

// Spans of a row, from the first one on, that `cycles` cycles have.
static void shorten(sim_timeline_row *row, uint32_t cycles) {
    uint32_t at = 0, count = 0;
    for (; count < row->count && at < cycles; count++) {
        if (row->spans[count].cycles > cycles - at) row->spans[count].cycles = cycles - at;
        at += row->spans[count].cycles;
    }
    row->count = count;
}

sim_timeline *timeline_finish(timeline_recorder *recorder, double cycles, bool complete) {
    if (!recorder) return NULL;
    sim_timeline *timeline = recorder->timeline;
    uint32_t all = cycles < recorder->limit ? (uint32_t)ceil(cycles) : recorder->limit;
    for (uint32_t i = 0; !recorder->failed && i < timeline->row_count; i++) {
        write_waits(recorder, i, all);
        add_life(recorder, i, all);
        shorten(&timeline->rows[i], all);
    }
    if (recorder->failed || all == 0 || timeline->blocks == 0) {
        timeline = NULL;
    } else {
        timeline->cycles = all;
        timeline->cut = !complete || cycles > recorder->limit;
        timeline->in_flight = recorder->waited / all;
        recorder->timeline = NULL;
    }
    timeline_free(recorder);
    return timeline;
}

void timeline_free(timeline_recorder *recorder) {
    if (!recorder) return;
    sim_timeline_free(recorder->timeline);
    free(recorder->slots);
    free(recorder);
}
