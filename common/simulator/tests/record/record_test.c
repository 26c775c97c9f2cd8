// What a launch leaves to be counted and timed.
#include "support/run.h"
#include "suite.h"
#include "base/base.h"

// ---- writers ----
// Notes of who wrote each byte: every form of store that has a quick path notes exactly the bytes
// that it changes; host writes, fills and copies are told apart; calls are.

enum { BYTES = 1 << 16, THREADS = 96 };

// Each thread that `mask` holds by its number in the warp stores at y + offset + (tid & low) * a +
// (tid >> shift) * b. Nothing stored has a byte of the poison.
#define STORE_KERNEL(name, bytes, store)                                                           \
    ".visible .entry " name "(.param .u64 p_y, .param .u32 p_low, .param .u32 p_shift,"            \
    " .param .u32 p_a, .param .u32 p_b, .param .u32 p_mask)\n"                                     \
    "{\n"                                                                                          \
    "  .reg .pred %p<2>;\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<6>;\n"                              \
    "  ld.param.u64 %rd1, [p_y];\n  ld.param.u32 %r1, [p_low];\n  ld.param.u32 %r2, [p_shift];\n"  \
    "  ld.param.u32 %r3, [p_a];\n  ld.param.u32 %r4, [p_b];\n  ld.param.u32 %r5, [p_mask];\n"      \
    "  mov.u32 %r6, %tid.x;\n  and.b32 %r7, %r6, 31;\n  shr.u32 %r8, %r5, %r7;\n"                  \
    "  and.b32 %r8, %r8, 1;\n  setp.eq.s32 %p1, %r8, 0;\n  @%p1 bra DONE;\n"                       \
    "  and.b32 %r9, %r6, %r1;\n  shr.u32 %r10, %r6, %r2;\n  mul.lo.s32 %r11, %r9, %r3;\n"          \
    "  mad.lo.s32 %r11, %r10, %r4, %r11;\n  mul.wide.s32 %rd2, %r11, 1;\n"                         \
    "  add.s64 %rd3, %rd1, %rd2;\n  mov.u32 %r12, 0x11223344;\n"                                   \
    "  mov.b64 %rd4, 0x1122334455667788;\n  " store "\nDONE:\n  ret;\n}\n"

// X(kernel, bytes, store)
#define STORES(X)                                                                                  \
    X("store_8", 1, "st.global.u8 [%rd3], %r12;")                                                  \
    X("store_16", 2, "st.global.u16 [%rd3], %r12;")                                                \
    X("store_32", 4, "st.global.u32 [%rd3], %r12;")                                                \
    X("store_64", 8, "st.global.u64 [%rd3], %rd4;")                                                \
    X("store_2x32", 8, "st.global.v2.u32 [%rd3], {%r12, %r12};")                                   \
    X("store_4x32", 16, "st.global.v4.u32 [%rd3], {%r12, %r12, %r12, %r12};")                      \
    X("store_generic", 4, "st.u32 [%rd3], %r12;")                                                  \
    X("store_volatile", 4, "st.volatile.global.u32 [%rd3], %r12;")                                 \
    X("atomic_exchange", 4, "atom.global.exch.b32 %r13, [%rd3], %r12;")                            \
    X("reduce_and", 4, "red.global.and.b32 [%rd3], 0x11223344;")

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" STORES(STORE_KERNEL);

#define ROW(name, bytes, store) {name, bytes},
static const struct {
    const char *kernel;
    uint32_t bytes;
} stores[] = {STORES(ROW)};

// In units of the store's bytes. low, shift: 31, 5 are rows of a warp; 15, 4 rows of a half.
static const struct {
    uint32_t low, shift, a, b, mask;
} patterns[] = {{31, 5, 1, 32, UINT32_MAX}, {31, 5, 0, 1, UINT32_MAX},  {31, 5, 1, 32, 0x00FFFF00},
                {31, 5, 1, 32, 0x5A5A1248}, {31, 5, 2, 64, UINT32_MAX}, {31, 5, 3, 100, 0x0F0F0F0F},
                {15, 4, 1, 33, UINT32_MAX}, {15, 4, 0, 40, UINT32_MAX}, {15, 4, 1, 64, 0xFFFF0F0F},
                {7, 3, 1, 51, UINT32_MAX},  {3, 2, 17, 90, UINT32_MAX}, {31, 5, 1, 32, 1}};

