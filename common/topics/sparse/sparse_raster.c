// What the pictures of a matrix show, counted: see sparse_plot.c. And the picture made of
// characters.
#include "sparse_internal.h"

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
static void put_shade(const kl_shading *s, const kl_raster *r, int x, int y, bool utf8, FILE *out) {
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
            else put_shade(&shading, r, x, y, utf8, out);
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
