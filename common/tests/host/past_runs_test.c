// SPDX-License-Identifier: MIT
// Protects what is kept of earlier runs: never another device's, size's or version's figures.
// links: kl_lab
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "past_runs.h"
#include "suite.h"

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

static kl_past_key key(void) {
    return (kl_past_key){&device, false, 2, "sum-exact", 1000};
}

static kl_past_run find(kl_past_key wanted) {
    kl_past_run run;
    kl_past_find(file, folder, &wanted, &run);
    return run;
}

START_TEST(the_last_run_is_found) {
    set_up();
    kl_past_key k = key();
    ck_assert_int_eq(find(k).state, KL_PAST_NONE); // no file yet
    ck_assert_int_eq(kl_past_keep(file, folder, &k, 12.5, &none, &err), KL_OK);
    ck_assert_int_eq(kl_past_keep(file, folder, &k, 7.25, &none, &err), KL_OK);
    ck_assert_int_eq(find(k).state, KL_PAST_KNOWN);
    ck_assert_double_eq(find(k).time_us, 7.25);
    tear_down();
}
END_TEST

START_TEST(an_entry_is_of_one_key) {
    set_up();
    kl_past_key k = key(), other = k;
    ck_assert_int_eq(kl_past_keep(file, folder, &k, 7.25, &none, &err), KL_OK);
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
    ck_assert_int_eq(kl_past_keep(file, folder, &other, 1.5, &none, &err), KL_OK);
    ck_assert_double_eq(find(k).time_us, 7.25);
    ck_assert_double_eq(find(other).time_us, 1.5);
    tear_down();
}
END_TEST

START_TEST(a_changed_step_makes_it_stale) {
    set_up();
    kl_past_key k = key();
    ck_assert_int_eq(kl_past_keep(file, folder, &k, 7.25, &none, &err), KL_OK);
    write_text(source, "second\n");
    ck_assert_int_eq(find(k).state, KL_PAST_STALE);
    ck_assert(isnan(find(k).time_us));
    ck_assert_int_eq(kl_past_keep(file, folder, &k, 6.5, &none, &err), KL_OK);
    ck_assert_double_eq(find(k).time_us, 6.5);
    tear_down();
}
END_TEST

START_TEST(another_file_is_no_list_of_entries) {
    set_up();
    kl_past_key k = key();
    write_text(file, "something else\nsim a card\tyours\t2\tsum-exact\t1000\t0\t5\n");
    ck_assert_int_eq(find(k).state, KL_PAST_NONE);
    ck_assert_int_eq(kl_past_keep(file, folder, &k, 7.25, &none, &err), KL_OK);
    ck_assert_double_eq(find(k).time_us, 7.25);
    ck_assert_int_eq(kl_past_keep("/nowhere/past_runs.txt", folder, &k, 1, &none, &err),
                     KL_ERROR_SYSTEM);
    tear_down();
}
END_TEST

KL_TEST_MAIN("past_runs", the_last_run_is_found, an_entry_is_of_one_key,
             a_changed_step_makes_it_stale, another_file_is_no_list_of_entries)
