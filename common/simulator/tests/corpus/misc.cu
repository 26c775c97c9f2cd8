// SPDX-License-Identifier: MIT
// Language and library: recursion, pointers, virtual functions, heap, printf, atomics, caches.
// Compiled, and nothing of it may be refused (compare.sh); nobody runs it.
#include <cstdio>
#include <cassert>
#include <cstdlib>
#include <new>
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursion(int *o) { o[threadIdx.x] = fib(threadIdx.x % 8); }
typedef int (*op)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int mul(int a, int b) { return a * b; }
__device__ op table[] = {add, mul};
extern "C" __global__ void pointers(int *o) { o[threadIdx.x] = table[o[0] & 1](o[1], o[2]); }
struct base {
    __device__ virtual int f() { return 1; }
    __device__ virtual ~base() {}
};
struct derived : base {
    int x;
    __device__ derived(int v) : x(v) {}
    __device__ int f() override { return x; }
};
extern "C" __global__ void virtuals(int *o) {
    base *b = new derived(o[0]);
    o[1] = b->f();
    delete b;
}
extern "C" __global__ void heap(int *o) {
    int *p = (int *)malloc(64);
    p[threadIdx.x & 7] = 3;
    o[0] = p[1];
    free(p);
}
extern "C" __global__ void fails(int *o) {
    assert(o[0] == 3);
    if (o[1]) __trap();
    if (o[2]) __brkpt();
}
extern "C" __global__ void prints(int *o) {
    printf("%d %u %x %X %o %c %s %p %f %e %g %a %lld %llu %5.2f %-8d %+d %08d %% %*d %i %hd %hhd "
           "%zu %ld\n",
           o[0], 1u, 2u, 3u, 4u, 'c', "str", o, 1.0, 2.0, 3.0, 4.0, 5ll, 6ull, 1.25, 3, 4, 5, 8, 9,
           7, (short)1, (char)2, sizeof 1, 3l);
}
extern "C" __global__ void fences(int *o) {
    __threadfence_block();
    o[0] = 1;
    __threadfence();
    o[1] = 2;
    __threadfence_system();
}
extern "C" __global__ void barriers(int *o) {
    o[0] = __syncthreads_count(o[1]) + __syncthreads_and(o[2]) + __syncthreads_or(o[3]);
    __syncthreads();
}
extern "C" __global__ void loads(int *o, const int *a, const float4 *b, double2 *d) {
    o[0] = __ldg(a) + __ldcg(a) + __ldca(a) + __ldcs(a) + __ldlu(a) + __ldcv(a);
    float4 v = __ldg(b);
    __stcg(o + 1, (int)v.x);
    __stwb(o + 2, (int)v.y);
    __stcs(o + 3, 1);
    __stwt(o + 4, 2);
    d[0] = __ldg(d + 1);
}
extern "C" __global__ void allocas(int *o, int n) {
    int *p = (int *)alloca(n * 4);
    for (int i = 0; i < n; i++) p[i] = i;
    o[0] = p[o[1]];
}
extern "C" __global__ void vla2(int *o, int n) {
    for (int k = 0; k < n; k++) {
        int *p = (int *)__builtin_alloca(n * 4);
        for (int i = 0; i < n; i++) p[i] = i;
        o[k] = p[o[1]];
    }
}
extern "C" __global__ void i128(__int128 *o) {
    o[0] = o[1] * o[2] + o[3] / o[4] - (o[5] >> 7) + (o[6] << 9);
    o[7] = (__int128)(double)o[1];
}
extern "C" __global__ void atoms(int *i, unsigned *u, unsigned long long *ul, float *f, double *d,
                                 long long *l, float2 *f2, float4 *f4, unsigned short *us) {
    i[0] = atomicAdd(i + 1, 1) + atomicSub(i + 2, 1) + atomicExch(i + 3, 2) + atomicMin(i + 4, 2) +
           atomicMax(i + 5, 3) + atomicCAS(i + 6, 1, 2) + atomicAnd(i + 7, 1) + atomicOr(i + 8, 1) +
           atomicXor(i + 9, 3);
    u[0] = atomicInc(u + 1, 5) + atomicDec(u + 2, 7) + atomicAdd_block(u + 3, 1) +
           atomicAdd_system(u + 4, 1);
    us[0] = atomicCAS(us + 1, 1, 2);
    ul[0] = atomicAdd(ul + 1, 1) + atomicExch(ul + 2, 1) + atomicMin(ul + 3, 1) +
            atomicMax(ul + 4, 1) + atomicCAS(ul + 5, 1, 2) + atomicAnd(ul + 6, 1) +
            atomicOr(ul + 7, 1) + atomicXor(ul + 8, 3);
    l[0] = atomicMin(l + 1, -1) + atomicMax(l + 2, -1);
    f[0] = atomicAdd(f + 1, 1.f) + atomicExch(f + 2, 2.f);
    d[0] = atomicAdd(d + 1, 1.);
#if __CUDA_ARCH__ >= 900
    f2[0] = atomicAdd(f2 + 1, make_float2(1, 2));
    f4[0] = atomicAdd(f4 + 1, make_float4(1, 2, 3, 4));
    __int128 *q = (__int128 *)l;
    q[0] = atomicExch(q + 1, q[2]);
    q[3] = atomicCAS(q + 4, q[5], q[6]);
#endif
    int x = 5;
    i[1] = atomicAdd(&x, i[2]) + x;
    unsigned long long y[4] = {ul[1], ul[2]};
    ul[5] = atomicAdd(&y[i[3] & 3], 7ull) + y[i[4] & 3];
    double z[2] = {d[2], d[3]};
    d[4] = atomicAdd(&z[i[5] & 1], 2.0) + z[1];
    ul[6] = atomicCAS(&y[i[6] & 3], 1ull, 2ull);
}
extern "C" __global__ void geom(unsigned *o) {
    unsigned r;
    asm("mov.u32 %0, %%smid;" : "=r"(r));
    o[0] = r;
    asm("mov.u32 %0, %%warpid;" : "=r"(r));
    o[1] = r;
    asm("mov.u32 %0, %%nwarpid;" : "=r"(r));
    o[2] = r;
    asm("mov.u32 %0, %%nsmid;" : "=r"(r));
    o[3] = r;
    unsigned long long g;
    asm("mov.u64 %0, %%globaltimer;" : "=l"(g));
    o[4] = g;
    asm("mov.u64 %0, %%gridid;" : "=l"(g));
    o[5] = g;
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(r));
    o[6] = r;
    o[7] = warpSize;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(r));
    o[8] = r;
    asm("mov.u32 %0, %%clock_hi;" : "=r"(r));
    o[9] = r;
    asm("mov.u32 %0, %%globaltimer_lo;" : "=r"(r));
    o[10] = r;
    asm("mov.u32 %0, %%globaltimer_hi;" : "=r"(r));
    o[11] = r;
}
extern "C" __global__ void spaces(int *o, void *p) {
    o[0] = __isGlobal(p) + __isShared(p) + __isConstant(p) + __isLocal(p) + __isGridConstant(p);
    o[1] = (int)__cvta_generic_to_shared(p) + (int)__cvta_generic_to_global(p) +
           (int)__cvta_generic_to_local(p) + (int)__cvta_generic_to_constant(p);
    o[2] = (int)(size_t)__cvta_shared_to_generic(o[3]);
}
extern "C" __global__ void param(const __grid_constant__ int4 v, int *o) {
    const int *p = &v.x;
    o[0] = p[o[1] & 3];
}
extern "C" __global__ void switches(int *o, int n) {
    switch (n) {
    case 0: o[0] = 1; break;
    case 1: o[1] = 3; break;
    case 2: o[3] = 3; break;
    case 3: o[4] = 5; break;
    case 4: o[2] = 9; break;
    case 5: o[5] = 2; break;
    case 6: o[7] = 3; break;
    default: o[9] = 0;
    }
}
