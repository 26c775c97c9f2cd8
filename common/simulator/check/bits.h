// Sets of bytes as bits: bit i of words[i / 64]. Ranges are [first, first + count); count may be 0.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The bits of word number `word` in the range [first, end).
static inline uint64_t check_bits_mask(uint64_t word, uint64_t first, uint64_t end) {
    uint64_t mask = UINT64_MAX;
    if (word == first / 64) mask &= UINT64_MAX << first % 64;
    if (word == (end - 1) / 64) mask &= UINT64_MAX >> (63 - (end - 1) % 64);
    return mask;
}

static inline bool check_bits_all(const uint64_t *words, uint64_t first, uint64_t count) {
    uint64_t word = first / 64, last = (first + count - 1) / 64;
    uint64_t begin = UINT64_MAX << first % 64, end = UINT64_MAX >> (63 - (first + count - 1) % 64);
    if (count == 0) return true;
    if (word == last) return (~words[word] & begin & end) == 0;
    uint64_t missing = (~words[word] & begin) | (~words[last] & end);
    while (++word < last) missing |= ~words[word];
    return missing == 0;
}

static inline bool check_bits_none(const uint64_t *words, uint64_t first, uint64_t count) {
    uint64_t end = first + count, found = 0;
    for (uint64_t word = first / 64; word * 64 < end; word++)
        found |= words[word] & check_bits_mask(word, first, end);
    return found == 0;
}

static inline void check_bits_set(uint64_t *words, uint64_t first, uint64_t count) {
    uint64_t end = first + count;
    for (uint64_t word = first / 64; word * 64 < end; word++)
        words[word] |= check_bits_mask(word, first, end);
}

// The bytes of 16 consecutive words; bit i of `words` selects word i.
static inline uint64_t check_bits_of_words(uint32_t words) {
    uint64_t bits = words;
    bits = (bits | bits << 24) & UINT64_C(0x000000FF000000FF);
    bits = (bits | bits << 12) & UINT64_C(0x000F000F000F000F);
    bits = (bits | bits << 6) & UINT64_C(0x0303030303030303);
    bits = (bits | bits << 3) & UINT64_C(0x1111111111111111);
    return bits * 15;
}

// Whether all bytes in `these` are set: bit i is byte first + i.
static inline bool check_bits_all_these(const uint64_t *words, uint64_t first, uint64_t these) {
    uint64_t low = these << first % 64, high = first % 64 ? these >> (64 - first % 64) : 0;
    if (low && (~words[first / 64] & low)) return false;
    return !high || (~words[first / 64 + 1] & high) == 0;
}

static inline void check_bits_set_these(uint64_t *words, uint64_t first, uint64_t these) {
    uint64_t low = these << first % 64, high = first % 64 ? these >> (64 - first % 64) : 0;
    if (low) words[first / 64] |= low;
    if (high) words[first / 64 + 1] |= high;
}

static inline void check_bits_clear(uint64_t *words, uint64_t first, uint64_t count) {
    uint64_t end = first + count;
    for (uint64_t word = first / 64; word * 64 < end; word++)
        words[word] &= ~check_bits_mask(word, first, end);
}

// Bits [from, from + count) to [to, to + count); ranges may overlap.
static inline void check_bits_copy(uint64_t *words, uint64_t to, uint64_t from, uint64_t count) {
    for (uint64_t done = 0; done < count;) {
        uint64_t left = count - done, step = left < 64 ? left : 64;
        // Overlapping ranges are copied from the end that is not overwritten first.
        uint64_t at = to <= from ? done : left - step;
        uint64_t source = from + at, word = source / 64, shift = source % 64;
        uint64_t bits = words[word] >> shift;
        if (shift && shift + step > 64) bits |= words[word + 1] << (64 - shift);
        uint64_t mask = step == 64 ? UINT64_MAX : (UINT64_C(1) << step) - 1;
        bits &= mask;
        uint64_t target = to + at;
        word = target / 64;
        shift = target % 64;
        words[word] = (words[word] & ~(mask << shift)) | bits << shift;
        if (shift && shift + step > 64)
            words[word + 1] = (words[word + 1] & ~(mask >> (64 - shift))) | bits >> (64 - shift);
        done += step;
    }
}
