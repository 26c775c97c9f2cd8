// SPDX-License-Identifier: MIT
// Who uses the GPU: locks of flock(2) on files of the grading's own folder, which end with the
// process that holds them. Several steps may compute answers on the card at the same time; while
// one is timed nobody else does. What needs no card (compilers, the simulator) goes on meanwhile.
#ifndef LADDER_JUDGE_CARD_H
#define LADDER_JUDGE_CARD_H

#include <stdbool.h>

// A place at the card; all zeros: none is needed, and nothing below does anything.
typedef struct ladder_card {
    int use_fd;    // its lock is shared, or with `alone` exclusive; 0: none
    int timing_fd; // one process at a time prepares timings, or their memory would not suffice
    double waited_s, alone_s; // so far
    double alone_from_s;      // on kl_now_s; 0: it is shared
} ladder_card;

// Waits for a place among others. folder: of the locks; NULL: none is needed. timing: for timings.
// Where there are no locks to be had nothing is waited for.
void ladder_card_take(const char *folder, bool timing, ladder_card *out_card);
// Waits until nobody else is there, and lets others in again.
void ladder_card_alone(ladder_card *card);
void ladder_card_share(ladder_card *card);
void ladder_card_give(ladder_card *card);

#endif
