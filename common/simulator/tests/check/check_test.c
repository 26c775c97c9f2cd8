// The checker's own tables: sets of cells, intervals of addresses, orders between pieces of work.
#include "check/bits.h"
#include "check/cells.h"
#include "suite.h"
#include "support/bytes.h"
#include "check/race.h"

// ---- cells ----
// The checks' loops over many cells and many bits against the same for one at a time, on random
// records around every bound that they are compared with.

enum { CELLS = 96, TRIES = 20000, WORDS = 8, BITS = 64 * WORDS };

// Times: floor 100, iteration 110, base 120, warp 125, now 130.
static check_record random_record(uint64_t *state, bool own) {
    static const uint32_t times[] = {0, 99, 100, 105, 110, 119, 120, 124, 125, 130};
    uint32_t time = times[random_bits(state) % 10];
    if (own && time >= 100 && time < 110) time = 99; // no other block's
    if (random_bits(state) % 64 == 0) return CHECK_PENDING;
    return (check_record)time << CHECK_TIME_SHIFT |
           (random_bits(state) % 40) << CHECK_THREAD_SHIFT | 5 << CHECK_SITE_SHIFT;
}

static check_record some_cells[2][CHECK_CELLS_BYTES(CELLS) / sizeof(check_record)];

// Mostly cells that need no closer look, which is what makes a difference visible.
static void fill(uint64_t *state, bool own) {
    bool mixed = random_bits(state) % 2;
    for (uint32_t i = 0; i < 4 * CELLS; i++) {
        check_record record = random_record(state, own);
        bool plain = !mixed || random_bits(state) % 16;
        some_cells[0][i] = plain ? record % (UINT64_C(100) << CHECK_TIME_SHIFT) : record;
    }
    memset(&some_cells[0][4 * CELLS], 0, CELLS / CHECK_LINE * sizeof(check_line));
    memcpy(some_cells[1], some_cells[0], sizeof some_cells[0]);
}

static check_row row_at(check_cells *cells, int copy) {
    *cells = (check_cells){.write = some_cells[copy]};
    check_cells_split(cells, CELLS);
    return (check_row){.cells = cells,
                       .floor = INT64_C(100) << CHECK_TIME_SHIFT,
                       .since = INT64_C(110) << CHECK_TIME_SHIFT,
                       .base = INT64_C(120) << CHECK_TIME_SHIFT,
                       .warp = INT64_C(125) << CHECK_TIME_SHIFT,
                       .record = UINT64_C(130) << CHECK_TIME_SHIFT};
}

// One lane after the other; false: one of them needs a closer look.
static bool one_by_one(const check_row *row, uint64_t first, uint32_t lanes, bool is_write) {
    bool good = true;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1)) continue;
        good &= is_write ? check_write_row(row, false, first + lane, 1, 1, lane)
                         : check_read_row(row, false, first + lane, 1, 1, lane, 0);
    }
    return good;
}

KL_TEST(some_lanes_of_a_row) {
    uint64_t state = 1;
    uint32_t settled = 0;
    for (int i = 0; i < TRIES; i++) {
        bool own = random_bits(&state) % 2, is_write = random_bits(&state) % 2;
        uint64_t first = random_bits(&state) % (CELLS - 31);
        uint32_t lanes = (uint32_t)random_bits(&state) | 1;
        check_cells cells[2];
        fill(&state, own);
        const check_row quick = row_at(&cells[0], 0), slow = row_at(&cells[1], 1);
        bool good = is_write ? check_write_some(&quick, own, first, lanes)
                             : check_read_some(&quick, own, first, lanes);
        bool each = one_by_one(&slow, first, lanes, is_write);
        ck_assert_int_eq(good, each);
        settled += good;
        if (good) ck_assert_mem_eq(some_cells[0], some_cells[1], sizeof some_cells[0]);
    }
    ck_assert_uint_gt(settled, TRIES / 8);
    ck_assert_uint_lt(settled, TRIES - TRIES / 8);
}

