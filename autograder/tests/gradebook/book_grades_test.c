// The gradebook: who is meant, which attempt counts, overrides, regrades, the audit trail.
// where: LADDER_HAVE_SQLITE
#include "suite.h"
#include "tests/gradebook/sample.h"

static kl_error err;

// Enters a submission and says how many strangers that made.
static size_t strangers(ladder_book *book, const char *title, const char *user) {
    ladder_submission s = book_submission(title, user, "");
    ladder_row row = book_row(title, "r1", 10);
    return book_enter(book, &s, &row, false).strangers;
}

KL_FIXTURE(book_set_up, book_tear_down)

KL_TEST(a_roster_names_students) {
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    book_roster(book, book_canvas, 0, 0);
    book_roster(book, "id;name;email\n4711;Ann Lee-Roe;ann@x.edu\n", 0, 1);
    book_roster(book,
                "\xEF\xBB\xBFIdentifier,Full name,Email address,Grade\n"
                "Participant 17,Cy Dee,cy@x.edu,\n",
                1, 0);
    ck_assert_uint_eq(strangers(book, "leeann", "4711"), 0);   // Canvas's number
    ck_assert_uint_eq(strangers(book, "BO@x.edu", ""), 0);     // a login
    ck_assert_uint_eq(strangers(book, "lee-roe, Ann", ""), 0); // a name, turned round
    ck_assert_uint_eq(strangers(book, "Cy_upload", "17"), 0);  // Moodle's participant
    ck_assert_uint_eq(strangers(book, "Bo Roe", ""), 1);       // fits two: nobody is guessed
    ck_assert_uint_eq(strangers(book, "somebody else", "99"), 1);
    ck_assert_uint_eq(strangers(book, "somebody else", "99"), 0); // known by now
    ck_assert_uint_eq(strangers(book, "Di Fox", ""), 1);
    book_roster(book, "id,name,login\n4720,\"Fox, Di\",di@x.edu\n", 0, 1); // the grade is hers now
    ck_assert_double_eq(book_final(book, "4720"), 10);
    ladder_book_roster_counts n;
    ck_assert_int_eq(ladder_book_roster(book, book_file("x.csv", "a,b\n1,2\n"), &n, &err),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "no columns that name students");
    const char *twice = "id,name,login\n81,Al,al\n82,Bea,bea\n81,Cid,cid\n";
    ck_assert_int_eq(ladder_book_roster(book, book_file("x.csv", twice), &n, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "lines 2 and 4: 81 is the id of both, Al and Cid");
}

KL_TEST(the_policy_chooses_the_attempt) {
    ladder_late_policy late = {.given = true, .cost = {0.5}, .at_most = 1};
    ck_assert(ladder_time_read("2026-11-20T12:00Z", &late.due_s));
    ladder_book *book = book_open();
    book_three_attempts(book);
    ck_assert_double_eq(book_final(book, "4711"), 40);
    book_policy(book, (ladder_book_policy){.late = late}); // 40 becomes 20
    ck_assert_double_eq(book_final(book, "4711"), 30);
    book_policy(book, (ladder_book_policy){.counts = LADDER_COUNTS_LAST, .late = late});
    ck_assert_double_eq(book_final(book, "4711"), 20);
    book_policy(book,
                (ladder_book_policy){.counts = LADDER_COUNTS_LAST, .attempts = 2, .late = late});
    ck_assert_double_eq(book_final(book, "4711"), 20); // the second, half lost
    book_policy(book, (ladder_book_policy){.counts = LADDER_COUNTS_FIRST});
    ck_assert_double_eq(book_final(book, "4711"), 30);
}

static kl_status override(ladder_book *book, const char *student, double points,
                          const char *reason) {
    return BOOK_CHANGE(
        book, &err, ladder_book_override(book, book_lab(), student, points, false, reason, &err));
}

KL_TEST(an_override_has_its_reason_and_can_be_taken_back) {
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    book_three_attempts(book);
    ck_assert_int_eq(override(book, "Lee, Ann", 45, " "), KL_ERROR_INPUT);
    ck_assert_int_eq(override(book, "Lee, Ann", -1, "x"), KL_ERROR_INPUT);
    ck_assert_int_eq(override(book, "Bo Roe", 5, "x"), KL_ERROR_INPUT);
    KL_HAS(err.text, "several students");
    ck_assert_int_eq(override(book, "nobody", 5, "x"), KL_ERROR_INPUT);
    ck_assert_int_eq(override(book, "4711", (double)NAN, "x"), KL_ERROR_INPUT); // none there
    OK(override(book, "ann@x.edu", 45, "dispute 12"));
    ck_assert_double_eq(book_final(book, "4711"), 45);
    size_t count = 0;
    ladder_book_line *marks = book_marks(book, &count);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(marks[0].reason, "dispute 12");
    ck_assert_str_eq(marks[0].who, "prof");
    ck_assert_double_eq(marks[0].row.points.reached, 40); // as graded stays beside it
    OK(override(book, "4711", (double)NAN, "a mistake"));
    ck_assert_double_eq(book_final(book, "4711"), 40);
    OK(override(book, "4712", 7, "oral exam")); // handed in nothing
    ck_assert_double_eq(book_final(book, "4712"), 7);
}

static kl_status give(ladder_book *book, const char *student, const char *criterion,
                      double points) {
    const ladder_book_gift gift = {.criterion = criterion, .points = points, .text = "so"};
    bool is_new = false;
    return BOOK_CHANGE(book, &err,
                       ladder_book_give(book, book_lab(), student, &gift, &is_new, &err));
}

// A document with marks and a comment on a line, for its description.
static void keep_json(ladder_book *book) {
    const ladder_book_gift gift = {.file = "1_interleaved.cu", .line = 3, .text = "why?"};
    bool is_new = false;
    char *text =
        KL_PRINTED(out, OK(ladder_book_give(book, book_lab(), "4711", &gift, &is_new, &err));
                   ck_assert_int_eq(ladder_book_json(book, book_lab(), out, &err), KL_OK));
    kl_keep("gradebook_given.json", text);
    KL_HAS(text, "\"criterion\": \"quality\"", "\"text\": \"why?\"");
}

// The grade of an attempt is kept without what persons gave, so that a regrade keeps both; what a
// group does not have in common is not the group's.
KL_TEST(what_a_person_gives_is_beside_the_grade) {
    ladder_book *book = book_open();
    ladder_submission ann = book_submission("ann", "4711", ""), pair = ann;
    ladder_row row = book_row("f", "r1", 30);
    book_roster(book, book_canvas, 3, 0);
    ck_assert_int_eq(give(book, "4711", "quality", 8), KL_ERROR_INPUT);
    OK(BOOK_CHANGE(book, &err,
                   ladder_book_criterion(book, book_lab(), "quality", 10, "names", &err)));
    book_enter(book, &ann, &row, false);
    ck_assert_double_eq(book_final(book, "4711"), 30); // not marked yet
    OK(give(book, "4711", "quality", 8));
    ck_assert_double_eq(book_final(book, "4711"), 38);
    size_t count = 0;
    ladder_book_line *marks = book_marks(book, &count);
    ck_assert(marks[0].row.points.most == 60 && marks[0].row.points.change.unmarked == 0);
    // A column has one maximum.
    ck_assert(marks[1].row.points.most == 60 && marks[1].row.points.change.unmarked == 10);
    ladder_given given[2] = {0};
    ladder_submission list[] = {ann, pair};
    ladder_submission_member(&list[1], "Ann", "4711");
    ladder_submission_member(&list[1], "Bo", "4712");
    OK(ladder_book_given(book, book_lab(), list, 2, given, &err));
    ck_assert(given[0].count == 1 && given[0].items[0].points == 8 && given[1].count == 0);
    row.points = marks[0].row.points; // as a page with the marks has it
    ck_assert_uint_eq(book_enter(book, &ann, &row, false).known, 1);
    row = book_row("f", "r2", 20);
    book_enter(book, &ann, &row, true);
    ck_assert_double_eq(book_final(book, "4711"), 28);
    keep_json(book);
    OK(give(book, "4711", "quality", (double)NAN));
    ck_assert_double_eq(book_final(book, "4711"), 20);
    ck_assert(!book_sql(book_path, "DELETE FROM given"));
}

// What `ladder regrade` prints; caller frees.
static char *regrade(const ladder_submission *list, const ladder_row *rows, size_t count,
                     bool apply) {
    const ladder_graded_options o = {
        .file = book_path, .who = "prof", .attempts = -1, .regrade = true, .apply = apply};
    const ladder_grade_results graded = {
        .lab = book_lab(), .submissions = list, .rows = rows, .count = count};
    kl_style style = {.width = 80};
    char *text =
        KL_PRINTED(out, ck_assert_msg(ladder_graded_after(&o, &graded, &style, out, &err) == KL_OK,
                                      "%s", err.text));
    return kl_own(text);
}

static void expect(char *text, const char *const *what) {
    for (; *what; what++) ck_assert_msg(strstr(text, *what), "no '%s' in:\n%s", *what, text);
    free(text);
}

KL_TEST(a_regrade_lists_who_moves_before_it_changes_anything) {
    ladder_submission list[4];
    ladder_row rows[4];
    static const char *const names[] = {"ann", "bo", "cy", "di"};
    ladder_book *book = book_open();
    for (int i = 0; i < 3; i++) {
        list[i] = book_submission(names[i], "", "");
        rows[i] = book_row(names[i], "r1", 30 + i);
        book_enter(book, &list[i], &rows[i], false);
    }
    OK(override(book, "cy", 50, "won the contest"));
    for (int i = 0; i < 3; i++) rows[i] = book_row(names[i], "r2", i == 1 ? 31 : 20 + i);
    list[3] = book_submission("di", "", "");
    rows[3] = book_row("di", "r2", 5);
    // Grading alone changes no grade that another rubric gave.
    ladder_book_recorded n = book_enter(book, &list[0], &rows[0], false);
    ck_assert_uint_eq(n.other_rubric, 1);
    book_close(book);
    expect(regrade(list, rows, 4, false),
           (const char *const[]){
               "     30.00 of 50       20.00 of 50  ann", "     50.00 of 50       50.00 of 50  cy",
               "(override stays)", "2 of 3 marks change; 3 grades are new",
               "1 submission is not in the gradebook", "was not changed: --apply", NULL});
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM grades"), 3);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM audit WHERE action = 'regrade'"), 0);
    expect(regrade(list, rows, 4, true),
           (const char *const[]){"2 of 3 marks change", "entered into", NULL});
    expect(regrade(list, rows, 4, true),
           (const char *const[]){"0 of 3 marks change; 0 grades are new, 3 as before", NULL});
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM grades"), 6); // the old ones stay
    book = book_open();
    ck_assert_double_eq(book_final(book, "ann"), 20);
    ck_assert_double_eq(book_final(book, "cy"), 50);
    rows[0] = book_row("ann", "r3", (double)NAN); // a machine that fails takes no grade away
    book_enter(book, &list[0], &rows[0], true);
    ck_assert_double_eq(book_final(book, "ann"), 20);
}

