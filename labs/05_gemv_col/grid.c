// `ladder run gemv_col --grid`: the test grid of the lab's source, n = 2^7 .. 2^14 and
// m = 2^1 .. n, five seeds each: average times and counts of wins as in its table 12, and the
// BLOCK_WIDTH sweep of its table 11. On a GPU measured, against cuBLAS; on the simulator modelled,
// on the shapes up to n = 2^9 and one seed.
#include <dlfcn.h>

#include "call.h"
#include "cuda_check.h"
#include "reference.h"
#include "atomic_file.h"
#include "json.h"
#include "program.h"
#include "probes.h"
#include "timing.h"
#include "stats.h"
#include "ladder.h"
#include "table.h"

extern const kl_adapter kl_lab_adapter;

enum {
    FIRST_POWER = 7,
    LAST_POWER_GPU = 14,
    LAST_POWER_SIM = 9,
    MOST_SHAPES = 84,
    MOST_SEEDS = 5,
    MOST_METHODS = 32,
    REPEATS = 3, // timed calls of one case on a GPU; the median counts
    PATH_BYTES = 4096
};
static const uint64_t first_seed = 2012, delay_cycles = 300000; // as in timing.c

// One way to compute one of the products. width: of step 1, 3 or 4, or 0: the step's own.
typedef struct method {
    const char *name;
    int step; // -1: the library
    gemv_col_op op;
    int width;
    bool left_out; // not there, or not written yet
    kl_step object;
    gemv_col_width_function *of_width;
    double us[MOST_SHAPES][MOST_SEEDS];
} method;

// The methods of table 12: of each product the naive one first, the library last.
static const method listed[] = {
    {.name = "naive", .step = 0, .op = GEMV_COL_AX},
    {.name = "block_multiply", .step = 1, .op = GEMV_COL_AX},
    {.name = "two_stage", .step = 5, .op = GEMV_COL_AX},
    {.name = "final", .step = 6, .op = GEMV_COL_AX},
    {.name = "cuBLAS", .step = -1, .op = GEMV_COL_AX},
    {.name = "naive_transposed", .step = 2, .op = GEMV_COL_ATX},
    {.name = "block_transposed", .step = 3, .op = GEMV_COL_ATX},
    {.name = "transpose_then", .step = 4, .op = GEMV_COL_ATX},
    {.name = "final", .step = 6, .op = GEMV_COL_ATX},
    {.name = "cuBLAS", .step = -1, .op = GEMV_COL_ATX},
};
enum { LISTED = sizeof listed / sizeof listed[0] };
static const int widths[] = {8, 16, 32, 64, 128, 256};
enum { WIDTHS = sizeof widths / sizeof widths[0], WIDE_STEPS = 3 };
static const int wide_methods[WIDE_STEPS] = {1, 6, 7}; // in `listed`: steps 1, 3 and 4

typedef struct grid {
    kl_device device;
    kl_timer timer;
    int shapes, seeds, methods;
    int64_t m[MOST_SHAPES], n[MOST_SHAPES];
    method method[MOST_METHODS];
    float *d_a, *d_x, *d_y;
    void *d_workspace;
    double *d_answer;
    unsigned *d_wrong;
} grid;

static void choose_shapes(grid *g) {
    int last = g->device.simulated ? LAST_POWER_SIM : LAST_POWER_GPU;
    g->seeds = g->device.simulated ? 1 : MOST_SEEDS;
    for (int p = FIRST_POWER; p <= last; p++) {
        for (int q = 1; q <= p; q++) {
            g->m[g->shapes] = INT64_C(1) << q;
            g->n[g->shapes++] = INT64_C(1) << p;
        }
    }
}

// ---- methods
// -------------------------------------------------------------------------------------

static kl_status open_method(method *m, const char *folder, bool solution, kl_error *err) {
    char path[PATH_BYTES], symbol[64];
    if (m->step < 0) {
        snprintf(path, sizeof path, "%s/vendor.so", folder);
        return kl_step_open_file(path, "gemv_col_vendor", &m->object, err);
    }
    snprintf(path, sizeof path, "%s/%s", folder, solution ? "solution" : "skeleton");
    TRY(kl_step_open(path, m->step, &kl_lab_adapter, &m->object, err));
    if (m->width == 0) return KL_OK;
    snprintf(symbol, sizeof symbol, "gemv_col_width%d", m->step);
    void *found = dlsym(m->object.handle, symbol);
    if (!found) return kl_fail(err, KL_ERROR_INPUT, "has no function '%s'", symbol);
    memcpy(&m->of_width, &found, sizeof found); // ISO C has no cast from data to functions
    return KL_OK;
}

