// Times of kernels and of the labs' steps from CSV, the card of this course, and what lab 04's
// application stored: see stored.h.
#include "stored/stored.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <ctype.h>
#include "measured.h"

#define APART 1.15 // times that differ by more have an order
#define FIFTH 0.2

// Letters of "kernel", "lab".
static int one(const char *set) { return (int)strlen(set) - 1; }

const char times_folder[] = LADDER_CARD_LOGS "/timing/";

// CSV files of common/validation/timing, a folder of them for each set of times ("kernels",
// "labs"): SET/NAME_CARD.csv, whose first line `# DEVICE` names the card where it was measured.
// NULL after a message.
static FILE *open_rows(const char *set, const char *name, const char *card) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s/%s_%s.csv", times_folder, set, name, card);
    FILE *file = fopen(path, "r");
    if (!file) fprintf(stderr, "%.*s times: %s: %s\n", one(set), set, path, strerror(errno));
    return file;
}

// Leaves `device` as it is when the line has none.
static void take_device(const char *line, char device[TIMES_DEVICE]) {
    if (line[0] == '#') sscanf(line, "# %127[^\n]", device);
}

// Whether SET_CARD.csv had `count` > 0 times and names its card. False after a message.
static bool are_there(const char *set, const char *card, int count, const char *device) {
    bool good = count > 0 && strncmp(device, "NVIDIA", 6) == 0;
    if (!good)
        fprintf(stderr, "%.*s times: %s_%s.csv has no times, or does not name its card\n", one(set),
                set, set, card);
    return good;
}

// ---- Kernels -----------------------------------------------------------------------------------

const char *const kernel_halves[KERNEL_HALVES] = {"look", "held", "new", "cause"};

// A row `name,kind,half,us,low_us,high_us`.
static bool read_row(const char *line, kernel_time *out) {
    char half[16];
    memset(out, 0, sizeof *out);
    if (sscanf(line, "%63[^,],%63[^,],%15[^,],%lf,%lf,%lf", out->name, out->kind, half, &out->us,
               &out->low_us, &out->high_us) != 6)
        return false;
    while (out->half < KERNEL_HALVES && strcmp(half, kernel_halves[out->half]) != 0) out->half++;
    return out->us > 0 && out->half < KERNEL_HALVES;
}

static bool load_measured_kernels(const char *card, kernel_times *out) {
    char line[512];
    FILE *file = open_rows("kernels", "kernels", card);
    if (!file) return false;
    while (out->count < KERNEL_TIMES_MOST && fgets(line, sizeof line, file)) {
        take_device(line, out->device);
        out->count += read_row(line, &out->kernels[out->count]);
    }
    fclose(file);
    return true;
}

