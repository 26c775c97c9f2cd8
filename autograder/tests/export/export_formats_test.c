// Every format of one submission, read as its system reads it: required keys, types and ranges; the
// same score in all of them; hostile texts; results that could not be graded; files that cannot be
// written.
// where: LADDER_HAVE_JANSSON
// links: ladder_package_JANSSON
#include <jansson.h>

#include "course/export/internal.h"
#include "sample.h"
#include "suite.h"

static kl_error err;

static const sample_kind gradable[] = {SAMPLE_SOLUTION, SAMPLE_MIXED, SAMPLE_EMPTY, SAMPLE_HOSTILE};
enum { GRADABLE = sizeof gradable / sizeof gradable[0] };

static json_t *load(const char *text) {
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(json, "line %d: %s", error.line, error.text);
    return json;
}

static double number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_number(value), "no number \"%s\"", key);
    return json_number_value(value);
}

static const char *string(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_string(value), "no string \"%s\"", key);
    return json_string_value(value);
}

static bool is_one_of(const char *word, const char *words) {
    const char *found = strstr(words, word);
    size_t length = strlen(word);
    return found && (found == words || found[-1] == ' ') &&
           (found[length] == ' ' || found[length] == '\0');
}

static ladder_hundredths marks_of(const ladder_result *result) {
    ladder_hundredths marks;
    ladder_hundredths_from(result, &marks);
    return marks;
}

static bool same(double a, double b) { return fabs(a - b) <= 1e-9; }

// The keys and words of https://gradescope-autograders.readthedocs.io/en/latest/specs/.
static double check_gradescope(const char *text, const ladder_hundredths *marks) {
    static const char visibilities[] = "hidden after_due_date after_published visible";
    json_t *json = load(text), *test = NULL, *row = NULL;
    size_t i = 0;
    double score = number(json, "score"), sum = 0, most = 0;
    ck_assert(number(json, "execution_time") >= 0);
    ck_assert(is_one_of(string(json, "visibility"), visibilities));
    ck_assert(is_one_of(string(json, "stdout_visibility"), visibilities));
    ck_assert(is_one_of(string(json, "output_format"), "text html simple_format md ansi"));
    ck_assert(json_is_object(json_object_get(json, "extra_data")));
    json_array_foreach(json_object_get(json, "tests"), i, test) {
        double points = number(test, "score"), full = number(test, "max_score");
        ck_assert(points >= 0 && points <= full);
        ck_assert_str_eq(string(test, "status"), same(points, full) ? "passed" : "failed");
        ck_assert(is_one_of(string(test, "visibility"), visibilities));
        ck_assert_str_ne(string(test, "name"), "");
        ck_assert_str_ne(string(test, "number"), "");
        ck_assert_uint_le(strlen(string(test, "output")), LADDER_EXPORT_OUTPUT);
        sum += points;
        most += full;
    }
    ck_assert_uint_gt(i, 10);
    ck_assert(same(sum, score)); // what Gradescope adds up is what stands on top
    ck_assert(same(most, (double)marks->total_max / 100));
    json_array_foreach(json_object_get(json, "leaderboard"), i, row) {
        ck_assert_str_ne(string(row, "name"), "");
        ck_assert(number(row, "value") >= 0);
    }
    ck_assert_uint_eq(i, 2);
    json_decref(json);
    return score / ((double)marks->total_max / 100);
}

KL_TEST_ROWS(gradescope_reads_its_results, GRADABLE) {
    ladder_result *r = sample_result(gradable[_i]);
    ladder_hundredths marks = marks_of(r);
    char *text = sample_export(LADDER_EXPORT_gradescope, r);
    ck_assert(same(check_gradescope(text, &marks), (double)marks.total / (double)marks.total_max));
}

// Gives each right step that has one a measured time.
static void time_steps(ladder_result *r) {
    const ladder_rubric *rubric = ladder_lab_find("reduction")->rubric;
    for (int s = 0; s < r->step_count; s++)
        for (int c = 0; c < r->steps[s].criteria_count; c++) {
            if (rubric->steps[s].criteria[c].kind != LADDER_CRITERION_SPEED) continue;
            r->steps[s].criteria[c].measured = true;
            r->steps[s].criteria[c].call_us = 100.0 - s;
        }
}

