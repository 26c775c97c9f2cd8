// Integer and bit instructions: results at the edges, from the PTX ISA's definitions.

#include "support/run.h"
#include "suite.h"

#define MIN32  0x80000000u
#define MAX32  0x7FFFFFFFu
#define ONES32 0xFFFFFFFFu
#define MIN64  UINT64_C(0x8000000000000000)
#define ONES64 UINT64_C(0xFFFFFFFFFFFFFFFF)

KL_TEST(add_and_subtract) {
    EXEC_ROWS("add.s32", "rrr", {{1, 2}, 3}, {{MAX32, 1}, MIN32}, {{ONES32, 1}, 0});
    EXEC_ROWS("add.u64", "lll", {{ONES64, 2}, 1},
              {{UINT64_C(0xFFFFFFFF), 1}, UINT64_C(0x100000000)});
    EXEC_ROWS("add.s16", "hhh", {{0x7FFF, 1}, 0x8000}, {{0xFFFF, 2}, 1});
    EXEC_ROWS("add.sat.s32", "rrr", {{MAX32, 1}, MAX32}, {{MIN32, ONES32}, MIN32}, {{5, 6}, 11});
    EXEC_ROWS("sub.sat.s32", "rrr", {{MIN32, 1}, MIN32}, {{MAX32, ONES32}, MAX32},
              {{5, 6}, ONES32});
    EXEC_ROWS("sub.u32", "rrr", {{0, 1}, ONES32}, {{7, 5}, 2});
    EXEC_ROWS("sub.s64", "lll", {{0, 1}, ONES64}, {{MIN64, 1}, MIN64 - 1});
}

KL_TEST(carries) {
    EXEC_ROWS("{ .reg .b32 t; add.cc.u32 t, a, b; addc.u32 d, 0, 0; }", "rrr", {{ONES32, 1}, 1},
              {{1, 1}, 0}, {{ONES32, ONES32}, 1});
    EXEC_ROWS("{ .reg .b32 t; sub.cc.u32 t, a, b; subc.u32 d, 10, 0; }", "rrr", {{0, 1}, 9},
              {{1, 1}, 10});
    EXEC_ROWS("{ .reg .b64 t; add.cc.u64 t, a, b; addc.cc.u64 t, a, a; addc.u64 d, b, 0; }", "lll",
              {{ONES64, 1}, 2}, {{1, 1}, 1});
    EXEC_ROWS("{ .reg .b32 t; mad.lo.cc.u32 t, a, b, c; madc.hi.u32 d, a, b, 0; }", "rrrr",
              {{0x10000, 0x10000, 0}, 1}, {{ONES32, ONES32, ONES32}, ONES32 - 1 + 1});
}

