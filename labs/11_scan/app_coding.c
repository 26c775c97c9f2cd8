// Compaction, coding and decoding with a scan of the lab's: see app.h.
#include "app.h"
#include "cuda_check.h"
#include "scan.h"
#include "stats.h"

extern const kl_adapter kl_lab_adapter;

// What lies on the device while the stages run.
typedef struct coder {
    const kl_step *step;
    coding_run *run;
    int64_t n;
    uint8_t *d_pixels, *d_values, *d_decoded;             // [n]
    int32_t *d_flags, *d_position, *d_places, *d_lengths; // [n]
    void *d_workspace;
    cudaEvent_t begin, end, scan_begin, scan_end;
    coding_stage *stage; // that is under way
} coder;

static kl_status check_code(const coder *c, int code, kl_error *err) {
    if (code == 0) return KL_OK;
    const char *what =
        code == KL_NOT_IMPLEMENTED ? "not implemented" : cudaGetErrorString((cudaError_t)code);
    return kl_fail(err, KL_ERROR_INPUT, "step %d: %s", c->run->step, what);
}

static kl_status time_between(cudaEvent_t from, cudaEvent_t to, double *out_us, kl_error *err) {
    float ms;
    KL_CUDA(err, cudaEventSynchronize(to));
    KL_CUDA(err, cudaEventElapsedTime(&ms, from, to));
    *out_us = 1e3 * (double)ms;
    return KL_OK;
}

// A scan of n integers by the step; d_y may be d_x. Its time is added to the stage's.
static kl_status scan(coder *c, const int32_t *d_x, int64_t n, scan_kind kind, int32_t *d_y,
                      kl_error *err) {
    kl_call call = {.input_count = 1,
                    .output_count = 1,
                    .d_inputs = {d_x},
                    .d_outputs = {d_y},
                    .input_bytes = {4 * (uint64_t)n},
                    .output_bytes = {4 * (uint64_t)n},
                    .ints = {n, SCAN_INT, kind, 0},
                    .d_workspace = c->d_workspace,
                    .workspace_bytes = scan_workspace_bytes(c->n)};
    double us = 0.0;
    KL_CUDA(err, cudaEventRecord(c->scan_begin, 0));
    TRY(check_code(c, kl_lab_adapter.call(c->step->function, &call), err));
    KL_CUDA(err, cudaEventRecord(c->scan_end, 0));
    TRY(time_between(c->scan_begin, c->scan_end, &us, err));
    c->stage->scan_us += us;
    c->stage->scans++;
    return KL_OK;
}

// The number of flags that are set: the last position, and the last flag.
static kl_status count_flags(const coder *c, int64_t *out_count, kl_error *err) {
    int32_t last[2];
    size_t at = (size_t)c->n - 1;
    KL_CUDA(err, cudaMemcpy(&last[0], c->d_position + at, 4, cudaMemcpyDeviceToHost));
    KL_CUDA(err, cudaMemcpy(&last[1], c->d_flags + at, 4, cudaMemcpyDeviceToHost));
    *out_count = (int64_t)last[0] + last[1];
    if (*out_count < 0 || *out_count > c->n)
        return kl_fail(err, KL_ERROR_INPUT, "step %d: of %lld flags %lld are set, says its scan",
                       c->run->step, (long long)c->n, (long long)*out_count);
    return KL_OK;
}

static kl_status compact(coder *c, kl_error *err) {
    KL_CUDA(err, coding_flag_bright(c->d_pixels, c->n, CODING_BRIGHT, c->d_flags));
    TRY(scan(c, c->d_flags, c->n, SCAN_EXCLUSIVE, c->d_position, err));
    TRY(count_flags(c, &c->stage->out, err));
    KL_CUDA(err, coding_gather(c->d_pixels, c->d_flags, c->d_position, c->n, c->d_places, NULL));
    return KL_OK;
}

// The code of the image: d_values and d_lengths.
static kl_status encode(coder *c, kl_error *err) {
    int64_t n = c->n;
    KL_CUDA(err, coding_flag_runs(c->d_pixels, n, c->d_flags));
    TRY(scan(c, c->d_flags, n, SCAN_EXCLUSIVE, c->d_position, err));
    TRY(count_flags(c, &c->run->runs, err));
    KL_CUDA(err,
            coding_gather(c->d_pixels, c->d_flags, c->d_position, n, c->d_places, c->d_values));
    KL_CUDA(err, coding_lengths(c->d_places, c->run->runs, n, c->d_lengths));
    c->stage->out = c->run->runs;
    return KL_OK;
}

// From the lengths where each run begins; a mark there, and the sum of the marks is the run's
// number.
static kl_status decode(coder *c, kl_error *err) {
    int64_t runs = c->run->runs;
    TRY(scan(c, c->d_lengths, runs, SCAN_EXCLUSIVE, c->d_places, err));
    KL_CUDA(err, cudaMemsetAsync(c->d_flags, 0, 4 * (size_t)c->n, 0));
    KL_CUDA(err, coding_mark(c->d_places, runs, c->d_flags));
    TRY(scan(c, c->d_flags, c->n, SCAN_INCLUSIVE, c->d_flags, err));
    KL_CUDA(err, coding_spread(c->d_values, c->d_flags, c->n, c->d_decoded));
    c->stage->in = runs;
    c->stage->out = c->n;
    return KL_OK;
}

