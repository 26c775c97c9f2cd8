// Protects the tables under the engine: occupancy, counter names, the folding of raw counts.
// defines: TEST_CARVE_OUTS=@BUILD@/common/validation/logs/carve_out_h100.csv
#include "counters/counters.h"
#include "suite.h"
#include "support/run.h"

// Blocks per SM of compute capability 9.0, by hand from the programming guide's limits.
static const struct {
    uint32_t threads, registers, shared_bytes, blocks;
    sim_limiter limiter;
} occupancy_rows[] = {
    {256, 32, 0, 8, SIM_LIMITER_WARPS},      // 64 warps / 8
    {32, 16, 0, 32, SIM_LIMITER_BLOCKS},     // 32 blocks before 64 warps
    {256, 64, 0, 4, SIM_LIMITER_REGISTERS},  // 65536 / (64 x 256)
    {256, 70, 0, 3, SIM_LIMITER_REGISTERS},  // 2304 a warp, 7 warps per scheduler
    {128, 16, 32768, 6, SIM_LIMITER_SHARED}, // 228 KiB / 33 KiB, the reserved one included
    {1024, 64, 0, 1, SIM_LIMITER_REGISTERS}, {1024, 255, 0, 0, SIM_LIMITER_REGISTERS}, // cannot run
    {33, 16, 0, 32, SIM_LIMITER_WARPS}, // two warps per block
};

KL_TEST_ROWS(occupancy, sizeof occupancy_rows / sizeof occupancy_rows[0]) {
    const sim_device *device = sim_device_find(NULL);
    sim_occupancy result;
    sim_occupancy_compute(device, occupancy_rows[_i].threads, occupancy_rows[_i].registers,
                          occupancy_rows[_i].shared_bytes, &result);
    ck_assert_uint_eq(result.blocks_per_sm, occupancy_rows[_i].blocks);
    ck_assert_int_eq(result.limiter, occupancy_rows[_i].limiter);
}

// 64 barriers per SM; blocks of 256 threads whose 32 registers allow 8.
KL_TEST(occupancy_by_barriers) {
    const sim_device *device = sim_device_find(NULL);
    static const uint32_t blocks_by_barriers[][2] = {{0, 8}, {1, 8}, {8, 8}, {9, 7}, {16, 4}};
    for (int i = 0; i < 5; i++) {
        uint32_t barriers = blocks_by_barriers[i][0], blocks = blocks_by_barriers[i][1];
        sim_occupancy result;
        sim_occupancy_compute(device, 256, 32, 0, &result);
        sim_occupancy_limit_barriers(device, 256, barriers, &result);
        ck_assert_uint_eq(result.blocks_per_sm, blocks);
        ck_assert_uint_eq(result.warps_per_sm, 8 * blocks);
        ck_assert_double_eq(result.fraction, blocks / 8.0);
        ck_assert_int_eq(result.limiter, blocks < 8 ? SIM_LIMITER_BARRIERS : SIM_LIMITER_WARPS);
    }
}

// Answers of an H100 after the program asked for a share of shared memory.
KL_TEST(occupancy_by_carve_out) {
    const sim_device *device = sim_device_find(NULL);
    FILE *file = fopen(TEST_CARVE_OUTS, "r");
    char line[128];
    int rows = 0, percent;
    unsigned fixed, threads, dynamic, blocks;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%u,%d,%u,%u,%u", &fixed, &percent, &threads, &dynamic, &blocks) != 5)
            continue;
        sim_occupancy got;
        sim_occupancy_compute(device, threads, 16, fixed + dynamic, &got);
        sim_occupancy_limit_carve_out(device, threads, fixed + dynamic,
                                      sim_preferred_shared(device, percent), &got);
        ck_assert_msg(got.blocks_per_sm == blocks, "%s: %u blocks", line, got.blocks_per_sm);
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 360);
}

KL_TEST(occupancy_of_impossible_blocks) {
    sim_occupancy result;
    sim_occupancy_compute(sim_device_find("h100"), 1025, 16, 0, &result);
    ck_assert_uint_eq(result.blocks_per_sm, 0);
    sim_occupancy_compute(sim_device_find("h100"), 0, 16, 0, &result);
    ck_assert_uint_eq(result.blocks_per_sm, 0);
    ck_assert_ptr_null(sim_device_find("no such device"));
}