KL_TEST(products) {
    EXEC_ROWS("mul.lo.s32", "rrr", {{0x10000, 0x10000}, 0}, {{ONES32, 5}, (uint32_t)-5});
    EXEC_ROWS("mul.hi.s32", "rrr", {{ONES32, 5}, ONES32}, {{MIN32, MIN32}, 0x40000000});
    EXEC_ROWS("mul.hi.u32", "rrr", {{ONES32, ONES32}, ONES32 - 1}, {{ONES32, 5}, 4});
    EXEC_ROWS("mul.wide.s32", "lrr", {{ONES32, 5}, (uint64_t)-5},
              {{MIN32, MIN32}, UINT64_C(1) << 62});
    EXEC_ROWS("mul.wide.u32", "lrr", {{ONES32, ONES32}, UINT64_C(0xFFFFFFFE00000001)});
    EXEC_ROWS("mul.wide.s16", "rhh", {{0xFFFF, 3}, (uint32_t)-3}, {{0x8000, 0x8000}, 0x40000000});
    EXEC_ROWS("mul.wide.u16", "rhh", {{0xFFFF, 0xFFFF}, 0xFFFE0001});
    EXEC_ROWS("mul.hi.u16", "hhh", {{0xFFFF, 0xFFFF}, 0xFFFE});
    EXEC_ROWS("mul.lo.u64", "lll", {{ONES64, 3}, (uint64_t)-3});
    EXEC_ROWS("mul.hi.u64", "lll", {{ONES64, ONES64}, ONES64 - 1});
    EXEC_ROWS("mul.hi.s64", "lll", {{ONES64, 7}, ONES64}, {{MIN64, 2}, ONES64});
    EXEC_ROWS("mad.lo.s32", "rrrr", {{3, 4, 5}, 17}, {{ONES32, 1, 1}, 0});
    EXEC_ROWS("mad.hi.sat.s32", "rrrr", {{MAX32, MAX32, MAX32}, MAX32}, {{2, 3, 4}, 4});
    EXEC_ROWS("mad.wide.s32", "lrrl", {{ONES32, 5, 10}, 5}, {{2, 3, ONES64}, 5});
    EXEC_ROWS("mul24.lo.s32", "rrr", {{0x00FFFFFF, 2}, (uint32_t)-2}, {{0x01000003, 5}, 15});
    EXEC_ROWS("mul24.hi.u32", "rrr", {{0x00FFFFFF, 0x00FFFFFF}, 0xFFFFFE00});
    EXEC_ROWS("mad24.lo.u32", "rrrr", {{0xFF000003, 5, 1}, 16});
    EXEC_ROWS("sad.u32", "rrrr", {{3, 5, 10}, 12}, {{ONES32, 0, 0}, ONES32});
    EXEC_ROWS("sad.s32", "rrrr", {{ONES32, 1, 10}, 12}, {{MIN32, MAX32, 0}, ONES32});
    EXEC_ROWS("sad.s16", "hhhh", {{0xFFFF, 1, 10}, 12});
}

KL_TEST(divisions) {
    EXEC_ROWS("div.s32", "rrr", {{7, (uint32_t)-2}, (uint32_t)-3}, {{7, 0}, ONES32},
              {{MIN32, ONES32}, MIN32});
    EXEC_ROWS("rem.s32", "rrr", {{(uint32_t)-7, 2}, ONES32}, {{7, 0}, ONES32},
              {{MIN32, ONES32}, 0});
    EXEC_ROWS("div.u32", "rrr", {{ONES32, 2}, MAX32}, {{7, 0}, ONES32});
    EXEC_ROWS("rem.u32", "rrr", {{ONES32, 16}, 15}, {{7, 0}, ONES32});
    // Quotients just below an integer, and those with the largest numbers.
    EXEC_ROWS("div.u32", "rrr", {{ONES32, ONES32}, 1}, {{ONES32 - 1, ONES32}, 0},
              {{ONES32, 1}, ONES32}, {{ONES32 - 1, 65537}, 65534});
    EXEC_ROWS("rem.u32", "rrr", {{ONES32 - 1, ONES32}, ONES32 - 1}, {{ONES32 - 1, 65537}, 65536},
              {{0x80000000, 3}, 2});
    EXEC_ROWS("div.s32", "rrr", {{0x80000000, 1}, 0x80000000}, {{0x80000000, 0x80000000}, 1},
              {{0x7FFFFFFF, 0x80000000}, 0}, {{0x80000001, 0x7FFFFFFF}, ONES32});
    EXEC_ROWS("rem.s32", "rrr", {{0x80000000, ONES32}, 0}, {{0x80000000, 0x7FFFFFFF}, ONES32},
              {{0x7FFFFFFF, 0x80000000}, 0x7FFFFFFF}, {{0x80000000, 0}, ONES32});
    EXEC_ROWS("div.s64", "lll", {{MIN64, ONES64}, MIN64}, {{100, 7}, 14}, {{1, 0}, ONES64});
    EXEC_ROWS("rem.u64", "lll", {{ONES64, 10}, 5}, {{1, 0}, ONES64});
    EXEC_ROWS("div.s16", "hhh", {{0xFFF9, 2}, 0xFFFD}, {{0x8000, 0xFFFF}, 0x8000});
    EXEC_ROWS("div.u16", "hhh", {{0xFFFF, 3}, 0x5555}, {{5, 0}, 0xFFFF});
}

