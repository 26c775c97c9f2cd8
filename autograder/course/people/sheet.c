// A sheet with a line per student: see people.h.
#include "course/people/people.h"
#include "grade/intake/intake.h"
#include <strings.h>

typedef enum column_kind { NAME, FIRST, LAST, ID, LOGIN, ALIAS, GROUP, TIME, FILES } column_kind;

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

// The cell of a column with this title, made printable, without the ="0012" that keeps a
// spreadsheet from cutting zeros off; "" where there is none.
static char *cell_of(const ladder_csv *csv, size_t row, const char *title, char *out,
                     size_t out_bytes) {
    int column = ladder_csv_column(csv, title);
    const char *cell = column >= 0 ? ladder_csv_cell(csv, row, (size_t)column) : "";
    for (size_t blank; (blank = ladder_blank_bytes(cell)) > 0;) cell += blank;
    cell += *cell == '#' && ladder_csv_column(csv, "OrgDefinedId") >= 0; // Brightspace's "#ann"
    bool formula = strncmp(cell, "=\"", 2) == 0;
    ladder_plain(cell + (formula ? 2 : 0), false, out, out_bytes);
    size_t used = strlen(out);
    if (formula && used > 0 && out[used - 1] == '"') out[--used] = '\0';
    while (used > 0 && out[used - 1] == ' ') out[--used] = '\0';
    return out;
}

// "4711" of "4711.0", as a program writes that took the ids for fractions, and of "4,711".
// False: it is no whole number in another notation.
static bool whole_number(const char *cell, char out[LADDER_TITLE]) {
    ladder_number n = ladder_number_read(cell, 0);
    size_t digits = strspn(cell, "0123456789");
    bool zeros = digits > 0 && cell[digits] != '\0' && strchr(".,", cell[digits]) &&
                 cell[digits + 1] != '\0' &&
                 cell[digits + 1 + strspn(cell + digits + 1, "0")] == '\0';
    if (zeros && n.kind == LADDER_NUMBER_VALUE) {
        snprintf(out, LADDER_TITLE, "%.*s", (int)digits, cell);
        return true;
    }
    bool grouped = n.kind == LADDER_NUMBER_EITHER ||
                   (n.kind == LADDER_NUMBER_VALUE && n.digits == 0 && !n.plain && !n.percent);
    double value = n.kind == LADDER_NUMBER_EITHER ? n.grouped : n.value;
    if (!grouped || strpbrk(cell, "eE+") || !(value >= 0 && value < 1e15)) return false;
    snprintf(out, LADDER_TITLE, "%.0f", value);
    return true;
}

char *ladder_sheet_id(const char *cell, char out[LADDER_TITLE]) {
    if (!whole_number(cell, out)) snprintf(out, LADDER_TITLE, "%s", cell);
    return out;
}

static void take_cell(ladder_sheet_student *one, column_kind kind, const char *title,
                      const char *cell) {
    char *name = one->who.name;
    size_t used = strlen(name);
    char whole[LADDER_TITLE];
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
        if (one->key[0] == '\0' && !number)
            snprintf(one->key, sizeof one->key, "%.127s",
                     kind == ID ? ladder_sheet_id(cell, whole) : cell);
        if (kind == LOGIN && one->login[0] == '\0' && !number)
            snprintf(one->login, sizeof one->login, "%.127s", cell);
        ladder_person_add(&one->who, cell);
        if (kind == ID) ladder_person_add(&one->who, ladder_sheet_id(cell, whole));
        break;
    }
    case ALIAS: ladder_person_add(&one->who, cell); break;
    case GROUP: {
        char *group = strcmp(title, "student_repository_name") == 0 ? one->repository : one->group;
        if (group[0] == '\0') snprintf(group, LADDER_TITLE, "%s", cell);
        break;
    }
    case FILES: snprintf(one->files, sizeof one->files, "%s", cell); break;
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

bool ladder_sheet_is_possible(const ladder_csv *csv, size_t row) {
    static const char words[] = "Points Possible";
    for (size_t c = 0; c < csv->rows[row].count; c++) {
        const char *cell = ladder_csv_cell(csv, row, c);
        for (size_t blank; (blank = ladder_blank_bytes(cell)) > 0;) cell += blank;
        if (strncasecmp(cell, words, sizeof words - 1) == 0) return true;
    }
    return false;
}

