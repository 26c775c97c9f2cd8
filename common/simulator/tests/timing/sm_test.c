// Protects the cycle-level model: kernels whose cycles can be counted by hand from the device's row
// must take them, and what the model is there for (dependent loads, contended atomics, few warps)
// must cost what the resource behind it costs.
#include "suite.h"
#include "support/run.h"
#include "timing/sm/internal.h"

// p_x: [ELEMS] 64-bit words.
#define HEAD(name)                                                                                 \
    ".visible .entry " name "(.param .u64 p_x)\n"                                                  \
    "{\n"                                                                                          \
    "  .reg .pred %p<2>;\n  .reg .b32 %r<8>;\n  .reg .f32 %f<20>;\n  .reg .b64 %rd<8>;\n"          \
    "  ld.param.u64 %rd1, [p_x];\n  cvta.to.global.u64 %rd2, %rd1;\n  mov.u32 %r3, %tid.x;\n"
#define TAIL "  ret;\n}\n"
#define LOOP(label, body, times)                                                                   \
    "  mov.u32 %r6, 0;\n" label ":\n" body "  add.s32 %r6, %r6, 1;\n"                              \
    "  setp.lt.s32 %p1, %r6, " times ";\n  @%p1 bra " label ";\n"
#define TWICE(text)      text text
#define CHAIN(text)      TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(text)))))) // 64 times
#define FMA(to)          "  fma.rn.f32 " to ", " to ", " to ", " to ";\n"
#define FOUR(a, b, c, d) FMA(a) FMA(b) FMA(c) FMA(d)
#define ROW              FOUR("%f1", "%f2", "%f3", "%f4") FOUR("%f5", "%f6", "%f7", "%f8")
#define SET                                                                                        \
    "  mov.f32 %f1, 0f3F800000;\n  mov.f32 %f2, %f1;\n  mov.f32 %f3, %f1;\n  mov.f32 %f4, %f1;\n"  \
    "  mov.f32 %f5, %f1;\n  mov.f32 %f6, %f1;\n  mov.f32 %f7, %f1;\n  mov.f32 %f8, %f1;\n"
#define SPECIAL "  rsqrt.approx.ftz.f32 %f1, %f1;\n"
#define PRODUCT                                                                                    \
    "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "                      \
    "{%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};\n"
#define COUNTER "  red.global.add.f32 [%rd2], %f1;\n"

#define TABLE(lanes)                                                                               \
    "  and.b32 %r4, %r3, " lanes ";\n  mul.wide.u32 %rd3, %r4, 4;\n  mov.u64 %rd4, table;\n"       \
    "  add.s64 %rd5, %rd4, %rd3;\n" CHAIN("  ld.const.u32 %r5, [%rd5];\n")
#define SUMS                                                                                       \
    "  mul.wide.u32 %rd3, %r3, 4;\n  mov.u64 %rd4, part;\n  add.s64 %rd5, %rd4, %rd3;\n" CHAIN(    \
        "  red.shared.add.f32 [%rd5], %f1;\n")

#define FOUR_OF(text) "  " text ";\n  " text ";\n  " text ";\n  " text ";\n"
#define ADD_ONE       "  atom.global.add.u64 %rd5, [%rd2], 0;\n"
// By one thread: a copy of 1 KiB that nobody waits for, and an arrival that releases to the
// cluster.
#define MBARRIERS                                                                                  \
    "  mov.u32 %r4, mbars;\n  mov.u32 %r5, copied;\n  mbarrier.init.shared.b64 [%r4], 1;\n"        \
    "  mbarrier.init.shared.b64 [%r4+8], 64;\n"
#define RELEASE "  mbarrier.arrive.release.cluster.shared::cta.b64 %rd5, [%r4];\n"
#define COPY                                                                                       \
    "  mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r4+8], 1024;\n"                                \
    "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd2], 1024, "    \
    "[%r4+8];\n"
// %r5: the number of this warp's barrier, 1 or 2; %r4: of the other's.
#define OTHER_WARP                                                                                 \
    "  shr.u32 %r4, %r3, 5;\n  add.s32 %r5, %r4, 1;\n  xor.b32 %r4, %r4, 1;\n"                     \
    "  add.s32 %r4, %r4, 1;\n"
// Products by warps 0 to 3, special functions by warp 4, which has warp 0's scheduler.
#define UNITS(between)                                                                             \
    SET "  mov.u32 %r1, 0;\n  setp.ge.s32 %p1, %r3, 128;\n  @%p1 bra SPECIAL;\n" CHAIN(PRODUCT)    \
        between "  @!%p1 bra DID;\n" CHAIN(SPECIAL) "DID:\n"
