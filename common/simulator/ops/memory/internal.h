// What atomics and asynchronous copies have in common.
#pragma once

#include "ops/memory/count.h"
#include "ops/memory/memory.h"
#include "program/fpmath.h"

// ---- copies -------------------------------------------------------------------------------------
// What asynchronous copies have in common: their second and third address, checks, and where a bulk
// copy ends.

// ---- Addresses ----

// In the shared memory of the cluster (sim_shared_offset), the second address of a copy or the
// third of a bulk copy.
static inline uint64_t shared_address(const sim_warp *warp, uint32_t slot, bool wide,
                                      uint32_t displacement, uint32_t lane) {
    int64_t add = (int32_t)displacement;
    if (!wide) return sim_shared_offset(warp, SLOT(const uint32_t, slot)[lane] + (uint32_t)add);
    return sim_wide_shared_offset(warp, SLOT(const uint64_t, slot)[lane] + (uint64_t)add);
}

// Of the block's own shared memory.
static inline bool check_shared(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                                uint64_t offset, uint32_t bytes, uint32_t alignment) {
    bool inside = offset < warp->shared_bytes && bytes <= warp->shared_bytes - offset;
    if (inside && offset % alignment == 0) return true;
    sim_fault_bulk(warp, instr, lane, offset, bytes, alignment, PTX_SPACE_SHARED);
    return false;
}

static inline uint64_t global_address(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (has(instr, SIM_MOD_ADDRESS32))
        return SLOT(const uint32_t, instr->src[0])[lane] + (uint32_t)instr->offset;
    return SLOT(const uint64_t, instr->src[0])[lane] + (uint64_t)instr->offset;
}

static inline uint8_t *check_global(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                                    uint64_t address, uint32_t bytes, uint32_t alignment) {
    uint8_t *host = NULL;
    if (address % alignment == 0) host = SIM_VARIANT(sim_find_global)(warp, instr, address, bytes);
    if (!host) sim_fault_bulk(warp, instr, lane, address, bytes, alignment, PTX_SPACE_GLOBAL);
    return host;
}

// ---- Where a bulk copy ends ----

// A piece of the shared memory of one block of the cluster.
typedef struct bulk_place {
    sim_block *block;
    uint32_t offset;
} bulk_place;

// `address` is one of the cluster's.
static inline bool find_place(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                              uint64_t address, uint32_t bytes, uint32_t alignment,
                              bulk_place *out) {
    uint64_t within = address % SIM_WINDOW_BYTES, window = address / SIM_WINDOW_BYTES;
    sim_block *block = window == 0                            ? warp->block
                       : window <= warp->block->cluster_count ? &warp->block->cluster[window - 1]
                                                              : NULL;
    bool alive = block && (block == warp->block || block->live_threads);
    bool inside = alive && within < block->shared_bytes && bytes <= block->shared_bytes - within;
    if (!inside || within % alignment) {
        sim_fault_bulk(warp, instr, lane, address, bytes, alignment, PTX_SPACE_SHARED);
        return false;
    }
    *out = (bulk_place){block, (uint32_t)within};
    return true;
}

// The bulk copy of one lane into shared memory: of `bytes`, to the blocks of `ranks` at the same
// offsets, or only to the one of its addresses where there is no mask.
typedef struct bulk_delivery {
    const uint8_t *source;      // [bytes], as they are to lie in shared memory, before swizzling
    uint32_t bytes;             // that it takes there
    uint32_t completes;         // bytes that the mbarrier is told of
    uint32_t row_bytes;         // swizzled: of each row, whose pitch is the swizzle's span
    uint32_t alignment;         // that the place must have
    uint64_t address, mbarrier; // in the shared memory of the cluster
    bool multicast;             // `ranks` counts
    uint16_t ranks;             // of the cluster, as bits
    uint8_t swizzle;            // sim_tensor_map.swizzle
    sim_combine_fn combine;     // a reduction, or NULL
    uint8_t type, atomic;       // of the reduction
} bulk_delivery;
// False: a fault.
bool SIM_VARIANT(sim_bulk_deliver)(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                                   const bulk_delivery *delivery);

