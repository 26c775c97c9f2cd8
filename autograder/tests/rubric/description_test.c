// Descriptions of labs, and the files of their steps.
#include <time.h>

#include "grade/description/description.h"
#include "random.h"
#include "suite.h"
#include "grade/rubric/lab_files.h"

// ---- description ----
// The reader of labs' descriptions: every kind of mistake is refused with its line and column and
// with what is meant; a sound one becomes the C text, the lists and the copies that it should.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static kl_error err;
static char *sound; // the text of sound.json
static size_t sound_bytes;

static void set_up(void) {
    OK(ladder_description_file(TEST_SOURCE_DIR "/autograder/tests/rubric/sound.json", &sound,
                               &sound_bytes, &err));
}

static void tear_down(void) { free(sound); }

// The sound text with the first `from` replaced; to be freed.
static char *replaced(const char *from, const char *to) {
    const char *at = strstr(sound, from);
    ck_assert_msg(at, "sound.json has no %s", from);
    char *text = malloc(sound_bytes + strlen(to) + 1);
    ck_assert_ptr_nonnull(text);
    sprintf(text, "%.*s%s%s", (int)(at - sound), sound, to, at + strlen(from));
    return kl_own(text);
}

static kl_status read_text(const char *text, size_t bytes) {
    ladder_description d;
    err.text[0] = '\0';
    kl_status status = ladder_description_read("x.json", text, bytes, "99_x", &d, &err);
    if (status == KL_OK) ladder_description_free(&d);
    return status;
}

