// SPDX-License-Identifier: MIT
// Entries of ordinary form, fast: see mtx_block.h. Every entry read here is one that the line-by-line reader
// (matrix_market.c) reads to the same numbers; whatever differs from "row column value" in the least is left to it.
#include "mtx_block.h"

#include <stdlib.h>
#include <string.h>

#include "number_text.h"

enum { ENTRY_BYTES = 4 }; // "1 1\n" is the shortest line

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

// An index of 1 .. limit, less 1. NULL: something else stands there.
static inline const char *read_index(const char *p, int64_t limit, int32_t *out_index) {
    const char *start = p = skip_blanks(p);
    uint64_t value = 0;
    for (; is_digit(*p); p++) value = 10 * value + (uint64_t)(*p - '0');
    // 18 digits cannot overflow; an index has at most 9, more are left to the careful reader
    if (p == start || p - start > 18 || value < 1 || value > (uint64_t)limit) return NULL;
    *out_index = (int32_t)(value - 1);
    return p;
}

// Eight digits at once, or false. Bytes are taken with the first as the lowest, whatever the machine.
static inline bool read_eight(const char *p, uint64_t *digits) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    uint64_t zeros = UINT64_C(0x3030303030303030), high = UINT64_C(0xF0F0F0F0F0F0F0F0);
    // all high halves are 3, and remain so when 6 is added: '0' .. '9'
    if ((v & high) != zeros || ((v + UINT64_C(0x0606060606060606)) & high) != zeros) return false;
    v -= zeros;
    v = v * 10 + (v >> 8); // pairs, in every second byte
    v = ((v & UINT64_C(0x000000FF000000FF)) * (100 + (UINT64_C(1000000) << 32)) +
         ((v >> 16) & UINT64_C(0x000000FF000000FF)) * (1 + (UINT64_C(10000) << 32))) >>
        32;
    *digits = *digits * 100000000 + (v & 0xFFFFFFFF);
    return true;
}

// All digits from p on, with those that went before.
static inline const char *read_digits(const char *p, uint64_t *digits) {
    while (read_eight(p, digits)) p += 8;
    for (; is_digit(*p); p++) *digits = 10 * *digits + (uint64_t)(*p - '0');
    return p;
}

// A number as the line-by-line reader takes it. NULL: it does not.
static const char *read_carefully(const char *p, bool integer, double *out_value) {
    bool read = integer ? kl_read_integer(&p, out_value) : kl_read_real(&p, out_value);
    return read ? p : NULL;
}

// A decimal number: at once if it has up to 19 digits and no extreme exponent. NULL: something else.
static inline const char *read_value(const char *p, bool integer, double *out_value) {
    const char *whole = p = skip_blanks(p);
    bool minus = *p == '-';
    if (*p == '-' || *p == '+') p++;
    uint64_t digits = 0;
    const char *first = p, *point = NULL;
    while (*p == '0') p++; // leading zeros are no digits to count
    const char *counted = p;
    p = read_digits(p, &digits);
    int64_t count = p - counted, any = p - first;
    int exponent = 0;
    if (*p == '.' && !integer) {
        point = ++p;
        if (count == 0) { // zeros behind the point, too
            while (*p == '0') p++;
            counted = p;
            count = 0;
        }
        const char *rest = p;
        p = read_digits(p, &digits);
        count += p - rest;
        any += p - point;
        exponent = p - point > 1000 ? 2000 : -(int)(p - point);
    }
    if (any == 0 || count > 19) return read_carefully(whole, integer, out_value);
    if ((*p == 'e' || *p == 'E') && !integer) {
        bool down = *++p == '-';
        if (*p == '-' || *p == '+') p++;
        const char *start = p;
        int power = 0;
        for (; is_digit(*p) && p - start < 6; p++) power = 10 * power + (*p - '0');
        if (p == start || is_digit(*p)) return read_carefully(whole, integer, out_value);
        exponent += down ? -power : power;
    }
    double value = 0;
    if (!kl_round_decimal(digits, exponent, &value))
        return read_carefully(whole, integer, out_value);
    *out_value = minus ? -value : value;
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

static inline void put(kl_mtx_block *b, int32_t row, int32_t col, double value) {
    b->row[b->nnz] = row;
    b->col[b->nnz] = col;
    b->val[b->nnz++] = value;
}

// The mirrored entry; false when the entry contradicts the symmetry by itself.
static inline bool mirror(const kl_mtx_form *form, kl_mtx_block *b, int32_t row, int32_t col,
                          double value) {
    bool skew = form->symmetry == KL_MTX_SKEW;
    if (row == col) return !(skew && value != 0.0);
    int64_t *side = row > col ? &b->below_line : &b->above_line;
    if (*side == 0) *side = b->lines;
    put(b, col, row, skew ? -value : value);
    return true;
}

bool kl_mtx_block_parse(const kl_mtx_form *form, kl_mtx_block *b) {
    bool pattern = form->field == KL_MTX_PATTERN, integer = form->field == KL_MTX_INTEGER;
    bool general = form->symmetry == KL_MTX_GENERAL;
    b->plain = false;
    b->lines = b->nnz = b->below_line = b->above_line = 0;
    if (!make_room(b, (int64_t)(b->bytes / ENTRY_BYTES + 1) * (general ? 1 : 2))) return false;
    for (const char *p = b->text, *end = b->text + b->bytes; p < end;) {
        int32_t row = 0, col = 0;
        double value = 1.0;
        if ((p = read_index(p, form->rows, &row)) == NULL) return true;
        if (*p != ' ' && *p != '\t') return true;
        if ((p = read_index(p, form->cols, &col)) == NULL) return true;
        if (!pattern) {
            if (*p != ' ' && *p != '\t') return true;
            if ((p = read_value(p, integer, &value)) == NULL) return true;
        }
        if ((p = end_line(p)) == NULL) return true;
        b->lines++;
        put(b, row, col, value);
        if (!general && !mirror(form, b, row, col, value)) return true;
    }
    b->plain = true;
    return true;
}

void kl_mtx_block_free(kl_mtx_block *b) {
    free(b->text);
    free(b->row);
    free(b->col);
    free(b->val);
    *b = (kl_mtx_block){0};
}
