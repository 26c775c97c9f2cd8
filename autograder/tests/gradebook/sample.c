// A gradebook to test with: see sample.h.
#include "tests/gradebook/sample.h"

#include <sqlite3.h>

#include "suite.h"

char book_folder[LADDER_PATH], book_path[LADDER_PATH];

void book_set_up(void) {
    kl_error err;
    ck_assert_int_eq(ladder_folder_temporary(book_folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(book_path, &err, "%s/course.db", book_folder), KL_OK);
}

void book_tear_down(void) { ladder_folder_remove(book_folder); }

const ladder_lab *book_lab(void) { return ladder_lab_find("reduction"); }

ladder_book *book_open(void) {
    const ladder_book_access access = {.create = true, .who = "prof"};
    ladder_book *book = NULL;
    kl_error err = {KL_OK, ""};
    OK_OR_SAY(ladder_book_open(book_path, &access, &book, &err), err);
    kl_close_later((void (*)(void *))ladder_book_close, book);
    return book;
}

void book_close(ladder_book *book) {
    kl_is_closed(book);
    ladder_book_close(book);
}

const char *book_file(const char *name, const char *text) {
    static char path[LADDER_PATH];
    kl_error err;
    ck_assert_int_eq(ladder_path(path, &err, "%s/%s", book_folder, name), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
    return path;
}

ladder_submission book_submission(const char *title, const char *user, const char *submitted) {
    ladder_submission s = {.late = false};
    snprintf(s.title, sizeof s.title, "%s", title);
    snprintf(s.user, sizeof s.user, "%s", user);
    snprintf(s.submitted, sizeof s.submitted, "%s", submitted);
    return s;
}

ladder_row book_row(const char *files, const char *rubric, double points) {
    ladder_row row = {
        .done = true, .points = {.graded = !isnan(points), .most = 50}, .step_count = 1};
    row.points.reached = row.points.graded ? points : 0;
    snprintf(row.hash, sizeof row.hash, "%s", files);
    snprintf(row.rubric, sizeof row.rubric, "%s", rubric);
    row.trace = (ladder_trace){"0.1.0 abcd", "simulated", "isolated", UINT64_MAX};
    row.steps[0].step = 3;
    row.steps[0].outcome = !row.points.graded ? LADDER_UNGRADABLE : LADDER_WRONG_ANSWER;
    row.steps[0].points = row.points.reached;
    row.steps[0].points_max = 50;
    return row;
}

ladder_book_recorded book_enter(ladder_book *book, const ladder_submission *submission,
                                const ladder_row *row, bool regrade) {
    ladder_book_recorded n;
    kl_error err = {KL_OK, ""};
    OK_OR_SAY(BOOK_CHANGE(book, &err,
                          ladder_book_record(book, book_lab(), submission, row, 1, regrade, NULL,
                                             &n, &err)),
              err);
    return n;
}

ladder_book_line *book_marks(ladder_book *book, size_t *out_count) {
    ladder_book_line *marks = NULL;
    kl_error err = {KL_OK, ""};
    OK_OR_SAY(ladder_book_marks(book, book_lab(), &marks, out_count, &err), err);
    return kl_own(marks);
}

double book_final(ladder_book *book, const char *key) {
    size_t count = 0;
    double final = (double)NAN;
    bool found = false;
    ladder_book_line *marks = book_marks(book, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(marks[i].key, key) != 0) continue;
        final = ladder_points_final(&marks[i].row.points);
        found = true;
    }
    ck_assert_msg(found, "no student %s", key);
    return final;
}

int64_t book_ask(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(db));
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

bool book_sql(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL),
                     SQLITE_OK);
    bool done = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_close(db);
    return done;
}

void book_is_whole(const char *path) {
    ck_assert_int_eq(
        book_ask(path, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"),
        1);
}

void book_policy(ladder_book *book, ladder_book_policy wanted) {
    kl_error err;
    ladder_book_policy got;
    OK(BOOK_CHANGE(book, &err, ladder_book_policy_set(book, book_lab(), &wanted, &err)));
    OK(ladder_book_policy_get(book, book_lab(), &got, &err));
    ck_assert(got.counts == wanted.counts && got.attempts == wanted.attempts);
    ck_assert(got.late.given == wanted.late.given && got.late.due_s == wanted.late.due_s);
}

const char book_canvas[] = "Student,ID,SIS User ID,SIS Login ID,Section,02_reduction (7)\n"
                           "    Points Possible,,,,,50\n"
                           "\"Lee, Ann\",4711,,ann@x.edu,A,40\n"
                           "\"Roe, Bo\",4712,,bo@x.edu,A,\n"
                           "\"Roe, Bo\",4713,,bo2@x.edu,B,\n";

void book_roster(ladder_book *book, const char *text, size_t added, size_t changed) {
    ladder_book_roster_counts n;
    kl_error err;
    const char *file = book_file("roster.csv", text);
    OK_OR_SAY(BOOK_CHANGE(book, &err, ladder_book_roster(book, file, &n, &err)), err);
    ck_assert_uint_eq(n.added, added);
    ck_assert_uint_eq(n.changed, changed);
}

void book_three_attempts(ladder_book *book) {
    static const double points[] = {30, 40, 20};
    static const char *const times[] = {"2026-11-20T10:00Z", "2026-11-21T10:00Z",
                                        "2026-11-20T11:00Z"};
    for (int i = 0; i < 3; i++) {
        char files[16];
        snprintf(files, sizeof files, "f%d", i);
        ladder_submission s = book_submission("ann", "4711", times[i]);
        ladder_row row = book_row(files, "r1", points[i]);
        ck_assert_uint_eq(book_enter(book, &s, &row, false).added, 1);
        ck_assert_uint_eq(book_enter(book, &s, &row, false).known, 1); // the same files
    }
}
