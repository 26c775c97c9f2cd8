// A backward data flow over the loops around an instruction (program.h), as liveness is, but that a
// register is live only where something that counts is made of it ("strong liveness"). What counts
// to begin with: the branches that leave one of the loops, and what others can notice. A branch
// inside counts when something that counts depends on it, until nothing is added.
#include "program/program.h"

enum { WORD_BITS = 64, MOST_CALLS = 16 }; // deep: functions that call one another

typedef struct exit_search {
    sim_arena *arena;
    const sim_program *program;
    const sim_function *function;
    const sim_cfg *cfg;
    uint32_t depth;        // of calls
    uint32_t *first_from;  // as cfg->graph.first and .targets, of predecessors
    uint32_t *from;        // of them
    bool *region, *inner;  // by block: what is looked at; the innermost loop
    bool *counts;          // by block: its last instruction is a branch that counts
    uint32_t *number;      // by slot / 4: from 1; 0: not in the region
    uint32_t *slots;       // by number - 1
    uint32_t count, words; // of slots; of a set
    uint64_t *in;          // [block][words]
    uint64_t *live;        // [words]: behind the instruction that is looked at, then before it
    bool called;           // the results of the function count
    sim_exits *out;        // gets what the instructions that count do
    // Of one instruction:
    bool relevant, guarded;
} exit_search;

static bool has_bit(const uint64_t *set, uint32_t bit) {
    return set[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}
static void put_bit(uint64_t *set, uint32_t bit, bool on) {
    uint64_t mask = UINT64_C(1) << bit % WORD_BITS;
    set[bit / WORD_BITS] = on ? set[bit / WORD_BITS] | mask : set[bit / WORD_BITS] & ~mask;
}

// ---- Loops ----

static bool make_predecessors(exit_search *s) {
    const sim_graph *graph = &s->cfg->graph;
    uint32_t edges = graph->first[graph->count];
    s->first_from = sim_arena_array(s->arena, (size_t)graph->count + 2, sizeof *s->first_from);
    s->from = sim_arena_array(s->arena, (size_t)edges + 1, sizeof *s->from);
    if (!s->first_from || !s->from) return false;
    for (uint32_t i = 0; i < edges; i++) s->first_from[graph->targets[i] + 1]++;
    for (uint32_t i = 0; i <= graph->count; i++) s->first_from[i + 1] += s->first_from[i];
    uint32_t *next = sim_arena_copy(s->arena, s->first_from, (graph->count + 2) * sizeof *next);
    if (!next) return false;
    for (uint32_t block = 0; block < graph->count; block++)
        for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++)
            s->from[next[graph->targets[i]]++] = block;
    return true;
}

// Adds to `reached` what edges lead to from `block` inside `allowed`; `block` itself only on a way
// round. `stack`: room for all blocks.
static void reach(const uint32_t *first, const uint32_t *targets, const bool *allowed,
                  uint32_t count, uint32_t block, bool *reached, uint32_t *stack) {
    uint32_t used = 0;
    memset(reached, 0, count * sizeof *reached);
    stack[used++] = block;
    while (used) {
        uint32_t at = stack[--used];
        for (uint32_t i = first[at]; i < first[at + 1]; i++) {
            uint32_t to = targets[i];
            if (to >= count || reached[to] || !allowed[to]) continue;
            reached[to] = true;
            stack[used++] = to;
        }
    }
}

// The loops around a block, outermost first: each is what the block can reach and be reached from,
// without the heads of those before.
typedef struct loop_walk {
    exit_search *s;
    bool *allowed, *loop, *back; // by block
    uint32_t *stack;
    uint32_t block;
} loop_walk;

static bool begin_walk(exit_search *s, loop_walk *walk) {
    uint32_t count = s->cfg->graph.count;
    *walk = (loop_walk){.s = s,
                        .allowed = sim_arena_array(s->arena, count, sizeof(bool)),
                        .loop = sim_arena_array(s->arena, count, sizeof(bool)),
                        .back = sim_arena_array(s->arena, count, sizeof(bool)),
                        .stack = sim_arena_array(s->arena, (size_t)count + 1, sizeof(uint32_t))};
    return walk->allowed && walk->loop && walk->back && walk->stack;
}

