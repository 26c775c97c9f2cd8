// Figures that other programs draw, drawn again from what they stored: the sweep of lab 04 over
// orders and its application, the timeline of a profile. See figure.h.
#include "figures/figure.h"
#include "measured.h"
#include "stored/stored.h"
#include "sweep.h"
#include "show/profile/profile.h"

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

// ---- The warp timeline of a launch, from its JSON ----

// By the code that draws it on the page of a profile (autograder/show/profile/profile.h).

enum { COLUMNS = 160 };

static uint32_t number(const json_t *object, const char *key) {
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

// Phases are numbered as in the file; of one that the kit does not know, ABSENT.
static sim_warp_phase phase_of(const json_t *names, size_t index) {
    const char *name = json_string_value(json_array_get(names, index));
    for (int i = 0; name && i < SIM_PHASE_COUNT; i++)
        if (strcmp(sim_phase_name((sim_warp_phase)i), name) == 0) return (sim_warp_phase)i;
    return SIM_PHASE_ABSENT;
}

// phase, cycles, phase, cycles, ..
static bool read_row(const json_t *names, const json_t *list, sim_timeline_row *row) {
    row->count = row->capacity = (uint32_t)(json_array_size(list) / 2);
    row->spans = calloc((size_t)row->count + 1, sizeof *row->spans);
    for (uint32_t i = 0; row->spans && i < row->count; i++) {
        size_t phase = (size_t)json_integer_value(json_array_get(list, 2 * (size_t)i));
        json_int_t cycles = json_integer_value(json_array_get(list, 2 * (size_t)i + 1));
        row->spans[i] = (sim_timeline_span){(uint32_t)cycles, phase_of(names, phase)};
    }
    return row->spans;
}

static bool read_timeline(const json_t *from, sim_timeline *t) {
    const json_t *warps = json_object_get(from, "warps");
    *t = (sim_timeline){.cycles = number(from, "cycles"),
                        .schedulers = number(from, "schedulers"),
                        .in_flight = json_number_value(json_object_get(from, "requests_in_flight")),
                        .cut = json_is_true(json_object_get(from, "cut"))};
    t->rows = calloc(json_array_size(warps) + 1, sizeof *t->rows);
    bool complete = t->rows && json_array_size(warps) > 0;
    for (size_t i = 0; complete && i < json_array_size(warps); i++) {
        complete = read_row(json_object_get(from, "phases"), json_array_get(warps, i), &t->rows[i]);
        t->row_count++;
    }
    return complete;
}

static void draw(const sim_timeline *t, const json_t *launch, uint32_t shown) {
    char title[512], cycles[128];
    ladder_timeline_view view;
    ladder_timeline_view_make(t, shown, COLUMNS, &view);
    snprintf(title, sizeof title, "Warp timeline of %s: %s",
             json_string_value(json_object_get(launch, "kernel")),
             ladder_timeline_title(&view, cycles, sizeof cycles));
    ladder_timeline_draw(&view, title, true, stdout);
}

int figure_draw_timeline(const json_t *profile) {
    const json_t *launch = json_array_get(json_object_get(profile, "launches"), 0);
    const json_t *from = json_object_get(launch, "timeline");
    sim_timeline t = {0};
    bool complete = from && read_timeline(from, &t);
    if (complete) draw(&t, launch, number(json_object_get(from, "shown"), "cycles"));
    else fputs("ladder-docs figure: the profile has no timeline\n", stderr);
    for (uint32_t i = 0; i < t.row_count; i++) free(t.rows[i].spans);
    free(t.rows);
    return complete ? 0 : 1;
}
