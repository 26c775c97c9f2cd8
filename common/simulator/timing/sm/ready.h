// SPDX-License-Identifier: MIT
// When a warp can issue: its registers and scoreboards, the branch that it comes from, and what it
// waited for.
#ifndef SIM_TIMING_SM_READY_H
#define SIM_TIMING_SM_READY_H

#include "timing/sm/state.h"

// What an operation computes can be read from `cycle` on.
static inline void sm_write_results(sm_warp *w, const issue_op *op, double cycle) {
    const uint16_t *operands = w->code->operands + op->operands + op->sources;
    for (uint32_t i = 0; i < op->results; i++) w->board[operands[i]] = cycle;
    for (uint32_t i = 0; op->sets >> i; i++)
        if (op->sets >> i & 1 && w->scoreboards[i] < cycle) w->scoreboards[i] = cycle;
}

// Passes what costs nothing and finds out when the warp can issue, not before `from`, up to which
// it does what `phase` says. False: its path has ended.
bool sm_prepare(sm *s, sm_warp *w, uint32_t from, sim_warp_phase phase);
// Its scheduler looks at the warp in this slot when that can issue.
void sm_wake(sm *s, uint32_t slot);
// What the warp in this slot waited for has come: it goes on at `from`, up to which it did what
// `phase` says. If the wait was its last operation, it ends at `end`.
void sm_go_on(sm *s, uint32_t slot, uint32_t from, sim_warp_phase phase, uint32_t end);

#endif
