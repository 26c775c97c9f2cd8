// SPDX-License-Identifier: MIT
// Protects the parser's messages: each malformed text is refused at the right line and column, with
// the right words.
#include <check.h>
#include <string.h>

#include "support/bytes.h"
#include "ptx/ptx.h"
#include "suite.h"

// Lines 1 to 3; what follows begins on line 4.
#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
// A kernel whose first statement is on line 5.
#define BODY HEAD ".entry k() {\n"

static const test_refusal rows[] = {
    // Head of a module.
    {"", 1, 1, "expected .version, with which every PTX module begins, found the end of the text"},
    {".target sm_90", 1, 1, "expected .version"},
    {".version 9\n", 1, 10, "expected a version such as 9.0, found '9'"},
    {".version 9.0.1\n", 1, 13, "expected .target after .version, found '.1'"},
    {".version 9.0\n.entry k() {}", 2, 1, "expected .target after .version, found '.entry'"},
    {".version 9.0\n.target compute_90", 2, 9, "expected a target such as sm_90"},
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
    {HEAD ".global .attribute(.managed .u32 x;", 4, 35, "expected ')' at the end of .attribute"},
    // Initialisers.
    {HEAD ".global .u32 x = ;", 4, 18, "expected a number or the name of a symbol"},
    {HEAD ".global .u32 x[2] = 4;", 4, 21, "expected '{', found '4'"},
    {HEAD ".global .u32 x[2] = {1, 2, 3};", 4, 28, "more values than 'x' has elements"},
    {HEAD ".global .u32 x[2][2] = {{1, 2, 3}};", 4, 32, "more values than 'x' has elements"},
    {HEAD ".global .u32 x[2] = {{1}, {2}};", 4, 22, "more braces than 'x' has dimensions"},
    {HEAD ".global .u32 x[2] = {1, 2", 4, 26, "expected ',' or '}' in an initialiser"},
    {HEAD ".global .u64 x = generic(7);", 4, 26, "expected the name of a symbol"},
    {HEAD ".global .u64 x = generic(y;", 4, 27, "expected ')' after generic(symbol"},
    {HEAD ".global .b8 x[2] = {0xF(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .b8 x[2] = {0xFF00FF(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .b8 x[2] = {0(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .b8 x[2] = {0xFFFF(y)};", 4, 21, "a mask must select whole bytes"},
    {HEAD ".global .b8 x = 1.5;", 4, 17, "a float does not fit this type"},
    {HEAD ".global .pred x = 1;", 4, 15, "predicates cannot be initialised"},
    {HEAD ".global .b8 x[] = {1}, y[536870912] = {1};", 4, 24, "2^28 bytes of initialised"},
    {HEAD ".global .u8 x[][9223372036854775807][8] = {1};", 4, 13, "larger than any memory"},
    {HEAD ".global .u32 x = -9223372036854775809;", 4, 18, "does not fit 64 bits"},
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
    {BODY "add.s32 %r1, -;", 5, 15, "expected a number or a register after the sign, found ';'"},
    {BODY "mov.u64 %r1, -9223372036854775809;", 5, 15, "does not fit 64 bits"},
    {BODY "ld.u32 %r1, [%rd1+%r2];", 5, 19, "expected an integer offset, found '%r2'"},
    {BODY "ld.u32 %r1, [%rd1;", 5, 18, "expected '+', ',' or ']' in an address"},
    {BODY "ld.u32 %r1, [];", 5, 14, "expected a register, a variable or an integer as address"},
    {BODY "tex.1d.f32 %r1, [4, {%r1}];", 5, 18, "expected the name of a texture"},
    {BODY "tex.1d.f32 %r1, [t, {%r1};", 5, 26, "expected ',' or ']' after a coordinate"},
    {BODY "mov.b64 {%r1, %r2, %rd1;", 5, 24, "expected ',' or '}' after a vector element"},
    {BODY "mov.b64 {{{{%r1}}}}, %rd1;", 5, 12, "operands nest too deep"},
    {BODY "call (r, f;", 5, 11, "expected ',' or ')' after an argument"},
    {BODY "setp.eq.s32 %p1|, %r1, 2;", 5, 17, "expected a predicate after '|'"},
    {BODY "selp.b32 %r1, 1, 2, !7;", 5, 22, "expected a predicate after '!'"},
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

START_TEST(message_and_place) {
    kl_error err = {0};
    ptx_module *module;
    sim_status status = ptx_parse(rows[_i].text, strlen(rows[_i].text), &module, &err);
    ck_assert_ptr_null(module);
    expect_refusal(&rows[_i], status, &err);
}
END_TEST

// The whole message of one error: what, the line, a caret.
START_TEST(whole_message) {
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
END_TEST

int main(void) {
    Suite *suite = suite_create("frontend_parse_errors");
    TCase *test = tcase_create("errors");
    tcase_add_loop_test(test, message_and_place, 0, sizeof rows / sizeof *rows);
    tcase_add_test(test, whole_message);
    suite_add_tcase(suite, test);
    return kl_suite_run(suite);
}
