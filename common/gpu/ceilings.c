// Ceilings of the present device: see device.h. The best of a few launch shapes is taken, because
// a ceiling that a lab's kernel can beat is none.

#include "cuda_check.h"
#include "probes.h"
#include "timing.h"

enum { LAUNCHES = 200, REPETITIONS = 15 };

typedef struct probe_work {
    const void *d_from;
    void *d_to; // NULL: read only
    float *d_sink;
    uint64_t bytes;
    int blocks;
} probe_work;

static int run_read(void *context) {
    const probe_work *w = context;
    return kl_probe_read(w->d_from, w->bytes, w->blocks, w->d_sink);
}

static int run_copy(void *context) {
    const probe_work *w = context;
    return kl_probe_copy(w->d_from, w->d_to, w->bytes, w->blocks);
}

static int run_fma(void *context) {
    const probe_work *w = context;
    return kl_probe_fma(w->blocks, w->d_sink);
}

static int run_tensor(void *context) {
    const probe_work *w = context;
    return kl_probe_tensor(w->blocks, w->d_sink);
}

static int run_launches(void *context) {
    (void)context;
    return kl_probe_launch(LAUNCHES);
}

static kl_status time_us(kl_timer *timer, kl_timed_work *run, probe_work *work, int blocks,
                         double *out_us, kl_error *err) {
    kl_interval us;
    work->blocks = blocks;
    TRY(kl_timer_measure(timer, REPETITIONS, run, work, &us, NULL, err));
    *out_us = us.mid;
    return KL_OK;
}

// Best time of the work over launch shapes: one tile a block, and 2, 3 or 4 resident blocks per SM.
static kl_status best_us(kl_timer *timer, kl_timed_work *run, probe_work *work, int sms,
                         double *out_us, kl_error *err) {
    *out_us = INFINITY;
    for (int blocks = 0; blocks <= 4; blocks += blocks == 0 ? 2 : 1) {
        double us;
        TRY(time_us(timer, run, work, blocks * sms, &us, err));
        *out_us = fmin(us, *out_us);
    }
    return KL_OK;
}

static kl_status measure(const kl_device *device, kl_timer *timer, char *d_memory, uint64_t bytes,
                         float *d_sink, kl_ceilings *out, kl_error *err) {
    double us = 0.0;
    const int sms = device->multiprocessors;
    KL_CUDA(err, cudaMemset(d_memory, 0x3F, bytes)); // 0x3F3F3F3F is 0.747: finite, not zero
    probe_work work = {.d_from = d_memory, .d_sink = d_sink, .bytes = bytes};
    TRY(best_us(timer, run_read, &work, sms, &us, err));
    out->read_gbs = (double)bytes / us * 1e-3;
    work.bytes = bytes / 2;
    work.d_to = d_memory + bytes / 2;
    TRY(best_us(timer, run_copy, &work, sms, &us, err));
    out->copy_gbs = (double)bytes / us * 1e-3;

    TRY(time_us(timer, run_fma, &work, KL_PROBE_FMA_BLOCKS_AN_SM * sms, &us, err));
    out->fma_tflops = (double)work.blocks * KL_PROBE_FMA_BLOCK_OPS / us * 1e-6;

    if (device->capability_major >= 8) {
        TRY(time_us(timer, run_tensor, &work, KL_PROBE_TENSOR_BLOCKS_AN_SM * sms, &us, err));
        out->tensor_tflops = 2.0 * work.blocks * (double)KL_PROBE_TENSOR_BLOCK_PRODUCTS / us * 1e-6;
    }

    TRY(time_us(timer, run_launches, &work, 0, &us, err));
    out->launch_us = us / LAUNCHES;
    return KL_OK;
}

// Bytes of page-locked memory: half of it goes to the device, half comes from there.
typedef struct link_work {
    char *h_memory, *d_memory;
    uint64_t bytes;
    cudaStream_t streams[2];
} link_work;

static int run_link(void *context) {
    const link_work *w = context;
    uint64_t half = w->bytes / 2;
    cudaError_t code =
        cudaMemcpyAsync(w->d_memory, w->h_memory, half, cudaMemcpyHostToDevice, w->streams[0]);
    if (code == cudaSuccess)
        code = cudaMemcpyAsync(w->h_memory + half, w->d_memory + half, half, cudaMemcpyDeviceToHost,
                               w->streams[1]);
    return code; // the timer's events are in the default stream, which waits for both
}

static kl_status measure_link(kl_timer *timer, kl_ceilings *out, kl_error *err) {
    link_work work = {.bytes = UINT64_C(256) << 20};
    kl_interval us = {.mid = NAN};
    cudaError_t code = cudaMallocHost((void **)&work.h_memory, work.bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&work.d_memory, work.bytes);
    for (int i = 0; i < 2 && code == cudaSuccess; i++) code = cudaStreamCreate(&work.streams[i]);
    kl_status status = code == cudaSuccess
                           ? kl_timer_measure(timer, REPETITIONS, run_link, &work, &us, NULL, err)
                           : kl_cuda_fail(err, code, __FILE__, __LINE__, "memory for the link");
    out->link_gbs = (double)work.bytes / us.mid * 1e-3;
    for (int i = 0; i < 2; i++)
        if (work.streams[i]) cudaStreamDestroy(work.streams[i]);
    cudaFree(work.d_memory);
    cudaFreeHost(work.h_memory);
    return status;
}

static kl_status measure_on_gpu(const kl_device *device, bool with_link, kl_ceilings *out,
                                kl_error *err) {
    size_t free_bytes = 0, total_bytes = 0;
    KL_CUDA(err, cudaMemGetInfo(&free_bytes, &total_bytes));
    uint64_t bytes = UINT64_C(2) << 30; // far above any L2
    while (bytes > free_bytes / 2 && bytes > (UINT64_C(64) << 20)) bytes /= 2;
    kl_timer timer;
    char *d_memory = NULL;
    float *d_sink = NULL;
    kl_status status = kl_timer_open(device, &timer, err);
    if (status == KL_OK) {
        cudaError_t code = cudaMalloc((void **)&d_memory, bytes);
        code = code == cudaSuccess ? cudaMalloc((void **)&d_sink, sizeof(float)) : code;
        status = code == cudaSuccess
                     ? measure(device, &timer, d_memory, bytes, d_sink, out, err)
                     : kl_cuda_fail(err, code, __FILE__, __LINE__, "cudaMalloc for the probes");
    }
    cudaFree(d_sink);
    cudaFree(d_memory);
    if (status == KL_OK && with_link) status = measure_link(&timer, out, err);
    kl_timer_close(&timer);
    return status;
}

kl_status kl_ceilings_find(const kl_device *device, bool with_link, kl_ceilings *out,
                           kl_error *err) {
    *out = (kl_ceilings){NAN, NAN, NAN, NAN, NAN, NAN};
    if (!device->simulated) return measure_on_gpu(device, with_link, out, err);
    double *values[] = {&out->read_gbs,   &out->copy_gbs,      &out->launch_us,
                        &out->fma_tflops, &out->tensor_tflops, &out->link_gbs};
    static const char *const keys[] = {"ceiling.read_gbs",      "ceiling.copy_gbs",
                                       "ceiling.launch_us",     "ceiling.fma_tflops",
                                       "ceiling.tensor_tflops", "ceiling.link_gbs"};
    for (int i = 0; i < 6; i++) kl_device_sim_query(keys[i], values[i]);
    return KL_OK;
}
