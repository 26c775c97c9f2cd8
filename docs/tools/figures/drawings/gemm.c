// Lab 07's deck: what a warp touches in matrices that lie by columns, how often an element is used,
// what a thread keeps in registers, the banks of step 6, copies that run ahead, equal shares,
// blocks of large tiles on the SMs, what exceeds whole tiles. See figure.h. Sectors and wavefronts
// are asked of the simulator's own rules.
#include "device/device.h"
#include "figures/figure.h"
#include "memory/access.h"
#include "stored/stored.h"

enum { LANES = SIM_ACCESS_LANES, FLOAT = 4, WIDTH = 600 };
#define ALL_LANES UINT32_MAX

// ---- What the lanes of steps 0 and 1 touch ----

typedef struct touch {
    const char *name;
    int row, column; // how far a lane's element is from its neighbour's, in rows and columns
} touch;

static void draw_touch(const touch *t, double x, double y, const char *verb) {
    enum { SHOWN = 12, CELL = 9, ROWS = 256 }; // ROWS: of the whole matrix
    uint64_t addresses[LANES];
    for (int l = 0; l < LANES; l++)
        addresses[l] = (uint64_t)(l * t->row + l * t->column * ROWS) * FLOAT;
    unsigned sectors = sim_access_sectors(addresses, ALL_LANES, FLOAT);
    for (int r = 0; r < SHOWN; r++)
        for (int c = 0; c < SHOWN; c++)
            put_rect(x + c * CELL, y + r * CELL, CELL - 1, CELL - 1, "cell");
    for (int l = 0; l < SHOWN; l++)
        put_rect(x + l * t->column * CELL, y + l * t->row * CELL, CELL - 1, CELL - 1,
                 sectors > 4 ? "bad" : "good");
    put_text(x, y - 6, "v", "%s: %s", t->name, verb);
    put_text(x, y + SHOWN * CELL + 13, "v", "%u sector%s per request", sectors,
             sectors == 1 ? "" : "s");
}

void figure_draw_gemm_sectors(void) {
    enum { PANEL = 173, LEFT = 66, PITCH = 180 };
    static const touch touches[2][3] = {{{"A", 0, 0}, {"B", 0, 1}, {"C", 0, 1}},
                                        {{"A", 1, 0}, {"B", 0, 0}, {"C", 1, 0}}};
    static const char *const verbs[] = {"loaded", "loaded", "stored"};
    static const char *const lanes[] = {"step 0: lane x has column x", "step 1: lane x has row x"};
    begin_figure(WIDTH, 2 * PANEL,
                 "Elements that the lanes of a warp touch in A, B and C, steps 0 and 1");
    for (int s = 0; s < 2; s++) {
        put_text(LEFT, s * PANEL + 16, "t", "%s (a column's elements are neighbours in memory)",
                 lanes[s]);
        for (int i = 0; i < 3; i++)
            draw_touch(&touches[s][i], LEFT + i * PITCH, s * PANEL + 42, verbs[i]);
    }
}

// ---- Rows of A and columns of B that a tile of C needs ----

void figure_draw_gemm_reuse(void) {
    enum { SIDE = 16, CELL = 9, TILE = 4, AT = 8, X = 190, Y = 188, GAP = 14 };
    double side = SIDE * CELL, tile = TILE * CELL, at = AT * CELL;
    begin_figure(WIDTH, Y + side + 8, "The rows of A and columns of B for a tile of C");
    put_rect(X - GAP - side, Y, side, side, "cell");
    put_rect(X, Y - GAP - side, side, side, "cell");
    put_rect(X, Y, side, side, "cell");
    put_rect(X - GAP - side, Y + at, side, tile, "k0");
    put_rect(X + at, Y - GAP - side, tile, side, "k1");
    put_rect(X - GAP - side + at, Y + at, tile, tile, "s0 area");
    put_rect(X + at, Y - GAP - side + at, tile, tile, "s1 area");
    put_rect(X + at, Y + at, tile, tile, "s2 area");
    put_text(X - GAP - side + 6, Y + 18, "t", "A");
    put_text(X + 6, Y - GAP - side + 18, "t", "B");
    put_text(X + 6, Y + 18, "t", "C");
    double text = X + side + 24;
    put_text(text, 60, "t", "a tile of T x T elements of C");
    put_text(text, 84, "v", "needs T rows of A, T columns of B");
    put_text(text, 104, "v", "dark: the tiles in shared memory");
    put_text(text, 124, "v", "each element serves T products");
    put_text(text, Y + 24, "t", "loads from memory per product");
    for (int t = 1, i = 0; t <= 128; t *= t == 1 ? 32 : 2, i++) {
        double length = 150.0 / t;
        put_text(text + 44, Y + 49 + i * 22, "v e", "T = %d", t);
        put_rect(text + 50, Y + 38 + i * 22, length, 14, t == 1 ? "bad" : "good");
        if (t == 1) put_text(text + 56 + length, Y + 49, "v", "2");
        else put_text(text + 56 + length, Y + 49 + i * 22, "v", "1 / %d", t / 2);
    }
}

