// SPDX-License-Identifier: MIT
// Tables of a lab's ladder in Markdown: see tables.h. What was measured stands in h100.json and
// those of other devices, what was modelled of a card in simulator.json, simulator_h200.json ..,
// all as `ladder run LAB --json` wrote them. Which form a table has follows from the cases.
#include <string.h>

#include "stored/measured.h"
#include "table.h"
#include "tables/tables.h"

// Sizes that the table shows, as far as they were measured.
static const struct {
    long long size;
    const char *text;
} shown_sizes[] = {{1 << 16, "2^16"}, {1 << 20, "2^20"}, {1 << 24, "2^24"}, {1 << 28, "2^28"}};
enum { SHOWN_SIZES = sizeof shown_sizes / sizeof shown_sizes[0], MODELLED_SIZE = 1 << 24 };

// The timed result of a step at a size in microseconds; 0 when there is none.
static double time_at(const json_t *step, long long size) {
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        json_t *time = json_object_get(result, "time_us");
        if (time && json_integer_value(json_object_get(result, "size")) == size)
            return json_number_value(time);
    }
    return 0;
}

static double rate_at(const json_t *step, long long size) {
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        if (json_object_get(result, "time_us") &&
            json_integer_value(json_object_get(result, "size")) == size)
            return json_number_value(json_object_get(result, "rate"));
    }
    return 0;
}

static const json_t *step_numbered(const json_t *run, json_int_t number) {
    size_t index;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), index, step) {
        if (json_integer_value(json_object_get(step, "step")) == number) return step;
    }
    return NULL;
}

static void cell(FILE *out, double value, const char *format) {
    if (value > 0) {
        fputs(" ", out);
        fprintf(out, format, value);
        fputs(" |", out);
    } else {
        fputs(" |", out);
    }
}

static void rate_cell(FILE *out, double rate) {
    char text[32];
    fprintf(out, rate > 0 ? " %s |" : " |", kl_format_rate(rate, text, sizeof text));
}

// The title of the column of modelled times; there is none without a model of the card.
static const char *modelled_title(const json_t *simulator) {
    return simulator ? " modelled us |" : "";
}

static void row(FILE *out, const json_t *step, const json_t *before, const json_t *simulator,
                double ceiling) {
    json_int_t number = json_integer_value(json_object_get(step, "step"));
    const json_t *modelled = number >= 0 ? step_numbered(simulator, number) : NULL;
    if (number >= 0)
        fprintf(out, "| %lld | %s |", (long long)number,
                json_string_value(json_object_get(step, "name")));
    else
        fputs("| | vendor library |", out);
    for (int i = 0; i < SHOWN_SIZES; i++) rate_cell(out, rate_at(step, shown_sizes[i].size));
    long long largest = shown_sizes[SHOWN_SIZES - 1].size;
    cell(out, ceiling > 0 ? 100 * rate_at(step, largest) / ceiling : 0, "%.0f %%");
    double old = before ? time_at(before, largest) : 0, now = time_at(step, largest);
    cell(out, old > 0 && now > 0 ? old / now : 0, "%.2f x");
    cell(out, time_at(step, MODELLED_SIZE), "%.0f");
    if (simulator) cell(out, modelled ? time_at(modelled, MODELLED_SIZE) : 0, "%.0f");
    fputc('\n', out);
}

// A timed case of a run that has cases of several families.
typedef struct column {
    const char *family;
    long long size;
} column;
enum { COLUMNS_MAX = 24 };

// The timed cases of the last step, in the run's order, which is by size.
static int find_columns(const json_t *run, column columns[COLUMNS_MAX]) {
    int count = 0;
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(measured_last_step(run), "results"), index, result) {
        if (!json_object_get(result, "time_us") || count == COLUMNS_MAX) continue;
        columns[count].family = json_string_value(json_object_get(result, "case"));
        columns[count++].size = json_integer_value(json_object_get(result, "size"));
    }
    return count;
}

static bool has_families(const column *columns, int count) {
    for (int i = 1; i < count; i++)
        if (strcmp(columns[i].family, columns[0].family) != 0) return true;
    return false;
}

