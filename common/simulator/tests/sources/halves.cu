// SPDX-License-Identifier: MIT
// Half-precision and bfloat16 arithmetic.
// Input of decode/nvcc_test.c: what nvcc makes of it must decode; nobody runs it.
// ptx: halves -O3 -lineinfo
// ptx: halves_debug -G
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(__half *a, __half2 *b, float *f, int *i, double *d, short *s) {
    a[0] = a[1] + a[2] * a[3] - a[4] / a[5];
    b[0] = b[1] + b[2] * b[3] - b[4] / b[5];
    a[1] = hsin(a[2]) + hlog(a[3]) + hsqrt(a[4]) + hrcp(a[6]) + hexp2(a[7]) + hceil(a[1]) +
           hrint(a[3]);
    b[1] = h2exp(b[3]) + __habs2(b[6]) + __hneg2(b[7]) + __hmin2(b[1], b[2]) +
           __hmax2_nan(b[2], b[3]) + __hfma2_relu(b[1], b[2], b[3]) + __hfma2_sat(b[1], b[2], b[3]);
    f[0] = __half2float(a[2]) + __low2float(b[2]);
    a[3] = __float2half(f[2]);
    a[4] = __float2half_rz(f[3]);
    b[5] = __floats2half2_rn(f[1], f[2]);
    a[5] = __double2half(d[0]);
    a[6] = __int2half_rn(i[1]);
    i[2] = __half2int_rz(a[7]);
    s[0] = __half2short_rn(a[8]);
    i[5] = __heq(a[1], a[2]) + __hbeq2(b[1], b[2]) + __hisnan(a[3]) + __heq2_mask(b[1], b[2]);
    b[6] = __heq2(b[1], b[2]);
    atomicAdd(a, a[1]);
    atomicAdd(b, b[1]);
    b[7] = __shfl_sync(~0u, b[7], 3);
    b[9] = __lowhigh2highlow(b[1]);
}

extern "C" __global__ void brains(__nv_bfloat16 *c, __nv_bfloat162 *d, float *f, int *i) {
    c[0] = c[1] + c[2] * c[3] - c[4] / c[5];
    d[0] = d[1] + d[2] * d[3] - d[4] / d[5];
    c[1] = hexp(c[3]) + hsqrt(c[4]) + __habs(c[5]) + __hmin(c[6], c[7]) + __hmax_nan(c[1], c[2]);
    f[0] = __bfloat162float(c[2]) + __high2float(d[2]);
    c[4] = __float2bfloat16(f[3]);
    d[5] = __floats2bfloat162_rn(f[1], f[2]);
    c[6] = __int2bfloat16_rn(i[1]);
    i[4] = __bfloat162int_rz(c[8]);
    i[5] = __hgt(c[1], c[2]) + __hgeu(c[1], c[2]) + __hltu2_mask(d[1], d[2]);
    d[6] = __hgt2(d[1], d[2]);
    atomicAdd(c, c[1]);
    atomicAdd(d, d[1]);
}
