// JSON writer, tables and number formats, against expected text.
#include "json.h"
#include "suite.h"
#include "table.h"
#include "outcome.h"

// What a test prints.
static char text_printed[4096];
static FILE *out;
static kl_json json; // to `out`

static void begin(void) {
    memset(text_printed, 0, sizeof text_printed);
    out = fmemopen(text_printed, sizeof text_printed - 1, "w");
    ck_assert_ptr_nonnull(out);
    kl_json_begin(&json, out);
}

static const char *printed(void) {
    fclose(out);
    out = NULL;
    return text_printed;
}

static const char *finished_json(void) {
    OK(kl_json_finish(&json, NULL));
    return printed();
}

static void end(void) {
    if (out) fclose(out);
}
KL_FIXTURE(begin, end)

KL_TEST(json_nests_and_separates) {
    kl_json_object(&json, NULL);
    kl_json_int(&json, "a", -3);
    kl_json_array(&json, "b");
    kl_json_bool(&json, NULL, true);
    kl_json_null(&json, NULL);
    kl_json_end(&json);
    kl_json_object(&json, "c");
    kl_json_end(&json);
    kl_json_end(&json);
    ck_assert_str_eq(finished_json(),
                     "{\n  \"a\": -3,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {}\n}\n");
}

KL_TEST(json_rows_are_lines) {
    kl_json_array(&json, NULL);
    kl_json_row(&json, NULL);
    kl_json_int(&json, "a", 1);
    kl_json_array(&json, "b");
    kl_json_int(&json, NULL, 2);
    kl_json_int(&json, NULL, 3);
    kl_json_end(&json);
    kl_json_line(&json);
    kl_json_array(&json, "c");
    kl_json_list(&json, NULL);
    kl_json_int(&json, NULL, 4);
    kl_json_object(&json, NULL);
    kl_json_end(&json);
    kl_json_end(&json);
    kl_json_end(&json);
    kl_json_int(&json, "d", 5);
    kl_json_end(&json);
    kl_json_end(&json);
    ck_assert_str_eq(finished_json(),
                     "[\n  {\"a\": 1, \"b\": [2, 3],\n    \"c\": [\n      [4, {}]\n    ], "
                     "\"d\": 5}\n]\n");
}

KL_TEST(json_formats_are_documents) {
    const char *none = NULL;
    kl_json_put(&json, "{schema ladder.x/1 a %s b %s rows [(i %d u %u)", "x \"y\"", none, -3, 4u);
    kl_json_put(&json, "<%ld %zu %llu %g %g> ] yes %hhd no %hhd inner {", INT64_MIN, SIZE_MAX, 7ULL,
                0.5, NAN, 1 == 1, false);
    kl_json_put(&json, "deep{}} %s %s}", "last", "");
    ck_assert_str_eq(finished_json(),
                     "{\n  \"schema\": \"ladder.x/1\",\n  \"a\": \"x \\\"y\\\"\",\n"
                     "  \"b\": null,\n  \"rows\": [\n    {\"i\": -3, \"u\": 4},\n"
                     "    [-9223372036854775808, 18446744073709551615, 7, 0.5, null]\n  ],\n"
                     "  \"yes\": true,\n  \"no\": false,\n  \"inner\": {\n    \"deep\": {}\n  },\n"
                     "  \"last\": \"\"\n}\n");
    const char *const broken[] = {"{a", "{a }", "{a 1", "{{}}", "[1]]", "}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        KL_PRINTED(out, kl_json_begin(&json, out); kl_json_put(&json, broken[i], none);
                   ck_assert_int_eq(kl_json_finish(&json, NULL), KL_ERROR_SYSTEM));
    }
}

KL_TEST(json_escapes_text) {
    kl_json_string(&json, NULL,
                   "q\" b\\ n\n t\t e\033 u\xC3\xA9 bad\xFF over\xC0\xAF sur\xED\xA0\x80");
    ck_assert_str_eq(finished_json(),
                     "\"q\\\" b\\\\ n\\n t\\t e\\u001b u\xC3\xA9 bad\\ufffd over\\ufffd\\ufffd "
                     "sur\\ufffd\\ufffd\\ufffd\"\n");
}

KL_TEST(json_has_no_nan) {
    kl_json_array(&json, NULL);
    kl_json_number(&json, NULL, NAN);
    kl_json_number(&json, NULL, -INFINITY);
    kl_json_number(&json, NULL, 0.5);
    kl_json_end(&json);
    ck_assert_str_eq(finished_json(), "[\n  null,\n  null,\n  0.5\n]\n");
}

