// Micro-ladders (ladder.micro/1) as bars, one panel a sweep: see figure.h. The bars are what was
// counted, or of one sweep the times; no number is drawn that is not in the file. Sweeps that
// count nothing are left out of the former.
#include "figures/figure.h"

enum { WIDTH = 760, LEFT = 46, BAR_MAX = 110, PANEL = 178, PLOT = 96, TOP = 38 };

typedef struct panel {
    const json_t *sweep;
    const char *title, *ratio, *parameter;
    bool percent;      // more is better, up to 100; else fewer, and a warp never needs more than 32
    double most, best; // of the scale, of the sweep
    int at, bar;       // number of the panel, width of a bar
} panel;

static double ratio_of(const json_t *point) {
    return json_number_value(json_object_get(point, "ratio"));
}

// The value of a bar's parameter, such as a stride or a condition.
static const char *parameter_text(const json_t *value, char text[32]) {
    if (json_is_integer(value)) snprintf(text, 32, "%lld", (long long)json_integer_value(value));
    else snprintf(text, 32, "%s", json_string_value(value));
    return text;
}

// A number above or below a bar: as large as there is room for.
static void put_number(double middle, double y, int bar, const char *text) {
    enum { LETTER = 6 };
    put_text(middle, y, (int)strlen(text) * LETTER < bar ? "v m" : "n m", "%s", text);
}

static bool is_good(const panel *p, double value) {
    return p->percent ? value >= 0.97 * p->best : value <= p->best;
}

// Fills what follows from the sweep; false when it counts nothing.
static bool read_panel(const json_t *run, const char *name, panel *p) {
    const json_t *ratio = json_object_get(json_object_get(run, "ratios"), name);
    const json_t *title = json_object_get(json_object_get(run, "titles"), name);
    json_t *first = json_array_get(p->sweep, 0);
    if (!json_is_string(ratio) || !json_is_string(title) || !first) return false;
    p->ratio = json_string_value(ratio);
    p->title = json_string_value(title);
    p->parameter = json_object_iter_key(json_object_iter(first)); // the first one written
    p->percent = strchr(p->ratio, '%');
    p->most = p->percent ? 100 : 32;
    p->best = ratio_of(first);
    int available = (WIDTH - LEFT - 8) / (int)json_array_size(p->sweep) - 1;
    p->bar = available < BAR_MAX ? available : BAR_MAX;
    size_t index;
    json_t *point;
    json_array_foreach(p->sweep, index, point) {
        double value = ratio_of(point);
        if (p->percent ? value > p->best : value < p->best) p->best = value;
    }
    return true;
}

static void bar(const panel *p, size_t index, const json_t *point) {
    int base = p->at * PANEL + TOP + PLOT;
    int x = LEFT + (int)index * (p->bar + 1), middle = x + p->bar / 2 - 1;
    double value = ratio_of(point), height = PLOT * value / p->most;
    const json_t *parameter = json_object_get(point, p->parameter);
    put_rect(x, base - height, p->bar - 2, height, is_good(p, value) ? "good" : "bad");
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    put_number(middle, base - height - 3, p->bar, text);
    put_number(middle, base + 13, p->bar, parameter_text(parameter, text));
}

static void draw_panel(const panel *p) {
    put_text(8, p->at * PANEL + 16, "t", "%s (%s)", p->title, p->ratio);
    put_text(6, p->at * PANEL + TOP + PLOT + 27, "v", "%s", p->parameter);
    size_t index;
    json_t *point;
    json_array_foreach(p->sweep, index, point) bar(p, index, point);
}

static void say_panel(const panel *p, figure_words *words) {
    size_t index;
    json_t *point;
    char text[32];
    figure_say(words, "; %s (%s)", p->title, p->ratio);
    json_array_foreach(p->sweep, index, point)
        figure_value(words, ratio_of(point), "%.4g (%s %s)", ratio_of(point), p->parameter,
                     parameter_text(json_object_get(point, p->parameter), text));
    figure_say_extremes(words);
}

