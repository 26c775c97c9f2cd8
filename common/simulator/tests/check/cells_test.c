// SPDX-License-Identifier: MIT
// The checks' loops over many cells and many bits against the same for one at a time, on random
// records around every bound that they are compared with.
#include "check/bits.h"
#include "check/cells.h"

#include <check.h>
#include <string.h>

#include "suite.h"
#include "support/random.h"

enum { CELLS = 96, TRIES = 20000, WORDS = 8, BITS = 64 * WORDS };

// Times: floor 100, iteration 110, base 120, warp 125, now 130.
static check_record random_record(uint64_t *state, bool own) {
    static const uint32_t times[] = {0, 99, 100, 105, 110, 119, 120, 124, 125, 130};
    uint32_t time = times[random_bits(state) % 10];
    if (own && time >= 100 && time < 110) time = 99; // no other block's
    if (random_bits(state) % 64 == 0) return CHECK_PENDING;
    return (check_record)time << CHECK_TIME_SHIFT |
           (random_bits(state) % 40) << CHECK_THREAD_SHIFT | 5 << CHECK_SITE_SHIFT;
}

static check_record some_cells[2][CHECK_CELLS_BYTES(CELLS) / sizeof(check_record)];

// Mostly cells that need no closer look, which is what makes a difference visible.
static void fill(uint64_t *state, bool own) {
    bool mixed = random_bits(state) % 2;
    for (uint32_t i = 0; i < 4 * CELLS; i++) {
        check_record record = random_record(state, own);
        bool plain = !mixed || random_bits(state) % 16;
        some_cells[0][i] = plain ? record % (UINT64_C(100) << CHECK_TIME_SHIFT) : record;
    }
    memset(&some_cells[0][4 * CELLS], 0, CELLS / CHECK_LINE * sizeof(check_line));
    memcpy(some_cells[1], some_cells[0], sizeof some_cells[0]);
}

static check_row row_at(check_cells *cells, int copy) {
    *cells = (check_cells){.write = some_cells[copy]};
    check_cells_split(cells, CELLS);
    return (check_row){.cells = cells,
                       .floor = INT64_C(100) << CHECK_TIME_SHIFT,
                       .since = INT64_C(110) << CHECK_TIME_SHIFT,
                       .base = INT64_C(120) << CHECK_TIME_SHIFT,
                       .warp = INT64_C(125) << CHECK_TIME_SHIFT,
                       .record = UINT64_C(130) << CHECK_TIME_SHIFT};
}

// One lane after the other; false: one of them needs a closer look.
static bool one_by_one(const check_row *row, uint64_t first, uint32_t lanes, bool is_write) {
    bool good = true;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1)) continue;
        good &= is_write ? check_write_row(row, false, first + lane, 1, 1, lane)
                         : check_read_row(row, false, first + lane, 1, 1, lane, 0);
    }
    return good;
}

START_TEST(some_lanes_of_a_row) {
    uint64_t state = 1;
    uint32_t settled = 0;
    for (int i = 0; i < TRIES; i++) {
        bool own = random_bits(&state) % 2, is_write = random_bits(&state) % 2;
        uint64_t first = random_bits(&state) % (CELLS - 31);
        uint32_t lanes = (uint32_t)random_bits(&state) | 1;
        check_cells cells[2];
        fill(&state, own);
        const check_row quick = row_at(&cells[0], 0), slow = row_at(&cells[1], 1);
        bool good = is_write ? check_write_some(&quick, own, first, lanes)
                             : check_read_some(&quick, own, first, lanes);
        bool each = one_by_one(&slow, first, lanes, is_write);
        ck_assert_int_eq(good, each);
        settled += good;
        if (good) ck_assert_mem_eq(some_cells[0], some_cells[1], sizeof some_cells[0]);
    }
    ck_assert_uint_gt(settled, TRIES / 8);
    ck_assert_uint_lt(settled, TRIES - TRIES / 8);
}
END_TEST

// Where no other block has been, the bounds of the block alone decide alike.
START_TEST(own_cells) {
    uint64_t state = 2;
    for (int i = 0; i < TRIES; i++) {
        bool is_write = random_bits(&state) % 2;
        uint64_t first = random_bits(&state) % (CELLS - 15);
        uint32_t again = random_bits(&state) % 2 ? 16 : 0;
        check_cells cells[2];
        fill(&state, true);
        const check_row one = row_at(&cells[0], 0), other = row_at(&cells[1], 1);
        bool own = is_write ? check_write_row(&one, true, first, 16, 1, 16)
                            : check_read_row(&one, true, first, 16, 1, 0, again);
        bool any = is_write ? check_write_row(&other, false, first, 16, 1, 16)
                            : check_read_row(&other, false, first, 16, 1, 0, again);
        ck_assert_int_eq(own, any);
        ck_assert_mem_eq(some_cells[0], some_cells[1], sizeof some_cells[0]);
    }
}
END_TEST

