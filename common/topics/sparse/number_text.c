// SPDX-License-Identifier: MIT
// Numbers in text: see number_text.h. A number of up to 19 digits w and a power of ten e is rounded
// correctly by integer arithmetic: of w * 5^e the first 64 to 128 bits decide, but for cases that
// are told apart and left to strtod (Lemire, "Number Parsing at a Gigabyte per Second", Software:
// Practice and Experience 51, 2021). Small ones take one multiplication or division of doubles,
// which is exact enough (Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990). Of
// more digits the first 19 mostly decide. The rest goes to strtod.
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

// ---- a decimal to the nearest double ----------------------------------------------------------

typedef struct power_of_five {
    uint64_t high, low;
} power_of_five;

static const power_of_five powers_of_five[] = {
// of FIVE_FIRST, FIVE_FIRST + 1, ..
#define POWER_OF_FIVE(q, high, low) {UINT64_C(high), UINT64_C(low)},
#include "powers_of_five.def"
#undef POWER_OF_FIVE
};

enum {
    FIVE_FIRST = -128,
    FIVE_LAST = FIVE_FIRST + (int)(sizeof powers_of_five / sizeof powers_of_five[0]) - 1,
    MANTISSA_BITS = 53,
    BIAS = 1023, // of a double's exponent
    INFINITE = 2047
};

// The upper 128 of the 192 bits of digits * 5^exponent, as far as they are needed.
static unsigned __int128 multiply(uint64_t digits, power_of_five five) {
    unsigned __int128 product = (unsigned __int128)digits * five.high;
    // The rest of the power can change what lies above the last 9 bits only if those are all ones.
    if (((uint64_t)(product >> 64) & 0x1FF) == 0x1FF)
        product += (unsigned __int128)digits * five.low >> 64;
    return product;
}

// floor(log2(5^e * 2^e)) for |e| < 400
static int log2_of_power_of_ten(int e) {
    return (217706 * e) >> 16;
}

bool kl_round_decimal(uint64_t digits, int exponent, double *out_value) {
    if (digits <= UINT64_C(1) << MANTISSA_BITS && exponent >= -EXACT_POWER &&
        exponent <= EXACT_POWER) {
        *out_value =
            exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
        return true;
    }
    if (digits == 0) {
        *out_value = 0;
        return true;
    }
    if (exponent < FIVE_FIRST || exponent > FIVE_LAST) return false;
    int up = __builtin_clzll(digits);
    unsigned __int128 product = multiply(digits << up, powers_of_five[exponent - FIVE_FIRST]);
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    // What was left out of the power might carry all the way up.
    if (low == UINT64_MAX && (exponent < -27 || exponent > 55)) return false;
    int top = (int)(high >> 63),
        cut = 9 + top; // of the 64 bits, leaving one more than the mantissa
    uint64_t mantissa = high >> cut;
    int power = log2_of_power_of_ten(exponent) + 63 + top - up + BIAS;
    // Half-way between two doubles (only small powers of five can divide so evenly): to the even
    // one.
    bool tie = low <= 1 && exponent >= -4 && exponent <= 23 && (mantissa & 3) == 1 &&
               mantissa << cut == high;
    mantissa = (mantissa + (tie ? 0 : mantissa & 1)) >> 1;
    power += (int)(mantissa >> MANTISSA_BITS); // rounded up to the next power of two
    if (power <= 0 || power >= INFINITE) return false;
    uint64_t bits = (mantissa & ((UINT64_C(1) << (MANTISSA_BITS - 1)) - 1)) |
                    (uint64_t)power << (MANTISSA_BITS - 1);
    memcpy(out_value, &bits, sizeof bits);
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
    for (; is_digit(*p); p++)
        if (exponent < 100000) exponent = 10 * exponent + (*p - '0');
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
    if (!integer && *p == '.')
        for (p++; is_digit(*p); p++, any = true) take_digit(&d, *p, true);
    if (any && !integer && (*p == 'e' || *p == 'E')) p = read_exponent(p + 1, &d);
    if (!any || p == NULL || !is_end(*p)) return false;
    *at = p;
    double value = 0, above = 0;
    bool rounded = kl_round_decimal(d.digits, d.exponent, &value);
    // More digits than were taken: the number lies between these and the same with 1 more in the
    // last place. Rounding keeps the order, so when both give one double, that is it.
    if (rounded && !d.exact)
        rounded = kl_round_decimal(d.digits + 1, d.exponent, &above) && above == value;
    if (!rounded) return read_slowly(start, p, out_value);
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
