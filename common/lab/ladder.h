// A run of a lab's steps: how one step is run, what its results are, and how they are shown: the
// ladder table, the explanation of failures, and JSON (schema ladder.run/2).
#pragma once

#include "device.h"
#include "json.h"
#include "parallel.h"
#include "plan.h"
#include "small_case.h"
#include "stats.h"
#include "call.h"
#include "outcome.h"

// ---- step.c -------------------------------------------------------------------------------------
// A step of a lab as a shared object: finding it, loading it, and saying why it cannot be loaded.
// Each step is built alone (step_<n>.so), so a syntax error in one costs that one only.

// A loaded step. Close with kl_step_close.
typedef struct kl_step {
    void *handle;         // of dlopen
    void *function;       // the step's extern "C" function
    void *prepare;        // its preparation, or NULL
    ladder_outcome lacks; // of a step that could not be loaded: what it is instead
} kl_step;

// Loads <folder>/step_<number>.so. When <folder>/sources.txt names a source newer than the object,
// the object is out of date (the last compile failed) and is refused: KL_ERROR_INPUT, as when it
// is not there. KL_ERROR_CUDA: it was built, and is no step; the text says what is wrong with it.
// After a failure out_step->lacks is the step's outcome.
kl_status kl_step_open(const char *folder, int number, const kl_adapter *adapter, kl_step *out_step,
                       kl_error *err);

// Loads one symbol of any other shared object of the same contract, e.g. a vendor's comparison.
kl_status kl_step_open_file(const char *file, const char *symbol, kl_step *out_step, kl_error *err);

// Takes the preparation of this name, if the object has one.
void kl_step_find_prepare(kl_step *step, const char *symbol);

// What a step returned: KL_OK for 0, else KL_ERROR_CUDA with "step 4: not implemented" or the
// error's text and what the simulator says of the kernel that it stopped. `of`: "" or whose step it
// is, "lab 13, ".
kl_status kl_step_check(const char *of, int number, int code, kl_error *err);

// Tries a loaded step on a little; *out_code: what it returned. An error ends the search.
typedef kl_status kl_step_trial(void *context, const kl_step *step, int *out_code, kl_error *err);

// Which of a lab's steps an application works with.
typedef struct kl_step_search {
    const char *of;            // as for kl_step_check
    const kl_adapter *adapter; // of the lab
    int last;                  // the highest number
    kl_step_trial *attempt;    // what it must do here
    void *context;             // of `attempt`
} kl_step_search;

// Opens step `chosen`, or if that is -1 the last one in `folder` that is written and runs on this
// device. KL_ERROR_INPUT when there is none; nothing is open after an error.
kl_status kl_step_open_last(const char *folder, int chosen, const kl_step_search *search,
                            kl_step *out_step, int *out_number, kl_error *err);

// Unloads the object; the step's functions must not be called any more.
void kl_step_close(kl_step *step);

// Path of the source of the step whose object lies in `folder`; false when the build has left none.
bool kl_step_source(const char *folder, int number, char *path, size_t path_bytes);
// Hash of that source (outcome.h); 0: there is none to read.
uint64_t kl_step_source_hash(const char *folder, int number);

// ---- step_run.c ---------------------------------------------------------------------------------
// Runs one step on every case of a plan: uploads inputs, poisons outputs with NaN, calls, compares,
// times. Reports each case through a callback, so that what was reached survives a crash.

enum { KL_RUN_TEXT = KL_ERROR_TEXT };

// Also the record sent by an isolated child; no pointers.
typedef struct kl_case_result {
    int plan_index;         // -1: about the whole step
    bool begun;             // the step has begun with it
    ladder_outcome state;   // of this case; LADDER_NOT_RUN until it is known
    kl_verdict verdict;     // of the outputs, once they were compared
    kl_interval time_us;    // NaN when not timed
    int samples;            // repetitions that time_us comes from
    double prepare_us;      // NaN when not timed, or the step has no preparation
    int call;               // which call of this case was wrong, from 1
    kl_counts counts;       // of the first call, where kl_planned.counts wants them, simulated
    double before;          // warp instructions of this process before the last call
    double executed;        // of that call, on the simulator
    bool stopped;           // it was stopped at its ceiling of warp instructions
    char text[KL_RUN_TEXT]; // why it failed; "" otherwise
} kl_case_result;

