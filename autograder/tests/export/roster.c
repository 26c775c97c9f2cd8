// SPDX-License-Identifier: MIT
// Tables for Canvas and Moodle, read back as their importers read them: whose mark is whose, what
// stays as it was, and that nothing is lost in silence.
#include <string.h>
#include <unistd.h>

#include "course/export/hundredths.h"
#include "course/export/roster.h"
#include "utilities/files.h"
#include "suite.h"

static kl_error err;
static char roster_path[LADDER_PATH], folder[LADDER_PATH];
static char *notes;
static size_t lost;
static ladder_csv csv;

static void set_up(void) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(roster_path, &err, "%s/roster.csv", folder), KL_OK);
}

static void tear_down(void) {
    ladder_folder_remove(folder);
    ladder_csv_free(&csv);
    free(notes);
    notes = NULL;
}

// Writes a table and reads it again; roster: its text, or NULL.
static kl_status export(ladder_export_format format, const char *roster, const char *assignment,
                        const ladder_export_line *marks, size_t count) {
    char *text = NULL;
    size_t bytes = 0, note_bytes = 0;
    free(notes);
    ladder_csv_free(&csv);
    if (roster)
        ck_assert_int_eq(ladder_file_write(roster_path, roster, strlen(roster), &err), KL_OK);
    FILE *out = open_memstream(&text, &bytes), *told = open_memstream(&notes, &note_bytes);
    ladder_export_table table = {.lab = ladder_lab_find("reduction"),
                                 .marks = marks,
                                 .count = count,
                                 .roster = roster ? roster_path : NULL,
                                 .assignment = assignment,
                                 .notes = told,
                                 .out_lost = &lost};
    lost = 0;
    kl_status status = ladder_export_write_table(format, &table, out, &err);
    fclose(out);
    fclose(told);
    if (status == KL_OK)
        ck_assert_msg(ladder_csv_parse(text, bytes, &csv, &err) == KL_OK, "%s", err.text);
    free(text);
    return status;
}

static const char *cell(size_t row, const char *title) {
    int column = ladder_csv_column(&csv, title);
    ck_assert_msg(column >= 0, "no column %s", title);
    return ladder_csv_cell(&csv, row, (size_t)column);
}

static const ladder_export_line class_marks[] = {
    {"leeann_4711_9001_3_sequential.cu", NULL, {true, 10, 30, {0}}, "x"}, // by Canvas's id
    {"bo@x.edu", NULL, {true, 30, 30, {0}}, "x"},                         // by the login
    {"Chris P. Dee", NULL, {true, 1.0 / 3, 30, {0}}, "x"},                // by the name
    {"nobody", NULL, {true, 5, 30, {0}}, "x"},
    {"dan.tar.gz", NULL, {false, 0, 30, {0}}, "x"}, // could not be graded
};
enum { CLASS = sizeof class_marks / sizeof class_marks[0] };

static const char gradebook[] = "\xEF\xBB\xBFStudent,ID,SIS User ID,SIS Login ID,Section,"
                                "02_reduction (77),Quiz (78),Final Score\r\n"
                                "    Points Possible,,,,,100,10,(read only)\r\n"
                                "\"Lee, Ann\",4711,s1,ann@x.edu,A,,3,\r\n"
                                "\"Oh, Bo\",4712,s2,bo@x.edu,A,50,4,\r\n"
                                "\"Dee, Chris P.\",4713,s3,cd@x.edu,\"A and B\",,5,\r\n"
                                "\"=Eve, \"\"E\"\"\",4714,s4,eve@x.edu,A,12.5,6,\r\n"
                                "\"Ray, Dan\",4715,s5,dan@x.edu,A,40,7,\r\n";

START_TEST(canvas_gets_its_ids_back) {
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, gradebook, NULL, class_marks, CLASS), KL_OK);
    static const char *const head[] = {"Student",      "ID",      "SIS User ID",
                                       "SIS Login ID", "Section", "02_reduction (77)"};
    ck_assert_uint_eq(csv.rows[0].count, 6); // no other assignment's marks are touched
    for (size_t c = 0; c < 6; c++) ck_assert_str_eq(ladder_csv_cell(&csv, 0, c), head[c]);
    ck_assert_uint_eq(csv.row_count, 7);
    ck_assert_ptr_nonnull(strstr(ladder_csv_cell(&csv, 1, 0), "Points Possible"));
    static const char *const marks[] = {"100.00", "33.33", "100.00", "1.10", "12.5", "40"};
    for (size_t r = 1; r < 7; r++) {
        ck_assert_uint_eq(csv.rows[r].count, 6);
        ck_assert_str_eq(ladder_csv_cell(&csv, r, 5), marks[r - 1]);
    }
    ck_assert_str_eq(cell(2, "ID"), "4711");
    ck_assert_str_eq(cell(4, "Section"), "A and B");
    ck_assert_str_eq(cell(5, "Student"), "'=Eve, \"E\""); // by the id, Canvas knows her
    ck_assert_uint_eq(lost, 1);
    ck_assert_ptr_nonnull(strstr(notes, "no student in the roster for the submission: nobody"));
    ck_assert_ptr_nonnull(strstr(notes, "no mark for the student: =Eve, \"E\""));
    ck_assert_ptr_nonnull(strstr(notes, "could not be graded, the roster's mark stays: dan"));
    ck_assert_ptr_null(strstr(notes, "Lee"));
}
END_TEST

