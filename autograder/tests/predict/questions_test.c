// Formulas, the labs' questions, and how they stand in the labs' pages.

#include "learn/predict/predict.h"
#include "suite.h"

static kl_error err;

// "a" is 6 in the step itself, 3 in the step before it, and n in step n.
static kl_status look_up(void *context, const char *name, int step, double *out, kl_error *e) {
    (void)context;
    if (strcmp(name, "a") != 0) return kl_fail(e, KL_ERROR_INPUT, "unknown '%s'", name);
    *out = step == LADDER_FORMULA_OWN ? 6 : step == LADDER_FORMULA_BEFORE ? 3 : step;
    return KL_OK;
}

static double value_of(const char *text) {
    double value = NAN;
    kl_status status = ladder_formula_value(text, look_up, NULL, &value, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return value;
}

KL_TEST(formulas_are_arithmetic) {
    ck_assert_double_eq_tol(value_of("1 + 2 * 3 - 4 / 8"), 6.5, 1e-12);
    ck_assert_double_eq_tol(value_of(" (1+2) * -(3 - 1) "), -6, 1e-12);
    ck_assert_double_eq_tol(value_of("8 - 2 - 1"), 5, 1e-12);
    ck_assert_double_eq_tol(value_of("min(2, 1 + 3) + max(a, 7)"), 9, 1e-12);
    ck_assert_double_eq_tol(value_of("a@before / a + a@12"), 12.5, 1e-12);
    ck_assert_double_eq_tol(value_of("2^20 / 2 ^ (2+3) + 2^3^2"), 32768 + 512, 1e-12);
    ck_assert(isinf(value_of("1 / (a - 6)")));
}

KL_TEST(broken_formulas_are_refused) {
    static const char *const broken[] = {"",    "1 +",  "(1",     "a b", "b",       "a@",
                                         "a@x", "1..2", "min(1)", "2 ^", "max 1, 2"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        double value = 0;
        ck_assert_msg(ladder_formula_value(broken[i], look_up, NULL, &value, &err) ==
                          KL_ERROR_INPUT,
                      "taken: %s", broken[i]);
    }
    char deep[256];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    ck_assert_int_eq(ladder_formula_value(deep, look_up, NULL, &(double){0}, &err), KL_ERROR_INPUT);
}

KL_TEST(every_lab_has_sound_questions) {
    for (int i = 0; i < ladder_lab_count; i++) {
        const ladder_lab *lab = &ladder_labs[i];
        ck_assert_msg(ladder_questions_check(lab->questions, lab->problem, ladder_counter_known,
                                             &err) == KL_OK,
                      "%s: %s", lab->folder, err.text);
    }
}

// The questions of lab 02, of which a test changes something.
static kl_status check_changed(const ladder_question *questions, int count, const char *family,
                               const char *answer) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    static const char *const formulas[] = {"launches", NULL};
    ladder_asked asked[LADDER_STEPS_MAX];
    for (int i = 0; i < lab->problem->step_count; i++)
        asked[i] =
            (ladder_asked){lab->problem->steps[i].number, family, 1024, "", questions, count};
    const ladder_selfcheck selfcheck = {"why?", answer, 1, "sum-exact", 1024, formulas, 1};
    const ladder_questions all = {asked, lab->problem->step_count, &selfcheck, 1};
    return ladder_questions_check(&all, lab->problem, ladder_counter_known, &err);
}

KL_TEST(unsound_questions_are_refused) {
    const ladder_question good[] = {{"launches", "kernel launches", "launches", "launches", 0},
                                    {"blocks", "blocks", "blocks", "block / launches@before", 0}};
    const ladder_question twice[] = {good[0], good[0]};
    const ladder_question unknown[] = {good[0], {"x", "x", "x", "l1tex__nothing.sum", 0}};
    const ladder_question step[] = {good[0], {"x", "x", "x", "block@77", 0}};
    const ladder_question name[] = {good[0], {"A b", "x", "x", "block", 0}};
    // Step 0 has no step before it.
    ck_assert_int_eq(check_changed(good, 2, "sum-exact", "{}"), KL_ERROR_INPUT);
    const ladder_question plain[] = {good[0], {"blocks", "blocks", "blocks", "block", 0}};
    ck_assert_msg(check_changed(plain, 2, "sum-exact", "{}") == KL_OK, "%s", err.text);
    ck_assert_int_eq(check_changed(plain, 1, "sum-exact", "{}"), KL_ERROR_INPUT);
    ck_assert_int_eq(check_changed(twice, 2, "sum-exact", "{}"), KL_ERROR_INPUT);
    ck_assert_int_eq(check_changed(unknown, 2, "sum-exact", "{}"), KL_ERROR_INPUT);
    KL_HAS(err.text, "l1tex__nothing.sum");
    ck_assert_int_eq(check_changed(step, 2, "sum-exact", "{}"), KL_ERROR_INPUT);
    ck_assert_int_eq(check_changed(name, 2, "sum-exact", "{}"), KL_ERROR_INPUT);
    ck_assert_int_eq(check_changed(plain, 2, "no-such", "{}"), KL_ERROR_INPUT);
    ck_assert_int_eq(check_changed(plain, 2, "sum-exact", "none"), KL_ERROR_INPUT);
    ck_assert_int_eq(check_changed(plain, 2, "sum-exact", "{} {.1}"), KL_ERROR_INPUT);
}

