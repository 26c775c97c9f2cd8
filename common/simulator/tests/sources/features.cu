// SPDX-License-Identifier: MIT
// Compiled by the front end's tests, never run: a little of everything that nvcc turns into PTX of
// its own form.
// ptx: features_line -lineinfo
// ptx: features_debug -G
// ptx: features_rdc -rdc=true
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>

namespace groups = cooperative_groups;

struct shape {
    int scale;
    __device__ virtual int area(int side) const { return side * scale; }
};
struct square : shape {
    __device__ int area(int side) const override { return side * side; }
};

struct record {
    const char *name;
    int *place;
    double weights[3];
};

struct large {
    double values[40];
    short last;
};

__device__ int plain[10];
__device__ float4 vector = {1, 2, 3, 4};
__device__ record records[2] = {{"one", plain + 3, {1.5, -2}}, {"tw\"o\n", plain, {}}};
__constant__ double matrix[3][5] = {{1, 2}, {3}, {4, 5, 6, 7, 8}};
__managed__ int managed = 3;

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ int (*functions[2])(int) = {twice, thrice};

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void calls(large by_value, int *out, int n) {
    shape base;
    square derived;
    base.scale = n;
    const shape *which = n & 1 ? &base : &derived;
    out[0] = which->area(n) + functions[n & 1](n) + fibonacci(n) + *records[n & 1].place;
    printf("%s %d %f\n", records[n & 1].name, out[0], by_value.values[n] + by_value.last);
    switch (n) {
    case 0: out[1] = 5; break;
    case 1: out[2] = twice(7); break;
    case 2: out[1] = 9; break;
    case 3: out[3] = 11; break;
    case 4: out[1] = 77; break;
    case 5: out[4] = 1; break;
    default: __trap();
    }
}

extern "C" __global__ void __launch_bounds__(256, 2) warps(float *out, const float4 *in, int n) {
    __shared__ float4 tile[2][256];
    extern __shared__ double more[];
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    auto warp = groups::tiled_partition<32>(groups::this_thread_block());
    float sum = groups::reduce(warp, tile[0][threadIdx.x].x, groups::plus<float>());
    sum += __shfl_xor_sync(~0u, sum, 5) + __ballot_sync(~0u, n > 3) + vector.y + (float)more[n];
    if (__any_sync(~0u, sum > 1)) atomicAdd(out, sum);
    atomicCAS(&plain[3], 4, managed);
    out[threadIdx.x + 1] = sinf(sum) + __expf(sum) / n + (float)(matrix[n % 3][n % 5] * exp(sum));
}

extern "C" __global__ void halves(__half2 *h, __nv_bfloat162 *b) {
    h[0] = __hfma2(h[1], h[2], h[3]);
    b[0] = __hfma2(b[1], b[2], b[3]);
    h[4] = h2exp(h[5]);
}

extern "C" __global__ void tensors(const half *a, const half *b, float *c) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 16, mem_row_major);
}

extern "C" __global__ void textures(cudaTextureObject_t texture, cudaSurfaceObject_t surface,
                                    float4 *out) {
    int i = threadIdx.x;
    bool resident;
    out[0] = tex1Dfetch<float4>(texture, i);
    out[1] = tex2D<float4>(texture, 0.5f, 0.25f, &resident);
    out[2] = tex3D<float4>(texture, 0.5f, 0.25f, 1.0f);
    surf2Dwrite(resident ? 1.0f : 0.0f, surface, 4 * i, i);
}

// Assembly as people write it: several statements on a line, labels, scopes, blanks in opcodes.
extern "C" __global__ void assembly(int *out, int n) {
    asm volatile("{ .reg .pred p; .reg.b32 t;\n\t setp.eq.s32 p, %1, 3; @p mov.s32 %0, 7;\n"
                 "  @!p bra L%=; /* c */ add .s32 %0,%0,-1; // end\nL%=: }"
                 : "=r"(out[0])
                 : "r"(n));
    asm volatile("bar.sync 1, 64;");
#if __CUDACC_VER_MAJOR__ >= 13 // older assemblers do not know it
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;");
#endif
}
