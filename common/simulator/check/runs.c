// Order between the grids of one launch of the host (CUDA C++ Programming Guide, "Parent and Child
// Grids", "Memory Consistency"): a launch orders what its thread did before it, and what that
// thread knew, before all of the child; a grid that runs behind another in a stream sees all of it;
// so does a tail launch of all else. Anything else may happen at the same time. What other threads
// of the parent did before a launch counts as ordered, whether the launching thread knew of it or
// not: that can hide a race, never make one up.
#include "advice.h"
#include "check/internal.h"
#include <assert.h>

bool check_run_begin(sim_checker *checker, const sim_grid *grid, const sim_check_descent *descent) {
    if (!sim_reserve(&checker->runs, &checker->run_capacity, checker->run_count,
                     sizeof *checker->runs))
        return false;
    checker->clock.touched = true;
    check_run *run = &checker->runs[checker->run_count++];
    *run = (check_run){.begin = check_clock_advance(&checker->clock), .grid = *grid};
    if (descent) run->descent = *descent;
    checker->run_begin = run->begin;
    return true;
}

uint64_t check_last_begun(const void *items, size_t bytes, uint64_t count, uint32_t time) {
    uint64_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        uint32_t begin;
        memcpy(&begin, (const char *)items + middle * bytes, sizeof begin);
        if (begin <= time) low = middle;
        else high = middle;
    }
    return low;
}

static_assert(offsetof(check_run, begin) == 0 && offsetof(check_owner, begin) == 0,
              "check_last_begun looks there");

const check_run *check_run_at(const sim_checker *checker, uint32_t time) {
    const check_run *runs = checker->runs;
    return &runs[check_last_begun(runs, sizeof *runs, checker->run_count, time)];
}

// The ancestors of both, or they themselves, that one grid has launched. A grid that is an ancestor
// of the other one has none.
static void find_branches(const sim_checker *checker, uint32_t earlier,
                          const check_run **out_earlier, const check_run **out_later) {
    uint32_t later = checker->run_count - 1;
    *out_earlier = *out_later = NULL;
    while (earlier != later) { // parents have smaller numbers
        const check_run **branch = later > earlier ? out_later : out_earlier;
        uint32_t *up = later > earlier ? &later : &earlier;
        *branch = &checker->runs[*up];
        *up = (*branch)->descent.parent;
    }
}

bool check_run_ordered(const sim_checker *checker, uint32_t time) {
    const check_run *run = check_run_at(checker, time), *earlier, *later;
    find_branches(checker, (uint32_t)(run - checker->runs), &earlier, &later);
    if (!later) return true; // the running grid itself
    const sim_child *child = &later->descent.child;
    if (!earlier) return child->stream == SIM_STREAM_TAIL || time < child->order;
    return sim_child_follows(child, &earlier->descent.child);
}

const char *check_run_explanation(const sim_checker *checker, const check_run *other) {
    const check_run *earlier, *later;
    find_branches(checker, (uint32_t)(other - checker->runs), &earlier, &later);
    if (earlier) return kl_advice_text(KL_ADVICE_ONE_CHILD_STREAM);
    return kl_advice_text(KL_ADVICE_TAIL_LAUNCH);
}

uint32_t check_on_launched(void *context) {
    sim_checker *checker = context;
    checker->clock.touched = true;
    uint32_t now = check_clock_advance(&checker->clock);
    checker->clock.touched = true;
    if (checker->clock.now >= CHECK_TIME_MAX) checker->exhausted = true;
    return now;
}
