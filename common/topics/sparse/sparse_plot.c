// The pictures of a matrix as SVG: see sparse.h. Plain shapes and text, no script, no outside
// resources.
#include "sparse.h"
#include "drawing.h"
#include "sparse_internal.h"
#include "table.h"

enum {
    AREA = 480, // longest side of the drawing, px
    LEAST = 96, // shortest side
    LEFT = 84,
    TOP = 78,
    RIGHT = 150,
    BOTTOM = 40,
    CELLS = 240,         // along the longest side
    PLACES_SHOWN = CELLS // up to this side every entry is a square of its own
};

static const char *const shade_class[] = {"h0", "h1", "h2", "h3", "h4", "h5"};
_Static_assert((int)KL_SHADES == (int)KL_PAPER_HEATS, "a class per shade");

// Two digits, however small the number.
static const char *percent(double share, char *text, size_t bytes) {
    double value = 100 * share;
    int decimals = value > 0 ? 1 - (int)floor(log10(value)) : 0;
    snprintf(text, bytes, "%.*f %%", decimals < 0 ? 0 : decimals > 12 ? 12 : decimals, value);
    return text;
}

// Opens the picture; the title, and `about` below it.
static void begin(int width, int height, const char *title, const char *name, const char *about,
                  FILE *out) {
    char whole[512];
    snprintf(whole, sizeof whole, "%s of %s", title, name);
    kl_paper_begin(out, width, height, whole);
    kl_paper_text(out, 16, 26, "t", "%s", whole);
    kl_paper_text(out, 16, 46, "v", "%s", about);
}

// ---- structure -------------------------------------------------------------------------------

// Cells of one shade as one path; neighbours in a line are joined.
static void put_shade(const kl_raster *r, const kl_shading *shading, int shade, const char *shape,
                      FILE *out) {
    bool any = false;
    for (int y = 0; y < r->height; y++) {
        for (int x = 0; x < r->width; x++) {
            int from = x;
            while (x < r->width && kl_shade(shading, r, x, y) == shade) x++;
            if (x == from) continue;
            if (!any) fprintf(out, "<path class=\"%s\" d=\"", shape);
            fprintf(out, "M%d %dh%dv1h-%dz", from, y, x - from, x - from);
            any = true;
        }
    }
    if (any) fputs("\"/>\n", out);
}

static void put_ticks(const kl_raster *r, double width, double height, FILE *out) {
    char first[32], last[32];
    kl_paper_text(out, LEFT - 8, TOP + 10, "v e", "row %s",
                  kl_format_grouped(r->rows > 0 ? 1 : 0, first, sizeof first));
    kl_paper_text(out, LEFT - 8, TOP + height, "v e", "%s",
                  kl_format_grouped(r->rows, last, sizeof last));
    kl_paper_text(out, LEFT, TOP + height + 18, "v", "column %s",
                  kl_format_grouped(r->cols > 0 ? 1 : 0, first, sizeof first));
    kl_paper_text(out, LEFT + width, TOP + height + 18, "v e", "%s",
                  kl_format_grouped(r->cols, last, sizeof last));
}

// The fullest is the last, however many there are.
static const char *class_of(const kl_shading *s, int shade) {
    return shade_class[KL_SHADES - s->shades + shade];
}

static void put_legend(const kl_shading *s, double width, bool exact, FILE *out) {
    double x = LEFT + width + 18;
    if (exact || s->most == 0) {
        kl_paper_rect(out, x, TOP, 12, 12, shade_class[KL_SHADES - 1]);
        kl_paper_text(out, x + 18, TOP + 10, "v", "an entry");
        return;
    }
    kl_paper_text(out, x, TOP + 10, "v", "share filled, from");
    for (int k = 0; k < s->shades; k++) {
        char text[32];
        int y = TOP + 18 * (s->shades - k);
        kl_paper_rect(out, x, y, 12, 12, class_of(s, k));
        kl_paper_text(out, x + 18, y + 10, "v", "%s", percent(s->from[k], text, sizeof text));
    }
}

