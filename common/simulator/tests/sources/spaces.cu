// SPDX-License-Identifier: MIT
// Memory spaces, widths and numbers for the executor's tests.
// ptx: spaces -O3 -lineinfo
// ptx: spaces_debug -G
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ int counter = 41;
__device__ const char *words[2] = {"alpha", "beta"};

extern "C" __global__ void local_array(int *out, const int *index) {
    int a[40];
    for (int i = 0; i < 40; i++) a[i] = i * i + threadIdx.x;
    out[threadIdx.x] = a[index[threadIdx.x]] + a[index[threadIdx.x + 32]];
}
extern "C" __global__ void local_bytes(int *out, const int *index) {
    signed char bytes[64];
    long long wide[8];
    for (int i = 0; i < 64; i++) bytes[i] = (signed char)(i * 3 + threadIdx.x);
    for (int i = 0; i < 8; i++) wide[i] = (long long)i << 33;
    out[threadIdx.x] = bytes[index[threadIdx.x]] + (int)(wide[index[threadIdx.x] & 7] >> 33);
}
// The address of each lane may lie in another space.
extern "C" __global__ void generic(int *out, int *global) {
    __shared__ int shared[32];
    int local[4] = {10, 20, 30, 40};
    int t = threadIdx.x;
    shared[t] = 1000 + t;
    __syncthreads();
    int *p = t % 3 == 0 ? &shared[t] : t % 3 == 1 ? &global[t] : &local[t & 3];
    *p += 5;
    atomicAdd(p, 1);
    out[t] = *p;
}
extern "C" __global__ void vectors(const float4 *in, float4 *out, const double2 *din, double2 *dout,
                                   int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    out[n - 1 - i] = make_float4(v.w, v.z, v.y, v.x);
    double2 d = din[i];
    dout[i] = make_double2(d.y, d.x);
}
extern "C" __global__ void narrow(const unsigned char *in, signed char *out8, short *out16, int n) {
    int i = threadIdx.x;
    if (i < n) {
        out8[i] = (signed char)(in[i] - 100);
        out16[i] = (short)(in[i] * 300);
    }
}
extern "C" __global__ void constants(int *out) {
    out[threadIdx.x] =
        primes[threadIdx.x % 8] + (threadIdx.x == 0 ? counter : 0) + words[threadIdx.x & 1][2];
    if (threadIdx.x == 0) counter++;
}
struct big {
    int a[5];
    double d;
    char c;
};
extern "C" __global__ void struct_param(big b, int *out) {
    out[threadIdx.x] = b.a[threadIdx.x % 5] + (int)b.d + b.c;
}

extern "C" __global__ void numbers(const double *x, double *out, float *fout) {
    int t = threadIdx.x;
    double v = x[t];
    out[t] = sqrt(v) + exp(v / 50) + log(v + 1) + pow(v, 0.3) + v / 3 + fmod(v, 0.7);
    float f = (float)v;
    fout[t] = sqrtf(f) + expf(f / 50) + logf(f + 1) + powf(f, 0.3f) + sinf(f) + f / 3 +
              fmodf(f, 0.7f) + rsqrtf(f + 1) + tanhf(f);
    fout[t + 32] = __expf(f / 50) + __sinf(f / 10) + __fdividef(f, 3.0f) + __log2f(f + 1);
}
extern "C" __global__ void halves(const float *x, float *out) {
    int t = threadIdx.x;
    __half2 a = __floats2half2_rn(x[t], x[31 - t]), b = __float2half2_rn(1.5f);
    __half2 c = __hfma2(a, b, __float2half2_rn(0.25f));
    out[t] = __low2float(c) + __high2float(c);
    __nv_bfloat16 p = __float2bfloat16(x[t]), q = __float2bfloat16(3.0f);
    out[t + 32] = __bfloat162float(__hmul(p, q));
    out[t + 64] = __half2float(__hadd(__float2half(x[t]), __float2half(0.1f)));
}
extern "C" __global__ void integers(const int *x, long long *out) {
    int t = threadIdx.x, a = x[t], b = x[31 - t] | 1;
    long long l = (long long)a * b;
    unsigned long long u = (unsigned long long)(unsigned)a << 20 | (unsigned)b;
    out[t] =
        l / (b % 1000 + 1001) + l % 977 + __mulhi(a, b) + __popc(a) + __clz(b) + __brev(a) % 100;
    out[t + 32] = (long long)(u / (unsigned long long)(b & 0xFFFF | 1)) +
                  (long long)__umul64hi(u, u) + __ffsll(u);
    out[t + 64] =
        __byte_perm(a, b, 0x5410) + __funnelshift_l(a, b, t) + __dp4a(a, b, t) + __sad(a, b, 3);
}
extern "C" __global__ void out_of_bounds(float *x, int i) { x[i + (int)threadIdx.x] = 1.0f; }
extern "C" __global__ void misaligned(char *x, int i) { *(int *)(x + i) = 1; }
extern "C" __global__ void shared_overrun(int *out, int i) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + i];
}
extern "C" __global__ void null_write(int *x) { *x = 1; }
extern "C" __global__ void traps() {
    if (threadIdx.x == 3) __trap();
}
extern "C" __global__ void uninitialised(unsigned *out) {
    __shared__ unsigned s[32];
    out[threadIdx.x] = s[threadIdx.x];
}

// Every thread reads its row, which others and it itself write to: `same` is the table, too.
extern "C" __global__ void rows_apart(const int *table, int *same, int row, int *out) {
    int t = threadIdx.x, other = (t + 32) % 64, sum = 0;
    for (int i = 0; i < 32; i++) {
        sum = 3 * sum + table[t * row + i];
        if (i % 5 == 4) same[t * row + i + 1] = sum;
    }
    out[t] = sum;
    __syncthreads();
    same[t * row + 3] = sum;
    __syncthreads();
    out[64 + t] = table[other * row + 2] + table[other * row + 3] + table[other * row + 4];
}

// One, two and four words at places of no order.
extern "C" __global__ void shared_words(const int *index, int *out) {
    __shared__ __align__(16) int s[1024];
    int t = threadIdx.x, at = index[t];
    for (int i = t; i < 1024; i += 32) s[i] = 7 * i + 1;
    __syncthreads();
    int4 four = ((const int4 *)s)[at & 255];
    int2 two = ((const int2 *)s)[at & 511];
    out[t] = four.x + 3 * four.y + 5 * four.z + 7 * four.w + 11 * two.x + 13 * two.y + 17 * s[at];
}
