// SPDX-License-Identifier: MIT
// Barriers that some threads of a block do not come to: which barrier is in a branch, which thread
// did not come and by which branch it went elsewhere. Whole warps leave no branch behind whose
// other side still waits: that such a warp took another way shows by where it waits instead, or by
// what it did before it returned. A warp that returned early did nothing that comes after the
// barrier in the program.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/internal.h"
#include "program/cfg.h"
#include "program/loop.h"

enum { NO_WARP = CHECK_WARPS };

// ---- the graph of a function --------------------------------------------------------------------

typedef struct function_graph {
    const sim_function *function;
    sim_arena *arena;
    sim_cfg cfg;
    uint32_t *to_see; // [blocks + 1]
    bool *seen;       // [blocks]
} function_graph;

static bool open_graph(const sim_function *function, function_graph *out) {
    const size_t most = 64 << 20;
    *out = (function_graph){.function = function, .arena = sim_arena_new(most)};
    if (!out->arena || !sim_cfg_build(out->arena, function->code, function->code_count,
                                      function->slots, &out->cfg))
        return false;
    uint32_t blocks = out->cfg.graph.count;
    out->to_see = sim_arena_array(out->arena, (size_t)blocks + 1, sizeof *out->to_see);
    out->seen = sim_arena_array(out->arena, blocks, sizeof *out->seen);
    return out->to_see && out->seen;
}

// Whether a thread that has executed block `from` can come to the beginning of block `to`;
// jumps_back: also by another iteration of a loop.
static bool leads_to(const function_graph *g, uint32_t from, uint32_t to, bool jumps_back) {
    const sim_graph *graph = &g->cfg.graph;
    uint32_t count = 0;
    memset(g->seen, 0, graph->count * sizeof *g->seen);
    g->to_see[count++] = from;
    while (count > 0) {
        uint32_t node = g->to_see[--count];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            uint32_t next = graph->targets[i];
            if (next <= node && !jumps_back) continue;
            if (next == to) return true;
            if (next == graph->count || g->seen[next]) continue;
            g->seen[next] = true;
            g->to_see[count++] = next;
        }
    }
    return false;
}

// Whether instruction `to` comes after `from` in one iteration.
static bool comes_after(const function_graph *g, uint32_t from, uint32_t to) {
    uint32_t a = g->cfg.block_of[from], b = g->cfg.block_of[to];
    return a == b ? to > from : leads_to(g, a, b, false);
}

// ---- what comes after a barrier -----------------------------------------------------------------

// Whether pc `last` lies behind pc `barrier` on every way that has both: then no thread comes from
// it to the barrier. False also when there is no memory to find out.
static bool lies_behind(const sim_function *function, uint32_t barrier, uint32_t last) {
    function_graph g;
    bool behind = false;
    if (open_graph(function, &g)) {
        uint32_t a = g.cfg.block_of[barrier], b = g.cfg.block_of[last];
        bool forward = a == b ? last > barrier : leads_to(&g, a, b, true);
        behind = forward && !leads_to(&g, b, a, true);
    }
    sim_arena_free(g.arena);
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

// A warp that has returned and did something after the barrier, or NO_WARP.
static uint32_t find_passed_by(sim_checker *checker, uint32_t first) {
    const check_order *order = &checker->current->order;
    for (uint32_t i = 0; i < order->warp_count; i++) {
        const check_warp *warp = &order->warps[i];
        if (!warp->alive && warp->exited && is_behind(checker, first, warp->last_site)) return i;
    }
    return NO_WARP;
}

// ---- a barrier in a branch ----------------------------------------------------------------------

// Whether the block ends in a branch of which one side leads to block `to` and another one does
// not.
static bool decides(const function_graph *g, uint32_t block, uint32_t to) {
    const sim_graph *graph = &g->cfg.graph;
    bool some = false, others = false;
    for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++) {
        uint32_t next = graph->targets[i];
        bool comes =
            next == to || (next != graph->count && next > block && leads_to(g, next, to, false));
        some |= comes;
        others |= !comes;
    }
    return some && others;
}

