// Protects the wrong kernels written as edits: an edit must change what it says, or fail with words
// that help.
#include "edit.h"

#include "suite.h"

#define WORDS " WRONG_ANSWER check=race\n"
// Three lines up to the changes, and what a text that is made begins with.
#define BEFORE  "\n=== edit 3_a" WORDS "// so\n"
#define HEADING "// 3_a" WORDS "// so\n"

static const char step[] = "one\n  two\nthree\n  two\nfour\n";
static kl_error err;

// What an edit makes of the step, its heading included. Texts of a whole file.
static const struct {
    const char *file, *name, *made;
} changed[] = {
    // In order, each change with what the earlier ones left.
    {BEFORE "-one\n+1\n\n=== edit b_2" WORDS "// why\n-three\n-  two\n+  2\n@@\n-  two\n", "b_2",
     "// b_2" WORDS "// why\none\n  2\nfour\n"},
    {BEFORE "-one\n+1\n\n\n", "3_a", HEADING "1\n  two\nthree\n  two\nfour\n"},
    // A line that stays says which of two goes; an empty one may.
    {BEFORE " three\n-  two\n+2\n+\n", "3_a", HEADING "one\n  two\nthree\n2\n\nfour\n"},
    {BEFORE "-one\n+\n@@\n\n-  two\n+2\n", "3_a", HEADING "\n2\nthree\n  two\nfour\n"},
    {BEFORE "// why\n=== all\n// new\none\n\n=== edit b\n-one\n", "3_a",
     HEADING "// why\n// new\none\n"},
    // What an earlier section makes comes first, be it a change, a whole step or a part.
    {BEFORE "-one\n+new\n=== edit b\n// why\n=== with 3_a\n-new\n+2\n", "b",
     "// why\n2\n  two\nthree\n  two\nfour\n"},
    {BEFORE "-one\n+new\n=== edit b\n// why\n=== with 3_a\n\n", "b",
     "// why\nnew\n  two\nthree\n  two\nfour\n"},
    {BEFORE "=== all\none\nnew\n=== edit b\n// why\n=== with 3_a\n-new\n+2\n+3\n", "b",
     "// why\none\n2\n3\n"},
    {"=== part p\n-one\n+1\n=== append\nfive\n\n=== part q\n// six\n=== with p\n=== append\nsix\n"
     "=== edit 3_a" WORDS "// so\n=== with q\n-five\n+5\n",
     "3_a", HEADING "1\n  two\nthree\n  two\nfour\n\n5\n\nsix\n"},
};

