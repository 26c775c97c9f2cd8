// SPDX-License-Identifier: MIT
// The program of the micro-ladders (`ladder run transpose --micro`): one table for each pattern. On the
// simulator it shows what was counted and modelled, on a GPU what was measured.
#include "micro.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "cuda_check.h"
#include "json.h"
#include "table.h"
#include "timing.h"

typedef enum pattern { GLOBAL_STRIDE, GLOBAL_OFFSET, SHARED_STRIDE } pattern;

typedef struct sweep {
    pattern pattern;
    const char *name;  // in the JSON
    const char *title; // of the table, and of its first column
    const char *parameter;
    int first, last;
    const char *ratio; // what over / under is
    const char *over, *under;
} sweep;

static const sweep sweeps[] = {
    {GLOBAL_STRIDE, "global_stride", "global memory: lane l reads x[l * stride]", "stride", 1, 32,
     "sectors/request", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {GLOBAL_OFFSET, "global_offset", "global memory: lane l reads x[l + offset]", "offset", 0, 31,
     "sectors/request", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {SHARED_STRIDE, "shared_stride", "shared memory: lane l reads word l * stride + k", "stride", 1,
     33, "passes/load", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "sim__shared_ld_requests.sum"},
};
enum { SWEEPS = sizeof sweeps / sizeof sweeps[0] };

typedef struct micro {
    kl_device device;
    kl_timer timer;
    const float *d_x;
    float *d_sink;
    int global_blocks, shared_blocks;
} micro;

typedef struct one_call {
    const micro *m;
    const sweep *s;
    int value;
} one_call;

static int call(void *context) {
    const one_call *c = context;
    const micro *m = c->m;
    switch (c->s->pattern) {
    case GLOBAL_STRIDE: return micro_global(m->d_x, c->value, 0, m->global_blocks, m->d_sink);
    case GLOBAL_OFFSET: return micro_global(m->d_x, 1, c->value, m->global_blocks, m->d_sink);
    case SHARED_STRIDE: return micro_shared(c->value, m->shared_blocks, m->d_sink);
    }
    return cudaErrorInvalidValue;
}

// Bytes that the threads asked for.
static double wanted_bytes(const micro *m, const sweep *s) {
    bool shared = s->pattern == SHARED_STRIDE;
    double loads = shared ? (double)m->shared_blocks * MICRO_SHARED_LOADS : m->global_blocks;
    return 4.0 * MICRO_THREADS * loads;
}

static double counter(const kl_counts *counts, const char *wanted) {
    for (int i = 0; i < counts->count; i++) {
        const char *name = kl_counts_name(i);
        if (name != NULL && strcmp(name, wanted) == 0) {
            return counts->values[i];
        }
    }
    return NAN;
}

static kl_status measure(micro *m, const sweep *s, int value, double *out_ratio, double *out_us,
                         kl_error *err) {
    one_call c = {m, s, value};
    kl_interval us = {NAN, NAN, NAN};
    kl_counts before, counts;
    kl_counts_read(&before);
    TRY(kl_timer_measure(&m->timer, KL_TIMING_MIN, call, &c, &us, NULL, err));
    kl_counts_read(&counts);
    kl_counts_subtract(&counts, &before);
    *out_ratio = counter(&counts, s->over) / counter(&counts, s->under);
    *out_us = us.mid;
    return KL_OK;
}

static kl_status run_sweep(micro *m, const sweep *s, kl_json *json, FILE *out, kl_error *err) {
    kl_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a table");
    }
    kl_table_column(table, s->parameter, KL_RIGHT);
    kl_table_column(table, s->ratio, KL_RIGHT);
    kl_table_column(table, m->device.simulated ? "modelled" : "measured", KL_RIGHT);
    kl_table_column(table, "wanted GB/s", KL_RIGHT);
    kl_table_column(table, "of the first", KL_RIGHT);
    kl_json_array(json, s->name);
    double first_us = NAN;
    kl_status status = KL_OK;
    for (int value = s->first; value <= s->last && status == KL_OK; value++) {
        double ratio = NAN, us = NAN;
        char text[32];
        status = measure(m, s, value, &ratio, &us, err);
        double rate = wanted_bytes(m, s) / us * 1e-3; // bytes/us -> GB/s
        first_us = value == s->first ? us : first_us;
        int row = kl_table_row(table);
        kl_table_cell(table, row, 0, KL_PLAIN, "%d", value);
        kl_table_cell(table, row, 1, KL_PLAIN, isfinite(ratio) ? "%.2f" : "-", ratio);
        kl_table_cell(table, row, 2, KL_PLAIN, "%s", kl_format_us(us, text, sizeof text));
        kl_table_cell(table, row, 3, KL_PLAIN, "%.0f", rate);
        kl_table_cell(table, row, 4, KL_PLAIN, "%.0f%%", 100.0 * first_us / us);
        kl_json_object(json, NULL);
        kl_json_int(json, s->parameter, value);
        kl_json_number(json, "ratio", ratio);
        kl_json_number(json, "time_us", us);
        kl_json_number(json, "wanted_gbs", rate);
        kl_json_end(json);
    }
    kl_json_end(json);
    kl_style style = kl_style_for(out);
    fprintf(out, "\n%s\n\n", s->title);
    kl_table_print(table, &style, out);
    free(table);
    return status;
}

static kl_status prepare(micro *m, kl_error *err) {
    // 32 MiB of wanted bytes keep a GPU busy for longer than a launch takes; the simulator, which is
    // slower, gets a quarter: counts a request do not depend on the size.
    m->global_blocks = m->device.simulated ? 1 << 13 : 1 << 15;
    m->shared_blocks = m->device.multiprocessors * (m->device.simulated ? 1 : 8);
    size_t bytes = sizeof(float) * MICRO_THREADS * (size_t)m->global_blocks * MICRO_MOST_STRIDE;
    void *d_x = NULL, *d_sink = NULL;
    TRY(kl_timer_open(&m->device, &m->timer, err));
    KL_CUDA(err, cudaMalloc(&d_x, bytes));
    m->d_x = d_x;
    KL_CUDA(err, cudaMalloc(&d_sink, sizeof(float)));
    m->d_sink = d_sink;
    KL_CUDA(err, cudaMemset(d_x, 0x3F, bytes)); // 0x3F3F3F3F is a finite float
    return KL_OK;
}

static kl_status run_all(micro *m, const char *json_file, kl_error *err) {
    bool to_stdout = json_file != NULL && strcmp(json_file, "-") == 0;
    FILE *out = to_stdout ? stderr : stdout;
    FILE *file = to_stdout ? stdout : fopen(json_file != NULL ? json_file : "/dev/null", "w");
    if (file == NULL) {
        return kl_fail(err, KL_ERROR_SYSTEM, "--json %s: %s", json_file, strerror(errno));
    }
    kl_json json;
    kl_json_begin(&json, file);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.micro/1");
    kl_json_string(&json, "lab", "transpose");
    kl_json_string(&json, "device", m->device.name);
    kl_json_string(&json, "kind", m->device.simulated ? "sim" : "gpu");
    fprintf(out, "Micro-ladders of 01_transpose\ndevice    %s, %d SMs\n", m->device.name,
            m->device.multiprocessors);
    kl_status status = prepare(m, err);
    for (int i = 0; i < SWEEPS && status == KL_OK; i++) {
        status = run_sweep(m, &sweeps[i], &json, out, err);
    }
    kl_json_end(&json);
    kl_error json_error = {KL_OK, ""};
    kl_status written = kl_json_finish(&json, &json_error);
    if (!to_stdout && fclose(file) != 0 && written == KL_OK) {
        written = kl_fail(&json_error, KL_ERROR_SYSTEM, "--json: %s", strerror(errno));
    }
    if (status == KL_OK && written != KL_OK) {
        *err = json_error;
        status = written;
    }
    return status;
}

int main(int argc, char **argv) {
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"json", required_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    static const char *const choices[] = {"auto", "sim", "gpu"};
    const char *json_file = NULL;
    int choice = 0, code = 0;
    while ((code = getopt_long(argc, argv, "", options, NULL)) != -1) {
        int found = code == 'd' ? 0 : 3;
        while (found < 3 && strcmp(optarg, choices[found]) != 0) {
            found++;
        }
        if (code == '?' || (code == 'd' && found == 3)) {
            fprintf(stderr, "usage: transpose_micro [--device auto|sim|gpu] [--json FILE]\n");
            return 2;
        }
        choice = code == 'd' ? found : choice;
        json_file = code == 'j' ? optarg : json_file;
    }
    static micro m;
    kl_error err = {KL_OK, ""};
    kl_status status = kl_device_select((kl_device_choice)choice, argv, &m.device, &err);
    if (status == KL_OK) {
        status = run_all(&m, json_file, &err);
    }
    if (status != KL_OK) {
        fprintf(stderr, "transpose_micro: %s\n", err.text);
    }
    return status == KL_OK ? 0 : 1;
}
