// SPDX-License-Identifier: MIT
// Ceilings of the present device: see device.h. The best of a few launch shapes is taken, because
// a ceiling that a lab's kernel can beat is none.
#include "device.h"

#include <math.h>
#include <string.h>

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

// Best time of the work over launch shapes: one tile a block, and 2, 3 or 4 resident blocks per SM.
static kl_status best_us(kl_timer *timer, kl_timed_work *run, probe_work *work, int multiprocessors,
                         double *out_us, kl_error *err) {
    static const int blocks_a_multiprocessor[] = {0, 2, 3, 4};
    *out_us = INFINITY;
    for (size_t i = 0; i < sizeof blocks_a_multiprocessor / sizeof(int); i++) {
        kl_interval us;
        work->blocks = blocks_a_multiprocessor[i] * multiprocessors;
        TRY(kl_timer_measure(timer, REPETITIONS, run, work, &us, NULL, err));
        *out_us = us.mid < *out_us ? us.mid : *out_us;
    }
    return KL_OK;
}

static kl_status measure(const kl_device *device, kl_timer *timer, char *d_memory, uint64_t bytes,
                         float *d_sink, kl_ceilings *out, kl_error *err) {
    double us = 0.0;
    KL_CUDA(err, cudaMemset(d_memory, 0x3F, bytes)); // 0x3F3F3F3F is 0.747: finite, not zero
    probe_work work = {.d_from = d_memory, .d_sink = d_sink, .bytes = bytes};
    TRY(best_us(timer, run_read, &work, device->multiprocessors, &us, err));
    out->read_gbs = (double)bytes / us * 1e-3;

    work.bytes = bytes / 2;
    work.d_to = d_memory + bytes / 2;
    TRY(best_us(timer, run_copy, &work, device->multiprocessors, &us, err));
    out->copy_gbs = (double)bytes / us * 1e-3;

    work.blocks = KL_PROBE_FMA_BLOCKS_AN_SM * device->multiprocessors;
    kl_interval fma;
    TRY(kl_timer_measure(timer, REPETITIONS, run_fma, &work, &fma, NULL, err));
    out->fma_tflops = (double)work.blocks * KL_PROBE_FMA_BLOCK_OPS / fma.mid * 1e-6;

    if (device->capability_major >= 8) {
        kl_interval tensor;
        work.blocks = KL_PROBE_TENSOR_BLOCKS_AN_SM * device->multiprocessors;
        TRY(kl_timer_measure(timer, REPETITIONS, run_tensor, &work, &tensor, NULL, err));
        out->tensor_tflops =
            2.0 * work.blocks * (double)KL_PROBE_TENSOR_BLOCK_PRODUCTS / tensor.mid * 1e-6;
    }

    kl_interval launches;
    TRY(kl_timer_measure(timer, REPETITIONS, run_launches, NULL, &launches, NULL, err));
    out->launch_us = launches.mid / LAUNCHES;
    return KL_OK;
}

static kl_status measure_on_gpu(const kl_device *device, kl_ceilings *out, kl_error *err) {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
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
    kl_timer_close(&timer);
    return status;
}

kl_status kl_ceilings_find(const kl_device *device, kl_ceilings *out, kl_error *err) {
    *out = (kl_ceilings){NAN, NAN, NAN, NAN, NAN};
    if (!device->simulated) return measure_on_gpu(device, out, err);
    double *values[] = {&out->read_gbs, &out->copy_gbs, &out->launch_us, &out->fma_tflops,
                        &out->tensor_tflops};
    static const char *const keys[] = {"ceiling.read_gbs", "ceiling.copy_gbs", "ceiling.launch_us",
                                       "ceiling.fma_tflops", "ceiling.tensor_tflops"};
    for (int i = 0; i < 5; i++) kl_device_sim_query(keys[i], values[i]);
    return KL_OK;
}
