// Lab 10's deck: how a warp counts the equal weights before each, a step of descent with a mask,
// how
// a mask becomes CSR, and which lane has which product in steps 5 and 6. See figure.h. Weights and
// masks are invented; ranks, counts, entries and new weights are computed from them by the lab's
// rules.
#include "figures/figure.h"
#include "program/program.h"

enum { WIDTH = 600 };

// ---- A ballot: which of the equal weights stay ----

enum { SHOWN = 16, LEFT = 138, UNIT = 28, BOX = 24 };

static void put_label(double y, const char *text) {
    put_text(LEFT - 10, y + 16, "v e", "%s", text);
}

static void put_cell(int lane, double y, const char *shape, int number) {
    put_rect(LEFT + lane * UNIT, y, BOX, BOX, shape);
    put_text(LEFT + lane * UNIT + BOX / 2.0, y + 16, "v m", "%d", number);
}

void figure_draw_ballot(void) {
    enum { LIMIT = 5, STAY = 4, BEFORE = 1 };
    static const int magnitude[SHOWN] = {2, 5, 7, 5, 1, 0, 9, 5, 3, 5, 8, 4, 5, 1, 6, 5};
    int rank = BEFORE;
    begin_figure(WIDTH, 230, "The ballot of a warp: ranks of equal weights and the mask");
    put_text(8, 20, "t",
             "limit %d, of all equal weights %d stay, %d lies before this segment (%d of 32 "
             "lanes shown)",
             LIMIT, STAY, BEFORE, SHOWN);
    put_label(36, "magnitude");
    put_label(76, "ballot: equal?");
    put_label(116, "rank");
    put_label(156, "mask");
    for (int lane = 0; lane < SHOWN; lane++) {
        bool equal = magnitude[lane] == LIMIT, larger = magnitude[lane] > LIMIT;
        bool stays = larger || (equal && rank < STAY);
        put_cell(lane, 36, larger ? "k1" : equal ? "k2" : "cell", magnitude[lane]);
        put_cell(lane, 76, equal ? "k2" : "cell", equal);
        if (equal) put_cell(lane, 116, "k2", rank++);
        put_cell(lane, 156, stays ? "k1" : "cell", stays);
    }
    put_text(8, 204, "v",
             "rank: the equal weights before this one. __popc counts the ballot's bits below "
             "the own lane.");
    put_text(8, 221, "v",
             "Larger weights stay (green), equal ones if the rank is "
             "below %d.",
             STAY);
}

// ---- One step of descent: what is pruned stays at 0 ----

static void put_number(int lane, double y, const char *shape, double number) {
    enum { PITCH = 56, WIDE = 50 };
    put_rect(LEFT + lane * PITCH, y, WIDE, BOX, shape);
    put_text(LEFT + lane * PITCH + WIDE / 2.0, y + 16, "v m", "%.3g", number);
}

void figure_draw_masked_descent(void) {
    enum { WEIGHTS = 8, ROW = 38, TOP = 34 };
    static const double weight[WEIGHTS] = {0.5, 0, -0.4, 0.7, 0, 0, -0.6, 0};
    static const double gradient[WEIGHTS] = {0.2, -0.9, 0.1, 0, 0.4, -0.1, -0.3, 0.8};
    static const double velocity[WEIGHTS] = {0.1, 0, 0.2, -0.1, 0, 0, 0.1, 0};
    const double rate = 0.1, momentum = 0.9;
    begin_figure(WIDTH, TOP + 6 * ROW + 18, "A step of descent with a mask");
    put_text(8, 18, "t", "rate %.1f, momentum %.1f; grey: pruned", rate, momentum);
    put_label(TOP, "weight");
    put_label(TOP + ROW, "mask");
    put_label(TOP + 2 * ROW, "velocity");
    put_label(TOP + 3 * ROW, "gradient");
    put_label(TOP + 4 * ROW, "new velocity");
    put_label(TOP + 5 * ROW, "new weight");
    for (int i = 0; i < WEIGHTS; i++) {
        bool stays = weight[i] != 0;
        const char *shape = stays ? "k0" : "cell";
        double next = stays ? momentum * velocity[i] + gradient[i] : 0;
        put_number(i, TOP, shape, weight[i]);
        put_number(i, TOP + ROW, shape, stays);
        put_number(i, TOP + 2 * ROW, shape, velocity[i]);
        put_number(i, TOP + 3 * ROW, stays ? "k0" : "k2", gradient[i]);
        put_number(i, TOP + 4 * ROW, stays ? "k1" : "cell", next);
        put_number(i, TOP + 5 * ROW, stays ? "k1" : "cell", stays ? weight[i] - rate * next : 0);
    }
    put_text(8, TOP + 6 * ROW + 10, "v",
             "orange: a gradient that is not 0; without the mask the weight would come back");
}

