// Tables of a ladder whose steps have different families of cases: see tables.h.
#include "tables/tables.h"

#include "measured.h"

static double case_number(const json_t *step, const json_t *which, const char *key) {
    const json_t *result = measured_result(step, json_string_value(json_object_get(which, "case")),
                                           json_integer_value(json_object_get(which, "size")));
    return json_number_value(json_object_get(result, key));
}

bool tables_several_families(const json_t *run, const json_t *cases[TABLES_CASES_MAX],
                             int *out_count, const json_t **out_main) {
    size_t index;
    json_t *item;
    bool several = false;
    *out_count = 0;
    *out_main = NULL;
    json_array_foreach(json_object_get(run, "cases"), index, item) {
        if (!json_is_true(json_object_get(item, "timed")) || *out_count == TABLES_CASES_MAX)
            continue;
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
        const json_t *modelled = measured_step(simulator, (int)number), *own = own_case(step);
        double old = before && own ? case_number(before, own, "time_us") : 0;
        fprintf(out, "| %lld | %s |", (long long)number,
                json_string_value(json_object_get(step, "name")));
        for (int i = 0; i < count; i++) tables_rate_cell(out, case_number(step, cases[i], "rate"));
        tables_cell(out, 100 * json_number_value(json_object_get(step, "ceiling_fraction")),
                    "%.0f %%");
        tables_cell(out, old / us, "%.2f x");
        tables_cell(out, us, "%.1f");
        if (simulator)
            tables_cell(out, json_number_value(json_object_get(modelled, "time_us")), "%.1f");
        fputc('\n', out);
        before = step;
    }
}

void tables_print_cases(FILE *out, const json_t *gpu, const json_t *simulator,
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
    fprintf(out, " of ceiling | gain | us |%s\n|---|---|", tables_modelled_title(simulator));
    for (int i = 0; i < count + 3 + (simulator != NULL); i++) fputs("---:|", out);
    fputc('\n', out);
    print_case_rows(out, gpu, simulator, cases, count);
    fputc('\n', out);
}

bool tables_last_is_apart(const json_t *gpu, const tables_column *columns, int count) {
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
bool tables_is_sparse(const json_t *gpu, const json_t *const *cases, int count) {
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

void tables_case_title(FILE *out, const char *family, long long size) {
    fprintf(out, " %s, ", family);
    if (size >= 1024 && (size & (size - 1)) == 0)
        fprintf(out, "2^%d |", __builtin_ctzll((unsigned long long)size));
    else fprintf(out, "%lld |", size);
}

// Of a case, in per cent: of the limit that was measured there, or (NULL) of the ceiling.
static void put_share(FILE *out, const json_t *step, const json_t *limit, const json_t *which) {
    double rate = case_number(step, which, "rate");
    double fraction = json_number_value(json_object_get(step, "ceiling_fraction"));
    double ceiling = json_number_value(json_object_get(own_case(step), "rate")) / fraction;
    if (limit) ceiling = case_number(limit, which, "rate");
    tables_cell(out, ceiling > 0 ? 100 * rate / ceiling : 0,
                rate < 0.1 * ceiling ? "%.1f %%" : "%.0f %%");
}

// before_us: of each case, the time of the last step that had it; taken on to the next step.
static void sparse_rows(FILE *out, const json_t *step, double *before_us, const json_t *simulator,
                        const json_t *limit, const json_t *const *cases, int count) {
    json_int_t number = json_integer_value(json_object_get(step, "step"));
    const json_t *modelled = measured_step(simulator, (int)number);
    for (int i = 0; i < count; i++) {
        double us = case_number(step, cases[i], "time_us");
        if (us <= 0) continue;
        fprintf(out, number >= 0 ? "| %lld |" : "| |", (long long)number);
        fprintf(out, " %s |", json_string_value(json_object_get(step, "name")));
        tables_case_title(out, json_string_value(json_object_get(cases[i], "case")),
                          json_integer_value(json_object_get(cases[i], "size")));
        tables_rate_cell(out, case_number(step, cases[i], "rate"));
        put_share(out, step, limit, cases[i]);
        tables_cell(out, number >= 0 ? before_us[i] / us : 0, "%.2f x");
        tables_cell(out, us, "%.1f");
        if (simulator) tables_cell(out, case_number(modelled, cases[i], "time_us"), "%.1f");
        fputc('\n', out);
        before_us[i] = us;
    }
}

void tables_print_sparse(FILE *out, const json_t *gpu, const json_t *simulator,
                         const json_t *const *cases, int count) {
    size_t index;
    json_t *step;
    double before_us[TABLES_CASES_MAX] = {0};
    const measured_rates rate = measured_rates_of(gpu);
    const json_t *limit = measured_has_limit(gpu) ? json_object_get(gpu, "vendor") : NULL;
    const char *whole = limit ? "limit" : "ceiling";
    fprintf(out,
            "\nMeasured on %s (median%s): rate, share of the measured %s, gain over the "
            "step before in the same case, and microseconds%s.\n\n"
            "| step | | case | %s | of %s | gain | us |%s\n|---|---|---|---:|---:|---:|---:|%s\n",
            json_string_value(json_object_get(json_object_get(gpu, "device"), "name")),
            limit ? "" : ", cold L2", whole,
            simulator ? " measured and modelled by the simulator" : "", rate.unit, whole,
            tables_modelled_title(simulator), simulator ? "---:|" : "");
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        if (json_number_value(json_object_get(step, "time_us")) <= 0) continue; // of the host
        sparse_rows(out, step, before_us, simulator, limit, cases, count);
    }
    if (limit) sparse_rows(out, limit, before_us, simulator, limit, cases, count);
    fputc('\n', out);
}
