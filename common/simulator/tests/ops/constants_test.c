// Protects the counts of loads from constant memory: a request for each load of a warp, an
// iteration for each different address among its lanes, whether these are regular or not.
#include "suite.h"
#include "support/run.h"

enum { LOADS = 8 }; // of each warp

// Lane i loads word (i & mask) * step of a table, so often that the quick forms are used.
static const char form[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b32 table[1024];\n"
    ".visible .entry words(.param .u64 x)\n{\n"
    "  .reg .pred %%p<2>;\n  .reg .b32 %%r<8>;\n  .reg .b64 %%rd<8>;\n"
    "  mov.u32 %%r3, %%tid.x;\n  and.b32 %%r4, %%r3, %u;\n  mul.lo.u32 %%r4, %%r4, %u;\n"
    "  mul.wide.u32 %%rd3, %%r4, 4;\n  mov.u64 %%rd4, table;\n  add.s64 %%rd5, %%rd4, %%rd3;\n"
    "  mov.u32 %%r6, 0;\nAGAIN:\n  ld.const.u32 %%r5, [%%rd5];\n  add.s32 %%r6, %%r6, 1;\n"
    "  setp.lt.s32 %%p1, %%r6, %u;\n  @%%p1 bra AGAIN;\n  ret;\n}\n";

static const struct {
    unsigned mask, step, words;
} cases[] = {{0, 1, 1}, {15, 1, 16}, {31, 1, 32}, {16, 1, 2}, {1, 1, 2}, {7, 3, 8}, {31, 5, 32}};

KL_TEST_ROWS(words_are_different_addresses, sizeof cases / sizeof *cases) {
    char ptx[1024];
    sim_options options = {.mode = SIM_MODE_COUNT, .threads = 1};
    snprintf(ptx, sizeof ptx, form, cases[_i].mask, cases[_i].step, (unsigned)LOADS);
    test_engine o = engine_open(options, ptx, 8);
    sim_launch_report *report = engine_report(&o, "words", 2, 64);
    const uint64_t *totals = report->totals.value, requests = 2 * 2 * LOADS;
    ck_assert_uint_eq(totals[SIM_COUNTER_CONSTANT_LD_INST], requests);
    ck_assert_uint_eq(totals[SIM_COUNTER_CONSTANT_LD_TURNS], requests * cases[_i].words);
}

KL_TEST_MAIN("constants")
