// Causes that a profile names, and machine code beside it.
#include "show/profile/internal.h"
#include "suite.h"

// ---- causes ----
// Advice beyond lanes, sectors and banks: local memory, slow pipes and the resource that limits are
// named with the line that has most of them, and only where they matter. The reports are made up.

enum { LINES = 3 };
static char name[] = "/folder/some.cu", *files[] = {name};
static sim_line_counters lines[LINES];
static sim_launch_report report;
static char text[LADDER_ADVICE_TEXT];

static void set_up(void) {
    memset(lines, 0, sizeof lines);
    memset(&report, 0, sizeof report);
    for (int i = 0; i < LINES; i++) lines[i].line = 10 + (uint32_t)i;
    report.lines = lines;
    report.line_count = LINES;
    report.files = files;
    report.file_count = 1;
}

// `amount` on a line, and in the totals.
static void count(int line, sim_counter counter, uint64_t amount) {
    lines[line].counters.value[counter] += amount;
    report.totals.value[counter] += amount;
}

KL_FIXTURE(set_up, NULL)

KL_TEST(local_memory_is_named) {
    count(0, SIM_COUNTER_GLOBAL_LD_SECTORS, 300);
    count(1, SIM_COUNTER_LOCAL_LD_SECTORS, 20);
    count(2, SIM_COUNTER_LOCAL_ST_SECTORS, 80);
    ck_assert(!ladder_advise_local(&report, text, sizeof text)); // 25 % is little
    count(2, SIM_COUNTER_LOCAL_LD_SECTORS, 200);
    ck_assert(ladder_advise_local(&report, text, sizeof text));
    KL_HAS(text, "some.cu:12: 50 % of all sectors", "known at compile time");
    report.spill_store_bytes = 8;
    ck_assert(ladder_advise_local(&report, text, sizeof text));
    KL_HAS(text, "registers are spilled");
}

KL_TEST(slow_pipes_are_named) {
    count(0, SIM_COUNTER_PIPE_XU, 100);
    count(1, SIM_COUNTER_PIPE_XU, 300);
    report.bounds[0].kind = SIM_BOUND_FMA;
    ck_assert(!ladder_advise_slow_pipe(&report, text, sizeof text));
    report.bounds[0].kind = SIM_BOUND_XU;
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    KL_HAS(text, "some.cu:11: 75 % of the instructions of the XU pipe");
    ck_assert_ptr_null(strstr(text, "double precision"));
    count(1, SIM_COUNTER_PIPE_FP64, 10);
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    KL_HAS(text, "a constant without f");
    report.bounds[0].kind = SIM_BOUND_FP64;
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    KL_HAS(text, "some.cu:11: 100 % of the instructions of the FP64 pipe");
}

KL_TEST(without_lines_it_is_the_kernel) {
    count(1, SIM_COUNTER_PIPE_FP64, 10);
    report.bounds[0].kind = SIM_BOUND_FP64;
    report.line_count = 0;
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    KL_HAS(text, "this kernel: 100 %");
}

// The first bound needs this share of the launch's time.
static void limit(sim_bound_kind kind, double share) {
    report.bounds[0] = (sim_time_bound){kind, 1000 * share};
    report.time_us = 1000 + sim_device_find(NULL)->kernel_us;
}

static bool says(const char *part) {
    text[0] = '\0';
    return ladder_advise_limit(&report, sim_device_find(NULL), text, sizeof text) &&
           strstr(text, part) != NULL;
}

// As in a matrix product whose inner loop is not unrolled.
KL_TEST(instructions_are_counted_per_multiply_add) {
    limit(SIM_BOUND_ISSUE, 0.97);
    count(0, SIM_COUNTER_INST, 550);
    count(0, SIM_COUNTER_BRANCHES, 100);
    count(1, SIM_COUNTER_INST, 450);
    count(1, SIM_COUNTER_MULTIPLY_ADDS, 110);
    ck_assert(says("some.cu:10: 55 % of the warp instructions, 9.09 per multiply-add"));
    ck_assert(says("unroll this loop"));
    count(1, SIM_COUNTER_INST, 600);
    ck_assert(says("some.cu:11: 66 % of the warp instructions"));
    ck_assert(!says("unroll this loop"));
    report.bounds[1] = (sim_time_bound){SIM_BOUND_FMA, 900};
    ck_assert(says("near its limit: multiply-adds alone need 90 % of this time"));
}

KL_TEST(loads_are_counted_per_multiply_add) {
    limit(SIM_BOUND_LSU, 0.9);
    count(2, SIM_COUNTER_PIPE_LSU, 200);
    ck_assert(says("some.cu:12: 100 % of all loads and stores; the load/store pipe is busy"));
    count(2, SIM_COUNTER_SHARED_LD_PTX, 180);
    count(2, SIM_COUNTER_SHARED_LD_INST, 125);
    count(2, SIM_COUNTER_MULTIPLY_ADDS, 100);
    ck_assert(says("; 1.25 shared loads per multiply-add; the load/store pipe is busy: compute "
                   "several results per thread"));
    limit(SIM_BOUND_SHARED, 0.9);
    count(1, SIM_COUNTER_SHARED_LD_WAVEFRONTS, 100);
    ck_assert(says("some.cu:11: 100 % of all wavefronts of shared memory"));
}

