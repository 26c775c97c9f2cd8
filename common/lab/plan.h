// SPDX-License-Identifier: MIT
// Which cases a run uses, with inputs and reference answers ready in host memory. Those are made
// before any child is forked that runs them, so that all steps share one copy; small cases come
// first, so that a mistake is told of before large ones are made.
#ifndef KL_PLAN_H
#define KL_PLAN_H

#include "memory.h"
#include "options.h"
#include "problem.h"

enum { KL_PLAN_MAX = 96 };

// One case of a plan.
typedef struct kl_planned {
    kl_prepared data; // inputs and reference answer
    bool timed;       // it is timed, too, not only checked
    bool large;       // it belongs to KL_LARGE
    bool unneeded;    // no step will be run on it: kl_plan_prepare leaves it out
    bool left_out;    // it is long, and neither shown nor checked: only `steps` have it,
    uint32_t steps;   // as bits: those whose numbers to watch are of it, and those before them
} kl_planned;

// Parts of a plan, as bits. Small is a case that takes a moment on the simulator, and on a GPU is
// not timed: there nothing else runs while something is timed.
typedef enum kl_part { KL_SMALL = 1, KL_LARGE = 2, KL_ALL = 3 } kl_part;

// The cases of a run, in host memory. Free with kl_plan_free.
typedef struct kl_plan {
    const kl_problem *problem;     // of the lab
    kl_planned cases[KL_PLAN_MAX]; // ascending size, empty ones last
    int count;                     // of `cases`
    int main_case;                 // index of the timed case shown in the table, or -1
    uint64_t workspace_bytes;      // the largest that a case asks for
    char left_out[512]; // families that have no case of the wanted size, "a, b"; mostly ""
} kl_plan;

// Called before each of `total` cases is prepared; `done` are ready.
typedef void kl_plan_progress(void *context, int done, int total, const kl_case *shape);

// The cases of a run, described; kl_plan_prepare makes their inputs and answers. What the simulator
// would time for other tables and files than those asked for is left out. Free with kl_plan_free,
// also after a failure.
kl_status kl_plan_make(const kl_problem *problem, const kl_options *options, bool simulated,
                       kl_plan *out_plan, kl_error *err);
// Makes inputs and answers of one part. progress may be NULL.
kl_status kl_plan_prepare(kl_plan *plan, kl_part part, kl_plan_progress *progress, void *context,
                          kl_error *err);
// The part that a case belongs to.
kl_part kl_plan_part_of(const kl_planned *planned);
// Whether a case is one of a step's.
bool kl_plan_serves(const kl_plan *plan, int plan_index, int step);
// The parts of which the plan has cases that a step of this number serves.
unsigned kl_plan_parts(const kl_plan *plan, int step);
// Frees the cases' inputs and answers.
void kl_plan_free(kl_plan *plan);

// The memory that kl_plan_make's plan, with all parts prepared, and its steps would take.
kl_status kl_plan_need(const kl_problem *problem, const kl_options *options, bool simulated,
                       kl_memory_need *out_need, kl_error *err);

// A plan of cases that were prepared elsewhere; takes them over. The first timed one becomes the
// main case.
void kl_plan_take(const kl_problem *problem, kl_planned *cases, int count, kl_plan *out_plan);

// The case that stands for a step in the table: the main case, or the last timed one that the step
// has when it has not that; -1 when nothing of it is timed.
int kl_plan_main_for(const kl_plan *plan, int step);
// The case whose counts a number to watch is of; -1 when the plan has not that case.
int kl_plan_watched(const kl_plan *plan, const kl_watch *watch);
// Whether the simulator's counts at a case are wanted of a step: for the table of counts, or for a
// number to watch of it or of the step behind it.
bool kl_plan_counts(const kl_plan *plan, int step, int plan_index);

// KL_ERROR_LIMIT, with what is needed, what there is and which size fits, when the plan that
// these options ask for does not fit. A run is refused before the system kills it.
kl_status kl_memory_check(const kl_problem *problem, const kl_options *options,
                          const kl_device *device, kl_error *err);

#endif
