// Floating-point instructions: rounding, subnormals, NaN, signed zeros; comparisons and selections.
#include "ops/ops.h"
#include "program/approximations.h"
#include "support/run.h"
#include "suite.h"

#define ONE     0x3F800000u
#define HALF    0x3F000000u
#define INF     0x7F800000u
#define NINF    0xFF800000u
#define NAN1    0x7FC00000u // some NaN
#define NAN2    0xFFABCDEFu // another
#define CNAN    0x7FFFFFFFu // the one that arithmetic gives
#define NZERO   0x80000000u
#define TINY    0x00000001u // smallest subnormal
#define ULP     0x33800000u // 2^-24: half a unit in the last place of 1
#define LARGEST 0x7F7FFFFFu
#define D_ONE   UINT64_C(0x3FF0000000000000)
#define D_INF   UINT64_C(0x7FF0000000000000)
#define D_NAN   UINT64_C(0x7FF8000000000000)
#define D_NZERO UINT64_C(0x8000000000000000)

KL_TEST(single_arithmetic) {
    EXEC_ROWS("add.rn.f32", "fff", {{ONE, ULP}, ONE}, {{ONE, ULP + 1}, ONE + 1},
              {{INF, NINF}, CNAN}, {{NAN2, ONE}, CNAN}, {{TINY, TINY}, 2}, {{NZERO, NZERO}, NZERO},
              {{LARGEST, LARGEST}, INF});
    EXEC_ROWS("add.rz.f32", "fff", {{ONE, ULP + 1}, ONE}, {{LARGEST, LARGEST}, LARGEST});
    EXEC_ROWS("add.rp.f32", "fff", {{ONE, TINY}, ONE + 1}, {{ONE, 0x80000001}, ONE});
    EXEC_ROWS("add.rm.f32", "fff", {{ONE, TINY}, ONE}, {{ONE, 0x80000001}, ONE - 1},
              {{ONE, ONE | NZERO}, NZERO}, {{0, 0}, 0});
    EXEC_ROWS("add.ftz.f32", "fff", {{TINY, TINY}, 0}, {{0x80000001, 0x80000001}, NZERO},
              {{ONE, ONE}, 0x40000000});
    EXEC_ROWS("add.sat.f32", "fff", {{ONE, ONE}, ONE}, {{ONE | NZERO, 0}, 0}, {{NAN1, ONE}, 0},
              {{HALF, 0}, HALF});
    EXEC_ROWS("sub.rn.f32", "fff", {{ONE, ONE}, 0}, {{ONE, HALF}, HALF}, {{INF, INF}, CNAN});
    EXEC_ROWS("mul.rn.f32", "fff", {{ONE, NZERO}, NZERO}, {{0, INF}, CNAN},
              {{0x00800000, HALF}, 0x00400000});
    EXEC_ROWS("mul.ftz.f32", "fff", {{0x00800000, HALF}, 0}, {{TINY, 0x7F000000}, 0});
    EXEC_ROWS("mul.rz.f32", "fff", {{0x3F800001, 0x3F800001}, 0x3F800002});
    EXEC_ROWS("mul.rp.f32", "fff", {{0x3F800001, 0x3F800001}, 0x3F800003}, {{TINY, TINY}, TINY});
    // (1 + 2^-23)^2 - 1 - 2^-22 = 2^-46: a product that is rounded first gives 0.
    EXEC_ROWS("fma.rn.f32", "ffff", {{0x3F800001, 0x3F800001, 0xBF800002}, 0x28800000},
              {{INF, 0, ONE}, CNAN}, {{ONE, ONE, NAN2}, CNAN}, {{ONE, ONE, ONE}, 0x40000000});
    EXEC_ROWS("fma.rz.f32", "ffff", {{0x3F800001, 0x3F800001, ONE}, 0x40000001});
    EXEC_ROWS("fma.rn.ftz.sat.f32", "ffff", {{ONE, ONE, ONE}, ONE}, {{TINY, ONE, TINY}, 0});
    EXEC_ROWS("abs.f32", "ff", {{0xBF800000}, ONE}, {{NZERO}, 0});
    EXEC_ROWS("neg.f32", "ff", {{ONE}, 0xBF800000}, {{0}, NZERO});
    EXEC_ROWS("neg.ftz.f32", "ff", {{TINY}, NZERO});
    EXEC_ROWS("copysign.f32", "fff", {{NZERO, ONE}, 0xBF800000}, {{ONE, 0xC0000000}, 0x40000000});
}

