// SPDX-License-Identifier: MIT
// Work shared among processes: all of it is done once, a process that dies at it costs that part
// alone, and an error is told.
#include "grade/intake/internal.h"

#include <signal.h>
#include <unistd.h>

#include "suite.h"

enum { COUNT = 100 };

typedef struct board {
    int done[COUNT]; // how often
    int deadly, faulty;
} board;

static kl_status work(void *context, size_t index, kl_error *err) {
    board *b = context;
    if ((int)index == b->deadly) raise(SIGKILL);
    if ((int)index == b->faulty) return kl_fail(err, KL_ERROR_INPUT, "work %zu", index);
    b->done[index]++;
    return KL_OK;
}

static void share(int workers, int deadly, int faulty, kl_status expected) {
    bool lost[COUNT] = {false};
    kl_error err = {KL_OK, ""};
    board *b = ladder_share_memory(sizeof *b);
    ck_assert_ptr_nonnull(b);
    b->deadly = deadly;
    b->faulty = faulty;
    ck_assert_int_eq(ladder_share(COUNT, workers, work, b, lost, &err), expected);
    for (int i = 0; i < COUNT && expected == KL_OK; i++) {
        ck_assert_int_eq(lost[i], i == deadly);
        ck_assert_int_eq(b->done[i], i != deadly);
    }
    if (expected != KL_OK) ck_assert_str_eq(err.text, "work 9");
    ladder_share_memory_free(b, sizeof *b);
}

START_TEST(everything_is_done_once) {
    share(1, -1, -1, KL_OK);
    share(4, -1, -1, KL_OK);
    share(200, -1, -1, KL_OK);
}
END_TEST

START_TEST(a_death_costs_one) {
    share(3, 5, -1, KL_OK);
    share(2, COUNT - 1, -1, KL_OK);
}
END_TEST

START_TEST(an_error_is_told) {
    share(1, -1, 9, KL_ERROR_INPUT);
    share(4, -1, 9, KL_ERROR_INPUT);
}
END_TEST

KL_TEST_MAIN("intake share", everything_is_done_once, a_death_costs_one, an_error_is_told)
