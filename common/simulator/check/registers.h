// SPDX-License-Identifier: MIT
// Registers of products of warp groups (wgmma): PTX ISA 9.0, "Asynchronous wgmma" and
// "wgmma.fence". Accumulators belong to the product until its wait, parts of A may be read until
// then, and what a thread has written is the product's only behind a fence.
#ifndef SIM_CHECK_REGISTERS_H
#define SIM_CHECK_REGISTERS_H

#include "check/internal.h"

// Before an instruction of a warp of the current block, of a kernel with products.
void check_registers_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr);
// Another block begins; and its memory goes.
void check_registers_begin(check_block *block);
void check_registers_free(check_block *block);

#endif
