// What a checking engine finds, for people and programs.
#pragma once

#include "engine/engine.h"
#include "grade/rubric/lab_files.h"
#include "records.h"
#include "table.h"

// ---- verdict ------------------------------------------------------------------------------------
// What a lab's program reports of a step that is not correct: the paragraph below its first table,
// "step 2 grid: wrong answer", with the case, the values and the hint.

// What is known of a step.
typedef struct ladder_verdict {
    ladder_outcome outcome;    // how the step came out
    bool stopped;              // a case was stopped at its ceiling of warp instructions
    char text[KL_RECORD_TEXT]; // the paragraph; "" when there is nothing to say
} ladder_verdict;

// Takes it from what the program reported (session.h).
void ladder_verdict_read(int records, int step, ladder_verdict *out_verdict);

// Asks for it: nothing is run when the last run of this version of the student's file was right,
// else the lab's quick cases, which take a moment. The step must have been built. A step that is
// not written gets a sentence, too.
kl_status ladder_verdict_ask(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                             ladder_verdict *out_verdict, kl_error *err);

// Whether the step it is about runs to its end: it is right, or its results are wrong.
bool ladder_verdict_ends(const ladder_verdict *verdict);

// ---- checks.c -----------------------------------------------------------------------------------
// What `ladder check` finds: running a program on a checking engine, the findings as text for a
// terminal and as JSON (ladder.check/1).

// A case that a lab's step was run on, as the lab's program said.
typedef struct ladder_checked_case {
    uint32_t first_launch; // index of its first launch, if it has any
    char family[64];       // what the inputs are like
    int64_t size;          // in the lab's unit
    uint64_t seed;         // of the inputs
} ladder_checked_case;

enum { LADDER_CHECKED_CASES = 128 };

// The findings of one program.
typedef struct ladder_checks {
    sim_check_report *report; // of the usual order of blocks and warps
    int exit_code;            // of the program
    bool has_crashed;         // a segmentation fault of its host code ended it
    ladder_verdict verdict;   // of a lab's program on its step
    bool unwritten;           // a lab's step that is still to be written
    char forgotten[256];      // of such a step whose file was changed: what is missing
    // With another order that was asked for, or that shows what the usual one does not: its name
    // (else NULL), its report, and the first copy to the host (from 1) whose bytes differ; 0: none.
    const char *order;
    const char *resident;       // not asked for: which blocks ran together, as --resident has it
    sim_check_report *permuted; // not asked for: what the first one lacks
    uint32_t differing_read;
    bool asked;                                      // for that order
    const kl_problem *problem;                       // NULL: not of a lab
    int step;                                        // of the lab, with problem
    bool solution;                                   // the step is the solution's
    int case_count;                                  // of cases
    ladder_checked_case cases[LADDER_CHECKED_CASES]; // in the order in which they were run
} ladder_checks;

// How a program is checked.
typedef struct ladder_checks_options {
    const char *order;               // a second run with this order of blocks and warps, or NULL
    const char *resident;            // which blocks run together; NULL: the usual ones
    bool more_orders;                // without one: others, where the first run makes them worth it
    uint64_t max_instructions;       // warp instructions after which a launch counts as endless
    uint64_t max_block_instructions; // likewise a block; 0: only the launch's limit
    uint64_t most_elements;          // as in sim_options; a lab's are those of its contract
    bool foreground;                 // the program's output goes to the terminal
    const char *progress;  // what is checked, "step 3": how far it is will be told; NULL: never
    const ladder_lab *lab; // of a lab's program, or NULL: when it refuses its options, so does
                           // the check
    int step;              // of that lab
    bool solution;         // the step is the solution's
} ladder_checks_options;

// Work of a case in operations of a thread: its arithmetic, and a load or a store for each word
// that must move. 0: there is no such case.
double ladder_checks_work(const kl_problem *problem, int family, int64_t size);

