// Protects the in-process engine end to end: PTX text in, launches, results, reports, errors.
#include <pthread.h>
#include <sys/resource.h>

#include "engine/engine.h"
#include "support/bytes.h"
#include "suite.h"

// y[i] = x[i] + 1 for i < n, with source lines as nvcc -lineinfo gives them.
static const char add_one_ptx[] =
    ".version 8.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".global .align 4 .u32 touched = 7;\n"
    ".visible .entry add_one(.param .u64 p_x, .param .u64 p_y, .param .u32 p_n)\n"
    "{\n"
    "  .reg .pred %p<2>;\n"
    "  .reg .b32 %r<6>;\n"
    "  .reg .f32 %f<3>;\n"
    "  .reg .b64 %rd<8>;\n"
    "  .loc 1 10 3\n"
    "  ld.param.u64 %rd1, [p_x];\n"
    "  ld.param.u64 %rd2, [p_y];\n"
    "  ld.param.u32 %r1, [p_n];\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  .loc 1 11 3\n"
    "  setp.ge.s32 %p1, %r5, %r1;\n"
    "  @%p1 bra DONE;\n"
    "  .loc 1 12 3\n"
    "  cvta.to.global.u64 %rd3, %rd1;\n"
    "  mul.wide.s32 %rd4, %r5, 4;\n"
    "  add.s64 %rd5, %rd3, %rd4;\n"
    "  ld.global.f32 %f1, [%rd5];\n"
    "  add.f32 %f2, %f1, 0f3F800000;\n"
    "  cvta.to.global.u64 %rd6, %rd2;\n"
    "  add.s64 %rd7, %rd6, %rd4;\n"
    "  st.global.f32 [%rd7], %f2;\n"
    "DONE:\n"
    "  .loc 1 13 1\n"
    "  ret;\n"
    "}\n"
    ".file 1 \"add_one.cu\"\n";

enum { N = 1000 };

typedef struct fixture {
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle function;
    uint64_t x, y;
    kl_error err;
} fixture;

static fixture f;

static void open_with(bool uncached) {
    memset(&f, 0, sizeof f);
    sim_options options = {
        .mode = SIM_MODE_COUNT, .threads = 2, .memory_bytes = 64 << 20, .uncached = uncached};
    OK(sim_engine_open_local(&options, &f.engine, &f.err));
    OK_OR_SAY(sim_module_load(f.engine, add_one_ptx, sizeof add_one_ptx, &f.module, &f.err), f.err);
    OK(sim_function_find(f.engine, f.module, "add_one", &f.function, &f.err));
    OK(sim_memory_alloc(f.engine, N * 4, &f.x, &f.err));
    OK(sim_memory_alloc(f.engine, N * 4, &f.y, &f.err));
    float values[N];
    for (int i = 0; i < N; i++) values[i] = (float)i;
    OK(sim_memory_write(f.engine, f.x, values, sizeof values, &f.err));
}

static void open_engine(void) { open_with(false); }

static void close_engine(void) { sim_engine_close(f.engine); }

static sim_status launch(uint32_t blocks, uint32_t threads, int n, sim_launch_result *out_result) {
    struct {
        uint64_t x, y;
        int32_t n;
    } params = {f.x, f.y, n};
    sim_launch_config config = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    return sim_launch_kernel(f.engine, f.function, &config, &params, 20, out_result, &f.err);
}

KL_FIXTURE(open_engine, close_engine)

