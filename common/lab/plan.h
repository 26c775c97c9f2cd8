// What a run is asked for and what it does: the command line, the cases with their inputs and
// answers, and the memory that they take.
#pragma once

#include "device.h"
#include "problem.h"

// ---- options.c ----------------------------------------------------------------------------------
// Command line of a lab program. Parsing only; nothing here runs anything.

enum { KL_MAX_STEPS = 32 };

// The longest time a step may be silent when --timeout is not given: its own sizes take a GPU less
// than a second each, and the simulator stops what is endless by its own means.
#define KL_QUIET_LIMIT_S     120.0
#define KL_QUIET_LIMIT_GPU_S 30.0

// What the arguments of a lab's program say.
typedef struct kl_options {
    bool help, list, solution, check_only, quick, readable; // the options of these names
    bool vendor, bench, tables;                             // likewise
    kl_device_request device;                               // --device
    bool step[KL_MAX_STEPS];                                // those named, by their numbers
    int step_count;                                         // of them; 0 means all
    int64_t size;                                           // -1: the suite's sizes
    const char *family;                                     // --case, or NULL
    const char *json_file;                                  // or NULL; "-" is standard output
    const char *matrix_file; // --matrix, or NULL: the lab's own cases
    const char *plot_folder; // --plots, or NULL
    const char *step_folder; // --steps-from, or NULL
    int repeat;              // repetitions of a timing on a GPU
    int launch_once;         // step, or -1
    int trials;              // descriptor that trials.c speaks on, or -1
    int side_check;          // descriptor that side_check.c speaks on, or -1
    uint64_t seed;           // of the inputs
    int quiet_limit_s;       // longest time a step may be silent; 0: not given
} kl_options;

// Fills *out_options. KL_ERROR_USAGE with a sentence on what is wrong and what is possible.
kl_status kl_options_parse(int argc, char **argv, const kl_problem *problem,
                           kl_options *out_options, kl_error *err);

// Whether the options ask for this step.
bool kl_options_step(const kl_options *options, int number);

// The text of --help; and the lab's kinds of input, for --list.
void kl_options_help(const kl_problem *problem, const char *program, FILE *out);
void kl_options_list(const kl_problem *problem, FILE *out);

// ---- plan.c -------------------------------------------------------------------------------------
// Which cases a run uses, with inputs and reference answers ready in host memory. Those are made
// before any child is forked that runs them, so that all steps share one copy; small cases come
// first, so that a mistake is told of before large ones are made.

enum { KL_PLAN_MAX = 96 };

// Parts of a plan, as bits. Small is a case that takes a moment on the simulator, and on a GPU is
// not timed: there nothing else runs while something is timed.
typedef enum kl_part { KL_SMALL = 1, KL_LARGE = 2, KL_ALL = 3 } kl_part;

// The bit of a step in a set of steps; -1: the vendor's library.
#define KL_STEP_BIT(number) (UINT64_C(1) << (1 + (number)))

// One case of a plan.
typedef struct kl_planned {
    kl_prepared data; // inputs and reference answer
    char title[128];  // "sum-exact, 1000 elements"
    bool timed;       // it is timed, too, not only checked
    bool unneeded;    // no step will be run on it: kl_plan_prepare leaves it out
    kl_part part;     // that it belongs to
    uint64_t serves;  // the steps that are run on it. One that is long, and neither shown nor
                      // checked, is for those whose numbers to watch are of it, and those before
    uint64_t counts;  // the steps whose counts at it the simulator is asked for: it is their case
                      // in the table, or a number to watch is of it
} kl_planned;

// The cases of a run, in host memory. Free with kl_plan_free.
typedef struct kl_plan {
    const kl_problem *problem;     // of the lab
    kl_planned cases[KL_PLAN_MAX]; // ascending size, empty ones last
    int count;                     // of `cases`
    bool readable;                 // inputs are those of kl_problem.readable, where there are any
    int timed_family;              // whose largest timed case the table shows, where it has one
    int main_case;                 // index of that case, or -1
    int main_of[1 + KL_MAX_STEPS]; // [1 + number] the case that stands for a step in the table: the
                                   // main case, or the last timed one that the step has when it
                                   // has not that; -1 when nothing of it is timed
    uint64_t steps_of[1 + KL_LARGE]; // [part] the steps that have cases of it
    uint64_t workspace_bytes;        // the largest that a case asks for
    char left_out[512]; // families that have no case of the wanted size, "a, b"; mostly ""
} kl_plan;

// Called before each of `total` cases is prepared; `done` are ready.
typedef void kl_plan_progress(void *context, int done, int total, const kl_planned *planned);

// The cases of a run, described; kl_plan_prepare makes their inputs and answers. What the simulator
// would time for other tables and files than those asked for is left out. Free with kl_plan_free,
// also after a failure.
kl_status kl_plan_make(const kl_problem *problem, const kl_options *options, bool simulated,
                       kl_plan *out_plan, kl_error *err);
// Makes inputs and answers of one part. progress may be NULL.
kl_status kl_plan_prepare(kl_plan *plan, kl_part part, kl_plan_progress *progress, void *context,
                          kl_error *err);
// Frees the cases' inputs and answers.
void kl_plan_free(kl_plan *plan);

// A plan of cases that were prepared elsewhere; takes them over. The first timed one becomes the
// main case.
void kl_plan_take(const kl_problem *problem, kl_planned *cases, int count, kl_plan *out_plan);

// The case whose counts a number to watch is of; -1 when the plan has not that case.
int kl_plan_watched(const kl_plan *plan, const kl_watch *watch);
// ---- memory.c -----------------------------------------------------------------------------------
// How much memory cases take and how much there is. Must not touch CUDA.

// Bytes of host memory that may still be taken: MemAvailable of the system, or what the control
// groups of this process leave, or LADDER_HOST_MEMORY (a number of bytes, for tests), whichever is
// least. UINT64_MAX: unknown.
uint64_t kl_memory_available(void);

// KL_ERROR_LIMIT, with what is needed, what there is and which size fits, when the plan that was
// made of these options does not fit. A run is refused before the system kills it.
kl_status kl_memory_check(const kl_plan *plan, const kl_options *options, const kl_device *device,
                          kl_error *err);
