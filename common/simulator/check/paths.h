// SPDX-License-Identifier: MIT
// Paths that a thread may take through a function.
#ifndef SIM_CHECK_PATHS_H
#define SIM_CHECK_PATHS_H

#include "program/program.h"

typedef struct check_paths {
    const sim_program *program;
    const sim_function *function;
    sim_arena *arena;
    sim_cfg cfg;
    uint32_t *to_see; // [blocks]
    bool *seen;       // [blocks]
    bool barred;      // paths end at barriers ..
    bool one_warp;    // .. and at what orders the lanes of a warp
} check_paths;

// Of a function of `program`; false: no memory. Close it in either case.
bool check_paths_open(const sim_program *program, const sim_function *function,
                      check_paths *out_paths);
void check_paths_close(check_paths *paths);
// Whether a thread can come from behind pc `from` to pc `to`; `jumps_back`: also by another
// iteration of a loop.
bool check_paths_lead(const check_paths *paths, uint32_t from, uint32_t to, bool jumps_back);
// Whether basic block `block` ends in a branch of which one side leads to block `to` and another
// one does not.
bool check_paths_decides(const check_paths *paths, uint32_t block, uint32_t to);
// Whether a branch above pc, in the same iteration of the loop around it, leads past it.
bool check_paths_passed_by(const check_paths *paths, uint32_t pc);
// Whether what the load at pc brings decides a branch, or goes into a vote, a shuffle or the like:
// then it has been read before lanes go on behind that. True also without memory to find out.
bool check_paths_feed_reconvergence(const check_paths *paths, uint32_t pc);

#endif
