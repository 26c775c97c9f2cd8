// SPDX-License-Identifier: MIT
// JSON reader: see message.h. One pass; strings are unescaped where they stand.
#include "learn/dap/message.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

typedef struct reader {
    char *at;
    int depth;
} reader;

static void skip_blanks(reader *r) {
    r->at += strspn(r->at, " \t\r\n");
}

static bool read_hex(const char *at, uint32_t *out) {
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *found;
        if (at[i] == '\0' || !(found = strchr(digits, at[i]))) return false;
        uint32_t digit = (uint32_t)(found - digits);
        *out = *out << 4 | (digit < 16 ? digit : digit - 6);
    }
    return true;
}

static char *put_utf8(char *to, uint32_t code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

// At the four digits of \uXXXX, perhaps of a pair of surrogates. No longer than what it replaces.
static bool read_code(reader *r, char **to) {
    const uint32_t replacement = 0xFFFD;
    uint32_t code, low;
    if (!read_hex(r->at, &code)) return false;
    r->at += 4;
    bool is_high = code >= 0xD800 && code < 0xDC00;
    if (is_high && r->at[0] == '\\' && r->at[1] == 'u' && read_hex(r->at + 2, &low) &&
        low >= 0xDC00 && low < 0xE000) {
        r->at += 6;
        code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
    }
    if (code == 0 || (code >= 0xD800 && code < 0xE000)) code = replacement;
    *to = put_utf8(*to, code);
    return true;
}

// Behind the opening quote.
static bool read_text(reader *r, const char **out_text) {
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char *to = r->at;
    *out_text = r->at;
    while (*r->at != '"') {
        const char *found;
        if ((unsigned char)*r->at < 0x20) return false; // the end, too
        if (*r->at != '\\') {
            *to++ = *r->at++;
        } else if (r->at[1] == 'u') {
            r->at += 2;
            if (!read_code(r, &to)) return false;
        } else if (r->at[1] && (found = strchr(names, r->at[1]))) {
            *to++ = meant[found - names];
            r->at += 2;
        } else {
            return false;
        }
    }
    r->at++;
    *to = '\0';
    return true;
}

static bool read_word(reader *r, const char *word) {
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static bool read_number(reader *r, double *out) {
    char *end;
    if (!strchr("-0123456789", *r->at) || *r->at == '\0') return false;
    if (r->at[0] == '0' && strchr("xX", r->at[1]) && r->at[1]) return false;
    *out = strtod(r->at, &end);
    bool any = end > r->at;
    r->at = end;
    return any;
}

static bool read_value(reader *r, dap_value *out);

// Items of an array or members of an object, behind the bracket.
static bool read_items(reader *r, dap_value *whole, char close) {
    dap_value **last = &whole->first;
    skip_blanks(r);
    if (*r->at == close) return r->at++, true;
    for (;;) {
        dap_value *item = calloc(1, sizeof *item);
        if (!item) return false;
        *last = item;
        last = &item->next;
        skip_blanks(r);
        if (close == '}') {
            if (*r->at++ != '"' || !read_text(r, &item->key)) return false;
            skip_blanks(r);
            if (*r->at++ != ':') return false;
        }
        if (!read_value(r, item)) return false;
        skip_blanks(r);
        if (*r->at == close) return r->at++, true;
        if (*r->at++ != ',') return false;
    }
}

static bool read_value(reader *r, dap_value *out) {
    skip_blanks(r);
    switch (*r->at) {
    case '"': out->kind = DAP_STRING; return r->at++, read_text(r, &out->text);
    case '{':
    case '[': {
        bool is_object = *r->at++ == '{';
        out->kind = is_object ? DAP_OBJECT : DAP_ARRAY;
        if (++r->depth > MOST_DEPTH) return false;
        bool done = read_items(r, out, is_object ? '}' : ']');
        r->depth--;
        return done;
    }
    case 't': out->kind = DAP_BOOL; return out->number = 1, read_word(r, "true");
    case 'f': out->kind = DAP_BOOL; return read_word(r, "false");
    case 'n': return read_word(r, "null");
    default: out->kind = DAP_NUMBER; return read_number(r, &out->number);
    }
}

kl_status dap_parse(char *text, size_t bytes, dap_value **out_value, kl_error *err) {
    reader r = {.at = text};
    dap_value *value = calloc(1, sizeof *value);
    *out_value = NULL;
    if (!value) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a message");
    bool good = read_value(&r, value);
    if (good) skip_blanks(&r);
    if (good && (size_t)(r.at - text) == bytes) {
        *out_value = value;
        return KL_OK;
    }
    dap_free(value);
    return kl_fail(err, KL_ERROR_INPUT, "The message is no JSON: byte %zu.", (size_t)(r.at - text));
}

void dap_free(dap_value *value) {
    while (value) {
        dap_value *next = value->next;
        dap_free(value->first);
        free(value);
        value = next;
    }
}

const dap_value *dap_get(const dap_value *object, const char *key) {
    if (!object || object->kind != DAP_OBJECT) return NULL;
    const dap_value *item = object->first;
    while (item && strcmp(item->key, key) != 0) item = item->next;
    return item;
}

const char *dap_text(const dap_value *object, const char *key, const char *otherwise) {
    const dap_value *found = dap_get(object, key);
    return found && found->kind == DAP_STRING ? found->text : otherwise;
}

bool dap_flag(const dap_value *object, const char *key, bool otherwise) {
    const dap_value *found = dap_get(object, key);
    return found && found->kind == DAP_BOOL ? found->number != 0 : otherwise;
}

uint64_t dap_uint(const dap_value *object, const char *key, uint64_t otherwise) {
    const double most = 9007199254740992.0; // 2^53: integers beyond it are not exact
    const dap_value *found = dap_get(object, key);
    bool fits = found && found->kind == DAP_NUMBER && found->number >= 0 && found->number <= most;
    return fits ? (uint64_t)found->number : otherwise;
}
