// Steps beside each other in several cases, as bars (decks): their rates or times in groups, and
// the gain of one step over another. See figure.h. Only what a run (ladder.run/2) holds is drawn.
#include "figures/figure.h"
#include "measured.h"
#include "table.h"

enum { WIDTH = 640, VALUE = 52, KEY = 30, TOP = 44 };
enum { MOST_STEPS = 6, MOST_ROWS = 12, TEXT = 120 };
static const double CHARACTER = 6.3; // px, of a label, on the average

// "with_words" without the underlines.
static void copy_words(char text[TEXT], const char *words) {
    snprintf(text, TEXT, "%s", words);
    for (char *c = text; *c; c++) *c = *c == '_' ? ' ' : *c;
}

// The next part of "A:B:C" behind *at; empty at the end.
static void take_part(const char **at, char text[TEXT]) {
    size_t length = strcspn(*at, ":");
    snprintf(text, TEXT, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ':');
}

// The result in the first of "NAME+NAME" where the step was timed, or NULL.
static const json_t *find_result(const json_t *step, const char *names, long long size) {
    char copy[TEXT], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        const json_t *result = measured_result(step, name, size);
        if (result) return result;
    }
    return NULL;
}

// ---- Rates or times: a group per case, a bar per step ----

typedef struct group {
    char label[TEXT];
    double value[MOST_STEPS];
} group;

typedef struct groups {
    const json_t *run;
    bool times;
    int steps, rows;
    char name[MOST_STEPS][TEXT]; // in the key
    const json_t *step[MOST_STEPS];
    group row[MOST_ROWS];
    double most, ceiling; // ceiling: 0 where it is not drawn
} groups;

// The last step is dark, the library grey.
static const char *shape_of(const groups *g, int step) {
    static const char *const shapes[] = {"pale area", "s1 area", "s4 area",
                                         "s3 area",   "s5 area", "s6 area"};
    bool library = strcmp(g->name[g->steps - 1], "library") == 0;
    if (library && step == g->steps - 1) return "plain area";
    return step == g->steps - 1 - library ? "s0 area" : shapes[step];
}

// list: "4,5,library". False after a message.
static bool find_steps(groups *g, const char *list) {
    for (const char *at = list; at && g->steps < MOST_STEPS; at = strchr(at, ',')) {
        at += *at == ',';
        bool library = strncmp(at, "library", 7) == 0;
        const json_t *step = library ? json_object_get(g->run, "vendor") //
                                     : measured_step(g->run, atoi(at));
        if (!step) {
            fprintf(stderr, "ladder-docs figure: no such step: %s\n", at);
            return false;
        }
        const char *name = json_string_value(json_object_get(step, "name"));
        if (library) snprintf(g->name[g->steps], TEXT, "library");
        else snprintf(g->name[g->steps], TEXT, "%d %s", atoi(at), name);
        g->step[g->steps++] = step;
    }
    return g->steps > 0;
}

// word: "NAME+NAME:SIZE:LABEL". False after a message when no step was timed there.
static bool read_group(groups *g, const char *word) {
    char names[TEXT], size[TEXT];
    group *row = &g->row[g->rows++];
    const char *at = word;
    int found = 0;
    take_part(&at, names);
    take_part(&at, size);
    copy_words(row->label, at);
    for (int i = 0; i < g->steps; i++) {
        const json_t *result = find_result(g->step[i], names, atoll(size));
        row->value[i] = measured_number(result, g->times ? "time_us" : "rate");
        if (isnan(row->value[i])) continue;
        g->most = fmax(g->most, row->value[i]);
        found++;
    }
    if (found == 0) fprintf(stderr, "ladder-docs figure: no step was timed in %s\n", word);
    return found > 0;
}

static double key_width(const char *name) { return 30 + CHARACTER * (double)strlen(name); }

static void put_key(const groups *g, double left) {
    double x = left, width = 0;
    for (int i = 0; i < g->steps; i++) width += key_width(g->name[i]);
    if (x + width > WIDTH) x = 8;
    for (int i = 0; i < g->steps; i++) {
        put_rect(x, KEY - 1, 10, 10, shape_of(g, i));
        put_text(x + 14, KEY + 8, "v", "%s", g->name[i]);
        x += key_width(g->name[i]);
    }
}

static const char *value_text(const groups *g, double value, char text[TEXT]) {
    if (!g->times) return kl_format_rate(value, text, TEXT);
    snprintf(text, TEXT, "%.*f", value < 99.95, value);
    return text;
}