static void walk_from(loop_walk *walk, uint32_t block) {
    walk->block = block;
    memset(walk->allowed, true, walk->s->cfg->graph.count);
}

// The next loop, in walk->loop. False: there is none.
static bool next_loop(loop_walk *walk) {
    const exit_search *s = walk->s;
    const sim_graph *graph = &s->cfg->graph;
    if (!walk->allowed[walk->block]) return false;
    reach(graph->first, graph->targets, walk->allowed, graph->count, walk->block, walk->loop,
          walk->stack);
    reach(s->first_from, s->from, walk->allowed, graph->count, walk->block, walk->back,
          walk->stack);
    for (uint32_t i = 0; i < graph->count; i++) walk->loop[i] = walk->loop[i] && walk->back[i];
    if (!walk->loop[walk->block]) return false;
    memcpy(walk->allowed, walk->loop, graph->count);
    for (uint32_t i = 0; i < graph->count; i++) {
        if (!walk->loop[i]) continue;
        bool head = i == 0;
        for (uint32_t k = s->first_from[i]; !head && k < s->first_from[i + 1]; k++)
            head = !walk->loop[s->from[k]];
        if (head) walk->allowed[i] = false;
    }
    return true;
}

// Whether an edge leads out of walk->loop.
static bool leaves(const loop_walk *walk, uint32_t block) {
    const sim_graph *graph = &walk->s->cfg->graph;
    for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++)
        if (graph->targets[i] >= graph->count || !walk->loop[graph->targets[i]]) return true;
    return false;
}

// Sets the region and the branches that leave a loop around the block of `pc`. In a function that
// is called from a loop these are all of its loops, and the branches outside of them.
static bool mark_loops(exit_search *s, uint32_t pc) {
    const sim_cfg *cfg = s->cfg;
    loop_walk walk;
    if (!begin_walk(s, &walk)) return false;
    walk_from(&walk, cfg->block_of[pc]);
    while (next_loop(&walk)) {
        if (!s->out->in_loop) memcpy(s->region, walk.loop, cfg->graph.count);
        s->out->in_loop = true;
        memcpy(s->inner, walk.loop, cfg->graph.count);
        for (uint32_t i = 0; i < cfg->graph.count; i++)
            if (walk.loop[i] && leaves(&walk, i)) s->counts[i] = true;
    }
    if (!s->called) return true;
    memset(s->region, true, cfg->graph.count);
    for (uint32_t i = 0; i < cfg->graph.count; i++) {
        bool in_loop = false;
        walk_from(&walk, i);
        while (next_loop(&walk)) {
            in_loop = true;
            s->counts[i] = s->counts[i] || leaves(&walk, i);
        }
        s->counts[i] = s->counts[i] || !in_loop;
    }
    return true;
}

// ---- What instructions do ----

static bool calls_with_effect(const exit_search *s, const sim_instr *instr, uint32_t depth);

// What others can notice, or what happens to them but for a result in a register.
static bool has_effect(const exit_search *s, const sim_instr *instr, uint32_t depth) {
    if (instr->mods & SIM_MOD_CC) return true; // the carry flag is not followed
    switch (sim_role_of(instr)) {
    case SIM_ROLE_PLAIN:
    case SIM_ROLE_LOAD:
    case SIM_ROLE_EXCHANGE: return false;
    case SIM_ROLE_STORE: return !(instr->mods & SIM_MOD_FRAME);
    case SIM_ROLE_ATOMIC:
    case SIM_ROLE_COPY: return true;
    case SIM_ROLE_SYNC:
        if (!sim_is_mbarrier(instr)) return !sim_is_fence(instr);
        return instr->variant != SIM_MBARRIER_TEST_WAIT &&
               instr->variant != SIM_MBARRIER_TRY_WAIT &&
               instr->variant != SIM_MBARRIER_PENDING_COUNT;
    case SIM_ROLE_CONTROL:
        if (sim_is_call(instr)) return calls_with_effect(s, instr, depth);
        return !sim_is_branch(instr) && !sim_is_ret(instr);
    }
    return true;
}