KL_TEST(stores_note_the_bytes_that_they_change) {
    exec_rig *rig = exec_open(ptx, 2);
    rig->grid.mode = SIM_MODE_COUNT;
    OK(sim_mem_keep_writers(rig->memory, NULL));
    sim_writers *writers = sim_mem_writers(rig->memory);
    uint8_t *bytes = malloc(BYTES);
    uint64_t y = exec_alloc(rig, BYTES, NULL);
    for (size_t s = 0; s < sizeof stores / sizeof *stores; s++) {
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            uint32_t unit = stores[s].bytes, a = patterns[k].a * unit, b = patterns[k].b * unit;
            uint32_t low = patterns[k].low, shift = patterns[k].shift, mask = patterns[k].mask;
            OK(sim_mem_fill(rig->memory, y, 0xFF, 1, BYTES, NULL));
            sim_writers_forget(writers, y, BYTES);
            sim_writers_next_call(writers);
            EXEC_RUN(rig, stores[s].kernel, EXEC_DIM(1), EXEC_DIM(THREADS), 0, &y, &low, &shift, &a,
                     &b, &mask, NULL);
            exec_read(rig, y, bytes, BYTES);
            uint64_t changed = 0;
            for (uint64_t i = 0; i < BYTES; i++) {
                uint8_t wanted = bytes[i] != 0xFF ? writers->kernel : SIM_WRITER_NOBODY;
                ck_assert_msg(writers->notes[y - SIM_GLOBAL_BASE + i] == wanted,
                              "%s, pattern %zu, byte %d", stores[s].kernel, k, (int)i);
                changed += bytes[i] != 0xFF;
            }
            ck_assert_uint_gt(changed, 0);
            sim_writer_counts counts;
            sim_writers_count(writers, y, BYTES, &counts);
            ck_assert_uint_eq(counts.kernel, changed);
            ck_assert_uint_eq(counts.nobody, BYTES - changed);
        }
    }
    free(bytes);
}

static sim_writer_counts count(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    sim_writer_counts counts;
    sim_writers_count(sim_mem_writers(memory), address, bytes, &counts);
    return counts;
}

KL_TEST(copies_hand_notes_on) {
    sim_memory *memory;
    uint64_t a, b, shared;
    const uint8_t data[100] = {0};
    OK(sim_mem_new(64 << 20, &memory, NULL));
    OK(sim_mem_keep_writers(memory, NULL));
    sim_writers *writers = sim_mem_writers(memory);
    OK(sim_mem_alloc(memory, 300000, &a, NULL));
    OK(sim_mem_alloc(memory, 300000, &b, NULL));
    OK(sim_mem_alloc_shared(memory, 8192, &shared, NULL));
    ck_assert_uint_eq(count(memory, a, 300000).nobody, 300000);
    OK(sim_mem_write(memory, a + 10, data, 100, NULL));
    OK(sim_mem_fill(memory, a + 200000, 7, 4, 50, NULL));
    sim_writers_note(writers, a + 65530, 20, writers->kernel); // over the end of a chunk
    sim_writers_next_call(writers);
    sim_writers_note(writers, a + 5, 10, writers->kernel); // on 5 bytes of the host's
    OK(sim_mem_copy(memory, b + 1, a, 299999, NULL));
    sim_writer_counts counts = count(memory, b, 300000);
    ck_assert_uint_eq(counts.host, 95);
    ck_assert_uint_eq(counts.fill, 299999 - 125); // the 200 and what nobody had written
    ck_assert_uint_eq(counts.earlier, 20);
    ck_assert_uint_eq(counts.kernel, 10);
    ck_assert_uint_eq(counts.nobody, 1);
    // What passes through pages of the host is the host's.
    OK(sim_mem_copy(memory, shared, a, 20, NULL));
    OK(sim_mem_copy(memory, b, shared, 20, NULL));
    ck_assert_uint_eq(count(memory, b, 20).host, 20);
    sim_writers_note(writers, shared + 100, 24, writers->kernel);
    ck_assert_uint_eq(sim_mem_take_shared_bytes(memory), 24);
    ck_assert_uint_eq(sim_mem_take_shared_bytes(memory), 0);
    sim_writers_forget(writers, b, 300000);
    ck_assert_uint_eq(count(memory, b, 300000).nobody, 300000);
    // Freed and allocated again: nobody has written there.
    OK(sim_mem_release(memory, a, NULL));
    OK(sim_mem_alloc_at(memory, a, 300000, NULL));
    ck_assert_uint_eq(count(memory, a, 300000).nobody, 300000);
    sim_mem_delete(memory);
}

