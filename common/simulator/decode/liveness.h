// SPDX-License-Identifier: MIT
// Live intervals of a function's registers, and loads of which the value is used on some paths
// only; private to the decoder. Liveness is that of one thread:
// each lane's own control flow is a path through the graph, so lanes that diverge are covered.
#ifndef SIM_DECODE_LIVENESS_H
#define SIM_DECODE_LIVENESS_H

#include "decode/stages.h"

// Instruction pc reads at 2 * pc and writes at 2 * pc + 1. From the first position where the
// register may hold a value that is wanted to the last, both included; first > last: never used.
typedef struct decode_interval {
    uint32_t first, last;
} decode_interval;

// Sets sim_instr.dropped. Registers are value numbers still.
sim_status decode_find_dropped(decode_function *function);
// Once registers have their slots in a frame of so many bytes: marks the instructions (sim_instr.touches)
// that a warp which holds what such a load brought has to be followed through.
sim_status decode_mark_touching(decode_function *function, uint64_t frame_bytes);

// out_intervals: [value_count]; only entries of VALUE_REGISTER are filled.
sim_status decode_live_intervals(decode_function *function, decode_interval *out_intervals);

#endif
