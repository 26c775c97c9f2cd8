// SPDX-License-Identifier: MIT
// Decoded instructions for tests that need no PTX.
#ifndef SIM_TESTS_SUPPORT_INSTR_H
#define SIM_TESTS_SUPPORT_INSTR_H

#include "program/ir.h"

// An access of 4 bytes, a float's.
static inline sim_instr memory_instr(uint16_t op, uint8_t space) {
    return (sim_instr){.op = op,
                       .type = PTX_F32,
                       .space = space,
                       .vector = 1,
                       .guard = SIM_NO_SLOT,
                       .list = SIM_NO_SLOT};
}

#endif