// Steps that cannot be loaded are left out with the reason; the library is, on the simulator.
static void open_methods(grid *g, const char *folder, bool solution) {
    for (int i = 0; i < LISTED; i++) g->method[g->methods++] = listed[i];
    for (int s = 0; s < WIDE_STEPS; s++) {
        for (int w = 0; w < WIDTHS; w++) {
            method *m = &g->method[g->methods++];
            *m = listed[wide_methods[s]];
            m->width = widths[w];
        }
    }
    for (int i = 0; i < g->methods; i++) {
        method *m = &g->method[i];
        kl_error err = {KL_OK, ""};
        m->left_out = m->step < 0 && g->device.simulated;
        if (m->left_out || open_method(m, folder, solution, &err) == KL_OK) continue;
        m->left_out = true;
        if (m->width == 0) fprintf(stderr, "%s is left out: %s\n", m->name, err.text);
    }
}

typedef struct one_call {
    const method *m;
    const gemv_col_task *task;
} one_call;

static int call(void *context) {
    const one_call *c = context;
    gemv_col_function *function = NULL;
    if (c->m->width != 0) return c->m->of_width(c->task, c->m->width);
    memcpy(&function, &c->m->object.function, sizeof function);
    return function(c->task);
}

// ---- one case
// ------------------------------------------------------------------------------------

static gemv_col_task task_of(const grid *g, int shape, gemv_col_op op) {
    return (gemv_col_task){.op = op,
                           .m = g->m[shape],
                           .n = g->n[shape],
                           .d_a = g->d_a,
                           .d_x = g->d_x,
                           .d_y = g->d_y,
                           .d_workspace = g->d_workspace,
                           .workspace_bytes = gemv_col_workspace_bytes(g->m[shape], g->n[shape])};
}

// The median of some calls, each with a cold L2 cache on a GPU.
static kl_status time_case(grid *g, one_call *c, double *out_us, kl_error *err) {
    double samples[REPEATS];
    int repeats = g->device.simulated ? 1 : REPEATS;
    for (int r = 0; r < repeats; r++) {
        int code = 0;
        if (g->timer.d_flush) {
            KL_CUDA(err, cudaMemsetAsync(g->timer.d_flush, r & 1, g->timer.flush_bytes, 0));
            KL_CUDA(err, (cudaError_t)kl_probe_delay(delay_cycles));
        }
        TRY(kl_timer_once(&g->timer, call, c, &code, &samples[r], err));
        if (code != 0) return kl_fail(err, KL_ERROR_CUDA, "%s returned %d", c->m->name, code);
    }
    *out_us = kl_median(samples, (size_t)repeats);
    return KL_OK;
}

