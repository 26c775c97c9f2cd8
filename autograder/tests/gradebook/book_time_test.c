// Protects what time does to a mark in the gradebook: due dates of one's own and slip days.
#include "suite.h"
#include "tests/gradebook/sample.h"

static kl_error err;

KL_FIXTURE(book_set_up, book_tear_down)

static kl_status due(ladder_book *book, const char *student, const char *time, const char *reason) {
    double due_s = (double)NAN;
    ck_assert(!time || ladder_time_read(time, &due_s));
    return BOOK_CHANGE(book, &err, ladder_book_due(book, book_lab(), student, due_s, reason, &err));
}

KL_TEST(a_student_has_a_due_date_of_ones_own) {
    ladder_late_policy late = {.given = true, .cost = {0.5}, .at_most = 1};
    ck_assert(ladder_time_read("2026-11-20T12:00Z", &late.due_s));
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    book_three_attempts(book);
    book_policy(book, (ladder_book_policy){.late = late}); // 40 becomes 20
    ck_assert_double_eq(book_final(book, "4711"), 30);
    ck_assert_int_eq(due(book, "4711", "2026-11-22T12:00Z", ""), KL_ERROR_INPUT);
    KL_HAS(err.text, "a due date needs its reason");
    ck_assert_int_eq(due(book, "nobody", "2026-11-22T12:00Z", "ill"), KL_ERROR_INPUT);
    ck_assert_int_eq(due(book, "4711", NULL, "ill"), KL_ERROR_INPUT); // none there
    OK(due(book, "ann@x.edu", "2026-11-22T12:00Z", "ill"));
    ck_assert_double_eq(book_final(book, "4711"), 40);
    size_t count = 0;
    ladder_book_line *marks = book_marks(book, &count);
    ck_assert_str_eq(marks[0].due_reason, "ill");
    ck_assert_str_eq(marks[0].due_who, "prof");
    ck_assert(marks[0].row.points.change.due_s == late.due_s + 2 * 86400);
    ck_assert(marks[1].row.points.change.due_s == 0 &&
              marks[1].due_reason[0] == '\0'); // nobody else's
    ladder_submission list[] = {book_submission("Bo", "4712", ""),
                                book_submission("ann", "4711", "2026-11-22T12:01Z")};
    OK(ladder_book_dues(book, book_lab(), list, 2, &err));
    ladder_points_change change;
    ladder_late_apply(&late, &list[1], 0, &change);
    ck_assert(list[0].due_s == 0 && change.late_days == 1);
    OK(due(book, "4711", NULL, "a mistake"));
    ck_assert_double_eq(book_final(book, "4711"), 30);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM audit WHERE action = 'own due date'"
                                         " AND student = '4711'"),
                     2);
    ck_assert(!book_sql(book_path, "DELETE FROM dues"));
}

// Final points of three labs, due one after another, by a policy; slip days come from one budget.
static void slip(ladder_book *book, const char *line, const double want[3], int want_left) {
    static const char *const labs[] = {"transpose", "reduction", "gemm"};
    static const char *const dues[] = {"2026-11-01T12:00Z", "2026-11-10T12:00Z",
                                       "2026-11-20T12:00Z"};
    for (int l = 0; l < 3; l++) {
        ladder_book_policy all = {.late = {.given = true}};
        ck_assert(ladder_time_read(dues[l], &all.late.due_s));
        OK(ladder_late_rule_read("line", line, &all.late, &err));
        OK(BOOK_CHANGE(book, &err,
                       ladder_book_policy_set(book, ladder_lab_find(labs[l]), &all, &err)));
    }
    for (int l = 0; l < 3; l++) {
        ladder_book_line mark;
        OK(ladder_book_mark(book, ladder_lab_find(labs[l]), "4711", &mark, &err));
        ck_assert_msg(fabs(ladder_points_final(&mark.row.points) - want[l]) < 1e-9, "%s, %s: %g",
                      line, labs[l], ladder_points_final(&mark.row.points));
    }
    ladder_book_policy policy;
    ladder_submission list[] = {book_submission("ann", "4711", ""),
                                book_submission("Bo", "4712", "")};
    ladder_points_change changes[2] = {{0}};
    OK(ladder_book_policy_get(book, book_lab(), &policy, &err));
    OK(ladder_book_slip_days(book, book_lab(), &policy.late, list, 2, changes, &err));
    ck_assert_int_eq(changes[0].slip_days, want_left);
    ck_assert_int_eq(changes[1].slip_days, policy.late.slip_days); // who handed in nothing yet
}

