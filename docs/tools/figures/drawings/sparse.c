// Lab 08's deck: four formats of a small matrix, what a warp loads from each, rows of different
// lengths in a warp, row blocks, and which step is the fastest for which matrix. See figure.h.
// Formats are converted and sectors counted here, from the one matrix and by the simulator's rule.
#include "figures/figure.h"
#include "measured.h"
#include "memory/access.h"

enum { LANES = SIM_ACCESS_LANES, FLOAT = 4, WIDTH = 600, ROWS = 4, COLUMNS = 6, CELL = 26 };
#define ALL_LANES UINT32_MAX

// The example of the slides "End to End CNN".
static const int dense[ROWS][COLUMNS] = {
    {10, 20, 0, 0, 0, 0}, {0, 30, 0, 40, 0, 0}, {0, 0, 50, 60, 70, 0}, {0, 0, 0, 0, 0, 80}};

static const char *of_row(int row) {
    static const char *const shapes[] = {"k0", "k1", "k2", "k3"};
    return shapes[row];
}

static void put_cell(double x, double y, const char *shape, int value, int blank) {
    put_rect(x, y, CELL - 2, CELL - 2, shape);
    if (!blank) put_text(x + CELL / 2.0 - 1, y + 16, "v m", "%d", value);
}

static void draw_dense(double x, double y) {
    put_text(x, y - 8, "t", "4 x 6, 8 entries");
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            put_cell(x + c * CELL, y + r * CELL, dense[r][c] ? of_row(r) : "cell", dense[r][c],
                     dense[r][c] == 0);
}

// An array of the entries in order of rows: which 0: row, 1: column, 2: value.
static void draw_entries(double x, double y, const char *name, int which) {
    int at = 0;
    put_text(x - 8, y + 16, "v e", "%s", name);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            if (dense[r][c])
                put_cell(x + at++ * CELL, y, of_row(r),
                         which == 0   ? r
                         : which == 1 ? c
                                      : dense[r][c],
                         0);
}

static void draw_csr(double x, double y, int with_rows) {
    int ptr = 0;
    if (with_rows) {
        draw_entries(x, y, "row", 0);
    } else {
        put_text(x - 8, y + 16, "v e", "ptr");
        for (int r = 0; r <= ROWS; r++) {
            put_cell(x + r * CELL, y, r < ROWS ? of_row(r) : "k6", ptr, 0);
            for (int c = 0; r < ROWS && c < COLUMNS; c++) ptr += dense[r][c] != 0;
        }
    }
    draw_entries(x, y + 40, "col", 1);
    draw_entries(x, y + 80, "val", 2);
}

// Column e of the padded rows, for all rows; then the next one.
static void draw_ell(double x, double y) {
    enum { LONGEST = 3 };
    for (int which = 1; which <= 2; which++) {
        double top = y + (which - 1) * 66;
        put_text(x - 8, top + 16, "v e", which == 1 ? "col" : "val");
        for (int r = 0; r < ROWS; r++) {
            int e = 0;
            for (int c = 0; c < COLUMNS; c++) {
                if (!dense[r][c]) continue;
                put_cell(x + (e * ROWS + r) * CELL, top, of_row(r), which == 1 ? c : dense[r][c],
                         0);
                e++;
            }
            for (; e < LONGEST; e++) put_cell(x + (e * ROWS + r) * CELL, top, "cell", 0, 1);
        }
    }
    for (int e = 0; e < LONGEST; e++) put_text(x + e * ROWS * CELL, y + 112, "v", "entry %d", e);
}

static void draw_dia(double x, double y) {
    enum { DIAGONALS = 3 };
    put_text(x - 8, y + 16, "v e", "val");
    for (int d = 0; d < DIAGONALS; d++) {
        put_text(x + d * ROWS * CELL, y + 46, "v", "diagonal %d", d);
        for (int r = 0; r < ROWS; r++) {
            int c = r + d, inside = c < COLUMNS && dense[r][c] != 0;
            put_cell(x + (d * ROWS + r) * CELL, y, inside ? of_row(r) : "cell",
                     inside ? dense[r][c] : 0, !inside);
        }
    }
    put_text(x - 8, y + 86, "v e", "offset");
    for (int d = 0; d < DIAGONALS; d++) put_cell(x + d * CELL, y + 70, "k6", d, 0);
}