// What is wrong in the sound text with one change.
static const struct mistake {
    const char *from, *to, *said;
} mistakes[] = {
    // Names.
    {"\"points\": 4,", "\"pionts\": 4,",
     "x.json:18:29: step 0, criterion 1: unknown field \"pionts\": did you mean \"points\"?; "
     "known are: "
     "kind, points, text"},
    {"\"watch\"", "\"wacth\"",
     "x.json:9:3: the lab: unknown field \"wacth\": did you mean \"watch\"?"},
    {"\"cuda\": 12", "\"compute\": 12",
     "x.json:23:74: step 1, needs: unknown field \"compute\"; known are: sm, exact, devices, cuda"},
    {"\"note\"", "\"\\u001b[2J\\nx\"",
     "x.json:4:3: the lab: unknown field \"?[2J?x\"; known are: "},
    {"\"build_s\"", "\"builds\"",
     "x.json:8:14: the lab, limits: unknown field \"builds\": did you mean \"build_s\"?"},
    {"\"draw\"", "\"drawn\"",
     "x.json:47:27: figure 1: unknown field \"drawn\": did you mean \"draw\"?"},
    {"\"unit\"", "\"units\"", "x.json:39:21: questions 2, question 1: unknown field \"units\""},
    {"\"text\": \"right\"", "\"counter\": \"c\"",
     "x.json:18:42: step 0, criterion 1: \"counter\" goes with count, not with correct"},
    {"\"answer\": \"so\\nit is\"", "\"answer\": \"a\", \"step\": 1",
     "x.json:43:41: selfcheck 1: \"step\" goes with values, not with plain"},
    {"\"none\": \"runs on the host\"", "\"none\": \"n\", \"size\": 8",
     "x.json:37:30: questions 1: \"size\" goes with ask, not with none"},
    {"\"note\": \"every field once\"", "\"lab\": \"99_x\"",
     "x.json:4:3: \"lab\" is twice in this object"},
    {"\"given\": true", "\"step\": 0", "x.json:15:36: \"step\" is twice in this object"},
    {"\"kind\": \"count\", \"points\": 2", "\"per\": \"c\", \"knid\": \"count\"",
     "x.json:29:22: step 1, criterion 2: unknown field \"knid\": did you mean \"kind\"?"},
    // What is missing.
    {"\"kind\": \"count\", \"points\": 2", "\"per\": \"call\"",
     "x.json:29:9: step 1, criterion 2: \"kind\" is missing"},
    {"\"reason\": \"faster\",", "", "x.json:22:5: step 1: \"reason\" is missing"},
    {"\"text\": \"w\", ", "", "x.json:28:19: step 1, criterion 1, with 1: \"text\" is missing"},
    {"\"name\": \"n\", ", "", "x.json:39:7: questions 2, question 1: \"name\" is missing"},
    {"\"family\": \"f\", \"size\": 8, \"values\"", "\"family\": \"f\", \"values\"",
     "x.json:44:5: selfcheck 2: \"size\" is missing"},
    {"\"schema\": \"ladder.lab/1\",", "", "x.json:1:1: the lab: \"schema\" is missing"},
    // Types.
    {"\"points\": 1.5", "\"points\": \"1.5\"",
     "x.json:26:37: step 1, criterion 1: \"points\" must be a number, not a text"},
    {"\"size\": 8, \"full\"", "\"size\": 8.5, \"full\"",
     "x.json:26:132: step 1, criterion 1: \"size\" must be a whole number, not 8.5"},
    {"\"given\": true", "\"given\": 1",
     "x.json:15:45: step 0: \"given\" must be true or false, not a number"},
    {"[\"powf\"]", "[\"powf\", 1]",
     "x.json:5:29: the lab: \"allow_imports\" must have texts only, not a number"},
    {"[\"powf\"]", "\"powf\"",
     "x.json:5:20: the lab: \"allow_imports\" must be an array of texts, not a text"},
    {"{\"sm\": 90, \"exact\": true, \"cuda\": 12}", "90",
     "x.json:23:48: step 1, needs must be an object, not a number"},
    {"\"counter\": \"launches\"", "\"counter\": null",
     "x.json:26:79: step 1, criterion 1: \"counter\" must be a text, not null"},
    {"{\"step\": 0, \"text\": \"on the page alone\"}", "true",
     "x.json:11:5: watch 2 must be an object, not true or false"},
    {"\"hidden\": true", "\"hidden\": 1",
     "x.json:27:20: step 1, criterion 1: \"hidden\" must be true, false or a text"},
    // Ranges and words.
    {"\"points\": 4", "\"points\": -4",
     "x.json:18:39: step 0, criterion 1: \"points\" must be from 0 to 1000, not -4"},
    {"\"plain_share\": 0.25", "\"plain_share\": 1.25",
     "\"plain_share\" must be from 0 to 1, not 1.25"},
    {"\"over\": -1", "\"over\": -2", "\"over\" must be from -1 to 999, not -2"},
    {"[\"launches\"]", "[\"a\", \"b\", \"c\", \"d\", \"e\"]",
     "selfcheck 2: \"values\" must have from 0 to 4 items, not 5"},
    {"\"hidden\": true", "\"hidden\": \"visible\"",
     "step 1, criterion 1: unknown \"hidden\" \"visible\"; known are: true, false, "
     "after_published, after_due_date, hidden"},
    {"\"kind\": \"correct\"", "\"kind\": \"luck\"",
     "x.json:18:18: step 0, criterion 1: unknown \"kind\" \"luck\"; known are: correct, count, "
     "speed, predicted, cases"},
    {"\"family\": \"f\", \"size\": 7", "\"family\": \"f\"",
     "x.json:32:50: step 1, criterion 5, case 1: \"size\" is missing"},
    {", \"cases\": [{\"family\": \"f\", \"size\": 7}, {\"family\": \"g\", \"size\": 1}]", "",
     "x.json:32:9: step 1, criterion 5: \"cases\" is missing"},
    {"[{\"family\": \"f\", \"size\": 7}, {\"family\": \"g\", \"size\": 1}]", "[]",
     "step 1, criterion 5: \"cases\" must have from 1 to 16 items, not 0"},
    {"\"kind\": \"correct\"", "\"kind\": \"manual\"", "ladder gradebook criterion adds it"},
    {"ladder.lab/1", "ladder.lab/9",
     "x.json:2:13: the lab: unknown \"schema\" \"ladder.lab/9\"; known are: ladder.lab/1"},
    // What does not fit together.
    {"\"99_x\"", "\"98_y\"", "x.json:3:10: \"lab\" is \"98_y\" but the folder is \"99_x\""},
    {"0_a.cu", "1_a.cu", "x.json:15:26: step 0: \"file\" must be 0_name.cu, not \"1_a.cu\""},
    {"0_a.cu", "0_A.cu", "must be 0_name.cu"},
    {"\"step\": 1, \"file\": \"1_b2_c.cu\"", "\"step\": 0, \"file\": \"0_b.cu\"",
     "x.json:23:15: step 0 comes after step 0: steps ascend"},
    {"\"sm\": 90", "\"sm\": 80", "x.json:23:48: step 1, needs: \"exact\" goes with \"sm\": 90"},
    {"\"over\": 0", "\"over\": 7", "x.json:30:48: step 1, criterion 3: the lab has no step 7"},
    {"\"step\": 1, \"text\": \"loads\"", "\"step\": 3, \"text\": \"loads\"",
     "x.json:10:14: watch 1: the lab has no step 3"},
    {"\"step\": 0, \"none\"", "\"step\": 2, \"none\"",
     "x.json:37:14: questions 1: the lab has no step 2"},
    {"\"step\": 0, \"none\"", "\"step\": 1, \"none\"",
     "x.json:38:14: questions 2: step 1 is twice in \"questions\""},
    {"\"name\": \"m\", \"unit\": \"u\", \"text\": \"c\", \"size\": 16, \"value\": \"launches / 2\"",
     "\"name\": \"m\", \"size\": 16",
     "x.json:40:7: questions 2: no question before has the name \"m\": \"unit\", \"text\" and "
     "\"value\" are missing"},
    {"\"unit\": \"u\", \"text\": \"c\", ", "", "question 2: \"unit\" is missing"},
    {"\"answer\": \"{}\", \"step\": 1", "\"answer\": \"{}\", \"step\": 9",
     "x.json:44:55: selfcheck 2: the lab has no step 9"},
    {"\"full\": 3", "\"full\": 4",
     "step 1, criterion 1, with 1: \"full\" and \"zero\" are the same value"},
    {"tree_1.svg", "thumb.svg", "x.json:48:14: figure 2: thumb.svg is drawn twice"},
    {"tree_1.svg", "../tree.svg",
     "x.json:48:14: figure 2: \"file\" must be name.svg, not \"../tree.svg\""},
    {"--block-tree 1", "1; rm x", "figure 2: \"draw\" must be words"},
    // JSON.
    {"\"work_log\": true,", "\"work_log\": true,,",
     "x.json:6:20: expected a name in quotation marks, not ','"},
    {"\"after_due_date\"}", "\"after_due_date\"},", "x.json:19:73: a comma before ']'"},
    {"\"--block-tree 1\"}", "\"--block-tree 1\",}", "x.json:48:52: a comma before '}'"},
    {"\"faster\"", "\"faster", "x.json:24:17: this text has no closing \" on its line"},
    {"\"faster\"", "\"fas\\qter\"", "x.json:24:21: a \\ in a text wants one of"},
    {"\"faster\"", "\"\\ud800\"", "x.json:24:18: \\ud800 is half of a character"},
    {"\"faster\"", "\"a\\u0000\"", "x.json:24:19: \\u0000 cannot be part of a text"},
    {"\"faster\"", "\"\xC3(\"", "x.json:24:18: this is not UTF-8 (byte 0xc3)"},
    {"\"faster\"", "\"a\tb\"", "x.json:24:19: a byte 0x09 in a text: write \\u0009"},
    {"\"faster\"", "'faster'", "x.json:24:17: expected a value, not '''"},
    {"\"every field once\",", "\"every field once\"", "x.json:5:3: expected ',' or '}', not '\"'"},
    {"\"points\": 4,", "\"points\": 04,",
     "x.json:18:39: a number must not begin with 0 and another digit"},
    {"\"points\": 4,", "\"points\": 4.,", "x.json:18:39: a number wants a digit behind its point"},
    {"\"points\": 4,", "\"points\": -,", "x.json:18:39: a number wants a digit behind its sign"},
    {"\"points\": 4,", "\"points\": 1e999,", "x.json:18:39: this number is too large"},
    {"\"points\": 4,", "\"points\": NaN,", "x.json:18:39: expected a value, not 'N'"},
    {"\"note\": \"every", "// a note\n  \"note\": \"every",
     "x.json:4:3: expected a name in quotation marks, not '/'"},
};

