// Reads what lab 04's application stored: see stored.h.
#include "stored/stored.h"

#include <math.h>
#include <string.h>

#include "measured.h"

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

static bool load_solvers(const json_t *run, jacobi_run *out) {
    const json_t *solvers = json_object_get(run, "solvers");
    out->solver_count = (int)json_array_size(solvers);
    if (out->solver_count < 1 || out->solver_count > JACOBI_MOST_SOLVERS) return false;
    for (int k = 0; k < out->solver_count; k++) {
        const json_t *one = json_array_get(solvers, (size_t)k);
        jacobi_solver *solver = &out->solvers[k];
        const char *kind = text_of(one, "kind");
        snprintf(solver->name, sizeof solver->name, "%s", text_of(one, "name"));
        solver->resident = json_is_true(json_object_get(one, "resident"));
        solver->kind = strcmp(kind, "host") == 0   ? JACOBI_CPU
                       : strcmp(kind, "step") == 0 ? JACOBI_STEP
                                                   : JACOBI_VENDOR;
    }
    return true;
}

static bool load_case(const json_t *from, int solver_count, jacobi_case *out) {
    const json_t *points = json_object_get(from, "points");
    out->order = (int64_t)measured_number(from, "order");
    out->point_count = (int)json_array_size(points);
    if (out->point_count < 1 || out->point_count > JACOBI_MOST_ALPHAS) return false;
    for (int i = 0; i < out->point_count; i++) {
        const json_t *point = json_array_get(points, (size_t)i);
        out->points[i].alpha = measured_number(point, "alpha");
        out->points[i].bound = measured_number(point, "bound");
        for (int k = 0; k < solver_count; k++) {
            const json_t *one = json_array_get(json_object_get(point, "solutions"), (size_t)k);
            jacobi_result *r = &out->points[i].results[k];
            r->iterations = (int)measured_number(one, "iterations");
            r->threads = k == 0 ? (int)measured_number(one, "threads") : 0;
            r->total_us = measured_number(one, "total_us");
            r->matrix_us = measured_number(one, "matrix_us");
            r->contraction = measured_number(one, "contraction");
            r->residual = measured_number(one, "residual");
            if (!(r->total_us > 0.0)) return false;
        }
    }
    return true;
}

bool stored_jacobi_load(const json_t *run, jacobi_run *out) {
    const json_t *cases = json_object_get(run, "cases");
    *out = (jacobi_run){.simulated = strcmp(text_of(run, "kind"), "sim") == 0};
    snprintf(out->device, sizeof out->device, "%s", text_of(run, "device"));
    out->page_locked = json_is_true(json_object_get(run, "page_locked"));
    out->goal.tolerance = (float)measured_number(run, "tolerance");
    out->repeat = (int)measured_number(run, "repeat");
    out->case_count = (int)json_array_size(cases);
    if (out->case_count < 1 || out->case_count > JACOBI_MOST_ORDERS) return false;
    if (!load_solvers(run, out)) return false;
    for (int i = 0; i < out->case_count; i++)
        if (!load_case(json_array_get(cases, (size_t)i), out->solver_count, &out->cases[i]))
            return false;
    return true;
}
