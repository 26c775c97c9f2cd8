// Statistics of the judge, and what its own tests keep.
#include "grade/speed/speed.h"
#include "tables/noisy_times.h"
#include "suite.h"
#include "targets_store.h"

// ---- interval ----
// Verdicts on speed: the statistics alone, fed with simulated noise
// (docs/tools/tables/noisy_times.h), and the file of a card's own thresholds.

static const ladder_threshold threshold = {.full = 1.4142, .zero = 1.1892};

KL_TEST(drift_cancels_and_disturbing_the_baseline_gains_nothing) {
    const double drifting[] = {2.0, 1.1, 1.2, 2.6}; // each slower than the one before
    ck_assert_double_eq_tol(ladder_pair_ratio(drifting, INFINITY), 2.0, 1e-12);
    const double disturbed[] = {8, 1, 1, 8};
    ck_assert_double_eq_tol(ladder_pair_ratio(disturbed, 2.5), 2.5, 1e-12);
    const double standing[] = {1, 0, 0, 1};
    ck_assert(isnan(ladder_pair_ratio(standing, INFINITY)));
}

KL_TEST(start_and_answer_cancel_but_slow_calls_before_do_not_count) {
    const double start_s = 0.0003, call_s = 0.001;
    ck_assert_double_eq_tol(ladder_call_time(start_s + 8 * call_s, start_s + 16 * call_s, 8),
                            call_s, 1e-12);
    double slowed = ladder_call_time(16 * call_s, start_s + 16 * call_s, 8);
    ck_assert(slowed >= 0.9 * call_s && slowed < call_s);
    ck_assert_double_eq_tol(ladder_call_time(1, 1, 8), 0.9 / 16, 1e-12);
}

KL_TEST(both_ends_must_earn_the_same) {
    const double above[] = {1.5, 1.6, 1.55, 1.5, 1.52}, below[] = {1.0, 1.1, 1.05, 1.02, 1.0};
    const double across[] = {1.2, 1.6, 1.3, 1.5, 1.4}, ramp[] = {1.30, 1.30, 1.301, 1.302, 1.30};
    kl_interval ratio;
    ck_assert_int_eq(ladder_decide_speed(&threshold, above, 2, false, &ratio), LADDER_MORE);
    ck_assert_int_eq(ladder_decide_speed(&threshold, above, 5, false, &ratio), LADDER_DECIDED);
    ck_assert_int_eq(ladder_decide_speed(&threshold, below, 5, false, &ratio), LADDER_DECIDED);
    ck_assert_int_eq(ladder_decide_speed(&threshold, ramp, 5, false, &ratio), LADDER_DECIDED);
    ck_assert_int_eq(ladder_decide_speed(&threshold, across, 5, false, &ratio), LADDER_MORE);
    ck_assert_int_eq(ladder_decide_speed(&threshold, across, 5, true, &ratio), LADDER_DOUBT);
    ck_assert_int_eq(ladder_decide_speed(&threshold, above, 2, true, &ratio), LADDER_DOUBT);
    double many[LADDER_RATIOS_MAX];
    for (int i = 0; i < LADDER_RATIOS_MAX; i++) many[i] = across[i % 5];
    ck_assert_int_eq(ladder_decide_speed(&threshold, many, LADDER_RATIOS_MAX, false, &ratio),
                     LADDER_DOUBT);
}

// Three ratios decide where they are far from the thresholds by their own spread, and by that of a
// quiet card when they lie closer together than processes do.
KL_TEST(three_ratios_decide_only_what_is_clear) {
    const double clear[] = {2.0, 2.02, 1.98}, near[] = {1.42, 1.47, 1.44};
    const double lucky[] = {1.42, 1.42, 1.42}, lost[] = {1.0, 1.01, 0.99};
    kl_interval ratio;
    ck_assert_int_eq(ladder_decide_speed(&threshold, clear, 3, false, &ratio), LADDER_DECIDED);
    ck_assert(ratio.low < 1.98 && ratio.high > 2.02 && ratio.mid == 2.0);
    ck_assert_int_eq(ladder_decide_speed(&threshold, lost, 3, false, &ratio), LADDER_DECIDED);
    ck_assert_int_eq(ladder_decide_speed(&threshold, near, 3, false, &ratio), LADDER_MORE);
    ladder_decide_speed(&threshold, lucky, 3, false, &ratio);
    ck_assert_double_eq_tol(ratio.high / ratio.low, exp(2 * 4.303 * 0.01 / sqrt(3)), 1e-9);
}

