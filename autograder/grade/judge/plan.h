// How submissions are graded, the same for all of them, and one submission while it is graded: its
// limits of time, its cases, the plan.
#pragma once

#include "grade/submission/submission.h"

// ---- budget.c -----------------------------------------------------------------------------------
// The time of a whole submission. Each compiler run and each answer has a limit of its own, but a
// submission of many steps could use up all of them: processor time of its steps is added up, and
// when there is none left, no further step begins. What sleeps uses none; so the clock may not go
// on for longer than a minute and LADDER_BUDGET_CLOCK times the limit, either. Steps that run side
// by side count when they end. A limit that is reached because the machine is slow or busy, and not
// because the steps sleep or compute for long, is the machine's fault: then the rest is not graded.

// What a submission may use, and has used.
typedef struct ladder_budget {
    double limit_s;                   // of processor time
    double end_s;                     // on kl_now_s
    double slowness;                  // of the machine (machine.h)
    double used_s[LADDER_STEPS_MAX];  // by index, of steps that have ended
    double slept_s[LADDER_STEPS_MAX]; // by index: while an answer was waited for, at least
} ladder_budget;

// Processor time of a submission, where neither the command line nor the rubric says another. The
// solution of a lab takes 10 to 80 s.
#define LADDER_SUBMISSION_SECONDS 600
#define LADDER_BUDGET_CLOCK       4

// Memory that the processes of the steps share. NULL: no limit (0), or no memory.
ladder_budget *ladder_budget_open(double limit_s, double slowness);
void ladder_budget_close(ladder_budget *budget);

// Processor time of this process and those it has waited for.
double ladder_budget_processor_s(void);

// Seconds on the clock that are left, at least 0; infinite without a limit. budget may be NULL.
double ladder_budget_left_s(const ladder_budget *budget);

// What has become of the time.
typedef enum ladder_budget_state {
    LADDER_BUDGET_LEFT,   // some is left
    LADDER_BUDGET_USED,   // by the steps
    LADDER_BUDGET_MACHINE // the machine was too slow or too busy: no step's fault
} ladder_budget_state;

// If nothing is left the text says of what. budget may be NULL.
ladder_budget_state ladder_budget_spent(const ladder_budget *budget, char *out_text, size_t bytes);

// ---- cases.c ------------------------------------------------------------------------------------
// The cases that a grading uses, made once from one secret seed and shared by all submissions:
// inputs and reference answers in the judge's memory, and the inputs once more in sealed memory
// files for the runners.

// A case: its inputs, answer and memory files.
typedef struct ladder_case {
    kl_prepared data;  // inputs and reference answer
    kl_prepared fresh; // of the same shape from another seed, for a second call; has_fresh
    bool has_fresh;    // fresh is there
    int fresh_fd;      // as inputs_fd; -1: none
    int inputs_fd;     // sealed memory file, laid out as sandbox/process/runner_protocol.h says
    bool check;        // part of the correctness check
    char title[96];    // "sum-exact, 1000003 elements"
} ladder_case;

// Inputs for timing on a GPU: several of one shape with different data, together larger than a
// GPU's L2 cache.
typedef struct ladder_speed_sets {
    const char *family; // what the inputs are like
    int64_t size;       // in the lab's unit
    ladder_case *items; // [count], each from another seed
    int count;          // of items
} ladder_speed_sets;

// Inputs below this are run twice: enough for many blocks, and the larger cases of a suite are most
// of what a grading costs.
enum { LADDER_REPEAT_BELOW_BYTES = 1 << 20 };

enum { LADDER_SPEED_SIZES = 8 }; // different (family, size) of speed criteria in one rubric

// All cases of a grading.
typedef struct ladder_cases {
    const ladder_lab *lab; // whose cases these are
    ladder_case *items; // small before large in the main, so that a failure shows on a small case
    int count;          // of items
    uint64_t seed;      // secret; what the inputs are drawn from
    uint64_t workspace_bytes;                    // the largest that a case asks for
    ladder_speed_sets speed[LADDER_SPEED_SIZES]; // empty unless made
    int speed_count;                             // of speed that are made
    // [hidden_count], for each criterion with hidden cases these: apart, as nothing of them (not
    // even the largest workspace) may reach the runs of which students see the output.
    struct ladder_cases *hidden;
    int hidden_count;
    const ladder_criterion *of; // of hidden ones: their criterion; else NULL
} ladder_cases;

// The suite's correctness cases (`quick`: its short form), on top those that count criteria
// measure, and the hidden ones. Free with ladder_cases_free, also after a failure.
kl_status ladder_cases_make(const ladder_lab *lab, uint64_t seed, bool quick,
                            ladder_cases *out_cases, kl_error *err);
// Adds a correctness case from what the lab's query program printed (cases.c).
kl_status ladder_cases_add_query(ladder_cases *cases, const char *text, kl_error *err);
// Adds the inputs of the rubric's speed criteria.
kl_status ladder_cases_make_speed(ladder_cases *cases, kl_error *err);
void ladder_cases_free(ladder_cases *cases);

// One of data that stay their owner's: nothing but inputs_fd is to be closed.
kl_status ladder_case_borrow(const kl_problem *problem, const kl_prepared *data,
                             ladder_case *out_case, kl_error *err);

