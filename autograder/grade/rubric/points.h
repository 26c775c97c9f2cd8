// SPDX-License-Identifier: MIT
// The points of a graded submission. Here alone they become final ones: what being late takes away,
// and what an instructor put in their place. Tables, pages, exports and the gradebook ask here.
#ifndef LADDER_RUBRIC_POINTS_H
#define LADDER_RUBRIC_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What changes points after grading; all 0: nothing does.
typedef struct ladder_points_change {
    int late_days;     // begun after the due date
    double late_share; // of the points, that being late costs, 0 .. 1
    double due_s;      // the student's own due date, seconds since 1970; 0: that of the class
    bool overridden;   // an instructor decided
    double override;   // then: the points in place of all others, of `most`
    // By a person (grade/rubric/manual_marks.h): points, what their criteria can earn, and what
    // those can that are not marked yet; a hash of all that was given, 0: nothing.
    double given, given_most, unmarked;
    uint64_t given_hash;
} ladder_points_change;

// Points, as graded and what changes them.
typedef struct ladder_points {
    bool graded;                 // false: it could not be graded, and `reached` counts nothing
    double reached, most;        // as graded, with what a person gave
    ladder_points_change change; // late, overridden
} ladder_points;

// What changes points is this from now on: what a person gave moves the points as graded.
void ladder_points_apply(ladder_points *points, const ladder_points_change *change);

// An override replaces the points and the deduction. final and final_score are NaN for
// what has neither been graded nor overridden; scores (0 .. 100) also where `most` is 0.
double ladder_points_score(const ladder_points *points);     // as graded
double ladder_points_deduction(const ladder_points *points); // of the points, for being late
double ladder_points_final(const ladder_points *points);
double ladder_points_final_score(const ladder_points *points);
// Whether there is a final mark, and whether it is another than the points as graded.
bool ladder_points_are_final(const ladder_points *points);
bool ladder_points_changed(const ladder_points *points);

enum { LADDER_POINTS_TEXT = 280 };
// "2 days late: -8.00; final: 32.00 of 50.00 points (64.0 %)", "set by the instructor: 45.00; ..":
// what became of the points, behind the student's own due date and "10 points are not marked yet
// and count neither way"; "" when there is none of them. Returns text.
char *ladder_points_text(const ladder_points *points, char *text, size_t text_bytes);

#endif
