// Classes: the journal, marks after grading, pages without names.
// links: ../export/sample.c
#include "course/class/internal.h"
#include "suite.h"
#include "tests/export/sample.h"
#include "course/pages/pages.h"

// ---- class_journal ----
// What a class's journal says of a run that was killed, and the line of progress.

static kl_error err;
static char folder[LADDER_PATH], path[LADDER_PATH];
static ladder_row_key key;

static const ladder_lab *lab(void) { return ladder_lab_find("reduction"); }

static void set_up(void) {
    bool made = false;
    OK(ladder_folder_temporary(folder, &err));
    ladder_path(path, &err, "%s/class", folder);
    OK(ladder_folder_make(path, &err));
    ladder_path(path, &err, "%s/class/key", folder);
    OK(ladder_row_key_open(path, true, &key, &made, &err));
    ladder_path(path, &err, "%s/class/journal", folder);
}

static void tear_down(void) { ladder_folder_remove(folder); }

// A run with this seed that grades `rows` submissions.
static void run(uint64_t seed, bool anew, int rows, bool finished) {
    ladder_journal journal;
    OK(ladder_journal_open(folder, anew, lab(), seed, &key, &journal, &err));
    for (int i = 0; i < rows; i++) {
        ladder_row row = {.done = true, .points = {.graded = true, .reached = 2}};
        snprintf(row.id, sizeof row.id, "student%d", i);
        OK(ladder_journal_begin(&journal, row.id, &err));
        OK(ladder_journal_end(&journal, &row, false, &err));
    }
    ladder_journal_close(&journal, finished);
}

KL_FIXTURE(set_up, tear_down)

// A run that is alive refuses a second one and is named; once killed, its place is taken.
KL_TEST(a_folder_of_results_is_one_run_s) {
    char pid[40], *notes = NULL, *text = NULL;
    size_t bytes = 0;
    int ready[2];
    ladder_lock lock;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t first = fork();
    if (first == 0) {
        if (ladder_class_lock(folder, stderr, &lock, &err) == KL_OK && write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], pid, 1), 1);
    FILE *told = open_memstream(&notes, &bytes);
    ck_assert_int_eq(ladder_class_lock(folder, told, &lock, &err), KL_ERROR_SYSTEM);
    snprintf(pid, sizeof pid, "process %d on ", (int)first);
    ck_assert_msg(strstr(err.text, pid) && strstr(err.text, " since 20") &&
                      strstr(err.text, "--output"),
                  "%s", err.text);
    ck_assert_str_eq(lock.path, "");
    kill(first, SIGKILL);
    ck_assert_int_eq(waitpid(first, NULL, 0), first);
    OK(ladder_class_lock(folder, told, &lock, &err));
    pid_t worker = fork(); // a worker that outlives its run holds nothing
    if (worker == 0) {
        pause();
        _exit(0);
    }
    fflush(told);
    ck_assert_msg(strstr(notes, pid) && strstr(notes, "has died"), "%s", notes);
    ladder_lock_release(&lock);
    rewind(told);
    OK(ladder_class_lock(folder, told, &lock, &err));
    fclose(told);
    ck_assert_str_eq(notes, ""); // one that has ended by itself is none
    ladder_lock_release(&lock);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    free(notes);
    // Of another machine nothing is known.
    ladder_path(path, &err, "%s/class/lock", folder);
    OK(ladder_file_write(path, "node7.x 12 34 2026-11-28T20:00:00Z\n", 35, &err));
    ck_assert_int_eq(ladder_class_lock(folder, stderr, &lock, &err), KL_ERROR_SYSTEM);
    ck_assert_msg(strstr(err.text, "process 12 on node7.x") && strstr(err.text, "class/lock"), "%s",
                  err.text);
    OK(ladder_file_read(AT_FDCWD, path, 100, &text, NULL, &err));
    KL_HAS(text, "node7.x"); // and it stays
    free(text);
    OK(ladder_file_write(path, "\377 x", 3, &err)); // damaged
    OK(ladder_class_lock(folder, stderr, &lock, &err));
    ladder_lock_release(&lock);
}

