// SPDX-License-Identifier: MIT
// Protects the code of a launch in its report: each PTX instruction with its text, its source line
// and what it did, only for as many launches as were asked for.
#include <check.h>
#include <string.h>

#include "engine/engine.h"
#include "suite.h"

// Threads below 40 of a block of 64 store; one instruction stands on two lines of text.
static const char ptx[] = ".version 8.0\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          ".visible .entry some(.param .u64 p_y)\n"
                          "{\n"
                          "  .reg .pred %p<2>;\n"
                          "  .reg .b32 %r<3>;\n"
                          "  .reg .b64 %rd<5>;\n"
                          "  .loc 1 10 3\n"
                          "  mov.u32 \t%r1, %tid.x;\n"
                          "  setp.ge.u32 %p1, %r1, 40;\n"
                          "  @%p1 bra DONE;\n"
                          "  .loc 1 12 3\n"
                          "  ld.param.u64 %rd1,\n"
                          "      [p_y];\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  mul.wide.u32 %rd3, %r1, 4;\n"
                          "  add.s64 %rd4, %rd2, %rd3;\n"
                          "  st.global.u32 [%rd4], %r1;\n"
                          "DONE:\n"
                          "  .loc 1 13 1\n"
                          "  ret;\n"
                          "}\n"
                          ".file 1 \"some.cu\"\n";

static const struct {
    const char *text;
    uint32_t line;
    uint64_t executed, on;
} want[] = {
    {"mov.u32 %r1, %tid.x", 10, 2, 64},
    {"setp.ge.u32 %p1, %r1, 40", 10, 2, 64},
    {"@%p1 bra DONE", 10, 2, 24},
    {"ld.param.u64 %rd1, [p_y]", 12, 2, 40},
    {"cvta.to.global.u64 %rd2, %rd1", 12, 2, 40},
    {"mul.wide.u32 %rd3, %r1, 4", 12, 2, 40},
    {"add.s64 %rd4, %rd2, %rd3", 12, 2, 40},
    {"st.global.u32 [%rd4], %r1", 12, 2, 40},
    {"ret", 13, 3, 64}, // a warp that split ends in two parts
};
enum { WANT = sizeof want / sizeof want[0] };

START_TEST(instructions_have_text_line_and_counts) {
    const sim_options options = {
        .mode = SIM_MODE_COUNT, .threads = 1, .memory_bytes = 1 << 20, .codes = 1};
    const sim_launch_config config = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle function;
    sim_launch_result result;
    sim_launch_report *report;
    uint64_t y;
    kl_error err;
    ck_assert_int_eq(sim_engine_open_local(&options, &engine, &err), SIM_OK);
    ck_assert_int_eq(sim_module_load(engine, ptx, sizeof ptx, &module, &err), SIM_OK);
    ck_assert_int_eq(sim_function_find(engine, module, "some", &function, &err), SIM_OK);
    ck_assert_int_eq(sim_memory_alloc(engine, 40 * 4, &y, &err), SIM_OK);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(sim_launch(engine, function, &config, &y, sizeof y, &result, &err),
                         SIM_OK);
    ck_assert_int_eq(sim_launch_report_get(engine, 0, &report, &err), SIM_OK);
    const sim_code *code = report->code;
    ck_assert_ptr_nonnull(code);
    ck_assert_uint_eq(code->instr_count, WANT);
    ck_assert_uint_eq(code->architecture, 0); // PTX alone: no machine code
    ck_assert_uint_eq(code->machine_count, 0);
    for (uint32_t i = 0; i < WANT; i++) {
        const sim_code_instr *instr = &code->instrs[i];
        ck_assert_str_eq(code->text + instr->text, want[i].text);
        ck_assert_str_eq(report->files[instr->file], "some.cu");
        ck_assert_uint_eq(instr->line, want[i].line);
        ck_assert_msg(instr->executed == want[i].executed && instr->on == want[i].on,
                      "%s: %llu warps, %llu threads", want[i].text,
                      (unsigned long long)instr->executed, (unsigned long long)instr->on);
    }
    sim_launch_report_free(report);
    ck_assert_int_eq(sim_launch_report_get(engine, 1, &report, &err), SIM_OK);
    ck_assert_ptr_null(report->code); // one was asked for
    sim_launch_report_free(report);
    // Old reports lose their files, and with them the code that names lines of them.
    for (int i = 0; i < 1100; i++)
        ck_assert_int_eq(sim_launch(engine, function, &config, &y, sizeof y, &result, &err),
                         SIM_OK);
    ck_assert_int_eq(sim_launch_report_get(engine, 0, &report, &err), SIM_OK);
    ck_assert_uint_eq(report->file_count, 0);
    ck_assert_ptr_null(report->code);
    sim_launch_report_free(report);
    sim_engine_close(engine);
}
END_TEST

KL_TEST_MAIN("code of launches", instructions_have_text_line_and_counts)
