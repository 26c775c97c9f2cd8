// Reports: hostile names and outputs cannot break out of HTML, CSV or a terminal; widths; the row
// file.

#include "course/class/class.h"
#include "suite.h"

static kl_error err;
static const char hostile[] = "<img src=x onerror=alert(1)>\033]0;x\a\"'&\xff";

static ladder_result *make_result(void) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    snprintf(r->id, sizeof r->id, "x");
    snprintf(r->title, sizeof r->title, "%s", hostile);
    snprintf(r->hash, sizeof r->hash, "0123");
    ladder_result_note(r, "not used: %s", hostile);
    r->step_count = lab->rubric->step_count;
    for (int i = 0; i < r->step_count; i++) {
        ladder_step_result *s = &r->steps[i];
        s->step = lab->rubric->steps[i].step;
        s->outcome = (ladder_outcome)(i % LADDER_OUTCOMES);
        s->criteria_count = lab->rubric->steps[i].criteria_count;
        for (int c = 0; c < s->criteria_count; c++) {
            s->criteria[c] = (ladder_criterion_result){.measured = c == 0,
                                                       .counted = c < 2,
                                                       .value = 1,
                                                       .points = i == 0,
                                                       .points_max = 2};
        }
    }
    ladder_step_result *s = &r->steps[4];
    s->outcome = LADDER_WRONG_ANSWER;
    s->cases_total = 10;
    s->cases_run = 7;
    s->failure_count = 20;
    snprintf(s->message, sizeof s->message, "%s", hostile);
    for (int i = 0; i < LADDER_FAILURES_MAX; i++) {
        snprintf(s->failures[i].title, sizeof s->failures[i].title, "%s", hostile);
        snprintf(s->failures[i].text, sizeof s->failures[i].text, "%s", hostile);
    }
    ladder_result_log(s, hostile, strlen(hostile));
    r->given = (ladder_given){.count = 2, .comment_count = 1};
    for (int i = 0; i < 2; i++)
        r->given.items[i] = (ladder_given_criterion){.name = "quality",
                                                     .text = "<b>names</b>",
                                                     .most = 10,
                                                     .marked = i == 0,
                                                     .points = i == 0 ? 8 : 0,
                                                     .comment = "<i>short</i>"};
    r->given.comments[0] = (ladder_line_comment){"1_interleaved.cu", 3, "<i>why</i>"};
    snprintf(r->nickname, sizeof r->nickname, "warp_9");
    snprintf(s->tried, sizeof s->tried, "empty 0; sum-exact 1, 33");
    snprintf(r->work_log, sizeof r->work_log, "<b>my</b> log");
    ladder_given_sum(&r->given, &r->points.change);
    ladder_result_total(r);
    return kl_own(r);
}

static char *render(bool html, const ladder_result *result) {
    ladder_report report = {.lab = ladder_lab_find("reduction"),
                            .result = result,
                            .device = "simulated H100",
                            .sandbox = "limits",
                            .sandbox_text = ""};
    kl_style style = {.width = 80};
    return KL_PRINTED(out, if (html) ladder_report_html(&report, out);
                      else ladder_report_text(&report, &style, out));
}

KL_TEST(html_holds_no_foreign_markup) {
    ladder_result *r = make_result();
    char *page = render(true, r);
    ck_assert_ptr_null(strstr(page, "<img"));
    ck_assert_ptr_null(strstr(page, "<script"));
    ck_assert_ptr_null(strchr(page, '\033'));
    ck_assert_ptr_null(strchr(page, '\xff'));
    KL_HAS(page, "&lt;img");
    ck_assert_ptr_null(strstr(page, "<b>names"));
    ck_assert_ptr_null(strstr(page, "<i>"));
    KL_HAS(page, "8 / 10</td><td>&lt;b&gt;names", "not marked yet, up to 10",
           "&lt;b&gt;my&lt;/b&gt; log");
    ck_assert_ptr_null(strstr(page, "http://"));
    ck_assert_ptr_null(strstr(page, "https://")); // loads nothing
}

