// SPDX-License-Identifier: MIT
// The leaderboard of a lab: modelled time of the fastest right step of those who chose to take
// part, and the measured one where a GPU graded, under the pseudonyms that they chose. The best of
// all attempts counts that were reported from one folder of results.
#ifndef LADDER_CLASS_LEADERBOARD_H
#define LADDER_CLASS_LEADERBOARD_H

#include "course/class/summary.h"

// A place on it.
typedef struct ladder_leader {
    char id[96];                 // of the submission
    char nickname[LADDER_TITLE]; // as it is shown
    int step;                    // number of the step whose modelled time is shortest; -1: none
    double time_us;              // modelled, of the common case (show/report/figures.h)
    int timed_step;              // number of the step whose measured time is shortest; -1: none
    double timed_us;             // measured (ladder_timed_us)
    char card[320];              // where it was measured
} ladder_leader;

// Those who take part, the fastest first: by measured time, then by modelled time; out_leaders:
// [count]; returns how many. path: where the best attempts are kept from one time to the next; who
// does not take part any more is dropped there. NULL: nothing is kept.
kl_status ladder_leaders_make(const ladder_lab *lab, const ladder_member *members, size_t count,
                              const char *path, ladder_leader *out_leaders, size_t *out_count,
                              kl_error *err);

#endif
