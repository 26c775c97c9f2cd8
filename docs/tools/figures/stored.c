// Figures that a lab's own program draws, drawn again from the results that it stored: the sweep of
// lab 04 over orders and its application. See figure.h.
#include "figures/figure.h"
#include "measured.h"
#include "stored/stored.h"
#include "sweep.h"

static int whole_of(const json_t *object, const char *key) {
    return (int)json_integer_value(json_object_get(object, key));
}

static bool is_simulated(const json_t *run) {
    return strcmp(measured_text(run, "kind"), "sim") == 0;
}

static int fail(const char *what) {
    fprintf(stderr, "ladder-docs figure: %s\n", what);
    return 1;
}

// ---- ladder.sweep/1 ----------------------------------------------------------------------------

static bool load_series(const json_t *run, sweep_result *out) {
    const json_t *series = json_object_get(run, "series");
    out->series_count = (int)json_array_size(series);
    if (out->series_count < 1 || out->series_count > SWEEP_SERIES) return false;
    for (int k = 0; k < out->series_count; k++) {
        const json_t *one = json_array_get(series, (size_t)k);
        snprintf(out->series[k].name, sizeof out->series[k].name, "%s", measured_text(one, "name"));
    }
    // Only steps are compared with the library, which is the last.
    const json_t *first = json_array_get(series, 0);
    out->has_vendor = out->series_count > 1 && json_object_get(first, "won");
    return true;
}

static bool load_points(const json_t *run, sweep_result *out) {
    const json_t *points = json_object_get(run, "points");
    out->count = (int)json_array_size(points);
    if (out->count < 1 || out->count > SWEEP_POINTS) return false;
    for (int i = 0; i < out->count; i++) {
        const json_t *point = json_array_get(points, (size_t)i), *us = json_object_get(point, "us");
        out->order[i] = whole_of(point, "order");
        for (int k = 0; k < out->series_count; k++) {
            out->us[i][k] = json_number_value(json_array_get(us, (size_t)k));
            if (!(out->us[i][k] > 0.0)) return false;
        }
    }
    return true;
}

int figure_draw_sweep(const json_t *run) {
    static int orders[SWEEP_POINTS];
    sweep_result *result = calloc(1, sizeof *result);
    if (!result) return fail("no memory");
    result->device = measured_text(run, "device");
    result->simulated = is_simulated(run);
    result->ceiling_gbs = measured_number(run, "read_gbs");
    sweep_orders(result->simulated, orders, &result->zoom);
    bool good = load_series(run, result) && load_points(run, result);
    if (good) sweep_draw(result, stdout);
    free(result);
    return good ? 0 : fail("the sweep's series or points are not as gemv_row_sweep writes them");
}

// ---- ladder.jacobi/1 ---------------------------------------------------------------------------

int figure_draw_jacobi(const json_t *run, int order) {
    jacobi_run *loaded = calloc(1, sizeof *loaded);
    if (!loaded) return fail("no memory");
    const jacobi_case *found = NULL;
    bool good = stored_jacobi_load(run, loaded);
    for (int i = 0; good && i < loaded->case_count; i++)
        if (loaded->cases[i].order == order) found = &loaded->cases[i];
    if (found) jacobi_draw(loaded, found, stdout);
    free(loaded);
    if (!good) return fail("the file is not as gemv_row_app writes it");
    return found ? 0 : fail("the file has no such order");
}
