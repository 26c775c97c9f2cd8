// SPDX-License-Identifier: MIT
// Protects the one table of latencies (machine/constants.def): a chain of dependent instructions
// costs what its row says in the bounds, in the cycle-level model, and on the clock that the kernel
// itself reads. The last two agree to within a twentieth.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "machine/cost.h"
#include "suite.h"
#include "support/near.h"

enum { CHAINED = 64 };

// p_x: 64-bit words. The clock before and after the chain goes to the first two.
static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p_x)\n{\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<8>;\n  .reg .f32 %f<8>;\n  .reg .f64 %fd<2>;\n"
    "  .reg .b64 %rd<10>;\n  .shared .align 8 .b64 word[32];\n"
    "  ld.param.u64 %rd1, [p_x];\n  cvta.to.global.u64 %rd2, %rd1;\n  mov.u32 %r1, 0;\n"
    "  mov.f32 %f1, 0f3F800000;\n  mov.f32 %f2, %f1;\n  mov.f32 %f3, %f1;\n  mov.f32 %f4, %f1;\n"
    "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd3, %r2, 4;\n  mov.u64 %rd4, word;\n"
    "  add.s64 %rd5, %rd4, %rd3;\n  mov.f64 %fd1, 0d3FF0000000000000;\n"
    "  mov.u64 %rd6, 0;\n  mov.u64 %rd7, 0;\n";
static const char tail[] = "  st.global.u64 [%rd2], %rd6;\n  st.global.u64 [%rd2+8], %rd7;\n"
                           "  st.global.f32 [%rd2+16], %f1;\n  st.global.f64 [%rd2+24], %fd1;\n"
                           "  st.global.u32 [%rd2+32], %r1;\n  ret;\n}\n";

typedef struct run {
    double clock, model, bound; // cycles of one warp
} run;

static kl_error err;

static run launch(const char *instruction, uint32_t times, bool clocked) {
    static char text[1 << 14];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s", head,
                                   clocked ? "  mov.u64 %rd6, %clock64;\n" : "");
    for (uint32_t i = 0; i < times; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  %s\n", instruction);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                             clocked ? "  mov.u64 %rd7, %clock64;\n" : "", tail);
    const sim_device *device = sim_device_find("h200");
    sim_options options = {
        .device = "h200", .mode = SIM_MODE_COUNT, .threads = 1, .memory_bytes = 16 << 20};
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle function;
    uint64_t x;
    int64_t shown[2];
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    sim_launch_result result;
    sim_launch_report *report = NULL;
    ck_assert_int_eq(sim_engine_open_local(&options, &engine, &err), SIM_OK);
    sim_status status = sim_module_load(engine, text, used + 1, &module, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_int_eq(sim_memory_alloc(engine, 4096, &x, &err), SIM_OK);
    ck_assert_int_eq(sim_function_find(engine, module, "k", &function, &err), SIM_OK);
    status = sim_launch(engine, function, &config, &x, sizeof x, &result, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_int_eq(sim_launch_report_get(engine, result.index, &report, &err), SIM_OK);
    ck_assert_int_eq(sim_memory_read(engine, shown, x, sizeof shown, &err), SIM_OK);
    run r = {.clock = (double)(shown[1] - shown[0]),
             .model = (report->time_us - device->kernel_us) * device->clock_mhz};
    for (int i = 0; i < SIM_TIME_BOUNDS; i++)
        if (report->bounds[i].kind == SIM_BOUND_LATENCY)
            r.bound = report->bounds[i].time_us * device->clock_mhz;
    sim_launch_report_free(report);
    sim_engine_close(engine);
    return r;
}

// Of one instruction of the chain: what twice as many take longer.
static run cycles_of(const char *instruction) {
    run clocked = launch(instruction, CHAINED, true),
        clocked2 = launch(instruction, 2 * CHAINED, true);
    run plain = launch(instruction, CHAINED, false),
        plain2 = launch(instruction, 2 * CHAINED, false);
    return (run){(clocked2.clock - clocked.clock) / CHAINED, (plain2.model - plain.model) / CHAINED,
                 (plain2.bound - plain.bound) / CHAINED};
}

static const struct {
    const char *instruction;
    const double *latency;
} rows[] = {
    // First, as the bounds have one latency for all simple arithmetic, of the card's row.
    {"fma.rn.f32 %f1, %f1, %f1, %f1;", &machine_constant.fma_latency},
    {"rsqrt.approx.ftz.f32 %f1, %f1;", &machine_constant.xu_latency},
    {"fma.rn.f64 %fd1, %fd1, %fd1, %fd1;", &machine_constant.fp64_latency},
    {"shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", &machine_constant.shuffle_latency},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, "
     "{%r1,%r1}, {%f1,%f2,%f3,%f4};",
     &machine_constant.tensor_latency},
    {"atom.shared.add.u32 %r1, [%rd5], %r1;", &machine_constant.shared_atomic_latency},
};

START_TEST(a_latency_comes_from_one_place) {
    run r = cycles_of(rows[_i].instruction);
    double bound = _i == 0 ? sim_device_find("h200")->alu_latency_cycles : *rows[_i].latency;
    ck_near(r.bound, bound, 1e-6);
    ck_near(r.model, *rows[_i].latency, 0.05 * *rows[_i].latency);
    ck_near(r.clock, r.model, 0.05 * r.model);
}
END_TEST

START_TEST(a_barriers_cost_comes_from_there_too) {
    run r = cycles_of("bar.sync 0;");
    double barrier = machine_constant.barrier + machine_constant.arrival;
    ck_near(r.bound, barrier + 1, 1e-6);
    ck_near(r.model, barrier, 1);
    ck_near(r.clock, r.model, 1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("latencies");
    TCase *tcase = tcase_create("latencies");
    tcase_add_loop_test(tcase, a_latency_comes_from_one_place, 0, sizeof rows / sizeof rows[0]);
    tcase_add_test(tcase, a_barriers_cost_comes_from_there_too);
    suite_add_tcase(suite, tcase);
    return kl_suite_run(suite);
}
