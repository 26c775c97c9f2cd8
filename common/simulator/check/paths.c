// A search of the graph of basic blocks: see rules.h.
#include "check/rules.h"
#include "machine/machine.h"

bool check_paths_open(const sim_program *program, const sim_function *function,
                      check_paths *out_paths) {
    const size_t most = 64 << 20;
    check_paths *p = out_paths;
    *p = (check_paths){.program = program, .function = function, .arena = sim_arena_new(most)};
    if (!p->arena ||
        !sim_cfg_build(p->arena, function->code, function->code_count, function->slots, &p->cfg))
        return false;
    uint32_t blocks = p->cfg.graph.count;
    p->to_see = sim_arena_array(p->arena, (size_t)blocks + 1, sizeof *p->to_see);
    p->seen = sim_arena_array(p->arena, blocks, sizeof *p->seen);
    return p->to_see && p->seen;
}

void check_paths_close(check_paths *paths) { sim_arena_free(paths->arena); }

static bool is_barrier(const check_paths *paths, const sim_instr *instr) {
    if (sim_is_call(instr))
        return !(instr->mods & SIM_MOD_INDIRECT) && !((const sim_call *)instr->extra)->is_builtin &&
               paths->program->functions[instr->target].has_barrier;
    return sim_variant_of(instr) == SIM_VARIANT_BAR ||
           (instr->op == SIM_OP_WARPSYNC && paths->one_warp);
}

typedef enum path_end { PATH_FOUND, PATH_BARRIER, PATH_ON } path_end;

// From `pc` to the end of its basic block.
static path_end scan(const check_paths *paths, uint32_t pc, uint32_t end, uint32_t to) {
    for (; pc < end; pc++) {
        if (pc == to) return PATH_FOUND;
        if (paths->barred && is_barrier(paths, &paths->function->code[pc])) return PATH_BARRIER;
    }
    return PATH_ON;
}

bool check_paths_lead(const check_paths *paths, uint32_t from, uint32_t to, bool jumps_back) {
    const sim_graph *graph = &paths->cfg.graph;
    uint32_t count = 0, first = paths->cfg.block_of[from];
    memset(paths->seen, 0, graph->count * sizeof *paths->seen);
    path_end end = scan(paths, from + 1, paths->cfg.first_pc[first + 1], to);
    if (end == PATH_ON) paths->to_see[count++] = first;
    while (end != PATH_FOUND && count > 0) {
        uint32_t node = paths->to_see[--count];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            uint32_t next = graph->targets[i];
            if (next == graph->count || paths->seen[next] || (next <= node && !jumps_back))
                continue;
            paths->seen[next] = true;
            end = scan(paths, paths->cfg.first_pc[next], paths->cfg.first_pc[next + 1], to);
            if (end == PATH_FOUND) break;
            if (end == PATH_ON) paths->to_see[count++] = next;
        }
    }
    return end == PATH_FOUND;
}

// Whether the block ends in a branch of which one side leads to block `to` and another one does
// not.
bool check_paths_decides(const check_paths *paths, uint32_t block, uint32_t to) {
    const sim_graph *graph = &paths->cfg.graph;
    bool some = false, others = false;
    for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++) {
        uint32_t next = graph->targets[i];
        bool comes = next == to || (next != graph->count && next > block &&
                                    check_paths_lead(paths, paths->cfg.first_pc[next],
                                                     paths->cfg.first_pc[to], false));
        some |= comes;
        others |= !comes;
    }
    return some && others;
}

bool check_paths_passed_by(const check_paths *paths, uint32_t pc) {
    sim_loop inner = {0, 0}, outer;
    sim_loops_around(paths->function, pc, &inner, &outer);
    uint32_t to = paths->cfg.block_of[pc], first = paths->cfg.block_of[inner.first_pc];
    for (uint32_t block = to; block-- > first;)
        if (check_paths_decides(paths, block, to)) return true;
    return false;
}