static void describe(const kl_raster *r, int64_t nnz, bool exact, char *text, size_t bytes) {
    char rows[32], cols[32], entries[32];
    int used =
        snprintf(text, bytes, "%s x %s, %s entries", kl_format_grouped(r->rows, rows, sizeof rows),
                 kl_format_grouped(r->cols, cols, sizeof cols),
                 kl_format_grouped(nnz, entries, sizeof entries));
    if (exact || r->width == 0 || r->height == 0) return;
    snprintf(text + used, bytes - (size_t)used, "; a cell is %s x %s elements",
             kl_format_grouped((r->rows + r->height - 1) / r->height, rows, sizeof rows),
             kl_format_grouped((r->cols + r->width - 1) / r->width, cols, sizeof cols));
}

kl_status kl_plot_structure(const kl_csr *csr, const char *name, FILE *out, kl_error *err) {
    bool exact = csr->rows <= PLACES_SHOWN && csr->cols <= PLACES_SHOWN;
    int64_t longest = csr->rows > csr->cols ? csr->rows : csr->cols;
    double scale = (double)AREA / (double)(longest > 0 ? longest : 1);
    double width = fmax(LEAST, (double)csr->cols * scale);
    double height = fmax(LEAST, (double)csr->rows * scale);
    int most = exact ? PLACES_SHOWN : CELLS;
    kl_raster r;
    TRY(kl_raster_of(csr, exact ? most : (int)ceil(most * width / AREA),
                     exact ? most : (int)ceil(most * height / AREA), &r, err));
    char about[160];
    describe(&r, csr->nnz, exact, about, sizeof about);
    begin((int)ceil(LEFT + width + RIGHT), (int)ceil(TOP + height + BOTTOM), "Structure", name,
          about, out);
    kl_paper_rect(out, LEFT, TOP, width, height, "frame");
    kl_shading shading = kl_shading_of(&r);
    if (r.width > 0 && r.height > 0) {
        fprintf(
            out,
            "<g transform=\"translate(%d %d) scale(%.5f %.5f)\" shape-rendering=\"crispEdges\">\n",
            LEFT, TOP, width / r.width, height / r.height);
        for (int s = 0; s < shading.shades; s++)
            put_shade(&r, &shading, s, class_of(&shading, s), out);
        fputs("</g>\n", out);
    }
    put_ticks(&r, width, height, out);
    put_legend(&shading, width, exact, out);
    kl_raster_free(&r);
    return kl_picture_end(out, err);
}

// ---- row lengths -----------------------------------------------------------------------------

enum { BARS_WIDTH = 620, BARS_HEIGHT = 260, BARS_LEFT = 56, BARS_TOP = 88 };
static const char rows_class[] = "s0 area", entries_class[] = "s2 area";

static void put_key(FILE *out) {
    kl_paper_rect(out, 16, 58, 12, 12, rows_class);
    kl_paper_text(out, 34, 68, "v", "share of the rows");
    kl_paper_rect(out, 160, 58, 12, 12, entries_class);
    kl_paper_text(out, 178, 68, "v", "share of the entries, which is where the work is");
}

static void put_scale(double most, FILE *out) {
    double step = most > 0.5 ? 0.2 : most > 0.25 ? 0.1 : most > 0.1 ? 0.05 : 0.02;
    for (double share = 0; share <= most + 1e-9; share += step) {
        double y = BARS_TOP + BARS_HEIGHT * (1 - share / most);
        kl_paper_line(out, BARS_LEFT, y, BARS_LEFT + BARS_WIDTH, y, share == 0 ? "axis" : "grid");
        kl_paper_text(out, BARS_LEFT - 8, y + 4, "v e", "%.0f %%", 100 * share);
    }
}