KL_TEST(what_could_not_be_graded_is_no_zero_and_is_graded_at_last) {
    ladder_book *book = book_open();
    ladder_submission s = book_submission("ann", "", "");
    ladder_row row = book_row("f", "r1", (double)NAN);
    book_enter(book, &s, &row, false);
    ck_assert(isnan(book_final(book, "ann")));
    row = book_row("f", "r1", 12);
    ck_assert_uint_eq(book_enter(book, &s, &row, false).replaced, 1);
    ck_assert_double_eq(book_final(book, "ann"), 12);
    row.done = false;
    ck_assert_uint_eq(book_enter(book, &s, &row, false).skipped, 1);
}

// Late by two days, graded between two hand-ins that were not: one attempt, and no slip days of the
// others. By each rule it is the one that counts, also where only the first one does.
KL_TEST(what_could_not_be_graded_is_no_attempt) {
    static const char *const counts[] = {"best", "last", "first"};
    static const double points[] = {NAN, 30, NAN};
    const ladder_graded_options o = {.file = book_path, .roster = "s.csv", .attempts = -1};
    const kl_style style = {.width = 80};
    ladder_book *book = book_open();
    char *text = NULL;
    size_t count = 0;
    for (int i = 0; i < 3; i++) {
        ladder_submission s = book_submission("ann", "4711", "2026-11-22T10:00Z");
        ladder_row row = book_row(i == 0 ? "f0" : i == 1 ? "f1" : "f2", "r1", points[i]);
        const ladder_grade_results graded = {
            .lab = book_lab(), .output = "out", .submissions = &s, .rows = &row, .count = 1};
        text = KL_PRINTED(
            out, ck_assert_int_eq(ladder_graded_after(&o, &graded, &style, out, &err), KL_OK));
        KL_HAS(text, i == 1 ? ": 1 new attempt, 0" : ": 0 new attempts, 0");
        ck_assert_msg(!strstr(text, "1 hand-in could not be graded: no attempt") == (i == 1), "%s",
                      text);
        KL_HAS(text, "the gradebook has no roster, as");
    }
    for (int i = 0; i < 3; i++) {
        ladder_book_policy policy = {.attempts = 1, .late = {.given = true}};
        ck_assert(ladder_time_read("2026-11-20T12:00Z", &policy.late.due_s));
        OK(ladder_late_rule_read("x", "10%, 5 slip days", &policy.late, &err));
        OK(ladder_graded_policy(counts[i], 1, &policy, &err));
        book_policy(book, policy);
        ladder_book_line *marks = book_marks(book, &count);
        ck_assert_msg(marks[0].attempt == 1 && marks[0].attempts == 1 && marks[0].ungraded == 2,
                      "%s: %d of %d", counts[i], marks[0].attempt, marks[0].attempts);
        ck_assert_double_eq(ladder_points_final(&marks[0].row.points), 30);
    }
    ladder_submission bo = book_submission("Bo Roe", "4712", "2026-11-22T10:00Z");
    ladder_row none = book_row("f", "r1", NAN);
    book_enter(book, &bo, &none, false);
    ladder_book_line *marks = book_marks(book, &count);
    const ladder_row *row = &marks[1].row; // stays to be seen, and spends nothing
    ck_assert(row->done && marks[1].attempts == 0 && row->points.change.slip_days == 0);
    text = KL_PRINTED(
        out, ck_assert_int_eq(ladder_book_show_lab(book, book_lab(), &style, out, &err), KL_OK));
    KL_HAS(text, "no attempt of ann: 2 hand-ins could not be graded");
}

