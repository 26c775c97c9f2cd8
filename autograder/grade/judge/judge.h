// The verdict on one built step: it is run on every correctness case in a runner process with an
// engine, its raw output bytes are taken back and compared, and the engine watches that kernels did
// the work. Nothing that the runner says is believed.
#pragma once

#include "grade/judge/plan.h"
#include "sandbox/process/session.h"
#include "utilities/finding.h"

// ---- attempt.c: the card ------------------------------------------------------------------------
// Who uses the GPU: locks of flock(2) on files of the grading's own folder, which end with the
// process that holds them. Several steps may compute answers on the card at the same time; while
// one is timed nobody else does. What needs no card (compilers, the simulator) goes on meanwhile.

// A place at the card; all zeros: none is needed, and nothing below does anything.
typedef struct ladder_card {
    int use_fd;    // its lock is shared, or with `alone` exclusive; 0: none
    int timing_fd; // one process at a time prepares timings, or their memory would not suffice
    double waited_s, alone_s; // so far
    double alone_from_s;      // on kl_now_s; 0: it is shared
} ladder_card;

// Waits for a place among others. folder: of the locks; NULL: none is needed. timing: for timings.
// Where there are no locks to be had nothing is waited for.
void ladder_card_take(const char *folder, bool timing, ladder_card *out_card);
// Waits until nobody else is there, and lets others in again.
void ladder_card_alone(ladder_card *card);
void ladder_card_share(ladder_card *card);
void ladder_card_give(ladder_card *card);

// ---- attempt.c ----------------------------------------------------------------------------------

// A runner in the middle of its work on one step, and what has become of it.
typedef struct ladder_attempt {
    const ladder_submission_run *run; // plan, and the step that is tried
    bool gpu, checking;               // checking: on a checking engine, which counts nothing
    bool uncached;     // nobody asks for counts of caches or for times, which take long to model
    const char *order; // of blocks and warps (ladder-engine --order); NULL: forward
    uint64_t places;   // seed of gaps between buffers; 0: none
    ladder_session session; // runner and engine, if open
    const kl_case *shape;   // of the present case on the engine
    double slept_s;         // of the present case, that its budget has
    double ceiling;         // of its calls, in warp instructions (problem.h)
    bool open;              // the session has processes
    bool keeps;             // outputs are kept of each case's first call
    unsigned char *outputs; // these, as sandbox/process/process.h says; NULL: none came
    int watched;            // with `keeps`: the output whose writers are asked for, or -1
    uint64_t watched_from;  // first byte of it that is watched
    uint64_t watched_at;    // its address in the engine
    ladder_card card;       // gpu: its place there, while open
    char *printed;          // by kernels, at first; the engine gives it to the judge alone
    size_t printed_bytes;   // of printed
} ladder_attempt;

// What one case came to.
typedef struct ladder_case_end {
    ladder_outcome outcome;          // CORRECT when all is well
    bool dead;                       // the runner or the engine is of no use any more
    bool ours;                       // ungradable, and no code of the submission can be why
    char text[LADDER_MESSAGE];       // why, for people
    kl_verdict verdict;              // of the comparison with the reference
    uint32_t first_launch, launches; // of the step's calls, in the engine's count
    uint64_t moves, moved_bytes; // fills and copies on the device by these calls, and their bytes
    sim_span_totals call; // of a program: what the copies, waits and graphs of its call come to
} ladder_case_end;

// Runs `calls` calls of the step on one case and judges every output. Starts engine and runner if
// they are not there.
void ladder_attempt_case(ladder_attempt *attempt, const ladder_case *item, int calls,
                         ladder_case_end *out_end);
void ladder_attempt_close(ladder_attempt *attempt);

// After a case, or a report of it, that is UNGRADABLE: where the engine did not answer because the
// machine was too busy the end says so, and is no submission's fault.
void ladder_attempt_starved(const ladder_attempt *attempt, ladder_case_end *end);

// Runs a case as above, and what breaks off is tried once more from the start (judge.c): when
// it breaks off again and the machine is fit, it is the submission's failure, BROKEN_RUN.
void ladder_attempt_fairly(ladder_attempt *attempt, const ladder_case *item, int calls,
                           ladder_case_end *out_end);
// The second part: makes an UNGRADABLE end that came twice the submission's failure unless the
// machine is unfit, which its text then says.
void ladder_broken_run(const char *folder, ladder_case_end *end);

// calls_by_runner.c: data that the runner holds (on a GPU, and of host functions). On the simulator
// the judge makes and reads them itself (calls_on_engine.c).

