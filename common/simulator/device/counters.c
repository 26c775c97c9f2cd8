// Names and texts of the counters (counters.def), and shares that are computed from them.
#include "device/counters.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
    sim_counter_rule rule;
} counter_rows[SIM_COUNTER_COUNT] = {
#define SIM_COUNTER(id, name, source, text) {name, text, SIM_RULE_##source},
#include "device/counters.def"
#undef SIM_COUNTER
};

const char *sim_counter_name(sim_counter counter) {
    return (unsigned)counter < SIM_COUNTER_COUNT ? counter_rows[counter].name : "?";
}

const char *sim_counter_text(sim_counter counter) {
    return (unsigned)counter < SIM_COUNTER_COUNT ? counter_rows[counter].text : "?";
}

sim_counter_rule sim_counter_rule_of(sim_counter counter) { return counter_rows[counter].rule; }

sim_counter sim_counter_find(const char *name) {
    for (int i = 0; i < SIM_COUNTER_COUNT; i++)
        if (!strcmp(counter_rows[i].name, name)) return (sim_counter)i;
    return SIM_COUNTER_COUNT;
}

static double percent(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : NAN;
}

double sim_l1_hit_percent(const sim_counters *counters) {
    return percent(counters->value[SIM_COUNTER_L1_HITS], counters->value[SIM_COUNTER_L1_SECTORS]);
}

double sim_l2_hit_percent(const sim_counters *counters) {
    return percent(counters->value[SIM_COUNTER_L2_READ_HITS],
                   counters->value[SIM_COUNTER_L2_READS]);
}

// ---- the texts of bounds.def --------------------------------------------------------------------

static const struct {
    const char *name, *advice;
} bounds[SIM_BOUND_COUNT] = {
    {"", ""},
#define SIM_BOUND(id, name, advice) {name, advice},
#include "device/bounds.def"
#undef SIM_BOUND
};

const char *sim_bound_name(sim_bound_kind bound) { return bounds[bound].name; }

const char *sim_bound_advice(sim_bound_kind bound) { return bounds[bound].advice; }

static const struct {
    const char *name, *text;
} estimates[] = {
    {"none", ""},
#define SIM_ESTIMATE(id, name, why) {name, why},
#include "device/estimates.def"
#undef SIM_ESTIMATE
};

const char *sim_estimate_name(sim_estimate estimate) { return estimates[estimate].name; }

const char *sim_estimate_text(sim_estimate estimate) { return estimates[estimate].text; }

// ---- code as data -------------------------------------------------------------------------------

void sim_code_free(sim_code *code) {
    if (!code) return;
    free(code->instrs);
    free(code->text);
    free(code->machine);
    free(code);
}

static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes + 1);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

sim_code *sim_code_copy(const sim_code *code) {
    sim_code *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *code;
    copy->instrs = copy_of(code->instrs, code->instr_count * sizeof *code->instrs);
    copy->text = copy_of(code->text, code->text_bytes);
    copy->machine = copy_of(code->machine, code->machine_count * sizeof *code->machine);
    if (copy->instrs && copy->text && copy->machine) return copy;
    sim_code_free(copy);
    return NULL;
}

// -------------------------------------------------------------------------------------------------
// Timelines as data. timing/timeline makes them.

static const struct {
    const char *name, *text;
    char symbol;
} phases[SIM_PHASE_COUNT] = {
#define SIM_WARP_PHASE(id, name, symbol, text) {name, text, symbol},
#include "device/warp_phases.def"
#undef SIM_WARP_PHASE
};

const char *sim_phase_name(sim_warp_phase phase) { return phases[phase].name; }

char sim_phase_symbol(sim_warp_phase phase) { return phases[phase].symbol; }

const char *sim_phase_text(sim_warp_phase phase) { return phases[phase].text; }

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

// -------------------------------------------------------------------------------------------------
// Maps of a launch as data. engine/maps.c makes them.

enum { GLOBAL, SHARED, LOCAL };
static const struct {
    const char *name;
    int memory;
    sim_counter requests, units;
} kinds[SIM_MAP_KIND_COUNT] = {
#define SIM_MAP_KIND(id, name, memory, requests, units)                                            \
    {name, memory, SIM_COUNTER_##requests, SIM_COUNTER_##units},
#include "device/map_kinds.def"
#undef SIM_MAP_KIND
};

const char *sim_map_kind_name(sim_map_kind kind) { return kinds[kind].name; }

bool sim_map_is_shared(sim_map_kind kind) { return kinds[kind].memory == SHARED; }

bool sim_map_is_local(sim_map_kind kind) { return kinds[kind].memory == LOCAL; }

sim_counter sim_map_requests(sim_map_kind kind) { return kinds[kind].requests; }

sim_counter sim_map_units(sim_map_kind kind) { return kinds[kind].units; }

void sim_launch_maps_free(sim_launch_maps *maps) {
    if (!maps) return;
    free(maps->accesses);
    free(maps->branches);
    free(maps->boxes);
    free(maps);
}

sim_launch_maps *sim_launch_maps_copy(const sim_launch_maps *maps) {
    sim_launch_maps *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *maps;
    copy->accesses = calloc((size_t)maps->access_count + 1, sizeof *copy->accesses);
    copy->branches = calloc((size_t)maps->branch_count + 1, sizeof *copy->branches);
    copy->boxes = calloc((size_t)maps->box_count + 1, sizeof *copy->boxes);
    if (!copy->accesses || !copy->branches || !copy->boxes) {
        sim_launch_maps_free(copy);
        return NULL;
    }
    if (maps->access_count)
        memcpy(copy->accesses, maps->accesses, maps->access_count * sizeof *copy->accesses);
    if (maps->branch_count)
        memcpy(copy->branches, maps->branches, maps->branch_count * sizeof *copy->branches);
    if (maps->box_count) memcpy(copy->boxes, maps->boxes, maps->box_count * sizeof *copy->boxes);
    return copy;
}
