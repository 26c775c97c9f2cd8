// Latencies of the tables, and warps over time.
#include "machine/machine.h"
#include "suite.h"
#include "support/run.h"

// ---- latencies ----
// Protects the one table of latencies (machine/constants.def): a chain of dependent instructions
// costs what its row says in the bounds, in the cycle-level model, and on the clock that the kernel
// itself reads. The last two agree to within a twentieth.

enum { CHAINED = 64, RESULTS = 8, MOST_THREADS = 1024 };

// p_x: 64-bit words. A thread's clock before and after the chain goes to two words behind the first
// [RESULTS].
static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p_x)\n{\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<8>;\n  .reg .f32 %f<8>;\n  .reg .f64 %fd<4>;\n"
    "  .reg .b64 %rd<10>;\n  .shared .align 8 .b64 word[512];\n"
    "  ld.param.u64 %rd1, [p_x];\n  cvta.to.global.u64 %rd2, %rd1;\n  mov.u32 %r1, 0;\n"
    "  mov.f32 %f1, 0f3F800000;\n  mov.f32 %f2, %f1;\n  mov.f32 %f3, %f1;\n  mov.f32 %f4, %f1;\n"
    "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd3, %r2, 4;\n  mov.u64 %rd4, word;\n"
    "  add.s64 %rd5, %rd4, %rd3;\n  mov.f64 %fd1, 0d3FF0000000000000;\n"
    "  mov.f64 %fd2, %fd1;\n  mov.f64 %fd3, %fd1;\n  mov.u32 %r4, %r1;\n  mov.u32 %r5, %r1;\n"
    "  mov.u32 %r6, %r1;\n  mov.u32 %r7, %r1;\n"
    "  mov.u64 %rd6, 0;\n  mov.u64 %rd7, 0;\n  st.shared.u64 [word], %rd4;\n  bar.sync 0;\n"
    "  mul.wide.u32 %rd8, %r2, 16;\n  add.s64 %rd8, %rd2, %rd8;\n";
static const char tail[] =
    "  st.global.u64 [%rd8+64], %rd6;\n  st.global.u64 [%rd8+72], %rd7;\n"
    "  st.global.f32 [%rd2+16], %f1;\n  st.global.f64 [%rd2+24], %fd1;\n"
    "  st.global.u32 [%rd2+32], %r1;\n  st.global.u64 [%rd2+40], %rd4;\n  ret;\n}\n";

typedef struct run {
    double clock, model, bound; // cycles of one warp
} run;

// The chain is `times` instructions, rounds of it in a loop; 0: without a loop.
static run launch(const char *card, const char *instruction, uint32_t warps, uint32_t times,
                  uint32_t rounds, bool clocked) {
    static char text[1 << 16];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s", head,
                                   clocked ? "  mov.u64 %rd6, %clock64;\n" : "");
    if (rounds) used += (size_t)sprintf(text + used, "  mov.u32 %%r3, %u;\nNEXT:\n", rounds);
    for (uint32_t i = 0; i < times; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  %s\n", instruction);
    if (rounds)
        used += (size_t)sprintf(text + used, "  sub.s32 %%r3, %%r3, 1;\n"
                                             "  setp.ne.s32 %%p1, %%r3, 0;\n  @%%p1 bra NEXT;\n");
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                             clocked ? "  mov.u64 %rd7, %clock64;\n" : "", tail);
    const sim_device *device = sim_device_find(card);
    sim_options options = {
        .device = card, .mode = SIM_MODE_COUNT, .threads = 1, .memory_bytes = 16 << 20};
    static int64_t shown[RESULTS + 2 * MOST_THREADS];
    test_engine o = engine_open(options, text, sizeof shown);
    sim_launch_report *report = engine_report(&o, "k", 1, 32 * warps);
    OK(sim_memory_read(o.engine, shown, o.x, sizeof shown, NULL));
    int64_t first = shown[RESULTS], last = 0;
    for (uint32_t w = 0; w < warps; w++) {
        const int64_t *clock = &shown[RESULTS + 2 * 32 * w];
        if (clock[0] < first) first = clock[0];
        if (clock[1] > last) last = clock[1];
    }
    run r = {.clock = (double)(last - first),
             .model = (report->time_us - device->kernel_us) * device->clock_mhz};
    for (int i = 0; i < SIM_TIME_BOUNDS; i++)
        if (report->bounds[i].kind == SIM_BOUND_LATENCY)
            r.bound = report->bounds[i].time_us * device->clock_mhz;
    return r;
}