static const sim_function *callee_of(const exit_search *s, const sim_instr *instr) {
    const sim_call *call = instr->extra;
    if (call->is_builtin || instr->mods & SIM_MOD_INDIRECT) return NULL;
    return &s->program->functions[instr->target];
}

static bool calls_with_effect(const exit_search *s, const sim_instr *instr, uint32_t depth) {
    const sim_function *callee = callee_of(s, instr);
    if (!callee || depth >= MOST_CALLS) return true;
    for (uint32_t pc = 0; pc < callee->code_count; pc++)
        if (has_effect(s, &callee->code[pc], depth + 1)) return true;
    return false;
}

static bool is_branch(const sim_instr *instr) {
    return sim_is_switch(instr) || instr->guard != SIM_NO_SLOT;
}

static void find_defined(void *context, uint32_t *field, bool is_write) {
    exit_search *s = context;
    uint32_t number = s->number[*field / 4];
    if (is_write && number && has_bit(s->live, number - 1)) s->relevant = true;
}
static void kill_written(void *context, uint32_t *field, bool is_write) {
    exit_search *s = context;
    uint32_t number = s->number[*field / 4];
    if (is_write && number && !s->guarded) put_bit(s->live, number - 1, false);
}
static void use_read(void *context, uint32_t *field, bool is_write) {
    exit_search *s = context;
    uint32_t number = s->number[*field / 4];
    if (!is_write && number) put_bit(s->live, number - 1, true);
}
static void number_slot(void *context, uint32_t *field, bool is_write) {
    exit_search *s = context;
    (void)is_write;
    if (s->number[*field / 4]) return;
    s->slots[s->count++] = *field;
    s->number[*field / 4] = s->count;
}

static void visit(const exit_search *s, const sim_instr *instr, sim_slot_visit slot_visit) {
    sim_visit_slots((uint32_t *)s->function->slots, (sim_instr *)instr, slot_visit, (void *)s);
}

static bool find_exits(exit_search *s, uint32_t pc);

// What counts in a function that is called.
static void note_call(exit_search *s, const sim_instr *instr) {
    const sim_function *callee = callee_of(s, instr);
    sim_exits exits;
    exit_search inner = {.arena = s->arena,
                         .program = s->program,
                         .function = callee,
                         .depth = s->depth + 1,
                         .called = true,
                         .out = &exits};
    if (s->function->local_bytes) s->out->reads_local = true;
    if (!callee) return;
    if (s->depth < MOST_CALLS && find_exits(&inner, 0)) {
        s->out->clocks |= exits.clocks;
        s->out->reads_memory = s->out->reads_memory || exits.reads_memory;
    } else {
        s->out->clocks = UINT64_MAX;
    }
}

static bool looks_at_memory(const sim_instr *instr) {
    if (sim_is_ld(instr) && instr->space != PTX_SPACE_LOCAL) return instr->mods & SIM_MOD_VOLATILE;
    return sim_is_atom(instr) || sim_is_mbarrier(instr);
}

// Of an instruction that counts.
static void note(exit_search *s, const sim_instr *instr) {
    sim_exits *out = s->out;
    if (sim_variant_of(instr) == SIM_VARIANT_SPECIAL) out->clocks |= UINT64_C(1) << instr->pc % 64;
    if (sim_is_call(instr)) note_call(s, instr);
    bool loads = sim_is_plain_load(instr);
    bool generic = instr->space == PTX_SPACE_NONE || instr->space == PTX_SPACE_LOCAL;
    if (loads && generic && !(instr->mods & SIM_MOD_FRAME)) out->reads_local = true;
    if (sim_variant_of(instr) == SIM_VARIANT_BAR) out->reads_memory = true;
    if (!looks_at_memory(instr)) return;
    out->reads_memory = true;
    if (out->look_pc == SIM_PC_EXIT) out->look_pc = instr->pc;
}

