// Random operands of the matrix cases (matrix_cases.def): kinds of elements, domains of values. The
// same sequence on every machine; nothing of it is stored.
#pragma once

#include <cstdint>

struct matrix_kind {
    int bits, exponent; // of an element; exponent 0: any bits
};
static const matrix_kind F16 = {16, 5}, BF16 = {16, 8}, F32 = {32, 8}, F64 = {64, 11},
                         E4M3 = {8, 4}, E5M2 = {8, 5}, BITS = {32, 0};

enum matrix_domain {
    FRACTIONS, // exponents around that of 1, the same at first, more and more scattered later
    SMALL,     // A at the lower end of its range, and C where the products are
    SPECIAL,   // fractions; one element in 64 is infinite, no number, largest, smallest or zero
    ZEROS      // zeros of both signs, 1 and -1
};
enum matrix_part { PART_A, PART_B, PART_C };

struct matrix_row {
    matrix_kind kinds[3]; // by part
    matrix_domain domain;
};

struct matrix_random {
    uint64_t state;
    uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }
    uint64_t next64() {
        uint64_t high = next();
        return high << 32 | next();
    }
};

static uint64_t matrix_special(matrix_random *random, matrix_kind kind) {
    int fraction = kind.bits - 1 - kind.exponent;
    uint64_t top = (1ull << kind.exponent) - 1, ones = (1ull << fraction) - 1;
    uint64_t sign = (uint64_t)(random->next() & 1) << (kind.bits - 1);
    switch (random->next() % 6) {
    case 0: return sign | top << fraction;              // infinity (e4m3: a number)
    case 1: return sign | top << fraction | ones;       // NaN
    case 2: return sign | (top - 1) << fraction | ones; // the largest number
    case 3: return sign | 1;                            // the smallest one
    case 4: return sign | ones;                         // the largest subnormal one
    default: return sign;
    }
}

// An element whose biased exponent lies in [low, high], cut to the finite ones.
static uint64_t matrix_number(matrix_random *random, matrix_kind kind, int low, int high) {
    int fraction = kind.bits - 1 - kind.exponent, bias = (1 << (kind.exponent - 1)) - 1;
    int exponent = low + (int)(random->next() % (uint32_t)(high - low + 1));
    if (exponent < 0) exponent = 0;
    if (exponent > 2 * bias) exponent = 2 * bias;
    uint64_t sign = random->next() & 1;
    uint64_t digits =
        (fraction > 32 ? random->next64() : random->next()) & ((1ull << fraction) - 1);
    return sign << (kind.bits - 1) | (uint64_t)exponent << fraction | digits;
}

// `stage` grows from 0 to 7 over the products of a case.
static uint64_t matrix_element(matrix_random *random, const matrix_row *row, matrix_part part,
                               int stage) {
    matrix_kind kind = row->kinds[part];
    bool wide = part == PART_C && kind.bits == 32; // accumulators scatter as products do
    int bias = kind.exponent ? (1 << (kind.exponent - 1)) - 1 : 0,
        spread = wide ? 2 * stage : stage;
    if (kind.exponent == 0) return random->next();
    if (row->domain == ZEROS) {
        uint32_t draw = random->next() % 8;
        uint64_t one = (uint64_t)bias << (kind.bits - 1 - kind.exponent);
        return (uint64_t)(draw & 1) << (kind.bits - 1) | (draw >= 6 ? one : 0);
    }
    if (row->domain == SPECIAL && random->next() % 64 == 0) return matrix_special(random, kind);
    if (row->domain == SMALL && part == PART_A) return matrix_number(random, kind, 0, 3);
    if (row->domain == SMALL && part == PART_C) {
        int low =
            bias - ((1 << (row->kinds[PART_A].exponent - 1)) - 2); // of A's smallest normal number
        return matrix_number(random, kind, low - 4, low + 8);
    }
    return matrix_number(random, kind, bias - spread, bias + spread);
}

// One 32-bit register full of elements, or one 64-bit element.
static uint64_t matrix_word(matrix_random *random, const matrix_row *row, matrix_part part,
                            int stage) {
    int bits = row->kinds[part].bits;
    uint64_t word = 0;
    if (bits == 64) return matrix_element(random, row, part, stage);
    for (int at = 0; at < 32; at += bits) word |= matrix_element(random, row, part, stage) << at;
    return word;
}
