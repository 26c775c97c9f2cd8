// Which mark is whose: see export.h.
#include "course/export/internal.h"
#include <strings.h>

kl_status ladder_roster_read(const char *path, ladder_roster *out_roster, kl_error *err) {
    memset(out_roster, 0, sizeof *out_roster);
    TRY(ladder_sheet_read(path, &out_roster->sheet, err));
    size_t rows = out_roster->sheet.csv.row_count;
    out_roster->is_student = calloc(rows + 1, sizeof *out_roster->is_student);
    out_roster->mark_of = calloc(rows + 1, sizeof *out_roster->mark_of);
    if (!out_roster->is_student || !out_roster->mark_of)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a roster");
    for (size_t r = 0; r < rows; r++) out_roster->mark_of[r] = LADDER_ROSTER_NOBODY;
    for (size_t i = 0; i < out_roster->sheet.count; i++)
        out_roster->is_student[out_roster->sheet.list[i].row] = true;
    return KL_OK;
}

void ladder_roster_free(ladder_roster *roster) {
    ladder_sheet_free(&roster->sheet);
    free(roster->is_student);
    free(roster->mark_of);
    memset(roster, 0, sizeof *roster);
}

static void note(const ladder_export_table *table, const char *what, const char *name) {
    if (!table->notes) return;
    char plain[LADDER_TITLE];
    fprintf(table->notes, "  %s: %s\n", what, ladder_plain(name, false, plain, sizeof plain));
}

// found: [table->count], of the marks; taken: [sheet.count], marks that want the student.
static void deal(ladder_roster *roster, const int *found, const size_t *taken,
                 const ladder_export_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        const char *title = table->marks[i].title;
        int at = found[i];
        bool lost = at < 0 || taken[at] > 1;
        if (at == LADDER_NOBODY) note(table, "no student in the roster for the submission", title);
        else if (at == LADDER_SEVERAL)
            note(table, "more than one student fits the submission", title);
        else if (lost) note(table, "other submissions fit the same student as", title);
        else roster->mark_of[roster->sheet.list[at].row] = i;
        roster->lost += lost;
        roster->matched += !lost;
        if (!lost && !ladder_points_are_final(&table->marks[i].points))
            note(table, "could not be graded, the roster's mark stays", title);
    }
}

static kl_status find_all(const ladder_roster *roster, const ladder_export_table *table, int *found,
                          size_t *taken, kl_error *err) {
    ladder_people *people = NULL;
    ladder_person *who = calloc(roster->sheet.count + 1, sizeof *who);
    if (!who) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a roster");
    for (size_t i = 0; i < roster->sheet.count; i++) who[i] = roster->sheet.list[i].who;
    kl_status status = ladder_people_make(who, roster->sheet.count, &people, err);
    for (size_t i = 0; i < table->count && status == KL_OK; i++) {
        const ladder_export_line *mark = &table->marks[i];
        ladder_person wanted = mark->who ? *mark->who : ladder_person_of_title(mark->title, NULL);
        found[i] = ladder_people_find(people, &wanted);
        if (found[i] >= 0) taken[found[i]]++;
    }
    ladder_people_free(people);
    free(who);
    return status;
}

kl_status ladder_roster_match(ladder_roster *roster, const ladder_export_table *table,
                              kl_error *err) {
    size_t *taken = calloc(roster->sheet.count + 1, sizeof *taken);
    int *found = calloc(table->count + 1, sizeof *found);
    kl_status status =
        taken && found ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a roster");
    if (status == KL_OK) status = find_all(roster, table, found, taken, err);
    if (status == KL_OK) deal(roster, found, taken, table);
    for (size_t i = 0; i < roster->sheet.count && status == KL_OK; i++) {
        const ladder_sheet_student *line = &roster->sheet.list[i];
        if (roster->mark_of[line->row] == LADDER_ROSTER_NOBODY)
            note(table, "no mark for the student",
                 line->who.name[0] != '\0' ? line->who.name : line->key);
    }
    free(taken);
    free(found);
    return status;
}

kl_status ladder_roster_number(const ladder_roster *roster, const ladder_export_table *table,
                               size_t row, size_t column, ladder_number *out_number,
                               kl_error *err) {
    const ladder_csv *csv = &roster->sheet.csv;
    const char *cell = ladder_csv_cell(csv, row, column);
    char place[160], why[160];
    *out_number = ladder_number_read(cell, roster->decimal);
    if (out_number->kind != LADDER_NUMBER_EITHER) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s: %s: %s, and the other numbers of the sheet do not show which: write %.2f "
                   "or %.3f there",
                   table->roster, ladder_csv_place(csv, row, column, place, sizeof place),
                   ladder_number_fault(out_number, cell, why, sizeof why), out_number->grouped,
                   out_number->value);
}

