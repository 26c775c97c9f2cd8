// SPDX-License-Identifier: MIT
// Reader of cubins: the ELF64 files of machine code that ptxas writes. Gives what PTX does not
// tell: registers, static shared memory, stack, barriers, spills, the code itself, and which source
// and PTX line each instruction came from. NVIDIA publishes neither sections nor attributes: they
// are as observed in files of ptxas 13.0 (cuobjdump -elf shows them). Cubins are hostile input:
// nothing is trusted. Must not decode instructions, but for the width of a spill (cubin_info.c).
#ifndef SIM_IMAGE_CUBIN_H
#define SIM_IMAGE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

// An opened cubin; opaque.
typedef struct sim_cubin sim_cubin;

// Where a kernel parameter lies: `offset` from the first one.
typedef struct sim_cubin_param {
    uint32_t offset, size_bytes; // in the parameter block
} sim_cubin_param;

// One kernel, or (in relocatable cubins) one device function.
typedef struct sim_cubin_kernel {
    const char *name;       // mangled
    bool is_entry;          // false: a device function
    uint32_t registers;     // a thread; 0: the cubin does not say
    uint32_t max_registers; // what launch bounds or .maxnreg allow; 0: no limit given
    uint32_t shared_bytes;  // static, per block, without the 1 KiB that sm_90 reserves
    uint32_t frame_bytes;   // stack frame, per thread
    uint32_t stack_bytes;  // frame and those of its callees; the frame alone when that is not known
    bool is_stack_unknown; // recursion or calls through pointers: ptxas gives no bound
    uint32_t barriers;     // named barriers that it uses: highest number plus one
    uint32_t param_bytes;  // all parameters
    uint32_t max_threads[3];      // .maxntid or __launch_bounds__; 0: not given
    uint32_t required_threads[3]; // .reqntid; 0: not given
    uint32_t spill_store_bytes,   // as ptxas -v prints: width of each spill instruction, per thread
        spill_load_bytes;         // as ptxas -v prints: width of each spill instruction, per thread
    bool marks_spills; // false: of a toolkit before 13, which does not tell spills from other
                       // accesses to local memory; all of them count above, and `spills` is empty
    const sim_cubin_param *params; // in order
    uint32_t param_count;          // of `params`
    const uint32_t *spills;        // offsets of the spill instructions in the code, ascending
    uint32_t spill_count;          // of `spills`
    const uint8_t *code; // .text.<name>: 16 bytes per instruction, local functions included
    size_t code_bytes;   // of `code`
} sim_cubin_kernel;

// From `offset` on, up to the next row, instructions belong to `line` of the PTX text.
typedef struct sim_cubin_line {
    uint32_t offset; // bytes from the beginning of the code
    uint32_t line;   // from 1
} sim_cubin_line;

// Reads the headers of image[0..bytes), which must outlive the result.
sim_status sim_cubin_open(const void *image, size_t bytes, sim_cubin **out_cubin, kl_error *err);
void sim_cubin_close(sim_cubin *cubin); // accepts NULL

uint32_t sim_cubin_arch(const sim_cubin *cubin); // 90

// Kernels of the cubin; functions that are only called are none.
uint32_t sim_cubin_kernel_count(const sim_cubin *cubin);
// In order of name; NULL when `index` is not below the count.
const sim_cubin_kernel *sim_cubin_kernel_get(const sim_cubin *cubin, uint32_t index);
// By mangled name; NULL when there is none.
const sim_cubin_kernel *sim_cubin_find(const sim_cubin *cubin, const char *name);

// Lines of the PTX text that was compiled (the text beside the cubin in its fat binary: same line
// numbers) of a kernel's code, ascending by offset; of rows with one offset the last counts. Zero
// rows when compiled without -lineinfo. The rows live as long as the cubin.
sim_status sim_cubin_ptx_lines(sim_cubin *cubin, const char *kernel,
                               const sim_cubin_line **out_lines, uint32_t *out_count,
                               kl_error *err);
// The row that `offset` belongs to: the last one at or before it. NULL when there is none.
const sim_cubin_line *sim_cubin_line_at(const sim_cubin_line *lines, uint32_t count,
                                        uint32_t offset);

#endif
