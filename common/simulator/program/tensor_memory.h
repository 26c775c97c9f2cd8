// What the words of a tcgen05 instruction say (instr.h: TMEM to TMEM_CP), from the manual of
// PTX ISA 9.1, section 9.7.16.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What needs no operand of a product or a move.
typedef enum sim_tmem_op {
    SIM_TMEM_ALLOC,
    SIM_TMEM_DEALLOC,
    SIM_TMEM_RELINQUISH, // the right to allocate
    SIM_TMEM_COMMIT,     // an mbarrier follows the products of the thread
    SIM_TMEM_WAIT_LD,
    SIM_TMEM_WAIT_ST,
    SIM_TMEM_FENCE_BEFORE, // before_thread_sync
    SIM_TMEM_FENCE_AFTER
} sim_tmem_op;

// Shapes of tcgen05.ld and tcgen05.st: lanes of tensor memory, and bits of each.
typedef enum sim_tmem_shape {
    SIM_TMEM_32X32,
    SIM_TMEM_16X64,
    SIM_TMEM_16X128,
    SIM_TMEM_16X256,
    SIM_TMEM_16X32X2
} sim_tmem_shape;

// How tcgen05.ld and tcgen05.st move registers.
typedef struct sim_tmem_move {
    uint8_t shape;   // sim_tmem_shape
    bool halves;     // .pack::16b, .unpack::16b: a register holds 16 bits of each of two columns
    uint16_t second; // 16X32X2: columns from the first half to the second
    uint8_t reduced; // .red: ptx_type of what is reduced, each thread's registers to one; 0: none
    bool least;      // .min, else .max
    bool magnitudes; // .abs
    bool keeps_nan;  // .NaN
} sim_tmem_move;

// Kinds of tcgen05.mma; the instruction descriptor says which types they are.
typedef enum sim_tmem_kind {
    SIM_TMEM_F16, // half or bfloat16
    SIM_TMEM_TF32,
    SIM_TMEM_F8F6F4,
    SIM_TMEM_I8,
    SIM_TMEM_MXF8F6F4, // from here on with factors for each 16 or 32 elements along k
    SIM_TMEM_MXF4,
    SIM_TMEM_MXF4NVF4
} sim_tmem_kind;

// What the words of a tcgen05.mma, tcgen05.cp or tcgen05.shift say.
typedef struct sim_tmem_product {
    uint8_t kind;           // sim_tmem_kind
    uint8_t blocks;         // of .cta_group
    uint8_t scale;          // d is divided by 2^scale before it is added
    bool a_in_tmem;         // else in shared memory
    bool keeps_b;           // .ws: D lies otherwise, and columns of B can be zero
    bool sparse;            // half of A is stored, and metadata say where it belongs
    bool shifts;            // .ashift: row r of A is what lies in row r + 1, but for the last one
    uint8_t masks;          // of lanes of D, each of 32
    uint8_t zeros;          // the part of the list that is a zero-column mask descriptor; 0: none
    uint8_t factors;        // for each row of A and column of B: 1, 2, 4; 0: none
    uint32_t factors_at[2]; // displacements of their addresses, of A's and B's
    uint32_t metadata_at;   // displacement of the metadata's address
    uint8_t rows, columns;  // TMEM_CP: of 32 bits
    uint8_t packed;         // TMEM_CP: bits of elements that become bytes; 0: they stay as they are
    bool to_neighbours;     // TMEM_CP of 64 rows: to warps 0 and 1, 2 and 3; else 0 and 2, 1 and 3
} sim_tmem_product;
