// SPDX-License-Identifier: MIT
// The counts of the grader's promises, spread over several runs.
#include "targets_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

static kl_error err;
static char path[] = "targets.XXXXXX";

static void put(const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(counting_goes_on_where_it_ended) {
    targets_store first, second;
    int watched = 0;
    close(mkstemp(path));
    unlink(path);
    ck_assert_int_eq(targets_store_read(path, &first, &err), KL_OK); // there is none yet
    targets_row *row = targets_store_row(&first, "honest", -1);
    row->next = 7;
    row->done = 60;
    row->wrong = 1;
    ck_assert_int_eq(targets_store_write(&first, &err), KL_OK);
    ck_assert_msg(targets_store_read(path, &second, &err) == KL_OK, "%s", err.text);
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
    ck_assert_int_eq(targets_store_write(&second, &err), KL_OK);
    ck_assert_msg(targets_store_read(path, &first, &err) == KL_OK, "%s", err.text);
    ck_assert_int_eq(first.count, 4);
    targets_row total = targets_store_total(&first, "honest", &watched);
    ck_assert(total.done == 80 && total.wrong == 1 && total.left == 2 && watched == 20);
    unlink(path);
}
END_TEST

START_TEST(another_file_is_refused_and_kept) {
    static const char *const texts[] = {
        "", "{}\n",
        "{\n  \"schema\": \"ladder.targets/1\",\n  \"note\": \"Made by ladder_targets_test with "
        "--store; do not edit.\",\n  \"rows\": [\n    {\"kind\": \"honest\"}\n  ]\n}\n"};
    targets_store store;
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put(texts[i]);
        ck_assert_int_eq(targets_store_read(path, &store, &err), KL_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(err.text, "not as ladder_targets_test writes it"));
    }
    unlink(path);
}
END_TEST

KL_TEST_MAIN("targets_store", counting_goes_on_where_it_ended, another_file_is_refused_and_kept)
