// The counting rules: textbook patterns with their known costs, and the executor's quick forms
// against the plain ones on random regular and irregular addresses. Compiled as part of a host
// variant because ops/memory/count.h is.
#define SIM_EXEC_VARIANT base
#include "ops/memory/count.h"
#include "ops/memory/halves.h"

#include "support/run.h"
#include "suite.h"

enum { FULL_TRIES = 40000 };

static void stride(uint64_t addresses[32], uint64_t base, int64_t step) {
    for (int lane = 0; lane < 32; lane++) addresses[lane] = base + (uint64_t)(step * lane);
}

static uint32_t sectors_of_stride(uint64_t base, int64_t step, uint32_t bytes) {
    uint64_t addresses[32];
    stride(addresses, base, step);
    return sim_access_sectors(addresses, SIM_ALL_LANES, bytes);
}

KL_TEST(sectors) {
    ck_assert_uint_eq(sectors_of_stride(0x1000, 4, 4), 4);   // coalesced
    ck_assert_uint_eq(sectors_of_stride(0x1004, 4, 4), 5);   // shifted by one element
    ck_assert_uint_eq(sectors_of_stride(0x1000, 8, 4), 8);   // every second element
    ck_assert_uint_eq(sectors_of_stride(0x1000, 32, 4), 32); // a sector each
    ck_assert_uint_eq(sectors_of_stride(0x1000, 4096, 4), 32);
    ck_assert_uint_eq(sectors_of_stride(0x1000, 0, 4), 1); // broadcast
    ck_assert_uint_eq(sectors_of_stride(0x1000, 1, 1), 1);
    ck_assert_uint_eq(sectors_of_stride(0x1000, 16, 16), 16); // float4
    ck_assert_uint_eq(sectors_of_stride(0x2000, -4, 4), 5);   // backwards from a sector's start
    uint64_t addresses[32];
    stride(addresses, 0x1000, 4);
    ck_assert_uint_eq(sim_access_sectors(addresses, 0x000000FF, 4), 1);
    ck_assert_uint_eq(sim_access_sectors(addresses, 0x80000001, 4), 2);
}

KL_TEST(words_of_constant_memory) {
    uint64_t addresses[32];
    stride(addresses, 0x1000, 4);
    ck_assert_uint_eq(sim_access_constant_words(addresses, SIM_ALL_LANES), 32);
    ck_assert_uint_eq(sim_access_constant_words(addresses, 0x80000001), 2);
    stride(addresses, 0x1000, 0);
    ck_assert_uint_eq(sim_access_constant_words(addresses, SIM_ALL_LANES), 1);
    stride(addresses, 0x1000, 1); // four bytes of a word together
    ck_assert_uint_eq(sim_access_constant_words(addresses, SIM_ALL_LANES), 8);
    for (int lane = 0; lane < 32; lane++) addresses[lane] = 0x1000 + 4 * (uint64_t)(lane % 3);
    ck_assert_uint_eq(sim_access_constant_words(addresses, SIM_ALL_LANES), 3);
}

// The patterns of lanes on words, and what an H100 counted for each: sectors of a reduction on
// global memory and passes of one on shared memory.
KL_TEST(atomics_are_serialized) {
    static const struct {
        uint32_t sectors, passes;
    } measured[] = {{4, 2}, {4, 4}, {32, 32}, {8, 5}, {15, 12}, {16, 16}, {7, 7}, {4, 1}};
    for (int pattern = 0; pattern < 8; pattern++) {
        uint64_t addresses[32];
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t words[] = {l / 2,
                                l % 8,
                                l % 2 * 32,
                                l < 5 ? 0 : l,
                                l < 5    ? 0
                                : l < 12 ? 32
                                         : l + 32,
                                l / 16,
                                l < 20 ? l % 8 : l % 3,
                                l};
            addresses[l] = 0x4000 + 4 * words[pattern];
        }
        ck_assert_uint_eq(sim_access_atomic_sectors(addresses, SIM_ALL_LANES, 4),
                          measured[pattern].sectors);
        ck_assert_uint_eq(sim_access_atomic_passes(addresses, SIM_ALL_LANES, 4),
                          measured[pattern].passes);
    }
    uint64_t wide[32];
    stride(wide, 0x4000, 8);
    ck_assert_uint_eq(sim_access_atomic_passes(wide, SIM_ALL_LANES, 8), 2);
    ck_assert_uint_eq(sim_access_atomic_passes(wide, 0xFFFF, 8), 1);
}

