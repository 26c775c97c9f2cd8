// See descriptors.h. The rules are those of cuTensorMapEncodeTiled in the CUDA Driver API
// reference.
#include "device/descriptors.h"

_Static_assert(sizeof(sim_tensor_map) == SIM_TENSOR_MAP_BYTES, "programs keep maps of 128 bytes");

#define TENSOR_MAGIC UINT64_C(0x50414D524F534E54)

enum {
    BOX_MOST = 256,
    BOX_BYTES_MOST = 228 << 10, // all of an SM's; an H200's driver takes these and not 255 KiB
    STEP_MOST = 8,
    INTERLEAVE_NONE = 0,
    INTERLEAVE_MOST = 2,
    SWIZZLE_MOST = 3,
    SWIZZLE_LATEST = 6, // those with atoms of 32 or 64 bytes came with compute capability 10.0
    SWIZZLE_FLIPPED = 5,
    SWIZZLE_SPAN = 128, // of all but the first two
    SPACED_BOX = 128,   // elements of a row of a box with gaps
    SPACED_ALIGN = 32,  // of addresses and strides
    PROMOTION_MOST = 3
};

static const struct {
    uint8_t bytes; // in shared memory, of an element or cell
    bool is_float;
    uint8_t cell, stored; // elements in a cell, and its bytes in the tensor; 0: no cells
} types[SIM_TENSOR_TYPES] = {
    [SIM_TENSOR_U8] = {1, false},
    [SIM_TENSOR_U16] = {2, false},
    [SIM_TENSOR_U32] = {4, false},
    [SIM_TENSOR_S32] = {4, false},
    [SIM_TENSOR_U64] = {8, false},
    [SIM_TENSOR_S64] = {8, false},
    [SIM_TENSOR_F16] = {2, true},
    [SIM_TENSOR_F32] = {4, true},
    [SIM_TENSOR_F64] = {8, true},
    [SIM_TENSOR_BF16] = {2, true},
    [SIM_TENSOR_F32_FTZ] = {4, true},
    [SIM_TENSOR_TF32] = {4, true},
    [SIM_TENSOR_TF32_FTZ] = {4, true},
    [SIM_TENSOR_PACKED4] = {1, false, 2, 1},
    [SIM_TENSOR_SPACED4] = {16, false, 16, 8},
    [SIM_TENSOR_SPACED6] = {16, false, 16, 12},
};
// What an H200 puts outside of a tensor of any float type on request.
#define FILL_NAN UINT64_C(0x7FF77FF77FF77FF7)

// By CUtensorMapSwizzle (sim_tensor_map.swizzle).
static const uint8_t swizzles[SWIZZLE_LATEST + 1] = {0, 1, 3, 7, 6, 0, 4};

static uint32_t cell_of(uint32_t type) {
    return type < SIM_TENSOR_TYPES && types[type].cell ? types[type].cell : 1;
}

static const char *check_words(const sim_tensor_request *request) {
    if (request->type < 0 || request->type >= SIM_TENSOR_TYPES) return "no such data type";
    if (request->type >= SIM_TENSOR_PACKED4 && !request->recent)
        return "no such data type on a device of compute capability 9.0";
    if (request->interleave < 0 || request->interleave > INTERLEAVE_MOST)
        return "no such interleaved layout";
    if (request->swizzle < 0 || request->swizzle > SWIZZLE_LATEST) return "no such swizzle";
    if (request->swizzle > SWIZZLE_MOST && !request->recent)
        return "no such swizzle on a device of compute capability 9.0";
    if (request->promotion < 0 || request->promotion > PROMOTION_MOST)
        return "no such L2 promotion";
    if (request->fill < 0 || request->fill > 1) return "no such fill of elements out of bounds";
    if (request->fill && (request->type >= SIM_TENSOR_TYPES || !types[request->type].is_float))
        return "only floating-point types can be filled with NaN out of bounds";
    return NULL;
}

static const char *check_axis(const sim_tensor_request *request, uint32_t axis) {
    if (request->dims[axis] == 0 || request->dims[axis] > UINT64_C(1) << 32)
        return "a dimension must be from 1 to 2^32 elements";
    if (request->box[axis] == 0 || request->box[axis] > BOX_MOST)
        return "a box must be from 1 to 256 elements along each dimension";
    if (request->steps[axis] == 0 || request->steps[axis] > STEP_MOST)
        return "an element stride must be from 1 to 8";
    if (axis == 0) return NULL;
    uint64_t stride = request->strides[axis - 1];
    if (stride % SIM_TENSOR_ROW_ALIGN || stride >= UINT64_C(1) << 40)
        return "a stride must be a multiple of 16 bytes and less than 2^40";
    return NULL;
}

