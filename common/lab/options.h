// SPDX-License-Identifier: MIT
// Command line of a lab program. Parsing only; nothing here runs anything.
#ifndef KL_OPTIONS_H
#define KL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "device.h"
#include "problem.h"

enum { KL_MAX_STEPS = 32 };

// The longest time a step may be silent when --timeout is not given: its own sizes take a GPU less
// than a second each, and the simulator stops what is endless by its own means.
#define KL_QUIET_LIMIT_S     120.0
#define KL_QUIET_LIMIT_GPU_S 30.0

// What the arguments of a lab's program say.
typedef struct kl_options {
    bool help, list, solution, check_only, quick; // the options of these names
    bool vendor, bench, tables;                   // likewise
    kl_device_request device;                     // --device
    int steps[KL_MAX_STEPS];                      // as given; empty means all
    int step_count;                               // of `steps`
    int64_t size;                                 // -1: the suite's sizes
    const char *family;                           // --case, or NULL
    const char *json_file;                        // or NULL; "-" is standard output
    const char *matrix_file;                      // --matrix, or NULL: the lab's own cases
    const char *plot_folder;                      // --plots, or NULL
    const char *step_folder;                      // --steps-from, or NULL
    int repeat;                                   // repetitions of a timing on a GPU
    int launch_once;                              // step, or -1
    int trials;                                   // descriptor that trials.h speaks on, or -1
    int side_check;                               // descriptor that side_check.h speaks on, or -1
    uint64_t seed;                                // of the inputs
    double quiet_limit_s;                         // longest time a step may be silent; 0: not given
} kl_options;

// Fills *out_options. KL_ERROR_USAGE with a sentence on what is wrong and what is possible.
kl_status kl_options_parse(int argc, char **argv, const kl_problem *problem,
                           kl_options *out_options, kl_error *err);

// The text of --help; and the lab's kinds of input, for --list.
void kl_options_help(const kl_problem *problem, const char *program, FILE *out);
void kl_options_list(const kl_problem *problem, FILE *out);

#endif
