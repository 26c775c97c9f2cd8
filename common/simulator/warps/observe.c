// Events for observers: see block.h.

#include "warps/lanes.h"

static const uint8_t *memory_of(const sim_warp *warp, uint8_t space) {
    if (space == PTX_SPACE_SHARED) return warp->shared;
    return space == PTX_SPACE_GLOBAL ? warp->origin : NULL;
}

static sim_access_event access_of(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                  uint8_t space, uint32_t bytes, sim_access_kind kind) {
    return (sim_access_event){.worker = warp->block->worker->index,
                              .block = warp->block->index,
                              .warp = warp->index,
                              .function = warp->frame->function,
                              .instr = instr,
                              .lanes = lanes,
                              .space = space,
                              .owner = warp->block->index,
                              .kind = kind,
                              .bytes = bytes,
                              .addresses = NULL, // for one of the forms, that of the caller
                              .base = {0, 0},
                              .stride = 0,
                              .memory = memory_of(warp, space),
                              .is_volatile = has(instr, SIM_MOD_VOLATILE),
                              .state = warp};
}

static const sim_observer *observer_of(const sim_warp *warp) { return warp->block->grid->observer; }

// Where warps alternate, the time slice ends with the run. Of reads, those that poll end it.
static void give_way(const sim_warp *warp) {
    if (sim_block_alternates(warp->block)) warp->block->warps[warp->index].quantum = -1;
}

// What an observer makes of an access takes as long as some instructions, and of one that other
// threads may rely on as many: a block's limit is to hold for its time.
static void tell_access(const sim_warp *warp, const sim_observer *observer,
                        const sim_access_event *event) {
    bool strong = event->is_volatile || event->kind == SIM_ACCESS_ATOMIC;
    if (strong && event->kind != SIM_ACCESS_READ) give_way(warp);
    warp->block->burden += strong ? SIM_STRONG_BURDEN : SIM_ACCESS_BURDEN;
    observer->access(observer->context, event);
}

void sim_observe_access(const sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint8_t space,
                        uint32_t bytes, sim_access_kind kind, const uint64_t *addresses) {
    const sim_observer *observer = observer_of(warp);
    if (!observer->access) return;
    sim_access_event event = access_of(warp, instr, lanes, space, bytes, kind);
    event.addresses = addresses;
    tell_access(warp, observer, &event);
}

// One event a block that is accessed.
void sim_observe_remote(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                        uint32_t bytes, sim_access_kind kind, const uint64_t *addresses) {
    const sim_observer *observer = observer_of(warp);
    uint64_t offsets[SIM_WARP_LANES];
    for (uint32_t rank = 0; observer->access && lanes; rank++) {
        uint32_t group = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (addresses[lane] / SIM_WINDOW_BYTES != rank + 1) continue;
            group |= UINT32_C(1) << lane;
            offsets[lane] = addresses[lane] % SIM_WINDOW_BYTES;
        }
        lanes &= ~group;
        if (!group) continue;
        const sim_block *mate = &warp->block->cluster[rank];
        sim_access_event event = access_of(warp, instr, group, PTX_SPACE_SHARED, bytes, kind);
        event.owner = mate->index;
        event.memory = mate->shared;
        event.addresses = offsets;
        tell_access(warp, observer, &event);
    }
}

void sim_observe_product(const sim_warp *warp, sim_product *product, uint32_t lanes, uint32_t bytes,
                         const uint64_t *addresses) {
    const sim_observer *observer = observer_of(warp);
    if (!observer->access) return;
    sim_access_event event =
        access_of(warp, product->instr, lanes, PTX_SPACE_SHARED, bytes, SIM_ACCESS_READ);
    event.product = product;
    event.function = product->function; // of the product, which may have returned since
    event.addresses = addresses;
    tell_access(warp, observer, &event);
}

void sim_observe_quick(const sim_warp *warp, const sim_instr *instr,
                       const struct lane_addresses *addresses, uint8_t space, uint32_t bytes,
                       bool is_store) {
    const sim_observer *observer = observer_of(warp);
    if (!observer->access) return;
    sim_access_event event = access_of(warp, instr, addresses->lanes, space, bytes,
                                       is_store ? SIM_ACCESS_WRITE : SIM_ACCESS_READ);
    const uint64_t first = space == PTX_SPACE_SHARED ? warp->shared_first : 0;
    uint64_t list[SIM_WARP_LANES];
    if (addresses->pattern == PATTERN_ANY) event.addresses = list;
    for (int i = 0; event.addresses && i < SIM_WARP_LANES; i++)
        list[i] = addresses->lane[i] - first;
    event.base[0] = addresses->base[0] - first;
    event.base[1] = addresses->base[1] - first;
    event.stride = addresses->stride;
    tell_access(warp, observer, &event);
}

