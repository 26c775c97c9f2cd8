// SPDX-License-Identifier: MIT
// Options of a program beside a lab's ladder (application, sweep, micro-ladder) as a table.
#ifndef KL_PROGRAM_OPTIONS_H
#define KL_PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"

// What an option takes, and the type of its target.
typedef enum kl_option_kind {
    KL_OPTION_FLAG,   // bool *: set to true
    KL_OPTION_TEXT,   // const char **
    KL_OPTION_DEVICE, // kl_device_request *
    KL_OPTION_INT,    // int *: least to most
    KL_OPTION_INT64,  // int64_t * or uint64_t *: likewise
    KL_OPTION_MARK,   // bool [most + 1]: the element of this number is set to true
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

// KL_ERROR_USAGE with a sentence on what is wrong; of an unknown option getopt_long has told the
// name.
kl_status kl_program_options(int argc, char **argv, const kl_option *options, int count,
                             kl_error *err);

// For a `take`: a whole number from option->least to option->most; a finite number.
kl_status kl_option_integer(const kl_option *option, const char *text, int64_t *out_value,
                            kl_error *err);
kl_status kl_option_real(const kl_option *option, const char *text, double *out_value,
                         kl_error *err);

#endif
