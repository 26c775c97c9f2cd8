// SPDX-License-Identifier: MIT
// Students of a gradebook: the sheet that names them, and who answers to a word.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "course/export/csv.h"
#include "course/gradebook/internal.h"
#include "utilities/text.h"

kl_status ladder_sql_students(ladder_book *book, ladder_book_students *out_students,
                              kl_error *err) {
    sqlite3_stmt *statement = NULL;
    *out_students = (ladder_book_students){0};
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT student, key, name, login, roster FROM students"
                           " ORDER BY name COLLATE NOCASE, key",
                           ""));
    kl_status status = KL_OK;
    while (ladder_sql_row(book, statement, &status, err)) {
        ladder_book_students *s = out_students;
        if (s->count == s->capacity) {
            size_t capacity = s->capacity > 0 ? 2 * s->capacity : 64;
            ladder_book_student *more = realloc(s->items, capacity * sizeof *more);
            if (!more) {
                status = kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
                break;
            }
            s->items = more;
            s->capacity = capacity;
        }
        ladder_book_student *one = &s->items[s->count++];
        one->id = sqlite3_column_int64(statement, 0);
        ladder_sql_text(statement, 1, one->key, sizeof one->key);
        ladder_sql_text(statement, 2, one->name, sizeof one->name);
        ladder_sql_text(statement, 3, one->login, sizeof one->login);
        one->roster = sqlite3_column_int(statement, 4) != 0;
    }
    sqlite3_finalize(statement);
    if (status == KL_OK) return KL_OK;
    free(out_students->items);
    *out_students = (ladder_book_students){0};
    return status;
}

// "Lee, Ann" and "ann  lee" as "ann lee"; of a name without a comma the blanks only.
static void plain_name(const char *name, char *out, size_t out_bytes) {
    const char *comma = strchr(name, ',');
    char turned[2 * LADDER_TITLE];
    snprintf(turned, sizeof turned, "%s %.*s", comma ? comma + 1 : name,
             comma ? (int)(comma - name) : 0, name);
    size_t used = 0;
    for (const char *c = turned; *c != '\0' && used + 1 < out_bytes; c++) {
        bool blank = *c == ' ' || *c == '\t';
        if (blank && (used == 0 || out[used - 1] == ' ')) continue;
        out[used++] = blank ? ' ' : (char)tolower((unsigned char)*c);
    }
    while (used > 0 && out[used - 1] == ' ') used--;
    out[used] = '\0';
}

// Moodle's "Participant 17" is the 17 of its folders.
static bool is_key(const char *key, const char *word) {
    static const char participant[] = "Participant ";
    size_t length = strlen(participant);
    return strcasecmp(key, word) == 0 ||
           (strncasecmp(key, participant, length) == 0 && strcmp(key + length, word) == 0);
}

int ladder_student_find(const ladder_book_students *students, const char *word) {
    char wanted[LADDER_TITLE], name[LADDER_TITLE];
    int found = -1;
    if (!word || word[0] == '\0') return -1;
    for (size_t i = 0; i < students->count; i++)
        if (is_key(students->items[i].key, word)) return (int)i;
    plain_name(word, wanted, sizeof wanted);
    for (size_t i = 0; i < students->count; i++) {
        const ladder_book_student *s = &students->items[i];
        plain_name(s->name, name, sizeof name);
        if (strcasecmp(s->login, word) != 0 && strcmp(name, wanted) != 0) continue;
        if (found >= 0) return -2;
        found = (int)i;
    }
    return found;
}

// The columns that say who a student is, by the titles of course systems: the first that is there.
static int column_of(const ladder_csv *sheet, const char *const *titles) {
    for (int i = 0; titles[i]; i++) {
        int column = ladder_csv_column(sheet, titles[i]);
        if (column >= 0) return column;
    }
    return -1;
}

typedef struct columns {
    int key, name, login;
} columns;

