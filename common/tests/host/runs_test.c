// What a lab program keeps of its runs, and its options.
// links: kl_lab
// links: reduction_problem kl_lab
#include "ladder.h"
#include "suite.h"
#include "plan.h"
#include "reference.h"

// ---- past_runs ----
// Protects what is kept of earlier runs: never another device's, size's or version's figures.

static char folder[] = "/tmp/kl_past_runs_XXXXXX";
static char file[200], source[200];
static kl_device device;
static kl_error err;
static const kl_counts none;

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

static void set_up(void) {
    char list[200], text[300];
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/past_runs.txt", folder);
    snprintf(source, sizeof source, "%s/2_strided.cu", folder);
    snprintf(list, sizeof list, "%s/sources.txt", folder);
    snprintf(text, sizeof text, "2 %s\n", source);
    write_text(source, "first\n");
    write_text(list, text);
    device.simulated = true;
    snprintf(device.name, sizeof device.name, "a card");
}

static void tear_down(void) {
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static kl_past_key key(void) { return (kl_past_key){&device, false, 2, "sum-exact", 1000}; }

static kl_past_run find(kl_past_key wanted) {
    kl_past_run run;
    kl_past_find(file, folder, &wanted, &run);
    return run;
}

KL_FIXTURE(set_up, tear_down)

KL_TEST(the_last_run_is_found) {
    kl_past_key k = key();
    ck_assert_int_eq(find(k).state, KL_PAST_NONE); // no file yet
    OK(kl_past_keep(file, folder, &k, 12.5, &none, &err));
    OK(kl_past_keep(file, folder, &k, 7.25, &none, &err));
    ck_assert_int_eq(find(k).state, KL_PAST_KNOWN);
    ck_assert_double_eq(find(k).time_us, 7.25);
}

KL_TEST(an_entry_is_of_one_key) {
    kl_past_key k = key(), other = k;
    OK(kl_past_keep(file, folder, &k, 7.25, &none, &err));
    other.size = 10000; // begins with the other's digits
    ck_assert_int_eq(find(other).state, KL_PAST_NONE);
    other = k;
    other.solution = true;
    ck_assert_int_eq(find(other).state, KL_PAST_NONE);
    other = k;
    other.family = "sum-real";
    ck_assert_int_eq(find(other).state, KL_PAST_NONE);
    kl_device card = device; // never a ratio across devices
    snprintf(card.name, sizeof card.name, "another card");
    other = k;
    other.device = &card;
    ck_assert_int_eq(find(other).state, KL_PAST_NONE);
    card = device;
    card.simulated = false;
    ck_assert_int_eq(find(other).state, KL_PAST_NONE);
    OK(kl_past_keep(file, folder, &other, 1.5, &none, &err));
    ck_assert_double_eq(find(k).time_us, 7.25);
    ck_assert_double_eq(find(other).time_us, 1.5);
}

KL_TEST(a_changed_step_makes_it_stale) {
    kl_past_key k = key();
    OK(kl_past_keep(file, folder, &k, 7.25, &none, &err));
    write_text(source, "second\n");
    ck_assert_int_eq(find(k).state, KL_PAST_STALE);
    ck_assert(isnan(find(k).time_us));
    OK(kl_past_keep(file, folder, &k, 6.5, &none, &err));
    ck_assert_double_eq(find(k).time_us, 6.5);
}

KL_TEST(another_file_is_no_list_of_entries) {
    kl_past_key k = key();
    write_text(file, "something else\nsim a card\tyours\t2\tsum-exact\t1000\t0\t5\n");
    ck_assert_int_eq(find(k).state, KL_PAST_NONE);
    OK(kl_past_keep(file, folder, &k, 7.25, &none, &err));
    ck_assert_double_eq(find(k).time_us, 7.25);
    ck_assert_int_eq(kl_past_keep("/nowhere/past_runs.txt", folder, &k, 1, &none, &err),
                     KL_ERROR_SYSTEM);
}

// ---- last_results ----
// Protects what is kept of how steps came out: one entry per kind and step, of one version of the
// file, and no partial success in place of a failure.

static char folder_last_results[] = "/tmp/kl_last_results_XXXXXX";
static char file_last_results[64];
static kl_error err_last_results;
static kl_last_result all[KL_LAST_RESULTS];

static void set_up_last_results(void) {
    memcpy(folder_last_results + strlen(folder_last_results) - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder_last_results));
    snprintf(file_last_results, sizeof file_last_results, "%s/last_results.txt",
             folder_last_results);
}

