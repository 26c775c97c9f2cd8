// SPDX-License-Identifier: MIT
// How each step of a student came out last, kept from one command to the next so that `ladder next`
// can say where they were: a small text file in the build folder (labs/LAB/last_results.txt), with
// one entry per step and kind. A result belongs to one version of the step's file.
#ifndef KL_LAST_RESULTS_H
#define KL_LAST_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

// The file's name, beside the lab's program.
#define KL_LAST_RESULTS_FILE "last_results.txt"

// What gave the result. A step is done when both kinds that there are of its file are good.
typedef enum kl_result_kind {
    KL_RESULT_OF_RUN,  // answers compared with the reference
    KL_RESULT_OF_CHECK // findings of the simulator's checker
} kl_result_kind;

enum {
    KL_LAST_STATE = 32,   // bytes, terminator included
    KL_LAST_TEXT = 512,   // likewise
    KL_LAST_RESULTS = 128 // entries that are read
};

// One result.
typedef struct kl_last_result {
    kl_result_kind kind;       // what gave it
    int step;                  // its number
    uint64_t hash;             // of the step's file, kl_step_file_hash (step_text.h)
    int64_t when_s;            // seconds since 1970; 0 when given to kl_last_results_keep: now
    bool good;                 // right, or nothing found
    bool whole;                // of all the lab's cases, not of some of them
    char state[KL_LAST_STATE]; // "ok", "WRONG", "race"; one line, as are texts
    char text[KL_LAST_TEXT];   // the first wrong value or finding; "" when there is none
} kl_last_result;

// Keeps results, [count], no two of one kind and step, in place of the older ones of their kind and
// step; the last of them counts as the newest. A good result of some cases does not replace a bad
// one of the same version of the file. KL_ERROR_SYSTEM when the file cannot be written.
kl_status kl_last_results_keep(const char *file, const kl_last_result *results, int count,
                               kl_error *err);

// Reads all entries, the newest first, into out_results: [KL_LAST_RESULTS]; returns how many. No
// file, or one of another schema: none.
int kl_last_results_read(const char *file, kl_last_result *out_results);

// The entry of this step, kind and version of the step's file among `results`: [count]; NULL when
// there is none.
const kl_last_result *kl_last_result_find(const kl_last_result *results, int count,
                                          kl_result_kind kind, int step, uint64_t hash);

#endif
