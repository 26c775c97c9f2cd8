// A lab's rubric, the criteria of its description (labs/*/lab.json), as constant data. ladder-lab
// (grade/description) makes the C, so that no JSON is parsed at run time; it refuses fields and
// values that it does not know.
#pragma once

#include "problem.h"
#include "utilities/text.h"

// ---- rubric.c -----------------------------------------------------------------------------------

// What a criterion judges.
typedef enum ladder_criterion_kind {
    LADDER_CRITERION_CORRECT, // every correctness case of the lab's suite is right
    LADDER_CRITERION_COUNT,   // a counted quantity of one call, on the simulator
    // time against that of another step of the kit's solution: measured on a GPU, modelled without
    LADDER_CRITERION_SPEED,
    // every number that is asked about the step was predicted before the step's first run
    // (grade/rubric/lab_files.h), whatever was predicted; no lab of the kit has it, an instructor
    // may
    LADDER_CRITERION_PREDICTED,
    // how many of its hidden cases are right, of a step that is right in those of the suite
    LADDER_CRITERION_CASES
} ladder_criterion_kind;

enum { LADDER_WITH_MAX = 6 }; // further bounds of one criterion

// A counted quantity of one call between the value that earns nothing and the one that earns all.
typedef struct ladder_bound {
    const char *text;    // for people
    const char *counter; // a name of counters.def, or "launches"; several, with blanks: their sum
    const char *per;     // divisor: another counter, "element", "launch", or "call" for none
    const char *family;  // of the case; "": that of the criterion
    int64_t size;        // of the case, where the family is given
    double full, zero;   // value that earns all points, and none
} ladder_bound;

// A hidden case: students see neither its family nor its size, only how many of a criterion's are
// right.
typedef struct ladder_hidden_case {
    const char *family; // what its inputs are like
    int64_t size;       // in the lab's unit
} ladder_hidden_case;

// What a speed criterion asks for where its time is modelled, on one simulated device. Made from
// the lab's measured runs (labs/modelled.json).
typedef struct ladder_modelled {
    const char *device; // its name, as devices.def has it
    int64_t size;       // of the case of the criterion's family whose modelled time is taken
    double over_us;     // modelled time of the kit's own solution of step `over` there
    double full, zero;  // ratio that earns all points, and none
} ladder_modelled;

// What earns points.
typedef struct ladder_criterion {
    ladder_criterion_kind kind; // what is judged
    double points;              // that it can earn
    const char *text;           // one sentence for people
    // When students see it on a course system, as Gradescope says it ("after_published", ..); NULL:
    // at once
    const char *hidden;
    const char *counter; // count: as in ladder_bound
    const char *per;     // count: as in ladder_bound
    const char *family;  // count, speed: the case that is measured
    int64_t size;        // of that case
    int needs_cuda;      // count: first major version of the toolkit whose code has it; 0: any
    double full, zero; // value that earns all points, and none; linear between (speed: logarithmic)
    int over;          // speed: time(step `over`) / time(this step)
    // count: what must hold as well; the least share of all of them counts, so that "few loads" is
    // not earned by a kernel that does something else.
    const ladder_bound *with;
    int with_count;
    const ladder_hidden_case *cases; // cases: [case_count]
    int case_count;
    const ladder_modelled *modelled; // speed: by device
    int modelled_count;
    const char *unmodelled; // speed: why there are none; NULL: not said
} ladder_criterion;

// A step, and what earns its points.
typedef struct ladder_rubric_step {
    int step;                         // its number
    const char *file;                 // the only file that is taken from a submission for it
    bool given;                       // handed out complete
    const ladder_criterion *criteria; // [criteria_count]
    int criteria_count;               // of criteria
} ladder_rubric_step;

// A lab's rubric.
typedef struct ladder_rubric {
    const char *note;   // "" when there is none
    const char *hash;   // SHA-256 of what grading goes by: this table without its note
    bool work_log;      // a work log is asked for: a report says when it is missing
    bool app_after_run; // `ladder run LAB` without further choices ends with the lab's application
    // ladder_rubric_speed_hash when labs/modelled.json was made; NULL: the lab is not in it
    const char *modelled_of;
    // [allow_import_count]: symbols that steps of this lab may import beyond the usual ones
    const char *const *allow_imports;
    int allow_import_count;   // of allow_imports
    double build_s, case_s;   // wall limits; 0: the autograder's own
    double submission_s;      // processor time of all steps together; 0: the autograder's own
    uint64_t instructions;    // of a launch, in warp instructions; 0: the engine's own
    uint64_t read_back_bytes; // that a call may bring to the host
    // Of an answer's bytes, that may come from a fill or be left as they were where there is work.
    double plain_share;
    const ladder_rubric_step *steps;
    int step_count;
} ladder_rubric;