static void tear_down_last_results(void) {
    unlink(file_last_results);
    ck_assert_int_eq(rmdir(folder_last_results), 0);
}

static kl_last_result result(int step, uint64_t hash, bool good, bool whole) {
    kl_last_result r = {.kind = KL_RESULT_OF_RUN, .step = step, .hash = hash};
    r.good = good;
    r.whole = whole;
    snprintf(r.state, sizeof r.state, "%s", good ? "correct" : "wrong answer");
    snprintf(r.text, sizeof r.text, "%s", good ? "" : "y[3] is 1,\texpected 2\nHint");
    return r;
}

static void keep(kl_last_result r) {
    OK(kl_last_results_keep(file_last_results, &r, 1, &err_last_results));
}

// What is known of this step's run; NULL: nothing.
static const kl_last_result *find_last_results(int step, uint64_t hash) {
    int count = kl_last_results_read(file_last_results, all);
    return kl_last_result_find(all, count, KL_RESULT_OF_RUN, step, hash);
}

KL_TEST(an_entry_comes_back_on_one_line) {
    set_up_last_results();
    ck_assert_int_eq(kl_last_results_read(file_last_results, all), 0); // no file_last_results yet
    kl_last_result r = result(3, UINT64_C(0xfedcba9876543210), false, true);
    r.when_s = 1234567890;
    keep(r);
    const kl_last_result *found = find_last_results(3, r.hash);
    ck_assert_ptr_nonnull(found);
    ck_assert(!found->good && found->whole && found->when_s == 1234567890);
    ck_assert_str_eq(found->state, "wrong answer");
    ck_assert_str_eq(found->text, "y[3] is 1, expected 2 Hint");
    ck_assert_ptr_null(find_last_results(3, 1)); // another version of the file_last_results
    ck_assert_ptr_null(find_last_results(4, r.hash));
    r.kind = KL_RESULT_OF_CHECK; // beside that of the run
    keep(r);
    keep(result(4, 7, true, true));
    ck_assert_int_eq(kl_last_results_read(file_last_results, all), 3);
    ck_assert_int_eq(all[0].step, 4); // the newest first
    ck_assert_int_gt(all[0].when_s, 1234567890);
    tear_down_last_results();
}

KL_TEST(a_partial_success_replaces_no_failure) {
    set_up_last_results();
    keep(result(3, 5, false, true));
    keep(result(3, 5, true, false)); // right in the small cases alone
    ck_assert(!find_last_results(3, 5)->good);
    ck_assert_str_eq(find_last_results(3, 5)->state, "wrong answer");
    keep(result(3, 5, true, true));
    ck_assert(find_last_results(3, 5)->good && find_last_results(3, 5)->whole);
    keep(result(3, 5, true, false));
    ck_assert(find_last_results(3, 5)->good &&
              find_last_results(3, 5)->whole); // nor a success in all cases
    keep(result(3, 6, true, false));           // of a new version of the file_last_results
    ck_assert(find_last_results(3, 6)->good && !find_last_results(3, 6)->whole);
    ck_assert_ptr_null(find_last_results(3, 5));
    tear_down_last_results();
}

KL_TEST(what_is_no_such_file_has_no_entries) {
    static const char *const texts[] = {"", "other/1\nrun\t3\t5\t0\tgood\tall\tok\t\n",
                                        "ladder.last-results/1\nrun\t3\t5\n\nwalk\t3\t5\t0\tgood\t"
                                        "all\tok\t\n"};
    set_up_last_results();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        FILE *out = fopen(file_last_results, "w");
        ck_assert_ptr_nonnull(out);
        fputs(texts[i], out);
        fclose(out);
        ck_assert_int_eq(kl_last_results_read(file_last_results, all), 0);
    }
    kl_last_result r = result(1, 1, true, true);
    ck_assert_int_eq(kl_last_results_keep("/nowhere/last_results.txt", &r, 1, &err_last_results),
                     KL_ERROR_SYSTEM);
    tear_down_last_results();
}

