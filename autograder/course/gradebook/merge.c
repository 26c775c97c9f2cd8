// Two students of a gradebook who are one, and other names of a student.
#include "course/gradebook/internal.h"

kl_status ladder_book_alias(ladder_book *book, const char *student, const char *alias,
                            kl_error *err) {
    ladder_book_student one;
    ladder_book_students students;
    char plain[LADDER_TITLE];
    ladder_plain(alias, false, plain, sizeof plain);
    if (plain[strspn(plain, " ")] == '\0')
        return kl_fail(err, KL_ERROR_INPUT, "an alias is an id or a name");
    TRY(ladder_sql_student(book, student, &one, err));
    TRY(ladder_sql_students(book, &students, err));
    ladder_person wanted = ladder_person_of_word(plain);
    int found = ladder_people_find(students.people, &wanted);
    ladder_book_student other = one;
    if (found >= 0) other = students.items[found];
    ladder_book_students_free(&students);
    if (other.id != one.id)
        return kl_fail(err, KL_ERROR_INPUT,
                       "'%s' is %s (%s) in %s: if the two are one, ladder gradebook merge does it",
                       plain, other.name, other.key, book->path);
    TRY(ladder_sql_alias(book, one.id, plain, err));
    return ladder_sql_audit(book, "alias", one.key, NULL, err, "%s is %s, too", one.name, plain);
}

// What was decided about the one becomes the other's, unless both have something that stands.
static kl_status move_decision(ladder_book *book, ladder_book_decision what,
                               const ladder_book_student *from, const ladder_book_student *into,
                               int64_t assignment, kl_error *err) {
    ladder_book_standing theirs, own;
    TRY(ladder_sql_standing(book, what, from->id, assignment, &theirs, err));
    TRY(ladder_sql_standing(book, what, into->id, assignment, &own, err));
    if (!theirs.stands || (own.stands && own.value == theirs.value)) return KL_OK;
    if (own.stands)
        return kl_fail(
            err, KL_ERROR_INPUT,
            "%s and %s both have %s in one lab: take one of them back first (--withdraw)",
            from->key, into->key,
            what == LADDER_BOOK_OVERRIDE ? "an override" : "a due date of their own");
    return ladder_sql_decide(book, what, into->id, assignment, &theirs, err);
}

static kl_status move_decisions(ladder_book *book, const ladder_book_student *from,
                                const ladder_book_student *into, kl_error *err) {
    int64_t last = 0;
    TRY(ladder_sql_number(book, 0, &last, err, "SELECT max(assignment) FROM assignments", ""));
    for (int64_t a = 1; a <= last; a++) {
        TRY(move_decision(book, LADDER_BOOK_OVERRIDE, from, into, a, err));
        TRY(move_decision(book, LADDER_BOOK_DUE, from, into, a, err));
    }
    // What persons gave to either stands; where both have a mark, the later one.
    return ladder_sql_run(book, err,
                          "INSERT INTO given (student, assignment, criterion, points, file, line,"
                          " text, who, at) SELECT ?2, assignment, criterion, points, file, line,"
                          " text, who, at FROM given AS f WHERE student = ?1 AND NOT EXISTS"
                          " (SELECT 1 FROM given AS t WHERE t.student = ?2 AND t.assignment ="
                          " f.assignment AND t.criterion = f.criterion AND t.file = f.file AND"
                          " t.line = f.line AND t.at > f.at) ORDER BY entry",
                          "ii", from->id, into->id);
}

// Attempts move; those of the same files stay where they are, and give their grade to the other's
// where that could not be graded. All are numbered anew, in the order in which they came.
static kl_status move_attempts(ladder_book *book, int64_t from, int64_t into, kl_error *err) {
    static const char newest[] =
        "(SELECT max(g.grade) FROM grades AS g WHERE g.attempt = %s.attempt)";
    char sql[1200], theirs[120], own[120];
    snprintf(theirs, sizeof theirs, newest, "f");
    snprintf(own, sizeof own, newest, "t");
    snprintf(sql, sizeof sql,
             "INSERT INTO grades (attempt, at, kit, rubric, ungradable, points, points_max, device,"
             " sandbox, seed) SELECT t.attempt, g.at, g.kit, g.rubric, 0, g.points, g.points_max,"
             " g.device, g.sandbox, g.seed FROM attempts AS f JOIN attempts AS t"
             " USING (assignment, submission) JOIN grades AS g ON g.grade = %s"
             " JOIN grades AS o ON o.grade = %s"
             " WHERE f.student = ?1 AND t.student = ?2 AND g.ungradable = 0 AND o.ungradable = 1",
             theirs, own);
    TRY(ladder_sql_run(book, err, sql, "ii", from, into));
    snprintf(sql, sizeof sql,
             "INSERT INTO steps (grade, step, outcome, points, points_max)"
             " SELECT %s, s.step, s.outcome, s.points, s.points_max FROM attempts AS f"
             " JOIN attempts AS t USING (assignment, submission) JOIN steps AS s ON s.grade = %s"
             " WHERE f.student = ?1 AND t.student = ?2"
             " AND NOT EXISTS (SELECT 1 FROM steps AS n WHERE n.grade = %s)",
             own, theirs, own);
    TRY(ladder_sql_run(book, err, sql, "ii", from, into));
    TRY(ladder_sql_run(book, err,
                       "UPDATE attempts SET student = ?2, number = -attempt WHERE student = ?1 AND"
                       " NOT EXISTS (SELECT 1 FROM attempts AS t WHERE t.student = ?2"
                       " AND t.assignment = attempts.assignment"
                       " AND t.submission = attempts.submission)",
                       "ii", from, into));
    TRY(ladder_sql_run(book, err, "UPDATE attempts SET number = -attempt WHERE student = ?", "i",
                       into));
    return ladder_sql_run(book, err,
                          "UPDATE attempts SET number = (SELECT count(*) FROM attempts AS o"
                          " WHERE o.student = attempts.student"
                          " AND o.assignment = attempts.assignment"
                          " AND o.attempt <= attempts.attempt) WHERE student = ?",
                          "i", into);
}

kl_status ladder_book_merge(ladder_book *book, const char *from, const char *into, kl_error *err) {
    ladder_book_student a, b;
    char id[LADDER_TITLE];
    TRY(ladder_sql_student(book, from, &a, err));
    TRY(ladder_sql_student(book, into, &b, err));
    if (a.id == b.id)
        return kl_fail(err, KL_ERROR_INPUT, "'%.60s' and '%.60s' are the same student already",
                       from, into);
    if (a.roster && !b.roster)
        return kl_fail(err, KL_ERROR_INPUT, "%s is on a roster and %s is not: merge %s into %s",
                       a.key, b.key, b.key, a.key);
    TRY(move_decisions(book, &a, &b, err));
    TRY(move_attempts(book, a.id, b.id, err));
    for (const char *at = a.who.ids; ladder_person_next(&at, id);)
        TRY(ladder_sql_alias(book, b.id, id, err));
    if (a.name[0] != '\0' && !ladder_names_are_one(a.name, b.name))
        TRY(ladder_sql_alias(book, b.id, a.name, err));
    TRY(ladder_sql_run(book, err, "UPDATE students SET merged = ? WHERE merged = ?", "ii", b.id,
                       a.id));
    TRY(ladder_sql_run(book, err, "UPDATE students SET merged = ? WHERE student = ?", "ii", b.id,
                       a.id));
    return ladder_sql_audit(book, "merge", b.key, NULL, err, "%s (%s) is %s, too", a.name, a.key,
                            b.name);
}
