// Who is meant: sheets, and the matcher.
#include <uchar.h>

#include "course/people/people.h"
#include "suite.h"
#include "grade/intake/intake.h"

// ---- people_csv ----
// Comma-separated values: RFC 4180, sheets of other countries, files that are none; what is written
// is read back as it was, and no cell is a formula.

static kl_error err;
static ladder_csv csv;

static void parse(const char *text) {
    OK_OR_SAY(ladder_csv_parse(text, strlen(text), &csv, &err), err);
}

KL_TEST(cells_are_as_rfc_4180_has_them) {
    parse("\xEF\xBB\xBFStudent,\"a \"\"b\"\"\",\"two\r\nlines, one cell\"\r\n\r\n1,,\n\"last\"");
    ck_assert_int_eq(csv.row_count, 3);
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 0), "Student");
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 1), "a \"b\"");
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 2), "two\r\nlines, one cell");
    ck_assert_int_eq(csv.rows[1].count, 3);
    ck_assert_int_eq(csv.rows[1].line, 4);
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 2), "");
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 0), "last");
    ck_assert_str_eq(ladder_csv_cell(&csv, 2, 7), ""); // beyond its end
    ladder_csv_free(&csv);
}

KL_TEST(semicolons_and_titles) {
    parse("ID; Grade ;\"a,b,c\"\n1;2,5;3\n");
    ck_assert_int_eq(csv.separator, ';');
    ck_assert_int_eq(ladder_csv_column(&csv, "grade"), 1);
    ck_assert_int_eq(ladder_csv_column(&csv, "Gra"), -1);
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 1), "2,5");
    ladder_csv_free(&csv);
}

static void parse_bytes(const char *text, size_t bytes) {
    OK_OR_SAY(ladder_csv_parse(text, bytes, &csv, &err), err);
}

