// Handlers of probed memory instructions (record/traces.h): the one that the instruction had, and a
// note of what it did. Compiled once: what is recorded does not depend on the host's variant.
#pragma once

#include "warps/lanes.h"

// ---- addresses ----------------------------------------------------------------------------------
// The addresses that a memory instruction is about to use, for those who look on: probes and
// clocks. Handlers have quicker ways (warps/lanes.h).

// As the instruction names them, windows included; 0 where a lane is off. Before it runs, for a
// load may overwrite its own address register.
static inline void sim_read_addresses(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                      uint64_t out_addresses[SIM_WARP_LANES]) {
    uint64_t more = (uint64_t)instr->offset;
    if (instr->machine == SIM_MACHINE_WIDE) more += (uint64_t)(int64_t)instr->machine_shift;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        uint64_t address = 0;
        if (!(lanes & lane_bit[lane]))
            ;
        else if (instr->mods & SIM_MOD_ADDRESS32)
            address = SLOT(const uint32_t, instr->src[0])[lane] + (uint32_t)more;
        else address = SLOT(const uint64_t, instr->src[0])[lane] + more;
        out_addresses[lane] = address;
    }
}

// ---- probe.c ------------------------------------------------------------------------------------

// Whether there is a map for such an instruction.
bool sim_probes_memory(const sim_instr *instr);
void sim_exec_probe_memory(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