KL_TEST(single_extremes) {
    EXEC_ROWS("min.f32", "fff", {{NAN1, ONE}, ONE}, {{ONE, NAN1}, ONE}, {{NAN1, NAN2}, CNAN},
              {{0, NZERO}, NZERO}, {{NZERO, 0}, NZERO}, {{ONE, HALF}, HALF}, {{ONE, ONE}, ONE});
    EXEC_ROWS("max.f32", "fff", {{NAN1, ONE}, ONE}, {{NAN1, NAN2}, CNAN}, {{0, NZERO}, 0},
              {{NZERO, 0}, 0}, {{NZERO, NZERO}, NZERO}, {{NINF, 0xBF800000}, 0xBF800000});
    EXEC_ROWS("min.NaN.f32", "fff", {{NAN1, ONE}, CNAN}, {{HALF, ONE}, HALF});
    EXEC_ROWS("max.ftz.f32", "fff", {{TINY, 0}, 0}, {{ONE, HALF}, ONE});
    EXEC_ROWS("max.xorsign.abs.f32", "fff", {{0xC0000000, ONE}, 0xC0000000},
              {{0xC0000000, 0xBF800000}, 0x40000000});
}

KL_TEST(single_division_and_roots) {
    EXEC_ROWS("div.rn.f32", "fff", {{ONE, 0x40400000}, 0x3EAAAAAB}, {{ONE, 0}, INF}, {{0, 0}, CNAN},
              {{ONE, NZERO}, NINF});
    EXEC_ROWS("div.rz.f32", "fff", {{ONE, 0x40400000}, 0x3EAAAAAA});
    EXEC_ROWS("div.rp.f32", "fff", {{ONE, 0x41200000}, 0x3DCCCCCD},
              {{ONE, 0xC1200000}, 0xBDCCCCCC});
    EXEC_ROWS("div.full.f32", "fff", {{0x40C00000, 0x40000000}, 0x40400000});
    EXEC_ROWS("div.approx.ftz.f32", "fff", {{TINY, ONE}, 0},
              {{0x40C00000, 0x40000000}, 0x40400000});
    EXEC_ROWS("rcp.rn.f32", "ff", {{0x40000000}, HALF}, {{NZERO}, NINF}, {{INF}, 0});
    EXEC_ROWS("rcp.rm.f32", "ff", {{0x40400000}, 0x3EAAAAAA});
    EXEC_ROWS("sqrt.rn.f32", "ff", {{0x40800000}, 0x40000000}, {{0x40000000}, 0x3FB504F3},
              {{NZERO}, NZERO}, {{0xBF800000}, CNAN});
    EXEC_ROWS("sqrt.rp.f32", "ff", {{0x40000000}, 0x3FB504F4});
    EXEC_ROWS("rsqrt.approx.f32", "ff", {{0x40800000}, HALF}, {{0}, INF}, {{NZERO}, NINF},
              {{INF}, 0});
    EXEC_ROWS("ex2.approx.f32", "ff", {{0x40400000}, 0x41000000}, {{NINF}, 0}, {{INF}, INF});
    EXEC_ROWS("lg2.approx.f32", "ff", {{0x41000000}, 0x40400000}, {{0}, NINF},
              {{0xBF800000}, CNAN});
    // Far beyond a revolution, and with results that are zeros with a sign, as on an H200.
    EXEC_ROWS("sin.approx.f32", "ff", {{0}, 0}, {{NZERO}, NZERO}, {{INF}, CNAN},
              {{0x4866C1BB}, NZERO}, {{0x4602E597}, 0x3F715D3F});
    EXEC_ROWS("cos.approx.f32", "ff", {{0}, ONE}, {{INF}, CNAN}, {{0x4601E5A6}, 0x3F3A1534});
    // The same of turns: the values of sin and cos of 2 pi a.
    EXEC_ROWS("sin.approx.ftz.2pi.f32", "ff", {{0}, 0}, {{NZERO}, NZERO}, {{TINY}, 0},
              {{0x3E800000}, ONE}, {{0x3F400000}, 0xBF800000}, {{0x3E000000}, 0x3F3504F2},
              {{INF}, CNAN}, {{0x3DCCCCCD}, 0x3F167916}, {{0x406CCCCD}, 0xBF737872},
              {{0x427FFEFA}, 0xBBCDC505}, {{0x49742400}, 0}, {{0xC0F8A3D7}, 0x3F7DFB3A},
              {{0x3F7FFFFE}, 0xB516CD80}, {{0x40200000}, NZERO}, {{0x358637BD}, 0x36CF5A90},
              {{0x447A07DF}, 0x3F32B6CA}); // of an eighth: one unit below the root of a half
    EXEC_ROWS("cos.approx.ftz.2pi.f32", "ff", {{0}, ONE}, {{HALF}, 0xBF800000},
              {{0x3E000000}, 0x3F3504F3}, {{NAN2}, CNAN}, {{0x3E800000}, NZERO}, {{0x3F400000}, 0},
              {{0x3E99999A}, 0xBE9E3779}, {{0x42C86666}, 0x3E9E39D4}, {{0x3DAAAAA6}, 0x3F5DB3D8},
              {{0x4640E6B6}, 0xBEE09248}, {{0x447A07DF}, 0x3F374BAD});
    EXEC_ROWS("sqrt.approx.f32", "ff", {{0x40800000}, 0x40000000}, {{NZERO}, NZERO},
              {{0xBF800000}, CNAN}, {{INF}, INF}, {{0xFFF1}, 0x1E34FFA6});
    EXEC_ROWS("sqrt.approx.ftz.f32", "ff", {{1}, 0}, {{0x80000001}, NZERO});
    EXEC_ROWS("tanh.approx.f32", "ff", {{0}, 0}, {{INF}, ONE}, {{NINF}, 0xBF800000});
    EXEC_ROWS("testp.subnormal.f32", "pf", {{TINY}, 1}, {{0}, 0}, {{ONE}, 0});
    EXEC_ROWS("testp.normal.f32", "pf", {{TINY}, 0}, {{0}, 1}, {{ONE}, 1}, {{INF}, 0});
    EXEC_ROWS("testp.notanumber.f64", "pg", {{D_NAN}, 1}, {{D_INF}, 0});
    EXEC_ROWS("testp.finite.f32", "pf", {{INF}, 0}, {{TINY}, 1}, {{NAN1}, 0});
}

