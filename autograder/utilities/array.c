// Elements by their indices: see finding.h. A search in the text, no parser of C.
#include "utilities/finding.h"
#include "utilities/text.h"

enum { DIMENSIONS = 3, DEPTH = 8 };

typedef struct declaration {
    uint64_t sizes[DIMENSIONS]; // 0: not known
    int count;
    uint32_t element_bytes; // by its type; 0: not known
} declaration;

// A constant's value is looked up in the whole source; `depth` ends circles.
typedef struct scanner {
    const char *source, *at;
    int depth;
} scanner;

// The next occurrence of a whole word, or NULL.
static const char *find_word(const char *text, const char *word, size_t length) {
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !ladder_is_word(at[-1])) && !ladder_is_word(at[length])) return at;
    return NULL;
}

static void skip_blanks(scanner *s) { s->at += strspn(s->at, " \t"); }

static bool sum(scanner *s, uint64_t *out_value);

// The value of `NAME = sum` or `#define NAME sum`.
static bool constant(const scanner *s, const char *name, uint64_t *out_value) {
    size_t length = strlen(name);
    for (const char *at = s->source; (at = find_word(at, name, length)); at += length) {
        const char *before = at;
        while (before > s->source && (before[-1] == ' ' || before[-1] == '\t')) before--;
        bool defined = before - s->source >= 7 && memcmp(before - 7, "#define", 7) == 0;
        scanner value = {s->source, at + length, s->depth + 1};
        skip_blanks(&value);
        bool assigned = value.at[0] == '=' && value.at[1] != '=';
        value.at += assigned;
        if ((defined || assigned) && value.depth < DEPTH && sum(&value, out_value)) return true;
    }
    return false;
}

static bool primary(scanner *s, uint64_t *out_value) {
    skip_blanks(s);
    if (*s->at == '(') {
        s->at++;
        if (!sum(s, out_value)) return false;
        skip_blanks(s);
        return *s->at++ == ')';
    }
    if (isdigit((unsigned char)*s->at)) {
        char *end;
        *out_value = strtoull(s->at, &end, 0);
        s->at = end + strspn(end, "uUlL");
        return true;
    }
    char name[64];
    size_t length = 0;
    while (ladder_is_word(s->at[length])) length++;
    if (length == 0 || length >= sizeof name) return false;
    memcpy(name, s->at, length);
    name[length] = '\0';
    s->at += length;
    return constant(s, name, out_value);
}

static bool product(scanner *s, uint64_t *out_value) {
    if (!primary(s, out_value)) return false;
    for (skip_blanks(s); *s->at == '*' || *s->at == '/'; skip_blanks(s)) {
        if (s->at[0] == '/' && (s->at[1] == '/' || s->at[1] == '*')) return true; // a comment
        char sign = *s->at++;
        uint64_t right;
        if (!primary(s, &right) || (sign == '/' && right == 0)) return false;
        *out_value = sign == '*' ? *out_value * right : *out_value / right;
    }
    return true;
}

static bool sum(scanner *s, uint64_t *out_value) {
    if (!product(s, out_value)) return false;
    for (skip_blanks(s); *s->at == '+' || *s->at == '-'; skip_blanks(s)) {
        char sign = *s->at++;
        uint64_t right;
        if (!product(s, &right)) return false;
        *out_value = sign == '+' ? *out_value + right : *out_value - right;
    }
    return true;
}

// Bytes of the type whose name ends before `at`.
static uint32_t type_bytes(const char *source, const char *at) {
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {{"char", 1},     {"bool", 1},     {"uint8_t", 1}, {"int8_t", 1},   {"short", 2},
                 {"half", 2},     {"__half", 2},   {"int", 4},     {"unsigned", 4}, {"float", 4},
                 {"int32_t", 4},  {"uint32_t", 4}, {"long", 8},    {"double", 8},   {"int64_t", 8},
                 {"uint64_t", 8}, {"float2", 8},   {"int2", 8},    {"float4", 16},  {"int4", 16}};
    while (at > source && (at[-1] == ' ' || at[-1] == '\t')) at--;
    const char *begin = at;
    while (begin > source && ladder_is_word(begin[-1])) begin--;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == (size_t)(at - begin) &&
            memcmp(types[i].name, begin, (size_t)(at - begin)) == 0)
            return types[i].bytes;
    return 0;
}

