// SPDX-License-Identifier: MIT
// The slot fields of an instruction, one after the other: first what it reads, then what it writes.
#include "program/ir.h"

void sim_visit_slots(uint32_t *slots, sim_instr *instr, sim_slot_visit visit, void *context) {
    uint32_t list_count = instr->list == SIM_NO_SLOT ? 0 : instr->vector;
    uint32_t written = sim_written_parts(instr); // the first ones of the list
    if (instr->guard != SIM_NO_SLOT) visit(context, &instr->guard, false);
    for (int i = 0; i < 4; i++)
        if (instr->src[i] != SIM_NO_SLOT) visit(context, &instr->src[i], false);
    const sim_call *call = instr->op == SIM_OP_CALL ? instr->extra : NULL;
    for (uint32_t i = 0; call && i < call->argument_count; i++)
        visit(context, (uint32_t *)&call->arguments[i].slot, false);
    for (uint32_t i = written; i < list_count; i++)
        if (slots[instr->list + i] != SIM_NO_SLOT) visit(context, &slots[instr->list + i], false);
    for (uint32_t i = 0; i < written && i < list_count; i++)
        if (slots[instr->list + i] != SIM_NO_SLOT) visit(context, &slots[instr->list + i], true);
    for (uint32_t i = 0; call && i < call->return_count; i++)
        visit(context, (uint32_t *)&call->returns[i].slot, true);
    if (instr->dst != SIM_NO_SLOT) visit(context, &instr->dst, true);
    if (instr->dst2 != SIM_NO_SLOT) visit(context, &instr->dst2, true);
}

bool sim_absorbs(const sim_instr *instr, uint64_t bits) {
    uint32_t width = 8 * ptx_type_bytes((ptx_type)instr->type);
    uint64_t ones = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    bool is_signed = instr->type >= PTX_S8 && instr->type <= PTX_S64;
    bool is_integer = is_signed || (instr->type >= PTX_U8 && instr->type <= PTX_U64);
    bits &= ones;
    switch (instr->op) {
    case SIM_OP_AND: return bits == 0;
    case SIM_OP_OR: return bits == ones;
    case SIM_OP_MUL: return is_integer && bits == 0;
    case SIM_OP_MIN: return is_integer && bits == (is_signed ? ones / 2 + 1 : 0);
    case SIM_OP_MAX: return is_integer && bits == (is_signed ? ones / 2 : ones);
    default: return false;
    }
}
