// SPDX-License-Identifier: MIT
// What the texts of faults are made of: fault.c has the parts, fault_stuck.c uses them, too.
#ifndef SIM_WARPS_FAULT_H
#define SIM_WARPS_FAULT_H

#include "warps/block.h"

// Code of the toolkit has no lines of its own (__trap, say): then the place is where the program
// called it.
typedef struct sim_code_place {
    const sim_function *function;
    const sim_instr *instr;
} sim_code_place;
sim_code_place sim_fault_place(const sim_frame *frame, const sim_instr *instr);
// "file.cu:12" or, without line information, "PTX line 40 of kernel".
const char *sim_fault_place_text(const sim_block *block, const sim_function *function,
                                 const sim_instr *instr, char *text, size_t bytes);
// The name of its source file; "": not known.
const char *sim_fault_file(const sim_block *block, const sim_location *location);
sim_dim3 sim_fault_thread(const sim_warp *warp, uint32_t lane);

// Fills the block's fault but for the text; false: it has one already.
bool sim_fault_begin(sim_block *block, sim_status kind, const sim_function *function,
                     const sim_instr *instr);
// What does not fit is left out from the last whole line on, or of one line from the last whole
// word on, and with it all that would follow.
void sim_fault_append(sim_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// "index 3 of argument 1 of the kernel, which has ..": what is at an address of `space`.
void sim_fault_describe(const sim_warp *warp, const sim_instr *instr, uint8_t space,
                        uint64_t address, uint32_t bytes, char *text, size_t text_bytes);

#endif
