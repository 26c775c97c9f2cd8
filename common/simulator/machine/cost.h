// SPDX-License-Identifier: MIT
// What one instruction of the PTX costs in machine code of compute capability 9.0: how many machine
// instructions, on which pipes, with which latency.
#ifndef SIM_MACHINE_COST_H
#define SIM_MACHINE_COST_H

#include <string.h>

#include "machine/issue_code.h"

// What an instruction is to the schedulers.
issue_kind issue_kind_of(const sim_instr *instr);

// Whether it is at a barrier of a part of the block.
static inline bool issue_is_part_barrier(const sim_instr *instr) {
    return instr->op == SIM_OP_BAR && instr->src[1] != SIM_NO_SLOT;
}

// Whether a warp's trace has entries of sim_traced_kind for it: bulk copies, mbarriers, barriers of
// a part of the block.
static inline bool issue_has_events(const sim_instr *instr) {
    return sim_is_bulk(instr) || instr->op == SIM_OP_MBARRIER || instr->op == SIM_OP_CP_MBARRIER ||
           issue_is_part_barrier(instr);
}

static inline bool issue_is_store(const sim_instr *instr) {
    return instr->op == SIM_OP_ST || instr->op == SIM_OP_RED || instr->op == SIM_OP_ATOM;
}

// Of global memory, or of any.
static inline bool issue_is_in_memory(const sim_instr *instr) {
    return instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_NONE;
}

// Whether pcs `first` to `last` are a short loop around loads: ptxas unrolls it four times more
// than the PTX shows, so that many iterations wait together (machine code of a summing loop: 16
// loads per iteration where its PTX has 4). Where an iteration also stores, the next one's loads
// must stay behind that, unless they are known to read what nobody writes (`__restrict__`).
bool issue_is_unrolled(const sim_function *function, uint32_t first, uint32_t last);

// Groups of a warp's asynchronous work, as the cycles at which each is done, latest first: those of
// ends[0] to ends[most] that are looked at. Commits one that is done at `end`.
static inline void issue_commit_group(double *ends, uint32_t most, double end) {
    memmove(ends + 1, ends, most * sizeof *ends);
    ends[0] = end;
}

// kind, pipes, issues and latency of the instruction at `pc`, whose region begins at `first`.
issue_op issue_cost_of(const sim_device *device, const sim_function *function, uint32_t pc,
                       uint32_t first);

// A branch over a few instructions, which ptxas makes instructions under a predicate.
bool issue_is_predicated(const sim_function *function, uint32_t pc);

// What a branch costs its warp, in the cycle-level model and on a clock alike. Of one that guards
// something: the cycles that it waits longer for its predicate than arithmetic does.
double issue_branch_wait(const sim_instr *branch);
// Whether its lanes may part and meet again behind it: machine_constant.reconvergence more where
// they part.
bool issue_branch_reconverges(const sim_instr *branch);
// From its start to the warp's next instruction, where all lanes go the same way.
double issue_branch_cycles(const sim_function *function, uint32_t pc, bool taken);

// Whether an atomic on shared memory adds floats, which is a loop of a load and a compare-and-swap,
// an iteration for each lane of an address. Warps that add to one address make each other try
// again.
bool issue_is_loop_of_sums(const sim_instr *atomic);

// Of a product of a warp group: wavefronts of shared memory, for all four warps, and cycles that it
// keeps the tensor cores of the SM.
// ISSUE_GROUP_QUEUE: that a tensor core has taken before the first one must end. H200: a group that
// issues 16 products of 64 cycles waits before the tenth and the others; when it has issued the
// last one, nearly seven are not done.
enum { ISSUE_GROUP_QUEUE = 7 };
uint32_t issue_group_wavefronts(const sim_instr *product);
double issue_group_cycles(const sim_instr *product);

// Cycles by which a fence of the whole card takes longer on this one than on an H200, with nothing
// to wait for; and cycles of a fence behind stores that are on their way to the L2.
double issue_fence_more(const sim_device *device);
double issue_fence_cycles(const sim_device *device, const sim_instr *fence);
// Cycles of a load that the L2 answers.
double issue_l2_latency(const sim_device *device);

// Numbers of constants.def.
typedef struct machine_constants {
#define MACHINE_CONSTANT(name, value, unit, text, source) double name;
#include "machine/constants.def"
#undef MACHINE_CONSTANT
} machine_constants;
// Their values.
extern const machine_constants machine_constant;

#endif
