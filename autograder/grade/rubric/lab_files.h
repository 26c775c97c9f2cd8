// Where a lab's sources and programs lie in the kit, and how they are brought up to date.
#pragma once

#include "grade/rubric/result.h"
#include "utilities/kit.h"

// ---- lab_files.c --------------------------------------------------------------------------------

// The lab's program, and a step's source file: the student's, or the solution's. A given step has
// one file, the student's, which is its solution in a kit that has solutions of the lab. out:
// [LADDER_PATH].
kl_status ladder_kit_lab_program(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                 kl_error *err);
kl_status ladder_kit_step_file(const ladder_kit *kit, const ladder_lab *lab,
                               const kl_step_info *step, bool solution, char *out, kl_error *err);
// KL_ERROR_INPUT, with the sentence that every command says then, when this kit has no solution of
// one of these steps ([count]; 0: of any step at all), or of `file` of the lab's solutions.
kl_status ladder_kit_require_solution(const ladder_kit *kit, const ladder_lab *lab,
                                      const int *steps, int count, kl_error *err);
kl_status ladder_kit_require_solution_file(const ladder_kit *kit, const ladder_lab *lab,
                                           const char *file, kl_error *err);
// KL_ERROR_INPUT where a given step has been edited since it was handed out: it is the solution's,
// too. ladder_kit_require_solution asks for it.
kl_status ladder_kit_require_given(const ladder_kit *kit, const ladder_lab *lab, kl_error *err);
// The steps that have a solution in this kit, in order; returns how many. out_steps: room for the
// lab's steps.
int ladder_kit_solved_steps(const ladder_kit *kit, const ladder_lab *lab, int *out_steps);

// Bug hunts of a lab: labs/LAB/bugs/<n>_<name>.cu, whole programs with one planted mistake each;
// solutions/LAB/bugs holds them repaired. True when the lab has one of this name: "election",
// "1_election" or "1_election.cu". out_stem: [LADDER_PATH], "1_election".
bool ladder_bug_find(const ladder_kit *kit, const ladder_lab *lab, const char *word,
                     char *out_stem);

// Names of the lab's bug hunts in order, without number and ending; returns how many, at most
// `most`.
enum { LADDER_BUG_NAME = 64 };
int ladder_bugs_list(const ladder_kit *kit, const ladder_lab *lab, char names[][LADDER_BUG_NAME],
                     int most);

// Where the last results of the student's steps are kept (outcome.h); out: [LADDER_PATH].
kl_status ladder_kit_last_results(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                  kl_error *err);

// Builds the lab's program, its comparison with the vendor's library if `vendor` and there is one,
// and the given steps ([count]; 0: all). KL_ERROR_INPUT where this kit has no solution of them, or
// the file of one is not there (lab_files.c).
kl_status ladder_kit_build_lab(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                               int count, bool solution, bool vendor, bool *out_failed,
                               kl_error *err);

// Builds the lab's program and one step of the student's, as ladder_kit_build_until does.
struct ladder_kit_building; // sandbox/process/kit_build.h
kl_status ladder_kit_build_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                                struct ladder_kit_building *building, kl_error *err);

// Whether the caller may build in the kit's build folder; not where somebody else installed it.
bool ladder_kit_is_ours(const ladder_kit *kit);

// Builds what grading asks of a lab: the adapter of its calls, and its query program if the problem
// has a query. Where the caller may not build, these must be there: KL_ERROR_SYSTEM says what is
// missing and who builds it.
kl_status ladder_kit_build_adapter(const ladder_kit *kit, const ladder_lab *lab, bool *out_failed,
                                   kl_error *err);

// ---- lab_files.c --------------------------------------------------------------------------------
// A student's folder of steps: files that are not there, and files that are no step's.

