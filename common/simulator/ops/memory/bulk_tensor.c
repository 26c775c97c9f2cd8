// Bulk tensor copies (PTX ISA, "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor"): boxes of a
// tensor that device/descriptors.h describes, row by row of their innermost dimension. What lies
// outside of the tensor is filled on the way in and left out on the way back.
#include "ops/memory/internal.h"

// One box of one lane.
typedef struct tensor_box {
    sim_tensor_map map;
    int64_t at[SIM_TENSOR_AXES];       // its first coordinates
    uint32_t element, row_bytes, rows; // bytes of an element, or a cell, and of a row
    uint32_t stored;                   // bytes of an element, or a cell, of the tensor
    uint32_t pitch, bytes;             // in shared memory: from row to row, and of all
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

#define T(type) (UINT64_C(1) << PTX_##type)

static uint8_t element_type(const sim_tensor_map *map) {
    static const uint8_t types[SIM_TENSOR_TYPES] = {
        [SIM_TENSOR_U8] = PTX_U8,       [SIM_TENSOR_U16] = PTX_U16,     [SIM_TENSOR_U32] = PTX_U32,
        [SIM_TENSOR_S32] = PTX_S32,     [SIM_TENSOR_U64] = PTX_U64,     [SIM_TENSOR_S64] = PTX_S64,
        [SIM_TENSOR_F16] = PTX_F16,     [SIM_TENSOR_F32] = PTX_F32,     [SIM_TENSOR_F64] = PTX_F64,
        [SIM_TENSOR_BF16] = PTX_BF16,   [SIM_TENSOR_F32_FTZ] = PTX_F32, [SIM_TENSOR_TF32] = PTX_F32,
        [SIM_TENSOR_TF32_FTZ] = PTX_F32};
    return types[map->type];
}

// The types of a reduction to global memory; others are illegal, as .s64 of .add and .and (H200).
static bool reduces_type(uint8_t atomic, uint8_t type) {
    uint64_t types = T(U32) | T(S32) | T(U64);
    if (atomic == SIM_ATOMIC_ADD) types |= T(F16) | T(BF16) | T(F32) | T(F64);
    if (atomic == SIM_ATOMIC_MIN || atomic == SIM_ATOMIC_MAX) types |= T(S64) | T(F16) | T(BF16);
    if (atomic == SIM_ATOMIC_INC || atomic == SIM_ATOMIC_DEC) types = T(U32);
    return types >> type & 1;
}

static bool find_box(sim_warp *warp, const sim_instr *instr, uint32_t lane, tensor_box *out) {
    if (!find_map(warp, instr, lane, &out->map)) return false;
    out->element = sim_tensor_element_bytes(&out->map);
    out->stored = sim_tensor_stored_bytes(&out->map);
    out->row_bytes = out->map.box[0] * out->element;
    out->rows = sim_tensor_box_bytes(&out->map) / out->row_bytes;
    out->pitch = sim_tensor_row_pitch(&out->map);
    out->bytes = out->rows * out->pitch;
    for (uint32_t axis = 0; axis < out->map.rank; axis++)
        out->at[axis] = SLOT(const int32_t, vector_slot(warp, instr, axis))[lane];
    int32_t cell = (int32_t)sim_tensor_cell(&out->map);
    if (out->at[0] % cell)
        return fail(warp, instr, lane, "a box of packed elements begins in the middle of some");
    out->at[0] /= cell;
    if (out->map.type == SIM_TENSOR_SPACED4 && instr->variant == SIM_BULK_TO_GLOBAL)
        return fail(warp, instr, lane, "elements of type 16U4_ALIGN16B go to shared memory alone");
    for (uint32_t axis = 0; instr->variant == SIM_BULK_TO_GLOBAL && axis < out->map.rank; axis++)
        if (out->at[axis] < 0)
            return fail(warp, instr, lane,
                        "a box that goes to global memory must not begin at a negative coordinate");
    if (has(instr, SIM_MOD_REDUCES) && !reduces_type(instr->atomic, element_type(&out->map)))
        return fail(warp, instr, lane, "no such reduction of elements of the tensor map's type");
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
    tensor_row row = {.address = map->address + (uint64_t)first * box->stored};
    if (first >= end) return row;
    for (uint32_t axis = 1; axis < map->rank; axis++) {
        int64_t at = box->at[axis] + (int64_t)(number % map->box[axis]) * map->steps[axis];
        number /= map->box[axis];
        if (at < 0 || at > (int64_t)map->last[axis]) return row;
        row.address += (uint64_t)at * map->strides[axis - 1];
    }
    row.before = (uint32_t)(first - box->at[0]) * box->element;
    row.bytes = (uint32_t)(end - first) * box->stored;
    return row;
}

// Counts a row. What is loaded comes in pieces that do not cross a line of 128 bytes of shared
// memory, where the row begins `at` bytes behind such a line [H200: rows of 48 and 96 bytes ask for
// one sector more where a line parts them within a sector].
static void count_row(sim_warp *warp, const sim_instr *instr, uint64_t address, uint32_t bytes,
                      uint32_t at, bool loads, bool shared_sector) {
    for (uint32_t done = 0, piece; done < bytes; done += piece) {
        uint32_t rest = SIM_LINE_BYTES - (at + done) % SIM_LINE_BYTES;
        piece = loads && bytes - done > rest ? rest : bytes - done;
        count_bulk(warp, instr, address + done, piece, loads, shared_sector && done == 0);
    }
}

// Counts and tells of a row, which lies `at` bytes behind the box's begin; its bytes on the host,
// NULL: a fault. `*last_sector` is that of the row before.
static uint8_t *open_row(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                         const tensor_row *row, uint32_t at, sim_access_kind kind,
                         uint64_t *last_sector) {
    uint8_t *host = check_global(warp, instr, lane, row->address, row->bytes, 1);
    if (!host) return NULL;
    uint64_t address = sim_device_address(warp, row->address);
    if (warp->counting) {
        bool shared_sector = address / SIM_SECTOR_BYTES == *last_sector;
        count_row(warp, instr, address, row->bytes, at, kind == SIM_ACCESS_READ, shared_sector);
        *last_sector = (address + row->bytes - 1) / SIM_SECTOR_BYTES;
    }
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_GLOBAL, address, row->bytes, kind);
    return host;
}

