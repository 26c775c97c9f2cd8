// Exports: marks and rosters.
#include "course/export/internal.h"
#include "suite.h"

// ---- export_marks ----
// Marks: rounding is stated, parts add up to their sum, none exceeds what it may be.

KL_TEST(points_are_rounded_half_up) {
    ck_assert_int_eq(ladder_hundredths_of(0), 0);
    ck_assert_int_eq(ladder_hundredths_of(0.004999), 0);
    ck_assert_int_eq(ladder_hundredths_of(0.005), 1);
    ck_assert_int_eq(ladder_hundredths_of(1.005), 101); // below 1.005 as a binary fraction
    ck_assert_int_eq(ladder_hundredths_of(2.675), 268);
    ck_assert_int_eq(ladder_hundredths_of(1.0 / 3), 33);
    ck_assert_int_eq(ladder_hundredths_of(-1), 0);
    ck_assert_int_eq(ladder_hundredths_of(NAN), 0);
    ck_assert_int_eq(ladder_hundredths_of(INFINITY), 100000000000);
}

KL_TEST(a_share_is_scaled_half_up) {
    ck_assert_int_eq(ladder_hundredths_scale(1, 3, 10000), 3333);
    ck_assert_int_eq(ladder_hundredths_scale(2, 3, 10000), 6667);
    ck_assert_int_eq(ladder_hundredths_scale(1, 8, 100), 13);
    ck_assert_int_eq(ladder_hundredths_scale(3000, 3000, 777), 777);
    ck_assert_int_eq(ladder_hundredths_scale(1, 0, 100), 0);
}

static ladder_result *make(unsigned *seed, bool full) {
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    r->step_count = LADDER_STEPS_MAX;
    for (int s = 0; s < r->step_count; s++) {
        r->steps[s].criteria_count = LADDER_CRITERIA_MAX;
        for (int c = 0; c < LADDER_CRITERIA_MAX; c++) {
            *seed = *seed * 1664525u + 1013904223u;
            double most = 0.25 * (1 + (*seed >> 8) % 12);
            double share = full ? 1 : (double)(*seed >> 4 & 0xFFFFF) / 0xFFFFF;
            r->steps[s].criteria[c] = (ladder_criterion_result){
                .counted = (*seed >> 28) != 0, .points = most * share, .points_max = most};
        }
    }
    ladder_result_total(r);
    return kl_own(r);
}

KL_TEST(parts_add_up_to_the_rounded_total) {
    unsigned seed = 1;
    for (int round = 0; round < 100; round++) {
        ladder_result *r = make(&seed, round % 5 == 0);
        ladder_hundredths marks;
        ladder_hundredths_from(r, &marks);
        int64_t sum = 0, most = 0;
        for (int s = 0; s < r->step_count; s++) {
            int64_t step = 0;
            for (int c = 0; c < LADDER_CRITERIA_MAX; c++) {
                const ladder_criterion_result *criterion = &r->steps[s].criteria[c];
                int64_t mark = marks.criterion[s][c];
                step += mark;
                ck_assert_int_ge(mark, 0);
                ck_assert_int_le(mark, marks.criterion_max[s][c]);
                double points = criterion->counted ? criterion->points : 0;
                ck_assert(fabs((double)mark - 100 * points) <= 1.0);
                if (criterion->counted && criterion->points == criterion->points_max)
                    ck_assert_int_eq(mark, marks.criterion_max[s][c]);
            }
            ck_assert_int_eq(step, marks.step[s]);
            sum += step;
            most += marks.step_max[s];
        }
        ck_assert_int_eq(sum, marks.total);
        ck_assert_int_eq(most, marks.total_max);
        ck_assert_int_eq(marks.total,
                         ladder_hundredths_of(r->points.reached)); // what tables of a class have
        ck_assert_int_eq(marks.total_max, ladder_hundredths_of(r->points.most));
    }
}

KL_TEST(marks_are_written_with_two_digits) {
    char text[32];
    ck_assert_str_eq(ladder_hundredths_text(0, text, sizeof text), "0.00");
    ck_assert_str_eq(ladder_hundredths_text(5, text, sizeof text), "0.05");
    ck_assert_str_eq(ladder_hundredths_text(1250, text, sizeof text), "12.50");
}

// ---- export_roster ----
// Tables for Canvas and Moodle, read back as their importers read them: whose mark is whose, what
// stays as it was, and that nothing is lost in silence.

static kl_error err;
static char roster_path[LADDER_PATH], folder[LADDER_PATH];
static char *notes;
static size_t lost, odd;
static ladder_csv csv;

