// SPDX-License-Identifier: MIT
// The mark of a graded submission. Here alone points become a final mark: what being late takes
// away, and what an instructor put in its place. Tables, pages, exports and the gradebook ask here.
#ifndef LADDER_RUBRIC_MARK_H
#define LADDER_RUBRIC_MARK_H

#include <stdbool.h>
#include <stddef.h>

// What changes a mark after grading; all 0: nothing does.
typedef struct ladder_mark_change {
    int late_days;     // begun after the due date
    double late_share; // of the points, that being late costs, 0 .. 1
    double due_s;      // the student's own due date, seconds since 1970; 0: that of the class
    bool overridden;   // an instructor decided
    double override;   // then: the points in place of all others, of points_max
} ladder_mark_change;

// A mark, and how it came about.
typedef struct ladder_mark {
    bool graded, scored; // graded: it has points; scored: it has a final mark
    int late_days;       // begun after the due date
    double due_s;        // the student's own due date, seconds since 1970; 0: that of the class
    bool overridden;     // an instructor decided
    double points, points_max; // as graded
    double deduction;          // of points, for being late
    double override;           // points; NaN: none
    double final_points;       // of points_max; NaN when not scored
    double final_score;        // 0 .. 100; NaN when not scored or points_max is 0
} ladder_mark;

// graded: false for a submission that could not be graded, whose points count nothing. An override
// stands in place of the points and of the deduction.
ladder_mark ladder_mark_make(bool graded, double points, double points_max,
                             const ladder_mark_change *change);

// Whether the final mark is another than the points as graded.
bool ladder_mark_changed(const ladder_mark *mark);

enum { LADDER_MARK_TEXT = 200 };
// "2 days late: -8.00; final: 32.00 of 50.00 points (64.0 %)", "set by the instructor: 45.00; ..":
// what became of the points, behind the student's own due date; "" when there is neither. Returns
// text.
char *ladder_mark_text(const ladder_mark *mark, char *text, size_t text_bytes);

#endif
