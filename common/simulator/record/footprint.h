// SPDX-License-Identifier: MIT
// Which 32-byte sectors of device memory were read and written by a launch: one bit per sector over
// the addresses in use. All workers mark the same bitmaps with atomic operations, so the result
// does not depend on their number.
#ifndef SIM_RECORD_FOOTPRINT_H
#define SIM_RECORD_FOOTPRINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "record/l2_before_launch.h"
#include "record/writers.h"

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
// Counts the marked sectors, which `recent` gets unless it is NULL, and clears the maps for the
// next launch.
void sim_footprint_take(sim_footprint *footprint, sim_l2_before *recent, uint64_t *out_read,
                        uint64_t *out_written);

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

#endif