KL_TEST(double_arithmetic) {
    EXEC_ROWS("add.rn.f64", "ggg", {{D_ONE, UINT64_C(0x3CA0000000000000)}, D_ONE});
    EXEC_ROWS("add.rp.f64", "ggg", {{D_ONE, 1}, D_ONE + 1});
    EXEC_ROWS("add.rm.f64", "ggg", {{D_ONE, UINT64_C(0x8000000000000001)}, D_ONE - 1});
    EXEC_ROWS("sub.rz.f64", "ggg", {{D_ONE, 1}, D_ONE - 1});
    EXEC_ROWS("mul.rz.f64", "ggg", {{D_ONE + 1, D_ONE + 1}, D_ONE + 2});
    EXEC_ROWS("mul.rp.f64", "ggg", {{D_ONE + 1, D_ONE + 1}, D_ONE + 3});
    EXEC_ROWS("fma.rn.f64", "gggg",
              {{D_ONE + 1, D_ONE + 1, UINT64_C(0xBFF0000000000002)}, UINT64_C(0x3970000000000000)});
    EXEC_ROWS("fma.rp.f64", "gggg", {{D_ONE, D_ONE, 1}, D_ONE + 1});
    EXEC_ROWS("div.rn.f64", "ggg",
              {{D_ONE, UINT64_C(0x4008000000000000)}, UINT64_C(0x3FD5555555555555)},
              {{D_ONE, 0}, D_INF});
    EXEC_ROWS("div.rp.f64", "ggg",
              {{D_ONE, UINT64_C(0x4008000000000000)}, UINT64_C(0x3FD5555555555556)});
    EXEC_ROWS("sqrt.rn.f64", "gg", {{UINT64_C(0x4010000000000000)}, UINT64_C(0x4000000000000000)});
    EXEC_ROWS("rcp.rn.f64", "gg", {{UINT64_C(0x4000000000000000)}, UINT64_C(0x3FE0000000000000)});
    EXEC_ROWS("min.f64", "ggg", {{D_NAN, D_ONE}, D_ONE}, {{0, D_NZERO}, D_NZERO});
    EXEC_ROWS("max.f64", "ggg", {{D_ONE, D_NAN}, D_ONE}, {{D_NZERO, 0}, 0});
    EXEC_ROWS("abs.f64", "gg", {{D_NZERO}, 0});
    EXEC_ROWS("neg.f64", "gg", {{0}, D_NZERO});
    EXEC_ROWS("copysign.f64", "ggg", {{D_NZERO, D_ONE}, D_NZERO | D_ONE});
}

#define H_ONE 0x3C00u
#define B_ONE 0x3F80u

