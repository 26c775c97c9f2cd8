// Lab 14: a row's softmax in three tiles of two keys, which lane holds what of Q K^T and of P V,
// how keys and values lie in memory for their products, and the tiles that a block of queries
// meets. See figure.h. Scores and values are invented, what follows from them is computed; lanes
// are those of the simulator's own layout.
#include "figures/figure.h"
#include "program/program.h"

// ---- Six scores of a row, two per tile ----

enum { TILES = 3, KEYS = 2 };

static const double scores[TILES][KEYS] = {{1, 3}, {2, 5}, {4, 0}};
static const double values[TILES][KEYS] = {{2, 4}, {1, 3}, {6, 5}};

typedef struct tile_state {
    double most, factor, sum, out, part[KEYS];
} tile_state;

static tile_state next_tile(tile_state before, const double score[KEYS], const double value[KEYS]) {
    tile_state now = {.most = before.most};
    for (int j = 0; j < KEYS; j++) now.most = fmax(now.most, score[j]);
    now.factor = exp(before.most - now.most);
    now.sum = before.sum * now.factor;
    now.out = before.out * now.factor;
    for (int j = 0; j < KEYS; j++) {
        now.part[j] = exp(score[j] - now.most);
        now.sum += now.part[j];
        now.out += now.part[j] * value[j];
    }
    return now;
}

enum { ROWS = 7, ROW = 36, CELL = 66, TILE = 176, LEFT = 178, TOP = 44, HIGH = 26 };

static void put_cell(double x, int row, double width, const char *shape, double number) {
    put_rect(x, TOP + row * ROW, width, HIGH, shape);
    put_text(x + width / 2, TOP + row * ROW + 17, "v m", number == floor(number) ? "%.0f" : "%.3f",
             number);
}

static void draw_tile(int t, tile_state now) {
    double x = LEFT + t * TILE, both = 2 * CELL + 4;
    put_text(x + both / 2, TOP - 10, "t m", "tile %d", t);
    for (int j = 0; j < KEYS; j++) {
        double at = x + j * (CELL + 4);
        put_cell(at, 0, CELL, "cell", scores[t][j]);
        put_cell(at, 3, CELL, "k1", now.part[j]);
        put_cell(at, 5, CELL, "cell", values[t][j]);
    }
    put_cell(x, 1, both, "k0", now.most);
    put_cell(x, 2, both, now.factor == 1 ? "cell" : "k2", now.factor);
    put_cell(x, 4, both, "k0", now.sum);
    put_cell(x, 6, both, "k0", now.out);
    for (int row = 1; t > 0 && row < ROWS; row += row == 1 ? 3 : 2)
        put_arrow(x - TILE + both + 3, TOP + row * ROW + HIGH / 2.0, x - 4,
                  TOP + row * ROW + HIGH / 2.0);
}

void figure_draw_online_attention(void) {
    enum { WIDTH = 716 };
    static const char *const names[ROWS] = {
        "scores s",  "maximum m", "factor exp(m before - m)", "exponentials exp(s - m)",
        "their sum", "values v",  "output: sum of exp v"};
    tile_state now = {.most = -INFINITY};
    double height = TOP + ROWS * ROW + 26;
    begin_figure(
        WIDTH, height,
        "Online softmax of six scores in three tiles: maximum, factor, exponentials, sum and "
        "output after each tile");
    for (int r = 0; r < ROWS; r++) put_text(LEFT - 10, TOP + r * ROW + 17, "v e", "%s", names[r]);
    for (int t = 0; t < TILES; t++) {
        now = next_tile(now, scores[t], values[t]);
        draw_tile(t, now);
    }
    put_text(LEFT, height - 10, "t", "result: output / sum = %.3f / %.3f = %.3f", now.out, now.sum,
             now.out / now.sum);
}

// ---- The sums of Q K^T are the operand A of P V ----

enum { WIDE = 22, LOW = 15, ELEMENTS = 16 };

static const char *const colours[] = {"k0", "k1", "k2", "k3"};

static const sim_matrix product = {.m = 16,
                                   .n = 8,
                                   .k = 16,
                                   .a = SIM_ELEMENT_F16,
                                   .b = SIM_ELEMENT_F16,
                                   .c = SIM_ELEMENT_F32,
                                   .d = SIM_ELEMENT_F32};

static void put_element(double x, double y, sim_element_place at, uint32_t lane,
                        const char *shape) {
    put_rect(x + at.column * WIDE, y + at.row * LOW, WIDE - 1, LOW - 1, shape);
    put_text(x + at.column * WIDE + (WIDE - 1) / 2.0, y + at.row * LOW + 11, "v m", "%u", lane);
}

