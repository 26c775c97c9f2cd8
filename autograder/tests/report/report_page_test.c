// The page of a grade, and results that are read again.
#include "show/report/report.h"
#include "suite.h"
#include "utilities/kit.h"
#include "ladder_config.h"

// ---- report_page ----
// The page of a grade says what was expected and what was seen, shows the lines that the checker
// and the compiler name, names the chapter to read, and is beside a class that it does not name.

static ladder_result *make_result(void) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    r->step_count = lab->rubric->step_count;
    for (int i = 0; i < r->step_count; i++) {
        r->steps[i].step = lab->rubric->steps[i].step;
        r->steps[i].points_max = 10;
    }
    return kl_own(r);
}

static char *render(const ladder_result *result, const ladder_beside *beside) {
    const ladder_report report = {.lab = ladder_lab_find("reduction"),
                                  .result = result,
                                  .device = "simulated H100",
                                  .sandbox = "isolated",
                                  .sandbox_text = "",
                                  .beside = *beside};
    return KL_PRINTED(out, ladder_report_html(&report, out));
}

static void expect(const char *page, const char *part) {
    ck_assert_msg(strstr(page, part), "no '%s'", part);
}

KL_TEST(a_wrong_step_says_what_was_expected_and_where) {
    ladder_result *r = make_result();
    ladder_step_result *s = &r->steps[3];
    const char *sources[LADDER_STEPS_MAX] = {NULL};
    sources[3] = "one\ntwo\nthree\nfour <b>\nfive\nsix\nseven\neight\nnine\nten\n";
    s->outcome = LADDER_WRONG_ANSWER;
    s->failure_count = 1;
    s->failures[0] = (ladder_failure){.outcome = LADDER_WRONG_ANSWER,
                                      .title = "sum-exact, 257 elements",
                                      .text = "result[7]: expected 5, got 6 (allowed error 0): "
                                              "the tail is missing",
                                      .compared = true,
                                      .output = "result",
                                      .first_wrong = 7,
                                      .expected = 5,
                                      .got = 6,
                                      .seen = "6"};
    snprintf(s->small, sizeof s->small, "the smallest: <b>\n  expected  5\n  got       6*\n");
    s->check.finding_count = 1;
    s->check.findings[0].kind = "race";
    snprintf(s->check.findings[0].place, sizeof s->check.findings[0].place,
             "3_sequential.cu:4 and :9");
    char *page = render(r, &(ladder_beside){.sources = sources});
    KL_HAS(page, "<code>result[7]</code></td><td class=\"num\">5</td><td class=\"num\">6</td>",
           "the tail is missing",
           "the smallest: &lt;b&gt;\n  expected  5\n  got       <mark>6*</mark>\n</pre>",
           "the checker found <b>race</b> at <code>3_sequential.cu:4 and :9</code>",
           "<tr class=\"hit\"><td class=\"no\">4</td><td class=\"code\">four &lt;b&gt;</td>",
           "<tr class=\"hit\"><td class=\"no\">9</td>");
    expect(page, "<tr><td class=\"no\">1</td>"); // three lines around
    ck_assert_ptr_null(strstr(page, "Beside the class"));
}

KL_TEST(the_compilers_line_is_shown) {
    ladder_result *r = make_result();
    ladder_step_result *s = &r->steps[1];
    const char *sources[LADDER_STEPS_MAX] = {NULL};
    sources[1] = "a\nb\nc\nd\ne\nf\ng\nh\n";
    s->outcome = LADDER_COMPILE_ERROR;
    snprintf(s->log, sizeof s->log, "1_interleaved.cu(2): error: identifier \"b\" is undefined\n");
    char *page = render(r, &(ladder_beside){.sources = sources});
    expect(page, "<tr class=\"hit\"><td class=\"no\">2</td>");
    ck_assert_ptr_null(strstr(page, "<td class=\"no\">6</td>"));
}