// Warp instructions of a launch that none of a lab's steps comes near at these sizes, so that an
// endless loop is stopped within seconds: from the work of the largest case. size -1: the lab's
// quick cases; family NULL: all.
uint64_t ladder_checks_limit(const ladder_lab *lab, int step, const char *family, int64_t size);

// Runs argv on a checking engine. Free with ladder_checks_free, also after a failure.
kl_status ladder_checks_run(const ladder_kit *kit, char *const *argv,
                            const ladder_checks_options *options, ladder_checks *out_checks,
                            kl_error *err);
void ladder_checks_free(ladder_checks *checks);
// Findings of both runs that are errors, those left out among them, and that are only warnings; all
// leaks of a run count as one.
uint64_t ladder_checks_errors(const ladder_checks *checks);
uint64_t ladder_checks_warnings(const ladder_checks *checks);

// The case in which a finding was first seen; NULL when that is not known.
const ladder_checked_case *ladder_checks_case(const ladder_checks *checks,
                                              const sim_finding *finding);

// As text: a paragraph for each finding, those of the second order behind.
void ladder_checks_print(const ladder_checks *checks, const kl_style *style, FILE *out);
// `subjects`: "step 3", or a program.
kl_status ladder_checks_json(const ladder_checks *checks, const char *const *subjects, int count,
                             FILE *out, kl_error *err);

// ---- host_line.c --------------------------------------------------------------------------------
// Source lines of host code, from the program's debug information (nvcc -g).

// text: [bytes], has a place as the runtime writes it, "at FILE+0xADDRESS" with what follows in
// that line (runtime/state/internal.h). The place becomes "at NAME.cu:LINE in FUNCTION" when
// addr2line, which comes with the host compiler, knows it; otherwise a hint at -g is added behind
// it.
void ladder_host_line(char *text, size_t bytes);

// The same for a finding in host code, whose text ends in such places, that of the call first: the
// first one that is in a file of the program becomes its side, or, of a finding that has its sides
// already (a kernel of a library, an early access by the host), its text.
void ladder_host_side(sim_finding *finding);

// The same for a side that is a call (sim_check_side.call): its addresses become a file and a line.
void ladder_host_call(sim_check_side *side);

// ---- explanations -------------------------------------------------------------------------------
// A class of findings: its meaning, its remedy, and a small program that has it (docs/findings.md).

// Prints it for a terminal. KL_ERROR_USAGE for a word that names no class; the text lists them.
kl_status ladder_explain(const ladder_kit *kit, const char *name, const kl_style *style, FILE *out,
                         kl_error *err);

// ---- run_check.c --------------------------------------------------------------------------------
// The checker beside `ladder run`: a process of its own, which looks at one small case of each
// step.

// Starts it. It checks the steps that the lab's program asks for over the socket, of which the
// program's end is returned, for --side-check; -1 when there can be no check.
int ladder_run_check_start(const ladder_kit *kit, const ladder_lab *lab, bool solution);

// What it checks of a step: the largest of the lab's quick cases that takes a moment; NULL: none.
// *out_all: all of them together are not much more, and have the sizes at which blocks are partly
// filled.
const kl_suite_entry *ladder_run_check_case(const kl_problem *problem, int step, bool *out_all);

// ---- step.c -------------------------------------------------------------------------------------
// The checker on one step of a lab, as `ladder check` and `ladder profile --check` ask for it.

// What the command line says of the check.
typedef struct ladder_check_request {
    bool solution;                     // the solution's step instead of the student's
    const char *size, *family, *order; // NULL: the lab's quick cases, all kinds, the usual order
    int64_t max_instructions;          // -1: not given
    int64_t elements;                  // that a program must be able to take; 0: not known
} ladder_check_request;

// Options for a program that is no lab's. foreground: its output goes to the terminal.
ladder_checks_options ladder_check_program_options(const ladder_check_request *request,
                                                   bool foreground);

// progress: what is checked, "step 3". The step must have been built. Free the checks with
// ladder_checks_free, also after a failure.
kl_status ladder_check_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                            const ladder_check_request *request, const char *progress,
                            ladder_checks *out_checks, kl_error *err);
