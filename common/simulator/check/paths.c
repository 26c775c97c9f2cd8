// SPDX-License-Identifier: MIT
// A search of the graph of basic blocks: see paths.h.
#include "check/paths.h"

#include <string.h>

#include "program/program.h"

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

void check_paths_close(check_paths *paths) {
    sim_arena_free(paths->arena);
}

static bool is_barrier(const check_paths *paths, const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_BAR:
    case SIM_OP_BAR_CLUSTER: return true;
    case SIM_OP_CALL:
        return !(instr->mods & SIM_MOD_INDIRECT) && !((const sim_call *)instr->extra)->is_builtin &&
               paths->program->functions[instr->target].has_barrier;
    case SIM_OP_WARPSYNC: return paths->one_warp;
    default: return false;
    }
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