// Of a step that has families of its own (a copy), the case of that size stands in the first column
// of the size.
static double column_value(const json_t *step, const column *columns, int at, const char *key) {
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

// Columns of a table: [first, end) of `count`; the share of the ceiling stands behind the last one.
typedef struct part {
    int first, end, count;
} part;

static void families_row(FILE *out, const json_t *step, const column *columns, part p,
                         const measured_rates *rate) {
    json_int_t number = json_integer_value(json_object_get(step, "step"));
    if (number >= 0)
        fprintf(out, "| %lld | %s |", (long long)number,
                json_string_value(json_object_get(step, "name")));
    else
        fputs("| | vendor library |", out);
    for (int i = p.first; i < p.end; i++) rate_cell(out, column_value(step, columns, i, "rate"));
    double last = 0; // in the last case that the step has
    for (int i = 0; i < p.count; i++) {
        double value = column_value(step, columns, i, "rate");
        last = value > 0 ? value : last;
    }
    if (p.end == p.count)
        cell(out, rate->ceiling > 0 ? 100 * last / rate->ceiling : 0,
             last < 0.0995 * rate->ceiling ? "%.1f %%" : "%.0f %%");
    fputc('\n', out);
}

// The least microseconds that memory and a launch leave for a case.
static double least_us(const json_t *run, const column *at) {
    const json_t *ceilings = json_object_get(run, "ceilings");
    double gbs = json_number_value(json_object_get(ceilings, "read_gbs"));
    double launch_us = json_number_value(json_object_get(ceilings, "launch_us"));
    const json_t *bytes = json_object_get(measured_case(run, at->family, at->size), "work_bytes");
    double read_us = gbs > 0 ? json_number_value(bytes) / gbs * 1e-3 : 0;
    return read_us > launch_us ? read_us : launch_us;
}

// Whether the last step is a launch and little else, which takes longer than memory needs: then
// operations per second say nothing of the steps.
static bool is_launch(const json_t *run, const column *at) {
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
static int shared_first(const json_t *run, column *columns, int count) {
    column last_only[COLUMNS_MAX];
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

// What the last step reaches in a case of what is allowed: no more than the share that the padding
// of its tiles leaves of the rate in the case nearest in size that needs none, nor than memory and
// a launch leave. A case that is not computed in tiles has the second limit only; 0 where there are
// no tiles at all.
static double of_allowed(const json_t *run, const column *columns, int count, int at) {
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

static double of_vendor(const json_t *run, const column *columns, int at) {
    const json_t *vendor = json_object_get(run, "vendor");
    double theirs = vendor ? column_value(vendor, columns, at, "rate") : 0;
    return theirs > 0 ? column_value(measured_last_step(run), columns, at, "rate") / theirs : 0;
}

// The cases of the last step alone, a row each: columns first .. count - 1.
static void print_last_only(FILE *out, const json_t *run, const column *columns, int first,
                            int count) {
    if (first == count) return;
    const json_t *vendor = json_object_get(run, "vendor");
    fputs("Other shapes, the last step alone, microseconds:\n\n"
          "| shape | last step | vendor library | library / last step | of what is allowed |\n"
          "|---|---:|---:|---:|---:|\n",
          out);
    for (int i = first; i < count; i++) {
        fprintf(out, "| %s %lld |", columns[i].family, columns[i].size);
        cell(out, column_value(measured_last_step(run), columns, i, "time_us"), "%.1f");
        cell(out, vendor ? column_value(vendor, columns, i, "time_us") : 0, "%.1f");
        cell(out, of_vendor(run, columns, i), "%.2f");
        cell(out, of_allowed(run, columns, count, i), "%.2f");
        fputc('\n', out);
    }
    fputc('\n', out);
}

// One table: rates of every step in these cases, and how the last step compares with the vendor's
// library and with what is allowed. all: columns, those behind `count` too.
static void print_rates(FILE *out, const json_t *run, const column *columns, part p, int all) {
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
        for (int i = p.first; i < p.end; i++) cell(out, of_vendor(run, columns, i), "%.2f");
        fputs(share_cell, out);
    }
    double padded = 0;
    for (int i = 0; i < p.count; i++) padded += of_allowed(run, columns, all, i);
    if (padded > 0) {
        fputs("| | last step / what its tiles' padding allows |", out);
        for (int i = p.first; i < p.end; i++) cell(out, of_allowed(run, columns, all, i), "%.2f");
        fputs(share_cell, out);
    }
    fputc('\n', out);
}

// Rates of every step in every timed case: in several tables where one would be too wide for a
// page.
static void print_families(FILE *out, const json_t *run, column *columns, int all) {
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
static void print_modelled(FILE *out, const json_t *gpu, const json_t *simulator) {
    column columns[COLUMNS_MAX];
    int count = find_columns(simulator, columns);
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
        const json_t *modelled = step_numbered(simulator, number);
        fprintf(out, "| %lld | %s |", (long long)number,
                json_string_value(json_object_get(step, "name")));
        for (int i = 0; i < count; i++) {
            cell(out, column_value(step, columns, i, "time_us"), "%.1f");
            cell(out, modelled ? column_value(modelled, columns, i, "time_us") : 0, "%.1f");
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}

// A run whose steps have different families, the last step one of them: a column each timed case, a
// row each timed step.
enum { CASES_MAX = 12 };

static double case_number(const json_t *step, const json_t *which, const char *key) {
    const json_t *result = measured_result(step, json_string_value(json_object_get(which, "case")),
                                           json_integer_value(json_object_get(which, "size")));
    return json_number_value(json_object_get(result, key));
}

// Fills cases[] with the timed cases and *out_main with the table's; false when they are of one
// family.
static bool several_families(const json_t *run, const json_t **cases, int *out_count,
                             const json_t **out_main) {
    size_t index;
    json_t *item;
    bool several = false;
    *out_count = 0;
    *out_main = NULL;
    json_array_foreach(json_object_get(run, "cases"), index, item) {
        if (!json_is_true(json_object_get(item, "timed")) || *out_count == CASES_MAX) continue;
        cases[(*out_count)++] = item;
        if (json_is_true(json_object_get(item, "main"))) *out_main = item;
        const char *first = json_string_value(json_object_get(cases[0], "case"));
        const char *name = json_string_value(json_object_get(item, "case"));
        several = several || (first && name && strcmp(first, name) != 0);
    }
    return several && *out_main;
}

// The size only where a kind of case was measured at several.
static void case_title(FILE *out, const json_t *const *cases, int count, int at) {
    const char *name = json_string_value(json_object_get(cases[at], "case"));
    bool sizes_differ = false;
    for (int i = 0; i < count; i++)
        sizes_differ |=
            i != at && !strcmp(name, json_string_value(json_object_get(cases[i], "case")));
    fprintf(out, " %s", name);
    if (sizes_differ)
        fprintf(out, " %lld", (long long)json_integer_value(json_object_get(cases[at], "size")));
    fputs(" |", out);
}

// The case that a step's own time stands for: the main one, or its last.
static const json_t *own_case(const json_t *step) {
    double us = json_number_value(json_object_get(step, "time_us"));
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        const json_t *time = json_object_get(result, "time_us");
        if (time && json_number_value(time) == us) return result;
    }
    return NULL;
}

static void print_case_rows(FILE *out, const json_t *gpu, const json_t *simulator,
                            const json_t *const *cases, int count) {
    size_t index;
    json_t *step;
    const json_t *before = NULL;
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        double us = json_number_value(json_object_get(step, "time_us"));
        if (us <= 0) continue; // a step of the host
        json_int_t number = json_integer_value(json_object_get(step, "step"));
        const json_t *modelled = step_numbered(simulator, number), *own = own_case(step);
        double old = before && own ? case_number(before, own, "time_us") : 0;
        fprintf(out, "| %lld | %s |", (long long)number,
                json_string_value(json_object_get(step, "name")));
        for (int i = 0; i < count; i++) rate_cell(out, case_number(step, cases[i], "rate"));
        cell(out, 100 * json_number_value(json_object_get(step, "ceiling_fraction")), "%.0f %%");
        cell(out, old / us, "%.2f x");
        cell(out, us, "%.1f");
        if (simulator) cell(out, json_number_value(json_object_get(modelled, "time_us")), "%.1f");
        fputc('\n', out);
        before = step;
    }
}

static void print_cases(FILE *out, const json_t *gpu, const json_t *simulator,
                        const json_t *const *cases, int count, const json_t *main_case) {
    const char *device = json_string_value(json_object_get(json_object_get(gpu, "device"), "name"));
    const char *main_name = json_string_value(json_object_get(main_case, "case"));
    fprintf(out,
            "\nMeasured on %s: GB/s by kind of case (median, cold L2); then, at %s or, for steps "
            "without it, at their last column: share of the measured ceiling, gain over the step "
            "before, microseconds%s.\n\n| step | |",
            device ? device : "?", main_name ? main_name : "?",
            simulator ? " measured and modelled by the simulator" : "");
    for (int i = 0; i < count; i++) case_title(out, cases, count, i);
    fprintf(out, " of ceiling | gain | us |%s\n|---|---|", modelled_title(simulator));
    for (int i = 0; i < count + 3 + (simulator != NULL); i++) fputs("---:|", out);
    fputc('\n', out);
    print_case_rows(out, gpu, simulator, cases, count);
    fputc('\n', out);
}

// Whether most timed steps have none of the last step's cases.
static bool last_is_apart(const json_t *gpu, const column *columns, int count) {
    size_t index;
    json_t *step;
    int rows = 0, apart = 0;
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        if (json_number_value(json_object_get(step, "time_us")) <= 0) continue;
        bool shares = false;
        for (int i = 0; i < count; i++)
            shares |= measured_result(step, columns[i].family, columns[i].size) != NULL;
        rows++;
        apart += !shares;
    }
    return 2 * apart > rows;
}

// A lab whose steps have few cases in common: a row for every step and case instead of a column for
// every case.
static bool is_sparse(const json_t *gpu, const json_t *const *cases, int count) {
    size_t index;
    json_t *step;
    int filled = 0, rows = 0;
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        if (json_number_value(json_object_get(step, "time_us")) <= 0) continue;
        rows++;
        for (int i = 0; i < count; i++) filled += case_number(step, cases[i], "rate") > 0;
    }
    return 2 * filled < rows * count;
}

static void put_case(FILE *out, const json_t *which) {
    long long size = json_integer_value(json_object_get(which, "size"));
    fprintf(out, " %s, ", json_string_value(json_object_get(which, "case")));
    if (size >= 1024 && (size & (size - 1)) == 0)
        fprintf(out, "2^%d |", __builtin_ctzll((unsigned long long)size));
    else
        fprintf(out, "%lld |", size);
}

// before_us: of each case, the time of the last step that had it; taken on to the next step.
static void sparse_rows(FILE *out, const json_t *step, double *before_us, const json_t *simulator,
                        const json_t *const *cases, int count) {
    json_int_t number = json_integer_value(json_object_get(step, "step"));
    const json_t *modelled = step_numbered(simulator, number);
    const json_t *own = own_case(step);
    double fraction = json_number_value(json_object_get(step, "ceiling_fraction"));
    double ceiling = json_number_value(json_object_get(own, "rate")) / fraction;
    for (int i = 0; i < count; i++) {
        double us = case_number(step, cases[i], "time_us");
        if (us <= 0) continue;
        double rate = case_number(step, cases[i], "rate");
        fprintf(out, "| %lld | %s |", (long long)number,
                json_string_value(json_object_get(step, "name")));
        put_case(out, cases[i]);
        rate_cell(out, rate);
        cell(out, 100 * rate / ceiling, rate < 0.1 * ceiling ? "%.1f %%" : "%.0f %%");
        cell(out, before_us[i] / us, "%.2f x");
        cell(out, us, "%.1f");
        if (simulator) cell(out, case_number(modelled, cases[i], "time_us"), "%.1f");
        fputc('\n', out);
        before_us[i] = us;
    }
}

static void print_sparse(FILE *out, const json_t *gpu, const json_t *simulator,
                         const json_t *const *cases, int count) {
    size_t index;
    json_t *step;
    double before_us[CASES_MAX] = {0};
    const measured_rates rate = measured_rates_of(gpu);
    fprintf(
        out,
        "\nMeasured on %s (median, cold L2): rate, share of the measured ceiling, gain over the "
        "step before in the same case, and microseconds%s.\n\n"
        "| step | | case | %s | of ceiling | gain | us |%s\n|---|---|---|---:|---:|---:|---:|%s\n",
        json_string_value(json_object_get(json_object_get(gpu, "device"), "name")),
        simulator ? " measured and modelled by the simulator" : "", rate.unit,
        modelled_title(simulator), simulator ? "---:|" : "");
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        if (json_number_value(json_object_get(step, "time_us")) <= 0) continue; // of the host
        sparse_rows(out, step, before_us, simulator, cases, count);
    }
    fputc('\n', out);
}

