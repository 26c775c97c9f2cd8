// SPDX-License-Identifier: MIT
// The line of progress: see progress.h.
#include "course/class/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "utilities/text.h"

char *ladder_progress_left(const ladder_progress *p, char *text, size_t text_bytes) {
    text[0] = '\0';
    if (p->graded == 0 || p->finished >= p->count) return text;
    double left_s = p->seconds / (double)p->graded * (double)(p->count - p->finished);
    if (left_s < 90)
        snprintf(text, text_bytes, "about %.0f s left", 10 * ceil(left_s / 10));
    else if (left_s < 90 * 60)
        snprintf(text, text_bytes, "about %.0f min left", ceil(left_s / 60));
    else
        snprintf(text, text_bytes, "about %.1f h left", left_s / 3600);
    return text;
}

char *ladder_progress_line(const ladder_progress *p, int width, char *text, size_t text_bytes) {
    enum { BAR = 30, TITLE = 24 };
    char left[48], bar[BAR + 1], title[TITLE * 4 + 1]; // of characters of up to four bytes
    for (size_t i = 0; i < BAR; i++) bar[i] = i * p->count < p->finished * BAR ? '#' : '.';
    bar[BAR] = '\0';
    ladder_progress_left(p, left, sizeof left);
    int used = snprintf(text, text_bytes, "graded %zu of %zu  [%s]%s%s", p->finished, p->count, bar,
                        left[0] != '\0' ? "  " : "", left);
    ladder_plain(p->title, false, title, sizeof title);
    int available = width - used - 2;
    size_t bytes = 0;
    for (int columns = 0; title[bytes] != '\0'; bytes++) {
        bool starts = ((unsigned char)title[bytes] & 0xC0) != 0x80;
        if (starts && columns++ == (available < TITLE ? available : TITLE)) break;
    }
    if (available > 0 && (size_t)used < text_bytes)
        snprintf(text + used, text_bytes - (size_t)used, "  %.*s", (int)bytes, title);
    return text;
}
