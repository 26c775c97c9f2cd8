// Machine code of compute capability 9.0 as ptxas 13.0 writes it: what list.c and paths.c read.
#pragma once

#include "image/image.h"
#include <string.h>

// Operation codes, as in image/machine_opcodes.def.
enum {
    MACHINE_OPCODE_BITS = 0x1FF,
    MACHINE_NOP = 0x118,
    MACHINE_CALL = 0x144,
    MACHINE_BRA = 0x147
};

// The first word of instruction `index`: code, predicate, operands.
static inline uint64_t machine_word(const sim_cubin_kernel *kernel, size_t index) {
    uint64_t word;
    memcpy(&word, kernel->code + index * SIM_MACHINE_BYTES, sizeof word);
    return word;
}

// The second word. Bit 27 of a branch says that warps take it whose lanes are not together; bits
// 41 .. 44 are the stall, 46 .. 48 the scoreboard of the result (7: none), 52 .. 57 those that are
// waited for.
static inline uint64_t machine_control(const sim_cubin_kernel *kernel, size_t index) {
    uint64_t word;
    memcpy(&word, kernel->code + index * SIM_MACHINE_BYTES + sizeof word, sizeof word);
    return word;
}

// Index of the instruction that a branch at `index` leads to. Bits 34 .. 63 and behind them
// 16 .. 23 of its first word are the distance from the instruction behind it, in units of 4 bytes.
static inline int64_t machine_target(uint64_t word, size_t index) {
    enum { UNIT_BYTES = 4 };
    int64_t units = (int64_t)((int32_t)(word >> 32) >> 2) * 256 + (int64_t)(word >> 16 & 0xFF);
    return (int64_t)index + 1 + units / (SIM_MACHINE_BYTES / UNIT_BYTES);
}
