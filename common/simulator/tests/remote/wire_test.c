// The protocol between an engine and its caller.
#include <sys/socket.h>

#include "suite.h"
#include "remote/internal.h"

// ---- wire ----
// Protects the engine protocol's bytes: every message comes back as it was sent; every truncation
// of it and every hostile length is refused without a crash (run under ASan and UBSan in CI).

static wire_reader reading(const wire_writer *writer) {
    return (wire_reader){.data = writer->data, .bytes = writer->bytes};
}

// Reads a message and writes what it read once more.
typedef void (*copy_fn)(wire_reader *reader, wire_writer *again);

// True when data[0..bytes) is a whole, well-formed message that comes out as it went in.
static bool reads_back(copy_fn copy, const uint8_t *data, size_t bytes) {
    uint8_t *exact = malloc(bytes ? bytes : 1); // so that the sanitizer sees any read beyond
    if (bytes) memcpy(exact, data, bytes);
    wire_reader reader = {.data = exact, .bytes = bytes};
    wire_writer again = {0};
    copy(&reader, &again);
    bool good = wire_done(&reader) && again.bytes == bytes && memcmp(again.data, data, bytes) == 0;
    wire_writer_free(&again);
    free(exact);
    return good;
}

// Every proper prefix is bad, every single byte set to 0xFF does not crash.
static void check_hostile(copy_fn copy, const wire_writer *writer) {
    ck_assert(reads_back(copy, writer->data, writer->bytes));
    for (size_t bytes = 0; bytes < writer->bytes; bytes++)
        ck_assert_msg(!reads_back(copy, writer->data, bytes), "prefix of %zu accepted", bytes);
    for (size_t at = 0; at < writer->bytes; at++) {
        uint8_t kept = writer->data[at];
        writer->data[at] = 0xFF;
        reads_back(copy, writer->data, writer->bytes);
        writer->data[at] = kept;
    }
}

KL_TEST(numbers_are_little_endian) {
    wire_writer writer = {0};
    wire_put_u8(&writer, 0x01);
    wire_put_u16(&writer, 0x0302);
    wire_put_u32(&writer, 0x07060504);
    wire_put_u64(&writer, UINT64_C(0x0F0E0D0C0B0A0908));
    ck_assert_uint_eq(writer.bytes, 15);
    for (size_t i = 0; i < 15; i++) ck_assert_uint_eq(writer.data[i], i + 1);
    wire_reader reader = reading(&writer);
    ck_assert_uint_eq(wire_get_u8(&reader), 0x01);
    ck_assert_uint_eq(wire_get_u16(&reader), 0x0302);
    ck_assert_uint_eq(wire_get_u32(&reader), 0x07060504);
    ck_assert_uint_eq(wire_get_u64(&reader), UINT64_C(0x0F0E0D0C0B0A0908));
    ck_assert(wire_done(&reader));
    ck_assert_uint_eq(wire_get_u8(&reader), 0);
    ck_assert(reader.bad);
    wire_writer_free(&writer);
}

KL_TEST(texts_keep_their_bounds) {
    wire_writer writer = {0};
    wire_put_text(&writer, "abcdef", SIZE_MAX);
    wire_put_text(&writer, "abcdef", 3); // an unterminated array of three
    char text[7];
    wire_reader reader = reading(&writer);
    wire_get_text(&reader, text, sizeof text);
    ck_assert_str_eq(text, "abcdef");
    wire_get_text(&reader, text, sizeof text);
    ck_assert_str_eq(text, "abc");
    ck_assert(wire_done(&reader));
    reader = reading(&writer);
    wire_get_text(&reader, text, 6); // one too small
    ck_assert(reader.bad);
    ck_assert_str_eq(text, "");
    reader = reading(&writer);
    ck_assert_ptr_null(wire_get_text_copy(&reader, 5));
    writer.data[4] = '\0'; // a NUL inside
    reader = reading(&writer);
    wire_get_text(&reader, text, sizeof text);
    ck_assert(reader.bad);
    wire_writer_free(&writer);
}

