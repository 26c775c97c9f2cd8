// `ladder run two_gpus --sweep`: sums from 1 KiB to 1 GiB by one step, beside NCCL where it is
// installed: rounds one after the other in the ranks' streams, and the same rounds as one graph.
// All of y is compared on all devices. On the simulator modelled, up to 64 KiB.
#include "sweep.h"

#include "atomic_file.h"
#include "json.h"
#include "program.h"
#include "stats.h"
#include "ladder.h"
#include "table.h"
#include "timing.h"

extern const kl_adapter kl_lab_adapter;

enum { PATH_BYTES = 4096, FIRST_STEP = 7, FIRST_IN_GRAPH = 9, LAST_STEP = 11, REPEATS = 11 };
enum { FIRST_POWER = 8, LAST_POWER_GPU = 28, LAST_POWER_SIM = 14, MOST_ROWS = 48 }; // elements

// Who sums.
typedef struct summer {
    const char *name;
    int number; // of the step; -1: the vendor's library
    kl_step step;
    bool left_out; // not there
} summer;

typedef struct options {
    bool solution;
    kl_device_request device;
    int step;
    const char *json_file;
} options;

// Microseconds of a round, in the streams and in a graph; NaN: not measured.
typedef struct row {
    int64_t n;
    double own_us[2], vendor_us[2];
} row;

typedef struct sweep {
    options options;
    kl_device device;
    int devices; // that take part
    summer own, vendor;
    row rows[MOST_ROWS];
    int count;
} sweep;

// One size of one summer.
typedef struct work {
    const summer *by;
    int64_t n;
    two_gpus_plan *plan;
} work;

static int enqueue(const work *w) {
    KL_FUNCTION(two_gpus_function, step, w->by->step.function);
    return step(w->n, w->plan);
}

static int in_streams(void *context) {
    int code = enqueue(context);
    return code != 0 ? code : sweep_wait(((const work *)context)->plan);
}

static int as_graph(void *context) {
    const two_gpus_plan *plan = ((const work *)context)->plan;
    int code = (int)cudaGraphLaunch(plan->exec, plan->rank[0].streams[0]);
    return code != 0 ? code : sweep_wait(plan);
}

// The rounds become plan->exec.
static int capture(const work *w) {
    two_gpus_plan *plan = w->plan;
    cudaStream_t stream = plan->rank[0].streams[0];
    int code = (int)cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    if (code == 0) code = sweep_join(plan, false);
    if (code == 0) code = enqueue(w);
    if (code == 0) code = sweep_join(plan, true);
    int ended = (int)cudaStreamEndCapture(stream, &plan->graph);
    if (code == 0) code = ended;
    return code != 0 ? code : (int)cudaGraphInstantiate(&plan->exec, plan->graph, 0);
}

// Microseconds of a round, median of some calls, of which the last one's result is compared.
static kl_status measure(kl_timer *timer, work *w, kl_timed_work *call, double *out_us,
                         kl_error *err) {
    kl_interval us = {0};
    int64_t wrong = -1;
    TRY(kl_step_check("", w->by->number, sweep_fill(w->n, w->plan), err));
    TRY(kl_timer_measure(timer, REPEATS, call, w, &us, NULL, err));
    TRY(kl_step_check("", w->by->number, sweep_compare(w->n, w->plan, &wrong), err));
    *out_us = us.mid / TWO_GPUS_ROUNDS;
    if (wrong == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s, %lld elements: %lld of all ranks are wrong",
                   w->by->name, (long long)w->n, (long long)wrong);
}

static kl_status run_one(kl_timer *timer, const summer *by, int64_t n, double out_us[2],
                         kl_error *err) {
    two_gpus_plan plan = {0};
    const kl_call closing = {.h_plan = &plan};
    work w = {by, n, &plan};
    KL_FUNCTION(two_gpus_prepare, prepare, by->step.prepare);
    kl_status status = kl_step_check("", by->number, prepare(n, &plan), err);
    if (status == KL_OK) status = measure(timer, &w, in_streams, &out_us[0], err);
    bool in_graph = by->number < 0 || by->number >= FIRST_IN_GRAPH; // cudaMemcpyPeerAsync() cannot
    if (in_graph && status == KL_OK) status = kl_step_check("", by->number, capture(&w), err);
    if (in_graph && status == KL_OK) status = measure(timer, &w, as_graph, &out_us[1], err);
    kl_lab_adapter.close(&closing);
    return status;
}

// Powers of two, and behind each a size that is none.
static kl_status run_all(sweep *s, FILE *out, kl_error *err) {
    int last = s->device.simulated ? LAST_POWER_SIM : LAST_POWER_GPU;
    kl_timer timer;
    TRY(kl_timer_open(&s->device, &timer, err));
    timer.host = true;
    kl_status status = KL_OK;
    for (int k = 2 * FIRST_POWER; k < 2 * last + 1 && status == KL_OK; k++) {
        int64_t n = (INT64_C(1) << k / 2) + (k % 2) * ((INT64_C(1) << k / 2) / 3 + 1);
        row *r = &s->rows[s->count++];
        *r = (row){n, {NAN, NAN}, {NAN, NAN}};
        status = run_one(&timer, &s->own, n, r->own_us, err);
        if (status == KL_OK && !s->vendor.left_out)
            status = run_one(&timer, &s->vendor, n, r->vendor_us, err);
        fprintf(out, "%s%lld", k == 2 * FIRST_POWER ? "elements: " : " ", (long long)n);
        fflush(out);
    }
    fputs("\n", out);
    kl_timer_close(&timer);
    return status;
}

