// Synchronisation: what it orders (order/order.h); barriers and masks that PTX leaves undefined.
#include "advice.h"
#include "check/race.h"
#include "check/rules.h"
#include "warps/block.h"

static bool is_in_code(const sim_sync_event *event) {
    return event->function && event->instr >= event->function->code &&
           event->instr < event->function->code + event->function->code_count;
}

static void arrive(sim_checker *checker, const sim_sync_event *event) {
    check_arrival *arrival = &checker->current->order.barriers[event->barrier];
    uint32_t before = arrival->waiting[event->warp] | arrival->passing[event->warp];
    uint32_t site = check_site_again(checker, event->function, event->instr);
    checker->current->order.awaited |= UINT32_C(1) << event->barrier;
    arrival->threads = event->threads;
    // Between arrival at the cluster's barrier and the wait for it a thread may do what it likes;
    // that it counts as ordered, too, can hide a race.
    if (event->arrive_only && event->barrier != CHECK_BARRIERS - 1)
        arrival->passing[event->warp] |= event->lanes;
    else arrival->waiting[event->warp] |= event->lanes;
    if (event->threads == 0 && !event->arrive_only) arrival->apart[event->warp] |= event->apart;
    uint32_t first = 32 * event->warp;
    if (!before) arrival->site[event->warp] = site;
    else if (arrival->site[event->warp] != site)
        check_barrier_missed(
            checker, (check_missed){.barrier = arrival->site[event->warp],
                                    .came = first + (uint32_t)__builtin_ctz(before),
                                    .waits = site,
                                    .absent = first + (uint32_t)__builtin_ctz(event->lanes)});
}

static void open_barrier(sim_checker *checker, uint32_t barrier) {
    check_order *order = &checker->current->order;
    const check_arrival *arrival = &order->barriers[barrier];
    uint32_t exited = order->thread_count, first = CHECK_NO_SITE, thread = 0;
    uint32_t absent = 0, apart = 0;
    bool elsewhere = false;
    for (uint32_t i = 0; i < order->warp_count; i++) {
        uint32_t lanes = arrival->waiting[i], alive = order->warps[i].alive;
        exited -= alive == UINT32_MAX ? 32 : (uint32_t)__builtin_popcount(alive);
        absent |= alive & ~lanes;
        apart |= arrival->apart[i] & ~lanes;
        elsewhere |= lanes && arrival->site[i] != first;
        if (!lanes || first != CHECK_NO_SITE) continue;
        elsewhere = false;
        first = arrival->site[i];
        thread = 32 * i + (uint32_t)__builtin_ctz(lanes);
    }
    for (uint32_t i = 0; i < order->warp_count && apart; i++) {
        // They may come to the barrier by another way; those that have not were not to wait for it.
        uint32_t skips = arrival->apart[i] & ~arrival->waiting[i];
        if (!arrival->waiting[i] || !skips) continue;
        bool gone = !(skips & order->warps[i].alive);
        check_barrier_missed(
            checker, (check_missed){.barrier = arrival->site[i],
                                    .came = 32 * i + (uint32_t)__builtin_ctz(arrival->waiting[i]),
                                    .waits = CHECK_NO_SITE,
                                    .absent = 32 * i + (uint32_t)__builtin_ctz(skips),
                                    .returned = gone});
    }
    // A barrier with a number of threads is not for all of the block; one that inline PTX numbers
    // may be for warps with different work.
    bool of_block = arrival->threads == 0 && first != CHECK_NO_SITE;
    if (of_block && barrier == 0 && (elsewhere || exited))
        check_warps_meet(checker, arrival, first, thread);
    if (exited && of_block && !order->strayed)
        check_find_sync(checker, SIM_CHECK_EXITED_BARRIER, first, CHECK_NO_SITE, thread,
                        kl_advice_text(KL_ADVICE_SKIP_THE_WORK));
    if (absent) check_interval_close(checker, checker->current);
    else check_interval_end(checker, checker->current);
    check_order_barrier(order, &checker->clock, barrier);
    check_advance_written(checker->current);
    if (!absent) check_interval_begin(checker, checker->current);
}

