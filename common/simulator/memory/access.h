// What one warp-level memory instruction costs: 32 addresses in, sectors and wavefronts out. Pure
// functions that follow the rules of compute capability 9.0 word for word and nothing else, to be
// read beside the lecture. The executor has faster forms for common patterns (ops/memory/count.h);
// tests hold them to these.
#pragma once

#include "device/device.h"
#include <stdint.h>

// ---- access.c -----------------------------------------------------------------------------------

enum {
    SIM_ACCESS_LANES = 32,
    SIM_SECTOR_BYTES = 32, // unit of transfer between L1, L2 and device memory
    SIM_BANKS = 32,        // of shared memory, each 4 bytes wide
    SIM_BANK_BYTES = 4,
    SIM_ACCESS_WORDS = 4 // that a lane moves at most, of a bank each
};

// Global memory. Distinct 32-byte sectors that the lanes in `lanes` touch, each with `bytes`
// (1..16) bytes at addresses[lane]. A fully coalesced 4-byte access touches 4, a stride of 32 bytes
// or more touches 32.
uint32_t sim_access_sectors(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                            uint32_t bytes);

// Constant memory serves one 4-byte word at a time, to all lanes that want it: the words of a load.
uint32_t sim_access_constant_words(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes);

// Shared memory. A pass over the banks (wavefront) serves one 4-byte word of each bank, to any
// number of lanes.
typedef struct sim_bank_use {
    uint32_t wavefronts;    // passes that the access takes
    uint32_t conflict_free; // passes it would take if no bank were asked for two words at once
} sim_bank_use;

// `offsets` are byte offsets into shared memory. Accesses of 8 bytes per lane go by half-warps, of
// 16 by quarter-warps; two neighbouring groups are served together when all their lanes agree with
// their neighbour (lane xor 1), or all with their next but one (lane xor 2).
sim_bank_use sim_access_banks(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                              uint32_t bytes);

// When a word of a lane is served, from 0.
typedef struct sim_bank_round {
    uint8_t wavefront; // of the whole access
    uint8_t rank;      // among the words that its bank serves to the same group of lanes: 0 waits
                       // for no other
} sim_bank_round;

// That of each word of each lane: a bank serves its words in the order of the lanes that ask first.
// (The hardware's order is not known; the number of wavefronts is.) Returns the number of
// wavefronts; of lanes that are off nothing is written.
uint32_t sim_access_bank_rounds(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                                uint32_t bytes,
                                sim_bank_round out_rounds[SIM_ACCESS_LANES][SIM_ACCESS_WORDS]);

// Atomics. Lanes that name one word come one after the other, a round each.
// Global memory: sectors of all rounds. 32 lanes on one word: 32; on the 8 words of a sector: 4.
uint32_t sim_access_atomic_sectors(const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                                   uint32_t bytes);
// Shared memory: a pass serves one lane of each bank, so the fullest bank decides, whether its
// lanes name one word or several. 8 bytes per lane go by half-warps.
uint32_t sim_access_atomic_passes(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                                  uint32_t bytes);
// The same of atomics, in passes, each of which serves one lane of a bank.
uint32_t sim_access_atomic_rounds(const uint64_t offsets[SIM_ACCESS_LANES], uint32_t lanes,
                                  uint32_t bytes, sim_bank_round out_rounds[SIM_ACCESS_LANES]);

// ---- access_legacy.c ----------------------------------------------------------------------------
// What one warp-level memory instruction costs on cards that count otherwise than access.h says:
// half-warps and 16 banks before compute capability 2.0, banks of 8 bytes on 3.x. Pure functions of
// the addresses and of the device's row; as plain as access.h, for they have no quick forms.

// Global memory: 32-byte units that the transactions of the lanes in `lanes` move, each lane with
// `bytes` at addresses[lane]. By device->coalescing (CUDA C Programming Guide 4.2, F.3.2):
//   SIM_COALESCE_SECTORS   distinct sectors of the warp, as sim_access_sectors
//   SIM_COALESCE_SEQUENCE  each half-warp by itself: one aligned transaction of 16 words of 4 bytes
//                          (64 bytes), 8 (128) or 16 (two of 128) when lane k asks for word k; else
//                          one of 32 bytes per active lane
//   SIM_COALESCE_SEGMENTS  each half-warp by itself: a transaction per segment of 32 bytes (for
//                          words of 1 byte), 64 (2) or 128, halved where one half is used
uint32_t sim_legacy_units(const sim_device *device, const uint64_t addresses[SIM_ACCESS_LANES],
                          uint32_t lanes, uint32_t bytes);

// The transactions themselves: 2 for a coalesced warp of 4-byte words before 2.0. 0 for a device
// that coalesces by sectors.
uint32_t sim_legacy_transactions(const sim_device *device,
                                 const uint64_t addresses[SIM_ACCESS_LANES], uint32_t lanes,
                                 uint32_t bytes);

// Shared memory. Lanes go by device->shared_lanes, banks are device->shared_banks, each with
// bank_bytes per pass.
//   half-warps (F.3.3): a word of more than 4 bytes is several requests of 4 bytes. A pass serves
//   one word to all lanes that want it (the broadcast; here that of most lanes), and in each other
//   bank one lane.
//   banks of 8 bytes (G.4.3 of guide 8.0): a pass serves, per bank, all words of one row of 256
//   bytes; lanes of wide accesses go together as far as the banks' bytes reach.
sim_bank_use sim_legacy_banks(const sim_device *device, const uint64_t offsets[SIM_ACCESS_LANES],
                              uint32_t lanes, uint32_t bytes);

// When each word of each lane is served by these rules, as sim_access_bank_rounds says it of 9.0:
// the passes of a half-warp, or of the lanes that go together, in order. Returns the number of
// wavefronts, that of sim_legacy_banks; of lanes that are off nothing is written.
uint32_t sim_legacy_bank_rounds(const sim_device *device, const uint64_t offsets[SIM_ACCESS_LANES],
                                uint32_t lanes, uint32_t bytes,
                                sim_bank_round out_rounds[SIM_ACCESS_LANES][SIM_ACCESS_WORDS]);
