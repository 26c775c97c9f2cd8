// SPDX-License-Identifier: MIT
// The mark of a late submission, and one that an instructor set: the same final mark on every page,
// in every table and in every export, with the points before it beside it.
// links: ../export/sample.c
#include <math.h>
#include <string.h>

#include "course/class/class.h"
#include "course/class/internal.h"
#include "tests/export/sample.h"
#include "suite.h"

static const ladder_points_change two_days_late = {.late_days = 2, .late_share = 0.2};
static const ladder_points_change set_to_30 = {
    .late_days = 2, .late_share = 0.2, .overridden = true, .override = 30};
static kl_error err;

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

START_TEST(one_place_makes_a_mark) {
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
END_TEST

START_TEST(tables_have_the_final_mark) {
    ladder_result *r = changed(&two_days_late);
    ladder_row row = row_of(r);
    char *text = NULL, want[64];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    ladder_class_csv(&row, 1, out);
    fclose(out);
    expect(text, "\"points\",\"points_max\",\"days late\",\"late deduction\",\"override\","
                 "\"final points\",\"final score\"");
    snprintf(want, sizeof want, "100.0000,%.4f,%.4f,2,%.4f,,%.4f,80.0000", r->points.reached,
             r->points.reached, 0.2 * r->points.reached, 0.8 * r->points.reached);
    expect(text, want);
    free(text);
    out = open_memstream(&text, &bytes);
    ck_assert_int_eq(ladder_class_json(ladder_lab_find("reduction"), &row, 1, out, &err), KL_OK);
    fclose(out);
    expect(text, "\"late_days\": 2");
    expect(text, "\"override\": null");
    expect(text, "\"final_score\": 80");
    free(text);
    kl_style style = {.width = 80};
    out = open_memstream(&text, &bytes);
    ladder_class_changed_table(&row, 1, &style, out);
    fclose(out);
    expect(text, "  100.0          2     20.0");
    expect(text, "    80.0  Ann Lee");
    free(text);
    free(r);
}
END_TEST

START_TEST(course_systems_get_the_final_mark) {
    static const ladder_export_format tables[] = {LADDER_EXPORT_canvas, LADDER_EXPORT_moodle};
    const ladder_points_change *const changes[] = {&two_days_late, &set_to_30};
    for (int i = 0; i < 4; i++) {
        ladder_result *r = changed(changes[i / 2]);
        ladder_row row = row_of(r);
        char *feedback = ladder_row_feedback(&row), *text = NULL, want[64];
        size_t bytes = 0;
        ladder_export_line mark = ladder_row_export(&row, NULL, feedback);
        ladder_export_table table = {
            .lab = ladder_lab_find("reduction"), .marks = &mark, .count = 1};
        FILE *out = open_memstream(&text, &bytes);
        ck_assert_int_eq(ladder_export_write_table(tables[i % 2], &table, out, &err), KL_OK);
        fclose(out);
        snprintf(want, sizeof want, ",%.2f%s", i / 2 == 0 ? 0.8 * r->points.reached : 30.0,
                 i % 2 == 0 ? "\r\n" : ",");
        expect(text, want);
        expect(feedback, i / 2 == 0 ? "; 2 days late: -" : "set by the instructor: 30.00; final:");
        free(text);
        free(feedback);
        free(r);
    }
}
END_TEST

START_TEST(files_of_one_submission_have_the_final_mark) {
    ladder_result *r = changed(&two_days_late);
    char want[96];
    double points = r->points.reached, final = 0.8 * points;
    char *text = sample_export(LADDER_EXPORT_gradescope, r);
    snprintf(want, sizeof want, "\"score\": %g,", final);
    expect(text, want);
    snprintf(want, sizeof want, "2 days late: -%.2f; final: %.2f points (80.00 %%)", points - final,
             final);
    expect(text, want);
    free(text);
    text = sample_export(LADDER_EXPORT_prairielearn, r);
    expect(text, "\"score\": 0.8,");
    expect(text, want);
    free(text);
    text = sample_export(LADDER_EXPORT_autolab, r);
    snprintf(want, sizeof want, "\"adjustment\": %g},\"scoreboard\": [%g,", final - points, final);
    expect(text, want);
    free(text);
    text = sample_export(LADDER_EXPORT_junit, r);
    snprintf(want, sizeof want, "\"final_points\" value=\"%.2f\"", final);
    expect(text, want);
    expect(text, "name=\"override\" value=\"\"");
    expect(text, "name=\"score\" value=\"80.00\"");
    free(text);
    text = sample_export(LADDER_EXPORT_json, r);
    snprintf(want, sizeof want, "\"late_deduction\": %g", points - final);
    expect(text, want);
    expect(text, "\"final_score\": 80");
    free(text);
    free(r);
}
END_TEST

START_TEST(pages_have_the_final_mark) {
    ladder_result *r = changed(&set_to_30);
    ladder_report report = sample_report(r);
    kl_style style = {.width = 80};
    char *text = NULL;
    size_t bytes = 0;
    for (int html = 0; html < 2; html++) {
        FILE *out = open_memstream(&text, &bytes);
        if (html)
            ladder_report_html(&report, out);
        else
            ladder_report_text(&report, &style, out);
        fclose(out);
        expect(text, "set by the instructor: 30.00; final: 30.00 of ");
        expect(text, html ? "100.0&nbsp;% <small>" : "score 100.0 %");
        free(text);
    }
    free(r);
}
END_TEST

KL_TEST_MAIN("class marks", one_place_makes_a_mark, tables_have_the_final_mark,
             course_systems_get_the_final_mark, files_of_one_submission_have_the_final_mark,
             pages_have_the_final_mark)
