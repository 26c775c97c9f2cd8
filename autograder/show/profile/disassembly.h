// SPDX-License-Identifier: MIT
// The text of machine instructions, by NVIDIA's nvdisasm where this machine has it: the kit's own
// decoder (image/machine_opcode.h) stops at the operation code.
#ifndef LADDER_PROFILE_DISASSEMBLY_H
#define LADDER_PROFILE_DISASSEMBLY_H

#include <stdbool.h>

#include "device/code.h"

// The text of a function's instructions.
typedef struct ladder_disassembly {
    char *text;         // what nvdisasm wrote, cut into lines
    const char **lines; // [machine_count]: "LDG.E R2, desc[UR4][R2.64]"; NULL: it has none
} ladder_disassembly;

// The nvdisasm of PATH, else the one beside the kit's nvcc; out: [LADDER_PATH]. False: there is
// none.
bool ladder_disassembler_find(char *out);

// False when there is no nvdisasm or it does not know this code; then there is nothing to free.
bool ladder_disassemble(const sim_code *code, ladder_disassembly *out_disassembly);
void ladder_disassembly_free(ladder_disassembly *disassembly);

#endif