static void fill(const tensor_box *box, uint8_t *bytes) {
    uint64_t bits = sim_tensor_fill_bits(&box->map);
    if (!bits) memset(bytes, 0, box->bytes);
    else
        for (uint32_t at = 0; at < box->bytes; at += box->element)
            memcpy(bytes + at, &bits, box->element);
}

// As an H200 rounds: to the nearest, ties to even, subnormal numbers too; all NaN become one.
static void round_to_tf32(uint8_t *bytes, uint32_t count) {
    for (uint32_t at = 0; at < count; at += 4) {
        uint32_t bits;
        memcpy(&bits, bytes + at, sizeof bits);
        bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
        bits = is_nan ? 0x7FFFE000 : (bits + 0xFFF + (bits >> 13 & 1)) & 0xFFFFE000;
        memcpy(bytes + at, &bits, sizeof bits);
    }
}

// ---- Into shared memory -------------------------------------------------------------------------

static bool load_rows(sim_warp *warp, const sim_instr *instr, uint32_t lane, const tensor_box *box,
                      uint8_t *bytes) {
    uint64_t last_sector = UINT64_MAX;
    fill(box, bytes);
    for (uint32_t i = 0; i < box->rows; i++) {
        tensor_row row = find_row(box, i);
        if (!row.bytes) continue;
        uint32_t at = i * box->pitch + row.before;
        const uint8_t *host = open_row(warp, instr, lane, &row, at, SIM_ACCESS_READ, &last_sector);
        if (!host) return false;
        uint8_t *to = bytes + at;
        for (uint32_t done = 0; box->stored != box->element && done < row.bytes;
             done += box->stored, host += box->stored, to += box->element)
            memcpy(to, host, box->stored); // and a gap
        if (box->stored != box->element) continue;
        memcpy(to, host, row.bytes);
        if (box->map.type == SIM_TENSOR_TF32 || box->map.type == SIM_TENSOR_TF32_FTZ)
            round_to_tf32(to, row.bytes);
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
        .completes = box->rows * box->row_bytes / box->element * box->stored, // without gaps
        .row_bytes = box->row_bytes,
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

// The box as it lies in shared memory, its pieces back in their places.
static void gather_box(const sim_warp *warp, const tensor_box *box, uint32_t offset,
                       uint8_t *bytes) {
    for (uint32_t at = 0; at < box->bytes; at += SIM_TENSOR_PIECE)
        memcpy(bytes + at, warp->shared + sim_tensor_swizzle(offset + at, box->map.swizzle),
               SIM_TENSOR_PIECE);
}

// A row that the tensor's end cuts off is stored in whole pieces, beyond that end too (H200).
static uint32_t whole_pieces(uint32_t bytes) {
    return (bytes + SIM_TENSOR_PIECE - 1) / SIM_TENSOR_PIECE * SIM_TENSOR_PIECE;
}

// Of so many cells of 16 bytes: the lower 6 bits of each.
static void pack_row(uint8_t *to, const uint8_t *from, uint32_t cells) {
    for (uint32_t i = 0; i < 16 * cells; i += 4, to += 3) {
        uint32_t word = 0;
        for (uint32_t k = 0; k < 4; k++) word |= (from[i + k] & 63u) << 6 * k;
        memcpy(to, &word, 3);
    }
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
        if (!reduces && box->stored == box->element) row.bytes = whole_pieces(row.bytes);
        uint8_t *host = open_row(warp, instr, lane, &row, i * box->pitch + row.before,
                                 reduces ? SIM_ACCESS_ATOMIC : SIM_ACCESS_WRITE, &last_sector);
        if (!host) return false;
        const uint8_t *from = bytes + (size_t)i * box->pitch + row.before;
        if (box->stored != box->element) pack_row(host, from, row.bytes / box->stored);
        else if (reduces)
            reduce_bytes(element_type(&box->map), instr->atomic, host, from, row.bytes);
        else memcpy(host, from, row.bytes);
    }
    sim_note_change(warp);
    return true;
}

// ---- Observers ---------------------------------------------------------------------------------

// Boxes that touch the tensor's border come about by rounding up and at halos; not this.
static bool is_far_outside(const tensor_box *box) {
    for (uint32_t axis = 0; axis < box->map.rank; axis++) {
        int64_t length = (int64_t)(box->map.box[axis] - 1) * box->map.steps[axis] + 1;
        if (box->at[axis] < -2 * length || box->at[axis] > (int64_t)box->map.last[axis] + length)
            return true;
    }
    return false;
}

static bool goes_to_others(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_block *block = warp->block;
    if (instr->variant != SIM_BULK_TO_SHARED) return false;
    if (instr->src[2] != SIM_NO_SLOT)
        return SLOT(const uint32_t, instr->src[2])[lane] & ~(1u << block->cluster_rank);
    uint64_t window =
        shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane) /
        SIM_WINDOW_BYTES;
    return window && window != block->cluster_rank + 1;
}

