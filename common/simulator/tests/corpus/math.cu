// SPDX-License-Identifier: MIT
// Every function of the mathematics library, in single and double precision.
// Compiled, and nothing of it may be refused (compare.sh); nobody runs it.
#define F1(n)                                                                                      \
    extern "C" __global__ void f_##n(float *x) { x[0] = n(x[1]); }
#define F2(n)                                                                                      \
    extern "C" __global__ void f_##n(float *x) { x[0] = n(x[1], x[2]); }
#define F3(n)                                                                                      \
    extern "C" __global__ void f_##n(float *x) { x[0] = n(x[1], x[2], x[3]); }
#define D1(n)                                                                                      \
    extern "C" __global__ void d_##n(double *x) { x[0] = n(x[1]); }
#define D2(n)                                                                                      \
    extern "C" __global__ void d_##n(double *x) { x[0] = n(x[1], x[2]); }
#define D3(n)                                                                                      \
    extern "C" __global__ void d_##n(double *x) { x[0] = n(x[1], x[2], x[3]); }
// clang-format off
F1(acosf) F1(acoshf) F1(asinf) F1(asinhf) F1(atanf) F1(atanhf) F1(cbrtf) F1(ceilf) F1(cosf)
F1(coshf) F1(cospif) F1(cyl_bessel_i0f) F1(cyl_bessel_i1f) F1(erfcf) F1(erfcinvf) F1(erfcxf)
F1(erff) F1(erfinvf) F1(exp10f) F1(exp2f) F1(expf) F1(expm1f) F1(fabsf) F1(floorf) F1(j0f) F1(j1f)
F1(lgammaf) F1(log10f) F1(log1pf) F1(log2f) F1(logbf) F1(logf) F1(nearbyintf) F1(normcdff)
F1(normcdfinvf) F1(rcbrtf) F1(rintf) F1(roundf) F1(rsqrtf) F1(sinf) F1(sinhf) F1(sinpif) F1(sqrtf)
F1(tanf) F1(tanhf) F1(tgammaf) F1(truncf) F1(y0f) F1(y1f)
F2(atan2f) F2(copysignf) F2(fdimf) F2(fdividef) F2(fmaxf) F2(fminf) F2(fmodf) F2(hypotf)
F2(nextafterf) F2(powf) F2(remainderf) F2(rhypotf)
F3(fmaf) F3(norm3df) F3(rnorm3df)
D1(acos) D1(acosh) D1(asin) D1(asinh) D1(atan) D1(atanh) D1(cbrt) D1(ceil) D1(cos) D1(cosh)
D1(cospi) D1(cyl_bessel_i0) D1(cyl_bessel_i1) D1(erfc) D1(erfcinv) D1(erfcx) D1(erf) D1(erfinv)
D1(exp10) D1(exp2) D1(exp) D1(expm1) D1(fabs) D1(floor) D1(j0) D1(j1) D1(lgamma) D1(log10)
D1(log1p) D1(log2) D1(logb) D1(log) D1(nearbyint) D1(normcdf) D1(normcdfinv) D1(rcbrt) D1(rint)
D1(round) D1(rsqrt) D1(sin) D1(sinh) D1(sinpi) D1(sqrt) D1(tan) D1(tanh) D1(tgamma) D1(trunc)
D1(y0) D1(y1)
D2(atan2) D2(copysign) D2(fdim) D2(fmax) D2(fmin) D2(fmod) D2(hypot) D2(nextafter) D2(pow)
D2(remainder) D2(rhypot)
D3(fma) D3(norm3d) D3(rnorm3d)
    // clang-format on
    extern "C" __global__ void more(float *f, double *d, int *i, long long *l) {
    f[0] = frexpf(f[1], i);
    d[0] = frexp(d[1], i + 1);
    f[1] = ldexpf(f[1], i[2]);
    d[1] = ldexp(d[1], i[3]);
    f[2] = modff(f[3], f + 4);
    d[2] = modf(d[3], d + 4);
    f[5] = remquof(f[6], f[7], i + 4);
    d[5] = remquo(d[6], d[7], i + 5);
    sincosf(f[8], f + 9, f + 10);
    sincos(d[8], d + 9, d + 10);
    sincospif(f[8], f + 11, f + 12);
    sincospi(d[8], d + 11, d + 12);
    i[6] = ilogbf(f[0]) + ilogb(d[0]);
    l[0] = llrintf(f[1]) + llrint(d[1]) + llroundf(f[2]) + llround(d[2]) + lrintf(f[3]) +
           lrint(d[3]) + lroundf(f[3]) + lround(d[3]);
    f[13] = jnf(i[7], f[14]);
    d[13] = jn(i[7], d[14]);
    f[14] = ynf(i[7], f[14]);
    d[14] = yn(i[7], d[14]);
    f[15] = scalblnf(f[15], l[1]) + scalbnf(f[16], i[8]);
    d[15] = scalbln(d[15], l[1]) + scalbn(d[16], i[8]);
    f[16] = normf(3, f) + rnormf(4, f) + norm4df(f[1], f[2], f[3], f[4]) +
            rnorm4df(f[1], f[2], f[3], f[4]);
    d[16] =
        norm(3, d) + rnorm(4, d) + norm4d(d[1], d[2], d[3], d[4]) + rnorm4d(d[1], d[2], d[3], d[4]);
    i[9] = isnan(f[0]) + isinf(d[0]) + isfinite(f[1]) + signbit(d[3]) + isnan(d[1]) + isinf(f[0]);
    f[17] = nanf("") + __int_as_float(0x7f800000);
    d[17] = nan("");
}
