// Variables of kernels, from what the installed compiler writes with -G.
// where: LADDER_HAVE_LIBDW
// links: fuzz_variables
#include "base/base.h"
#include "suite.h"
#include "support/bytes.h"
#include "variables/thread.h"

// ---- values ----
// Protects what is told of variables: from PTX that this toolkit's compiler writes with -G, at
// stops that the source marks, with a thread whose registers and memory the test fills.

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

KL_FIXTURE(set_up, tear_down)

KL_TEST(numbers) {
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

KL_TEST(memory) {
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
    const uint32_t fresh[4] = {0x7bde7bad, 0x7bde7bad, 0x7bde7bad, 0};
    fake_write(&fake, "array", fresh, sizeof fresh);
    EXPECT(&fake, "*&array[0]@4", "= {<never written>, <never written>, <never written>, 0}");
    EXPECT(&fake, "*&array[0]@3", "= <never written>");
    EXPECT(&fake, "array[2]", "= <never written>");
    KL_HAS(fake_print(&fake, 'x', "*(int *)&array[2]"), "7bde7bad");
    EXPECT(&fake, "&tile[1][1]", "= (@shared float *) 0x68");
    EXPECT(&fake, "*(@shared float *)0x68", "= 2");
    EXPECT(&fake, "rest", "= (@shared int *) 0x200"); // of unknown length
    EXPECT(&fake, "rest[0]@3", "= {0, 0, 0}");
    EXPECT(&fake, "weights", "= {0, 0, 0, 0}");
    EXPECT(&fake, "&counter", "= (@global int *) 0x200000000000");
    EXPECT(&fake, "util::scale", "= 0");
    EXPECT(&fake, "sizeof tile + sizeof(Node)", "= 328");
}

KL_TEST(structs) {
    struct {
        int x, y;
        uint64_t next;
        int color;
        char on, name[16];
        uint8_t flags;
    } node = {1, 2, SIM_SHARED_WINDOW + SIM_SHARED_START + 0x40, 6, 1, "abc", 5 | 29 << 3};
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

// A name means the innermost variable; what ends before the stop is not there.
KL_TEST(blocks) {
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

KL_TEST(inlined) {
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

KL_TEST(functions) {
    stop_at("helper");
    fake_set_variable(&fake, "out", SIM_SHARED_WINDOW + SIM_SHARED_START + 0x40);
    EXPECT(&fake, "out", "= (@shared float *) 0x40");
    EXPECT(&fake, "out == (@shared float *)0x40", "= true");
    EXPECT(&fake, "out[1]", "= 0");
    stop_at("method");
    fake_set_variable(&fake, "this", SIM_SHARED_WINDOW + SIM_SHARED_START + 0x40);
    EXPECT(&fake, "data", "= {{0, 0}, {0, 0}}"); // of *this
    EXPECT(&fake, "this->data[1]", "= {0, 0}");
    EXPECT(&fake, "sizeof(Tile<2, float>)", "= 16");
}

static bool collect(void *context, const sim_variable_row *row) {
    char *text = context;
    size_t used = strlen(text);
    if (row->kind == SIM_VARIABLE_MODULE) return false;
    snprintf(text + used, 1024 - used, "%s%s%s", used ? " " : "", row->name,
             row->is_hidden ? "(hidden)" : "");
    return true;
}

KL_TEST(lists) {
    char text[1024] = "";
    stop_at("block");
    sim_variables_list(fake.variables, fake.thread.ptx_line, 0, collect, text);
    ck_assert_str_eq(text, "inner n r tile i node fixed color mode letter pixel big exact small "
                           "array three bits ref square_tile pointer in out n(hidden) given");
}

KL_TEST(children) {
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

// What watch, x and print/banks need to know.
KL_TEST(places) {
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

// ---- sections ----
// Protects how debug sections are read: those of several linked files, and damaged ones. Whatever
// the sections hold, opening succeeds, a sentence says what is wrong, and no name, type or place
// that was read leads to a crash or a hang.

int fuzz_variables(const uint8_t *data, size_t bytes);

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_80, debug\n.address_size 64\n"                                       \
    ".visible .entry k()\n{\n.reg .b32 %r<2>;\n$L__begin:\nmov.u32 %r1, 0;\nret;\n$L__end:\n}\n"

static void expect_missing(const char *sections, const char *sentence) {
    char text[4096];
    static fake_thread fake;
    snprintf(text, sizeof text, "%s%s", HEAD, sections);
    fake_open(&fake, text, strlen(text));
    const char *missing = sim_variables_missing(fake.variables);
    ck_assert_ptr_nonnull(missing);
    ck_assert_msg(strstr(missing, sentence) != NULL, "%s", missing);
    KL_HAS(fake_print(&fake, 0, "x"), "lines and registers only");
    EXPECT(&fake, "%r1 + 1", "= 1"); // what needs no names goes on
    fake_close(&fake);
}

KL_FIXTURE(NULL, NULL)

KL_TEST(sections) {
    expect_missing("", "compiled without -G");
    expect_missing(".section .debug_str { .b8 65,0 }", "compiled without -G"); // -lineinfo
    expect_missing(".section .debug_info { .b8 1", "damaged (line 12, column 29: expected data");
    expect_missing(".section .debug_info { .b8 }", "expected a number or a name, found '}'");
    expect_missing(".section .debug_info { .b32 $L__none }", "there is no label '$L__none'");
    expect_missing(".section .debug_info { .b32 $L__end-$L__none }", "no label '$L__none'");
    expect_missing(".section .debug_info { .b32 $L__end+x }", "expected an offset, found 'x'");
    expect_missing(".section .debug_info { ; }", "expected data or a label, found ';'");
    expect_missing(".section", "expected the name of a section");
    expect_missing(".section .debug_info { .b32 100 .b8 2,0 .b32 .debug_abbrev .b8 8,1 }",
                   "damaged");
    char many[512] = "";
    for (int i = 0; i < 14; i++) sprintf(many + strlen(many), ".section .s%d { .b8 1 }\n", i);
    expect_missing(many, "too many sections before 's12'");
}

// Entries: 1 a unit, 2 a variable (name, type, place), 3 an alias, 4 an array of 2 elements, 5 a
// struct with 6 a member, 7 a pointer, 10 a variable that names its successor. Offsets count from
// the unit's header of 11 bytes.
#define ABBREVIATIONS                                                                              \
    ".section .debug_abbrev { .b8 1,17,1,0,0, 2,52,0,3,8,73,19,2,10,0,0, 3,22,0,73,19,0,0, "       \
    "4,1,1,73,19,0,0, 8,33,0,55,11,0,0, 5,19,1,11,11,0,0, 6,13,0,3,8,73,19,56,11,0,0, "            \
    "7,15,0,73,19,0,0, 10,52,1,1,19,0,0, 0 }\n"
#define PLACE "9,3 .b64 counter .b8"

// A variable x at offset 12 and its type at offset 29, which names itself. NULL: any text will do.
static void expect_value(const char *type, const char *value) {
    char text[4096];
    static fake_thread fake;
    snprintf(text, sizeof text,
             "%s" ABBREVIATIONS
             ".section .debug_info { .b32 $L__e-$L__s $L__s: .b8 2,0 .b32 .debug_abbrev .b8 8 "
             ".b8 1, 2,120,0 .b32 29 .b8 " PLACE " %s",
             HEAD, type);
    strcat(text, ",0,0,0 $L__e: }\n");
    fake_open(&fake, text, strlen(text));
    const char *missing = sim_variables_missing(fake.variables);
    ck_assert_msg(!missing, "%s", missing);
    const char *got = fake_print(&fake, 0, "x");
    ck_assert_msg(!value || strcmp(got, value) == 0, "%s: %s", type, got);
    fake_print(&fake, 0, "*x");
    fake_print(&fake, 0, "sizeof x");
    fake_close(&fake);
}

KL_TEST(circles) {
    expect_value("3 .b32 29 .b8 0", "= void");      // an alias of itself
    expect_value("4 .b32 29 .b8 8,2,0", "= {...}"); // an array of itself
    expect_value("5,4, 6,97,0 .b32 29 .b8 2,35,9, 0",
                 "= {a = <damaged debug information>}"); // a member behind the struct's end
    expect_value("5,4, 6,97,0 .b32 29 .b8 2,35,0, 6,98,0 .b32 29 .b8 2,35,0, 0", NULL); // twice
    expect_value("7 .b32 29 .b8 0", "= (@generic ..) 0x0"); // a pointer to itself
    static const char own_successor[] = HEAD ABBREVIATIONS
        ".section .debug_info { .b32 $L__e-$L__s $L__s: .b8 2,0 .b32 .debug_abbrev "
        ".b8 8,1, 10 .b32 12 .b8 0,0 $L__e: }\n";
    fuzz_variables((const uint8_t *)own_successor, sizeof own_successor - 1); // ends
}

// One of two linked files: the names of its labels are those of the other, its abbreviations are
// not.
#define LINKED_FILE(n, attribute, value)                                                           \
    ".visible .entry k" n "()\n{\n$L__begin0:\nret;\n$L__end0:\n}\n.file " n " \"f" n ".cu\"\n"    \
    ".section .debug_abbrev { .b8 1,17,1,0,0, 9,46,0,3,8,17,1,18,1," attribute "0,0, 0 }\n"        \
    ".section .debug_info { .b32 $L__e-$L__s $L__s: .b8 2,0 .b32 .debug_abbrev .b8 8 "             \
    ".b8 1, 9,107,4" n ",0 .b64 $L__begin0 .b64 $L__end0 .b8 " value "0 $L__e: }\n"

KL_TEST(linked) {
    static const char text[] =
        ".version 8.0\n.target sm_80, debug\n.address_size 64\n" LINKED_FILE("1", "", "")
            LINKED_FILE("2", "58,11,", "1,");
    sim_variables_frame frames[SIM_VARIABLES_MAX_FRAMES];
    fake_thread fake;
    fake_open(&fake, text, sizeof text - 1);
    const char *missing = sim_variables_missing(fake.variables);
    ck_assert_msg(!missing, "%s", missing);
    ck_assert_uint_eq(sim_variables_frames(fake.variables, 7, frames), 1); // ret of k1
    ck_assert_str_eq(frames[0].name, "k)");                                // 41 is ')'
    ck_assert_uint_eq(frames[0].file, 0);
    ck_assert_uint_eq(sim_variables_frames(fake.variables, 15, frames), 1); // ret of k2
    ck_assert_str_eq(frames[0].name, "k*");
    ck_assert_uint_eq(frames[0].file, 2); // its file 1 is the second of all
    ck_assert_uint_eq(sim_variables_frames(fake.variables, 10, frames), 0);
    fake_close(&fake);
}

// Numbers are changed, one or several, always the same ones.
KL_TEST(changes) {
    test_bytes ptx = read_file(TEST_PTX "/shapes.ptx");
    const char *begin = strstr((const char *)ptx.data, ".section");
    ck_assert_ptr_nonnull(begin);
    size_t first = (size_t)(begin - (const char *)ptx.data);
    uint64_t state = 46;
    for (int round = 0; round < 300; round++) {
        uint8_t *copy = exact_copy(ptx.data, ptx.count);
        for (int edit = 0; edit < 1 + round % 4; edit++) {
            size_t at = first + random_bits(&state) % (ptx.count - first);
            while (at < ptx.count && !isdigit(copy[at])) at++;
            if (at < ptx.count) copy[at] = (uint8_t)('0' + random_bits(&state) % 10);
        }
        fuzz_variables(copy, ptx.count);
        free(copy);
    }
    bytes_free(&ptx);
}

KL_TEST(truncations) {
    test_bytes ptx = read_file(TEST_PTX "/shapes.ptx");
    for (size_t count = 0; count < ptx.count; count += ptx.count / 97 + 1) {
        uint8_t *copy = exact_copy(ptx.data, count);
        fuzz_variables(copy, count);
        free(copy);
    }
    bytes_free(&ptx);
}

KL_TEST_MAIN("variables")
