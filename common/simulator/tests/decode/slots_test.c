// Protects the sharing of slots: random programs are decoded with and without it and walked side by
// side. Every read that has a defined value must see the same value in both, whatever path a thread
// takes.
#include "decode/support.h"
#include "suite.h"

enum { PROGRAMS = 400, WALKS = 20, STEPS = 300, REGISTERS = 12 };

// ---- Random programs ----------------------------------------------------------------------------

// `$r`, `$d`, `$p`: a random register of 32 bits, 64 bits, a predicate.
static const char *const shapes[] = {
    "add.s32 $r, $r, $r",
    "add.s64 $d, $d, 7",
    "mul.wide.s32 $d, $r, $r",
    "mad.lo.s32 $r, $r, $r, $r",
    "setp.lt.s32 $p, $r, $r",
    "setp.eq.and.s64 $p|$p, $d, $d, !$p",
    "selp.b32 $r, $r, $r, $p",
    "and.pred $p, $p, $p",
    "cvt.u64.u32 $d, $r",
    "cvt.u32.u64 $r, $d",
    "mov.b64 $d, {$r, $r}",
    "mov.b64 {$r, _}, $d",
    "mov.b32 {$h, $h}, $r",
    "mov.u32 $r, 5",
    "ld.shared.u32 $r, [$r+4]",
    "ld.global.v2.u32 {$r, $h}, [$d]",
    "st.global.u32 [$d], $r",
    "st.shared.v2.u32 [$r], {$r, $r}",
    "atom.global.exch.b32 $r, [$d], $r",
    "shfl.sync.down.b32 $r|$p, $r, $r, 31, -1",
    "vote.sync.ballot.b32 $r, $p, -1",
    "call ($r), f, ($r)",
};

static void put_instruction(writer *out, uint32_t labels) {
    uint32_t kind = below(out, 10);
    if (below(out, 6) == 0) put(out, "@%s%%p%u ", below(out, 2) ? "!" : "", below(out, REGISTERS));
    if (kind == 0) {
        put(out, "bra L%u;\n", below(out, labels));
        return;
    }
    if (kind == 1 && below(out, 4) == 0) {
        put(out, "ret;\n");
        return;
    }
    const char *shape = shapes[below(out, sizeof shapes / sizeof shapes[0])];
    for (; *shape; shape++) {
        if (*shape != '$') {
            put(out, "%c", *shape);
            continue;
        }
        shape++;
        put(out, "%%%s%u",
            *shape == 'r'   ? "r"
            : *shape == 'd' ? "rd"
            : *shape == 'h' ? "h"
                            : "p",
            below(out, REGISTERS));
    }
    put(out, ";\n");
}

static void put_program(writer *out, uint64_t seed) {
    writer_begin(out, seed);
    uint32_t labels = 1 + below(out, 8), length = 2 + below(out, 25);
    put(out,
        DECODE_HEADER ".func (.reg .b32 %%o) f (.reg .b32 %%i) { mov.b32 %%o, %%i; ret; }\n"
                      ".entry k() {\n.reg .pred %%p<%d>; .reg .b32 %%r<%d>; .reg .b32 %%h<%d>;\n"
                      ".reg .b64 %%rd<%d>;\n",
        REGISTERS, REGISTERS, REGISTERS, REGISTERS);
    for (uint32_t label = 0; label < labels; label++) {
        for (uint32_t i = 0; i < length; i++) put_instruction(out, labels);
        put(out, "L%u:\n", label);
    }
    for (uint32_t i = 0; i < length; i++) put_instruction(out, labels);
    put(out, "ret;\n}\n");
}

// ---- Walking ------------------------------------------------------------------------------------

typedef struct operand {
    uint32_t slot;
    bool is_write;
} operand;
enum { MAX_OPERANDS = 24 };

static void add_operand(operand *list, uint32_t *count, uint32_t slot, bool is_write) {
    if (slot == SIM_NO_SLOT) return;
    if (*count >= MAX_OPERANDS) ck_abort_msg("too many operands");
    list[(*count)++] = (operand){slot, is_write};
}

