// SPDX-License-Identifier: MIT
// Hidden parts of rubrics are not handed out; a rubric without any stays as it is.
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
        " {\"step\": 2, \"criteria\": [{\"kind\": \"predicted\", \"hidden\": \"after_due_date\"}]}]}\n";
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

KL_TEST_MAIN("handout", a_rubric_without_hidden_parts_stays_as_it_is, hidden_criteria_are_taken_out)
