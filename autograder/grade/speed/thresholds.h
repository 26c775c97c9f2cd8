// SPDX-License-Identifier: MIT
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
#ifndef LADDER_SPEED_THRESHOLDS_H
#define LADDER_SPEED_THRESHOLDS_H

#include "grade/speed/interval.h"
#include "grade/rubric/lab_files.h"
#include "grade/rubric/speed_hash.h"

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

#endif
