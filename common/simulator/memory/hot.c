// SPDX-License-Identifier: MIT
// Counting of hot addresses: see hot.h.
#include "memory/hot.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, WORD = 4 };

// A number below `count`, a power of two, for a word or a piece.
static uint32_t number_of(uint64_t value, uint32_t count) {
    return (uint32_t)(value * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (count - 1);
}

void sim_hot_begin(sim_hot *hot, uint64_t blocks, uint64_t together) {
    if (hot->words) memset(hot->windows, 0, hot->capacity * sizeof *hot->windows);
    hot->words = hot->sectors = hot->repeats = 0;
    uint64_t windows = (blocks + together - 1) / together;
    if (windows > SIM_HOT_WINDOWS) windows = SIM_HOT_WINDOWS;
    hot->window_count = windows ? (uint32_t)windows : 1;
    hot->window_blocks = blocks ? (blocks + hot->window_count - 1) / hot->window_count : 1;
}

void sim_hot_free(sim_hot *hot) {
    free(hot->windows);
    *hot = (sim_hot){0};
}

static bool make_windows(sim_hot *hot, uint32_t windows) {
    if (hot->capacity >= windows) return true;
    sim_hot_window *grown = realloc(hot->windows, windows * sizeof *grown);
    if (!grown) return false;
    memset(grown + hot->capacity, 0, (windows - hot->capacity) * sizeof *grown);
    hot->windows = grown;
    hot->capacity = windows;
    return true;
}

static void note(sim_hot *hot, sim_hot_window *window, uint64_t address, uint32_t operations,
                 uint32_t sectors) {
    window->word[number_of(address / WORD, SIM_HOT_WORDS)] += operations;
    window->piece[number_of(address >> SIM_HOT_PIECE_BITS, SIM_HOT_PIECES)] += sectors;
    hot->words += operations;
    hot->sectors += sectors;
}

void sim_hot_note(sim_hot *hot, uint64_t block, const uint64_t address[], uint32_t lanes,
                  bool once) {
    if (!make_windows(hot, hot->window_count)) return;
    sim_hot_window *at = &hot->windows[block / hot->window_blocks];
    if (once) {
        note(hot, at, address[__builtin_ctz(lanes)], 1, 1);
        return;
    }
    uint64_t sector = 0, word = 0;
    uint32_t run = 0, longest = 0; // lanes in turn on one word; most of them in the sector
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t next = address[__builtin_ctz(rest)];
        bool enters = next / SECTOR != sector || rest == lanes;
        if (enters) {
            hot->repeats += longest > 1 ? longest - 1 : 0;
            longest = 0;
        }
        run = !enters && next == word ? run + 1 : 1;
        if (run > longest) longest = run;
        note(hot, at, next, 1, enters);
        sector = next / SECTOR;
        word = next;
    }
    hot->repeats += longest > 1 ? longest - 1 : 0;
}

void sim_hot_add(sim_hot *to, const sim_hot *from) {
    if (!from->words || !make_windows(to, from->capacity)) return;
    for (uint32_t w = 0; w < from->capacity; w++) {
        for (uint32_t n = 0; n < SIM_HOT_WORDS; n++)
            to->windows[w].word[n] += from->windows[w].word[n];
        for (uint32_t n = 0; n < SIM_HOT_PIECES; n++)
            to->windows[w].piece[n] += from->windows[w].piece[n];
    }
    to->words += from->words;
    to->sectors += from->sectors;
    to->repeats += from->repeats;
}

static uint32_t largest(const uint32_t *numbers, uint32_t count) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) most = numbers[i] > most ? numbers[i] : most;
    return most;
}

sim_hottest sim_hot_hottest(const sim_hot *hot) {
    uint64_t words = 0, pieces = 0;
    if (!hot->words) return (sim_hottest){0};
    for (uint32_t w = 0; w < hot->capacity; w++) {
        words += largest(hot->windows[w].word, SIM_HOT_WORDS);
        pieces += largest(hot->windows[w].piece, SIM_HOT_PIECES);
    }
    return (sim_hottest){.word = (double)words / (double)hot->words,
                         .piece = (double)pieces / (double)hot->sectors,
                         .repeats = (double)hot->repeats / (double)hot->sectors};
}