KL_TEST(booleans_and_counts_are_checked) {
    const uint8_t two[] = {2, 11, 0, 0, 0};
    wire_reader reader = {.data = two, .bytes = sizeof two};
    ck_assert(!wire_get_bool(&reader));
    ck_assert(reader.bad);
    reader = (wire_reader){.data = two, .bytes = sizeof two, .at = 1};
    ck_assert_uint_eq(wire_get_count(&reader, 11), 11);
    reader.at = 1;
    ck_assert_uint_eq(wire_get_count(&reader, 10), 0);
    ck_assert(reader.bad);
}

KL_TEST(writer_is_capped) {
    wire_writer writer = {0};
    void *block = calloc(1, WIRE_MAX_PAYLOAD);
    wire_put_bytes(&writer, block, WIRE_MAX_PAYLOAD);
    ck_assert(!writer.failed);
    wire_put_u8(&writer, 1);
    ck_assert(writer.failed);
    wire_writer_free(&writer);
    free(block);
}

KL_TEST(headers_are_checked) {
    uint8_t bytes[WIRE_HEADER_BYTES];
    wire_header sent = {WIRE_LAUNCH_KERNEL, SIM_TRAP, 77, 1234}, got;
    wire_header_write(bytes, &sent);
    ck_assert(wire_header_read(bytes, &got));
    ck_assert_uint_eq(got.kind, WIRE_LAUNCH_KERNEL);
    ck_assert_uint_eq(got.status, SIM_TRAP);
    ck_assert_uint_eq(got.sequence, 77);
    ck_assert_uint_eq(got.payload_bytes, 1234);
    const wire_header bad[] = {{WIRE_KIND_COUNT, 0, 0, 0},
                               {WIRE_HELLO, SIM_STATUS_COUNT, 0, 0},
                               {WIRE_HELLO, 0, 0, WIRE_MAX_PAYLOAD + 1u}};
    for (size_t i = 0; i < 3; i++) {
        wire_header_write(bytes, &bad[i]);
        ck_assert(!wire_header_read(bytes, &got));
    }
    wire_header_write(bytes, &sent);
    bytes[0] ^= 1;
    ck_assert(!wire_header_read(bytes, &got));
}

static void copy_info(wire_reader *reader, wire_writer *again) {
    sim_function_info got;
    wire_get_function_info(reader, &got);
    if (!reader->bad) wire_put_function_info(again, &got);
}

KL_TEST(function_info_round_trip) {
    sim_function_info info = {.name = "_Z1kPf",
                              .registers = 40,
                              .registers_estimated = true,
                              .shared_bytes = 128,
                              .local_bytes = 16,
                              .barriers = 3,
                              .constant_bytes = 8,
                              .max_threads = 1024,
                              .max_dynamic_shared_bytes = 49152,
                              .ptx_version = 90,
                              .binary_version = 91,
                              .param_count = 2,
                              .param_bytes = 16};
    info.params[0].size_bytes = info.params[1].size_bytes = info.params[1].offset = 8;
    wire_writer writer = {0};
    wire_put_function_info(&writer, &info);
    check_hostile(copy_info, &writer);
    wire_reader reader = reading(&writer);
    sim_function_info got;
    wire_get_function_info(&reader, &got);
    ck_assert_str_eq(got.name, "_Z1kPf");
    ck_assert_uint_eq(got.max_dynamic_shared_bytes, 49152);
    ck_assert_uint_eq(got.binary_version, 91);
    ck_assert_uint_eq(got.params[1].offset, 8);
    writer.bytes = 0;
    info.params[1].size_bytes = 9; // beyond the parameter block
    wire_put_function_info(&writer, &info);
    ck_assert(!reads_back(copy_info, writer.data, writer.bytes));
    wire_writer_free(&writer);
}

static const sim_launch_config some_config = {
    {1, 2, 3}, {4, 5, 6}, 777, 888, {2, 4, 1}, true, true, SIM_LEGACY_QUEUE, 13, 2.5, 7};

static void copy_config(wire_reader *reader, wire_writer *again) {
    sim_launch_config got;
    wire_get_launch_config(reader, &got);
    wire_put_launch_config(again, &got);
}

