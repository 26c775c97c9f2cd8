// Whose work is what: names of files, and shares of a class.
#include "grade/intake/internal.h"
#include "suite.h"
#include "ladder_config.h"

// ---- intake_share ----
// Work shared among processes: all of it is done once, a process that dies at it costs that part
// alone, and an error is told.

enum { COUNT = 100 };

typedef struct board {
    int done[COUNT]; // how often
    int deadly, faulty;
} board;

static kl_status work(void *context, size_t index, kl_error *err) {
    board *b = context;
    if ((int)index == b->deadly) raise(SIGKILL);
    if ((int)index == b->faulty) return kl_fail(err, KL_ERROR_INPUT, "work %zu", index);
    b->done[index]++;
    return KL_OK;
}

static void share(int workers, int deadly, int faulty, kl_status expected) {
    bool lost[COUNT] = {false};
    kl_error err = {KL_OK, ""};
    board *b = ladder_share_memory(sizeof *b);
    ck_assert_ptr_nonnull(b);
    b->deadly = deadly;
    b->faulty = faulty;
    ck_assert_int_eq(ladder_share(COUNT, workers, work, b, lost, &err), expected);
    for (int i = 0; i < COUNT && expected == KL_OK; i++) {
        ck_assert_int_eq(lost[i], i == deadly);
        ck_assert_int_eq(b->done[i], i != deadly);
    }
    if (expected != KL_OK) ck_assert_str_eq(err.text, "work 9");
    ladder_share_memory_free(b, sizeof *b);
}

KL_TEST(everything_is_done_once) {
    share(1, -1, -1, KL_OK);
    share(4, -1, -1, KL_OK);
    share(200, -1, -1, KL_OK);
}

KL_TEST(a_death_costs_one) {
    share(3, 5, -1, KL_OK);
    share(2, COUNT - 1, -1, KL_OK);
}

KL_TEST(an_error_is_told) {
    share(1, -1, 9, KL_ERROR_INPUT);
    share(4, -1, 9, KL_ERROR_INPUT);
}

// ---- intake_names ----
// What single names, texts and times say that course systems hand out: no folder is looked at.

static kl_error err;

static bool says(const char *text, const char *part) { return strstr(text, part); }

