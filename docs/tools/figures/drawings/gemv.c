// The decks of labs 04 and 05: which elements of A one request of a warp reads, the blocks that A
// is divided into, alignment of rows, threads that a shape leaves without work. See figure.h. What
// is drawn is computed from the kernels' index formulas.
#include "device/device.h"
#include "figures/figure.h"
#include "memory/access.h"
#include "paper.h"
#include "stored/stored.h"

enum { WIDTH = 640, LANES = SIM_ACCESS_LANES, ORDER = 1024, FLOAT = 4, SECTOR = 32 };

// ---- One request of a warp ----

// Which element each lane reads first.
typedef struct element {
    int row, column;
} element;

static element own_row(int lane) { return (element){lane, 0}; }
static element own_column(int lane) { return (element){0, lane}; }

static int sector_of(element e, bool column_major) {
    int at = column_major ? e.column * ORDER + e.row : e.row * ORDER + e.column;
    return at * FLOAT / SECTOR;
}

// The corner of A with the elements that a warp's request reads, and what else their sectors hold.
static void draw_request(double x, const char *title, const char *what, bool column_major,
                         element (*of)(int lane)) {
    enum { SHOWN = 16, CELL = 16, TOP = 60 };
    int sectors = 0;
    for (int l = 0; l < LANES; l++) {
        bool again = false;
        for (int k = 0; k < l; k++)
            again = again || sector_of(of(k), column_major) == sector_of(of(l), column_major);
        sectors += !again;
    }
    kl_paper_text(stdout, x, 18, "t", "%s", title);
    kl_paper_text(stdout, x, 36, "v", "%s", what);
    kl_paper_text(stdout, x, 52, "v", "%d sectors: %d of %d bytes used", sectors, LANES * FLOAT,
                  sectors * SECTOR);
    for (int r = 0; r < SHOWN; r++) {
        for (int c = 0; c < SHOWN; c++) {
            const char *kind = "cell";
            int reader = -1;
            for (int l = 0; l < LANES; l++) {
                element e = of(l), here = {r, c};
                if (sector_of(e, column_major) == sector_of(here, column_major) && reader < 0)
                    kind = "k2";
                if (e.row == r && e.column == c) reader = l;
            }
            if (reader >= 0) kind = "k1";
            kl_paper_rect(stdout, x + c * CELL, TOP + r * CELL, CELL - 2, CELL - 2, kind);
            if (reader >= 0)
                kl_paper_text(stdout, x + (c + 0.5) * CELL - 1, TOP + r * CELL + 11, "v m", "%d",
                              reader);
        }
    }
}

static int draw_requests(bool column_major, const char *const titles[2]) {
    kl_paper_begin(stdout, WIDTH, 318, "The elements of A that one request of a warp reads");
    draw_request(24, titles[0], "lane l: row l", column_major, own_row);
    draw_request(350, titles[1], "lane l: column l", column_major, own_column);
    kl_paper_end(stdout);
    return 0;
}

int figure_draw_row_requests(void) {
    static const char *const titles[2] = {"step 1: a thread per row", "step 2: a warp per row"};
    return draw_requests(false, titles);
}

int figure_draw_column_requests(void) {
    static const char *const titles[2] = {"A x: a thread per row", "Aᵀ x: a thread per column"};
    return draw_requests(true, titles);
}

// ---- The paper's block of 16 rows ----

int figure_draw_block16(void) {
    enum { ROWS = 16, TILES = 4, CELL = 7, LOW = 10, LEFT = 62, TOP = 46 };
    enum { ACROSS = TILES * ROWS * CELL, SUMS = LEFT + ACROSS + 24 };
    kl_paper_begin(stdout, WIDTH, 306, "A block of 16 x 16 threads walks along 16 rows of A");
    kl_paper_text(stdout, LEFT, 18, "t", "16 x 16 threads, 16 columns at a time");
    for (int t = 0; t < TILES; t++) {
        char kind[3] = {'k', (char)('0' + t), '\0'};
        kl_paper_text(stdout, LEFT + (t + 0.5) * ROWS * CELL, TOP - 8, "v m", "iteration %d", t);
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < ROWS; c++)
                kl_paper_rect(stdout, LEFT + (t * ROWS + c) * CELL, TOP + r * LOW, CELL - 1,
                              LOW - 1, kind);
    }
    kl_paper_text(stdout, LEFT - 8, TOP + 10, "v e", "row 0");
    kl_paper_text(stdout, LEFT - 8, TOP + ROWS * LOW - 2, "v e", "row 15");
    kl_paper_text(stdout, SUMS, TOP - 8, "v", "sums");
    for (int r = 0; r < ROWS; r++) kl_paper_rect(stdout, SUMS, TOP + r * LOW, 30, LOW - 1, "k5");
    kl_paper_arrow(stdout, LEFT + ACROSS + 3, TOP + 80, SUMS - 3, TOP + 80);
    for (int c = 0; c < TILES * ROWS; c++)
        kl_paper_rect(stdout, LEFT + c * CELL, TOP + 176, CELL - 1, 16, "k6");
    kl_paper_text(stdout, LEFT - 8, TOP + 188, "v e", "x");
    kl_paper_text(stdout, LEFT, TOP + 212, "v",
                  "x: 256 elements at a time in shared memory, used by all 16 rows.");
    kl_paper_text(stdout, LEFT, TOP + 230, "v",
                  "Thread (ty, tx) adds every 16th column of row ty; at the end the");
    kl_paper_text(stdout, LEFT, TOP + 248, "v", "16 partial sums of a row are added, in 4 steps.");
    kl_paper_end(stdout);
    return 0;
}

