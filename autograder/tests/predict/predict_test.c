// Predictions: what stands, what is late, how close they were; the first run; counts beside them.
// needs: ladder_programs
// labels: grade
#include "learn/predict/predict.h"

#include "suite.h"

static kl_error err;
static ladder_predictions known;

static const ladder_lab *reduction(void) { return ladder_lab_find("reduction"); }

// Step 3 of lab 02 asks for these.
static const ladder_step_predictions *parse(const char *text) {
    ladder_predictions_parse(reduction()->questions, text, &known);
    return ladder_predictions_find(&known, 3);
}

KL_TEST(what_came_before_the_first_run_stands) {
    const ladder_step_predictions *step =
        parse("# comment\n"
              "predict 3 aa 2026-01-01T10:00 conflicts_per_load=1\n"
              "predict 3 aa 2026-01-01T10:01 conflicts_per_load=0\n"
              "first 3 bb 2026-01-01T10:02 run\n"
              "predict 3 bb 2026-01-01T10:03 conflicts_per_load=7\n"
              "predict 3 bb 2026-01-01T10:03 gain=1.2\n");
    ck_assert_ptr_nonnull(step);
    ck_assert_int_eq(step->count, 2);
    ck_assert(step->ran);
    ck_assert_double_eq(step->items[0].predicted, 0); // the last one before the run
    ck_assert(step->items[0].stood);
    ck_assert_double_eq(step->items[1].predicted, 1.2);
    ck_assert(!step->items[1].stood);
    ck_assert(!ladder_predictions_stand(reduction()->questions, step));
}

KL_TEST(all_that_is_asked_must_stand) {
    const char *all = "predict 3 aa d wavefronts_per_element=0.1\r\n"
                      "predict 3 aa d conflicts_per_load=0\r\npredict 3 aa d gain=1\r\n";
    ck_assert(ladder_predictions_stand(reduction()->questions, parse(all)));
    ck_assert(!ladder_predictions_stand(reduction()->questions,
                                        parse("predict 3 aa d conflicts_per_load=0\n")));
    ck_assert(!ladder_predictions_stand(reduction()->questions, NULL));
}

KL_TEST(damaged_lines_are_passed_over) {
    static const char *const damaged[] = {"predict\n",
                                          "predict 3\n",
                                          "predict 3 aa\n",
                                          "predict 3 aa d\n",
                                          "predict 3 aa d gain\n",
                                          "predict 3 aa d gain=\n",
                                          "predict 3 aa d gain=x\n",
                                          "predict 3 aa d gain=1x\n",
                                          "predict 3 aa d gain=-1\n",
                                          "predict 3 aa d gain=inf\n",
                                          "predict 3 aa d gain=nan\n",
                                          "predict 3 aa d nothing=1\n",
                                          "predict 99 aa d gain=1\n",
                                          "predict x aa d gain=1\n",
                                          "\n\n\r\n",
                                          "   \n",
                                          "=\n",
                                          "counted 3\n",
                                          "\x1b[31m\n"};
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        const ladder_step_predictions *step = parse(damaged[i]);
        ck_assert_msg(!step || step->count == 0, "taken: %s", damaged[i]);
    }
    char *line = calloc(1, 4001);
    memset(line, 'x', 4000);
    ck_assert_ptr_null(parse(line));
    free(line);
}

