// SPDX-License-Identifier: MIT
// Machine instructions of a stretch's operations, where the machine code beside the PTX tells them
// (sim_instr.machine_count).
#ifndef SIM_PLAY_COUNTS_H
#define SIM_PLAY_COUNTS_H

#include "play/code.h"

// Gives ops[0..count), the stretch from `first` to `last` in the order of the program, `copies`
// times, the machine instructions that they became on average: what became none is free. What costs
// more than a few by itself (a division, whose subroutine is seldom entered) and what the stretch
// has once for all its copies stay as they are.
void play_count_issues(const sim_function *function, uint32_t first, uint32_t last, play_op *ops,
                       uint32_t count);

#endif
