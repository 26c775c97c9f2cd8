// The same program on this machine's GPU: what common/gpu/timeline_recorder.c has noted becomes
// spans. See trace.h.
#include "ladder_config.h"
#include "sandbox/process/process.h"
#include "show/trace/trace.h"
#include <glob.h>

extern char **environ;

// A line of the recorder.
typedef struct noted {
    char kind; // 'c': a call of the host
    unsigned long long begin_ns, end_ns, bytes;
    unsigned device, stream, thread, correlation;
    const char *name;
    uint32_t number; // of its span; 0: it is none
} noted;

typedef struct noted_list {
    noted *items; // [count], by begin
    size_t count;
    uint32_t *calls; // [most + 1], by correlation: 1 + the index of the call; 0: none
    unsigned most;   // correlation
} noted_list;

static int by_begin(const void *a, const void *b) {
    const noted *x = a, *y = b;
    return x->begin_ns != y->begin_ns ? (x->begin_ns < y->begin_ns ? -1 : 1)
                                      : (x->kind != 'c') - (y->kind != 'c');
}

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static kl_status index_calls(noted_list *list, kl_error *err) {
    enum { MOST = 1 << 26 };
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].correlation > list->most) list->most = list->items[i].correlation;
    list->calls = list->most < MOST ? calloc(list->most + 1u, sizeof *list->calls) : NULL;
    if (!list->calls) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a timeline's calls");
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == 'c') list->calls[list->items[i].correlation] = (uint32_t)i + 1;
    return KL_OK;
}

// Ends each line of `text` with a NUL. KL_ERROR_INPUT for a line that is none.
static kl_status read_lines(char *text, noted_list *out_list, kl_error *err) {
    size_t lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    out_list->items = calloc(lines + 1, sizeof *out_list->items);
    if (!out_list->items) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a timeline");
    for (char *line = text, *next; (next = strchr(line, '\n')); line = next + 1) {
        noted *n = &out_list->items[out_list->count];
        int used = 0;
        *next = '\0';
        if (starts(line, "error ")) return kl_fail(err, KL_ERROR_SYSTEM, "%s", line + 6);
        if (sscanf(line, "%c %llu %llu %u %u %u %u %llu %n", &n->kind, &n->begin_ns, &n->end_ns,
                   &n->device, &n->stream, &n->thread, &n->correlation, &n->bytes, &used) != 8 ||
            used == 0 || n->end_ns < n->begin_ns || n->device >= SIM_MOST_DEVICES ||
            !strchr("c#><=df", n->kind))
            return kl_fail(err, KL_ERROR_INPUT, "the recorder's file has a line that is none");
        n->name = line + used;
        out_list->count++;
    }
    qsort(out_list->items, out_list->count, sizeof *out_list->items, by_begin);
    return index_calls(out_list, err);
}

static bool is_wait(const char *name) {
    return strstr(name, "Synchronize") || (starts(name, "cudaMemcpy") && !strstr(name, "Async"));
}

static noted *noted_call(const noted_list *list, const noted *work) {
    uint32_t call = list->calls[work->correlation];
    return call ? &list->items[call - 1] : NULL;
}

// "cudaMemcpyAsync_v3020" is cudaMemcpyAsync, of a thread's own default stream ".._ptsz".
static void call_name(const char *name, char *text, size_t bytes) {
    snprintf(text, bytes, "%s", name);
    char *version = strstr(text, "_v");
    if (version && isdigit((unsigned char)version[2])) *version = '\0';
    strncat(text, "\n", bytes - strlen(text) - 1); // places would stand behind it
}