KL_TEST(the_chapter_of_a_step_is_named) {
    static const char readme[] =
        "# Lab\n## The steps\n\n## Steps 0 and 1: first\n"
        "text (step 9)\n### Step 8: no chapter\n## Steps 2 to 4: loops\n## Step 12: last, f(x)\n"
        "## Measured\n";
    char heading[80];
    const struct {
        int step;
        const char *heading;
    } rows[] = {{0, "Steps 0 and 1: first"},
                {1, "Steps 0 and 1: first"},
                {3, "Steps 2 to 4: loops"},
                {4, "Steps 2 to 4: loops"},
                {12, "Step 12: last, f(x)"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert(ladder_chapter_heading(readme, rows[i].step, heading, sizeof heading));
        ck_assert_str_eq(heading, rows[i].heading);
    }
    ck_assert(!ladder_chapter_heading(readme, 5, heading, sizeof heading));
    ck_assert(!ladder_chapter_heading(readme, 8, heading, sizeof heading));
    ck_assert(!ladder_chapter_heading(readme, 9, heading, sizeof heading));
    ladder_result *r = make_result();
    expect(render(r, &(ladder_beside){.lab_page = readme}), "read: \"Steps 2 to 4: loops\" in");
}

// What costs points is shown in the student's code, and what to do is the last thing said.
KL_TEST(a_count_shows_its_line_and_what_to_do) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    const char *sources[LADDER_STEPS_MAX] = {NULL};
    sources[3] = "one\n\t    partial[t] <b> += partial[t + s];\nthree\n";
    ladder_result *r = make_result();
    r->points.graded = true;
    for (int i = 0; i < r->step_count; i++) {
        ladder_step_result *s = &r->steps[i];
        s->outcome = LADDER_CORRECT;
        s->criteria_count = lab->rubric->steps[i].criteria_count;
        for (int c = 0; c < s->criteria_count; c++)
            s->criteria[c] = (ladder_criterion_result){
                .measured = true, .counted = true, .points = 4, .points_max = 4};
    }
    char *page = render(r, &(ladder_beside){.sources = sources});
    expect(page, "<h2>What to do next</h2><p>this lab is done; the next one is 03_occupancy");
    ck_assert_ptr_null(strstr(page, "most of it in"));
    r->steps[2].criteria[0].points = 3;
    r->steps[3].criteria[1].points = 1;
    for (int i = 0; i < r->step_count; i++) r->steps[i].points = r->steps[i].points_max = 8;
    r->steps[3].points = 5;
    r->steps[3].criteria[1].line = 2;
    page = render(r, &(ladder_beside){.sources = sources});
    KL_HAS(page,
           "<section class=\"step right part\"><div class=\"head\"><h2>Step 3: sequential</h2>"
           "<span class=\"tag\">correct, points missing</span>",
           "<section class=\"step right\"><div class=\"head\"><h2>Step 4",
           "<br>most of it in <code>3_sequential.cu:2</code>"
           "<pre class=\"from\">partial[t] &lt;b&gt; += partial[t + s];</pre>",
           "<h2>What to do next: step 3, sequential</h2><p>step 3 lacks 3 points for &quot;",
           "&quot;; see 3_sequential.cu:2</p>\n<p><code>./ladder profile reduction 3</code>");
    ck_assert(strstr(page, "What to do next") > strstr(page, "Step 8"));
    sources[3] = "one\n";                      // not the file that was graded
    r->steps[5].outcome = LADDER_WRONG_ANSWER; // comes before points
    r->steps[6].outcome = LADDER_NOT_IMPLEMENTED;
    page = render(r, &(ladder_beside){.sources = sources});
    KL_HAS(page, "<code>3_sequential.cu:2</code></td>",
           "What to do next: step 5, shuffle</h2><p>step 5: an output is outside",
           "<code>./ladder run reduction 5</code>");
    r->steps[5].check.finding_count = 1;
    r->steps[5].check.findings[0].kind = "race";
    snprintf(r->steps[5].check.findings[0].place, sizeof r->steps[5].check.findings[0].place,
             "5_shuffle.cu:9");
    page = render(r, &(ladder_beside){.sources = sources});
    KL_HAS(page, "step 5: the checker found race at 5_shuffle.cu:9",
           "<code>./ladder check reduction 5</code>");
    r->points.graded = false;
    page = render(r, &(ladder_beside){.sources = sources});
    ck_assert_ptr_null(strstr(page, "What to do next"));
}