// ---- Which sum goes where: the listing as it is printed, and corrected ----

int figure_draw_listing(void) {
    enum { LOW = 24, TOP = 56, SUM = 60, Y = 190, PANEL = 320, HIGH = LOW - 4 };
    static const char *const titles[2] = {"y[.. + tx] = Ps[ty][0]", "y[.. + tx] = Ps[tx][0]"};
    static const int shown[] = {0, 1, 2, 3, 4, 14, 15}, lines = sizeof shown / sizeof *shown;
    kl_paper_begin(stdout, WIDTH, TOP + (lines + 1) * LOW + 4,
                   "Which row's sum each thread of the first row writes");
    for (int p = 0; p < 2; p++) {
        double x = 20 + p * PANEL;
        kl_paper_text(stdout, x, 18, "t", "%s", titles[p]);
        kl_paper_text(stdout, x + SUM, 44, "v m", "sums");
        kl_paper_text(stdout, x + Y, 44, "v m", "y");
        for (int i = 0; i < lines; i++) { // of threads tx; ty is 0
            int tx = shown[i], row = p == 0 ? 0 : tx;
            bool skipped = tx > i; // a line is left empty for the threads between
            double y = TOP + (i + skipped) * LOW, from = p == 0 ? TOP : y;
            kl_paper_rect(stdout, x + SUM - 36, y, 72, HIGH, p == 0 && tx > 0 ? "cell" : "k1");
            kl_paper_text(stdout, x + SUM, y + 14, "v m", "row %d", tx);
            kl_paper_rect(stdout, x + Y - 36, y, 72, HIGH, row == tx ? "k1" : "k2");
            kl_paper_text(stdout, x + Y, y + 14, "v m", "row %d", row);
            kl_paper_line(stdout, x + SUM + 38, from + HIGH / 2.0, x + Y - 38, y + HIGH / 2.0,
                          "axis");
            if (!skipped || shown[i - 1] > i) continue;
            kl_paper_text(stdout, x + SUM, y - LOW + 14, "v m", "..");
            kl_paper_text(stdout, x + Y, y - LOW + 14, "v m", "..");
        }
    }
    kl_paper_end(stdout);
    return 0;
}

// ---- A copy whose rows are padded ----

int figure_draw_padded_rows(void) {
    enum { ELEMENTS = 13, LINES = 4, CELL = 33, LEFT = 70, TOP = 60, ROW = 46, WIDE = 4 };
    enum { PITCH = (ELEMENTS * FLOAT + SECTOR - 1) / SECTOR * SECTOR / FLOAT };
    kl_paper_begin(stdout, WIDTH, TOP + LINES * ROW + 26, "Rows of 13 elements, padded to 16");
    kl_paper_text(stdout, 8, 18, "t", "the copy: rows of %d elements, %d apart (%d bytes)",
                  ELEMENTS, PITCH, PITCH * FLOAT);
    for (int v = 0; v < PITCH / WIDE; v++)
        kl_paper_text(stdout, LEFT + (v + 0.5) * WIDE * CELL, TOP - 16, "v m", "texel %d", v);
    for (int line = 0; line < LINES; line++) {
        double y = TOP + line * ROW;
        kl_paper_text(stdout, LEFT - 8, y + 20, "v e", "row %d", line);
        for (int e = 0; e < PITCH; e++) {
            bool there = e < ELEMENTS;
            kl_paper_rect(stdout, LEFT + e * CELL, y, CELL - 2, 30, there ? "k1" : "cell");
            kl_paper_text(stdout, LEFT + (e + 0.5) * CELL - 1, y + 20, "v m", there ? "%d" : "0",
                          e);
        }
    }
    for (int b = 0; b <= PITCH / WIDE; b++)
        kl_paper_line(stdout, LEFT + b * WIDE * CELL - 1, TOP - 12, LEFT + b * WIDE * CELL - 1,
                      TOP + LINES * ROW - 4, "axis");
    kl_paper_text(stdout, LEFT, TOP + LINES * ROW + 16, "v",
                  "every row begins at a multiple of %d bytes; what lies behind it is zero",
                  SECTOR);
    kl_paper_end(stdout);
    return 0;
}

