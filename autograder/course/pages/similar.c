// SPDX-License-Identifier: MIT
// Fingerprints of submissions: see pages.h.
#include "course/pages/pages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRAM = 14,      // tokens that are hashed together: about a line and a half
    WINDOW = 8,     // of its hashes the least is kept, so any 21 equal tokens are noticed
    PRINTS_MIN = 12 // of the smaller submission; fewer say nothing
};

// ---- Tokens ----

typedef struct tokens {
    uint32_t *items;
    size_t count, capacity;
} tokens;

static bool add_token(tokens *t, uint32_t token) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity == 0 ? 1024 : 2 * t->capacity;
        uint32_t *more = realloc(t->items, capacity * sizeof *more);
        if (!more) return false;
        t->items = more;
        t->capacity = capacity;
    }
    t->items[t->count++] = token;
    return true;
}

// Words that mean the same whatever a student calls things.
static uint32_t word_token(const char *word, size_t length) {
    static const char *const kept[] = {"for",
                                       "while",
                                       "do",
                                       "if",
                                       "else",
                                       "return",
                                       "break",
                                       "continue",
                                       "switch",
                                       "case",
                                       "float",
                                       "double",
                                       "int",
                                       "unsigned",
                                       "int64_t",
                                       "uint32_t",
                                       "float4",
                                       "threadIdx",
                                       "blockIdx",
                                       "blockDim",
                                       "gridDim",
                                       "__shared__",
                                       "__global__",
                                       "__device__",
                                       "template",
                                       "const",
                                       "static",
                                       "__syncthreads",
                                       "__shfl_down_sync",
                                       "atomicAdd"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (strlen(kept[i]) == length && strncmp(kept[i], word, length) == 0)
            return 1000 + (uint32_t)i;
    return 1; // a name
}

static const char *skip_comment(const char *at) {
    if (at[1] == '/') return at + strcspn(at, "\n");
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

static bool read_tokens(const char *at, tokens *out) {
    while (*at != '\0') {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            at = skip_comment(at);
        } else if (*at == '"') {
            for (at++; *at != '\0' && *at != '"'; at++) at += at[0] == '\\' && at[1] != '\0';
            at += *at == '"';
            if (!add_token(out, 2)) return false;
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            size_t length = 1;
            while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
            if (!add_token(out, word_token(at, length))) return false;
            at += length;
        } else if (isdigit((unsigned char)*at)) {
            while (isalnum((unsigned char)*at) || *at == '.') at++;
            if (!add_token(out, 3)) return false;
        } else if (!add_token(out, 4 + (unsigned char)*at++)) {
            return false;
        }
    }
    return true;
}

// ---- Fingerprints ----

static uint64_t hash_gram(const uint32_t *tokens, uint64_t step) {
    uint64_t hash = 14695981039346656037u ^ step; // FNV-1a
    for (int i = 0; i < GRAM; i++) hash = (hash ^ tokens[i]) * 1099511628211u;
    return hash;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool has(const ladder_prints *prints, uint64_t value) {
    return prints && bsearch(&value, prints->items, prints->count, sizeof value, by_value);
}

// The least hash of each window, the last one of equal ones.
static void winnow(const tokens *t, uint64_t step, uint64_t *out, size_t *count) {
    size_t grams = t->count >= GRAM ? t->count - GRAM + 1 : 0, chosen = (size_t)-1;
    for (size_t first = 0; first < grams && (first == 0 || first + WINDOW <= grams); first++) {
        size_t least = first;
        for (size_t i = first; i < first + WINDOW && i < grams; i++)
            if (hash_gram(t->items + i, step) <= hash_gram(t->items + least, step)) least = i;
        if (least != chosen) out[(*count)++] = hash_gram(t->items + least, step);
        chosen = least;
    }
}

kl_status ladder_prints_make(const char *const *texts, int count, const ladder_prints *without,
                             ladder_prints *out_prints, kl_error *err) {
    bool enough = true;
    *out_prints = (ladder_prints){NULL, 0};
    for (int i = 0; i < count && enough; i++) {
        tokens t = {NULL, 0, 0};
        if (!texts[i]) continue;
        enough = read_tokens(texts[i], &t);
        size_t bytes = (out_prints->count + t.count + 1) * sizeof *out_prints->items;
        uint64_t *more = enough ? realloc(out_prints->items, bytes) : NULL;
        enough = more;
        if (enough) {
            out_prints->items = more;
            winnow(&t, (uint64_t)i, out_prints->items, &out_prints->count);
        }
        free(t.items);
    }
    if (!enough) {
        ladder_prints_free(out_prints);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for fingerprints");
    }
    size_t kept = 0;
    if (out_prints->count > 0)
        qsort(out_prints->items, out_prints->count, sizeof *out_prints->items, by_value);
    for (size_t i = 0; i < out_prints->count; i++) {
        uint64_t value = out_prints->items[i];
        if ((kept > 0 && out_prints->items[kept - 1] == value) || has(without, value)) continue;
        out_prints->items[kept++] = value;
    }
    out_prints->count = kept;
    return KL_OK;
}

void ladder_prints_free(ladder_prints *prints) {
    free(prints->items);
    *prints = (ladder_prints){NULL, 0};
}

double ladder_prints_alike(const ladder_prints *a, const ladder_prints *b) {
    size_t least = a->count < b->count ? a->count : b->count, both = 0;
    if (least < PRINTS_MIN) return 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        both += a->items[i] == b->items[k];
        uint64_t x = a->items[i], y = b->items[k];
        i += x <= y;
        k += y <= x;
    }
    return (double)both / (double)least;
}

void ladder_prints_drop_common(ladder_prints *all, size_t count) {
    enum { CLASS_MIN = 10 };
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += all[i].count;
    uint64_t *every = count >= CLASS_MIN ? malloc((total + 1) * sizeof *every) : NULL;
    if (!every) return; // then pairs are more alike than they should be: a hint all the same
    size_t at = 0, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i].count > 0) memcpy(every + at, all[i].items, all[i].count * sizeof *every);
        at += all[i].count;
    }
    qsort(every, total, sizeof *every, by_value);
    for (size_t i = 0; i < total;) {
        size_t end = i;
        while (end < total && every[end] == every[i]) end++;
        if (2 * (end - i) > count) every[kept++] = every[i];
        i = end;
    }
    const ladder_prints common = {every, kept};
    for (size_t i = 0; i < count; i++) {
        size_t own = 0;
        for (size_t k = 0; k < all[i].count; k++)
            if (!has(&common, all[i].items[k])) all[i].items[own++] = all[i].items[k];
        all[i].count = own;
    }
    free(every);
}

int ladder_similar_pairs(const ladder_prints *all, size_t count, double least,
                         ladder_pair out_pairs[LADDER_PAIRS_MAX]) {
    int found = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = a + 1; b < count; b++) {
            ladder_pair pair = {a, b, ladder_prints_alike(&all[a], &all[b])};
            if (pair.alike < least) continue;
            if (found == LADDER_PAIRS_MAX && out_pairs[found - 1].alike >= pair.alike) continue;
            int at = found < LADDER_PAIRS_MAX ? found++ : found - 1;
            for (; at > 0 && out_pairs[at - 1].alike < pair.alike; at--)
                out_pairs[at] = out_pairs[at - 1];
            out_pairs[at] = pair;
        }
    }
    return found;
}
