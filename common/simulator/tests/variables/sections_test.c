// SPDX-License-Identifier: MIT
// Protects how debug sections are read: those of several linked files, and damaged ones. Whatever
// the sections hold, opening succeeds, a sentence says what is wrong, and no name, type or place
// that was read leads to a crash or a hang.
// where: LADDER_HAVE_LIBDW
// links: fuzz_variables
#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "support/bytes.h"
#include "variables/thread.h"

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
    ck_assert_ptr_nonnull(strstr(fake_print(&fake, 0, "x"), "lines and registers only"));
    EXPECT(&fake, "%r1 + 1", "= 1"); // what needs no names goes on
    fake_close(&fake);
}

START_TEST(sections) {
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
END_TEST

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

START_TEST(circles) {
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
END_TEST

// One of two linked files: the names of its labels are those of the other, its abbreviations are
// not.
#define LINKED_FILE(n, attribute, value)                                                           \
    ".visible .entry k" n "()\n{\n$L__begin0:\nret;\n$L__end0:\n}\n.file " n " \"f" n ".cu\"\n"    \
    ".section .debug_abbrev { .b8 1,17,1,0,0, 9,46,0,3,8,17,1,18,1," attribute "0,0, 0 }\n"        \
    ".section .debug_info { .b32 $L__e-$L__s $L__s: .b8 2,0 .b32 .debug_abbrev .b8 8 "             \
    ".b8 1, 9,107,4" n ",0 .b64 $L__begin0 .b64 $L__end0 .b8 " value "0 $L__e: }\n"

START_TEST(linked) {
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
END_TEST

// Numbers are changed, one or several, always the same ones.
START_TEST(changes) {
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
END_TEST

START_TEST(truncations) {
    test_bytes ptx = read_file(TEST_PTX "/shapes.ptx");
    for (size_t count = 0; count < ptx.count; count += ptx.count / 97 + 1) {
        uint8_t *copy = exact_copy(ptx.data, count);
        fuzz_variables(copy, count);
        free(copy);
    }
    bytes_free(&ptx);
}
END_TEST

KL_TEST_MAIN("sections", sections, circles, linked, changes, truncations)