// ---- From the mask to CSR: count, add up, fill ----

void figure_draw_compaction(void) {
    enum { ROWS = 4, COLUMNS = 12, CELL = 20, TOP = 40, X = 62, STRIP = 172, ENTRY = 27 };
    static const char *const mask[ROWS] = {"010010000100", "000000000000", "110000100011",
                                           "000100000010"};
    static const char *const kinds[ROWS] = {"k0", "k3", "k1", "k2"};
    int entries = 0;
    begin_figure(WIDTH, 240, "A mask becomes CSR: counts of rows, their sums, entries");
    put_text(X, 20, "t", "mask");
    put_text(350, 20, "t", "1. count");
    put_text(450, 20, "t", "2. add up: ptr");
    put_text(X, STRIP - 12, "t", "3. fill: col (and val)");
    for (int r = 0; r < ROWS; r++) {
        int count = 0;
        put_text(X - 10, TOP + r * CELL + 14, "v e", "row %d", r);
        for (int c = 0; c < COLUMNS; c++) {
            bool stays = mask[r][c] == '1';
            put_rect(X + c * CELL, TOP + r * CELL, CELL - 2, CELL - 2, stays ? kinds[r] : "cell");
            if (!stays) continue;
            double x = X + (entries + count) * ENTRY;
            put_text(X + c * CELL + CELL / 2.0 - 1, TOP + r * CELL + 13, "v m", "%d", c);
            put_rect(x, STRIP, ENTRY - 2, ENTRY - 2, kinds[r]);
            put_text(x + ENTRY / 2.0 - 1, STRIP + 17, "v m", "%d", c);
            count++;
        }
        put_text(372, TOP + r * CELL + 14, "v m", "%d", count);
        put_text(490, TOP + r * CELL + 14, "v m", "%d", entries);
        entries += count;
    }
    put_text(490, TOP + ROWS * CELL + 14, "v m", "%d", entries);
    put_text(X, STRIP + ENTRY + 22, "v",
             "an entry goes to ptr[row] + the entries before it in its row: no atomics, no "
             "sorting");
}

// ---- Lanes on entries, and lanes on images ----

static void draw_products(double x, const char *title, bool on_images, const char *first,
                          const char *second) {
    enum { ENTRIES = 5, IMAGES = 8, CELL = 24, TOP = 70 };
    static const int column[ENTRIES] = {3, 4, 9, 17, 30};
    static const char *const warps[IMAGES] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"};
    put_text(x, 20, "t", "%s", title);
    put_text(x + 46, 50, "v", "images 0 to %d", IMAGES - 1);
    for (int e = 0; e < ENTRIES; e++) {
        put_text(x + 38, TOP + e * CELL + 15, "v e", "col %d", column[e]);
        for (int n = 0; n < IMAGES; n++) {
            double left = x + 46 + n * CELL, top = TOP + e * CELL;
            put_rect(left, top, CELL - 2, CELL - 2, on_images ? "k0" : warps[n]);
            put_text(left + CELL / 2.0 - 1, top + 15, "v m", "%d", on_images ? n : e);
        }
    }
    put_text(x, TOP + ENTRIES * CELL + 20, "v", "%s", first);
    put_text(x, TOP + ENTRIES * CELL + 38, "v", "%s", second);
}

void figure_draw_batch_lanes(void) {
    begin_figure(WIDTH, 258, "Products of a row and some images, by warp and lane");
    draw_products(16, "step 5: a warp per image", false, "each warp loads all entries; its lanes",
                  "read x of rows that lie far apart");
    draw_products(316, "step 6: one warp for all", true, "an entry is loaded once; the lanes",
                  "read neighbours of one row of x");
    put_text(16, 252, "v", "number: the lane; colour: the warp. x is stored as [inputs][images]");
}