KL_TEST(a_chapter_is_a_link_where_the_page_is_known) {
    static const char readme[] = "\n## Steps 5 to 6: Little's law, n\n";
    ladder_result *r = make_result();
    char *page = render(r, &(ladder_beside){.lab_page = readme, .page = "../../labs/x/README.md"});
    KL_HAS(page, "<a href=\"../../labs/x/README.md\">Lab 02_reduction</a>",
           "<a href=\"../../labs/x/README.md#steps-5-to-6-littles-law-n\">Steps 5 to 6: Little");
    page = render(
        r, &(ladder_beside){.lab_page = readme, .page = "https://a.b/lab_02_reduction.html"});
    expect(page,
           "\"https://a.b/lab_02_reduction.html#lab_02_reduction_steps_5_to_6_littles_law_n\"");
    page = render(r, &(ladder_beside){.lab_page = readme});
    expect(page, "\" in <code>labs/02_reduction/README.md</code>");
}

// The way from the folder of a report to the kit beside it; nothing where they share no folder.
KL_TEST(the_page_of_the_kit_is_found) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    char top[LADDER_PATH], path[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ladder_kept_files files;
    ck_assert_int_eq(ladder_folder_temporary(top, &err), KL_OK);
    static const char *const folders[] = {"kit", "kit/labs", "kit/labs/02_reduction", "kit/out",
                                          "kit/out/ann"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        ck_assert_int_eq(ladder_path(path, &err, "%s/%s", top, folders[i]), KL_OK);
        ck_assert_int_eq(mkdir(path, 0755), 0);
    }
    ck_assert_int_eq(ladder_path(path, &err, "%s/kit/labs/02_reduction/README.md", top), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, "# x\n", 4, &err), KL_OK);
    const struct {
        const char *to, *page;
    } rows[] = {{"kit/out/ann", "../../labs/02_reduction/README.md"},
                {"kit", "labs/02_reduction/README.md"},
                {"kit/labs/02_reduction", "README.md"},
                {"kit/none", NULL}};
    const char *kit = kl_own_text("%s/kit", top);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(ladder_path(path, &err, "%s/%s", top, rows[i].to), KL_OK);
        ladder_kept_files_read(path, kit, lab, path, &files);
        if (rows[i].page) ck_assert_str_eq(files.page, rows[i].page);
        else ck_assert_ptr_null(files.page);
        ladder_kept_files_free(&files);
    }
    ladder_kept_files_read(top, kit, lab, "/", &files);
    ck_assert_ptr_null(files.page);
    ladder_kept_files_free(&files);
    ladder_folder_remove(top);
}

// The class's boxes; times of the case that most steps count.
KL_TEST(a_submission_stands_beside_its_class) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    const char *family = "";
    int64_t size = 0;
    ladder_result *r = make_result();
    static ladder_distribution class;
    ck_assert(ladder_common_case(lab, &family, &size));
    class.count = 9;
    for (int i = 0; i < LADDER_STEPS_MAX; i++) {
        class.shares[i] = (ladder_spread){0.25, 0.5, 0.75};
        class.times_us[i] = (ladder_spread){NAN, NAN, NAN};
        class.solution_us[i] = NAN;
    }
    char *page = render(r, &(ladder_beside){.class = &class});
    KL_HAS(page, "Beside the class", "half of the class");
    ck_assert_ptr_null(strstr(page, "modelled time at"));
    for (int i = 1; i < 4; i++) {
        r->steps[i].call_count = 1;
        snprintf(r->steps[i].calls[0].family, sizeof r->steps[i].calls[0].family, "%s", family);
        r->steps[i].calls[0].size = size;
        r->steps[i].calls[0].time_us = 100.0 / i;
        class.solution_us[i] = 50.0 / i;
    }
    page = render(r, &(ladder_beside){.class = &class});
    KL_HAS(page, "modelled time at", "this one", "solution");
    class.shares[0] = (ladder_spread){NAN, NAN, NAN};
    page = render(r, &(ladder_beside){.class = &class});
    expect(page, "too small to be shown");
}

