// SPDX-License-Identifier: MIT
// Whose work is what: names of files, and shares of a class.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "grade/intake/internal.h"
#include "suite.h"
#include "grade/intake/intake.h"
#include "grade/submission/submission.h"
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

START_TEST(everything_is_done_once) {
    share(1, -1, -1, KL_OK);
    share(4, -1, -1, KL_OK);
    share(200, -1, -1, KL_OK);
}
END_TEST

START_TEST(a_death_costs_one) {
    share(3, 5, -1, KL_OK);
    share(2, COUNT - 1, -1, KL_OK);
}
END_TEST

START_TEST(an_error_is_told) {
    share(1, -1, 9, KL_ERROR_INPUT);
    share(4, -1, 9, KL_ERROR_INPUT);
}
END_TEST

// ---- intake_names ----
// What single names, texts and times say that course systems hand out: no folder is looked at.

static kl_error err;

static bool says(const char *text, const char *part) {
    return strstr(text, part);
}

START_TEST(canvas_names_are_read) {
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
END_TEST

START_TEST(names_in_quotes_are_read) {
    static const char text[] = "submission_1:\n  :submitters:\n  - :name: 'Pat O''Brien'\n"
                               "  - :name: \"Di \\\"Dee\\\" Fox\"\n    :sid: 7\n";
    ladder_metadata got;
    ladder_metadata_file *file = NULL;
    char key[NAME_MAX + 1];
    size_t at = 0;
    if (!LADDER_HAVE_YAML) return;
    ck_assert_msg(ladder_metadata_open(text, &file, &err) == KL_OK, "%s", err.text);
    ladder_metadata_find(file, "submission_1", &got);
    ck_assert_int_eq(got.count, 2);
    ck_assert_str_eq(got.members[0].name, "Pat O'Brien");
    ck_assert_str_eq(got.members[1].name, "Di \"Dee\" Fox");
    ck_assert_str_eq(got.members[1].ids, "7");
    ck_assert(ladder_metadata_next(file, &at, key) && strcmp(key, "submission_1") == 0);
    ck_assert(!ladder_metadata_next(file, &at, key));
    ladder_metadata_close(file);
}
END_TEST

// What a student's program prints is in the file as well, and is nobody's name.
START_TEST(only_submitters_hand_in) {
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
END_TEST

START_TEST(late_days_cost_a_share) {
    double a = 0, b = 0;
    ladder_late_policy policy;
    ladder_submission s = {.late = false};
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
    kl_status status =
        ladder_late_policy_read("2026-11-20T23:59Z", "10%", "25", NULL, &policy, &err);
    ck_assert_int_eq(status, KL_OK);
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
        snprintf(s.submitted, sizeof s.submitted, "%s", rows[i].submitted);
        s.late = rows[i].late;
        s.due_s = rows[i].own_days > 0 ? a + 86400 * rows[i].own_days : 0;
        int days = ladder_late_days(&policy, &s);
        ck_assert_int_eq(days, rows[i].days);
        ck_assert_int_eq((int)(100 * ladder_late_share(&policy, days) + 0.5), rows[i].percent);
    }
    ck_assert_int_eq(ladder_late_policy_read(NULL, "10", NULL, NULL, &policy, &err),
                     KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read("x", NULL, NULL, NULL, &policy, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(
        ladder_late_policy_read("2026-11-20T23:59", "12,5 %/day", "5e1", NULL, &policy, &err),
        KL_OK);
    ck_assert(policy.rate == 0.125 && policy.at_most == 0.5);
    static const char *const no_rates[] = {"10 points", "0x10", "-1", "nan", "1/2", "10%%", ""};
    for (size_t i = 0; i < sizeof no_rates / sizeof no_rates[0]; i++)
        ck_assert_int_eq(
            ladder_late_policy_read("2026-11-20T23:59", no_rates[i], NULL, NULL, &policy, &err),
            KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read("2026-11-20T23:59", "110", NULL, NULL, &policy, &err),
                     KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read(NULL, NULL, NULL, NULL, &policy, &err), KL_OK);
    ck_assert(ladder_late_days(&policy, &s) == 0 && ladder_late_share(&policy, 0) == 1);
    // Within the grace nothing is lost; behind it days count from the due date, one's own, too.
    static const char *const no_minutes[] = {"x", "", "-5", "1.5", "15h", "20000", "m"};
    for (size_t i = 0; i < sizeof no_minutes / sizeof no_minutes[0]; i++)
        ck_assert_int_eq(
            ladder_late_policy_read("2026-11-20T23:59Z", "10", NULL, no_minutes[i], &policy, &err),
            KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read(NULL, NULL, NULL, "15", &policy, &err),
                     KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read("2026-11-20T23:59Z", "10", NULL, "15m", &policy, &err),
                     KL_OK);
    static const struct {
        const char *submitted;
        int days, own_days; // of the class's due date, and of one a day later
    } graces[] = {{"2026-11-20T23:59:30Z", 0, 0}, {"2026-11-21T00:14:00Z", 0, 0},
                  {"2026-11-21T00:14:01Z", 1, 0}, {"2026-11-21T23:59:00Z", 1, 0},
                  {"2026-11-22T00:05:00Z", 2, 0}, {"2026-11-22T00:30:00Z", 2, 1}};
    for (size_t i = 0; i < sizeof graces / sizeof graces[0]; i++) {
        s = (ladder_submission){.late = true};
        snprintf(s.submitted, sizeof s.submitted, "%s", graces[i].submitted);
        ck_assert_int_eq(ladder_late_days(&policy, &s), graces[i].days);
        s.due_s = policy.due_s + 86400;
        ck_assert_int_eq(ladder_late_days(&policy, &s), graces[i].own_days);
    }
}
END_TEST

START_TEST(texts_of_all_systems_are_one) {
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
END_TEST

int main(void) {
    Suite *suite = suite_create("intake_names");
    KL_CASE(suite, "intake share", NULL, NULL, everything_is_done_once, a_death_costs_one,
            an_error_is_told);
    KL_CASE(suite, "intake_names", NULL, NULL, canvas_names_are_read, names_in_quotes_are_read,
            only_submitters_hand_in, texts_of_all_systems_are_one, late_days_cost_a_share);
    return kl_suite_run(suite);
}
