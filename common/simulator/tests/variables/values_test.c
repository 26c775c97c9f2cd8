// SPDX-License-Identifier: MIT
// Protects what is told of variables: from PTX that this toolkit's compiler writes with -G, at
// stops that the source marks, with a thread whose registers and memory the test fills.
// where: LADDER_HAVE_LIBDW
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "suite.h"
#include "support/bytes.h"
#include "variables/thread.h"

static fake_thread fake;
static test_bytes ptx, source;

static void set_up(void) {
    ptx = read_file(TEST_PTX "/shapes.ptx");
    source = read_file(TEST_SIMULATOR "/sources/shapes.cu");
    fake_open(&fake, (const char *)ptx.data, ptx.count);
    ck_assert_ptr_null(sim_variables_missing(fake.variables));
}

static void tear_down(void) {
    fake_close(&fake);
    bytes_free(&ptx);
    bytes_free(&source);
}

static unsigned line_of(const char *text, const char *at) {
    unsigned line = 1;
    for (; text < at; text++) line += *text == '\n';
    return line;
}

// The number of a source file in the PTX.
static unsigned file_number(const char *text, const char *name) {
    const char *at = strstr(text, name);
    ck_assert_ptr_nonnull(at);
    while (strncmp(at, ".file", 5) != 0) at--;
    return (unsigned)strtoul(at + 5, NULL, 10);
}

// Stops at the first instruction of the line with this mark.
static void stop_at(const char *mark) {
    const char *text = (const char *)ptx.data, *lines = (const char *)source.data;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "// MARK %s", mark);
    const char *marked = strstr(lines, wanted);
    ck_assert_ptr_nonnull(marked);
    snprintf(wanted, sizeof wanted, ".loc\t%u %u ", file_number(text, "shapes.cu\""),
             line_of(lines, marked));
    const char *at = strstr(text, wanted);
    ck_assert_msg(at != NULL, "the PTX has no %s", wanted);
    do at = strchr(at, '\n') + 1;
    while (at[0] != '\t' || at[1] == '.');
    fake.thread.ptx_line = line_of(text, at);
    fake.thread.frame = 0;
}

START_TEST(numbers) {
    stop_at("end");
    fake_set_variable(&fake, "i", (uint64_t)-3);
    EXPECT(&fake, "i", "= -3");
    fake_set_variable(&fake, "color", 5);
    EXPECT(&fake, "color", "= GREEN");
    EXPECT(&fake, "color == BLUE", "= false");
    fake_set_variable(&fake, "mode", 3);
    EXPECT(&fake, "mode", "= Mode::On");
    EXPECT(&fake, "mode == Mode::On", "= true");
    fake_set_variable(&fake, "letter", 0xff61); // upper bits of a register mean nothing
    EXPECT(&fake, "letter", "= 97 'a'");
    fake_set_variable(&fake, "pixel", 200);
    EXPECT(&fake, "pixel", "= 200 '\\310'");
    fake_set_variable(&fake, "big", (uint64_t)1 << 40);
    EXPECT(&fake, "big", "= 1099511627776");
    fake_set_variable(&fake, "exact", UINT64_C(0x3ff8000000000000));
    EXPECT(&fake, "exact", "= 1.5");
    EXPECT(&fake, "fixed", "= 7"); // a constant lies nowhere
    EXPECT(&fake, "&fixed", "Attempt to take address of value not located in memory.");
}
END_TEST

START_TEST(memory) {
    const float three[3] = {0.1f, 2, -1};
    const uint16_t half = 0x3800;
    stop_at("end");
    fake_write(&fake, "three", three, sizeof three);
    EXPECT(&fake, "three", "= {0.100000001, 2, -1}");
    EXPECT(&fake, "three[1] * 2", "= 4");
    float array[16] = {1, 2, 3};
    fake_write(&fake, "array", array, sizeof array);
    EXPECT(&fake, "array", "= {1, 2, 3, 0 <repeats 13 times>}");
    fake_write(&fake, "bits", three, 4);
    EXPECT(&fake, "bits", "= {f = 0.100000001, u = 1036831949}");
    fake_write(&fake, "small", &half, sizeof half);
    EXPECT(&fake, "small", "= 0.5");
    EXPECT(&fake, "small + 1", "= 1.5");
    const int tile[2] = {0x3f800000, 0x40000000};
    fake_write(&fake, "tile[1]", tile, sizeof tile);
    EXPECT(&fake, "tile[1]", "= {1, 2, 0, 0, 0, 0, 0, 0, 0}");
    const uint32_t fresh[4] = {0xffc0dead, 0xffc0dead, 0xffc0dead, 0};
    fake_write(&fake, "array", fresh, sizeof fresh);
    EXPECT(&fake, "*&array[0]@4", "= {<never written>, <never written>, <never written>, 0}");
    EXPECT(&fake, "*&array[0]@3", "= <never written>");
    EXPECT(&fake, "array[2]", "= <never written>");
    ck_assert_ptr_nonnull(strstr(fake_print(&fake, 'x', "*(int *)&array[2]"), "c0dead"));
    EXPECT(&fake, "&tile[1][1]", "= (@shared float *) 0x68");
    EXPECT(&fake, "*(@shared float *)0x68", "= 2");
    EXPECT(&fake, "rest", "= (@shared int *) 0x200"); // of unknown length
    EXPECT(&fake, "rest[0]@3", "= {0, 0, 0}");
    EXPECT(&fake, "weights", "= {0, 0, 0, 0}");
    EXPECT(&fake, "&counter", "= (@global int *) 0x200000000000");
    EXPECT(&fake, "util::scale", "= 0");
    EXPECT(&fake, "sizeof tile + sizeof(Node)", "= 328");
}
END_TEST

