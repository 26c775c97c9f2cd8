// A ladder in small: a bar for each step that was timed in a case, the last one dark, the vendor's
// library grey behind them, the ceiling dashed. Words would not be legible. See figure.h.
#include "figures/figure.h"
#include "measured.h"
#include "table.h"

enum { BAR = 8, PITCH = 11, HEIGHT = 44, EDGE = 3, WIDTH = 150 };

static double rate_of(const json_t *step, const char *family, long long size) {
    const json_t *rate = json_object_get(measured_result(step, family, size), "rate");
    return json_is_number(rate) ? json_number_value(rate) : 0;
}

// The title: what a bar says of its step.
static void say_rates(const json_t *run, const char *family, long long size, figure_words *words) {
    char text[32];
    size_t i;
    json_t *step;
    figure_say(words, "Rates of the steps as bars, %s on %s, %s, %s", measured_rates_of(run).unit,
               measured_device(run), family, kl_format_size(size, text, sizeof text));
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        double rate = rate_of(step, family, size);
        if (rate > 0)
            figure_value(words, rate, "%s (%lld %s)", kl_format_rate(rate, text, sizeof text),
                         (long long)json_integer_value(json_object_get(step, "step")),
                         json_string_value(json_object_get(step, "name")));
    }
    figure_say_extremes(words);
    double library = rate_of(json_object_get(run, "vendor"), family, size);
    if (library > 0)
        figure_say(words, ", the library %s", kl_format_rate(library, text, sizeof text));
}

static void put_bar(int column, double height, const char *shape) {
    put_rect(EDGE + column * PITCH, HEIGHT - EDGE - height, BAR, fmax(height, 0.6), shape);
}

int figure_draw_thumb(const json_t *run, const char *name) {
    char family[64];
    long long size = 0;
    if (sscanf(name, "%63[^:]:%lld", family, &size) != 2) {
        fprintf(stderr, "ladder-docs figure: %s: expected a case as NAME:SIZE\n", name);
        return 1;
    }
    const json_t *steps = json_object_get(run, "steps");
    int last = -1;
    double library = rate_of(json_object_get(run, "vendor"), family, size), most = library;
    for (int i = 0; i < (int)json_array_size(steps); i++) {
        double rate = rate_of(json_array_get(steps, (size_t)i), family, size);
        most = fmax(most, rate);
        if (rate > 0) last = i;
    }
    if (last < 0) {
        fprintf(stderr, "ladder-docs figure: no step was timed in %s\n", name);
        return 1;
    }
    double ceiling = measured_rates_of(run).ceiling;
    bool near = ceiling < 2 * most; // far above, it would leave no room for the bars
    double scale = (HEIGHT - 2.0 * EDGE) / (near ? fmax(most, ceiling) : most);
    figure_words words = {.length = 0};
    say_rates(run, family, size, &words);
    begin_figure(WIDTH, HEIGHT, words.text);
    int column = 0;
    for (int i = 0; i <= last; i++) {
        double rate = rate_of(json_array_get(steps, (size_t)i), family, size);
        if (rate > 0) put_bar(column++, rate * scale, i == last ? "s0 area" : "pale area");
    }
    if (library > 0) put_bar(column++, library * scale, "plain area");
    double line = HEIGHT - EDGE - ceiling * scale;
    if (near) put_line(0, line, EDGE + column * PITCH, line, "dash s2 line");
    kl_paper_end(stdout);
    return 0;
}
