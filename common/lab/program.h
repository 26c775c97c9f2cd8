// Programs beside a lab's ladder (applications, sweeps, micro-ladders): their options as a table,
// and the whole program of a micro-ladder.
#pragma once

#include "device.h"

// ---- options ------------------------------------------------------------------------------------

// What an option takes, and the type of its target.
typedef enum kl_option_kind {
    KL_OPTION_FLAG,   // bool *: set to true
    KL_OPTION_TEXT,   // const char **
    KL_OPTION_DEVICE, // kl_device_request *
    KL_OPTION_INT,    // int *: least to most; 2^24 is a number, too
    KL_OPTION_INT64,  // int64_t * or uint64_t *: likewise
    KL_OPTION_MARK,   // bool [most + 1]: the element of this number is set to true
    KL_OPTION_WORDS,  // likewise; a word without a dash is a value of it, too
    KL_OPTION_REAL,   // double *: from least to below most
    KL_OPTION_OTHER   // what `take` does
} kl_option_kind;

// An option of a program; `least` and `most` bound its value where its kind says so.
typedef struct kl_option {
    const char *name;    // without its dashes
    kl_option_kind kind; // what it takes
    void *target;        // unchanged when the option is not given
    int64_t least;       // value
    int64_t most;        // value
    // Of KL_OPTION_OTHER: reads `text`; KL_ERROR_USAGE when it is no value.
    kl_status (*take)(const struct kl_option *option, const char *text, kl_error *err);
} kl_option;

// KL_ERROR_USAGE with a sentence on what is wrong.
kl_status kl_program_options(int argc, char **argv, const kl_option *options, int count,
                             kl_error *err);

// For a `take`: a whole number from option->least to option->most; a finite number.
kl_status kl_option_integer(const kl_option *option, const char *text, int64_t *out_value,
                            kl_error *err);
kl_status kl_option_real(const kl_option *option, const char *text, double *out_value,
                         kl_error *err);

// ---- micro_lab.c --------------------------------------------------------------------------------
// Programs of micro-ladders (`ladder run LAB --micro`): given kernels, one thing of which is
// varied. One table for each sweep: on the simulator with what was counted and modelled, on a GPU
// with what was measured.

// What every kernel of a micro-ladder gets.
typedef struct kl_micro {
    kl_device device; // on which it runs
    const void *d_x;  // [input_bytes], every byte 0x3F: as float 0.747.., finite; as uint8 63
    float *d_sink;    // [1], for results that must not be optimised away
} kl_micro;

// One sweep: a table with a row for each value of the parameter.
typedef struct kl_micro_sweep {
    const char *name;          // key in the JSON
    const char *title;         // of the table
    const char *parameter;     // what varies: title of the first column, and key in the JSON
    int first, last;           // its values
    const char *const *labels; // [last - first + 1], shown for them; NULL: the numbers themselves
    // scale x over / under, two sums of counters (counts.h); ratio is the column's title, NULL:
    // nothing is counted
    const char *ratio, *over, *under;
    double scale;
    int (*call)(const kl_micro *m, int value); // launches; returns a cudaError_t
    // Bytes that the threads ask for; NULL: no rate is shown.
    double (*wanted_bytes)(const kl_micro *m, int value);
} kl_micro_sweep;

// The program of a lab; static data.
typedef struct kl_micro_lab {
    const char *name, *folder;                      // "transpose", and "01_transpose"
    const kl_micro_sweep *sweeps;                   // [sweep_count], in the order of the tables
    int sweep_count;                                // of `sweeps`
    size_t (*input_bytes)(const kl_device *device); // how much memory kl_micro.d_x has on this
                                                    // device
} kl_micro_lab;

// The whole program: arguments, device, tables, --json (schema ladder.micro/1). Returns its exit
// status.
int kl_micro_main(int argc, char **argv, const kl_micro_lab *lab);
