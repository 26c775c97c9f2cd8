// SHA-256: see text.h. FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1 and 6.2.
#include "utilities/text.h"

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int count) { return x >> count | x << (32 - count); }

static void compress(ladder_sha256 *hash) {
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
        const unsigned char *b = hash->block + 4 * t;
        w[t] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t v[8]; // a .. h of the standard
    memcpy(v, hash->state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choose + constants[t] + w[t];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++) hash->state[i] += v[i];
}

void ladder_sha256_begin(ladder_sha256 *hash) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->bytes = 0;
}

void ladder_sha256_add(ladder_sha256 *hash, const void *data, size_t bytes) {
    const unsigned char *from = data;
    while (bytes > 0) {
        size_t used = hash->bytes % sizeof hash->block;
        size_t part = sizeof hash->block - used < bytes ? sizeof hash->block - used : bytes;
        memcpy(hash->block + used, from, part);
        hash->bytes += part;
        from += part;
        bytes -= part;
        if (used + part == sizeof hash->block) compress(hash);
    }
}

static void finish(ladder_sha256 *hash) {
    uint64_t bits = hash->bytes * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    ladder_sha256_add(hash, "\x80", 1);
    while (hash->bytes % sizeof hash->block != 56) ladder_sha256_add(hash, "", 1);
    ladder_sha256_add(hash, length, sizeof length);
}

void ladder_sha256_end(ladder_sha256 *hash, char out_text[LADDER_SHA256_TEXT]) {
    finish(hash);
    for (int i = 0; i < 8; i++) snprintf(out_text + 8 * i, 9, "%08x", hash->state[i]);
}

void ladder_hmac(const void *key, size_t key_bytes, const void *data, size_t bytes,
                 char out_text[LADDER_SHA256_TEXT]) {
    ladder_sha256 hash;
    unsigned char inner[32], pad[sizeof hash.block] = {0};
    memcpy(pad, key, key_bytes < sizeof pad ? key_bytes : sizeof pad);
    for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= 0x36;
    ladder_sha256_begin(&hash);
    ladder_sha256_add(&hash, pad, sizeof pad);
    ladder_sha256_add(&hash, data, bytes);
    finish(&hash);
    for (int i = 0; i < 32; i++)
        inner[i] = (unsigned char)(hash.state[i / 4] >> (24 - 8 * (i % 4)));
    for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= 0x36 ^ 0x5c;
    ladder_sha256_begin(&hash);
    ladder_sha256_add(&hash, pad, sizeof pad);
    ladder_sha256_add(&hash, inner, sizeof inner);
    ladder_sha256_end(&hash, out_text);
}
