// SPDX-License-Identifier: MIT
// Times of kernels from CSV: see kernel_times.h.
#include "stored/kernel_times.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "common/simulator/hardware/timing/kernels/"

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

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

static FILE *open_rows(const char *root, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/" FOLDER "%s", root, name);
    FILE *file = fopen(path, "r");
    if (!file) fprintf(stderr, "kernel times: %s: %s\n", path, strerror(errno));
    return file;
}

static bool load_measured(const char *root, kernel_times *out) {
    char line[512];
    FILE *file = open_rows(root, "kernels_h200.csv");
    if (!file) return false;
    while (out->count < KERNEL_TIMES_MOST && fgets(line, sizeof line, file)) {
        if (line[0] == '#') sscanf(line, "# %127[^\n]", out->device);
        out->count += read_row(line, &out->kernels[out->count]);
    }
    fclose(file);
    return true;
}

static bool load_modelled(const char *root, kernel_times *out) {
    char line[512];
    kernel_time row;
    FILE *file = open_rows(root, "modelled_h200.csv");
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        if (!read_row(line, &row)) continue;
        for (int i = 0; i < out->count; i++)
            if (strcmp(out->kernels[i].name, row.name) == 0) out->kernels[i].modelled_us = row.us;
    }
    fclose(file);
    return true;
}

bool kernel_times_load(const char *root, kernel_times *out) {
    memset(out, 0, sizeof *out);
    if (!load_measured(root, out) || !load_modelled(root, out)) return false;
    for (int i = 0; i < out->count; i++) {
        if (out->kernels[i].modelled_us > 0) continue;
        fprintf(stderr, "kernel times: %s was measured, but not modelled\n", out->kernels[i].name);
        return false;
    }
    if (out->count == 0 || !starts(out->device, "NVIDIA"))
        fprintf(stderr,
                "kernel times: kernels_h200.csv has no kernels, or does not name its card\n");
    return out->count > 0 && starts(out->device, "NVIDIA");
}

double kernel_time_factor(const kernel_time *kernel) {
    double ratio = kernel->modelled_us / kernel->us;
    return ratio < 1 ? 1 / ratio : ratio;
}

kernel_errors kernel_times_errors(const kernel_times *times, const char *kind, int held) {
    kernel_errors errors = {0};
    double logs = 0;
    for (int i = 0; i < times->count; i++) {
        const kernel_time *k = &times->kernels[i];
        if ((kind && strcmp(kind, k->kind) != 0) || (held >= 0 && k->held != (held == 1))) continue;
        double factor = kernel_time_factor(k), error = fabs(k->modelled_us / k->us - 1);
        errors.count++;
        errors.mean += error;
        logs += log(factor);
        errors.beyond_two += factor > 2;
        errors.within_fifth += error <= 0.2;
        if (!errors.worst || factor > kernel_time_factor(errors.worst)) errors.worst = k;
    }
    if (errors.count > 0) {
        errors.mean /= errors.count;
        errors.factor = exp(logs / errors.count);
    }
    return errors;
}
