// SPDX-License-Identifier: MIT
// Protects the numbers of addresses (decode/internal.h): which loads of a block are said to have
// addresses of the same shape, and which of these shapes outlast a pass of their loop.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "decode/support.h"
#include "suite.h"

enum { MAX_LOADS = 8, TEXT_BYTES = 4096 };

typedef struct loads {
    sim_program *program;
    const sim_instr *at[MAX_LOADS]; // in the order of the text, those of parameters left out
    uint32_t count;
} loads;

// %rd1: an address for each lane; %rd2: a length in common; %rd3: a length for each lane.
static loads loads_of(const char *body) {
    char text[TEXT_BYTES];
    loads out = {0};
    snprintf(text, sizeof text,
             DECODE_HEADER
             ".entry k(.param .u64 p, .param .u32 n) {\n.reg .pred %%p<4>;\n.reg .b32 %%r<9>;\n"
             ".reg .b64 %%rd<16>;\nld.param.u64 %%rd0, [p];\nld.param.u32 %%r0, [n];\n"
             "mov.u32 %%r1, %%tid.x;\nmul.wide.s32 %%rd3, %%r1, 4;\nadd.s64 %%rd1, %%rd0, %%rd3;\n"
             "mul.wide.s32 %%rd2, %%r0, 4;\nsetp.eq.s32 %%p1, %%r1, 3;\n%s\nret;\n}\n",
             body);
    out.program = decode_text(text);
    const sim_function *function = &out.program->functions[0];
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op != SIM_OP_LD || instr->space == PTX_SPACE_PARAM) continue;
        ck_assert_uint_lt(out.count, MAX_LOADS);
        out.at[out.count++] = instr;
    }
    return out;
}
#define LOAD(address) "ld.global.u32 %r2, [" address "];\n"

// Whether the first two loads have addresses of one shape.
static bool are_alike(const char *body) {
    loads found = loads_of(body);
    ck_assert_uint_ge(found.count, 2);
    bool alike = found.at[0]->shape == found.at[1]->shape;
    ck_assert_uint_ne(found.at[0]->shape, 0);
    sim_program_free(found.program);
    return alike;
}
// Whether the shape of the first load stays from pass to pass.
static bool stays(const char *body) {
    loads found = loads_of(body);
    ck_assert_uint_ge(found.count, 1);
    bool kept = found.at[0]->shape & SIM_SHAPE_STAYS;
    sim_program_free(found.program);
    return kept;
}

START_TEST(what_all_threads_have_in_common_keeps_a_shape) {
    ck_assert(are_alike(LOAD("%rd1") LOAD("%rd1+8")));
    ck_assert(are_alike("add.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(are_alike("add.s64 %rd4, %rd2, %rd1;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(are_alike("sub.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd4") LOAD("%rd1")));
    ck_assert(
        are_alike("add.s64 %rd4, %rd1, 16;\nmov.u64 %rd5, %rd4;\n" LOAD("%rd1") LOAD("%rd5")));
    ck_assert(are_alike("mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %rd5, %r4, 64;\n"
                        "add.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(are_alike(LOAD("%rd1") "add.s64 %rd1, %rd1, %rd2;\n" LOAD("%rd1")));
}
END_TEST

START_TEST(what_lanes_have_of_their_own_does_not) {
    ck_assert(!are_alike("add.s64 %rd4, %rd1, %rd3;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike("cvt.u64.u32 %rd5, %r1;\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1")
                             LOAD("%rd4")));
    ck_assert(!are_alike("sub.s64 %rd4, %rd2, %rd1;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike("mul.lo.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(
        !are_alike("mov.u64 %rd4, 0;\n@%p1 add.s64 %rd4, %rd1, 16;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike(LOAD("%rd1") "@%p1 add.s64 %rd1, %rd1, %rd2;\n" LOAD("%rd1")));
    ck_assert(!are_alike("ld.shared.u64 %rd5, [%r1];\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd4")));
}
END_TEST

// A register that is written twice, or that some lanes come to without writing it.
START_TEST(a_register_may_be_common_in_one_place_alone) {
    ck_assert(!are_alike(
        "mov.u64 %rd5, 4;\n@%p1 mov.u64 %rd5, 8;\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1")
            LOAD("%rd4")));
    ck_assert(!are_alike("mov.u64 %rd5, 4;\n@%p1 bra L;\nmov.u64 %rd5, 8;\nL:\n"
                         "add.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike("@%p1 bra L;\nmov.u64 %rd5, 4;\nL:\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD(
        "%rd1") LOAD("%rd4")));
    ck_assert(
        !are_alike("@%p1 mov.u64 %rd5, 4;\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1") LOAD("%rd4")));
}
END_TEST

// Threads come to a label from elsewhere, with other values.
START_TEST(a_shape_ends_with_its_block) {
    ck_assert(!are_alike(LOAD("%rd1") "L:\n" LOAD("%rd1") "@%p1 bra L;\n"));
    ck_assert(!are_alike("add.s64 %rd4, %rd1, 4;\nL:\n" LOAD("%rd1")
                             LOAD("%rd4") "add.s64 %rd1, %rd1, %rd3;\n@%p1 bra L;\n"));
    ck_assert(!are_alike("add.s64 %rd4, %rd1, 4;\n" LOAD("%rd1") "@%p1 bra L;\nL:\n" LOAD("%rd4")));
}
END_TEST

START_TEST(a_loop_steps_its_pointers) {
    ck_assert(stays("L:\n" LOAD("%rd1") "add.s64 %rd1, %rd1, %rd2;\n@%p1 bra L;\n"));
    ck_assert(stays("L:\n" LOAD("%rd1") "@%p1 bra L;\n"));
    ck_assert(stays("L:\nadd.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd4") "add.s64 %rd1, %rd4, 8;\n"
                                                                   "@%p1 bra L;\n"));
    ck_assert(!stays(LOAD("%rd1") "add.s64 %rd1, %rd1, %rd2;\n"));
    ck_assert(!stays("L:\n" LOAD("%rd1") "add.s64 %rd1, %rd1, %rd3;\n@%p1 bra L;\n"));
    ck_assert(!stays("L:\nadd.s64 %rd4, %rd1, %rd3;\n" LOAD("%rd4") "@%p1 bra L;\n"));
    ck_assert(!stays("L:\n" LOAD("%rd1") "@%p1 bra M;\nM:\nadd.s64 %rd1, %rd1, 8;\n@%p1 bra L;\n"));
    // Two pointers that change places have each other's shape.
    ck_assert(!stays("mov.u64 %rd6, %rd3;\nL:\n" LOAD(
        "%rd1") "mov.u64 %rd4, %rd1;\n"
                "mov.u64 %rd1, %rd6;\nmov.u64 %rd6, %rd4;\n@%p1 bra L;\n"));
}
END_TEST

KL_TEST_MAIN("addresses", what_all_threads_have_in_common_keeps_a_shape,
             what_lanes_have_of_their_own_does_not, a_register_may_be_common_in_one_place_alone,
             a_shape_ends_with_its_block, a_loop_steps_its_pointers)