// The branch nearest above a barrier by which a thread misses it; in a loop without such a branch,
// the one that ends the loop. CHECK_NO_SITE: there is none.
static uint32_t branch_above(const function_graph *g, uint32_t barrier) {
    sim_loop inner = {0, 0}, outer;
    if (g->function->code[barrier].guard != SIM_NO_SLOT) return barrier;
    bool loops = sim_loops_around(g->function, barrier, &inner, &outer);
    uint32_t to = g->cfg.block_of[barrier], first = g->cfg.block_of[inner.first_pc];
    for (uint32_t block = to; block-- > first;)
        if (decides(g, block, to)) return g->cfg.first_pc[block + 1] - 1;
    if (loops) return inner.last_pc;
    return CHECK_NO_SITE;
}

static void tell_missed(sim_checker *checker, const check_missed *missed, uint32_t branch,
                        bool each_side) {
    const check_order *order = &checker->current->order;
    const sim_function *function =
        &checker->grid->program->functions[check_find_function(checker, missed->barrier)];
    uint32_t first = checker->first_site[function - checker->grid->program->functions];
    uint32_t second = branch != CHECK_NO_SITE ? branch : missed->waits;
    sim_finding *finding = check_find_sync(checker, SIM_CHECK_DIVERGENT_BARRIER, missed->barrier,
                                           second, missed->came, "");
    if (!finding) return;
    if (second != CHECK_NO_SITE)
        check_find_side(checker, &finding->sides[1], SIM_ACTION_NONE, second, order->position,
                        missed->absent);
    uint32_t at = branch != CHECK_NO_SITE ? check_line_of(function, branch - first) : 0;
    uint32_t waits =
        missed->waits != CHECK_NO_SITE ? check_line_of(function, missed->waits - first) : 0;
    sim_dim3 block = checker->grid->block;
    uint32_t t = missed->absent;
    char by[64] = "", then[64] = "";
    if (at && each_side)
        snprintf(by, sizeof by, "it takes the other side of the branch in line %" PRIu32 ", ", at);
    else if (at)
        snprintf(by, sizeof by, "the branch in line %" PRIu32 " leads it past, ", at);
    if (waits)
        snprintf(then, sizeof then, "it waits at the barrier in line %" PRIu32, waits);
    else
        snprintf(then, sizeof then, "%s", missed->returned ? "it returns" : "it goes on");
    snprintf(finding->text, sizeof finding->text,
             "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32
             ") does not come to this barrier: %s%s. Every "
             "thread of the block must come to the same __syncthreads(): %s",
             t % block.x, t / block.x % block.y, t / block.x / block.y, by, then,
             each_side ? "put one after the branch instead of one in each side"
                       : "put it where no branch or loop leads past it");
}

void check_barrier_missed(sim_checker *checker, check_missed missed) {
    check_order *order = &checker->current->order;
    if (order->strayed) return;
    order->strayed = checker->strayed = true;
    const sim_program *program = checker->grid->program;
    uint32_t f = check_find_function(checker, missed.barrier), first = checker->first_site[f];
    uint32_t branch = CHECK_NO_SITE;
    bool each_side = false;
    function_graph g;
    if (open_graph(&program->functions[f], &g)) {
        bool both =
            missed.waits != CHECK_NO_SITE && check_find_function(checker, missed.waits) == f;
        uint32_t a = missed.barrier - first, b = both ? missed.waits - first : a;
        if (both && comes_after(&g, b, a)) { // the other barrier is the one in the branch
            missed = (check_missed){.barrier = missed.waits,
                                    .waits = missed.barrier,
                                    .came = missed.absent,
                                    .absent = missed.came};
            a = b;
        } else {
            each_side = both && !comes_after(&g, a, b);
        }
        branch = branch_above(&g, a);
        if (branch != CHECK_NO_SITE) branch += first;
    }
    sim_arena_free(g.arena);
    tell_missed(checker, &missed, branch, each_side);
}

void check_warps_meet(sim_checker *checker, const check_arrival *arrival, uint32_t first,
                      uint32_t thread) {
    check_order *order = &checker->current->order;
    if (order->strayed) return;
    uint32_t other = waits_elsewhere(checker, arrival, first), passed = NO_WARP;
    if (other == NO_WARP) passed = find_passed_by(checker, first);
    check_missed missed = {.barrier = first, .waits = CHECK_NO_SITE, .came = thread};
    if (other != NO_WARP) {
        missed.waits = arrival->site[other];
        missed.absent = 32 * other + (uint32_t)__builtin_ctz(arrival->waiting[other]);
    } else if (passed != NO_WARP) {
        missed.returned = true;
        missed.absent = 32 * passed + (uint32_t)__builtin_ctz(order->warps[passed].exited);
    } else {
        return;
    }
    check_barrier_missed(checker, missed);
}
