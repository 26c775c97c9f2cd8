// A launch that is stopped and taken back.
#include <poll.h>

#include "debug/session.h"

// ---- time ----
// Protects time travel: a moment is the same whenever and from wherever it is reached, snapshots
// are few, and steps and stops backwards are those forwards.

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

KL_TEST(a_moment_is_the_same_from_everywhere) {
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

KL_TEST(breakpoints_backwards_are_those_forwards) {
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

// Lines of an even thread, with the loop taken twice.
KL_TEST(steps_backwards_are_those_forwards) {
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

// ---- stops ----
// Protects what a stopped launch looks like, and that it stops at writes, faults and findings, with
// the thread that did it.

static sim_debug_point on_first_word(const debug_session *session) {
    return (sim_debug_point){.number = 2,
                             .kind = SIM_DEBUG_ON_WRITE,
                             .space = PTX_SPACE_GLOBAL,
                             .address = session->out,
                             .bytes = 4};
}

static uint32_t word(const uint8_t value[SIM_DEBUG_WATCHED_BYTES]) {
    uint32_t number;
    memcpy(&number, value, sizeof number);
    return number;
}

// All threads write out[0]: four warps, whose last lanes stay. Each is found forwards, and the last
// one from the end. Of a block, warp 1 goes first, which opened the barrier.
KL_TEST(the_last_writer_is_found) {
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, 3, 1);
    sim_debug_point point = on_first_word(&session);
    uint64_t times[4];
    debug_points(&session, &point, 1);
    for (uint32_t i = 0; i < 4; i++) {
        const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
        ck_assert_uint_eq(stop->reason, SIM_DEBUG_WATCHPOINT);
        ck_assert(stop->wrote);
        ck_assert_uint_eq(stop->thread.block, i / 2);
        ck_assert_uint_eq(stop->thread.warp, 1 - i % 2);
        ck_assert_uint_eq(stop->thread.lane, 31);
        uint32_t index = i / 2 * DEBUG_BLOCK + (1 - i % 2) * 32 + 31;
        ck_assert_uint_eq(word(stop->new_value), index + 7 + 3);
        times[i] = stop->time;
    }
    sim_debug_point end = debug_at_line(5, 24);
    debug_points(&session, &end, 1);
    debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    debug_points(&session, &point, 1);
    for (uint32_t i = 4; i-- > 0;) {
        const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_CONTINUE, 0);
        ck_assert_uint_eq(stop->reason, SIM_DEBUG_WATCHPOINT);
        ck_assert_uint_eq(stop->time, times[i] - 1); // before it writes
        ck_assert_uint_eq(stop->thread.block, i / 2);
        ck_assert_uint_eq(stop->thread.warp, 1 - i % 2);
        ck_assert_uint_eq(debug_line(&session, stop->thread), 22);
    }
    ck_assert_int_eq(debug_end(&session), 0);
}

static void count_states(debug_session *session, uint32_t warp, uint32_t counts[8]) {
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    sim_debug_thread thread = session->client.stop.thread;
    kl_error err;
    thread.warp = warp;
    memset(counts, 0, 8 * sizeof *counts);
    ck_assert_int_eq(sim_debug_lanes(&session->client, &thread, lanes, &err), SIM_OK);
    for (int i = 0; i < SIM_DEBUG_LANES; i++) counts[lanes[i].state]++;
}

KL_TEST(lanes_diverge_and_wait) {
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, 3, 1);
    uint32_t counts[8];
    sim_debug_point points[] = {debug_at_line(1, 12), debug_at_line(2, 16), debug_at_line(3, 14)};
    debug_points(&session, points, 3);
    debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0); // warp 0 at the barrier
    debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0); // warp 1 before it
    ck_assert_uint_eq(session.client.stop.thread.warp, 1);
    count_states(&session, 0, counts);
    ck_assert_uint_eq(counts[SIM_DEBUG_AT_BARRIER], 32);
    const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    count_states(&session, stop->thread.warp, counts);
    ck_assert_uint_eq(counts[SIM_DEBUG_ACTIVE], 16);
    ck_assert_uint_eq(counts[SIM_DEBUG_DIVERGED], 16);
    stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    count_states(&session, stop->thread.warp, counts);
    ck_assert_uint_eq(counts[SIM_DEBUG_ACTIVE], 16);
    ck_assert_uint_eq(counts[SIM_DEBUG_RECONVERGING], 16);
    ck_assert_int_eq(debug_end(&session), 0);
}