static void set_up(void) {
    OK(ladder_folder_temporary(folder, &err));
    OK(ladder_path(roster_path, &err, "%s/roster.csv", folder));
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
    if (roster) OK(ladder_file_write(roster_path, roster, strlen(roster), &err));
    FILE *out = open_memstream(&text, &bytes), *told = open_memstream(&notes, &note_bytes);
    ladder_export_table table = {.lab = ladder_lab_find("reduction"),
                                 .marks = marks,
                                 .count = count,
                                 .roster = roster ? roster_path : NULL,
                                 .assignment = assignment,
                                 .notes = told,
                                 .out_lost = &lost,
                                 .out_odd = &odd};
    lost = odd = 0;
    kl_status status = ladder_export_write_table(format, &table, out, &err);
    fclose(out);
    fclose(told);
    if (status == KL_OK) OK_OR_SAY(ladder_csv_parse(text, bytes, &csv, &err), err);
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

KL_FIXTURE(set_up, tear_down)

KL_TEST(canvas_gets_its_ids_back) {
    OK(export(LADDER_EXPORT_canvas, gradebook, NULL, class_marks, CLASS));
    static const char *const head[] = {"Student",      "ID",      "SIS User ID",
                                       "SIS Login ID", "Section", "02_reduction (77)"};
    ck_assert_uint_eq(csv.rows[0].count, 6); // no other assignment's marks are touched
    for (size_t c = 0; c < 6; c++) ck_assert_str_eq(ladder_csv_cell(&csv, 0, c), head[c]);
    ck_assert_uint_eq(csv.row_count, 7);
    KL_HAS(ladder_csv_cell(&csv, 1, 0), "Points Possible");
    static const char *const marks[] = {"100.00", "33.33", "100.00", "1.10", "12.5", "40"};
    for (size_t r = 1; r < 7; r++) {
        ck_assert_uint_eq(csv.rows[r].count, 6);
        ck_assert_str_eq(ladder_csv_cell(&csv, r, 5), marks[r - 1]);
    }
    ck_assert_str_eq(cell(2, "ID"), "4711");
    ck_assert_str_eq(cell(4, "Section"), "A and B");
    ck_assert_str_eq(cell(5, "Student"), "'=Eve, \"E\""); // by the id, Canvas knows her
    ck_assert_uint_eq(lost, 1);
    KL_HAS(notes, "no student in the roster for the submission: nobody",
           "no mark for the student: =Eve, \"E\"",
           "could not be graded, the roster's mark stays: dan");
    ck_assert_ptr_null(strstr(notes, "Lee"));
}

// Canvas's column in the notations of many countries: points possible, Ann's old mark, Bo's, a
// total that shows the decimal mark; what Ann, who reached 10 of 30, gets, and what is written for
// Bo, who keeps his. NULL: refused, with `said` in the error; else `said` is in the notes.
static const struct {
    const char *possible, *ann, *bo, *total, *ann_gets, *bo_keeps, *said;
} notations[] = {
    {"\"1,000.00\"", "", "998.00", "\"1,234.56\"", "333.33", "998.00", NULL},
    {"\"1,000\"", "", "\"1,000\"", "998.50", "333.33", "1000", NULL},
    {"\"1,000\"", "", "850", "", "333.33", "850", NULL}, // 850 of 1 is no mark
    {"\"1,000\"", "", "\"0,5\"", "", "0,33", "0,5", NULL},
    {"\"1.000,00\"", "", "\"40,82\"", "", "333,33", "40,82", NULL},
    {"1.000", "", "", "\"1.234,5\"", "333,33", "", NULL},
    {"1.000", "", "0.5", "", "0.33", "0.5", NULL},
    {"1 000", "", "1'000", "", "333.33", "1000", NULL},
    {"\"1\xE2\x80\xAF"
     "000,00\"",
     "",
     "\"1\xC2\xA0"
     "000,50\"",
     "", "333,33", "1000,50", "which stays, is above the 1000.00 points possible"},
    {"100", "12%", "\"98,5 %\"", "", "33,33%", "98,5%", NULL},
    {"100", "", "1e2", "", "33.33", "100", NULL},
    {"12.345", "", "12.345", "3.5", "4.11", "12.345", NULL},
    {"100", "-", "-", "", "33.33", "-", NULL},
    {"100", "EX", "EX", "", "EX", "EX",
     "'EX' (excused) stays, the mark of 33.33 is not entered: Lee, Ann"},
    {"100", "N/A", "N/A", "", "N/A", "N/A", "(not assigned to this student)"},
    {"100", "MI", "A-", "", "MI", "A-",
     "line 3, column F (02_reduction (77)): 'MI' (missing) stays"},
    {"100", "7/10", "", "", "7/10", "", "'7/10' stays"},
    {"100", "\"99,00\"", "", "", "33,33", "",
     "33.33 takes the place of 99.00, which is more: Lee, Ann"},
    {"", "", "4", "", "10.00", "4", "has no points possible: the marks are in the lab's points"},
    {"\"1,000\"", "", "", "", NULL, "",
     "roster.csv: line 2, column F (02_reduction (77)): '1,000' is 1000 or 1, and the other "
     "numbers of the sheet do not show which: write 1000.00 or 1.000 there"},
    {"1.000", "", "", "\"1,5\"", "333,33", "", NULL},
    {"1.000", "\"1,5\"", "2.5", "", NULL, "", "'1.000' is 1000 or 1"}, // both marks
    {"100", "", "1.000", "", NULL, "",
     "line 4, column F (02_reduction (77)): '1.000' is 1000 or 1"},
    {"A", "", "", "", NULL, "", "'A' is no number: expected the points possible"},
    {"100%", "", "", "", NULL, "", "'100%' is a percentage"},
    {"0.00", "", "", "", NULL, "", "'0.00' is out of range"},
    {"-5", "", "", "", NULL, "", "'-5' is out of range"},
    {"1e9", "", "", "", NULL, "", "'1e9' is out of range"},
    {"10/20", "", "", "", NULL, "", "'10/20' is no number"},
    {"(read only)", "", "", "", NULL, "", "takes no marks in the column \"02_reduction (77)\""},
};

KL_TEST_ROWS(canvas_numbers_are_understood_or_refused, sizeof notations / sizeof notations[0]) {
    static const ladder_export_line ann = {"ann@x.edu", NULL, {true, 10, 30, {0}}, "x"};
    char text[600];
    snprintf(text, sizeof text,
             "Student,ID,SIS User ID,SIS Login ID,Section,02_reduction (77),Final Score\r\n"
             "    Points Possible,,,,,%s,(read only)\r\n\"Lee, Ann\",4711,s1,ann@x.edu,A,%s,%s\r\n"
             "\"Oh, Bo\",4712,s2,bo@x.edu,A,%s,\r\n",
             notations[_i].possible, notations[_i].ann, notations[_i].total, notations[_i].bo);
    kl_status status = export(LADDER_EXPORT_canvas, text, NULL, &ann, 1);
    if (!notations[_i].ann_gets) {
        ck_assert_int_eq(status, KL_ERROR_INPUT);
        KL_HAS(err.text, notations[_i].said);
        return;
    }
    OK_OR_SAY(status, err);
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 5), notations[_i].ann_gets);
    ck_assert_str_eq(ladder_csv_cell(&csv, 3, 5), notations[_i].bo_keeps);
    if (notations[_i].said) ck_assert_msg(strstr(notes, notations[_i].said), "%s", notes);
    bool number = ladder_number_read(notations[_i].ann_gets, 0).kind == LADDER_NUMBER_VALUE;
    ck_assert_uint_eq(lost, !number);
    ck_assert_uint_eq(odd, notations[_i].said && strstr(notations[_i].said, "is above") ? 1 : 0);
}