// Where no other block has been, the bounds of the block alone decide alike.
KL_TEST(own_cells) {
    uint64_t state = 2;
    for (int i = 0; i < TRIES; i++) {
        bool is_write = random_bits(&state) % 2;
        uint64_t first = random_bits(&state) % (CELLS - 15);
        uint32_t again = random_bits(&state) % 2 ? 16 : 0;
        check_cells cells[2];
        fill(&state, true);
        const check_row one = row_at(&cells[0], 0), other = row_at(&cells[1], 1);
        bool own = is_write ? check_write_row(&one, true, first, 16, 1, 16)
                            : check_read_row(&one, true, first, 16, 1, 0, again);
        bool any = is_write ? check_write_row(&other, false, first, 16, 1, 16)
                            : check_read_row(&other, false, first, 16, 1, 0, again);
        ck_assert_int_eq(own, any);
        ck_assert_mem_eq(some_cells[0], some_cells[1], sizeof some_cells[0]);
    }
}

// What a line tells is what its cells tell, now and when the block is further on: a read of any of
// them has no finding and leaves them as they are. A change of a cell ends it.
KL_TEST(lines) {
    uint64_t state = 5;
    uint32_t learned = 0, settled = 0;
    for (int i = 0; i < TRIES; i++) {
        bool own = random_bits(&state) % 2;
        check_cells cells;
        fill(&state, own);
        check_row row = row_at(&cells, 0);
        check_record read = (100 + random_bits(&state) % 31) << CHECK_TIME_SHIFT;
        for (uint32_t c = 0; c < CHECK_LINE; c++) // by threads of one time, mostly
            if (random_bits(&state) % 64) cells.reads[1][c] = read | c << CHECK_THREAD_SHIFT;
        memcpy(some_cells[1], some_cells[0], sizeof some_cells[0]);
        check_line_learn(&row, own, 0);
        if (!cells.lines[0].read) continue;
        learned++;
        uint32_t later = (uint32_t)random_bits(&state) % 8, now = 120 + later;
        check_bounds bounds = {100, 110, now, now + 5};
        row.base = (int64_t)bounds.base << CHECK_TIME_SHIFT;
        row.warp = (int64_t)bounds.warp << CHECK_TIME_SHIFT;
        if (!check_line_settles(&cells.lines[0], own, &bounds)) continue;
        settled++;
        ck_assert(check_read_row(&row, own, 0, CHECK_LINE, 1, 0, 0));
        ck_assert_mem_eq(some_cells[0], some_cells[1], 4 * CELLS * sizeof(check_record));
        check_row next = row;
        next.record = UINT64_C(140) << CHECK_TIME_SHIFT;
        if (check_write_row(&next, own, i % CHECK_LINE, 1, 1, 0))
            ck_assert(!check_line_settles(&cells.lines[0], own, &bounds));
    }
    ck_assert_uint_gt(learned, TRIES / 64);
    ck_assert_uint_gt(settled, TRIES / 256);
    ck_assert_uint_lt(settled, learned);
}

KL_TEST(bits_of_words) {
    uint64_t state = 3;
    for (int i = 0; i < TRIES; i++) {
        uint64_t bits[2][WORDS], first = 4 * (random_bits(&state) % ((BITS - 64) / 4 + 1));
        uint32_t words = (uint32_t)random_bits(&state) & 0xFFFF;
        for (int w = 0; w < WORDS; w++)
            bits[0][w] = bits[1][w] = random_bits(&state) | random_bits(&state);
        bool all = true;
        for (uint32_t word = 0; word < 16; word++)
            if (words >> word & 1) all &= check_bits_all(bits[0], first + 4 * word, 4);
        ck_assert_int_eq(check_bits_all_these(bits[0], first, check_bits_of_words(words)), all);
        for (uint32_t word = 0; word < 16; word++)
            if (words >> word & 1) check_bits_set(bits[1], first + 4 * word, 4);
        check_bits_set_these(bits[0], first, check_bits_of_words(words));
        ck_assert_mem_eq(bits[0], bits[1], sizeof bits[0]);
        ck_assert(check_bits_all_these(bits[0], first, check_bits_of_words(words)));
    }
}

KL_TEST(all_bits_of_a_range) {
    uint64_t state = 4, bits[WORDS] = {0};
    for (int i = 0; i < TRIES; i++) {
        uint64_t first = random_bits(&state) % BITS, count = random_bits(&state) % (BITS - first);
        memset(bits, 0, sizeof bits);
        ck_assert_int_eq(check_bits_all(bits, first, count), count == 0);
        check_bits_set(bits, first, count);
        ck_assert(check_bits_all(bits, first, count));
        ck_assert(!check_bits_all(bits, first, count + 1));
        if (first) ck_assert(!check_bits_all(bits, first - 1, count + 1));
        if (count > 2) {
            check_bits_clear(bits, first + count / 2, 1);
            ck_assert(!check_bits_all(bits, first, count));
        }
    }
}

