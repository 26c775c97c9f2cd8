// Sectors of device memory: what the L2 holds from before a launch, which block wrote each byte
// last, and the sectors that a launch touches.
#pragma once

#include "base/base.h"
#include <stdatomic.h>

// ---- l2_before_launch.c -------------------------------------------------------------------------
// What the L2 may still hold from before a launch: which sectors of device memory earlier launches
// and fills touched, and how much has gone through the L2 since. What the host copies passes
// through it, and is not taken to stay.

// 64 neighbouring sectors of 32 bytes, bit s of a word: sector s.
typedef struct sim_l2_piece {
    // Touched until the end of the newest launch that touched any, as far as they were still there,
    // and until its beginning.
    uint64_t sectors, earlier;
    uint64_t passed, passed_for; // sim_l2_before.passed after these, and after the earlier ones
} sim_l2_piece;

// One for each device. Zero it, and set `window` and `capacity`.
typedef struct sim_l2_before {
    sim_l2_piece *pieces; // [count], the first at SIM_GLOBAL_BASE
    uint64_t count;       // of `pieces`
    uint64_t window;      // sectors that the L2 keeps, of those that went through it last
    uint64_t capacity;    // sectors that it has
    uint64_t passed;      // sectors that went through it
    uint64_t began;       // of these, before the newest launch or fill began
    uint64_t launched;    // different ones of launches since others filled it: `capacity` at most
    uint64_t before;      // likewise before the newest launch
} sim_l2_before;

// Room for [SIM_GLOBAL_BASE, high_water); keeps what is known. False: no host memory, and nothing
// is known.
bool sim_l2_before_prepare(sim_l2_before *recent, uint64_t high_water);
void sim_l2_before_free(sim_l2_before *recent);

// A launch has run; what it touched follows.
void sim_l2_before_begin(sim_l2_before *recent);
// It touched these sectors of a piece, pieces in any order and each as often as one likes.
void sim_l2_before_touch(sim_l2_before *recent, uint64_t piece, uint64_t sectors);
// The device filled or copied to [address, address + bytes).
void sim_l2_before_fill(sim_l2_before *recent, uint64_t address, uint64_t bytes);
// So many bytes of others went through the L2.
void sim_l2_before_pass(sim_l2_before *recent, uint64_t bytes);
// The L2 is full of what others stored.
void sim_l2_before_forget(sim_l2_before *recent);

// Of the sectors of a line of 128 bytes, numbered from SIM_GLOBAL_BASE, those that were in the L2
// when the newest launch began. Bit s: sector s.
uint32_t sim_l2_before_line(const sim_l2_before *recent, uint32_t line);

// ---- footprint.c --------------------------------------------------------------------------------
// Who wrote each byte of device memory last: nobody since its judge did, a fill (or a copy of what
// nobody wrote), the host, or a kernel
// and in which call of the program. For a judge that wants to know whether an answer was computed
// where it lies. One byte of notes for a byte of memory, of which only those in use take pages.
// Kernels note their stores while they are counted (footprint.c); several workers may note the
// same byte, then with the same value.

// A note. Kernels of call n have SIM_WRITER_KERNEL + n % SIM_WRITER_CALLS.
enum {
    SIM_WRITER_NOBODY,
    SIM_WRITER_FILL,
    SIM_WRITER_HOST,
    SIM_WRITER_KERNEL,
    SIM_WRITER_CALLS = 256 - SIM_WRITER_KERNEL,
    SIM_WRITERS_CHUNK = 1 << 16 // bytes for which one mark says that there may be notes
};

// Who wrote each byte of device memory last.
typedef struct sim_writers {
    uint8_t *notes;      // [span_bytes], by address from SIM_GLOBAL_BASE
    uint8_t *marked;     // [span_bytes / SIM_WRITERS_CHUNK]
    uint64_t span_bytes; // of device memory that has notes
    uint8_t kernel;      // note of the present call's kernels
} sim_writers;

// Bytes of a range by their notes.
typedef struct sim_writer_counts {
    uint64_t nobody, fill, host, earlier, kernel; // earlier: kernels of earlier calls
} sim_writer_counts;

// Notes for so much device memory, all of them "nobody". SIM_OUT_OF_MEMORY. Free with
// sim_writers_free.
sim_status sim_writers_new(uint64_t span_bytes, sim_writers **out_writers, kl_error *err);
// Frees the notes; accepts NULL.
void sim_writers_free(sim_writers *writers);
// From here on kernels have another note than before.
void sim_writers_next_call(sim_writers *writers);
void sim_writers_count(const sim_writers *writers, uint64_t address, uint64_t bytes,
                       sim_writer_counts *out_counts);
