// The decks of labs 04 and 05: which elements of A one request of a warp reads, the blocks that A
// is divided into, alignment of rows, threads that a shape leaves without work. See figure.h. What
// is drawn is computed from the kernels' index formulas.
#include "device/device.h"
#include "figures/figure.h"
#include "memory/access.h"
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
    put_text(x, 18, "t", "%s", title);
    put_text(x, 36, "v", "%s", what);
    put_text(x, 52, "v", "%d sectors: %d of %d bytes used", sectors, LANES * FLOAT,
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
            put_rect(x + c * CELL, TOP + r * CELL, CELL - 2, CELL - 2, kind);
            if (reader >= 0)
                put_text(x + (c + 0.5) * CELL - 1, TOP + r * CELL + 11, "v m", "%d", reader);
        }
    }
}

static void draw_requests(bool column_major, const char *const titles[2]) {
    begin_figure(WIDTH, 318, "The elements of A that one request of a warp reads");
    draw_request(24, titles[0], "lane l: row l", column_major, own_row);
    draw_request(350, titles[1], "lane l: column l", column_major, own_column);
}

void figure_draw_row_requests(void) {
    static const char *const titles[2] = {"step 1: a thread per row", "step 2: a warp per row"};
    draw_requests(false, titles);
}

void figure_draw_column_requests(void) {
    static const char *const titles[2] = {"A x: a thread per row", "Aᵀ x: a thread per column"};
    draw_requests(true, titles);
}

// ---- The paper's block of 16 rows ----

void figure_draw_block16(void) {
    enum { ROWS = 16, TILES = 4, CELL = 7, LOW = 10, LEFT = 62, TOP = 46 };
    enum { ACROSS = TILES * ROWS * CELL, SUMS = LEFT + ACROSS + 24 };
    begin_figure(WIDTH, 306, "A block of 16 x 16 threads walks along 16 rows of A");
    put_text(LEFT, 18, "t", "16 x 16 threads, 16 columns at a time");
    for (int t = 0; t < TILES; t++) {
        char kind[3] = {'k', (char)('0' + t), '\0'};
        put_text(LEFT + (t + 0.5) * ROWS * CELL, TOP - 8, "v m", "iteration %d", t);
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < ROWS; c++)
                put_rect(LEFT + (t * ROWS + c) * CELL, TOP + r * LOW, CELL - 1, LOW - 1, kind);
    }
    put_text(LEFT - 8, TOP + 10, "v e", "row 0");
    put_text(LEFT - 8, TOP + ROWS * LOW - 2, "v e", "row 15");
    put_text(SUMS, TOP - 8, "v", "sums");
    for (int r = 0; r < ROWS; r++) put_rect(SUMS, TOP + r * LOW, 30, LOW - 1, "k5");
    put_arrow(LEFT + ACROSS + 3, TOP + 80, SUMS - 3, TOP + 80);
    for (int c = 0; c < TILES * ROWS; c++) put_rect(LEFT + c * CELL, TOP + 176, CELL - 1, 16, "k6");
    put_text(LEFT - 8, TOP + 188, "v e", "x");
    put_text(LEFT, TOP + 212, "v",
             "x: 256 elements at a time in shared memory, used by all 16 rows.");
    put_text(LEFT, TOP + 230, "v",
             "Thread (ty, tx) adds every 16th column of row ty; at the end the");
    put_text(LEFT, TOP + 248, "v", "16 partial sums of a row are added, in 4 steps.");
}

// ---- Which sum goes where: the listing as it is printed, and corrected ----

void figure_draw_listing(void) {
    enum { LOW = 24, TOP = 56, SUM = 60, Y = 190, PANEL = 320, HIGH = LOW - 4 };
    static const char *const titles[2] = {"y[.. + tx] = Ps[ty][0]", "y[.. + tx] = Ps[tx][0]"};
    static const int shown[] = {0, 1, 2, 3, 4, 14, 15}, lines = sizeof shown / sizeof *shown;
    begin_figure(WIDTH, TOP + (lines + 1) * LOW + 4,
                 "Which row's sum each thread of the first row writes");
    for (int p = 0; p < 2; p++) {
        double x = 20 + p * PANEL;
        put_text(x, 18, "t", "%s", titles[p]);
        put_text(x + SUM, 44, "v m", "sums");
        put_text(x + Y, 44, "v m", "y");
        for (int i = 0; i < lines; i++) { // of threads tx; ty is 0
            int tx = shown[i], row = p == 0 ? 0 : tx;
            bool skipped = tx > i; // a line is left empty for the threads between
            double y = TOP + (i + skipped) * LOW, from = p == 0 ? TOP : y;
            put_rect(x + SUM - 36, y, 72, HIGH, p == 0 && tx > 0 ? "cell" : "k1");
            put_text(x + SUM, y + 14, "v m", "row %d", tx);
            put_rect(x + Y - 36, y, 72, HIGH, row == tx ? "k1" : "k2");
            put_text(x + Y, y + 14, "v m", "row %d", row);
            put_line(x + SUM + 38, from + HIGH / 2.0, x + Y - 38, y + HIGH / 2.0, "axis");
            if (!skipped || shown[i - 1] > i) continue;
            put_text(x + SUM, y - LOW + 14, "v m", "..");
            put_text(x + Y, y - LOW + 14, "v m", "..");
        }
    }
}

