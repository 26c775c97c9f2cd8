// Tables of a lab's ladder in Markdown: see tables.h. What was measured is in h100.json and
// those of other devices, what was modelled of a card in simulator.json, simulator_h200.json ..,
// all as `ladder run LAB --json` wrote them. Which form a table has follows from the cases.
#include "measured.h"
#include "table.h"
#include "tables/tables.h"

void tables_cell(FILE *out, double value, const char *format) {
    if (value > 0) {
        fputs(" ", out);
        fprintf(out, format, value);
        fputs(" |", out);
    } else {
        fputs(" |", out);
    }
}

void tables_rate_cell(FILE *out, double rate) {
    char text[32];
    fprintf(out, rate > 0 ? " %s |" : " |", kl_format_rate(rate, text, sizeof text));
}

// simulator: NULL for a card that it does not model.
static void print_device(FILE *out, const json_t *gpu, const json_t *simulator) {
    tables_column columns[TABLES_COLUMNS_MAX];
    int count = tables_find_columns(gpu, columns);
    if (tables_last_is_apart(gpu, columns, count)) {
        tables_print_cases(out, gpu, simulator);
    } else {
        tables_print_families(out, gpu, columns, count);
        if (simulator) tables_print_modelled(out, gpu, simulator);
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

bool tables_print_measured(FILE *out, const char *root, const char *lab) {
    json_t *devices[TABLES_DEVICES];
    char labs[2048];
    int count = tables_load_folded(root, lab, "run", "ladder.run/2", devices);
    snprintf(labs, sizeof labs, "%s/labs", root);
    for (int i = 0; i < count; i++) {
        json_t *simulator = measured_load_model(labs, lab, devices[i]);
        tables_fold(out, measured_device(devices[i]));
        print_device(out, devices[i], simulator);
        if (simulator) print_fit(out, devices[i], simulator);
        tables_unfold(out);
        json_decref(simulator);
        json_decref(devices[i]);
    }
    return count > 0;
}

// ---- The instruction mix of a ladder in Markdown ----

// Every figure is a quotient of two counters that the simulator wrote to simulator.json for the
// main case of each step.

static const char multiply_adds[] = "sim__multiply_adds.sum";

static const struct {
    const char *counter, *title, *format;
} columns[] = {
    {"sim__ptx_shared_ld.sum", "shared loads, PTX", "%.3f"},
    {"sim__shared_ld_requests.sum", "shared loads, machine code", "%.3f"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared wavefronts", "%.3f"},
    {"smsp__inst_executed.sum", "all instructions, PTX", "%.2f"},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static bool print_step(FILE *out, const json_t *step) {
    const json_t *counters = json_object_get(step, "counters");
    double products = json_number_value(json_object_get(counters, multiply_adds));
    if (!(products > 0)) return false;
    fprintf(out, "| %lld | %s |", (long long)json_integer_value(json_object_get(step, "step")),
            measured_text(step, "name"));
    for (int i = 0; i < COLUMNS; i++) {
        double value = json_number_value(json_object_get(counters, columns[i].counter)) / products;
        fputs(" ", out);
        if (value > 0) fprintf(out, columns[i].format, value);
        fputs(" |", out);
    }
    fputc('\n', out);
    return true;
}

bool tables_print_mix(FILE *out, const char *root, const char *lab) {
    json_t *run = tables_load(root, lab, "run", "ladder.run/2");
    if (!run) return false;
    const json_t *entry = measured_main_case(run);
    const char *family = json_string_value(json_object_get(entry, "case"));
    fprintf(out, "\nA multiply-add of a warp, counted for %s %lld:\n\n| step | |",
            family ? family : "the main case",
            (long long)json_integer_value(json_object_get(entry, "size")));
    for (int i = 0; i < COLUMNS; i++) fprintf(out, " %s |", columns[i].title);
    fputs("\n|---|---|", out);
    for (int i = 0; i < COLUMNS; i++) fputs("---:|", out);
    fputc('\n', out);
    int rows = 0;
    size_t index;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), index, step) rows += print_step(out, step);
    fputc('\n', out);
    json_decref(run);
    if (rows == 0)
        fprintf(stderr, "ladder-docs tables: labs/measured/simulator.csv: %s counts no %s\n", lab,
                multiply_adds);
    return rows > 0;
}