// What a host's launch is refused for, and that nothing is reported of it.
static const struct {
    sim_launch_config config;
    sim_status status;
    const char *text;
} bad_launch_rows[] = {
    {{.grid = {1, 1, 1}, .block = {1025, 1, 1}},
     SIM_LAUNCH_CONFIG,
     "a block of 1025 x 1 x 1 threads: the device allows 1024"},
    {{.grid = {1, 1, 1}, .block = {1, 1, 65}},
     SIM_LAUNCH_CONFIG,
     "a block of 1 x 1 x 65 threads: the device allows 1024"},
    {{.grid = {0, 1, 1}, .block = {1, 1, 1}}, SIM_LAUNCH_CONFIG, "a grid of 0 x 1 x 1 blocks"},
    {{.grid = {1, 65536, 1}, .block = {1, 1, 1}},
     SIM_LAUNCH_CONFIG,
     "a grid of 1 x 65536 x 1 blocks"},
    {{.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {3, 1, 1}},
     SIM_LAUNCH_CONFIG,
     "clusters of 3 x 1 x 1 blocks: a cluster has up to 16 and divides the grid of 4 x 1 x 1"},
    {{.grid = {32, 1, 1}, .block = {32, 1, 1}, .cluster = {32, 1, 1}},
     SIM_LAUNCH_CONFIG,
     "clusters of 32 x 1 x 1 blocks: a cluster has up to 16 and divides the grid of 32 x 1 x 1"},
    {{.grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 300000},
     SIM_INVALID_VALUE,
     "300000 bytes of dynamic shared memory asked for, 49152 are allowed: raise "
     "cudaFuncAttributeMaxDynamicSharedMemorySize first"},
    {{.grid = {10000, 1, 1}, .block = {1024, 1, 1}, .cooperative = true},
     SIM_LAUNCH_RESOURCES,
     "a cooperative launch of 10000 blocks: the device holds 264 at once"},
};

KL_TEST_ROWS(bad_launches, sizeof bad_launch_rows / sizeof bad_launch_rows[0]) {
    const uint8_t params[20] = {0};
    sim_launch_result result;
    uint32_t count;
    ck_assert_int_eq(sim_launch_kernel(f.engine, f.function, &bad_launch_rows[_i].config, params,
                                       sizeof params, &result, &f.err),
                     bad_launch_rows[_i].status);
    ck_assert_str_eq(f.err.text, bad_launch_rows[_i].text);
    OK(sim_launch_count(f.engine, &count, &f.err));
    ck_assert_uint_eq(count, 0);
}

KL_TEST(too_few_parameters) {
    const sim_launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    const uint8_t params[12] = {0};
    sim_launch_result result;
    ck_assert_int_eq(
        sim_launch_kernel(f.engine, f.function, &config, params, sizeof params, &result, &f.err),
        SIM_INVALID_VALUE);
    ck_assert_str_eq(f.err.text, "12 bytes of parameters: add_one takes 20");
}

KL_TEST(results_are_right) {
    sim_launch_result result;
    OK(launch(8, 128, N, &result));
    float values[N];
    OK(sim_memory_read(f.engine, values, f.y, sizeof values, &f.err));
    for (int i = 0; i < N; i++) ck_assert_float_eq(values[i], (float)i + 1);
    ck_assert_double_gt(result.time_us, 0);
}

// 1000 of 1024 threads: 31 full warps and one of 8 lanes; 4 sectors a full warp's access, 1 for the
// last.
KL_TEST(counts_are_exact) {
    sim_launch_result result;
    sim_launch_report *report;
    OK(launch(8, 128, N, &result));
    OK(sim_launch_report_get(f.engine, result.index, &report, &f.err));
    const uint64_t *value = report->totals.value;
    ck_assert_uint_eq(value[SIM_COUNTER_GLOBAL_LD_REQUESTS], 32);
    ck_assert_uint_eq(value[SIM_COUNTER_GLOBAL_LD_SECTORS], 31 * 4 + 1);
    ck_assert_uint_eq(value[SIM_COUNTER_GLOBAL_ST_SECTORS], 31 * 4 + 1);
    ck_assert_uint_eq(value[SIM_COUNTER_BRANCHES], 32);
    ck_assert_uint_eq(value[SIM_COUNTER_BRANCHES_DIVERGENT], 1);
    ck_assert_uint_eq(value[SIM_COUNTER_FOOTPRINT_READ], N * 4);
    ck_assert_uint_eq(report->line_count, 4);
    ck_assert_uint_eq(report->lines[2].line, 12);
    ck_assert_uint_eq(report->lines[2].counters.value[SIM_COUNTER_GLOBAL_LD_REQUESTS], 32);
    ck_assert_str_eq(report->files[report->lines[2].file], "add_one.cu");
    sim_launch_report_free(report);
}

