// SPDX-License-Identifier: MIT
// What of an instruction an older card does not have: rows of device/features.def.
#ifndef SIM_COUNTERS_FEATURES_NEEDED_H
#define SIM_COUNTERS_FEATURES_NEEDED_H

#include "device/features.h"
#include "program/ir.h"

// Bits of the features that this instruction needs; 0: every card has it.
uint32_t sim_features_of(const sim_instr *instr);

#endif
