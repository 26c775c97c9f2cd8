// SPDX-License-Identifier: MIT
// The fast way for products of 16-bit floats with sums in float: mma.m16n8k16 and wmma.m16n16k16.
#ifndef SIM_OPS_MATRIX_HALF_H
#define SIM_OPS_MATRIX_HALF_H

#include "base/variant.h"
#include "warps/block.h"

// Whether sim_matrix_halves knows this shape and these types.
bool SIM_VARIANT(sim_matrix_serves)(const sim_matrix *matrix);
// D = A B + C by all lanes. slots: of the registers of D, A, B and C, one after the other.
void SIM_VARIANT(sim_matrix_halves)(sim_warp *warp, const sim_matrix *matrix,
                                    const uint32_t *slots);

#endif
