// Protects the clocks that kernels read: they advance by what the instructions between two
// readings take, one warp after the other at barriers, they go on from launch to launch, they are
// the same in every mode and with any number of host threads, and nothing else changes by them.
#include "machine/machine.h"
#include "suite.h"
#include "support/run.h"

// p_x: [ELEMS] 64-bit words. Each kernel leaves what a clock showed before and after in words
// 2 tid and 2 tid + 1 behind the first 64.
#define HEAD(name)                                                                                 \
    ".visible .entry " name "(.param .u64 p_x)\n"                                                  \
    "{\n"                                                                                          \
    "  .reg .pred %p<3>;\n  .reg .b32 %r<10>;\n  .reg .f32 %f<4>;\n  .reg .b64 %rd<16>;\n"         \
    "  .shared .align 8 .b64 word[32];\n"                                                          \
    "  ld.param.u64 %rd1, [p_x];\n  cvta.to.global.u64 %rd2, %rd1;\n  mov.u32 %r3, %tid.x;\n"      \
    "  mov.f32 %f1, 0f3F800000;\n  mov.u64 %rd5, 0;\n"                                             \
    "  mul.wide.u32 %rd8, %r3, 16;\n  add.s64 %rd9, %rd2, %rd8;\n"
#define BEGIN "  mov.u64 %rd6, %clock64;\n"
#define END   "  mov.u64 %rd7, %clock64;\n"
#define TAIL                                                                                       \
    "  st.global.u64 [%rd9+512], %rd6;\n  st.global.u64 [%rd9+520], %rd7;\n"                       \
    "  st.global.f32 [%rd2+256], %f1;\n  st.global.u64 [%rd2+264], %rd5;\n  ret;\n}\n"
#define TWICE(text) text text
#define CHAIN(text) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(text)))))) // 64 times
#define TIMED(name, text)                                                                          \
    HEAD(name) BEGIN CHAIN(text)                                                                   \
    END TAIL
#define CHASE_GLOBAL(hint) "  ld.global" hint ".u64 %rd5, [%rd5];\n"

// One copy, of which a thread waits for the end.
#define BULK(name, bytes)                                                                          \
    HEAD(name)                                                                                     \
    "  .shared .align 16 .b8 tile[8192];\n  mov.u32 %r1, word;\n  mov.u32 %r2, tile;\n"            \
    "  mbarrier.init.shared.b64 [%r1], 1;\n" BEGIN                                                 \
    "  mbarrier.arrive.expect_tx.shared.b64 _, [%r1], " bytes ";\n"                                \
    "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], " bytes    \
    ", [%r1];\nWAIT:\n  mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n"                      \
    "  @!%p1 bra WAIT;\n" END TAIL

// Arrivals that release to the cluster, behind a copy or not.
#define RELEASE(name, copy)                                                                        \
    HEAD(name)                                                                                     \
    "  .shared .align 16 .b8 tile[1024];\n  .shared .align 8 .b64 bars[2];\n"                      \
    "  mov.u32 %r1, bars;\n  mov.u32 %r2, tile;\n  mbarrier.init.shared.b64 [%r1], 1;\n"           \
    "  mbarrier.init.shared.b64 [%r1+8], 1;\n" copy BEGIN                                          \
    "  mbarrier.arrive.release.cluster.shared::cta.b64 %rd5, [%r1+8];\n" END TAIL
#define COPY                                                                                       \
    "  mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 1024;\n"                                     \
    "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], 1024, "    \
    "[%r1];\n"

// The second warp waits by `look` for what the first one says after a chain by `say`.
#define TOLD(name, say, look)                                                                      \
    HEAD(name)                                                                                     \
    "  mov.u32 %r1, word;\n  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra READY;\n"                        \
    "  st.shared.u64 [%r1], %rd5;\n  mbarrier.init.shared.b64 [%r1+8], 1;\nREADY:\n"               \
    "  bar.sync 0;\n" BEGIN "  setp.ge.u32 %p1, %r3, 32;\n  @%p1 bra LOOK;\n" CHAIN(               \
        "  rsqrt.approx.ftz.f32 %f1, %f1;\n") "  setp.ne.f32 %p1, %f1, 0f3F800000;\n"              \
                                              "  @%p1 trap;\n  setp.eq.u32 %p1, %r3, 0;\n" say     \
                                              "  bra.uni SAID;\nLOOK:\n" look "SAID:\n" END TAIL

