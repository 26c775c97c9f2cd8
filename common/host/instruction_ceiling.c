// SPDX-License-Identifier: MIT
// Ceilings of warp instructions: see problem.h.
#include "problem.h"

#include "table.h"

#include <stdio.h>
#include <string.h>

// A right step may be slow: written as an earlier step, by one thread instead of 32, or with an
// inner loop that the solution has not.
static const double times = 50, times_of_solution = 10;
// What a call may execute however small its case: a tenth of a second on the simulator.
static const double least = 1e6;
// Of a lab without counts: the most that a step of this kit's labs takes where there is much work.
static const double unknown = 65;
enum { LANES = 32 };

// What the solution executes: of this step, and the most of all steps, on the family's cases; of a
// family that was not counted, on any. 0: not known.
static void find_counted(const kl_problem *problem, int step, int family, double *out_own,
                         double *out_most) {
    const char *name = problem->families[family].name;
    for (int any = 0; any < 2; any++) {
        *out_own = *out_most = 0;
        for (int i = 0; i < problem->executed_count; i++) {
            const kl_executed *e = &problem->executed[i];
            if (!any && strcmp(e->family, name) != 0) continue;
            if (e->step == step && e->per_work > *out_own) *out_own = e->per_work;
            if (e->per_work > *out_most) *out_most = e->per_work;
        }
        if (*out_own > 0) return;
    }
    if (*out_most == 0) *out_most = unknown;
}

// Warp instructions for a warp's worth of work: the step's own, or a tenth of the slowest step's,
// so that what an early step does is right in every later one.
static double per_work(const kl_problem *problem, int step, int family) {
    double own, most;
    find_counted(problem, step, family, &own, &most);
    if (own <= 0) return most;
    return own > most / 10 ? own : most / 10;
}

double kl_instruction_ceiling(const kl_problem *problem, int step, const kl_case *shape,
                              bool solution) {
    double work = kl_case_work(shape) / LANES;
    return (solution ? times_of_solution : times) * per_work(problem, step, shape->family) * work +
           least;
}

bool kl_instruction_ceiling_text(const kl_problem *problem, int step, const kl_case *shape,
                                 double executed, char *text, size_t text_bytes) {
    double own, most;
    find_counted(problem, step, shape->family, &own, &most);
    if (own <= 0) own = most;
    double expected = own * kl_case_work(shape) / LANES;
    char number[32], count[32];
    // A block of 1024 threads of which each does everything takes 1024 times as long.
    bool endless = executed > 4096 * (expected + LANES);
    if (endless)
        snprintf(text, text_bytes,
                 "a loop does not end (does each iteration change what its condition tests?)");
    else
        snprintf(
            text, text_bytes,
            "stopped after %s times the work expected (%s warp instructions): does each thread "
            "skip the others' elements?",
            kl_format_grouped((long long)(executed / expected), number, sizeof number),
            kl_format_count(executed, count, sizeof count));
    return endless;
}
