// SPDX-License-Identifier: MIT
// What the L2 may still hold from before a launch: which sectors of device memory earlier launches
// and fills touched, and how much has gone through the L2 since. What the host copies passes
// through it, and is not taken to stay.
#ifndef SIM_RECORD_L2_BEFORE_LAUNCH_H
#define SIM_RECORD_L2_BEFORE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