// Each writing call, and the line that it leaves.
KL_TEST(every_change_leaves_its_line) {
    static const char *const lines[][2] = {
        {"create", "detail = 'version 9'"},
        {"student", "student = '4711' AND detail LIKE 'Lee, Ann%'"},
        {"student", "student = '4711' AND detail LIKE 'Anne Lee%was Lee, Ann%'"},
        {"student", "student = 'guest' AND detail LIKE '%no roster'"},
        {"policy", "lab = '02_reduction' AND detail LIKE 'last of 2 attempts%was: best%'"},
        {"grade", "student = '4711' AND detail LIKE 'attempt 1: 30.00 of 50.00 points; files f1,"
                  " rubric r1, kit 0.1.0 abcd'"},
        {"grade", "student = 'guest' AND detail LIKE 'no attempt: could not be graded%'"},
        {"regrade", "student = '4711' AND detail LIKE 'attempt 1: 20.00 of 50.00 points, was"
                    " 30.00 of 50.00; files f1, rubric r2%'"},
        {"override", "student = '4711' AND detail = '45.00 points, was none: dispute 12'"},
        {"override", "student = '4711' AND detail = 'taken back, was 45.00 points: mistake'"},
    };
    ladder_book *book = book_open();
    ladder_submission ann = book_submission("ann", "4711", ""),
                      guest = book_submission("guest", "", "");
    ladder_row good = book_row("f1", "r1", 30), lost = book_row("f2", "r1", (double)NAN);
    book_roster(book, book_canvas, 3, 0);
    book_roster(book, "id,name,login\n4711,Ann Lee,ann@x.edu\n", 0, 0); // turned: as it was
    book_roster(book, "id,name,login\n4711,Anne Lee,ann@x.edu\n", 0, 1);
    book_enter(book, &guest, &lost, false);
    book_policy(book, (ladder_book_policy){.counts = LADDER_COUNTS_LAST, .attempts = 2});
    book_enter(book, &ann, &good, false);
    good = book_row("f1", "r2", 20);
    book_enter(book, &ann, &good, true);
    OK(override(book, "4711", 45, "dispute 12"));
    OK(override(book, "4711", (double)NAN, "mistake"));
    book_close(book);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char sql[400];
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM audit WHERE action = '%s' AND who = 'prof' AND %s",
                 lines[i][0], lines[i][1]);
        ck_assert_msg(book_ask(book_path, sql) == 1, "%s", sql);
    }
    ck_assert_int_eq(book_ask(book_path,
                              "SELECT count(*) FROM grades WHERE device = 'simulated'"
                              " AND sandbox = 'isolated' AND seed = '18446744073709551615'"),
                     3);
    // Ten lines of one change each, two more students, and nothing else.
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM audit"), 12);
    // Not even another program takes a line away, or a grade.
    static const char *const forbidden[] = {
        "DELETE FROM audit",  "UPDATE audit SET who = 'x'",       "UPDATE grades SET points = 50",
        "DELETE FROM grades", "UPDATE overrides SET points = 50", "DELETE FROM steps"};
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++)
        ck_assert_msg(!book_sql(book_path, forbidden[i]), "%s", forbidden[i]);
}