// By the definition: for each sector the most lanes on one of its words.
static uint32_t plain_atomic_sectors(const uint64_t addresses[32], uint32_t lanes) {
    uint32_t total = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t most = 0;
        bool first = lanes >> lane & 1;
        for (uint32_t other = 0; first && other < 32; other++) {
            if (!(lanes >> other & 1) || addresses[other] / 32 != addresses[lane] / 32) continue;
            if (other < lane) first = false;
            uint32_t on_word = 0;
            for (uint32_t k = 0; k < 32; k++)
                on_word += (lanes >> k & 1) && addresses[k] == addresses[other];
            if (on_word > most) most = on_word;
        }
        if (first) total += most;
    }
    return total;
}

KL_TEST(atomics_of_any_lanes_are_serialized) {
    uint32_t state = 1;
    for (int round = 0; round < 2000; round++) {
        uint64_t addresses[32];
        uint32_t range = 1u << round % 12;
        for (int lane = 0; lane < 32; lane++) {
            state = state * 1664525 + 1013904223;
            addresses[lane] = 0x4000 + 4 * (uint64_t)(state >> 12 & (range - 1));
        }
        state = state * 1664525 + 1013904223;
        uint32_t lanes = round % 3 ? state ^ state >> 13 : SIM_ALL_LANES;
        ck_assert_uint_eq(sim_access_atomic_sectors(addresses, lanes, 4),
                          plain_atomic_sectors(addresses, lanes));
    }
}

static void expect_banks(int64_t step, uint32_t bytes, uint32_t wavefronts,
                         uint32_t conflict_free) {
    uint64_t offsets[32];
    stride(offsets, 0, step);
    sim_bank_use use = sim_access_banks(offsets, SIM_ALL_LANES, bytes);
    ck_assert_msg(use.wavefronts == wavefronts && use.conflict_free == conflict_free,
                  "stride %d of %u bytes: %u wavefronts (%u)", (int)step, bytes, use.wavefronts,
                  use.conflict_free);
}

KL_TEST(banks) {
    expect_banks(0, 4, 1, 1);                       // broadcast
    for (int64_t words = 1; words <= 33; words++) { // odd strides are free, even ones share banks
        uint32_t degree = 1;
        while (words % (2 * degree) == 0 && degree < 32) degree *= 2;
        expect_banks(4 * words, 4, degree, 1);
    }
    expect_banks(1, 1, 1, 1);
    expect_banks(2, 2, 1, 1);
    expect_banks(8, 8, 2, 2);   // 64-bit: a pass for each half-warp
    expect_banks(16, 16, 4, 4); // 128-bit: one for each quarter
    expect_banks(16, 8, 4, 2);
    expect_banks(0, 8, 1, 1); // halves that agree go together
    expect_banks(0, 16, 2, 2);
    uint64_t offsets[32];
    for (int lane = 0; lane < 32; lane++)
        offsets[lane] = 8 * (uint64_t)(lane / 2); // lane i agrees with i ^ 1
    ck_assert_uint_eq(sim_access_banks(offsets, SIM_ALL_LANES, 8).wavefronts, 1);
    for (int lane = 0; lane < 32; lane++)
        offsets[lane] = 8 * (uint64_t)(lane / 4 * 2 + lane % 2); // with i ^ 2
    ck_assert_uint_eq(sim_access_banks(offsets, SIM_ALL_LANES, 8).wavefronts, 1);
    stride(offsets, 0, 16);
    ck_assert_uint_eq(sim_access_banks(offsets, 0x0000FFFF, 16).wavefronts,
                      2); // quarters without lanes are free
    ck_assert_uint_eq(sim_access_banks(offsets, 0, 16).wavefronts, 0);
}