// What is not wanted is not counted, and does not change what is counted behind it.
KL_TEST(counting_can_be_left_out) {
    enum { LAUNCHES = 3 }; // counted, not counted, counted
    sim_launch_report *reports[LAUNCHES];
    sim_launch_result result;
    float values[N];
    for (int i = 0; i < LAUNCHES; i++) {
        sim_engine_count(f.engine, i != 1);
        sim_caches_forget(f.engine, &f.err);
        OK(sim_memory_fill(f.engine, f.y, 0, 4, N, &f.err));
        OK(launch(8, 128, N, &result));
        OK(sim_memory_read(f.engine, values, f.y, sizeof values, &f.err));
        for (int k = 0; k < N; k++) ck_assert_float_eq(values[k], (float)k + 1);
        OK(sim_launch_report_get(f.engine, result.index, &reports[i], &f.err));
    }
    ck_assert_int_eq(reports[1]->mode, SIM_MODE_FUNCTIONAL);
    ck_assert_uint_eq(reports[1]->totals.value[SIM_COUNTER_GLOBAL_LD_REQUESTS], 0);
    ck_assert_uint_eq(reports[1]->totals.value[SIM_COUNTER_INST],
                      reports[0]->totals.value[SIM_COUNTER_INST]);
    ck_assert_int_eq(reports[2]->mode, SIM_MODE_COUNT);
    ck_assert_mem_eq(&reports[2]->totals, &reports[0]->totals, sizeof reports[0]->totals);
    ck_assert_double_eq(reports[2]->time_us, reports[0]->time_us);
    for (int i = 0; i < LAUNCHES; i++) sim_launch_report_free(reports[i]);
}

// Without a model of caches: what the judge of answers asks for is counted as ever.
KL_TEST(without_caches_the_rest_is_counted) {
    uint64_t values[2][SIM_COUNTER_COUNT];
    sim_launch_result result;
    for (int uncached = 0; uncached < 2; uncached++) {
        sim_launch_report *report = NULL;
        close_engine();
        open_with(uncached);
        OK(launch(8, 128, N, &result));
        OK(sim_launch_report_get(f.engine, 0, &report, &f.err));
        memcpy(values[uncached], report->totals.value, sizeof values[uncached]);
        ck_assert_double_gt(report->time_us, 0);
        sim_launch_report_free(report);
    }
    static const sim_counter same[] = {SIM_COUNTER_INST, SIM_COUNTER_FOOTPRINT_READ,
                                       SIM_COUNTER_GLOBAL_LD_SECTORS,
                                       SIM_COUNTER_GLOBAL_ST_SECTORS};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        ck_assert_uint_gt(values[0][same[i]], 0);
        ck_assert_uint_eq(values[0][same[i]], values[1][same[i]]);
    }
    ck_assert_uint_gt(values[0][SIM_COUNTER_DRAM_READ], 0);
    ck_assert_uint_lt(values[1][SIM_COUNTER_DRAM_READ], values[0][SIM_COUNTER_DRAM_READ]);
}

// Launches share SIM_LIMIT_INSTRUCTIONS: two fit, the third does not, and without the limit all do.
KL_TEST(launches_share_a_limit) {
    sim_launch_result result;
    OK(launch(8, 128, N, &result));
    uint64_t once = result.warp_instructions;
    ck_assert_uint_gt(once, 0);
    OK(sim_limit_set(f.engine, SIM_LIMIT_INSTRUCTIONS, 2 * once + once / 2, &f.err));
    OK(launch(8, 128, N, &result));
    OK(launch(8, 128, N, &result));
    ck_assert_int_eq(launch(8, 128, N, &result), SIM_RUNAWAY);
    ck_assert_int_eq(launch(8, 128, N, &result), SIM_RUNAWAY); // nothing is left
    OK(sim_limit_set(f.engine, SIM_LIMIT_INSTRUCTIONS, 0, &f.err));
    OK(launch(8, 128, N, &result));
    // That of a judge's call is another one, which the program's does not lift.
    OK(sim_call_begin(f.engine, once + once / 2, &f.err));
    OK(launch(8, 128, N, &result));
    OK(sim_limit_set(f.engine, SIM_LIMIT_INSTRUCTIONS, 0, &f.err));
    ck_assert_int_eq(launch(8, 128, N, &result), SIM_RUNAWAY);
    OK(sim_call_begin(f.engine, 0, &f.err));
    OK(launch(8, 128, N, &result));
}

