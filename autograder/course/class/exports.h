// SPDX-License-Identifier: MIT
// `--export FORMAT[=FILE]` of `ladder grade`: what was asked for, and what is done about it once
// the submissions are graded.
#ifndef LADDER_CLASS_EXPORTS_H
#define LADDER_CLASS_EXPORTS_H

#include "course/class/rows.h"
#include "utilities/options.h"
#include "course/export/export.h"
#include "grade/submission/submission.h"

// What --export asks for.
typedef struct ladder_grade_exports {
    ladder_texts texts;              // as given, one per --export
    const char *roster, *assignment; // of the command line; NULL: not given
    struct {
        ladder_export_format format;
        const char *file;      // NULL: the format's own name, among the results
    } asked[LADDER_TEXTS_MAX]; // [texts.count], as read
    unsigned formats;          // of the files that each submission gets, a bit each
    bool to_stdout;            // one goes there, and words for people do not
} ladder_grade_exports;

// The graded submissions.
typedef struct ladder_grade_results {
    const ladder_lab *lab;                // whose submissions were graded
    const char *output;                   // folder of the results
    const ladder_submission *submissions; // [count]
    const ladder_row *rows;               // [count], of the same submissions
    size_t count;                         // submissions
    bool class;                           // --submissions
} ladder_grade_results;

// Reads the texts; before anything is graded. KL_ERROR_USAGE for what cannot be done.
kl_status ladder_grade_exports_read(ladder_grade_exports *exports, bool class, kl_error *err);

// Writes the tables of the class, a line per student, and says where they lie. *out_exported
// becomes false where a mark found no student.
kl_status ladder_grade_exports_tables(const ladder_grade_exports *exports,
                                      const ladder_grade_results *results, bool *out_exported,
                                      kl_error *err);

// Copies the files of a submission that were named, and says where all of them lie. *out_exported
// becomes false where a file could not say what became of its submission.
kl_status ladder_grade_exports_put(const ladder_grade_exports *exports,
                                   const ladder_grade_results *results, bool *out_exported,
                                   kl_error *err);

#endif
