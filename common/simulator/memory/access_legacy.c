// Counting rules of older cards: see access.h.
#include "memory/access.h"

enum { HALF = 16, SEGMENT = 128 };

static bool is_on(uint32_t lanes, uint32_t lane) { return lanes >> lane & 1; }

// ---- Global memory ----

// A half-warp's transactions and the bytes that they move.
typedef struct traffic {
    uint32_t transactions, bytes;
} traffic;

// Whether lane k of the half asks for word k of one aligned block of 16 words.
static bool in_sequence(const uint64_t *addresses, uint32_t lanes, uint32_t bytes) {
    if (bytes != 4 && bytes != 8 && bytes != 16) return false;
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint64_t block = addresses[first] - (uint64_t)first * bytes;
    if (block % (HALF * (uint64_t)bytes) != 0) return false;
    for (uint32_t lane = 0; lane < HALF; lane++)
        if (is_on(lanes, lane) && addresses[lane] != block + (uint64_t)lane * bytes) return false;
    return true;
}

static traffic sequence_traffic(const uint64_t *addresses, uint32_t lanes, uint32_t bytes) {
    uint32_t count = (uint32_t)__builtin_popcount(lanes);
    if (!in_sequence(addresses, lanes, bytes)) {
        // A word of 16 bytes fits the smallest transaction, too.
        return (traffic){count, count * SIM_SECTOR_BYTES};
    }
    return (traffic){bytes == 16 ? 2 : 1, HALF * bytes};
}

// Lanes of the half whose address lies in [base, base + size).
static uint32_t lanes_within(const uint64_t *addresses, uint32_t lanes, uint64_t base,
                             uint64_t size) {
    uint32_t found = 0;
    for (uint32_t lane = 0; lane < HALF; lane++)
        if (is_on(lanes, lane) && addresses[lane] - base < size) found |= 1u << lane;
    return found;
}

static traffic segment_traffic(const uint64_t *addresses, uint32_t lanes, uint32_t bytes) {
    traffic result = {0, 0};
    while (lanes) {
        uint64_t size = bytes == 1 ? 32 : bytes == 2 ? 64 : SEGMENT;
        uint64_t base = addresses[__builtin_ctz(lanes)] / size * size;
        uint32_t served = lanes_within(addresses, lanes, base, size);
        for (; size > SIM_SECTOR_BYTES; size /= 2) {
            uint32_t low = lanes_within(addresses, served, base, size / 2);
            if (low && low != served) break; // both halves are used
            if (!low) base += size / 2;
        }
        result.transactions++;
        result.bytes += (uint32_t)size;
        lanes &= ~served;
    }
    return result;
}

static traffic warp_traffic(const sim_device *device, const uint64_t *addresses, uint32_t lanes,
                            uint32_t bytes) {
    traffic sum = {0, 0};
    for (uint32_t first = 0; first < SIM_ACCESS_LANES; first += HALF) {
        uint32_t half = lanes >> first & 0xFFFF;
        if (!half) continue;
        traffic one = device->coalescing == SIM_COALESCE_SEQUENCE
                          ? sequence_traffic(addresses + first, half, bytes)
                          : segment_traffic(addresses + first, half, bytes);
        sum.transactions += one.transactions;
        sum.bytes += one.bytes;
    }
    return sum;
}

uint32_t sim_legacy_units(const sim_device *device, const uint64_t addresses[SIM_ACCESS_LANES],
                          uint32_t lanes, uint32_t bytes) {
    if (device->coalescing == SIM_COALESCE_SECTORS)
        return sim_access_sectors(addresses, lanes, bytes);
    return warp_traffic(device, addresses, lanes, bytes).bytes / SIM_SECTOR_BYTES;
}

uint32_t sim_legacy_transactions(const sim_device *device,
                                 const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                                 uint32_t bytes) {
    if (device->coalescing == SIM_COALESCE_SECTORS) return 0;
    return warp_traffic(device, addresses, lanes, bytes).transactions;
}

// ---- Shared memory ----

// When words are served, where somebody asks: [lane][word of the lane].
typedef sim_bank_round lane_rounds[SIM_ACCESS_WORDS];

// Passes of one half-warp for 4-byte words: words[lane] for each lane in `lanes`.
// out_pass[lane]: the one that serves it.
static uint32_t broadcast_passes(const uint64_t words[HALF], uint32_t lanes, uint32_t banks,
                                 uint8_t out_pass[HALF]) {
    uint32_t passes = 0;
    for (; lanes; passes++) {
        uint32_t most = 0, together = 0;
        for (uint32_t lane = 0; lane < HALF; lane++) {
            if (!is_on(lanes, lane)) continue;
            uint32_t same = 0;
            for (uint32_t other = 0; other < HALF; other++)
                if (is_on(lanes, other) && words[other] == words[lane]) same |= 1u << other;
            if ((uint32_t)__builtin_popcount(same) <= most) continue;
            most = (uint32_t)__builtin_popcount(same);
            together = same;
        }
        uint64_t busy = UINT64_C(1) << words[__builtin_ctz(together)] % banks;
        uint32_t served = together;
        for (uint32_t lane = 0; lane < HALF; lane++) {
            uint64_t bank = UINT64_C(1) << words[lane] % banks;
            if (!is_on(lanes & ~together, lane) || busy & bank) continue;
            busy |= bank;
            served |= 1u << lane;
        }
        for (uint32_t lane = 0; lane < HALF; lane++)
            if (is_on(served, lane)) out_pass[lane] = (uint8_t)passes;
        lanes &= ~served;
    }
    return passes;
}

