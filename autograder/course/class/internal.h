// One submission of a class that is being graded.
#pragma once

#include "course/class/class.h"

// ---- submission.c -------------------------------------------------------------------------------

enum { LADDER_CLASS_DOING = 96 };

// How the class is graded this time.
typedef struct ladder_class_mode {
    bool resume;        // what is finished and unchanged is kept
    bool collect;       // nothing is graded: what is not finished gets a row that is not done
    ladder_row_key key; // of the rows
    ladder_sandbox_words sandbox; // in which steps run
    char *doing; // [LADDER_CLASS_DOING], of a worker: what it does now; NULL: nobody looks
} ladder_class_mode;

// Grades a submission, writes its reports and, last, its row; or keeps those of an earlier run.
kl_status ladder_class_submission(const ladder_class *class, const ladder_class_mode *mode,
                                  const ladder_submission *submission, ladder_row *out_row,
                                  bool *out_kept, kl_error *err);

// The result of a submission with which two workers have died, the last with this status of
// waitpid(2). None of its files is looked at.
void ladder_class_broken(const ladder_class *class, const ladder_class_mode *mode,
                         const ladder_submission *submission, int status, ladder_row *out_row);

// ---- run.c --------------------------------------------------------------------------------------
// The line of progress of a terminal: how far a class is.

typedef struct ladder_progress {
    size_t count;      // submissions
    size_t finished;   // of which
    size_t graded;     // of these, in this run: the others were graded before and cost nothing
    double seconds;    // since this run began
    const char *title; // the last one
} ladder_progress;

// "about 12 min left": what is left at the rate of this run; "" while nothing tells. Returns text.
char *ladder_progress_left(const ladder_progress *progress, char *text, size_t text_bytes);

// "graded 12 of 200  [####......]  about 12 min left  ann", at most `width` columns. Returns text.
char *ladder_progress_line(const ladder_progress *progress, int width, char *text,
                           size_t text_bytes);

// ---- exports.c ----------------------------------------------------------------------------------
// A row of the class as the mark that a table of another system gets (course/export/export.h).

// "step 1: 8 of 8; step 2: 0 of 6 (wrong answer); 1 day late: -0.80; final: ..": what a table says
// to its student. Of a step with criteria that this rubric hides not the points, which have theirs.
// NULL: no memory. Caller frees.
char *ladder_row_feedback(const ladder_row *row, const ladder_rubric *rubric);

// The final mark with its feedback, as long-lived as row, who and feedback.
ladder_export_line ladder_row_export(const ladder_row *row, const ladder_person *who,
                                     const char *feedback);