KL_TEST(half_arithmetic) {
    EXEC_ROWS("add.f16", "hhh", {{H_ONE, 0x1000}, H_ONE}, {{H_ONE, 0x1001}, H_ONE + 1},
              {{0x7BFF, 0x7BFF}, 0x7C00}, {{1, 1}, 2}, {{0x7C00, 0xFC00}, 0x7FFF});
    EXEC_ROWS("add.ftz.f16", "hhh", {{1, 1}, 0});
    EXEC_ROWS("add.sat.f16", "hhh", {{H_ONE, H_ONE}, H_ONE}, {{0xBC00, 0}, 0});
    EXEC_ROWS("mul.f16x2", "rrr", {{0x3C004000, 0x40004200}, 0x40004600});
    // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20: the last term decides only when it is not lost before
    // the sum.
    EXEC_ROWS("fma.rn.f16", "hhhh", {{0x3C01, 0x3C01, 0xBC02}, 0x0010});
    EXEC_ROWS("fma.rn.relu.f16", "hhhh", {{H_ONE, 0xBC00, 0}, 0}, {{H_ONE, H_ONE, 0}, H_ONE});
    EXEC_ROWS("sub.bf16", "hhh", {{B_ONE, B_ONE}, 0}, {{0x4000, B_ONE}, B_ONE});
    EXEC_ROWS("fma.rn.bf16x2", "rrrr", {{0x3F804000, 0x3F804000, 0x3F800000}, 0x40004080});
    // The product 2^128 is not infinite before the sum; 0.5 and 1.5 of the smallest number round to
    // even; a sum just above the middle of two numbers rounds up.
    EXEC_ROWS("fma.rn.bf16", "hhhh", {{0x7F00, 0x4000, 0xFF00}, 0x7F00},
              {{0x7F00, 0x4000, 0}, 0x7F80}, {{1, 0x3F00, 0}, 0}, {{3, 0x3F00, 0}, 2},
              {{1, 0x3F00, 1}, 2}, {{0x3F80, 0x3B80, 0x3F80}, 0x3F80},
              {{0x3F80, 0x3B81, 0x3F80}, 0x3F81}, {{1, 1, 0x3F80}, 0x3F80},
              {{0x7F80, 0, 0x3F80}, 0x7FFF});
    EXEC_ROWS("min.f16", "hhh", {{0x7E00, H_ONE}, H_ONE}, {{0x0000, 0x8000}, 0x8000});
    EXEC_ROWS("max.NaN.bf16", "hhh", {{0x7FC0, B_ONE}, 0x7FFF}, {{0, B_ONE}, B_ONE});
    EXEC_ROWS("neg.f16x2", "rr", {{0x3C000000}, 0xBC008000});
    EXEC_ROWS("abs.bf16", "hh", {{0xBF80}, B_ONE});
    EXEC_ROWS("ex2.approx.f16", "hh", {{0x4200}, 0x4800});
    EXEC_ROWS("tanh.approx.bf16x2", "rr", {{0}, 0});
    // Cut toward zero, and infinite when too large for f16, as an H100 gives.
    EXEC_ROWS("ex2.approx.f16x2", "rr", {{0x3C0183FF}, 0x40003BFF}, {{0x5393AAB1}, 0x7C003BB7});
    EXEC_ROWS("ex2.approx.ftz.bf16x2", "rr", {{0xBFCD00B4}, 0x3EA83F80});
    EXEC_ROWS("tanh.approx.f16x2", "rr", {{0x3C0183FF}, 0x3A1883FF}, {{0xBF7A6994}, 0xBBA03C00});
    EXEC_ROWS("tanh.approx.bf16x2", "rr", {{0x9E0FC0F2}, 0x9E0FBF7F});
}

KL_TEST(comparisons) {
    EXEC_ROWS("setp.lt.f32", "pff", {{HALF, ONE}, 1}, {{NAN1, ONE}, 0}, {{ONE, ONE}, 0});
    EXEC_ROWS("setp.ne.f32", "pff", {{HALF, ONE}, 1}, {{NAN1, ONE}, 0}, {{0, NZERO}, 0});
    EXEC_ROWS("setp.neu.f32", "pff", {{HALF, ONE}, 1}, {{NAN1, ONE}, 1}, {{0, NZERO}, 0});
    EXEC_ROWS("setp.equ.f32", "pff", {{NAN1, ONE}, 1}, {{ONE, ONE}, 1}, {{ONE, HALF}, 0});
    EXEC_ROWS("setp.geu.f64", "pgg", {{D_NAN, D_ONE}, 1}, {{0, D_ONE}, 0}, {{D_ONE, D_ONE}, 1});
    EXEC_ROWS("setp.num.f32", "pff", {{NAN1, ONE}, 0}, {{ONE, ONE}, 1});
    EXEC_ROWS("setp.nan.f64", "pgg", {{D_NAN, D_ONE}, 1}, {{D_ONE, D_ONE}, 0});
    EXEC_ROWS("setp.gt.ftz.f32", "pff", {{TINY, 0}, 0}, {{ONE, TINY}, 1});
    EXEC_ROWS("setp.lt.f16", "phh", {{H_ONE, 0x4000}, 1}, {{0x7E00, 0}, 0});
    EXEC_ROWS("setp.gt.f16", "phh", {{1, 0}, 1}, {{0x7C00, 0x7BFF}, 1}, {{0x8001, 0}, 0});
    EXEC_ROWS("setp.gt.ftz.f16", "phh", {{0x03FF, 0}, 0}, {{0x0400, 0}, 1});
    EXEC_ROWS("setp.eq.ftz.f16", "phh", {{0x8001, 0x03FF}, 1}, {{0x8001, 0x0400}, 0});
    EXEC_ROWS("setp.ltu.bf16", "phh", {{0x7FC0, 0}, 1}, {{B_ONE, 0}, 0});
    EXEC_ROWS("setp.lt.s32", "prr", {{0xFFFFFFFF, 0}, 1}, {{0, 0}, 0});
    EXEC_ROWS("setp.lt.u32", "prr", {{0xFFFFFFFF, 0}, 0}, {{0, 1}, 1});
    EXEC_ROWS("setp.ge.u16", "phh", {{0xFFFF, 0}, 1}, {{0, 1}, 0});
    EXEC_ROWS("setp.ge.s16", "phh", {{0xFFFF, 0}, 0}, {{5, 5}, 1});
    EXEC_ROWS("setp.hi.u64", "pll", {{UINT64_MAX, 1}, 1}, {{1, 1}, 0});
    EXEC_ROWS("setp.eq.and.s32 d, a, b, !c;", "prrp", {{1, 1, 0}, 1}, {{1, 1, 1}, 0},
              {{1, 2, 0}, 0});
    EXEC_ROWS("setp.eq.or.s32", "prrp", {{1, 2, 1}, 1}, {{1, 2, 0}, 0});
    EXEC_ROWS("setp.eq.xor.s32", "prrp", {{1, 1, 1}, 0}, {{1, 2, 1}, 1});
    EXEC_ROWS("{ .reg .pred q; setp.lt.s32 q|d, a, b; }", "prr", {{1, 2}, 0}, {{2, 1}, 1});
    EXEC_ROWS("{ .reg .pred q; setp.lt.f16x2 q|d, a, b; }", "prr", {{0x3C004000, 0x40003C00}, 1},
              {{0x40003C00, 0x3C004000}, 0});
    EXEC_ROWS("set.lt.u32.f32", "rff", {{HALF, ONE}, 0xFFFFFFFF}, {{ONE, HALF}, 0});
    EXEC_ROWS("set.gt.f32.s32", "frr", {{5, 1}, ONE}, {{1, 5}, 0});
    EXEC_ROWS("set.lt.f16x2.f16x2", "rrr", {{0x3C004000, 0x40003C00}, 0x3C000000});
    // an H200's answers: 16 bits for each half
    EXEC_ROWS("set.ltu.u32.f16x2", "rrr", {{0x40007E00, 0x3C003C00}, 0xFFFF},
              {{0x7E004000, 0x3C003C00}, 0xFFFF0000}, {{0x7E00FE00, 0x3C003C00}, 0xFFFFFFFF});
    EXEC_ROWS("set.lt.s32.bf16x2", "rrr", {{0x40007FC0, 0x3F803F80}, 0},
              {{0x3F804000, 0x40003F80}, 0xFFFF0000});
    EXEC_ROWS("selp.b32", "rrrp", {{1, 2, 1}, 1}, {{1, 2, 0}, 2});
    EXEC_ROWS("selp.f64", "gggp", {{D_ONE, 0, 1}, D_ONE}, {{D_ONE, 0, 0}, 0});
    EXEC_ROWS("slct.u32.s32", "rrrr", {{1, 2, 0}, 1}, {{1, 2, 0x80000000}, 2});
    EXEC_ROWS("slct.f32.f32", "ffff", {{ONE, HALF, NZERO}, ONE}, {{ONE, HALF, NAN1}, HALF});
}

