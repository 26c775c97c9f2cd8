// Liveness by backward data flow over basic blocks. Registers that live within one block (most of
// them) need no set; the others get a bit each. A guarded write does not end the life of the old
// value.
#include "decode/internal.h"

// Above this many words a set (128 MiB in all), registers that cross blocks are taken as live
// everywhere.
enum { MAX_SET_WORDS = 1 << 22, WORD_BITS = 64 };

enum { BLOCK_NONE = 0xFFFFFFFFu };

typedef struct liveness {
    decode_function *function;
    decode_interval *intervals;
    const sim_cfg *cfg;
    uint32_t *home;   // by value: the only block it occurs in, BLOCK_NONE before
    uint32_t *global; // by value: bit number + 1 of registers that cross blocks
    uint32_t global_count, words;
    uint32_t *values;          // by bit number
    uint64_t *gen, *kill, *in; // [block][words]
    // Of the instruction being looked at:
    uint32_t pc, block;
    bool is_guarded, reads_late;
} liveness;

// What code reads and writes: registers, and .param variables of calls.
static bool is_variable(const liveness *live, uint32_t value) {
    uint8_t kind = live->function->values[value].kind;
    return kind == VALUE_REGISTER || kind == VALUE_FRAME;
}

// What decode_for_slots calls read is the variable that a st.param writes to. Of a part of it
// nothing is said: the rest stays as it was.
typedef enum occurrence { OCCURRENCE_READ, OCCURRENCE_WRITE, OCCURRENCE_OF_PART } occurrence;
static occurrence occurrence_of(const liveness *live, const uint32_t *field, bool is_write) {
    const sim_instr *instr = &live->function->code[live->pc];
    bool stores = instr->op == SIM_OP_ST && instr->mods & SIM_MOD_FRAME && field == instr->src;
    if (!stores) return is_write ? OCCURRENCE_WRITE : OCCURRENCE_READ;
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type) * (instr->vector ? instr->vector : 1);
    return bytes == instr->target ? OCCURRENCE_WRITE : OCCURRENCE_OF_PART;
}

static void extend(decode_interval *interval, uint32_t position) {
    if (position < interval->first) interval->first = position;
    if (position > interval->last) interval->last = position;
}

// Only lane-by-lane operations with one result may write over what they read.
static bool reads_late(const sim_instr *instr) {
    bool is_plain =
        instr->op <= SIM_OP_ISSPACEP && instr->op != SIM_OP_PACK && instr->op != SIM_OP_UNPACK;
    return !is_plain || instr->dst2 != SIM_NO_SLOT;
}

// ---- Which registers cross blocks ---------------------------------------------------------------

static void make_global(liveness *live, uint32_t value) {
    if (live->global[value]) return;
    live->values[live->global_count++] = value;
    live->global[value] = live->global_count;
}

static void visit_occurrence(void *context, uint32_t *field, bool is_write) {
    liveness *live = context;
    uint32_t value = *field;
    if (!is_variable(live, value)) return;
    occurrence kind = occurrence_of(live, field, is_write);
    if (live->home[value] == BLOCK_NONE) {
        live->home[value] = live->block;
        if (kind != OCCURRENCE_WRITE || live->is_guarded) make_global(live, value);
    } else if (live->home[value] != live->block) {
        make_global(live, value);
    }
    bool late = is_write || live->reads_late;
    extend(&live->intervals[value], 2 * live->pc + (late ? 1 : 0));
}

typedef void (*block_visit)(liveness *live);

static void for_instructions(liveness *live, sim_slot_visit visit) {
    decode_function *function = live->function;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        live->pc = pc;
        live->block = live->cfg->block_of[pc];
        live->is_guarded = instr->guard != SIM_NO_SLOT;
        live->reads_late = reads_late(instr);
        decode_for_slots(function, instr, visit, live);
    }
}

// ---- Data flow ----------------------------------------------------------------------------------

// decode_for_slots visits what an instruction reads before what it writes.
static void visit_gen_kill(void *context, uint32_t *field, bool is_write) {
    liveness *live = context;
    if (!is_variable(live, *field) || !live->global[*field]) return;
    occurrence kind = occurrence_of(live, field, is_write);
    uint32_t bit = live->global[*field] - 1;
    size_t word = (size_t)live->block * live->words + bit / WORD_BITS;
    uint64_t mask = UINT64_C(1) << (bit % WORD_BITS);
    if (kind == OCCURRENCE_READ && !(live->kill[word] & mask)) live->gen[word] |= mask;
    if (kind == OCCURRENCE_WRITE && !live->is_guarded) live->kill[word] |= mask;
}