KL_TEST(tables_fit_and_hold_no_formula) {
    kl_style style = {.width = 80};
    char line_copy[400];
    ladder_book *book = book_open();
    book_roster(
        book,
        "id,name,login\n1,\"=cmd|' /C calc'!A0 and a name that is longer than any table\",x\n"
        "4712,Bo Roe,bo\n4713,Bo Roe,bo2\n",
        3, 0);
    ladder_submission s = book_submission("x", "", "");
    ladder_row row = book_row("f", "r1", 12.5);
    book_enter(book, &s, &row, false);
    OK(override(book, "x", 45,
                "a reason that needs more than one line of a terminal "
                "of eighty columns, as reasons do"));
    char *text =
        KL_PRINTED(out, OK(ladder_book_show(book, &style, out, &err));
                   OK(ladder_book_show_lab(book, book_lab(), &style, out, &err));
                   ck_assert_int_eq(ladder_book_history(book, NULL, &style, out, &err), KL_OK));
    KL_HAS(text, "1 of 1    12.50");
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        snprintf(line_copy, sizeof line_copy, "%.*s", (int)strcspn(line, "\n"), line);
        ck_assert_msg(kl_text_width(line_copy) <= 80, "%s", line_copy);
        ck_assert_msg(line_copy[0] == '\0' || line_copy[strlen(line_copy) - 1] != ' ', "%s|",
                      line_copy);
    }
    ck_assert_msg(strstr(text, "Bo Roe (4712)") && strstr(text, "Bo Roe (4713)"), "%s", text);
    text = KL_PRINTED(out, ck_assert_int_eq(ladder_book_csv(book, book_lab(), out, &err), KL_OK));
    KL_HAS(text, "\"1\",\"'=cmd|", ",12.5000,50.0000,,0,0.0000,45.0000,");
    text = KL_PRINTED(out, ck_assert_int_eq(ladder_book_json(book, book_lab(), out, &err), KL_OK));
    kl_keep("gradebook.json", text);
    KL_HAS(text, "\"override\": 45", "\"kit\": \"0.1.0 abcd\"");
}

