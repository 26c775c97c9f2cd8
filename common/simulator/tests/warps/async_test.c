// Protects asynchronous copies and mbarriers: when bytes arrive (not before somebody waits), which
// groups a wait covers, zero fill, counts, phases, and what wrong use says.
#include "support/run.h"
#include "suite.h"

enum { LANES = 32, TEXT_BYTES = 8192 };

// One warp: tile[lane] starts as 1000 + lane, `body` runs, out[lane] = tile[lane]. In the body: src
// and dst are the lane's addresses (16 bytes per lane), bar an mbarrier, lane the lane, p a
// predicate.
static exec_rig *open_body(const char *body) {
    static char text[TEXT_BYTES];
    int used =
        snprintf(text, sizeof text,
                 ".version 9.5\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"
                 ".reg .pred p, q, odd; .reg .b32 lane, dst, bar, r, n, x<4>;\n"
                 ".reg .b64 src, out, state, w;\n"
                 ".shared .align 16 .b8 tile[2048];\n.shared .align 8 .b8 barriers[64];\n"
                 "mov.u32 lane, %%tid.x;\nmov.u32 dst, tile;\nmov.u32 bar, barriers;\n"
                 "ld.param.u64 src, [p_in];\nld.param.u64 out, [p_out];\n"
                 "mad.lo.u32 dst, lane, 16, dst;\nmad.wide.u32 src, lane, 16, src;\n"
                 "mad.wide.u32 out, lane, 16, out;\nand.b32 r, lane, 1;\nsetp.eq.u32 odd, r, 1;\n"
                 "setp.eq.u32 p, lane, 0;\nadd.u32 r, lane, 1000;\n"
                 "st.shared.v4.u32 [dst], {r, r, r, r};\n%s\n"
                 "ld.shared.v4.u32 {x0, x1, x2, x3}, [dst];\n"
                 "st.global.v4.u32 [out], {x0, x1, x2, x3};\nret;\n}\n",
                 body);
    ck_assert_int_lt(used, TEXT_BYTES);
    return exec_open(text, 1);
}

static sim_status run_body(exec_rig *rig, uint32_t out[LANES][4]) {
    uint32_t in[LANES][4];
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t k = 0; k < 4; k++) in[lane][k] = 10 * lane + k;
    uint64_t d_in = exec_alloc(rig, sizeof in, in), d_out = exec_alloc(rig, sizeof in, NULL);
    sim_status status = exec_launch(rig, "k", EXEC_DIM(1), EXEC_DIM(LANES), 0, &d_in, &d_out, NULL);
    if (status == SIM_OK) exec_read(rig, d_out, out, sizeof in);
    return status;
}

static void copy_results(const char *body, uint32_t out[LANES][4]) {
    exec_rig *rig = open_body(body);
    exec_expect_ok(rig, run_body(rig, out));
    exec_close(rig);
}

// `words` of each lane were copied, the next `zeros` cleared, the rest is old.
static void expect_words(const char *body, uint32_t words, uint32_t zeros) {
    uint32_t out[LANES][4];
    copy_results(body, out);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t wanted = k < words ? 10 * lane + k : k < words + zeros ? 0 : 1000 + lane;
            ck_assert_msg(out[lane][k] == wanted, "%s\nlane %u word %u: %u, not %u", body, lane, k,
                          out[lane][k], wanted);
        }
}

#define COPY16 "cp.async.cg.shared.global [dst], [src], 16;\n"

KL_TEST(bytes_arrive_at_the_wait) {
    expect_words(COPY16, 0, 0);
    expect_words(COPY16 "cp.async.commit_group;", 0, 0);
    expect_words(COPY16 "cp.async.wait_group 0;", 0, 0); // not committed
    expect_words(COPY16 "bar.sync 0;", 0, 0);
    expect_words(COPY16 "cp.async.commit_group; cp.async.wait_group 1;", 0, 0);
    expect_words(COPY16 "cp.async.commit_group; cp.async.wait_group 0;", 4, 0);
    expect_words(COPY16 "cp.async.wait_all;", 4, 0);
    expect_words("cp.async.ca.shared.global [dst], [src], 4; cp.async.wait_all;", 1, 0);
    expect_words("cp.async.ca.shared.global [dst], [src], 8; cp.async.wait_all;", 2, 0);
}