static void notify_box(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                       const tensor_box *box) {
    const sim_observer *observer = warp->block->grid->observer;
    if (!observer->tensor) return;
    sim_tensor_event event = {.block = warp->block->index,
                              .warp = warp->index,
                              .lane = lane,
                              .function = warp->frame->function,
                              .instr = instr,
                              .map = &box->map,
                              .is_far_outside = is_far_outside(box),
                              .to_others = goes_to_others(warp, instr, lane)};
    observer->tensor(observer->context, &event);
}

// ---- Probes (record/traces.h) -------------------------------------------------------------------

static void note_box(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                     const tensor_box *box) {
    const sim_block *block = warp->block;
    const sim_function *function = warp->frame->function;
    sim_probe *probe = sim_probe_at(block->grid->probes, block->worker->index, function,
                                    function->bound->index, instr->pc);
    uint64_t address =
        shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane);
    const sim_box_map map = {.stores = instr->variant == SIM_BULK_TO_GLOBAL,
                             .rows = box->rows,
                             .row_bytes = box->row_bytes,
                             .swizzle = box->map.swizzle ? box->pitch : 0,
                             .offset = (uint32_t)(address % SIM_WINDOW_BYTES)};
    if (probe) sim_probe_note_box(probe, block->index, &map);
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
    if (warp->counting) {
        bool multicast = instr->variant == SIM_BULK_TO_SHARED && instr->src[2] != SIM_NO_SLOT;
        uint32_t ranks = multicast ? SLOT(const uint32_t, instr->src[2])[lane] & 0xFFFF : 1;
        count_bulk_request(warp, instr);
        trace_bulk(warp, instr, lane, box.rows * box.row_bytes,
                   (uint32_t)__builtin_popcount(ranks));
    }
    if (warp->observing) notify_box(warp, instr, lane, &box);
    bool done = instr->variant == SIM_BULK_TO_GLOBAL ? to_global(warp, instr, lane, &box, bytes)
                                                     : to_shared(warp, instr, lane, &box, bytes);
    free(bytes);
    if (done && warp->counting && warp->block->grid->probes) note_box(warp, instr, lane, &box);
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