static const char worksheet[] = "Identifier,Full name,Email address,Status,Grade\n"
                                "Participant 101,Ann Lee,ann@x.edu,,\n"
                                "Participant 102,Bo Roe,bo@x.edu,,\n";

// One student in the sheets of two systems is one student, whatever stands for the id there.
KL_TEST(two_systems_name_one_student) {
    ladder_book *book = book_open();
    book_roster(book,
                "Student,ID,SIS User ID,SIS Login ID,Section\n\"Lee, Ann\",4711,,ann,A\n"
                "\"Roe, Bo\",4712,,bo,A\n\"Student, Test\",4799,,77ab,A\n",
                2, 0);
    book_roster(book, worksheet, 0, 2);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM students"), 2);
    OK(override(book, "ann@x.edu", 45, "dispute 12")); // no ghost's
    ck_assert_double_eq(book_final(book, "4711"), 45);
    ladder_submission s = book_submission("Ann Lee", "101", "");
    ladder_submission_member(&s, "Ann Lee", "Participant 101");
    ladder_row row = book_row("f", "r1", 10);
    ck_assert_uint_eq(book_enter(book, &s, &row, false).strangers, 0);
    // In the next assignment Moodle counts its participants anew.
    book_roster(book,
                "Identifier,Full name,Email address\nParticipant 102,Ann Lee,ann@x.edu\n"
                "Participant 101,Bo Roe,bo@x.edu\n",
                0, 0);
    s = book_submission("Bo Roe", "101", "");
    ladder_submission_member(&s, "Bo Roe", "Participant 101");
    row = book_row("g", "r1", 20);
    ck_assert_uint_eq(book_enter(book, &s, &row, false).strangers, 0);
    ck_assert_double_eq(book_final(book, "4712"), 20);
    // Two that an older kit took for two students are told, and no third one is made of them.
    ck_assert(book_sql(book_path, "INSERT INTO students (key, name, login, roster) VALUES"
                                  " ('Participant 7', 'Ann Lee', 'ann@x.edu', 1)"));
    ladder_book_roster_counts n;
    OK(ladder_book_begin(book, &err));
    OK(ladder_book_roster(book, book_file("r.csv", worksheet), &n, &err));
    ck_assert(n.added == 0 && n.undecided == 1 && strcmp(n.first, "Ann Lee") == 0);
    OK(ladder_book_merge(book, "Participant 7", "4711", &err));
    OK(ladder_book_commit(book, &err));
    book_roster(book, worksheet, 0, 0);
    // Another one of the same name, by another login, is another one.
    book_roster(book, "ID,Name,Login\n4720,Ann Lee,al2\n", 1, 0);
}

