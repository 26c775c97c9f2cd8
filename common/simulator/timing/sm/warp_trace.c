// Runs of a path, regions of a code and accesses of a warp brought together: see internal.h.
#include "timing/sm/internal.h"

// What a pass over a region does with an instruction.
enum { SKIPPED, EXECUTED, PASSED_OFF };

// Entries from `from` on that belong to one execution in run `run`: an instruction's events, with
// the lines of each, have the run's number, and each execution is in a run of its own.
static uint32_t count_entries(const sim_warp_trace *path, uint32_t from, uint32_t run) {
    const sim_traced_line *first = &path->accesses[from];
    uint32_t end = from;
    if (warp_trace_is_event(first) && first->time != run) return 0;
    for (; end < path->access_count; end++) {
        const sim_traced_line *entry = &path->accesses[end];
        if (entry->site != first->site) break;
        if (warp_trace_is_event(first) ? warp_trace_is_event(entry) && entry->time != run
                                       : entry->time != first->time)
            break;
    }
    return end - from;
}

// Notes that the pcs from `first` to `last` are executed, and the accesses that belong to them, in
// the order of the program. `at`: index of `first`.
static void execute(sm_warp *w, uint32_t first, uint32_t last, uint32_t at) {
    const sim_warp_trace *path = w->path;
    for (uint32_t pc = first; pc <= last; pc++, at++) {
        uint32_t from = w->access;
        w->passes[at] = EXECUTED;
        w->counts[at] = 0;
        if (!w->code->asks[pc]) continue;
        w->requests[at] = from;
        if (from >= path->access_count || (path->accesses[from].site & 0xFFFFF) != pc) continue;
        w->counts[at] = count_entries(path, from, w->run);
        w->access += w->counts[at];
    }
}

static const issue_region *region_at(const sm_warp *w, uint32_t pc) {
    return &w->code->regions[w->code->region_of[pc]];
}

// Whether the present run, which ends inside the region, goes on there with the next one: behind
// it, or behind what it jumps over in the PTX, but passes with no lane on in machine code.
static bool goes_on(const sm_warp *w, const issue_region *region) {
    const sim_traced_run *run = &w->path->runs[w->run], *next = run + 1;
    uint32_t end = run->pc + run->count - 1;
    if (w->run + 1 >= w->runs || next->function != run->function) return false;
    if (next->pc <= end || next->pc > region->last) return false;
    const sim_instr *branch = &run->function->code[end];
    bool jumps = branch->target == next->pc && issue_is_predicated(run->function, end);
    return jumps || next->pc == end + 1;
}

// Goes through the region where the warp is once and leaves in passes[] from `offset` on what
// becomes of its instructions. False: it was not entered at its beginning, or left before its end.
static bool pass(sm_warp *w, const issue_region *region, uint32_t offset) {
    bool whole = w->here == region->first;
    memset(w->passes + offset, SKIPPED, region->last + 1 - region->first);
    while (true) {
        const sim_traced_run *run = &w->path->runs[w->run];
        uint32_t end = run->pc + run->count - 1, last = region->last < end ? region->last : end;
        execute(w, w->here, last, offset + w->here - region->first);
        w->here = last + 1;
        if (last < end) return whole;
        bool inside = last < region->last && goes_on(w, region);
        if (++w->run < w->runs) w->here = w->path->runs[w->run].pc;
        if (!inside) return whole && last == region->last;
        for (uint32_t pc = last + 1; pc < w->here; pc++)
            w->passes[offset + pc - region->first] = PASSED_OFF;
    }
}

// Goes through ISSUE_UNROLL iterations of a loop if so many follow; else stays where it is.
static bool pass_iterations(sm_warp *w, const issue_region *region) {
    uint32_t length = region->last + 1 - region->first, run = w->run, access = w->access;
    uint32_t here = w->here, iteration = 0;
    while (iteration < ISSUE_UNROLL && w->run < w->runs && w->here == region->first &&
           w->path->runs[w->run].function == w->code->function &&
           pass(w, region, iteration * length))
        iteration++;
    if (iteration == ISSUE_UNROLL) return true;
    w->run = run;
    w->access = access;
    w->here = here;
    return false;
}

// Enters the region where the warp is.
static void enter(sm_warp *w, const issue_code *codes, const sim_function *functions) {
    w->code = &codes[w->path->runs[w->run].function - functions];
    const issue_region *region = region_at(w, w->here);
    w->first = region->first;
    w->length = region->last + 1 - region->first;
    w->entered = w->here;
    if (region->batch && pass_iterations(w, region)) {
        w->at = w->code->ops + region->batch;
        w->end = w->at + ISSUE_UNROLL * w->length;
        return;
    }
    w->at = w->code->ops + region->ops;
    w->end = w->at + region->op_count;
    pass(w, region, 0);
}

// Whether a run does not follow from the one before: other lanes of the warp go on. The second side
// of an if lies directly behind the jump that ends the first one.
static bool is_switch(const sim_traced_run *before, const sim_traced_run *run) {
    uint32_t end = before->pc + before->count - 1;
    const sim_instr *last = &before->function->code[end];
    bool always = last->guard == SIM_NO_SLOT, jumps = sim_is_jump(last);
    if (before->function != run->function || sim_is_switch(last) || sim_is_call(last) ||
        sim_is_ret(last))
        return false;
    bool falls = run->pc == end + 1 && !(always && (jumps || sim_is_return(last)));
    return !falls && !(jumps && last->target == run->pc);
}

const issue_op *warp_trace_next(sm_warp *w, const issue_code *codes,
                                const sim_function *functions) {
    while (true) {
        for (; w->at < w->end; w->at++) {
            uint8_t how = w->passes[w->at->copy * w->length + w->at->pc - w->first];
            if (how == SKIPPED) continue;
            w->off = how == PASSED_OFF;
            return w->at;
        }
        if (w->run >= w->runs) return NULL;
        const sim_traced_run *run = &w->path->runs[w->run];
        if (w->run > 0 && w->here == run->pc) w->switched = w->switched || is_switch(run - 1, run);
        enter(w, codes, functions);
    }
}

void warp_trace_begin(sm_warp *w, const issue_code *codes, const sim_function *functions) {
    w->run = w->access = 0;
    w->switched = w->fell = w->off = false;
    w->branched = NULL;
    w->here = w->path->runs[0].pc;
    enter(w, codes, functions);
}

uint32_t warp_trace_lines(const sm_warp *w, const issue_op *op, const sim_traced_line **out_lines) {
    uint32_t at = op->copy * w->length + op->pc - w->first;
    *out_lines = w->path->accesses + w->requests[at];
    return w->counts[at];
}
