// SPDX-License-Identifier: MIT
// What decides whether the loops around an instruction end: the registers that their exits depend
// on, by data and by control, and those that what they do to others depends on. Counters of polls
// and back-off times are mostly not among them.
#ifndef SIM_PROGRAM_EXITS_H
#define SIM_PROGRAM_EXITS_H

#include "base/arena.h"
#include "program/ir.h"

// A part of the frame that holds a register.
typedef struct sim_exit_slot {
    uint32_t offset, bytes; // of all lanes
    bool narrow;            // 16 bits of each lane's 32 have a meaning
} sim_exit_slot;

// Of the state before an instruction.
typedef struct sim_exits {
    bool in_loop;               // false: no loop of its function is around it
    const sim_exit_slot *slots; // [slot_count]: registers that count
    uint32_t slot_count;        // of `slots`
    bool reads_local;           // so does local memory
    bool reads_memory;          // what others can write counts: the loop waits for something
    uint64_t clocks;  // as bits, pc modulo 64: reads of a clock of which the result counts
    uint32_t look_pc; // a load or an atomic that counts and others can answer, or
                      // SIM_PC_EXIT
} sim_exits;

// Of instruction `pc` of `function`, for all loops around it. `called`: by a function that is in a
// loop, to which its results matter, too. Memory comes from `arena`, that of the result as well;
// false: it is short.
bool sim_exits_find(sim_arena *arena, const sim_program *program, const sim_function *function,
                    uint32_t pc, bool called, sim_exits *out_exits);

#endif
