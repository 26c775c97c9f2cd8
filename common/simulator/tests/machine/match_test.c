// SPDX-License-Identifier: MIT
// Protects the matching of machine code to PTX: what is merged, dropped or done by one lane is
// told, and what is not accounted for exactly is said to differ.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "counters/counters.h"
#include "machine/match.h"
#include "machine/operands.h"
#include "suite.h"

enum { LDS = 0x984, STS = 0x388, RED = 0x98E, VOTE = 0x886, ATOMS_COUNT = 0xF8C, MAX = 16 };

typedef struct machine_code {
    uint64_t words[MAX][2];
    sim_cubin_line lines[MAX];
    uint32_t count;
} machine_code;

// Appends a machine instruction of PTX line `line` that moves `bytes`.
static void emit(machine_code *code, uint16_t operation, uint32_t bytes, uint32_t predicate,
                 uint32_t line) {
    uint64_t width = bytes == 16 ? 6 : bytes == 8 ? 5 : 4;
    uint32_t at = code->count++;
    code->words[at][0] = operation | predicate << 12;
    code->words[at][1] = width << 9;
    code->lines[at] = (sim_cubin_line){.offset = 16 * at, .line = line};
}

static sim_instr access_of(uint16_t op, uint32_t line, uint32_t base, int64_t offset) {
    return (sim_instr){.op = op,
                       .type = PTX_F32,
                       .space = PTX_SPACE_SHARED,
                       .vector = 1,
                       .guard = SIM_NO_SLOT,
                       .ptx_line = line,
                       .base = base,
                       .offset = offset};
}

static void match(sim_instr *instrs, uint32_t count, const machine_code *code) {
    sim_function function = {.code = instrs, .code_count = count};
    sim_cubin_kernel kernel = {.code = (const uint8_t *)code->words,
                               .code_bytes = 16 * (size_t)code->count};
    sim_machine_match_lines(&function, &kernel, code->lines, code->count);
}

START_TEST(four_loads_become_one) {
    sim_instr loads[6];
    machine_code code = {.count = 0};
    for (uint32_t i = 0; i < 4; i++) loads[i] = access_of(SIM_OP_LD, 10 + i, 1, 4 * i);
    loads[4] = access_of(SIM_OP_LD, 14, 2, 0);
    loads[5] = access_of(SIM_OP_LD, 15, 1, 16);
    emit(&code, LDS, 16, 7, 12);
    emit(&code, LDS, 4, 7, 14);
    emit(&code, LDS, 4, 7, 15);
    match(loads, 6, &code);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(loads[i].machine, i == 2 ? SIM_MACHINE_WIDE : SIM_MACHINE_MERGED);
    ck_assert_int_eq(loads[2].machine_bytes, 16);
    ck_assert_int_eq(loads[2].machine_shift, -8);
    ck_assert_int_eq(loads[4].machine, SIM_MACHINE_SAME);
    ck_assert_int_eq(loads[5].machine, SIM_MACHINE_SAME);
}
END_TEST

// A gap, another register, a branch target between, two widths at one line: nothing is guessed.
START_TEST(what_does_not_fit_differs) {
    for (int how = 0; how < 4; how++) {
        machine_code code = {.count = 0};
        sim_instr both[3] = {access_of(SIM_OP_LD, 10, 1, 0),
                             access_of(SIM_OP_LD, 11, how == 1 ? 2 : 1, how == 0 ? 8 : 4),
                             {.op = SIM_OP_BRA, .guard = SIM_NO_SLOT, .ptx_line = 12, .target = 1}};
        emit(&code, LDS, 8, 7, 10);
        if (how == 3) emit(&code, LDS, 4, 7, 10);
        match(both, how == 2 ? 3 : 2, &code);
        ck_assert_int_eq(both[0].machine, SIM_MACHINE_DIFFERS);
        ck_assert_int_eq(both[1].machine, SIM_MACHINE_DIFFERS);
    }
}
END_TEST

START_TEST(unread_loads_are_dropped) {
    machine_code code = {.count = 0};
    sim_instr loads[2] = {access_of(SIM_OP_LD, 10, 1, 0), access_of(SIM_OP_LD, 11, 2, 0)};
    loads[0].unread = 1;
    emit(&code, LDS, 4, 7, 11);
    match(loads, 2, &code);
    ck_assert_int_eq(loads[0].machine, SIM_MACHINE_MERGED);
    ck_assert_int_eq(loads[1].machine, SIM_MACHINE_SAME);
}
END_TEST

START_TEST(machine_code_of_other_ptx_says_nothing) {
    machine_code code = {.count = 0};
    sim_instr loads[2] = {access_of(SIM_OP_LD, 10, 1, 0), access_of(SIM_OP_LD, 11, 1, 4)};
    emit(&code, LDS, 8, 7, 10);
    emit(&code, STS, 4, 7, 11); // a store where this PTX loads
    match(loads, 2, &code);
    ck_assert_int_eq(loads[0].machine, SIM_MACHINE_UNKNOWN);
    ck_assert_int_eq(loads[1].machine, SIM_MACHINE_UNKNOWN);
}
END_TEST

