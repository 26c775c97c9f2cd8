// SPDX-License-Identifier: MIT
// Digests of state, by which two moments are compared.
#ifndef SIM_BASE_DIGEST_H
#define SIM_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The digest of nothing.
#define SIM_DIGEST_BEGIN UINT64_C(0xCBF29CE484222325)

// The digest with further bytes: after FNV-1a, but by words and folded, so that all bits of a word
// reach all later ones. It resists no forger.
static inline uint64_t sim_digest(uint64_t digest, const void *data, size_t bytes) {
    const uint8_t *at = data;
    for (uint64_t word; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(&word, at, sizeof word);
        digest = (digest ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        digest ^= digest >> 29;
    }
    for (; bytes > 0; at++, bytes--) digest = (digest ^ *at) * UINT64_C(0x100000001B3);
    return digest;
}

#endif
