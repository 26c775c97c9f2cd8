// Tables of a lab whose steps are operations of their own, some of which several steps do: one
// table of the operations that a single step has, one for each set of steps that share cases. See
// tables.h.
#include "measured.h"
#include "table.h"
#include "tables/tables.h"

enum { STEPS_MAX = 32, SETS_MAX = 32 };

// Operations per byte from which arithmetic is the rate that a reader wants to see.
static const double arithmetic_from = 4.0;

static double time_of(const json_t *step, const json_t *at) {
    const char *family = json_string_value(json_object_get(at, "case"));
    const json_t *result =
        measured_result(step, family, json_integer_value(json_object_get(at, "size")));
    return result ? measured_number(result, "time_us") : NAN;
}

// Bit i: the i-th step of the run was timed in this case.
static unsigned steps_of(const json_t *run, const json_t *at) {
    unsigned set = 0;
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), i,
                       step) if (i < STEPS_MAX && time_of(step, at) > 0) set |= 1u << i;
    return set;
}

static bool is_single(unsigned set) { return (set & (set - 1)) == 0; }

static void put_us(FILE *out, double us) {
    if (isnan(us)) fputs(" |", out);
    else fprintf(out, us < 9.995 ? " %.2f |" : us < 99.95 ? " %.1f |" : " %.0f |", us);
}

// GB/s of what must move, or TFLOP/s where much is computed with it.
static void put_rate(FILE *out, const json_t *at, double us) {
    double bytes = measured_number(at, "work_bytes"), ops = measured_number(at, "work_ops");
    bool computes = ops >= arithmetic_from * bytes;
    char text[32];
    kl_format_rate(computes ? ops / us * 1e-6 : bytes / us * 1e-3, text, sizeof text);
    fprintf(out, " %s %s |", text, computes ? "TFLOP/s" : "GB/s");
}

static void put_case(FILE *out, const json_t *at) {
    fprintf(out, " %s %lld |", measured_text(at, "case"),
            json_integer_value(json_object_get(at, "size")));
}

static void print_singles(FILE *out, const json_t *run) {
    size_t i, k;
    json_t *step, *at;
    fputs("\n| step | case | microseconds | rate |\n|---|---|---:|---:|\n", out);
    json_array_foreach(json_object_get(run, "steps"), i, step) {
        json_array_foreach(json_object_get(run, "cases"), k, at) {
            if (steps_of(run, at) != 1u << i) continue;
            fprintf(out, "| %lld %s |", json_integer_value(json_object_get(step, "step")),
                    measured_text(step, "name"));
            put_case(out, at);
            put_us(out, time_of(step, at));
            put_rate(out, at, time_of(step, at));
            fputc('\n', out);
        }
    }
}

static const json_t *last_of(const json_t *run, unsigned set) {
    const json_t *last = NULL;
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), i, step) if (set >> i & 1) last = step;
    return last;
}

static bool library_has(const json_t *run, unsigned set) {
    size_t k;
    json_t *at;
    json_array_foreach(json_object_get(run, "cases"), k,
                       at) if (steps_of(run, at) == set &&
                               time_of(json_object_get(run, "vendor"), at) > 0) return true;
    return false;
}

// The cases that these steps share: microseconds, the rate of the last of them.
static void print_set(FILE *out, const json_t *run, unsigned set) {
    const json_t *vendor = library_has(run, set) ? json_object_get(run, "vendor") : NULL;
    size_t i, k;
    json_t *step, *at;
    fputs("\n| case |", out);
    json_array_foreach(json_object_get(run, "steps"), i, step) if (set >> i & 1)
        fprintf(out, " %lld %s |", json_integer_value(json_object_get(step, "step")),
                measured_text(step, "name"));
    fputs(vendor ? " library | library / last step | rate of the last |\n|---|"
                 : " rate of the last |\n|---|",
          out);
    for (unsigned bits = set; bits != 0; bits &= bits - 1) fputs("---:|", out);
    fputs(vendor ? "---:|---:|---:|\n" : "---:|\n", out);
    json_array_foreach(json_object_get(run, "cases"), k, at) {
        if (steps_of(run, at) != set) continue;
        double last = time_of(last_of(run, set), at);
        fputc('|', out);
        put_case(out, at);
        json_array_foreach(json_object_get(run, "steps"), i, step) if (set >> i & 1)
            put_us(out, time_of(step, at));
        if (vendor) {
            double theirs = time_of(vendor, at);
            put_us(out, theirs);
            fprintf(out, isnan(theirs) ? " |" : " %.2f |", theirs / last);
        }
        put_rate(out, at, last);
        fputc('\n', out);
    }
}

static void print_card(FILE *out, const json_t *run) {
    unsigned done[SETS_MAX];
    int sets = 0;
    size_t k;
    json_t *at;
    fprintf(out, "\nMeasured on %s: medians, cold L2, microseconds.\n", measured_device(run));
    print_singles(out, run);
    json_array_foreach(json_object_get(run, "cases"), k, at) {
        unsigned set = steps_of(run, at);
        bool known = is_single(set) || sets == SETS_MAX;
        for (int i = 0; i < sets; i++) known = known || done[i] == set;
        if (known) continue;
        done[sets++] = set;
        print_set(out, run, set);
    }
}

bool tables_print_operations(FILE *out, const char *root, const char *lab) {
    return tables_each_card(out, root, lab, "run", "ladder.run/2", print_card);
}