// The vendor's row only where its preparation succeeds: it needs a library and two devices.
static void open_vendor(sweep *s, const char *folder) {
    char path[PATH_BYTES];
    two_gpus_plan plan = {0};
    const kl_call closing = {.h_plan = &plan};
    kl_error ignored;
    snprintf(path, sizeof path, "%s/vendor.so", folder);
    s->vendor = (summer){.name = "NCCL", .number = -1, .left_out = true};
    if (kl_step_open_file(path, "two_gpus_vendor", &s->vendor.step, &ignored) != KL_OK) return;
    kl_step_find_prepare(&s->vendor.step, "two_gpus_vendor_prepare");
    KL_FUNCTION(two_gpus_prepare, prepare, s->vendor.step.prepare);
    s->vendor.left_out = !prepare || prepare(1, &plan) != 0;
    kl_lab_adapter.close(&closing);
}

static kl_status open_own(sweep *s, const char *folder, kl_error *err) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, s->options.solution ? "solution" : "skeleton");
    s->own = (summer){.name = "the step", .number = s->options.step};
    TRY(kl_step_open(path, s->options.step, &kl_lab_adapter, &s->own.step, err));
    if (s->own.step.prepare) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "step %d has no preparation", s->options.step);
}

// Empty: not measured.
static void cell(kl_table *table, int at, int column, const char *format, double value) {
    char text[32];
    snprintf(text, sizeof text, format, value);
    kl_table_cell(table, at, column, KL_PLAIN, "%s", isnan(value) ? "" : text);
}

static void print_table(const sweep *s, FILE *out) {
    static const char *const titles[] = {"bytes", "us",       "as graph", "GB/s",
                                         "NCCL",  "as graph", "gain",     "as graph"};
    kl_table *table = calloc(1, sizeof *table);
    kl_style style = kl_style_for(out);
    if (!table) return;
    for (int c = 0; c < (s->vendor.left_out ? 4 : 8); c++)
        kl_table_column(table, titles[c], KL_RIGHT);
    for (int i = 0; i < s->count; i++) {
        const row *r = &s->rows[i];
        int at = kl_table_row(table);
        char text[32];
        kl_table_cell(table, at, 0, KL_PLAIN, "%s",
                      kl_format_grouped(4 * (long long)r->n, text, sizeof text));
        kl_table_cell(table, at, 3, KL_PLAIN, "%s",
                      kl_format_rate(4e-3 * (double)r->n / r->own_us[0], text, sizeof text));
        for (int k = 0; k < 2; k++) {
            cell(table, at, 1 + k, "%.2f", r->own_us[k]);
            if (s->vendor.left_out) continue;
            cell(table, at, 4 + k, "%.2f", r->vendor_us[k]);
            cell(table, at, 6 + k, "%.2fx", r->vendor_us[k] / r->own_us[k]);
        }
    }
    fprintf(out, "\nMicroseconds of one sum over %d devices, %d one after the other\n\n",
            s->devices, TWO_GPUS_ROUNDS);
    kl_table_print(table, &style, out);
    if (s->vendor.left_out)
        fputs("\nlibnccl.so.2 was not found, or has nothing to do here.\n", out);
    free(table);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const sweep *s = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.sweep.two_gpus/1 device %s kind %s devices %d step %d "
                "rows [",
                s->device.name, s->device.simulated ? "sim" : "gpu", s->devices, s->options.step);
    for (int i = 0; i < s->count; i++) {
        const row *r = &s->rows[i];
        kl_json_put(&json,
                    "(bytes %ld stream_us %g graph_us %g nccl_stream_us %g nccl_graph_us %g)",
                    4 * r->n, r->own_us[0], r->own_us[1], r->vendor_us[0], r->vendor_us[1]);
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

static bool read_options(int argc, char **argv, options *o) {
    const kl_option rows[] = {
        {"device", KL_OPTION_DEVICE, &o->device, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"step", KL_OPTION_INT, &o->step, FIRST_STEP, LAST_STEP, NULL},
    };
    kl_error err = {KL_OK, ""};
    if (kl_program_options(argc, argv, rows, 4, &err) == KL_OK) return true;
    fprintf(stderr,
            "%s\nusage: two_gpus_sweep [--step %d..%d] [--solution] [--device %s] [--json FILE]\n",
            err.text, FIRST_STEP, LAST_STEP, kl_device_words);
    return false;
}

static kl_status run(sweep *s, char **argv, kl_error *err) {
    char folder[PATH_BYTES - 32];
    FILE *out = kl_file_is_stdout(s->options.json_file) ? stderr : stdout;
    setenv("LADDER_SIM_DEVICES", "2", 0);
    TRY(kl_device_select(&s->options.device, argv, &s->device, err));
    s->devices = s->device.devices < TWO_GPUS_MOST ? s->device.devices : TWO_GPUS_MOST;
    if (s->devices < 2) return kl_fail(err, KL_ERROR_INPUT, "this machine has one GPU");
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    TRY(open_own(s, folder, err));
    open_vendor(s, folder);
    fprintf(out, "The sums of 16_two_gpus, step %d\ndevice    %d x %s\n", s->options.step,
            s->devices, s->device.name);
    TRY(run_all(s, out, err));
    print_table(s, out);
    return s->options.json_file ? kl_file_put(s->options.json_file, write_json, s, err) : KL_OK;
}

int main(int argc, char **argv) {
    static sweep s = {.options = {.device = {KL_CHOOSE_AUTO, NULL}, .step = LAST_STEP}};
    kl_error err = {KL_OK, ""};
    if (!read_options(argc, argv, &s.options)) return 2;
    if (run(&s, argv, &err) == KL_OK) return 0;
    fprintf(stderr, "two_gpus_sweep: %s\n", err.text);
    return 1;
}
