// SPDX-License-Identifier: MIT
// Liveness by backward data flow over basic blocks. Registers that live within one block (most of
// them) need no set; the others get a bit each. A guarded write does not end the life of the old
// value.
#include "decode/liveness.h"

#include <string.h>

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

static bool is_register(const liveness *live, uint32_t value) {
    return live->function->values[value].kind == VALUE_REGISTER;
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
    if (!is_register(live, value)) return;
    if (live->home[value] == BLOCK_NONE) {
        live->home[value] = live->block;
        if (!is_write || live->is_guarded) make_global(live, value);
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
    if (!is_register(live, *field) || !live->global[*field]) return;
    uint32_t bit = live->global[*field] - 1;
    size_t word = (size_t)live->block * live->words + bit / WORD_BITS;
    uint64_t mask = UINT64_C(1) << (bit % WORD_BITS);
    if (!is_write && !(live->kill[word] & mask)) live->gen[word] |= mask;
    if (is_write && !live->is_guarded) live->kill[word] |= mask;
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
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t block = blocks; block-- > 0;)
            if (flow_block(live, block)) changed = true;
    }
    extend_globals(live);
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
    for (uint32_t i = 0; i < count; i++) out_intervals[i] = (decode_interval){UINT32_MAX, 0};
    for_instructions(&live, visit_occurrence);
    return flow(&live);
}
