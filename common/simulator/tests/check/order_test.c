// SPDX-License-Identifier: MIT
// The order of pieces of work and their uses of memory against sets: random steps, after each of
// which every earlier piece is either known or not, and every byte has been used by whom it was.
#include "check/uses.h"

#include <check.h>
#include <string.h>

#include "suite.h"
#include "support/random.h"

enum { TRIALS = 3000, STEPS = 40, QUEUES = 5, EVENTS = 3, BYTES = 300, EDGE = 4096 - 150 };

static const sim_queue queue_names[QUEUES] = {
    SIM_LEGACY_QUEUE, SIM_QUEUE(SIM_QUEUE_BLOCKING, 1), SIM_QUEUE(SIM_QUEUE_BLOCKING, 2),
    SIM_QUEUE(SIM_QUEUE_APART, 3), SIM_QUEUE(SIM_QUEUE_NODES, 4)};

static sim_queue event_name(uint64_t event) {
    return SIM_QUEUE(SIM_QUEUE_EVENT, 10 + event);
}

// Sets of pieces of work, as bits.
typedef struct model {
    check_works *works;
    uint64_t host, queues[QUEUES], events[EVENTS];
    check_moment moments[STEPS];
    int count;
} model;

static bool is_blocking(uint64_t queue) {
    return queue == 1 || queue == 2;
}

static void enter(model *m, uint64_t queue) {
    m->queues[queue] |= m->host;
    if (queue == 0) m->queues[0] |= m->queues[1] | m->queues[2];
    if (is_blocking(queue)) m->queues[queue] |= m->queues[0];
}

// Some other step than a piece of work.
static void step(model *m, uint64_t *state) {
    uint64_t queue = random_bits(state) % QUEUES, event = random_bits(state) % EVENTS;
    switch (random_bits(state) % 5) {
    case 0:
        enter(m, queue);
        m->events[event] = m->queues[queue];
        check_works_after(m->works, event_name(event), queue_names[queue]);
        break;
    case 1:
        m->queues[queue] |= m->events[event];
        check_works_after(m->works, queue_names[queue], event_name(event));
        break;
    case 2:
        if (queue == 0) enter(m, 0);
        m->host |= m->queues[queue];
        check_works_after(m->works, SIM_HOST_QUEUE, queue_names[queue]);
        break;
    case 3:
        m->host |= m->events[event];
        check_works_after(m->works, SIM_HOST_QUEUE, event_name(event));
        break;
    default:
        if (random_bits(state) % 8) break;
        m->host = (UINT64_C(1) << m->count) - 1;
        check_works_wait_all(m->works);
    }
}

static uint64_t begin(model *m, uint64_t *state) {
    uint64_t queue = random_bits(state) % QUEUES;
    enter(m, queue);
    uint64_t before = m->queues[queue];
    m->queues[queue] |= UINT64_C(1) << m->count;
    m->moments[m->count++] = check_works_begin(m->works, queue_names[queue]);
    return before;
}

START_TEST(pieces_of_work) {
    uint64_t state = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        model m = {.works = check_works_new()};
        for (int i = 0; i < STEPS; i++) {
            if (random_bits(&state) % 2) {
                step(&m, &state);
                continue;
            }
            uint64_t before = begin(&m, &state);
            for (int k = 0; k + 1 < m.count; k++)
                ck_assert_int_eq(check_works_knows(m.works, m.moments[k]), before >> k & 1);
        }
        ck_assert_int_eq(check_works_all_known(m.works), m.host == (UINT64_C(1) << m.count) - 1);
        check_works_free(m.works);
    }
}
END_TEST

// A stream that is gone gives its line away, once the host has waited for it.
START_TEST(streams_come_and_go) {
    check_works *works = check_works_new();
    check_moment last = {0, 0};
    for (uint64_t i = 1; i <= 10000; i++) {
        sim_queue stream = SIM_QUEUE(SIM_QUEUE_APART, i);
        check_moment now = check_works_begin(works, stream);
        ck_assert_uint_ne(now.number, 0);
        ck_assert_uint_lt(now.line, 2);
        ck_assert_int_eq(check_works_knows(works, last), i == 1 || i % 2 == 1);
        if (i % 2 == 0) check_works_wait_all(works);
        check_works_gone(works, stream);
        last = now;
    }
    check_works_free(works);
}
END_TEST

// Who wrote and who read each byte.
typedef struct bytes_model {
    uint64_t writers[BYTES], readers[BYTES];
} bytes_model;

