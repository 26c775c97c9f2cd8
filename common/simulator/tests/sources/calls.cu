// SPDX-License-Identifier: MIT
// Calls: recursion, function pointers, virtual functions, structures by value, printf, assert, the
// heap. Input of decode/nvcc_test.c: what nvcc makes of it must decode; nobody runs it.
// ptx: calls -O3 -lineinfo
// ptx: calls_debug -G
// ptx: calls_rdc -rdc=true
#include <cassert>
#include <cstdio>

struct shape {
    int sides[20];
    double area;
    virtual __device__ int count(int x) { return x + sides[0]; }
};
struct square : shape {
    __device__ int count(int x) override { return x * 2; }
};

__device__ __noinline__ shape make_shape(int x) {
    shape result;
    for (int i = 0; i < 20; i++) result.sides[i] = x + i;
    result.area = x;
    return result;
}

__device__ __noinline__ int recurse(int *values, int n) {
    if (n <= 0) return values[0];
    int local[8];
    for (int i = 0; i < 8; i++) local[i] = values[i] * n;
    return recurse(local, n - 1) + local[n & 7];
}

typedef int (*function)(int);
__device__ __noinline__ int plus_one(int x) { return x + 1; }
__device__ __noinline__ int times_three(int x) { return x * 3; }
__device__ function table[2] = {plus_one, times_three};
__device__ int values[4] = {1, 2, 3, 4};
__device__ int *pointers[2] = {&values[1], &values[3]};

extern "C" __global__ void calls(int *out, int n, shape *given) {
    shape made = make_shape(n);
    out[0] = made.sides[out[1] & 15] + recurse(out, n) + given->count(n);
    shape *fresh = n > 3 ? new square : new shape;
    out[1] = fresh->count(n) + table[n & 1](n) + *pointers[n & 1];
    delete fresh;
    void *memory = malloc(100);
    free(memory);
    printf("%d %s %f\n", n, "text", 1.0);
    assert(n != 7);
    if (n == 9) __trap();
}

struct block {
    int v[40];
};
__device__ __noinline__ int pick(block b, int i) { return b.v[i]; }
extern "C" __global__ void by_value(block b, int i, int *out) {
    out[0] = b.v[i];
    b.v[i] = 3;
    out[1] = pick(b, i);
}
extern "C" __global__ void grid_constant(const __grid_constant__ block b, int i, int *out) {
    const int *p = &b.v[i];
    out[0] = *p;
}