// What the step's run said adds nothing: it ran no case.
KL_TEST(an_unwritten_step_is_told_what_to_do) {
    ladder_result *r = make_result();
    ladder_step_result *s = &r->steps[2];
    s->outcome = LADDER_NOT_IMPLEMENTED;
    snprintf(s->message, sizeof s->message, "empty, 0 elements: not implemented");
    char *page = render(true, r);
    ck_assert_ptr_null(strstr(page, "0 elements"));
    KL_HAS(page, ladder_outcome_text(LADDER_NOT_IMPLEMENTED), "IMPLEMENTED");
}

KL_TEST(text_fits_eighty_columns) {
    ladder_result *r = make_result();
    snprintf(r->title, sizeof r->title, "ann");
    r->seed = UINT64_MAX; // the longest
    r->wall_s = 99999.9;
    ladder_step_result *s = &r->steps[4];
    for (int i = 0; i < LADDER_FAILURES_MAX; i++) {
        snprintf(s->failures[i].title, sizeof s->failures[i].title, "sum-exact, 1000003 elements");
        snprintf(
            s->failures[i].text, sizeof s->failures[i].text,
            "result[0]: expected 123456, got 123455 (allowed error 0): exactly the last element "
            "is missing: check the comparison with n");
    }
    s->log[0] = '\0';
    char *text = render(false, r);
    KL_HAS(text, "wrong answer", "and 17 more cases");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        ck_assert_msg(kl_text_width(line) <= 80, "%s", line);
}

// The simulator prints of a fault what the step's case says already.
KL_TEST(a_fault_is_told_once) {
    ladder_result *r = make_result();
    ladder_step_result *s = &r->steps[4];
    snprintf(s->failures[0].text, sizeof s->failures[0].text,
             "illegal read of 4 bytes at index 8\n  at 4_first_add.cu:30");
    snprintf(s->log, sizeof s->log,
             "simulator: illegal read of 4 bytes at index 8\n  at /sub/4_first_add.cu:30\n");
    char *text = render(false, r);
    ck_assert_ptr_null(strstr(text, "what was printed"));
    strcat(s->log, "n is 7\n");
    text = render(false, r);
    KL_HAS(text, "| n is 7");
}

KL_TEST(counts_are_written_out) {
    const ladder_criterion criterion = {
        .kind = LADDER_CRITERION_COUNT, .text = "loads", .full = 9000, .zero = 2600000};
    ladder_criterion_result result = {.measured = true, .value = 32768};
    char text[256];
    ck_assert_str_eq(ladder_report_criterion(&criterion, &result, text, sizeof text),
                     "loads: 32,768 (full points up to 9,000, none from 2,600,000)");
    result.value = 4.03125;
    ladder_report_criterion(&criterion, &result, text, sizeof text);
    KL_HAS(text, "loads: 4.03 (");
    result.value = 999.7; // rounds to a thousand
    ladder_report_criterion(&criterion, &result, text, sizeof text);
    KL_HAS(text, "loads: 1,000 (");
    result.measured = false;
    ladder_report_criterion(&criterion, &result, text, sizeof text);
    ck_assert_str_eq(text, "loads: not counted (full points up to 9,000)");
    const ladder_criterion newer = {
        .kind = LADDER_CRITERION_COUNT, .text = "loads", .needs_cuda = 13};
    ladder_report_criterion(&newer, &result, text, sizeof text);
    ck_assert_str_eq(text, "loads: not counted with this toolkit (needs CUDA 13)");
}

// As few digits as tell on which side of a threshold a value lies.
KL_TEST(counts_show_their_side_of_the_thresholds) {
    const ladder_criterion few = {.kind = LADDER_CRITERION_COUNT,
                                  .text = "shared-memory wavefronts per element",
                                  .full = 0.06,
                                  .zero = 0.095};
    const ladder_criterion many = {.kind = LADDER_CRITERION_COUNT,
                                   .text = "active threads per warp (of 32)",
                                   .full = 28,
                                   .zero = 25};
    ladder_criterion_result result = {.measured = true, .value = 0.04895};
    char text[256];
    ck_assert_str_eq(ladder_report_criterion(&few, &result, text, sizeof text),
                     "shared-memory wavefronts per element: 0.049 (full points up to 0.06, none "
                     "from 0.095)");
    result.value = 0.06021;
    ladder_report_criterion(&few, &result, text, sizeof text);
    KL_HAS(text, "element: 0.0602 (");
    result.value = 0.06;
    ladder_report_criterion(&few, &result, text, sizeof text);
    KL_HAS(text, "element: 0.06 (");
    result.value = 27.996;
    ck_assert_str_eq(
        ladder_report_criterion(&many, &result, text, sizeof text),
        "active threads per warp (of 32): 27.996 (full points from 28, none up to 25)");
}