static ladder_submission group_of(const char *files) {
    ladder_submission s = book_submission("Ann Lee, Bo Roe, Cy Dee", "4711", files);
    ladder_submission_member(&s, "Ann Lee", "4711\tann@x.edu");
    ladder_submission_member(&s, "Bo Roe", "bo2@x.edu");
    ladder_submission_member(&s, "Cy Dee", "");
    return s;
}

KL_TEST(a_group_has_a_mark_each) {
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    ladder_submission s = group_of("");
    ladder_row row = book_row("f", "r1", 30);
    ladder_book_recorded n = book_enter(book, &s, &row, false);
    ck_assert_uint_eq(n.added, 3);
    ck_assert_uint_eq(n.strangers, 1); // Cy is in no roster
    ck_assert_uint_eq(n.people.students, 3);
    ck_assert_uint_eq(n.people.matched, 2);
    ck_assert_uint_eq(book_enter(book, &s, &row, false).known, 3);
    ck_assert_double_eq(book_final(book, "4711"), 30);
    ck_assert(isnan(book_final(book, "4712"))); // the other Bo
    ck_assert_double_eq(book_final(book, "4713"), 30);
    ck_assert_double_eq(book_final(book, "Cy Dee"), 30);
    // What is decided about one of them is no matter of the others, and not on their page.
    OK(override(book, "4711", 45, "oral exam"));
    ck_assert_double_eq(book_final(book, "4711"), 45);
    ck_assert_double_eq(book_final(book, "4713"), 30);
    ladder_points_change change = {0};
    OK(ladder_book_overrides(book, book_lab(), &s, 1, &change, &err));
    ck_assert(!change.overridden);
    OK(override(book, "4713", 45, "oral exam"));
    OK(override(book, "Cy Dee", 45, "oral exam"));
    OK(ladder_book_overrides(book, book_lab(), &s, 1, &change, &err));
    ck_assert(change.overridden && change.override == 45);
    s = book_submission("studenttest", "99", ""); // Canvas's
    s.is_test = true;
    ck_assert_uint_eq(book_enter(book, &s, &row, false).people.students, 0);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM students"), 4);
}

static kl_status in_change(ladder_book *book, bool merge, const char *a, const char *b) {
    return BOOK_CHANGE(book, &err,
                       merge ? ladder_book_merge(book, a, b, &err)
                             : ladder_book_alias(book, a, b, &err));
}

