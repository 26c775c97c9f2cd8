// Memory spaces, access widths and library mathematics end to end, and every kind of bad access
// with its explanation.
#include "support/run.h"
#include "suite.h"

static const char *const files[] = {"spaces", "spaces_debug"};

static void random_ints(uint64_t seed, int *x, int count, int limit) {
    for (int i = 0; i < count; i++) x[i] = (int)(random_bits(&seed) % (uint64_t)limit);
}

KL_TEST_ROWS(local_memory, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    int out[32], index[64];
    random_ints(3, index, 64, 40);
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL),
             d_index = exec_alloc(rig, sizeof index, index);
    EXEC_RUN(rig, "local_array", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, &d_index, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 32; t++)
        ck_assert_int_eq(out[t], index[t] * index[t] + index[t + 32] * index[t + 32] + 2 * t);
    EXEC_RUN(rig, "local_bytes", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, &d_index, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 32; t++)
        ck_assert_int_eq(out[t], (signed char)(index[t] * 3 + t) + (index[t] & 7));
}

KL_TEST_ROWS(generic_pointers, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    int out[32], global[32];
    for (int t = 0; t < 32; t++) global[t] = 500 + t;
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL),
             d_global = exec_alloc(rig, sizeof global, global);
    EXEC_RUN(rig, "generic", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, &d_global, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 32; t++) {
        int base = t % 3 == 0 ? 1000 + t : t % 3 == 1 ? 500 + t : 10 * ((t & 3) + 1);
        ck_assert_int_eq(out[t], base + 6);
    }
}

KL_TEST_ROWS(vectors, 2) {
    enum { N = 77 };
    exec_rig *rig = exec_open_file(files[_i], 2);
    float in[N][4], out[N][4];
    double din[N][2], dout[N][2];
    int n = N;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++) in[i][k] = (float)(4 * i + k);
        din[i][0] = i;
        din[i][1] = -i;
    }
    uint64_t a = exec_alloc(rig, sizeof in, in), b = exec_alloc(rig, sizeof out, NULL);
    uint64_t c = exec_alloc(rig, sizeof din, din), d = exec_alloc(rig, sizeof dout, NULL);
    EXEC_RUN(rig, "vectors", EXEC_DIM(3), EXEC_DIM(32), 0, &a, &b, &c, &d, &n, NULL);
    exec_read(rig, b, out, sizeof out);
    exec_read(rig, d, dout, sizeof dout);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 4; k++) ck_assert(out[N - 1 - i][k] == in[i][3 - k]);
        ck_assert(dout[i][0] == -i && dout[i][1] == i);
    }
}

KL_TEST_ROWS(narrow_types, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    unsigned char in[32];
    signed char out8[40];
    short out16[40];
    int n = 29;
    memset(out8, 0x11, sizeof out8);
    memset(out16, 0x11, sizeof out16);
    for (int i = 0; i < 32; i++) in[i] = (unsigned char)(i * 9);
    uint64_t a = exec_alloc(rig, sizeof in, in), b = exec_alloc(rig, sizeof out8, out8);
    uint64_t c = exec_alloc(rig, sizeof out16, out16);
    EXEC_RUN(rig, "narrow", EXEC_DIM(1), EXEC_DIM(32), 0, &a, &b, &c, &n, NULL);
    exec_read(rig, b, out8, sizeof out8);
    exec_read(rig, c, out16, sizeof out16);
    for (int i = 0; i < 40; i++) {
        ck_assert_int_eq(out8[i], i < n ? (signed char)(in[i] - 100) : 0x11);
        ck_assert_int_eq(out16[i], i < n ? (short)(in[i] * 300) : 0x1111);
    }
}

KL_TEST_ROWS(variables_and_parameters, 2) {
    static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    exec_rig *rig = exec_open_file(files[_i], 1);
    int out[32];
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
    for (int launch = 0; launch < 2; launch++) {
        EXEC_RUN(rig, "constants", EXEC_DIM(1), EXEC_DIM(32), 0, &d_out, NULL);
        exec_read(rig, d_out, out, sizeof out);
        for (int t = 0; t < 32; t++)
            ck_assert_int_eq(out[t],
                             primes[t % 8] + (t == 0 ? 41 + launch : 0) + (t % 2 ? 't' : 'p'));
    }
    struct {
        int a[5];
        double d;
        char c;
    } big = {{1, 2, 3, 4, 5}, 100.5, 7};
    EXEC_RUN(rig, "struct_param", EXEC_DIM(1), EXEC_DIM(32), 0, &big, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 32; t++) ck_assert_int_eq(out[t], t % 5 + 1 + 100 + 7);
}

