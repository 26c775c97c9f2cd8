// SPDX-License-Identifier: MIT
// A function as the schedulers see it: operations in the order in which ptxas would
// schedule them, with their pipes, latencies and registers. PTX is not machine code: what ptxas
// drops (moves, loads of parameters) costs nothing here, what it makes of several instructions
// (division, 64-bit sums) as many, and a short loop around loads that it unrolls four times is
// taken in fours.
#ifndef SIM_MACHINE_ISSUE_CODE_H
#define SIM_MACHINE_ISSUE_CODE_H

#include "device/device.h"
#include "program/ir.h"

// Which units an operation can go to; several: the one that is free first.
enum {
    ISSUE_PIPE_ALU,      // integers and logic: half a warp per cycle
    ISSUE_PIPE_FMA,      // of float and of integers
    ISSUE_PIPE_FMA_LITE, // of float alone
    ISSUE_PIPE_XU,       // special functions
    ISSUE_PIPE_FP64,     // double
    ISSUE_PIPE_TENSOR,   // matrices
    ISSUE_PIPES          // the load/store unit belongs to the SM: memory.h
};

// What an operation waits for.
typedef enum issue_kind {
    ISSUE_PLAIN,    // registers only
    ISSUE_FREE,     // nothing in the machine code: its result is there when its operands are
    ISSUE_GLOBAL,   // load, store, atomic of global or local memory
    ISSUE_SHARED,   // likewise of shared memory, shuffles
    ISSUE_CONSTANT, // load by a computed address
    ISSUE_TEXTURE,  // fetch from a texture
    ISSUE_BRANCH,   // may change the flow
    ISSUE_BARRIER   // of the block
} issue_kind;

// One operation. Copies are those of the iterations of an unrolled loop.
typedef struct issue_op {
    uint32_t pc;              // of the function
    uint32_t operands;        // index of its registers: sources, then results
    uint8_t sources, results; // how many of each
    uint8_t kind, pipes;      // issue_kind; bit p: may go to pipe p; 0: to none of them
    uint8_t issues, copy;     // machine instructions; number of the iteration
    uint8_t holds;            // its pipe as long as that many simple ones: products of 64 bits two
    uint8_t stall;            // cycles until the warp's next operation, at least
    // Registers from each bank, behind the warp's last operation and behind another warp's.
    uint8_t reads[SIM_REGISTER_BANKS], reads_alone[SIM_REGISTER_BANKS];
    uint8_t sets, waits; // scoreboards, a bit each, as in sim_machine_op
    uint16_t latency;    // cycles until what it writes can be read; of memory: as ptxas expects
} issue_op;

// A straight-line region, inside which instructions are moved.
typedef struct issue_region {
    uint32_t first, last;   // pcs
    uint32_t ops, op_count; // index of its operations
    uint32_t batch;   // of ISSUE_UNROLL iterations of the loop that it is; 0: it is not unrolled
    uint32_t length;  // pcs, those of all copies included
    uint32_t numbers; // of values: all are below
} issue_region;

enum {
    ISSUE_UNROLL = 4,        // iterations of a loop that ptxas puts into one
    ISSUE_UNROLLED_MOST = 64 // instructions of such a loop
};

// A function, made ready.
typedef struct issue_code {
    const sim_function *function; // NULL: not made yet
    issue_op *ops;                // of all regions, one after the other
    uint32_t op_count;            // of `ops`
    uint32_t op_capacity;         // that there is memory for
    uint16_t *operands;           // numbers of values, below number_count
    uint32_t operand_count;       // of `operands`
    uint32_t operand_capacity;    // that there is memory for
    issue_region *regions;        // in the order of the code
    uint32_t region_count;        // of `regions`
    uint32_t *region_of;          // [code_count]
    bool *asks;                   // [code_count] has entries in a warp's trace
    uint32_t register_count;      // numbers that all regions share; above, each has its own
    uint32_t number_count;        // of the region that has most
} issue_code;

// A program's functions: each is made when a launch needs it first, and kept for the next launches.
typedef struct sim_issue_codes {
    uint32_t count;  // of functions
    issue_code of[]; // [count]; function NULL: not made
} sim_issue_codes;

// Accepts NULL.
void sim_issue_codes_free(sim_issue_codes *codes);

// Of a decoded function; false: no memory, or too many registers. To be freed either way.
bool issue_code_make(issue_code *code, const sim_device *device, const sim_function *function);
// Frees what issue_code_make made, also of one that failed.
void issue_code_free(issue_code *code);

#endif
