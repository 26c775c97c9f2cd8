// Launch reports as bytes (messages.c): the one message with tables. Counts are checked
// against the bytes that are left before memory is taken for them.
#include <stdlib.h>
#include <string.h>

#include "remote/internal.h"

enum { LINE_BYTES = 4 + 4 + 8 * SIM_COUNTER_COUNT, MAX_FILES = 65536, SPAN_BYTES = 4 + 1 };

static void put_counters(wire_writer *writer, const sim_counters *counters) {
    for (int i = 0; i < SIM_COUNTER_COUNT; i++) wire_put_u64(writer, counters->value[i]);
}

static void get_counters(wire_reader *reader, sim_counters *out_counters) {
    for (int i = 0; i < SIM_COUNTER_COUNT; i++) out_counters->value[i] = wire_get_u64(reader);
}

static void put_occupancy(wire_writer *writer, const sim_occupancy *occupancy) {
    wire_put_u32(writer, occupancy->blocks_per_sm);
    wire_put_u32(writer, occupancy->warps_per_sm);
    wire_put_f64(writer, occupancy->fraction);
    wire_put_u32(writer, occupancy->limit_warps);
    wire_put_u32(writer, occupancy->limit_blocks);
    wire_put_u32(writer, occupancy->limit_registers);
    wire_put_u32(writer, occupancy->limit_shared);
    wire_put_u32(writer, occupancy->limit_barriers);
    wire_put_u8(writer, (uint8_t)occupancy->limiter);
}

static void get_occupancy(wire_reader *reader, sim_occupancy *out_occupancy) {
    out_occupancy->blocks_per_sm = wire_get_u32(reader);
    out_occupancy->warps_per_sm = wire_get_u32(reader);
    out_occupancy->fraction = wire_get_f64(reader);
    out_occupancy->limit_warps = wire_get_u32(reader);
    out_occupancy->limit_blocks = wire_get_u32(reader);
    out_occupancy->limit_registers = wire_get_u32(reader);
    out_occupancy->limit_shared = wire_get_u32(reader);
    out_occupancy->limit_barriers = wire_get_u32(reader);
    uint8_t limiter = wire_get_u8(reader);
    if (limiter > SIM_LIMITER_BARRIERS) reader->bad = true;
    out_occupancy->limiter = reader->bad ? SIM_LIMITER_WARPS : (sim_limiter)limiter;
}

static void put_bounds(wire_writer *writer, const sim_launch_report *report) {
    for (int i = 0; i < SIM_TIME_BOUNDS; i++) {
        wire_put_u8(writer, (uint8_t)report->bounds[i].kind);
        wire_put_f64(writer, report->bounds[i].time_us);
    }
    wire_put_u8(writer, (uint8_t)report->estimate);
    for (int i = 0; i < SIM_ESTIMATE_COUNT; i++) wire_put_f64(writer, report->estimates_us[i]);
    wire_put_text(writer, report->explanation, sizeof report->explanation);
}

static void get_bounds(wire_reader *reader, sim_launch_report *report) {
    for (int i = 0; i < SIM_TIME_BOUNDS; i++) {
        uint8_t kind = wire_get_u8(reader);
        if (kind >= SIM_BOUND_COUNT) reader->bad = true;
        report->bounds[i].kind = reader->bad ? SIM_BOUND_NONE : (sim_bound_kind)kind;
        report->bounds[i].time_us = wire_get_f64(reader);
    }
    uint8_t estimate = wire_get_u8(reader);
    if (estimate >= SIM_ESTIMATE_COUNT) reader->bad = true;
    report->estimate = reader->bad ? SIM_ESTIMATE_NONE : (sim_estimate)estimate;
    for (int i = 0; i < SIM_ESTIMATE_COUNT; i++) report->estimates_us[i] = wire_get_f64(reader);
    wire_get_text(reader, report->explanation, sizeof report->explanation);
}

