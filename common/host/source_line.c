// SPDX-License-Identifier: MIT
// Rows of a source line: see source_line.h.
#include <string.h>

#include "source_line.h"

enum { DEEPER = 4 }; // columns

static bool starts_character(char c) {
    return ((unsigned char)c & 0xC0) != 0x80;
}

int kl_source_row(const char *text, int bytes, int available) {
    int column = 0, at = 0, good = 0;
    for (; at < bytes; at++) {
        if (starts_character(text[at]) && column++ >= available && at > 0) break;
        if (column > available / 2 && text[at] == ' ') good = at;
        if (column > available / 2 && text[at] == ',') good = at + 1;
    }
    if (at == bytes) return bytes;
    if (text[at] == ' ') return at; // the row ends with a word
    return good > 0 ? good : at;
}

int kl_source_indent(const char *text, int bytes, int available) {
    int indent = 0;
    while (indent < bytes && text[indent] == ' ') indent++;
    indent += DEEPER;
    return indent < available / 2 ? indent : available / 2;
}

void kl_print_source(FILE *out, const kl_style *style, int used, const char *text, int bytes) {
    int available = kl_line_columns(style, used), deeper = kl_source_indent(text, bytes, available),
        indent = 0, leading = (int)strspn(text, " ");
    if (leading < bytes && leading > available / 2) { // no row of blanks only
        text += leading - available / 2;
        bytes -= leading - available / 2;
    }
    while (bytes > 0) {
        int row = kl_source_row(text, bytes, available - indent);
        fwrite(text, 1, (size_t)row, out);
        text += row;
        bytes -= row;
        while (bytes > 0 && *text == ' ') text++, bytes--; // the new row stands for the blank
        if (bytes == 0) break;
        indent = deeper;
        fprintf(out, "\n%*s", used + indent, "");
    }
    fputc('\n', out);
}
