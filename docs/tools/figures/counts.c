// A number of each step as bars (decks): a counter by another one, and modelled beside measured
// times. See figure.h. Only what a run (ladder.run/2) holds is drawn.
#include "figures/figure.h"
#include "measured.h"
#include "table.h"

enum { WIDTH = 600, NAMES = 116, VALUE = 66, TOP = 34, ROW = 26, FEW = 5, MOST = 16 };

typedef struct bar {
    const json_t *step;
    double value;
} bar;

// "2,5,8": the steps that are drawn, in this order. Returns how many; 0 after a message.
static int find_steps(const json_t *run, const char *list, bar *out) {
    int count = 0;
    for (const char *at = list; at && count < MOST; at = strchr(at, ',')) {
        at += *at == ',';
        out[count].step = measured_step(run, atoi(at));
        if (!out[count].step) {
            fprintf(stderr, "ladder-docs figure: no step %d\n", atoi(at));
            return 0;
        }
        count++;
    }
    return count;
}

static void put_words(double x, double y, const char *shape, const char *words) {
    char text[200];
    snprintf(text, sizeof text, "%s", words);
    for (char *c = text; *c; c++) *c = *c == '_' ? ' ' : *c;
    put_text(x, y, shape, "%s", text);
}

static void put_step(const json_t *step, double y) { // y: of the middle
    put_text(NAMES - 8, y + 4, "v e", "%lld %s",
             (long long)json_integer_value(json_object_get(step, "step")),
             json_string_value(json_object_get(step, "name")));
}

// 12345678 as "12.3 M", 0.0625 as "0.0625".
static const char *value_text(double value, bool millions, char text[32]) {
    double shown = millions ? value / 1e6 : value;
    int digits = shown >= 99.95 ? 0 : shown >= 0.995 ? 2 - (shown >= 9.995) : 3;
    snprintf(text, 32, "%.*f%s", digits, shown, millions ? " M" : "");
    return text;
}

static const char *name_of(const json_t *step) {
    return json_string_value(json_object_get(step, "name"));
}

// title: with _ for blanks.
static void say_counts(const char *title, int rows, const bar *bars, bool millions,
                       figure_words *words) {
    char text[200];
    snprintf(text, sizeof text, "%s", title);
    for (char *c = text; *c; c++) *c = *c == '_' ? ' ' : *c;
    figure_say(words, "Counts of steps as bars, %s", text);
    for (int i = 0; i < rows; i++)
        figure_value(words, bars[i].value, "%s (%s)", value_text(bars[i].value, millions, text),
                     name_of(bars[i].step));
    figure_say_extremes(words);
}

// "1"; "products": half the operations of the case that was counted; or a counter.
static double divisor_of(const json_t *run, const json_t *counters, const char *word) {
    if (strcmp(word, "1") == 0) return 1;
    if (strcmp(word, "products") == 0)
        return measured_number(measured_main_case(run), "work_ops") / 2;
    return measured_number(counters, word);
}

int figure_draw_counts(const json_t *run, int count, char *const *words) {
    bar bars[MOST];
    if (count != 4) {
        fputs("ladder-docs figure: expected TITLE, two counters and steps\n", stderr);
        return 1;
    }
    int rows = find_steps(run, words[3], bars), row = rows <= FEW ? 2 * ROW : ROW + 6;
    double most = 0, width = WIDTH - NAMES - VALUE;
    for (int i = 0; i < rows; i++) {
        const json_t *counters = json_object_get(bars[i].step, "counters");
        double by = divisor_of(run, counters, words[2]);
        bars[i].value = measured_number(counters, words[1]) / by;
        if (isnan(bars[i].value)) {
            fprintf(stderr, "ladder-docs figure: a step has no counter %s or %s\n", words[1],
                    words[2]);
            return 1;
        }
        most = fmax(most, bars[i].value);
    }
    if (rows == 0 || !(most > 0)) return 1;
    figure_words said = {.length = 0};
    char text[32];
    say_counts(words[0], rows, bars, most >= 1e6, &said);
    begin_figure(WIDTH, TOP + rows * row + 4, said.text);
    put_words(NAMES, 18, "t", words[0]);
    for (int i = 0; i < rows; i++) {
        double y = TOP + i * row, length = fmax(bars[i].value / most * width, 1);
        put_step(bars[i].step, y + row / 2.0 - 3);
        put_rect(NAMES, y, length, row - 6, i + 1 == rows ? "s0 area" : "pale area");
        put_text(NAMES + length + 6, y + row / 2.0 + 1, "v halo", "%s",
                 value_text(bars[i].value, most >= 1e6, text));
    }
    kl_paper_end(stdout);
    return 0;
}

