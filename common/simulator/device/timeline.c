// SPDX-License-Identifier: MIT
// Timelines as data: see timeline.h. timing/timeline makes them.
#include "device/timeline.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
    char symbol;
} phases[SIM_PHASE_COUNT] = {
#define SIM_WARP_PHASE(id, name, symbol, text) {name, text, symbol},
#include "device/warp_phases.def"
#undef SIM_WARP_PHASE
};

const char *sim_phase_name(sim_warp_phase phase) {
    return phases[phase].name;
}

char sim_phase_symbol(sim_warp_phase phase) {
    return phases[phase].symbol;
}

const char *sim_phase_text(sim_warp_phase phase) {
    return phases[phase].text;
}

void sim_timeline_free(sim_timeline *timeline) {
    if (!timeline) return;
    for (uint32_t r = 0; timeline->rows && r < timeline->row_count; r++)
        free(timeline->rows[r].spans);
    free(timeline->rows);
    free(timeline);
}

sim_timeline *sim_timeline_copy(const sim_timeline *timeline) {
    sim_timeline *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *timeline;
    copy->rows = calloc(timeline->row_count + 1, sizeof *copy->rows);
    bool complete = copy->rows;
    for (uint32_t r = 0; complete && r < copy->row_count; r++) {
        const sim_timeline_row *from = &timeline->rows[r];
        sim_timeline_row *to = &copy->rows[r];
        to->spans = malloc((from->count + 1) * sizeof *to->spans);
        complete = to->spans;
        if (!complete) break;
        to->count = to->capacity = from->count;
        to->lived = from->lived;
        if (from->count) memcpy(to->spans, from->spans, from->count * sizeof *to->spans);
    }
    if (complete) return copy;
    sim_timeline_free(copy);
    return NULL;
}

void sim_timeline_count(const sim_timeline_row *row, uint32_t from, uint32_t to,
                        uint32_t cycles[SIM_PHASE_COUNT]) {
    uint32_t at = 0;
    memset(cycles, 0, SIM_PHASE_COUNT * sizeof *cycles);
    for (uint32_t i = 0; i < row->count && at < to; i++) {
        const sim_timeline_span *span = &row->spans[i];
        uint32_t end = at + span->cycles;
        uint32_t first = at > from ? at : from, last = end < to ? end : to;
        if (first < last) cycles[span->phase] += last - first;
        at = end;
    }
}
