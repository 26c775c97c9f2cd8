// SPDX-License-Identifier: MIT
// Integer, bit and floating-point arithmetic, the mathematics library, conversions.
// Input of decode/nvcc.c: what nvcc makes of it must decode; nobody runs it.
#define ONE(name)                                                                                  \
    extern "C" __global__ void name##_f(float *x) {                                                \
        x[0] = name(x[1]);                                                                         \
    }                                                                                              \
    extern "C" __global__ void name##_d(double *x) {                                               \
        x[0] = name(x[1]);                                                                         \
    }
#define TWO(name)                                                                                  \
    extern "C" __global__ void name##_f(float *x) {                                                \
        x[0] = name(x[1], x[2]);                                                                   \
    }                                                                                              \
    extern "C" __global__ void name##_d(double *x) {                                               \
        x[0] = name(x[1], x[2]);                                                                   \
    }
// clang-format off
ONE(sin) ONE(cos) ONE(tan) ONE(exp) ONE(log) ONE(sqrt) ONE(rsqrt) ONE(cbrt) ONE(tanh) ONE(erf)
ONE(lgamma) ONE(floor) ONE(rint) ONE(trunc) ONE(exp2) ONE(log2) ONE(log1p) ONE(asin) ONE(j0)
TWO(pow) TWO(fmod) TWO(atan2) TWO(hypot) TWO(fmin) TWO(copysign) TWO(nextafter)
    // clang-format on

    extern "C" __global__ void integers(int *i, unsigned *u, long long *l, unsigned long long *ul,
                                        short *s, signed char *c) {
    i[0] = i[1] / i[2] + i[3] % i[4];
    u[0] = u[1] / u[2] + u[3] % 7;
    l[0] = l[1] / l[2];
    ul[0] = ul[1] % ul[2];
    s[0] = s[1] / s[2];
    c[0] = c[1] * c[2];
    i[5] = __popc(u[5]) + __clz(i[5]) + __ffs(i[6]) + __brev(u[6]) + __byte_perm(u[1], u[2], u[3]);
    i[6] =
        __mulhi(i[1], i[2]) + __umulhi(u[1], u[2]) + __mul24(i[1], i[2]) + __sad(i[1], i[2], u[3]);
    l[1] = __popcll(l[3]) + __clzll(l[4]) + __ffsll(l[5]) + __brevll(l[6]) + __mul64hi(l[7], l[8]);
    i[7] = __funnelshift_l(u[1], u[2], u[3]) + __funnelshift_rc(u[1], u[2], u[3]);
    i[8] = __dp4a(i[1], i[2], i[3]) + __dp4a(u[1], u[2], u[3]) + __dp2a_lo(i[1], i[2], i[3]);
    i[9] =
        abs(i[3]) + min(i[1], i[2]) + max(u[1], u[2]) + llabs(l[2]) + __viaddmax_s32(i[1], i[2], 3);
    __int128 product = (__int128)l[3] * l[4];
    l[9] = product >> 64;
    ul[3] = (unsigned __int128)ul[1] / ul[2];
}

extern "C" __global__ void floats(float *f, double *d, int *i, long long *l) {
    f[0] = __fadd_rz(f[1], f[2]) + __fmul_ru(f[1], f[2]) + __fmaf_rd(f[1], f[2], f[3]) +
           __frcp_rn(f[1]) + __fsqrt_rz(f[2]) + __fdiv_rn(f[1], f[2]) + __frsqrt_rn(f[3]);
    f[1] = __saturatef(f[4]) + __sinf(f[1]) + __cosf(f[2]) + __logf(f[3]) + __powf(f[1], f[2]) +
           __expf(f[1]) + __exp10f(f[2]) + __tanf(f[1]) + __fdividef(f[2], f[3]);
    d[0] = __dadd_rz(d[1], d[2]) + __dmul_ru(d[1], d[2]) + __fma_rd(d[1], d[2], d[3]) +
           __drcp_rn(d[1]) + __dsqrt_rz(d[2]) + __ddiv_rn(d[1], d[2]);
    i[0] = __float2int_rn(f[1]) + __float2uint_rz(f[1]) + __double2int_rd(d[1]) +
           __float_as_int(f[5]) + __double2hiint(d[1]) + isnan(f[1]) + isinf(d[1]) + signbit(f[2]);
    l[0] = __float2ll_rn(f[1]) + __double2ull_ru(d[1]) + llrint(d[3]) + __double_as_longlong(d[2]);
    f[6] = __int2float_rz(i[1]) + __uint2float_rn(i[2]) + __ll2float_ru(l[1]) + d[9];
    d[7] = i[3] + l[3] + (unsigned)i[4] + f[2];
    f[8] = (float)(short)i[3] + (float)(unsigned char)i[2];
    i[20] = (unsigned char)f[9];
}
