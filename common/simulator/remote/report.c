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

// ---- code ---------------------------------------------------------------------------------------
// The code of a launch as bytes (internal.h).

enum { INSTR_BYTES = 4 + 4 + 4 + 8 + 8 + 1, MACHINE_BYTES = 8 + 8 + 4 };

#define PUT_INDEX(value) PUT_U32((uint32_t)(value))
#define GET_INDEX(value) value = (int32_t)wire_get_u32(reader);

// clang-format off
#define INSTR(F)   F(U32, file) F(U32, line) F(U32, text) F(U64, executed) F(U64, on) \
                   F(BOOL, untimed)
#define MACHINE(F) F(U64S, words) F(INDEX, instr)
// clang-format on
PART(instr, sim_code_instr, INSTR)
PART(machine, sim_code_machine, MACHINE)

void wire_put_code(wire_writer *writer, const sim_code *code) {
    wire_put_u8(writer, code != NULL);
    if (!code) return;
    wire_put_u32(writer, code->text_bytes);
    wire_put_bytes(writer, code->text, code->text_bytes);
    PUT_LIST(put_instr, code->instrs, code->instr_count)
    wire_put_u32(writer, code->architecture);
    PUT_LIST(put_machine, code->machine, code->machine_count)
}

// Texts are terminated, also the last one.
static void get_text(wire_reader *reader, sim_code *code) {
    code->text = wire_get_list(reader, UINT32_MAX, 1, 1, &code->text_bytes);
    const char *text = wire_get_bytes(reader, code->text_bytes);
    if (!text || code->text_bytes == 0) return;
    memcpy(code->text, text, code->text_bytes);
    if (text[code->text_bytes - 1] != '\0') reader->bad = true;
}

sim_code *wire_get_code(wire_reader *reader, uint32_t files) {
    if (!wire_get_bool(reader)) return NULL;
    sim_code *code = calloc(1, sizeof *code);
    if (!code) {
        reader->bad = true;
        return NULL;
    }
    get_text(reader, code);
    code->instrs =
        wire_get_list(reader, UINT32_MAX, INSTR_BYTES, sizeof *code->instrs, &code->instr_count);
    for (uint32_t i = 0; i < code->instr_count; i++) {
        sim_code_instr *instr = &code->instrs[i];
        get_instr(reader, instr);
        if (instr->text >= code->text_bytes || (instr->line && instr->file >= files))
            reader->bad = true;
    }
    code->architecture = wire_get_u32(reader);
    code->machine = wire_get_list(reader, UINT32_MAX, MACHINE_BYTES, sizeof *code->machine,
                                  &code->machine_count);
    for (uint32_t i = 0; i < code->machine_count; i++) {
        sim_code_machine *machine = &code->machine[i];
        get_machine(reader, machine);
        if (machine->instr < SIM_CODE_NONE || machine->instr >= (int64_t)code->instr_count)
            reader->bad = true;
    }
    return code; // freed with the report also when it is bad
}

// ---- findings -----------------------------------------------------------------------------------
// Reports of the checks as bytes (internal.h).

enum { FINDING_BYTES = 200, MAX_FINDINGS = 4096 }; // FINDING_BYTES: fewer than any finding takes

#define PUT_ACTION(value) PUT_U8(value)
#define GET_ACTION(value) GET_CHOICE(sim_check_action, value, SIM_ACTION_ATOMIC + 1)
#define PUT_WIDTH(value)  PUT_U32(value)
#define GET_WIDTH(bytes)  bytes = wire_get_count(reader, sizeof out->value);
#define PUT_CLASS(value)  PUT_U32(value)
#define GET_CLASS(value)  value = (sim_check_class)wire_get_count(reader, SIM_CHECK_COUNT - 1);
#define PUT_SIDES(array)  EACH_OF(array) put_side(writer, &(array)[i]);
#define GET_SIDES(array)  EACH_OF(array) get_side(reader, &(array)[i]);

// clang-format off
#define SIDE(F)                                                                                    \
    F(ACTION, action) F(TEXT, file) F(U32, line) F(DIM3, block) F(DIM3, thread)                    \
    F(WIDTH, value_bytes) F(BYTES, value) F(U8, value_kind) F(U8, element_bytes) F(TEXT, kernel)   \
    F(TEXT, call)
#define FINDING(F)                                                                                 \
    F(CLASS, kind) F(U64, count) F(TEXT, kernel) F(U32, launch) F(U64, address) F(TEXT, space)     \
    F(U32, bytes) F(U32, allocation) F(U32, argument) F(U64, allocation_bytes)                     \
    F(U64, allocation_offset) F(TEXT, variable) F(U64, bound) F(SIDES, sides) F(TEXT, text)
#define CHECKED(F)                                                                                 \
    F(U64, left_out) F(U64, launches) F(U64, warp_instructions) F(F64, host_seconds)               \
    F(BOOL, times_exhausted) F(U32, depends)
// clang-format on
PART(side, sim_check_side, SIDE)
PART(finding, sim_finding, FINDING)
PART(checked, sim_check_report, CHECKED)

static void put_read(wire_writer *writer, const uint64_t *read) { wire_put_u64(writer, *read); }

void wire_put_check_report(wire_writer *writer, const sim_check_report *report) {
    PUT_LIST(put_finding, report->findings, report->count)
    put_checked(writer, report);
    PUT_LIST(put_read, report->host_reads, report->host_read_count)
}

sim_check_report *wire_get_check_report(wire_reader *reader) {
    sim_check_report *report = calloc(1, sizeof *report);
    if (!report) {
        reader->bad = true;
        return NULL;
    }
    report->findings = wire_get_list(reader, MAX_FINDINGS, FINDING_BYTES, sizeof *report->findings,
                                     &report->count);
    for (uint32_t i = 0; i < report->count && !reader->bad; i++)
        get_finding(reader, &report->findings[i]);
    get_checked(reader, report);
    report->host_reads =
        wire_get_list(reader, UINT32_MAX, 8, sizeof *report->host_reads, &report->host_read_count);
    for (uint32_t i = 0; i < report->host_read_count; i++)
        report->host_reads[i] = wire_get_u64(reader);
    if (!reader->bad) return report;
    sim_check_report_free(report);
    return NULL;
}
