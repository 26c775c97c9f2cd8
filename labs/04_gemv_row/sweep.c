// The program of lab 04's sweep (`ladder run gemv_row --sweep`): square matrices of many orders,
// for the paper's kernel, the last step and the vendor's library, as the paper's figure 3. On the
// simulator a few small orders are modelled, and the library cannot run.
//
// Every matrix is the beginning of one array of small integers, so sums are exact: the steps' whole
// answers must equal the library's bit by bit, and rows that are spread over the matrix the host's.
#include "sweep.h"

#include "device.h"
#include "cuda_check.h"
#include "gemv_row.h"
#include "atomic_file.h"
#include "json.h"
#include "program.h"
#include "random.h"
#include "ladder.h"
#include "timing.h"

extern const kl_adapter kl_lab_adapter;

enum { PATH_BYTES = 4096, CHECKED_ROWS = 16, PAPER_STEP = 5, LAST_STEP = 7 };

typedef struct sweep_options {
    bool solution;
    int steps[SWEEP_SERIES - 1];
    int step_count;
    const char *json_file, *plot_folder;
    kl_device_request request;
} sweep_options;

typedef struct sweep {
    sweep_options options;
    kl_device device;
    kl_timer timer;
    kl_step step[SWEEP_SERIES];
    int most;                  // the largest order
    float *a, *x, *y, *before; // host: [most][most], [most], [most], [most]
    void *d_a, *d_x, *d_y, *d_workspace, *d_prepared;
    _Alignas(16) unsigned char plan[GEMV_ROW_PLAN_BYTES];
    sweep_result result;
} sweep;

typedef struct one_call {
    void *function;
    kl_call call;
} one_call;

static int call_step(void *context) {
    const one_call *c = context;
    return kl_lab_adapter.call(c->function, &c->call);
}

// ---- set-up ------------------------------------------------------------------------------------

static kl_status open_steps(sweep *s, kl_error *err) {
    char folder[PATH_BYTES - 64], steps[PATH_BYTES];
    sweep_result *r = &s->result;
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    snprintf(steps, sizeof steps, "%s/%s", folder, s->options.solution ? "solution" : "skeleton");
    for (int i = 0; i < s->options.step_count; i++) {
        int number = s->options.steps[i];
        TRY(kl_step_open(steps, number, &kl_lab_adapter, &s->step[r->series_count], err));
        sweep_series *series = &r->series[r->series_count++];
        snprintf(series->name, sizeof series->name, "step %d", number);
        series->step = number;
    }
    if (s->device.simulated) return KL_OK;
    snprintf(steps, sizeof steps, "%s/vendor.so", folder);
    if (kl_step_open_file(steps, "gemv_row_vendor", &s->step[r->series_count], err) != KL_OK) {
        fprintf(stderr, "without the vendor's library: %s\n", err->text);
        return KL_OK;
    }
    r->has_vendor = true;
    r->series[r->series_count++] = (sweep_series){"cuBLAS", -1};
    return KL_OK;
}

static void fill(float *values, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        int drawn = (int)kl_random_below(seed, i, 8) - 4; // -4 .. 4 without 0
        values[i] = (float)(drawn < 0 ? drawn : drawn + 1);
    }
}

static kl_status make_data(sweep *s, kl_error *err) {
    size_t n = (size_t)s->most, row = n * sizeof(float);
    size_t prepared = gemv_row_prepared_bytes(s->most, s->most);
    s->a = malloc(n * row);
    s->x = malloc(row);
    s->y = malloc(row);
    s->before = malloc(row);
    if (!s->a || !s->x || !s->y || !s->before)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a matrix of order %d", s->most);
    fill(s->a, n * n, 1);
    fill(s->x, n, 2);
    KL_CUDA(err, cudaMalloc(&s->d_a, n * row));
    KL_CUDA(err, cudaMalloc(&s->d_x, row));
    KL_CUDA(err, cudaMalloc(&s->d_y, row));
    KL_CUDA(err, cudaMalloc(&s->d_workspace, GEMV_ROW_WORKSPACE_BYTES));
    KL_CUDA(err, cudaMalloc(&s->d_prepared, prepared));
    KL_CUDA(err, cudaMemset(s->d_workspace, 0, GEMV_ROW_WORKSPACE_BYTES));
    KL_CUDA(err, cudaMemcpy(s->d_a, s->a, n * row, cudaMemcpyHostToDevice));
    KL_CUDA(err, cudaMemcpy(s->d_x, s->x, row, cudaMemcpyHostToDevice));
    return KL_OK;
}

static void free_data(sweep *s) {
    cudaFree(s->d_a);
    cudaFree(s->d_x);
    cudaFree(s->d_y);
    cudaFree(s->d_workspace);
    cudaFree(s->d_prepared);
    free(s->a);
    free(s->x);
    free(s->y);
    free(s->before);
}