// ---- A copy whose rows are padded ----

void figure_draw_padded_rows(void) {
    enum { ELEMENTS = 13, LINES = 4, CELL = 33, LEFT = 70, TOP = 60, ROW = 46, WIDE = 4 };
    enum { PITCH = (ELEMENTS * FLOAT + SECTOR - 1) / SECTOR * SECTOR / FLOAT };
    begin_figure(WIDTH, TOP + LINES * ROW + 26, "Rows of 13 elements, padded to 16");
    put_text(8, 18, "t", "the copy: rows of %d elements, %d apart (%d bytes)", ELEMENTS, PITCH,
             PITCH * FLOAT);
    for (int v = 0; v < PITCH / WIDE; v++)
        put_text(LEFT + (v + 0.5) * WIDE * CELL, TOP - 16, "v m", "texel %d", v);
    for (int line = 0; line < LINES; line++) {
        double y = TOP + line * ROW;
        put_text(LEFT - 8, y + 20, "v e", "row %d", line);
        for (int e = 0; e < PITCH; e++) {
            bool there = e < ELEMENTS;
            put_rect(LEFT + e * CELL, y, CELL - 2, 30, there ? "k1" : "cell");
            put_text(LEFT + (e + 0.5) * CELL - 1, y + 20, "v m", there ? "%d" : "0", e);
        }
    }
    for (int b = 0; b <= PITCH / WIDE; b++)
        put_line(LEFT + b * WIDE * CELL - 1, TOP - 12, LEFT + b * WIDE * CELL - 1,
                 TOP + LINES * ROW - 4, "axis");
    put_text(LEFT, TOP + LINES * ROW + 16, "v",
             "every row begins at a multiple of %d bytes; what lies behind it is zero", SECTOR);
}

// ---- Rows (or columns) that begin anywhere ----

static void draw_starts(const char *name, int elements, int lines, const char *title) {
    enum { CELL = 33, LEFT = 70, TOP = 54, ROW = 46, VECTOR = 4 };
    begin_figure(WIDTH, TOP + lines * ROW + 26, title);
    put_text(8, 18, "t", "%d elements each; between the lines: 16 bytes", elements);
    for (int line = 0; line < lines; line++) {
        double y = TOP + line * ROW;
        int shift = line * elements % VECTOR, head = (VECTOR - shift) % VECTOR;
        int vectors = (elements - head) / VECTOR;
        put_text(LEFT - 8, y + 20, "v e", "%s %d", name, line);
        for (int e = 0; e < elements; e++) {
            bool wide = e >= head && e < head + vectors * VECTOR;
            put_rect(LEFT + (shift + e) * CELL, y, CELL - 2, 30, wide ? "k1" : "k2");
            put_text(LEFT + (shift + e + 0.5) * CELL - 1, y + 20, "v m", "%d", e);
        }
    }
    for (int b = 0; b <= (elements + VECTOR - 1) / VECTOR; b++)
        put_line(LEFT + b * VECTOR * CELL - 1, TOP - 12, LEFT + b * VECTOR * CELL - 1,
                 TOP + lines * ROW - 4, "axis");
    put_text(LEFT, TOP + lines * ROW + 16, "v",
             "green: loads of 16 bytes; orange: elements before and behind them");
}

void figure_draw_row_starts(void) {
    draw_starts("row", 13, 4, "Where rows of 13 elements begin, and their 16-byte parts");
}

void figure_draw_column_starts(void) {
    draw_starts("column", 13, 5, "Where columns of 13 elements begin: every fourth alike");
}

// ---- Threads and SMs without work ----

static void share_bar(double y, const char *name, double used, double all, const char *unit) {
    enum { LEFT = 196, SPAN = 300 };
    put_text(LEFT - 8, y + 19, "v e", "%s", name);
    put_rect(LEFT, y, SPAN, 28, "cell");
    put_rect(LEFT, y, SPAN * used / all, 28, used < all / 2 ? "k2" : "k1");
    put_text(LEFT + SPAN + 8, y + 19, "v", "%.0f of %.0f %s", used, all, unit);
}