// What an engine tells somebody who waits is all that it has executed, whatever blocks end in one
// go.
KL_TEST(progress_is_complete) {
    sim_progress progress = {0, 0};
    sim_options options = {.mode = SIM_MODE_COUNT, .memory_bytes = 64 << 20, .progress = &progress};
    sim_launch_result result;
    sim_engine *engine;
    const fixture kept = f;
    OK(sim_engine_open_local(&options, &engine, &f.err));
    f.engine = engine;
    OK(sim_module_load(engine, add_one_ptx, sizeof add_one_ptx, &f.module, &f.err));
    OK(sim_function_find(engine, f.module, "add_one", &f.function, &f.err));
    OK(sim_memory_alloc(engine, N * 4, &f.x, &f.err));
    OK(sim_memory_alloc(engine, N * 4, &f.y, &f.err));
    OK(launch(8, 128, N, &result));
    ck_assert_uint_eq(progress.launches, 1);
    ck_assert_uint_eq(progress.warp_instructions, result.warp_instructions);
    OK(launch(2, 128, 200, &result));
    ck_assert_uint_gt(progress.warp_instructions, result.warp_instructions);
    sim_engine_close(engine);
    f = kept;
}

KL_TEST(faults_name_the_line) {
    sim_launch_result result;
    ck_assert_int_eq(launch(9, 128, N + 100, &result), SIM_ILLEGAL_ADDRESS);
    ck_assert_uint_eq(result.fault.line, 12);
    ck_assert_str_eq(result.fault.kernel, "add_one");
    ck_assert_uint_eq(result.fault.address, f.x + N * 4);
}

