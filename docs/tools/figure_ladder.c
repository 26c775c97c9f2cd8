// SPDX-License-Identifier: MIT
// A lab's ladder as bars: the rate of each step and of the vendor's library, a panel a case, beside
// the card's measured ceiling (ladder.run/1 of a GPU). See figure.h.
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "figure.h"
#include "measured.h"
#include "table.h"

enum { WIDTH = 760, NAMES = 112, RIGHT = 14, TOP = 48, ROW = 20, BAR = 14, VALUE = 36, GAP = 22 };

typedef struct chart {
    int names;                    // width of the column of names
    const json_t *steps, *vendor; // vendor: NULL when it was not timed
    measured_rates rates;
} chart;

// Of a step in a case, or NAN.
static double rate_in(const json_t *step, const char *family, long long size) {
    const json_t *rate = json_object_get(measured_result(step, family, size), "rate");
    return json_is_number(rate) ? json_number_value(rate) : NAN;
}

static void step_title(const json_t *step, char *text, size_t bytes) {
    snprintf(text, bytes, "%lld %s", (long long)json_integer_value(json_object_get(step, "step")),
             json_string_value(json_object_get(step, "name")));
}

// Room for the longest name: NAMES suffices for 15 characters.
static int width_of_names(const json_t *steps) {
    enum { FITTING = 15, CHARACTER = 6 };
    int longest = FITTING;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        char text[96];
        step_title(json_array_get(steps, i), text, sizeof text);
        longest = (int)strlen(text) > longest ? (int)strlen(text) : longest;
    }
    return NAMES + CHARACTER * (longest - FITTING);
}

static void put_name(const chart *c, int row, const char *text) {
    printf("<text x=\"%d\" y=\"%d\" class=\"v e\">%s</text>\n", c->names - 8, TOP + row * ROW + 11,
           text);
}

static void put_bar(double x, int row, double width, const char *fill, double rate) {
    int y = TOP + row * ROW;
    if (isnan(rate)) return;
    printf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
           "<text x=\"%.1f\" y=\"%d\" class=\"v\">%.*f</text>\n",
           x, y, width, BAR, fill, x + width + 4, y + 11, rate < 99.95 ? 1 : 0, rate);
}

// False after a message when no step was timed in that case.
static bool draw_panel(const chart *c, const char *family, long long size, double x, double width) {
    int rows = (int)json_array_size(c->steps);
    double vendor = c->vendor ? rate_in(c->vendor, family, size) : NAN;
    double most = fmax(c->rates.ceiling, isnan(vendor) ? 0 : vendor), best = 0;
    for (int i = 0; i < rows; i++) {
        double rate = rate_in(json_array_get(c->steps, (size_t)i), family, size);
        if (rate > best) best = rate;
    }
    if (!(best > 0)) {
        fprintf(stderr, "ladder-figure: no step was timed in %s %lld\n", family, size);
        return false;
    }
    double scale = (width - VALUE) / fmax(most, best), line = x + c->rates.ceiling * scale;
    char text[32];
    printf("<text x=\"%.1f\" y=\"38\" class=\"v\">%s, %s</text>\n", x, family,
           kl_format_size(size, text, sizeof text));
    printf("<path d=\"M%.1f %dV%d\" stroke=\"#b5532a\" stroke-dasharray=\"4 3\"/>\n", line, TOP - 4,
           TOP + (rows + 1) * ROW);
    for (int i = 0; i < rows; i++) {
        double rate = rate_in(json_array_get(c->steps, (size_t)i), family, size);
        put_bar(x, i, rate * scale, i + 1 == rows ? "#1b5e8c" : "#8ab6d6", rate);
    }
    put_bar(x, rows, vendor * scale, "#999", vendor);
    return true;
}

int figure_draw_ladder(const json_t *run, int case_count, char *const *cases) {
    const chart c = {.names = width_of_names(json_object_get(run, "steps")),
                     .steps = json_object_get(run, "steps"),
                     .vendor = json_object_get(run, "vendor"),
                     .rates = measured_rates_of(run)};
    const double ceiling = c.rates.ceiling;
    int rows = (int)json_array_size(c.steps);
    double width = (WIDTH - c.names - RIGHT - GAP * (case_count - 1.0)) / case_count;
    if (rows == 0 || !(ceiling > 0)) {
        fputs("ladder-figure: a run without steps, rates or ceilings\n", stderr);
        return 1;
    }
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "font-family=\"sans-serif\">\n<style>.v{font-size:11px;fill:#333;paint-order:stroke;"
           "stroke:#fff;stroke-width:3px}.e{text-anchor:end}"
           ".t{font-size:13px;fill:#111}</style>\n<rect width=\"100%%\" height=\"100%%\" "
           "fill=\"#fff\"/>\n",
           WIDTH, TOP + (rows + 1) * ROW + 10);
    printf("<text x=\"8\" y=\"18\" class=\"t\">%s on %s; dashed: %s ceiling, %.*f</text>\n",
           c.rates.unit, json_string_value(json_object_get(json_object_get(run, "device"), "name")),
           c.rates.ceiling_name, ceiling < 999.5 ? 1 : 0, ceiling);
    for (int i = 0; i < rows; i++) {
        const json_t *step = json_array_get(c.steps, (size_t)i);
        char text[96];
        step_title(step, text, sizeof text);
        put_name(&c, i, text);
    }
    if (c.vendor) put_name(&c, rows, "vendor library");
    for (int i = 0; i < case_count; i++) {
        char family[64];
        long long size = 0;
        if (sscanf(cases[i], "%63[^:]:%lld", family, &size) != 2) {
            fprintf(stderr, "ladder-figure: %s: expected a case as NAME:SIZE\n", cases[i]);
            return 1;
        }
        if (!draw_panel(&c, family, size, c.names + i * (width + GAP), width)) return 1;
    }
    puts("</svg>");
    return 0;
}
