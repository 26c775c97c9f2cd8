// A ladder's table with a row for each timed case of the last step: see tables.h. Steps are the
// columns: there are fewer of them than cases.
#include "tables/tables.h"

#include "measured.h"

// The last step that was timed in a case.
static const json_t *last_of(const json_t *run, const tables_column *at) {
    const json_t *steps = json_object_get(run, "steps");
    for (size_t i = json_array_size(steps); i-- > 0;) {
        const json_t *step = json_array_get(steps, i);
        if (measured_result(step, at->family, at->size)) return step;
    }
    return NULL;
}

// Adds the timed cases of a step to count columns; after the last there is one without a family.
static int add_columns(const json_t *step, tables_column columns[TABLES_COLUMNS_MAX], int count) {
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        if (!json_object_get(result, "time_us") || count == TABLES_COLUMNS_MAX - 1) continue;
        columns[count].family = json_string_value(json_object_get(result, "case"));
        columns[count++].size = json_integer_value(json_object_get(result, "size"));
    }
    columns[count].family = NULL;
    return count;
}

int tables_find_columns(const json_t *run, tables_column columns[TABLES_COLUMNS_MAX]) {
    const json_t *steps = json_object_get(run, "steps"), *last = measured_last_step(run);
    const json_t *beside = json_array_get(steps, json_array_size(steps) - 1);
    int count = add_columns(last, columns, 0);
    return beside == last ? count : add_columns(beside, columns, count);
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
        for (int i = 0; columns[i].family; i++)
            own_families = own_families && strcmp(family, columns[i].family) != 0;
        if (same_size) of_size = value;
    }
    bool first = at == 0 || columns[at - 1].size != columns[at].size;
    return own_families && first ? of_size : 0;
}

// The share of the ceiling that a step reaches in the last case that it has; cases beside the
// ladder do not count.
static void share_cell(FILE *out, const json_t *run, const json_t *step,
                       const tables_column *columns, int count, double ceiling) {
    double last = 0;
    for (int i = 0; i < count; i++) {
        if (!measured_result(measured_last_step(run), columns[i].family, columns[i].size)) continue;
        double value = column_value(step, columns, i, "rate");
        last = value > 0 ? value : last;
    }
    tables_cell(out, ceiling > 0 ? 100 * last / ceiling : 0,
                last < 0.0995 * ceiling ? "%.1f %%" : "%.0f %%");
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
        if (others && !is_launch(run, &columns[i])) columns[shared++] = columns[i];
        else last_only[alone++] = columns[i];
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
    return theirs > 0 ? column_value(last_of(run, &columns[at]), columns, at, "rate") / theirs : 0;
}

// The cases of the last step alone, one row for each: columns first .. count - 1. Those of a step
// beside the ladder have its number.
static void print_last_only(FILE *out, const json_t *run, const tables_column *columns, int first,
                            int count) {
    if (first == count) return;
    const json_t *vendor = json_object_get(run, "vendor");
    fputs("Other shapes, the last step alone, microseconds:\n\n"
          "| shape | last step | vendor library | library / last step | of the upper bound |\n"
          "|---|---:|---:|---:|---:|\n",
          out);
    for (int i = first; i < count; i++) {
        fputc('|', out);
        const json_t *step = last_of(run, &columns[i]);
        if (step != measured_last_step(run))
            fprintf(out, " step %lld,",
                    (long long)json_integer_value(json_object_get(step, "step")));
        tables_case_title(out, columns[i].family, columns[i].size);
        tables_cell(out, column_value(step, columns, i, "time_us"), "%.1f");
        tables_cell(out, vendor ? column_value(vendor, columns, i, "time_us") : 0, "%.1f");
        tables_cell(out, of_vendor(run, columns, i), "%.2f");
        tables_cell(out, of_bound(run, columns, count, i), "%.2f");
        fputc('\n', out);
    }
    fputc('\n', out);
}

// "0 copy, 1 naive, 2 tile": what the numbers above the columns are.
static void put_names(FILE *out, const json_t *run) {
    size_t index;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), index, step) fprintf(
        out, "%s%lld %s", index > 0 ? ", " : "",
        (long long)json_integer_value(json_object_get(step, "step")), measured_text(step, "name"));
}

