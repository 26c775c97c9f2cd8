// SPDX-License-Identifier: MIT
// Protects the counting of chains of blocks that wait for each other: a block comes one link after
// the state in which the block before stored first; what it showed before it waited hands nothing
// on; its own words make no link, nor do those of the launch before; fences within links count; and
// the table grows.
#include <check.h>

#include "record/block_chain.h"
#include "record/record.h"
#include "suite.h"

enum { BLOCKS = 5000 };

static sim_launch_record launch;
static sim_chain_end ends[BLOCKS];
static uint32_t fences[BLOCKS]; // of the one warp of a block

static void begin(void) {
    launch = (sim_launch_record){0};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        ends[b] = (sim_chain_end){0};
        fences[b] = 0;
    }
}

static void stores(uint64_t block, uint64_t address) {
    sim_block_chain_note(&launch.chain, block, &ends[block], 0, fences[block], address, true);
}

static void reads(uint64_t block, uint64_t address) {
    sim_block_chain_note(&launch.chain, block, &ends[block], 0, fences[block], address, false);
}

static uint32_t longest(void) {
    sim_recorded recorded = {0};
    sim_recorder_block_chain.fold(&launch, &recorded);
    return (uint32_t)recorded.chain_links;
}

// Where block b shows its state.
static uint64_t place(uint64_t block) {
    return 0x7000000000 + 8 * block;
}

START_TEST(each_block_waits_for_the_one_before) {
    begin();
    stores(0, place(0));
    for (uint64_t b = 1; b < BLOCKS; b++) { // the table grows several times
        reads(b, place(b - 1));
        stores(b, place(b));
    }
    ck_assert_uint_eq(longest(), BLOCKS - 1);
    sim_block_chain_free(&launch.chain);
}
END_TEST

START_TEST(who_shows_before_it_waits_hands_nothing_on) {
    begin();
    stores(0, place(0));
    for (uint64_t b = 1; b < 100; b++) {
        stores(b, place(b)); // its own sum
        reads(b, place(b - 1));
        stores(b, place(b)); // the sum up to it: not the first
    }
    ck_assert_uint_eq(longest(), 1);
    sim_block_chain_free(&launch.chain);
}
END_TEST

START_TEST(the_longest_way_counts_once) {
    begin();
    stores(0, place(0));
    reads(1, place(0));
    stores(1, place(1));
    reads(2, place(0));
    reads(2, place(1));
    reads(2, place(1)); // asked again
    reads(2, place(0)); // a shorter way does not take it back
    stores(2, place(2));
    ck_assert_uint_eq(ends[2].links, 2);
    ck_assert_uint_eq(longest(), 2);
    sim_block_chain_free(&launch.chain);
}
END_TEST

START_TEST(own_and_unknown_words_are_no_link) {
    begin();
    reads(0, place(0)); // nobody has stored anything
    stores(0, place(0));
    reads(0, place(0));
    reads(1, place(7));
    ck_assert_uint_eq(longest(), 0);
    sim_block_chain_free(&launch.chain);
}
END_TEST

START_TEST(a_launch_begins_anew) {
    begin();
    stores(0, place(0));
    reads(1, place(0));
    ck_assert_uint_eq(longest(), 1);
    ck_assert(sim_recorder_block_chain.launch_begin(&launch));
    ends[1] = (sim_chain_end){0};
    reads(1, place(0)); // a store of the launch before
    ck_assert_uint_eq(longest(), 0);
    sim_block_chain_free(&launch.chain);
}
END_TEST

// Sum and flag are two words: a fence behind the read of the flag, another before its store.
START_TEST(fences_between_read_and_store_count) {
    begin();
    fences[0] = 3; // nobody waited for them
    stores(0, place(0));
    for (uint64_t b = 1; b < 100; b++) {
        fences[b] = 5; // before it waits
        reads(b, place(b - 1));
        fences[b] += 2;
        stores(b, place(b));
        fences[b]++; // behind its store
    }
    sim_recorded recorded = {0};
    sim_recorder_block_chain.fold(&launch, &recorded);
    ck_assert_uint_eq(recorded.chain_links, 99);
    ck_assert_uint_eq(recorded.chain_fences, 2 * 98); // those of the last block hand nothing on
    sim_block_chain_free(&launch.chain);
}
END_TEST

KL_TEST_MAIN("block_chain", each_block_waits_for_the_one_before,
             who_shows_before_it_waits_hands_nothing_on, the_longest_way_counts_once,
             own_and_unknown_words_are_no_link, a_launch_begins_anew,
             fences_between_read_and_store_count)