// What a line tells is what its cells tell, now and when the block is further on: a read of any of
// them has no finding and leaves them as they are. A change of a cell ends it.
START_TEST(lines) {
    uint64_t state = 5;
    uint32_t learned = 0, settled = 0;
    for (int i = 0; i < TRIES; i++) {
        bool own = random_bits(&state) % 2;
        check_cells cells;
        fill(&state, own);
        check_row row = row_at(&cells, 0);
        check_record read = (100 + random_bits(&state) % 31) << CHECK_TIME_SHIFT;
        for (uint32_t c = 0; c < CHECK_LINE; c++) // by threads of one time, mostly
            if (random_bits(&state) % 64) cells.reads[1][c] = read | c << CHECK_THREAD_SHIFT;
        memcpy(some_cells[1], some_cells[0], sizeof some_cells[0]);
        check_line_learn(&row, own, 0);
        if (!cells.lines[0].read) continue;
        learned++;
        uint32_t later = (uint32_t)random_bits(&state) % 8, now = 120 + later;
        check_bounds bounds = {100, 110, now, now + 5};
        row.base = (int64_t)bounds.base << CHECK_TIME_SHIFT;
        row.warp = (int64_t)bounds.warp << CHECK_TIME_SHIFT;
        if (!check_line_settles(&cells.lines[0], own, &bounds)) continue;
        settled++;
        ck_assert(check_read_row(&row, own, 0, CHECK_LINE, 1, 0, 0));
        ck_assert_mem_eq(some_cells[0], some_cells[1], 4 * CELLS * sizeof(check_record));
        check_row next = row;
        next.record = UINT64_C(140) << CHECK_TIME_SHIFT;
        if (check_write_row(&next, own, i % CHECK_LINE, 1, 1, 0))
            ck_assert(!check_line_settles(&cells.lines[0], own, &bounds));
    }
    ck_assert_uint_gt(learned, TRIES / 64);
    ck_assert_uint_gt(settled, TRIES / 256);
    ck_assert_uint_lt(settled, learned);
}
END_TEST

START_TEST(bits_of_words) {
    uint64_t state = 3;
    for (int i = 0; i < TRIES; i++) {
        uint64_t bits[2][WORDS], first = 4 * (random_bits(&state) % ((BITS - 64) / 4 + 1));
        uint32_t words = (uint32_t)random_bits(&state) & 0xFFFF;
        for (int w = 0; w < WORDS; w++)
            bits[0][w] = bits[1][w] = random_bits(&state) | random_bits(&state);
        bool all = true;
        for (uint32_t word = 0; word < 16; word++)
            if (words >> word & 1) all &= check_bits_all(bits[0], first + 4 * word, 4);
        ck_assert_int_eq(check_bits_all_these(bits[0], first, check_bits_of_words(words)), all);
        for (uint32_t word = 0; word < 16; word++)
            if (words >> word & 1) check_bits_set(bits[1], first + 4 * word, 4);
        check_bits_set_these(bits[0], first, check_bits_of_words(words));
        ck_assert_mem_eq(bits[0], bits[1], sizeof bits[0]);
        ck_assert(check_bits_all_these(bits[0], first, check_bits_of_words(words)));
    }
}
END_TEST

START_TEST(all_bits_of_a_range) {
    uint64_t state = 4, bits[WORDS] = {0};
    for (int i = 0; i < TRIES; i++) {
        uint64_t first = random_bits(&state) % BITS, count = random_bits(&state) % (BITS - first);
        memset(bits, 0, sizeof bits);
        ck_assert_int_eq(check_bits_all(bits, first, count), count == 0);
        check_bits_set(bits, first, count);
        ck_assert(check_bits_all(bits, first, count));
        ck_assert(!check_bits_all(bits, first, count + 1));
        if (first) ck_assert(!check_bits_all(bits, first - 1, count + 1));
        if (count > 2) {
            check_bits_clear(bits, first + count / 2, 1);
            ck_assert(!check_bits_all(bits, first, count));
        }
    }
}
END_TEST

KL_TEST_MAIN("cells", some_lanes_of_a_row, own_cells, lines, bits_of_words, all_bits_of_a_range)
