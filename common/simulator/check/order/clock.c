// Order inside a block: see order.h. Where hardware and the PTX model ask for more than is asked
// here (a location keeps what was passed on through it, whichever thread writes to it later), the
// difference can hide a race but never make one up.
#include "check/order/order.h"

uint32_t check_clock_advance(check_clock *clock) {
    if (!clock->touched) return clock->now;
    clock->touched = false;
    return ++clock->now;
}

// ---- vectors ------------------------------------------------------------------------------------

static check_know *take_know(check_clock *clock) {
    check_know *know = clock->spare;
    if (know) memcpy(&clock->spare, know->at, sizeof clock->spare);
    else know = malloc(sizeof *know);
    if (know) know->holders = 1;
    return know;
}

static void drop_know(check_clock *clock, check_know **know) {
    check_know *old = *know;
    *know = NULL;
    if (!old || --old->holders) return;
    memcpy(old->at, &clock->spare, sizeof clock->spare);
    clock->spare = old;
}

static void hold(check_know *know) {
    if (know) know->holders++;
}

static void join(check_know *to, const check_know *from, uint32_t threads) {
    for (uint32_t i = 0; i < threads; i++)
        if (from->at[i] > to->at[i]) to->at[i] = from->at[i];
}

static void set_know(check_order *order, check_clock *clock, uint32_t thread, check_know *know) {
    check_thread *t = &order->threads[thread];
    if (t->know == know) return;
    order->knowing += (know) - (t->know);
    hold(know);
    drop_know(clock, &t->know);
    t->know = know;
}

static check_know *empty_know(const check_order *order, check_clock *clock) {
    check_know *know = take_know(clock);
    if (know) memset(know->at, 0, order->thread_count * sizeof *know->at);
    return know;
}

// ---- a block's life -----------------------------------------------------------------------------

bool check_order_begin(check_order *order, check_clock *clock, uint64_t position,
                       uint32_t thread_count) {
    if (!order->threads || order->thread_count != thread_count) {
        free(order->threads);
        order->threads = calloc(thread_count, sizeof *order->threads);
        if (!order->threads) return false;
    }
    clock->touched = true; // whatever came before is of another block
    order->position = position;
    order->begin = order->base = check_clock_advance(clock);
    order->strayed = false;
    order->thread_count = thread_count;
    order->warp_count = (thread_count + 31) / 32;
    for (uint32_t i = 0; i < order->warp_count; i++) {
        uint32_t threads = thread_count - 32 * i;
        order->warps[i].base = order->warps[i].met = order->base;
        memset(order->warps[i].met_lane, 0, sizeof order->warps[i].met_lane);
        order->warps[i].exited = 0;
        order->warps[i].last_site = CHECK_NO_SITE;
        order->warps[i].alive = threads >= 32 ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    }
    if (order->awaited) memset(order->barriers, 0, sizeof order->barriers);
    order->awaited = 0;
    return true;
}

static void forget_vectors(check_order *order, check_clock *clock) {
    for (uint32_t i = 0; i < order->thread_count && order->knowing; i++)
        set_know(order, clock, i, NULL);
}

void check_order_end(check_order *order, check_clock *clock) {
    forget_vectors(order, clock);
    for (uint32_t i = 0; (order->fenced || order->waiting) && i < order->thread_count; i++) {
        drop_know(clock, &order->threads[i].taken);
        drop_know(clock, &order->threads[i].of_block.know);
        drop_know(clock, &order->threads[i].of_gpu.know);
        order->threads[i] = (check_thread){.know = NULL};
    }
    for (uint32_t i = 0; i < order->place_count; i++) drop_know(clock, &order->places[i].know);
    drop_know(clock, &order->gpu_fences);
    order->fenced = order->waiting = order->locations_full = false;
    order->place_count = 0;
    check_seen_clear(&order->seen);
    check_seen_clear(&order->seen_relaxed);
}

void check_order_free(check_order *order) {
    for (uint32_t i = 0; i < CHECK_WARPS; i++) free(order->warps[i].local_written);
    free(order->threads);
    free(order->places);
    check_seen_free(&order->seen);
    check_seen_free(&order->seen_relaxed);
}

void check_order_exit(check_order *order, uint32_t warp, uint32_t lanes) {
    order->warps[warp].alive &= ~lanes;
    order->warps[warp].exited |= lanes;
}

// ---- barriers -----------------------------------------------------------------------------------