// ---- The elements that a thread keeps, and what it loads for them ----

static void draw_outer(double x, double y, int rows, int columns, const char *name) {
    enum { CELL = 15, GAP = 5 };
    for (int r = 0; r < rows; r++) put_rect(x, y + r * CELL, CELL - 2, CELL - 2, "k0");
    for (int c = 0; c < columns; c++)
        put_rect(x + CELL + GAP + c * CELL, y - CELL - GAP, CELL - 2, CELL - 2, "k1");
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            put_rect(x + CELL + GAP + c * CELL, y + r * CELL, CELL - 2, CELL - 2, "k2");
    put_text(x, y + 8 * CELL + 16, "t", "%s", name);
    put_text(x, y + 8 * CELL + 34, "v", "%d + %d elements", rows, columns);
    put_text(x, y + 8 * CELL + 50, "v", "%d product%s", rows * columns,
             rows * columns == 1 ? "" : "s");
    put_text(x, y + 8 * CELL + 66, "v", "%.4g per product",
             (rows + columns) / (double)(rows * columns));
}

void figure_draw_gemm_registers(void) {
    begin_figure(WIDTH, 250, "Elements loaded and products per thread, three shapes");
    put_text(20, 18, "t",
             "a thread, for each p: column of A (blue), row of B (green), sums (orange)");
    draw_outer(24, 58, 1, 1, "steps 2 to 4");
    draw_outer(160, 58, 1, 8, "step 5");
    draw_outer(390, 58, 8, 8, "steps 8 to 10");
}

// ---- Step 7: a warp stores 32 rows of one p of b_tile[column][p] ----

// The words of the first rows in the banks, and those that the warp stores: column p of each row.
static void draw_padding(double x, int pitch, const char *name) {
    enum { ROWS = 8, CELL = 8, HIGH = 12, P = 3, TOP = 62 };
    uint64_t addresses[LANES];
    for (int l = 0; l < LANES; l++) addresses[l] = (uint64_t)(l * pitch + P) * FLOAT;
    uint32_t waves = sim_access_banks(addresses, ALL_LANES, FLOAT).wavefronts;
    put_text(x, 18, "t", "%s", name);
    put_text(x, 36, "v", "a warp stores p = %d of 32 columns:", P);
    put_text(x, 52, "v", "%u wavefront%s", waves, waves == 1 ? "" : "s");
    for (int word = 0; word < ROWS * LANES; word++) {
        int row = word / pitch, p = word % pitch;
        const char *shape = p == P ? "mark" : p >= LANES ? "ink" : row % 2 ? "k1" : "k0";
        put_rect(x + word % LANES * CELL, TOP + word / LANES * (HIGH + 2), CELL - 1, HIGH, shape);
    }
    put_text(x, TOP + ROWS * (HIGH + 2) + 14, "v", "bank 0");
    put_text(x + LANES * CELL, TOP + ROWS * (HIGH + 2) + 14, "v e", "bank 31");
}

void figure_draw_gemm_padding(void) {
    begin_figure(WIDTH, 210, "B's tile in the banks without and with two words of padding");
    draw_padding(24, LANES, "b_tile[64][32]");
    draw_padding(320, LANES + 2, "b_tile[64][32 + 2]");
    put_text(24, 204, "v",
             "blue, green: a column of B each; dark: padding; red: the words of one store");
}

