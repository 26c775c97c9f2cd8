// SPDX-License-Identifier: MIT
// Lab 03, step 1: the whole calculator (CS 677 lecture 3, "Occupancy Calculator"; src 000's two
// blocks per SM).
//
// Why step 0 is not enough: 256 threads with 11 registers fill 8192 registers with two blocks, with
// 10 with three.
#include "occupancy.h"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

static int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

static int minimum(int a, int b) {
    return a < b ? a : b;
}

// Blocks of `warps` warps whose registers fit into one SM.
static int blocks_by_registers(const occupancy_limits *limits, int warps, int registers) {
    // SOLUTION BEGIN
    if (registers > limits->registers_per_thread) return 0;
    if (limits->registers_by_block) {
        int lanes = round_up(warps, limits->warp_unit) * 32;
        return limits->registers / round_up(lanes * registers, limits->register_unit);
    }
    int a_warp = round_up(32 * registers, limits->register_unit);
    int warps_a_part = limits->registers / limits->warp_unit / a_warp; // whole warps in each part
    return warps_a_part * limits->warp_unit / warps;
    // SOLUTION TODO: 0 when a thread may not have so many. Then two cases (occupancy.h has units):
    // SOLUTION TODO: - registers_by_block: the block's registers, its warps rounded up to
    // SOLUTION TODO:   warp_unit, in register_unit
    // SOLUTION TODO: - else: each warp's registers in register_unit; whole warps in each of the
    // SOLUTION TODO:   warp_unit partitions
    // SOLUTION STUB: (void)limits, (void)warps, (void)registers;
    // SOLUTION STUB: return 0;
}

// Blocks whose shared memory fits into one SM.
static int blocks_by_shared(const occupancy_limits *limits, int bytes) {
    // SOLUTION BEGIN
    if (bytes > limits->shared_per_block) return 0;
    int need = round_up(bytes + limits->shared_reserved, limits->shared_unit);
    return need > 0 ? limits->shared / need : limits->blocks;
    // SOLUTION TODO: 0 when a block may not have so much; else in units of shared_unit, with what
    // SOLUTION TODO: the system reserves for each block. Check blocks that need nothing at all.
    // SOLUTION STUB: (void)limits, (void)bytes;
    // SOLUTION STUB: return 0;
}

extern "C" int occupancy_step1(const occupancy_config *configs, int64_t count, int32_t *blocks,
                               int32_t *warps) {
    if (!IMPLEMENTED) return OCCUPANCY_NOT_IMPLEMENTED;
    for (int64_t i = 0; i < count; i++) {
        const occupancy_config *c = &configs[i];
        const occupancy_limits *limits = occupancy_limits_of(c->compute);
        blocks[i] = warps[i] = 0;
        if (limits == nullptr || c->threads > limits->threads_per_block) {
            continue; // such a block cannot run
        }
        int warps_a_block = (c->threads + 31) / 32;
        int slots = minimum(limits->blocks, limits->warps / warps_a_block);
        int registers = blocks_by_registers(limits, warps_a_block, c->registers);
        int shared = blocks_by_shared(limits, c->shared_bytes);
        blocks[i] = minimum(slots, minimum(registers, shared));
        warps[i] = blocks[i] * warps_a_block;
    }
    return 0;
}