static bool near(double got, double want, double relative) {
    return fabs(got - want) <= relative * fmax(1, fabs(want));
}

KL_TEST_ROWS(mathematics, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    double x[32], out[32];
    float fout[64];
    for (int t = 0; t < 32; t++) x[t] = t * 1.37 + 0.25;
    uint64_t a = exec_alloc(rig, sizeof x, x), b = exec_alloc(rig, sizeof out, NULL),
             c = exec_alloc(rig, sizeof fout, NULL);
    EXEC_RUN(rig, "numbers", EXEC_DIM(1), EXEC_DIM(32), 0, &a, &b, &c, NULL);
    exec_read(rig, b, out, sizeof out);
    exec_read(rig, c, fout, sizeof fout);
    for (int t = 0; t < 32; t++) {
        double v = x[t];
        float f = (float)v;
        double want = sqrt(v) + exp(v / 50) + log(v + 1) + pow(v, 0.3) + v / 3 + fmod(v, 0.7);
        ck_assert_msg(near(out[t], want, 1e-14), "double %d: %.17g, %.17g", t, out[t], want);
        want = sqrtf(f) + expf(f / 50) + logf(f + 1) + powf(f, 0.3f) + sinf(f) + f / 3 +
               fmodf(f, 0.7f) + 1 / sqrtf(f + 1) + tanhf(f);
        ck_assert_msg(near(fout[t], want, 1e-6), "float %d: %.9g, %.9g", t, fout[t], want);
        want = expf(f / 50) + sinf(f / 10) + f / 3 + log2f(f + 1);
        ck_assert_msg(near(fout[t + 32], want, 1e-6), "fast float %d: %.9g, %.9g", t, fout[t + 32],
                      want);
    }
}

KL_TEST_ROWS(halves, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    float x[32], out[96];
    for (int t = 0; t < 32; t++) x[t] = (float)(t - 10) * 0.25f; // exact in half precision
    uint64_t a = exec_alloc(rig, sizeof x, x), b = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "halves", EXEC_DIM(1), EXEC_DIM(32), 0, &a, &b, NULL);
    exec_read(rig, b, out, sizeof out);
    for (int t = 0; t < 32; t++) {
        ck_assert(out[t] == x[t] * 1.5f + 0.25f + (x[31 - t] * 1.5f + 0.25f));
        ck_assert(out[t + 32] == x[t] * 3);
        ck_assert(fabsf(out[t + 64] - (x[t] + 0.1f)) <= 0.004f);
    }
}

static unsigned reverse_bits(int x) {
    unsigned bits = (unsigned)x, out = 0;
    for (int i = 0; i < 32; i++) out |= (bits >> i & 1) << (31 - i);
    return out;
}

KL_TEST_ROWS(integers, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    int x[32];
    long long out[96];
    uint64_t state = 17;
    for (int t = 0; t < 32; t++) x[t] = (int)random_bits(&state);
    uint64_t d_x = exec_alloc(rig, sizeof x, x), d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "integers", EXEC_DIM(1), EXEC_DIM(32), 0, &d_x, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 32; t++) {
        int a = x[t], b = x[31 - t] | 1;
        long long l = (long long)a * b, high = l >> 32;
        unsigned long long u = (unsigned long long)(unsigned)a << 20 | (unsigned)b;
        long long want = l / (b % 1000 + 1001) + l % 977 + high + __builtin_popcount((unsigned)a) +
                         (b ? __builtin_clz((unsigned)b) : 32) + reverse_bits(a) % 100;
        ck_assert_int_eq(out[t], want);
        unsigned __int128 square = (unsigned __int128)u * u;
        want = (long long)(u / (unsigned long long)((b & 0xFFFF) | 1)) + (long long)(square >> 64) +
               __builtin_ffsll((long long)u);
        ck_assert_int_eq(out[t + 32], want);
    }
}

static void expect_fault(exec_rig *rig, sim_status status, sim_status want, const char *fragment) {
    const char *text = rig->result.fault.text;
    ck_assert_msg(status == want, "%s: %s", sim_status_text(status), text);
    ck_assert_msg(strstr(text, fragment), "'%s' is not in: %s", fragment, text);
    ck_assert_msg(strstr(text, "spaces.cu:"), "no source line in: %s", text);
    ck_assert_uint_gt(rig->result.fault.line, 0);
}

