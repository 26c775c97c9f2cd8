// Launch reports as bytes (internal.h): the one message with tables.
#include "remote/internal.h"

enum { LINE_BYTES = 4 + 4 + 8 * SIM_COUNTER_COUNT, MAX_FILES = 65536, SPAN_BYTES = 4 + 1 };

#define PUT_COUNTERS(counters) PUT_U64S((counters).value)
#define GET_COUNTERS(counters) GET_U64S((counters).value)
#define PUT_LIMITER(value)     PUT_U8(value)
#define GET_LIMITER(value)     GET_CHOICE(sim_limiter, value, SIM_LIMITER_BARRIERS + 1)
#define PUT_BOUND(value)       PUT_U8(value)
#define GET_BOUND(value)       GET_CHOICE(sim_bound_kind, value, SIM_BOUND_COUNT)
#define PUT_ESTIMATE(value)    PUT_U8(value)
#define GET_ESTIMATE(value)    GET_CHOICE(sim_estimate, value, SIM_ESTIMATE_COUNT)
#define PUT_MODE(value)        PUT_U8(value)
#define GET_MODE(value)        GET_CHOICE(sim_mode, value, SIM_MODE_CHECK + 1)
#define PUT_PHASE(value)       PUT_U8(value)
#define GET_PHASE(value)       GET_CHOICE(uint32_t, value, SIM_PHASE_COUNT)

// Lists that every run of clang-format would lay out anew.
// clang-format off
#define OCCUPANCY(F)                                                                               \
    F(U32, blocks_per_sm) F(U32, warps_per_sm) F(F64, fraction) F(U32, limit_warps)                \
    F(U32, limit_blocks) F(U32, limit_registers) F(U32, limit_shared) F(U32, limit_barriers)       \
    F(LIMITER, limiter)
#define BOUND(F) F(BOUND, kind) F(F64, time_us)
#define LINE(F)  F(U32, file) F(U32, line) F(COUNTERS, counters)
#define SPAN(F)  F(U32, cycles) F(PHASE, phase)
#define TIMELINE(F)                                                                                \
    F(U32, cycles) F(U32, schedulers) F(U32, blocks) F(BOOL, cut) F(F64, in_flight)
// clang-format on
PART(occupancy, sim_occupancy, OCCUPANCY)
PART(bound, sim_time_bound, BOUND)
PART(line, sim_line_counters, LINE)
PART(span, sim_timeline_span, SPAN)
PART(timeline_head, sim_timeline, TIMELINE)

static void put_row(wire_writer *writer, const sim_timeline_row *row) {
    wire_put_u32(writer, row->lived);
    PUT_LIST(put_span, row->spans, row->count)
}

static void put_timeline(wire_writer *writer, const sim_timeline *timeline) {
    wire_put_u8(writer, timeline != NULL);
    if (!timeline) return;
    put_timeline_head(writer, timeline);
    PUT_LIST(put_row, timeline->rows, timeline->row_count)
}

// The spans of a row must add up to `cycles`.
static void get_row(wire_reader *reader, uint32_t cycles, sim_timeline_row *row) {
    row->lived = wire_get_u32(reader);
    row->spans = wire_get_list(reader, UINT32_MAX, SPAN_BYTES, sizeof *row->spans, &row->count);
    row->capacity = row->count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < row->count; i++) {
        get_span(reader, &row->spans[i]);
        sum += row->spans[i].cycles;
    }
    if (sum != cycles) reader->bad = true;
}

static sim_timeline *get_timeline(wire_reader *reader) {
    if (!wire_get_bool(reader)) return NULL;
    sim_timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline) {
        reader->bad = true;
        return NULL;
    }
    get_timeline_head(reader, timeline);
    if (timeline->cycles == 0 || timeline->cycles > SIM_TIMELINE_CYCLES || !timeline->schedulers)
        reader->bad = true;
    timeline->rows =
        wire_get_list(reader, UINT32_MAX, 4, sizeof *timeline->rows, &timeline->row_count);
    for (uint32_t r = 0; r < timeline->row_count && !reader->bad; r++)
        get_row(reader, timeline->cycles, &timeline->rows[r]);
    return timeline; // freed with the report also when it is bad
}