// How many blocks have come before: the first thread of each asks.
#define TICKET                                                                                     \
    "  mov.u32 %r4, 0;\n  setp.ne.s32 %p1, %r3, 0;\n  @%p1 bra ASKED;\n"                           \
    "  atom.global.add.u32 %r4, [%rd2], 1;\nASKED:\n"
// The two sides of an if.
#define SIDES                                                                                      \
    "  @%p1 bra OTHER;\n" CHAIN(FMA("%f1")) "  bra.uni BOTH;\nOTHER:\n" CHAIN(FMA("%f2")) "BOTH:\n"
// A branch over a few instructions.
#define SHORT(label) "  @%p0 bra " label ";\n" FOUR("%f1", "%f2", "%f3", "%f4") label ":\n"
// A load and a store of what it gave, both under a branch.
#define GUARDED(at, label)                                                                         \
    "  @!%p0 bra " label ";\n  ld.global.cg.u32 %r4, [%rd2+" at "];\n"                             \
    "  st.shared.u32 [part], %r4;\n" label ":\n"
// %rd4: a place of this thread's own, that many bytes from the next.
#define PLACE(bytes)                                                                               \
    "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mad.lo.s32 %r4, %r1, %r2, %r3;\n"        \
    "  mul.wide.u32 %rd3, %r4, " bytes ";\n  add.s64 %rd4, %rd2, %rd3;\n"
// What was stored is loaded again and stored elsewhere.
#define REREAD(load)                                                                               \
    "  st.global.v4.u32 [%rd4], {%r3, %r3, %r3, %r3};\n  " load " %r5, [%rd4];\n"                  \
    "  add.s32 %r5, %r5, %r3;\n  st.global.u32 [%rd4+65536], %r5;\n"