// The first call, whose result is compared. A step that is not written yet is left out.
static kl_status check_case(grid *g, int shape, method *m, kl_error *err) {
    gemv_col_task task = task_of(g, shape, m->op);
    one_call c = {m, &task};
    unsigned wrong = 0;
    size_t outputs = (size_t)(m->op == GEMV_COL_AX ? task.m : task.n);
    KL_CUDA(err, cudaMemset(g->d_y, KL_POISON, outputs * sizeof(float)));
    KL_CUDA(err, cudaMemset(g->d_wrong, 0, sizeof wrong));
    int code = call(&c);
    if (code == KL_NOT_IMPLEMENTED) {
        m->left_out = true;
        if (m->width == 0) fprintf(stderr, "%s is left out: not implemented\n", m->name);
        return KL_OK;
    }
    if (code != 0) return kl_fail(err, KL_ERROR_CUDA, "%s returned %d", m->name, code);
    KL_CUDA(err, (cudaError_t)grid_compare(&task, g->d_answer, g->d_wrong));
    KL_CUDA(err, cudaMemcpy(&wrong, g->d_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
    if (wrong == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s is wrong at m = %lld, n = %lld: %u of %zu elements",
                   m->name, (long long)task.m, (long long)task.n, wrong, outputs);
}

static kl_status run_shape(grid *g, int shape, int seed, kl_error *err) {
    for (int i = 0; i < g->methods; i++) {
        method *m = &g->method[i];
        gemv_col_task task = task_of(g, shape, m->op);
        one_call c = {m, &task};
        bool new_answer = i == 0 || g->method[i - 1].op != m->op;
        if (new_answer) KL_CUDA(err, (cudaError_t)grid_solve(&task, g->d_answer));
        if (!m->left_out) TRY(check_case(g, shape, m, err));
        if (!m->left_out) TRY(time_case(g, &c, &m->us[shape][seed], err));
    }
    return KL_OK;
}

static kl_status run_grid(grid *g, kl_error *err) {
    int64_t largest = g->n[g->shapes - 1];
    size_t workspace = gemv_col_workspace_bytes(largest, largest);
    KL_CUDA(err, cudaMalloc((void **)&g->d_a, (size_t)(largest * largest) * sizeof(float)));
    KL_CUDA(err, cudaMalloc((void **)&g->d_x, (size_t)largest * sizeof(float)));
    KL_CUDA(err, cudaMalloc((void **)&g->d_y, (size_t)largest * sizeof(float)));
    KL_CUDA(err, cudaMalloc((void **)&g->d_answer, 2 * (size_t)largest * sizeof(double)));
    KL_CUDA(err, cudaMalloc((void **)&g->d_wrong, sizeof(unsigned)));
    KL_CUDA(err, cudaMalloc(&g->d_workspace, workspace));
    KL_CUDA(err, cudaMemset(g->d_workspace, 0, GEMV_COL_COUNTER_BYTES));
    for (int seed = 0; seed < g->seeds; seed++) {
        KL_CUDA(err,
                (cudaError_t)grid_fill(g->d_a, largest * largest, first_seed + 2 * (uint64_t)seed));
        KL_CUDA(err, (cudaError_t)grid_fill(g->d_x, largest, first_seed + 2 * (uint64_t)seed + 1));
        for (int shape = 0; shape < g->shapes; shape++) TRY(run_shape(g, shape, seed, err));
    }
    return KL_OK;
}

// ---- results
// -------------------------------------------------------------------------------------

static double shape_us(const grid *g, const method *m, int shape) {
    double sum = 0.0;
    for (int seed = 0; seed < g->seeds; seed++) sum += m->us[shape][seed];
    return sum / g->seeds;
}

static double average_us(const grid *g, const method *m) {
    double sum = 0.0;
    for (int shape = 0; shape < g->shapes; shape++) sum += shape_us(g, m, shape);
    return m->left_out ? NAN : sum / g->shapes;
}

// Cases, a shape with a seed, in which a is faster than b; -1 when one of them is left out.
static int wins(const grid *g, const method *a, const method *b) {
    int count = 0;
    if (a->left_out || b->left_out) return -1;
    for (int shape = 0; shape < g->shapes; shape++) {
        for (int seed = 0; seed < g->seeds; seed++)
            count += a->us[shape][seed] < b->us[shape][seed];
    }
    return count;
}

// The geometric mean over all shapes of the times of b over those of a, and the least of them.
static double mean_gain(const grid *g, const method *a, const method *b, double *out_least) {
    double gains[MOST_SHAPES];
    *out_least = NAN;
    if (a->left_out || b->left_out) return NAN;
    for (int shape = 0; shape < g->shapes; shape++) {
        gains[shape] = shape_us(g, b, shape) / shape_us(g, a, shape);
        if (!(gains[shape] >= *out_least)) *out_least = gains[shape];
    }
    return kl_geometric_mean(gains, (size_t)g->shapes);
}

static const method *baseline(const grid *g, gemv_col_op op, bool library) {
    for (int i = 0; i < LISTED; i++) {
        const method *m = &g->method[i];
        if (m->op == op && (m->step < 0) == library) return m;
    }
    return NULL;
}

static void print_methods(const grid *g, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    kl_style style = kl_style_for(out);
    if (!table) return;
    kl_table_column(table, "product", KL_LEFT);
    kl_table_column(table, "method", KL_LEFT);
    kl_table_column(table, "average", KL_RIGHT);
    kl_table_column(table, "beats naive", KL_RIGHT);
    kl_table_column(table, "beats cuBLAS", KL_RIGHT);
    kl_table_column(table, "gain", KL_RIGHT);
    kl_table_column(table, "least", KL_RIGHT);
    for (int i = 0; i < LISTED; i++) {
        const method *m = &g->method[i], *library = baseline(g, m->op, true);
        char text[32];
        double least = NAN, gain = mean_gain(g, m, library, &least);
        int row = kl_table_row(table), cases = g->shapes * g->seeds;
        kl_table_cell(table, row, 0, KL_PLAIN, "%s", m->op == GEMV_COL_AX ? "A x" : "A^T x");
        kl_table_cell(table, row, 1, KL_PLAIN, "%s", m->name);
        kl_table_cell(table, row, 2, KL_PLAIN, "%s",
                      kl_format_us(average_us(g, m), text, sizeof text));
        int over_naive = wins(g, m, baseline(g, m->op, false)), over = wins(g, m, library);
        if (over_naive >= 0) kl_table_cell(table, row, 3, KL_PLAIN, "%d of %d", over_naive, cases);
        if (over >= 0 && m->step >= 0) {
            kl_table_cell(table, row, 4, KL_PLAIN, "%d of %d", over, cases);
            kl_table_cell(table, row, 5, KL_PLAIN, "%.2fx", gain);
            kl_table_cell(table, row, 6, KL_PLAIN, "%.2fx", least);
        }
    }
    fprintf(out,
            "\n%d shapes, %d seed%s each: average times, cases won,\n"
            "and the gain over cuBLAS (geometric mean over the shapes, and least)\n\n",
            g->shapes, g->seeds, g->seeds > 1 ? "s" : "");
    kl_table_print(table, &style, out);
    free(table);
}

static void print_widths(const grid *g, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    kl_style style = kl_style_for(out);
    if (!table) return;
    static char titles[WIDTHS][16];
    kl_table_column(table, "BLOCK_WIDTH", KL_LEFT);
    for (int w = 0; w < WIDTHS; w++) {
        snprintf(titles[w], sizeof titles[w], "%d", widths[w]);
        kl_table_column(table, titles[w], KL_RIGHT);
    }
    for (int i = LISTED; i < g->methods; i += WIDTHS) {
        int row = kl_table_row(table);
        kl_table_cell(table, row, 0, KL_PLAIN, "%s", g->method[i].name);
        for (int w = 0; w < WIDTHS; w++) {
            char text[32];
            double us = average_us(g, &g->method[i + w]);
            kl_table_cell(table, row, 1 + w, KL_PLAIN, "%s", kl_format_us(us, text, sizeof text));
        }
    }
    fputs("\nThe same averages with other widths of a block\n\n", out);
    kl_table_print(table, &style, out);
    free(table);
}

static void write_method(const grid *g, const method *m, kl_json *json) {
    const method *library = baseline(g, m->op, true);
    kl_json_put(json, "(name %s step %d product %s", m->name, m->step,
                m->op == GEMV_COL_AX ? "A x" : "A^T x");
    if (m->width != 0) kl_json_int(json, "width", m->width);
    kl_json_put(json, "average_us %g wins_over_naive %d", average_us(g, m),
                wins(g, m, baseline(g, m->op, false)));
    if (m->width == 0) {
        double least = NAN, gain = mean_gain(g, m, library, &least);
        kl_json_put(json, "wins_over_library %d gain_over_library %g least_gain_over_library %g",
                    wins(g, m, library), gain, least);
        kl_json_array(json, "us"); // of each shape, the mean over the seeds
        for (int shape = 0; shape < g->shapes && !m->left_out; shape++)
            kl_json_number(json, NULL, shape_us(g, m, shape));
        kl_json_end(json);
    }
    kl_json_end(json);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const grid *g = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.grid/1 lab gemv_col device %s kind %s seeds %d",
                g->device.name, g->device.simulated ? "sim" : "gpu", g->seeds);
    kl_json_array(&json, "shapes"); // m, n
    for (int shape = 0; shape < g->shapes; shape++) {
        kl_json_put(&json, "<%ld %ld>", g->m[shape], g->n[shape]);
    }
    kl_json_put(&json, "] methods [");
    for (int i = 0; i < g->methods; i++) write_method(g, &g->method[i], &json);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

int main(int argc, char **argv) {
    static grid g;
    kl_device_request request = {KL_CHOOSE_AUTO, NULL};
    kl_error err = {KL_OK, ""};
    const char *json_file = NULL;
    bool solution = false;
    char folder[PATH_BYTES - 32];
    const kl_option options[] = {{"device", KL_OPTION_DEVICE, &request, 0, 0, NULL},
                                 {"json", KL_OPTION_TEXT, &json_file, 0, 0, NULL},
                                 {"solution", KL_OPTION_FLAG, &solution, 0, 0, NULL}};
    if (kl_program_options(argc, argv, options, 3, &err) != KL_OK) {
        fprintf(stderr, "%s\nusage: gemv_col_grid [--solution] [--device %s] [--json FILE]\n",
                err.text, kl_device_words);
        return 2;
    }
    kl_status status = kl_device_select(&request, argv, &g.device, &err);
    if (status == KL_OK) status = kl_device_program_folder(folder, sizeof folder, &err);
    if (status == KL_OK) status = kl_timer_open(&g.device, &g.timer, &err);
    if (status == KL_OK) {
        FILE *out = kl_file_is_stdout(json_file) ? stderr : stdout;
        fprintf(out, "The grid of 05_gemv_col\ndevice    %s, %d SMs\n", g.device.name,
                g.device.multiprocessors);
        choose_shapes(&g);
        open_methods(&g, folder, solution);
        status = run_grid(&g, &err);
        if (status == KL_OK) print_methods(&g, out);
        if (status == KL_OK) print_widths(&g, out);
    }
    if (status == KL_OK && json_file) status = kl_file_put(json_file, write_json, &g, &err);
    if (status != KL_OK) fprintf(stderr, "gemv_col_grid: %s\n", err.text);
    return status == KL_OK ? 0 : 1;
}
