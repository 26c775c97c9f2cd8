// Questions about IEEE and approximate functions at their edges. Operands come from memory, so that
// nothing is computed by the compiler.
#include "ask.h"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define X(expression)    (u64) __float_as_uint(expression)
#define D(expression)    (u64) __double_as_longlong(expression)
#define I(expression)    (u64)(u32)(expression)
#define L(expression)    (u64)(long long)(expression)
#define HALF(expression) (u64) __half_as_ushort(expression)
#define B16(expression)  (u64) __bfloat16_as_ushort(expression)
static __device__ volatile float numbers[256];
static __device__ volatile double wide_numbers[64];
static __device__ volatile u32 words[64];

// A value as the compiler cannot know it.
static __device__ float f(float value) {
    numbers[0] = value;
    return numbers[0];
}
static __device__ float fb(u32 bits) { return f(__uint_as_float(bits)); }
static __device__ double d(double value) {
    wide_numbers[0] = value;
    return wide_numbers[0];
}
static __device__ int i(int value) {
    words[0] = value;
    return words[0];
}
static __device__ __half h(u32 bits) { return __ushort_as_half((unsigned short)i(bits)); }
static __device__ __half hf(float value) { return __float2half(f(value)); }
static __device__ __nv_bfloat16 b(u32 bits) {
    return __ushort_as_bfloat16((unsigned short)i(bits));
}
static __device__ __half2 h2(u32 bits) {
    u32 v = i(bits);
    return *(__half2 *)&v;
}
static __device__ u64 of(__half2 v) { return *(u32 *)&v; }

