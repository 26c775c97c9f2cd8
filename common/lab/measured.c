// The only reader of ladder.run/2 (run.txt): see measured.h. Rows are read in measured_rows.c.
#include "measured.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_main_case(const json_t *run, const json_t *step) {
    const json_t *main_case = measured_main_case(run);
    return measured_result(step, json_string_value(json_object_get(main_case, "case")),
                           json_integer_value(json_object_get(main_case, "size"))) != NULL;
}

const json_t *measured_last_step(const json_t *run) {
    const json_t *steps = json_object_get(run, "steps");
    size_t count = json_array_size(steps);
    const json_t *last = json_array_get(steps, count - 1),
                 *before = json_array_get(steps, count - 2);
    return !has_main_case(run, last) && has_main_case(run, before) ? before : last;
}

bool measured_has_limit(const json_t *run) {
    const json_t *vendor = json_object_get(run, "vendor");
    const char *name = json_string_value(json_object_get(vendor, "name"));
    return name && strcmp(name, "limit") == 0;
}

measured_rates measured_rates_of(const json_t *run) {
    const json_t *ceilings = json_object_get(run, "ceilings");
    const char *against = json_string_value(json_object_get(run, "ceiling"));
    if (against && strcmp(against, "fma") == 0) {
        double fma = json_number_value(json_object_get(ceilings, "fma_tflops"));
        return (measured_rates){"TFLOP/s", "multiply-add", "TFLOP/s", "of FMA", fma};
    }
    if (against && strcmp(against, "tensor") == 0) {
        double tensor = json_number_value(json_object_get(ceilings, "tensor_tflops"));
        return (measured_rates){"TFLOP/s", "tensor cores", "TFLOP/s", "of tensor", tensor};
    }
    if (against && strcmp(against, "link") == 0) {
        double link = json_number_value(json_object_get(ceilings, "link_gbs"));
        return (measured_rates){"GB/s, to the device and back", "link", "GB/s", "of link", link};
    }
    if (against && strcmp(against, "read") == 0) {
        double read = json_number_value(json_object_get(ceilings, "read_gbs"));
        return (measured_rates){"GB/s", "read", "GB/s", "of read", read};
    }
    double copy = json_number_value(json_object_get(ceilings, "copy_gbs"));
    return (measured_rates){"GB/s, bytes read and written", "copy", "GB/s", "of copy", copy};
}

static bool is_case(const json_t *item, const char *family, long long size) {
    const char *name = json_string_value(json_object_get(item, "case"));
    return json_integer_value(json_object_get(item, "size")) == size && name && family &&
           strcmp(name, family) == 0;
}

const json_t *measured_case(const json_t *run, const char *family, long long size) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(run, "cases"), index, item) {
        if (is_case(item, family, size)) return item;
    }
    return NULL;
}

const json_t *measured_main_case(const json_t *run) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(run, "cases"), index, item) {
        if (json_is_true(json_object_get(item, "main"))) return item;
    }
    return NULL;
}

const json_t *measured_result(const json_t *step, const char *family, long long size) {
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        if (json_object_get(result, "time_us") && is_case(result, family, size)) return result;
    }
    return NULL;
}

const json_t *measured_result_of_size(const json_t *step, long long size) {
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        if (json_object_get(result, "time_us") &&
            json_integer_value(json_object_get(result, "size")) == size)
            return result;
    }
    return NULL;
}

bool measured_has_family(const json_t *step, const char *family) {
    if (family && json_object_get(json_object_get(step, "checked"), family)) return true;
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        const char *name = json_string_value(json_object_get(result, "case"));
        if (name && family && strcmp(name, family) == 0) return true;
    }
    return false;
}

bool measured_has_families_of(const json_t *step, const json_t *other) {
    const char *family;
    size_t index;
    json_t *item;
    json_object_foreach(json_object_get(other, "checked"), family, item) {
        if (!measured_has_family(step, family)) return false;
    }
    json_array_foreach(json_object_get(other, "results"), index, item) {
        if (!measured_has_family(step, json_string_value(json_object_get(item, "case"))))
            return false;
    }
    return step;
}

bool measured_has_own_families(const json_t *run, const json_t *step) {
    const json_t *last = measured_last_step(run);
    bool timed = false;
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(step, "results"), index, result) {
        if (!json_object_get(result, "time_us")) continue;
        timed = true;
        if (measured_has_family(last, json_string_value(json_object_get(result, "case"))))
            return false;
    }
    return timed;
}

const json_t *measured_step(const json_t *run, int step) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(run, "steps"), index, item) {
        if (json_integer_value(json_object_get(item, "step")) == step) return item;
    }
    return NULL;
}

double measured_time_us(const json_t *run, int step, const char *family, long long size) {
    const json_t *result = measured_result(measured_step(run, step), family, size);
    return json_number_value(json_object_get(result, "time_us"));
}

double measured_number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *measured_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

static bool has_schema(const json_t *document, const char *wanted) {
    const char *schema = json_string_value(json_object_get(document, "schema"));
    return schema && wanted && strcmp(schema, wanted) == 0;
}

