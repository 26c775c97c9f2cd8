// The rules for coalescing and bank conflicts (CUDA C++ Programming Guide, "Global Memory" and
// "Shared Memory" of compute capability 5.x and up; checked against an H100's counters). No state,
// no shortcuts.
#include "memory/access.h"
#include <string.h>

static bool is_on(uint32_t lanes, uint32_t lane) { return lanes >> lane & 1; }

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

uint32_t sim_access_constant_words(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes) {
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

// The lanes that are served together, group by group; returns how many groups have a lane.
static uint32_t find_groups(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                            uint32_t bytes, uint32_t groups[SIM_ACCESS_LANES]) {
    uint32_t size = group_lanes(bytes), count = 0;
    uint32_t one = size == 32 ? 0xFFFFFFFFu : (1u << size) - 1;
    uint32_t pair = size == 32 ? one : one | one << size;
    for (uint32_t first = 0; first < SIM_ACCESS_LANES; first += 2 * size) {
        uint32_t both = size == 32 ? pair : pair << first;
        bool together =
            size == 32 || all_agree(offsets, lanes, both, 1) || all_agree(offsets, lanes, both, 2);
        uint32_t two[2] = {together ? both : one << first, together ? 0 : one << (first + size)};
        for (int i = 0; i < 2; i++)
            if (two[i] & lanes) groups[count++] = two[i] & lanes;
    }
    return count;
}

sim_bank_use sim_access_banks(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                              uint32_t bytes) {
    uint32_t groups[SIM_ACCESS_LANES];
    sim_bank_use use = {0, find_groups(offsets, lanes, bytes, groups)};
    for (uint32_t i = 0; i < use.conflict_free; i++)
        use.wavefronts += passes(offsets, groups[i], bytes);
    return use;
}

uint32_t sim_access_bank_rounds(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                                uint32_t bytes,
                                sim_bank_round out_rounds[SIM_ACCESS_LANES][SIM_ACCESS_WORDS]) {
    uint32_t groups[SIM_ACCESS_LANES], before = 0;
    uint32_t group_count = find_groups(offsets, lanes, bytes, groups);
    for (uint32_t g = 0; g < group_count; g++) {
        uint64_t words[SIM_BANKS][4 * SIM_ACCESS_LANES];
        uint32_t counts[SIM_BANKS] = {0}, most = 0;
        for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++) {
            if (!is_on(groups[g], lane)) continue;
            uint64_t first = offsets[lane] / SIM_BANK_BYTES;
            uint64_t last = (offsets[lane] + bytes - 1) / SIM_BANK_BYTES;
            for (uint64_t word = first; word <= last; word++) {
                uint32_t bank = (uint32_t)(word % SIM_BANKS), at = 0;
                counts[bank] = add_distinct(words[bank], counts[bank], word);
                while (words[bank][at] != word) at++;
                if (word - first < SIM_ACCESS_WORDS)
                    out_rounds[lane][word - first] =
                        (sim_bank_round){(uint8_t)(before + at), (uint8_t)at};
                if (counts[bank] > most) most = counts[bank];
            }
        }
        before += most;
    }
    return before;
}

// Keys that are met, each with a number: at most one per lane, so that half of the slots stay free.
enum { KEY_PLACES = 2 * SIM_ACCESS_LANES };
typedef struct lane_keys {
    uint64_t key[SIM_ACCESS_LANES];
    uint32_t value[SIM_ACCESS_LANES], count;
    uint8_t places[KEY_PLACES]; // index + 1; 0: free
} lane_keys;

static uint32_t *value_of(lane_keys *keys, uint64_t key) {
    uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 58) % KEY_PLACES;
    while (keys->places[at] && keys->key[keys->places[at] - 1] != key) at = (at + 1) % KEY_PLACES;
    if (!keys->places[at]) {
        keys->key[keys->count] = key;
        keys->value[keys->count++] = 0;
        keys->places[at] = (uint8_t)keys->count;
    }
    return &keys->value[keys->places[at] - 1];
}

uint32_t sim_access_atomic_sectors(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                                   uint32_t bytes) {
    lane_keys words, sectors;
    uint32_t total = 0;
    (void)bytes; // divides the address, so that a word lies in one sector
    words.count = sectors.count = 0;
    memset(words.places, 0, sizeof words.places);
    memset(sectors.places, 0, sizeof sectors.places);
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        (*value_of(&words, addresses[__builtin_ctz(rest)]))++;
    for (uint32_t i = 0; i < words.count; i++) {
        uint32_t *rounds = value_of(&sectors, words.key[i] / SIM_SECTOR_BYTES);
        if (words.value[i] > *rounds) *rounds = words.value[i];
    }
    for (uint32_t i = 0; i < sectors.count; i++) total += sectors.value[i];
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

uint32_t sim_access_atomic_rounds(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                                  uint32_t bytes, sim_bank_round out_rounds[SIM_ACCESS_LANES]) {
    uint32_t size = group_lanes(bytes), width = bytes < SIM_BANK_BYTES ? SIM_BANK_BYTES : bytes;
    uint32_t banks = SIM_BANKS * SIM_BANK_BYTES / width, before = 0;
    for (uint32_t first = 0; first < SIM_ACCESS_LANES; first += size) {
        uint32_t lanes_of[SIM_BANKS] = {0}, most = 0;
        for (uint32_t lane = first; lane < first + size; lane++) {
            if (!is_on(lanes, lane)) continue;
            uint32_t *in_bank = &lanes_of[offsets[lane] / width % banks];
            out_rounds[lane] = (sim_bank_round){(uint8_t)(before + *in_bank), (uint8_t)*in_bank};
            if (++*in_bank > most) most = *in_bank;
        }
        before += most;
    }
    return before;
}