// Of one instruction of the chain: what twice as many take longer.
static run cycles_of(const char *instruction) {
    run clocked = launch("h200", instruction, 1, CHAINED, 0, true),
        clocked2 = launch("h200", instruction, 1, 2 * CHAINED, 0, true);
    run plain = launch("h200", instruction, 1, CHAINED, 0, false),
        plain2 = launch("h200", instruction, 1, 2 * CHAINED, 0, false);
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

KL_TEST_ROWS(a_latency_comes_from_one_place, sizeof rows / sizeof rows[0]) {
    run r = cycles_of(rows[_i].instruction);
    double bound = _i == 0 ? sim_device_find("h200")->alu_latency_cycles : *rows[_i].latency;
    ck_near(r.bound, bound, 1e-6);
    ck_near(r.model, *rows[_i].latency, 0.05 * *rows[_i].latency);
    ck_near(r.clock, r.model, 0.05 * r.model);
}

KL_TEST(a_barriers_cost_comes_from_there_too) {
    run r = cycles_of("bar.sync 0;");
    double barrier = machine_constant.barrier + machine_constant.arrival;
    ck_near(r.bound, barrier + 1, 1e-6);
    ck_near(r.model, barrier, 1);
    ck_near(r.clock, r.model, 1);
}

// Warps of a block take schedulers, pipes and the load/store unit from each other, on the clock as
// in the launch's time. off: a larger share than a twentieth by which they may differ, and why.
static const struct {
    const char *instruction;
    double off;
} together[] = {
    {"fma.rn.f32 %f1, %f1, %f2, %f3;", 0},
    {"xor.b32 %r1, %r1, %r2;", 0.07}, // the loop's sum and comparison
    {"mad.lo.u32 %r1, %r1, %r2, %r4;", 0},
    {"rsqrt.approx.ftz.f32 %f1, %f1;", 0.25}, // 4 warps per scheduler lose a quarter in the launch
    {"fma.rn.f64 %fd1, %fd1, %fd2, %fd3;", 0.08},      // as xor, of warps that wait for each other
    {"shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", 0.06}, // windows of the load/store unit
    {"ld.shared.u64 %rd4, [%rd4];", 0},
    {"atom.shared.add.u32 %r1, [%rd5], %r1;", 0},
    {"bar.sync 0;", 0.1}, // when the SM takes the first arrival
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r4,%r5,%r6}, "
     "{%r7,%r2}, {%f1,%f2,%f3,%f4};",
     0.32}, // 8 warps per scheduler lose a third in the launch
};

KL_TEST_ROWS(a_clock_and_its_launch_agree, sizeof together / sizeof together[0]) {
    static const char *const cards[] = {"h200", "h100"};
    enum { TIMES = 32, ROUNDS = 32 };
    for (uint32_t warps = 1; warps <= 32; warps *= 2)
        for (int c = 0; c < 2; c++) {
            run all = launch(cards[c], together[_i].instruction, warps, TIMES, 2 * ROUNDS, true),
                half = launch(cards[c], together[_i].instruction, warps, TIMES, ROUNDS, true);
            double clock = (all.clock - half.clock) / TIMES / ROUNDS;
            double model = (all.model - half.model) / TIMES / ROUNDS;
            ck_assert_msg(fabs(clock - model) <= fmax(0.05, together[_i].off) * model,
                          "%u warps, %s: %.2f by the clock, %.2f by the launch", warps, cards[c],
                          clock, model);
        }
}

// ---- timeline ----
// Protects timelines: what they show must be what the warps did in the cycle-level model, from
// which the launch's time comes, too, whatever the number of host threads. Kernels are written so
// that what a warp waits for is known beforehand.

// x: [ELEMS] floats. in_turn: four loads far apart, each used before the next; together: all four,
// then their uses; again: in_turn with one place; meet: warp 0 counts to 100 before the barrier,
// the others wait there; endless_enough: long, nothing but arithmetic; roots: seven square roots
// that do not wait for each other; sums: seven sums likewise, and nothing else.
#define HEAD(name)                                                                                 \
    ".visible .entry " name "(.param .u64 p_x)\n"                                                  \
    "{\n"                                                                                          \
    "  .reg .pred %p<2>;\n  .reg .b32 %r<8>;\n  .reg .f32 %f<9>;\n  .reg .b64 %rd<6>;\n"           \
    "  ld.param.u64 %rd1, [p_x];\n  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n"             \
    "  mov.u32 %r3, %tid.x;\n  mad.lo.s32 %r4, %r1, %r2, %r3;\n"                                   \
    "  cvta.to.global.u64 %rd2, %rd1;\n  mul.wide.s32 %rd3, %r4, 4;\n"                             \
    "  add.s64 %rd4, %rd2, %rd3;\n"
