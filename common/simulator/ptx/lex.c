// Lexer of PTX (PTX ISA 9.0, chapter 4). A dotted opcode with its `::` parts is one token, and so
// is `%tid.x`. Must not read past lexer->end: the text need not end in NUL.
#include "ptx/ptx.h"
#include <locale.h>

enum { NAME_START = 1, NAME_PART = 2, DIGIT = 4, SPACE = 8, HEX = 16 };
enum { WARP_SZ = 32 }; // a constant of PTX, by this name

static const uint8_t char_class[256] = {
    ['\t'] = SPACE,
    ['\v'] = SPACE,
    ['\f'] = SPACE,
    ['\r'] = SPACE,
    [' '] = SPACE,
    ['0' ... '9'] = NAME_PART | DIGIT | HEX,
    ['A' ... 'F'] = NAME_START | NAME_PART | HEX,
    ['G' ... 'Z'] = NAME_START | NAME_PART,
    ['a' ... 'f'] = NAME_START | NAME_PART | HEX,
    ['g' ... 'z'] = NAME_START | NAME_PART,
    ['_'] = NAME_START | NAME_PART,
    ['$'] = NAME_START | NAME_PART,
    ['%'] = NAME_START,
};

static const uint8_t punctuation[256] = {
    [','] = PTX_TOKEN_COMMA,       [';'] = PTX_TOKEN_SEMICOLON,    [':'] = PTX_TOKEN_COLON,
    ['{'] = PTX_TOKEN_OPEN_BRACE,  ['}'] = PTX_TOKEN_CLOSE_BRACE,  ['('] = PTX_TOKEN_OPEN_PAREN,
    [')'] = PTX_TOKEN_CLOSE_PAREN, ['['] = PTX_TOKEN_OPEN_BRACKET, [']'] = PTX_TOKEN_CLOSE_BRACKET,
    ['<'] = PTX_TOKEN_LESS,        ['>'] = PTX_TOKEN_GREATER,      ['='] = PTX_TOKEN_EQUALS,
    ['+'] = PTX_TOKEN_PLUS,        ['-'] = PTX_TOKEN_MINUS,        ['*'] = PTX_TOKEN_STAR,
    ['@'] = PTX_TOKEN_AT,          ['!'] = PTX_TOKEN_NOT,          ['|'] = PTX_TOKEN_BAR,
    ['/'] = PTX_TOKEN_SLASH,       ['&'] = PTX_TOKEN_AND,          ['^'] = PTX_TOKEN_CARET,
    ['~'] = PTX_TOKEN_TILDE,       ['?'] = PTX_TOKEN_QUESTION,
};

// Of constant expressions.
static const struct {
    char text[3];
    uint8_t kind;
} pairs[] = {
    {"<<", PTX_TOKEN_LESS_LESS},     {">>", PTX_TOKEN_GREATER_GREATER},
    {"<=", PTX_TOKEN_LESS_EQUALS},   {">=", PTX_TOKEN_GREATER_EQUALS},
    {"==", PTX_TOKEN_EQUALS_EQUALS}, {"!=", PTX_TOKEN_NOT_EQUALS},
    {"&&", PTX_TOKEN_AND_AND},       {"||", PTX_TOKEN_BAR_BAR},
};

static const struct {
    const char *name, *text;
} token_kinds[PTX_TOKEN_COUNT] = {
#define PTX_TOKEN(id, text) {#id, text},
#include "ptx/tokens.def"
#undef PTX_TOKEN
};

const char *ptx_token_kind_text(ptx_token_kind kind) {
    return (unsigned)kind < PTX_TOKEN_COUNT ? token_kinds[kind].text : "?";
}

const char *ptx_token_kind_name(ptx_token_kind kind) {
    return (unsigned)kind < PTX_TOKEN_COUNT ? token_kinds[kind].name : "?";
}

void ptx_lex_begin(ptx_lexer *lexer, const char *text, size_t bytes, kl_error *err) {
    *lexer = (ptx_lexer){.text = text, .end = text + bytes, .at = text, .line_start = text};
    lexer->line = 1;
    lexer->err = err;
}

static bool is_class(const ptx_lexer *lexer, const char *at, uint8_t class) {
    return at < lexer->end && (char_class[(unsigned char)*at] & class);
}

