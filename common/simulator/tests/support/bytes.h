// Helpers of the front end's tests: files, and images built byte by byte so that no binary need be
// kept.
#pragma once

#include <check.h>

#include "base/base.h"

// ---- random numbers -----------------------------------------------------------------------------
// The tests' fixed-seed random numbers.

// xorshift64* (Vigna: An experimental exploration of Marsaglia's xorshift generators, scrambled,
// 2016). *state: not 0.
static inline uint64_t random_bits(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

// ---- bytes.c ------------------------------------------------------------------------------------

// Growing bytes; `data` is freed by bytes_free.
typedef struct test_bytes {
    uint8_t *data;
    size_t count, capacity;
} test_bytes;

void bytes_put(test_bytes *bytes, const void *data, size_t count);
void bytes_put_u16(test_bytes *bytes, uint16_t value);
void bytes_put_u32(test_bytes *bytes, uint32_t value);
void bytes_put_u64(test_bytes *bytes, uint64_t value);
void bytes_align(test_bytes *bytes, size_t alignment);
void bytes_free(test_bytes *bytes);

// The whole file, or stops the test. A NUL follows the last byte.
test_bytes read_file(const char *path);
// Folder + "/" + name in a static buffer.
const char *test_path(const char *folder, const char *name);

// A copy of exactly `count` bytes in its own allocation, so that AddressSanitizer sees every read
// beyond it.
uint8_t *exact_copy(const uint8_t *data, size_t count);

// Appends a container with `entry_count` entries; each has a 64-byte header.
typedef struct test_entry {
    uint16_t kind;
    uint32_t arch;
    uint64_t flags;
    const void *payload;
    size_t payload_bytes, full_bytes; // full_bytes: 0 when not compressed
} test_entry;
void build_container(test_bytes *image, const test_entry *entries, size_t entry_count);

// A small linked sm_90 cubin with one kernel `k` whose attributes and line tables use every feature
// of the reader: 40 registers, 16 + 1024 shared bytes, frame 24, stack 32, 3 barriers, parameters
// (8 @ 0, 4 @ 8), 12 parameter bytes, launch bounds 128 x 2 x 1, register limit 64, an 8-byte spill
// store at 16 and a 4-byte spill load at 32, 100 bytes of user constants; lines a.cu:10 from 0,
// h.cuh:7 inlined there from 16, a.cu:11 from 32; PTX lines 5, 9.
test_bytes build_cubin(void);

// Gives `use` the image again and again, each byte in turn set to values that hurt; it must read
// nothing outside the image.
void spoil_single_bytes(const uint8_t *image, size_t count,
                        void (*use)(const uint8_t *image, size_t count));

// A text that must be refused: where, and with which words in the message.
typedef struct test_refusal {
    const char *text;
    uint32_t line, column;
    const char *message;
} test_refusal;

void expect_refusal(const test_refusal *row, sim_status status, const kl_error *err);

// ---- writer.c -----------------------------------------------------------------------------------
// A text that a test writes by a sequence of random choices, such as a PTX program: the same for
// the same seed.

enum { WRITER_BYTES = 1 << 16 };

typedef struct writer {
    char text[WRITER_BYTES]; // ends in NUL
    size_t used;             // bytes of it, without that
    uint64_t state;          // of the choices
} writer;

// Empties the text. Each seed gives other choices.
void writer_begin(writer *out, uint64_t seed);
// The next choice, of 0 to count - 1.
uint32_t below(writer *out, uint32_t count);
// Appends; a text that is too long stops the test.
void put(writer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- modelled figures ---------------------------------------------------------------------------
// A check for modelled figures: a value lies within `by` of the wanted one, ends included.

#define ck_near(value, wanted, by)                                                                 \
    do {                                                                                           \
        double value_ = (value), wanted_ = (wanted);                                               \
        ck_assert_msg(value_ >= wanted_ - (by) && value_ <= wanted_ + (by), "%g, not %g", value_,  \
                      wanted_);                                                                    \
    } while (0)
