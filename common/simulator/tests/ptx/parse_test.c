// The parser of PTX.
#include "support/bytes.h"
#include "ptx/ptx.h"
#include "suite.h"

// ---- parse ----
// Protects the parser: trees of every construct (golden dumps), fields that dumps do not show,
// caps, speed. SIM_UPDATE_GOLDEN=1 rewrites the golden files: read the difference before keeping
// it.

// Lines 1 to 3; what follows begins on line 4.
#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static void free_module(void *module) { ptx_module_free(module); }

static ptx_module *parse(const char *text) {
    ptx_module *module;
    kl_error err = {0};
    OK_OR_SAY(ptx_parse(text, strlen(text), &module, &err), err);
    kl_close_later(free_module, module);
    return module;
}

static const char *const golden_names[] = {"declarations", "instructions", "lines"};

KL_TEST_ROWS(golden_trees, 3) {
    char name[64];
    snprintf(name, sizeof name, "%s.ptx", golden_names[_i]);
    test_bytes ptx = read_file(test_path(TEST_GOLDEN, name));
    ptx_module *module = parse((const char *)ptx.data);
    char *dumped = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&dumped, &count);
    ptx_dump_module(module, out);
    fclose(out);
    snprintf(name, sizeof name, "%s.ast", golden_names[_i]);
    if (getenv("SIM_UPDATE_GOLDEN")) {
        FILE *file = fopen(test_path(TEST_GOLDEN, name), "wb");
        ck_assert_ptr_nonnull(file);
        fwrite(dumped, 1, count, file);
        fclose(file);
    }
    test_bytes expected = read_file(test_path(TEST_GOLDEN, name));
    ck_assert_str_eq(dumped, (const char *)expected.data);
    free(dumped);
    bytes_free(&ptx);
    bytes_free(&expected);
}

// Equal names and opcodes share storage: the decoder compares pointers.
KL_TEST(names_are_interned) {
    ptx_module *module = parse(HEAD ".entry k() { add.s32 %a, %b, %a; add.s32 %b, %a, %a; }");
    const ptx_statement *statements = module->functions[0].statements;
    const ptx_instruction *one = statements[0].instruction, *two = statements[1].instruction;
    ck_assert_uint_eq(module->functions[0].statement_count, 2);
    ck_assert_ptr_eq(one->words, two->words);
    ck_assert_str_eq(one->opcode, "add.s32");
    ck_assert_str_eq(one->words[1], "s32");
    ck_assert_ptr_eq(one->operands[0].name, one->operands[2].name);
    ck_assert_ptr_eq(one->operands[1].name, two->operands[0].name);
    ck_assert_uint_eq(two->operands[1].place.line, 4);
    ck_assert_uint_eq(two->operands[1].place.column, 46);
}

KL_TEST(types) {
    ck_assert_uint_eq(ptx_type_bytes(PTX_F64), 8);
    ck_assert_uint_eq(ptx_type_bytes(PTX_PRED), 0);
    ck_assert_uint_eq(ptx_type_bytes((ptx_type)999), 0);
    ck_assert_str_eq(ptx_type_name(PTX_BF16X2), "bf16x2");
    ck_assert_str_eq(ptx_type_name(PTX_TYPE_NONE), "?");
    ck_assert_int_eq(ptx_type_find("b128"), PTX_B128);
    ck_assert_int_eq(ptx_type_find("f128"), PTX_TYPE_NONE);
    for (int type = 1; type < PTX_TYPE_COUNT; type++)
        ck_assert_int_eq(ptx_type_find(ptx_type_name((ptx_type)type)), type);
}