KL_FIXTURE(set_up, tear_down)

// What is asked again is as the last question of its name before; its size is its own.
KL_TEST(a_question_is_asked_again_by_its_name) {
    char *text = replaced("\"name\": \"m\", \"unit\": \"u\", \"text\": \"c\", \"size\": 16, "
                          "\"value\": \"launches / 2\"",
                          "\"name\": \"n\", \"size\": 16"),
         *made = NULL;
    ladder_description d;
    OK(ladder_description_read("x.json", text, strlen(text), "99_x", &d, &err));
    made = KL_PRINTED(out, ladder_write_questions(out, &d));
    KL_HAS(made, "{\"n\", \"a; \\\"b\\\" \\?\", \"u\", \"launches\", INT64_C(0)},\n"
                 "    {\"n\", \"a; \\\"b\\\" \\?\", \"u\", \"launches\", INT64_C(16)},");
    ladder_description_free(&d);
}

KL_TEST(mistakes_are_refused_with_line_and_column) {
    int other = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const struct mistake *m = &mistakes[i];
        char *text = replaced(m->from, m->to);
        if (read_text(text, strlen(text)) != KL_ERROR_INPUT || !strstr(err.text, m->said)) {
            printf("%s for %s\nexpected: %s\nsaid:     %s\n", m->to, m->from, m->said, err.text);
            other++;
        }
    }
    ck_assert_int_eq(other, 0);
}