#define LOAD(to)          LOAD_AT(to, "0")
#define LOAD_AT(to, byte) "  ld.global.f32 " to ", [%rd4+" byte "];\n"
#define USE(what)                                                                                  \
    "  cvt.rzi.s32.f32 %r5, " what ";\n  mul.wide.s32 %rd5, %r5, 0;\n  add.s64 %rd4, %rd4, %rd5;\n"
#define ROOT(to) "  rsqrt.approx.ftz.f32 " to ", %f1;\n"
#define SUM(to)  "  add.f32 " to ", 0f3F800000, 0f3F800000;\n"
#define STORE    "  st.global.f32 [%rd4], %f1;\n  ret;\n}\n"
#define COUNT_TO(label, last)                                                                      \
    "  mov.u32 %r6, 0;\n" label ":\n  add.s32 %r6, %r6, 1;\n  setp.lt.s32 %p1, %r6, " last ";\n"   \
    "  @%p1 bra " label ";\n"

#define SUMS                                                                                       \
    ".visible .entry sums(.param .u64 p_x)\n{\n  .reg .f32 %f<9>;\n" SUM("%f2") SUM("%f3")         \
        SUM("%f4") SUM("%f5") SUM("%f6") SUM("%f7") SUM("%f8") "  ret;\n}\n"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" SUMS // one module
    HEAD("in_turn") LOAD("%f1") USE("%f1") LOAD_AT("%f1", "65536") USE("%f1")
        LOAD_AT("%f1", "131072") USE("%f1") LOAD_AT("%f1", "196608") USE("%f1")
            STORE HEAD("together") LOAD("%f1") LOAD_AT("%f2", "65536") LOAD_AT("%f3", "131072")
                LOAD_AT("%f4", "196608") USE("%f1") USE("%f2") USE("%f3") USE("%f4")
                    STORE HEAD("again") LOAD("%f1") USE("%f1") LOAD("%f1") USE("%f1") LOAD("%f1")
                        USE("%f1") LOAD("%f1") USE("%f1") STORE HEAD("meet")
                            LOAD("%f1") "  setp.ge.s32 %p1, %r3, 32;\n  @%p1 bra WAIT;\n" //
    COUNT_TO("SLOW", "100") "WAIT:\n  bar.sync 0;\n" STORE                                //
        HEAD("endless_enough") LOAD("%f1") COUNT_TO("LONG", "20000") STORE                //
            HEAD("roots") "  cvt.rn.f32.s32 %f1, %r3;\n" ROOT("%f2") ROOT("%f3") ROOT("%f4")
                ROOT("%f5") ROOT("%f6") ROOT("%f7") ROOT("%f8") "  ret;\n}\n";

enum { ELEMS = 1 << 17, TIMELINES = 2 };

static test_engine open_engine_of(const char *device, uint32_t threads) {
    sim_options options = {.device = device,
                           .mode = SIM_MODE_COUNT,
                           .threads = threads,
                           .memory_bytes = 64 << 20,
                           .timelines = TIMELINES};
    test_engine o = engine_open(options, ptx, ELEMS * 4);
    OK(sim_caches_forget(o.engine, NULL));
    return o;
}

static test_engine open_engine(uint32_t threads) { return open_engine_of(NULL, threads); }

static sim_launch_report *launch_alone(const char *kernel, uint32_t blocks, uint32_t threads) {
    test_engine o = open_engine(1);
    sim_launch_report *report = engine_report(&o, kernel, blocks, threads);
    ck_assert_ptr_nonnull(report->timeline);
    return report;
}

// Cycles of all rows in a phase; each row's spans must add up to the timeline.
static uint64_t cycles_in(const sim_timeline *t, sim_warp_phase phase) {
    uint64_t sum = 0;
    for (uint32_t r = 0; r < t->row_count; r++) {
        uint32_t cycles[SIM_PHASE_COUNT], all = 0;
        sim_timeline_count(&t->rows[r], 0, t->cycles, cycles);
        for (int i = 0; i < SIM_PHASE_COUNT; i++) all += cycles[i];
        ck_assert_uint_eq(all, t->cycles);
        sum += cycles[phase];
    }
    return sum;
}

