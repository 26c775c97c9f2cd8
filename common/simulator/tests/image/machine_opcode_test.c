// SPDX-License-Identifier: MIT
// Protects what is read off a machine instruction: each row of the table once, width and predicate
// as ptxas 13.0 wrote them for known PTX.
#include "image/image.h"

#include <check.h>
#include <string.h>

#include "suite.h"

static const struct {
    uint64_t words[2];
    const char *name; // NULL: none
    uint32_t bits, predicate;
    bool negated;
} cases[] = {
    {{0x00000a00ff017b82, 0x000fe20000000800}, "LDC", 32, 7, false}, // a 32-bit constant
    {{0x00008400ff027b82, 0x000ea20000000a00}, "LDC", 64, 7, false}, // a pointer
    {{0x0000820000047ab9, 0x000fc60000000a00}, "ULDC", 64, 7, false},
    {{0x0000000002057fae, 0x004fe8000b921844}, "LDGSTS", 32, 7, false}, // cp.async 4, 8, 16
    {{0x0000000002057fae, 0x004fe8000b921a44}, "LDGSTS", 64, 7, false},
    {{0x0000000002057fae, 0x004fe8000b901c44}, "LDGSTS", 128, 7, false},
    {{0x000000000000994d, 0}, "EXIT", 0, 1, true}, // @!P1
    {{0x0000000000002947, 0}, "BRA", 0, 2, false}, // @P2
    {{0x0000000000007fff, 0}, NULL, 0, 7, false},
};

START_TEST(words_give_name_width_and_predicate) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_machine_opcode got = sim_machine_opcode_of(cases[i].words);
        ck_assert_pstr_eq(got.name, cases[i].name);
        ck_assert_uint_eq(got.code, cases[i].words[0] & 0xFFF);
        ck_assert_uint_eq(got.bits, cases[i].bits);
        ck_assert_uint_eq(got.predicate, cases[i].predicate);
        ck_assert_int_eq(got.negated, cases[i].negated);
    }
}
END_TEST

START_TEST(rows_are_of_nine_bits_and_differ) {
    static const uint16_t codes[] = {
#define MACHINE_OPCODE(code, name, moves, text) code,
#include "image/machine_opcodes.def"
#undef MACHINE_OPCODE
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        ck_assert_uint_lt(codes[i], 0x200);
        if (i > 0) ck_assert_uint_lt(codes[i - 1], codes[i]);
    }
}
END_TEST

KL_TEST_MAIN("machine opcodes", words_give_name_width_and_predicate,
             rows_are_of_nine_bits_and_differ)