KL_TEST(launch_config_round_trip) {
    wire_writer writer = {0};
    wire_put_launch_config(&writer, &some_config);
    check_hostile(copy_config, &writer);
    wire_reader reader = reading(&writer);
    sim_launch_config got;
    wire_get_launch_config(&reader, &got);
    ck_assert_uint_eq(got.grid.z, 3);
    ck_assert_uint_eq(got.preferred_shared_bytes, 888);
    ck_assert_uint_eq(got.block.x, 4);
    ck_assert_uint_eq(got.dynamic_shared_bytes, 777);
    ck_assert(got.cooperative);
    ck_assert_uint_eq(got.queue, SIM_LEGACY_QUEUE);
    wire_writer_free(&writer);
}

static const sim_launch_result some_result = {.index = 3,
                                              .time_us = 12.5,
                                              .warp_instructions = UINT64_C(1) << 40,
                                              .host_seconds = 0.25,
                                              .fault = {.kind = SIM_ILLEGAL_ADDRESS,
                                                        .kernel = "k",
                                                        .file = "k.cu",
                                                        .line = 17,
                                                        .block = {1, 0, 0},
                                                        .thread = {31, 0, 0},
                                                        .address = UINT64_C(0x200000000000),
                                                        .access_bytes = 4,
                                                        .text = "one past the end"},
                                              .note = "two launches failed"};

static void copy_result(wire_reader *reader, wire_writer *again) {
    sim_launch_result got;
    wire_get_launch_result(reader, &got);
    wire_put_launch_result(again, &got);
}

KL_TEST(launch_result_round_trip) {
    wire_writer writer = {0};
    wire_put_launch_result(&writer, &some_result);
    check_hostile(copy_result, &writer);
    wire_reader reader = reading(&writer);
    sim_launch_result got;
    wire_get_launch_result(&reader, &got);
    ck_assert_uint_eq(got.index, 3);
    ck_assert_double_eq(got.time_us, 12.5);
    ck_assert_uint_eq(got.warp_instructions, UINT64_C(1) << 40);
    ck_assert_int_eq(got.fault.kind, SIM_ILLEGAL_ADDRESS);
    ck_assert_uint_eq(got.fault.thread.x, 31);
    ck_assert_str_eq(got.fault.text, "one past the end");
    ck_assert_str_eq(got.note, "two launches failed");
    wire_writer_free(&writer);
}

static void copy_greeting(wire_reader *reader, wire_writer *again) {
    wire_greeting got;
    wire_get_greeting(reader, &got);
    wire_put_greeting(again, &got);
}

KL_TEST(greeting_round_trip) {
    wire_greeting greeting = {1, 5, 8, "h100"};
    wire_writer writer = {0};
    wire_put_greeting(&writer, &greeting);
    check_hostile(copy_greeting, &writer);
    wire_writer_free(&writer);
}

enum { LINES = 3, FILES = 2 };

static void fill_report(sim_launch_report *report, sim_line_counters lines[LINES],
                        char *files[FILES]) {
    memset(report, 0, sizeof *report);
    report->kernel = "_Z6kernelPf";
    report->config = some_config;
    report->from_launch = 12;
    report->static_shared_bytes = 64;
    report->registers = 33;
    report->spill_store_bytes = 40;
    report->spill_load_bytes = 48;
    report->lacking = 5;
    report->occupancy = (sim_occupancy){8, 64, 1.0, 8, 32, 9, 10, 4, SIM_LIMITER_REGISTERS};
    report->time_us = 99.5;
    report->bounded_us = 97.5;
    report->estimate = SIM_ESTIMATE_LONGEST_WARP;
    report->estimates_us[SIM_ESTIMATE_LONGEST_WARP] = 99.5;
    report->bounds[0].kind = SIM_BOUND_DRAM;
    report->bounds[0].time_us = 98;
    strcpy(report->explanation, "memory bound");
    report->mode = SIM_MODE_COUNT;
    report->lines = lines;
    report->line_count = LINES;
    report->files = files;
    report->file_count = FILES;
    for (int i = 0; i < LINES; i++) {
        lines[i] = (sim_line_counters){.file = (uint32_t)i % FILES, .line = 10u + (uint32_t)i};
        for (int c = 0; c < SIM_COUNTER_COUNT; c++)
            lines[i].counters.value[c] = (uint64_t)(i * 1000 + c);
    }
    files[0] = "a.cu";
    files[1] = "";
    report->totals.value[SIM_COUNTER_INST] = UINT64_MAX;
    report->fault = some_result.fault;
}

