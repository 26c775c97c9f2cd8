// Protects the linker of PTX texts: which definitions stay, which names are told apart, and that
// the result is a module that the parser takes.
#include "ptx/ptx.h"
#include "suite.h"

#define HEAD        ".version 8.7\n.target sm_80\n.address_size 64\n"
#define BODY(value) "{ .reg .b32 %r<2>; mov.u32 %r1, " value "; ret; }\n"

// Links texts that end in NULL; fails the test when that fails.
static char *linked(const char *const *texts) {
    ptx_source sources[8];
    uint32_t count = 0;
    for (; texts[count]; count++) sources[count] = (ptx_source){texts[count], strlen(texts[count])};
    char *text;
    size_t bytes;
    kl_error err = {0};
    OK_OR_SAY(ptx_link(sources, count, &text, &bytes, &err), err);
    ck_assert_uint_eq(bytes, strlen(text));
    return text;
}

static ptx_module *parsed(const char *text) {
    ptx_module *module;
    kl_error err = {0};
    sim_status status = ptx_parse(text, strlen(text), &module, &err);
    ck_assert_msg(status == SIM_OK, "%s\n%s", err.text, text);
    return module;
}

static uint32_t bodies_of(const ptx_module *module, const char *name) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < module->function_count; i++)
        found += module->functions[i].has_body && strcmp(module->functions[i].name, name) == 0;
    return found;
}

static const ptx_variable *variable_of(const ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i].name, name) == 0 && !module->variables[i].is_extern)
            return &module->variables[i];
    return NULL;
}

KL_TEST(private_names_are_told_apart) {
    const char *const texts[] = {HEAD ".global .u32 own = 1;\n.func twin() " BODY(
                                     "own") ".visible .func one() { call.uni twin, (); ret; }\n",
                                 HEAD ".global .u32 own = 2;\n.func twin();\n.func twin() " BODY(
                                     "own") ".visible .func two() { call.uni twin, (); ret; }\n",
                                 NULL};
    char *text = linked(texts);
    ptx_module *module = parsed(text);
    ck_assert_ptr_null(variable_of(module, "own"));
    ck_assert_uint_eq(variable_of(module, "own$file1")->init_bytes[0], 1);
    ck_assert_uint_eq(variable_of(module, "own$file2")->init_bytes[0], 2);
    ck_assert_uint_eq(bodies_of(module, "twin$file1"), 1);
    ck_assert_uint_eq(bodies_of(module, "twin$file2"), 1);
    KL_HAS(text, "call.uni twin$file2, ()");
    ptx_module_free(module);
    free(text);
}

// A private name beside another file's visible one.
KL_TEST(private_name_beside_visible_one) {
    const char *const texts[] = {HEAD ".visible .global .u32 count = 5;\n",
                                 HEAD ".global .u32 count = 6;\n.entry k() " BODY("count"), NULL};
    char *text = linked(texts);
    ptx_module *module = parsed(text);
    ck_assert_uint_eq(variable_of(module, "count")->init_bytes[0], 5);
    ck_assert_uint_eq(variable_of(module, "count$file2")->init_bytes[0], 6);
    ptx_module_free(module);
    free(text);
}

KL_TEST(one_weak_definition_stays) {
    const char *const texts[] = {HEAD ".weak .func same() " BODY("1") ".common .global .u32 c;\n",
                                 HEAD ".weak .func same() " BODY("2") ".common .global .u32 c;\n",
                                 HEAD ".visible .func same() " BODY("3"), NULL};
    char *text = linked(texts);
    ptx_module *module = parsed(text);
    ck_assert_uint_eq(bodies_of(module, "same"), 1);
    KL_HAS(text, "mov.u32 %r1, 3");
    ck_assert_ptr_null(strstr(text, "mov.u32 %r1, 1"));
    ck_assert_ptr_nonnull(variable_of(module, "c"));
    ck_assert_uint_eq(module->variable_count, 1);
    ptx_module_free(module);
    free(text);
}