// line: where the ceiling is, or 0.
static void put_group(const groups *g, const group *row, double left, double top, int bar,
                      double line) {
    double scale = (WIDTH - left - VALUE) / fmax(g->most, g->ceiling);
    put_text(left - 8, top + g->steps * bar / 2.0 + 3, "v e", "%s", row->label);
    for (int i = 0; i < g->steps; i++) {
        char text[TEXT];
        double y = top + i * bar, length = fmax(row->value[i] * scale, 1);
        if (isnan(row->value[i])) continue;
        put_rect(left, y, length, bar - 2, shape_of(g, i));
        value_text(g, row->value[i], text);
        put_text(figure_text_x(left + length, line, strlen(text)), y + bar / 2.0 + 3, "v halo",
                 "%s", text);
    }
}

// Which step is the fastest in how many groups.
static void say_winners(const groups *g, figure_words *words) {
    int wins[MOST_STEPS] = {0}, said = 0;
    for (int r = 0; r < g->rows; r++) {
        const double *value = g->row[r].value;
        int best = -1;
        for (int i = 0; i < g->steps; i++)
            if (isfinite(value[i]) &&
                (best < 0 || (g->times ? value[i] < value[best] : value[i] > value[best])))
                best = i;
        if (best >= 0) wins[best]++;
    }
    for (int i = 0; i < g->steps && g->steps > 1; i++)
        if (wins[i] > 0)
            figure_say(words, said++ ? ", %s in %d" : "; fastest: %s in %d", g->name[i], wins[i]);
    if (said > 0) figure_say(words, " of %d case%s", g->rows, g->rows == 1 ? "" : "s");
}

static void say_groups(const groups *g, figure_words *words) {
    char text[TEXT];
    figure_say(words,
               g->times ? "Times of steps as bars, microseconds, %s%s"
                        : "Rates of steps as bars, %s, %s",
               g->times ? measured_device(g->run) : measured_rates_of(g->run).unit,
               g->times ? "" : measured_device(g->run));
    for (int r = 0; r < g->rows; r++)
        for (int i = 0; i < g->steps; i++)
            if (isfinite(g->row[r].value[i]))
                figure_value(words, g->row[r].value[i], "%s (%s, %s)",
                             value_text(g, g->row[r].value[i], text), g->name[i], g->row[r].label);
    figure_say_extremes(words);
    say_winners(g, words);
}

static void put_title(const groups *g) {
    measured_rates rates = measured_rates_of(g->run);
    if (g->times) put_text(8, 18, "t", "microseconds, less is better, %s", measured_device(g->run));
    else if (g->ceiling > 0)
        put_text(8, 18, "t", "%s, %s; dashed: %s ceiling, %.*f", rates.unit,
                 measured_device(g->run), rates.ceiling_name, rates.ceiling < 999.5, rates.ceiling);
    else put_text(8, 18, "t", "%s, %s", rates.unit, measured_device(g->run));
}

int figure_draw_groups(const json_t *run, bool times, int count, char *const *words) {
    groups g = {.run = run, .times = times};
    size_t longest = 0;
    if (count < 2 || count - 1 > MOST_ROWS || !find_steps(&g, words[0])) return 1;
    for (int i = 1; i < count; i++) {
        if (!read_group(&g, words[i])) return 1;
        size_t length = strlen(g.row[i - 1].label);
        longest = length > longest ? length : longest;
    }
    double ceiling = measured_rates_of(run).ceiling;
    if (!times && g.most > ceiling / 4) g.ceiling = ceiling;
    const int bar = g.steps * g.rows <= 6 ? 22 : g.steps * g.rows <= 12 ? 16 : 13;
    const int group_height = g.steps * bar + (g.steps > 1 ? 10 : 4);
    double left = 20 + CHARACTER * (double)longest, bottom = TOP + 4 + g.rows * group_height;
    double line = left + g.ceiling / fmax(g.most, g.ceiling) * (WIDTH - left - VALUE);
    figure_words words_of_all = {.length = 0};
    say_groups(&g, &words_of_all);
    begin_figure(WIDTH, bottom + 2, words_of_all.text);
    put_title(&g);
    put_key(&g, left);
    if (g.ceiling > 0) put_line(line, TOP, line, bottom - 6, "dash s2 line");
    for (int i = 0; i < g.rows; i++)
        put_group(&g, &g.row[i], left, TOP + 4 + i * group_height, bar, g.ceiling > 0 ? line : 0);
    kl_paper_end(stdout);
    return 0;
}

// ---- Gains: how much faster a step is than another one ----

typedef struct gain_row {
    char label[TEXT];
    int cases; // 1 or 2
    double gain[2];
} gain_row;

// word: "STEP/BEFORE:IDEA:CASE:SIZE[:CASE:SIZE]". False after a message.
static bool read_gain(const json_t *run, const char *word, gain_row *out) {
    char steps[TEXT], part[TEXT], idea[TEXT], name[TEXT];
    int step = -1, before = -1;
    const char *at = word;
    take_part(&at, steps);
    take_part(&at, part);
    copy_words(idea, part);
    snprintf(out->label, TEXT, "%d: %.100s", atoi(steps), idea);
    bool well_formed = sscanf(steps, "%d/%d", &step, &before) == 2 && *at != '\0';
    for (out->cases = 0; well_formed && out->cases < 2 && *at != '\0'; out->cases++) {
        take_part(&at, name);
        take_part(&at, part);
        double was = measured_time_us(run, before, name, atoll(part));
        double is = measured_time_us(run, step, name, atoll(part));
        out->gain[out->cases] = was / is;
        well_formed = was > 0 && is > 0;
    }
    if (!well_formed) fprintf(stderr, "ladder-docs figure: %s: not timed, or no such form\n", word);
    return well_formed;
}