// The stage with the median of its times.
static kl_status run_stage(coder *c, int index, const char *name,
                           kl_status (*body)(coder *, kl_error *), kl_error *err) {
    double times[CODING_MOST_REPEAT], scans[CODING_MOST_REPEAT];
    c->stage = &c->run->stages[index];
    for (int i = 0; i < c->run->repeat; i++) {
        *c->stage = (coding_stage){.name = name, .in = c->n};
        KL_CUDA(err, cudaEventRecord(c->begin, 0));
        TRY(body(c, err));
        KL_CUDA(err, cudaEventRecord(c->end, 0));
        TRY(time_between(c->begin, c->end, &times[i], err));
        scans[i] = c->stage->scan_us;
    }
    c->stage->time_us = kl_median(times, (size_t)c->run->repeat);
    c->stage->scan_us = kl_median(scans, (size_t)c->run->repeat);
    return KL_OK;
}

static kl_status compare_places(coder *c, kl_error *err) {
    size_t count = (size_t)c->run->stages[CODING_COMPACT].out;
    int32_t *places = malloc(4 * (count ? count : 1));
    if (!places) return kl_fail(err, KL_ERROR_MEMORY, "no memory for %zu places", count);
    kl_status status = KL_OK;
    if (cudaMemcpy(places, c->d_places, 4 * count, cudaMemcpyDeviceToHost) != cudaSuccess)
        status = kl_fail(err, KL_ERROR_INPUT, "the compacted pixels cannot be read back");
    size_t found = 0;
    for (int64_t i = 0; i < c->n && status == KL_OK; i++) {
        if (c->run->pixels[i] < CODING_BRIGHT) continue;
        if (found >= count || places[found] != i) c->run->wrong_places++;
        found++;
    }
    if (found < count) c->run->wrong_places += (int64_t)(count - found);
    free(places);
    return status;
}

static kl_status open_coder(coder *c, kl_error *err) {
    size_t n = (size_t)c->n;
    KL_CUDA(err, cudaMalloc((void **)&c->d_pixels, n));
    KL_CUDA(err, cudaMalloc((void **)&c->d_values, n));
    KL_CUDA(err, cudaMalloc((void **)&c->d_decoded, n));
    KL_CUDA(err, cudaMalloc((void **)&c->d_flags, 4 * n));
    KL_CUDA(err, cudaMalloc((void **)&c->d_position, 4 * n));
    KL_CUDA(err, cudaMalloc((void **)&c->d_places, 4 * n));
    KL_CUDA(err, cudaMalloc((void **)&c->d_lengths, 4 * n));
    KL_CUDA(err, cudaMalloc(&c->d_workspace, scan_workspace_bytes(c->n)));
    KL_CUDA(err, cudaMemset(c->d_workspace, 0, scan_workspace_bytes(c->n)));
    KL_CUDA(err, cudaEventCreate(&c->begin));
    KL_CUDA(err, cudaEventCreate(&c->end));
    KL_CUDA(err, cudaEventCreate(&c->scan_begin));
    KL_CUDA(err, cudaEventCreate(&c->scan_end));
    KL_CUDA(err, cudaMemcpy(c->d_pixels, c->run->pixels, n, cudaMemcpyHostToDevice));
    return KL_OK;
}

static void close_coder(coder *c) {
    void *memory[] = {c->d_pixels,   c->d_values, c->d_decoded, c->d_flags,
                      c->d_position, c->d_places, c->d_lengths, c->d_workspace};
    cudaEvent_t events[] = {c->begin, c->end, c->scan_begin, c->scan_end};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) cudaFree(memory[i]);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (events[i]) cudaEventDestroy(events[i]);
}

static kl_status run_stages(coder *c, kl_error *err) {
    coding_run *run = c->run;
    TRY(run_stage(c, CODING_COMPACT, "compaction", compact, err));
    TRY(compare_places(c, err));
    TRY(run_stage(c, CODING_ENCODE, "coding", encode, err));
    TRY(run_stage(c, CODING_DECODE, "decoding", decode, err));
    KL_CUDA(err, cudaMemcpy(run->decoded, c->d_decoded, (size_t)c->n, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < c->n; i++) run->wrong_pixels += run->decoded[i] != run->pixels[i];
    return KL_OK;
}

kl_status coding_run_all(const kl_step *step, coding_run *run, kl_error *err) {
    coder c = {.step = step, .run = run, .n = run->side * run->side};
    kl_status status = open_coder(&c, err);
    if (status == KL_OK) status = run_stages(&c, err);
    close_coder(&c);
    return status;
}