// ---- interval ----
// What is only noted of accesses between two barriers (check/race.h): none of it may conflict,
// which is held against a list of all lanes' accesses; and what ordinary kernels do is noted.

enum { CELLS_INTERVAL = 512, THREADS = 256, TRIES_INTERVAL = 3000, ACCESSES = 12 };

static check_strip strips[CELLS_INTERVAL / CHECK_STRIP + 1];
static check_interval interval;
static sim_row_note noted[ACCESSES];
static uint32_t count;

// Strips stay from one interval to the next.
static void begin(uint32_t time) {
    interval = (check_interval){.strips = strips, .begin = time};
    count = 0;
}

static bool note(uint32_t warp, uint32_t a, uint32_t b, uint32_t stride, uint32_t lanes,
                 bool is_store) {
    const sim_row_note access = {.base = {4 * a, 4 * b},
                                 .lanes = lanes,
                                 .warp = (uint16_t)warp,
                                 .stride = (uint8_t)stride,
                                 .is_store = is_store};
    if (!check_interval_fits(&interval, &access)) return false;
    noted[count++ % ACCESSES] = access;
    return true;
}

// By cell: the threads that have accessed it, as far as two matter, and one that has written it.
typedef struct cell {
    int first, second, writer; // thread + 1
} cell;

static void enter(cell *c, int thread, bool is_store) {
    if (!c->first || c->first == thread)
        c->first = thread;
    else
        c->second = thread;
    if (is_store) c->writer = thread;
}

static void enter_all(cell *cells, const sim_row_note *n) {
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(n->lanes >> lane & 1)) continue;
        uint32_t at = n->base[lane / 16] / 4 + lane % 16 * n->stride / 4;
        ck_assert_uint_lt(at, CELLS_INTERVAL);
        enter(&cells[at], (int)(32 * n->warp + lane + 1), n->is_store);
    }
}

KL_TEST(no_conflict_is_noted) {
    uint64_t state = 7;
    uint32_t stores = 0, mixed = 0;
    for (uint32_t i = 0; i < TRIES_INTERVAL; i++) {
        cell cells[CELLS_INTERVAL] = {{0}};
        begin(2 * i + 1);
        for (int k = 0; k < ACCESSES; k++) {
            uint32_t warp = random_bits(&state) % 8, kind = random_bits(&state) % 4;
            uint32_t a =
                random_bits(&state) % 3 ? 32 * warp : random_bits(&state) % (CELLS_INTERVAL - 64);
            uint32_t lanes = random_bits(&state) % 2 ? UINT32_MAX : (uint32_t)random_bits(&state);
            uint32_t b = kind == 0   ? random_bits(&state) % (CELLS_INTERVAL - 64)
                         : kind == 1 ? a
                                     : a + 16;
            uint32_t stride = random_bits(&state) % 4 ? 4 : 0;
            bool is_store = random_bits(&state) % 3 == 0;
            if (!lanes || !note(warp, a, b, stride, lanes, is_store)) break;
        }
        for (uint32_t k = 0; k < count; k++) enter_all(cells, &noted[k]);
        for (int c = 0; c < CELLS_INTERVAL; c++) {
            ck_assert(!cells[c].writer || !cells[c].second);
            stores += cells[c].writer != 0;
            mixed += cells[c].second != 0;
        }
    }
    ck_assert_uint_gt(stores, TRIES_INTERVAL);
    ck_assert_uint_gt(mixed, TRIES_INTERVAL);
}

// A tile of 16 x 16 that all warps store a part of, then read by rows and columns.
KL_TEST(tiles) {
    for (uint32_t tile = 0; tile < 4; tile++) {
        begin(100 + 2 * tile);
        for (uint32_t warp = 0; warp < 8; warp++)
            ck_assert(note(warp, 32 * warp, 32 * warp + 16, 4, UINT32_MAX, true));
        ck_assert(!note(0, 0, 16, 0, UINT32_MAX, false)); // no barrier between
        begin(101 + 2 * tile);
        for (uint32_t warp = 0; warp < 8; warp++)
            for (uint32_t k = 0; k < 16; k++) {
                ck_assert(note(warp, 32 * warp + k, 32 * warp + 16 + k, 0, UINT32_MAX, false));
                ck_assert(note(warp, 16 * k, 16 * k, 4, UINT32_MAX, false));
            }
        ck_assert(!note(3, 96, 112, 4, UINT32_MAX, true)); // what others have read
    }
}