// Of elements that have gaps in shared memory.
static const char *check_spaced(const sim_tensor_request *request) {
    uint64_t all = request->address | (request->rank > 1 ? request->strides[0] : 0);
    for (uint32_t axis = 2; axis < request->rank; axis++) all |= request->strides[axis - 1];
    if (request->box[0] != SPACED_BOX) return "a row of a box must have 128 elements of this type";
    if (request->dims[0] % SPACED_BOX) return "a row must be a multiple of 128 elements";
    if (all % SPACED_ALIGN) return "the address and strides must be multiples of 32 for this type";
    return request->swizzle && request->swizzle < SWIZZLE_MOST
               ? "this type has no swizzle, or one of 128 bytes"
               : NULL;
}

static const char *check_address(uint64_t address) {
    return address % SIM_TENSOR_ROW_ALIGN ? "the tensor's address must be a multiple of 16" : NULL;
}

static const char *not_simulated(const sim_tensor_request *request) {
    bool interleaves = request->interleave != INTERLEAVE_NONE;
    if (request->swizzle == SWIZZLE_FLIPPED) return "swizzles that swap halves are not simulated";
    return interleaves ? "interleaved layouts are not simulated" : NULL;
}

// Along an axis; the driver ignores the element stride of the innermost one.
static uint32_t copied_elements(const sim_tensor_request *request, uint32_t axis) {
    uint32_t step = axis ? request->steps[axis] : 1;
    return (request->box[axis] + step - 1) / step;
}

static const char *check(const sim_tensor_request *request) {
    if (request->rank == 0 || request->rank > SIM_TENSOR_AXES)
        return "a tensor has from 1 to 5 dimensions";
    if (!request->dims || !request->box || !request->steps || !request->strides)
        return "dimensions, strides or box are missing";
    const char *why = check_words(request);
    if (!why) why = check_address(request->address);
    for (uint32_t axis = 0; axis < request->rank && !why; axis++) why = check_axis(request, axis);
    if (why || not_simulated(request)) return why;
    uint32_t cell = cell_of((uint32_t)request->type);
    if (cell > 2 && (why = check_spaced(request))) return why;
    if (request->dims[0] % cell || request->box[0] % cell)
        return "rows must be a multiple of 2 elements of this type";
    uint32_t inner = request->box[0] / cell * types[request->type].bytes;
    if (inner % SIM_TENSOR_ROW_ALIGN) return "the box's rows must be a multiple of 16 bytes";
    uint32_t span = request->swizzle < SWIZZLE_MOST ? 16u << request->swizzle : SWIZZLE_SPAN;
    if (request->swizzle && inner > span)
        return "the box's rows must not be longer than the span of the swizzle";
    uint64_t bytes = inner;
    for (uint32_t axis = 1; axis < request->rank; axis++) bytes *= copied_elements(request, axis);
    return bytes > BOX_BYTES_MOST ? "the box is larger than shared memory" : NULL;
}

sim_status sim_tensor_map_encode(const sim_tensor_request *request, sim_tensor_map *out_map,
                                 const char **out_why) {
    if ((*out_why = check(request))) return SIM_INVALID_VALUE;
    if ((*out_why = not_simulated(request))) return SIM_UNSUPPORTED;
    *out_map = (sim_tensor_map){.magic = TENSOR_MAGIC,
                                .address = request->address,
                                .type = (uint8_t)request->type,
                                .rank = (uint8_t)request->rank,
                                .swizzle = swizzles[request->swizzle],
                                .fills_nan = (uint8_t)request->fill};
    for (uint32_t axis = 0; axis < SIM_TENSOR_AXES; axis++) {
        bool is_used = axis < request->rank; // those that are not have one element
        out_map->last[axis] = is_used ? (uint32_t)(request->dims[axis] - 1) : 0;
        out_map->box[axis] = is_used ? (uint16_t)copied_elements(request, axis) : 1;
        out_map->spans[axis] = is_used ? (uint16_t)request->box[axis] : 1;
        out_map->steps[axis] = (uint8_t)(is_used && axis ? request->steps[axis] : 1);
        if (is_used && axis) out_map->strides[axis - 1] = request->strides[axis - 1];
    }
    uint32_t cell = cell_of((uint32_t)request->type);
    out_map->last[0] = (uint32_t)(request->dims[0] / cell - 1);
    out_map->box[0] = out_map->spans[0] = (uint16_t)(request->box[0] / cell);
    return SIM_OK;
}

sim_status sim_tensor_map_move(sim_tensor_map *map, uint64_t address, const char **out_why) {
    *out_why = check_address(address);
    if (!*out_why && !sim_tensor_map_is_valid(map)) *out_why = "this is no tensor map";
    if (*out_why) return SIM_INVALID_VALUE;
    map->address = address;
    return SIM_OK;
}

