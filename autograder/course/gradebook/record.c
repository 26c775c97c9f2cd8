// Graded submissions become attempts and grades. The same files of a student are the same attempt;
// grades are only added, and the newest of an attempt counts.
#include "course/gradebook/internal.h"

typedef struct recording {
    ladder_book *book;
    const ladder_lab *lab;
    int64_t assignment;
    bool regrade;
    FILE *notes;
    ladder_book_students students;
    ladder_book_recorded *counts;
} recording;

// Under which key one is entered whom nobody named: the first id, or the name, with the number that
// tells two of the same name apart.
static void stranger_key(const ladder_person *who, char out[LADDER_TITLE + 40]) {
    char id[LADDER_TITLE] = "";
    const char *at = who->ids;
    ladder_person_next(&at, id);
    if (ladder_participant(id))
        snprintf(out, LADDER_TITLE + 40, "%.*s (%.30s)", LADDER_TITLE - 1, who->name, id);
    else snprintf(out, LADDER_TITLE + 40, "%.*s", LADDER_TITLE - 1, id[0] != '\0' ? id : who->name);
}

static kl_status add_stranger(recording *r, const ladder_person *who, int64_t *out_student,
                              char key[LADDER_TITLE + 40], kl_error *err) {
    char id[LADDER_TITLE];
    stranger_key(who, key);
    TRY(ladder_sql_run(r->book, err,
                       "INSERT INTO students (key, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
                       "tt", key, who->name));
    bool made = sqlite3_changes(r->book->db) > 0; // else an earlier submission of this run did
    TRY(ladder_sql_number(r->book, 0, out_student, err,
                          "SELECT coalesce(merged, student) FROM students WHERE key = ?", "t",
                          key));
    if (!made) return KL_OK;
    for (const char *at = who->ids; ladder_person_next(&at, id);)
        if (strcmp(id, key) != 0) TRY(ladder_sql_alias(r->book, *out_student, id, err));
    r->counts->strangers++;
    return ladder_sql_audit(r->book, "student", key, NULL, err,
                            "%s, as it was handed in: in no roster", who->name);
}

static kl_status add_attempt(recording *r, const ladder_submission *submission,
                             const ladder_row *row, int64_t student, int64_t *out_attempt,
                             kl_error *err) {
    int64_t number = 0;
    TRY(ladder_sql_number(r->book, 1, &number, err,
                          "SELECT coalesce(max(number), 0) + 1 FROM attempts"
                          " WHERE student = ? AND assignment = ?",
                          "ii", student, r->assignment));
    TRY(ladder_sql_run(r->book, err,
                       "INSERT INTO attempts"
                       " (student, assignment, number, submission, title, submitted, late)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?)",
                       "iiittti", student, r->assignment, number, row->hash, submission->title,
                       submission->submitted, (int64_t)submission->late));
    *out_attempt = sqlite3_last_insert_rowid(r->book->db);
    r->counts->added += row->points.graded;
    r->counts->ungraded += !row->points.graded;
    return KL_OK;
}

// A grade is kept without what persons gave, which has rows of its own.
static ladder_points measured(const ladder_row *row) {
    ladder_points points = row->points;
    ladder_points_apply(&points, &(ladder_points_change){0});
    return points;
}