// Results of steps `first` .. first + 19, as one process after the other keeps them.
static bool keep_twenty(int first) {
    bool kept = true;
    for (int step = first; step < first + 20 && kept; step++) {
        kl_last_result r = result(step, 1, true, true);
        kept = kl_last_results_keep(file_last_results, &r, 1, &err_last_results) == KL_OK;
    }
    return kept;
}

KL_TEST(commands_at_the_same_time_lose_none) {
    int status = -1;
    set_up_last_results();
    pid_t other = fork();
    if (other == 0) _exit(keep_twenty(20) ? 0 : 1);
    bool kept = keep_twenty(0);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert(kept && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(kl_last_results_read(file_last_results, all), 40);
    tear_down_last_results();
}

// ---- options ----
// Command line of a lab program and the choice of cases that follows from it.

enum { MOST_WORDS = 16 };

static kl_options options;
static kl_error err_options;

// Parses a command line given as words separated by blanks.
static kl_status parse(const char *line) {
    static char words[256];
    char *argv[MOST_WORDS] = {"reduction"};
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && argc + 1 < MOST_WORDS; word = strtok(NULL, " "))
        argv[argc++] = word;
    return kl_options_parse(argc, argv, &reduction_problem, &options, &err_options);
}

KL_TEST(options_are_understood) {
    OK(parse("--step 3 --solution --size 2^20 5 --device sim --json out.json"));
    ck_assert_int_eq(options.step_count, 2);
    ck_assert(options.step[3] && options.step[5]);
    ck_assert(options.solution);
    ck_assert_int_eq(options.size, 1 << 20);
    ck_assert_int_eq(options.device.choice, KL_CHOOSE_SIM);
    ck_assert_ptr_null(options.device.model);
    ck_assert_str_eq(options.json_file, "out.json");
    OK(parse("--device h200"));
    ck_assert_int_eq(options.device.choice, KL_CHOOSE_SIM);
    ck_assert_str_eq(options.device.model, "h200");
    OK(parse("--device gpu"));
    ck_assert_int_eq(options.device.choice, KL_CHOOSE_GPU);
    ck_assert_ptr_null(options.device.model);
    OK(parse(""));
    ck_assert_int_eq(options.size, -1);
    ck_assert_int_eq(options.launch_once, -1);
    ck_assert_int_eq(options.trials, -1);
    OK(parse("--size 0 --case max-odd --quick --check-only --repeat 15 --trials 7"));
    ck_assert_int_eq(options.size, 0);
    ck_assert_int_eq(options.repeat, 15);
    ck_assert_int_eq(options.trials, 7);
}

KL_TEST(nonsense_is_refused_with_a_reason) {
    static const char *const lines[] = {
        "--step 99",    "--step x",      "--size -1",     "--size 2^62", "--size 12x",  "--size",
        "--case sum",   "--device cpu",  "--unknown",     "--repeat 0",  "seven",       "--json",
        "--size 2^2^2", "--launch-once", "--timeout 0.5", "--size 2^",   "--trials -1",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        err_options.text[0] = '\0';
        ck_assert_msg(parse(lines[i]) == KL_ERROR_USAGE, "accepted: %s", lines[i]);
        ck_assert(err_options.text[0] != '\0');
    }
    ck_assert_int_eq(parse("--device cpu"), KL_ERROR_USAGE);
    KL_HAS(err_options.text, "--device is one of auto|sim|gpu|h100|", "|FILE, not 'cpu'");
    ck_assert_int_eq(parse("--size 2^x"), KL_ERROR_USAGE);
    KL_HAS(err_options.text, "from 0 to 2147483648, not '2^x'");
    ck_assert_int_eq(parse("--case sum"), KL_ERROR_USAGE);
    KL_HAS(err_options.text, "--case sum: lab reduction has sum-exact, ");
}