KL_TEST(canvas_names_are_read) {
    static const struct {
        const char *name, *title, *user, *file;
        int attempt;
        bool late;
    } rows[] = {
        {"leeann_1234_98765_1_interleaved.cu", "leeann", "1234", "1_interleaved.cu", 0, false},
        {"leeann_LATE_1234_98765_1_interleaved-2.cu", "leeann", "1234", "1_interleaved.cu", 2,
         true},
        {"leeann_1234_98765_my_work-1.tar.gz", "leeann", "1234", "my_work.tar.gz", 1, false},
        {"o_late_brian_77_5_steps.zip", "o_late_brian", "77", "steps.zip", 0, false},
        {"anon_QeD3f_98765_steps.zip", "anon_QeD3f", "QeD3f", "steps.zip", 0, false},
        {"m\xc3\xbcllerj\xc3\xb6rg_9_8_x.cu", "m\xc3\xbcllerj\xc3\xb6rg", "9", "x.cu", 0, false},
        {"leeann_1234_text.html", NULL, NULL, NULL, 0, false},
        {"1_interleaved.cu", NULL, NULL, NULL, 0, false},
        {"_1_2_x.cu", NULL, NULL, NULL, 0, false},
        {"2_strided_1_2.cu", NULL, NULL, NULL, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_entry entry = {.is_folder = false};
        ladder_handed handed;
        snprintf(entry.name, sizeof entry.name, "%s", rows[i].name);
        bool known = ladder_layout_read(LADDER_LAYOUT_CANVAS, &entry, "", &handed);
        ck_assert_msg(known == (rows[i].title != NULL), "%s", rows[i].name);
        if (!known) continue;
        ck_assert_str_eq(handed.title, rows[i].title);
        ck_assert_str_eq(handed.user, rows[i].user);
        ck_assert_str_eq(handed.file, rows[i].file);
        ck_assert_int_eq(handed.attempt, rows[i].attempt);
        ck_assert(handed.late == rows[i].late);
    }
}

KL_TEST(names_in_quotes_are_read) {
    static const char text[] = "submission_1:\n  :submitters:\n  - :name: 'Pat O''Brien'\n"
                               "  - :name: \"Di \\\"Dee\\\" Fox\"\n    :sid: 7\n";
    ladder_metadata got;
    ladder_metadata_file *file = NULL;
    char key[NAME_MAX + 1];
    size_t at = 0;
    if (!LADDER_HAVE_YAML) return;
    OK_OR_SAY(ladder_metadata_open(text, &file, &err), err);
    ladder_metadata_find(file, "submission_1", &got);
    ck_assert_int_eq(got.count, 2);
    ck_assert_str_eq(got.members[0].name, "Pat O'Brien");
    ck_assert_str_eq(got.members[1].name, "Di \"Dee\" Fox");
    ck_assert_str_eq(got.members[1].ids, "7");
    ck_assert(ladder_metadata_next(file, &at, key) && strcmp(key, "submission_1") == 0);
    ck_assert(!ladder_metadata_next(file, &at, key));
    ladder_metadata_close(file);
}

// What a student's program prints is in the file as well, and is nobody's name.
KL_TEST(only_submitters_hand_in) {
    static const struct {
        const char *entry, *names; // of the entry; NULL: no such file
    } rows[] = {
        {"  :submitters:\n  - :name: Ann\n  :results:\n    :output: |\n      - :name: Bob\n"
         "        :sid: 9\n      :submitters:\n      - :name: Cy\n",
         "Ann"},
        {"  :results:\n    :tests:\n    - :name: step 3\n      :submitters:\n      - :name: Bob\n"
         "  :submitters:\n  - :name: Ann\n",
         "Ann"},
        {"  :results: {output: \"x\\n:submitters:\\n- :name: Bob\"}\n"
         "  :submitters: [{\":name\": Ann}]\n",
         "Ann"},
        {"  :results:\n    :output: 'x\n\n      :submitters:\n\n      - :name: Bob'\n"
         "  :submitters:\n  - :name: Ann\n    :details:\n      :name: Bob\n",
         "Ann"},
        {"  :results:\n    :output: >-\n      a\n      submission_2:\n  :submitters:\n"
         "  - &1\n    :name: Ann\n  - *1\n  :history:\n  - :submitters:\n    - :name: Bob\n",
         "Ann, Ann"},
        {"  :submitters:\r\n  - :name: \"Ann\\u00e9 \\\"A\\\" \xC3\xA9\"\r\n    :sid:\r\n",
         "Ann\xC3\xA9 \"A\" \xC3\xA9"},
        {"  :submitters: Ann\n  :name: Bob\n", ""},
        {"  :submitters:\n  :created_at: 2026\n", ""},
        {"  :submitters:\n  - Ann\n  - :sid: 7\n", ""},
        {"  :submitters:\n  - :name: Ann: B: [\n\t:sid\n", NULL},
        {"  :submitters: [\n", NULL},
        {"  :submitters: *nobody\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && LADDER_HAVE_YAML; i++) {
        char text[600], key[NAME_MAX + 1];
        ladder_metadata got;
        ladder_metadata_file *file = NULL;
        size_t at = 0;
        snprintf(text, sizeof text, "---\nsubmission_1:\n%s", rows[i].entry);
        kl_status status = ladder_metadata_open(text, &file, &err);
        if (!rows[i].names) {
            ck_assert_int_eq(status, KL_ERROR_INPUT);
            ck_assert_msg(says(err.text, "submission_metadata.yml: line "), "%s", err.text);
            ck_assert_ptr_null(file);
            continue;
        }
        ck_assert_msg(status == KL_OK, "row %zu: %s", i, err.text);
        ladder_metadata_find(file, "submission_1", &got);
        ck_assert_str_eq(got.names, rows[i].names);
        ck_assert(ladder_metadata_next(file, &at, key) && strcmp(key, "submission_1") == 0);
        ck_assert(!ladder_metadata_next(file, &at, key));
        ladder_metadata_find(file, "submission_2", &got);
        ck_assert_int_eq(got.count, 0);
        ladder_metadata_close(file);
    }
}

// A tab or a line end in an id makes it no other student's, and of too many nobody is left out
// without a word.
KL_TEST(a_submitter_is_one_student) {
    char text[4000] = "submission_1:\n  :submitters:\n  - :name: \"Ann\\nBob\"\n"
                      "    :sid: \"1\\t2\\n3\"\n    :email: ann@x.edu\n";
    ladder_metadata got;
    ladder_metadata_file *file = NULL;
    for (int all = 1; all <= LADDER_SUBMITTERS_MAX + 1 && LADDER_HAVE_YAML; all++) {
        OK(ladder_metadata_open(text, &file, &err));
        ladder_metadata_find(file, "submission_1", &got);
        ladder_metadata_close(file);
        ck_assert_str_eq(got.members[0].ids, "1?2?3\tann@x.edu");
        ck_assert_str_eq(got.user, "1?2?3");
        ck_assert_int_eq(got.too_many, all > LADDER_SUBMITTERS_MAX);
        snprintf(text + strlen(text), sizeof text - strlen(text), "  - :name: S%d\n", all);
    }
}

static kl_status policy_of(const char *due, const char *line, ladder_late_policy *out) {
    const ladder_late_options options = {.due = due, .late = line};
    return ladder_late_policy_read(&options, ladder_lab_find("reduction"), out, &err);
}

static ladder_points_change late(const ladder_late_policy *policy, const char *submitted,
                                 bool marked, double due_s, int slip_left) {
    ladder_points_change change = {0};
    ladder_submission s = {.late = marked, .due_s = due_s};
    snprintf(s.submitted, sizeof s.submitted, "%s", submitted);
    ladder_late_apply(policy, &s, slip_left, &change);
    return change;
}

// What is told of files that are not taken does not depend on the order in which they are seen.
KL_TEST(files_that_are_not_taken_are_told_in_order) {
    static const struct {
        int distance;
        const char *name;
    } files[] = {{2, "b.txt"}, {0, "z.cu"}, {2, "a.txt"}, {0, "m.cu"}, {1, "3.txt"}, {2, "c.txt"}};
    enum { FILES = sizeof files / sizeof files[0] };
    char first[1000] = "", text[1000];
    for (int start = 0; start < FILES; start++) {
        ladder_seen seen = {.count = 0};
        for (int i = 0; i < FILES; i++) {
            int at = (start % 2 == 0 ? start + i : start + FILES - i) % FILES;
            ladder_seen_add(&seen, files[at].distance, files[at].name, "no");
        }
        ladder_seen_say(&seen, text, sizeof text);
        if (start == 0) strcpy(first, text);
        ck_assert_str_eq(text, first);
    }
    ck_assert_msg(strncmp(first, "m.cu (no), z.cu (no), 3.txt (no)", 32) == 0, "%s", first);
}

KL_TEST(late_days_cost_a_share) {
    double a = 0, b = 0;
    ladder_late_policy policy;
    ck_assert(ladder_time_read("2026-11-20T23:59Z", &a));
    ck_assert(a == 1795219140); // date -u -d '2026-11-20 23:59' +%s
    ck_assert(ladder_time_read("2026-11-21 00:59:00.034567000 +01:00", &b) && a == b);
    ck_assert(ladder_time_read("2026-11-20 15:59:00 -0800", &b) && a == b);
    static const char *const wrong[] = {"",
                                        "2026-11-20",
                                        "tomorrow",
                                        "2026-13-20T23:59",
                                        "2026-11-20T23:59x",
                                        "2026-11-20T24:00",
                                        "2026-02-30T12:00",
                                        "2026-11-31T12:00Z",
                                        "20.11.2026T23:59"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_msg(!ladder_time_read(wrong[i], &b), "%s", wrong[i]);
    OK(policy_of("2026-11-20T23:59Z", "10%, at most 25%", &policy));
    static const struct {
        const char *submitted;
        bool late;
        int days, percent;
        int own_days; // of an own due date after the class's; 0: none
    } rows[] = {
        {"2026-11-20 23:58:00 Z", false, 0, 100, 0},
        {"2026-11-20 23:59:00 Z", true, 0, 100, 0},
        {"2026-11-20 23:59:01 Z", false, 1, 90, 0},
        {"2026-11-22 20:00:00 Z", false, 2, 80, 0},
        {"2026-12-24 20:00:00 Z", false, 34, 75, 0},
        {"", true, 1, 90, 0},
        {"", false, 0, 100, 0},
        {"2026-11-22 20:00:00 Z", true, 0, 100, 2},
        {"2026-11-22 23:59:01 Z", true, 1, 90, 2},
        {"", true, 0, 100, 2}, // marked by the class's due date
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_points_change change =
            late(&policy, rows[i].submitted, rows[i].late,
                 rows[i].own_days > 0 ? a + 86400 * rows[i].own_days : 0, 0);
        ck_assert_int_eq(change.late_days, rows[i].days);
        ck_assert_int_eq((int)(100 * (1 - change.late_share) + 0.5), rows[i].percent);
    }
    ck_assert_int_eq(policy_of(NULL, "10", &policy), KL_ERROR_INPUT);
    ck_assert_int_eq(policy_of("x", NULL, &policy), KL_ERROR_INPUT);
    OK(policy_of("2026-11-20T23:59", "12,5 %/day; at most 50", &policy));
    ck_assert(policy.cost[LADDER_LATE_PER_DAY] == 0.125 && policy.at_most == 0.5);
    OK(policy_of(NULL, NULL, &policy));
    ladder_points_change none = late(&policy, "2026-12-24 20:00:00 Z", true, 0, 0);
    ck_assert(none.late_days == 0 && none.late_share == 0 && none.late_rule[0] == '\0');
    // Within the grace nothing is lost; behind it days count from the due date, one's own, too.
    OK(policy_of("2026-11-20T23:59Z", "10, grace 15m", &policy));
    static const struct {
        const char *submitted;
        int days, own_days; // of the class's due date, and of one a day later
    } graces[] = {{"2026-11-20T23:59:30Z", 0, 0}, {"2026-11-21T00:14:00Z", 0, 0},
                  {"2026-11-21T00:14:01Z", 1, 0}, {"2026-11-21T23:59:00Z", 1, 0},
                  {"2026-11-22T00:05:00Z", 2, 0}, {"2026-11-22T00:30:00Z", 2, 1}};
    for (size_t i = 0; i < sizeof graces / sizeof graces[0]; i++) {
        const char *submitted = graces[i].submitted;
        ck_assert_int_eq(late(&policy, submitted, true, 0, 0).late_days, graces[i].days);
        ck_assert_int_eq(late(&policy, submitted, true, policy.due_s + 86400, 0).late_days,
                         graces[i].own_days);
    }
}

// A policy as people write it, as the kit writes it, and what it takes of 80 points.
KL_TEST(a_late_policy_is_one_line) {
    static const struct {
        const char *line, *canonical, *submitted;
        int slip_left, days, slipped;
        double lost;
    } rows[] = {
        {"5% once", "5 % once", "2026-11-23T00:00Z", 0, 3, 0, 4},
        {"1%/hour, at most 20%", "1 % per hour, at most 20 %", "2026-11-21T02:00Z", 0, 1, 0, 2.4},
        {"1 % per hour ,at  most 20 %", "1 % per hour, at most 20 %", "2026-11-29T02:00Z", 0, 9, 0,
         16},
        {"2 points per day, 3 points once, at most 8 points",
         "2 points per day, 3 points once, at most 8 points", "2026-11-22T23:00Z", 0, 2, 0, 7},
        {"2 points per day, 3 points once, at most 8 points",
         "2 points per day, 3 points once, at most 8 points", "2026-11-25T23:00Z", 0, 5, 0, 8},
        {"1 point /hour", "1 point per hour", "2026-12-25T23:00Z", 0, 35, 0, 80}, // all there are
        {"10%, grace 1 h, 3 slip days", "10 % per day, grace 60 minutes, 3 slip days",
         "2026-11-23T00:30Z", 3, 3, 2, 0}, // two take it into the grace
        {"10%, 3 slip days, 1 per lab, spent best",
         "10 % per day, 3 slip days, 1 per lab, spent best", "2026-11-23T00:30Z", 3, 3, 1, 16},
        {"10%, 3 slip days", "10 % per day, 3 slip days", "2026-11-23T00:30Z", 1, 3, 1, 16},
        {"10%, 1 slip day", "10 % per day, 1 slip day", "", 1, 1, 1, 0}, // marked, without a time
        {"1 % per hour, 1 slip day", "1 % per hour, 1 slip day", "2026-11-22T02:00Z", 1, 2, 1, 2.4},
        {"0%", "no deduction", "2026-11-23T00:00Z", 0, 3, 0, 0},
        {"at most 50%, grace 15", "no deduction, grace 15 minutes", "2026-11-23T00:00Z", 0, 3, 0,
         0},
        {"0 points/hour, 2 slip days", "no deduction, 2 slip days", "2026-11-23T00:00Z", 2, 3, 2,
         0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_late_policy policy, again;
        char text[LADDER_LATE_RULE], twice[LADDER_LATE_RULE];
        OK_OR_SAY(policy_of("2026-11-20T23:59Z", rows[i].line, &policy), err);
        ck_assert_str_eq(ladder_late_rule(&policy, text, sizeof text), rows[i].canonical);
        OK_OR_SAY(policy_of("2026-11-20T23:59Z", text, &again), err);
        ck_assert_str_eq(ladder_late_rule(&again, twice, sizeof twice), text);
        ladder_points points = {.graded = true,
                                .reached = 80,
                                .most = 100,
                                .change =
                                    late(&policy, rows[i].submitted, true, 0, rows[i].slip_left)};
        ck_assert_int_eq(points.change.late_days, rows[i].days);
        ck_assert_int_eq(points.change.slip_days, rows[i].slipped);
        ck_assert_double_eq_tol(ladder_points_deduction(&points), rows[i].lost, 1e-9);
        points.graded = false; // takes no slip day: nothing is said of any
        ck_assert_str_eq(ladder_points_text(&points, text, sizeof text), "");
        ladder_late_rule(&policy, text, sizeof text);
        ck_assert_str_eq(points.change.late_rule + strlen("due 2026-11-20 23:59 UTC, "), text);
    }
    static const struct {
        const char *line, *error;
    } wrong[] = {
        {"", "--late:1:1: expected a clause"},
        {"10 apples", "--late:1:4: expected a comma or the end of the line, not 'apples'"},
        {"0x10", "--late:1:2: expected a comma"},
        {"-1", "--late:1:1: expected a clause"},
        {"nan", "--late:1:1: expected a clause"},
        {"1/2", "--late:1:2: expected a comma"},
        {"10%%", "--late:1:4: expected a comma"},
        {"110", "--late:1:4: expected at most 100 percent, not the end"},
        {"10%, grace x", "--late:1:12: expected minutes or hours, a week at most"},
        {"10%, grace", "--late:1:11: expected minutes or hours"},
        {"10%, grace -5", "--late:1:12: expected minutes"},
        {"10%, grace 20000", "--late:1:12: expected minutes or hours, a week at most"},
        {"10%, grace 15 days", "--late:1:15: expected a comma"},
        {"10%, 2 points once", "--late:1:8: expected one unit in a late policy"},
        {"10%, 1.5 slip days", "expected a whole number of days"},
        {"10%,", "--late:1:5: expected a clause"},
        {"10% per week", "--late:1:5: expected a comma or the end of the line, not 'per week'"},
        {"at most much", "--late:1:9: expected percent or points"},
        {"1,000%", "expected a clause"},
        {"spent all", "--late:1:1: expected a clause"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ladder_late_policy policy;
        ck_assert_msg(policy_of("2026-11-20T23:59", wrong[i].line, &policy) == KL_ERROR_INPUT, "%s",
                      wrong[i].line);
        ck_assert_msg(strstr(err.text, wrong[i].error) != NULL, "%s: %s", wrong[i].line, err.text);
    }
}

KL_TEST(a_courses_file_has_due_dates_and_the_policy) {
    static const struct {
        const char *text, *error; // NULL: none
    } rows[] = {
        {"# Course\n\nlate 5% per day, 2 slip days \r\ndue 02 2026-11-20T23:59Z\n"
         "due gemm 2026-12-01T12:00Z\n",
         NULL},
        {"due reduction 2026-11-20T23:59Z", NULL},
        {"due 02_reduction 2026-11-20T23:59Z\n  late 5 %\n", NULL},
        {"late 5%\ndue gemm 2026-12-01T12:00Z\n",
         "has no due date of 02_reduction: add a line due reduction"},
        {"late 5%\n\n due 77 2026-12-01T12:00Z\n",
         ":3:6: expected a lab such as 02 or reduction, not '77"},
        {"due 02 soon\n", ":1:8: expected a time such as"},
        {"due 02 2026-12-01T12:00Z x\n", ":1:26: expected the end of the line, not 'x'"},
        {"late 5%\nlate 5% per annum\n",
         ":2:9: expected a comma or the end of the line, not 'per annum'"},
        {"window 02 2026-12-01T12:00Z 2026-12-01T10:00Z\n", ":1:29: expected an end that is after"},
        {"window 02 2026-12-01T12:00Z\n", ":1:28: expected a time such as"},
        {"penalty 5%\n",
         ":1:1: expected late POLICY, due LAB TIME or window LAB FROM TO, not 'penalty 5%'"},
    };
    char folder[LADDER_PATH];
    OK(ladder_folder_temporary(folder, &err));
    const char *path = kl_own_text("%s/course.txt", folder);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_late_policy policy;
        const ladder_late_options options = {.course = path};
        OK(ladder_file_write(path, rows[i].text, strlen(rows[i].text), &err));
        kl_status status =
            ladder_late_policy_read(&options, ladder_lab_find("reduction"), &policy, &err);
        ck_assert_msg((status == KL_OK) == !rows[i].error, "%s: %s", rows[i].text, err.text);
        if (rows[i].error) ck_assert_msg(strstr(err.text, rows[i].error) != NULL, "%s", err.text);
        else
            ck_assert(policy.due_s == 1795219140 && policy.slip_days == (i == 0 ? 2 : 0) &&
                      policy.cost[LADDER_LATE_PER_DAY] == (i == 1 ? 0 : 0.05));
    }
    ladder_folder_remove(folder);
}

KL_TEST(what_comes_outside_of_an_exams_window_is_not_graded) {
    static const struct {
        const char *submitted, *own_due;
        bool outside;
    } rows[] = {{"2026-12-01T09:59:59Z", NULL, true},
                {"2026-12-01T10:00:00Z", NULL, false},
                {"2026-12-01T12:00:00Z", NULL, false},
                {"2026-12-01T12:00:01Z", NULL, true},
                {"2026-12-01T12:30:00Z", "2026-12-01T12:30Z", false}, // more time for one student
                {"2026-12-01T12:31:00Z", "2026-12-01T12:30Z", true},
                {"", NULL, false}};
    ladder_late_policy policy;
    const ladder_late_options options = {.window = {"2026-12-01T10:00Z", "2026-12-01T12:00Z"}};
    const ladder_lab *lab = ladder_lab_find("reduction");
    OK(ladder_late_policy_read(&options, lab, &policy, &err));
    ck_assert(!policy.given);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_submission s = {.late = false};
        snprintf(s.submitted, sizeof s.submitted, "%s", rows[i].submitted);
        if (rows[i].own_due) ck_assert(ladder_time_read(rows[i].own_due, &s.due_s));
        ck_assert_msg(ladder_window_apply(&policy, &s) == rows[i].outside, "%s", s.submitted);
        ck_assert_int_eq(s.outside, rows[i].outside);
        ck_assert_int_eq(strstr(s.problem, "kept, not graded") != NULL, rows[i].outside);
    }
    static const char *const wrong[][2] = {{"10:00", "2026-12-01T12:00Z"},
                                           {"2026-12-01T10:00Z", "noon"},
                                           {"2026-12-01T12:00Z", "2026-12-01T12:00Z"}};
    for (size_t i = 0; i < 3; i++) {
        const ladder_late_options bad = {.window = {wrong[i][0], wrong[i][1]}};
        ck_assert_int_eq(ladder_late_policy_read(&bad, lab, &policy, &err), KL_ERROR_INPUT);
    }
}

KL_TEST(texts_of_all_systems_are_one) {
    static const struct {
        const char *text;
        size_t bytes;
        const char *want; // NULL: refused
    } rows[] = {
        {"int a;\n", 7, "int a;\n"},
        {"\xef\xbb\xbfint a;\n", 10, "int a;\n"},
        {"// 1\r\n#define A \\\r\n 2\r\n", 23, "// 1\n#define A \\\n 2\n"},
        {"a\rb\r\rc\r", 7, "a\nb\n\nc\n"},
        {"// caf\xe9\n", 8, "// caf\xe9\n"},
        {"\xff\xfei\0n\0", 6, NULL},
        {"\xfe\xff\0i\0n", 6, NULL},
        {"i\0n\0t\0", 6, NULL},
        {"", 0, ""},
        {"\xef\xbb\xbf", 3, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        size_t bytes = rows[i].bytes;
        memcpy(text, rows[i].text, bytes + 1);
        kl_status status = ladder_source_text(text, &bytes, &err);
        ck_assert_int_eq(status, rows[i].want ? KL_OK : KL_ERROR_INPUT);
        if (!rows[i].want) {
            ck_assert(says(err.text, "UTF-8"));
            continue;
        }
        ck_assert_uint_eq(bytes, strlen(rows[i].want));
        ck_assert_str_eq(text, rows[i].want);
    }
}

KL_TEST_MAIN("intake_names")