static void get_lines(wire_reader *reader, sim_launch_report *out) {
    out->lines =
        wire_get_list(reader, UINT32_MAX, LINE_BYTES, sizeof *out->lines, &out->line_count);
    for (uint32_t i = 0; i < out->line_count; i++) get_line(reader, &out->lines[i]);
}

static void put_file(wire_writer *writer, char *const *file) {
    wire_put_text(writer, *file ? *file : "", WIRE_MAX_NAME);
}

// Of which the lines above name some.
static void get_files(wire_reader *reader, sim_launch_report *out) {
    out->files = wire_get_list(reader, MAX_FILES, 4, sizeof *out->files, &out->file_count);
    for (uint32_t i = 0; i < out->file_count; i++)
        out->files[i] = wire_get_text_copy(reader, WIRE_MAX_NAME);
    for (uint32_t i = 0; i < out->line_count; i++)
        if (out->lines[i].file >= out->file_count) reader->bad = true;
}

#define PUT_NAME(value)      put_file(writer, &(value));
#define GET_NAME(value)      value = wire_get_text_copy(reader, WIRE_MAX_NAME);
#define PUT_CONFIG(value)    wire_put_launch_config(writer, &(value));
#define GET_CONFIG(value)    wire_get_launch_config(reader, &(value));
#define PUT_OCCUPANCY(value) put_occupancy(writer, &(value));
#define GET_OCCUPANCY(value) get_occupancy(reader, &(value));
#define PUT_BOUNDS(array)    EACH_OF(array) put_bound(writer, &(array)[i]);
#define GET_BOUNDS(array)    EACH_OF(array) get_bound(reader, &(array)[i]);
#define PUT_LINES(items)     PUT_LIST(put_line, items, from->line_count)
#define GET_LINES(items)     get_lines(reader, out);
#define PUT_FILES(items)     PUT_LIST(put_file, items, from->file_count)
#define GET_FILES(items)     get_files(reader, out);
#define PUT_TIMELINE(value)  put_timeline(writer, value);
#define GET_TIMELINE(value)  value = get_timeline(reader);
#define PUT_CODE(value)      wire_put_code(writer, value);
#define GET_CODE(value)      value = wire_get_code(reader, out->file_count);
#define PUT_MAPS(value)      wire_put_maps(writer, value);
#define GET_MAPS(value)      value = wire_get_maps(reader, out->file_count);

// clang-format off
#define REPORT(F)                                                                                  \
    F(NAME, kernel) F(CONFIG, config) F(U32, from_launch) F(U32, static_shared_bytes)              \
    F(U32, registers) F(U32, local_bytes) F(U32, spill_store_bytes) F(U32, spill_load_bytes)       \
    F(U32, lacking) F(BOOL, registers_estimated) F(OCCUPANCY, occupancy) F(F64, time_us)           \
    F(F64, bounded_us) F(BOUNDS, bounds) F(ESTIMATE, estimate) F(F64S, estimates_us)               \
    F(TEXT, explanation) F(F64, host_seconds) F(MODE, mode) F(COUNTERS, totals) F(LINES, lines)    \
    F(FILES, files) F(FAULT, fault) F(TIMELINE, timeline) F(CODE, code) F(MAPS, maps)
// clang-format on
PART(report, sim_launch_report, REPORT)

void wire_put_report(wire_writer *writer, const sim_launch_report *report) {
    wire_put_u32(writer, SIM_COUNTER_COUNT);
    put_report(writer, report);
}

sim_launch_report *wire_get_report(wire_reader *reader) {
    sim_launch_report *report = calloc(1, sizeof *report);
    if (!report || wire_get_u32(reader) != SIM_COUNTER_COUNT) reader->bad = true;
    if (report) get_report(reader, report);
    if (!reader->bad) return report;
    sim_launch_report_free(report);
    return NULL;
}
