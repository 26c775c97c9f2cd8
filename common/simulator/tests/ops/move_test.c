// Conversion and movement instructions.

#include "support/run.h"
#include "suite.h"

#define ONE   0x3F800000u
#define NAN1  0x7FC00000u
#define INF   0x7F800000u
#define MIN32 0x80000000u
#define MAX32 0x7FFFFFFFu
#define D_NAN UINT64_C(0x7FF8000000000000)

KL_TEST(integers) {
    EXEC_ROWS("cvt.s64.s32", "lr", {{0xFFFFFFFF}, UINT64_MAX}, {{5}, 5});
    EXEC_ROWS("cvt.u64.u32", "lr", {{0xFFFFFFFF}, 0xFFFFFFFF});
    EXEC_ROWS("cvt.u32.u64", "rl", {{UINT64_C(0x123456789)}, 0x23456789});
    EXEC_ROWS("cvt.s32.s16", "rh", {{0x8000}, 0xFFFF8000});
    EXEC_ROWS("cvt.u32.u16", "rh", {{0xFFFF}, 0xFFFF});
    EXEC_ROWS("cvt.s32.s8", "rr", {{0x180}, 0xFFFFFF80});
    EXEC_ROWS("cvt.u32.u8", "rr", {{0x1FF}, 0xFF});
    EXEC_ROWS("cvt.s64.s32", "ll", {{UINT64_C(0x1FFFFFFFF)}, UINT64_MAX}); // source register wider
    EXEC_ROWS("cvt.s64.s8", "ll", {{0x80}, UINT64_MAX - 127});
    EXEC_ROWS("cvt.u16.u32", "rr", {{0x12345678}, 0x5678}); // result register wider
    EXEC_ROWS("cvt.s16.s32", "rr", {{0x1234F678}, 0xFFFFF678});
    EXEC_ROWS("cvt.sat.u8.s32", "rr", {{0xFFFFFFFF}, 0}, {{300}, 255}, {{7}, 7});
    EXEC_ROWS("cvt.sat.s8.s32", "rr", {{300}, 127}, {{(uint32_t)-300}, 0xFFFFFF80});
    EXEC_ROWS("cvt.sat.s32.u64", "rl", {{UINT64_MAX}, MAX32});
    EXEC_ROWS("cvt.sat.u32.s64", "rl", {{UINT64_MAX}, 0}, {{UINT64_C(1) << 40}, 0xFFFFFFFF});
}

KL_TEST(integers_to_floats) {
    EXEC_ROWS("cvt.rn.f32.s32", "fr", {{0xFFFFFFFF}, 0xBF800000}, {{16777217}, 0x4B800000},
              {{MIN32}, 0xCF000000});
    EXEC_ROWS("cvt.rn.f32.u32", "fr", {{0xFFFFFFFF}, 0x4F800000}, {{16777219}, 0x4B800002});
    EXEC_ROWS("cvt.rz.f32.u32", "fr", {{0xFFFFFFFF}, 0x4F7FFFFF}, {{16777217}, 0x4B800000});
    EXEC_ROWS("cvt.rp.f32.s32", "fr", {{16777217}, 0x4B800001});
    EXEC_ROWS("cvt.rm.f32.s64", "fl", {{(uint64_t)-16777217}, 0xCB800001}, {{0}, 0});
    EXEC_ROWS("cvt.rn.f32.u64", "fl", {{UINT64_MAX}, 0x5F800000});
    EXEC_ROWS("cvt.rn.f64.u64", "gl", {{UINT64_MAX}, UINT64_C(0x43F0000000000000)});
    EXEC_ROWS("cvt.rz.f64.s64", "gl",
              {{UINT64_C(0x7FFFFFFFFFFFFFFF)}, UINT64_C(0x43DFFFFFFFFFFFFF)});
    EXEC_ROWS("cvt.rn.f64.s32", "gr", {{0xFFFFFFFF}, UINT64_C(0xBFF0000000000000)});
    EXEC_ROWS("cvt.rn.f16.s32", "hr", {{2049}, 0x6800}, {{100000}, 0x7C00},
              {{(uint32_t)-1}, 0xBC00});
    EXEC_ROWS("cvt.rn.f32.u8", "fr", {{0x1FF}, 0x437F0000});
}