// Whether a call of these data is followed by a second one, on other data.
bool ladder_is_called_twice(const kl_prepared *data);
uint64_t ladder_input_bytes(const kl_prepared *data);
// The data that a call of a case finds, 0 the first.
const kl_prepared *ladder_case_data(const ladder_case *item, int call);

// Compares outputs, laid out as sandbox/process/runner_protocol.h says. True when they are right.
bool ladder_outputs_verify(const kl_problem *problem, const kl_prepared *data,
                           const unsigned char *bytes, kl_verdict *out_verdict);

// The case of this family and size, or NULL.
const ladder_case *ladder_cases_find(const ladder_cases *cases, const char *family, int64_t size);

// The hidden cases of this criterion, or NULL.
const ladder_cases *ladder_cases_find_hidden(const ladder_cases *cases,
                                             const ladder_criterion *criterion);

// Inputs for timing this family and size, or NULL.
const ladder_speed_sets *ladder_cases_find_speed(const ladder_cases *cases, const char *family,
                                                 int64_t size);

// A memory file of `bytes` bytes, each `fill`; it can neither grow nor shrink, so that mapping it
// is safe.
kl_status ladder_memory_file(uint64_t bytes, int fill, int *out_fd, unsigned char **out_mapped,
                             kl_error *err);

// 64 bits that nobody can guess.
kl_status ladder_secret_seed(uint64_t *out_seed, kl_error *err);

// ---- query programs (cases.c) -------------------------------------------------------------------
// A lab's query program: it asks the runtime of this machine, GPU or simulator, and the answers are
// what a case of the lab is graded against (kl_problem.of_query). The kit's own program, never the
// submission's.

// What it printed; to be freed.
kl_status ladder_query_run(const ladder_kit *kit, const ladder_lab *lab, bool gpu, char **out_text,
                           kl_error *err);

// ---- plan ---------------------------------------------------------------------------------------

// With what and within which limits a grading is done: made once, and not changed from then on.
typedef struct ladder_grade_plan {
    const ladder_kit *kit;     // where programs and sources lie
    const ladder_lab *lab;     // that is graded
    const ladder_cases *cases; // made once from a secret seed
    bool gpu;                  // the runner uses the real GPU; counts still come from the simulator
    ladder_gpu card;           // then: which one
    const char *card_folder; // of the locks of those who use it (attempt.c); NULL: nobody else does
    const struct ladder_thresholds *thresholds; // calibrated ones of this card; NULL: none
    // Holds step_<n>/step_<n>.so of the kit's solution; NULL: nothing to compare speed with.
    const char *baseline_folder;
    // A step that is wrong in one case is not run in the others, and no given step is added.
    bool first_failure;
    double build_s;        // limit of each compiler run
    double case_s;         // limit of each answer of the runner
    double submission_s;   // processor time of all steps of a submission; 0: no limit
    double slowness;       // of this machine (machine.h); 0: not measured, usual speed
    uint64_t instructions; // limit of a launch in the engine
    bool any_work;         // a call has no ceiling of its case's work, for tests of other defences
    uint64_t memory_bytes; // of all processes of a submission together; 0: no limit
    unsigned threads;      // of the engine; 0: all cores
    int steps_at_a_time;   // of one submission (grade_submission.c)
    const struct ladder_step_cache *compiled; // NULL: none
} ladder_grade_plan;

// Limits that neither the command line nor the rubric sets: processor time of a compiler run, and
// the longest wait for an answer of a runner.
#define LADDER_BUILD_SECONDS 60
#define LADDER_CASE_SECONDS  30

// Memory of all processes of a submission together, where the command line says no other: a quarter
// of the machine's for all that are graded at a time, which leaves it usable, but 4 GiB at most and
// no less than 1 GiB for each, with which the solutions of labs 07, 09 and 10 have all points.
#define LADDER_SUBMISSION_MEMORY       (UINT64_C(4) << 30)
#define LADDER_SUBMISSION_MEMORY_LEAST (UINT64_C(1) << 30)
// machine_bytes: ladder_memory_of_machine; 0, not known: 4 GiB.
uint64_t ladder_submission_memory(uint64_t machine_bytes, int64_t at_a_time);
// How many submissions such a machine should grade at a time, at most: half of its memory holds the
// least of each.
int64_t ladder_submissions_at_a_time(uint64_t machine_bytes);

// Told before each part of the work: which step, and what ("building", "running", "counting").
typedef void ladder_grade_progress(void *context, int step, const char *what);

// A submission while it is graded. Steps that are graded in parallel each have a process, and so a
// run, of their own.
typedef struct ladder_submission_run {
    const ladder_grade_plan *plan;       // by which it is graded
    const ladder_submission *submission; // whose files are graded
    const char *keep_folder;         // gets the step files as they were taken; exists. NULL: none
    ladder_grade_progress *progress; // may be NULL
    void *context;                   // of progress
    ladder_budget *budget;           // time that is left; NULL: no limit
    int beside;                      // steps graded at a time, which share its memory; 0: this one
    const char *folder;              // private, with what is compiled
    ladder_result *result;           // of all steps
    // The step that is being graded:
    const ladder_rubric_step *step;  // of the rubric
    const char *object;              // its shared object
    const char *step_folder;         // private: in which it runs
    ladder_step_result *step_result; // receives outcome, log, points and time
} ladder_submission_run;

// Memory of the step that is being graded, all of its processes together; 0: no limit.
uint64_t ladder_run_memory(const ladder_submission_run *run);
