// SPDX-License-Identifier: MIT
// Loops for people: see loop.h. What is said of an endless one, not what the executor goes by (cfg.h).
#include "program/loop.h"

bool sim_loops_around(const sim_function *function, uint32_t pc, sim_loop *out_inner,
                      sim_loop *out_outer) {
    bool found = false;
    for (uint32_t at = pc; at < function->code_count; at++) {
        const sim_instr *instr = &function->code[at];
        if (instr->op != SIM_OP_BRA || instr->target > pc) continue;
        sim_loop loop = {instr->target, at};
        uint32_t length = loop.last_pc - loop.first_pc;
        if (!found || length < out_inner->last_pc - out_inner->first_pc) *out_inner = loop;
        if (!found || length > out_outer->last_pc - out_outer->first_pc) *out_outer = loop;
        found = true;
    }
    return found;
}

bool sim_loop_lines(const sim_function *function, const sim_loop *loop, uint32_t *out_file,
                    uint32_t *out_first, uint32_t *out_last) {
    *out_first = *out_last = 0;
    for (uint32_t pc = loop->first_pc; pc <= loop->last_pc; pc++) {
        uint32_t index = function->code[pc].location;
        if (index >= function->location_count) continue;
        const sim_location *at = &function->locations[index];
        if (at->line == 0 || (*out_first && at->file != *out_file)) continue;
        *out_file = at->file;
        if (*out_first == 0 || at->line < *out_first) *out_first = at->line;
        if (at->line > *out_last) *out_last = at->line;
    }
    return *out_first != 0;
}