KL_TEST(a_step_against_itself_is_one) {
    const double steady[] = {1.01, 0.99, 1.0, 1.005, 0.995};
    const double biased[] = {1.10, 1.11, 1.12, 1.11, 1.10};
    const double near[] = {1.004, 1.005, 1.006, 1.005, 1.004}, wide[] = {0.7, 1.4, 1.0, 0.7, 1.4};
    kl_interval same;
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, steady, 2, false, &same), LADDER_MORE);
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, steady, 3, false, &same), LADDER_DECIDED);
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, biased, 3, false, &same), LADDER_MORE);
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, steady, 5, false, &same), LADDER_DECIDED);
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, near, 5, false, &same), LADDER_DECIDED);
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, biased, 5, false, &same), LADDER_MORE);
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, biased, 5, true, &same), LADDER_DOUBT);
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, wide, 5, true, &same), LADDER_DOUBT);
}

// Noise of a card, and ten times as much: no solution loses a point, and nothing that gains nothing
// earns one, with disturbances and a falling clock as well.
KL_TEST(noise_moves_no_verdict) {
    for (int i = 0; i < noise_kind_count; i++) {
        const noise_kind *kind = &noise_kinds[i];
        noise_rates solution = noise_simulate(kind, threshold.full, threshold.zero, 2.0);
        if (kind->timing > 0.1) { // then nobody is judged
            ck_assert_msg(solution.unfit >= 0.9, "%s: unfit %g", kind->name, solution.unfit);
            continue;
        }
        noise_rates above =
            noise_simulate(kind, threshold.full, threshold.zero, 1.1 * threshold.full);
        noise_rates earlier = noise_simulate(kind, threshold.full, threshold.zero, 1.0);
        double unfit_most = kind->timing > 0.03 ? 0.15 : 0.01;
        ck_assert_msg(solution.full == 1 && above.full == 1, "%s: false failures %g and %g",
                      kind->name, 1 - solution.full, 1 - above.full);
        ck_assert_msg(earlier.some == 0, "%s: false passes %g", kind->name, earlier.some);
        ck_assert_msg(solution.unfit <= unfit_most, "%s: unfit %g", kind->name, solution.unfit);
        if (kind->timing > 0.03) continue;
        noise_rates below =
            noise_simulate(kind, threshold.full, threshold.zero, threshold.zero / 1.05);
        ck_assert_msg(below.some == 0 && below.pairs < 11, "%s: false passes %g, %g pairs",
                      kind->name, below.some, below.pairs);
    }
}

// A wider threshold bears noise that another one does not, and no verdict moves.
KL_TEST(wide_thresholds_bear_noise) {
    const double noisy[] = {0.90, 1.15, 0.92, 1.14, 1.0, 0.91, 1.13, 0.90, 1.15};
    const ladder_threshold wide = {.full = 1.88, .zero = 1.44};
    kl_interval same;
    ck_assert_int_eq(ladder_decide_same(0.01, &threshold, noisy, 9, true, &same), LADDER_DOUBT);
    ck_assert_int_eq(ladder_decide_same(0.01, &wide, noisy, 9, true, &same), LADDER_DECIDED);
    for (int i = 0; i < noise_kind_count; i++) {
        noise_rates solution = noise_simulate(&noise_kinds[i], wide.full, wide.zero, 2.9);
        noise_rates earlier = noise_simulate(&noise_kinds[i], wide.full, wide.zero, 1.0);
        ck_assert_msg(solution.unfit > 0.9 || solution.full > 0.99, "%s: %g", noise_kinds[i].name,
                      solution.full);
        ck_assert_msg(earlier.some == 0, "%s: false passes %g", noise_kinds[i].name, earlier.some);
    }
}

KL_TEST(proposed_thresholds_lie_in_the_middle) {
    ladder_threshold made;
    ck_assert(ladder_threshold_propose(1, 16, &made));
    ck_assert_double_eq_tol(made.full, 4, 1e-12);
    ck_assert_double_eq_tol(made.zero, 2, 1e-12);
    ck_assert(ladder_threshold_propose(2, 8, &made));
    ck_assert_double_eq_tol(made.full, 4, 1e-12);
    ck_assert(!ladder_threshold_propose(1, 1.1, &made));
}

static const ladder_criterion speed = {
    .kind = LADDER_CRITERION_SPEED, .family = "sum-exact", .size = 4096, .full = 4, .zero = 2};
static const ladder_rubric_step step = {.step = 1, .criteria = &speed, .criteria_count = 1};
static const ladder_rubric rubric = {.steps = &step, .step_count = 1};
static const ladder_lab lab = {.folder = "02_reduction", .rubric = &rubric};

static kl_status read_text(const char *text, ladder_thresholds *out, kl_error *err) {
    char path[] = "thresholds.XXXXXX";
    int fd = mkstemp(path);
    ck_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    kl_status status = ladder_thresholds_read(path, false, &lab, "Card B", out, err);
    unlink(path);
    return status;
}

