// SPDX-License-Identifier: MIT
// The dispatch table of one host variant: a row of program/ops.def without its
// sim_bind_<identifier> does not link.
#include "ops/memory/memory.h"
#include "ops/ops.h"

#define SIM_OP(id, opcode, form, pipe)                                                             \
    sim_exec_fn SIM_VARIANT(sim_bind_##id)(const sim_instr *instr);
#include "program/ops.def"
#undef SIM_OP

const sim_exec_table SIM_VARIANT(sim_exec_table) = {
    .bind =
        {
#define SIM_OP(id, opcode, form, pipe) [SIM_OP_##id] = SIM_VARIANT(sim_bind_##id),
#include "program/ops.def"
#undef SIM_OP
        },
    .run_warp = SIM_VARIANT(sim_warp_run),
    .as_machine = SIM_VARIANT(sim_exec_as_machine),
};