// One kernel a line.
// clang-format off
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".const .align 4 .b32 table[1024];\n.shared .align 4 .b32 part[1024];\n"
    ".shared .align 8 .b64 mbars[2];\n.shared .align 16 .b32 copied[256];\n"
    HEAD("word") TABLE("0") TAIL
    HEAD("words") TABLE("31") TAIL
    HEAD("sums") SET SUMS TAIL
    HEAD("turns") SET LOOP("TURN", FOUR("%f1", "%f1", "%f1", "%f1"), "256") TAIL
    HEAD("empty") TAIL
    HEAD("chain") SET CHAIN(FMA("%f1")) TAIL
    HEAD("rows") SET CHAIN(ROW) TAIL
    HEAD("special") SET CHAIN(SPECIAL) TAIL
    HEAD("multiplied") SET "  mov.u32 %r1, 0;\n" CHAIN(PRODUCT) TAIL
    HEAD("chase") LOOP("NEXT", "  ld.global.u64 %rd2, [%rd2];\n", "256") TAIL
    HEAD("atomics") SET LOOP("AGAIN", COUNTER, "16") TAIL
    HEAD("meet") SET "  setp.ge.s32 %p1, %r3, 32;\n  @%p1 bra WAIT;\n" CHAIN(FMA("%f1"))
    "WAIT:\n  bar.sync 0;\n" CHAIN(FMA("%f2")) TAIL
    HEAD("together") SET "  setp.ge.s32 %p1, %r3, 32;\n" SIDES TAIL
    HEAD("parted") SET "  and.b32 %r4, %r3, 1;\n  setp.eq.s32 %p1, %r4, 1;\n" SIDES TAIL
    HEAD("products") "  mov.u32 %r4, %r3;\n" CHAIN(FOUR_OF("mul.lo.u32 %r4, %r3, %r3"))
    "  st.global.u32 [%rd2], %r4;\n" TAIL
    HEAD("wide") CHAIN(FOUR_OF("mul.wide.u32 %rd5, %r3, %r3"))
    "  st.global.u64 [%rd2], %rd5;\n" TAIL
    HEAD("fetched") LOOP("FAR", ADD_ONE "  add.s64 %rd2, %rd2, %rd5;\n"
    "  add.s64 %rd2, %rd2, 65536;\n", "16") TAIL
    HEAD("held") LOOP("NEAR", ADD_ONE "  add.s64 %rd2, %rd2, %rd5;\n", "16") TAIL
    HEAD("stream") PLACE("8") LOOP("ON", "  ld.global.cg.u64 %rd5, [%rd4];\n"
    "  add.s64 %rd4, %rd4, %rd5;\n  add.s64 %rd4, %rd4, 2162688;\n", "12") TAIL
    HEAD("parts") PLACE("64") "  st.global.u32 [%rd4], %r3;\n" TAIL
    HEAD("completed") "  mov.u32 %r1, %ctaid.x;\n  and.b32 %r2, %r3, 31;\n  shr.u32 %r4, %r3, 5;\n"
    "  shl.b32 %r5, %r1, 12;\n  shl.b32 %r2, %r2, 7;\n  shl.b32 %r4, %r4, 2;\n"
    "  add.s32 %r5, %r5, %r2;\n  add.s32 %r5, %r5, %r4;\n  cvt.u64.u32 %rd3, %r5;\n"
    "  add.s64 %rd4, %rd2, %rd3;\n  st.global.u32 [%rd4], %r3;\n" TAIL
    HEAD("own") "  .local .align 4 .b32 mine[1];\n" CHAIN("  st.local.u32 [mine], %r3;\n") TAIL
    HEAD("shared") CHAIN("  st.shared.u32 [part], %r3;\n") TAIL
    HEAD("updated") PLACE("64") "  ld.global.u32 %r5, [%rd4];\n  add.s32 %r5, %r5, %r3;\n"
    "  st.global.u32 [%rd4], %r5;\n" TAIL
    HEAD("kept") PLACE("16") REREAD("ld.global.u32") TAIL
    HEAD("passed") PLACE("16") REREAD("ld.global.cg.u32") TAIL
    HEAD("sectors") PLACE("16") "  st.global.v4.u32 [%rd4], {%r3, %r3, %r3, %r3};\n" TAIL
    HEAD("bars") CHAIN("  bar.sync 0;\n") TAIL
    HEAD("alternate") SET OTHER_WARP "  setp.eq.s32 %p0, %r4, 1;\n  @%p0 bra FIRST;\n"
    "  bar.arrive %r4, 64;\nFIRST:\n"
    LOOP("TAKE", "  bar.sync %r5, 64;\n" CHAIN(FMA("%f1")) "  bar.arrive %r4, 64;\n", "4") TAIL
    HEAD("side_by_side") SET LOOP("MEET", "  bar.sync 1, 64;\n" CHAIN(FMA("%f1")), "4") TAIL
    HEAD("drawn") SET "DRAW:\n  atom.global.add.u32 %r4, [%rd2], 1;\n"
    "  setp.ge.u32 %p1, %r4, 1056;\n  @%p1 bra DRAWN;\n" CHAIN(ROW) "  bra.uni DRAW;\nDRAWN:\n" TAIL
    HEAD("both_units") UNITS("  bra.uni DID;\nSPECIAL:\n") TAIL
    HEAD("unit_after_unit") UNITS("SPECIAL:\n  bar.sync 0;\n") TAIL
    HEAD("uneven") SET "  mov.u32 %r1, %ctaid.x;\n  mul.lo.s32 %r2, %r1, 3900;\n"
    "  add.s32 %r2, %r2, 100;\n  setp.gt.s32 %p0, %r1, 1;\n  @%p0 bra SMALL;\n"
    LOOP("ROUND", FMA("%f1") FMA("%f1") FMA("%f1") FMA("%f1"), "%r2") "SMALL:\n" TAIL
    HEAD("reused") "  mov.u32 %r7, 0;\n" LOOP("SLOT", "  ld.global.cg.u32 %r5, [%rd2];\n"
    "  add.s32 %r7, %r7, %r5;\n  xor.b32 %r4, %r6, 5;\n  add.s32 %r7, %r7, %r4;\n"
    "  st.global.u32 [%rd2+256], %r7;\n", "16") TAIL
    HEAD("jumped") SET "  setp.ge.s32 %p0, %r3, 0;\n" LOOP("OFF", SHORT("OVER"), "256") TAIL
    HEAD("entered") SET "  setp.lt.s32 %p0, %r3, 0;\n" LOOP("SIDE", SHORT("PAST"), "256") TAIL
    HEAD("guarded") "  setp.lt.s32 %p0, %r3, 64;\n" GUARDED("0", "A") GUARDED("4096", "B")
    GUARDED("8192", "C") GUARDED("12288", "D") TAIL
    HEAD("fenced") LOOP("FENCE", "  membar.gl;\n", "16") TAIL
    HEAD("released") MBARRIERS LOOP("SAY", RELEASE, "16") TAIL
    HEAD("released_behind_copies") MBARRIERS LOOP("SAY", COPY RELEASE, "16") TAIL
    HEAD("rest") SET TICKET "  setp.ne.s32 %p0, %r4, 263;\n  @%p0 bra DONE;\n" CHAIN(FMA("%f1"))
    "DONE:\n" TAIL
    HEAD("each") SET TICKET "  setp.lt.s32 %p0, %r4, 0;\n  @%p0 bra GONE;\n" CHAIN(FMA("%f1"))
    "GONE:\n" TAIL
    HEAD("nobody") SET TICKET "  setp.ge.s32 %p0, %r4, 0;\n  @%p0 bra NONE;\n" CHAIN(FMA("%f1"))
    "NONE:\n" TAIL
    HEAD("lengths") SET "  mov.u32 %r4, %ctaid.x;\n  and.b32 %r4, %r4, 7;\n  mov.u32 %r6, 0;\n"
    "AGAIN:\n" CHAIN(SPECIAL) "  add.s32 %r6, %r6, 1;\n  setp.le.s32 %p1, %r6, %r4;\n"
    "  @%p1 bra AGAIN;\n" TAIL
    HEAD("one_length") SET LOOP("AGAIN", CHAIN(SPECIAL), "8") TAIL
    HEAD("border") SET "  mov.u32 %r4, %ctaid.x;\n  setp.ne.s32 %p0, %r4, 263;\n"
    "  @%p0 bra INNER;\n" CHAIN(FMA("%f1")) "INNER:\n" TAIL
    HEAD("inner") SET "  mov.u32 %r4, %ctaid.x;\n  setp.ge.s32 %p0, %r4, 0;\n"
    "  @%p0 bra ALL;\n" CHAIN(FMA("%f1")) "ALL:\n" TAIL
    HEAD("copy") "  mov.u32 %r1, %ctaid.x;\n  mad.lo.s32 %r4, %r1, 256, %r3;\n"
    "  mul.wide.s32 %rd3, %r4, 8;\n  add.s64 %rd4, %rd2, %rd3;\n"
    "  ld.global.u64 %rd5, [%rd4];\n  st.global.u64 [%rd4+16777216], %rd5;\n" TAIL;
