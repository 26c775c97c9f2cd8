// Protects what belongs to a whole module: addresses and initial values, parameters, shared layout,
// the call graph, scopes of names and labels, lines, and the errors that name what is missing.
#include "decode/support.h"
#include "suite.h"

#define REGISTERS ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<9>;\n"

static const sim_function *find(const sim_program *program, const char *name) {
    const sim_function *function = sim_program_find(program, name);
    ck_assert_msg(function, "no function %s", name);
    return function;
}

// The constant in an operand slot, or stops the test.
static uint64_t constant(const sim_function *function, uint32_t slot) {
    for (uint32_t i = 0; i < function->constant_count; i++)
        if (function->constants[i].slot == slot) return function->constants[i].value;
    ck_abort_msg("slot %u is not a constant", slot);
    return 0;
}

// ---- Variables ----------------------------------------------------------------------------------

typedef struct memory {
    uint8_t bytes[8192];
    uint64_t written;
} memory;

static sim_status write_memory(void *context, uint64_t address, const void *source, uint64_t bytes,
                               kl_error *err) {
    memory *to = context;
    ck_assert_uint_ge(address, SIM_DUMP_BASE);
    ck_assert_uint_le(address - SIM_DUMP_BASE + bytes, sizeof to->bytes);
    memcpy(to->bytes + (address - SIM_DUMP_BASE), source, bytes);
    to->written += bytes;
    (void)err;
    return SIM_OK;
}

static uint64_t word_at(const memory *from, const sim_program *program, const char *name,
                        uint64_t offset) {
    uint64_t value;
    const sim_symbol *symbol = sim_program_symbol(program, name);
    ck_assert_ptr_nonnull(symbol);
    memcpy(&value, from->bytes + (symbol->address - SIM_DUMP_BASE) + offset, sizeof value);
    return value;
}

KL_TEST(initial_values) {
    sim_program *program = decode_text(
        DECODE_HEADER ".global .align 4 .b8 data[16] = {1, 2, 3};\n"
                      ".global .align 8 .u64 pointers[3] = {data+4, generic(data), f};\n"
                      ".const .align 8 .b8 zero[8];\n.global .align 4 .f32 pi = 0f40490FDB;\n"
                      ".extern .global .align 4 .u32 elsewhere;\n"
                      ".func g() { ret; }\n.func f() { ret; }\n");
    static memory to;
    memset(&to, 0xAA, sizeof to);
    to.written = 0;
    kl_error err = {0};
    ck_assert_int_eq(sim_program_initialise(program, write_memory, &to, &err), SIM_OK);
    ck_assert_uint_eq(to.written, 16 + 24 + 8 + 4);
    uint64_t data = sim_program_symbol(program, "data")->address;
    ck_assert_uint_eq(word_at(&to, program, "data", 0), 0x030201);
    ck_assert_uint_eq(word_at(&to, program, "pointers", 0), data + 4);
    ck_assert_uint_eq(word_at(&to, program, "pointers", 8), data);
    ck_assert_uint_eq(word_at(&to, program, "pointers", 16), sim_function_address(1));
    ck_assert_uint_eq(word_at(&to, program, "zero", 0), 0);
    ck_assert_uint_eq((uint32_t)word_at(&to, program, "pi", 0), 0x40490FDB);
    ck_assert_ptr_null(sim_program_symbol(program, "nothing"));
    ck_assert_ptr_null(sim_program_find(program, "nothing"));
}

KL_TEST(extern_variables_fail_where_they_are_used) {
    decode_text(DECODE_HEADER ".extern .global .u32 x[];\n.entry k() { ret; }");
    decode_text(DECODE_HEADER ".extern .global .u32 x;\n.entry k() { " REGISTERS
                              "ld.global.u32 %r1, [x]; ret; }");
    decode_refuses(DECODE_HEADER ".extern .global .u32 x[];\n.entry k() { " REGISTERS
                                 "ld.global.u32 %r1, [x]; ret; }",
                   "'x' is extern and no module defines it");
}

