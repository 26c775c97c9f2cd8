// SPDX-License-Identifier: MIT
// The text of a step's file: see source_text.h.
#include "grade/submission/source_text.h"

#include <stdbool.h>
#include <string.h>

kl_status ladder_source_text(char *text, size_t *bytes, kl_error *err) {
    size_t count = *bytes, used = 0, at = 0;
    bool wide =
        count >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
    if (wide) return kl_fail(err, KL_ERROR_INPUT, "its text is UTF-16 or UTF-32: save it as UTF-8");
    if (memchr(text, '\0', count))
        return kl_fail(err, KL_ERROR_INPUT,
                       "it holds NUL bytes, as UTF-16 and binary files do: save it as UTF-8 text");
    if (count >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) at = 3;
    for (; at < count; at++) {
        if (text[at] == '\r' && at + 1 < count && text[at + 1] == '\n') continue;
        text[used++] = text[at] == '\r' ? '\n' : text[at];
    }
    text[used] = '\0';
    *bytes = used;
    return KL_OK;
}
