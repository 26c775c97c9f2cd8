// What live.js asks of the simulator's rules; see rules.c.
#pragma once

#include <stdint.h>

// The byte that a lane of the request begins at, for the functions below.
void live_set(uint32_t lane, uint32_t address);

// Of the lanes in `lanes`, with `bytes` bytes each: sectors of global memory; wavefronts of shared
// memory, and those that no conflict would leave; wavefronts of a shared atomic.
uint32_t live_sectors(uint32_t lanes, uint32_t bytes);
uint32_t live_wavefronts(uint32_t lanes, uint32_t bytes);
uint32_t live_conflict_free(uint32_t lanes, uint32_t bytes);
uint32_t live_atomics(uint32_t lanes, uint32_t bytes);

// The wavefront, from 0, that serves a word of a lane: after live_wavefronts or live_atomics.
uint32_t live_round(uint32_t lane, uint32_t word);

// Of blocks on the default card. what: 0 active warps per SM, 1 the most that an SM holds, 2 blocks
// per SM, 3 to 6 blocks by warps, blocks, registers and shared memory, 7 which limits.
uint32_t live_occupancy(uint32_t threads, uint32_t registers, uint32_t shared_bytes, uint32_t what);

const char *live_limiter(uint32_t limiter); // its name
const char *live_card(void);                // the default card's
