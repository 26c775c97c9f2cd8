// What a search found, as a picture: see tune.h.
#include "learn/tune/tune.h"
#include "paper.h"

enum {
    WIDTH = 860,
    LABEL = 300, // of a bar, on the left
    BAR = 16,    // from one bar to the next
    BARS = 8,    // of a size
    HEAD = 26,   // above the bars of a size
    VALUE = 150, // behind a bar
    MAP_CELL = 46,
    MAP_ROW = 24,
    MAP_HEAD = 60
};

static int compare_rate(const ladder_tune_record *a, const ladder_tune_record *b) {
    return (a->rate < b->rate) - (a->rate > b->rate);
}

// The right ones of a size with the highest rates, newest records only. out: [BARS].
static int best_of_size(const ladder_tune_records *records, int64_t size,
                        const ladder_tune_record **out) {
    int count = 0;
    for (size_t i = 0; i < records->count; i++) {
        const ladder_tune_record *r = &records->items[i];
        if (r->is_vendor || r->size != size || r->state != LADDER_TUNE_RIGHT ||
            ladder_tune_records_find(records, &r->config, size) != r)
            continue;
        int place = count;
        while (place > 0 && compare_rate(r, out[place - 1]) < 0) place--;
        if (place == BARS) continue;
        count = count < BARS ? count + 1 : BARS;
        for (int k = count - 1; k > place; k--) out[k] = out[k - 1];
        out[place] = r;
    }
    return count;
}

static double vendor_rate(const ladder_tune_records *records, int64_t size) {
    const ladder_tune_record *r = ladder_tune_records_find(records, NULL, size);
    return r && r->state == LADDER_TUNE_RIGHT ? r->rate : NAN;
}

static int draw_size(const ladder_tune_view *view, int64_t size, int top, FILE *out) {
    const ladder_tune_record *best[BARS];
    char text[LADDER_TUNE_TEXT];
    int count = best_of_size(view->records, size, best);
    double vendor = vendor_rate(view->records, size);
    if (count == 0) return top;
    double most = fmax(best[0]->rate, isnan(vendor) ? 0 : vendor);
    double scale = (WIDTH - LABEL - VALUE) / most;
    kl_paper_text(out, 8, top + 16, "t", "size %lld, %s", (long long)size,
                  ladder_tune_rate_unit(view->records->origin.lab));
    for (int i = 0; i < count; i++) {
        const ladder_tune_record *r = best[i];
        int y = top + HEAD + i * BAR;
        kl_paper_text(out, LABEL - 6, y + 11, "v e", "%s",
                      ladder_tune_values_text(view->records, &r->config, text, sizeof text));
        ladder_html(out,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"s0 area\">"
                    "<title>%s</title></rect>\n<text x=\"%.1f\" y=\"%d\" class=\"v\">%.2f",
                    LABEL, y, r->rate * scale, BAR - 3,
                    ladder_tune_config_text(view->records->origin.space, &r->config, UINT32_MAX,
                                            text, sizeof text),
                    LABEL + r->rate * scale + 5, y + 11, r->rate);
        if (!isnan(r->of_vendor)) fprintf(out, " (%.3f of the library)", r->of_vendor);
        fputs("</text>\n", out);
    }
    if (!isnan(vendor)) {
        double x = LABEL + vendor * scale;
        kl_paper_line(out, x, top + HEAD - 4, x, top + HEAD + count * BAR, "s2 line");
    }
    return top + HEAD + count * BAR + 14;
}

// ---- heat map ----------------------------------------------------------------------------------

// The best rate at the size among the right configurations with these values of x and y; NaN
// without any.
static double map_rate(const ladder_tune_view *view, int64_t size, int x_value, int y_value) {
    double best = NAN;
    for (size_t i = 0; i < view->records->count; i++) {
        const ladder_tune_record *r = &view->records->items[i];
        if (r->is_vendor || r->size != size || r->state != LADDER_TUNE_RIGHT ||
            r->config.values[view->map_x] != x_value || r->config.values[view->map_y] != y_value)
            continue;
        best = isnan(best) || r->rate > best ? r->rate : best;
    }
    return best;
}

// A cell with its number: from the paper's colour at half of the best and below to blue at the
// best.
static void draw_cell(FILE *out, int x, int y, double share, const char *text) {
    double t = share > 0.5 ? 2 * (share - 0.5) : 0;
    kl_paper_rect(out, x, y, MAP_CELL - 2, MAP_ROW - 2, isnan(share) ? "cell" : "frame");
    if (!isnan(share))
        fprintf(out,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"k0\" "
                "fill-opacity=\"%.2f\"/>\n",
                x, y, MAP_CELL - 2, MAP_ROW - 2, t);
    kl_paper_text(out, x + MAP_CELL / 2.0 - 1, y + 16, "v m", "%s", text);
}

static int draw_map(const ladder_tune_view *view, int64_t size, int top, FILE *out) {
    const ladder_tune_record *best = ladder_tune_records_best(view->records, size);
    if (!best || view->map_x < 0 || view->map_y < 0) return top;
    const ladder_tune_parameter *x = &view->records->origin.space->parameters[view->map_x];
    const ladder_tune_parameter *y = &view->records->origin.space->parameters[view->map_y];
    kl_paper_text(out, 8, top + 16, "t", "the best at size %lld for each %s (across) and %s (down)",
                  (long long)size, x->name, y->name);
    for (int i = 0; i < x->value_count; i++)
        kl_paper_text(out, LABEL + i * MAP_CELL + MAP_CELL / 2, top + MAP_HEAD - 8, "v m", "%d",
                      x->values[i]);
    for (int k = 0; k < y->value_count; k++) {
        int row = top + MAP_HEAD + k * MAP_ROW;
        kl_paper_text(out, LABEL - 6, row + 16, "v e", "%d", y->values[k]);
        for (int i = 0; i < x->value_count; i++) {
            double rate = map_rate(view, size, x->values[i], y->values[k]);
            char text[16] = "-";
            if (!isnan(rate)) snprintf(text, sizeof text, rate < 100 ? "%.1f" : "%.0f", rate);
            draw_cell(out, LABEL + i * MAP_CELL, row, rate / best->rate, text);
        }
    }
    return top + MAP_HEAD + y->value_count * MAP_ROW + 14;
}

// Bars and, if it is asked for, the map; height of all. The drawing goes to `out`.
static int draw_parts(const ladder_tune_view *view, FILE *out) {
    int top = 50;
    for (int s = 0; s < view->size_count; s++) top = draw_size(view, view->sizes[s], top, out);
    return draw_map(view, view->sizes[view->size_count - 1], top, out);
}

void ladder_tune_draw(const ladder_tune_view *view, FILE *out) {
    const ladder_tune_origin *o = &view->records->origin;
    FILE *nowhere = fopen("/dev/null", "w"); // the height stands before what gives it
    int height = nowhere ? draw_parts(view, nowhere) : 4000;
    if (nowhere) fclose(nowhere);
    kl_paper_begin(out, WIDTH, height, "The best configurations of a search");
    kl_paper_text(out, 8, 18, "t", "%s, %s: %s", o->lab->folder,
                  o->simulated ? "modelled" : "measured", o->device);
    char names[LADDER_TUNE_TEXT];
    bool has_vendor = !isnan(vendor_rate(view->records, view->sizes[view->size_count - 1]));
    kl_paper_text(out, 8, 36, "v", "%s%s",
                  ladder_tune_names_text(view->records, names, sizeof names),
                  has_vendor ? "; line: the vendor's library" : "");
    draw_parts(view, out);
    kl_paper_end(out);
}
