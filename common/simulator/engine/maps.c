// From what workers noted of a launch (record/traces.h) to its maps (device/counters.h): merged,
// sorted, with source lines, and branches put inside each other by the control flow.
#include "engine/internal.h"

typedef struct merged {
    sim_probe probe;
    uint32_t function, pc;
} merged;

typedef struct collection {
    const sim_program *program;
    const sim_recorded *result;
    merged *accesses, *branches, *boxes;
    uint32_t access_count, branch_count, box_count, whole;
} collection;

static sim_location location_at(const sim_function *function, uint32_t pc) {
    static const sim_location unknown = {0};
    if (pc >= function->code_count) return unknown;
    uint32_t at = function->code[pc].location;
    return at < function->location_count ? function->locations[at] : unknown;
}

// Of the first instruction from there on that has a line: code that nvcc has merged from
// several places has none.
static uint32_t line_from(const sim_function *function, uint32_t pc) {
    enum { FAR = 16 };
    for (uint32_t i = 0; i < FAR && pc + i < function->code_count; i++)
        if (location_at(function, pc + i).line) return location_at(function, pc + i).line;
    return 0;
}

static bool is_branch(const sim_instr *instr) {
    return sim_is_switch(instr) || (sim_is_jump(instr) && instr->guard != SIM_NO_SLOT);
}

// Where the sides of a branch meet, SIM_PC_EXIT: at the end of the function. A side that leads
// straight out of it holds nobody up (program/program.h), so that the others "meet" at once.
static uint32_t reconvergence_of(const sim_instr *instr) {
    bool leaves =
        sim_is_jump(instr) && instr->target > instr->pc && instr->reconverge == instr->pc + 1;
    return leaves ? SIM_PC_EXIT : instr->reconverge;
}

// ---- Merging ----

typedef void (*merge_function)(sim_probe *to, const sim_probe *from);

// What all workers saw of an instruction; false: nobody noted anything.
static bool merge(const sim_probes *probes, uint32_t function, uint32_t pc, merge_function add,
                  sim_probe *out) {
    bool found = false;
    for (uint32_t w = 0; w < probes->worker_count; w++) {
        sim_probe *const *by_pc = probes->rows[(size_t)w * probes->function_count + function].by_pc;
        const sim_probe *probe = by_pc ? by_pc[pc] : NULL;
        if (!probe) continue;
        if (!found) *out = *probe;
        else add(out, probe);
        found = true;
    }
    return found;
}

static void collect_function(const sim_probes *probes, uint32_t index, collection *c) {
    const sim_function *function = &c->program->functions[index];
    const sim_raw_counts *counts = c->result->counts[index].by_pc;
    for (uint32_t pc = 0; counts && pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool branch = is_branch(instr), box = instr->op == SIM_OP_BULK_TENSOR;
        merged *list = branch ? c->branches : box ? c->boxes : c->accesses;
        uint32_t *count = branch ? &c->branch_count : box ? &c->box_count : &c->access_count;
        merge_function add = branch ? sim_probe_merge_branch
                             : box  ? sim_probe_merge_box
                                    : sim_probe_merge_access;
        if (merge(probes, index, pc, add, &list[*count].probe)) {
            list[*count].function = index;
            list[*count].pc = pc;
            *count += 1;
        } else if (branch && counts[pc].executed) {
            c->whole++;
        }
    }
}

// ---- Sorting ----

static uint64_t surplus(const merged *m) { return m->probe.access.units - m->probe.access.least; }

static int by_code(const void *left, const void *right) {
    const merged *a = left, *b = right;
    if (a->function != b->function) return a->function < b->function ? -1 : 1;
    return (a->pc > b->pc) - (a->pc < b->pc);
}

static int by_surplus(const void *left, const void *right) {
    uint64_t a = surplus(left), b = surplus(right);
    return a != b ? (a < b) - (a > b) : by_code(left, right);
}

static int by_splits(const void *left, const void *right) {
    uint64_t a = ((const merged *)left)->probe.branch.splits;
    uint64_t b = ((const merged *)right)->probe.branch.splits;
    return a != b ? (a < b) - (a > b) : by_code(left, right);
}

// ---- Branches inside branches ----

// Which side of the branch an instruction lies on, by instruction: bits of sim_branch_side.
typedef struct region {
    uint8_t *side;
    uint32_t *stack;
    uint32_t size;
} region;

