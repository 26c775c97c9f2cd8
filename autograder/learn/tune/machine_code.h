// SPDX-License-Identifier: MIT
// What the machine code of a shared object tells before it runs: registers, spills, shared memory,
// and of its busiest loop the mix of instructions and the multiply-adds that wait for a register
// bank.
#ifndef LADDER_TUNE_MACHINE_CODE_H
#define LADDER_TUNE_MACHINE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

// What was read of the machine code.
typedef struct ladder_machine_code {
    int registers;    // a thread; the most of all kernels, as are the next two
    int spill_bytes;  // a thread: stores and loads
    int shared_bytes; // static, per block
    // of the loop with the most multiply-adds (FFMA); 0: no such loop, or a kernel of an
    // architecture whose encoding is not known here
    int loop_instructions;
    int loop_products; // multiply-adds in it
    double bank_share; // of them: that read two fresh registers of one bank; NaN without a loop
} ladder_machine_code;

// Registers are in two banks, by the parity of their numbers (Volta to Hopper; Jia et al.,
// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2). A fresh
// register is one that the instruction before did not leave in the operand's reuse cache.
// KL_ERROR_INPUT when the file has no machine code or is damaged.
kl_status ladder_machine_code_read(const char *path, uint32_t architecture,
                                   ladder_machine_code *out_code, kl_error *err);

// The loop figures of one kernel's code: 16 bytes per instruction. For tests.
void ladder_machine_code_loop(const uint8_t *code, size_t bytes, ladder_machine_code *out_code);

#endif
