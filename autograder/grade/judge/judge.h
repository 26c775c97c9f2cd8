// SPDX-License-Identifier: MIT
// The judge of one built step: runs it on every correctness case in a runner process, takes back
// raw output bytes, compares them itself, and watches in the engine that kernels did the work. It
// believes nothing the runner says.
#ifndef LADDER_JUDGE_JUDGE_H
#define LADDER_JUDGE_JUDGE_H

#include "grade/judge/cases.h"
#include "grade/rubric/result.h"
#include "sandbox/process/session.h"

enum { LADDER_JUDGE_CASES = 128 }; // whose costs are kept

// With what a grading is done: the same for all submissions.
typedef struct ladder_judge {
    const ladder_kit *kit;     // where programs and sources lie
    const ladder_lab *lab;     // that is graded
    const ladder_cases *cases; // made once from a secret seed
    bool gpu;                  // the runner uses the real GPU; counts still come from the simulator
    ladder_gpu card;           // then: which one
    const struct ladder_thresholds *thresholds; // calibrated ones of this card; NULL: none
    bool first_failure;                 // a step that is wrong in one case is not run in the others
    double build_s;                     // limit of each compiler run
    double case_s;                      // limit of each answer of the runner
    double submission_s;                // processor time of all steps of a submission; 0: no limit
    const struct ladder_budget *budget; // of the submission that is graded; NULL: none
    uint64_t instructions;              // limit of a launch in the engine
    uint64_t memory_bytes;              // of the runner's process
    unsigned threads;                   // of the engine; 0: all cores
    int steps_at_a_time;                // of one submission (side_by_side.h); on a GPU 1
    const struct ladder_step_cache *compiled; // NULL: none
} ladder_judge;

// A runner in the middle of its work on one step, and what has become of it.
typedef struct ladder_attempt {
    const ladder_judge *judge;      // limits, lab and cases
    const ladder_rubric_step *step; // of the rubric
    const char *object;             // the step's shared object
    const char *folder;             // private
    bool gpu, checking;             // checking: on a checking engine, which counts nothing
    const char *order;              // of blocks and warps (ladder-engine --order); NULL: forward
    uint64_t places;                // seed of gaps between buffers; 0: none
    ladder_step_result *result;     // receives the log and the time
    ladder_session session;         // runner and engine, if open
    bool open;                      // the session has processes
    char *printed;                  // by kernels, at first; the engine gives it to the judge alone
    size_t printed_bytes;           // of printed
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
} ladder_case_end;

// Runs `calls` calls of the step on one case and judges every output. Starts engine and runner if
// they are not there.
void ladder_attempt_case(ladder_attempt *attempt, const ladder_case *item, int calls,
                         ladder_case_end *out_end);
void ladder_attempt_close(ladder_attempt *attempt);

// After a case, or a report of it, that is UNGRADABLE: where the engine did not answer because the
// machine was too busy the end says so, and is no submission's fault.
void ladder_attempt_starved(const ladder_attempt *attempt, ladder_case_end *end);

// Runs a case as above, and what breaks off is tried once more from the start (blame.c): when it
// breaks off again and the machine is fit, it is the submission's failure, BROKEN_RUN. True when it
// was tried again.
bool ladder_attempt_fairly(ladder_attempt *attempt, const ladder_case *item, int calls,
                           ladder_case_end *out_end);
// The second part: makes an UNGRADABLE end that came twice the submission's failure unless the
// machine is unfit, which its text then says.
void ladder_blame(const char *folder, ladder_case_end *end);

// All correctness cases. Fills in outcome, message, failures, counts of cases, and for the check of
// the step (check.h) what each case cost and which one gave the first wrong answer.
typedef struct ladder_step_costs {
    uint64_t instructions[LADDER_JUDGE_CASES]; // warp instructions by index of the case; 0: none
    int first_wrong;                           // index of a case, or -1
} ladder_step_costs;
// object: the step's shared object. folder: private.
void ladder_judge_step(const ladder_judge *judge, const ladder_rubric_step *step,
                       const char *object, const char *folder, ladder_step_result *result,
                       ladder_step_costs *out_costs);

// What was compared in a case that ended with a wrong output, as fields of the failure.
void ladder_judge_compared(const ladder_case *item, const ladder_case_end *end,
                           ladder_failure *out_failure);

// Paths of the step's private folder mean nothing to the reader.
void ladder_judge_hide_folder(const char *object, char *text);

// The request that hands over `sets` cases of one shape (cases.h), each with the scalars that
// belong to its data.
ladder_runner_request ladder_setup_request(const ladder_case *items, int sets,
                                           uint64_t workspace_max_bytes, int slots, int file_slots);

// Limits of a runner's process.
ladder_limits ladder_judge_runner_limits(const ladder_judge *judge, bool gpu);

#endif