KL_TEST(a_whole_block_is_shown) {
    sim_launch_report *report = launch_alone("in_turn", 1, 100); // 4 warps
    const sim_timeline *t = report->timeline;
    ck_assert_uint_eq(t->row_count, 4);
    ck_assert_uint_eq(t->blocks, 1);
    ck_assert(!t->cut);
    // Of its 26 instructions of PTX a warp issues 16: the index, the address, four times a load,
    // its conversion and the next address (product and sum in one), the store and the end.
    ck_assert_uint_eq(report->totals.value[SIM_COUNTER_INST], 4 * 26);
    ck_assert_uint_eq(cycles_in(t, SIM_PHASE_ISSUE), 4 * 16);
}

// Of a load of a whole line from device memory, in an L2 that is full of stores.
static uint64_t memory_cycles(void) {
    const sim_device *device = sim_device_find(NULL);
    double further = machine_constant.dram_sector_latency + machine_constant.evict_sector_latency;
    return (uint64_t)(device->dram_latency_ns * device->clock_mhz * 1e-3 +
                      machine_constant.evict_latency + (4 - 1) * further);
}

static const struct {
    const char *kernel;
    uint32_t blocks, threads;
} waves[] = {{"in_turn", 1, 100}, {"in_turn", 264, 256}, {"together", 64, 1024}, {"meet", 132, 96},
             {"meet", 300, 256},  {"again", 2, 64},      {"roots", 264, 1024},   {"roots", 7, 33}};

KL_TEST(states_add_up_to_each_warps_life) {
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        sim_launch_report *report =
            launch_alone(waves[i].kernel, waves[i].blocks, waves[i].threads);
        const sim_timeline *t = report->timeline;
        for (uint32_t r = 0; r < t->row_count; r++) {
            uint32_t cycles[SIM_PHASE_COUNT], lived = 0;
            sim_timeline_count(&t->rows[r], 0, t->cycles, cycles);
            for (int p = SIM_PHASE_ABSENT + 1; p < SIM_PHASE_COUNT; p++) lived += cycles[p];
            ck_assert_uint_eq(lived, t->rows[r].lived);
            ck_assert_uint_gt(lived, 0);
        }
    }
}

// The launch's fixed cost lies outside of the SM's time.
KL_TEST(a_wave_ends_at_the_launchs_time) {
    const sim_device *device = sim_device_find(NULL);
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        sim_launch_report *report =
            launch_alone(waves[i].kernel, waves[i].blocks, waves[i].threads);
        double cycles = (report->time_us - device->kernel_us) * device->clock_mhz;
        ck_assert(!report->timeline->cut);
        ck_assert_double_ge(report->timeline->cycles, cycles - 1e-6);
        ck_assert_double_lt(report->timeline->cycles, cycles + 1 - 1e-6);
    }
}

// Their times are the analytical model's, which has no cycles.
KL_TEST(cards_without_the_model_have_none) {
    static const char *const devices[] = {"a100", "rtx4060", "k40", "gtx8800"};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        test_engine o = open_engine_of(devices[i], 1);
        sim_launch_report *report = engine_report(&o, "in_turn", 1, 32);
        ck_assert(!sim_report_has_sm_time(report));
        ck_assert_ptr_null(report->timeline);
    }
}

// Three loads of four wait for the load/store unit and the L1, in whole cycles, but not in the one
// in which they are issued.
KL_TEST(what_lies_in_the_l1_is_soon_there) {
    double hit = machine_constant.l1_load + machine_constant.l1_latency;
    sim_launch_report *report = launch_alone("again", 1, 32);
    const sim_timeline_row *row = &report->timeline->rows[0];
    uint32_t first = 0;
    while (row->spans[first].phase != SIM_PHASE_MEMORY) first++;
    uint64_t far = row->spans[first].cycles;
    ck_assert_uint_ge(far, memory_cycles() - 10);
    ck_assert_uint_lt(far, memory_cycles() + 100);
    ck_assert_uint_eq(cycles_in(report->timeline, SIM_PHASE_MEMORY) - far,
                      3 * (uint64_t)(ceil(hit) - 1));
}

KL_TEST(independent_loads_wait_together) {
    sim_launch_report *in_turn = launch_alone("in_turn", 1, 32);
    sim_launch_report *together = launch_alone("together", 1, 32);
    uint64_t four = cycles_in(in_turn->timeline, SIM_PHASE_MEMORY);
    uint64_t one = cycles_in(together->timeline, SIM_PHASE_MEMORY);
    uint64_t latency = memory_cycles();
    ck_assert_uint_ge(one, latency - 10);
    ck_assert_uint_lt(one, latency + 100);
    ck_assert_uint_ge(four, 4 * latency - 40);
    ck_assert_uint_lt(four, 4 * latency + 400);
    ck_assert_double_gt(together->timeline->in_flight, 2 * in_turn->timeline->in_flight);
}