// ---- Rows (or columns) that begin anywhere ----

static int draw_starts(const char *name, int elements, int lines, const char *title) {
    enum { CELL = 33, LEFT = 70, TOP = 54, ROW = 46, VECTOR = 4 };
    kl_paper_begin(stdout, WIDTH, TOP + lines * ROW + 26, title);
    kl_paper_text(stdout, 8, 18, "t", "%d elements each; between the lines: 16 bytes", elements);
    for (int line = 0; line < lines; line++) {
        double y = TOP + line * ROW;
        int shift = line * elements % VECTOR, head = (VECTOR - shift) % VECTOR;
        int vectors = (elements - head) / VECTOR;
        kl_paper_text(stdout, LEFT - 8, y + 20, "v e", "%s %d", name, line);
        for (int e = 0; e < elements; e++) {
            bool wide = e >= head && e < head + vectors * VECTOR;
            kl_paper_rect(stdout, LEFT + (shift + e) * CELL, y, CELL - 2, 30, wide ? "k1" : "k2");
            kl_paper_text(stdout, LEFT + (shift + e + 0.5) * CELL - 1, y + 20, "v m", "%d", e);
        }
    }
    for (int b = 0; b <= (elements + VECTOR - 1) / VECTOR; b++)
        kl_paper_line(stdout, LEFT + b * VECTOR * CELL - 1, TOP - 12, LEFT + b * VECTOR * CELL - 1,
                      TOP + lines * ROW - 4, "axis");
    kl_paper_text(stdout, LEFT, TOP + lines * ROW + 16, "v",
                  "green: loads of 16 bytes; orange: elements before and behind them");
    kl_paper_end(stdout);
    return 0;
}

int figure_draw_row_starts(void) {
    return draw_starts("row", 13, 4, "Where rows of 13 elements begin, and their 16-byte parts");
}

int figure_draw_column_starts(void) {
    return draw_starts("column", 13, 5, "Where columns of 13 elements begin: every fourth alike");
}

// ---- Threads and SMs without work ----

static void share_bar(double y, const char *name, double used, double all, const char *unit) {
    enum { LEFT = 196, SPAN = 300 };
    kl_paper_text(stdout, LEFT - 8, y + 19, "v e", "%s", name);
    kl_paper_rect(stdout, LEFT, y, SPAN, 28, "cell");
    kl_paper_rect(stdout, LEFT, y, SPAN * used / all, 28, used < all / 2 ? "k2" : "k1");
    kl_paper_text(stdout, LEFT + SPAN + 8, y + 19, "v", "%.0f of %.0f %s", used, all, unit);
}

int figure_draw_by_shape(void) {
    enum { SHORT = 13, WARP = 32, BLOCK = 256, GROUP = 16 };
    const sim_device *device = sim_device_find(card_id);
    kl_paper_begin(stdout, WIDTH, 312, "Threads and SMs that have work at two extreme shapes");
    kl_paper_text(stdout, 8, 18, "t", "rows of %d elements: threads with work", SHORT);
    share_bar(30, "256 threads per row", SHORT, BLOCK, "threads");
    share_bar(68, "a warp per row", SHORT, WARP, "lanes");
    share_bar(106, "16 lanes per row", WARP / GROUP * SHORT, WARP, "lanes");
    kl_paper_text(stdout, 8, 180, "t", "one row of 2^24 elements: SMs with work (%s)",
                  device->name);
    share_bar(192, "a block per row", 1, device->sm_count, "SMs");
    share_bar(230, "two blocks per SM", device->sm_count, device->sm_count, "SMs");
    kl_paper_text(
        stdout, 8, 292, "v",
        "The pieces of a row are added by its last block, in the order of their numbers.");
    kl_paper_end(stdout);
    return 0;
}

// ---- Lab 05: blocks of A, and how often the matrix moves ----