KL_TEST(declared_then_defined_is_one_symbol) {
    sim_program *program =
        decode_text(DECODE_HEADER ".extern .global .u32 x;\n"
                                  ".visible .global .u32 x = 5;\n.entry k() { " REGISTERS
                                  "mov.u64 %rd1, x; ret; }");
    ck_assert_uint_eq(program->symbol_count, 1);
    ck_assert_uint_eq(constant(find(program, "k"), find(program, "k")->code[0].src[0]),
                      sim_program_symbol(program, "x")->address);
}

KL_TEST(entry_parameters) {
    sim_program *program = decode_text(
        DECODE_HEADER
        ".entry k(.param .u32 a, .param .u64 b, .param .u8 c, .param .align 16 .b8 d[20],\n"
        ".param .u16 e) .maxntid 256, 2, 1 .minnctapersm 3 { " REGISTERS
        "ld.param.u16 %r1, [e]; ld.param.u32 %r2, [d+16]; ret; }");
    const sim_function *function = find(program, "k");
    static const sim_entry_param wanted[] = {
        {0, 4, 4}, {8, 8, 8}, {16, 1, 1}, {32, 20, 16}, {52, 2, 2}};
    ck_assert_uint_eq(function->entry_param_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(function->entry_params[i].offset, wanted[i].offset);
        ck_assert_uint_eq(function->entry_params[i].size_bytes, wanted[i].size_bytes);
        ck_assert_uint_eq(function->entry_params[i].align_bytes, wanted[i].align_bytes);
    }
    ck_assert_uint_eq(function->entry_param_bytes, 54);
    ck_assert_int_eq(function->code[0].offset, 52);
    ck_assert_int_eq(function->code[1].offset, 48);
    ck_assert_uint_eq(function->max_threads[0], 256);
    ck_assert_uint_eq(function->max_threads[1], 2);
    ck_assert_uint_eq(function->min_blocks, 3);
    decode_refuses(DECODE_HEADER ".entry k(.param .u32 a) { " REGISTERS
                                 "ld.param.u64 %rd1, [a]; ret; }",
                   "outside the parameters");
}

// ---- Shared memory ------------------------------------------------------------------------------

KL_TEST(shared_layout_by_kernel) {
    sim_program *program = decode_text(
        DECODE_HEADER ".shared .align 1 .b8 both[3];\n.extern .shared .align 32 .b8 dynamic[];\n"
                      ".func f() { .shared .align 4 .b8 own[20];\n" REGISTERS
                      "mov.u32 %r1, own; mov.u32 %r2, dynamic; ret; }\n"
                      ".entry one() { .shared .align 8 .b8 mine[8];\n" REGISTERS
                      "mov.u32 %r1, both; mov.u32 %r2, mine; call f; ret; }\n"
                      ".entry two() { " REGISTERS "mov.u32 %r1, both; call f; ret; }\n"
                      ".entry three() { " REGISTERS
                      "mov.u32 %r1, both; mov.u32 %r2, dynamic; ret; }\n"
                      ".entry four() { .shared .b8 unused[100]; ret; }\n");
    ck_assert_uint_eq(sim_program_symbol(program, "both")->address, 0);
    ck_assert_uint_eq(sim_program_symbol(program, "own")->address, 4);
    ck_assert_uint_eq(sim_program_symbol(program, "mine")->address, 24);
    ck_assert_uint_eq(find(program, "one")->shared_bytes, 32);
    ck_assert_uint_eq(find(program, "two")->shared_bytes, 32);
    ck_assert_uint_eq(find(program, "three")->shared_bytes, 16);
    ck_assert_uint_eq(find(program, "four")->shared_bytes, 112);
    // f holds the dynamic offset of its callers as a constant; three has its own
    const sim_function *f = find(program, "f"), *three = find(program, "three");
    ck_assert_uint_eq(constant(f, f->code[1].src[0]), 32);
    ck_assert_uint_eq(find(program, "one")->dynamic_shared_offset, 32);
    ck_assert_uint_eq(find(program, "two")->dynamic_shared_offset, 32);
    ck_assert_uint_eq(constant(three, three->code[1].src[0]), 32);
    ck_assert_uint_eq(three->dynamic_shared_offset, 32);
}

// ---- Calls --------------------------------------------------------------------------------------