// A result with a criterion that a person marked, one that is not marked yet, and a place on the
// leaderboard.
static ladder_result *given_result(void) {
    ladder_result *r = sample_result(SAMPLE_MIXED);
    const char *family = "";
    r->given = (ladder_given){.count = 2, .comment_count = 1};
    r->given.items[0] = (ladder_given_criterion){
        .name = "quality", .text = "names", .most = 10, .marked = true, .points = 10.0 / 3};
    r->given.items[1] = (ladder_given_criterion){.name = "answer", .text = "why", .most = 5};
    r->given.comments[0] = (ladder_line_comment){"1_interleaved.cu", 3, "a:b <i>"};
    ladder_given_sum(&r->given, &r->points.change);
    snprintf(r->nickname, sizeof r->nickname, "warp-4");
    for (int s = 2; s < 4; s++) {
        r->steps[s].call_count = 1;
        ck_assert(
            ladder_common_case(ladder_lab_find("reduction"), &family, &r->steps[s].calls[0].size));
        snprintf(r->steps[s].calls[0].family, sizeof r->steps[s].calls[0].family, "%s", family);
        r->steps[s].calls[0].time_us = 10.0 * s;
    }
    time_steps(r);
    ladder_result_total(r);
    return r;
}

KL_TEST(what_a_person_gave_is_in_every_file) {
    ladder_result *r = given_result();
    ladder_hundredths marks = marks_of(r);
    ck_assert(marks.given_max[0] == 1000 && marks.given_max[1] == 500);
    ck_assert(
        same((double)marks.total / 100, (double)ladder_hundredths_of(r->points.reached) / 100));
    char *text = sample_export(LADDER_EXPORT_gradescope, r);
    json_t *json = load(text), *test = NULL;
    size_t i = 0;
    double sum = 0;
    json_array_foreach(json_object_get(json, "tests"), i, test) {
        const json_t *score = json_object_get(test, "score");
        ck_assert(json_is_number(score) || strcmp(string(test, "name"), "answer") == 0);
        sum += json_number_value(score);
    }
    ck_assert(same(sum, number(json, "score")));
    const json_t *best = json_array_get(json_object_get(json, "leaderboard"), 2);
    ck_assert(same(number(best, "value"), 20) && strcmp(string(best, "order"), "asc") == 0);
    best = json_array_get(json_object_get(json, "leaderboard"), 3);
    ck_assert(number(best, "value") > 90 && strcmp(string(best, "order"), "asc") == 0);
    json_decref(json);
    text = sample_export(LADDER_EXPORT_autolab, r);
    json = load(strrchr(text, '{') ? strstr(text, "{\"scores\"") : "");
    ck_assert(
        same(number(json_object_get(json, "scores"), "quality"), (double)marks.given[0] / 100));
    ck_assert_ptr_null(json_object_get(json_object_get(json, "scores"), "answer"));
    ck_assert_uint_eq(json_array_size(json_object_get(json, "scoreboard")), 4);
    json_decref(json);
    static const ladder_export_format others[] = {LADDER_EXPORT_junit, LADDER_EXPORT_prairielearn};
    for (size_t k = 0; k < 2; k++) {
        text = sample_export(others[k], r);
        KL_HAS(text, "quality: 3.33333 of 10 points");
    }
}

