// The engine: launches of kernels, machine code, occupancy, devices.
#include <cuda_occupancy.h>

#include "suite.h"
#include "support/run.h"

// ---- children ----
// Protects launches from kernels as the engine reports them: a report each, whose kernel it was,
// the time and instructions of all together, and that host threads change nothing of it.

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
    OK(sim_engine_open_local(&options, &engine, &err));
    OK_OR_SAY(sim_module_load(engine, ptx, sizeof ptx, &module, &err), err);
    OK(sim_function_find(engine, module, "parent", &parent, &err));
    OK(sim_memory_alloc(engine, 4, &params.sum, &err));
    OK(sim_memory_write(engine, params.sum, &zero, 4, &err));
    OK_OR_SAY(sim_launch_kernel(engine, parent, &config, &params, sizeof params, &got.result, &err),
              err);
    OK(sim_memory_read(engine, &got.sum, params.sum, 4, &err));
    OK(sim_launch_count(engine, &got.launches, &err));
    for (uint32_t i = 0; i < got.launches; i++) {
        sim_launch_report *report;
        OK(sim_launch_report_get(engine, i, &report, &err));
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

KL_TEST(each_launch_has_a_report) {
    outcome got = run(2, 0);
    ck_assert_uint_eq(got.result.index, 0);
    ck_assert_uint_eq(got.launches, 1 + CHILDREN);
    ck_assert_uint_eq(got.sum, CHILDREN * 64);
    ck_assert_uint_eq(got.result.warp_instructions, got.instructions);
    ck_assert_str_eq(got.result.note, "");
}

// 4 blocks launch 8 grids each into streams of their own; tail launches run one by one.
KL_TEST(streams_overlap_and_tail_launches_do_not) {
    outcome free = run(2, 4), null = run(2, 0), tail = run(2, 3);
    ck_assert_double_gt(free.result.time_us, free.first_us + free.longest_us);
    ck_assert_double_gt(null.result.time_us, null.first_us + 7 * null.longest_us);
    ck_assert_double_lt(null.result.time_us, null.first_us + 32 * null.longest_us);
    ck_assert_double_gt(tail.result.time_us, tail.first_us + 31 * tail.longest_us);
    ck_assert_double_lt(free.result.time_us, null.result.time_us);
    ck_assert_double_lt(null.result.time_us, tail.result.time_us);
}

KL_TEST(host_threads_change_nothing) {
    outcome one = run(1, 0), many = run(7, 0);
    ck_assert_uint_eq(one.sum, many.sum);
    ck_assert_uint_eq(one.launches, many.launches);
    ck_assert_uint_eq(one.instructions, many.instructions);
    ck_assert_double_eq(one.result.time_us, many.result.time_us);
}

// A stream that the grid has not created: nothing runs, and the note says so.
KL_TEST(what_nobody_asks_for_is_noted) {
    outcome got = run(2, 0x5555);
    ck_assert_uint_eq(got.launches, 1);
    ck_assert_uint_eq(got.sum, 0);
    KL_HAS(got.result.note,
           "launch of child from parent, line 0: "
           "cudaErrorInvalidValue: its stream 0x5555",
           "\n32 launches from kernels failed in all");
}

// ---- code ----
// Protects the code of a launch in its report: each PTX instruction with its text, its source line
// and what it did, only for as many launches as were asked for.

// Threads below 40 of a block of 64 store; one instruction stands on two lines of text.
static const char ptx_code[] = ".version 8.0\n"
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

KL_TEST(instructions_have_text_line_and_counts) {
    const sim_options options = {
        .mode = SIM_MODE_COUNT, .threads = 1, .memory_bytes = 1 << 20, .codes = 1};
    test_engine o = engine_open(options, ptx_code, 40 * 4);
    sim_launch_report *report = engine_report(&o, "some", 1, 64), *second;
    second = engine_report(&o, "some", 1, 64);
    ck_assert_ptr_null(second->code); // one was asked for
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
    // Old reports lose their files, and with them the code that names lines of them.
    for (int i = 0; i < 1100; i++) engine_launch(&o, "some", 1, 64);
    OK(sim_launch_report_get(o.engine, 0, &report, NULL));
    ck_assert_uint_eq(report->file_count, 0);
    ck_assert_ptr_null(report->code);
    sim_launch_report_free(report);
}

// ---- occupancy ----
// Occupancy against NVIDIA's own calculation: every row from compute capability 3.0 on against
// cuda_occupancy.h of the toolkit, over many launches; the older rules against published examples.

static cudaOccDeviceProp properties_of(const sim_device *d) {
    cudaOccDeviceProp p;
    memset(&p, 0, sizeof p);
    p.computeMajor = (int)d->compute_major;
    p.computeMinor = (int)d->compute_minor;
    p.maxThreadsPerBlock = (int)d->threads_per_block;
    p.maxThreadsPerMultiprocessor = (int)d->threads_per_sm;
    p.regsPerBlock = (int)d->registers_per_block;
    p.regsPerMultiprocessor = (int)d->registers_per_sm;
    p.warpSize = 32;
    p.sharedMemPerBlock = d->shared_bytes_per_block;
    p.sharedMemPerMultiprocessor = d->shared_bytes_per_sm;
    p.sharedMemPerBlockOptin = d->shared_bytes_per_block_optin;
    p.reservedSharedMemPerBlock = d->shared_reserved_bytes;
    p.numSms = (int)d->sm_count;
    return p;
}

// Blocks per SM as the toolkit's header says it; -1: it knows no such device.
static int blocks_by_header(const sim_device *d, uint32_t threads, uint32_t registers,
                            uint32_t shared_bytes, uint32_t barriers) {
    cudaOccDeviceProp properties = properties_of(d);
    cudaOccFuncAttributes attributes;
    cudaOccDeviceState state;
    cudaOccResult result;
    memset(&attributes, 0, sizeof attributes);
    memset(&state, 0, sizeof state);
    attributes.maxThreadsPerBlock = (int)d->threads_per_block;
    attributes.numRegs = (int)registers;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = d->shared_bytes_per_block_optin;
    attributes.numBlockBarriers = (int)barriers;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                (int)threads, shared_bytes) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

static int compare(const sim_device *d) {
    static const uint32_t threads[] = {1,   31,  32,  33,  64,  96,  128, 192, 256, 288,
                                       320, 384, 448, 512, 640, 672, 768, 800, 992, 1024};
    static const uint32_t kib_quarters[] = {0, 1, 3, 8, 16, 31, 40, 64, 100, 130, 190};
    int compared = 0;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (uint32_t registers = 8; registers <= d->registers_per_thread; registers += 3)
            for (size_t s = 0; s < sizeof kib_quarters / sizeof *kib_quarters; s++) {
                uint32_t shared = 256 * kib_quarters[s], barriers = 1 + (registers / 3) % 2;
                sim_occupancy got;
                if (shared > d->shared_bytes_per_block_optin) continue;
                sim_occupancy_compute(d, threads[t], registers, shared, &got);
                sim_occupancy_limit_barriers(d, threads[t], barriers, &got);
                int want = blocks_by_header(d, threads[t], registers, shared, barriers);
                ck_assert_msg(
                    (int)got.blocks_per_sm == want,
                    "%s: %u threads, %u registers, %u bytes, %u barriers: %u blocks, not %d", d->id,
                    threads[t], registers, shared, barriers, got.blocks_per_sm, want);
                compared++;
            }
    return compared;
}

KL_TEST(rows_agree_with_the_toolkit) {
    static const char *const ids[] = {"h100", "h200", "a100", "rtx4060", "k40"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        ck_assert_int_gt(compare(sim_device_find(ids[i])), 10000);
}

// Launches worked out by hand.
KL_TEST(launches_of_a_k40) {
    const sim_device *d = sim_device_find("k40");
    static const struct {
        uint32_t threads, registers, shared_bytes, blocks;
    } rows[] = {
        {256, 32, 0, 8},     // all 64 warps
        {256, 33, 0, 6},     // 33 x 32 = 1056 -> 1280 a warp: 51 -> 48 warps
        {64, 8, 0, 16},      // 16 blocks of an SM
        {128, 16, 12288, 4}, // 48 KB
        {1024, 64, 0, 1},    // 65536 registers
        {128, 37, 3000, 12}, // 37 x 32 = 1184 -> 1280: 51 -> 48 warps; 3072 bytes: 16
        {32, 255, 0, 8},     // 8160 -> 8192 a warp
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_occupancy got;
        sim_occupancy_compute(d, rows[i].threads, rows[i].registers, rows[i].shared_bytes, &got);
        ck_assert_msg(got.blocks_per_sm == rows[i].blocks, "row %zu: %u", i, got.blocks_per_sm);
    }
}

// "If each block has 16 x 16 threads and each thread uses 10 registers, how many threads can run on
// each SM?" Three blocks; with one register more two, a third less. (A lecture on the G80; the
// paper on the matrix-vector product says the same of 16 registers: two blocks.)
KL_TEST(the_register_cliff_of_the_g80) {
    const sim_device *d = sim_device_find("gtx8800");
    static const uint32_t rows[][2] = {{10, 3}, {11, 2}, {16, 2}, {17, 1}, {32, 1}, {33, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_occupancy got;
        sim_occupancy_compute(d, 256, rows[i][0], 0, &got);
        ck_assert_uint_eq(got.blocks_per_sm, rows[i][1]);
        ck_assert_int_eq(got.limiter, rows[i][0] == 10 ? SIM_LIMITER_WARPS : SIM_LIMITER_REGISTERS);
    }
}

// The occupancy calculator's window in the same lecture: compute capability 1.3, blocks of 4 warps,
// 25 registers, of which a block gets 3584; 4 blocks, 16 warps, 50 %, limited by registers.
KL_TEST(the_calculator_of_the_lecture) {
    const sim_device *d;
    kl_error err = {0};
    sim_occupancy got;
    OK(sim_device_from_text("like=gtx8800;name=of compute capability 1.3;"
                            "compute_minor=3;coalescing=2;warps_per_sm=32;"
                            "threads_per_sm=1024;registers_per_sm=16384;"
                            "registers_per_block=16384;register_unit=512",
                            &d, &err));
    sim_occupancy_compute(d, 128, 25, 1024, &got);
    ck_assert_uint_eq(got.blocks_per_sm, 4);
    ck_assert_uint_eq(got.warps_per_sm, 16);
    ck_assert_double_eq(got.fraction, 0.5);
    ck_assert_int_eq(got.limiter, SIM_LIMITER_REGISTERS);
    ck_assert_uint_eq(got.limit_registers, 4);
    ck_assert_uint_eq(got.limit_shared, 16);
    ck_assert_uint_eq(got.limit_blocks, 8);
}

// ---- devices ----
// Rows of device/devices.def: all of them in range, and those that validation/device_row.cu
// measured equal to what it printed on the card (device_row_ID.txt in validation/ID.tar.zst).

// The number that follows `key` in the text; fails when there is none.
static double number_after(const char *text, const char *key) {
    const char *at = strstr(text, key);
    ck_assert_msg(at, "device_row printed no %s", key);
    return strtod(at + strlen(key), NULL);
}

// Nanoseconds of a chase through so many bytes: " 8MiB=450 cycles (227 ns)".
static double chase_ns(const char *text, const char *key) {
    const char *at = strstr(text, key), *bracket = at ? strchr(at, '(') : NULL;
    ck_assert_msg(bracket, "device_row printed no %s", key);
    return strtod(bracket + 1, NULL);
}

static const sim_device *row(const char *id) {
    const sim_device *device = sim_device_find(id);
    ck_assert_msg(device, "no row %s", id);
    return device;
}

KL_TEST(every_row_is_whole) {
    char names[256], *rest = NULL;
    int rows = 0;
    snprintf(names, sizeof names, "%s", sim_device_names());
    for (char *id = strtok_r(names, ", ", &rest); id; id = strtok_r(NULL, ", ", &rest), rows++) {
        const sim_device *d = row(id);
        const struct {
            const char *name;
            double value, least, most;
        } fields[] = {
#define SIM_FIELD(type, field, least, most, what)                                                  \
    {#field,                                                                                       \
     _Generic((type *)0, sim_sizes * : 1.0, default                                                \
              : *(const type *)&d->field),                                                         \
     least, most},
#include "device/device_fields.def"
#undef SIM_FIELD
        };
        ck_assert_ptr_nonnull(d->name);
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            ck_assert_msg(fields[i].value >= fields[i].least && fields[i].value <= fields[i].most,
                          "%s: %s = %g", id, fields[i].name, fields[i].value);
    }
    ck_assert_int_eq(rows, 8);
    ck_assert_ptr_eq(sim_device_find(NULL), sim_device_find("h100"));
}

// Which rows have a file, and whether rates and latencies are the program's, too. (Those of the
// H100 are not: docs/validation.md.)
static const struct {
    const char *id;
    bool rates;
} measured[] = {
    {"h100", false},
    {"h200", true},
};

KL_TEST(rows_are_what_was_measured) {
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const sim_device *d = row(measured[i].id);
        char path[4096], text[8192], name[128];
        snprintf(path, sizeof path, TEST_BUILD_DIR "/common/validation/logs/device_row_%s.txt",
                 d->id);
        FILE *file = fopen(path, "r");
        ck_assert_msg(file, "no %s", path);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        ck_assert_int_eq(sscanf(text, "name=%127[^=]", name), 1);
        ck_assert_msg(strncmp(name, d->name, strlen(d->name)) == 0, "%s: %s", path, name);
        const struct {
            const char *key;
            double value;
            bool rate;
        } fields[] = {
            {"sm_count=", d->sm_count, false},
            {"clock_mhz=", d->clock_mhz, false},
            {"l2_bytes=", (double)d->l2_bytes, false},
            {"memory_bytes=", (double)d->memory_bytes, false},
            {"shared_sm=", d->shared_bytes_per_sm, false},
            {"shared_optin=", d->shared_bytes_per_block_optin, false},
            {"regs_sm=", d->registers_per_sm, false},
            {"memory_clock_khz=", d->memory_clock_mhz * 1e3, false},
            {"memory_bus_bits=", d->memory_bus_bits, false},
            {"read_gbs=", d->read_gbs, true},
            {"copy_gbs=", d->copy_gbs, true},
            {"l2_gbs=", d->l2_gbs, true},
            {"store_line_ns=", d->store_line_ns, true},
            {"store_sector_ns=", d->store_sector_ns, true},
            {"shared_latency_cycles=", d->shared_latency_cycles, false},
            {"launch_us=", d->launch_us, true},
            {" kernel_us=", d->kernel_us, true},
        };
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            if (fields[f].rate && !measured[i].rates) continue;
            ck_assert_msg(number_after(text, fields[f].key) == fields[f].value,
                          "%s: %s%g, but the row has %g", path, fields[f].key,
                          number_after(text, fields[f].key), fields[f].value);
        }
        if (!measured[i].rates) continue;
        // Half of the L2 is near each SM: 8 MiB lie in it for sure, a gigabyte in memory alone; its
        // pages are looked up, too, and the row has what 128 MiB take.
        ck_assert_double_eq(chase_ns(text, " 8MiB="), d->l2_latency_ns);
        ck_assert_double_ge(chase_ns(text, " 1024MiB="), d->dram_latency_ns);
        ck_assert_double_le(chase_ns(text, " 1024MiB="), 1.2 * d->dram_latency_ns);
    }
}

KL_TEST_MAIN("engine")