static kl_status add_grade(recording *r, const ladder_row *row, int64_t attempt, const char *key,
                           const char *before, kl_error *err) {
    char at[32], seed[24], now[80];
    const ladder_points points = measured(row);
    ladder_sql_now(at);
    snprintf(seed, sizeof seed, "%" PRIu64, row->trace.seed);
    TRY(ladder_sql_run(r->book, err,
                       "INSERT INTO grades (attempt, at, kit, rubric, ungradable, points,"
                       " points_max, device, sandbox, seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       "itttiddttt", attempt, at, row->trace.kit, row->rubric,
                       (int64_t)!points.graded, points.reached, points.most, row->trace.device,
                       row->trace.sandbox, seed));
    int64_t grade = sqlite3_last_insert_rowid(r->book->db);
    for (int i = 0; i < row->step_count; i++)
        TRY(ladder_sql_run(r->book, err,
                           "INSERT INTO steps (grade, step, outcome, points, points_max)"
                           " VALUES (?, ?, ?, ?, ?)",
                           "iitdd", grade, (int64_t)row->steps[i].step,
                           ladder_outcome_word(row->steps[i].outcome), row->steps[i].points,
                           row->steps[i].points_max));
    if (!points.graded) snprintf(now, sizeof now, "could not be graded");
    else snprintf(now, sizeof now, "%.2f of %.2f points", points.reached, points.most);
    int64_t number = 0;
    if (points.graded) // of those that were graded
        TRY(ladder_sql_number(
            r->book, 0, &number, err,
            "SELECT count(*) FROM attempts AS a JOIN attempts AS t USING (student, assignment)"
            " WHERE t.attempt = ?1 AND a.number <= t.number AND EXISTS (SELECT 1 FROM grades AS g"
            " WHERE g.attempt = a.attempt AND g.ungradable = 0)",
            "i", attempt));
    char which[40] = "no attempt";
    if (points.graded) snprintf(which, sizeof which, "attempt %" PRId64, number);
    return ladder_sql_audit(r->book, r->regrade ? "regrade" : "grade", key, r->lab->folder, err,
                            "%s: %s%s%s; files %.12s, rubric %.12s, kit %s", which, now,
                            before[0] != '\0' ? ", was " : "", before, row->hash, row->rubric,
                            row->trace.kit);
}

typedef struct newest_grade {
    bool found;
    ladder_points points;
    char rubric[LADDER_SHA256_TEXT];
} newest_grade;

static kl_status find_newest(recording *r, int64_t attempt, newest_grade *out, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    *out = (newest_grade){0};
    TRY(ladder_sql_prepare(r->book, &statement, err,
                           "SELECT ungradable, points, points_max, rubric FROM grades"
                           " WHERE attempt = ? ORDER BY grade DESC LIMIT 1",
                           "i", attempt));
    kl_status status = KL_OK;
    if (ladder_sql_row(r->book, statement, &status, err)) {
        out->found = true;
        out->points.graded = sqlite3_column_int(statement, 0) == 0;
        out->points.reached = sqlite3_column_double(statement, 1);
        out->points.most = sqlite3_column_double(statement, 2);
        ladder_sql_text(statement, 3, out->rubric, sizeof out->rubric);
    }
    sqlite3_finalize(statement);
    return status;
}

// A grade of an attempt that is there: whether it replaces the one before.
static kl_status grade_again(recording *r, const ladder_row *row, int64_t attempt, const char *key,
                             kl_error *err) {
    newest_grade last;
    char before[64] = "";
    TRY(find_newest(r, attempt, &last, err));
    bool same_rubric = strcmp(last.rubric, row->rubric) == 0;
    const ladder_points graded = measured(row), *was = &last.points, *is = &graded;
    bool same = last.found && same_rubric && was->graded == is->graded &&
                fabs(was->reached - is->reached) < 1e-9 && fabs(was->most - is->most) < 1e-9;
    bool stays = last.found && (was->graded ? !r->regrade : !is->graded);
    if (same || (stays && same_rubric)) {
        *(was->graded ? &r->counts->known : &r->counts->ungraded) += 1;
        return KL_OK;
    }
    if (stays || (!is->graded && last.found)) { // a grade is never given up for none
        r->counts->other_rubric++;
        return KL_OK;
    }
    if (last.found && !was->graded) snprintf(before, sizeof before, "not graded");
    else if (last.found) snprintf(before, sizeof before, "%.2f of %.2f", was->reached, was->most);
    r->counts->replaced++;
    return add_grade(r, row, attempt, key, before, err);
}