json_t *measured_load(const char *name) {
    json_t *run = measured_document(name);
    if (has_schema(run, "ladder.run/2")) return run;
    json_decref(run);
    return NULL;
}

// The kind stands with the device's other properties, or beside its name.
bool measured_is_gpu(const json_t *run) {
    const json_t *device = json_object_get(run, "device");
    const char *kind =
        json_string_value(json_object_get(json_is_object(device) ? device : run, "kind"));
    return kind && strcmp(kind, "gpu") == 0;
}

const char *measured_device(const json_t *run) {
    const json_t *device = json_object_get(run, "device");
    const char *name =
        json_string_value(json_is_string(device) ? device : json_object_get(device, "name"));
    return name ? name : "?";
}

// Whether `model` is a run on the simulator's model of the card.
static bool is_model_of(const json_t *model, const json_t *gpu) {
    const char *card = measured_device(gpu), *name = measured_device(model);
    size_t length = strlen(card);
    return strncmp(name, card, length) == 0 && strcmp(name + length, " (simulated)") == 0;
}

static int is_table(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".csv") == 0;
}

int measured_load_cards(const char *labs, const char *lab, const char *document, json_t **out_runs,
                        int most) {
    char path[4096], name[256];
    struct dirent **entries = NULL;
    snprintf(path, sizeof path, "%.3000s/measured", labs);
    snprintf(name, sizeof name, "%.120s/%.120s", lab, document);
    int count = 0, found = scandir(path, &entries, is_table, alphasort);
    for (int i = 0; i < found; i++) {
        snprintf(path, sizeof path, "%.3000s/measured/%.255s", labs, entries[i]->d_name);
        json_t *documents = measured_documents(path, lab), *run = json_object_get(documents, name);
        if (measured_is_gpu(run) && count < most) out_runs[count++] = json_incref(run);
        json_decref(documents);
        free(entries[i]);
    }
    free(entries);
    return count;
}

typedef struct timed {
    int step;
    const char *family;
    long long size;
    double measured_us, modelled_us;
} timed;

enum { TIMED_MAX = 512 };

// Every step and case that has both times.
static int pair_up(const json_t *gpu, const json_t *model, timed times[TIMED_MAX]) {
    int count = 0;
    size_t i, j;
    json_t *step, *result;
    json_array_foreach(json_object_get(gpu, "steps"), i, step) {
        json_array_foreach(json_object_get(step, "results"), j, result) {
            timed t = {
                .step = (int)json_integer_value(json_object_get(step, "step")),
                .family = json_string_value(json_object_get(result, "case")),
                .size = json_integer_value(json_object_get(result, "size")),
                .measured_us = json_number_value(json_object_get(result, "time_us")),
            };
            t.modelled_us = measured_time_us(model, t.step, t.family, t.size);
            if (t.measured_us > 0 && t.modelled_us > 0 && count < TIMED_MAX) times[count++] = t;
        }
    }
    return count;
}

// Whether both have a time of some step and case.
static bool share_times(const json_t *gpu, const json_t *model) {
    static timed times[TIMED_MAX];
    return pair_up(gpu, model, times) > 0;
}

// A run that has nothing to compare gives way to a later one that has.
json_t *measured_load_model(const char *labs, const char *lab, const json_t *gpu) {
    char path[4096];
    snprintf(path, sizeof path, "%.3000s/measured/simulator.csv", labs);
    const char *schema = json_string_value(json_object_get(gpu, "schema")), *name;
    json_t *documents = measured_documents(path, lab), *run, *found = NULL;
    json_object_foreach(documents, name, run) {
        if (has_schema(run, schema) && is_model_of(run, gpu) &&
            (!found || (!share_times(gpu, found) && share_times(gpu, run))))
            found = run;
    }
    json_incref(found);
    json_decref(documents);
    return found;
}

measured_fit measured_compare(const json_t *gpu, const json_t *model, FILE *report) {
    static timed times[TIMED_MAX];
    measured_fit fit = {.times = pair_up(gpu, model, times)};
    for (int i = 0; i < fit.times; i++) {
        const timed *a = &times[i];
        fit.mean_error += fabs(a->modelled_us / a->measured_us - 1) / fit.times;
        for (int j = i + 1; j < fit.times; j++) {
            const timed *b = &times[j];
            double ratio = a->measured_us / b->measured_us;
            bool decided = ratio >= MEASURED_DECIDED || 1 / ratio >= MEASURED_DECIDED;
            if (a->step == b->step || !decided || a->size != b->size ||
                strcmp(a->family, b->family) != 0)
                continue;
            bool same = (ratio > 1) == (a->modelled_us > b->modelled_us);
            fit.pairs++;
            fit.in_order += same;
            if (!same && report)
                fprintf(report,
                        "%s %lld: steps %d and %d take %.1f and %.1f us, modelled %.1f and %.1f\n",
                        a->family, a->size, a->step, b->step, a->measured_us, b->measured_us,
                        a->modelled_us, b->modelled_us);
        }
    }
    return fit;
}
