// SPDX-License-Identifier: MIT
// Textures and surfaces: the fetch as a function of an object's description, of device memory and
// of coordinates (CUDA C++ Programming Guide, appendix "Texture Fetching"; PTX ISA 9.0, section
// 9.7.10). Knows nothing of warps, of counters or of the runtime API.
#ifndef SIM_MEMORY_TEXTURE_H
#define SIM_MEMORY_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "device/texture_object.h"

enum { SIM_TEXTURE_MAX_TEXELS = 8 };

// Coordinates of one fetch, and the texels that it read.
typedef struct sim_texture_point {
    sim_geometry geometry; // of the instruction
    bool is_integer;       // the coordinates are `index`, not `at`
    float at[3];           // coordinates of a texture, by axis
    int32_t index[3];      // coordinates of a surface, or of texels, by axis
    uint32_t layer;        // clamped to the layers there are
    // Filled by a fetch: places of the texels read, as byte, row and slice.
    uint32_t texel_count;
    struct {
        uint32_t byte, row, slice;
    } texels[SIM_TEXTURE_MAX_TEXELS];
} sim_texture_point;

// From the first byte to the last one.
uint64_t sim_texture_bytes(const sim_texture_desc *texture);
// Whether a description makes sense in itself: sizes, formats, no overflow.
sim_status sim_texture_check(const sim_texture_desc *texture, kl_error *err);

// `memory`: host address of byte 0. Out: what the four registers hold.
void sim_texture_fetch(const sim_texture_desc *texture, const uint8_t *memory,
                       sim_texture_point *point, uint32_t out[4]);
// The four texels that a linear fetch would weigh, `component` of each: in the order of tld4.
void sim_texture_gather(const sim_texture_desc *texture, const uint8_t *memory,
                        sim_texture_point *point, uint32_t component, uint32_t out[4]);

// Where an access of `bytes` at byte x of row y of slice z lies, from the surface's start.
// SIM_OUTSIDE: nowhere; with SIM_SURFACE_CLAMP the nearest place inside.
#define SIM_OUTSIDE UINT64_MAX
uint64_t sim_surface_place(const sim_texture_desc *surface, sim_surface_clamp clamp,
                           sim_texture_point *point, uint32_t bytes);
// sust.p: four registers as a texel of the surface's format.
void sim_surface_pack(const sim_texture_desc *surface, const uint32_t values[4],
                      uint8_t out_texel[16]);

// The objects of a device. Handles are what kernels hold; 0 is none.
typedef struct sim_texture_table {
    // One object; a handle leads to it.
    struct sim_texture_slot {
        bool is_live;          // created and not destroyed
        sim_texture_desc desc; // copied
    } * slots;                 // [count], by handle
    uint32_t count, capacity;  // of `slots`: used, and allocated
} sim_texture_table;

// Keeps a copy of a checked description (sim_texture_check). SIM_OUT_OF_MEMORY also at the largest
// number of objects.
sim_status sim_texture_add(sim_texture_table *table, const sim_texture_desc *texture,
                           uint64_t *out_handle, kl_error *err);
// Ends the handle. SIM_INVALID_HANDLE when it names no live object.
sim_status sim_texture_remove(sim_texture_table *table, uint64_t handle, kl_error *err);
// NULL when the handle names no live object.
const sim_texture_desc *sim_texture_find(const sim_texture_table *table, uint64_t handle);
void sim_texture_table_free(sim_texture_table *table);

#endif
