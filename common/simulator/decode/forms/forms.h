// A function for every operand form that program/ops.def names: it reads the operands of the
// function's current instruction and appends what they mean.
#pragma once

#include "decode/instruction/instruction.h"

typedef sim_status (*decode_form_fn)(decode_function *function);
#define SIM_OP(id, opcode, form, ...) sim_status decode_form_##form(decode_function *of);
#include "program/ops.def"
#undef SIM_OP

// The type of matrix elements that a word names (program/matrix_elements.def); false: none.
bool decode_find_element(const char *word, sim_element *out);

// A second address of `instr`: its register in *out_slot, its displacement in *out_displacement,
// and `wide` in mods when the register has 64 bits (bulk.c).
sim_status decode_second_address(decode_function *function, const ptx_operand *operand,
                                 uint32_t wide, sim_instr *instr, uint32_t *out_slot,
                                 uint32_t *out_displacement);

// A source of a logical operation or mov; a negated predicate is negated by an instruction before.
sim_status decode_read_logic(decode_function *function, const ptx_operand *operand,
                             ptx_operand *out_operand);

// Emits the conversion of `value` from 32 to 64 bits without a sign, or back, to `result`.
sim_status decode_widen(decode_function *function, uint32_t value, bool widens, uint32_t result);

// Labels to pcs, then the control-flow graph and reconvergence points (control.c).
sim_status decode_resolve_branches(decode_function *function);