// The hash is that of `rubric`, and a part of the file's format: a change makes all files stale.
#define OF_CARD "ladder.thresholds/3\nlab 02_reduction\ncard Card B\n"
#define HEAD    OF_CARD "rubric e7a45f290efd642e\n"

KL_TEST(thresholds_are_kept_and_found) {
    static ladder_thresholds made, got;
    char path[] = "thresholds.XXXXXX";
    kl_error err = {KL_OK, ""};
    made = (ladder_thresholds){.lab = "02_reduction", .card = "Card B", .count = 2};
    ladder_rubric_speed_hash(&rubric, made.rubric);
    made.rows[0] = (ladder_calibrated){
        .step = 1, .size = 4096, .naive = 1, .gain = {.low = 25.5, .mid = 25.6, .high = 25.7}};
    made.rows[1] = (ladder_calibrated){
        .step = 4, .over = 3, .size = 5, .naive = 1, .gain = {.low = 1.1, .mid = 1.1, .high = 1.2}};
    strcpy(made.rows[0].family, "sum-exact");
    strcpy(made.rows[1].family, "sum-real");
    made.rows[0].threshold = (ladder_threshold){5.05, 2.247};
    made.rows[1].left_out = true;
    close(mkstemp(path));
    OK_OR_SAY(ladder_thresholds_write(&made, path, false, &err), err);
    OK_OR_SAY(ladder_thresholds_read(path, false, &lab, "Card B", &got, &err), err);
    unlink(path);
    const ladder_criterion first = {.family = "sum-exact", .size = 4096, .over = 0};
    const ladder_criterion second = {.family = "sum-real", .size = 5, .over = 3};
    const ladder_calibrated *row = ladder_thresholds_find(&got, 1, &first);
    ck_assert(row && !row->left_out && row->threshold.full == 5.05);
    row = ladder_thresholds_find(&got, 4, &second);
    ck_assert(row && row->left_out);
    ck_assert(!ladder_thresholds_find(&got, 4, &first));
    ck_assert(!ladder_thresholds_find(NULL, 4, &first));
}

// A calibration that is stopped goes on from the rows that it has.
KL_TEST(rows_are_kept_while_a_card_is_measured) {
    static ladder_thresholds made, got;
    char folder[] = "thresholds.XXXXXX", path[64], part[LADDER_PATH], wanted[64];
    kl_error err = {KL_OK, ""};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/card_b.txt", folder);
    snprintf(wanted, sizeof wanted, "%s/card_b.part", folder);
    OK(ladder_thresholds_part(path, part, &err));
    ck_assert_str_eq(part, wanted);
    OK(ladder_thresholds_read(part, true, &lab, "Card B", &got, &err));
    ck_assert_int_eq(got.count, 0); // there is none yet
    made = (ladder_thresholds){.lab = "02_reduction", .card = "Card B", .count = 1};
    ladder_rubric_speed_hash(&rubric, made.rubric);
    made.rows[0] = (ladder_calibrated){.step = 1,
                                       .size = 4096,
                                       .family = "sum-exact",
                                       .naive = 1,
                                       .gain = {.low = 4, .mid = 5, .high = 6},
                                       .itself = {.low = 0.98, .high = 1.02},
                                       .seconds = 21.5,
                                       .threshold = {2, 1.5}};
    OK(ladder_thresholds_write(&made, part, true, &err));
    ck_assert_int_ne(access(path, F_OK), 0); // nothing that `ladder grade` would use
    ck_assert_int_eq(ladder_thresholds_read(part, false, &lab, "Card B", &got, &err),
                     KL_ERROR_INPUT);
    OK_OR_SAY(ladder_thresholds_read(part, true, &lab, "Card B", &got, &err), err);
    const ladder_calibrated *row = ladder_thresholds_find(&got, 1, &speed);
    ck_assert(row && row->gain.low == 4 && row->gain.mid == 5 && row->gain.high == 6 &&
              row->itself.low == 0.98 && row->itself.high == 1.02 && row->seconds == 21.5 &&
              row->threshold.full == 2 && row->threshold.zero == 1.5);
    ck_assert_int_eq(ladder_thresholds_read(part, true, &lab, "Card A", &got, &err),
                     KL_ERROR_INPUT);
    OK(ladder_thresholds_write(&made, path, false, &err));
    ck_assert_int_eq(unlink(part), 0);
    OK(ladder_thresholds_read(path, false, &lab, "Card B", &got, &err));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

KL_TEST(a_broken_file_is_an_error_with_its_line) {
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", ":0: expected \"ladder.thresholds/3\""},
        {"ladder.thresholds/3\nlab 07_gemm\n", ":2: expected \"lab 02_reduction\""},
        {"ladder.thresholds/3\nlab 02_reduction\ncard Card A\n", ":3: expected \"card Card B\""},
        {OF_CARD "rubric 0123456789abcdef\nend\n",
         "other speed criteria than the lab's rubric has"},
        {OF_CARD "end\n", "make it again: ./ladder calibrate 02_reduction --write"},
        {HEAD "1 0 sum-exact 4096 1 2.5 2 3 0.9 1.1 20 1.5 1.2\n", "its end is missing"},
        {HEAD "# a remark\n1 0 sum-exact 4096 1 2.5 2 3 0.9 1.1 20 1.5\nend\n",
         ":6: no line of a criterion"},
        {HEAD "1 0 sum-exact 4096 1 2.5 2 3 0.9 1.1 20 1.2 1.5\nend\n", ":5: no line"},
        {HEAD "1 0 sum-exact 4096 1 2.5 2 3 0.9 1.1 20 nan 1.2\nend\n", ":5: no line"},
        {HEAD "1 0 sum-exact 4096 1 2.5 2 3 0.9 1.1 20 1.5 0.9\nend\n", ":5: no line"},
        {HEAD "1 0 sum-exact 4096 1 2.5 2 3 0.9 1.1 20 1.5x 1.2\nend\n", ":5: no line"},
        {HEAD "1 0 sum-exact 4096 1 2.5 2 3 0.9 1.1 20 1.5 1.2 7\nend\n", ":5: no line"},
    };
    static ladder_thresholds got;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kl_error err = {KL_OK, ""};
        kl_status status = read_text(rows[i].text, &got, &err);
        ck_assert_msg(status == KL_ERROR_INPUT && strstr(err.text, rows[i].says), "%zu: %s", i,
                      err.text);
    }
}