// Takes s->live from behind `instr` to before it.
static void pass(exit_search *s, const sim_instr *instr, bool is_last, uint32_t block, bool notes) {
    bool frame_store = sim_is_st(instr) && instr->mods & SIM_MOD_FRAME;
    s->relevant = has_effect(s, instr, s->depth);
    s->guarded = instr->guard != SIM_NO_SLOT;
    if (is_last && s->counts[block] && (sim_is_branch(instr) || sim_is_return(instr)))
        s->relevant = true;
    if (frame_store) { // writes a part of src[0]
        uint32_t number = s->number[instr->src[0] / 4];
        s->relevant = number && has_bit(s->live, number - 1);
    }
    if (!s->relevant) visit(s, instr, find_defined);
    visit(s, instr, kill_written);
    if (sim_is_ret(instr) && s->called)
        for (uint32_t i = 0; i < s->function->return_count; i++)
            use_read(s, (uint32_t *)&s->function->returns[i].slot, false);
    if (!s->relevant) return;
    visit(s, instr, use_read);
    if (notes) note(s, instr);
}

// ---- The flow ----

static bool number_slots(exit_search *s) {
    const sim_function *function = s->function;
    s->number = sim_arena_array(s->arena, function->frame_bytes / 4 + 1, sizeof *s->number);
    s->slots = sim_arena_array(s->arena, function->frame_bytes / 4 + 1, sizeof *s->slots);
    if (!s->number || !s->slots) return false;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        if (s->region[s->cfg->block_of[pc]]) visit(s, &function->code[pc], number_slot);
    for (uint32_t i = 0; s->called && i < function->return_count; i++)
        number_slot(s, (uint32_t *)&function->returns[i].slot, false);
    s->words = s->count / WORD_BITS + 1;
    s->in = sim_arena_array(s->arena, (size_t)s->cfg->graph.count * s->words, sizeof *s->in);
    s->live = sim_arena_array(s->arena, s->words, sizeof *s->live);
    return s->in && s->live;
}

static void live_behind(exit_search *s, uint32_t block) {
    const sim_graph *graph = &s->cfg->graph;
    memset(s->live, 0, s->words * sizeof *s->live);
    for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++) {
        uint32_t to = graph->targets[i];
        if (to >= graph->count || !s->region[to]) continue;
        for (uint32_t w = 0; w < s->words; w++) s->live[w] |= s->in[(size_t)to * s->words + w];
    }
}

// From the end of a block to before `stop`. Whether one of its instructions has counted.
static bool pass_block(exit_search *s, uint32_t block, uint32_t stop, bool notes) {
    bool any = false;
    uint32_t end = s->cfg->first_pc[block + 1];
    live_behind(s, block);
    for (uint32_t pc = end; pc-- > stop;) {
        pass(s, &s->function->code[pc], pc == end - 1, block, notes);
        any = any || s->relevant;
    }
    return any;
}

static void flow(exit_search *s) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t block = s->cfg->graph.count; block-- > 0;) {
            if (!s->region[block]) continue;
            uint64_t *in = &s->in[(size_t)block * s->words];
            pass_block(s, block, s->cfg->first_pc[block], false);
            if (memcmp(in, s->live, s->words * sizeof *in) == 0) continue;
            memcpy(in, s->live, s->words * sizeof *in);
            changed = true;
        }
    }
}

// Whether something that counts depends on the branch at the end of `block`: it lies before the
// place where both ways meet.
static bool decides(exit_search *s, uint32_t block, const bool *relevant, bool *reached,
                    bool *allowed, uint32_t *stack) {
    const sim_cfg *cfg = s->cfg;
    const sim_instr *last = &s->function->code[cfg->first_pc[block + 1] - 1];
    memcpy(allowed, s->region, cfg->graph.count);
    if (last->reconverge < s->function->code_count)
        allowed[cfg->block_of[last->reconverge]] = false;
    reach(cfg->graph.first, cfg->graph.targets, allowed, cfg->graph.count, block, reached, stack);
    for (uint32_t i = 0; i < cfg->graph.count; i++)
        if (reached[i] && relevant[i]) return true;
    return false;
}

