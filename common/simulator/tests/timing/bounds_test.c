// Protects the bounds of a launch's time: what warps wait for, which resource takes longest, and
// what is special about a few warps, a short launch and scattered stores.
#include "suite.h"
#include "support/run.h"
#include "timing/bounds/bounds.h"

static const sim_device *device;
static double latency; // of device memory, in cycles

static void set_up(void) {
    device = sim_device_find(NULL);
    latency = device->dram_latency_ns * device->clock_mhz * 1e-3;
}
KL_FIXTURE(set_up, NULL)

// An instruction that writes `dst` from `src`; SIM_NO_SLOT: none.
static sim_instr instr_of(uint16_t op, uint32_t dst, uint32_t src) {
    sim_instr made = {.op = op, .type = PTX_F32, .guard = SIM_NO_SLOT};
    if (op == SIM_OP_LD || op == SIM_OP_ST) made = memory_instr(op, PTX_SPACE_GLOBAL);
    for (int i = 0; i < 4; i++) made.src[i] = SIM_NO_SLOT;
    made.dst = dst, made.dst2 = SIM_NO_SLOT, made.src[0] = src;
    return made;
}

static sim_instr branch_to(uint32_t target) {
    sim_instr made = instr_of(SIM_OP_BRA, SIM_NO_SLOT, SIM_NO_SLOT);
    made.guard = 256, made.target = target;
    return made;
}

static double serial_cycles(const sim_bounds_code *code) {
    return sim_bounds_serial_cycles(device, code);
}

static sim_launch_report launch_of(uint32_t blocks, uint32_t threads) {
    sim_launch_report report = {.config = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}};
    sim_occupancy_compute(device, threads, 32, 0, &report.occupancy);
    return report;
}

// Of a launch whose counts say all.
static void find_bounds(sim_launch_report *report) {
    const sim_program program = {0};
    const sim_recorded result = {0};
    sim_bounds_find(device, &program, &result, NULL, NULL, report);
}

// Two loads and two adds: independent loads wait together in any order, since ptxas reorders; a
// barrier between them, or an address that comes from the first load, makes them wait in iteration.
KL_TEST(waiting_overlaps_independent_loads) {
    sim_instr a = instr_of(SIM_OP_LD, 0, SIM_NO_SLOT), b = instr_of(SIM_OP_LD, 128, SIM_NO_SLOT);
    sim_instr chased = instr_of(SIM_OP_LD, 128, 0);
    sim_instr use_a = instr_of(SIM_OP_ADD, 256, 0), use_b = instr_of(SIM_OP_ADD, 384, 128);
    sim_instr barrier = instr_of(SIM_OP_BAR, SIM_NO_SLOT, SIM_NO_SLOT);
    sim_raw_counts counts[5] = {
        {.executed = 1}, {.executed = 1}, {.executed = 1}, {.executed = 1}, {.executed = 1}};
    sim_instr in_iteration[] = {a, use_a, b, use_b}, together[] = {a, b, use_a, use_b};
    sim_instr fenced[] = {a, use_a, barrier, b, use_b}, dependent[] = {a, use_a, chased, use_b};
    sim_function function = {.code = in_iteration, .code_count = 4};
    const sim_bounds_code code = {&function, 0, NULL, counts, NULL, 1, NULL, NULL};
    ck_assert_double_le(serial_cycles(&code), 1.1 * latency);
    function.code = together;
    ck_assert_double_le(serial_cycles(&code), 1.1 * latency);
    function.code = dependent;
    ck_assert_double_ge(serial_cycles(&code), 2 * latency);
    function.code = fenced, function.code_count = 5;
    ck_assert_double_ge(serial_cycles(&code), 2 * latency);
}

