// SPDX-License-Identifier: MIT
// Which attempt of a student counts, and the mark that it comes to.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course/gradebook/internal.h"
#include "utilities/kit.h"

// One attempt with its newest grade.
typedef struct attempt {
    int64_t grade;
    int number;
    ladder_row row;
    char kit[80], at[32];
} attempt;

static ladder_points_change late_change(const ladder_late_policy *policy, double due_s,
                                        sqlite3_stmt *statement) {
    ladder_submission handed_in = {.due_s = due_s, .late = sqlite3_column_int(statement, 3) != 0};
    ladder_sql_text(statement, 2, handed_in.submitted, sizeof handed_in.submitted);
    int days = ladder_late_days(policy, &handed_in);
    return (ladder_points_change){.late_days = days,
                                  .late_share = 1 - ladder_late_share(policy, days)};
}

static void read_attempt(sqlite3_stmt *statement, const ladder_book_policy *policy, double due_s,
                         attempt *out) {
    *out = (attempt){.number = sqlite3_column_int(statement, 0)};
    ladder_sql_text(statement, 1, out->row.hash, sizeof out->row.hash);
    out->row.points.change = late_change(&policy->late, due_s, statement);
    out->grade = sqlite3_column_int64(statement, 4);
    ladder_sql_text(statement, 5, out->at, sizeof out->at);
    ladder_sql_text(statement, 6, out->kit, sizeof out->kit);
    ladder_sql_text(statement, 7, out->row.rubric, sizeof out->row.rubric);
    out->row.points.graded = sqlite3_column_int(statement, 8) == 0;
    out->row.points.reached = sqlite3_column_double(statement, 9);
    out->row.points.most = sqlite3_column_double(statement, 10);
    out->row.done = true;
}

// Whether an attempt that came later counts in place of an earlier one.
static bool is_preferred(ladder_book_counts counts, const attempt *later, const attempt *earlier) {
    if (counts == LADDER_COUNTS_FIRST) return false;
    if (counts == LADDER_COUNTS_LAST) return true;
    const ladder_points *a = &later->row.points, *b = &earlier->row.points;
    return a->graded && (!b->graded || ladder_points_final(a) > ladder_points_final(b));
}

static ladder_outcome outcome_of(const char *word) {
    for (int i = 0; i < LADDER_OUTCOMES; i++)
        if (strcmp(ladder_outcome_word((ladder_outcome)i), word) == 0) return (ladder_outcome)i;
    return LADDER_UNGRADABLE; // a word of another kit
}

static kl_status read_steps(ladder_book *book, int64_t grade, ladder_row *row, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT step, outcome, points, points_max FROM steps"
                           " WHERE grade = ? ORDER BY step",
                           "i", grade));
    kl_status status = KL_OK;
    while (row->step_count < LADDER_STEPS_MAX && ladder_sql_row(book, statement, &status, err)) {
        char word[64];
        int i = row->step_count++;
        row->steps[i].step = sqlite3_column_int(statement, 0);
        ladder_sql_text(statement, 1, word, sizeof word);
        row->steps[i].outcome = outcome_of(word);
        row->steps[i].points = sqlite3_column_double(statement, 2);
        row->steps[i].points_max = sqlite3_column_double(statement, 3);
    }
    sqlite3_finalize(statement);
    return status;
}

static kl_status choose(ladder_book *book, int64_t student, int64_t assignment,
                        const ladder_book_policy *policy, ladder_book_line *mark, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    attempt chosen = {0}, next;
    ladder_book_standing own;
    TRY(ladder_sql_standing(book, LADDER_BOOK_DUE, student, assignment, &own, err));
    double due_s = own.stands ? own.value : 0;
    TRY(ladder_sql_prepare(
        book, &statement, err,
        "SELECT number, submission, submitted, late, grade, at, kit, rubric, ungradable, points,"
        " points_max FROM attempts JOIN grades USING (attempt)"
        " WHERE student = ? AND assignment = ? AND grade ="
        " (SELECT max(grade) FROM grades AS g WHERE g.attempt = attempts.attempt)"
        " ORDER BY number",
        "ii", student, assignment));
    kl_status status = KL_OK;
    while (ladder_sql_row(book, statement, &status, err)) {
        mark->attempts++;
        read_attempt(statement, policy, due_s, &next);
        bool counts = policy->attempts == 0 || next.number <= policy->attempts;
        if (counts && (chosen.number == 0 || is_preferred(policy->counts, &next, &chosen)))
            chosen = next;
    }
    sqlite3_finalize(statement);
    if (status == KL_OK && chosen.grade > 0)
        status = read_steps(book, chosen.grade, &chosen.row, err);
    mark->attempt = chosen.number;
    mark->row = chosen.row;
    mark->row.points.change.due_s = due_s;
    memcpy(mark->due_reason, own.reason, sizeof own.reason);
    memcpy(mark->due_who, own.who, sizeof own.who);
    snprintf(mark->kit, sizeof mark->kit, "%s", chosen.kit);
    snprintf(mark->at, sizeof mark->at, "%s", chosen.at);
    return status;
}