// A barrier of all lets every thread know of all device-wide fences before it.
static void share_fences(check_order *order, check_clock *clock) {
    if (!order->fenced) return;
    if (!order->gpu_fences) order->gpu_fences = empty_know(order, clock);
    for (uint32_t i = 0; order->gpu_fences && i < order->thread_count; i++)
        if (order->threads[i].of_gpu.time > order->gpu_fences->at[i])
            order->gpu_fences->at[i] = order->threads[i].of_gpu.time;
}

// Lanes that take part in a group and what they know, put into one vector.
static void gather(const check_order *order, check_know *know, uint32_t warp, uint32_t lanes,
                   uint32_t time) {
    const check_know *last = NULL;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t thread = 32 * warp + (uint32_t)__builtin_ctz(rest);
        const check_know *own = order->threads[thread].know;
        if (own && own != last) join(know, own, order->thread_count);
        if (own) last = own;
    }
    uint32_t end = 32 * warp + 32 < order->thread_count ? 32 * warp + 32 : order->thread_count;
    for (uint32_t i = 32 * warp; i < end; i++)
        if (order->warps[warp].base > know->at[i]) know->at[i] = order->warps[warp].base;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        know->at[32 * warp + (uint32_t)__builtin_ctz(rest)] = time;
}

static void give_lanes(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes,
                       check_know *know) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        set_know(order, clock, 32 * warp + (uint32_t)__builtin_ctz(rest), know);
}

static bool all_came(const check_order *order, const check_arrival *arrival) {
    for (uint32_t i = 0; i < order->warp_count; i++)
        if (order->warps[i].alive & ~arrival->waiting[i]) return false;
    return true;
}

void check_order_barrier(check_order *order, check_clock *clock, uint32_t barrier) {
    check_arrival *arrival = &order->barriers[barrier];
    uint32_t time = check_clock_advance(clock);
    if (all_came(order, arrival)) {
        order->base = time;
        for (uint32_t i = 0; i < order->warp_count; i++) order->warps[i].base = time;
        forget_vectors(order, clock);
        share_fences(order, clock);
    } else {
        check_know *know = empty_know(order, clock);
        for (uint32_t i = 0; know && i < order->warp_count; i++)
            if (arrival->waiting[i] | arrival->passing[i])
                gather(order, know, i, arrival->waiting[i] | arrival->passing[i], time);
        for (uint32_t i = 0; know && i < order->warp_count; i++)
            give_lanes(order, clock, i, arrival->waiting[i], know);
        drop_know(clock, &know);
    }
    memset(arrival, 0, sizeof *arrival);
    order->awaited &= ~(UINT32_C(1) << barrier);
}

// ---- inside a warp ------------------------------------------------------------------------------

// Whether the vector of `lanes` belongs to them alone, so that it may be changed.
static check_know *sole_know(const check_order *order, uint32_t warp, uint32_t lanes) {
    check_know *know = order->threads[32 * warp + (uint32_t)__builtin_ctz(lanes)].know;
    for (uint32_t rest = lanes; rest && know; rest &= rest - 1)
        if (order->threads[32 * warp + (uint32_t)__builtin_ctz(rest)].know != know) return NULL;
    return know && know->holders == (uint32_t)__builtin_popcount(lanes) ? know : NULL;
}

static void synchronise(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes) {
    uint32_t time = check_clock_advance(clock);
    check_warp *w = &order->warps[warp];
    bool whole = (w->alive & ~lanes) == 0;
    if (whole) w->base = time;
    if (whole && order->knowing == 0) return;
    check_know *know = sole_know(order, warp, lanes);
    if (know) {
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            know->at[32 * warp + (uint32_t)__builtin_ctz(rest)] = time;
        return;
    }
    know = empty_know(order, clock);
    if (!know) return;
    gather(order, know, warp, lanes, time);
    give_lanes(order, clock, warp, lanes, know);
    drop_know(clock, &know);
}

void check_order_warp(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes,
                      const uint32_t *masks) {
    while (lanes) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), mask = masks[lane], group = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            if (masks[__builtin_ctz(rest)] == mask) group |= rest & -rest;
        synchronise(order, clock, warp, group);
        lanes &= ~group;
    }
}