// (1 + e)^2 - (1 + 2e) is e^2 when the product is not rounded on its way, else 0. Which is which
// was read off the machine code of ptxas.
KL_TEST(products_of_halves_are_contracted) {
#define ROW_BF16(text, c, result)                                                                  \
    EXEC_ROWS("{.reg .b16 t, u; " text "}", "hhhh", {{0x3F81, 0x3F81, c}, result})
    ROW_BF16("mul.bf16 t, a, b; add.bf16 d, t, c;", 0xBF82, 0x3880);
    ROW_BF16("mul.bf16 t, a, b; add.bf16 d, c, t;", 0xBF82, 0x3880);
    ROW_BF16("mul.bf16 t, a, b; sub.bf16 d, t, c;", 0x3F82, 0x3880);
    ROW_BF16("mul.bf16 t, a, b; sub.bf16 d, c, t;", 0x3F82, 0xB880);
    ROW_BF16("mul.bf16 t, a, b; add.bf16 u, t, c; add.bf16 d, t, c;", 0xBF82, 0x3880);
    ROW_BF16("mul.bf16 t, a, b; mul.bf16 u, a, b; sub.bf16 d, t, u;", 0, 0x3880);
    EXEC_ROWS("{.reg .b16 t; mul.f16 t, a, b; add.f16 d, t, c;}", "hhhh",
              {{0x3C01, 0x3C01, 0xBC02}, 0x0010});
    EXEC_ROWS("{.reg .b16 t; mul.f16 t, a, b; add.sat.f16 d, t, c;}", "hhhh",
              {{0x3C01, 0x3C01, 0xBC02}, 0x0010});
    EXEC_ROWS("{.reg .b32 t; mul.f16x2 t, a, b; add.f16x2 d, t, c;}", "rrrr",
              {{0x3C013C01, 0x3C013C01, 0xBC02BC02}, 0x00100010});
    EXEC_ROWS("{.reg .b32 t; mul.bf16x2 t, a, b; sub.bf16x2 d, c, t;}", "rrrr",
              {{0x3F813F81, 0x3F813F81, 0x3F823F82}, 0xB880B880});
    // Not these: a rounding that is asked for, a product that saturates or flushes alone, another
    // use.
    ROW_BF16("mul.rn.bf16 t, a, b; add.bf16 d, t, c;", 0xBF82, 0);
    ROW_BF16("mul.bf16 t, a, b; add.rn.bf16 d, t, c;", 0xBF82, 0);
    ROW_BF16("mul.bf16 t, a, b; add.bf16 u, t, c; xor.b16 t, t, t; or.b16 d, t, u;", 0xBF82, 0);
    ROW_BF16("mul.bf16 t, a, b; add.bf16 d, t, t;", 0, 0x4002);
    EXEC_ROWS("{.reg .b16 t; mul.ftz.f16 t, a, b; add.f16 d, t, c;}", "hhhh",
              {{0x3C01, 0x3C01, 0xBC02}, 0});
    EXEC_ROWS("{.reg .b16 t; mul.sat.f16 t, a, b; add.f16 d, t, c;}", "hhhh",
              {{0x3C01, 0x3C01, 0xBC02}, 0x9800});
#undef ROW_BF16
}