// Excel's "Unicode text", with and without a byte order mark, either byte first; its line "sep=".
KL_TEST(tabs_and_utf16_are_read) {
    static const char16_t sheet[] =
        u"\xFEFFName\tGrade\r\n\"Ann \"\"A\"\"\nLee\"\t1,5\r\nJos\u00e9 \U0001F393\t2\r\n";
    enum { UNITS = sizeof sheet / sizeof sheet[0] - 1 };
    for (int form = 0; form < 4; form++) { // high byte first; without the mark
        char bytes[2 * UNITS];
        size_t used = 0;
        for (size_t i = form >> 1; i < UNITS; i++) {
            char high = (char)(sheet[i] >> 8), low = (char)(sheet[i] & 0xFF);
            bytes[used++] = form & 1 ? high : low;
            bytes[used++] = form & 1 ? low : high;
        }
        parse_bytes(bytes, used);
        ck_assert_int_eq(csv.separator, '\t');
        ck_assert_uint_eq(csv.row_count, 3);
        ck_assert_int_eq(ladder_csv_column(&csv, "Name"), 0);
        ck_assert_str_eq(ladder_csv_cell(&csv, 1, 0), "Ann \"A\"\nLee");
        ck_assert_str_eq(ladder_csv_cell(&csv, 1, 1), "1,5");
        ck_assert_str_eq(ladder_csv_cell(&csv, 2, 0), "Jos\xc3\xa9 \xf0\x9f\x8e\x93");
        ladder_csv_free(&csv);
        ck_assert_int_eq(ladder_csv_parse(bytes, used - 1, &csv, &err), KL_ERROR_INPUT);
    }
    static const char half[] = "\xFF\xFE"
                               "a\0\x3D\xD8"
                               "b\0";
    ck_assert_int_eq(ladder_csv_parse(half, sizeof half - 1, &csv, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "damaged UTF-16 text; save the sheet as CSV UTF-8");
    parse("sep=;\r\nID;a,b,c\r\n1;2\r\n");
    ck_assert_uint_eq(csv.row_count, 2);
    ck_assert_int_eq(csv.rows[1].line, 3);
    ck_assert_str_eq(ladder_csv_cell(&csv, 0, 1), "a,b,c");
    ladder_csv_free(&csv);
}

KL_TEST(columns_show_their_decimal_mark) {
    static const struct {
        const char *text;
        char decimal;
    } rows[] = {{"a;b\n1.000;x\n40,82;\n", ','},
                {"a,b\n\"1,000\",998.00\n", '.'},
                {"a,b\n\"1,000\",40\n", 0},
                {"a;b\n40,82;998.00\n", 0},
                {"a,1.5\n1,2\n", 0},
                {"a;b\n1.000.000;\n", ','}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        parse(rows[i].text);
        ck_assert_int_eq(ladder_csv_decimal(&csv, 0, 1), rows[i].decimal);
        ladder_csv_free(&csv);
    }
    char place[80];
    parse("a,b\n\n1,\"2\n3\"\n4,5\n");
    ck_assert_str_eq(ladder_csv_place(&csv, 2, 1, place, sizeof place), "line 5, column B (b)");
    ck_assert_str_eq(ladder_csv_place(&csv, 1, 26 * 27 + 1, place, sizeof place),
                     "line 3, column AAB ()");
    ladder_csv_free(&csv);
}

KL_TEST(what_is_no_sheet_is_refused) {
    ck_assert_int_eq(ladder_csv_parse("a,\"b\nc", 6, &csv, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "line 1: a quoted cell does not end");
    ck_assert_int_eq(ladder_csv_parse("a\n\"b\"c\n", 7, &csv, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "line 2: text after a quoted cell");
    ck_assert_int_eq(ladder_csv_parse("PK\3\4\0\0", 6, &csv, &err), KL_ERROR_INPUT); // .xlsx
    KL_HAS(err.text, "UTF-8");
    ck_assert_int_eq(ladder_csv_read("/dev/null/x.csv", &csv, &err), KL_ERROR_INPUT);
    parse("");
    ck_assert_int_eq(csv.row_count, 0);
    ck_assert_int_eq(ladder_csv_column(&csv, "ID"), -1);
    ladder_csv_free(&csv);
}

static char *written(const char *cell) { return KL_PRINTED(out, ladder_csv_put(out, cell)); }

KL_TEST(no_cell_is_a_formula) {
    static const char *const hostile[] = {
        "=1+1",   "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0",
        "-1.2.3", "--1",  "-"};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        char *text = written(hostile[i]);
        parse(text);
        const char *cell = ladder_csv_cell(&csv, 0, 0);
        bool alone = strcmp(cell, "-") == 0; // no formula, and Moodle's word for no grade
        ck_assert_msg(alone || !strchr("=+-@\t\r", cell[0]), "%s", text);
        ladder_csv_free(&csv);
    }
    static const char *const numbers[] = {"-1",     "0",        "12.50", "-0,5",
                                          "100,00", "-1,000.5", "-5 %",  "two\r\nlines\tand more"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char *text = written(numbers[i]);
        parse(text);
        ck_assert_str_eq(ladder_csv_cell(&csv, 0, 0), numbers[i]);
        ladder_csv_free(&csv);
    }
}

// Any bytes: parsed or refused, and never more cells than there is room for.
KL_TEST(any_bytes_are_survived) {
    static const char alphabet[] = "a,;\"\n\r \xFF=";
    unsigned seed = 7;
    size_t parsed = 0;
    for (int round = 0; round < 20000; round++) {
        char text[24];
        size_t bytes = 0;
        for (; bytes < sizeof text - 1; bytes++) {
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 27 == 0) break;
            text[bytes] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        text[bytes] = '\0';
        if (ladder_csv_parse(text, bytes, &csv, &err) != KL_OK) continue;
        parsed++;
        for (size_t r = 0; r < csv.row_count; r++)
            for (size_t c = 0; c < csv.rows[r].count; c++)
                ck_assert_uint_le(strlen(ladder_csv_cell(&csv, r, c)), bytes);
        ladder_csv_free(&csv);
    }
    ck_assert_uint_gt(parsed, 1000);
}

// ---- people_match ----
// Who is meant: every route asks the one matcher, so that these rows are those of rosters, exports
// and gradebooks; sheets of course systems; groups and times that a sheet tells.

static kl_error err_people_match;
static char folder[LADDER_PATH], path[LADDER_PATH];

static const ladder_person class_list[] = {
    {.name = "Lee, Ann", .ids = "4711\nann@x.edu\n"},
    {.name = "Bo Roe", .ids = "4712\nbo@x.edu\nParticipant 18\n"},
    {.name = "Roe, Bo", .ids = "4713\nbo2@x.edu\nParticipant 19\n"},
    {.name = "M\xc3\xbcller, J\xc3\xb6rg", .ids = "4714\njm\n"},
    {.name = "de la Cruz, Ana", .ids = "4715\n"},
    {.name = "Thomas James", .ids = "4716\n"},
    {.name = "James Thomas", .ids = "4717\n"},
    {.name = "Cy Dee", .ids = "4718\nParticipant 17\nCyrus Dee\n"},
    {.name = "\xc5\x81ucja Wr\xc3\xb3na", .ids = "4719\n"},
    {.name = "Nguy\xe1\xbb\x85n, V\xc4\x83n", .ids = "4720\n"},
    {.name = "O'Neil, Shaun", .ids = "4721\n"},
    {.name = "\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd \xd0\x81\xd0\xb6", .ids = "4722\n"},
};
enum { COUNT = sizeof class_list / sizeof class_list[0], NOBODY = LADDER_NOBODY, SEVERAL = -2 };

static void set_up(void) {
    OK(ladder_folder_temporary(folder, &err_people_match));
    OK(ladder_path(path, &err_people_match, "%s/sheet.csv", folder));
}

static void tear_down(void) { ladder_folder_remove(folder); }

KL_FIXTURE(set_up, tear_down)

KL_TEST(one_student_or_none) {
    static const struct {
        const char *title, *user;
        int index;
    } rows[] = {
        {"leeann", "4711", 0},           // Canvas
        {"ANN@x.edu", NULL, 0},          // an address
        {"ann", NULL, 0},                // its part before the @
        {"ann@gmail.com", NULL, NOBODY}, // another one's, perhaps
        {"leeann", NULL, 0},             // as Canvas writes names
        {"Ann Lee.zip", NULL, 0},
        {"lee,ann", NULL, 0},
        {"Ann  LEE", NULL, 0},
        {"leeann_4711_80_work", NULL, 0},                // an id between underscores
        {"Ann Lee_101_assignsubmission_file_", NULL, 0}, // a name as the first part
        {"Bo Roe", NULL, SEVERAL},
        {"Bo Roe", "4713", 2}, // the id decides
        {"Bo Roe", "18", 1},   // and so does a participant's number
        {"bo", NULL, 1},
        {"bo2", NULL, 2},
        {"mullerjorg", NULL, 3},
        {"Jo\xcc\x88rg Mu\xcc\x88ller", NULL, 3}, // as macOS writes it
        {"J\xc3\x96RG M\xc3\x9cLLER", NULL, 3},
        {"Ana de la Cruz", NULL, 4},
        {"delacruzana", NULL, 4},
        {"Thomas James", NULL, 5}, // the same order first
        {"James Thomas", NULL, 6},
        {"thomasjames", NULL, 5},
        {"Dee, Cyrus", NULL, 7}, // another name of his
        {"17", NULL, 7},
        {"lucja wrona", NULL, 8},
        {"Van Nguye\xcc\x82\xcc\x83n", NULL, 9},
        {"V\xc4\x82N\xc2\xa0NGUY\xe1\xbb\x84N", NULL, 9}, // a no-break blank
        {"Shaun O\xe2\x80\x99Neil", NULL, 10},
        {"\xe2\x80\x8fShaun \xe2\x80\x8bONeil", NULL, 10}, // marks that nobody sees
        {"\xd0\x98\xd0\x92\xd0\x90\xd0\x9d \xd1\x91\xd0\xb6", NULL, 11},
        {"Ann Lee", "4712", SEVERAL}, // an id of one, a name of another: nobody is guessed
        {"Somebody", "4712", 1},
        {"Somebody", "99", NOBODY},
        {"lab_1_upload", NULL, NOBODY},
        {"", "", NOBODY},
        {"Lee", NULL, NOBODY},
    };
    ladder_people *people = NULL;
    OK(ladder_people_make(class_list, COUNT, &people, &err_people_match));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_person wanted = ladder_person_of_title(rows[i].title, rows[i].user);
        int found = ladder_people_find(people, &wanted);
        ck_assert_msg(found == rows[i].index, "%s, %s: %d", rows[i].title,
                      rows[i].user ? rows[i].user : "-", found);
    }
    // Moodle's number of another assignment does not move a mark.
    ladder_person moodle = {.name = "Ann Lee", .ids = "Participant 17\n"};
    ck_assert_int_eq(ladder_people_find(people, &moodle), 0);
    moodle = (ladder_person){.name = "Roe Bo", .ids = "Participant 19\n"};
    ck_assert_int_eq(ladder_people_find(people, &moodle), 2);
    moodle = (ladder_person){.name = "Di Fox", .ids = "Participant 4711\n"}; // no id of Canvas
    ck_assert_int_eq(ladder_people_find(people, &moodle), NOBODY);
    ladder_people_free(people);
}

// The two sides are alike: what finds a student finds it the other way round.
KL_TEST(both_directions_agree) {
    static const char *const pairs[][2] = {{"Lee, Ann", "Ann Lee"},
                                           {"leeann", "Lee, Ann"},
                                           {"ann@x.edu", "ann"},
                                           {"Ana de la Cruz", "de la Cruz, Ana"},
                                           {"Cr\xc3\xa8me Br\xc5\xabl", "brul, creme"},
                                           {"O'Brien, Pat", "pat obrien"}};
    static const char *const others[][2] = {
        {"ann@x.edu", "ann@y.edu"}, {"Ann Lee", "Ann B. Lee"}, {"4711", "471"}, {"Ann", "Anne"}};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
            ladder_people *people = NULL;
            ladder_person a = ladder_person_of_word(pairs[i][round]),
                          b = ladder_person_of_word(pairs[i][1 - round]);
            OK(ladder_people_make(&a, 1, &people, &err_people_match));
            ck_assert_msg(ladder_people_find(people, &b) == 0, "%s, %s", a.name, b.name);
            ladder_people_free(people);
        }
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            ladder_people *people = NULL;
            ladder_person a = ladder_person_of_word(others[i][round]),
                          b = ladder_person_of_word(others[i][1 - round]);
            OK(ladder_people_make(&a, 1, &people, &err_people_match));
            ck_assert_msg(ladder_people_find(people, &b) == NOBODY, "%s, %s", a.name, b.name);
            ladder_people_free(people);
        }
    }
}

