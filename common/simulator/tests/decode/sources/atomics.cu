// SPDX-License-Identifier: MIT
// Every atomic, fence, vote, match and barrier that CUDA C has on sm_90.
// Input of decode/nvcc.c: what nvcc makes of it must decode; nobody runs it.
extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d,
                                   unsigned short *s) {
    i[1] = atomicAdd(i, 1) + atomicSub(i, 2) + atomicMin(i, 3) + atomicMax(i, 4) + atomicAnd(i, 5) +
           atomicOr(i, 6) + atomicXor(i, 7) + atomicExch(i, 8) + atomicCAS(i, 9, 10);
    u[1] = atomicInc(u, 11) + atomicDec(u, 12) + atomicMin(u, 1) + atomicMax(u, 2);
    l[1] = atomicAdd(l, 1) + atomicMin(l, 2) + atomicCAS(l, 3, 4) + atomicExch(l, 4) +
           atomicMax((long long *)l, 3);
    f[1] = atomicAdd(f, 1) + atomicExch(f, 2);
    d[1] = atomicAdd(d, 1);
    s[1] = atomicCAS(s, 1, 2);
    atomicAdd((float2 *)f, make_float2(1, 2));
    atomicAdd((float4 *)f, make_float4(1, 2, 3, 4));
    atomicAdd_block(i, 1);
    atomicAdd_system(i, 1);
    __shared__ int shared_int[32];
    __shared__ float shared_float;
    atomicAdd(shared_int + threadIdx.x, 1);
    atomicAdd(&shared_float, 1.f);
    __syncthreads();
    i[3] = shared_int[3] + shared_float;
}

extern "C" __global__ void warps(int *i, unsigned *u, long long *l, double *d) {
    int all;
    i[0] = __syncthreads_count(i[1]) + __syncthreads_and(i[2]) + __syncthreads_or(i[3]);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    __syncwarp();
    i[4] = __activemask() + __ballot_sync(3, i[5]) + __any_sync(~0u, i[6]) + __all_sync(~0u, i[7]);
    u[0] = __match_any_sync(~0u, i[3]) + __match_all_sync(~0u, l[4], &all) + all;
    u[1] =
        __reduce_and_sync(~0u, u[5]) + __reduce_xor_sync(~0u, u[6]) + __reduce_min_sync(~0u, u[7]);
    i[8] = __shfl_up_sync(~0u, i[1], 1, 16) + __shfl_xor_sync(~0u, i[2], 1);
    d[0] = __shfl_sync(~0u, d[2], 1);
    i[9] = clock() + clock64() + __isGlobal(i) + __isShared(i) + __isLocal(i) + __fns(u[1], 2, 3);
    i[10] = __ldg(i + 12) + __ldcs(i + 13) + __ldcg(i + 14) + __ldcv(i + 15);
    __stwt(i + 11, 2);
    __stcs(i + 12, 3);
    __nanosleep(10);
}
