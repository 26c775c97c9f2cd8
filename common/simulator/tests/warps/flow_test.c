// Control flow end to end, optimised and debug PTX: divergence, loops, calls, recursion, locks
// between lanes, and the ways of never ending.
#include "support/run.h"
#include "suite.h"

static const char *const files[] = {"flow", "flow_debug"};
enum { MAX_THREADS = 512 };

typedef int (*expect_fn)(int thread);

// Runs kernel(out) on one block and compares thread by thread.
static void check_kernel(const char *file, const char *kernel, uint32_t threads, expect_fn expect) {
    exec_rig *rig = exec_open_file(file, 2);
    int out[MAX_THREADS];
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, kernel, EXEC_DIM(1), EXEC_DIM(threads), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (uint32_t t = 0; t < threads; t++)
        ck_assert_msg(out[t] == expect((int)t), "%s/%s thread %u: %d, expected %d", file, kernel, t,
                      out[t], expect((int)t));
    exec_close(rig);
}

static int nested(int t, int depth) {
    int v = 0;
    if (t % 2) {
        if (t % 3) v += t;
        else v -= t;
        for (int i = 0; i < t % 5; i++) {
            if ((i + t) % 2) v += 3 * i;
            else v ^= i;
            if (v % 7 == 6) break;
            if (v % 5 == 4) continue;
            v += depth;
        }
    } else {
        int i = 0;
        while (true) {
            v += i * t;
            if (++i > t / 4) break;
        }
        if (t > 16) v = -v;
    }
    return v;
}

KL_TEST_ROWS(nested_divergence, 2) {
    exec_rig *rig = exec_open_file(files[_i], 2);
    int out[100], depth = 3;
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "nested", EXEC_DIM(1), EXEC_DIM(100), 0, &d_out, &depth, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 100; t++) ck_assert_int_eq(out[t], nested(t, depth));
}

static int early_return(int t) {
    if (t % 7 == 3) return -1;
    unsigned v = (unsigned)t;
    for (int i = 0; i < 100; i++) {
        v = v * 3 + 1;
        if ((int)v % 64 == t % 64) return i;
    }
    return (int)v;
}

KL_TEST_ROWS(early_returns, 2) {
    exec_rig *rig = exec_open_file(files[_i], 2);
    int out[700], n = 650;
    memset(out, 0x55, sizeof out);
    uint64_t d_out = exec_alloc(rig, sizeof out, out);
    EXEC_RUN(rig, "early_return", EXEC_DIM(7), EXEC_DIM(100), 0, &d_out, &n, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 700; t++) ck_assert_int_eq(out[t], t < n ? early_return(t) : 0x55555555);
}

