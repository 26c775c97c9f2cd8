// Which attempt of a student counts, and the mark that it comes to.
#include "course/gradebook/internal.h"

// One attempt with its newest grade.
typedef struct attempt {
    int64_t grade;
    int number; // of those that were graded; 0: it was not
    ladder_row row;
    char kit[80], at[32], submitted[40];
    bool late; // marked so by the course system
} attempt;

// All of a student's in a lab, and the student's own due date.
typedef struct attempts {
    attempt *items; // [count]
    int count, graded;
    ladder_book_policy policy;
    ladder_book_standing due;
} attempts;

static void read_attempt(sqlite3_stmt *statement, attempt *out) {
    *out = (attempt){.grade = sqlite3_column_int64(statement, 3)};
    ladder_sql_text(statement, 0, out->row.hash, sizeof out->row.hash);
    ladder_sql_text(statement, 1, out->submitted, sizeof out->submitted);
    out->late = sqlite3_column_int(statement, 2) != 0;
    ladder_sql_text(statement, 4, out->at, sizeof out->at);
    ladder_sql_text(statement, 5, out->kit, sizeof out->kit);
    ladder_sql_text(statement, 6, out->row.rubric, sizeof out->row.rubric);
    out->row.points.graded = sqlite3_column_int(statement, 7) == 0;
    out->row.points.reached = sqlite3_column_double(statement, 8);
    out->row.points.most = sqlite3_column_double(statement, 9);
    out->row.done = true;
}

