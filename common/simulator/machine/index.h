// SPDX-License-Identifier: MIT
// What the machine code beside the PTX has of a region: how many instructions for each operation,
// and in which order.
#ifndef SIM_MACHINE_INDEX_H
#define SIM_MACHINE_INDEX_H

#include "machine/issue_code.h"

// The machine instructions of a function by the PTX ones that they came from.
typedef struct machine_index {
    const sim_function *function;
    uint32_t *pcs;       // [machine_count]: the instruction that it came from, or is done with
    uint32_t *first;     // [code_count + 1]: index of `positions`; NULL: no machine code
    uint32_t *positions; // [machine_count]: indices of function->machine, ascending for each pc
} machine_index;

// False: no memory. To be freed either way. A function without machine code has no positions.
bool machine_index_make(machine_index *machine, const sim_function *function);
void machine_index_free(machine_index *machine);

// What ptxas does before a loop for the instructions of a region in it counts to what stands
// before it in the machine code: once, not in each iteration. region_of[pc]: numbers of the
// regions, which ascend. False: no memory.
bool machine_index_hoist(machine_index *machine, const uint32_t *region_of);

// How many copies of the region from pc `first` to `last` the innermost loops of the machine code
// have; 1 without machine code.
uint32_t machine_index_copies(const machine_index *machine, uint32_t first, uint32_t last);

// Gives ops[0..count), the region from `first` to `last` in the order of the program, some
// iterations of it, the machine instructions that they became on average: what became none is free.
// What costs more than a few by itself (a division, whose subroutine is seldom entered) and what
// the region has once for all its iterations stay as they are. out_positions: where each is in
// the machine code, from 1; 0: nowhere.
void machine_index_take(const machine_index *machine, uint32_t first, uint32_t last, issue_op *ops,
                        uint32_t count, uint32_t *out_positions);

#endif