// The register of operand A in which `lane` holds the element at a place; 4: another lane has it.
static uint32_t register_of_a(uint32_t lane, sim_element_place place) {
    uint32_t registers = sim_matrix_registers(&product, SIM_MATRIX_A);
    for (uint32_t r = 0; r < registers; r++)
        for (uint32_t e = 0; e < 2; e++) {
            sim_element_place at = sim_matrix_place(&product, SIM_MATRIX_A, lane, r, e);
            if (at.row == place.row && at.column == place.column) return r;
        }
    return registers;
}

static int draw_sums(double x, double y) {
    int elsewhere = 0;
    uint32_t registers = sim_matrix_registers(&product, SIM_MATRIX_D);
    for (uint32_t tile = 0; tile < 2; tile++)
        for (uint32_t r = 0; r < registers; r++)
            for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
                sim_element_place at = sim_matrix_place(&product, SIM_MATRIX_D, lane, r, 0);
                at.column += tile * product.n;
                uint32_t word = register_of_a(lane, at);
                if (word == 4) elsewhere++;
                put_element(x, y, at, lane, word < 4 ? colours[word] : "bad");
            }
    return elsewhere;
}

static void draw_operand(double x, double y) {
    for (uint32_t r = 0; r < sim_matrix_registers(&product, SIM_MATRIX_A); r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            for (uint32_t e = 0; e < 2; e++)
                put_element(x, y, sim_matrix_place(&product, SIM_MATRIX_A, lane, r, e), lane,
                            colours[r]);
}

int figure_draw_kept_fragments(void) {
    enum { X = 8, OTHER = 420, Y = 30, SIDE = ELEMENTS * WIDE };
    double height = Y + ELEMENTS * LOW + 58, low = height - 40;
    begin_figure(OTHER + SIDE + 8, height,
                 "Lanes that hold the sums of Q K^T, and those that must hold operand A of P V: "
                 "the same");
    put_text(X, Y - 10, "t", "sums of Q K^T, two products of 8 keys");
    put_text(OTHER, Y - 10, "t", "operand A of P V, 16 keys");
    int elsewhere = draw_sums(X, Y);
    draw_operand(OTHER, Y);
    put_arrow(X + SIDE + 6, Y + 120, OTHER - 8, Y + 120);
    static const char *const made_of[] = {"left [0], [1]", "left [2], [3]", "right [0], [1]",
                                          "right [2], [3]"};
    for (int r = 0; r < 4; r++) {
        put_rect(X + r * 192, low, 18, 14, colours[r]);
        put_text(X + 24 + r * 192, low + 11, "v", "a[%d]: %s", r, made_of[r]);
    }
    put_text(X, height - 8, "v",
             "rows: queries; columns: keys; number: the lane; colour: its register of operand "
             "A. %s",
             elsewhere ? "Red: in another lane." : "No element changes its lane.");
    kl_paper_end(stdout);
    return elsewhere > 0;
}

// ---- Keys and values as they lie in memory, with the lanes that hold them as operand B ----

void figure_draw_value_fragments(void) {
    enum { X = 64, OTHER = 540, Y = 48 };
    begin_figure(OTHER + 8 * WIDE + 64, Y + ELEMENTS * LOW + 46,
                 "Lanes that hold operand B, drawn where it lies in memory: pairs of a row of K, "
                 "pairs of a column of V");
    put_text(X, 18, "t", "K: 8 keys, 16 of their elements");
    put_text(OTHER - 60, 18, "t", "V: 16 keys, 8 of their elements");
    for (uint32_t r = 0; r < sim_matrix_registers(&product, SIM_MATRIX_B); r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            for (uint32_t e = 0; e < 2; e++) {
                sim_element_place at = sim_matrix_place(&product, SIM_MATRIX_B, lane, r, e);
                put_element(OTHER, Y, at, lane, colours[r]);
                put_element(X, Y, (sim_element_place){at.column, at.row}, lane, colours[r]);
            }
    put_text(X, Y - 10, "v", "a row is a key, in memory from left to right");
    put_text(OTHER - 60, Y - 10, "v", "a row is a key, here too");
    put_text(X, Y + 8 * LOW + 24, "v", "the two halves of a register");
    put_text(X, Y + 8 * LOW + 40, "v", "are neighbours in memory:");
    put_text(X, Y + 8 * LOW + 56, "v", "ldmatrix");
    put_text(OTHER - 60, Y + ELEMENTS * LOW + 18, "v",
             "the two halves lie in two rows: ldmatrix .trans");
    put_text(OTHER - 60, Y + ELEMENTS * LOW + 36, "v", "(blue [0], green [1])");
}

// ---- Three launches with the scores in memory, and one ----

static void put_box(double x, double y, double width, double height, const char *shape,
                    const char *name) {
    put_rect(x, y, width, height, shape);
    put_text(x + width / 2, y + height / 2 + 4, "v m", "%s", name);
}

// Bytes of memory per query of a head with as many keys as queries: what is written and read of the
// scores and of the probabilities that take their place, and one row of each of Q, K, V and O.
static double score_bytes(int keys) { return 4.0 * sizeof(float) * keys; }

enum { HALF_BYTES = 2, WHOLE_WIDTH = 128, ROW_BYTES = 4 * WHOLE_WIDTH * HALF_BYTES };

static void draw_launches(void) {
    enum { X = 24, BOX = 150, GAP = 96, Y = 44, MEMORY = 128, ALL = 3 * BOX + 2 * GAP };
    static const char *const names[] = {"Q times K transposed", "softmax of rows", "times V"};
    static const char *const moved[] = {"4 n bytes", "4 n + 4 n", "4 n bytes"};
    put_box(X, MEMORY, ALL, 28, "cell", "device memory: n scores per query, then n probabilities");
    for (int i = 0; i < 3; i++) {
        double x = X + i * (BOX + GAP), middle = x + BOX / 2.0;
        put_box(x, Y, BOX, 40, "k0", names[i]);
        if (i < 2) put_arrow(middle + 20, Y + 44, middle + 20, MEMORY - 4);
        if (i > 0) put_arrow(middle - 20, MEMORY - 4, middle - 20, Y + 44);
        put_text(middle + (i < 2 ? 34 : -6), Y + 68, "v", "%s", moved[i]);
    }
}

void figure_draw_attention_launches(void) {
    enum { LEFT = 120, TOP_BARS = 204, LINE = 32, SPAN = 420 };
    static const int keys[] = {1024, 2048, 4096};
    begin_figure(716, TOP_BARS + 3 * LINE + 6,
                 "Bytes of memory per query: three launches with the scores in memory, and one");
    put_text(24, 22, "t", "three launches; n keys, scores are floats");
    draw_launches();
    put_text(24, TOP_BARS - 16, "t",
             "bytes per query: scores (orange); rows of Q, K, V and O, width %d (green)",
             WHOLE_WIDTH);
    for (int i = 0; i < 3; i++) {
        double y = TOP_BARS + i * LINE, all = score_bytes(keys[i]) + ROW_BYTES;
        double scale = SPAN / (score_bytes(keys[2]) + ROW_BYTES);
        put_text(LEFT - 10, y + 16, "v e", "n = %d", keys[i]);
        put_rect(LEFT, y, ROW_BYTES * scale, 22, "s1 area");
        put_rect(LEFT + ROW_BYTES * scale, y, score_bytes(keys[i]) * scale, 22, "k2");
        put_text(LEFT + all * scale + 8, y + 16, "v", "%.0f, not %d", all, ROW_BYTES);
    }
}

// ---- A block of queries, and the tiles that come by ----

void figure_draw_attention_tiles(void) {
    enum { Q = 24, S = 250, O = 560, T = 62, Y = 190 };
    begin_figure(712, 308,
                 "A block of queries meets a tile of keys, then the tile of their values");
    put_text(S, 22, "t", "K, transposed: tiles come by");
    for (int t = 0; t < 4; t++)
        put_box(S + t * (T + 4), 34, T, 106, t == 1 ? "k2" : "cell", "K tile");
    put_box(Q, Y, 106, T, "k0", "Q");
    put_text(Q, Y - 10, "t", "stays");
    put_arrow(Q + 112, Y + T / 2.0, S + T, Y + T / 2.0);
    put_arrow(S + T + 4 + T / 2.0, 144, S + T + 4 + T / 2.0, Y - 4);
    put_box(S + T + 4, Y, T, T, "k1", "S, P");
    put_text(S - 60, Y + T + 22, "v", "scores of one tile only, in registers:");
    put_text(S - 60, Y + T + 38, "v", "maximum, factor, exponentials, sum");
    put_box(O, Y, 106, T, "k0", "O");
    put_text(O, Y - 10, "t", "O = factor O + P V");
    put_arrow(S + 2 * T + 10, Y + T / 2.0, O - 6, Y + T / 2.0);
    for (int t = 0; t < 2; t++)
        put_box(O, 34 + t * (T - 8), 106, T - 12, t == 1 ? "k2" : "cell", "V tile");
    put_text(O, 22, "t", "V: the same keys");
    put_text(O, Y + T + 22, "v", "stays; at the end divided");
    put_text(O, Y + T + 38, "v", "by the sum");
}