// clang-format on

enum { ELEMS = 1 << 22, CHAINED = 64 };

static test_engine open_engine(const char *device, uint32_t threads) {
    sim_options options = {
        .device = device, .mode = SIM_MODE_COUNT, .threads = threads, .memory_bytes = 128 << 20};
    test_engine o = engine_open(options, ptx, ELEMS * 8);
    OK(sim_caches_forget(o.engine, NULL));
    return o;
}

// 0: the time is not the model's.
static double run_on(const test_engine *o, const char *kernel, uint32_t blocks, uint32_t threads) {
    sim_launch_report *report = engine_report(o, kernel, blocks, threads);
    double us = sim_report_has_sm_time(report) ? report->time_us : 0;
    return us;
}

static const sim_device *device(void) { return sim_device_find("h200"); }

// Cycles of the SM, without the launch and its first instructions.
static double cycles_of(const char *card, const char *kernel, uint32_t blocks, uint32_t threads) {
    const sim_device *row = sim_device_find(card);
    test_engine o = open_engine(card, 1);
    double us = run_on(&o, kernel, blocks, threads);
    ck_assert_double_gt(us, 0);
    bool short_code = strcmp(kernel, "empty") == 0 || strcmp(kernel, "fenced") == 0;
    double cold = short_code ? 0 : machine_constant.cold_start;
    return (us - row->kernel_us) * row->clock_mhz - cold;
}

static double cycles(const char *kernel, uint32_t blocks, uint32_t threads) {
    return cycles_of("h200", kernel, blocks, threads);
}

// What a block of so many threads counts.
static sim_counters counters_of(const char *kernel, uint32_t threads) {
    test_engine o = open_engine("h200", 1);
    sim_launch_report *report = engine_report(&o, kernel, 1, threads);
    sim_counters totals = report->totals;
    return totals;
}

KL_TEST(a_chain_waits_for_each_result) {
    ck_near(cycles("chain", 1, 32), CHAINED * machine_constant.fma_latency, 12);
    // Other warps fill the gaps: 4 a scheduler in the time of one.
    ck_near(cycles("chain", 1, 512), CHAINED * machine_constant.fma_latency, 24);
}

KL_TEST(a_scheduler_issues_one_instruction_per_cycle) {
    double one = 8 * CHAINED; // instructions of a warp
    ck_near(cycles("rows", 1, 32), one, 12);
    ck_near(cycles("rows", 1, 128), one, 12); // a scheduler each
    ck_near(cycles("rows", 1, 512), 4 * one, 16);
}

