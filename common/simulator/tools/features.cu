// SPDX-License-Identifier: MIT
// A kernel for each feature whose speed the benchmark lists (features.def): a loop of it, on 4,096
// words of global memory that a block shares with all others. Arithmetic goes on from what it gave.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define FEATURE_KERNEL(name, ...)                                                                  \
    extern "C" __global__ void feature_##name(int *memory, int count) {                            \
        const int t = threadIdx.x + blockIdx.x * blockDim.x;                                       \
        int sum = t == -1;                                                                         \
        __VA_ARGS__                                                                                \
        if (sum == -7) memory[0] = sum;                                                            \
    }
#define LOOP        for (int i = 0; i < count; i++)
#define NEIGHBOUR   ((t + 32 * i) & 1023)
#define OTHER_LINES ((t * 33 + i) * 32 & 4095)
#define GATHERED    (((t ^ i) * 1029 & 127) * 32)

FEATURE_KERNEL(load, LOOP sum += memory[NEIGHBOUR];)
FEATURE_KERNEL(
    load_char4, LOOP {
        char4 v = ((const char4 *)memory)[NEIGHBOUR];
        sum += v.x + v.y + v.z + v.w;
    })
FEATURE_KERNEL(load_volatile, LOOP sum += ((volatile int *)memory)[NEIGHBOUR];)
FEATURE_KERNEL(store, LOOP memory[NEIGHBOUR] = i;)
FEATURE_KERNEL(store_volatile, LOOP((volatile int *)memory)[NEIGHBOUR] = i;)
FEATURE_KERNEL(load_lines, LOOP sum += memory[OTHER_LINES];)
FEATURE_KERNEL(load_gathered, LOOP sum += memory[GATHERED];)
FEATURE_KERNEL(red_one, LOOP atomicAdd(memory, i);)
FEATURE_KERNEL(red_neighbours, LOOP atomicAdd(memory + NEIGHBOUR, i);)
FEATURE_KERNEL(red_float, LOOP atomicAdd((float *)memory + NEIGHBOUR, 1.0f);)
FEATURE_KERNEL(red_lines, LOOP atomicMax(memory + OTHER_LINES, i);)
FEATURE_KERNEL(atom_add, LOOP sum += atomicAdd(memory + NEIGHBOUR, i);)
FEATURE_KERNEL(atom_cas, LOOP sum += atomicCAS(memory + NEIGHBOUR, 0, 0);)
FEATURE_KERNEL(shared_double, __shared__ double m[64]; m[threadIdx.x & 63] = 1; __syncthreads();
               double s = 0; LOOP s += m[(threadIdx.x + i) & 63]; sum = (int)s;)
FEATURE_KERNEL(
    shared_named, __shared__ int m[64]; LOOP {
        m[threadIdx.x & 63] = i;
        __syncthreads();
        sum += m[0] + m[33];
        __syncthreads();
    })
FEATURE_KERNEL(shared_double_volatile, __shared__ double m[64]; m[threadIdx.x & 63] = 1;
               __syncthreads(); double s = 0;
               LOOP s += ((volatile double *)m)[(threadIdx.x + i) & 63]; sum = (int)s;)
FEATURE_KERNEL(half_fma, __half x = (float)(t % 7); __half y = 0.5f; LOOP x = __hfma(x, y, y);
               sum = (int)(float)x;)
FEATURE_KERNEL(bf16_fma, __nv_bfloat16 x = (float)(t % 7); __nv_bfloat16 y = 0.5f;
               LOOP x = __hfma(x, y, y); sum = (int)(float)x;)
FEATURE_KERNEL(int64_remainder, long long x = t; LOOP x = (x * 77 + i) % (count + 3LL);
               sum = (int)x;)
FEATURE_KERNEL(int64_of_float, float x = t; LOOP x = (float)((long long)(x * 100.0f) & 1023) + 0.5f;
               sum = (int)x;)
FEATURE_KERNEL(match_any, LOOP sum += __match_any_sync(~0u, (t + sum) & 3);)
FEATURE_KERNEL(
    match_all, LOOP {
        int same;
        sum += __match_all_sync(~0u, sum & 1, &same) + same;
    })
FEATURE_KERNEL(redux, LOOP sum += __reduce_add_sync(~0u, t + sum);)
#define APPROXIMATION(instruction) asm(instruction ".approx.f32 %0, %1;" : "=f"(x) : "f"(x + 2.0f));
FEATURE_KERNEL(rcp_approx, float x = t; LOOP APPROXIMATION("rcp") sum = (int)x;)
FEATURE_KERNEL(rsqrt_approx, float x = t; LOOP APPROXIMATION("rsqrt") sum = (int)x;)
FEATURE_KERNEL(sqrt_approx, float x = t; LOOP APPROXIMATION("sqrt") sum = (int)x;)
FEATURE_KERNEL(sin_approx, float x = t; LOOP APPROXIMATION("sin") sum = (int)x;)
FEATURE_KERNEL(tanh_approx, float x = t; LOOP APPROXIMATION("tanh") sum = (int)x;)
FEATURE_KERNEL(ex2_approx, float x = -t; LOOP APPROXIMATION("ex2") sum = (int)x;)
FEATURE_KERNEL(lg2_approx, float x = t; LOOP APPROXIMATION("lg2") sum = (int)x;)
FEATURE_KERNEL(div_approx, float x = t; LOOP x = __fdividef(2.0f, x + 2.0f); sum = (int)x;)
FEATURE_KERNEL(shuffle, LOOP sum += __shfl_xor_sync(~0u, t + sum, 5);)

// What a launch costs of a kernel of some ten thousand instructions, of which a few run.
extern "C" __global__ void bench_large(float *x, int goes_on) {
    if (!goes_on) return;
    float a = x[threadIdx.x], b = a + 1.0f;
#pragma unroll
    for (int i = 0; i < 1500; i++) {
        a = a * b + 0.5f;
        b = b * a - 0.25f;
        if (a > 1e6f) a = 1.0f;
        b = fminf(b, 100.0f);
    }
    x[threadIdx.x] = a + b;
}