KL_TEST(the_roofline_of_a_call_is_drawn) {
    ladder_result *r = make_result();
    r->steps[2].outcome = LADDER_CORRECT;
    r->steps[2].call_count = 1;
    r->steps[2].calls[0] = (ladder_call){.family = "sum-exact",
                                         .size = 1 << 20,
                                         .launches = 1,
                                         .time_us = 20,
                                         .busy_us = 10,
                                         .bytes = 4e6,
                                         .instructions = 8e6};
    char *page = render(r, &(ladder_beside){.shared = true});
    KL_HAS(page, "sum-exact, size 2^20: 1 launch, modelled time 20.0 us",
           "Roofline: step 2 below what memory and pipes allow",
           "intensity: 2 warp instructions per byte");
    ck_assert_ptr_null(strstr(page, "sha256"));
}

// ---- report_read ----
// A result that is written and read again is the same; a file that is none, or of another rubric,
// is refused, and no edited one does harm.

static kl_error err;
static char folder[LADDER_PATH], path[LADDER_PATH];

static void fill_step(ladder_step_result *s, const ladder_rubric_step *rubric, int i) {
    s->step = rubric->step;
    s->outcome = (ladder_outcome)(i % LADDER_OUTCOMES);
    snprintf(s->message, sizeof s->message, "message \"%d\"\n<x>", i);
    snprintf(s->log, sizeof s->log, "log %d", i);
    snprintf(s->small, sizeof s->small, i % 2 ? "" : "case %d\n", i);
    s->forgotten = i == 1;
    s->cases_total = 17, s->cases_run = 12 + i % 2, s->cases_right = i;
    s->points = 1.25 * i, s->points_max = 12;
    s->build_s = 0.5, s->run_s = 1.5;
    s->cases_s = 5, s->check_s = 6, s->criteria_s = 7, s->alone_s = 3;
    s->failure_count = i == 3 ? LADDER_FAILURES_MAX + 5 : i % 3;
    for (int k = 0; k < s->failure_count && k < LADDER_FAILURES_MAX; k++) {
        ladder_failure *f = &s->failures[k];
        *f = (ladder_failure){.outcome = LADDER_WRONG_ANSWER, .compared = k % 2 == 0};
        snprintf(f->title, sizeof f->title, "sum-exact, %d elements", k);
        snprintf(f->text, sizeof f->text, "result[%d]: expected", k);
        if (!f->compared) continue;
        snprintf(f->output, sizeof f->output, "result");
        snprintf(f->seen, sizeof f->seen, "NaN");
        f->first_wrong = 4000000000u + (unsigned)k;
        f->expected = -12.5, f->got = k == 0 ? (double)NAN : 3, f->bound = 0.25;
    }
    s->check.cases = 2, s->check.wanted = 3;
    s->check.finding_count = i % 2;
    s->check.findings[0].kind = "race";
    snprintf(s->check.findings[0].place, sizeof s->check.findings[0].place, "x.cu:3 and :4");
    s->criteria_count = rubric->criteria_count;
    for (int c = 0; c < s->criteria_count; c++) {
        const ladder_criterion *criterion = &rubric->criteria[c];
        bool speed = criterion->kind == LADDER_CRITERION_SPEED;
        bool modelled = ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
        bool timed = i % 2 == 0;
        s->criteria[c] = (ladder_criterion_result){.measured = true,
                                                   .line = 31,
                                                   .counted = c != 2,
                                                   .closed = speed && i == 3,
                                                   .value = 1.5 + c,
                                                   .low = 1.25,
                                                   .high = 1.75,
                                                   .full = timed ? 2 : NAN,
                                                   .zero = timed ? 1 : NAN,
                                                   .calibrated = timed,
                                                   .doubt = timed,
                                                   .pairs = 11,
                                                   .call_us = 123.5,
                                                   .same_low = 0.99,
                                                   .same_high = 1.01,
                                                   .seconds = 20,
                                                   .before_s = 2,
                                                   .alone_s = 3,
                                                   .after_s = 4,
                                                   .with = {1, 2, 3},
                                                   .modelled = !modelled ? (double)NAN
                                                               : timed   ? 3
                                                                         : 1.5 + c,
                                                   .modelled_points = 1,
                                                   .points = c,
                                                   .points_max = 3};
    }
    s->call_count = 2;
    for (int k = 0; k < 2; k++)
        s->calls[k] = (ladder_call){.family = "sum-exact",
                                    .size = 1 << (20 + k),
                                    .launches = 2,
                                    .time_us = 20.5,
                                    .busy_us = 18,
                                    .bytes = 4e6,
                                    .fma = 1e5,
                                    .fma_pipe = 2e5,
                                    .instructions = 3e6};
    s->prediction_count = 1;
    s->predictions[0] = (ladder_prediction){.name = "blocks", .predicted = 8, .counted = 16};
}