// ---- The word of B's tile that each lane of a warp reads ----

static void draw_bank_row(double y, const char *name, int columns, int pitch, int bytes) {
    enum { LEFT = 130, CELL = 11 };
    int taken[LANES] = {0}, words = bytes / FLOAT;
    uint64_t addresses[LANES];
    for (int l = 0; l < LANES; l++) {
        int column = l * columns / LANES;
        addresses[l] = (uint64_t)(column * pitch) * FLOAT;
    }
    for (int c = 0; c < columns; c++)
        for (int w = 0; w < words; w++) taken[(c * pitch + w) % LANES]++;
    sim_bank_use counted = sim_access_banks(addresses, ALL_LANES, (unsigned)bytes);
    put_text(LEFT - 10, y + 12, "v e", "%s", name);
    for (int b = 0; b < LANES; b++) {
        const char *shape = taken[b] == 0 ? "cell" : taken[b] == 1 ? "good" : "bad";
        put_rect(LEFT + b * CELL, y, CELL - 1, 18, shape);
        if (taken[b] > 1) put_text(LEFT + b * CELL + CELL / 2.0, y + 13, "on m", "%d", taken[b]);
    }
    put_text(LEFT + LANES * CELL + 10, y + 12, "v", "%u wavefront%s", counted.wavefronts,
             counted.wavefronts == 1 ? "" : "s");
}

void figure_draw_gemm_banks(void) {
    begin_figure(WIDTH, 190, "Banks that a warp's load of B's tile touches, by step");
    put_text(130, 18, "t", "words per bank of one load of B's tile, banks 0 to 31");
    draw_bank_row(34, "1 column, 4 bytes", 1, 32, 4);
    draw_bank_row(64, "1 column, 16 bytes", 1, 32, 16);
    draw_bank_row(94, "8 columns, 16 bytes", 8, 32, 16);
    draw_bank_row(124, "8 columns, pitch 34", 8, 34, 8);
    draw_bank_row(154, "8 columns, pitch 36", 8, 36, 16);
}

// ---- Copies that run ahead of the products ----

void figure_draw_gemm_stages(void) {
    enum { TILES = 7, STAGES = 4, LEFT = 110, USE = 62, ROW = 30 };
    begin_figure(WIDTH, 70 + STAGES * ROW + 34,
                 "Four stages of shared memory: copied into, waiting, multiplied");
    put_text(LEFT, 18, "t", "four buffers; copies are three tiles ahead of the products");
    for (int s = 0; s < STAGES; s++) put_text(LEFT - 10, 34 + s * ROW + 16, "v e", "buffer %d", s);
    for (int t = 0; t < TILES; t++) {
        double y = 34 + t % STAGES * ROW, use = LEFT + t * USE, copy = use - (STAGES - 1) * USE;
        if (copy < LEFT) copy = LEFT;
        if (t > 0) {
            put_rect(copy, y, use - copy - 1, 22, "k2");
            if (use - copy > 50) put_text((copy + use) / 2, y + 15, "v m", "copy %d", t);
        }
        put_rect(use, y, USE - 2, 22, "k1");
        put_text(use + USE / 2.0, y + 15, "v m", "use %d", t);
    }
    put_arrow(LEFT, 44 + STAGES * ROW, LEFT + TILES * USE, 44 + STAGES * ROW);
    put_text(LEFT, 62 + STAGES * ROW, "v",
             "time: a copy has three tiles' products to arrive in, and passes no register");
}

// ---- The last wave of tiles, and equal shares along k ----

