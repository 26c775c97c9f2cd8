// Machine code beside PTX.
#include "counters/counters.h"
#include "machine/machine.h"
#include "suite.h"

// ---- match ----
// Protects the matching of machine code to PTX: what is merged, dropped or done by one lane is
// told, and what is not accounted for exactly is said to differ.

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

static void match_function(sim_function function, const machine_code *code) {
    sim_cubin_kernel kernel = {.code = (const uint8_t *)code->words,
                               .code_bytes = 16 * (size_t)code->count};
    sim_machine_match_lines(&function, &kernel, code->lines, code->count);
}

static void match(sim_instr *instrs, uint32_t count, const machine_code *code) {
    match_function((sim_function){.code = instrs, .code_count = count}, code);
}

KL_TEST(four_loads_become_one) {
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

// A gap, another register, a branch target between, two widths at one line: nothing is guessed.
KL_TEST(what_does_not_fit_differs) {
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

KL_TEST(unread_loads_are_dropped) {
    machine_code code = {.count = 0};
    sim_instr loads[2] = {access_of(SIM_OP_LD, 10, 1, 0), access_of(SIM_OP_LD, 11, 2, 0)};
    loads[0].unread = 1;
    emit(&code, LDS, 4, 7, 11);
    match(loads, 2, &code);
    ck_assert_int_eq(loads[0].machine, SIM_MACHINE_MERGED);
    ck_assert_int_eq(loads[1].machine, SIM_MACHINE_SAME);
}

KL_TEST(machine_code_of_other_ptx_says_nothing) {
    machine_code code = {.count = 0};
    sim_instr loads[2] = {access_of(SIM_OP_LD, 10, 1, 0), access_of(SIM_OP_LD, 11, 1, 4)};
    emit(&code, LDS, 8, 7, 10);
    emit(&code, STS, 4, 7, 11); // a store where this PTX loads
    match(loads, 2, &code);
    ck_assert_int_eq(loads[0].machine, SIM_MACHINE_UNKNOWN);
    ck_assert_int_eq(loads[1].machine, SIM_MACHINE_UNKNOWN);
}

KL_TEST(atomics_by_one_lane_and_by_counting) {
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

// As match(), with slot 0 as the constant that addresses of named arrays have.
static void match_named(sim_instr *instrs, uint32_t count, const machine_code *code) {
    sim_constant zero = {.slot = 0, .bytes = 4};
    match_function(
        (sim_function){
            .code = instrs, .code_count = count, .constants = &zero, .constant_count = 1},
        code);
}

// Each load but the first behind a way out of the loop that once was; how == 1: something jumps in
// between, 2: the address is in a register, 3: the wide load is that of the last line.
KL_TEST(loads_ahead_of_a_branch_merge) {
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

// Copies for many iterations and for the rest: the loop's branch is marked, and lanes that leave it
// one by one make its accesses count as different.
KL_TEST(a_loop_with_copies_is_said_to_be_unrolled) {
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

// PTX has an array in local memory, the machine code no stack frame to put it in: a register then.
KL_TEST(without_a_stack_frame_there_is_no_local_memory) {
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

// ---- list ----
// Protects the list of a function's machine instructions: which PTX instruction each came from, the
// loops around it, its stall and scoreboards, and where the code ends.

enum {
    FFMA = 0x223,
    LDG = 0x981,
    MUFU = 0x308,
    NOP = 0x918,
    CALL = 0x944,
    BRA = 0x947,
    EXIT = 0x94D,
    ALWAYS = 7
};

static void emit_list(machine_code *code, uint32_t operation, uint32_t line, uint64_t stall) {
    uint32_t at = code->count++;
    code->words[at][0] = operation | ALWAYS << 12;
    code->words[at][1] = stall << 41 | 7ull << 46; // no scoreboard
    code->lines[at] = (sim_cubin_line){.offset = 16 * at, .line = line};
}

// A branch over so many instructions, as ptxas writes it for sm_90: from the one behind it.
static void emit_jump(machine_code *code, uint32_t operation, uint32_t line, int64_t over) {
    uint32_t at = code->count;
    uint64_t units = (uint64_t)(over * 4);
    emit_list(code, operation, line, 5);
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
    emit_list(&code, FFMA, 11, 1); // a line between two instructions belongs to the first of them
    emit_list(&code, FFMA, 20, 4);
    emit_list(&code, FFMA, 20, 2);
    emit_branch(&code, 30, -3);
    emit_list(&code, EXIT, 40, 5);
    emit_branch(&code, 40, -1); // to itself: the end
    emit_list(&code, NOP, 40, 0);
    emit_list(&code, FFMA, 20, 1); // a subroutine
    return code;
}

static void make_arena(void) {
    arena = sim_arena_new(1 << 20);
    ck_assert_ptr_nonnull(arena);
}

static void free_arena(void) { sim_arena_free(arena); }

KL_FIXTURE(make_arena, free_arena)

KL_TEST(instructions_belong_to_lines) {
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

// A function that is called lies behind the kernel's end, before the jump to itself.
KL_TEST(the_code_ends_before_what_it_calls) {
    sim_instr instrs[1] = {{.ptx_line = 10}};
    machine_code code = {.count = 0};
    emit_list(&code, FFMA, 10, 1);
    emit_jump(&code, CALL, 10, 1);
    emit_list(&code, EXIT, 10, 5);
    emit_list(&code, FFMA, 10, 1); // the function
    emit_branch(&code, 10, -1);
    sim_function function = list_of(instrs, 1, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 3);
}

// A branch may lead anywhere in a damaged image.
KL_TEST(branches_out_of_the_code_make_no_loop) {
    sim_instr instrs[1] = {{.ptx_line = 10}};
    machine_code code = {.count = 0};
    emit_list(&code, FFMA, 10, 1);
    emit_branch(&code, 10, -100);
    emit_branch(&code, 10, 100);
    sim_function function = list_of(instrs, 1, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 3);
    for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(function.machine[i].depth, 0);
}

// Registers are even or odd. The second multiply-add finds R9 where the first one kept it, unless
// another warp came between; the third reads one register twice, the fourth the one that is 0.
KL_TEST(registers_are_read_from_their_banks) {
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
        emit_list(&code, FFMA, 10, 1);
        code.words[i][0] |= (uint64_t)rows[i].a << 24 | (uint64_t)rows[i].b << 32;
        code.words[i][1] |= rows[i].c | (uint64_t)rows[i].keeps << 58;
    }
    emit_list(&code, LDG, 10, 1); // nothing is known of others
    sim_function function = list_of(instrs, 1, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 5);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t bank = 0; bank < SIM_REGISTER_BANKS; bank++) {
            ck_assert_uint_eq(function.machine[i].reads[bank], rows[i].reads[bank]);
            ck_assert_uint_eq(function.machine[i].reads_alone[bank], rows[i].alone[bank]);
            ck_assert_uint_eq(function.machine[4].reads_alone[bank], 0);
        }
}

// A load that clears scoreboard 3, a special function that clears 0 and waits for 3, a sum that
// waits for both.
KL_TEST(scoreboards_are_those_of_the_control_words) {
    sim_instr instrs[3] = {{.ptx_line = 10}, {.ptx_line = 20}, {.ptx_line = 30}};
    machine_code code = {.count = 0};
    emit_list(&code, LDG, 10, 1);
    emit_list(&code, MUFU, 20, 1);
    emit_list(&code, FFMA, 30, 1);
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

// Lanes that are apart before a shuffle leave the loop for code behind its end, and come back.
KL_TEST(bringing_lanes_together_is_no_loop) {
    sim_instr instrs[2] = {{.ptx_line = 10}, {.ptx_line = 20}};
    machine_code code = {.count = 0};
    emit_branch(&code, 10, 2);
    code.words[0][1] |= 1ull << 27;
    emit_list(&code, FFMA, 10, 1);
    emit_list(&code, EXIT, 20, 5);
    emit_list(&code, FFMA, 10, 1);
    emit_branch(&code, 10, -4);
    sim_function function = list_of(instrs, 2, &code, code.count);
    ck_assert_uint_eq(function.machine_count, 3);
    for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(function.machine[i].depth, 0);
    code.words[0][1] &= ~(1ull << 27); // any other branch: a loop
    ck_assert_uint_eq(list_of(instrs, 2, &code, code.count).machine_count, 5);
}

KL_TEST(without_lines_there_is_no_list) {
    sim_instr instrs[1] = {{.ptx_line = 10}};
    machine_code code = looped();
    ck_assert_ptr_null(list_of(instrs, 1, &code, 0).machine);
}

// ---- index ----
// Protects what the models take from the machine code: instructions for each operation of a loop,
// whose copies are told from what stands before it, and the order of its iterations.

enum { LOAD, SUM, COUNT, COMPARE, BACK, INSTRS };

static sim_instr instrs[INSTRS];
static sim_function function;
static machine_index machine;

static void set_up(void) {
    for (uint32_t pc = 0; pc < INSTRS; pc++)
        instrs[pc] = (sim_instr){.pc = pc, .guard = SIM_NO_SLOT, .op = SIM_OP_ADD, .type = PTX_S32};
    instrs[LOAD] =
        (sim_instr){.pc = LOAD, .guard = SIM_NO_SLOT, .op = SIM_OP_LD, .space = PTX_SPACE_GLOBAL};
    instrs[SUM].op = SIM_OP_FMA;
    instrs[SUM].type = PTX_F32;
    instrs[COMPARE].op = SIM_OP_SETP;
    instrs[BACK] = (sim_instr){.pc = BACK, .guard = 4, .op = SIM_OP_BRA, .target = LOAD};
    function = (sim_function){.code = instrs, .code_count = INSTRS};
}

static void tear_down(void) { machine_index_free(&machine); }

static void take(const sim_machine_op *ops, uint32_t count) {
    function.machine = ops;
    function.machine_count = count;
    machine_index_free(&machine); // of the code that was taken before, if any
    ck_assert(machine_index_make(&machine, &function));
}

// Four loads, then four sums; a sum before the loop.
static const sim_machine_op unrolled[] = {
    {.pc = SUM, .depth = 0, .stall = 1},      {.pc = LOAD, .depth = 1, .stall = 1},
    {.pc = LOAD, .depth = 1, .stall = 1},     {.pc = LOAD, .depth = 1, .stall = 1},
    {.pc = LOAD, .depth = 1, .stall = 1},     {.pc = SUM, .depth = 1, .stall = 4},
    {.pc = SUM, .depth = 1, .stall = 4},      {.pc = SUM, .depth = 1, .stall = 4},
    {.pc = SUM, .depth = 1, .stall = 4},      {.pc = COUNT, .depth = 1, .stall = 2},
    {.pc = COMPARE, .depth = 1, .stall = 13}, {.pc = BACK, .depth = 1, .stall = 5, .jumps = true}};
enum { UNROLLED = sizeof unrolled / sizeof *unrolled };

static uint32_t begin(issue_op *ops, uint32_t iterations) {
    for (uint32_t i = 0; i < iterations * INSTRS; i++) {
        uint32_t pc = i % INSTRS;
        issue_kind kind = pc == LOAD ? ISSUE_GLOBAL : pc == BACK ? ISSUE_BRANCH : ISSUE_PLAIN;
        ops[i] =
            (issue_op){.pc = pc, .kind = (uint8_t)kind, .issues = 1, .copy = (uint8_t)(i / INSTRS)};
    }
    return iterations * INSTRS;
}

KL_FIXTURE(set_up, tear_down)

KL_TEST(copies_are_counted_inside_the_loop) {
    take(unrolled, UNROLLED);
    ck_assert_uint_eq(machine_index_copies(&machine, LOAD, BACK), 4);
}

KL_TEST(a_loop_issues_what_its_iterations_share) {
    issue_op ops[4 * INSTRS];
    uint32_t positions[4 * INSTRS], shared = 0, stall = 0;
    take(unrolled, UNROLLED);
    machine_index_take(&machine, LOAD, BACK, ops, begin(ops, 4), positions);
    for (uint32_t iteration = 0; iteration < 4; iteration++) {
        const issue_op *of = ops + iteration * INSTRS;
        ck_assert_uint_eq(of[LOAD].issues, 1);
        ck_assert_uint_eq(of[SUM].issues, 1);
        shared += of[COUNT].issues + of[COMPARE].issues;
        for (uint32_t pc = 0; pc < INSTRS; pc++) stall += of[pc].stall;
    }
    ck_assert_uint_eq(shared, 2); // one of each for four iterations
    uint32_t whole = 4 * 1 + 4 * 4 + 2 + 13 + 5;
    ck_assert_uint_ge(stall, whole - 2);
    ck_assert_uint_le(stall, whole + 2);
}

// Reads of the copies are shared out to the iterations, as they are read behind each other and
// alone.
KL_TEST(operations_read_the_registers_of_their_copies) {
    sim_machine_op reading[UNROLLED];
    issue_op ops[4 * INSTRS];
    uint32_t positions[4 * INSTRS], sums[2][SIM_REGISTER_BANKS] = {{0}};
    memcpy(reading, unrolled, sizeof reading);
    for (uint32_t i = 0, sum = 0; i < UNROLLED; i++)
        if (reading[i].pc == SUM && reading[i].depth == 1) {
            reading[i].reads[0] = sum++ % 2; // of every second one
            reading[i].reads_alone[0] = 1;
            reading[i].reads_alone[1] = 2;
        }
    take(reading, UNROLLED);
    machine_index_take(&machine, LOAD, BACK, ops, begin(ops, 4), positions);
    for (uint32_t i = 0; i < 4 * INSTRS; i++)
        for (uint32_t bank = 0; bank < SIM_REGISTER_BANKS; bank++) {
            sums[0][bank] += ops[i].reads[bank];
            sums[1][bank] += ops[i].reads_alone[bank];
            ck_assert(ops[i].pc == SUM || ops[i].reads_alone[bank] == 0);
        }
    ck_assert_uint_eq(sums[0][0], 2);
    ck_assert_uint_eq(sums[0][1], 0);
    ck_assert_uint_eq(sums[1][0], 4);
    ck_assert_uint_eq(sums[1][1], 8);
}

KL_TEST(iterations_have_the_order_of_the_machine_code) {
    issue_op ops[4 * INSTRS];
    uint32_t positions[4 * INSTRS];
    take(unrolled, UNROLLED);
    machine_index_take(&machine, LOAD, BACK, ops, begin(ops, 4), positions);
    for (uint32_t iteration = 0; iteration < 4; iteration++) {
        ck_assert_uint_eq(positions[iteration * INSTRS + LOAD], 2 + iteration);
        ck_assert_uint_eq(positions[iteration * INSTRS + SUM], 6 + iteration);
    }
}

// A parameter that ptxas loads once for the sums of all iterations does not pull the first one
// forward.
KL_TEST(what_iterations_share_comes_before_them) {
    static const sim_machine_op shared[] = {
        {.pc = COUNT, .stall = 1}, {.pc = LOAD, .stall = 1},  {.pc = LOAD, .stall = 1},
        {.pc = LOAD, .stall = 1},  {.pc = LOAD, .stall = 1},  {.pc = COUNT, .stall = 4},
        {.pc = COUNT, .stall = 4}, {.pc = COUNT, .stall = 4}, {.pc = COUNT, .stall = 4}};
    issue_op ops[4 * INSTRS];
    uint32_t positions[4 * INSTRS], issues = 0;
    take(shared, sizeof shared / sizeof *shared);
    machine_index_take(&machine, LOAD, BACK, ops, begin(ops, 4), positions);
    for (uint32_t iteration = 0; iteration < 4; iteration++) {
        ck_assert_uint_eq(positions[iteration * INSTRS + LOAD], 2 + iteration);
        ck_assert_uint_eq(positions[iteration * INSTRS + COUNT], 6 + iteration);
        issues += ops[iteration * INSTRS + COUNT].issues;
    }
    ck_assert_uint_eq(issues, 5);
}

// Two loads, each with an instruction of its line that uses what it gives: they wait for it, the
// loads for nothing.
KL_TEST(an_access_has_its_own_place_and_scoreboard) {
    static const sim_machine_op apart[] = {
        {.pc = LOAD, .stall = 1, .accesses = true, .sets = 1 << 2},
        {.pc = LOAD, .stall = 1, .accesses = true, .sets = 1 << 3},
        {.pc = LOAD, .stall = 4, .waits = 1 << 2},
        {.pc = SUM, .stall = 4},
        {.pc = LOAD, .stall = 4, .waits = 1 << 3},
        {.pc = SUM, .stall = 4}};
    issue_op ops[2 * INSTRS];
    uint32_t positions[2 * INSTRS];
    take(apart, sizeof apart / sizeof *apart);
    machine_index_take(&machine, LOAD, BACK, ops, begin(ops, 2), positions);
    for (uint32_t iteration = 0; iteration < 2; iteration++) {
        const issue_op *load = &ops[iteration * INSTRS + LOAD];
        ck_assert_uint_eq(positions[iteration * INSTRS + LOAD], 1 + iteration);
        ck_assert_uint_eq(load->sets, 1u << (2 + iteration));
        ck_assert_uint_eq(load->waits, 0);
        ck_assert_uint_eq(load->issues, 2);
    }
}

// What ptxas merged into others is free; a move that it kept is not.
KL_TEST(what_became_nothing_is_free) {
    static const sim_machine_op merged[] = {{.pc = LOAD, .depth = 0, .stall = 1},
                                            {.pc = SUM, .depth = 0, .stall = 4},
                                            {.pc = COUNT, .depth = 0, .stall = 2},
                                            {.pc = COUNT, .depth = 0, .stall = 2}};
    issue_op ops[INSTRS];
    uint32_t positions[INSTRS];
    begin(ops, 1);
    instrs[COUNT].op = SIM_OP_MOV;
    ops[COUNT].kind = ISSUE_FREE;
    ops[COUNT].issues = 0;
    take(merged, sizeof merged / sizeof *merged);
    machine_index_take(&machine, LOAD, COMPARE, ops, BACK, positions);
    ck_assert_int_eq(ops[COUNT].kind, ISSUE_PLAIN);
    ck_assert_uint_eq(ops[COUNT].issues, 2);
    ck_assert_int_eq(ops[COMPARE].kind, ISSUE_FREE);
    ck_assert_uint_eq(ops[COMPARE].issues, 0);
    ck_assert_uint_eq(positions[COMPARE], 0);
}

// Both became two instructions. No loop is around them, so that these are no copies.
KL_TEST(what_no_loop_surrounds_has_one_copy) {
    static const sim_machine_op straight[] = {{.pc = COUNT, .stall = 2},
                                              {.pc = COUNT, .stall = 2},
                                              {.pc = BACK, .stall = 2},
                                              {.pc = BACK, .stall = 2}};
    issue_op ops[INSTRS];
    uint32_t positions[INSTRS];
    instrs[BACK] = instrs[COUNT];
    instrs[BACK].pc = BACK;
    begin(ops, 1);
    ops[BACK].kind = ISSUE_PLAIN;
    take(straight, sizeof straight / sizeof *straight);
    machine_index_take(&machine, COUNT, BACK, ops + COUNT, BACK + 1 - COUNT, positions);
    ck_assert_uint_eq(ops[COUNT].issues, 2);
    ck_assert_uint_eq(ops[BACK].issues, 2);
}

// A loop behind one instruction, and what ptxas did before it for the loop's counter.
enum { BEFORE, IN_LOOP, IN_SUM, IN_COUNT, IN_BACK, LOOPED };

static uint32_t issues_behind(ptx_type type, const sim_machine_op *ops, uint32_t count) {
    static const uint32_t region_of[LOOPED] = {0, 1, 1, 1, 1};
    sim_instr looped[LOOPED];
    for (uint32_t pc = 0; pc < LOOPED; pc++)
        looped[pc] = (sim_instr){.pc = pc, .guard = SIM_NO_SLOT, .op = SIM_OP_ADD, .type = PTX_S32};
    looped[BEFORE].type = type;
    looped[IN_LOOP].op = SIM_OP_LD;
    looped[IN_LOOP].space = PTX_SPACE_GLOBAL;
    looped[IN_BACK] = (sim_instr){.pc = IN_BACK, .op = SIM_OP_BRA, .target = IN_LOOP};
    function = (sim_function){.code = looped, .code_count = LOOPED};
    take(ops, count);
    ck_assert(machine_index_hoist(&machine, region_of));
    issue_op op = {.pc = BEFORE, .kind = ISSUE_PLAIN, .issues = 1};
    uint32_t position;
    machine_index_take(&machine, BEFORE, BEFORE, &op, 1, &position);
    ck_assert_uint_eq(position, 1);
    return op.issues;
}

// Behind a sum of integers and behind one of floats, of which each copy of a region has one.
static uint32_t issues_before(const sim_machine_op *ops, uint32_t count) {
    uint32_t issues = issues_behind(PTX_S32, ops, count);
    ck_assert_uint_eq(issues_behind(PTX_F32, ops, count), issues);
    return issues;
}

KL_TEST(what_is_done_before_a_loop_counts_before_it) {
    static const sim_machine_op hoisted[] = {{.pc = BEFORE},
                                             {.pc = IN_COUNT},
                                             {.pc = IN_LOOP, .depth = 1, .accesses = true},
                                             {.pc = IN_COUNT, .depth = 1},
                                             {.pc = IN_BACK, .depth = 1, .jumps = true}};
    ck_assert_uint_eq(issues_before(hoisted, sizeof hoisted / sizeof *hoisted), 2);
}

// Turns that are peeled off have the loop's loads, and what lies behind a jump may not be reached.
KL_TEST(what_may_not_be_reached_does_not_count) {
    static const sim_machine_op peeled[] = {{.pc = BEFORE},
                                            {.pc = IN_LOOP, .accesses = true},
                                            {.pc = IN_COUNT},
                                            {.pc = IN_LOOP, .depth = 1, .accesses = true},
                                            {.pc = IN_BACK, .depth = 1, .jumps = true}};
    static const sim_machine_op jumped[] = {{.pc = BEFORE, .jumps = true},
                                            {.pc = IN_COUNT},
                                            {.pc = IN_LOOP, .depth = 1, .accesses = true},
                                            {.pc = IN_BACK, .depth = 1, .jumps = true}};
    ck_assert_uint_eq(issues_before(peeled, sizeof peeled / sizeof *peeled), 1);
    ck_assert_uint_eq(issues_before(jumped, sizeof jumped / sizeof *jumped), 1);
}

KL_TEST(without_machine_code_nothing_changes) {
    issue_op ops[INSTRS];
    uint32_t positions[INSTRS];
    uint32_t count = begin(ops, 1);
    ck_assert(machine_index_make(&machine, &function));
    ck_assert_uint_eq(machine_index_copies(&machine, LOAD, BACK), 1);
    machine_index_take(&machine, LOAD, BACK, ops, count, positions);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_eq(ops[i].issues, 1);
        ck_assert_uint_eq(positions[i], 0);
    }
}

KL_TEST_MAIN("machine")
