// SPDX-License-Identifier: MIT
// Textures and surfaces: what an object describes, and the fetch as a function of it, of device
// memory and of coordinates (CUDA C++ Programming Guide, appendix "Texture Fetching"; PTX ISA 9.0,
// section 9.7.10). Knows nothing of warps, of counters or of the runtime API.
#ifndef SIM_MEMORY_TEXTURE_H
#define SIM_MEMORY_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum sim_address_mode { // as enum cudaTextureAddressMode
    SIM_ADDRESS_WRAP,
    SIM_ADDRESS_CLAMP,
    SIM_ADDRESS_MIRROR,
    SIM_ADDRESS_BORDER,
    SIM_ADDRESS_MODE_COUNT
} sim_address_mode;

typedef enum sim_channel_kind { // as enum cudaChannelFormatKind
    SIM_CHANNEL_SIGNED,
    SIM_CHANNEL_UNSIGNED,
    SIM_CHANNEL_FLOAT,
    SIM_CHANNEL_KIND_COUNT
} sim_channel_kind;

typedef enum sim_texture_layout {
    SIM_TEXTURE_BUFFER, // a row of memory: cudaResourceTypeLinear
    SIM_TEXTURE_PITCH,  // rows of memory
    SIM_TEXTURE_ARRAY   // an array; a device keeps it in tiles, here it lies row by row
} sim_texture_layout;

// One texture or surface. Texel (x, y, z) lies at address + z * slice_bytes + y * row_bytes +
// x * channels * channel_bits / 8.
typedef struct sim_texture_desc {
    uint64_t address, row_bytes, slice_bytes;
    uint32_t width, height, depth; // texels; height 0: one-dimensional; depth: slices or layers
    uint8_t layout;                // sim_texture_layout
    uint8_t channels, channel_bits, channel_kind;
    bool is_layered, is_surface;
    // How a texture is sampled; a surface is not.
    uint8_t address_mode[3]; // sim_address_mode, by axis
    bool is_linear;          // filtered, else the nearest texel
    bool is_normalized;      // coordinates run from 0 to 1
    bool to_float;           // 8- and 16-bit integers as fractions of their range
    bool is_srgb;
    float border[4];
} sim_texture_desc;

// How a PTX instruction addresses: its .geom.
typedef enum sim_geometry {
    SIM_GEOMETRY_1D,
    SIM_GEOMETRY_2D,
    SIM_GEOMETRY_3D,
    SIM_GEOMETRY_A1D, // layers
    SIM_GEOMETRY_A2D
} sim_geometry;

// Axes along which `geometry` has coordinates, layers aside.
static inline uint32_t sim_geometry_axes(sim_geometry geometry) {
    return geometry == SIM_GEOMETRY_3D                                   ? 3
           : geometry == SIM_GEOMETRY_2D || geometry == SIM_GEOMETRY_A2D ? 2
                                                                         : 1;
}
static inline bool sim_geometry_has_layers(sim_geometry geometry) {
    return geometry >= SIM_GEOMETRY_A1D;
}

enum { SIM_TEXTURE_MAX_TEXELS = 8 };

// Coordinates of one fetch, and the texels that it read.
typedef struct sim_texture_point {
    sim_geometry geometry;
    bool is_integer;
    float at[3];
    int32_t index[3];
    uint32_t layer; // clamped to the layers there are
    // Filled by a fetch: places of the texels read, as byte, row and slice.
    uint32_t texel_count;
    struct {
        uint32_t byte, row, slice;
    } texels[SIM_TEXTURE_MAX_TEXELS];
} sim_texture_point;

static inline uint32_t sim_texel_bytes(const sim_texture_desc *texture) {
    return (uint32_t)texture->channels * texture->channel_bits / 8;
}
// From the first byte to behind the last one.
uint64_t sim_texture_bytes(const sim_texture_desc *texture);
// Whether a description makes sense in itself: sizes, formats, no overflow.
sim_status sim_texture_check(const sim_texture_desc *texture, sim_error *error);

// `memory`: host address of byte 0. Out: what the four registers hold.
void sim_texture_fetch(const sim_texture_desc *texture, const uint8_t *memory,
                       sim_texture_point *point, uint32_t out[4]);
// The four texels that a linear fetch would weigh, `component` of each: in the order of tld4.
void sim_texture_gather(const sim_texture_desc *texture, const uint8_t *memory,
                        sim_texture_point *point, uint32_t component, uint32_t out[4]);

typedef enum sim_surface_clamp { // outside: stop, use the nearest place inside, or ignore
    SIM_SURFACE_TRAP,
    SIM_SURFACE_CLAMP,
    SIM_SURFACE_ZERO
} sim_surface_clamp;

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
    struct sim_texture_slot {
        bool is_live;
        sim_texture_desc desc;
    } * slots;
    uint32_t count, capacity;
} sim_texture_table;

sim_status sim_texture_add(sim_texture_table *table, const sim_texture_desc *texture,
                           uint64_t *out_handle, sim_error *error);
sim_status sim_texture_remove(sim_texture_table *table, uint64_t handle, sim_error *error);
// NULL when the handle names no live object.
const sim_texture_desc *sim_texture_find(const sim_texture_table *table, uint64_t handle);
void sim_texture_table_free(sim_texture_table *table);

#endif