static ladder_result *make_result_report_read(const ladder_lab *lab) {
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    snprintf(r->id, sizeof r->id, "ann");
    snprintf(r->title, sizeof r->title, "Ann <Lee>");
    snprintf(r->user, sizeof r->user, "4711");
    snprintf(r->members, sizeof r->members, "Ann <Lee>\t4711\tann@x.edu\nBo Roe\n");
    snprintf(r->hash, sizeof r->hash, "0123abcd");
    r->seed = UINT64_MAX;
    r->wall_s = 12.5;
    r->points.graded = true, r->points.reached = 41.25, r->points.most = 100;
    r->points.change = (ladder_points_change){.late_days = 2,
                                              .slip_days = 1,
                                              .late_share = 0.2,
                                              .late_rule = "due x, <10> %",
                                              .overridden = lab != &ladder_labs[0],
                                              .override = 12.5};
    if (!r->points.change.overridden) r->points.change.override = 0;
    if (r->points.change.overridden) r->points.change.due_s = 1795219140;
    ladder_result_note(r, "not used: %s", "notes.txt");
    r->step_count = lab->rubric->step_count;
    for (int i = 0; i < r->step_count; i++) fill_step(&r->steps[i], &lab->rubric->steps[i], i);
    return kl_own(r);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    return ladder_report_json(context, out, err);
}

static char *write_report(const ladder_report *report) {
    char *text = NULL;
    ck_assert_int_eq(kl_file_put(path, write_json, (void *)report, &err), KL_OK);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 64 << 20, &text, NULL, &err), KL_OK);
    return kl_own(text);
}

static void set_up(void) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(path, &err, "%s/result.json", folder), KL_OK);
}

static void tear_down(void) { ladder_folder_remove(folder); }

static void check_same(const ladder_lab *lab) {
    ladder_result *result = make_result_report_read(lab);
    ladder_report report = {.lab = lab,
                            .result = result,
                            .device = "simulated H100",
                            .sandbox = "isolated",
                            .sandbox_text = "all of it"};
    ladder_graded graded;
    char *first = write_report(&report);
    ck_assert_msg(ladder_graded_read(path, &graded, &err) == KL_OK, "%s", err.text);
    ck_assert_ptr_eq(graded.lab, lab);
    ladder_report again = ladder_graded_report(&graded);
    char *second = write_report(&again);
    size_t at = 0;
    while (first[at] != '\0' && first[at] == second[at]) at++;
    ck_assert_msg(first[at] == second[at], "%s: '%.60s' became '%.60s'", lab->folder, first + at,
                  second + at);
    ladder_graded_free(&graded);
}

KL_FIXTURE(set_up, tear_down)

KL_TEST(what_is_written_is_read) {
    if (!LADDER_HAVE_JANSSON) return;
    for (int l = 0; l < ladder_lab_count; l++) check_same(&ladder_labs[l]);
}

static void expect_refused(const char *text, const char *says) {
    ladder_graded graded;
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
    err.text[0] = '\0';
    ck_assert_int_ne(ladder_graded_read(path, &graded, &err), KL_OK);
    ck_assert_ptr_null(graded.result);
    KL_HAS(err.text, LADDER_HAVE_JANSSON ? says : "libjansson-dev");
}

KL_TEST(other_files_are_refused) {
    expect_refused("", "result.json:");
    expect_refused("[]", "not a result of ladder grade");
    expect_refused("{\"schema\": \"ladder.grade/2\"}", "not a result of ladder grade");
    expect_refused("{\"schema\": \"ladder.grade/1\", \"lab\": \"none\"}", "of a lab");
    expect_refused("{\"schema\": \"ladder.grade/1\", \"lab\": \"reduction\", \"steps\": []}",
                   "another rubric");
    expect_refused("{\"schema\": \"ladder.grade/1\", \"lab\": \"reduction\", \"steps\": "
                   "[1,2,3,4,5,6,7,8,9]}",
                   "another rubric");
}

KL_TEST_MAIN("report_page")