static void copy_report(wire_reader *reader, wire_writer *again) {
    sim_launch_report *got = wire_get_report(reader);
    if (got) wire_put_report(again, got);
    sim_launch_report_free(got);
}

static void refuse(const sim_launch_report *report) {
    wire_writer writer = {0};
    wire_put_report(&writer, report);
    ck_assert(!reads_back(copy_report, writer.data, writer.bytes));
    wire_writer_free(&writer);
}

KL_TEST(report_round_trip) {
    sim_line_counters lines[LINES];
    char *files[FILES];
    sim_launch_report report;
    fill_report(&report, lines, files);
    sim_timeline_span spans[] = {{600, SIM_PHASE_START}, {1, SIM_PHASE_ISSUE}};
    sim_timeline_row rows[] = {{spans, 2, 2, 601}, {spans, 2, 2, 600}};
    sim_timeline timeline = {601, 4, 1, true, 0.5, 2, rows};
    report.timeline = &timeline;
    sim_code_instr instrs[] = {{1, 11, 0, 4, 128, true}, {0, 0, 4, 0, 0, false}};
    sim_code_machine machine[] = {{{0x7918, 1}, SIM_CODE_NONE}, {{0x794d, 2}, 1}};
    char text[] = "mov\0ret";
    sim_code code = {2, instrs, text, sizeof text, 90, 2, machine};
    report.code = &code;
    wire_writer writer = {0};
    wire_put_report(&writer, &report);
    check_hostile(copy_report, &writer);
    wire_reader reader = reading(&writer);
    sim_launch_report *got = wire_get_report(&reader);
    ck_assert_ptr_nonnull(got);
    ck_assert_str_eq(got->kernel, "_Z6kernelPf");
    ck_assert_double_eq(got->bounded_us, 97.5);
    ck_assert_int_eq(got->estimate, SIM_ESTIMATE_LONGEST_WARP);
    ck_assert_double_eq(got->estimates_us[SIM_ESTIMATE_LONGEST_WARP], 99.5);
    ck_assert_uint_eq(got->occupancy.limit_barriers, 4);
    ck_assert_uint_eq(got->spill_store_bytes, 40);
    ck_assert_uint_eq(got->spill_load_bytes, 48);
    ck_assert_uint_eq(got->lacking, 5);
    ck_assert_int_eq(got->occupancy.limiter, SIM_LIMITER_REGISTERS);
    ck_assert_int_eq(got->bounds[0].kind, SIM_BOUND_DRAM);
    ck_assert_uint_eq(got->line_count, LINES);
    ck_assert_uint_eq(got->lines[2].counters.value[5], 2005);
    ck_assert_str_eq(got->files[0], "a.cu");
    ck_assert_uint_eq(got->totals.value[SIM_COUNTER_INST], UINT64_MAX);
    ck_assert_uint_eq(got->fault.line, 17);
    ck_assert_uint_eq(got->timeline->row_count, 2);
    ck_assert_mem_eq(got->timeline->rows[1].spans, spans, sizeof spans);
    ck_assert_uint_eq(got->timeline->rows[1].lived, 600);
    ck_assert_mem_eq(got->code->instrs, instrs, sizeof instrs);
    ck_assert_mem_eq(got->code->machine, machine, sizeof machine);
    ck_assert_str_eq(got->code->text + 4, "ret");
    sim_launch_report_free(got);
    wire_writer_free(&writer);
    machine[1].instr = 2; // of an instruction that is not there
    refuse(&report);
    machine[1].instr = 1;
    text[sizeof text - 1] = '!'; // not terminated
    refuse(&report);
    report.code = NULL;
    timeline.cycles = 602; // rows that do not add up to it
    refuse(&report);
    timeline.cycles = 601;
    spans[1].phase = SIM_PHASE_COUNT;
    refuse(&report);
    report.timeline = NULL;
    lines[2].file = FILES; // a line of a file that is not there
    refuse(&report);
}

