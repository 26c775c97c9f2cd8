// SPDX-License-Identifier: MIT
// Loads and stores that the machine code has in another form than PTX (machine/machine.h finds
// them): ptxas has merged neighbours into one wide access, or left an access out.
#include "ops/memory/count.h"
#include "ops/memory/memory.h"

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
        if (instr->space == PTX_SPACE_SHARED)
            count_shared(warp, instr, &a, instr->machine_bytes);
        else
            count_global(warp, instr, &a, instr->machine_bytes,
                         instr->op == SIM_OP_ST ? COUNT_WRITE : COUNT_READ);
    }
    warp->counting = false;
    instr->plain(warp, instr, lanes);
    warp->counting = counts;
}
