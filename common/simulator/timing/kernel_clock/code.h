// SPDX-License-Identifier: MIT
// A function as its warps' clocks see it: for each instruction its cost in machine code
// (machine/cost.h, refined where a chain of one operation shows more), and its registers.
#ifndef SIM_TIMING_KERNEL_CLOCK_CODE_H
#define SIM_TIMING_KERNEL_CLOCK_CODE_H

#include "machine/issue_code.h"
#include "timing/kernel_clock/clock.h"

// How an instruction passes through a warp's clock.
typedef enum clock_kind {
    CLOCK_PLAIN,    // registers only
    CLOCK_FREE,     // nothing in the machine code
    CLOCK_MEMORY,   // global, shared or local
    CLOCK_SHUFFLE,  // through the load/store unit, without an address
    CLOCK_CONSTANT, // load by a computed address
    CLOCK_BRANCH,
    CLOCK_BARRIER, // of the block
    CLOCK_CLUSTER_BARRIER,
    CLOCK_FENCE,
    CLOCK_SLEEP,
    CLOCK_WAIT_COPIES, // asynchronous ones
    CLOCK_BULK,        // a bulk copy
    CLOCK_BULK_WAIT,   // at an mbarrier
    CLOCK_ARRIVE,      // at an mbarrier
    CLOCK_RELEASE,     // an arrival that releases to the cluster
    CLOCK_PRODUCT,     // of a warp group
    CLOCK_PRODUCTS,    // commit_group, wait_group of such
    CLOCK_READ         // of a clock
} clock_kind;

// An instruction.
typedef struct clock_op {
    sim_exec_fn exec;         // what the instruction does
    uint32_t operands;        // index of its registers: sources, then results
    uint8_t sources, results; // how many of each
    uint8_t kind;             // clock_kind
    uint8_t issues;           // machine instructions
    uint16_t latency;         // cycles until what it writes can be read; of memory: of its nearest
    bool hoists;              // a comparison: moved up where its registers are old
} clock_op;

// sim_bound.clock.
struct sim_clock_code {
    clock_op *ops;      // [code_count]
    uint16_t *operands; // numbers of registers
    uint32_t registers; // that the function writes
    bool reads;         // a clock, itself or in what it calls: of kernels
};

// The cost of the instruction at `pc`, whose straight-line code begins at `first`; its registers
// are not filled in.
clock_op clock_cost_of(const sim_device *device, const sim_function *function, uint32_t pc,
                       uint32_t first);

// Replaces handlers by sim_clock_exec; called by sim_clocks_bind.
void sim_clock_exec(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

#endif
