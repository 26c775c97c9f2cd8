// SPDX-License-Identifier: MIT
// What an instruction reads and writes, and which unit of the SM executes it.
#ifndef SIM_MACHINE_OPERANDS_H
#define SIM_MACHINE_OPERANDS_H

#include "device/counters.h"
#include "program/ir.h"

// The hardware unit that executes an instruction, by operation and type.
sim_pipe sim_pipe_of(const sim_instr *instr);

// True for loads and for atomics with a result.
bool sim_is_load(const sim_instr *instr);

// The slots whose values an instruction waits for, and those that it writes: [SIM_OPERAND_SLOTS], a
// count returned.
enum { SIM_OPERAND_SLOTS = 40 }; // a matrix product of 32 registers, and what else it reads
uint32_t sim_operand_sources(const sim_function *function, const sim_instr *instr,
                             uint32_t slots[SIM_OPERAND_SLOTS]);
uint32_t sim_operand_results(const sim_function *function, const sim_instr *instr,
                             uint32_t slots[SIM_OPERAND_SLOTS]);

#endif
