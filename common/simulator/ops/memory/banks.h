// SPDX-License-Identifier: MIT
// Wavefronts of any list of addresses at the 32 banks, in the quick form: of shared memory, and of
// a request at the L1.
#ifndef SIM_OPS_MEMORY_BANKS_H
#define SIM_OPS_MEMORY_BANKS_H

#include "memory/access.h"
#include "warps/lanes.h"

// Wavefronts for a list of units, which are words, or the pairs or quads of words that a lane
// accesses: those of a unit lie in neighbouring banks, so two units meet in all of them or in none.
// The place with the most distinct units decides. They are told apart by their neighbours where the
// list ascends (most gathers), else by a small hash table.
static inline uint32_t count_passes(const uint64_t *units, uint32_t count, uint32_t banks) {
    uint8_t at_bank[SIM_BANKS] = {0};
    enum { PLACES = 4 * SIM_WARP_LANES }; // most stay free
    uint8_t places[PLACES];               // index + 1 of a unit, by its hash; 0: free
    uint32_t most = 0;
    bool ascends = true;
    for (uint32_t i = 1; i < count; i++) ascends = ascends && units[i] >= units[i - 1];
    if (!ascends) memset(places, 0, sizeof places);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t unit = units[i];
        if (ascends) {
            if (i && unit == units[i - 1]) continue;
        } else {
            uint32_t at = (uint32_t)(unit * UINT64_C(0x9E3779B97F4A7C15) >> 57);
            while (places[at] && units[places[at] - 1] != unit) at = (at + 1) % PLACES;
            if (places[at]) continue;
            places[at] = (uint8_t)(i + 1);
        }
        uint32_t now = ++at_bank[unit % banks];
        most = now > most ? now : most;
    }
    return most;
}

// Whether the active ones of `count` lanes agree with their neighbour, or with the next but one.
static inline bool lanes_agree(const uint64_t *units, uint32_t lanes, uint32_t count) {
    uint64_t differ_1 = 0, differ_2 = 0;
    if (lanes == SIM_ALL_LANES >> (SIM_WARP_LANES - count)) {
        for (uint32_t i = 0; i < count; i++) {
            differ_1 |= units[i] ^ units[i ^ 1];
            differ_2 |= units[i] ^ units[i ^ 2];
        }
        return !differ_1 || !differ_2;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (lanes & lane_bit[lane ^ 1]) differ_1 |= units[lane] ^ units[lane ^ 1];
        if (lanes & lane_bit[lane ^ 2]) differ_2 |= units[lane] ^ units[lane ^ 2];
    }
    return !differ_1 || !differ_2;
}

// Wide accesses go by groups of `size` lanes, as many as have room in all banks; two neighbouring
// groups whose lanes agree in pairs go together.
static inline sim_bank_use count_banks_groups(const uint64_t address[SIM_WARP_LANES],
                                              uint32_t lanes, uint32_t bytes, uint32_t size) {
    sim_bank_use use = {0, 0};
    uint64_t units[SIM_WARP_LANES];
    for (uint32_t i = 0; i < SIM_WARP_LANES; i++) units[i] = address[i] / bytes;
    for (uint32_t first = 0; first < SIM_WARP_LANES; first += 2 * size) {
        uint32_t on = lanes >> first & SIM_ALL_LANES >> (SIM_WARP_LANES - 2 * size);
        uint32_t together = lanes_agree(units + first, on, 2 * size) ? 2 : 1;
        for (uint32_t group = 0; group < 2; group += together) {
            uint64_t list[SIM_WARP_LANES];
            uint32_t count = 0;
            for (uint32_t lane = group * size; lane < (group + together) * size; lane++) {
                list[count] = units[first + lane];
                count += on >> lane & 1;
            }
            use.wavefronts += count_passes(list, count, size);
            use.conflict_free += count > 0;
        }
    }
    return use;
}

// Of active lanes at addresses that `bytes` divides.
static inline sim_bank_use count_banks_any(const uint64_t address[SIM_WARP_LANES], uint32_t lanes,
                                           uint32_t bytes) {
    uint64_t words[SIM_WARP_LANES];
    uint32_t count = 0;
    if (bytes == 8) return count_banks_groups(address, lanes, 8, 16);
    if (bytes == 16) return count_banks_groups(address, lanes, 16, 8);
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        words[count++] = address[__builtin_ctz(rest)] / SIM_BANK_BYTES;
    return (sim_bank_use){count_passes(words, count, SIM_BANKS), 1};
}

#endif
