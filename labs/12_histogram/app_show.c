// What a run of lab 12's application shows: see app.h. Pure functions of the run.
#include "app.h"
#include "drawing.h"
#include "json.h"
#include "paper.h"
#include "table.h"

// ---- text ------------------------------------------------------------------------------------

static void print_images(const equal_run *run, const kl_style *style, FILE *out) {
    static const char *const titles[] = {"image",  "levels used", "98 % within", "mean",
                                         "spread", "entropy",     "from uniform"};
    const uint32_t *counts[] = {run->before, run->after};
    kl_table table;
    kl_table_clear(&table);
    for (size_t c = 0; c < sizeof titles / sizeof titles[0]; c++)
        kl_table_column(&table, titles[c], c == 0 ? KL_LEFT : KL_RIGHT);
    for (int i = 0; i < 2; i++) {
        equal_summary s = equal_summarise(counts[i]);
        int row = kl_table_row(&table);
        kl_table_cell(&table, row, 0, KL_PLAIN, "%s", i == 0 ? "before" : "equalised");
        kl_table_cell(&table, row, 1, KL_PLAIN, "%d", s.levels);
        kl_table_cell(&table, row, 2, KL_PLAIN, "%d..%d", s.low, s.high);
        kl_table_cell(&table, row, 3, KL_PLAIN, "%.1f", s.mean);
        kl_table_cell(&table, row, 4, KL_PLAIN, "%.1f", s.spread);
        kl_table_cell(&table, row, 5, KL_PLAIN, "%.2f bits", s.entropy_bits);
        kl_table_cell(&table, row, 6, KL_PLAIN, "%.0f %%", 100 * s.off_the_slope);
    }
    kl_table_print(&table, style, out);
}

static void print_steps(const equal_run *run, const kl_style *style, FILE *out) {
    char text[2][64];
    kl_table table;
    kl_table_clear(&table);
    kl_table_column(&table, "step", KL_RIGHT);
    kl_table_column(&table, "time, before", KL_RIGHT);
    kl_table_column(&table, "time, equalised", KL_RIGHT);
    for (int s = 0; s <= EQUAL_LAST_STEP; s++) {
        if (!run->steps[s].used) continue;
        int row = kl_table_row(&table);
        kl_table_cell(&table, row, 0, KL_PLAIN, "%d", s);
        kl_table_cell(&table, row, 1, KL_PLAIN, "%s",
                      kl_format_us(run->steps[s].before_us, text[0], sizeof text[0]));
        kl_table_cell(&table, row, 2, KL_PLAIN, "%s",
                      kl_format_us(run->steps[s].after_us, text[1], sizeof text[1]));
    }
    kl_table_print(&table, style, out);
}

void equal_print(const equal_run *run, FILE *out) {
    kl_style style = kl_style_for(out);
    fprintf(out, "Histogram equalisation, 12_histogram%s\ndevice    %s\n",
            run->options->solution ? " (solution)" : "", run->device);
    fprintf(out, "times     %s\n", run->simulated ? "modelled" : "medians, cold L2");
    fprintf(out, "image     %s, %d x %d pixels\n\n",
            run->options->image ? run->options->image : "hills in fog", run->image.width,
            run->image.height);
    print_images(run, &style, out);
    fputc('\n', out);
    print_steps(run, &style, out);
}

// ---- JSON ------------------------------------------------------------------------------------

static void write_image(kl_json *json, const char *key, const uint32_t *counts) {
    equal_summary s = equal_summarise(counts);
    kl_json_put(json,
                "%s {levels %d low %d high %d mean %g spread %g entropy_bits %g "
                "off_the_slope %g counts <",
                key, s.levels, s.low, s.high, s.mean, s.spread, s.entropy_bits, s.off_the_slope);
    for (int v = 0; v < EQUAL_LEVELS; v++) kl_json_uint(json, NULL, counts[v]);
    kl_json_put(json, ">}");
}

kl_status equal_write_json(void *context, FILE *out, kl_error *err) {
    const equal_run *run = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.equalised/1 lab histogram solution %hhd device %s "
                "time_kind %s width %d height %d",
                run->options->solution, run->device, run->simulated ? "modelled" : "measured",
                run->image.width, run->image.height);
    write_image(&json, "before", run->before);
    write_image(&json, "after", run->after);
    kl_json_list(&json, "level");
    for (int v = 0; v < EQUAL_LEVELS; v++) kl_json_uint(&json, NULL, run->level[v]);
    kl_json_put(&json, "> steps [");
    for (int s = 0; s <= EQUAL_LAST_STEP; s++) {
        if (!run->steps[s].used) continue;
        kl_json_put(&json, "(step %d before_us %g after_us %g)", s, run->steps[s].before_us,
                    run->steps[s].after_us);
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

// ---- picture ---------------------------------------------------------------------------------

enum { SHOWN = 288, GAP = 24, LEFT = 20, TOP = 44, CURVES = 100 };

// Bars of the counts, as high as the most frequent level allows, and the cumulative share as a
// line.
static void draw_histogram(double x, double y, const uint32_t *counts, FILE *out) {
    double most = 1, total = 0, below = 0, bar = (double)SHOWN / EQUAL_LEVELS;
    for (int v = 0; v < EQUAL_LEVELS; v++) {
        most = fmax(most, counts[v]);
        total += counts[v];
    }
    for (int v = 0; v < EQUAL_LEVELS; v++) {
        double height = CURVES * counts[v] / most, before = below;
        below += counts[v] / total;
        if (counts[v] > 0)
            kl_paper_rect(out, x + bar * v, y + CURVES - height, bar, height, "s0 area");
        kl_paper_line(out, x + bar * v, y + CURVES * (1 - before), x + bar * (v + 1),
                      y + CURVES * (1 - below), "s1 line");
    }
    kl_paper_line(out, x, y + CURVES, x + SHOWN, y + CURVES, "axis");
    kl_paper_text(out, x, y + CURVES + 16, "t", "0");
    kl_paper_text(out, x + SHOWN / 2.0, y + CURVES + 16, "t m", "grey level");
    kl_paper_text(out, x + SHOWN, y + CURVES + 16, "t e", "255");
}

kl_status equal_draw(void *context, FILE *out, kl_error *err) {
    const equal_run *run = context;
    double shown = (double)SHOWN * run->image.height / run->image.width;
    const equal_image *images[] = {&run->image, &run->equalised};
    const uint32_t *counts[] = {run->before, run->after};
    static const char *const names[] = {"Before", "Equalised"};
    kl_paper_begin(out, 2 * LEFT + 2 * SHOWN + GAP, TOP + shown + CURVES + 80,
                   "An image before and after histogram equalisation, each with its histogram");
    for (int i = 0; i < 2; i++) {
        double x = LEFT + i * (SHOWN + GAP);
        kl_paper_text(out, x, TOP - 14, "t", "%s", names[i]);
        kl_pixels_draw(out, x, TOP, SHOWN, shown, 1, images[i]->height, images[i]->width,
                       images[i]->pixels, names[i]);
        draw_histogram(x, TOP + shown + GAP, counts[i], out);
    }
    kl_paper_text(out, LEFT, TOP + shown + GAP + CURVES + 36, "t",
                  "bars: pixels of each level; line: share of pixels that are as dark or darker");
    return kl_picture_end(out, err);
}
