// SPDX-License-Identifier: MIT
// What ptxas made of a kernel's loads, stores and atomics: machine instructions matched to the PTX
// ones they came from, by the line table of the cubin. Sets sim_instr.machine, from which the
// executor counts accesses as the hardware executes them. Right or absent: where an access is not
// accounted for exactly it is marked as different, and where the machine code does not belong to
// this PTX nothing is marked.
//
// Worked example: PTX loads [r], [r+4], [r+8], [r+12] on lines 91, 94, 97, 100; the machine code
// has one shared load of 16 bytes, of line 94, and none of the others. Four accesses in a row
// without a gap, of one register, and as wide together as the one there is: it does the work of all
// four. Local memory of a kernel whose machine code has no stack frame lies in registers.
#ifndef SIM_MACHINE_MATCH_H
#define SIM_MACHINE_MATCH_H

#include "base/base.h"
#include "image/image.h"
#include "program/ir.h"

// `kernel` is of `cubin` and of the same name as `function`, compiled from the PTX it was decoded
// from. Where it belongs to the PTX, its instructions are listed, too, in the arena.
void sim_machine_match(sim_arena *arena, sim_function *function, sim_cubin *cubin,
                       const sim_cubin_kernel *kernel);

// The first part of it, with the lines of the PTX that the kernel's code belongs to, ascending by
// offset. Returns whether it does belong to the PTX.
bool sim_machine_match_lines(sim_function *function, const sim_cubin_kernel *kernel,
                             const sim_cubin_line *lines, uint32_t line_count);

// The second part: sets function->machine and machine_jumps, the machine instructions with the PTX
// ones that they came from. What lies behind the jump to itself that ends a kernel's code is left
// out.
void sim_machine_list(sim_arena *arena, sim_function *function, const sim_cubin_kernel *kernel,
                      const sim_cubin_line *lines, uint32_t line_count);

#endif
