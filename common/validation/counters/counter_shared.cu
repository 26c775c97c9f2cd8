// Counter kernels: shared memory. 32 banks of 4 bytes; an access takes as many wavefronts as the
// fullest bank has distinct words, 64-bit accesses by half-warps and 128-bit ones by quarter-warps
// unless neighbours agree. Each block first fills its tile (one conflict-free store a 128 words)
// and stores one word a thread at the end.
#include "counter_kernels.h"

enum { TILE_WORDS = 4096 }; // 16 KiB

static __device__ uint32_t shared_address(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ uint32_t shared_load_1(uint32_t address) {
    uint32_t value;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}
static __device__ uint32_t shared_load_2(uint32_t address) {
    uint16_t value;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(address));
    return value;
}
static __device__ uint32_t shared_load_4(uint32_t address) {
    uint32_t value;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}
static __device__ uint32_t shared_load_8(uint32_t address) {
    uint32_t a, b;
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
    return a ^ b;
}
static __device__ uint32_t shared_load_16(uint32_t address) {
    uint32_t a, b, c, d;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address));
    return a ^ b ^ c ^ d;
}

static __device__ void shared_store_1(uint32_t address, uint32_t value) {
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
static __device__ void shared_store_2(uint32_t address, uint32_t value) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"((uint16_t)value) : "memory");
}
static __device__ void shared_store_4(uint32_t address, uint32_t value) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
static __device__ void shared_store_8(uint32_t address, uint32_t value) {
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(value), "r"(value + 1)
                 : "memory");
}
static __device__ void shared_store_16(uint32_t address, uint32_t value) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value),
                 "r"(value + 1), "r"(value + 2), "r"(value + 3)
                 : "memory");
}

// One word a thread and trip, so that no two stores of a thread are neighbours and none can merge.
static __device__ void fill(uint32_t *tile) {
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += blockDim.x)
        shared_store_4(shared_address(tile + i), i * 0x9E3779B9u);
    __syncthreads();
}

// Each lane reads the `width` bytes at element `element(lane)` of that width; all warps of a block
// alike.
#define SHARED_LOAD(name, width, element)                                                          \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        __shared__ __align__(16) uint32_t tile[TILE_WORDS];                                        \
        fill(tile);                                                                                \
        out[THREAD] = shared_load_##width(shared_address(tile) + (element) * (width)) ^ THREAD;    \
    }

SHARED_LOAD(shared_load_stride_1, 4, LANE)
SHARED_LOAD(shared_load_stride_2, 4, LANE * 2)
SHARED_LOAD(shared_load_stride_3, 4, LANE * 3)
SHARED_LOAD(shared_load_stride_4, 4, LANE * 4)
SHARED_LOAD(shared_load_stride_6, 4, LANE * 6)
SHARED_LOAD(shared_load_stride_8, 4, LANE * 8)
SHARED_LOAD(shared_load_stride_16, 4, LANE * 16)
SHARED_LOAD(shared_load_stride_17, 4, LANE * 17)
SHARED_LOAD(shared_load_stride_31, 4, LANE * 31)
SHARED_LOAD(shared_load_stride_32, 4, LANE * 32)
SHARED_LOAD(shared_load_stride_33, 4, LANE * 33)
SHARED_LOAD(shared_load_broadcast, 4, threadIdx.x / 32)
SHARED_LOAD(shared_load_two_words_one_bank, 4, LANE % 2 * 32)
SHARED_LOAD(shared_load_random, 4, index[threadIdx.x] % TILE_WORDS)
SHARED_LOAD(shared_load_width_1, 1, LANE)
SHARED_LOAD(shared_load_width_2, 2, LANE)
SHARED_LOAD(shared_load_width_2_stride_33, 2, LANE * 33)
SHARED_LOAD(shared_load_width_2_column, 2, LANE * 32)
SHARED_LOAD(shared_load_width_8, 8, LANE)
SHARED_LOAD(shared_load_width_8_stride_2, 8, LANE * 2)
SHARED_LOAD(shared_load_width_8_stride_17, 8, LANE * 17)
SHARED_LOAD(shared_load_width_8_broadcast, 8, threadIdx.x / 32)
SHARED_LOAD(shared_load_width_8_pairs, 8, LANE / 2)
SHARED_LOAD(shared_load_width_8_pairs_2, 8, LANE / 4 * 2 + LANE % 2)
SHARED_LOAD(shared_load_width_8_pairs_4, 8, LANE / 8 * 4 + LANE % 4)
// Lanes 0..15 agree with lane^1, lanes 16..31 with lane^2: no one rule holds for the whole warp.
SHARED_LOAD(shared_load_width_8_mixed, 8, LANE < 16 ? LANE / 2 : LANE / 4 * 2 + LANE % 2)
SHARED_LOAD(shared_load_width_16, 16, LANE)
SHARED_LOAD(shared_load_width_16_stride_2, 16, LANE * 2)
SHARED_LOAD(shared_load_width_16_stride_9, 16, LANE * 9)
SHARED_LOAD(shared_load_width_16_broadcast, 16, threadIdx.x / 32)
SHARED_LOAD(shared_load_width_16_pairs, 16, LANE / 2)
SHARED_LOAD(shared_load_width_16_pairs_2, 16, LANE / 4 * 2 + LANE % 2)
SHARED_LOAD(shared_load_width_16_pairs_4, 16, LANE / 8 * 4 + LANE % 4)
SHARED_LOAD(shared_load_17_lanes, 4, LANE * 2)