// A loop around one load: ptxas unrolls it and has several loads under way, unless `#pragma unroll
// 1` forbids it or each iteration stores what the next one's load may read.
KL_TEST(a_rolled_loop_waits_every_iteration) {
    sim_instr load = instr_of(SIM_OP_LD, 0, SIM_NO_SLOT), use = instr_of(SIM_OP_ADD, 128, 0);
    sim_instr back = branch_to(0), store = instr_of(SIM_OP_ST, SIM_NO_SLOT, SIM_NO_SLOT);
    store.src[1] = 128;
    sim_instr loop[] = {load, use, back}, storing[] = {load, use, store, back};
    sim_raw_counts counts[4] = {{.executed = 8}, {.executed = 8}, {.executed = 8}, {.executed = 8}};
    sim_function function = {.code = loop, .code_count = 3};
    const sim_bounds_code code = {&function, 0, NULL, counts, NULL, 1, NULL, NULL};
    ck_assert_double_le(serial_cycles(&code), 4 * latency);
    loop[0].nounroll = 1;
    ck_assert_double_ge(serial_cycles(&code), 8 * latency);
    function.code = storing, function.code_count = 4;
    ck_assert_double_ge(serial_cycles(&code), 8 * latency);
    storing[0].mods |= SIM_MOD_NC;
    ck_assert_double_le(serial_cycles(&code), 4 * latency);
}

