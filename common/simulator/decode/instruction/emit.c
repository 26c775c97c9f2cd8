// SPDX-License-Identifier: MIT
// Where decoded instructions and their lists go: the end of the function's code.
#include "decode/instruction/instruction.h"

static sim_status set_guard(decode_function *function, sim_instr *instr) {
    const ptx_instruction *syntax = function->instruction;
    if (!syntax->guard) return SIM_OK;
    bool negated;
    const ptx_operand guard = {
        .kind = PTX_OPERAND_NAME, .name = syntax->guard, .place = syntax->place};
    instr->guard_negated = syntax->guard_negated;
    return decode_read_predicate(function, &guard, &negated, &instr->guard);
}

sim_status decode_emit(decode_function *function, sim_instr **out_instr) {
    if (function->code_count >= SIM_PC_EXIT / 2) return decode_no_memory(function->module);
    sim_instr *instr = DECODE_PUSH(function->scratch, function->code, function->code_count,
                                   function->code_capacity);
    if (!instr) return decode_no_memory(function->module);
    *instr = function->opcode->proto;
    instr->location = function->location;
    instr->ptx_line = function->instruction->place.line;
    instr->nounroll = function->instruction->nounroll;
    *out_instr = instr;
    return set_guard(function, instr);
}

sim_status decode_list(decode_function *function, const uint32_t *entries, uint32_t count,
                       uint32_t *out_first) {
    *out_first = function->slot_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *cell = DECODE_PUSH(function->scratch, function->slots, function->slot_count,
                                     function->slot_capacity);
        if (!cell) return decode_no_memory(function->module);
        *cell = entries[i];
    }
    return SIM_OK;
}
