// Protects what the executor keeps about address registers (warps/lanes.h): random loops whose
// pointers step by values in common and by values of a lane's own, under guards, with lanes that
// leave early, give the same with that knowledge and in check mode, which looks at every address.
#include "suite.h"
#include "support/run.h"

enum {
    PROGRAMS = 300,
    POINTERS = 4,
    THREADS = 64,
    WORDS = 1 << 14 // of the table; pointers begin in its middle and move less than half of it
};

// Lengths in bytes, at most 124 each: %rd10 and %rd11 in common, %rd12 written twice and perhaps in
// common, %rd13 a row of the lanes, %rd14 of no order.
static void put_step(writer *out) {
    static const char *const lengths[] = {"%rd10", "%rd11", "%rd12", "%rd13", "%rd14", "8"};
    uint32_t to = below(out, POINTERS), from = below(out, POINTERS);
    switch (below(out, 9)) {
    case 0: put(out, "mov.u64 %%rd%u, %%rd%u;\n", to, from); return;
    case 1: put(out, "@%%p1 add.s64 %%rd%u, %%rd%u, 4;\n", to, from); return;
    case 2: put(out, "sub.s64 %%rd%u, %%rd%u, %%rd11;\n", to, from); return;
    case 3: put(out, "add.s64 %%rd%u, %%rd%u, %s;\n", to, from, lengths[below(out, 6)]); return;
    case 4: put(out, "add.s64 %%rd%u, %%rd%u, %%rd10;\n", to, from); return;
    case 5: put(out, "@%%p1 "); break;
    default: break;
    }
    put(out, "ld.global.u32 %%r5, [%%rd%u+%u];\nmad.lo.u32 %%r6, %%r6, 31, %%r5;\n", from,
        4 * below(out, 4));
}

static void put_start(writer *out, uint32_t pointer) {
    static const char *const forms[] = {"mov.u32 %r7, %r1;", "and.b32 %r7, %r1, 15;",
                                        "mov.u32 %r7, 3;", "xor.b32 %r7, %r1, 5;",
                                        "shr.u32 %r7, %r1, 4;"};
    put(out, "%s\nmul.wide.u32 %%rd9, %%r7, 4;\nadd.s64 %%rd%u, %%rd8, %%rd9;\n",
        forms[below(out, 5)], pointer);
}

static void put_program(writer *out, uint64_t seed) {
    writer_begin(out, seed);
    put(out,
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 table, .param .u64 "
        "result, .param .u32 n) {\n.reg .pred %%p<5>;\n.reg .b32 %%r<10>;\n.reg .b64 %%rd<16>;\n"
        "ld.param.u64 %%rd8, [table];\nld.param.u32 %%r0, [n];\nmov.u32 %%r1, %%tid.x;\n"
        "mul.wide.u32 %%rd10, %%r0, 4;\nmov.u64 %%rd11, 12;\nmov.u64 %%rd12, 4;\nmov.u32 %%r8, 0;\n"
        "setp.ne.u32 %%p4, 0, 0;\n"
        "mul.wide.u32 %%rd13, %%r1, 4;\nand.b64 %%rd13, %%rd13, 124;\nmul.lo.u32 %%r2, %%r1, 20;\n"
        "and.b32 %%r2, %%r2, 28;\ncvt.u64.u32 %%rd14, %%r2;\nmov.u32 %%r6, %%r1;\n"
        "mov.u32 %%r3, 0;\nand.b32 %%r4, %%r1, 3;\n");
    for (uint32_t i = 0; i < POINTERS; i++) put_start(out, i);
    bool all_stay = below(out, 2), skips = below(out, 3) == 0, changes = below(out, 2);
    bool differs = below(out, 2), again = below(out, 2);
    if (differs) put(out, "setp.lt.u32 %%p2, %%r1, 9;\n@%%p2 bra SET;\nmov.u64 %%rd12, 8;\nSET:\n");
    put(out, "add.u32 %%r4, %%r4, 2;\n%s", all_stay ? "mov.u32 %r4, 5;\n" : "");
    if (again) put(out, "OUTER:\nmov.u32 %%r3, 0;\n");
    for (uint32_t i = 0; again && i < POINTERS; i++)
        put(out, "@%%p4 add.s64 %%rd%u, %%rd%u, %%rd14;\n", i, i);
    put(out, "AGAIN:\nsetp.ne.u32 %%p1, %%r3, %u;\n", 1 + below(out, 3));
    uint32_t length = 4 + below(out, 9), half = below(out, length);
    for (uint32_t i = 0; i < length; i++) {
        if (skips && i == half) put(out, "setp.lt.u32 %%p2, %%r1, 9;\n@%%p2 bra PAST;\n");
        put_step(out);
        if (skips && i == half) put(out, "PAST:\n");
    }
    if (changes) put(out, "add.s64 %%rd12, %%rd12, 4;\n");
    put(out, "add.u32 %%r3, %%r3, 1;\nsetp.lt.u32 %%p3, %%r3, %%r4;\n@%%p3 bra AGAIN;\n");
    if (again)
        put(out, "add.u32 %%r8, %%r8, 1;\nsetp.eq.u32 %%p4, %%r8, 1;\nsetp.lt.u32 %%p3, %%r8, 3;\n"
                 "@%%p3 bra OUTER;\n");
    put(out, "ld.param.u64 %%rd15, [result];\nmul.wide.u32 %%rd9, %%r1, 4;\n"
             "add.s64 %%rd15, %%rd15, %%rd9;\nst.global.u32 [%%rd15], %%r6;\nret;\n}\n");
}

