// SPDX-License-Identifier: MIT
// Gradebook CSV for Canvas: the columns that say who a student is, as Canvas exported them, and the
// column of one assignment. What its importer asks for is in lib/gradebook_importer.rb of
// https://github.com/instructure/canvas-lms: "Student" and "ID" first, "Section" last before
// assignments, a row "Points Possible", an assignment as "Title (id)". A cell that is left empty
// would take a mark away, so a student without one keeps what the sheet has.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "course/export/hundredths.h"
#include "course/export/roster.h"

static const char *const head[] = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
enum { HEAD = sizeof head / sizeof head[0] };

static const char *wanted_title(const ladder_export_table *table) {
    return table->assignment ? table->assignment : table->lab->folder;
}

// Of a member of a group the first id; else the title can be one.
static const char *login_of(const ladder_export_line *mark, char login[LADDER_TITLE]) {
    const char *ids = mark->who && mark->who->words[0] == '\0' ? mark->who->ids : "";
    return ladder_person_next(&ids, login) ? login : mark->title;
}

// Without a roster: Canvas looks for the login, then for the name.
static kl_status write_plain(const ladder_export_table *table, FILE *out) {
    char text[32];
    int64_t most = 0;
    for (size_t i = 0; i < table->count; i++) {
        int64_t here = ladder_hundredths_of(table->marks[i].points.most);
        if (ladder_points_are_final(&table->marks[i].points) && here > most) most = here;
    }
    for (int c = 0; c < HEAD; c++) fprintf(out, "\"%s\",", head[c]);
    ladder_csv_put(out, wanted_title(table));
    fprintf(out, "\r\n\"    Points Possible\",,,,,%s\r\n",
            ladder_hundredths_text(most, text, sizeof text));
    for (size_t i = 0; i < table->count; i++) {
        const ladder_export_line *mark = &table->marks[i];
        if (!ladder_points_are_final(&mark->points)) continue; // no row: Canvas keeps what it has
        char login[LADDER_TITLE];
        ladder_csv_put(out, mark->title);
        fputs(",,,", out);
        ladder_csv_put(out, login_of(mark, login));
        int64_t scaled =
            ladder_hundredths_scale(ladder_hundredths_of(ladder_points_final(&mark->points)),
                                    ladder_hundredths_of(mark->points.most), most);
        fprintf(out, ",,%s\r\n", ladder_hundredths_text(scaled, text, sizeof text));
    }
    return KL_OK;
}

// Whether a column's title is this one, without the "(id)" that Canvas puts behind.
static bool is_titled(const char *cell, const char *title) {
    size_t length = strlen(title);
    cell += strspn(cell, " ");
    if (strncasecmp(cell, title, length) != 0) return false;
    const char *rest = cell + length + strspn(cell + length, " ");
    if (*rest == '(' && isdigit((unsigned char)rest[1]))
        rest += 1 + strspn(rest + 1, "0123456789") + 1;
    return *rest == '\0' || (*rest == ')' && rest[1] == '\0');
}

typedef struct sheet {
    ladder_roster roster;
    size_t section, assignment; // columns; assignment 0: a new one
    size_t possible;            // row; 0: none
    int64_t most;               // points possible, in hundredths
} sheet;

static void find_assignment(sheet *s, const ladder_export_table *table) {
    const char *titles[] = {wanted_title(table), table->lab->problem->name};
    size_t known = table->assignment ? 1 : 2;
    for (size_t t = 0; t < known && s->assignment == 0; t++)
        for (size_t c = s->section + 1; c < s->roster.sheet.csv.rows[0].count; c++)
            if (s->assignment == 0 &&
                is_titled(ladder_csv_cell(&s->roster.sheet.csv, 0, c), titles[t]))
                s->assignment = c;
}

// The row of points; other rows that are no student's are left out.
static void find_possible(sheet *s) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    for (size_t r = 1; r < csv->row_count && s->possible == 0; r++)
        if (strstr(ladder_csv_cell(csv, r, 0), "Points Possible")) s->possible = r;
}

static void find_most(sheet *s, const ladder_export_table *table) {
    double points =
        s->assignment > 0 && s->possible > 0
            ? strtod(ladder_csv_cell(&s->roster.sheet.csv, s->possible, s->assignment), NULL)
            : 0;
    s->most = ladder_hundredths_of(points);
    for (size_t i = 0; s->most == 0 && i < table->count; i++)
        if (ladder_points_are_final(&table->marks[i].points))
            s->most = ladder_hundredths_of(table->marks[i].points.most);
}

static kl_status open_sheet(sheet *s, const ladder_export_table *table, kl_error *err) {
    TRY(ladder_roster_read(table->roster, &s->roster, err));
    const ladder_csv *csv = &s->roster.sheet.csv;
    int section = ladder_csv_column(csv, "Section"), id = ladder_csv_column(csv, "ID");
    if (section < 0 || id < 0) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is no gradebook of Canvas: it has no columns \"ID\" and \"Section\"; in "
                       "Canvas: Grades, Export, Export Entire Gradebook",
                       table->roster);
    }
    s->section = (size_t)section;
    find_assignment(s, table);
    find_possible(s);
    find_most(s, table);
    if (s->assignment == 0 && table->notes) {
        fprintf(table->notes,
                "  no column \"%s\" in the roster: Canvas will offer to make this assignment "
                "(--assignment TITLE names another)\n",
                wanted_title(table));
    }
    return ladder_roster_match(&s->roster, table, err);
}

static void put_row(const sheet *s, size_t row, const char *value, FILE *out) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    for (size_t c = 0; c <= s->section; c++) {
        ladder_csv_put(out, ladder_csv_cell(csv, row, c));
        fputc(csv->separator, out);
    }
    ladder_csv_put(out, value);
    fputs("\r\n", out);
}

static void write_sheet(const sheet *s, const ladder_export_table *table, FILE *out) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    char text[32];
    put_row(s, 0, s->assignment > 0 ? ladder_csv_cell(csv, 0, s->assignment) : wanted_title(table),
            out);
    if (s->possible > 0)
        put_row(s, s->possible, ladder_hundredths_text(s->most, text, sizeof text), out);
    for (size_t r = 1; r < csv->row_count; r++) {
        if (!s->roster.is_student[r]) continue;
        size_t i = s->roster.mark_of[r];
        const ladder_export_line *mark = i != LADDER_ROSTER_NOBODY ? &table->marks[i] : NULL;
        const char *value = s->assignment > 0 ? ladder_csv_cell(csv, r, s->assignment) : "";
        if (mark && ladder_points_are_final(&mark->points)) {
            value = ladder_hundredths_text(
                ladder_hundredths_scale(ladder_hundredths_of(ladder_points_final(&mark->points)),
                                        ladder_hundredths_of(mark->points.most), s->most),
                text, sizeof text);
        }
        put_row(s, r, value, out);
    }
}

kl_status ladder_export_canvas(const ladder_export_table *table, FILE *out, kl_error *err) {
    if (!table->roster) return write_plain(table, out);
    sheet s = {.assignment = 0};
    kl_status status = open_sheet(&s, table, err);
    if (status == KL_OK) {
        write_sheet(&s, table, out);
        if (table->out_matched) *table->out_matched = s.roster.matched;
        if (table->out_lost) *table->out_lost = s.roster.lost;
    }
    ladder_roster_free(&s.roster);
    return status;
}