static kl_status read_sheet(const char *text, ladder_sheet *sheet) {
    OK(ladder_file_write(path, text, strlen(text), &err_people_match));
    return ladder_sheet_read(path, sheet, &err_people_match);
}

KL_TEST(sheets_of_all_systems_name_students) {
    static const struct {
        const char *text, *name, *key, *login, *ids, *group;
        size_t count;
    } rows[] = {
        {"Student,ID,SIS User ID,SIS Login ID,Section,Lab (7)\n    Points Possible,,,,,100\n"
         "\"Lee, Ann\",4711,s1,ann@x.edu,A,\n\"Student, Test\",99,,0123abcd,A,\n",
         "Lee, Ann", "4711", "ann@x.edu", "4711\ns1\nann@x.edu\n", "", 1},
        {"Identifier,Full name,Email address,Group\nParticipant 17,Ann Lee,ann@x.edu,Team A,\n",
         "Ann Lee", "ann@x.edu", "ann@x.edu", "ann@x.edu\nParticipant 17\n", "Team A", 1},
        {"First name,Last name,ID number,Email address\nAnn,Lee,300,ann@x.edu\n", "Ann Lee", "300",
         "ann@x.edu", "300\nann@x.edu\n", "", 1},
        {"name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id\n"
         "Ann Lee,4711,s1,ann,A,Team A,5\n",
         "Ann Lee", "4711", "ann", "4711\ns1\nann\n", "Team A", 1},
        {"\"identifier\",\"github_username\",\"github_id\",\"name\"\nann@x.edu,annie,9,Ann Lee\n",
         "Ann Lee", "ann@x.edu", "ann@x.edu", "ann@x.edu\nannie\n", "", 1},
        {"id;name;email\n1;Ann Lee;ann@x.edu\n", "Ann Lee", "1", "ann@x.edu", "1\nann@x.edu\n", "",
         1},
        {"LastName,FirstName,ID,SIS Login ID,Section,Lab (7)\n,,,,,Manual Posting\n"
         "    Points Possible,,7,,,100\nLee,Ann,4711.0,ann,A,\nStudent,Test,99,0123abcd,A,\n",
         "Ann Lee", "4711", "ann", "4711.0\n4711\nann\n", "", 1},
        {"ID,,Student,Section\n7,Points Possible,,A\n\"4,711\",,\"Lee, Ann\",A\n", "Lee, Ann",
         "4711", "", "4,711\n4711\n", "", 1},
        {"OrgDefinedId,Username,Last Name,First Name,Lab Points Grade <Numeric MaxPoints:1000>,"
         "End-of-Line Indicator\n#300,#ann,Lee,Ann,\"40,82\",#\n",
         "Ann Lee", "300", "ann", "300\nann\n", "", 1},
        {"\"Last Name\"\t\"Name\"\t\"Student ID\"\nx\t\xC2\xA0"
         "Ann Lee\t\"=\"\"0012\"\"\"\n",
         "Ann Lee", "0012", "", "0012\n", "", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_sheet sheet;
        OK_OR_SAY(read_sheet(rows[i].text, &sheet), err_people_match);
        ck_assert_uint_eq(sheet.count, rows[i].count); // points and the test student are none
        ck_assert_str_eq(sheet.list[0].who.name, rows[i].name);
        ck_assert_str_eq(sheet.list[0].key, rows[i].key);
        ck_assert_str_eq(sheet.list[0].login, rows[i].login);
        ck_assert_str_eq(sheet.list[0].who.ids, rows[i].ids);
        ck_assert_str_eq(sheet.list[0].group, rows[i].group);
        ladder_sheet_free(&sheet);
    }
}

// A sheet that would give a student the wrong id, or a cell of the neighbour's column.
KL_TEST(damaged_sheets_are_refused) {
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"Student,ID,Section,Lab\n\"Lee, Ann\",4711,A,40,82\n",
         "line 2 has 5 cells, and the first line has 4 titles: a cell with a comma in it needs "
         "quotes, such as \"40,82\""},
        {"Name;ID;Login\nAnn;1;a\n\nBo;2;b;;c\n", "line 4 has 5 cells"},
        {"Name,ID,SIS User ID\nAnn,1,3.0012E+11\n",
         "line 2, column C (SIS User ID): '3.0012E+11' is no id any more"},
        {"Name;ID;Login\nAnn;3,00E+11;a\n", "line 2, column B (ID): '3,00E+11'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_sheet sheet;
        ck_assert_int_eq(read_sheet(rows[i].text, &sheet), KL_ERROR_INPUT);
        KL_HAS(err_people_match.text, rows[i].said);
    }
    ladder_sheet padded; // a spreadsheet's empty cells after the last column
    OK(read_sheet("Name,ID,Login\nAnn,1,a,,\n", &padded));
    ladder_sheet_free(&padded);
}

