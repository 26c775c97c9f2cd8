// SPDX-License-Identifier: MIT
// Look-ups in a lab's run: see measured.h.
#include "measured.h"

#include <stdbool.h>
#include <string.h>

const json_t *measured_last_step(const json_t *run) {
    const json_t *steps = json_object_get(run, "steps");
    return json_array_get(steps, json_array_size(steps) - 1);
}

measured_rates measured_rates_of(const json_t *run) {
    const json_t *ceilings = json_object_get(run, "ceilings");
    const char *against = json_string_value(json_object_get(run, "ceiling"));
    if (against && strcmp(against, "fma") == 0) {
        double fma = json_number_value(json_object_get(ceilings, "fma_tflops"));
        return (measured_rates){"TFLOP/s", "multiply-add", "TFLOP/s", "of FMA", "%.1f", fma};
    }
    if (against && strcmp(against, "read") == 0) {
        double read = json_number_value(json_object_get(ceilings, "read_gbs"));
        return (measured_rates){"GB/s", "read", "GB/s", "of read", "%.0f", read};
    }
    double copy = json_number_value(json_object_get(ceilings, "copy_gbs"));
    return (measured_rates){
        "GB/s, bytes read and written", "copy", "GB/s", "of copy", "%.0f", copy};
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