static void put_bar(double x, double width, double share, double most, const char *shape,
                    const char *what, int64_t count, FILE *out) {
    char text[32];
    double height = BARS_HEIGHT * share / most;
    if (count > 0 && height < 1) height = 1; // there is something
    if (count == 0) return;
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\">"
            "<title>%s %s (%.3g %%)</title></rect>\n",
            x, BARS_TOP + BARS_HEIGHT - height, width, height, shape,
            kl_format_grouped(count, text, sizeof text), what, 100 * share);
}

static void put_group(const kl_row_lengths *l, int g, int64_t rows, int64_t nnz, double most,
                      FILE *out) {
    double step = (double)BARS_WIDTH / l->count, x = BARS_LEFT + step * g;
    double bar = fmin(26, (step - 4) / 2);
    double middle = x + step / 2;
    put_bar(middle - bar - 0.5, bar, (double)l->rows[g] / (double)rows, most, rows_class, "rows",
            l->rows[g], out);
    if (nnz > 0) {
        put_bar(middle + 0.5, bar, (double)l->entries[g] / (double)nnz, most, entries_class,
                "entries", l->entries[g], out);
    }
    // Labels of narrow groups would run into each other: every second, third, ... one is shown.
    char from[32], to[32];
    bool range = l->to[g] > l->from[g];
    int every = (int)ceil((range ? 66.0 : 34.0) / step);
    if (g % every != 0 && g != l->count - 1) return;
    if (g != l->count - 1 && l->count - 1 - g < every) return;
    kl_paper_text(out, middle, BARS_TOP + BARS_HEIGHT + 17, "v m", "%s%s%s",
                  kl_format_grouped(l->from[g], from, sizeof from), range ? "–" : "",
                  range ? kl_format_grouped(l->to[g], to, sizeof to) : "");
}

kl_status kl_plot_row_lengths(const kl_csr *csr, const char *name, FILE *out, kl_error *err) {
    kl_row_lengths l;
    kl_row_lengths_of(csr, &l);
    double most = 0.05;
    for (int g = 0; g < l.count; g++) {
        most = fmax(most, (double)l.rows[g] / (double)csr->rows);
        if (csr->nnz > 0) most = fmax(most, (double)l.entries[g] / (double)csr->nnz);
    }
    char about[160], rows[32], entries[32];
    double mean = csr->rows > 0 ? (double)csr->nnz / (double)csr->rows : 0;
    snprintf(about, sizeof about, "%s rows, %s entries, %.*f per row on average",
             kl_format_grouped(csr->rows, rows, sizeof rows),
             kl_format_grouped(csr->nnz, entries, sizeof entries), mean < 100 ? 2 : 0, mean);
    begin(BARS_LEFT + BARS_WIDTH + 44, BARS_TOP + BARS_HEIGHT + 52, "Row lengths", name, about,
          out);
    put_key(out);
    put_scale(most, out);
    for (int g = 0; g < l.count; g++) put_group(&l, g, csr->rows, csr->nnz, most, out);
    kl_paper_text(out, BARS_LEFT + BARS_WIDTH / 2, BARS_TOP + BARS_HEIGHT + 38, "v m",
                  "entries in a row");
    return kl_picture_end(out, err);
}

// ---- what the pictures show, counted; the picture made of characters ----------------------------

enum { MANY_GROUPS = 20 }; // of lengths that lie close together

int64_t kl_raster_edge(int64_t total, int cells, int at) {
    // The first row whose cell is `at`: cell_of below is at * total / cells rounded up.
    return (int64_t)(((__int128)at * total + cells - 1) / cells);
}

static int cell_of(int64_t at, int64_t total, int cells) {
    return (int)((__int128)at * cells / total);
}

