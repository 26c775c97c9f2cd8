// SPDX-License-Identifier: MIT
// The lab program as a bench (common/lab/trials.h) in a process of its own: it checks and times
// one shared object after the other on one case, and is started anew when one of them takes it
// along.
#ifndef LADDER_TUNE_BENCH_H
#define LADDER_TUNE_BENCH_H

#include "grade/rubric/lab_files.h"
#include "sandbox/process/process.h"
#include "learn/tune/record.h"

// On what the objects are tried.
typedef struct ladder_tune_case {
    const ladder_kit *kit; // where programs lie
    const ladder_lab *lab; // whose program is the bench
    const char *device;    // "auto", "sim", "gpu"
    const char *family;    // of the lab's cases
    int64_t size;          // of the case
    const char *repeat;    // repetitions of a timing; NULL: the program's default
    double limit_s;        // of one trial, and of making the inputs
} ladder_tune_case;

enum { LADDER_TUNE_LINE = 4096 };

// The bench while it runs.
typedef struct ladder_tune_bench {
    ladder_process process;      // the lab's program
    bool running;                // it has not gone
    int socket;                  // to it
    char text[LADDER_TUNE_LINE]; // received, not yet read
    size_t text_bytes;           // of text
} ladder_tune_bench;

// Starts the program and waits for its word on the device, which goes into *origin (fields of the
// device only).
kl_status ladder_tune_bench_start(const ladder_tune_case *c, ladder_tune_bench *out_bench,
                                  ladder_tune_origin *origin, kl_error *err);

// Waits until inputs and answers are there.
kl_status ladder_tune_bench_ready(ladder_tune_bench *bench, const ladder_tune_case *c,
                                  kl_error *err);

// One object; fills state, times, error, counts and `why` of *record. When the program has gone,
// bench->running is false afterwards, and the state says how.
kl_status ladder_tune_bench_try(ladder_tune_bench *bench, const ladder_tune_case *c,
                                const char *symbol, const char *object, ladder_tune_record *record,
                                kl_error *err);

// Ends the program.
void ladder_tune_bench_stop(ladder_tune_bench *bench);

#endif
