// SPDX-License-Identifier: MIT
// What a person gives beside what is measured: points for criteria that nothing counts (code
// quality, a written answer), and comments on lines. Which criteria a lab has is the course's own
// (ladder gradebook criterion); they are no part of lab.json, so that they change no grade.
#ifndef LADDER_RUBRIC_MANUAL_MARKS_H
#define LADDER_RUBRIC_MANUAL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "grade/rubric/points.h"

enum {
    LADDER_GIVEN_MAX = 8,     // criteria of one lab that persons mark
    LADDER_COMMENTS_MAX = 24, // comments on lines, of one submission
    LADDER_GIVEN_NAME = 32,   // bytes of a criterion's name
    LADDER_GIVEN_TEXT = 400   // bytes of what a person writes at one place
};

// A criterion, and what a person gave for it.
typedef struct ladder_given_criterion {
    char name[LADDER_GIVEN_NAME];    // "quality": one word
    char text[160];                  // what it asks for, for people
    double most;                     // points that it can earn
    bool marked;                     // false: not marked yet, and part of no total
    double points;                   // that were given, when marked
    char comment[LADDER_GIVEN_TEXT]; // on the whole; "": none
} ladder_given_criterion;

// A comment on one line of a step's file.
typedef struct ladder_line_comment {
    char file[96];                // "3_sequential.cu"
    uint32_t line;                // from 1
    char text[LADDER_GIVEN_TEXT]; // what is said of it
} ladder_line_comment;

// All that persons gave to one submission.
typedef struct ladder_given {
    int count;                                         // of items
    ladder_given_criterion items[LADDER_GIVEN_MAX];    // in the order in which they were made
    int comment_count;                                 // of comments
    ladder_line_comment comments[LADDER_COMMENTS_MAX]; // by file and line
} ladder_given;

// Their sums, and a hash of all of it, as what changes points; the other members stay.
void ladder_given_sum(const ladder_given *given, ladder_points_change *change);

// "quality: 8 of 10 points. good names"; "quality: not marked yet (10 points)". Returns text.
char *ladder_given_say(const ladder_given_criterion *item, char *text, size_t text_bytes);

#endif
