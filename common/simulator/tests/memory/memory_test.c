// Rounds of an access, tensor maps, accesses of cards before Volta.
#include "memory/access.h"
#include "suite.h"
#include "device/descriptors.h"

// ---- rounds ----
// Which wavefront serves which lane: as many as the counting rules say, never two words of a bank
// in one, and all lanes that ask for one word in the same.

enum { TRIES = 3000, WAVES = 256 };
#define ALL UINT32_C(0xFFFFFFFF)

// Fixed pseudo-random numbers.
static uint32_t next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void check(const uint64_t offsets[32], uint32_t lanes, uint32_t bytes) {
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    uint64_t word_of[WAVES][SIM_BANKS];
    uint32_t words = bytes < 4 ? 1 : bytes / 4;
    memset(word_of, 0xFF, sizeof word_of);
    uint32_t count = sim_access_bank_rounds(offsets, lanes, bytes, rounds);
    ck_assert_uint_eq(count, sim_access_banks(offsets, lanes, bytes).wavefronts);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t k = 0; lanes >> lane & 1 && k < words; k++) {
            uint64_t word = offsets[lane] / 4 + k,
                     *at = &word_of[rounds[lane][k].wavefront][word % 32];
            ck_assert_uint_lt(rounds[lane][k].wavefront, count);
            ck_assert(*at == UINT64_MAX || *at == word);
            *at = word;
        }
}

static void check_atomic(const uint64_t offsets[32], uint32_t lanes, uint32_t bytes) {
    sim_bank_round rounds[32];
    bool used[WAVES][SIM_BANKS] = {{false}};
    uint32_t width = bytes < 4 ? 4 : bytes, banks = 128 / width;
    uint32_t count = sim_access_atomic_rounds(offsets, lanes, bytes, rounds);
    ck_assert_uint_eq(count, sim_access_atomic_passes(offsets, lanes, bytes));
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1)) continue;
        bool *at = &used[rounds[lane].wavefront][offsets[lane] / width % banks];
        ck_assert_uint_lt(rounds[lane].wavefront, count);
        ck_assert(!*at); // one lane of each bank
        *at = true;
    }
}

KL_TEST(textbook_patterns) {
    uint64_t column[32], padded[32], one[32];
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    for (uint32_t lane = 0; lane < 32; lane++) {
        column[lane] = lane * 32 * 4;
        padded[lane] = lane * 33 * 4;
        one[lane] = 20;
    }
    ck_assert_uint_eq(sim_access_bank_rounds(column, ALL, 4, rounds), 32);
    for (uint32_t lane = 0; lane < 32; lane++) ck_assert_uint_eq(rounds[lane][0].wavefront, lane);
    ck_assert_uint_eq(sim_access_bank_rounds(padded, ALL, 4, rounds), 1);
    ck_assert_uint_eq(sim_access_bank_rounds(one, ALL, 4, rounds), 1);
    sim_bank_round atomic_rounds[32];
    ck_assert_uint_eq(sim_access_atomic_rounds(one, ALL, 4, atomic_rounds), 32);
    ck_assert_uint_eq(sim_access_atomic_rounds(one, 0x80000001u, 4, atomic_rounds), 2);
}

KL_TEST(any_pattern) {
    uint32_t state = 12345;
    for (int i = 0; i < TRIES; i++) {
        uint64_t offsets[32];
        uint32_t bytes = 1u << next(&state) % 5, lanes = i % 3 ? ALL : next(&state) | 1;
        uint32_t span = 1u << (1 + next(&state) % 9);
        for (uint32_t lane = 0; lane < 32; lane++)
            offsets[lane] = (uint64_t)(next(&state) % span) * bytes;
        check(offsets, lanes, bytes);
        if (bytes <= 8) check_atomic(offsets, lanes, bytes);
    }
}

// ---- tensor_map ----
// Protects tensor maps: what the driver refuses, what the object says of box, span and fill, and
// that other bytes are taken for no map.