// Likewise of floats and doubles; u, v and w: other sums, whose products are needed or not.
KL_TEST(products_are_contracted) {
#define ROW(text, c, result)                                                                       \
    EXEC_ROWS("{.reg .f32 t, u, v, w; " text "}", "ffff", {{0x3F800800, 0x3F800800, c}, result})
    ROW("mul.f32 t, a, b; add.f32 d, t, c;", 0xBF801000, 0x33800000);
    ROW("mul.f32 t, a, b; sub.f32 d, t, c;", 0x3F801000, 0x33800000);
    ROW("mul.f32 t, a, b; sub.f32 d, c, t;", 0x3F801000, 0xB3800000);
    ROW("mul.f32 t, a, b; sub.f32 u, c, t; sub.f32 v, t, c; add.f32 d, u, v;", 0x3F801000, 0);
    ROW("mul.ftz.f32 t, a, b; sub.ftz.f32 d, c, t;", 0x3F801000, 0xB3800000);
    ROW("mul.f32 t, a, b; sub.sat.f32 d, t, c;", 0x3F801000, 0x33800000);
    // Of two products the first, or that with fewer uses.
    ROW("mul.f32 t, a, b; mul.f32 u, a, a; sub.f32 d, t, u;", 0, 0x33800000);
    ROW("mul.f32 t, a, b; mul.f32 u, a, a; sub.f32 d, t, u; add.f32 v, t, c;", 0, 0xB3800000);
    ROW("mul.f32 t, a, b; mul.f32 u, a, a; add.f32 v, t, c; sub.f32 d, t, u;", 0, 0xB3800000);
    ROW("mul.f32 t, a, b; mul.f32 u, a, a; sub.f32 v, t, u; add.f32 d, t, c;", 0xBF801000, 0);
    // With as many each: what a sum takes before another one needs the value.
    ROW("mul.f32 t, a, b; mul.f32 u, a, a; sub.f32 w, t, u; add.f32 v, t, c; add.f32 d, u, c;",
        0xBF801000, 0);
    ROW("mul.f32 t, a, b; mul.f32 u, a, a; add.f32 v, t, c; add.f32 d, u, c; sub.f32 w, t, u;",
        0xBF801000, 0x33800000);
    // In another block, in a loop, in a loop behind which a factor changes: of a number.
    ROW(".reg .pred q; mul.f32 t, a, 0f3F800800; setp.lt.f32 q, a, b; @q bra L; sub.f32 d, t, c; "
        "L:",
        0x3F801000, 0x33800000);
    ROW(".reg .pred q; mul.f32 t, a, 0f3F800800; setp.lt.f32 q, a, b; L: sub.f32 d, t, c; "
        "@q bra L;",
        0x3F801000, 0x33800000);
    ROW(".reg .pred q; mov.f32 u, a; mov.f32 v, 0f3F800800; K: mul.f32 t, v, u; setp.lt.f32 q, a, "
        "b; L: sub.f32 d, t, c; @q bra L; add.f32 u, u, b; @q bra K;",
        0x3F801000, 0x33800000);
    ROW("mov.f32 u, a; mul.f32 t, u, b; sub.f32 u, t, c; mov.f32 d, u;", 0x3F801000, 0x33800000);
    // Not these.
    ROW(".reg .pred q; mul.f32 t, a, b; setp.lt.f32 q, a, b; @q bra L; sub.f32 d, t, c; L:",
        0x3F801000, 0);
    ROW(".reg .pred q; mov.f32 u, a; mul.f32 t, u, 0f3F800800; setp.lt.f32 q, a, b; "
        "L: sub.f32 d, t, c; add.f32 u, u, b; @q bra L;",
        0x3F801000, 0);
    ROW(".reg .pred q; mul.f32 t, a, 0f3F800800; mov.f32 u, t; setp.lt.f32 q, a, b; @q bra L; "
        "sub.f32 d, t, c; L:",
        0x3F801000, 0);
    ROW("mul.rn.f32 t, a, b; sub.f32 d, t, c;", 0x3F801000, 0);
    ROW("mul.f32 t, a, b; sub.rn.f32 d, t, c;", 0x3F801000, 0);
    ROW("mul.ftz.f32 t, a, b; sub.f32 d, t, c;", 0x3F801000, 0);
    ROW("mul.f32 t, a, b; sub.f32 u, t, c; abs.f32 v, t; sub.f32 v, v, c; add.f32 d, u, v;",
        0x3F801000, 0);
#undef ROW
    EXEC_ROWS("{.reg .f64 t; mul.f64 t, a, b; sub.f64 d, c, t;}", "gggg",
              {{0x3FF0000001000000, 0x3FF0000001000000, 0x3FF0000002000000}, 0xBC70000000000000});
}

