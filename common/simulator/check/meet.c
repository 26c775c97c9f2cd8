// Barriers that some threads of a block do not come to: which barrier is in a branch, which thread
// did not come and by which branch it went elsewhere. Whole warps leave no branch behind whose
// other side still waits: that such a warp took another way shows by where it waits instead, or by
// what it did before it returned. A warp that returned early did nothing that comes after the
// barrier in the program.
#include "advice.h"
#include "check/race.h"
#include "check/rules.h"

enum { NO_WARP = CHECK_WARPS };

// ---- what comes after a barrier -----------------------------------------------------------------

// Whether pc `last` lies behind pc `barrier` on every way that has both: then no thread comes from
// it to the barrier. False also when there is no memory to find out.
static bool lies_behind(const sim_program *program, const sim_function *function, uint32_t barrier,
                        uint32_t last) {
    check_paths paths;
    bool behind = check_paths_open(program, function, &paths) &&
                  check_paths_lead(&paths, barrier, last, true) &&
                  !check_paths_lead(&paths, last, barrier, true);
    check_paths_close(&paths);
    return behind;
}

// Of the pairs that a kernel asks about there are few; that of each slot is kept.
static bool is_behind(sim_checker *checker, uint32_t barrier, uint32_t last) {
    const sim_program *program = checker->grid->launch->program;
    uint32_t f = check_find_function(checker, barrier);
    if (last == CHECK_NO_SITE || check_find_function(checker, last) != f) return false;
    check_behind *kept = &checker->behind[(barrier * 31 + last) % CHECK_BEHIND];
    if (kept->barrier != barrier + 1 || kept->last != last) {
        uint32_t first = checker->first_site[f];
        bool answer = lies_behind(program, &program->functions[f], barrier - first, last - first);
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
        if (!warp->alive && warp->exited && is_behind(checker, first, check_last_site(checker, i)))
            return i;
    }
    return NO_WARP;
}

// ---- a barrier in a branch ----------------------------------------------------------------------

// The branch nearest above a barrier by which a thread misses it; in a loop without such a branch,
// the one that ends the loop. CHECK_NO_SITE: there is none.
static uint32_t branch_above(const check_paths *paths, uint32_t barrier) {
    sim_loop inner = {0, 0}, outer;
    if (paths->function->code[barrier].guard != SIM_NO_SLOT) return barrier;
    bool loops = sim_loops_around(paths->function, barrier, &inner, &outer);
    uint32_t to = paths->cfg.block_of[barrier], first = paths->cfg.block_of[inner.first_pc];
    for (uint32_t block = to; block-- > first;)
        if (check_paths_decides(paths, block, to)) return paths->cfg.first_pc[block + 1] - 1;
    if (loops) return inner.last_pc;
    return CHECK_NO_SITE;
}

static void tell_missed(sim_checker *checker, const check_missed *missed, uint32_t branch,
                        bool each_side) {
    const check_order *order = &checker->current->order;
    const sim_function *function =
        &checker->grid->launch->program->functions[check_find_function(checker, missed->barrier)];
    uint32_t first = checker->first_site[function - checker->grid->launch->program->functions];
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
    sim_dim3 block = checker->grid->launch->config.block;
    uint32_t t = missed->absent;
    char by[64] = "", then[64] = "";
    if (at && each_side)
        snprintf(by, sizeof by, "it takes the other side of the branch in line %" PRIu32 ", ", at);
    else if (at) snprintf(by, sizeof by, "the branch in line %" PRIu32 " leads it past, ", at);
    if (waits) snprintf(then, sizeof then, "it waits at the barrier in line %" PRIu32, waits);
    else snprintf(then, sizeof then, "%s", missed->returned ? "it returns" : "it goes on");
    snprintf(finding->text, sizeof finding->text,
             "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32
             ") does not come to this barrier: %s%s. Every "
             "thread of the block must come to the same __syncthreads(): %s",
             t % block.x, t / block.x % block.y, t / block.x / block.y, by, then,
             each_side ? kl_advice_text(KL_ADVICE_BARRIER_AFTER_BRANCH)
                       : kl_advice_text(KL_ADVICE_BARRIER_FOR_ALL));
}

void check_barrier_missed(sim_checker *checker, check_missed missed) {
    check_order *order = &checker->current->order;
    if (order->strayed) return;
    check_interval_close(checker, checker->current);
    order->strayed = checker->strayed = true;
    const sim_program *program = checker->grid->launch->program;
    uint32_t f = check_find_function(checker, missed.barrier), first = checker->first_site[f];
    uint32_t branch = CHECK_NO_SITE;
    bool each_side = false;
    check_paths paths;
    if (check_paths_open(program, &program->functions[f], &paths)) {
        bool both =
            missed.waits != CHECK_NO_SITE && check_find_function(checker, missed.waits) == f;
        uint32_t a = missed.barrier - first, b = both ? missed.waits - first : a;
        if (both &&
            check_paths_lead(&paths, b, a, false)) { // the other barrier is the one in the branch
            missed = (check_missed){.barrier = missed.waits,
                                    .waits = missed.barrier,
                                    .came = missed.absent,
                                    .absent = missed.came};
            a = b;
        } else {
            each_side = both && !check_paths_lead(&paths, a, b, false);
        }
        branch = branch_above(&paths, a);
        if (branch != CHECK_NO_SITE) branch += first;
    }
    check_paths_close(&paths);
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