KL_TEST_ROWS(changes_are_made, sizeof changed / sizeof changed[0]) {
    char *text = NULL;
    const edit *edit = NULL;
    edit_list edits;
    kl_status status = edits_parse("x.edits", changed[_i].file, &edits, &err);
    OK_OR_SAY(status, err);
    OK(edits_find(&edits, changed[_i].name, &edit, &err));
    OK_OR_SAY(edit_apply(edit, step, &text, &err), err);
    ck_assert_str_eq(text, changed[_i].made);
    ck_assert_int_eq(edits_find(&edits, "none", &edit, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "x.edits: there is no edit none");
    free(text);
    edits_free(&edits);
}

KL_TEST(a_function_takes_the_place_of_the_steps) {
    static const char function[] = "int x;\nextern \"C\" int f(int a,\n             int b) {\n"
                                   "    return a;\n}\n";
    char *text = NULL;
    edit_list edits;
    const char *file = BEFORE "-int x;\n=== append\nint y;\n=== body\n    return honest(a, b);\n";
    OK(edits_parse("x.edits", file, &edits, &err));
    OK(edit_apply(&edits.items[0], function, &text, &err));
    ck_assert_str_eq(text, HEADING "static int honest(int a,\n             int b) {\n"
                                   "    return a;\n}\n\nint y;\n\n"
                                   "extern \"C\" int f(int a,\n             int b) {\n"
                                   "    return honest(a, b);\n}\n");
    free(text);
    ck_assert_int_eq(edit_apply(&edits.items[0], "int x;\n", &text, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "x.edits:7: 3_a: the step has no function");
    edits_free(&edits);
    file = BEFORE "=== only\n#include <b.h>\n    return 7;\n";
    OK(edits_parse("x.edits", file, &edits, &err));
    OK(edit_apply(&edits.items[0], "#include \"a.h\"\nint x;\nextern \"C\" int f(int a) {\n}\n",
                  &text, &err));
    ck_assert_str_eq(text, HEADING "#include \"a.h\"\n#include <b.h>\n\n"
                                   "extern \"C\" int f(int a) {\n    return 7;\n}\n");
    free(text);
    ck_assert_int_eq(edit_apply(&edits.items[0], "int x;\n", &text, &err), KL_ERROR_INPUT);
    edits_free(&edits);
}

KL_TEST(a_heading_is_read) {
    edit_heading heading;
    OK(edit_read_heading(HEADING, &heading, &err));
    ck_assert_int_eq(heading.step, 3);
    ck_assert_str_eq(heading.expect, "WRONG_ANSWER");
    ck_assert_int_eq(heading.misses, 0);
    const char *lazy = "// 4_b CORRECT misses=2\n// why\n";
    OK(edit_read_heading(lazy, &heading, &err));
    ck_assert_int_eq(heading.misses, 2);
    ck_assert_int_eq(edit_read_heading("// a\n// b\n", &heading, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(edit_read_heading("", &heading, &err), KL_ERROR_INPUT);
}

// What a file of edits lacks or has too much, and what is said of it.
static const struct {
    const char *text, *message;
} malformed[] = {
    {"one\n=== edit a\n", "x.edits:1: this is in no edit"},
    {"=== edit \n", "x.edits:1: an edit's name has letters, digits and _"},
    {"=== edit a.b c\n", "x.edits:1: an edit's name has"},
    {"=== edit ../a\n", "x.edits:1: an edit's name has"},
    {BEFORE "-one\n=== edit b\n-one\n=== edit 3_a\n-one\n",
     "x.edits:7: there is an edit of this name above: 3_a"},
    {BEFORE, "x.edits:4: 3_a: nothing is changed"},
    {BEFORE "\n\n=== edit b\n", "x.edits:4: 3_a: nothing is changed"},
    {BEFORE "=== odl\none\n", "x.edits:4: there is no such mark here"},
    {BEFORE "-one\n=== all\ntwo\n", "x.edits:5: there is no such mark here"},
    {BEFORE "=== with b\n-one\n", "x.edits:4: 3_a: no edit or part of this name is above"},
    {BEFORE "=== with 3_a\n-one\n", "x.edits:4: 3_a: no edit or part of this name is above"},
    {"=== part p\n// why\n", "x.edits:3: p: nothing is changed"},
    {"=== part p\n-one\n=== edit p\n-one\n", "x.edits:3: there is an edit of this name above"},
};

KL_TEST_ROWS(malformed_files_are_refused, sizeof malformed / sizeof malformed[0]) {
    edit_list edits;
    ck_assert_int_eq(edits_parse("x.edits", malformed[_i].text, &edits, &err), KL_ERROR_INPUT);
    ck_assert_msg(strncmp(err.text, malformed[_i].message, strlen(malformed[_i].message)) == 0,
                  "%s: %s", malformed[_i].text, err.text);
    edits_free(&edits);
}

// Of changes: what is wrong with them.
static const struct {
    const char *changes, *message;
} mistakes[] = {
    {"-five\n+5\n",
     "x.edits:4: 3_a: the old text \"five\" is not in the step; it takes whole lines"},
    {"-  two\n+2\n", "\"  two\" is in the step more than once"},
    {"-one\n-  two\n-four\n", "\"one\" and what follows is not in the step"},
    {"-two\n", "not in the step"}, // not at the start of a line
    {"-one\n+one\n", "are the same"},
    {" one\n", "are the same"},
    {"+one\n", "no old text"},
    {"-one\n@@\n@@\n-four\n", "x.edits:6: 3_a: no old text"},
    {"-one\n+1\n@@\n-five\n", "x.edits:7: 3_a: the old text \"five\" is not in the step"},
    {"-one\n1\n", "x.edits:5: 3_a: a line of a change begins with -, + or a blank"},
};

KL_TEST_ROWS(mistakes_are_named, sizeof mistakes / sizeof mistakes[0]) {
    char *made = NULL, text[512];
    edit_list edits;
    snprintf(text, sizeof text, "%s%s", BEFORE, mistakes[_i].changes);
    OK(edits_parse("x.edits", text, &edits, &err));
    ck_assert_int_eq(edit_apply(&edits.items[0], step, &made, &err), KL_ERROR_INPUT);
    ck_assert_ptr_null(made);
    ck_assert_msg(strstr(err.text, mistakes[_i].message), "%s: %s", mistakes[_i].changes, err.text);
    edits_free(&edits);
}

KL_TEST(a_heading_is_missing_somewhere) {
    edit_list edits;
    edit_heading heading;
    OK(edits_parse("x.edits", "\n=== edit a\n-one\n", &edits, &err));
    ck_assert_int_eq(edit_heading_of(&edits.items[0], &heading, &err), KL_ERROR_INPUT);
    ck_assert_msg(strncmp(err.text, "x.edits:2: a: the name must be", 30) == 0, "%s", err.text);
    edits_free(&edits);
    ck_assert_int_eq(edits_read("nowhere/x.edits", &edits, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "nowhere/x.edits: cannot be read");
}

KL_TEST_MAIN("edit")
