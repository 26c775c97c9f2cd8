// SPDX-License-Identifier: MIT
// A ladder's table with a column for each timed case of the last step: see forms.h.
#include "tables/forms.h"

#include <string.h>

#include "measured.h"

int tables_find_columns(const json_t *run, tables_column columns[TABLES_COLUMNS_MAX]) {
    int count = 0;
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(measured_last_step(run), "results"), index, result) {
        if (!json_object_get(result, "time_us") || count == TABLES_COLUMNS_MAX) continue;
        columns[count].family = json_string_value(json_object_get(result, "case"));
        columns[count++].size = json_integer_value(json_object_get(result, "size"));
    }
    return count;
}

bool tables_has_families(const tables_column *columns, int count) {
    for (int i = 1; i < count; i++)
        if (strcmp(columns[i].family, columns[0].family) != 0) return true;
    return false;
}

// Of a step that has families of its own (a copy), the case of that size is in the first column
// of the size.
static double column_value(const json_t *step, const tables_column *columns, int at,
                           const char *key) {
    size_t index;
    json_t *result;
    double of_size = 0;
    bool own_families = true;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        const char *family = json_string_value(json_object_get(result, "case"));
        if (!json_object_get(result, "time_us")) continue;
        double value = json_number_value(json_object_get(result, key));
        bool same_size = json_integer_value(json_object_get(result, "size")) == columns[at].size;
        if (same_size && strcmp(family, columns[at].family) == 0) return value;
        for (int i = 0; i <= at; i++)
            own_families = own_families && strcmp(family, columns[i].family) != 0;
        if (same_size) of_size = value;
    }
    bool first = at == 0 || columns[at - 1].size != columns[at].size;
    return own_families && first ? of_size : 0;
}

// Columns of a table: [first, end) of `count`; the share of the ceiling stands after the last one.
typedef struct part {
    int first, end, count;
} part;

static void families_row(FILE *out, const json_t *step, const tables_column *columns, part p,
                         const measured_rates *rate) {
    json_int_t number = json_integer_value(json_object_get(step, "step"));
    if (number >= 0)
        fprintf(out, "| %lld | %s |", (long long)number, measured_text(step, "name"));
    else
        fputs("| | vendor library |", out);
    for (int i = p.first; i < p.end; i++)
        tables_rate_cell(out, column_value(step, columns, i, "rate"));
    double last = 0; // in the last case that the step has
    for (int i = 0; i < p.count; i++) {
        double value = column_value(step, columns, i, "rate");
        last = value > 0 ? value : last;
    }
    if (p.end == p.count)
        tables_cell(out, rate->ceiling > 0 ? 100 * last / rate->ceiling : 0,
                    last < 0.0995 * rate->ceiling ? "%.1f %%" : "%.0f %%");
    fputc('\n', out);
}

// The least microseconds that memory and a launch leave for a case.
static double least_us(const json_t *run, const tables_column *at) {
    const json_t *ceilings = json_object_get(run, "ceilings");
    double gbs = json_number_value(json_object_get(ceilings, "read_gbs"));
    double launch_us = json_number_value(json_object_get(ceilings, "launch_us"));
    const json_t *bytes = json_object_get(measured_case(run, at->family, at->size), "work_bytes");
    double read_us = gbs > 0 ? json_number_value(bytes) / gbs * 1e-3 : 0;
    return read_us > launch_us ? read_us : launch_us;
}

// Whether the last step is a launch and little else, which takes longer than memory needs: then
// operations per second say nothing of the steps.
static bool is_launch(const json_t *run, const tables_column *at) {
    const double little = 4; // launches
    const json_t *last = measured_last_step(run), *ceilings = json_object_get(run, "ceilings");
    const json_t *result = measured_result(last, at->family, at->size);
    const char *unit = json_string_value(json_object_get(last, "rate_unit"));
    double launch_us = json_number_value(json_object_get(ceilings, "launch_us"));
    return unit && strcmp(unit, "TFLOP/s") == 0 && launch_us > 0 &&
           least_us(run, at) <= launch_us &&
           json_number_value(json_object_get(result, "time_us")) <= little * launch_us;
}

// Moves the cases that no step but the last was timed in, or that are launches and little else,
// behind the others; returns how many those others are.
static int shared_first(const json_t *run, tables_column *columns, int count) {
    tables_column last_only[TABLES_COLUMNS_MAX];
    int shared = 0, alone = 0;
    for (int i = 0; i < count; i++) {
        bool others = false;
        size_t index;
        json_t *step;
        json_array_foreach(json_object_get(run, "steps"), index, step) others =
            others ||
            (step != measured_last_step(run) && column_value(step, columns, i, "rate") > 0);
        if (others && !is_launch(run, &columns[i]))
            columns[shared++] = columns[i];
        else
            last_only[alone++] = columns[i];
    }
    memcpy(columns + shared, last_only, (size_t)alone * sizeof *columns);
    return shared;
}

// What the last step reaches of the upper bound in a case: no more than the share that the padding
// of its tiles leaves of the rate in the case nearest in size that needs none, nor than memory and
// a launch leave. A case that is not computed in tiles has the second limit only; 0 where there are
// no tiles at all.
static double of_bound(const json_t *run, const tables_column *columns, int count, int at) {
    const json_t *last = measured_last_step(run);
    double share = column_value(last, columns, at, "padding_share"), full = 0, nearest = 0;
    for (int i = 0; i < count; i++) {
        double size = (double)columns[i].size, here = (double)columns[at].size;
        double ratio = size < here ? here / size : size / here;
        if (column_value(last, columns, i, "padding_share") == 1 && (!full || ratio < nearest)) {
            full = column_value(last, columns, i, "rate");
            nearest = ratio;
        }
    }
    double us = column_value(last, columns, at, "time_us"),
           by_memory = us > 0 ? least_us(run, &columns[at]) / us : 0;
    double by_tiles =
        share > 0 && full > 0 ? column_value(last, columns, at, "rate") / (share * full) : 0;
    return full > 0 && by_memory > by_tiles ? by_memory : by_tiles;
}

