// SPDX-License-Identifier: MIT
// Protects launches from kernels as the engine reports them: a report each, whose kernel it was,
// the time and instructions of all together, and that host threads change nothing of it.
#include <check.h>
#include <string.h>

#include "engine/engine.h"
#include "suite.h"

// Every thread of `parent` launches `child` with two blocks of 32 threads, each of which adds 1.
static const char ptx[] =
    ".version 9.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2\n"
    "(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".visible .entry child(.param .u64 p_sum)\n"
    "{\n"
    "  .reg .b32 %r<2>;\n"
    "  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [p_sum];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  atom.global.add.u32 %r1, [%rd2], 1;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry parent(.param .u64 p_sum, .param .u64 p_stream)\n"
    "{\n"
    "  .reg .b32 %r<2>;\n"
    "  .reg .b64 %rd<6>;\n"
    "  ld.param.u64 %rd1, [p_sum];\n"
    "  ld.param.u64 %rd2, [p_stream];\n"
    "  mov.u64 %rd3, child;\n"
    "  {\n"
    "  .param .b64 f;\n"
    "  .param .align 4 .b8 g[12];\n"
    "  .param .align 4 .b8 b[12];\n"
    "  .param .b32 s;\n"
    "  .param .b64 r;\n"
    "  st.param.b64 [f], %rd3;\n"
    "  st.param.b32 [g], 2;\n"
    "  st.param.b32 [g+4], 1;\n"
    "  st.param.b32 [g+8], 1;\n"
    "  st.param.b32 [b], 32;\n"
    "  st.param.b32 [b+4], 1;\n"
    "  st.param.b32 [b+8], 1;\n"
    "  st.param.b32 [s], 0;\n"
    "  call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"
    "  ld.param.b64 %rd4, [r];\n"
    "  }\n"
    "  st.u64 [%rd4], %rd1;\n"
    "  {\n"
    "  .param .b64 p;\n"
    "  .param .b64 s;\n"
    "  .param .b32 r;\n"
    "  st.param.b64 [p], %rd4;\n"
    "  st.param.b64 [s], %rd2;\n"
    "  call (r), __cudaCDP2LaunchDeviceV2, (p, s);\n"
    "  ld.param.b32 %r1, [r];\n"
    "  }\n"
    "  ret;\n"
    "}\n";

enum { BLOCKS = 4, THREADS = 8, CHILDREN = BLOCKS * THREADS };

typedef struct outcome {
    sim_launch_result result;
    uint32_t sum, launches;
    double first_us, longest_us; // of the parent alone, and of a child
    uint64_t instructions;       // of all reports
} outcome;

static outcome run(uint32_t threads, uint64_t stream) {
    outcome got = {.sum = 0};
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle parent;
    kl_error err;
    const uint32_t zero = 0;
    struct {
        uint64_t sum, stream;
    } params = {0, stream};
    sim_options options = {.mode = SIM_MODE_COUNT, .threads = threads, .memory_bytes = 64 << 20};
    const sim_launch_config config = {.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}};
    ck_assert_int_eq(sim_engine_open_local(&options, &engine, &err), SIM_OK);
    sim_status status = sim_module_load(engine, ptx, sizeof ptx, &module, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_int_eq(sim_function_find(engine, module, "parent", &parent, &err), SIM_OK);
    ck_assert_int_eq(sim_memory_alloc(engine, 4, &params.sum, &err), SIM_OK);
    ck_assert_int_eq(sim_memory_write(engine, params.sum, &zero, 4, &err), SIM_OK);
    status = sim_launch(engine, parent, &config, &params, sizeof params, &got.result, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_int_eq(sim_memory_read(engine, &got.sum, params.sum, 4, &err), SIM_OK);
    ck_assert_int_eq(sim_launch_count(engine, &got.launches, &err), SIM_OK);
    for (uint32_t i = 0; i < got.launches; i++) {
        sim_launch_report *report;
        ck_assert_int_eq(sim_launch_report_get(engine, i, &report, &err), SIM_OK);
        ck_assert_str_eq(report->kernel, i ? "child" : "parent");
        ck_assert_uint_eq(report->from_launch, i ? 1 : 0);
        ck_assert_uint_eq(report->config.grid.x, i ? 2 : BLOCKS);
        got.instructions += report->totals.value[SIM_COUNTER_INST];
        if (i == 0) got.first_us = report->time_us;
        if (i > 0 && report->time_us > got.longest_us) got.longest_us = report->time_us;
        sim_launch_report_free(report);
    }
    sim_engine_close(engine);
    return got;
}

START_TEST(each_launch_has_a_report) {
    outcome got = run(2, 0);
    ck_assert_uint_eq(got.result.index, 0);
    ck_assert_uint_eq(got.launches, 1 + CHILDREN);
    ck_assert_uint_eq(got.sum, CHILDREN * 64);
    ck_assert_uint_eq(got.result.warp_instructions, got.instructions);
    ck_assert_str_eq(got.result.note, "");
}
END_TEST

// 4 blocks launch 8 grids each into streams of their own; tail launches run one by one.
START_TEST(streams_overlap_and_tail_launches_do_not) {
    outcome free = run(2, 4), null = run(2, 0), tail = run(2, 3);
    ck_assert_double_gt(free.result.time_us, free.first_us + free.longest_us);
    ck_assert_double_gt(null.result.time_us, null.first_us + 7 * null.longest_us);
    ck_assert_double_lt(null.result.time_us, null.first_us + 32 * null.longest_us);
    ck_assert_double_gt(tail.result.time_us, tail.first_us + 31 * tail.longest_us);
    ck_assert_double_lt(free.result.time_us, null.result.time_us);
    ck_assert_double_lt(null.result.time_us, tail.result.time_us);
}
END_TEST

START_TEST(host_threads_change_nothing) {
    outcome one = run(1, 0), many = run(7, 0);
    ck_assert_uint_eq(one.sum, many.sum);
    ck_assert_uint_eq(one.launches, many.launches);
    ck_assert_uint_eq(one.instructions, many.instructions);
    ck_assert_double_eq(one.result.time_us, many.result.time_us);
}
END_TEST

// A stream that the grid has not created: nothing runs, and the note says so.
START_TEST(what_nobody_asks_for_is_noted) {
    outcome got = run(2, 0x5555);
    ck_assert_uint_eq(got.launches, 1);
    ck_assert_uint_eq(got.sum, 0);
    ck_assert_ptr_nonnull(strstr(got.result.note, "launch of child from parent, line 0: "
                                                  "cudaErrorInvalidValue: its stream 0x5555"));
    ck_assert_ptr_nonnull(strstr(got.result.note, "\n32 launches from kernels failed in all"));
}
END_TEST

KL_TEST_MAIN("engine", each_launch_has_a_report, streams_overlap_and_tail_launches_do_not,
             host_threads_change_nothing, what_nobody_asks_for_is_noted)
