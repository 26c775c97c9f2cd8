// SPDX-License-Identifier: MIT
// What a machine instruction of compute capability 9.0 is, as far as its operation code tells:
// name, width of an access, predicate. Operands are not decoded: that is nvdisasm's business.
#ifndef SIM_IMAGE_MACHINE_OPCODE_H
#define SIM_IMAGE_MACHINE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_MACHINE_BYTES = 16, SIM_MACHINE_ALWAYS = 7 }; // of an instruction; predicate register PT

// What is known of an instruction.
typedef struct sim_machine_opcode {
    const char *name;  // "LDG"; NULL: not in the table
    const char *text;  // what it does
    uint32_t code;     // the low 12 bits
    uint32_t bits;     // an access moves for each thread; 0: it is none
    uint8_t predicate; // register that decides whether it acts; SIM_MACHINE_ALWAYS: it always does
    bool negated;      // it acts where the predicate is false
} sim_machine_opcode;

// words: the bits of the instruction, the low half first. Never fails: name is NULL for an
// operation that the table does not have.
sim_machine_opcode sim_machine_opcode_of(const uint64_t words[2]);

#endif