// The kinds of address lists that kernels make, and arbitrary ones, all multiples of `bytes`.
static void random_addresses(uint64_t *state, uint32_t bytes, uint64_t base, uint64_t out[32]) {
    uint64_t kind = random_bits(state) % 6;
    int64_t step = (int64_t)(random_bits(state) % 129) - 64;
    uint64_t a = random_bits(state) % 512, b = random_bits(state) % 512;
    uint64_t reach = UINT64_C(1) << (random_bits(state) % 16 + 1);
    for (int lane = 0; lane < 32; lane++) {
        int64_t unit;
        switch (kind) {
        case 0: unit = (int64_t)a; break;
        case 1: unit = (int64_t)a + lane; break;
        case 2: unit = (int64_t)a + step * lane; break;
        case 3: unit = (int64_t)(lane < 16 ? a : b) + lane % 16 * (step % 3); break;
        case 4: unit = (int64_t)(lane < 16 ? a : b) + lane % 16 * step; break;
        default: unit = (int64_t)(random_bits(state) % reach); break;
        }
        out[lane] = base + (uint64_t)((unit + 8192) * (int64_t)bytes);
    }
}

// Runs find_addresses on registers that hold `list`.
static void classify(const uint64_t list[32], uint32_t lanes, uint32_t bytes, bool narrow,
                     lane_addresses *out) {
    _Alignas(64) static uint8_t registers[256];
    sim_warp warp = {.registers = registers};
    sim_instr instr = {.src = {0, 0, 0, 0}, .base = 1};
    for (int lane = 0; lane < 32; lane++)
        if (narrow) ((uint32_t *)registers)[lane] = (uint32_t)list[lane];
        else ((uint64_t *)registers)[lane] = list[lane];
    find_addresses(&warp, &instr, lanes, narrow, bytes, out);
}

static uint32_t random_lanes(uint64_t *state) {
    uint32_t lanes = (uint32_t)random_bits(state);
    switch (random_bits(state) % 3) {
    case 0: return SIM_ALL_LANES;
    case 1: return lanes | 1;
    default: return 0xFFFFFFFFu >> (lanes % 32);
    }
}

KL_TEST(addresses_come_back) {
    uint64_t state = 3, list[32];
    for (int try = 0; try < FULL_TRIES; try++) {
        bool narrow = try % 2;
        uint32_t bytes = 1u << random_bits(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, narrow ? 0 : SIM_GLOBAL_BASE, list);
        classify(list, lanes, bytes, narrow, &found);
        uint64_t low = UINT64_MAX, high = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(lanes >> lane & 1)) continue;
            ck_assert_uint_eq(address_of(&found, lane), list[lane]);
            low = list[lane] < low ? list[lane] : low;
            high = list[lane] > high ? list[lane] : high;
        }
        ck_assert_uint_eq(found.low, low);
        ck_assert_uint_eq(found.high, high);
    }
}

KL_TEST(quick_sectors_equal_plain) {
    uint64_t state = 5, list[32];
    for (int try = 0; try < FULL_TRIES; try++) {
        uint32_t bytes = 1u << random_bits(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, SIM_GLOBAL_BASE, list);
        classify(list, lanes, bytes, false, &found);
        ck_assert_uint_eq(count_sectors(&found), sim_access_sectors(list, lanes, bytes));
    }
}