// Receives a case's result as soon as it is known.
typedef void kl_on_case(void *context, const kl_case_result *result);

// A step to run, and on what.
typedef struct kl_step_job {
    const kl_plan *plan;       // its cases
    const kl_adapter *adapter; // of the lab
    const kl_device *device;   // the present one
    int number;                // of the step, -1: the vendor's library
    kl_step step;              // loaded
    kl_part parts;             // of the plan that are run, those prepared; 0: all
    bool limited;              // calls have ceilings on the simulator (problem.h)
    bool solution;             // the step is the solution's
    int repetitions;           // of a timing on a GPU
    kl_small_case *small;      // gets the first wrong case as a small one; NULL: nobody asks
} kl_step_job;

// Uses CUDA in the calling process. Every case that is begun is reported twice: when it starts
// (LADDER_NOT_RUN) and with its result. Stops after a runtime error, which poisons the context.
void kl_step_run(const kl_step_job *job, kl_on_case *on_case, void *context);

// A recorder looks at the step's call on a GPU (common/gpu/timeline_recorder.c).
static inline bool kl_is_recorded(void) { return getenv("LADDER_TIMELINE") != NULL; }
// Calls the step once on one case without checks or timing, for a profiler. Of out_record `once` is
// set, as far as it comes.
kl_status kl_step_launch_once(const kl_step_job *job, int plan_index, kl_record *out_record,
                              kl_error *err);

// ---- past_runs.c --------------------------------------------------------------------------------
// What the last runs of a lab's steps gave, kept from one run to the next so that a step run alone
// is still held against the step before it. A small text file in the build folder
// (labs/LAB/past_runs.txt, or LADDER_PAST_RUNS); runs with --matrix or --steps-from are not kept.
// An entry belongs to one device, one step of the student's or of the solution, one case and size,
// and one version of the step's file: when the file has changed, the entry counts as stale and is
// not used.

// What an entry is about. The pointers belong to the caller.
typedef struct kl_past_key {
    const kl_device *device; // by its name and kind
    bool solution;           // the step is the solution's
    int step;                // its number
    const char *family;      // of the case
    int64_t size;            // of the case, in the problem's unit
} kl_past_key;

// What is known of a step's earlier runs.
typedef enum kl_past_state {
    KL_PAST_NONE,  // not run so far
    KL_PAST_STALE, // run before its file changed
    KL_PAST_KNOWN
} kl_past_state;

// What an earlier run gave.
typedef struct kl_past_run {
    kl_past_state state; // whether the rest is of use
    double time_us;      // NaN unless known
    kl_counts counts;    // count 0: on a GPU
} kl_past_run;

// `file`: the lab's entries; a file that is not there has none. step_folder: where the step's
// object lies, beside the list of sources (step.c).
void kl_past_find(const char *file, const char *step_folder, const kl_past_key *key,
                  kl_past_run *out_run);
// Adds an entry, in place of an older one of the same key. KL_ERROR_SYSTEM when the file cannot be
// written.
kl_status kl_past_keep(const char *file, const char *step_folder, const kl_past_key *key,
                       double time_us, const kl_counts *counts, kl_error *err);

// ---- ladder.c, ladder_*.c -----------------------------------------------------------------------

// What a run says of one step.
typedef struct kl_ladder_step {
    int number;                 // -1: the vendor's library
    const char *name;           // as in the lab's rubric
    const char *reason;         // why it is faster or slower than the step before, one line
    ladder_outcome state;       // of the whole step
    int bad_case;               // plan index of the first wrong, failed or crashed case, or -1
    char text[KL_RUN_TEXT];     // why it failed or is missing
    bool large_run;             // it was run on large cases, too
    kl_small_case *small;       // of a wrong case (kl_ladder_small); NULL: nobody looks for one
    const kl_side_check *check; // what the checker found beside the run; NULL: not checked, or
                                // nothing found in a step that broke off
    // Where the given step before it lacks the step's case in the table: times of both at the
    // largest case that they share; given_at < 0: not so.
    int given_at;
    double given_us, own_us;
    kl_case_result cases[KL_PLAN_MAX]; // [plan->count], in the plan's order
} kl_ladder_step;