START_TEST(structs) {
    struct {
        int x, y;
        uint64_t next;
        int color;
        char on, name[16];
        uint8_t flags;
    } node = {1, 2, SIM_SHARED_WINDOW + 0x40, 6, 1, "abc", 5 | 29 << 3};
    stop_at("end");
    fake_write(&fake, "node", &node, sizeof node);
    EXPECT(&fake, "node",
           "= {p = {x = 1, y = 2}, next = (@shared Node *) 0x40, color = BLUE, on = true, "
           "name = \"abc\", '\\000' <repeats 12 times>, flags = 5, rest = -3}");
    EXPECT(&fake, "node.rest", "= -3");
    EXPECT(&fake, "node.next->p.y", "= 0");
    EXPECT(&fake, "node.name[1]", "= 98 'b'");
    ck_assert_str_eq(fake_print(&fake, 'x', "node.p"), "= {x = 0x1, y = 0x2}");
    EXPECT(&fake, "&node.rest", "Attempt to take address of a bit field.");
    EXPECT(&fake, "node.none", "There is no member named none.");
    const uint64_t reference = SIM_LOCAL_WINDOW + 0x100;
    sim_variables_value value;
    kl_error err;
    EXPECT(&fake, "ref.x", "Cannot access memory at address 0x0");
    // the reference itself, which a name cannot give: by the slot of its variable in the depot
    for (uint64_t at = 0x100; at < 0x400; at += 8)
        memcpy(fake.memory[PTX_SPACE_LOCAL] + at, &reference, 8);
    ck_assert_int_eq(
        sim_variables_evaluate(fake.variables, &fake.thread, "ref", NULL, &value, &err), SIM_OK);
    ck_assert_msg(strncmp(value.text, "(@local Point &) @0x100: {x = ", 30) == 0, "%s", value.text);
    ck_assert_str_eq(value.type, "Point");
    sim_variables_value_free(&value);
    const int given[3] = {1, 2, 0x40400000};
    fake_write(&fake, "given", given, sizeof given);
    EXPECT(&fake, "given", "= {<Base> = {b = 1}, d = 2, {whole = 1077936128, real = 3}}");
    EXPECT(&fake, "given.b + given.real", "= 4");
}
END_TEST

// A name means the innermost variable; what ends before the stop is not there.
START_TEST(blocks) {
    stop_at("block");
    fake_set_variable(&fake, "n", 3);
    EXPECT(&fake, "n", "= 3");
    EXPECT(&fake, "r", "= <not set yet>");
    EXPECT(&fake, "r + 1", "It has no value here: not set yet.");
    EXPECT(&fake, "k", "No symbol \"k\" in current context.");
    stop_at("end");
    EXPECT(&fake, "inner", "No symbol \"inner\" in current context.");
    stop_at("begin");
    EXPECT(&fake, "letter", "= <not set yet>");
    EXPECT(&fake, "n", "= 0"); // the kernel's parameter
}
END_TEST

