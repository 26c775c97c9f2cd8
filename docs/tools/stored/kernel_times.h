// SPDX-License-Identifier: MIT
// Times of the kernels that the timing model is held to (common/validation/timing): as
// measured on a card and as the simulator models them. Nothing here prints a table or draws.
#ifndef LADDER_TOOLS_STORED_KERNEL_TIMES_H
#define LADDER_TOOLS_STORED_KERNEL_TIMES_H

#include <stdbool.h>

enum { KERNEL_TIMES_MOST = 512, KERNEL_TIMES_NAME = 64 };

// How a time is modelled: by the closed form over counts (`bounded_us` of a profile), or by
// playing the warps of one SM cycle by cycle (`time_us`).
typedef enum { KERNEL_MODEL_CLOSED, KERNEL_MODEL_PLAYED, KERNEL_MODELS } kernel_model;

typedef struct kernel_time {
    char name[KERNEL_TIMES_NAME], kind[KERNEL_TIMES_NAME];
    bool held;                         // false: looked at while the model was built
    double us, low_us, high_us;        // measured: median and quartiles
    double modelled_us[KERNEL_MODELS]; // by the simulator, for the same card
} kernel_time;

typedef struct kernel_times {
    char device[128]; // that was measured
    int count;
    kernel_time kernels[KERNEL_TIMES_MOST];
} kernel_times;

// What errors of some kernels come to.
typedef struct kernel_errors {
    int count, beyond_two;    // beyond_two: off by more than a factor of 2
    int within_fifth;         // off by at most 20 %
    double mean;              // of |modelled / measured - 1|
    double factor;            // typical: the geometric mean of the larger over the smaller
    const kernel_time *worst; // by factor; NULL when there are none
} kernel_errors;

// Modelled over measured; and the larger over the smaller of the two, at least 1.
double kernel_time_ratio(const kernel_time *kernel, kernel_model model);
double kernel_time_factor(const kernel_time *kernel, kernel_model model);

// root: of the kit; card: "h200", "h100". False after a message, also when a kernel lacks one of
// the times.
bool kernel_times_load(const char *root, const char *card, kernel_times *out);

// Of the kernels of a kind (NULL: all) in one half (held: 0 or 1; -1: both).
kernel_errors kernel_times_errors(const kernel_times *times, kernel_model model, const char *kind,
                                  int held);

// For qsort: the kernel whose played time has the larger factor comes first.
int kernel_time_worst_first(const void *a, const void *b);

#endif