static int cases(int t) {
    switch (t % 11) {
    case 0: return 5;
    case 1: return t * 2;
    case 2:
    case 3: return 9 + t;
    case 4: return t ^ 85;
    case 5: return 1 << (t & 7);
    case 6: return t / 3;
    case 7: return -t;
    case 8: return 1000;
    default: return 2000 + t % 11;
    }
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int recursion(int t) { return t % 3 ? fibonacci(t % 12) : 100 + (t % 2 == 0); }

static int unary(int which, int x) {
    switch (which) {
    case 0: return 3 * x;
    case 1: return x * x;
    default: return -(x * (x & 7));
    }
}
static int pointers(int t) {
    int v = unary(t % 3, t);
    if (t % 2) v += unary(t / 2 % 3, v);
    return v;
}
static int local_stack(int t) { return t * (t + 1) / 2; }

KL_TEST_ROWS(switches, 2) { check_kernel(files[_i], "cases", 128, cases); }
KL_TEST_ROWS(recursive_calls, 2) { check_kernel(files[_i], "recursion", 64, recursion); }
KL_TEST_ROWS(function_pointers, 2) { check_kernel(files[_i], "pointers", 96, pointers); }
KL_TEST_ROWS(stack_of_local_memory, 2) { check_kernel(files[_i], "local_stack", 64, local_stack); }

static sim_status run_pair(exec_rig *rig, const char *kernel, uint32_t blocks, uint32_t threads,
                           int *first, int *second, uint32_t count) {
    uint64_t d_first = exec_alloc(rig, count * sizeof(int), first);
    uint64_t d_second = exec_alloc(rig, count * sizeof(int), second);
    sim_status status =
        exec_launch(rig, kernel, EXEC_DIM(blocks), EXEC_DIM(threads), 0, &d_first, &d_second, NULL);
    exec_read(rig, d_first, first, count * sizeof(int));
    exec_read(rig, d_second, second, count * sizeof(int));
    return status;
}

KL_TEST_ROWS(locks_between_lanes_complete, 2) {
    static const char *const kernels[] = {"lane_lock", "naive_lock"};
    for (int k = 0; k < 2; k++) {
        exec_rig *rig = exec_open_file(files[_i], 3);
        int lock[1] = {0}, counter[1] = {0};
        exec_expect_ok(rig, run_pair(rig, kernels[k], 4, 96, lock, counter, 1));
        ck_assert_int_eq(counter[0], 4 * 96);
        ck_assert_int_eq(lock[0], 0);
        exec_close(rig);
    }
}

KL_TEST_ROWS(lanes_and_warps_wait_for_each_other, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    int flag[32] = {0}, out[32] = {0};
    exec_expect_ok(rig, run_pair(rig, "lane_waits", 1, 32, flag, out, 32));
    ck_assert_int_eq(out[0], 77);
    exec_expect_ok(rig, run_pair(rig, "warp_waits", 1, 64, flag, out, 32));
    for (int t = 0; t < 32; t++) ck_assert_int_eq(out[t], (t + 32) * 3);
}

KL_TEST_ROWS(endless_loops_are_stopped, 2) {
    exec_rig *rig = exec_open_file(files[_i], 2);
    int zeros[32] = {0};
    uint64_t d_out = exec_alloc(rig, sizeof zeros, zeros);
    rig->grid.max_instructions = 100000;
    ck_assert_int_eq(exec_launch(rig, "endless", EXEC_DIM(1), EXEC_DIM(64), 0, &d_out, NULL),
                     SIM_RUNAWAY);
    KL_HAS(rig->result.fault.text, "endless", "in the loop of line");
    ck_assert_uint_ge(rig->result.recorded.warp_instructions, 100000);
    ck_assert_uint_lt(rig->result.recorded.warp_instructions, 110000); // not at a time slice's end
    rig->grid.max_instructions = 0;
    ck_assert_int_eq(exec_launch(rig, "waits_for_ever", EXEC_DIM(1), EXEC_DIM(64), 0, &d_out, NULL),
                     SIM_DEADLOCK);
    KL_HAS(rig->result.fault.text, "flow.cu:");
    ck_assert_int_eq(
        exec_launch(rig, "endless_recursion", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, NULL),
        SIM_STACK_OVERFLOW);
}

// Reconvergence is what makes counts right: a loop with different trip counts runs as often as its
// longest lane.
KL_TEST(divergent_code_is_counted_once_a_split) {
    exec_rig *rig =
        exec_open(".version 9.0\n.target sm_90\n.address_size 64\n"
                  ".visible .entry loop(.param .u64 out) {\n"
                  ".reg .b32 %t, %i, %v;\n.reg .b64 %rd, %o;\n.reg .pred %p, %q;\n"
                  "mov.u32 %t, %laneid;\nmov.u32 %i, 0;\nmov.u32 %v, 0;\n"
                  "TOP:\nadd.u32 %v, %v, %i;\nadd.u32 %i, %i, 1;\n"
                  "setp.lt.u32 %p, %i, %t;\n@%p bra TOP;\n"
                  "setp.lt.u32 %q, %t, 8;\n@%q mul.lo.u32 %v, %v, 3;\n"
                  "ld.param.u64 %o, [out];\nmul.wide.u32 %rd, %t, 4;\nadd.u64 %o, %o, %rd;\n"
                  "st.global.u32 [%o], %v;\nret;\n}\n",
                  1);
    uint64_t d_out = exec_alloc(rig, 128, NULL);
    EXEC_RUN(rig, "loop", EXEC_DIM(3), EXEC_DIM(32), 0, &d_out, NULL);
    const sim_raw_counts *branch = exec_counts(rig, SIM_OP_BRA, PTX_SPACE_NONE);
    ck_assert_uint_eq(branch->executed, 3 * 31);
    ck_assert_uint_eq(branch->active, 3 * (1 + 31 * 32 / 2)); // lane t goes round max(1, t) times
    ck_assert_uint_eq(branch->divergent, 3 * 30);
    const sim_raw_counts *guarded = exec_counts(rig, SIM_OP_MUL, PTX_SPACE_NONE);
    ck_assert_uint_eq(guarded->executed, 3);
    ck_assert_uint_eq(guarded->active, 3 * 32);
    ck_assert_uint_eq(guarded->on, 3 * 8);
    const sim_raw_counts *store = exec_counts(rig, SIM_OP_ST, PTX_SPACE_GLOBAL);
    ck_assert_uint_eq(store->requests, 3);
    ck_assert_uint_eq(store->sectors, 12);
    ck_assert_uint_eq(store->on, 96);
    ck_assert_uint_eq(exec_executed(rig), rig->result.recorded.warp_instructions);
    ck_assert_uint_eq(rig->result.recorded.footprint_write_bytes, 128);
    ck_assert_uint_eq(rig->result.recorded.footprint_read_bytes, 0);
}

// Every fourth lane adds the word two further on to its own. `extra`: more instructions of these
// lanes; `shift`: of the address of the second load.
static sim_status run_some(exec_rig **out_rig, const char *extra, int shift, uint32_t out[32]) {
    char text[2048];
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry some(.param .u64 out) {\n"
             ".reg .b32 %%t, %%r, %%at, %%a, %%b, %%m;\n.reg .b64 %%rd, %%o;\n.reg .pred %%p;\n"
             ".shared .align 4 .b8 words[256];\n"
             "mov.u32 %%t, %%laneid;\nmov.u32 %%r, words;\nmad.lo.u32 %%at, %%t, 4, %%r;\n"
             "st.shared.u32 [%%at], %%t;\nst.shared.u32 [%%at+128], %%t;\nbar.warp.sync -1;\n"
             "and.b32 %%r, %%t, 3;\nsetp.ne.u32 %%p, %%r, 0;\n@%%p bra BEHIND;\n%s"
             "ld.shared.u32 %%a, [%%at];\nld.shared.u32 %%b, [%%at+%d];\n"
             "add.u32 %%a, %%a, %%b;\nst.shared.u32 [%%at], %%a;\n"
             "BEHIND:\nbar.warp.sync -1;\nld.shared.u32 %%a, [%%at];\n"
             "ld.param.u64 %%o, [out];\nmul.wide.u32 %%rd, %%t, 4;\nadd.u64 %%o, %%o, %%rd;\n"
             "st.global.u32 [%%o], %%a;\nret;\n}\n",
             extra, 8 + shift);
    *out_rig = exec_open(text, 1);
    uint64_t d_out = exec_alloc(*out_rig, 128, NULL);
    sim_status status = exec_launch(*out_rig, "some", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, NULL);
    exec_read(*out_rig, d_out, out, 128);
    return status;
}

// activemask keeps a branch from being taken for one around straight code.
static const char two_splits[] = "activemask.b32 %m;\n";

// Straight code that some lanes skip is executed at once: that changes neither results nor counts.
KL_TEST(skipped_code_counts_as_two_splits) {
    exec_rig *rigs[2];
    uint32_t out[2][32];
    for (int i = 0; i < 2; i++) {
        sim_status status = run_some(&rigs[i], i ? two_splits : "", 0, out[i]);
        exec_expect_ok(rigs[i], status);
        const sim_raw_counts *branch = exec_counts(rigs[i], SIM_OP_BRA, PTX_SPACE_NONE);
        const sim_raw_counts *load = exec_counts(rigs[i], SIM_OP_LD, PTX_SPACE_SHARED);
        const uint64_t counted[] = {branch->divergent, load->executed,   load->active,
                                    load->requests,    load->wavefronts, load->conflicts};
        const uint64_t expected[] = {1, 1, 8, 1, 1, 0};
        ck_assert_mem_eq(counted, expected, sizeof expected);
        ck_assert_uint_eq(exec_executed(rigs[i]), rigs[i]->result.recorded.warp_instructions);
    }
    for (uint32_t t = 0; t < 32; t++) ck_assert_uint_eq(out[0][t], t % 4 ? t : t + (t + 2) % 32);
    ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
    ck_assert_uint_eq(rigs[0]->result.recorded.warp_instructions + 1,
                      rigs[1]->result.recorded.warp_instructions);
    for (int i = 0; i < 2; i++) exec_close(rigs[i]);
}

// A fault in it takes back what was not executed.
KL_TEST(skipped_code_may_fault) {
    exec_rig *rigs[2];
    uint32_t out[32];
    for (int i = 0; i < 2; i++) {
        sim_status status = run_some(&rigs[i], i ? two_splits : "", 2, out);
        ck_assert_int_eq(status, SIM_MISALIGNED_ADDRESS);
        ck_assert_uint_eq(exec_counts(rigs[i], SIM_OP_ADD, PTX_SPACE_NONE)->executed, 0);
        ck_assert_uint_eq(exec_executed(rigs[i]), rigs[i]->result.recorded.warp_instructions);
    }
    ck_assert_uint_eq(rigs[0]->result.recorded.warp_instructions + 1,
                      rigs[1]->result.recorded.warp_instructions);
    for (int i = 0; i < 2; i++) exec_close(rigs[i]);
}

KL_TEST_MAIN("control flow")
