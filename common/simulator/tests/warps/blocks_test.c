// Blocks end to end: barriers of every kind, shared memory, atomics, the order of blocks, built-in
// functions; and that results, counts and output do not depend on the number of host threads.
#include "support/run.h"
#include "suite.h"

static const char *const files[] = {"blocks", "blocks_debug"};
static const uint32_t thread_counts[] = {1, 2, 5};

// Each thread iterations around as often as iterations[i] says: 10 instructions, 4 per iteration.
static const char turning[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry iteration(.param .u64 iterations) {\n"
    ".reg .b32 %t, %b, %n, %v;\n.reg .b64 %rd, %o;\n.reg .pred %p;\n"
    "ld.param.u64 %rd, [iterations];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\n"
    "mov.u32 %n, %ntid.x;\nmad.lo.u32 %t, %b, %n, %t;\nmul.wide.u32 %o, %t, 4;\n"
    "add.u64 %rd, %rd, %o;\nld.global.u32 %n, [%rd];\nmov.u32 %v, 0;\n"
    "again:\nadd.u32 %v, %v, %n;\nadd.u32 %n, %n, -1;\nsetp.gt.s32 %p, %n, 0;\n"
    "@%p bra again;\nret;\n}\n";

// All threads read one word `times` times before they write how often.
static const char rereading[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry reread(.param .u64 out, .param .u32 times) {\n"
    ".reg .b32 %n, %i, %v;\n.reg .b64 %rd;\n.reg .pred %p;\n.shared .align 4 .u32 word;\n"
    "ld.param.u64 %rd, [out];\nld.param.u32 %n, [times];\nmov.u32 %i, 0;\n"
    "st.shared.u32 [word], %i;\n"
    "again:\nld.volatile.shared.u32 %v, [word];\nadd.u32 %i, %i, 1;\n"
    "setp.ne.u32 %p, %i, %n;\n@%p bra again;\nst.global.u32 [%rd], %i;\nret;\n}\n";

static float *random_floats(uint32_t count) {
    uint64_t state = 11;
    float *x = malloc(count * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (uint32_t i = 0; i < count; i++)
        x[i] = (float)(random_bits(&state) % 20001) * 0.001f - 10.0f;
    return x;
}

KL_TEST_ROWS(block_sums, 2) {
    enum { BLOCK = 128, N = 50 * BLOCK - 37, BLOCKS = 50 };
    exec_rig *rig = exec_open_file(files[_i], 3);
    float *x = random_floats(N), y[BLOCKS];
    int n = N;
    uint64_t d_x = exec_alloc(rig, N * sizeof *x, x), d_y = exec_alloc(rig, sizeof y, NULL);
    EXEC_RUN(rig, "block_sum", EXEC_DIM(BLOCKS), EXEC_DIM(BLOCK), BLOCK * sizeof(float), &d_x, &d_y,
             &n, NULL);
    exec_read(rig, d_y, y, sizeof y);
    for (int b = 0; b < BLOCKS; b++) {
        double want = 0;
        for (int i = b * BLOCK; i < (b + 1) * BLOCK && i < N; i++) want += x[i];
        ck_assert(fabs(y[b] - want) <= 1e-3);
    }
    if (_i == 0) // debug code loads through generic pointers
        ck_assert_uint_eq(exec_counts(rig, SIM_OP_LD, PTX_SPACE_GLOBAL)->on, N);
    ck_assert_uint_eq(rig->result.recorded.footprint_read_bytes, (N * 4 + 31) / 32 * 32);
    ck_assert_uint_eq(rig->result.recorded.footprint_write_bytes, (BLOCKS * 4 + 31) / 32 * 32);
    free(x);
}

KL_TEST_ROWS(barriers, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    int out[512];
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "barrier_after_exit", EXEC_DIM(1), EXEC_DIM(128), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 40; t++) ck_assert_int_eq(out[t], 40);
    EXEC_RUN(rig, "barrier_counts", EXEC_DIM(1), EXEC_DIM(100), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 100; t++) {
        ck_assert_int_eq(out[t], 34);
        ck_assert_int_eq(out[100 + t], 3);
        ck_assert_int_eq(out[200 + t], 0);
    }
    EXEC_RUN(rig, "producers", EXEC_DIM(1), EXEC_DIM(128), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int i = 0; i < 256; i++) ck_assert_int_eq(out[i], i / 64 * 100 + i % 64);
    EXEC_RUN(rig, "divergent_barrier", EXEC_DIM(1), EXEC_DIM(64), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 64; t++) ck_assert_int_eq(out[t], 63 - t);
    ck_assert_int_eq(
        exec_launch(rig, "missing_barrier", EXEC_DIM(1), EXEC_DIM(64), 0, &d_out, NULL),
        SIM_DEADLOCK);
    KL_HAS(rig->result.fault.text, "barrier 0");
    // Warps of which the same is to be said share a line.
    ck_assert_int_eq(
        exec_launch(rig, "missing_barrier", EXEC_DIM(1), EXEC_DIM(160), 0, &d_out, NULL),
        SIM_DEADLOCK);
    const char *text = rig->result.fault.text;
    ck_assert_msg(strstr(text, "in block (0,0,0) of missing_barrier: ") &&
                      strstr(text, "warp 0, lanes 0 to 31 at ") &&
                      strstr(text, "warp 1, lanes 0 to 7 at ") &&
                      strstr(text, "warps 2 to 4, lanes 0 to 31 have exited"),
                  "%s", text);
}

KL_TEST_ROWS(histogram, 2) {
    enum { N = 10000 };
    int x[N], n = N;
    unsigned bins[16] = {0}, want[16] = {0};
    uint64_t state = 1;
    for (int i = 0; i < N; i++) want[(x[i] = (int)(random_bits(&state) % 97)) & 15]++;
    exec_rig *rig = exec_open_file(files[_i], 3);
    uint64_t d_x = exec_alloc(rig, sizeof x, x), d_bins = exec_alloc(rig, sizeof bins, bins);
    EXEC_RUN(rig, "histogram", EXEC_DIM(9), EXEC_DIM(64), 0, &d_x, &n, &d_bins, NULL);
    exec_read(rig, d_bins, bins, sizeof bins);
    for (int i = 0; i < 16; i++) ck_assert_uint_eq(bins[i], want[i]);
}

KL_TEST_ROWS(blocks_are_ordered, 2) {
    enum { BLOCKS = 200, BLOCK = 64, N = BLOCKS * BLOCK };
    float *x = random_floats(N), first = 0;
    for (int k = 0; k < 3; k++) {
        exec_rig *rig = exec_open_file(files[_i], thread_counts[k]);
        float sum = 0, want = 0, y;
        int zero = 0, order[BLOCKS];
        uint64_t d_x = exec_alloc(rig, N * sizeof *x, x), d_sum = exec_alloc(rig, 4, &sum);
        uint64_t d_next = exec_alloc(rig, 4, &zero), d_order = exec_alloc(rig, sizeof order, NULL);
        uint64_t d_partial = exec_alloc(rig, BLOCKS * sizeof(float), NULL),
                 d_y = exec_alloc(rig, 4, NULL);
        EXEC_RUN(rig, "ordered_sum", EXEC_DIM(BLOCKS), EXEC_DIM(BLOCK), 0, &d_x, &d_sum, NULL);
        exec_read(rig, d_sum, &sum, 4);
        for (int i = 0; i < N; i++) want += x[i]; // the very same order
        ck_assert(sum == want);
        EXEC_RUN(rig, "block_order", EXEC_DIM(BLOCKS), EXEC_DIM(32), 0, &d_next, &d_order, NULL);
        exec_read(rig, d_order, order, sizeof order);
        for (int b = 0; b < BLOCKS; b++) ck_assert_int_eq(order[b], b);
        for (int again = 0; again < 2; again++) {
            EXEC_RUN(rig, "last_block_sum", EXEC_DIM(BLOCKS), EXEC_DIM(32), 0, &d_x, &d_partial,
                     &d_y, NULL);
            exec_read(rig, d_y, &y, 4);
            double exact = 0;
            for (int i = 0; i < BLOCKS * 32; i++) exact += x[i];
            ck_assert(fabs(y - exact) <= 0.05);
            if (k == 0 && again == 0) first = y;
            ck_assert(y == first);
        }
        exec_close(rig);
    }
    free(x);
}

KL_TEST_ROWS(every_atomic, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    int i[64] = {0};
    unsigned u[64] = {0};
    unsigned long long l[4] = {0};
    float f[2] = {0};
    double d[1] = {0};
    i[4] = -1;
    u[2] = 1000;
    uint64_t d_i = exec_alloc(rig, sizeof i, i), d_u = exec_alloc(rig, sizeof u, u);
    uint64_t d_l = exec_alloc(rig, sizeof l, l), d_f = exec_alloc(rig, sizeof f, f),
             d_d = exec_alloc(rig, sizeof d, d);
    EXEC_RUN(rig, "all_atomics", EXEC_DIM(1), EXEC_DIM(32), 0, &d_i, &d_u, &d_l, &d_f, &d_d, NULL);
    exec_read(rig, d_i, i, sizeof i);
    exec_read(rig, d_u, u, sizeof u);
    exec_read(rig, d_l, l, sizeof l);
    exec_read(rig, d_f, f, sizeof f);
    exec_read(rig, d_d, d, sizeof d);
    ck_assert_int_eq(i[0], 496);
    ck_assert_int_eq(i[1], -496);
    ck_assert_int_eq(i[2], -7);
    ck_assert_int_eq(i[3], 24);
    ck_assert_int_eq(i[4], -256);
    ck_assert_int_eq(i[5], 255);
    ck_assert_int_eq(i[6], 0);
    ck_assert_int_eq(i[7], 31);
    for (int t = 0; t < 32; t++) ck_assert_int_eq(i[8 + t], t ? t - 1 : 0);
    for (int t = 0; t < 32; t++) ck_assert_uint_eq(u[32 + t], (unsigned)t % 10);
    ck_assert_uint_eq(u[0], 2);
    ck_assert_uint_eq(u[1], 8); // 0, 9, 8, .. 0, 9 ..: 32 steps down from 0 modulo 10
    ck_assert_uint_eq(u[2], 3);
    ck_assert_uint_eq(u[3], 34);
    ck_assert_uint_eq(l[0], 32ull << 33);
    ck_assert_uint_eq(l[1], 31ull << 40);
    ck_assert_uint_eq(l[2], 32);
    ck_assert(f[0] == 16 && f[1] == 31 && d[0] == 8);
}

KL_TEST_ROWS(cooperative_launches_meet, 2) {
    enum { BLOCKS = 40 };
    int in[BLOCKS], out[2 * BLOCKS];
    unsigned zero = 0;
    for (int b = 0; b < BLOCKS; b++) in[b] = b * b;
    exec_rig *rig = exec_open_file(files[_i], 3);
    uint64_t d_arrived = exec_alloc(rig, 4, &zero), d_out = exec_alloc(rig, sizeof out, NULL);
    uint64_t d_in = exec_alloc(rig, sizeof in, in);
    rig->launch.config.cooperative = true;
    EXEC_RUN(rig, "grid_barrier", EXEC_DIM(BLOCKS), EXEC_DIM(64), 0, &d_arrived, &d_out, &d_in,
             NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int b = 0; b < BLOCKS; b++) {
        ck_assert_int_eq(out[b], 2 * in[b]);
        ck_assert_int_eq(out[BLOCKS + b], 2 * in[(b + 1) % BLOCKS] + 1);
    }
    ck_assert_uint_eq(exec_executed(rig), rig->result.recorded.warp_instructions);
    kl_error err;
    ck_assert_int_eq(sim_mem_write(rig->memory, d_arrived, &zero, 4, &err), SIM_OK);
    rig->launch.config.cooperative = false; // then block 0 waits for blocks that come after it
    ck_assert_int_eq(exec_launch(rig, "grid_barrier", EXEC_DIM(BLOCKS), EXEC_DIM(64), 0, &d_arrived,
                                 &d_out, &d_in, NULL),
                     SIM_DEADLOCK);
    KL_HAS(rig->result.fault.text, "cooperative");
}

// A loop that reads the same word again and again, but counts, is no deadlock.
KL_TEST_ROWS(counted_polls_end, 2) {
    const uint32_t times = 100000;
    uint32_t out = 0;
    exec_rig *rig = exec_open(rereading, 1);
    uint64_t d_out = exec_alloc(rig, sizeof out, &out);
    rig->launch.config.cooperative = _i == 1;
    EXEC_RUN(rig, "reread", EXEC_DIM(2), EXEC_DIM(64), 0, &d_out, &times, NULL);
    exec_read(rig, d_out, &out, sizeof out);
    ck_assert_uint_eq(out, times);
}

KL_TEST_ROWS(printing, 2) {
    char want[4096] = "";
    for (int b = 0; b < 20; b++)
        for (int t = 0; t < 2; t++)
            sprintf(want + strlen(want),
                    "block %d thread %d: %5.2f text 1099511627776 x%% 0x000000ff|7   |\n", b, t,
                    4.5);
    for (int k = 0; k < 3; k++) {
        exec_rig *rig = exec_open_file(files[_i], thread_counts[k]);
        int n = 3;
        uint64_t no_name = 0;
        EXEC_RUN(rig, "speaks", EXEC_DIM(20), EXEC_DIM(64), 0, &n, &no_name, NULL);
        ck_assert_str_eq(rig->output.text, want);
        rig->output.bytes = 0;
        rig->output.cap_bytes = 100;
        rig->grid.mode = SIM_MODE_FUNCTIONAL;
        EXEC_RUN(rig, "speaks", EXEC_DIM(20), EXEC_DIM(64), 0, &n, &no_name, NULL);
        ck_assert(rig->output.truncated && rig->output.bytes <= 100);
        exec_close(rig);
    }
}

KL_TEST_ROWS(assertions, 2) {
    exec_rig *rig = exec_open_file(files[_i], 2);
    int limit = 70;
    ck_assert_int_eq(exec_launch(rig, "asserts", EXEC_DIM(3), EXEC_DIM(96), 0, &limit, NULL),
                     SIM_ASSERT);
    ck_assert_uint_eq(rig->result.fault.thread.x, 70);
    ck_assert_uint_eq(rig->result.fault.block.x, 0);
    ck_assert_ptr_nonnull(
        strstr(rig->output.text,
               "block: [0,0,0], thread: [70,0,0] Assertion `(int)threadIdx.x < limit` failed."));
    limit = 96;
    EXEC_RUN(rig, "asserts", EXEC_DIM(3), EXEC_DIM(96), 0, &limit, NULL);
}

KL_TEST_ROWS(device_heap, 2) {
    exec_rig *rig = exec_open_file(files[_i], 3);
    int out[256] = {0, 10};
    uint64_t d_out = exec_alloc(rig, sizeof out, out);
    for (int index = 9; index <= 10; index++) {
        out[1] = index;
        ck_assert_int_eq(sim_mem_write(rig->memory, d_out, out, sizeof out, NULL), SIM_OK);
        sim_status status =
            exec_launch(rig, "heap_overrun", EXEC_DIM(1), EXEC_DIM(1), 0, &d_out, NULL);
        ck_assert_int_eq(status, index < 10 ? SIM_OK : SIM_ILLEGAL_ADDRESS);
    }
    EXEC_RUN(rig, "heap", EXEC_DIM(4), EXEC_DIM(64), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 256; t++) ck_assert_int_eq(out[t], 45 * (t % 64));
}

KL_TEST_ROWS(coordinates, 2) {
    exec_rig *rig = exec_open_file(files[_i], 3);
    enum { BLOCKS = 5 * 4 * 9, THREADS = 4 * 6 * 2 };
    static unsigned out[BLOCKS * THREADS * 4];
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "where", ((sim_dim3){5, 4, 9}), ((sim_dim3){4, 6, 2}), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (unsigned b = 0; b < BLOCKS; b++) {
        for (unsigned t = 0; t < THREADS; t++) {
            const unsigned *o = out + 4 * (b * THREADS + t);
            ck_assert(o[0] == b && o[1] == t && o[2] == b % 132 && o[3] == t / 32);
        }
    }
}

// The whole result of a launch, counts included, whatever the number of host threads.
KL_TEST_ROWS(threads_change_nothing, 2) {
    enum { BLOCK = 128, BLOCKS = 97, N = BLOCK * BLOCKS - 5 };
    float *x = random_floats(N);
    int n = N;
    sim_raw_counts *first = NULL;
    uint64_t bytes = 0;
    for (int k = 0; k < 3; k++) {
        exec_rig *rig = exec_open_file(files[_i], thread_counts[k]);
        uint64_t d_x = exec_alloc(rig, N * sizeof *x, x), d_y = exec_alloc(rig, BLOCKS * 4, NULL);
        EXEC_RUN(rig, "block_sum", EXEC_DIM(BLOCKS), EXEC_DIM(BLOCK), BLOCK * 4, &d_x, &d_y, &n,
                 NULL);
        const sim_function *function = rig->launch.function;
        const sim_raw_counts *counts =
            rig->result.recorded.counts[function - rig->program->functions].by_pc;
        uint64_t size = function->code_count * sizeof *counts;
        if (k == 0) {
            first = malloc(size);
            ck_assert_ptr_nonnull(first);
            memcpy(first, counts, size);
            bytes = rig->result.recorded.footprint_read_bytes;
        }
        ck_assert_mem_eq(first, counts, size);
        ck_assert_uint_eq(rig->result.recorded.footprint_read_bytes, bytes);
        exec_close(rig);
    }
    free(first);
    free(x);
}

// Memory, counts and the fault itself after a launch that faults in the middle.
KL_TEST_ROWS(threads_change_no_fault, 2) {
    enum { BLOCK = 64, BLOCKS = 150, FAULTY = 47, CELLS = BLOCK * BLOCKS + BLOCKS + 1 };
    static unsigned first[CELLS], cells[CELLS];
    sim_raw_counts kept[256];
    for (int ordered = 0; ordered < 2; ordered++)
        for (int k = 0; k < 6; k++) {
            exec_rig *rig = exec_open_file(files[_i], thread_counts[k % 3]);
            memset(cells, 0, sizeof cells);
            uint64_t d_cells = exec_alloc(rig, sizeof cells, cells), nowhere = 16;
            uint64_t d_order = ordered ? d_cells + BLOCK * BLOCKS * sizeof cells[0] : 0;
            int faulty = FAULTY;
            ck_assert_int_eq(exec_launch(rig, "faults_midway", EXEC_DIM(BLOCKS), EXEC_DIM(BLOCK), 0,
                                         &d_cells, &d_order, &nowhere, &faulty, NULL),
                             SIM_ILLEGAL_ADDRESS);
            exec_read(rig, d_cells, cells, sizeof cells);
            const sim_function *function = rig->launch.function;
            const sim_raw_counts *counts =
                rig->result.recorded.counts[function - rig->program->functions].by_pc;
            size_t bytes = function->code_count * sizeof *counts;
            ck_assert_uint_le(bytes, sizeof kept);
            if (k == 0) {
                memcpy(first, cells, sizeof cells);
                memcpy(kept, counts, bytes);
            }
            ck_assert_mem_eq(first, cells, sizeof cells);
            ck_assert_mem_eq(kept, counts, bytes);
            ck_assert_uint_eq(rig->result.fault.block.x, FAULTY - 1);
            ck_assert_uint_eq(rig->result.fault.thread.x, 33);
            ck_assert_uint_eq(cells[FAULTY * BLOCK] >> 31, 1);     // the block behind ran on
            ck_assert_uint_eq(cells[FAULTY * BLOCK - 1] >> 31, 0); // the faulty one did not
            exec_close(rig);
        }
}

// What checks will see: every access with its lanes and addresses, every barrier, in the order of
// each block.
typedef struct seen {
    uint64_t blocks_begun, blocks_ended, lanes_read, lanes_written, arrived, opened, exited;
} seen;

static void saw_begin(void *context, uint32_t worker, uint64_t block, uint32_t shared_bytes) {
    ck_assert_uint_eq(worker, 0);
    ck_assert_uint_eq(block, ((seen *)context)->blocks_begun++);
    ck_assert_uint_eq(shared_bytes, 64 * sizeof(float));
}
static void saw_end(void *context, uint32_t worker, uint64_t block) {
    (void)worker;
    ck_assert_uint_eq(block, ((seen *)context)->blocks_ended++);
}
static void saw_access(void *context, const sim_access_event *event) {
    seen *counts = context;
    uint64_t lanes = (uint64_t)__builtin_popcount(event->lanes);
    if (event->space != PTX_SPACE_GLOBAL) return;
    ck_assert_uint_eq(event->bytes, 4);
    ck_assert_uint_ge(sim_access_address(event, (uint32_t)__builtin_ctz(event->lanes)),
                      SIM_GLOBAL_BASE);
    if (event->kind == SIM_ACCESS_READ) counts->lanes_read += lanes;
    else counts->lanes_written += lanes;
}
static void saw_sync(void *context, const sim_sync_event *event) {
    seen *counts = context;
    if (event->kind == SIM_SYNC_BARRIER_ARRIVE)
        counts->arrived += (uint64_t)__builtin_popcount(event->lanes);
    if (event->kind == SIM_SYNC_BARRIER_COMPLETE) counts->opened++;
    if (event->kind == SIM_SYNC_EXIT) counts->exited += (uint64_t)__builtin_popcount(event->lanes);
}

KL_TEST_ROWS(observers_see_everything, 2) {
    enum { BLOCK = 64, BLOCKS = 5, N = BLOCK * BLOCKS - 9, ROUNDS = 6 };
    float *x = random_floats(N), y[BLOCKS];
    int n = N;
    seen counts = {0};
    sim_observer observer = {.context = &counts,
                             .block_begin = saw_begin,
                             .block_end = saw_end,
                             .access = saw_access,
                             .sync = saw_sync};
    exec_rig *rig = exec_open_file(files[_i], 3);
    uint64_t d_x = exec_alloc(rig, N * sizeof *x, x), d_y = exec_alloc(rig, sizeof y, NULL);
    rig->grid.mode = SIM_MODE_CHECK;
    rig->grid.observer = &observer;
    EXEC_RUN(rig, "block_sum", EXEC_DIM(BLOCKS), EXEC_DIM(BLOCK), BLOCK * 4, &d_x, &d_y, &n, NULL);
    ck_assert_uint_eq(counts.blocks_begun, BLOCKS);
    ck_assert_uint_eq(counts.blocks_ended, BLOCKS);
    ck_assert_uint_eq(counts.lanes_read, N);
    ck_assert_uint_eq(counts.lanes_written, BLOCKS);
    ck_assert_uint_eq(counts.arrived, BLOCKS * BLOCK * ROUNDS);
    ck_assert_uint_eq(counts.opened, BLOCKS * ROUNDS);
    ck_assert_uint_eq(counts.exited, BLOCKS * BLOCK);
    free(x);
}

// The longest warp is found, and what it does is sampled, whatever the number of host threads: here
// the second warp of block 6, of which one lane iterations around 5000 times.
KL_TEST_ROWS(the_longest_warp, 3) {
    enum { BLOCKS = 40, BLOCK = 96, N = BLOCKS * BLOCK, ITERATIONS = 5000, OTHERS = 10 + 4 };
    uint32_t iterations[N];
    for (int i = 0; i < N; i++) iterations[i] = 1;
    iterations[6 * BLOCK + 40] = ITERATIONS;
    exec_rig *rig = exec_open(turning, thread_counts[_i]);
    rig->grid.mode = SIM_MODE_COUNT;
    uint64_t d_iterations = exec_alloc(rig, sizeof iterations, iterations);
    EXEC_RUN(rig, "iteration", EXEC_DIM(BLOCKS), EXEC_DIM(BLOCK), 0, &d_iterations, NULL);
    const sim_longest_warp *longest = &rig->result.recorded.longest;
    ck_assert_uint_eq(longest->executed, 10 + 4 * ITERATIONS);
    ck_assert_uint_eq(longest->held, (BLOCKS - 1) * 3 * OTHERS + 3 * longest->executed);
    ck_assert_ptr_eq(longest->function, rig->launch.function);
    ck_assert_uint_eq(longest->block, 6);
    ck_assert_uint_eq(longest->warp, 1);
    ck_assert_uint_gt(longest->sampled, 4 * ITERATIONS / 2);
    ck_assert_uint_le(longest->sampled, 4 * ITERATIONS);
    for (uint32_t pc = 0; pc < 9; pc++) ck_assert_uint_eq(longest->counts[pc].executed, 0);
    for (uint32_t pc = 9; pc < 13; pc++)
        ck_assert_uint_eq(longest->counts[pc].executed, longest->sampled / 4);
}

// What a warp does that goes on for long is recorded from the farthest mark that one comes to, the
// first one's that does; with paths alone.
KL_TEST_ROWS(a_long_warp_is_followed, 3) {
    enum { BLOCKS = 40, BLOCK = 96, N = BLOCKS * BLOCK, ITERATIONS = 5000 };
    uint32_t iterations[N];
    for (int i = 0; i < N; i++) iterations[i] = i % BLOCK == 40 ? 300 : 1; // no warp comes to 2048
    iterations[6 * BLOCK + 40] = iterations[9 * BLOCK + 40] = ITERATIONS;
    for (int with = 0; with < 2; with++) {
        exec_rig *rig = exec_open(turning, thread_counts[_i]);
        const sim_modelled_blocks first = {.first = 1, .all = 1};
        sim_warp_traces *paths = sim_warp_traces_new(1000, &first, BLOCK / 32, 512);
        rig->grid.mode = SIM_MODE_COUNT;
        rig->grid.traces = with ? paths : NULL;
        uint64_t d_iterations = exec_alloc(rig, sizeof iterations, iterations);
        EXEC_RUN(rig, "iteration", EXEC_DIM(BLOCKS), EXEC_DIM(BLOCK), 0, &d_iterations, NULL);
        const sim_late_warp *tail = &rig->result.recorded.late_warp;
        ck_assert_uint_eq(tail->after, with ? 16384 : 0);
        if (with) {
            uint64_t sum = 0;
            for (uint32_t r = 0; r < tail->trace.count; r++) {
                ck_assert_uint_ge(tail->trace.runs[r].pc, 9);
                sum += tail->trace.runs[r].count;
            }
            ck_assert_uint_eq(tail->block, 6);
            ck_assert_uint_ge(sum, 2000);
            ck_assert_uint_le(sum, 4100);
        }
        exec_close(rig);
        sim_warp_traces_free(paths);
    }
}

// Short warps are counted and not sampled; nothing is left of the launch before.
KL_TEST(short_warps_give_no_sample) {
    enum { N = 256 };
    uint32_t iterations[N];
    for (int i = 0; i < N; i++) iterations[i] = 3000;
    exec_rig *rig = exec_open(turning, 2);
    rig->grid.mode = SIM_MODE_COUNT;
    uint64_t d_iterations = exec_alloc(rig, sizeof iterations, iterations);
    EXEC_RUN(rig, "iteration", EXEC_DIM(2), EXEC_DIM(128), 0, &d_iterations, NULL);
    ck_assert_uint_eq(rig->result.recorded.longest.executed, 10 + 4 * 3000);
    ck_assert_uint_eq(rig->result.recorded.longest.block, 0); // all are alike: the first
    ck_assert_uint_eq(rig->result.recorded.longest.warp, 0);
    ck_assert_uint_eq(rig->result.recorded.longest.held, 8 * rig->result.recorded.longest.executed);
    ck_assert_ptr_nonnull(rig->result.recorded.longest.function);
    for (int i = 0; i < N; i++) iterations[i] = 3;
    uint64_t d_fewer = exec_alloc(rig, sizeof iterations, iterations);
    EXEC_RUN(rig, "iteration", EXEC_DIM(2), EXEC_DIM(128), 0, &d_fewer, NULL);
    ck_assert_uint_eq(rig->result.recorded.longest.executed, 10 + 4 * 3);
    ck_assert_uint_eq(rig->result.recorded.longest.held, 8 * rig->result.recorded.longest.executed);
    ck_assert_ptr_null(rig->result.recorded.longest.function);
}

KL_TEST_MAIN("blocks")
