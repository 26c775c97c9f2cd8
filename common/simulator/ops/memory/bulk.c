// Bulk copies of bytes in a row (PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk"): between global
// memory and shared memory, and from block to block of a cluster. The copy engine does not pass
// through the load-store unit: only traffic counts. When the bytes arrive: warps/warp.h.
#include "ops/memory/internal.h"
#include "warps/job.h"

enum { BULK_ALIGNMENT = 16 };

// ---- Into shared memory ----

static bool announce(sim_warp *warp, const sim_instr *instr, uint32_t lane, bulk_place place,
                     bulk_place barrier, const bulk_delivery *request) {
    sim_delivery *delivery = sim_async_delivery(warp, barrier.block, request->bytes);
    if (!delivery) return false;
    delivery->place = place.block;
    delivery->instr = instr;
    delivery->function = warp->frame->function;
    delivery->lanes = lane_bit[lane];
    delivery->mbarrier = barrier.offset;
    delivery->offset = place.offset;
    delivery->completes = request->completes;
    delivery->row_bytes = request->row_bytes;
    delivery->swizzle = request->swizzle;
    delivery->combine = request->combine;
    delivery->type = request->type;
    delivery->atomic = request->atomic;
    memcpy(delivery->data, request->source, request->bytes);
    if (warp->observing && place.block == warp->block)
        sim_async_notify_delivery(delivery, SIM_ACCESS_BEGIN);
    return true;
}

static bool announce_at(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                        uint64_t mbarrier, const bulk_delivery *request) {
    bulk_place place, barrier;
    if (!find_place(warp, instr, lane, address, request->bytes, request->alignment, &place) ||
        !find_place(warp, instr, lane, mbarrier, 8, 8, &barrier))
        return false;
    uint32_t apart = place.block->cluster_rank ^ barrier.block->cluster_rank;
    if (apart > has(instr, SIM_MOD_PAIR)) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "a bulk copy's mbarrier is in another block than its destination%s",
                       has(instr, SIM_MOD_PAIR) ? " and not in its peer" : "");
        return false;
    }
    return announce(warp, instr, lane, place, barrier, request);
}

// Where the shared memory of block `rank` begins for block `own`.
static uint64_t window_of(uint32_t rank, uint32_t own) {
    return rank == own ? 0 : (rank + 1) * SIM_WINDOW_BYTES;
}

bool SIM_VARIANT(sim_bulk_deliver)(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                                   const bulk_delivery *request) {
    if (!request->multicast)
        return announce_at(warp, instr, lane, request->address, request->mbarrier, request);
    if (request->ranks >> warp->block->cluster_count) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "a multicast to the blocks 0x%x of a cluster of %u", request->ranks,
                       warp->block->cluster_count);
        return false;
    }
    // Of a pair the block tells whose rank is even or odd as that of the mbarrier that is named.
    uint32_t own = warp->block->cluster_rank, pairs = has(instr, SIM_MOD_PAIR);
    uint64_t named = request->mbarrier / SIM_WINDOW_BYTES;
    uint32_t parity = (named ? (uint32_t)named - 1 : own) & 1;
    for (uint32_t rest = request->ranks; rest; rest &= rest - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(rest);
        uint32_t teller = pairs ? (rank & ~1u) | parity : rank;
        if (!announce_at(warp, instr, lane,
                         window_of(rank, own) + request->address % SIM_WINDOW_BYTES,
                         window_of(teller, own) + request->mbarrier % SIM_WINDOW_BYTES, request))
            return false;
    }
    return true;
}

// Of a copy with a list: blocks that get it, else how many bytes at its ends may lie outside.
static bool is_multicast(const sim_instr *instr) {
    return instr->list != SIM_NO_SLOT && instr->vector == 1;
}

static uint16_t ranks_of(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (!is_multicast(instr)) return 0;
    return (uint16_t)SLOT(const uint32_t, vector_slot(warp, instr, 0))[lane];
}

// How many blocks get a copy.
static uint32_t blocks_of(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (!is_multicast(instr)) return 1;
    return (uint32_t)__builtin_popcount(ranks_of(warp, instr, lane));
}

static bool deliver(sim_warp *warp, const sim_instr *instr, uint32_t lane, const uint8_t *source,
                    uint64_t address, uint32_t bytes) {
    bool reduces = has(instr, SIM_MOD_REDUCES);
    const bulk_delivery request = {
        .source = source,
        .bytes = bytes,
        .completes = bytes,
        .alignment = BULK_ALIGNMENT,
        .address = address,
        .mbarrier =
            shared_address(warp, instr->src[3], has(instr, SIM_MOD_DST64), instr->reconverge, lane),
        .multicast = is_multicast(instr),
        .ranks = ranks_of(warp, instr, lane),
        .combine = reduces ? reduce_bytes : NULL,
        .type = instr->type,
        .atomic = instr->atomic};
    return SIM_VARIANT(sim_bulk_deliver)(warp, instr, lane, &request);
}

// ---- Copies ----

// From the block's own shared memory to that of another one.
static bool to_cluster(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint32_t bytes,
                       uint64_t offset) {
    uint64_t address = global_address(warp, instr, lane);
    address = has(instr, SIM_MOD_ADDRESS32) ? sim_shared_offset(warp, address)
                                            : sim_wide_shared_offset(warp, address);
    if (!check_shared(warp, instr, lane, offset, bytes, BULK_ALIGNMENT)) return false;
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_SHARED, offset, bytes, SIM_ACCESS_READ);
    if (warp->counting) {
        count_bulk_request(warp, instr);
        trace_bulk(warp, instr, lane, bytes, 1);
        counts_of(warp, instr)->sectors += bytes / SIM_SECTOR_BYTES;
    }
    return deliver(warp, instr, lane, warp->shared + offset, address, bytes);
}