int figure_draw_format(const char *name) {
    enum { X = 262, Y = 44 };
    begin_figure(WIDTH, 176, "A small matrix and its arrays in a sparse format");
    draw_dense(16, Y);
    if (strcmp(name, "dia") == 0) draw_dia(X, Y);
    else if (strcmp(name, "ell") == 0) draw_ell(X, Y);
    else draw_csr(X, Y, strcmp(name, "coo") == 0);
    put_text(X, Y - 12, "t", "%s",
             strcmp(name, "dia") == 0   ? "DIA: diagonals, by rows; no columns stored"
             : strcmp(name, "ell") == 0 ? "ELL: rows padded to the longest, entry by entry"
             : strcmp(name, "coo") == 0 ? "COO: each entry says where it is"
                                        : "CSR: where each row begins");
    kl_paper_end(stdout);
    return 0;
}

// ---- What one load of val touches, rows of five entries ----

void figure_draw_sparse_loads(void) {
    enum { LENGTH = 5, LEFT = 150, UNIT = 15, SHOWN = 20, ROW = 44, COUNT = 4 };
    static const struct {
        const char *text;
        int stride, lanes;
    } loads[COUNT] = {{"4 scalar: lane, row", LENGTH, LANES},
                      {"2 ELL: lane, row", 1, LANES},
                      {"5 vector: warp, row", 1, LENGTH},
                      {"6, 8: entries in order", 1, LANES}};
    begin_figure(WIDTH, 40 + COUNT * ROW,
                 "Sectors that one load of values touches, by kernel, rows of five entries");
    put_text(LEFT, 18, "t", "sectors of one load of val, rows of 5 entries");
    for (int i = 0; i < COUNT; i++) {
        uint64_t addresses[LANES] = {0};
        double y = 34 + i * ROW;
        unsigned used = 0;
        uint32_t lanes = loads[i].lanes == LANES ? ALL_LANES : (1u << loads[i].lanes) - 1;
        for (int l = 0; l < loads[i].lanes; l++) addresses[l] = (uint64_t)(l * loads[i].stride) * 4;
        unsigned sectors = sim_access_sectors(addresses, lanes, FLOAT);
        for (int l = 0; l < loads[i].lanes; l++) used += FLOAT;
        put_text(LEFT - 8, y + 17, "v e", "%s", loads[i].text);
        for (int s = 0; s < SHOWN; s++)
            put_rect(LEFT + s * UNIT, y, UNIT - 2, 26,
                     s < (int)sectors ? i == 0 ? "bad" : "good" : "cell");
        put_text(LEFT + SHOWN * UNIT + 8, y + 11, "v", "%u sector%s", sectors,
                 sectors == 1 ? "" : "s");
        put_text(LEFT + SHOWN * UNIT + 8, y + 25, "v", "%u of %u bytes", used, sectors * 32);
    }
}

// ---- Rows of a warp, one per lane ----

static int alike(int lane) {
    (void)lane;
    return 5;
}
static int mixed(int lane) { return 3 + lane * 7 % 5; }
static int few_long(int lane) {
    return lane == 11 ? 24 : lane == 20 ? 13 : lane % 8 == 3 ? 5 : lane % 3;
}

void figure_draw_sparse_rows(void) {
    enum { COUNT = 3, PANEL = 200, CELLS = 24, UNIT = 11, ROW = 9, TOP = 46 };
    static const struct {
        int (*length)(int lane);
        const char *text;
    } rows[COUNT] = {{alike, "stencil"}, {mixed, "lengths 3 to 7"}, {few_long, "power law"}};
    begin_figure(WIDTH, TOP + LANES * ROW + 8, "Entries of the rows of a warp's lanes");
    for (int i = 0; i < COUNT; i++) {
        double x = 8 + i * PANEL;
        int most = 0, all = 0;
        for (int l = 0; l < LANES; l++) {
            int length = rows[i].length(l);
            most = length > most ? length : most;
            all += length;
        }
        double unit = most > 16 ? 180.0 / CELLS : UNIT;
        put_text(x, 16, "t", "%s", rows[i].text);
        put_text(x, 34, "v", "%d iterations, %.0f %% of lanes busy", most,
                 100.0 * all / (most * LANES));
        for (int l = 0; l < LANES; l++)
            for (int e = 0; e < most; e++)
                put_rect(x + e * unit, TOP + l * ROW, unit - 1, ROW - 1,
                         e < rows[i].length(l) ? "good" : "cell");
    }
}

// ---- Row blocks of bounded size ----

