// See internal.h.
#include "timing/sm/internal.h"

static double operands_ready(const sm_warp *w, const issue_op *op) {
    const uint16_t *operands = w->code->operands + op->operands;
    double ready = 0;
    for (uint32_t i = 0; i < op->sources; i++)
        if (w->board[operands[i]] > ready) ready = w->board[operands[i]];
    for (uint32_t i = 0; op->waits >> i; i++)
        if (op->waits >> i & 1 && w->scoreboards[i] > ready) ready = w->scoreboards[i];
    return ready;
}

// Cycles from a branch to where the warp goes on: what the branch costs, and before the second
// side of one that parts its lanes, what parting costs, and the jump to it if it was not the first
// one's.
static double after_branch(sm_warp *w) {
    double cycles = 0;
    if (w->branched) {
        const sim_instr *branch = &w->branched->code[w->branch_pc];
        bool taken = w->entered != w->branch_pc + 1;
        cycles =
            sim_larger(issue_branch_cycles(w->branched, w->branch_pc, taken), w->branch_stall) - 1;
        if (branch->guard != SIM_NO_SLOT) w->fell = !taken;
    }
    if (w->switched)
        cycles += machine_constant.reconvergence + (w->fell ? machine_constant.jump - 1 : 0);
    w->branched = NULL;
    w->switched = false;
    return cycles;
}

bool sm_prepare(sm *s, sm_warp *w, uint32_t from, sim_warp_phase phase) {
    const sim_function *functions = s->input->launch->program->functions;
    const issue_op *op = warp_trace_next(w, s->codes, functions); // goes where a branch leads
    uint32_t slot = (uint32_t)(w - s->warps);
    if (s->timeline) timeline_wait(s->timeline, slot, phase, from);
    from = sm_whole(from + after_branch(w));
    while (op && op->kind == ISSUE_FREE) {
        if (!w->off) {
            if (w->stalls) stall_of_results(w, op, operands_ready(w, op));
            sm_write_results(w, op, operands_ready(w, op));
            s->progress->instructions++;
        }
        w->at++;
        op = warp_trace_next(w, s->codes, functions);
    }
    if (!op) return false;
    double ready_at = operands_ready(w, op);
    if (s->timeline) {
        timeline_wait(s->timeline, slot, SIM_PHASE_BRANCH, from);
        timeline_wait(s->timeline, slot, stall_of_operands(w, op), sm_whole(ready_at));
    }
    const sim_function *function = w->code->function;
    if (op->kind == ISSUE_BRANCH) ready_at += issue_branch_wait(&function->code[op->pc]);
    uint32_t ready = sm_whole(ready_at);
    w->next = w->ready = ready > from ? ready : from;
    if (s->timeline) timeline_wait(s->timeline, slot, SIM_PHASE_BRANCH, w->ready);
    return true;
}

void sm_wake(sm *s, uint32_t slot) {
    uint32_t scheduler = slot % s->schedulers;
    if (s->warps[slot].next < s->wake[scheduler]) s->wake[scheduler] = s->warps[slot].next;
}

void sm_go_on(sm *s, uint32_t slot, uint32_t from, sim_warp_phase phase, uint32_t end) {
    sm_warp *w = &s->warps[slot];
    if (sm_prepare(s, w, from, phase)) {
        sm_wake(s, slot);
        return;
    }
    w->path = NULL;
    if (s->timeline) timeline_end(s->timeline, slot, end);
    s->live[slot / s->warps_a_block]--;
}

// ---- what a warp waits for ----------------------------------------------------------------------

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
