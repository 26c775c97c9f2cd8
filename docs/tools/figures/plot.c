// Curves in one frame: what occupancy is worth, and what it costs. See figure.h.
#include <stdarg.h>

#include "device/device.h"
#include "figures/figure.h"

enum { WIDTH = 760, HEIGHT = 312, LEFT = 58, RIGHT = 126, TOP = 34, BOTTOM = 44 };
enum { PLOT_WIDTH = WIDTH - LEFT - RIGHT, PLOT_HEIGHT = HEIGHT - TOP - BOTTOM };
enum { KEY = 18 }; // width of the piece of line beside a curve's name

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

static double y_of(const frame *f, double y) { return TOP + PLOT_HEIGHT * (1 - y / f->y_last); }

// words: for those who cannot see the curves.
static void begin(const frame *f, const char *words) {
    begin_figure(WIDTH, HEIGHT, words);
    put_text(8, 18, "t", "%s", f->title);
    put_text(LEFT + PLOT_WIDTH / 2.0, HEIGHT - 8, "v m", "%s", f->x_title);
    printf("<text x=\"14\" y=\"%d\" class=\"v m\" transform=\"rotate(-90 14 %d)\">%s</text>\n",
           TOP + PLOT_HEIGHT / 2, TOP + PLOT_HEIGHT / 2, f->y_title);
    for (double y = 0; y <= f->y_last; y += f->y_step) {
        put_line(LEFT, y_of(f, y), LEFT + PLOT_WIDTH, y_of(f, y), "grid");
        put_text(LEFT - 6, y_of(f, y) + 4, "v e", "%g", y);
    }
    for (double x = f->x_first; x <= f->x_last;
         x = f->logarithmic ? x * f->x_step : x + f->x_step) {
        put_line(x_of(f, x), TOP + PLOT_HEIGHT, x_of(f, x), TOP + PLOT_HEIGHT + 4, "axis");
        put_text(x_of(f, x), TOP + PLOT_HEIGHT + 18, "v m", "%g", x);
    }
}

static void label(int curve, double y, const char *text) {
    double x = LEFT + PLOT_WIDTH + 6;
    printf("<g class=\"s%d\" stroke-dasharray=\"%s\">", curve, kl_paper_dashes(curve));
    put_line(x, y - 4, x + KEY, y - 4, "line");
    put_text(x + KEY + 4, y, "v area", "%s", text);
    puts("</g>");
}

// ---- Rate against loads in flight ----

enum { CURVES = 4, POINTS = 8, MARK = 500 };

// Steps whose threads have so many loads in flight, and families that hold the occupancy down to so
// many warps.
typedef struct in_flight {
    struct {
        int step, loads;
    } curves[CURVES];
    struct {
        char family[64];
        int warps;
    } points[POINTS];
    int curve_count, point_count;
} in_flight;

// False after a message.
static bool read_in_flight(int count, char *const *words, in_flight *out) {
    *out = (in_flight){.curve_count = 0};
    for (int i = 0; i < count; i++) {
        int c = out->curve_count, p = out->point_count;
        if (c < CURVES &&
            sscanf(words[i], "%d:%d", &out->curves[c].step, &out->curves[c].loads) == 2) {
            out->curve_count++;
        } else if (p < POINTS && sscanf(words[i], "%63[^:]:%d", out->points[p].family,
                                        &out->points[p].warps) == 2) {
            out->point_count++;
        } else {
            fprintf(stderr, "ladder-docs figure: %s: expected STEP:LOADS or FAMILY:WARPS\n",
                    words[i]);
            return false;
        }
    }
    if (out->curve_count > 0 && out->point_count > 0) return true;
    fputs("ladder-docs figure: expected STEP:LOADS.. FAMILY:WARPS..\n", stderr);
    return false;
}

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
    printf(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"s%d area\"><title>%s</title></circle>\n",
        x, y, curve, text);
}

static int draw_curve(const frame *f, const json_t *run, const in_flight *all, int l) {
    int step = all->curves[l].step, loads = all->curves[l].loads;
    char name[32];
    printf("<polyline class=\"s%d line\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"", l,
           kl_paper_dashes(l));
    for (int k = 0; k < all->point_count; k++) {
        double rate = rate_of(run, step, all->points[k].family);
        if (!isfinite(rate)) {
            fprintf(stderr, "ladder-docs figure: the file has no rate of step %d at %s\n", step,
                    all->points[k].family);
            return 1;
        }
        printf("%.1f,%.1f ", x_of(f, all->points[k].warps * loads), y_of(f, rate));
    }
    puts("\"/>");
    for (int k = 0; k < all->point_count; k++) {
        char text[96];
        double rate = rate_of(run, step, all->points[k].family);
        snprintf(text, sizeof text, "step %d, %d warps: %.0f GB/s", step, all->points[k].warps,
                 rate);
        point(l, x_of(f, all->points[k].warps * loads), y_of(f, rate), text);
    }
    snprintf(name, sizeof name, loads == 1 ? "%d load per thread" : "%d loads", loads);
    label(l, TOP + 16.0 * (all->curve_count - l) + PLOT_HEIGHT / 2.0, name);
    return 0;
}

