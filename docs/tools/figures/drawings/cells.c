// Rows of cells, as a list of drawings describes them (labs/*/drawings.txt): figure.h.
//   # NAME: TITLE            begins a drawing; the title is for those who cannot see it
//   unit 44                  the width of a cell in px
//   text WORDS               a line of text
//   LABEL | CELL .. | NOTE   a row; the note may be missing
// An empty line is a gap. A cell: TEXT, with _ for blanks; *SPAN behind it for more than one unit,
// @KIND for a colour (0 to 7). "." leaves a place empty, "=TEXT" has no box.
#include "figures/figure.h"

enum { LINE = 400, MOST_LINES = 40, UNIT = 44, BOX = 24, ROW = 30, GAP = 12, TOP = 12, EDGE = 12 };
#define LETTER 6.3 // px that a letter of 11 px takes, at most

typedef struct sheet {
    char title[LINE], line[MOST_LINES][LINE];
    int lines, unit;
} sheet;

static void end_line(char *line) { line[strcspn(line, "\n")] = '\0'; }

// The title of "# NAME: TITLE"; NULL for another line.
static const char *title_of(const char *line, const char *name) {
    size_t length = strlen(name);
    bool begins = strncmp(line, "# ", 2) == 0 && strncmp(line + 2, name, length) == 0 &&
                  strncmp(line + 2 + length, ": ", 2) == 0;
    return begins ? line + length + 4 : NULL;
}

// A line between "# NAME: " and the next drawing; false: it is none of those above.
static bool take_line(const char *line, sheet *out) {
    if (strncmp(line, "unit ", 5) == 0) {
        out->unit = atoi(line + 5);
        return out->unit > 0;
    }
    bool known = line[0] == '\0' || strstr(line, "| ") || strncmp(line, "text ", 5) == 0;
    if (!known || out->lines == MOST_LINES) return false;
    snprintf(out->line[out->lines++], LINE, "%s", line);
    return true;
}

// False after a message: there is no drawing of this name, or it has a line that is none.
static bool read_sheet(FILE *file, const char *path, const char *name, sheet *out) {
    char line[LINE];
    bool inside = false, found = false;
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        bool whole = strchr(line, '\n') || feof(file);
        end_line(line);
        if (line[0] == '#') {
            const char *title = title_of(line, name);
            inside = title != NULL;
            if (inside) snprintf(out->title, sizeof out->title, "%s", title);
            found = found || inside;
        } else if (inside && !(whole && take_line(line, out))) {
            fprintf(stderr, "ladder-docs figure: %s:%d: not a line of a drawing, or one too many\n",
                    path, number);
            return false;
        }
    }
    while (out->lines > 0 && out->line[out->lines - 1][0] == '\0') out->lines--;
    if (!found) fprintf(stderr, "ladder-docs figure: %s: no drawing %s\n", path, name);
    return found;
}

// Letters, not bytes.
static int letters(const char *text) {
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

// A row into its three parts; cells is NULL for a line that is no row.
static void split(char *line, char **label, char **cells, char **note) {
    *label = line;
    *cells = strstr(line, "| ");
    *note = NULL;
    if (!*cells) return;
    *note = strstr(*cells + 2, " | ");
    if (*note) {
        **note = '\0';
        *note += 3;
    }
    **cells = '\0';
    *cells += 2;
    for (char *end = *cells - 3; end >= line && *end == ' '; end--) *end = '\0';
}

// Draws cells from x on; draw: false only measures. Returns how many units they take.
static int put_cells(char *cells, double x, double y, int unit, bool draw) {
    int at = 0;
    char *rest = NULL;
    for (char *cell = strtok_r(cells, " ", &rest); cell; cell = strtok_r(NULL, " ", &rest)) {
        char *kind = strrchr(cell, '@'), *span = strrchr(cell, '*');
        char shape[8] = "cell";
        if (kind) snprintf(shape, sizeof shape, "k%d", atoi(kind + 1) % KL_PAPER_KINDS);
        if (kind) *kind = '\0';
        int units = span && span[1] >= '1' && span[1] <= '9' ? atoi(span + 1) : 1;
        if (units > 1) *span = '\0';
        for (char *blank = cell; (blank = strchr(blank, '_'));) *blank = ' ';
        double left = x + (double)at * unit, middle = left + ((double)units * unit - 4) / 2;
        bool box = cell[0] != '=' && strcmp(cell, ".") != 0;
        if (draw && box) put_rect(left, y, (double)units * unit - 4, BOX, shape);
        if (draw && strcmp(cell, ".") != 0) put_text(middle, y + 16, "v m", "%s", cell + !box);
        at += units;
    }
    return at;
}

static void measure(const sheet *s, double *left, double *notes, double *width, double *height) {
    int widest = 0, label_letters = 0, note_letters = 0, text_letters = 0;
    *height = TOP;
    for (int i = 0; i < s->lines; i++) {
        char copy[LINE], *label, *cells, *note;
        memcpy(copy, s->line[i], sizeof copy);
        split(copy, &label, &cells, &note);
        *height += copy[0] == '\0' && !cells ? GAP : ROW;
        if (!cells) {
            if (letters(label) > text_letters) text_letters = letters(label);
            continue;
        }
        if (letters(label) > label_letters) label_letters = letters(label);
        if (note && letters(note) > note_letters) note_letters = letters(note);
        int units = put_cells(cells, 0, 0, s->unit, false);
        if (units > widest) widest = units;
    }
    *left = EDGE + label_letters * LETTER + 8;
    *notes = *left + (double)widest * s->unit + 8;
    *width = *notes + note_letters * LETTER + EDGE;
    if (text_letters * LETTER + 2 * EDGE > *width) *width = text_letters * LETTER + 2 * EDGE;
}

static void draw(sheet *s) {
    double left, notes, width, height, y = TOP;
    measure(s, &left, &notes, &width, &height);
    begin_figure(width, height, s->title);
    for (int i = 0; i < s->lines; i++) {
        char *label, *cells, *note;
        split(s->line[i], &label, &cells, &note);
        if (!cells && *label) put_text(EDGE, y + 16, "v", "%s", label + 5);
        if (cells) {
            put_text(left - 8, y + 16, "v e", "%s", label);
            put_cells(cells, left, y, s->unit, true);
            if (note) put_text(notes, y + 16, "v", "%s", note);
        }
        y += !cells && *label == '\0' ? GAP : ROW;
    }
    kl_paper_end(stdout);
}

int figure_draw_cells(const char *path, const char *name) {
    static sheet s = {.unit = UNIT};
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "ladder-docs figure: cannot read %s\n", path);
        return 1;
    }
    bool found = read_sheet(file, path, name, &s);
    fclose(file);
    if (found) draw(&s);
    return !found;
}
