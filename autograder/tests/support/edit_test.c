// Protects the wrong kernels written as edits: an edit must change what it says, or fail with words
// that help.
#include "edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define LICENCE "// SPDX-License-Identifier: MIT\n"
#define HEADING "// wrong-kernel: step=3 file=3_a.cu expect=WRONG_ANSWER\n"
// Four lines up to the changes.
#define BEFORE LICENCE "\n=== edit a\n" HEADING

static const char step[] = "one\n  two\nthree\n  two\nfour\n";
static kl_error err;

KL_TEST(changes_are_made_in_order) {
    char *text = NULL;
    const edit *second = NULL;
    edit_list edits;
    edit_heading heading;
    kl_status status = edits_parse("x.edits",
                                   BEFORE "=== old\none\n=== new\n1\n=== end\n\n// of b\n"
                                          "=== edit b_2\n" HEADING "// why\n"
                                          "=== old\nthree\n  two\n=== new\n  2\n"
                                          "=== old\n  two\n=== new\n=== end\n",
                                   &edits, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    ck_assert_int_eq(edits.count, 2);
    ck_assert_str_eq(edits.items[0].name, "a");
    ck_assert_int_eq(edits_find(&edits, "b_2", &second, &err), KL_OK);
    ck_assert_int_eq(edit_heading_of(second, &heading, &err), KL_OK);
    ck_assert_int_eq(heading.step, 3);
    ck_assert_int_eq(edit_apply(second, step, &text, &err), KL_OK);
    ck_assert_str_eq(text, LICENCE HEADING "// why\none\n  2\nfour\n");
    ck_assert_int_eq(edits_find(&edits, "b", &second, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "x.edits: there is no edit b");
    free(text);
    edits_free(&edits);
}

KL_TEST(a_heading_is_read) {
    edit_heading heading;
    ck_assert_int_eq(edit_read_heading(LICENCE HEADING, &heading, &err), KL_OK);
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

// What a file of edits lacks or has too much, and what is said of it.
static const struct {
    const char *text, *message;
} malformed[] = {
    {LICENCE "one\n=== edit a\n", "x.edits:2: this is in no edit"},
    {BEFORE "=== old\none\n=== new\n=== end\n\n=== old\n", "x.edits:10: this is in no edit"},
    {LICENCE "=== edit \n", "x.edits:2: an edit's name has letters, digits and _"},
    {LICENCE "=== edit a b\n", "x.edits:2: an edit's name has"},
    {LICENCE "=== edit ../a\n", "x.edits:2: an edit's name has"},
    {BEFORE "=== end\n=== edit b\n=== end\n=== edit a\n=== end\n",
     "x.edits:8: there is an edit of this name above: a"},
    {BEFORE "=== old\none\n=== new\n1\n=== edit b\n", "x.edits:9: \"=== end\" is missing for a"},
    {BEFORE "=== old\none\n=== new\n1\n", "x.edits:9: \"=== end\" is missing for a"},
    {BEFORE "=== odl\none\n=== new\n1\n=== end\n", "x.edits:5: there is no such mark"},
    {BEFORE "=== like b\n=== old\none\n=== new\n1\n=== end\n",
     "x.edits:5: a: no edit of this name is above"},
    {BEFORE "=== all\none\n=== end\n=== edit b\n=== like a\n=== end\n",
     "x.edits:9: b: \"=== old\" is missing"},
    {BEFORE "=== all\none\n=== end\n=== edit b\n=== like a\n=== old\ntwo\n=== new\n=== end\n",
     "x.edits:11: b: the old text \"two\" is not in the step"},
    {LICENCE "=== part p\n=== end\n", "x.edits:2: p: \"=== old\" is missing"},
    {BEFORE "=== with p\n=== append\n1\n=== end\n", "x.edits:5: a: no part of this name is above"},
    {LICENCE "=== part p\n=== with p\n=== append\n1\n=== end\n",
     "x.edits:3: p: no part of this name is above"},
    {LICENCE "=== part p\n=== append\n1\n=== end\n=== edit p\n",
     "x.edits:6: there is an edit of this name above: p"},
    {LICENCE "=== part p\n=== append\n1\n=== end\n=== edit a\n=== with p\n=== all\n1\n=== end\n",
     "x.edits:7: a: \"=== with\" is for changes of the step"},
};

KL_TEST(malformed_files_are_refused) {
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        edit_list edits;
        ck_assert_int_eq(edits_parse("x.edits", malformed[i].text, &edits, &err), KL_ERROR_INPUT);
        ck_assert_msg(strncmp(err.text, malformed[i].message, strlen(malformed[i].message)) == 0,
                      "%s: %s", malformed[i].text, err.text);
        edits_free(&edits);
    }
}

KL_TEST(a_whole_text_replaces_the_step) {
    char *text = NULL;
    edit_list edits;
    const char *file = BEFORE "// why\n=== all\n// new\none\n\n=== end\n";
    ck_assert_int_eq(edits_parse("x.edits", file, &edits, &err), KL_OK);
    ck_assert_int_eq(edit_apply(&edits.items[0], step, &text, &err), KL_OK);
    ck_assert_str_eq(text, LICENCE HEADING "// why\n// new\none\n\n");
    free(text);
    edits_free(&edits);
}

// A change of an earlier section's whole text is one, too; of its changes, it comes after them.
KL_TEST(a_whole_text_is_changed) {
    char *text = NULL;
    edit_list edits;
    ck_assert_int_eq(edits_parse("x.edits",
                                 BEFORE "=== old\none\n=== new\nnew\n=== end\n=== edit b\n// why\n"
                                        "=== like a\n=== old\nnew\n=== new\n2\n=== end\n",
                                 &edits, &err),
                     KL_OK);
    ck_assert_int_eq(edit_apply(&edits.items[1], "one\nfour\n", &text, &err), KL_OK);
    ck_assert_str_eq(text, LICENCE "// why\n2\nfour\n");
    free(text);
    edits_free(&edits);
    const char *file =
        BEFORE "=== all\none\nnew\n=== end\n=== edit b\n// why\n=== like a\n=== old\n"
               "new\n=== new\n2\n3\n=== end\n";
    ck_assert_int_eq(edits_parse("x.edits", file, &edits, &err), KL_OK);
    ck_assert_int_eq(edit_apply(&edits.items[1], step, &text, &err), KL_OK);
    ck_assert_str_eq(text, LICENCE "// why\none\n2\n3\n");
    free(text);
    edits_free(&edits);
}

// Changes that edits have in common come first, and are told by the part's name and line.
KL_TEST(a_part_is_changed_first) {
    char *text = NULL;
    edit_list edits;
    const char *file =
        LICENCE "\n=== part p\n=== old\none\n=== new\n1\n=== append\nfive\n=== end\n"
                "=== part q\n=== with p\n=== append\nsix\n=== end\n"
                "=== edit a\n" HEADING "=== with q\n=== old\nfive\n=== new\n5\n=== end\n";
    ck_assert_int_eq(edits_parse("x.edits", file, &edits, &err), KL_OK);
    ck_assert_int_eq(edits.count, 1);
    ck_assert_int_eq(edit_apply(&edits.items[0], step, &text, &err), KL_OK);
    ck_assert_str_eq(text, LICENCE HEADING "1\n  two\nthree\n  two\nfour\n5\nsix\n");
    free(text);
    ck_assert_int_eq(edit_apply(&edits.items[0], "two\n", &text, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "x.edits:5: p: the old text \"one\" is not in the step; it takes "
                               "whole lines; has the solution changed?");
    edits_free(&edits);
}

static const struct {
    const char *changes, *message;
} mistakes[] = {
    {"=== old\nfive\n=== new\n5\n=== end\n",
     "x.edits:6: a: the old text \"five\" is not in the step"},
    {"=== old\n  two\n=== new\n2\n=== end\n", "\"  two\" is in the step more than once"},
    {"=== old\none\n  two\nfour\n=== new\n=== end\n",
     "\"one\" and what follows is not in the step"},
    {"=== old\ntwo\n=== new\n=== end\n", "not in the step"}, // not at the start of a line
    {"=== old\none\n=== new\none\n=== end\n", "are the same"},
    {"=== old\n=== new\none\n=== end\n", "no old text"},
    {"=== old\none\n=== end\n", "x.edits:5: a: \"=== new\" is missing"},
    {"=== old\none\n=== new\n1\n=== old\nfour\n=== end\n", "x.edits:9: a: \"=== new\" is missing"},
    {"=== old\none\n=== new\n1\n=== new\n2\n=== end\n", "x.edits:9: a: \"=== old\" is missing"},
    {"=== all\none\n=== old\none\n=== new\n=== end\n", "x.edits:5: a: \"=== all\" and \"=== old\""},
    {"=== all\none\n=== all\ntwo\n=== end\n", "x.edits:7: a: this is behind \"=== all\""},
    {"one\n=== end\n", "x.edits:3: a: \"=== old\" is missing"},
};

KL_TEST(mistakes_are_named) {
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char *made = NULL, text[512];
        edit_list edits;
        snprintf(text, sizeof text, "%s%s", BEFORE, mistakes[i].changes);
        ck_assert_int_eq(edits_parse("x.edits", text, &edits, &err), KL_OK);
        ck_assert_int_eq(edit_apply(&edits.items[0], step, &made, &err), KL_ERROR_INPUT);
        ck_assert_ptr_null(made);
        ck_assert_msg(strstr(err.text, mistakes[i].message), "%s: %s", mistakes[i].changes,
                      err.text);
        edits_free(&edits);
    }
}

KL_TEST(a_heading_is_missing_somewhere) {
    edit_list edits;
    edit_heading heading;
    ck_assert_int_eq(edits_parse("x.edits", LICENCE "\n=== edit a\n=== end\n", &edits, &err),
                     KL_OK);
    ck_assert_int_eq(edit_heading_of(&edits.items[0], &heading, &err), KL_ERROR_INPUT);
    ck_assert_msg(strncmp(err.text, "x.edits:3: a: the second line", 29) == 0, "%s", err.text);
    edits_free(&edits);
    ck_assert_int_eq(edits_read("nowhere/x.edits", &edits, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "nowhere/x.edits: cannot be read");
}

KL_TEST_MAIN("edit")