KL_TEST_ROWS(bad_accesses, 2) {
    exec_rig *rig = exec_open_file(files[_i], 2);
    uint64_t d_x = exec_alloc(rig, 400, NULL), null = 0;
    int i = 80;
    sim_status status =
        exec_launch(rig, "out_of_bounds", EXEC_DIM(1), EXEC_DIM(32), 0, &d_x, &i, NULL);
    expect_fault(rig, status, SIM_ILLEGAL_ADDRESS,
                 "illegal write of 4 bytes at index 100 of argument 1 of the kernel, which has 100 "
                 "elements of 4 bytes\n");
    ck_assert_uint_eq(rig->result.fault.thread.x, 20);
    ck_assert_uint_eq(rig->result.fault.address, d_x + 400);
    i = -2;
    status = exec_launch(rig, "out_of_bounds", EXEC_DIM(1), EXEC_DIM(32), 0, &d_x, &i, NULL);
    expect_fault(rig, status, SIM_ILLEGAL_ADDRESS, "index -2 of argument 1");
    i = 6;
    status = exec_launch(rig, "misaligned", EXEC_DIM(1), EXEC_DIM(1), 0, &d_x, &i, NULL);
    expect_fault(rig, status, SIM_MISALIGNED_ADDRESS, "not a multiple of 4");
    i = 40;
    status = exec_launch(rig, "shared_overrun", EXEC_DIM(1), EXEC_DIM(64), 0, &d_x, &i, NULL);
    expect_fault(rig, status, SIM_ILLEGAL_ADDRESS, "256 bytes of shared memory");
    status = exec_launch(rig, "null_write", EXEC_DIM(1), EXEC_DIM(1), 0, &null, NULL);
    expect_fault(rig, status, SIM_ILLEGAL_ADDRESS, "null pointer");
    status = exec_launch(rig, "traps", EXEC_DIM(1), EXEC_DIM(32), 0, NULL);
    expect_fault(rig, status, SIM_TRAP, "trap");
    ck_assert_uint_eq(rig->result.fault.thread.x, 3);
    ck_assert_int_eq(sim_mem_release(rig->memory, d_x, NULL), SIM_OK);
    i = 0;
    status = exec_launch(rig, "out_of_bounds", EXEC_DIM(1), EXEC_DIM(32), 0, &d_x, &i, NULL);
    expect_fault(rig, status, SIM_ILLEGAL_ADDRESS, "was freed");
}

