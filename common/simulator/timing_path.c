// SPDX-License-Identifier: MIT
// The waiting time inside a warp: a scoreboard walk over a function's code in program order.
// State is carried from each instruction to the next in layout order; loops' back edges are not followed, so a
// load that the next iteration consumes costs nothing here (that is what software pipelining is for).
#include <stdlib.h>

#include "counters_fold.h"
#include "timing.h"

// Latencies of compute capability 9.0 in cycles, rounded from published micro-benchmarks of Hopper; global
// memory comes from the device row.
enum {
    LATENCY_ALU = 5,
    LATENCY_XU = 20,
    LATENCY_FP64 = 8,
    LATENCY_SHUFFLE = 24,
    LATENCY_BARRIER = 26,
    LATENCY_BRANCH = 10,
    LATENCY_ATOMIC_SHARED = 60
};

static double memory_latency(const sim_device *device, const sim_instr *instr) {
    double global_cycles = device->dram_latency_ns * device->clock_mhz * 1e-3;
    bool atomic = instr->op == SIM_OP_ATOM;
    switch (instr->space) {
    case PTX_SPACE_SHARED: return atomic ? LATENCY_ATOMIC_SHARED : device->shared_latency_cycles;
    case PTX_SPACE_PARAM:
    case PTX_SPACE_CONST: return LATENCY_ALU;
    case PTX_SPACE_LOCAL: return device->shared_latency_cycles;
    default: return global_cycles;
    }
}

static double latency_of(const sim_device *device, const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_LD:
    case SIM_OP_LDU:
    case SIM_OP_ATOM: return memory_latency(device, instr);
    case SIM_OP_SHFL: return LATENCY_SHUFFLE;
    default: break;
    }
    switch (sim_pipe_of(instr)) {
    case SIM_PIPE_XU: return LATENCY_XU;
    case SIM_PIPE_FP64: return LATENCY_FP64;
    default: return LATENCY_ALU;
    }
}

// Slots are spread over at most this many entries; two registers that share one only make the walk cautious.
enum { BOARD_SLOTS = 1 << 14 };

typedef struct scoreboard {
    double *ready; // cycle at which a slot can be read
    double now;
} scoreboard;

static double *entry_of(scoreboard *board, uint32_t slot) {
    return &board->ready[(slot >> 2) & (BOARD_SLOTS - 1)];
}

static void wait_for(scoreboard *board, uint32_t slot, double *start) {
    if (slot == SIM_NO_SLOT) return;
    double ready = *entry_of(board, slot);
    if (ready > *start) *start = ready;
}

static void set_ready(scoreboard *board, uint32_t slot, double when) {
    if (slot != SIM_NO_SLOT) *entry_of(board, slot) = when;
}

static bool writes_list(const sim_instr *instr) {
    return instr->op == SIM_OP_UNPACK ||
           (instr->vector > 1 && (instr->op == SIM_OP_LD || instr->op == SIM_OP_LDU));
}

static bool reads_list(const sim_instr *instr) {
    return instr->op == SIM_OP_PACK || (instr->vector > 1 && instr->op == SIM_OP_ST);
}

static double fixed_wait(const sim_instr *instr) {
    if (instr->op == SIM_OP_BAR) return LATENCY_BARRIER;
    if (instr->op == SIM_OP_BRA || instr->op == SIM_OP_BRX) return LATENCY_BRANCH;
    return 0;
}

static double step(const sim_device *device, const sim_function *function, const sim_instr *instr,
                   scoreboard *board) {
    double start = board->now;
    wait_for(board, instr->guard, &start);
    for (int i = 0; i < 4; i++) wait_for(board, instr->src[i], &start);
    if (reads_list(instr))
        for (uint32_t i = 0; i < instr->vector; i++)
            wait_for(board, function->slots[instr->list + i], &start);
    double end = start + 1 + fixed_wait(instr);
    double ready = start + latency_of(device, instr);
    set_ready(board, instr->dst, ready);
    set_ready(board, instr->dst2, ready);
    if (writes_list(instr))
        for (uint32_t i = 0; i < instr->vector; i++)
            set_ready(board, function->slots[instr->list + i], ready);
    double cost = end - board->now;
    board->now = end;
    return cost;
}

double sim_timing_serial_cycles(const sim_device *device, const sim_function *function,
                                const sim_raw_counts *counts) {
    scoreboard board = {.ready = calloc(BOARD_SLOTS, sizeof(double)), .now = 0};
    if (!board.ready) return 0;
    double total = 0;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        double cost = step(device, function, &function->code[pc], &board);
        total += cost * (double)counts[pc].executed;
    }
    free(board.ready);
    return total;
}