// A request and the arrays that it points to.
typedef struct described {
    sim_tensor_request request;
    uint64_t dims[SIM_TENSOR_AXES], strides[SIM_TENSOR_AXES];
    uint32_t box[SIM_TENSOR_AXES], steps[SIM_TENSOR_AXES];
} described;

static void describe(described *out) {
    *out = (described){.request = {.type = SIM_TENSOR_F32, .rank = 3, .address = 4096},
                       .dims = {64, 32, 8, 4, 2},
                       .strides = {256, 8192, 65536, 262144},
                       .box = {16, 8, 4, 2, 1},
                       .steps = {1, 1, 1, 1, 1}};
    out->request.dims = out->dims;
    out->request.strides = out->strides;
    out->request.box = out->box;
    out->request.steps = out->steps;
}

#define EXPECT_STATUS(wanted, change)                                                              \
    do {                                                                                           \
        described it;                                                                              \
        sim_tensor_map map;                                                                        \
        const char *why;                                                                           \
        describe(&it);                                                                             \
        change;                                                                                    \
        ck_assert_msg(sim_tensor_map_encode(&it.request, &map, &why) == wanted, "%s: %s", #change, \
                      why ? why : "accepted");                                                     \
        ck_assert((wanted == SIM_OK) == (why == NULL));                                            \
    } while (0)

KL_TEST(wrong_descriptions) {
    EXPECT_STATUS(SIM_OK, (void)0);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.rank = 0);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.rank = 6);
    EXPECT_STATUS(SIM_OK, it.request.rank = 5);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.strides = NULL);
    EXPECT_STATUS(SIM_OK, it.request.rank = 1);
    EXPECT_STATUS(SIM_OK, (it.box[0] = 256, it.box[1] = 228, it.box[2] = 1));
    EXPECT_STATUS(SIM_INVALID_VALUE, (it.box[0] = 256, it.box[1] = 229, it.box[2] = 1));
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.type = -1);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.type = 99);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.address = 4104);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.dims[1] = 0);
    EXPECT_STATUS(SIM_OK, it.dims[1] = UINT64_C(1) << 32);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.dims[1] = (UINT64_C(1) << 32) + 1);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.strides[0] = 264);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.strides[1] = UINT64_C(1) << 40);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.box[2] = 0);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.box[2] = 257);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.box[0] = 6); // 24 bytes
    EXPECT_STATUS(SIM_INVALID_VALUE, it.steps[1] = 0);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.steps[1] = 9);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.swizzle = 1); // 64 bytes in a span of 32
    EXPECT_STATUS(SIM_OK, it.request.swizzle = 2);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.swizzle = 9);
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.promotion = 4);
    EXPECT_STATUS(SIM_INVALID_VALUE, (it.request.fill = 1, it.request.type = SIM_TENSOR_U32));
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.interleave = 3);
    EXPECT_STATUS(SIM_UNSUPPORTED, it.request.interleave = 1);
    // Packed types, and swizzles of pairs and fours of pieces: compute capability 10.0.
    for (int type = SIM_TENSOR_PACKED4; type < SIM_TENSOR_TYPES; type++) {
        EXPECT_STATUS(SIM_INVALID_VALUE,
                      (it.request.type = type, it.box[0] = 128, it.dims[0] = 256));
        EXPECT_STATUS(SIM_OK, (it.request.type = type, it.box[0] = 128, it.dims[0] = 256,
                               it.request.recent = true));
    }
    EXPECT_STATUS(SIM_INVALID_VALUE, (it.request.type = SIM_TENSOR_SPACED4, it.box[0] = 64,
                                      it.dims[0] = 256, it.request.recent = true));
    EXPECT_STATUS(SIM_INVALID_VALUE, (it.request.type = SIM_TENSOR_SPACED6, it.box[0] = 128,
                                      it.dims[0] = 200, it.request.recent = true));
    EXPECT_STATUS(SIM_INVALID_VALUE,
                  (it.request.type = SIM_TENSOR_SPACED6, it.box[0] = 128, it.dims[0] = 256,
                   it.request.address = 4112, it.request.recent = true));
    EXPECT_STATUS(SIM_INVALID_VALUE, it.request.swizzle = 4);
    EXPECT_STATUS(SIM_OK, (it.request.swizzle = 4, it.request.recent = true));
    EXPECT_STATUS(SIM_OK, (it.request.swizzle = 6, it.request.recent = true));
    EXPECT_STATUS(SIM_UNSUPPORTED, (it.request.swizzle = 5, it.request.recent = true));
}