KL_TEST(numbers_in_pages_are_short) {
    char text[64];
    ck_assert_str_eq(ladder_page_number(32897, -1, text, sizeof text), "32,897");
    ck_assert_str_eq(ladder_page_number(4, -1, text, sizeof text), "4");
    ck_assert_str_eq(ladder_page_number(0.048213, -1, text, sizeof text), "0.04821");
    ck_assert_str_eq(ladder_page_number(12345.6, -1, text, sizeof text), "12,346");
    ck_assert_str_eq(ladder_page_number(2.0 / 3, 2, text, sizeof text), "0.67");
}

KL_TEST(pages_keep_what_is_not_theirs) {
    static const ladder_question ask[] = {{"launches", "kernel launches", "", "", 0},
                                          {"blocks", "blocks", "", "", 0}};
    static const ladder_asked asked = {3, "sum-exact", 1024, "", ask, 2};
    static const ladder_selfcheck selfcheck = {"Why?", "Because.\nSo.", -1, "", 0, NULL, 0};
    static const ladder_questions questions = {&asked, 1, &selfcheck, 1};
    ladder_lab lab = *ladder_lab_find("reduction");
    ladder_kit kit = {.source = ""};
    char *page = NULL, *again = NULL;
    lab.questions = &questions;
    kl_status status = ladder_page_renew(&kit, &lab,
                                         "A\n> **Predict first**: `./ladder predict reduction 3`\n"
                                         "<!-- selfcheck -->old<!-- /selfcheck -->\nC\n",
                                         &page, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    ck_assert_str_eq(page, "A\n> **Predict first**: `./ladder predict reduction 3`\n"
                           "<!-- selfcheck -->\n"
                           "\n1. Why?\n\n<details><summary>Answers</summary>\n\n"
                           "1. Because.\n   So.\n\n</details>\n"
                           "<!-- /selfcheck -->\nC\n");
    ck_assert_int_eq(ladder_page_renew(&kit, &lab, page, &again, &err), KL_OK);
    ck_assert_str_eq(page, again);
    free(page);
    free(again);
}

KL_TEST(pages_without_their_places_are_refused) {
#define ASKED "\n> **Predict first**: `./ladder predict reduction 3`\n"
    static const char *const pages[] = {
        "<!-- selfcheck --><!-- /selfcheck -->", // no line of step 3
        ASKED,                                   // no self-check
        ASKED "<!-- selfcheck -->",              // not closed
        ASKED "> **Predict first**: `./ladder predict reduction 4`\n"
              "<!-- selfcheck --><!-- /selfcheck -->", // nothing asked there
    };
    static const ladder_question ask[] = {{"a", "a", "", "", 0}, {"b", "b", "", "", 0}};
    static const ladder_asked asked[] = {{3, "sum-exact", 1024, "", ask, 2}, {.step = 4}};
    static const ladder_selfcheck selfcheck = {"Why?", "So.", -1, "", 0, NULL, 0};
    static const ladder_questions questions = {asked, 2, &selfcheck, 1};
    ladder_lab lab = *ladder_lab_find("reduction");
    ladder_kit kit = {.source = ""};
    lab.questions = &questions;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char *page = NULL;
        ck_assert_msg(ladder_page_renew(&kit, &lab, pages[i], &page, &err) == KL_ERROR_INPUT,
                      "taken: %s", pages[i]);
        free(page);
    }
}

KL_TEST_MAIN("questions")