// Notes go with the bytes of a copy. The ranges may overlap.
void sim_writers_copy(sim_writers *writers, uint64_t destination, uint64_t source, uint64_t bytes);

// The range, of one byte at least, lies in memory that was allocated.
static inline void sim_writers_note(sim_writers *writers, uint64_t address, uint64_t bytes,
                                    uint8_t note) {
    uint64_t first = address - SIM_GLOBAL_BASE, last = first + bytes - 1;
    if (last >= writers->span_bytes || first > last) return;
    for (uint64_t chunk = first / SIM_WRITERS_CHUNK; chunk <= last / SIM_WRITERS_CHUNK; chunk++)
        __atomic_store_n(&writers->marked[chunk], 1, __ATOMIC_RELAXED);
    memset(writers->notes + first, note, bytes);
}

// As if nobody had written there.
void sim_writers_forget(sim_writers *writers, uint64_t address, uint64_t bytes);

// ---- footprint.c --------------------------------------------------------------------------------
// Which 32-byte sectors of device memory were read and written by a launch: one bit per sector over
// the addresses in use. All workers mark the same bitmaps with atomic operations, so the result
// does not depend on their number.

enum {
    SIM_FOOTPRINT_PAGE_WORDS = 512 // words of 64 sectors: 4 KiB of bitmap stand for 1 MiB of memory
};

// The sectors of device memory that a launch has touched: a bit for each.
typedef struct sim_footprint {
    _Atomic uint64_t *read, *written; // bit s % 64 of word s / 64: sector s from SIM_GLOBAL_BASE
    _Atomic uint8_t *dirty; // by bitmap page of either map: has marks, must be counted and cleared
    uint64_t pages;         // that the maps have
    void *mapping;          // that holds all the maps
    uint64_t mapping_bytes; // of it
    sim_writers *writers;   // of the launch's memory: stores are noted there; NULL: they are not
} sim_footprint;

// Maps for sectors of [SIM_GLOBAL_BASE, high_water); keeps what it has when that suffices. Empty
// maps.
sim_status sim_footprint_prepare(sim_footprint *footprint, uint64_t high_water, kl_error *err);
void sim_footprint_free(sim_footprint *footprint);
// Whether a MiB of memory from this address on, of which a device has the whole, is a peer's.
typedef struct sim_peer_memory {
    bool (*is_peers)(const void *context, uint64_t address); // NULL: there are no peers
    const void *context;                                     // of this function
} sim_peer_memory;

// Distinct sectors that were read and written, of all memory and of peers' alone.
typedef struct sim_sector_counts {
    uint64_t read, written;           // of all memory
    uint64_t peer_read, peer_written; // of peers' alone
} sim_sector_counts;

// Counts the marked sectors, which `recent` gets unless it is NULL, and clears the maps for the
// next launch.
void sim_footprint_take(sim_footprint *footprint, sim_l2_before *recent,
                        const sim_peer_memory *peers, sim_sector_counts *out_counts);

// Marks sectors [first, first + 64) as far as `bits` says; first is a sector number from
// SIM_GLOBAL_BASE, and a multiple of 64. The common case, all marked before, is one load.
static inline void sim_footprint_mark_word(const sim_footprint *footprint, _Atomic uint64_t *map,
                                           uint64_t word, uint64_t bits) {
    if ((atomic_load_explicit(&map[word], memory_order_relaxed) & bits) == bits) return;
    atomic_fetch_or_explicit(&map[word], bits, memory_order_relaxed);
    atomic_store_explicit(&footprint->dirty[word / SIM_FOOTPRINT_PAGE_WORDS], 1,
                          memory_order_relaxed);
}

// Marks sectors first..last of an address range, given as device addresses of its first and last
// byte.
static inline void sim_footprint_mark(const sim_footprint *footprint, _Atomic uint64_t *map,
                                      uint64_t first_byte, uint64_t last_byte) {
    uint64_t first = (first_byte - SIM_GLOBAL_BASE) / 32, last = (last_byte - SIM_GLOBAL_BASE) / 32;
    while (first / 64 != last / 64) {
        sim_footprint_mark_word(footprint, map, first / 64, UINT64_MAX << first % 64);
        first = (first / 64 + 1) * 64;
    }
    uint64_t bits =
        (UINT64_C(2) << (last - first)) - 1; // last - first is at most 63, and 2 << 63 is 0
    sim_footprint_mark_word(footprint, map, first / 64, bits << first % 64);
}
