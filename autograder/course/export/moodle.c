// SPDX-License-Identifier: MIT
// Offline grading worksheet for Moodle: the downloaded one with "Grade" and "Feedback comments"
// filled in (https://docs.moodle.org/en/Offline_grading_worksheet). Its importer
// (mod/assign/feedback/offline/importgradeslib.php of https://github.com/moodle/moodle) finds rows
// by "Identifier" and refuses marks that were changed since "Last modified (grade)", so these, like
// all other columns, stay as they are. Begins with a byte order mark, without which Excel does not
// read UTF-8.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "course/export/hundredths.h"
#include "course/export/roster.h"

static const char mark_of_order[] = "\xEF\xBB\xBF";

// Without a roster: for the gradebook's own import (Grades, Import, CSV file), which maps columns
// by hand.
static kl_status write_plain(const ladder_export_table *table, FILE *out) {
    char text[32];
    fputs(mark_of_order, out);
    fputs("\"Identifier\",\"Grade\",\"Maximum Grade\",\"Feedback comments\"\r\n", out);
    for (size_t i = 0; i < table->count; i++) {
        const ladder_export_line *mark = &table->marks[i];
        if (!ladder_points_are_final(&mark->points)) continue;
        ladder_csv_put(out, mark->title);
        fprintf(out, ",%s",
                ladder_hundredths_text(ladder_hundredths_of(ladder_points_final(&mark->points)),
                                       text, sizeof text));
        fprintf(out, ",%s,",
                ladder_hundredths_text(ladder_hundredths_of(mark->points.most), text, sizeof text));
        ladder_csv_put(out, mark->feedback);
        fputs("\r\n", out);
    }
    return KL_OK;
}

typedef struct sheet {
    ladder_roster roster;
    int grade, most, feedback, changeable; // columns; -1: none
} sheet;

static kl_status open_sheet(sheet *s, const ladder_export_table *table, kl_error *err) {
    TRY(ladder_roster_read(table->roster, &s->roster, err));
    const ladder_csv *csv = &s->roster.sheet.csv;
    s->grade = ladder_csv_column(csv, "Grade");
    s->most = ladder_csv_column(csv, "Maximum Grade"); // letter case differs between versions
    s->feedback = ladder_csv_column(csv, "Feedback comments");
    s->changeable = ladder_csv_column(csv, "Grade can be changed");
    if (s->grade < 0 || ladder_csv_column(csv, "Identifier") < 0) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is no grading worksheet of Moodle: it has no columns \"Identifier\" and "
                       "\"Grade\"; in Moodle, with English as language: the assignment, "
                       "Submissions, Download grading worksheet",
                       table->roster);
    }
    return ladder_roster_match(&s->roster, table, err);
}

// The mark in the worksheet's own scale; without one, in points.
static char *grade_text(const sheet *s, size_t row, const ladder_export_line *mark, char *text,
                        size_t text_bytes) {
    int64_t points = ladder_hundredths_of(ladder_points_final(&mark->points)),
            full = ladder_hundredths_of(mark->points.most);
    const char *cell =
        s->most < 0 ? "" : ladder_csv_cell(&s->roster.sheet.csv, row, (size_t)s->most);
    char number[32];
    snprintf(number, sizeof number, "%s", cell);
    for (char *c = number; *c != '\0'; c++)
        if (*c == ',') *c = '.'; // "100,00" of other countries
    int64_t most = ladder_hundredths_of(strtod(number, NULL));
    return ladder_hundredths_text(most > 0 ? ladder_hundredths_scale(points, full, most) : points,
                                  text, text_bytes);
}

static void put_row(const sheet *s, const ladder_export_table *table, size_t row, FILE *out) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    size_t columns = csv->rows[0].count, i = s->roster.mark_of[row];
    const ladder_export_line *mark = i != LADDER_ROSTER_NOBODY ? &table->marks[i] : NULL;
    if (mark && !ladder_points_are_final(&mark->points)) mark = NULL;
    char grade[32];
    for (size_t c = 0; c < columns; c++) {
        const char *cell = ladder_csv_cell(csv, row, c);
        if (mark && (int)c == s->grade) cell = grade_text(s, row, mark, grade, sizeof grade);
        if (mark && (int)c == s->feedback) cell = mark->feedback;
        if (c > 0) fputc(csv->separator, out);
        ladder_csv_put(out, cell);
    }
    fputs("\r\n", out);
}

// Marks that Moodle will leave out: they are locked or overridden there.
static size_t count_locked(const sheet *s, const ladder_export_table *table) {
    size_t locked = 0;
    for (size_t r = 1; s->changeable >= 0 && r < s->roster.sheet.csv.row_count; r++) {
        size_t i = s->roster.mark_of[r];
        const char *cell = ladder_csv_cell(&s->roster.sheet.csv, r, (size_t)s->changeable);
        if (i == LADDER_ROSTER_NOBODY || strcasecmp(cell, "No") != 0) continue;
        locked++;
        if (table->notes)
            fprintf(table->notes, "  locked in Moodle, which will not take the mark: line %d\n",
                    s->roster.sheet.csv.rows[r].line);
    }
    return locked;
}

kl_status ladder_export_moodle(const ladder_export_table *table, FILE *out, kl_error *err) {
    if (!table->roster) return write_plain(table, out);
    sheet s = {.grade = -1};
    kl_status status = open_sheet(&s, table, err);
    if (status == KL_OK) {
        fputs(mark_of_order, out);
        for (size_t r = 0; r < s.roster.sheet.csv.row_count; r++) put_row(&s, table, r, out);
        size_t lost = s.roster.lost + count_locked(&s, table);
        if (table->out_matched) *table->out_matched = s.roster.matched;
        if (table->out_lost) *table->out_lost = lost;
    }
    ladder_roster_free(&s.roster);
    return status;
}
