// Protects maps of a launch: the recorded executions are those that they are said to be, cost what
// the counting rules make of their addresses, add up to the counters of their lines, and do not
// depend on host threads; branches are inside each other as in the code; boxes of bulk tensor
// copies are those of the tensor map.
#include "suite.h"
#include "support/run.h"

// x: [ELEMS] words, of which the first 4096 bytes are for the sum and a block has the next 4096.
// accesses: %rd5 is the block's part + tid * 4 * (ctaid mod 4 + 1), %r6 tid * 128, %r7 tid * 132.
// branches: lanes 0 .. 7 on one side, of these 0 .. 3; then a loop of lane mod 4 + 1 iterations.
static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"maps.cu\"\n"
    ".visible .entry accesses(.param .u64 p_x)\n{\n"
    "  .reg .b32 %r<12>;\n  .reg .b64 %rd<8>;\n  .shared .align 16 .b8 tile[8192];\n"
    "  .loc 1 9 1\n  ld.param.u64 %rd1, [p_x];\n  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n  and.b32 %r3, %r2, 3;\n"
    "  add.u32 %r3, %r3, 1;\n  mul.lo.u32 %r4, %r1, %r3;\n  mul.wide.u32 %rd3, %r4, 4;\n"
    "  mad.lo.u32 %r10, %r2, 4096, 4096;\n  cvt.u64.u32 %rd4, %r10;\n"
    "  add.s64 %rd5, %rd2, %rd3;\n  add.s64 %rd5, %rd5, %rd4;\n"
    "  mov.u32 %r5, tile;\n  shl.b32 %r6, %r1, 7;\n"
    "  mad.lo.u32 %r7, %r1, 132, %r5;\n  add.u32 %r6, %r6, %r5;\n"
    "  .loc 1 10 1\n  ld.global.u32 %r8, [%rd5];\n"
    "  .loc 1 11 1\n  st.shared.u32 [%r6], %r8;\n"
    "  .loc 1 12 1\n  st.shared.u32 [%r7], %r8;\n"
    "  .loc 1 13 1\n  ld.shared.u32 %r7, [%r7+4];\n" // overwrites its own address
    "  .loc 1 14 1\n  atom.shared.add.u32 %r9, [tile], %r1;\n"
    "  .loc 1 15 1\n  red.global.add.f32 [%rd2], 0f3F800000;\n"
    "  .loc 1 16 1\n  st.global.u32 [%rd5], %r7;\n"
    "  st.global.u32 [%rd5], %r9;\n  ret;\n}\n"
    ".visible .entry branches(.param .u64 p_x)\n{\n"
    "  .reg .pred %p<5>;\n  .reg .b32 %r<8>;\n"
    "  .loc 1 19 1\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, 0;\n  setp.ge.u32 %p1, %r1, 8;\n"
    "  .loc 1 20 1\n  @%p1 bra OTHER;\n"
    "  .loc 1 21 1\n  setp.ge.u32 %p2, %r1, 4;\n  @%p2 bra MEET;\n"
    "  .loc 1 22 1\n  add.u32 %r2, %r2, 1;\n  bra MEET;\n"
    "OTHER:\n  .loc 1 24 1\n  add.u32 %r2, %r2, 2;\n"
    "MEET:\n  .loc 1 26 1\n  setp.gt.u32 %p4, %r1, 1000;\n  @%p4 bra DONE;\n"
    "  .loc 1 27 1\n  and.b32 %r3, %r1, 3;\n  add.u32 %r3, %r3, 1;\n"
    "LOOP:\n  .loc 1 28 1\n  sub.u32 %r3, %r3, 1;\n  setp.ne.u32 %p3, %r3, 0;\n"
    "  .loc 1 29 1\n  @%p3 bra LOOP;\n"
    "DONE:\n  .loc 1 30 1\n  ret;\n}\n"
    ".visible .entry leaves(.param .u64 p_x)\n{\n"
    "  .reg .pred %p<5>;\n  .reg .b32 %r<8>;\n"
    "  .loc 1 40 1\n  mov.u32 %r1, %tid.x;\n  setp.ge.u32 %p1, %r1, 8;\n  @%p1 bra END;\n"
    "  .loc 1 41 1\n  setp.ge.u32 %p2, %r1, 4;\n  @%p2 bra NEXT;\n"
    "  .loc 1 42 1\n  add.u32 %r1, %r1, 1;\n"
    "NEXT:\n  .loc 1 43 1\n  add.u32 %r1, %r1, 1;\n"
    "END:\n  .loc 1 44 1\n  ret;\n}\n"
    ".visible .entry locals(.param .u64 p_x)\n{\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<12>;\n  .reg .b64 %rd<8>;\n"
    "  .local .align 16 .b8 own[64];\n"
    "  .loc 1 50 1\n  mov.u32 %r1, %tid.x;\n  mov.u64 %rd1, own;\n  and.b32 %r2, %r1, 3;\n"
    "  mul.wide.u32 %rd2, %r2, 4;\n  add.s64 %rd3, %rd1, %rd2;\n  setp.lt.u32 %p1, %r1, 9;\n"
    "  .loc 1 51 1\n  st.local.u32 [%rd1], %r1;\n"
    "  .loc 1 52 1\n  st.local.u32 [%rd3+4], %r1;\n"
    "  .loc 1 53 1\n  st.local.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};\n"
    "  .loc 1 54 1\n  @%p1 ld.local.u8 %r3, [%rd3+2];\n"
    "  .loc 1 55 1\n  ld.local.u64 %rd3, [%rd1+8];\n" // overwrites an address of later ones
    "  .loc 1 56 1\n  ret;\n}\n"
    ".visible .entry boxes(.param .u64 p_x)\n{\n" // x begins with a tensor map
    "  .reg .pred %p<3>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<4>;\n"
    "  .shared .align 128 .b8 tile[1024];\n  .shared .align 8 .b8 bar[8];\n"
    "  .loc 1 60 1\n  ld.param.u64 %rd1, [p_x];\n  mov.u32 %r1, tile;\n  mov.u32 %r2, bar;\n"
    "  mov.u32 %r3, %tid.x;\n  mov.u32 %r4, %ctaid.x;\n  mov.u32 %r5, 0;\n"
    "  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra END;\n"
    "  mbarrier.init.shared.b64 [%r2], 1;\n  fence.proxy.async;\n"
    "  mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;\n"
    "  .loc 1 61 1\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
    "[%r1+256], [%rd1, {%r5, %r4}], [%r2];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n  @!%p2 bra WAIT;\n"
    "  .loc 1 62 1\n  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
    "[%rd1, {%r5, %r4}], [%r1];\n"
    "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n"
    "END:  ret;\n}\n";

