// Reports of the checks as bytes (messages.c). Counts are checked against the bytes that are
// left before memory is taken for them.
#include <stdlib.h>

#include "remote/internal.h"

enum { FINDING_BYTES = 200, MAX_FINDINGS = 4096 }; // FINDING_BYTES: fewer than any finding takes

static void put_dim(wire_writer *writer, sim_dim3 dim) {
    wire_put_u32(writer, dim.x);
    wire_put_u32(writer, dim.y);
    wire_put_u32(writer, dim.z);
}

static sim_dim3 get_dim(wire_reader *reader) {
    sim_dim3 dim = {.x = wire_get_u32(reader)};
    dim.y = wire_get_u32(reader);
    dim.z = wire_get_u32(reader);
    return dim;
}

static void put_side(wire_writer *writer, const sim_check_side *side) {
    wire_put_u8(writer, (uint8_t)side->action);
    wire_put_text(writer, side->file, sizeof side->file);
    wire_put_u32(writer, side->line);
    put_dim(writer, side->block);
    put_dim(writer, side->thread);
    wire_put_u32(writer, side->value_bytes);
    wire_put_bytes(writer, side->value, sizeof side->value);
    wire_put_u8(writer, side->value_kind);
    wire_put_u8(writer, side->element_bytes);
    wire_put_text(writer, side->kernel, sizeof side->kernel);
    wire_put_text(writer, side->call, sizeof side->call);
}

static void get_side(wire_reader *reader, sim_check_side *side) {
    uint8_t action = wire_get_u8(reader);
    if (action > SIM_ACTION_ATOMIC) reader->bad = true;
    side->action = reader->bad ? SIM_ACTION_NONE : (sim_check_action)action;
    wire_get_text(reader, side->file, sizeof side->file);
    side->line = wire_get_u32(reader);
    side->block = get_dim(reader);
    side->thread = get_dim(reader);
    side->value_bytes = wire_get_count(reader, sizeof side->value);
    const uint8_t *value = wire_get_bytes(reader, sizeof side->value);
    for (size_t i = 0; value && i < sizeof side->value; i++) side->value[i] = value[i];
    side->value_kind = wire_get_u8(reader);
    side->element_bytes = wire_get_u8(reader);
    wire_get_text(reader, side->kernel, sizeof side->kernel);
    wire_get_text(reader, side->call, sizeof side->call);
}

static void put_finding(wire_writer *writer, const sim_finding *finding) {
    wire_put_u32(writer, finding->kind);
    wire_put_u64(writer, finding->count);
    wire_put_text(writer, finding->kernel, sizeof finding->kernel);
    wire_put_u32(writer, finding->launch);
    wire_put_u64(writer, finding->address);
    wire_put_text(writer, finding->space, sizeof finding->space);
    wire_put_u32(writer, finding->bytes);
    wire_put_u32(writer, finding->allocation);
    wire_put_u32(writer, finding->argument);
    wire_put_u64(writer, finding->allocation_bytes);
    wire_put_u64(writer, finding->allocation_offset);
    wire_put_text(writer, finding->variable, sizeof finding->variable);
    wire_put_u64(writer, finding->bound);
    put_side(writer, &finding->sides[0]);
    put_side(writer, &finding->sides[1]);
    wire_put_text(writer, finding->text, sizeof finding->text);
}

static void get_finding(wire_reader *reader, sim_finding *finding) {
    uint32_t kind = wire_get_u32(reader);
    if (kind >= SIM_CHECK_COUNT) reader->bad = true;
    finding->kind = reader->bad ? SIM_CHECK_STOPPED : (sim_check_class)kind;
    finding->count = wire_get_u64(reader);
    wire_get_text(reader, finding->kernel, sizeof finding->kernel);
    finding->launch = wire_get_u32(reader);
    finding->address = wire_get_u64(reader);
    wire_get_text(reader, finding->space, sizeof finding->space);
    finding->bytes = wire_get_u32(reader);
    finding->allocation = wire_get_u32(reader);
    finding->argument = wire_get_u32(reader);
    finding->allocation_bytes = wire_get_u64(reader);
    finding->allocation_offset = wire_get_u64(reader);
    wire_get_text(reader, finding->variable, sizeof finding->variable);
    finding->bound = wire_get_u64(reader);
    get_side(reader, &finding->sides[0]);
    get_side(reader, &finding->sides[1]);
    wire_get_text(reader, finding->text, sizeof finding->text);
}

void wire_put_check_report(wire_writer *writer, const sim_check_report *report) {
    wire_put_u32(writer, report->count);
    for (uint32_t i = 0; i < report->count; i++) put_finding(writer, &report->findings[i]);
    wire_put_u64(writer, report->left_out);
    wire_put_u64(writer, report->launches);
    wire_put_u64(writer, report->warp_instructions);
    wire_put_f64(writer, report->host_seconds);
    wire_put_u8(writer, report->times_exhausted);
    wire_put_u32(writer, report->depends);
    wire_put_u32(writer, report->host_read_count);
    for (uint32_t i = 0; i < report->host_read_count; i++)
        wire_put_u64(writer, report->host_reads[i]);
}

static void get_fields(wire_reader *reader, sim_check_report *report) {
    uint32_t count = wire_get_count(reader, MAX_FINDINGS);
    if (count > (reader->bytes - reader->at) / FINDING_BYTES) reader->bad = true;
    if (reader->bad) return;
    report->findings = calloc(count ? count : 1, sizeof *report->findings);
    if (!report->findings) reader->bad = true;
    for (; report->count < count && !reader->bad; report->count++)
        get_finding(reader, &report->findings[report->count]);
    report->left_out = wire_get_u64(reader);
    report->launches = wire_get_u64(reader);
    report->warp_instructions = wire_get_u64(reader);
    report->host_seconds = wire_get_f64(reader);
    report->times_exhausted = wire_get_bool(reader);
    report->depends = wire_get_u32(reader);
    uint32_t reads = wire_get_u32(reader);
    if (reads > (reader->bytes - reader->at) / 8) reader->bad = true;
    if (reader->bad) return;
    report->host_reads = calloc(reads ? reads : 1, sizeof *report->host_reads);
    if (!report->host_reads) reader->bad = true;
    for (; report->host_read_count < reads && !reader->bad; report->host_read_count++)
        report->host_reads[report->host_read_count] = wire_get_u64(reader);
}

sim_check_report *wire_get_check_report(wire_reader *reader) {
    sim_check_report *report = calloc(1, sizeof *report);
    if (!report) {
        reader->bad = true;
        return NULL;
    }
    get_fields(reader, report);
    if (!reader->bad) return report;
    sim_check_report_free(report);
    return NULL;
}
