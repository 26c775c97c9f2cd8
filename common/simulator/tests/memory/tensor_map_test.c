// SPDX-License-Identifier: MIT
// Protects tensor maps: what the driver refuses, what the object says of box, span and fill, and
// that other bytes are taken for no map.
#include "device/descriptors.h"

#include <check.h>

#include "suite.h"

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

START_TEST(wrong_descriptions) {
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
}
END_TEST

START_TEST(what_a_map_says) {
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
END_TEST

// A kernel can write what it likes where it lets copies find a map.
START_TEST(forged_maps) {
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
    EXPECT_INVALID(forged.swizzle = 4);
    EXPECT_INVALID(forged.swizzle = 200);
    EXPECT_INVALID(forged.address++);
    EXPECT_INVALID(forged.box[1] = 0);
    EXPECT_INVALID(forged.box[1] = 257);
    EXPECT_INVALID(forged.steps[2] = 0);
    EXPECT_INVALID(forged.box[0] = 5);                                         // 20 bytes
    EXPECT_INVALID(forged.box[0] = 32);                                        // more than the span
    EXPECT_INVALID((forged.box[0] = 16, forged.box[1] = forged.box[2] = 256)); // 4 MiB
}
END_TEST

START_TEST(swizzles_change_places_in_a_line) {
    ck_assert_uint_eq(sim_tensor_swizzle(0x1234, 0), 0x1234);
    ck_assert_uint_eq(sim_tensor_swizzle(0x080, 1), 0x090);
    ck_assert_uint_eq(sim_tensor_swizzle(0x190, 3), 0x1A0);
    ck_assert_uint_eq(sim_tensor_swizzle(0x3F0, 7), 0x380);
    ck_assert_uint_eq(sim_tensor_swizzle(0x400, 7), 0x400);
}
END_TEST

KL_TEST_MAIN("tensor_map", wrong_descriptions, what_a_map_says, forged_maps,
             swizzles_change_places_in_a_line)
