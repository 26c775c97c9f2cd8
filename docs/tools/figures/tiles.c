// The tiles of a block, a warp and a thread (ladder.tiles/1), a row of panels a step. See figure.h.
// Every rectangle follows from the threads that the file names; it must not know a step's tile
// sizes.
#include "figures/figure.h"

enum {
    LANES = 32,
    TILE_MOST = 256,
    PANEL = 152, // side of a panel's square
    PITCH = 190, // from one panel to the next
    LEFT = 22,
    TOP = 46,
    ROW_HEIGHT = TOP + PANEL + 46,
    PANELS = 4,
    SHOWN_ROWS = 32 // at most, of a warp
};

// One side of a tile: the part of a thread's number that each row (or column) stands for.
typedef struct side {
    int thread[TILE_MOST];
    int count;
} side;

typedef struct tiles {
    const char *name;
    long long step, matrix_rows, matrix_columns;
    side rows, columns;
} tiles;

static bool read_side(const json_t *list, side *out) {
    out->count = (int)json_array_size(list);
    if (out->count == 0 || out->count > TILE_MOST) return false;
    for (int i = 0; i < out->count; i++)
        out->thread[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
    return true;
}

static int most_lane(const side *s) {
    int most = 0;
    for (int i = 0; i < s->count; i++)
        if (s->thread[i] % LANES > most) most = s->thread[i] % LANES;
    return most;
}

static int count_equal(const side *s, int divisor) {
    int count = 0;
    for (int i = 0; i < s->count; i++) count += s->thread[i] / divisor == 0;
    return count;
}

// Of how many different values a side's threads are.
static int count_values(const side *s, int divisor) {
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        bool first = true;
        for (int k = 0; k < i; k++)
            first = first && s->thread[k] / divisor != s->thread[i] / divisor;
        count += first;
    }
    return count;
}

// Finer than kl_paper_rect: a cell may be less than a pixel wide.
static void put_fine_rect(double x, double y, double width, double height, const char *shape) {
    printf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"%s\"/>", x, y, width,
           height, shape);
}

static void put_frame(double x, double y) { put_rect(x, y, PANEL, PANEL, "frame"); }

// The end of the run of places that begins at `at` and have the same value.
static int run_end(const int *values, int count, int at) {
    int end = at + 1;
    while (end < count && values[end] == values[at]) end++;
    return end;
}

// Rectangles of equal sums of a row's and a column's value, coloured by the sum, over a whole
// panel; numbers in those that have room.
static void draw_runs(double x, double y, const int *rows, int row_count, const int *columns,
                      int column_count) {
    double height = (double)PANEL / row_count, width = (double)PANEL / column_count;
    for (int j = 0, j_end = 0; j < column_count; j = j_end) {
        j_end = run_end(columns, column_count, j);
        for (int i = 0, i_end = 0; i < row_count; i = i_end) {
            i_end = run_end(rows, row_count, i);
            int value = rows[i] + columns[j];
            double w = (j_end - j) * width, h = (i_end - i) * height;
            char shape[] = "k0";
            shape[1] = (char)('0' + value % KL_PAPER_KINDS);
            put_fine_rect(x + j * width, y + i * height, w, h, shape);
            fputc('\n', stdout);
            if (w >= 14 && h >= 9.4)
                put_text(x + j * width + w / 2, y + i * height + h / 2 + 4, "v m", "%d", value);
        }
    }
}

// Global memory: C with the first block's tile, the rows of A and the columns of B that it reads.
static void draw_matrix(const tiles *t, double x, double y) {
    double height = (double)PANEL * t->rows.count / (double)t->matrix_rows;
    double width = (double)PANEL * t->columns.count / (double)t->matrix_columns;
    put_fine_rect(x - 9, y, 6, height, "k2");
    put_fine_rect(x, y - 9, width, 6, "k2");
    put_fine_rect(x, y, width, height, "k2");
    for (double at = width; at < PANEL - 0.5; at += width)
        put_line(x + at, y, x + at, y + PANEL, "grid");
    for (double at = height; at < PANEL - 0.5; at += height)
        put_line(x, y + at, x + PANEL, y + at, "grid");
    put_text(x - 20, y + 10, "v", "A");
    put_text(x + PANEL - 10, y - 3, "v", "B");
}

// Shared memory: the tile's warps, and the elements of thread 0 in red.
static void draw_block(const tiles *t, double x, double y) {
    int rows[TILE_MOST], columns[TILE_MOST];
    double height = (double)PANEL / t->rows.count, width = (double)PANEL / t->columns.count;
    for (int i = 0; i < t->rows.count; i++) rows[i] = t->rows.thread[i] / LANES;
    for (int j = 0; j < t->columns.count; j++) columns[j] = t->columns.thread[j] / LANES;
    draw_runs(x, y, rows, t->rows.count, columns, t->columns.count);
    for (int j = 0; j < t->columns.count; j++) {
        for (int i = 0; i < t->rows.count; i++)
            if (t->rows.thread[i] + t->columns.thread[j] == 0)
                put_fine_rect(x + j * width, y + i * height, width, height, "mark");
    }
}

// A warp whose elements change hands with every row has too many stripes to be told apart.
static bool draws_all(const tiles *t) {
    return count_equal(&t->rows, LANES) <= SHOWN_ROWS ||
           run_end(t->rows.thread, t->rows.count, 0) > 1;
}

