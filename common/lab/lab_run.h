// SPDX-License-Identifier: MIT
// A run of a lab's program, from its command line to what it prints: shared by lab_main.c, which
// chooses what is done, and lab_run.c, which runs the steps.
#ifndef KL_LAB_RUN_H
#define KL_LAB_RUN_H

#include "ladder.h"
#include "options.h"
#include "lab_main.h"

enum { KL_LAB_PATH = 4096 };

typedef struct kl_lab_run {
    const kl_problem *problem;
    const kl_adapter *adapter;
    kl_options options;
    char step_folder[KL_LAB_PATH];
    char vendor_file[KL_LAB_PATH + 16];
    kl_plan plan;
    kl_ladder ladder;
    const kl_file_support *support; // NULL: the lab takes no files
    kl_user_file file;              // with --matrix
    FILE *out;                      // for people; standard error when JSON goes to standard output
    bool show_progress;
    int records;   // descriptor for what a command wants to know (records.h), or -1
    bool isolated; // each step runs in a child of its own
} kl_lab_run;

// Says how far the run is, on a terminal.
void kl_lab_say(const kl_lab_run *run, const char *text);
// Makes inputs and answers of a part of the plan.
kl_status kl_lab_prepare(kl_lab_run *run, kl_part part, kl_error *err);
// Loads a step, -1: the vendor's library. After a failure out_step->lacks is its outcome.
kl_status kl_lab_open_step(const kl_lab_run *run, int number, kl_step *out_step, kl_error *err);
// Runs the steps that the options name and prints their verdicts: small cases and what the checker
// says of one of them, then large cases.
kl_status kl_lab_run_steps(kl_lab_run *run, const kl_style *style, FILE *out, kl_error *err);

#endif
