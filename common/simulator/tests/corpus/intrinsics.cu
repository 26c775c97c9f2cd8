// SPDX-License-Identifier: MIT
// Every integer, floating-point, conversion, SIMD and warp intrinsic.
// Compiled, and nothing of it may be refused (compare.sh); nobody runs it.
#define R(T) T *o, const T *a
#define FI1(n)                                                                                     \
    extern "C" __global__ void f_##n(float *x) { x[0] = n(x[1]); }
#define FI2(n)                                                                                     \
    extern "C" __global__ void f_##n(float *x) { x[0] = n(x[1], x[2]); }
#define FI3(n)                                                                                     \
    extern "C" __global__ void f_##n(float *x) { x[0] = n(x[1], x[2], x[3]); }
#define R4F1(n) FI1(n##_rn) FI1(n##_rz) FI1(n##_ru) FI1(n##_rd)
#define R4F2(n) FI2(n##_rn) FI2(n##_rz) FI2(n##_ru) FI2(n##_rd)
#define R4F3(n) FI3(n##_rn) FI3(n##_rz) FI3(n##_ru) FI3(n##_rd)
// clang-format off
R4F2(__fadd) R4F2(__fsub) R4F2(__fmul) R4F2(__fdiv) R4F3(__fmaf) R4F1(__frcp) R4F1(__fsqrt)
FI1(__frsqrt_rn) FI2(__fdividef) FI1(__cosf) FI1(__sinf) FI1(__tanf) FI1(__expf) FI1(__exp10f)
FI1(__logf) FI1(__log2f) FI1(__log10f) FI2(__powf) FI1(__saturatef) FI1(__tanhf)
FI3(__fmaf_ieee_rn) FI3(__fmaf_ieee_rz) FI3(__fmaf_ieee_ru) FI3(__fmaf_ieee_rd)
// clang-format on
#define DI1(n)                                                                                     \
    extern "C" __global__ void d_##n(double *x) { x[0] = n(x[1]); }
#define DI2(n)                                                                                     \
    extern "C" __global__ void d_##n(double *x) { x[0] = n(x[1], x[2]); }
#define DI3(n)                                                                                     \
    extern "C" __global__ void d_##n(double *x) { x[0] = n(x[1], x[2], x[3]); }
#define R4D1(n) DI1(n##_rn) DI1(n##_rz) DI1(n##_ru) DI1(n##_rd)
#define R4D2(n) DI2(n##_rn) DI2(n##_rz) DI2(n##_ru) DI2(n##_rd)
#define R4D3(n) DI3(n##_rn) DI3(n##_rz) DI3(n##_ru) DI3(n##_rd)
    // clang-format off
R4D2(__dadd) R4D2(__dsub) R4D2(__dmul) R4D2(__ddiv) R4D3(__fma) R4D1(__drcp) R4D1(__dsqrt)
// clang-format on
#define CV(n, T, S)                                                                                \
    extern "C" __global__ void c_##n(T *o, const S *a) { o[0] = n(a[1]); }
#define CV4(n, T, S) CV(n##_rn, T, S) CV(n##_rz, T, S) CV(n##_ru, T, S) CV(n##_rd, T, S)
    // clang-format off