// Everything that can be reached from `start` without passing `end`.
static void flood(const sim_function *function, uint32_t start, uint32_t end, uint8_t side,
                  region *r) {
    uint32_t depth = 0;
    r->stack[depth++] = start;
    while (depth > 0) {
        uint32_t pc = r->stack[--depth];
        if (pc >= function->code_count || pc == end || r->side[pc] & side) continue;
        const sim_instr *instr = &function->code[pc];
        bool leaves = sim_is_return(instr) || (sim_is_jump(instr) && instr->guard == SIM_NO_SLOT);
        r->size += r->side[pc] == 0;
        r->side[pc] |= side;
        // Each instruction is entered once, so that the stack has room for all ways out of it.
        if (sim_is_jump(instr)) r->stack[depth++] = instr->target;
        for (uint32_t i = 0; sim_is_switch(instr) && i < instr->target_count; i++) {
            uint32_t to = function->slots[instr->target + i];
            if (to < function->code_count && !(r->side[to] & side)) r->stack[depth++] = to;
        }
        if (!leaves || instr->guard != SIM_NO_SLOT) r->stack[depth++] = pc + 1;
    }
}

static uint32_t ways_out(const sim_function *function) {
    uint32_t ways = 2;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        ways += sim_is_switch(&function->code[pc]) ? function->code[pc].target_count + 1 : 2;
    return ways;
}

// Gives every branch that lies within `outer`, and in nothing smaller so far, this parent.
static void adopt(const collection *c, uint32_t outer, sim_branch_map *maps, uint32_t *sizes,
                  region *r) {
    const merged *m = &c->branches[outer];
    const sim_function *function = &c->program->functions[m->function];
    const sim_instr *instr = &function->code[m->pc];
    uint32_t meet = reconvergence_of(instr);
    memset(r->side, 0, function->code_count);
    r->size = 0;
    flood(function, m->pc + 1, meet, SIM_SIDE_FALL, r);
    for (uint32_t i = 0; sim_is_switch(instr) && i < instr->target_count; i++)
        flood(function, function->slots[instr->target + i], meet, SIM_SIDE_JUMP, r);
    if (sim_is_jump(instr)) flood(function, instr->target, meet, SIM_SIDE_JUMP, r);
    for (uint32_t i = 0; i < c->branch_count; i++) {
        uint8_t side = i != outer && c->branches[i].function == m->function
                           ? r->side[c->branches[i].pc]
                           : SIM_SIDE_NONE;
        // Of two loops that hold each other's branch the outer one is larger.
        if (!side || (sizes[i] && sizes[i] <= r->size)) continue;
        sizes[i] = r->size;
        maps[i].parent = outer + 1;
        maps[i].side = (sim_branch_side)side;
    }
}

// Branches that lie inside each other, by a loop without a meeting point within it, are siblings.
static void cut_circles(sim_branch_map *maps, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i, steps = 0;
        while (maps[at].parent && steps++ < count) at = maps[at].parent - 1;
        if (!maps[at].parent) continue;
        maps[i].parent = 0;
        maps[i].side = SIM_SIDE_NONE;
    }
}

static bool nest(const collection *c, sim_branch_map *maps) {
    uint32_t most_code = 1, most_ways = 1;
    for (uint32_t i = 0; i < c->branch_count; i++) {
        const sim_function *function = &c->program->functions[c->branches[i].function];
        uint32_t ways = ways_out(function);
        if (function->code_count > most_code) most_code = function->code_count;
        if (ways > most_ways) most_ways = ways;
    }
    region r = {malloc(most_code), malloc(most_ways * sizeof *r.stack), 0};
    uint32_t *sizes = calloc((size_t)c->branch_count + 1, sizeof *sizes);
    bool complete = r.side && r.stack && sizes;
    for (uint32_t i = 0; complete && i < c->branch_count; i++) adopt(c, i, maps, sizes, &r);
    if (complete) cut_circles(maps, c->branch_count);
    free(r.side);
    free(r.stack);
    free(sizes);
    return complete;
}

// ---- Filling in ----

static void fill_access(const collection *c, uint32_t index, uint32_t order, sim_access_map *out) {
    const merged *m = &c->accesses[index];
    sim_location at = location_at(&c->program->functions[m->function], m->pc);
    *out = m->probe.access;
    out->file = at.file;
    out->line = at.line;
    out->order = order;
}

