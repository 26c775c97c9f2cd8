// SPDX-License-Identifier: MIT
// Bulk tensor copies (PTX ISA, "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor"): boxes of a
// tensor that device/tensor_map.h describes, row by row of their innermost dimension. What lies
// outside of the tensor is filled on the way in and left out on the way back.
#include <stdlib.h>

#include "device/tensor_map.h"
#include "ops/memory/copies.h"
#include "ops/memory/reduce.h"

// One box of one lane.
typedef struct tensor_box {
    sim_tensor_map map;
    int64_t at[SIM_TENSOR_AXES]; // its first coordinates
    uint32_t element, row_bytes, rows, bytes;
} tensor_box;

// ---- The map ------------------------------------------------------------------------------------

static bool fail(sim_warp *warp, const sim_instr *instr, uint32_t lane, const char *text) {
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION, "%s", text);
    return false;
}

static bool find_map(sim_warp *warp, const sim_instr *instr, uint32_t lane, sim_tensor_map *out) {
    uint64_t address = global_address(warp, instr, lane);
    const uint8_t *bytes = NULL;
    if (address % SIM_TENSOR_MAP_ALIGN == 0)
        bytes = sim_warp_peek(warp, lane, address, SIM_TENSOR_MAP_BYTES);
    if (!bytes) {
        sim_fault_bulk(warp, instr, lane, address, SIM_TENSOR_MAP_BYTES, SIM_TENSOR_MAP_ALIGN,
                       PTX_SPACE_GLOBAL);
        return false;
    }
    memcpy(out, bytes, sizeof *out);
    if (!sim_tensor_map_is_valid(out))
        return fail(
            warp, instr, lane,
            "there is no tensor map at the address given: cuTensorMapEncodeTiled makes one, "
            "and a kernel takes it as a const __grid_constant__ parameter");
    if (out->rank == instr->vector) return true;
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                   "a copy with %u coordinates of a tensor map of %u dimensions", instr->vector,
                   out->rank);
    return false;
}

static bool find_box(sim_warp *warp, const sim_instr *instr, uint32_t lane, tensor_box *out) {
    if (!find_map(warp, instr, lane, &out->map)) return false;
    out->element = sim_tensor_element_bytes(&out->map);
    out->row_bytes = out->map.box[0] * out->element;
    out->bytes = sim_tensor_box_bytes(&out->map);
    out->rows = out->bytes / out->row_bytes;
    for (uint32_t axis = 0; axis < out->map.rank; axis++)
        out->at[axis] = SLOT(const int32_t, vector_slot(warp, instr, axis))[lane];
    if (out->at[0] * out->element % SIM_TENSOR_ROW_ALIGN == 0) return true;
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                   "the box at coordinate %lld of its innermost dimension does not begin at a "
                   "multiple of %d bytes",
                   (long long)out->at[0], SIM_TENSOR_ROW_ALIGN);
    return false;
}

// ---- Rows ---------------------------------------------------------------------------------------

// The part of a row of the box that lies in the tensor.
typedef struct tensor_row {
    uint64_t address; // of its first byte
    uint32_t before;  // bytes of the row before it, which are outside
    uint32_t bytes;   // 0: the row is outside
} tensor_row;

static tensor_row find_row(const tensor_box *box, uint32_t number) {
    const sim_tensor_map *map = &box->map;
    int64_t first = box->at[0] < 0 ? 0 : box->at[0], end = box->at[0] + map->box[0];
    if (end > (int64_t)map->last[0] + 1) end = (int64_t)map->last[0] + 1;
    tensor_row row = {.address = map->address + (uint64_t)first * box->element};
    if (first >= end) return row;
    for (uint32_t axis = 1; axis < map->rank; axis++) {
        int64_t at = box->at[axis] + (int64_t)(number % map->box[axis]) * map->steps[axis];
        number /= map->box[axis];
        if (at < 0 || at > (int64_t)map->last[axis]) return row;
        row.address += (uint64_t)at * map->strides[axis - 1];
    }
    row.before = (uint32_t)(first - box->at[0]) * box->element;
    row.bytes = (uint32_t)(end - first) * box->element;
    return row;
}

// Counts and tells of a row; its bytes on the host, NULL: a fault. `*last_sector` is that of the row
// before.
static uint8_t *open_row(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                         const tensor_row *row, sim_access_kind kind, uint64_t *last_sector) {
    uint8_t *host = check_global(warp, instr, lane, row->address, row->bytes, 1);
    if (!host) return NULL;
    uint64_t address = sim_device_address(warp, row->address);
    if (warp->counting) {
        bool shared_sector = address / SIM_SECTOR_BYTES == *last_sector;
        count_bulk(warp, instr, address, row->bytes, kind == SIM_ACCESS_READ, shared_sector);
        *last_sector = (address + row->bytes - 1) / SIM_SECTOR_BYTES;
    }
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_GLOBAL, address, row->bytes, kind);
    return host;
}

static void fill(const tensor_box *box, uint8_t *bytes) {
    uint64_t bits = sim_tensor_fill_bits(&box->map);
    if (!bits)
        memset(bytes, 0, box->bytes);
    else
        for (uint32_t at = 0; at < box->bytes; at += box->element)
            memcpy(bytes + at, &bits, box->element);
}

// ---- Into shared memory -------------------------------------------------------------------------

