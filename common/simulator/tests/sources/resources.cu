// SPDX-License-Identifier: MIT
// Compiled by the front end's tests, never run: kernels that differ in registers, stack, shared
// memory, barriers, parameters and spills, so that the cubin reader can be compared with what ptxas
// prints.
// ptx: resources
#include <cstdio>

__constant__ double constants[37];

struct large {
    char bytes[4000];
};

extern "C" {
__global__ void nothing(int *out) { out[0] = 1; }

__global__ void one_barrier(int *out) {
    __shared__ int tile[10];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[0] = tile[threadIdx.x ^ 1];
}

__global__ void local_array(float *out, double d, char c) {
    double array[100];
    for (int i = 0; i < 100; i++) array[i] = out[i] * constants[i % 37];
    out[0] = array[(int)out[3] % 100] + d + c;
}

__global__ void __launch_bounds__(1024) spilling(float *out) {
    float a[64];
    for (int i = 0; i < 64; i++) a[i] = out[i * 32 + threadIdx.x];
    for (int j = 0; j < 10; j++) {
#pragma unroll
        for (int i = 0; i < 64; i++) a[i] = a[i] * a[(i * 7 + 3) & 63] + out[j];
    }
    for (int i = 0; i < 64; i++) out[i * 32 + threadIdx.x] = a[i];
}

__global__ void named_barriers(int *out) {
    asm volatile("bar.sync 3, 64;");
    asm volatile("barrier.sync 5, 64;");
    out[0] = 1;
}

__global__ void any_barrier(int *out, int b) {
    asm volatile("bar.sync %0, 64;" ::"r"(b));
    out[0] = 1;
}

__device__ __noinline__ int leaf(int n) {
    volatile int q[25];
    q[n % 25] = n;
    return q[n % 7];
}

__global__ void calling(int *out) {
    volatile int q[5];
    q[out[2]] = 3;
    out[0] = leaf(out[1]) + q[out[3]];
}

__global__ void __launch_bounds__(128, 8) printing(int *out) {
    extern __shared__ int dynamic[];
    out[0] = dynamic[threadIdx.x];
    printf("%d", out[1]);
}

__global__ void large_parameter(large b, int *out, short s) { out[0] = b.bytes[out[1]] + s; }

__global__ void double_precision(double *out) {
    __shared__ double s[6144];
    s[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[0] = s[0] / s[1] + sin(s[2]);
}

__global__ void two_dimensional(float *out) {
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = out[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
}