KL_TEST(what_a_map_says) {
    described it;
    sim_tensor_map map;
    const char *why;
    describe(&it);
    it.steps[0] = 2; // ignored
    it.steps[1] = 3;
    it.request.fill = 1;
    ck_assert_int_eq(sim_tensor_map_encode(&it.request, &map, &why), SIM_OK);
    ck_assert(sim_tensor_map_is_valid(&map));
    ck_assert_uint_eq(sim_tensor_element_bytes(&map), 4);
    ck_assert_uint_eq(sim_tensor_box_bytes(&map), 16 * 4 * 3 * 4);
    ck_assert_uint_eq(sim_tensor_span_bytes(&map), 64 * 4 + 31 * 256 + 7 * 8192);
    ck_assert_uint_eq(sim_tensor_fill_bits(&map), UINT64_C(0x7FF77FF77FF77FF7));
    ck_assert_int_eq(sim_tensor_map_move(&map, 4100, &why), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_tensor_map_move(&map, 8192, &why), SIM_OK);
    ck_assert_uint_eq(map.address, 8192);
    ck_assert_uint_eq(sim_tensor_row_pitch(&map), 64);
    map.swizzle = 7;
    ck_assert_uint_eq(sim_tensor_row_pitch(&map), 128);
    map.magic++;
    ck_assert(!sim_tensor_map_is_valid(&map));
    ck_assert_int_eq(sim_tensor_map_move(&map, 4096, &why), SIM_INVALID_VALUE);
}

