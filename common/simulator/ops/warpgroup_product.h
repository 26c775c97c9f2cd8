// SPDX-License-Identifier: MIT
// The product of a warp's share of wgmma: 16 rows of A by B, added to the warp's accumulators.
//
// As an H200 does it, to the bit (validation/operands/warpgroup_h200.txt). The exact products
// of all of k and the accumulator are aligned to the largest exponent among them, where a
// product's is the sum of its factors'; cut there behind 25 bits of fraction, for 8-bit floats
// 13; and added exactly. The sum is cut (towards zero) to 24 bits, for 8-bit floats 14, or
// rounded to nearest for f16. Integers are exact, in 32 bits that wrap, or saturate once at the
// end with .satfinite.
#ifndef SIM_OPS_WARPGROUP_PRODUCT_H
#define SIM_OPS_WARPGROUP_PRODUCT_H

#include "ops/warpgroup_tile.h"

enum { SIM_WARPGROUP_REGISTERS = SIM_TILE_COLUMNS / 2 }; // accumulators of a lane at most

// a: its sign says whether the product is subtracted. registers:
// [matrix->registers[SIM_MATRIX_D]][32 lanes], read when `adds`, and written.
void SIM_VARIANT(sim_warpgroup_multiply)(const sim_matrix *matrix, const sim_tile *a,
                                         const sim_tile *b, uint32_t *const *registers, bool adds);

#endif
