// Warp-level operations end to end: shuffles at full and partial masks, votes, matches, reductions,
// lanes that meet from different addresses, lanes that have left, lanes that never come.
#include "support/run.h"
#include "suite.h"

static const char *const files[] = {"warps", "warps_debug"};
enum { OUT = 512 };

static void run_out(const char *file, const char *kernel, uint32_t threads, int out[OUT]) {
    exec_rig *rig = exec_open_file(file, 1);
    uint64_t d_out = exec_alloc(rig, OUT * sizeof(int), NULL);
    EXEC_RUN(rig, kernel, EXEC_DIM(1), EXEC_DIM(threads), 0, &d_out, NULL);
    exec_read(rig, d_out, out, OUT * sizeof(int));
    exec_close(rig);
}

KL_TEST_ROWS(shuffles, 2) {
    int out[OUT];
    run_out(files[_i], "shuffles", 32, out);
    for (int t = 0; t < 32; t++) {
        ck_assert_int_eq(out[t], 100 + (t + 3 < 32 ? t + 3 : t));
        ck_assert_int_eq(out[t + 32], 100 + (t >= 5 ? t - 5 : t));
        ck_assert_int_eq(out[t + 64], 100 + (t ^ 9));
        ck_assert_int_eq(out[t + 96], 100 + t * 7 % 32);
        ck_assert_int_eq(out[t + 128], 100 + (t % 8 + 3 < 8 ? t + 3 : t));
        ck_assert_int_eq(out[t + 160], 100 + (t % 16 >= 3 ? t - 3 : t));
        int partner =
            t ^ 9; // beyond a segment of 8 only downwards: the lane keeps its own value above
        ck_assert_int_eq(out[t + 192], 100 + (partner / 8 <= t / 8 ? partner : t));
        ck_assert_int_eq(out[t + 224], 100 + t / 8 * 8 + 13 % 8);
    }
}

KL_TEST_ROWS(partial_masks, 2) {
    int out[OUT];
    run_out(files[_i], "partial_masks", 32, out);
    for (int t = 0; t < 11; t++) ck_assert_int_eq(out[t], t + 1);
    ck_assert_int_eq(out[11], (int)0x7BDE7BAD); // lane 12 is not there
    for (int t = 12; t < 20; t++) ck_assert_int_eq(out[t], 0x000AA000);
    for (int t = 20; t < 32; t++) ck_assert_int_eq(out[t], 50);
}

KL_TEST_ROWS(two_masks_in_one_instruction, 2) {
    int out[OUT];
    run_out(files[_i], "two_masks", 32, out);
    for (int t = 0; t < 32; t++) ck_assert_int_eq(out[t], (t ^ 5) + (t < 16 ? 6 : 5) * 100);
}

KL_TEST_ROWS(exchange_across_a_branch, 2) {
    int out[OUT];
    run_out(files[_i], "across_branches", 32, out);
    for (int t = 0; t < 32; t++)
        ck_assert_int_eq(out[t], t % 2 ? (t - 1) * 10 + 1 : (t + 1) * 10 + 1000);
}

KL_TEST_ROWS(votes_matches_reductions, 2) {
    int out[OUT];
    run_out(files[_i], "votes", 32, out);
    int greatest = 0;
    for (int t = 0; t < 32; t++) greatest = (t ^ 21) > greatest ? t ^ 21 : greatest;
    for (int t = 0; t < 32; t++) {
        uint32_t fives = 0, thirds = 0;
        for (int k = 0; k < 32; k++) {
            if (k / 5 == t / 5) fives |= 1u << k;
            if (k % 3 == t % 3) thirds |= 1u << k;
        }
        ck_assert_int_eq(out[t], 1);
        ck_assert_int_eq(out[t + 32], 1);
        ck_assert_uint_eq((uint32_t)out[t + 64], 0x49249249);
        ck_assert_uint_eq((uint32_t)out[t + 96], fives);
        ck_assert_int_eq(out[t + 128], 0); // all lanes, plus the predicate 1
        ck_assert_int_eq(out[t + 160], 0);
        ck_assert_int_eq(out[t + 192], 31 * 32 / 2);
        ck_assert_int_eq(out[t + 224], greatest);
        ck_assert_uint_eq((uint32_t)out[t + 256], t % 4 == 1 ? 0x22222222 : 0);
        ck_assert_uint_eq((uint32_t)out[t + 288], thirds);
    }
}

