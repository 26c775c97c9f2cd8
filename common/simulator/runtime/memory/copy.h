// SPDX-License-Identifier: MIT
// Bytes in a row: copied between any two places, or filled. At once, whatever stream asked.
#ifndef SIM_RUNTIME_MEMORY_COPY_H
#define SIM_RUNTIME_MEMORY_COPY_H

#include <stdint.h>

#include <cuda_runtime_api.h>

#include "runtime/base/clock.h"

// `kind` as in cudaMemcpy. Fills out_transfer with what a device would have moved.
cudaError_t runtime_copy(void *destination, const void *source, uint64_t bytes,
                         enum cudaMemcpyKind kind, runtime_transfer *out_transfer);
cudaError_t runtime_fill(void *destination, uint32_t value, uint32_t element_bytes, uint64_t count);
// Whether memory from `destination` on can be filled, or copied to and from.
cudaError_t runtime_fill_check(void *destination, uint64_t bytes);
cudaError_t runtime_copy_check(void *destination, const void *source, uint64_t bytes,
                               enum cudaMemcpyKind kind);

#endif