static void draw_division(double x, const char *title, int rows, int columns) {
    enum { SIDE = 176, TOP = 66 };
    double height = (double)SIDE * rows / ORDER, width = (double)SIDE * columns / ORDER;
    kl_paper_text(stdout, x, 18, "t", "%s", title);
    kl_paper_text(stdout, x, 36, "v", "%d rows x %d columns", rows, columns);
    kl_paper_text(stdout, x, 53, "v", "%d blocks", (ORDER / rows) * (ORDER / columns));
    for (int r = 0; r < ORDER / rows; r++) {
        for (int c = 0; c < ORDER / columns; c++) {
            char kind[3] = {'k', (char)('0' + (r + c) % 6), '\0'};
            kl_paper_rect(stdout, x + c * width, TOP + r * height, width - 1.5, height - 1.5, kind);
        }
    }
}

int figure_draw_column_blocks(void) {
    enum { PITCH = 208 };
    kl_paper_begin(stdout, WIDTH, 280, "A of order 1024, divided among the blocks of three steps");
    draw_division(20, "0 naive", 256, ORDER);
    draw_division(20 + PITCH, "1 block_multiply", ORDER, 64);
    draw_division(20 + 2 * PITCH, "5 two_stage", 256, 64);
    kl_paper_text(
        stdout, 20, 266, "v",
        "Order 1024. A block runs on one SM: at most as many SMs work as there are blocks.");
    kl_paper_end(stdout);
    return 0;
}

int figure_draw_passes(void) {
    enum { LEFT = 128, PASS = 148, COUNT = 3 };
    static const char *const passes[COUNT] = {"read A", "write Aᵀ", "read Aᵀ"};
    kl_paper_begin(stdout, WIDTH, 210, "How often the matrix moves: once, or three times");
    kl_paper_text(stdout, 8, 18, "t", "transfers of the whole matrix between memory and the chip");
    for (int s = 0; s < 2; s++) {
        double y = 44 + s * 74;
        kl_paper_text(stdout, LEFT - 8, y + 30, "v e",
                      s == 0 ? "3 blocks, 6 final" : "4 transpose");
        for (int p = 0; p < (s == 0 ? 1 : COUNT); p++) {
            kl_paper_rect(stdout, LEFT + p * PASS, y, PASS - 3, 48, p == 0 ? "k1" : "k2");
            kl_paper_text(stdout, LEFT + (p + 0.5) * PASS, y + 30, "v m", "%s", passes[p]);
        }
    }
    kl_paper_end(stdout);
    return 0;
}

// ---- Column-major order ----

enum { ORDER_SIDE = 4, ORDER_CELL = 32, ORDER_WORD = 24, ORDER_MEMORY = 250, ORDER_TOP = 40 };

// The first loads of the lanes of a warp: of a row each, or of a column each.
static void draw_first_loads(double y, const char *name, const char *order, int step) {
    kl_paper_text(stdout, ORDER_MEMORY - 8, y + 18, "v e", "%s", name);
    for (int at = 0; at < ORDER_SIDE * ORDER_SIDE; at++) {
        bool read = at % step == 0 && at / step < ORDER_SIDE;
        double x = ORDER_MEMORY + at * ORDER_WORD;
        kl_paper_rect(stdout, x, y, ORDER_WORD - 2, 26, read ? "k1" : "cell");
        if (read) kl_paper_text(stdout, x + ORDER_WORD / 2.0 - 1, y + 17, "v m", "%d", at / step);
    }
    kl_paper_text(stdout, ORDER_MEMORY, y + 42, "v", "%s", order);
}

int figure_draw_column_order(void) {
    enum { LEFT = 48 };
    kl_paper_begin(stdout, WIDTH, 222, "A 4 x 4 matrix in column-major order, and who reads what");
    kl_paper_text(stdout, 8, 18, "t", "element (i, j) has index i + 4 j");
    for (int at = 0; at < ORDER_SIDE * ORDER_SIDE; at++) {
        int i = at % ORDER_SIDE, j = at / ORDER_SIDE;
        double x = LEFT + j * ORDER_CELL, y = ORDER_TOP + i * ORDER_CELL;
        double word = ORDER_MEMORY + at * ORDER_WORD;
        char kind[3] = {'k', (char)('0' + j), '\0'};
        kl_paper_rect(stdout, x, y, ORDER_CELL - 2, ORDER_CELL - 2, kind);
        kl_paper_text(stdout, x + ORDER_CELL / 2.0 - 1, y + 19, "v m", "%d", at);
        kl_paper_rect(stdout, word, ORDER_TOP, ORDER_WORD - 2, 26, kind);
        kl_paper_text(stdout, word + ORDER_WORD / 2.0 - 1, ORDER_TOP + 17, "v m", "%d", at);
    }
    for (int i = 0; i < ORDER_SIDE; i += ORDER_SIDE - 1)
        kl_paper_text(stdout, LEFT - 8, ORDER_TOP + i * ORDER_CELL + 19, "v e", "row %d", i);
    kl_paper_text(stdout, ORDER_MEMORY - 8, ORDER_TOP + 17, "v e", "memory");
    draw_first_loads(96, "A x", "lane l has row l: neighbouring addresses", 1);
    draw_first_loads(166, "Aᵀ x", "lane l has column l: addresses one column apart", ORDER_SIDE);
    kl_paper_end(stdout);
    return 0;
}

