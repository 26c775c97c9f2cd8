// SPDX-License-Identifier: MIT
// Protects the parser: trees of every construct (golden dumps), fields that dumps do not show,
// caps, speed. SIM_UPDATE_GOLDEN=1 rewrites the golden files: read the difference before keeping
// it.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/bytes.h"
#include "ptx/ptx.h"
#include "suite.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static ptx_module *parse(const char *text) {
    ptx_module *module;
    kl_error err = {0};
    sim_status status = ptx_parse(text, strlen(text), &module, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    return module;
}

static const char *const golden_names[] = {"declarations", "instructions", "lines"};

START_TEST(golden_trees) {
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
    ptx_module_free(module);
    bytes_free(&ptx);
    bytes_free(&expected);
}
END_TEST

// Equal names and opcodes share storage: the decoder compares pointers.
START_TEST(names_are_interned) {
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
    ptx_module_free(module);
}
END_TEST

START_TEST(types) {
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
END_TEST

START_TEST(files_and_functions_of_lines) {
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
    ptx_module_free(module);
    bytes_free(&ptx);
}
END_TEST

// inlined_at looks within its own function only.
START_TEST(lines_of_other_functions_do_not_count) {
    ptx_module *module = parse(
        HEAD ".entry a() { .loc 1 5 1\n ret; } .entry b() { .loc 2 9 9, inlined_at 1 5 1\n ret; }");
    const ptx_location *location = module->functions[1].statements[0].location;
    ck_assert(location->has_inlined_at);
    ck_assert_ptr_null(location->outer);
    ptx_module_free(module);
}
END_TEST

// Padding that fat binaries leave, and line ends of other systems.
START_TEST(padding_and_line_ends) {
    static const char text[] = "\r\n.version 9.0\r\n.target sm_80\r\n\0\0\0\0";
    ptx_module *module;
    kl_error err;
    ck_assert_int_eq(ptx_parse(text, sizeof text, &module, &err), SIM_OK);
    ck_assert_uint_eq(module->target, 80);
    ck_assert_uint_eq(module->address_bits, 64);
    ptx_module_free(module);
    ptx_module_free(NULL);
}
END_TEST

// A text of 2 MB, as -G gives for a large file. Quadratic time would run into the time-out of the
// case.
START_TEST(large_text) {
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
    sim_status status = ptx_parse((const char *)text.data, text.count, &module, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_uint_gt(module->functions[0].statement_count, 30000);
    ptx_module_free(module);
    bytes_free(&text);
}
END_TEST

// Every prefix of every golden text gives a tree or an error, and no read beyond its end.
START_TEST(truncations) {
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
END_TEST

int main(void) {
    Suite *suite = suite_create("frontend_parse");
    TCase *test = tcase_create("parse");
    tcase_add_loop_test(test, golden_trees, 0, 3);
    KL_ADD_TESTS(test, names_are_interned, types, files_and_functions_of_lines,
                 lines_of_other_functions_do_not_count, padding_and_line_ends, large_text);
    tcase_add_loop_test(test, truncations, 0, 3);
    suite_add_tcase(suite, test);
    return kl_suite_run(suite);
}