// Rows `name,kind,half,us,played_us`.
static bool load_modelled_kernels(const char *card, kernel_times *out) {
    char line[512], name[KERNEL_TIMES_NAME];
    double us[KERNEL_MODELS];
    FILE *file = open_rows("kernels", "modelled", card);
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

bool kernel_times_load(const char *card, kernel_times *out) {
    memset(out, 0, sizeof *out);
    if (!load_measured_kernels(card, out) || !load_modelled_kernels(card, out)) return false;
    for (int i = 0; i < out->count; i++) {
        const double *us = out->kernels[i].modelled_us;
        if (us[KERNEL_MODEL_BOUNDS] > 0 && us[KERNEL_MODEL_SM] > 0) continue;
        fprintf(stderr, "kernel times: %s was measured, but not modelled\n", out->kernels[i].name);
        return false;
    }
    return are_there("kernels", card, out->count, out->device);
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
    double p = kernel_time_factor(x, KERNEL_MODEL_SM), q = kernel_time_factor(y, KERNEL_MODEL_SM);
    return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

kernel_errors kernel_times_errors(const kernel_times *times, kernel_model model, const char *kind,
                                  int half) {
    kernel_errors errors = {0};
    double logs = 0;
    for (int i = 0; i < times->count; i++) {
        const kernel_time *k = &times->kernels[i];
        if ((kind && strcmp(kind, k->kind) != 0) || k->half != half) continue;
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

// ---- Steps of the labs -------------------------------------------------------------------------

// Rows `lab,case,size,step,name,us,low_us,high_us`.
static bool load_measured_steps(const char *card, lab_times *out) {
    char line[512];
    FILE *file = open_rows("labs", "labs", card);
    if (!file) return false;
    while (out->count < LAB_TIMES_MOST && fgets(line, sizeof line, file)) {
        lab_time *row = &out->rows[out->count];
        memset(row, 0, sizeof *row);
        take_device(line, out->device);
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
static bool load_modelled_steps(const char *card, lab_times *out) {
    char line[512];
    FILE *file = open_rows("labs", "modelled", card);
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        lab_time row;
        if (sscanf(line, "%31[^,],%31[^,],%lld,%d,%lf,%lf", row.lab, row.which, &row.size,
                   &row.step, &row.modelled_us[KERNEL_MODEL_BOUNDS],
                   &row.modelled_us[KERNEL_MODEL_SM]) != 6)
            continue;
        for (int i = 0; i < out->count; i++)
            if (out->rows[i].step == row.step && is_same_shape(&out->rows[i], &row))
                memcpy(out->rows[i].modelled_us, row.modelled_us, sizeof row.modelled_us);
    }
    fclose(file);
    return true;
}

bool lab_times_load(const char *card, lab_times *out) {
    memset(out, 0, sizeof *out);
    if (!load_measured_steps(card, out) || !load_modelled_steps(card, out)) return false;
    for (int i = 0; i < out->count; i++) {
        const lab_time *row = &out->rows[i];
        if (row->modelled_us[KERNEL_MODEL_BOUNDS] > 0 && row->modelled_us[KERNEL_MODEL_SM] > 0)
            continue;
        fprintf(stderr, "lab times: %s %s %lld, step %d was measured, but not modelled\n", row->lab,
                row->which, row->size, row->step);
        return false;
    }
    return are_there("labs", card, out->count, out->device);
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

// ---- The card of this course ----

// LADDER_CARD is the line of docs/card.txt.

const char *card_id = LADDER_CARD;

const char *card_other_id(void) { return strcmp(card_id, "h200") == 0 ? "h100" : "h200"; }

void card_name(const char *id, char *out, size_t bytes) {
    snprintf(out, bytes, "%s", id);
    for (char *at = out; *at; at++) *at = (char)toupper((unsigned char)*at);
}

// The id that `at` begins with a word for, and the word's length; NULL when it does not.
static const char *marked_id(const char *at, size_t *out_length) {
    static const char card[] = "CARD", other[] = "OTHER";
    bool is_card = strncmp(at, card, sizeof card - 1) == 0;
    *out_length = is_card ? sizeof card - 1 : sizeof other - 1;
    if (is_card) return card_id;
    return strncmp(at, other, sizeof other - 1) == 0 ? card_other_id() : NULL;
}

bool card_path(const char *written, char *out, size_t bytes) {
    size_t length = 0;
    for (const char *at = written; *at;) {
        size_t marked_bytes = 1;
        const char *id = marked_id(at, &marked_bytes), *piece = id ? id : at;
        size_t piece_bytes = id ? strlen(id) : 1;
        if (length + piece_bytes >= bytes) return false;
        memcpy(out + length, piece, piece_bytes);
        length += piece_bytes;
        at += id ? marked_bytes : 1;
    }
    out[length] = '\0';
    char modelled[32]; // behind the lab's name
    snprintf(modelled, sizeof modelled, "/run_%s", card_id);
    char *name = strstr(out, modelled);
    if (name && !measured_has(out)) *name = '\0';
    return true;
}

// ---- What lab 04's application stored ----

static bool load_solvers(const json_t *run, jacobi_run *out) {
    const json_t *solvers = json_object_get(run, "solvers");
    out->solver_count = (int)json_array_size(solvers);
    if (out->solver_count < 1 || out->solver_count > JACOBI_MOST_SOLVERS) return false;
    for (int k = 0; k < out->solver_count; k++) {
        const json_t *one = json_array_get(solvers, (size_t)k);
        jacobi_solver *solver = &out->solvers[k];
        const char *kind = measured_text(one, "kind");
        snprintf(solver->name, sizeof solver->name, "%s", measured_text(one, "name"));
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
    *out = (jacobi_run){.simulated = strcmp(measured_text(run, "kind"), "sim") == 0};
    snprintf(out->device, sizeof out->device, "%s", measured_text(run, "device"));
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