KL_TEST_ROWS(cooperative_groups, 2) {
    int out[OUT];
    run_out(files[_i], "tiles", 64, out);
    for (int t = 0; t < 64; t++) {
        int sum = 0;
        for (int k = t; k < t + 8; k++) sum += k;
        ck_assert_int_eq(out[t], t % 8 ? -1 : sum);
        int before = 0, total = 0; // threads of the warp that are multiples of 3
        for (int k = t / 32 * 32; k < t / 32 * 32 + 32; k++) {
            total += k % 3 == 0;
            before += k % 3 == 0 && k < t;
        }
        ck_assert_int_eq(out[64 + t], t % 3 ? 32 : total * 1000 + before);
    }
}

KL_TEST_ROWS(lanes_that_left_are_not_waited_for, 2) {
    int out[OUT];
    run_out(files[_i], "after_exit", 32, out);
    for (int t = 0; t < 19; t++) ck_assert_int_eq(out[t], t + 1);
}

// Each lane below `count` votes with the mask `base | own * ((1 << lane) - 1)`.
static const char own_masks[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry vote(.param .u64 out, .param .u32 count, .param .u32 base, .param .u32 own) "
    "{\n.reg .b32 %l, %n, %b, %o, %m, %v;\n.reg .b64 %rd, %off;\n.reg .pred %p;\n"
    "ld.param.u64 %rd, [out];\nld.param.u32 %n, [count];\nld.param.u32 %b, [base];\n"
    "ld.param.u32 %o, [own];\nmov.u32 %l, %tid.x;\n"
    "setp.ge.u32 %p, %l, %n;\n@%p bra done;\n"
    "mov.u32 %m, 1;\nshl.b32 %m, %m, %l;\nadd.u32 %m, %m, -1;\nmul.lo.u32 %m, %m, %o;\n"
    "or.b32 %m, %m, %b;\nsetp.ge.u32 %p, %l, 0;\n"
    "vote.sync.ballot.b32 %v, %p, %m;\n"
    "mul.wide.u32 %off, %l, 4;\nadd.u64 %rd, %rd, %off;\nst.global.u32 [%rd], %v;\n"
    "done:\nbar.warp.sync -1;\nret;\n}\n";

// As an H200 has it: a whole warp with one mask takes part as a whole; otherwise a lane that its
// mask omits is an illegal instruction.
KL_TEST_ROWS(lanes_that_their_masks_omit, 6) {
    static const struct {
        uint32_t count, base, own;
        bool faults;
    } cases[] = {{32, 0xfffffffe, 0, false}, {32, 0x0000ffff, 0, false},
                 {32, 0, 0, false},          {32, 0, 1, true},
                 {16, 0xffff0000, 0, true},  {16, 0x0000ffff, 0, false}};
    uint32_t out[32] = {0};
    exec_rig *rig = exec_open(own_masks, 1);
    uint64_t d_out = exec_alloc(rig, sizeof out, out);
    sim_status status = exec_launch(rig, "vote", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out,
                                    &cases[_i].count, &cases[_i].base, &cases[_i].own, NULL);
    if (cases[_i].faults) {
        ck_assert_int_eq(status, SIM_ILLEGAL_INSTRUCTION);
        KL_HAS(rig->result.fault.text, "does not name lane 0");
    } else {
        ck_assert_int_eq(status, SIM_OK);
        exec_read(rig, d_out, out, sizeof out);
        for (uint32_t lane = 0; lane < cases[_i].count; lane++)
            ck_assert_uint_eq(out[lane], cases[_i].count == 32 ? 0xffffffff : 0xffff);
    }
}

KL_TEST_ROWS(a_missing_lane_is_explained, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    uint64_t d_out = exec_alloc(rig, OUT * sizeof(int), NULL);
    ck_assert_int_eq(exec_launch(rig, "missing_lane", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, NULL),
                     SIM_DEADLOCK);
    const char *text = rig->result.fault.text;
    ck_assert_msg(strstr(text, "lanes 0 to 4, 6 to 31 at ") && strstr(text, "lane 5 is missing") &&
                      strstr(text, "barrier 0, 1 of 32") && strstr(text, "warps.cu:"),
                  "%s", text);
}

KL_TEST_MAIN("warp-level operations")
