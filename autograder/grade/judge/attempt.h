// SPDX-License-Identifier: MIT
// A built step tried on one case after the other, in a runner process with an engine beside it.
// Nothing that the runner says is believed.
#ifndef LADDER_JUDGE_ATTEMPT_H
#define LADDER_JUDGE_ATTEMPT_H

#include "grade/judge/card.h"
#include "grade/judge/plan.h"
#include "sandbox/process/session.h"

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
    double ceiling;         // of its calls, in warp instructions (instruction_ceiling.h)
    bool open;              // the session has processes
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
} ladder_case_end;

// Runs `calls` calls of the step on one case and judges every output. Starts engine and runner if
// they are not there.
void ladder_attempt_case(ladder_attempt *attempt, const ladder_case *item, int calls,
                         ladder_case_end *out_end);
void ladder_attempt_close(ladder_attempt *attempt);

// After a case, or a report of it, that is UNGRADABLE: where the engine did not answer because the
// machine was too busy the end says so, and is no submission's fault.
void ladder_attempt_starved(const ladder_attempt *attempt, ladder_case_end *end);

// Runs a case as above, and what breaks off is tried once more from the start (broken_run.c): when
// it breaks off again and the machine is fit, it is the submission's failure, BROKEN_RUN.
void ladder_attempt_fairly(ladder_attempt *attempt, const ladder_case *item, int calls,
                           ladder_case_end *out_end);
// The second part: makes an UNGRADABLE end that came twice the submission's failure unless the
// machine is unfit, which its text then says.
void ladder_broken_run(const char *folder, ladder_case_end *end);

// The request that hands over sets: [count] of data, of one shape, each with its own scalars.
ladder_runner_request ladder_setup_request(const kl_prepared *const *sets, int count,
                                           uint64_t workspace_max_bytes, int slots, int file_slots);

// returned_inputs.c: inputs that the runner holds (on a GPU, and of host functions), after its
// calls. On the simulator the judge reads them itself (case_buffers.h).

// Bytes that the memory file of the outputs needs for `slots` slots, and for a set of inputs.
uint64_t ladder_runner_file_bytes(const kl_prepared *data, int slots);
// The first input of these data that differs from what a runner has handed back; NULL: none.
const char *ladder_inputs_changed(const kl_prepared *data, const unsigned char *file);
// Compares the inputs of sets: [count], of one shape, with what the runner hands back in the memory
// file, mapped at `file`. *out_name: the first one that differs, NULL: none. KL_ERROR_INPUT: no
// answer. KL_ERROR_SYSTEM: none, on a machine that is too busy.
kl_status ladder_inputs_kept(ladder_session *session, const kl_prepared *const *sets, int count,
                             const unsigned char *file, double limit_s, const char **out_name,
                             kl_error *err);

// Limits of a runner's process.
ladder_limits ladder_runner_limits(const ladder_submission_run *run, bool gpu);

#endif