static bool load_rows(sim_warp *warp, const sim_instr *instr, uint32_t lane, const tensor_box *box,
                      uint8_t *bytes) {
    uint64_t last_sector = UINT64_MAX;
    fill(box, bytes);
    for (uint32_t i = 0; i < box->rows; i++) {
        tensor_row row = find_row(box, i);
        if (!row.bytes) continue;
        const uint8_t *host = open_row(warp, instr, lane, &row, SIM_ACCESS_READ, &last_sector);
        if (!host) return false;
        memcpy(bytes + (size_t)i * box->row_bytes + row.before, host, row.bytes);
    }
    return true;
}

static bool to_shared(sim_warp *warp, const sim_instr *instr, uint32_t lane, const tensor_box *box,
                      uint8_t *bytes) {
    bool multicast = instr->src[2] != SIM_NO_SLOT;
    if (!load_rows(warp, instr, lane, box, bytes)) return false;
    const bulk_delivery request = {
        .source = bytes,
        .bytes = box->bytes,
        .alignment = SIM_TENSOR_SHARED_ALIGN,
        .address =
            shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane),
        .mbarrier =
            shared_address(warp, instr->src[3], has(instr, SIM_MOD_DST64), instr->reconverge, lane),
        .multicast = multicast,
        .ranks = multicast ? (uint16_t)SLOT(const uint32_t, instr->src[2])[lane] : 0,
        .swizzle = box->map.swizzle};
    return SIM_VARIANT(sim_bulk_deliver)(warp, instr, lane, &request);
}

// ---- To global memory ---------------------------------------------------------------------------

static uint8_t element_type(const sim_tensor_map *map) {
    static const uint8_t types[SIM_TENSOR_TYPES] = {
        [SIM_TENSOR_U8] = PTX_U8,       [SIM_TENSOR_U16] = PTX_U16,     [SIM_TENSOR_U32] = PTX_U32,
        [SIM_TENSOR_S32] = PTX_S32,     [SIM_TENSOR_U64] = PTX_U64,     [SIM_TENSOR_S64] = PTX_S64,
        [SIM_TENSOR_F16] = PTX_F16,     [SIM_TENSOR_F32] = PTX_F32,     [SIM_TENSOR_F64] = PTX_F64,
        [SIM_TENSOR_BF16] = PTX_BF16,   [SIM_TENSOR_F32_FTZ] = PTX_F32, [SIM_TENSOR_TF32] = PTX_F32,
        [SIM_TENSOR_TF32_FTZ] = PTX_F32};
    return types[map->type];
}

// The box as it lies in shared memory, its pieces back in their places.
static void gather_box(const sim_warp *warp, const tensor_box *box, uint32_t offset,
                       uint8_t *bytes) {
    enum { PIECE = 16 };
    for (uint32_t at = 0; at < box->bytes; at += PIECE)
        memcpy(bytes + at, warp->shared + sim_tensor_swizzle(offset + at, box->map.swizzle), PIECE);
}

static bool to_global(sim_warp *warp, const sim_instr *instr, uint32_t lane, const tensor_box *box,
                      uint8_t *bytes) {
    bool reduces = has(instr, SIM_MOD_REDUCES);
    uint64_t last_sector = UINT64_MAX;
    uint64_t offset =
        shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane);
    if (!check_shared(warp, instr, lane, offset, box->bytes, SIM_TENSOR_SHARED_ALIGN)) return false;
    if (reduces && !bulk_in_order(warp, instr, lane)) return false;
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_SHARED, offset, box->bytes, SIM_ACCESS_READ);
    gather_box(warp, box, (uint32_t)offset, bytes);
    for (uint32_t i = 0; i < box->rows; i++) {
        tensor_row row = find_row(box, i);
        if (!row.bytes) continue;
        uint8_t *host = open_row(warp, instr, lane, &row,
                                 reduces ? SIM_ACCESS_ATOMIC : SIM_ACCESS_WRITE, &last_sector);
        if (!host) return false;
        const uint8_t *from = bytes + (size_t)i * box->row_bytes + row.before;
        if (reduces)
            reduce_bytes(element_type(&box->map), instr->atomic, host, from, row.bytes);
        else
            memcpy(host, from, row.bytes);
    }
    sim_note_change(warp);
    return true;
}

// ---- Instructions -------------------------------------------------------------------------------

static bool copy_box(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    tensor_box box;
    if (!find_box(warp, instr, lane, &box)) return false;
    if (instr->variant == SIM_BULK_PREFETCH) return true;
    if (box.bytes > warp->shared_bytes)
        return fail(warp, instr, lane, "the box is larger than the block's shared memory");
    uint8_t *bytes = malloc(box.bytes);
    if (!bytes) {
        sim_fault_memory(warp);
        return false;
    }
    if (warp->counting) count_bulk_request(warp, instr);
    bool done = instr->variant == SIM_BULK_TO_GLOBAL ? to_global(warp, instr, lane, &box, bytes)
                                                     : to_shared(warp, instr, lane, &box, bytes);
    free(bytes);
    return done;
}

HANDLER(bulk_tensor) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (!copy_box(warp, instr, (uint32_t)__builtin_ctz(rest))) return;
}
BIND(BULK_TENSOR) {
    (void)instr;
    return bulk_tensor;
}
