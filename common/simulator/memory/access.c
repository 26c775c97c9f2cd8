// SPDX-License-Identifier: MIT
// The rules for coalescing and bank conflicts (CUDA C++ Programming Guide, "Global Memory" and
// "Shared Memory" of compute capability 5.x and up; checked against an H100's counters). No state,
// no shortcuts.
#include "memory/access.h"

#include <stdbool.h>

static bool is_on(uint32_t lanes, uint32_t lane) {
    return lanes >> lane & 1;
}

// Appends `value` to list[0..count) unless it is there already; returns the new count.
static uint32_t add_distinct(uint64_t *list, uint32_t count, uint64_t value) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value) return count;
    list[count] = value;
    return count + 1;
}

uint32_t sim_access_sectors(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                            uint32_t bytes) {
    uint64_t sectors[2 * SIM_ACCESS_LANES]; // 16 bytes at an odd address lie in two sectors
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++) {
        if (!is_on(lanes, lane)) continue;
        uint64_t first = addresses[lane] / SIM_SECTOR_BYTES;
        uint64_t last = (addresses[lane] + bytes - 1) / SIM_SECTOR_BYTES;
        count = add_distinct(sectors, count, first);
        count = add_distinct(sectors, count, last);
    }
    return count;
}

uint32_t sim_access_turns(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes) {
    uint64_t words[SIM_ACCESS_LANES];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++)
        if (is_on(lanes, lane)) count = add_distinct(words, count, addresses[lane] / 4);
    return count;
}

// Passes for the lanes in `group`: each bank serves one of its words a pass, so the bank with the
// most distinct words decides.
static uint32_t passes(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t group, uint32_t bytes) {
    uint64_t words[SIM_BANKS][4 * SIM_ACCESS_LANES];
    uint32_t counts[SIM_BANKS] = {0};
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++) {
        if (!is_on(group, lane)) continue;
        uint64_t first = offsets[lane] / SIM_BANK_BYTES;
        uint64_t last = (offsets[lane] + bytes - 1) / SIM_BANK_BYTES;
        for (uint64_t word = first; word <= last; word++) {
            uint32_t bank = (uint32_t)(word % SIM_BANKS);
            counts[bank] = add_distinct(words[bank], counts[bank], word);
            if (counts[bank] > most) most = counts[bank];
        }
    }
    return most;
}

// Whether every lane of `group` reads the same place as lane ^ distance; lanes that are off agree
// with any.
static bool all_agree(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes, uint32_t group,
                      uint32_t distance) {
    for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++) {
        uint32_t other = lane ^ distance;
        bool both = is_on(lanes & group, lane) && is_on(lanes & group, other);
        if (both && offsets[lane] != offsets[other]) return false;
    }
    return true;
}

// Lanes that a pass can serve: 32 of up to 4 bytes, 16 of 8, 8 of 16, because the banks deliver 128
// bytes.
static uint32_t group_lanes(uint32_t bytes) {
    if (bytes <= 4) return 32;
    return bytes <= 8 ? 16 : 8;
}

sim_bank_use sim_access_banks(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                              uint32_t bytes) {
    sim_bank_use use = {0, 0};
    uint32_t size = group_lanes(bytes);
    uint32_t one = size == 32 ? 0xFFFFFFFFu : (1u << size) - 1;
    uint32_t pair = size == 32 ? one : one | one << size;
    for (uint32_t first = 0; first < SIM_ACCESS_LANES; first += 2 * size) {
        uint32_t both = size == 32 ? pair : pair << first;
        bool together =
            size == 32 || all_agree(offsets, lanes, both, 1) || all_agree(offsets, lanes, both, 2);
        uint32_t groups[2] = {together ? both : one << first, together ? 0 : one << (first + size)};
        for (int i = 0; i < 2; i++) {
            if (!(groups[i] & lanes)) continue;
            use.wavefronts += passes(offsets, groups[i] & lanes, bytes);
            use.conflict_free += 1;
        }
    }
    return use;
}

// Lanes of `lanes` that name the same word as `lane`.
static uint32_t lanes_on_word(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                              uint32_t lane) {
    uint32_t count = 0;
    for (uint32_t other = 0; other < SIM_ACCESS_LANES; other++)
        count += is_on(lanes, other) && addresses[other] == addresses[lane];
    return count;
}

uint32_t sim_access_atomic_sectors(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                                   uint32_t bytes) {
    uint64_t sectors[SIM_ACCESS_LANES];
    uint32_t rounds[SIM_ACCESS_LANES], count = 0, total = 0;
    (void)bytes; // divides the address, so that a word lies in one sector
    for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++) {
        if (!is_on(lanes, lane)) continue;
        uint64_t sector = addresses[lane] / SIM_SECTOR_BYTES;
        uint32_t at = 0, needed = lanes_on_word(addresses, lanes, lane);
        while (at < count && sectors[at] != sector) at++;
        if (at == count) {
            sectors[count] = sector;
            rounds[count++] = 0;
        }
        if (needed > rounds[at]) rounds[at] = needed;
    }
    for (uint32_t i = 0; i < count; i++) total += rounds[i];
    return total;
}

uint32_t sim_access_atomic_passes(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                                  uint32_t bytes) {
    uint32_t size = group_lanes(bytes), width = bytes < SIM_BANK_BYTES ? SIM_BANK_BYTES : bytes;
    uint32_t banks = SIM_BANKS * SIM_BANK_BYTES / width, total = 0;
    for (uint32_t first = 0; first < SIM_ACCESS_LANES; first += size) {
        uint32_t lanes_of[SIM_BANKS] = {0}, most = 0;
        for (uint32_t lane = first; lane < first + size; lane++) {
            if (!is_on(lanes, lane)) continue;
            uint32_t in_bank = ++lanes_of[offsets[lane] / width % banks];
            if (in_bank > most) most = in_bank;
        }
        total += most;
    }
    return total;
}