// What must hold besides a count, and does not, stands behind it.
KL_TEST(further_bounds_that_are_missed_are_written_out) {
    const ladder_bound with[] = {
        {.text = "SMs", .family = "", .full = 100, .zero = 2},
        {.text = "wavefronts per element", .family = "", .full = 0.12, .zero = 0.3}};
    const ladder_criterion criterion = {.kind = LADDER_CRITERION_COUNT,
                                        .text = "loads",
                                        .full = 4,
                                        .zero = 8,
                                        .with = with,
                                        .with_count = 2};
    ladder_criterion_result result = {.measured = true, .value = 4, .with = {132, (double)NAN}};
    char text[LADDER_CRITERION_TEXT];
    ck_assert_str_eq(ladder_report_criterion(&criterion, &result, text, sizeof text),
                     "loads: 4 (full points up to 4, none from 8); wavefronts per element: none "
                     "(up to 0.12, none from 0.3)");
}

// Whether a ratio of times was measured or modelled is always said.
KL_TEST(modelled_times_are_called_so) {
    const ladder_modelled modelled[] = {
        {.device = ladder_device_simulated()->name, .size = 65536, .full = 2.5, .zero = 1.2}};
    ladder_criterion criterion = {.kind = LADDER_CRITERION_SPEED,
                                  .text = "faster",
                                  .full = 3,
                                  .zero = 1.5,
                                  .modelled = modelled,
                                  .modelled_count = 1};
    ladder_criterion_result result = {
        .measured = true, .counted = true, .value = 3.1, .modelled = 3.1};
    char text[LADDER_CRITERION_TEXT];
    ck_assert_str_eq(ladder_report_criterion(&criterion, &result, text, sizeof text),
                     "faster: modelled 3.1 x step 0 at size 65,536 (full points from 2.5, none up "
                     "to 1.2)");
    result.value = 4;
    result.low = 3.9;
    result.high = 4.2;
    result.full = 3;
    result.zero = 1.5;
    ck_assert_str_eq(ladder_report_criterion(&criterion, &result, text, sizeof text),
                     "faster: 4.00 times as fast as step 0, 95 % interval 3.90 to 4.20 (full "
                     "points from 3, none up to 1.5); beside it modelled 3.1 x step 0 at size "
                     "65,536 (from 2.5, none up to 1.2)");
    result.closed = true;
    ladder_report_criterion(&criterion, &result, text, sizeof text);
    KL_HAS(text, "no points, because a count of this step earns none");
    criterion.modelled_count = 0;
    result.closed = false;
    result.calibrated = result.doubt = true;
    result.full = 4.1;
    result.pairs = 15;
    ck_assert_str_eq(ladder_report_criterion(&criterion, &result, text, sizeof text),
                     "faster: 4.00 times as fast as step 0, 95 % interval 3.90 to 4.20 (full "
                     "points from 4.1, none up to 1.5: this card's own thresholds); noise still "
                     "decides after 15 pairs of processes, so the faster end of the interval "
                     "counts");
    result =
        (ladder_criterion_result){.left_out = true, .value = (double)NAN, .modelled = (double)NAN};
    ck_assert_str_eq(ladder_report_criterion(&criterion, &result, text, sizeof text),
                     "faster: not graded on this card: ladder calibrate found too small a gain");
    criterion.unmodelled = "too near";
    result = (ladder_criterion_result){.value = (double)NAN, .modelled = (double)NAN};
    ck_assert_str_eq(ladder_report_criterion(&criterion, &result, text, sizeof text),
                     "faster: not measured here (needs a GPU), and not modelled: too near");
}