kl_status ladder_roster_check(const ladder_roster *roster, const ladder_export_table *table,
                              kl_error *err) {
    ladder_number number;
    for (size_t r = 1; r < roster->sheet.csv.row_count; r++)
        if (roster->is_student[r])
            TRY(ladder_roster_number(roster, table, r, roster->column, &number, err));
    return KL_OK;
}

// "line 3, column F (reduction (501)): WHAT: Lee, Ann", for people.
static void note_cell(const ladder_roster *roster, const ladder_export_table *table, size_t row,
                      const char *what) {
    char place[160], said[320];
    const char *name = "";
    for (size_t i = 0; i < roster->sheet.count; i++) {
        const ladder_sheet_student *line = &roster->sheet.list[i];
        if (line->row == row) name = line->who.name[0] != '\0' ? line->who.name : line->key;
    }
    ladder_csv_place(&roster->sheet.csv, row, roster->column, place, sizeof place);
    snprintf(said, sizeof said, "%s: %s", place, what);
    note(table, said, name);
}

// What a cell has, in hundredths of a point; a percentage of the most.
static int64_t cell_points(const ladder_roster *roster, const ladder_number *number) {
    double points =
        number->percent ? number->value / 100 * (double)roster->most / 100 : number->value;
    return llround(fmax(fmin(points, 1e9), -1e9) * 100);
}

static const char *word_meaning(const char *cell) {
    return strcasecmp(cell, "EX") == 0    ? " (excused)"
           : strcasecmp(cell, "N/A") == 0 ? " (not assigned to this student)"
           : strcasecmp(cell, "MI") == 0  ? " (missing)"
                                          : "";
}

bool ladder_roster_takes(ladder_roster *roster, const ladder_export_table *table, size_t row,
                         int64_t mark) {
    const char *cell = ladder_csv_cell(&roster->sheet.csv, row, roster->column);
    ladder_number number = ladder_number_read(cell, roster->decimal);
    char plain[40], what[200], old[32], new[32];
    if (number.kind == LADDER_NUMBER_NONE) {
        ladder_plain(cell, false, plain, sizeof plain);
        snprintf(what, sizeof what, "'%s'%s stays, the mark of %s is not entered", plain,
                 word_meaning(plain), ladder_hundredths_text(mark, new, sizeof new));
        note_cell(roster, table, row, what);
        roster->lost++;
        return false;
    }
    int64_t had = number.kind == LADDER_NUMBER_VALUE ? cell_points(roster, &number) : 0;
    if (had > mark) {
        snprintf(what, sizeof what, "%s takes the place of %s, which is more",
                 ladder_hundredths_text(mark, new, sizeof new),
                 ladder_hundredths_text(had, old, sizeof old));
        note_cell(roster, table, row, what);
    }
    if (roster->most == 0 || mark <= roster->most) return true;
    snprintf(what, sizeof what, "%s, with a bonus, is above the %s points possible%s",
             ladder_hundredths_text(mark, new, sizeof new),
             ladder_hundredths_text(roster->most, old, sizeof old),
             roster->takes_bonus ? "" : ", which the system does not take");
    note_cell(roster, table, row, what);
    roster->lost += !roster->takes_bonus;
    return roster->takes_bonus;
}

const char *ladder_roster_kept(ladder_roster *roster, const ladder_export_table *table, size_t row,
                               char decimal, char *text, size_t text_bytes) {
    const char *cell = ladder_csv_cell(&roster->sheet.csv, row, roster->column);
    ladder_number number = ladder_number_read(cell, roster->decimal);
    if (number.kind != LADDER_NUMBER_VALUE) return cell;
    int64_t points = cell_points(roster, &number);
    if (roster->most > 0 && points > roster->most + 1) { // 1: what rounding adds
        char what[160], plain[40], most[32];
        snprintf(what, sizeof what, "%s, which stays, is above the %s points possible",
                 ladder_plain(cell, false, plain, sizeof plain),
                 ladder_hundredths_text(roster->most, most, sizeof most));
        note_cell(roster, table, row, what);
        roster->odd++;
    }
    if (number.percent && !roster->takes_percent)
        return ladder_number_text((double)points / 100, 2, decimal, text, text_bytes);
    bool same_mark = number.digits == 0 || strchr(cell, decimal);
    if (number.plain && same_mark) return cell;
    ladder_number_text(number.value, number.digits, decimal, text, text_bytes);
    if (number.percent) snprintf(text + strlen(text), text_bytes - strlen(text), "%%");
    return text;
}

void ladder_roster_count(const ladder_roster *roster, const ladder_export_table *table) {
    if (table->out_matched) *table->out_matched = roster->matched;
    if (table->out_lost) *table->out_lost = roster->lost;
    if (table->out_odd) *table->out_odd = roster->odd;
}