kl_status kl_raster_of(const kl_csr *csr, int most_width, int most_height, kl_raster *out_raster,
                       kl_error *err) {
    kl_raster r = {.rows = csr->rows, .cols = csr->cols};
    *out_raster = (kl_raster){0};
    r.width = csr->cols < most_width ? (int)csr->cols : most_width;
    r.height = csr->rows < most_height ? (int)csr->rows : most_height;
    TRY(kl_sparse_alloc((uint64_t)r.width * (uint64_t)r.height, sizeof *r.count, true, &r.count,
                        err));
    for (int64_t i = 0; i < csr->rows; i++) {
        if (csr->ptr[i] == csr->ptr[i + 1]) continue;
        uint32_t *line = r.count + (int64_t)cell_of(i, r.rows, r.height) * r.width;
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++)
            line[cell_of(csr->col[k], r.cols, r.width)]++;
    }
    *out_raster = r;
    return KL_OK;
}

void kl_raster_free(kl_raster *raster) {
    free(raster->count);
    *raster = (kl_raster){0};
}

double kl_raster_places(const kl_raster *r, int x, int y) {
    return (double)(kl_raster_edge(r->cols, r->width, x + 1) -
                    kl_raster_edge(r->cols, r->width, x)) *
           (double)(kl_raster_edge(r->rows, r->height, y + 1) -
                    kl_raster_edge(r->rows, r->height, y));
}

static double share_at(const kl_raster *r, int x, int y) {
    return (double)r->count[(int64_t)y * r->width + x] / kl_raster_places(r, x, y);
}

kl_shading kl_shading_of(const kl_raster *r) {
    double least = INFINITY, most = 0;
    for (int y = 0; y < r->height; y++) {
        for (int x = 0; x < r->width; x++) {
            double share = share_at(r, x, y);
            if (share <= 0) continue;
            least = share < least ? share : least;
            most = share > most ? share : most;
        }
    }
    kl_shading s = {.most = most, .factor = 10, .shades = 1};
    if (most > 0 && most / least > 1.5) {
        s.shades = KL_SHADES;
        double factor = pow(most / least, 1.0 / KL_SHADES) * 1.000001;
        s.factor = factor < 10 ? factor : 10;
    }
    for (int k = 0; k < s.shades; k++) s.from[k] = most * pow(s.factor, k - s.shades);
    if (s.shades == KL_SHADES && s.from[0] > least)
        s.from[0] = least; // the rest is in the emptiest
    return s;
}

int kl_shade(const kl_shading *s, const kl_raster *r, int x, int y) {
    double share = share_at(r, x, y);
    if (share <= 0) return -1;
    int shade = s->shades - 1;
    while (shade > 0 && share < s->from[shade]) shade--;
    return shade;
}

// ---- row lengths -----------------------------------------------------------------------------

static int64_t row_length(const kl_csr *csr, int64_t i) { return csr->ptr[i + 1] - csr->ptr[i]; }

static void add_group(kl_row_lengths *l, int64_t from, int64_t to) {
    l->from[l->count] = from;
    l->to[l->count++] = to;
}

// Lengths within a factor of eight get groups of one width; others 0, 1, 2, 3-4, 5-8, ...: at most
// 34 below 2^31.
static void make_groups(int64_t low, int64_t high, kl_row_lengths *l) {
    int64_t width = (high - low) / MANY_GROUPS + 1;
    bool even = high - low < KL_LENGTH_GROUPS || high / 8 <= low;
    if (high - low < KL_LENGTH_GROUPS) width = 1;
    for (int64_t from = low, to; from <= high; from = to + 1) {
        to = from;
        while (!even && from > 2 && (to & (to - 1)) != 0) to++;
        if (even) to = from + width - 1;
        add_group(l, from, to < high ? to : high);
    }
}

void kl_row_lengths_of(const kl_csr *csr, kl_row_lengths *out_lengths) {
    kl_row_lengths l = {0};
    int64_t low = INT64_MAX, high = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t length = row_length(csr, i);
        low = length < low ? length : low;
        high = length > high ? length : high;
    }
    if (csr->rows > 0) make_groups(low, high, &l);
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t length = row_length(csr, i);
        int g = 0, last = l.count - 1;
        while (g < last) { // the group is found by halving
            int middle = (g + last) / 2;
            if (length > l.to[middle]) g = middle + 1;
            else last = middle;
        }
        l.rows[g]++;
        l.entries[g] += length;
    }
    *out_lengths = l;
}