// Columns are characters, not bytes.
KL_TEST(columns_count_characters) {
    char *text = replaced("\"note\": \"every field once\",", "\"note\": \"äöü\", \"nöte\": 1,");
    ck_assert_int_eq(read_text(text, strlen(text)), KL_ERROR_INPUT);
    ck_assert_str_eq(
        err.text,
        "x.json:4:18: the lab: unknown field \"nöte\": did you mean \"note\"?; known are: "
        "schema, lab, note, allow_imports, work_log, app_after_run, limits, watch, "
        "steps, questions, selfcheck, figures");
}

KL_TEST(files_that_are_no_descriptions_are_refused) {
    static const struct {
        const char *text;
        size_t bytes;
        const char *said;
    } rows[] = {
        {"", 0, "x.json:1:1: the file is empty"},
        {" \n\t\r\n", 5, "x.json:1:1: the file is empty"},
        {"[]", 2, "x.json:1:1: the lab must be an object, not an array"},
        {"\"lab\"", 5, "x.json:1:1: the lab must be an object, not a text"},
        {"{}", 2, "x.json:1:1: the lab: \"schema\" is missing"},
        {"{", 1, "x.json:1:2: the file ends where a name in quotation marks is expected"},
        {"{\"a\"", 4, "x.json:1:5: the file ends where ':' is expected"},
        {"{} {}", 5, "x.json:1:4: expected the end of the file, not '{'"},
        {"\xEF\xBB\xBF{}", 5,
         "x.json:1:1: the file begins with a byte order mark: save it as UTF-8 without one"},
        {"{\"lab\":\n\"a\0b\"}", 14, "x.json:2:3: a byte 0x00: this is not a text file"},
        {"tru", 3, "x.json:1:1: expected a value, not 't'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(read_text(rows[i].text, rows[i].bytes), KL_ERROR_INPUT);
        ck_assert_str_eq(err.text, rows[i].said);
    }
    char *deep = malloc(100001), *long_one = malloc(60001),
         *large = calloc(1, KL_JSON_BYTES_MAX + 1);
    ck_assert(deep && long_one && large);
    memset(deep, '[', 100000);
    ck_assert_int_eq(read_text(deep, 100000), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "x.json:1:33: nested more than 32 deep");
    for (int i = 0; i < 60000; i++) long_one[i] = "[1,"[i == 0 ? 0 : 2 - i % 2];
    ck_assert_int_eq(read_text(long_one, 60000), KL_ERROR_INPUT);
    KL_HAS(err.text, "more than 4096 values in one array");
    ck_assert_int_eq(read_text(large, KL_JSON_BYTES_MAX + 1), KL_ERROR_INPUT);
    KL_HAS(err.text, "x.json: more than 1048576 bytes");
    free(deep);
    free(long_one);
    free(large);
}

// Each way to cut the text short is refused, and none reads behind its end.
KL_TEST(no_beginning_of_a_description_is_one) {
    for (size_t bytes = 0; bytes + 2 < sound_bytes; bytes++) {
        char *exact = malloc(bytes > 0 ? bytes : 1);
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, sound, bytes);
        ck_assert_int_eq(read_text(exact, bytes), KL_ERROR_INPUT);
        free(exact);
    }
}