// Hashes of each seventh result for [1, 2), of the roots [1, 4), of the logarithm [2, 4), of the
// sine [0.5, 2), of the hyperbolic tangent [0.5, 1): all of an H200's results agreed when they were
// made.
static uint32_t hash_results(float (*function)(float), uint32_t from, uint32_t count) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < count; i += 7)
        hash = (hash ^ sim_bits_from_float(function(sim_float_from_bits(from + i)))) * 16777619u;
    return hash;
}

// Likewise of doubles' high words, and of what follows them.
static uint32_t hash_doubles(double (*function)(double), uint32_t from, uint32_t count) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < count; i += 7) {
        double result = function(sim_double_from_bits((uint64_t)(from + i) << 32 | i));
        hash = (hash ^ (uint32_t)(sim_bits_from_double(result) >> 32)) * 16777619u;
    }
    return hash;
}

static float sine(float x) { return sim_mufu_sin(sim_revolutions(x), 0); }
static float cosine(float x) { return sim_mufu_sin(sim_revolutions(x), 1); }

KL_TEST(approximations_are_those_of_a_card) {
    ck_assert_uint_eq(hash_results(sim_mufu_rcp, 0x3F800000, 1 << 23), 0x125c4544);
    ck_assert_uint_eq(hash_results(sim_mufu_rsqrt, 0x3F800000, 1 << 24), 0xfa6b91a1);
    ck_assert_uint_eq(hash_results(sim_mufu_sqrt, 0x3F800000, 1 << 24), 0x902f94e3);
    ck_assert_uint_eq(hash_doubles(sim_mufu_rcp_double, 0x3FF00000, 1 << 20), 0x1adfd258);
    ck_assert_uint_eq(hash_doubles(sim_mufu_rsqrt_double, 0x3FF00000, 1 << 21), 0xb2cd0644);
    ck_assert_uint_eq(hash_results(sine, 0x3F000000, 1 << 24), 0x83fbe254);
    ck_assert_uint_eq(hash_results(cosine, 0x3F800000, 1 << 23), 0x2ed98ca0);
    ck_assert_uint_eq(hash_results(sim_mufu_tanh, 0x3F000000, 1 << 23), 0xde12bc0b);
    ck_assert_uint_eq(hash_results(sim_mufu_ex2, 0x3F800000, 1 << 23), 0xca2aaa49);
    ck_assert_uint_eq(hash_results(sim_mufu_lg2, 0x40000000, 1 << 23), 0x60917021);
    // Numbers for which the unit's complement of a fixed-point number shows, and ends of ranges.
    static const uint32_t rows[][2] = {{0xbbf4fc00, 0x3f7ead41}, {0xc2fc0000, 0x00800000},
                                       {0xb400735b, 0x3f7ffffe}, {0xb200915b, 0x3f800000},
                                       {0x43000000, 0x7f800000}, {0x80000001, 0x3f800000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_uint_eq(sim_bits_from_float(sim_mufu_ex2(sim_float_from_bits(rows[i][0]))),
                          rows[i][1]);
    ck_assert_uint_eq(sim_bits_from_float(sim_mufu_lg2(1)), 0);
    ck_assert_uint_eq(sim_bits_from_float(sim_mufu_lg2(sim_float_from_bits(0x3f7ffa80))),
                      0xb8fdca4a);
}

// As an H200 gives: wmma's products of tf32 are those of two mma of four products each.
KL_TEST(wmma_of_tf32_adds_in_two_steps) {
    static sim_matrix_values whole, part;
    const sim_matrix wmma = {.m = 16,
                             .n = 16,
                             .k = 8,
                             .a = SIM_ELEMENT_TF32,
                             .b = SIM_ELEMENT_TF32,
                             .c = SIM_ELEMENT_F32,
                             .d = SIM_ELEMENT_F32};
    sim_matrix mma = wmma;
    uint64_t state = 3;
    mma.k = 4;
    mma.n = 8;
    for (int i = 0; i < 16 * 16; i++) {
        whole.c[i] = 0x40000000 | (random_bits(&state) & 0xFFFFFF);
        whole.a[i % 128] = 0x3F000000 | (random_bits(&state) & 0xFFFFFF);
        whole.b[i % 128] = 0x3F000000 | (random_bits(&state) & 0xFFFFFF);
    }
    sim_matrix_multiply(&wmma, &whole);
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++)
            part.c[row * 8 + column] = whole.c[row * 16 + column];
    for (int step = 0; step < 2; step++) {
        for (int row = 0; row < 16; row++)
            for (int k = 0; k < 4; k++) part.a[row * 4 + k] = whole.a[row * 8 + step * 4 + k];
        for (int k = 0; k < 4; k++)
            for (int column = 0; column < 8; column++)
                part.b[k * 8 + column] = whole.b[(step * 4 + k) * 16 + column];
        sim_matrix_multiply(&mma, &part);
        memcpy(part.c, part.d, sizeof part.c);
    }
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++)
            ck_assert_uint_eq(part.d[row * 8 + column], whole.d[row * 16 + column]);
}