KL_TEST(quick_banks_equal_plain) {
    uint64_t state = 7, list[32];
    for (int try = 0; try < FULL_TRIES; try++) {
        uint32_t bytes = 1u << random_bits(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, 0, list);
        classify(list, lanes, bytes, true, &found);
        sim_bank_use quick = count_banks(&found, bytes);
        sim_bank_use plain = sim_access_banks(list, lanes, bytes);
        ck_assert_msg(
            quick.wavefronts == plain.wavefronts && quick.conflict_free == plain.conflict_free,
            "pattern %d, %u bytes, lanes %08x: %u (%u) against %u (%u)", found.pattern, bytes,
            lanes, quick.wavefronts, quick.conflict_free, plain.wavefronts, plain.conflict_free);
    }
}

static uint64_t bits_in(_Atomic uint64_t *map, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < words; i++) count += (uint64_t)__builtin_popcountll(map[i]);
    return count;
}

KL_TEST(footprints_mark_what_was_touched) {
    uint64_t state = 9, list[32];
    sim_footprint footprint = {.pages = 0};
    ck_assert_int_eq(sim_footprint_prepare(&footprint, SIM_GLOBAL_BASE + (64 << 20), NULL), SIM_OK);
    for (int try = 0; try < 4000; try++) {
        uint32_t bytes = 1u << random_bits(&state) % 5, lanes = random_lanes(&state);
        lane_addresses found;
        random_addresses(&state, bytes, SIM_GLOBAL_BASE, list);
        classify(list, lanes, bytes, false, &found);
        mark_sectors(&footprint, footprint.read, &found);
        uint64_t marked = bits_in(footprint.read, SIM_FOOTPRINT_PAGE_WORDS * 4);
        sim_sector_counts counts;
        ck_assert_uint_eq(marked, sim_access_sectors(list, lanes, bytes));
        sim_footprint_take(&footprint, NULL, &(sim_peer_memory){0}, &counts);
        ck_assert_uint_eq(counts.read, marked);
        ck_assert_uint_eq(counts.written, 0);
        ck_assert_uint_eq(bits_in(footprint.read, SIM_FOOTPRINT_PAGE_WORDS * 4), 0);
    }
    sim_footprint_free(&footprint);
}

// A warp that counts one instruction, and what it counts.
typedef struct counting_warp {
    sim_instr instr;
    sim_bound bound;
    sim_function function;
    sim_frame frame;
    sim_block block;
    sim_worker worker;
    sim_raw_counts counts;
    sim_footprint footprint;
    sim_warp warp;
} counting_warp;

static counting_warp *counting_warp_new(uint8_t op) {
    counting_warp *w = calloc(1, sizeof *w);
    ck_assert_ptr_nonnull(w);
    w->instr = (sim_instr){.op = op, .vector = 1};
    w->function = (sim_function){.code = &w->instr, .code_count = 1, .bound = &w->bound};
    w->frame = (sim_frame){.function = &w->function};
    w->block.worker = &w->worker;
    w->block.record.lines = (sim_block_trace){.bound = UINT32_MAX >> 1, .most = 1 << 20};
    ck_assert_int_eq(sim_footprint_prepare(&w->footprint, SIM_GLOBAL_BASE + (64 << 20), NULL),
                     SIM_OK);
    w->warp = (sim_warp){.frame = &w->frame,
                         .block = &w->block,
                         .counting = true,
                         .record = {.block = &w->block.record,
                                    .function = &w->function,
                                    .counts = &w->counts,
                                    .footprint = &w->footprint,
                                    .watched = UINT32_MAX >> 1}};
    return w;
}

static void counting_warp_free(counting_warp *w) {
    sim_footprint_free(&w->footprint);
    free(w->block.record.lines.entries);
    free(w);
}