// The elements of warp 0, pushed together, by lane.
static void draw_warp(const tiles *t, double x, double y) {
    int rows[TILE_MOST], columns[TILE_MOST], row_count = 0, column_count = 0;
    for (int i = 0; i < t->rows.count; i++)
        if (t->rows.thread[i] < LANES) rows[row_count++] = t->rows.thread[i];
    for (int j = 0; j < t->columns.count; j++)
        if (t->columns.thread[j] < LANES) columns[column_count++] = t->columns.thread[j];
    draw_runs(x, y, rows, draws_all(t) ? row_count : SHOWN_ROWS, columns, column_count);
}

// Registers: what thread 0 loads for each p, and its products.
static void draw_thread(double x, double y, int rows, int columns) {
    enum { CELL = 15, GAP = 6 };
    for (int i = 0; i < rows; i++)
        put_fine_rect(x, y + CELL + GAP + i * CELL, CELL - 2, CELL - 2, "k2");
    for (int j = 0; j < columns; j++)
        put_fine_rect(x + CELL + GAP + j * CELL, y, CELL - 2, CELL - 2, "k0");
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < rows; i++)
            put_fine_rect(x + CELL + GAP + j * CELL, y + CELL + GAP + i * CELL, CELL - 2, CELL - 2,
                          "ink");
    }
}

// Two lines below a panel.
static void put_caption(double x, double y, const char *first, const char *second) {
    put_text(x, y + PANEL + 15, "v", "%s", first);
    put_text(x, y + PANEL + 29, "v", "%s", second);
}

// What the colours mean, right of the title.
static void put_key(double y) {
    static const struct {
        const char *shapes[2], *text;
        int x;
    } keys[] = {{{"k2", "k2"}, "A, C of a block or thread", 206},
                {{"k0", "k0"}, "B of a thread", 388},
                {{"k0", "k1"}, "a warp each; a lane each", 494},
                {{"ink", "ink"}, "products", 676}};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) put_rect(keys[i].x + k * 7, y + 12, 7, 12, keys[i].shapes[k]);
        put_text(keys[i].x + 20, y + 22, "v", "%s", keys[i].text);
    }
}

static void draw_step(const tiles *t, double y) {
    double x[PANELS], top = y + TOP;
    char first[160], second[160];
    for (int i = 0; i < PANELS; i++) x[i] = LEFT + i * PITCH;
    int rows = t->rows.count, columns = t->columns.count;
    int warps = count_values(&t->rows, LANES) * count_values(&t->columns, LANES);
    int warp_rows = count_equal(&t->rows, LANES), warp_columns = count_equal(&t->columns, LANES);
    int thread_rows = count_equal(&t->rows, 1), thread_columns = count_equal(&t->columns, 1);
    int products = thread_rows * thread_columns;
    snprintf(first, sizeof first, "step %lld, %s", t->step, t->name);
    put_text(x[0] - 14, y + 22, "t", "%s", first);

    put_key(y);

    draw_matrix(t, x[0], top);
    put_frame(x[0], top);
    snprintf(first, sizeof first, "blocks of %d x %d: %.3g", rows, columns,
             1.0 / rows + 1.0 / columns);
    put_caption(x[0], top, first, "elements per product");

    draw_block(t, x[1], top);
    put_frame(x[1], top);
    snprintf(first, sizeof first, "a block's %d warps;", warps);
    put_caption(x[1], top, first, "red: thread 0");

    draw_warp(t, x[2], top);
    put_frame(x[2], top);
    snprintf(first, sizeof first, "warp 0 by lane: %d column%s", warp_columns,
             warp_columns == 1 ? "" : "s");
    snprintf(second, sizeof second, "of %d rows%s", warp_rows,
             draws_all(t) ? "" : ", 32 of them shown");
    put_caption(x[2], top, first, second);

    draw_thread(x[3], top, thread_rows, thread_columns);
    snprintf(first, sizeof first, "a thread: %d + %d elements", thread_rows, thread_columns);
    snprintf(second, sizeof second, "for %d product%s", products, products == 1 ? "" : "s");
    put_caption(x[3], top, first, second);
}

int figure_draw_tiles(const json_t *run, int only) {
    const json_t *steps = json_object_get(run, "steps"), *step;
    size_t s;
    int drawn = 0, rows = only < 0 ? (int)json_array_size(steps) : 1;
    begin_figure(LEFT + PANELS * PITCH, (double)(rows * ROW_HEIGHT),
                 "The tiles of a block, a warp and a thread, a row of panels per step");
    json_array_foreach(steps, s, step) {
        tiles t = {.name = json_string_value(json_object_get(step, "name")),
                   .step = json_integer_value(json_object_get(step, "step")),
                   .matrix_rows = json_integer_value(json_object_get(run, "rows")),
                   .matrix_columns = json_integer_value(json_object_get(run, "columns"))};
        bool good = t.name && t.matrix_rows > 0 && t.matrix_columns > 0 &&
                    read_side(json_object_get(step, "thread_of_row"), &t.rows) &&
                    read_side(json_object_get(step, "thread_of_column"), &t.columns) &&
                    most_lane(&t.rows) + most_lane(&t.columns) < LANES;
        if (!good) {
            fprintf(stderr, "ladder-docs figure: step %zu of the file has no regular tiles\n", s);
            return 1;
        }
        if (only < 0 || t.step == only) draw_step(&t, (double)(drawn++ * ROW_HEIGHT));
    }
    if (drawn != rows) fprintf(stderr, "ladder-docs figure: no step %d\n", only);
    kl_paper_end(stdout);
    return drawn != rows;
}