static void copy_check_report(wire_reader *reader, wire_writer *again) {
    sim_check_report *got = wire_get_check_report(reader);
    if (got) wire_put_check_report(again, got);
    sim_check_report_free(got);
}

static const sim_finding some_findings[] = {
    {.kind = SIM_CHECK_RACE,
     .count = UINT64_C(1) << 40,
     .kernel = "_Z3sumPf",
     .launch = 7,
     .address = 0x1FC,
     .space = "shared",
     .bytes = 4,
     .argument = 2,
     .allocation_bytes = 512,
     .allocation_offset = 508,
     .variable = "_ZZ3sumPfE4tile",
     .sides = {{SIM_ACTION_READ, "/a/b.cu", 12, {1, 2, 3}, {31, 7, 1}, 4, {1, 2, 3, 4}},
               {SIM_ACTION_WRITE, "/a/b.cu", 9, {1, 2, 3}, {30, 7, 1}, 16, {9, [15] = 8}}},
     .text = "no barrier orders the two accesses"},
    {.kind = SIM_CHECK_LEAK, .count = 1, .space = "global", .allocation = 3},
};
enum { FINDINGS = sizeof some_findings / sizeof some_findings[0], READS = 3 };

KL_TEST(check_report_round_trip) {
    sim_finding findings[FINDINGS];
    uint64_t reads[READS] = {1, UINT64_MAX, 3};
    memcpy(findings, some_findings, sizeof findings);
    sim_check_report report = {.findings = findings,
                               .count = FINDINGS,
                               .left_out = 5,
                               .launches = 6,
                               .warp_instructions = UINT64_C(1) << 50,
                               .host_seconds = 0.25,
                               .times_exhausted = true,
                               .depends = SIM_DEPENDS_ON_MANY,
                               .host_reads = reads,
                               .host_read_count = READS};
    wire_writer writer = {0};
    wire_put_check_report(&writer, &report);
    check_hostile(copy_check_report, &writer);
    wire_reader reader = reading(&writer);
    sim_check_report *got = wire_get_check_report(&reader);
    ck_assert_ptr_nonnull(got);
    ck_assert_uint_eq(got->count, FINDINGS);
    ck_assert_mem_eq(got->findings, findings, sizeof findings);
    ck_assert_uint_eq(got->host_reads[1], UINT64_MAX);
    ck_assert_uint_eq(got->warp_instructions, UINT64_C(1) << 50);
    ck_assert(got->times_exhausted);
    ck_assert_uint_eq(got->depends, SIM_DEPENDS_ON_MANY);
    sim_check_report_free(got);
    for (int wrong = 0; wrong < 2; wrong++) { // a class and an action that do not exist
        findings[0].kind = wrong ? SIM_CHECK_RACE : SIM_CHECK_COUNT;
        findings[0].sides[0].action = (sim_check_action)(SIM_ACTION_ATOMIC + wrong);
        writer.bytes = 0;
        wire_put_check_report(&writer, &report);
        ck_assert(!reads_back(copy_check_report, writer.data, writer.bytes));
    }
    wire_writer_free(&writer);
}

