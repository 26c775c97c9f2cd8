// Numbers as people and course systems write them: see text.h. Must not trust its input, and must
// not guess.
#include "utilities/text.h"

enum { GROUPS_MAX = 16, DIGITS_MAX = 32, EXPONENT_MAX = 99 };

// Runs of digits and what is between them: a comma, a point, ' ' for any blank, '\'' for any
// apostrophe.
typedef struct parts {
    char digits[DIGITS_MAX + 1];                   // of all runs
    int length[GROUPS_MAX + 1], mark_count, count; // of each run; marks; digits
    char mark[GROUPS_MAX];
} parts;

// Bytes of the first of these texts that `at` begins with; 0: none.
static size_t any_of(const char *at, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strncmp(at, texts[i], strlen(texts[i])) == 0) return strlen(texts[i]);
    return 0;
}

static const char *skip_blanks(const char *at) {
    for (size_t bytes; (bytes = ladder_blank_bytes(at)) > 0;) at += bytes;
    return at;
}

// The mark that parts digits here: its bytes; 0: none.
static size_t mark_at(const char *at, char *out_mark) {
    static const char *const apostrophes[] = {"'", "\xE2\x80\x99"};
    size_t bytes = any_of(at, apostrophes, 2);
    *out_mark = '\'';
    if (bytes > 0) return bytes;
    *out_mark = *at == '.' || *at == ',' ? *at : ' ';
    return *out_mark != ' ' ? 1 : ladder_blank_bytes(at);
}

// Takes digits and marks; returns where they end. A mark counts where a digit follows.
static const char *take_parts(const char *at, parts *p) {
    memset(p, 0, sizeof *p);
    for (;;) {
        char mark = 0;
        while (isdigit((unsigned char)*at) && p->count < DIGITS_MAX) {
            p->digits[p->count++] = *at++;
            p->length[p->mark_count]++;
        }
        size_t bytes = mark_at(at, &mark);
        if (bytes == 0 || !isdigit((unsigned char)at[bytes]) || p->mark_count == GROUPS_MAX)
            return at;
        p->mark[p->mark_count++] = mark;
        at += bytes;
    }
}

// Whether the first runs are thousands: all but the first of three digits, or as in India of two
// with three at the end, parted by one and the same mark.
static bool are_groups(const parts *p, int runs) {
    bool threes = true, twos = p->mark[0] == ',' && runs > 2 && p->length[0] <= 2;
    if (p->length[0] < 1 || p->length[0] > 3 || p->digits[0] == '0') return false;
    for (int i = 1; i < runs; i++) {
        if (p->mark[i - 1] != p->mark[0]) return false;
        threes = threes && p->length[i] == 3;
        twos = twos && p->length[i] == (i + 1 < runs ? 2 : 3);
    }
    return threes || twos;
}

// Its value with the last `behind` digits behind the decimal mark.
static double value_of(const parts *p, int behind, int exponent) {
    char text[DIGITS_MAX + 16];
    snprintf(text, sizeof text, "%.*s.%se%d", p->count - behind, p->digits,
             p->digits + p->count - behind, exponent);
    return strtod(text, NULL);
}

// What the marks are. *out_behind: digits behind the decimal mark. NONE: they follow no rule.
static ladder_number_kind judge(const parts *p, char known, char *out_shown, int *out_behind) {
    int n = p->mark_count, same = 0;
    char last = n > 0 ? p->mark[n - 1] : 0, other = last == '.' ? ',' : '.';
    *out_shown = 0;
    *out_behind = 0;
    if (n == 0) return LADDER_NUMBER_VALUE;
    for (int i = 0; i < n; i++) same += p->mark[i] == last;
    bool may_group = are_groups(p, n + 1);
    if ((last != '.' && last != ',') || same > 1) { // a decimal mark is there once
        if (last == '.' || last == ',') *out_shown = other;
        return may_group ? LADDER_NUMBER_VALUE : LADDER_NUMBER_NONE;
    }
    if (n > 1 && !are_groups(p, n)) return LADDER_NUMBER_NONE;
    if (may_group && known == other) return LADDER_NUMBER_VALUE;
    *out_behind = p->length[n];
    if (!may_group) *out_shown = last;
    return may_group && known != last ? LADDER_NUMBER_EITHER : LADDER_NUMBER_VALUE;
}