KL_TEST(a_stopped_run_is_known) {
    ck_assert(!ladder_journal_read(folder, lab()).unfinished); // there is none
    run(UINT64_MAX - 3, true, 2, false);
    ladder_journal_state state = ladder_journal_read(folder, lab());
    ck_assert(state.unfinished && state.seed == UINT64_MAX - 3);
    ck_assert_uint_eq(state.graded, 2);
    run(state.seed, false, 1, false); // goes on, and is stopped again
    ck_assert_uint_eq(ladder_journal_read(folder, lab()).graded, 3);
    ck_assert(!ladder_journal_read(folder, ladder_lab_find("gemm")).unfinished);
    run(state.seed, false, 1, true);
    ck_assert(!ladder_journal_read(folder, lab()).unfinished); // its reports have told the seed
}

KL_TEST(a_torn_or_forged_line_says_nothing) {
    run(7, true, 1, false);
    int fd = open(path, O_WRONLY | O_APPEND);
    ck_assert_int_eq(write(fd, "graded stud", 11), 11); // killed in the middle of a line
    close(fd);
    ck_assert_uint_eq(ladder_journal_read(folder, lab()).graded, 1);
    run(7, false, 1, false);
    ck_assert(ladder_journal_read(folder, lab()).unfinished);
    char line[400];
    snprintf(line, sizeof line, "run %s %s 99 %064d\n", lab()->folder, lab()->rubric->hash, 0);
    fd = open(path, O_WRONLY | O_APPEND);
    ck_assert(write(fd, line, strlen(line)) > 0);
    close(fd);
    ck_assert(!ladder_journal_read(folder, lab()).unfinished); // not signed
}

KL_TEST(a_full_disk_is_told) {
    ladder_journal journal = {.fd = open("/dev/full", O_WRONLY)};
    if (journal.fd < 0) return; // no such device here
    snprintf(journal.path, sizeof journal.path, "results/class/journal");
    ck_assert_int_eq(ladder_journal_begin(&journal, "ann", &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "results/class/journal cannot be written: No space", "--resume");
    ladder_journal_close(&journal, false);
}

KL_TEST(the_time_left_follows_what_was_graded) {
    char text[64];
    ladder_progress p = {.count = 100, .finished = 40, .title = "ann"};
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), ""); // 40 kept: no rate yet
    p = (ladder_progress){100, 50, 10, 20, "ann"};                     // 2 s each
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "about 2 min left");
    p.finished = 90;
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "about 20 s left");
    p = (ladder_progress){1000, 1, 1, 60, "ann"};
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "about 16.6 h left");
    p.finished = 1000;
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "");
}

KL_TEST(progress_fits_its_width) {
    static const int widths[] = {79, 119};
    char text[400];
    ladder_progress p = {1000, 999, 999, 5000,
                         "Jos\xc3\xa9 Mar\xc3\xad\xc3\xa1 de la Cruz y Villanueva"};
    for (int i = 0; i < 2; i++) {
        ladder_progress_line(&p, widths[i], text, sizeof text);
        ck_assert_int_le(kl_text_width(text), widths[i]);
        KL_HAS(text, "graded 999 of 1000  [#####");
    }
    KL_HAS(text, "left  Jos\xc3\xa9 Mar\xc3\xad\xc3\xa1 de la");
}

// ---- class_marks ----
// The mark of a late submission, and one that an instructor set: the same final mark on every page,
// in every table and in every export, with the points before it beside it.

#define RULE "due 2026-11-20 23:59 UTC, 20 % per day, 4 slip days"
static const ladder_points_change two_days_late = {
    .late_days = 2, .slip_days = 1, .late_share = 0.2, .late_rule = RULE};
static const ladder_points_change set_to_30 = {
    .late_days = 2, .late_share = 0.2, .overridden = true, .override = 30, .late_rule = RULE};
static kl_error err_class_marks;

// The solution of lab 02 with all points, and what changes its mark.
static ladder_result *changed(const ladder_points_change *change) {
    ladder_result *r = sample_result(SAMPLE_SOLUTION);
    r->points.change = *change;
    return r;
}

static ladder_row row_of(const ladder_result *r) {
    ladder_row row;
    ladder_row_from(r, ladder_lab_find("reduction"), &row);
    return row;
}

