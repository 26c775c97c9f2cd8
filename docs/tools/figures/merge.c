// The merge path of a small matrix (ladder.assignment/1): row ends downwards, entries to the right,
// the path between them in the colours of the threads, and the diagonals at which it is cut. See
// figure.h. Where a thread begins is what the step's own search found and the file names; only the
// way from there is walked here, and it must arrive where the next thread begins.
#include "figures/figure.h"

enum {
    CELL_WIDTH = 20,
    CELL_HEIGHT = 28,
    LEFT = 118,
    TOP = 66,
    RIGHT = 26,
    BOTTOM = 62,
    MOST = 64
};

typedef struct merge {
    long long ends[MOST];              // of row r: the entries before it
    long long begin[MOST + 1];         // row ends before each thread's first step
    int rows, entries, threads, steps; // steps of a thread
} merge;

static bool read_numbers(const json_t *list, int count, long long *out) {
    if (count < 1 || count > MOST) return false;
    for (int i = 0; i < count; i++) out[i] = json_integer_value(json_array_get(list, (size_t)i));
    return true;
}

static bool read_merge(const json_t *run, merge *out) {
    const json_t *ptr = json_object_get(run, "ptr"), *path = json_object_get(run, "merge_path");
    const json_t *begins = json_object_get(path, "row_ends_before");
    long long first[MOST + 1];
    out->rows = (int)json_array_size(ptr) - 1;
    out->threads = (int)json_array_size(begins);
    out->steps = (int)json_integer_value(json_object_get(path, "steps_per_thread"));
    if (!read_numbers(ptr, out->rows + 1, first) || out->rows < 1 || out->steps < 1) return false;
    for (int r = 0; r < out->rows; r++) out->ends[r] = first[r + 1];
    out->entries = (int)first[out->rows];
    return out->entries <= MOST && read_numbers(begins, out->threads, out->begin);
}

static int x_of(long long entry) { return LEFT + (int)entry * CELL_WIDTH; }

static int y_of(long long row) { return TOP + (int)row * CELL_HEIGHT; }

static void draw_grid(const merge *m) {
    for (int r = 0; r < m->rows; r++) {
        long long first = r > 0 ? m->ends[r - 1] : 0;
        if (m->ends[r] > first)
            put_rect(x_of(first), y_of(r), x_of(m->ends[r]) - x_of(first), CELL_HEIGHT, "cell");
        put_text(LEFT - 8, y_of(r) + CELL_HEIGHT / 2 + 4, "v e", "row %d ends at %lld", r,
                 m->ends[r]);
    }
    for (int r = 0; r <= m->rows; r++) put_line(LEFT, y_of(r), x_of(m->entries), y_of(r), "grid");
    for (int k = 0; k <= m->entries; k++) {
        put_line(x_of(k), TOP, x_of(k), y_of(m->rows), "grid");
        if (k < m->entries) put_text(x_of(k) + CELL_WIDTH / 2, TOP - 6, "v m", "%d", k);
    }
}

// All points with `at` steps before them.
static void draw_diagonal(const merge *m, int at) {
    int low = at > m->entries ? at - m->entries : 0, high = at < m->rows ? at : m->rows;
    put_line(x_of(at - low), y_of(low), x_of(at - high), y_of(high), "dash");
    int aside = at == high ? 10 : -4; // at the left edge: not among the names of the rows
    put_text(x_of(at - high) + aside, y_of(high) + 14, "v m", "%d", at);
}

// Walks the steps of a thread from its first one; false when the next thread begins elsewhere.
static bool draw_thread(const merge *m, int thread) {
    int total = m->rows + m->entries, at = thread * m->steps;
    int until = at + m->steps < total ? at + m->steps : total;
    long long row = m->begin[thread], entry = at - row;
    printf("<g class=\"s%d\"><circle cx=\"%d\" cy=\"%d\" r=\"5\" class=\"area\"/>\n"
           "<polyline points=\"%d,%d",
           thread % KL_PAPER_SERIES, x_of(entry), y_of(row), x_of(entry), y_of(row));
    for (; at < until; at++) {
        if (row < m->rows && m->ends[row] <= entry) row++;
        else entry++;
        printf(" %d,%d", x_of(entry), y_of(row));
    }
    printf("\" class=\"line\" stroke-width=\"4\" stroke-linejoin=\"round\"/>\n");
    put_rect(LEFT + thread * 96, y_of(m->rows) + 40, 12, 4, "area");
    puts("</g>");
    put_text(LEFT + thread * 96 + 18, y_of(m->rows) + 46, "v", "thread %d", thread);
    return thread + 1 == m->threads ? row == m->rows && entry == m->entries
                                    : row == m->begin[thread + 1];
}

int figure_draw_merge_path(const json_t *run) {
    merge m;
    if (!read_merge(run, &m)) {
        fputs("ladder-docs figure: no rows, or no merge path\n", stderr);
        return 1;
    }
    int total = m.rows + m.entries;
    begin_figure(LEFT + m.entries * CELL_WIDTH + RIGHT, TOP + m.rows * CELL_HEIGHT + BOTTOM,
                 "The merge path of a small matrix, cut into equal parts");
    put_text(LEFT, 22, "t", "Merge path of %d row ends and %d entries: %d steps, %d per thread",
             m.rows, m.entries, total, m.steps);
    put_text(LEFT, 42, "v",
             "right: add an entry; down: a row is complete; dashed: where the path is cut");
    put_text(LEFT - 8, TOP - 6, "v e", "entry");
    draw_grid(&m);
    for (int at = m.steps; at < total; at += m.steps) draw_diagonal(&m, at);
    bool joined = true;
    for (int t = 0; t < m.threads; t++) joined = draw_thread(&m, t) && joined;
    kl_paper_end(stdout);
    if (!joined)
        fputs("ladder-docs figure: a thread does not begin where the path leads\n", stderr);
    return joined ? 0 : 1;
}