KL_TEST(signs_and_extremes) {
    EXEC_ROWS("abs.s32", "rr", {{(uint32_t)-5}, 5}, {{MIN32}, MIN32}, {{7}, 7});
    EXEC_ROWS("abs.s16", "hh", {{0xFFFF}, 1}, {{0x8000}, 0x8000});
    EXEC_ROWS("neg.s64", "ll", {{1}, ONES64}, {{MIN64}, MIN64});
    EXEC_ROWS("min.s32", "rrr", {{ONES32, 1}, ONES32}, {{5, 3}, 3});
    EXEC_ROWS("min.u32", "rrr", {{ONES32, 1}, 1});
    EXEC_ROWS("max.s16", "hhh", {{0xFFFF, 1}, 1});
    EXEC_ROWS("max.u16", "hhh", {{0xFFFF, 1}, 0xFFFF});
    EXEC_ROWS("max.u64", "lll", {{MIN64, 1}, MIN64});
    EXEC_ROWS("max.s64", "lll", {{MIN64, 1}, 1});
    EXEC_ROWS("max.relu.s32", "rrr", {{ONES32, MIN32}, 0}, {{ONES32, 4}, 4});
}

KL_TEST(logic) {
    EXEC_ROWS("and.b32", "rrr", {{0xF0F0, 0xFF00}, 0xF000});
    EXEC_ROWS("or.b64", "lll", {{UINT64_C(1) << 40, 1}, UINT64_C(0x10000000001)});
    EXEC_ROWS("xor.b16", "hhh", {{0xFFFF, 0x0F0F}, 0xF0F0});
    EXEC_ROWS("not.b32", "rr", {{0}, ONES32});
    EXEC_ROWS("cnot.b32", "rr", {{0}, 1}, {{5}, 0});
    EXEC_ROWS("and.pred", "ppp", {{1, 1}, 1}, {{1, 0}, 0}, {{0, 0}, 0});
    EXEC_ROWS("xor.pred", "ppp", {{1, 1}, 0}, {{1, 0}, 1});
    EXEC_ROWS("not.pred", "pp", {{1}, 0}, {{0}, 1});
    EXEC_ROWS("lop3.b32 d, a, b, c, 0x96;", "rrrr", {{0xFF, 0x0F, 0x33}, 0xFF ^ 0x0F ^ 0x33});
    EXEC_ROWS("lop3.b32 d, a, b, c, 0xCA;", "rrrr",
              {{0xFF00, 0x1234, 0x5678}, 0x1278});                           // a ? b : c
    EXEC_ROWS("lop3.b32 d, a, b, c, 0xE8;", "rrrr", {{0xC, 0xA, 0x9}, 0x8}); // majority
    EXEC_ROWS("lop3.b32 d, a, b, c, 0x1D;", "rrrr", {{0xF0, 0xCC, 0xAA}, 0xFFFFFF1D});
}

