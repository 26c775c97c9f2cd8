// Lines of a byte source: see sparse_internal.h. A line that reaches over the end of the buffer is
// moved to its start before the buffer is filled again; every other line stays where it was read.
#include "sparse_internal.h"
#include <float.h>

// Read at a time: what a second-level cache holds. The buffer grows up to the longest line.
enum { READ_BYTES = 256 << 10 };

kl_status kl_lines_open(kl_byte_source *source, kl_lines *out_lines, kl_error *err) {
    *out_lines =
        (kl_lines){.source = source, .buffer = malloc(READ_BYTES + 1), .capacity = READ_BYTES};
    if (!out_lines->buffer) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    return KL_OK;
}

void kl_lines_close(kl_lines *lines) {
    free(lines->buffer);
    *lines = (kl_lines){0};
}

// For a line that fills the buffer.
static kl_status grow(kl_lines *lines, kl_error *err) {
    if (lines->capacity == KL_LINE_MOST) {
        return kl_fail(err, KL_ERROR_INPUT, "line %lld is longer than %d MiB",
                       (long long)lines->number + 1, KL_LINE_MOST >> 20);
    }
    char *grown = realloc(lines->buffer, 4 * lines->capacity + 1);
    if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    lines->buffer = grown;
    lines->capacity *= 4;
    return KL_OK;
}

static kl_status fill(kl_lines *lines, kl_error *err) {
    memmove(lines->buffer, lines->buffer + lines->next, lines->end - lines->next);
    lines->end -= lines->next;
    lines->next = 0;
    if (lines->end == lines->capacity) TRY(grow(lines, err));
    size_t got = 0;
    size_t available = lines->capacity - lines->end;
    TRY(kl_bytes_read(lines->source, lines->buffer + lines->end,
                      available < READ_BYTES ? available : READ_BYTES, &got, err));
    lines->end += got;
    lines->finished = got == 0;
    return KL_OK;
}

kl_status kl_lines_next(kl_lines *lines, const char **out_line, kl_error *err) {
    *out_line = NULL;
    for (;;) {
        const char *start = lines->buffer + lines->next;
        const char *stop = memchr(start, '\n', lines->end - lines->next);
        if (!stop && lines->finished && lines->next < lines->end) { // no newline at the end
            stop = lines->buffer + lines->end;
            lines->buffer[lines->end++] = '\n'; // the buffer has one more byte than its capacity
        }
        if (stop) {
            lines->next = (size_t)(stop - lines->buffer) + 1;
            lines->number++;
            *out_line = start;
            return KL_OK;
        }
        if (lines->finished) return KL_OK;
        TRY(fill(lines, err));
    }
}

bool kl_lines_at_end(const kl_lines *lines) { return lines->finished && lines->next == lines->end; }

// ---- numbers in text ----------------------------------------------------------------------------
// Of up to 19 digits and a small power of ten one multiplication or division of long doubles
// decides (after Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990), except close
// to half-way between two doubles. The rest goes to strtod.

// Exact in 64 bits: 5^27 is less than 2^63.
static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                     1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                     1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                     1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
enum { EXACT_POWER = 27, MANTISSA_DIGITS = 19 };
_Static_assert(LDBL_MANT_DIG >= 64, "19 digits fit a long double");

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_end(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

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
    for (; is_digit(*p); p++)
        if (exponent < 100000) exponent = 10 * exponent + (*p - '0');
    d->exponent += minus ? -exponent : exponent;
    return p;
}

// False leaves the number to strtod.
static bool round_decimal(const decimal *d, double *out_value) {
    if (!d->exact || abs(d->exponent) > EXACT_POWER) return false;
    long double value = d->exponent < 0 ? (long double)d->digits / powers[-d->exponent]
                                        : (long double)d->digits * powers[d->exponent];
    // Rounded once to 64 bits and then to 53: right unless the first result is half-way.
    long double last_bits = value * 0x1p-63L;
    *out_value = (double)value;
    return (double)(value - last_bits) == (double)(value + last_bits);
}

// Fortran writes its double precision as 1.0D+02.
static bool is_exponent(char c) { return c == 'e' || c == 'E' || c == 'd' || c == 'D'; }

// What strtod makes of text[bytes], which it knows with an e only.
static double read_slowly(const char *text, size_t bytes) {
    const char *d = text;
    while (d < text + bytes && *d != 'd' && *d != 'D') d++;
    if (d == text + bytes) return strtod(text, NULL);
    char *copy = malloc(bytes + 1);
    if (!copy) return NAN;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    copy[d - text] = 'e';
    double value = strtod(copy, NULL);
    free(copy);
    return value;
}

static bool read_decimal(const char **at, bool integer, double *out_value) {
    const char *start = skip_blanks(*at), *p = start;
    bool minus = *p == '-', any = false;
    decimal d = {.exact = true};
    if (*p == '+' || *p == '-') p++;
    for (; is_digit(*p); p++, any = true) take_digit(&d, *p, false);
    if (!integer && *p == '.')
        for (p++; is_digit(*p); p++, any = true) take_digit(&d, *p, true);
    if (any && !integer && is_exponent(*p)) p = read_exponent(p + 1, &d);
    if (!any || !p || !is_end(*p)) return false;
    *at = p;
    double value = 0;
    if (!round_decimal(&d, &value)) {
        *out_value = read_slowly(start, (size_t)(p - start)); // stops where p does
        return isfinite(*out_value);
    }
    *out_value = minus ? -value : value;
    return true;
}

bool kl_read_integer(const char **at, double *out_value) {
    return read_decimal(at, true, out_value);
}

bool kl_read_real(const char **at, double *out_value) { return read_decimal(at, false, out_value); }

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