// out: NULL when nobody asks.
static sim_bank_use half_warp_banks(const sim_device *device, const uint64_t *offsets,
                                    uint32_t lanes, uint32_t bytes, lane_rounds *out) {
    sim_bank_use use = {0, 0};
    uint32_t parts = bytes <= SIM_BANK_BYTES ? 1 : bytes / SIM_BANK_BYTES;
    for (uint32_t first = 0; first < SIM_ACCESS_LANES; first += HALF) {
        uint32_t half = lanes >> first & 0xFFFF;
        for (uint32_t part = 0; half && part < parts; part++) {
            uint64_t words[HALF];
            uint8_t pass[HALF] = {0};
            for (uint32_t lane = 0; lane < HALF; lane++)
                words[lane] = offsets[first + lane] / SIM_BANK_BYTES + part;
            uint32_t passes = broadcast_passes(words, half, device->shared_banks, pass);
            for (uint32_t lane = 0; out && lane < HALF; lane++)
                if (is_on(half, lane))
                    out[first + lane][part] =
                        (sim_bank_round){(uint8_t)(use.wavefronts + pass[lane]), pass[lane]};
            use.wavefronts += passes;
            use.conflict_free++;
        }
    }
    return use;
}

// Passes of a group of lanes where a bank serves any words of one row at once: the bank with the
// most distinct rows decides. out: NULL when nobody asks; `before` wavefronts come first.
static uint32_t row_passes(const sim_device *device, const uint64_t *offsets, uint32_t group,
                           uint32_t bytes, uint32_t before, lane_rounds *out) {
    uint64_t rows[32][4 * SIM_ACCESS_LANES];
    uint32_t counts[32] = {0}, most = 0;
    uint64_t row_bytes = (uint64_t)device->shared_banks * device->bank_bytes;
    for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++) {
        if (!is_on(group, lane)) continue;
        uint64_t first = offsets[lane] / SIM_BANK_BYTES;
        uint64_t last = (offsets[lane] + bytes - 1) / SIM_BANK_BYTES;
        for (uint64_t word = first; word <= last; word++) {
            uint64_t at = word * SIM_BANK_BYTES, row = at / row_bytes;
            uint32_t bank = (uint32_t)(at / device->bank_map_bytes % device->shared_banks), i = 0;
            while (i < counts[bank] && rows[bank][i] != row) i++;
            if (i == counts[bank]) rows[bank][counts[bank]++] = row;
            if (counts[bank] > most) most = counts[bank];
            if (out && word - first < SIM_ACCESS_WORDS)
                out[lane][word - first] = (sim_bank_round){(uint8_t)(before + i), (uint8_t)i};
        }
    }
    return most;
}

static sim_bank_use bank_use(const sim_device *device, const uint64_t *offsets, uint32_t lanes,
                             uint32_t bytes, lane_rounds *out) {
    if (device->shared_lanes == HALF) return half_warp_banks(device, offsets, lanes, bytes, out);
    sim_bank_use use = {0, 0};
    uint32_t size = device->shared_banks * device->bank_bytes / (bytes < 4 ? 4 : bytes);
    if (size > SIM_ACCESS_LANES) size = SIM_ACCESS_LANES;
    for (uint32_t first = 0; first < SIM_ACCESS_LANES; first += size) {
        uint32_t group = (size == 32 ? 0xFFFFFFFFu : ((1u << size) - 1) << first) & lanes;
        if (!group) continue;
        use.wavefronts += row_passes(device, offsets, group, bytes, use.wavefronts, out);
        use.conflict_free++;
    }
    return use;
}

static bool has_todays_banks(const sim_device *device) {
    return device->shared_lanes != HALF && device->bank_bytes == SIM_BANK_BYTES &&
           device->shared_banks == SIM_BANKS;
}

sim_bank_use sim_legacy_banks(const sim_device *device, const uint64_t offsets[SIM_ACCESS_LANES],
                              uint32_t lanes, uint32_t bytes) {
    if (has_todays_banks(device)) return sim_access_banks(offsets, lanes, bytes);
    return bank_use(device, offsets, lanes, bytes, NULL);
}

uint32_t sim_legacy_bank_rounds(const sim_device *device, const uint64_t offsets[SIM_ACCESS_LANES],
                                uint32_t lanes, uint32_t bytes,
                                sim_bank_round out_rounds[SIM_ACCESS_LANES][SIM_ACCESS_WORDS]) {
    if (has_todays_banks(device)) return sim_access_bank_rounds(offsets, lanes, bytes, out_rounds);
    return bank_use(device, offsets, lanes, bytes, out_rounds).wavefronts;
}
