// What programs describe memory by: texture and surface objects, tensor maps.
#pragma once

#include "base/base.h"

// ---- texture object -----------------------------------------------------------------------------
// What a texture or surface object describes (CUDA C++ Programming Guide, "Texture and Surface
// Memory"), as the engine is given it, and how PTX instructions address one. memory/memory.h
// fetches.

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
// x * channels * channel_bits / 8. The levels of a mipmap follow each other, each without gaps
// between its rows: sim_texture_level.
typedef struct sim_texture_desc {
    uint64_t address, row_bytes, slice_bytes; // of texel (0, 0, 0) on the device, and from one
                                              // row or slice to the next
    uint32_t width, height, depth; // texels; height 0: one-dimensional; depth: slices or layers
    uint8_t layout;                // sim_texture_layout
    uint8_t channels, channel_bits, channel_kind; // of a texel: 1, 2 or 4 of 8, 16 or 32 bits, of
                                                  // a sim_channel_kind
    bool is_layered, is_surface;                  // depth is a number of layers; kernels may write
    bool is_cube;                                 // six layers are the faces of a cube
    uint8_t levels;                               // of a mipmap; 0: it is none
    // How a texture is sampled; a surface is not.
    uint8_t address_mode[3]; // sim_address_mode, by axis
    bool is_linear;          // filtered, else the nearest texel
    bool is_normalized;      // coordinates run from 0 to 1
    bool to_float;           // 8- and 16-bit integers as fractions of their range
    bool is_srgb;
    bool is_seamless; // of a cube: filtered across its edges
    float border[4];
    bool blends_levels; // of a mipmap, the two nearest ones; else the nearest one
    float level_bias, least_level, most_level;
} sim_texture_desc;

enum { SIM_TEXTURE_MAX_LEVELS = 18, SIM_TEXTURE_LEVEL_ALIGN = 512 };

// How a PTX instruction addresses: its .geom.
typedef enum sim_geometry {
    SIM_GEOMETRY_1D,
    SIM_GEOMETRY_2D,
    SIM_GEOMETRY_3D,
    SIM_GEOMETRY_CUBE,
    SIM_GEOMETRY_A1D, // layers
    SIM_GEOMETRY_A2D,
    SIM_GEOMETRY_ACUBE
} sim_geometry;

static inline bool sim_geometry_is_cube(sim_geometry geometry) {
    return geometry == SIM_GEOMETRY_CUBE || geometry == SIM_GEOMETRY_ACUBE;
}

