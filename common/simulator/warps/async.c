// See warp.h.

#include "warps/block.h"

// ---- Reaching shared memory ----

// Whom observers hear of as the one who writes: a block that has ended has no threads any more.
static const sim_warp *sender_of(const sim_warp *warp, const sim_block *to) {
    return warp->block->live_threads ? warp : &to->warps[warp->index];
}

static void notify_write(sim_warp *warp, const sim_block *to, const sim_instr *instr,
                         const sim_function *function, sim_access_kind kind, uint32_t lanes,
                         uint32_t bytes, const uint64_t *addresses, uint32_t mbarrier) {
    const sim_observer *observer = warp->block->grid->observer;
    if (!observer->access) return;
    sim_access_event event = {.worker = warp->block->worker->index,
                              .block = sender_of(warp, to)->block->index,
                              .owner = to->index,
                              .warp = warp->index,
                              .function = function,
                              .instr = instr,
                              .lanes = lanes,
                              .space = PTX_SPACE_SHARED,
                              .kind = kind,
                              .bytes = bytes,
                              .addresses = addresses,
                              .memory = to->shared,
                              .mbarrier = mbarrier};
    observer->access(observer->context, &event);
}

void sim_async_notify_copy(sim_warp *warp, const sim_copy *copy, sim_access_kind kind,
                           uint32_t lanes) {
    uint64_t addresses[SIM_WARP_LANES];
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) addresses[lane] = copy->offset[lane];
    notify_write(warp, warp->block, copy->instr, copy->function, kind, lanes, copy->bytes,
                 addresses, 0);
}

void sim_async_notify_delivery(const sim_delivery *delivery, sim_access_kind kind) {
    uint64_t addresses[SIM_WARP_LANES];
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) addresses[lane] = delivery->offset;
    notify_write(delivery->warp, delivery->place, delivery->instr, delivery->function, kind,
                 delivery->lanes, delivery->bytes, addresses,
                 delivery->place == delivery->to ? delivery->mbarrier : UINT32_MAX);
}

static void finish_copy(sim_warp *warp, sim_copy *copy, uint32_t lanes) {
    lanes &= copy->lanes;
    if (!lanes) return;
    if (warp->observing) sim_async_notify_copy(warp, copy, SIM_ACCESS_WRITE, lanes);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        memcpy(warp->shared + copy->offset[lane], copy->data[lane], copy->bytes);
    }
    copy->lanes &= ~lanes;
    sim_note_change(warp);
}

static void drop_finished(sim_copies *copies) {
    while (copies->first < copies->count && copies->items[copies->first].lanes == 0)
        copies->first++;
    if (copies->first == copies->count) copies->first = copies->count = 0;
}

// ---- cp.async ----

static void *out_of_memory(sim_warp *warp) {
    sim_fault_memory(warp);
    return NULL;
}

static bool reserve(sim_copies *copies) {
    if (copies->count < copies->capacity) return true;
    if (copies->first > copies->capacity / 2) { // half of the array is behind us
        memmove(copies->items, copies->items + copies->first,
                (copies->count - copies->first) * sizeof *copies->items);
        copies->count -= copies->first;
        copies->first = 0;
        return true;
    }
    return sim_reserve(&copies->items, &copies->capacity, copies->count, sizeof *copies->items);
}

sim_copy *sim_async_copy(sim_warp *warp) {
    sim_copies *copies = &warp->copies;
    if (!reserve(copies)) return out_of_memory(warp);
    copies->used = true;
    sim_copy *copy = &copies->items[copies->count++];
    copy->number = copies->issued++;
    return copy;
}

void sim_async_commit(sim_warp *warp, uint32_t lanes) {
    warp->copies.used = true;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) warp->copies.groups[__builtin_ctz(rest)]++;
}

// Lanes of `lanes` for which `copy` is not among their `keep` latest groups.
static uint32_t lanes_due(const sim_copies *copies, const sim_copy *copy, uint32_t lanes,
                          uint32_t keep) {
    uint32_t due = 0;
    for (uint32_t rest = lanes & copy->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if ((uint64_t)copy->group[lane] + keep < copies->groups[lane]) due |= 1u << lane;
    }
    return due;
}

void sim_async_wait(sim_warp *warp, uint32_t lanes, uint32_t keep, bool all) {
    sim_copies *copies = &warp->copies;
    for (uint32_t i = copies->first; i < copies->count; i++) {
        sim_copy *copy = &copies->items[i];
        finish_copy(warp, copy, all ? lanes : lanes_due(copies, copy, lanes, keep));
    }
    drop_finished(copies);
}