void sim_observe_rows(const sim_warp *warp, const sim_instr *instr, const sim_access_rows *rows) {
    const sim_observer *observer = observer_of(warp);
    if (observer->rows && !has(instr, SIM_MOD_VOLATILE) &&
        observer->rows(observer->context, warp, instr, rows)) {
        warp->block->burden += SIM_ACCESS_BURDEN;
        return;
    }
    if (!observer->access) return;
    sim_access_event event = access_of(warp, instr, rows->lanes, rows->space, rows->bytes,
                                       rows->is_store ? SIM_ACCESS_WRITE : SIM_ACCESS_READ);
    event.base[0] = rows->base[0];
    event.base[1] = rows->base[1];
    event.stride = rows->stride;
    tell_access(warp, observer, &event);
}

void sim_observe_matrix(const sim_warp *warp, const sim_instr *instr, uint64_t address,
                        uint64_t stride_bytes) {
    const sim_observer *observer = observer_of(warp);
    bool loads = sim_role_of(instr) == SIM_ROLE_LOAD;
    sim_access_event event = access_of(warp, instr, SIM_ALL_LANES, instr->space, 0,
                                       loads ? SIM_ACCESS_READ : SIM_ACCESS_WRITE);
    event.base[0] = event.base[1] = address;
    event.stride = (int64_t)stride_bytes;
    if (observer->matrix) observer->matrix(observer->context, &event);
}

void sim_observe_watch(const sim_warp *warp, const sim_instr *instr, bool where_touched) {
    sim_warp *watched = &warp->block->warps[warp->index];
    uint8_t before = watched->watched;
    watched->watched |= where_touched ? SIM_WATCHED_WHERE_TOUCHED : SIM_WATCHED_BY_OBSERVER;
    if (before) return; // the run is told already
    watched->interrupt = SIM_INTERRUPT_WATCH;
    watched->run_end = instr + 1;
}

void sim_observe_entry(sim_warp *warp, const sim_frame *frame, uint32_t lanes) {
    const sim_observer *observer = observer_of(warp);
    if (!observer || !observer->entered || !(frame->function->unset_count || warp->watched)) return;
    warp->watched |= observer->entered(observer->context, warp, frame, lanes);
}

void sim_observe_step(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t on) {
    const sim_observer *observer = observer_of(warp);
    const sim_stepper *stepper = warp->block->grid->stepper;
    if (stepper) stepper->step(stepper->context, warp, instr, lanes, on);
    if (!(warp->watched & (SIM_WATCHED_BY_OBSERVER | SIM_WATCHED_WHERE_TOUCHED))) return;
    if (!observer->step || !observer->step(observer->context, warp, instr, lanes, on))
        warp->watched &= SIM_WATCHED_BY_STEPPER;
}

// Of an mbarrier that is made.
static bool mbarrier_value(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                           uint8_t *out_bytes) {
    if (instr->variant != SIM_MBARRIER_INIT || instr->src[1] == SIM_NO_SLOT) return false;
    uint32_t count = SLOT(const uint32_t, instr->src[1])[lane];
    uint64_t bits =
        sim_mbarrier_bits((sim_mbarrier){.wanted = count, .per_phase = count, .valid = true});
    memcpy(out_bytes, &bits, sizeof bits);
    return true;
}

bool sim_access_value(const sim_access_event *event, uint32_t lane, uint8_t out_bytes[32]) {
    const sim_warp *warp = event->state;
    const sim_instr *instr = event->instr;
    if (sim_is_mbarrier(instr)) return mbarrier_value(warp, instr, lane, out_bytes);
    if (event->kind != SIM_ACCESS_WRITE || !sim_is_st(instr)) return false;
    uint32_t element = ptx_type_bytes((ptx_type)instr->type);
    bool wide = element >= 8 || has(instr, SIM_MOD_SRC64);
    for (uint32_t part = 0; part * element < event->bytes; part++) {
        uint32_t slot =
            instr->vector > 1 ? warp->frame->function->slots[instr->list + part] : instr->src[1];
        uint8_t *to = out_bytes + part * element;
        if (element == 16) {
            memcpy(to, SLOT(const uint64_t, slot) + lane, 8);
            memcpy(to + 8, SLOT(const uint64_t, slot) + SIM_WARP_LANES + lane, 8);
        } else if (wide) {
            memcpy(to, SLOT(const uint64_t, slot) + lane, element);
        } else {
            memcpy(to, SLOT(const uint32_t, slot) + lane, element);
        }
    }
    return true;
}

static sim_sync_event sync_of(const sim_warp *warp, const sim_instr *instr, sim_sync_kind kind,
                              uint32_t lanes) {
    return (sim_sync_event){.worker = warp->block->worker->index,
                            .block = warp->block->index,
                            .warp = warp->index,
                            .function = warp->frame ? warp->frame->function : NULL,
                            .instr = instr,
                            .kind = kind,
                            .lanes = lanes};
}