// ---- tensormap ----------------------------------------------------------------------------------

// The bytes of the map that a lane names; NULL: a fault.
static uint8_t *open_map(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                         sim_access_kind kind) {
    uint64_t address = global_address(warp, instr, lane), generic = address;
    bool shared = instr->space == PTX_SPACE_SHARED;
    if (shared) generic = SIM_SHARED_WINDOW + address % SIM_WINDOW_BYTES;
    const uint8_t *bytes = generic % SIM_TENSOR_MAP_BYTES
                               ? NULL
                               : sim_warp_peek(warp, lane, generic, SIM_TENSOR_MAP_BYTES);
    if (!bytes) {
        sim_fault_bulk(warp, instr, lane, address, SIM_TENSOR_MAP_BYTES, SIM_TENSOR_MAP_BYTES,
                       shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL);
        return NULL;
    }
    if (warp->observing && shared)
        notify_bulk(warp, instr, lane, PTX_SPACE_SHARED, sim_shared_offset(warp, address),
                    SIM_TENSOR_MAP_BYTES, kind);
    else if (warp->observing && instr->space == PTX_SPACE_GLOBAL)
        notify_bulk(warp, instr, lane, PTX_SPACE_GLOBAL, sim_device_address(warp, address),
                    SIM_TENSOR_MAP_BYTES, kind);
    return (uint8_t *)bytes;
}

static bool replace(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    uint8_t *bytes = open_map(warp, instr, lane, SIM_ACCESS_WRITE);
    sim_tensor_map map;
    if (!bytes) return false;
    bool wide = instr->variant == SIM_TENSOR_ADDRESS || instr->variant == SIM_TENSOR_STRIDE;
    uint64_t value = wide ? SLOT(const uint64_t, instr->src[1])[lane]
                          : SLOT(const uint32_t, instr->src[1])[lane];
    memcpy(&map, bytes, sizeof map);
    if (!sim_tensor_map_replace(&map, (sim_tensor_field)instr->variant, instr->vector, value))
        return fail(warp, instr, lane, "there is no tensor map at the address given");
    memcpy(bytes, &map, sizeof map);
    return true;
}

// All lanes name the same map.
static void copy_map(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    uint64_t offset =
        shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane);
    if (!check_shared(warp, instr, lane, offset, SIM_TENSOR_MAP_BYTES, SIM_TENSOR_MAP_BYTES))
        return;
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_SHARED, offset, SIM_TENSOR_MAP_BYTES,
                    SIM_ACCESS_READ);
    uint8_t *bytes = open_map(warp, instr, lane, SIM_ACCESS_WRITE);
    if (bytes) memcpy(bytes, warp->shared + offset, SIM_TENSOR_MAP_BYTES);
}

HANDLER(tensormap) {
    if (instr->variant == SIM_TENSOR_QUERY) { // an H200 has maps of one class only
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            if (!open_map(warp, instr, (uint32_t)__builtin_ctz(rest), SIM_ACCESS_READ)) return;
        write_predicate(warp, instr->dst, lanes, 0);
        return;
    }
    if (instr->variant == SIM_TENSOR_COPY) copy_map(warp, instr, (uint32_t)__builtin_ctz(lanes));
    for (uint32_t rest = lanes; rest && instr->variant < SIM_TENSOR_FIELDS; rest &= rest - 1)
        if (!replace(warp, instr, (uint32_t)__builtin_ctz(rest))) return;
    sim_note_change(warp);
}
BIND(TENSORMAP) {
    (void)instr;
    return tensormap;
}
