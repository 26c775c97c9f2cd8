// What is decided about students: overrides, due dates, that one has left, that two are one.
#include "course/gradebook/internal.h"

// "45.00 points", or "2026-11-20 23:59 UTC". Returns text.
static char *put_decision(ladder_book_decision what, double value, char *text, size_t text_bytes) {
    char time[32];
    if (what == LADDER_BOOK_OVERRIDE) snprintf(text, text_bytes, "%.2f points", value);
    else snprintf(text, text_bytes, "%s", ladder_time_text(value, time));
    return text;
}

kl_status ladder_sql_decide(ladder_book *book, ladder_book_decision what, int64_t student,
                            int64_t assignment, const ladder_book_standing *set, kl_error *err) {
    char at[32];
    ladder_sql_now(at);
    return what == LADDER_BOOK_OVERRIDE
               ? ladder_sql_run(book, err,
                                "INSERT INTO overrides (student, assignment, points, most, reason,"
                                " who, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                                "iiddttt", student, assignment, set->value, set->most, set->reason,
                                set->who, at)
               : ladder_sql_run(book, err,
                                "INSERT INTO dues (student, assignment, due, reason, who, at)"
                                " VALUES (?, ?, ?, ?, ?, ?)",
                                "iidttt", student, assignment, set->value, set->reason, set->who,
                                at);
}

static kl_status require_reason(const char *of, const char *reason, kl_error *err) {
    if (reason && reason[strspn(reason, " \t\n")] != '\0') return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s needs its reason: --reason TEXT", of);
}

// Enters a decision about one student, or (value NaN) takes the one that stands back, and says so
// in the audit trail.
static kl_status decide(ladder_book *book, ladder_book_decision what, const ladder_lab *lab,
                        const char *student, double value, double most, const char *reason,
                        kl_error *err) {
    static const struct {
        const char *name, *with_article;
    } kinds[] = {[LADDER_BOOK_OVERRIDE] = {"override", "an override"},
                 [LADDER_BOOK_DUE] = {"own due date", "a due date"}};
    ladder_book_student one;
    int64_t assignment = 0;
    ladder_book_standing before, set = {.value = value, .most = most};
    char was[48] = "none", now[48];
    const char *name = kinds[what].name;
    TRY(require_reason(kinds[what].with_article, reason, err));
    TRY(ladder_sql_student(book, student, &one, err));
    TRY(ladder_sql_assignment(book, lab, true, &assignment, err));
    TRY(ladder_sql_standing(book, what, one.id, assignment, &before, err));
    if (isnan(value) && !before.stands)
        return kl_fail(err, KL_ERROR_INPUT, "%s has no %s in %s to take back", one.name, name,
                       lab->folder);
    snprintf(set.reason, sizeof set.reason, "%s", reason);
    snprintf(set.who, sizeof set.who, "%s", book->who);
    TRY(ladder_sql_decide(book, what, one.id, assignment, &set, err));
    if (before.stands) put_decision(what, before.value, was, sizeof was);
    if (isnan(value))
        return ladder_sql_audit(book, name, one.key, lab->folder, err, "taken back, was %s: %s",
                                was, reason);
    return ladder_sql_audit(book, name, one.key, lab->folder, err, "%s, was %s: %s",
                            put_decision(what, value, now, sizeof now), was, reason);
}

kl_status ladder_book_override(ladder_book *book, const ladder_lab *lab, const char *student,
                               double points, bool bonus, const char *reason, kl_error *err) {
    ladder_book_line mark;
    if (points < 0 || points > 1e6)
        return kl_fail(err, KL_ERROR_INPUT,
                       "an override is a number of points of 0 or more, not %g", points);
    TRY(ladder_book_mark(book, lab, student, &mark, err));
    if (!bonus && points > mark.row.points.most)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%g points are more than the %g of %s: with --bonus they are entered",
                       points, mark.row.points.most, lab->folder);
    return decide(book, LADDER_BOOK_OVERRIDE, lab, student, points, mark.row.points.most, reason,
                  err);
}

kl_status ladder_book_due(ladder_book *book, const ladder_lab *lab, const char *student,
                          double due_s, const char *reason, kl_error *err) {
    return decide(book, LADDER_BOOK_DUE, lab, student, due_s, (double)NAN, reason, err);
}