KL_TEST(no_letter_is_guessed) {
    ladder_sheet sheet;
    ck_assert_int_eq(read_sheet("ID,Name,Login\n1,Ann Lee,ann\n2,Jos\xe9 Ruiz,jr\n", &sheet),
                     KL_ERROR_INPUT);
    ck_assert_ptr_nonnull(
        strstr(err_people_match.text, "sheet.csv: line 3: a letter that is not UTF-8"));
    OK(read_sheet("ID,Name\n2,Jos\xc3\xa9 Ruiz\n", &sheet));
    ck_assert_str_eq(sheet.list[0].who.name, "Jos\xc3\xa9 Ruiz");
    ladder_sheet_free(&sheet);
    ck_assert_int_eq(read_sheet("a,b\n1,2\n", &sheet), KL_ERROR_INPUT);
    KL_HAS(err_people_match.text, "no columns that name students");
    ck_assert_int_eq(read_sheet("ID,Name\n", &sheet), KL_ERROR_INPUT);
    KL_HAS(err_people_match.text, "names no student");
}

KL_TEST(times_of_all_systems_are_read) {
    double a = 0, b = 0;
    ck_assert(ladder_sheet_time("2026-11-20T21:04:12Z", &a));
    ck_assert(ladder_sheet_time("2026-11-20 21:04:12 UTC", &b) && a == b);
    ck_assert(ladder_time_read("2026-11-20T21:04", &a)); // this machine's zone
    ck_assert(ladder_sheet_time("Friday, 20 November 2026, 9:04 PM", &b) && a == b);
    ck_assert(ladder_sheet_time("Friday, 20 November 2026, 21:04", &b) && a == b);
    ck_assert(ladder_time_read("2026-11-20T00:30", &a));
    ck_assert(ladder_sheet_time("Friday, 20 November 2026, 12:30 AM", &b) && a == b);
    ck_assert(!ladder_sheet_time("-", &b) && !ladder_sheet_time("Friday, soon", &b));
    ck_assert(!ladder_sheet_time("Friday, 20 Brumaire 2026, 9:04 PM", &b));
}