// One family of cases: sizes as columns.
static void print_sizes(FILE *out, const json_t *gpu, const json_t *simulator) {
    const char *device = json_string_value(json_object_get(json_object_get(gpu, "device"), "name"));
    const measured_rates rate = measured_rates_of(gpu);
    fprintf(out,
            "\nMeasured on %s: %s by number of elements (median, cold L2; measured %s ceiling %.0f "
            "%s), share of that ceiling and gain over the step before at 2^28, and microseconds at "
            "2^24%s.\n\n",
            device ? device : "?", rate.unit, rate.ceiling_name, rate.ceiling, rate.unit,
            simulator ? " measured beside those that the simulator models" : "");
    fputs("| step | |", out);
    for (int i = 0; i < SHOWN_SIZES; i++) fprintf(out, " %s |", shown_sizes[i].text);
    fprintf(out, " %s | gain | us |%s\n|---|---|", rate.share, modelled_title(simulator));
    for (int i = 0; i < SHOWN_SIZES + 3 + (simulator != NULL); i++) fputs("---:|", out);
    fputc('\n', out);
    size_t index;
    json_t *step;
    const json_t *before = NULL;
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        row(out, step, before, simulator, rate.ceiling);
        before = step;
    }
    const json_t *vendor = json_object_get(gpu, "vendor");
    if (vendor) row(out, vendor, NULL, simulator, rate.ceiling);
    fputc('\n', out);
}

