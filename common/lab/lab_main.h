// The main program of every lab: options, device, checks, timing, the ladder table, JSON.
#pragma once

#include "ladder.h"

// A run of a lab's steps on a user's file instead of the lab's own cases: `--matrix FILE`. The lab
// says what the file is; the driver does the rest as always.
enum { KL_FILE_CASES = 4 };

// The problem that a file makes.
typedef struct kl_user_file {
    kl_problem problem;                // the lab's, with the tables below in place of its own
    kl_family families[KL_FILE_CASES]; // what `problem.families` points to: one for each case
    kl_step_info steps[KL_MAX_STEPS];  // those that can take the file
    kl_planned cases[KL_FILE_CASES]; // cases[i] is of family i; the first timed one is the table's
    int count;                       // cases, at most KL_FILE_CASES
    void *context;                   // the lab's own
} kl_user_file;

// What a lab that takes files implements.
typedef struct kl_file_support {
    // Reads options->matrix_file and makes the cases. Close in any case. A mistake in the file is
    // KL_ERROR_INPUT, with its line number.
    kl_status (*open)(const kl_problem *problem, const kl_options *options, bool simulated,
                      kl_user_file *out_file, kl_error *err);
    // Before the steps run: what the file holds; pictures into options->plot_folder unless that is
    // NULL.
    kl_status (*show)(const kl_user_file *file, const kl_options *options, const kl_style *style,
                      FILE *out, kl_error *err);
    // After the ladder: what follows from its times.
    void (*advise)(const kl_user_file *file, const kl_ladder *ladder, const kl_style *style,
                   FILE *out);
    // The same as members of the object that is open in `json`.
    void (*write_json)(const kl_user_file *file, const kl_ladder *ladder, kl_json *json);
    void (*close)(kl_user_file *file);
} kl_file_support;

// support: NULL for a lab that takes no files of the user's. has_vendor: --vendor has a library to
// compare with; without one it is said that there is none, and the rest is run. Returns the exit
// status: 0 when all is well, 1 when a step is wrong, 2 when nothing could be run.
int kl_lab_main(int argc, char **argv, const kl_problem *problem, const kl_adapter *adapter,
                const kl_file_support *support, bool has_vendor);