static ptx_place place_of(const ptx_lexer *lexer, const char *at) {
    return (ptx_place){lexer->line, (uint32_t)(at - lexer->line_start) + 1};
}

static sim_status fail_at(const ptx_lexer *lexer, ptx_place place, const char *message) {
    return ptx_fail(lexer->text, (size_t)(lexer->end - lexer->text), place, SIM_BAD_PTX, lexer->err,
                    "%s", message);
}

static void start_line(ptx_lexer *lexer, const char *first) {
    lexer->line++;
    lexer->line_start = first;
}

// `# 5 "a.cu"` and `#line 5 "a.cu"`, which a preprocessor leaves: a line number and a file name, up
// to the end of the line. `at` is behind the `#`.
static sim_status skip_line_marker(ptx_lexer *lexer, const char *at, const char **out_end) {
    ptx_place place = place_of(lexer, at - 1);
    const char *line_end = memchr(at, '\n', (size_t)(lexer->end - at));
    if (!line_end) line_end = lexer->end;
    while (at < line_end && (char_class[(unsigned char)*at] & SPACE)) at++;
    if (line_end - at >= 4 && memcmp(at, "line", 4) == 0) at += 4;
    while (at < line_end && (char_class[(unsigned char)*at] & SPACE)) at++;
    const char *digits = at;
    while (at < line_end && is_class(lexer, at, DIGIT)) at++;
    bool has_number = at > digits;
    while (at < line_end && (char_class[(unsigned char)*at] & SPACE)) at++;
    bool has_name = at < line_end && *at == '"' && memchr(at + 1, '"', (size_t)(line_end - at - 1));
    if (!has_number || !has_name)
        return fail_at(lexer, place, "'#' begins a line marker: # 5 \"file\"");
    *out_end = line_end;
    return SIM_OK;
}

// Moves over blanks, line ends, line markers and both kinds of comments.
static sim_status skip_blanks(ptx_lexer *lexer) {
    const char *at = lexer->at, *end = lexer->end;
    for (; at < end; at++) {
        if (char_class[(unsigned char)*at] & SPACE) continue;
        if (*at == '\n') {
            start_line(lexer, at + 1);
        } else if (*at == '/' && end - at > 1 && at[1] == '/') {
            const char *line_end = memchr(at, '\n', (size_t)(end - at));
            at = (line_end ? line_end : end) - 1; // the line end itself is counted next
        } else if (*at == '/' && end - at > 1 && at[1] == '*') {
            ptx_place opened = place_of(lexer, at);
            for (at += 2; end - at >= 2 && !(at[0] == '*' && at[1] == '/'); at++)
                if (*at == '\n') start_line(lexer, at + 1);
            if (end - at < 2) return fail_at(lexer, opened, "this comment does not end");
            at++;
        } else if (*at == '#') {
            TRY(skip_line_marker(lexer, at + 1, &at));
            at--; // the line end itself is counted next
        } else {
            break;
        }
    }
    lexer->at = at;
    return SIM_OK;
}

// From `at`: name characters and, when the name goes on so, `.part` and `::part` pieces.
static const char *scan_word(const ptx_lexer *lexer, const char *at, bool *out_dotted) {
    for (;;) {
        while (is_class(lexer, at, NAME_PART)) at++;
        if (at < lexer->end && *at == '.' && is_class(lexer, at + 1, NAME_PART)) {
            *out_dotted = true;
            at++;
        } else if (*out_dotted && lexer->end - at > 2 && at[0] == ':' && at[1] == ':' &&
                   is_class(lexer, at + 2, NAME_PART)) {
            at += 2;
        } else {
            return at;
        }
    }
}

// A directive is one piece only (`.reg.b32` is two), but keeps its `::` (`.shared::cta`).
static const char *scan_directive(const ptx_lexer *lexer, const char *at) {
    for (;;) {
        while (is_class(lexer, at, NAME_PART)) at++;
        if (lexer->end - at <= 2 || at[0] != ':' || at[1] != ':' ||
            !is_class(lexer, at + 2, NAME_PART))
            return at;
        at += 2;
    }
}

static unsigned digit_value(char c) {
    if (c <= '9') return (unsigned)(c - '0');
    return (unsigned)((c | 0x20) - 'a') + 10;
}