KL_TEST_ROWS(nothing_leaks_between_blocks, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    unsigned out[32];
    uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
    EXEC_RUN(rig, "uninitialised", EXEC_DIM(3), EXEC_DIM(32), 0, &d_out, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (int t = 0; t < 32; t++) ck_assert_uint_eq(out[t], SIM_POISON);
}

// Rows whose lanes lie whole lines of the host's cache apart, or not.
// What a register holds that nothing has written is conspicuous, and the same in every warp and
// run.
KL_TEST(registers_that_nothing_has_written) {
    enum { THREADS = 64 };
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out) {\n"
        " .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .f32 %f<2>; .reg .f64 %fd<2>; .reg .pred %p<2>;\n"
        " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n"
        " mad.wide.u32 %rd2, %r1, 16, %rd1;\n selp.u32 %r2, 1, 0, %p1;\n"
        " st.global.f64 [%rd2], %fd1;\n st.global.f32 [%rd2+8], %f1;\n"
        " st.global.u32 [%rd2+12], %r2;\n ret;\n}\n";
    struct {
        double wide;
        float narrow;
        uint32_t flag;
    } out[2][THREADS];
    int negative = 0, flags = 0;
    for (uint32_t run = 0; run < 2; run++) {
        exec_rig *rig = exec_open(ptx, 1 + 2 * run);
        uint64_t d_out = exec_alloc(rig, sizeof out[run], NULL);
        EXEC_RUN(rig, "k", EXEC_DIM(5), EXEC_DIM(THREADS), 0, &d_out, NULL);
        exec_read(rig, d_out, out[run], sizeof out[run]);
        exec_close(rig);
    }
    ck_assert(memcmp(out[0], out[1], sizeof out[0]) == 0);
    ck_assert(memcmp(out[0], &out[0][32], sizeof out[0] / 2) == 0);
    for (int t = 0; t < 32; t++) {
        float narrow = fabsf(out[0][t].narrow);
        double wide = fabs(out[0][t].wide);
        ck_assert(narrow >= 32768 && narrow < 131072 && wide >= 65536 && wide < 131072);
        negative += out[0][t].narrow < 0;
        flags += out[0][t].flag != 0;
    }
    ck_assert(negative > 0 && negative < 32 && flags > 0 && flags < 32);
}

KL_TEST_ROWS(rows_of_threads, 2) {
    enum { THREADS = 64, MOST = 96 };
    static const int rows[] = {64, 80, 33, MOST};
    exec_rig *rig = exec_open_file(files[_i], 1);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int row = rows[r], out[2 * THREADS], sums[THREADS], table[THREADS * MOST];
        random_ints(r, table, THREADS * MOST, 1000);
        uint64_t d_table = exec_alloc(rig, sizeof table, table);
        uint64_t d_out = exec_alloc(rig, sizeof out, NULL);
        EXEC_RUN(rig, "rows_apart", EXEC_DIM(1), EXEC_DIM(THREADS), 0, &d_table, &d_table, &row,
                 &d_out, NULL);
        exec_read(rig, d_out, out, sizeof out);
        for (int t = 0; t < THREADS; t++) {
            uint32_t sum = 0;
            for (int i = 0; i < 32; i++) {
                sum = 3 * sum + (uint32_t)table[t * row + i];
                if (i % 5 == 4) table[t * row + i + 1] = (int)sum;
            }
            sums[t] = table[t * row + 3] = (int)sum;
        }
        for (int t = 0; t < THREADS; t++) {
            const int *other = table + (t + 32) % THREADS * row;
            ck_assert_int_eq(out[t], sums[t]);
            ck_assert_int_eq(out[THREADS + t],
                             (int)((uint32_t)other[2] + (uint32_t)other[3] + (uint32_t)other[4]));
        }
        if (_i == 0) { // of all loads: -O3 keeps the 35 of the source
            uint64_t requests = 0, sectors = 0;
            const sim_function *kernel = rig->launch.function;
            const sim_raw_counts *counts =
                rig->result.recorded.counts[kernel - rig->program->functions].by_pc;
            for (uint32_t i = 0; i < kernel->code_count; i++) {
                if (kernel->code[i].op != SIM_OP_LD) continue;
                requests += counts[i].requests;
                sectors += counts[i].sectors;
            }
            ck_assert_uint_eq(requests, 35 * THREADS / 32);
            ck_assert_uint_eq(sectors, 35 * THREADS);
        }
    }
}

KL_TEST_ROWS(words_of_shared_memory, 2) {
    exec_rig *rig = exec_open_file(files[_i], 1);
    for (int same = 0; same < 2; same++) {
        static const int masks[] = {255, 511, 1023}, bytes[] = {16, 8, 4};
        int index[32], out[32];
        random_ints(same, index, 32, 1024);
        for (int t = 0; same && t < 32; t++) index[t] = index[t / 8];
        uint64_t d_index = exec_alloc(rig, sizeof index, index);
        uint64_t d_out = exec_alloc(rig, sizeof out, NULL), wavefronts = 0, counted = 0;
        EXEC_RUN(rig, "shared_words", EXEC_DIM(1), EXEC_DIM(32), 0, &d_index, &d_out, NULL);
        exec_read(rig, d_out, out, sizeof out);
        for (int t = 0; t < 32; t++) {
            int four = 4 * (index[t] & 255), two = 2 * (index[t] & 511), sum = 0;
            for (int k = 0; k < 4; k++) sum += (2 * k + 1) * (7 * (four + k) + 1);
            for (int k = 0; k < 2; k++) sum += (11 + 2 * k) * (7 * (two + k) + 1);
            ck_assert_int_eq(out[t], sum + 17 * (7 * index[t] + 1));
        }
        for (int k = 0; k < 3; k++) {
            uint64_t offsets[32];
            for (int t = 0; t < 32; t++) offsets[t] = (uint64_t)((index[t] & masks[k]) * bytes[k]);
            wavefronts += sim_access_banks(offsets, UINT32_MAX, (uint32_t)bytes[k]).wavefronts;
        }
        const sim_function *kernel = rig->launch.function;
        const sim_raw_counts *counts =
            rig->result.recorded.counts[kernel - rig->program->functions].by_pc;
        for (uint32_t i = 0; i < kernel->code_count; i++)
            if (kernel->code[i].op == SIM_OP_LD && kernel->code[i].space == PTX_SPACE_SHARED)
                counted += counts[i].wavefronts;
        if (_i == 0) ck_assert_uint_eq(counted, wavefronts);
    }
}

KL_TEST_MAIN("memory spaces")