// Everything that a report may hold: a timed step, one that is modelled, predictions, findings.
static void add_what_is_rare(ladder_result *r) {
    ladder_step_result *timed = &r->steps[1];
    for (int c = 0; c < timed->criteria_count; c++) {
        ladder_criterion_result *criterion = &timed->criteria[c];
        criterion->measured = true;
        criterion->value = 4;
        criterion->modelled = criterion->modelled_points = (double)NAN;
    }
    timed->prediction_count = 1;
    timed->predictions[0] = (ladder_prediction){.name = "requests", .predicted = 8, .counted = 16};
    timed->check.finding_count = 1;
    timed->check.findings[0].kind = "race";
    timed->call_count = 1;
    timed->calls[0] = (ladder_call){.family = "sum-exact", .size = 1 << 20, .launches = 2};
    r->steps[4].failures[0].compared = true;
    snprintf(r->members, sizeof r->members, "Ann Lee\t4711\tann@x.edu\nBo Roe\n");
}

KL_TEST(json_is_written_whole) {
    ladder_result *r = make_result();
    add_what_is_rare(r);
    ladder_report report = {.lab = ladder_lab_find("reduction"),
                            .result = r,
                            .device = "d",
                            .sandbox = "s",
                            .sandbox_text = ""};
    char *text = KL_PRINTED(out, ck_assert_int_eq(ladder_report_json(&report, out, &err), KL_OK));
    KL_HAS(text, "\"schema\": \"ladder.grade/1\"");
    ck_assert_ptr_null(strchr(text, '\033'));
    KL_HAS(text, "\"name\": \"Bo Roe\"");
    kl_keep("grade.json", text);
}

KL_TEST(rows_survive_a_file) {
    char folder[LADDER_PATH];
    ladder_result *r = make_result();
    ladder_row row, again;
    const ladder_row_key key = {{7, 1}}, other = {{7, 2}};
    snprintf(r->title, sizeof r->title, "Ann \"A\" Lee = 1/3 %%");
    r->points.graded = true;
    r->points.reached = 100.0 / 3, r->points.most = 100;
    r->points.change = (ladder_points_change){.late_days = 3,
                                              .slip_days = 2,
                                              .late_share = 0.1 * 3,
                                              .late_points = 1.0 / 3,
                                              .late_rule = "due x, 10 %",
                                              .due_s = 1795219140};
    ladder_row_from(r, ladder_lab_find("reduction"), &row);
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    row.trace = (ladder_trace){"0.1.0 ab", "simulated NVIDIA H100", "", UINT64_MAX};
    const char *path = kl_own_text("%s/row.txt", folder);
    ck_assert_int_eq(ladder_row_write(&row, &key, path, &err), KL_OK);
    ck_assert_int_eq(ladder_row_read(path, &key, &again), LADDER_ROW_GOOD);
    ck_assert_str_eq(again.title, row.title);
    ck_assert(again.points.graded && again.points.reached == row.points.reached &&
              again.points.most == row.points.most); // to the last bit
    ck_assert_str_eq(again.rubric, row.rubric);
    ck_assert_str_eq(again.trace.device, "simulated NVIDIA H100");
    ck_assert_str_eq(again.trace.sandbox, "");
    ck_assert(again.trace.seed == UINT64_MAX);
    ck_assert_int_eq(again.points.change.late_days, 3);
    ck_assert_int_eq(again.points.change.slip_days, 2);
    ck_assert_str_eq(again.points.change.late_rule, "due x, 10 %");
    ck_assert(again.points.change.late_points == row.points.change.late_points);
    ck_assert(again.points.change.late_share == row.points.change.late_share &&
              !again.points.change.overridden);
    ck_assert(again.points.change.due_s == 1795219140);
    ck_assert_int_eq(again.step_count, row.step_count);
    ck_assert_int_eq(again.steps[4].outcome, LADDER_WRONG_ANSWER);
    ladder_row ignored;
    ck_assert_int_eq(ladder_row_read(path, NULL, &ignored), LADDER_ROW_GOOD);
    ck_assert_int_eq(ladder_row_read(path, &other, &ignored), LADDER_ROW_FOREIGN);
    // A file that was cut short or changed is no row.
    char *text = NULL;
    size_t bytes = 0;
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, &bytes, &err), KL_OK);
    for (size_t cut = 0; cut + 4 < bytes; cut += 7) {
        ck_assert_int_eq(ladder_file_write(path, text, cut, &err), KL_OK);
        ck_assert_msg(ladder_row_read(path, &key, &again) == LADDER_ROW_FOREIGN, "cut at %zu", cut);
    }
    for (size_t at = 0; at < bytes; at += 5) {
        text[at] ^= 1;
        ck_assert_int_eq(ladder_file_write(path, text, bytes, &err), KL_OK);
        ck_assert_msg(ladder_row_read(path, &key, &again) == LADDER_ROW_FOREIGN, "changed at %zu",
                      at);
        text[at] ^= 1;
    }
    memset(row.title, 'x', sizeof row.title - 1); // as long as it may be
    row.title[sizeof row.title - 1] = '\0';
    ck_assert_int_eq(ladder_row_write(&row, &key, path, &err), KL_OK);
    ck_assert_int_eq(ladder_row_read(path, &key, &again), LADDER_ROW_GOOD);
    ck_assert_str_eq(again.title, row.title);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(ladder_row_read(path, &key, &again), LADDER_ROW_ABSENT);
    free(text);
    ladder_folder_remove(folder);
}