// ---- block_chain ----
// Protects the counting of chains of blocks that wait for each other: a block comes one link after
// the state in which the block before stored first; what it showed before it waited hands nothing
// on; its own words make no link, nor do those of the launch before; fences within links count; and
// the table grows.

enum { BLOCKS = 5000 };

static sim_launch_record launch;
static sim_chain_end ends[BLOCKS];
static uint32_t fences[BLOCKS]; // of the one warp of a block

static void begin(void) {
    launch = (sim_launch_record){0};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        ends[b] = (sim_chain_end){0};
        fences[b] = 0;
    }
}

static void end(void) { sim_block_chain_free(&launch.chain); }
KL_FIXTURE(begin, end)

static void shows(uint64_t block, uint64_t address) {
    sim_block_chain_note(&launch.chain, block, &ends[block], 0, fences[block], address, true);
}

static void reads(uint64_t block, uint64_t address) {
    sim_block_chain_note(&launch.chain, block, &ends[block], 0, fences[block], address, false);
}

static uint32_t longest(void) {
    sim_recorded recorded = {0};
    sim_recorder_block_chain.fold(&launch, &recorded);
    return (uint32_t)recorded.chain_links;
}

// Where block b shows its state.
static uint64_t place(uint64_t block) { return 0x7000000000 + 8 * block; }

KL_TEST(each_block_waits_for_the_one_before) {
    shows(0, place(0));
    for (uint64_t b = 1; b < BLOCKS; b++) { // the table grows several times
        reads(b, place(b - 1));
        shows(b, place(b));
    }
    ck_assert_uint_eq(longest(), BLOCKS - 1);
}

KL_TEST(who_shows_before_it_waits_hands_nothing_on) {
    shows(0, place(0));
    for (uint64_t b = 1; b < 100; b++) {
        shows(b, place(b)); // its own sum
        reads(b, place(b - 1));
        shows(b, place(b)); // the sum up to it: not the first
    }
    ck_assert_uint_eq(longest(), 1);
}

KL_TEST(the_longest_way_counts_once) {
    shows(0, place(0));
    reads(1, place(0));
    shows(1, place(1));
    reads(2, place(0));
    reads(2, place(1));
    reads(2, place(1)); // asked again
    reads(2, place(0)); // a shorter way does not take it back
    shows(2, place(2));
    ck_assert_uint_eq(ends[2].links, 2);
    ck_assert_uint_eq(longest(), 2);
}

KL_TEST(own_and_unknown_words_are_no_link) {
    reads(0, place(0)); // nobody has stored anything
    shows(0, place(0));
    reads(0, place(0));
    reads(1, place(7));
    ck_assert_uint_eq(longest(), 0);
}

KL_TEST(a_launch_begins_anew) {
    shows(0, place(0));
    reads(1, place(0));
    ck_assert_uint_eq(longest(), 1);
    ck_assert(sim_recorder_block_chain.launch_begin(&launch));
    ends[1] = (sim_chain_end){0};
    reads(1, place(0)); // a store of the launch before
    ck_assert_uint_eq(longest(), 0);
}