enum { BLOCKS = 64, ELEMS = (1 + BLOCKS) << 10, MAPS = 2 };

static const char *device; // NULL: the usual one

// Puts a tensor map at x: of what lies behind the first 4096 bytes, in boxes of 8 rows of 64 bytes.
static void put_tensor_map(sim_engine *engine, uint64_t x) {
    const uint64_t dims[] = {32, 256}, strides[] = {128};
    const uint32_t box[] = {16, 8}, steps[] = {1, 1};
    const sim_tensor_request request = {.type = SIM_TENSOR_U32,
                                        .rank = 2,
                                        .address = x + 4096,
                                        .dims = dims,
                                        .strides = strides,
                                        .box = box,
                                        .steps = steps,
                                        .swizzle = 2}; // of 64 bytes
    sim_tensor_map map;
    const char *why;
    ck_assert_int_eq(sim_tensor_map_encode(&request, &map, &why), SIM_OK);
    OK(sim_memory_write(engine, x, &map, sizeof map, NULL));
}

static sim_launch_report *run(const char *kernel, uint32_t threads, uint32_t maps, int launches) {
    sim_options options = {.device = device,
                           .mode = SIM_MODE_COUNT,
                           .threads = threads,
                           .memory_bytes = 64 << 20,
                           .maps = maps};
    test_engine o = engine_open(options, ptx, ELEMS * 4);
    if (strcmp(kernel, "boxes") == 0) put_tensor_map(o.engine, o.x);
    for (int i = 1; i < launches; i++) engine_launch(&o, kernel, BLOCKS, 32);
    sim_launch_report *report = engine_report(&o, kernel, BLOCKS, 32);
    return report;
}

