// Counters that are modelled.
#include "base/base.h"
#include "counters/counters.h"
#include "suite.h"

// ---- cache_model ----
// Protects the cache model's rules on traces small enough to compute by hand.

// A launch of so many blocks per SM, of `shared_bytes` each, on the default device.
static sim_launch launch_of(uint32_t blocks_per_sm, uint32_t shared_bytes,
                            uint32_t preferred_bytes) {
    return (sim_launch){.device = sim_device_find(NULL),
                        .occupancy = {.blocks_per_sm = blocks_per_sm},
                        .static_shared_bytes = shared_bytes,
                        .config = {.preferred_shared_bytes = preferred_bytes}};
}

// One block's accesses: `count` entries, replayed as `input` says. memory: NULL: of its own.
static sim_cache_result replay_launch(sim_cache_memory *memory, const sim_cache_input *input,
                                      sim_trace_entry *entries, uint32_t count) {
    sim_block_trace recorded = {.entries = entries, .count = count, .bound = UINT32_MAX};
    sim_trace trace = {0};
    sim_cache_result result;
    sim_cache_memory *own = memory ? NULL : sim_cache_memory_new();
    sim_trace_keep(&trace, &recorded, 0, count);
    OK(sim_cache_replay(memory ? memory : own, input, &trace, &result, NULL));
    sim_trace_free(&trace);
    sim_cache_memory_free(own);
    return result;
}

// The same on the default device.
static sim_cache_result replay_in(sim_cache_memory *memory, sim_trace_entry *entries,
                                  uint32_t count, const sim_longest_warp *longest) {
    const sim_launch launch = launch_of(8, 0, 0);
    const sim_cache_input input = {.launch = &launch, .longest = longest};
    return replay_launch(memory, &input, entries, count);
}

static sim_cache_result replay_block(sim_trace_entry *entries, uint32_t count) {
    return replay_in(NULL, entries, count, NULL);
}

KL_TEST(second_load_hits) {
    sim_trace_entry entries[] = {{.line = 5, .time = 1, .sectors = 3, .kind = SIM_TRACE_LOAD},
                                 {.line = 5, .time = 2, .sectors = 6, .kind = SIM_TRACE_LOAD}};
    sim_cache_result result = replay_block(entries, 2);
    ck_assert_uint_eq(result.total.l1_sectors, 4);
    ck_assert_uint_eq(result.total.l1_hits, 1);    // sector 1
    ck_assert_uint_eq(result.total.dram_reads, 4); // two pairs
    sim_cache_result_free(&result);
}

// Memory that a larger replay has used, and one that has to grow, forget what was there.
KL_TEST(replays_in_one_memory_are_alike) {
    enum { MANY = 5000 };
    static sim_trace_entry many[2 * MANY];
    sim_trace_entry few[] = {{.line = 5, .time = 1, .sectors = 3, .kind = SIM_TRACE_LOAD},
                             {.line = 5, .time = 2, .sectors = 3, .kind = SIM_TRACE_LOAD}};
    sim_cache_memory *memory = sim_cache_memory_new();
    for (uint32_t i = 0; i < 2 * MANY; i++)
        many[i] =
            (sim_trace_entry){.line = i % MANY, .time = i, .sectors = 1, .kind = SIM_TRACE_LOAD};
    for (int round = 0; round < 2; round++) {
        sim_cache_result result = replay_in(memory, few, 2, NULL);
        ck_assert_uint_eq(result.total.l1_hits, 2);
        ck_assert_uint_eq(result.total.dram_reads, 2);
        sim_cache_result_free(&result);
        result = replay_in(memory, many, MANY, NULL); // every line once: nothing hits in any cache
        ck_assert_uint_eq(result.total.l1_sectors, MANY);
        ck_assert_uint_eq(result.total.l1_hits, 0);
        ck_assert_uint_eq(result.total.dram_reads, 2 * MANY);
        sim_cache_result_free(&result);
        result = replay_in(memory, many, 2 * MANY, NULL); // longer than the L1: the L2 has them
        ck_assert_uint_eq(result.total.l1_hits, 0);
        ck_assert_uint_eq(result.total.dram_reads, 2 * MANY);
        sim_cache_result_free(&result);
    }
    sim_cache_memory_free(memory);
}