static void check_image(const json_t *image) {
    static const char begins[] = "data:image/svg+xml;base64,";
    const char *url = string(image, "url");
    ck_assert_str_ne(string(image, "label"), "");
    ck_assert_int_eq(strncmp(url, begins, strlen(begins)), 0);
    const char *digits = url + strlen(begins);
    size_t length = strlen(digits);
    size_t good =
        strspn(digits, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    ck_assert_uint_eq(length % 4, 0);
    ck_assert(length - good <= 2 && strspn(digits + good, "=") == length - good);
}

KL_TEST_ROWS(prairielearn_reads_its_results, GRADABLE) {
    ladder_result *r = sample_result(gradable[_i]);
    ladder_hundredths marks = marks_of(r);
    char *text = sample_export(LADDER_EXPORT_prairielearn, r);
    json_t *json = load(text), *test = NULL, *image = NULL;
    size_t i = 0;
    double score = number(json, "score"), sum = 0, most = 0;
    ck_assert(json_is_true(json_object_get(json, "gradable")));
    ck_assert(score >= 0 && score <= 1);
    ck_assert(same(score, (double)marks.total / (double)marks.total_max));
    ck_assert_str_ne(string(json, "message"), "");
    string(json, "output");
    json_array_foreach(json_object_get(json, "images"), i, image) check_image(image);
    ck_assert_uint_eq(i, 1);
    json_array_foreach(json_object_get(json, "tests"), i, test) {
        ck_assert_str_ne(string(test, "name"), "");
        ck_assert_str_ne(string(test, "description"), "");
        string(test, "message");
        string(test, "output");
        sum += number(test, "points");
        most += number(test, "max_points");
    }
    ck_assert(fabs(sum / most - score) < 1e-9);
    ck_assert_uint_lt(strlen(text), 1000 * 1000);
    json_decref(json);
}

// A lab of as many steps as there may be, each with all that can be said of it.
KL_TEST(prairielearn_stays_below_one_megabyte) {
    static ladder_rubric rubric;
    static ladder_rubric_step steps[LADDER_STEPS_MAX];
    static ladder_criterion criteria[LADDER_CRITERIA_MAX];
    ladder_lab lab = *ladder_lab_find("reduction");
    ladder_result *one = sample_result(SAMPLE_HOSTILE), *r = sample_result(SAMPLE_HOSTILE);
    for (int c = 0; c < LADDER_CRITERIA_MAX; c++)
        criteria[c] = (ladder_criterion){.kind = LADDER_CRITERION_CORRECT, .points = 1};
    for (int s = 0; s < LADDER_STEPS_MAX; s++) {
        steps[s] = (ladder_rubric_step){
            .step = s, .file = "x", .criteria = criteria, .criteria_count = LADDER_CRITERIA_MAX};
        r->steps[s] = one->steps[1];
        r->steps[s].step = s;
        r->steps[s].criteria_count = LADDER_CRITERIA_MAX;
        for (int c = 0; c < LADDER_CRITERIA_MAX; c++)
            r->steps[s].criteria[c] = (ladder_criterion_result){.counted = true, .points_max = 1};
        memset(r->steps[s].log, '"', sizeof r->steps[s].log - 1); // two bytes each in JSON
    }
    r->step_count = LADDER_STEPS_MAX;
    rubric = (ladder_rubric){.steps = steps, .step_count = LADDER_STEPS_MAX};
    lab.rubric = &rubric;
    ladder_report report = sample_report(r);
    report.lab = &lab;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    ck_assert_int_eq(ladder_export_prairielearn(&report, out, &err), KL_OK);
    fclose(out);
    ck_assert_uint_lt(bytes, 1000 * 1000);
    json_t *json = load(text);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "tests")),
                      LADDER_STEPS_MAX * LADDER_CRITERIA_MAX);
    KL_HAS(text, "[cut here: ");
    json_decref(json);
    free(text);
}

