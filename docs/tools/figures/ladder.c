// A lab's ladder as bars: the rate of each step and of the vendor's library, a panel per case,
// beside the card's measured ceiling (ladder.run/2 of a GPU). Steps that were timed, but in none of
// these cases, do something else and are left out; the last bar of a case is dark. See figure.h.
#include "figures/figure.h"
#include "measured.h"
#include "table.h"

enum {
    WIDTH = 760,
    NARROW = 360,
    NAMES = 112,
    RIGHT = 14,
    TOP = 48,
    ROW = 20,
    VALUE = 36,
    GAP = 22
};
enum { FEW = 6, WIDE_ROW = 30 }; // of few steps

typedef struct chart {
    int names, row;             // width of the column of names, height of a row
    const json_t *run, *vendor; // vendor: NULL when it was not timed
    json_t *steps;              // those of the run that stand in the figure
    measured_rates rates;
} chart;

// What must be moved in a case; 0 when the run has it not.
static double bytes_of(const chart *c, const json_t *family, long long size) {
    const json_t *at = measured_case(c->run, json_string_value(family), size);
    return json_number_value(json_object_get(at, "work_bytes"));
}

// Of a step in a case, or NAN. A step with families of its own that moves as many bytes (a copy)
// stands by its size.
static double rate_in(const chart *c, const json_t *step, const char *family, long long size) {
    const json_t *result = measured_result(step, family, size);
    if (!result && measured_has_own_families(c->run, step)) {
        const json_t *own = measured_result_of_size(step, size), *at = json_object_get(own, "case");
        if (bytes_of(c, at, size) ==
            measured_number(measured_case(c->run, family, size), "work_bytes"))
            result = own;
    }
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
    put_text(c->names - 8, TOP + (row + 0.5) * c->row + 1, "v e", "%s", text);
}

// line: where the ceiling is.
static void put_bar(const chart *c, double x, int row, double width, double line, const char *shape,
                    double rate) {
    double y = TOP + row * c->row;
    char text[32];
    if (isnan(rate)) return;
    kl_format_rate(rate, text, sizeof text);
    put_rect(x, y, width, c->row - 6, shape);
    put_text(figure_text_x(x + width, line, strlen(text)), y + c->row / 2.0 + 1, "v halo", "%s",
             text);
}

static bool was_timed(const json_t *step) {
    size_t i;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), i,
                       result) if (json_object_get(result, "time_us")) return true;
    return false;
}

// False after a message when no step was timed in that case.
static bool draw_panel(const chart *c, const char *family, long long size, double x, double width) {
    int rows = (int)json_array_size(c->steps);
    double vendor = c->vendor ? rate_in(c, c->vendor, family, size) : NAN;
    double ceiling = measured_has_limit(c->run) && vendor > 0 ? vendor : c->rates.ceiling;
    double most = fmax(ceiling, isnan(vendor) ? 0 : vendor), best = 0;
    for (int i = 0; i < rows; i++) {
        double rate = rate_in(c, json_array_get(c->steps, (size_t)i), family, size);
        if (rate > best) best = rate;
    }
    if (!(best > 0)) {
        fprintf(stderr, "ladder-docs figure: no step was timed in %s %lld\n", family, size);
        return false;
    }
    int last = rows;
    while (isnan(rate_in(c, json_array_get(c->steps, (size_t)last - 1), family, size))) last--;
    double scale = (width - VALUE) / fmax(most, best), line = x + ceiling * scale;
    char text[32];
    put_text(x, 38, "v", "%s, %s", family, kl_format_size(size, text, sizeof text));
    put_line(line, TOP - 4, line, TOP + (rows + 1) * c->row, "dash s2 line");
    for (int i = 0; i < rows; i++) {
        double rate = rate_in(c, json_array_get(c->steps, (size_t)i), family, size);
        put_bar(c, x, i, rate * scale, line, i + 1 == last ? "s0 area" : "pale area", rate);
        if (!was_timed(json_array_get(c->steps, (size_t)i)))
            put_text(x, TOP + (i + 0.5) * c->row + 1, "v", "on the host");
    }
    put_bar(c, x, rows, vendor * scale, line, "plain area", vendor);
    return true;
}