// partial[t] += partial[t + stride] for t % (2 * stride) == 0.
KL_TEST(reduction) {
    memset(strips, 0, sizeof strips);
    begin(200);
    for (uint32_t warp = 0; warp < 8; warp++)
        ck_assert(note(warp, 32 * warp, 32 * warp + 16, 4, UINT32_MAX, true));
    for (uint32_t stride = 1; stride < 32; stride *= 2) {
        uint32_t lanes = 0;
        for (uint32_t lane = 0; lane < 32; lane += 2 * stride) lanes |= UINT32_C(1) << lane;
        begin(200 + stride);
        for (uint32_t warp = 0; warp < 8; warp++) {
            uint32_t a = 32 * warp;
            ck_assert(note(warp, a + stride, a + stride + 16, 4, lanes, false));
            ck_assert(note(warp, a, a + 16, 4, lanes, false));
            ck_assert(note(warp, a, a + 16, 4, lanes, true));
        }
        // The next step without a barrier reads what another lane has written.
        ck_assert(!note(2, 64 + 2 * stride, 80 + 2 * stride, 4, 1, false));
    }
}

// ---- order ----
// The order of pieces of work and their uses of memory against sets: random steps, after each of
// which every earlier piece is either known or not, and every byte has been used by whom it was.

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

static void enter_order(model *m, uint64_t queue) {
    m->queues[queue] |= m->host;
    if (queue == 0) m->queues[0] |= m->queues[1] | m->queues[2];
    if (is_blocking(queue)) m->queues[queue] |= m->queues[0];
}