// Axes along which `geometry` has coordinates, layers aside.
static inline uint32_t sim_geometry_axes(sim_geometry geometry) {
    return geometry == SIM_GEOMETRY_3D || sim_geometry_is_cube(geometry) ? 3
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

// One level of a mipmap as a texture of its own; level 0 of any other one is itself.
static inline sim_texture_desc sim_texture_level(const sim_texture_desc *texture, uint32_t level) {
    sim_texture_desc of = *texture;
    for (; level > 0; level--) {
        uint64_t bytes = of.slice_bytes * (of.depth ? of.depth : 1);
        of.address += (bytes + SIM_TEXTURE_LEVEL_ALIGN - 1) & -(uint64_t)SIM_TEXTURE_LEVEL_ALIGN;
        if (of.width > 1) of.width /= 2;
        if (of.height > 1) of.height /= 2;
        if (of.depth > 1 && !of.is_layered) of.depth /= 2;
        of.row_bytes = (uint64_t)of.width * sim_texel_bytes(&of);
        of.slice_bytes = of.row_bytes * (of.height ? of.height : 1);
    }
    of.levels = 0;
    return of;
}

// ---- tensor_map.c -------------------------------------------------------------------------------
// Tensor maps (CUDA Driver API, "Tensor Map Object Management"; PTX ISA, "Tensors"): the 128 bytes
// that describe a tensor in device memory, and a box of it, to bulk tensor copies. Programs see
// them as opaque, so the layout here is the simulator's own.

enum {
    SIM_TENSOR_AXES = 5,
    SIM_TENSOR_MAP_BYTES = 128,
    SIM_TENSOR_MAP_ALIGN = 64,
    SIM_TENSOR_ROW_ALIGN = 16,     // of addresses in device memory where rows begin
    SIM_TENSOR_SHARED_ALIGN = 128, // of a box in shared memory
    SIM_TENSOR_PIECE = 16          // bytes that a swizzle moves together
};

// Types of elements, as enum CUtensorMapDataType numbers them.
typedef enum sim_tensor_type {
    SIM_TENSOR_U8,
    SIM_TENSOR_U16,
    SIM_TENSOR_U32,
    SIM_TENSOR_S32,
    SIM_TENSOR_U64,
    SIM_TENSOR_S64,
    SIM_TENSOR_F16,
    SIM_TENSOR_F32,
    SIM_TENSOR_F64,
    SIM_TENSOR_BF16,
    SIM_TENSOR_F32_FTZ,
    SIM_TENSOR_TF32,
    SIM_TENSOR_TF32_FTZ,
    SIM_TENSOR_PACKED4, // 16U4_ALIGN8B: from here on of compute capability 10.0 and later
    SIM_TENSOR_SPACED4, // 16U4_ALIGN16B: 16 of 4 bits, and 8 bytes between them in shared memory
    SIM_TENSOR_SPACED6, // 16U6_ALIGN16B: 16 of 6 bits, and 4 bytes; or, stored, bytes of 6 bits
    SIM_TENSOR_TYPES
} sim_tensor_type;

// What cuTensorMapEncodeTiled is given, in its order. `strides` has rank - 1 elements.
typedef struct sim_tensor_request {
    int type;                // sim_tensor_type
    uint32_t rank;           // dimensions of the tensor
    uint64_t address;        // of its first element
    const uint64_t *dims;    // [rank] elements, the innermost first
    const uint64_t *strides; // [rank - 1] bytes from one row, plane .. to the next
    const uint32_t *box;     // [rank] elements that a copy spans
    const uint32_t *steps;   // [rank] of the elements spanned every steps[i]-th is copied
    int interleave;          // enum CUtensorMapInterleave
    int swizzle;             // enum CUtensorMapSwizzle
    int promotion;           // enum CUtensorMapL2promotion
    int fill;                // enum CUtensorMapFloatOOBfill
    bool recent;             // for compute capability 10.0 or later
} sim_tensor_request;

// The object itself. Elements of packed types are counted in cells of several, along axis 0.
typedef struct sim_tensor_map {
    uint64_t magic;                        // tells a map from other bytes
    uint64_t free_bits;                    // CUTLASS clears bit 21 after drivers up to 13.1
    uint64_t address;                      // of the first element
    uint64_t strides[SIM_TENSOR_AXES - 1]; // bytes
    uint32_t last[SIM_TENSOR_AXES];        // highest coordinate inside the tensor
    uint16_t box[SIM_TENSOR_AXES];         // elements copied along each axis
    uint8_t steps[SIM_TENSOR_AXES];        // from one copied element to the next; 1 on axis 0
    uint8_t type, rank;                    // sim_tensor_type; 1 to 5
    uint8_t swizzle;                       // which bits of a piece's number a line's number changes
    uint8_t fills_nan;                     // outside of the tensor, else zeros
    uint8_t unused;                        // zero
    uint16_t spans[SIM_TENSOR_AXES];       // of a box, of which every steps[i]-th element is copied
    uint8_t more[22];                      // zeros
} sim_tensor_map;

// Makes a map. SIM_INVALID_VALUE: the driver refuses it; SIM_UNSUPPORTED: the simulator does;
// *out_why says why.
sim_status sim_tensor_map_encode(const sim_tensor_request *request, sim_tensor_map *out_map,
                                 const char **out_why);
// Likewise moves an existing one.
sim_status sim_tensor_map_move(sim_tensor_map *map, uint64_t address, const char **out_why);
// What tensormap.replace changes, and what else an instruction does with a map.
typedef enum sim_tensor_field {
    SIM_TENSOR_ADDRESS,
    SIM_TENSOR_RANK,
    SIM_TENSOR_BOX,
    SIM_TENSOR_DIM,
    SIM_TENSOR_STRIDE,
    SIM_TENSOR_STEP,
    SIM_TENSOR_TYPE,
    SIM_TENSOR_INTERLEAVE,
    SIM_TENSOR_SWIZZLE,
    SIM_TENSOR_FILL,
    SIM_TENSOR_FIELDS, // from here on no field
    SIM_TENSOR_QUERY = SIM_TENSOR_FIELDS,
    SIM_TENSOR_COPY
} sim_tensor_field;
// As an H200: bits that a field does not have are lost, and nothing is checked before a copy. Axes
// count from 0, as strides do. False: these bytes are no map.
bool sim_tensor_map_replace(sim_tensor_map *map, sim_tensor_field field, uint32_t axis,
                            uint64_t value);
// Whether these bytes are a map such as the two functions above make, also for a kernel that has
// forged one: no box of it is larger than shared memory.
bool sim_tensor_map_is_valid(const sim_tensor_map *map);

// Of one element, or cell, of the tensor in shared memory, and in the tensor.
uint32_t sim_tensor_element_bytes(const sim_tensor_map *map);
uint32_t sim_tensor_stored_bytes(const sim_tensor_map *map);
// Elements in a cell, by which coordinates along axis 0 are divided; 1: elements are not packed.
uint32_t sim_tensor_cell(const sim_tensor_map *map);
// That a copy moves.
uint32_t sim_tensor_box_bytes(const sim_tensor_map *map);
// From one row of a box in shared memory to the next: a swizzle takes its whole span for each.
uint32_t sim_tensor_row_pitch(const sim_tensor_map *map);
// Of the memory that the map describes, from its address on.
uint64_t sim_tensor_span_bytes(const sim_tensor_map *map);
// The bits of an element outside of the tensor, in its lowest bytes.
uint64_t sim_tensor_fill_bits(const sim_tensor_map *map);

// Where the byte that belongs at `offset` of shared memory lies: 16-byte pieces of a 128-byte line
// change places, by the line's number; or pairs, or fours, of pieces.
static inline uint32_t sim_tensor_swizzle(uint32_t offset, uint32_t swizzle) {
    if (!swizzle) return offset;
    return offset ^ (offset >> (7 - __builtin_ctz(swizzle)) & swizzle) << 4;
}