int figure_draw_micro_times(json_t *run, const char *name) {
    json_t *sweep = json_object_get(run, name);
    const json_t *title = json_object_get(json_object_get(run, "titles"), name);
    const json_t *kind = json_object_get(run, "kind"), *device = json_object_get(run, "device");
    int count = (int)json_array_size(sweep);
    if (count == 0 || !json_is_string(kind) || !json_is_string(device)) {
        fprintf(stderr,
                "ladder-docs figure: the file has no sweep %s, or does not say what ran it\n",
                name);
        return 1;
    }
    double first = json_number_value(json_object_get(json_array_get(sweep, 0), "time_us"));
    double most = 0;
    size_t index;
    json_t *point;
    json_array_foreach(sweep, index, point) {
        double value = json_number_value(json_object_get(point, "time_us")) / first;
        if (value > most) most = value;
    }
    enum { TALL = 200, BASE = TOP + TALL };
    int available = (WIDTH - LEFT - 8) / count, bar_px = available < BAR_MAX ? available : BAR_MAX;
    const char *parameter = json_object_iter_key(json_object_iter(json_array_get(sweep, 0)));
    bool gpu = strcmp(json_string_value(kind), "gpu") == 0;
    figure_words words = {.length = 0};
    char text[32];
    figure_say(&words, "%s, as bars, time over that of the first, %s on an %s",
               json_string_value(title) ? json_string_value(title) : name,
               gpu ? "measured" : "modelled", json_string_value(device));
    json_array_foreach(sweep, index, point) {
        double value = json_number_value(json_object_get(point, "time_us")) / first;
        figure_value(&words, value, "%.*f (%s %s)", value < 9.95, value, parameter,
                     parameter_text(json_object_get(point, parameter), text));
    }
    figure_say_extremes(&words);
    begin_figure(WIDTH, BASE + 44, words.text);
    put_text(8, 16, "t", "%s", json_string_value(title) ? json_string_value(title) : name);
    json_array_foreach(sweep, index, point) {
        double value = json_number_value(json_object_get(point, "time_us")) / first;
        double height = TALL * value / most, x = LEFT + (int)index * bar_px;
        double middle = x + bar_px / 2.0 - 1;
        put_rect(x, BASE - height, bar_px - 3, height, value < 1.1 ? "good" : "bad");
        snprintf(text, sizeof text, "%.*f", value < 9.95, value);
        put_number(middle, BASE - height - 3, bar_px, text);
        put_number(middle, BASE + 13, bar_px,
                   parameter_text(json_object_get(point, parameter), text));
    }
    put_text(LEFT, BASE + 34, "v", "%s; time over that of the first, %s on an %s", parameter,
             gpu ? "measured" : "modelled", json_string_value(device));
    kl_paper_end(stdout);
    return 0;
}

// Whether a name is in "NAME,NAME"; NULL has all names.
static bool is_wanted(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return !names;
}

int figure_draw_micro(json_t *run, const char *names) {
    enum { PANELS = 16 };
    panel panels[PANELS];
    int count = 0;
    const char *name;
    json_t *sweep;
    json_object_foreach(run, name, sweep) {
        if (count == PANELS || !json_is_array(sweep) || !is_wanted(names, name)) continue;
        panels[count] = (panel){.sweep = sweep, .at = count};
        if (!read_panel(run, name, &panels[count])) continue;
        if (!json_is_number(json_object_get(json_array_get(sweep, 0), "ratio"))) {
            fprintf(stderr, "ladder-docs figure: %s has no counts; a run on the simulator has\n",
                    name);
            return 1;
        }
        count++;
    }
    if (count == 0) {
        fputs("ladder-docs figure: the file has no sweep with counts and a title\n", stderr);
        return 1;
    }
    figure_words words = {.length = 0};
    figure_say(&words, "Counts of small kernels as bars");
    for (int i = 0; i < count; i++) say_panel(&panels[i], &words);
    begin_figure(WIDTH, count * PANEL, words.text);
    for (int i = 0; i < count; i++) draw_panel(&panels[i]);
    kl_paper_end(stdout);
    return 0;
}
