// SPDX-License-Identifier: MIT
// The waiting time inside a warp: a walk over a function's code in program order, a straight
// region at a time. ptxas reorders inside a region so that independent loads are in flight
// together; so an instruction starts here as soon as its operands are there, and a region lasts as
// long as its longest chain or its number of instructions. What is still in flight at its end is
// carried to the next region in layout order; loops' back edges are not followed, so a load that
// only the next iteration consumes costs nothing (that is what software pipelining is for).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cost.h"
#include "machine/operands.h"
#include "timing/bounds/bounds.h"

// Loops that ptxas unrolls.
enum {
    UNROLLED_INSTRUCTIONS = 64, // longer ones are left alone
    UNROLL_FACTOR = 4,          // that ptxas puts into one
};

// Fitted to short blocks: the reduction ladder on an H100 at 2^24 elements.
const double sim_bounds_start_cycles = 600;

// What the walk over a function's code makes of one instruction. A region is straight-line code,
// inside which ptxas moves instructions.
typedef struct bounds_step {
    uint32_t first, last; // of its region
    double start;         // cycle of the region at which its operands are there
    double latency;       // cycles until what it writes can be read
    double length;        // of its region, in cycles
    // Of a latency that each iteration waits, where its region is a loop that ptxas unrolls; else
    // 1.
    double share;
} bounds_step;

// Of a global access, on average over the sectors that it found in the L1, in the L2 and in device
// memory.
static double global_latency(const sim_device *device, const sim_cache_counts *found) {
    double cycles_a_ns = device->clock_mhz * 1e-3;
    double dram_cycles = device->dram_latency_ns * cycles_a_ns;
    if (!found || !found->l1_sectors) return dram_cycles;
    double all = (double)found->l1_sectors, misses = all - (double)found->l1_hits;
    double dram = (double)found->dram_reads < misses ? (double)found->dram_reads : misses;
    return ((all - misses) * device->l1_latency_cycles +
            (misses - dram) * device->l2_latency_ns * cycles_a_ns + dram * dram_cycles) /
           all;
}

// Until the farthest of some lines is there, each of which is past the L1, or in device memory, as
// often as `found`.
static double farthest_latency(const sim_device *device, const sim_cache_lines_found *found,
                               double lines) {
    double cycles_a_ns = device->clock_mhz * 1e-3;
    double dram_cycles = device->dram_latency_ns * cycles_a_ns;
    double l2_cycles = device->l2_latency_ns * cycles_a_ns;
    double near = pow(1 - (double)found->past_l1 / (double)found->all, lines);
    double in_cache = pow(1 - (double)found->in_dram / (double)found->all, lines);
    return near * device->l1_latency_cycles + (in_cache - near) * l2_cycles +
           (1 - in_cache) * dram_cycles;
}

static double found_latency(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                            double share) {
    const sim_cache_site *site =
        code->cache ? sim_cache_site_of(code->cache, sim_trace_site(code->index, pc)) : NULL;
    uint64_t requests = code->launch ? code->launch[pc].requests : 0;
    if (!site || !requests || !site->longest.all)
        return global_latency(device, site ? &site->counts : NULL);
    double lines = (double)site->lines * code->cache->scale / (double)requests;
    if (lines < 1) lines = 1;
    return farthest_latency(device, &site->longest, lines / share);
}

static double memory_latency(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                             double share) {
    const sim_instr *instr = &code->function->code[pc];
    bool atomic = instr->op == SIM_OP_ATOM;
    switch (instr->space) {
    case PTX_SPACE_SHARED:
        return atomic ? machine_constant.shared_atomic_latency : device->shared_latency_cycles;
    case PTX_SPACE_PARAM:
    case PTX_SPACE_CONST: return device->alu_latency_cycles;
    case PTX_SPACE_LOCAL: return device->shared_latency_cycles;
    default: return found_latency(device, code, pc, share);
    }
}

