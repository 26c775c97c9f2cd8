// A kernel that is tried in the slot of a step: built from an edited solution or the kit's own, run
// once on each case that is asked for, and scored by the counts and modelled times of these runs.
// Failures of the machinery end the program. For tests only.
#pragma once

#include "grade/points/counts.h"
#include "tests/support/edit.h"

enum { TRIAL_CASES = 64 };

// What a kernel did on the cases tried so far.
typedef struct trial {
    const ladder_grade_plan *plan;
    const ladder_rubric_step *step; // whose symbols the object has
    const char *object;             // path of the built step
    const char *name;               // "step 3", "3_lazy"
    char work[LADDER_PATH];         // private folder, of all trials
    ladder_step_result *result;     // of its last build
    char why[256];                  // the last case without a right answer, and what happened
    int runs;                       // of all kernels
    int count;                      // of cases; 0 for a new kernel
    struct {
        const ladder_case *item;
        bool right;
        ladder_counts counts;
    } cases[TRIAL_CASES];
} trial;

// What a test of one lab needs, made once: cases of one seed, limits of grading. Ends the program
// when the lab is unknown. trial_end removes what was made.
trial *trial_begin(const char *lab);
void trial_end(trial *t);

// The program ends with the error's text unless status is KL_OK; trial_err is what to hand over.
extern kl_error trial_err;
void trial_must(kl_status status);

// The text of a lazy kernel: its edit applied to the solution. Caller frees.
char *trial_lazy_text(const trial *t, const edit *edit, edit_heading *out_heading);
// The lab's lazy kernels; false: it has none. edits_free.
bool trial_lazy_kernels(const trial *t, edit_list *out_edits);
// Builds a step as grading does and makes it the trial's kernel; false: it does not build, and
// t->result->message says why. object: [LADDER_PATH], which outlives the trial of this kernel.
bool trial_build(trial *t, int step, const char *text, const char *name, char *object);

// Whether the kernel gives right answers in the smallest case with work of each family of its step.
bool trial_is_right(trial *t);
// Whether the kernel gives right answers in another step's slot: families that both serve are
// known, of the others its smallest case with work tells.
bool trial_is_right_in(trial *t, const ladder_rubric_step *slot);
// Counts of a case, a ladder_count_source with the trial as context. NULL: the answer is wrong.
const ladder_counts *trial_counts(void *t, const char *family, int64_t size);
// What the kernel earns of a slot's criteria on counts and modelled times. False when it is wrong
// there: then it earns nothing.
bool trial_score(trial *t, const ladder_rubric_step *slot,
                 ladder_criterion_result out[LADDER_CRITERIA_MAX]);
