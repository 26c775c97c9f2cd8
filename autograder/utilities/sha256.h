// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4): names a submission's content in results, so that a grade can be traced to
// it. With a key (HMAC) it shows that nobody else has written a row of results.
#ifndef LADDER_KIT_SHA256_H
#define LADDER_KIT_SHA256_H

#include <stddef.h>
#include <stdint.h>

// A hash in the making.
typedef struct ladder_sha256 {
    uint32_t state[8];       // the eight words H of the standard
    uint64_t bytes;          // fed so far
    unsigned char block[64]; // the last 512 bits, not yet full
} ladder_sha256;

enum { LADDER_SHA256_TEXT = 65 }; // 64 hexadecimal digits and the terminator

// Begin, add data piece by piece, and take the digest as text.
void ladder_sha256_begin(ladder_sha256 *hash);
void ladder_sha256_add(ladder_sha256 *hash, const void *data, size_t bytes);
void ladder_sha256_end(ladder_sha256 *hash, char out_text[LADDER_SHA256_TEXT]);

// HMAC-SHA-256 (RFC 2104): nobody makes it without the key. key: [key_bytes], at most 64.
void ladder_hmac(const void *key, size_t key_bytes, const void *data, size_t bytes,
                 char out_text[LADDER_SHA256_TEXT]);

#endif