// The name behind __shared__ or __device__ in its line, and what stands before it there; NULL:
// nowhere.
static const char *find_declared(const char *source, const char *name, char *before,
                                 size_t before_bytes) {
    size_t length = strlen(name);
    for (const char *at = source; (at = find_word(at, name, length)); at += length) {
        const char *line = at;
        while (line > source && line[-1] != '\n') line--;
        snprintf(before, before_bytes, "%.*s", (int)(at - line), line);
        if (strstr(before, "__shared__") || strstr(before, "__device__")) return at;
    }
    return NULL;
}

bool ladder_array_declared(const char *source, const char *name, uint32_t line, char *text,
                           size_t text_bytes) {
    const char *at = find_declared(source, name, text, text_bytes), *counted = source;
    char next[256];
    uint32_t next_line = 1;
    if (!at) return false;
    while ((at = find_declared(at + 1, name, next, sizeof next))) {
        for (; counted < at; counted++) next_line += *counted == '\n';
        if (next_line > line) break;
        snprintf(text, text_bytes, "%s", next);
    }
    return true;
}

static bool find_declaration(const char *source, const char *name, declaration *out) {
    char before[256];
    size_t length = strlen(name);
    const char *at = find_declared(source, name, before, sizeof before);
    if (at) {
        *out = (declaration){.element_bytes = type_bytes(source, at)};
        scanner s = {source, at + length, 0};
        for (skip_blanks(&s); *s.at == '[' && out->count < DIMENSIONS; skip_blanks(&s)) {
            uint64_t *size = &out->sizes[out->count++];
            const char *close = strchr(s.at, ']');
            if (!close) return false;
            s.at++;
            if (!sum(&s, size) || s.at + strspn(s.at, " \t") != close) *size = 0;
            s.at = close + 1;
        }
        return true;
    }
    return false;
}

bool ladder_array_index(const ladder_array *array, const char *source, char *text,
                        size_t text_bytes) {
    declaration d = {.count = 0};
    bool found = source && find_declaration(source, array->name, &d);
    // Without a declaration elements are taken to be as wide as the access, which vectors are not.
    if (!found && array->access_bytes > 8 && array->bytes != array->access_bytes) return false;
    if (!found && array->bytes == array->access_bytes) d.count = 0; // a plain variable
    if (!found && array->bytes != array->access_bytes) d.count = 1;
    uint64_t elements = 1;
    for (int i = 0; i < d.count; i++) elements *= d.sizes[i];
    uint64_t bytes = d.element_bytes;
    if (elements > 0 && array->bytes > 0 && d.count > 0 && array->bytes % elements == 0)
        bytes = array->bytes / elements; // whatever the type's name
    if (bytes == 0) bytes = array->access_bytes;
    text[0] = '\0';
    if (d.count == 0) return array->offset_bytes == 0;
    if (bytes == 0 || array->offset_bytes % bytes != 0) return false;
    uint64_t index = array->offset_bytes / bytes, row = 1;
    for (int i = 1; i < d.count; i++) row *= d.sizes[i];
    if (row == 0) return false;
    size_t used = 0;
    for (int i = 0; i < d.count && used < text_bytes; i++) {
        used += (size_t)snprintf(text + used, text_bytes - used, "[%llu]",
                                 (unsigned long long)(index / row));
        index %= row;
        row = i + 1 < d.count ? row / d.sizes[i + 1] : 1;
    }
    return true;
}