// A kernel can write what it likes where it lets copies find a map.
KL_TEST(forged_maps) {
    described it;
    sim_tensor_map map, forged;
    const char *why;
    describe(&it);
    it.request.swizzle = 2;
    ck_assert_int_eq(sim_tensor_map_encode(&it.request, &map, &why), SIM_OK);
#define EXPECT_INVALID(change)                                                                     \
    forged = map;                                                                                  \
    change;                                                                                        \
    ck_assert_msg(!sim_tensor_map_is_valid(&forged), #change)
    EXPECT_INVALID(forged.type = SIM_TENSOR_TYPES);
    EXPECT_INVALID(forged.rank = 6);
    EXPECT_INVALID(forged.rank = 0);
    EXPECT_INVALID(forged.swizzle = 5);
    EXPECT_INVALID(forged.swizzle = 200);
    EXPECT_INVALID(forged.address++);
    EXPECT_INVALID(forged.box[1] = 0);
    EXPECT_INVALID(forged.box[1] = 257);
    EXPECT_INVALID(forged.steps[2] = 0);
    EXPECT_INVALID(forged.box[0] = 5);                                         // 20 bytes
    EXPECT_INVALID(forged.box[0] = 32);                                        // more than the span
    EXPECT_INVALID((forged.box[0] = 16, forged.box[1] = forged.box[2] = 256)); // 4 MiB
}

// A field that a kernel replaces is what the driver would have encoded (an H200's maps).
KL_TEST(replaced_fields) {
#define EXPECT_REPLACED(field, axis, value, change)                                                \
    do {                                                                                           \
        described it;                                                                              \
        sim_tensor_map map, wanted;                                                                \
        const char *why;                                                                           \
        describe(&it);                                                                             \
        it.steps[1] = 3;                                                                           \
        ck_assert_int_eq(sim_tensor_map_encode(&it.request, &map, &why), SIM_OK);                  \
        change;                                                                                    \
        ck_assert_int_eq(sim_tensor_map_encode(&it.request, &wanted, &why), SIM_OK);               \
        ck_assert(sim_tensor_map_replace(&map, field, axis, value));                               \
        ck_assert_msg(memcmp(&map, &wanted, sizeof map) == 0, #change);                            \
    } while (0)
    EXPECT_REPLACED(SIM_TENSOR_ADDRESS, 0, 8192, it.request.address = 8192);
    EXPECT_REPLACED(SIM_TENSOR_RANK, 0, 2, it.request.rank = 3); // one less than the rank
    EXPECT_REPLACED(SIM_TENSOR_RANK, 0, 10, it.request.rank = 3);
    EXPECT_REPLACED(SIM_TENSOR_BOX, 1, 5, it.box[1] = 5);
    EXPECT_REPLACED(SIM_TENSOR_DIM, 2, 7, it.dims[2] = 7);
    EXPECT_REPLACED(SIM_TENSOR_STRIDE, 0, 512, it.strides[0] = 512);
    EXPECT_REPLACED(SIM_TENSOR_STRIDE, 1, 16391, it.strides[1] = 16384);
    EXPECT_REPLACED(SIM_TENSOR_STEP, 1, 2, it.steps[1] = 2);
    EXPECT_REPLACED(SIM_TENSOR_TYPE, 0, 8, it.request.type = SIM_TENSOR_F32_FTZ);
    EXPECT_REPLACED(SIM_TENSOR_SWIZZLE, 0, 3, it.request.swizzle = 3);
    EXPECT_REPLACED(SIM_TENSOR_FILL, 0, 1, it.request.fill = 1);
    sim_tensor_map none = {0};
    ck_assert(!sim_tensor_map_replace(&none, SIM_TENSOR_ADDRESS, 0, 8192));
}

KL_TEST(swizzles_change_places_in_a_line) {
    ck_assert_uint_eq(sim_tensor_swizzle(0x1234, 0), 0x1234);
    ck_assert_uint_eq(sim_tensor_swizzle(0x080, 1), 0x090);
    ck_assert_uint_eq(sim_tensor_swizzle(0x190, 3), 0x1A0);
    ck_assert_uint_eq(sim_tensor_swizzle(0x3F0, 7), 0x380);
    ck_assert_uint_eq(sim_tensor_swizzle(0x400, 7), 0x400);
}

// ---- access_legacy ----
// Counting rules of older cards: the examples of the CUDA C Programming Guide 4.2 (appendix F) for
// half-warps and 16 banks, those of guide 8.0 for banks of 8 bytes.

enum { FIRST_HALF = 0xFFFF };

static const sim_device *segments(void) {
    const sim_device *d = NULL;
    ck_assert_int_eq(sim_device_from_text("like=gtx8800;coalescing=2;compute_minor=3", &d, NULL),
                     SIM_OK);
    return d;
}

static void rows(uint64_t at[32], uint64_t base, int64_t step) {
    for (int lane = 0; lane < 32; lane++) at[lane] = base + (uint64_t)(step * lane);
}

static uint32_t units(const sim_device *d, uint64_t base, int64_t step, uint32_t bytes,
                      uint32_t lanes) {
    uint64_t at[32];
    rows(at, base, step);
    return sim_legacy_units(d, at, lanes, bytes);
}

static uint32_t transactions(const sim_device *d, uint64_t base, int64_t step, uint32_t bytes,
                             uint32_t lanes) {
    uint64_t at[32];
    rows(at, base, step);
    return sim_legacy_transactions(d, at, lanes, bytes);
}

KL_TEST(half_warps_in_sequence) {
    const sim_device *d = sim_device_find("gtx8800");
    ck_assert_uint_eq(transactions(d, 0x1000, 4, 4, ALL), 2); // one of 64 bytes per half-warp
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, ALL), 4);
    ck_assert_uint_eq(transactions(d, 0x1000, 8, 8, ALL), 2); // of 128
    ck_assert_uint_eq(units(d, 0x1000, 8, 8, ALL), 8);
    ck_assert_uint_eq(transactions(d, 0x1000, 16, 16, ALL), 4); // two of 128
    ck_assert_uint_eq(units(d, 0x1000, 16, 16, ALL), 16);
    ck_assert_uint_eq(units(d, 0x1004, 4, 4, ALL), 32); // misaligned: 16 of 32 bytes, twice
    ck_assert_uint_eq(transactions(d, 0x1004, 4, 4, ALL), 32);
    ck_assert_uint_eq(units(d, 0x1020, 4, 4, ALL), 32); // aligned to 32, not to 64
    ck_assert_uint_eq(units(d, 0x1040, 4, 4, ALL), 4);
    ck_assert_uint_eq(units(d, 0x1000, 0, 4, ALL), 32); // all the same word
    ck_assert_uint_eq(units(d, 0x1000, 1, 1, ALL), 32); // bytes never coalesce
    ck_assert_uint_eq(units(d, 0x1000, 2, 2, ALL), 32);
    ck_assert_uint_eq(units(d, 0x107c, -4, 4, ALL), 32); // the k-th lane must ask for the k-th word
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, FIRST_HALF), 2);
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, 0x00F0), 2); // lanes that are off do not matter
    ck_assert_uint_eq(units(d, 0x1004, 4, 4, 0x00F0), 4);
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, 0x80000000), 2);
}

