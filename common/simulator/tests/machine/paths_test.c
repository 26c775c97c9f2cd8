// Protects the number of machine instructions that a launch executes: from the counts of the PTX
// where the branches of both codes are one for one, and not at all where they could be laid beside
// each other in another way, too.
#include "machine/machine.h"
#include "suite.h"

enum {
    MOVE = 0x202,
    LDG = 0x981,
    STG = 0x986,
    BRA = 0x947,
    EXIT = 0x94D,
    BSSY = 0x945,
    BSYNC = 0x941,
    IF_P0 = 0
};

enum { MAX = 16 }; // instructions of a kernel here

typedef struct machine_code {
    uint64_t words[MAX][2];
    uint32_t count;
} machine_code;

static void emit(machine_code *code, uint16_t operation, uint32_t predicate) {
    code->words[code->count++][0] = operation | predicate << 12;
}

// A branch, to `distance` instructions behind the one that follows it.
static void emit_branch(machine_code *code, uint32_t predicate, int32_t distance) {
    uint32_t at = code->count++, units = 4 * (uint32_t)distance;
    code->words[at][0] = BRA | predicate << 12 | (uint64_t)(units & 0xFF) << 16 |
                         (uint64_t)((units >> 8) << 2) << 32;
    code->words[at][1] = 7 << 23;
}

static void emit_all(machine_code *code, const uint16_t *operations, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) emit(code, operations[i], SIM_MACHINE_ALWAYS);
}
#define EMIT(code, ...)                                                                            \
    emit_all(code, (const uint16_t[]){__VA_ARGS__},                                                \
             sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

static sim_instr plain_of(uint16_t op) {
    return (sim_instr){.op = op, .guard = SIM_NO_SLOT, .space = PTX_SPACE_GLOBAL};
}
static sim_instr branch_to(uint32_t guard, uint32_t target, uint32_t reconverge) {
    return (sim_instr){
        .op = SIM_OP_BRA, .guard = guard, .target = target, .reconverge = reconverge};
}

// Machine instructions of a launch whose warps execute each PTX instruction counts[pc] times, and
// split `divergent` times at the branch; UINT64_MAX: not known.
static uint64_t weigh(sim_instr *instrs, uint32_t count, const machine_code *code,
                      const uint64_t *counts, uint64_t divergent) {
    sim_function paths = {.code = instrs, .code_count = count};
    sim_cubin_kernel kernel = {.code = (const uint8_t *)code->words,
                               .code_bytes = 16 * (size_t)code->count};
    sim_arena *arena = sim_arena_new(1 << 16);
    sim_machine_keep(arena, &paths, &kernel);
    sim_machine_weigh(arena, &paths);
    ck_assert_ptr_null(paths.machine_code);
    int64_t sum = paths.machine_weights ? 0 : -1;
    for (uint32_t pc = 0; paths.machine_weights && pc < count; pc++) {
        sum += paths.machine_weights[pc].executed * (int64_t)counts[pc];
        if (instrs[pc].op == SIM_OP_BRA)
            sum += paths.machine_weights[pc].divergent * (int64_t)divergent;
    }
    sim_arena_free(arena);
    return (uint64_t)sum;
}

KL_TEST(a_guard_ends_warps) {
    // @p bra 3; ld; st; ret
    sim_instr ptx[] = {branch_to(0, 3, 3), plain_of(SIM_OP_LD), plain_of(SIM_OP_ST),
                       plain_of(SIM_OP_RET)};
    machine_code code = {.count = 0};
    EMIT(&code, MOVE, MOVE);
    emit(&code, EXIT, IF_P0);
    EMIT(&code, LDG, MOVE, MOVE, STG, EXIT);
    ck_assert_uint_eq(weigh(ptx, 4, &code, (uint64_t[]){10, 7, 7, 10}, 0), 10 * 3 + 7 * 5);
}

KL_TEST(a_branch_may_be_predicates) {
    sim_instr ptx[] = {branch_to(0, 3, 3), plain_of(SIM_OP_LD), plain_of(SIM_OP_ST),
                       plain_of(SIM_OP_RET)};
    machine_code code = {.count = 0};
    EMIT(&code, MOVE);
    emit(&code, LDG, IF_P0);
    emit(&code, STG, IF_P0);
    EMIT(&code, EXIT);
    ck_assert_uint_eq(weigh(ptx, 4, &code, (uint64_t[]){10, 7, 7, 10}, 0), 40);
}

// if (p) load; else store; and what follows, which lanes reach together behind a BSYNC.
static sim_instr sides[] = {{.op = SIM_OP_BRA, .guard = 0, .target = 3, .reconverge = 4},
                            {.op = SIM_OP_LD, .guard = SIM_NO_SLOT, .space = PTX_SPACE_GLOBAL},
                            {.op = SIM_OP_BRA, .guard = SIM_NO_SLOT, .target = 4},
                            {.op = SIM_OP_ST, .guard = SIM_NO_SLOT, .space = PTX_SPACE_GLOBAL},
                            {.op = SIM_OP_RET, .guard = SIM_NO_SLOT}};
// Of 10 warps 4 load only, 3 store only, 3 do both.
static const uint64_t of_sides[] = {10, 7, 7, 6, 10};

KL_TEST(lanes_meet_behind_both_sides) {
    machine_code code = {.count = 0};
    EMIT(&code, BSSY);
    emit_branch(&code, IF_P0, 2); // to the load: the other way round than in the PTX
    EMIT(&code, STG);
    emit_branch(&code, SIM_MACHINE_ALWAYS, 2);
    EMIT(&code, LDG, MOVE, BSYNC, MOVE, EXIT);
    // each side comes to the BSYNC on its own
    ck_assert_uint_eq(weigh(sides, 5, &code, of_sides, 3), 10 * 2 + 6 * 3 + 7 * 3 + 10 * 2);
}

KL_TEST(sides_that_end_apart_do_not_meet) {
    machine_code code = {.count = 0};
    emit_branch(&code, IF_P0, 3);
    EMIT(&code, LDG, MOVE, EXIT, STG, EXIT);
    ck_assert_uint_eq(weigh(sides, 5, &code, of_sides, 3), 10 + 7 * 3 + 6 * 2);
}

KL_TEST(what_is_not_certain_is_not_told) {
    sim_instr alike[sizeof sides / sizeof *sides];
    memcpy(alike, sides, sizeof sides);
    alike[3].op = SIM_OP_LD; // either side may be either
    machine_code code = {.count = 0}, loop = {.count = 0}, calls = {.count = 0};
    emit_branch(&code, IF_P0, 3);
    EMIT(&code, LDG, MOVE, EXIT, LDG, EXIT);
    ck_assert_uint_eq(weigh(alike, 5, &code, of_sides, 3), UINT64_MAX);
    emit_branch(&loop, IF_P0, 3);
    EMIT(&loop, LDG, EXIT, MOVE, STG);
    emit_branch(&loop, IF_P0, -2);
    EMIT(&loop, EXIT);
    ck_assert_uint_eq(weigh(sides, 5, &loop, of_sides, 3), UINT64_MAX);
    emit_branch(&calls, IF_P0, 3);
    EMIT(&calls, LDG, MOVE, EXIT, STG, 0x944, EXIT);
    ck_assert_uint_eq(weigh(sides, 5, &calls, of_sides, 3), UINT64_MAX);
    code.count--; // ends without an end
    ck_assert_uint_eq(weigh(sides, 5, &code, of_sides, 3), UINT64_MAX);
}

KL_TEST_MAIN("paths")
