// SPDX-License-Identifier: MIT
// Whole warps that go by a block's barrier. Such a warp leaves no branch behind whose other side
// still waits: that it took another way shows by where it waits instead, or by what it did before
// it returned. A warp that returned early did nothing that comes after the barrier in the program.
#include <string.h>

#include "check/internal.h"
#include "program/cfg.h"

enum { NO_WARP = CHECK_WARPS };

// ---- what comes after a barrier -----------------------------------------------------------------

// Whether a thread that has executed block `from` can come to the beginning of block `to`.
// to_see: [blocks].
static bool leads_to(const sim_graph *graph, uint32_t from, uint32_t to, uint32_t *to_see,
                     bool *seen) {
    uint32_t count = 0;
    memset(seen, 0, graph->count * sizeof *seen);
    to_see[count++] = from;
    while (count > 0) {
        uint32_t node = to_see[--count];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            uint32_t next = graph->targets[i];
            if (next == to) return true;
            if (next == graph->count || seen[next]) continue;
            seen[next] = true;
            to_see[count++] = next;
        }
    }
    return false;
}

// Whether pc `last` lies behind pc `barrier` on every way that has both: then no thread comes from
// it to the barrier. False also when there is no memory to find out.
static bool lies_behind(const sim_function *function, uint32_t barrier, uint32_t last) {
    const size_t most = 64 << 20;
    sim_arena *arena = sim_arena_new(most);
    sim_cfg cfg;
    bool behind = false;
    if (arena &&
        sim_cfg_build(arena, function->code, function->code_count, function->slots, &cfg)) {
        uint32_t a = cfg.block_of[barrier], b = cfg.block_of[last], blocks = cfg.graph.count;
        uint32_t *to_see = sim_arena_array(arena, (size_t)blocks + 1, sizeof *to_see);
        bool *seen = sim_arena_array(arena, blocks, sizeof *seen);
        if (to_see && seen) {
            bool forward = a == b ? last > barrier : leads_to(&cfg.graph, a, b, to_see, seen);
            behind = forward && !leads_to(&cfg.graph, b, a, to_see, seen);
        }
    }
    sim_arena_free(arena);
    return behind;
}

// Of the pairs that a kernel asks about there are few; that of each slot is kept.
static bool is_behind(sim_checker *checker, uint32_t barrier, uint32_t last) {
    const sim_program *program = checker->grid->program;
    uint32_t f = check_find_function(checker, barrier);
    if (last == CHECK_NO_SITE || check_find_function(checker, last) != f) return false;
    check_behind *kept = &checker->behind[(barrier * 31 + last) % CHECK_BEHIND];
    if (kept->barrier != barrier + 1 || kept->last != last) {
        uint32_t first = checker->first_site[f];
        bool answer = lies_behind(&program->functions[f], barrier - first, last - first);
        *kept = (check_behind){barrier + 1, last, answer};
    }
    return kept->answer;
}

// ---- the barrier opens --------------------------------------------------------------------------

// A warp that waits at another line than `first`: an unrolled loop has one barrier in many
// instructions. Without lines there is nothing to tell them apart by.
static uint32_t waits_elsewhere(const sim_checker *checker, const check_arrival *arrival,
                                uint32_t first) {
    for (uint32_t i = 0; i < checker->current->order.warp_count; i++)
        if (arrival->waiting[i] && arrival->site[i] != first &&
            check_find_lines_differ(checker, first, arrival->site[i]))
            return i;
    return NO_WARP;
}

// Whether a warp has returned that did something after the barrier.
static bool has_passed_by(sim_checker *checker, uint32_t first) {
    const check_order *order = &checker->current->order;
    for (uint32_t i = 0; i < order->warp_count; i++) {
        const check_warp *warp = &order->warps[i];
        if (!warp->alive && warp->exited && is_behind(checker, first, warp->last_site)) return true;
    }
    return false;
}

void check_warps_meet(sim_checker *checker, const check_arrival *arrival, uint32_t first,
                      uint32_t thread) {
    check_order *order = &checker->current->order;
    if (order->strayed) return;
    uint32_t other = waits_elsewhere(checker, arrival, first);
    order->strayed = other != NO_WARP || has_passed_by(checker, first);
    if (!order->strayed) return;
    uint32_t second = other != NO_WARP ? arrival->site[other] : CHECK_NO_SITE;
    sim_finding *finding = check_find_sync(
        checker, SIM_CHECK_DIVERGENT_BARRIER, first, second, thread,
        other != NO_WARP ? "warps of one block wait at different barriers: every thread of the "
                           "block must reach the same __syncthreads()"
                         : "other warps of the block skip this barrier in a branch and go on "
                           "behind it: every thread of the block must reach the same "
                           "__syncthreads()");
    if (finding && other != NO_WARP)
        check_find_side(checker, &finding->sides[1], SIM_ACTION_NONE, second, order->position,
                        32 * other + (uint32_t)__builtin_ctz(arrival->waiting[other]));
}