KL_TEST(floats_to_integers) {
    EXEC_ROWS("cvt.rzi.s32.f32", "rf", {{0xBFC00000}, 0xFFFFFFFF}, {{NAN1}, 0}, {{INF}, MAX32},
              {{INF | MIN32}, MIN32}, {{0x4F000000}, MAX32});
    EXEC_ROWS("cvt.rni.s32.f32", "rf", {{0x3F000000}, 0}, {{0x3FC00000}, 2}, {{0x40200000}, 2});
    EXEC_ROWS("cvt.rmi.s32.f32", "rf", {{0xBF000000}, 0xFFFFFFFF}, {{0x3F000000}, 0});
    EXEC_ROWS("cvt.rpi.s32.f32", "rf", {{0xBF000000}, 0}, {{0x3F000000}, 1});
    EXEC_ROWS("cvt.rzi.u32.f32", "rf", {{0xBF800000}, 0}, {{0x4F800000}, 0xFFFFFFFF}, {{NAN1}, 0});
    EXEC_ROWS("cvt.rzi.s64.f32", "lf", {{NAN1}, UINT64_C(1) << 63},
              {{0x5F000000}, UINT64_C(0x7FFFFFFFFFFFFFFF)});
    EXEC_ROWS("cvt.rzi.u64.f64", "lg", {{D_NAN}, UINT64_C(1) << 63},
              {{UINT64_C(0x43F0000000000000)}, UINT64_MAX});
    EXEC_ROWS("cvt.rzi.s32.f64", "rg", {{UINT64_C(0xC1E0000000000000)}, MIN32}, {{D_NAN}, MIN32},
              {{UINT64_C(0x41E0000000000000)}, MAX32}, {{UINT64_C(0xC1E0000000100000)}, MIN32},
              {{UINT64_C(0xBFFC000000000000)}, 0xFFFFFFFF});
    EXEC_ROWS("cvt.rzi.u32.f64", "rg", {{D_NAN}, MIN32}, {{UINT64_C(0xBFFC000000000000)}, 0},
              {{UINT64_C(0x41F0000000000000)}, 0xFFFFFFFF},
              {{UINT64_C(0x41EFFFFFFFE00000)}, 0xFFFFFFFF}, {{UINT64_C(0x3FFC000000000000)}, 1});
    EXEC_ROWS("cvt.rzi.s64.f64", "lg", {{D_NAN}, UINT64_C(1) << 63},
              {{UINT64_C(0xFFF0000000000000)}, UINT64_C(1) << 63},
              {{UINT64_C(0xBFFC000000000000)}, UINT64_MAX});
    EXEC_ROWS("cvt.rzi.u64.f32", "lf", {{NAN1}, UINT64_C(1) << 63}, {{0xBF800000}, 0},
              {{0x5F000000}, UINT64_C(1) << 63}, {{INF}, UINT64_MAX}, {{INF | MIN32}, 0});
    EXEC_ROWS("cvt.rzi.s8.f32", "rf", {{0x43960000}, 127}, {{0xC3960000}, 0xFFFFFF80});
    EXEC_ROWS("cvt.rni.s32.f16", "rh", {{0x4100}, 2}, {{0x7E00}, 0});
    EXEC_ROWS("cvt.rzi.ftz.s32.f32", "rf", {{1}, 0});
}

KL_TEST(floats_to_floats) {
    EXEC_ROWS("cvt.f64.f32", "gf", {{ONE}, UINT64_C(0x3FF0000000000000)},
              {{1}, UINT64_C(0x36A0000000000000)});
    EXEC_ROWS("cvt.rn.f32.f64", "fg", {{UINT64_C(0x3FF0000010000000)}, ONE},
              {{UINT64_C(0x3FF0000010000001)}, ONE + 1}, {{D_NAN}, 0x7FC00000});
    EXEC_ROWS("cvt.rz.f32.f64", "fg", {{UINT64_C(0x3FF000001FFFFFFF)}, ONE},
              {{UINT64_C(0x7FE0000000000000)}, 0x7F7FFFFF});
    EXEC_ROWS("cvt.rn.f16.f32", "hf", {{0x3F801000}, 0x3C00}, {{0x3F801001}, 0x3C01},
              {{0x477FF000}, 0x7C00}, {{0x33000000}, 0}, {{0x33000001}, 1});
    EXEC_ROWS("cvt.rz.f16.f32", "hf", {{0x3F801FFF}, 0x3C00}, {{0x477FF000}, 0x7BFF});
    EXEC_ROWS("cvt.f32.f16", "fh", {{0x3C01}, 0x3F802000}, {{1}, 0x33800000}, {{0x7C00}, INF},
              {{0x8000}, MIN32});
    EXEC_ROWS("cvt.rn.bf16.f32", "hf", {{0x3F808000}, 0x3F80}, {{0x3F818000}, 0x3F82},
              {{NAN1}, 0x7FFF});
    EXEC_ROWS("cvt.f32.bf16", "fh", {{0x3F81}, 0x3F810000});
    EXEC_ROWS("cvt.rn.f16x2.f32", "rff", {{ONE, 0x40000000}, 0x3C004000});
    EXEC_ROWS("cvt.rn.relu.bf16x2.f32", "rff", {{0xBF800000, ONE}, 0x00003F80});
    EXEC_ROWS("cvt.rna.tf32.f32", "rf", {{0x3F801000}, 0x3F802000}, {{0x3F800FFF}, ONE});
    EXEC_ROWS("cvt.rni.f32.f32", "ff", {{0x40200000}, 0x40000000}, {{0xBE800000}, MIN32});
    EXEC_ROWS("cvt.rpi.f64.f64", "gg",
              {{UINT64_C(0x3FF8000000000000)}, UINT64_C(0x4000000000000000)});
    EXEC_ROWS("cvt.sat.f32.f32", "ff", {{0x40000000}, ONE}, {{0xBF800000}, 0}, {{NAN1}, 0});
    EXEC_ROWS("cvt.ftz.f32.f32", "ff", {{1}, 0}, {{ONE}, ONE});
    EXEC_ROWS("cvt.ftz.f64.f32", "gf", {{1}, 0});
}