KL_TEST(properties_spread_over_calls) {
    sim_program *program = decode_text(
        DECODE_HEADER ".global .align 8 .u64 table = pointed;\n"
                      ".func pointed() { membar.gl; ret; }\n"
                      ".func leaf() { " REGISTERS
                      "atom.global.add.u32 %r1, [%rd1], 1; bar.sync 0; ret; }\n"
                      ".func middle() { call leaf; ret; }\n"
                      ".func recursive() { call recursive; ret; }\n"
                      ".entry a() { call middle; ret; }\n"
                      ".entry b() { call recursive; ret; }\n"
                      ".entry c() { " REGISTERS "p: .callprototype () _ (); call %rd1, p; ret; }\n"
                      ".entry d() { " REGISTERS "ld.volatile.shared.u32 %r1, [%r2]; membar.cta;\n"
                      "atom.shared.add.u32 %r1, [%r2], 1; ret; }\n"
                      ".entry e() { " REGISTERS "ld.volatile.u32 %r1, [%rd2]; ret; }\n");
    static const struct {
        const char *name;
        bool orders_blocks, has_barrier;
    } wanted[] = {{"leaf", true, true}, {"middle", true, true}, {"recursive", false, false},
                  {"a", true, true},    {"b", false, false},    {"c", true, false},
                  {"d", false, false},  {"e", true, false}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const sim_function *function = find(program, wanted[i].name);
        ck_assert_msg(function->orders_blocks == wanted[i].orders_blocks, "%s", wanted[i].name);
        ck_assert_msg(function->has_barrier == wanted[i].has_barrier, "%s", wanted[i].name);
    }
}

