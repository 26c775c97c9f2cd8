// SPDX-License-Identifier: MIT
// Rows of bytes: copied between any two places, or filled. At once, whatever stream asked.
#ifndef SIM_RUNTIME_MEMORY_COPY_H
#define SIM_RUNTIME_MEMORY_COPY_H

#include <stdint.h>

#include "runtime/abi/functions.h"
#include "runtime/base/clock.h"

typedef struct runtime_rows {
    void *to;
    const void *from;              // of a copy
    uint64_t to_pitch, from_pitch; // bytes from row to row
    uint64_t bytes, count;         // of a row; rows
} runtime_rows;

// `kind` as in cudaMemcpy. Fills out_transfer with what a device would have moved, in one go.
cudaError_t runtime_copy_rows(const runtime_rows *rows, enum cudaMemcpyKind kind,
                              runtime_transfer *out_transfer);
// With elements of 1, 2 or 4 bytes.
cudaError_t runtime_fill_rows(const runtime_rows *rows, uint32_t value, uint32_t element_bytes);
// Whether memory from `destination` on can be filled, or copied to and from.
cudaError_t runtime_fill_check(void *destination, uint64_t bytes);
cudaError_t runtime_copy_check(void *destination, const void *source, uint64_t bytes,
                               enum cudaMemcpyKind kind);
// Direction and memory of a copy that has not been checked yet; not its bytes.
void runtime_copy_look(const void *to, const void *from, runtime_transfer *out_transfer);

#endif
