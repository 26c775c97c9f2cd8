// Protects what bulk tensor copies count: the sectors of the part of a box that lies in the tensor;
// and what forged maps, wrong places and unknown blocks end with.
#include "suite.h"
#include "support/run.h"

enum { COLUMNS = 64, ROWS = 20, BOX_COLUMNS = 16, BOX_ROWS = 4 };

// One thread loads the box at (x, y) and stores the word at `offset` of it.
static const char text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 p_map, .param .u64 p_out, .param .u32 p_x, .param .u32 p_y,\n"
    ".param .u32 p_bytes)\n{\n.reg .pred q; .reg .b32 tile, bar, x, y, r, bytes;\n"
    ".reg .b64 map, out;\n"
    ".shared .align 128 .b8 box[1024];\n.shared .align 8 .b8 barrier[8];\n"
    "mov.u32 tile, box; mov.u32 bar, barrier;\n"
    "ld.param.u64 map, [p_map]; ld.param.u64 out, [p_out];\n"
    "ld.param.u32 x, [p_x]; ld.param.u32 y, [p_y]; ld.param.u32 bytes, [p_bytes];\n"
    "mbarrier.init.shared.b64 [bar], 1;\nfence.proxy.async;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], bytes;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], "
    "[map, {x, y}], [bar];\n"
    "LOOP: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n@!q bra LOOP;\n"
    "ld.shared.u32 r, [tile+192];\nst.global.u32 [out], r;\nret;\n}\n";

static sim_tensor_map map_of_boxes(uint64_t address, uint32_t columns, uint32_t rows) {
    const uint64_t dims[] = {COLUMNS, ROWS}, strides[] = {COLUMNS * 4};
    const uint32_t box[] = {columns, rows}, steps[] = {1, 1};
    sim_tensor_map map;
    const char *why;
    const sim_tensor_request request = {.type = SIM_TENSOR_U32,
                                        .rank = 2,
                                        .address = address,
                                        .dims = dims,
                                        .strides = strides,
                                        .box = box,
                                        .steps = steps};
    ck_assert_int_eq(sim_tensor_map_encode(&request, &map, &why), SIM_OK);
    ((uint64_t *)&map)[1] ^= UINT64_C(1) << 21; // CUTLASS clears it: copy_traits_sm90_tma.hpp
    return map;
}

static sim_tensor_map map_of(uint64_t address) {
    return map_of_boxes(address, BOX_COLUMNS, BOX_ROWS);
}

static uint64_t make_tensor(exec_rig *rig) {
    uint32_t data[ROWS * COLUMNS];
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) data[i] = 1000 + i;
    return exec_alloc(rig, sizeof data, data);
}

// Sectors of the box of so many columns and rows at (x, y); out: its word at byte 192.
static uint64_t sectors_of(uint32_t columns, uint32_t rows, int32_t x, int32_t y, uint32_t *out) {
    exec_rig *rig = exec_open(text, 1);
    uint32_t bytes = columns * rows * 4;
    sim_tensor_map map = map_of_boxes(make_tensor(rig), columns, rows);
    uint64_t d_map = exec_alloc(rig, sizeof map, &map), d_out = exec_alloc(rig, 4, NULL);
    EXEC_RUN(rig, "k", EXEC_DIM(1), EXEC_DIM(1), 0, &d_map, &d_out, &x, &y, &bytes, NULL);
    exec_read(rig, d_out, out, sizeof *out);
    const sim_raw_counts *counts = exec_counts(rig, SIM_OP_BULK_TENSOR, PTX_SPACE_GLOBAL);
    uint64_t sectors = counts->sectors;
    ck_assert_uint_eq(counts->requests, 1);
    exec_close(rig);
    return sectors;
}

static void expect_box(int32_t x, int32_t y, uint64_t sectors, uint32_t word) {
    uint32_t out;
    ck_assert_uint_eq(sectors_of(BOX_COLUMNS, BOX_ROWS, x, y, &out), sectors);
    ck_assert_uint_eq(out, word);
}

