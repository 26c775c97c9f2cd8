// SPDX-License-Identifier: MIT
// Asynchronous copies between global and shared memory (PTX ISA, "cp.async", "cp.async.bulk"): what
// a thread issues. When the bytes arrive: warps/async.h.
#include "ops/memory/count.h"
#include "ops/memory/memory.h"

// ---- Addresses ----

// Offset in shared memory of the second address of a copy, or of the third of a bulk copy.
static uint64_t shared_offset(const sim_warp *warp, uint32_t slot, bool wide, uint32_t displacement,
                              uint32_t lane) {
    int64_t add = (int32_t)displacement;
    if (!wide) return SLOT(const uint32_t, slot)[lane] + (uint32_t)add;
    uint64_t address = SLOT(const uint64_t, slot)[lane] + (uint64_t)add;
    return address - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES ? address - SIM_SHARED_WINDOW : address;
}

static bool check_shared(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t offset,
                         uint32_t bytes, uint32_t alignment) {
    bool inside = offset < warp->shared_bytes && bytes <= warp->shared_bytes - offset;
    if (inside && offset % alignment == 0) return true;
    sim_fault_address(warp, instr, lane, offset, bytes, PTX_SPACE_SHARED);
    return false;
}

static uint64_t global_address(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (has(instr, SIM_MOD_ADDRESS32))
        return SLOT(const uint32_t, instr->src[0])[lane] + (uint32_t)instr->offset;
    return SLOT(const uint64_t, instr->src[0])[lane] + (uint64_t)instr->offset;
}

static uint8_t *check_global(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                             uint64_t address, uint32_t bytes, uint32_t alignment) {
    uint8_t *host = NULL;
    if (address % alignment == 0) host = SIM_VARIANT(sim_find_global)(warp, instr, address, bytes);
    if (!host) sim_fault_address(warp, instr, lane, address, bytes, PTX_SPACE_GLOBAL);
    return host;
}

// ---- cp.async ----

typedef struct copy_sources {
    uint64_t address[SIM_WARP_LANES];
    uint32_t bytes[SIM_WARP_LANES]; // of the source; the rest becomes zero
    uint32_t reading;               // lanes that read at all
} copy_sources;

static uint32_t source_bytes(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                             uint32_t bytes) {
    if (instr->src[2] == SIM_NO_SLOT) return bytes;
    if (has(instr, SIM_MOD_PRED_OPERANDS))
        return *SLOT(const uint32_t, instr->src[2]) >> lane & 1 ? 0 : bytes;
    uint32_t asked = SLOT(const uint32_t, instr->src[2])[lane];
    return asked < bytes ? asked : bytes;
}

// As the hardware counts LDGSTS: a load request, and the sectors of what is read. No copy of up to
// 16 aligned bytes touches two sectors.
static void count_copy(sim_warp *warp, const sim_instr *instr, const copy_sources *sources) {
    sim_raw_counts *counts = counts_of(warp, instr);
    const sim_footprint *footprint = warp->record.footprint;
    counts->requests++;
    if (!sources->reading) return;
    counts->sectors += sim_access_sectors(sources->address, sources->reading, 1);
    warp->record.requests++;
    record_lanes(warp, instr, sources->address, sources->reading,
                 ptx_type_bytes((ptx_type)instr->type), trace_kind(instr, COUNT_READ));
    for (uint32_t rest = sources->reading; rest; rest &= rest - 1) {
        uint64_t first = sources->address[__builtin_ctz(rest)];
        sim_footprint_mark(footprint, footprint->read, first, first);
    }
}

// Lanes that read equally many bytes are told together.
static void notify_copy(sim_warp *warp, const sim_instr *instr, const copy_sources *sources) {
    const sim_observer *observer = warp->block->grid->observer;
    for (uint32_t rest = sources->reading; rest && observer->access;) {
        uint32_t bytes = sources->bytes[__builtin_ctz(rest)], group = 0;
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            if (rest & lane_bit[lane] && sources->bytes[lane] == bytes) group |= lane_bit[lane];
        rest &= ~group;
        sim_access_event event = {.worker = warp->block->worker->index,
                                  .block = warp->block->index,
                                  .owner = warp->block->index,
                                  .warp = warp->index,
                                  .function = warp->frame->function,
                                  .instr = instr,
                                  .lanes = group,
                                  .space = PTX_SPACE_GLOBAL,
                                  .kind = SIM_ACCESS_READ,
                                  .bytes = bytes,
                                  .addresses = sources->address};
        observer->access(observer->context, &event);
    }
}

// Reads one lane's source into the copy; false: a fault.
static bool read_lane(sim_warp *warp, const sim_instr *instr, uint32_t lane, sim_copy *copy,
                      copy_sources *sources) {
    uint32_t bytes = copy->bytes, wanted = source_bytes(warp, instr, lane, bytes);
    uint64_t offset =
        shared_offset(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane);
    if (!check_shared(warp, instr, lane, offset, bytes, bytes)) return false;
    copy->offset[lane] = (uint32_t)offset;
    copy->group[lane] = warp->copies.groups[lane];
    memset(copy->data[lane], 0, sizeof copy->data[lane]);
    if (!wanted) return true;
    uint64_t address = global_address(warp, instr, lane);
    const uint8_t *host = check_global(warp, instr, lane, address, wanted, bytes);
    if (!host) return false;
    sources->address[lane] = sim_device_address(warp, address);
    sources->bytes[lane] = wanted;
    sources->reading |= lane_bit[lane];
    memcpy(copy->data[lane], host, wanted);
    return true;
}