// Sheets that went through other programs: tabs, UTF-16, semicolons, rows and columns elsewhere.
KL_TEST(canvas_sheets_of_other_programs) {
    static const ladder_export_line ann = {"ann@x.edu", NULL, {true, 10, 30, {0}}, "x"};
    static const char semicolons[] =
        "\xEF\xBB\xBFLastName;FirstName;ID;SIS Login ID;Section;02_reduction (77)\r\n"
        ";;;;;Muted\r\n;    Points Possible;;;;1.000,00\r\n"
        "\"Lee \"\"L\"\"\r\nLi\";Ann;4.711;ann@x.edu;\"A\tB\";\r\nTest;Student;99;;A;7\r\n";
    OK(export(LADDER_EXPORT_canvas, semicolons, NULL, &ann, 1));
    ck_assert_int_eq(csv.separator, ';');
    ck_assert_uint_eq(csv.row_count, 4);
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 5), "1000,00");
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 0), "Lee \"L\"\r\nLi");
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 2), "4711"); // Canvas would read 4.711
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 4), "A\tB");
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 5), "333,33");
    static const char tabs[] =
        "Student\tID\tSIS Login ID\tSection\t02_reduction\n"
        "    Points Possible\t\t\t\t1,000.00\nLee, Ann\t4711\tann\tA\t40.5\n";
    OK(export(LADDER_EXPORT_canvas, tabs, NULL, &ann, 1));
    ck_assert_int_eq(csv.separator, ','); // Canvas reads no tabs
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 4), "333.33");
    static const char twice[] =
        "Student,ID,SIS Login ID,Section,02_reduction (77),02_reduction (78)\n"
        "    Points Possible,,,,1,2\n\"Lee, Ann\",4711,ann,A,,\n";
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, twice, NULL, &ann, 1), KL_ERROR_INPUT);
    KL_HAS(err.text, "two columns are called \"02_reduction\"");
    OK(export(LADDER_EXPORT_canvas, twice, "02_reduction (78)", &ann, 1));
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 4), "0.67");
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, gradebook, "Final Score", &ann, 1),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "which is read only");
    static const ladder_export_line bonus = {"ann@x.edu", NULL, {true, 45, 30, {0}}, "x"};
    OK(export(LADDER_EXPORT_canvas, gradebook, NULL, &bonus, 1));
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 5), "150.00");
    KL_HAS(notes, "150.00, with a bonus, is above the 100.00 points possible: "
                  "Lee, Ann");
    ck_assert_uint_eq(lost + odd, 0);
}

