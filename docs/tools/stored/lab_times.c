// SPDX-License-Identifier: MIT
// Times of the labs' steps from CSV: see lab_times.h.
#include "stored/lab_times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stored/timing_rows.h"

#define APART 1.15 // times that differ by more have an order
#define FIFTH 0.2

// Rows `lab,case,size,step,name,us,low_us,high_us`.
static bool load_measured(const char *root, const char *card, lab_times *out) {
    char line[512];
    FILE *file = timing_rows_open(root, "labs", "labs", card);
    if (!file) return false;
    while (out->count < LAB_TIMES_MOST && fgets(line, sizeof line, file)) {
        lab_time *row = &out->rows[out->count];
        memset(row, 0, sizeof *row);
        timing_rows_take_device(line, out->device);
        if (sscanf(line, "%31[^,],%31[^,],%lld,%d,%*[^,],%lf", row->lab, row->which, &row->size,
                   &row->step, &row->us) == 5)
            out->count += row->us > 0;
    }
    fclose(file);
    return true;
}

static bool is_same_shape(const lab_time *a, const lab_time *b) {
    return a->size == b->size && strcmp(a->which, b->which) == 0 && strcmp(a->lab, b->lab) == 0;
}

// Rows `lab,case,size,step,us,played_us`.
static bool load_modelled(const char *root, const char *card, lab_times *out) {
    char line[512];
    FILE *file = timing_rows_open(root, "labs", "modelled", card);
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        lab_time row;
        if (sscanf(line, "%31[^,],%31[^,],%lld,%d,%lf,%lf", row.lab, row.which, &row.size,
                   &row.step, &row.modelled_us[KERNEL_MODEL_CLOSED],
                   &row.modelled_us[KERNEL_MODEL_PLAYED]) != 6)
            continue;
        for (int i = 0; i < out->count; i++)
            if (out->rows[i].step == row.step && is_same_shape(&out->rows[i], &row))
                memcpy(out->rows[i].modelled_us, row.modelled_us, sizeof row.modelled_us);
    }
    fclose(file);
    return true;
}

bool lab_times_load(const char *root, const char *card, lab_times *out) {
    memset(out, 0, sizeof *out);
    if (!load_measured(root, card, out) || !load_modelled(root, card, out)) return false;
    for (int i = 0; i < out->count; i++) {
        const lab_time *row = &out->rows[i];
        if (row->modelled_us[KERNEL_MODEL_CLOSED] > 0 && row->modelled_us[KERNEL_MODEL_PLAYED] > 0)
            continue;
        fprintf(stderr, "lab times: %s %s %lld, step %d was measured, but not modelled\n", row->lab,
                row->which, row->size, row->step);
        return false;
    }
    return timing_rows_are_there("labs", card, out->count, out->device);
}

static bool is_first_of_shape(const lab_times *times, int i) {
    for (int k = 0; k < i; k++)
        if (is_same_shape(&times->rows[k], &times->rows[i])) return false;
    return true;
}

static void count_pairs(const lab_times *times, kernel_model model, int i, lab_errors *errors) {
    const lab_time *a = &times->rows[i];
    for (int k = i + 1; k < times->count; k++) {
        const lab_time *b = &times->rows[k];
        if (!is_same_shape(a, b) || fmax(a->us, b->us) <= APART * fmin(a->us, b->us)) continue;
        errors->pairs++;
        errors->in_order += (a->us < b->us) == (a->modelled_us[model] < b->modelled_us[model]);
    }
}

lab_errors lab_times_errors(const lab_times *times, kernel_model model, const char *lab) {
    lab_errors errors = {0};
    for (int i = 0; i < times->count; i++) {
        const lab_time *row = &times->rows[i];
        if (lab && strcmp(row->lab, lab) != 0) continue;
        double error = fabs(row->modelled_us[model] / row->us - 1);
        errors.shapes += is_first_of_shape(times, i);
        errors.count++;
        errors.mean += error;
        errors.beyond_fifth += error > FIFTH;
        count_pairs(times, model, i, &errors);
    }
    if (errors.count > 0) errors.mean /= errors.count;
    return errors;
}
