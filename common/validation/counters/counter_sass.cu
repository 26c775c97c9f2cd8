// Counter kernels whose machine code differs from their PTX on purpose: what a simulator that
// counts on PTX must correct from the cubin. The comments say what ptxas of CUDA 13.0 is known or
// expected to do for sm_90.
#include "counter_kernels.h"

// C = A B, square, of small whole numbers so that floats are exact. n = 64, tile x tile threads per
// block. PTX has 2 * tile scalar ld.shared per tile and thread. ptxas merges the reads along a row
// of tile_a into 128-bit ones: 4 of them and 16 scalar at tile 16. The stores to shared memory stay
// scalar.
template <int tile> static __device__ void gemm(const uint32_t *in, uint32_t *out) {
    enum { n = 64 };
    __shared__ float tile_a[tile][tile], tile_b[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += tile) {
        tile_a[threadIdx.y][threadIdx.x] = (float)(in[row * n + k + threadIdx.x] % 16);
        tile_b[threadIdx.y][threadIdx.x] = (float)(in[4096 + (k + threadIdx.y) * n + column] % 16);
        __syncthreads();
        for (int i = 0; i < tile; i++) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    ((float *)out)[row * n + column] = sum;
}

COUNTER_KERNEL_BODY(sass_gemm_tile_16) { gemm<16>(in, out); }

COUNTER_KERNEL_BODY(sass_gemm_tile_32) { gemm<32>(in, out); }

static __device__ uint32_t shared_address(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

// Two scalar loads of neighbouring words whose first is known to be aligned to 8 bytes.
COUNTER_KERNEL_BODY(sass_merge_shared_pair) {
    __shared__ __align__(16) uint32_t tile[256];
    tile[threadIdx.x] = in[THREAD];
    tile[threadIdx.x + 128] = in[THREAD + 1024];
    __syncthreads();
    uint32_t a, b;
    asm("ld.shared.b32 %0, [%2];\n\tld.shared.b32 %1, [%2+4];"
        : "=r"(a), "=r"(b)
        : "r"(shared_address(tile + threadIdx.x * 2)));
    out[THREAD] = a * 3 + b;
}

// Four scalar stores of neighbouring words whose first is known to be aligned to 16 bytes.
COUNTER_KERNEL_BODY(sass_merge_shared_store) {
    __shared__ __align__(16) uint32_t tile[512];
    uint32_t value = in[THREAD];
    asm volatile("st.shared.b32 [%0], %1;\n\tst.shared.b32 [%0+4], %2;\n\t"
                 "st.shared.b32 [%0+8], %3;\n\tst.shared.b32 [%0+12], %4;" ::"r"(
                     shared_address(tile + threadIdx.x * 4)),
                 "r"(value), "r"(value + 1), "r"(value * 3), "r"(value ^ 5)
                 : "memory");
    __syncthreads();
    out[THREAD] = tile[threadIdx.x] ^ tile[511 - threadIdx.x];
}

// The alignment of a pointer argument is not known, so these four stay apart: 4 requests of 16
// sectors.
COUNTER_KERNEL_BODY(sass_merge_global_quad) {
    const uint32_t *at = in + THREAD * 4;
    uint32_t a, b, c, d;
    asm("ld.global.b32 %0, [%4];\n\tld.global.b32 %1, [%4+4];\n\t"
        "ld.global.b32 %2, [%4+8];\n\tld.global.b32 %3, [%4+12];"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
        : "l"(at));
    out[THREAD] = a + 3 * b + 5 * c + 7 * d;
}

// A branch around one store in PTX, a predicated exit or store in SASS.
COUNTER_KERNEL_BODY(sass_guarded_store) {
    if (THREAD < 2000) out[THREAD] = in[THREAD] + 1;
}

// Eight trips known to the compiler: unrolled in PTX already, loads hoisted together in SASS.
COUNTER_KERNEL_BODY(sass_unrolled_sum) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 8; i++) sum = sum * 3 + in[THREAD + i * 2048];
    out[THREAD] = sum;
}

// An array that cannot live in registers because its index is known at run time only. Lanes' words
// interleave, so that one index for all lanes is one line (4 sectors) and an index a lane is up to
// 32 lines.
static __device__ uint32_t local_array(const uint32_t *in, uint32_t write_at, uint32_t read_at) {
    uint32_t array[32];
#pragma unroll 1
    for (uint32_t i = 0; i < 32; i++) array[(i + write_at) % 32] = in[i] ^ write_at;
    return array[read_at % 32] + array[(read_at * 5 + 1) % 32];
}

COUNTER_KERNEL_BODY(sass_local_uniform_index) {
    out[THREAD] = local_array(in, index[0], index[1]) ^ THREAD;
}

COUNTER_KERNEL_BODY(sass_local_lane_index) {
    out[THREAD] = local_array(in, index[THREAD], index[THREAD + 2048]) ^ THREAD;
}

// 64 live values in at most 32 registers (65536 / (256 threads x 8 blocks)): the rest spills to
// local memory, of which the PTX shows nothing.
extern "C" __global__ void __launch_bounds__(256, 8) sass_spills(COUNTER_ARGUMENTS) {
    uint32_t live[64];
#pragma unroll
    for (int i = 0; i < 64; i++) live[i] = in[THREAD + i * 2048];
#pragma unroll 1
    for (uint32_t trip = 0; trip < 2 + index[0] % 4; trip++) {
#pragma unroll
        for (int i = 0; i < 64; i++) live[i] = live[i] * 5 + live[(i + 17) % 64];
    }
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < 64; i++) sum = sum * 3 + live[i];
    out[THREAD] = sum;
}

static __constant__ uint32_t constants[64] = {
    3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
    0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3, 9, 9, 3, 7, 5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2};

// A constant operand of an instruction: no load at all in SASS where the index is known.
COUNTER_KERNEL_BODY(sass_constant_uniform) {
    out[THREAD] = constants[index[0] % 64] * 64 + constants[5] + THREAD;
}

// One pass a distinct word in hardware.
COUNTER_KERNEL_BODY(sass_constant_indexed) {
    out[THREAD] = constants[index[THREAD] % 64] * 64 + constants[LANE] + THREAD;
}

// The load is in the PTX; its value is not used, and ptxas drops it.
COUNTER_KERNEL_BODY(sass_dead_load) {
    (void)load_4(in + THREAD * 8);
    out[THREAD] = load_4(in + THREAD) ^ THREAD;
}

// One PTX instruction each; tens of instructions, calls and branches in SASS.
COUNTER_KERNEL_BODY(sass_divisions) {
    uint32_t a = in[THREAD], b = in[THREAD + 2048] % 1000 + 1;
    float quotient = (float)(a % 4096) / (float)(b * 4); // div.rn.f32
    double root = sqrt((double)(a % 65536) * 4);         // sqrt.rn.f64
    out[THREAD] = a / b * 7 + a % b + __float_as_uint(quotient) + (uint32_t)root;
}