// One kernel a line.
// clang-format off
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
    TIMED("sums", "  fma.rn.f32 %f1, %f1, %f1, %f1;\n")
    TIMED("special", "  rsqrt.approx.ftz.f32 %f1, %f1;\n")
    TIMED("shuffles", "  shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;\n")
    TIMED("bars", "  bar.sync 0;\n")
    TIMED("nothing", "")
    HEAD("chase_l1") "  mov.u64 %rd5, %rd2;\n" CHASE_GLOBAL("") "  add.s64 %rd10, %rd5, 0;\n"
    "  setp.eq.u64 %p1, %rd10, 0;\n  @%p1 trap;\n" BEGIN CHAIN(CHASE_GLOBAL("")) END TAIL
    HEAD("chase_l2") "  mov.u64 %rd5, %rd2;\n" BEGIN CHAIN(CHASE_GLOBAL(".cg")) END TAIL
    HEAD("chase_shared") "  mov.u64 %rd5, word;\n  st.shared.u64 [word], %rd5;\n"
    BEGIN CHAIN("  ld.shared.u64 %rd5, [%rd5];\n") END TAIL
    HEAD("unread") "  mov.u64 %rd5, %rd2;\n" BEGIN CHASE_GLOBAL(".cg") END TAIL
    HEAD("delay") BEGIN "NEXT:\n" END "  sub.s64 %rd10, %rd7, %rd6;\n"
    "  setp.lt.s64 %p1, %rd10, 100000;\n  @%p1 bra NEXT;\n" TAIL
    HEAD("timer") "  mov.u64 %rd6, %globaltimer;\nNEXT:\n  mov.u64 %rd7, %globaltimer;\n"
    "  sub.s64 %rd10, %rd7, %rd6;\n  setp.lt.s64 %p1, %rd10, 50000;\n  @%p1 bra NEXT;\n" TAIL
    HEAD("sleeps") "  mov.u32 %r1, 1000;\n" BEGIN "  nanosleep.u32 %r1;\n" END TAIL
    HEAD("late") BEGIN "  setp.lt.u32 %p1, %r3, 32;\n  @%p1 bra WAIT;\n"
    CHAIN("  rsqrt.approx.ftz.f32 %f1, %f1;\n") "WAIT:\n  bar.sync 0;\n" END TAIL
    HEAD("halves") "  mov.u32 %r4, %clock;\n  mov.u32 %r5, %clock_hi;\n"
    "  mov.u32 %r6, %globaltimer_lo;\n"
    "  mov.u32 %r7, %globaltimer_hi;\n  cvt.u64.u32 %rd6, %r4;\n  cvt.u64.u32 %rd7, %r6;\n" TAIL
    BULK("bulk_16", "16") BULK("bulk_1k", "1024") BULK("bulk_8k", "8192")
    TOLD("flag", "  @%p1 st.volatile.shared.u32 [%r1], 1;\n",
         "  ld.volatile.shared.u32 %r2, [%r1];\n"
         "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 bra LOOK;\n")
    TOLD("arrival", "  @%p1 mbarrier.arrive.shared.b64 _, [%r1+8];\n",
         "  mbarrier.try_wait.parity.shared.b64 %p1, [%r1+8], 0;\n  @!%p1 bra LOOK;\n")
    TOLD("never", "", "  ld.volatile.shared.u32 %r2, [%r1];\n  add.u32 %r4, %r2, 0;\n"
         "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 bra LOOK;\n")
    RELEASE("release", "") RELEASE("release_behind_copy", COPY)
    HEAD("plain") CHAIN("  fma.rn.f32 %f1, %f1, %f1, %f1;\n") TAIL;
// clang-format on

enum { ELEMS = 1 << 16, CHAINED = 64, RESULTS = 64 };

static test_engine open_with(sim_mode mode, uint32_t threads, uint64_t memory_bytes) {
    sim_options options = {
        .device = "h200", .mode = mode, .threads = threads, .memory_bytes = memory_bytes};
    test_engine o = engine_open(options, ptx, ELEMS * 8);
    OK(sim_memory_write(o.engine, o.x, &o.x, sizeof o.x, NULL));
    return o;
}

static test_engine open_engine(sim_mode mode, uint32_t threads) {
    return open_with(mode, threads, 16 << 20);
}

// What the clock showed in thread `thread`, before and after.
static void shown(const test_engine *o, uint32_t thread, int64_t out[2]) {
    uint64_t from = o->x + 8 * (RESULTS + 2 * (uint64_t)thread);
    OK(sim_memory_read(o->engine, out, from, 16, NULL));
}