KL_TEST(files_and_functions_of_lines) {
    test_bytes ptx = read_file(test_path(TEST_GOLDEN, "lines.ptx"));
    ptx_module *module = parse((const char *)ptx.data);
    ck_assert_str_eq(ptx_file_name(module, 1), "/home/student/a.cu");
    ck_assert_ptr_null(ptx_file_name(module, 0));
    ck_assert_ptr_null(ptx_file_name(module, 3));
    const ptx_location *inner = module->functions[0].statements[4].location;
    ck_assert_str_eq(ptx_location_function(module, inner), "inner");
    ck_assert_uint_eq(inner->outer->outer->line, 12); // the user's line, two calls up
    ck_assert_ptr_null(inner->outer->outer->outer);
    ptx_location beyond = *inner;
    beyond.function_offset = 12; // the end of .debug_str
    ck_assert_str_eq(ptx_location_function(module, &beyond), "");
    beyond.function_offset = 13;
    ck_assert_ptr_null(ptx_location_function(module, &beyond));
    beyond.function_label = "no such label";
    ck_assert_ptr_null(ptx_location_function(module, &beyond));
    bytes_free(&ptx);
}

// inlined_at looks within its own function only.
KL_TEST(lines_of_other_functions_do_not_count) {
    ptx_module *module = parse(
        HEAD ".entry a() { .loc 1 5 1\n ret; } .entry b() { .loc 2 9 9, inlined_at 1 5 1\n ret; }");
    const ptx_location *location = module->functions[1].statements[0].location;
    ck_assert(location->has_inlined_at);
    ck_assert_ptr_null(location->outer);
}

// Padding that fat binaries leave, and line ends of other systems.
KL_TEST(padding_and_line_ends) {
    static const char text[] = "\r\n.version 9.0\r\n.target sm_80\r\n\0\0\0\0";
    ptx_module *module;
    kl_error err;
    ck_assert_int_eq(ptx_parse(text, sizeof text, &module, &err), SIM_OK);
    ck_assert_uint_eq(module->target, 80);
    ck_assert_uint_eq(module->address_bits, 64);
    ptx_module_free(module);
    ptx_module_free(NULL);
}

// A text of 2 MB, as -G gives for a large file. Quadratic time would run into the time-out of the
// case.
KL_TEST(large_text) {
    test_bytes text = {0};
    bytes_put(&text, HEAD ".entry k() {\n", strlen(HEAD ".entry k() {\n"));
    for (int i = 0; text.count < 2000000; i++) {
        char line[160];
        int count = snprintf(line, sizeof line,
                             ".loc 1 %d 3\n$L__BB0_%d: fma.rn.f32 %%f%d, %%f%d, 0f3F800000, %%f7;\n"
                             "@%%p%d ld.global.v2.f32 {%%f1, %%f%d}, [%%rd%d+16];\n",
                             i, i, i, i + 1, i % 9, i, i);
        bytes_put(&text, line, (size_t)count);
    }
    bytes_put(&text, "}\n", 2);
    kl_error err;
    ptx_module *module;
    OK_OR_SAY(ptx_parse((const char *)text.data, text.count, &module, &err), err);
    ck_assert_uint_gt(module->functions[0].statement_count, 30000);
    ptx_module_free(module);
    bytes_free(&text);
}

// Every prefix of every golden text gives a tree or an error, and no read beyond its end.
KL_TEST_ROWS(truncations, 3) {
    char name[64];
    snprintf(name, sizeof name, "%s.ptx", golden_names[_i]);
    test_bytes ptx = read_file(test_path(TEST_GOLDEN, name));
    uint32_t failures = 0;
    for (size_t count = 0; count <= ptx.count; count++) {
        char *copy = (char *)exact_copy(ptx.data, count);
        kl_error err = {0};
        ptx_module *module;
        sim_status status = ptx_parse(copy, count, &module, &err);
        ck_assert(status == SIM_OK || status == SIM_BAD_PTX);
        ck_assert(status == SIM_OK || err.text[0]);
        failures += status != SIM_OK;
        ptx_module_free(module);
        free(copy);
    }
    ck_assert_uint_gt(failures, ptx.count / 3);
    bytes_free(&ptx);
}

// ---- parse_errors ----
// Protects the parser's messages: each malformed text is refused at the right line and column, with
// the right words.

