// What a search found, as text: see tune.h.
#include "learn/tune/tune.h"
#include "json.h"
#include "ladder_config.h"
#include "paper.h"

enum { FAULTS_SHOWN = 5 };

// ---- ranking -----------------------------------------------------------------------------------

static bool is_newest(const ladder_tune_records *records, const ladder_tune_record *r) {
    return ladder_tune_records_find(records, r->is_vendor ? NULL : &r->config, r->size) == r;
}

// Fills the records and the share of a configuration.
static void fill(const ladder_tune_view *view, ladder_tune_row *row) {
    double shares[LADDER_TUNE_SIZES], product = 1.0;
    row->measured = 0;
    for (int s = 0; s < view->size_count; s++) {
        const ladder_tune_record *r =
            ladder_tune_records_find(view->records, row->config, view->sizes[s]);
        const ladder_tune_record *best = ladder_tune_records_best(view->records, view->sizes[s]);
        row->at[s] = r && r->state == LADDER_TUNE_RIGHT ? r : NULL;
        if (!row->at[s] || !best) continue;
        shares[row->measured++] = r->rate / best->rate;
    }
    for (int i = 0; i < row->measured; i++) product *= shares[i];
    row->share = row->measured > 0 ? pow(product, 1.0 / row->measured) : 0.0;
}

static bool is_better(const ladder_tune_row *a, const ladder_tune_row *b) {
    return a->measured != b->measured ? a->measured > b->measured : a->share > b->share;
}

int ladder_tune_ranking(const ladder_tune_view *view, ladder_tune_row *out_rows) {
    const ladder_tune_records *records = view->records;
    int top = view->top < LADDER_TUNE_TOP ? view->top : LADDER_TUNE_TOP, count = 0;
    for (size_t i = 0; i < records->count; i++) {
        const ladder_tune_record *r = &records->items[i];
        ladder_tune_row row = {.config = &r->config};
        bool known = r->is_vendor || r->state != LADDER_TUNE_RIGHT;
        for (size_t k = 0; k < i && !known; k++) { // of several records the first stands for all
            const ladder_tune_record *before = &records->items[k];
            known = !before->is_vendor && before->state == LADDER_TUNE_RIGHT &&
                    ladder_tune_same(records->origin.space, &before->config, &r->config);
        }
        if (known) continue;
        fill(view, &row);
        if (row.measured == 0) continue;
        int place = count;
        while (place > 0 && is_better(&row, &out_rows[place - 1])) place--;
        if (place >= top) continue;
        count = count < top ? count + 1 : top;
        for (int k = count - 1; k > place; k--) out_rows[k] = out_rows[k - 1];
        out_rows[place] = row;
    }
    return count;
}

// ---- text --------------------------------------------------------------------------------------

// Parameters in which the records differ.
static uint32_t varying(const ladder_tune_records *records) {
    uint32_t mask = 0;
    const ladder_tune_config *first = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const ladder_tune_record *r = &records->items[i];
        if (r->is_vendor) continue;
        if (!first) first = &r->config;
        const ladder_tune_config pair[] = {*first, r->config};
        mask |= ladder_tune_varying(records->origin.space, pair, 2);
    }
    return mask;
}

// The values of the parameters that vary over all records: "256/128/8". Returns `text`.
static char *ladder_tune_values_text(const ladder_tune_records *records,
                                     const ladder_tune_config *config, char *text,
                                     size_t text_bytes) {
    uint32_t mask = varying(records);
    size_t used = 0;
    snprintf(text, text_bytes, "-"); // one configuration only
    for (int p = 0; p < records->origin.space->parameter_count && used + 16 < text_bytes; p++) {
        if ((mask >> p & 1) == 0) continue;
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%d", used > 0 ? "/" : "",
                                 config->values[p]);
    }
    return text;
}

// Their names in the same way: "BM/BN/STAGES". Returns `text`.
static char *ladder_tune_names_text(const ladder_tune_records *records, char *text,
                                    size_t text_bytes) {
    uint32_t mask = varying(records);
    size_t used = 0;
    snprintf(text, text_bytes, "configuration");
    for (int p = 0; p < records->origin.space->parameter_count; p++) {
        const char *name = records->origin.space->parameters[p].name;
        if ((mask >> p & 1) == 0 || used + strlen(name) + 2 > text_bytes) continue;
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", used > 0 ? "/" : "", name);
    }
    return text;
}

