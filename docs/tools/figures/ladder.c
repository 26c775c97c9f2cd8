// SPDX-License-Identifier: MIT
// A lab's ladder as bars: the rate of each step and of the vendor's library, a panel a case, beside
// the card's measured ceiling (ladder.run/1 of a GPU). See figure.h.
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "figures/figure.h"
#include "stored/measured.h"
#include "paper.h"
#include "table.h"

enum { WIDTH = 760, NAMES = 112, RIGHT = 14, TOP = 48, ROW = 20, BAR = 14, VALUE = 36, GAP = 22 };

typedef struct chart {
    int names;                          // width of the column of names
    const json_t *run, *steps, *vendor; // vendor: NULL when it was not timed
    measured_rates rates;
} chart;

// Of a step in a case, or NAN. A step with families of its own (a copy) stands by its size.
static double rate_in(const chart *c, const json_t *step, const char *family, long long size) {
    const json_t *result = measured_result(step, family, size);
    if (!result && measured_has_own_families(c->run, step))
        result = measured_result_of_size(step, size);
    const json_t *rate = json_object_get(result, "rate");
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
    kl_paper_text(stdout, c->names - 8, TOP + row * ROW + 11, "v e", "%s", text);
}

static void put_bar(double x, int row, double width, const char *shape, double rate) {
    int y = TOP + row * ROW;
    char text[32];
    if (isnan(rate)) return;
    kl_paper_rect(stdout, x, y, width, BAR, shape);
    kl_paper_text(stdout, x + width + 4, y + 11, "v halo", "%s",
                  kl_format_rate(rate, text, sizeof text));
}

// False after a message when no step was timed in that case.
static bool draw_panel(const chart *c, const char *family, long long size, double x, double width) {
    int rows = (int)json_array_size(c->steps);
    double vendor = c->vendor ? rate_in(c, c->vendor, family, size) : NAN;
    double most = fmax(c->rates.ceiling, isnan(vendor) ? 0 : vendor), best = 0;
    for (int i = 0; i < rows; i++) {
        double rate = rate_in(c, json_array_get(c->steps, (size_t)i), family, size);
        if (rate > best) best = rate;
    }
    if (!(best > 0)) {
        fprintf(stderr, "ladder-figure: no step was timed in %s %lld\n", family, size);
        return false;
    }
    double scale = (width - VALUE) / fmax(most, best), line = x + c->rates.ceiling * scale;
    char text[32];
    kl_paper_text(stdout, x, 38, "v", "%s, %s", family, kl_format_size(size, text, sizeof text));
    kl_paper_line(stdout, line, TOP - 4, line, TOP + (rows + 1) * ROW, "dash s2 line");
    for (int i = 0; i < rows; i++) {
        double rate = rate_in(c, json_array_get(c->steps, (size_t)i), family, size);
        put_bar(x, i, rate * scale, i + 1 == rows ? "s0 area" : "pale area", rate);
    }
    put_bar(x, rows, vendor * scale, "plain area", vendor);
    return true;
}

int figure_draw_ladder(const json_t *run, int case_count, char *const *cases) {
    const chart c = {.names = width_of_names(json_object_get(run, "steps")),
                     .run = run,
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
    kl_paper_begin(stdout, WIDTH, TOP + (rows + 1) * ROW + 10, "Rates of the steps, as bars");
    kl_paper_text(stdout, 8, 18, "t", "%s on %s; dashed: %s ceiling, %.*f", c.rates.unit,
                  json_string_value(json_object_get(json_object_get(run, "device"), "name")),
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
    kl_paper_end(stdout);
    return 0;
}
