// Protects against hostile input: thousands of random changes of good inputs, always the same ones,
// go through the fuzz targets. A crash, a hang or a sanitizer's report fails the test.
// links: fuzz_ptx fuzz_fatbin fuzz_cubin fuzz_decode
#include "support/bytes.h"
#include "suite.h"

int fuzz_ptx(const uint8_t *data, size_t bytes);
int fuzz_decode(const uint8_t *data, size_t bytes);
int fuzz_fatbin(const uint8_t *data, size_t bytes);
int fuzz_cubin(const uint8_t *data, size_t bytes);

enum { ROUNDS = 3000, MAX_EDITS = 6 };

// One change: a byte, a bit, a number that hurts, a removed part, a part copied elsewhere.
static void mutate(test_bytes *bytes, uint64_t *state) {
    static const uint64_t numbers[] = {0,
                                       1,
                                       0x7f,
                                       0xff,
                                       0x7fff,
                                       0xffff,
                                       0x7fffffff,
                                       0xffffffff,
                                       0x7fffffffffffffff,
                                       0xffffffffffffffff};
    if (bytes->count < 16) return;
    size_t at = random_bits(state) % bytes->count;
    size_t other = random_bits(state) % bytes->count;
    size_t length = 1 + random_bits(state) % 16;
    if (at + length > bytes->count) length = bytes->count - at;
    switch (random_bits(state) % 6) {
    case 0: bytes->data[at] = (uint8_t)random_bits(state); break;
    case 1: bytes->data[at] ^= (uint8_t)(1u << random_bits(state) % 8); break;
    case 2:
        length = length < 8 ? length : 8;
        memcpy(bytes->data + at, &numbers[random_bits(state) % 10], length);
        break;
    case 3:
        memmove(bytes->data + at, bytes->data + at + length, bytes->count - at - length);
        bytes->count -= length;
        break;
    case 4:
        if (other + length <= bytes->count) memmove(bytes->data + other, bytes->data + at, length);
        break;
    default: bytes->data[at] = (uint8_t) "{}[]().;,+-%:@!|<>=\"0x1/*"[random_bits(state) % 25];
    }
}

static void run(int (*target)(const uint8_t *, size_t), const test_bytes *seed, uint64_t state) {
    for (int round = 0; round < ROUNDS; round++) {
        test_bytes changed = {0};
        bytes_put(&changed, seed->data, seed->count);
        int edits = 1 + (int)(random_bits(&state) % MAX_EDITS);
        for (int i = 0; i < edits; i++) mutate(&changed, &state);
        uint8_t *exact = exact_copy(changed.data, changed.count);
        target(exact, changed.count);
        free(exact);
        bytes_free(&changed);
    }
}

static const char *const ptx_names[] = {"declarations.ptx", "instructions.ptx",   "lines.ptx",
                                        "tokens.ptx",       "decode_kernels.ptx", "odd_even.ptx"};

KL_TEST_ROWS(golden_texts, 6) {
    test_bytes text = read_file(test_path(TEST_GOLDEN, ptx_names[_i]));
    uint8_t *exact = exact_copy(text.data, text.count);
    fuzz_ptx(exact, text.count);
    fuzz_decode(exact, text.count);
    free(exact);
    bytes_free(&text);
}

KL_TEST_ROWS(ptx, 3) {
    test_bytes seed = read_file(test_path(TEST_GOLDEN, ptx_names[_i]));
    run(fuzz_ptx, &seed, 0x9e3779b97f4a7c15u + (uint64_t)_i);
    run(fuzz_decode, &seed, 0x2545f4914f6cdd1du + (uint64_t)_i);
    bytes_free(&seed);
}

KL_TEST(fatbin) {
    test_bytes text = read_file(test_path(TEST_GOLDEN, ptx_names[2])), seed = {0};
    test_entry entries[] = {{1, 90, 0x11, text.data, text.count, 0},
                            {2, 90, 0x11, "cubin", 5, 0},
                            {1, 90, 0x8011, "(\xb5/\xfd not zstd", 13, 100},
                            {1, 90, 0x2011, "not lz4", 7, 100}};
    build_container(&seed, entries, 4);
    build_container(&seed, entries, 1);
    run(fuzz_fatbin, &seed, 7);
    bytes_free(&text);
    bytes_free(&seed);
}

KL_TEST(cubin) {
    test_bytes seed = build_cubin();
    run(fuzz_cubin, &seed, 11);
    run(fuzz_fatbin, &seed, 13);
    bytes_free(&seed);
}

KL_TEST_MAIN("frontend_mutations")