KL_TEST(special_functions_wait_for_their_pipe) {
    double pipe = CHAINED / device()->xu_rate; // cycles of a warp in the pipe
    ck_near(cycles("special", 1, 32), (CHAINED - 1) * machine_constant.xu_latency, 12);
    ck_near(cycles("special", 1, 1024), 8 * pipe, 300); // 8 warps; the last two wait
}

KL_TEST(a_product_waits_for_the_accumulators) {
    double empty = cycles("empty", 1, 32);
    ck_near(cycles("multiplied", 1, 32) - empty, CHAINED * machine_constant.tensor_latency, 40);
}

// Every load waits for the one before: the first for device memory, the others for the L1.
KL_TEST(a_chase_waits_for_each_load) {
    test_engine o = open_engine("h200", 1);
    OK(sim_memory_write(o.engine, o.x, &o.x, sizeof o.x, NULL));
    double us = run_on(&o, "chase", 1, 32);
    double got = (us - device()->kernel_us) * device()->clock_mhz - machine_constant.cold_start;
    double first = device()->dram_latency_ns * device()->clock_mhz * 1e-3;
    double rest = 255 * (machine_constant.l1_latency + 1);
    ck_near(got, first + rest, 0.1 * (first + rest));
}

// The simulator has a later value in the slot of the loaded one: the sum waits all the same.
KL_TEST(a_slot_that_is_used_again_is_waited_for) {
    ck_assert_double_gt(cycles("reused", 1, 32), 16 * machine_constant.l2_latency);
}

// Block 0 goes 100 times around a loop, block 1, on another SM, 4000 times.
KL_TEST(the_longest_warp_may_be_on_another_sm) {
    double recorded = cycles("uneven", 1, 32), both = cycles("uneven", 132, 32);
    ck_near(both / recorded, 40, 4);
}

// Blocks of eight lengths, all on the card at once: on some SM two of the longest meet.
KL_TEST(the_longest_blocks_meet_on_an_sm) {
    double longest = cycles("one_length", 132, 256), two = cycles("one_length", 264, 256);
    ck_assert_double_gt(two, 1.5 * longest);
    ck_near(cycles("lengths", 264, 256), two, 0.05 * two);
}

// ptxas makes predicates of a short branch: a warp that jumps in the PTX passes what is behind it.
KL_TEST(short_branches_are_passed) {
    double entered = cycles("entered", 1, 512), jumped = cycles("jumped", 1, 512);
    ck_near(jumped / entered, 1, 0.1);
}

// ptxas makes predicates of these branches and loads first what is stored then: the loads are under
// way together.
KL_TEST(loads_under_branches_overlap) {
    double one = device()->dram_latency_ns * device()->clock_mhz * 1e-3;
    double four = cycles("guarded", 1, 32);
    ck_assert_double_gt(four, one);
    ck_assert_double_lt(four, 2 * one);
}

KL_TEST(a_fence_holds_its_warp) {
    double fence = machine_constant.l2_latency + machine_constant.fence_device;
    double loop =
        device()->alu_latency_cycles + machine_constant.fma_latency + machine_constant.branch;
    ck_near(cycles("fenced", 1, 32) / 16, fence + loop, 8);
}

// A release is a fence, which waits for the bulk copies that are under way.
KL_TEST(a_release_to_the_cluster_waits_for_copies) {
    double copy = machine_constant.bulk_latency + machine_constant.bulk_issue;
    double alone = cycles("released", 1, 1) / 16;
    double behind = cycles("released_behind_copies", 1, 1) / 16;
    ck_near(alone, machine_constant.mbarrier_release, 40);
    ck_near(behind - alone, copy, 120);
}

// Two cards that differ in fences of the whole card: by how much shows where there is nothing to
// wait for, not behind copies that take longer.
KL_TEST(an_h100s_fences_take_longer) {
    const sim_device *h100 = sim_device_find("h100");
    double more = h100->fence_cycles - device()->fence_cycles;
    double alone = cycles_of("h100", "released", 1, 1) - cycles("released", 1, 1);
    double behind =
        cycles_of("h100", "released_behind_copies", 1, 1) - cycles("released_behind_copies", 1, 1);
    ck_near(alone / 16, more, 20);
    ck_assert_double_lt(behind / 16, more / 2);
    ck_assert_double_gt(cycles_of("h100", "fenced", 1, 32) / 16, h100->fence_cycles);
}

// Static and dynamic shared memory together say whether a block has an SM of its own.
KL_TEST(large_clusters_of_lone_blocks_leave_sms_out) {
    sim_launch launch = {
        .device = device(),
        .static_shared_bytes = 40 << 10,
        .config = {.grid = {132, 1, 1}, .cluster = {4, 1, 1}, .dynamic_shared_bytes = 100 << 10}};
    ck_assert_uint_eq(sm_count_of(&launch), 120);
    launch.static_shared_bytes = 0;
    ck_assert_uint_eq(sm_count_of(&launch), device()->sm_count);
}

