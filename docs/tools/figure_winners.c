// SPDX-License-Identifier: MIT
// Which of a lab's first steps is fastest for a matrix of how many rows and columns, and how much
// faster the last step is than PyTorch (group "winners" of a ladder.torch/1): one cell per shape. See
// figure.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
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

static double time_of(const json_t *step) {
    return json_number_value(json_object_get(step, "us"));
}

static long long number_of(const json_t *step) {
    return (long long)json_integer_value(json_object_get(step, "step"));
}

// The fastest step up to `most`; NULL when there is none.
static const json_t *winner_of(const json_t *steps, int most) {
    size_t i;
    const json_t *step, *best = NULL;
    json_array_foreach(steps, i, step) if (number_of(step) <= most &&
                                           (best == NULL || time_of(step) < time_of(best))) best =
        step;
    return best;
}

static void put_cell(const axes *a, const json_t *shape, int top, const char *fill,
                     const char *text) {
    int x = LEFT + index_of(a->columns, side_of(shape, 1)) * CELL_WIDTH;
    int y = top + TOP + index_of(a->rows, side_of(shape, 0)) * CELL_HEIGHT;
    printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>"
           "<text x=\"%d\" y=\"%d\" class=\"c\">%s</text>\n",
           x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, fill, x + CELL_WIDTH / 2, y + CELL_HEIGHT - 6,
           text);
}

static void put_axes(const axes *a, int top, const char *title) {
    char text[32];
    int bottom = top + TOP + a->row_count * CELL_HEIGHT;
    printf("<text x=\"8\" y=\"%d\" class=\"t\">%s</text>\n", top + 20, title);
    printf("<text x=\"%d\" y=\"%d\" class=\"e\">rows</text>\n", LEFT - 8, top + TOP - 6);
    for (int i = 0; i < a->row_count; i++)
        printf("<text x=\"%d\" y=\"%d\" class=\"e\">%s</text>\n", LEFT - 8,
               top + TOP + (i + 1) * CELL_HEIGHT - 6,
               kl_format_size(a->rows[i], text, sizeof text));
    for (int i = 0; i < a->column_count; i++)
        printf("<text x=\"%d\" y=\"%d\" class=\"c\">%s</text>\n",
               LEFT + i * CELL_WIDTH + CELL_WIDTH / 2, bottom + 14,
               kl_format_size(a->columns[i], text, sizeof text));
    printf("<text x=\"%d\" y=\"%d\" class=\"c\">columns</text>\n",
           LEFT + a->column_count * CELL_WIDTH / 2, bottom + 30);
}

static void draw_fastest(const axes *a, const json_t *shapes, int most, const char *device,
                         int top) {
    static const char *const colours[] = {"#eeeeee", "#d9d9d9", "#c6dbef", "#fdd0a2", "#fdae6b",
                                          "#e5c494", "#d8b365", "#c7e9c0", "#74c476", "#bcbddc"};
    enum { COLOURS = sizeof colours / sizeof colours[0] };
    char title[160], number[32];
    snprintf(title, sizeof title, "Fastest of steps 0 to %d on %s", most, device);
    put_axes(a, top, title);
    size_t i;
    const json_t *shape;
    json_array_foreach(shapes, i, shape) {
        const json_t *best = winner_of(json_object_get(shape, "steps"), most);
        if (best == NULL) continue;
        snprintf(number, sizeof number, "%lld", number_of(best));
        put_cell(a, shape, top, colours[number_of(best) % COLOURS], number);
    }
}

// Blue above 1, red below, white at 1; full at a factor of 4.
static void colour_of_gain(double gain, char *text, size_t bytes) {
    double depth = fmin(fabs(log2(gain)) / 2, 1);
    int pale = (int)(255 - 130 * depth), strong = (int)(255 - 40 * depth);
    if (gain < 1)
        snprintf(text, bytes, "#%02x%02x%02x", strong, pale, pale);
    else
        snprintf(text, bytes, "#%02x%02x%02x", pale, (pale + strong) / 2, strong);
}

static void draw_gains(const axes *a, const json_t *shapes, int top) {
    size_t i;
    const json_t *shape;
    char title[160] = "";
    json_array_foreach(shapes, i, shape) {
        const json_t *steps = json_object_get(shape, "steps");
        const json_t *last = json_array_get(steps, json_array_size(steps) - 1);
        double gain =
            json_number_value(json_object_get(shape, "torch_us")) / fmax(time_of(last), 1e-9);
        char fill[16], text[32];
        if (title[0] == '\0') {
            snprintf(title, sizeof title, "PyTorch's time over that of step %lld, in the same run",
                     number_of(last));
            put_axes(a, top, title);
        }
        colour_of_gain(gain, fill, sizeof fill);
        snprintf(text, sizeof text, gain < 9.95 ? "%.2f" : "%.1f", gain);
        put_cell(a, shape, top, fill, text);
    }
}

int figure_draw_winners(const json_t *run, int count, char *const *limits) {
    const json_t *shapes = json_object_get(json_object_get(run, "groups"), "winners"), *shape;
    const char *device = json_string_value(json_object_get(run, "device"));
    axes a = {.row_count = 0};
    int good = device != NULL && json_array_size(shapes) > 0;
    size_t i;
    json_array_foreach(shapes, i, shape) {
        good = good && add_side(a.rows, &a.row_count, side_of(shape, 0)) &&
               add_side(a.columns, &a.column_count, side_of(shape, 1));
    }
    if (!good) {
        fputs("ladder-figure: the file has no group \"winners\" of a few shapes\n", stderr);
        return 1;
    }
    qsort(a.rows, (size_t)a.row_count, sizeof a.rows[0], ascending);
    qsort(a.columns, (size_t)a.column_count, sizeof a.columns[0], ascending);
    int panel = TOP + a.row_count * CELL_HEIGHT + BELOW;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "font-family=\"sans-serif\">\n<style>.t{font-size:13px;fill:#111}.c{font-size:11px;"
           "fill:#222;text-anchor:middle}.e{font-size:11px;fill:#222;text-anchor:end}</style>\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
           LEFT + a.column_count * CELL_WIDTH + RIGHT, (count + 1) * panel);
    for (int k = 0; k < count; k++) draw_fastest(&a, shapes, atoi(limits[k]), device, k * panel);
    draw_gains(&a, shapes, count * panel);
    puts("</svg>");
    return 0;
}