// PTX numbers the types behind f32 in another order than the driver.
static uint8_t type_of(uint64_t value) {
    static const uint8_t behind[] = {SIM_TENSOR_F32_FTZ, SIM_TENSOR_F64, SIM_TENSOR_BF16,
                                     SIM_TENSOR_TF32, SIM_TENSOR_TF32_FTZ};
    if (value <= SIM_TENSOR_F32)
        return (uint8_t)value; // packed ones: what else a map has is in cells
    return value - SIM_TENSOR_F64 < sizeof behind ? behind[value - SIM_TENSOR_F64]
                                                  : SIM_TENSOR_TYPES;
}

bool sim_tensor_map_replace(sim_tensor_map *map, sim_tensor_field field, uint32_t axis,
                            uint64_t value) {
    if (map->magic != TENSOR_MAGIC || axis >= SIM_TENSOR_AXES) return false;
    if (axis == 0 && (field == SIM_TENSOR_BOX || field == SIM_TENSOR_DIM))
        value /= cell_of(map->type);
    switch (field) {
    case SIM_TENSOR_ADDRESS: map->address = value; break;
    case SIM_TENSOR_RANK: map->rank = (uint8_t)((value & 7) + 1); break;
    case SIM_TENSOR_BOX: map->spans[axis] = (uint16_t)(((value - 1) & 255) + 1); break;
    case SIM_TENSOR_DIM: map->last[axis] = (uint32_t)(value - 1); break;
    case SIM_TENSOR_STRIDE:
        if (axis + 1 < SIM_TENSOR_AXES) map->strides[axis] = value & ((UINT64_C(1) << 40) - 16);
        break;
    case SIM_TENSOR_STEP:
        if (axis) map->steps[axis] = (uint8_t)(((value - 1) & 7) + 1);
        break;
    case SIM_TENSOR_TYPE: map->type = type_of(value); break;
    case SIM_TENSOR_SWIZZLE: map->swizzle = (uint8_t)((1u << (value & 3)) - 1); break;
    case SIM_TENSOR_FILL: map->fills_nan = value & 1; break;
    default: break; // layouts other than the plain one are refused before
    }
    uint32_t step = map->steps[axis];
    if (step) map->box[axis] = (uint16_t)((map->spans[axis] + step - 1) / step); // 0: forged
    return true;
}

bool sim_tensor_map_is_valid(const sim_tensor_map *map) {
    static const bool known[] = {
        [0] = true, [1] = true, [3] = true, [4] = true, [6] = true, [7] = true};
    if (map->magic != TENSOR_MAGIC || map->type >= SIM_TENSOR_TYPES || map->rank == 0 ||
        map->rank > SIM_TENSOR_AXES || map->swizzle >= sizeof known || !known[map->swizzle] ||
        map->address % SIM_TENSOR_ROW_ALIGN)
        return false;
    for (uint32_t axis = 0; axis < map->rank; axis++)
        if (map->box[axis] == 0 || map->box[axis] > BOX_MOST || map->steps[axis] == 0 ||
            map->steps[axis] > STEP_MOST)
            return false;
    uint32_t row = map->box[0] * sim_tensor_element_bytes(map);
    return row % SIM_TENSOR_ROW_ALIGN == 0 && row <= sim_tensor_row_pitch(map) &&
           sim_tensor_box_bytes(map) <= BOX_BYTES_MOST;
}

uint32_t sim_tensor_element_bytes(const sim_tensor_map *map) { return types[map->type].bytes; }

uint32_t sim_tensor_stored_bytes(const sim_tensor_map *map) {
    return types[map->type].cell ? types[map->type].stored : types[map->type].bytes;
}

uint32_t sim_tensor_cell(const sim_tensor_map *map) { return cell_of(map->type); }

uint32_t sim_tensor_box_bytes(const sim_tensor_map *map) {
    uint64_t bytes = types[map->type].bytes;
    for (uint32_t axis = 0; axis < map->rank; axis++) {
        bytes *= map->box[axis];
        if (bytes > UINT32_MAX) return UINT32_MAX; // far more than shared memory has
    }
    return (uint32_t)bytes;
}

uint32_t sim_tensor_row_pitch(const sim_tensor_map *map) {
    return map->swizzle ? (uint32_t)SIM_TENSOR_PIECE << (32 - __builtin_clz(map->swizzle))
                        : map->box[0] * sim_tensor_element_bytes(map);
}

uint64_t sim_tensor_span_bytes(const sim_tensor_map *map) {
    uint64_t bytes = ((uint64_t)map->last[0] + 1) * sim_tensor_stored_bytes(map);
    for (uint32_t axis = 1; axis < map->rank; axis++) {
        uint64_t more;
        if (__builtin_mul_overflow((uint64_t)map->last[axis], map->strides[axis - 1], &more) ||
            __builtin_add_overflow(bytes, more, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}

uint64_t sim_tensor_fill_bits(const sim_tensor_map *map) { return map->fills_nan ? FILL_NAN : 0; }
