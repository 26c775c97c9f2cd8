// SPDX-License-Identifier: MIT
// The operations' handlers as the modules above reach them: one table for each host variant, and
// binding, which puts a program's handlers in place.
#ifndef SIM_OPS_BIND_H
#define SIM_OPS_BIND_H

#include "warps/block.h"
#include "base/variant.h"

// The handler for an instruction of this operation; NULL when there is none for its type and
// modifiers.
typedef sim_exec_fn (*sim_bind_fn)(const sim_instr *instr);

// The executor's functions for one mode.
typedef struct sim_exec_table {
    sim_bind_fn bind[SIM_OP_COUNT]; // by sim_op; chooses the function that executes an instruction
    sim_warp_run_fn run_warp;       // runs a warp until it ends, waits or faults
    sim_exec_fn as_machine;         // loads and stores that the machine code has in another form
} sim_exec_table;

// NULL addresses of what this build was made without (SIM_VARIANTS in sim_modules.cmake).
extern const sim_exec_table sim_exec_table_base __attribute__((weak));
extern const sim_exec_table sim_exec_table_v3 __attribute__((weak));

// Chooses a handler for every instruction and finds its straight-line runs. Once per program,
// before it runs. SIM_UNSUPPORTED names an operation and type that no handler serves. Memory comes
// from the program's arena.
sim_status sim_program_bind(sim_program *program, kl_error *err);
// sim_program_bind with a given table, and the table that it uses on this host; NULL where this
// build has none that this host can run.
sim_status sim_program_bind_table(sim_program *program, const sim_exec_table *table, kl_error *err);
const sim_exec_table *sim_exec_table_for_host(void);
// Heeds what sim_machine_match has found of a function that is bound already.
void sim_bind_machine(sim_function *function);
// Gives memory instructions and branches handlers that note what they do (record/probe.h): last,
// and only where launches are to be recorded. SIM_OUT_OF_MEMORY.
sim_status sim_bind_probes(sim_program *program, kl_error *err);

#ifdef SIM_EXEC_VARIANT
sim_warp_stop SIM_VARIANT(sim_warp_run)(sim_warp *warp);
// Executes `run`, which starts at warp->pc and has no control instruction, for some lanes of the
// running split, and sets warp->pc behind it. After a fault only those lanes are running.
void SIM_VARIANT(sim_run_some)(sim_warp *warp, const sim_run *run, uint32_t lanes);
#endif

#endif