static double latency_of(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                         double share) {
    const sim_instr *instr = &code->function->code[pc];
    switch (instr->op) {
    case SIM_OP_LD:
    case SIM_OP_LDU:
    case SIM_OP_ATOM: return memory_latency(device, code, pc, share);
    case SIM_OP_SHFL: return machine_constant.shuffle_latency;
    default: break;
    }
    switch (sim_pipe_of(instr)) {
    case SIM_PIPE_XU: return machine_constant.xu_latency;
    case SIM_PIPE_FP64: return machine_constant.fp64_latency;
    case SIM_PIPE_TENSOR: return machine_constant.tensor_latency;
    default: return device->alu_latency_cycles;
    }
}

// Slots are spread over at most this many entries; two registers that share one only make the walk
// cautious.
enum { BOARD_SLOTS = 1 << 14 };

typedef struct scoreboard {
    double ready[BOARD_SLOTS]; // cycle of the present region at which a slot can be read
    uint32_t used;             // entries that were ever written; the rest are 0
    double stored;             // when the last store of the region started: loads stay behind it
    double end;                // of the longest chain so far
} scoreboard;

static uint32_t entry_of(uint32_t slot) {
    return (slot >> 2) & (BOARD_SLOTS - 1);
}

static void set_ready(scoreboard *board, uint32_t slot, double cycle) {
    uint32_t entry = entry_of(slot);
    board->ready[entry] = cycle;
    if (entry >= board->used) board->used = entry + 1;
}

static bool is_store(const sim_instr *instr) {
    return instr->op == SIM_OP_ST || instr->op == SIM_OP_RED || instr->op == SIM_OP_ATOM;
}

static bool is_in_memory(const sim_instr *instr) {
    return instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_NONE;
}

// After these nothing may be moved up: the region ends.
static bool ends_region(const sim_instr *instr) {
    return sim_pipe_of(instr) == SIM_PIPE_CTRL || instr->op == SIM_OP_FENCE;
}

// After an instruction that changes the flow: cycles until the warp's next one. At a barrier the SM
// takes the arrivals of the block's warps one after the other.
static double wait_after(const sim_bounds_code *code, const sim_instr *instr) {
    if (instr->op == SIM_OP_BAR)
        return machine_constant.barrier + code->warps * machine_constant.arrival;
    if (instr->op == SIM_OP_BRA || instr->op == SIM_OP_BRX) return machine_constant.jump;
    return 0;
}

// `step`: first, last and share are there; adds start and latency.
static void place(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                  scoreboard *board, bounds_step *step) {
    const sim_function *function = code->function;
    const sim_instr *instr = &function->code[pc];
    uint32_t slots[SIM_OPERAND_SLOTS];
    double start = pc - step->first;
    uint32_t count = sim_operand_sources(function, instr, slots);
    for (uint32_t i = 0; i < count; i++) {
        double ready = board->ready[entry_of(slots[i])];
        if (ready > start) start = ready;
    }
    if (sim_is_load(instr) && board->stored > start) start = board->stored;
    if (is_store(instr) && start > board->stored) board->stored = start;
    step->start = start;
    step->latency = latency_of(device, code, pc, step->share);
    count = sim_operand_results(function, instr, slots);
    for (uint32_t i = 0; i < count; i++) set_ready(board, slots[i], start + step->latency);
    double end = start + 1 + wait_after(code, instr);
    if (end > board->end) board->end = end;
}

// A short loop around loads: ptxas unrolls it four times more than the PTX shows, so that many
// iterations wait together (machine code of a summing loop: 16 loads per iteration where its PTX
// has 4). Where an iteration also stores, the next one's loads must stay behind that, unless they
// are known to read what nobody writes (`const .. __restrict__`).
static bool is_unrolled(const sim_function *function, uint32_t first, uint32_t last) {
    const sim_instr *end = &function->code[last];
    bool loads = false, kept = false, stores = false, may_change = false;
    for (uint32_t pc = first; pc <= last; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (is_store(instr) && is_in_memory(instr)) stores = true;
        if (sim_is_load(instr) && is_in_memory(instr)) {
            loads = true;
            may_change = may_change || !(instr->mods & SIM_MOD_NC);
        }
        kept = kept || instr->nounroll; // #pragma unroll 1
    }
    return end->op == SIM_OP_BRA && end->target == first && loads && !kept &&
           !(stores && may_change) && last + 1 - first <= UNROLLED_INSTRUCTIONS;
}

static double length_of(uint32_t instructions, double share, double chain) {
    double issue = instructions;
    return issue >= chain ? issue : issue + (chain - issue) * share;
}