// What an instruction reads and writes, from program/instr.h alone.
static uint32_t operands_of(const sim_function *function, const sim_instr *instr, operand *list) {
    uint32_t count = 0;
    bool is_source = instr->op == SIM_OP_ST || instr->op == SIM_OP_PACK;
    add_operand(list, &count, instr->guard, false);
    for (int i = 0; i < 4; i++) add_operand(list, &count, instr->src[i], false);
    if (instr->list != SIM_NO_SLOT)
        for (uint32_t i = 0; i < instr->vector; i++)
            add_operand(list, &count, function->slots[instr->list + i], !is_source);
    if (instr->op == SIM_OP_CALL) {
        const sim_call *call = instr->extra;
        for (uint32_t i = 0; i < call->argument_count; i++)
            add_operand(list, &count, call->arguments[i].slot, false);
        for (uint32_t i = 0; i < call->return_count; i++)
            add_operand(list, &count, call->returns[i].slot, true);
    }
    add_operand(list, &count, instr->dst, true);
    add_operand(list, &count, instr->dst2, true);
    return count;
}

// Values by slot: 0 is "never written on this path".
typedef struct walk {
    const sim_function *kept, *shared;
    uint32_t *kept_values, *shared_values;
    uint32_t next_value;
} walk;

static bool is_fixed(const sim_function *function, uint32_t slot) {
    for (uint32_t i = 0; i < function->constant_count; i++)
        if (function->constants[i].slot == slot) return true;
    return false;
}

static void step(walk *at, uint32_t pc, bool is_on) {
    operand kept[MAX_OPERANDS], shared[MAX_OPERANDS];
    uint32_t count = operands_of(at->kept, &at->kept->code[pc], kept);
    // Plain ifs: a ck_assert that holds costs a system call, and this runs millions of times.
    if (operands_of(at->shared, &at->shared->code[pc], shared) != count)
        ck_abort_msg("pc %u differs", pc);
    for (uint32_t i = 0; i < count; i++) {
        if (kept[i].is_write || is_fixed(at->kept, kept[i].slot)) continue;
        uint32_t wanted = at->kept_values[kept[i].slot];
        if (wanted == 0) continue;
        if (at->shared_values[shared[i].slot] != wanted)
            ck_abort_msg("pc %u, %s: operand %u lost", pc, decode_print(at->kept, pc), i);
    }
    for (uint32_t i = 0; i < count && is_on; i++) {
        if (!kept[i].is_write) continue;
        at->kept_values[kept[i].slot] = at->shared_values[shared[i].slot] = ++at->next_value;
    }
    // Operations that are not plain arithmetic must not overwrite what they read, nor one result
    // another.
    const sim_instr *instr = &at->kept->code[pc];
    bool is_plain = instr->op < SIM_OP_LD && instr->op != SIM_OP_PACK &&
                    instr->op != SIM_OP_UNPACK && instr->dst2 == SIM_NO_SLOT;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            bool reads_and_writes = kept[i].is_write != kept[k].is_write;
            if (reads_and_writes && is_plain) continue;
            if (kept[i].slot == kept[k].slot) continue;
            if (!kept[i].is_write && !kept[k].is_write) continue;
            if (shared[i].slot == shared[k].slot)
                ck_abort_msg("pc %u, %s: operands %u and %u share", pc, decode_print(at->kept, pc),
                             i, k);
        }
}

static void walk_once(const sim_function *kept, const sim_function *shared, uint64_t *state) {
    walk at = {.kept = kept, .shared = shared};
    at.kept_values = calloc(kept->frame_bytes + 1, sizeof *at.kept_values);
    at.shared_values = calloc(shared->frame_bytes + 1, sizeof *at.shared_values);
    uint32_t pc = 0;
    for (int i = 0; i < STEPS; i++) {
        const sim_instr *instr = &kept->code[pc];
        bool is_on = instr->guard == SIM_NO_SLOT || random_bits(state) >> 63;
        step(&at, pc, is_on);
        if (is_on && instr->op == SIM_OP_RET) break;
        pc = is_on && instr->op == SIM_OP_BRA ? instr->target : pc + 1;
    }
    free(at.kept_values);
    free(at.shared_values);
}

KL_TEST(random_programs) {
    static writer out;
    uint64_t state = 99, kept_bytes = 0, shared_bytes = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        put_program(&out, seed);
        sim_program *kept = decode_kept(out.text), *shared = decode_text(out.text);
        const sim_function *a = sim_program_find(kept, "k"), *b = sim_program_find(shared, "k");
        ck_assert_uint_eq(a->code_count, b->code_count);
        ck_assert_uint_le(b->frame_bytes, a->frame_bytes);
        kept_bytes += a->frame_bytes;
        shared_bytes += b->frame_bytes;
        for (int i = 0; i < WALKS; i++) walk_once(a, b, &state);
    }
    ck_assert_uint_lt(shared_bytes, kept_bytes); // otherwise nothing was tested
}