// The submission as one of a student, who may have handed it in with others.
static kl_status record_member(recording *r, const ladder_submission *submission,
                               const ladder_row *row, const ladder_person *who, kl_error *err) {
    int found = ladder_people_find(r->students.people, who);
    const ladder_book_student *one = found >= 0 ? &r->students.items[found] : NULL;
    int64_t student = one ? one->id : 0, attempt = 0;
    char key[LADDER_TITLE + 40] = "";
    bool matched = one && (one->roster || r->students.on_roster == 0);
    r->counts->people.students++;
    r->counts->people.matched += matched;
    if (!matched && r->notes && r->students.on_roster > 0)
        fprintf(r->notes, "  %s: %s\n",
                found == LADDER_SEVERAL ? "fits several students of the roster"
                                        : "no roster names the student",
                who->name[0] != '\0' ? who->name : submission->title);
    if (one && one->dropped && r->notes)
        fprintf(r->notes, "  dropped, and handed in: %s (%s)\n", one->name, one->key);
    if (!row->done || (r->regrade && !one)) {
        r->counts->skipped++;
        return KL_OK;
    }
    if (one) snprintf(key, sizeof key, "%s", one->key);
    else TRY(add_stranger(r, who, &student, key, err));
    TRY(ladder_sql_number(r->book, 0, &attempt, err,
                          "SELECT attempt FROM attempts"
                          " WHERE student = ? AND assignment = ? AND submission = ?",
                          "iit", student, r->assignment, row->hash));
    if (attempt > 0) return grade_again(r, row, attempt, key, err);
    if (r->regrade) {
        r->counts->skipped++;
        return KL_OK;
    }
    TRY(add_attempt(r, submission, row, student, &attempt, err));
    return add_grade(r, row, attempt, key, "", err);
}

static kl_status record_one(recording *r, const ladder_submission *submission,
                            const ladder_row *row, kl_error *err) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    if (submission->is_test) return KL_OK;
    int count = ladder_people_of(submission, members);
    for (int m = 0; m < count; m++) TRY(record_member(r, submission, row, &members[m], err));
    return KL_OK;
}

kl_status ladder_book_record(ladder_book *book, const ladder_lab *lab,
                             const ladder_submission *list, const ladder_row *rows, size_t count,
                             bool regrade, FILE *notes, ladder_book_recorded *out_recorded,
                             kl_error *err) {
    recording r = {
        .book = book, .lab = lab, .regrade = regrade, .notes = notes, .counts = out_recorded};
    *out_recorded = (ladder_book_recorded){0};
    TRY(ladder_sql_assignment(book, lab, !regrade, &r.assignment, err));
    if (r.assignment == 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s has no grade of %s: nothing to grade again",
                       book->path, lab->folder);
    kl_status status = ladder_sql_students(book, &r.students, err);
    for (size_t i = 0; i < count && status == KL_OK; i++)
        status = record_one(&r, &list[i], &rows[i], err);
    out_recorded->roster = r.students.on_roster > 0;
    ladder_book_students_free(&r.students);
    return status;
}

// What stands for all who handed it in; for a group whose members differ nothing, since what was
// decided about one of them is no matter of the others.
static kl_status standing_of_all(ladder_book *book, ladder_book_decision what, int64_t assignment,
                                 const ladder_book_students *students,
                                 const ladder_submission *submission, ladder_book_standing *out,
                                 kl_error *err) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    int count = ladder_people_of(submission, members);
    *out = (ladder_book_standing){0};
    for (int m = 0; m < count; m++) {
        ladder_book_standing one = {0};
        int found = ladder_people_find(students->people, &members[m]);
        if (found >= 0)
            TRY(ladder_sql_standing(book, what, students->items[found].id, assignment, &one, err));
        if (m > 0 && (one.stands != out->stands || one.value != out->value)) {
            *out = (ladder_book_standing){0};
            return KL_OK;
        }
        *out = one;
    }
    return KL_OK;
}

// Fills standings: [count], of those who handed in.
static kl_status find_standing(ladder_book *book, ladder_book_decision what, const ladder_lab *lab,
                               const ladder_submission *list, size_t count,
                               ladder_book_standing *standings, kl_error *err) {
    ladder_book_students students;
    int64_t assignment = 0;
    TRY(ladder_sql_assignment(book, lab, false, &assignment, err));
    TRY(ladder_sql_students(book, &students, err));
    kl_status status = KL_OK;
    for (size_t i = 0; i < count && status == KL_OK; i++)
        status = standing_of_all(book, what, assignment, &students, &list[i], &standings[i], err);
    ladder_book_students_free(&students);
    return status;
}