static uint64_t live_out(const liveness *live, uint32_t block, uint32_t word) {
    const sim_graph *graph = &live->cfg->graph;
    uint64_t out = 0;
    for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++)
        if (graph->targets[i] < graph->count)
            out |= live->in[(size_t)graph->targets[i] * live->words + word];
    return out;
}

static bool flow_block(liveness *live, uint32_t block) {
    bool changed = false;
    for (uint32_t w = 0; w < live->words; w++) {
        size_t cell = (size_t)block * live->words + w;
        uint64_t in = live->gen[cell] | (live_out(live, block, w) & ~live->kill[cell]);
        changed = changed || in != live->in[cell];
        live->in[cell] = in;
    }
    return changed;
}

static void extend_set(liveness *live, uint64_t set, uint32_t word, uint32_t position) {
    while (set) {
        uint32_t bit = word * WORD_BITS + (uint32_t)__builtin_ctzll(set);
        set &= set - 1;
        extend(&live->intervals[live->values[bit]], position);
    }
}

// A thread may come to the end of the function without a value for its caller.
static void read_returns(liveness *live) {
    const sim_function *out = live->function->out;
    for (uint32_t pc = 0; pc < live->function->code_count; pc++) {
        live->pc = pc;
        live->block = live->cfg->block_of[pc];
        for (uint32_t i = 0; live->function->code[pc].op == SIM_OP_RET && i < out->return_count;
             i++)
            visit_gen_kill(live, (uint32_t *)&out->returns[i].slot, false);
    }
}

// Nobody has written what is alive where the function begins, but for what its caller passes.
static void find_unset(liveness *live) {
    const sim_function *out = live->function->out;
    for (uint32_t bit = 0; bit < live->global_count; bit++) {
        uint32_t value = live->values[bit];
        live->intervals[value].unset = live->in[bit / WORD_BITS] >> bit % WORD_BITS & 1 &&
                                       !live->function->values[value].live_in;
    }
    for (uint32_t i = 0; i < out->param_count; i++)
        live->intervals[out->params[i].slot].unset = false;
}

static void extend_globals(liveness *live) {
    for (uint32_t block = 0; block < live->cfg->graph.count; block++) {
        uint32_t begin = 2 * live->cfg->first_pc[block];
        uint32_t end = 2 * live->cfg->first_pc[block + 1] - 1;
        for (uint32_t w = 0; w < live->words; w++) {
            extend_set(live, live->in[(size_t)block * live->words + w], w, begin);
            extend_set(live, live_out(live, block, w), w, end);
        }
    }
}

static sim_status flow(liveness *live) {
    uint32_t blocks = live->cfg->graph.count;
    sim_arena *arena = live->function->scratch;
    live->words = (live->global_count + WORD_BITS - 1) / WORD_BITS;
    size_t cells = (size_t)live->words * blocks;
    if (cells > MAX_SET_WORDS) {
        for (uint32_t i = 0; i < live->global_count; i++) {
            extend(&live->intervals[live->values[i]], 0);
            extend(&live->intervals[live->values[i]], 2 * live->function->code_count);
        }
        return SIM_OK;
    }
    live->gen = sim_arena_array(arena, cells, sizeof *live->gen);
    live->kill = sim_arena_array(arena, cells, sizeof *live->kill);
    live->in = sim_arena_array(arena, cells, sizeof *live->in);
    if (!live->gen || !live->kill || !live->in) return decode_no_memory(live->function->module);
    for_instructions(live, visit_gen_kill);
    read_returns(live);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t block = blocks; block-- > 0;)
            if (flow_block(live, block)) changed = true;
    }
    extend_globals(live);
    find_unset(live);
    return SIM_OK;
}

sim_status decode_live_intervals(decode_function *function, decode_interval *out_intervals) {
    liveness live = {.function = function, .intervals = out_intervals};
    sim_arena *arena = function->scratch;
    uint32_t count = function->value_count;
    live.home = sim_arena_array(arena, count, sizeof *live.home);
    live.global = sim_arena_array(arena, count, sizeof *live.global);
    live.values = sim_arena_array(arena, count, sizeof *live.values);
    live.cfg = &function->cfg;
    if (!live.home || !live.global || !live.values) return decode_no_memory(function->module);
    memset(live.home, 0xFF, sizeof *live.home * count);
    for (uint32_t i = 0; i < count; i++) out_intervals[i] = (decode_interval){UINT32_MAX, 0, false};
    for_instructions(&live, visit_occurrence);
    return flow(&live);
}

