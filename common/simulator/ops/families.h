// SPDX-License-Identifier: MIT
// Families of handlers by operand type: add, min, setp .. exist for integers, floats and halves,
// each in its own file. arith.c asks the family of an instruction's type.
#ifndef SIM_OPS_FAMILIES_H
#define SIM_OPS_FAMILIES_H

#include "program/ir.h"
#include "base/variant.h"

// NULL when the family has no such operation.
sim_exec_fn SIM_VARIANT(sim_bind_integer)(const sim_instr *instr);
sim_exec_fn SIM_VARIANT(sim_bind_f32)(const sim_instr *instr);
sim_exec_fn SIM_VARIANT(sim_bind_f64)(const sim_instr *instr);
sim_exec_fn SIM_VARIANT(sim_bind_half)(const sim_instr *instr); // f16, f16x2, bf16, bf16x2

#endif