static void expect_same_counts(counting_warp *a, counting_warp *b) {
    ck_assert_mem_eq(&a->counts, &b->counts, sizeof a->counts);
    ck_assert_uint_eq(a->warp.record.requests, b->warp.record.requests);
    ck_assert_uint_eq(a->block.record.lines.count, b->block.record.lines.count);
    for (uint32_t i = 0; i < a->block.record.lines.count; i++) {
        const sim_trace_entry *x = &a->block.record.lines.entries[i],
                              *y = &b->block.record.lines.entries[i];
        ck_assert_uint_eq(x->line, y->line);
        ck_assert_uint_eq(x->sectors, y->sectors);
        ck_assert_uint_eq(x->time, y->time);
        ck_assert_uint_eq(x->kind, y->kind);
    }
    a->block.record.lines.count = b->block.record.lines.count = 0;
    sim_sector_counts counts[2];
    sim_footprint_take(&a->footprint, NULL, &(sim_peer_memory){0}, &counts[0]);
    sim_footprint_take(&b->footprint, NULL, &(sim_peer_memory){0}, &counts[1]);
    ck_assert_uint_eq(counts[0].read, counts[1].read);
    ck_assert_uint_eq(counts[0].written, counts[1].written);
}

// The same addresses again, all moved by the same bytes: the answer that was remembered.
KL_TEST(banks_are_remembered) {
    uint64_t state = 13, list[32];
    counting_warp *w = counting_warp_new(SIM_OP_LD);
    for (int try = 0; try < FULL_TRIES; try++) {
        uint32_t bytes = 1u << random_bits(&state) % 5, lanes = random_lanes(&state);
        random_addresses(&state, bytes, 0, list);
        for (int again = 0; again < 2; again++) {
            lane_addresses found;
            sim_bank_use plain = sim_access_banks(list, lanes, bytes);
            sim_raw_counts before = w->counts;
            classify(list, lanes, bytes, true, &found);
            count_shared(&w->warp, &w->instr, &found, bytes);
            ck_assert_uint_eq(w->counts.wavefronts - before.wavefronts, plain.wavefronts);
            ck_assert_uint_eq(w->counts.conflicts - before.conflicts,
                              plain.wavefronts - plain.conflict_free);
            uint64_t moved = random_bits(&state) % 64 * bytes;
            for (int lane = 0; lane < 32; lane++) list[lane] += moved;
        }
    }
    counting_warp_free(w);
}

// Two rows of 16 lanes, counted in their short form and in the general one.
KL_TEST(halves_count_like_any_lanes) {
    uint64_t state = 11;
    counting_warp *quick[] = {counting_warp_new(SIM_OP_LD), counting_warp_new(SIM_OP_ST)};
    counting_warp *plain[] = {counting_warp_new(SIM_OP_LD), counting_warp_new(SIM_OP_ST)};
    for (int try = 0; try < 4000; try++) {
        bool is_store = try % 2;
        counting_warp *q = quick[is_store], *p = plain[is_store];
        uint32_t bytes = 1u << random_bits(&state) % 5, stride = random_bits(&state) % 2 * bytes;
        uint64_t a = (random_bits(&state) % 1024 + 64) * bytes, b = a;
        uint64_t kind = random_bits(&state) % 4;
        if (kind == 1) b = a + HALF_WARP * (uint64_t)stride;
        if (kind >= 2) b = (random_bits(&state) % (kind == 2 ? 64 : 4096) + 64) * bytes;
        half_rows rows = {{SIM_GLOBAL_BASE + a, SIM_GLOBAL_BASE + b}, stride, bytes};
        lane_addresses same = addresses_of_halves(&rows);
        if (is_store)
            count_halves_written(&q->warp, &q->instr, rows.base[0], rows.base[1], stride, bytes);
        else if (stride == 0)
            count_places_read(&q->warp, &q->instr, rows.base[0], rows.base[1], bytes);
        else count_halves_read(&q->warp, &q->instr, rows.base[0], rows.base[1], stride, bytes);
        count_global(&p->warp, &p->instr, &same, bytes, is_store ? COUNT_WRITE : COUNT_READ);
        expect_same_counts(q, p);
        half_rows shared = {{a, b}, stride, bytes};
        lane_addresses in_shared = addresses_of_halves(&shared);
        count_halves_shared(&q->warp, &q->instr, shared);
        count_shared(&p->warp, &p->instr, &in_shared, bytes);
        expect_same_counts(q, p);
        ck_assert(halves_lie_inside(&shared, a < b ? a : b,
                                    (a < b ? b - a : a - b) + reach_of(&shared) + bytes));
        ck_assert(!halves_lie_inside(&shared, a < b ? a : b,
                                     (a < b ? b - a : a - b) + reach_of(&shared) + bytes - 1));
        ck_assert(!halves_lie_inside(&shared, (a < b ? a : b) + 1, 1 << 20));
    }
    ck_assert_uint_gt(quick[0]->counts.sectors, 0);
    ck_assert_uint_gt(quick[1]->counts.conflicts, 0);
    for (int i = 0; i < 2; i++) {
        counting_warp_free(quick[i]);
        counting_warp_free(plain[i]);
    }
}

