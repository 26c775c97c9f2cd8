// SPDX-License-Identifier: MIT
// Hashes of what the steps give, to compare devices bit by bit (docs/validation.md): with
// LADDER_OUTPUT_HASHES=FILE each compared output adds a line to that file,
// "LAB CASE SIZE STEP OUTPUT HASH". Step -1 is the vendor's library.
#ifndef KL_OUTPUT_HASH_H
#define KL_OUTPUT_HASH_H

#include "problem.h"

// Notes the outputs of one call; does nothing without the variable. A file that cannot be written
// is left alone. h_outputs: [shape->output_count], of output_bytes[i] bytes each.
void kl_output_hash_note(const kl_problem *problem, const kl_case *shape, int step,
                         void *const *h_outputs, const uint64_t *output_bytes);

#endif
