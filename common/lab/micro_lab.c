// Programs of micro-ladders: see program.h.
#include "program.h"
#include "atomic_file.h"
#include "device.h"
#include "cuda_check.h"
#include "json.h"
#include "table.h"
#include "timing.h"

typedef struct run {
    const kl_micro_lab *lab;
    kl_micro micro;
    kl_timer timer;
    kl_json json;
    FILE *out;
} run;

typedef struct one_call {
    const kl_micro *micro;
    const kl_micro_sweep *sweep;
    int value;
} one_call;

typedef struct point {
    double ratio, us, gbs;
} point;

static int call(void *context) {
    const one_call *c = context;
    return c->sweep->call(c->micro, c->value);
}

static double counter(const kl_counts *counts, const char *wanted) {
    for (int i = 0; i < counts->count; i++) {
        const char *name = kl_counts_name(i);
        if (name && strcmp(name, wanted) == 0) return counts->values[i];
    }
    return NAN;
}

static kl_status measure(run *r, const kl_micro_sweep *s, int value, point *out, kl_error *err) {
    one_call c = {&r->micro, s, value};
    kl_interval us = {NAN, NAN, NAN};
    kl_counts before, counts;
    kl_counts_read(&before, NULL);
    TRY(kl_timer_measure(&r->timer, KL_TIMING_MIN, call, &c, &us, NULL, err));
    kl_counts_read(&counts, &before);
    bool counted = s->ratio;
    out->ratio = counted ? s->scale * counter(&counts, s->over) / counter(&counts, s->under) : NAN;
    out->us = us.mid;
    out->gbs = s->wanted_bytes ? s->wanted_bytes(&r->micro, value) / us.mid * 1e-3 : NAN;
    return KL_OK;
}

enum column { COL_PARAMETER, COL_TIME, COL_SHARE, COL_RATIO, COL_RATE };

// Columns that a sweep lacks are left out: out_at[c] is where column c stands, or -1.
static void add_columns(const run *r, const kl_micro_sweep *s, kl_table *table, int out_at[5]) {
    int at = 0;
    memset(out_at, -1, 5 * sizeof *out_at);
    kl_table_column(table, s->parameter, s->labels ? KL_LEFT : KL_RIGHT);
    out_at[COL_PARAMETER] = at++;
    if (s->ratio) {
        kl_table_column(table, s->ratio, KL_RIGHT);
        out_at[COL_RATIO] = at++;
    }
    kl_table_column(table, r->micro.device.simulated ? "modelled" : "measured", KL_RIGHT);
    out_at[COL_TIME] = at++;
    if (s->wanted_bytes) {
        kl_table_column(table, "wanted GB/s", KL_RIGHT);
        out_at[COL_RATE] = at++;
    }
    kl_table_column(table, "of the first", KL_RIGHT);
    out_at[COL_SHARE] = at;
}

static void add_row(kl_table *table, const kl_micro_sweep *s, const int at[5], int value,
                    const point *p, double first_us) {
    char text[32];
    int row = kl_table_row(table);
    if (s->labels) kl_table_cell(table, row, 0, KL_PLAIN, "%s", s->labels[value - s->first]);
    else kl_table_cell(table, row, 0, KL_PLAIN, "%d", value);
    kl_table_cell(table, row, at[COL_RATIO], KL_PLAIN, isfinite(p->ratio) ? "%.2f" : "-", p->ratio);
    kl_table_cell(table, row, at[COL_TIME], KL_PLAIN, "%s", kl_format_us(p->us, text, sizeof text));
    kl_table_cell(table, row, at[COL_RATE], KL_PLAIN, "%s",
                  kl_format_rate(p->gbs, text, sizeof text));
    kl_table_cell(table, row, at[COL_SHARE], KL_PLAIN, "%.0f%%", 100.0 * first_us / p->us);
}

static void write_point(kl_json *json, const kl_micro_sweep *s, int value, const point *p) {
    kl_json_row(json, NULL);
    if (s->labels) kl_json_string(json, s->parameter, s->labels[value - s->first]);
    else kl_json_int(json, s->parameter, value);
    if (s->ratio) kl_json_number(json, "ratio", p->ratio);
    kl_json_number(json, "time_us", p->us);
    if (s->wanted_bytes) kl_json_number(json, "wanted_gbs", p->gbs);
    kl_json_end(json);
}

