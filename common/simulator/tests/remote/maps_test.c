// SPDX-License-Identifier: MIT
// Maps on the wire: what is put comes back, and what nobody could have put is refused.
#include <check.h>
#include <string.h>

#include "remote/internal.h"
#include "suite.h"

enum { FILES = 2 };

static sim_access_map access = {.file = 1,
                                .line = 7,
                                .order = 3,
                                .kind = SIM_MAP_SHARED_STORE,
                                .bytes = 8,
                                .rounds = 1,
                                .requests = 10,
                                .units = 40,
                                .least = 20};
static sim_branch_map branches[2] = {{.line = 9,
                                      .fall_line = 10,
                                      .jump_line = 12,
                                      .meets = true,
                                      .meet_line = 13,
                                      .executions = 5,
                                      .splits = 4,
                                      .active = 100,
                                      .taken = 60,
                                      .lanes = 0xFF,
                                      .jumped = 0xF0},
                                     {.line = 10,
                                      .parent = 1,
                                      .side = SIM_SIDE_JUMP,
                                      .executions = 3,
                                      .splits = 1,
                                      .active = 2,
                                      .taken = 1,
                                      .lanes = 3,
                                      .jumped = 1}};
static sim_box_map box = {.file = 1,
                          .line = 8,
                          .stores = true,
                          .copies = 12,
                          .rows = 64,
                          .row_bytes = 64,
                          .swizzle = 128,
                          .offset = 1024};
static sim_launch_maps maps = {.accesses = &access,
                               .access_count = 1,
                               .accesses_left_out = 2,
                               .branches = branches,
                               .branch_count = 2,
                               .branches_whole = 6,
                               .boxes = &box,
                               .box_count = 1,
                               .boxes_left_out = 5};

static void set_up(void) {
    access.first = access.worst = (sim_access_sample){
        .block = {1, 2, 3}, .warp = 4, .lanes = 0x80000001u, .units = 4, .least = 2};
    access.worst.addresses[0] = 64;
    access.worst.addresses[31] = UINT64_MAX;
}

static sim_launch_maps *send(size_t bytes_left_out) {
    wire_writer writer = {0};
    wire_put_maps(&writer, &maps);
    wire_reader reader = {.data = writer.data, .bytes = writer.bytes - bytes_left_out};
    sim_launch_maps *got = wire_get_maps(&reader, FILES);
    bool whole = wire_done(&reader);
    wire_writer_free(&writer);
    if (whole) return got;
    sim_launch_maps_free(got);
    return NULL;
}

START_TEST(maps_come_back) {
    set_up();
    sim_launch_maps *got = send(0);
    ck_assert_ptr_nonnull(got);
    ck_assert_uint_eq(got->access_count, 1);
    ck_assert_uint_eq(got->accesses_left_out, 2);
    ck_assert_uint_eq(got->branch_count, 2);
    ck_assert_uint_eq(got->branches_whole, 6);
    ck_assert_mem_eq(&got->accesses[0], &access, sizeof access);
    ck_assert_mem_eq(got->branches, branches, sizeof branches);
    ck_assert_uint_eq(got->box_count, 1);
    ck_assert_uint_eq(got->boxes_left_out, 5);
    ck_assert_mem_eq(&got->boxes[0], &box, sizeof box);
    sim_launch_maps *copy = sim_launch_maps_copy(got);
    ck_assert_mem_eq(&copy->boxes[0], &box, sizeof box);
    sim_launch_maps_free(copy);
    sim_launch_maps_free(got);
    ck_assert_ptr_null(send(1));
    wire_writer writer = {0};
    wire_put_maps(&writer, NULL);
    wire_reader reader = {.data = writer.data, .bytes = writer.bytes};
    ck_assert_ptr_null(wire_get_maps(&reader, FILES));
    ck_assert(wire_done(&reader));
    wire_writer_free(&writer);
}
END_TEST

#define REFUSED(field, value)                                                                      \
    do {                                                                                           \
        __typeof__(field) kept_ = field;                                                           \
        field = (value);                                                                           \
        ck_assert_msg(!send(0), "%s = %s", #field, #value);                                        \
        field = kept_;                                                                             \
    } while (0)

START_TEST(nonsense_is_refused) {
    set_up();
    REFUSED(access.file, FILES);
    REFUSED(access.kind, SIM_MAP_KIND_COUNT);
    REFUSED(access.bytes, 0);
    REFUSED(access.bytes, 12);
    REFUSED(access.bytes, 64);
    REFUSED(access.rounds, 0);
    REFUSED(access.requests, 0);
    REFUSED(access.least, 41);
    REFUSED(access.worst.lanes, 0);
    REFUSED(access.first.least, 5);
    REFUSED(branches[0].parent, 1); // itself
    REFUSED(branches[0].parent, 2); // and the other is inside this one
    REFUSED(branches[1].parent, 3);
    REFUSED(branches[1].side, SIM_SIDE_EITHER + 1);
    REFUSED(branches[0].splits, 6);
    REFUSED(branches[0].taken, 101);
    REFUSED(branches[1].jumped, 4);
    REFUSED(box.file, FILES);
    REFUSED(box.copies, 0);
    REFUSED(box.rows, 0);
    REFUSED(box.row_bytes, 0);
    REFUSED(box.row_bytes, 72);
    REFUSED(box.row_bytes, 144); // beyond the span
    REFUSED(box.swizzle, 256);
    REFUSED(box.offset, 64);
    REFUSED(box.rows, 1 << 20);
    REFUSED(box.offset, 1 << 30);
    sim_launch_maps *got = send(0);
    ck_assert_ptr_nonnull(got);
    sim_launch_maps_free(got);
}
END_TEST

KL_TEST_MAIN("maps", maps_come_back, nonsense_is_refused)
