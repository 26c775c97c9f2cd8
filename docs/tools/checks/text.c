// Text of pages, decks and figures by regular expressions (POSIX, extended): see docs.h.
#include <regex.h>

#include "docs.h"

enum { PATTERNS = 64 };

// Compiled once: a pattern is a literal of the program.
static const regex_t *compiled(const char *pattern) {
    static struct {
        const char *text;
        regex_t regex;
    } known[PATTERNS];
    static int count;
    for (int i = 0; i < count; i++)
        if (strcmp(known[i].text, pattern) == 0) return &known[i].regex;
    if (count == PATTERNS || regcomp(&known[count].regex, pattern, REG_EXTENDED) != 0) {
        fprintf(stderr, "ladder-docs: %s: no pattern, or one too many\n", pattern);
        abort();
    }
    known[count].text = pattern;
    return &known[count++].regex;
}

const char *text_find(const char *text, const char *pattern, size_t *out_length) {
    regmatch_t found;
    if (regexec(compiled(pattern), text, 1, &found, 0) != 0) return NULL;
    if (out_length) *out_length = (size_t)(found.rm_eo - found.rm_so);
    return text + found.rm_so;
}

bool text_has(const char *text, const char *pattern) {
    return text_find(text, pattern, NULL) != NULL;
}

void text_remove(char *text, const char *pattern) {
    size_t length;
    for (char *at = text; (at = (char *)text_find(at, pattern, &length));) {
        if (length == 0) return;
        memmove(at, at + length, strlen(at + length) + 1);
    }
}

char *text_read(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t bytes = 0;
    if (!file || getdelim(&text, &bytes, '\0', file) < 0) {
        free(text);
        text = file ? strdup("") : NULL;
    }
    if (file) fclose(file);
    return text;
}

char *text_line(char **rest) {
    if (!*rest || **rest == '\0') return NULL;
    return strsep(rest, "\n");
}

const char *text_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool text_picture(const char *line, const char *folder, const char *drawn, char *out,
                  size_t bytes) {
    const char *end = strrchr(line, ')'), *begin = end;
    while (begin && begin > line + 1 && strncmp(begin - 2, "](", 2) != 0) begin--;
    if (!begin || begin <= line + 1) return false;
    int length = (int)(end - begin);
    snprintf(out, bytes, "%s/%.*s", strncmp(begin, "figures/", 8) == 0 ? drawn : folder, length,
             begin);
    return true;
}

char *text_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}