KL_TEST(only_code_of_more_than_a_line_is_fetched) {
    test_engine o = open_engine("h200", 1);
    double empty = run_on(&o, "empty", 1, 32), chain = run_on(&o, "chain", 1, 32);
    double first = machine_constant.cold_start / device()->clock_mhz;
    ck_assert_double_lt(empty, device()->kernel_us + 0.1 * first);
    ck_assert_double_gt(chain, device()->kernel_us + first);
}

KL_TEST(atomics_on_one_address_come_one_by_one) {
    double operations = 16.0 * 32 * 132; // of sixteen times a warp on each SM, lane by lane
    double ns = operations * machine_constant.atomic_float_ns;
    double got = cycles("atomics", 132, 32) / device()->clock_mhz * 1e3;
    ck_assert_double_gt(got, 0.9 * ns);
    ck_assert_double_lt(got, 1.3 * ns + 2000);
}

KL_TEST(a_barrier_waits_for_the_last_warp) {
    double chain = CHAINED * machine_constant.fma_latency;
    double branch = machine_constant.branch + machine_constant.reconvergence;
    ck_near(cycles("meet", 1, 128), 2 * chain + machine_constant.barrier + branch, 24);
}

// Each of two warps goes on when the other one has passed on what it has: one chain at a time. The
// first warp's begins at once.
KL_TEST(warps_alternate_by_barriers_of_a_part) {
    double chain = CHAINED * machine_constant.fma_latency, barrier = machine_constant.barrier + 40;
    double alternating = cycles("alternate", 1, 64), together = cycles("side_by_side", 1, 64);
    ck_near(alternating, 8 * (chain + barrier), 8 * 40);
    ck_near(together, 4 * (chain + barrier), 4 * 40);
}

// 132 blocks of one thread draw 1,056 tickets from a counter in device memory: 8 each, not all by
// the first block. With any number of host threads.
KL_TEST(blocks_share_the_tickets_of_a_counter) {
    double work = 8 * (8 * CHAINED + machine_constant.l2_latency), us[2];
    ck_near(cycles("drawn", 132, 1), work, 0.5 * work);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        test_engine o = open_engine("h200", 2 * threads - 1);
        us[threads - 1] = run_on(&o, "drawn", 132, 1);
    }
    ck_assert_double_eq(us[0], us[1]);
}

// Tensor core and special-function unit of a scheduler, by two warps at the same time and after
// each other.
KL_TEST(units_that_work_at_the_same_time_are_told) {
    sim_counters both = counters_of("both_units", 160), after = counters_of("unit_after_unit", 160);
    const uint64_t *b = both.value, *a = after.value;
    ck_assert_uint_gt(b[SIM_COUNTER_TENSOR_AND_XU], 0);
    ck_assert_uint_eq(a[SIM_COUNTER_TENSOR_AND_XU], 0);
    ck_assert_uint_gt(a[SIM_COUNTER_XU_ALONE], 0);
    ck_near((double)(b[SIM_COUNTER_TENSOR_AND_XU] + b[SIM_COUNTER_TENSOR_ALONE]),
            CHAINED * 4 / device()->tensor_rate, 4);
}

// Four dependent instructions end before the comparison has reached the branch.
KL_TEST(a_loop_waits_for_its_comparison) {
    double compared = device()->alu_latency_cycles + machine_constant.fma_latency;
    ck_near(cycles("turns", 1, 32) / 256, compared + machine_constant.branch, 3);
}

// Both sides of a branch that parts the lanes, one after the other.
KL_TEST(lanes_that_part_take_both_sides) {
    double side = CHAINED * machine_constant.fma_latency;
    double together = cycles("together", 1, 32), parted = cycles("parted", 1, 32);
    ck_near(parted - together, side, machine_constant.reconvergence + machine_constant.jump);
    ck_near(together, side + machine_constant.branch + machine_constant.reconvergence, 24);
}

// A product of 64 bits holds the pipe of the multiply-adds twice as long.
KL_TEST(wide_products_hold_their_pipe) {
    double one = cycles("products", 1, 512), wide = cycles("wide", 1, 512);
    ck_near(wide / one, 2, 0.2);
}