KL_TEST(stored_sectors_can_be_read) {
    sim_trace_entry entries[] = {{.line = 9, .time = 1, .sectors = 0x13, .kind = SIM_TRACE_STORE},
                                 {.line = 9, .time = 2, .sectors = 3, .kind = SIM_TRACE_LOAD}};
    sim_cache_result result = replay_block(entries, 2);
    ck_assert_uint_eq(result.total.l1_hits, 1); // sector 0 was filled, sector 1 only touched
    ck_assert(result.total.l2_writes == 2 || result.total.l2_writes == 4);
    ck_assert_uint_eq(result.dram_writes, 0); // still in the L2
    sim_cache_result_free(&result);
}

KL_TEST(stores_go_through_by_lines_and_sectors) {
    sim_trace_entry entries[] = {{.line = 9, .time = 1, .sectors = 0x13, .kind = SIM_TRACE_STORE},
                                 {.line = 9, .time = 2, .sectors = 0x0f, .kind = SIM_TRACE_STORE},
                                 {.line = 7, .time = 3, .sectors = 0xff, .kind = SIM_TRACE_STORE},
                                 {.line = 9, .time = 4, .sectors = 0x0c, .kind = SIM_TRACE_LOAD},
                                 {.line = 9, .time = 5, .sectors = 0x0c, .kind = SIM_TRACE_LOAD}};
    sim_cache_result result = replay_block(entries, 5);
    ck_assert_uint_eq(result.total.l1_writes, 2 + 4 + 4);
    ck_assert_uint_eq(result.total.l1_write_lines, 3);
    ck_assert_uint_eq(result.total.l1_reads, 2); // the second load hits
    sim_cache_result_free(&result);
}

// What a load of .lu leaves alone is fetched again; what is there it finds.
KL_TEST(loads_that_leave_nothing) {
    sim_trace_entry entries[] = {
        {.line = 3, .time = 10, .sectors = 1, .kind = SIM_TRACE_LOAD_ONCE},
        {.line = 3, .time = 20, .sectors = 1, .kind = SIM_TRACE_LOAD},
        {.line = 3, .time = 30, .sectors = 1, .kind = SIM_TRACE_LOAD_ONCE},
        {.line = 3, .time = 40, .sectors = 1, .kind = SIM_TRACE_LOAD_PAST_L1}};
    sim_cache_result result = replay_block(entries, 4);
    ck_assert_uint_eq(result.total.l1_sectors, 4);
    ck_assert_uint_eq(result.total.l1_hits, 1); // the third
    ck_assert_uint_eq(result.total.l1_reads, 3);
    sim_cache_result_free(&result);
}

// Warp 2's lines by themselves: one from device memory, one that warp 1 had brought to the L1, and
// one from device memory again because the load passes the L1 by and wants another pair of sectors.
KL_TEST(one_warp_is_looked_at_by_itself) {
    sim_trace_entry entries[] = {
        {.line = 5, .time = 10, .warp = 1, .sectors = 3, .kind = SIM_TRACE_LOAD},
        {.line = 6, .time = 20, .warp = 2, .sectors = 1, .kind = SIM_TRACE_LOAD},
        {.line = 5, .time = 30, .warp = 2, .sectors = 2, .kind = SIM_TRACE_LOAD},
        {.line = 5, .time = 40, .warp = 2, .sectors = 4, .kind = SIM_TRACE_LOAD_PAST_L1}};
    const sim_longest_warp longest = {.block = 0, .warp = 2}, elsewhere = {.block = 1, .warp = 2};
    sim_cache_result result = replay_in(NULL, entries, 4, &longest);
    const sim_cache_site *site = sim_cache_site_of(&result, 0);
    ck_assert_ptr_nonnull(site);
    ck_assert_uint_eq(site->lines, 4);
    ck_assert_uint_eq(site->longest.all, 3);
    ck_assert_uint_eq(site->longest.past_l1, 2);
    ck_assert_uint_eq(site->longest.in_dram, 2);
    sim_cache_result_free(&result);
    result = replay_in(NULL, entries, 4, &elsewhere);
    ck_assert_uint_eq(sim_cache_site_of(&result, 0)->longest.all, 0);
    sim_cache_result_free(&result);
}

