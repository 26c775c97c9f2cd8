// SPDX-License-Identifier: MIT
// Shared pages: pseudonyms are stable and keyed, and nothing by which a student is known stays in
// what a page shows.
#include "course/pages/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "utilities/files.h"
#include "suite.h"

static kl_error err;

START_TEST(pseudonyms_follow_from_student_and_key) {
    ladder_row_key one = {{1}}, other = {{2}};
    char a[LADDER_PSEUDONYM], b[LADDER_PSEUDONYM];
    ladder_pseudonym_of(&one, "", "Ann Lee", a);
    ck_assert_int_eq(strncmp(a, "student-", 8), 0);
    ck_assert_uint_eq(strlen(a), 16);
    ladder_pseudonym_of(&one, "", "Ann Lee", b);
    ck_assert_str_eq(a, b);
    ladder_pseudonym_of(&other, "", "Ann Lee", b);
    ck_assert_str_ne(a, b);
    ladder_pseudonym_of(&one, "", "Ann Lea", b);
    ck_assert_str_ne(a, b);
    ladder_pseudonym_of(&one, "4711", "Ann Lee", a); // the number on the course system goes first
    ladder_pseudonym_of(&one, "4711", "Ann Lee, again", b);
    ck_assert_str_eq(a, b);
}
END_TEST

START_TEST(a_key_is_made_once_and_is_ones_own) {
    char folder[LADDER_PATH], path[LADDER_PATH];
    ladder_row_key first, second;
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(path, &err, "%s/key", folder), KL_OK);
    ck_assert_int_eq(ladder_pseudonym_key(path, &first, &err), KL_OK);
    ck_assert_int_eq(ladder_pseudonym_key(path, &second, &err), KL_OK);
    ck_assert_mem_eq(&first, &second, sizeof first);
    ck_assert_int_eq(chmod(path, 0644), 0);
    ck_assert_int_eq(ladder_pseudonym_key(path, &second, &err), KL_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "chmod 600"));
    ck_assert_int_eq(ladder_file_write(path, "short", 5, &err), KL_OK);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(ladder_pseudonym_key(path, &second, &err), KL_ERROR_INPUT);
    ladder_folder_remove(folder);
}
END_TEST

static ladder_known_names names;

static void know(void) {
    static const char *const known[] = {"Ann Lee", "ann_lee-a36e143c", "ann.lee@school.edu",
                                        "4711023", "M\xc3\xbcller"};
    names = (ladder_known_names){NULL, 0, 0};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_int_eq(ladder_known_names_add(&names, known[i], &err), KL_OK);
}

START_TEST(names_addresses_and_paths_are_hidden) {
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"by Ann Lee", "by *"},
        {"ANN and lee", "* and *"},
        {"annSum = ann_sum + sum_Lee;", "*Sum = *_sum + sum_*;"},
        {"int channel = annex + sleep;",
         "int channel = annex + sleep;"}, // short names: whole words
        {"xM\xc3\x9cLLERx", "x*x"},
        {"id 4711023!", "id *!"},
        {"mail bob.k@uni.edu now", "mail * now"},
        {"@p bra L1; a @ b", "@p bra L1; a @ b"},
        {"in /home/ann/x.cu:12", "in *:12"},
        {"in ~/work, C:\\Users\\ann\\x", "in *, *"},
        {"a / b / c, a/b/c, n/2", "a / b / c, a/b/c, n/2"},
        {"// and /* not */ paths", "// and /* not */ paths"},
    };
    know();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s", rows[i].text);
        ladder_hide_names(&names, text);
        ck_assert_str_eq(text, rows[i].shown);
    }
    ladder_known_names_free(&names);
}
END_TEST

START_TEST(comments_and_strings_are_hidden_line_by_line) {
    char text[] = "a(); // nickname\n/* two\nlines */ b(\"words \\\" more\", '\\'');\nc / d;\n";
    ladder_hide_comments(text);
    ck_assert_str_eq(text,
                     "a();            \n      \n         b(\".............\", '..');\nc / d;\n");
    char open[] = "x /* no end";
    ladder_hide_comments(open);
    ck_assert_str_eq(open, "x          ");
}
END_TEST

START_TEST(a_result_names_nobody_any_more) {
    ladder_result *r = calloc(1, sizeof *r);
    ladder_kept_files files = {.lab_page = NULL};
    know();
    snprintf(r->id, sizeof r->id, "ann_lee-a36e143c");
    snprintf(r->title, sizeof r->title, "Ann Lee");
    snprintf(r->user, sizeof r->user, "4711023");
    snprintf(r->hash, sizeof r->hash, "0123");
    ladder_result_note(r, "not used: lee.txt");
    r->step_count = 1;
    ladder_step_result *s = &r->steps[0];
    snprintf(s->message, sizeof s->message, "identifier \"annSum\" is undefined");
    snprintf(s->log, sizeof s->log, "hello from ann");
    snprintf(s->failures[0].text, sizeof s->failures[0].text, "31 | x = 1; // my friend\nthread 0");
    files.sources[0] = strdup("float lee; // my friend\n");
    ladder_hide_student(&names, "student-abc", r, &files);
    ck_assert_str_eq(r->title, "student-abc");
    ck_assert_str_eq(r->id, "student-abc");
    ck_assert_str_eq(r->user, "");
    ck_assert_str_eq(r->hash, "");
    ck_assert_int_eq(r->note_count, 0);
    ck_assert_str_eq(s->message, "identifier \"*Sum\" is undefined");
    ck_assert_str_eq(s->log, "");
    ck_assert_ptr_null(strstr(s->failures[0].text, "friend"));
    ck_assert_ptr_nonnull(strstr(s->failures[0].text, "\nthread 0"));
    ck_assert_str_eq(files.sources[0], "float *;             \n");
    ladder_kept_files_free(&files);
    ladder_known_names_free(&names);
    free(r);
}
END_TEST

KL_TEST_MAIN("pseudonym", pseudonyms_follow_from_student_and_key,
             a_key_is_made_once_and_is_ones_own, names_addresses_and_paths_are_hidden,
             comments_and_strings_are_hidden_line_by_line, a_result_names_nobody_any_more)