int figure_draw_in_flight(const json_t *run, int count, char *const *words) {
    in_flight all;
    if (!read_in_flight(count, words, &all)) return 1;
    const json_t *device = json_object_get(run, "device");
    const char *kind = json_string_value(json_object_get(device, "kind"));
    const char *name = json_string_value(json_object_get(device, "name"));
    char title[256];
    if (!kind || strcmp(kind, "gpu") != 0 || !name || strpbrk(name, "<>&")) {
        fputs("ladder-docs figure: the run is not one of a GPU\n", stderr);
        return 1;
    }
    snprintf(title, sizeof title, "Rates of steps %d to %d by loads in flight, measured on %s",
             all.curves[0].step, all.curves[all.curve_count - 1].step, name);
    figure_words said = {.length = 0};
    figure_say(&said, "%s, GB/s", title);
    for (int l = 0; l < all.curve_count; l++)
        for (int k = 0; k < all.point_count; k++) {
            double rate = rate_of(run, all.curves[l].step, all.points[k].family);
            figure_value(&said, rate, "%.0f (step %d, %d warps per SM, %d loads in flight)", rate,
                         all.curves[l].step, all.points[k].warps,
                         all.points[k].warps * all.curves[l].loads);
        }
    double most = said.most;
    figure_say_extremes(&said);
    frame f = {.x_first = 8,
               .x_last = 512,
               .y_last = MARK * ceil(most / MARK),
               .x_step = 2,
               .y_step = MARK,
               .logarithmic = true,
               .title = title,
               .x_title = "loads in flight on an SM at most: warps x loads per thread",
               .y_title = "GB/s"};
    begin(&f, said.text);
    for (int l = 0; l < all.curve_count; l++)
        if (draw_curve(&f, run, &all, l) != 0) return 1;
    kl_paper_end(stdout);
    return 0;
}

// ---- Warps against registers ----

// Active warps by registers: one line from step to step. Curves are shifted a little, so that those
// on top of each other are all seen.
static void draw_stairs(const frame *f, const sim_device *device, uint32_t threads, int curve) {
    double before = -1, shift = 1.5 * (curve - 1.5);
    printf("<path class=\"s%d line\" stroke-width=\"1.6\" stroke-dasharray=\"%s\" d=\"", curve,
           kl_paper_dashes(curve));
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

// With how many registers per thread all warps still fit, and with how many a block still does.
static void say_stairs(const sim_device *device, uint32_t threads, figure_words *words) {
    uint32_t all = 0, any = 0;
    for (uint32_t r = 16; r <= device->registers_per_thread; r++) {
        sim_occupancy o;
        sim_occupancy_compute(device, threads, r, 0, &o);
        if (o.warps_per_sm == device->warps_per_sm) all = r;
        if (o.warps_per_sm > 0) any = r;
    }
    figure_say(words, "; blocks of %u threads: all %u warps up to %u registers, a block up to %u",
               threads, device->warps_per_sm, all, any);
}

void figure_draw_registers(void) {
    static const uint32_t blocks[] = {128, 256, 512, 1024};
    const sim_device *device = sim_device_find("h100");
    frame f = {.x_first = 16,
               .x_last = 256,
               .y_last = device->warps_per_sm,
               .x_step = 16,
               .y_step = 8,
               .title = "One more register: active warps of a compute capability 9.0 SM",
               .x_title = "registers per thread",
               .y_title = "warps"};
    figure_words words = {.length = 0};
    figure_say(&words, "%s, by registers per thread", f.title);
    for (int b = 0; b < 4; b++) say_stairs(device, blocks[b], &words);
    begin(&f, words.text);
    for (int b = 0; b < 4; b++) {
        char text[48];
        draw_stairs(&f, device, blocks[b], b);
        snprintf(text, sizeof text, "%u threads", blocks[b]);
        label(b, TOP + 16.0 * (b + 1), text);
    }
}

// ---- Shapes ----

void begin_figure(double width, double height, const char *title) {
    kl_paper_begin(stdout, width, height, title);
}

void put_rect(double x, double y, double width, double height, const char *shape) {
    kl_paper_rect(stdout, x, y, width, height, shape);
}

void put_line(double x0, double y0, double x1, double y1, const char *shape) {
    kl_paper_line(stdout, x0, y0, x1, y1, shape);
}

void put_arrow(double x0, double y0, double x1, double y1) {
    kl_paper_arrow(stdout, x0, y0, x1, y1);
}

void put_text(double x, double y, const char *shape, const char *format, ...) {
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kl_paper_text(stdout, x, y, shape, "%s", text);
}

// ---- What a chart shows, in words ----

void figure_say(figure_words *words, const char *format, ...) {
    size_t available = sizeof words->text - words->length;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(words->text + words->length, available, format, arguments);
    va_end(arguments);
    if (wanted > 0) words->length += (size_t)wanted < available ? (size_t)wanted : available - 1;
}

void figure_value(figure_words *words, double value, const char *format, ...) {
    char name[FIGURE_NAME];
    if (!isfinite(value)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (words->count == 0 || value > words->most) {
        words->most = value;
        memcpy(words->most_name, name, sizeof name);
    }
    if (words->count == 0 || value < words->least) {
        words->least = value;
        memcpy(words->least_name, name, sizeof name);
    }
    words->count++;
}

void figure_say_extremes(figure_words *words) {
    if (words->count > 0 && words->most > words->least)
        figure_say(words, ": highest %s, lowest %s", words->most_name, words->least_name);
    else if (words->count > 1)
        figure_say(words, ": always %.*s", (int)strcspn(words->most_name, " "), words->most_name);
    else if (words->count == 1) figure_say(words, ": %s", words->most_name);
    words->count = 0;
}

double figure_text_x(double end, double line, size_t letters) {
    const double gap = 4, width = 7.0 * (double)letters; // of 11 px letters, at most
    return end < line && end + gap + width > line - 6 ? line + gap : end + gap;
}