// Tells the observer of one lane's part of a bulk copy.
static inline void notify_bulk(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint8_t space,
                               uint64_t address, uint32_t bytes, sim_access_kind kind) {
    const sim_observer *observer = warp->block->grid->observer;
    if (!observer->access) return;
    uint64_t addresses[SIM_WARP_LANES];
    for (uint32_t i = 0; i < SIM_WARP_LANES; i++) addresses[i] = address;
    sim_access_event event = {.worker = warp->block->worker->index,
                              .block = warp->block->index,
                              .owner = warp->block->index,
                              .warp = warp->index,
                              .function = warp->frame->function,
                              .instr = instr,
                              .lanes = lane_bit[lane],
                              .space = space,
                              .kind = kind,
                              .bytes = bytes,
                              .addresses = addresses,
                              .memory = space == PTX_SPACE_SHARED ? warp->shared : NULL};
    observer->access(observer->context, &event);
}

// Counts one piece of device memory in a row. `shared_sector`: the piece before it ends in the
// sector where this one begins.
static inline void count_bulk(sim_warp *warp, const sim_instr *instr, uint64_t address,
                              uint32_t bytes, bool loads, bool shared_sector) {
    sim_raw_counts *counts = counts_of(warp, instr);
    const sim_footprint *footprint = warp->record.footprint;
    sim_footprint_mark(footprint, loads ? footprint->read : footprint->written, address,
                       address + bytes - 1);
    if (!loads && footprint->writers)
        sim_writers_note(footprint->writers, address, bytes, footprint->writers->kernel);
    counts->sectors +=
        (address + bytes - 1) / SIM_SECTOR_BYTES - address / SIM_SECTOR_BYTES + 1 - shared_sector;
    sim_record_span(&warp->record, instr, address, address, bytes, true,
                    loads ? SIM_TRACE_LOAD_PAST_L1 : SIM_TRACE_STORE);
}

static inline void count_bulk_request(sim_warp *warp, const sim_instr *instr) {
    counts_of(warp, instr)->requests++;
    warp->record.requests++;
}

// For the trace of the warp, before its lines: a lane's copy of so many bytes, which `blocks` get.
static inline void trace_bulk(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint32_t bytes,
                              uint32_t blocks) {
    sim_traced_line what = {
        .kind = SIM_TRACED_COPY, .line = bytes, .sectors = (uint8_t)blocks, .wavefronts = 0};
    if (instr->src[3] != SIM_NO_SLOT && instr->variant != SIM_BULK_TO_GLOBAL)
        what.wavefronts = (uint16_t)(shared_address(warp, instr->src[3], has(instr, SIM_MOD_DST64),
                                                    instr->reconverge, lane) %
                                     SIM_WINDOW_BYTES / SIM_TRACED_OFFSET);
    sim_record_event(&warp->record, instr, what);
}

// Reductions reach device memory in the order of blocks, as atomics do. False: the launch has
// failed.
static inline bool bulk_in_order(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (warp->block->ordered || sim_block_order(warp->block)) return true;
    sim_fault_text(warp, instr, lane, SIM_INTERNAL, "cancelled");
    return false;
}

// ---- reduce -------------------------------------------------------------------------------------
// What reductions compute of an old value and an operand: floating-point sums of atomics, and the
// elements of a reducing bulk copy (PTX ISA, "atom", "cp.reduce.async.bulk").

// As an H100 gives: the L2 flushes subnormals of .f32 and passes NaN of .f64 on as they are, the
// operand's first; on shared memory both are ordinary additions.
static inline float sum_f32(float old, float operand, uint8_t space) {
    if (space == PTX_SPACE_SHARED) return sim_canonical(old + operand);
    return sim_flush(sim_canonical(sim_flush(old) + sim_flush(operand)));
}
static inline double sum_f64(double old, double operand, uint8_t space) {
    if (space == PTX_SPACE_SHARED) {
        double nan = old != old ? old : operand;
        return nan != nan ? sim_double_from_bits(sim_bits_from_double(nan) | UINT64_C(1) << 51)
                          : old + operand;
    }
    return operand != operand ? operand : old != old ? old : old + operand;
}