static const sim_access_map *access_at(const sim_launch_report *r, uint32_t line, uint32_t nth) {
    const sim_access_map *found = NULL;
    for (uint32_t i = 0; i < r->maps->access_count; i++)
        if (r->maps->accesses[i].line == line &&
            (!found || r->maps->accesses[i].order < found->order || nth > 0))
            found = &r->maps->accesses[i];
    ck_assert_ptr_nonnull(found);
    return found;
}

KL_TEST(the_first_and_the_worst_execution_are_kept) {
    sim_launch_report *r = run("accesses", 1, MAPS, 1);
    const sim_access_map *a = access_at(r, 10, 0);
    ck_assert_str_eq(r->files[a->file], "maps.cu");
    ck_assert_int_eq(a->kind, SIM_MAP_GLOBAL_LOAD);
    ck_assert_uint_eq(a->bytes, 4);
    ck_assert_uint_eq(a->requests, BLOCKS);
    ck_assert_uint_eq(a->units, BLOCKS / 4 * (4 + 8 + 12 + 16));
    ck_assert_uint_eq(a->least, BLOCKS * 4);
    ck_assert_uint_eq(a->first.block[0], 0);
    ck_assert_uint_eq(a->first.units, 4);
    ck_assert_uint_eq(a->worst.block[0], 3);
    ck_assert_uint_eq(a->worst.units, 16);
    ck_assert_uint_eq(a->worst.least, 4);
    for (uint32_t lane = 1; lane < 32; lane++)
        ck_assert_uint_eq(a->worst.addresses[lane] - a->worst.addresses[0], 16 * lane);
}

KL_TEST(shared_memory_and_atomics) {
    sim_launch_report *r = run("accesses", 1, MAPS, 1);
    const sim_access_map *column = access_at(r, 11, 0), *padded = access_at(r, 12, 0);
    const sim_access_map *load = access_at(r, 13, 0), *add = access_at(r, 14, 0);
    const sim_access_map *sum = access_at(r, 15, 0);
    ck_assert_int_eq(column->kind, SIM_MAP_SHARED_STORE);
    ck_assert_uint_eq(column->first.units, 32);
    ck_assert_uint_eq(column->first.least, 1);
    ck_assert_uint_eq(padded->first.units, 1);
    ck_assert_int_eq(load->kind, SIM_MAP_SHARED_LOAD);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(load->first.addresses[lane], 132 * lane + 4);
    ck_assert_int_eq(add->kind, SIM_MAP_SHARED_ATOMIC);
    ck_assert_uint_eq(add->first.units, 32);
    ck_assert_uint_eq(add->first.least, 1);
    ck_assert_int_eq(sum->kind, SIM_MAP_GLOBAL_REDUCTION);
    ck_assert_uint_eq(sum->first.units, 32);
    ck_assert_uint_eq(sum->first.least, 1);
    ck_assert_ptr_eq(&r->maps->accesses[0], column->order < sum->order ? column : sum);
}

// Words of local memory lie in rows of their own.
static uint32_t cost_of_local(const sim_access_map *a, const sim_access_sample *s) {
    uint64_t rows[32];
    uint32_t words = a->bytes > 4 ? a->bytes / 4 : 1, sectors = 0;
    for (uint32_t k = 0; k < words; k++) {
        for (uint32_t l = 0; l < 32; l++) rows[l] = s->addresses[l] + 128 * k;
        sectors += sim_access_sectors(rows, s->lanes, a->bytes / words);
    }
    return sectors;
}