KL_TEST(two_lanes_exchanged) {
    uint64_t at[32];
    rows(at, 0x1000, 4);
    at[3] = 0x1010;
    at[4] = 0x100c;
    ck_assert_uint_eq(sim_legacy_units(sim_device_find("gtx8800"), at, ALL, 4), 16 + 2);
    ck_assert_uint_eq(sim_legacy_units(segments(), at, ALL, 4), 4);
}

KL_TEST(segments_of_half_warps) {
    const sim_device *d = segments();
    ck_assert_uint_eq(transactions(d, 0x1000, 4, 4, ALL), 2);
    ck_assert_uint_eq(units(d, 0x1000, 4, 4, ALL), 4);
    // Misaligned by a word: a half-warp inside one segment takes all of its 128 bytes; one that
    // straddles two takes 64 (32) of the one and 32 of the other.
    ck_assert_uint_eq(units(d, 0x1004, 4, 4, FIRST_HALF), 4);
    ck_assert_uint_eq(transactions(d, 0x1004, 4, 4, FIRST_HALF), 1);
    ck_assert_uint_eq(transactions(d, 0x1044, 4, 4, FIRST_HALF), 2);
    ck_assert_uint_eq(units(d, 0x1044, 4, 4, FIRST_HALF), 2 + 1);
    ck_assert_uint_eq(units(d, 0x1000, 0, 4, ALL), 2); // one word: a segment of 32 bytes per half
    ck_assert_uint_eq(units(d, 0x1000, 1, 1, ALL), 2);
    ck_assert_uint_eq(units(d, 0x1000, 2, 2, ALL), 2);
    ck_assert_uint_eq(units(d, 0x1000, 8, 4, ALL), 8); // every second word: whole segments
    ck_assert_uint_eq(units(d, 0x1000, 128, 4, ALL), 32);
    ck_assert_uint_eq(transactions(d, 0x1000, 16, 16, ALL), 4);
    ck_assert_uint_eq(units(d, 0x1000, 16, 16, ALL), 16);
}

