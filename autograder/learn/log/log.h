// The work log of a lab, labs/LAB/steps/log.md: of each step what it changed, what was predicted,
// counted and timed, and a place for the student's own words. Made from what the kit keeps of the
// student's runs; nothing is built or run. It is handed in with the steps, and is no proof.
#pragma once

#include "grade/rubric/lab_files.h"

// ---- log.c --------------------------------------------------------------------------------------

// before: the log as it was, whose own words are kept; NULL: there was none. *out_steps: those that
// it is about, given ones not counted.
kl_status ladder_log_write(const ladder_kit *kit, const ladder_lab *lab, const char *before,
                           FILE *out, int *out_steps, kl_error *err);

// The student's file; out: [LADDER_PATH].
kl_status ladder_log_path(const ladder_kit *kit, const ladder_lab *lab, char *out, kl_error *err);

// ---- log.c: the past ----------------------------------------------------------------------------
// What the last runs of a student's step gave (common/lab/ladder.h), for every device and size.

enum { LADDER_PAST_MAX = 256, LADDER_PAST_COUNTS = 4096 };

// One run.
typedef struct ladder_past {
    char device[200];                // "sim NVIDIA H100 80GB HBM3 (simulated)", "gpu ..."
    int step;                        // its number
    char family[64];                 // of the case: what its inputs are like
    int64_t size;                    // of the case
    bool now;                        // of the step's file as it is; false: of an older version
    double time_us;                  // measured, or modelled on the simulator
    char counts[LADDER_PAST_COUNTS]; // "NAME=VALUE\tNAME=VALUE": of the simulator
} ladder_past;

// The student's runs of this lab, the newest first; *out_list: [*out_count], caller frees. No file:
// none.
kl_status ladder_past_read(const ladder_kit *kit, const ladder_lab *lab, ladder_past **out_list,
                           int *out_count, kl_error *err);

// Sum of these counters (names, blanks between them); NaN when the run was not counted.
double ladder_past_sum(const ladder_past *run, const char *counters);

// ---- sheet.c ------------------------------------------------------------------------------------
// A sheet of questions for an oral exam on a student's own step: what single lines of it count, and
// what they would count for another size or with another access. All numbers are counted on the
// simulator, on two cases of the lab.

// Questions on one step as Markdown, and behind them the answers, for the examiner. *out_questions:
// how many. KL_ERROR_INPUT: the step does not compile, or no case of the lab is for it.
kl_status ladder_sheet_write(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                             FILE *out, int *out_questions, kl_error *err);
