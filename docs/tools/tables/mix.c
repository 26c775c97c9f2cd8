// The instruction mix of a ladder in Markdown: see tables.h. Every figure is a quotient of two
// counters that the simulator wrote to simulator.json for the main case of each step.
#include "measured.h"
#include "tables/tables.h"

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
