// SPDX-License-Identifier: MIT
// Machine instructions by operation: see counts.h.
#include "play/counts.h"

#include "play/cost.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *names[] = {
#define SIM_OP(name, text, ...) text,
#include "program/ops.def"
};

enum { MOST_COPIES = 64, SUBROUTINE_ISSUES = 4 };

// What ptxas neither merges nor leaves out: a copy of the stretch has one.
static bool is_anchor(const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_LD:
    case SIM_OP_ST: return instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_SHARED;
    case SIM_OP_SHFL:
    case SIM_OP_BAR:
    case SIM_OP_FMA:
    case SIM_OP_RED: return true;
    case SIM_OP_ADD:
    case SIM_OP_MUL: return instr->type == PTX_F32 || instr->type == PTX_F64;
    default: return false;
    }
}

// Loops of the machine code around the stretch: what ptxas does before a loop, or peels off it, lies
// outside and is seldom executed.
static uint32_t depth_of(const sim_function *function, uint32_t first, uint32_t last) {
    for (int any = 0; any < 2; any++)
        for (uint32_t depth = SIM_MACHINE_DEPTHS; depth-- > 0;)
            for (uint32_t pc = first; pc <= last; pc++) {
                const sim_instr *instr = &function->code[pc];
                if (instr->machine_counts[depth] && (any || is_anchor(instr))) return depth;
            }
    return 0;
}

// How many copies of the stretch the machine code has: the median of its anchors, else of all that
// is there.
static double copies_of(const sim_function *function, uint32_t first, uint32_t last,
                        uint32_t depth) {
    for (int any = 0; any < 2; any++) {
        uint32_t seen[MOST_COPIES + 1] = {0}, all = 0, below = 0;
        for (uint32_t pc = first; pc <= last; pc++) {
            const sim_instr *instr = &function->code[pc];
            uint32_t count = instr->machine_counts[depth];
            if (count == 0 || (!any && !is_anchor(instr))) continue;
            seen[count < MOST_COPIES ? count : MOST_COPIES]++;
            all++;
        }
        for (uint32_t n = 0; all > 0 && n <= MOST_COPIES; n++) {
            below += seen[n];
            if (2 * below >= all) return n;
        }
    }
    return 1;
}

// Of what is free where it becomes no machine instruction.
static double latency_of_move(const sim_function *function, const sim_instr *instr) {
    if (instr->op == SIM_OP_LD) return play_number.constant_latency; // parameters are constants
    for (uint32_t i = 0; i < function->special_count; i++) {
        uint8_t id = function->specials[i].id;
        bool constant = (id >= SIM_SPECIAL_NTID_X && id <= SIM_SPECIAL_NTID_Z) ||
                        (id >= SIM_SPECIAL_NCTAID_X && id <= SIM_SPECIAL_NCTAID_Z);
        if (function->specials[i].slot == instr->src[0] && instr->op == SIM_OP_MOV)
            return constant ? play_number.constant_latency : play_number.special_latency;
    }
    return play_number.fma_latency;
}

static bool is_loop_end(const sim_instr *instr) {
    return instr->op == SIM_OP_BRA && instr->target <= instr->pc;
}

static bool must_issue(const play_op *op) {
    return op->kind != PLAY_PLAIN && op->kind != PLAY_FREE;
}

void play_count_issues(const sim_function *function, uint32_t first, uint32_t last, play_op *ops,
                       uint32_t count) {
    if (!function->machine_counted) return;
    uint32_t depth = depth_of(function, first, last);
    double copies = copies_of(function, first, last, depth), owed = 0;
if (getenv("DBG_STR") && strstr(function->name, getenv("DBG_STR"))) { fprintf(stderr, "STRETCH %u..%u copies %g depth %u count %u\n", first, last, copies, depth, count); for (uint32_t pc = first; pc <= last; pc++) fprintf(stderr, "   %u line %u op %s type %u n %u,%u,%u,%u old issues %u kind %u pred %d\n", pc, function->code[pc].ptx_line, names[function->code[pc].op], function->code[pc].type, function->code[pc].machine_counts[0], function->code[pc].machine_counts[1], function->code[pc].machine_counts[2], function->code[pc].machine_counts[3], ops[pc-first].issues, ops[pc-first].kind, play_is_predicated(function, pc)); }
    for (uint32_t i = 0; i < count; i++) {
        play_op *op = &ops[i];
        const sim_instr *instr = &function->code[op->pc];
        if (op->issues >= SUBROUTINE_ISSUES || play_is_predicated(function, op->pc)) continue;
        if (is_loop_end(instr)) { // beside the jump stands what was done before the loop
            op->issues = 1;
            continue;
        }
        double own = instr->machine_counts[depth] / copies;
        owed += own;
        uint32_t issues = owed > 0.5 ? (uint32_t)(owed + 0.5) : 0;
        if ((must_issue(op) || own >= 1) && issues == 0) issues = 1;
        if (issues > UINT8_MAX) issues = UINT8_MAX;
        if (op->kind == PLAY_PLAIN && issues == 0) op->kind = PLAY_FREE;
        if (op->kind == PLAY_FREE && issues > 0) {
            op->kind = PLAY_PLAIN;
            op->latency = (uint16_t)latency_of_move(function, instr);
        }
        op->issues = (uint8_t)issues;
        owed -= issues;
    }
}
