// Protects what is said of a run's worth: how each kind of instruction is known to be right, that
// all that is known to differ from a card has a row, and what may depend on it.
#include "decode/support.h"
#include "suite.h"

static void is(const char *opcode, sim_evidence wanted, const char *name) {
    char found[SIM_EVIDENCE_NAME];
    ck_assert_msg(sim_evidence_of(opcode, found) == wanted, "%s", opcode);
    ck_assert_str_eq(found, name);
}

KL_TEST(evidence_is_that_of_the_page) {
    is("add.rn.f32", SIM_EVIDENCE_CARD, "add.f32");
    is("ex2.approx.ftz.f32", SIM_EVIDENCE_CARD, "ex2.f32");
    is("bar.sync", SIM_EVIDENCE_PROGRAMS, "bar");
    is("ld.global.nc.v4.f32", SIM_EVIDENCE_PROGRAMS, "ld.f32");
    is("cp.async.bulk.commit_group", SIM_EVIDENCE_PROGRAMS, "cp.async.bulk.commit_group");
    is("add.b128", SIM_EVIDENCE_MANUAL, "add.b128");
    is("nothing.f32", SIM_EVIDENCE_MANUAL, "nothing.f32");
}

static const struct {
    const char *id, *code;
} cases[] = {
#define ROW(id, code)                           {#id, code},
#define CASE_0(id, out, code)                   ROW(id, code)
#define CASE_1(id, out, a, code)                ROW(id, code)
#define CASE_2(id, out, a, b, code)             ROW(id, code)
#define CASE_3(id, out, a, b, c, code)          ROW(id, code)
#define CASE_4(id, out, a, b, c, e, code)       ROW(id, code)
#define PAIR_1(id, out, out2, a, code)          ROW(id, code)
#define PAIR_2(id, out, out2, a, b, code)       ROW(id, code)
#define PAIR_3(id, out, out2, a, b, c, code)    ROW(id, code)
#define PAIR_4(id, out, out2, a, b, c, e, code) ROW(id, code)
#define GLOBAL_2(id, mem, b, code)              ROW(id, code)
#define GLOBAL_3(id, mem, b, c, code)           ROW(id, code)
#define SHARED_2(id, mem, b, code)              ROW(id, code)
#define SHARED_3(id, mem, b, c, code)           ROW(id, code)
#define CONTENDED_GLOBAL(id, mem, b, code)      ROW(id, code)
#define CONTENDED_SHARED(id, mem, b, code)      ROW(id, code)
#define PRED(code)                              code
#define OPERAND_IN_video_scalar
#define OPERAND_IN_video_select
#include "../../../validation/operands/operand_cases.def"
};

// Which of two NaNs a sum passes on says nothing about numbers: it has no row.
KL_TEST(cases_that_differ_from_a_card_are_inexact) {
    char *text = decode_read_file(TEST_SOURCE_DIR "/common/validation/operands/operands_known.txt");
    int found = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#') continue;
        line[strcspn(line, " ")] = '\0';
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (strcmp(cases[i].id, line) != 0) continue;
            ck_assert_msg(sim_inexact_text(cases[i].code), "%s: %s", line, cases[i].code);
            found++;
        }
    }
    ck_assert_int_ge(found, 20);
    free(text);
}

KL_TEST(inexact_by_opcode_and_by_register) {
    ck_assert_ptr_nonnull(sim_inexact_text("@%p1 red.global.add.f32 [%rd1], %f1"));
    ck_assert_ptr_null(sim_inexact_text("red.global.add.u32 [%rd1], %r1"));
    ck_assert_ptr_null(sim_inexact_text("red.global.max.f32 [%rd1], %f1"));
    ck_assert_ptr_nonnull(sim_inexact_text("mov.u32 %r1, %smid"));
    ck_assert_ptr_nonnull(sim_inexact_text("mov.u64 %rd1, %clock64"));
    ck_assert_ptr_null(sim_inexact_text("mov.u32 %r1, %nsmid"));
    ck_assert_ptr_null(sim_inexact_text("mov.u32 %r1, %tid.x"));
}

// How many instructions are inexact, and how many may be misled.
static void count(const char *body, int *out_inexact, int *out_misled) {
    char text[2048];
    snprintf(text, sizeof text,
             DECODE_HEADER ".entry k(.param .u64 p) {\n.reg .pred %%p<4>; .reg .b32 %%r<9>; .reg "
                           ".f32 %%f<4>; .reg .b64 %%rd<9>;\nld.param.u64 %%rd1, [p];\n%s\nret; }",
             body);
    sim_program *program = decode_text(text);
    const sim_function *kernel = sim_program_find(program, "k");
    *out_inexact = *out_misled = 0;
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        *out_inexact += kernel->code[i].inexact;
        *out_misled += kernel->code[i].misled;
    }
}

static void counts(const char *body, int inexact, int misled) {
    int found_inexact, found_misled;
    count(body, &found_inexact, &found_misled);
    ck_assert_msg(found_inexact == inexact && found_misled == misled, "%d and %d of\n%s",
                  found_inexact, found_misled, body);
}

KL_TEST(what_depends_on_inexact_results) {
    // A clock that is stored misleads nobody; one that chooses an address or a way does.
    counts("mov.u32 %r1, %clock;\nst.global.u32 [%rd1], %r1;", 1, 0);
    counts("mov.u32 %r1, %clock;\ncvt.u64.u32 %rd2, %r1;\nadd.u64 %rd3, %rd1, %rd2;\n"
           "st.global.u32 [%rd3], 1;",
           1, 1);
    counts("mov.u32 %r1, %smid;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nst.global.u32 [%rd1], 1;\n"
           "L:",
           1, 1);
    counts("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nst.global.u32 [%rd1], 1;\n"
           "L:",
           0, 0);
    // Whatever goes there: an arrival by copies, an object of a texture that was chosen so.
    counts("mov.u32 %r1, %clock;\ncp.async.mbarrier.arrive.shared.b64 [%r1];", 1, 1);
    counts("mov.u32 %r1, %clock;\ncvt.u64.u32 %rd2, %r1;\nsuld.b.1d.b32.trap %r2, [%rd2, {%r3}];",
           1, 1);
    // Through memory: the sum of floats is loaded again and compared.
    counts("red.global.add.f32 [%rd1], 0f3F800000;\nld.global.f32 %f1, [%rd1];\n"
           "setp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 st.global.u32 [%rd1+4], 1;",
           1, 1);
    counts("red.global.add.f32 [%rd1], 0f3F800000;\nmov.u32 %r2, 0;\nld.shared.f32 %f1, [%r2];\n"
           "setp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 st.global.u32 [%rd1+4], 1;",
           1, 0);
}

KL_TEST_MAIN("decode_evidence")
