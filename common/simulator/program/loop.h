// SPDX-License-Identifier: MIT
// Loops of a decoded function, as its code lies: from the target of a jump back to that jump.
#ifndef SIM_PROGRAM_LOOP_H
#define SIM_PROGRAM_LOOP_H

#include "program/ir.h"

// A loop: from the instruction that is jumped back to, to the one that jumps.
typedef struct sim_loop {
    uint32_t first_pc, last_pc; // both are part of it
} sim_loop;

// The innermost and the outermost loop around `pc`, which may be the same; false: there is none.
bool sim_loops_around(const sim_function *function, uint32_t pc, sim_loop *out_inner,
                      sim_loop *out_outer);
// Source lines of a loop, first to last, as far as they stand in the file where it begins; false:
// none is known.
bool sim_loop_lines(const sim_function *function, const sim_loop *loop, uint32_t *out_file,
                    uint32_t *out_first, uint32_t *out_last);

#endif
