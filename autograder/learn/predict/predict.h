// The student's predictions: kept, compared with counts, and shown on a lab's page.
#pragma once

#include "grade/points/counts.h"
#include "grade/rubric/lab_files.h"
#include "table.h"

// ---- record.c -----------------------------------------------------------------------------------
// The student's predictions (grade/rubric/lab_files.h) as the commands keep and show them: the
// first run of a step, and a table of what was predicted beside what the student's own step counts.

// Keeps one answer, with the hash of the step's file as it is now.
kl_status ladder_predict_keep(const ladder_kit *kit, const ladder_lab *lab, int step,
                              const char *name, double value, kl_error *err);

// The step that a number is compared with and that is not written yet, so that nothing can be
// counted; -1: there is none.
int ladder_predict_waits_for(const ladder_kit *kit, const ladder_lab *lab,
                             const ladder_asked *asked, const ladder_question *question);

// Whether a number of this step can be predicted now and is not, and the step has not run.
bool ladder_predict_is_open(const ladder_kit *kit, const ladder_lab *lab, int step);

// Keeps the first run (how: "run") or profile of each of these steps ([count]; 0: all). Given steps
// and files as they were handed out are no student's step and do not count.
kl_status ladder_predict_note_run(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                                  int count, const char *how, kl_error *err);

// The same for a command that goes on in any case: what keeps it from that is said.
void ladder_predict_note(const ladder_kit *kit, const ladder_lab *lab, const int *steps, int count,
                         const char *how);

// Takes the counts of these steps, as far as they have predictions and their files have changed
// since they were last counted: one call each on the simulator.
kl_status ladder_predict_count(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                               int count, kl_error *err);

// What is known of these steps: predictions, and counts that belong to the files as they are now.
// *out_predictions has the steps that are selected only.
kl_status ladder_predict_load(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                              int count, ladder_predictions *out_predictions, kl_error *err);

// The table of it; nothing when there is no prediction. False then.
bool ladder_predict_print(const ladder_lab *lab, const ladder_predictions *predictions,
                          const kl_style *style, FILE *out);

// ---- counting.c ---------------------------------------------------------------------------------
// Counts of steps on one case, taken when a formula first asks for them: one call of a step on the
// simulator, whatever the machine. They are exact and the same each time.

enum { LADDER_COUNTING_STEPS = 32 };

// A case: the name of its kind of inputs, and its size in the problem's unit.
typedef struct ladder_counted_case {
    const char *family; // its name
    int64_t size;       // of the problem
    bool built;         // the step was just built: it is not brought up to date again
} ladder_counted_case;

// Counts of one call of a step on a case, without its preparation. KL_ERROR_INPUT also when the
// step does not build or run.
kl_status ladder_counting_take(const ladder_kit *kit, const ladder_lab *lab, int step,
                               bool solution, const ladder_counted_case *item,
                               ladder_counts *out_counts, kl_error *err);

// The case, and the counts that were taken so far.
typedef struct ladder_counting {
    const ladder_kit *kit; // where programs lie
    const ladder_lab *lab; // whose steps are counted
    const char *family;    // of the case: what its inputs are like
    int64_t size;          // of the case
    bool solution;         // the solution's steps instead of the student's
    bool past;             // modelled times of the last runs will do (counting.c)
    int count;             // of taken
    struct {
        int step;
        ladder_counts counts;
    } taken[LADDER_COUNTING_STEPS]; // counts by step
} ladder_counting;

// Value of a formula whose plain names stand for `step`. KL_ERROR_INPUT also when a step that it
// needs does not build or run.
kl_status ladder_counting_value(ladder_counting *counting, int step, const char *formula,
                                double *out_value, kl_error *err);

// Modelled times of the student's last runs, which the lab's program keeps
// (common/lab/ladder.h): what a run has taken minutes to simulate need not be simulated again
// for a prediction.

// Microseconds of a step of the student's on a case, on the simulator's first device; NaN when it
// was not run there since its file changed.
double ladder_past_time_us(const ladder_kit *kit, const ladder_lab *lab, int step,
                           const char *family, int64_t size);

// ---- pages.c ------------------------------------------------------------------------------------
// What a lab's page shows of its questions: a line "> **Predict first**: `./ladder predict NAME 3`"
// where the command asks something, and between <!-- selfcheck --> and <!-- /selfcheck --> the
// self-check questions with folded answers. Their numbers are counted anew each time.

// The page's text with the self-check questions written anew; caller frees. Questions without their
// place, and such a line without questions, are errors that say which.
kl_status ladder_page_renew(const ladder_kit *kit, const ladder_lab *lab, const char *page,
                            char **out_page, kl_error *err);

// What is asked, as a sentence without its end: with the size where that is the number's own.
// Returns `text`.
char *ladder_page_question(const ladder_lab *lab, const ladder_asked *asked,
                           const ladder_question *question, char *text, size_t text_bytes);

enum { LADDER_BANK_ID = 96 };
// A question for a course system's question bank.
typedef struct ladder_bank_item {
    char id[LADDER_BANK_ID], title[160]; // letters, digits, '-' and '_'; for people
    char *text, *answer;                 // Markdown; the answer is the grader's, NULL of a number
    const char *unit;                    // of the number; NULL: none is asked for
    double value;                        // that is right; NaN: a person grades the answer
} ladder_bank_item;
// All questions of a lab.
typedef struct ladder_bank {
    const char *lab;         // its folder
    ladder_bank_item *items; // [count]
    size_t count;            // of items
} ladder_bank;

// A lab's predictions, with what the solution's steps count, and its self-check questions.
kl_status ladder_bank_make(const ladder_kit *kit, const ladder_lab *lab, ladder_bank *out_bank,
                           kl_error *err);
void ladder_bank_free(ladder_bank *bank);

// A counted number as answers show it: "32,897", "0.0482"; with `decimals` >= 0 that many of them.
char *ladder_page_number(double value, int decimals, char *text, size_t text_bytes);
