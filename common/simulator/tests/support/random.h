// SPDX-License-Identifier: MIT
// The tests' fixed-seed random numbers.
#ifndef SIM_TEST_SUPPORT_RANDOM_H
#define SIM_TEST_SUPPORT_RANDOM_H

#include <stdint.h>

// xorshift64* (Vigna: An experimental exploration of Marsaglia's xorshift generators, scrambled,
// 2016). *state: not 0.
static inline uint64_t random_bits(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

#endif
