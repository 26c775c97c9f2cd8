// SPDX-License-Identifier: MIT
// Entries of ordinary form, fast: see mtx_block.h. Every entry read here is one that the
// line-by-line reader (matrix_market.c) reads to the same numbers; whatever differs from "row
// column value" in the least is left to it.
#include "mtx_block.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"

enum { ENTRY_BYTES = 4 }; // "1 1\n" is the shortest line

static inline const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

// Eight bytes of text, the first as the lowest, whatever the machine.
static inline uint64_t load_eight(const char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

// Eight bytes of text with '0' .. '9' as 0 .. 9, everything else larger.
static inline uint64_t load_digits(const char *p) {
    return load_eight(p) ^ UINT64_C(0x3030303030303030);
}

// The topmost bit of the first byte that is no digit, among others behind it; 0: all are digits.
static inline uint64_t find_other(uint64_t eight) {
    return ((eight + UINT64_C(0x7676767676767676)) | eight) & UINT64_C(0x8080808080808080);
}

// The number that eight digits make.
static inline uint32_t join_digits(uint64_t eight) {
    uint64_t v = eight * 10 + (eight >> 8); // pairs, in every second byte
    return (
        uint32_t)(((v & UINT64_C(0x000000FF000000FF)) * (100 + (UINT64_C(1000000) << 32)) +
                   ((v >> 16) & UINT64_C(0x000000FF000000FF)) * (1 + (UINT64_C(10000) << 32))) >>
                  32);
}

// All digits from p on, behind those that *digits holds already; modulo 2^64. No branch asks how
// many the last seven are.
static inline const char *read_digits(const char *p, uint64_t *digits) {
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t eight = load_digits(p), other = find_other(eight);
    for (; other == 0; eight = load_digits(p), other = find_other(eight)) {
        *digits = *digits * 100000000 + join_digits(eight);
        p += 8;
    }
    int bits = __builtin_ctzll(other) - 7; // of the digits
    if (bits == 0) return p;
    *digits = *digits * powers[bits >> 3] + join_digits(eight << (64 - bits));
    return p + (bits >> 3);
}

// An index of 1 .. limit, less 1. NULL: something else stands there.
static inline const char *read_index(const char *p, int64_t limit, int32_t *out_index) {
    p = skip_blanks(p);
    uint64_t eight = load_digits(p), other = find_other(eight), value = 0;
    if (other != 0) {
        int bits = __builtin_ctzll(other) - 7;
        if (bits == 0) return NULL;
        value = join_digits(eight << (64 - bits));
        p += bits >> 3;
    } else {
        const char *start = p;
        p = read_digits(p, &value);
        if (p - start > 18) return NULL; // it might overflow; an index has at most 9
    }
    if (value < 1 || value > (uint64_t)limit) return NULL;
    *out_index = (int32_t)(value - 1);
    return p;
}

// A number as the line-by-line reader takes it. NULL: it does not.
static const char *read_carefully(const char *p, bool integer, double *out_value) {
    bool read = integer ? kl_read_integer(&p, out_value) : kl_read_real(&p, out_value);
    return read ? p : NULL;
}

// Zeros before the first other digit, the point not counted.
static ptrdiff_t leading_zeros(const char *p) {
    ptrdiff_t zeros = 0;
    for (; *p == '0' || *p == '.'; p++) zeros += *p == '0';
    return zeros;
}

// A decimal number: at once if it has up to 19 digits and no extreme exponent. NULL: something
// else.
static inline const char *read_value(const char *p, bool integer, double *out_value) {
    const char *whole = p = skip_blanks(p);
    bool minus = *p == '-';
    p += minus | (*p == '+');
    uint64_t digits = 0;
    const char *first = p;
    if (is_digit(*p) && !is_digit(p[1])) // as simulations write them: d.ddd
        digits = (uint64_t)(*p++ - '0');
    else
        p = read_digits(p, &digits);
    ptrdiff_t count = p - first, exponent = 0;
    if (*p == '.' && !integer) {
        const char *point = ++p;
        p = read_digits(p, &digits);
        exponent = point - p;
        count -= exponent;
    }
    if (count == 0 || (count > 19 && count - leading_zeros(first) > 19))
        return read_carefully(whole, integer, out_value);
    if ((*p == 'e' || *p == 'E') && !integer) {
        bool down = *++p == '-';
        p += down | (*p == '+');
        const char *start = p;
        int power = 0;
        for (; is_digit(*p) && p - start < 6; p++) power = 10 * power + (*p - '0');
        if (p == start || is_digit(*p)) return read_carefully(whole, integer, out_value);
        exponent += down ? -power : power;
    }
    double value = 0;
    if (exponent < INT_MIN || !kl_round_decimal(digits, (int)exponent, &value))
        return read_carefully(whole, integer, out_value);
    static const double signs[] = {1.0, -1.0}; // signs are hard to predict
    *out_value = signs[minus] * value;
    return p;
}

// Blanks, at most one CR, the end of the line. NULL: more.
static inline const char *end_line(const char *p) {
    p = skip_blanks(p);
    if (*p == '\r') p++;
    return *p == '\n' ? p + 1 : NULL;
}

static bool make_room(kl_mtx_block *b, int64_t entries) {
    if (b->capacity >= entries) return true;
    free(b->row);
    free(b->col);
    free(b->val);
    size_t n = (size_t)entries;
    b->row = malloc(n * sizeof *b->row);
    b->col = malloc(n * sizeof *b->col);
    b->val = malloc(n * sizeof *b->val);
    b->capacity = entries;
    bool made = b->row != NULL && b->col != NULL && b->val != NULL;
    if (!made) b->capacity = 0;
    return made;
}

static inline void put(kl_mtx_block *b, int64_t at, int32_t row, int32_t col, double value) {
    b->row[at] = row;
    b->col[at] = col;
    b->val[at] = value;
}

// The mirrored entry of the one put last; false when that contradicts the symmetry by itself.
static inline bool mirror(const kl_mtx_form *form, kl_mtx_block *b, int64_t *nnz, int32_t row,
                          int32_t col, double value) {
    bool skew = form->symmetry == KL_MTX_SKEW;
    if (row == col) return !(skew && value != 0.0);
    int64_t *side = row > col ? &b->below_line : &b->above_line;
    if (*side == 0) *side = b->lines;
    put(b, (*nnz)++, col, row, skew ? -value : value);
    return true;
}

// "row column", and " value" if the field has values. NULL: something else stands there.
static inline const char *read_entry(const kl_mtx_form *form, const char *p, int32_t *out_row,
                                     int32_t *out_col, double *out_value) {
    if ((p = read_index(p, form->rows, out_row)) == NULL || (*p != ' ' && *p != '\t')) return NULL;
    if ((p = read_index(p, form->cols, out_col)) == NULL) return NULL;
    if (form->field == KL_MTX_PATTERN) return p;
    if (*p != ' ' && *p != '\t') return NULL;
    return read_value(p, form->field == KL_MTX_INTEGER, out_value);
}

// True when every line was an entry.
static bool read_entries(const kl_mtx_form *form, kl_mtx_block *b) {
    bool general = form->symmetry == KL_MTX_GENERAL;
    int64_t nnz = 0;
    for (const char *p = b->text, *end = b->text + b->bytes; p < end; b->nnz = nnz) {
        int32_t row = 0, col = 0;
        double value = 1.0;
        if ((p = read_entry(form, p, &row, &col, &value)) == NULL) return false;
        if ((p = end_line(p)) == NULL) return false;
        b->lines++;
        put(b, nnz++, row, col, value);
        if (!general && !mirror(form, b, &nnz, row, col, value)) return false;
    }
    return true;
}

bool kl_mtx_block_parse(const kl_mtx_form *form, kl_mtx_block *b) {
    b->plain = false;
    b->lines = b->nnz = b->below_line = b->above_line = 0;
    int64_t most = (int64_t)(b->bytes / ENTRY_BYTES + 1);
    if (!make_room(b, form->symmetry == KL_MTX_GENERAL ? most : 2 * most)) return false;
    b->plain = read_entries(form, b);
    return true;
}

void kl_mtx_block_free(kl_mtx_block *b) {
    free(b->buffer);
    free(b->row);
    free(b->col);
    free(b->val);
    *b = (kl_mtx_block){0};
}
