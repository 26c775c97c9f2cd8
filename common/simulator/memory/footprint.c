// SPDX-License-Identifier: MIT
// Footprint bitmaps: address space for the whole range in use, pages of it only where something was
// touched.
#include "memory/footprint.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t page_bytes(void) {
    return SIM_FOOTPRINT_PAGE_WORDS * sizeof(uint64_t);
}

sim_status sim_footprint_prepare(sim_footprint *footprint, uint64_t high_water, kl_error *error) {
    const uint64_t memory_per_page = SIM_FOOTPRINT_PAGE_WORDS * UINT64_C(64) * 32;
    uint64_t pages = (high_water - SIM_GLOBAL_BASE) / memory_per_page + 2;
    if (pages <= footprint->pages) return SIM_OK;
    sim_footprint_free(footprint);
    pages += pages / 2; // room to grow
    uint64_t bytes = pages * (2 * page_bytes() + 1);
    void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return sim_fail(error, SIM_OUT_OF_MEMORY, "no host memory for footprint maps: %s",
                        strerror(errno));
    footprint->mapping = mapping;
    footprint->mapping_bytes = bytes;
    footprint->pages = pages;
    footprint->read = mapping;
    footprint->written = footprint->read + pages * SIM_FOOTPRINT_PAGE_WORDS;
    footprint->dirty = (_Atomic uint8_t *)(footprint->written + pages * SIM_FOOTPRINT_PAGE_WORDS);
    return SIM_OK;
}

void sim_footprint_free(sim_footprint *footprint) {
    sim_writers *writers = footprint->writers;
    if (footprint->mapping) munmap(footprint->mapping, footprint->mapping_bytes);
    memset(footprint, 0, sizeof *footprint);
    footprint->writers = writers;
}

static uint64_t count_and_clear(_Atomic uint64_t *words) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < SIM_FOOTPRINT_PAGE_WORDS; i++) {
        uint64_t word = atomic_load_explicit(&words[i], memory_order_relaxed);
        if (!word) continue;
        count += (uint64_t)__builtin_popcountll(word);
        atomic_store_explicit(&words[i], 0, memory_order_relaxed);
    }
    return count;
}

void sim_footprint_take(sim_footprint *footprint, uint64_t *out_read, uint64_t *out_written) {
    *out_read = *out_written = 0;
    for (uint64_t page = 0; page < footprint->pages; page++) {
        if (!atomic_load_explicit(&footprint->dirty[page], memory_order_relaxed)) continue;
        atomic_store_explicit(&footprint->dirty[page], 0, memory_order_relaxed);
        *out_read += count_and_clear(footprint->read + page * SIM_FOOTPRINT_PAGE_WORDS);
        *out_written += count_and_clear(footprint->written + page * SIM_FOOTPRINT_PAGE_WORDS);
    }
}