static double cycles_on(const test_engine *o, const char *kernel, uint32_t threads) {
    int64_t clock[2];
    engine_launch(o, kernel, 1, threads);
    shown(o, threads - 1, clock);
    return (double)(clock[1] - clock[0]);
}

static double cycles(const char *kernel, uint32_t threads) {
    test_engine o = open_engine(SIM_MODE_COUNT, 2);
    double got = cycles_on(&o, kernel, threads);
    return got;
}

static const sim_device *device(void) { return sim_device_find("h200"); }

// The last one of a chain is not waited for.
KL_TEST(a_chain_takes_its_latencies) {
    ck_near(cycles("nothing", 32), machine_constant.clock_read, 1);
    ck_near(cycles("sums", 32), CHAINED * machine_constant.fma_latency, 5);
    ck_near(cycles("special", 32), (CHAINED - 1) * machine_constant.xu_latency, 5);
    ck_near(cycles("shuffles", 32), (CHAINED - 1) * machine_constant.shuffle_latency, 5);
    ck_near(cycles("chase_shared", 32), CHAINED * machine_constant.shared_latency, 24);
}

KL_TEST(loads_wait_for_the_level_that_has_the_data) {
    test_engine o = open_engine(SIM_MODE_COUNT, 1);
    double l2 = machine_constant.l2_latency, first = l2 + machine_constant.l2_first_more;
    // The host has just written the line; then this kernel has seen it.
    ck_near(cycles_on(&o, "chase_l2", 1), first + (CHAINED - 2) * l2, 5);
    ck_near(cycles_on(&o, "chase_l2", 1), (CHAINED - 1) * l2, 5);
    ck_near(cycles_on(&o, "chase_l1", 1), (CHAINED - 1) * machine_constant.l1_latency, 5);
}

// More has been written since than the L2 holds.
KL_TEST(what_has_left_the_l2_is_in_device_memory) {
    test_engine o = open_engine(SIM_MODE_COUNT, 1);
    double l2 = machine_constant.l2_latency;
    double dram = device()->dram_latency_ns * device()->clock_mhz * 1e-3;
    cycles_on(&o, "chase_l2", 1);
    uint64_t other, bytes = 8 << 20;
    OK(sim_memory_alloc(o.engine, bytes, &other, NULL));
    for (int i = 0; i < 3; i++) OK(sim_memory_fill(o.engine, other, 0, 4, bytes / 4, NULL));
    ck_near(cycles_on(&o, "chase_l2", 1), (CHAINED - 1) * l2, 5); // the same bytes again
    o = open_with(SIM_MODE_COUNT, 1, 128 << 20);
    bytes = device()->l2_bytes;
    OK(sim_memory_alloc(o.engine, bytes, &other, NULL));
    OK(sim_memory_fill(o.engine, other, 0, 4, bytes / 4, NULL));
    ck_near(cycles_on(&o, "chase_l2", 1), dram + (CHAINED - 2) * l2, 5);
}

KL_TEST(a_result_that_nobody_reads_is_not_waited_for) {
    ck_assert_double_lt(cycles("unread", 1), 10);
}

KL_TEST(barriers_wait_for_the_last_warp) {
    double one = machine_constant.barrier + machine_constant.arrival,
           more = 31 * machine_constant.arrival;
    ck_near(cycles("bars", 32), CHAINED * one, CHAINED + 5);
    ck_near(cycles("bars", 1024), CHAINED * (one + more), CHAINED + 5);
    test_engine o = open_engine(SIM_MODE_COUNT, 1);
    int64_t early[2], late[2];
    engine_launch(&o, "late", 1, 64);
    shown(&o, 0, early);
    shown(&o, 32, late);
    double chain = (CHAINED - 1) * machine_constant.xu_latency;
    ck_assert_double_gt((double)(early[1] - early[0]), chain);
    ck_near((double)early[1], (double)late[1], 2);
}

// A warp that waits for another one goes on when that has come so far, not at once because the
// simulator has run that before.
KL_TEST(warps_keep_to_each_others_time) {
    static const char *const kernels[] = {"flag", "arrival"};
    for (int i = 0; i < 2; i++) {
        test_engine o = open_engine(SIM_MODE_COUNT, 1);
        int64_t first[2], second[2];
        engine_launch(&o, kernels[i], 1, 64);
        shown(&o, 0, first);
        shown(&o, 32, second);
        ck_assert_double_gt((double)(second[1] - second[0]),
                            (CHAINED - 1) * machine_constant.xu_latency);
        ck_near((double)first[1], (double)second[1], 90);
    }
}