KL_TEST(shifts) {
    EXEC_ROWS("shl.b32", "rrr", {{1, 31}, MIN32}, {{1, 32}, 0}, {{1, ONES32}, 0}, {{3, 0}, 3});
    EXEC_ROWS("shl.b64", "llr", {{1, 63}, MIN64}, {{1, 64}, 0});
    EXEC_ROWS("shl.b16", "hhr", {{1, 15}, 0x8000}, {{1, 16}, 0});
    EXEC_ROWS("shr.u32", "rrr", {{MIN32, 31}, 1}, {{MIN32, 32}, 0});
    EXEC_ROWS("shr.s32", "rrr", {{MIN32, 31}, ONES32}, {{MIN32, 99}, ONES32}, {{MAX32, 40}, 0});
    EXEC_ROWS("shr.s64", "llr", {{MIN64, 63}, ONES64}, {{MIN64, 64}, ONES64});
    EXEC_ROWS("shr.u64", "llr", {{MIN64, 63}, 1}, {{MIN64, 64}, 0});
    EXEC_ROWS("shr.s16", "hhr", {{0x8000, 15}, 0xFFFF}, {{0x8000, 20}, 0xFFFF});
    EXEC_ROWS("shr.u16", "hhr", {{0x8000, 15}, 1}, {{0x8000, 16}, 0});
    EXEC_ROWS("shf.l.wrap.b32", "rrrr", {{MIN32, 1, 1}, 3}, {{MIN32, 1, 33}, 3});
    EXEC_ROWS("shf.r.wrap.b32", "rrrr", {{2, 1, 1}, MIN32 + 1}, {{7, 9, 32}, 7});
    EXEC_ROWS("shf.l.clamp.b32", "rrrr", {{5, 9, 40}, 5}, {{5, 9, 0}, 9});
    EXEC_ROWS("shf.r.clamp.b32", "rrrr", {{5, 9, 40}, 9}, {{5, 9, 0}, 5});
}

KL_TEST(bytes_and_bits) {
    EXEC_ROWS("prmt.b32", "rrrr", {{0x33221100, 0x77665544, 0x7531}, 0x77553311},
              {{0x80, 0, 0x8888}, ONES32}, {{0x33221100, 0x77665544, 0x3210}, 0x33221100});
    EXEC_ROWS("prmt.b32.f4e", "rrrr", {{0x33221100, 0x77665544, 1}, 0x44332211});
    EXEC_ROWS("prmt.b32.b4e", "rrrr", {{0x33221100, 0x77665544, 0}, 0x55667700});
    EXEC_ROWS("prmt.b32.rc8", "rrrr", {{0x33221100, 0, 2}, 0x22222222});
    EXEC_ROWS("prmt.b32.ecl", "rrrr", {{0x33221100, 0, 1}, 0x33221111});
    EXEC_ROWS("prmt.b32.ecr", "rrrr", {{0x33221100, 0, 2}, 0x22221100});
    EXEC_ROWS("prmt.b32.rc16", "rrrr", {{0x33221100, 0, 1}, 0x33223322});
    EXEC_ROWS("popc.b32", "rr", {{ONES32}, 32}, {{0}, 0}, {{0x101}, 2});
    EXEC_ROWS("popc.b64", "rl", {{ONES64}, 64});
    EXEC_ROWS("clz.b32", "rr", {{0}, 32}, {{1}, 31}, {{MIN32}, 0});
    EXEC_ROWS("clz.b64", "rl", {{0}, 64}, {{1}, 63});
    EXEC_ROWS("bfind.u32", "rr", {{0}, ONES32}, {{1}, 0}, {{MIN32}, 31});
    EXEC_ROWS("bfind.s32", "rr", {{ONES32}, ONES32}, {{(uint32_t)-3}, 1}, {{5}, 2});
    EXEC_ROWS("bfind.shiftamt.u32", "rr", {{1}, 31}, {{MIN32}, 0}, {{0}, ONES32});
    EXEC_ROWS("bfind.s64", "rl", {{ONES64}, ONES32}, {{UINT64_C(1) << 40}, 40});
    EXEC_ROWS("brev.b32", "rr", {{1}, MIN32}, {{0x0F}, 0xF0000000});
    EXEC_ROWS("brev.b64", "ll", {{1}, MIN64});
    EXEC_ROWS("fns.b32", "rrrr", {{0xF0, 4, 1}, 4}, {{0xF0, 0, 2}, 5}, {{0xF0, 7, (uint32_t)-2}, 6},
              {{0xF0, 0, 9}, ONES32}, {{0xF0, 4, 0}, 4});
    EXEC_ROWS("bmsk.clamp.b32", "rrr", {{4, 8}, 0xFF0}, {{0, 40}, ONES32}, {{32, 5}, 0});
    EXEC_ROWS("bmsk.wrap.b32", "rrr", {{36, 8}, 0xFF0}, {{0, 32}, 0});
    EXEC_ROWS("szext.wrap.s32", "rrr", {{0x80, 8}, 0xFFFFFF80}, {{0x7F, 8}, 0x7F}, {{5, 32}, 0});
    EXEC_ROWS("szext.clamp.u32", "rrr", {{0x1FF, 8}, 0xFF}, {{5, 32}, 5});
}

