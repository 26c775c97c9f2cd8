// Students of a gradebook: all of them, the sheet that names them, other names of theirs.
#include "course/gradebook/internal.h"

void ladder_book_students_free(ladder_book_students *students) {
    ladder_people_free(students->people);
    free(students->items);
    *students = (ladder_book_students){0};
}

static kl_status add_student(ladder_book_students *s, sqlite3_stmt *statement, kl_error *err) {
    if (s->count == s->capacity) {
        size_t capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        ladder_book_student *more = realloc(s->items, capacity * sizeof *more);
        if (!more) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
        s->items = more;
        s->capacity = capacity;
    }
    ladder_book_student *one = &s->items[s->count++];
    *one = (ladder_book_student){.id = sqlite3_column_int64(statement, 0)};
    ladder_sql_text(statement, 1, one->key, sizeof one->key);
    ladder_sql_text(statement, 2, one->name, sizeof one->name);
    ladder_sql_text(statement, 3, one->login, sizeof one->login);
    one->roster = sqlite3_column_int(statement, 4) != 0;
    one->dropped = sqlite3_column_int(statement, 5) != 0;
    s->on_roster += one->roster;
    memcpy(one->who.name, one->name, sizeof one->name);
    ladder_person_add(&one->who, one->key);
    ladder_person_add(&one->who, one->login);
    return KL_OK;
}

static kl_status take_aliases(ladder_book *book, ladder_book_students *s, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    char alias[LADDER_TITLE];
    TRY(ladder_sql_prepare(book, &statement, err, "SELECT student, alias FROM aliases", ""));
    kl_status status = KL_OK;
    while (ladder_sql_row(book, statement, &status, err)) {
        int64_t id = sqlite3_column_int64(statement, 0);
        ladder_sql_text(statement, 1, alias, sizeof alias);
        for (size_t i = 0; i < s->count; i++)
            if (s->items[i].id == id) ladder_person_add(&s->items[i].who, alias);
    }
    sqlite3_finalize(statement);
    return status;
}

static kl_status make_people(ladder_book_students *s, kl_error *err) {
    ladder_person *who = calloc(s->count + 1, sizeof *who);
    if (!who) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
    for (size_t i = 0; i < s->count; i++) who[i] = s->items[i].who;
    kl_status status = ladder_people_make(who, s->count, &s->people, err);
    free(who);
    return status;
}

kl_status ladder_sql_students(ladder_book *book, ladder_book_students *out_students,
                              kl_error *err) {
    sqlite3_stmt *statement = NULL;
    *out_students = (ladder_book_students){0};
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT student, key, name, login, roster, dropped FROM students"
                           " WHERE merged IS NULL ORDER BY name COLLATE NOCASE, key",
                           ""));
    kl_status status = KL_OK;
    while (status == KL_OK && ladder_sql_row(book, statement, &status, err))
        status = add_student(out_students, statement, err);
    sqlite3_finalize(statement);
    if (status == KL_OK) status = take_aliases(book, out_students, err);
    if (status == KL_OK) status = make_people(out_students, err);
    if (status != KL_OK) ladder_book_students_free(out_students);
    return status;
}

kl_status ladder_sql_anyone(ladder_book *book, const char *word, ladder_book_student *out,
                            kl_error *err) {
    ladder_book_students students;
    char plain[128];
    ladder_person wanted = ladder_person_of_word(word);
    TRY(ladder_sql_students(book, &students, err));
    int found = ladder_people_find(students.people, &wanted);
    if (found >= 0) *out = students.items[found];
    ladder_book_students_free(&students);
    if (found >= 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   found == LADDER_NOBODY
                       ? "no student '%s' in %s; ladder gradebook show lists them"
                       : "several students match '%s' in %s: name one by the id",
                   ladder_plain(word, false, plain, sizeof plain), book->path);
}

kl_status ladder_sql_student(ladder_book *book, const char *word, ladder_book_student *out,
                             kl_error *err) {
    TRY(ladder_sql_anyone(book, word, out, err));
    if (!out->dropped) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s (%s) is dropped: ladder gradebook drop %s %s --withdraw takes that back",
                   out->name, out->key, book->path, out->key);
}

kl_status ladder_sql_alias(ladder_book *book, int64_t student, const char *alias, kl_error *err) {
    return ladder_sql_run(book, err,
                          "INSERT INTO aliases (alias, student) VALUES (?, ?)"
                          " ON CONFLICT DO NOTHING",
                          "ti", alias, student);
}

static bool has_id(const ladder_book_students *known, const ladder_sheet_student *line) {
    for (size_t i = 0; i < known->count; i++)
        if (ladder_people_by_id(known->people, (int)i, &line->who)) return true;
    return false;
}

// Who of the book a line of a sheet is: taken[] are those that another line's id names.
static int known_as(const ladder_book_students *known, const ladder_sheet_student *line,
                    const bool *taken) {
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->items[i].key, line->key) == 0) return (int)i;
    int found = ladder_people_find(known->people, &line->who);
    if (found == LADDER_SEVERAL && !has_id(known, line))
        return LADDER_NOBODY; // a third of the name
    if (found < 0 || ladder_people_by_id(known->people, found, &line->who)) return found;
    // By the name alone: another student of this name may have come.
    const ladder_book_student *one = &known->items[found];
    bool other_login = one->roster && one->login[0] != '\0' && line->login[0] != '\0';
    return taken[found] || other_login ? LADDER_NOBODY : found;
}

static kl_status add_aliases(ladder_book *book, int64_t student, const ladder_sheet_student *line,
                             kl_error *err) {
    char id[LADDER_TITLE];
    for (const char *at = line->who.ids; ladder_person_next(&at, id);)
        if (strcmp(id, line->key) != 0 && strcmp(id, line->login) != 0)
            TRY(ladder_sql_alias(book, student, id, err));
    return KL_OK;
}