// Names as their authors wrote them, where that is all there is to them; others as they are.
KL_TEST(faults_name_the_kernel) {
    static const char *const names[][2] = {{"_Z4workILi2EEvPf", "work"},
                                           {"_ZL3runv", "run"},
                                           {"_ZN1a4workEv", "_ZN1a4workEv"},
                                           {"_Z9x", "_Z9x"},
                                           {"_Z", "_Z"},
                                           {"plain", "plain"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char ptx[512], end[64];
        sim_launch_result result;
        sim_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        snprintf(ptx, sizeof ptx,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry %s()\n{\n"
                 "  .reg .b32 %%r<2>;\n  .reg .b64 %%rd<2>;\n  mov.u32 %%r1, 1;\n"
                 "  mov.u64 %%rd1, 64;\n  st.global.u32 [%%rd1], %%r1;\n  ret;\n}\n",
                 names[i][0]);
        snprintf(end, sizeof end, " of block (0,0,0) of %s", names[i][1]);
        close_engine();
        open_engine();
        OK(sim_module_load(f.engine, ptx, sizeof ptx, &f.module, &f.err));
        OK(sim_function_find(f.engine, f.module, names[i][0], &f.function, &f.err));
        ck_assert_int_eq(sim_launch_kernel(f.engine, f.function, &config, NULL, 0, &result, &f.err),
                         SIM_ILLEGAL_ADDRESS);
        const char *found = strstr(result.fault.text, " of block");
        ck_assert_ptr_nonnull(found);
        ck_assert_str_eq(found, end);
    }
}

KL_TEST(configuration_mistakes_run_nothing) {
    sim_launch_result result;
    uint32_t count;
    ck_assert_int_ne(launch(1, 1025, N, &result), SIM_OK);
    ck_assert_int_ne(launch(0, 32, N, &result), SIM_OK);
    OK(sim_launch_count(f.engine, &count, &f.err));
    ck_assert_uint_eq(count, 0);
}

KL_TEST(variables_are_placed_and_initialised) {
    uint64_t address, bytes;
    uint32_t value = 0;
    OK(sim_symbol_find(f.engine, f.module, "touched", &address, &bytes, &f.err));
    ck_assert_uint_eq(bytes, 4);
    OK(sim_memory_read(f.engine, &value, address, 4, &f.err));
    ck_assert_uint_eq(value, 7);
    ck_assert_int_eq(sim_symbol_find(f.engine, f.module, "nothing", &address, &bytes, &f.err),
                     SIM_NOT_FOUND);
}

KL_TEST(bad_images_are_refused) {
    sim_module_handle module;
    ck_assert_int_ne(sim_module_load(f.engine, "no image", 8, &module, &f.err), SIM_OK);
    static const char wrong[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                ".visible .entry k()\n{\n  add.u32 %r1, 1, 2;\n  ret;\n}\n";
    ck_assert_int_eq(sim_module_load(f.engine, wrong, sizeof wrong, &module, &f.err), SIM_BAD_PTX);
}

static const char with_unknown[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                   ".visible .entry fine()\n{\n  ret;\n}\n"
                                   ".visible .entry k(.param .u64 p)\n{\n"
                                   "  frobnicate.u32 1;\n  ret;\n}\n";

KL_TEST(an_unknown_instruction_costs_its_kernel) {
    sim_module_handle module;
    sim_function_handle function;
    sim_function_info info;
    sim_launch_result result;
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    uint64_t param = 0;
    OK(sim_module_load(f.engine, with_unknown, sizeof with_unknown, &module, &f.err));
    OK(sim_function_find(f.engine, module, "fine", &function, &f.err));
    OK(sim_launch_kernel(f.engine, function, &config, NULL, 0, &result, &f.err));
    OK(sim_function_find(f.engine, module, "k", &function, &f.err));
    OK(sim_function_query(f.engine, function, &info, &f.err));
    ck_assert_uint_eq(info.param_count, 1);
    ck_assert_int_eq(sim_launch_kernel(f.engine, function, &config, &param, 8, &result, &f.err),
                     SIM_UNSUPPORTED);
    KL_HAS(f.err.text, "line 10, column 3", "  frobnicate.u32 1;\n  ^");
}

KL_TEST(a_strict_engine_refuses_the_module) {
    const sim_options options = {.memory_bytes = 64 << 20, .strict = true};
    sim_engine *engine;
    sim_module_handle module;
    OK(sim_engine_open_local(&options, &engine, &f.err));
    ck_assert_int_eq(sim_module_load(engine, with_unknown, sizeof with_unknown, &module, &f.err),
                     SIM_UNSUPPORTED);
    KL_HAS(f.err.text, "frobnicate");
    sim_engine_close(engine);
}

// Two containers in one image, as a program built with -rdc has them: one kernel calls the other
// file's function. Between them one without PTX, as a file without device code leaves it.
KL_TEST(linked_images_see_each_other) {
    static const char caller[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                                 ".extern .func (.param .u32 r) seven();\n"
                                 ".visible .entry k(.param .u64 out) {\n"
                                 "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                                 "  { .param .u32 got; call.uni (got), seven, ();\n"
                                 "    ld.param.u32 %r1, [got]; }\n"
                                 "  ld.param.u64 %rd1, [out];\n"
                                 "  st.global.u32 [%rd1], %r1; ret; }\n";
    static const char callee[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                                 ".visible .func (.param .u32 r) seven() {\n"
                                 "  st.param.u32 [r], 7; ret; }\n";
    test_entry entries[] = {
        {.kind = 1, .arch = 90, .payload = caller, .payload_bytes = sizeof caller},
        {.kind = 1, .arch = 90, .payload = callee, .payload_bytes = sizeof callee}};
    test_bytes image = {0};
    build_container(&image, &entries[0], 1);
    build_container(&image, NULL, 0);
    build_container(&image, &entries[1], 1);
    sim_module_handle module;
    sim_function_handle function;
    OK_OR_SAY(sim_module_load(f.engine, image.data, image.count, &module, &f.err), f.err);
    OK(sim_function_find(f.engine, module, "k", &function, &f.err));
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    sim_launch_result result;
    OK(sim_launch_kernel(f.engine, function, &config, &f.y, 8, &result, &f.err));
    uint32_t got = 0;
    OK(sim_memory_read(f.engine, &got, f.y, sizeof got, &f.err));
    ck_assert_uint_eq(got, 7);
    bytes_free(&image);
}

// nvcc -dlto leaves intermediate code in place of PTX, -enable-tile that of tile kernels.
KL_TEST(other_code_is_refused) {
    const struct {
        uint16_t kind;
        const char *named;
    } rows[] = {{8, "-dlto"}, {128, "tile kernel"}};
    for (int i = 0; i < 2; i++) {
        const test_entry entry = {
            .kind = rows[i].kind, .arch = 90, .payload = "BC", .payload_bytes = 2};
        test_bytes image = {0};
        build_container(&image, &entry, 1);
        sim_module_handle module;
        f.err = (kl_error){0};
        ck_assert_int_eq(sim_module_load(f.engine, image.data, image.count, &module, &f.err),
                         SIM_NO_IMAGE);
        KL_HAS(f.err.text, rows[i].named);
        bytes_free(&image);
    }
}

// Reads and adds one to its own engine's memory, again and again; `result`: whether all was right.
typedef struct user {
    pthread_t thread;
    sim_mode mode;
    float first;
    bool result;
} user;

static bool use_engine(const user *u, sim_engine *engine) {
    sim_module_handle module;
    sim_function_handle function;
    uint64_t address;
    float values[N];
    if (sim_module_load(engine, add_one_ptx, sizeof add_one_ptx, &module, NULL) != SIM_OK ||
        sim_function_find(engine, module, "add_one", &function, NULL) != SIM_OK ||
        sim_memory_alloc(engine, sizeof values, &address, NULL) != SIM_OK)
        return false;
    for (int i = 0; i < N; i++) values[i] = u->first + (float)i;
    if (sim_memory_write(engine, address, values, sizeof values, NULL) != SIM_OK) return false;
    struct {
        uint64_t x, y;
        uint32_t n;
    } params = {address, address, N};
    sim_launch_config config = {.grid = {8, 1, 1}, .block = {128, 1, 1}};
    for (int round = 0; round < 20; round++) {
        sim_launch_result result;
        if (sim_launch_kernel(engine, function, &config, &params, 20, &result, NULL) != SIM_OK ||
            result.index != (uint32_t)round)
            return false;
    }
    if (sim_memory_read(engine, values, address, sizeof values, NULL) != SIM_OK) return false;
    for (int i = 0; i < N; i++)
        if (values[i] != u->first + (float)(i + 20)) return false;
    return true;
}

static void *run_user(void *context) {
    user *u = context;
    sim_options options = {.mode = u->mode, .threads = 2, .memory_bytes = 16 << 20};
    sim_engine *engine = NULL;
    if (sim_engine_open_local(&options, &engine, NULL) == SIM_OK) u->result = use_engine(u, engine);
    sim_engine_close(engine);
    return NULL;
}

KL_TEST(engines_do_not_meet) {
    user users[3] = {{.mode = SIM_MODE_COUNT, .first = 0},
                     {.mode = SIM_MODE_FUNCTIONAL, .first = 1000},
                     {.mode = SIM_MODE_CHECK, .first = 5000}};
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&users[i].thread, NULL, run_user, &users[i]), 0);
    for (int i = 0; i < 3; i++) pthread_join(users[i].thread, NULL);
    for (int i = 0; i < 3; i++) ck_assert_msg(users[i].result, "engine %d went wrong", i);
}

KL_TEST(kernels_are_listed) {
    sim_function_handle function;
    OK(sim_module_kernel(f.engine, f.module, 0, &function, &f.err));
    ck_assert_uint_eq(function, f.function);
    ck_assert_int_eq(sim_module_kernel(f.engine, f.module, 1, &function, NULL), SIM_NOT_FOUND);
    ck_assert_int_eq(sim_module_kernel(f.engine, 77, 0, &function, NULL), SIM_INVALID_HANDLE);
}

// Who reads a wrong value wants to know which thread wrote it: thread 1 of block 1 has element 257.
KL_TEST(a_watch_names_the_last_thread) {
    sim_launch_result result;
    uint64_t block = 7;
    uint32_t thread = 7;
    bool written = true;
    ck_assert_int_eq(sim_last_write_get(f.engine, f.y, &written, &block, &thread, NULL),
                     SIM_INVALID_VALUE); // nobody watches
    OK(sim_writes_watch(f.engine, f.y, 4 * 300, &f.err));
    OK(launch(2, 256, 258, &result));
    OK(sim_last_write_get(f.engine, f.y + 4 * 257, &written, &block, &thread, NULL));
    ck_assert(written);
    ck_assert_uint_eq(block, 1);
    ck_assert_uint_eq(thread, 1);
    OK(sim_last_write_get(f.engine, f.y + 4 * 258, &written, &block, &thread, NULL));
    ck_assert(!written);
    ck_assert_int_eq(sim_last_write_get(f.engine, f.y + 4 * 300, &written, &block, &thread, NULL),
                     SIM_INVALID_VALUE); // beyond the range
    OK(sim_writes_watch(f.engine, 0, 0, &f.err));
    OK(launch(2, 256, 258, &result));
}

// A bulk copy has no lanes with registers: it is of the thread that began it.
KL_TEST(a_watch_names_who_began_a_bulk_copy) {
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry put(.param .u64 p_y)\n{\n"
        "  .reg .pred %p<2>;\n  .reg .b32 %r<3>;\n  .reg .b64 %rd<3>;\n"
        "  .shared .align 16 .b8 tile[16];\n"
        "  ld.param.u64 %rd1, [p_y];\n  mov.u32 %r1, %tid.x;\n"
        "  setp.eq.u32 %p1, %r1, 35;\n  mov.u32 %r2, tile;\n  st.shared.u32 [%r2], %r1;\n"
        "  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;\n"
        "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n  ret;\n}\n";
    sim_module_handle module;
    sim_function_handle put;
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    sim_launch_result result;
    uint64_t block = 7;
    uint32_t thread = 7;
    bool written = false;
    OK(sim_module_load(f.engine, ptx, sizeof ptx, &module, &f.err));
    OK(sim_function_find(f.engine, module, "put", &put, &f.err));
    OK(sim_writes_watch(f.engine, f.y, 32, &f.err));
    OK_OR_SAY(sim_launch_kernel(f.engine, put, &config, &f.y, 8, &result, &f.err), f.err);
    OK(sim_last_write_get(f.engine, f.y + 12, &written, &block, &thread, NULL));
    ck_assert(written);
    ck_assert_uint_eq(block, 0);
    ck_assert_uint_eq(thread, 35);
}

// What kernels wrote in a call is told from what others did; what was given is not the program's.
KL_TEST(a_judge_sees_who_wrote) {
    sim_options options = {.mode = SIM_MODE_COUNT, .memory_bytes = 64 << 20, .judged = true};
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle function;
    uint64_t x, y, nobody, fill, host, earlier, kernel, sent, moves, moved;
    float values[N] = {0};
    char *text = NULL;
    OK(sim_engine_open_local(&options, &engine, NULL));
    OK(sim_module_load(engine, add_one_ptx, sizeof add_one_ptx, &module, NULL));
    OK(sim_function_find(engine, module, "add_one", &function, NULL));
    OK(sim_given_alloc(engine, sizeof values, &x, NULL));
    OK(sim_given_alloc(engine, sizeof values, &y, NULL));
    ck_assert_int_eq(sim_memory_free(engine, x, NULL), SIM_INVALID_VALUE);
    OK(sim_memory_write(engine, x, values, sizeof values, NULL));
    OK(sim_given_renew(engine, x, sizeof values, NULL));
    OK(sim_call_begin(engine, 0, NULL));
    struct {
        uint64_t x, y;
        uint32_t n;
    } params = {x, y, N / 2};
    sim_launch_config config = {.grid = {4, 1, 1}, .block = {256, 1, 1}};
    sim_launch_result result;
    OK(sim_launch_kernel(engine, function, &config, &params, 20, &result, NULL));
    OK(sim_memory_fill(engine, y + 2 * N, 0, 4, 10, NULL));
    OK(sim_memory_write(engine, y + 3 * N, values, 100, NULL));
    OK(sim_memory_read(engine, values, x, 12, NULL));
    OK(sim_take_output(engine, &text, NULL));
    free(text);
    OK(sim_memory_copy_rows(engine, y + 64, 64, y, 64, 64, 1, NULL));
    // Rows are one move, whatever their number.
    OK(sim_memory_fill_rows(engine, y + 3200, 64, 0, 4, 2, 4, NULL));
    OK(sim_memory_copy_rows(engine, y + 3840, 32, y + 3520, 64, 8, 3, NULL));
    ck_assert_int_eq(sim_memory_fill_rows(engine, y, 7, 0, 4, 2, 4, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_memory_copy_rows(engine, y, 8, y, 4, 8, 2, NULL), SIM_INVALID_VALUE);
    OK(sim_call_end(engine, &sent, &moves, &moved, NULL));
    ck_assert_uint_eq(sent, 12);
    ck_assert_uint_eq(moves, 2 + 2);
    ck_assert_uint_eq(moved, 40 + 2 * 64 + 4 * 8 + 2 * 3 * 8);
    OK(sim_writers_get(engine, y, sizeof values, &nobody, &fill, &host, &earlier, &kernel, NULL));
    ck_assert_uint_eq(kernel, 2 * N);
    ck_assert_uint_eq(fill, 40 + 4 * 8 + 3 * 8); // copies of what nobody wrote, too
    ck_assert_uint_eq(host, 100);
    ck_assert_uint_eq(nobody, 2 * N - 140 - 7 * 8);
    OK(sim_call_begin(engine, 0, NULL));
    OK(sim_writers_get(engine, y, sizeof values, &nobody, &fill, &host, &earlier, &kernel, NULL));
    ck_assert_uint_eq(earlier, 2 * N);
    ck_assert_uint_eq(kernel, 0);
    OK(sim_writers_get(engine, x, sizeof values, &nobody, &fill, &host, &earlier, &kernel, NULL));
    ck_assert_uint_eq(nobody, sizeof values);
    ck_assert_int_eq(sim_memory_fill_rows(engine, y, 8, 0, 4, 2, UINT64_MAX, NULL),
                     SIM_INVALID_VALUE); // ends where the memory does
    OK(sim_given_free(engine, y, NULL));
    sim_engine_close(engine);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which take more themselves
KL_FIXTURE(NULL, NULL)                                              // no other engine

// A login node's limit on address space costs memory of the device, not the engine; a judge's notes
// on who wrote have room.
KL_TEST(a_limit_on_address_space) {
    struct rlimit space, limited;
    sim_options options = {.mode = SIM_MODE_COUNT, .judged = true};
    sim_engine *engine;
    kl_error err;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &space), 0);
    limited = space;
    if (limited.rlim_cur > UINT64_C(6) << 30) limited.rlim_cur = UINT64_C(6) << 30;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limited), 0);
    OK_OR_SAY(sim_engine_open_local(&options, &engine, &err), err);
    sim_engine_close(engine);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &space), 0);
}
#endif

KL_TEST_MAIN("engine")
