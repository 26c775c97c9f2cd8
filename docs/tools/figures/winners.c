// Which of a lab's first steps is fastest for a matrix of how many rows and columns, and how much
// faster the last step is than PyTorch (group "winners" of a ladder.torch/1): one cell per shape.
// See figure.h.
#include "figures/figure.h"
#include "table.h"

enum { SIDES = 32, LEFT = 78, TOP = 44, CELL_WIDTH = 41, CELL_HEIGHT = 20, BELOW = 46, RIGHT = 14 };

// The different rows and columns of the shapes, ascending.
typedef struct axes {
    long long rows[SIDES], columns[SIDES];
    int row_count, column_count;
} axes;

static long long side_of(const json_t *shape, size_t which) {
    return (long long)json_integer_value(json_array_get(json_object_get(shape, "shape"), which));
}

static int ascending(const void *a, const void *b) {
    const long long *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// False when there is no room.
static int add_side(long long *sides, int *count, long long side) {
    for (int i = 0; i < *count; i++)
        if (sides[i] == side) return 1;
    if (side < 1 || *count == SIDES) return 0;
    sides[(*count)++] = side;
    return 1;
}

static int index_of(const long long *sides, long long side) {
    int i = 0;
    while (sides[i] != side) i++;
    return i;
}

static double time_of(const json_t *step) { return json_number_value(json_object_get(step, "us")); }

static long long number_of(const json_t *step) {
    return (long long)json_integer_value(json_object_get(step, "step"));
}

// The fastest step up to `most`; NULL when there is none.
static const json_t *winner_of(const json_t *steps, int most) {
    size_t i;
    const json_t *step, *best = NULL;
    json_array_foreach(steps, i, step) if (number_of(step) <= most &&
                                           (!best || time_of(step) < time_of(best))) best = step;
    return best;
}

// The cell of a shape in the panel at `top`; text: of class "v" or "on".
static void put_cell(const axes *a, const json_t *shape, int top, const char *fill,
                     const char *text_class, const char *text) {
    int x = LEFT + index_of(a->columns, side_of(shape, 1)) * CELL_WIDTH;
    int y = top + TOP + index_of(a->rows, side_of(shape, 0)) * CELL_HEIGHT;
    put_rect(x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, fill);
    put_text(x + CELL_WIDTH / 2.0, y + CELL_HEIGHT - 6, text_class, "%s", text);
}

static void put_axes(const axes *a, int top, const char *title) {
    char text[32];
    int bottom = top + TOP + a->row_count * CELL_HEIGHT;
    put_text(8, top + 20, "t", "%s", title);
    put_text(LEFT - 8, top + TOP - 6, "v e", "rows");
    for (int i = 0; i < a->row_count; i++)
        put_text(LEFT - 8, top + TOP + (i + 1) * CELL_HEIGHT - 6, "v e", "%s",
                 kl_format_size(a->rows[i], text, sizeof text));
    for (int i = 0; i < a->column_count; i++)
        put_text(LEFT + (i + 0.5) * CELL_WIDTH, bottom + 14, "v m", "%s",
                 kl_format_size(a->columns[i], text, sizeof text));
    put_text(LEFT + a->column_count * CELL_WIDTH / 2.0, bottom + 30, "v m", "columns");
}

static void draw_fastest(const axes *a, const json_t *shapes, int most, const char *device,
                         int top) {
    char title[160], number[32], kind[] = "k0";
    snprintf(title, sizeof title, "Fastest of steps 0 to %d on %s", most, device);
    put_axes(a, top, title);
    size_t i;
    const json_t *shape;
    json_array_foreach(shapes, i, shape) {
        const json_t *best = winner_of(json_object_get(shape, "steps"), most);
        if (!best) continue;
        snprintf(number, sizeof number, "%lld", number_of(best));
        kind[1] = (char)('0' + number_of(best) % KL_PAPER_KINDS);
        put_cell(a, shape, top, kind, "v m", number);
    }
}

// PyTorch's time over that of the last step.
static double gain_of(const json_t *shape) {
    const json_t *steps = json_object_get(shape, "steps");
    const json_t *last = json_array_get(steps, json_array_size(steps) - 1);
    return json_number_value(json_object_get(shape, "torch_us")) / fmax(time_of(last), 1e-9);
}

static void draw_gains(const axes *a, const json_t *shapes, int top) {
    size_t i;
    const json_t *shape;
    char title[160] = "";
    json_array_foreach(shapes, i, shape) {
        const json_t *steps = json_object_get(shape, "steps");
        const json_t *last = json_array_get(steps, json_array_size(steps) - 1);
        double gain = gain_of(shape);
        char text[32];
        if (title[0] == '\0') {
            snprintf(title, sizeof title, "PyTorch's time over that of step %lld, in the same run",
                     number_of(last));
            put_axes(a, top, title);
        }
        snprintf(text, sizeof text, gain < 9.95 ? "%.2f" : "%.1f", gain);
        const char *fill = gain < 0.98 ? "bad" : gain < 1.1 ? "cell" : gain < 1.5 ? "h0" : "h1";
        put_cell(a, shape, top, fill, gain < 0.98 ? "on m" : "v m", text);
    }
}

// How many shapes each step wins, and the last step's gains over PyTorch.
static void say_winners(const json_t *shapes, int count, char *const *limits, const char *device,
                        figure_words *words) {
    enum { STEPS = 32 };
    size_t i;
    const json_t *shape;
    figure_say(words, "The fastest step for each number of rows and columns, %s", device);
    for (int k = 0; k < count; k++) {
        int wins[STEPS] = {0};
        json_array_foreach(shapes, i, shape) {
            const json_t *best = winner_of(json_object_get(shape, "steps"), atoi(limits[k]));
            if (best && number_of(best) >= 0 && number_of(best) < STEPS) wins[number_of(best)]++;
        }
        figure_say(words, "; of steps 0 to %s", limits[k]);
        for (int s = 0; s < STEPS; s++)
            if (wins[s] > 0) figure_say(words, ", step %d in %d", s, wins[s]);
        figure_say(words, " of %zu shapes", json_array_size(shapes));
    }
    json_array_foreach(shapes, i, shape) {
        char rows[32], columns[32];
        double gain = gain_of(shape);
        figure_value(words, gain, gain < 9.95 ? "%.2f (%s x %s)" : "%.1f (%s x %s)", gain,
                     kl_format_size(side_of(shape, 0), rows, sizeof rows),
                     kl_format_size(side_of(shape, 1), columns, sizeof columns));
    }
    figure_say(words, "; PyTorch's time over that of the last step");
    figure_say_extremes(words);
}

int figure_draw_winners(const json_t *run, int count, char *const *limits) {
    const json_t *shapes = json_object_get(json_object_get(run, "groups"), "winners"), *shape;
    const char *device = json_string_value(json_object_get(run, "device"));
    axes a = {.row_count = 0};
    int good = device && json_array_size(shapes) > 0;
    size_t i;
    json_array_foreach(shapes, i, shape) {
        good = good && add_side(a.rows, &a.row_count, side_of(shape, 0)) &&
               add_side(a.columns, &a.column_count, side_of(shape, 1));
    }
    if (!good) {
        fputs("ladder-docs figure: the file has no group \"winners\" of a few shapes\n", stderr);
        return 1;
    }
    qsort(a.rows, (size_t)a.row_count, sizeof a.rows[0], ascending);
    qsort(a.columns, (size_t)a.column_count, sizeof a.columns[0], ascending);
    int panel = TOP + a.row_count * CELL_HEIGHT + BELOW;
    figure_words words = {.length = 0};
    say_winners(shapes, count, limits, device, &words);
    begin_figure(LEFT + a.column_count * CELL_WIDTH + RIGHT, (count + 1) * panel, words.text);
    for (int k = 0; k < count; k++) draw_fastest(&a, shapes, atoi(limits[k]), device, k * panel);
    draw_gains(&a, shapes, count * panel);
    kl_paper_end(stdout);
    return 0;
}
