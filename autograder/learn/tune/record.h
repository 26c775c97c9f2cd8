// SPDX-License-Identifier: MIT
// The results of a search as data: one record a configuration and size, failures with their reason.
// Kept as CSV that grows line by line, so that a search that was stopped goes on where it was;
// shown as JSON (ladder.tune/1).
#ifndef LADDER_TUNE_RECORD_H
#define LADDER_TUNE_RECORD_H

#include <stdio.h>

#include "utilities/files.h"
#include "grade/rubric/lab.h"
#include "learn/tune/space.h"

// What became of a configuration: a row of states.def.
typedef enum ladder_tune_state {
#define LADDER_TUNE_STATE(identifier, word, fault, meaning) LADDER_TUNE_##identifier,
#include "learn/tune/states.def"
#undef LADDER_TUNE_STATE
    LADDER_TUNE_STATE_COUNT
} ladder_tune_state;

// What the simulator counts of it: a row of counts.def.
typedef enum ladder_tune_count {
#define LADDER_TUNE_COUNT(column, counters) LADDER_TUNE_COUNT_##column,
#include "learn/tune/counts.def"
#undef LADDER_TUNE_COUNT
    LADDER_TUNE_COUNTS
} ladder_tune_count;

enum { LADDER_TUNE_WHY = 256, LADDER_TUNE_SIZES = 16 };

// A configuration at a size.
typedef struct ladder_tune_record {
    bool is_vendor;                    // the vendor's library; no configuration
    ladder_tune_config config;         // that was tried
    int64_t size;                      // 0: every size, of what was not even run
    ladder_tune_state state;           // what became of it
    double us, us_low, us_high;        // median and its interval; NaN when not measured
    int samples;                       // repetitions behind the median
    double rate;                       // in the lab's unit
    double of_vendor;                  // vendor's time just before / this time; NaN without
    double max_error;                  // of an output, against the reference
    int registers, spill_bytes;        // of the machine code; -1: not known
    double bank_share;                 // machine_code.h
    double counts[LADDER_TUNE_COUNTS]; // NaN on a GPU
    char why[LADDER_TUNE_WHY];         // of every state but RIGHT
} ladder_tune_record;

// Where and with what the records were taken. Records of different origins do not mix.
typedef struct ladder_tune_origin {
    const ladder_lab *lab;          // whose kernel was varied
    const ladder_tune_space *space; // what may be varied
    char device[160];               // "NVIDIA H100 80GB HBM3, 132 SMs, compute capability 9.0"
    bool simulated;                 // times are modelled
    char driver[16], runtime[16], toolkit[16]; // "13.0"
    char kernel[16];                           // beginning of the kernel's hash
    char date[32];                             // UTC of the first record, ISO 8601
} ladder_tune_origin;

// All records, in the order in which they were taken.
typedef struct ladder_tune_records {
    ladder_tune_origin origin; // of all of them
    ladder_tune_record *items; // [count]
    size_t count, capacity;    // of items; those that there is memory for
    FILE *file;                // open for more lines; NULL: in memory only
    char path[LADDER_PATH];    // of file
} ladder_tune_records;

// Words of the tables, and whether a state is a fault of the kernel.
const char *ladder_tune_state_word(ladder_tune_state state);
bool ladder_tune_state_is_fault(ladder_tune_state state);
const char *ladder_tune_count_word(ladder_tune_count count);
const char *ladder_tune_rate_unit(const ladder_lab *lab); // "TFLOP/s" or "GB/s"

// A record with nothing measured yet.
ladder_tune_record ladder_tune_record_empty(void);

// Opens the file for more records and reads those that it holds; a half line at its end is cut off.
// An origin other than the file's is KL_ERROR_INPUT that says in what they differ, unless `fresh`,
// which begins the file anew. path NULL: in memory only. Close with ladder_tune_records_close, also
// after a failure.
kl_status ladder_tune_records_open(const char *path, const ladder_tune_origin *origin, bool fresh,
                                   ladder_tune_records *out_records, kl_error *err);
void ladder_tune_records_close(ladder_tune_records *records);

// Adds a record, and to the file a line that is there when this returns. A record that is there
// already, word for word, is not added again.
kl_status ladder_tune_records_add(ladder_tune_records *records, const ladder_tune_record *record,
                                  kl_error *err);

// The newest record of the configuration at this size or at every size; NULL config: of the vendor.
// NULL if none.
const ladder_tune_record *ladder_tune_records_find(const ladder_tune_records *records,
                                                   const ladder_tune_config *config, int64_t size);

// The right configuration with the highest rate at the size, or NULL.
const ladder_tune_record *ladder_tune_records_best(const ladder_tune_records *records,
                                                   int64_t size);

// All of it as ladder.tune/1. KL_ERROR_SYSTEM: it could not be written.
kl_status ladder_tune_records_json(const ladder_tune_records *records, FILE *out, kl_error *err);

#endif
