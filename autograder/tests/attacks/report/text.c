// Names and messages that mean something to the program that shows them.
#include "attacks.h"
#include "utilities/text.h"

// The class's table of one submission of this name; caller frees.
static char *csv_of(const char *name) {
    ladder_row row = {.done = true, .step_count = 1};
    char *text = NULL;
    size_t bytes = 0;
    ladder_plain(name, false, row.title, sizeof row.title);
    ladder_submission_id(name, row.id);
    FILE *out = open_memstream(&text, &bytes);
    ATTACK_MUST(out, "no memory");
    ladder_class_csv(&row, 1, out);
    fclose(out);
    return text;
}

// Whether the first cell of the second line begins like a formula.
static bool is_formula(const char *name) {
    char *text = csv_of(name);
    char *cell = strchr(text, '\n');
    ATTACK_MUST(cell, "%s", text);
    cell += cell[1] == '"' ? 2 : 1;
    bool formula = strchr("=+-@\t", *cell);
    free(text);
    return formula;
}

// attack: The name of a submission is a formula, which a spreadsheet would run.
// stopped by: CSV_ESCAPE
// expect: the cell begins with an apostrophe
// gains: a cell of the class's table is a formula
ATTACK(csv_equals) {
    (void)setup;
    return is_formula("=HYPERLINK(\"http://x\",A1)");
}

// attack: The same with a plus and a call of a program.
// stopped by: CSV_ESCAPE
// expect: the cell begins with an apostrophe
// gains: a cell of the class's table is a formula
ATTACK(csv_plus) {
    (void)setup;
    return is_formula("+cmd|' /C calc'!A0");
}

// attack: The same with an at sign.
// stopped by: CSV_ESCAPE
// expect: the cell begins with an apostrophe
// gains: a cell of the class's table is a formula
ATTACK(csv_at) {
    (void)setup;
    return is_formula("@SUM(1,1)");
}

// attack: A name closes its cell and goes on with a status and a score.
// stopped by: CSV_ESCAPE
// expect: quotes are doubled
// gains: cells of its own making in the class's table
ATTACK(csv_closes_cell) {
    (void)setup;
    char *text = csv_of("ann,ann,\"scored\",100,86");
    bool gained = strstr(text, "\nann,ann,\"scored\",100");
    free(text);
    return gained;
}

// attack: A name ends its row and begins another one.
// stopped by: CSV_ESCAPE, PLAIN_TEXT
// expect: the line end is replaced
// gains: a row of its own making in the class's table
ATTACK(csv_new_row) {
    (void)setup;
    char *text = csv_of("ann\nbob,bob,scored,0");
    bool gained = strstr(text, "\nbob,bob,scored,0");
    free(text);
    return gained;
}

typedef enum format { HTML, TEXT } format;

// The report of a result whose step has printed `log`; caller frees.
static char *report_of(format kind, const char *title, const char *log) {
    static ladder_result result; // large
    const ladder_lab *lab = ladder_lab_find("02_reduction");
    char *text = NULL;
    size_t bytes = 0;
    memset(&result, 0, sizeof result);
    ladder_plain(title, false, result.title, sizeof result.title);
    result.step_count = 1;
    result.steps[0].outcome = LADDER_WRONG_ANSWER;
    ladder_plain(log, true, result.steps[0].message, sizeof result.steps[0].message);
    ladder_result_log(&result.steps[0], log, strlen(log));
    ladder_report report = {
        .lab = lab, .result = &result, .device = "d", .sandbox = "s", .sandbox_text = ""};
    FILE *out = open_memstream(&text, &bytes);
    ATTACK_MUST(out, "no memory");
    const kl_style style = {.width = 80};
    if (kind == HTML) ladder_report_html(&report, out);
    else ladder_report_text(&report, &style, out);
    fclose(out);
    return text;
}

static bool report_holds(format kind, const char *title, const char *log, const char *wanted) {
    char *text = report_of(kind, title, log);
    bool holds = strstr(text, wanted);
    free(text);
    return holds;
}

// attack: A step prints a script, which the page of its report would run.
// stopped by: HTML_ESCAPE
// expect: it is shown as text
// gains: a script runs in the instructor's browser
ATTACK(html_script) {
    (void)setup;
    return report_holds(HTML, "ann", "<script>fetch('//x')</script>", "<script>");
}

// attack: A step prints a picture whose error handler is a script.
// stopped by: HTML_ESCAPE
// expect: it is shown as text
// gains: a script runs in the instructor's browser
ATTACK(html_handler) {
    (void)setup;
    return report_holds(HTML, "ann", "<img src=x onerror=alert(1)>", "<img");
}

// attack: A name closes the page's heading and shows a score.
// stopped by: HTML_ESCAPE
// expect: it is shown as text
// gains: a score of its own making on the page
ATTACK(html_name) {
    (void)setup;
    return report_holds(HTML, "</h1><p class=\"score\">100</p>", "x",
                        "</h1><p class=\"score\">100<");
}

// attack: A step ends the list in which its output stands.
// stopped by: HTML_ESCAPE
// expect: it is shown as text
// gains: a section of its own making on the page
ATTACK(html_closes_section) {
    (void)setup;
    return report_holds(HTML, "ann", "</pre></section><section class=\"good\">",
                        "</pre></section><section class=\"good\">");
}

// attack: A step prints escape sequences that clear the terminal and write a score.
// stopped by: PLAIN_TEXT
// expect: the escape character is replaced
// gains: the instructor's terminal shows what the step wants
ATTACK(terminal_escape) {
    (void)setup;
    return report_holds(TEXT, "ann", "\033[2J\033[Hscore 100.0 %", "\033");
}

// attack: A name overwrites its line by a carriage return.
// stopped by: PLAIN_TEXT
// expect: the character is replaced
// gains: a line of the table shows what the name wants
ATTACK(terminal_carriage_return) {
    (void)setup;
    return report_holds(TEXT, "ann\rbob    100.0", "x", "\r");
}

// attack: A name turns the direction of writing, so that it reads as another one.
// stopped by: PLAIN_TEXT
// expect: the character is replaced
// gains: the name reads as another one
ATTACK(name_right_to_left) {
    (void)setup;
    return report_holds(TEXT, "\xe2\x80\xaenna", "x", "\xe2\x80\xae");
}

// attack: A step prints bytes that are no UTF-8, which a reader of the report would stumble over.
// stopped by: PLAIN_TEXT
// expect: each is replaced
// gains: a report that is no UTF-8
ATTACK(broken_utf8) {
    (void)setup;
    return report_holds(TEXT, "ann", "x\xc3(\xa0\xa1", "\xc3(");
}
