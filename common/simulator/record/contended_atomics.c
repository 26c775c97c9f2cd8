// Counting of hot addresses: see record.h.
#include "record/record.h"

enum { LANES = 32, SECTOR = 32, WORD = 4, LINE = 128, PLACES = 2 * LANES };

// A number below `count`, a power of two, for a sector or a piece.
static uint32_t number_of(uint64_t value, uint32_t count) {
    return (uint32_t)(value * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (count - 1);
}

void sim_contended_atomics_begin(sim_contended_atomics *hot, uint64_t blocks, uint64_t together) {
    if (hot->lanes) memset(hot->windows, 0, hot->capacity * sizeof *hot->windows);
    hot->lanes = hot->sectors = hot->passes = hot->lines = hot->repeats = 0;
    uint64_t windows = (blocks + together - 1) / together;
    if (windows > SIM_CONTENTION_WINDOWS) windows = SIM_CONTENTION_WINDOWS;
    hot->window_count = windows ? (uint32_t)windows : 1;
    hot->window_blocks = blocks ? (blocks + hot->window_count - 1) / hot->window_count : 1;
}

void sim_contended_atomics_free(sim_contended_atomics *hot) {
    free(hot->windows);
    *hot = (sim_contended_atomics){0};
}

static bool make_windows(sim_contended_atomics *hot, uint32_t windows) {
    if (hot->capacity >= windows) return true;
    sim_contention_window *grown = realloc(hot->windows, windows * sizeof *grown);
    if (!grown) return false;
    memset(grown + hot->capacity, 0, (windows - hot->capacity) * sizeof *grown);
    hot->windows = grown;
    hot->capacity = windows;
    return true;
}

// Parts of memory that one instruction touches, and how often each is passed for it.
typedef struct touched {
    uint64_t used; // bit p: place p is
    uint64_t number[PLACES];
    uint8_t passes[PLACES];
} touched;

// The place of a part; *out_fresh: it is touched for the first time.
static uint32_t touch(touched *t, uint64_t number, bool *out_fresh) {
    uint32_t at = number_of(number, PLACES);
    while (t->used >> at & 1 && t->number[at] != number) at = (at + 1) % PLACES;
    *out_fresh = !(t->used >> at & 1);
    if (*out_fresh) {
        t->used |= UINT64_C(1) << at;
        t->number[at] = number;
        t->passes[at] = 0;
    }
    return at;
}

static void note_sector(sim_contended_atomics *hot, sim_contention_window *window, uint64_t sector,
                        uint32_t passes) {
    window->sector[number_of(sector, SIM_CONTENTION_SECTORS)] += passes;
    window->piece[number_of(sector * SECTOR >> SIM_CONTENTION_PIECE_BITS, SIM_CONTENTION_PIECES)]++;
    hot->passes += passes;
    hot->sectors++;
}

// Sectors of the lanes' words, each with the most lanes on one of its words.
static void find_sectors(const uint64_t address[], uint32_t lanes, touched *out_sectors) {
    uint8_t on[PLACES][SECTOR / WORD];
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t at = address[__builtin_ctz(rest)];
        bool fresh;
        uint32_t place = touch(out_sectors, at / SECTOR, &fresh);
        if (fresh) memset(on[place], 0, sizeof on[place]);
        uint8_t now = ++on[place][at / WORD % (SECTOR / WORD)];
        if (now > out_sectors->passes[place]) out_sectors->passes[place] = now;
    }
}

static void note_lines(sim_contended_atomics *hot, const touched *sectors) {
    touched lines = {.used = 0};
    for (uint64_t rest = sectors->used; rest; rest &= rest - 1) {
        uint32_t sector = (uint32_t)__builtin_ctzll(rest);
        bool fresh;
        uint32_t line = touch(&lines, sectors->number[sector] / (LINE / SECTOR), &fresh);
        hot->lines += fresh;
        if (fresh) lines.passes[line] = 1;
        if (sectors->passes[sector] <= lines.passes[line]) continue;
        hot->repeats += (uint64_t)sectors->passes[sector] - lines.passes[line];
        lines.passes[line] = sectors->passes[sector];
    }
}

void sim_contended_atomics_note(sim_contended_atomics *hot, uint64_t block,
                                const uint64_t address[], uint32_t lanes, bool once) {
    if (!make_windows(hot, hot->window_count)) return;
    sim_contention_window *at = &hot->windows[block / hot->window_blocks];
    touched sectors = {.used = 0};
    if (once) lanes &= -lanes;
    find_sectors(address, lanes, &sectors);
    for (uint64_t rest = sectors.used; rest; rest &= rest - 1) {
        uint32_t sector = (uint32_t)__builtin_ctzll(rest);
        note_sector(hot, at, sectors.number[sector], sectors.passes[sector]);
    }
    note_lines(hot, &sectors);
    hot->lanes += (uint64_t)__builtin_popcount(lanes);
}

void sim_contended_atomics_add(sim_contended_atomics *to, const sim_contended_atomics *from) {
    if (!from->lanes || !make_windows(to, from->capacity)) return;
    for (uint32_t w = 0; w < from->capacity; w++) {
        for (uint32_t n = 0; n < SIM_CONTENTION_SECTORS; n++)
            to->windows[w].sector[n] += from->windows[w].sector[n];
        for (uint32_t n = 0; n < SIM_CONTENTION_PIECES; n++)
            to->windows[w].piece[n] += from->windows[w].piece[n];
    }
    to->lanes += from->lanes;
    to->sectors += from->sectors;
    to->passes += from->passes;
    to->lines += from->lines;
    to->repeats += from->repeats;
}

static uint32_t largest(const uint32_t *numbers, uint32_t count) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) most = numbers[i] > most ? numbers[i] : most;
    return most;
}

sim_contention sim_contended_atomics_measure(const sim_contended_atomics *hot) {
    uint64_t sectors = 0, pieces = 0;
    if (!hot->lanes) return (sim_contention){0};
    for (uint32_t w = 0; w < hot->capacity; w++) {
        sectors += largest(hot->windows[w].sector, SIM_CONTENTION_SECTORS);
        pieces += largest(hot->windows[w].piece, SIM_CONTENTION_PIECES);
    }
    return (sim_contention){.passes = (double)hot->passes / (double)hot->lanes,
                            .sector = (double)sectors / (double)hot->passes,
                            .piece = (double)pieces / (double)hot->sectors,
                            .repeats = (double)hot->repeats / (double)hot->lines};
}

static bool worker_begin(sim_worker_record *worker) {
    const sim_launch_record *launch = worker->launch;
    sim_contended_atomics_begin(&worker->atomics, launch->block_count, launch->blocks_together);
    return true;
}

static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    sim_contended_atomics *all = &launch->workers[0]->atomics;
    for (uint32_t i = 1; i < launch->worker_count; i++)
        sim_contended_atomics_add(all, &launch->workers[i]->atomics);
    out_recorded->contention = sim_contended_atomics_measure(all);
}

const sim_recorder sim_recorder_contended_atomics = {.worker_begin = worker_begin, .fold = fold};