// ---- Loads that not every path uses -------------------------------------------------------------
// A compiler may load before the test that asks for the value. Backward, by registers: whether
// every path from here on uses the value for something that counts, as check/unknown.c has it. Of
// arithmetic only what selects, compares, moves or masks is followed to the use of its result: a
// sum that is stored inside of bounds only would make all loads of a kernel such loads.

typedef struct drop_search {
    const decode_function *function;
    uint32_t words;
    uint64_t *in;   // [block][words]: before its first instruction
    uint64_t *used; // [words]: before the instruction that is looked at
    bool found, guarded;
} drop_search;

static bool is_read_later(const drop_search *search, uint32_t value) {
    return search->used[value / WORD_BITS] >> value % WORD_BITS & 1;
}
static void use(drop_search *search, uint32_t value) {
    search->used[value / WORD_BITS] |= UINT64_C(1) << value % WORD_BITS;
}

static void find_used_result(void *context, uint32_t *field, bool is_write) {
    drop_search *search = context;
    search->found |= is_write && is_read_later(search, *field);
}
static void find_dropped_result(void *context, uint32_t *field, bool is_write) {
    drop_search *search = context;
    search->found |= is_write && !is_read_later(search, *field);
}
static void end_written(void *context, uint32_t *field, bool is_write) {
    drop_search *search = context;
    if (is_write) search->used[*field / WORD_BITS] &= ~(UINT64_C(1) << *field % WORD_BITS);
}
static void use_read(void *context, uint32_t *field, bool is_write) {
    if (!is_write) use(context, *field);
}

// Whether one of two operands may decide the result alone, such as 0 of `and`.
static bool may_absorb(const decode_function *function, const sim_instr *instr) {
    bool has_constant = false;
    for (int i = 0; i < 2; i++) {
        if (instr->op >= SIM_OP_LD || instr->src[i] == SIM_NO_SLOT) continue;
        const decode_value *value = &function->values[instr->src[i]];
        if (value->kind != VALUE_CONSTANT) continue;
        if (sim_absorbs(instr, value->constant)) return true;
        has_constant = true;
    }
    return !has_constant && (instr->op == SIM_OP_AND || instr->op == SIM_OP_OR);
}

static bool is_followed(const decode_function *function, const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_AND:
    case SIM_OP_OR:
    case SIM_OP_NOT:
    case SIM_OP_SETP:
    case SIM_OP_SELP:
    case SIM_OP_MOV:
    case SIM_OP_PACK:
    case SIM_OP_UNPACK:
    case SIM_OP_CVT: return true;
    default: return may_absorb(function, instr);
    }
}

static void use_operands(drop_search *search, sim_instr *instr) {
    bool joins = instr->op == SIM_OP_SETP && instr->boolean != SIM_BOOL_NONE;
    if (instr->op == SIM_OP_SELP || joins) {
        if (instr->src[2] != SIM_NO_SLOT) use(search, instr->src[2]);
    } else if (!may_absorb(search->function, instr)) {
        decode_for_slots(search->function, instr, use_read, search);
    }
}

static void pass_drops(drop_search *search, sim_instr *instr) {
    const decode_function *function = search->function;
    bool counts = !is_followed(function, instr);
    search->found = false;
    decode_for_slots(function, instr, find_used_result, search);
    if (instr->guard == SIM_NO_SLOT) {
        bool is_wanted = search->found;
        decode_for_slots(function, instr, end_written, search);
        if (counts) decode_for_slots(function, instr, use_read, search);
        else if (is_wanted) use_operands(search, instr);
    } else if (counts || search->found) {
        use(search, instr->guard);
    }
}

// What every successor uses; after the end of the function nothing is.
static void used_behind(drop_search *search, uint32_t block) {
    const sim_graph *graph = &search->function->cfg.graph;
    uint32_t first = graph->first[block], end = graph->first[block + 1];
    memset(search->used, first < end ? 0xFF : 0, search->words * sizeof *search->used);
    for (uint32_t i = first; i < end; i++) {
        uint32_t to = graph->targets[i];
        for (uint32_t w = 0; w < search->words; w++)
            search->used[w] &= to < graph->count ? search->in[(size_t)to * search->words + w] : 0;
    }
}

static void mark_dropped(drop_search *search, sim_instr *instr) {
    bool follows = instr->op == SIM_OP_LD && !(instr->mods & (SIM_MOD_VOLATILE | SIM_MOD_NC)) &&
                   (instr->space == PTX_SPACE_SHARED || instr->space == PTX_SPACE_GLOBAL ||
                    instr->space == PTX_SPACE_NONE);
    if (!follows) return;
    search->found = false;
    decode_for_slots(search->function, instr, find_dropped_result, search);
    instr->dropped = search->found;
}