// ---- one order ---------------------------------------------------------------------------------

// compare: with the answer before, of another step or the library.
static kl_status check(sweep *s, int n, const char *name, bool compare, kl_error *err) {
    KL_CUDA(err, cudaMemcpy(s->y, s->d_y, (size_t)n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < CHECKED_ROWS; k++) {
        int row = (int)((int64_t)(n - 1) * k / (CHECKED_ROWS - 1));
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += (double)s->a[(size_t)row * (size_t)n + (size_t)j] * (double)s->x[j];
        if (!(s->y[row] == sum))
            return kl_fail(err, KL_ERROR_INPUT, "%s is wrong at order %d: y[%d] is %g, not %g",
                           name, n, row, s->y[row], sum);
    }
    for (int row = 0; compare && row < n; row++) {
        if (!(s->y[row] == s->before[row]))
            return kl_fail(err, KL_ERROR_INPUT, "%s and %s differ at order %d: y[%d] is %g and %g",
                           s->result.series[0].name, name, n, row, s->before[row], s->y[row]);
    }
    memcpy(s->before, s->y, (size_t)n * sizeof(float));
    return KL_OK;
}

static kl_status run_point(sweep *s, int point, int series, kl_error *err) {
    sweep_result *r = &s->result;
    int n = r->order[point];
    size_t row = (size_t)n * sizeof(float);
    int code = 0;
    kl_interval us;
    one_call c = {.function = s->step[series].function};
    c.call = (kl_call){.input_count = 2,
                       .output_count = 1,
                       .d_inputs = {s->d_a, s->d_x},
                       .d_outputs = {s->d_y},
                       .ints = {n, n},
                       .d_workspace = s->d_workspace,
                       .workspace_bytes = GEMV_ROW_WORKSPACE_BYTES,
                       .d_prepared = s->d_prepared,
                       .prepared_bytes = gemv_row_prepared_bytes(n, n),
                       .h_plan = s->plan};
    memset(s->plan, 0, sizeof s->plan);
    KL_CUDA(err, cudaMemset(s->d_y, KL_POISON, row));
    if (s->step[series].prepare) code = kl_lab_adapter.prepare(s->step[series].prepare, &c.call);
    if (code == 0) code = call_step(&c);
    if (code != 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s at order %d: %s", r->series[series].name, n,
                       code == KL_NOT_IMPLEMENTED ? "not implemented"
                                                  : cudaGetErrorString((cudaError_t)code));
    TRY(check(s, n, r->series[series].name, series > 0, err));
    TRY(kl_timer_measure(&s->timer, KL_TIMING_MIN, call_step, &c, &us, NULL, err));
    r->us[point][series] = us.mid;
    return KL_OK;
}

// ---- output ------------------------------------------------------------------------------------

static void print_scores(const sweep_result *r, const kl_style *style, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return;
    static const char *const titles[] = {"against cuBLAS", "won",  "lost", "equal",
                                         "least",          "most", "mean"};
    for (int i = 0; i < 7; i++) kl_table_column(table, titles[i], i == 0 ? KL_LEFT : KL_RIGHT);
    for (int i = 0; i + 1 < r->series_count; i++) {
        sweep_score score = sweep_score_of(r, i);
        int row = kl_table_row(table);
        kl_table_cell(table, row, 0, KL_PLAIN, "%s", r->series[i].name);
        kl_table_cell(table, row, 1, KL_GOOD, "%d", score.won);
        kl_table_cell(table, row, 2, score.lost > 0 ? KL_BAD : KL_PLAIN, "%d", score.lost);
        kl_table_cell(table, row, 3, KL_PLAIN, "%d", score.equal);
        kl_table_cell(table, row, 4, KL_PLAIN, "%.2fx", score.least);
        kl_table_cell(table, row, 5, KL_PLAIN, "%.2fx", score.most);
        kl_table_cell(table, row, 6, KL_PLAIN, "%.3fx", score.mean);
    }
    kl_table_print(table, style, out);
    free(table);
}

static void print(const sweep *s, FILE *out) {
    const sweep_result *r = &s->result;
    kl_style style = kl_style_for(out);
    char text[256];
    fprintf(out, "Sweep over orders, 04_gemv_row%s\ndevice    %s\n",
            s->options.solution ? " (solution)" : "", r->device);
    snprintf(text, sizeof text,
             r->simulated ? "%d small ones, modelled: a GPU is needed for all to %d and for "
                            "the library"
                          : "%d of %d to %d; medians, cold L2",
             r->count, r->simulated ? SWEEP_TO : SWEEP_FROM, SWEEP_TO);
    fputs("orders    ", out);
    kl_print_wrapped(out, &style, 10, text);
    fputc('\n', out);
    sweep_draw_text(r, &style, out);
    if (!r->has_vendor) return;
    fputc('\n', out);
    print_scores(r, &style, out);
}

static void write_points(kl_json *json, const sweep_result *r) {
    kl_json_array(json, "points");
    for (int i = 0; i < r->count; i++) {
        kl_json_put(json, "(order %d us [", r->order[i]);
        for (int k = 0; k < r->series_count; k++) kl_json_number(json, NULL, r->us[i][k]);
        kl_json_put(json, "])");
    }
    kl_json_end(json);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const sweep *s = context;
    const sweep_result *r = &s->result;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.sweep/1 lab gemv_row solution %hhd device %s kind %s "
                "read_gbs %g series [",
                s->options.solution, r->device, r->simulated ? "sim" : "gpu", r->ceiling_gbs);
    for (int i = 0; i < r->series_count; i++) {
        kl_json_put(&json, "(name %s", r->series[i].name);
        if (r->has_vendor && r->series[i].step >= 0) {
            sweep_score score = sweep_score_of(r, i);
            kl_json_put(&json, "won %d lost %d equal %d least %g most %g geometric_mean %g",
                        score.won, score.lost, score.equal, score.least, score.most, score.mean);
        }
        kl_json_end(&json);
    }
    kl_json_end(&json);
    write_points(&json, r);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}