// The next region starts when this one ends: what is in flight has that much less to go.
static void close_region(scoreboard *board) {
    for (uint32_t i = 0; i < board->used; i++)
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

// Loads from memory that wait for another one of the same iteration: col[k], then x[col[k]].
static uint32_t count_chained(const sim_function *function, uint32_t first, uint32_t last) {
    uint32_t loaded[UNROLLED_INSTRUCTIONS * SIM_OPERAND_SLOTS], known = 0, chained = 0;
    for (uint32_t pc = first; pc <= last; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool load = sim_is_load(instr) && is_in_memory(instr), waits = false;
        uint32_t slots[SIM_OPERAND_SLOTS];
        uint32_t count = sim_operand_sources(function, instr, slots);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < known; k++) waits = waits || slots[i] == loaded[k];
        chained += load && waits;
        if (!load && !waits) continue;
        count = sim_operand_results(function, instr, slots);
        for (uint32_t i = 0; i < count; i++) loaded[known++] = slots[i];
    }
    return chained;
}

// Iterations of a loop, from where it is entered to its end, on average; many where that cannot be
// told.
static double iterations_of(const sim_bounds_code *code, uint32_t first) {
    if (first == 0 || ends_region(&code->function->code[first - 1])) return UNROLL_FACTOR;
    uint64_t entered = code->counts[first - 1].executed;
    return entered ? (double)code->counts[first].executed / (double)entered : UNROLL_FACTOR;
}

// What share of its waiting each iteration of a region adds: what is unrolled waits together, as
// far as there are iterations. Instructions start in their order: where loads wait for loads, a
// warp that is alone has no more than four such chains under way, however many iterations the
// compilers wrote out (an H100 takes as long with 4 in the PTX's loop as with 1).
static double share_of(const sim_bounds_code *code, uint32_t first, uint32_t last) {
    if (!is_unrolled(code->function, first, last)) return 1;
    double iterations = iterations_of(code, first), most = UNROLL_FACTOR;
    uint32_t chained = code->launch ? count_chained(code->function, first, last) : 0;
    if (chained > 1) most /= chained;
    if (iterations < most) most = iterations;
    return most > 1 ? 1 / most : 1;
}

static uint32_t last_of_region(const sim_function *function, const bool *targets, uint32_t pc) {
    while (pc + 1 < function->code_count && !targets[pc + 1] && !ends_region(&function->code[pc]))
        pc++;
    return pc;
}

static void walk_region(const sim_device *device, const sim_bounds_code *code, uint32_t first,
                        uint32_t last, scoreboard *board, bounds_step *steps) {
    const bounds_step region = {.first = first, .last = last, .share = share_of(code, first, last)};
    for (uint32_t pc = first; pc <= last; pc++) {
        steps[pc] = region;
        place(device, code, pc, board, &steps[pc]);
    }
    double length = length_of(last + 1 - first, region.share, board->end);
    for (uint32_t pc = first; pc <= last; pc++) steps[pc].length = length;
    if (length > board->end) board->end = length;
    close_region(board);
}

// Walks the code in program order; [function->code_count], to be freed, NULL without memory.
static bounds_step *walk(const sim_device *device, const sim_bounds_code *code) {
    const sim_function *function = code->function;
    scoreboard *board = calloc(1, sizeof *board);
    bool *targets = find_targets(function);
    bounds_step *steps = calloc(function->code_count + 1, sizeof *steps);
    for (uint32_t pc = 0; board && targets && steps && pc < function->code_count;) {
        uint32_t last = last_of_region(function, targets, pc);
        walk_region(device, code, pc, last, board, steps);
        pc = last + 1;
    }
    if (!board || !targets) {
        free(steps);
        steps = NULL;
    }
    free(targets);
    free(board);
    return steps;
}

double sim_bounds_serial_cycles(const sim_device *device, const sim_bounds_code *code) {
    const sim_function *function = code->function;
    bounds_step *steps = walk(device, code);
    double total = 0;
    for (uint32_t pc = 0; steps && pc < function->code_count; pc = steps[pc].last + 1)
        total += steps[pc].length * (double)code->counts[pc].executed;
    free(steps);
    return total;
}