KL_TEST(others_go_by_sectors) {
    uint64_t at[32];
    for (int64_t step = -40; step < 40; step += 4) {
        rows(at, 0x2000, step);
        ck_assert_uint_eq(sim_legacy_units(sim_device_find("k40"), at, ALL, 4),
                          sim_access_sectors(at, ALL, 4));
    }
    ck_assert_uint_eq(sim_legacy_transactions(sim_device_find("k40"), at, ALL, 4), 0);
}

static sim_bank_use banks(const sim_device *d, int64_t step, uint32_t bytes, uint32_t lanes) {
    uint64_t at[32];
    rows(at, step < 0 ? 4096 : 0, step);
    return sim_legacy_banks(d, at, lanes, bytes);
}

// "There will be no bank conflict only if s is odd": each half-warp one pass, else gcd(16, s).
KL_TEST(sixteen_banks) {
    const sim_device *d = sim_device_find("gtx8800");
    for (int64_t words = 1; words <= 33; words++) {
        uint32_t shared = (uint32_t)(words & -words);
        if (shared > 16) shared = 16;
        ck_assert_uint_eq(banks(d, 4 * words, 4, ALL).wavefronts, 2 * shared);
        ck_assert_uint_eq(banks(d, 4 * words, 4, ALL).conflict_free, 2);
        ck_assert_uint_eq(banks(d, 4 * words, 4, FIRST_HALF).wavefronts, shared);
    }
    ck_assert_uint_eq(banks(d, 0, 4, ALL).wavefronts, 2); // the broadcast
    ck_assert_uint_eq(banks(d, 1, 1, ALL).wavefronts,
                      2 * 4); // char[]: 4 lanes a word, one broadcast
    ck_assert_uint_eq(banks(d, 8, 8, ALL).wavefronts, 2 * 4); // doubles: two requests of stride 2
    ck_assert_uint_eq(banks(d, 8, 8, ALL).conflict_free, 2 * 2);
    ck_assert_uint_eq(banks(d, 12, 4, ALL).wavefronts, 2); // a struct of three floats: odd stride
}

// No conflict between the halves: both read words that lie in the same banks.
KL_TEST(halves_do_not_meet) {
    uint64_t at[32];
    for (int lane = 0; lane < 32; lane++) at[lane] = (uint64_t)(lane % 16) * 4 + (lane / 16) * 64;
    ck_assert_uint_eq(sim_legacy_banks(sim_device_find("gtx8800"), at, ALL, 4).wavefronts, 2);
    // One word for many lanes, other banks beside it: one pass. Two words for many: two.
    for (int lane = 0; lane < 32; lane++) at[lane] = lane % 16 < 8 ? 0 : (uint64_t)(lane % 16) * 4;
    ck_assert_uint_eq(sim_legacy_banks(sim_device_find("gtx8800"), at, FIRST_HALF, 4).wavefronts,
                      1);
    for (int lane = 0; lane < 16; lane++) at[lane] = lane < 8 ? 0 : 4;
    ck_assert_uint_eq(sim_legacy_banks(sim_device_find("gtx8800"), at, FIRST_HALF, 4).wavefronts,
                      2);
}

// Compute capability 3.x in its 32-bit mode: two words of a bank 32 words apart in one aligned row
// of 64 words come together.
KL_TEST(banks_of_eight_bytes) {
    const sim_device *d = sim_device_find("k40");
    ck_assert_uint_eq(banks(d, 4, 4, ALL).wavefronts, 1);
    ck_assert_uint_eq(banks(d, 8, 4, ALL).wavefronts,
                      1);                                  // stride 2: no conflict, as 2.x has
    ck_assert_uint_eq(banks(d, 12, 4, ALL).wavefronts, 1); // stride 3
    ck_assert_uint_eq(banks(d, 16, 4, ALL).wavefronts, 2);
    ck_assert_uint_eq(banks(d, 128, 4, ALL).wavefronts, 16);
    ck_assert_uint_eq(banks(d, 256, 4, ALL).wavefronts, 32);
    ck_assert_uint_eq(banks(d, 8, 8, ALL).wavefronts, 1); // doubles in a row: one pass
    ck_assert_uint_eq(banks(d, 8, 8, ALL).conflict_free, 1);
    ck_assert_uint_eq(banks(d, 16, 16, ALL).wavefronts, 2);
    ck_assert_uint_eq(banks(d, 0, 4, ALL).wavefronts, 1);
    const sim_device *wide;
    ck_assert_int_eq(sim_device_from_text("like=k40;bank_map_bytes=8", &wide, NULL), SIM_OK);
    ck_assert_uint_eq(banks(wide, 4, 4, ALL).wavefronts, 1); // 64-bit mode
    ck_assert_uint_eq(banks(wide, 8, 4, ALL).wavefronts, 1);
    ck_assert_uint_eq(banks(wide, 8, 8, ALL).wavefronts, 1);
    ck_assert_uint_eq(banks(wide, 16, 8, ALL).wavefronts, 2);
}