// ---- text ------------------------------------------------------------------------------------

// A character of 2 x 4 dots: U+2800 and a bit a dot.
static void put_braille(unsigned dots, FILE *out) {
    fputc(0xE2, out);
    fputc((int)(0xA0 | dots >> 6), out);
    fputc((int)(0x80 | (dots & 63)), out);
}

static unsigned dots_at(const kl_raster *r, int x, int y) {
    static const unsigned bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    unsigned dots = 0;
    for (int dy = 0; dy < 4; dy++) {
        for (int dx = 0; dx < 2; dx++) {
            bool inside = x + dx < r->width && y + dy < r->height;
            if (inside && r->count[(int64_t)(y + dy) * r->width + x + dx] > 0) dots |= bits[dy][dx];
        }
    }
    return dots;
}

// Five shades of the emptiest to the fullest cell.
static void put_cell(const kl_shading *s, const kl_raster *r, int x, int y, bool utf8, FILE *out) {
    static const char *const plain[KL_SHADES + 1] = {" ", ".", ":", "-", "+", "#", "@"};
    static const char *const blocks[KL_SHADES + 1] = {" ", "·", "░", "░", "▒", "▓", "█"};
    int shade = kl_shade(s, r, x, y);
    if (shade >= 0 && s->shades == 1) shade = KL_SHADES - 1;
    fputs((utf8 ? blocks : plain)[shade + 1], out);
}

// True when dots would run together: more than a third of them set.
static bool is_crowded(const kl_raster *r) {
    int64_t set = 0, cells = (int64_t)r->width * r->height;
    for (int64_t c = 0; c < cells; c++) set += r->count[c] > 0;
    return 3 * set > cells;
}

static void put_rule(int width, bool utf8, bool top, FILE *out) {
    fputs(utf8 ? top ? "┌" : "└" : "+", out);
    for (int x = 0; x < width; x++) fputs(utf8 ? "─" : "-", out);
    fputs(utf8 ? top ? "┐\n" : "┘\n" : "+\n", out);
}

static void put_lines(const kl_raster *r, bool dots, bool utf8, FILE *out) {
    int step_x = dots ? 2 : 1, step_y = dots ? 4 : 1;
    kl_shading shading = kl_shading_of(r);
    put_rule((r->width + step_x - 1) / step_x, utf8, true, out);
    for (int y = 0; y < r->height; y += step_y) {
        fputs(utf8 ? "│" : "|", out);
        for (int x = 0; x < r->width; x += step_x)
            if (dots) put_braille(dots_at(r, x, y), out);
            else put_cell(&shading, r, x, y, utf8, out);
        fputs(utf8 ? "│\n" : "|\n", out);
    }
    put_rule((r->width + step_x - 1) / step_x, utf8, false, out);
}

kl_status kl_plot_text(const kl_csr *csr, int columns, int lines, bool utf8, FILE *out,
                       kl_error *err) {
    // A character is about twice as high as wide; a wide matrix gets fewer lines, a high one fewer
    // columns.
    double shape = (double)(csr->rows + 1) / (double)(csr->cols + 1);
    int width = columns - 2, height = lines - 2;
    if (shape * width / 2 < height) height = (int)ceil(shape * width / 2);
    else width = (int)ceil(2 * height / shape);
    width = width < 8 ? 8 : width;
    height = height < 4 ? 4 : height;
    kl_raster r;
    TRY(kl_raster_of(csr, utf8 ? 2 * width : width, utf8 ? 4 * height : height, &r, err));
    bool dots = utf8 && !is_crowded(&r);
    if (utf8 && !dots) {
        kl_raster_free(&r);
        TRY(kl_raster_of(csr, width, height, &r, err));
    }
    put_lines(&r, dots, utf8, out);
    kl_raster_free(&r);
    return KL_OK;
}