KL_TEST(warps_wait_at_a_barrier_for_the_last) {
    sim_launch_report *report = launch_alone("meet", 1, 96);
    const sim_timeline *t = report->timeline;
    uint32_t cycles[SIM_PHASE_COUNT], others[SIM_PHASE_COUNT];
    sim_timeline_count(&t->rows[0], 0, t->cycles, cycles);
    sim_timeline_count(&t->rows[2], 0, t->cycles, others);
    ck_assert_uint_ge(cycles[SIM_PHASE_ISSUE], 300); // three instructions per iteration of its loop
    ck_assert_uint_ge(others[SIM_PHASE_BARRIER], 300);
    ck_assert_uint_lt(cycles[SIM_PHASE_BARRIER], 50); // it comes last: only the barrier's own time
}

// Alone, a warp is always the one that is selected: it waits for the pipe that it keeps busy. Eight
// on a scheduler wait for the pipe far longer than until they are selected. Floats have two pipes,
// of which one is always free.
KL_TEST(a_busy_pipe_is_not_readiness) {
    const sim_device *device = sim_device_find(NULL);
    uint64_t each = (uint64_t)(1 / device->xu_rate + 0.5);
    sim_launch_report *one = launch_alone("roots", 1, 32);
    ck_assert_uint_eq(cycles_in(one->timeline, SIM_PHASE_READY), 0);
    ck_assert_uint_ge(cycles_in(one->timeline, SIM_PHASE_PIPE), 6 * (each - 1));
    ck_assert_uint_lt(cycles_in(one->timeline, SIM_PHASE_PIPE), 10 * each);
    sim_launch_report *many = launch_alone("roots", 1, 1024);
    uint64_t pipe = cycles_in(many->timeline, SIM_PHASE_PIPE);
    ck_assert_uint_gt(pipe, 4 * cycles_in(many->timeline, SIM_PHASE_READY));
    ck_assert_uint_gt(pipe, 6 * 32 * 7 * (each - 1) / 2); // most of seven iterations of the others
    sim_launch_report *none = launch_alone("sums", 1, 1024);
    ck_assert_uint_eq(cycles_in(none->timeline, SIM_PHASE_PIPE), 0);
    ck_assert_uint_gt(cycles_in(none->timeline, SIM_PHASE_READY), 0);
}

KL_TEST(what_is_longer_is_cut) {
    sim_launch_report *report = launch_alone("endless_enough", 1, 32);
    ck_assert(report->timeline->cut);
    ck_assert_uint_eq(report->timeline->cycles, SIM_TIMELINE_CYCLES);
    ck_assert_uint_eq(cycles_in(report->timeline, SIM_PHASE_BARRIER), 0);
}

// 8 blocks of 256 threads fill an SM of 64 warps; the others of its blocks follow as places become
// free.
KL_TEST(a_full_sm_takes_its_blocks_in_turn) {
    sim_launch_report *report = launch_alone("in_turn", 132 * 12, 32);
    ck_assert_uint_eq(report->timeline->blocks, 12);
    ck_assert_uint_eq(report->timeline->row_count, 12); // of 32 places for blocks
    report = launch_alone("together", 256, 256);
    ck_assert_uint_eq(report->timeline->row_count, 16); // blocks 0 and 132 are all that SM 0 gets
    ck_assert(!report->timeline->cut);
}

KL_TEST(host_threads_change_nothing) {
    test_engine one = open_engine(1), four = open_engine(4);
    sim_launch_report *a = engine_report(&one, "meet", 256, 256),
                      *b = engine_report(&four, "meet", 256, 256);
    ck_assert_uint_eq(a->timeline->cycles, b->timeline->cycles);
    ck_assert_uint_eq(a->timeline->row_count, b->timeline->row_count);
    for (uint32_t r = 0; r < a->timeline->row_count; r++) {
        const sim_timeline_row *x = &a->timeline->rows[r], *y = &b->timeline->rows[r];
        ck_assert_uint_eq(x->count, y->count);
        ck_assert_mem_eq(x->spans, y->spans, x->count * sizeof *x->spans);
    }
}

KL_TEST(only_the_first_launches_have_one) {
    test_engine o = open_engine(1);
    for (int i = 0; i < TIMELINES + 1; i++) {
        sim_launch_report *report = engine_report(&o, "together", 1, 32);
        ck_assert_int_eq(report->timeline != NULL, i < TIMELINES);
    }
}

KL_TEST_MAIN("timing")