static ladder_book_standing *alloc_standings(size_t count, kl_error *err) {
    ladder_book_standing *made = calloc(count + 1, sizeof *made);
    if (!made) kl_fail(err, KL_ERROR_MEMORY, "no memory for what was decided");
    return made;
}

kl_status ladder_book_overrides(ladder_book *book, const ladder_lab *lab,
                                const ladder_submission *list, size_t count,
                                ladder_points_change *changes, kl_error *err) {
    ladder_book_standing *set = alloc_standings(count, err);
    if (!set) return KL_ERROR_MEMORY;
    kl_status status = find_standing(book, LADDER_BOOK_OVERRIDE, lab, list, count, set, err);
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        if (!set[i].stands) continue;
        changes[i].overridden = true;
        changes[i].override = set[i].value;
    }
    free(set);
    return status;
}

kl_status ladder_book_dues(ladder_book *book, const ladder_lab *lab, ladder_submission *list,
                           size_t count, kl_error *err) {
    ladder_book_standing *set = alloc_standings(count, err);
    if (!set) return KL_ERROR_MEMORY;
    kl_status status = find_standing(book, LADDER_BOOK_DUE, lab, list, count, set, err);
    for (size_t i = 0; i < count && status == KL_OK; i++)
        list[i].due_s = set[i].stands ? set[i].value : 0;
    free(set);
    return status;
}

kl_status ladder_book_slip_days(ladder_book *book, const ladder_lab *lab,
                                const ladder_late_policy *late, const ladder_submission *list,
                                size_t count, ladder_points_change *changes, kl_error *err) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    ladder_book_students students;
    TRY(ladder_sql_students(book, &students, err));
    kl_status status = KL_OK;
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        int people = ladder_people_of(&list[i], members);
        changes[i].slip_days = late->slip_days;
        for (int m = 0; m < people && status == KL_OK && late->slip_days > 0; m++) {
            int found = ladder_people_find(students.people, &members[m]), left = late->slip_days;
            if (found >= 0)
                status =
                    ladder_sql_slip_days(book, students.items[found].id, lab, late, &left, err);
            if (left < changes[i].slip_days) changes[i].slip_days = left;
        }
    }
    ladder_book_students_free(&students);
    return status;
}

kl_status ladder_book_names(ladder_book *book, ladder_submission *list, size_t count,
                            kl_error *err) {
    ladder_book_students students;
    TRY(ladder_sql_students(book, &students, err));
    ladder_person *who = calloc(students.count + 1, sizeof *who);
    for (size_t i = 0; who && i < students.count; i++)
        if (students.items[i].roster) who[i] = students.items[i].who; // else the name handed in
    kl_status status = who ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
    if (who) ladder_people_name(students.people, who, false, list, count);
    if (who) ladder_people_order(list, count);
    free(who);
    ladder_book_students_free(&students);
    return status;
}

kl_status ladder_book_given(ladder_book *book, const ladder_lab *lab, const ladder_submission *list,
                            size_t count, ladder_given *given, kl_error *err) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    ladder_book_students students;
    int64_t assignment = 0;
    TRY(ladder_sql_assignment(book, lab, false, &assignment, err));
    TRY(ladder_sql_students(book, &students, err));
    kl_status status = KL_OK;
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        int people = ladder_people_of(&list[i], members);
        ladder_points_change first = {0}, next = {0};
        for (int m = 0; m < people && status == KL_OK; m++) {
            ladder_given one;
            int found = ladder_people_find(students.people, &members[m]);
            // of one who is not in the book yet: the lab's criteria
            status = ladder_sql_given(book, found >= 0 ? students.items[found].id : 0, assignment,
                                      &one, err);
            ladder_given_sum(&one, &next);
            if (m == 0) {
                given[i] = one;
                first = next;
            } else if (next.given_hash != first.given_hash) {
                given[i] = (ladder_given){0};
            }
        }
    }
    ladder_book_students_free(&students);
    return status;
}