CV4(__double2float, float, double) CV4(__double2int, int, double)
CV4(__double2uint, unsigned, double) CV4(__double2ll, long long, double)
CV4(__double2ull, unsigned long long, double)
CV4(__float2int, int, float) CV4(__float2uint, unsigned, float) CV4(__float2ll, long long, float)
CV4(__float2ull, unsigned long long, float)
CV4(__int2float, float, int) CV4(__uint2float, float, unsigned) CV4(__ll2float, float, long long)
CV4(__ull2float, float, unsigned long long) CV4(__ll2double, double, long long)
CV4(__ull2double, double, unsigned long long)
CV(__int2double_rn, double, int) CV(__uint2double_rn, double, unsigned)
CV(__double2hiint, int, double) CV(__double2loint, int, double)
CV(__double_as_longlong, long long, double) CV(__longlong_as_double, double, long long)
CV(__float_as_int, int, float) CV(__float_as_uint, unsigned, float)
CV(__uint_as_float, float, unsigned)
    // clang-format on
    extern "C" __global__ void ints(int *i, unsigned *u, long long *l, unsigned long long *ul) {
    u[0] = __brev(u[1]);
    ul[0] = __brevll(ul[1]);
    u[2] = __byte_perm(u[1], u[2], u[3]);
    i[0] =
        __clz(i[1]) + __clzll(l[1]) + __ffs(i[2]) + __ffsll(l[2]) + __popc(u[4]) + __popcll(ul[2]);
    u[3] = __fns(u[1], u[2], i[3]);
    u[4] = __funnelshift_l(u[1], u[2], u[3]) + __funnelshift_lc(u[1], u[2], u[3]) +
           __funnelshift_r(u[1], u[2], u[3]) + __funnelshift_rc(u[1], u[2], u[3]);
    i[4] = __hadd(i[1], i[2]) + __rhadd(i[1], i[2]) + __mul24(i[1], i[2]) + __mulhi(i[1], i[2]);
    u[5] = __uhadd(u[1], u[2]) + __urhadd(u[1], u[2]) + __umul24(u[1], u[2]) +
           __umulhi(u[1], u[2]) + __sad(i[1], i[2], u[1]) + __usad(u[1], u[2], u[3]);
    l[3] = __mul64hi(l[1], l[2]);
    ul[3] = __umul64hi(ul[1], ul[2]);
    i[5] = __dp4a(i[1], i[2], i[3]) + __dp2a_lo(i[1], i[2], i[3]) + __dp2a_hi(i[1], i[2], i[3]);
    u[6] = __dp4a(u[1], u[2], u[3]) + __dp2a_lo(u[1], u[2], u[3]) + __dp2a_hi(u[1], u[2], u[3]);
    i[6] = __dp4a(*(char4 *)&i[1], *(char4 *)&i[2], i[3]) +
           __dp2a_lo(*(short2 *)&i[1], *(char4 *)&i[2], i[3]);
    u[7] = __nv_bswap32(u[1]);
}
#define V1(n)                                                                                      \
    extern "C" __global__ void v_##n(unsigned *o) { o[0] = n(o[1]); }
#define V2(n)                                                                                      \
    extern "C" __global__ void v_##n(unsigned *o) { o[0] = n(o[1], o[2]); }
#define V3(n)                                                                                      \
    extern "C" __global__ void v_##n(unsigned *o) { o[0] = n(o[1], o[2], o[3]); }