static const char groups[] =
    "name,canvas_user_id,login_id,group_name,student_repository_name,Submitted\n"
    "Ann Lee,4711,ann,Team A,lab-2-team-a,2026-11-20T10:00Z\n"
    "Bo Roe,4712,bo,Team A,lab-2-team-a,2026-11-21T10:00Z\n"
    "Cy Dee,4713,cy,,,2026-11-19T10:00Z\n"
    "Di Fox,4714,di,Team B,lab-2-team-b,\n";

static ladder_submission handed(const char *name, const char *title, const char *user) {
    ladder_submission s = {.late = false};
    snprintf(s.name, sizeof s.name, "%s", name);
    snprintf(s.title, sizeof s.title, "%s", title);
    snprintf(s.user, sizeof s.user, "%s", user);
    return s;
}

KL_TEST(a_sheet_tells_groups_and_times) {
    static ladder_submission list[5];
    static ladder_person who[LADDER_MEMBERS_MAX];
    list[0] = handed("teama_4711", "teama", "4711"); // Canvas: the group, one of its members
    list[1] = handed("lab-2-team-a", "a", "a");      // GitHub Classroom: a team's repository
    list[2] = handed("cy", "cy", "");                // alone
    list[3] = handed("eve", "eve", "");              // not in the sheet
    list[4] = handed("studenttest_9", "studenttest", "9");
    list[4].is_test = true;
    char *told = KL_PRINTED(
        notes, OK(ladder_file_write(path, groups, strlen(groups), &err_people_match));
        ck_assert_msg(ladder_people_join(path, list, 5, notes, &err_people_match) == KL_OK, "%s",
                      err_people_match.text));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(ladder_people_of(&list[i], who), 2);
        ck_assert_str_eq(who[0].name, "Ann Lee");
        ck_assert_str_eq(who[1].name, "Bo Roe");
        ck_assert_str_eq(who[0].ids, "4711\nann\n");
        ck_assert_str_eq(list[i].submitted, // Ann's own; the last of the two
                         i == 0 ? "2026-11-20T10:00:00Z" : "2026-11-21T10:00:00Z");
        ck_assert_str_eq(list[i].title, "Team A: Ann Lee, Bo Roe");
    }
    ck_assert_int_eq(ladder_people_of(&list[2], who), 1);
    ck_assert_str_eq(who[0].name, "Cy Dee");
    ck_assert_str_eq(list[2].title, "Cy Dee");
    ck_assert_str_eq(list[3].title, "eve");
    ck_assert_str_eq(list[2].submitted, "2026-11-19T10:00:00Z");
    ck_assert_int_eq(ladder_people_of(&list[3], who), 1);
    ck_assert_str_eq(who[0].name, "eve");
    ck_assert_str_eq(list[3].submitted, "");
    ck_assert_str_eq(list[4].members, "");
    KL_HAS(told, "nobody in the sheet: eve", "6 students, 5 matched, 1 to decide\n");
}