KL_TEST(variants_agree) {
    static const char *const forms[][2] = {
        {"add.rn.f32", "fff"},        {"mul.ftz.f32", "fff"},       {"fma.rn.f32", "ffff"},
        {"fma.rn.ftz.f32", "ffff"},   {"fma.rz.f32", "ffff"},       {"fma.rn.f64", "gggg"},
        {"div.rn.f32", "fff"},        {"sqrt.rn.f32", "ff"},        {"min.f32", "fff"},
        {"max.ftz.f32", "fff"},       {"max.f64", "ggg"},           {"setp.le.f32", "pff"},
        {"setp.gtu.f64", "pgg"},      {"add.f16x2", "rrr"},         {"fma.rn.bf16", "hhhh"},
        {"add.rp.f64", "ggg"},        {"selp.b64", "lllp"},         {"rcp.rn.f32", "ff"},
        {"ex2.approx.ftz.f32", "ff"}, {"lg2.approx.f32", "ff"},     {"rcp.approx.ftz.f32", "ff"},
        {"sin.approx.f32", "ff"},     {"cos.approx.ftz.f32", "ff"}, {"tanh.approx.f32", "ff"},
        {"sqrt.approx.f32", "ff"},    {"lg2.approx.f32", "ff"},     {"ex2.approx.f32", "ff"},
        {"rsqrt.approx.f32", "ff"},   {"div.full.f32", "fff"},      {"sub.f32", "fff"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        exec_check_variants_agree(forms[i][0], forms[i][1]);
}

// Directed rounding against long double, which holds every sum and product of floats that differ
// little in exponent.
KL_TEST(directed_rounding_brackets_the_exact_result) {
    uint64_t state = 7;
    for (int i = 0; i < 200000; i++) {
        float a = (float)(int32_t)random_bits(&state) * 0x1p-20f;
        float b = (float)(int32_t)random_bits(&state) * 0x1p-22f;
        long double exact = (long double)a * b;
        float down = sim_f32_mul(a, b, SIM_ROUND_RM), up = sim_f32_mul(a, b, SIM_ROUND_RP);
        ck_assert(down <= exact && exact <= up && (down == up || nextafterf(down, INFINITY) == up));
        ck_assert(sim_f32_mul(a, b, SIM_ROUND_RN) == (float)exact);
        exact = (long double)a + b;
        down = sim_f32_add(a, b, SIM_ROUND_RM);
        up = sim_f32_add(a, b, SIM_ROUND_RP);
        ck_assert(down <= exact && exact <= up && (down == up || nextafterf(down, INFINITY) == up));
        ck_assert(sim_f32_add(a, b, SIM_ROUND_RN) == a + b);
        ck_assert(sim_f32_fma(a, b, a, SIM_ROUND_RN) == fmaf(a, b, a));
        ck_assert(sim_f32_div(a, b, SIM_ROUND_RN) == a / b);
        ck_assert(sim_f32_sqrt(fabsf(a), SIM_ROUND_RN) == sqrtf(fabsf(a)));
    }
}

// Every half goes through double and back unchanged; the midpoints between neighbours go to the
// even one.
KL_TEST(halves_round_trip) {
    for (uint32_t bits = 0; bits < 0x7C00; bits++) {
        double value = sim_double_from_f16(bits), next = sim_double_from_f16(bits + 1);
        ck_assert_uint_eq(sim_pack_double(&sim_format_f16, value, SIM_ROUND_RN), bits);
        if (bits == 0x7BFF) break; // the next one is infinity
        double middle = (value + next) / 2;
        ck_assert_uint_eq(sim_pack_double(&sim_format_f16, middle, SIM_ROUND_RN),
                          bits + (bits & 1));
        ck_assert_uint_eq(sim_pack_double(&sim_format_f16, middle, SIM_ROUND_RZ), bits);
        ck_assert_uint_eq(sim_pack_double(&sim_format_f16, -middle, SIM_ROUND_RM),
                          (bits + 1) | 0x8000);
    }
    ck_assert_uint_eq(sim_pack_double(&sim_format_f16, 65519.0, SIM_ROUND_RN), 0x7BFF);
    ck_assert_uint_eq(sim_pack_double(&sim_format_f16, 65520.0, SIM_ROUND_RN), 0x7C00);
    ck_assert_uint_eq(sim_pack_double(&sim_format_f16, 65520.0, SIM_ROUND_RZ), 0x7BFF);
}

KL_TEST_MAIN("floating-point instructions")