// clang-format off
V1(__vabs2) V1(__vabs4) V1(__vabsss2) V1(__vabsss4) V1(__vneg2) V1(__vneg4) V1(__vnegss2)
V1(__vnegss4)
V2(__vabsdiffs2) V2(__vabsdiffs4) V2(__vabsdiffu2) V2(__vabsdiffu4) V2(__vadd2) V2(__vadd4)
V2(__vaddss2) V2(__vaddss4) V2(__vaddus2) V2(__vaddus4) V2(__vavgs2) V2(__vavgs4) V2(__vavgu2)
V2(__vavgu4)
V2(__vcmpeq2) V2(__vcmpeq4) V2(__vcmpges2) V2(__vcmpges4) V2(__vcmpgeu2) V2(__vcmpgeu4)
V2(__vcmpgts2) V2(__vcmpgts4) V2(__vcmpgtu2) V2(__vcmpgtu4) V2(__vcmples2) V2(__vcmples4)
V2(__vcmpleu2) V2(__vcmpleu4) V2(__vcmplts2) V2(__vcmplts4) V2(__vcmpltu2) V2(__vcmpltu4)
V2(__vcmpne2) V2(__vcmpne4)
V2(__vhaddu2) V2(__vhaddu4) V2(__vmaxs2) V2(__vmaxs4) V2(__vmaxu2) V2(__vmaxu4) V2(__vmins2)
V2(__vmins4) V2(__vminu2) V2(__vminu4) V2(__vsads2) V2(__vsads4) V2(__vsadu2) V2(__vsadu4)
V2(__vseteq2) V2(__vseteq4) V2(__vsetges2) V2(__vsetges4) V2(__vsetgeu2) V2(__vsetgeu4)
V2(__vsetgts2) V2(__vsetgts4) V2(__vsetgtu2) V2(__vsetgtu4) V2(__vsetles2) V2(__vsetles4)
V2(__vsetleu2) V2(__vsetleu4) V2(__vsetlts2) V2(__vsetlts4) V2(__vsetltu2) V2(__vsetltu4)
V2(__vsetne2) V2(__vsetne4) V2(__vsub2) V2(__vsub4) V2(__vsubss2) V2(__vsubss4) V2(__vsubus2)
V2(__vsubus4)
V3(__vimax3_s16x2) V3(__vimax3_s16x2_relu) V3(__vimax3_s32) V3(__vimax3_s32_relu)
V3(__vimax3_u16x2) V3(__vimax3_u32) V3(__vimin3_s16x2) V3(__vimin3_s16x2_relu) V3(__vimin3_s32)
V3(__vimin3_s32_relu) V3(__vimin3_u16x2) V3(__vimin3_u32) V3(__viaddmax_s16x2)
V3(__viaddmax_s16x2_relu) V3(__viaddmax_s32) V3(__viaddmax_s32_relu) V3(__viaddmax_u16x2)
V3(__viaddmax_u32) V3(__viaddmin_s16x2) V3(__viaddmin_s16x2_relu) V3(__viaddmin_s32)
V3(__viaddmin_s32_relu) V3(__viaddmin_u16x2) V3(__viaddmin_u32) V2(__vimax_s16x2_relu)
V2(__vimin_s16x2_relu) V2(__vimax_s32_relu) V2(__vimin_s32_relu)
    // clang-format on
    extern "C" __global__ void vib(unsigned *u, int *i) {
    bool p, q;
    u[0] = __vibmax_u16x2(u[1], u[2], &p, &q);
    u[1] = p + q;
    u[2] = __vibmin_s16x2(u[1], u[2], &p, &q);
    u[3] = p + q;
    i[0] = __vibmax_s32(i[1], i[2], &p);
    i[1] = p;
    u[4] = __vibmin_u32(u[5], u[6], &p);
    u[5] = p;
}
extern "C" __global__ void warp(unsigned *u, int *i, float *f, double *d, long long *l,
                                unsigned long long *ul) {
    unsigned m = __activemask();
    u[0] = __shfl_sync(m, u[0], 3) + __shfl_up_sync(m, u[1], 1, 8) + __shfl_down_sync(m, u[2], 2) +
           __shfl_xor_sync(m, u[3], 4);
    d[0] = __shfl_sync(m, d[0], 3);
    l[0] = __shfl_xor_sync(m, l[0], 3);
    f[0] = __shfl_down_sync(m, f[0], 3);
    i[0] = __all_sync(m, i[1]) + __any_sync(m, i[2]);
    u[1] = __ballot_sync(m, i[3]);
    u[2] = __match_any_sync(m, u[3]) + __match_any_sync(m, d[1]);
    int p;
    u[3] = __match_all_sync(m, l[1], &p);
    i[4] = p;
    __syncwarp();
    __syncwarp(m);
#if __CUDA_ARCH__ >= 800
    u[4] = __reduce_add_sync(m, u[4]) + __reduce_min_sync(m, u[5]) + __reduce_max_sync(m, u[6]) +
           __reduce_and_sync(m, u[7]) + __reduce_or_sync(m, u[8]) + __reduce_xor_sync(m, u[9]);
    i[5] = __reduce_add_sync(m, i[4]) + __reduce_min_sync(m, i[5]) + __reduce_max_sync(m, i[6]);
#endif
    __nanosleep(100);
    ul[0] = clock64() + clock();
}