void figure_draw_row_blocks(void) {
    enum { COUNT = 11, CAPACITY = 12, PIECE = 16, UNIT = 9, LEFT = 120, ROW = 25 };
    static const int lengths[COUNT] = {3, 5, 0, 2, 4, 7, 1, 12, 38, 2, 6};
    int used = 0, block = 0;
    begin_figure(WIDTH, 44 + COUNT * ROW, "Rows dealt to row blocks of at most 12 entries");
    put_text(LEFT, 18, "t", "rows in order, room for %d entries; huge rows in pieces", CAPACITY);
    for (int r = 0; r < COUNT; r++) {
        double y = 32 + r * ROW;
        char shape[] = "k0";
        if (r > 0 && used + lengths[r] > CAPACITY) {
            block++;
            used = 0;
        }
        put_text(LEFT - 8, y + 14, "v e", "row %d: %d", r, lengths[r]);
        int pieces = lengths[r] > CAPACITY ? (lengths[r] + PIECE - 1) / PIECE : 1;
        for (int p = 0; p < pieces; p++) {
            int first = p * PIECE, count = pieces == 1 ? lengths[r] : lengths[r] - first;
            count = pieces > 1 && count > PIECE ? PIECE : count;
            block += p > 0;
            shape[1] = (char)('0' + block % KL_PAPER_KINDS);
            for (int e = 0; e < count; e++)
                put_rect(LEFT + (first + e) * UNIT, y, UNIT - 1, ROW - 6, shape);
        }
        double end = LEFT + lengths[r] * UNIT + 8;
        if (pieces == 1) put_text(end, y + 14, "v", "block %d", block);
        else put_text(end, y + 14, "v", "blocks %d to %d", block + 1 - pieces, block);
        used += lengths[r];
    }
}

// ---- Every step's rate as a share of the best, by matrix ----

enum { LAST_STEP = 9 };

static double fastest_us(const json_t *run, const char *family, long long size) {
    double best = INFINITY;
    for (int s = 1; s <= LAST_STEP; s++) {
        double time = measured_time_us(run, s, family, size);
        if (time > 0) best = fmin(best, time);
    }
    return best;
}

// Which step is the fastest one for which matrix. False after a message.
static bool say_contest(const json_t *run, int count, char *const *cases, figure_words *words) {
    figure_say(words, "Rate of each step as a share of the fastest step, by matrix, %s",
               measured_device(run));
    for (int i = 0; i < count; i++) {
        char family[64];
        long long size = 0;
        if (sscanf(cases[i], "%63[^:]:%lld", family, &size) != 2) {
            fprintf(stderr, "ladder-docs figure: %s: expected a case as NAME:SIZE\n", cases[i]);
            return false;
        }
        for (int s = 1; s <= LAST_STEP; s++)
            if (measured_time_us(run, s, family, size) == fastest_us(run, family, size))
                figure_say(words, i == 0 ? "; fastest: step %d (%s)" : ", step %d (%s)", s, family);
    }
    return true;
}

int figure_draw_contest(const json_t *run, int count, char *const *cases) {
    enum { LEFT = 120, CELL_WIDTH = 52, ROW = 30, TOP = 44, FULL = 100 };
    figure_words words = {.length = 0};
    if (!say_contest(run, count, cases, &words)) return 1;
    begin_figure(LEFT + LAST_STEP * CELL_WIDTH + 8, TOP + count * ROW + 4, words.text);
    put_text(LEFT, 16, "t", "rate, %% of the fastest step's; columns: steps");
    for (int s = 1; s <= LAST_STEP; s++)
        put_text(LEFT + (s - 0.5) * CELL_WIDTH, TOP - 8, "v m", "%d", s);
    for (int i = 0; i < count; i++) {
        char family[64];
        long long size = 0;
        double y = TOP + i * ROW;
        if (sscanf(cases[i], "%63[^:]:%lld", family, &size) != 2) return 1;
        double best = fastest_us(run, family, size);
        put_text(LEFT - 8, y + 18, "v e", "%s", family);
        for (int s = 1; s <= LAST_STEP; s++) {
            double time = measured_time_us(run, s, family, size), share = FULL * best / time;
            double x = LEFT + (s - 1) * CELL_WIDTH;
            const char *shape = !(time > 0)   ? "cell"
                                : share >= 90 ? "k1"
                                : share >= 50 ? "k0"
                                              : "k2";
            put_rect(x, y, CELL_WIDTH - 2, ROW - 3, shape);
            if (time > 0) put_text(x + CELL_WIDTH / 2.0 - 1, y + 18, "v m", "%.0f", share);
        }
    }
    kl_paper_end(stdout);
    return 0;
}