START_TEST(atomics_by_one_lane_and_by_counting) {
    machine_code code = {.count = 0};
    sim_instr atomics[4];
    for (uint32_t i = 0; i < 4; i++) atomics[i] = access_of(SIM_OP_RED, 10 + i, 1, 0);
    emit(&code, VOTE, 4, 7, 10);
    emit(&code, RED, 4, 0, 10);
    emit(&code, RED, 4, 7, 11);
    emit(&code, ATOMS_COUNT, 4, 7, 12);
    match(atomics, 4, &code);
    ck_assert_int_eq(atomics[0].machine, SIM_MACHINE_AGGREGATED);
    ck_assert_int_eq(atomics[1].machine, SIM_MACHINE_SAME);
    ck_assert_int_eq(atomics[2].machine, SIM_MACHINE_COUNTED);
    ck_assert_int_eq(atomics[3].machine, SIM_MACHINE_UNKNOWN);
}
END_TEST

// As match(), with slot 0 as the constant that addresses of named arrays have.
static void match_named(sim_instr *instrs, uint32_t count, const machine_code *code) {
    sim_constant zero = {.slot = 0, .bytes = 4};
    sim_function function = {
        .code = instrs, .code_count = count, .constants = &zero, .constant_count = 1};
    sim_cubin_kernel kernel = {.code = (const uint8_t *)code->words,
                               .code_bytes = 16 * (size_t)code->count};
    sim_machine_match_lines(&function, &kernel, code->lines, code->count);
}

// Each load but the first behind a way out of the loop that once was; how == 1: something jumps in
// between, 2: the address is in a register, 3: the wide load is that of the last line.
START_TEST(loads_ahead_of_a_branch_merge) {
    for (int how = 0; how < 4; how++) {
        machine_code code = {.count = 0};
        sim_instr instrs[5];
        for (uint32_t i = 0; i < 2; i++) {
            instrs[2 * i] = access_of(SIM_OP_LD, 10 + 2 * i, 1 + i, 4 * (int64_t)i);
            instrs[2 * i].src[0] = how == 2 ? 7 : 0;
            instrs[2 * i + 1] = (sim_instr){
                .op = SIM_OP_BRA, .guard = 3, .ptx_line = 11 + 2 * i, .target = how == 1 ? 2 : 4};
        }
        instrs[4] = (sim_instr){.op = SIM_OP_RET, .guard = SIM_NO_SLOT, .ptx_line = 20};
        emit(&code, LDS, 8, 7, how == 3 ? 12 : 10);
        match_named(instrs, 5, &code);
        ck_assert_int_eq(instrs[0].machine, how ? SIM_MACHINE_DIFFERS : SIM_MACHINE_WIDE);
        ck_assert_int_eq(instrs[2].machine, how ? SIM_MACHINE_DIFFERS : SIM_MACHINE_MERGED);
    }
}
END_TEST

// Copies for many iterations and for the rest: the loop's branch is marked, and lanes that leave it
// one by one make its accesses count as different.
START_TEST(a_loop_with_copies_is_said_to_be_unrolled) {
    for (uint32_t copies = 1; copies <= 7; copies += 6) {
        machine_code code = {.count = 0};
        sim_instr instrs[2] = {access_of(SIM_OP_LD, 10, 1, 0),
                               {.op = SIM_OP_BRA, .guard = 3, .ptx_line = 11, .target = 0}};
        for (uint32_t i = 0; i < copies; i++) emit(&code, LDS, 4, 7, 10);
        match(instrs, 2, &code);
        ck_assert_int_eq(instrs[0].machine, SIM_MACHINE_SAME);
        ck_assert_int_eq(instrs[1].machine == SIM_MACHINE_UNROLLED, copies == 7);
        for (uint64_t divergent = 0; divergent < 2; divergent++) {
            sim_raw_counts raw = {.executed = 5, .divergent = divergent};
            sim_counters counters = {0};
            sim_counters_fold(&instrs[1], &raw, &counters);
            ck_assert_uint_eq(counters.value[SIM_COUNTER_ACCESSES_DIFFER],
                              copies == 7 && divergent ? 5 : 0);
        }
    }
}
END_TEST

// PTX has an array in local memory, the machine code no stack frame to put it in: a register then.
START_TEST(without_a_stack_frame_there_is_no_local_memory) {
    for (uint32_t stack = 0; stack <= 16; stack += 16) {
        sim_instr instrs[] = {access_of(SIM_OP_ST, 10, 1, 0), access_of(SIM_OP_LD, 11, 2, 0)};
        instrs[0].space = PTX_SPACE_LOCAL;
        sim_function function = {.code = instrs, .code_count = 2};
        sim_cubin_kernel kernel = {.stack_bytes = stack};
        sim_machine_match_lines(&function, &kernel, NULL, 0);
        ck_assert_int_eq(instrs[0].machine, stack ? SIM_MACHINE_UNKNOWN : SIM_MACHINE_MERGED);
        ck_assert_int_ne(instrs[1].machine, SIM_MACHINE_MERGED); // of shared memory
        ck_assert_int_eq(sim_pipe_of(&instrs[0]), stack ? SIM_PIPE_LSU : SIM_PIPE_ALU);
    }
}
END_TEST

KL_TEST_MAIN("machine code", four_loads_become_one, what_does_not_fit_differs,
             unread_loads_are_dropped, machine_code_of_other_ptx_says_nothing,
             atomics_by_one_lane_and_by_counting, loads_ahead_of_a_branch_merge,
             a_loop_with_copies_is_said_to_be_unrolled,
             without_a_stack_frame_there_is_no_local_memory)
