// SPDX-License-Identifier: MIT
// Handlers of probed memory instructions (record/probe.h): the one that the instruction had, and a
// note of what it did. Compiled once: what is recorded does not depend on the host's variant.
#ifndef SIM_OPS_MEMORY_PROBE_H
#define SIM_OPS_MEMORY_PROBE_H

#include "warps/block.h"

// Whether there is a map for such an instruction.
bool sim_probes_memory(const sim_instr *instr);
void sim_exec_probe_memory(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

#endif