static void print_table(const ladder_tune_view *view, const kl_style *style, FILE *out) {
    static ladder_tune_row rows[LADDER_TUNE_TOP];
    char names[LADDER_TUNE_TEXT], text[LADDER_TUNE_TEXT], titles[LADDER_TUNE_SIZES][24];
    int count = ladder_tune_ranking(view, rows);
    if (count == 0) return;
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return; // a summary only; the records are written
    int sizes = view->size_count < KL_TABLE_COLUMNS - 5 ? view->size_count : KL_TABLE_COLUMNS - 5;
    kl_table_clear(table);
    for (int s = 0; s < sizes; s++) {
        kl_format_size(view->sizes[s], titles[s], sizeof titles[s]);
        kl_table_column(table, titles[s], KL_RIGHT);
    }
    kl_table_column(table, "of best", KL_RIGHT);
    kl_table_column(table, "regs", KL_RIGHT);
    kl_table_column(table, "banks", KL_RIGHT);
    kl_table_column(table, "values", KL_LEFT);
    for (int i = 0; i < count; i++) {
        int row = kl_table_row(table);
        const ladder_tune_record *any = NULL;
        for (int s = 0; s < sizes; s++) {
            const ladder_tune_record *r = rows[i].at[s];
            any = r ? r : any;
            if (!r) kl_table_cell(table, row, s, KL_DIM, "-");
            else kl_table_cell(table, row, s, KL_PLAIN, r->rate < 100 ? "%.2f" : "%.0f", r->rate);
        }
        kl_table_cell(table, row, sizes, KL_PLAIN, "%.3f", rows[i].share);
        if (any) kl_table_cell(table, row, sizes + 1, KL_PLAIN, "%d", any->registers);
        if (any && !isnan(any->bank_share))
            kl_table_cell(table, row, sizes + 2, KL_PLAIN, "%.0f %%", 100 * any->bank_share);
        kl_table_cell(table, row, sizes + 3, KL_PLAIN, "%s",
                      ladder_tune_values_text(view->records, rows[i].config, text, sizeof text));
    }
    ladder_tune_names_text(view->records, names, sizeof names);
    fprintf(out, "The best, in %s; banks: multiply-adds that wait for a register bank\nvalues: ",
            ladder_tune_rate_unit(view->records->origin.lab));
    kl_print_wrapped(out, style, 8, names);
    kl_table_print(table, style, out);
    free(table);
}

static void print_best(const ladder_tune_view *view, const kl_style *style, FILE *out) {
    char config[LADDER_TUNE_TEXT], text[LADDER_TUNE_TEXT + 128];
    for (int s = 0; s < view->size_count; s++) {
        const ladder_tune_record *best = ladder_tune_records_best(view->records, view->sizes[s]);
        if (!best) continue;
        char share[48] = "";
        if (!isnan(best->of_vendor))
            snprintf(share, sizeof share, ", %.3f of the library", best->of_vendor);
        snprintf(text, sizeof text, "Best at %lld: %.*f %s%s: %s", (long long)view->sizes[s],
                 best->rate < 100 ? 2 : 0, best->rate,
                 ladder_tune_rate_unit(view->records->origin.lab), share,
                 ladder_tune_config_text(view->records->origin.space, &best->config, UINT32_MAX,
                                         config, sizeof config));
        kl_print_wrapped(out, style, 2, text);
    }
}

static void print_counts(const ladder_tune_view *view, const kl_style *style, FILE *out) {
    size_t counts[LADDER_TUNE_STATE_COUNT] = {0};
    char text[512] = "Results:";
    for (size_t i = 0; i < view->records->count; i++) {
        const ladder_tune_record *r = &view->records->items[i];
        if (!r->is_vendor && is_newest(view->records, r)) counts[r->state]++;
    }
    for (int s = 0; s < LADDER_TUNE_STATE_COUNT; s++) {
        size_t used = strlen(text);
        if (counts[s] == 0) continue;
        snprintf(text + used, sizeof text - used, " %zu %s,", counts[s],
                 ladder_tune_state_word((ladder_tune_state)s));
    }
    text[strlen(text) - 1] = '.'; // the last comma, or the colon of an empty search
    kl_print_wrapped(out, style, 2, text);
}

static void print_faults(const ladder_tune_view *view, const kl_style *style, FILE *out) {
    char config[LADDER_TUNE_TEXT], text[LADDER_TUNE_TEXT + LADDER_TUNE_WHY + 64];
    int shown = 0;
    for (size_t i = 0; i < view->records->count && shown < FAULTS_SHOWN; i++) {
        const ladder_tune_record *r = &view->records->items[i];
        if (!ladder_tune_state_is_fault(r->state) || !is_newest(view->records, r)) continue;
        snprintf(text, sizeof text, "%s at %lld: %s: %s", ladder_tune_state_word(r->state),
                 (long long)r->size,
                 r->is_vendor ? "the vendor's library"
                              : ladder_tune_config_text(view->records->origin.space, &r->config,
                                                        UINT32_MAX, config, sizeof config),
                 r->why);
        kl_print_wrapped(out, style, 2, text);
        shown++;
    }
    size_t all = ladder_tune_faults(view);
    if (all > (size_t)shown) fprintf(out, "and %zu more such\n", all - (size_t)shown);
}