static void expect(const char *text, const char *what) {
    ck_assert_msg(strstr(text, what), "no '%s' in:\n%s", what, text);
}

KL_FIXTURE(NULL, NULL)

KL_TEST(one_place_makes_a_mark) {
    ladder_points points = {.graded = true, .reached = 40, .most = 50};
    ck_assert(ladder_points_are_final(&points) && !ladder_points_changed(&points) &&
              ladder_points_final(&points) == 40);
    points.change = two_days_late;
    ck_assert_double_eq(ladder_points_deduction(&points), 8);
    ck_assert_double_eq(ladder_points_final(&points), 32);
    ck_assert_double_eq(ladder_points_final_score(&points), 64);
    points.change = set_to_30;
    ck_assert_double_eq(points.reached, 40);
    ck_assert_double_eq(ladder_points_final(&points), 30);
    points = (ladder_points){.most = 50, .change = two_days_late}; // could not be graded: no 0
    ck_assert(!ladder_points_are_final(&points) && isnan(ladder_points_final(&points)));
    points.change = set_to_30;
    ck_assert(ladder_points_are_final(&points) && ladder_points_final(&points) == 30);
}

KL_TEST(tables_have_the_final_mark) {
    ladder_result *r = changed(&two_days_late);
    ladder_row row = row_of(r);
    char want[64];
    char *text = KL_PRINTED(out, ladder_class_csv(&row, 1, out));
    expect(text, "\"points\",\"points_max\",\"days late\",\"late deduction\",\"override\","
                 "\"final points\",\"final score\"");
    snprintf(want, sizeof want, "100.0000,%.4f,%.4f,2,%.4f,,%.4f,80.0000", r->points.reached,
             r->points.reached, 0.2 * r->points.reached, 0.8 * r->points.reached);
    expect(text, want);
    text = KL_PRINTED(out, ck_assert_int_eq(ladder_class_json(ladder_lab_find("reduction"), &row, 1,
                                                              out, &err_class_marks),
                                            KL_OK));
    KL_HAS(text, "\"late_days\": 2", "\"slip_days\": 1", "\"late_policy\": \"" RULE "\"",
           "\"override\": null", "\"final_score\": 80");
    kl_style style = {.width = 80};
    text = KL_PRINTED(out, ladder_class_changed_table(&row, 1, &style, out));
    KL_HAS(text, "  100.0  2 (1 slip)     20.0", "    80.0  Ann Lee");
}

KL_TEST(course_systems_get_the_final_mark) {
    static const ladder_export_format tables[] = {LADDER_EXPORT_canvas, LADDER_EXPORT_moodle};
    const ladder_points_change *const changes[] = {&two_days_late, &set_to_30};
    for (int i = 0; i < 4; i++) {
        ladder_result *r = changed(changes[i / 2]);
        ladder_row row = row_of(r);
        char *feedback = ladder_row_feedback(&row, ladder_lab_find("reduction")->rubric),
             *text = NULL, want[64];
        ladder_export_line mark = ladder_row_export(&row, NULL, feedback);
        ladder_export_table table = {
            .lab = ladder_lab_find("reduction"), .marks = &mark, .count = 1};
        text = KL_PRINTED(out, ck_assert_int_eq(ladder_export_write_table(tables[i % 2], &table,
                                                                          out, &err_class_marks),
                                                KL_OK));
        snprintf(want, sizeof want, ",%.2f%s", i / 2 == 0 ? 0.8 * r->points.reached : 30.0,
                 i % 2 == 0 ? "\r\n" : ",");
        expect(text, want);
        KL_HAS(feedback,
               i / 2 == 0 ? "; 2 days late, 1 slip day: -" : "set by the instructor: 30.00; final:",
               "; late policy: " RULE);
        if (i % 2 == 1) expect(text, "late policy: " RULE);
        free(feedback);
    }
}

KL_TEST(feedback_says_no_points_of_a_step_with_hidden_ones) {
    ladder_result *r = changed(&set_to_30);
    ladder_row row = row_of(r);
    const ladder_criterion hidden = {.kind = LADDER_CRITERION_PREDICTED, .hidden = "hidden"};
    const ladder_rubric_step step = {.step = 3, .criteria = &hidden, .criteria_count = 1};
    const ladder_rubric rubric = {.steps = &step, .step_count = 1};
    char *feedback = ladder_row_feedback(&row, &rubric);
    expect(feedback, "; step 3: correct; step 4: 12 of 12; ");
    free(feedback);
}

