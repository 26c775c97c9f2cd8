// What is not handed out of descriptions and pages; what has nothing of that stays as it is.
#include "course/handout/handout.h"

#include "suite.h"

static kl_error err;

// A lab with one open and two hidden criteria, hidden cases, and a question with an answer.
#define LAB_BEGIN                                                                                  \
    "{\"schema\": \"ladder.lab/1\", \"lab\": \"00_x\",\n \"steps\": [\n"                           \
    "  {\"step\": 1, \"file\": \"1_a.cu\", \"reason\": \"r\", \"criteria\": [\n"
#define OPEN                                                                                       \
    "   {\"kind\": \"count\",  \"points\": 4, \"text\": \"open, [\", \"counter\": \"c\", "         \
    "\"family\": \"f\", \"size\": 1, \"full\": 4.20, \"zero\": 9, \"hidden\": false}"
#define SECRET                                                                                     \
    "   {\"kind\": \"count\", \"points\": 4, \"text\": \"secret ] }\", \"counter\": \"c\", "       \
    "\"family\": \"f\", \"size\": 1, \"full\": 4, \"zero\": 9, \"hidden\": true}"
#define LATER "   {\"kind\": \"predicted\", \"points\": 1, \"hidden\": \"after_due_date\"}"
#define CASES                                                                                      \
    "   {\"kind\": \"cases\", \"points\": 1, \"cases\": [{\"family\": \"f\", \"size\": 7}]}"
#define LAB_END "]}\n ]"
#define ANSWER  "\"selfcheck\": [\n  {\"question\": \"q\", \"answer\": \"a ] \\\" ]\"}\n ]"

static const struct copy {
    const char *text;
    bool hidden, answers;
    const char *shown; // NULL: as it is
    int removed;
} copies[] = {
    {LAB_BEGIN OPEN LAB_END "}\n", false, false, NULL, 0},
    {LAB_BEGIN SECRET ",\n" OPEN ",\n" LATER LAB_END ", " ANSWER "}\n", true, true, NULL, 0},
    {LAB_BEGIN SECRET ",\n" OPEN LAB_END "}\n", false, false, LAB_BEGIN OPEN LAB_END "}\n", 1},
    {LAB_BEGIN OPEN ",\n" SECRET ",\n" LATER LAB_END "}\n", false, false,
     LAB_BEGIN OPEN LAB_END "}\n", 2},
    {LAB_BEGIN LATER ",\n" SECRET ",\n" OPEN LAB_END "}\n", false, false,
     LAB_BEGIN OPEN LAB_END "}\n", 2},
    {LAB_BEGIN CASES ",\n" OPEN ",\n" CASES LAB_END "}\n", false, false,
     LAB_BEGIN OPEN LAB_END "}\n", 2},
    {LAB_BEGIN OPEN ",\n" CASES LAB_END "}\n", true, false, NULL, 0},
    {LAB_BEGIN OPEN ",\n" SECRET ",\n" OPEN LAB_END ",\n " ANSWER "\n}\n", false, true,
     LAB_BEGIN OPEN ",\n" OPEN LAB_END ",\n " ANSWER "\n}\n", 1},
    {LAB_BEGIN OPEN LAB_END ",\n " ANSWER "\n}\n", false, false, LAB_BEGIN OPEN LAB_END "\n}\n", 0},
    {LAB_BEGIN OPEN LAB_END ", " ANSWER ",\n \"note\": \"n\"}\n", false, false,
     LAB_BEGIN OPEN LAB_END ",\n \"note\": \"n\"}\n", 0},
};

KL_TEST(hidden_criteria_and_answers_are_cut_out) {
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        const struct copy *c = &copies[i];
        char *shown = NULL;
        int removed = 0;
        ck_assert_msg(ladder_handout_description("x", "00_x", c->text, c->hidden, c->answers,
                                                 &shown, &removed, &err) == KL_OK,
                      "%zu: %s", i, err.text);
        ck_assert_str_eq(shown, c->shown ? c->shown : c->text);
        ck_assert_int_eq(removed, c->removed);
        free(shown);
    }
}