// Turns that ptxas puts into one wait together, but no more of them than the loop has.
KL_TEST(a_short_loop_waits_for_all_its_iterations) {
    sim_instr loop[] = {instr_of(SIM_OP_ADD, 512, SIM_NO_SLOT), instr_of(SIM_OP_LD, 0, SIM_NO_SLOT),
                        instr_of(SIM_OP_ADD, 128, 0), branch_to(1)};
    loop[1].jumped_to = 1;
    sim_function function = {.code = loop, .code_count = 4};
    static const struct {
        uint64_t iterations;
        double latencies; // of 10 entries
    } rows[] = {{1, 10}, {2, 10}, {4, 10}, {8, 20}, {40, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t n = 10 * rows[i].iterations;
        sim_raw_counts counts[4] = {
            {.executed = 10}, {.executed = n}, {.executed = n}, {.executed = n}};
        const sim_bounds_code code = {&function, 0, NULL, counts, NULL, 1, NULL, NULL};
        ck_assert_double_eq_tol(serial_cycles(&code), rows[i].latencies * latency,
                                0.02 * rows[i].latencies * latency);
    }
}

// val[k] * x[col[k]]: iterations wait together, but a warp that is alone has no more than four
// chains under way, whether the loop's code has one of them or four.
KL_TEST(a_lone_warp_has_four_chains_under_way) {
    enum { CHAINS = 4, EACH = 3 };
    for (uint32_t chains = 1; chains <= CHAINS; chains += CHAINS - 1) {
        sim_instr loop[CHAINS * EACH + 1];
        sim_raw_counts counts[CHAINS * EACH + 1];
        uint32_t length = chains * EACH + 1;
        for (uint32_t pc = 0; pc < length; pc++) {
            uint32_t before = pc % EACH ? 128 * (pc - 1) : SIM_NO_SLOT; // the instruction's result
            loop[pc] = instr_of(pc % EACH < 2 ? SIM_OP_LD : SIM_OP_ADD, 128 * pc, before);
            counts[pc] = (sim_raw_counts){.executed = 8 / chains};
        }
        loop[length - 1] = branch_to(0);
        loop[length - 1].guard = 128 * CHAINS * EACH;
        sim_function function = {.code = loop, .code_count = length};
        const sim_bounds_code any = {&function, 0, NULL, counts, NULL, 1, NULL, NULL};
        const sim_bounds_code alone = {&function, 0, NULL, counts, counts, 1, NULL, NULL};
        ck_assert_double_eq_tol(serial_cycles(&alone), 2 * 2 * latency, 0.1 * latency);
        ck_assert_double_eq_tol(serial_cycles(&any), 2 * 2 * latency / chains, 0.1 * latency);
    }
}

// One load that finds seven of eight sectors in the L1, half of the others in the L2.
KL_TEST(caches_shorten_the_wait) {
    sim_instr loads[] = {instr_of(SIM_OP_LD, 0, SIM_NO_SLOT), instr_of(SIM_OP_ADD, 128, 0)};
    sim_raw_counts counts[2] = {{.executed = 1}, {.executed = 1}};
    sim_function function = {.code = loads, .code_count = 2};
    sim_cache_site site = {
        .site = sim_trace_site(3, 0),
        .counts = {.l1_sectors = 160, .l1_hits = 140, .l1_reads = 20, .dram_reads = 10}};
    sim_cache_result cache = {.sites = &site, .site_count = 1};
    const sim_bounds_code code = {&function, 3, &cache, counts, NULL, 1, NULL, NULL};
    const sim_bounds_code other = {&function, 2, &cache, counts, NULL, 1, NULL, NULL};
    double shorter = (14 * 40 + device->l2_latency_ns * device->clock_mhz * 1e-3 + latency) / 16;
    ck_assert_double_eq_tol(serial_cycles(&code), shorter, 10);
    ck_assert_double_ge(serial_cycles(&other), latency);
}

// A branch over code that no warp came to: cycles are those of a walk over all of it, whatever is
// in flight before it, at the first time and when the walk knows what is in flight behind it.
KL_TEST(unvisited_code_is_passed_over) {
    enum { BRANCH = 1, JOIN = 5, COUNT = 7 };
    sim_instr code[COUNT];
    sim_raw_counts counts[COUNT] = {0};
    for (uint32_t pc = 0; pc < COUNT; pc++) {
        bool loads = pc == 0 || pc == 2;
        code[pc] = instr_of(loads ? SIM_OP_LD : SIM_OP_ADD, 128 * pc, SIM_NO_SLOT);
        if (pc == BRANCH || pc == 4) code[pc] = branch_to(JOIN);
        if (pc == BRANCH || pc == 4) code[pc].guard = pc == BRANCH ? 2048 : SIM_NO_SLOT;
        counts[pc].executed = pc < 2 || pc >= JOIN ? 8 : 0;
    }
    code[3].src[0] = 0;      // of the first load
    code[JOIN].src[0] = 256; // of the one that no warp came to
    code[JOIN + 1].src[0] = 0;
    code[JOIN].jumped_to = 1;
    uint64_t ran[1] = {1 << 0 | 1 << BRANCH | 1 << JOIN | 1 << (JOIN + 1)};
    sim_function function = {.code = code, .code_count = COUNT};
    sim_cache_site site = {.site = sim_trace_site(0, 0),
                           .counts = {.l1_sectors = 8, .l1_hits = 8, .l1_reads = 0}};
    sim_cache_result cache = {.sites = &site, .site_count = 1};
    sim_bounds_unvisited *kept = sim_bounds_unvisited_new();
    ck_assert_ptr_nonnull(kept);
    double cycles[2];
    for (uint32_t round = 0; round < 6; round++) { // nothing of the load hits in odd ones
        const sim_cache_result *found = round & 1 ? NULL : &cache;
        sim_bounds_code whole = {&function, 0, found, counts, NULL, 1, NULL, NULL}, part = whole;
        part.ran = ran;
        part.unvisited = kept;
        cycles[round & 1] = serial_cycles(&part);
        ck_assert_double_eq(cycles[round & 1], serial_cycles(&whole));
    }
    ck_assert_double_ne(cycles[1], cycles[0]);
    sim_bounds_unvisited_free(kept);
}

KL_TEST(the_largest_bound_wins) {
    sim_launch_report report = launch_of(1320, 256);
    report.totals.value[SIM_COUNTER_DRAM_READ] = UINT64_C(3099000000); // a millisecond of DRAM
    report.totals.value[SIM_COUNTER_INST] = 1000;
    find_bounds(&report);
    ck_assert_int_eq(report.bounds[0].kind, SIM_BOUND_DRAM);
    ck_assert_double_eq_tol(report.time_us, 1000 + device->kernel_us, 1);
    for (int i = 1; i < SIM_TIME_BOUNDS; i++)
        ck_assert_double_ge(report.bounds[i - 1].time_us, report.bounds[i].time_us);
    sim_bounds_explain(device, &report);
    KL_HAS(report.explanation, "dram bound");
}

// By the modelled time, which need not be that of the bounds.
KL_TEST(launch_bound_is_what_ends_at_once) {
    sim_launch_report report = launch_of(1, 32);
    report.totals.value[SIM_COUNTER_DRAM_READ] = 310000; // 0.1 us
    find_bounds(&report);
    sim_bounds_explain(device, &report);
    KL_HAS(report.explanation, "launch bound");
    report.time_us = 10 * device->kernel_us;
    sim_bounds_explain(device, &report);
    ck_assert_ptr_null(strstr(report.explanation, "launch bound"));
}

// 32 lanes at 32 addresses of constant memory: measured on an H100, 64 cycles of an SM.
KL_TEST(places_in_constant_memory_bound_the_time) {
    sim_launch_report report = launch_of(1320, 256);
    sim_instr load = memory_instr(SIM_OP_LD, PTX_SPACE_CONST), named = load;
    sim_raw_counts raw = {.executed = 1320000, .requests = 1320000, .wavefronts = 32 * 1320000};
    named.named = 1;
    sim_counters_fold(&named, &raw, &report.totals); // an operand: no iterations
    ck_assert_uint_eq(report.totals.value[SIM_COUNTER_CONSTANT_LD_TURNS], 0);
    sim_counters_fold(&load, &raw, &report.totals);
    find_bounds(&report);
    ck_assert_int_eq(report.bounds[0].kind, SIM_BOUND_CONSTANT);
    ck_assert_double_eq_tol(report.bounds[0].time_us, 640000.0 / device->clock_mhz, 0.01);
}

// Warps wait as long as the busiest resource works: some of that is waiting in queues, and comes on
// top.
KL_TEST(waiting_and_work_of_a_size_add_up) {
    sim_launch_report report = launch_of(1320, 256);
    report.totals.value[SIM_COUNTER_DRAM_READ] = UINT64_C(309900000); // 100 us
    find_bounds(&report);
    ck_assert_double_eq_tol(report.time_us, 100 + device->kernel_us, 0.1); // nobody waits
    double bank_cycles = 132 * 100 * device->clock_mhz;                    // 100 us of 132 SMs
    report.totals.value[SIM_COUNTER_SHARED_LD_CONFLICTS] = (uint64_t)bank_cycles;
    find_bounds(&report);
    ck_assert_double_eq_tol(report.time_us, 141.4 + device->kernel_us, 0.5);
    sim_bounds_explain(device, &report);
    KL_HAS(report.explanation, ", then ");
}

// A launch of 132 warps of which one goes on: it lasts as long as that one alone. Without a sample
// its instructions take as long as all do on average, here a cycle.
KL_TEST(one_long_warp_bounds_the_time) {
    enum { LONG = 1000000, WARPS = 132 };
    sim_launch_report report = launch_of(WARPS, 32);
    sim_instr add = instr_of(SIM_OP_ADD, SIM_NO_SLOT, SIM_NO_SLOT);
    sim_function function = {.code = &add, .code_count = 1};
    sim_raw_counts counts = {.executed = LONG + WARPS - 1};
    sim_function_counts all = {.by_pc = &counts};
    sim_program program = {.functions = &function, .function_count = 1};
    sim_recorded result = {.counts = &all,
                           .function_count = 1,
                           .warp_instructions = counts.executed,
                           .longest = {.executed = LONG, .held = counts.executed}};
    sim_bounds_find(device, &program, &result, NULL, NULL, &report);
    double alone_us = (sim_bounds_start_cycles + LONG) / device->clock_mhz;
    ck_assert_int_eq(report.bounds[0].kind, SIM_BOUND_LONGEST);
    ck_assert_double_eq_tol(report.bounds[0].time_us, alone_us, 1e-6);
    ck_assert_double_eq_tol(report.time_us, alone_us + device->kernel_us, 1e-6);
    sim_bounds_explain(device, &report);
    KL_HAS(report.explanation, "longest bound");
    result.longest.executed = counts.executed / WARPS; // all are alike
    sim_bounds_find(device, &program, &result, NULL, NULL, &report);
    ck_assert_double_lt(report.time_us, device->kernel_us + 0.02 * alone_us);
    for (int i = 0; i < SIM_TIME_BOUNDS; i++)
        if (report.bounds[i].kind == SIM_BOUND_LONGEST)
            ck_assert_double_eq(report.bounds[i].time_us, 0);
}

// The longest warp's own lines are where the cache model found them: half in the L1, a quarter in
// the L2, a quarter in device memory. A iteration of its loop lasts as long as that on average, and
// a cycle.
KL_TEST(the_longest_warp_waits_for_its_own_lines) {
    enum { ITERATIONS = 1000000, WARPS = 132 };
    sim_launch_report report = launch_of(WARPS, 32);
    sim_instr loop[] = {instr_of(SIM_OP_LD, 0, SIM_NO_SLOT), instr_of(SIM_OP_ADD, 128, 0),
                        branch_to(0)};
    loop[0].nounroll = 1;
    sim_function function = {.code = loop, .code_count = 3};
    sim_raw_counts launch[3] = {{.executed = 2 * ITERATIONS, .requests = 1000},
                                {.executed = 2 * ITERATIONS},
                                {.executed = 2 * ITERATIONS}};
    sim_raw_counts sample[3] = {{.executed = 100}, {.executed = 100}, {.executed = 100}};
    sim_function_counts all = {.by_pc = launch};
    sim_program program = {.functions = &function, .function_count = 1};
    uint64_t instructions = 6 * ITERATIONS;
    sim_recorded result = {.counts = &all,
                           .function_count = 1,
                           .warp_instructions = instructions,
                           .longest = {.executed = 3 * ITERATIONS,
                                       .held = instructions,
                                       .function = &function,
                                       .sampled = 300,
                                       .counts = sample}};
    sim_cache_site site = {.site = sim_trace_site(0, 0),
                           .counts = {.l1_sectors = 1000, .l1_hits = 1000},
                           .lines = 1000,
                           .longest = {.all = 400, .past_l1 = 200, .in_dram = 100}};
    sim_cache_result cache = {.sites = &site, .site_count = 1, .scale = 1};
    sim_bounds_find(device, &program, &result, &cache, NULL, &report);
    double a_ns = device->clock_mhz * 1e-3;
    double iteration =
        (2 * 40 + device->l2_latency_ns * a_ns + device->dram_latency_ns * a_ns) / 4 + 1;
    ck_assert_int_eq(report.bounds[0].kind, SIM_BOUND_LONGEST);
    ck_assert_double_eq_tol(report.bounds[0].time_us,
                            (sim_bounds_start_cycles + ITERATIONS * iteration) / device->clock_mhz,
                            0.01);
    site.lines = 2000; // two lines a request: the farther of both
    sim_bounds_find(device, &program, &result, &cache, NULL, &report);
    iteration =
        (40 + 5 * device->l2_latency_ns * a_ns / 4 + 7 * device->dram_latency_ns * a_ns / 4) / 4 +
        1;
    ck_assert_double_eq_tol(report.bounds[0].time_us,
                            (sim_bounds_start_cycles + ITERATIONS * iteration) / device->clock_mhz,
                            0.01);
}

// Columns written a word at a time: as many bytes as rows, and several times the time.
KL_TEST(scattered_stores_bound_the_time) {
    sim_launch_report report = launch_of(1320, 256);
    report.totals.value[SIM_COUNTER_GLOBAL_ST_SECTORS] = 1 << 24;
    report.totals.value[SIM_COUNTER_FOOTPRINT_WRITE] = 1 << 26;
    report.totals.value[SIM_COUNTER_L1_WRITES] = 1 << 24;
    report.totals.value[SIM_COUNTER_L1_WRITE_LINES] = 1 << 22; // four sectors per line
    find_bounds(&report);
    double whole = report.time_us;
    report.totals.value[SIM_COUNTER_L1_WRITE_LINES] = 1 << 24; // one
    find_bounds(&report);
    ck_assert_int_eq(report.bounds[0].kind, SIM_BOUND_STORES);
    ck_assert_double_gt(report.time_us, 2 * whole);
}

KL_TEST_MAIN("time bounds")