// What member masks must hold: the lane itself, and no lane that has returned.
static void check_masks(sim_checker *checker, const sim_sync_event *event) {
    uint32_t exited = checker->current->order.warps[event->warp].exited;
    if (!is_in_code(event) || checker->current->order.strayed) return;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), mask = event->masks[lane];
        bool names_itself = mask >> lane & 1;
        if (names_itself && !(mask & exited)) continue;
        char text[320], lanes[96];
        if (!names_itself)
            snprintf(text, sizeof text,
                     "the member mask 0x%08" PRIx32 " does not name lane %" PRIu32
                     ", which executes the instruction",
                     mask, lane);
        else
            snprintf(text, sizeof text,
                     "the member mask 0x%08" PRIx32 " names %s, which %s returned from the kernel: "
                     "%s",
                     mask, sim_lanes_text(mask & exited, lanes, sizeof lanes),
                     ((mask & exited) & ((mask & exited) - 1)) == 0 ? "has" : "have",
                     kl_advice_text(KL_ADVICE_MASK_OF_ALL));
        check_find_sync(checker, names_itself ? SIM_CHECK_EXITED_LANE : SIM_CHECK_SYNC_MASK,
                        check_site(checker, event->function, event->instr), CHECK_NO_SITE,
                        32 * event->warp + lane, text);
        return;
    }
}

// Whether all lanes synchronise with all, so that nothing is known of single threads.
static bool is_of_whole_warp(const check_order *order, const sim_sync_event *event) {
    const uint32_t first = event->masks[__builtin_ctz(event->lanes)];
    uint32_t differs = order->warps[event->warp].alive & ~event->lanes;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1)
        differs |= event->masks[__builtin_ctz(rest)] ^ first;
    return !differs && !order->knowing;
}

static bool is_full(const sim_sync_event *event) {
    uint32_t all = event->lanes;
    for (int lane = 0; lane < 32; lane++) all &= event->masks[lane];
    return all == UINT32_MAX;
}

// Votes and what else hands values from lane to lane: no memory barrier.
static bool only_waits(const sim_instr *instr) { return sim_role_of(instr) == SIM_ROLE_EXCHANGE; }

static void meet_in_warp(sim_checker *checker, check_block *block, const sim_sync_event *event) {
    check_order *order = &block->order;
    check_warp *warp = &order->warps[event->warp];
    bool orders = !only_waits(event->instr);
    if (is_full(event) && warp->alive == UINT32_MAX && !order->knowing) { // mostly
        *(orders ? &warp->base : &warp->met) = check_clock_advance(&checker->clock);
        return;
    }
    check_masks(checker, event);
    if (!orders) {
        if (warp->alive & ~event->lanes) check_interval_close(checker, block);
        check_order_meet(order, &checker->clock, event->warp, event->lanes);
        return;
    }
    if (!is_of_whole_warp(order, event)) check_interval_close(checker, block);
    check_order_warp(order, &checker->clock, event->warp, event->lanes, event->masks);
}

// An arrival passes on what its thread knows; who has waited knows what all have passed on, those
// of the next phase included, which can hide a race.
static void pass_mbarrier(sim_checker *checker, const sim_sync_event *event) {
    check_order *order = &checker->current->order;
    uint64_t address = event->barrier | CHECK_MBARRIER;
    uint64_t remote = CHECK_REMOTE_MBARRIER | event->owner << 24 | event->barrier;
    const check_taken of_all = {.since = 0};
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t thread = 32 * event->warp + (uint32_t)__builtin_ctz(rest);
        if (event->owner != event->block) {
            check_order_pass_to_block(order, &checker->clock, checker->log, thread, remote);
        } else if (event->kind == SIM_SYNC_MBARRIER_ARRIVE) {
            check_order_pass_on(order, &checker->clock, thread, address);
        } else {
            check_order_acquire(order, &checker->clock, checker->log, address, false,
                                (check_taken){.thread = thread});
            if (!check_log_is_empty(checker->log))
                check_log_acquire(checker->log, order, &order->seen, remote, of_all);
        }
    }
}