// All get to know what one of the lanes has learnt of other threads.
static void share(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes) {
    check_know *first = order->threads[32 * warp + (uint32_t)__builtin_ctz(lanes)].know, *know;
    bool same = true;
    for (uint32_t rest = lanes; rest && same; rest &= rest - 1)
        same = order->threads[32 * warp + (uint32_t)__builtin_ctz(rest)].know == first;
    if (same || !(know = empty_know(order, clock))) return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const check_know *own = order->threads[32 * warp + (uint32_t)__builtin_ctz(rest)].know;
        if (own) join(know, own, order->thread_count);
    }
    give_lanes(order, clock, warp, lanes, know);
    drop_know(clock, &know);
}

void check_order_meet(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes) {
    if (order->knowing) share(order, clock, warp, lanes);
    uint32_t time = check_clock_advance(clock);
    check_warp *w = &order->warps[warp];
    if ((w->alive & ~lanes) == 0) w->met = time;
    for (; w->met != time && lanes; lanes &= lanes - 1) w->met_lane[__builtin_ctz(lanes)] = time;
}

// ---- fences, releases, acquisitions -------------------------------------------------------------

// `from` and what *to holds, in *to.
static void join_into(const check_order *order, check_clock *clock, check_know **to,
                      check_know *from) {
    if (*to == from) return;
    check_know *joined = *to ? take_know(clock) : NULL;
    if (joined) {
        memcpy(joined->at, (*to)->at, order->thread_count * sizeof *joined->at);
        join(joined, from, order->thread_count);
    } else if (*to) {
        return; // no memory
    } else {
        joined = from;
        hold(joined);
    }
    drop_know(clock, to);
    *to = joined;
}

// The thread knows of what it has taken up.
static void learn(check_order *order, check_clock *clock, uint32_t thread, check_know *of) {
    check_know *know = order->threads[thread].know;
    hold(know);
    join_into(order, clock, &know, of);
    set_know(order, clock, thread, know);
    drop_know(clock, &know);
}

static void set_fence(check_order *order, check_clock *clock, check_fence *fence, uint32_t thread,
                      uint32_t time) {
    check_know *know = order->threads[thread].know;
    hold(know);
    drop_know(clock, &fence->know);
    *fence = (check_fence){time, order->base, order->warps[thread / 32].base, know};
}

void check_order_fence(check_order *order, check_clock *clock, uint32_t warp, uint32_t lanes,
                       bool of_gpu, bool of_release) {
    uint32_t time = check_clock_advance(clock);
    order->fenced = true;
    if (of_gpu && !of_release && order->seen.count) {
        check_seen_fence(order, &order->seen, warp, lanes, time);
        clock->touched = true; // what was taken up at `time` is known to others after it
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t thread = 32 * warp + (uint32_t)__builtin_ctz(rest);
        check_know **taken = &order->threads[thread].taken;
        if (*taken && !of_release) {
            learn(order, clock, thread, *taken);
            drop_know(clock, taken);
        }
        set_fence(order, clock, &order->threads[thread].of_block, thread, time);
        if (of_gpu) set_fence(order, clock, &order->threads[thread].of_gpu, thread, time);
    }
}

static check_sync_location *find_sync_place(check_order *order, uint64_t address) {
    for (uint32_t i = order->place_count; i-- > 0;)
        if (order->places[i].address == address) return &order->places[i];
    return NULL;
}

static check_sync_location *make_sync_place(check_order *order, check_clock *clock,
                                            uint64_t address) {
    check_sync_location *place = find_sync_place(order, address);
    if (place) return place;
    if (!order->places) order->places = calloc(CHECK_SYNC_LOCATIONS, sizeof *order->places);
    check_know *know = NULL;
    if (order->places && order->place_count < CHECK_SYNC_LOCATIONS) know = empty_know(order, clock);
    if (!know) {
        order->locations_full = true;
        return NULL;
    }
    order->places[order->place_count] = (check_sync_location){address, know};
    return &order->places[order->place_count++];
}

// The vector of a location, for its sole use: somebody may have taken the present one up.
static check_know *own_know(const check_order *order, check_clock *clock,
                            check_sync_location *place) {
    if (place->know->holders == 1) return place->know;
    check_know *own = take_know(clock);
    if (!own) return NULL;
    memcpy(own->at, place->know->at, order->thread_count * sizeof *own->at);
    drop_know(clock, &place->know);
    return place->know = own;
}

// To threads of the same block. What a barrier has made known to all need not be passed on.
static void put_in_place(check_order *order, check_clock *clock, uint32_t thread, uint64_t address,
                         const check_fence *fence) {
    if (fence->time <= order->base) return;
    check_sync_location *place = make_sync_place(order, clock, address);
    if (!place || place->know->at[thread] >= fence->time) return;
    check_know *know = own_know(order, clock, place);
    if (!know) return;
    if (fence->know) join(know, fence->know, order->thread_count);
    uint32_t first = thread / 32 * 32;
    for (uint32_t i = first; i < first + 32 && i < order->thread_count; i++)
        if (know->at[i] < fence->warp_base) know->at[i] = fence->warp_base;
    know->at[thread] = fence->time;
}