// "e3", "E+03"; false: it is no exponent.
static bool take_exponent(const char **at, int *out_exponent) {
    const char *c = *at;
    *out_exponent = 0;
    if (*c != 'e' && *c != 'E') return true;
    bool minus = c[1] == '-';
    c += 1 + (c[1] == '-' || c[1] == '+');
    if (!isdigit((unsigned char)*c)) return false;
    for (; isdigit((unsigned char)*c) && *out_exponent <= EXPONENT_MAX; c++)
        *out_exponent = 10 * *out_exponent + *c - '0';
    if (minus) *out_exponent = -*out_exponent;
    *at = c;
    return abs(*out_exponent) <= EXPONENT_MAX;
}

static bool is_dash(const char *at) {
    static const char *const dashes[] = {"-", "\xE2\x80\x93", "\xE2\x80\x94"};
    size_t bytes = any_of(at, dashes, 3);
    return bytes > 0 && *skip_blanks(at + bytes) == '\0';
}

ladder_number ladder_number_read(const char *text, char decimal) {
    static const char *const minuses[] = {"-", "\xE2\x88\x92"};
    ladder_number n = {.kind = LADDER_NUMBER_NONE};
    const char *at = skip_blanks(text);
    parts p;
    int exponent = 0;
    if (*at == '\0' || is_dash(at)) return (ladder_number){.kind = LADDER_NUMBER_BLANK};
    size_t minus = any_of(at, minuses, 2);
    double sign = minus > 0 ? -1 : 1;
    const char *after_sign = at + (*at == '+' ? 1 : minus);
    const char *digits_end = take_parts(after_sign, &p), *end = digits_end;
    if (p.count == 0 || !take_exponent(&end, &exponent)) return n;
    const char *unit = skip_blanks(end);
    bool percent = *unit == '%';
    if (*skip_blanks(unit + percent) != '\0') return n;
    n.kind = judge(&p, decimal, &n.decimal, &n.digits);
    if (n.kind == LADDER_NUMBER_NONE) return (ladder_number){.kind = LADDER_NUMBER_NONE};
    n.percent = percent;
    n.value = sign * value_of(&p, n.digits, exponent);
    n.grouped = sign * value_of(&p, 0, exponent);
    n.plain = at == text && minus <= 1 && *at != '+' && end == digits_end && unit == end &&
              unit[percent] == '\0' && p.mark_count == (n.digits > 0) && p.length[0] > 0;
    return n;
}

char *ladder_number_text(double value, int digits, char decimal, char *out, size_t out_bytes) {
    snprintf(out, out_bytes, "%.*f", digits, value);
    char *point = strchr(out, '.');
    if (point && decimal == ',') *point = ',';
    return out;
}

char *ladder_number_fault(const ladder_number *number, const char *text, char *out,
                          size_t out_bytes) {
    char plain[80];
    ladder_plain(text, false, plain, sizeof plain);
    if (number->kind == LADDER_NUMBER_EITHER)
        snprintf(out, out_bytes, "'%s' is %.10g or %.10g", plain, number->grouped, number->value);
    else if (number->kind == LADDER_NUMBER_BLANK) snprintf(out, out_bytes, "there is no number");
    else if (number->kind == LADDER_NUMBER_NONE)
        snprintf(out, out_bytes, "'%s' is no number", plain);
    else
        snprintf(out, out_bytes, "'%s' is %s", plain,
                 number->percent ? "a percentage" : "out of range");
    return out;
}

kl_status ladder_number_take(const char *text, kl_status status, double *out_value, kl_error *err) {
    char why[160];
    ladder_number number = ladder_number_read(text, 0);
    *out_value = number.value;
    if (number.kind == LADDER_NUMBER_VALUE && !number.percent) return KL_OK;
    ladder_number_fault(&number, text, why, sizeof why);
    return kl_fail(err, status, "%s%s", why,
                   number.kind == LADDER_NUMBER_EITHER ? ": write it without a thousands separator"
                                                       : "");
}
