// Chooses the handler of a load or store: by space, the quick one of fast.c, local.c or param.c, or
// the complete one of memory.c where there is none for the form. Handlers know nothing of this
// choice.
#include "ops/memory/memory.h"
#include "ops/memory/count.h"

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
BIND(LDU) { return SIM_VARIANT(sim_bind_LD)(instr); }
BIND(ST) {
    if (instr->space == PTX_SPACE_PARAM) return SIM_VARIANT(sim_bind_param)(instr);
    if (!known_form(instr)) return NULL;
    sim_exec_fn quick = instr->space == PTX_SPACE_LOCAL ? SIM_VARIANT(sim_bind_local)(instr)
                                                        : SIM_VARIANT(sim_bind_quick_store)(instr);
    return quick ? quick : SIM_VARIANT(sim_store_any);
}

// ---- accesses as machine code has them ----------------------------------------------------------
// ptxas has merged neighbours into one wide access, or left one out (machine/machine.h).

static void shift(lane_addresses *a, int64_t by) {
    a->base[0] += (uint64_t)by;
    a->base[1] += (uint64_t)by;
    a->low += (uint64_t)by;
    a->high += (uint64_t)by;
    for (int i = 0; i < SIM_WARP_LANES && a->pattern == PATTERN_ANY; i++)
        a->lane[i] += (uint64_t)by;
}

// As one access that serves its neighbours too, or not at all.
void SIM_VARIANT(sim_exec_as_machine)(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    bool counts = warp->counting;
    lane_addresses a;
    if (counts && instr->machine == SIM_MACHINE_WIDE) { // before the address register may change
        find_addresses(warp, instr, lanes, has(instr, SIM_MOD_ADDRESS32), sim_access_bytes(instr),
                       &a);
        shift(&a, instr->machine_shift);
        if (instr->space == PTX_SPACE_SHARED) count_shared(warp, instr, &a, instr->machine_bytes);
        else
            count_global(warp, instr, &a, instr->machine_bytes,
                         instr->op == SIM_OP_ST ? COUNT_WRITE : COUNT_READ);
    }
    warp->counting = false;
    instr->plain(warp, instr, lanes);
    warp->counting = counts;
}
