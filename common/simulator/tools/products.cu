// SPDX-License-Identifier: MIT
// Products on tensor cores for the simulator's speed benchmark (sim_bench.c), in the two forms
// that programs have them. What they compute from is whatever shared memory holds: small numbers.
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

enum { TILES = 20, TILE_BYTES = 256 * 16 * 2, SUMS = 128 };

#define SUM_4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUM_16(i) SUM_4(i), SUM_4(i + 4), SUM_4(i + 8), SUM_4(i + 12)
#define SUM_128                                                                                    \
    SUM_16(0), SUM_16(16), SUM_16(32), SUM_16(48), SUM_16(64), SUM_16(80), SUM_16(96), SUM_16(112)
#define NAMES                                                                                      \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "  \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "   \
    "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "   \
    "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, "   \
    "%74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, "   \
    "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "     \
    "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "   \
    "%123, %124, %125, %126, %127}"

// n products of 64 x 256 x 16 by one warp group, of 20 operands B alternately: more than are kept.
extern "C" __global__ void bench_wgmma(float *y, int n) {
    extern __shared__ __align__(1024) __half tiles[];
    float d[SUMS];
    for (int i = threadIdx.x; i < TILES * TILE_BYTES / 2; i += blockDim.x)
        tiles[i] = __float2half(float(i * 7 % 61 - 30) / 16);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    for (int i = 0; i < SUMS; i++) d[i] = 0;
    uint64_t at =
        __cvta_generic_to_shared(tiles) >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
    for (int i = 0; i < n; i++) {
        uint64_t b = at + uint64_t(i % TILES) * (TILE_BYTES >> 4);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 " NAMES
                     ", %128, %129, 1, 1, 1, 0, 0;"
                     : SUM_128
                     : "l"(at), "l"(b));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (i % 4 == 3) __syncthreads(); // a stage of a pipeline has 64 elements along k
    }
    for (int i = 0; i < SUMS; i++) y[i * blockDim.x + threadIdx.x] = d[i];
}

// C[n][n] = A[n][n] * B[n][n], row-major halves, sums in float; a warp per 32 x 32 elements.
extern "C" __global__ void bench_wmma(const __half *a, const __half *b, float *c, int n) {
    using namespace nvcuda::wmma;
    int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int row = warp / (n / 32) * 32, column = warp % (n / 32) * 32;
    fragment<matrix_a, 16, 16, 16, __half, row_major> of_a[2];
    fragment<matrix_b, 16, 16, 16, __half, row_major> of_b[2];
    fragment<accumulator, 16, 16, 16, float> sums[2][2];
    for (int i = 0; i < 4; i++) fill_fragment(sums[i / 2][i % 2], 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = 0; i < 2; i++) load_matrix_sync(of_a[i], a + (row + 16 * i) * n + k, n);
        for (int i = 0; i < 2; i++) load_matrix_sync(of_b[i], b + k * n + column + 16 * i, n);
        for (int i = 0; i < 4; i++)
            mma_sync(sums[i / 2][i % 2], of_a[i / 2], of_b[i % 2], sums[i / 2][i % 2]);
    }
    for (int i = 0; i < 4; i++)
        store_matrix_sync(c + (row + i / 2 * 16) * n + column + i % 2 * 16, sums[i / 2][i % 2], n,
                          mem_row_major);
}
