// What warpgroup_program.cu multiplies: random elements, made where they are used, and where
// they lie in shared memory.
#pragma once

#include <cstdint>

// Bits of an element, and of its exponent: 0 for an integer.
struct warpgroup_kind {
    int bits, exponent;
};
#define KIND_F16                                                                                   \
    { 16, 5 }
#define KIND_BF16                                                                                  \
    { 16, 8 }
#define KIND_TF32                                                                                  \
    { 32, 8 }
#define KIND_E4M3                                                                                  \
    { 8, 4 }
#define KIND_E5M2                                                                                  \
    { 8, 5 }
#define KIND_INT                                                                                   \
    { 8, 0 }
#define KIND_F32                                                                                   \
    { 32, 8 }
#define KIND_S32                                                                                   \
    { 32, 0 }

// Every case is multiplied so often: by swizzle, domain, and placement of the operands.
enum { SWIZZLES = 4, DOMAINS = 3, PLACEMENTS = 2, VARIANTS = SWIZZLES * DOMAINS * PLACEMENTS };
enum { NEAR, SCATTERED, SPECIAL }; // domains

struct warpgroup_variant {
    int swizzle, domain, placement; // swizzle: as a descriptor has it
};
static __device__ warpgroup_variant variant_of(int index) {
    return {index % SWIZZLES, index / SWIZZLES % DOMAINS, index / SWIZZLES / DOMAINS};
}

static __device__ uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// An element from random bits. Exponents lie within 3 of 1.0, or within 14; or one in 256 elements
// is a subnormal number, an infinity or a NaN.
static __device__ uint32_t element_of(warpgroup_kind kind, int domain, uint32_t random) {
    uint32_t all = kind.bits == 32 ? 0xFFFFFFFFu : (1u << kind.bits) - 1;
    if (kind.exponent == 0) return random & all;
    int fraction = kind.bits - 1 - kind.exponent, bias = (1 << (kind.exponent - 1)) - 1;
    int spread = domain == SCATTERED ? 14 : 3, top = 2 * bias;
    int exponent = bias - spread + (int)(mixed(random) % (uint32_t)(2 * spread + 1));
    uint32_t choice = mixed(random + 1) % 512;
    if (exponent < 0) exponent = 0;
    if (exponent > top) exponent = top;
    if (domain == SPECIAL && choice == 0) exponent = top + 1;
    if (domain == SPECIAL && choice == 1) exponent = 0;
    uint32_t digits = random & ((1u << fraction) - 1), sign = random >> 31;
    return sign << (kind.bits - 1) | (uint32_t)exponent << fraction | digits;
}

static __device__ uint32_t word_of(warpgroup_kind kind, int domain, uint32_t number) {
    uint32_t word = 0;
    for (int at = 0; at < 32; at += kind.bits)
        word |= element_of(kind, domain, mixed(number * 4 + (uint32_t)at / 8)) << at;
    return word;
}

// A matrix descriptor of `rows` rows that begin at `start`, a multiple of 1024.
static __device__ uint64_t descriptor_of(uint32_t start, uint32_t rows, bool transposed,
                                         warpgroup_variant variant) {
    const uint32_t widths[SWIZZLES] = {16, 128, 64, 32};
    uint32_t width = widths[variant.swizzle], leading = 16, stride = 8 * width, base = 0;
    bool second = variant.placement == 1;
    if (variant.swizzle == 0) {
        leading = second ? rows * 16 : 128;
        stride = second ? 128 : 256;
    } else if (transposed) {
        uint32_t across = (rows + width / 2 - 1) / (width / 2);
        leading = second ? 8 * width : 16 * width;
        stride = second ? 8 * width * across : 8 * width;
    } else if (second && width > 32) {
        start += 32; // the next 32 bytes along k
    } else if (second) {
        start += 128;
        base = 1;
    }
    return (uint64_t)(start >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)base << 49 | (uint64_t)variant.swizzle << 62;
}
