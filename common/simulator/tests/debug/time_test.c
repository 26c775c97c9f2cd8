// SPDX-License-Identifier: MIT
// Protects time travel: a moment is the same whenever and from wherever it is reached, snapshots
// are few, and steps and stops backwards are those forwards.
#include "debug/session.h"

enum { ITERATIONS = 150000, MOMENTS = 9 }; // five snapshots; some 2.4 million instructions

static uint64_t digest_at(debug_session *session, uint64_t time) {
    uint64_t digest;
    kl_error err;
    const sim_debug_stop *stop = debug_go(session, SIM_DEBUG_TO_TIME, SIM_DEBUG_CONTINUE, time);
    ck_assert_uint_eq(stop->reason, SIM_DEBUG_REACHED);
    ck_assert_uint_eq(stop->time, time);
    ck_assert_int_eq(sim_debug_digest(&session->client, &digest, &err), SIM_OK);
    return digest;
}

START_TEST(a_moment_is_the_same_from_everywhere) {
    debug_session session = debug_begin(SIM_MODE_CHECK, ITERATIONS, 1);
    uint64_t digests[MOMENTS], times[32];
    uint32_t count;
    kl_error err;
    debug_points(&session, &(sim_debug_point){0}, 0);
    sim_debug_point first = debug_at_line(1, 10);
    debug_points(&session, &first, 1);
    debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    for (uint64_t i = 0; i < MOMENTS; i++) {
        digests[i] = digest_at(&session, 1 + i * 262147);
        for (uint64_t k = 0; k < i; k++) ck_assert_uint_ne(digests[i], digests[k]);
    }
    ck_assert_int_eq(sim_debug_times(&session.client, times, 32, &count, &err), SIM_OK);
    ck_assert_uint_ge(count, 4);
    ck_assert_uint_le(count, 24);
    ck_assert_uint_eq(times[0], 0);
    for (uint64_t i = MOMENTS; i-- > 0;)
        ck_assert_uint_eq(digest_at(&session, 1 + i * 262147), digests[i]);
    ck_assert_uint_eq(digest_at(&session, 1 + 4 * 262147), digests[4]);
    ck_assert_int_eq(debug_end(&session), 0);
}
END_TEST

START_TEST(breakpoints_backwards_are_those_forwards) {
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, 400, 1);
    uint64_t times[8];
    sim_debug_thread threads[8];
    sim_debug_point points[] = {debug_at_line(3, 12), debug_at_line(4, 22)};
    debug_points(&session, points, 2);
    for (int i = 0; i < 8; i++) {
        const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
        ck_assert_uint_eq(stop->reason, SIM_DEBUG_BREAKPOINT);
        ck_assert_uint_eq(stop->point, i % 4 < 2 ? 3 : 4); // both warps, in both blocks
        ck_assert_uint_eq(debug_line(&session, stop->thread), i % 4 < 2 ? 12 : 22);
        times[i] = stop->time;
        threads[i] = stop->thread;
        if (i > 0) ck_assert_uint_gt(times[i], times[i - 1]);
    }
    for (int i = 7; i-- > 0;) {
        const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_CONTINUE, 0);
        ck_assert_uint_eq(stop->reason, SIM_DEBUG_BREAKPOINT);
        ck_assert_uint_eq(stop->time, times[i]);
        ck_assert_uint_eq(stop->thread.block, threads[i].block);
        ck_assert_uint_eq(stop->thread.warp, threads[i].warp);
    }
    const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_CONTINUE, 0);
    ck_assert_uint_eq(stop->reason, SIM_DEBUG_BEGINNING);
    ck_assert_uint_eq(stop->time, 0);
    ck_assert_int_eq(debug_end(&session), 0);
}
END_TEST

// Lines of an even thread, with the loop taken twice.
START_TEST(steps_backwards_are_those_forwards) {
    static const uint32_t lines[] = {10, 11, 12, 13, 14, 18, 19, 20, 19, 20, 22, 23, 24};
    enum { COUNT = sizeof lines / sizeof *lines };
    uint64_t times[COUNT];
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, 2, 1);
    sim_debug_point first = debug_at_line(1, 10);
    debug_points(&session, &first, 1);
    times[0] = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0)->time;
    debug_points(&session, NULL, 0);
    for (int i = 1; i < COUNT; i++) {
        const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_LINE, 0);
        ck_assert_uint_eq(stop->reason, SIM_DEBUG_STEPPED);
        ck_assert_uint_eq(debug_line(&session, stop->thread), lines[i]);
        times[i] = stop->time;
    }
    for (int i = COUNT - 1; i-- > 0;) {
        const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_BACKWARDS,
                                              i % 2 ? SIM_DEBUG_LINE : SIM_DEBUG_LINE_OVER, 0);
        ck_assert_uint_eq(stop->reason, SIM_DEBUG_STEPPED);
        ck_assert_uint_eq(stop->time, times[i]);
        ck_assert_uint_eq(debug_line(&session, stop->thread), lines[i]);
    }
    ck_assert_uint_eq(debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_LINE, 0)->reason,
                      SIM_DEBUG_BEGINNING);
    // An instruction there and back.
    uint64_t time = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_INSTRUCTION, 0)->time;
    ck_assert_uint_eq(time, 1);
    ck_assert_uint_eq(debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_INSTRUCTION, 0)->time, 0);
    ck_assert_int_eq(debug_end(&session), 0);
}
END_TEST

KL_TEST_MAIN("debugger, time", a_moment_is_the_same_from_everywhere,
             breakpoints_backwards_are_those_forwards, steps_backwards_are_those_forwards)