// The rubric's row of this step, or NULL.
const ladder_rubric_step *ladder_rubric_find(const ladder_rubric *rubric, int step);
// Whether counts of the step close its speed criteria to earlier steps.
bool ladder_rubric_has_counts(const ladder_rubric_step *row);

// Points that a step can earn with a GPU, and without one on this simulated device (its name).
double ladder_rubric_points(const ladder_rubric_step *step, bool gpu, const char *device);

// Share of a criterion's points for a value, in [0, 1]. NaN earns nothing. Without its further
// bounds.
double ladder_criterion_share(const ladder_criterion *criterion, double value);
// The same of one further bound, and of a modelled ratio of times.
double ladder_bound_share(const ladder_bound *bound, double value);
double ladder_modelled_share(const ladder_modelled *modelled, double ratio);
// Of a ratio of times: between the two values equal factors are equal steps.
double ladder_ratio_share(double full, double zero, double ratio);

// How a speed criterion is graded where its time is modelled, on this device; NULL: not at all.
const ladder_modelled *ladder_criterion_modelled(const ladder_criterion *criterion,
                                                 const char *device);

// Checks what the build cannot: known counters and families, files and steps that agree with the
// problem, counts that cannot be diluted. KL_ERROR_INPUT says what is wrong.
// counter_known may be NULL.
kl_status ladder_rubric_check(const ladder_rubric *rubric, const kl_problem *problem,
                              bool (*counter_known)(const char *name), kl_error *err);

// ---- formula.c ----------------------------------------------------------------------------------
// Formulas of counted quantities, as a lab's lab.json has them: numbers, + - * / ^, brackets,
// min(a, b), max(a, b), and names of quantities (grade/points/counts.h) such as sim__barriers.sum.
// A name stands for the step that is asked about; NAME@3 for step 3 of the same lab and case,
// NAME@before for the step before it.

enum { LADDER_FORMULA_OWN = -1, LADDER_FORMULA_BEFORE = -2, LADDER_FORMULA_NAME = 96 };

// Value of a quantity in a step (a number, or one of the two above). KL_ERROR_INPUT: no such name.
typedef kl_status ladder_formula_lookup(void *context, const char *name, int step,
                                        double *out_value, kl_error *err);

// KL_ERROR_INPUT shows the place of a mistake. Division by 0 gives what IEEE 754 says.
kl_status ladder_formula_value(const char *text, ladder_formula_lookup *lookup, void *context,
                               double *out_value, kl_error *err);

// ---- questions.c --------------------------------------------------------------------------------
// A lab's questions ("questions" and "selfcheck" of labs/*/lab.json) as constant data: what
// `ladder predict` asks about each step, and the self-check questions of the lab's page. ladder-lab
// (grade/description) makes the C. A lab need not have any.

enum {
    LADDER_ASKED_LEAST = 2, // of a step
    LADDER_ASKED_MAX = 3,
    LADDER_QUESTION_NAME = 32, // bytes of a number's name, terminator included
    LADDER_VALUES_MAX = 4      // numbers in an answer
};

// One number that is asked for.
typedef struct ladder_question {
    const char *name;    // "sectors_per_request": what --answer takes
    const char *text;    // one sentence that says what is counted, and of what
    const char *unit;    // "sectors per request"
    const char *formula; // grade/rubric/rubric.h
    int64_t size;        // of the case, where it is not that of the other numbers; 0: it is
} ladder_question;

// The questions of a step, all about one call of it on one case.
typedef struct ladder_asked {
    int step;                         // its number
    const char *family;               // of the case: what its inputs are like
    int64_t size;                     // of the case
    const char *none;                 // why nothing is asked; "" when something is
    const ladder_question *questions; // [count]
    int count;                        // of questions
} ladder_asked;

// A question of the lab's page with the answer that is folded away. Each {} in the answer is a
// number that the solution's step counts.
typedef struct ladder_selfcheck {
    const char *question, *answer; // Markdown
    int step;                      // of names without @; -1 when there are no numbers
    const char *family;            // of the case: what its inputs are like
    int64_t size;                  // of the case
    const char *const *formulas;   // [formula_count], one for each {}
    int formula_count;             // of formulas
} ladder_selfcheck;

// All questions of a lab.
typedef struct ladder_questions {
    const ladder_asked *asked;          // [asked_count], by step
    int asked_count;                    // of asked
    const ladder_selfcheck *selfchecks; // [selfcheck_count], in the page's order
    int selfcheck_count;                // of selfchecks
} ladder_questions;

// What is asked about this step, or NULL.
const ladder_asked *ladder_questions_find(const ladder_questions *questions, int step);

// The question of this name, or NULL.
const ladder_question *ladder_asked_find(const ladder_asked *asked, const char *name);

// The size of the case that a number is counted on.
int64_t ladder_question_size(const ladder_asked *asked, const ladder_question *question);

// The first other step, in the formula's order, that a number needs for which is_wanted says true;
// -1: it needs none.
int ladder_question_needs(const kl_problem *problem, const ladder_asked *asked,
                          const ladder_question *question,
                          bool (*is_wanted)(const void *context, int step), const void *context);

