// Offline grading worksheet for Moodle: the downloaded one with "Grade" and "Feedback comments"
// filled in (https://docs.moodle.org/en/Offline_grading_worksheet). Its importer
// (mod/assign/feedback/offline/importgradeslib.php of https://github.com/moodle/moodle) finds rows
// by "Identifier" and refuses marks that were changed since "Last modified (grade)", so these, like
// all other columns, stay as they are. It reads a number up to the first sign that its language
// does not use in numbers, and a decimal point in every language: grades get one, whatever the
// sheet has. Begins with a byte order mark, without which Excel does not read UTF-8.
#include "course/export/internal.h"
#include <strings.h>

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

// The maximum grade of a row, in hundredths; 0: none is told, and marks are in the lab's points.
static kl_status read_most(sheet *s, const ladder_export_table *table, size_t row,
                           int64_t *out_most, kl_error *err) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    char place[160], why[160];
    ladder_number number;
    *out_most = 0;
    if (s->most < 0) return KL_OK;
    TRY(ladder_roster_number(&s->roster, table, row, (size_t)s->most, &number, err));
    *out_most = number.kind == LADDER_NUMBER_VALUE ? ladder_hundredths_of(number.value) : 0;
    if (number.kind == LADDER_NUMBER_BLANK || (!number.percent && *out_most > 0)) return KL_OK;
    return kl_fail(
        err, KL_ERROR_INPUT, "%s: %s: %s: expected the points of the assignment", table->roster,
        ladder_csv_place(csv, row, (size_t)s->most, place, sizeof place),
        ladder_number_fault(&number, ladder_csv_cell(csv, row, (size_t)s->most), why, sizeof why));
}

// All numbers of the sheet, before anything is written.
static kl_status check_numbers(sheet *s, const ladder_export_table *table, kl_error *err) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    size_t first = s->roster.column, last = s->most < 0 ? first : (size_t)s->most;
    int64_t most = 0;
    s->roster.decimal =
        ladder_csv_decimal(csv, first < last ? first : last, first < last ? last : first);
    for (size_t r = 1; r < csv->row_count; r++)
        if (s->roster.is_student[r]) TRY(read_most(s, table, r, &most, err));
    return ladder_roster_check(&s->roster, table, err);
}

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
    if (ladder_csv_column(csv, "Scale") >= 0)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: this assignment is graded by a scale of words, which takes no points: "
                       "set its grade type to Point in Moodle, then download the worksheet again",
                       table->roster);
    s->roster.column = (size_t)s->grade;
    TRY(check_numbers(s, table, err));
    return ladder_roster_match(&s->roster, table, err);
}

// The mark in the worksheet's own scale; without one, in points.
static int64_t grade_of(const sheet *s, const ladder_points *points) {
    int64_t final = ladder_hundredths_of(ladder_points_final(points)), most = s->roster.most;
    return most > 0 ? ladder_hundredths_scale(final, ladder_hundredths_of(points->most), most)
                    : final;
}

static void put_row(sheet *s, const ladder_export_table *table, size_t row, FILE *out) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    size_t columns = csv->rows[0].count, i = s->roster.mark_of[row];
    const ladder_export_line *mark = i != LADDER_ROSTER_NOBODY ? &table->marks[i] : NULL;
    if (mark && !ladder_points_are_final(&mark->points)) mark = NULL;
    char grade[64], kept[64];
    const char *old = ladder_csv_cell(csv, row, s->roster.column);
    if (s->roster.is_student[row]) {
        kl_error checked; // check_numbers has seen it
        read_most(s, table, row, &s->roster.most, &checked);
        if (mark) ladder_hundredths_text(grade_of(s, &mark->points), grade, sizeof grade);
        if (mark && !ladder_roster_takes(&s->roster, table, row, grade_of(s, &mark->points)))
            mark = NULL;
        if (!mark) old = ladder_roster_kept(&s->roster, table, row, '.', kept, sizeof kept);
    }
    char separator = csv->separator == '\t' ? ',' : csv->separator; // what Moodle takes by itself
    for (size_t c = 0; c < columns; c++) {
        const char *cell = ladder_csv_cell(csv, row, c);
        if ((int)c == s->grade) cell = mark ? grade : old;
        if (mark && (int)c == s->feedback) cell = mark->feedback;
        if (c > 0) fputc(separator, out);
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
        s.roster.lost += count_locked(&s, table);
        ladder_roster_count(&s.roster, table);
    }
    ladder_roster_free(&s.roster);
    return status;
}
