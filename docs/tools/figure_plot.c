// SPDX-License-Identifier: MIT
// Lab 03's figures: curves in one frame. See figure.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "figure.h"

enum { WIDTH = 760, HEIGHT = 340, LEFT = 58, RIGHT = 110, TOP = 34, BOTTOM = 44 };
enum { PLOT_WIDTH = WIDTH - LEFT - RIGHT, PLOT_HEIGHT = HEIGHT - TOP - BOTTOM };

static const char *const colours[] = {"#1b5e8c", "#2f7d4f", "#b5532a", "#7a3b8f"};

typedef struct frame {
    double x_first, x_last, y_last; // y begins at 0
    double x_step, y_step;          // between marks; of a logarithmic x axis: factor
    bool logarithmic;
    const char *title, *x_title, *y_title;
} frame;

static double x_of(const frame *f, double x) {
    double share = f->logarithmic ? log(x / f->x_first) / log(f->x_last / f->x_first)
                                  : (x - f->x_first) / (f->x_last - f->x_first);
    return LEFT + PLOT_WIDTH * share;
}

static double y_of(const frame *f, double y) {
    return TOP + PLOT_HEIGHT * (1 - y / f->y_last);
}

static void begin(const frame *f) {
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "font-family=\"sans-serif\">\n<style>.v{font-size:11px;fill:#333}"
           ".m{text-anchor:middle}.e{text-anchor:end}.t{font-size:13px;fill:#111}</style>\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
           WIDTH, HEIGHT);
    printf("<text x=\"8\" y=\"18\" class=\"t\">%s</text>\n", f->title);
    printf("<text x=\"%d\" y=\"%d\" class=\"v m\">%s</text>\n", LEFT + PLOT_WIDTH / 2, HEIGHT - 8,
           f->x_title);
    printf("<text x=\"14\" y=\"%d\" class=\"v m\" transform=\"rotate(-90 14 %d)\">%s</text>\n",
           TOP + PLOT_HEIGHT / 2, TOP + PLOT_HEIGHT / 2, f->y_title);
    for (double y = 0; y <= f->y_last; y += f->y_step) {
        printf("<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, y_of(f, y), LEFT + PLOT_WIDTH);
        printf("<text x=\"%d\" y=\"%.1f\" class=\"v e\">%g</text>\n", LEFT - 6, y_of(f, y) + 4, y);
    }
    for (double x = f->x_first; x <= f->x_last;
         x = f->logarithmic ? x * f->x_step : x + f->x_step) {
        printf("<path d=\"M%.1f %dv4\" stroke=\"#333\"/>\n", x_of(f, x), TOP + PLOT_HEIGHT);
        printf("<text x=\"%.1f\" y=\"%d\" class=\"v m\">%g</text>\n", x_of(f, x),
               TOP + PLOT_HEIGHT + 18, x);
    }
}

static void label(int curve, double y, const char *text) {
    printf("<text x=\"%d\" y=\"%.1f\" class=\"v\" style=\"fill:%s\">%s</text>\n",
           LEFT + PLOT_WIDTH + 6, y, colours[curve], text);
}

// ---- Rate against loads in flight ----

// Steps 3 to 6 fold 1, 2, 4 and 8 columns a thread; their families hold the occupancy down to that many warps.
static const struct {
    int step, columns;
    const char *name;
} ladders[] = {{3, 1, "1 load a thread"}, {4, 2, "2 loads"}, {5, 4, "4 loads"}, {6, 8, "8 loads"}};
static const struct {
    const char *family;
    int warps; // of a compute capability 9.0 SM: 8 a block
} families[] = {
    {"occupancy-12", 8}, {"occupancy-25", 16}, {"occupancy-50", 32}, {"occupancy-100", 64}};

enum { LADDERS = 4, FAMILIES = 4 };

// The timed rate of a step with a family, NaN when the file has none.
static double rate_of(const json_t *run, int step, const char *family) {
    size_t i, k;
    json_t *row, *result;
    json_array_foreach(json_object_get(run, "steps"), i, row) {
        if (json_integer_value(json_object_get(row, "step")) != step) continue;
        json_array_foreach(json_object_get(row, "results"), k, result) {
            const char *name = json_string_value(json_object_get(result, "case"));
            const json_t *rate = json_object_get(result, "rate");
            if (name && strcmp(name, family) == 0 && json_is_number(rate))
                return json_number_value(rate);
        }
    }
    return NAN;
}