KL_TEST(registers_and_memory_are_read) {
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, 3, 1);
    sim_debug_point point = {.number = 1, .kind = SIM_DEBUG_AT_FUNCTION, .name = "work"};
    sim_debug_register all;
    sim_debug_symbol tile;
    sim_debug_place place;
    uint32_t value;
    kl_error err;
    ck_assert_int_eq(sim_debug_resolve(&session.client, &point, &place, &err), SIM_OK);
    ck_assert_uint_eq(place.line, 11); // behind the line on which it begins
    sim_debug_point line = debug_at_line(1, 13);
    ck_assert_int_eq(sim_debug_resolve(&session.client, &line, &place, &err), SIM_OK);
    ck_assert_uint_eq(place.line, 13);
    line.line = 15; // the next one that has code
    ck_assert_int_eq(sim_debug_resolve(&session.client, &line, &place, &err), SIM_OK);
    ck_assert_uint_eq(place.line, 16);
    line.line = 99;
    ck_assert_int_eq(sim_debug_resolve(&session.client, &line, &place, &err), SIM_NOT_FOUND);
    line.line = 19;
    debug_points(&session, &line, 1);
    sim_debug_thread thread = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0)->thread;
    sim_debug_client *client = &session.client;
    ck_assert_int_eq(sim_debug_read_register(client, &thread, 0, "%r8", &all, &err), SIM_OK);
    ck_assert_uint_eq(all.bytes, 4);
    uint32_t base = 32 * thread.warp;
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(all.values[i], i % 2 ? base + i + 7 : 3 * (base + i));
    ck_assert_int_eq(sim_debug_read_register(client, &thread, 0, "%p1", &all, &err), SIM_OK);
    ck_assert_uint_eq(all.bytes, 0);
    ck_assert_uint_eq(all.values[1], 1);
    ck_assert_int_eq(sim_debug_read_register(client, &thread, 0, "%laneid", &all, &err), SIM_OK);
    ck_assert_uint_eq(all.values[9], 9);
    ck_assert_int_eq(sim_debug_read_register(client, &thread, 0, "%r99", &all, &err),
                     SIM_NOT_FOUND);
    ck_assert_int_eq(sim_debug_find_symbol(client, &thread, 0, "tile", &tile, &err), SIM_OK);
    ck_assert_uint_eq(tile.space, PTX_SPACE_SHARED);
    for (uint64_t i = 0; i < DEBUG_BLOCK; i++) {
        ck_assert_int_eq(sim_debug_read_memory(client, &thread, tile.space, tile.address + 4 * i,
                                               &value, 4, &err),
                         SIM_OK);
        ck_assert_uint_eq(value, i);
    }
    ck_assert_int_eq(sim_debug_read_memory(client, &thread, PTX_SPACE_GLOBAL, 16, &value, 4, &err),
                     SIM_INVALID_VALUE);
    ck_assert_int_eq(debug_end(&session), 0);
}

// Warp 1 is the first to write, and outside.
KL_TEST(a_fault_stops_and_is_gone_before_it) {
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, 3, 1000);
    const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    ck_assert_uint_eq(stop->reason, SIM_DEBUG_FAULT);
    ck_assert_ptr_nonnull(strstr(stop->text, "illegal write"));
    ck_assert_uint_eq(stop->thread.warp, 1);
    ck_assert_uint_eq(stop->thread.lane, 0);
    ck_assert_uint_eq(debug_line(&session, stop->thread), 23);
    uint64_t time = stop->time;
    stop = debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_LINE, 0);
    ck_assert_uint_eq(debug_line(&session, stop->thread), 23); // its beginning
    stop = debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_LINE, 0);
    ck_assert_uint_eq(debug_line(&session, stop->thread), 22);
    stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    ck_assert_uint_eq(stop->reason, SIM_DEBUG_FAULT);
    ck_assert_uint_eq(stop->time, time);
    ck_assert_int_eq(debug_end(&session), 5);
}