// Whether an attempt that came later counts in place of an earlier one; what could not be graded is
// none, and stands where there is no other.
static bool is_preferred(ladder_book_counts counts, const attempt *later, const attempt *earlier) {
    if (later->number == 0 || earlier->number == 0) return earlier->number == 0;
    if (counts == LADDER_COUNTS_FIRST) return false;
    return counts == LADDER_COUNTS_LAST ||
           ladder_points_final(&later->row.points) > ladder_points_final(&earlier->row.points);
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

// policy: of the lab, or NULL to read it. The caller frees items.
static kl_status read_attempts(ladder_book *book, int64_t student, const ladder_lab *lab,
                               const ladder_book_policy *policy, attempts *out, kl_error *err) {
    sqlite3_stmt *statement = NULL;
    int64_t assignment = 0;
    *out = (attempts){0};
    if (policy) out->policy = *policy;
    else TRY(ladder_book_policy_get(book, lab, &out->policy, err));
    TRY(ladder_sql_assignment(book, lab, false, &assignment, err));
    TRY(ladder_sql_standing(book, LADDER_BOOK_DUE, student, assignment, &out->due, err));
    TRY(ladder_sql_prepare(
        book, &statement, err,
        "SELECT submission, submitted, late, grade, at, kit, rubric, ungradable, points,"
        " points_max FROM attempts JOIN grades USING (attempt)"
        " WHERE student = ? AND assignment = ? AND grade ="
        " (SELECT max(grade) FROM grades AS g WHERE g.attempt = attempts.attempt)"
        " ORDER BY number",
        "ii", student, assignment));
    kl_status status = KL_OK;
    while (ladder_sql_row(book, statement, &status, err)) {
        attempt *grown = realloc(out->items, ((size_t)out->count + 1) * sizeof *grown);
        if (!grown) {
            status = kl_fail(err, KL_ERROR_MEMORY, "no memory for attempts");
            break;
        }
        out->items = grown;
        read_attempt(statement, &grown[out->count]);
        if (grown[out->count].row.points.graded) grown[out->count].number = ++out->graded;
        out->count++;
    }
    sqlite3_finalize(statement);
    return status;
}

// The attempt that counts with so many slip days; NULL: none. What being late costs is in each.
static const attempt *choose(const attempts *all, int slip_days) {
    const attempt *chosen = NULL;
    for (int i = 0; i < all->count; i++) {
        attempt *next = &all->items[i];
        ladder_submission s = {.due_s = all->due.stands ? all->due.value : 0, .late = next->late};
        memcpy(s.submitted, next->submitted, sizeof s.submitted);
        int left = next->number > 0 ? slip_days : 0;
        ladder_late_apply(&all->policy.late, &s, left, &next->row.points.change);
        bool counts = all->policy.attempts == 0 || next->number <= all->policy.attempts;
        if (counts && (!chosen || is_preferred(all->policy.counts, next, chosen))) chosen = next;
    }
    return chosen;
}

// ---- slip days ----------------------------------------------------------------------------------

enum { SLIP_LABS = 64, SLIP_DAYS = 366 };

// Final scores with 0, 1, .. slip days for each lab: the way to spend `budget` that has the largest
// sum, and of equal ones that which spends less, and earlier. Returns what lab `own` gets, or,
// where nothing was handed in for it, what no other needs.
static int spend_best(double (*scores)[SLIP_DAYS], int labs, int own, bool handed_in, int budget) {
    static double sum[SLIP_LABS + 1][SLIP_DAYS];
    static int spent[SLIP_LABS][SLIP_DAYS];
    for (int b = 0; b <= budget; b++) sum[labs][b] = 0;
    for (int l = labs - 1; l >= 0; l--)
        for (int b = 0; b <= budget; b++) {
            sum[l][b] = -1;
            for (int s = 0; s <= b; s++)
                if (scores[l][s] + sum[l + 1][b - s] > sum[l][b] + 1e-9) {
                    sum[l][b] = scores[l][s] + sum[l + 1][b - s];
                    spent[l][b] = s;
                }
        }
    int left = budget;
    for (int l = 0; l < (handed_in ? own : labs); l++) left -= spent[l][left];
    return handed_in ? spent[own][left] : left;
}

kl_status ladder_sql_slip_days(ladder_book *book, int64_t student, const ladder_lab *lab,
                               const ladder_late_policy *late, int *out_left, kl_error *err) {
    static double scores[SLIP_LABS][SLIP_DAYS];
    const ladder_lab *labs[SLIP_LABS];
    sqlite3_stmt *statement = NULL;
    int count = 0, own = -1, left = late->slip_days;
    bool handed_in = false;
    *out_left = left;
    if (left <= 0) return KL_OK;
    TRY(ladder_sql_prepare(book, &statement, err,
                           "SELECT lab FROM assignments WHERE due IS NOT NULL"
                           " ORDER BY due, assignment",
                           ""));
    kl_status status = KL_OK;
    while (count < SLIP_LABS && ladder_sql_row(book, statement, &status, err)) {
        char name[64];
        ladder_sql_text(statement, 0, name, sizeof name);
        labs[count] = ladder_lab_find(name);
        if (labs[count] == lab) own = count;
        count += labs[count] != NULL;
    }
    sqlite3_finalize(statement);
    int last =
        own < 0 || late->slip_best ? count : own; // of a lab that is not due in the book: all
    for (int l = 0; l < last && status == KL_OK; l++) {
        attempts all;
        status = read_attempts(book, student, labs[l], NULL, &all, err);
        const attempt *chosen = choose(&all, left);
        if (l == own) handed_in = chosen;
        if (!late->slip_best && chosen) left -= chosen->row.points.change.slip_days;
        for (int s = 0; late->slip_best && s <= late->slip_days; s++) {
            chosen = choose(&all, s);
            double score = chosen ? ladder_points_final_score(&chosen->row.points) : 0;
            scores[l][s] = score > 0 ? score : 0;
        }
        free(all.items);
    }
    *out_left = late->slip_best && own >= 0
                    ? spend_best(scores, count, own, handed_in, late->slip_days)
                    : left;
    return status;
}

static kl_status take_mark(ladder_book *book, int64_t student, const ladder_lab *lab,
                           const ladder_book_policy *policy, ladder_book_line *mark,
                           kl_error *err) {
    attempts all;
    int slip_days = 0;
    TRY(ladder_sql_slip_days(book, student, lab, &policy->late, &slip_days, err));
    kl_status status = read_attempts(book, student, lab, policy, &all, err);
    const attempt *chosen = status == KL_OK ? choose(&all, slip_days) : NULL;
    mark->attempts = all.graded;
    mark->ungraded = all.count - all.graded;
    if (chosen) {
        mark->attempt = chosen->number;
        mark->row = chosen->row;
        status = read_steps(book, chosen->grade, &mark->row, err);
        snprintf(mark->kit, sizeof mark->kit, "%s", chosen->kit);
        snprintf(mark->at, sizeof mark->at, "%s", chosen->at);
    }
    mark->row.points.change.due_s = all.due.stands ? all.due.value : 0;
    memcpy(mark->due_reason, all.due.reason, sizeof all.due.reason);
    memcpy(mark->due_who, all.due.who, sizeof all.due.who);
    free(all.items);
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
        status = take_mark(book, s->id, lab, &policy, &marks[i], err);
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
