// SPDX-License-Identifier: MIT
// Comma-separated values: RFC 4180, sheets of other countries, files that are none; what is written
// is read back as it was, and no cell is a formula.
#include "course/people/people.h"

#include <stdbool.h>
#include <string.h>
#include <uchar.h>

#include "suite.h"

static kl_error err;
static ladder_csv csv;

static void parse(const char *text) {
    ck_assert_msg(ladder_csv_parse(text, strlen(text), &csv, &err) == KL_OK, "%s", err.text);
}

START_TEST(cells_are_as_rfc_4180_has_them) {
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
END_TEST

START_TEST(semicolons_and_titles) {
    parse("ID; Grade ;\"a,b,c\"\n1;2,5;3\n");
    ck_assert_int_eq(csv.separator, ';');
    ck_assert_int_eq(ladder_csv_column(&csv, "grade"), 1);
    ck_assert_int_eq(ladder_csv_column(&csv, "Gra"), -1);
    ck_assert_str_eq(ladder_csv_cell(&csv, 1, 1), "2,5");
    ladder_csv_free(&csv);
}
END_TEST

static void parse_bytes(const char *text, size_t bytes) {
    ck_assert_msg(ladder_csv_parse(text, bytes, &csv, &err) == KL_OK, "%s", err.text);
}

// Excel's "Unicode text", with and without a byte order mark, either byte first; its line "sep=".
START_TEST(tabs_and_utf16_are_read) {
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
END_TEST

START_TEST(columns_show_their_decimal_mark) {
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
END_TEST

START_TEST(what_is_no_sheet_is_refused) {
    ck_assert_int_eq(ladder_csv_parse("a,\"b\nc", 6, &csv, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "line 1: a quoted cell does not end");
    ck_assert_int_eq(ladder_csv_parse("a\n\"b\"c\n", 7, &csv, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "line 2: text after a quoted cell");
    ck_assert_int_eq(ladder_csv_parse("PK\3\4\0\0", 6, &csv, &err), KL_ERROR_INPUT); // .xlsx
    ck_assert_ptr_nonnull(strstr(err.text, "UTF-8"));
    ck_assert_int_eq(ladder_csv_read("/dev/null/x.csv", &csv, &err), KL_ERROR_INPUT);
    parse("");
    ck_assert_int_eq(csv.row_count, 0);
    ck_assert_int_eq(ladder_csv_column(&csv, "ID"), -1);
    ladder_csv_free(&csv);
}
END_TEST

static char *written(const char *cell) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    ladder_csv_put(out, cell);
    fclose(out);
    return text;
}

START_TEST(no_cell_is_a_formula) {
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
        free(text);
    }
    static const char *const numbers[] = {"-1",     "0",        "12.50", "-0,5",
                                          "100,00", "-1,000.5", "-5 %",  "two\r\nlines\tand more"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char *text = written(numbers[i]);
        parse(text);
        ck_assert_str_eq(ladder_csv_cell(&csv, 0, 0), numbers[i]);
        ladder_csv_free(&csv);
        free(text);
    }
}
END_TEST

// Any bytes: parsed or refused, and never more cells than there is room for.
START_TEST(any_bytes_are_survived) {
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
END_TEST

KL_TEST_MAIN("people csv", cells_are_as_rfc_4180_has_them, semicolons_and_titles,
             tabs_and_utf16_are_read, columns_show_their_decimal_mark, what_is_no_sheet_is_refused,
             no_cell_is_a_formula, any_bytes_are_survived)