static kl_status find_columns(const ladder_csv *sheet, const char *path, columns *out,
                              kl_error *err) {
    static const char *const keys[] = {"ID", "Identifier", "ID number", "SID", "Student ID", NULL};
    static const char *const names[] = {"Student", "Full name", "Name", NULL};
    static const char *const logins[] = {"SIS Login ID",  "Username", "Login",
                                         "Email address", "Email",    NULL};
    *out = (columns){column_of(sheet, keys), column_of(sheet, names), column_of(sheet, logins)};
    if (out->key >= 0 && out->name >= 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s: no columns that name students: expected a gradebook of Canvas, a grading "
                   "worksheet of Moodle, or a CSV file whose first line has ID, Name, and Login or "
                   "Email",
                   path);
}

// Who handed in under a name before a roster said whose it is: the only one that answers to it.
static const ladder_book_student *stranger_of(const ladder_book_students *known,
                                              const ladder_book_student *one) {
    const char *const words[] = {one->name, one->login};
    for (int i = 0; i < 2; i++) {
        int found = ladder_student_find(known, words[i]);
        if (found >= 0 && !known->items[found].roster) return &known->items[found];
    }
    return NULL;
}

static kl_status put_student(ladder_book *book, const ladder_book_students *known,
                             const ladder_book_student *one, ladder_book_roster_counts *counts,
                             kl_error *err) {
    const ladder_book_student *before = NULL;
    for (size_t i = 0; i < known->count && !before; i++)
        if (strcmp(known->items[i].key, one->key) == 0) before = &known->items[i];
    if (!before) before = stranger_of(known, one);
    if (!before) {
        counts->added++;
        TRY(ladder_sql_run(book, err,
                           "INSERT INTO students (key, name, login, roster) VALUES (?, ?, ?, 1)",
                           "ttt", one->key, one->name, one->login));
        return ladder_sql_audit(book, "student", one->key, NULL, err, "%s, login '%s'", one->name,
                                one->login);
    }
    if (before->roster && strcmp(before->name, one->name) == 0 &&
        strcmp(before->login, one->login) == 0) {
        counts->same++;
        return KL_OK;
    }
    counts->changed++;
    TRY(ladder_sql_run(book, err,
                       "UPDATE students SET key = ?, name = ?, login = ?, roster = 1"
                       " WHERE student = ?",
                       "ttti", one->key, one->name, one->login, before->id));
    return ladder_sql_audit(book, "student", one->key, NULL, err,
                            "%s, login '%s'; was %s, '%s', id %s", one->name, one->login,
                            before->name, before->login, before->key);
}

static kl_status put_rows(ladder_book *book, const ladder_csv *sheet, const char *path,
                          const ladder_book_students *known, ladder_book_roster_counts *counts,
                          kl_error *err) {
    columns at;
    TRY(find_columns(sheet, path, &at, err));
    for (size_t r = 1; r < sheet->row_count; r++) {
        ladder_book_student one = {.roster = true};
        ladder_plain(ladder_csv_cell(sheet, r, (size_t)at.key), false, one.key, sizeof one.key);
        ladder_plain(ladder_csv_cell(sheet, r, (size_t)at.name), false, one.name, sizeof one.name);
        if (at.login >= 0)
            ladder_plain(ladder_csv_cell(sheet, r, (size_t)at.login), false, one.login,
                         sizeof one.login);
        if (one.key[0] == '\0') continue; // Canvas: points possible
        TRY(put_student(book, known, &one, counts, err));
    }
    if (counts->added + counts->changed + counts->same > 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s names no student", path);
}

kl_status ladder_book_roster(ladder_book *book, const char *path,
                             ladder_book_roster_counts *out_counts, kl_error *err) {
    ladder_csv sheet;
    ladder_book_students known = {0};
    *out_counts = (ladder_book_roster_counts){0};
    TRY(ladder_csv_read(path, &sheet, err));
    kl_status status = ladder_sql_students(book, &known, err);
    if (status == KL_OK) status = put_rows(book, &sheet, path, &known, out_counts, err);
    free(known.items);
    ladder_csv_free(&sheet);
    return status;
}
