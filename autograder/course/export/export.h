// A grade in the files of other systems (formats.def). One submission's file is written from its
// report, a class's table from its marks. Every text that a submission may have written is cleaned
// for its sink and cut with a note.
#pragma once

#include "learn/predict/predict.h"
#include "course/people/people.h"
#include "show/report/report.h"

// ---- export.c -----------------------------------------------------------------------------------

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

const char *ladder_export_names(void);                       // "json, gradescope, ..": all
const char *ladder_export_tables(void);                      // those of a class
const char *ladder_export_name(ladder_export_format format); // "gradescope"
const char *ladder_export_file(ladder_export_format format); // "gradescope.json"
bool ladder_export_is_table(ladder_export_format format);    // of a class

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

// ---- roster.c -----------------------------------------------------------------------------------
// The sheet of a class as a course's system gives it, and which mark is whose. Nothing is guessed:
// a mark that fits two students, or a student whom two marks fit, is told and not entered.

// A roster, and whose each mark is.
typedef struct ladder_roster {
    ladder_sheet sheet; // as it was read
    bool *is_student;   // [sheet.csv.row_count]: false for the head and rows about the assignment
    size_t *mark_of;    // [row_count]: index of the student's mark, or LADDER_ROSTER_NOBODY
    size_t lost;        // marks that no row got
    size_t matched;     // marks that found one student
    size_t odd;         // marks in rows that somebody should look at
    size_t column;      // of the marks
    char decimal;       // of its numbers: '.' or ','; 0: not shown by any
    int64_t most;       // points possible, in hundredths; 0: not known
    bool takes_percent; // the system reads "98%" as a part of the points possible
    bool takes_bonus;   // and marks above the points possible
} ladder_roster;

// In place of a row: nobody of the roster.
#define LADDER_ROSTER_NOBODY ((size_t)-1)

// Reads the table's roster. Freed in any case.
kl_status ladder_roster_read(const char *path, ladder_roster *out_roster, kl_error *err);
void ladder_roster_free(ladder_roster *roster);

// Gives each student a mark (course/people/people.h). Who is not found is told to table->notes.
kl_status ladder_roster_match(ladder_roster *roster, const ladder_export_table *table,
                              kl_error *err);

// The number in a cell of the sheet. KL_ERROR_INPUT with the table's path, line and column where it
// is in doubt ("1,000").
kl_status ladder_roster_number(const ladder_roster *roster, const ladder_export_table *table,
                               size_t row, size_t column, ladder_number *out_number, kl_error *err);

// Reads the numbers that the students have in roster->column: none may be in doubt.
kl_status ladder_roster_check(const ladder_roster *roster, const ladder_export_table *table,
                              kl_error *err);

// Whether a mark, in hundredths, may take the place of what the row has. A word, such as Canvas's
// EX of who is excused, stays, as does all where the system refuses the mark: it counts as lost.
// That a mark is less than the old one is told.
bool ladder_roster_takes(ladder_roster *roster, const ladder_export_table *table, size_t row,
                         int64_t mark);

// The cell of a row that keeps its mark, without thousands separators, which importers take for
// decimal marks; with `decimal`. One above roster->most is told and counts as odd. Returns the cell
// or text.
const char *ladder_roster_kept(ladder_roster *roster, const ladder_export_table *table, size_t row,
                               char decimal, char *text, size_t text_bytes);

// Tells the table how many marks are lost, found their student, and need a look.
void ladder_roster_count(const ladder_roster *roster, const ladder_export_table *table);

// ---- questions.c --------------------------------------------------------------------------------
// Writes a ZIP archive (PKWARE's APPNOTE.TXT 6.3, method "stored"). Same files, same bytes: the
// dates are those of the format's beginning.

// A file of an archive.
typedef struct ladder_zip_file {
    const char *name; // folders are made by its slashes
    const char *data; // [bytes]
    size_t bytes;     // of data; below 4 GiB with all others
    bool program;     // may be executed
} ladder_zip_file;

enum { LADDER_ZIP_FILES = 65535 }; // at most: a count of two bytes

// count <= LADDER_ZIP_FILES. What could not be written is seen in the stream. KL_ERROR_LIMIT: more
// than the format holds.
kl_status ladder_zip_write(const ladder_zip_file *files, size_t count, FILE *out, kl_error *err);

// ---- questions.c --------------------------------------------------------------------------------
// A lab's questions as question banks of course systems take them. Numbers that are whole must be
// exact, others come within 1 %. What could not be written is seen in the stream.

// Moodle XML.
void ladder_questions_moodle(const ladder_bank *bank, FILE *out);
// A package of QTI 2.1: a zip archive with a file per question.
kl_status ladder_questions_qti(const ladder_bank *bank, FILE *out, kl_error *err);