enum { KL_LADDER_PATH = 4096 };

// A whole run: what was planned, on which device, and what came out. It owns none of its pointers.
typedef struct kl_ladder {
    const kl_problem *problem;          // of the lab
    const kl_plan *plan;                // cases that the steps were run on
    kl_device device;                   // on which they ran
    kl_ceilings ceilings;               // of that device
    bool built_beside;                  // `ladder run` has shown what the compiler said
    bool solution;                      // the steps are those of the solution, not the student's
    const char *matrix_file;            // of the user, in place of the lab's own cases; or NULL
    kl_ladder_step steps[KL_MAX_STEPS]; // [count], ascending numbers
    int count;                          // of `steps`, the vendor's library not counted
    kl_side_checks checks;              // empty: no checker ran beside
    bool has_vendor;                    // `vendor` was run
    kl_ladder_step vendor;              // the vendor's library, when has_vendor
    char past_file[KL_LADDER_PATH];     // of past_runs.c; "": none is kept
    char step_folder[KL_LADDER_PATH];   // where the steps' objects lie
} kl_ladder;

// Sets a step to "not reached", with no result of any case. The texts are not copied.
void kl_ladder_step_begin(kl_ladder_step *step, const kl_step_info *info);
// Takes in one report of kl_step_run.
void kl_ladder_step_add(kl_ladder_step *step, const kl_case_result *result);
// Settles the whole step's state from its cases of these parts, all that were run so far: of one
// that was begun and has no result, and of a step that has none at all, it is `ended`. `ending`
// says how its process died, or is "".
void kl_ladder_step_settle(kl_ladder_step *step, const kl_plan *plan, kl_part parts,
                           ladder_outcome ended, const char *ending);

// True when a step is correct, not implemented or left out.
bool kl_ladder_acceptable(const kl_ladder_step *step);
// True when something else than its values or its source ended the step: a fault, a limit, an
// error.
bool kl_ladder_broke_off(const kl_ladder_step *step);
// True when none of the planned cases is the step's, so that there is nothing to say of it.
bool kl_ladder_has_no_case(const kl_ladder *ladder, const kl_ladder_step *step);
// True when no step is wrong, failed or missing (steps not implemented are no error), and the
// checker found nothing in any. False when no step has a case.
bool kl_ladder_ok(const kl_ladder *ladder);

// What a lab's rates are: unit, heads of columns, and the ceiling in that unit.
typedef struct kl_ladder_unit {
    const char *rate;    // the unit: "GB/s" or "TFLOP/s"
    const char *rate_at; // what stands before a size as the head of a column: "GB/s at"
    const char *share;   // head of the column that compares with the ceiling
    double ceiling;      // NaN when not known
} kl_ladder_unit;

// The unit of a run's lab, with the ceiling of its device.
kl_ladder_unit kl_ladder_unit_of(const kl_ladder *ladder);

// Rate of a case in the lab's unit, NaN when not timed.
double kl_ladder_rate(const kl_ladder *ladder, const kl_ladder_step *step, int plan_index);

// What its time in the table comes to, as a part of the ceiling; NaN when it is not known, or the
// step's case has nothing to do with it.
double kl_ladder_share(const kl_ladder *ladder, const kl_ladder_step *step);

// Time of the lab's first step on the case that stands for `step`; NaN when it was not run.
double kl_ladder_first_us(const kl_ladder *ladder, const kl_ladder_step *step);