KL_TEST(sources_may_be_short) {
    expect_words("cp.async.cg.shared.global [dst], [src], 16, 12; cp.async.wait_all;", 3, 1);
    expect_words("cp.async.cg.shared.global [dst], [src], 16, 0; cp.async.wait_all;", 0, 4);
    expect_words("mov.u32 n, 4; cp.async.ca.shared.global [dst], [src], 8, n; cp.async.wait_all;",
                 1, 1);
    expect_words("setp.eq.u32 q, lane, lane; cp.async.cg.shared.global [dst], [src], 16, q;"
                 "cp.async.wait_all;",
                 0, 4);
    expect_words("setp.ne.u32 q, lane, lane; cp.async.cg.shared.global [dst], [src], 16, q;"
                 "cp.async.wait_all;",
                 4, 0);
    // Nothing is read, so the source need not exist.
    expect_words(
        "mov.u64 src, 0; cp.async.cg.shared.global [dst], [src], 16, 0; cp.async.wait_all;", 0, 4);
}

// Odd lanes commit one group more than even ones.
KL_TEST(groups_are_counted_a_lane) {
    uint32_t out[LANES][4];
    copy_results("@odd cp.async.commit_group;\n" COPY16 "cp.async.commit_group;\n"
                 "@!odd cp.async.commit_group;\ncp.async.wait_group 1;",
                 out);
    for (uint32_t lane = 0; lane < LANES; lane++)
        ck_assert_uint_eq(out[lane][0], lane % 2 ? 1000 + lane : 10 * lane);
}

KL_TEST(older_groups_arrive_first) {
    expect_words("cp.async.ca.shared.global [dst], [src], 4; cp.async.commit_group;\n"
                 "cp.async.ca.shared.global [dst+4], [src+4], 4; cp.async.commit_group;\n"
                 "cp.async.ca.shared.global [dst+8], [src+8], 4; cp.async.commit_group;\n"
                 "cp.async.wait_group 1;",
                 2, 0);
}

KL_TEST(copies_count_as_loads) {
    uint32_t out[LANES][4];
    exec_rig *rig = open_body(COPY16 "@odd cp.async.ca.shared.global [dst], [src], 4;\n"
                                     "cp.async.cg.shared.global [dst], [src], 16, 0;");
    exec_expect_ok(rig, run_body(rig, out));
    const sim_function *function = rig->launch.function;
    const sim_raw_counts *counts =
        rig->result.recorded.counts[function - rig->program->functions].by_pc;
    uint64_t sectors[3] = {16, 16, 0};
    uint32_t found = 0;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        if (function->code[pc].op != SIM_OP_CP_ASYNC) continue;
        ck_assert_uint_eq(counts[pc].requests, 1);
        ck_assert_uint_eq(counts[pc].sectors, sectors[found++]);
    }
    ck_assert_uint_eq(found, 3);
}

static void expect_fault(const char *body, sim_status status, const char *fragment) {
    uint32_t out[LANES][4];
    exec_rig *rig = open_body(body);
    ck_assert_int_eq(run_body(rig, out), status);
    ck_assert_msg(strstr(rig->result.fault.text, fragment), "no '%s' in: %s", fragment,
                  rig->result.fault.text);
    exec_close(rig);
}

KL_TEST(wrong_addresses_fault) {
    expect_fault("cp.async.cg.shared.global [dst], [src+512], 16;", SIM_ILLEGAL_ADDRESS,
                 "argument 1");
    expect_fault("cp.async.cg.shared.global [dst+4096], [src], 16;", SIM_ILLEGAL_ADDRESS, "shared");
    expect_fault("cp.async.cg.shared.global [dst], [src+4], 16;", SIM_MISALIGNED_ADDRESS, "");
    expect_fault("cp.async.cg.shared.global [dst+8], [src], 16;", SIM_MISALIGNED_ADDRESS, "");
}

