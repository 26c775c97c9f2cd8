// SPDX-License-Identifier: MIT
// Runs of a path, stretches of a code and accesses of a warp brought together: see way.h.
#include "play/way.h"

#include "play/cost.h"

// Finds the accesses that belong to the pcs of a stretch, in the order of the program.
static void match_accesses(play_warp *w, uint32_t first, uint32_t last, uint32_t offset) {
    const sim_warp_path *path = w->path;
    for (uint32_t pc = first; pc <= last; pc++) {
        uint32_t at = offset + pc - first, from = w->access;
        w->counts[at] = 0;
        if (!w->code->asks[pc]) continue;
        w->requests[at] = from;
        if (from >= path->access_count || (path->accesses[from].site & 0xFFFFF) != pc) continue;
        uint32_t time = path->accesses[from].time, site = path->accesses[from].site;
        while (w->access < path->access_count && path->accesses[w->access].time == time &&
               path->accesses[w->access].site == site && w->access - from < 255)
            w->access++;
        w->counts[at] = (uint8_t)(w->access - from);
    }
}

// Turns of the loop that `stretch` is, from the present run on.
static uint32_t turns_of(const play_warp *w, const play_stretch *stretch) {
    const sim_path_run *run = &w->path->runs[w->run];
    uint32_t turns = 0, length = stretch->last + 1 - stretch->first;
    while (turns < PLAY_TURNS && w->run + turns < w->runs && run[turns].pc == stretch->first &&
           run[turns].count == length && run[turns].function == w->code->function)
        turns++;
    return turns;
}

// Enters the part of the present run that begins at `pc`.
static void enter(play_warp *w, uint32_t pc) {
    const sim_path_run *run = &w->path->runs[w->run];
    const play_stretch *stretch = &w->code->stretches[w->code->stretch_of[pc]];
    uint32_t end = run->pc + run->count - 1, length = stretch->last + 1 - stretch->first;
    w->first = pc;
    w->last = stretch->last < end ? stretch->last : end;
    w->at = w->code->ops + stretch->ops;
    w->end = w->at + stretch->op_count;
    if (stretch->batch && turns_of(w, stretch) == PLAY_TURNS) {
        w->at = w->code->ops + stretch->batch;
        w->end = w->at + PLAY_TURNS * length;
        for (uint32_t t = 0; t < PLAY_TURNS; t++)
            match_accesses(w, stretch->first, stretch->last, t * length);
        w->run += PLAY_TURNS - 1;
        return;
    }
    match_accesses(w, w->first, w->last, 0);
}

// Whether a run does not follow from the one before: other lanes of the warp go on. The second side
// of an if lies directly behind the jump that ends the first one.
static bool is_switch(const sim_path_run *before, const sim_path_run *run) {
    uint32_t end = before->pc + before->count - 1;
    const sim_instr *last = &before->function->code[end];
    bool always = last->guard == SIM_NO_SLOT, jumps = last->op == SIM_OP_BRA;
    if (before->function != run->function || last->op == SIM_OP_BRX || last->op == SIM_OP_CALL ||
        last->op == SIM_OP_RET)
        return false;
    bool falls = run->pc == end + 1 && !(always && (jumps || last->op == SIM_OP_EXIT));
    return !falls && !(jumps && last->target == run->pc);
}

// What a warp jumps over in the PTX, but passes with no lane on in machine code: enters the stretch
// behind the branch that ended the run before this one.
static bool enter_off(play_warp *w, const sim_path_run *before, const sim_path_run *run) {
    const sim_function *function = w->code->function;
    uint32_t branch = before->pc + before->count - 1;
    if (w->off || before->function != function || run->function != function ||
        function->code[branch].target != run->pc || run->pc == branch + 1 ||
        !play_is_predicated(function, branch))
        return false;
    const play_stretch *stretch = &w->code->stretches[w->code->stretch_of[branch + 1]];
    w->off = true;
    w->first = branch + 1;
    w->last = stretch->last < run->pc ? stretch->last : run->pc - 1;
    w->at = w->code->ops + stretch->ops;
    w->end = w->at + stretch->op_count;
    for (uint32_t at = 0; at <= w->last - w->first; at++) w->counts[at] = 0;
    return true;
}

const play_op *play_way_next(play_warp *w, const play_code *codes, const sim_function *functions) {
    while (true) {
        for (; w->at < w->end; w->at++)
            if (w->at->pc >= w->first && w->at->pc <= w->last) return w->at;
        const sim_path_run *run = &w->path->runs[w->run];
        if (!w->off && w->last + 1 < run->pc + run->count) {
            enter(w, w->last + 1);
        } else if (w->off) {
            w->off = false;
            enter(w, run->pc);
        } else {
            if (++w->run >= w->runs) return NULL;
            run = &w->path->runs[w->run];
            if (enter_off(w, run - 1, run)) continue;
            w->switched = w->switched || is_switch(run - 1, run);
            w->code = &codes[run->function - functions];
            enter(w, run->pc);
        }
    }
}

void play_way_begin(play_warp *w, const play_code *codes, const sim_function *functions) {
    w->run = w->access = 0;
    w->switched = w->fell = w->off = false;
    w->branched = NULL;
    w->code = &codes[w->path->runs[0].function - functions];
    enter(w, w->path->runs[0].pc);
}

uint32_t play_way_lines(const play_warp *w, const play_op *op, const sim_path_line **out_lines) {
    uint32_t length = w->last + 1 - w->first;
    uint32_t at = op->copy * length + op->pc - w->first;
    *out_lines = w->path->accesses + w->requests[at];
    return w->counts[at];
}