static kl_status add_span(const noted_list *list, noted *n, uint64_t zero_ns, unsigned thread,
                          sim_spans *spans, kl_error *err) {
    enum { LEGACY = 7 }; // the driver's number of the legacy default stream
    char text[LADDER_TRACE_TEXT] = "";
    sim_span span = {.begin_us = 1e-3 * (double)(n->begin_ns - zero_ns),
                     .end_us = 1e-3 * (double)(n->end_ns - zero_ns),
                     .bytes = n->bytes,
                     .device = (uint8_t)n->device,
                     .kind = SIM_SPAN_COPY,
                     .unit = SIM_UNIT_SMS};
    if (n->kind == 'c') {
        span.unit = SIM_UNIT_HOST;
        span.kind = is_wait(n->name)                     ? SIM_SPAN_WAIT
                    : starts(n->name, "cudaGraphLaunch") ? SIM_SPAN_GRAPH
                                                         : SIM_SPAN_CALL;
        span.thread = (uint8_t)thread;
        call_name(n->name, text, sizeof text);
    } else {
        const noted *call = noted_call(list, n);
        span.call = call ? call->number : 0;
        span.in_graph = call && starts(call->name, "cudaGraphLaunch");
        span.waited = call && is_wait(call->name);
        span.pageable = strcmp(n->name, "pageable") == 0;
        span.stream = n->stream == LEGACY ? SIM_LEGACY_STREAM(n->device) : n->stream;
        if (n->kind == '#') span.kind = SIM_SPAN_KERNEL, snprintf(text, sizeof text, "%s", n->name);
        else if (n->kind == 'f') span.kind = SIM_SPAN_FILL;
        else if (n->kind == '>') span.unit = SIM_UNIT_TO_DEVICE;
        else if (n->kind == '<') span.unit = SIM_UNIT_TO_HOST;
        else if (n->kind == '=') span.unit = SIM_UNIT_TO_PEER;
    }
    if (sim_spans_add(spans, &span, text, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_INPUT, "no measured timeline");
    n->number = spans->count;
    return KL_OK;
}

// The calls that count: those between the marks of a lab's driver, else from the first on by which
// work came. Indices *out_first up to *out_end.
static void find_calls(const noted_list *list, size_t *out_first, size_t *out_end) {
    size_t start = list->count, stop = list->count, work = list->count;
    for (size_t i = 0; i < list->count; i++) {
        const noted *n = &list->items[i];
        if (n->kind != 'c') {
            const noted *call = noted_call(list, n);
            size_t at = call ? (size_t)(call - list->items) : i;
            if (at < work) work = at;
        } else if (starts(n->name, "cudaProfilerStart")) start = i + 1;
        else if (starts(n->name, "cudaProfilerStop") && start < list->count) stop = i;
    }
    *out_first = start < list->count ? start : work;
    *out_end = start < list->count ? stop : list->count;
}

static kl_status make_spans(const noted_list *list, sim_spans *out_spans, kl_error *err) {
    enum { THREADS = 32 };
    unsigned threads[THREADS], thread_count = 0;
    size_t first, end;
    find_calls(list, &first, &end);
    for (size_t i = first; i < list->count; i++) {
        noted *n = &list->items[i];
        unsigned thread = 0;
        if (n->kind == 'c' ? i >= end : !noted_call(list, n) || !noted_call(list, n)->number)
            continue;
        while (thread < thread_count && threads[thread] != n->thread) thread++;
        if (n->kind == 'c' && thread == thread_count && thread_count < THREADS)
            threads[thread_count++] = n->thread;
        TRY(add_span(list, n, list->items[first].begin_ns, thread, out_spans, err));
    }
    return KL_OK;
}

kl_status ladder_trace_read_measured(char *text, ladder_trace *out_trace, kl_error *err) {
    noted_list list = {.count = 0};
    sim_spans spans = {0};
    memset(out_trace, 0, sizeof *out_trace);
    out_trace->is_measured = true;
    kl_status status = read_lines(text, &list, err);
    if (status == KL_OK) status = make_spans(&list, &spans, err);
    if (status == KL_OK && spans.count == 0)
        status = kl_fail(err, KL_ERROR_INPUT, "the program gave the GPU no work");
    free(list.items);
    free(list.calls);
    if (status == KL_OK) status = ladder_trace_make(&spans, 0, out_trace, err);
    else sim_spans_free(&spans);
    return status;
}

// ---- running it ---------------------------------------------------------------------------------

// CUPTI's library beside the toolkit's others, in its own folder, or in a wheel's.
static bool find_cupti(char path[LADDER_PATH]) {
    static const char *const patterns[] = {
        LADDER_CUDA_LIBRARY_DIR "/libcupti.so*",
        LADDER_CUDA_LIBRARY_DIR "/../extras/CUPTI/lib64/libcupti.so*",
        LADDER_CUDA_LIBRARY_DIR "/../../../extras/CUPTI/lib64/libcupti.so*"};
    bool found = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++) {
        glob_t hits;
        found = glob(patterns[i], 0, NULL, &hits) == 0 && hits.gl_pathc > 0;
        if (found) snprintf(path, LADDER_PATH, "%s", hits.gl_pathv[0]);
        globfree(&hits);
    }
    return found;
}

