// SPDX-License-Identifier: MIT
// What is handed in after the due date: how late it is, and which part of its score is left.
#ifndef LADDER_INTAKE_LATE_H
#define LADDER_INTAKE_LATE_H

#include "grade/submission/submission.h"

// A late policy; all 0: none.
typedef struct ladder_late_policy {
    bool given;     // there is a due date
    double due_s;   // seconds since 1970
    double rate;    // share of the score that a day costs, 0 .. 1
    double at_most; // share that is lost at most, 0 .. 1
} ladder_late_policy;

// due: "2026-11-20T23:59" in this machine's time zone, or with one: "..Z", "..+01:00"; NULL: no
// policy. rate, at_most: "10" or "10%", of a day and in all; NULL: nothing, and all. KL_ERROR_INPUT
// says what is wrong.
kl_status ladder_late_policy_read(const char *due, const char *rate, const char *at_most,
                                  ladder_late_policy *out_policy, kl_error *err);

// Seconds since 1970 of "2026-11-20T23:59[:30][Z|+01:00]", also with a blank for the T and before
// the zone.
bool ladder_time_read(const char *text, double *out_s);

// Days begun after the due date, the submission's own where it has one; 0: in time. A submission
// that its system marks as late without a time counts as one day late, unless its due date is its
// own; one of which nothing is known is in time.
int ladder_late_days(const ladder_late_policy *policy, const ladder_submission *submission);

// The part of the score that is left, 0 .. 1.
double ladder_late_share(const ladder_late_policy *policy, int days);

#endif