// The same under a predicate.
#define SHARED_LOAD_IF(name, width, element, condition)                                            \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        __shared__ __align__(16) uint32_t tile[TILE_WORDS];                                        \
        fill(tile);                                                                                \
        if (condition)                                                                             \
            out[THREAD] =                                                                          \
                shared_load_##width(shared_address(tile) + (element) * (width)) ^ THREAD;          \
    }

SHARED_LOAD_IF(shared_load_width_16_half, 16, LANE, LANE < 16)
SHARED_LOAD_IF(shared_load_odd_warps, 4, LANE * 2, threadIdx.x / 32 % 2)

// Each lane stores to element `element(lane)`; warps alternate, so that no two write the same word
// at a time.
#define SHARED_STORE(name, width, element)                                                         \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        __shared__ __align__(16) uint32_t tile[TILE_WORDS];                                        \
        fill(tile);                                                                                \
        for (uint32_t warp = 0; warp < blockDim.x / 32; warp++) {                                  \
            if (threadIdx.x / 32 == warp)                                                          \
                shared_store_##width(shared_address(tile) + (element) * (width), THREAD / 32);     \
            __syncthreads();                                                                       \
        }                                                                                          \
        uint32_t sum = 0;                                                                          \
        _Pragma("unroll 1") for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += blockDim.x) {      \
            sum = sum * 31 + shared_load_4(shared_address(tile + i));                              \
        }                                                                                          \
        out[THREAD] = sum;                                                                         \
    }

SHARED_STORE(shared_store_stride_1, 4, LANE)
SHARED_STORE(shared_store_stride_2, 4, LANE * 2)
SHARED_STORE(shared_store_stride_8, 4, LANE * 8)
SHARED_STORE(shared_store_stride_32, 4, LANE * 32)
SHARED_STORE(shared_store_stride_33, 4, LANE * 33)
SHARED_STORE(shared_store_one_word, 4, threadIdx.x / 32)
SHARED_STORE(shared_store_width_1, 1, LANE)
SHARED_STORE(shared_store_width_2, 2, LANE)
SHARED_STORE(shared_store_width_8, 8, LANE)
SHARED_STORE(shared_store_width_16, 16, LANE)
SHARED_STORE(shared_store_width_16_stride_2, 16, LANE * 2)

// A 32x32 tile a block: in by rows, out transposed by reading columns. pitch: words from row to
// row.
#define SHARED_TRANSPOSE(name, pitch)                                                              \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        __shared__ uint32_t tile[32][pitch];                                                       \
        const uint32_t *tile_in = in + blockIdx.x * 1024;                                          \
        uint32_t *tile_out = out + blockIdx.x * 1024;                                              \
        for (uint32_t row = threadIdx.y; row < 32; row += 8)                                       \
            tile[row][threadIdx.x] = tile_in[row * 32 + threadIdx.x];                              \
        __syncthreads();                                                                           \
        for (uint32_t row = threadIdx.y; row < 32; row += 8)                                       \
            tile_out[row * 32 + threadIdx.x] = tile[threadIdx.x][row];                             \
    }

SHARED_TRANSPOSE(shared_transpose, 32)
SHARED_TRANSPOSE(shared_transpose_padded, 33)