static bool use_bytes(bytes_model *b, uint64_t first, uint64_t count, int work, uint64_t before,
                      bool writes) {
    uint64_t unknown = ~(before | UINT64_C(1) << work), clash = 0;
    for (uint64_t i = first; i < first + count; i++) {
        clash |= (b->writers[i] | (writes ? b->readers[i] : 0)) & unknown;
        *(writes ? &b->writers[i] : &b->readers[i]) |= UINT64_C(1) << work;
    }
    return clash != 0;
}

// Up to the first clash, which is all that is promised.
static bool use_some(model *m, check_uses *uses, bytes_model *b, uint64_t *state) {
    uint64_t before = begin(m, state), each = random_bits(state) % 2 ? 4 : 1;
    for (uint64_t uses_left = 1 + random_bits(state) % 3; uses_left > 0; uses_left--) {
        uint64_t first = random_bits(state) % (BYTES / each) * each;
        uint64_t count = (1 + random_bits(state) % 10) * each;
        if (count > BYTES - first) count = BYTES - first;
        const check_place place = {.line = (uint32_t)m->count};
        const check_use use = {.moment = m->moments[m->count - 1],
                               .place = check_uses_place(uses, &place),
                               .flags = random_bits(state) % 3 ? 0 : CHECK_USE_WRITES};
        bool clashes = use_bytes(b, first, count, m->count - 1, before, use.flags != 0);
        check_clash clash;
        check_uses_note(uses, EDGE / 4 * 4 + first, count, check_uses_by(uses, &use));
        bool found = check_uses_take_clash(uses, &clash);
        ck_assert_int_eq(found, clashes);
        if (!found) continue;
        ck_assert_uint_eq(check_uses_use(uses, clash.later)->place, use.place);
        return false;
    }
    return true;
}

START_TEST(uses_of_bytes) {
    uint64_t state = 2;
    int clashing = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        model m = {.works = check_works_new()};
        check_uses *uses = check_uses_new(m.works);
        bytes_model b = {.writers = {0}};
        bool clean = true;
        for (int i = 0; i < STEPS && clean; i++) {
            if (random_bits(&state) % 2) {
                step(&m, &state);
                if (!check_works_all_known(m.works)) continue;
                check_uses_forget_all(uses); // as the checker does
            } else {
                clean = use_some(&m, uses, &b, &state);
            }
        }
        clashing += !clean;
        check_uses_free(uses);
        check_works_free(m.works);
    }
    ck_assert_int_gt(clashing, TRIALS / 10);
    ck_assert_int_lt(clashing, TRIALS);
}
END_TEST

// Polls what another piece has set: from there on that one comes before it.
START_TEST(flags_in_memory) {
    check_works *works = check_works_new();
    check_uses *uses = check_uses_new(works);
    const check_place place = {.line = 1};
    const uint32_t sets = CHECK_USE_WRITES | CHECK_USE_STRONG,
                   polls = CHECK_USE_STRONG | CHECK_USE_TAKES;
    check_use use = {.place = check_uses_place(uses, &place)};
    check_clash clash;
    use.moment = check_works_begin(works, SIM_QUEUE(SIM_QUEUE_APART, 1));
    use.flags = CHECK_USE_WRITES;
    check_uses_note(uses, 0, 64, check_uses_by(uses, &use));
    use.flags = sets;
    check_uses_note(uses, 64, 4, check_uses_by(uses, &use));
    use.moment = check_works_begin(works, SIM_QUEUE(SIM_QUEUE_APART, 2));
    use.flags = 0;
    check_uses_note(uses, 0, 64, check_uses_by(uses, &use));
    use.flags = polls;
    check_uses_note(uses, 64, 4, check_uses_by(uses, &use));
    ck_assert(!check_uses_take_clash(uses, &clash));
    use.moment = check_works_begin(works, SIM_QUEUE(SIM_QUEUE_APART, 3));
    use.flags = CHECK_USE_CALL; // a copy of what was set does not know of anything
    check_uses_note(uses, 64, 4, check_uses_by(uses, &use));
    ck_assert(!check_uses_take_clash(uses, &clash));
    check_uses_note(uses, 0, 4, check_uses_by(uses, &use));
    ck_assert(check_uses_take_clash(uses, &clash));
    ck_assert_uint_eq(clash.address, 0);
    check_uses_free(uses);
    check_works_free(works);
}
END_TEST