bool figure_read_case(const char *text, char family[64], long long *out_size) {
    if (sscanf(text, "%63[^:]:%lld", family, out_size) == 2) return true;
    fprintf(stderr, "ladder-docs figure: %s: expected a case as NAME:SIZE\n", text);
    return false;
}

// The rates of a case, the highest and the lowest, for those who cannot see the bars.
static void say_case(const chart *c, const char *family, long long size, figure_words *words) {
    char text[32];
    figure_say(words, "; %s, %s", family, kl_format_size(size, text, sizeof text));
    for (size_t i = 0; i < json_array_size(c->steps); i++) {
        const json_t *step = json_array_get(c->steps, i);
        double rate = rate_in(c, step, family, size);
        char title[96];
        step_title(step, title, sizeof title);
        if (isfinite(rate))
            figure_value(words, rate, "%s (%s)", kl_format_rate(rate, text, sizeof text), title);
    }
    figure_say_extremes(words);
    double vendor = c->vendor ? rate_in(c, c->vendor, family, size) : NAN;
    if (isfinite(vendor))
        figure_say(words, ", %s %s", measured_has_limit(c->run) ? "the limit" : "the library",
                   kl_format_rate(vendor, text, sizeof text));
}

static bool stands_in(const chart *c, const json_t *step, int case_count, char *const *cases) {
    bool found = !was_timed(step); // the host's
    for (int i = 0; i < case_count && !found; i++) {
        char family[64];
        long long size = 0;
        found = figure_read_case(cases[i], family, &size) && !isnan(rate_in(c, step, family, size));
    }
    return found;
}

static int draw_chart(const json_t *run, int case_count, char *const *cases, int wide,
                      json_t *steps) {
    chart c = {.run = run,
               .steps = steps,
               .vendor = json_object_get(run, "vendor"),
               .rates = measured_rates_of(run)};
    figure_words words = {.length = 0};
    char title[160], family[64];
    long long size = 0;
    size_t k;
    json_t *each;
    json_array_foreach(json_object_get(run, "steps"), k,
                       each) if (stands_in(&c, each, case_count, cases))
        json_array_append(steps, each);
    if (c.vendor && !stands_in(&c, c.vendor, case_count, cases)) c.vendor = NULL;
    c.names = width_of_names(steps);
    int rows = (int)json_array_size(c.steps);
    c.row = rows <= FEW ? WIDE_ROW : ROW;
    double width = (wide - c.names - RIGHT - GAP * (case_count - 1.0)) / case_count;
    if (rows == 0 || !(c.rates.ceiling > 0)) {
        fputs("ladder-docs figure: a run without steps, rates or ceilings\n", stderr);
        return 1;
    }
    if (measured_has_limit(run))
        snprintf(title, sizeof title, "%s on %s; dashed: the limit", c.rates.unit,
                 measured_device(run));
    else
        snprintf(title, sizeof title, "%s on %s; dashed: %s ceiling, %.*f", c.rates.unit,
                 measured_device(run), c.rates.ceiling_name, c.rates.ceiling < 999.5 ? 1 : 0,
                 c.rates.ceiling);
    figure_say(&words, "Rates of the steps as bars, %s", title);
    for (int i = 0; i < case_count; i++) {
        if (!figure_read_case(cases[i], family, &size)) return 1;
        say_case(&c, family, size, &words);
    }
    begin_figure(wide, TOP + (rows + 1) * c.row + 10, words.text);
    put_text(8, 18, "t", "%s", title);
    for (int i = 0; i < rows; i++) {
        char name[96];
        step_title(json_array_get(c.steps, (size_t)i), name, sizeof name);
        put_name(&c, i, name);
    }
    if (c.vendor) put_name(&c, rows, measured_has_limit(run) ? "limit" : "vendor library");
    for (int i = 0; i < case_count; i++) {
        if (!figure_read_case(cases[i], family, &size)) return 1;
        if (!draw_panel(&c, family, size, c.names + i * (width + GAP), width)) return 1;
    }
    kl_paper_end(stdout);
    return 0;
}

int figure_draw_ladder(const json_t *run, int case_count, char *const *cases, bool narrow) {
    json_t *steps = json_array();
    int code = draw_chart(run, case_count, cases, narrow ? NARROW : WIDTH, steps);
    json_decref(steps);
    return code;
}