// ---- Two stages: partial sums, then their sum ----

int figure_draw_partial_sums(void) {
    enum { SECTIONS = 6, LEFT = 24, TOP = 56, HIGH = 150, SECTION = 44, SUMS = 380, THIN = 18 };
    kl_paper_begin(stdout, WIDTH, 292, "Sections of columns, a column of partial sums for each");
    kl_paper_text(stdout, LEFT, 18, "t", "first launch");
    kl_paper_text(stdout, SUMS, 18, "t", "second launch");
    kl_paper_text(stdout, LEFT, 40, "v", "A, sections of 64 columns");
    kl_paper_text(stdout, SUMS, 40, "v", "partial sums");
    for (int s = 0; s < SECTIONS; s++) {
        char kind[3] = {'k', (char)('0' + s), '\0'};
        double from = LEFT + s * SECTION, to = SUMS + s * (THIN + 2);
        kl_paper_rect(stdout, from, TOP, SECTION - 2, HIGH, kind);
        kl_paper_rect(stdout, to, TOP, THIN, HIGH, kind);
        kl_paper_text(stdout, from + SECTION / 2.0 - 1, TOP + HIGH / 2.0, "v m", "%d", s);
        kl_paper_text(stdout, to + THIN / 2.0, TOP + HIGH / 2.0, "v m", "%d", s);
    }
    kl_paper_arrow(stdout, LEFT + SECTIONS * SECTION + 6, TOP + 75, SUMS - 6, TOP + 75);
    kl_paper_rect(stdout, 570, TOP, THIN, HIGH, "k7");
    kl_paper_text(stdout, 570 + THIN / 2.0, 40, "v m", "y");
    kl_paper_arrow(stdout, SUMS + SECTIONS * (THIN + 2) + 4, TOP + 75, 564, TOP + 75);
    kl_paper_text(stdout, LEFT, TOP + HIGH + 30, "v",
                  "Each section stores its sums in a column of its own:");
    kl_paper_text(stdout, LEFT, TOP + HIGH + 48, "v", "no two blocks write to the same address.");
    kl_paper_text(
        stdout, LEFT, TOP + HIGH + 72, "v",
        "The columns are added in the order of their numbers: the same bits in every call.");
    kl_paper_end(stdout);
    return 0;
}

// ---- Few rows: the warp lies across the columns ----

int figure_draw_few_rows(void) {
    enum { ROWS = 16, COLUMNS = 8, CELL = 32, LOW = 14, TOP = 62, RIGHT = 350, EACH = 4 };
    kl_paper_begin(stdout, WIDTH, TOP + ROWS * LOW + 24, "The lanes of a warp on 16 rows of A");
    for (int panel = 0; panel < 2; panel++) {
        double x = panel == 0 ? 24 : RIGHT;
        kl_paper_text(stdout, x, 18, "t", panel == 0 ? "a thread per row" : "4 lanes per column");
        kl_paper_text(stdout, x, 36, "v",
                      panel == 0 ? "16 lanes, 4 bytes each: 64 bytes"
                                 : "32 lanes, 16 bytes each: 512 bytes");
        kl_paper_text(stdout, x, 53, "v", "of one load instruction; lane numbers");
        for (int at = 0; at < 2 * ROWS * COLUMNS; at++) { // all cells, then all numbers
            int r = at / COLUMNS % ROWS, c = at % COLUMNS;
            int lane = panel == 0 ? r : c * EACH + r / EACH;
            bool read = panel > 0 || c == 0, last = panel == 0 || r % EACH == EACH - 1;
            char kind[3] = {'k', (char)('0' + (panel == 0 ? 0 : lane % EACH)), '\0'};
            if (at < ROWS * COLUMNS)
                kl_paper_rect(stdout, x + c * CELL, TOP + r * LOW, CELL - 2, last ? LOW - 2 : LOW,
                              read ? kind : "cell");
            else if (read && last)
                kl_paper_text(stdout, x + (c + 0.5) * CELL - 1,
                              TOP + r * LOW + (panel == 0 ? 10.5 : -12.0), "v m", "%d", lane);
        }
    }
    kl_paper_end(stdout);
    return 0;
}