static kl_status apply_override(ladder_book *book, int64_t student, int64_t assignment,
                                ladder_book_line *mark, kl_error *err) {
    ladder_book_standing set;
    TRY(ladder_sql_standing(book, LADDER_BOOK_OVERRIDE, student, assignment, &set, err));
    mark->row.points.change.overridden = set.stands;
    mark->row.points.change.override = set.value;
    mark->override_most = set.most;
    memcpy(mark->reason, set.reason, sizeof set.reason);
    memcpy(mark->who, set.who, sizeof set.who);
    return KL_OK;
}

static kl_status apply_given(ladder_book *book, int64_t student, int64_t assignment,
                             ladder_book_line *mark, kl_error *err) {
    ladder_points_change change = mark->row.points.change;
    TRY(ladder_sql_given(book, student, assignment, &mark->given, err));
    ladder_given_sum(&mark->given, &change);
    ladder_points_apply(&mark->row.points, &change);
    return KL_OK;
}

// Without what a person gave.
static double measured_most(const ladder_book_line *mark) {
    return mark->row.points.most - mark->row.points.change.given_most;
}

// What a lab is worth, for an override of someone who handed in nothing: as graded, and before the
// first grade what the rubric gives on the simulator.
static double most_points(const ladder_lab *lab, const ladder_book_line *marks, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (marks[i].row.done) most = fmax(most, measured_most(&marks[i]));
    if (most > 0) return most;
    for (int s = 0; s < lab->rubric->step_count; s++)
        most +=
            ladder_rubric_points(&lab->rubric->steps[s], false, ladder_device_simulated()->name);
    return most;
}

kl_status ladder_book_marks(ladder_book *book, const ladder_lab *lab, ladder_book_line **out_marks,
                            size_t *out_count, kl_error *err) {
    ladder_book_students students;
    ladder_book_policy policy;
    int64_t assignment = 0;
    *out_marks = NULL;
    *out_count = 0;
    TRY(ladder_sql_assignment(book, lab, false, &assignment, err));
    TRY(ladder_book_policy_get(book, lab, &policy, err));
    TRY(ladder_sql_students(book, &students, err));
    ladder_book_line *marks = calloc(students.count + 1, sizeof *marks);
    kl_status status = marks ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the marks");
    size_t count = 0; // of those who are in the course
    for (size_t n = 0; n < students.count && status == KL_OK; n++) {
        const ladder_book_student *s = &students.items[n];
        if (s->dropped) continue;
        size_t i = count++;
        status = choose(book, s->id, assignment, &policy, &marks[i], err);
        if (status == KL_OK) status = apply_override(book, s->id, assignment, &marks[i], err);
        if (status == KL_OK) status = apply_given(book, s->id, assignment, &marks[i], err);
        memcpy(marks[i].key, s->key, sizeof s->key);
        memcpy(marks[i].name, s->name, sizeof s->name);
        memcpy(marks[i].login, s->login, sizeof s->login);
        marks[i].person = s->who;
        const char *title = s->name[0] != '\0' ? s->name : s->key;
        snprintf(marks[i].row.title, sizeof marks[i].row.title, "%s", title);
    }
    if (status == KL_OK) {
        double most = most_points(lab, marks, count);
        for (size_t i = 0; i < count; i++)
            if (!marks[i].row.done || measured_most(&marks[i]) == 0)
                marks[i].row.points.most = most + marks[i].row.points.change.given_most;
        *out_marks = marks;
        *out_count = count;
    } else {
        free(marks);
    }
    ladder_book_students_free(&students);
    return status;
}

kl_status ladder_book_mark(ladder_book *book, const ladder_lab *lab, const char *student,
                           ladder_book_line *out_mark, kl_error *err) {
    ladder_book_student one;
    ladder_book_line *marks = NULL;
    size_t count = 0;
    TRY(ladder_sql_student(book, student, &one, err));
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    for (size_t i = 0; i < count; i++)
        if (strcmp(marks[i].key, one.key) == 0) *out_mark = marks[i];
    free(marks);
    return KL_OK;
}