static void run(const writer *program, sim_mode mode, uint32_t threads, uint32_t results[THREADS]) {
    kl_error err = {0};
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle function;
    sim_launch_result launched;
    uint32_t table[WORDS], n = 9;
    uint64_t addresses[2], params[3] = {0};
    sim_options options = {.mode = mode, .threads = 1};
    sim_launch_config config = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
    for (uint32_t i = 0; i < WORDS; i++) table[i] = i * 2654435761u;
    memset(results, 0, THREADS * sizeof *results);
    OK(sim_engine_open_local(&options, &engine, &err));
    ck_assert_msg(sim_module_load(engine, program->text, program->used + 1, &module, &err) ==
                      SIM_OK,
                  "%s\n%s", err.text, program->text);
    OK(sim_function_find(engine, module, "k", &function, &err));
    OK(sim_memory_alloc(engine, sizeof table, &addresses[0], &err));
    OK(sim_memory_alloc(engine, THREADS * sizeof *results, &addresses[1], &err));
    OK(sim_memory_write(engine, addresses[0], table, sizeof table, &err));
    OK(sim_memory_write(engine, addresses[1], results, THREADS * sizeof *results, &err));
    params[0] = addresses[0] + sizeof table / 2;
    params[1] = addresses[1];
    memcpy(&params[2], &n, sizeof n);
    ck_assert_msg(sim_launch_kernel(engine, function, &config, params, 20, &launched, &err) ==
                      SIM_OK,
                  "%s\n%s", err.text, program->text);
    OK(sim_memory_read(engine, results, addresses[1], THREADS * sizeof *results, &err));
    sim_engine_close(engine);
}

KL_TEST(knowledge_changes_no_result) {
    static const sim_mode modes[] = {SIM_MODE_FUNCTIONAL, SIM_MODE_COUNT};
    static writer program;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        uint32_t threads = seed % 3 == 0 ? THREADS - 12 : THREADS;
        uint32_t wanted[THREADS], given[THREADS];
        put_program(&program, seed);
        run(&program, SIM_MODE_CHECK, threads, wanted);
        for (int m = 0; m < 2; m++) {
            run(&program, modes[m], threads, given);
            for (uint32_t i = 0; i < THREADS; i++)
                ck_assert_msg(given[i] == wanted[i], "program %d, thread %u: 0x%x, wanted 0x%x\n%s",
                              (int)seed, i, given[i], wanted[i], program.text);
        }
    }
}

// Units of memory that a warp's loads from one register move, in each of two passes of a loop; lane
// i's is word i + 1 of a row.
static uint64_t units_of_loads(const char *device, uint32_t loads) {
    static writer program;
    sim_options options = {.mode = SIM_MODE_COUNT, .threads = 1, .device = device};
    writer_begin(&program, 0);
    put(&program, ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 table) {\n"
                  ".reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n.reg .pred %%p;\n"
                  "ld.param.u64 %%rd0, [table];\nmov.u32 %%r2, 0;\n"
                  "mov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%rd1, %%r0, 4;\n"
                  "add.s64 %%rd2, %%rd0, %%rd1;\nAGAIN:\n");
    for (uint32_t i = 0; i < loads; i++)
        put(&program, "ld.global.u32 %%r1, [%%rd2+%u];\n", 4 + 256 * i);
    put(&program, "add.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p, %%r2, 2;\n@%%p bra AGAIN;\nret;\n}\n");
    test_engine o = engine_open(options, program.text, 4096);
    sim_launch_report *report = engine_report(&o, "k", 1, 32);
    uint64_t units = report->totals.value[SIM_COUNTER_GLOBAL_LD_SECTORS];
    return units / 2;
}

// Cards of before: 16 lanes at a time, which in a row that begins one word late move a unit each.
KL_TEST(every_load_of_a_register_counts_by_the_cards_rules) {
    ck_assert_uint_eq(units_of_loads("h100", 1), 5);
    ck_assert_uint_eq(units_of_loads("h100", 3), 15);
    ck_assert_uint_eq(units_of_loads("gtx8800", 1), 32);
    ck_assert_uint_eq(units_of_loads("gtx8800", 3), 96);
}

KL_TEST_MAIN("shapes")