// A descriptor comes with the frame whose first bytes it was sent with, and works at the other end.
KL_TEST(descriptors_cross_a_socket) {
    int pair[2], pipe_ends[2], passed;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(pipe(pipe_ends), 0);
    wire_header header = {WIRE_HELLO, SIM_OK, 9, 0}, got;
    uint8_t bytes[WIRE_HEADER_BYTES];
    wire_writer payload = {0};
    wire_header_write(bytes, &header);
    ck_assert_int_eq(wire_send_some(pair[0], bytes, NULL, 0, 0, pipe_ends[1]), WIRE_HEADER_BYTES);
    close(pipe_ends[1]);
    ck_assert_int_eq(wire_receive(pair[1], &got, &payload, &passed, NULL, NULL), SIM_OK);
    ck_assert_int_ge(passed, 0);
    char back = 0;
    ck_assert_int_eq(write(passed, "x", 1), 1);
    ck_assert_int_eq(read(pipe_ends[0], &back, 1), 1);
    ck_assert_int_eq(back, 'x');
    ck_assert_int_eq(wire_send_some(pair[0], bytes, NULL, 0, 0, -1), WIRE_HEADER_BYTES);
    int kept = passed;
    ck_assert_int_eq(wire_receive(pair[1], &got, &payload, &passed, NULL, NULL), SIM_OK);
    ck_assert_int_eq(passed, -1);
    close(kept);
    close(pipe_ends[0]);
    close(pair[0]);
    close(pair[1]);
    wire_writer_free(&payload);
}

KL_TEST(frames_cross_a_socket) {
    int pair[2], passed;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    wire_header header = {WIRE_HELLO, SIM_OK, 9, 3}, got;
    wire_writer payload = {0};
    ck_assert_int_eq(wire_send(pair[0], &header, (const uint8_t *)"abc", NULL, NULL), SIM_OK);
    ck_assert_int_eq(wire_receive(pair[1], &got, &payload, &passed, NULL, NULL), SIM_OK);
    ck_assert_uint_eq(got.sequence, 9);
    ck_assert_uint_eq(payload.bytes, 3);
    ck_assert_mem_eq(payload.data, "abc", 3);
    ck_assert_int_eq(passed, -1);
    // A frame that promises more than it brings.
    header.payload_bytes = WIRE_MAX_PAYLOAD;
    uint8_t bytes[WIRE_HEADER_BYTES];
    wire_header_write(bytes, &header);
    ck_assert_int_eq(write(pair[0], bytes, sizeof bytes), WIRE_HEADER_BYTES);
    ck_assert_int_eq(write(pair[0], "abc", 3), 3);
    close(pair[0]);
    kl_error err;
    ck_assert_int_eq(wire_receive(pair[1], &got, &payload, &passed, NULL, &err), SIM_CONNECTION);
    ck_assert_uint_le(payload.capacity, 2 << 20);
    ck_assert_int_eq(wire_send(pair[1], &header, bytes, NULL, &err), SIM_CONNECTION);
    close(pair[1]);
    wire_writer_free(&payload);
}

// ---- maps ----
// Maps on the wire: what is put comes back, and what nobody could have put is refused.

enum { FILES_MAPS = 2 };

static sim_access_map access_map = {.file = 1,
                                    .line = 7,
                                    .order = 3,
                                    .kind = SIM_MAP_SHARED_STORE,
                                    .bytes = 8,
                                    .rounds = 1,
                                    .requests = 10,
                                    .units = 40,
                                    .least = 20};
static sim_branch_map branches[2] = {{.line = 9,
                                      .fall_line = 10,
                                      .jump_line = 12,
                                      .meets = true,
                                      .meet_line = 13,
                                      .executions = 5,
                                      .splits = 4,
                                      .active = 100,
                                      .taken = 60,
                                      .lanes = 0xFF,
                                      .jumped = 0xF0},
                                     {.line = 10,
                                      .parent = 1,
                                      .side = SIM_SIDE_JUMP,
                                      .executions = 3,
                                      .splits = 1,
                                      .active = 2,
                                      .taken = 1,
                                      .lanes = 3,
                                      .jumped = 1}};
static sim_box_map box = {.file = 1,
                          .line = 8,
                          .stores = true,
                          .copies = 12,
                          .rows = 64,
                          .row_bytes = 64,
                          .swizzle = 128,
                          .offset = 1024};
static sim_launch_maps maps = {.accesses = &access_map,
                               .access_count = 1,
                               .accesses_left_out = 2,
                               .branches = branches,
                               .branch_count = 2,
                               .branches_whole = 6,
                               .boxes = &box,
                               .box_count = 1,
                               .boxes_left_out = 5};