KL_TEST(block_with_too_much_narrows_the_sample) {
    sim_block_trace trace = {0};
    sim_trace_begin(&trace, UINT32_MAX, 16);
    for (uint32_t line = 0; line < 1000; line++)
        sim_trace_add(&trace, &(sim_trace_entry){.line = line, .sectors = 1});
    ck_assert(trace.count > 0 && trace.count <= 16);
    ck_assert(trace.bound < UINT32_MAX);
    for (uint32_t i = 0; i < trace.count; i++)
        ck_assert(sim_trace_hash(trace.entries[i].line) <= trace.bound);
    free(trace.entries);
}

// Accesses of a block to `count` lines, some of them often.
static void record_lines(sim_block_trace *trace, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        sim_trace_add(trace, &(sim_trace_entry){.line = first + i * i % count, .sectors = 1});
}

// Three blocks, each from the full sample or from what the blocks before it leave possible.
static uint32_t settled_lines(const uint32_t counts[3], bool chained, sim_trace *out) {
    sim_block_trace trace = {0};
    *out = (sim_trace){0};
    for (uint32_t b = 0; b < 3; b++) {
        sim_trace_begin(&trace, chained ? sim_trace_widest(out->levels) : UINT32_MAX,
                        SIM_TRACE_ENTRIES / 2);
        record_lines(&trace, 5000000 * b, counts[b]);
        sim_trace_keep(out, &trace, b, 1);
    }
    free(trace.entries);
    return sim_trace_settle(out);
}

KL_TEST(first_bound_of_a_block_does_not_matter) {
    for (uint32_t seed = 0; seed < 16; seed++) {
        const uint32_t counts[] = {seed * 70001 % 300000 + 1, seed * 130003 % 400000 + 1,
                                   seed * 310007 % 900000 + 1};
        sim_trace alone, chained;
        ck_assert_uint_eq(settled_lines(counts, false, &alone),
                          settled_lines(counts, true, &chained));
        for (uint32_t b = 0; b < 3; b++) {
            const sim_trace_block *x = &alone.blocks[b], *y = &chained.blocks[b];
            ck_assert_uint_eq(x->count, y->count);
            for (uint32_t i = 0; i < x->count; i++)
                ck_assert_uint_eq(alone.entries[x->first + i].line,
                                  chained.entries[y->first + i].line);
        }
        sim_trace_free(&alone);
        sim_trace_free(&chained);
    }
}

// The sample of a launch of `blocks` blocks, of which the first touches `first` lines, the others
// `each`.
static uint32_t sample_of(uint32_t blocks, uint32_t first, uint32_t each, sim_trace *out) {
    sim_block_trace trace = {0};
    *out = (sim_trace){0};
    for (uint32_t b = 0; b < blocks; b++) {
        sim_trace_begin(&trace, UINT32_MAX, SIM_TRACE_ENTRIES);
        record_lines(&trace, 5000000 * b, b ? each : first);
        sim_trace_keep(out, &trace, b, 1);
    }
    uint32_t bound = sim_trace_settle(out);
    free(trace.entries);
    return bound;
}

static uint64_t entries_left(const sim_trace *trace) {
    uint64_t count = 0;
    for (uint64_t b = 0; b < trace->block_count; b++) count += trace->blocks[b].count;
    return count;
}