// ---- mbarrier -----------------------------------------------------------------------------------

// `body` leaves a number in r, which goes to shared memory and out.
static uint32_t result_of(const char *body) {
    char text[4096];
    uint32_t out[LANES][4];
    snprintf(text, sizeof text, "%s\nst.shared.u32 [dst], r;\n", body);
    copy_results(text, out);
    return out[1][0];
}

#define INIT(n)   "@p mbarrier.init.shared.b64 [bar], " #n ";\nbar.sync 0;\n"
#define TEST      "selp.u32 r, 1, 0, q;\n"
#define PARITY(n) "mbarrier.test_wait.parity.shared.b64 q, [bar], " #n ";\n" TEST

KL_TEST(phases_end_when_all_have_arrived) {
    ck_assert_uint_eq(result_of(INIT(32) PARITY(0)), 0);
    ck_assert_uint_eq(result_of(INIT(32) PARITY(1)), 1); // the phase before the first
    ck_assert_uint_eq(result_of(INIT(33) "mbarrier.arrive.shared.b64 state, [bar];\n" PARITY(0)),
                      0);
    ck_assert_uint_eq(result_of(INIT(32) "mbarrier.arrive.shared.b64 state, [bar];\n" PARITY(0)),
                      1);
    ck_assert_uint_eq(result_of(INIT(32) "mbarrier.arrive.shared.b64 state, [bar];\n" PARITY(1)),
                      0);
    ck_assert_uint_eq(result_of(INIT(64) "mbarrier.arrive.shared.b64 state, [bar], 2;\n"
                                         "mbarrier.test_wait.shared.b64 q, [bar], state;\n" TEST),
                      1);
}

KL_TEST(states_hold_the_arrivals_before) {
    uint32_t out[LANES][4];
    copy_results(INIT(40) "mbarrier.arrive.shared.b64 state, [bar];\n"
                          "mbarrier.pending_count.b64 r, state;\nst.shared.u32 [dst], r;",
                 out);
    for (uint32_t lane = 0; lane < LANES; lane++) ck_assert_uint_eq(out[lane][0], 40 - lane);
}

KL_TEST(dropped_threads_are_not_wanted_again) {
    ck_assert_uint_eq(result_of(INIT(32) "@odd mbarrier.arrive_drop.shared.b64 _, [bar];\n"
                                         "@!odd mbarrier.arrive.shared.b64 _, [bar];\n"
                                         "@!odd mbarrier.arrive.shared.b64 _, [bar];\n" PARITY(1)),
                      1);
}

KL_TEST(expected_bytes_hold_the_phase) {
    const char *expect = INIT(1) "@p mbarrier.arrive.expect_tx.shared.b64 state, [bar], 48;\n"
                                 "bar.sync 0;\n";
    char text[2048];
    snprintf(text, sizeof text, "%s%s", expect, PARITY(0));
    ck_assert_uint_eq(result_of(text), 0);
    snprintf(text, sizeof text, "%s@p mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 48;\n%s",
             expect, PARITY(0));
    ck_assert_uint_eq(result_of(text), 1);
}

#define ARRIVE_ASYNC(noinc) COPY16 "cp.async.mbarrier.arrive" noinc ".shared.b64 [bar];\n"

KL_TEST(copies_arrive_with_their_mbarrier) {
    ck_assert_uint_eq(result_of(INIT(32) ARRIVE_ASYNC(".noinc") PARITY(0)), 1);
    ck_assert_uint_eq(result_of(INIT(32) ARRIVE_ASYNC("") PARITY(0)), 0);
    expect_words(INIT(32) ARRIVE_ASYNC(".noinc"), 0, 0); // nobody looked
    expect_words(INIT(32) ARRIVE_ASYNC(".noinc") PARITY(0), 4, 0);
    ck_assert_uint_eq(
        result_of(INIT(32) ARRIVE_ASYNC("") "mbarrier.arrive.shared.b64 _, [bar];\n" PARITY(0)), 1);
}