static kl_status run_sweep(run *r, const kl_micro_sweep *s, kl_error *err) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a table");
    int at[5];
    add_columns(r, s, table, at);
    kl_json_array(&r->json, s->name);
    double first_us = NAN;
    kl_status status = KL_OK;
    for (int value = s->first; value <= s->last && status == KL_OK; value++) {
        point p = {NAN, NAN, NAN};
        status = measure(r, s, value, &p, err);
        first_us = value == s->first ? p.us : first_us;
        add_row(table, s, at, value, &p, first_us);
        write_point(&r->json, s, value, &p);
    }
    kl_json_end(&r->json);
    kl_style style = kl_style_for(r->out);
    fprintf(r->out, "\n%s\n\n", s->title);
    kl_table_print(table, &style, r->out);
    free(table);
    return status;
}

static kl_status prepare(run *r, kl_error *err) {
    size_t bytes = r->lab->input_bytes(&r->micro.device);
    void *d_x = NULL, *d_sink = NULL;
    TRY(kl_timer_open(&r->micro.device, &r->timer, err));
    KL_CUDA(err, cudaMalloc(&d_x, bytes));
    r->micro.d_x = d_x;
    KL_CUDA(err, cudaMalloc(&d_sink, sizeof(float)));
    r->micro.d_sink = d_sink;
    KL_CUDA(err, cudaMemset(d_x, 0x3F, bytes));
    return KL_OK;
}

// What the sweeps are about, and what their ratios are.
static void write_words(run *r) {
    kl_json_object(&r->json, "titles");
    for (int i = 0; i < r->lab->sweep_count; i++)
        kl_json_string(&r->json, r->lab->sweeps[i].name, r->lab->sweeps[i].title);
    kl_json_put(&r->json, "} ratios {");
    for (int i = 0; i < r->lab->sweep_count; i++) {
        const kl_micro_sweep *s = &r->lab->sweeps[i];
        if (s->ratio) kl_json_string(&r->json, s->name, s->ratio);
    }
    kl_json_end(&r->json);
}

// Prints the sweeps as they are measured, and writes them to `file`.
static kl_status run_all(void *context, FILE *file, kl_error *err) {
    run *r = context;
    const kl_device *device = &r->micro.device;
    kl_json_begin(&r->json, file);
    kl_json_put(&r->json, "{schema ladder.micro/1 lab %s device %s kind %s", r->lab->name,
                device->name, device->simulated ? "sim" : "gpu");
    fprintf(r->out, "Micro-ladders of %s\ndevice    %s, %d SMs\n", r->lab->folder, device->name,
            device->multiprocessors);
    TRY(prepare(r, err));
    for (int i = 0; i < r->lab->sweep_count; i++) TRY(run_sweep(r, &r->lab->sweeps[i], err));
    write_words(r);
    kl_json_end(&r->json);
    return kl_json_finish(&r->json, err);
}

int kl_micro_main(int argc, char **argv, const kl_micro_lab *lab) {
    const char *json_file = NULL;
    kl_device_request request = {KL_CHOOSE_AUTO, NULL};
    kl_error err = {KL_OK, ""};
    const kl_option options[] = {{"device", KL_OPTION_DEVICE, &request, 0, 0, NULL},
                                 {"json", KL_OPTION_TEXT, &json_file, 0, 0, NULL}};
    if (kl_program_options(argc, argv, options, 2, &err) != KL_OK) {
        fprintf(stderr, "%s_micro: %s\nusage: %s_micro [--device %s] [--json FILE]\n", lab->name,
                err.text, lab->name, kl_device_words);
        return 2;
    }
    run r = {.lab = lab, .out = kl_file_is_stdout(json_file) ? stderr : stdout};
    kl_status status = kl_device_select(&request, argv, &r.micro.device, &err);
    const char *to = json_file ? json_file : "/dev/null";
    if (status == KL_OK) status = kl_file_put(to, run_all, &r, &err);
    if (status != KL_OK) fprintf(stderr, "%s_micro: %s\n", lab->name, err.text);
    return status == KL_OK ? 0 : 1;
}
