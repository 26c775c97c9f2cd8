// SPDX-License-Identifier: MIT
// Control-flow graphs of decoded functions: basic blocks, immediate post-dominators (Cooper,
// Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001, on the reversed graph with a virtual
// exit), reconvergence points. Memory comes from the caller's arena; false means that it is short.
#ifndef SIM_PROGRAM_CFG_H
#define SIM_PROGRAM_CFG_H

#include "base/arena.h"
#include "program/ir.h"

// A directed graph over nodes 0..count-1; node `count` is the virtual exit and may be a target.
typedef struct sim_graph {
    uint32_t count; // of nodes, the virtual exit not among them
    // [count + 1]: successors of n are targets[first[n]] .. targets[first[n + 1] - 1]
    uint32_t *first;
    uint32_t *targets;
} sim_graph;

// out_ipdom[n]: the first node after n on every path from n to the exit; `count` when that is the
// exit itself. A part of the graph that cannot reach the exit (an endless loop) is given an edge to
// it at its last node in depth-first order, which in a loop is where it jumps back.
bool sim_graph_ipdom(sim_arena *arena, const sim_graph *graph, uint32_t *out_ipdom);

// Basic blocks of a function, and the graph of them.
typedef struct sim_cfg {
    uint32_t *first_pc; // [graph.count + 1]: block b is first_pc[b] .. first_pc[b + 1] - 1
    uint32_t *block_of; // [code_count]
    sim_graph graph;    // all edges a thread may take, exit included
} sim_cfg;

// Blocks of `code`, whose branch targets are pcs below code_count; `slots` holds BRX tables. The
// last instruction must not fall through.
bool sim_cfg_build(sim_arena *arena, const sim_instr *code, uint32_t code_count,
                   const uint32_t *slots, sim_cfg *out_cfg);

// Sets `reconverge` of every BRA and BRX. Threads that leave for good do not hold the others up:
// where a branch leads straight out of the function (to a bare ret or exit, or to a block that ends
// in trap or exit) on one side and forward on the other, the point is that of the threads that
// stay.
bool sim_cfg_set_reconvergence(sim_arena *arena, const sim_cfg *cfg, sim_instr *code);

#endif