static void tell(const sim_warp *warp, const sim_sync_event *event) {
    const sim_observer *observer = observer_of(warp);
    if (event->kind == SIM_SYNC_WARP || event->kind == SIM_SYNC_FENCE) give_way(warp);
    if (observer->sync) observer->sync(observer->context, event);
}

void sim_observe_sync(const sim_warp *warp, const sim_instr *instr, sim_sync_kind kind,
                      uint32_t lanes) {
    sim_sync_event event = sync_of(warp, instr, kind, lanes);
    tell(warp, &event);
}

void sim_observe_warp(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      const uint32_t *masks) {
    sim_sync_event event = sync_of(warp, instr, SIM_SYNC_WARP, lanes);
    event.masks = masks;
    tell(warp, &event);
}

void sim_observe_shuffle(const sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const sim_observer *observer = observer_of(warp);
    sim_sync_event event = sync_of(warp, instr, SIM_SYNC_WARP, lanes);
    if (observer->shuffle_from_absent) observer->shuffle_from_absent(observer->context, &event);
}

void sim_observe_format(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                        const char *text) {
    const sim_observer *observer = observer_of(warp);
    sim_sync_event event = sync_of(warp, instr, SIM_SYNC_WARP, UINT32_C(1) << lane);
    if (observer->misprints) observer->misprints(observer->context, &event, text);
}

// Lanes on the other side of a branch whose sides join again, and not just to return.
static uint32_t lanes_apart(const sim_warp *warp, uint32_t lanes) {
    const sim_reconvergence_point *point = &warp->points[warp->entry];
    if (warp->entry == SIM_ROOT_ENTRY || point->is_call || point->pc == SIM_PC_EXIT) return 0;
    const sim_instr *joined = &point->frame->function->code[point->pc];
    bool returns = sim_is_return(joined);
    return returns ? 0 : point->expected & warp->alive & ~lanes;
}

void sim_observe_barrier_arrive(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                uint32_t barrier, uint32_t threads, bool arrive_only) {
    sim_sync_event event = sync_of(warp, instr, SIM_SYNC_BARRIER_ARRIVE, lanes);
    event.barrier = barrier;
    event.threads = threads;
    event.arrive_only = arrive_only;
    event.apart = lanes_apart(warp, lanes);
    tell(warp, &event);
}

void sim_observe_barrier_open(const sim_block *block, uint32_t barrier) {
    sim_sync_event event = sync_of(&block->warps[0], NULL, SIM_SYNC_BARRIER_COMPLETE, 0);
    event.barrier = barrier;
    tell(&block->warps[0], &event);
}

void sim_observe_cluster_met(const sim_block *block) {
    const sim_warp *warp = &block->cluster[0].warps[0];
    sim_sync_event event = sync_of(warp, NULL, SIM_SYNC_CLUSTER_MET, 0);
    tell(warp, &event);
}

void sim_observe_mbarrier(const sim_warp *warp, const sim_instr *instr,
                          const sim_function *function, uint32_t lanes, uint64_t owner,
                          uint32_t offset, sim_sync_kind kind) {
    sim_sync_event event = sync_of(warp, instr, kind, lanes);
    event.owner = owner;
    event.function = function; // that of the copy, which may have returned since
    event.barrier = offset;
    const sim_block *block = warp->block;
    if (owner != block->index) block = &block->cluster[owner - block->cluster[0].index];
    memcpy(&event.bits, block->shared + offset, sizeof event.bits);
    tell(warp, &event);
}

void sim_observe_tmem(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      const sim_block *owner, uint32_t column, uint32_t count, uint32_t parts,
                      bool writes) {
    const sim_observer *observer = observer_of(warp);
    const sim_tmem_event event = {.block = warp->block->index,
                                  .owner = owner->index,
                                  .warp = warp->index,
                                  .lanes = lanes,
                                  .function = warp->frame->function,
                                  .instr = instr,
                                  .column = column,
                                  .count = count,
                                  .parts = (uint8_t)parts,
                                  .writes = writes};
    if (observer->tmem) observer->tmem(observer->context, &event);
}

void sim_observe_local(const sim_warp *warp, uint32_t lanes, uint32_t base, uint32_t bytes) {
    const sim_observer *observer = observer_of(warp);
    if (observer->local_reserved)
        observer->local_reserved(observer->context, warp->block->index, warp->index, lanes, base,
                                 bytes);
}

void sim_observe_heap(const sim_warp *warp, uint64_t address, uint64_t bytes) {
    const sim_observer *observer = observer_of(warp);
    if (observer->heap_allocated) observer->heap_allocated(observer->context, address, bytes);
}