KL_TEST(files_of_one_submission_have_the_final_mark) {
    ladder_result *r = changed(&two_days_late);
    char want[96];
    double points = r->points.reached, final = 0.8 * points;
    char *text = sample_export(LADDER_EXPORT_gradescope, r);
    snprintf(want, sizeof want, "\"score\": %g,", final);
    expect(text, want);
    snprintf(want, sizeof want, "2 days late, 1 slip day: -%.2f; final: %.2f points (80.00 %%)",
             points - final, final);
    KL_HAS(text, want, "(80.00 %); late policy: " RULE);
    text = sample_export(LADDER_EXPORT_prairielearn, r);
    KL_HAS(text, "\"score\": 0.8,", want, "(80.00 %); late policy: " RULE);
    text = sample_export(LADDER_EXPORT_autolab, r);
    snprintf(want, sizeof want, "\"adjustment\": %g},\"scoreboard\": [%g,", final - points, final);
    KL_HAS(text, want, "late policy: " RULE);
    text = sample_export(LADDER_EXPORT_junit, r);
    snprintf(want, sizeof want, "\"final_points\" value=\"%.2f\"", final);
    KL_HAS(text, want, "name=\"override\" value=\"\"", "name=\"late_policy\" value=\"" RULE "\"",
           "name=\"score\" value=\"80.00\"");
    text = sample_export(LADDER_EXPORT_json, r);
    snprintf(want, sizeof want, "\"late_deduction\": %g", points - final);
    KL_HAS(text, want, "\"final_score\": 80", "\"late_policy\": \"" RULE "\"");
}

KL_TEST(pages_have_the_final_mark) {
    ladder_result *r = changed(&set_to_30);
    ladder_report report = sample_report(r);
    kl_style style = {.width = 80};
    char *text = NULL;
    for (int html = 0; html < 2; html++) {
        text = KL_PRINTED(out, if (html) ladder_report_html(&report, out);
                          else ladder_report_text(&report, &style, out));
        KL_HAS(text, "set by the instructor: 30.00; final: 30.00 of ",
               html ? "100.0&nbsp;% <small>" : "score 100.0 %",
               html ? "<p>Late policy: " RULE "</p>" : "\nlate policy: " RULE "\n");
    }
}

// ---- pseudonym ----
// Shared pages: pseudonyms are stable and keyed, and nothing by which a student is known stays in
// what a page shows.

static kl_error err_pseudonym;

KL_TEST(pseudonyms_follow_from_student_and_key) {
    ladder_row_key one = {{1}}, other = {{2}};
    char a[LADDER_PSEUDONYM], b[LADDER_PSEUDONYM];
    ladder_pseudonym_of(&one, "", "Ann Lee", a);
    ck_assert_int_eq(strncmp(a, "student-", 8), 0);
    ck_assert_uint_eq(strlen(a), 16);
    ladder_pseudonym_of(&one, "", "Ann Lee", b);
    ck_assert_str_eq(a, b);
    ladder_pseudonym_of(&other, "", "Ann Lee", b);
    ck_assert_str_ne(a, b);
    ladder_pseudonym_of(&one, "", "Ann Lea", b);
    ck_assert_str_ne(a, b);
    ladder_pseudonym_of(&one, "4711", "Ann Lee", a); // the number on the course system goes first
    ladder_pseudonym_of(&one, "4711", "Ann Lee, again", b);
    ck_assert_str_eq(a, b);
}

