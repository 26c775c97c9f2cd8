// SPDX-License-Identifier: MIT
// Protects what the models take from the machine code: instructions for each operation of a loop,
// whose copies are told from what stands before it, and the order of its iterations.
#include <check.h>
#include <string.h>

#include "machine/index.h"
#include "suite.h"

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

static void tear_down(void) {
    machine_index_free(&machine);
}

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

START_TEST(copies_are_counted_inside_the_loop) {
    take(unrolled, UNROLLED);
    ck_assert_uint_eq(machine_index_copies(&machine, LOAD, BACK), 4);
}
END_TEST

START_TEST(a_loop_issues_what_its_iterations_share) {
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
END_TEST

// Reads of the copies are shared out to the iterations, as they are read behind each other and
// alone.
START_TEST(operations_read_the_registers_of_their_copies) {
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
END_TEST

START_TEST(iterations_have_the_order_of_the_machine_code) {
    issue_op ops[4 * INSTRS];
    uint32_t positions[4 * INSTRS];
    take(unrolled, UNROLLED);
    machine_index_take(&machine, LOAD, BACK, ops, begin(ops, 4), positions);
    for (uint32_t iteration = 0; iteration < 4; iteration++) {
        ck_assert_uint_eq(positions[iteration * INSTRS + LOAD], 2 + iteration);
        ck_assert_uint_eq(positions[iteration * INSTRS + SUM], 6 + iteration);
    }
}
END_TEST

// A parameter that ptxas loads once for the sums of all iterations does not pull the first one
// forward.
START_TEST(what_iterations_share_comes_before_them) {
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
END_TEST

// Two loads, each with an instruction of its line that uses what it gives: they wait for it, the
// loads for nothing.
START_TEST(an_access_has_its_own_place_and_scoreboard) {
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
END_TEST

// What ptxas merged into others is free; a move that it kept is not.
START_TEST(what_became_nothing_is_free) {
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
END_TEST

// Both became two instructions. No loop is around them, so that these are no copies.
START_TEST(what_no_loop_surrounds_has_one_copy) {
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
END_TEST

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

START_TEST(what_is_done_before_a_loop_counts_before_it) {
    static const sim_machine_op hoisted[] = {{.pc = BEFORE},
                                             {.pc = IN_COUNT},
                                             {.pc = IN_LOOP, .depth = 1, .accesses = true},
                                             {.pc = IN_COUNT, .depth = 1},
                                             {.pc = IN_BACK, .depth = 1, .jumps = true}};
    ck_assert_uint_eq(issues_before(hoisted, sizeof hoisted / sizeof *hoisted), 2);
}
END_TEST

// Turns that are peeled off have the loop's loads, and what lies behind a jump may not be reached.
START_TEST(what_may_not_be_reached_does_not_count) {
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
END_TEST

START_TEST(without_machine_code_nothing_changes) {
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
END_TEST

KL_TEST_MAIN_WITH("machine code by instruction", set_up, tear_down,
                  copies_are_counted_inside_the_loop, a_loop_issues_what_its_iterations_share,
                  operations_read_the_registers_of_their_copies,
                  iterations_have_the_order_of_the_machine_code,
                  what_iterations_share_comes_before_them,
                  an_access_has_its_own_place_and_scoreboard, what_became_nothing_is_free,
                  what_no_loop_surrounds_has_one_copy, what_is_done_before_a_loop_counts_before_it,
                  what_may_not_be_reached_does_not_count, without_machine_code_nothing_changes)
