// JSON reader: see json.h (RFC 8259; UTF-8 as in RFC 3629). One pass, recursive, by the
// grammar: read_value, read_object, read_array, read_text, read_number. Two allocations hold all
// values and all texts: the text itself bounds how many there can be.
#include "json.h"

typedef struct reader {
    kl_json_document *document;
    size_t at;        // offset of what comes next
    int depth;        // objects and arrays that are open
    size_t used;      // of document->items
    size_t text_used; // of document->texts, in bytes
    kl_error *err;    // of the caller
} reader;

static kl_status read_value(reader *r, kl_json_value *value);

// The byte at an offset; '\0' after the end. A NUL byte inside was refused before.
static unsigned char byte_at(const reader *r, size_t at) {
    return at < r->document->bytes ? (unsigned char)r->document->source[at] : '\0';
}

static unsigned char peek(const reader *r) { return byte_at(r, r->at); }

kl_status kl_json_fail(const kl_json_document *document, size_t at, kl_error *err,
                       const char *format, ...) {
    char what[KL_ERROR_TEXT / 2];
    long line = 1, column = 1;
    for (size_t i = 0; i < at && i < document->bytes; i++) {
        unsigned char c = (unsigned char)document->source[i];
        if (c == '\n') line++, column = 1;
        else if ((c & 0xC0) != 0x80) // the first byte of a character
            column++;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (char *c = what; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) *c = '?'; // of the file: nothing for a terminal
    return kl_fail(err, KL_ERROR_INPUT, "%s:%ld:%ld: %s", document->name, line, column, what);
}

#define REFUSE(at, ...) return kl_json_fail(r->document, (at), r->err, __VA_ARGS__)

const char *kl_json_kind_name(kl_json_kind kind) {
    static const char *const names[] = {"null",   "true or false", "a number",
                                        "a text", "an array",      "an object"};
    return names[kind];
}

const kl_json_value *kl_json_member(const kl_json_value *object, const char *key) {
    if (!object || object->kind != KL_JSON_OBJECT) return NULL;
    for (const kl_json_value *item = object->item; item; item = item->next)
        if (strcmp(item->key, key) == 0) return item;
    return NULL;
}

static void skip_blanks(reader *r) {
    while (r->at < r->document->bytes && strchr(" \t\r\n", r->document->source[r->at])) r->at++;
}

static kl_json_value *new_value(reader *r) { return &r->document->items[r->used++]; }

// What a message says of the text that comes next: `"x"`, or that nothing does.
static kl_status refuse_next(reader *r, const char *expected) {
    unsigned char c = peek(r);
    if (r->at >= r->document->bytes) REFUSE(r->at, "the file ends where %s is expected", expected);
    if (c < 0x20 || c >= 0x7F) REFUSE(r->at, "expected %s, not a byte 0x%02x", expected, c);
    REFUSE(r->at, "expected %s, not '%c'", expected, c);
}

// Four hexadecimal digits at an offset; -1 where they are not.
static int32_t hex4(const reader *r, size_t at) {
    int32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned char c = byte_at(r, at + i);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static void put_byte(reader *r, unsigned c) { r->document->texts[r->text_used++] = (char)c; }

static void put_point(reader *r, uint32_t point) {
    if (point < 0x80) {
        put_byte(r, point);
    } else if (point < 0x800) {
        put_byte(r, 0xC0 | point >> 6);
        put_byte(r, 0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        put_byte(r, 0xE0 | point >> 12);
        put_byte(r, 0x80 | (point >> 6 & 0x3F));
        put_byte(r, 0x80 | (point & 0x3F));
    } else {
        put_byte(r, 0xF0 | point >> 18);
        put_byte(r, 0x80 | (point >> 12 & 0x3F));
        put_byte(r, 0x80 | (point >> 6 & 0x3F));
        put_byte(r, 0x80 | (point & 0x3F));
    }
}

// \uXXXX, or two of them for a character beyond 0xFFFF. Shorter decoded than written.
static kl_status read_unicode(reader *r) {
    int32_t point = hex4(r, r->at + 2), low;
    if (point < 0) REFUSE(r->at, "\\u wants four hexadecimal digits");
    if (point == 0) REFUSE(r->at, "\\u0000 cannot be part of a text");
    size_t length = 6;
    if (point >= 0xD800 && point < 0xE000) {
        bool paired = byte_at(r, r->at + 6) == '\\' && byte_at(r, r->at + 7) == 'u';
        low = paired ? hex4(r, r->at + 8) : -1;
        if (point >= 0xDC00 || low < 0xDC00 || low >= 0xE000)
            REFUSE(r->at, "\\u%04x is half of a character", (unsigned)point);
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        length = 12;
    }
    put_point(r, (uint32_t)point);
    r->at += length;
    return KL_OK;
}

static kl_status read_escape(reader *r) {
    static const char written[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    unsigned char c = byte_at(r, r->at + 1);
    if (c == 'u') return read_unicode(r);
    const char *found = c != '\0' ? strchr(written, c) : NULL;
    if (!found) REFUSE(r->at, "a \\ in a text wants one of \" \\ / b f n r t u behind it");
    put_byte(r, (unsigned char)meant[found - written]);
    r->at += 2;
    return KL_OK;
}

// Bytes of the UTF-8 character that comes next; 0 when there is none.
static size_t character_bytes(const reader *r) {
    unsigned char c = peek(r), second = byte_at(r, r->at + 1);
    if (c < 0x80) return 1;
    size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    if (c < 0xC2 || c > 0xF4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((byte_at(r, r->at + i) & 0xC0) != 0x80) return 0;
    bool overlong = (c == 0xE0 && second < 0xA0) || (c == 0xF0 && second < 0x90);
    bool surrogate = c == 0xED && second >= 0xA0, too_large = c == 0xF4 && second >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

static kl_status read_text(reader *r, const char **out_text) {
    size_t begin = r->at++;
    *out_text = r->document->texts + r->text_used;
    for (;;) {
        unsigned char c = peek(r);
        if (r->at >= r->document->bytes || c == '\n')
            REFUSE(begin, "this text has no closing \" on its line");
        if (c < 0x20) REFUSE(r->at, "a byte 0x%02x in a text: write \\u%04x", c, c);
        if (c == '"') break;
        if (c == '\\') {
            TRY(read_escape(r));
            continue;
        }
        size_t length = character_bytes(r);
        if (length == 0) REFUSE(r->at, "this is not UTF-8 (byte 0x%02x)", c);
        for (; length > 0; length--) put_byte(r, (unsigned char)r->document->source[r->at++]);
    }
    put_byte(r, '\0');
    r->at++;
    return KL_OK;
}

static bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

static void skip_digits(reader *r) {
    while (is_digit(peek(r))) r->at++;
}

static kl_status read_number(reader *r, kl_json_value *value) {
    size_t begin = r->at;
    bool whole = true;
    if (peek(r) == '-') r->at++;
    if (!is_digit(peek(r))) REFUSE(begin, "a number wants a digit behind its sign");
    if (peek(r) == '0' && is_digit(byte_at(r, r->at + 1)))
        REFUSE(begin, "a number must not begin with 0 and another digit");
    skip_digits(r);
    if (peek(r) == '.') {
        whole = false;
        r->at++;
        if (!is_digit(peek(r))) REFUSE(begin, "a number wants a digit behind its point");
        skip_digits(r);
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        whole = false;
        r->at++;
        if (peek(r) == '+' || peek(r) == '-') r->at++;
        if (!is_digit(peek(r))) REFUSE(begin, "a number wants a digit in its exponent");
        skip_digits(r);
    }
    value->text = r->document->texts + r->text_used;
    for (size_t i = begin; i < r->at; i++) put_byte(r, (unsigned char)r->document->source[i]);
    put_byte(r, '\0');
    value->kind = KL_JSON_NUMBER;
    value->number = strtod(value->text, NULL);
    if (!isfinite(value->number)) REFUSE(begin, "this number is too large");
    errno = 0;
    value->integer = whole ? strtoll(value->text, NULL, 10) : 0;
    value->is_integer = whole && errno == 0;
    return KL_OK;
}

static kl_status read_word(reader *r, kl_json_value *value) {
    static const struct {
        const char *word;
        kl_json_kind kind;
        double number;
    } words[] = {
        {"true", KL_JSON_BOOLEAN, 1}, {"false", KL_JSON_BOOLEAN, 0}, {"null", KL_JSON_NULL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if (r->document->bytes - r->at < length ||
            memcmp(r->document->source + r->at, words[i].word, length) != 0)
            continue;
        value->kind = words[i].kind;
        value->text = words[i].word;
        value->number = words[i].number;
        r->at += length;
        return KL_OK;
    }
    return refuse_next(r, "a value");
}

// Counts an item of an open object or array, and links it to the one before.
static kl_status add_item(reader *r, kl_json_value *owner, kl_json_value **last,
                          kl_json_value *item) {
    if (owner->count == KL_JSON_ITEMS)
        REFUSE(r->at, "more than %d values in one %s", KL_JSON_ITEMS,
               owner->kind == KL_JSON_OBJECT ? "object" : "array");
    owner->count++;
    if (*last) (*last)->next = item;
    else owner->item = item;
    *last = item;
    return KL_OK;
}

// Behind an item: a comma and another item, or the end. *out_more says which.
static kl_status read_separator(reader *r, char closing, bool *out_more) {
    skip_blanks(r);
    *out_more = peek(r) == ',';
    if (!*out_more && peek(r) != (unsigned char)closing)
        return refuse_next(r, closing == '}' ? "',' or '}'" : "',' or ']'");
    size_t at = r->at++;
    if (!*out_more) return KL_OK;
    skip_blanks(r);
    if (peek(r) == '}' || peek(r) == ']') REFUSE(at, "a comma before '%c'", peek(r));
    return KL_OK;
}

static kl_status read_member(reader *r, kl_json_value *object, kl_json_value **last) {
    size_t key_begin = r->at;
    const char *key;
    if (peek(r) != '"') return refuse_next(r, "a name in quotation marks");
    TRY(read_text(r, &key));
    const kl_json_value *twice = kl_json_member(object, key);
    if (twice) REFUSE(key_begin, "\"%.80s\" is twice in this object", key);
    skip_blanks(r);
    if (peek(r) != ':') return refuse_next(r, "':'");
    r->at++;
    skip_blanks(r);
    kl_json_value *item = new_value(r);
    TRY(read_value(r, item));
    item->key = key;
    item->key_begin = key_begin;
    return add_item(r, object, last, item);
}

static kl_status read_items(reader *r, kl_json_value *owner) {
    char closing = peek(r) == '{' ? '}' : ']';
    kl_json_value *last = NULL;
    owner->kind = closing == '}' ? KL_JSON_OBJECT : KL_JSON_ARRAY;
    if (r->depth == KL_JSON_NESTED) REFUSE(r->at, "nested more than %d deep", KL_JSON_NESTED);
    r->depth++;
    r->at++;
    skip_blanks(r);
    bool more = peek(r) != (unsigned char)closing;
    if (!more) r->at++;
    while (more) {
        if (closing == '}') {
            TRY(read_member(r, owner, &last));
        } else {
            kl_json_value *item = new_value(r);
            TRY(read_value(r, item));
            TRY(add_item(r, owner, &last, item));
        }
        TRY(read_separator(r, closing, &more));
    }
    r->depth--;
    return KL_OK;
}

static kl_status read_value(reader *r, kl_json_value *value) {
    unsigned char c = peek(r);
    value->begin = value->key_begin = r->at;
    if (c == '{' || c == '[') {
        TRY(read_items(r, value));
    } else if (c == '"') {
        value->kind = KL_JSON_TEXT;
        TRY(read_text(r, &value->text));
    } else if (c == '-' || is_digit(c)) {
        TRY(read_number(r, value));
    } else {
        TRY(read_word(r, value));
    }
    value->end = r->at;
    return KL_OK;
}

static kl_status read_whole(reader *r) {
    const kl_json_document *d = r->document;
    const char *nul = memchr(d->source, '\0', d->bytes);
    if (nul) REFUSE((size_t)(nul - d->source), "a byte 0x00: this is not a text file");
    if (d->bytes >= 3 && memcmp(d->source, "\xEF\xBB\xBF", 3) == 0)
        REFUSE(0, "the file begins with a byte order mark: save it as UTF-8 without one");
    skip_blanks(r);
    if (r->at >= d->bytes) REFUSE(0, "the file is empty");
    r->document->root = new_value(r);
    TRY(read_value(r, d->root));
    skip_blanks(r);
    if (r->at < d->bytes) return refuse_next(r, "the end of the file");
    return KL_OK;
}

kl_status kl_json_read(const char *name, const char *text, size_t bytes,
                       kl_json_document *out_document, kl_error *err) {
    reader r = {.document = out_document, .err = err};
    size_t most = 2; // every further value has a comma or a bracket of its own
    *out_document = (kl_json_document){.name = name, .source = text, .bytes = bytes};
    if (bytes > KL_JSON_BYTES_MAX)
        return kl_fail(err, KL_ERROR_INPUT, "%s: more than %d bytes", name, KL_JSON_BYTES_MAX);
    for (size_t i = 0; i < bytes; i++) most += text[i] == ',' || text[i] == '[' || text[i] == '{';
    out_document->items = calloc(most, sizeof *out_document->items);
    out_document->texts = malloc(2 * bytes + 2); // a number of one digit takes two
    kl_status status = out_document->items && out_document->texts
                           ? read_whole(&r)
                           : kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", name);
    if (status != KL_OK) kl_json_free(out_document);
    return status;
}

void kl_json_free(kl_json_document *document) {
    free(document->items);
    free(document->texts);
    *document = (kl_json_document){.name = document->name};
}