HANDLER(cp_async) {
    copy_sources sources;
    sources.reading = 0;
    sim_copy *copy = sim_async_copy(warp);
    if (!copy) return;
    copy->instr = instr;
    copy->function = warp->frame->function;
    copy->bytes = ptx_type_bytes((ptx_type)instr->type);
    copy->lanes = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (!read_lane(warp, instr, (uint32_t)__builtin_ctz(rest), copy, &sources)) return;
    copy->lanes = lanes;
    if (warp->counting) count_copy(warp, instr, &sources);
    if (!warp->observing) return;
    notify_copy(warp, instr, &sources);
    sim_async_notify_copy(warp, copy, SIM_ACCESS_BEGIN, lanes);
}
BIND(CP_ASYNC) {
    (void)instr;
    return cp_async;
}

HANDLER(cp_commit) {
    (void)instr;
    sim_async_commit(warp, lanes);
}
BIND(CP_COMMIT) {
    (void)instr;
    return cp_commit;
}

HANDLER(cp_wait) {
    bool all = instr->src[0] == SIM_NO_SLOT;
    uint32_t keep = all ? 0 : SLOT(const uint32_t, instr->src[0])[__builtin_ctz(lanes)];
    sim_async_wait(warp, lanes, keep, all);
}
BIND(CP_WAIT) {
    (void)instr;
    return cp_wait;
}

// ---- cp.async.bulk ----

enum { BULK_ALIGNMENT = 16 };

static void notify_bulk(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint8_t space,
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

static bool announce(sim_warp *warp, const sim_instr *instr, uint32_t lane, const uint8_t *source,
                     uint32_t offset, uint32_t bytes) {
    uint64_t mbarrier =
        shared_offset(warp, instr->src[3], has(instr, SIM_MOD_DST64), instr->reconverge, lane);
    if (!check_shared(warp, instr, lane, mbarrier, 8, 8)) return false;
    sim_delivery *delivery = sim_async_delivery(warp, bytes);
    if (!delivery) return false;
    delivery->instr = instr;
    delivery->function = warp->frame->function;
    delivery->lanes = lane_bit[lane];
    delivery->mbarrier = (uint32_t)mbarrier;
    delivery->offset = offset;
    memcpy(delivery->data, source, bytes);
    if (warp->observing) sim_async_notify_delivery(delivery, SIM_ACCESS_BEGIN);
    return true;
}

static void count_bulk(sim_warp *warp, const sim_instr *instr, uint64_t address, uint32_t bytes,
                       bool loads) {
    sim_raw_counts *counts = counts_of(warp, instr);
    const sim_footprint *footprint = warp->record.footprint;
    sim_footprint_mark(footprint, loads ? footprint->read : footprint->written, address,
                       address + bytes - 1);
    if (!loads && footprint->writers)
        sim_writers_note(footprint->writers, address, bytes, footprint->writers->kernel);
    counts->requests++;
    counts->sectors += (address + bytes - 1) / SIM_SECTOR_BYTES - address / SIM_SECTOR_BYTES + 1;
    warp->record.requests++;
    sim_record_span(&warp->record, instr, address, address, bytes, true,
                    loads ? SIM_TRACE_LOAD_PAST_L1 : SIM_TRACE_STORE);
}

// One lane's copy. Stores to global memory happen at once: their groups only tell when the source
// may be used again. The copy engine does not pass through the load-store unit: only traffic
// counts.
static bool bulk_lane(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    uint32_t bytes = SLOT(const uint32_t, instr->src[2])[lane];
    bool loads = instr->variant == SIM_BULK_TO_SHARED;
    uint64_t address = global_address(warp, instr, lane);
    uint64_t offset =
        shared_offset(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane);
    if (bytes % BULK_ALIGNMENT) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "a bulk copy of %u bytes: the size must be a multiple of %d", bytes,
                       BULK_ALIGNMENT);
        return false;
    }
    if (bytes == 0) return true;
    if (!check_shared(warp, instr, lane, offset, bytes, BULK_ALIGNMENT)) return false;
    uint8_t *host = check_global(warp, instr, lane, address, bytes, BULK_ALIGNMENT);
    if (!host) return false;
    address = sim_device_address(warp, address);
    if (warp->counting) count_bulk(warp, instr, address, bytes, loads);
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_GLOBAL, address, bytes,
                    loads ? SIM_ACCESS_READ : SIM_ACCESS_WRITE);
    if (loads) return announce(warp, instr, lane, host, (uint32_t)offset, bytes);
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_SHARED, offset, bytes, SIM_ACCESS_READ);
    memcpy(host, warp->shared + offset, bytes);
    sim_note_change(warp);
    return true;
}

HANDLER(bulk) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (!bulk_lane(warp, instr, (uint32_t)__builtin_ctz(rest))) return;
}
BIND(BULK) {
    (void)instr;
    return bulk;
}

HANDLER(bulk_group) {
    (void)warp;
    (void)instr;
    (void)lanes;
}
BIND(BULK_GROUP) {
    (void)instr;
    return bulk_group;
}
