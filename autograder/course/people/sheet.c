// SPDX-License-Identifier: MIT
// A sheet with a line per student: see sheet.h.
#include "course/people/sheet.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "grade/intake/late.h"
#include "utilities/text.h"

typedef enum column_kind { NAME, FIRST, LAST, ID, LOGIN, ALIAS, GROUP, TIME } column_kind;

static const struct {
    column_kind kind;
    const char *title;
} titles[] = {
#define PEOPLE_COLUMN(kind, title) {kind, title},
#include "course/people/columns.def"
#undef PEOPLE_COLUMN
};
enum { TITLES = sizeof titles / sizeof titles[0] };

static bool find_month(const char *word, size_t length, int *out_month) {
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    for (int m = 0; m < 12; m++) {
        bool whole = strlen(months[m]) == length || length == 3;
        if (!whole || strncasecmp(months[m], word, length) != 0) continue;
        *out_month = m;
        return true;
    }
    return false;
}

bool ladder_sheet_time(const char *text, double *out_s) {
    char month[16], half[3] = "";
    struct tm when = {.tm_isdst = -1};
    if (ladder_time_read(text, out_s)) return true;
    const char *comma = strchr(text, ',');
    if (!comma ||
        sscanf(comma + 1, " %2d %15[A-Za-z] %4d, %2d:%2d %2[AaPpMm]", &when.tm_mday, month,
               &when.tm_year, &when.tm_hour, &when.tm_min, half) < 5 ||
        !find_month(month, strlen(month), &when.tm_mon) || when.tm_year < 1970)
        return false;
    if (half[0] != '\0')
        when.tm_hour = when.tm_hour % 12 + (half[0] == 'p' || half[0] == 'P' ? 12 : 0);
    when.tm_year -= 1900;
    *out_s = (double)mktime(&when);
    return true;
}

// The cell of a column with this title, made printable; "" where there is none.
static char *cell_of(const ladder_csv *csv, size_t row, const char *title, char *out,
                     size_t out_bytes) {
    int column = ladder_csv_column(csv, title);
    const char *cell = column >= 0 ? ladder_csv_cell(csv, row, (size_t)column) : "";
    ladder_plain(cell + strspn(cell, " \t"), false, out, out_bytes);
    for (size_t used = strlen(out); used > 0 && out[used - 1] == ' ';) out[--used] = '\0';
    return out;
}

static void take_cell(ladder_sheet_student *one, column_kind kind, const char *title,
                      const char *cell) {
    char *name = one->who.name;
    size_t used = strlen(name);
    double time_s = 0;
    switch (kind) {
    case NAME:
        if (used == 0) snprintf(name, LADDER_TITLE, "%s", cell);
        break;
    case FIRST:
    case LAST: snprintf(name + used, LADDER_TITLE - used, "%s%s", used > 0 ? " " : "", cell); break;
    case ID:
    case LOGIN: {
        bool number = ladder_participant(cell); // another in each assignment
        if (one->key[0] == '\0' && !number) snprintf(one->key, sizeof one->key, "%.127s", cell);
        if (kind == LOGIN && one->login[0] == '\0' && !number)
            snprintf(one->login, sizeof one->login, "%.127s", cell);
        ladder_person_add(&one->who, cell);
        break;
    }
    case ALIAS: ladder_person_add(&one->who, cell); break;
    case GROUP: {
        char *group = strcmp(title, "student_repository_name") == 0 ? one->repository : one->group;
        if (group[0] == '\0') snprintf(group, LADDER_TITLE, "%s", cell);
        break;
    }
    case TIME:
        if (one->submitted_s == 0 && ladder_sheet_time(cell, &time_s)) one->submitted_s = time_s;
        break;
    }
}

static bool has_column(const ladder_csv *csv, column_kind kind) {
    for (int t = 0; t < TITLES; t++)
        if (titles[t].kind == kind && ladder_csv_column(csv, titles[t].title) >= 0) return true;
    return false;
}

// One line; false: it is about no student.
static bool take_row(const ladder_sheet *sheet, size_t row, ladder_sheet_student *out) {
    char cell[LADDER_TITLE];
    *out = (ladder_sheet_student){.row = row};
    for (int t = 0; t < TITLES; t++) {
        cell_of(&sheet->csv, row, titles[t].title, cell, sizeof cell);
        bool part = titles[t].kind == FIRST || titles[t].kind == LAST;
        if (cell[0] == '\0' || (part && has_column(&sheet->csv, NAME))) continue;
        take_cell(out, titles[t].kind, titles[t].title, cell);
    }
    bool canvas = ladder_csv_column(&sheet->csv, "Section") >= 0;
    if (canvas && strcasecmp(out->who.name, "Student, Test") == 0) return false;
    if (out->key[0] == '\0' && out->who.ids[0] != '\0') { // a participant's number alone
        const char *at = out->who.ids;
        ladder_person_next(&at, cell);
        snprintf(out->key, sizeof out->key, "%.127s", cell);
    }
    return out->key[0] != '\0'; // "Points Possible" has none
}

static kl_status take_rows(ladder_sheet *sheet, const char *path, kl_error *err) {
    const ladder_csv *csv = &sheet->csv;
    bool name = has_column(csv, NAME) || has_column(csv, LAST);
    bool id = has_column(csv, ID) || has_column(csv, LOGIN);
    sheet->has_groups = has_column(csv, GROUP);
    sheet->has_times = has_column(csv, TIME);
    if (!id || !(name || sheet->has_groups || sheet->has_times))
        return kl_fail(
            err, KL_ERROR_INPUT,
            "%s: no columns that name students: expected a gradebook of Canvas, a grading "
            "worksheet of Moodle, or a CSV file whose first line has ID, Name, and Login or "
            "Email",
            path);
    sheet->list = calloc(csv->row_count + 1, sizeof *sheet->list);
    if (!sheet->list) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a sheet");
    for (size_t r = 1; r < csv->row_count; r++)
        sheet->count += take_row(sheet, r, &sheet->list[sheet->count]);
    return sheet->count > 0 ? KL_OK : kl_fail(err, KL_ERROR_INPUT, "%s names no student", path);
}

kl_status ladder_sheet_read(const char *path, ladder_sheet *out_sheet, kl_error *err) {
    memset(out_sheet, 0, sizeof *out_sheet);
    TRY(ladder_csv_read(path, &out_sheet->csv, err));
    kl_status status = take_rows(out_sheet, path, err);
    if (status != KL_OK) ladder_sheet_free(out_sheet);
    return status;
}

void ladder_sheet_free(ladder_sheet *sheet) {
    ladder_csv_free(&sheet->csv);
    free(sheet->list);
    memset(sheet, 0, sizeof *sheet);
}