#define BULK_IN                                                                                    \
    "@p mbarrier.arrive.expect_tx.shared.b64 state, [bar], 512;\n"                                 \
    "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [src], 512, "     \
    "[bar];\nbar.sync 0;\n"

KL_TEST(bulk_copies_complete_their_bytes) {
    expect_words(INIT(1) BULK_IN, 0, 0); // nobody looked
    expect_words(INIT(1) BULK_IN "LOOP: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n"
                                 "@!q bra LOOP;",
                 4, 0);
    // Orders, types and fences of PTX 9.3: the same copy.
    expect_words(
        INIT(1) "@p mbarrier.arrive.expect_tx.shared.b64 state, [bar], 512;\n"
                "@p cp.async.bulk.relaxed.cta.shared::cta.global.mbarrier::complete_tx::bytes"
                ".b128 [dst], [src], 512, [bar];\nbar.sync 0;\n"
                "LOOP: mbarrier.try_wait.parity.relaxed.cta.shared.b64 q, [bar], 0;\n"
                "@!q bra LOOP;\nfence.acquire.sync_restrict::shared::cluster.cluster;",
        4, 0);
    expect_words("bar.sync 0;\n"
                 "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
                 "@p cp.async.bulk.weak.global.shared::cta.bulk_group [src], [dst], 512;\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0;\n"
                 "ld.global.u32 r, [src]; st.shared.u32 [dst], r;",
                 0, 0);
    // Out and back.
    expect_words("bar.sync 0;\n@p cp.async.bulk.global.shared::cta.bulk_group [src], [dst], 512;\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0;\n"
                 "ld.global.u32 r, [src]; st.shared.u32 [dst], r;",
                 0, 0);
}

KL_TEST(wrong_use_of_an_mbarrier_is_named) {
    expect_fault("mbarrier.arrive.shared.b64 _, [bar];", SIM_ILLEGAL_INSTRUCTION,
                 "not initialised");
    expect_fault(INIT(8) "mbarrier.arrive.shared.b64 _, [bar], 9;", SIM_ILLEGAL_INSTRUCTION,
                 "wants 8 more of 8");
    expect_fault(INIT(1) "@p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
                         "@p mbarrier.arrive.shared.b64 _, [bar];",
                 SIM_ILLEGAL_INSTRUCTION, "had all of its 1 and goes on until 16 more bytes");
    expect_fault("@p mbarrier.init.shared.b64 [bar], 0;", SIM_ILLEGAL_INSTRUCTION, "0 arrivals");
    expect_fault("mbarrier.init.b64 [src], 4;", SIM_ILLEGAL_INSTRUCTION, "shared memory");
    expect_fault(INIT(1) "{ .reg .b32 bytes; mov.b32 bytes, 24;\n"
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], "
                         "[src], bytes, [bar]; }",
                 SIM_ILLEGAL_INSTRUCTION, "multiple of 16");
}

// A barrier of which one arrival never comes: the wait ends with a diagnosis.
KL_TEST(a_wait_for_nobody_is_found) {
    expect_fault(INIT(33) "mbarrier.arrive.shared.b64 state, [bar];\n"
                          "LOOP: mbarrier.try_wait.shared.b64 q, [bar], state;\n@!q bra LOOP;",
                 SIM_DEADLOCK, "32 of 33 threads have arrived");
}

// ---- barrier.cluster ----------------------------------------------------------------------------

KL_TEST(cluster_barriers_join_the_block) {
    static const char text[] =
        ".version 9.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 t, a; .reg .b64 out;\n.shared .align 4 .b8 tile[512];\n"
        "mov.u32 t, %tid.x; mov.u32 a, tile; mad.lo.u32 a, t, 4, a;\n"
        "st.shared.u32 [a], t;\nbarrier.cluster.arrive; barrier.cluster.wait;\n"
        "sub.u32 t, 127, t; mov.u32 a, tile; mad.lo.u32 a, t, 4, a;\nld.shared.u32 a, [a];\n"
        "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n"
        "ld.param.u64 out, [p]; mad.wide.u32 out, t, 4, out;\nst.global.u32 [out], a;\nret;\n}\n";
    exec_rig *rig = exec_open(text, 1);
    uint32_t out[128];
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "k", EXEC_DIM(1), EXEC_DIM(128), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (uint32_t t = 0; t < 128; t++) ck_assert_uint_eq(out[t], t);
}