// What Autolab's parseAutoresult does first: gsub(/([a-zA-Z0-9]+):/, '"\1":').
static bool is_left_alone(const char *line) {
    for (const char *c = strchr(line, ':'); c; c = strchr(c + 1, ':'))
        if (c > line &&
            strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", c[-1]))
            return false;
    return true;
}

// Cuts the last line off a text and returns it.
static char *last_line(char *text) {
    size_t length = strlen(text);
    ck_assert(length > 1 && text[length - 1] == '\n');
    text[length - 1] = '\0';
    char *line = strrchr(text, '\n');
    ck_assert_ptr_nonnull(line);
    *line = '\0';
    return line + 1;
}

KL_TEST_ROWS(autolab_reads_the_last_two_lines, GRADABLE) {
    ladder_result *r = sample_result(gradable[_i]);
    ladder_hundredths marks = marks_of(r);
    char *text = sample_export(LADDER_EXPORT_autolab, r);
    char *autoresult = last_line(text);
    ck_assert(is_left_alone(autoresult));
    json_t *json = load(autoresult), *value = NULL;
    const char *key = NULL;
    size_t i = 0;
    double sum = 0;
    json_object_foreach(json_object_get(json, "scores"), key, value) {
        ck_assert(json_is_number(value));
        sum += json_number_value(value);
    }
    ck_assert_uint_eq(json_object_size(json_object_get(json, "scores")), (size_t)r->step_count);
    ck_assert(same(sum, (double)marks.total / 100));
    json_t *board = json_object_get(json, "scoreboard");
    ck_assert_uint_eq(json_array_size(board), 2);
    ck_assert(same(json_number_value(json_array_get(board, 0)), (double)marks.total / 100));
    json_decref(json);
    size_t end = strlen(text);
    text[end] = '\n'; // where the last line was
    text[end + 1] = '\0';
    json = load(last_line(text));
    ck_assert_str_eq(string(json, "_presentation"), "semantic");
    json_t *stages = json_object_get(json, "stages"), *stage = NULL;
    ck_assert_uint_eq(json_array_size(stages), (size_t)r->step_count);
    json_array_foreach(stages, i, stage) {
        json_t *cases = json_object_get(json, json_string_value(stage));
        ck_assert(json_is_object(cases));
        json_object_foreach(cases, key, value) {
            ck_assert(json_is_boolean(json_object_get(value, "passed")));
            bool passed = json_is_true(json_object_get(value, "passed"));
            ck_assert(passed != json_is_string(json_object_get(value, "hint")));
        }
    }
    json_decref(json);
    KL_HAS(text, "score"); // the report stands before
}

typedef struct junit_seen {
    int suites, cases, failures, errors, skipped, properties;
    int said[4]; // tests, failures, errors, skipped, of the suite
    double points, most;
} junit_seen;

static int whole(const xml_element *element, const char *name) {
    const char *value = xml_value(element, name);
    ck_assert_msg(value, "<%s> has no %s", element->name, name);
    return atoi(value);
}

static void see(void *context, const xml_element *e) {
    junit_seen *seen = context;
    const char *key = xml_value(e, "name");
    if (e->depth == 0) ck_assert_str_eq(e->name, "testsuites");
    if (strcmp(e->name, "testsuite") == 0) {
        seen->suites++;
        const char *const counts[] = {"tests", "failures", "errors", "skipped"};
        for (int i = 0; i < 4; i++) seen->said[i] = whole(e, counts[i]);
        ck_assert_ptr_nonnull(key);
        ck_assert_ptr_nonnull(xml_value(e, "time"));
    } else if (strcmp(e->name, "testcase") == 0) {
        seen->cases++;
        ck_assert_int_eq(e->depth, 2);
        ck_assert(key && key[0] != '\0');
        ck_assert_ptr_nonnull(xml_value(e, "classname"));
        ck_assert_ptr_nonnull(xml_value(e, "time"));
    } else if (strcmp(e->name, "property") == 0) {
        seen->properties++;
        ck_assert_ptr_nonnull(xml_value(e, "value"));
        if (strcmp(key, "points") == 0) seen->points = atof(xml_value(e, "value"));
        if (strcmp(key, "points_max") == 0) seen->most = atof(xml_value(e, "value"));
    } else if (e->depth == 3) {
        ck_assert(is_one_of(e->name, "failure error skipped"));
        seen->failures += strcmp(e->name, "failure") == 0;
        seen->errors += strcmp(e->name, "error") == 0;
        seen->skipped += strcmp(e->name, "skipped") == 0;
        if (strcmp(e->name, "skipped") != 0) {
            ck_assert_ptr_nonnull(xml_value(e, "message"));
            ck_assert_ptr_nonnull(xml_value(e, "type"));
        }
    }
}

static junit_seen read_junit(const ladder_result *r) {
    junit_seen seen = {0};
    char *text = sample_export(LADDER_EXPORT_junit, r);
    const char *fault = xml_read(text, see, &seen);
    ck_assert_msg(!fault, "%s", fault);
    ck_assert_int_eq(seen.suites, 1);
    ck_assert_int_eq(seen.said[0], seen.cases);
    ck_assert_int_eq(seen.said[1], seen.failures);
    ck_assert_int_eq(seen.said[2], seen.errors);
    ck_assert_int_eq(seen.said[3], seen.skipped);
    return seen;
}

KL_TEST_ROWS(junit_readers_get_well_formed_xml, GRADABLE) {
    ladder_result *r = sample_result(gradable[_i]);
    ladder_hundredths marks = marks_of(r);
    junit_seen seen = read_junit(r);
    ck_assert(same(seen.points, (double)marks.total / 100));
    ck_assert(same(seen.most, (double)marks.total_max / 100));
    ck_assert_int_eq(seen.failures == 0, marks.total == marks.total_max);
    ck_assert_int_eq(seen.skipped, gradable[_i] == SAMPLE_MIXED ? 1 : 0);
}

static void pass_over(void *context, const xml_element *element) {
    (void)context;
    (void)element;
}

// The strict reader itself finds what is wrong.
KL_TEST(the_xml_reader_can_fail) {
    static const char *const wrong[] = {
        "<a>",          "<a></b>",  "<a/><b/>",      "<a x=1/>",    "<a x=\"1\" x=\"2\"/>",
        "<a>]]></a>",   "<a>&</a>", "<a>\x01</a>",   "<a>\xff</a>", "<a>\xef\xbf\xbe</a>",
        "<a x=\"<\"/>", "",         "<a>&nbsp;</a>",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[120];
        snprintf(text, sizeof text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s", wrong[i]);
        ck_assert_msg(xml_read(text, pass_over, NULL), "%s", wrong[i]);
    }
}

static const char secret[] = "no more than the secret of the instructor";

// The report of a rubric that hides a count of step 3 until grades are published, and one of step 5
// until the due date.
static ladder_report report_with_hidden(const ladder_result *result) {
    static ladder_rubric rubric;
    static ladder_lab lab;
    static ladder_rubric_step steps[LADDER_STEPS_MAX];
    static ladder_criterion criteria[2][LADDER_CRITERIA_MAX];
    static const char *const words[] = {"after_published", "after_due_date"};
    ladder_report report = sample_report(result);
    lab = *report.lab;
    rubric = *lab.rubric;
    memcpy(steps, rubric.steps, (size_t)rubric.step_count * sizeof *steps);
    for (int i = 0; i < 2; i++) {
        ladder_rubric_step *step = &steps[3 + 2 * i];
        memcpy(criteria[i], step->criteria, (size_t)step->criteria_count * sizeof **criteria);
        criteria[i][1].text = secret;
        criteria[i][1].hidden = words[i];
        step->criteria = criteria[i];
    }
    rubric.steps = steps;
    lab.rubric = &rubric;
    report.lab = &lab;
    return report;
}

static char *export_with_hidden(ladder_export_format format, const ladder_result *r) {
    ladder_report report = report_with_hidden(r);
    return KL_PRINTED(out,
                      ck_assert_int_eq(ladder_export_write(format, &report, out, &err), KL_OK));
}

// A full result that is a day late, and what of it students see.
static ladder_result *late_result(ladder_hundredths *out_whole, int64_t *out_hidden) {
    ladder_result *r = sample_result(SAMPLE_SOLUTION);
    r->points.change = (ladder_points_change){.late_days = 1, .late_share = 0.1};
    *out_whole = marks_of(r);
    *out_hidden = out_whole->criterion[3][1] + out_whole->criterion[5][1];
    ck_assert_int_gt(*out_hidden, 0);
    return r;
}

KL_TEST(gradescope_shows_hidden_tests_when_the_rubric_says) {
    ladder_hundredths whole;
    int64_t hidden;
    size_t i = 0, secrets = 0;
    ladder_result *r = late_result(&whole, &hidden);
    char *text = export_with_hidden(LADDER_EXPORT_gradescope, r);
    json_t *json = load(text), *test = NULL;
    json_array_foreach(json_object_get(json, "tests"), i, test) {
        bool is_secret = strstr(string(test, "name"), secret);
        const char *wanted = !is_secret                                     ? "visible"
                             : strncmp(string(test, "number"), "3", 1) == 0 ? "after_published"
                                                                            : "after_due_date";
        ck_assert_str_eq(string(test, "visibility"), wanted);
        secrets += is_secret;
    }
    ck_assert_uint_eq(secrets, 2);
    ck_assert(same(number(json, "score"), (double)whole.final / 100));
    // What is visible beside the tests says nothing of their points.
    const json_t *first = json_array_get(json_object_get(json, "leaderboard"), 0);
    int64_t shown = whole.total - hidden;
    ck_assert(
        same(number(first, "value"), (double)ladder_hundredths_of((double)shown * 0.009) / 100));
    char points[32], said[80];
    snprintf(said, sizeof said, "%s of %s points", ladder_hundredths_text(shown, points, 32),
             points);
    ck_assert_msg(strncmp(string(json, "output"), said, strlen(said)) == 0 &&
                      strstr(string(json, "output"), "without 2 hidden tests"),
                  "%s", string(json, "output"));
    json_decref(json);
}

KL_TEST(prairielearn_has_hidden_points_in_the_score_alone) {
    ladder_hundredths whole;
    int64_t hidden;
    size_t i = 0;
    double most = 0;
    ladder_result *r = late_result(&whole, &hidden);
    char *text = export_with_hidden(LADDER_EXPORT_prairielearn, r);
    ck_assert_ptr_null(strstr(text, secret));
    json_t *json = load(text), *test = NULL;
    ck_assert(same(number(json, "score"), (double)whole.final / (double)whole.total_max));
    json_array_foreach(json_object_get(json, "tests"), i, test) most += number(test, "max_points");
    ck_assert(same(most, (double)(whole.total_max - hidden) / 100));
    KL_HAS(string(json, "message"), "without 2 hidden tests");
    json_decref(json);
}

KL_TEST(autolab_has_a_problem_of_hidden_points) {
    ladder_hundredths whole;
    int64_t hidden;
    ladder_result *r = late_result(&whole, &hidden);
    char *text = export_with_hidden(LADDER_EXPORT_autolab, r);
    ck_assert_ptr_null(strstr(text, secret));
    json_t *json = load(last_line(text)), *value = NULL;
    json_t *scores = json_object_get(json, "scores");
    const char *key = NULL;
    double sum = 0;
    json_object_foreach(scores, key, value) sum += json_number_value(value);
    ck_assert(same(sum, (double)whole.final / 100));
    ck_assert(same(number(scores, "hidden"), (double)hidden * 0.009));
    double board = json_number_value(json_array_get(json_object_get(json, "scoreboard"), 0));
    ck_assert(same(board, sum - number(scores, "hidden")));
    json_decref(json);
    // An override is of all points.
    r->points.change = (ladder_points_change){.overridden = true, .override = 45};
    text = export_with_hidden(LADDER_EXPORT_autolab, r);
    json = load(last_line(text));
    scores = json_object_get(json, "scores");
    sum = 0;
    json_object_foreach(scores, key, value) sum += json_number_value(value);
    ck_assert(same(sum, 45));
    ck_assert(same(number(scores, "hidden"), (double)hidden / 100));
    json_decref(json);
}

KL_TEST(junit_says_nothing_of_hidden_criteria) {
    ladder_hundredths whole;
    int64_t hidden;
    ladder_result *r = late_result(&whole, &hidden);
    char *text = export_with_hidden(LADDER_EXPORT_junit, r), most[32];
    ck_assert_ptr_null(strstr(text, secret));
    ck_assert_ptr_nonnull(
        strstr(text, ladder_hundredths_text(whole.total_max - hidden, most, sizeof most)));
    ck_assert_ptr_null(strstr(text, ladder_hundredths_text(whole.total_max, most, sizeof most)));
}

// Step 3 with hidden cases, of which 5 of 7 are right.
KL_TEST(hidden_cases_are_a_number_in_every_file) {
    static const ladder_hidden_case cases[7] = {{"max-odd", 987654}};
    static const ladder_export_format formats[] = {LADDER_EXPORT_gradescope, LADDER_EXPORT_autolab,
                                                   LADDER_EXPORT_prairielearn, LADDER_EXPORT_junit};
    ladder_result *r = sample_result(SAMPLE_SOLUTION);
    ladder_report report = report_with_hidden(r);
    ladder_criterion *c = (ladder_criterion *)&report.lab->rubric->steps[3].criteria[1];
    *c = (ladder_criterion){
        .kind = LADDER_CRITERION_CASES, .points = 6, .cases = cases, .case_count = 7};
    r->steps[3].criteria[1].value = 5;
    for (int i = 0; i < 4; i++) {
        char *text = KL_PRINTED(
            out, ck_assert_int_eq(ladder_export_write(formats[i], &report, out, &err), KL_OK));
        ck_assert_msg(strstr(text, "hidden cases: 5 of 7 right") ||
                          formats[i] == LADDER_EXPORT_junit,
                      "%s", text);
        KL_HAS(text, "hidden cases");
        ck_assert(!strstr(text, "987654") && !strstr(text, "max-odd"));
    }
}

// What could not be graded is never a 0.
KL_TEST(what_is_ungradable_gets_no_score) {
    ladder_result *r = sample_result(SAMPLE_UNGRADABLE);
    ladder_report report = sample_report(r);
    static const ladder_export_format silent[] = {LADDER_EXPORT_gradescope, LADDER_EXPORT_autolab};
    for (int i = 0; i < 2; i++) {
        ck_assert(!ladder_export_fits(silent[i], r));
        char *text =
            KL_PRINTED(out, ck_assert_int_eq(ladder_export_write(silent[i], &report, out, &err),
                                             KL_ERROR_SYSTEM));
        ck_assert_str_eq(text, "");
    }
    json_t *json = load(sample_export(LADDER_EXPORT_prairielearn, r));
    ck_assert(json_is_false(json_object_get(json, "gradable")));
    ck_assert_ptr_null(json_object_get(json, "score"));
    ck_assert_uint_eq(json_array_size(json_object_get(json, "format_errors")), 1);
    json_decref(json);
    junit_seen seen = read_junit(r);
    ck_assert_int_gt(seen.errors, 0);
    ck_assert(seen.points == 0 && seen.most == 0); // no such property
}

KL_TEST(long_texts_are_cut_with_a_note) {
    enum { LONG = 100 * 1000 };
    char *text = malloc(LONG + 1), out[LADDER_EXPORT_OUTPUT + 1];
    for (int i = 0; i < LONG; i++) text[i] = "\xe2\x82\xac"[i % 3]; // a character of three bytes
    text[LONG] = '\0';
    ladder_export_cut(text, LADDER_EXPORT_OUTPUT, out);
    ck_assert_uint_le(strlen(out), LADDER_EXPORT_OUTPUT);
    const char *note = strstr(out, "\n[cut here: 100000 bytes in all]\n");
    ck_assert_ptr_nonnull(note);
    ck_assert_uint_eq((size_t)(note - out) % 3, 0); // no character is cut in two
    text[LADDER_EXPORT_OUTPUT - 2] = '\0';
    ladder_export_cut(text, LADDER_EXPORT_OUTPUT, out);
    ck_assert_ptr_null(strstr(out, "[cut"));
    free(text);
}

static kl_status write_hostile(void *context, FILE *out, kl_error *err) {
    ladder_report report = sample_report(context);
    return ladder_export_write(LADDER_EXPORT_gradescope, &report, out, err);
}

KL_TEST(a_full_disk_and_a_bad_path_are_told) {
    ladder_result *r = sample_result(SAMPLE_HOSTILE);
    char folder[LADDER_PATH];
    ck_assert_int_eq(kl_file_put("/dev/null/results.json", write_hostile, r, &err),
                     KL_ERROR_SYSTEM);
    KL_HAS(err.text, "/dev/null/results.json cannot be written");
    if (access("/dev/full", W_OK) == 0) {
        ck_assert_int_eq(kl_file_put("/dev/full", write_hostile, r, &err), KL_ERROR_SYSTEM);
        KL_HAS(err.text, "No space left");
    }
    // A writer that fails half-way leaves the old file, and nothing beside it.
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    const char *path = kl_own_text("%s/results.json", folder);
    ck_assert_int_eq(ladder_file_write(path, "old", 3, &err), KL_OK);
    r->points.graded = false;
    ck_assert_int_eq(kl_file_put(path, write_hostile, r, &err), KL_ERROR_SYSTEM);
    char *text = NULL;
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 100, &text, NULL, &err), KL_OK);
    ck_assert_str_eq(text, "old");
    free(text);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(folder), 0); // empty
}