// The L2 does atomics on sectors that it has: a new one comes from device memory first.
KL_TEST(atomics_wait_for_device_memory) {
    double one = machine_constant.l2_latency,
           rest = device()->dram_latency_ns * device()->clock_mhz * 1e-3;
    ck_assert_double_gt(cycles("fetched", 1, 32), 16 * (rest + machine_constant.evict_latency));
    ck_near(cycles("held", 1, 32), 16 * one + rest, 0.25 * 16 * one);
}

// Loads that each thread has one of wait longer the more of the bandwidth is in use.
KL_TEST(loads_wait_for_those_of_others) {
    double alone = cycles("stream", 1, 32), all = cycles("stream", 132 * 2, 1024);
    ck_assert_double_gt(all / alone, 1.2);
    ck_assert_double_lt(all / alone, 3);
}

// Of sectors that are stored to in part the L2 needs the rest, and the stores wait for it: of twice
// as many.
KL_TEST(stores_of_parts_take_longer) {
    ck_assert_double_gt(cycles("parts", 1056, 256) / cycles("sectors", 1056, 256), 4);
}

// The eight warps of a block store the eight words of each sector: nothing is left to wait for.
KL_TEST(stores_that_complete_sectors_wait_for_nothing) {
    ck_assert_double_lt(cycles("completed", 1056, 256) / cycles("parts", 1056, 256), 0.7);
}

// What the SM has read before is in the L2: the stores do not wait for its rest.
KL_TEST(stores_of_parts_that_were_read_wait_for_nothing) {
    ck_assert_double_lt(cycles("updated", 1056, 256) / cycles("parts", 1056, 256), 0.7);
}

// Whole sectors that the SM has stored can be read in its L1.
KL_TEST(stored_sectors_stay_in_the_l1) {
    double kept = cycles("kept", 1, 32), passed = cycles("passed", 1, 32);
    ck_near(passed - kept, machine_constant.l2_latency - machine_constant.l1_latency, 40);
}

// A thread's own memory is stored to the L2, which all SMs share.
KL_TEST(own_memory_is_stored_to_the_l2) {
    ck_assert_double_gt(cycles("own", 1056, 256) / cycles("shared", 1056, 256), 3);
}

KL_TEST(a_table_is_read_address_by_address) {
    double loads = 32 * CHAINED; // of 32 warps
    ck_near(cycles("word", 1, 1024), loads * machine_constant.constant_word, 0.1 * loads);
    ck_near(cycles("words", 1, 1024), loads * 32 * machine_constant.constant_word, 2 * loads);
}

// A warp waits for each of its sums; warps whose sums have addresses of their own wait together.
KL_TEST(sums_of_floats_in_shared_memory_are_loops) {
    double one = CHAINED * machine_constant.float_add_latency;
    ck_near(cycles("sums", 1, 32), one, 0.1 * one);
    ck_near(cycles("sums", 1, 256), one, 0.2 * one);
}

KL_TEST(blocks_start_one_after_the_other) {
    double ns = 64 * 132 * machine_constant.block_ns, wanted = ns * device()->clock_mhz * 1e-3;
    ck_near(cycles("empty", 64 * 132, 32), wanted, 0.1 * wanted);
}

// 32 warps against one: 31 more arrivals at each barrier.
KL_TEST(warps_arrive_at_a_barrier_one_by_one) {
    double more = cycles("bars", 1, 1024) - cycles("bars", 1, 32);
    ck_near(more, CHAINED * 31 * machine_constant.arrival, CHAINED * 4);
}

// The block that is told that it is the last one begins its rest when the others have ended; what
// all blocks do, or one of them without asking, is not such a rest.
KL_TEST(the_rest_comes_after_all_others) {
    double chain = CHAINED * machine_constant.fma_latency;
    double rest = cycles("rest", 264, 32), nobody = cycles("nobody", 264, 32);
    ck_near(rest - nobody, chain, machine_constant.reconvergence + machine_constant.jump + 8);
    ck_near(cycles("each", 264, 32), rest,
            machine_constant.reconvergence + machine_constant.jump + 8);
    ck_near(cycles("border", 264, 32), cycles("inner", 264, 32), 1);
}

// 16 MB read and as much written: no faster than device memory, and not much slower.
KL_TEST(a_copy_takes_the_bandwidth) {
    double bytes = 2.0 * 8 * 256 * 8192, us = bytes / (device()->copy_gbs * 1e3);
    double got = cycles("copy", 8192, 256) / device()->clock_mhz;
    ck_assert_double_gt(got, 0.9 * us);
    ck_assert_double_lt(got, 1.6 * us);
}

KL_TEST(what_is_not_recorded_takes_as_long) {
    double some = cycles("chain", 132 * 6, 1024), more = cycles("chain", 132 * 24, 1024);
    ck_near(more / some, 4, 0.2);
}