START_TEST(canvas_makes_a_new_assignment) {
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, gradebook, "Lab two", class_marks, CLASS), KL_OK);
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 5), "Lab two");
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 5), "30.00");
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 5), "10.00");
    ck_assert_str_eq(ladder_csv_cell(&csv, 5, 5), ""); // no submission, no mark before
    ck_assert_ptr_nonnull(strstr(notes, "no column \"Lab two\""));
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, gradebook, "Quiz", class_marks, CLASS), KL_OK);
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 5), "Quiz (78)");
    ck_assert_str_eq(ladder_csv_cell(&csv, 3, 5), "10.00");
}
END_TEST

START_TEST(canvas_without_a_roster) {
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, NULL, NULL, class_marks, CLASS), KL_OK);
    ck_assert_uint_eq(csv.row_count, CLASS + 1); // head, points, and the four that have a score
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 5), "02_reduction");
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 5), "30.00");
    ck_assert_str_eq(cell(3, "SIS Login ID"), "bo@x.edu");
    ck_assert_str_eq(ladder_csv_cell(&csv, 3, 5), "30.00");
    ck_assert_uint_eq(lost, 0);
}
END_TEST

static const char worksheet[] =
    "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be "
    "changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\r\n"
    "\"Participant 17\",\"Ann Lee\",ann@x.edu,\"Submitted for grading\",,100.00,Yes,"
    "\"Monday, 1 May 2023, 9:00 AM\",-,\r\n"
    "\"Participant 18\",\"Bo Oh\",bo@x.edu,\"No submission\",71.00,50.00,Yes,-,\"Tuesday\",\"was "
    "fine\"\r\n"
    "\"Participant 19\",\"Bo Oh\",bo2@x.edu,\"No submission\",,50.00,No,-,-,\r\n";

START_TEST(moodle_gets_its_worksheet_back) {
    static const ladder_export_line marks[] = {
        {"Ann Lee_17_assignsubmission_file_", NULL, {true, 20, 30, {0}}, "step 1: =1+1, \"fine\""},
        {"Bo Oh", NULL, {true, 3, 30, {0}}, "x"}, // there are two
        {"bo2", NULL, {true, 15, 30, {0}}, "=1+1"},
    };
    ck_assert_int_eq(export(LADDER_EXPORT_moodle, worksheet, NULL, marks, 3), KL_OK);
    ck_assert_uint_eq(csv.row_count, 4);
    for (size_t r = 0; r < 4; r++) ck_assert_uint_eq(csv.rows[r].count, 10);
    ck_assert_str_eq(cell(1, "Identifier"), "Participant 17");
    ck_assert_str_eq(cell(1, "Grade"), "66.67");
    ck_assert_str_eq(cell(1, "Maximum Grade"), "100.00");
    ck_assert_str_eq(cell(1, "Feedback comments"), "step 1: =1+1, \"fine\"");
    ck_assert_str_eq(cell(1, "Last modified (submission)"), "Monday, 1 May 2023, 9:00 AM");
    ck_assert_str_eq(cell(1, "Last modified (grade)"), "-");
    ck_assert_str_eq(cell(2, "Grade"), "71.00"); // as it was
    ck_assert_str_eq(cell(2, "Feedback comments"), "was fine");
    ck_assert_str_eq(cell(3, "Grade"), "25.00");
    ck_assert_str_eq(cell(3, "Feedback comments"), "'=1+1");
    ck_assert_uint_eq(lost, 2); // the ambiguous one, and the locked one
    ck_assert_ptr_nonnull(strstr(notes, "more than one student fits the submission: Bo Oh"));
    ck_assert_ptr_nonnull(strstr(notes, "locked in Moodle"));
}
END_TEST

// What a bulk download says of the student decides between two of the same name.
START_TEST(the_user_of_a_download_is_enough) {
    static const ladder_person moodle = {.name = "Bo Oh", .ids = "18\n"},
                               canvas = {.name = "ohbo", .ids = "4712\n"};
    static const ladder_export_line marks[] = {{"Bo Oh", &moodle, {true, 3, 30, {0}}, "x"},
                                               {"ohbo", &canvas, {true, 30, 30, {0}}, "x"}};
    ck_assert_int_eq(export(LADDER_EXPORT_moodle, worksheet, NULL, marks, 1), KL_OK);
    ck_assert_str_eq(cell(2, "Grade"), "5.00");
    ck_assert_uint_eq(lost, 0);
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, gradebook, NULL, marks + 1, 1), KL_OK);
    ck_assert_str_eq(ladder_csv_cell(&csv, 3, 5), "100.00");
}
END_TEST

START_TEST(two_submissions_of_one_student_are_told) {
    static const ladder_export_line marks[] = {{"ann@x.edu", NULL, {true, 20, 30, {0}}, "x"},
                                               {"Lee, Ann", NULL, {true, 30, 30, {0}}, "x"}};
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, gradebook, NULL, marks, 2), KL_OK);
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 5), "");
    ck_assert_uint_eq(lost, 2);
    ck_assert_ptr_nonnull(strstr(notes, "other submissions fit the same student as: ann@x.edu"));
}
END_TEST

START_TEST(a_wrong_sheet_is_refused) {
    ck_assert_int_eq(export(LADDER_EXPORT_moodle, gradebook, NULL, class_marks, CLASS),
                     KL_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "no grading worksheet of Moodle"));
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, worksheet, NULL, class_marks, CLASS),
                     KL_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "no gradebook of Canvas"));
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, "", NULL, class_marks, CLASS), KL_ERROR_INPUT);
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, "Student,\"ID", NULL, class_marks, CLASS),
                     KL_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "roster.csv: line 1"));
}
END_TEST

KL_TEST_MAIN_WITH("export roster", set_up, tear_down, canvas_gets_its_ids_back,
                  canvas_makes_a_new_assignment, canvas_without_a_roster,
                  moodle_gets_its_worksheet_back, the_user_of_a_download_is_enough,
                  two_submissions_of_one_student_are_told, a_wrong_sheet_is_refused)