KL_TEST(the_class_file_is_safe_and_complete) {
    ladder_row rows[3];
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < 3; i++) {
        rows[i].done = i != 2;
        rows[i].step_count = i != 2 ? 2 : 0;
        rows[i].points = (ladder_points){.graded = i == 0, .reached = 1, .most = 2};
        snprintf(rows[i].id, sizeof rows[i].id, "id%d", i);
        snprintf(rows[i].title, sizeof rows[i].title, "=cmd|' /C calc'!A%d", i);
        rows[i].points.change.late_days = 1;
        rows[i].steps[1].outcome = LADDER_TIME_LIMIT;
        rows[i].steps[1].step = 1;
    }
    char *text = KL_PRINTED(out, ladder_class_csv(rows, 3, out));
    ck_assert_ptr_null(strstr(text, "\"=cmd"));
    KL_HAS(text, "\"'=cmd|' /C calc'!A0\",\"id0\",\"scored\",50.0000", "\"id1\",\"ungradable\",,,",
           "\"id2\",\"ungradable\",,,");
    kl_style style = {.width = 80};
    text = KL_PRINTED(out, ladder_class_table(rows, 3, &style, out));
    KL_HAS(text, "time limit");
    // Namesakes are told apart, whatever the width; what has no score loses none by being late. No
    // line has blanks at its end.
    static const char *const titles[] = {
        "Bo Roe", "A student with a name that is longer than any column of the table"};
    for (int t = 0; t < 2; t++) {
        snprintf(rows[0].title, sizeof rows[0].title, "%s", titles[t]);
        snprintf(rows[1].title, sizeof rows[1].title, "%s", titles[t]);
        text = KL_PRINTED(out, ladder_class_table(rows, 3, &style, out);
                          ladder_class_changed_table(rows, 3, &style, out));
        int first = 0, second = 0;
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
            ck_assert_msg(kl_text_width(line) <= 80, "%s", line);
            ck_assert_msg(line[strlen(line) - 1] != ' ', "%s|", line);
            first += strstr(line, " (id0)") != NULL;
            second += strstr(line, " (id1)") != NULL;
        }
        ck_assert_msg(first == 2 && second == 1, "%d, %d: %s", first, second, text);
    }
    text = KL_PRINTED(
        out, ck_assert_int_eq(ladder_class_json(ladder_lab_find("reduction"), rows, 3, out, &err),
                              KL_OK));
    KL_HAS(text, "\"outcome\": \"time limit\"");
    kl_keep("class.json", text);
}

KL_TEST_MAIN("report")
