// SPDX-License-Identifier: MIT
// Protects the wrong kernels written as edits: an edit must change what it says, or fail with words
// that help.
#include "edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define HEADING                                                                                    \
    "// SPDX-License-Identifier: MIT\n// wrong-kernel: step=3 file=3_a.cu expect=WRONG_ANSWER\n"

static const char step[] = "one\n  two\nthree\n  two\nfour\n";
static kl_error err;

START_TEST(changes_are_made_in_turn) {
    char *text = NULL;
    kl_status status = edit_apply(HEADING "// why\n"
                                          "=== old\nthree\n  two\n=== new\n  2\n"
                                          "=== old\n  two\n=== new\n=== end\n",
                                  step, &text, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    ck_assert_str_eq(text, HEADING "// why\none\n  2\nfour\n");
    free(text);
}
END_TEST

START_TEST(a_heading_is_read) {
    edit_heading heading;
    ck_assert_int_eq(edit_read_heading(HEADING, &heading, &err), KL_OK);
    ck_assert_int_eq(heading.step, 3);
    ck_assert_str_eq(heading.file, "3_a.cu");
    ck_assert_str_eq(heading.expect, "WRONG_ANSWER");
    ck_assert_int_eq(heading.misses, 0);
    const char *lazy = "// a\n// lazy-kernel: step=4 file=b.cu expect=CORRECT misses=2\n// why\n";
    ck_assert_int_eq(edit_read_heading(lazy, &heading, &err), KL_OK);
    ck_assert_int_eq(heading.misses, 2);
    ck_assert_int_eq(edit_read_heading("// a\n// b\n", &heading, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(edit_read_heading("", &heading, &err), KL_ERROR_INPUT);
}
END_TEST

static const struct {
    const char *changes, *message;
} mistakes[] = {
    {"=== old\nfive\n=== new\n5\n=== end\n", "\"five\" is not in the step"},
    {"=== old\n  two\n=== new\n2\n=== end\n", "\"  two\" is in the step more than once"},
    {"=== old\none\n  two\nfour\n=== new\n=== end\n",
     "\"one\" and what follows is not in the step"},
    {"=== old\ntwo\n=== new\n=== end\n", "not in the step"}, // not at the start of a line
    {"=== old\none\n=== new\none\n=== end\n", "are the same"},
    {"=== old\n=== new\none\n=== end\n", "no old text"},
    {"=== old\none\n=== end\n", "\"=== new\" is missing"},
    {"=== old\none\n=== new\n1\n", "\"=== end\" is missing"},
    {"=== old\none\n=== new\n1\n=== old\nfour\n=== end\n", "change 2: \"=== new\" is missing"},
    {"one\n", "\"=== old\" is missing"},
};

START_TEST(mistakes_are_named) {
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char *text = NULL, edit[512];
        snprintf(edit, sizeof edit, "%s%s", HEADING, mistakes[i].changes);
        ck_assert_int_eq(edit_apply(edit, step, &text, &err), KL_ERROR_INPUT);
        ck_assert_ptr_null(text);
        ck_assert_msg(strstr(err.text, mistakes[i].message) != NULL, "%s: %s", mistakes[i].changes,
                      err.text);
    }
}
END_TEST

KL_TEST_MAIN("edit", changes_are_made_in_turn, a_heading_is_read, mistakes_are_named)