KL_TEST(counter_names_are_unique_and_found) {
    for (int i = 0; i < SIM_COUNTER_COUNT; i++)
        ck_assert_int_eq(sim_counter_find(sim_counter_name((sim_counter)i)), i);
    ck_assert_int_eq(sim_counter_find("no such counter"), SIM_COUNTER_COUNT);
}

static sim_counters folded(sim_instr instr, sim_raw_counts raw) {
    sim_counters out = {0};
    sim_counters_fold(&instr, &raw, &out);
    return out;
}

// As often executed, with so many lanes, all of them on.
static sim_raw_counts ran(uint64_t executed, uint64_t lanes) {
    return (sim_raw_counts){.executed = executed, .active = lanes, .on = lanes};
}

KL_TEST(folding_of_memory_instructions) {
    static const struct {
        uint16_t op;
        uint8_t space;
        sim_counter requests, traffic;
    } rows[] = {
        {SIM_OP_LD, PTX_SPACE_GLOBAL, SIM_COUNTER_GLOBAL_LD_REQUESTS,
         SIM_COUNTER_GLOBAL_LD_SECTORS},
        {SIM_OP_ST, PTX_SPACE_GLOBAL, SIM_COUNTER_GLOBAL_ST_REQUESTS,
         SIM_COUNTER_GLOBAL_ST_SECTORS},
        {SIM_OP_ATOM, PTX_SPACE_GLOBAL, SIM_COUNTER_GLOBAL_ATOM_REQUESTS,
         SIM_COUNTER_GLOBAL_ATOM_SECTORS},
        {SIM_OP_RED, PTX_SPACE_GLOBAL, SIM_COUNTER_GLOBAL_RED_REQUESTS,
         SIM_COUNTER_GLOBAL_RED_SECTORS},
        {SIM_OP_LD, PTX_SPACE_LOCAL, SIM_COUNTER_LOCAL_LD_REQUESTS, SIM_COUNTER_LOCAL_LD_SECTORS},
        {SIM_OP_LD, PTX_SPACE_SHARED, SIM_COUNTER_SHARED_LD_INST, SIM_COUNTER_SHARED_LD_WAVEFRONTS},
        {SIM_OP_ST, PTX_SPACE_SHARED, SIM_COUNTER_SHARED_ST_INST, SIM_COUNTER_SHARED_ST_WAVEFRONTS},
        {SIM_OP_ATOM, PTX_SPACE_SHARED, SIM_COUNTER_SHARED_ATOM_INST,
         SIM_COUNTER_SHARED_ATOM_WAVEFRONTS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_instr instr = memory_instr(rows[i].op, rows[i].space);
        sim_raw_counts raw = {.executed = 10, .active = 300, .on = 290, .requests = 9};
        if (rows[i].space == PTX_SPACE_SHARED) raw.wavefronts = 36;
        else raw.sectors = 36;
        sim_counters out = folded(instr, raw);
        ck_assert_uint_eq(out.value[rows[i].requests], 9);
        ck_assert_uint_eq(out.value[rows[i].traffic], 36);
        ck_assert_uint_eq(out.value[SIM_COUNTER_INST], 10);
        ck_assert_uint_eq(out.value[SIM_COUNTER_LANES_IDLE], 30);
        ck_assert_uint_eq(out.value[SIM_COUNTER_PIPE_LSU], 10);
    }
}

// What reads or writes counts as such in whatever form; each row: which of the counters it is in.
KL_TEST(folding_by_any_means) {
    enum { READ = 1, WRITE = 2, ATOMIC = 4, SHARED_READ = 8, SHARED_WRITE = 16 };
    static const struct {
        uint16_t op;
        uint8_t space, variant;
        int in;
    } rows[] = {
        {SIM_OP_LD, PTX_SPACE_GLOBAL, 0, READ},
        {SIM_OP_CP_ASYNC, PTX_SPACE_GLOBAL, 0, READ},
        {SIM_OP_BULK, PTX_SPACE_GLOBAL, SIM_BULK_TO_SHARED, READ},
        {SIM_OP_BULK, PTX_SPACE_GLOBAL, SIM_BULK_TO_GLOBAL, WRITE},
        {SIM_OP_TEX, PTX_SPACE_NONE, 0, READ},
        {SIM_OP_SULD, PTX_SPACE_NONE, 0, READ},
        {SIM_OP_SUST, PTX_SPACE_NONE, 0, WRITE},
        {SIM_OP_SURED, PTX_SPACE_NONE, 0, WRITE | ATOMIC},
        {SIM_OP_ST, PTX_SPACE_GLOBAL, 0, WRITE},
        {SIM_OP_ATOM, PTX_SPACE_GLOBAL, 0, READ | WRITE | ATOMIC},
        {SIM_OP_RED, PTX_SPACE_GLOBAL, 0, WRITE | ATOMIC},
        {SIM_OP_LD, PTX_SPACE_SHARED, 0, SHARED_READ},
        {SIM_OP_ST, PTX_SPACE_SHARED, 0, SHARED_WRITE},
        {SIM_OP_ATOM, PTX_SPACE_SHARED, 0, SHARED_READ | SHARED_WRITE},
        {SIM_OP_RED, PTX_SPACE_SHARED, 0, SHARED_WRITE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_instr instr = memory_instr(rows[i].op, rows[i].space);
        bool shared = rows[i].space == PTX_SPACE_SHARED;
        instr.variant = rows[i].variant;
        sim_raw_counts raw = {.executed = 9, .active = 288, .on = 288, .requests = 9};
        if (shared) raw.wavefronts = 36;
        else raw.sectors = 36;
        sim_counters out = folded(instr, raw);
        static const struct {
            int kind;
            sim_counter requests;
        } counters[] = {{READ, SIM_COUNTER_READ_REQUESTS},
                        {WRITE, SIM_COUNTER_WRITE_REQUESTS},
                        {SHARED_READ, SIM_COUNTER_SHARED_READ_REQUESTS},
                        {SHARED_WRITE, SIM_COUNTER_SHARED_WRITE_REQUESTS}};
        for (size_t k = 0; k < sizeof counters / sizeof counters[0]; k++) {
            bool in = rows[i].in & counters[k].kind;
            ck_assert_uint_eq(out.value[counters[k].requests], in ? 9 : 0);
            ck_assert_uint_eq(out.value[counters[k].requests + 1], in ? 36 : 0);
        }
        bool atomic = rows[i].in & ATOMIC;
        ck_assert_uint_eq(out.value[SIM_COUNTER_ATOMICS], atomic ? 9 : 0);
        ck_assert_uint_eq(out.value[SIM_COUNTER_FLOAT_ATOMICS], atomic ? 9 : 0);
    }
    // A bulk copy takes the place of loads of 512 bytes; textures count groups of lanes beside.
    sim_instr bulk = memory_instr(SIM_OP_BULK, PTX_SPACE_GLOBAL);
    bulk.variant = SIM_BULK_TO_SHARED;
    sim_raw_counts one = {.executed = 1, .active = 1, .on = 1, .requests = 1, .sectors = 129};
    ck_assert_uint_eq(folded(bulk, one).value[SIM_COUNTER_READ_REQUESTS], 9);
    sim_instr texture = memory_instr(SIM_OP_TEX, PTX_SPACE_NONE);
    sim_raw_counts groups = {.executed = 1, .active = 32, .on = 32, .requests = 8, .sectors = 8};
    ck_assert_uint_eq(folded(texture, groups).value[SIM_COUNTER_READ_REQUESTS], 1);
    sim_instr whole = memory_instr(SIM_OP_ATOM, PTX_SPACE_GLOBAL);
    whole.type = PTX_U32;
    sim_counters counted = folded(whole, one);
    ck_assert_uint_eq(counted.value[SIM_COUNTER_ATOMICS], 1);
    ck_assert_uint_eq(counted.value[SIM_COUNTER_FLOAT_ATOMICS], 0);
}

KL_TEST(folding_of_texture_instructions) {
    static const struct {
        uint16_t op;
        sim_counter requests;
    } rows[] = {
        {SIM_OP_TEX, SIM_COUNTER_TEXTURE_REQUESTS},
        {SIM_OP_TLD4, SIM_COUNTER_TEXTURE_REQUESTS},
        {SIM_OP_SULD, SIM_COUNTER_SURFACE_LD_REQUESTS},
        {SIM_OP_SUST, SIM_COUNTER_SURFACE_ST_REQUESTS},
        {SIM_OP_SURED, SIM_COUNTER_SURFACE_RED_REQUESTS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_instr instr = memory_instr(rows[i].op, PTX_SPACE_NONE);
        sim_raw_counts raw = {
            .executed = 10, .active = 320, .on = 320, .requests = 80, .sectors = 120};
        sim_counters out = folded(instr, raw);
        ck_assert_uint_eq(out.value[rows[i].requests], 80);
        ck_assert_uint_eq(out.value[rows[i].requests + 1], 120);
        ck_assert_uint_eq(out.value[SIM_COUNTER_PIPE_TEX], 10);
        ck_assert_uint_eq(out.value[SIM_COUNTER_PIPE_LSU], 0);
    }
}

// Products of an H100's tensor cores take cycles by their size and type.
KL_TEST(folding_of_matrix_products) {
    static const struct {
        uint8_t k, a;
        uint64_t cycles; // of 1000
    } rows[] = {{16, SIM_ELEMENT_F16, 2048},
                {8, SIM_ELEMENT_F16, 1460}, // no product is faster
                {8, SIM_ELEMENT_TF32, 2048},
                {32, SIM_ELEMENT_S8, 2048}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_matrix matrix = {.m = 16, .n = 8, .k = rows[i].k, .a = rows[i].a};
        sim_instr instr = {.op = SIM_OP_MMA, .guard = SIM_NO_SLOT, .extra = &matrix};
        sim_counters out = folded(instr, ran(1000, 32000));
        ck_assert_uint_eq(out.value[SIM_COUNTER_PIPE_TENSOR], 1000);
        ck_assert_uint_eq(out.value[SIM_COUNTER_TENSOR_CYCLES], rows[i].cycles);
        ck_assert_uint_eq(out.value[SIM_COUNTER_PIPE_CONTROL], 0);
    }
}

// Wavefronts and cycles of products of warp groups, counted and measured on an H200.
KL_TEST(folding_of_group_products) {
    static const struct {
        uint16_t n;
        uint8_t of_a;                // registers
        uint64_t wavefronts, cycles; // of one product, its four warps
    } rows[] = {
        {8, 0, 18, 18}, {64, 0, 32, 32}, {256, 0, 80, 128}, {8, 4, 2, 13}, {256, 4, 64, 128}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_matrix matrix = {.m = 16, .n = rows[i].n, .k = 16, .registers = {rows[i].of_a}};
        sim_instr instr = {.op = SIM_OP_WGMMA, .guard = SIM_NO_SLOT, .extra = &matrix};
        sim_counters out = folded(instr, ran(4, 128));
        ck_assert_uint_eq(out.value[SIM_COUNTER_GROUP_PRODUCTS], 4);
        ck_assert_uint_eq(out.value[SIM_COUNTER_PIPE_TENSOR], 4);
        ck_assert_uint_eq(out.value[SIM_COUNTER_GROUP_WAVEFRONTS], rows[i].wavefronts);
        ck_assert_uint_eq(out.value[SIM_COUNTER_TENSOR_CYCLES], rows[i].cycles);
    }
}

KL_TEST(folding_ignores_what_never_ran) {
    sim_counters zero = {0};
    sim_counters out = folded(memory_instr(SIM_OP_LD, PTX_SPACE_GLOBAL), (sim_raw_counts){0});
    ck_assert_mem_eq(&out, &zero, sizeof out);
}

// Of ten shared loads ptxas left four: the hardware's counter says 4, the PTX's 10.
KL_TEST(loads_merged_by_ptxas_are_told_from_those_of_the_ptx) {
    sim_instr load = memory_instr(SIM_OP_LD, PTX_SPACE_SHARED);
    sim_instr product = {.op = SIM_OP_FMA, .type = PTX_F32, .guard = SIM_NO_SLOT};
    sim_instr address = {.op = SIM_OP_MAD, .type = PTX_S32, .guard = SIM_NO_SLOT};
    sim_raw_counts raw = {.executed = 10, .active = 320, .on = 320, .requests = 4, .wavefronts = 8};
    sim_instr store = memory_instr(SIM_OP_ST, PTX_SPACE_SHARED);
    sim_raw_counts seven = ran(7, 224), five = ran(5, 160);
    sim_counters out = folded(load, raw);
    sim_counters_fold(&store, &raw, &out);
    sim_counters_fold(&product, &seven, &out);
    sim_counters_fold(&address, &five, &out);
    ck_assert_uint_eq(out.value[SIM_COUNTER_SHARED_LD_INST], 4);
    ck_assert_uint_eq(out.value[SIM_COUNTER_SHARED_LD_PTX], 10);
    ck_assert_uint_eq(out.value[SIM_COUNTER_MULTIPLY_ADDS], 7);
    ck_assert_uint_eq(out.value[SIM_COUNTER_FFMA], 224);
}

// As Nsight Compute's six counters of them: lanes predicated on, not those that are active.
KL_TEST(operations_on_floats_are_counted_by_kind_and_type) {
    static const struct {
        uint16_t op;
        ptx_type type;
        sim_counter counter;
    } rows[] = {{SIM_OP_ADD, PTX_F32, SIM_COUNTER_FADD}, {SIM_OP_SUB, PTX_F32, SIM_COUNTER_FADD},
                {SIM_OP_MUL, PTX_F32, SIM_COUNTER_FMUL}, {SIM_OP_FMA, PTX_F32, SIM_COUNTER_FFMA},
                {SIM_OP_ADD, PTX_F64, SIM_COUNTER_DADD}, {SIM_OP_SUB, PTX_F64, SIM_COUNTER_DADD},
                {SIM_OP_MUL, PTX_F64, SIM_COUNTER_DMUL}, {SIM_OP_FMA, PTX_F64, SIM_COUNTER_DFMA},
                {SIM_OP_ADD, PTX_S32, SIM_COUNTER_COUNT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_instr instr = {.op = rows[i].op, .type = rows[i].type, .guard = SIM_NO_SLOT};
        sim_counters out = folded(instr, (sim_raw_counts){.executed = 1, .active = 32, .on = 7});
        for (int c = SIM_COUNTER_FADD; c <= SIM_COUNTER_DFMA; c++)
            ck_assert_uint_eq(out.value[c], c == (int)rows[i].counter ? 7 : 0);
    }
}

KL_TEST(fences_of_a_block_cost_nothing_and_are_not_counted) {
    static const uint64_t counted[] = {
        [SIM_FENCE_CTA] = 0, [SIM_FENCE_GPU] = 5, [SIM_FENCE_SYS] = 5};
    for (uint8_t scope = SIM_FENCE_CTA; scope <= SIM_FENCE_SYS; scope++) {
        sim_instr fence = {.op = SIM_OP_FENCE, .guard = SIM_NO_SLOT, .scope = scope};
        sim_counters out = folded(fence, ran(5, 160));
        ck_assert_uint_eq(out.value[SIM_COUNTER_FENCES], counted[scope]);
        ck_assert_uint_eq(out.value[SIM_COUNTER_BARRIERS], 0);
    }
}

KL_TEST(plain_jumps_are_no_branches) {
    sim_instr jump = {.op = SIM_OP_BRA, .guard = SIM_NO_SLOT};
    sim_instr branch = {.op = SIM_OP_BRA, .guard = 64};
    ck_assert_uint_eq(folded(jump, ran(5, 160)).value[SIM_COUNTER_BRANCHES], 0);
    sim_raw_counts parting = {.executed = 5, .active = 160, .on = 20, .divergent = 2};
    sim_counters out = folded(branch, parting);
    ck_assert_uint_eq(out.value[SIM_COUNTER_BRANCHES], 5);
    ck_assert_uint_eq(out.value[SIM_COUNTER_BRANCHES_DIVERGENT], 2);
}

KL_TEST_MAIN("engine tables")