KL_TEST(bit_fields) {
    EXEC_ROWS("bfe.u32", "rrrr", {{0xABCD, 4, 8}, 0xBC}, {{ONES32, 0, 0}, 0}, {{ONES32, 40, 4}, 0},
              {{ONES32, 0, 32}, ONES32}, {{ONES32, 28, 16}, 0xF}, {{5, 256, 4}, 5});
    EXEC_ROWS("bfe.s32", "rrrr", {{0x80, 4, 4}, 0xFFFFFFF8}, {{0x70, 4, 4}, 7},
              {{MIN32, 28, 16}, 0xFFFFFFF8}, {{MIN32, 40, 4}, ONES32});
    EXEC_ROWS("bfe.u64", "llrr", {{UINT64_C(0xABCD) << 32, 32, 16}, 0xABCD},
              {{ONES64, 0, 64}, ONES64});
    EXEC_ROWS("bfe.s64", "llrr", {{UINT64_C(0x8) << 32, 32, 4}, ONES64 - 7});
    EXEC_ROWS("bfi.b32", "rrrrr", {{0xF, 0, 4, 4}, 0xF0}, {{0, ONES32, 8, 8}, 0xFFFF00FF},
              {{ONES32, 5, 32, 4}, 5}, {{ONES32, 5, 4, 0}, 5}, {{ONES32, 0, 0, 32}, ONES32});
    EXEC_ROWS("bfi.b64", "lllrr", {{0xF, 0, 60, 8}, UINT64_C(0xF) << 60});
    EXEC_ROWS("dp4a.s32.s32", "rrrr", {{0x01020304, 0x01010101, 5}, 15},
              {{0xFF, 2, 0}, (uint32_t)-2});
    EXEC_ROWS("dp4a.u32.u32", "rrrr", {{0xFF, 2, 0}, 510});
    EXEC_ROWS("dp2a.lo.s32.s32", "rrrr", {{0x00020003, 0x05060708, 1}, 2 * 7 + 3 * 8 + 1});
    EXEC_ROWS("dp2a.hi.u32.u32", "rrrr", {{0x00020003, 0x05060708, 1}, 2 * 5 + 3 * 6 + 1});
}

KL_TEST(variants_agree) {
    static const char *const forms[][2] = {
        {"add.s32", "rrr"},         {"add.s64", "lll"},
        {"mul.lo.s64", "lll"},      {"mul.wide.s32", "lrr"},
        {"mad.wide.u32", "lrrl"},   {"mad.lo.s32", "rrrr"},
        {"mul.hi.s32", "rrr"},      {"min.s64", "lll"},
        {"max.u64", "lll"},         {"shl.b64", "llr"},
        {"shr.s64", "llr"},         {"shr.s32", "rrr"},
        {"shf.l.wrap.b32", "rrrr"}, {"lop3.b32 d, a, b, c, 0x1E;", "rrrr"},
        {"bfe.s32", "rrrr"},        {"bfi.b64", "lllrr"},
        {"prmt.b32", "rrrr"},       {"div.s32", "rrr"},
        {"rem.u64", "lll"},         {"sad.s32", "rrrr"},
        {"setp.lt.s64", "pll"},     {"setp.hi.u32", "prr"},
        {"abs.s64", "ll"},          {"sad.u16", "hhhh"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        exec_check_variants_agree(forms[i][0], forms[i][1]);
}

KL_TEST_MAIN("integer instructions")