KL_TEST(aliases_and_merging_decide) {
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    ck_assert_uint_eq(strangers(book, "annie", ""), 1); // 10 points
    ladder_row better = book_row("better", "r1", 30), failed = book_row("same", "r1", (double)NAN),
               graded = book_row("same", "r1", 12);
    ladder_submission ghost = book_submission("annie", "", ""),
                      own = book_submission("ann", "4711", "");
    book_enter(book, &own, &failed, false);
    book_enter(book, &ghost, &better, false);
    book_enter(book, &ghost, &graded, false); // the same files as those of 4711
    OK(override(book, "annie", 40, "went to the wrong one"));
    ck_assert_int_eq(in_change(book, false, "4711", "annie"), KL_ERROR_INPUT);
    KL_HAS(err.text, "ladder gradebook merge");
    ck_assert_int_eq(in_change(book, true, "4711", "annie"), KL_ERROR_INPUT);
    KL_HAS(err.text, "merge annie into 4711");
    OK(override(book, "4711", 41, "another"));
    ck_assert_int_eq(in_change(book, true, "annie", "4711"), KL_ERROR_INPUT);
    KL_HAS(err.text, "both have an override");
    OK(override(book, "4711", (double)NAN, "taken back"));
    OK(in_change(book, true, "annie", "4711"));
    size_t count = 0;
    ladder_book_line *marks = book_marks(book, &count);
    ck_assert_uint_eq(count, 3); // no ghost
    ck_assert_str_eq(marks[0].key, "4711");
    ck_assert_int_eq(marks[0].attempts, 3);
    ck_assert_double_eq(ladder_points_final(&marks[0].row.points), 40);
    ck_assert_str_eq(marks[0].reason, "went to the wrong one");
    OK(override(book, "4711", (double)NAN, "only to see the attempts"));
    book_policy(book, (ladder_book_policy){.counts = LADDER_COUNTS_FIRST, .attempts = 1});
    ck_assert_double_eq(book_final(book, "4711"), 10); // the first that came
    book_policy(book, (ladder_book_policy){.counts = LADDER_COUNTS_LAST});
    ck_assert_double_eq(book_final(book, "4711"), 30);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM grades JOIN attempts USING (attempt)"
                                         " JOIN students USING (student) WHERE key = '4711'"
                                         " AND attempts.submission = 'same' AND ungradable = 0"),
                     1);                                // the grade that the same files got there
    ck_assert_uint_eq(strangers(book, "annie", ""), 0); // known from now on
    OK(in_change(book, false, "4712", "Robert Roe"));
    ck_assert_uint_eq(strangers(book, "roe, robert", ""), 0);
    ck_assert_int_eq(in_change(book, true, "4711", "ann@x.edu"), KL_ERROR_INPUT);
    ck_assert_int_eq(in_change(book, true, "nobody", "4711"), KL_ERROR_INPUT);
    ck_assert_int_eq(book_ask(book_path,
                              "SELECT count(*) FROM audit WHERE action = 'merge'"
                              " AND student = '4711' AND detail LIKE 'annie (annie) is%'"),
                     1);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM audit WHERE action = 'alias'"), 1);
    book_is_whole(book_path);
}

KL_TEST(more_than_all_points_is_a_bonus) {
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    book_three_attempts(book);
    ck_assert_int_eq(override(book, "4711", 50.5, "too much"), KL_ERROR_INPUT);
    KL_HAS(err.text, "50.5 points are more than the 50 of 02_reduction: with"
                     " --bonus");
    ck_assert_int_eq(override(book, "4711", -5, "too little"), KL_ERROR_INPUT);
    KL_HAS(err.text, "0 or more, not -5");
    OK(BOOK_CHANGE(book, &err,
                   ladder_book_override(book, book_lab(), "4711", 55, true, "contest", &err)));
    ck_assert_double_eq(book_final(book, "4711"), 55);
}

// Before anything is graded the lab's points are those of its rubric: a mark out of 0 would be a 0.
KL_TEST(an_override_before_the_first_grade_is_of_all_points) {
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    OK(override(book, "4711", 45, "oral exam"));
    ladder_book_line mark;
    OK(ladder_book_mark(book, book_lab(), "ann@x.edu", &mark, &err));
    ck_assert(mark.row.points.most > 90 && mark.row.points.most <= 100);
    ladder_submission s = book_submission("ann", "4711", "");
    ladder_row row = book_row("f", "r1", (double)NAN); // nor by what could not be graded
    row.points.most = 0;
    book_enter(book, &s, &row, false);
    OK(ladder_book_mark(book, book_lab(), "4711", &mark, &err));
    ck_assert(mark.row.points.most > 90 && ladder_points_final_score(&mark.row.points) > 40);
}

KL_TEST_MAIN("gradebook")