KL_TEST(sectors_of_the_part_inside) {
    expect_box(0, 0, 8, 1000 + 3 * COLUMNS);
    expect_box(4, 1, 12, 1000 + 4 * COLUMNS + 4); // rows from the middle of a sector on
    expect_box(56, 0, 4, 1000 + 3 * COLUMNS + 56);
    expect_box(-8, 16, 4, 0);
    expect_box(8, 18, 4, 0);
    expect_box(0, -3, 2, 1000);
    expect_box(64, 0, 0, 0);
}

// A row that a line of 128 bytes of shared memory parts within a sector asks for it twice, as ncu
// counts on an H200.
KL_TEST(rows_that_lines_part) {
    static const struct {
        uint32_t columns;
        int32_t x;
        uint64_t sectors;
    } boxes[] = {{4, 4, 8},   {8, 0, 8},   {8, 4, 16},  {12, 0, 17}, {12, 4, 17},
                 {12, 8, 17}, {16, 4, 24}, {24, 0, 24}, {24, 4, 36}, {32, 4, 40}};
    uint32_t out;
    for (uint32_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
        ck_assert_uint_eq(sectors_of(boxes[i].columns, 8, boxes[i].x, 0, &out), boxes[i].sectors);
}

static void expect_fault(exec_rig *rig, const sim_tensor_map *map, uint64_t shift, int32_t x,
                         sim_status status, const char *fragment) {
    int32_t y = 0;
    uint32_t expected = BOX_COLUMNS * BOX_ROWS * 4;
    uint8_t bytes[2 * SIM_TENSOR_MAP_BYTES] = {0};
    memcpy(bytes + shift, map, sizeof *map);
    uint64_t d_map = exec_alloc(rig, sizeof bytes, bytes) + shift;
    uint64_t d_out = exec_alloc(rig, 4, NULL);
    ck_assert_int_eq(
        exec_launch(rig, "k", EXEC_DIM(1), EXEC_DIM(1), 0, &d_map, &d_out, &x, &y, &expected, NULL),
        status);
    ck_assert_msg(strstr(rig->result.fault.text, fragment), "no '%s' in: %s", fragment,
                  rig->result.fault.text);
    exec_close(rig);
}

KL_TEST(wrong_maps_and_places) {
    exec_rig *rig = exec_open(text, 1);
    sim_tensor_map map = map_of(make_tensor(rig));
    expect_fault(rig, &map, 16, 0, SIM_MISALIGNED_ADDRESS, "not a multiple of 64");
    rig = exec_open(text, 1);
    map = map_of(make_tensor(rig));
    expect_fault(rig, &map, 64, 1, SIM_ILLEGAL_INSTRUCTION, "multiple of 16 bytes");
    rig = exec_open(text, 1);
    map = map_of(make_tensor(rig));
    map.rank = 3;
    map.box[2] = map.steps[2] = 1;
    expect_fault(rig, &map, 0, 0, SIM_ILLEGAL_INSTRUCTION, "2 coordinates");
    rig = exec_open(text, 1);
    map = map_of(make_tensor(rig));
    map.box[1] = 60000;
    expect_fault(rig, &map, 0, 0, SIM_ILLEGAL_INSTRUCTION, "no tensor map");
    rig = exec_open(text, 1);
    map = map_of(make_tensor(rig));
    map.box[1] = 100;
    expect_fault(rig, &map, 0, 0, SIM_ILLEGAL_INSTRUCTION, "larger than the block's shared memory");
    rig = exec_open(text, 1);
    map = map_of(make_tensor(rig));
    map.address += UINT64_C(1) << 60;
    expect_fault(rig, &map, 0, 0, SIM_ILLEGAL_ADDRESS, "illegal read of 64 bytes");
}

// A warp stores four values to columns, other ones first in each lane, and keeps what a load with
// these words reduces them to.
static const char reducing_text[] =
    ".version 9.0\n.target sm_103a\n.address_size 64\n"
    ".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"
    ".reg .b32 i, at, a, b, c, d, e; .reg .b64 in, out, here;\n.shared .b32 place;\n"
    "mov.u32 i, %%tid.x; ld.param.u64 in, [p_in]; ld.param.u64 out, [p_out];\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;\n"
    "ld.shared.u32 at, [place];\n"
    "mad.wide.u32 here, i, 16, in; ld.global.v4.u32 {a, b, c, d}, [here];\n"
    "tcgen05.st.sync.aligned.32x32b.x4.b32 [at], {a, b, c, d};\n"
    "tcgen05.wait::st.sync.aligned;\n"
    "tcgen05.ld.red.sync.aligned.%s;\ntcgen05.wait::ld.sync.aligned;\n"
    "mad.wide.u32 here, i, 4, out; st.global.u32 [here], e;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 at, 32;\nret;\n}\n";

KL_TEST(loads_that_reduce) {
    static const struct {
        const char *words;
        uint32_t values[4], wanted;
    } rows[] = {
        {"32x32b.x4.min.u32 {a, b, c, d}, e, [at]", {7, 0x80000000, 3, 5}, 3},
        {"32x32b.x4.max.u32 {a, b, c, d}, e, [at]", {7, 0x80000000, 3, 5}, 0x80000000},
        {"32x32b.x4.min.s32 {a, b, c, d}, e, [at]", {7, 0x80000000, 3, 5}, 0x80000000},
        {"32x32b.x4.s32.max {a, b, c, d}, e, [at]", {7, 0x80000000, 3, 5}, 7},
        {"32x32b.x4.min.f32 {a, b, c, d}, e, [at]",
         {0x3F800000, 0xC0000000, 0x7FC00001, 0x40000000},
         0xC0000000}, // 1, -2, NaN, 2
        {"32x32b.x4.max.abs.f32 {a, b, c, d}, e, [at]", {0x3F800000, 0xC0000000, 0, 0}, 0x40000000},
        {"32x32b.x4.min.NaN.f32 {a, b, c, d}, e, [at]", {1, 2, 0x7FC00001, 4}, 0x7FFFFFFF},
        {"32x32b.x4.max.f32 {a, b, c, d}, e, [at]", {~0u, ~0u, ~0u, ~0u}, 0x7FFFFFFF},
        {"32x32b.x4.min.f32 {a, b, c, d}, e, [at]", {0, 0x80000000, 0, 0x80000000}, 0x80000000},
        {"32x32b.x4.max.f32 {a, b, c, d}, e, [at]", {0, 0x80000000, 0, 0x80000000}, 0},
    };
    char module[2048];
    for (uint32_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        uint32_t in[SIM_WARP_LANES][4], out[SIM_WARP_LANES];
        for (uint32_t i = 0; i < 4 * SIM_WARP_LANES; i++)
            in[i / 4][i % 4] = rows[row].values[(i / 4 + i) % 4];
        snprintf(module, sizeof module, reducing_text, rows[row].words);
        exec_rig *rig = exec_open(module, 1);
        uint64_t d_in = exec_alloc(rig, sizeof in, in), d_out = exec_alloc(rig, sizeof out, NULL);
        EXEC_RUN(rig, "k", EXEC_DIM(1), EXEC_DIM(SIM_WARP_LANES), 0, &d_in, &d_out, NULL);
        exec_read(rig, d_out, out, sizeof out);
        for (uint32_t i = 0; i < SIM_WARP_LANES; i++) ck_assert_uint_eq(out[i], rows[row].wanted);
        exec_close(rig);
    }
    // Threads 16 and on have columns 2 and 3 of lanes 0 to 15.
    uint32_t in[SIM_WARP_LANES][4], out[SIM_WARP_LANES];
    for (uint32_t i = 0; i < 4 * SIM_WARP_LANES; i++) in[i / 4][i % 4] = i;
    snprintf(module, sizeof module, reducing_text, "16x32bx2.x2.max.u32 {a, b}, e, [at], 2");
    exec_rig *rig = exec_open(module, 1);
    uint64_t d_in = exec_alloc(rig, sizeof in, in), d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "k", EXEC_DIM(1), EXEC_DIM(SIM_WARP_LANES), 0, &d_in, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (uint32_t i = 0; i < SIM_WARP_LANES; i++)
        ck_assert_uint_eq(out[i], i % 16 * 4 + i / 16 * 2 + 1);
    exec_close(rig);
}

// A warp copies a map, changes it and gives the copy out: the box comes from another place.
static const char changing_text[] =
    ".version 9.5\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 p_map, .param .u64 p_new, .param .u64 p_out,\n"
    ".param .u64 p_address) {\n.reg .pred p, q; .reg .b32 lane, tile, bar, own, r, word;\n"
    ".reg .b64 map, new, out, address, at;\n"
    ".shared .align 128 .b8 box[1024]; .shared .align 128 .b8 copy[128];\n"
    ".shared .align 8 .b8 barrier[8];\n"
    "mov.u32 tile, box; mov.u32 bar, barrier; mov.u32 own, copy; mov.u32 lane, %tid.x;\n"
    "ld.param.u64 map, [p_map]; ld.param.u64 out, [p_out]; ld.param.u64 new, [p_new];\n"
    "ld.param.u64 address, [p_address]; setp.eq.u32 p, lane, 0;\n"
    "mad.wide.u32 at, lane, 4, map; ld.global.u32 word, [at];\n"
    "mad.lo.u32 r, lane, 4, own; st.shared.u32 [r], word; bar.warp.sync -1;\n"
    "@p tensormap.replace.tile.global_address.shared::cta.b1024.b64 [own], address;\n"
    "@p tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [own], 1, 2;\n"
    "bar.warp.sync -1;\n"
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
    "[new], [own], 128;\n@!p bra END;\n"
    "tensormap.query.alloc_class_large.global.b1024 q, [new]; @q bra END;\n"
    "fence.proxy.tensormap::generic.acquire.gpu [new], 128;\n"
    "mbarrier.init.shared.b64 [bar], 1; fence.proxy.async;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], "
    "[new, {0, 0}], [bar];\n"
    "LOOP: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n@!q bra LOOP;\n"
    "ld.shared.u32 r, [tile+64]; st.global.u32 [out], r;\n"
    "ld.shared.u32 r, [tile+128]; st.global.u32 [out+4], r;\nEND: ret;\n}\n";

KL_TEST(maps_change_in_kernels) {
    exec_rig *rig = exec_open(changing_text, 1);
    uint64_t tensor = make_tensor(rig), address = tensor + 4 * COLUMNS * 4;
    sim_tensor_map map = map_of(tensor);
    uint64_t d_map = exec_alloc(rig, sizeof map, &map), d_new = exec_alloc(rig, 128, NULL);
    uint64_t d_out = exec_alloc(rig, 8, NULL);
    uint32_t out[2];
    EXEC_RUN(rig, "k", EXEC_DIM(1), EXEC_DIM(32), 0, &d_map, &d_new, &d_out, &address, NULL);
    exec_read(rig, d_out, out, sizeof out);
    ck_assert_uint_eq(out[0], 1000 + 5 * COLUMNS); // the second row from the new address on
    ck_assert_uint_eq(out[1], 0);                  // outside of the two rows that are left
    d_map = exec_alloc(rig, sizeof map, NULL);     // poison
    ck_assert_int_eq(
        exec_launch(rig, "k", EXEC_DIM(1), EXEC_DIM(32), 0, &d_map, &d_new, &d_out, &address, NULL),
        SIM_ILLEGAL_INSTRUCTION);
}

KL_TEST_MAIN("tensor")