// The numbers of the steps above their columns, behind as many columns of words.
static void put_head(FILE *out, const json_t *run, const char *words, int word_columns,
                     const char *more, int more_columns) {
    size_t steps = json_array_size(json_object_get(run, "steps")), index;
    json_t *step;
    fputs(words, out);
    json_array_foreach(json_object_get(run, "steps"), index, step)
        fprintf(out, " %lld |", (long long)json_integer_value(json_object_get(step, "step")));
    fprintf(out, "%s\n|", more);
    for (int i = 0; i < word_columns; i++) fputs("---|", out);
    for (size_t i = 0; i < steps + (size_t)more_columns; i++) fputs("---:|", out);
    fputc('\n', out);
}

// Rates of every step, and how the last one compares with the vendor's library and with the upper
// bound. all: columns, those behind `count` too.
static void print_rates(FILE *out, const json_t *run, const tables_column *columns, int count,
                        int all) {
    const measured_rates rate = measured_rates_of(run);
    const json_t *vendor = json_object_get(run, "vendor");
    long long last = json_integer_value(json_object_get(measured_last_step(run), "step"));
    double bounded = 0;
    for (int i = 0; i < count; i++) bounded += of_bound(run, columns, all, i);
    char more[128] = "";
    if (vendor) snprintf(more, sizeof more, " library | %lld / library |", last);
    if (bounded > 0)
        snprintf(more + strlen(more), sizeof more - strlen(more), " %lld / upper bound |", last);
    put_head(out, run, "| case |", 1, more, 2 * (vendor != NULL) + (bounded > 0));
    size_t index;
    json_t *step;
    for (int i = 0; i < count; i++) {
        fputc('|', out);
        tables_case_title(out, columns[i].family, columns[i].size);
        json_array_foreach(json_object_get(run, "steps"), index, step)
            tables_rate_cell(out, column_value(step, columns, i, "rate"));
        if (vendor) {
            tables_rate_cell(out, column_value(vendor, columns, i, "rate"));
            tables_cell(out, of_vendor(run, columns, i), "%.2f");
        }
        if (bounded > 0) tables_cell(out, of_bound(run, columns, all, i), "%.2f");
        fputc('\n', out);
    }
    fprintf(out, "| %s |", rate.share);
    json_array_foreach(json_object_get(run, "steps"), index, step)
        share_cell(out, run, step, columns, count, rate.ceiling);
    if (vendor) {
        share_cell(out, run, vendor, columns, count, rate.ceiling);
        fputs(" |", out);
    }
    fputs(bounded > 0 ? " |\n\n" : "\n\n", out);
}

// Rates of every step in every timed case.
void tables_print_families(FILE *out, const json_t *run, tables_column *columns, int all) {
    int count = shared_first(run, columns, all);
    const char *device = json_string_value(json_object_get(json_object_get(run, "device"), "name"));
    const measured_rates rate = measured_rates_of(run);
    fprintf(out, "\nMeasured on %s: %s (median, cold L2) of steps ", device ? device : "?",
            rate.what);
    put_names(out, run);
    fprintf(out, "; last row: share of the measured %s ceiling (", rate.ceiling_name);
    fprintf(out, rate.ceiling < 1000 ? "%.1f" : "%.0f", rate.ceiling);
    fprintf(out, " %s) in a step's last case.\n\n", rate.unit);
    print_rates(out, run, columns, count, all);
    print_last_only(out, run, columns, count, all);
}

// Microseconds of every step, measured and modelled, in the cases that the simulator timed.
void tables_print_modelled(FILE *out, const json_t *gpu, const json_t *simulator) {
    tables_column columns[TABLES_COLUMNS_MAX];
    int count = tables_find_columns(simulator, columns);
    fputs("Microseconds measured there, and modelled by the simulator:\n\n", out);
    put_head(out, gpu, "| case | |", 2, "", 0);
    for (int i = 0; i < 2 * count; i++) {
        const tables_column *at = &columns[i / 2];
        const json_t *last = last_of(simulator, at);
        bool modelled = i % 2;
        // a step that the card was not asked for
        if (!measured_step(gpu, (int)json_integer_value(json_object_get(last, "step")))) continue;
        fputc('|', out);
        if (modelled) fputs(" | modelled |", out);
        else {
            tables_case_title(out, at->family, at->size);
            fputs(" measured |", out);
        }
        size_t index;
        json_t *step;
        json_array_foreach(json_object_get(gpu, "steps"), index, step) {
            json_int_t number = json_integer_value(json_object_get(step, "step"));
            const json_t *of = modelled ? measured_step(simulator, (int)number) : step;
            tables_cell(out, of ? column_value(of, columns, i / 2, "time_us") : 0, "%.1f");
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}