KL_TEST(closeness_is_said_in_words) {
    char text[64];
    const struct {
        double predicted, counted;
        const char *words;
    } rows[] = {{4, 4, "right"},
                {32768, 32897, "right"},
                {0, 0, "right"},
                {32, 31.68, "right"},
                {31, 31.68, "within 10 %"},
                {64, 63, "within 10 %"},
                {4, 3.7, "within 10 %"},
                {104, 100, "within 10 %"},
                {92, 100, "within 10 %"},
                {230, 100, "2.3 times too high"},
                {10, 200, "20 times too low"},
                {3, 0, "too high"},
                {0, 3, "too low"},
                {3, NAN, "-"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_str_eq(
            ladder_prediction_judge(rows[i].predicted, rows[i].counted, text, sizeof text),
            rows[i].words);
}

KL_TEST(numbers_are_read_or_refused) {
    double value = 0;
    OK(ladder_prediction_read(" 2^20/32 ", &value, &err));
    ck_assert_double_eq(value, 32768);
    OK(ladder_prediction_read("1e6", &value, &err));
    ck_assert_double_eq(value, 1e6);
    const struct {
        const char *text, *words;
    } bad[] = {{"", "empty"},           {" \t", "empty"},
               {"-3", "negative"},      {"four", "not a number"},
               {"1/0", "not a number"}, {"0/0", "not a number"},
               {"3 4", "not a number"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_int_eq(ladder_prediction_read(bad[i].text, &value, &err), KL_ERROR_INPUT);
        ck_assert_msg(strstr(err.text, bad[i].words), "'%s': %s", bad[i].text, err.text);
    }
}

// A kit whose students' files lie in a folder of their own, with this build's programs. The step's
// file is the one that was handed out.
static ladder_kit student_kit(const char *file) {
    ladder_kit kit;
    char from[LADDER_PATH], to[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    OK(ladder_folder_temporary(kit.source, &err));
    OK(ladder_path(kit.build, &err, "%s", TEST_BUILD_DIR));
    OK(ladder_path(to, &err, "%s/labs/02_reduction/steps", kit.source));
    OK(ladder_folder_make(to, &err));
    OK(ladder_path(from, &err, "%s/labs/02_reduction/steps/%s", TEST_SOURCE_DIR, file));
    OK(ladder_path(to, &err, "%s/labs/02_reduction/steps/%s", kit.source, file));
    OK(ladder_file_read(AT_FDCWD, from, 1 << 20, &text, &bytes, &err));
    OK(ladder_file_write(to, text, bytes, &err));
    free(text);
    return kit;
}

static void edit(const ladder_kit *kit, const char *file, const char *text) {
    const char *path = kl_own_text("%s/labs/02_reduction/steps/%s", kit->source, file);
    OK(ladder_file_write(path, text, strlen(text), &err));
}

static const ladder_step_predictions *load(const ladder_kit *kit, int step) {
    OK(ladder_predict_load(kit, reduction(), NULL, 0, &known, &err));
    return ladder_predictions_find(&known, step);
}

KL_TEST(only_an_edited_step_has_a_first_run) {
    const ladder_lab *lab = reduction();
    ladder_kit kit = student_kit("1_interleaved.cu");
    char path[LADDER_PATH];
    // As handed out, and given steps: nothing is kept, not even a file is made.
    OK(ladder_predict_note_run(&kit, lab, NULL, 0, "run", &err));
    OK(ladder_predictions_path(&kit, lab, path, &err));
    ck_assert(!ladder_file_exists(path));
    OK(ladder_predict_keep(&kit, lab, 1, "sms_used", 132, &err));
    edit(&kit, "1_interleaved.cu", "// mine\n");
    const int other = 2, own = 1;
    OK(ladder_predict_note_run(&kit, lab, &other, 1, "run", &err));
    OK(ladder_predict_keep(&kit, lab, 1, "requests", 5, &err));
    OK(ladder_predict_note_run(&kit, lab, &own, 1, "profile", &err));
    OK(ladder_predict_keep(&kit, lab, 1, "sectors_per_request", 4, &err));
    OK(ladder_predict_note_run(&kit, lab, NULL, 0, "run", &err)); // once only
    const ladder_step_predictions *step = load(&kit, 1);
    ck_assert_int_eq(step->count, 3);
    ck_assert(step->items[0].stood && step->items[1].stood && !step->items[2].stood);
    char *text = NULL;
    OK(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, NULL, &err));
    const char *first = strstr(text, "first 1 ");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "first 1 "));
    free(text);
    ladder_folder_remove(kit.source);
}

KL_TEST(counts_stand_beside_predictions_until_the_file_changes) {
    const ladder_lab *lab = reduction();
    ladder_kit kit = student_kit("0_one_block.cu"); // given: this build has it as it is
    OK(ladder_predict_keep(&kit, lab, 0, "sms_used", 132, &err));
    ck_assert(isnan(load(&kit, 0)->items[0].counted));
    OK(ladder_predict_count(&kit, lab, NULL, 0, &err));
    ck_assert_double_eq(load(&kit, 0)->items[0].counted, 1);
    const kl_style style = {.width = 80};
    char *table = KL_PRINTED(out, ck_assert(ladder_predict_print(lab, &known, &style, out)));
    KL_HAS(table, "132 times too high", "given");
    for (const char *line = table; *line != '\0'; line += strcspn(line, "\n") + 1)
        ck_assert_uint_le(strcspn(line, "\n"), 80);
    edit(&kit, "0_one_block.cu", "// changed\n");
    ck_assert(isnan(load(&kit, 0)->items[0].counted));
    ladder_folder_remove(kit.source);
}

static const ladder_question *question(int step, const char *name) {
    return ladder_asked_find(ladder_questions_find(reduction()->questions, step), name);
}

KL_TEST(what_cannot_be_counted_yet_is_not_asked) {
    const ladder_lab *lab = reduction();
    const ladder_asked *asked = ladder_questions_find(lab->questions, 3);
    ladder_kit kit = student_kit("2_strided.cu"); // as it was handed out
    ck_assert_int_eq(ladder_predict_waits_for(&kit, lab, asked, question(3, "gain")), 2);
    ck_assert_int_eq(ladder_predict_waits_for(&kit, lab, asked, question(3, "conflicts_per_load")),
                     -1);
    ck_assert(ladder_predict_is_open(&kit, lab, 3));
    OK(ladder_predict_keep(&kit, lab, 3, "conflicts_per_load", 1, &err));
    OK(ladder_predict_keep(&kit, lab, 3, "wavefronts_per_element", 1, &err));
    ck_assert(!ladder_predict_is_open(&kit, lab, 3)); // "gain" cannot be asked yet
    edit(&kit, "2_strided.cu", "// mine\n");
    ck_assert_int_eq(ladder_predict_waits_for(&kit, lab, asked, question(3, "gain")), -1);
    ck_assert(ladder_predict_is_open(&kit, lab, 3));
    ck_assert_int_eq(ladder_predict_waits_for(&kit, lab, ladder_questions_find(lab->questions, 1),
                                              question(1, "requests")),
                     -1);
    ladder_folder_remove(kit.source);
}

// A gain is compared at the size of the page's table, from the times of the last runs: nothing is
// simulated here, where no program is built.
KL_TEST(gains_come_from_the_last_runs) {
    static const char two[] = "// two\n", three[] = "// three\n";
    const ladder_lab *lab = reduction();
    ladder_kit kit = student_kit("2_strided.cu");
    char text[1024];
    edit(&kit, "2_strided.cu", two);
    edit(&kit, "3_sequential.cu", three);
    OK(ladder_path(kit.build, &err, "%s/build", kit.source));
    const char *folder = kl_own_text("%s/labs/02_reduction", kit.build);
    OK(ladder_folder_make(folder, &err));
    const char *path = kl_own_text("%s/past_runs.txt", folder);
    const char *device = "NVIDIA H100 80GB HBM3 (simulated)";
    unsigned long long hash2 = kl_step_text_hash(two, sizeof two - 1);
    unsigned long long hash3 = kl_step_text_hash(three, sizeof three - 1);
    snprintf(text, sizeof text,
             "ladder.past-runs/1\n"
             "gpu %s\tyours\t3\tsum-exact\t16777216\t%llx\t1\n"
             "sim %s\tsolution\t3\tsum-exact\t16777216\t%llx\t2\n"
             "sim %s\tyours\t3\tsum-exact\t1048576\t%llx\t3\n"
             "sim %s\tyours\t3\tsum-exact\t16777216\t%llx\t95.5\tlaunches=3\n"
             "sim %s\tyours\t2\tsum-exact\t16777216\t%llx\t191\n",
             device, hash3, device, hash3, device, hash3, device, hash3, device, hash2);
    OK(ladder_file_write(path, text, strlen(text), &err));
    ck_assert_double_eq(ladder_past_time_us(&kit, lab, 3, "sum-exact", 1 << 24), 95.5);
    ck_assert(isnan(ladder_past_time_us(&kit, lab, 4, "sum-exact", 1 << 24)));
    ck_assert_int_eq(
        ladder_question_size(ladder_questions_find(lab->questions, 3), question(3, "gain")),
        1 << 24);
    OK(ladder_predict_keep(&kit, lab, 3, "gain", 2, &err));
    OK(ladder_predict_count(&kit, lab, NULL, 0, &err));
    ck_assert_double_eq(load(&kit, 3)->items[0].counted, 2);
    edit(&kit, "3_sequential.cu", "// changed\n");
    ck_assert(isnan(ladder_past_time_us(&kit, lab, 3, "sum-exact", 1 << 24)));
    ladder_folder_remove(kit.source);
}

KL_TEST_MAIN("predict")