// All that the launch may keep is used, whichever blocks it is of.
KL_TEST(sample_is_the_widest_that_fits) {
    const uint32_t some = SIM_TRACE_ENTRIES / 8;
    sim_trace all;
    ck_assert_uint_eq(sample_of(8, some, some, &all), UINT32_MAX);
    ck_assert_uint_eq(entries_left(&all), SIM_TRACE_ENTRIES);
    sim_trace_free(&all);
    ck_assert_uint_eq(sample_of(8, some + 1, some, &all), UINT32_MAX >> 1);
    sim_trace_free(&all);
    ck_assert_uint_eq(sample_of(40, some, some, &all), UINT32_MAX >> 3);
    ck_assert_uint_gt(entries_left(&all), SIM_TRACE_ENTRIES / 2);
    sim_trace_free(&all);
    ck_assert_uint_eq(sample_of(9, 7 * some, some, &all), UINT32_MAX >> 1);
    sim_trace_free(&all);
}

KL_TEST(share_of_a_block_is_no_less_than_it_needs) {
    ck_assert_uint_eq(sim_trace_most(0), SIM_TRACE_ENTRIES);
    ck_assert_uint_eq(sim_trace_most(SIM_TRACE_SHARES), SIM_TRACE_ENTRIES);
    ck_assert_uint_eq(sim_trace_most(2 * SIM_TRACE_SHARES), SIM_TRACE_ENTRIES / 2);
    ck_assert_uint_eq(sim_trace_most(UINT32_MAX), SIM_TRACE_BLOCK_ENTRIES);
}

// Two blocks, on two SMs, load one line: with the same request, or one of them later.
static sim_cache_result replay_two(uint32_t later) {
    sim_trace_entry first = {.line = 5, .time = 1, .sectors = 3, .kind = SIM_TRACE_LOAD};
    sim_trace_entry second = {.line = 5, .time = 1 + later, .sectors = 3, .kind = SIM_TRACE_LOAD};
    sim_block_trace blocks[] = {{.entries = &first, .count = 1, .bound = UINT32_MAX},
                                {.entries = &second, .count = 1, .bound = UINT32_MAX}};
    const sim_launch launch = launch_of(8, 0, 0);
    const sim_cache_input input = {.launch = &launch};
    sim_cache_memory *memory = sim_cache_memory_new();
    sim_cache_result result;
    sim_trace trace = {0};
    for (uint32_t b = 0; b < 2; b++) sim_trace_keep(&trace, &blocks[b], b, 8);
    ck_assert_int_eq(sim_cache_replay(memory, &input, &trace, &result, NULL), SIM_OK);
    sim_trace_free(&trace);
    sim_cache_memory_free(memory);
    return result;
}

KL_TEST(the_same_request_of_another_sm_waits_for_device_memory) {
    sim_cache_result together = replay_two(0), apart = replay_two(4);
    ck_assert_uint_eq(together.total.dram_reads, 2);
    ck_assert_uint_eq(together.total.dram_waits, 2);
    ck_assert_uint_eq(apart.total.dram_reads, 2);
    ck_assert_uint_eq(apart.total.dram_waits, 0);
    sim_cache_result_free(&together);
    sim_cache_result_free(&apart);
}

// The second load, in the last part of the launch's time, finds the line in the L2.
KL_TEST(parts_of_the_time_are_told_apart) {
    sim_cache_result result = replay_two(4);
    const sim_cache_slice *slices = sim_cache_site_of(&result, 0)->slices;
    uint32_t first = sim_cache_slice_of(&result, 1), second = sim_cache_slice_of(&result, 5);
    ck_assert_uint_lt(first, second);
    ck_assert_uint_eq(second, SIM_CACHE_SLICES * 5 / 6);
    ck_assert_uint_eq(slices[first].l1_sectors, 2);
    ck_assert_uint_eq(slices[first].l1_misses, 2);
    ck_assert_uint_eq(slices[first].dram_reads, 2);
    ck_assert_uint_eq(slices[second].l1_sectors, 2);
    ck_assert_uint_eq(slices[second].l1_misses, 2);
    ck_assert_uint_eq(slices[second].dram_reads, 0);
    ck_assert_uint_eq(result.start_count, 1); // of SM 0
    ck_assert_uint_eq(result.starts[0], 0);
    sim_cache_result_free(&result);
}

