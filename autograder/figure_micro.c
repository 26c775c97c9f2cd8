// SPDX-License-Identifier: MIT
// A lab's micro-ladders (ladder.micro/1) as bars, one panel a sweep: see figure.h.
#include <string.h>

#include "figure.h"

enum { WIDTH = 760, LEFT = 46, BAR = 20, PANEL = 170, PLOT = 96, TOP = 30 };

static const struct {
    const char *sweep, *parameter, *title;
} panels[] = {
    {"global_stride", "stride",
     "Global memory: sectors of 32 bytes a load, lane l reads x[l * stride]"},
    {"global_offset", "offset", "Global memory: sectors a load, lane l reads x[l + offset]"},
    {"shared_stride", "stride",
     "Shared memory: passes over the banks a load, lane l reads word l * stride"},
};
enum { PANELS = sizeof panels / sizeof panels[0], MOST = 32 }; // a warp never needs more than 32

static void bar(int panel, size_t index, json_int_t parameter, double value) {
    int base = panel * PANEL + TOP + PLOT;
    int x = LEFT + (int)index * (BAR + 1);
    double height = PLOT * value / MOST;
    printf("<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n", x,
           base - height, BAR - 2, height,
           value <= (panel < 2 ? 4.0 : 1.0) ? "#2f7d4f" : "#b5532a");
    printf("<text x=\"%d\" y=\"%.1f\" class=\"v\">%g</text>\n", x + BAR / 2 - 1, base - height - 3,
           value);
    printf("<text x=\"%d\" y=\"%d\" class=\"v\">%lld</text>\n", x + BAR / 2 - 1, base + 13,
           (long long)parameter);
}

int figure_draw_micro(const json_t *run) {
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "font-family=\"sans-serif\">\n<style>.v{font-size:9px;text-anchor:middle;fill:#333}"
           ".t{font-size:13px;fill:#111}</style>\n<rect width=\"100%%\" height=\"100%%\" "
           "fill=\"#fff\"/>\n",
           WIDTH, PANELS * PANEL);
    for (int p = 0; p < PANELS; p++) {
        const json_t *sweep = json_object_get(run, panels[p].sweep);
        size_t index;
        json_t *point;
        if (json_array_size(sweep) == 0) {
            fprintf(stderr, "ladder-figure: the file has no sweep %s\n", panels[p].sweep);
            return 1;
        }
        printf("<text x=\"%d\" y=\"%d\" class=\"t\">%s</text>\n", 8, p * PANEL + 16,
               panels[p].title);
        printf("<text x=\"6\" y=\"%d\" font-size=\"9\" fill=\"#333\">%s</text>\n",
               p * PANEL + TOP + PLOT + 13, panels[p].parameter);
        json_array_foreach(sweep, index, point) {
            const json_t *ratio = json_object_get(point, "ratio");
            if (!json_is_number(ratio)) {
                fprintf(stderr, "ladder-figure: %s has no counts; a run on the simulator has\n",
                        panels[p].sweep);
                return 1;
            }
            bar(p, index, json_integer_value(json_object_get(point, panels[p].parameter)),
                json_number_value(ratio));
        }
    }
    puts("</svg>");
    return 0;
}
