// The kernel of kl_probe_tensor: products of halves with sums in float, as fast as the tensor cores
// take them. Compute capability 9.0 reaches its rate by products of warp groups (wgmma, code for
// 9.0a); 8.x by those of warps (mma.sync). The factors are no zeros: with these a card needs less
// power, and keeps a faster clock than any real product has.
#include "probes.h"

#include <cuda_runtime.h>

namespace {

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

enum { STEPS = KL_PROBE_TENSOR_BLOCK_PRODUCTS / (64 * 128 * 16) / 2 }; // of each of two groups

// A shared memory matrix of which all elements are alike, so that any layout is right: this one has
// rows of 16 bytes, and no swizzle.
__device__ unsigned long long describe_matrix(const void *at) {
    unsigned long long address = (unsigned long long)__cvta_generic_to_shared(at);
    return (address & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
}

__device__ void multiply(float d[64], unsigned long long a, unsigned long long b) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 0, 0;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                   "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                   "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
                   "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                   "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
                   "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                   "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                 : "l"(a), "l"(b), "r"(1));
}

__global__ void __launch_bounds__(KL_PROBE_TENSOR_THREADS) tensor_kernel(float *sink) {
    __shared__ __align__(128) uint4 a[64 * 16 / 8], b[128 * 16 / 8];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 128 * 16 / 8; i += KL_PROBE_TENSOR_THREADS)
        b[i] = a[i % (64 * 16 / 8)] =
            make_uint4(0x35e93b1fu, 0xb4d23a6bu, 0x39c5b7a1u, 0xba5d36e7u);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float sum[64] = {};
    unsigned long long da = describe_matrix(a), db = describe_matrix(b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < STEPS; i += 4) {
#pragma unroll
        for (int k = 0; k < 4; k++) multiply(sum, da, db);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    float total = 0.0f;
#pragma unroll
    for (int k = 0; k < 64; k++) total += sum[k];
    if (total != total) *sink = total;
}

#elif !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

enum {
    CHAINS = 8,
    STEPS = KL_PROBE_TENSOR_BLOCK_PRODUCTS / (16 * 8 * 16) / 8 / CHAINS
}; // of 8 warps

__global__ void __launch_bounds__(KL_PROBE_TENSOR_THREADS) tensor_kernel(float *sink) {
    float sum[CHAINS][4] = {};
    unsigned a = 0x35e93b1fu + threadIdx.x, b = 0xb4d23a6bu + threadIdx.x;
    for (int i = 0; i < STEPS; i++) {
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                         "{%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};"
                         : "+f"(sum[k][0]), "+f"(sum[k][1]), "+f"(sum[k][2]), "+f"(sum[k][3])
                         : "r"(a), "r"(b));
    }
    float total = 0.0f;
#pragma unroll
    for (int k = 0; k < CHAINS; k++) total += sum[k][0] + sum[k][1] + sum[k][2] + sum[k][3];
    if (total != total) *sink = total;
}

#endif

} // namespace

extern "C" int kl_probe_tensor(int blocks, float *d_sink) {
    tensor_kernel<<<(unsigned)blocks, KL_PROBE_TENSOR_THREADS>>>(d_sink);
    return (int)cudaGetLastError();
}