// A fence by the thread at this moment.
static check_fence fence_now(const check_order *order, check_clock *clock, uint32_t thread) {
    return (check_fence){check_clock_advance(clock), order->base, order->warps[thread / 32].base,
                         order->threads[thread].know};
}

void check_order_pass_on(check_order *order, check_clock *clock, uint32_t thread,
                         uint64_t address) {
    check_fence now = fence_now(order, clock, thread);
    put_in_place(order, clock, thread, address, &now);
}

// The device-wide fences that threads executed before the last barrier. Lanes of a warp mostly
// fence together, which makes one entry of them.
static void release_shared_fences(const check_order *order, check_log *log, uint64_t address) {
    const uint32_t *at = order->gpu_fences->at;
    for (uint32_t warp = 0; warp < order->warp_count; warp++) {
        uint32_t first = 32 * warp, end = first + 32;
        if (end > order->thread_count) end = order->thread_count;
        bool together = true;
        for (uint32_t i = first; i < end; i++) together = together && at[i] == at[first];
        if (together && at[first])
            check_log_release(log, address, order->position, CHECK_WHO_WARP + warp, at[first]);
        for (uint32_t i = first; i < end && !together; i++)
            if (at[i]) check_log_release(log, address, order->position, i, at[i]);
    }
}

// What `fence` covers.
static void release_covered(const check_order *order, check_log *log, uint32_t thread,
                            uint64_t address, const check_fence *fence) {
    uint64_t position = order->position;
    check_log_release(log, address, position, CHECK_WHO_ALL, fence->base);
    check_log_release(log, address, position, CHECK_WHO_WARP + thread / 32, fence->warp_base);
    check_log_release(log, address, position, thread, fence->time);
    for (uint32_t i = 0; fence->know && i < order->thread_count; i++)
        if (fence->know->at[i] > fence->base)
            check_log_release(log, address, position, i, fence->know->at[i]);
}

static void release_to_blocks(check_order *order, check_log *log, uint32_t thread,
                              uint64_t address) {
    const check_fence *fence = &order->threads[thread].of_gpu;
    if (order->gpu_fences) release_shared_fences(order, log, address);
    if (fence->time) release_covered(order, log, thread, address, fence);
    if ((fence->time || order->gpu_fences) && order->seen.count + order->seen.all)
        check_log_link(log, address, &order->seen);
}

void check_order_pass_to_block(check_order *order, check_clock *clock, check_log *log,
                               uint32_t thread, uint64_t address) {
    check_fence now = fence_now(order, clock, thread);
    release_covered(order, log, thread, address, &now);
    if (order->seen.count + order->seen.all) check_log_link(log, address, &order->seen);
}

void check_order_release(check_order *order, check_clock *clock, check_log *log, uint32_t thread,
                         uint64_t address, bool global) {
    if (!order->fenced) return;
    put_in_place(order, clock, thread, address, &order->threads[thread].of_block);
    if (global) release_to_blocks(order, log, thread, address);
}

void check_order_release_reads(check_order *order, check_clock *clock, check_log *log,
                               uint32_t thread, uint64_t address) {
    uint64_t position = order->position;
    uint32_t warp = thread / 32;
    check_log_release(log, address, position, CHECK_WHO_ALL, order->base);
    check_log_release(log, address, position, CHECK_WHO_WARP + warp, order->warps[warp].base);
    check_log_release(log, address, position, thread, check_clock_advance(clock));
    if (order->seen_relaxed.count + order->seen_relaxed.all)
        check_log_link(log, address, &order->seen_relaxed);
}

bool check_order_acquire(check_order *order, check_clock *clock, check_log *log, uint64_t address,
                         bool global, check_taken by) {
    const check_sync_location *place = find_sync_place(order, address);
    if (place && by.since == CHECK_AT_FENCE) {
        join_into(order, clock, &order->threads[by.thread].taken, place->know);
        order->waiting = true;
    } else if (place) {
        learn(order, clock, by.thread, place->know);
    }
    if (!global || check_log_is_empty(log)) return place;
    return check_log_acquire(log, order, &order->seen, address, by) || place;
}
