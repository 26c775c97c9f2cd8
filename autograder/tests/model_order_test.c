// SPDX-License-Identifier: MIT
// Protects the promise that the timing model ranks the steps of a lab as an H100 does: of the pairs
// of steps whose measured times differ by more than a sixth part or so, the modelled times of
// nearly all must be in the same order: of all labs' pairs together, and of each lab's nearly as
// many. (Furthest behind is lab 08, whose atomics on rows that are near each other, and whose
// blocks that wait at barriers for the farthest entry, the model takes for too fast.)
//   model_order_test LAB/measured/DEVICE.json..     reads simulator.json beside each
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DECIDED 1.15 // measured times nearer to each other than this have no order to agree with
#define AGREE   0.95 // share of all pairs
#define LEAST   0.88 // of a lab's

enum { MAX_TIMES = 512 };

typedef struct step_time {
    int step;
    const char *input;
    long long size;
    double measured_us, modelled_us;
} step_time;

typedef struct lab_times {
    step_time times[MAX_TIMES];
    int count;
} lab_times;

static double time_of(const json_t *run, int step, const char *input, long long size) {
    size_t i, j;
    const json_t *item, *result;
    json_array_foreach(json_object_get(run, "steps"), i, item) {
        if (json_integer_value(json_object_get(item, "step")) != step) continue;
        json_array_foreach(json_object_get(item, "results"), j, result) {
            const char *name = json_string_value(json_object_get(result, "case"));
            if (name && !strcmp(name, input) &&
                json_integer_value(json_object_get(result, "size")) == size)
                return json_number_value(json_object_get(result, "time_us"));
        }
    }
    return 0;
}

// Every step, input and size that has both times.
static void pair_up(const json_t *measured, const json_t *modelled, lab_times *out_times) {
    size_t i, j;
    const json_t *item, *result;
    json_array_foreach(json_object_get(measured, "steps"), i, item) {
        json_array_foreach(json_object_get(item, "results"), j, result) {
            step_time *t = &out_times->times[out_times->count];
            t->step = (int)json_integer_value(json_object_get(item, "step"));
            t->input = json_string_value(json_object_get(result, "case"));
            t->size = json_integer_value(json_object_get(result, "size"));
            t->measured_us = json_number_value(json_object_get(result, "time_us"));
            if (!t->input || out_times->count + 1 == MAX_TIMES) continue;
            t->modelled_us = time_of(modelled, t->step, t->input, t->size);
            if (t->measured_us > 0 && t->modelled_us > 0) out_times->count++;
        }
    }
}

static void compare(const char *lab, const lab_times *times, int *pairs, int *agree) {
    for (int i = 0; i < times->count; i++) {
        for (int j = i + 1; j < times->count; j++) {
            const step_time *a = &times->times[i], *b = &times->times[j];
            if (a->step == b->step || a->size != b->size || strcmp(a->input, b->input) != 0)
                continue;
            double ratio = a->measured_us / b->measured_us;
            if (ratio < DECIDED && 1 / ratio < DECIDED) continue;
            bool same = (a->measured_us > b->measured_us) == (a->modelled_us > b->modelled_us);
            ++*pairs;
            *agree += same;
            if (!same)
                printf(
                    "%s %s %lld: steps %d and %d take %.1f and %.1f us, modelled %.1f and %.1f\n",
                    lab, a->input, a->size, a->step, b->step, a->measured_us, b->measured_us,
                    a->modelled_us, b->modelled_us);
        }
    }
}

static json_t *load(const char *path) {
    json_error_t error;
    json_t *run = json_load_file(path, 0, &error);
    if (!run) fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    return run;
}

// Whether enough of the lab's steps are in order; adds to *all_pairs and *all_agree. A lab whose
// runs have no input and size in common fails: nothing would be compared.
static bool compare_lab(const char *file, int *all_pairs, int *all_agree) {
    static lab_times times;
    char path[4096];
    const char *slash = strrchr(file, '/');
    snprintf(path, sizeof path, "%.*ssimulator.json", slash ? (int)(slash - file + 1) : 0, file);
    json_t *measured = load(file), *modelled = load(path);
    const char *lab = json_string_value(json_object_get(measured, "lab"));
    bool loaded = measured && modelled && lab;
    int pairs = 0, agree = 0;
    times.count = 0;
    if (loaded) {
        pair_up(measured, modelled, &times);
        compare(lab, &times, &pairs, &agree);
        printf("%s: %d of %d pairs of steps are in the measured order\n", lab, agree, pairs);
    }
    json_decref(measured);
    json_decref(modelled);
    *all_pairs += pairs;
    *all_agree += agree;
    return loaded && pairs > 0 && agree >= LEAST * pairs;
}

int main(int argc, char **argv) {
    int wrong = 0, pairs = 0, agree = 0;
    for (int i = 1; i < argc; i++) wrong += !compare_lab(argv[i], &pairs, &agree);
    printf("all: %d of %d\n", agree, pairs);
    return wrong != 0 || pairs == 0 || agree < AGREE * pairs;
}
