// SPDX-License-Identifier: MIT
// Loops for people: see loop.h. What is said of an endless one, not what the executor goes by
// (cfg.h).
#include "program/loop.h"

bool sim_loops_around(const sim_function *function, uint32_t pc, sim_loop *out_inner,
                      sim_loop *out_outer) {
    bool found = false;
    for (uint32_t at = pc; at < function->code_count; at++) {
        const sim_instr *instr = &function->code[at];
        if (instr->op != SIM_OP_BRA || instr->target > pc) continue;
        sim_loop loop = {instr->target, at};
        // Of jumps back to one place (`continue`, both sides of an if) the last ends the loop.
        if (!found || loop.first_pc >= out_inner->first_pc) *out_inner = loop;
        if (!found || loop.first_pc <= out_outer->first_pc) *out_outer = loop;
        found = true;
    }
    if (!found) return false;
    bool nested =
        out_outer->first_pc < out_inner->first_pc && out_outer->last_pc > out_inner->last_pc;
    if (nested) return true;
    // Two ways round one loop, whose code lies one behind the other.
    if (out_outer->last_pc < out_inner->last_pc) out_outer->last_pc = out_inner->last_pc;
    *out_inner = *out_outer;
    return true;
}

static const sim_location *location_of(const sim_function *function, uint32_t pc) {
    static const sim_location unknown = {0};
    uint32_t index = function->code[pc].location;
    return index < function->location_count ? &function->locations[index] : &unknown;
}

// A loop begins in the source where its code begins or, turned round by the compiler, with the
// condition, just before the jump back. Functions that are inlined into it mostly stand above it.
bool sim_loop_lines(const sim_function *function, const sim_loop *loop, uint32_t *out_file,
                    uint32_t *out_first, uint32_t *out_last) {
    uint32_t head = loop->first_pc;
    while (head < loop->last_pc && location_of(function, head)->line == 0) head++;
    const sim_location *begin = location_of(function, head);
    *out_file = begin->file;
    *out_first = begin->line;
    for (uint32_t pc = loop->last_pc > head ? loop->last_pc - 1 : head; pc <= loop->last_pc; pc++) {
        const sim_location *at = location_of(function, pc);
        if (at->line && at->file == *out_file && at->line < *out_first) *out_first = at->line;
    }
    *out_last = *out_first;
    for (uint32_t pc = loop->first_pc; pc <= loop->last_pc; pc++) {
        const sim_location *at = location_of(function, pc);
        if (at->file == *out_file && at->line > *out_last) *out_last = at->line;
    }
    return *out_first != 0;
}
