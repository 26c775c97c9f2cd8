// Which thread has which entry of a small matrix (ladder.assignment/1), a panel per step, entries
// in rows as CSR has them. See figure.h. Numbers and colours are the threads that the file names;
// it must not work out an assignment itself.
#include "figures/figure.h"

enum {
    CELL_WIDTH = 24,
    CELL_HEIGHT = 16,
    LEFT = 26,
    TOP = 40,
    PANEL_WIDTH = 372,
    GAP = 18,
    MOST = 16
};

typedef struct panel {
    const char *name, *verb;
    long long step;
    const json_t *threads;
} panel;

static long long number_at(const json_t *list, size_t at) {
    return json_integer_value(json_array_get(list, at));
}

// How many threads a panel names, and the most entries that one of them has.
static void count_threads(const json_t *threads, int *out_threads, int *out_most) {
    *out_threads = *out_most = 0;
    for (size_t i = 0; i < json_array_size(threads); i++) {
        int same = 0;
        bool first = true;
        for (size_t k = 0; k < json_array_size(threads); k++) {
            if (number_at(threads, k) != number_at(threads, i)) continue;
            same++;
            first = first && k >= i;
        }
        *out_threads += first;
        *out_most = same > *out_most ? same : *out_most;
    }
}

static void draw_row(const panel *p, int x, int y, long long row, long long begin, long long end) {
    put_text(x + LEFT - 6, y + 12, "v e", "%lld", row);
    for (long long k = begin; k < end; k++) {
        long long thread = number_at(p->threads, (size_t)k);
        int at = x + LEFT + (int)(k - begin) * CELL_WIDTH;
        char shape[] = "k0";
        shape[1] = (char)('0' + thread % KL_PAPER_KINDS);
        put_rect(at, y, CELL_WIDTH - 2, CELL_HEIGHT - 2, shape);
        put_text(at + CELL_WIDTH / 2.0 - 1, y + 11, "v m", "%lld", thread);
    }
}

static void draw_panel(const panel *p, const json_t *ptr, int x, int y) {
    int threads = 0, most = 0;
    count_threads(p->threads, &threads, &most);
    put_text(x + 6, y + 16, "t", "step %lld, %s: %s by thread", p->step, p->name, p->verb);
    put_text(x + 6, y + 32, "v", "%d threads, the busiest has %d of %zu entries", threads, most,
             json_array_size(p->threads));
    for (size_t row = 0; row + 1 < json_array_size(ptr); row++) {
        draw_row(p, x, y + TOP + (int)row * CELL_HEIGHT, (long long)row, number_at(ptr, row),
                 number_at(ptr, row + 1));
    }
}

// One panel per step, and a second one where others add up than multiply; 0 when the file is not as
// it should be.
static int find_panels(const json_t *run, const char *only, panel panels[MOST]) {
    int count = 0;
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        const char *name = json_string_value(json_object_get(step, "name"));
        const json_t *multiplied = json_object_get(step, "multiplied_by");
        const json_t *added = json_object_get(step, "added_by");
        long long number = json_integer_value(json_object_get(step, "step"));
        char word[16];
        snprintf(word, sizeof word, ",%lld,", number);
        if (only && !strstr(only, word)) continue;
        if (!name || !json_is_array(multiplied) || !json_is_array(added) || count + 2 > MOST)
            return 0;
        panels[count++] = (panel){name, "multiplied", number, multiplied};
        if (!json_equal(multiplied, added))
            panels[count++] = (panel){name, "added up", number, added};
    }
    return count;
}

int figure_draw_assignment(const json_t *run, const char *only) {
    panel panels[MOST];
    char list[64];
    if (only) snprintf(list, sizeof list, ",%s,", only);
    const json_t *ptr = json_object_get(run, "ptr");
    int count = find_panels(run, only ? list : NULL, panels);
    if (count == 0 || json_array_size(ptr) < 2) {
        fputs("ladder-docs figure: no rows, or a step without threads\n", stderr);
        return 1;
    }
    int height = TOP + (int)(json_array_size(ptr) - 1) * CELL_HEIGHT + GAP;
    begin_figure(2 * PANEL_WIDTH, (count + 1) / 2 * height,
                 "Which thread has which entry of a small matrix, a panel per step");
    for (int i = 0; i < count; i++)
        draw_panel(&panels[i], ptr, i % 2 * PANEL_WIDTH, i / 2 * height);
    kl_paper_end(stdout);
    return 0;
}