// A student in two groups would get the better mark of the two, and no word.
KL_TEST(a_student_in_two_groups_is_an_error) {
    static const char *const sheets[] = {
        "Name,ID,Login,Group\nAnn Lee,4711,ann,Team A\nBo Roe,4712,bo,Team A\nCy Dee,4713,cy,\n"
        "\"Lee, Ann\",4711,,Team C\n",
        "identifier,github_username,name,student_repository_name\nx,bo,Bo,lab-team-c\n"
        "y,bo,Bo,lab-team-a\n"};
    static const char *const said[] = {
        "sheet.csv: lines 2 and 5: Lee, Ann is in two groups, Team A and Team C",
        "sheet.csv: lines 2 and 3: Bo is in two groups, lab-team-c and lab-team-a"};
    ladder_submission one = handed("team_80", "team", "");
    for (int i = 0; i < 2; i++) {
        OK(ladder_file_write(path, sheets[i], strlen(sheets[i]), &err_people_match));
        ck_assert_int_eq(ladder_people_join(path, &one, 1, stderr, &err_people_match),
                         KL_ERROR_INPUT);
        KL_HAS(err_people_match.text, said[i]);
    }
    static const struct {
        const char *members[3];
        const char *said; // NULL: no error
    } rows[] = {
        {{"Ann Lee\t4711\nBo Roe\tbo@x.edu\n", "Cy Dee\tcy\nBo R.\tBO@x.edu\n", "Di\tdi\n"},
         "Bo R. is in two groups: title 0 (name 0) and title 1 (name 1)"},
        {{"Ann Lee\t4711\nBo Roe\tbo\n", "Bo Roe\tbo\n", ""}, "Bo Roe is in two groups"},
        {{"Ann Lee\t4711\nBo Roe\tbo\n", "Bo Roe\tbo\nAnn Lee\t4711\n", ""}, NULL}, // again
        {{"Ann Lee\t4711\n", "Ann Lee\t4711\n", ""}, NULL},
        {{"Bo Roe\t1\nCy\tcy\n", "Bo Roe\t2\nAnn\tann\n", ""}, NULL}, // two of one name
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        static ladder_submission list[3];
        for (int i = 0; i < 3; i++) {
            list[i] = (ladder_submission){.is_test = rows[r].members[i][0] == '\0'};
            snprintf(list[i].title, sizeof list[i].title, "title %d", i);
            snprintf(list[i].name, sizeof list[i].name, "name %d", i);
            snprintf(list[i].members, sizeof list[i].members, "%s", rows[r].members[i]);
        }
        kl_status status = ladder_people_once(list, 3, &err_people_match);
        ck_assert_int_eq(status, rows[r].said ? KL_ERROR_INPUT : KL_OK);
        if (rows[r].said) KL_HAS(err_people_match.text, rows[r].said);
    }
}

KL_TEST_MAIN("people")
