// SPDX-License-Identifier: MIT
// Which mark is whose: see roster.h.
#include "course/export/roster.h"

#include <stdlib.h>
#include <string.h>

#include "course/people/match.h"
#include "utilities/text.h"

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
        if (at == LADDER_NOBODY)
            note(table, "no student in the roster for the submission", title);
        else if (at == LADDER_SEVERAL)
            note(table, "more than one student fits the submission", title);
        else if (lost)
            note(table, "other submissions fit the same student as", title);
        else
            roster->mark_of[roster->sheet.list[at].row] = i;
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