static void fill_branch(const collection *c, uint32_t index, sim_branch_map *out) {
    const merged *m = &c->branches[index];
    const sim_function *function = &c->program->functions[m->function];
    const sim_instr *instr = &function->code[m->pc];
    sim_location at = location_at(function, m->pc);
    *out = m->probe.branch;
    out->file = at.file;
    out->line = at.line;
    out->is_switch = sim_is_switch(instr);
    out->fall_line = line_from(function, m->pc + 1);
    out->jump_line = out->is_switch ? 0 : line_from(function, instr->target);
    out->meets = reconvergence_of(instr) < function->code_count;
    out->meet_line = out->meets ? line_from(function, reconvergence_of(instr)) : 0;
    out->executions = c->result->counts[m->function].by_pc[m->pc].executed;
    out->parent = 0;
    out->side = SIM_SIDE_NONE;
}

static void fill_boxes(const collection *c, sim_launch_maps *maps) {
    for (uint32_t i = 0; i < maps->box_count; i++) {
        const merged *m = &c->boxes[i];
        sim_location at = location_at(&c->program->functions[m->function], m->pc);
        maps->boxes[i] = m->probe.box;
        maps->boxes[i].file = at.file;
        maps->boxes[i].line = at.line;
    }
}

static sim_launch_maps *make(collection *c) {
    sim_launch_maps *maps = calloc(1, sizeof *maps);
    if (!maps) return NULL;
    qsort(c->accesses, c->access_count, sizeof *c->accesses, by_surplus);
    qsort(c->branches, c->branch_count, sizeof *c->branches, by_splits);
    if (c->access_count > SIM_MAPS_ACCESSES) {
        maps->accesses_left_out = c->access_count - SIM_MAPS_ACCESSES;
        c->access_count = SIM_MAPS_ACCESSES;
    }
    if (c->branch_count > SIM_MAPS_BRANCHES) {
        maps->branches_left_out = c->branch_count - SIM_MAPS_BRANCHES;
        c->branch_count = SIM_MAPS_BRANCHES;
    }
    qsort(c->branches, c->branch_count, sizeof *c->branches, by_code);
    maps->branches_whole = c->whole;
    maps->accesses = calloc((size_t)c->access_count + 1, sizeof *maps->accesses);
    maps->branches = calloc((size_t)c->branch_count + 1, sizeof *maps->branches);
    maps->box_count = c->box_count < SIM_MAPS_BOXES ? c->box_count : SIM_MAPS_BOXES;
    maps->boxes_left_out = c->box_count - maps->box_count;
    maps->boxes = calloc((size_t)maps->box_count + 1, sizeof *maps->boxes);
    if (!maps->accesses || !maps->branches || !maps->boxes) {
        sim_launch_maps_free(maps);
        return NULL;
    }
    fill_boxes(c, maps);
    maps->access_count = c->access_count;
    maps->branch_count = c->branch_count;
    for (uint32_t i = 0; i < c->access_count; i++) {
        uint32_t order = 0; // its place among those that are kept
        for (uint32_t k = 0; k < c->access_count; k++)
            order += by_code(&c->accesses[k], &c->accesses[i]) < 0;
        fill_access(c, i, order, &maps->accesses[i]);
    }
    for (uint32_t i = 0; i < c->branch_count; i++) fill_branch(c, i, &maps->branches[i]);
    if (nest(c, maps->branches)) return maps;
    sim_launch_maps_free(maps);
    return NULL;
}

static bool is_complete(const sim_probes *probes) {
    for (uint32_t w = 0; w < probes->worker_count; w++)
        if (probes->failed[w]) return false;
    return true;
}

sim_launch_maps *inprocess_maps_make(const sim_probes *probes, const sim_program *program,
                                     const sim_recorded *result) {
    uint64_t most = 1;
    if (!result->counts || !is_complete(probes)) return NULL;
    for (uint32_t f = 0; f < result->function_count; f++)
        if (result->counts[f].by_pc) most += program->functions[f].code_count;
    collection c = {.program = program, .result = result};
    c.accesses = calloc(most, sizeof *c.accesses);
    c.branches = calloc(most, sizeof *c.branches);
    c.boxes = calloc(most, sizeof *c.boxes);
    sim_launch_maps *maps = NULL;
    if (c.accesses && c.branches && c.boxes) {
        for (uint32_t f = 0; f < result->function_count; f++) collect_function(probes, f, &c);
        maps = make(&c);
    }
    free(c.accesses);
    free(c.branches);
    free(c.boxes);
    return maps;
}

sim_probes *inprocess_probes_begin(inprocess_engine *engine, inprocess_function *function) {
    bool counts = engine->options.mode == SIM_MODE_COUNT;
    if (!counts || function->mapped >= engine->options.maps) return NULL;
    function->mapped++;
    return sim_probes_new(sim_executor_workers(engine->executor),
                          engine->modules[function->module].program->function_count);
}
