// SPDX-License-Identifier: MIT
// The table of docs/timing.md that sets what the latency micro-benchmarks print on the simulator
// beside what an H200 prints. See tables.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stored/times.h"
#include "tables/tables.h"

enum { ROWS = 1024, NAME = 64 };

typedef struct row {
    char name[NAME], unit[16];
    double value;
} row;

typedef struct sheet {
    char device[64];
    row rows[ROWS];
    int count;
} sheet;

static bool load(const char *name, sheet *out) {
    char path[4096], line[512];
    snprintf(path, sizeof path, "%smicro/%s", times_folder, name);
    FILE *file = fopen(path, "r");
    *out = (sheet){.count = 0};
    if (!file) {
        fprintf(stderr, "ladder-tables: %s cannot be read\n", path);
        return false;
    }
    while (out->count < ROWS && fgets(line, sizeof line, file)) {
        row *at = &out->rows[out->count];
        if (sscanf(line, "# %63[^,]", out->device) == 1) continue;
        if (sscanf(line, "%63[^,],%lf,%15[^,],", at->name, &at->value, at->unit) == 3) out->count++;
    }
    fclose(file);
    return out->count > 0;
}

static const row *find(const sheet *in, const char *name) {
    for (int i = 0; i < in->count; i++)
        if (strcmp(in->rows[i].name, name) == 0) return &in->rows[i];
    return NULL;
}

static double error_of(const row *simulated, const row *measured) {
    return fabs(simulated->value / measured->value - 1);
}

static bool print_summary(FILE *out, const sheet *measured, const sheet *simulated) {
    double sum = 0;
    int within_tenth = 0, within_quarter = 0, count = 0;
    for (int i = 0; i < simulated->count; i++) {
        const row *real = find(measured, simulated->rows[i].name);
        if (!real) continue;
        double error = error_of(&simulated->rows[i], real);
        sum += error;
        within_tenth += error <= 0.1;
        within_quarter += error <= 0.25;
        count++;
    }
    if (count == 0) return false;
    fprintf(
        out,
        "\nOf %d figures that a kernel reads off its clock on %s, the simulator prints %d within "
        "10 %% and %d within 25 %%; the mean error is %.1f %%.\n\n",
        count, measured->device, within_tenth, within_quarter, 100 * sum / count);
    return true;
}

static bool print_rows(FILE *out, const sheet *measured, const sheet *simulated) {
    bool good = true;
    fputs("\n| figure | unit | measured | simulated | simulated / measured |\n"
          "|---|---|---:|---:|---:|\n",
          out);
    for (int i = 0; i < simulated->count; i++) {
        const row *at = &simulated->rows[i], *real = find(measured, at->name);
        if (!real) {
            fprintf(stderr, "ladder-tables: %s has not been measured\n", at->name);
            good = false;
            continue;
        }
        fprintf(out, "| `%s` | %s | %.4g | %.4g | %.2f |\n", at->name, at->unit, real->value,
                at->value, at->value / real->value);
    }
    fputc('\n', out);
    return good;
}

bool tables_print_clocks(FILE *out, const char *root, const char *what) {
    (void)root;
    sheet *sheets = calloc(2, sizeof *sheets);
    bool good =
        sheets && load("micro_h200.csv", &sheets[0]) && load("simulated_h200.csv", &sheets[1]);
    if (good && strcmp(what, "summary") == 0)
        good = print_summary(out, &sheets[0], &sheets[1]);
    else if (good)
        good = print_rows(out, &sheets[0], &sheets[1]);
    free(sheets);
    return good;
}
