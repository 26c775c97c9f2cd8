// SPDX-License-Identifier: MIT
// Shared memory whose layout decode/nvcc_test.c compares with ptxas's: statics, dynamic, in
// callees, module scope. Input of decode/nvcc_test.c: what nvcc makes of it must decode; nobody
// runs it.
// ptx: shared -O3 -lineinfo
extern __shared__ __align__(16) char dynamic[];
__shared__ char flags[3]; // used by two kernels: stays at module scope

__device__ __noinline__ int callee(int x) {
    __shared__ int own[5];
    own[x] = x;
    __syncthreads();
    return own[x ^ 1] + dynamic[x];
}
#define USE(type, name, count)                                                                     \
    __shared__ type name[count];                                                                   \
    name[o[0]] = 1;                                                                                \
    __syncthreads();                                                                               \
    o[1] += name[o[2]];
extern "C" __global__ void floats(int *o) { USE(float, a, 33) }
extern "C" __global__ void mixed(int *o) {
    USE(char, a, 1) USE(double, b, 1) USE(char, c, 3) USE(int, d, 1)
}
extern "C" __global__ void with_dynamic(int *o) { USE(char, a, 1) o[3] += dynamic[o[4]]; }
extern "C" __global__ void aligned(int *o) {
    USE(char, a, 1)
    USE(char, b, 130)
    __shared__ __align__(128) char c[3];
    c[o[0]] = 1;
    __syncthreads();
    o[0] = c[1];
}
extern "C" __global__ void calls_one(int *o) { USE(char, a, 3) o[4] = callee(o[5]); }
extern "C" __global__ void calls_two(int *o) { USE(char, a, 1) o[4] = callee(o[5]) + flags[o[6]]; }
extern "C" __global__ void uses_flags(int *o) {
    flags[o[0]] = 1;
    __syncthreads();
    o[1] = flags[o[2]];
}
extern "C" __global__ void none(int *o) { o[0] = 1; }
