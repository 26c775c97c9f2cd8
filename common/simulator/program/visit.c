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