// Some other step than a piece of work.
static void step(model *m, uint64_t *state) {
    uint64_t queue = random_bits(state) % QUEUES, event = random_bits(state) % EVENTS;
    switch (random_bits(state) % 5) {
    case 0:
        enter_order(m, queue);
        m->events[event] = m->queues[queue];
        check_works_after(m->works, event_name(event), queue_names[queue]);
        break;
    case 1:
        m->queues[queue] |= m->events[event];
        check_works_after(m->works, queue_names[queue], event_name(event));
        break;
    case 2:
        if (queue == 0) enter_order(m, 0);
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

static uint64_t begin_order(model *m, uint64_t *state) {
    uint64_t queue = random_bits(state) % QUEUES;
    enter_order(m, queue);
    uint64_t before = m->queues[queue];
    m->queues[queue] |= UINT64_C(1) << m->count;
    m->moments[m->count++] = check_works_begin(m->works, queue_names[queue]);
    return before;
}

KL_TEST(pieces_of_work) {
    uint64_t state = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        model m = {.works = check_works_new()};
        for (int i = 0; i < STEPS; i++) {
            if (random_bits(&state) % 2) {
                step(&m, &state);
                continue;
            }
            uint64_t before = begin_order(&m, &state);
            for (int k = 0; k + 1 < m.count; k++)
                ck_assert_int_eq(check_works_knows(m.works, m.moments[k]), before >> k & 1);
        }
        ck_assert_int_eq(check_works_all_known(m.works), m.host == (UINT64_C(1) << m.count) - 1);
        check_works_free(m.works);
    }
}

// A stream that is gone gives its line away, once the host has waited for it.
KL_TEST(streams_come_and_go) {
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
    uint64_t before = begin_order(m, state), each = random_bits(state) % 2 ? 4 : 1;
    for (uint64_t uses_left = 1 + random_bits(state) % 3; uses_left > 0; uses_left--) {
        uint64_t first = random_bits(state) % (BYTES / each) * each;
        uint64_t count = (1 + random_bits(state) % 10) * each;
        if (count > BYTES - first) count = BYTES - first;
        const check_location place = {.line = (uint32_t)m->count};
        const check_use use = {.moment = m->moments[m->count - 1],
                               .place = check_uses_location(uses, &place),
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

KL_TEST(uses_of_bytes) {
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

// Polls what another piece has set: from there on that one comes before it.
KL_TEST(flags_in_memory) {
    check_works *works = check_works_new();
    check_uses *uses = check_uses_new(works);
    const check_location place = {.line = 1};
    const uint32_t sets = CHECK_USE_WRITES | CHECK_USE_STRONG,
                   polls = CHECK_USE_STRONG | CHECK_USE_TAKES;
    check_use use = {.place = check_uses_location(uses, &place)};
    check_clash clash;
    use.moment = check_works_begin(works, SIM_QUEUE(SIM_QUEUE_APART, 1));
    use.flags = CHECK_USE_WRITES;
    check_uses_note(uses, 0, 64, check_uses_by(uses, &use));
    use.flags = sets;
    check_uses_note(uses, 64, 4, check_uses_by(uses, &use));
    check_works_released(works, use.moment, SIM_FENCE_GPU);
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

// Data before a flag are seen by who polls it behind fences on both sides, of a scope that holds
// both, and not otherwise. device: of the second piece.
static bool is_seen(uint32_t device, bool releases, uint32_t data, uint32_t reads) {
    check_works *works = check_works_new();
    check_uses *uses = check_uses_new(works);
    const check_location place = {.line = 1};
    const uint32_t strong = CHECK_USE_STRONG | CHECK_USE_SYSTEM;
    const sim_queue second = SIM_QUEUE_ON(SIM_QUEUE(SIM_QUEUE_APART, 2), device);
    check_use use = {.moment = check_works_begin(works, SIM_QUEUE(SIM_QUEUE_APART, 1)),
                     .place = check_uses_location(uses, &place)};
    check_clash clash;
    use.flags = CHECK_USE_WRITES | data;
    check_uses_note(uses, 0, 64, check_uses_by(uses, &use));
    use.flags = CHECK_USE_WRITES | strong;
    check_uses_note(uses, 64, 4, check_uses_by(uses, &use));
    if (releases) check_works_released(works, use.moment, device ? SIM_FENCE_SYS : SIM_FENCE_GPU);
    use.moment = check_works_begin(works, second);
    use.flags = strong | CHECK_USE_TAKES;
    check_uses_note(uses, 64, 4, check_uses_by(uses, &use));
    use.flags = reads;
    check_uses_note(uses, 0, 64, check_uses_by(uses, &use));
    bool is = !check_uses_take_clash(uses, &clash);
    check_uses_free(uses);
    check_works_free(works);
    return is;
}

KL_TEST(fences_around_flags) {
    for (uint32_t device = 0; device < 2; device++) {
        sim_fence scope = device ? SIM_FENCE_SYS : SIM_FENCE_GPU;
        ck_assert(is_seen(device, true, 0, 0));
        ck_assert(!is_seen(device, false, CHECK_USE_LATE(scope), 0));
        ck_assert(!is_seen(device, true, CHECK_USE_LATE(scope), 0));
        ck_assert(!is_seen(device, true, 0, CHECK_USE_EARLY(scope)));
    }
    ck_assert(!is_seen(1, false, CHECK_USE_LATE(SIM_FENCE_SYS), 0));
    ck_assert(is_seen(0, true, CHECK_USE_LATE(SIM_FENCE_SYS), CHECK_USE_EARLY(SIM_FENCE_SYS)));
}

static uint32_t note_one(check_uses *uses, uint64_t offset, uint64_t bytes, check_use use) {
    const check_location place = {.line = (uint32_t)offset + 1};
    use.place = check_uses_location(uses, &place);
    uint32_t by = check_uses_by(uses, &use);
    check_uses_note(uses, offset, bytes, by);
    return by;
}

static void is_run(check_uses *uses, uint64_t from, uint64_t first, uint64_t bytes,
                   uint32_t flags) {
    check_pages pages;
    ck_assert_int_eq(check_uses_pages(uses, from, 100 * 4096, &pages), bytes > 0);
    ck_assert_uint_eq(pages.offset, first);
    ck_assert_uint_eq(pages.bytes, bytes);
    ck_assert_uint_eq(pages.flags, flags);
}

// The host may read what is read, and write what nobody uses, until it has waited.
KL_TEST(host_accesses) {
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

// A flag that the host has seen stands for all that its kernel did; what atomics add up does not.
KL_TEST(host_flags) {
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
    check_works_released(works, use.moment, SIM_FENCE_SYS);
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

KL_TEST_MAIN("check")