// ---- By hand ------------------------------------------------------------------------------------

KL_TEST(long_straight_code_stays_small) {
    static writer out;
    writer_begin(&out, 0);
    put(&out, DECODE_HEADER ".entry k() { .reg .b32 %%r<1001>;\nmov.u32 %%r0, 1;\n");
    for (int i = 1; i <= 1000; i++) put(&out, "add.s32 %%r%d, %%r%d, 1;\n", i, i - 1);
    put(&out, "st.local.u32 [0], %%r1000; ret; }\n");
    sim_program *program = decode_text(out.text);
    // One register slot, two constants: 1 and the address's 0.
    ck_assert_uint_le(sim_program_find(program, "k")->frame_bytes, 128 + 128 + 256 + 64);
}

KL_TEST(widths_do_not_overlap) {
    sim_program *program = decode_text(
        DECODE_HEADER
        ".entry k() { .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "setp.eq.s32 %p1, %r1, %r2; cvt.u64.u32 %rd1, %r1; add.s64 %rd2, %rd1, 1;\n"
        "cvt.u32.u64 %r3, %rd2; @%p1 add.s32 %r4, %r3, %r2; st.global.u32 [%rd2], %r4;\n"
        "ret; }");
    const sim_function *function = sim_program_find(program, "k");
    uint32_t predicate = decode_first(function, SIM_OP_SETP)->dst;
    uint32_t wide = decode_first(function, SIM_OP_CVT)->dst;
    uint32_t narrow = decode_first(function, SIM_OP_SETP)->src[0];
    ck_assert_uint_lt(predicate + 4, narrow + 1);
    ck_assert_uint_le(narrow + 128, wide);
    ck_assert_uint_eq(narrow % 64, 0);
    ck_assert_uint_eq(wide % 64, 0);
    ck_assert_uint_le(wide + 256, function->frame_bytes);
}

KL_TEST(guarded_writes_do_not_end_a_life) {
    // %r1 must survive the guarded write of %r2, which is read where the guard was off
    sim_program *program = decode_text(
        DECODE_HEADER ".entry k() { .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<2>;\n"
                      "mov.u32 %r2, 1; mov.u32 %r1, 2; st.shared.u32 [%r1], %r1;\n"
                      "@%p1 mov.u32 %r2, 3; st.shared.u32 [%r2], %r2; ret; }");
    const sim_function *function = sim_program_find(program, "k");
    ck_assert_uint_eq(function->code[0].dst, function->code[3].dst);
    ck_assert_uint_ne(function->code[0].dst, function->code[1].dst);
}

KL_TEST(call_scratch_is_reused_by_size) {
    sim_program *program = decode_text(
        DECODE_HEADER
        ".func f(.param .b32 a, .param .b64 b) { ret; }\n"
        ".entry k() { .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
        "{ .param .b32 x; .param .b64 y; st.param.b32 [x], %r1; st.param.b64 [y], %rd1;\n"
        "call f, (x, y); }\n"
        "{ .param .b32 z; .param .b64 w; call f, (z, w); } ret; }");
    const sim_function *function = sim_program_find(program, "k");
    const sim_call *calls[2];
    uint32_t count = 0;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        if (function->code[pc].op == SIM_OP_CALL) calls[count++] = function->code[pc].extra;
    ck_assert_uint_eq(count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(calls[0]->arguments[i].slot, calls[1]->arguments[i].slot);
        ck_assert_uint_eq(calls[0]->arguments[i].size_bytes, i ? 8 : 4);
    }
    ck_assert_uint_ne(calls[0]->arguments[0].slot, calls[0]->arguments[1].slot);
}

KL_TEST(constants_are_shared_by_width_and_bits) {
    sim_program *program = decode_text(
        DECODE_HEADER
        ".entry k() { .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>;\n"
        "add.s32 %r1, %r2, -1; add.u32 %r1, %r1, 0xFFFFFFFF; add.s64 %rd1, %rd2, -1;\n"
        "add.f32 %f1, %f2, 0fFFFFFFFF; st.shared.f32 [%r1], %f1; st.global.u64 [%rd1], -1;\n"
        "ret; }");
    const sim_function *function = sim_program_find(program, "k");
    ck_assert_uint_eq(function->constant_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const sim_constant *constant = &function->constants[i];
        ck_assert(constant->bytes == 4 || constant->bytes == 8);
        ck_assert_uint_eq(constant->value, constant->bytes == 4 ? UINT32_MAX : UINT64_MAX);
    }
}

KL_TEST_MAIN("decode_slots")
