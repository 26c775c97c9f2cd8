// Advice: see advice.h.
#include "advice.h"
#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const rows[] = {
#define KL_ADVICE(name, text) text,
#include "advice.def"
#undef KL_ADVICE
};

const char *kl_advice_text(kl_advice row) { return rows[row]; }

void kl_advise(kl_advice row, const char *const *words, char *text, size_t text_bytes) {
    FILE *out = fmemopen(text, text_bytes, "w");
    if (!out) return;
    for (const char *at = rows[row]; *at != '\0'; at++)
        if (at[0] == '{' && at[1] != '\0' && at[2] == '}') fputs(words[at[1] - '0'], out), at += 2;
        else fputc(*at, out);
    fclose(out);
    text[text_bytes - 1] = '\0';
}

// ---- argument -----------------------------------------------------------------------------------
// Names of parameters: see advice.h. A search in the text, no parser of C.

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// The bracket that closes the one at `open`, or NULL.
static const char *closing(const char *open) {
    int depth = 0;
    for (const char *at = open; *at != '\0'; at++) {
        if (strchr("([{", *at)) depth++;
        if (strchr(")]}", *at) && --depth == 0) return at;
    }
    return NULL;
}

// What follows the name of the function in its definition: "(", up to ")". NULL: none.
static const char *find_parameters(const char *source, const char *function, const char **out_end) {
    size_t length = strlen(function);
    for (const char *at = source; length && (at = strstr(at, function)); at += length) {
        bool word = (at == source || !is_word(at[-1])) && !is_word(at[length]);
        const char *open = at + length + strspn(at + length, " \t\r\n");
        const char *end = word && *open == '(' ? closing(open) : NULL;
        if (!end || end[1 + strspn(end + 1, " \t\r\n")] != '{') continue;
        *out_end = end;
        return open + 1;
    }
    return NULL;
}

// The last word of a declaration, before any "[..]" or "= value".
static bool last_word(const char *at, const char *end, char *name, size_t name_bytes) {
    const char *begin = NULL, *stop = NULL;
    for (; at < end && *at != '=' && *at != '['; at++) {
        if (!is_word(*at)) continue;
        for (begin = at; at < end && is_word(*at);) at++;
        stop = at--;
    }
    if (!begin || isdigit((unsigned char)*begin)) return false;
    snprintf(name, name_bytes, "%.*s", (int)(stop - begin), begin);
    return true;
}

// The declaration of parameter `number` (from 1): from its first character to `out_end`. NULL:
// none.
static const char *find_parameter(const char *source, const char *function, unsigned number,
                                  const char **out_end) {
    const char *end, *at = find_parameters(source, function, &end), *first = at;
    int depth = 0;
    for (unsigned i = 1; at && at <= end; at++) {
        bool ends = at == end || (*at == ',' && depth == 0);
        *out_end = at;
        if (ends && i == number) return first;
        if (ends) {
            first = at + 1;
            i++;
        }
        depth += *at == '<' || *at == '(';
        depth -= *at == '>' || *at == ')';
    }
    return NULL;
}

bool kl_argument_name(const char *source, const char *function, unsigned number, char *name,
                      size_t name_bytes) {
    const char *end, *first = find_parameter(source, function, number, &end);
    return first && last_word(first, end, name, name_bytes);
}

bool kl_argument_type(const char *source, const char *function, unsigned number, char *type,
                      size_t type_bytes) {
    const char *end, *first = find_parameter(source, function, number, &end);
    const char *star = first ? memchr(first, '*', (size_t)(end - first)) : NULL;
    if (!star || memchr(star + 1, '*', (size_t)(end - star - 1))) return false;
    snprintf(type, type_bytes, "%.*s", (int)(star - first), first);
    return true;
}

// The kernel that a fault was in: "in thread (0,0,0) of block (1,0,0) of one_block<256>(..)".
static bool kernel_of(const char *text, char *name, size_t name_bytes) {
    const char *at = strstr(text, " of block ("), *end;
    at = at ? strstr(at, ") of ") : NULL;
    if (!at) return false;
    for (end = at += 5; is_word(*end);) end++;
    snprintf(name, name_bytes, "%.*s", (int)(end - at), at);
    return end > at;
}

void kl_argument_names_put(const char *source, const char *function, char *text,
                           size_t text_bytes) {
    static const char word[] = "argument ";
    char kernel[128];
    if (!source || (!function && !kernel_of(text, kernel, sizeof kernel))) return;
    for (char *at = text; (at = strstr(at, word)); at++) {
        char *end, name[64], named[64 + sizeof " ()"];
        unsigned long number = strtoul(at + sizeof word - 1, &end, 10);
        size_t left = text_bytes - (size_t)(end - text), rest = strlen(end) + 1;
        if (strncmp(end, " of the kernel", 14) != 0 ||
            !kl_argument_name(source, function ? function : kernel, (unsigned)number, name,
                              sizeof name))
            continue;
        size_t length = (size_t)snprintf(named, sizeof named, " (%s)", name);
        if (length + rest > left) continue;
        memmove(end + length, end, rest);
        memcpy(end, named, length);
    }
}
