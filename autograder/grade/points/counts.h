// Counts of one call of a step on the simulator, and quantities of them by name.
#pragma once

#include "device/report.h"
#include "grade/rubric/result.h"
#include "device/spans.h"
#include "grade/judge/judge.h"

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
    sim_span_totals call;          // of the whole call: copies, waits, graphs (device/spans.h)
    bool program;                  // the whole call is what is timed (kl_case.program)
    bool wrong;                    // its results are
    int64_t size;                  // of the case, in the problem's unit
    // By the step's criteria: the line that costs most of what is counted too much or too little in
    // a launch; 0: none.
    struct {
        uint32_t line;
        double amount;
    } worst[LADDER_CRITERIA_MAX];
} ladder_counts;

// Adds a launch's report, on this device.
void ladder_counts_add(ladder_counts *counts, const sim_launch_report *report,
                       const sim_device *device);

// How the instructions of a launch, or of several, are known to be right.
kl_worth ladder_worth_of(const sim_counters *totals);

// Sum of counters over divisor. NaN when the divisor is 0.
double ladder_count_value(const char *counters, const char *per, const ladder_counts *counts);

// By how much the counters of one line are on the wrong side of what earns all points, in units of
// the counter; not above 0 where they are not, or where a line has no such counter.
double ladder_count_amiss(const ladder_criterion *criterion, const sim_counters *line);

// What a call takes on this device as it is modelled, as the simulator's clock has it for a stream:
// its kernels, its fills and copies on the device, and what an event takes. On devices without the
// cycle-level model also what passes until the first kernel runs and between kernels.
double ladder_call_us(const ladder_counts *counts, const sim_device *device);

// A quantity by its name, as rubrics and questions have it: a counter of counters.def or of
// device/spans.def, what is known of a launch ("launch__grid_size", "sim__sms_used", ..),
// "launches", "element" (the case's size), "block" and "warp" (all that were launched), "time_us"
// (modelled), "call" (1). NaN: no such name.
double ladder_quantity(const char *name, const ladder_counts *counts);
bool ladder_counter_known(const char *name);

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

// ---- score.c ------------------------------------------------------------------------------------
// What a step's criteria are worth: from counts of a call on the simulator, and from times on a
// GPU.

// One call of the run's step on one case in a fresh engine and runner. The outcome is CORRECT when
// counts were taken; then the call's outputs were right, too.
void ladder_measure_counts(const ladder_submission_run *run, const ladder_case *item,
                           ladder_case_end *out_end, ladder_counts *out_counts);

// Evaluates the criteria of the run's step, whose correctness is decided: fills in its criteria. Of
// a step that is not correct nothing else of the run is looked at.
void ladder_score_step(const ladder_submission_run *run);