KL_TEST(json_misuse_is_reported) {
    kl_error err;
    kl_json_object(&json, NULL);
    kl_json_int(&json, NULL, 1); // no key in an object
    kl_json_end(&json);
    ck_assert_int_ne(kl_json_finish(&json, &err), KL_OK);
    kl_json_begin(&json, out);
    kl_json_array(&json, NULL); // never closed
    ck_assert_int_ne(kl_json_finish(&json, &err), KL_OK);
}

KL_TEST(table_aligns_columns) {
    static kl_table table;
    const kl_style plain = {.width = 80};
    kl_table_column(&table, "n", KL_RIGHT);
    kl_table_column(&table, "name", KL_LEFT);
    int row = kl_table_row(&table);
    kl_table_cell(&table, row, 0, KL_PLAIN, "%d", 100);
    kl_table_cell(&table, row, 1, KL_GOOD, "a");
    row = kl_table_row(&table);
    kl_table_cell(&table, row, 0, KL_PLAIN, "1");
    kl_table_print(&table, &plain, out);
    ck_assert_str_eq(printed(), "  n  name\n---  ----\n100  a\n  1\n");
}

KL_TEST(table_wraps_the_last_column) {
    static kl_table table;
    const kl_style narrow = {.width = 16};
    kl_table_column(&table, "n", KL_RIGHT);
    kl_table_column(&table, "why", KL_LEFT);
    int row = kl_table_row(&table);
    kl_table_cell(&table, row, 0, KL_PLAIN, "1");
    kl_table_cell(&table, row, 1, KL_PLAIN, "%s", "na\xC3\xAFvely long text");
    kl_table_print(&table, &narrow, out);
    ck_assert_str_eq(printed(), "n  why\n-  -------------\n1  na\xC3\xAFvely long\n   text\n");
}

KL_TEST(colour_and_lines_only_when_asked_for) {
    static kl_table table;
    const kl_style full = {.width = 80, .utf8 = true, .colour = true};
    kl_table_column(&table, "x", KL_LEFT);
    kl_table_cell(&table, kl_table_row(&table), 0, KL_BAD, "no");
    kl_table_print(&table, &full, out);
    KL_HAS(printed(), "\033[1;31mno\033[0m", "\u2500\u2500");
    kl_style style = kl_style_for(stdout);
    ck_assert_int_ge(style.width, 40);
}

// Away from a terminal a line of source is whole, unless somebody said how wide it may be.
KL_TEST(only_a_known_width_cuts) {
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    unsetenv("COLUMNS");
    kl_style style = kl_style_for(file);
    ck_assert_int_eq(style.width, 80);
    ck_assert_int_gt(kl_line_columns(&style, 30), 100000);
    setenv("COLUMNS", "nonsense", 1);
    style = kl_style_for(file);
    ck_assert(style.uncut && style.width == 80);
    setenv("COLUMNS", "120", 1);
    style = kl_style_for(file);
    ck_assert_int_eq(style.width, 120);
    ck_assert_int_eq(kl_line_columns(&style, 30), 90);
    ck_assert_int_eq(kl_line_columns(&style, 130), 0);
    unsetenv("COLUMNS");
    fclose(file);
}

KL_TEST(long_text_wraps) {
    const kl_style narrow = {.width = 20};
    kl_print_wrapped(out, &narrow, 4, "one two three four five six");
    ck_assert_str_eq(printed(), "one two three\n    four five six\n");
    begin(); // commands are pasted
    kl_print_wrapped(out, &narrow, 2,
                     "see ./ladder run scan 3 --size 100: a sum; ./ladder next scan then");
    ck_assert_str_eq(printed(), "see\n  ./ladder run scan 3 --size 100:\n  a sum;\n"
                                "  ./ladder next scan\n  then\n");
}

