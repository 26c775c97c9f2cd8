// A run of a lab's program, from its command line to what it prints: what lab_main.c, which chooses
// what is done, shares with the files that do it.
#pragma once

#include "ladder.h"

// ---- lab_run.c ----------------------------------------------------------------------------------

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

// ---- trials.c -----------------------------------------------------------------------------------
// The lab program as a bench for shared objects of the lab's contract, one after the other: `ladder
// tune` sends their names over a descriptor and gets back verdict and time. Inputs and answers are
// made once for all of them.
//
// Lines of text. From this side first
// "device<TAB>kind<TAB>name<TAB>SMs<TAB>capability<TAB>driver<TAB>runtime", and when inputs and
// answers are there "ready". To each request "symbol<TAB>file" belong any number of
// "count<TAB>counter<TAB>value" (simulator only), then
// "trial<TAB>state<TAB>low<TAB>median<TAB>high<TAB>samples<TAB>max_error<TAB>text" with times in
// microseconds, and at last "next", or "over" after an error of the device that no later call can
// be free of: then this side ends. state is ok, wrong, failed (an error of the runtime) or missing
// (cannot be loaded); a NaN is printed as "nan".

// Says which device runs the trials.
kl_status kl_trials_greet(int fd, const kl_device *device, kl_error *err);

// Answers requests until the other side closes the connection. job: without a step; its plan's main
// case is the one.
kl_status kl_trials_serve(int fd, const kl_step_job *job, kl_error *err);
