// SPDX-License-Identifier: MIT
// CUDA arrays in the drop-in runtime: device memory row by row with a shape and a texel format.
// Kernels reach them through texture and surface objects only. Private to runtime_array*.c and
// runtime_texture.c.
#ifndef SIM_RUNTIME_MEMORY_ARRAY_H
#define SIM_RUNTIME_MEMORY_ARRAY_H

#include "runtime/runtime.h"

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

#endif