// A warp that looks for ever is found out, although it is stopped for others after each look.
KL_TEST(endless_looks_end) {
    test_engine o = open_engine(SIM_MODE_COUNT, 1);
    sim_function_handle function;
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {96, 1, 1}};
    sim_launch_result result;
    kl_error err;
    OK(sim_function_find(o.engine, o.module, "never", &function, NULL));
    sim_status status =
        sim_launch_kernel(o.engine, function, &config, &o.x, sizeof o.x, &result, &err);
    ck_assert_int_ne(status, SIM_OK);
    ck_assert_msg(strstr(err.text, "spin") || strstr(err.text, "wait"), "%s", err.text);
}

KL_TEST(delays_end) {
    ck_near(cycles("delay", 32), 100000, 100);
    ck_near(cycles("timer", 32), 50000, 200);
    ck_near(cycles("sleeps", 1), 1000 * device()->clock_mhz * 1e-3, 10);
}

KL_TEST(clocks_go_on_from_launch_to_launch) {
    test_engine o = open_engine(SIM_MODE_COUNT, 2);
    int64_t first[2], second[2];
    engine_launch(&o, "timer", 1, 32);
    shown(&o, 0, first);
    engine_launch(&o, "plain", 200, 32);
    engine_launch(&o, "timer", 1, 32);
    shown(&o, 0, second);
    ck_assert_int_gt(second[0], first[1]);
    // Two blocks on an SM whose shared memory holds both begin together; each SM has its clock.
    engine_launch(&o, "nothing", 264, 32);
    engine_launch(&o, "halves", 1, 32);
    shown(&o, 0, first);
    ck_assert_int_gt(first[0], second[1] / 1000);
}

KL_TEST(modes_and_host_threads_change_nothing) {
    static const char *const kernels[] = {"sums", "chase_l2", "bars", "late", "delay"};
    static const sim_mode modes[] = {SIM_MODE_COUNT, SIM_MODE_FUNCTIONAL, SIM_MODE_CHECK,
                                     SIM_MODE_COUNT};
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        double wanted = 0;
        for (uint32_t m = 0; m < 4; m++) {
            test_engine o = open_engine(modes[m], 1 + m);
            double got = cycles_on(&o, kernels[k], 64);
            if (m == 0) wanted = got;
            ck_assert_double_eq(got, wanted);
        }
    }
}

// As an H200 took with boxes of as many bytes, and issuing the copy.
KL_TEST(bulk_copies_arrive) {
    double first = cycles("bulk_16", 1);
    ck_near(first, machine_constant.bulk_latency, 40);
    ck_near(cycles("bulk_1k", 1) - first, 53, 2);
    ck_near(cycles("bulk_8k", 1) - first, 109, 12);
}

// A release is a fence, which waits for bulk copies.
KL_TEST(a_release_to_the_cluster_waits_for_copies) {
    double alone = cycles("release", 1);
    ck_near(alone, machine_constant.mbarrier_release, 20);
    ck_near(cycles("release_behind_copy", 1) - alone, cycles("bulk_1k", 1), 80);
}

// 64 warps of two blocks on each of 132 SMs count what one counts, times as many.
KL_TEST(counts_are_those_of_the_handlers_beneath) {
    test_engine o = open_engine(SIM_MODE_COUNT, 4);
    sim_launch_report *one = engine_report(&o, "sums", 1, 32);
    sim_launch_report *many = engine_report(&o, "sums", 264, 32);
    ck_assert_uint_eq(many->totals.value[SIM_COUNTER_INST],
                      264 * one->totals.value[SIM_COUNTER_INST]);
    ck_assert_uint_eq(many->totals.value[SIM_COUNTER_GLOBAL_ST_SECTORS],
                      264 * one->totals.value[SIM_COUNTER_GLOBAL_ST_SECTORS]);
    many = engine_report(&o, "plain", 1, 32);
    ck_assert_uint_eq(many->totals.value[SIM_COUNTER_GLOBAL_ST_SECTORS],
                      one->totals.value[SIM_COUNTER_GLOBAL_ST_SECTORS]);
    ck_assert_uint_eq(many->totals.value[SIM_COUNTER_INST] + 2, // the clock, twice
                      one->totals.value[SIM_COUNTER_INST]);
}

KL_TEST_MAIN("clock")
