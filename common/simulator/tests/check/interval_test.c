// SPDX-License-Identifier: MIT
// What is only noted of accesses between two barriers (check/interval.h): none of it may conflict,
// which is held against a list of all lanes' accesses; and what ordinary kernels do is noted.
#include "check/interval.h"

#include <check.h>
#include <string.h>

#include "suite.h"
#include "support/random.h"

enum { CELLS = 512, THREADS = 256, TRIES = 3000, ACCESSES = 12 };

static check_strip strips[CELLS / CHECK_STRIP + 1];
static check_interval interval;
static sim_row_note noted[ACCESSES];
static uint32_t count;

// Strips stay from one interval to the next.
static void begin(uint32_t time) {
    interval = (check_interval){.strips = strips, .begin = time};
    count = 0;
}

static bool note(uint32_t warp, uint32_t a, uint32_t b, uint32_t stride, uint32_t lanes,
                 bool is_store) {
    const sim_row_note access = {.base = {4 * a, 4 * b},
                                 .lanes = lanes,
                                 .warp = (uint16_t)warp,
                                 .stride = (uint8_t)stride,
                                 .is_store = is_store};
    if (!check_interval_fits(&interval, &access)) return false;
    noted[count++ % ACCESSES] = access;
    return true;
}

// By cell: the threads that have accessed it, as far as two matter, and one that has written it.
typedef struct cell {
    int first, second, writer; // thread + 1
} cell;

static void enter(cell *c, int thread, bool is_store) {
    if (!c->first || c->first == thread)
        c->first = thread;
    else
        c->second = thread;
    if (is_store) c->writer = thread;
}

static void enter_all(cell *cells, const sim_row_note *n) {
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(n->lanes >> lane & 1)) continue;
        uint32_t at = n->base[lane / 16] / 4 + lane % 16 * n->stride / 4;
        ck_assert_uint_lt(at, CELLS);
        enter(&cells[at], (int)(32 * n->warp + lane + 1), n->is_store);
    }
}

START_TEST(no_conflict_is_noted) {
    uint64_t state = 7;
    uint32_t stores = 0, mixed = 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        cell cells[CELLS] = {{0}};
        begin(2 * i + 1);
        for (int k = 0; k < ACCESSES; k++) {
            uint32_t warp = random_bits(&state) % 8, kind = random_bits(&state) % 4;
            uint32_t a = random_bits(&state) % 3 ? 32 * warp : random_bits(&state) % (CELLS - 64);
            uint32_t lanes = random_bits(&state) % 2 ? UINT32_MAX : (uint32_t)random_bits(&state);
            uint32_t b = kind == 0 ? random_bits(&state) % (CELLS - 64) : kind == 1 ? a : a + 16;
            uint32_t stride = random_bits(&state) % 4 ? 4 : 0;
            bool is_store = random_bits(&state) % 3 == 0;
            if (!lanes || !note(warp, a, b, stride, lanes, is_store)) break;
        }
        for (uint32_t k = 0; k < count; k++) enter_all(cells, &noted[k]);
        for (int c = 0; c < CELLS; c++) {
            ck_assert(!cells[c].writer || !cells[c].second);
            stores += cells[c].writer != 0;
            mixed += cells[c].second != 0;
        }
    }
    ck_assert_uint_gt(stores, TRIES);
    ck_assert_uint_gt(mixed, TRIES);
}
END_TEST

// A tile of 16 x 16 that all warps store a part of, then read by rows and columns.
START_TEST(tiles) {
    for (uint32_t tile = 0; tile < 4; tile++) {
        begin(100 + 2 * tile);
        for (uint32_t warp = 0; warp < 8; warp++)
            ck_assert(note(warp, 32 * warp, 32 * warp + 16, 4, UINT32_MAX, true));
        ck_assert(!note(0, 0, 16, 0, UINT32_MAX, false)); // no barrier between
        begin(101 + 2 * tile);
        for (uint32_t warp = 0; warp < 8; warp++)
            for (uint32_t k = 0; k < 16; k++) {
                ck_assert(note(warp, 32 * warp + k, 32 * warp + 16 + k, 0, UINT32_MAX, false));
                ck_assert(note(warp, 16 * k, 16 * k, 4, UINT32_MAX, false));
            }
        ck_assert(!note(3, 96, 112, 4, UINT32_MAX, true)); // what others have read
    }
}
END_TEST

// partial[t] += partial[t + stride] for t % (2 * stride) == 0.
START_TEST(reduction) {
    memset(strips, 0, sizeof strips);
    begin(200);
    for (uint32_t warp = 0; warp < 8; warp++)
        ck_assert(note(warp, 32 * warp, 32 * warp + 16, 4, UINT32_MAX, true));
    for (uint32_t stride = 1; stride < 32; stride *= 2) {
        uint32_t lanes = 0;
        for (uint32_t lane = 0; lane < 32; lane += 2 * stride) lanes |= UINT32_C(1) << lane;
        begin(200 + stride);
        for (uint32_t warp = 0; warp < 8; warp++) {
            uint32_t a = 32 * warp;
            ck_assert(note(warp, a + stride, a + stride + 16, 4, lanes, false));
            ck_assert(note(warp, a, a + 16, 4, lanes, false));
            ck_assert(note(warp, a, a + 16, 4, lanes, true));
        }
        // The next step without a barrier reads what another lane has written.
        ck_assert(!note(2, 64 + 2 * stride, 80 + 2 * stride, 4, 1, false));
    }
}
END_TEST

KL_TEST_MAIN("interval", no_conflict_is_noted, tiles, reduction)
