// SPDX-License-Identifier: MIT
// Protects what is kept of how steps came out: one entry per kind and step, of one version of the
// file, and no partial success in place of a failure.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "last_results.h"
#include "suite.h"

static char folder[] = "/tmp/kl_last_results_XXXXXX";
static char file[64];
static kl_error err;
static kl_last_result all[KL_LAST_RESULTS];

static void set_up(void) {
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/last_results.txt", folder);
}

static void tear_down(void) {
    unlink(file);
    ck_assert_int_eq(rmdir(folder), 0);
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
    ck_assert_int_eq(kl_last_results_keep(file, &r, 1, &err), KL_OK);
}

// What is known of this step's run; NULL: nothing.
static const kl_last_result *find(int step, uint64_t hash) {
    int count = kl_last_results_read(file, all);
    return kl_last_result_find(all, count, KL_RESULT_OF_RUN, step, hash);
}

START_TEST(an_entry_comes_back_on_one_line) {
    set_up();
    ck_assert_int_eq(kl_last_results_read(file, all), 0); // no file yet
    kl_last_result r = result(3, UINT64_C(0xfedcba9876543210), false, true);
    r.when_s = 1234567890;
    keep(r);
    const kl_last_result *found = find(3, r.hash);
    ck_assert_ptr_nonnull(found);
    ck_assert(!found->good && found->whole && found->when_s == 1234567890);
    ck_assert_str_eq(found->state, "wrong answer");
    ck_assert_str_eq(found->text, "y[3] is 1, expected 2 Hint");
    ck_assert_ptr_null(find(3, 1)); // another version of the file
    ck_assert_ptr_null(find(4, r.hash));
    r.kind = KL_RESULT_OF_CHECK; // beside that of the run
    keep(r);
    keep(result(4, 7, true, true));
    ck_assert_int_eq(kl_last_results_read(file, all), 3);
    ck_assert_int_eq(all[0].step, 4); // the newest first
    ck_assert_int_gt(all[0].when_s, 1234567890);
    tear_down();
}
END_TEST

START_TEST(a_partial_success_replaces_no_failure) {
    set_up();
    keep(result(3, 5, false, true));
    keep(result(3, 5, true, false)); // right in the small cases alone
    ck_assert(!find(3, 5)->good);
    ck_assert_str_eq(find(3, 5)->state, "wrong answer");
    keep(result(3, 5, true, true));
    ck_assert(find(3, 5)->good && find(3, 5)->whole);
    keep(result(3, 5, true, false));
    ck_assert(find(3, 5)->good && find(3, 5)->whole); // nor a success in all cases
    keep(result(3, 6, true, false));                  // of a new version of the file
    ck_assert(find(3, 6)->good && !find(3, 6)->whole);
    ck_assert_ptr_null(find(3, 5));
    tear_down();
}
END_TEST

START_TEST(what_is_no_such_file_has_no_entries) {
    static const char *const texts[] = {"", "other/1\nrun\t3\t5\t0\tgood\tall\tok\t\n",
                                        "ladder.last-results/1\nrun\t3\t5\n\nwalk\t3\t5\t0\tgood\t"
                                        "all\tok\t\n"};
    set_up();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        FILE *out = fopen(file, "w");
        ck_assert_ptr_nonnull(out);
        fputs(texts[i], out);
        fclose(out);
        ck_assert_int_eq(kl_last_results_read(file, all), 0);
    }
    kl_last_result r = result(1, 1, true, true);
    ck_assert_int_eq(kl_last_results_keep("/nowhere/last_results.txt", &r, 1, &err),
                     KL_ERROR_SYSTEM);
    tear_down();
}
END_TEST

// Results of steps `first` .. first + 19, as one process after the other keeps them.
static bool keep_twenty(int first) {
    bool kept = true;
    for (int step = first; step < first + 20 && kept; step++) {
        kl_last_result r = result(step, 1, true, true);
        kept = kl_last_results_keep(file, &r, 1, &err) == KL_OK;
    }
    return kept;
}

START_TEST(commands_at_the_same_time_lose_none) {
    int status = -1;
    set_up();
    pid_t other = fork();
    if (other == 0) _exit(keep_twenty(20) ? 0 : 1);
    bool kept = keep_twenty(0);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert(kept && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(kl_last_results_read(file, all), 40);
    tear_down();
}
END_TEST

KL_TEST_MAIN("last_results", an_entry_comes_back_on_one_line, a_partial_success_replaces_no_failure,
             what_is_no_such_file_has_no_entries, commands_at_the_same_time_lose_none)