static void put_timeline(wire_writer *writer, const sim_timeline *timeline) {
    wire_put_u8(writer, timeline != NULL);
    if (!timeline) return;
    wire_put_u32(writer, timeline->cycles);
    wire_put_u32(writer, timeline->schedulers);
    wire_put_u32(writer, timeline->blocks);
    wire_put_u8(writer, timeline->cut);
    wire_put_f64(writer, timeline->in_flight);
    wire_put_u32(writer, timeline->row_count);
    for (uint32_t r = 0; r < timeline->row_count; r++) {
        const sim_timeline_row *row = &timeline->rows[r];
        wire_put_u32(writer, row->lived);
        wire_put_u32(writer, row->count);
        for (uint32_t i = 0; i < row->count; i++) {
            wire_put_u32(writer, row->spans[i].cycles);
            wire_put_u8(writer, (uint8_t)row->spans[i].phase);
        }
    }
}

// The spans of a row must add up to `cycles`.
static void get_row(wire_reader *reader, uint32_t cycles, sim_timeline_row *row) {
    row->lived = wire_get_u32(reader);
    uint32_t count = wire_get_count(reader, (uint32_t)((reader->bytes - reader->at) / SPAN_BYTES));
    uint64_t sum = 0;
    if (reader->bad) return;
    row->spans = calloc((size_t)count + 1, sizeof *row->spans);
    if (!row->spans) {
        reader->bad = true;
        return;
    }
    row->count = row->capacity = count;
    for (uint32_t i = 0; i < count; i++) {
        row->spans[i].cycles = wire_get_u32(reader);
        row->spans[i].phase = wire_get_u8(reader);
        sum += row->spans[i].cycles;
        if (row->spans[i].phase >= SIM_PHASE_COUNT) reader->bad = true;
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
    timeline->cycles = wire_get_u32(reader);
    timeline->schedulers = wire_get_u32(reader);
    timeline->blocks = wire_get_u32(reader);
    timeline->cut = wire_get_bool(reader);
    timeline->in_flight = wire_get_f64(reader);
    uint32_t rows = wire_get_count(reader, (uint32_t)((reader->bytes - reader->at) / 4));
    if (timeline->cycles == 0 || timeline->cycles > SIM_TIMELINE_CYCLES || !timeline->schedulers)
        reader->bad = true;
    timeline->rows = reader->bad ? NULL : calloc((size_t)rows + 1, sizeof *timeline->rows);
    if (timeline->rows) timeline->row_count = rows;
    for (uint32_t r = 0; r < timeline->row_count && !reader->bad; r++)
        get_row(reader, timeline->cycles, &timeline->rows[r]);
    if (!timeline->rows) reader->bad = true;
    return timeline; // freed with the report also when it is bad
}

void wire_put_report(wire_writer *writer, const sim_launch_report *report) {
    wire_put_u32(writer, SIM_COUNTER_COUNT);
    wire_put_text(writer, report->kernel ? report->kernel : "", WIRE_MAX_NAME);
    wire_put_launch_config(writer, &report->config);
    wire_put_u32(writer, report->from_launch);
    wire_put_u32(writer, report->static_shared_bytes);
    wire_put_u32(writer, report->registers);
    wire_put_u32(writer, report->local_bytes);
    wire_put_u32(writer, report->spill_store_bytes);
    wire_put_u32(writer, report->spill_load_bytes);
    wire_put_u32(writer, report->lacking);
    wire_put_u8(writer, report->registers_estimated);
    put_occupancy(writer, &report->occupancy);
    wire_put_f64(writer, report->time_us);
    wire_put_f64(writer, report->bounded_us);
    put_bounds(writer, report);
    wire_put_f64(writer, report->host_seconds);
    wire_put_u8(writer, (uint8_t)report->mode);
    put_counters(writer, &report->totals);
    wire_put_u32(writer, report->line_count);
    for (uint32_t i = 0; i < report->line_count; i++) {
        wire_put_u32(writer, report->lines[i].file);
        wire_put_u32(writer, report->lines[i].line);
        put_counters(writer, &report->lines[i].counters);
    }
    wire_put_u32(writer, report->file_count);
    for (uint32_t i = 0; i < report->file_count; i++)
        wire_put_text(writer, report->files[i] ? report->files[i] : "", WIRE_MAX_NAME);
    wire_put_fault(writer, &report->fault);
    put_timeline(writer, report->timeline);
    wire_put_code(writer, report->code);
    wire_put_maps(writer, report->maps);
}

static void get_lines(wire_reader *reader, sim_launch_report *report) {
    size_t left = reader->bytes - reader->at;
    uint32_t count = wire_get_count(reader, (uint32_t)(left / LINE_BYTES));
    if (count == 0) return;
    report->lines = calloc(count, sizeof *report->lines);
    if (!report->lines) {
        reader->bad = true;
        return;
    }
    report->line_count = count;
    for (uint32_t i = 0; i < count; i++) {
        report->lines[i].file = wire_get_u32(reader);
        report->lines[i].line = wire_get_u32(reader);
        get_counters(reader, &report->lines[i].counters);
    }
}

static void get_files(wire_reader *reader, sim_launch_report *report) {
    uint32_t count = wire_get_count(reader, MAX_FILES);
    if (count > (reader->bytes - reader->at) / 4) reader->bad = true;
    if (reader->bad || count == 0) return;
    report->files = calloc(count, sizeof *report->files);
    if (!report->files) {
        reader->bad = true;
        return;
    }
    report->file_count = count;
    for (uint32_t i = 0; i < count; i++)
        report->files[i] = wire_get_text_copy(reader, WIRE_MAX_NAME);
}

static void check_lines(wire_reader *reader, const sim_launch_report *report) {
    for (uint32_t i = 0; i < report->line_count; i++)
        if (report->lines[i].file >= report->file_count) reader->bad = true;
}

static void get_fields(wire_reader *reader, sim_launch_report *report) {
    if (wire_get_u32(reader) != SIM_COUNTER_COUNT) reader->bad = true;
    report->kernel = wire_get_text_copy(reader, WIRE_MAX_NAME);
    wire_get_launch_config(reader, &report->config);
    report->from_launch = wire_get_u32(reader);
    report->static_shared_bytes = wire_get_u32(reader);
    report->registers = wire_get_u32(reader);
    report->local_bytes = wire_get_u32(reader);
    report->spill_store_bytes = wire_get_u32(reader);
    report->spill_load_bytes = wire_get_u32(reader);
    report->lacking = wire_get_u32(reader);
    report->registers_estimated = wire_get_bool(reader);
    get_occupancy(reader, &report->occupancy);
    report->time_us = wire_get_f64(reader);
    report->bounded_us = wire_get_f64(reader);
    get_bounds(reader, report);
    report->host_seconds = wire_get_f64(reader);
    uint8_t mode = wire_get_u8(reader);
    if (mode > SIM_MODE_CHECK) reader->bad = true;
    report->mode = reader->bad ? SIM_MODE_FUNCTIONAL : (sim_mode)mode;
    get_counters(reader, &report->totals);
    get_lines(reader, report);
    get_files(reader, report);
    check_lines(reader, report);
    wire_get_fault(reader, &report->fault);
    report->timeline = get_timeline(reader);
    report->code = wire_get_code(reader, report->file_count);
    report->maps = wire_get_maps(reader, report->file_count);
}

sim_launch_report *wire_get_report(wire_reader *reader) {
    sim_launch_report *report = calloc(1, sizeof *report);
    if (!report) {
        reader->bad = true;
        return NULL;
    }
    get_fields(reader, report);
    if (!reader->bad) return report;
    sim_launch_report_free(report);
    return NULL;
}
