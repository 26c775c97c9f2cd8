// SPDX-License-Identifier: MIT
// Attributes of kernels, and how many blocks of one fit on a multiprocessor.
#ifndef SIM_RUNTIME_CODE_FUNCTION_H
#define SIM_RUNTIME_CODE_FUNCTION_H

#include <stddef.h>

#include "runtime/code/module.h"

cudaError_t runtime_function_set(const void *function, enum cudaFuncAttribute attribute, int value);
// Blocks of so many threads that a multiprocessor holds at once; 0 for a block that cannot be
// launched.
cudaError_t runtime_blocks_per_sm(const void *function, int threads, size_t dynamic_bytes,
                                  int *out_blocks);
// Dynamic shared memory that each of so many blocks on a multiprocessor can have.
cudaError_t runtime_dynamic_bytes(const void *function, int blocks, int threads, size_t *out_bytes);

#endif