// simulator: NULL for a card that it does not model.
static void print_device(FILE *out, const json_t *gpu, const json_t *simulator) {
    const json_t *cases[CASES_MAX], *main_case = NULL;
    int case_count = 0;
    bool several = several_families(gpu, cases, &case_count, &main_case);
    column columns[COLUMNS_MAX];
    int count = find_columns(gpu, columns);
    if (tables_has_products(gpu)) {
        tables_print_products(out, gpu, simulator);
    } else if (has_families(columns, count) && !last_is_apart(gpu, columns, count)) {
        print_families(out, gpu, columns, count);
        if (simulator) print_modelled(out, gpu, simulator);
    } else if (!several) {
        print_sizes(out, gpu, simulator);
    } else if (is_sparse(gpu, cases, case_count)) {
        print_sparse(out, gpu, simulator, cases, case_count);
    } else {
        print_cases(out, gpu, simulator, cases, case_count, main_case);
    }
}

// How far the modelled times may be trusted.
static void print_fit(FILE *out, const json_t *gpu, const json_t *simulator) {
    measured_fit fit = measured_compare(gpu, simulator, NULL);
    fprintf(
        out,
        "The modelled times are off by %.0f %% on average (%d times). Of %d pairs of steps whose "
        "measured times differ by more than %.0f %%, %d are modelled in the measured order.\n\n",
        100 * fit.mean_error, fit.times, fit.pairs, 100 * (MEASURED_DECIDED - 1), fit.in_order);
}

bool tables_print_run(FILE *out, const char *root, const char *lab) {
    json_t *devices[TABLES_DEVICES];
    char folder[2048];
    int count = tables_load_devices(root, lab, "", "ladder.run/1", devices);
    snprintf(folder, sizeof folder, "%s/labs/%s/measured", root, lab);
    for (int i = 0; i < count; i++) {
        json_t *simulator = measured_load_model(folder, devices[i]);
        print_device(out, devices[i], simulator);
        if (simulator) print_fit(out, devices[i], simulator);
        json_decref(simulator);
        json_decref(devices[i]);
    }
    return count > 0;
}