KL_TEST(externs_and_header) {
    const char *const texts[] = {
        HEAD
        ".extern .global .u32 far;\n.extern .func there();\n.entry k() { call.uni there, (); }",
        ".version 9.0\n.target sm_90, debug\n.address_size 64\n"
        ".visible .global .u32 far = 9;\n.visible .func there() { ret; }\n",
        NULL};
    char *text = linked(texts);
    ptx_module *module = parsed(text);
    ck_assert_uint_eq(module->version_major, 9);
    ck_assert_uint_eq(module->target, 90);
    ck_assert_uint_eq(bodies_of(module, "there"), 1);
    ck_assert_uint_eq(variable_of(module, "far")->init_bytes[0], 9);
    ptx_module_free(module);
    free(text);
}

// Lines keep naming their own file, and inlined functions their own name.
KL_TEST(source_files_are_renumbered) {
    const char *const texts[] = {
        HEAD ".entry a() { .loc 1 5 1\n ret; }\n.file 1 \"a.cu\"\n.file 2 \"h.h\"\n"
             ".section .debug_str { $L__info_string0: .b8 97,0 }\n",
        HEAD ".entry b() { .loc 1 7 1\n .loc 2 8 1, function_name $L__info_string0, inlined_at 1 7 "
             "1\n ret; }\n.file 1 \"b.cu\"\n.file 2 \"g.h\", 17, 99\n"
             ".section .debug_str { $L__info_string0: .b8 98,0 }\n",
        NULL};
    char *text = linked(texts);
    ptx_module *module = parsed(text);
    ck_assert_str_eq(ptx_file_name(module, 1), "a.cu");
    ck_assert_str_eq(ptx_file_name(module, 3), "b.cu");
    ck_assert_str_eq(ptx_file_name(module, 4), "g.h");
    const ptx_statement *statements = module->functions[1].statements;
    const ptx_location *inner = NULL;
    for (uint32_t i = 0; i < module->functions[1].statement_count; i++)
        if (statements[i].kind == PTX_STATEMENT_LOC) inner = statements[i].location;
    ck_assert_uint_eq(inner->file, 4);
    ck_assert_uint_eq(inner->inlined_file, 3);
    ck_assert_str_eq(ptx_location_function(module, inner), "b");
    ptx_module_free(module);
    free(text);
}

static const struct {
    const char *texts[3], *message;
} refused[] = {
    {{HEAD ".visible .func f() { ret; }", HEAD ".visible .func f() { ret; }"},
     "f is defined by files 1 and 2"},
    {{HEAD, HEAD ".visible .func f() {"}, "file 2 of a linked program: a declaration does not end"},
    {{HEAD, HEAD ".visible .func f() }"}, "a bracket too many"},
    {{HEAD, HEAD "mov.u32"}, "no declaration"},
    {{HEAD, HEAD ".section .debug_str { x: .b8 1"}, "a section does not end"},
    {{HEAD, HEAD ".visible .global;"}, "a declaration without a name"},
    {{HEAD, HEAD ".file x"}, "no file number"},
    {{HEAD, ".version"}, "its header is cut off"},
    {{".global .u32 x;", ".global .u32 y;"}, "no header"},
};

KL_TEST_ROWS(wrong_texts_are_refused, sizeof refused / sizeof *refused) {
    ptx_source sources[2];
    for (int i = 0; i < 2; i++)
        sources[i] = (ptx_source){refused[_i].texts[i], strlen(refused[_i].texts[i])};
    char *text;
    size_t bytes;
    kl_error err = {0};
    ck_assert_int_eq(ptx_link(sources, 2, &text, &bytes, &err), SIM_BAD_PTX);
    ck_assert_ptr_null(text);
    KL_HAS(err.text, refused[_i].message);
}

KL_TEST_MAIN("ptx_link")