void figure_draw_gemm_shares(void) {
    enum { SMS = 6, TILES = 8, LEFT = 70, UNIT = 255, ROW = 22, PANEL = 172 };
    begin_figure(WIDTH, 2 * PANEL, "Eight tiles on six SMs: whole, and in equal shares");
    for (int panel = 0; panel < 2; panel++) {
        double top = panel * PANEL, share = TILES / (double)SMS;
        put_text(LEFT, top + 18, "t", "%s",
                 panel == 0 ? "8 tiles on 6 SMs: the second wave leaves 4 SMs idle"
                            : "the same steps along k in equal shares");
        for (int s = 0; s < SMS; s++) {
            double y = top + 28 + s * ROW, from = s * share, until = from + share, x = LEFT;
            put_text(LEFT - 8, y + 14, "v e", "SM %d", s);
            for (int t = 0; t < TILES; t++) {
                double low = from > t ? from : t, high = until < t + 1 ? until : t + 1;
                double part = panel == 0 ? (t % SMS == s) : high > low ? high - low : 0;
                char shape[] = "k0";
                if (part < 1e-9) continue;
                shape[1] = (char)('0' + t % KL_PAPER_KINDS);
                put_rect(x, y, part * UNIT - 2, ROW - 3, shape);
                put_text(x + part * UNIT / 2, y + 14, "v m", "%d", t);
                x += part * UNIT;
            }
        }
    }
}

// ---- Blocks of a small product on the SMs ----

static void draw_blocks(const sim_device *device, double x, int size, int tile) {
    enum { ACROSS = 12, CELL = 20, TOP = 44 };
    static const char *const shapes[] = {"cell", "k5", "k1"};
    unsigned side = (unsigned)((size + tile - 1) / tile), blocks = side * side, idle = 0;
    put_text(x, 20, "t", "%d x %d per block: %u blocks", tile, tile, blocks);
    for (unsigned sm = 0; sm < device->sm_count; sm++) {
        unsigned own = blocks / device->sm_count + (sm < blocks % device->sm_count);
        double left = x + sm % ACROSS * CELL, top = TOP + sm / ACROSS * (double)CELL;
        put_rect(left, top - 12, CELL - 2, CELL - 2, shapes[own > 2 ? 2 : own]);
        put_text(left + CELL / 2.0 - 1, top + 1, "n m", "%u", own);
        idle += own == 0;
    }
    put_text(x, TOP + 11 * CELL + 6, "v", "%u SMs without work", idle);
}

void figure_draw_gemm_blocks(void) {
    const sim_device *device = sim_device_find(card_id);
    enum { SIZE = 1000 };
    begin_figure(WIDTH, 284, "Blocks per SM of a product of 1000 x 1000, two sizes of tile");
    draw_blocks(device, 24, SIZE, 64);
    draw_blocks(device, 324, SIZE, 128);
}

// ---- One row and one column beyond whole tiles ----

static void draw_cover(double x, const char *title, bool alone, const char *text) {
    enum { DOWN = 4, ACROSS = 5, TALL = 34, WIDE = 40, TOP = 40 };
    put_text(x, 20, "t", "%s", title);
    for (int r = 0; r <= DOWN; r++)
        for (int c = 0; c <= ACROSS; c++) {
            bool edge = r == DOWN || c == ACROSS;
            double wide = alone && c == ACROSS ? 4 : WIDE - 2;
            double tall = alone && r == DOWN ? 4 : TALL - 2;
            if (alone && c == ACROSS && r < DOWN) tall = TALL; // one column, one row: unbroken
            if (alone && r == DOWN && c < ACROSS) wide = WIDE;
            put_rect(x + c * WIDE, TOP + r * TALL, wide, tall, edge ? "k2" : "k0");
        }
    put_rect(x - 1, TOP - 1, ACROSS * WIDE + 5, DOWN * TALL + 5, "frame");
    put_text(x, TOP + 5 * TALL + 22, "v", "%s", text);
}

void figure_draw_gemm_edges(void) {
    enum { SIZE = 4097, ROWS = 256, COLUMNS = 128 }; // of the large tiles
    double rows = (SIZE + ROWS - 1) / ROWS * (double)ROWS;
    double columns = (SIZE + COLUMNS - 1) / COLUMNS * (double)COLUMNS;
    char text[80];
    snprintf(text, sizeof text, "%d: %.1f %% more products than are needed", SIZE,
             100 * (rows * columns / ((double)SIZE * SIZE) - 1));
    begin_figure(WIDTH, 262, "C in whole tiles, and what exceeds them");
    draw_cover(24, "tiles everywhere", false, text);
    draw_cover(324, "whole tiles, the rest by itself", true,
               "the row and the column: matrix times vector");
    put_text(24, 252, "v", "frame: C; one row and one column are drawn wider than they are");
}
