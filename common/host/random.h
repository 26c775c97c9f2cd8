// Counter-based random numbers: element i of stream `seed` is a pure function of (seed, i).
// So any element can be made alone, in any order and by any thread, and the judge and the lab
// program make the same input from the same seed. Mixing function: the finaliser of SplitMix64
// (Steele, Lea and Flood, OOPSLA 2014, "Fast splittable pseudorandom number generators"). Not for
// cryptography.
#pragma once

#include <stdint.h>

// 64 well-mixed bits. Different seeds give unrelated streams.
static inline uint64_t kl_random_u64(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * UINT64_C(0x9E3779B97F4A7C15); // 2^64 / golden ratio, odd
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// A seed for a sub-stream, so that one case seed can feed several independent inputs.
static inline uint64_t kl_random_fork(uint64_t seed, uint64_t stream) {
    return kl_random_u64(seed ^ UINT64_C(0xD1B54A32D192ED03), stream);
}

// Uniform integer in [0, count), count in 1 .. 2^32. Multiply-shift: the bias is below count /
// 2^32.
static inline uint32_t kl_random_below(uint64_t seed, uint64_t index, uint64_t count) {
    return (uint32_t)(((kl_random_u64(seed, index) >> 32) * count) >> 32);
}

// Uniform in [0, 1), a multiple of 2^-24, hence exact in a float.
static inline float kl_random_unit(uint64_t seed, uint64_t index) {
    return (float)(kl_random_u64(seed, index) >> 40) * 0x1p-24f;
}

// Uniform in [-1, 1), a multiple of 2^-23, hence exact in a float.
static inline float kl_random_signed(uint64_t seed, uint64_t index) {
    return 2.0f * kl_random_unit(seed, index) - 1.0f;
}