// Canvas's own, whose marks count nowhere.
static bool is_test_student(const char *name) {
    return strcasecmp(name, "Student, Test") == 0 || strcasecmp(name, "Test Student") == 0;
}

// One line; false: it is about no student.
static bool take_row(const ladder_sheet *sheet, size_t row, ladder_sheet_student *out) {
    char cell[LADDER_TITLE];
    *out = (ladder_sheet_student){.row = row};
    if (ladder_sheet_is_possible(&sheet->csv, row)) return false;
    for (int t = 0; t < TITLES; t++) {
        cell_of(&sheet->csv, row, titles[t].title, cell, sizeof cell);
        bool part = titles[t].kind == FIRST || titles[t].kind == LAST;
        if (cell[0] == '\0' || (part && has_column(&sheet->csv, NAME))) continue;
        take_cell(out, titles[t].kind, titles[t].title, cell);
    }
    bool canvas = ladder_csv_column(&sheet->csv, "Section") >= 0;
    if (canvas && is_test_student(out->who.name)) return false;
    if (out->key[0] == '\0' && out->who.ids[0] != '\0') { // a participant's number alone
        const char *at = out->who.ids;
        ladder_person_next(&at, cell);
        snprintf(out->key, sizeof out->key, "%.127s", cell);
    }
    return out->key[0] != '\0'; // Canvas's row "Muted" has none
}

// A row that is longer than the first one: a decimal comma without quotes parted a cell in two, and
// all behind it moved.
static kl_status check_length(const ladder_csv *csv, size_t row, const char *path, kl_error *err) {
    size_t most = csv->rows[0].count;
    for (size_t c = most; c < csv->rows[row].count; c++) {
        const char *cell = ladder_csv_cell(csv, row, c);
        if (cell[strspn(cell, " \t")] == '\0') continue;
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: line %d has %zu cells, and the first line has %zu titles: a cell with "
                       "a %s in it needs quotes, such as \"40%s82\"",
                       path, csv->rows[row].line, c + 1, most,
                       csv->separator == ',' ? "comma" : "separator",
                       csv->separator == ','   ? ","
                       : csv->separator == ';' ? ";"
                                               : " ");
    }
    return KL_OK;
}

// An id such as 3.0012E+11, of which a spreadsheet has left the first digits.
static kl_status check_ids(const ladder_csv *csv, size_t row, const char *path, kl_error *err) {
    for (int t = 0; t < TITLES; t++) {
        int column = titles[t].kind == ID ? ladder_csv_column(csv, titles[t].title) : -1;
        if (column < 0) continue;
        const char *cell = ladder_csv_cell(csv, row, (size_t)column);
        size_t digits = strspn(cell, "0123456789.,");
        bool cut = digits > 0 && strncasecmp(cell + digits, "e+", 2) == 0 &&
                   ladder_number_read(cell, 0).kind != LADDER_NUMBER_NONE;
        if (!cut) continue;
        char place[160];
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: %s: '%.30s' is no id any more: a spreadsheet has shortened it; "
                       "download the sheet again, or import that column as text",
                       path, ladder_csv_place(csv, row, (size_t)column, place, sizeof place), cell);
    }
    return KL_OK;
}

static kl_status take_rows(ladder_sheet *sheet, const char *path, kl_error *err) {
    const ladder_csv *csv = &sheet->csv;
    bool name = has_column(csv, NAME) || has_column(csv, LAST);
    bool id = has_column(csv, ID) || has_column(csv, LOGIN);
    sheet->has_groups = has_column(csv, GROUP);
    if (!id || !(name || sheet->has_groups || has_column(csv, TIME) || has_column(csv, FILES)))
        return kl_fail(
            err, KL_ERROR_INPUT,
            "%s: no columns that name students: expected a gradebook of Canvas, a grading "
            "worksheet of Moodle, or a CSV file whose first line has ID, Name, and Login or "
            "Email",
            path);
    sheet->list = calloc(csv->row_count + 1, sizeof *sheet->list);
    if (!sheet->list) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a sheet");
    for (size_t r = 1; r < csv->row_count; r++) {
        TRY(check_length(csv, r, path, err));
        TRY(check_ids(csv, r, path, err));
        sheet->count += take_row(sheet, r, &sheet->list[sheet->count]);
    }
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
