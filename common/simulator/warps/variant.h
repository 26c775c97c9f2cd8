// SPDX-License-Identifier: MIT
// Naming of what is compiled once for each host variant (any x86-64; x86-64-v3 with AVX2 and FMA),
// and the tables through which the rest of the executor reaches it. CMake defines SIM_EXEC_VARIANT
// while compiling a variant.
#ifndef SIM_WARPS_VARIANT_H
#define SIM_WARPS_VARIANT_H

#include "warps/block.h"

#define SIM_PASTE_(name, variant) name##_##variant
#define SIM_PASTE(name, variant)  SIM_PASTE_(name, variant)
#ifdef SIM_EXEC_VARIANT
#define SIM_VARIANT(name) SIM_PASTE(name, SIM_EXEC_VARIANT)
#endif

// The handler for an instruction of this operation; NULL when there is none for its type and
// modifiers.
typedef sim_exec_fn (*sim_bind_fn)(const sim_instr *instr);

typedef struct sim_exec_table {
    sim_bind_fn bind[SIM_OP_COUNT];
    sim_warp_run_fn run_warp;
    sim_exec_fn as_machine; // loads and stores that the machine code has in another form
} sim_exec_table;

// NULL addresses of what this build was made without (SIM_VARIANTS in rooms.cmake).
extern const sim_exec_table sim_exec_table_base __attribute__((weak));
extern const sim_exec_table sim_exec_table_v3 __attribute__((weak));

// sim_program_bind with a given table, and the table that it uses on this host (ops/bind.c); NULL where this build has
// none that this host can run.
sim_status sim_program_bind_table(sim_program *program, const sim_exec_table *table,
                                  sim_error *error);
const sim_exec_table *sim_exec_table_for_host(void);
// Heeds what sim_machine_match has found of a function that is bound already.
void sim_bind_machine(sim_function *function);

#ifdef SIM_EXEC_VARIANT
sim_warp_stop SIM_VARIANT(sim_warp_run)(sim_warp *warp);
void SIM_VARIANT(sim_exec_as_machine)(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
#endif

#endif
