// What the counter kernels share: their one signature and the loads and stores under test, written
// as PTX so that the width and the address of every access are known. ptxas may still change what
// it can prove: see the notes at the kernels.
#pragma once

#include <stdint.h>

enum {
    COUNTER_IN_WORDS = 32 * 1024 * 1024, // 128 MiB: more than twice the L2 of an H100
    COUNTER_OUT_WORDS = 4 * 1024 * 1024, // 16 MiB: a third of it
    COUNTER_INDEX_WORDS = 16 * 1024,
    COUNTER_POISON = 0xA5 // every byte of `out` before each launch
};

// in:    [COUNTER_IN_WORDS]    counter_word(i)
// out:   [COUNTER_OUT_WORDS]   poisoned before each launch
// index: [COUNTER_INDEX_WORDS] a permutation of 0..COUNTER_INDEX_WORDS-1
#define COUNTER_ARGUMENTS         const uint32_t *in, uint32_t *out, const uint32_t *index
#define COUNTER_KERNEL_BODY(name) extern "C" __global__ void name(COUNTER_ARGUMENTS)

static inline uint32_t counter_word(uint32_t i) {
    uint32_t x = i * 0x9E3779B9u + 0x7F4A7C15u;
    x ^= x >> 15;
    x *= 0x85EBCA6Bu;
    return x ^ (x >> 13);
}

#ifdef __CUDACC__
#define LANE   (threadIdx.x % 32)
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// Global loads of 1, 2, 4, 8 and 16 bytes; 8v is a vector of two words. All return a word made of
// what they read.
static __device__ uint32_t load_1(const void *address) {
    uint32_t value;
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(address));
    return value;
}
static __device__ uint32_t load_2(const void *address) {
    uint16_t value;
    asm volatile("ld.global.u16 %0, [%1];" : "=h"(value) : "l"(address));
    return value;
}
static __device__ uint32_t load_4(const void *address) {
    uint32_t value;
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(address));
    return value;
}
static __device__ uint32_t load_8(const void *address) {
    uint64_t value;
    asm volatile("ld.global.b64 %0, [%1];" : "=l"(value) : "l"(address));
    return (uint32_t)value ^ (uint32_t)(value >> 32);
}
static __device__ uint32_t load_8v(const void *address) {
    uint32_t a, b;
    asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(address));
    return a ^ b;
}
static __device__ uint32_t load_16(const void *address) {
    uint32_t a, b, c, d;
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(address));
    return a ^ b ^ c ^ d;
}

// Global stores of the same widths.
static __device__ void store_1(void *address, uint32_t value) {
    asm volatile("st.global.u8 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}
static __device__ void store_2(void *address, uint32_t value) {
    asm volatile("st.global.u16 [%0], %1;" ::"l"(address), "h"((uint16_t)value) : "memory");
}
static __device__ void store_4(void *address, uint32_t value) {
    asm volatile("st.global.b32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}
static __device__ void store_8(void *address, uint32_t value) {
    uint64_t wide = value * UINT64_C(0x100000001);
    asm volatile("st.global.b64 [%0], %1;" ::"l"(address), "l"(wide) : "memory");
}
static __device__ void store_16(void *address, uint32_t value) {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(value),
                 "r"(value + 1), "r"(value + 2), "r"(value + 3)
                 : "memory");
}

static __device__ const unsigned char *in_bytes(const uint32_t *in) {
    return (const unsigned char *)in;
}
static __device__ unsigned char *out_bytes(uint32_t *out) { return (unsigned char *)out; }
#endif