// The request that hands over sets: [count] of data, of one shape, each with its own scalars.
ladder_runner_request ladder_setup_request(const kl_prepared *const *sets, int count,
                                           uint64_t workspace_max_bytes, int slots, int file_slots);

// Bytes that the memory file of the outputs needs for `slots` slots, and for a set of inputs.
uint64_t ladder_runner_file_bytes(const kl_prepared *data, int slots);
// The first input of these data that differs from what a runner has handed back; NULL: none.
const char *ladder_inputs_changed(const kl_prepared *data, const unsigned char *file);

// Limits of a runner's process.
ladder_limits ladder_runner_limits(const ladder_submission_run *run, bool gpu);

// ---- judge.c ------------------------------------------------------------------------------------

enum { LADDER_JUDGE_CASES = 128 }; // whose costs are kept

// For the check of the step (check.c): what each case cost, and which one gave the first wrong
// answer, and which one met a fault first.
typedef struct ladder_step_costs {
    uint64_t instructions[LADDER_JUDGE_CASES]; // warp instructions by index of the case; 0: none
    int first_wrong, first_fault;              // index of a case, or -1
} ladder_step_costs;

// All correctness cases. Fills in outcome, message, failures and counts of cases of the step.
void ladder_judge_step(const ladder_submission_run *run, ladder_step_costs *out_costs);

// How many of a criterion's hidden cases a right step is right in: in processes and a folder of
// their own, of which nothing is kept (no output, fault, index or time), as all of these would tell
// a submission's author the sizes. LADDER_CORRECT: *out_right is known; UNGRADABLE: it is not, and
// the step's message says so. What the step takes of its submission's time and memory counts.
ladder_outcome ladder_judge_hidden(const ladder_submission_run *run,
                                   const ladder_criterion *criterion, int *out_right);

// Looks for the smallest case like this one, whose outputs were wrong, in which the step is wrong,
// and draws it into the step's result (small). Changes neither outcome nor points.
void ladder_judge_small(const ladder_submission_run *run, const ladder_case *item,
                        const unsigned char *outputs);

// Adds a failed case: with this outcome and the end's text, without paths of the private folder,
// which mean nothing to the reader, and with what was compared.
void ladder_judge_failure(const ladder_submission_run *run, ladder_outcome outcome,
                          const ladder_case *item, const ladder_case_end *end);
void ladder_judge_hide_folder(const char *object, char *text);

// ---- check.c ------------------------------------------------------------------------------------
// What the simulator's checker has to say of a step, whose answers may be right by luck of order.

// Runs some of the cases on a checking engine: of each family the two largest that fit its share
// of about a second of processor time; after a wrong answer that case alone. Errors that are
// found (not warnings) are added to the step's failures, with the lines of `source`; a right step
// fails by the first of them.
void ladder_judge_check(const ladder_submission_run *run, const ladder_finding_source *source,
                        const ladder_step_costs *costs);

// ---- Inside the judge ---------------------------------------------------------------------------
// What the files of the judge offer each other, from the ground up: attempt.c (engine, runner,
// replies), calls_on_engine.c and calls_by_runner.c (calls on memory of either), case.c (one case,
// verdict), judge.c (all cases of a step).

// ---- attempt.c, calls_*.c, case.c ---------------------------------------------------------------

// Starts engine and runner. False: the end says why not.
bool ladder_attempt_open(ladder_attempt *attempt, ladder_case_end *end);
void ladder_case_end_with(ladder_case_end *end, ladder_outcome outcome, bool dead,
                          const char *text);
// Asks the runner, or (NULL) waits for its first word. True when it did what was asked.
bool ladder_attempt_ask(ladder_attempt *attempt, const ladder_runner_request *request,
                        const int *files, int count, ladder_case_end *end);
// True when the engine itself has ended: its fault, not the submission's.
bool ladder_attempt_engine_lost(ladder_attempt *attempt, ladder_case_end *end);

// Runs the calls of a case on memory that the judge has given, and takes their outputs into
// `outputs`, each as it lay there when its call ended. True when outputs have come. *out_doubt:
// what is wrong with them beside their values, if anything. Kernels of a preparation are no part of
// what is counted: the calls themselves must launch some, read the input, and pay for what they do.
bool ladder_calls_on_engine(ladder_attempt *attempt, const ladder_case *item, int calls,
                            unsigned char *outputs, ladder_case_end *end,
                            ladder_case_end *out_doubt);
// The same where the runner holds the memory, on a GPU and for functions of host memory: there it
// says what came out (runner_protocol.h).
bool ladder_calls_by_runner(ladder_attempt *attempt, const ladder_case *item, int calls,
                            unsigned char *outputs, ladder_case_end *end,
                            ladder_case_end *out_doubt);
