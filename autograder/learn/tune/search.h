// SPDX-License-Identifier: MIT
// The search itself: compiles what is not settled yet, then, size by size, checks and times each
// configuration on the bench, and records everything.
#ifndef LADDER_TUNE_SEARCH_H
#define LADDER_TUNE_SEARCH_H

#include "learn/tune/bench.h"
#include "learn/tune/build.h"

// What the search is doing.
typedef enum ladder_tune_phase { LADDER_TUNE_COMPILING, LADDER_TUNE_MEASURING } ladder_tune_phase;

// How far it is.
typedef struct ladder_tune_progress {
    ladder_tune_phase phase;          // what it is doing
    size_t done, total, failed;       // of this phase; of those done, those that failed
    int64_t size;                     // when measuring
    const ladder_tune_record *newest; // when measuring; may be NULL
    const ladder_tune_record *best;   // likewise
} ladder_tune_progress;

// Told after each configuration.
typedef void ladder_tune_on_progress(void *context, const ladder_tune_progress *progress);

// What is searched.
typedef struct ladder_tune_job {
    const ladder_tune_kernel *kernel;   // that is compiled
    const ladder_tune_configs *configs; // that are tried
    int64_t sizes[LADDER_TUNE_SIZES];   // ascending
    int size_count;                     // of sizes
    bool simulated;                     // which device runs it
    const char *repeat;                 // of a timing, or NULL
    double limit_s;                     // of one compilation and of one trial
    double keep; // a size is for what reached this share of the best before; 0: for all
    int spills;  // bytes that a thread may spill
    int jobs;    // compilations at a time
    ladder_tune_on_progress *progress; // NULL: nobody is told
    void *context;                     // of progress
} ladder_tune_job;

// The sizes at which the lab is timed on a device; returns how many. out_sizes:
// [LADDER_TUNE_SIZES], ascending.
int ladder_tune_default_sizes(const ladder_lab *lab, bool simulated, int64_t *out_sizes);

// Makes them ascend.
void ladder_tune_sort_sizes(int64_t *sizes, int count);

// The family of cases that the lab times at this size.
const char *ladder_tune_family(const ladder_lab *lab, bool simulated, int64_t size);

// Asks the lab's program for the device; fills the device's part of *origin.
kl_status ladder_tune_find_device(const ladder_tune_job *job, ladder_tune_origin *origin,
                                  kl_error *err);

// The search; a configuration that fails is a record, no error. What records hold is not done
// again.
kl_status ladder_tune_search(const ladder_tune_job *job, ladder_tune_records *records,
                             kl_error *err);

#endif
