// SPDX-License-Identifier: MIT
// Protects the list of a function's machine instructions: which PTX instruction each came from, the
// loops around it, its stall and scoreboards, and where the code ends.
#include <check.h>

#include "machine/match.h"
#include "suite.h"

enum {
    FFMA = 0x223,
    LDG = 0x981,
    MUFU = 0x308,
    NOP = 0x918,
    CALL = 0x944,
    BRA = 0x947,
    EXIT = 0x94D,
    ALWAYS = 7,
    MAX = 16
};

typedef struct machine_code {
    uint64_t words[MAX][2];
    sim_cubin_line lines[MAX];
    uint32_t count;
} machine_code;

static void emit(machine_code *code, uint32_t operation, uint32_t line, uint64_t stall) {
    uint32_t at = code->count++;
    code->words[at][0] = operation | ALWAYS << 12;
    code->words[at][1] = stall << 41 | 7ull << 46; // no scoreboard
    code->lines[at] = (sim_cubin_line){.offset = 16 * at, .line = line};
}

// A branch over so many instructions, as ptxas writes it for sm_90: from the one behind it.
static void emit_jump(machine_code *code, uint32_t operation, uint32_t line, int64_t over) {
    uint32_t at = code->count;
    uint64_t units = (uint64_t)(over * 4);
    emit(code, operation, line, 5);
    code->words[at][0] |= (units & 0xFF) << 16 | units >> 8 << 34;
}

static void emit_branch(machine_code *code, uint32_t line, int64_t over) {
    emit_jump(code, BRA, line, over);
}

static sim_arena *arena;

static sim_function list_of(sim_instr *instrs, uint32_t count, const machine_code *code,
                            uint32_t line_count) {
    sim_function function = {.code = instrs, .code_count = count};
    sim_cubin_kernel kernel = {.code = (const uint8_t *)code->words,
                               .code_bytes = 16 * (size_t)code->count};
    sim_machine_list(arena, &function, &kernel, code->lines, line_count);
    return function;
}

// PTX of lines 10, 20, 30, 40: the loop is that of line 20, its jump back that of line 30.
static machine_code looped(void) {
    machine_code code = {.count = 0};
    emit(&code, FFMA, 11, 1); // a line between two instructions belongs to the first of them
    emit(&code, FFMA, 20, 4);
    emit(&code, FFMA, 20, 2);
    emit_branch(&code, 30, -3);
    emit(&code, EXIT, 40, 5);
    emit_branch(&code, 40, -1); // to itself: the end
    emit(&code, NOP, 40, 0);
    emit(&code, FFMA, 20, 1); // a subroutine
    return code;
}

START_TEST(instructions_belong_to_lines) {
    sim_instr instrs[4] = {{.ptx_line = 10}, {.ptx_line = 20}, {.ptx_line = 30}, {.ptx_line = 40}};
    const sim_machine_op wanted[] = {{.pc = 0, .depth = 0, .stall = 1},
                                     {.pc = 1, .depth = 1, .stall = 4},
                                     {.pc = 1, .depth = 1, .stall = 2},
                                     {.pc = 2, .depth = 1, .stall = 5, .jumps = true},
                                     {.pc = 3, .depth = 0, .stall = 5, .jumps = true}};
    machine_code code = looped();
    sim_function function = list_of(instrs, 4, &code, code.count);
    ck_assert_uint_eq(function.machine_count, sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < function.machine_count; i++) {
        ck_assert_uint_eq(function.machine[i].pc, wanted[i].pc);
        ck_assert_uint_eq(function.machine[i].depth, wanted[i].depth);
        ck_assert_uint_eq(function.machine[i].stall, wanted[i].stall);
        ck_assert_int_eq(function.machine[i].jumps, wanted[i].jumps);
    }
    ck_assert_uint_eq(instrs[1].machine_jumps, 0);
    ck_assert_uint_eq(instrs[2].machine_jumps, 1);
    ck_assert_uint_eq(instrs[3].machine_jumps, 1);
}
END_TEST

// A function that is called lies behind the kernel's end, before the jump to itself.
START_TEST(the_code_ends_before_what_it_calls) {
    sim_instr instrs[1] = {{.ptx_line = 10}};
    machine_code code = {.count = 0};
    emit(&code, FFMA, 10, 1);
    emit_jump(&code, CALL, 10, 1);
    emit(&code, EXIT, 10, 5);
    emit(&code, FFMA, 10, 1); // the function
    emit_branch(&code, 10, -1);
    sim_function function = list_of(instrs, 1, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 3);
}
END_TEST

// A branch may lead anywhere in a damaged image.
START_TEST(branches_out_of_the_code_make_no_loop) {
    sim_instr instrs[1] = {{.ptx_line = 10}};
    machine_code code = {.count = 0};
    emit(&code, FFMA, 10, 1);
    emit_branch(&code, 10, -100);
    emit_branch(&code, 10, 100);
    sim_function function = list_of(instrs, 1, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 3);
    for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(function.machine[i].depth, 0);
}
END_TEST

