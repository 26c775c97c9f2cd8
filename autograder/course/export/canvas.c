// Gradebook CSV for Canvas: the columns that say who a student is, as Canvas exported them, and the
// column of one assignment. What its importer asks for is in lib/gradebook_importer.rb of
// https://github.com/instructure/canvas-lms: "Student" and "ID" first, "Section" last before
// assignments, a row "Points Possible", an assignment as "Title (id)". Of a number it takes the
// last comma or point for the decimal mark, also that of "1,000", so that thousands separators are
// left out. A cell that is left empty would take a mark away, so a student without one keeps what
// the sheet has.
#include "course/export/internal.h"
#include <strings.h>

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
    int digits;                 // of its points, behind the decimal mark
    double points;              // that it has; 0: those of the lab
    bool percent;               // all marks are percentages
} sheet;

static kl_status find_assignment(sheet *s, const ladder_export_table *table, kl_error *err) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    const char *titles[] = {wanted_title(table), table->lab->problem->name};
    size_t known = table->assignment ? 1 : 2;
    for (size_t t = 0; t < known && s->assignment == 0; t++)
        for (size_t c = s->section + 1; c < csv->rows[0].count; c++) {
            if (!is_titled(ladder_csv_cell(csv, 0, c), titles[t])) continue;
            if (s->assignment > 0)
                return kl_fail(err, KL_ERROR_INPUT,
                               "%s: two columns are called \"%s\": \"%.80s\" and \"%.80s\"; "
                               "--assignment TITLE with the number in brackets names one",
                               table->roster, titles[t], ladder_csv_cell(csv, 0, s->assignment),
                               ladder_csv_cell(csv, 0, c));
            s->assignment = c;
        }
    return KL_OK;
}

// The row of points; other rows that are no student's are left out.
static void find_possible(sheet *s) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    for (size_t r = 1; r < csv->row_count && s->possible == 0; r++)
        if (ladder_sheet_is_possible(csv, r)) s->possible = r;
}

// Whether Canvas takes no marks in the column: those that it computes itself.
static bool is_read_only(const sheet *s) {
    static const char *const computed[] = {"Current Score",  "Current Points", "Current Grade",
                                           "Final Score",    "Final Points",   "Final Grade",
                                           "Override Score", "Override Grade", "Override Status"};
    const ladder_csv *csv = &s->roster.sheet.csv;
    const char *title = ladder_csv_cell(csv, 0, s->assignment);
    bool found =
        s->possible > 0 && strstr(ladder_csv_cell(csv, s->possible, s->assignment), "read only");
    for (size_t i = 0; i < sizeof computed / sizeof computed[0]; i++)
        found = found || strstr(title, computed[i]);
    return found;
}

// Whether "1,000" must be 1000, as a mark of the column is far above 1.
static bool is_grouped(const sheet *s, const ladder_number *points) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    for (size_t r = 1; r < csv->row_count; r++) {
        ladder_number mark = ladder_number_read(ladder_csv_cell(csv, r, s->assignment), 0);
        if (s->roster.is_student[r] && mark.kind == LADDER_NUMBER_VALUE && !mark.percent &&
            mark.value > 10 * points->value)
            return true;
    }
    return false;
}

// The points possible of the column that gets the marks. Its decimal mark is that of the sheet.
static kl_status read_possible(sheet *s, const ladder_export_table *table, kl_error *err) {
    enum { POINTS_MAX = 1000000 };
    const ladder_csv *csv = &s->roster.sheet.csv;
    const char *cell = ladder_csv_cell(csv, s->possible, s->assignment);
    char place[160], why[160];
    ladder_number number = ladder_number_read(cell, s->roster.decimal);
    if (number.kind == LADDER_NUMBER_EITHER && is_grouped(s, &number)) {
        s->roster.decimal = strchr(cell, ',') ? '.' : ',';
        number = ladder_number_read(cell, s->roster.decimal);
    }
    TRY(ladder_roster_number(&s->roster, table, s->possible, s->assignment, &number, err));
    if (number.kind == LADDER_NUMBER_BLANK) return KL_OK;
    s->points = number.value;
    s->digits = number.digits;
    if (number.kind == LADDER_NUMBER_VALUE && !number.percent && number.value > 0 &&
        number.value <= POINTS_MAX)
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s: %s: %s: expected the points possible, above 0; give the assignment points "
                   "in Canvas, then export the gradebook again",
                   table->roster,
                   ladder_csv_place(csv, s->possible, s->assignment, place, sizeof place),
                   ladder_number_fault(&number, cell, why, sizeof why));
}

// Whether the column's marks are percentages, as somebody may have written them.
static bool has_percentages(const sheet *s) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    bool percent = false;
    for (size_t r = 1; r < csv->row_count; r++) {
        ladder_number mark =
            ladder_number_read(ladder_csv_cell(csv, r, s->assignment), s->roster.decimal);
        if (!s->roster.is_student[r] || mark.kind != LADDER_NUMBER_VALUE) continue;
        if (!mark.percent) return false;
        percent = true;
    }
    return percent;
}

