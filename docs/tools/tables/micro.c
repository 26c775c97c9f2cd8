// Tables of micro-ladders in Markdown: see tables.h. What was counted is in
// micro_simulator.json, what was measured in micro_h100.json and those of other devices, all as
// `ladder run LAB --micro --json` wrote them. Modelled times are left out: the simulator's runs are
// smaller.
#include "measured.h"
#include "table.h"
#include "tables/tables.h"

static const json_t *find_point(const json_t *sweep, const char *parameter, const json_t *value) {
    size_t index;
    json_t *point;
    json_array_foreach(sweep, index, point) {
        if (json_equal(json_object_get(point, parameter), value)) return point;
    }
    return NULL;
}

// Long sweeps over numbers are shown at powers of two and at their ends.
static bool is_shown(const json_t *sweep, size_t index, const json_t *value) {
    json_int_t number = json_integer_value(value);
    bool end = index == 0 || index + 1 == json_array_size(sweep);
    return !json_is_integer(value) || end || (number > 0 && (number & (number - 1)) == 0);
}

static void number_cell(FILE *out, const json_t *point, const char *key, const char *format) {
    const json_t *value = json_object_get(point, key);
    fputs(" ", out);
    if (json_is_number(value)) fprintf(out, format, json_number_value(value));
    fputs(" |", out);
}

static void print_row(FILE *out, const json_t *point, const json_t *counted, const json_t *value,
                      double first_us, bool has_ratio, bool has_rate) {
    double us = json_number_value(json_object_get(point, "time_us"));
    if (json_is_integer(value)) fprintf(out, "| %lld |", (long long)json_integer_value(value));
    else fprintf(out, "| %s |", json_string_value(value));
    if (has_ratio) number_cell(out, counted, "ratio", "%.4g");
    number_cell(out, point, "time_us", "%.1f");
    fprintf(out, " %.2f |", us / first_us);
    char text[32];
    if (has_rate)
        fprintf(out, " %s |",
                kl_format_rate(measured_number(point, "wanted_gbs"), text, sizeof text));
    fputc('\n', out);
}

static void print_sweep(FILE *out, const json_t *gpu, const json_t *simulator, const char *name) {
    const json_t *sweep = json_object_get(gpu, name), *counts = json_object_get(simulator, name);
    json_t *first = json_array_get(sweep, 0), *point;
    const char *title =
        json_string_value(json_object_get(json_object_get(simulator, "titles"), name));
    const char *ratio =
        json_string_value(json_object_get(json_object_get(simulator, "ratios"), name));
    void *iterator = json_object_iter(first); // in the order in which they were written
    const char *parameter = iterator ? json_object_iter_key(iterator) : NULL;
    if (!parameter) return;
    bool has_rate = json_object_get(first, "wanted_gbs");
    double first_us = json_number_value(json_object_get(first, "time_us"));
    fprintf(out, "\n%s\n\n| %s |", title ? title : name, parameter);
    if (ratio) fprintf(out, " %s |", ratio);
    fprintf(out, " us | times the first |%s\n|---|", has_rate ? " GB/s |" : "");
    for (int i = 0; i < 2 + (ratio != NULL) + has_rate; i++) fputs("---:|", out);
    fputc('\n', out);
    size_t index;
    json_array_foreach(sweep, index, point) {
        const json_t *value = json_object_get(point, parameter);
        if (!is_shown(sweep, index, value)) continue;
        print_row(out, point, find_point(counts, parameter, value), value, first_us, ratio,
                  has_rate);
    }
}

bool tables_print_micro(FILE *out, const char *root, const char *lab) {
    json_t *devices[TABLES_DEVICES], *simulator = NULL;
    int count = tables_load_folded(root, lab, "micro", "ladder.micro/1", devices);
    if (count > 0) simulator = tables_load(root, lab, "micro", "ladder.micro/1");
    for (int i = 0; i < count; i++) {
        const char *name;
        json_t *sweep, *gpu = simulator ? devices[i] : NULL;
        if (!gpu) break;
        tables_fold(out, json_string_value(json_object_get(gpu, "device")));
        fprintf(out, "\nMeasured on %s (median); counted by the simulator.\n",
                json_string_value(json_object_get(gpu, "device")));
        json_object_foreach(gpu, name, sweep) {
            if (json_is_array(sweep)) print_sweep(out, gpu, simulator, name);
        }
        fputc('\n', out);
        tables_unfold(out);
    }
    bool good = simulator;
    for (int i = 0; i < count; i++) json_decref(devices[i]);
    json_decref(simulator);
    return good;
}