// Sum and flag are two words: a fence behind the read of the flag, another before its store.
KL_TEST(fences_between_read_and_store_count) {
    fences[0] = 3; // nobody waited for them
    shows(0, place(0));
    for (uint64_t b = 1; b < 100; b++) {
        fences[b] = 5; // before it waits
        reads(b, place(b - 1));
        fences[b] += 2;
        shows(b, place(b));
        fences[b]++; // behind its store
    }
    sim_recorded recorded = {0};
    sim_recorder_block_chain.fold(&launch, &recorded);
    ck_assert_uint_eq(recorded.chain_links, 99);
    ck_assert_uint_eq(recorded.chain_fences, 2 * 98); // those of the last block hand nothing on
}

// ---- contended_atomics ----
// Protects the counting of hot sectors: an address that all share, one that is hot for a while,
// lanes that share a word in any order, words of one sector, and that it does not matter which
// worker counted.

enum { LANES = 32, ALL = -1 };

static uint64_t addresses[LANES];

// All 32 lanes `apart` bytes from one another, `sharing` of them on each word.
static void put_lanes(uint64_t first, uint32_t apart, uint32_t sharing) {
    for (uint32_t i = 0; i < LANES; i++) addresses[i] = first + i / sharing * apart;
}

static sim_contended_atomics hot;

// Blocks in all and at a time.
static void count_of(uint64_t blocks, uint64_t together) {
    hot = (sim_contended_atomics){0};
    sim_contended_atomics_begin(&hot, blocks, together);
}

static void note(uint64_t block) {
    sim_contended_atomics_note(&hot, block, addresses, (uint32_t)ALL, false);
}

static sim_contention found(void) {
    sim_contention all = sim_contended_atomics_measure(&hot);
    sim_contended_atomics_free(&hot);
    return all;
}

KL_TEST(one_address_takes_all) {
    count_of(8, 8);
    put_lanes(0x1000, 0, 1);
    for (uint32_t b = 0; b < 8; b++) note(b);
    sim_contention all = found();
    ck_assert_double_eq(all.passes, 1);
    ck_assert_double_eq(all.sector, 1);
    ck_assert_double_eq(all.piece, 1);
    ck_assert_double_eq(all.repeats, LANES - 1);
}

// Each block goes to a word of its own: alone on the card, or all of them together.
KL_TEST(what_is_hot_for_a_while_counts_while_it_is) {
    for (uint64_t together = 1; together <= 16; together *= 16) {
        count_of(16, together);
        for (uint32_t b = 0; b < 16; b++) {
            put_lanes(0x10000 * (uint64_t)(b + 1), 0, 1);
            note(b);
        }
        ck_assert_double_eq_tol(found().sector, 1.0 / (double)together, 1e-9);
    }
}

KL_TEST(lanes_on_a_word_are_repeats) {
    static const uint32_t sharing[] = {1, 2, 4, 8}, repeats[] = {0, 1, 3, 7};
    for (uint32_t i = 0; i < 4; i++) {
        count_of(1, 1);
        put_lanes(0x4000, 4, sharing[i]);
        note(0);
        ck_assert_double_eq(found().repeats, repeats[i]);
    }
}

// Words of one sector go together when one instruction has them; when different ones have them, in
// turn.
KL_TEST(a_sector_is_passed_by_one_instruction_at_a_time) {
    count_of(8, 8);
    for (uint32_t b = 0; b < 8; b++) {
        put_lanes(0x4000 + 4 * b, 0, 1);
        note(b);
    }
    sim_contention apart = found();
    ck_assert_double_eq(apart.sector, 1);
    ck_assert_double_eq(apart.passes, 1);
    count_of(1, 1);
    put_lanes(0x4000, 4, 4); // eight words
    note(0);
    ck_assert_double_eq(found().passes, 4.0 / LANES);
}