// The step before this one in the lab's order that serves the case, or -1.
int ladder_questions_step_before(const kl_problem *problem, const char *family, int step);

// Checks what the build cannot: every step has its questions or a reason for none, names differ,
// cases exist, formulas name known quantities and existing steps, answers have as many {} as
// formulas. KL_ERROR_INPUT says what is wrong.
kl_status ladder_questions_check(const ladder_questions *questions, const kl_problem *problem,
                                 bool (*quantity_known)(const char *name), kl_error *err);

// ---- lab.c --------------------------------------------------------------------------------------
// The labs of this kit: a table made by the build (lab_table.c), and the names that a lab answers
// to.

struct ladder_tune_space; // learn/tune/tune.h

// A lab.
typedef struct ladder_lab {
    const char *folder;                   // "02_reduction"
    const kl_problem *problem;            // cases, inputs, reference
    const ladder_rubric *rubric;          // steps and points
    const ladder_questions *questions;    // predictions and self-checks
    const struct ladder_tune_space *tune; // what `ladder tune` may vary (tune.def); NULL: nothing
} ladder_lab;

// All labs, ascending by folder.
extern const ladder_lab ladder_labs[];
extern const int ladder_lab_count;

// "2", "02", "reduction" or "02_reduction"; letter case and a trailing slash are ignored. NULL when
// there is none.
const ladder_lab *ladder_lab_find(const char *word);

// The same, with KL_ERROR_USAGE that lists or suggests labs.
kl_status ladder_lab_require(const char *word, const ladder_lab **out_lab, kl_error *err);

// KL_ERROR_USAGE: "which step of reduction? 0_one_block, 1_interleaved, .."; `ask`: "which step".
kl_status ladder_lab_ask_step(const ladder_lab *lab, const char *ask, kl_error *err);

// "lab 02_reduction, step 3: sequential (solution)".
void ladder_step_title(const ladder_lab *lab, const kl_step_info *step, bool solution, char *out,
                       size_t out_bytes);

// A step by number ("3"), name ("sequential") or file ("3_sequential", "3_sequential.cu").
kl_status ladder_lab_require_step(const ladder_lab *lab, const char *word,
                                  const kl_step_info **out_step, kl_error *err);

// ---- dilution -----------------------------------------------------------------------------------
// Counts that a submission can lower without doing better, which no rubric may have alone:
// - a ratio (sectors per request): good accesses beside the bad ones lower it;
// - a count of one way of reading or writing (load requests): it is 0 for what reads by atomics;
// - a least amount (asynchronous copies): accesses that nobody needs raise it.
// Each needs, in the same criterion and of the same case, an upper bound per call or per element on
// the counter of all ways (ways.def).

// Bounds of a count: the criterion's own, then those of its "with".
int ladder_bound_count(const ladder_criterion *criterion);
// index: from 0. Of the criterion's own case the family is "".
ladder_bound ladder_bound_at(const ladder_criterion *criterion, int index);

// Whether what it divides by is the submission's choice: a counter, blocks, launches.
bool ladder_bound_is_ratio(const ladder_bound *bound);
// Whether it limits an amount per call or element from above.
bool ladder_bound_limits(const ladder_bound *bound);
// Whether it is of a counter that accesses in another form raise as much (warp instructions).
bool ladder_bound_sees_every_way(const ladder_bound *bound);

// KL_ERROR_INPUT names the step, the count and the bound that it needs.
kl_status ladder_rubric_check_dilution(const ladder_criterion *criterion, int step, kl_error *err);

// ---- what a rubric asks for in speed ------------------------------------------------------------
// Names what a rubric asks for in speed, so that thresholds that were measured or modelled for one
// version of a rubric (grade/speed/speed.h, labs/modelled.json) are not used with another.

struct ladder_rubric;

enum { LADDER_SPEED_HASH_TEXT = 17 }; // 16 hexadecimal digits and the terminator

// A rubric's speed criteria are added in its order, between ladder_sha256_begin and the end below.
// has_counts: the step has criteria on counts, which close those on speed to earlier steps.
void ladder_speed_hash_add(ladder_sha256 *hash, int step, bool has_counts, int over,
                           const char *family, int64_t size, double full, double zero);
void ladder_speed_hash_end(ladder_sha256 *hash, char out_text[LADDER_SPEED_HASH_TEXT]);

// The whole of it, of a rubric.
void ladder_rubric_speed_hash(const struct ladder_rubric *rubric,
                              char out_text[LADDER_SPEED_HASH_TEXT]);

// KL_ERROR_INPUT when the thresholds of modelled times were made for other speed criteria than the
// rubric has; says what to run. lab: the folder's name.
kl_status ladder_rubric_check_modelled(const struct ladder_rubric *rubric, const char *lab,
                                       kl_error *err);