// A half or bfloat16 as bits.
static inline uint32_t half_result(uint8_t type, uint8_t variant, uint32_t old, uint32_t operand) {
    bool brain = type == PTX_BF16 || type == PTX_BF16X2;
    double x = brain ? (double)sim_float_from_bf16(old) : sim_double_from_f16(old);
    double y = brain ? (double)sim_float_from_bf16(operand) : sim_double_from_f16(operand);
    double result = sim_odd_add(x, y);
    if (variant != SIM_ATOMIC_ADD && x == y) // -0 is below +0
        return variant == SIM_ATOMIC_MIN ? old | operand : old & operand;
    if (variant == SIM_ATOMIC_MIN) result = fmin(x, y);
    if (variant == SIM_ATOMIC_MAX) result = fmax(x, y);
    if (result != result) return SIM_NAN_F16;
    return (uint32_t)sim_pack_double(brain ? &sim_format_bf16 : &sim_format_f16, result,
                                     SIM_ROUND_RN);
}

// ---- Elements of a bulk copy, whose sums of .f32 keep subnormals (H200) ----

static inline uint64_t reduce_bits(uint8_t atomic, uint64_t old, uint64_t b) {
    switch (atomic) {
    case SIM_ATOMIC_ADD: return old + b;
    case SIM_ATOMIC_AND: return old & b;
    case SIM_ATOMIC_OR: return old | b;
    case SIM_ATOMIC_XOR: return old ^ b;
    case SIM_ATOMIC_INC: return old >= b ? 0 : old + 1;
    case SIM_ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case SIM_ATOMIC_MIN: return b < old ? b : old;
    default: return b > old ? b : old;
    }
}

static inline int64_t reduce_signed(uint8_t atomic, int64_t old, int64_t b) {
    return (atomic == SIM_ATOMIC_MIN) == (b < old) ? b : old;
}

static inline uint64_t reduce_element(uint8_t type, uint8_t atomic, uint64_t old, uint64_t b) {
    bool extreme = atomic == SIM_ATOMIC_MIN || atomic == SIM_ATOMIC_MAX;
    bool adds = atomic == SIM_ATOMIC_ADD;
    switch (type) {
    case PTX_F16:
    case PTX_BF16: return half_result(type, atomic, (uint32_t)old, (uint32_t)b);
    case PTX_F32:
        if (!adds) break;
        return sim_bits_from_float(
            sim_canonical(sim_float_from_bits((uint32_t)old) + sim_float_from_bits((uint32_t)b)));
    case PTX_F64:
        if (!adds) break;
        return sim_bits_from_double(
            sum_f64(sim_double_from_bits(old), sim_double_from_bits(b), PTX_SPACE_GLOBAL));
    case PTX_S32:
        if (extreme) return (uint64_t)reduce_signed(atomic, (int32_t)old, (int32_t)b);
        break;
    case PTX_S64:
        if (extreme) return (uint64_t)reduce_signed(atomic, (int64_t)old, (int64_t)b);
        break;
    default: break;
    }
    return reduce_bits(atomic, old, b);
}

// Combines `bytes` of elements of `type` in `to` with those in `from`, in place.
static inline void reduce_bytes(uint8_t type, uint8_t atomic, uint8_t *to, const uint8_t *from,
                                uint32_t bytes) {
    uint32_t element = ptx_type_bytes((ptx_type)type);
    for (uint32_t at = 0; at < bytes; at += element) {
        uint64_t old = 0, operand = 0;
        memcpy(&old, to + at, element);
        memcpy(&operand, from + at, element);
        uint64_t result = reduce_element(type, atomic, old, operand);
        memcpy(to + at, &result, element);
    }
}
