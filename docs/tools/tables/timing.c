// Tables of docs/timing.md, see tables.h: modelled times of kernels and of the labs' steps beside
// measured ones, the constants that micro-benchmarks measured, and what they print on the simulator
// beside what an H200 prints.
#include "stored/stored.h"
#include "tables/tables.h"

// ---- times and constants ----

static const char *const models[] = {"analytical", "cycle-level"};
static const char *const cards[] = {"h200", "h100"};

static void print_card(FILE *out, const char *card, const kernel_times *times) {
    static const char *const halves[KERNEL_HALVES] = {"looked at while building", "only reported",
                                                      "written when the model was frozen",
                                                      "each for one cause"};
    fprintf(out,
            "\nMeasured on %s, modelled for `%s`:\n\n"
            "| model | kernels | how many | mean error | typical factor | within 20 %% | beyond a "
            "factor of 2 | worst, modelled / measured |\n|---|---|---:|---:|---:|---:|---:|---|\n",
            times->device, card);
    for (int model = 0; model < KERNEL_MODELS; model++) {
        for (int half = 0; half < KERNEL_HALVES; half++) {
            kernel_errors e = kernel_times_errors(times, (kernel_model)model, NULL, half);
            if (!e.worst) continue;
            fprintf(out, "| %s | %s | %d | %.1f %% | %.2f | %d | %d | `%s`, %.2f |\n",
                    models[model], halves[half], e.count, 100 * e.mean, e.factor, e.within_fifth,
                    e.beyond_two, e.worst->name, kernel_time_ratio(e.worst, (kernel_model)model));
        }
    }
}

static bool print_summary(FILE *out) {
    static kernel_times times;
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        if (!kernel_times_load(cards[i], &times)) return false;
        print_card(out, cards[i], &times);
    }
    fputc('\n', out);
    return true;
}

// ---- The labs ----

static void print_lab(FILE *out, const lab_times *times, const char *lab) {
    fprintf(out, "| %s |", lab ? lab : "all");
    for (int model = 0; model < KERNEL_MODELS; model++) {
        lab_errors e = lab_times_errors(times, (kernel_model)model, lab);
        if (model == 0) fprintf(out, " %d | %d |", e.shapes, e.count);
        fprintf(out, " %.1f %% | %d | %d of %d |", 100 * e.mean, e.beyond_fifth, e.in_order,
                e.pairs);
    }
    fputc('\n', out);
}

static bool print_labs_of(FILE *out, const char *card) {
    static lab_times times;
    if (!lab_times_load(card, &times)) return false;
    fprintf(out,
            "\nMeasured on %s, modelled for `%s`:\n\n"
            "| lab | shapes | times | analytical: mean error | beyond 20 %% | pairs in order | "
            "cycle-level: mean error | beyond 20 %% | pairs in order |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            times.device, card);
    const char *lab = "";
    for (int t = 0; t < times.count; t++) {
        if (strcmp(times.rows[t].lab, lab) != 0) print_lab(out, &times, times.rows[t].lab);
        lab = times.rows[t].lab;
    }
    print_lab(out, &times, NULL);
    return true;
}

static bool print_labs(FILE *out) {
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        if (!print_labs_of(out, cards[i])) return false;
    fputc('\n', out);
    return true;
}

// ---- Kernels ----

static bool first_of_kind(const kernel_times *times, int i) {
    for (int k = 0; k < i; k++)
        if (strcmp(times->kernels[k].kind, times->kernels[i].kind) == 0) return false;
    return true;
}

static bool print_kinds(FILE *out, const kernel_times *times) {
    fputs(
        "\n| kind | looked at | mean error | typical factor | only reported | mean error | typical "
        "factor |\n|---|---:|---:|---:|---:|---:|---:|\n",
        out);
    for (int i = 0; i < times->count; i++) {
        if (!first_of_kind(times, i) || times->kernels[i].half > 1) continue; // new: by suites
        char kind[KERNEL_TIMES_NAME];
        snprintf(kind, sizeof kind, "%s", times->kernels[i].kind);
        for (char *c = kind; *c; c++)
            if (*c == '_') *c = ' ';
        fprintf(out, "| %s |", kind);
        for (int half = 0; half < 2; half++) {
            kernel_errors e =
                kernel_times_errors(times, KERNEL_MODEL_SM, times->kernels[i].kind, half);
            fprintf(out, " %d | %.0f %% | %.2f |", e.count, 100 * e.mean, e.factor);
        }
        fputc('\n', out);
    }
    fputc('\n', out);
    return true;
}

static bool print_kernels(FILE *out, const kernel_times *times) {
    static kernel_times sorted;
    sorted = *times;
    qsort(sorted.kernels, (size_t)sorted.count, sizeof sorted.kernels[0], kernel_time_worst_first);
    fputs("\n| kernel | kind | half | measured us | quartiles | cycle-level us | "
          "cycle-level / measured | analytical us | analytical / measured |\n"
          "|---|---|---|---:|---:|---:|---:|---:|---:|\n",
          out);
    for (int i = 0; i < sorted.count; i++) {
        const kernel_time *k = &sorted.kernels[i];
        fprintf(out, "| `%s` | %s | %s | %.1f | %.1f to %.1f |", k->name, k->kind,
                kernel_halves[k->half], k->us, k->low_us, k->high_us);
        for (int model = KERNEL_MODELS - 1; model >= 0; model--)
            fprintf(out, " %.1f | %.2f |", k->modelled_us[model],
                    kernel_time_ratio(k, (kernel_model)model));
        fputc('\n', out);
    }
    fputc('\n', out);
    return true;
}

// Rows of micro_h200.csv that the page shows; all others stand in the file.
static const char *const shown[] = {
#define TIMING_SHOWN(name) #name,
#include "tables/timing_shown.def"
#undef TIMING_SHOWN
};

static bool print_constants(FILE *out) {
    char path[4096], line[512], name[128], value[32], unit[64], how[256];
    bool seen[sizeof shown / sizeof shown[0]] = {false}, good = true;
    snprintf(path, sizeof path, "%smicro/micro_h200.csv", times_folder);
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "ladder-docs tables: %s cannot be read\n", path);
        return false;
    }
    fputs("\n| constant | value | unit | how |\n|---|---:|---|---|\n", out);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%127[^,],%31[^,],%63[^,],\"%255[^\"]", name, value, unit, how) != 4)
            continue;
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            if (strcmp(shown[i], name) != 0) continue;
            seen[i] = true;
            fprintf(out, "| `%s` | %s | %s | %s |\n", name, value, unit, how);
        }
    }
    fclose(file);
    fputc('\n', out);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        if (seen[i]) continue;
        fprintf(stderr, "ladder-docs tables: %s has no row %s\n", path, shown[i]);
        good = false;
    }
    return good;
}

