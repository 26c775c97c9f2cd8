// SPDX-License-Identifier: MIT
// Texture and surface objects.
#ifndef SIM_RUNTIME_MEMORY_TEXTURE_H
#define SIM_RUNTIME_MEMORY_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/abi/functions.h"
#define RUNTIME_TEXTURE_LINEAR_BYTES (UINT64_C(1) << 32) // that a linear texture reaches

typedef struct runtime_texture {
    uint64_t handle;
    bool is_surface;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
} runtime_texture;

// NULL: no live object has this handle.
runtime_texture *runtime_texture_find(uint64_t handle, bool surface);
cudaError_t runtime_texture_create(uint64_t *out_handle, const struct cudaResourceDesc *resource,
                                   const struct cudaTextureDesc *desc,
                                   const struct cudaResourceViewDesc *view);
cudaError_t runtime_surface_create(uint64_t *out_handle, const struct cudaResourceDesc *resource);
void runtime_texture_destroy(runtime_texture *texture);
void runtime_textures_reset(void);

#endif