static uint32_t note_one(check_uses *uses, uint64_t offset, uint64_t bytes, check_use use) {
    const check_place place = {.line = (uint32_t)offset + 1};
    use.place = check_uses_place(uses, &place);
    uint32_t by = check_uses_by(uses, &use);
    check_uses_note(uses, offset, bytes, by);
    return by;
}

static void is_run(const check_uses *uses, uint64_t from, uint64_t first, uint64_t bytes,
                   uint32_t flags) {
    check_pages pages;
    ck_assert_int_eq(check_uses_pages(uses, from, 100 * 4096, &pages), bytes > 0);
    ck_assert_uint_eq(pages.offset, first);
    ck_assert_uint_eq(pages.bytes, bytes);
    ck_assert_uint_eq(pages.flags, flags);
}

// The host may read what is read, and write what nobody uses, until it has waited.
START_TEST(host_accesses) {
    check_works *works = check_works_new();
    check_uses *uses = check_uses_new(works);
    sim_queue one = SIM_QUEUE(SIM_QUEUE_APART, 1), two = SIM_QUEUE(SIM_QUEUE_APART, 2);
    check_use use = {.moment = check_works_begin(works, one), .flags = CHECK_USE_WRITES};
    uint32_t writes = note_one(uses, 4096, 3 * 4096 + 8, use);
    use = (check_use){.moment = check_works_begin(works, two)};
    uint32_t reads = note_one(uses, 10 * 4096, 2 * 4096, use);
    is_run(uses, 0, 4096, 3 * 4096, SIM_PAGES_WRITTEN);
    is_run(uses, 2 * 4096 + 5, 2 * 4096, 2 * 4096, SIM_PAGES_WRITTEN);
    is_run(uses, 4 * 4096, 4 * 4096, 4096, SIM_PAGES_WRITTEN | SIM_PAGES_IN_PART);
    is_run(uses, 5 * 4096, 10 * 4096, 2 * 4096, SIM_PAGES_READ);
    ck_assert_uint_eq(check_uses_by_host(uses, 4 * 4096 + 7, false), writes);
    ck_assert_uint_eq(check_uses_by_host(uses, 4 * 4096 + 7, true), writes);
    ck_assert_uint_eq(check_uses_by_host(uses, 4 * 4096 + 8, true), 0);
    ck_assert_uint_eq(check_uses_by_host(uses, 10 * 4096, false), 0);
    ck_assert_uint_eq(check_uses_by_host(uses, 10 * 4096, true), reads);
    check_works_after(works, SIM_HOST_QUEUE, one);
    is_run(uses, 0, 10 * 4096, 2 * 4096, SIM_PAGES_READ);
    ck_assert_uint_eq(check_uses_by_host(uses, 4096, true), 0);
    check_works_wait_all(works);
    is_run(uses, 0, 0, 0, 0);
    check_uses_free(uses);
    check_works_free(works);
}
END_TEST

// A flag that the host has seen stands for all that its kernel did; what atomics add up does not.
START_TEST(host_flags) {
    check_works *works = check_works_new();
    check_uses *uses = check_uses_new(works);
    check_use use = {.moment = check_works_begin(works, SIM_QUEUE(SIM_QUEUE_APART, 1))};
    const uint32_t strong = CHECK_USE_WRITES | CHECK_USE_STRONG;
    use.flags = CHECK_USE_WRITES;
    uint32_t plain = note_one(uses, 0, 64, use);
    use.flags = strong | CHECK_USE_ATOMIC;
    uint32_t sum = note_one(uses, 64, 4, use);
    use.flags = strong;
    note_one(uses, 68, 4, use);
    use.flags = strong | CHECK_USE_ATOMIC | CHECK_USE_SYSTEM;
    note_one(uses, 72, 4, use);
    ck_assert_uint_eq(check_uses_by_host(uses, 0, false), plain);
    ck_assert_uint_eq(check_uses_by_host(uses, 64, false), sum);
    ck_assert_uint_eq(check_uses_by_host(uses, 68, true), 0);
    ck_assert_uint_eq(check_uses_by_host(uses, 0, false), plain); // a write tells nothing
    ck_assert_uint_eq(check_uses_by_host(uses, 72, false), 0);
    ck_assert_uint_eq(check_uses_by_host(uses, 0, false), 0);
    ck_assert_uint_eq(check_uses_by_host(uses, 64, true), 0);
    check_uses_free(uses);
    check_works_free(works);
}
END_TEST

KL_TEST_MAIN("order", pieces_of_work, streams_come_and_go, uses_of_bytes, flags_in_memory,
             host_accesses, host_flags)
