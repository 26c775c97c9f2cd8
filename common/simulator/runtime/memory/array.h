// SPDX-License-Identifier: MIT
// CUDA arrays: device memory row by row with a shape and a texel format. Kernels reach them through
// texture and surface objects only.
#ifndef SIM_RUNTIME_MEMORY_ARRAY_H
#define SIM_RUNTIME_MEMORY_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/abi/functions.h"
struct cudaArray {
    uint64_t address; // of the engine
    uint64_t row_bytes, slice_bytes;
    size_t texel_bytes, rows, slices; // rows and slices are at least 1
    struct cudaChannelFormatDesc channels;
    struct cudaExtent extent; // as asked for
    unsigned flags;
};

// Bytes of a texel; 0 when there is no such format.
size_t runtime_texel_bytes(const struct cudaChannelFormatDesc *channels);
// The live array behind a handle, NULL when there is none.
struct cudaArray *runtime_array_find(cudaArray_const_t array);
cudaError_t runtime_array_create(cudaArray_t *out_array,
                                 const struct cudaChannelFormatDesc *channels,
                                 struct cudaExtent size, unsigned flags);
cudaError_t runtime_array_free(struct cudaArray *array);
void runtime_arrays_reset(void);

// A corner of an array, `x` in bytes. Texels lie row by row without gaps: an array is a box of
// memory.
void *runtime_array_corner(const struct cudaArray *array, size_t x, size_t y, size_t z);
// Whether the first slice has `height` rows of `width` bytes from there on.
bool runtime_array_holds(const struct cudaArray *array, size_t x, size_t y, size_t width,
                         size_t height);
// Whether [at, at + count) lies in [0, size).
bool runtime_is_inside(size_t at, size_t count, size_t size);

#endif