static kl_status write_plot(void *context, FILE *out, kl_error *err) {
    const sweep *s = context;
    (void)err; // kl_file_replace notices what could not be written
    sweep_draw(&s->result, out);
    return KL_OK;
}

static kl_status save(sweep *s, kl_error *err) {
    char path[PATH_BYTES];
    if (s->options.json_file) TRY(kl_file_put(s->options.json_file, write_json, s, err));
    if (!s->options.plot_folder) return KL_OK;
    snprintf(path, sizeof path, "%s/sweep.svg", s->options.plot_folder);
    TRY(kl_file_replace(path, write_plot, s, err));
    fprintf(stderr, "written: %s\n", path);
    return KL_OK;
}

// ---- the program -------------------------------------------------------------------------------

static kl_status run(sweep *s, kl_error *err) {
    sweep_result *r = &s->result;
    kl_ceilings ceilings = {NAN, NAN, NAN, NAN, NAN, NAN};
    r->simulated = s->device.simulated;
    r->device = s->device.name;
    r->count = sweep_orders(r->simulated, r->order, &r->zoom);
    s->most = r->order[r->count - 1];
    TRY(open_steps(s, err));
    TRY(kl_ceilings_find(&s->device, false, &ceilings, err));
    r->ceiling_gbs = ceilings.read_gbs;
    TRY(kl_timer_open(&s->device, &s->timer, err));
    TRY(make_data(s, err));
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->series_count; k++) TRY(run_point(s, i, k, err));
    kl_timer_close(&s->timer);
    bool json_to_stdout = kl_file_is_stdout(s->options.json_file);
    print(s, json_to_stdout ? stderr : stdout);
    return save(s, err);
}

static kl_status add_step(const kl_option *option, const char *text, kl_error *err) {
    sweep_options *o = option->target;
    int64_t number = 0;
    TRY(kl_option_integer(option, text, &number, err));
    if (o->step_count == SWEEP_SERIES - 1)
        return kl_fail(err, KL_ERROR_USAGE, "at most %d steps", SWEEP_SERIES - 1);
    o->steps[o->step_count++] = (int)number;
    return KL_OK;
}

// False after a message.
static bool parse(int argc, char **argv, sweep_options *o) {
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"plots", KL_OPTION_TEXT, &o->plot_folder, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"step", KL_OPTION_OTHER, o, 1, LAST_STEP, add_step},
    };
    kl_error err = {KL_OK, ""};
    if (kl_program_options(argc, argv, options, 5, &err) != KL_OK) {
        fprintf(stderr,
                "%s\nusage: gemv_row_sweep [--step 1..%d].. (at most %d) [--solution] "
                "[--device %s] [--json FILE] [--plots DIR]\n",
                err.text, LAST_STEP, SWEEP_SERIES - 1, kl_device_words);
        return false;
    }
    if (o->step_count == 0) {
        o->steps[o->step_count++] = PAPER_STEP;
        o->steps[o->step_count++] = LAST_STEP;
    }
    return true;
}

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    sweep *s = calloc(1, sizeof *s);
    if (!s || !parse(argc, argv, &s->options)) {
        free(s);
        return 2;
    }
    kl_status status = kl_device_select(&s->options.request, argv, &s->device, &err);
    if (status == KL_OK) status = run(s, &err);
    free_data(s);
    if (status != KL_OK) fprintf(stderr, "gemv_row_sweep: %s\n", err.text);
    free(s);
    return status == KL_OK ? 0 : 1;
}
