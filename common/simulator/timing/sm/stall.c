// SPDX-License-Identifier: MIT
// See internal.h.
#include "timing/sm/internal.h"

sim_warp_phase stall_of_operands(const sm_warp *w, const issue_op *op) {
    const uint16_t *operands = w->code->operands + op->operands;
    sim_warp_phase phase = SIM_PHASE_WAIT;
    double ready = 0;
    for (uint32_t i = 0; i < op->sources; i++) {
        if (w->board[operands[i]] <= ready) continue;
        ready = w->board[operands[i]];
        phase = (sim_warp_phase)w->stalls[operands[i]];
    }
    for (uint32_t i = 0; i < SIM_SCOREBOARDS; i++) {
        if (!(op->waits >> i & 1) || w->scoreboards[i] <= ready) continue;
        ready = w->scoreboards[i];
        phase = (sim_warp_phase)w->scoreboard_stalls[i];
    }
    return phase;
}

// What an instruction does that waits for this one's results.
static sim_warp_phase phase_of_result(const sm_warp *w, const issue_op *op) {
    switch ((issue_kind)op->kind) {
    case ISSUE_FREE: return stall_of_operands(w, op);
    case ISSUE_GLOBAL:
    case ISSUE_TEXTURE: return SIM_PHASE_MEMORY;
    case ISSUE_SHARED:
    case ISSUE_CONSTANT: return SIM_PHASE_SHORT;
    default: return op->pipes == 1u << ISSUE_PIPE_XU ? SIM_PHASE_SHORT : SIM_PHASE_WAIT;
    }
}

void stall_of_results(sm_warp *w, const issue_op *op, double cycle) {
    const uint16_t *operands = w->code->operands + op->operands + op->sources;
    uint8_t phase = (uint8_t)phase_of_result(w, op);
    for (uint32_t i = 0; i < op->results; i++) w->stalls[operands[i]] = phase;
    for (uint32_t i = 0; i < SIM_SCOREBOARDS; i++)
        if (op->sets >> i & 1 && w->scoreboards[i] < cycle) w->scoreboard_stalls[i] = phase;
}

sim_warp_phase stall_of_unit(const issue_op *op) {
    if (op->kind == ISSUE_GLOBAL || op->kind == ISSUE_TEXTURE) return SIM_PHASE_QUEUE;
    return op->kind == ISSUE_SHARED || op->kind == ISSUE_CONSTANT ? SIM_PHASE_SHARED_QUEUE
                                                                  : SIM_PHASE_PIPE;
}