// By the rules that a reader of a map has.
static uint32_t cost(const sim_access_map *a, const sim_access_sample *s) {
    switch (a->kind) {
    case SIM_MAP_LOCAL_LOAD:
    case SIM_MAP_LOCAL_STORE: return cost_of_local(a, s);
    case SIM_MAP_SHARED_LOAD:
    case SIM_MAP_SHARED_STORE: return sim_access_banks(s->addresses, s->lanes, a->bytes).wavefronts;
    case SIM_MAP_SHARED_ATOMIC:
        return a->rounds * sim_access_atomic_passes(s->addresses, s->lanes, a->bytes);
    case SIM_MAP_GLOBAL_ATOMIC:
    case SIM_MAP_GLOBAL_REDUCTION:
        return sim_access_atomic_sectors(s->addresses, s->lanes, a->bytes);
    default: return sim_access_sectors(s->addresses, s->lanes, a->bytes);
    }
}

static void check_sums(const sim_launch_report *r, const sim_access_map *a) {
    uint64_t units = 0, requests = 0;
    for (uint32_t k = 0; k < r->maps->access_count; k++) {
        const sim_access_map *b = &r->maps->accesses[k];
        if (b->line != a->line || b->kind != a->kind) continue;
        units += b->units;
        requests += b->requests;
    }
    const sim_line_counters *line = NULL;
    for (uint32_t l = 0; l < r->line_count; l++)
        if (r->lines[l].line == a->line) line = &r->lines[l];
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_eq(line->counters.value[sim_map_units(a->kind)], units);
    ck_assert_uint_eq(line->counters.value[sim_map_requests(a->kind)], requests);
}

KL_TEST(a_map_costs_what_the_rules_say_and_adds_up_to_its_line) {
    static const struct {
        const char *kernel;
        uint32_t accesses;
    } cases[] = {{"accesses", 8}, {"locals", 5}};
    for (int c = 0; c < 2; c++) {
        sim_launch_report *r = run(cases[c].kernel, 4, MAPS, 1);
        ck_assert_uint_eq(r->maps->access_count, cases[c].accesses);
        for (uint32_t i = 0; i < r->maps->access_count; i++) {
            const sim_access_map *a = &r->maps->accesses[i];
            ck_assert_uint_eq(cost(a, &a->first), a->first.units);
            ck_assert_uint_eq(cost(a, &a->worst), a->worst.units);
            ck_assert_uint_le(a->worst.least, a->worst.units);
            if (i > 0) ck_assert_uint_ge(a[-1].units - a[-1].least, a->units - a->least);
            check_sums(r, a);
        }
        if (c == 0) ck_assert_uint_ne(access_at(r, 16, 0)->order, access_at(r, 16, 1)->order);
    }
}

// One index: a row of 128 bytes. Four indices: four rows. A word more: a row more.
KL_TEST(local_memory_is_rows_of_words) {
    static const struct {
        uint32_t line, bytes, units, least;
    } cases[] = {{51, 4, 4, 4}, {52, 4, 16, 4}, {53, 16, 16, 16}, {54, 1, 5, 2}, {55, 8, 8, 8}};
    sim_launch_report *r = run("locals", 1, MAPS, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sim_access_map *a = access_at(r, cases[i].line, 0);
        ck_assert_int_eq(a->kind, i < 3 ? SIM_MAP_LOCAL_STORE : SIM_MAP_LOCAL_LOAD);
        ck_assert_uint_eq(a->bytes, cases[i].bytes);
        ck_assert_uint_eq(a->requests, BLOCKS);
        ck_assert_msg(a->first.units == cases[i].units, "line %u: %u", a->line, a->first.units);
        ck_assert_msg(a->first.least == cases[i].least, "line %u: %u", a->line, a->first.least);
        ck_assert_uint_eq(a->units, (uint64_t)BLOCKS * cases[i].units);
    }
    const sim_access_map *a = access_at(r, 52, 0);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(a->first.addresses[lane] - a->first.addresses[0],
                          128 * (lane % 4) + 4 * lane);
}