// 0f and 0d: the IEEE bits in exactly 8 or 16 hexadecimal digits.
static sim_status lex_float_bits(ptx_lexer *lexer, ptx_token *token, unsigned digits) {
    const char *at = lexer->at + 2;
    for (unsigned i = 0; i < digits; i++, at++) {
        if (!is_class(lexer, at, HEX))
            return fail_at(lexer, token->place,
                           digits == 8 ? "a 0f constant has exactly 8 hexadecimal digits"
                                       : "a 0d constant has exactly 16 hexadecimal digits");
        token->value = token->value << 4 | digit_value(*at);
    }
    token->kind = digits == 8 ? PTX_TOKEN_FLOAT32 : PTX_TOKEN_FLOAT64;
    lexer->at = at;
    return SIM_OK;
}

// strtod under the C locale whatever the program has set: PTX always writes a dot.
static sim_status lex_decimal_float(ptx_lexer *lexer, ptx_token *token, const char *end) {
    char copy[64];
    size_t bytes = (size_t)(end - lexer->at);
    if (bytes >= sizeof copy)
        return fail_at(lexer, token->place, "this decimal number has too many digits");
    memcpy(copy, lexer->at, bytes);
    copy[bytes] = '\0';
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return sim_fail(lexer->err, SIM_OUT_OF_MEMORY, "no memory for a locale");
    errno = 0;
    double value = strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    if (errno == ERANGE) return fail_at(lexer, token->place, "this number does not fit a double");
    memcpy(&token->value, &value, sizeof value);
    token->kind = PTX_TOKEN_FLOAT64;
    lexer->at = end;
    return SIM_OK;
}

// The end of an exponent such as `e-3`, or `at` where there is none.
static const char *scan_exponent(const ptx_lexer *lexer, const char *at) {
    if (at >= lexer->end || (*at != 'e' && *at != 'E')) return at;
    const char *digit = at + 1;
    if (digit < lexer->end && (*digit == '+' || *digit == '-')) digit++;
    if (!is_class(lexer, digit, DIGIT)) return at;
    while (is_class(lexer, digit, DIGIT)) digit++;
    return digit;
}

// The end of a decimal float that starts at `at` (1.5, 1., 1.e3), or NULL: it is an integer.
static const char *scan_decimal_float(const ptx_lexer *lexer, const char *at) {
    const char *whole;
    while (is_class(lexer, at, DIGIT)) at++;
    whole = at;
    if (at < lexer->end && *at == '.' &&
        (!is_class(lexer, at + 1, NAME_START) || scan_exponent(lexer, at + 1) > at + 1))
        for (at++; is_class(lexer, at, DIGIT);) at++;
    at = scan_exponent(lexer, at);
    return at > whole ? at : NULL;
}

// Wraps at 2^64, as ptxas does: it refuses only a digit behind a number of 2^63 or more.
static sim_status lex_integer(ptx_lexer *lexer, ptx_token *token, unsigned base,
                              unsigned prefix_chars) {
    const char *at = lexer->at + prefix_chars;
    const char *first = at;
    for (; is_class(lexer, at, HEX) && digit_value(*at) < base; at++) {
        if (token->value > INT64_MAX)
            return fail_at(lexer, token->place, "this integer does not fit 64 bits");
        token->value = token->value * base + digit_value(*at);
    }
    if (at == first) return fail_at(lexer, token->place, "a number prefix without digits");
    token->is_unsigned = at < lexer->end && *at == 'U';
    if (token->is_unsigned) at++;
    token->kind = PTX_TOKEN_INT;
    lexer->at = at;
    return SIM_OK;
}

// The end of `.5`; NULL: `.2d` is a part of an opcode.
static const char *scan_fraction(const ptx_lexer *lexer, const char *at) {
    if (!is_class(lexer, at + 1, DIGIT)) return NULL;
    const char *end = scan_decimal_float(lexer, at);
    return end && !is_class(lexer, end, NAME_PART) ? end : NULL;
}