static double of_vendor(const json_t *run, const tables_column *columns, int at) {
    const json_t *vendor = json_object_get(run, "vendor");
    double theirs = vendor ? column_value(vendor, columns, at, "rate") : 0;
    return theirs > 0 ? column_value(measured_last_step(run), columns, at, "rate") / theirs : 0;
}

// The cases of the last step alone, one row for each: columns first .. count - 1.
static void print_last_only(FILE *out, const json_t *run, const tables_column *columns, int first,
                            int count) {
    if (first == count) return;
    const json_t *vendor = json_object_get(run, "vendor");
    fputs("Other shapes, the last step alone, microseconds:\n\n"
          "| shape | last step | vendor library | library / last step | of the upper bound |\n"
          "|---|---:|---:|---:|---:|\n",
          out);
    for (int i = first; i < count; i++) {
        fprintf(out, "| %s %lld |", columns[i].family, columns[i].size);
        tables_cell(out, column_value(measured_last_step(run), columns, i, "time_us"), "%.1f");
        tables_cell(out, vendor ? column_value(vendor, columns, i, "time_us") : 0, "%.1f");
        tables_cell(out, of_vendor(run, columns, i), "%.2f");
        tables_cell(out, of_bound(run, columns, count, i), "%.2f");
        fputc('\n', out);
    }
    fputc('\n', out);
}

// One table: rates of every step in these cases, and how the last step compares with the vendor's
// library and with the upper bound. all: columns, those behind `count` too.
static void print_rates(FILE *out, const json_t *run, const tables_column *columns, part p,
                        int all) {
    const measured_rates rate = measured_rates_of(run);
    const json_t *vendor = json_object_get(run, "vendor");
    const char *share_cell = p.end == p.count ? " |\n" : "\n";
    fputs("| step | |", out);
    for (int i = p.first; i < p.end; i++)
        fprintf(out, " %s %lld |", columns[i].family, columns[i].size);
    if (p.end == p.count) fprintf(out, " %s |", rate.share);
    fputs("\n|---|---|", out);
    for (int i = p.first; i < p.end + (p.end == p.count); i++) fputs("---:|", out);
    fputc('\n', out);
    size_t index;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), index, step)
        families_row(out, step, columns, p, &rate);
    if (vendor) {
        families_row(out, vendor, columns, p, &rate);
        fputs("| | last step / library |", out);
        for (int i = p.first; i < p.end; i++) tables_cell(out, of_vendor(run, columns, i), "%.2f");
        fputs(share_cell, out);
    }
    double padded = 0;
    for (int i = 0; i < p.count; i++) padded += of_bound(run, columns, all, i);
    if (padded > 0) {
        fputs("| | last step / upper bound |", out);
        for (int i = p.first; i < p.end; i++)
            tables_cell(out, of_bound(run, columns, all, i), "%.2f");
        fputs(share_cell, out);
    }
    fputc('\n', out);
}

// Rates of every step in every timed case: in several tables where one would be too wide for a
// page.
void tables_print_families(FILE *out, const json_t *run, tables_column *columns, int all) {
    enum { FITTING = 8 };
    int count = shared_first(run, columns, all);
    const char *device = json_string_value(json_object_get(json_object_get(run, "device"), "name"));
    const measured_rates rate = measured_rates_of(run);
    fprintf(out, "\nMeasured on %s: %s (median, cold L2), and share of the measured %s ceiling (",
            device ? device : "?", rate.what, rate.ceiling_name);
    fprintf(out, rate.ceiling < 1000 ? "%.1f" : "%.0f", rate.ceiling);
    fprintf(out, " %s) in the last column.\n\n", rate.unit);
    int parts = (count + FITTING - 1) / FITTING;
    for (int k = 0; k < parts; k++)
        print_rates(out, run, columns, (part){count * k / parts, count * (k + 1) / parts, count},
                    all);
    print_last_only(out, run, columns, count, all);
}

// Microseconds of every step, measured and modelled, in the cases that the simulator timed.
void tables_print_modelled(FILE *out, const json_t *gpu, const json_t *simulator) {
    tables_column columns[TABLES_COLUMNS_MAX];
    int count = tables_find_columns(simulator, columns);
    fputs("Microseconds measured there / modelled by the simulator:\n\n| step | |", out);
    for (int i = 0; i < count; i++)
        fprintf(out, " %s %lld | modelled |", columns[i].family, columns[i].size);
    fputs("\n|---|---|", out);
    for (int i = 0; i < 2 * count; i++) fputs("---:|", out);
    fputc('\n', out);
    size_t index;
    json_t *step;
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        json_int_t number = json_integer_value(json_object_get(step, "step"));
        const json_t *modelled = measured_step(simulator, (int)number);
        fprintf(out, "| %lld | %s |", (long long)number, measured_text(step, "name"));
        for (int i = 0; i < count; i++) {
            tables_cell(out, column_value(step, columns, i, "time_us"), "%.1f");
            tables_cell(out, modelled ? column_value(modelled, columns, i, "time_us") : 0, "%.1f");
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}