// Which wavefront serves which lane: as many as are counted; what one serves in a bank is one word
// or, with banks of 8 bytes, words of one row of 256 bytes.
static void check_rounds(const sim_device *d, const uint64_t at[32], uint32_t lanes,
                         uint32_t bytes) {
    enum { WAVES = 256 };
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    static uint64_t served[WAVES][32];
    static bool used[WAVES];
    memset(served, 0xFF, sizeof served);
    memset(used, 0, sizeof used);
    uint32_t count = sim_legacy_bank_rounds(d, at, lanes, bytes, rounds);
    sim_bank_use use = sim_legacy_banks(d, at, lanes, bytes);
    uint32_t words = bytes < 4 ? 1 : bytes / 4, first = 0;
    ck_assert_uint_eq(count, use.wavefronts);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t k = 0; lanes >> lane & 1 && k < words; k++) {
            uint64_t word = at[lane] / 4 + k, what = d->bank_bytes == 8 ? word / 64 : word;
            uint64_t *bank = &served[rounds[lane][k].wavefront][word % d->shared_banks];
            ck_assert_uint_lt(rounds[lane][k].wavefront, count);
            ck_assert(*bank == UINT64_MAX || *bank == what);
            *bank = what;
            first += !used[rounds[lane][k].wavefront] && rounds[lane][k].rank == 0;
            used[rounds[lane][k].wavefront] = true;
        }
    for (uint32_t w = 0; w < count; w++) ck_assert(used[w]);
    if (sim_device_is_older(d)) ck_assert_uint_eq(first, use.conflict_free); // wait for nothing
}

KL_TEST(rounds_are_those_that_are_counted) {
    static const char *const ids[] = {"gtx8800", "k40", "h100"};
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    uint32_t state = 12345;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        for (int t = 0; t < 500; t++) {
            const sim_device *d = sim_device_find(ids[i]);
            uint32_t bytes = widths[t % 5], span = t % 3 == 0 ? 64 : 4096;
            uint64_t at[32];
            for (int lane = 0; lane < 32; lane++) {
                state = state * 1664525 + 1013904223;
                at[lane] = state / 65536 % span / bytes * bytes;
            }
            state = state * 1664525 + 1013904223;
            check_rounds(d, at, t % 2 ? ALL : state | 1, bytes);
        }
    uint64_t column[32];
    sim_bank_round rounds[32][SIM_ACCESS_WORDS];
    rows(column, 0, 128);
    sim_legacy_bank_rounds(sim_device_find("gtx8800"), column, ALL, 4, rounds);
    for (uint32_t lane = 0; lane < 32; lane++) {
        ck_assert_uint_eq(rounds[lane][0].wavefront, lane);
        ck_assert_uint_eq(rounds[lane][0].rank, lane % 16);
    }
    sim_legacy_bank_rounds(sim_device_find("k40"), column, ALL, 4, rounds);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(rounds[lane][0].wavefront, lane / 2);
}

KL_TEST_MAIN("memory")