kl_status ladder_book_drop(ladder_book *book, const char *student, bool withdraw,
                           const char *reason, kl_error *err) {
    ladder_book_student one;
    TRY(require_reason("a drop", reason, err));
    TRY(ladder_sql_anyone(book, student, &one, err));
    if (one.dropped == !withdraw)
        return kl_fail(err, KL_ERROR_INPUT, "%s (%s) is %s", one.name, one.key,
                       withdraw ? "not dropped" : "dropped already");
    TRY(ladder_sql_run(book, err, "UPDATE students SET dropped = ? WHERE student = ?", "ii",
                       (int64_t)!withdraw, one.id));
    return ladder_sql_audit(book, "drop", one.key, NULL, err, "%s%s",
                            withdraw ? "taken back: " : "", reason);
}

// Deletes all rows of the students of the table `gone`; what others have of them is emptied.
static kl_status delete_rows(ladder_book *book, kl_error *err) {
#define GONE "(SELECT student FROM gone)"
    return ladder_sql_execute(
        book,
        "UPDATE attempts SET title = '' WHERE (assignment, submission) IN"
        " (SELECT assignment, submission FROM attempts WHERE student IN " GONE ");"
        "DELETE FROM audit WHERE student IN (SELECT key FROM students WHERE student IN " GONE
        " UNION SELECT alias FROM aliases WHERE student IN " GONE ");"
        "DELETE FROM steps WHERE grade IN (SELECT grade FROM grades JOIN attempts USING (attempt)"
        " WHERE student IN " GONE ");"
        "DELETE FROM grades WHERE attempt IN"
        " (SELECT attempt FROM attempts WHERE student IN " GONE ");"
        "DELETE FROM attempts WHERE student IN " GONE ";"
        "DELETE FROM overrides WHERE student IN " GONE ";"
        "DELETE FROM dues WHERE student IN " GONE ";"
        "DELETE FROM given WHERE student IN " GONE ";"
        "DELETE FROM aliases WHERE student IN " GONE ";"
        "DELETE FROM students WHERE student IN " GONE ";"
        "DROP TABLE gone;",
        err);
#undef GONE
}

static kl_status erase(ladder_book *book, const char *student, const char *reason,
                       ladder_book_erased *out, kl_error *err) {
    ladder_book_student one;
    int64_t before = 0, after = 0;
    static const char lines[] = "SELECT count(*) FROM audit";
    TRY(ladder_sql_anyone(book, student, &one, err));
    if (!one.dropped)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s (%s) is in the course: first ladder gradebook drop %s %s --reason TEXT",
                       one.name, one.key, book->path, one.key);
    TRY(ladder_sql_run(book, err,
                       "CREATE TEMP TABLE gone AS SELECT student FROM students"
                       " WHERE student = ?1 OR merged = ?1",
                       "i", one.id));
    TRY(ladder_sql_number(book, 0, &out->attempts, err,
                          "SELECT count(*) FROM attempts WHERE student = ?", "i", one.id));
    TRY(ladder_sql_number(book, 0, &out->grades, err,
                          "SELECT count(*) FROM grades JOIN attempts USING (attempt)"
                          " WHERE student = ?",
                          "i", one.id));
    TRY(ladder_sql_number(book, 0, &before, err, lines, ""));
    TRY(ladder_sql_execute(book, ladder_book_unlock, err));
    TRY(delete_rows(book, err));
    TRY(ladder_sql_execute(book, ladder_book_lock, err));
    TRY(ladder_sql_number(book, 0, &after, err, lines, ""));
    out->lines = before - after;
    return ladder_sql_audit(book, "erase", NULL, NULL, err, "a student: %s", reason);
}

kl_status ladder_book_erase(ladder_book *book, const char *student, const char *reason,
                            ladder_book_erased *out_erased, kl_error *err) {
    *out_erased = (ladder_book_erased){0};
    TRY(require_reason("an erasure", reason, err));
    // Else the file keeps in its unused pages what was deleted, now and by earlier changes.
    TRY(ladder_sql_execute(book, "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY", err));
    TRY(ladder_book_begin(book, err));
    kl_status status = erase(book, student, reason, out_erased, err);
    if (status != KL_OK) {
        ladder_book_undo(book);
        return status;
    }
    TRY(ladder_book_commit(book, err));
    kl_error why = {KL_OK, ""};
    status = ladder_sql_execute(book, "VACUUM", &why);
    if (status == KL_OK) return KL_OK;
    return kl_fail(
        err, status,
        "the student is erased, and so are the pages that held the rows; only making the "
        "file smaller failed, which may be left: %s",
        why.text);
}

// ---- two students who are one, and other names of a student -------------------------------------

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