KL_TEST(numbers_read_well) {
    char text[32];
    ck_assert_str_eq(kl_format_factor(65536, text, sizeof text), "65,536x");
    ck_assert_str_eq(kl_format_factor(130.7, text, sizeof text), "131x");
    ck_assert_str_eq(kl_format_factor(12.34, text, sizeof text), "12.3x");
    ck_assert_str_eq(kl_format_factor(1.836, text, sizeof text), "1.84x");
    ck_assert_str_eq(kl_format_factor(0.0082, text, sizeof text), "0.0082x");
    ck_assert_str_eq(kl_format_factor(NAN, text, sizeof text), "-");
    ck_assert_str_eq(kl_format_us(0.5, text, sizeof text), "0.50 us");
    ck_assert_str_eq(kl_format_us(42.04, text, sizeof text), "42.0 us");
    ck_assert_str_eq(kl_format_us(358.4, text, sizeof text), "358 us");
    ck_assert_str_eq(kl_format_us(12345.0, text, sizeof text), "12.35 ms");
    ck_assert_str_eq(kl_format_us(250e3, text, sizeof text), "250 ms");
    ck_assert_str_eq(kl_format_us(12.5e6, text, sizeof text), "12.50 s");
    ck_assert_str_eq(kl_format_us(NAN, text, sizeof text), "-");
    ck_assert_str_eq(kl_format_size(1 << 24, text, sizeof text), "2^24");
    ck_assert_str_eq(kl_format_size(1000003, text, sizeof text), "1000003");
    ck_assert_str_eq(kl_format_size(32, text, sizeof text), "32");
    ck_assert_str_eq(kl_format_rate(0, text, sizeof text), "0");
    ck_assert_str_eq(kl_format_rate(0.00004, text, sizeof text), "4.00e-05");
    ck_assert_str_eq(kl_format_rate(0.00341, text, sizeof text), "0.00341");
    ck_assert_str_eq(kl_format_rate(0.4, text, sizeof text), "0.400");
    ck_assert_str_eq(kl_format_rate(9.996, text, sizeof text), "10.0");
    ck_assert_str_eq(kl_format_rate(3145.2, text, sizeof text), "3145");
    ck_assert_str_eq(kl_format_rate(NAN, text, sizeof text), "-");
    ck_assert_str_eq(kl_format_count(0, text, sizeof text), "0");
    ck_assert_str_eq(kl_format_count(9999, text, sizeof text), "9999");
    ck_assert_str_eq(kl_format_count(16777216, text, sizeof text), "16.8 M");
    ck_assert_str_eq(kl_format_count(999999, text, sizeof text), "1.00 M");
}

KL_TEST(worth_of_a_run) {
    char text[1024];
    double percent = 0;
    bool of_lab = false;
    kl_worth worth = {.card = 90, .programs = 10};
    kl_worth_text(&worth, "NVIDIA H100 80GB HBM3 (simulated)", "reduction", text, sizeof text);
    ck_assert(kl_worth_time_error("NVIDIA H100 80GB HBM3", "reduction", &percent, &of_lab));
    ck_assert(of_lab && percent > 0 && percent < 50);
    char wanted[256];
    snprintf(
        wanted, sizeof wanted,
        "Results: no known difference from a card (compared with a card bit for bit: 90%%; by test "
        "programs: 10%%). Times: modelled, %.1f%% off on average for this lab.",
        percent);
    ck_assert_str_eq(text, wanted);
    worth.inexact = 0.5;
    worth.manual = 0.01;
    kl_worth_text(&worth, "simulated NVIDIA H200", NULL, text, sizeof text);
    KL_HAS(text,
           "0.5% of the instructions executed are known to differ from a card's, and no branch ");
    KL_HAS(text, "by the manual alone: 0.01%). Times: modelled, ");
    worth.misled = 1;
    kl_worth_text(&worth, "Tesla K40m", "reduction", text, sizeof text);
    KL_HAS(text, "branches or addresses may depend on them");
    KL_HAS(text, "Times: modelled, never compared with this card's");
    ck_assert_str_eq(kl_worth_text(&(kl_worth){0}, "NVIDIA H200", NULL, text, sizeof text), "");
}

KL_TEST(error_record_keeps_and_prefixes) {
    kl_error err = {KL_OK, ""};
    ck_assert_int_eq(kl_fail(&err, KL_ERROR_INPUT, "value %d", 7), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "value 7");
    ck_assert_int_eq(kl_fail_prefix(&err, "file %s", "a.txt"), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "file a.txt: value 7");
    ck_assert_int_eq(kl_fail(NULL, KL_ERROR_LIMIT, "unseen"), KL_ERROR_LIMIT);
    kl_error other = {17, "no device"}; // of a component with statuses of its own
    ck_assert_int_eq(kl_fail_from(&other, KL_ERROR_SYSTEM, "launch %d", 3), KL_ERROR_SYSTEM);
    ck_assert_int_eq(other.status, KL_ERROR_SYSTEM);
    ck_assert_str_eq(other.text, "launch 3: no device");
    memset(other.text, 'x', sizeof other.text - 1);
    ck_assert_int_eq(kl_fail_prefix(&other, "file"), KL_ERROR_SYSTEM);
    ck_assert_uint_eq(strlen(other.text), sizeof other.text - 1);
    ck_assert_int_eq(strncmp(other.text, "file: xxx", 9), 0);
}

KL_TEST_MAIN("text")