static void point(int curve, double x, double y, const char *text) {
    printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>%s</title></circle>\n", x, y,
           colours[curve], text);
}

static int draw_ladder(const frame *f, const json_t *run, int l) {
    double y = 0;
    printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colours[l]);
    for (int k = 0; k < FAMILIES; k++) {
        double rate = rate_of(run, ladders[l].step, families[k].family);
        if (!isfinite(rate)) {
            fprintf(stderr, "ladder-figure: the file has no rate of step %d at %s\n",
                    ladders[l].step, families[k].family);
            return 1;
        }
        y = y_of(f, rate);
        printf("%.1f,%.1f ", x_of(f, families[k].warps * ladders[l].columns), y);
    }
    puts("\"/>");
    for (int k = 0; k < FAMILIES; k++) {
        char text[96];
        double rate = rate_of(run, ladders[l].step, families[k].family);
        snprintf(text, sizeof text, "step %d, %d warps: %.0f GB/s", ladders[l].step,
                 families[k].warps, rate);
        point(l, x_of(f, families[k].warps * ladders[l].columns), y_of(f, rate), text);
    }
    label(l, TOP + 16.0 * (LADDERS - l) + PLOT_HEIGHT / 2.0, ladders[l].name);
    return 0;
}

int figure_draw_in_flight(const json_t *run) {
    const json_t *device = json_object_get(run, "device");
    const char *kind = json_string_value(json_object_get(device, "kind"));
    const char *name = json_string_value(json_object_get(device, "name"));
    char title[256];
    if (!kind || strcmp(kind, "gpu") != 0 || !name || strpbrk(name, "<>&")) {
        fputs("ladder-figure: the run is not one of a GPU\n", stderr);
        return 1;
    }
    snprintf(title, sizeof title,
             "Who waits does not matter: rates of steps 3 to 6, measured on %s", name);
    frame f = {.x_first = 8,
               .x_last = 512,
               .y_last = 3000,
               .x_step = 2,
               .y_step = 500,
               .logarithmic = true,
               .title = title,
               .x_title = "loads in flight on an SM at most: warps x loads a thread",
               .y_title = "GB/s"};
    begin(&f);
    for (int l = 0; l < LADDERS; l++) {
        if (draw_ladder(&f, run, l) != 0) return 1;
    }
    puts("</svg>");
    return 0;
}

// ---- Warps against registers ----

// Active warps by registers: one line from step to step. Curves are shifted a little, so that those on top of each
// other are all seen.
static void draw_stairs(const frame *f, const sim_device *device, uint32_t threads, int curve) {
    double before = -1, shift = 1.5 * (curve - 1.5);
    printf("<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"", colours[curve]);
    for (uint32_t r = 16; r <= device->registers_per_thread; r++) {
        sim_occupancy o;
        sim_occupancy_compute(device, threads, r, 0, &o);
        if (o.warps_per_sm == before) continue;
        double y = y_of(f, o.warps_per_sm) + shift, x = x_of(f, r - 0.5);
        printf(before < 0 ? "M%.1f %.1f" : "H%.1fV%.1f", x, y); // both take x, y
        before = o.warps_per_sm;
    }
    printf("H%.1f\"/>\n", x_of(f, device->registers_per_thread));
}

int figure_draw_registers(void) {
    static const uint32_t blocks[] = {128, 256, 512, 1024};
    const sim_device *device = sim_device_find("h100");
    frame f = {.x_first = 16,
               .x_last = 256,
               .y_last = device->warps_per_sm,
               .x_step = 16,
               .y_step = 8,
               .title = "One register more: active warps of a compute capability 9.0 SM",
               .x_title = "registers a thread",
               .y_title = "warps"};
    begin(&f);
    for (int b = 0; b < 4; b++) {
        char text[48];
        draw_stairs(&f, device, blocks[b], b);
        snprintf(text, sizeof text, "%u threads", blocks[b]);
        label(b, TOP + 16.0 * (b + 1), text);
    }
    puts("</svg>");
    return 0;
}