KL_TEST(call_sequence) {
    sim_program *program = decode_text(
        DECODE_HEADER
        ".func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 y[16]) { " REGISTERS
        "ld.param.u32 %r1, [x]; ld.param.u64 %rd1, [y+8]; st.param.b32 [r], %r1; ret; }\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".entry k() { " REGISTERS "{ .param .b32 p0; st.param.b32 [p0], %r1;\n"
        ".param .align 8 .b8 p1[16]; st.param.b64 [p1+8], %rd1; .param .b32 ret0;\n"
        "call.uni (ret0), f, (p0, p1); ld.param.b32 %r2, [ret0]; }\n"
        "{ .param .b64 p0; .param .b64 p1; .param .b32 ret0;\n"
        "call.uni (ret0), vprintf, (p0, p1); } ret; }");
    const sim_function *f = find(program, "f"), *k = find(program, "k");
    ck_assert_uint_eq(f->param_count, 2);
    ck_assert_uint_eq(f->params[1].size_bytes, 16);
    ck_assert_uint_eq(f->return_count, 1);
    ck_assert_uint_eq(f->code[1].src[0], f->params[1].slot);
    ck_assert_int_eq(f->code[1].offset, 8);
    ck_assert_uint_eq(f->code[1].target, 16);
    ck_assert(f->code[1].mods & SIM_MOD_FRAME);
    ck_assert_uint_eq(f->code[2].src[0], f->returns[0].slot);
    const sim_call *call = k->code[2].extra;
    ck_assert_uint_eq(k->code[2].op, SIM_OP_CALL);
    ck_assert_uint_eq(k->code[2].target, 0);
    ck_assert_uint_eq(call->arguments[0].slot, k->code[0].src[0]);
    ck_assert_uint_eq(call->arguments[1].slot, k->code[1].src[0]);
    ck_assert_uint_eq(call->returns[0].slot, k->code[3].src[0]);
    ck_assert(!call->is_builtin);
    call = k->code[4].extra;
    ck_assert(call->is_builtin);
    ck_assert_str_eq(call->name, "vprintf");
}

KL_TEST(local_memory) {
    sim_program *program = decode_text(
        DECODE_HEADER ".func (.param .b32 r) f(.param .align 4 .b8 x[8], .param .b32 i) {\n"
                      ".local .align 16 .b8 depot[20];\n" REGISTERS
                      "mov.u64 %rd1, depot; mov.u64 %rd2, depot+4; mov.b64 %rd3, x;\n"
                      "ld.param.u32 %r1, [x+4]; ld.local.u32 %r2, [depot+8]; ret; }\n"
                      ".entry k() { .local .align 4 .b8 depot[6];\n" REGISTERS
                      "mov.u64 %rd1, depot; ret; }");
    const sim_function *f = find(program, "f"), *k = find(program, "k");
    ck_assert_uint_ne(f->local_base_slot, SIM_NO_SLOT);
    ck_assert_uint_eq(k->local_base_slot, SIM_NO_SLOT);
    ck_assert_uint_eq(k->local_bytes, 16);
    ck_assert_uint_eq(f->local_bytes, 48); // the parameter whose address is taken, then the depot
    // two 4-byte pieces of x are copied first
    ck_assert_uint_eq(f->code[0].op, SIM_OP_LD);
    ck_assert_uint_eq(f->code[3].op, SIM_OP_ST);
    ck_assert_int_eq(f->code[3].offset, 4);
    ck_assert_uint_eq(f->code[3].src[0], f->local_base_slot);
    ck_assert_uint_eq(f->code[4].op, SIM_OP_ADD); // depot lies at 16
    ck_assert_uint_eq(f->code[4].src[0], f->local_base_slot);
    ck_assert_uint_eq(constant(f, f->code[4].src[1]), 16);
    ck_assert_uint_eq(constant(f, f->code[5].src[1]), 20);
    ck_assert_uint_eq(f->code[6].op, SIM_OP_MOV); // x lies at 0
    ck_assert_uint_eq(f->code[7].space, PTX_SPACE_LOCAL);
    ck_assert_int_eq(f->code[7].offset, 4);
    ck_assert_int_eq(f->code[8].offset, 24);
}

KL_TEST(aliases_and_duplicates) {
    sim_program *program =
        decode_text(DECODE_HEADER ".func f() { ret; }\n.func g();\n.alias g, f;\n"
                                  ".entry k() { call g; ret; }");
    ck_assert_uint_eq(find(program, "k")->code[0].target, 0);
    decode_refuses(DECODE_HEADER ".func f() { ret; }\n.func f() { ret; }", "'f' is defined twice");
    decode_refuses(DECODE_HEADER ".func g();\n.entry k() { call g; ret; }", "'g' has no body");
}

// ---- Names --------------------------------------------------------------------------------------

KL_TEST(scopes_hide_and_end) {
    // the inner %r1 and the inner range are other registers; afterwards the outer ones are back
    sim_program *program =
        decode_kept(DECODE_HEADER ".entry k() { .reg .b32 %r<4>; mov.u32 %r1, 1;\n"
                                  "{ .reg .b32 %r1; mov.u32 %r1, 2; mov.u32 %r2, 3; }\n"
                                  "{ .reg .b32 %r<2>; mov.u32 %r1, 4; mov.u32 %r2, 5; }\n"
                                  "mov.u32 %r1, 6; ret; }");
    const sim_function *k = find(program, "k");
    ck_assert_uint_eq(k->code[0].dst, k->code[5].dst);
    ck_assert_uint_eq(k->code[2].dst, k->code[4].dst); // %r2 is always the outer one
    ck_assert_uint_ne(k->code[0].dst, k->code[1].dst);
    ck_assert_uint_ne(k->code[0].dst, k->code[3].dst);
    ck_assert_uint_ne(k->code[1].dst, k->code[3].dst);
    decode_refuses(DECODE_HEADER ".entry k() { { .reg .b32 x; } mov.u32 x, 1; ret; }",
                   "'x' is not declared");
}

KL_TEST(labels_belong_to_scopes) {
    sim_program *program =
        decode_text(DECODE_HEADER ".entry k() { " REGISTERS "{ L: mov.u32 %r1, 1; @%p1 bra L; }\n"
                                  "{ L: mov.u32 %r2, 1; @%p1 bra L; bra OUT; }\nOUT: }");
    const sim_function *k = find(program, "k");
    ck_assert_uint_eq(k->code[1].target, 0);
    ck_assert_uint_eq(k->code[3].target, 2);
    ck_assert_uint_eq(k->code[4].target, 5);
    ck_assert_uint_eq(k->code[5].op, SIM_OP_RET); // added: a label needs an instruction
    decode_refuses(DECODE_HEADER ".entry k() { L: ret; L: ret; }", "label 'L' is defined twice");
    decode_refuses(DECODE_HEADER ".entry k() { bra L; { L: ret; } }", "label 'L' is not defined");
}

KL_TEST(empty_functions_return) {
    sim_program *program = decode_text(DECODE_HEADER ".entry k() { }");
    ck_assert_uint_eq(find(program, "k")->code_count, 1);
    ck_assert_uint_eq(find(program, "k")->code[0].op, SIM_OP_RET);
}

KL_TEST(errors_show_the_line) {
    kl_error err = {0};
    ck_assert_ptr_null(decode_try(DECODE_HEADER ".entry k() {\n .reg .b32 %r<4>;\n"
                                                "  @%p9 tcgen05.fence.sync.aligned;\n ret; }",
                                  false, &err));
    ck_assert_int_eq(err.status, SIM_UNSUPPORTED);
    KL_HAS(err.text, "line 6", "tcgen05.fence.sync.aligned;", "^");
}

KL_TEST(targets_are_told_apart) {
    static const char body[] = "\n.address_size 64\n.entry k() { .reg .b32 r; .reg .b64 d; ";
    static const struct {
        const char *target, *instruction, *message;
    } rows[] = {
        {"sm_120a", "tcgen05.fence::after_thread_sync;",
         "needs sm_100a or another target of its family; this build targets sm_120a"},
        {"sm_103a", "tcgen05.mma.cta_group::1.kind::i8 [r], d, d, r, 1;",
         "needs sm_100a or another target of its family; this build targets sm_103a"},
        {"sm_100", "tcgen05.fence::after_thread_sync;", "needs PTX 8.6 and sm_100a"},
        {"sm_100a", "wgmma.fence.sync.aligned;",
         "needs sm_90a, and no later target has it; this build targets sm_100a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, ".version 9.0\n.target %s%s%s }", rows[i].target, body,
                 rows[i].instruction);
        decode_refuses(text, rows[i].message);
    }
}

// ---- Lines --------------------------------------------------------------------------------------

static void check_line(const sim_program *program, const sim_function *function, uint32_t pc,
                       const char *file, uint32_t line) {
    const sim_location *at = &function->locations[function->code[pc].location];
    ck_assert_uint_eq(at->line, line);
    if (line) ck_assert_str_eq(program->files[at->file], file);
}

KL_TEST(lines_of_the_user) {
    sim_program *program = decode_text(
        DECODE_HEADER ".entry k() { " REGISTERS "mov.u32 %r1, 0;\n"
                      ".loc 1 10 3\nmov.u32 %r1, 1;\nmov.u32 %r1, 2;\n"
                      ".loc 2 55 1, function_name $n, inlined_at 1 10 3\nmov.u32 %r1, 3;\n"
                      ".loc 1 20 5\nmov.u32 %r1, 4;\n"
                      ".loc 3 7 1, function_name $n, inlined_at 1 20 5\nmov.u32 %r1, 5;\n"
                      ".loc 2 66 1, function_name $n, inlined_at 3 7 1\nmov.u32 %r1, 6;\n"
                      ".loc 2 77 1\nret; }\n"
                      ".file 1 \"/home/me/k.cu\"\n"
                      ".file 2 \"/opt/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp\"\n"
                      ".file 3 \"/home/me/tests/more/../../sum.cuh\"\n"
                      ".section .debug_str { $n: .b8 102, 0 }\n");
    const sim_function *k = find(program, "k");
    check_line(program, k, 0, "", 0);
    check_line(program, k, 1, "/home/me/k.cu", 10);
    check_line(program, k, 2, "/home/me/k.cu", 10);
    check_line(program, k, 3, "/home/me/k.cu", 10); // from a header of the toolkit
    check_line(program, k, 4, "/home/me/k.cu", 20);
    check_line(program, k, 5, "/home/me/sum.cuh", 7); // a function of the user's own
    check_line(program, k, 6, "/home/me/sum.cuh", 7); // a header's function called from there
    check_line(program, k, 7, "/opt/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp", 77);
}

KL_TEST_MAIN("decode_program")