// The race at line 22 between the two warps of block 0, before the second one writes.
KL_TEST(a_finding_stops_with_both_threads) {
    debug_session session = debug_begin(SIM_MODE_CHECK, 3, 1);
    const sim_debug_stop *stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    ck_assert_uint_eq(stop->reason, SIM_DEBUG_FINDING);
    ck_assert_uint_eq(stop->finding.kind, SIM_CHECK_RACE);
    ck_assert_uint_eq(stop->finding.sides[0].line, 22);
    ck_assert_uint_eq(stop->finding.sides[1].line, 22);
    ck_assert_uint_eq(debug_line(&session, stop->thread), 22);
    uint64_t time = stop->time;
    sim_debug_point point = debug_at_line(1, 11);
    debug_points(&session, &point, 1);
    ck_assert_uint_lt(debug_go(&session, SIM_DEBUG_BACKWARDS, SIM_DEBUG_CONTINUE, 0)->time, time);
    debug_points(&session, NULL, 0);
    stop = debug_go(&session, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0);
    ck_assert_uint_eq(stop->reason, SIM_DEBUG_FINDING);
    ck_assert_uint_eq(stop->time, time);
    ck_assert_int_eq(debug_end(&session), 0);
}

KL_TEST(an_endless_loop_can_be_stopped) {
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, UINT32_MAX, 1);
    const sim_debug_plan plan = {.way = SIM_DEBUG_FORWARDS};
    kl_error err;
    ck_assert_int_eq(sim_debug_go(&session.client, &plan, &err), SIM_OK);
    struct pollfd quiet = {.fd = session.client.descriptor, .events = POLLIN};
    ck_assert_int_eq(poll(&quiet, 1, 50), 0);
    sim_debug_ask_to_stop(&session.client);
    ck_assert_int_eq(sim_debug_wait(&session.client, &err), SIM_OK);
    ck_assert_uint_eq(session.client.stop.reason, SIM_DEBUG_INTERRUPT);
    uint32_t line = debug_line(&session, session.client.stop.thread);
    ck_assert(line == 19 || line == 20);
    // Without a client all its processes end.
    int status;
    close(session.client.descriptor);
    ck_assert_int_eq(waitpid(session.engine, &status, 0), session.engine);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

// Of block 1 each instruction of warp 1, with what it touches: a word of shared memory from each
// lane, and the last word of `out` from all.
KL_TEST(all_warps_are_followed_with_their_accesses) {
    debug_session session = debug_begin(SIM_MODE_FUNCTIONAL, 3, 1);
    const sim_debug_plan plan = {.way = SIM_DEBUG_FORWARDS,
                                 .step = SIM_DEBUG_ANY_OF,
                                 .thread = {1, 1, 0},
                                 .blocks = 1,
                                 .warps = 1};
    sim_debug_instruction instr;
    kl_error err;
    uint32_t steps = 0, tile = 0, out = 0, barriers = 0;
    do {
        ck_assert_int_eq(sim_debug_go(&session.client, &plan, &err), SIM_OK);
        ck_assert_int_eq(sim_debug_wait(&session.client, &err), SIM_OK);
        ck_assert_uint_eq(session.client.stop.reason, SIM_DEBUG_STEPPED);
        ck_assert_int_eq(sim_debug_next_instruction(&session.client, &instr, &err), SIM_OK);
        ck_assert_uint_eq(instr.thread.block, 1);
        ck_assert_uint_eq(instr.thread.warp, 1);
        steps++;
        barriers += instr.is_barrier;
        if (instr.access == SIM_DEBUG_NO_ACCESS) continue;
        ck_assert_uint_eq(instr.access, SIM_DEBUG_STORE);
        ck_assert_uint_eq(instr.bytes, 4);
        ck_assert_uint_eq(instr.touching, UINT32_MAX);
        bool shared = instr.space == PTX_SPACE_SHARED;
        for (uint64_t lane = 0; shared && lane < SIM_DEBUG_LANES; lane++)
            ck_assert_uint_eq(instr.addresses[lane] - instr.addresses[0], 4 * lane);
        tile += shared && instr.at.line == 11;
        out += !shared && instr.at.line == 22 && instr.addresses[31] == session.out;
    } while (instr.at.line != 24);
    ck_assert_uint_gt(steps, 20);
    ck_assert_uint_eq(tile, 1);
    ck_assert_uint_eq(out, 1);
    ck_assert_uint_eq(barriers, 1);
    debug_end(&session);
}

KL_TEST_MAIN("debug")