// ---- Modelled times beside measured ones ----

static void put_time(double x, double y, int height, double time, const char *shape, double least,
                     double scale) {
    double length = fmax(log10(time / least) * scale, 2);
    put_rect(x, y, length, height, shape);
    put_text(x + length + 5, y + height / 2.0 + 4, "v halo", "%.*f", time < 99.95 ? 1 : 0, time);
}

// The measured times, and where the model is the farthest from them.
static void say_modelled(const json_t *model, const json_t *gpu, const char *family, long long size,
                         figure_words *words) {
    figure_words ratios = {.length = 0};
    figure_say(words, "Modelled and measured times of steps as bars, %s %lld, microseconds, on %s",
               family, size, measured_device(gpu));
    for (int i = 0; i < MOST; i++) {
        double modelled = measured_time_us(model, i, family, size);
        double measured = measured_time_us(gpu, i, family, size);
        if (!(modelled > 0 && measured > 0)) continue;
        figure_value(words, measured, "%.*f (%s)", measured < 99.95, measured,
                     name_of(measured_step(gpu, i)));
        figure_value(&ratios, modelled / measured, "%.2f (%s)", modelled / measured,
                     name_of(measured_step(gpu, i)));
    }
    figure_say(words, "; measured");
    figure_say_extremes(words);
    figure_say(words, "; modelled over measured");
    figure_say_extremes(&ratios);
    figure_say(words, "%s", ratios.text);
}

int figure_draw_modelled(const json_t *model, const char *gpu_path, const char *word) {
    json_t *gpu = measured_load(gpu_path);
    char family[64];
    long long size = 0;
    double least = INFINITY, most = 0;
    int rows = 0;
    if (!gpu || !figure_read_case(word, family, &size)) return 1;
    for (int i = 0; i < MOST; i++) {
        double modelled = measured_time_us(model, i, family, size);
        double measured = measured_time_us(gpu, i, family, size);
        if (!(modelled > 0 && measured > 0)) continue;
        least = fmin(least, fmin(modelled, measured));
        most = fmax(most, fmax(modelled, measured));
        rows++;
    }
    if (rows == 0) {
        fprintf(stderr, "ladder-docs figure: no step is both modelled and timed in %s\n", word);
        return 1;
    }
    least /= 2;
    figure_words words = {.length = 0};
    say_modelled(model, gpu, family, size, &words);
    double scale = (WIDTH - NAMES - VALUE) / log10(most / least), y = TOP + 2;
    const int row = rows <= FEW ? 42 : rows <= 2 * FEW ? 30 : ROW, bar = row / 2 - 3;
    begin_figure(WIDTH, TOP + rows * row + 4, words.text);
    char title[128], text[32];
    int letters = snprintf(title, sizeof title, "%s, %s: microseconds (log)", family,
                           kl_format_size(size, text, sizeof text));
    double key = NAMES + fmax(246, 7.5 * letters); // behind the title, 7.5 px per letter at most
    put_text(NAMES, 18, "t", "%s", title);
    put_rect(key, 8, 12, 12, "k2");
    put_text(key + 16, 18, "v", "modelled");
    put_rect(key + 80, 8, 12, 12, "s0 area");
    put_text(key + 96, 18, "v", "measured");
    for (int i = 0; i < MOST; i++) {
        double modelled = measured_time_us(model, i, family, size);
        double measured = measured_time_us(gpu, i, family, size);
        if (!(modelled > 0 && measured > 0)) continue;
        put_step(measured_step(gpu, i), y + bar - 2);
        put_time(NAMES, y - 2, bar, modelled, "k2", least, scale);
        put_time(NAMES, y - 1 + bar, bar, measured, "s0 area", least, scale);
        y += row;
    }
    kl_paper_end(stdout);
    json_decref(gpu);
    return 0;
}
