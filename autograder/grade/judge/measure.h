// SPDX-License-Identifier: MIT
// What criteria measure: counted quantities of one call on the simulator, and times on a GPU.
#ifndef LADDER_JUDGE_MEASURE_H
#define LADDER_JUDGE_MEASURE_H

#include "device/counters.h"
#include "device/report.h"
#include "grade/judge/judge.h"
#include "stats.h"

// Counts of all kernel launches of one call of a step.
typedef struct ladder_counts {
    sim_counters totals;           // sums of all launches
    uint32_t launches;             // of kernels
    double registers, local_bytes; // a thread, the most of any launch
    double shared_bytes;           // a block, static and dynamic, the most of any launch
    double blocks;                 // of the grid, the most of any launch
    double occupancy_pct;          // theoretical, the most of any launch
    double sms_used;               // SMs that get a block that has work, the most of any launch
    double all_blocks, all_warps;  // of all launches
    double time_us;                // modelled, of all launches
    double moves_us;               // modelled, of fills and copies on the device
    int64_t size;                  // of the case, in the problem's unit
} ladder_counts;

// Adds a launch's report, on this device.
void ladder_counts_add(ladder_counts *counts, const sim_launch_report *report,
                       const sim_device *device);

// Sum of counters over divisor. NaN when the divisor is 0.
double ladder_count_value(const char *counters, const char *per, const ladder_counts *counts);

// What a call takes on this device as it is modelled, as the simulator's clock has it for a stream:
// its kernels, its fills and copies on the device, and what an event takes. Where launches are not
// played, also what passes until the first kernel runs and between kernels.
double ladder_call_us(const ladder_counts *counts, const sim_device *device);

// The case of this name for which counts are wanted; NULL: there are none.
typedef const ladder_counts *ladder_count_source(void *context, const char *family, int64_t size);

// What counts are worth to a count criterion, or to a speed criterion that is graded by a modelled
// time: fills values and points. False when some of the counts are not there.
bool ladder_score_counts(const ladder_criterion *criterion, const ladder_modelled *modelled,
                         ladder_count_source *source, void *context, ladder_criterion_result *out);

// Speed needs the technique: where a count criterion of the step earns nothing, its speed criteria
// earn nothing either.
void ladder_score_close(const ladder_rubric_step *step, ladder_criterion_result *results,
                        int count);

// A quantity by its name, as rubrics and questions have it: a counter of counters.def, what is
// known of a launch ("launch__grid_size", "sim__sms_used", ..), "launches", "element" (the case's
// size), "block" and "warp" (all that were launched), "time_us" (modelled), "call" (1). NaN: no
// such name.
double ladder_quantity(const char *name, const ladder_counts *counts);
bool ladder_counter_known(const char *name);

// One call of the step on one case in a fresh engine and runner. The outcome is CORRECT when counts
// were taken; then the call's outputs were right, too.
void ladder_measure_counts(const ladder_judge *judge, const ladder_rubric_step *step,
                           const char *object, const char *folder, const ladder_case *item,
                           ladder_step_result *result, ladder_case_end *out_end,
                           ladder_counts *out_counts);

// What scoring is given besides: any of it may be NULL. `baseline` gives, for a step number, the
// shared object of the kit's own solution of it (NULL: none), for speed criteria on a GPU;
// `progress` is told what is being timed.
typedef const char *ladder_baseline(void *context, int step);
typedef struct ladder_score_help {
    ladder_baseline *baseline;                         // NULL: none
    void (*progress)(void *context, const char *what); // NULL: nobody is told
    void *context;                                     // of both functions
} ladder_score_help;

// Evaluates the criteria of a step whose correctness is decided: fills result->criteria.
void ladder_score_step(const ladder_judge *judge, const ladder_rubric_step *step,
                       const char *object, const char *folder, const ladder_score_help *help,
                       ladder_step_result *result);

#endif