static kl_status add_line(ladder_book *book, const ladder_sheet_student *line, kl_error *err) {
    TRY(ladder_sql_run(book, err,
                       "INSERT INTO students (key, name, login, roster) VALUES (?, ?, ?, 1)", "ttt",
                       line->key, line->who.name, line->login));
    TRY(add_aliases(book, sqlite3_last_insert_rowid(book->db), line, err));
    return ladder_sql_audit(book, "student", line->key, NULL, err, "%s, login '%s'", line->who.name,
                            line->login);
}

// A student of the book as the line has them; the id of a roster stays, and others are kept beside.
static kl_status change_line(ladder_book *book, const ladder_book_student *before,
                             const ladder_sheet_student *line, bool *out_same, kl_error *err) {
    const char *key = before->roster ? before->key : line->key;
    const char *login = line->login[0] != '\0' ? line->login : before->login;
    bool as_before = line->who.name[0] == '\0' ||
                     (before->roster && ladder_names_are_turned(before->name, line->who.name));
    const char *name = as_before ? before->name : line->who.name;
    *out_same =
        before->roster && strcmp(before->name, name) == 0 && strcmp(before->login, login) == 0;
    TRY(add_aliases(book, before->id, line, err));
    if (strcmp(line->key, key) != 0) TRY(ladder_sql_alias(book, before->id, line->key, err));
    if (*out_same) return KL_OK;
    if (strcmp(before->key, key) != 0) TRY(ladder_sql_alias(book, before->id, before->key, err));
    if (before->login[0] != '\0' && strcmp(before->login, login) != 0)
        TRY(ladder_sql_alias(book, before->id, before->login, err));
    TRY(ladder_sql_run(book, err,
                       "UPDATE students SET key = ?, name = ?, login = ?, roster = 1"
                       " WHERE student = ?",
                       "ttti", key, name, login, before->id));
    return ladder_sql_audit(book, "student", key, NULL, err, "%s, login '%s'; was %s, '%s', id %s",
                            name, login, before->name, before->login, before->key);
}

static kl_status put_lines(ladder_book *book, const ladder_sheet *sheet,
                           const ladder_book_students *known, bool *taken,
                           ladder_book_roster_counts *counts, kl_error *err) {
    for (size_t i = 0; i < sheet->count; i++) { // whom an id names, before names alone count
        const ladder_sheet_student *line = &sheet->list[i];
        int found = ladder_people_find(known->people, &line->who);
        if (found >= 0 && ladder_people_by_id(known->people, found, &line->who))
            taken[found] = true;
    }
    for (size_t i = 0; i < sheet->count; i++) {
        const ladder_sheet_student *line = &sheet->list[i];
        int found = known_as(known, line, taken);
        bool same = false;
        if (found == LADDER_SEVERAL) {
            snprintf(counts->first, sizeof counts->first, "%s", line->who.name);
            counts->undecided++;
            continue;
        }
        if (found < 0) {
            TRY(add_line(book, line, err));
            counts->added++;
            continue;
        }
        taken[found] = true;
        TRY(change_line(book, &known->items[found], line, &same, err));
        counts->same += same;
        counts->changed += !same;
    }
    return KL_OK;
}

// An id names one student.
static kl_status check_ids(const ladder_sheet *sheet, const char *path, kl_error *err) {
    for (size_t i = 0; i < sheet->count; i++)
        for (size_t k = 0; k < i; k++) {
            const ladder_sheet_student *a = &sheet->list[k], *b = &sheet->list[i];
            if (a->key[0] == '\0' || strcmp(a->key, b->key) != 0) continue;
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s: lines %d and %d: %s is the id of both, %s and %s: correct it, or "
                           "take one of the lines out",
                           path, sheet->csv.rows[a->row].line, sheet->csv.rows[b->row].line, b->key,
                           a->who.name, b->who.name);
        }
    return KL_OK;
}

kl_status ladder_book_roster(ladder_book *book, const char *path,
                             ladder_book_roster_counts *out_counts, kl_error *err) {
    ladder_sheet sheet;
    ladder_book_students known = {0};
    *out_counts = (ladder_book_roster_counts){0};
    TRY(ladder_sheet_read(path, &sheet, err));
    kl_status status = check_ids(&sheet, path, err);
    // Numbers of Moodle's participants are others in each assignment: the last sheet's count.
    if (status == KL_OK && ladder_csv_column(&sheet.csv, "Identifier") >= 0)
        status =
            ladder_sql_run(book, err, "DELETE FROM aliases WHERE alias LIKE 'Participant %'", "");
    if (status == KL_OK) status = ladder_sql_students(book, &known, err);
    bool *taken = calloc(known.count + 1, sizeof *taken);
    if (status == KL_OK && !taken)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
    if (status == KL_OK) status = put_lines(book, &sheet, &known, taken, out_counts, err);
    free(taken);
    ladder_book_students_free(&known);
    ladder_sheet_free(&sheet);
    return status;
}

kl_status ladder_book_people(ladder_book *book, FILE *notes, ladder_people_counts *out_counts,
                             kl_error *err) {
    ladder_book_students students;
    *out_counts = (ladder_people_counts){0};
    TRY(ladder_sql_students(book, &students, err));
    for (size_t i = 0; i < students.count; i++) {
        const ladder_book_student *one = &students.items[i];
        out_counts->students += !one->dropped;
        out_counts->matched += !one->dropped && one->roster;
        if (notes && (one->dropped || !one->roster))
            fprintf(notes, "  %s: %s (%s)\n", one->dropped ? "dropped" : "no roster names",
                    one->name, one->key);
    }
    ladder_book_students_free(&students);
    return KL_OK;
}
