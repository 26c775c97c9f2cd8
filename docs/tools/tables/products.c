// Tables of a lab of several products, of which the last step computes all and each other step one:
// one table for each set of cases that the same steps have, one row for each case. See tables.h.
#include "measured.h"
#include "tables/tables.h"

enum { STEPS_MAX = 32, CASES_MAX = 64 };

typedef struct timed_case {
    const char *family;
    long long size;
} timed_case;

static timed_case case_of(const json_t *result) {
    return (timed_case){json_string_value(json_object_get(result, "case")),
                        json_integer_value(json_object_get(result, "size"))};
}

static double time_of(const json_t *step, const timed_case *c) {
    return json_number_value(json_object_get(measured_result(step, c->family, c->size), "time_us"));
}

// Bit s: step number s of the run's list was timed in this case.
static unsigned steps_of(const json_t *run, const timed_case *c) {
    unsigned set = 0;
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        if (i < STEPS_MAX && time_of(step, c) > 0) set |= 1u << i;
    }
    return set;
}

static const json_t *results_of_last(const json_t *run) {
    return json_object_get(measured_last_step(run), "results");
}

bool tables_has_products(const json_t *run) {
    unsigned sets[CASES_MAX], last = 0;
    int timed = 0;
    size_t i;
    json_t *result, *step;
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        if (step == measured_last_step(run) && i < STEPS_MAX) last = 1u << i;
    }
    json_array_foreach(results_of_last(run), i, result) {
        timed_case c = case_of(result);
        if (json_object_get(result, "time_us") && timed < CASES_MAX)
            sets[timed++] = steps_of(run, &c);
    }
    for (int a = 0; a < timed; a++) {
        for (int b = 0; b < a; b++)
            if (sets[a] != last && sets[b] != last && (sets[a] & sets[b]) == last) return true;
    }
    return false;
}

static void title(FILE *out, const json_t *run, unsigned set, bool vendor) {
    size_t i;
    json_t *step;
    fputs("\n| case |", out);
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        if (set >> i & 1)
            fprintf(out, " %d %s |", (int)json_integer_value(json_object_get(step, "step")),
                    measured_text(step, "name"));
    }
    fputs(vendor ? " library | library / last step |\n|---|" : "\n|---|", out);
    for (unsigned bits = set; bits != 0; bits &= bits - 1) fputs("---:|", out);
    fputs(vendor ? "---:|---:|\n" : "\n", out);
}

static void row(FILE *out, const json_t *run, const timed_case *c, unsigned set) {
    const json_t *vendor = json_object_get(run, "vendor");
    double bytes =
        json_number_value(json_object_get(measured_case(run, c->family, c->size), "work_bytes"));
    size_t i;
    json_t *step;
    fprintf(out, "| %s %lld |", c->family, c->size);
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        if (set >> i & 1) tables_rate_cell(out, bytes / time_of(step, c) * 1e-3);
    }
    double theirs = vendor ? time_of(vendor, c) : 0;
    if (theirs > 0) {
        tables_rate_cell(out, bytes / theirs * 1e-3);
        fprintf(out, " %.2f |", theirs / time_of(measured_last_step(run), c));
    }
    fputc('\n', out);
}

// The step of this number of another run.
static const json_t *same_step(const json_t *run, const json_t *wanted) {
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        if (json_equal(json_object_get(step, "step"), json_object_get(wanted, "step"))) return step;
    }
    return NULL;
}

// Microseconds measured and modelled, in a case that the simulator timed.
static void modelled_row(FILE *out, const json_t *run, const json_t *model, const timed_case *c,
                         unsigned set) {
    size_t i;
    json_t *step;
    fprintf(out, "| %s %lld |", c->family, c->size);
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        if (set >> i & 1)
            fprintf(out, " %.1f / %.1f |", time_of(step, c), time_of(same_step(model, step), c));
    }
    fputc('\n', out);
}

// The cases that these steps of `run` were timed in.
static void print_set(FILE *out, const json_t *run, const json_t *model, unsigned set) {
    const json_t *cases = results_of_last(model ? model : run);
    size_t i;
    json_t *result;
    title(out, run, set, !model && json_object_get(run, "vendor"));
    json_array_foreach(cases, i, result) {
        timed_case c = case_of(result);
        if (!json_object_get(result, "time_us") || steps_of(run, &c) != set) continue;
        if (model) modelled_row(out, run, model, &c, set);
        else row(out, run, &c, set);
    }
}

static void print_sets(FILE *out, const json_t *run, const json_t *model) {
    unsigned done[STEPS_MAX];
    int count = 0;
    size_t i;
    json_t *result;
    json_array_foreach(results_of_last(run), i, result) {
        timed_case c = case_of(result);
        unsigned set = json_object_get(result, "time_us") ? steps_of(run, &c) : 0;
        bool known = set == 0 || count == STEPS_MAX;
        for (int d = 0; d < count; d++) known = known || done[d] == set;
        if (known) continue;
        done[count++] = set;
        print_set(out, run, model, set);
    }
    fputc('\n', out);
}

void tables_print_products(FILE *out, const json_t *run, const json_t *model) {
    const measured_rates rate = measured_rates_of(run);
    fprintf(out, "\nMeasured on %s: GB/s (median, cold L2; measured %s ceiling %.0f %s).\n",
            measured_device(run), rate.ceiling_name, rate.ceiling, rate.unit);
    print_sets(out, run, NULL);
    if (!model) return;
    fputs("Microseconds measured there / modelled by the simulator:\n", out);
    print_sets(out, run, model);
}
