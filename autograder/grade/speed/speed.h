// Speed of a step on a GPU: its comparison with another, and the thresholds of a card.
#pragma once

#include "grade/judge/plan.h"
#include "grade/speed/interval.h"

// ---- comparison.c -------------------------------------------------------------------------------
// Speed of a step on a GPU, as the ratio of two times taken side by side. The judge holds the
// clock: it times k and 2k calls from outside, and the slope is the time of a call; outputs of all
// timed calls are verified. What the ratios say is decided in interval.h. The time that it takes is
// bounded: LADDER_SPEED_SECONDS and the last pair of processes.

// What is timed against what.
typedef struct ladder_comparison {
    const ladder_submission_run *run;  // plan, the step that is timed, who is told of each pair
    const ladder_criterion *criterion; // over, family, size
    ladder_threshold threshold;        // the criterion's, or this card's
    const char *baseline_object;       // the kit's own build of step criterion->over
    double tolerance;                  // of the baseline against itself, see ladder_decide_same
    double limit_s;  // no pair of processes is started later; 0: LADDER_SPEED_SECONDS
    int pairs_least; // of processes; 0: LADDER_RATIOS_FEW
    // Of outputs, after one timing; 0: 32 MiB. When not all fit, a random choice after some timings
    // is compared.
    uint64_t compare_bytes;
    double (*now_s)(void); // the clock; NULL: kl_now_s
} ladder_comparison;

// Where the time of a measurement went, in seconds on the clock.
typedef struct ladder_speed_parts {
    double start_s, inputs_s; // processes; their inputs, and memory for outputs
    double alone_s;           // timed calls and their outputs: nobody else may use the card
    double kept_s, end_s;     // inputs compared afterwards; ends of processes
    double waited_s;          // for others who used the card; no part of `seconds`
} ladder_speed_parts;

// What came out: ratio is time(baseline) / time(step).
typedef struct ladder_speed {
    kl_interval ratio, same;  // same: of the baseline against itself
    int pairs;                // of processes
    bool doubt;               // noise still decides
    double over_s, step_s;    // of one call, the medians over processes
    double seconds;           // that the measurement took
    ladder_speed_parts parts; // of them
} ladder_speed;

// What the baseline against itself may differ from 1 by, whatever its interval is.
#define LADDER_SPEED_TOLERANCE 0.01

// How long one criterion is timed, from its first process to the start of its last.
#define LADDER_SPEED_SECONDS 50

// How far above this card's roof (bytes that must move, over the memory's rate) a call may seem to
// be; beyond it has not done its work.
#define LADDER_SPEED_ROOF 1.5

// A step timed against the baseline. KL_ERROR_INPUT: an output of a timed call was wrong, the step
// failed, or it was faster than the card's memory allows. KL_ERROR_LIMIT: the machine is unfit, for
// the baseline against itself is not 1.
kl_status ladder_compare_speed(const ladder_comparison *comparison, ladder_speed *out_speed,
                               kl_error *err);

// Time of one call of the step in one fresh process, every set of inputs used and every output
// verified: one of the measurements that a comparison is made of. It needs no baseline. Errors as
// above.
kl_status ladder_time_step(const ladder_comparison *comparison, double *out_s, kl_error *err);

// ---- thresholds.c -------------------------------------------------------------------------------
// Speed thresholds of one card, measured there by `ladder calibrate`: labs/LAB/thresholds/CARD.txt,
// CARD being the card's name in small letters. `ladder grade` finds the file by that name and uses
// it instead of the rubric's thresholds; its reports say which. Lines of text:
//   ladder.thresholds/3
//   lab 02_reduction
//   card NVIDIA H200
//   rubric HASH                of the speed criteria that were measured
//   STEP OVER FAMILY SIZE NAIVE GAIN LOW HIGH ITSELF_LOW ITSELF_HIGH SECONDS FULL ZERO
//   end                        after one such line for each speed criterion
// FULL and ZERO are "-" where the gain is too small to be graded on this card. Lines that begin
// with # are remarks. While a card is being measured the lines that there are so far, without an
// end, lie beside it in CARD.part: a calibration that was stopped goes on from there.

enum { LADDER_CALIBRATED_MAX = 64 };

// A speed criterion, and what was measured of it.
typedef struct ladder_calibrated {
    int step, over;             // of the criterion: step, and the one that it is compared with
    char family[64];            // of the timed case: what its inputs are like
    int64_t size;               // of the timed case
    double naive;               // see ladder_threshold_propose; what is intended is gain.low
    kl_interval gain;           // of the kit's solution
    kl_interval itself;         // of the baseline against itself: the noise; no middle is kept
    double seconds;             // that the timing took
    ladder_threshold threshold; // what it asks for on this card
    bool left_out;              // no points for speed on this card
} ladder_calibrated;

// The thresholds of a lab on a card.
typedef struct ladder_thresholds {
    char lab[64], card[128];                       // folder of the lab; name of the GPU
    char rubric[LADDER_SPEED_HASH_TEXT];           // whose speed criteria were measured
    int count;                                     // of rows
    ladder_calibrated rows[LADDER_CALIBRATED_MAX]; // in the rubric's order
} ladder_thresholds;

// The row of this criterion of the step, or NULL.
const ladder_calibrated *ladder_thresholds_find(const ladder_thresholds *thresholds, int step,
                                                const ladder_criterion *criterion);

// Where the file of this lab and card lies; out: [LADDER_PATH].
kl_status ladder_thresholds_path(const ladder_kit *kit, const ladder_lab *lab, const char *card,
                                 char *out, kl_error *err);

// Where the rows of a calibration that has not ended lie, beside the file; out: [LADDER_PATH].
kl_status ladder_thresholds_part(const char *path, char *out, kl_error *err);

// KL_ERROR_INPUT names the file and the line that is wrong, also when the file is of another lab,
// card or version of the rubric. part: the file has no end yet, or is not there: no rows.
kl_status ladder_thresholds_read(const char *path, bool part, const ladder_lab *lab,
                                 const char *card, ladder_thresholds *out_thresholds,
                                 kl_error *err);
// Replaces the file at once: stopping it leaves the old one or the new one.
kl_status ladder_thresholds_write(const ladder_thresholds *thresholds, const char *path, bool part,
                                  kl_error *err);
