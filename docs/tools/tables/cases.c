// A ladder's table with a row for every step and case: see tables.h.
#include "tables/tables.h"

#include "measured.h"

static double case_number(const json_t *step, const json_t *which, const char *key) {
    const json_t *result = measured_result(step, json_string_value(json_object_get(which, "case")),
                                           json_integer_value(json_object_get(which, "size")));
    return json_number_value(json_object_get(result, key));
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

bool tables_last_is_apart(const json_t *gpu, const tables_column *columns, int count) {
    size_t s, r;
    json_t *step, *result;
    int timed = 0, apart = 0;
    json_array_foreach(json_object_get(gpu, "steps"), s, step) {
        json_array_foreach(json_object_get(step, "results"), r, result) {
            long long size = json_integer_value(json_object_get(result, "size"));
            int at = 0;
            if (!json_object_get(result, "time_us")) continue;
            while (at < count && (columns[at].size != size ||
                                  strcmp(columns[at].family, measured_text(result, "case")) != 0))
                at++;
            timed++;
            apart += at == count;
        }
    }
    return 5 * apart > timed;
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
static void print_rows(FILE *out, const json_t *step, double *before_us, const json_t *simulator,
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

void tables_print_cases(FILE *out, const json_t *gpu, const json_t *simulator) {
    const json_t *cases[TABLES_COLUMNS_MAX];
    int count = 0;
    size_t index;
    json_t *step, *item;
    json_array_foreach(json_object_get(gpu, "cases"), index, item) {
        bool timed = json_is_true(json_object_get(item, "timed"));
        if (timed && count < TABLES_COLUMNS_MAX) cases[count++] = item;
    }
    double before_us[TABLES_COLUMNS_MAX] = {0};
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
            simulator ? " modelled us |" : "", simulator ? "---:|" : "");
    json_array_foreach(json_object_get(gpu, "steps"), index, step) {
        if (json_number_value(json_object_get(step, "time_us")) <= 0) continue; // of the host
        print_rows(out, step, before_us, simulator, limit, cases, count);
    }
    if (limit) print_rows(out, limit, before_us, simulator, limit, cases, count);
    fputc('\n', out);
}
