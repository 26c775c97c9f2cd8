// SPDX-License-Identifier: MIT
// Tests of common/host/parallel.h: each piece once, whatever the number of pieces and threads; a
// process may fork afterwards.
#include "parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

enum { MOST = 1000 };

static void count_piece(void *context, int index) {
    atomic_fetch_add((atomic_int *)context + index, 1);
}

START_TEST(test_each_piece_once) {
    static const int counts[] = {0, 1, 2, 3, KL_PARALLEL_MOST, KL_PARALLEL_MOST + 1, MOST};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        atomic_int seen[MOST + 1] = {0};
        kl_parallel(counts[k], count_piece, seen);
        for (int i = 0; i <= MOST; i++)
            ck_assert_int_eq(atomic_load(&seen[i]), i < counts[k] ? 1 : 0);
    }
}
END_TEST

static void nest(void *context, int index) {
    (void)index;
    kl_parallel(MOST, count_piece, context);
}

START_TEST(test_pieces_may_have_pieces) {
    atomic_int seen[MOST] = {0};
    kl_parallel(7, nest, seen);
    for (int i = 0; i < MOST; i++) ck_assert_int_eq(atomic_load(&seen[i]), 7);
}
END_TEST

// A child has only the thread that forked; it must be able to start threads of its own.
START_TEST(test_a_child_can_go_on) {
    atomic_int seen[MOST] = {0};
    kl_parallel(MOST, count_piece, seen);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        kl_parallel(MOST, count_piece, seen);
        _exit(atomic_load(&seen[MOST - 1]));
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 2);
}
END_TEST

START_TEST(test_threads_are_bounded) {
    ck_assert_int_ge(kl_parallel_threads(), 1);
    ck_assert_int_le(kl_parallel_threads(), KL_PARALLEL_MOST);
}
END_TEST

// In a container, or under taskset, a machine has more processors than its programs may use.
START_TEST(test_threads_are_those_that_can_run) {
    cpu_set_t mine, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof mine, &mine), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &mine)) CPU_SET(i, &one);
    ck_assert_int_eq(kl_parallel_threads(),
                     CPU_COUNT(&mine) < KL_PARALLEL_MOST ? CPU_COUNT(&mine) : KL_PARALLEL_MOST);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    int threads = kl_parallel_threads();
    ck_assert_int_eq(sched_setaffinity(0, sizeof mine, &mine), 0);
    ck_assert_int_eq(threads, 1);
}
END_TEST

KL_TEST_MAIN("parallel", test_each_piece_once, test_pieces_may_have_pieces, test_a_child_can_go_on,
             test_threads_are_bounded, test_threads_are_those_that_can_run)