static kl_status read_column(sheet *s, const ladder_export_table *table, kl_error *err) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    s->roster.decimal = ladder_csv_decimal(csv, s->section + 1, csv->rows[0].count - 1);
    if (s->assignment == 0) return KL_OK;
    s->roster.column = s->assignment;
    if (is_read_only(s))
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: Canvas takes no marks in the column \"%.80s\", which is read only: "
                       "--assignment TITLE names another",
                       table->roster, ladder_csv_cell(csv, 0, s->assignment));
    if (s->possible > 0) TRY(read_possible(s, table, err));
    TRY(ladder_roster_check(&s->roster, table, err));
    s->percent = has_percentages(s);
    return KL_OK;
}

// In the lab's own points where the sheet has none.
static void find_most(sheet *s, const ladder_export_table *table) {
    s->roster.most = (int64_t)floor(s->points * 100 + 1e-6);
    for (size_t i = 0; s->roster.most == 0 && i < table->count; i++)
        if (ladder_points_are_final(&table->marks[i].points))
            s->roster.most = ladder_hundredths_of(table->marks[i].points.most);
    if (s->assignment > 0 && s->points == 0 && table->notes)
        fprintf(
            table->notes,
            "  the column \"%.80s\" has no points possible: the marks are in the lab's points\n",
            ladder_csv_cell(&s->roster.sheet.csv, 0, s->assignment));
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
    s->roster.takes_percent = s->roster.takes_bonus = true;
    TRY(find_assignment(s, table, err));
    find_possible(s);
    TRY(read_column(s, table, err));
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
    char separator = csv->separator == '\t' ? ',' : csv->separator; // Canvas reads no tabs
    int id = ladder_csv_column(csv, "ID");
    char number[LADDER_TITLE];
    for (size_t c = 0; c <= s->section; c++) {
        const char *cell = ladder_csv_cell(csv, row, c);
        ladder_csv_put(out, (int)c == id ? ladder_sheet_id(cell, number) : cell);
        fputc(separator, out);
    }
    ladder_csv_put(out, value);
    fputs("\r\n", out);
}

// A mark as the column has marks: with the sheet's decimal mark, in points or as a percentage.
static const char *mark_text(const sheet *s, int64_t mark, const ladder_points *points, char *text,
                             size_t text_bytes) {
    int64_t shown = !s->percent
                        ? mark
                        : ladder_hundredths_scale(ladder_hundredths_of(ladder_points_final(points)),
                                                  ladder_hundredths_of(points->most), 10000);
    ladder_number_text((double)shown / 100, 2, s->roster.decimal, text, text_bytes);
    if (s->percent) snprintf(text + strlen(text), text_bytes - strlen(text), "%%");
    return text;
}

static void write_sheet(sheet *s, const ladder_export_table *table, FILE *out) {
    const ladder_csv *csv = &s->roster.sheet.csv;
    char text[64], decimal = s->roster.decimal == ',' ? ',' : '.';
    bool known = s->assignment > 0;
    put_row(s, 0, known ? ladder_csv_cell(csv, 0, s->assignment) : wanted_title(table), out);
    double points = s->points > 0 ? s->points : (double)s->roster.most / 100;
    ladder_number_text(points, s->digits > 2 ? s->digits : 2, decimal, text, sizeof text);
    if (s->possible > 0) put_row(s, s->possible, text, out);
    for (size_t r = 1; r < csv->row_count; r++) {
        if (!s->roster.is_student[r]) continue;
        size_t i = s->roster.mark_of[r];
        const ladder_points *final = i != LADDER_ROSTER_NOBODY ? &table->marks[i].points : NULL;
        bool has = final && ladder_points_are_final(final);
        int64_t mark =
            has ? ladder_hundredths_scale(ladder_hundredths_of(ladder_points_final(final)),
                                          ladder_hundredths_of(final->most), s->roster.most)
                : 0;
        if (has && (!known || ladder_roster_takes(&s->roster, table, r, mark)))
            put_row(s, r, mark_text(s, mark, final, text, sizeof text), out);
        else
            put_row(s, r,
                    known ? ladder_roster_kept(&s->roster, table, r, decimal, text, sizeof text)
                          : "",
                    out);
    }
}

kl_status ladder_export_canvas(const ladder_export_table *table, FILE *out, kl_error *err) {
    if (!table->roster) return write_plain(table, out);
    sheet s = {.assignment = 0};
    kl_status status = open_sheet(&s, table, err);
    if (status == KL_OK) {
        write_sheet(&s, table, out);
        ladder_roster_count(&s.roster, table);
    }
    ladder_roster_free(&s.roster);
    return status;
}