KL_TEST(slip_days_are_one_budget_for_all_labs) {
    static const struct {
        const char *lab, *submitted;
        double points;
    } handed_in[] = {{"transpose", "2026-11-03T10:00Z", 10},
                     {"reduction", "2026-11-12T10:00Z", 50},
                     {"gemm", "2026-11-21T10:00Z", 40}}; // two days late, two, one
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    for (int i = 0; i < 3; i++) {
        ladder_book_recorded n;
        ladder_submission s = book_submission("ann", "4711", handed_in[i].submitted);
        ladder_row row = book_row("f", "r1", handed_in[i].points);
        OK(ladder_book_begin(book, &err));
        OK(ladder_book_record(book, ladder_lab_find(handed_in[i].lab), &s, &row, 1, false, NULL, &n,
                              &err));
        OK(ladder_book_commit(book, &err));
    }
    slip(book, "10%", (const double[]){8, 40, 36}, 0);
    slip(book, "10%, 3 slip days", (const double[]){10, 45, 36}, 1);
    slip(book, "10%, 3 slip days, 1 per lab", (const double[]){9, 45, 40}, 2);
    slip(book, "10%, 3 slip days, spent best", (const double[]){8, 50, 40}, 2);
    slip(book, "10%, 9 slip days, spent best", (const double[]){10, 50, 40}, 2);
    slip(book, "5 points once, 2 slip days, spent best", (const double[]){5, 45, 40}, 0);
    slip(book, "5 points once, 1 slip day, spent best", (const double[]){5, 45, 40}, 0);
    OK(due(book, "4711", "2026-11-13T12:00Z", "ill")); // of reduction: in time
    slip(book, "10%, 3 slip days", (const double[]){10, 50, 40}, 1);
}

// Two labs two days late share three slip days; a third, which needs one of them more, takes it.
KL_TEST(a_run_says_which_other_marks_its_slip_days_change) {
    static const char *const labs[] = {"transpose", "reduction", "gemm"};
    static const double points[] = {10, 50, 40};
    const ladder_graded_options options = {.file = book_path};
    const kl_style style = {.width = 400};
    ladder_book *book = book_open();
    book_roster(book, book_canvas, 3, 0);
    book_close(book);
    for (int l = 0; l < 3; l++) {
        ladder_submission s = book_submission("ann", "4711", "2026-11-21T10:00Z");
        ladder_row row = book_row("f", "r1", points[l]);
        const ladder_lab *lab = ladder_lab_find(labs[l]);
        const ladder_grade_results graded = {
            .lab = lab, .output = "out", .submissions = &s, .rows = &row, .count = 1};
        ladder_late_policy said = {.given = true, .opens_s = l, .closes_s = 4e9 * l};
        ladder_points_change change = {0};
        ladder_given given = {0};
        bool quick = false;
        ck_assert(
            ladder_time_read(l == 2 ? "2026-11-20T12:00Z" : "2026-11-19T12:00Z", &said.due_s));
        OK(ladder_late_rule_read("line", "10%, 3 slip days, spent best", &said, &err));
        OK(ladder_graded_before(&options, lab, &s, 1, &said, &change, &given, &quick, &err));
        said = (ladder_late_policy){.at_most = 1}; // the next run says nothing of all this
        OK(ladder_graded_before(&options, lab, &s, 1, &said, &change, &given, &quick, &err));
        ck_assert(said.given && said.slip_best && said.opens_s == l && said.closes_s == 4e9 * l);
        char *text = KL_PRINTED(
            out,
            ck_assert_int_eq(ladder_graded_after(&options, &graded, &style, out, &err), KL_OK));
        ck_assert_msg(!strstr(text, "changed with this run") == (l == 0), "%s", text);
        if (l > 0)
            KL_HAS(text, "1 mark of 01_transpose changed with this run. The "
                         "gradebook has it; pages have it after ladder grade "
                         "transpose --gradebook ");
    }
}

KL_TEST_MAIN("gradebook, time")