KL_TEST(canvas_makes_a_new_assignment) {
    OK(export(LADDER_EXPORT_canvas, gradebook, "Lab two", class_marks, CLASS));
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 5), "Lab two");
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 5), "30.00");
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 5), "10.00");
    ck_assert_str_eq(ladder_csv_cell(&csv, 5, 5), ""); // no submission, no mark before
    KL_HAS(notes, "no column \"Lab two\"");
    OK(export(LADDER_EXPORT_canvas, gradebook, "Quiz", class_marks, CLASS));
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 5), "Quiz (78)");
    ck_assert_str_eq(ladder_csv_cell(&csv, 3, 5), "10.00");
}

KL_TEST(canvas_without_a_roster) {
    OK(export(LADDER_EXPORT_canvas, NULL, NULL, class_marks, CLASS));
    ck_assert_uint_eq(csv.row_count, CLASS + 1); // head, points, and the four that have a score
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 5), "02_reduction");
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 5), "30.00");
    ck_assert_str_eq(cell(3, "SIS Login ID"), "bo@x.edu");
    ck_assert_str_eq(ladder_csv_cell(&csv, 3, 5), "30.00");
    ck_assert_uint_eq(lost, 0);
}

static const char worksheet[] =
    "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be "
    "changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\r\n"
    "\"Participant 17\",\"Ann Lee\",ann@x.edu,\"Submitted for grading\",,100.00,Yes,"
    "\"Monday, 1 May 2023, 9:00 AM\",-,\r\n"
    "\"Participant 18\",\"Bo Oh\",bo@x.edu,\"No submission\",71.00,50.00,Yes,-,\"Tuesday\",\"was "
    "fine\"\r\n"
    "\"Participant 19\",\"Bo Oh\",bo2@x.edu,\"No submission\",,50.00,No,-,-,\r\n";

KL_TEST(moodle_gets_its_worksheet_back) {
    static const ladder_export_line marks[] = {
        {"Ann Lee_17_assignsubmission_file_", NULL, {true, 20, 30, {0}}, "step 1: =1+1, \"fine\""},
        {"Bo Oh", NULL, {true, 3, 30, {0}}, "x"}, // there are two
        {"bo2", NULL, {true, 15, 30, {0}}, "=1+1"},
    };
    OK(export(LADDER_EXPORT_moodle, worksheet, NULL, marks, 3));
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
    KL_HAS(notes, "more than one student fits the submission: Bo Oh", "locked in Moodle");
}

