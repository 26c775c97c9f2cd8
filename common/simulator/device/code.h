// SPDX-License-Identifier: MIT
// The code of a launch's kernel as data: its PTX, instruction by instruction with what each did,
// and the machine code that ptxas made of it. engine/code.c makes it.
#ifndef SIM_DEVICE_CODE_H
#define SIM_DEVICE_CODE_H

#include <stddef.h>
#include <stdint.h>

enum { SIM_CODE_NONE = -1 };

// An instruction of the PTX, of the kernel or of a function that it called.
typedef struct sim_code_instr {
    uint32_t file, line; // the user's: index into the report's files; line 0: not known
    uint32_t text;       // offset in sim_code.text
    uint64_t executed;   // warps
    uint64_t on;         // threads, active and predicated on
} sim_code_instr;

// A machine instruction of 128 bits.
typedef struct sim_code_machine {
    uint64_t words[2]; // its bits, the low half first
    int32_t instr;     // index of the PTX instruction that it was made of, SIM_CODE_NONE: not known
} sim_code_machine;

// The code of one kernel.
typedef struct sim_code {
    uint32_t instr_count;      // of instrs
    sim_code_instr *instrs;    // in order of the text; those that were not executed too
    char *text;                // each instruction terminated
    uint32_t text_bytes;       // of text, terminators included
    uint32_t architecture;     // of the machine code, 90; 0: none that belongs to this PTX
    uint32_t machine_count;    // of machine
    sim_code_machine *machine; // in order of their addresses; NULL: none
} sim_code;

void sim_code_free(sim_code *code); // accepts NULL

// A copy; NULL without memory.
sim_code *sim_code_copy(const sim_code *code);

#endif