size_t ladder_tune_faults(const ladder_tune_view *view) {
    size_t count = 0;
    for (size_t i = 0; i < view->records->count; i++) {
        const ladder_tune_record *r = &view->records->items[i];
        count += ladder_tune_state_is_fault(r->state) && is_newest(view->records, r);
    }
    return count;
}

void ladder_tune_print(const ladder_tune_view *view, const kl_style *style, FILE *out) {
    const ladder_tune_origin *o = &view->records->origin;
    char text[512];
    snprintf(text, sizeof text, "%s on %s; times %s; driver %s, toolkit %s", o->lab->folder,
             o->device, o->simulated ? "modelled" : "measured", o->driver, o->toolkit);
    kl_print_wrapped(out, style, 2, text);
    print_table(view, style, out);
    print_best(view, style, out);
    print_counts(view, style, out);
    print_faults(view, style, out);
}

// Records of a search as JSON, schema ladder.tune/1. Fields are only ever added; a change of
// meaning is a new number. What is not known is null.

static void write_origin(kl_json *json, const ladder_tune_origin *o) {
    kl_json_string(json, "schema", "ladder.tune/1");
    kl_json_string(json, "lab", o->lab->folder);
    kl_json_object(json, "device");
    kl_json_string(json, "kind", o->simulated ? "sim" : "gpu");
    kl_json_string(json, "name", o->device);
    kl_json_string(json, "driver", o->driver);
    kl_json_string(json, "runtime", o->runtime);
    kl_json_end(json);
    kl_json_string(json, "toolkit", o->toolkit);
    kl_json_string(json, "architecture", "sm_" LADDER_CUDA_ARCHITECTURE);
    kl_json_string(json, "kernel", o->kernel);
    kl_json_string(json, "begun", o->date);
    kl_json_string(json, "time_kind", o->simulated ? "modelled" : "measured");
    kl_json_string(json, "rate_unit", ladder_tune_rate_unit(o->lab));
}

static void write_parameters(kl_json *json, const ladder_tune_space *space) {
    kl_json_array(json, "parameters");
    for (int p = 0; p < space->parameter_count; p++) {
        const ladder_tune_parameter *parameter = &space->parameters[p];
        kl_json_object(json, NULL);
        kl_json_string(json, "name", parameter->name);
        kl_json_string(json, "what", parameter->what);
        kl_json_array(json, "values");
        for (int v = 0; v < parameter->value_count; v++)
            kl_json_int(json, NULL, parameter->values[v]);
        kl_json_end(json);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_known(kl_json *json, const char *key, int value) {
    if (value >= 0) kl_json_int(json, key, value);
    else kl_json_null(json, key);
}

static void write_record(kl_json *json, const ladder_tune_origin *o, const ladder_tune_record *r) {
    kl_json_object(json, NULL);
    kl_json_string(json, "what", r->is_vendor ? "vendor" : "config");
    if (r->size > 0) kl_json_int(json, "size", r->size);
    else kl_json_null(json, "size"); // every size
    kl_json_string(json, "state", ladder_tune_state_word(r->state));
    if (r->why[0] != '\0') kl_json_string(json, "why", r->why);
    kl_json_number(json, "time_us", r->us);
    kl_json_array(json, "ci_us");
    kl_json_number(json, NULL, r->us_low);
    kl_json_number(json, NULL, r->us_high);
    kl_json_end(json);
    kl_json_int(json, "samples", r->samples);
    kl_json_number(json, "rate", r->rate);
    kl_json_number(json, "of_vendor", r->of_vendor);
    kl_json_number(json, "max_error", r->max_error);
    write_known(json, "registers", r->registers);
    write_known(json, "spill_bytes", r->spill_bytes);
    kl_json_number(json, "bank_share", r->bank_share);
    if (o->simulated) {
        kl_json_object(json, "counts");
        for (int i = 0; i < LADDER_TUNE_COUNTS; i++)
            kl_json_number(json, ladder_tune_count_word((ladder_tune_count)i), r->counts[i]);
        kl_json_end(json);
    }
    if (!r->is_vendor) {
        kl_json_object(json, "config");
        for (int p = 0; p < o->space->parameter_count; p++)
            kl_json_int(json, o->space->parameters[p].name, r->config.values[p]);
        kl_json_end(json);
    }
    kl_json_end(json);
}

kl_status ladder_tune_records_json(const ladder_tune_records *records, FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    write_origin(&json, &records->origin);
    write_parameters(&json, records->origin.space);
    kl_json_array(&json, "results");
    for (size_t i = 0; i < records->count; i++)
        write_record(&json, &records->origin, &records->items[i]);
    kl_json_end(&json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}

// ---- what a search found, as a picture ----------------------------------------------------------

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