KL_TEST(host_threads_change_nothing) {
    static const char *const kernels[] = {"accesses", "branches", "locals"};
    for (int k = 0; k < 3; k++) {
        sim_launch_report *one = run(kernels[k], 1, MAPS, 1), *four = run(kernels[k], 4, MAPS, 1);
        const sim_launch_maps *a = one->maps, *b = four->maps;
        ck_assert_uint_eq(a->access_count, b->access_count);
        ck_assert_uint_eq(a->branch_count, b->branch_count);
        if (a->access_count)
            ck_assert_mem_eq(a->accesses, b->accesses, a->access_count * sizeof *a->accesses);
        if (a->branch_count)
            ck_assert_mem_eq(a->branches, b->branches, a->branch_count * sizeof *a->branches);
    }
}

KL_TEST(branches_are_a_tree) {
    sim_launch_report *r = run("branches", 1, MAPS, 1);
    const sim_branch_map *b = r->maps->branches;
    ck_assert_uint_eq(r->maps->branch_count, 3);
    ck_assert_uint_eq(r->maps->branches_whole, 1); // that of line 26
    ck_assert_uint_eq(b[0].line, 20);
    ck_assert_uint_eq(b[0].fall_line, 21);
    ck_assert_uint_eq(b[0].jump_line, 24);
    ck_assert(b[0].meets);
    ck_assert_uint_eq(b[0].meet_line, 26);
    ck_assert_uint_eq(b[0].parent, 0);
    ck_assert_uint_eq(b[0].executions, BLOCKS);
    ck_assert_uint_eq(b[0].splits, BLOCKS);
    ck_assert_uint_eq(b[0].active, 32 * BLOCKS);
    ck_assert_uint_eq(b[0].taken, 24 * BLOCKS);
    ck_assert_uint_eq(b[0].lanes, 0xFFFFFFFFu);
    ck_assert_uint_eq(b[0].jumped, 0xFFFFFF00u);
    ck_assert_uint_eq(b[1].line, 21);
    ck_assert_uint_eq(b[1].parent, 1);
    ck_assert_int_eq(b[1].side, SIM_SIDE_FALL);
    ck_assert_uint_eq(b[1].lanes, 0xFFu);
    ck_assert_uint_eq(b[1].jumped, 0xF0u);
    ck_assert_uint_eq(b[2].line, 29); // executed 4 times a warp; the last is of 8 lanes together
    ck_assert_uint_eq(b[2].parent, 0);
    ck_assert_uint_eq(b[2].executions, 4 * BLOCKS);
    ck_assert_uint_eq(b[2].splits, 3 * BLOCKS);
    ck_assert_uint_eq(b[2].active, (32 + 24 + 16) * BLOCKS);
    ck_assert_uint_eq(b[2].taken, (24 + 16 + 8) * BLOCKS);
    ck_assert_uint_eq(r->totals.value[SIM_COUNTER_BRANCHES_DIVERGENT], 5 * BLOCKS);
}

KL_TEST(lanes_that_leave_do_not_meet_again) {
    sim_launch_report *r = run("leaves", 1, MAPS, 1);
    const sim_branch_map *b = r->maps->branches;
    ck_assert_uint_eq(r->maps->branch_count, 2);
    ck_assert_uint_eq(b[0].line, 40);
    ck_assert(!b[0].meets);
    ck_assert_uint_eq(b[1].line, 41);
    ck_assert_uint_eq(b[1].meet_line, 43);
    ck_assert_uint_eq(b[1].parent, 1);
    ck_assert_int_eq(b[1].side, SIM_SIDE_FALL);
}

