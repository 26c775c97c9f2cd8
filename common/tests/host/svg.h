// What every picture must be: checks for tests of drawings.
#pragma once

#include <check.h>
#include <stdbool.h>
#include <string.h>

// Tags are closed in the right order; no number is nan or inf. (Inlined, GCC 12 takes the text of
// an open_memstream for a dangling pointer.)
static __attribute__((noinline, unused)) void kl_check_svg(const char *svg) {
    const char *names[16];
    size_t lengths[16];
    int depth = 0;
    for (const char *p = strchr(svg, '<'); p; p = strchr(p, '<')) {
        const char *close = strchr(p, '>');
        ck_assert_ptr_nonnull(close);
        bool ends = p[1] == '/', whole = close[-1] == '/';
        const char *name = p + 1 + ends;
        size_t length = strcspn(name, " />");
        if (ends) {
            ck_assert(--depth >= 0 && lengths[depth] == length &&
                      strncmp(names[depth], name, length) == 0);
        } else if (!whole) {
            ck_assert_int_lt(depth, 16);
            names[depth] = name;
            lengths[depth++] = length;
        }
        p = close;
    }
    ck_assert_int_eq(depth, 0);
    ck_assert(strncmp(svg, "<svg ", 5) == 0);
    ck_assert(!strstr(svg, "nan") && !strstr(svg, "inf"));
}

static inline int kl_count_of(const char *text, const char *part) {
    int count = 0;
    size_t length = strlen(part);
    for (size_t at = 0; text[at] != '\0'; at++) count += strncmp(text + at, part, length) == 0;
    return count;
}
