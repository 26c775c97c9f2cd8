// SPDX-License-Identifier: MIT
// A step's text: see step_text.h.
#include "step_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 20 }; // a step is a few KiB

uint64_t kl_step_text_hash(const char *text, size_t bytes) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return h;
}

uint64_t kl_step_file_hash(const char *path) {
    FILE *in = fopen(path, "r");
    char *text = in ? calloc(1, LARGEST_FILE + 1) : NULL;
    uint64_t hash = text ? kl_step_text_hash(text, fread(text, 1, LARGEST_FILE, in)) : 0;
    free(text);
    if (in) fclose(in);
    return hash;
}

bool kl_step_text_is_untouched(const char *text) {
    static const char start[] = KL_STAMP_START;
    size_t bytes = strlen(text);
    size_t at = bytes > 0 ? bytes - 1 : 0; // the final newline does not count as a line end
    while (at > 0 && text[at - 1] != '\n') at--;
    if (strncmp(text + at, start, sizeof start - 1) != 0) return false;
    char *end = NULL;
    uint64_t stamped = strtoull(text + at + sizeof start - 1, &end, 16);
    return strcmp(end, KL_STAMP_END) == 0 && stamped == kl_step_text_hash(text, at);
}

// Takes blanks and `word`, as a whole word, from *at.
static bool take(const char **at, const char *word) {
    size_t length = strlen(word);
    *at += strspn(*at, " \t");
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    bool goes_on = isalnum((unsigned char)**at) || **at == '_';
    return !goes_on || word[0] == '#';
}

// Line, from 1, that defines IMPLEMENTED as 0; 0: none.
static int marker_line(const char *text) {
    int line = 1;
    for (const char *at = text; at; line++) {
        const char *rest = at;
        if (take(&rest, "#") && take(&rest, "define") && take(&rest, "IMPLEMENTED") &&
            take(&rest, "0"))
            return line;
        at = strchr(at, '\n');
        if (at) at++;
    }
    return 0;
}

bool kl_step_text_forgotten(const char *path, const char *text, char *out, size_t out_bytes) {
    int line = kl_step_text_is_untouched(text) ? 0 : marker_line(text);
    const char *slash = strrchr(path, '/');
    if (line == 0) return false;
    snprintf(out, out_bytes,
             "%.120s has been changed, but its line %d still says #define IMPLEMENTED 0: set it to "
             "1, and your code runs",
             slash ? slash + 1 : path, line);
    return true;
}

bool kl_step_file_forgotten(const char *path, char *out, size_t out_bytes) {
    FILE *in = fopen(path, "r");
    char *text = in ? calloc(1, LARGEST_FILE + 1) : NULL;
    bool known = text && fread(text, 1, LARGEST_FILE, in) > 0 &&
                 kl_step_text_forgotten(path, text, out, out_bytes);
    free(text);
    if (in) fclose(in);
    return known;
}