// As in a histogram: lanes 0, 4, 8, .. on one word, and so on.
KL_TEST(lanes_need_not_be_neighbours) {
    count_of(1, 1);
    for (uint32_t i = 0; i < LANES; i++) addresses[i] = 0x4000 + i % 4 * 4;
    note(0);
    ck_assert_uint_eq(hot.sectors, 1);
    sim_contention all = found();
    ck_assert_double_eq(all.passes, 8.0 / LANES);
    ck_assert_double_eq(all.repeats, 7);
}

// Two sectors of a line are passed at the same time: the one with more lanes on a word counts.
KL_TEST(repeats_are_those_of_a_line) {
    count_of(1, 1);
    for (uint32_t i = 0; i < LANES; i++) addresses[i] = i < 12 ? 0x4000 : 0x4020;
    note(0);
    ck_assert_uint_eq(hot.lines, 1);
    ck_assert_uint_eq(hot.sectors, 2);
    ck_assert_double_eq(found().repeats, 19);
}

KL_TEST(an_operation_for_all_lanes_is_one) {
    count_of(1, 1);
    put_lanes(0x4000, 0, 1);
    sim_contended_atomics_note(&hot, 0, addresses, (uint32_t)ALL, true);
    ck_assert_uint_eq(hot.lanes, 1);
    ck_assert_uint_eq(hot.sectors, 1);
    ck_assert_double_eq(found().repeats, 0);
}

KL_TEST(workers_add_up_and_a_launch_forgets_the_last) {
    sim_contended_atomics one = {0}, first = {0}, second = {0};
    put_lanes(0x4000, 4, 4);
    sim_contended_atomics_begin(&one, 64, 8);
    sim_contended_atomics_begin(&first, 64, 8);
    sim_contended_atomics_begin(&second, 64, 8);
    for (uint32_t b = 0; b < 64; b++) {
        sim_contended_atomics_note(&one, b, addresses, (uint32_t)ALL, false);
        sim_contended_atomics_note(b % 3 ? &first : &second, b, addresses, (uint32_t)ALL, false);
    }
    sim_contended_atomics_add(&first, &second);
    sim_contention alone = sim_contended_atomics_measure(&one),
                   added = sim_contended_atomics_measure(&first);
    ck_assert_double_eq(alone.passes, added.passes);
    ck_assert_double_eq(alone.sector, added.sector);
    ck_assert_double_eq(alone.piece, added.piece);
    ck_assert_double_eq(alone.repeats, added.repeats);
    sim_contended_atomics_begin(&one, 64, 8);
    ck_assert_double_eq(sim_contended_atomics_measure(&one).sector, 0);
    sim_contended_atomics_free(&one);
    sim_contended_atomics_free(&first);
    sim_contended_atomics_free(&second);
}

// ---- l2_before_launch ----
// Protects what the L2 is taken to hold when a launch begins: what earlier launches and fills
// touched, until as much as it keeps has gone through it, and never what the launch itself touches.

enum { LINES = 16, WHOLE = 0xF, WINDOW = 1000, CAPACITY = 1500 }; // lines of a piece; sectors

static sim_l2_before recent;

static void set_up(void) {
    recent = (sim_l2_before){.window = WINDOW, .capacity = CAPACITY};
    ck_assert(sim_l2_before_prepare(&recent, SIM_GLOBAL_BASE + (1 << 20)));
}

static void tear_down(void) { sim_l2_before_free(&recent); }

static void touch(uint64_t piece, uint64_t sectors) {
    sim_l2_before_begin(&recent);
    sim_l2_before_touch(&recent, piece, sectors);
}

KL_FIXTURE(set_up, tear_down)

KL_TEST(a_launch_finds_what_the_one_before_touched) {
    touch(2, 0x35);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES), 0); // its own do not count
    touch(2, UINT64_MAX);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES), 0x5);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES + 1), 0x3);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES + 2), 0);
    touch(3, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES + 2), WHOLE);
}

// What is touched again stays beside what is new.
KL_TEST(sectors_of_one_piece_add_up) {
    touch(0, 0xF);
    touch(0, 0xF0);
    touch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 1), WHOLE);
}