// ---- forms of PTX 9.2 to 9.5, as an H200 does them ----

// Rows of 8 bytes, 16 elements of 4 bits with a sign, the first in the low half of a byte.
KL_TEST(matrices_expand) {
    uint32_t out[LANES][4];
    copy_results("ldmatrix.sync.aligned.m8n16.x4.shared.s8.s4 {x0, x1, x2, x3}, [dst];\n"
                 "st.shared.v4.u32 [dst], {x0, x1, x2, x3};\n"
                 "fence.alias.sync_restrict::read.release.sys;",
                 out);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t m = 0; m < 4; m++) {
            uint64_t row = (1000 + 8 * m + lane / 4) * UINT64_C(0x100000001);
            for (uint32_t e = 0; e < 4; e++) {
                int element = (int)(row >> (16 * (lane % 4) + 4 * e) & 15);
                if (element > 7) element -= 16;
                ck_assert_int_eq((int8_t)(out[lane][m] >> 8 * e), element);
            }
        }
}

// Of 40 bytes 48 are copied, the last `right` of which may lie outside.
static sim_status copy_past_the_end(uint32_t right, uint32_t out[12]) {
    exec_rig *rig =
        exec_open(".version 9.5\n.target sm_90\n.address_size 64\n"
                  ".visible .entry k(.param .u64 in, .param .u64 to, .param .u32 n) {\n"
                  ".reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q;\n"
                  ".shared .align 16 .b8 tile[48]; .shared .align 8 .b64 bar;\n"
                  "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [to]; ld.param.u32 %r3, [n];\n"
                  "mov.u32 %r1, tile; mov.u32 %r2, bar; mbarrier.init.shared.b64 [%r2], 1;\n"
                  "mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r2], 64;\n"
                  "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob"
                  " [%r1], [%rd1], 48, 0, %r3, [%r2];\n"
                  "ld.global.b128 %q, [%rd1];\n"
                  "st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [%r1], %q, [%r2];\n"
                  "W: mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0; @!%p bra W;\n"
                  "mov.u32 %r4, 0;\nL: ld.shared.u32 %r5, [%r1]; st.global.u32 [%rd2], %r5;\n"
                  "add.u32 %r1, %r1, 4; add.u64 %rd2, %rd2, 4; add.u32 %r4, %r4, 1;\n"
                  "setp.lt.u32 %p, %r4, 12; @%p bra L; ret; }\n",
                  1);
    uint32_t in[10];
    for (uint32_t i = 0; i < 10; i++) in[i] = 100 + i;
    uint64_t d_in = exec_alloc(rig, sizeof in, in), d_out = exec_alloc(rig, 48, NULL);
    sim_status status =
        exec_launch(rig, "k", EXEC_DIM(1), EXEC_DIM(1), 0, &d_in, &d_out, &right, NULL);
    if (status == SIM_OK) exec_read(rig, d_out, out, 48);
    exec_close(rig);
    return status;
}

KL_TEST(ends_of_a_bulk_copy_may_lie_outside) {
    uint32_t out[12];
    ck_assert_int_eq(copy_past_the_end(8, out), SIM_OK);
    for (uint32_t i = 0; i < 10; i++) ck_assert_uint_eq(out[i], 100 + i);
    ck_assert_int_eq(copy_past_the_end(4, out), SIM_ILLEGAL_ADDRESS);
    ck_assert_int_eq(copy_past_the_end(0, out), SIM_ILLEGAL_ADDRESS);
}

KL_TEST_MAIN("exec_async")
