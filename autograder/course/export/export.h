// SPDX-License-Identifier: MIT
// A grade in the files of other systems (formats.def). One submission's file is written from its
// report, a class's table from its marks. Every text that a submission may have written is cleaned
// for its sink and cut with a note.
#ifndef LADDER_EXPORT_EXPORT_H
#define LADDER_EXPORT_EXPORT_H

#include <stdio.h>

#include "course/people/person.h"
#include "show/report/report.h"

// A format of formats.def.
typedef enum ladder_export_format {
#define LADDER_EXPORT_ONE(name, function, file, says_ungradable, what) LADDER_EXPORT_##name,
#define LADDER_EXPORT_TABLE(name, function, file, what)                LADDER_EXPORT_##name,
#include "course/export/formats.def"
#undef LADDER_EXPORT_ONE
#undef LADDER_EXPORT_TABLE
    LADDER_EXPORTS
} ladder_export_format;

// One submission, for a table.
typedef struct ladder_export_line {
    const char *title;        // of the submission, or the name of one of those who handed it in
    const ladder_person *who; // the student; NULL: whom the title names
    ladder_points points;     // of which the final ones count
    const char *feedback;     // one line for the student
} ladder_export_line;

// What a table is written from.
typedef struct ladder_export_table {
    const ladder_lab *lab;           // whose marks these are
    const ladder_export_line *marks; // [count]
    size_t count;                    // of marks
    const char *roster; // path of the sheet that was downloaded from the system; NULL: none
    const char
        *assignment;     // title of the column that gets the marks; NULL: found by the lab's name
    FILE *notes;         // who was not found, in words; NULL: nobody asks
    size_t *out_lost;    // marks that are not entered
    size_t *out_matched; // marks that found their student; NULL: nobody asks
    size_t *out_odd;     // marks that are written and need a look; NULL: nobody asks
} ladder_export_table;

const char *ladder_export_name(ladder_export_format format); // "gradescope"
const char *ladder_export_file(ladder_export_format format); // "gradescope.json"
bool ladder_export_is_table(ladder_export_format format);    // of a class
// "gradescope|prairielearn|..", for help and errors.
const char *ladder_export_names(void);

// One `--export FORMAT[=FILE]`. *out_file points into `text`, or is NULL. KL_ERROR_USAGE for a
// format that there is not.
kl_status ladder_export_parse(const char *text, ladder_export_format *out_format,
                              const char **out_file, kl_error *err);

// Whether the format can say what became of this submission (see SAYS_UNGRADABLE in formats.def).
bool ladder_export_fits(ladder_export_format format, const ladder_result *result);

// Writes the file of a format that is not a table. KL_ERROR_SYSTEM when it does not fit the result.
kl_status ladder_export_write(ladder_export_format format, const ladder_report *report, FILE *out,
                              kl_error *err);
// Writes the table of a class. Marks that find no student are told to `notes` and counted.
kl_status ladder_export_write_table(ladder_export_format format, const ladder_export_table *table,
                                    FILE *out, kl_error *err);

#define LADDER_EXPORT_ONE(name, function, file, says_ungradable, what)                             \
    kl_status function(const ladder_report *report, FILE *out, kl_error *err);
#define LADDER_EXPORT_TABLE(name, function, file, what)                                            \
    kl_status function(const ladder_export_table *table, FILE *out, kl_error *err);
#include "course/export/formats.def"
#undef LADDER_EXPORT_ONE
#undef LADDER_EXPORT_TABLE

#endif
