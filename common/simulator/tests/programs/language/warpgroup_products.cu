// wgmma in inline PTX as a matrix product uses it: tiles of several steps of k in shared memory
// with a swizzle, A from registers, two warp groups, sums that start from nothing. Small
// integers are exact in every type. With an argument: a block that is no warp group.
// since: 12.4
// architectures: 90a
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "../check.h"

enum { M = 128, N = 32, K = 64, GROUP = 128, SUMS = N / 2, ROW_BYTES = K * 2 };

// Element (row, k) of a tile whose rows of 128 bytes are swizzled.
static __device__ int place(int row, int k) {
    int byte = row * ROW_BYTES + k * 2;
    return (byte ^ (row % 8) << 4) / 2;
}

static __device__ uint64_t swizzled(const void *start) {
    uint64_t address = __cvta_generic_to_shared(start);
    return address >> 4 | uint64_t(1) << 16 | uint64_t(8 * ROW_BYTES >> 4) << 32 |
           uint64_t(1) << 62;
}

#define SUM_4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUM_16    SUM_4(0), SUM_4(4), SUM_4(8), SUM_4(12)
#define NAMES     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"
#define SHAPE     "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
#define CONDITION "{ .reg .pred p; setp.ne.b32 p, "

static __device__ void multiply(float *d, uint64_t a, uint64_t b, int adds) {
    asm volatile(CONDITION "%18, 0;\n\t" SHAPE NAMES ", %16, %17, p, 1, 1, 0, 0; }"
                 : SUM_16
                 : "l"(a), "l"(b), "r"(adds));
}
static __device__ void subtract(float *d, const uint32_t *a, uint64_t b) {
    asm volatile(CONDITION "%21, 0;\n\t" SHAPE NAMES ", {%16, %17, %18, %19}, %20, p, -1, 1, 0; }"
                 : SUM_16
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}

// c = a * b', and with `from_registers` c = -a * b'. a: [M][K], b: [N][K], c: [M][N].
static __global__ void product(float *c, const __half *a, const __half *b, int from_registers) {
    __shared__ __align__(1024) __half tile_a[M * K], tile_b[N * K];
    for (int i = threadIdx.x; i < M * K; i += blockDim.x) tile_a[place(i / K, i % K)] = a[i];
    for (int i = threadIdx.x; i < N * K; i += blockDim.x) tile_b[place(i / K, i % K)] = b[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    int group = threadIdx.x / GROUP, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float d[SUMS];
    for (int i = 0; i < SUMS; i++) d[i] = from_registers ? 0.0f : 1000.0f;
    for (int step = 0; step < K / 16; step++) {
        uint64_t along = step * 32 >> 4; // bytes, as descriptors count them
        uint64_t b_at = swizzled(tile_b) + along;
        uint32_t words[4];
        for (int r = 0; r < 4; r++) {
            int row = warp * 16 + lane / 4 + r % 2 * 8, k = step * 16 + lane % 4 * 2 + r / 2 * 8;
            memcpy(&words[r], &tile_a[place(row, k)], 4);
        }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        if (from_registers) subtract(d, words, b_at);
        else multiply(d, swizzled(tile_a + group * 64 * K) + along, b_at, step > 0);
    }
    asm volatile("wgmma.commit_group.sync.aligned;");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < SUMS; i++) {
        int row = warp * 16 + lane / 4 + i / 2 % 2 * 8;
        c[row * N + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
}

// Bits that are set in both, added to 5: a row of 32 bytes of A, a row of 32 of B. A is made in
// registers; B's matrices of 8 rows of 16 bytes lie one behind the other.
static __host__ __device__ uint8_t bits_of(int row, int byte) {
    return uint8_t((row * 37 + byte * 101 + 11) * 2654435761u >> 13);
}
static __global__ void common_bits(int *c) {
    __shared__ __align__(128) uint8_t tile[8 * 32];
    for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x)
        tile[i % 32 / 16 * 128 + i / 32 * 16 + i % 16] = bits_of(100 + i / 32, i % 32);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
    uint64_t b = __cvta_generic_to_shared(tile) >> 4 | uint64_t(128 >> 4) << 16;
    uint32_t a[4] = {0};
    int d[4] = {5, 5, 5, 5};
    for (int i = 0; i < 16; i++)
        a[i / 4] |= bits_of(row + i / 4 % 2 * 8, lane * 4 + i / 8 * 16 + i % 4) << i % 4 * 8;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, %8, 1;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * 8 + lane * 2 + i % 2] = d[i];
}

// A register count that a warp group gives back and takes again.
static __global__ void __launch_bounds__(GROUP, 1) change_registers(int *out) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    out[threadIdx.x] = threadIdx.x;
}

static float value_a(int i) { return float(i * 7 % 13 - 6); }
static float value_b(int i) { return float(i * 5 % 11 - 5); }

int main(int argc, char **) {
    int threads = argc > 1 ? 64 : 2 * GROUP;
    __half *a, *b;
    float *c;
    CUDA_CHECK(cudaMallocManaged(&a, M * K * sizeof *a));
    CUDA_CHECK(cudaMallocManaged(&b, N * K * sizeof *b));
    CUDA_CHECK(cudaMallocManaged(&c, M * N * sizeof *c));
    for (int i = 0; i < M * K; i++) a[i] = __float2half(value_a(i));
    for (int i = 0; i < N * K; i++) b[i] = __float2half(value_b(i));
    for (int from_registers = 0; from_registers < 2; from_registers++) {
        product<<<1, threads>>>(c, a, b, from_registers);
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < M * N; i++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += value_a(i / N * K + k) * value_b(i % N * K + k);
            EXPECT(c[i] == (from_registers ? -sum : sum));
        }
    }
    common_bits<<<1, GROUP>>>((int *)c);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64 * 8; i++) {
        int sum = 5;
        for (int k = 0; k < 32; k++)
            sum += __builtin_popcount(bits_of(i / 8, k) & bits_of(100 + i % 8, k));
        EXPECT(((int *)c)[i] == sum);
    }
    change_registers<<<1, GROUP>>>((int *)c);
    CUDA_CHECK(cudaDeviceSynchronize());
    return 0;
}
