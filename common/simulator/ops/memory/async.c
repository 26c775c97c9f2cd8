// Asynchronous copies from global to shared memory, lane by lane (PTX ISA, "cp.async"): what a
// thread issues. When the bytes arrive: warps/warp.h.
#include "ops/memory/internal.h"

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
        shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane);
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