KL_TEST(others_drive_it_out) {
    touch(0, UINT64_MAX);
    sim_l2_before_pass(&recent, (WINDOW - 1) * 32);
    touch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), WHOLE);
    sim_l2_before_pass(&recent, WINDOW * 32);
    touch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), 0);
}

KL_TEST(nothing_is_left_of_what_was_forgotten) {
    touch(0, UINT64_MAX);
    sim_l2_before_forget(&recent);
    touch(1, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 0), 0);
    ck_assert_uint_eq(recent.before, 0);
}

// A fill of any place and length is in the L2, to the sector.
KL_TEST(fills_are_there) {
    sim_l2_before_fill(&recent, SIM_GLOBAL_BASE + 64 * 32 + 3 * 32, 64 * 32);
    touch(9, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, LINES), 0x8);
    ck_assert_uint_eq(sim_l2_before_line(&recent, LINES + 1), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES - 1), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 2 * LINES), 0x7);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 3 * LINES), 0);
}

// Launches take the place of others' stores in the L2, and fills that of launches.
KL_TEST(the_share_of_launches_is_known) {
    touch(0, UINT64_MAX);
    touch(1, 3);
    ck_assert_uint_eq(recent.before, 64);
    sim_l2_before_fill(&recent, SIM_GLOBAL_BASE + 5 * 64 * 32, 10 * 32);
    sim_l2_before_fill(&recent, SIM_GLOBAL_BASE + 5 * 64 * 32,
                       10 * 32); // takes no more than before
    touch(0, UINT64_MAX);        // nor do launches
    touch(1, 1);
    ck_assert_uint_eq(recent.before, 64 + 2 - 10);
    for (uint64_t piece = 0; piece < 2 * CAPACITY / 64; piece++) touch(piece, UINT64_MAX);
    touch(1, 1);
    ck_assert_uint_eq(recent.before, CAPACITY);
    sim_l2_before_pass(&recent, 2 * CAPACITY * 32);
    touch(1, 1);
    ck_assert_uint_eq(recent.before, 0);
}

KL_TEST(more_memory_keeps_what_is_known) {
    touch(5, UINT64_MAX);
    ck_assert(sim_l2_before_prepare(&recent, SIM_GLOBAL_BASE + (64 << 20)));
    touch(6, 1);
    ck_assert_uint_eq(sim_l2_before_line(&recent, 5 * LINES), WHOLE);
    ck_assert_uint_eq(sim_l2_before_line(&recent, UINT32_MAX), 0); // beyond all
}

// ---- warp_trace ----
// Protects which blocks are recorded for the cycle-level model: the first ones of an SM and those
// that lie spread over the rest, one in the middle of each share, of other SMs, too.

enum { SMS = 10, FIRST = 4, ALL_WARP_TRACE = 100 };

// Blocks that `traces` records, in their order.
static uint32_t recorded(sim_warp_traces *traces, uint64_t blocks[]) {
    uint32_t count = 0;
    for (uint64_t block = 0; block < SMS * ALL_WARP_TRACE; block++)
        if (sim_warp_traces_begin(traces, block)) blocks[count++] = block;
    return count;
}

static sim_warp_traces *traces_of(sim_modelled_blocks modelled) {
    sim_warp_traces *traces = sim_warp_traces_new(SMS, &modelled, 2, 16);
    ck_assert_ptr_nonnull(traces);
    return traces;
}

KL_FIXTURE(NULL, NULL)

KL_TEST(the_first_blocks_are_recorded) {
    uint64_t blocks[ALL_WARP_TRACE];
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 0, ALL_WARP_TRACE, false, 0});
    ck_assert_uint_eq(recorded(traces, blocks), FIRST);
    ck_assert_uint_eq(blocks[FIRST - 1], (FIRST - 1) * SMS);
    sim_warp_traces_free(traces);
}