// A kernel whose first statement is on line 5.
#define BODY HEAD ".entry k() {\n"

static const test_refusal rows[] = {
    // Head of a module.
    {"", 1, 1, "expected .version, with which every PTX module begins, found the end of the text"},
    {".target sm_90", 1, 1, "expected .version"},
    {".version 9\n", 1, 10, "expected a version such as 9.0, found '9'"},
    {".version 9.0.1\n", 1, 13, "expected .target after .version, found '.1'"},
    {".version 9.0\n.entry k() {}", 2, 1, "expected .target after .version, found '.entry'"},
    {".version 9.0\n.target compute_9", 2, 9, "expected a target such as sm_90"},
    {".version 7.9\n", 1, 10, "there is no PTX version 7.9"},
    {".version 7.7\n.target sm_90", 2, 9, "'sm_90' needs PTX 7.8; this module is PTX 7.7"},
    {".version 9.0\n.target sm_90\n.address_size 64\n.address_size 64\n", 4, 1,
     "expected a declaration such as .entry"},
    {".version 9.0\n.target sm_", 2, 9, "expected a target such as sm_90"},
    {".version 9.0\n.target sm_90x", 2, 9, "expected a target such as sm_90"},
    {".version 9.0\n.target sm_90,", 2, 15, "expected a target option such as debug"},
    {".version 9.0\n.target sm_90\n.address_size 32\n", 3, 15, "only .address_size 64"},
    // Declarations.
    {HEAD "foo", 4, 1, "expected a declaration such as .entry, .func or .global, found 'foo'"},
    {HEAD ".visible ;", 4, 10, "expected a declaration such as .entry"},
    {HEAD ".reg .b32 %r;", 4, 1, "expected a declaration such as .entry"},
    {HEAD ".global x;", 4, 9, "expected a type, found 'x'"},
    {HEAD ".global .u33 x;", 4, 9, "expected a type, found '.u33'"},
    {HEAD ".global .u32 .u32 x;", 4, 14, "expected a name, found '.u32'"},
    {HEAD ".global .u32 7;", 4, 14, "expected a name, found '7'"},
    {HEAD ".global .u32 x", 4, 15, "expected ',' or ';' after a declaration, found the end"},
    {HEAD ".global .align 3 .u32 x;", 4, 16, "an alignment must be a power of two"},
    {HEAD ".global .align 2097152 .u32 x;", 4, 16, "beyond the limit"},
    {HEAD ".global .u32 x[4;", 4, 17, "expected ']' after the size of a dimension"},
    {HEAD ".global .u32 x[4][];", 4, 19, "expected the size of the dimension"},
    {HEAD ".global .u32 x[1][1][1][1][1][1][1][1][1];", 4, 40, "more than 8 dimensions"},
    {HEAD ".global .f64 x[9223372036854775807];", 4, 14, "'x' is larger than any memory"},
    {HEAD ".global .b8 x[65536][65536][65536];", 4, 13, "'x' is larger than any memory"},
    {HEAD ".extern .global .u32 x = 4;", 4, 24, "cannot be initialised"},
    {HEAD ".global .attribute .managed .u32 x;", 4, 20, "expected '(' after .attribute"},
    {HEAD ".global .attribute(.managed .u32 x;", 4, 29,
     "expected .managed or .unified, found '.u32'"},
    {HEAD ".global .attribute(.managed x;", 4, 29, "expected ')' at the end of .attribute"},
    {HEAD ".func f(.reg .b32 x<2>) { ret; }", 4, 19, "a parameter is no range of registers"},
    // Initialisers.
    {HEAD ".global .u32 x = ;", 4, 18, "expected a number or the name of a symbol"},
    {HEAD ".global .u32 x[2] = 4;", 4, 21, "expected '{', found '4'"},
    {HEAD ".global .u32 x[2] = {1, 2, 3};", 4, 28, "more values than 'x' has elements"},
    {HEAD ".global .u32 x[2][2] = {{1, 2, 3}};", 4, 32, "more values than 'x' has elements"},
    {HEAD ".global .u32 x[2] = {{1}, {2}};", 4, 22, "more braces than 'x' has dimensions"},
    {HEAD ".global .u32 x[2] = {1, 2", 4, 26, "expected ',' or '}' in an initialiser"},
    {HEAD ".global .u64 x = generic(7);", 4, 26, "expected the name of a symbol"},
    {HEAD ".global .u64 x = generic(y;", 4, 27, "expected ')' after generic(symbol"},
    {HEAD ".global .u8 x[2] = {0xF(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .u8 x[2] = {0xFF00FF(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .u8 x[2] = {0(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .u8 x[2] = {0xFFFF(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .u8 x = 1.5;", 4, 17, "a float does not initialise .u8"},
    {HEAD ".global .f32 x = 1;", 4, 18, "an integer does not initialise .f32"},
    {HEAD ".global .u32 x[];", 4, 14, "'x' has no size"},
    {HEAD ".global .pred x = 1;", 4, 15, "a predicate is a scalar register"},
    {HEAD ".global .b8 x[] = {1}, y[536870912] = {1};", 4, 24, "2^28 bytes of initialised"},
    {HEAD ".global .u8 x[][9223372036854775807][8] = {1};", 4, 13, "larger than any memory"},
    {HEAD ".global .u32 x = 99999999999999999999;", 4, 18, "does not fit 64 bits"},
    // Functions.
    {HEAD ".entry { }", 4, 8, "expected the name of a kernel"},
    {HEAD ".func (.param .b32 r) { }", 4, 23, "expected the name of a function"},
    {HEAD ".entry k(.param .u32) {}", 4, 21, "expected a name, found ')'"},
    {HEAD ".entry k(.param .u32 a .param .u32 b) {}", 4, 24,
     "expected ',' or ')' after a parameter"},
    {HEAD ".entry k(u32 a) {}", 4, 10, "expected a state space such as .param"},
    {HEAD ".entry k() .maxntid {}", 4, 21, "expected a number of threads"},
    {HEAD ".entry k() .maxntid 4294967296 {}", 4, 21, "beyond the limit"},
    {HEAD ".entry k() .unknown {}", 4, 12, "expected '{', ';' or a directive such as .maxntid"},
    {HEAD ".entry k() ret;", 4, 12, "expected '{' or ';' after the head of a function"},
    {HEAD ".extern .func f() { }", 4, 19, "an .extern function has no body"},
    {HEAD ".alias f g;", 4, 10, "expected ','"},
    {BODY "ret;\n", 6, 1, "expected '}' to close the body of 'k' (line 4), found the end"},
    // Statements and operands.
    {BODY "ret\n}", 6, 1, "expected an operand, found '}'"},
    {BODY "add.s32 %r1, %r2 %r3;", 5, 18, "expected ',' or ';' after an operand, found '%r3'"},
    {BODY "add.s32 %r1, ;", 5, 14, "expected an operand, found ';'"},
    {BODY "add.s32 %r1, -;", 5, 15, "expected a number, found ';'"},
    {BODY "mov.u64 %r1, -99999999999999999999;", 5, 15, "does not fit 64 bits"},
    {BODY "mov.u64 %r1, 7 / (3 - 3);", 5, 16, "divides by zero"},
    {BODY "mov.u64 %r1, 1.0 * 3;", 5, 18, "an operation on an integer and a float"},
    {BODY "mov.f32 %r1, -0f3F800000;", 5, 15, "a 0f constant has no sign"},
    {BODY "ld.u32 %r1, [%rd1+%r2];", 5, 19, "expected an integer offset, found '%r2'"},
    {BODY "ld.u32 %r1, [%rd1;", 5, 18, "expected '+', ',' or ']' in an address"},
    {BODY "ld.u32 %r1, [];", 5, 14, "expected a register, a variable or an integer as address"},
    {BODY "tex.1d.f32 %r1, [4, {%r1}];", 5, 18, "expected the name of a texture"},
    {BODY "tex.1d.f32 %r1, [t, {%r1};", 5, 26, "expected ',' or ']' after a coordinate"},
    {BODY "mov.b64 {%r1, %r2, %rd1;", 5, 24, "expected ',' or '}' after a vector element"},
    {BODY "mov.b64 {{{{%r1}}}}, %rd1;", 5, 12, "operands nest too deep"},
    {BODY "call (r, f;", 5, 11, "expected ',' or ')' after an argument"},
    {BODY "setp.eq.s32 %p1|, %r1, 2;", 5, 17, "expected a predicate after '|'"},
    {BODY "selp.b32 %r1, 1, 2, !;", 5, 22, "expected a number, found ';'"},
    {BODY "@7 bra x;", 5, 2, "expected a predicate after '@'"},
    {BODY "@%p1 ;", 5, 6, "expected an instruction, found ';'"},
    {BODY "@%p1 {", 5, 6, "expected an instruction"},
    {BODY "= 4;", 5, 1, "expected an instruction, a label or a declaration, found '='"},
    {BODY ".entry j() {}", 5, 1, "expected an instruction, a label or a declaration"},
    {BODY ".reg .b32 %r<1048577>;", 5, 14,
     "the number of registers is beyond the limit of 1048576"},
    {BODY ".reg .b32 %r<4;", 5, 15, "expected '>' after the number of registers"},
    {BODY ".reg .b32 %r = 4;", 5, 14, "cannot be initialised"},
    {BODY ".pragma nounroll;", 5, 9, "expected a string after .pragma"},
    {BODY "x: .callprototype foo ();", 5, 19, "expected '_' as the name of a prototype"},
    {BODY "x: .branchtargets ;", 5, 19, "expected a label, found ';'"},
    {BODY "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g;", 5, 1,
     "more than 32"},
    // Debugging information.
    {BODY ".loc 1 2;", 5, 9, "expected a column number, found ';'"},
    {BODY ".loc 1 2 3, inlined_by 1 2 3", 5, 13, "expected function_name or inlined_at"},
    {BODY ".loc 1 2 3, function_name L+x", 5, 29, "expected an offset"},
    {HEAD ".file 1 name", 4, 9, "expected the name of a file in quotes, found 'name'"},
    {HEAD ".section .debug_str ;", 4, 21, "expected '{' after the name of a section"},
    {HEAD ".section .debug_str {\n.b8 1", 5, 6, "expected '}' at the end of a section"},
    {HEAD ".section .debug_info {\n.b8 1", 5, 6, "expected '}' at the end of a section"},
    {HEAD ".section {", 4, 10, "expected the name of a section"},
};

KL_TEST_ROWS(message_and_place, sizeof rows / sizeof *rows) {
    kl_error err = {0};
    ptx_module *module;
    sim_status status = ptx_parse(rows[_i].text, strlen(rows[_i].text), &module, &err);
    ck_assert_ptr_null(module);
    expect_refusal(&rows[_i], status, &err);
}

// The whole message of one error: what, the line, a caret.
KL_TEST(whole_message) {
    static const char text[] = BODY "\tadd.s32 \t%r1, %r2 %r3;\n}\n";
    kl_error err;
    ptx_module *module;
    ck_assert_int_eq(ptx_parse(text, strlen(text), &module, &err), SIM_BAD_PTX);
    ck_assert_str_eq(err.text,
                     "line 5, column 20: expected ',' or ';' after an operand, found '%r3'\n"
                     "\tadd.s32 \t%r1, %r2 %r3;\n"
                     "\t        \t         ^");
    ck_assert_int_eq(ptx_parse(text, strlen(text), &module, NULL), SIM_BAD_PTX); // no record wanted
}

KL_TEST_MAIN("parse")
