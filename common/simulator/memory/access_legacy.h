// SPDX-License-Identifier: MIT
// What one warp-level memory instruction costs on cards that count otherwise than access.h says:
// half-warps and 16 banks before compute capability 2.0, banks of 8 bytes on 3.x. Pure functions of
// the addresses and of the device's row; as plain as access.h, for they have no quick forms.
#ifndef SIM_MEMORY_ACCESS_LEGACY_H
#define SIM_MEMORY_ACCESS_LEGACY_H

#include "device/device.h"
#include "memory/access.h"

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

#endif