KL_TEST(a_key_is_made_once_and_is_ones_own) {
    char folder[LADDER_PATH];
    ladder_row_key first, second;
    OK(ladder_folder_temporary(folder, &err_pseudonym));
    const char *path = kl_own_text("%s/key", folder);
    OK(ladder_pseudonym_key(path, &first, &err_pseudonym));
    OK(ladder_pseudonym_key(path, &second, &err_pseudonym));
    ck_assert_mem_eq(&first, &second, sizeof first);
    ck_assert_int_eq(chmod(path, 0644), 0);
    ck_assert_int_eq(ladder_pseudonym_key(path, &second, &err_pseudonym), KL_ERROR_INPUT);
    KL_HAS(err_pseudonym.text, "chmod 600");
    OK(ladder_file_write(path, "short", 5, &err_pseudonym));
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(ladder_pseudonym_key(path, &second, &err_pseudonym), KL_ERROR_INPUT);
    ladder_folder_remove(folder);
}

static ladder_known_names names;

static void know(void) {
    static const char *const known[] = {"Ann Lee", "ann_lee-a36e143c", "ann.lee@school.edu",
                                        "4711023", "M\xc3\xbcller"};
    names = (ladder_known_names){NULL, 0, 0};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        OK(ladder_known_names_add(&names, known[i], &err_pseudonym));
}

KL_TEST(names_addresses_and_paths_are_hidden) {
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"by Ann Lee", "by *"},
        {"ANN and lee", "* and *"},
        {"annSum = ann_sum + sum_Lee;", "*Sum = *_sum + sum_*;"},
        {"int channel = annex + sleep;",
         "int channel = annex + sleep;"}, // short names: whole words
        {"xM\xc3\x9cLLERx", "x*x"},
        {"id 4711023!", "id *!"},
        {"mail bob.k@uni.edu now", "mail * now"},
        {"@p bra L1; a @ b", "@p bra L1; a @ b"},
        {"in /home/ann/x.cu:12", "in *:12"},
        {"in ~/work, C:\\Users\\ann\\x", "in *, *"},
        {"a / b / c, a/b/c, n/2", "a / b / c, a/b/c, n/2"},
        {"// and /* not */ paths", "// and /* not */ paths"},
    };
    know();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s", rows[i].text);
        ladder_hide_names(&names, text);
        ck_assert_str_eq(text, rows[i].shown);
    }
    ladder_known_names_free(&names);
}

KL_TEST(comments_and_strings_are_hidden_line_by_line) {
    char text[] = "a(); // nickname\n/* two\nlines */ b(\"words \\\" more\", '\\'');\nc / d;\n";
    ladder_hide_comments(text);
    ck_assert_str_eq(text,
                     "a();            \n      \n         b(\".............\", '..');\nc / d;\n");
    char open[] = "x /* no end";
    ladder_hide_comments(open);
    ck_assert_str_eq(open, "x          ");
}

KL_TEST(a_result_names_nobody_any_more) {
    ladder_result *r = calloc(1, sizeof *r);
    ladder_kept_files files = {.lab_page = NULL};
    know();
    snprintf(r->id, sizeof r->id, "ann_lee-a36e143c");
    snprintf(r->title, sizeof r->title, "Ann Lee");
    snprintf(r->user, sizeof r->user, "4711023");
    snprintf(r->hash, sizeof r->hash, "0123");
    ladder_result_note(r, "not used: lee.txt");
    r->step_count = 1;
    ladder_step_result *s = &r->steps[0];
    snprintf(s->message, sizeof s->message, "identifier \"annSum\" is undefined");
    snprintf(s->log, sizeof s->log, "hello from ann");
    snprintf(s->failures[0].text, sizeof s->failures[0].text, "31 | x = 1; // my friend\nthread 0");
    files.sources[0] = strdup("float lee; // my friend\n");
    ladder_hide_student(&names, "student-abc", r, &files);
    ck_assert_str_eq(r->title, "student-abc");
    ck_assert_str_eq(r->id, "student-abc");
    ck_assert_str_eq(r->user, "");
    ck_assert_str_eq(r->hash, "");
    ck_assert_int_eq(r->note_count, 0);
    ck_assert_str_eq(s->message, "identifier \"*Sum\" is undefined");
    ck_assert_str_eq(s->log, "");
    ck_assert_ptr_null(strstr(s->failures[0].text, "friend"));
    KL_HAS(s->failures[0].text, "\nthread 0");
    ck_assert_str_eq(files.sources[0], "float *;             \n");
    ladder_kept_files_free(&files);
    ladder_known_names_free(&names);
    free(r);
}

KL_TEST_MAIN("class")
