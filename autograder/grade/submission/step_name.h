// SPDX-License-Identifier: MIT
// Which step a file is, by its name alone, as browsers, file managers and course systems leave it:
// "1_Interleaved.CU", "1_interleaved (1).cu", "Copy of 1_interleaved.cu", "ann_1_interleaved.cu".
#ifndef LADDER_SUBMISSION_STEP_NAME_H
#define LADDER_SUBMISSION_STEP_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "grade/rubric/rubric.h"

enum { LADDER_SEEN_TOLD = 5 }; // files that are told by name

// How a file's name stands for a step's; what comes first is taken first.
typedef enum ladder_name_fit {
    LADDER_NAME_EXACT,   // the step's own name
    LADDER_NAME_SPELLED, // in other letter case, with other separators or marks that do not show
    LADDER_NAME_COPY,    // of a copy: "(1)", "- Copy", "Copy of"
    LADDER_NAME_AMID,    // other words stand before or behind it
    LADDER_NAME_NONE
} ladder_name_fit;

// The rubric's step (an index) that a file's name stands for; -1: none. out_fit may be NULL.
int ladder_step_of_name(const ladder_rubric *rubric, const char *name, ladder_name_fit *out_fit);

// The same for a file that is a submission by itself ("3_sequential-no_barrier.cu", "3-ann.cu"):
// one that begins with the step's number or name will do.
int ladder_step_of_single(const ladder_rubric *rubric, const char *name);

// Why a file of this name is none of the lab's steps: "not a .cu file; 1_interleaved.cu may be
// meant". Returns text.
char *ladder_step_name_why(const ladder_rubric *rubric, const char *name, char *text, size_t bytes);

// How near the name is to that of a step: 0 is a CUDA source, 1 resembles a step, 2 is anything
// else.
int ladder_step_name_distance(const ladder_rubric *rubric, const char *name);

// A name of a file or folder without what does not show: a byte order mark and marks of direction
// at its ends, blanks, and dots at its end. out: [bytes].
void ladder_name_trim(const char *name, char *out, size_t bytes);

// Files that were handed in and are not taken, with the reason of each. The nearest to a step come
// first; of others only how many there are.
typedef struct ladder_seen {
    struct {
        int distance;            // 0: nearest to a step
        char name[64], why[112]; // printable
    } items[LADDER_SEEN_TOLD];   // [count, at most LADDER_SEEN_TOLD]
    int count;                   // of all
} ladder_seen;

// Takes a file into account that was not taken, with the reason and its distance to a step's name.
void ladder_seen_add(ladder_seen *seen, int distance, const char *name, const char *why);
// "step3.cu (not a step's name; 3_sequential.cu may be meant), notes.txt (not a .cu file) and 3
// more"; "" when nothing was seen. Returns text.
char *ladder_seen_say(const ladder_seen *seen, char *text, size_t bytes);

#endif