START_TEST(inlined) {
    sim_variables_frame frames[SIM_VARIABLES_MAX_FRAMES];
    stop_at("inlined");
    ck_assert_uint_eq(sim_variables_frames(fake.variables, fake.thread.ptx_line, frames), 2);
    ck_assert_str_eq(frames[0].name, "square");
    ck_assert(frames[0].is_inlined);
    ck_assert_uint_eq(frames[0].call_line, line_of((const char *)source.data,
                                                   strstr((const char *)source.data, "square(i)")));
    ck_assert_msg(strncmp(frames[1].name, "kernel", 6) == 0, "%s", frames[1].name);
    ck_assert(!frames[1].is_inlined);
    char path[512];
    ck_assert(sim_variables_file(fake.variables, frames[0].call_file, path, sizeof path));
    ck_assert_msg(strstr(path, ".cu") && !strstr(path, "/../"), "%s", path);
    ck_assert(!sim_variables_file(fake.variables, 9999, path, sizeof path));
    // It is skipped from beside it, and not from within.
    sim_variables_range ranges[4];
    uint32_t within = fake.thread.ptx_line;
    ck_assert(within >= frames[0].first && within < frames[0].end);
    ck_assert_uint_eq(sim_variables_inlined_beside(fake.variables, within, ranges, 4), 0);
    ck_assert_uint_eq(sim_variables_inlined_beside(fake.variables, frames[0].end, ranges, 4), 1);
    ck_assert_uint_eq(ranges[0].first, frames[0].first);
    ck_assert_uint_eq(ranges[0].end, frames[0].end);
    ck_assert_uint_eq(sim_variables_inlined_beside(fake.variables, frames[0].end, ranges, 0), 0);
    fake_set_variable(&fake, "v", 12);
    EXPECT(&fake, "v", "= 12");
    EXPECT(&fake, "node", "No symbol \"node\" in current context.");
    fake.thread.frame = 1;
    EXPECT(&fake, "v", "No symbol \"v\" in current context.");
    EXPECT(&fake, "sizeof node", "= 40");
}
END_TEST

START_TEST(functions) {
    stop_at("helper");
    fake_set_variable(&fake, "out", SIM_SHARED_WINDOW + 0x40);
    EXPECT(&fake, "out", "= (@shared float *) 0x40");
    EXPECT(&fake, "out == (@shared float *)0x40", "= true");
    EXPECT(&fake, "out[1]", "= 0");
    stop_at("method");
    fake_set_variable(&fake, "this", SIM_SHARED_WINDOW + 0x40);
    EXPECT(&fake, "data", "= {{0, 0}, {0, 0}}"); // of *this
    EXPECT(&fake, "this->data[1]", "= {0, 0}");
    EXPECT(&fake, "sizeof(Tile<2, float>)", "= 16");
}
END_TEST

static bool collect(void *context, const sim_variable_row *row) {
    char *text = context;
    size_t used = strlen(text);
    if (row->kind == SIM_VARIABLE_MODULE) return false;
    snprintf(text + used, 1024 - used, "%s%s%s", used ? " " : "", row->name,
             row->is_hidden ? "(hidden)" : "");
    return true;
}

START_TEST(lists) {
    char text[1024] = "";
    stop_at("block");
    sim_variables_list(fake.variables, fake.thread.ptx_line, 0, collect, text);
    ck_assert_str_eq(text, "inner n r tile i node fixed color mode letter pixel big exact small "
                           "array three bits ref square_tile pointer in out n(hidden) given");
}
END_TEST

START_TEST(children) {
    char *name, *expression;
    kl_error err;
    stop_at("end");
    static const struct {
        const char *of;
        uint32_t index;
        const char *name, *expression;
    } rows[] = {{"node", 2, "color", "node.color"},   {"three", 1, "[1]", "three[1]"},
                {"given", 0, "b", "given.b"},         {"given", 3, "real", "given.real"},
                {"&node", 0, "*(&node)", "*(&node)"}, {"*&node", 0, "p", "(*&node).p"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(sim_variables_child(fake.variables, &fake.thread, rows[i].of,
                                             rows[i].index, &name, &expression, &err),
                         SIM_OK);
        ck_assert_str_eq(name, rows[i].name);
        ck_assert_str_eq(expression, rows[i].expression);
        free(name);
        free(expression);
    }
    ck_assert_int_eq(
        sim_variables_child(fake.variables, &fake.thread, "three", 3, &name, &expression, &err),
        SIM_NOT_FOUND);
}
END_TEST

// What watch, x and print/banks need to know.
START_TEST(places) {
    sim_variables_value value;
    kl_error err;
    stop_at("end");
    ck_assert_int_eq(
        sim_variables_evaluate(fake.variables, &fake.thread, "tile[2]", NULL, &value, &err),
        SIM_OK);
    ck_assert(value.in_memory && value.space == PTX_SPACE_SHARED);
    ck_assert_uint_eq(value.address, 0x40 + 2 * 36);
    ck_assert_uint_eq(value.bytes, 36);
    ck_assert_uint_eq(value.element_bytes, 4);
    ck_assert_uint_eq(value.children, 9);
    ck_assert_str_eq(value.type, "float [9]");
    sim_variables_value_free(&value);
    uint32_t before = fake.reads;
    EXPECT(&fake, "sizeof(*node.next->next)", "= 40"); // reads nothing
    EXPECT(&fake, "1 ? 2 : *in", "= 2");
    ck_assert_uint_eq(fake.reads, before);
}
END_TEST

KL_TEST_MAIN_WITH("values", set_up, tear_down, numbers, memory, structs, blocks, inlined, functions,
                  lists, children, places)