KL_TEST(boxes_are_those_of_the_tensor_map) {
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        sim_launch_report *r = run("boxes", threads, MAPS, 1);
        ck_assert_ptr_nonnull(r->maps);
        ck_assert_uint_eq(r->maps->box_count, 2);
        ck_assert_uint_eq(r->maps->boxes_left_out, 0);
        for (uint32_t i = 0; i < 2; i++) {
            const sim_box_map *b = &r->maps->boxes[i];
            ck_assert_uint_eq(b->line, 61 + i);
            ck_assert_int_eq(b->stores, i == 1);
            ck_assert_uint_eq(b->copies, BLOCKS);
            ck_assert_uint_eq(b->rows, 8);
            ck_assert_uint_eq(b->row_bytes, 64);
            ck_assert_uint_eq(b->swizzle, 64);
            ck_assert_uint_eq(b->offset, i == 0 ? 256 : 0);
        }
    }
}

// And counters, time and results are the same with maps and without.
KL_TEST(only_what_was_asked_for_is_recorded) {
    sim_launch_report *none = run("accesses", 1, 0, 1), *some = run("accesses", 1, 1, 1);
    sim_launch_report *later = run("accesses", 1, 1, 2);
    ck_assert_ptr_null(none->maps);
    ck_assert_ptr_nonnull(some->maps);
    ck_assert_ptr_null(later->maps);
    ck_assert_mem_eq(&none->totals, &some->totals, sizeof none->totals);
    ck_assert(none->time_us == some->time_us);
    ck_assert_uint_eq(none->line_count, some->line_count);
    ck_assert_mem_eq(none->lines, some->lines, none->line_count * sizeof *none->lines);
}

// What an older card does not have (atomics on shared memory before 5.0) is not drawn.
KL_TEST(older_cards_have_maps_by_their_own_rules) {
    static const struct {
        const char *id;
        uint32_t column, column_least, strided, least; // of a store at stride 128 bytes, and of a
                                                       // load at stride 16
    } cards[] = {{"k40", 16, 1, 16, 4}, {"gtx8800", 32, 2, 32, 4}};
    for (size_t c = 0; c < sizeof cards / sizeof cards[0]; c++) {
        const sim_device *d = sim_device_find(cards[c].id);
        device = cards[c].id;
        sim_launch_report *r = run("accesses", 1, MAPS, 1);
        ck_assert_ptr_nonnull(r->maps);
        ck_assert_uint_eq(r->maps->access_count, 7);
        uint32_t checked = 0;
        for (uint32_t i = 0; i < r->maps->access_count; i++) {
            const sim_access_map *a = &r->maps->accesses[i];
            ck_assert_int_ne(a->kind, SIM_MAP_SHARED_ATOMIC);
            ck_assert_uint_le(a->worst.least, a->worst.units);
            if (a->kind == SIM_MAP_GLOBAL_REDUCTION) continue; // counted as on every card
            uint32_t units =
                sim_map_is_shared(a->kind)
                    ? sim_legacy_banks(d, a->worst.addresses, a->worst.lanes, a->bytes).wavefronts
                    : sim_legacy_units(d, a->worst.addresses, a->worst.lanes, a->bytes);
            ck_assert_uint_eq(a->worst.units, units);
            checked++;
        }
        ck_assert_uint_eq(checked, 6);
        const sim_access_map *column = access_at(r, 11, 0), *load = access_at(r, 10, 0);
        ck_assert_uint_eq(column->worst.units, cards[c].column);
        ck_assert_uint_eq(column->worst.least, cards[c].column_least);
        ck_assert_uint_eq(load->worst.units, cards[c].strided);
        ck_assert_uint_eq(load->worst.least, cards[c].least);
        ck_assert_uint_eq(load->first.units, 4);
        ck_assert_uint_eq(load->first.least, 4);
    }
    device = NULL;
}

KL_TEST_MAIN("maps")
