// ladder-docs shot: terminal output with colours (ANSI SGR sequences) from standard input to an SVG
// picture, for the documents and slides. Knows bold, dim, reverse, the 16 colours and the
// 256-colour palette; other sequences are dropped.
//   script -qec 'stty cols 100; ./ladder profile reduction 1' /dev/null | tr -d '\r' |
//       build/docs/tools/ladder-docs shot "title" > picture.svg
#include "docs.h"

enum {
    CELL_WIDTH = 8,
    CELL_HEIGHT = 17,
    MARGIN = 14,
    TITLE = 26,
    MAX_COLUMNS = 240,
    MAX_TEXT = 1 << 20
};

typedef struct style {
    int foreground, background; // palette index, -1: default
    bool bold, dim, reverse;
} style;

static const char *const sixteen[16] = {
    "#1e1e2e", "#e06c75", "#8ac36f", "#d9a850", "#61a0ef", "#c678dd", "#56b6c2", "#c8ccd4",
    "#6b7280", "#f07178", "#a5e075", "#ffcb6b", "#82aaff", "#d7a1ff", "#89ddff", "#ffffff"};

static void print_colour(int index) {
    if (index < 16) {
        fputs(sixteen[index], stdout);
    } else if (index >= 232) { // grey ramp
        int level = 8 + 10 * (index - 232);
        printf("#%02x%02x%02x", level, level, level);
    } else { // 6x6x6 cube
        int cube = index - 16, part[3] = {cube / 36, cube / 6 % 6, cube % 6};
        putchar('#');
        for (int i = 0; i < 3; i++) printf("%02x", part[i] ? 55 + 40 * part[i] : 0);
    }
}

// Parameters of one SGR sequence, e.g. "1;38;5;196".
static void apply(style *now, const char *text) {
    int codes[16], count = 0;
    for (const char *at = text; count < 16;) {
        char *end;
        codes[count++] = (int)strtol(at, &end, 10);
        if (*end != ';') break;
        at = end + 1;
    }
    for (int i = 0; i < count; i++) {
        int code = codes[i];
        if (code == 0) *now = (style){-1, -1, false, false, false};
        else if (code == 1) now->bold = true;
        else if (code == 2) now->dim = true;
        else if (code == 7) now->reverse = true;
        else if (code == 22) now->bold = now->dim = false;
        else if (code == 39) now->foreground = -1;
        else if (code == 49) now->background = -1;
        else if (code >= 30 && code <= 37) now->foreground = code - 30;
        else if (code >= 90 && code <= 97) now->foreground = code - 82;
        else if (code >= 40 && code <= 47) now->background = code - 40;
        else if (code >= 100 && code <= 107) now->background = code - 92;
        else if ((code == 38 || code == 48) && i + 2 < count && codes[i + 1] == 5) {
            int colour = codes[i + 2] & 255;
            if (code == 38) now->foreground = colour;
            else now->background = colour;
            i += 2;
        }
    }
}

static void print_escaped(const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '&') fputs("&amp;", stdout);
        else if (c == '<') fputs("&lt;", stdout);
        else if (c == '>') fputs("&gt;", stdout);
        else if (c >= 0x20 && c != 0x7f) putchar(c);
    }
}

static int columns_of(const char *text, size_t bytes) {
    int columns = 0;
    for (size_t i = 0; i < bytes; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

// A stretch of text in one style, from `column` of `row` on.
static void print_span(const style *now, const char *text, size_t bytes, int column, int row) {
    if (bytes == 0) return;
    int x = MARGIN + column * CELL_WIDTH, y = TITLE + MARGIN + row * CELL_HEIGHT;
    int front = now->reverse ? now->background : now->foreground;
    int back = now->reverse ? (now->foreground < 0 ? 7 : now->foreground) : now->background;
    if (now->reverse && front < 0) front = 0;
    if (back >= 0) {
        printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"", x, y - 13,
               columns_of(text, bytes) * CELL_WIDTH, CELL_HEIGHT);
        print_colour(back);
        fputs("\"/>", stdout);
    }
    printf("<text x=\"%d\" y=\"%d\" textLength=\"%d\" xml:space=\"preserve\"", x, y,
           columns_of(text, bytes) * CELL_WIDTH);
    if (front >= 0) {
        fputs(" fill=\"", stdout);
        print_colour(front);
        putchar('"');
    }
    if (now->bold) fputs(" font-weight=\"bold\"", stdout);
    if (now->dim) fputs(" opacity=\"0.6\"", stdout);
    putchar('>');
    print_escaped(text, bytes);
    fputs("</text>\n", stdout);
}

// Prints one line; the style carries over to the next.
static void print_line(style *now, const char *line, size_t bytes, int row) {
    int column = 0;
    for (size_t i = 0; i < bytes;) {
        if (line[i] == '\x1b' && i + 1 < bytes && line[i + 1] == '[') {
            size_t end = i + 2;
            while (end < bytes && !((unsigned char)line[end] >= 0x40)) end++;
            if (end < bytes && line[end] == 'm') {
                char codes[64];
                snprintf(codes, sizeof codes, "%.*s", (int)(end - i - 2), line + i + 2);
                apply(now, codes);
            }
            i = end + 1;
            continue;
        }
        size_t end = i + 1;
        while (end < bytes && line[end] != '\x1b') end++;
        print_span(now, line + i, end - i, column, row);
        column += columns_of(line + i, end - i);
        i = end;
    }
}

// Rows and the widest one, escape sequences not counted.
static void measure(const char *text, size_t bytes, int *out_rows, int *out_columns) {
    int column = 0;
    *out_rows = *out_columns = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            (*out_rows)++;
            column = 0;
        } else if (c == 0x1b) {
            while (i + 1 < bytes && !(text[i] >= '@' && text[i] != '[')) i++;
        } else if ((c & 0xc0) != 0x80 && ++column > *out_columns && column <= MAX_COLUMNS) {
            *out_columns = column;
        }
    }
    if (column) (*out_rows)++;
}

int docs_shot(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: ladder-docs shot TITLE < coloured-output > picture.svg\n");
        return 2;
    }
    char *text = malloc(MAX_TEXT);
    if (!text) return 1;
    size_t bytes = fread(text, 1, MAX_TEXT, stdin);
    int rows, columns;
    measure(text, bytes, &rows, &columns);
    int width = 2 * MARGIN + columns * CELL_WIDTH, height = TITLE + MARGIN + rows * CELL_HEIGHT + 4;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
           "width=\"%d\" height=\"%d\" "
           "font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\" "
           "fill=\"#c8ccd4\">\n"
           "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#1e1e2e\"/>\n"
           "<text x=\"%d\" y=\"19\" fill=\"#8b93a7\">",
           width, height, width, height, width, height, MARGIN);
    print_escaped(argv[1], strlen(argv[1]));
    fputs("</text>\n", stdout);
    style now = {-1, -1, false, false, false};
    int row = 0;
    for (size_t at = 0; at < bytes; row++) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t length = end ? (size_t)(end - text) - at : bytes - at;
        print_line(&now, text + at, length, row);
        at += length + 1;
    }
    fputs("</svg>\n", stdout);
    free(text);
    return 0;
}