KL_TEST(the_file_has_the_cards_name) {
    ladder_kit kit = {.source = "/kit"};
    char path[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ck_assert(ladder_thresholds_path(&kit, &lab, "NVIDIA H100 80GB HBM3", path, &err) == KL_OK);
    ck_assert_str_eq(path, "/kit/labs/02_reduction/thresholds/nvidia_h100_80gb_hbm3.txt");
    ck_assert(ladder_thresholds_path(&kit, &lab, "../(x)", path, &err) == KL_OK);
    ck_assert_str_eq(path, "/kit/labs/02_reduction/thresholds/x.txt");
    ck_assert(ladder_thresholds_path(&kit, &lab, "", path, &err) == KL_ERROR_SYSTEM);
}

// ---- targets_store ----
// The counts of the grader's promises, spread over several runs.

static kl_error err;
static char path[] = "targets.XXXXXX";

static void put(const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

KL_TEST(counting_goes_on_where_it_ended) {
    targets_store first, second;
    int watched = 0;
    close(mkstemp(path));
    unlink(path);
    OK(targets_store_read(path, &first, &err)); // there is none yet
    targets_row *row = targets_store_row(&first, "honest", -1);
    row->next = 7;
    row->done = 60;
    row->wrong = 1;
    OK(targets_store_write(&first, &err));
    OK_OR_SAY(targets_store_read(path, &second, &err), err);
    strcpy(second.rows[0].date, "2026-01-31"); // another day: a row of its own
    row = targets_store_row(&second, "honest", -1);
    ck_assert(row == &second.rows[1] && row->from == 7 && row->next == 7 && row->done == 0);
    row->next = 9;
    row->done = 20;
    row->left = 2;
    ck_assert(targets_store_row(&second, "honest", 5) == row); // counted already
    ck_assert_int_eq(targets_store_row(&second, "kills", -1)->from, 0);
    second.rows[2].done = 8;
    row = targets_store_row(&second, "honest", 100); // those between are another machine's
    ck_assert(row == &second.rows[3] && row->from == 100);
    second.rows[0].left = -1;
    OK(targets_store_write(&second, &err));
    OK_OR_SAY(targets_store_read(path, &first, &err), err);
    ck_assert_int_eq(first.count, 4);
    targets_row total = targets_store_total(&first, "honest", &watched);
    ck_assert(total.done == 80 && total.wrong == 1 && total.left == 2 && watched == 20);
    unlink(path);
}

KL_TEST(another_file_is_refused_and_kept) {
    static const char *const texts[] = {
        "", "{}\n",
        "{\n  \"schema\": \"ladder.targets/1\",\n  \"note\": \"Made by ladder_targets_test with "
        "--store; do not edit.\",\n  \"rows\": [\n    {\"kind\": \"honest\"}\n  ]\n}\n"};
    targets_store store;
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put(texts[i]);
        ck_assert_int_eq(targets_store_read(path, &store, &err), KL_ERROR_INPUT);
        KL_HAS(err.text, "not as ladder_targets_test writes it");
    }
    unlink(path);
}

KL_TEST_MAIN("interval")