KL_TEST(an_unsound_description_is_not_handed_out) {
    char *shown = NULL;
    int removed = 0;
    static const char text[] = LAB_BEGIN "{\"kind\": \"correct\", \"pionts\": 1}" LAB_END "}";
    ck_assert_int_eq(ladder_handout_description("labs/00_x/lab.json", "00_x", text, false, false,
                                                &shown, &removed, &err),
                     KL_ERROR_INPUT);
    ck_assert_str_eq(
        err.text, "labs/00_x/lab.json:4:21: step 1, criterion 1: unknown field \"pionts\": did you "
                  "mean \"points\"?; known are: kind, points, text");
}

// What becomes of a page; answers: the lab was released. The caller frees.
static char *shown_page(const char *text, bool answers) {
    char *shown = NULL;
    ck_assert_int_eq(ladder_handout_page("x.md", text, answers, &shown, &err), KL_OK);
    return kl_own(shown);
}

#define ck_page(text, answers, expected)                                                           \
    do {                                                                                           \
        char *shown = shown_page(text, answers);                                                   \
        ck_assert_str_eq(shown, expected);                                                         \
        free(shown);                                                                               \
    } while (0)

KL_TEST(parts_of_a_page_are_the_kits_or_the_handouts) {
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

KL_TEST(answers_come_later) {
    static const char text[] =
        "<!-- selfcheck -->\n\n1. Why?\n2. How?\n\n<details><summary>Answers</summary>\n\n1. So.\n"
        "2. Thus.\n\n</details>\n<!-- /selfcheck -->\n";
    ck_page(text, true, text);
    ck_page(
        text, false,
        "The answers come with the lab's solutions, after the deadline.\n\n<!-- selfcheck -->\n\n"
        "1. Why?\n2. How?\n\n<!-- /selfcheck -->\n");
    ck_page("<details><summary>Result</summary>r</details>\n", false,
            "<details><summary>Result</summary>r</details>\n");
}

KL_TEST(a_part_without_an_end_is_refused) {
    static const char *const texts[] = {"a\n<!-- whole kit -->\nb\n", "<!-- handout a",
                                        "<details><summary>Answers</summary>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *shown = NULL;
        ck_assert_int_eq(ladder_handout_page("x.md", texts[i], false, &shown, &err),
                         KL_ERROR_INPUT);
        KL_HAS(err.text, "x.md: no ");
    }
}

KL_TEST(links_name_labs_that_are_there) {
    static const struct {
        const char *text, *shown;
    } pages[] = {
        {"See [lab 02](../labs/02_reduction/README.md), [lab 00](../labs/00_first_kernel/a.md).\n",
         "See lab 02, [lab 00](../labs/00_first_kernel/a.md).\n"},
        {"| ![a](labs/02_reduction/a.svg) | [02](labs/02_reduction/README.md) |\n| b |\n",
         "| b |\n"},
        {"| [00](labs/00_first_kernel/README.md) | [02](../02_reduction) |",
         "| [00](labs/00_first_kernel/README.md) | 02 |"},
        {"![picture](../labs/02_reduction/whole.svg)\n", "\n"},
        {"[![a](b.svg) [x]](../02_reduction/README.md) [no link] [half](02_reduction\n",
         "![a](b.svg) [x] [no link] [half](02_reduction\n"},
        {"[a](labs/102_reduction/a) `labs/02_reduction`\n",
         "[a](labs/102_reduction/a) `labs/02_reduction`\n"},
    };
    bool labs[LADDER_LABS_MAX] = {true};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char *shown = NULL;
        ck_assert_int_eq(ladder_handout_links("x.md", pages[i].text, labs, &shown, &err), KL_OK);
        ck_assert_str_eq(shown, pages[i].shown);
        free(shown);
    }
}

KL_TEST_MAIN("handout")
