// Parts of the operations that several files have in common.
#pragma once

#include "ops/ops.h"

// ---- families -----------------------------------------------------------------------------------
// Families of handlers by operand type: add, min, setp .. exist for integers, floats and halves,
// each in its own file. table.c asks the family of an instruction's type.

// NULL when the family has no such operation.
sim_exec_fn SIM_VARIANT(sim_bind_integer)(const sim_instr *instr);
sim_exec_fn SIM_VARIANT(sim_bind_f32)(const sim_instr *instr);
sim_exec_fn SIM_VARIANT(sim_bind_f64)(const sim_instr *instr);
sim_exec_fn SIM_VARIANT(sim_bind_half)(const sim_instr *instr); // f16, f16x2, bf16, bf16x2

// ---- warpgroup_tile.c ---------------------------------------------------------------------------
// Operands of wgmma as the product wants them, and where their bytes lie in shared memory (PTX ISA
// 9.0, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"; the addresses were measured on
// an H200). A row of an operand has 32 bytes along k whatever the type.

enum {
    SIM_TILE_ROWS = 16,     // of A that a warp multiplies
    SIM_TILE_COLUMNS = 256, // of B at most
    SIM_TILE_PITCH = 272,   // so that one column's numbers lie in different sets of a cache
    SIM_TILE_K = 32,        // at most
    SIM_TILE_BYTES = SIM_TILE_COLUMNS * 32,
    SIM_CHUNK_BYTES = 16,     // that lie side by side in every layout
    SIM_NO_EXPONENT = -15000, // twice that still fits 16 bits
};

// A matrix descriptor.
typedef struct sim_descriptor {
    uint32_t start, leading, stride; // bytes
    uint32_t base_offset;            // of a pattern that does not start at its own size
    uint32_t width;                  // of the swizzle in bytes: 16, which is none, 32, 64, 128
} sim_descriptor;

static inline sim_descriptor sim_descriptor_of(uint64_t bits) {
    static const uint8_t widths[] = {16, 128, 64, 32};
    return (sim_descriptor){.start = (uint32_t)(bits & 0x3FFF) << 4,
                            .leading = (uint32_t)(bits >> 16 & 0x3FFF) << 4,
                            .stride = (uint32_t)(bits >> 32 & 0x3FFF) << 4,
                            .base_offset = (uint32_t)(bits >> 49 & 7),
                            .width = widths[bits >> 62]};
}

// Where the chunk of `row` at byte `along` of k lies, of an operand whose rows lie along k.
static inline uint32_t sim_chunk_along_k(const sim_descriptor *d, uint32_t row, uint32_t along) {
    uint32_t of_eight = row / 8 * d->stride;
    if (d->width == SIM_CHUNK_BYTES)
        return of_eight + along / SIM_CHUNK_BYTES * d->leading + row % 8 * SIM_CHUNK_BYTES;
    return of_eight + row % 8 * d->width + along;
}

// Where the chunk of rows from `row` on at `k` lies, of a transposed operand of 16-bit elements.
static inline uint32_t sim_chunk_along_rows(const sim_descriptor *d, uint32_t row, uint32_t k) {
    uint32_t wide = d->width / 2; // rows that lie side by side
    if (d->width == SIM_CHUNK_BYTES)
        return row / 8 * d->stride + k / 8 * d->leading + k % 8 * SIM_CHUNK_BYTES;
    return row / wide * d->leading + k / 8 * d->stride + k % 8 * d->width + row % wide * 2;
}

// The shared address of what lies `offset` bytes behind the start.
static inline uint32_t sim_swizzled(const sim_descriptor *d, uint32_t offset) {
    uint32_t address = d->start + offset;
    return address ^ (((address >> 7) - d->base_offset) & (d->width / SIM_CHUNK_BYTES - 1)) << 4;
}

// One operand, by k and row (A's rows, B's columns): values of floats with their exponents, those
// of subnormal numbers the smallest one, zero SIM_NO_EXPONENT; integers in `exponent`.
typedef struct sim_tile {
    _Alignas(64) float value[SIM_TILE_K][SIM_TILE_PITCH];
    _Alignas(64) int16_t exponent[SIM_TILE_K][SIM_TILE_PITCH];
    // Rows with a number that the quick sum does not take: an infinity, a NaN, or one that is very
    // large or small.
    _Alignas(16) uint8_t odd[SIM_TILE_COLUMNS];
} sim_tile;

// From `rows` rows, a multiple of 8, as gathered: [row][32 bytes], or transposed [16][rows]
// elements of 16 bits. Of each eight columns of B, the even ones come first in the tile, as they
// lie in the registers of an accumulator.
void SIM_VARIANT(sim_tile_read)(sim_element element, uint32_t rows, bool of_b, bool transposed,
                                const uint8_t *bytes, sim_tile *out);
// Changes the sign of the first `rows` rows of floats.
void SIM_VARIANT(sim_tile_negate)(uint32_t rows, sim_tile *tile);

// ---- warpgroup_product.c ------------------------------------------------------------------------
// The product of a warp's share of wgmma: 16 rows of A by B, added to the warp's accumulators.
//
// As an H200 does it, to the bit (validation/operands/warpgroup_h200.txt). The exact products
// of all of k and the accumulator are aligned to the largest exponent among them, where a
// product's is the sum of its factors'; cut there behind 25 bits of fraction, for 8-bit floats
// 13; and added exactly. The sum is cut (towards zero) to 24 bits, for 8-bit floats 14, or
// rounded to nearest for f16. Integers are exact, in 32 bits that wrap, or saturate once at the
// end with .satfinite.

enum { SIM_WARPGROUP_REGISTERS = SIM_TILE_COLUMNS / 2 }; // accumulators of a lane at most

// a: its sign says whether the product is subtracted. registers:
// [matrix->registers[SIM_MATRIX_D]][32 lanes], read when `adds`, and written.
void SIM_VARIANT(sim_warpgroup_multiply)(const sim_matrix *matrix, const sim_tile *a,
                                         const sim_tile *b, uint32_t *const *registers, bool adds);

// ---- matrix_half.c ------------------------------------------------------------------------------
// The fast way for products of 16-bit floats with sums in float: mma.m16n8k16 and wmma.m16n16k16.

// Whether sim_matrix_halves knows this shape and these types.
bool SIM_VARIANT(sim_matrix_serves)(const sim_matrix *matrix);
// D = A B + C by all lanes. slots: of the registers of D, A, B and C, one after the other.
void SIM_VARIANT(sim_matrix_halves)(sim_warp *warp, const sim_matrix *matrix,
                                    const uint32_t *slots);

// ---- tensor_memory.c ----------------------------------------------------------------------------

// Whether block `of` has allocated `count` columns of tensor memory from `column` on; false: the
// warp has faulted.
bool SIM_VARIANT(sim_tmem_check)(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                                 const sim_block *of, uint32_t column, uint32_t count);
