// SPDX-License-Identifier: MIT
// Ceilings of warp instructions: see instruction_ceiling.h.
#include "instruction_ceiling.h"

#include "table.h"

#include <stdio.h>

// A right step may be slow: written as an earlier step, by one thread instead of 32, or with an
// inner loop that the solution has not.
static const double times = 50, times_of_solution = 10;
// What a call may execute however small its case: a tenth of a second on the simulator.
static const double least = 1e6;
// Of a lab without counts: the most that a step of this kit's labs takes where there is much work.
static const double unknown = 65;
enum { LANES = 32 };

// Warp instructions for a warp's worth of work: the step's own, or a tenth of the lab's slowest
// step, so that what an early step does is right in every later one.
static double per_work(const kl_problem *problem, int step) {
    double own = 0, most = 0;
    for (int i = 0; i < problem->step_count; i++) {
        double counted = problem->steps[i].warp_instructions;
        if (problem->steps[i].number == step) own = counted;
        most = counted > most ? counted : most;
    }
    if (own <= 0) return most > 0 ? most : unknown;
    return own > most / 10 ? own : most / 10;
}

double kl_instruction_ceiling(const kl_problem *problem, int step, const kl_case *shape,
                              bool solution) {
    double work = kl_case_work(shape) / LANES;
    return (solution ? times_of_solution : times) * per_work(problem, step) * work + least;
}

const char *kl_instruction_ceiling_text(const kl_problem *problem, int step, const kl_case *shape,
                                        double executed, char *text, size_t text_bytes) {
    const kl_step_info *info = kl_problem_step(problem, step);
    double own =
        info && info->warp_instructions > 0 ? info->warp_instructions : per_work(problem, step);
    double expected = own * kl_case_work(shape) / LANES;
    char number[32], count[32];
    // A block of 1024 threads of which each does everything takes 1024 times as long.
    if (executed > 4096 * (expected + LANES))
        snprintf(text, text_bytes, "endless: a loop does not end");
    else
        snprintf(
            text, text_bytes,
            "stopped after %s times the work expected (%s warp instructions): does each thread "
            "skip the others' elements?",
            kl_format_grouped((long long)(executed / expected), number, sizeof number),
            kl_format_count(executed, count, sizeof count));
    return text;
}
