// SPDX-License-Identifier: MIT
// Protects which blocks are recorded for the cycle-level model: the first ones of an SM and those
// that lie spread over the rest, one in the middle of each share, of other SMs, too.
#include <check.h>

#include "suite.h"
#include "record/warp_trace.h"

enum { SMS = 10, FIRST = 4, ALL = 100 };

// Blocks that `traces` records, in their order.
static uint32_t recorded(sim_warp_traces *traces, uint64_t blocks[]) {
    uint32_t count = 0;
    for (uint64_t block = 0; block < SMS * ALL; block++)
        if (sim_warp_traces_begin(traces, block)) blocks[count++] = block;
    return count;
}

static sim_warp_traces *traces_of(sim_modelled_blocks modelled) {
    sim_warp_traces *traces = sim_warp_traces_new(SMS, &modelled, 2, 16);
    ck_assert_ptr_nonnull(traces);
    return traces;
}

START_TEST(the_first_blocks_are_recorded) {
    uint64_t blocks[ALL];
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 0, ALL, false, 0});
    ck_assert_uint_eq(recorded(traces, blocks), FIRST);
    ck_assert_uint_eq(blocks[FIRST - 1], (FIRST - 1) * SMS);
    sim_warp_traces_free(traces);
}
END_TEST

// Eight of the 96 blocks behind the first ones: one in the middle of each dozen.
START_TEST(others_lie_spread_over_the_rest) {
    uint64_t blocks[ALL], sms = 0;
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 8, ALL, false, 0});
    ck_assert_uint_eq(recorded(traces, blocks), FIRST + 8);
    for (uint32_t i = 0; i < FIRST; i++) {
        ck_assert_uint_eq(blocks[i], i * SMS);
        ck_assert_uint_eq(sim_warp_traces_modelled_number(traces, i), i);
    }
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_uint_eq(blocks[FIRST + i] / SMS, FIRST + 12 * i + 6);
        ck_assert_uint_eq(sim_warp_traces_modelled_number(traces, FIRST + i),
                          blocks[FIRST + i] / SMS);
        ck_assert(sim_warp_traces_modelled(traces, FIRST + i)->ran);
        sms |= UINT64_C(1) << blocks[FIRST + i] % SMS;
    }
    ck_assert_int_ge(__builtin_popcountll(sms), 4);
    sim_warp_traces_free(traces);
}
END_TEST

START_TEST(the_first_ones_may_be_of_other_sms) {
    uint64_t blocks[ALL];
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 8, ALL, true, 0});
    ck_assert_uint_eq(recorded(traces, blocks), FIRST + 8);
    for (uint32_t i = 0; i < FIRST; i++) {
        ck_assert_uint_eq(blocks[i] / SMS, i);
        ck_assert_uint_ne(blocks[i] % SMS, 0);
    }
    sim_warp_traces_free(traces);
}
END_TEST

// Where an SM gets few blocks, the last of them may be only on some.
START_TEST(the_last_blocks_are_of_the_first_sm) {
    uint64_t blocks[ALL];
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){2, 1, 3, true, 0});
    ck_assert_uint_eq(recorded(traces, blocks), 3);
    ck_assert_uint_eq(blocks[2], 2 * SMS);
    sim_warp_traces_free(traces);
}
END_TEST

START_TEST(the_launch_s_last_block_is_recorded_too) {
    uint64_t blocks[ALL + 1], last = SMS * ALL - 4;
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 8, ALL, false, last});
    ck_assert(!sim_warp_traces_last(traces)->ran);
    ck_assert_uint_eq(recorded(traces, blocks), FIRST + 8 + 1);
    ck_assert_uint_eq(blocks[FIRST + 8], last);
    ck_assert(sim_warp_traces_last(traces)->ran);
    for (uint32_t i = 0; i < FIRST + 8; i++)
        ck_assert_ptr_ne(sim_warp_traces_modelled(traces, i), sim_warp_traces_last(traces));
    sim_warp_traces_free(traces);
    // It may be one of the others.
    traces = traces_of((sim_modelled_blocks){FIRST, 0, FIRST, false, 3 * SMS});
    ck_assert_ptr_eq(sim_warp_traces_last(traces), sim_warp_traces_modelled(traces, 3));
    sim_warp_traces_free(traces);
    // A launch of one block has no last one beside it.
    traces = traces_of((sim_modelled_blocks){1, 0, 1, false, 0});
    ck_assert_ptr_null(sim_warp_traces_last(traces));
    sim_warp_traces_free(traces);
}
END_TEST

START_TEST(a_path_is_only_made_longer) {
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 0, ALL, false, 0});
    uint32_t accesses = traces->most_accesses;
    sim_warp_traces_lengthen(traces, 8, 0);
    ck_assert_uint_eq(traces->most_runs, 16);
    ck_assert_uint_eq(traces->most_accesses, accesses);
    sim_warp_traces_lengthen(traces, 32, 0);
    ck_assert_uint_eq(traces->most_runs, 32);
    ck_assert_uint_eq(traces->most_accesses, 2 * accesses);
    sim_warp_traces_lengthen(traces, 32, 10 * accesses);
    ck_assert_uint_eq(traces->most_accesses, 10 * accesses);
    sim_warp_traces_free(traces);
}
END_TEST

KL_TEST_MAIN("recorded blocks", the_first_blocks_are_recorded, others_lie_spread_over_the_rest,
             the_first_ones_may_be_of_other_sms, the_last_blocks_are_of_the_first_sm,
             the_launch_s_last_block_is_recorded_too, a_path_is_only_made_longer)