#define INF   __uint_as_float(0x7F800000)
#define QNAN  __uint_as_float(0x7FC12345)
#define SMALL 1e-40f // a denormal number
#define VALUES(number, ...)                                                                        \
    static __device__ int fill##number(u64 *o) {                                                   \
        u64 all[] = {__VA_ARGS__};                                                                 \
        for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) o[k] = all[k];                   \
        return sizeof all / sizeof *all;                                                           \
    }                                                                                              \
    static __global__ void kernel##number(u64 *o) { o[63] = fill##number(o); }                     \
    HOST(number) { values(kernel##number); }

static void values(void (*kernel)(u64 *)) {
    u64 *d_out, out[64] = {};
    cudaMalloc(&d_out, sizeof out);
    kernel<<<1, 1>>>(d_out);
    int error = cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    if (error) say(" error %d", error);
    for (u64 k = 0; k < out[63]; k++) say(" %llx", out[k]);
    cudaFree(d_out);
}
// An instruction of one or two operands: ASM1("name", float, "=f", "f")
#define ASM_F(name, text)                                                                          \
    static __device__ u64 name(float a) {                                                          \
        float r;                                                                                   \
        asm volatile(text " %0, %1;" : "=f"(r) : "f"(f(a)));                                       \
        return X(r);                                                                               \
    }
#define ASM_D(name, text)                                                                          \
    static __device__ u64 name(double a) {                                                         \
        double r;                                                                                  \
        asm volatile(text " %0, %1;" : "=d"(r) : "d"(d(a)));                                       \
        return D(r);                                                                               \
    }

VALUES(1301, X(sinpif(f(0.5f))), X(sinpif(f(1))), X(sinpif(f(-0.0f))), X(sinpif(f(INF))),
       X(cospif(f(0.5f))), X(cospif(f(1.5f))))
VALUES(1302, X(fmodf(f(5), -3)), X(fmodf(f(-5), 3)), X(fmodf(f(1), f(0))), X(fmodf(f(5), f(INF))),
       X(fmodf(f(-0.0f), 1)), X(fmodf(f(INF), 1)))
static __device__ u64 quotient(float a, float c) {
    int q;
    remquof(f(a), f(c), &q);
    return I(q);
}
VALUES(1303, X(remainderf(f(5), f(2))), X(remainderf(f(7), f(2))), X(remainderf(f(-1), f(2))),
       quotient(7, 2), quotient(-7, 2))
VALUES(1304, X(rintf(f(0.5f))), X(rintf(f(1.5f))), X(rintf(f(-0.5f))), X(roundf(f(0.5f))),
       X(roundf(f(0.49999997f))), X(roundf(f(-0.5f))), X(roundf(f(8388609))))
VALUES(1305, X(powf(f(0), f(0))), X(powf(f(-0.0f), f(-1))), X(powf(f(-1), f(INF))),
       X(powf(f(1), f(QNAN))), X(powf(f(-8), f(1.0f / 3))), X(powf(f(-0.0f), f(3))))
VALUES(1306, X(atan2f(f(0), f(-0.0f))), X(atan2f(f(-0.0f), f(-0.0f))), X(atan2f(f(INF), f(INF))),
       X(atan2f(f(INF), f(-INF))), X(hypotf(f(INF), f(QNAN))))
VALUES(1307, X(ldexpf(f(1), i(-149))), X(ldexpf(f(1), i(-150))), X(ldexpf(f(1.5f), i(-150))),
       X(ldexpf(f(1), i(128))), X(ldexpf(f(1), i(-2000000000))))
static __device__ u64 exponent(float a) {
    int e = 0;
    frexpf(f(a), &e);
    return I(e);
}
VALUES(1308, exponent(0), exponent(SMALL), exponent(1), I(ilogbf(f(0))), I(ilogbf(f(QNAN))),
       I(ilogbf(f(INF))), I(ilogbf(f(SMALL))))
VALUES(1309, X(logbf(f(0))), X(logbf(f(INF))), X(logbf(f(SMALL))), X(nextafterf(f(0), f(-1))),
       X(nextafterf(f(INF), f(0))), X(nextafterf(f(1), f(2))))
VALUES(1310, X(fdimf(f(INF), f(INF))), X(fdimf(f(QNAN), f(1))), X(fdimf(f(1), f(2))),
       X(fmaf(f(INF), f(0), f(QNAN))))
VALUES(1311, X(expm1f(f(-0.0f))), X(expm1f(f(-200))), X(log1pf(f(-1))), X(log1pf(f(-2))),
       X(log1pf(f(-0.0f))))
VALUES(1312, X(expf(f(88.72283f))), X(expf(f(88.72284f))), X(expf(f(-103.9f))), X(expf(f(-104))))
VALUES(1313, X(tgammaf(f(0))), X(tgammaf(f(-0.0f))), X(tgammaf(f(-1))), X(tgammaf(f(36))),
       X(lgammaf(f(-1))), X(lgammaf(f(0))))
VALUES(1314, X(erff(f(INF))), X(erff(f(-0.0f))), X(erfcf(f(10.1f))), X(erfcf(f(-INF))),
       X(erfinvf(f(1))), X(erfinvf(f(2))), X(erfcinvf(f(2))), X(erfcinvf(f(0))))
VALUES(1315, X(j0f(f(0))), X(j0f(f(INF))), X(y0f(f(0))), X(y0f(f(-1))), X(cyl_bessel_i0f(f(0))),
       X(normcdff(f(-40))), X(normcdfinvf(f(0))))
VALUES(1316, X(__saturatef(f(QNAN))), X(__saturatef(f(-0.0f))), X(__saturatef(f(2))),
       X(__fdividef(f(0), f(0))), X(__fdividef(f(1), f(-0.0f))))
VALUES(1317, X(__fadd_rd(f(1), f(-1))), X(__fadd_ru(f(1), f(-1))), X(__fsub_rd(f(1.5f), f(1.5f))),
       X(__fmul_rz(f(0x1p-100f), f(0x1p-50f))))
VALUES(1318, X(__frcp_rd(f(3))), X(__frcp_ru(f(3))), X(__fsqrt_rd(f(2))), X(__fsqrt_ru(f(2))),
       X(__fdiv_rd(f(1), f(3))), X(__frcp_rn(f(0x1p-149f))))
VALUES(1319, D(__dadd_rd(d(1), d(-1))), D(__ddiv_rz(d(1), d(3))), D(__dsqrt_ru(d(2))),
       D(__drcp_rd(d(3))))
#define TIE 0x1.ffffffp127
VALUES(1320, X(__double2float_rn(d(TIE))), X(__double2float_rz(d(TIE))),
       X(__double2float_rd(d(TIE))), X(__double2float_ru(d(TIE))),
       X(__double2float_rn(d(0x1.fffffefffffffp127))))
VALUES(1321, HALF(__float2half_rn(f(65519))), HALF(__float2half_rn(f(65520))),
       HALF(__float2half_rz(f(1e6f))), HALF(__float2half_ru(f(1e-10f))),
       HALF(__float2half_rd(f(-1e-10f))))
VALUES(1322, I(__float2int_rn(f(2.5f))), I(__float2int_rn(f(3.5f))), I(__float2int_rn(f(-2.5f))),
       I(__float2int_rd(f(-0.5f))), I(__float2int_ru(f(-0.5f))),
       I(__double2int_rn(d(2147483647.5))))
VALUES(1323, I(__double2uint_rn(d(-0.5))), I(__double2uint_rn(d(-0.6))),
       I(__double2uint_rn(d(4294967295.5))), I(__float2uint_ru(f(SMALL))))
VALUES(1324, X(__sinf(f(INF))), X(__cosf(f(QNAN))), X(__tanf(f(1.5707964f))), X(__tanf(f(0))))
VALUES(1325, X(__powf(f(-2), f(2))), X(__powf(f(0), f(0))), X(__powf(f(0), f(-1))),
       X(__powf(f(2), f(0.5f))))
VALUES(1326, X(__exp10f(f(38))), X(__exp10f(f(39))), X(__log10f(f(0))), X(__log10f(f(10))),
       X(__log10f(f(1000))))
ASM_F(tanh_approx, "tanh.approx.f32")
VALUES(1327, tanh_approx(INF), tanh_approx(-INF), tanh_approx(-0.0f), tanh_approx(SMALL),
       tanh_approx(-QNAN))
ASM_D(rcp64, "rcp.approx.ftz.f64")
ASM_D(rsqrt64, "rsqrt.approx.ftz.f64")
VALUES(1328, rcp64(3), rcp64(0), rcp64(1e-310), rcp64(-(double)INF))
VALUES(1329, rsqrt64(2), rsqrt64(0), rsqrt64(-1), rsqrt64(1e-310))
ASM_F(ex2_ftz, "ex2.approx.ftz.f32")
ASM_F(ex2, "ex2.approx.f32")
VALUES(1330, ex2_ftz(-126.5f), ex2_ftz(-126), ex2_ftz(128), ex2_ftz(SMALL), ex2(-126.5f))
ASM_F(lg2_ftz, "lg2.approx.ftz.f32")
ASM_F(sqrt_ftz, "sqrt.approx.ftz.f32")
ASM_F(rsqrt_ftz, "rsqrt.approx.ftz.f32")
ASM_F(rcp_ftz, "rcp.approx.ftz.f32")
VALUES(1331, lg2_ftz(SMALL), sqrt_ftz(SMALL), rsqrt_ftz(SMALL), rcp_ftz(0x1p127f))
ASM_F(sin_plain, "sin.approx.f32")
ASM_F(sin_ftz, "sin.approx.ftz.f32")
ASM_F(cos_plain, "cos.approx.f32")
VALUES(1332, sin_plain(SMALL), sin_ftz(SMALL), cos_plain(SMALL), cos_plain(INF))
VALUES(1333, HALF(hexp2(hf(-25))), HALF(hexp(hf(11.09f))), HALF(hlog(hf(0))), HALF(hlog(hf(-1))),
       HALF(hsqrt(hf(-0.0f))), HALF(hrsqrt(hf(0))))
VALUES(1334, HALF(hcos(hf(65504))), HALF(hsin(hf(65504))), HALF(hrcp(hf(0))), HALF(hrcp(hf(65504))),
       HALF(hlog2(h(1))))
VALUES(1335, B16(__hadd(b(0x7F7F), b(0x7F7F))), B16(__hfma(b(0x7F7F), b(0x7F7F), b(0xFF80))),
       B16(hexp(__float2bfloat16(f(89)))), B16(hrcp(b(0))), B16(hlog(b(0))))
VALUES(1336, HALF(__hdiv(hf(1), hf(0))), HALF(__hdiv(hf(0), hf(0))), HALF(__hdiv(hf(65504), h(1))),
       HALF(__hdiv(h(1), hf(2))))
VALUES(1337, I(__heq(h(0x7E00), h(0x7E00))), I(__hne(h(0x7E00), h(0x7E00))),
       I(__hequ(h(0x7E00), hf(1))), I(__hneu(h(0x7E00), hf(1))), I(__hlt(h(0x7E00), hf(1))),
       I(__hgtu(h(0x7E00), hf(1))))
VALUES(1338, HALF(__hfma_relu(hf(-1), hf(1), hf(0))), HALF(__hfma_relu(h(0x7E00), hf(1), hf(0))),
       HALF(__hfma_sat(hf(2), hf(2), hf(0))), HALF(__hfma_sat(h(0x7E00), hf(1), hf(1))),
       HALF(__hadd_sat(hf(-1), hf(0))))
VALUES(1339, of(__hmin2(h2(0x7E007E00), h2(0x3C003C00))),
       of(__hmin2_nan(h2(0x7E007E00), h2(0x3C003C00))), of(__hmax2(h2(0x80008000), h2(0))),
       of(__h2div(h2(0x3C003C00), h2(0))))
VALUES(1340, I(__viaddmax_s32(i(0x7FFFFFFF), i(1), i(0))), I(__viaddmax_u32(i(-1), i(1), i(5))),
       I(__vimax3_s32_relu(i(-1), i(-2), i(-3))), I(__viaddmin_s32_relu(i(-5), i(1), i(7))))
static __device__ u64 larger(bool *p) { return I(__vibmax_s32(i(3), i(3), p)); }
static __device__ u64 smaller(bool *p) { return I(__vibmin_u32(i(3), i(4), p)); }
static __device__ u64 larger_pair(bool *p, bool *q) {
    return I(__vibmax_s16x2(i(0x00010002), i(0x00020001), p, q));
}
static __global__ void kernel1341(u64 *o) {
    bool p, q, r, s;
    o[0] = larger(&p), o[1] = p, o[2] = smaller(&q), o[3] = q;
    o[4] = larger_pair(&r, &s), o[5] = r, o[6] = s, o[63] = 7;
}
HOST(1341) { values(kernel1341); }
VALUES(1342, I(__viaddmax_s16x2(i(0x7FFF8000), i(0x0001FFFF), i(0))),
       I(__viaddmax_s16x2_relu(i(0x80008000), i(0), i(-1))))
VALUES(1343, I(__rhadd(i(0x7FFFFFFF), i(0x7FFFFFFF))), I(__hadd(i(0x80000000), i(-1))),
       I(__mulhi(i(0x80000000), i(0x80000000))), I(__umulhi(i(-1), i(-1))))
VALUES(1344, I(__mul24(i(0xFFFFFF), i(2))), I(__umul24(i(0x1FFFFFF), i(2))),
       I(__sad(i(-1), i(1), i(5))), I(__usad(i(0), i(-1), i(1))))
VALUES(1345, X((float)i(0x7FFFFFFF)), X((float)i(16777217)), X((float)((u64)i(-1) | ~0ull)),
       X(__int2float_rz(i(0x7FFFFFFF))), X(__int2float_ru(i(16777217))))
static __device__ long long ll(long long value) {
    return ((long long)i((int)(value >> 32)) << 32) | (u32)i((int)value);
}
VALUES(1346, D(__ll2double_rd(ll((1ll << 53) + 1))), D(__ll2double_ru(ll((1ll << 53) + 1))),
       X(__ull2float_rz(ll(-1))), X(__ll2float_rn(ll(1ll << 63))))
static __device__ u64 tf32_away(float v) {
    u32 r;
    asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(f(v)));
    return r;
}
static __device__ u64 tf32_even(float v) {
    u32 r;
    asm volatile("cvt.rn.tf32.f32 %0, %1;" : "=r"(r) : "f"(f(v)));
    return r;
}
VALUES(1347, tf32_away(1 + 0x1p-11f), tf32_away(1 + 0x1p-12f), tf32_away(INF), tf32_away(QNAN),
       tf32_even(1 + 0x1p-11f))
#define E5(v) (u64) __nv_cvt_float_to_fp8(f(v), __NV_SATFINITE, __NV_E5M2)
#define E4(v) (u64) __nv_cvt_float_to_fp8(f(v), __NV_SATFINITE, __NV_E4M3)
VALUES(1348, E5(61440), E5(INF), E5(QNAN), E4(464), E4(INF), E4(QNAN), E4(0x1p-10f))
#define H5(v) (u64) __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i(v), __NV_E5M2).x
#define H4(v) (u64) __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i(v), __NV_E4M3).x
VALUES(1349, H5(0x7C), H5(0x7D), H5(1), H4(0x7F), H4(1), H4(0xFF))
VALUES(1350, X(f(1) / f(0x1p-149f)), X(f(0x1p-149f) / f(2)), X(f(3 * 0x1p-149f) / f(2)),
       X(__fdiv_ru(f(0x1p-149f), f(2))), X(f(0x1p127f) / f(0.5f)))
VALUES(1351, X(sqrtf(f(0x1p-149f))), X(sqrtf(f(INF))), X(sqrtf(f(-0.0f))), X(sqrtf(f(-SMALL))))
VALUES(1352, X(sinf(f(1e38f))), X(cosf(f(1e10f))), X(tanf(f(1.5707964f))), X(sinf(f(INF))))
VALUES(1353, X(cbrtf(f(-0.0f))), X(rcbrtf(f(0))), X(rhypotf(f(0), f(0))),
       X(norm3df(f(INF), f(QNAN), f(1))), X(rnorm3df(f(INF), f(1), f(1))))
static __global__ void kernel1354(u64 *o) {
    float whole;
    o[0] = X(modff(f(-INF), &whole)), o[1] = X(whole);
    o[2] = X(modff(f(-0.5f), &whole)), o[3] = X(whole), o[4] = X(truncf(f(-0.5f))), o[63] = 5;
}
HOST(1354) { values(kernel1354); }
VALUES(1355, I(isnan(f(QNAN)) != 0), I(isinf(f(-INF)) != 0), I(signbit(f(-0.0f)) != 0),
       I(isfinite(f(QNAN)) != 0))
#define DBITS(bits) __longlong_as_double(ll(bits))
VALUES(1356, D(fmax(DBITS(0x7FF0000000000123), d(1))),
       D(fmax(DBITS(0x7FF8000000000123), DBITS(0x7FF8000000000456))),
       D(fmin(d(-(double)INF), DBITS(0x7FF8000000000123))))
VALUES(1357, D(exp2(d(-1074))), D(exp2(d(-1075))), D(exp(d(709.79))), D(exp(d(-745.2))),
       D(log(DBITS(1))))
VALUES(1358, D(pow(d(2), d(-1074))), D(pow(d(-0.0), d(-3))), D(pow(d(-2), d(1025))),
       D(pow(DBITS(0x7FF8000000000123), d(0))))
VALUES(1359, L(llrintf(f(0.5f))), L(lrintf(f(1e30f))), L(llroundf(f(-0.5f))), L(lroundf(f(QNAN))),
       L(llround(d(0x1p63))))
static __global__ void kernel1360(u64 *o) {
    float s, c;
    sincosf(f(INF), &s, &c);
    o[0] = X(s), o[1] = X(c);
    sincospif(f(0.25f), &s, &c);
    o[2] = X(s), o[3] = X(c), o[63] = 4;
}
HOST(1360) { values(kernel1360); }
VALUES(1361, X(__fmaf_rd(f(1), f(1), f(-1))), X(__fmaf_ru(f(0x1p-149f), f(0.5f), f(0))),
       X(__fmul_ru(f(0x1p-149f), f(0.5f))), X(__fmul_rd(f(-0x1p-149f), f(0.5f))))
VALUES(1362, HALF(__double2half(d(65519.99))), HALF(__double2half(d(65520))),
       HALF(__double2half(d(0x1p-25))), HALF(__double2half(d(0x1p-25 * 1.0001))))
VALUES(1363, B16(__float2bfloat16(f(3.4e38f))), B16(__double2bfloat16(d(1 + 0x1p-8))),
       B16(__double2bfloat16(d(1 + 0x1p-8 + 0x1p-40))), B16(__float2bfloat16(fb(0x7F80FFFF))))
VALUES(1364, I(__half2int_rd(hf(-0.5f))), I(__half2uint_ru(hf(0.5f))), L(__half2ll_rn(hf(2.5f))),
       HALF(__short2half_rz((short)i(32767))))
VALUES(1365, B16(__hfma(b(0x3F81), b(0x3F81), b(0x3800))), B16(__hadd(b(0x3F80), b(0x3B80))),
       B16(__hadd(b(0x3F81), b(0x3B80))))
VALUES(1366, sin_plain(1.57079632679f * 0x1p20f), sin_plain(1.57079632679f * 0x1p30f),
       cos_plain(1.57079632679f * 0x1p30f))
VALUES(1367, X(exp2f(f(-150.5f))), X(exp2f(f(-149.5f))), X(exp10f(f(-45.2f))), X(exp10f(f(38.6f))))
VALUES(1368, X(acosf(f(1.0000001f))), X(asinf(f(-0.0f))), X(acoshf(f(0.5f))), X(atanhf(f(1))),
       X(asinhf(f(-INF))))
ASM_F(abs_ftz, "abs.ftz.f32")
ASM_F(neg_ftz, "neg.ftz.f32")
static __global__ void kernel1369(u64 *o) {
    float least;
    u32 equal;
    asm volatile("min.ftz.f32 %0, %1, %2;" : "=f"(least) : "f"(f(SMALL)), "f"(f(1)));
    asm volatile("{.reg .pred p; setp.eq.ftz.f32 p, %1, 0f00000000; selp.u32 %0, 1, 0, p;}"
                 : "=r"(equal)
                 : "f"(f(SMALL)));
    o[0] = X(least), o[1] = abs_ftz(-SMALL), o[2] = neg_ftz(SMALL), o[3] = equal, o[63] = 4;
}
HOST(1369) { values(kernel1369); }
static __global__ void kernel1370(u64 *o) {
    float up;
    double wide;
    asm volatile("cvt.ftz.f32.f16 %0, %1;" : "=f"(up) : "h"((short)i(1)));
    asm volatile("cvt.ftz.f64.f32 %0, %1;" : "=d"(wide) : "f"(f(SMALL)));
    o[0] = X(up), o[1] = HALF(__float2half_rn(f(1e-8f))), o[2] = D(wide), o[63] = 3;
}
HOST(1370) { values(kernel1370); }
ASM_F(neg, "neg.f32")
VALUES(1371, X(copysignf(f(QNAN), f(-1))), X(fabsf(fb(0xFFC12345))),
       neg(__uint_as_float(0x7F812345)))

// ---- set with a result that is a float ---------------------------------------------------------

// set.OPERATION.TO.FROM of operands that the compiler knows or (volatile) not
#define SET(name, text, to, to_letter, from, letter)                                               \
    static __device__ __forceinline__ u64 name(from a, from c) {                                   \
        to r;                                                                                      \
        asm volatile(text " %0, %1, %2;" : to_letter(r) : letter(a), letter(c));                   \
        return *(to *)&r;                                                                          \
    }
SET(lt_f_s32, "set.lt.f32.s32", u32, "=r", int, "r")
SET(lt_f_u32, "set.lt.f32.u32", u32, "=r", int, "r")
SET(lt_f_f32, "set.lt.f32.f32", u32, "=r", float, "f")
SET(lt_f_f64, "set.lt.f32.f64", u32, "=r", double, "d")
SET(lt_f_s64, "set.lt.f32.s64", u32, "=r", long long, "l")
SET(eq_f_b32, "set.eq.f32.b32", u32, "=r", int, "r")
SET(lo_f_u64, "set.lo.f32.u64", u32, "=r", long long, "l")
SET(lt_u_s32, "set.lt.u32.s32", u32, "=r", int, "r")
SET(lt_s_s32, "set.lt.s32.s32", u32, "=r", int, "r")
SET(lt_u_f32, "set.lt.u32.f32", u32, "=r", float, "f")
SET(lt_f_s16, "set.lt.f32.s16", u32, "=r", short, "h")
SET(lt_f_u16, "set.lt.f32.u16", u32, "=r", short, "h")
SET(eq_f_b16, "set.eq.f32.b16", u32, "=r", short, "h")
SET(lt_b_b16, "set.lt.bf16.bf16", unsigned short, "=h", short, "h")
SET(lt_h_h16, "set.lt.f16.f16", unsigned short, "=h", short, "h")
static __device__ u64 and_f_s32(int a, int c) {
    u32 r;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; set.gt.and.f32.s32 %0, %2, %1, p;}"
                 : "=r"(r)
                 : "r"(a), "r"(c));
    return r;
}
VALUES(1372, lt_f_s32(1, 2), lt_f_u32(1, 2), lt_f_f32(1, 2), lt_f_f64(1, 2))
VALUES(1373, lt_f_s32(i(1), i(2)), lt_f_u32(i(1), i(2)), lt_f_f32(f(1), f(2)), lt_f_f64(d(1), d(2)))
VALUES(1374, lt_f_s64(ll(1), ll(2)), eq_f_b32(i(3), i(3)), and_f_s32(i(1), i(2)),
       lo_f_u64(ll(1), ll(2)))
VALUES(1375, lt_u_s32(i(1), i(2)), lt_s_s32(i(1), i(2)), lt_u_f32(f(1), f(2)), lt_f_s32(i(2), i(1)))
VALUES(1376, lt_f_s16((short)i(1), (short)i(2)), lt_f_u16((short)i(1), (short)i(2)),
       eq_f_b16((short)i(5), (short)i(5)), lt_b_b16((short)i(0x3F80), (short)i(0x4000)),
       lt_h_h16((short)i(0x3C00), (short)i(0x4000)))
static __global__ void kernel1377(u64 *o) {
    float r;
    asm volatile("set.lt.f32.s32 %0, %1, %2;" : "=f"(r) : "r"(1), "r"(2));
    o[0] = X(r + f(1));
    asm volatile("set.lt.f32.s32 %0, %1, %2;" : "=f"(r) : "r"(1), "r"(2));
    numbers[1] = r;
    o[1] = X(numbers[1]), o[63] = 2;
}
HOST(1377) { values(kernel1377); }
