// SPDX-License-Identifier: MIT
// What a texture or surface object describes (CUDA C++ Programming Guide, "Texture and Surface
// Memory"), as the engine is given it, and how PTX instructions address one. memory/texture.h
// fetches.
#ifndef SIM_DEVICE_TEXTURE_OBJECT_H
#define SIM_DEVICE_TEXTURE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

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

// How the texels lie in device memory.
typedef enum sim_texture_layout {
    SIM_TEXTURE_BUFFER, // a row of memory: cudaResourceTypeLinear
    SIM_TEXTURE_PITCH,  // rows of memory
    SIM_TEXTURE_ARRAY   // an array; a device keeps it in tiles, here it lies row by row
} sim_texture_layout;

// One texture or surface. Texel (x, y, z) lies at address + z * slice_bytes + y * row_bytes +
// x * channels * channel_bits / 8.
typedef struct sim_texture_desc {
    uint64_t address, row_bytes, slice_bytes; // of texel (0, 0, 0) on the device, and from one
                                              // row or slice to the next
    uint32_t width, height, depth; // texels; height 0: one-dimensional; depth: slices or layers
    uint8_t layout;                // sim_texture_layout
    uint8_t channels, channel_bits, channel_kind; // of a texel: 1, 2 or 4 of 8, 16 or 32 bits, of
                                                  // a sim_channel_kind
    bool is_layered, is_surface;                  // depth is a number of layers; kernels may write
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

typedef enum sim_surface_clamp { // outside: stop, use the nearest place inside, or ignore
    SIM_SURFACE_TRAP,
    SIM_SURFACE_CLAMP,
    SIM_SURFACE_ZERO
} sim_surface_clamp;

static inline uint32_t sim_texel_bytes(const sim_texture_desc *texture) {
    return (uint32_t)texture->channels * texture->channel_bits / 8;
}

#endif