static void set_up(void) {
    access_map.first = access_map.worst = (sim_access_sample){
        .block = {1, 2, 3}, .warp = 4, .lanes = 0x80000001u, .units = 4, .least = 2};
    access_map.worst.addresses[0] = 64;
    access_map.worst.addresses[31] = UINT64_MAX;
}

static sim_launch_maps *send_maps(size_t bytes_left_out) {
    wire_writer writer = {0};
    wire_put_maps(&writer, &maps);
    wire_reader reader = {.data = writer.data, .bytes = writer.bytes - bytes_left_out};
    sim_launch_maps *got = wire_get_maps(&reader, FILES_MAPS);
    bool whole = wire_done(&reader);
    wire_writer_free(&writer);
    if (whole) return got;
    sim_launch_maps_free(got);
    return NULL;
}

KL_TEST(maps_come_back) {
    set_up();
    sim_launch_maps *got = send_maps(0);
    ck_assert_ptr_nonnull(got);
    ck_assert_uint_eq(got->access_count, 1);
    ck_assert_uint_eq(got->accesses_left_out, 2);
    ck_assert_uint_eq(got->branch_count, 2);
    ck_assert_uint_eq(got->branches_whole, 6);
    ck_assert_mem_eq(&got->accesses[0], &access_map, sizeof access_map);
    ck_assert_mem_eq(got->branches, branches, sizeof branches);
    ck_assert_uint_eq(got->box_count, 1);
    ck_assert_uint_eq(got->boxes_left_out, 5);
    ck_assert_mem_eq(&got->boxes[0], &box, sizeof box);
    sim_launch_maps *copy = sim_launch_maps_copy(got);
    ck_assert_mem_eq(&copy->boxes[0], &box, sizeof box);
    sim_launch_maps_free(copy);
    sim_launch_maps_free(got);
    ck_assert_ptr_null(send_maps(1));
    wire_writer writer = {0};
    wire_put_maps(&writer, NULL);
    wire_reader reader = {.data = writer.data, .bytes = writer.bytes};
    ck_assert_ptr_null(wire_get_maps(&reader, FILES_MAPS));
    ck_assert(wire_done(&reader));
    wire_writer_free(&writer);
}

#define REFUSED(field, value)                                                                      \
    do {                                                                                           \
        __typeof__(field) kept_ = field;                                                           \
        field = (value);                                                                           \
        ck_assert_msg(!send_maps(0), "%s = %s", #field, #value);                                   \
        field = kept_;                                                                             \
    } while (0)

KL_TEST(nonsense_is_refused) {
    set_up();
    REFUSED(access_map.file, FILES_MAPS);
    REFUSED(access_map.kind, SIM_MAP_KIND_COUNT);
    REFUSED(access_map.bytes, 0);
    REFUSED(access_map.bytes, 12);
    REFUSED(access_map.bytes, 64);
    REFUSED(access_map.rounds, 0);
    REFUSED(access_map.requests, 0);
    REFUSED(access_map.least, 41);
    REFUSED(access_map.worst.lanes, 0);
    REFUSED(access_map.first.least, 5);
    REFUSED(branches[0].parent, 1); // itself
    REFUSED(branches[0].parent, 2); // and the other is inside this one
    REFUSED(branches[1].parent, 3);
    REFUSED(branches[1].side, SIM_SIDE_EITHER + 1);
    REFUSED(branches[0].splits, 6);
    REFUSED(branches[0].taken, 101);
    REFUSED(branches[1].jumped, 4);
    REFUSED(box.file, FILES_MAPS);
    REFUSED(box.copies, 0);
    REFUSED(box.rows, 0);
    REFUSED(box.row_bytes, 0);
    REFUSED(box.row_bytes, 72);
    REFUSED(box.row_bytes, 144); // beyond the span
    REFUSED(box.swizzle, 256);
    REFUSED(box.offset, 64);
    REFUSED(box.rows, 1 << 20);
    REFUSED(box.offset, 1 << 30);
    sim_launch_maps *got = send_maps(0);
    ck_assert_ptr_nonnull(got);
    sim_launch_maps_free(got);
}

KL_TEST_MAIN("wire")