// Adds branches until none is missing.
static bool settle(exit_search *s) {
    const sim_cfg *cfg = s->cfg;
    uint32_t count = cfg->graph.count;
    bool *relevant = sim_arena_array(s->arena, count, sizeof *relevant);
    bool *reached = sim_arena_array(s->arena, count, sizeof *reached);
    bool *allowed = sim_arena_array(s->arena, count, sizeof *allowed);
    uint32_t *stack = sim_arena_array(s->arena, (size_t)count + 1, sizeof *stack);
    if (!relevant || !reached || !allowed || !stack) return false;
    for (bool added = true; added;) {
        added = false;
        flow(s);
        for (uint32_t i = 0; i < count; i++)
            relevant[i] = s->region[i] && pass_block(s, i, cfg->first_pc[i], false);
        for (uint32_t i = 0; i < count; i++) {
            const sim_instr *last = &s->function->code[cfg->first_pc[i + 1] - 1];
            bool branches = sim_is_branch(last) && is_branch(last);
            if (!s->region[i] || s->counts[i] || !branches) continue;
            if (!decides(s, i, relevant, reached, allowed, stack)) continue;
            s->counts[i] = added = true;
        }
    }
    return true;
}

static void mark_slot(void *context, uint32_t *field, bool is_write) {
    exit_search *s = context;
    (void)is_write;
    s->number[*field / 4] = 1;
}

// Whether all that the function writes to a slot has 16 bits.
static bool is_narrow(const exit_search *s, uint32_t slot) {
    bool found = false;
    for (uint32_t pc = 0; pc < s->function->code_count; pc++) {
        const sim_instr *instr = &s->function->code[pc];
        if (instr->dst != slot) continue;
        if (sim_is_setp(instr) || ptx_type_bytes((ptx_type)instr->type) != 2) return false;
        found = true;
    }
    return found;
}

// A register ends where the next one that the code names begins, at the latest after 128 bits of
// each lane.
static bool copy_slots(exit_search *s) {
    const sim_function *function = s->function;
    enum { MOST_BYTES = 16 * SIM_WARP_LANES };
    sim_exit_slot *out = sim_arena_array(s->arena, (size_t)s->count + 1, sizeof *out);
    if (!out) return false;
    for (uint32_t pc = 0; pc < function->code_count; pc++) visit(s, &function->code[pc], mark_slot);
    for (uint32_t i = 0; i < s->count; i++) {
        if (!has_bit(s->live, i)) continue;
        uint32_t first = s->slots[i], end = first + 4;
        while (end < function->frame_bytes && end - first < MOST_BYTES && !s->number[end / 4])
            end += 4;
        out[s->out->slot_count++] = (sim_exit_slot){first, end - first, is_narrow(s, first)};
    }
    s->out->slots = out;
    return true;
}

static bool find(exit_search *s, uint32_t pc) {
    uint32_t blocks = s->cfg->graph.count;
    s->region = sim_arena_array(s->arena, blocks, sizeof *s->region);
    s->inner = sim_arena_array(s->arena, blocks, sizeof *s->inner);
    s->counts = sim_arena_array(s->arena, blocks, sizeof *s->counts);
    if (!s->region || !s->inner || !s->counts || !make_predecessors(s) || !mark_loops(s, pc))
        return false;
    if (!s->out->in_loop && !s->called) return true;
    if (!number_slots(s) || !settle(s)) return false;
    for (int inner = 1; inner >= 0; inner--)
        for (uint32_t i = 0; i < blocks; i++)
            if (s->region[i] && s->inner[i] == (inner == 1))
                pass_block(s, i, s->cfg->first_pc[i], true);
    pass_block(s, s->cfg->block_of[pc], pc, false);
    return copy_slots(s);
}

static bool find_exits(exit_search *s, uint32_t pc) {
    const sim_function *function = s->function;
    sim_cfg cfg;
    s->cfg = &cfg;
    *s->out = (sim_exits){.look_pc = SIM_PC_EXIT};
    return sim_cfg_build(s->arena, function->code, function->code_count, function->slots, &cfg) &&
           find(s, pc);
}

bool sim_exits_find(sim_arena *arena, const sim_program *program, const sim_function *function,
                    uint32_t pc, bool called, sim_exits *out_exits) {
    exit_search s = {.arena = arena,
                     .program = program,
                     .function = function,
                     .called = called,
                     .out = out_exits};
    return find_exits(&s, pc);
}