// Lab 13's deck: which lane holds what of the factors and sums of mma.m16n8k16, as the
// simulator's own layout has it, and the rows of a swizzled tile in the banks, as step 4 places
// them.

enum { WIDE = 22, HIGH = 15, TOP = 36 };

static const char *const colours[] = {"k0", "k1", "k2", "k3"};

// A part of the product: each element has the number of its lane and the colour of its register.
static void draw_part(const sim_matrix *matrix, sim_matrix_part part, double x, double y,
                      const char *title) {
    uint32_t pack = sim_element_pack(sim_matrix_element(matrix, part));
    uint32_t registers = sim_matrix_registers(matrix, part);
    put_text(x, y - 8, "t", "%s", title);
    for (uint32_t r = 0; r < registers; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            for (uint32_t e = 0; e < pack; e++) {
                sim_element_place at = sim_matrix_place(matrix, part, lane, r, e);
                double left = x + at.column * WIDE, top = y + at.row * HIGH;
                put_rect(left, top, WIDE - 1, HIGH - 1, colours[r]);
                put_text(left + (WIDE - 1) / 2.0, top + 11, "v m", "%u", lane);
            }
}

void figure_draw_fragments(void) {
    const sim_matrix matrix = {.m = 16,
                               .n = 8,
                               .k = 16,
                               .a = SIM_ELEMENT_F16,
                               .b = SIM_ELEMENT_F16,
                               .c = SIM_ELEMENT_F32,
                               .d = SIM_ELEMENT_F32};
    enum { WIDTH = 780, B_LEFT = 392, D_LEFT = 594 };
    double height = TOP + 16 * HIGH + 36;
    begin_figure(WIDTH, height, "Lanes that hold the elements of mma.m16n8k16");
    draw_part(&matrix, SIM_MATRIX_A, 16, TOP, "A, 16 x 16");
    draw_part(&matrix, SIM_MATRIX_B, B_LEFT, TOP, "B, 16 x 8");
    draw_part(&matrix, SIM_MATRIX_D, D_LEFT, TOP, "sums, 16 x 8");
    put_text(16, height - 13, "t", "number: the lane; colour: its register");
    for (int r = 0; r < 4; r++) {
        put_rect(300 + r * 70, height - 26, 20, 16, colours[r]);
        put_text(326 + r * 70, height - 13, "t", "[%d]", r);
    }
}

// Step 4's place of a chunk; rows of 64 bytes, two of which fill the banks.
static int place_of(int row, int chunk) { return chunk ^ row / 2 % 4; }

static void draw_rows(double x, const char *title, bool swizzled) {
    enum { ROWS = 8, CHUNKS = 4, BANKS = 40, LINE = 26, LEFT = 46 };
    put_text(x + LEFT, 20, "t", "%s", title);
    for (int g = 0; g < 8; g++)
        put_text(x + LEFT + g * BANKS + BANKS / 2.0, TOP, "v m", "%d..%d", 4 * g, 4 * g + 3);
    for (int row = 0; row < ROWS; row++) {
        double y = TOP + 12 + row / 2 * LINE;
        if (row % 2 == 0) put_text(x + LEFT - 10, y + 17, "v e", "%d, %d", row, row + 1);
        for (int c = 0; c < CHUNKS; c++) {
            int place = (swizzled ? place_of(row, c) : c) + row % 2 * CHUNKS;
            put_rect(x + LEFT + place * BANKS, y, BANKS - 2, LINE - 2, c == 0 ? "k1" : "cell");
            put_text(x + LEFT + place * BANKS + BANKS / 2.0 - 1, y + 17, "v m", "%d", c);
        }
    }
}

void figure_draw_swizzled_rows(void) {
    enum { WIDTH = 776 };
    begin_figure(WIDTH, 220, "Chunks of eight rows in the banks, without and with a swizzle");
    draw_rows(6, "as they come: chunk 0 in eight banks", false);
    draw_rows(396, "swizzled: in all 32", true);
    put_text(16, 188, "v",
             "columns: banks; lines: two rows of 64 bytes; number: the chunk of 16 bytes");
    put_text(16, 206, "v", "green: what one 8 x 8 matrix is read from");
}
