// SPDX-License-Identifier: MIT
// Numbers in text: see number_text.h. A number of up to 19 digits w and a power of ten e from -54 to 27 is rounded
// correctly by integer arithmetic: w * 5^e is a product of 128 bits, and w / 5^-e a quotient of 64 with a note whether
// there was a remainder. Small ones take one multiplication or division of doubles, which is exact enough (Clinger,
// "How to Read Floating Point Numbers Accurately", PLDI 1990). Of more digits the first 19 mostly decide. The rest
// goes to strtod.
#include "number_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWER = 22, FIVES = 27, MANTISSA_DIGITS = 19, NUMBER_MAX = 512 };

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

static const uint64_t fives[FIVES + 1] = { // 5^0 .. 5^27: below 2^63
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125)};

static double power_of_two(int e) { // -1022 .. 1023
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

// digits / 5^power * 2^twos with 63 or 64 digits of the quotient; *exact: nothing was cut off.
static uint64_t divide(uint64_t digits, int power, int *twos, bool *exact) {
    uint64_t divisor = fives[power];
    int up = __builtin_clzll(digits), down = __builtin_clzll(divisor);
    unsigned __int128 numerator = (unsigned __int128)(digits << up) << 63;
    uint64_t quotient = (uint64_t)(numerator / (divisor << down)); // below 2: it fits 64 bits
    *exact = *exact && (unsigned __int128)quotient * (divisor << down) == numerator;
    *twos += down - up - 63;
    return quotient;
}

bool kl_round_decimal(uint64_t digits, int exponent, double *out_value) {
    if (digits == 0) {
        *out_value = 0;
        return true;
    }
    if (digits <= UINT64_C(1) << 53 && exponent >= -EXACT_POWER && exponent <= EXACT_POWER) {
        *out_value =
            exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
        return true;
    }
    if (exponent > FIVES || exponent < -2 * FIVES) return false;
    if (exponent >= 0) {
        unsigned __int128 product = (unsigned __int128)digits * fives[exponent];
        *out_value = (double)product * power_of_two(exponent);
        return true;
    }
    bool exact = true;
    int twos = exponent, power = -exponent;
    uint64_t q = divide(digits, power < FIVES ? power : FIVES, &twos, &exact);
    if (power > FIVES) {
        // The first quotient was up to 1 too small in its last place, hence the second up to 4: no
        // matter, unless a rounding boundary lies that close.
        q = divide(q, power - FIVES, &twos, &exact);
        uint64_t cut = q << (__builtin_clzll(q) + 53) >> (__builtin_clzll(q) + 53);
        uint64_t half = UINT64_C(1) << (10 - __builtin_clzll(q));
        if (!exact && cut + 8 > half && cut < half + 8) return false;
    }
    *out_value =
        (double)(q | !exact) * power_of_two(twos); // the last bit says that something follows
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
    double value = 0, above = 0;
    bool rounded = kl_round_decimal(d.digits, d.exponent, &value);
    // More digits than were taken: the number lies between these and the same with 1 more in the last place. Rounding
    // keeps the order, so when both give one double, that is it.
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