static bool pass_block(drop_search *search, uint32_t block, bool marks) {
    const decode_function *function = search->function;
    const sim_cfg *cfg = &function->cfg;
    uint64_t *in = &search->in[(size_t)block * search->words];
    used_behind(search, block);
    for (uint32_t pc = cfg->first_pc[block + 1]; pc-- > cfg->first_pc[block];) {
        if (marks) mark_dropped(search, &function->code[pc]);
        pass_drops(search, &function->code[pc]);
    }
    bool changed = memcmp(in, search->used, search->words * sizeof *in) != 0;
    if (changed) memcpy(in, search->used, search->words * sizeof *in);
    return changed;
}

sim_status decode_find_dropped(decode_function *function) {
    drop_search search = {.function = function, .words = function->value_count / WORD_BITS + 1};
    uint32_t blocks = function->cfg.graph.count;
    size_t cells = (size_t)search.words * blocks;
    if (cells > MAX_SET_WORDS) return SIM_OK;
    search.in = sim_arena_array(function->scratch, cells, sizeof *search.in);
    search.used = sim_arena_array(function->scratch, search.words, sizeof *search.used);
    if (!search.in || !search.used) return decode_no_memory(function->module);
    memset(search.in, 0xFF, cells * sizeof *search.in);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t block = blocks; block-- > 0;)
            if (pass_block(&search, block, false)) changed = true;
    }
    for (uint32_t block = 0; block < blocks; block++) pass_block(&search, block, true);
    return SIM_OK;
}

// ---- Registers that hold what such loads bring, or what nobody has written ----------------------

typedef struct touch_search {
    const decode_function *function;
    bool *holds;       // by value: it may come from such a load or from such a register
    bool *slots;       // by words of the frame: that of such a value
    bool found, grown; // the instruction reads one; another value is one
} touch_search;

static void find_held(void *context, uint32_t *field, bool is_write) {
    touch_search *search = context;
    search->found |= !is_write && search->holds[*field];
}
static void hold_result(void *context, uint32_t *field, bool is_write) {
    touch_search *search = context;
    if (!is_write || search->holds[*field]) return;
    search->holds[*field] = search->grown = true;
}
static void find_touched(void *context, uint32_t *field, bool is_write) {
    touch_search *search = context;
    uint32_t slot = search->function->values[*field].slot;
    (void)is_write;
    search->found |= slot != SIM_NO_SLOT && search->slots[slot / 4];
}

// What is followed hands them on (check/unknown.c); everything else uses them. What nobody has
// written (`unset`) is followed through all arithmetic and through shuffles.
static void hold_what_follows(touch_search *search, bool unset) {
    const decode_function *function = search->function;
    do {
        search->grown = false;
        for (uint32_t pc = 0; pc < function->code_count; pc++) {
            sim_instr *instr = &function->code[pc];
            bool follows = unset ? instr->op < SIM_OP_LD || instr->op == SIM_OP_SHFL
                                 : is_followed(function, instr);
            search->found = !unset && instr->dropped;
            if (follows) decode_for_slots(function, instr, find_held, search);
            if (search->found) decode_for_slots(function, instr, hold_result, search);
        }
    } while (search->grown);
}

static bool any_dropped(const decode_function *function) {
    uint32_t pc = 0;
    while (pc < function->code_count && !function->code[pc].dropped) pc++;
    return pc < function->code_count;
}

sim_status decode_mark_touching(decode_function *function, const decode_interval *intervals,
                                uint64_t frame_bytes) {
    if (!function->out->unset_count && !any_dropped(function)) return SIM_OK;
    sim_arena *arena = function->scratch;
    touch_search search = {.function = function};
    search.holds = sim_arena_array(arena, function->value_count, sizeof *search.holds);
    search.slots = sim_arena_array(arena, frame_bytes / 4 + 1, sizeof *search.slots);
    if (!search.holds || !search.slots) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < function->value_count; i++) search.holds[i] = intervals[i].unset;
    hold_what_follows(&search, true);
    hold_what_follows(&search, false);
    for (uint32_t i = 0; i < function->value_count; i++)
        if (search.holds[i] && function->values[i].slot != SIM_NO_SLOT)
            search.slots[function->values[i].slot / 4] = true;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        search.found = instr->op == SIM_OP_RET || instr->op == SIM_OP_EXIT;
        decode_for_slots(function, instr, find_touched, &search);
        sim_touches kind = is_followed(function, instr) ? SIM_TOUCHES : SIM_TOUCHES_USES;
        instr->touches = (uint8_t)(search.found ? kind : SIM_TOUCHES_NOT);
    }
    return SIM_OK;
}
