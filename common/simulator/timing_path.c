// SPDX-License-Identifier: MIT
// The waiting time inside a warp: a walk over a function's code in program order, a straight stretch at a time.
// ptxas reorders inside a stretch so that independent loads are in flight together; so an instruction starts here as
// soon as its operands are there, and a stretch lasts as long as its longest chain or its number of instructions.
// What is still in flight at its end is carried to the next stretch in layout order; loops' back edges are not
// followed, so a load that only the next iteration consumes costs nothing (that is what software pipelining is for).
#include <stdlib.h>
#include <string.h>
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
    LATENCY_ATOMIC_SHARED = 60,
    PTXAS_UNROLL = 4,
    UNROLLED_INSTRUCTIONS = 64, // loops longer than this are left alone
    WARP_START_CYCLES =
        600 // fitted to short blocks: the reduction ladder on an H100 at 2^24 elements
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
    double ready[BOARD_SLOTS]; // cycle of the present stretch at which a slot can be read
    double stored;             // when the last store of the stretch started: loads stay behind it
    double end;                // of the longest chain so far
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

static bool is_load(const sim_instr *instr) {
    return instr->op == SIM_OP_LD || instr->op == SIM_OP_LDU || instr->op == SIM_OP_ATOM;
}

static bool is_store(const sim_instr *instr) {
    return instr->op == SIM_OP_ST || instr->op == SIM_OP_RED || instr->op == SIM_OP_ATOM;
}

static bool writes_list(const sim_instr *instr) {
    return instr->op == SIM_OP_UNPACK || (instr->vector > 1 && is_load(instr));
}

static bool reads_list(const sim_instr *instr) {
    return instr->op == SIM_OP_PACK || (instr->vector > 1 && instr->op == SIM_OP_ST);
}

// After these nothing may be moved up: the stretch ends.
static bool ends_stretch(const sim_instr *instr) {
    return sim_pipe_of(instr) == SIM_PIPE_CTRL || instr->op == SIM_OP_FENCE;
}

static double wait_at(const sim_instr *instr) {
    if (instr->op == SIM_OP_BAR) return LATENCY_BARRIER;
    if (instr->op == SIM_OP_BRA || instr->op == SIM_OP_BRX) return LATENCY_BRANCH;
    return 0;
}

static void place(const sim_device *device, const sim_function *function, const sim_instr *instr,
                  double issued, scoreboard *board) {
    double start = issued;
    wait_for(board, instr->guard, &start);
    for (int i = 0; i < 4; i++) wait_for(board, instr->src[i], &start);
    if (reads_list(instr))
        for (uint32_t i = 0; i < instr->vector; i++)
            wait_for(board, function->slots[instr->list + i], &start);
    if (is_load(instr) && board->stored > start) start = board->stored;
    if (is_store(instr) && start > board->stored) board->stored = start;
    double ready = start + latency_of(device, instr);
    set_ready(board, instr->dst, ready);
    set_ready(board, instr->dst2, ready);
    if (writes_list(instr))
        for (uint32_t i = 0; i < instr->vector; i++)
            set_ready(board, function->slots[instr->list + i], ready);
    double end = start + 1 + wait_at(instr);
    if (end > board->end) board->end = end;
}

// A short loop around loads: ptxas unrolls it PTXAS_UNROLL times more than the PTX shows, so that many turns wait
// together (machine code of a summing loop: 16 loads a turn where its PTX has 4).
static double length_of(const sim_function *function, uint32_t first, uint32_t last, bool loads,
                        double chain) {
    const sim_instr *end = &function->code[last];
    double issue = last + 1 - first;
    if (issue >= chain) return issue;
    bool own_loop = end->op == SIM_OP_BRA && end->target == first && loads;
    for (uint32_t pc = first; pc <= last; pc++)
        own_loop = own_loop && !function->code[pc].nounroll; // #pragma unroll 1
    if (own_loop && issue <= UNROLLED_INSTRUCTIONS) return issue + (chain - issue) / PTXAS_UNROLL;
    return chain;
}

// The next stretch starts when this one ends: what is in flight has that much less to go.
static void close_stretch(scoreboard *board) {
    for (uint32_t i = 0; i < BOARD_SLOTS; i++)
        board->ready[i] = board->ready[i] > board->end ? board->ready[i] - board->end : 0;
    board->stored = board->end = 0;
}

static bool *find_targets(const sim_function *function) {
    bool *targets = calloc(function->code_count + 1, sizeof *targets);
    for (uint32_t pc = 0; targets && pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op == SIM_OP_BRA && instr->target < function->code_count)
            targets[instr->target] = true;
    }
    return targets;
}

double sim_timing_serial_cycles(const sim_device *device, const sim_function *function,
                                const sim_raw_counts *counts) {
    scoreboard *board = calloc(1, sizeof *board);
    bool *targets = find_targets(function);
    double total = 0;
    uint32_t first = 0; // of the present stretch
    bool loads = false;
    for (uint32_t pc = 0; board && targets && pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        place(device, function, instr, pc - first, board);
        loads = loads || (is_load(instr) && instr->space != PTX_SPACE_SHARED);
        bool last = pc + 1 == function->code_count || targets[pc + 1] || ends_stretch(instr);
        if (!last) continue;
        double length = length_of(function, first, pc, loads, board->end);
        total += length * (double)counts[first].executed;
        if (length > board->end) board->end = length;
        close_stretch(board);
        first = pc + 1;
        loads = false;
    }
    // A warp's start: its block is given to the SM, registers and parameters are set up.
    if (function->is_entry && function->code_count)
        total += WARP_START_CYCLES * (double)counts[0].executed;
    free(targets);
    free(board);
    return total;
}