typedef struct gain_axis {
    double left, one, scale; // px: where bars may begin, where 1 is, of a factor of e
} gain_axis;

static int gain_digits(double gain) { return gain < 9.95 ? 2 : gain < 99.5; }

// A gain grows to the right of 1, a loss to the left.
static void put_gain(const gain_axis *axis, double y, int bar, double gain, const char *shape) {
    double length = fmax(fabs(log(gain)) * axis->scale, 1);
    bool loss = gain < 1;
    put_rect(loss ? axis->one - length : axis->one, y, length, bar - 2, loss ? "s2 area" : shape);
    put_text(axis->one + (loss ? 0 : length) + 5, y + bar / 2.0 + 3, "v halo", "%.*f x",
             gain_digits(gain), gain);
}

static void put_gain_key(const char *keys, double x) {
    char first[TEXT], second[TEXT];
    size_t length = strcspn(keys, ",");
    if (keys[length] == '\0') return;
    copy_words(second, keys + length + 1);
    copy_words(first, keys);
    first[length] = '\0';
    put_rect(x, KEY - 1, 10, 10, "pale area");
    put_text(x + 14, KEY + 8, "v", "%s", first);
    x += key_width(first);
    put_rect(x, KEY - 1, 10, 10, "s0 area");
    put_text(x + 14, KEY + 8, "v", "%s", second);
}

static void say_gains(const json_t *run, int rows, const gain_row *row, figure_words *words) {
    int losses = 0;
    figure_say(words, "Gain of each step over another one as bars, %s", measured_device(run));
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < row[i].cases; k++) {
            losses += row[i].gain[k] < 1;
            figure_value(words, row[i].gain[k], "%.*f x (%s)", gain_digits(row[i].gain[k]),
                         row[i].gain[k], row[i].label);
        }
    figure_say_extremes(words);
    if (losses > 0)
        figure_say(words, "; %d bar%s a loss", losses, losses == 1 ? " shows" : "s show");
}

static void draw_gains(const json_t *run, const char *keys, int rows, const gain_row *row) {
    double least = 1, most = 1;
    size_t longest = 0;
    int cases = row[0].cases;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < row[i].cases; k++) {
            least = fmin(least, row[i].gain[k]);
            most = fmax(most, row[i].gain[k]);
        }
        longest = strlen(row[i].label) > longest ? strlen(row[i].label) : longest;
    }
    gain_axis axis = {.left = 20 + CHARACTER * (double)longest};
    axis.scale = (WIDTH - axis.left - VALUE) / fmax(log(most / least), 1e-3);
    axis.one = axis.left + -log(least) * axis.scale;
    const int bar = cases * rows <= 6 ? 22 : cases * rows <= 9 ? 18 : 15, gap = cases > 1 ? 9 : 6;
    const int top = cases > 1 ? TOP : KEY; // a single column has no key
    double bottom = top + 4 + rows * (cases * bar + gap);
    figure_words words = {.length = 0};
    say_gains(run, rows, row, &words);
    begin_figure(WIDTH, bottom + 2, words.text);
    put_text(8, 18, "t", "time before / time after, logarithmic, %s%s", measured_device(run),
             least < 1 ? "; to the left of the line: a loss" : "");
    put_gain_key(keys, axis.left);
    put_line(axis.one, top, axis.one, bottom - 4, "axis");
    for (int i = 0; i < rows; i++) {
        double y = top + 4 + i * (cases * bar + gap);
        put_text(axis.left - 8, y + cases * bar / 2.0 + 3, "v e", "%s", row[i].label);
        for (int k = 0; k < row[i].cases; k++)
            put_gain(&axis, y + k * bar, bar, row[i].gain[k],
                     k + 1 == cases ? "s0 area" : "pale area");
    }
    kl_paper_end(stdout);
}

int figure_draw_gains(const json_t *run, int count, char *const *words) {
    gain_row rows[MOST_ROWS];
    if (count < 2 || count - 1 > MOST_ROWS) {
        fputs("ladder-docs figure: expected KEYS and rows STEP/BEFORE:IDEA:CASE:SIZE\n", stderr);
        return 1;
    }
    for (int i = 1; i < count; i++)
        if (!read_gain(run, words[i], &rows[i - 1])) return 1;
    draw_gains(run, words[0], count - 1, rows);
    return 0;
}