// Stores to global memory happen at once: their groups only tell when the source may be used again.
static bool to_global(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint32_t bytes,
                      uint8_t *host, uint64_t offset) {
    bool reduces = has(instr, SIM_MOD_REDUCES);
    if (reduces && !bulk_in_order(warp, instr, lane)) return false;
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_SHARED, offset, bytes, SIM_ACCESS_READ);
    if (reduces) reduce_bytes(instr->type, instr->atomic, host, warp->shared + offset, bytes);
    else memcpy(host, warp->shared + offset, bytes);
    sim_note_change(warp);
    return true;
}

// Bytes at the ends of a source that may lie outside (.ignore_oob).
typedef struct bulk_ends {
    uint32_t left, right;
} bulk_ends;

static bulk_ends ends_of(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (instr->list == SIM_NO_SLOT || is_multicast(instr)) return (bulk_ends){0, 0};
    return (bulk_ends){SLOT(const uint32_t, vector_slot(warp, instr, 0))[lane],
                       SLOT(const uint32_t, vector_slot(warp, instr, 1))[lane]};
}

// The source, or where an end lies outside a copy of it with zeros there, to be freed. NULL: a
// fault.
static uint8_t *source_of(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                          uint32_t bytes, bulk_ends ends, uint8_t **out_made) {
    bool whole = address % BULK_ALIGNMENT || !(ends.left | ends.right) ||
                 (uint64_t)ends.left + ends.right >= bytes ||
                 SIM_VARIANT(sim_find_global)(warp, instr, address, bytes);
    *out_made = NULL;
    if (whole) return check_global(warp, instr, lane, address, bytes, BULK_ALIGNMENT);
    uint32_t inner = bytes - ends.left - ends.right;
    const uint8_t *host = check_global(warp, instr, lane, address + ends.left, inner, 1);
    if (host && (*out_made = calloc(1, bytes))) memcpy(*out_made + ends.left, host, inner);
    return *out_made;
}

static bool bulk_lane(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    uint32_t bytes = SLOT(const uint32_t, instr->src[2])[lane];
    bool loads = instr->variant == SIM_BULK_TO_SHARED;
    uint64_t offset =
        shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane);
    if (bytes % BULK_ALIGNMENT) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "a bulk copy of %u bytes: the size must be a multiple of %d", bytes,
                       BULK_ALIGNMENT);
        return false;
    }
    if (bytes == 0) return true;
    if (instr->variant == SIM_BULK_TO_CLUSTER) return to_cluster(warp, instr, lane, bytes, offset);
    uint64_t address = global_address(warp, instr, lane);
    if (!loads && !check_shared(warp, instr, lane, offset, bytes, BULK_ALIGNMENT)) return false;
    bulk_ends ends = ends_of(warp, instr, lane);
    uint8_t *made, *host = source_of(warp, instr, lane, address, bytes, ends, &made);
    if (!host) return false;
    if (!made) ends = (bulk_ends){0, 0};
    address = sim_device_address(warp, address + ends.left);
    uint32_t touched = bytes - ends.left - ends.right;
    if (warp->counting) {
        count_bulk_request(warp, instr);
        trace_bulk(warp, instr, lane, bytes, loads ? blocks_of(warp, instr, lane) : 1);
        count_bulk(warp, instr, address, touched, loads, false);
    }
    if (warp->observing)
        notify_bulk(warp, instr, lane, PTX_SPACE_GLOBAL, address, touched,
                    loads                         ? SIM_ACCESS_READ
                    : has(instr, SIM_MOD_REDUCES) ? SIM_ACCESS_ATOMIC
                                                  : SIM_ACCESS_WRITE);
    bool loaded = loads && deliver(warp, instr, lane, host, offset, bytes);
    free(made);
    return loads ? loaded : to_global(warp, instr, lane, bytes, host, offset);
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
    if (warp->observing) sim_observe_sync(warp, instr, SIM_SYNC_BULK_GROUP, lanes);
}
BIND(BULK_GROUP) {
    (void)instr;
    return bulk_group;
}

// ---- Launches of clusters -----------------------------------------------------------------------

// Of the clusters that have not started, the next one is cancelled: its blocks never run.
static bool cancel_launch(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_block *block = warp->block;
    const sim_grid *grid = block->grid;
    if (block->all_begun) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "a request to cancel a launch, after the block has read that none is left");
        return false;
    }
    uint64_t first = sim_job_cancel(block->worker->job, sim_launch_cluster_blocks(grid->launch));
    uint32_t answer[4] = {0};
    if (first != UINT64_MAX) {
        sim_dim3 id = sim_unfold(sim_schedule_block(grid, first), grid->launch->config.grid);
        memcpy(answer, (uint32_t[]){id.x, id.y, id.z, 1}, sizeof answer);
    }
    const bulk_delivery request = {
        .source = (const uint8_t *)answer,
        .bytes = sizeof answer,
        .completes = sizeof answer,
        .alignment = BULK_ALIGNMENT,
        .address =
            shared_address(warp, instr->src[1], has(instr, SIM_MOD_SRC64), instr->target, lane),
        .mbarrier =
            shared_address(warp, instr->src[3], has(instr, SIM_MOD_DST64), instr->reconverge, lane),
        .multicast = instr->variant,
        .ranks = (uint16_t)((1u << block->cluster_count) - 1)};
    return SIM_VARIANT(sim_bulk_deliver)(warp, instr, lane, &request);
}

HANDLER(launch_cancel) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (!cancel_launch(warp, instr, (uint32_t)__builtin_ctz(rest))) return;
}
BIND(LAUNCH_CANCEL) {
    (void)instr;
    return launch_cancel;
}