void figure_draw_by_shape(void) {
    enum { SHORT = 13, WARP = 32, BLOCK = 256, GROUP = 16 };
    const sim_device *device = sim_device_find(card_id);
    begin_figure(WIDTH, 312, "Threads and SMs that have work at two extreme shapes");
    put_text(8, 18, "t", "rows of %d elements: threads with work", SHORT);
    share_bar(30, "256 threads per row", SHORT, BLOCK, "threads");
    share_bar(68, "a warp per row", SHORT, WARP, "lanes");
    share_bar(106, "16 lanes per row", WARP / GROUP * SHORT, WARP, "lanes");
    put_text(8, 180, "t", "one row of 2^24 elements: SMs with work (%s)", device->name);
    share_bar(192, "a block per row", 1, device->sm_count, "SMs");
    share_bar(230, "two blocks per SM", device->sm_count, device->sm_count, "SMs");
    put_text(8, 292, "v",
             "The pieces of a row are added by its last block, in the order of their numbers.");
}

// ---- Lab 05: blocks of A, and how often the matrix moves ----

static void draw_division(double x, const char *title, int rows, int columns) {
    enum { SIDE = 176, TOP = 66 };
    double height = (double)SIDE * rows / ORDER, width = (double)SIDE * columns / ORDER;
    put_text(x, 18, "t", "%s", title);
    put_text(x, 36, "v", "%d rows x %d columns", rows, columns);
    put_text(x, 53, "v", "%d blocks", (ORDER / rows) * (ORDER / columns));
    for (int r = 0; r < ORDER / rows; r++) {
        for (int c = 0; c < ORDER / columns; c++) {
            char kind[3] = {'k', (char)('0' + (r + c) % 6), '\0'};
            put_rect(x + c * width, TOP + r * height, width - 1.5, height - 1.5, kind);
        }
    }
}

void figure_draw_column_blocks(void) {
    enum { PITCH = 208 };
    begin_figure(WIDTH, 280, "A of order 1024, divided among the blocks of three steps");
    draw_division(20, "0 naive", 256, ORDER);
    draw_division(20 + PITCH, "1 block_multiply", ORDER, 64);
    draw_division(20 + 2 * PITCH, "5 two_stage", 256, 64);
    put_text(20, 266, "v",
             "Order 1024. A block runs on one SM: at most as many SMs work as there are blocks.");
}

void figure_draw_passes(void) {
    enum { LEFT = 128, PASS = 148, COUNT = 3 };
    static const char *const passes[COUNT] = {"read A", "write Aᵀ", "read Aᵀ"};
    begin_figure(WIDTH, 210, "How often the matrix moves: once, or three times");
    put_text(8, 18, "t", "transfers of the whole matrix between memory and the chip");
    for (int s = 0; s < 2; s++) {
        double y = 44 + s * 74;
        put_text(LEFT - 8, y + 30, "v e", s == 0 ? "3 blocks, 6 final" : "4 transpose");
        for (int p = 0; p < (s == 0 ? 1 : COUNT); p++) {
            put_rect(LEFT + p * PASS, y, PASS - 3, 48, p == 0 ? "k1" : "k2");
            put_text(LEFT + (p + 0.5) * PASS, y + 30, "v m", "%s", passes[p]);
        }
    }
}

// ---- Column-major order ----

enum { ORDER_SIDE = 4, ORDER_CELL = 32, ORDER_WORD = 24, ORDER_MEMORY = 250, ORDER_TOP = 40 };

// The first loads of the lanes of a warp: of a row each, or of a column each.
static void draw_first_loads(double y, const char *name, const char *order, int step) {
    put_text(ORDER_MEMORY - 8, y + 18, "v e", "%s", name);
    for (int at = 0; at < ORDER_SIDE * ORDER_SIDE; at++) {
        bool read = at % step == 0 && at / step < ORDER_SIDE;
        double x = ORDER_MEMORY + at * ORDER_WORD;
        put_rect(x, y, ORDER_WORD - 2, 26, read ? "k1" : "cell");
        if (read) put_text(x + ORDER_WORD / 2.0 - 1, y + 17, "v m", "%d", at / step);
    }
    put_text(ORDER_MEMORY, y + 42, "v", "%s", order);
}