// Bytes of the sound text and of the labs' own changed, cut and doubled.
KL_TEST(no_text_makes_it_crash) {
    enum { TRIES = 4000 };
    static const char bytes[] = "{}[]\",:\\\n 019.-eEtfnu\xC3\xFF";
    LLVMFuzzerTestOneInput((const uint8_t *)sound, sound_bytes);
    char *text = malloc(2 * sound_bytes);
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < TRIES; i++) {
        size_t used = sound_bytes;
        memcpy(text, sound, used);
        for (int change = 0; change <= i % 4; change++) {
            uint64_t random = kl_random_u64(7, (uint64_t)i * 4 + (uint64_t)change);
            size_t at = (size_t)(random % used), length = (size_t)(random >> 32) % 40;
            if (length > used - at) length = used - at;
            if (random >> 60 < 6) text[at] = bytes[(random >> 40) % (sizeof bytes - 1)];
            else if (random >> 60 < 11 && used > length + 1)
                memmove(text + at, text + at + length, used - at - length), used -= length;
            else if (used + length < 2 * sound_bytes)
                memmove(text + at + length, text + at, used - at), used += length;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text, used);
    }
    free(text);
}

// What is made of a description, as one text; to be freed.
static char *made_of(const char *text, const char *modelled, const char *executed) {
    ladder_description d;
    ladder_modelled_file file = {0};
    char *made = NULL;
    size_t bytes = 0;
    OK_OR_SAY(ladder_description_read("x.json", text, strlen(text), "99_x", &d, &err), err);
    if (modelled)
        OK(ladder_modelled_read("m.json", modelled, strlen(modelled), "99_x", &file, &err));
    FILE *out = open_memstream(&made, &bytes);
    ck_assert_ptr_nonnull(out);
    OK(ladder_write_rubric(out, &d, &file, &err));
    ladder_write_questions(out, &d);
    OK(ladder_write_steps(out, &d, executed, &err));
    ladder_write_cmake(out, &d);
    ladder_write_figures(out, &d);
    fclose(out);
    ladder_modelled_free(&file);
    ladder_description_free(&d);
    return kl_own(made);
}