bool tables_print_timing(FILE *out, const char *root, const char *what) {
    (void)root;
    static kernel_times times;
    if (strcmp(what, "constants") == 0) return print_constants(out);
    if (strcmp(what, "summary") == 0) return print_summary(out);
    if (strcmp(what, "labs") == 0) return print_labs(out);
    if (!kernel_times_load("h200", &times)) return false;
    if (strcmp(what, "kinds") == 0) return print_kinds(out, &times);
    if (strcmp(what, "kernels") == 0) return print_kernels(out, &times);
    fprintf(stderr, "ladder-docs tables: ladder:timing %s: no such table\n", what);
    return false;
}

// ---- micro-benchmarks on the simulator ----

enum { ROWS = 4096, NAME = 64 };

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
        fprintf(stderr, "ladder-docs tables: %s cannot be read\n", path);
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

static bool print_clock_errors(FILE *out, const sheet *measured, const sheet *simulated) {
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

static bool print_clock_rows(FILE *out, const sheet *measured, const sheet *simulated) {
    bool good = true;
    fputs("\n| figure | unit | measured | simulated | simulated / measured |\n"
          "|---|---|---:|---:|---:|\n",
          out);
    for (int i = 0; i < simulated->count; i++) {
        const row *at = &simulated->rows[i], *real = find(measured, at->name);
        if (!real) {
            fprintf(stderr, "ladder-docs tables: %s has not been measured\n", at->name);
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
        good = print_clock_errors(out, &sheets[0], &sheets[1]);
    else if (good) good = print_clock_rows(out, &sheets[0], &sheets[1]);
    free(sheets);
    return good;
}

// ---- published figures ----

// One row of published.csv that is of `card`; its share in *out_error. False: it is of another.
static bool print_published(FILE *out, char *line, const char *card, double *out_error) {
    enum { CARD, ROW, PUBLISHED, UNIT, WHAT, SOURCE, SIMULATED, COLUMNS };
    char *at[COLUMNS] = {line};
    for (int i = 1; i < COLUMNS; i++) {
        if (!(at[i] = strchr(at[i - 1], ','))) return false;
        *at[i]++ = '\0';
    }
    if (strcmp(at[CARD], card) != 0) return false;
    double ratio = strtod(at[SIMULATED], NULL) / strtod(at[PUBLISHED], NULL);
    *out_error = fabs(ratio - 1);
    fprintf(out, "| %s | `%s` | %s | %s | %s | %.4g | %.2f |\n", at[WHAT], at[ROW], at[SOURCE],
            at[UNIT], at[PUBLISHED], strtod(at[SIMULATED], NULL), ratio);
    return true;
}

// `what`: the card.
bool tables_print_published(FILE *out, const char *root, const char *what) {
    char path[4096], line[512];
    double sum = 0, error;
    int count = 0, within = 0;
    snprintf(path, sizeof path, "%s/common/validation/timing/published.csv", root);
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "ladder-docs tables: %s cannot be read\n", path);
        return false;
    }
    fputs(
        "\n| figure | row of `timing/micro` | source | unit | published | simulated | simulated / "
        "published |\n|---|---|---|---|---:|---:|---:|\n",
        out);
    while (fgets(line, sizeof line, file)) {
        if (!print_published(out, line, what, &error)) continue;
        sum += error;
        within += error <= 0.2;
        count++;
    }
    fclose(file);
    fprintf(out, "\nOf %d published figures %d are within 20 %%; the mean error is %.1f %%.\n\n",
            count, within, 100 * sum / (count ? count : 1));
    return count > 0;
}