// ---- Deliveries ----

sim_delivery *sim_async_delivery(sim_warp *warp, sim_block *to, uint32_t bytes) {
    sim_delivery *delivery = calloc(1, sizeof *delivery + bytes);
    if (!delivery) return out_of_memory(warp);
    sim_delivery **end = &to->deliveries;
    while (*end) end = &(*end)->next;
    *end = delivery;
    delivery->warp = warp;
    delivery->to = delivery->place = to;
    delivery->bytes = bytes;
    return delivery;
}

// Piece by piece where these change places.
static void move_bytes(const sim_delivery *delivery) {
    uint8_t *shared = delivery->place->shared;
    uint32_t pitch = SIM_TENSOR_PIECE * (delivery->swizzle + 1u);
    if (delivery->combine) {
        delivery->combine(delivery->type, delivery->atomic, shared + delivery->offset,
                          delivery->data, delivery->bytes);
        return;
    }
    if (!delivery->swizzle) {
        memcpy(shared + delivery->offset, delivery->data, delivery->bytes);
        return;
    }
    for (uint32_t at = 0; at < delivery->bytes; at += SIM_TENSOR_PIECE)
        if (at % pitch < delivery->row_bytes)
            memcpy(shared + sim_tensor_swizzle(delivery->offset + at, delivery->swizzle),
                   delivery->data + at, SIM_TENSOR_PIECE);
}

// True when a phase has ended with it.
static bool finish_delivery(sim_delivery *delivery) {
    sim_warp *warp = delivery->warp;
    uint8_t *shared = delivery->to->shared;
    sim_copies *copies = &warp->copies;
    uint64_t bits;
    for (uint32_t i = copies->first; delivery->arrivals && i < copies->count; i++)
        if (copies->items[i].number < delivery->copies)
            finish_copy(warp, &copies->items[i], delivery->lanes);
    drop_finished(copies);
    if (delivery->bytes) {
        if (warp->observing) sim_async_notify_delivery(delivery, SIM_ACCESS_WRITE);
        move_bytes(delivery);
    }
    memcpy(&bits, shared + delivery->mbarrier, sizeof bits);
    sim_mbarrier barrier = sim_mbarrier_read(bits);
    const bool parity = barrier.parity;
    barrier.bytes -= (int32_t)delivery->completes;
    barrier.wanted -= delivery->arrivals < barrier.wanted ? delivery->arrivals : barrier.wanted;
    sim_mbarrier_settle(&barrier);
    bits = sim_mbarrier_bits(barrier);
    memcpy(shared + delivery->mbarrier, &bits, sizeof bits);
    if (warp->observing)
        sim_observe_mbarrier(sender_of(warp, delivery->to), delivery->instr, delivery->function,
                             delivery->lanes, delivery->to->index, delivery->mbarrier,
                             SIM_SYNC_MBARRIER_ARRIVE);
    sim_note_change(warp);
    return barrier.parity != parity;
}

void sim_async_deliver(sim_block *block, uint32_t offset, bool until_phase_ends) {
    bool ended = false;
    for (sim_delivery **at = &block->deliveries; *at && !(ended && until_phase_ends);) {
        sim_delivery *delivery = *at;
        if (delivery->mbarrier != offset) {
            at = &delivery->next;
            continue;
        }
        *at = delivery->next;
        ended = finish_delivery(delivery);
        free(delivery);
    }
}

void sim_async_reset(sim_block *block) {
    while (block->deliveries) {
        sim_delivery *next = block->deliveries->next;
        free(block->deliveries);
        block->deliveries = next;
    }
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_copies *copies = &block->warps[i].copies;
        block->warps[i].products.count = block->warps[i].products.groups = 0;
        if (!copies->used) continue;
        copies->used = false;
        copies->first = copies->count = 0;
        copies->issued = 0;
        memset(copies->groups, 0, sizeof copies->groups);
    }
}

void sim_async_free_warp(sim_warp *warp) {
    free(warp->copies.items);
    warp->copies = (sim_copies){.items = NULL};
    free(warp->products.items);
    warp->products = (sim_products){.items = NULL};
}

// ---- products of warp groups --------------------------------------------------------------------

sim_product *sim_product_add(sim_warp *warp) {
    sim_products *products = &warp->products;
    if (!sim_reserve(&products->items, &products->capacity, products->count,
                     sizeof *products->items)) {
        sim_fault_memory(warp);
        return NULL;
    }
    sim_product *product = &products->items[products->count++];
    *product = (sim_product){.group = products->groups};
    return product;
}
