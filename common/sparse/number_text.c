// SPDX-License-Identifier: MIT
// Numbers in text: see number_text.h. Most numbers in matrix files have few digits: an integer below
// 2^53 and a power of ten up to 10^22 are both exact in a double, so that one multiplication or
// division rounds correctly (Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990).
// The rest goes to strtod.
#include "number_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWER = 22, MANTISSA_DIGITS = 19, NUMBER_MAX = 512 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}
static bool is_end(char c) {
    return is_blank(c) || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *at) {
    while (is_blank(*at)) at++;
    return at;
}

bool kl_read_count(const char **at, int64_t *out_value) {
    const char *p = skip_blanks(*at);
    uint64_t value = 0;
    if (!is_digit(*p)) return false;
    for (; is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    if (!is_end(*p)) return false;
    *at = p;
    *out_value = (int64_t)value;
    return true;
}

// The digits of a number and the power of ten they are to be multiplied with.
typedef struct decimal {
    uint64_t digits;
    int count;    // digits taken, leading zeros not counted
    int exponent; // of ten
    bool exact;   // all digits are in `digits`
} decimal;

static void take_digit(decimal *d, char c, bool fraction) {
    if (d->count >= MANTISSA_DIGITS) {
        d->exact = false;
        if (!fraction && d->exponent < 100000) d->exponent++;
        return;
    }
    d->digits = 10 * d->digits + (unsigned)(c - '0');
    if (d->digits != 0) d->count++;
    if (fraction && d->exponent > -100000) d->exponent--;
}

static const char *read_exponent(const char *p, decimal *d) {
    bool minus = *p == '-';
    if (*p == '+' || *p == '-') p++;
    if (!is_digit(*p)) return NULL;
    int exponent = 0;
    for (; is_digit(*p); p++) {
        if (exponent < 100000) exponent = 10 * exponent + (*p - '0');
    }
    d->exponent += minus ? -exponent : exponent;
    return p;
}

// strtod on a copy that ends in NUL.
static bool read_slowly(const char *start, const char *end, double *out_value) {
    char text[NUMBER_MAX];
    if (end - start >= NUMBER_MAX) return false;
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = '\0';
    char *stop = NULL;
    *out_value = strtod(text, &stop);
    return *stop == '\0' && isfinite(*out_value);
}

static bool read_decimal(const char **at, bool integer, double *out_value) {
    const char *start = skip_blanks(*at), *p = start;
    bool minus = *p == '-', any = false;
    decimal d = {.exact = true};
    if (*p == '+' || *p == '-') p++;
    for (; is_digit(*p); p++, any = true) take_digit(&d, *p, false);
    if (!integer && *p == '.') {
        for (p++; is_digit(*p); p++, any = true) take_digit(&d, *p, true);
    }
    if (any && !integer && (*p == 'e' || *p == 'E')) p = read_exponent(p + 1, &d);
    if (!any || p == NULL || !is_end(*p)) return false;
    *at = p;
    if (!d.exact || d.digits > (UINT64_C(1) << 53) || d.exponent > EXACT_POWER ||
        d.exponent < -EXACT_POWER) {
        return read_slowly(start, p, out_value);
    }
    double value = (double)d.digits;
    value = d.exponent < 0 ? value / powers[-d.exponent] : value * powers[d.exponent];
    *out_value = minus ? -value : value;
    return true;
}

bool kl_read_integer(const char **at, double *out_value) {
    return read_decimal(at, true, out_value);
}

bool kl_read_real(const char **at, double *out_value) {
    return read_decimal(at, false, out_value);
}

bool kl_line_is_done(const char *at) {
    at = skip_blanks(at);
    while (*at == '\r') at++;
    return *at == '\n';
}

const char *kl_show_word(const char *at, char *out, int bytes) {
    at = skip_blanks(at);
    int length = 0;
    for (; length < bytes - 1 && !is_end(at[length]); length++) {
        unsigned char c = (unsigned char)at[length];
        out[length] = c > 32 && c < 127 ? (char)c : '?';
    }
    out[length] = '\0';
    return out;
}