static kl_plan plan;

static void make_plan(const char *line, bool simulated) {
    OK(parse(line));
    OK_OR_SAY(kl_plan_make(&reduction_problem, &options, simulated, &plan, &err_options),
              err_options);
}

KL_TEST(one_size_means_every_family_at_that_size) {
    make_plan("--size 1000", true);
    ck_assert_int_eq(plan.count, reduction_problem.family_count);
    for (int i = 0; i < plan.count; i++) ck_assert_int_eq(plan.cases[i].data.shape.size, 1000);
    ck_assert_int_ge(plan.main_case, 0);
    kl_plan_free(&plan);
    make_plan("--size 1000 --case max-odd", false);
    ck_assert_int_eq(plan.count, 1);
    ck_assert_int_eq(plan.main_case, 0);
    kl_plan_free(&plan);
    make_plan("--size 1000 --check-only", false);
    ck_assert_int_eq(plan.main_case, -1);
    kl_plan_free(&plan);
}

KL_TEST(the_quick_plan_is_small_and_timed_once) {
    make_plan("--quick", true);
    int timed = 0;
    for (int i = 0; i < plan.count; i++) {
        ck_assert_int_le(plan.cases[i].data.shape.size, 65537);
        timed += plan.cases[i].timed;
        int64_t size = plan.cases[i].data.shape.size;
        if (i > 0 && size > 0) { // ascending, the empty ones last
            ck_assert_int_ge(size, plan.cases[i - 1].data.shape.size);
            ck_assert_int_gt(plan.cases[i - 1].data.shape.size, 0);
        }
    }
    ck_assert_int_eq(timed, 1);
    kl_plan_free(&plan);
}

KL_TEST(the_simulator_is_spared_the_largest_size) {
    make_plan("--case sum-exact", true);
    ck_assert_int_eq(plan.cases[plan.main_case].data.shape.size, 1 << 24);
    for (int i = 0; i < plan.count; i++)
        ck_assert_uint_ge(plan.workspace_bytes, plan.cases[i].data.shape.workspace_bytes);
    kl_plan_free(&plan);
}

static double executed(const kl_problem *problem, int step, const char *family) {
    for (int i = 0; i < problem->executed_count; i++) {
        const kl_executed *e = &problem->executed[i];
        if (e->step == step && strcmp(e->family, family) == 0) return e->per_work;
    }
    ck_abort_msg("step %d, %s: not counted", step, family);
}

// The solution executes what warp_instructions.csv says; a step may execute 50 times as much, and a
// million warp instructions more, and what the lab's slowest step executes five times.
KL_TEST(ceilings_grow_with_the_work) {
    kl_case shape;
    char text[256];
    const kl_problem *p = &reduction_problem;
    OK(p->describe(0, 1 << 20, 1, &shape, NULL));
    double warps = kl_case_work(&shape) / 32, own = executed(p, 1, "sum-exact");
    ck_assert_double_gt(own, 1);
    ck_assert_double_eq_tol(kl_instruction_ceiling(p, 1, &shape, false), 50 * own * warps + 1e6, 1);
    ck_assert_double_eq_tol(kl_instruction_ceiling(p, 1, &shape, true), 10 * own * warps + 1e6, 1);
    double most = 0;
    for (int step = 0; step <= 8; step++)
        most = executed(p, step, "sum-exact") > most ? executed(p, step, "sum-exact") : most;
    for (int step = 0; step <= 8; step++)
        ck_assert_double_ge(kl_instruction_ceiling(p, step, &shape, false), 5 * most * warps);
    ck_assert(!kl_instruction_ceiling_text(p, 1, &shape, 1024 * own * warps, text, sizeof text));
    KL_HAS(text, "stopped after 1,024 times the work expected");
    OK(p->describe(0, 1, 1, &shape, NULL));
    ck_assert(kl_instruction_ceiling_text(p, 1, &shape, 1e6, text, sizeof text));
    ck_assert_str_eq(text, "a loop does not end");
}

KL_TEST_MAIN("runs")
