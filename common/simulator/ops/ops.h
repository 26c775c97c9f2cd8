// The operations' handlers as the modules above reach them: one table for each host variant, and
// binding, which puts a program's handlers in place.
#pragma once

#include "warps/block.h"

// ---- bind.c -------------------------------------------------------------------------------------

// The handler for an instruction of this operation; NULL when there is none for its type and
// modifiers.
typedef sim_exec_fn (*sim_bind_fn)(const sim_instr *instr);

// The executor's functions for one mode.
typedef struct sim_exec_table {
    sim_bind_fn bind[SIM_OP_COUNT]; // by sim_op; chooses the function that executes an instruction
    sim_warp_run_fn run_warp;       // runs a warp until it ends, waits or faults
    sim_exec_fn as_machine;         // loads and stores that the machine code has in another form
} sim_exec_table;

// NULL addresses of what this build was made without (SIM_VARIANTS in sim_modules.cmake).
extern const sim_exec_table sim_exec_table_base __attribute__((weak));
extern const sim_exec_table sim_exec_table_v3 __attribute__((weak));

// Chooses a handler for every instruction and finds its straight-line runs. Once per program,
// before it runs. SIM_UNSUPPORTED names an operation and type that no handler serves. Memory comes
// from the program's arena.
sim_status sim_program_bind(sim_program *program, kl_error *err);
// sim_program_bind with a given table, and the table that it uses on this host; NULL where this
// build has none that this host can run.
sim_status sim_program_bind_table(sim_program *program, const sim_exec_table *table, kl_error *err);
const sim_exec_table *sim_exec_table_for_host(void);
// Heeds what sim_machine_match has found of a function that is bound already.
void sim_bind_machine(sim_function *function);
// Gives memory instructions and branches handlers that note what they do (record/traces.h): last,
// and only where launches are to be recorded. SIM_OUT_OF_MEMORY.
sim_status sim_bind_probes(sim_program *program, kl_error *err);

#ifdef SIM_EXEC_VARIANT
sim_warp_stop SIM_VARIANT(sim_warp_run)(sim_warp *warp);
// Executes `run`, which starts at warp->pc and has no control instruction, for some lanes of the
// running split, and sets warp->pc behind it. After a fault only those lanes are running.
void SIM_VARIANT(sim_run_some)(sim_warp *warp, const sim_run *run, uint32_t lanes);
#endif

// ---- warp.c -------------------------------------------------------------------------------------

// The lane that a shuffle of `mode` (sim_shuffle) takes its value from; out of range the lane
// itself. c holds the segment mask (bits 8..12) and the clamp (0..4), which for .up is the lowest
// lane.
static inline __attribute__((always_inline)) int
sim_shuffle_source(uint8_t mode, int lane, uint32_t b, uint32_t c, bool *out_in_range) {
    int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31), by = (int)(b & 31), from;
    int lowest = lane & segment, limit = lowest | (clamp & ~segment);
    if (mode == SIM_SHFL_UP) from = lane - by;
    else if (mode == SIM_SHFL_DOWN) from = lane + by;
    else if (mode == SIM_SHFL_BFLY) from = lane ^ by;
    else from = lowest | (by & ~segment);
    *out_in_range = mode == SIM_SHFL_UP ? from >= limit : from <= limit;
    return *out_in_range ? from : lane;
}

// ---- matrix_product.c ---------------------------------------------------------------------------
// Products of small matrices as a tensor core computes them, on plain arrays (PTX ISA, "mma").
//
// As an H200 does it, to the bit (validation/operands/matrix_h200.txt). Integers: exact, in 32 bits
// that wrap, or saturate once at the end with .satfinite. Double: one fma after the other along k.
// The rest: the exact products of a step and the accumulator are aligned to the largest exponent
// among them, where a product's is the sum of its factors' whatever the product; cut to 26 bits
// there; added exactly; the sum is cut to 24 bits (towards zero) for f32, or rounded to nearest for
// f16. A step is the whole of k but for wmma of tf32, which has two, and for 8-bit floats, whose
// products come in two steps that start from zero; C is added to that as by add.rn.
// With a kind (sm_120a, not compared with a card): exact but for doubles, and rounded once.

enum { SIM_MATRIX_MAX_ELEMENTS = 4096 };

// Row-major arrays of raw elements: bits of the type in the low end.
typedef struct sim_matrix_values {
    uint64_t a[SIM_MATRIX_MAX_ELEMENTS], b[SIM_MATRIX_MAX_ELEMENTS]; // the factors
    uint64_t c[SIM_MATRIX_MAX_ELEMENTS], d[SIM_MATRIX_MAX_ELEMENTS]; // what is added, and the sum
    double factors_a[16][4], factors_b[8][4]; // .block_scale: of rows of A and columns of B
    uint8_t chosen[SIM_MATRIX_MAX_ELEMENTS]; // A is sparse: the row of B that an element of A meets
} sim_matrix_values;

// d = a * b + c. A sparse A is multiplied as a dense one of half as many columns.
void sim_matrix_multiply(const sim_matrix *matrix, sim_matrix_values *values);