static sim_status lex_number(ptx_lexer *lexer, ptx_token *token) {
    const char *at = lexer->at;
    char prefix = *at == '0' && lexer->end - at > 1 ? at[1] : '\0';
    const char *float_end;
    if (prefix == 'f' || prefix == 'F') TRY(lex_float_bits(lexer, token, 8));
    else if (prefix == 'd' || prefix == 'D') TRY(lex_float_bits(lexer, token, 16));
    else if (prefix == 'x' || prefix == 'X') TRY(lex_integer(lexer, token, 16, 2));
    else if (prefix == 'b' || prefix == 'B') TRY(lex_integer(lexer, token, 2, 2));
    else if ((float_end = scan_decimal_float(lexer, at)))
        TRY(lex_decimal_float(lexer, token, float_end));
    else TRY(lex_integer(lexer, token, is_class(lexer, at + 1, DIGIT) && *at == '0' ? 8 : 10, 0));
    if (is_class(lexer, lexer->at, NAME_PART | NAME_START))
        return fail_at(lexer, token->place, "malformed number");
    return SIM_OK;
}

static void lex_punctuation(ptx_lexer *lexer, ptx_token *token) {
    const char *at = lexer->at;
    size_t bytes = 1;
    token->kind = (ptx_token_kind)punctuation[(unsigned char)*at];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && lexer->end - at > 1; i++) {
        if (pairs[i].text[0] != at[0] || pairs[i].text[1] != at[1]) continue;
        token->kind = (ptx_token_kind)pairs[i].kind;
        bytes = 2;
    }
    lexer->at = at + bytes;
}

static sim_status lex_string(ptx_lexer *lexer, ptx_token *token) {
    const char *at = lexer->at + 1;
    for (; at < lexer->end && *at != '"' && *at != '\n'; at++)
        if (*at == '\\' && lexer->end - at > 1 && at[1] != '\n') at++;
    if (at >= lexer->end || *at != '"')
        return fail_at(lexer, token->place, "this string does not end on its line");
    token->kind = PTX_TOKEN_STRING;
    token->text = lexer->at + 1;
    token->bytes = (uint32_t)(at - token->text);
    lexer->at = at + 1;
    return SIM_OK;
}

static sim_status fail_character(const ptx_lexer *lexer, ptx_place place, unsigned char c) {
    size_t bytes = (size_t)(lexer->end - lexer->text);
    if (c >= 0x20 && c < 0x7f)
        return ptx_fail(lexer->text, bytes, place, SIM_BAD_PTX, lexer->err,
                        "the character '%c' does not belong to PTX", c);
    return ptx_fail(lexer->text, bytes, place, SIM_BAD_PTX, lexer->err,
                    "the byte 0x%02X does not belong to PTX", c);
}

sim_status ptx_lex_next(ptx_lexer *lexer, ptx_token *out_token) {
    TRY(skip_blanks(lexer));
    const char *at = lexer->at;
    *out_token = (ptx_token){.text = at, .place = place_of(lexer, at)};
    if (at >= lexer->end) return SIM_OK; // kind is END

    unsigned char c = (unsigned char)*at;
    uint8_t class = char_class[c];
    const char *float_end;
    if (c == '%' && !is_class(lexer, at + 1, NAME_PART)) {
        out_token->kind = PTX_TOKEN_PERCENT; // of a division; `%2` is a name
        lexer->at = at + 1;
    } else if (class & NAME_START) {
        out_token->kind = PTX_TOKEN_WORD;
        lexer->at = scan_word(lexer, at + 1, &out_token->is_dotted);
        if (lexer->at - at == 7 && memcmp(at, "WARP_SZ", 7) == 0) {
            out_token->kind = PTX_TOKEN_INT;
            out_token->value = WARP_SZ;
        }
    } else if (c == '.' && (float_end = scan_fraction(lexer, at))) {
        TRY(lex_decimal_float(lexer, out_token, float_end));
    } else if (c == '.' && is_class(lexer, at + 1, NAME_PART)) {
        out_token->kind = PTX_TOKEN_DIRECTIVE;
        out_token->text = at + 1;
        lexer->at = scan_directive(lexer, at + 1);
    } else if (class & DIGIT) {
        TRY(lex_number(lexer, out_token));
    } else if (c == '"') {
        return lex_string(lexer, out_token);
    } else if (punctuation[c]) {
        lex_punctuation(lexer, out_token);
    } else {
        return fail_character(lexer, out_token->place, c);
    }
    out_token->bytes = (uint32_t)(lexer->at - out_token->text);
    return SIM_OK;
}