KL_TEST(atomics_on_few_addresses_are_named) {
    limit(SIM_BOUND_L2, 0.01);
    count(0, SIM_COUNTER_GLOBAL_LD_SECTORS, 5000);
    count(2, SIM_COUNTER_GLOBAL_RED_SECTORS, 6300);
    report.totals.value[SIM_COUNTER_FOOTPRINT_WRITE] = 3200; // 100 sectors
    const sim_device *device = sim_device_find(NULL);
    ck_assert(!ladder_advise_atomics(&report, device, text, sizeof text));
    count(2, SIM_COUNTER_GLOBAL_RED_SECTORS, 700);
    ck_assert(ladder_advise_atomics(&report, device, text, sizeof text));
    ck_assert_ptr_nonnull(
        strstr(text, "some.cu:12: atomics update each sector of memory 70 times"));
    limit(SIM_BOUND_L2, 0.6); // then that is what limits
    ck_assert(!ladder_advise_atomics(&report, device, text, sizeof text));
}

KL_TEST(repeated_loads_want_a_tile) {
    limit(SIM_BOUND_L2, 0.9);
    count(1, SIM_COUNTER_GLOBAL_LD_SECTORS, 1000);
    report.totals.value[SIM_COUNTER_FOOTPRINT_READ] = 3200;
    report.totals.value[SIM_COUNTER_L1_MISSES] = 150;
    ck_assert(says("some.cu:11: the L2 cache delivers sectors no faster"));
    report.totals.value[SIM_COUNTER_L1_MISSES] = 700;
    ck_assert(says("some.cu:11: each byte is loaded from the L2 7 times: let a block load a tile"));
}

KL_TEST(memory_is_near_its_limit_or_waits) {
    report.totals.value[SIM_COUNTER_FOOTPRINT_READ] = 1000;
    report.totals.value[SIM_COUNTER_DRAM_READ] = 1010;
    limit(SIM_BOUND_DRAM, 0.95);
    ck_assert(says("near its limit: device memory needs 95 % of this time"));
    limit(SIM_BOUND_DRAM, 0.7);
    ck_assert(says("only 70 % of this time for these bytes, and nothing else needs more"));
    report.bounds[0].time_us = 7; // of 10
    report.time_us = 10 + sim_device_find(NULL)->kernel_us;
    ck_assert(says("70 % of the time without the 2.2 us of a launch's start for these bytes, and"));
    limit(SIM_BOUND_DRAM, 0.7);
    report.bounds[1] = (sim_time_bound){SIM_BOUND_LATENCY, 500};
    ck_assert(says("only 70 % of this time for these bytes: warps wait for their loads"));
    report.totals.value[SIM_COUNTER_DRAM_READ] = 2500;
    ck_assert(says("each byte is read from device memory 2.5 times"));
    limit(SIM_BOUND_LATENCY, 1);
    ck_assert(!says("")); // has a sentence of its own
}

// ---- disassembly ----
// The text of machine instructions by nvdisasm: a program of that name in PATH is asked, what it
// writes is taken line by line, and what it does not know, or its failure, costs nothing. The
// programs here are scripts.

static char folder[LADDER_PATH];
static sim_code_machine machine[3];
static sim_code code = {.architecture = 90, .machine_count = 3, .machine = machine};
static kl_error err;

static void set_script(const char *text) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    const char *path = kl_own_text("%s/nvdisasm", folder);
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
    ck_assert_int_eq(chmod(path, 0700), 0);
    ck_assert_int_eq(setenv("PATH", folder, 1), 0);
    for (int i = 0; i < 3; i++)
        machine[i] = (sim_code_machine){{0x947 + (uint64_t)i, 0}, SIM_CODE_NONE};
}

KL_TEST(lines_are_taken_by_their_offset) {
    ladder_disassembly got;
    char found[LADDER_PATH];
    set_script("#!/bin/sh\n"
               "[ \"$1 $2\" = '--binary SM90' ] && [ \"$(wc -c < \"$3\")\" -eq 48 ] || exit 1\n"
               "echo '\t.headerflags @\"EF_CUDA_SM90\"'\n"
               "echo '        /*0000*/                   LDC R1, c[0x0][0x28] ;'\n"
               "echo '        /*0020*/              @!P0 EXIT ;   /* 0x000 */'\n"
               "echo '        /*0030*/                   BRA 0x30;'\n");
    ck_assert(ladder_disassembler_find(found));
    ck_assert_int_eq(strncmp(found, folder, strlen(folder)), 0);
    ck_assert(ladder_disassemble(&code, &got));
    ck_assert_str_eq(got.lines[0], "LDC R1, c[0x0][0x28]");
    ck_assert_ptr_null(got.lines[1]);
    ck_assert_str_eq(got.lines[2], "@!P0 EXIT");
    ladder_disassembly_free(&got);
    ladder_folder_remove(folder);
}

KL_TEST(a_failure_costs_nothing) {
    ladder_disassembly got;
    set_script("#!/bin/sh\necho '/*0000*/ NOP ;'\nexit 3\n");
    ck_assert(!ladder_disassemble(&code, &got));
    ck_assert_ptr_null(got.text);
    ladder_folder_remove(folder);
    set_script("#!/bin/sh\necho 'not a listing'\n");
    ck_assert(!ladder_disassemble(&code, &got));
    ladder_folder_remove(folder);
}

KL_TEST_MAIN("causes")
