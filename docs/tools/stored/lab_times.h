// SPDX-License-Identifier: MIT
// Times of the labs' steps at several sizes (common/validation/timing/labs): as measured on
// a card and as the simulator models them. Nothing here prints a table or draws.
#ifndef LADDER_TOOLS_STORED_LAB_TIMES_H
#define LADDER_TOOLS_STORED_LAB_TIMES_H

#include <stdbool.h>

#include "stored/kernel_times.h"

enum { LAB_TIMES_MOST = 1024 };

// A step at a shape.
typedef struct lab_time {
    char lab[32], which[32]; // which: its case
    long long size;
    int step;
    double us, modelled_us[KERNEL_MODELS];
} lab_time;

typedef struct lab_times {
    char device[128]; // that was measured
    int count;
    lab_time rows[LAB_TIMES_MOST]; // by lab, shape and step
} lab_times;

// What errors of a lab's times come to.
typedef struct lab_errors {
    int shapes, count;   // count: times
    int beyond_fifth;    // off by more than 20 %
    int pairs, in_order; // steps at one shape whose measured times differ by more than 15 %
    double mean;         // of |modelled / measured - 1|
} lab_errors;

// root: of the kit; card: "h200". What was measured and not modelled is an error; false
// after a message.
bool lab_times_load(const char *root, const char *card, lab_times *out);

// Of one lab; NULL: of all.
lab_errors lab_times_errors(const lab_times *times, kernel_model model, const char *lab);

#endif
