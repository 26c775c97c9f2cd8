// SPDX-License-Identifier: MIT
// What the last runs of a lab's steps gave, kept from one run to the next so that a step run alone
// is still held against the step before it. A small text file in the build folder
// (labs/LAB/past_runs.txt, or LADDER_PAST_RUNS); runs with --matrix or --steps-from are not kept.
// An entry belongs to one device, one step of the student's or of the solution, one case and size,
// and one version of the step's file: when the file has changed, the entry counts as stale and is
// not used.
#ifndef KL_PAST_RUNS_H
#define KL_PAST_RUNS_H

#include "counts.h"
#include "device.h"
#include "error.h"

// What an entry is about. The pointers belong to the caller.
typedef struct kl_past_key {
    const kl_device *device; // by its name and kind
    bool solution;           // the step is the solution's
    int step;                // its number
    const char *family;      // of the case
    int64_t size;            // of the case, in the problem's unit
} kl_past_key;

// What is known of a step's earlier runs.
typedef enum kl_past_state {
    KL_PAST_NONE,  // not run so far
    KL_PAST_STALE, // run before its file changed
    KL_PAST_KNOWN
} kl_past_state;

// What an earlier run gave.
typedef struct kl_past_run {
    kl_past_state state; // whether the rest is of use
    double time_us;      // NaN unless known
    kl_counts counts;    // count 0: on a GPU
} kl_past_run;

// `file`: the lab's entries; a file that is not there has none. step_folder: where the step's
// object lies, beside the list of sources (step.h).
void kl_past_find(const char *file, const char *step_folder, const kl_past_key *key,
                  kl_past_run *out_run);
// Adds an entry, in place of an older one of the same key. KL_ERROR_SYSTEM when the file cannot be
// written.
kl_status kl_past_keep(const char *file, const char *step_folder, const kl_past_key *key,
                       double time_us, const kl_counts *counts, kl_error *err);

#endif