// Moodle's worksheet: maximum grade and old grade, and what a mark of 10 of 30 becomes. NULL:
// refused.
KL_TEST(moodle_numbers_are_understood_or_refused) {
    static const struct {
        const char *most, *old, *grade, *said;
    } rows[] = {
        {"\"1,000.00\"", "", "333.33", NULL},
        {"\"100,00\"", "\"12,50\"", "33.33", NULL}, // read with a point in every language
        {"1.000,00", "", "333.33", NULL},
        {"1 000,00", "", "333.33", NULL},
        {"\"1,000\"", "0.5", "333.33", NULL},
        {"", "", "10.00", NULL},
        {"100.00", "EX", "EX", "'EX' (excused) stays"},
        {"100.00", "-", "33.33", NULL},
        {"\"1,000\"", "", NULL,
         "roster.csv: line 2, column D (Maximum Grade): '1,000' is 1000 or 1"},
        {"10 points", "", NULL, "'10 points' is no number"},
        {"0.00", "", NULL, "expected the points of the assignment"},
    };
    static const ladder_export_line mark = {"ann@x.edu", NULL, {true, 10, 30, {0}}, "x"};
    char text[400];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *semicolon = strchr(rows[i].most, ',') && rows[i].most[0] != '"' ? ";" : ",";
        const char *s = semicolon;
        snprintf(text, sizeof text,
                 "Identifier%sFull name%sGrade%sMaximum Grade%sEmail address%sFeedback comments\n"
                 "Participant 1%sAnn Lee%s%s%s%s%sann@x.edu%s\n"
                 "Participant 2%sBo%s%s%s%s%s%s\"two\nlines\"\n",
                 s, s, s, s, s, s, s, rows[i].old, s, rows[i].most, s, s, s, s, rows[i].old, s,
                 rows[i].most, s, s);
        kl_status status = export(LADDER_EXPORT_moodle, text, NULL, &mark, 1);
        if (!rows[i].grade) {
            ck_assert_int_eq(status, KL_ERROR_INPUT);
            KL_HAS(err.text, rows[i].said);
            continue;
        }
        OK_OR_SAY(status, err);
        ck_assert_str_eq(cell(1, "Grade"), rows[i].grade);
        ck_assert_str_eq(cell(2, "Feedback comments"), "two\nlines");
        if (rows[i].said) ck_assert_msg(strstr(notes, rows[i].said), "%s", notes);
        ck_assert_uint_eq(lost, rows[i].said ? 1 : 0);
        if (strstr(rows[i].old, "12,50")) ck_assert_str_eq(cell(2, "Grade"), "12.50");
    }
    // Moodle passes over what is above the maximum, and has words for grades by a scale.
    static const ladder_export_line bonus = {"ann@x.edu", NULL, {true, 45, 30, {0}}, "x"};
    OK(export(LADDER_EXPORT_moodle, worksheet, NULL, &bonus, 1));
    ck_assert_str_eq(cell(1, "Grade"), "");
    ck_assert_uint_eq(lost, 1);
    ck_assert_uint_eq(odd, 1); // 71 of 50, which was there
    KL_HAS(notes, "150.00, with a bonus, is above the 100.00 points possible, "
                  "which the system does not take: Ann Lee");
    ck_assert_int_eq(export(LADDER_EXPORT_moodle,
                            "Identifier,Full name,Email address,Scale,Grade\n"
                            "Participant 1,Ann Lee,ann@x.edu,\"Bad, Good\",\n",
                            NULL, &mark, 1),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "graded by a scale of words");
}

// What a bulk download says of the student decides between two of the same name.
KL_TEST(the_user_of_a_download_is_enough) {
    static const ladder_person moodle = {.name = "Bo Oh", .ids = "18\n"},
                               canvas = {.name = "ohbo", .ids = "4712\n"};
    static const ladder_export_line marks[] = {{"Bo Oh", &moodle, {true, 3, 30, {0}}, "x"},
                                               {"ohbo", &canvas, {true, 30, 30, {0}}, "x"}};
    OK(export(LADDER_EXPORT_moodle, worksheet, NULL, marks, 1));
    ck_assert_str_eq(cell(2, "Grade"), "5.00");
    ck_assert_uint_eq(lost, 0);
    OK(export(LADDER_EXPORT_canvas, gradebook, NULL, marks + 1, 1));
    ck_assert_str_eq(ladder_csv_cell(&csv, 3, 5), "100.00");
}

KL_TEST(two_submissions_of_one_student_are_told) {
    static const ladder_export_line marks[] = {{"ann@x.edu", NULL, {true, 20, 30, {0}}, "x"},
                                               {"Lee, Ann", NULL, {true, 30, 30, {0}}, "x"}};
    OK(export(LADDER_EXPORT_canvas, gradebook, NULL, marks, 2));
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 5), "");
    ck_assert_uint_eq(lost, 2);
    KL_HAS(notes, "other submissions fit the same student as: ann@x.edu");
}

KL_TEST(a_wrong_sheet_is_refused) {
    ck_assert_int_eq(export(LADDER_EXPORT_moodle, gradebook, NULL, class_marks, CLASS),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "no grading worksheet of Moodle");
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, worksheet, NULL, class_marks, CLASS),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "no gradebook of Canvas");
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, "", NULL, class_marks, CLASS), KL_ERROR_INPUT);
    ck_assert_int_eq(export(LADDER_EXPORT_canvas, "Student,\"ID", NULL, class_marks, CLASS),
                     KL_ERROR_INPUT);
    KL_HAS(err.text, "roster.csv: line 1");
}

KL_TEST_MAIN("export")
