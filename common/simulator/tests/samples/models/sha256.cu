// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4), one message a thread: the standard's examples, many records against the
// host, and a search for the smallest nonce whose digest starts with zero bits.
#include <vector>

#include "../helper.h"

#define ROUNDS 64
static const uint32_t h_k[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ uint32_t d_k[ROUNDS];

struct Digest {
    uint32_t word[8];
};

__host__ __device__ inline uint32_t rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

__host__ __device__ inline uint32_t roundConstant(int i) {
#ifdef __CUDA_ARCH__
    return d_k[i];
#else
    return h_k[i];
#endif
}

__host__ __device__ void compress(uint32_t state[8], const uint8_t *block) {
    uint32_t w[ROUNDS];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                      roundConstant(i) + w[i];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

__host__ __device__ Digest sha256(const uint8_t *message, uint32_t bytes) {
    Digest digest = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                      0x1f83d9ab, 0x5be0cd19}};
    uint8_t block[64];
    uint32_t blocks = (bytes + 9 + 63) / 64;
    for (uint32_t i = 0; i < blocks; i++) {
        for (uint32_t j = 0; j < 64; j++) {
            uint32_t at = i * 64 + j;
            block[j] = at < bytes ? message[at] : at == bytes ? 0x80 : 0;
        }
        if (i == blocks - 1)
            for (int j = 0; j < 8; j++)
                block[56 + j] = (uint8_t)(((uint64_t)bytes * 8) >> (56 - 8 * j));
        compress(digest.word, block);
    }
    return digest;
}

__global__ void hashRecords(const uint8_t *data, const uint32_t *offset, Digest *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sha256(data + offset[i], offset[i + 1] - offset[i]);
}

__global__ void mine(const uint8_t *header, uint32_t bytes, int zeroBits, uint32_t first,
                     uint32_t *best) {
    uint8_t message[64];
    uint32_t nonce = first + blockIdx.x * blockDim.x + threadIdx.x;
    for (uint32_t i = 0; i < bytes; i++) message[i] = header[i];
    for (int i = 0; i < 4; i++) message[bytes + i] = (uint8_t)(nonce >> (8 * i));
    Digest digest = sha256(message, bytes + 4);
    if (__clz(digest.word[0]) >= zeroBits) atomicMin(best, nonce);
}

static void print(const char *name, const Digest &digest) {
    printf("%s ", name);
    for (int i = 0; i < 8; i++) printf("%08x", digest.word[i]);
    printf("\n");
}

int main(int argc, char **argv) {
    const int records = intOption(argc, argv, "records", 1000);
    checkCudaErrors(cudaMemcpyToSymbol(d_k, h_k, sizeof h_k));
    const char *examples[] = {"", "abc",
                              "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
    std::vector<uint8_t> data;
    std::vector<uint32_t> offset(1, 0);
    HostRandom random(256);
    for (int i = 0; i < records; i++) {
        if (i < 3) data.insert(data.end(), examples[i], examples[i] + strlen(examples[i]));
        else
            for (int left = random.below(200); left > 0; left--)
                data.push_back((uint8_t)random.next());
        offset.push_back((uint32_t)data.size());
    }
    uint8_t *d_data;
    uint32_t *d_offset, *d_best, best = 0xffffffffu;
    Digest *d_out;
    std::vector<Digest> out(records);
    checkCudaErrors(cudaMalloc(&d_data, data.size()));
    checkCudaErrors(cudaMalloc(&d_offset, offset.size() * sizeof(uint32_t)));
    checkCudaErrors(cudaMalloc(&d_out, records * sizeof(Digest)));
    checkCudaErrors(cudaMalloc(&d_best, sizeof best));
    checkCudaErrors(cudaMemcpy(d_data, data.data(), data.size(), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_offset, offset.data(), offset.size() * sizeof(uint32_t),
                               cudaMemcpyHostToDevice));
    hashRecords<<<divUp(records, 128), 128>>>(d_data, d_offset, d_out, records);
    getLastCudaError("hashRecords");
    checkCudaErrors(
        cudaMemcpy(out.data(), d_out, records * sizeof(Digest), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < records; i++) {
        Digest want = sha256(data.data() + offset[i], offset[i + 1] - offset[i]);
        wrong += memcmp(&want, &out[i], sizeof want) != 0;
    }
    print("empty message:", out[0]);
    print("abc:          ", out[1]);
    print("two blocks:   ", out[2]);
    printf("%d records, %d wrong\n", records, wrong);

    const char header[] = "a header to be sealed";
    const int zeroBits = 12;
    checkCudaErrors(cudaMemcpy(d_data, header, sizeof header - 1, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_best, &best, sizeof best, cudaMemcpyHostToDevice));
    for (uint32_t first = 0; best == 0xffffffffu; first += 64 * 128) {
        mine<<<64, 128>>>(d_data, sizeof header - 1, zeroBits, first, d_best);
        checkCudaErrors(cudaMemcpy(&best, d_best, sizeof best, cudaMemcpyDeviceToHost));
    }
    printf("smallest nonce for %d zero bits: %u\n", zeroBits, best);
    checkCudaErrors(cudaFree(d_data));
    checkCudaErrors(cudaFree(d_offset));
    checkCudaErrors(cudaFree(d_out));
    checkCudaErrors(cudaFree(d_best));
    return finish("sha256", wrong == 0 && out[1].word[0] == 0xba7816bf);
}