// KL_ERROR_INPUT when the file of one of these steps ([count]) is not there: the sentence names it,
// and the file that was probably meant or how to get it back. Says on standard error when a copy of
// a step ("2_grid (copy).cu") was saved after the step's own file: the copy is not compiled.
// count 0: of all the lab's steps, and a missing file is only told.
kl_status ladder_step_files_require(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                                    int count, kl_error *err);

// ---- predictions.c ------------------------------------------------------------------------------
// A student's predictions for a lab: steps/predictions.txt, plain text that is handed in with the
// step files. Lines are only ever added, so that their order is the order of what happened:
//   predict STEP HASH DATE NAME=VALUE   one answer, with the hash of the step's file at that moment
//   first STEP HASH DATE COMMAND        the first run of the step's file once it was edited, by
//                                       `run`, `profile`, or what else counts: `diff`, `grade`
//   counted STEP KEY NAME=VALUE ..      what the last run counted; KEY: hash of the files it used
// Others (empty ones, comments, damaged ones) are passed over.
//
// A prediction stands when its line comes before the step's "first" line; of several for one number
// the last of those counts. One that came later is kept and marked as late.

// Its name, in the folder of the steps.
#define LADDER_PREDICTIONS_FILE "predictions.txt"
// That of the student's work log beside it (ladder log).
#define LADDER_LOG_FILE "log.md"
// A student who hands in this file takes part in the leaderboard; its first line is the pseudonym.
#define LADDER_NICKNAME_FILE "leaderboard.txt"
// What may be handed in beside the steps, as elements of a list of names.
#define LADDER_BESIDE_STEPS LADDER_PREDICTIONS_FILE, LADDER_LOG_FILE, LADDER_NICKNAME_FILE

enum {
    LADDER_PREDICTION_HASH = 17,       // 16 hexadecimal digits and the terminator
    LADDER_PREDICTIONS_BYTES = 1 << 20 // of the file
};

// What is known of a step.
typedef struct ladder_step_predictions {
    int step;                                  // its number
    int count;                                 // of items
    ladder_prediction items[LADDER_ASKED_MAX]; // grade/rubric/result.h
    bool ran;                                  // there is a "first" line
    char key[LADDER_PREDICTION_HASH];          // of the "counted" line; "" when there is none
} ladder_step_predictions;

// What is known of a lab.
typedef struct ladder_predictions {
    int count; // of steps
    // in the order in which the file first names them
    ladder_step_predictions steps[LADDER_STEPS_MAX];
} ladder_predictions;

// What a text says about the steps and numbers that the lab asks about.
void ladder_predictions_parse(const ladder_questions *questions, const char *text,
                              ladder_predictions *out_predictions);

// The step's, or NULL when nothing is known of it.
const ladder_step_predictions *ladder_predictions_find(const ladder_predictions *predictions,
                                                       int step);

// True when every number that is asked was predicted before the first run.
bool ladder_predictions_stand(const ladder_questions *questions,
                              const ladder_step_predictions *predictions);

// "right", "within 10 %", "2.3 times too high", .. Returns `text`.
char *ladder_prediction_judge(double predicted, double counted, char *text, size_t text_bytes);

// A predicted number as it was typed: arithmetic on numbers ("4096", "1e6", "2^20 / 32").
// KL_ERROR_INPUT says what is wrong with it: empty, negative, no number.
kl_status ladder_prediction_read(const char *text, double *out_value, kl_error *err);

// 16 digits that name a text.
void ladder_prediction_hash(const char *text, size_t bytes, char out[LADDER_PREDICTION_HASH]);

// The student's file of this lab; out: [LADDER_PATH].
kl_status ladder_predictions_path(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                  kl_error *err);
// Reads it; no file: no predictions.
kl_status ladder_predictions_read(const ladder_kit *kit, const ladder_lab *lab,
                                  ladder_predictions *out_predictions, kl_error *err);
// Adds a line (without its end) in one write; makes the file when there is none.
kl_status ladder_predictions_add(const ladder_kit *kit, const ladder_lab *lab, const char *line,
                                 kl_error *err);
