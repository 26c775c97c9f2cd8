// SPDX-License-Identifier: MIT
// Chooses the handler of a load or store: by space, the quick one of fast.c, local.c or param.c, or
// the complete one of memory.c where there is none for the form. Handlers know nothing of this
// choice.
#include "ops/memory/memory.h"
#include "warps/lanes.h"

static bool known_form(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    return bytes && sim_access_bytes(instr) <= 32;
}

BIND(LD) {
    if (instr->space == PTX_SPACE_PARAM) return SIM_VARIANT(sim_bind_param)(instr);
    if (!known_form(instr)) return NULL;
    sim_exec_fn quick = instr->space == PTX_SPACE_LOCAL ? SIM_VARIANT(sim_bind_local)(instr)
                                                        : SIM_VARIANT(sim_bind_quick_load)(instr);
    return quick ? quick : SIM_VARIANT(sim_load_any);
}
BIND(LDU) {
    return SIM_VARIANT(sim_bind_LD)(instr);
}
BIND(ST) {
    if (instr->space == PTX_SPACE_PARAM) return SIM_VARIANT(sim_bind_param)(instr);
    if (!known_form(instr)) return NULL;
    sim_exec_fn quick = instr->space == PTX_SPACE_LOCAL ? SIM_VARIANT(sim_bind_local)(instr)
                                                        : SIM_VARIANT(sim_bind_quick_store)(instr);
    return quick ? quick : SIM_VARIANT(sim_store_any);
}
