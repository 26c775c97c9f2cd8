// SPDX-License-Identifier: MIT
// What is not handed out of rubrics, pages and questions; what has nothing of that stays as it is.
#include "course/handout/handout.h"

#include <stdlib.h>
#include <string.h>

#include "ladder_config.h"
#include "suite.h"

static kl_error err;

START_TEST(a_rubric_without_hidden_parts_stays_as_it_is) {
    static const char text[] = "{\"steps\":  [{\"step\": 1, \"criteria\": [{\"full\": 4.20}]}]}\n";
    char *shown = NULL;
    int hidden = 0;
    ck_assert_int_eq(ladder_handout_rubric("x", text, &shown, &hidden, &err), KL_OK);
    ck_assert_str_eq(shown, text);
    ck_assert_int_eq(hidden, 0);
    free(shown);
}
END_TEST

START_TEST(hidden_criteria_are_taken_out) {
    static const char text[] =
        "{\"lab\": \"x\", \"steps\": [{\"step\": 1, \"criteria\": [\n"
        "  {\"kind\": \"correct\", \"points\": 4},\n"
        "  {\"kind\": \"count\", \"text\": \"the secret\", \"full\": 4.2, \"hidden\": true},\n"
        "  {\"kind\": \"count\", \"text\": \"the open one\", \"full\": 4.2, \"hidden\": false}]},\n"
        " {\"step\": 2, \"criteria\": [{\"kind\": \"predicted\", "
        "\"hidden\": \"after_due_date\"}]}]}\n";
    char *shown = NULL;
    int hidden = 0;
    kl_status status = ladder_handout_rubric("x", text, &shown, &hidden, &err);
    if (!LADDER_HAVE_JANSSON) {
        ck_assert_int_eq(status, KL_ERROR_SYSTEM);
        ck_assert_ptr_nonnull(strstr(err.text, "libjansson-dev"));
        return;
    }
    ck_assert_int_eq(status, KL_OK);
    ck_assert_int_eq(hidden, 2);
    ck_assert_ptr_null(strstr(shown, "secret"));
    ck_assert_ptr_null(strstr(shown, "predicted"));
    ck_assert_ptr_nonnull(strstr(shown, "the open one"));
    ck_assert_ptr_nonnull(strstr(shown, "\"full\": 4.2,"));
    const char *lab = strstr(shown, "\"lab\""), *steps = strstr(shown, "\"steps\"");
    ck_assert(lab && steps && lab < steps);
    free(shown);
}
END_TEST

// What becomes of a page; answers: the lab was released. The caller frees.
static char *shown_page(const char *text, bool answers) {
    char *shown = NULL;
    ck_assert_int_eq(ladder_handout_page("x.md", text, answers, &shown, &err), KL_OK);
    return shown;
}

#define ck_page(text, answers, expected)                                                           \
    do {                                                                                           \
        char *shown = shown_page(text, answers);                                                   \
        ck_assert_str_eq(shown, expected);                                                         \
        free(shown);                                                                               \
    } while (0)

START_TEST(parts_of_a_page_are_the_kits_or_the_handouts) {
    ck_page("a\n\nb\n", false, "a\n\nb\n");
    ck_page("a <!-- whole kit -->b <!-- /whole kit -->c\n", false, "a c\n");
    ck_page("a<!-- whole kit --> b<!-- /whole kit --><!-- handout  c --> d\n", false, "a c d\n");
    ck_page(
        "a\n\n<!-- whole kit -->\nb\n\nc\n<!-- /whole kit -->\n<!-- handout\nd\n\ne\n-->\n\nf\n",
        false, "a\n\nd\n\ne\n\nf\n");
    ck_page("a\n\n<!-- whole kit -->\nb\n<!-- /whole kit -->\n\nc\n", false, "a\n\nc\n");
    ck_page("1.5<!--= value a/b %.1f --> s\n<!-- numbers: L = a -->\n", false, "1.5 s\n");
    ck_page("| a |<!-- whole kit -->\n| b |<!-- /whole kit -->\n| c |\n", false, "| a |\n| c |\n");
    ck_page("<!-- ladder:labs all -->\n", false, "<!-- ladder:labs all -->\n");
}
END_TEST

START_TEST(answers_come_later) {
    static const char text[] =
        "<!-- selfcheck -->\n\n1. Why?\n   <details><summary>Answer</summary>\n\n   So.\n\n"
        "   </details>\n\n2. How?\n";
    ck_page(text, true, text);
    ck_page(
        text, false,
        "The answers come with the lab's solutions, after the deadline.\n\n<!-- selfcheck -->\n\n"
        "1. Why?\n\n2. How?\n");
    ck_page("<details><summary>Result</summary>r</details>\n", false,
            "<details><summary>Result</summary>r</details>\n");
}
END_TEST

START_TEST(a_part_without_an_end_is_refused) {
    static const char *const texts[] = {"a\n<!-- whole kit -->\nb\n", "<!-- handout a",
                                        "<details><summary>Answer</summary>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *shown = NULL;
        ck_assert_int_eq(ladder_handout_page("x.md", texts[i], false, &shown, &err),
                         KL_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(err.text, "x.md: no "));
    }
}
END_TEST

START_TEST(questions_with_answers_are_taken_out) {
    char *shown = NULL;
    static const char text[] =
        "{\n  \"steps\": [1],\n  \"selfcheck\": [\n    {\"answer\": \"a ] \\\" ]\", "
        "\"values\": [\"v\"]}\n  ]\n}\n";
    ck_assert_int_eq(ladder_handout_questions("q", text, &shown, &err), KL_OK);
    ck_assert_str_eq(shown, "{\n  \"steps\": [1]\n}\n");
    free(shown);
    ck_assert_int_eq(ladder_handout_questions("q", "{\"steps\": []}\n", &shown, &err), KL_OK);
    ck_assert_str_eq(shown, "{\"steps\": []}\n");
    free(shown);
    ck_assert_int_eq(ladder_handout_questions("q", "{\"a\": 1, \"selfcheck\": [1", &shown, &err),
                     KL_ERROR_INPUT);
}
END_TEST

KL_TEST_MAIN("handout", a_rubric_without_hidden_parts_stays_as_it_is, hidden_criteria_are_taken_out,
             parts_of_a_page_are_the_kits_or_the_handouts, answers_come_later,
             a_part_without_an_end_is_refused, questions_with_answers_are_taken_out)