KL_TEST(formats_are_found_by_name) {
    ladder_export_format format;
    const char *file = "";
    ck_assert_int_eq(ladder_export_parse("junit", &format, &file, &err), KL_OK);
    ck_assert(format == LADDER_EXPORT_junit && !file);
    ck_assert_int_eq(ladder_export_parse("canvas=a=b.csv", &format, &file, &err), KL_OK);
    ck_assert(format == LADDER_EXPORT_canvas && ladder_export_is_table(format));
    ck_assert_str_eq(file, "a=b.csv");
    ck_assert_int_eq(ladder_export_parse("junit=", &format, &file, &err), KL_ERROR_USAGE);
    ck_assert_int_eq(ladder_export_parse("jun", &format, &file, &err), KL_ERROR_USAGE);
    KL_HAS(err.text, "json, gradescope, prairielearn");
    ck_assert(!strstr(ladder_export_tables(), "json, "));
    for (int i = 0; i < LADDER_EXPORTS; i++) {
        const char *name = ladder_export_name((ladder_export_format)i);
        bool table = ladder_export_is_table((ladder_export_format)i);
        ck_assert(strstr(ladder_export_names(), name));
        ck_assert(!strstr(ladder_export_tables(), name) == !table);
    }
}

KL_TEST_MAIN("export formats")
