// SPDX-License-Identifier: MIT
// AES-128 in counter mode (FIPS 197, SP 800-38A): the S-box is computed, combined tables lie in
// shared memory, a thread encrypts one counter block; checked against published vectors and by
// decrypting.
#include <vector>

#include "../helper.h"

static uint8_t h_sbox[256];
__constant__ uint8_t d_sbox[256];
__constant__ uint32_t d_roundKeys[44];

static uint8_t multiply(uint8_t a, uint8_t b) { // in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1
    uint8_t product = 0;
    for (; b; b >>= 1) {
        if (b & 1) product ^= a;
        a = (uint8_t)((a << 1) ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

static void makeSbox() {
    for (int x = 0; x < 256; x++) {
        uint8_t inverse = 0;
        for (int y = 1; x && y < 256; y++)
            if (multiply((uint8_t)x, (uint8_t)y) == 1) inverse = (uint8_t)y;
        uint8_t s = inverse;
        for (int i = 1; i <= 4; i++) s ^= (uint8_t)(inverse << i | inverse >> (8 - i));
        h_sbox[x] = s ^ 0x63;
    }
}

static uint32_t substitute(uint32_t w) {
    return (uint32_t)h_sbox[w >> 24] << 24 | (uint32_t)h_sbox[w >> 16 & 255] << 16 |
           (uint32_t)h_sbox[w >> 8 & 255] << 8 | h_sbox[w & 255];
}

static void expandKey(const uint8_t key[16], uint32_t w[44]) {
    uint8_t constant = 1;
    for (int i = 0; i < 4; i++)
        w[i] = (uint32_t)key[4 * i] << 24 | (uint32_t)key[4 * i + 1] << 16 |
               (uint32_t)key[4 * i + 2] << 8 | key[4 * i + 3];
    for (int i = 4; i < 44; i++) {
        uint32_t t = w[i - 1];
        if (i % 4 == 0) {
            t = substitute(t << 8 | t >> 24) ^ (uint32_t)constant << 24;
            constant = multiply(constant, 2);
        }
        w[i] = w[i - 4] ^ t;
    }
}

__device__ inline uint32_t twice(uint32_t x) { return (x << 1 ^ (x & 0x80 ? 0x1b : 0)) & 255; }

__device__ void encrypt(const uint32_t *table, uint4 &block) {
    uint32_t s[4] = {block.x ^ d_roundKeys[0], block.y ^ d_roundKeys[1], block.z ^ d_roundKeys[2],
                     block.w ^ d_roundKeys[3]};
    for (int round = 1; round < 10; round++) {
        uint32_t t[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            t[i] = table[s[i] >> 24] ^
                   __funnelshift_r(table[s[(i + 1) & 3] >> 16 & 255],
                                   table[s[(i + 1) & 3] >> 16 & 255], 8) ^
                   __byte_perm(table[s[(i + 2) & 3] >> 8 & 255], 0, 0x1032) ^
                   __byte_perm(table[s[(i + 3) & 3] & 255], 0, 0x2103) ^ d_roundKeys[4 * round + i];
#pragma unroll
        for (int i = 0; i < 4; i++) s[i] = t[i];
    }
    uint32_t last[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        last[i] =
            ((uint32_t)d_sbox[s[i] >> 24] << 24 |
             (uint32_t)d_sbox[s[(i + 1) & 3] >> 16 & 255] << 16 |
             (uint32_t)d_sbox[s[(i + 2) & 3] >> 8 & 255] << 8 | d_sbox[s[(i + 3) & 3] & 255]) ^
            d_roundKeys[40 + i];
    block = make_uint4(last[0], last[1], last[2], last[3]);
}

__device__ inline uint32_t swapBytes(uint32_t x) { return __byte_perm(x, 0, 0x0123); }

__global__ void counterMode(const uint4 *in, uint4 *out, uint4 counter, int blocks) {
    __shared__ uint32_t table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        uint32_t s = d_sbox[i], s2 = twice(s);
        table[i] = s2 << 24 | s << 16 | s << 8 | (s2 ^ s);
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    uint4 key = counter;
    key.w += (uint32_t)i;
    if (key.w < counter.w && ++key.z == 0 && ++key.y == 0) ++key.x;
    encrypt(table, key);
    uint4 text = in[i];
    text.x ^= swapBytes(key.x);
    text.y ^= swapBytes(key.y);
    text.z ^= swapBytes(key.z);
    text.w ^= swapBytes(key.w);
    out[i] = text;
}

static void printBytes(const char *name, const uint8_t *bytes, int count) {
    printf("%s ", name);
    for (int i = 0; i < count; i++) printf("%02x", bytes[i]);
    printf("\n");
}

int main(int argc, char **argv) {
    const int blocks = intOption(argc, argv, "blocks", 5000), bytes = 16 * blocks;
    // SP 800-38A, F.5.1 CTR-AES128.Encrypt
    const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                             0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    const uint8_t plain[32] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e,
                               0x11, 0x73, 0x93, 0x17, 0x2a, 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03,
                               0xac, 0x9c, 0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51};
    const uint8_t want[32] = {0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26, 0x1b, 0xef, 0x68,
                              0x64, 0x99, 0x0d, 0xb6, 0xce, 0x98, 0x06, 0xf6, 0x6b, 0x79, 0x70,
                              0xfd, 0xff, 0x86, 0x17, 0x18, 0x7b, 0xb9, 0xff, 0xfd, 0xff};
    const uint4 counter = make_uint4(0xf0f1f2f3, 0xf4f5f6f7, 0xf8f9fafb, 0xfcfdfeff);
    uint32_t roundKeys[44];
    makeSbox();
    expandKey(key, roundKeys);
    checkCudaErrors(cudaMemcpyToSymbol(d_sbox, h_sbox, sizeof h_sbox));
    checkCudaErrors(cudaMemcpyToSymbol(d_roundKeys, roundKeys, sizeof roundKeys));

    std::vector<uint8_t> text(bytes), cipher(bytes), back(bytes);
    HostRandom random(128);
    for (int i = 0; i < bytes; i++) text[i] = i < 32 ? plain[i] : (uint8_t)random.next();
    uint4 *d_text, *d_cipher;
    checkCudaErrors(cudaMalloc(&d_text, bytes));
    checkCudaErrors(cudaMalloc(&d_cipher, bytes));
    checkCudaErrors(cudaMemcpy(d_text, text.data(), bytes, cudaMemcpyHostToDevice));
    counterMode<<<divUp(blocks, 256), 256>>>(d_text, d_cipher, counter, blocks);
    getLastCudaError("counterMode");
    checkCudaErrors(cudaMemcpy(cipher.data(), d_cipher, bytes, cudaMemcpyDeviceToHost));
    counterMode<<<divUp(blocks, 256), 256>>>(d_cipher, d_cipher, counter, blocks);
    checkCudaErrors(cudaMemcpy(back.data(), d_cipher, bytes, cudaMemcpyDeviceToHost));
    uint32_t sum = 0;
    for (int i = 0; i < bytes; i++) sum = sum * 31 + cipher[i];
    printBytes("first block: ", cipher.data(), 16);
    printBytes("second block:", cipher.data() + 16, 16);
    printf("%d bytes, checksum %08x\n", bytes, sum);
    checkCudaErrors(cudaFree(d_text));
    checkCudaErrors(cudaFree(d_cipher));
    return finish("aes_ctr", memcmp(cipher.data(), want, 32) == 0 && back == text);
}
