// Renaming: see bench.h. A word behind a type is a declaration unless it is a function's; it is
// renamed wherever it stands but behind a dot or an arrow, where it is a member.
#include "bench.h"

enum { NAMES_MAX = 200, NAME_MAX_BYTES = 64 };

typedef struct names {
    char list[NAMES_MAX][NAME_MAX_BYTES];
    int count;
} names;

static const char *const types[] = {"float",   "float4",   "double",   "int",    "unsigned",
                                    "int64_t", "uint32_t", "uint64_t", "size_t", "long",
                                    "bool",    "char",     "void",     "const",  NULL};

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_at(const char *at) {
    size_t bytes = 0;
    if (*at >= '0' && *at <= '9') return 0;
    while (is_word_char(at[bytes])) bytes++;
    return bytes;
}

static bool is_type(const char *word, size_t bytes) {
    for (int i = 0; types[i]; i++)
        if (strlen(types[i]) == bytes && strncmp(types[i], word, bytes) == 0) return true;
    return false;
}

static bool is_known(const names *n, const char *word, size_t bytes) {
    for (int i = 0; i < n->count; i++)
        if (strlen(n->list[i]) == bytes && strncmp(n->list[i], word, bytes) == 0) return true;
    return false;
}

static void find_names(const char *text, names *out) {
    for (const char *at = text; *at != '\0';) {
        size_t bytes = word_at(at);
        if (bytes == 0) {
            while (is_word_char(*at)) at++; // a number
            if (*at != '\0') at++;
            continue;
        }
        const char *next = at + bytes;
        if (is_type(at, bytes)) {
            next += strspn(next, " *&");
            size_t name = word_at(next);
            bool declares = name > 0 && name < NAME_MAX_BYTES && !is_type(next, name) &&
                            strncmp(next, "__", 2) != 0 && next[name] != '(';
            if (declares && !is_known(out, next, name) && out->count < NAMES_MAX)
                snprintf(out->list[out->count++], NAME_MAX_BYTES, "%.*s", (int)name, next);
        }
        at += bytes;
    }
}

kl_status bench_rename(const char *text, const char *tail, char **out_text, kl_error *err) {
    names *found = calloc(1, sizeof *found);
    size_t bytes = 0;
    FILE *out = found ? open_memstream(out_text, &bytes) : NULL;
    if (!out) {
        free(found);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a submission");
    }
    find_names(text, found);
    for (const char *at = text; *at != '\0';) {
        size_t word = word_at(at);
        bool member =
            at > text && (at[-1] == '.' || (at[-1] == '>' && at - text > 1 && at[-2] == '-'));
        if (word == 0) {
            do fputc(*at++, out);
            while (at[-1] >= '0' && at[-1] <= '9' && is_word_char(*at)); // 0x1f is no name
            continue;
        }
        fwrite(at, 1, word, out);
        if (!member && is_known(found, at, word)) fputs(tail, out);
        at += word;
    }
    free(found);
    if (fclose(out) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for a submission");
}