// A sector that the L2 has from before is none of device memory's, and nobody waits for it.
// Counters are those of a cold start all the same.
KL_TEST(what_an_earlier_launch_left_is_told_apart) {
    sim_trace_entry entries[] = {{.line = 5, .time = 1, .sectors = 3, .kind = SIM_TRACE_LOAD},
                                 {.line = 6, .time = 2, .sectors = 3, .kind = SIM_TRACE_LOAD}};
    sim_l2_before recent = {.window = 1000, .capacity = 1000};
    ck_assert(sim_l2_before_prepare(&recent, SIM_GLOBAL_BASE + (1 << 20)));
    sim_l2_before_begin(&recent);
    sim_l2_before_touch(&recent, 0, UINT64_C(0xF) << 4 * 5);
    sim_l2_before_begin(&recent);
    const sim_launch launch = launch_of(8, 0, 0);
    const sim_cache_input input = {.launch = &launch, .recent = &recent};
    sim_cache_result result = replay_launch(NULL, &input, entries, 2);
    ck_assert_uint_eq(result.total.dram_reads, 4);
    ck_assert_uint_eq(result.total.dram_recent, 2);
    ck_assert_uint_eq(result.launched, 4);
    uint32_t reads = 0;
    for (uint32_t k = 0; k < SIM_CACHE_SLICES; k++)
        reads += sim_cache_site_of(&result, 0)->slices[k].dram_reads;
    ck_assert_uint_eq(reads, 2);
    sim_cache_result_free(&result);
    sim_l2_before_free(&recent);
}

// Eight stores of parts of each of two sectors, so many requests from one to the next.
static sim_cache_result replay_parts(uint32_t apart, double stores_to_fill) {
    enum { STORES = 8 };
    sim_trace_entry entries[STORES];
    for (uint32_t i = 0; i < STORES; i++)
        entries[i] = (sim_trace_entry){
            .line = 5, .time = 1 + i * apart, .sectors = 6, .kind = SIM_TRACE_STORE};
    const sim_launch launch = launch_of(8, 0, 0);
    const sim_cache_input input = {.launch = &launch, .stores_to_fill = stores_to_fill};
    return replay_launch(NULL, &input, entries, STORES);
}

KL_TEST(sectors_that_become_whole_at_once_are_not_filled) {
    const struct {
        uint32_t apart;
        double stores_to_fill;
        uint64_t filled;
    } rows[] = {{0, 8, 0}, {1, 8, 0}, {2, 8, 2}, {0, 0, 2}, {0, 9, 2}, {2, 4, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_cache_result result = replay_parts(rows[i].apart, rows[i].stores_to_fill);
        ck_assert_uint_eq(result.in_parts, 2);
        ck_assert_uint_eq(result.filled, rows[i].filled);
        sim_cache_result_free(&result);
    }
}

// What the blocks need is carved out in any case; a wish can only add to it.
KL_TEST(the_carve_out_follows_need_and_preference) {
    const struct {
        uint32_t shared_kib, preferred_kib, l1_kib;
    } rows[] = {{0, 0, 248},  {0, 57, 192},  {0, 114, 124}, {0, 228, 28},
                {63, 0, 192}, {63, 20, 192}, {63, 228, 28}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sim_launch launch =
            launch_of(1, rows[i].shared_kib * 1024, rows[i].preferred_kib * 1024);
        ck_assert_uint_eq(sim_cache_l1_bytes(&launch, 1), rows[i].l1_kib * 1024);
    }
}

// ---- active_cycles ----
// Protects the schedule behind achieved occupancy, and the sizes beside it: SMs used, waves, tail.

enum { WARPS = 8, LENGTH = 1000, BLOCKS_MAX = 5000 };

static uint32_t stays[BLOCKS_MAX];
static const sim_device *device;

static void find_device(void) { device = sim_device_find(NULL); }
KL_FIXTURE(find_device, NULL)

// A launch of blocks of 256 threads, 8 of which an SM holds, whose warps stay LENGTH each.
static sim_launch_report launch(uint32_t blocks) {
    sim_launch_report report = {.config = {.grid = {blocks, 1, 1}, .block = {256, 1, 1}},
                                .time_us = 100 + device->kernel_us};
    sim_occupancy_compute(device, 256, 32, 0, &report.occupancy);
    for (uint32_t i = 0; i < blocks; i++) stays[i] = LENGTH;
    return report;
}

static sim_activity activity(sim_launch_report *report, uint64_t warps_stay) {
    sim_residence residence = {stays, report->config.grid.x, warps_stay};
    sim_active_cycles(device, &residence, report);
    return sim_activity_of(device, report);
}

KL_TEST(one_block_uses_one_sm) {
    sim_launch_report report = launch(1);
    sim_activity a = activity(&report, WARPS * LENGTH);
    ck_assert_uint_eq(a.sms_used, 1);
    ck_assert_double_eq_tol(a.waves, 1.0 / (8 * device->sm_count), 1e-12);
    ck_assert_double_eq_tol(a.tail_idle, 1 - a.waves, 1e-12);
    ck_assert_double_eq_tol(a.achieved, 8.0 / 64, 1e-4); // an H200 counts 12.50 %
    ck_assert_double_le(a.achieved_elapsed, a.achieved / device->sm_count);
    double cycles = (double)report.totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE];
    ck_assert_double_eq_tol(cycles, 100.0 * device->clock_mhz, 1);
}

