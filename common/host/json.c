// JSON writer: see json.h (RFC 8259). Must not allocate; errors are kept until kl_json_finish.
#include "json.h"

static void put(kl_json *json, const char *text) {
    if (fputs(text, json->out) == EOF) json->broken = true;
}

static void indent(kl_json *json) {
    put(json, "\n");
    for (int i = 0; i < json->depth; i++) put(json, "  ");
}

// Length of the UTF-8 sequence at s, or 0 when it is not well formed (RFC 3629).
static int utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    int length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xED && s[1] >= 0xA0;
    bool too_large = s[0] == 0xF4 && s[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

static void put_quoted(kl_json *json, const char *text) {
    put(json, "\"");
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0') {
        int length = utf8_length(s);
        if (length == 0) {
            put(json, "\\ufffd");
            s++;
        } else if (*s == '"' || *s == '\\') {
            fprintf(json->out, "\\%c", *s++);
        } else if (*s == '\n') {
            put(json, "\\n");
            s++;
        } else if (*s == '\t') {
            put(json, "\\t");
            s++;
        } else if (*s < 0x20 || *s == 0x7F) {
            fprintf(json->out, "\\u%04x", *s++);
        } else {
            fwrite(s, 1, (size_t)length, json->out);
            s += length;
        }
    }
    put(json, "\"");
}

// Comma, newline, indentation and key before a value. Returns whether it is in another's row.
static bool before_value(kl_json *json, const char *key) {
    bool in_row = false;
    if (json->depth > 0) {
        int level = json->depth - 1;
        if (json->is_object[level] != (key != NULL))
            json->broken = true; // a key is due in objects and nowhere else
        if (json->has_items[level]) put(json, ",");
        in_row = json->is_row[level] && !json->line_due;
        if (!in_row) indent(json);
        else if (json->has_items[level]) put(json, " ");
        json->has_items[level] = true;
        json->line_due = false;
    }
    if (key) {
        put_quoted(json, key);
        put(json, ": ");
    }
    return in_row;
}

static void open_level(kl_json *json, const char *key, bool is_object, bool is_row) {
    is_row |= before_value(json, key);
    put(json, is_object ? "{" : "[");
    if (json->depth == KL_JSON_DEPTH) {
        json->broken = true;
        return;
    }
    json->has_items[json->depth] = false;
    json->is_object[json->depth] = is_object;
    json->is_row[json->depth] = is_row;
    json->depth++;
}

void kl_json_begin(kl_json *json, FILE *out) {
    memset(json, 0, sizeof *json);
    json->out = out;
}

kl_status kl_json_finish(kl_json *json, kl_error *err) {
    put(json, "\n");
    if (fflush(json->out) != 0 || ferror(json->out) || json->broken || json->depth != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "the JSON text could not be written completely");
    return KL_OK;
}

void kl_json_object(kl_json *json, const char *key) { open_level(json, key, true, false); }

void kl_json_array(kl_json *json, const char *key) { open_level(json, key, false, false); }

void kl_json_row(kl_json *json, const char *key) { open_level(json, key, true, true); }

void kl_json_list(kl_json *json, const char *key) { open_level(json, key, false, true); }

void kl_json_line(kl_json *json) { json->line_due = true; }

void kl_json_end(kl_json *json) {
    if (json->depth == 0) {
        json->broken = true;
        return;
    }
    json->depth--;
    if (json->has_items[json->depth] && !json->is_row[json->depth]) indent(json);
    put(json, json->is_object[json->depth] ? "}" : "]");
}

void kl_json_string(kl_json *json, const char *key, const char *value) {
    before_value(json, key);
    if (!value) put(json, "null");
    else put_quoted(json, value);
}

void kl_json_int(kl_json *json, const char *key, int64_t value) {
    before_value(json, key);
    fprintf(json->out, "%lld", (long long)value);
}

void kl_json_uint(kl_json *json, const char *key, uint64_t value) {
    before_value(json, key);
    fprintf(json->out, "%llu", (unsigned long long)value);
}

void kl_json_number(kl_json *json, const char *key, double value) {
    before_value(json, key);
    if (isfinite(value)) fprintf(json->out, "%.10g", value);
    else put(json, "null");
}

void kl_json_bool(kl_json *json, const char *key, bool value) {
    before_value(json, key);
    put(json, value ? "true" : "false");
}

void kl_json_null(kl_json *json, const char *key) {
    before_value(json, key);
    put(json, "null");
}

// Writes the value of one conversion, "%lu" say.
static void put_conversion(kl_json *json, const char *key, const char *form, va_list *args) {
    bool is_long = strpbrk(form, "lzj"), is_unsigned = form[strlen(form) - 1] == 'u';
    if (strchr(form, 's')) kl_json_string(json, key, va_arg(*args, const char *));
    else if (strchr(form, 'g')) kl_json_number(json, key, va_arg(*args, double));
    else if (strstr(form, "hh")) kl_json_bool(json, key, va_arg(*args, int));
    else if (is_long) // of 64 bits, all of them
        if (is_unsigned) kl_json_uint(json, key, va_arg(*args, unsigned long));
        else kl_json_int(json, key, va_arg(*args, long));
    else if (is_unsigned) kl_json_uint(json, key, va_arg(*args, unsigned));
    else kl_json_int(json, key, va_arg(*args, int));
}

void kl_json_put(kl_json *json, const char *format, ...) {
    static const char closes[] = "}])>";
    va_list args;
    va_start(args, format);
    for (const char *at = format + strspn(format, " "); *at != '\0'; at += strspn(at, " ")) {
        char words[2][KL_JSON_WORD], *key = NULL;
        if (strchr(closes, *at)) {
            kl_json_end(json);
            at++;
            continue;
        }
        bool keyed = json->depth > 0 && json->is_object[json->depth - 1];
        for (int i = keyed ? 0 : 1; i < 2; i++) { // the key, and the value
            size_t length = strcspn(at, " {[(<}])>");
            snprintf(words[i], sizeof words[i], "%.*s", (int)length, at);
            at += length;
            if (i == 0) at += strspn(at, " ");
        }
        if (keyed) key = strcmp(words[0], "%s") == 0 ? va_arg(args, char *) : words[0];
        if (key && key[0] == '\0') json->broken = true;
        if (words[1][0] == '%') put_conversion(json, key, words[1], &args);
        else if (words[1][0] != '\0') kl_json_string(json, key, words[1]);
        else if (strchr("{[(<", *at) && *at != '\0') {
            open_level(json, key, *at == '{' || *at == '(', *at == '(' || *at == '<');
            at++;
        } else json->broken = true; // a key without a value
    }
    va_end(args);
}