// Blocks of a cluster know of each other what each did before the barrier.
static void meet_cluster(sim_checker *checker, uint64_t first) {
    uint32_t each = sim_launch_cluster_blocks(checker->grid->launch);
    uint64_t address = CHECK_CLUSTER | first;
    for (uint32_t i = 0; i < each; i++) {
        check_order *order = &check_block_at(checker, first + i)->order;
        check_log_release(checker->log, address, first + i, CHECK_WHO_ALL, order->base);
        if (order->seen.count + order->seen.all)
            check_log_link(checker->log, address, &order->seen);
    }
    for (uint32_t i = 0; i < each; i++) {
        check_block *block = check_block_at(checker, first + i);
        check_log_acquire(checker->log, &block->order, &block->order.seen, address,
                          (check_taken){.since = 0});
        block->met = true;
        check_streams_set(checker, block, SIM_FENCE_CTA, false); // others may set the flag,
        block->polled = true;                                    // or have polled it
    }
}

// All but arrivals, which come once for each warp and do no more than note who has come.
static __attribute__((noinline)) void synchronise(sim_checker *checker,
                                                  const sim_sync_event *event) {
    check_block *block = checker->current;
    check_order *order = &block->order;
    if (event->kind != SIM_SYNC_BARRIER_COMPLETE) check_interval_settle(checker);
    switch (event->kind) {
    case SIM_SYNC_BARRIER_ARRIVE: break;
    case SIM_SYNC_BARRIER_COMPLETE:
        check_tmem_wait(checker, event);
        open_barrier(checker, event->barrier);
        break;
    case SIM_SYNC_CLUSTER_MET: meet_cluster(checker, event->block); break;
    case SIM_SYNC_WARP: meet_in_warp(checker, block, event); break;
    case SIM_SYNC_FENCE:
        if (event->instr->variant == SIM_FENCE_ASYNC) check_proxy_fence(checker, event);
        check_note_synced(checker, check_site(checker, event->function, event->instr));
        check_order_fence(order, &checker->clock, event->warp, event->lanes,
                          event->instr->scope != SIM_FENCE_CTA, false);
        check_streams_fence(checker, block, event->instr->scope);
        break;
    case SIM_SYNC_MBARRIER_ARRIVE:
    case SIM_SYNC_MBARRIER_WAIT:
        check_interval_close(checker, block);
        if (event->instr->op == SIM_OP_TMEM) check_tmem_arrive(checker, event);
        if (event->kind == SIM_SYNC_MBARRIER_WAIT) check_tmem_wait(checker, event);
        pass_mbarrier(checker, event);
        check_phases_pass(checker, event);
        break;
    case SIM_SYNC_BULK_GROUP: check_stores_group(checker, event); break;
    case SIM_SYNC_EXIT: check_order_exit(order, event->warp, event->lanes); break;
    }
    if (checker->clock.now >= CHECK_TIME_MAX) checker->exhausted = true;
}

void check_on_sync(void *context, const sim_sync_event *event) {
    sim_checker *checker = context;
    check_switch_to(checker, event->block);
    if (event->kind == SIM_SYNC_BARRIER_ARRIVE) arrive(checker, event);
    else synchronise(checker, event);
}

void check_on_absent_lane(void *context, const sim_sync_event *event) {
    sim_checker *checker = context;
    check_switch_to(checker, event->block);
    if (!is_in_code(event)) return;
    check_find_sync(checker, SIM_CHECK_ABSENT_LANE,
                    check_site(checker, event->function, event->instr), CHECK_NO_SITE,
                    32 * event->warp + (uint32_t)__builtin_ctz(event->lanes),
                    kl_advice_text(KL_ADVICE_WHOLE_WARP));
}

void check_on_misprint(void *context, const sim_sync_event *event, const char *text) {
    sim_checker *checker = context;
    check_switch_to(checker, event->block);
    if (!is_in_code(event)) return;
    check_find_sync(checker, SIM_CHECK_FORMAT, check_site(checker, event->function, event->instr),
                    CHECK_NO_SITE, 32 * event->warp + (uint32_t)__builtin_ctz(event->lanes), text);
}
