// SPDX-License-Identifier: MIT
// Times of kernels from CSV: see kernel_times.h.
#include "stored/kernel_times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stored/timing_rows.h"

// A row `name,kind,half,us,low_us,high_us`.
static bool read_row(const char *line, kernel_time *out) {
    char half[16];
    memset(out, 0, sizeof *out);
    if (sscanf(line, "%63[^,],%63[^,],%15[^,],%lf,%lf,%lf", out->name, out->kind, half, &out->us,
               &out->low_us, &out->high_us) != 6)
        return false;
    out->held = strcmp(half, "held") == 0;
    return out->us > 0;
}

static bool load_measured(const char *root, const char *card, kernel_times *out) {
    char line[512];
    FILE *file = timing_rows_open(root, "kernels", "kernels", card);
    if (!file) return false;
    while (out->count < KERNEL_TIMES_MOST && fgets(line, sizeof line, file)) {
        timing_rows_take_device(line, out->device);
        out->count += read_row(line, &out->kernels[out->count]);
    }
    fclose(file);
    return true;
}

// Rows `name,kind,half,us,played_us`.
static bool load_modelled(const char *root, const char *card, kernel_times *out) {
    char line[512], name[KERNEL_TIMES_NAME];
    double us[KERNEL_MODELS];
    FILE *file = timing_rows_open(root, "kernels", "modelled", card);
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63[^,],%*[^,],%*[^,],%lf,%lf", name, &us[0], &us[1]) != 3) continue;
        for (int i = 0; i < out->count; i++)
            if (strcmp(out->kernels[i].name, name) == 0)
                memcpy(out->kernels[i].modelled_us, us, sizeof us);
    }
    fclose(file);
    return true;
}

bool kernel_times_load(const char *root, const char *card, kernel_times *out) {
    memset(out, 0, sizeof *out);
    if (!load_measured(root, card, out) || !load_modelled(root, card, out)) return false;
    for (int i = 0; i < out->count; i++) {
        const double *us = out->kernels[i].modelled_us;
        if (us[KERNEL_MODEL_CLOSED] > 0 && us[KERNEL_MODEL_PLAYED] > 0) continue;
        fprintf(stderr, "kernel times: %s was measured, but not modelled\n", out->kernels[i].name);
        return false;
    }
    return timing_rows_are_there("kernels", card, out->count, out->device);
}

double kernel_time_ratio(const kernel_time *kernel, kernel_model model) {
    return kernel->modelled_us[model] / kernel->us;
}

double kernel_time_factor(const kernel_time *kernel, kernel_model model) {
    double ratio = kernel_time_ratio(kernel, model);
    return ratio < 1 ? 1 / ratio : ratio;
}

int kernel_time_worst_first(const void *a, const void *b) {
    const kernel_time *x = a, *y = b;
    double p = kernel_time_factor(x, KERNEL_MODEL_PLAYED),
           q = kernel_time_factor(y, KERNEL_MODEL_PLAYED);
    return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

kernel_errors kernel_times_errors(const kernel_times *times, kernel_model model, const char *kind,
                                  int held) {
    kernel_errors errors = {0};
    double logs = 0;
    for (int i = 0; i < times->count; i++) {
        const kernel_time *k = &times->kernels[i];
        if ((kind && strcmp(kind, k->kind) != 0) || (held >= 0 && k->held != (held == 1))) continue;
        double factor = kernel_time_factor(k, model);
        double error = fabs(kernel_time_ratio(k, model) - 1);
        errors.count++;
        errors.mean += error;
        logs += log(factor);
        errors.beyond_two += factor > 2;
        errors.within_fifth += error <= 0.2;
        if (!errors.worst || factor > kernel_time_factor(errors.worst, model)) errors.worst = k;
    }
    if (errors.count > 0) {
        errors.mean /= errors.count;
        errors.factor = exp(logs / errors.count);
    }
    return errors;
}