// A warp of which `lanes` load an int each: lane i of a half from `base` of the half + i * stride.
// What it adds to a sample that has line 0 alone.
static uint32_t entries_of_line_0(counting_warp *w, const uint64_t base[2], int64_t stride,
                                  uint32_t lanes) {
    uint64_t list[SIM_WARP_LANES];
    lane_addresses found;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        list[lane] = base[lane / HALF_WARP] + (uint64_t)(stride * (int64_t)(lane % HALF_WARP));
    classify(list, lanes, 4, false, &found);
    ck_assert_int_eq(found.pattern, PATTERN_HALVES);
    w->block.record.lines.count = w->block.record.lines.bound = 0; // no other line hashes to 0
    w->warp.record.watched = 0;
    count_global(&w->warp, &w->instr, &found, 4, COUNT_READ);
    return w->block.record.lines.count;
}

// Guards at the edges of an image iteration off lanes that point before the first byte of device
// memory.
KL_TEST(lanes_that_are_off_lie_before_device_memory) {
    counting_warp *w = counting_warp_new(SIM_OP_LD);
    const uint64_t start = SIM_GLOBAL_BASE, row = 4 * HALF_WARP;
    uint64_t above[] = {start - row, start + 16}; // a row above the image, and one in it
    ck_assert_uint_eq(entries_of_line_0(w, above, 4, 0xFFFF0000), 1);
    for (uint32_t off = 1; off < HALF_WARP; off++) { // columns to the left of it; row 1 is all off
        uint64_t left[] = {start - 4 * off, start - 4 * off - 4096};
        uint64_t from_end[] = {left[0] + row - 4, left[1] + row - 4};
        ck_assert_uint_eq(entries_of_line_0(w, left, 4, 0xFFFF & 0xFFFFu << off), 1);
        ck_assert_uint_eq(entries_of_line_0(w, from_end, -4, 0xFFFFu >> off), 1);
    }
    counting_warp_free(w);
}

// A wild stride must not pass for a regular warp whose ends happen to lie in bounds.
KL_TEST(strides_that_wrap_are_irregular) {
    uint64_t list[32];
    const uint64_t inverse_of_15 = UINT64_C(0xEEEEEEEEEEEEEEEF); // 15 times this is 1
    for (int lane = 0; lane < 32; lane++)
        list[lane] = SIM_GLOBAL_BASE + (uint64_t)(lane % 16) * (inverse_of_15 * 4);
    lane_addresses found;
    classify(list, SIM_ALL_LANES, 4, false, &found);
    ck_assert_int_eq(found.pattern, PATTERN_ANY);
    ck_assert(!lies_inside(&found, SIM_GLOBAL_BASE, SIM_GLOBAL_BASE + 4096, 4));
}

KL_TEST_MAIN("access rules")