// Eight of the 96 blocks behind the first ones: one in the middle of each dozen.
KL_TEST(others_lie_spread_over_the_rest) {
    uint64_t blocks[ALL_WARP_TRACE], sms = 0;
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 8, ALL_WARP_TRACE, false, 0});
    ck_assert_uint_eq(recorded(traces, blocks), FIRST + 8);
    for (uint32_t i = 0; i < FIRST; i++) {
        ck_assert_uint_eq(blocks[i], i * SMS);
        ck_assert_uint_eq(sim_warp_traces_modelled_number(traces, i), i);
    }
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_uint_eq(blocks[FIRST + i] / SMS, FIRST + 12 * i + 6);
        ck_assert_uint_eq(sim_warp_traces_modelled_number(traces, FIRST + i),
                          blocks[FIRST + i] / SMS);
        ck_assert(sim_warp_traces_modelled(traces, FIRST + i)->ran);
        sms |= UINT64_C(1) << blocks[FIRST + i] % SMS;
    }
    ck_assert_int_ge(__builtin_popcountll(sms), 4);
    sim_warp_traces_free(traces);
}

KL_TEST(the_first_ones_may_be_of_other_sms) {
    uint64_t blocks[ALL_WARP_TRACE];
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 8, ALL_WARP_TRACE, true, 0});
    ck_assert_uint_eq(recorded(traces, blocks), FIRST + 8);
    for (uint32_t i = 0; i < FIRST; i++) {
        ck_assert_uint_eq(blocks[i] / SMS, i);
        ck_assert_uint_ne(blocks[i] % SMS, 0);
    }
    sim_warp_traces_free(traces);
}

// Where an SM gets few blocks, the last of them may be only on some.
KL_TEST(the_last_blocks_are_of_the_first_sm) {
    uint64_t blocks[ALL_WARP_TRACE];
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){2, 1, 3, true, 0});
    ck_assert_uint_eq(recorded(traces, blocks), 3);
    ck_assert_uint_eq(blocks[2], 2 * SMS);
    sim_warp_traces_free(traces);
}

KL_TEST(the_launch_s_last_block_is_recorded_too) {
    uint64_t blocks[ALL_WARP_TRACE + 1], last = SMS * ALL_WARP_TRACE - 4;
    sim_warp_traces *traces =
        traces_of((sim_modelled_blocks){FIRST, 8, ALL_WARP_TRACE, false, last});
    ck_assert(!sim_warp_traces_last(traces)->ran);
    ck_assert_uint_eq(recorded(traces, blocks), FIRST + 8 + 1);
    ck_assert_uint_eq(blocks[FIRST + 8], last);
    ck_assert(sim_warp_traces_last(traces)->ran);
    for (uint32_t i = 0; i < FIRST + 8; i++)
        ck_assert_ptr_ne(sim_warp_traces_modelled(traces, i), sim_warp_traces_last(traces));
    sim_warp_traces_free(traces);
    // It may be one of the others.
    traces = traces_of((sim_modelled_blocks){FIRST, 0, FIRST, false, 3 * SMS});
    ck_assert_ptr_eq(sim_warp_traces_last(traces), sim_warp_traces_modelled(traces, 3));
    sim_warp_traces_free(traces);
    // A launch of one block has no last one beside it.
    traces = traces_of((sim_modelled_blocks){1, 0, 1, false, 0});
    ck_assert_ptr_null(sim_warp_traces_last(traces));
    sim_warp_traces_free(traces);
}

KL_TEST(a_path_is_only_made_longer) {
    sim_warp_traces *traces = traces_of((sim_modelled_blocks){FIRST, 0, ALL_WARP_TRACE, false, 0});
    uint32_t accesses = traces->most_accesses;
    sim_warp_traces_lengthen(traces, 8, 0);
    ck_assert_uint_eq(traces->most_runs, 16);
    ck_assert_uint_eq(traces->most_accesses, accesses);
    sim_warp_traces_lengthen(traces, 32, 0);
    ck_assert_uint_eq(traces->most_runs, 32);
    ck_assert_uint_eq(traces->most_accesses, 2 * accesses);
    sim_warp_traces_lengthen(traces, 32, 10 * accesses);
    ck_assert_uint_eq(traces->most_accesses, 10 * accesses);
    sim_warp_traces_free(traces);
}

KL_TEST_MAIN("record")
