// What the L2 may still hold: see sectors.h.
#include "record/sectors.h"
#include "record/traces.h"
#include <sys/mman.h>

enum {
    SECTOR_BYTES = SIM_LINE_BYTES / SIM_LINE_SECTORS,
    PIECE_SECTORS = 64,
    LINES_A_PIECE = PIECE_SECTORS / SIM_LINE_SECTORS
};

static uint64_t bytes_of(uint64_t pieces) { return pieces * sizeof(sim_l2_piece); }

bool sim_l2_before_prepare(sim_l2_before *recent, uint64_t high_water) {
    uint64_t pieces = (high_water - SIM_GLOBAL_BASE) / (PIECE_SECTORS * SECTOR_BYTES) + 1;
    if (pieces <= recent->count) return true;
    pieces += pieces / 2; // room to grow
    void *grown = recent->pieces ? mremap(recent->pieces, bytes_of(recent->count), bytes_of(pieces),
                                          MREMAP_MAYMOVE)
                                 : mmap(NULL, bytes_of(pieces), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (grown == MAP_FAILED) {
        sim_l2_before_free(recent);
        return false;
    }
    recent->pieces = grown;
    recent->count = pieces;
    return true;
}

void sim_l2_before_free(sim_l2_before *recent) {
    if (recent->pieces) munmap(recent->pieces, bytes_of(recent->count));
    recent->pieces = NULL;
    recent->count = 0;
}

// Whether what was touched until `passed` is still there at `now`.
static bool is_kept(const sim_l2_before *recent, uint64_t passed, uint64_t now) {
    return passed > 0 && now - passed < recent->window;
}

// Returns how many of the sectors were not there before.
static uint64_t touch(sim_l2_before *recent, uint64_t number, uint64_t sectors) {
    uint64_t count = (uint64_t)__builtin_popcountll(sectors);
    recent->passed += count;
    if (number >= recent->count || !sectors) return count;
    sim_l2_piece *piece = &recent->pieces[number];
    if (piece->passed <= recent->began) { // the first touch of this launch
        piece->earlier = piece->sectors;
        piece->passed_for = piece->passed;
        if (!is_kept(recent, piece->passed, recent->began)) piece->sectors = 0;
    }
    count = (uint64_t)__builtin_popcountll(sectors & ~piece->sectors);
    piece->sectors |= sectors;
    piece->passed = recent->passed;
    return count;
}

void sim_l2_before_begin(sim_l2_before *recent) {
    recent->began = recent->passed;
    recent->before = recent->launched;
}

void sim_l2_before_touch(sim_l2_before *recent, uint64_t piece, uint64_t sectors) {
    recent->launched += touch(recent, piece, sectors);
    if (recent->launched > recent->capacity) recent->launched = recent->capacity;
}

// What others put into the L2 takes the place of what launches had there.
static void take_place(sim_l2_before *recent, uint64_t sectors) {
    recent->launched -= sectors < recent->launched ? sectors : recent->launched;
}

void sim_l2_before_fill(sim_l2_before *recent, uint64_t address, uint64_t bytes) {
    if (address < SIM_GLOBAL_BASE || !bytes) return;
    uint64_t first = (address - SIM_GLOBAL_BASE) / SECTOR_BYTES;
    uint64_t end = (address - SIM_GLOBAL_BASE + bytes - 1) / SECTOR_BYTES + 1;
    recent->began = recent->passed;
    for (uint64_t at = first; at < end;) {
        uint64_t begin = at % PIECE_SECTORS, most = PIECE_SECTORS - begin;
        uint64_t count = end - at < most ? end - at : most;
        uint64_t sectors = UINT64_MAX >> (PIECE_SECTORS - count) << begin;
        take_place(recent, touch(recent, at / PIECE_SECTORS, sectors));
        at += count;
    }
}

void sim_l2_before_pass(sim_l2_before *recent, uint64_t bytes) {
    recent->passed += bytes / SECTOR_BYTES;
    take_place(recent, bytes / SECTOR_BYTES);
}

void sim_l2_before_forget(sim_l2_before *recent) {
    recent->passed += recent->window;
    recent->launched = 0;
}

uint32_t sim_l2_before_line(const sim_l2_before *recent, uint32_t line) {
    uint64_t number = line / LINES_A_PIECE;
    if (number >= recent->count) return 0;
    const sim_l2_piece *piece = &recent->pieces[number];
    bool newest = piece->passed <= recent->began;
    if (!is_kept(recent, newest ? piece->passed : piece->passed_for, recent->began)) return 0;
    uint64_t sectors = newest ? piece->sectors : piece->earlier;
    return sectors >> line % LINES_A_PIECE * SIM_LINE_SECTORS & 0xF;
}
