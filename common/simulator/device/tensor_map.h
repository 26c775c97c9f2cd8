// SPDX-License-Identifier: MIT
// Tensor maps (CUDA Driver API, "Tensor Map Object Management"; PTX ISA, "Tensors"): the 128 bytes
// that describe a tensor in device memory, and a box of it, to bulk tensor copies. Programs see
// them as opaque, so the layout here is the simulator's own.
#ifndef SIM_DEVICE_TENSOR_MAP_H
#define SIM_DEVICE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

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
    SIM_TENSOR_TYPES // packed types of 4 and 6 bits came with compute capability 10.0
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
} sim_tensor_request;

// The object itself.
typedef struct sim_tensor_map {
    uint64_t magic;                        // tells a map from other bytes
    uint64_t address;                      // of the first element
    uint64_t strides[SIM_TENSOR_AXES - 1]; // bytes
    uint32_t last[SIM_TENSOR_AXES];        // highest coordinate inside the tensor
    uint16_t box[SIM_TENSOR_AXES];         // elements copied along each axis
    uint8_t steps[SIM_TENSOR_AXES];        // from one copied element to the next; 1 on axis 0
    uint8_t type, rank;                    // sim_tensor_type; 1 to 5
    uint8_t swizzle;                       // of 128-byte lines: bits of their number that are used
    uint8_t fills_nan;                     // outside of the tensor, else zeros
    uint8_t unused[41];                    // zeros
} sim_tensor_map;

// Makes a map. SIM_INVALID_VALUE: the driver refuses it; SIM_UNSUPPORTED: the simulator does;
// *out_why says why.
sim_status sim_tensor_map_encode(const sim_tensor_request *request, sim_tensor_map *out_map,
                                 const char **out_why);
// Likewise moves an existing one.
sim_status sim_tensor_map_move(sim_tensor_map *map, uint64_t address, const char **out_why);
// Whether these bytes are a map such as the two functions above make, also for a kernel that has
// forged one: no box of it is larger than shared memory.
bool sim_tensor_map_is_valid(const sim_tensor_map *map);

// Of one element of the tensor.
uint32_t sim_tensor_element_bytes(const sim_tensor_map *map);
// That a copy moves.
uint32_t sim_tensor_box_bytes(const sim_tensor_map *map);
// From one row of a box in shared memory to the next: a swizzle takes its whole span for each.
uint32_t sim_tensor_row_pitch(const sim_tensor_map *map);
// Of the memory that the map describes, from its address on.
uint64_t sim_tensor_span_bytes(const sim_tensor_map *map);
// The bits of an element outside of the tensor, in its lowest bytes.
uint64_t sim_tensor_fill_bits(const sim_tensor_map *map);

// Where the byte that belongs at `offset` of shared memory lies: 16-byte pieces of a 128-byte line
// change places, by the line's number.
static inline uint32_t sim_tensor_swizzle(uint32_t offset, uint32_t swizzle) {
    return offset ^ (offset >> 7 & swizzle) << 4;
}

#endif