KL_TEST(a_full_wave_fills_the_device) {
    uint32_t blocks = 8 * device->sm_count;
    sim_launch_report report = launch(blocks);
    sim_activity a = activity(&report, (uint64_t)blocks * WARPS * LENGTH);
    ck_assert_uint_eq(a.sms_used, device->sm_count);
    ck_assert_double_eq_tol(a.waves, 1, 1e-12);
    ck_assert_double_eq_tol(a.tail_idle, 0, 1e-12);
    ck_assert_double_eq_tol(a.achieved, 1, 1e-4);
}

// One block more: a second wave of one block, beside which that SM and all others idle.
KL_TEST(a_tail_costs_occupancy) {
    uint32_t blocks = 8 * device->sm_count + 1;
    sim_launch_report report = launch(blocks);
    sim_activity a = activity(&report, (uint64_t)blocks * WARPS * LENGTH);
    ck_assert_double_gt(a.waves, 1);
    ck_assert_double_gt(a.tail_idle, 0.99);
    ck_assert_double_lt(a.achieved_elapsed, 0.52);
    report.cancelled_blocks = 1; // the last block's launch has been cancelled
    ck_assert_double_eq_tol(sim_activity_of(device, &report).waves, 1, 1e-12);
    ck_assert_double_gt(a.achieved, a.achieved_elapsed); // over the SMs that still hold a block
}

// Warps that leave a block early leave their places empty until its last warp ends.
KL_TEST(early_warps_leave_places_empty) {
    sim_launch_report report = launch(132);
    sim_activity a = activity(&report, (uint64_t)132 * (LENGTH + 7 * LENGTH / 2));
    ck_assert_double_eq_tol(a.achieved, 4.5 / 64, 1e-3);
}

// A long block keeps its SM alone: the others are not active any more.
KL_TEST(a_long_block_is_alone) {
    sim_launch_report report = launch(device->sm_count);
    stays[7] = 100 * LENGTH;
    activity(&report, (uint64_t)(device->sm_count + 99) * WARPS * LENGTH);
    double sms =
        (double)report.totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE] / (100.0 * device->clock_mhz);
    ck_assert_double_eq_tol(sms, 1 + 0.01 * (device->sm_count - 1), 0.001);
}

KL_TEST(what_was_not_counted_is_not_known) {
    sim_launch_report report = launch(10);
    ck_assert(isnan(sim_activity_of(device, &report).achieved));
    ck_assert_uint_eq(sim_activity_of(device, &report).sms_used, 10);
}

KL_TEST_MAIN("counters")