KL_TEST(a_sound_description_becomes_tables) {
    static const char times[] =
        "{\"labs\": {\"99\": {\"rubric\": \"4567\"}, \"99_x\": {\"rubric\": \"0123\", "
        "\"criteria\": {\"1/0/f/8\": {\"size\": 4, \"devices\": [{\"device\": \"D\", "
        "\"over_us\": 9.5, \"full\": 1.5, "
        "\"zero\": 1.25}]}, \"1/-1/f/8\": {\"left_out\": \"because\"}}}}}";
    static const char *const lines[] = {
        "static const char *const allow_imports[] = {\"powf\", 0};",
        "{.kind = LADDER_CRITERION_CORRECT, .points = 4, .text = \"right\"},",
        "{.kind = LADDER_CRITERION_PREDICTED, .points = 0.5, .text = \"\", .hidden = "
        "\"after_due_date\"},",
        "{.kind = LADDER_CRITERION_COUNT, .points = 1.5, .text = \"a \\\"q\\\"; b\\\\ \\?\", "
        ".family = \"f\", "
        ".size = INT64_C(8), .full = 1, .zero = 2.0, .counter = \"launches\", .per = \"element\", "
        ".needs_cuda = 13, .with = with_1_0, .with_count = 1, .hidden = \"after_published\"},",
        "static const ladder_bound with_1_0[] = {\n    {\"w\", \"launches\", \"launch\", \"g\", "
        "INT64_C(4), 3, 4},\n};",
        ".zero = 2, .counter = \"launches\", .per = \"call\"},",
        "static const ladder_modelled modelled_1_2[] = {\n    {\"D\", INT64_C(4), 9.5, 1.5, "
        "1.25},\n};",
        ".over = 0, .modelled = modelled_1_2, .modelled_count = 1},",
        ".over = -1, .unmodelled = \"because\"},",
        "static const ladder_hidden_case cases_1_4[] = {\n    {\"f\", INT64_C(7)},\n    {\"g\", "
        "INT64_C(1)},\n};",
        "{.kind = LADDER_CRITERION_CASES, .points = 3, .text = \"\", .cases = cases_1_4, "
        ".case_count = 2},",
        "    {0, \"0_a.cu\", true, criteria_0, 2},\n    {1, \"1_b2_c.cu\", false, criteria_1, "
        "5},\n",
        ".note = \"every field once\",",
        ".modelled_of = \"0123\",",
        ".build_s = 90.5,",
        ".case_s = 2,",
        ".submission_s = 60,",
        ".instructions = UINT64_C(5000000),",
        ".read_back_bytes = UINT64_C(64),",
        ".plain_share = 0.25,",
        ".work_log = true,",
        ".app_after_run = true,",
        ".step_count = 2,",
        "{\"n\", \"a; \\\"b\\\" \\?\", \"u\", \"launches\", INT64_C(0)},",
        "\"launches / 2\", INT64_C(16)},",
        "    {0, \"\", INT64_C(0), \"runs on the host\", ask_0, 0},\n    {1, \"f\", INT64_C(8), "
        "\"\", ask_1, 2},\n",
        "    {\"why\\?\", \"so\\nit is\", -1, \"\", INT64_C(0), values_0, 0},\n",
        "values_1[] = {\"launches\", 0};",
        "INT64_C(8), values_1, 1},",
        ".asked_count = 2,",
        ".selfcheck_count = 2,",
        "    {0, \"a\", \"why; \\\"so\\\"\", true, 0, 0, false, 0},\n    {1, \"b2_c\", \"faster\", "
        "false, 90, 12, true, 0},\n",
        "KL_WATCH_COUNT = 1 };",
        "    {1, \"loads\", \"a.sum b.sum\", \"element\", 1000, 4.5, INT64_C(8), \"f\"},\n",
        "KL_EXECUTED_COUNT = 2 };",
        "    {0, \"f\", 0.5},\n    {1, \"no-depth\", 2e+03},\n",
        "set(lab_steps \"0_a.cu\" \"1_b2_c.cu\")\nset(lab_given \"0_a.cu\")\n"
        "set(lab_numbers 0 1)\n",
        "set(needs_sm_1 90)\nset(needs_cuda_1 12)\nset(needs_exact_1 true)\n"
        "set(needs_devices_1 0)\n",
        "set(needs_exact_0 false)",
        "set(lab_figures\n  \"thumb.svg --thumb measured/CARD.json f:8\"\n  \"tree_1.svg "
        "--block-tree 1\")\n",
        "\nthumb.svg --thumb measured/CARD.json f:8\ntree_1.svg --block-tree 1\n"};
    char *made = made_of(sound, times,
                         "# lab, family, numbers\n99,f,7\n99_x,f,0.5\n99_x,no-depth,,2e+03\n"
                         "99_xy,f,8\n\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        ck_assert_msg(strstr(made, lines[i]), "no %s\nin %s", lines[i], made);
}

// What may be absent, and what stands for it.
KL_TEST(a_short_description_is_enough) {
    static const char text[] =
        "{\"schema\": \"ladder.lab/1\", \"lab\": \"99_x\", \"steps\": [{\"step\": 0, \"file\": "
        "\"0_a.cu\", \"reason\": \"r\", \"criteria\": [{\"kind\": \"correct\", \"points\": 1}]}]}";
    static const char *const lines[] = {
        "allow_imports[] = {0};",
        ".allow_import_count = 0,",
        ".modelled_of = 0,",
        ".build_s = 0,",
        ".read_back_bytes = UINT64_C(1024),",
        ".plain_share = 0.5,",
        ".work_log = false,",
        ".asked_count = 0,",
        "KL_WATCH_COUNT = 0 };\nstatic const kl_watch watches[] = {\n    {0, 0, 0, 0, 0, 0, 0, "
        "0}, // none",
        "KL_EXECUTED_COUNT = 0 };\nstatic const kl_executed executed[] = {\n    {0, 0, 0},\n",
        "set(lab_figures)"};
    static const char others[] = "{\"labs\": {\"99_y\": {\"rubric\": \"0123\"}}}";
    for (int with = 0; with < 2; with++) { // also beside other labs alone
        char *made = made_of(text, with ? others : NULL, with ? "99_y,f,1\n" : NULL);
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            ck_assert_msg(strstr(made, lines[i]), "no %s\nin %s", lines[i], made);
    }
}

KL_TEST(lines_that_count_no_instructions_are_refused) {
    static const char *const bad[] = {"99_x,f\n",
                                      "99_x,f,x\n",
                                      "99_x,f,,\n",
                                      "99_x,f 1\n",
                                      "99_x,\n",
                                      "99_x,,1\n",
                                      "# n\n99_x,f,1,,2\n99_x,f,2;3\n"};
    ladder_description d;
    OK(ladder_description_read("x.json", sound, sound_bytes, NULL, &d, &err));
    FILE *nowhere = fopen("/dev/null", "w");
    ck_assert_ptr_nonnull(nowhere);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_int_eq(ladder_write_steps(nowhere, &d, bad[i], &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "warp_instructions.csv:3: expected LAB,FAMILY,NUMBER,..");
    fclose(nowhere);
    ladder_description_free(&d);
}

// The hash by which stored results are taken again.
static void hash_of(const char *from, const char *to, char out_hash[65]) {
    char *text = replaced(from, to), *made = made_of(text, NULL, NULL);
    ck_assert_int_eq(sscanf(strstr(made, ".hash = "), ".hash = \"%64[0-9a-f]", out_hash), 1);
}

KL_TEST(the_hash_is_of_what_is_graded) {
    char plain[65], other[65];
    static const char *const ungraded[][2] = {{"every field once", "other words"},
                                              {"runs on the host", "other"},
                                              {"--block-tree 1", "--block-tree 2"},
                                              {"\"scale\": 1000", "\"scale\": 1"}},
                             *const graded[][2] = {{"\"points\": 4", "\"points\": 5"},
                                                   {"\"zero\": 4}", "\"zero\": 5}"},
                                                   {"\"case_s\": 2", "\"case_s\": 3"},
                                                   {"powf", "expf"}};
    hash_of("99_x", "99_x", plain);
    for (size_t i = 0; i < sizeof ungraded / sizeof ungraded[0]; i++) {
        hash_of(ungraded[i][0], ungraded[i][1], other);
        ck_assert_str_eq(plain, other);
    }
    for (size_t i = 0; i < sizeof graded / sizeof graded[0]; i++) {
        hash_of(graded[i][0], graded[i][1], other);
        ck_assert_str_ne(plain, other);
    }
}

// ---- step_files ----
// A student's folder of steps in a kit of one lab: files that are not there, that got another name,
// and copies.

static ladder_kit kit;
static const ladder_lab *lab;
static char steps[LADDER_PATH];

// A file in the folder of steps, last saved `age_s` seconds ago.
static void put(const char *name, int age_s) {
    const char *path = kl_own_text("%s/%s", steps, name);
    OK(ladder_file_write(path, "\n", 1, &err));
    struct timespec times[2] = {{.tv_sec = time(NULL) - age_s}, {.tv_sec = time(NULL) - age_s}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void drop(const char *name) {
    char path[LADDER_PATH];
    OK(ladder_path(path, NULL, "%s/%s", steps, name));
    ck_assert_int_eq(unlink(path), 0);
}

static void set_up_step_files(void) {
    lab = ladder_lab_find("reduction");
    OK(ladder_folder_temporary(kit.source, &err));
    OK(ladder_path(steps, &err, "%s/labs/%s/steps", kit.source, lab->folder));
    OK(ladder_folder_make(steps, &err));
    put("3_sequential.cu", 60);
}

// What is said of step 3: the error, or the note on standard error.
static const char *said(void) {
    static char text[KL_ERROR_TEXT];
    FILE *note = tmpfile();
    int before = dup(STDERR_FILENO), step = 3;
    fflush(stderr);
    dup2(fileno(note), STDERR_FILENO);
    setenv("COLUMNS", "1000", 1);
    kl_status status = ladder_step_files_require(&kit, lab, &step, 1, &err);
    unsetenv("COLUMNS");
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(note);
    text[fread(text, 1, sizeof text - 1, note)] = '\0';
    fclose(note);
    if (status != KL_OK) memcpy(text, err.text, sizeof text);
    return text;
}

static void expect(const char *part) {
    const char *text = said();
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in: %s", part, text);
}

KL_FIXTURE(NULL, NULL)

KL_TEST(what_is_in_order_is_not_spoken_of) {
    set_up_step_files();
    ck_assert_str_eq(said(), "");
    put("13_other.cu", 0); // neither this step's number nor its name
    put("notes.txt", 0);
    put("3_sequential.cu.bak2", 90); // an older copy
    ck_assert_str_eq(said(), "");
    ladder_folder_remove(kit.source);
}

KL_TEST(a_file_that_is_gone_is_named) {
    set_up_step_files();
    drop("3_sequential.cu");
    expect("labs/02_reduction/steps/3_sequential.cu is not there. Copy it again");
    put("sequential.cu", 0);
    expect("\"sequential.cu\" beside it has another name");
    drop("sequential.cu");
    put("3_sequential.cu.txt", 0);
    expect("\"3_sequential.cu.txt\" beside it has another name");
    ladder_folder_remove(kit.source);
}

KL_TEST(a_copy_that_was_edited_is_told) {
    set_up_step_files();
    put("3_sequential (copy).cu", 0);
    expect("note: \"3_sequential (copy).cu\" was saved after");
    ladder_folder_remove(kit.source);
}

KL_TEST_MAIN("description")