KL_TEST(packing) {
    EXEC_ROWS("mov.b64 d, {a, b};", "lrr", {{1, 2}, UINT64_C(0x200000001)});
    EXEC_ROWS("mov.b32 d, {a, b};", "rhh", {{1, 2}, 0x20001});
    EXEC_ROWS("mov.b64 d, {a, b, c, e};", "lhhhh", {{1, 2, 3, 4}, UINT64_C(0x4000300020001)});
    EXEC_ROWS("{ .reg .b32 x; mov.b64 {x, d}, a; }", "rl", {{UINT64_C(0x200000001)}, 2});
    EXEC_ROWS("{ .reg .b16 x; mov.b32 {d, x}, a; }", "hr", {{0x20001}, 1});
    EXEC_ROWS("{ .reg .b16 x, y, z; mov.b64 {x, y, d, z}, a; }", "hl",
              {{UINT64_C(0x4000300020001)}, 3});
    EXEC_ROWS("{ .reg .b128 q; .reg .b64 x; mov.b128 q, {a, b}; mov.b128 {x, d}, q; }", "lll",
              {{1, 2}, 2});
    EXEC_ROWS("mov.b32 d, 7;", "rr", {{0}, 7});
    EXEC_ROWS("mov.pred", "pp", {{1}, 1}, {{0}, 0});
}

KL_TEST(address_windows) {
    EXEC_ROWS("cvta.shared.u64", "ll", {{16}, UINT64_C(0x100000000010)});
    EXEC_ROWS("cvta.to.shared.u64", "ll", {{UINT64_C(0x100000000010)}, 16});
    EXEC_ROWS("cvta.to.global.u64", "ll", {{UINT64_C(0x200000000010)}, UINT64_C(0x200000000010)});
    EXEC_ROWS("isspacep.shared", "pl", {{UINT64_C(0x100000000010)}, 1},
              {{UINT64_C(0x200000000010)}, 0});
    EXEC_ROWS("isspacep.global", "pl", {{UINT64_C(0x100000000010)}, 0},
              {{UINT64_C(0x200000000010)}, 1}, {{UINT64_C(0x7F0000000010)}, 1});
    EXEC_ROWS("isspacep.local", "pl", {{UINT64_C(0x110000000000)}, 1});
}

KL_TEST(variants_agree) {
    static const char *const forms[][2] = {
        {"cvt.rn.f32.s32", "fr"},      {"cvt.rn.f32.u32", "fr"},  {"cvt.rn.f64.s32", "gr"},
        {"cvt.f64.f32", "gf"},         {"cvt.rzi.s32.f32", "rf"}, {"cvt.rn.f16.f32", "hf"},
        {"cvt.s64.s32", "lr"},         {"cvt.u32.u64", "rl"},     {"cvt.rn.f32.f64", "fg"},
        {"mov.b64 d, {a, b};", "lrr"}, {"cvt.rn.f64.u64", "gl"},  {"cvt.s32.s8", "rr"},
        {"cvt.rn.f32.s64", "fl"},      {"cvt.rn.f32.u64", "fl"},  {"cvt.rn.f64.s64", "gl"},
        {"cvt.rzi.s64.f32", "lf"},     {"cvt.rzi.u64.f32", "lf"}, {"cvt.rzi.s64.f64", "lg"},
        {"cvt.rzi.u64.f64", "lg"},     {"cvt.rzi.s32.f64", "rg"}, {"cvt.rzi.u32.f64", "rg"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        exec_check_variants_agree(forms[i][0], forms[i][1]);
}

KL_TEST_MAIN("conversion and movement")