void figure_draw_column_order(void) {
    enum { LEFT = 48 };
    begin_figure(WIDTH, 222, "A 4 x 4 matrix in column-major order, and who reads what");
    put_text(8, 18, "t", "element (i, j) has index i + 4 j");
    for (int at = 0; at < ORDER_SIDE * ORDER_SIDE; at++) {
        int i = at % ORDER_SIDE, j = at / ORDER_SIDE;
        double x = LEFT + j * ORDER_CELL, y = ORDER_TOP + i * ORDER_CELL;
        double word = ORDER_MEMORY + at * ORDER_WORD;
        char kind[3] = {'k', (char)('0' + j), '\0'};
        put_rect(x, y, ORDER_CELL - 2, ORDER_CELL - 2, kind);
        put_text(x + ORDER_CELL / 2.0 - 1, y + 19, "v m", "%d", at);
        put_rect(word, ORDER_TOP, ORDER_WORD - 2, 26, kind);
        put_text(word + ORDER_WORD / 2.0 - 1, ORDER_TOP + 17, "v m", "%d", at);
    }
    for (int i = 0; i < ORDER_SIDE; i += ORDER_SIDE - 1)
        put_text(LEFT - 8, ORDER_TOP + i * ORDER_CELL + 19, "v e", "row %d", i);
    put_text(ORDER_MEMORY - 8, ORDER_TOP + 17, "v e", "memory");
    draw_first_loads(96, "A x", "lane l has row l: neighbouring addresses", 1);
    draw_first_loads(166, "Aᵀ x", "lane l has column l: addresses one column apart", ORDER_SIDE);
}

// ---- Two stages: partial sums, then their sum ----

void figure_draw_partial_sums(void) {
    enum { SECTIONS = 6, LEFT = 24, TOP = 56, HIGH = 150, SECTION = 44, SUMS = 380, THIN = 18 };
    begin_figure(WIDTH, 292, "Sections of columns, a column of partial sums for each");
    put_text(LEFT, 18, "t", "first launch");
    put_text(SUMS, 18, "t", "second launch");
    put_text(LEFT, 40, "v", "A, sections of 64 columns");
    put_text(SUMS, 40, "v", "partial sums");
    for (int s = 0; s < SECTIONS; s++) {
        char kind[3] = {'k', (char)('0' + s), '\0'};
        double from = LEFT + s * SECTION, to = SUMS + s * (THIN + 2);
        put_rect(from, TOP, SECTION - 2, HIGH, kind);
        put_rect(to, TOP, THIN, HIGH, kind);
        put_text(from + SECTION / 2.0 - 1, TOP + HIGH / 2.0, "v m", "%d", s);
        put_text(to + THIN / 2.0, TOP + HIGH / 2.0, "v m", "%d", s);
    }
    put_arrow(LEFT + SECTIONS * SECTION + 6, TOP + 75, SUMS - 6, TOP + 75);
    put_rect(570, TOP, THIN, HIGH, "k7");
    put_text(570 + THIN / 2.0, 40, "v m", "y");
    put_arrow(SUMS + SECTIONS * (THIN + 2) + 4, TOP + 75, 564, TOP + 75);
    put_text(LEFT, TOP + HIGH + 30, "v", "Each section stores its sums in a column of its own:");
    put_text(LEFT, TOP + HIGH + 48, "v", "no two blocks write to the same address.");
    put_text(LEFT, TOP + HIGH + 72, "v",
             "The columns are added in the order of their numbers: the same bits in every call.");
}

// ---- Few rows: the warp lies across the columns ----

void figure_draw_few_rows(void) {
    enum { ROWS = 16, COLUMNS = 8, CELL = 32, LOW = 14, TOP = 62, RIGHT = 350, EACH = 4 };
    begin_figure(WIDTH, TOP + ROWS * LOW + 24, "The lanes of a warp on 16 rows of A");
    for (int panel = 0; panel < 2; panel++) {
        double x = panel == 0 ? 24 : RIGHT;
        put_text(x, 18, "t", panel == 0 ? "a thread per row" : "4 lanes per column");
        put_text(x, 36, "v",
                 panel == 0 ? "16 lanes, 4 bytes each: 64 bytes"
                            : "32 lanes, 16 bytes each: 512 bytes");
        put_text(x, 53, "v", "of one load instruction; lane numbers");
        for (int at = 0; at < 2 * ROWS * COLUMNS; at++) { // all cells, then all numbers
            int r = at / COLUMNS % ROWS, c = at % COLUMNS;
            int lane = panel == 0 ? r : c * EACH + r / EACH;
            bool read = panel > 0 || c == 0, last = panel == 0 || r % EACH == EACH - 1;
            char kind[3] = {'k', (char)('0' + (panel == 0 ? 0 : lane % EACH)), '\0'};
            if (at < ROWS * COLUMNS)
                put_rect(x + c * CELL, TOP + r * LOW, CELL - 2, last ? LOW - 2 : LOW,
                         read ? kind : "cell");
            else if (read && last)
                put_text(x + (c + 0.5) * CELL - 1, TOP + r * LOW + (panel == 0 ? 10.5 : -12.0),
                         "v m", "%d", lane);
        }
    }
}