// What a run is of: lab and device, in one line.
void kl_ladder_print_title(const kl_ladder *ladder, const kl_style *style, FILE *out);
// The small case of the step's bad_case; NULL: it has none.
const kl_small_case *kl_ladder_small(const kl_ladder_step *step);
// The first case in which a step was stopped at its ceiling of warp instructions, or NULL.
const kl_case_result *kl_ladder_stopped(const kl_ladder_step *step);
// What a checker found beside the run, and what the run found, agree: a step that a case stopped is
// not called clean for the sake of other cases (ladder.c).
void kl_ladder_join_checks(kl_ladder *ladder);
// A row for each step (ladder_verdict.c), its outcome and where: after the small cases, after the
// large ones (of the steps that were run on them), or after all. kl_ladder_verdict: the cell,
// "wrong answer: y[3] is 1, expected 2".
void kl_ladder_print_verdict(const kl_ladder *ladder, kl_part part, const kl_style *style,
                             FILE *out);
kl_tone kl_ladder_verdict(const kl_ladder *ladder, const kl_ladder_step *step, char *text,
                          size_t bytes);
// The table of steps that have a time (ladder_print.c): time, rate, share of the ceiling and
// speed-up; below it the numbers to watch. `all`: every step with its reason, the device's
// ceilings, counts, and rates at every size.
void kl_ladder_print(const kl_ladder *ladder, bool all, const kl_style *style, FILE *out);
// The rates of all timed cases (ladder_sizes.c), when there are several; and for each, where steps
// have preparations, how many calls take as long.
void kl_ladder_print_sizes(const kl_ladder *ladder, const kl_ladder_unit *unit,
                           const kl_style *style, FILE *out);
// What the simulator counted (ladder_sizes.c); nothing on a GPU.
void kl_ladder_print_counts(const kl_ladder *ladder, const kl_style *style, FILE *out);
// The step that one is compared with: the one before it in the lab's order that has its case.
typedef struct kl_ladder_before_step {
    const kl_step_info *info; // NULL: there is none
    bool in_this_run;         // it ran with this one, so that both times are of one run
    kl_past_run run;          // of this run or the last one
} kl_ladder_before_step;

// The step before step `number`, from this run if it ran, otherwise from past_file.
void kl_ladder_before(const kl_ladder *ladder, int number, kl_ladder_before_step *out_before);
// What a step gave at case `m` of the plan, in this run or the last one.
void kl_ladder_known_at(const kl_ladder *ladder, int number, int m, kl_past_run *out_run);
// Keeps what a step gave there, as far as it gave anything.
kl_status kl_ladder_keep_at(const kl_ladder *ladder, const kl_ladder_step *step, int m,
                            kl_error *err);
// Keeps what this run gave (ladder_watch.c).
kl_status kl_ladder_keep(const kl_ladder *ladder, kl_error *err);
// Keeps how each step of the student came out, beside past_file (outcome.h).
// whole: the run had all the lab's cases.
kl_status kl_ladder_keep_last(const kl_ladder *ladder, bool whole, kl_error *err);
// The numbers to watch, before -> yours -> target, and where those before come from.
void kl_ladder_print_watch(const kl_ladder *ladder, const kl_style *style, FILE *out);

// Whether a number is on the wrong side of its target, by a twentieth at least; the step before
// says which side is wrong. False where one of them is not known.
bool kl_watch_missed(double before, double now, double target);
// Of each step that is not right: the case, the first wrong element or the error, and a hint. After
// the large cases only of those that were run on them.
void kl_ladder_print_failures(const kl_ladder *ladder, kl_part part, const kl_style *style,
                              FILE *out);
// `more`: NULL, or writes further members of the outermost object.
typedef void kl_ladder_more(const void *context, const kl_ladder *ladder, kl_json *json);
// The same of one step, as one paragraph that begins with its number.
void kl_ladder_print_failure(const kl_ladder *ladder, const kl_ladder_step *step,
                             const kl_style *style, FILE *out);
// The run as JSON (schema ladder.run/2). KL_ERROR_SYSTEM when it cannot be written.
kl_status kl_ladder_write_json(const kl_ladder *ladder, kl_ladder_more *more, const void *context,
                               FILE *out, kl_error *err);

// ---- lab_main.c ---------------------------------------------------------------------------------
// The main program of every lab: options, device, checks, timing, the ladder table, JSON.

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
