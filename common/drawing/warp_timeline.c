// Warps over time as a picture: see drawing.h. A kind is one path of horizontal strokes, so
// that the text of a picture stays short.
#include "drawing.h"

enum {
    LABELS = 46,
    WIDTH = 720, // of all columns, at most
    HEAD = 20,
    ROW = 14,
    SLOTS = 34, // height of the strip of issue slots
    GAP = 8,
    KEY_WIDTH = 26,
    KEYS_ACROSS = 2,
    KEY_PITCH = 320,
    KEY_ROW = 18
};

// How a kind looks: no two alike without their colours either.
static const struct {
    const char *ink, *dashes;
    int thick;
} looks[KL_TIMELINE_KINDS] = {
    [KL_TIMELINE_ISSUES] = {"s1", "", 12},
    [KL_TIMELINE_SELDOM] = {"s1", "", 7},
    [KL_TIMELINE_READY] = {"s0", "", 4},
    [KL_TIMELINE_FIRST_WAIT] = {"s2", "", 2},
    [KL_TIMELINE_FIRST_WAIT + 1] = {"s4", "4 2", 3},
    [KL_TIMELINE_FIRST_WAIT + 2] = {"s3", "2 2", 6},
    [KL_TIMELINE_FIRST_WAIT + 3] = {"s7", "1 3", 3},
    [KL_TIMELINE_FIRST_WAIT + 4] = {"s5", "7 2", 3},
    [KL_TIMELINE_FIRST_WAIT + 5] = {"s6", "3 1", 5},
    [KL_TIMELINE_FIRST_WAIT + 6] = {"s5", "2 4", 5},
    [KL_TIMELINE_FIRST_WAIT + 7] = {"s2", "5 2", 5},
    [KL_TIMELINE_FIRST_WAIT + 8] = {"s4", "1 2", 6},
    [KL_TIMELINE_FIRST_WAIT + 9] = {"s3", "6 3", 3},
    [KL_TIMELINE_FIRST_WAIT + 10] = {"s7", "8 2", 2},
};

// Whole pixels: sharp, and few digits.
static int x_of(const kl_timeline *t, uint32_t column) {
    uint32_t cell = t->columns < WIDTH ? WIDTH / t->columns : 1;
    return LABELS + (int)(cell * column);
}

static void begin_strokes(FILE *out, uint32_t kind) {
    fprintf(out, "<path class=\"%s line\" stroke-width=\"%d\"", looks[kind].ink, looks[kind].thick);
    if (looks[kind].dashes[0] != '\0') fprintf(out, " stroke-dasharray=\"%s\"", looks[kind].dashes);
    fputs(" d=\"", out);
}

// Neighbours of one kind in a row are one stroke; those of a row follow each other by relative
// steps.
static void put_kind(FILE *out, const kl_timeline *t, uint32_t kind) {
    int strokes = 0;
    for (uint32_t r = 0; r < t->rows; r++) {
        const uint8_t *row = t->kinds + (size_t)r * t->columns;
        int at = 0; // where the last stroke of the row ends; 0: it has none
        for (uint32_t c = 0; c < t->columns; c++) {
            uint32_t end = c;
            while (end < t->columns && row[end] == kind) end++;
            if (end == c) continue;
            if (strokes++ == 0) begin_strokes(out, kind);
            if (at == 0)
                fprintf(out, "M%d %dh%d", x_of(t, c), HEAD + (int)r * ROW + ROW / 2,
                        x_of(t, end) - x_of(t, c));
            else fprintf(out, "m%d 0h%d", x_of(t, c) - at, x_of(t, end) - x_of(t, c));
            at = x_of(t, end);
            c = end;
        }
    }
    if (strokes > 0) fputs("\"/>\n", out);
}

// A mark about every eighth of the width, at a column's first cycle.
static void put_scale(FILE *out, const kl_timeline *t, double bottom) {
    uint32_t step = t->columns >= 8 ? t->columns / 8 : 1;
    for (uint32_t c = 0; c < t->columns; c += step) {
        int x = x_of(t, c);
        kl_paper_line(out, x, HEAD - 3, x, bottom, "grid");
        kl_paper_text(out, x + 2, HEAD - 6, "v", c == 0 ? "cycle %u" : "%u", c * t->each);
    }
}

static void put_slots(FILE *out, const kl_timeline *t, double top) {
    kl_paper_text(out, LABELS - 8, top + 12, "v e", "issue");
    kl_paper_text(out, LABELS - 8, top + 23, "v e", "slots");
    int right = x_of(t, t->columns);
    kl_paper_rect(out, LABELS, top, right - LABELS, SLOTS, "cell");
    fprintf(out, "<path class=\"s1 area\" d=\"M%d %.1f", LABELS, top + SLOTS);
    for (uint32_t c = 0; c < t->columns; c++)
        if (c == 0 || t->used[c] != t->used[c - 1])
            fprintf(out, "H%dV%.1f", x_of(t, c), top + SLOTS * (1 - t->used[c]));
    fprintf(out, "H%dV%.1fZ\"/>\n", right, top + SLOTS);
}

static void put_key(FILE *out, const kl_timeline *t, double top) {
    for (uint32_t i = 0; i < t->key_count; i++) {
        int x = LABELS + (int)(i % KEYS_ACROSS) * KEY_PITCH;
        double y = top + (double)(i / KEYS_ACROSS) * KEY_ROW + KEY_ROW / 2.0;
        if (t->keys[i].kind != KL_TIMELINE_NOTHING) {
            begin_strokes(out, t->keys[i].kind);
            fprintf(out, "M%d %.0fH%d\"/>\n", x, y, x + KEY_WIDTH);
        }
        kl_paper_text(out, x + KEY_WIDTH + 8, y + 4, "v", "%s", t->keys[i].text);
    }
}

void kl_timeline_draw(FILE *out, const kl_timeline *t, const char *title) {
    double rows = HEAD + (double)t->rows * ROW, top = rows + GAP;
    double keys = top + SLOTS + 6;
    double height = keys + (double)((t->key_count + KEYS_ACROSS - 1) / KEYS_ACROSS) * KEY_ROW;
    int width = t->columns > 0 ? x_of(t, t->columns) : LABELS;
    if (t->key_count > 0) kl_paper_begin(out, width + 8, height + 6, title);
    else kl_paper_begin_plain(out, width + 8, height, title);
    if (t->columns == 0) {
        kl_paper_end(out);
        return;
    }
    put_scale(out, t, rows);
    for (uint32_t r = 0; r < t->rows; r++)
        kl_paper_text(out, LABELS - 8, HEAD + (double)r * ROW + ROW / 2.0 + 3, "v e",
                      r == 0 ? "warp %u" : "%u", t->labels[r]);
    for (uint32_t kind = KL_TIMELINE_ISSUES; kind < KL_TIMELINE_KINDS; kind++)
        put_kind(out, t, kind);
    put_slots(out, t, top);
    put_key(out, t, keys);
    kl_paper_end(out);
}

void kl_timeline_key_draw(FILE *out, uint32_t kind) {
    fprintf(out, "<svg class=\"key\" width=\"%d\" height=\"%d\" aria-hidden=\"true\">", KEY_WIDTH,
            ROW);
    if (kind != KL_TIMELINE_NOTHING && kind < KL_TIMELINE_KINDS) {
        begin_strokes(out, kind);
        fprintf(out, "M1 %dH%d\"/>", ROW / 2, KEY_WIDTH - 1);
    }
    fputs("</svg>", out);
}
