// Reports of the checks as bytes (internal.h).
#include "remote/internal.h"

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