// ---- where a value goes -------------------------------------------------------------------------

typedef struct value_search {
    const check_paths *paths;
    uint32_t words;   // of a set of slots, by their offset in words of 4 bytes
    uint64_t *before; // [blocks][words]: slots that may hold the value when a block begins
    uint64_t *now;    // [words]
} value_search;

static bool holds(const value_search *search, uint32_t slot) {
    return slot != SIM_NO_SLOT && search->now[slot / 256] >> slot / 4 % 64 & 1;
}

// Slots whose value the instruction's results are of, itself included; true: it meets other lanes
// by the value, or branches.
static bool pass_value(value_search *search, const sim_instr *instr) {
    uint32_t slots[SIM_OPERAND_SLOTS];
    const sim_function *function = search->paths->function;
    uint32_t count = sim_operand_sources(function, instr, slots);
    bool reads = holds(search, instr->guard);
    for (uint32_t i = 0; i < count && !reads; i++) reads = holds(search, slots[i]);
    if (sim_role_of(instr) == SIM_ROLE_EXCHANGE || sim_is_call(instr)) return reads;
    if (reads && !sim_is_computation(instr) && (holds(search, instr->guard) || count == 0))
        return true;
    uint32_t results = sim_operand_results(function, instr, slots);
    for (uint32_t i = 0; i < results; i++) {
        uint64_t bit = UINT64_C(1) << slots[i] / 4 % 64, *word = &search->now[slots[i] / 256];
        if (reads) *word |= bit;
        else if (instr->guard == SIM_NO_SLOT) *word &= ~bit;
    }
    return false;
}

// From `pc` to the end of its basic block, and into the sets of those behind it. *out_grown: one of
// these is larger.
static bool pass_rest(value_search *search, uint32_t pc, bool *out_grown) {
    const sim_cfg *cfg = &search->paths->cfg;
    uint32_t block = cfg->block_of[pc];
    for (; pc < cfg->first_pc[block + 1]; pc++)
        if (pass_value(search, &search->paths->function->code[pc])) return true;
    for (uint32_t i = cfg->graph.first[block]; i < cfg->graph.first[block + 1]; i++) {
        uint32_t next = cfg->graph.targets[i];
        for (uint32_t w = 0; next < cfg->graph.count && w < search->words; w++) {
            uint64_t *to = &search->before[(size_t)next * search->words + w];
            *out_grown |= search->now[w] & ~*to;
            *to |= search->now[w];
        }
    }
    return false;
}

bool check_paths_feed_reconvergence(const check_paths *paths, uint32_t pc) {
    const sim_cfg *cfg = &paths->cfg;
    const sim_function *function = paths->function;
    uint32_t slots[SIM_OPERAND_SLOTS], words = function->frame_bytes / 256 + 1;
    value_search search = {.paths = paths, .words = words};
    search.before =
        sim_arena_array(paths->arena, (size_t)words * cfg->graph.count, sizeof *search.before);
    search.now = sim_arena_array(paths->arena, words, sizeof *search.now);
    if (!search.before || !search.now) return true;
    uint32_t count = sim_operand_results(function, &function->code[pc], slots);
    for (uint32_t i = 0; i < count; i++)
        search.now[slots[i] / 256] |= UINT64_C(1) << slots[i] / 4 % 64;
    bool grown = true, ends = pc + 1 == cfg->first_pc[cfg->block_of[pc] + 1];
    if (!ends && pass_rest(&search, pc + 1, &grown)) return true;
    while (grown) {
        grown = false;
        for (uint32_t block = 0; block < cfg->graph.count; block++) {
            memcpy(search.now, &search.before[(size_t)block * words], words * sizeof *search.now);
            if (cfg->first_pc[block] < cfg->first_pc[block + 1] &&
                pass_rest(&search, cfg->first_pc[block], &grown))
                return true;
        }
    }
    return false;
}