static kl_status run_recorded(const char *const *argv, kl_error *err) {
    static const double limit_s = 300;
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .limits = {.wall_s = limit_s, .output_bytes = 16 << 20}};
    ladder_process process;
    TRY(ladder_process_start(&spec, &process, err));
    ladder_process_wait((ladder_process *[]){&process}, 1);
    ladder_process_finish(&process);
    bool well = process.end == LADDER_END_EXITED && process.code == 0;
    if (!well) fwrite(process.output, 1, process.output_bytes, stderr);
    if (process.end == LADDER_END_OUT_OF_TIME)
        kl_fail(err, KL_ERROR_INPUT, "it did not end within %.0f s there", limit_s);
    else if (!well)
        kl_fail(err, KL_ERROR_INPUT, "it did not end well there (%s %d)",
                process.end == LADDER_END_EXITED ? "exit status" : "signal", process.code);
    ladder_process_free(&process);
    return well ? KL_OK : KL_ERROR_INPUT;
}

kl_status ladder_trace_measure(const ladder_kit *kit, const char *const *argv, const char *gpu,
                               ladder_trace *out_trace, kl_error *err) {
    enum { MOST = 256 << 20 };
    char cupti[LADDER_PATH], recorder[LADDER_PATH], folder[LADDER_PATH], file[LADDER_PATH];
    char *text = NULL;
    size_t bytes;
    memset(out_trace, 0, sizeof *out_trace);
    TRY(ladder_path(recorder, err, "%s/common/gpu/timeline_recorder.so", kit->build));
    if (!find_cupti(cupti))
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "the toolkit has no CUPTI (libcupti.so, in extras/CUPTI/lib64): %s",
                       LADDER_CUDA_LIBRARY_DIR);
    TRY(ladder_folder_temporary(folder, err));
    kl_status status = ladder_path(file, err, "%s/timeline", folder);
    setenv("CUDA_INJECTION64_PATH", recorder, 1);
    setenv("LADDER_CUPTI", cupti, 1);
    setenv("LADDER_TIMELINE", file, 1);
    bool is_eager = setenv("CUDA_MODULE_LOADING", "EAGER", 0) == 0; // no code is loaded midway
    if (status == KL_OK) status = run_recorded(argv, err);
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("LADDER_CUPTI");
    unsetenv("LADDER_TIMELINE");
    if (is_eager) unsetenv("CUDA_MODULE_LOADING");
    if (status == KL_OK) status = ladder_file_read(AT_FDCWD, file, MOST, &text, &bytes, err);
    if (status == KL_OK) status = ladder_trace_read_measured(text, out_trace, err);
    if (status == KL_OK) snprintf(out_trace->device_name, sizeof out_trace->device_name, "%s", gpu);
    free(text);
    ladder_folder_remove(folder);
    return status;
}
