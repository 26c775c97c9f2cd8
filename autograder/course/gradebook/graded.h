// SPDX-License-Identifier: MIT
// What `ladder grade --gradebook` and `ladder regrade` do with a book: before grading they take its
// policy and overrides, behind it they enter the grades, or say who moves by a changed rubric.
#ifndef LADDER_GRADEBOOK_GRADED_H
#define LADDER_GRADEBOOK_GRADED_H

#include "course/class/exports.h"
#include "course/gradebook/book.h"

// What the command line says of the book.
typedef struct ladder_graded_options {
    const char *file;   // of the book; NULL: none, and nothing is done
    const char *who;    // NULL: the user
    const char *counts; // a word of LADDER_COUNTS_CHOICES; NULL: as the book has it
    int64_t attempts;   // that count; -1: as the book has it
    bool regrade;       // attempts that are there get new grades, if applied
    bool apply;         // of a regrade: enter the new grades
} ladder_graded_options;

// Keeps what the options say of the lab's policy, reads the rest of it into *late (which is the
// options' own where it is given), and fills the own due dates of list, the overrides of
// changes and what persons gave, also as points of changes: [count].
kl_status ladder_graded_before(const ladder_graded_options *options, const ladder_lab *lab,
                               ladder_submission *list, size_t count, ladder_late_policy *late,
                               ladder_points_change *changes, ladder_given *given, kl_error *err);

// Writes the tables of course systems from a lab's marks in an open book: a line per student.
// *out_exported: as ladder_grade_exports_put.
kl_status ladder_graded_export(ladder_book *book, const ladder_lab *lab,
                               const ladder_grade_exports *exports, const char *output,
                               bool *out_exported, kl_error *err);
// The same from the options' book.
kl_status ladder_graded_export_file(const ladder_graded_options *options, const ladder_lab *lab,
                                    const ladder_grade_exports *exports, const char *output,
                                    bool *out_exported, kl_error *err);

// Enters the grades in one transaction and says what became of them.
kl_status ladder_graded_after(const ladder_graded_options *options,
                              const ladder_grade_results *graded, const kl_style *style, FILE *out,
                              kl_error *err);

// Sets the words of a policy that are given: counts, attempts. KL_ERROR_USAGE for what is none.
kl_status ladder_graded_policy(const char *counts, int64_t attempts, ladder_book_policy *policy,
                               kl_error *err);

#endif