// An SM has two blocks of 1024 threads at a time, and one SM gets a third when both have ended.
KL_TEST(blocks_of_an_sm_share_it) {
    double one = cycles("chain", 132, 1024);
    ck_near(cycles("chain", 264, 1024) / one, 2, 0.1);
    double three = cycles("chain", 265, 1024) / one;
    ck_assert_double_ge(three, 3);
    ck_assert_double_le(three, 3 + machine_constant.block_start / one);
}

// The largest of the estimates is the time, and the report says which one that is.
static const struct {
    const char *card, *kernel;
    uint32_t blocks, threads;
    sim_estimate estimate;
} estimate_rows[] = {
    {"h200", "rows", 132, 1024, SIM_ESTIMATE_SM},
    {"h200", "chain", 132 * 12, 1024, SIM_ESTIMATE_SM_RATE},
    {"h200", "uneven", 132, 32, SIM_ESTIMATE_LONGEST_WARP},
    {"h200", "lengths", 264, 256, SIM_ESTIMATE_BUSIEST_SM},
    {"h200", "rest", 264, 32, SIM_ESTIMATE_LAST_BLOCK},
    {"a100", "rows", 132, 1024, SIM_ESTIMATE_ANALYTICAL},
};

static void check_estimate(const char *card, const char *kernel, uint32_t blocks, uint32_t threads,
                           sim_estimate estimate) {
    test_engine o = open_engine(card, 1);
    sim_launch_report *report = engine_report(&o, kernel, blocks, threads);
    ck_assert_str_eq(sim_estimate_name(report->estimate), sim_estimate_name(estimate));
    for (int e = 0; e < SIM_ESTIMATE_COUNT; e++)
        ck_assert_double_le(report->estimates_us[e], report->time_us);
    ck_assert_double_eq(report->estimates_us[report->estimate], report->time_us);
}

KL_TEST(the_largest_estimate_decides) {
    for (size_t i = 0; i < sizeof estimate_rows / sizeof estimate_rows[0]; i++)
        check_estimate(estimate_rows[i].card, estimate_rows[i].kernel, estimate_rows[i].blocks,
                       estimate_rows[i].threads, estimate_rows[i].estimate);
}

// The time of the cycle-level model, unless the analytical model's is asked for.
KL_TEST(launches_take_the_time_that_is_wanted) {
    for (int bounded = 0; bounded < 2; bounded++) {
        sim_options options = {.device = "h200",
                               .mode = SIM_MODE_COUNT,
                               .threads = 1,
                               .memory_bytes = 128 << 20,
                               .bounded_times = bounded};
        test_engine o = engine_open(options, ptx, 8);
        sim_launch_result result = engine_launch(&o, "chain", 1, 32);
        sim_launch_report *report = NULL;
        OK(sim_launch_report_get(o.engine, result.index, &report, NULL));
        ck_assert_double_gt(report->bounded_us, 0);
        ck_assert_int_ne(sim_report_has_sm_time(report), bounded);
        ck_assert_double_eq(result.time_us, report->time_us);
        sim_launch_report_free(report);
    }
}

KL_TEST(host_threads_change_nothing) {
    test_engine one = open_engine("h200", 1), four = open_engine("h200", 4);
    ck_assert_double_eq(run_on(&one, "copy", 1024, 256), run_on(&four, "copy", 1024, 256));
}

// What a launch has read comes from the L2 for the next one, until something else fills that.
KL_TEST(a_launch_finds_what_the_one_before_left) {
    test_engine o = open_engine("h200", 1);
    double rest =
        device()->dram_latency_ns - machine_constant.l2_latency / device()->clock_mhz * 1e3;
    double first = run_on(&o, "stream", 1, 32), second = run_on(&o, "stream", 1, 32);
    ck_assert_double_gt(first - second, 0.8 * 12 * rest * 1e-3);
    OK(sim_caches_forget(o.engine, NULL));
    ck_assert_double_eq(run_on(&o, "stream", 1, 32), first);
    OK(sim_call_begin(o.engine, 0, NULL)); // a judge's calls begin alike
    ck_assert_double_eq(run_on(&o, "stream", 1, 32), first);
}

KL_TEST(cards_without_its_constants_have_other_times) {
    const char *const cards[] = {"k40", "a100", "rtx4060"};
    for (int i = 0; i < 3; i++) {
        test_engine o = open_engine(cards[i], 1);
        ck_assert_double_eq(run_on(&o, "chain", 132, 256), 0);
    }
}

KL_TEST_MAIN("sm")
