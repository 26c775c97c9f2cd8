// SPDX-License-Identifier: MIT
// Advice beyond lanes, sectors and banks: local memory and slow pipes are named with the line that
// has most of them, and only where they matter. The reports are made up.
#include "show/profile/causes.h"

#include <string.h>

#include "suite.h"

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

START_TEST(local_memory_is_named) {
    set_up();
    count(0, SIM_COUNTER_GLOBAL_LD_SECTORS, 300);
    count(1, SIM_COUNTER_LOCAL_LD_SECTORS, 20);
    count(2, SIM_COUNTER_LOCAL_ST_SECTORS, 80);
    ck_assert(!ladder_advise_local(&report, text, sizeof text)); // 25 % is little
    count(2, SIM_COUNTER_LOCAL_LD_SECTORS, 200);
    ck_assert(ladder_advise_local(&report, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "some.cu:12: 50 % of all sectors"));
    ck_assert_ptr_nonnull(strstr(text, "known at compile time"));
    report.spill_store_bytes = 8;
    ck_assert(ladder_advise_local(&report, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "registers are spilled"));
}
END_TEST

START_TEST(slow_pipes_are_named) {
    set_up();
    count(0, SIM_COUNTER_PIPE_XU, 100);
    count(1, SIM_COUNTER_PIPE_XU, 300);
    report.bounds[0].kind = SIM_BOUND_FMA;
    ck_assert(!ladder_advise_slow_pipe(&report, text, sizeof text));
    report.bounds[0].kind = SIM_BOUND_XU;
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "some.cu:11: 75 % of the instructions of the XU pipe"));
    ck_assert_ptr_null(strstr(text, "double precision"));
    count(1, SIM_COUNTER_PIPE_FP64, 10);
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "a constant without f"));
    report.bounds[0].kind = SIM_BOUND_FP64;
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "some.cu:11: 100 % of the instructions of the FP64 pipe"));
}
END_TEST

START_TEST(without_lines_it_is_the_kernel) {
    set_up();
    count(1, SIM_COUNTER_PIPE_FP64, 10);
    report.bounds[0].kind = SIM_BOUND_FP64;
    report.line_count = 0;
    ck_assert(ladder_advise_slow_pipe(&report, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "this kernel: 100 %"));
}
END_TEST

KL_TEST_MAIN("causes", local_memory_is_named, slow_pipes_are_named, without_lines_it_is_the_kernel)