// Registers are even or odd. The second multiply-add finds R9 where the first one kept it, unless
// another warp came between; the third reads one register twice, the fourth the one that is 0.
START_TEST(registers_are_read_from_their_banks) {
    enum { NONE = 255 };
    static const struct {
        uint8_t a, b, c, keeps, reads[2], alone[2];
    } rows[] = {{3, 9, 4, 2, {1, 2}, {1, 2}},
                {5, 9, 6, 0, {1, 1}, {1, 2}},
                {8, 8, 7, 0, {1, 1}, {1, 1}},
                {2, NONE, 4, 0, {2, 0}, {2, 0}}};
    sim_instr instrs[1] = {{.ptx_line = 10}};
    machine_code code = {.count = 0};
    for (uint32_t i = 0; i < 4; i++) {
        emit(&code, FFMA, 10, 1);
        code.words[i][0] |= (uint64_t)rows[i].a << 24 | (uint64_t)rows[i].b << 32;
        code.words[i][1] |= rows[i].c | (uint64_t)rows[i].keeps << 58;
    }
    emit(&code, LDG, 10, 1); // nothing is known of others
    sim_function function = list_of(instrs, 1, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 5);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t bank = 0; bank < SIM_REGISTER_BANKS; bank++) {
            ck_assert_uint_eq(function.machine[i].reads[bank], rows[i].reads[bank]);
            ck_assert_uint_eq(function.machine[i].reads_alone[bank], rows[i].alone[bank]);
            ck_assert_uint_eq(function.machine[4].reads_alone[bank], 0);
        }
}
END_TEST

// A load that clears scoreboard 3, a special function that clears 0 and waits for 3, a sum that
// waits for both.
START_TEST(scoreboards_are_those_of_the_control_words) {
    sim_instr instrs[3] = {{.ptx_line = 10}, {.ptx_line = 20}, {.ptx_line = 30}};
    machine_code code = {.count = 0};
    emit(&code, LDG, 10, 1);
    emit(&code, MUFU, 20, 1);
    emit(&code, FFMA, 30, 1);
    code.words[0][1] = 3ull << 46;
    code.words[1][1] = 0ull << 46 | 8ull << 52;
    code.words[2][1] |= 9ull << 52;
    sim_function function = list_of(instrs, 3, &code, code.count);
    const sim_machine_op *ops = function.machine;
    ck_assert_uint_eq(ops[0].sets, 1 << 3);
    ck_assert_uint_eq(ops[0].waits, 0);
    ck_assert_uint_eq(ops[1].sets, 1 << 0);
    ck_assert_uint_eq(ops[1].waits, 1 << 3);
    ck_assert_uint_eq(ops[2].sets, 0);
    ck_assert_uint_eq(ops[2].waits, 1 << 3 | 1 << 0);
    ck_assert(ops[0].accesses && ops[1].accesses && !ops[2].accesses);
}
END_TEST

// Lanes that are apart before a shuffle leave the loop for code behind its end, and come back.
START_TEST(bringing_lanes_together_is_no_loop) {
    sim_instr instrs[2] = {{.ptx_line = 10}, {.ptx_line = 20}};
    machine_code code = {.count = 0};
    emit_branch(&code, 10, 2);
    code.words[0][1] |= 1ull << 27;
    emit(&code, FFMA, 10, 1);
    emit(&code, EXIT, 20, 5);
    emit(&code, FFMA, 10, 1);
    emit_branch(&code, 10, -4);
    sim_function function = list_of(instrs, 2, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 3);
    for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(function.machine[i].depth, 0);
    code.words[0][1] &= ~(1ull << 27); // any other branch: a loop
    ck_assert_uint_eq(list_of(instrs, 2, &code, code.count).machine_count, 5);
}
END_TEST

START_TEST(without_lines_there_is_no_list) {
    sim_instr instrs[1] = {{.ptx_line = 10}};
    machine_code code = looped();
    ck_assert_ptr_null(list_of(instrs, 1, &code, 0).machine);
}
END_TEST

static void make_arena(void) {
    arena = sim_arena_new(1 << 20);
    ck_assert_ptr_nonnull(arena);
}

static void free_arena(void) {
    sim_arena_free(arena);
}

KL_TEST_MAIN_WITH("list of machine instructions", make_arena, free_arena,
                  instructions_belong_to_lines, registers_are_read_from_their_banks,
                  branches_out_of_the_code_make_no_loop, the_code_ends_before_what_it_calls,
                  scoreboards_are_those_of_the_control_words, bringing_lanes_together_is_no_loop,
                  without_lines_there_is_no_list)
