// SPDX-License-Identifier: MIT
// One look at a step that was saved: it is compiled as `ladder run` does it, checked on the lab's
// small cases by the simulator's checker, and its counts are taken.
#ifndef LADDER_WATCH_LOOK_H
#define LADDER_WATCH_LOOK_H

#include <stdio.h>

#include "grade/points/counts.h"
#include "grade/rubric/lab_files.h"
#include "table.h"

enum { LADDER_LOOK_TEXT = 1 << 14 };

// What a look was asked for and what came out, in memory that its process shares with the caller.
typedef struct ladder_look {
    const ladder_kit *kit;              // where programs lie
    const ladder_lab *lab;              // whose step it is
    int step;                           // its number
    kl_style style;                     // of the texts
    int rows;                           // that fit; texts are as long as they get, tables are cut
    bool counted;                       // `before` is of this step
    ladder_counts before, counts;       // of the last right version, and of this one
    double compile_s, check_s, count_s; // how long each took; 0: not done
    bool compiled, good, done;          // done: the look came to its end
    char verdict[160];                  // "right in 17 small cases, no findings"
    char text[LADDER_LOOK_TEXT];        // whole lines below the verdict
} ladder_look;

// Memory for looks, to be freed with ladder_look_free; NULL: there is none.
ladder_look *ladder_look_new(void);
void ladder_look_free(ladder_look *look);

// Asked several times a second: is there something better to do?
typedef bool ladder_look_is_over(void *context);

// Compiles, checks and counts. False when is_over said so before the end; nothing of it runs then.
bool ladder_look_at(ladder_look *look, ladder_look_is_over *is_over, void *context);

#endif
